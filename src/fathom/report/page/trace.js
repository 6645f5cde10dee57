// The trace of a response: its steps one by one, and its retrieved passages in the context.

const KINDS_OF_STEP = [["model", "✎"], ["tool", "⚙"], ["retrieval", "⌕"]];

function traceView(steps) {
  if (!steps.length) return null;
  const left = steps.reduce((sum, step) => sum + (typeof step === "number" ? step : 0), 0);
  const all = steps.length + left - (left ? 1 : 0);
  let number = 0;
  const items = steps.map((step) => {
    if (typeof step === "number") {
      number += step;
      return make("li", { class: "step-gap" }, `${plural(step, "step")} left out`);
    }
    number += 1;
    return stepView(step, number);
  });
  return make("details", { class: "trace" }, make("summary", null, `Trace: ${plural(all, "step")}`), make("ol", { class: "trace-steps" }, items));
}

function stepView([kind, name, input, output, error, [tokensIn, cached, tokensOut, seconds, price], passages, documents], number) {
  const [kindName, glyph] = KINDS_OF_STEP[kind];
  const used = [
    passages && `${plural(passages, "passage")} of ${plural(documents, "document")}`,
    tokensIn && `${counted(tokensIn)} in${cached ? ` (${counted(cached)} cached)` : ""}`,
    tokensOut && `${counted(tokensOut)} out`,
    seconds && `${seconds} s`,
    price ? money(price) : null,
  ].filter(Boolean).join(" · ");
  return make("li", { class: `step ${kindName}` },
    make("p", { class: "step-head" }, make("span", { class: "step-number" }, String(number)), make("span", { class: "step-glyph", "aria-hidden": "true" }, glyph),
      make("b", null, name || kindName), name && make("span", { class: "under" }, kindName), make("span", { class: "under step-used" }, used)),
    error && make("p", { class: "missed" }, error),
    input && make("details", null, make("summary", null, kind === 2 ? "Query" : "Input"), make("pre", { class: "said" }, input)),
    output && make("details", { open: kind !== 0 || output.length < 200 }, make("summary", null, "Output"), make("pre", { class: "said" }, output)));
}

// The first response of each run that retrieved something, with the ranges of its passages joined.
function lanesOf(runs, responses) {
  return runs.map(([name], run) => ({ name, run, flat: responses[run] && responses[run].length ? responses[run][0][15] : [] }))
    .filter(({ flat }) => flat.length)
    .map(({ name, run, flat }) => {
      const ranges = [];
      for (let place = 0; place < flat.length; place += 2) ranges.push([flat[place], flat[place + 1]]);
      ranges.sort((one, two) => one[0] - two[0]);
      const joined = [];
      for (const [from, to] of ranges) {
        const last = joined[joined.length - 1];
        if (last && from <= last[1]) last[1] = Math.max(last[1], to);
        else joined.push([from, to]);
      }
      return { name, run, count: ranges.length, joined };
    });
}

const contains = (lane, from, to) => lane.joined.some(([start, end]) => start <= from && to <= end);

// Whether each run retrieved a needed passage.
function retrievedBy(lanes, some) {
  if (!lanes.length) return null;
  return make("span", { class: "retrieved-by" }, lanes.map((lane) => {
    const got = some.filter((one) => contains(lane, one.from, one.to)).length;
    const words = got === some.length ? "retrieved" : got ? `${got} of ${some.length} retrieved` : "not retrieved";
    return make("span", { class: got === some.length ? "got" : "missed", "data-tip": `${lane.name}: ${words}` }, dot(lane.run), got === some.length ? "✓" : "✕", make("span", { class: "visually-hidden" }, ` ${lane.name}: ${words}`));
  }));
}

// One row of the strip for each run: the retrieved passages under the needed ones.
function laneMarks(lane, number, end, placed) {
  const y = 44 + number * 14;
  const hits = placed.filter((one) => contains(lane, one.from, one.to)).length;
  const tip = `${lane.name}: ${plural(lane.count, "passage")}${placed.length ? `, ${hits} of ${placed.length} needed ones in them` : ""}`;
  return [["rect", { x: "0", y: String(y + 3), width: "1000", height: "2", class: "lane", "data-tip": tip }, []],
    ...lane.joined.map(([from, to]) => ["rect", { x: String((from / end) * 1000), y: String(y), width: String(Math.max(2, ((to - from) / end) * 1000)), height: "8",
      class: `retrieved s${lane.run % 10}`, "data-tip": tip }, []])];
}

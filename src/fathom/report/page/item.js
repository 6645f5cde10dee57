// One item: question, key and proof, responses, and the needed passages in the context.

const AT_ONCE = 12;

function sheet() {
  return document.getElementById("sheet");
}

async function showItem(explorer, item) {
  const place = sheet();
  if (explorer.open === null) explorer.cameFrom = document.activeElement;
  explorer.open = item;
  place.hidden = false;
  document.body.classList.add("with-sheet");
  let found;
  try {
    found = await explorer.details(item);
  } catch (error) {
    put(place, make("p", { class: "waiting" }, error.message), button("Close", () => closeItem(explorer)));
    return;
  }
  if (explorer.open !== item) return;
  put(place, itemView(explorer, item, found.part, found.place));
  place.scrollTop = 0;
  place.focus({ preventScroll: true });
  explorer.recordView();
  announce(`Item ${item + 1}`);
}

function closeItem(explorer) {
  if (explorer.open === null) return;
  explorer.open = null;
  sheet().hidden = true;
  put(sheet());
  document.body.classList.remove("with-sheet");
  explorer.recordView();
  const back = explorer.cameFrom;
  if (back && back.isConnected && back !== document.body) back.focus({ preventScroll: true });
  else explorer.frame.focus({ preventScroll: true });
}

function itemView(explorer, item, part, place) {
  const [id, question, program, steps, key, type, context, passages, rows] = part.items[place];
  const { items, data } = explorer;
  const number = items.bench ? items.bench[item] : 0;
  const bench = part.benches[number];
  const [name, fingerprint] = items.benches[number];
  const tags = items.tags.map(([name, values, column]) => [name, values[column[item]]]).filter(([, value]) => value);
  return [
    make("div", { class: "sheet-head" },
      make("div", null, make("span", { class: "eyebrow" }, `Item ${counted(item + 1)}`), make("code", { class: "id" }, id)),
      make("div", { class: "sheet-tools" },
        button("↑", () => explorer.move(-1), { class: "quiet-button", "aria-label": "Previous item (k)" }),
        button("↓", () => explorer.move(1), { class: "quiet-button", "aria-label": "Next item (j)" }),
        button("Close", () => closeItem(explorer), { class: "quiet-button", id: "close" }))),
    make("p", { class: "question", id: "sheet-title" }, question),
    make("p", { class: "tags" }, tags.map(([name, value]) => make("span", { class: "tag" }, make("span", { class: "tag-name" }, name), value))),
    make("div", { class: "proof" },
      make("section", { class: "key" }, make("h3", null, "Key"), make("pre", { class: "answer" }, type === "none" ? "NULL: not answerable" : key), make("p", { class: "under" }, type === "ranking" && key.includes(" = ") ? "ranking; values joined by = are tied" : type)),
      make("section", { class: "program" }, make("h3", null, "Computation"),
        steps.length > 0 && make("ol", null, steps.map((step) => make("li", null, part.words[step]))),
        make("pre", { class: "code" }, part.words[program]),
        rows && make("details", null, make("summary", null, "Result rows"), make("pre", { class: "code" }, rows)))),
    make("h3", null, data.runs.length > 1 ? "Responses" : "Response"),
    make("div", { class: "responses" }, data.runs.map((run, at) => run[4] === fingerprint && responsesOf(explorer, run, at, part.responses[at][place], part.words))),
    contextView(bench, context, passages, lanesOf(data.runs, part.responses.map((run) => run[place]))),
    disputeForm(id, name, fingerprint),
  ];
}

// The page is a file and cannot write to the bench: a dispute is downloaded, and a command imports it.
function disputeForm(id, bench, fingerprint) {
  const reason = make("input", { type: "text", maxlength: "2000", autocomplete: "off", name: "reason" });
  const by = make("input", { type: "text", maxlength: "200", autocomplete: "name", name: "by" });
  const words = make("p", { class: "under", role: "status" });
  const name = `dispute-${id}.jsonl`;
  const download = () => {
    const missing = [reason, by].find((field) => !field.value.trim());
    if (missing) {
      put(words, "Give a reason and your name first.");
      missing.focus();
      return;
    }
    const dispute = { bench: fingerprint, question_id: id, reason: reason.value.trim(), by: by.value.trim(), at: new Date().toISOString() };
    save(name, `${JSON.stringify(dispute)}\n`, "application/jsonl");
    put(words, "Import the file into the bench: ", make("code", null, `fathom errata ${bench} --import ${name}`));
  };
  return make("details", { class: "dispute" }, make("summary", null, "Dispute this item"),
    make("p", { class: "under" }, "If the key is wrong or the question has two answers, say why. The item is reviewed, and upheld or retired."),
    make("label", null, make("span", null, "Reason"), reason), make("label", null, make("span", null, "Your name"), by),
    button("Download the dispute", download), words);
}

function responsesOf(explorer, run, number, samples, words) {
  const { items } = explorer;
  const title = make("h4", null, dot(number), run[0]);
  if (!samples.length) return make("article", { class: "response away", "data-run": String(number) }, title, make("p", { class: "under" }, "Not asked in this run."));
  const body = make("div");
  const show = (sample) => put(body, responseView(samples[sample], items, words));
  show(0);
  const several = samples.length > 1 && make("div", { class: "samples" }, samples.map((sample, place) =>
    button(OUTCOME[sample[0]].glyph, () => show(place), { class: `sign ${OUTCOME[sample[0]].name.replaceAll(" ", "-")}`, "aria-label": `Response ${place + 1}: ${OUTCOME[sample[0]].name}` })));
  return make("article", { class: "response", "data-run": String(number), "data-outcome": samples[0][0] }, title, several, body);
}

function responseView(response, items, words) {
  const [sign, text, parsed, reason, thinking, [tokensIn, tokensOut, price], score, candidates, unclear, patterns, steps, measures, parts, stage, trace, , ending] = response;
  const { name, glyph } = OUTCOME[sign];
  const credit = score > 0 && score < 1 ? ` · partial credit ${percent(score)}` : "";
  return [
    make("p", { class: `verdict ${name.replaceAll(" ", "-")}` }, make("span", { class: "sign" }, glyph), name, credit),
    text ? make("pre", { class: "said" }, text) : make("p", { class: "under" }, "No text."),
    parsed !== null && make("p", { class: "read" }, make("span", { class: "under" }, "parsed as "), make("code", null, parsed.replaceAll("\n", ", ") || "(empty)")),
    reason && make("p", { class: "under" }, reason),
    measures.length > 0 && make("p", { class: "under" }, measures.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(" · ")),
    parts.length > 0 && make("details", null, make("summary", null, `Parts: ${parts.filter(([, outcome]) => outcome === "c").length} of ${parts.length} correct`),
      make("ul", { class: "steps" }, parts.map(([part, outcome, why]) => make("li", { class: outcome === "c" ? "reached" : "missed" }, `${OUTCOME[outcome].glyph} ${part}`, why && make("span", { class: "under" }, ` ${why}`))))),
    patterns.length > 0 && make("p", { class: "tags" }, patterns.map((one) => make("span", { class: "tag" }, items.patterns[one]))),
    (stage >= 0 || ending) && make("p", { class: "tags" }, stage >= 0 && make("span", { class: "tag" }, make("span", { class: "tag-name" }, "failed at"), items.stages[stage]),
      ending && make("span", { class: "tag" }, make("span", { class: "tag-name" }, "ended"), ending)),
    measures.some(([name, value]) => name === "too few chunks" && value > 0) && make("p", { class: "under" }, "† Fewer passages were retrieved than documents are needed."),
    candidates.length > 0 && make("div", { class: "causes" }, make("p", { class: "under" }, unclear ? "possible causes" : "likely cause"),
      candidates.map(([cause, detail, weight]) => {
        const bar = make("i", { class: "bar" });
        bar.style.width = `${weight * 100}%`;
        return make("p", { class: "cause" }, bar, make("span", null, make("b", null, items.causes[cause]), detail && ` ${detail}`), make("span", { class: "under" }, percent(weight)));
      })),
    unclear && make("p", { class: "under" }, `Cause unclear: ${unclear}`),
    steps.length > 0 && make("details", null, make("summary", null, `Steps: ${steps.filter((step) => step > 0).length} of ${steps.length} reached`),
      make("ul", { class: "steps" }, steps.map((step) => make("li", { class: step > 0 ? "reached" : "missed" }, `${step > 0 ? "✓" : "✕"} ${words[Math.abs(step) - 1]}`)))),
    thinking && make("details", null, make("summary", null, "Thinking"), make("pre", { class: "said" }, thinking)),
    traceView(trace),
    make("p", { class: "under usage" }, [tokensIn && `${counted(tokensIn)} input tokens`, tokensOut && `${counted(tokensOut)} output tokens`, price ? money(price) : null].filter(Boolean).join(", ")),
  ];
}

// The position of each needed passage, and the text around it. The page does not contain the whole context.
function contextView(bench, context, passages, lanes) {
  const [id, tokens, places] = bench.contexts[context];
  const end = places[places.length - 1][2];
  const layout = new Map(places.map(([doc, start, stop, token], number) => [doc, { start, stop, token, number: number + 1 }]));
  const placed = passages.map((number) => {
    const [doc, start, stop, before, text, after] = bench.passages[number];
    const home = layout.get(doc);
    return home && { home, doc, from: home.start + start, to: home.start + stop, before, text, after };
  }).filter(Boolean).sort((one, two) => one.from - two.from);
  const next = (home) => (home.number < places.length ? places[home.number][3] : tokens);
  const token = (one) => Math.round(one.home.token + ((one.from - one.home.start) / Math.max(1, one.home.stop - one.home.start)) * (next(one.home) - one.home.token));
  const list = make("ol", { class: "passages" });
  const near = grouped(placed);
  const add = (some) => list.append(...some.map((some) => passagesView(some, bench, places.length, some[0].from / end, token(some[0]), lanes)));
  add(near.slice(0, AT_ONCE));
  const more = near.length > AT_ONCE && button(`All ${placed.length} passages`, () => {
    add(near.slice(AT_ONCE));
    more.remove();
  }, { class: "quiet-button" });
  const reach = (one) => {
    const number = near.findIndex((some) => some.includes(one));
    if (number >= AT_ONCE && more && more.isConnected) more.click();
    const target = list.children[number];
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  };
  return make("section", { class: "context", "aria-label": "Context" },
    make("h3", null, "In the context"),
    make("p", { class: "under" }, `${counted(tokens)} tokens, ${plural(places.length, "document")}, `,
      placed.length ? plural(placed.length, "needed passage") : "no needed passages", ". ", make("code", null, id)),
    lanes.length > 0 && make("p", { class: "under" }, "Below the strip: passages retrieved by ", lanes.map((lane) => [dot(lane.run), `${lane.name} `])),
    strip(places, placed, end, bench, reach, lanes), list, more);
}

function strip(places, placed, end, bench, reach, lanes) {
  const height = 40 + lanes.length * 14;
  const drawing = ["svg", { viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", class: "strip", role: "group", "aria-label": "Positions of the needed passages in the context" },
    [...places.map(([doc, start, stop], number) => ["rect", { x: String((start / end) * 1000), y: "12", width: String(Math.max(0.5, ((stop - start) / end) * 1000 - 1)), height: "16",
      class: `piece ${number % 2 ? "odd" : ""}`, "data-tip": `Document ${number + 1}: ${bench.documents[doc]}` }, []]),
    ...lanes.flatMap((lane, number) => laneMarks(lane, number, end, placed))]];
  const made = draw(drawing);
  made.style.height = `${height + 4}px`;
  placed.forEach((one, number) => {
    const wide = Math.max(3, ((one.to - one.from) / end) * 1000);
    const mark = draw(["rect", { x: String(Math.min(1000 - wide, (one.from / end) * 1000)), y: "6", width: String(wide), height: "28", class: "needed", tabindex: "0", role: "button",
      "aria-label": `Passage ${number + 1}`, "data-tip": `${one.text.slice(0, 120).trim()} (document ${one.home.number}, at ${percent(one.from / end)})` }, []]);
    mark.addEventListener("click", () => reach(one));
    mark.addEventListener("keydown", (event) => { if (event.key === "Enter") reach(one); });
    made.append(mark);
  });
  return make("div", { class: "strip-frame" }, made, make("div", { class: "strip-ends" }, make("span", null, "start"), make("span", null, "end")));
}

// Collapses empty lines, to keep passages compact.
const compact = (words) => words.replaceAll(/\n\s*\n/g, "\n");

// Groups passages that are so close that the text between them is known.
function grouped(placed) {
  const groups = [];
  for (const one of placed) {
    const last = groups.length ? groups[groups.length - 1].at(-1) : null;
    const gap = last ? one.from - last.to : -1;
    if (last && last.doc === one.doc && gap >= 0 && gap <= last.after.length) groups[groups.length - 1].push(one);
    else groups.push([one]);
  }
  return groups;
}

function passagesView(some, bench, documents, share, token, lanes) {
  const [first, last] = [some[0], some[some.length - 1]];
  const pieces = some.map((one, number) => [make("mark", null, compact(one.text)),
    number < some.length - 1 && make("span", { class: "around" }, compact(one.after.slice(0, some[number + 1].from - one.to)))]);
  return make("li", { class: "passage", tabindex: "-1" },
    make("p", { class: "passage-place" }, make("b", null, `Document ${first.home.number} of ${documents}`), ` ${bench.documents[first.doc]}`,
      make("span", { class: "under" }, ` · at ${percent(share)}, about token ${counted(token)}`), retrievedBy(lanes, some)),
    first.text || first.before ? make("p", { class: "passage-text" }, first.before && make("span", { class: "around" }, `…${compact(first.before)}`),
      pieces, last.after && make("span", { class: "around" }, `${compact(last.after).trimEnd()}…`))
      : make("p", { class: "under" }, "Its text is not available."));
}

// The sections above the item explorer.

function intervalBar(low, value, high, run, baselines) {
  const at = (element, from, to) => {
    element.style.left = `${from * 100}%`;
    if (to !== undefined) element.style.width = `${Math.max(0, to - from) * 100}%`;
    return element;
  };
  return make("div", { class: `interval s${run % 10}`, "aria-hidden": "true" },
    [0.25, 0.5, 0.75].map((share) => at(make("i", { class: "quarter" }), share)),
    baselines.map(([name, share]) => at(make("i", { class: "baseline-mark", "data-tip": `baseline ${name}: ${percent(share, 1)}` }), share)),
    at(make("i", { class: "range" }), low, high),
    at(make("i", { class: "point" }), value));
}

// Columns of the main table beside accuracy: name, title, explanation, and how a value is written.
const COLUMNS = [
  ["partial_credit", "Partial credit", "Mean score, partial credit included", (value) => percent(value)],
  ["effective_length", "Effective length", "The longest context length with at least 85% of the accuracy at the shortest", String],
  ["price", "$ per 1,000", "US dollars per 1,000 questions", (value) => money(value * 1000)],
  ["tokens", "Tokens", "Input and output tokens of a question, all calls together", (value) => counted(value)],
  ["seconds", "Seconds", "Seconds of a question, all calls together", (value) => (value >= 10 ? counted(Math.round(value)) : value ? value.toPrecision(2) : "0")],
];

function headlineView(section, data) {
  const figure = section.figures[0];
  const column = Object.fromEntries(figure.columns.map(([name], place) => [name, place]));
  const numbers = Object.fromEntries(data.runs.map(([name], run) => [name, run]));
  const several = data.benches.length > 1;
  const differs = (row) => Math.abs(row[column.partial_credit] - row[column.accuracy]) > 0.0005;
  const columns = COLUMNS.filter(([name]) => figure.rows.some((row) => (name === "partial_credit" ? differs(row) : row[column[name]])));
  const counts = ["built", "fitted", "errors", "dropped", "retired"].filter((name) => !figure.columns[column[name]][3]);
  const rows = figure.rows.map((row) => {
    const run = numbers[row[column.run]];
    const fingerprint = data.runs[run][4];
    const baselines = data.baselines.filter(([, , bench]) => bench === fingerprint);
    const accuracy = row[column.accuracy];
    const value = (name) => row[column[name]];
    const absent = value("errors") + value("unanswered");
    const received = value("received") > 0;
    const reserved = [
      value("not_asked") ? `asked ${counted(value("asked"))} of ${counted(value("asked") + value("not_asked"))}` : "",
      absent ? `${counted(absent)} of ${plural(value("responses"), "response")} missing${received ? ` (at most ${percent(value("max_accuracy"))})` : ""}` : "",
      value("overflow") ? plural(value("overflow"), "overflow") : "",
    ].filter(Boolean);
    const kind = KINDS[value("kind")];
    return make("tr", { "data-run": String(run) },
      make("th", { scope: "row", class: "words" }, make("span", { class: "run-title" }, dot(run), row[column.run], kind && make("span", { class: "control", "data-tip": kind }, value("kind"))),
        make("span", { class: "under" }, [row[column.model], row[column.system], several && row[column.bench]].filter(Boolean).join(" · "))),
      make("td", { class: "number big", "data-tip": received ? `${percent(row[column.low], 1)} to ${percent(row[column.high], 1)}` : null }, received ? percent(accuracy) : "–"),
      make("td", { class: "scale" }, received && intervalBar(row[column.low], accuracy, row[column.high], run, baselines),
        make("span", { class: "under range-words" }, [received && `${percent(row[column.low])} to ${percent(row[column.high])}`, ...reserved].filter(Boolean).join(" · ")),
        make("span", { class: "under counts-words" }, counts.filter((name) => row[column[name]] !== 0).map((name) => `${row[column[name]] === null ? "–" : counted(row[column[name]])} ${name}`).join(" · "))),
      columns.map(([name, , , words]) => make("td", { class: "number", "data-name": name }, !received || value(name) === null || value(name) === "" ? "–" : words(value(name)))),
      counts.map((name) => make("td", { class: "number counts", "data-name": name }, row[column[name]] === null ? "–" : counted(row[column[name]]))));
  });
  const body = make("tbody", null, rows);
  const title = (name, words, properties) => sortTitle(words, properties, (backward) => {
    const places = sorted([...rows.keys()], (place) => figure.rows[place][column[name === "effective_length" ? "effective_tokens" : name]], backward);
    body.replaceChildren(...places.map((place) => rows[place]));
  });
  const head = make("tr", null,
    title("run", "Run", { class: "words" }),
    title("accuracy", "Accuracy", { class: "number" }),
    make("th", { scope: "col", class: "scale" }, make("span", null, "0"), make("span", null, `${percent(data.level)} interval`), make("span", null, "100%")),
    columns.map(([name, words, tip]) => title(name, words, { class: "number", "data-tip": tip })),
    counts.map((name) => title(name, figure.columns[column[name]][1], { class: "number counts" })));
  const table = make("table", { class: "headline" }, make("caption", { class: "visually-hidden" }, figure.note), make("thead", null, head), body);
  return make("figure", { id: "figure-headline" }, table,
    make("figcaption", null, make("p", { class: "note" }, figure.note,
      data.baselines.length ? " Dashed marks are baselines that do not read the context." : ""),
      toolbar(figure, () => draw(figure.drawings.wide))));
}

const MAX_ROWS = 6;

// Patterns or causes by run, with a bar in each cell; a click shows the items.
function matrixView(section, data, explorer) {
  const [figure, ...others] = section.figures;
  const column = Object.fromEntries(figure.columns.map(([name], place) => [name, place]));
  const kind = { causes: "cause", "failure-stages": "stage" }[figure.id] || "pattern";
  const names = [...new Set(figure.rows.map((row) => row[column[kind]]))];
  const found = new Map(figure.rows.map((row) => [`${row[column.run]}\n${row[column[kind]]}`, row]));
  const most = Math.max(1, ...figure.rows.map((row) => row[column.count]));
  const runs = data.runs.map(([name], run) => [name, run]).filter(([name]) => figure.rows.some((row) => row[column.run] === name));
  const rows = names.map((name) => {
    const what = figure.rows.find((row) => row[column[kind]] === name)[column.description];
    return make("tr", null,
      make("th", { scope: "row", class: "words" }, make("span", null, name), make("span", { class: "under" }, what)),
      runs.map(([run, number]) => {
        const row = found.get(`${run}\n${name}`);
        if (!row) return make("td", { class: "field empty", "data-run": String(number) }, "·");
        const bar = make("i", { class: `bar s${number % 10}` });
        bar.style.width = `${(100 * row[column.count]) / most}%`;
        const tip = kind === "cause"
          ? `${run}: most likely cause of ${counted(row[column.count])}, only explanation of ${counted(row[column.unambiguous])}; ${row[column.rate] === null ? "too few questions for a rate" : `occurrence rate ${percent(row[column.rate], 1)} (${percent(row[column.rate_low], 1)} to ${percent(row[column.rate_high], 1)})`}`
          : `${run}: ${plural(row[column.count], "response")}, ${percent(row[column.share], 1)} of all, ${percent(row[column.share_of_errors], 1)} of errors`;
        const share = kind !== "cause" ? percent(row[column.share_of_errors]) : row[column.rate] === null ? "" : `rate ${percent(row[column.rate])}`;
        return make("td", { class: "field", "data-run": String(number) }, button([make("span", null, counted(row[column.count])), make("span", { class: "under" }, share), bar],
        () => explorer.show({ run: number, [kind]: name }), { "data-tip": tip, "aria-label": `${tip}. Show the items` }));
      }));
  });
  const table = make("table", { class: runs.length > 6 ? "matrix many" : "matrix" }, make("caption", { class: "visually-hidden" }, figure.note),
    make("thead", null, make("tr", null, make("th", { scope: "col", class: "words" }, { cause: "Cause", stage: "Stage", pattern: "Pattern" }[kind]),
      runs.map(([name, number]) => make("th", { scope: "col", class: "words", "data-run": String(number) }, dot(number), name)))),
    make("tbody", null, rows.slice(0, MAX_ROWS)));
  const more = rows.length > MAX_ROWS && button(`All ${rows.length}`, () => {
    table.tBodies[0].append(...rows.slice(MAX_ROWS));
    more.remove();
  }, { class: "quiet-button" });
  const under = kind === "cause"
    ? "The number of answers with this cause, and its occurrence rate (not a share of that number)."
    : "Number of responses, and below it the share of the run's errors.";
  return [make("figure", { id: `figure-${figure.id}` }, make("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": `${figure.title}: table` }, table), more,
    make("figcaption", null, make("p", { class: "note" }, `${under} ${figure.note} Click a number to see its items.`),
      toolbar(figure, () => draw(figure.drawings.wide)))), others.map((one) => figureOf(one))];
}

function choiceView(section, data) {
  const place = make("div");
  const withLegend = ["breakdowns", "cost", "recall"].includes(section.id);
  const show = (number) => put(place, figureOf(section.figures[number], withLegend ? legendOf(data.runs, section.figures[number]) : null));
  show(0);
  const labels = { breakdowns: "By", cost: "Cost", comparisons: "View", recall: "View" };
  const control = choose(labels[section.id] || "Run", section.figures.map((figure, number) => [number, figure.title]), 0,
    (value) => show(Number(value)), { id: `choose-${section.id}` });
  return [make("div", { class: "controls" }, section.figures.length > 1 && control), place];
}

function sectionOf(section, data, explorer) {
  const views = {
    headline: () => headlineView(section, data),
    matrix: () => matrixView(section, data, explorer),
    choice: () => choiceView(section, data),
    heat: () => heatView(section, data, explorer),
    pivot: () => pivotView(data, explorer),
    figures: () => {
      const many = ["lengths", "steps", "measures"].includes(section.id);
      return section.figures.map((figure, place) => figureOf(figure, many && place === 0 ? legendOf(data.runs, figure) : null));
    },
  };
  return make("section", { id: section.id, "aria-labelledby": `title-${section.id}` },
    make("h2", { id: `title-${section.id}` }, section.title),
    section.introduction && make("p", { class: "introduction" }, section.introduction),
    views[section.view]());
}

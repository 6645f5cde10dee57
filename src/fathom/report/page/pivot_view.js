// The controls and the drawing of tables on demand.

function pivotWords(field, measure) {
  if (field.value === null) return "–";
  return measure.kind === "share" ? percent(field.value, 1) : shown(field.value, measure.kind);
}

function pivotTip(field, measure, labels) {
  const interval = field.low === null ? "" : ` (${shown(field.low, measure.kind)} to ${shown(field.high, measure.kind)})`;
  const lacking = field.comparable ? "" : "; lacks questions that other runs are asked";
  return `${labels.join(", ")}: ${pivotWords(field, measure)}${interval}, ${plural(field.questions, "question")}, ${plural(field.contexts, "context")}, ${plural(field.runs.size, "run")}${lacking}`;
}

// Headings with equal neighbors joined; `all` are the labels of every column or row.
function spans(all, level) {
  const found = [];
  all.forEach((labels, at) => {
    const key = JSON.stringify(labels.slice(0, level + 1));
    const last = found[found.length - 1];
    if (last && last.key === key) last.count += 1;
    else found.push({ key, label: labels[level], count: 1, at });
  });
  return found;
}

function pivotCell(table, row, column, state, explorer) {
  const codes = [...table.rows[row], ...table.columns[column]];
  const field = table.fields.get(codes.join());
  if (!field) return make("td", { class: "none" });
  const { measure } = table;
  const labels = [...table.rowLabels[row], ...table.columnLabels[column]];
  const tip = pivotTip(field, measure, labels);
  const tone = measure.share && field.value !== null ? `h${Math.round(field.value * 8)}` : "";
  const inside = [make("span", { class: "value" }, pivotWords(field, measure), field.comparable ? "" : "*"),
    make("span", { class: "small" }, field.low === null ? "" : `${shown(field.low, measure.kind).replace("%", "")}–${shown(field.high, measure.kind).replace("%", "")}`),
    make("span", { class: "small" }, measure.counts ? "" : `n ${counted(field.n)}`)];
  // The items of a cell can be listed if it is of one run.
  if (field.runs.size !== 1) return make("td", { class: tone, "data-tip": tip, tabindex: "0" }, inside);
  const chosen = { run: [...field.runs][0], tags: {} };
  table.axes.forEach(({ name, level, values }, at) => {
    if (codes[at] === values.length) return;
    if (level === "question") chosen.tags[name] = values[codes[at]];
    else if (level === "response") chosen[name] = name === "outcome" ? Object.keys(SIGNS)[codes[at]] : values[codes[at]];
  });
  for (const [name, value, sign] of state.filters) {
    if (sign === "=" && table.properties.get(name).level === "question") chosen.tags[name] = value;
  }
  return make("td", { class: tone }, button(inside, () => explorer.show(chosen), { "data-tip": tip, "aria-label": `${tip}. Show the items` }));
}

function pivotDrawing(table, state, explorer, title) {
  const depth = state.rows.length;
  const heads = state.columns.map((name, level) => make("tr", null,
    state.rows.map((row) => (level === state.columns.length - 1 ? make("th", { scope: "col", class: "words" }, row) : make("td"))),
    spans(table.columnLabels, level).map(({ label, count }) => make("th", { scope: count > 1 ? "colgroup" : "col", colspan: count > 1 ? count : null, class: "number" }, label))));
  if (!state.columns.length) heads.push(make("tr", null, state.rows.map((row) => make("th", { scope: "col", class: "words" }, row)), make("th", { scope: "col", class: "number" }, state.measure)));
  const starts = Array.from({ length: depth }, (_, level) => new Map(spans(table.rowLabels, level).map((span) => [span.at, span])));
  const rows = table.rowLabels.map((labels, row) => make("tr", null,
    labels.map((label, level) => {
      const span = starts[level].get(row);
      return span && make("th", { scope: span.count > 1 ? "rowgroup" : "row", rowspan: span.count > 1 ? span.count : null, class: "words" }, label);
    }),
    table.columnLabels.map((_, column) => pivotCell(table, row, column, state, explorer))));
  return make("table", { class: "pivot heat" }, make("caption", { class: "visually-hidden" }, title), make("thead", null, heads), make("tbody", null, rows));
}

// The figure of a table, for downloads: one line for each cell.
function pivotFigure(table, state, title) {
  const names = [...state.rows, ...state.columns];
  const { kind } = table.measure;
  return {
    id: "table", title, note: table.notes.join(" "),
    columns: [...names.map((name) => [name, name, "text"]), ["value", state.measure, kind], ["low", "low", kind], ["high", "high", kind],
      ["n", "n", "count"], ["questions", "Questions", "count"], ["contexts", "Contexts", "count"], ["runs", "Runs", "count"], ["comparable", "Comparable", "yes"]],
    rows: table.rows.flatMap((row, at) => table.columns.map((column, beside) => {
      const field = table.fields.get([...row, ...column].join());
      return field && [...table.rowLabels[at], ...table.columnLabels[beside], field.value, field.low, field.high, field.n, field.questions, field.contexts, field.runs.size, field.comparable];
    }).filter(Boolean)),
  };
}

// The table that is shown first: models or runs by length, by system where there are several.
function firstTable(data, properties) {
  const several = (name) => properties.has(name) && properties.get(name).values.length > 1;
  const rows = several("model") ? ["model", "system"].filter(several) : ["run"];
  const columns = ["length"].filter(several);
  return { rows, columns: columns.length ? columns : [...properties.values()].filter((one) => one.level === "question" && one.values.length > 1 && one.values.length < 12).slice(0, 1).map((one) => one.name), measure: "accuracy", macro: "", total: "", filters: [] };
}

function pivotView(data, explorer) {
  const properties = pivotProperties(data);
  const measures = pivotMeasures(data);
  const state = firstTable(data, properties);
  const [controls, place] = [make("div", { class: "controls" }), make("div")];
  const names = [...properties.keys()];
  const isResponse = (name) => properties.get(name).level === "response";
  const filter = { name: names.find((name) => properties.get(name).level === "question") || names[0], sign: "=", value: "" };

  const show = (focus) => {
    const shares = [...state.rows, ...state.columns].some(isResponse);
    if (measures.get(state.measure).shares && !shares) state.measure = "accuracy";
    if (![...state.rows, ...state.columns].includes(state.total)) state.total = "";
    drawControls(shares);
    const table = { ...pivotTable(data, properties, measures, state), properties };
    const title = `${state.measure} by ${[...state.rows, ...state.columns].join(", ")}`;
    const fits = table.columns.length <= MAX_COLUMNS && table.rows.length;
    const problem = table.rows.length ? `${counted(table.columns.length)} columns are too many. Choose other columns.` : "No response meets these conditions.";
    put(place, make("figure", { id: "figure-table" }, fits
      ? make("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": title }, pivotDrawing(table, state, explorer, title))
      : make("p", { class: "note" }, problem),
    make("figcaption", null, make("p", { class: "note" }, ["The first response to each question, with 95% intervals clustered by context.", ...table.notes].join(" ")),
      fits && toolbar(pivotFigure(table, state, title)))));
    announce(`${title}: ${plural(table.rows.length, "row")}, ${plural(table.columns.length, "column")}`);
    if (focus && document.getElementById(focus)) document.getElementById(focus).focus();
  };

  const axis = (label, list, at, id) => {
    const taken = [...state.rows, ...state.columns];
    const options = names.filter((name) => name === list[at] || !taken.includes(name)).map((name) => [name, name]);
    const none = list === state.columns || at > 0;
    return choose(label, none ? [["", "–"], ...options] : options, list[at] || "", (value) => {
      if (value) list[at] = value;
      else list.splice(at);
      const responses = [...state.rows, ...state.columns].some(isResponse);
      if (responses) state.measure = "share of responses";
      show(id);
    }, { id });
  };

  const drawControls = (shares) => {
    const known = [...measures.keys()].filter((name) => shares || !measures.get(name).shares).map((name) => [name, name]);
    const averages = names.filter((name) => !isResponse(name)).map((name) => [name, `macro over ${name}`]);
    const { values } = properties.get(filter.name);
    if (!filter.value || !values.includes(filter.value)) [filter.value] = values.filter((value) => value !== "");
    put(controls,
      axis("Rows", state.rows, 0, "pivot-rows"), axis("within", state.rows, 1, "pivot-rows-2"),
      axis("Columns", state.columns, 0, "pivot-columns"), state.columns.length > 0 && axis("within", state.columns, 1, "pivot-columns-2"),
      choose("Measure", known, state.measure, (value) => {
        state.measure = value;
        show("pivot-measure");
      }, { id: "pivot-measure" }),
      choose("Average", [["", "micro over questions"], ...averages], state.macro, (value) => {
        state.macro = value;
        show("pivot-macro");
      }, { id: "pivot-macro" }),
      choose("Total", [["", "none"], ...[...state.rows, ...state.columns].filter((name) => !isResponse(name)).map((name) => [name, `over all values of ${name}`])], state.total, (value) => {
        state.total = value;
        show("pivot-total");
      }, { id: "pivot-total" }),
      choose("Only where", names.map((name) => [name, name]), filter.name, (value) => {
        filter.name = value;
        show("pivot-where");
      }, { id: "pivot-where" }),
      choose("is", [["=", "="], ["!=", "≠"]], filter.sign, (value) => {
        filter.sign = value;
      }, { id: "pivot-sign" }),
      choose("value", values.filter((value) => value !== "").map((value) => [value, value]), filter.value, (value) => {
        filter.value = value;
      }, { id: "pivot-value" }),
      button("Add condition", () => {
        state.filters.push([filter.name, filter.value, filter.sign]);
        show("pivot-add");
      }, { id: "pivot-add", class: "quiet-button framed" }),
      state.filters.map(([name, value, sign], at) => button(`${name} ${sign === "=" ? "=" : "≠"} ${value} ✕`, () => {
        state.filters.splice(at, 1);
        show("pivot-add");
      }, { class: "chip", "aria-label": `Remove the condition ${name} ${sign} ${value}` })));
  };
  show();
  return [controls, place];
}

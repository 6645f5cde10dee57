// Heat maps of any two tags, counted from the items.

function heatTags(items) {
  return items.tags.filter(([, values]) => values.length > 1 && values.length <= 40);
}

function counts(items, run, rows, columns) {
  const found = new Map();
  const outcome = items.runs[run].outcome;
  for (let item = 0; item < items.count; item += 1) {
    if (outcome[item] === "-") continue;
    const place = rows[2][item] * 1000 + columns[2][item];
    const one = found.get(place) || [0, 0];
    one[0] += 1;
    if (outcome[item] === "c") one[1] += 1;
    found.set(place, one);
  }
  return found;
}

function heatFigure(items, runs, state) {
  const rows = items.tags.find(([name]) => name === state.rows);
  const columns = items.tags.find(([name]) => name === state.columns);
  const found = counts(items, state.run, rows, columns);
  const other = state.other >= 0 ? counts(items, state.other, rows, columns) : null;
  const fields = [];
  // Values are listed in their own order: easy, medium, hard; 64K before 512K. Those of other benches are left out.
  const asked = (values, place) => [...values.keys()].filter((value) => [...found.keys()].some((one) => place(one) === value));
  const down = asked(rows[1], (one) => Math.floor(one / 1000));
  const along = asked(columns[1], (one) => one % 1000);
  down.forEach((from, at) => along.forEach((to, beside) => {
    const [row, column] = [rows[1][from], columns[1][to]];
    const one = found.get(from * 1000 + to);
    const two = other && other.get(from * 1000 + to);
    if (!one || (other && !two)) return;
    fields.push({ at, beside, row, column, asked: one[0], accuracy: one[1] / one[0], other: two ? two[1] / two[0] : null });
  }));
  const name = runs[state.run][0] + (other ? ` minus ${runs[state.other][0]}` : "");
  return {
    rows: down.map((place) => rows[1][place]), columns: along.map((place) => columns[1][place]), fields,
    figure: {
      id: "heat", title: `${name}: ${state.rows} by ${state.columns}`, note: "Accuracy of the first response to each question.",
      columns: [["row", state.rows, "text"], ["column", state.columns, "text"], ["accuracy", "Accuracy", "share"],
        ["other_accuracy", "Other accuracy", "share"], ["questions", "Questions", "count"]],
      rows: fields.map((one) => [one.row, one.column, one.accuracy, one.other, one.asked]),
    },
  };
}

function shade(one) {
  if (one.other === null) return `h${Math.round(one.accuracy * 8)}`;
  const difference = one.accuracy - one.other;
  const step = Math.min(4, Math.round(Math.abs(difference) * 8));
  return step === 0 ? "d0" : `${difference > 0 ? "up" : "down"}${step}`;
}

function heatWords(one) {
  return one.other === null ? (one.accuracy * 100).toFixed(0) : shown(one.accuracy - one.other, "difference").replace(/\.\d$/, "");
}

function heatTip(one) {
  const tip = `${one.row}, ${one.column}: ${percent(one.accuracy)} of ${plural(one.asked, "question")} correct`;
  return one.other === null ? tip : `${tip}, other run ${percent(one.other)}`;
}

function heatDrawing(made) {
  const left = 190;
  const each = Math.max(44, Math.min(120, 680 / made.columns.length));
  const children = made.columns.map((column, at) => ["text", { x: 0, y: 0, class: "tick",
    transform: `translate(${left + (at + 0.5) * each} 66) rotate(-24)` }, [column]]);
  made.rows.forEach((row, at) => children.push(["text", { x: left - 8, y: 94 + at * 30, class: "label", "text-anchor": "end" }, [row.slice(0, 30)]]));
  for (const one of made.fields) {
    const dark = /h[5-8]|up[34]|down[34]/.test(shade(one));
    children.push(["rect", { x: left + one.beside * each + 1, y: 75 + one.at * 30, width: each - 2, height: 28, class: shade(one), "data-tip": heatTip(one) }, []]);
    children.push(["text", { x: left + (one.beside + 0.5) * each, y: 93 + one.at * 30, class: dark ? "label dark" : "label", "text-anchor": "middle" }, [heatWords(one)]]);
  }
  const width = left + made.columns.length * each + 60;
  return draw(["svg", { viewBox: `0 0 ${width} ${84 + made.rows.length * 30}`, class: "drawing", role: "group", "aria-label": made.figure.title }, children]);
}

function heatTable(made, state, explorer) {
  const fields = new Map(made.fields.map((one) => [one.at * 1000 + one.beside, one]));
  const rows = made.rows.map((row, at) => make("tr", null, make("th", { scope: "row", class: "words" }, row || "(none)"),
    made.columns.map((column, beside) => {
      const one = fields.get(at * 1000 + beside);
      if (!one) return make("td", { class: "none" });
      return make("td", { class: `${shade(one)} ${one.asked < 10 ? "few" : ""}` }, button(heatWords(one),
        () => explorer.show({ run: state.run, tags: { [state.rows]: row, [state.columns]: column } }),
        { "data-tip": heatTip(one), "aria-label": `${heatTip(one)}. Show the items` }));
    })));
  return make("table", { class: "heat" }, make("caption", { class: "visually-hidden" }, made.figure.title),
    make("thead", null, make("tr", null, make("td"), made.columns.map((column) => make("th", { scope: "col" }, make("span", null, column || "(none)"))))),
    make("tbody", null, rows));
}

// The tags with several values among the questions of a run: runs of other benches have other tags.
function variedTags(items, tags, run) {
  const { outcome } = items.runs[run];
  return tags.filter(([, , values]) => new Set(values.filter((_, item) => outcome[item] !== "-")).size > 1);
}

// The run that is shown first: its accuracy is closest to 60%, so that the map has contrast.
function initialRun(items) {
  const far = items.runs.map(({ outcome }) => {
    const asked = [...outcome].filter((sign) => sign !== "-");
    return Math.abs(asked.filter((sign) => sign === "c").length / Math.max(1, asked.length) - 0.6);
  });
  return far.indexOf(Math.min(...far));
}

function heatView(section, data, explorer) {
  const items = data.items;
  const tags = heatTags(items);
  if (tags.length < 2) return section.figures.slice(0, 1).map((figure) => figureOf(figure));
  const state = { rows: tags[0][0], columns: tags[1][0], run: initialRun(items), other: -1 };
  const suitRun = () => {
    const varied = variedTags(items, tags, state.run).map(([name]) => name);
    if (varied.length < 2 || (varied.includes(state.rows) && varied.includes(state.columns))) return;
    [state.rows, state.columns] = varied;
  };
  suitRun();
  const place = make("div");
  const show = () => {
    const made = heatFigure(items, data.runs, state);
    put(place, make("figure", { id: "figure-heat" },
      make("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": made.figure.title }, heatTable(made, state, explorer)),
      make("figcaption", null, make("p", { class: "note" }, state.other < 0
        ? "Accuracy of the first response in percent; small numbers are based on fewer than ten questions. Click a cell to see its items."
        : "Difference in percentage points: the first run is ahead (blue) or behind (orange)."),
      toolbar(made.figure, () => heatDrawing(made)))));
  };
  const options = tags.map(([name]) => [name, name]);
  const set = (name, number) => (value) => {
    state[name] = number ? Number(value) : value;
    if (name === "run") {
      suitRun();
      for (const tag of ["rows", "columns"]) document.getElementById(`heat-${tag}`).value = state[tag];
    }
    show();
  };
  const controls = make("div", { class: "controls" },
    choose("Rows", options, state.rows, set("rows"), { id: "heat-rows" }),
    choose("Columns", options, state.columns, set("columns"), { id: "heat-columns" }),
    choose("Run", data.runs.map(([name], run) => [run, name]), state.run, set("run", true), { id: "heat-run" }),
    data.runs.length > 1 && choose("Minus", [[-1, "nothing"], ...data.runs.map(([name], run) => [run, name])], -1, set("other", true), { id: "heat-other" }));
  show();
  return [controls, place];
}

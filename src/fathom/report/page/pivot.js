// Tables on demand: the first response to each question, by any properties. As `fathom table`.

const SIGNS = { c: "correct", i: "incorrect", u: "unparseable", f: "refused", o: "overflow", x: "error", j: "unjudged", ".": "unanswered" };
const MAX_COLUMNS = 60;

// Every property with its values and a function that gives the numbers of the values of a run's response to an item.
function pivotProperties(data) {
  const { items } = data;
  const found = new Map();
  for (const [name, each] of data.properties) {
    const values = [...new Set(each)];
    const numbers = each.map((value) => [values.indexOf(value)]);
    found.set(name, { name, level: "run", values, of: (run) => numbers[run] });
  }
  for (const [name, values, column] of items.tags) {
    if (found.has(name)) continue;
    const numbers = values.map((value, number) => (value === "" ? [] : [number]));
    found.set(name, { name, level: "question", values, of: (run, item) => numbers[column[item]] });
  }
  const signs = Object.keys(SIGNS);
  found.set("outcome", { name: "outcome", level: "response", values: Object.values(SIGNS), of: (run, item) => [signs.indexOf(items.runs[run].outcome[item])] });
  const patterns = items.runs.map((run) => new Map(run.patterns.map(([item, ...names]) => [item, names])));
  found.set("pattern", { name: "pattern", level: "response", values: items.patterns, of: (run, item) => patterns[run].get(item) || [] });
  for (const [name, values] of [["cause", items.causes], ["stage", items.stages]]) {
    if (!values.length) continue;
    found.set(name, { name, level: "response", values, of: (run, item) => (items.runs[run][name][item] >= 0 ? [items.runs[run][name][item]] : []) });
  }
  for (const [name, { values }] of found) if (!values.some((value) => value !== "")) found.delete(name);
  return found;
}

// Measures by name: the value of a run's response to an item, null if it has none.
function pivotMeasures(data) {
  const { runs } = data.items;
  const has = (name) => runs.some((run) => run[name] && run[name].some((value) => value !== null));
  const cost = (name, scale) => (run, item) => (runs[run][name] && runs[run][name][item] !== null ? runs[run][name][item] / scale : null);
  const sent = (run, item) => !"o.".includes(runs[run].outcome[item]);
  const outcome = (sign) => (run, item) => (runs[run].outcome[item] === sign ? 1 : 0);
  const measures = [
    { name: "accuracy", kind: "share", share: true, binary: true, of: outcome("c") },
    { name: "partial credit", kind: "share", share: true, of: (run, item) => runs[run].score[item] / 100 },
    { name: "share of responses", kind: "share", share: true, binary: true, shares: true, of: () => 1 },
    { name: "questions", kind: "count", counts: true, of: () => 1 },
    has("tokens") && { name: "tokens", kind: "count", of: cost("tokens", 1) },
    has("seconds") && { name: "seconds", kind: "number", of: cost("seconds", 1e3) },
    has("dollars") && { name: "dollars", kind: "money", of: cost("dollars", 1e6), unknown: (run, item) => sent(run, item) && runs[run].dollars[item] === null },
    ...Object.entries(SIGNS).filter(([sign]) => sign !== "c" && runs.some((run) => run.outcome.includes(sign)))
      .map(([sign, name]) => ({ name: `share ${name}`, kind: "share", share: true, binary: true, of: outcome(sign) })),
  ];
  return new Map(measures.filter(Boolean).map((one) => [one.name, one]));
}

const product = (lists) => lists.reduce((made, list) => made.flatMap((one) => list.map((value) => [...one, value])), [[]]);

// The cells of a table: for each combination of values the sums by context, the questions and the runs.
function pivotCells(data, properties, measures, state) {
  const { items } = data;
  const axes = [...state.rows, ...state.columns].map((name) => properties.get(name));
  const byResponse = axes.map((axis) => axis.level === "response");
  // A total is one more value of its property: every response that has one of the others.
  const totals = axes.map((axis, at) => axis.name === state.total && !byResponse[at]);
  const macro = state.macro ? properties.get(state.macro) : null;
  const filters = state.filters.map(([name, value, sign]) => {
    const one = properties.get(name);
    return { of: one.of, wanted: one.values.indexOf(value), same: sign === "=" };
  });
  const measure = measures.get(state.measure);
  const cells = new Map();
  const bases = new Map();
  const selected = { lost: 0, missing: 0 };
  const cellAt = (found, key, codes) => {
    if (!found.has(key)) found.set(key, { codes, groups: new Map(), n: 0, items: new Set(), runs: new Set(), unknown: false });
    return found.get(key);
  };
  const add = (cell, run, item, value) => {
    cell.items.add(item);
    cell.runs.add(run);
    if (measure.unknown && measure.unknown(run, item)) cell.unknown = true;
    if (value === null) return;
    cell.n += 1;
    for (const group of macro ? macro.of(run, item) : [0]) {
      if (!cell.groups.has(group)) cell.groups.set(group, new Map());
      const sums = cell.groups.get(group);
      const one = sums.get(items.context[item]) || [0, 0];
      one[0] += value;
      one[1] += 1;
      sums.set(items.context[item], one);
    }
  };
  for (let run = 0; run < items.runs.length; run += 1) {
    const { outcome } = items.runs[run];
    for (let item = 0; item < items.count; item += 1) {
      if (outcome[item] === "-") continue;
      if (!filters.every(({ of, wanted, same }) => of(run, item).includes(wanted) === same)) continue;
      if ("x.".includes(outcome[item])) selected.missing += 1;
      const codes = axes.map((axis, at) => {
        const own = axis.of(run, item);
        return totals[at] && own.length ? [...own, axis.values.length] : own;
      });
      if (codes.some((some, at) => !byResponse[at] && !some.length)) {
        selected.lost += 1;
        continue;
      }
      const value = measure.of(run, item);
      for (const own of product(codes.filter((_, at) => !byResponse[at]))) add(cellAt(bases, own.join(), own), run, item, value);
      for (const own of product(codes)) add(cellAt(cells, own.join(), own), run, item, value);
    }
  }
  return { axes, byResponse, measure, macro, cells, bases, selected };
}

// A share may be zero: a cell for every value that occurs, and the responses that it refers to.
function withShares(made) {
  const { cells, bases, byResponse } = made;
  const others = new Map([...cells.values()].map(({ codes }) => codes.filter((_, at) => byResponse[at])).map((codes) => [codes.join(), codes]));
  const shares = new Map();
  for (const base of bases.values()) {
    for (const other of others.values()) {
      const [own, rest] = [[...base.codes], [...other]];
      const codes = byResponse.map((is) => (is ? rest.shift() : own.shift()));
      const inside = cells.get(codes.join());
      const groups = new Map([...base.groups].map(([group, sums]) => [group, new Map([...sums].map(([context, [, count]]) => {
        const sum = inside && inside.groups.get(group) && inside.groups.get(group).get(context);
        return [context, [sum ? sum[1] : 0, count]];
      }))]));
      shares.set(codes.join(), { ...base, codes, groups });
    }
  }
  return shares;
}

function pivotValue(cell, made, grid) {
  const { measure, macro } = made;
  if (measure.counts) return { value: cell.items.size, low: null, high: null };
  if (cell.unknown || !cell.n) return { value: null, low: null, high: null };
  if (macro) return macroOf(cell.groups, { share: measure.share, grid });
  return estimateOf([...cell.groups.get(0).values()], { share: measure.share, binary: measure.binary, grid });
}

// Whether a cell has every question that other runs have in cells with the same properties of questions.
function markComparable(made) {
  const { axes, bases, byResponse } = made;
  const own = axes.filter((_, at) => !byResponse[at]);
  const key = (base) => base.codes.filter((_, at) => own[at].level === "question").join();
  const every = new Map();
  for (const base of bases.values()) {
    const all = every.get(key(base)) || new Set();
    for (const item of base.items) all.add(item);
    every.set(key(base), all);
  }
  const comparable = new Map([...bases].map(([name, base]) => [name, base.items.size === every.get(key(base)).size]));
  return (cell) => comparable.get(cell.codes.filter((_, at) => !byResponse[at]).join());
}

function inOrder(lists) {
  const unique = new Map(lists.map((one) => [one.join(), one]));
  return [...unique.values()].sort((one, two) => one.reduce((found, value, at) => found || value - two[at], 0));
}

// The table as it is shown: labels of rows and columns in order, and the cells.
function pivotTable(data, properties, measures, state) {
  const made = pivotCells(data, properties, measures, state);
  const cells = made.measure.shares ? withShares(made) : made.cells;
  const comparable = markComparable(made);
  const count = state.rows.length;
  const rows = inOrder([...cells.values()].map(({ codes }) => codes.slice(0, count)));
  const columns = inOrder([...cells.values()].map(({ codes }) => codes.slice(count)));
  const label = (codes, from) => codes.map((code, at) => made.axes[from + at].values[code] ?? "all");
  const fields = new Map([...cells].map(([key, cell]) => [key, {
    ...pivotValue(cell, made, data.t), n: cell.n, questions: cell.items.size, contexts: contextsOf(cell), runs: cell.runs, comparable: comparable(cell),
  }]));
  return {
    ...made, rows, columns, fields, measure: made.measure,
    rowLabels: rows.map((codes) => label(codes, 0)), columnLabels: columns.map((codes) => label(codes, count)),
    notes: pivotNotes(data, made, fields, state),
  };
}

function contextsOf(cell) {
  return new Set([...cell.groups.values()].flatMap((sums) => [...sums.keys()])).size;
}

function pivotNotes(data, made, fields, state) {
  const all = [...fields.values()];
  const notes = [];
  const unlike = all.filter((field) => !field.comparable).length;
  if (unlike) notes.push(`${plural(unlike, "cell")} (*) of ${counted(all.length)} lack questions that other runs are asked, so they are not comparable with the others.`);
  if (made.selected.lost) notes.push(`${plural(made.selected.lost, "response")} without a value of these properties left out.`);
  const named = new Set([...state.rows, ...state.columns, state.macro]);
  if (!named.has("run") && all.some((field) => field.runs.size > 1)) {
    const differing = data.properties.filter(([name, each]) => name !== "run" && !named.has(name)
      && all.some((field) => new Set([...field.runs].map((run) => each[run])).size > 1)).map(([name]) => name);
    notes.push(`Some cells average over several runs${differing.length ? `, which differ in ${differing.join(", ")}` : ""}.`);
  }
  if (made.selected.missing) notes.push(`${plural(made.selected.missing, "response")} missing (failed or not asked yet); they are not correct.`);
  if (made.measure.unknown && all.some((field) => field.value === null)) notes.push("Cells with a dash have no known price.");
  return notes;
}

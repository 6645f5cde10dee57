// The view in the page's address, such as "#explorer?run=careful&outcome=incorrect": a link shows the same view.

function readAddress() {
  const [place, ...query] = location.hash.slice(1).split("?");
  return { place, query: new URLSearchParams(query.join("?")) };
}

function writeAddress(place, query) {
  const words = query.toString();
  history.replaceState(null, "", `#${place}${words ? `?${words}` : ""}`);
}

const OUTCOME_WORDS = () => new Map([...OUTCOMES, ...ACROSS].map(([sign, name]) => [name, sign]));

// The filter that a query describes. What the page does not have is left out.
function filterOf(query, data) {
  const chosen = noFilter();
  const numbered = (rows, name) => rows.findIndex(([one]) => one === name);
  if (query.has("run")) chosen.run = numbered(data.runs, query.get("run"));
  if (query.has("bench") && data.items.bench) chosen.bench = numbered(data.benches, query.get("bench"));
  chosen.outcome = OUTCOME_WORDS().get(query.get("outcome")) || "";
  for (const [name, known] of [["pattern", data.items.patterns], ["cause", data.items.causes], ["stage", data.items.stages]]) {
    if (known.includes(query.get(name))) chosen[name] = query.get(name);
  }
  for (const [name, values] of data.items.tags) {
    const value = query.get(`tag.${name}`);
    if (values.includes(value)) chosen.tags[name] = value;
  }
  chosen.words = query.get("words") || "";
  return chosen;
}

function queryOf(chosen, hidden, data) {
  const query = new URLSearchParams();
  if (chosen.run >= 0) query.set("run", data.runs[chosen.run][0]);
  if (chosen.bench >= 0) query.set("bench", data.benches[chosen.bench][0]);
  for (const [name, sign] of OUTCOME_WORDS()) if (sign === chosen.outcome) query.set("outcome", name);
  for (const name of ["pattern", "cause", "stage", "words"]) if (chosen[name]) query.set(name, chosen[name]);
  for (const [name, value] of Object.entries(chosen.tags)) if (value !== undefined) query.set(`tag.${name}`, value);
  for (const run of hidden) query.append("hide", data.runs[run][0]);
  return query;
}

// Checkboxes of the runs. Everything about a run has its number in `data-run`, or among those of `data-runs`, so that a
// rule of the style sheet hides it.
class ShownRuns {
  constructor(runs, query) {
    this.runs = runs;
    this.hidden = new Set(query.getAll("hide").map((name) => runs.findIndex(([one]) => one === name)).filter((run) => run >= 0));
    this.changed = () => {};
    this.rules = 0;
    this.lay();
  }

  numbers() {
    return this.runs.map((_, run) => run).filter((run) => !this.hidden.has(run));
  }

  lay() {
    const [style] = document.styleSheets;
    for (; this.rules > 0; this.rules -= 1) style.deleteRule(style.cssRules.length - 1);
    for (const run of this.hidden) style.insertRule(`[data-run="${run}"], [data-runs~="${run}"] { display: none !important; }`, style.cssRules.length);
    this.rules = this.hidden.size;
  }

  checkboxes() {
    if (this.runs.length < 2) return null;
    return make("fieldset", { class: "shown-runs" }, make("legend", { class: "visually-hidden" }, "Runs shown"), this.runs.map(([name], run) => {
      const box = make("input", { type: "checkbox", checked: !this.hidden.has(run), on: { change: () => {
        if (box.checked) this.hidden.delete(run);
        else this.hidden.add(run);
        this.lay();
        this.changed();
      } } });
      return make("label", null, box, dot(run), name);
    }));
  }
}

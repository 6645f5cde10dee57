// Filters of the item list.

const OUTCOMES = [
  ["c", "correct", "✓"], ["i", "incorrect", "✕"], ["u", "unparseable", "?"], ["f", "refused", "⊘"],
  ["o", "overflow", "↔"], ["x", "error", "!"], ["j", "unjudged", "…"], [".", "not asked yet", "·"],
];
const OUTCOME = Object.fromEntries(OUTCOMES.map(([sign, name, glyph]) => [sign, { name, glyph }]));
const ACROSS = [["all-correct", "correct in every run"], ["none-correct", "correct in no run"], ["differ", "runs differ"]];

function noFilter() {
  return { bench: -1, run: -1, outcome: "", pattern: "", cause: "", stage: "", tags: {}, words: "" };
}

class Filters {
  constructor(items) {
    this.items = items;
    this.patterns = items.runs.map((run) => new Map(run.patterns.map(([item, ...names]) => [item, names])));
  }

  // The numbers of the items that match, apart from the search words.
  matching(chosen, shown) {
    const { items } = this;
    const runs = chosen.run < 0 ? shown : [chosen.run];
    const pattern = items.patterns.indexOf(chosen.pattern);
    const cause = items.causes.indexOf(chosen.cause);
    const stage = items.stages.indexOf(chosen.stage);
    const tags = Object.entries(chosen.tags).filter(([, value]) => value !== undefined).map(([name, value]) => {
      const [, values, column] = items.tags.find(([tag]) => tag === name);
      return [values.indexOf(value), column];
    });
    const fits = (item) => {
      if (chosen.bench >= 0 && items.bench[item] !== chosen.bench) return false;
      for (const [value, column] of tags) if (column[item] !== value) return false;
      if (!this.outcomeFits(chosen.outcome, item, runs)) return false;
      if (!chosen.pattern && !chosen.cause && !chosen.stage) return chosen.run < 0 || items.runs[chosen.run].outcome[item] !== "-";
      // The same run must have the pattern, the cause, the stage and the outcome.
      return runs.some((run) => (!chosen.pattern || (this.patterns[run].get(item) || []).includes(pattern))
        && (!chosen.cause || items.runs[run].cause[item] === cause)
        && (!chosen.stage || items.runs[run].stage[item] === stage));
    };
    const found = [];
    for (let item = 0; item < items.count; item += 1) if (fits(item)) found.push(item);
    return found;
  }

  outcomeFits(outcome, item, runs) {
    if (!outcome) return true;
    const signs = runs.map((run) => this.items.runs[run].outcome[item]).filter((sign) => sign !== "-");
    if (outcome === "all-correct") return signs.length > 0 && signs.every((sign) => sign === "c");
    if (outcome === "none-correct") return signs.length > 0 && signs.every((sign) => sign !== "c");
    if (outcome === "differ") return signs.includes("c") && signs.some((sign) => sign !== "c");
    return signs.includes(outcome);
  }
}

// Searches questions, ids, programs, keys and responses for words, part by part.
async function search(words, candidates, parts, size, isCurrent, report) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  const byPart = new Map();
  for (const item of candidates) {
    const number = Math.floor(item / size);
    if (!byPart.has(number)) byPart.set(number, []);
    byPart.get(number).push(item);
  }
  let done = 0;
  for (const [number, items] of byPart) {
    const part = await parts.at(number);
    if (!isCurrent()) return null;
    for (const item of items) {
      const text = searchText(part, item - part.start);
      if (wanted.every((word) => text.includes(word))) found.push(item);
    }
    done += 1;
    report(done, byPart.size);
  }
  return found;
}

function searchText(part, place) {
  if (!part.texts) part.texts = [];
  if (part.texts[place] === undefined) {
    const [id, question, program, , key] = part.items[place];
    const responses = part.responses.map((run) => run[place].map((response) => response[1]).join("\n"));
    part.texts[place] = [id, question, part.words[program], key, ...responses].join("\n").toLowerCase();
  }
  return part.texts[place];
}

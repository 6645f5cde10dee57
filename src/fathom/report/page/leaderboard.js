// The leaderboard: for each bench its models by accuracy, then simulated models and controls.

const COUNTS = ["built", "fitted", "errors", "dropped", "retired"];

function leaderboardTable(figure, name) {
  const column = Object.fromEntries(figure.columns.map(([title], place) => [title, place]));
  const counts = COUNTS.filter((one) => !figure.columns[column[one]][3]);
  const rows = figure.rows.filter((row) => row[column.bench] === name);
  const priced = rows.some((row) => row[column.price]);
  const heads = ["Rank", "Model and system", "Accuracy", ...counts.map((one) => figure.columns[column[one]][1]), ...(priced ? ["$ per 1,000"] : [])];
  return make("table", { class: "leaderboard" }, make("caption", { class: "visually-hidden" }, `${name}: ${figure.note}`),
    make("thead", null, make("tr", null, heads.map((title, place) => make("th", { scope: "col", class: place === 1 ? "words" : "number" }, title)))),
    make("tbody", null, rows.map((row) => leaderboardRow((title) => row[column[title]], priced, counts))));
}

function leaderboardRow(value, priced, counts) {
  const kind = KINDS[value("kind")];
  const accuracy = value("accuracy");
  const bar = make("i", { class: "leaderboard-bar" });
  bar.style.width = `${(accuracy ?? 0) * 100}%`;
  const range = accuracy === null ? "" : `${percent(value("low"))} to ${percent(value("high"))}`;
  return make("tr", { class: kind ? "aside" : null },
    make("td", { class: "number rank" }, value("rank") === null ? "–" : String(value("rank"))),
    make("th", { scope: "row", class: "words" },
      make("span", { class: "run-title" }, value("model"), kind && make("span", { class: "control", "data-tip": kind }, value("kind"))),
      make("span", { class: "under" }, [value("system"), value("prompting"), value("notes")].filter(Boolean).join(" · "))),
    make("td", { class: "number leaderboard-field" }, make("span", { class: "leaderboard-value" }, accuracy === null ? "–" : percent(accuracy, 1)),
      make("span", { class: "under" }, range), bar),
    counts.map((name) => make("td", { class: "number", "data-name": name }, value(name) === null ? "–" : counted(value(name)))),
    priced && make("td", { class: "number" }, value("price") === null ? "–" : money(value("price") * 1000)));
}

function benchView(figure, [name, questions, contexts, documents, address, baseline], number) {
  const facts = `${plural(questions, "question")}, ${plural(contexts, "context")}, ${plural(documents, "document")}${baseline === null ? "" : `, best baseline ${percent(baseline)}`}`;
  return make("section", { class: "bench", id: `bench-${number + 1}` },
    make("h2", null, make("a", { href: address }, name)), make("p", { class: "introduction" }, [`${facts}. `, make("a", { href: address }, "Full report")]),
    make("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Leaderboard of ${name}` }, leaderboardTable(figure, name)));
}

async function start() {
  const place = document.getElementById("page");
  const data = await decoded(document.getElementById("data").textContent);
  const { figure } = data;
  put(place, make("header", { class: "top" }, make("span", { class: "mark-name" }, "Fathom"), make("div", { class: "top-tools" }, themeSwitch())),
    make("main", { id: "content", class: "whole", tabindex: "-1" },
      make("header", { class: "hero" }, make("p", { class: "eyebrow" }, `${plural(data.systems, "system")} on ${plural(data.benches.length, "bench", "benches")}`), make("h1", null, data.title)),
      data.benches.map((bench, number) => benchView(figure, bench, number)),
      make("figure", { id: "figure-leaderboard" }, make("figcaption", null, make("p", { class: "note" }, figure.note), toolbar(figure, () => draw(figure.drawings.wide)))),
      data.notes.length > 0 && make("section", { id: "notes" }, make("h2", null, "Notes"), make("ul", { class: "notes" }, data.notes.map((note) => make("li", null, note)))),
      make("p", { class: "under" }, `Made with Fathom ${data.fathom}. This page makes no network requests.`)));
  followPointer();
  document.documentElement.dataset.ready = "yes";
}

start();

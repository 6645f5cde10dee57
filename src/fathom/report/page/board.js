// The leaderboard: for each bench who answers, models before those that are none.

const FIVE = ["built", "fitted", "errors", "refused", "retired"];

function boardTable(figure, name) {
  const column = Object.fromEntries(figure.columns.map(([title], place) => [title, place]));
  const rows = figure.rows.filter((row) => row[column.bench] === name);
  const priced = rows.some((row) => row[column.price]);
  const heads = ["", "Model and system", "Right", ...FIVE, ...(priced ? ["$ per 1,000"] : [])];
  return make("table", { class: "board" }, make("caption", { class: "heard" }, `${name}: ${figure.note}`),
    make("thead", null, make("tr", null, heads.map((title, place) => make("th", { scope: "col", class: place === 1 ? "words" : "number" }, title)))),
    make("tbody", null, rows.map((row) => boardRow((title) => row[column[title]], priced))));
}

function boardRow(value, priced) {
  const kind = STANDINGS[value("standing")];
  const right = value("accuracy");
  const bar = make("i", { class: "board-bar" });
  bar.style.width = `${(right ?? 0) * 100}%`;
  const range = right === null ? "" : `${percent(value("low"))} to ${percent(value("high"))}`;
  return make("tr", { class: kind ? "aside" : null },
    make("td", { class: "number rank" }, value("rank") === null ? "·" : String(value("rank"))),
    make("th", { scope: "row", class: "words" },
      make("span", { class: "run-title" }, value("model"), kind && make("span", { class: "control", "data-tip": kind }, value("standing"))),
      make("span", { class: "under" }, [value("system"), value("prompting"), value("beside")].filter(Boolean).join(" · "))),
    make("td", { class: "number board-field" }, make("span", { class: "board-value" }, right === null ? "–" : percent(right, 1)),
      make("span", { class: "under" }, range), bar),
    FIVE.map((name) => make("td", { class: "number", "data-name": name }, value(name) === null ? "–" : counted(value(name)))),
    priced && make("td", { class: "number" }, value("price") === null ? "–" : money(value("price") * 1000)));
}

function benchView(figure, [name, questions, contexts, documents, address, floor], number) {
  const facts = `${some(questions, "question")}, ${some(contexts, "context")}, ${some(documents, "document")}${floor === null ? "" : `, highest floor ${percent(floor)}`}`;
  return make("section", { class: "bench", id: `bench-${number + 1}` },
    make("h2", null, make("a", { href: address }, name)), make("p", { class: "says" }, `${facts}. Its name leads to its own page, with every figure and every item.`),
    make("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Leaderboard of ${name}` }, boardTable(figure, name)));
}

async function start() {
  const place = document.getElementById("page");
  const data = await opened(document.getElementById("data").textContent);
  const { figure } = data;
  put(place, make("div", { class: "top" }, make("span", { class: "mark-name" }, "Fathom"), make("div", { class: "top-tools" }, themeSwitch())),
    make("main", { id: "content", class: "whole", tabindex: "-1" },
      make("header", { class: "hero" }, make("p", { class: "eyebrow" }, `${some(data.answerers, "answerer")} on ${data.benches.length === 1 ? "one bench" : `${data.benches.length} benches`}`), make("h1", null, data.title)),
      data.benches.map((bench, number) => benchView(figure, bench, number)),
      make("figure", { id: "figure-board" }, make("figcaption", null, make("p", { class: "note" }, figure.note), toolbar(figure, () => draw(figure.drawings.wide)))),
      data.notes.length > 0 && make("section", { id: "notes" }, make("h2", null, "Before you trust a figure"), make("ul", { class: "notes" }, data.notes.map((note) => make("li", null, note)))),
      make("p", { class: "under" }, `Made by Fathom ${data.fathom}. This page asks nothing of the network.`)));
  followPointer();
  document.documentElement.dataset.ready = "yes";
}

start();

// The leaderboard: who answers, against benches.

function boardView(data) {
  const { figure } = data;
  const fields = data.benches.map((bench, number) => 5 + number * 4);
  const places = figure.rows.map((row, number) => number);
  let by = 4;
  const body = make("tbody");
  const heads = [["Mean", 4], ...data.benches.map(([name], number) => [name, fields[number]])].map(([name, place]) => {
    const control = button(name, () => {
      by = place;
      fillBody();
    }, { class: "sort" });
    return [place, make("th", { scope: "col", class: "number" }, control)];
  });
  const cell = (row, place) => {
    const value = row[place];
    if (value === null) return make("td", { class: "number" }, "–");
    const bar = make("i", { class: "board-bar" });
    bar.style.width = `${value * 100}%`;
    const range = place === 4 ? `on ${row[3]} of ${data.benches.length}` : `${percent(row[place + 1])} to ${percent(row[place + 2])}`;
    return make("td", { class: "number board-field", "data-tip": range }, make("span", { class: "board-value" }, percent(value, 1)), make("span", { class: "under" }, range), bar);
  };
  function fillBody() {
    places.sort((one, two) => (figure.rows[two][by] ?? -1) - (figure.rows[one][by] ?? -1));
    for (const [place, head] of heads) head.setAttribute("aria-sort", place === by ? "descending" : "none");
    put(body, places.map((number, rank) => {
      const row = figure.rows[number];
      return make("tr", null, make("td", { class: "number rank" }, String(rank + 1)),
        make("th", { scope: "row", class: "words" }, make("span", { class: "run-title" }, row[0]), make("span", { class: "under" }, [row[1], row[2]].filter(Boolean).join(", "))),
        cell(row, 4), fields.map((place) => cell(row, place)));
    }));
  }
  fillBody();
  const table = make("table", { class: "board" }, make("caption", { class: "heard" }, figure.note),
    make("thead", null, make("tr", null, make("th"), make("th", { scope: "col", class: "words" }, "Model and system"), heads.map(([, head]) => head))), body);
  return make("figure", null, make("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Leaderboard" }, table),
    make("figcaption", null, make("p", { class: "note" }, figure.note), toolbar(figure)));
}

async function start() {
  const place = document.getElementById("page");
  const data = await opened(document.getElementById("data").textContent);
  const benches = make("ul", { class: "benches" }, data.benches.map(([name, questions, contexts, documents, address, floor]) =>
    make("li", null, make("a", { href: address }, name), make("span", { class: "under" },
      ` ${some(questions, "question")}, ${some(contexts, "context")}, ${some(documents, "document")}${floor === null ? "" : `, highest floor ${percent(floor)}`}`))));
  const count = data.figure.rows.length;
  put(place, make("div", { class: "top" }, make("span", { class: "mark-name" }, "Fathom"), make("div", { class: "top-tools" }, themeSwitch())),
    make("main", { id: "content", class: "whole", tabindex: "-1" },
      make("header", { class: "hero" }, make("p", { class: "eyebrow" }, `${some(count, "answerer")} on ${data.benches.length === 1 ? "one bench" : `${data.benches.length} benches`}`), make("h1", null, data.title)),
      boardView(data), make("section", { id: "benches" }, make("h2", null, "The benches"), make("p", { class: "says" }, "Each leads to its own page, with every figure and every item."), benches),
      data.notes.length > 0 && make("section", { id: "notes" }, make("h2", null, "Before you trust a figure"), make("ul", { class: "notes" }, data.notes.map((note) => make("li", null, note)))),
      make("p", { class: "under" }, `Made by Fathom ${data.fathom}. This page asks nothing of the network.`)));
  followPointer();
  document.documentElement.dataset.ready = "yes";
}

start();

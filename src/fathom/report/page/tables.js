// Tables, and downloads as files.

const NUMBERS = new Set(["share", "count", "number", "money", "p", "difference"]);
const AT_FIRST = 40;

// Values in order, unknown ones last: numbers from the largest, words from A, or the other way round.
function sorted(rows, value, backward) {
  const known = rows.filter((row) => value(row) !== null && value(row) !== undefined && value(row) !== "");
  const compare = (one, two) => (typeof one === "string" ? one.localeCompare(two, "en", { numeric: true }) : Number(two) - Number(one));
  known.sort((one, two) => compare(value(one), value(two)) * (backward ? -1 : 1));
  return [...known, ...rows.filter((row) => !known.includes(row))];
}

// A title that sorts its table; a second click turns the order around.
function sortTitle(title, properties, sort) {
  const head = make("th", { scope: "col", ...properties }, button(title, () => {
    const backward = head.dataset.sorted === "once";
    for (const one of head.parentNode.children) {
      delete one.dataset.sorted;
      one.removeAttribute("aria-sort");
    }
    head.dataset.sorted = backward ? "twice" : "once";
    const descends = head.classList.contains("number") !== backward;
    head.setAttribute("aria-sort", descends ? "descending" : "ascending");
    sort(backward);
  }, { class: "sort" }));
  return head;
}

function tableOf(figure) {
  const body = make("tbody");
  let rows = figure.rows;
  let limit = AT_FIRST;
  const fill = () => {
    body.replaceChildren(...rows.slice(0, limit).map((row) => make("tr", null, row.map((value, place) => {
      const [, , kind, hidden] = figure.columns[place];
      if (hidden) return null;
      const name = NUMBERS.has(kind) ? "number" : kind === "yes" ? "yes" : "words";
      return make("td", { class: name }, shown(value, kind));
    }))));
  };
  fill();
  const head = figure.columns.map(([, title, kind, hidden], place) =>
    !hidden && sortTitle(title, { class: NUMBERS.has(kind) ? "number" : "words" }, (backward) => {
      rows = sorted(figure.rows, (row) => row[place], backward);
      fill();
    }));
  const table = make("table", { class: "numbers" }, make("caption", { class: "visually-hidden" }, figure.title),
    make("thead", null, make("tr", null, head)), body);
  const whole = make("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": figure.title }, table);
  if (figure.rows.length > AT_FIRST) {
    const more = button(`All ${counted(figure.rows.length)} rows`, () => {
      limit = figure.rows.length;
      fill();
      more.remove();
    }, { class: "quiet-button" });
    whole.append(more);
  }
  return whole;
}

// The same bytes that `fathom report --figures` writes.
function csvOf(figure) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    let words = String(value);
    // Spreadsheets run text that begins like a formula.
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(words)) words = `'${words}`;
    return /[",\n\r]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  };
  const lines = [figure.columns.map(([name]) => name), ...figure.rows];
  return lines.map((line) => line.map(cell).join(",") + "\n").join("");
}

function jsonOf(figure) {
  const rows = figure.rows.map((row) => Object.fromEntries(row.map((value, place) => [figure.columns[place][0], value])));
  return JSON.stringify({ figure: figure.id, title: figure.title, note: figure.note, rows }, null, 1) + "\n";
}

function toolbar(figure, drawing, more) {
  const tools = [
    button("CSV", () => save(`${figure.id}.csv`, csvOf(figure), "text/csv"), { title: "Download as CSV" }),
    button("JSON", () => save(`${figure.id}.json`, jsonOf(figure), "application/json"), { title: "Download as JSON" }),
  ];
  if (drawing) {
    tools.push(button("SVG", () => save(`${figure.id}.svg`, svgOf(drawing()), "image/svg+xml"), { title: "Download as SVG" }));
  }
  return make("div", { class: "tools", role: "group", "aria-label": `Downloads of ${figure.title}` }, more, tools);
}

// A drawing as a standalone file, with its current colors.
function svgOf(drawing) {
  const copy = drawing.cloneNode(true);
  const from = [drawing, ...drawing.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  const held = drawing.isConnected ? null : document.body.appendChild(make("div", { class: "measured" }, drawing));
  from.forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "font-family", "opacity"]) {
      to[place].setAttribute(name, style.getPropertyValue(name));
    }
    const tip = element.getAttribute("data-tip");
    if (tip) to[place].append(Object.assign(document.createElementNS(SVG, "title"), { textContent: tip }));
    for (const name of ["class", "tabindex", "data-tip", "data-run", "data-runs"]) to[place].removeAttribute(name);
  });
  if (held) held.remove();
  const [, , width, height] = drawing.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

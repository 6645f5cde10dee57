// Builds the page.

function hero(data) {
  const [first, ...rest] = data.summary;
  const facts = data.benches.map(([name, questions, contexts, documents]) =>
    make("span", null, make("b", null, name), ` ${plural(questions, "question")}, ${plural(contexts, "context")}, ${plural(documents, "document")}`));
  return make("header", { class: "hero" }, make("p", { class: "eyebrow" }, data.title), make("h1", null, first),
    rest.length > 0 && make("p", { class: "lead" }, rest.join(" ")), make("p", { class: "facts" }, facts));
}

function navigation(sections) {
  const links = sections.map(([id, title]) => make("a", { href: `#${id}` }, title));
  const nav = make("nav", { "aria-label": "Sections" }, links);
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) for (const link of links) link.classList.toggle("here", link.getAttribute("href") === `#${entry.target.id}`);
    }
  }, { rootMargin: "-15% 0px -75% 0px" });
  for (const [id] of sections) seen.observe(document.getElementById(id));
  return nav;
}

function notesSection(data) {
  return make("section", { id: "notes", "aria-labelledby": "title-notes" }, make("h2", { id: "title-notes" }, "Notes"),
    make("ul", { class: "notes" }, data.notes.map((note) => make("li", null, note))),
    make("p", { class: "under" }, `Made with Fathom ${data.fathom}. This page makes no network requests.`));
}

async function start() {
  const place = document.getElementById("page");
  let data;
  try {
    data = await decoded(document.getElementById("data").textContent);
  } catch (error) {
    put(place, make("p", { class: "waiting" }, `This browser cannot decode the page's data (${error.message}). Use a browser from 2023 or later.`));
    return;
  }
  const { place: anchor, query } = readAddress();
  const shownRuns = new ShownRuns(data.runs, query);
  const explorer = new Explorer(data, new Parts(data.beside), shownRuns, filterOf(query, data));
  shownRuns.changed = () => explorer.apply();
  const dialog = helpDialog();
  const top = make("header", { class: "top" }, make("span", { class: "mark-name" }, "Fathom"),
    make("div", { class: "top-tools" }, themeSwitch(), button("Print", () => print(), { class: "quiet-button" }),
      button("?", () => dialog.showModal(), { class: "quiet-button", "aria-label": "Keyboard shortcuts (?)" })));
  const main = make("main", { id: "content", tabindex: "-1" }, hero(data), shownRuns.checkboxes(), data.sections.map((section) => sectionOf(section, data, explorer)),
    explorer.section(), notesSection(data));
  const aside = make("div", { id: "sheet", role: "dialog", "aria-modal": "true", "aria-labelledby": "sheet-title", tabindex: "-1", hidden: true });
  put(place, top, main, dialog, aside);
  const named = [...data.sections.map((section) => [section.id, section.title]), ["explorer", "Items"], ["notes", "Notes"]];
  main.before(navigation(named));
  followPointer();
  listenToKeys(explorer, dialog);
  await explorer.apply();
  const wanted = /^item-(\d+)$/.exec(anchor);
  if (wanted) explorer.openAt(explorer.found.indexOf(Number(wanted[1]) - 1));
  else if (anchor) document.getElementById(anchor)?.scrollIntoView();
  document.documentElement.dataset.ready = "yes";
}

start();

// The page of one document: mouse, keyboard, and what connects the parts.

const editor = document.getElementById("editor");
const pop = document.getElementById("pop");
const saved = document.getElementById("saved");
const layer = new Layer(`/api/documents/${editor.dataset.document}`, changed, (words, kind) => {
  saved.textContent = words;
  saved.className = kind;
  saved.dataset.state = kind;
});
const marks = new Marks(layer);
const pagesButton = document.getElementById("show-pages");
if (pagesButton) pages = new Pages(document.getElementById("pages"), pagesButton);
const search = new Search(document.getElementById("search"), document.getElementById("search-count"));

function changed() {
  marks.show();
  const form = document.getElementById("form");
  // The form is drawn again only if it has no focus, so that typing is not interrupted.
  if (form.dataset.id !== (marks.open || "") || !form.contains(document.activeElement)) drawForm(marks);
  document.getElementById("undo").disabled = !layer.canUndo;
  document.getElementById("redo").disabled = !layer.canRedo;
  document.getElementById("done").setAttribute("aria-pressed", String(Boolean(layer.done)));
}

// Sentences and rows of tables, for the keyboard.
const sentences = [...article.querySelectorAll(".s")];
let cursor = [-1, -1];

function spanOfSentence(element) {
  const start = Number(element.dataset.s);
  const text = element.textContent;
  return [start, element.dataset.e ? Number(element.dataset.e) : start + points(text, text.length)];
}

function setCursor(from, to) {
  for (const one of article.querySelectorAll(".here")) one.classList.remove("here");
  cursor = [from, to];
  for (let i = Math.min(from, to); i <= Math.max(from, to); i += 1) if (sentences[i]) sentences[i].classList.add("here");
  marks.cursor = sentences[to] ? cursorSpan() : null;
  if (pages && pages.shown) {
    paint(marks);
    if (marks.cursor) pages.goTo(marks.cursor[0]);
  } else if (sentences[to]) sentences[to].scrollIntoView({ block: "nearest" });
}

function cursorSpan() {
  const [first, last] = [Math.min(...cursor), Math.max(...cursor)];
  return [spanOfSentence(sentences[first])[0], spanOfSentence(sentences[last])[1]];
}

function setCursorAt(position) {
  const found = sentences.findIndex((one) => spanOfSentence(one)[1] > position);
  if (found >= 0) setCursor(found, found);
}

function move(by, extend) {
  getSelection().removeAllRanges();
  hidePop();
  const to = Math.max(0, Math.min(sentences.length - 1, cursor[1] + by));
  setCursor(extend && cursor[0] >= 0 ? cursor[0] : to, to);
  announce(sentences[to] ? sentences[to].textContent : "");
}

function moveSection(by) {
  const starts = [...article.querySelectorAll("h1, h2, h3, h4, h5")].map((one) => Number(one.dataset.s));
  const here = cursor[1] < 0 ? -1 : spanOfSentence(sentences[cursor[1]])[0];
  const next = by > 0 ? starts.find((start) => start > here) : starts.filter((start) => start < here).slice(-2)[0];
  if (next !== undefined) {
    setCursorAt(next);
    goTo([next]);
  }
}

// The selection of the mouse, or the sentences at the cursor.
function chosenSpan() {
  const span = selectedSpan();
  return span || cursor[1] < 0 ? span : cursorSpan();
}

async function showPages(shown) {
  if (!pages) return;
  getSelection().removeAllRanges();
  hidePop();
  await pages.show(shown);
  marks.show();
  const here = marks.get(marks.open);
  const start = here ? here.span : marks.cursor;
  if (start) goTo(start);
}

function mark(kind) {
  const span = chosenSpan();
  if (!span) {
    announce("Select some text first.");
    return;
  }
  if (kind === "claim") marks.addClaim(span);
  else marks.addEvidence(span);
  getSelection().removeAllRanges();
  hidePop();
  announce(kind === "claim" ? "Claim marked." : marks.claim ? "Evidence marked for the open claim." : "Evidence marked; no claim is open.");
}

// The open mark gets another passage; what is known about it stays.
function movePassage() {
  const span = chosenSpan();
  const open = marks.get(marks.open);
  if (!span || !open) {
    announce("Open a mark and select its new passage first.");
    return;
  }
  marks.update(open.id, { span });
  getSelection().removeAllRanges();
  hidePop();
  drawForm(marks);
  announce(`The ${open.kind} has a new passage.`);
}

function setType(place) {
  const open = marks.get(marks.open);
  const type = open && CHOICES[open.kind].type[place];
  if (!type) return;
  marks.update(open.id, { type });
  drawForm(marks);
  announce(`Type: ${type}`);
}

// Whether the open evidence supports or contradicts the open claim.
function turnPolarity() {
  const link = marks.links.find((one) => one.claim === marks.claim && one.evidence === marks.open);
  if (!link) return;
  const [polarity] = CHOICES.evidence.polarity.filter((one) => one !== link.polarity);
  marks.update(link.id, { polarity });
  drawForm(marks);
  announce(`Polarity: ${polarity}`);
}

// Buttons beside a selection.
function showPop() {
  const span = selectedSpan();
  if (!span) {
    hidePop();
    return;
  }
  const box = getSelection().getRangeAt(0).getBoundingClientRect();
  const open = marks.get(marks.open);
  put(pop, button("Claim", () => mark("claim")), button(marks.claim ? "Evidence for the open claim" : "Evidence", () => mark("evidence")),
    open ? button(`New passage of the open ${open.kind}`, movePassage) : null);
  pop.hidden = false;
  pop.style.left = `${Math.max(8, Math.min(box.left + scrollX, innerWidth - pop.offsetWidth - 8))}px`;
  pop.style.top = `${box.bottom + scrollY + 6}px`;
}

function hidePop() {
  pop.hidden = true;
}

pop.addEventListener("mousedown", (event) => event.preventDefault());
// A drag may end beside the text.
document.addEventListener("mouseup", (event) => { if (!pop.contains(event.target)) setTimeout(showPop, 0); });
document.addEventListener("selectionchange", () => { if (getSelection().isCollapsed) hidePop(); });
article.addEventListener("click", (event) => {
  if (!getSelection().isCollapsed) return;
  const point = document.caretPositionFromPoint
    ? document.caretPositionFromPoint(event.clientX, event.clientY)
    : { offsetNode: document.caretRangeFromPoint(event.clientX, event.clientY).startContainer, offset: document.caretRangeFromPoint(event.clientX, event.clientY).startOffset };
  if (!point || !article.contains(point.offsetNode)) return;
  const position = positionOf(point.offsetNode, point.offset);
  const found = markAt(marks, position);
  if (found) marks.select(found.id);
  setCursorAt(position);
});
if (pages) pages.place.addEventListener("click", (event) => {
  const position = getSelection().isCollapsed && event.target.matches(".w") ? pages.positionOf(event.target) : null;
  if (position === null) return;
  const found = markAt(marks, position);
  if (found) marks.select(found.id);
  setCursorAt(position);
});
document.getElementById("map").addEventListener("click", (event) => {
  const box = event.currentTarget.getBoundingClientRect();
  const length = blocks.length ? blocks[blocks.length - 1].end : 0;
  goTo([Math.floor(((event.clientY - box.top) / box.height) * length)]);
});

function openNext(by) {
  const claims = marks.claims;
  if (!claims.length) return;
  const place = claims.findIndex((one) => one.id === marks.claim);
  const next = claims[place < 0 ? (by > 0 ? 0 : claims.length - 1) : (place + by + claims.length) % claims.length];
  marks.select(next.id);
  goTo(next.span);
  announce(`Claim: ${textOf(next.span)}`);
}

function openEvidence() {
  const found = marks.claim ? marks.evidenceOf(marks.claim) : marks.evidence;
  if (!found.length) return;
  const next = found[(found.findIndex((one) => one.id === marks.open) + 1) % found.length];
  marks.select(next.id, marks.claim);
  goTo(next.span);
  announce(`Evidence: ${textOf(next.span)}`);
}

function toggle(id) {
  const details = document.getElementById(id);
  details.open = !details.open;
  if (details.open) details.scrollIntoView({ block: "nearest" });
}

const KEYS = {
  j: () => move(1, false), k: () => move(-1, false), J: () => move(1, true), K: () => move(-1, true),
  "]": () => moveSection(1), "[": () => moveSection(-1), c: () => mark("claim"), e: () => mark("evidence"),
  n: () => openNext(1), p: () => openNext(-1), v: openEvidence, r: movePassage, x: turnPolarity,
  ...Object.fromEntries([1, 2, 3, 4].map((number) => [number, () => setType(number - 1)])),
  f: () => { const field = document.querySelector("#form select, #form input"); if (field) field.focus(); },
  l: () => { const box = document.querySelector("#form input[type=checkbox]"); if (box) box.focus(); },
  Delete: () => marks.remove(marks.open), "/": () => search.field.focus(), g: () => toggle("guidelines"), "?": () => toggle("keys"),
  t: () => { if (pages) showPages(!pages.shown); }, d: () => layer.setDone(!layer.done), Escape: () => { getSelection().removeAllRanges(); hidePop(); marks.select(null); },
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !typing) {
    const key = event.key.toLowerCase();
    if (key === "z") event.shiftKey ? layer.redo() : layer.undo();
    else if (key === "y") layer.redo();
    else return;
    event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing || event.target.matches("input")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

document.getElementById("mark-claim").addEventListener("mousedown", (event) => event.preventDefault());
document.getElementById("mark-evidence").addEventListener("mousedown", (event) => event.preventDefault());
document.getElementById("mark-claim").addEventListener("click", () => mark("claim"));
document.getElementById("mark-evidence").addEventListener("click", () => mark("evidence"));
if (pagesButton) pagesButton.addEventListener("click", () => showPages(!pages.shown));
document.getElementById("undo").addEventListener("click", () => layer.undo());
document.getElementById("redo").addEventListener("click", () => layer.redo());
document.getElementById("done").addEventListener("click", () => layer.setDone(!layer.done));

layer.load().then(() => { document.documentElement.dataset.ready = "yes"; });

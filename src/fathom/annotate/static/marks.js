// Claims, evidence and links: colors in the text, the list, the form of the open mark, and the map.

const LABELS = {
  type: "Type", justified: "Justified by its evidence", robustness: "Robustness", confidence: "Confidence",
  strength: "Strength", polarity: "Polarity", conclusion: "The authors’ conclusion",
  no_evidence_reason: "Why there is no evidence", limitations: "Limitations", note: "Note",
};
const WORDS = { claim: ["conclusion", "no_evidence_reason", "note"], evidence: ["limitations", "note"] };
const CHOICES = JSON.parse(document.getElementById("editor").dataset.choices);

const bySpan = (one, two) => one.span[0] - two.span[0] || one.span[1] - two.span[1] || (one.id < two.id ? -1 : 1);

class Marks {
  constructor(layer) {
    this.layer = layer;
    this.open = null;
    this.claim = null;
  }

  get claims() { return this.layer.all("claim").sort(bySpan); }

  get evidence() { return this.layer.all("evidence").sort(bySpan); }

  get links() { return this.layer.all("link"); }

  get(id) {
    const found = id && this.layer.values.get(id);
    return found ? { id, ...found } : null;
  }

  evidenceOf(claim) {
    const found = this.links.filter((link) => link.claim === claim).map((link) => ({ ...this.get(link.evidence), link }));
    return found.filter((one) => one.span).sort(bySpan);
  }

  addClaim(span) {
    const id = newId("c");
    this.layer.edit({ [id]: { kind: "claim", span } });
    this.select(id);
  }

  // Evidence for the open claim; a passage that is marked already is linked once more.
  addEvidence(span) {
    const marked = this.evidence.find((one) => one.span[0] === span[0] && one.span[1] === span[1]);
    const id = marked ? marked.id : newId("e");
    const values = marked ? {} : { [id]: { kind: "evidence", span } };
    const linked = this.links.some((link) => link.claim === this.claim && link.evidence === id);
    if (this.get(this.claim) && !linked) values[newId("l")] = { kind: "link", claim: this.claim, evidence: id, polarity: "supports" };
    if (Object.keys(values).length) this.layer.edit(values);
    this.select(id, this.claim);
  }

  link(claim, evidence, linked) {
    const found = this.links.find((one) => one.claim === claim && one.evidence === evidence);
    if (linked && !found) this.layer.edit({ [newId("l")]: { kind: "link", claim, evidence, polarity: "supports" } });
    if (!linked && found) this.layer.edit({ [found.id]: null });
  }

  update(id, values) {
    const current = this.layer.values.get(id);
    if (current) this.layer.edit({ [id]: { ...current, ...values } });
  }

  remove(id) {
    const mark = this.get(id);
    if (!mark) return;
    const values = { [id]: null };
    for (const link of this.links) if (link.claim === id || link.evidence === id) values[link.id] = null;
    this.open = null;
    if (this.claim === id) this.claim = null;
    this.layer.edit(values);
    announce(`The ${mark.kind} was removed.`);
  }

  select(id, claim) {
    const mark = this.get(id);
    this.open = mark ? id : null;
    if (mark && mark.kind === "claim") this.claim = id;
    else if (claim) this.claim = claim;
    this.show();
    drawForm(this);
  }

  // Call after every change.
  show() {
    if (!this.get(this.open)) this.open = null;
    if (!this.get(this.claim)) this.claim = null;
    paint(this);
    drawList(this);
    drawMap(this);
  }
}

function paint(marks) {
  const open = marks.get(marks.open);
  const mine = new Set(marks.claim ? marks.evidenceOf(marks.claim).map((one) => one.id) : []);
  const groups = { claim: [], evidence: [], linked: [], open: [] };
  for (const one of marks.claims) groups.claim.push(...rangesOf(one.span));
  for (const one of marks.evidence) groups[mine.has(one.id) ? "linked" : "evidence"].push(...rangesOf(one.span));
  if (open) groups.open.push(...rangesOf(open.span));
  for (const [place, name] of ["evidence", "linked", "claim", "open"].entries()) {
    const highlight = new Highlight(...groups[name]);
    highlight.priority = place;
    CSS.highlights.set(`mark-${name}`, highlight);
  }
  if (pages) pages.paint({
    claim: marks.claims.map((one) => one.span),
    evidence: marks.evidence.filter((one) => !mine.has(one.id)).map((one) => one.span),
    linked: marks.evidence.filter((one) => mine.has(one.id)).map((one) => one.span),
    open: open ? [open.span] : [],
    cursor: marks.cursor ? [marks.cursor] : [],
  });
}

function markButton(marks, mark, extra) {
  const words = shortened(textOf(mark.span));
  return button([make("i", { class: `swatch ${mark.kind}`, "aria-hidden": "true" }), words, extra || null], () => {
    marks.select(mark.id, mark.link ? mark.link.claim : null);
    goTo(mark.span);
  }, { class: "mark", "aria-current": mark.id === marks.open ? "true" : null, "data-id": mark.id });
}

function drawList(marks) {
  const claims = marks.claims;
  const linked = new Set(marks.links.map((link) => link.evidence));
  const loose = marks.evidence.filter((one) => !linked.has(one.id));
  const items = claims.map((claim) => make("li", { class: claim.id === marks.claim ? "current" : null },
    markButton(marks, claim, claim.type ? make("span", { class: "tag" }, claim.type) : null),
    make("ul", null, marks.evidenceOf(claim.id).map((one) => make("li", null,
      markButton(marks, one, one.link.polarity === "contradicts" ? make("span", { class: "tag against" }, "contradicts") : null))))));
  put(document.getElementById("marks"),
    make("h2", null, plural(claims.length, "claim"), ", ", plural(linked.size, "piece"), " of evidence"),
    claims.length ? make("ol", { class: "claims" }, items) : make("p", { class: "quiet" }, "Select a passage with the mouse, or a sentence with j and k. Then press c."),
    loose.length ? [make("h2", null, "Evidence without a claim"), make("ul", null, loose.map((one) => make("li", null, markButton(marks, one))))] : null);
}

function drawForm(marks) {
  const mark = marks.get(marks.open);
  const place = document.getElementById("form");
  place.dataset.id = mark ? mark.id : "";
  if (!mark) {
    place.replaceChildren();
    return;
  }
  const choices = Object.entries(CHOICES[mark.kind]).filter(([name]) => name !== "polarity").map(([name, values]) =>
    choose(LABELS[name], [["", "–"], ...values.map((one) => [one, one])], chosenValue(mark[name]), (value) => {
      const meant = name === "justified" ? { yes: true, no: false }[value] : value;
      marks.update(mark.id, { [name]: value === "" ? null : meant });
    }, { name }));
  const words = WORDS[mark.kind].map((name) => textField(marks, mark, name));
  put(place, make("h2", null, mark.kind === "claim" ? "Claim" : "Evidence"),
    make("blockquote", null, shortened(textOf(mark.span), 400)),
    make("div", { class: "fields" }, choices, words),
    mark.kind === "claim" ? polarities(marks, mark) : claimBoxes(marks, mark),
    button("Remove", () => { marks.remove(mark.id); drawForm(marks); }, { class: "danger" }));
}

const chosenValue = (value) => (value === true ? "yes" : value === false ? "no" : value || "");

function textField(marks, mark, name) {
  let timer = 0;
  const store = () => {
    clearTimeout(timer);
    marks.layer.typing = false;
    const value = field.value.replace(/\s+/g, " ").trim();
    const current = marks.layer.values.get(mark.id);
    if (current && value !== (current[name] || "")) marks.update(mark.id, { [name]: value });
    else marks.layer._report();
  };
  const field = make("input", { type: "text", name, maxlength: 2000, value: mark[name] || "", autocomplete: "off", on: {
    input: () => {
      marks.layer.typing = true;
      marks.layer._report();
      clearTimeout(timer);
      timer = setTimeout(store, 400);
    },
    change: store,
  } });
  return make("label", { class: "choose whole-row" }, make("span", null, LABELS[name]), field);
}

function polaritySelect(marks, link, label) {
  return choose(label, CHOICES.evidence.polarity.map((one) => [one, one]), link.polarity,
    (value) => marks.update(link.id, { polarity: value }), { name: "polarity" });
}

function polarities(marks, claim) {
  const found = marks.evidenceOf(claim.id);
  return make("div", { class: "linked" }, found.length
    ? found.map((one) => make("div", { class: "row" }, polaritySelect(marks, one.link, shortened(textOf(one.span), 70)),
      button("Unlink", () => { marks.link(claim.id, one.id, false); drawForm(marks); })))
    : make("p", { class: "quiet" }, "No evidence yet. Select a passage and press e."));
}

function claimBoxes(marks, evidence) {
  const rows = marks.claims.map((claim) => {
    const link = marks.links.find((one) => one.claim === claim.id && one.evidence === evidence.id);
    const box = make("input", { type: "checkbox", checked: Boolean(link), on: { change: () => {
      marks.link(claim.id, evidence.id, box.checked);
      drawForm(marks);
      document.querySelector(`#form [data-claim="${claim.id}"]`).focus();
    } }, "data-claim": claim.id });
    return make("div", { class: "row" }, make("label", { class: "check" }, box, shortened(textOf(claim.span), 90)),
      link ? polaritySelect(marks, link, "Polarity") : null);
  });
  return make("fieldset", { class: "linked" }, make("legend", null, "Evidence for these claims"),
    rows.length ? rows : make("p", { class: "quiet" }, "There are no claims yet."));
}

// The whole document from top to bottom: claims on the left, evidence on the right, lines from the open claim.
function drawMap(marks) {
  const place = document.getElementById("map");
  const length = Math.max(1, blocks.length ? blocks[blocks.length - 1].end : 1);
  const y = (position) => (position / length) * 1000;
  const tick = (mark, x, kind) => ["rect", {
    x, y: y(mark.span[0]), width: 16, height: Math.max(3, y(mark.span[1]) - y(mark.span[0])),
    class: `tick ${kind}${mark.id === marks.open ? " open" : ""}`,
  }, []];
  const claim = marks.get(marks.claim);
  const lines = claim ? marks.evidenceOf(claim.id).map((one) => ["line", {
    x1: 20, y1: y(claim.span[0]), x2: 44, y2: y(one.span[0]), class: `tie ${one.link.polarity}`,
  }, []]) : [];
  put(place, draw(["svg", { viewBox: "0 0 64 1000", preserveAspectRatio: "none" }, [
    ...lines, ...marks.claims.map((one) => tick(one, 4, "claim")), ...marks.evidence.map((one) => tick(one, 44, "evidence")),
  ]]));
  place.setAttribute("aria-label", `Map: ${plural(marks.claims.length, "claim")}, ${plural(marks.evidence.length, "passage")} of evidence`);
}

// The smallest mark at a position; of equal ones the next after the open one.
function markAt(marks, position) {
  const found = [...marks.claims, ...marks.evidence].filter(({ span }) => span[0] <= position && position < span[1])
    .sort((one, two) => one.span[1] - one.span[0] - (two.span[1] - two.span[0]));
  const place = found.findIndex((one) => one.id === marks.open);
  return found.length ? found[(place + 1) % found.length] : null;
}

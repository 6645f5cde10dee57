// Keyboard shortcuts.

const KEYS = [
  ["/", "search items"], ["j  k", "next, previous item"], ["Enter", "open the item"], ["Escape", "close an item, clear the search, or leave a field"],
  ["t", "switch between light and dark"], ["p", "print"], ["?", "this help"],
];

function helpDialog() {
  const dialog = make("dialog", { id: "help", "aria-labelledby": "help-title" },
    make("h2", { id: "help-title" }, "Keyboard shortcuts"),
    make("dl", null, KEYS.map(([key, what]) => [make("dt", null, key.split("  ").map((one) => make("kbd", null, one))), make("dd", null, what)])),
    button("Close", () => dialog.close(), { class: "quiet-button" }));
  return dialog;
}

function listenToKeys(explorer, dialog) {
  const isInput = (element) => ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (dialog.open) return;
      if (explorer.open !== null) closeItem(explorer);
      else if (event.target === explorer.search && explorer.search.value) {
        // Without this, browsers empty the field and the filter stays.
        event.preventDefault();
        explorer.search.value = "";
        explorer.search.dispatchEvent(new Event("input"));
      } else if (isInput(event.target)) event.target.blur();
      return;
    }
    if (event.key === "Tab" && explorer.open !== null && !dialog.open) return keepInside(event, sheet());
    if (isInput(event.target) || dialog.open) return;
    const acts = {
      "/": () => {
        closeItem(explorer);
        document.getElementById("explorer").scrollIntoView();
        explorer.search.focus();
      },
      j: () => step(explorer, 1),
      k: () => step(explorer, -1),
      "?": () => dialog.showModal(),
      t: () => document.getElementById("theme").click(),
      p: () => print(),
    };
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (event.key === "Enter" && event.target === document.body && explorer.open === null) explorer.openAt(explorer.at);
  });
}

// The first step focuses the list, further ones move in it.
function step(explorer, by) {
  if (explorer.open === null && document.activeElement !== explorer.frame) {
    explorer.frame.focus({ preventScroll: true });
    document.getElementById("explorer").scrollIntoView();
    explorer.lay();
    return;
  }
  explorer.move(by);
}

// While an item is open, the focus stays in it.
function keepInside(event, place) {
  // What is in closed details has a place on the page, but cannot have the focus.
  const inside = [...place.querySelectorAll("button, summary, input, [tabindex='0']")].filter((one) => one.checkVisibility());
  if (!inside.length) return;
  const first = inside[0];
  const last = inside[inside.length - 1];
  const active = document.activeElement;
  if (event.shiftKey && (active === first || active === place)) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && active === last) {
    event.preventDefault();
    first.focus();
  }
}

// Drawings: the version that fits the width, tooltips, and highlighting of one run.

const slim = matchMedia("screen and (max-width: 720px)");

function drawingOf(figure) {
  const place = make("div", { class: "canvas" });
  const redraw = () => put(place, draw(figure.drawings[slim.matches ? "slim" : "wide"]));
  redraw();
  slim.addEventListener("change", redraw);
  return place;
}

function figureOf(figure, legend) {
  const parts = [make("h3", null, figure.title)];
  const note = make("p", { class: "note" }, figure.note);
  if (!figure.drawings) {
    return make("figure", { id: `figure-${figure.id}` }, parts, tableOf(figure), make("figcaption", null, note, toolbar(figure)));
  }
  const numbers = make("div", { class: "numbers-below", hidden: true });
  const toggle = button("Table", () => {
    if (!numbers.firstChild) numbers.append(tableOf(figure));
    numbers.hidden = !numbers.hidden;
    toggle.setAttribute("aria-expanded", String(!numbers.hidden));
  }, { "aria-expanded": "false", title: "Show the numbers as a table" });
  const tools = toolbar(figure, () => draw(figure.drawings.wide), toggle);
  const whole = make("figure", { id: `figure-${figure.id}` }, parts, legend, drawingOf(figure),
    make("figcaption", null, note, tools), numbers);
  return whole;
}

// The runs whose marks a figure has.
function runsIn(figure) {
  const found = new Set();
  const visit = ([, attributes, children]) => {
    if ("data-run" in attributes) found.add(Number(attributes["data-run"]));
    children.filter(Array.isArray).forEach(visit);
  };
  if (figure.drawings) visit(figure.drawings.wide);
  return found;
}

// The legend, of the runs in a figure if one is given: hovering over a run highlights it in the section, a click keeps it
// highlighted.
function legendOf(allRuns, figure) {
  const drawn = figure && runsIn(figure);
  const runs = allRuns.map(([name], run) => [name, run]).filter(([, run]) => !drawn || drawn.has(run));
  if (runs.length < 2) return null;
  let kept = null;
  const show = (from, run) => {
    const around = from.closest("section") || document.body;
    for (const element of around.querySelectorAll("[data-run]:not(.run-name)")) {
      element.classList.toggle("back", run !== null && element.dataset.run !== String(run));
    }
  };
  const names = runs.map(([name, run]) => {
    const control = button([dot(run), name], () => {
      kept = kept === run ? null : run;
      names.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.run === String(kept))));
      show(control, kept);
    }, { class: "run-name", "data-run": String(run), "aria-pressed": "false" });
    control.addEventListener("pointerenter", () => show(control, run));
    control.addEventListener("pointerleave", () => show(control, kept));
    return control;
  });
  return make("div", { class: "legend", role: "group", "aria-label": "Runs" }, names);
}

function followPointer() {
  const tip = document.getElementById("tip");
  let held = null;
  const hide = () => {
    held = null;
    tip.hidden = true;
  };
  const show = (element, x, y) => {
    held = element;
    tip.textContent = element.getAttribute("data-tip");
    tip.hidden = !tip.textContent;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(innerWidth - box.width - 8, x - box.width / 2))}px`;
    tip.style.top = `${y - box.height - 14 < 4 ? y + 18 : y - box.height - 14}px`;
  };
  const showAbove = (element) => {
    const box = element.getBoundingClientRect();
    show(element, box.left + box.width / 2, box.top);
  };
  const withTip = (target) => (target instanceof Element ? target.closest("[data-tip]") : null);
  addEventListener("pointermove", (event) => {
    const element = withTip(event.target);
    if (element) show(element, event.clientX, event.clientY);
    else hide();
  });
  addEventListener("focusin", (event) => {
    const element = withTip(event.target);
    if (element) showAbove(element);
    else hide();
  });
  // Keyboard focus may scroll the page: the tooltip moves with its element.
  addEventListener("scroll", () => {
    if (held && held.isConnected) showAbove(held);
    else hide();
  }, { passive: true, capture: true });
}

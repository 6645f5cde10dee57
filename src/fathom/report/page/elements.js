// All elements are created here. Text from documents, responses and tags is only ever inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const SVG_NAMES = new Set(["svg", "g", "line", "path", "circle", "rect", "text", "tspan", "title"]);
const SVG_ATTRIBUTES = new Set([
  "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "d", "width", "height", "class", "text-anchor", "transform",
  "viewBox", "role", "aria-label", "tabindex", "data-tip", "data-run", "data-runs", "preserveAspectRatio",
]);

function fill(element, children) {
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

function make(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") element.className = value;
    else if (key === "on") for (const [what, act] of Object.entries(value)) element.addEventListener(what, act);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  return fill(element, children);
}

// A drawing as Python made it: [name, attributes, children].
function draw(tree) {
  const [name, attributes, children] = tree;
  if (!SVG_NAMES.has(name)) throw new Error(`unknown element in a drawing: ${name}`);
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (SVG_ATTRIBUTES.has(key)) element.setAttribute(key, value);
  for (const child of children) element.append(Array.isArray(child) ? draw(child) : document.createTextNode(child));
  return element;
}

function put(place, ...children) {
  place.replaceChildren();
  return fill(place, children);
}

function button(words, act, properties) {
  return make("button", { type: "button", on: { click: act }, ...properties }, words);
}

function choose(label, options, chosen, act, properties) {
  const select = make("select", { on: { change: () => act(select.value) }, ...properties });
  for (const [value, words] of options) select.append(make("option", { value: String(value) }, words));
  select.value = String(chosen);
  return make("label", { class: "choose" }, make("span", null, label), select);
}

function announce(words) {
  document.getElementById("announcer").textContent = words;
}

const rounded = (value, decimals) => `${(Math.floor(value * 100 * 10 ** decimals + 0.5) / 10 ** decimals).toFixed(decimals)}%`;

// A value that is not exactly 0 or 1 is not rounded to 0% or 100%.
function percent(value, decimals = 0) {
  const text = rounded(value, decimals);
  return (text === "100%" || text === "0%") && value !== 0 && value !== 1 ? rounded(value, 1) : text;
}
const counted = (value) => Number(value).toLocaleString("en-US");
const plural = (count, noun, many = `${noun}s`) => `${counted(count)} ${count === 1 ? noun : many}`;
// Why runs of these kinds are ranked below models.
const KINDS = {
  control: "A baseline or control: given the needed passages, or no context at all",
  simulated: "A simulated model",
};

function money(value) {
  if (value === 0) return "$0";
  if (value >= 100) return `$${counted(Math.round(value))}`;
  return value >= 1 ? `$${value.toFixed(2)}` : `$${value.toPrecision(2)}`;
}

function shown(value, kind) {
  if (value === null || value === undefined || value === "") return "";
  switch (kind) {
    case "share": return percent(value, 1);
    case "count": return counted(value);
    case "number": return Math.abs(value) >= 100 ? counted(Math.round(value)) : Number(value).toFixed(2);
    case "money": return money(value);
    case "p": return value < 0.001 ? "< 0.001" : value.toFixed(3);
    case "difference": return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value * 100).toFixed(1)}`;
    case "yes": return value ? "yes" : "no";
    default: return String(value);
  }
}

// The color of a run, and its shape after ten runs.
function dot(run) {
  return make("span", { class: `dot s${run % 10} shape${Math.floor(run / 10) % 3}`, "aria-hidden": "true" });
}

function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// One value beside its document.

const place = document.getElementById("content");
const saved = document.getElementById("saved");
const note = document.getElementById("note");
const span = [Number(place.dataset.start), Number(place.dataset.end)];

CSS.highlights.set("mark-claim", new Highlight(...rangesOf(span)));
document.getElementById("find").addEventListener("click", () => goTo(span));
goTo(span);
scrollTo(0, 0);

async function send(verdict) {
  if (verdict !== "correct" && !note.value.trim()) {
    saved.textContent = "Write what the document states, or what is unclear.";
    note.focus();
    return;
  }
  try {
    await call(`/api/values/${place.dataset.place}`, { step: place.dataset.step, verdict, note: note.value.trim() });
    location.reload();
  } catch (error) {
    saved.textContent = error instanceof Refused ? error.message : "Not saved: the server is not responding. Try again.";
    saved.className = "failed";
  }
}

const buttons = [...document.querySelectorAll("button[data-verdict]")];
for (const one of buttons) one.addEventListener("click", () => send(one.dataset.verdict));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
  const pressed = /^[1-3]$/.test(event.key) && buttons[Number(event.key) - 1];
  if (pressed) send(pressed.dataset.verdict);
});
document.documentElement.dataset.ready = "yes";

// Decisions about claims of several annotators.

const place = document.getElementById("content");
const saved = document.getElementById("saved");

async function act(path, body) {
  try {
    await call(`${place.dataset.api}/${path}`, { revision: Number(place.dataset.revision), ...body });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) {
      saved.textContent = error instanceof Refused ? error.message : "Not saved: the server is not responding.";
      saved.className = "failed";
      saved.scrollIntoView({ block: "nearest" });
      return;
    }
    alertOnLoad("Another tab decided first. Its version is shown.");
  }
  sessionStorage.setItem("scroll", String(scrollY));
  location.reload();
}

function alertOnLoad(words) {
  sessionStorage.setItem("words", words);
}

place.addEventListener("click", (event) => {
  const pressed = event.target.closest("button[data-state]");
  if (!pressed) return;
  const group = pressed.closest(".group");
  const words = group.querySelector("input[name=words]").value.trim();
  const { state, base } = pressed.dataset;
  if (state === "dropped" && !words) {
    announce("Give a reason first.");
    group.querySelector("input[name=words]").focus();
    return;
  }
  const dropped = state === "dropped";
  act("decide", { group: group.dataset.group, state, base: base || "", reason: dropped ? words : "", comment: dropped ? "" : words });
});
document.getElementById("undo").addEventListener("click", () => act("undo", {}));
document.getElementById("redo").addEventListener("click", () => act("redo", {}));
document.getElementById("done").addEventListener("click", (event) => act("done", { done: event.currentTarget.getAttribute("aria-pressed") !== "true" }));

scrollTo(0, Number(sessionStorage.getItem("scroll") || 0));
sessionStorage.removeItem("scroll");
if (sessionStorage.getItem("words")) announce(sessionStorage.getItem("words"));
sessionStorage.removeItem("words");
document.documentElement.dataset.ready = "yes";

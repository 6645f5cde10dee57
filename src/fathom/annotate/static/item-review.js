// Errata of one item.

const place = document.getElementById("content");
const saved = document.getElementById("saved");
for (const pressed of document.querySelectorAll("button[data-state]")) pressed.addEventListener("click", async () => {
  const reason = document.getElementById("reason").value.trim();
  if (!reason) {
    saved.textContent = "Give a reason first.";
    document.getElementById("reason").focus();
    return;
  }
  try {
    await call(`/api/items/${place.dataset.number}/errata`, { state: pressed.dataset.state, reason });
    location.reload();
  } catch (error) {
    saved.textContent = error instanceof Refused ? error.message : "Not saved: the server is not responding.";
    saved.className = "failed";
  }
});
document.documentElement.dataset.ready = "yes";

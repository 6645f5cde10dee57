// One question of a study.

const place = document.getElementById("content");
const answer = document.getElementById("answer");
const saved = document.getElementById("saved");
const draft = `draft-${place.dataset.place}`;
answer.value = sessionStorage.getItem(draft) || "";
answer.addEventListener("input", () => sessionStorage.setItem(draft, answer.value));

async function send(gaveUp) {
  try {
    await call(`/api/tasks/${place.dataset.place}`, { text: answer.value, gave_up: gaveUp });
    sessionStorage.removeItem(draft);
    // Not a reload: the next question must not begin at the part that a link of this one led to.
    location.assign("/");
  } catch (error) {
    saved.textContent = error instanceof Refused ? error.message : "Not sent: the server is not responding. Try again.";
    saved.className = "failed";
  }
}

document.getElementById("send").addEventListener("click", () => send(false));

// Giving up needs two clicks: a question that was given up is not shown again.
const giveUp = document.getElementById("give-up");
const confirmation = document.getElementById("confirm");
function askBeforeGivingUp(open) {
  confirmation.hidden = !open;
  giveUp.setAttribute("aria-expanded", String(open));
  (open ? document.getElementById("keep") : answer).focus();
}
giveUp.addEventListener("click", () => askBeforeGivingUp(confirmation.hidden));
document.getElementById("keep").addEventListener("click", () => askBeforeGivingUp(false));
confirmation.addEventListener("keydown", (event) => { if (event.key === "Escape") askBeforeGivingUp(false); });
document.getElementById("confirm-give-up").addEventListener("click", () => send(true));

if (place.dataset.left) {
  const end = performance.now() + Number(place.dataset.left) * 1000;
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    document.getElementById("time").textContent = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left` : "Time is up. Send what you have.";
    if (left) setTimeout(tick, 1000);
  };
  tick();
}
document.documentElement.dataset.ready = "yes";

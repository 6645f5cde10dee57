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
    saved.textContent = error instanceof Refused ? error.message : "Not sent: the server does not answer. Try again.";
    saved.className = "failed";
  }
}

document.getElementById("send").addEventListener("click", () => send(false));

// Giving up cannot be undone: the first click asks, the second one gives up.
const giveUp = document.getElementById("give-up");
const label = giveUp.textContent;
giveUp.addEventListener("click", () => {
  if (giveUp.dataset.asked) {
    send(true);
    return;
  }
  giveUp.dataset.asked = "yes";
  giveUp.textContent = "Give up this question for good?";
});
giveUp.addEventListener("blur", () => {
  delete giveUp.dataset.asked;
  giveUp.textContent = label;
});

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

// The category of an incorrect response. Digits choose a category.

const place = document.getElementById("content");
const saved = document.getElementById("saved");
const form = document.getElementById("code");

async function store(path, body, then) {
  try {
    await call(path, body);
    then();
  } catch (error) {
    saved.textContent = error instanceof Refused ? error.message : "Not saved: the server is not responding. Try again.";
    saved.className = "failed";
  }
}

// A new category opens the page again: what was written stays.
const draft = `note-${place.dataset.number}`;
const note = document.getElementById("note");

if (form) {
  note.value = sessionStorage.getItem(draft) ?? note.value;
  sessionStorage.removeItem(draft);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input[name=category]:checked");
    if (!chosen) {
      saved.textContent = "Choose a category first.";
      saved.className = "failed";
      return;
    }
    const next = Number(place.dataset.next);
    store(`/api/cases/${place.dataset.number}`, { category: chosen.value, note: note.value.trim() },
      () => { location.href = next ? `/cases/${next}` : "/"; });
  });
  document.getElementById("new-category").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = document.getElementById("category-name");
    if (!name.value.trim()) {
      name.focus();
      return;
    }
    sessionStorage.setItem(draft, note.value);
    store("/api/categories", { name: name.value.trim(), description: document.getElementById("category-description").value.trim() },
      () => location.reload());
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=text]")) return;
    const box = /^[1-9]$/.test(event.key) && form.querySelectorAll("input[name=category]")[Number(event.key) - 1];
    if (box) {
      box.checked = true;
      box.focus();
    }
  });
}
document.documentElement.dataset.ready = "yes";

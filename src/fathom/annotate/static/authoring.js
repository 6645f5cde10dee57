// Forms of the authoring pages: each sends its fields as JSON.

const saved = document.getElementById("saved");

function fields(form) {
  const body = {};
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.type === "checkbox") {
      body[field.name] ??= [];
      if (field.checked) body[field.name].push(field.value);
    } else if ("lines" in field.dataset) {
      body[field.name] = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    } else body[field.name] = field.value;
  }
  return body;
}

for (const form of document.querySelectorAll("form.authoring")) form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const answer = await call(form.dataset.path, fields(form));
    if (answer.id) location.assign(`/puzzles/${answer.id}`);
    else location.reload();
  } catch (error) {
    saved.textContent = error instanceof Refused ? error.message : "Not saved: the server is not responding.";
    saved.className = "failed";
  }
});
document.documentElement.dataset.ready = "yes";

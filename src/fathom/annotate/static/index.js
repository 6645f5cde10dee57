// The list of documents.

const filter = document.getElementById("filter");
if (filter) filter.addEventListener("input", () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const row of document.querySelectorAll("table.documents tbody tr")) row.hidden = !row.dataset.title.includes(wanted);
});

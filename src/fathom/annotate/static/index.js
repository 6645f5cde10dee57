// The list of documents.

const filter = document.getElementById("filter");
if (filter) filter.addEventListener("input", () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const row of document.querySelectorAll("table.documents tbody tr")) row.hidden = !row.dataset.title.includes(wanted);
});

const attest = document.getElementById("attest");
if (attest) attest.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!document.getElementById("attested").checked) {
    announce("Check the box first.");
    document.getElementById("attested").focus();
    return;
  }
  await call("/api/attest", { no_model_helped: true });
  location.reload();
});

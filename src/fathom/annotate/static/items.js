// Search in the list of items.

const wanted = document.getElementById("q");
wanted.addEventListener("change", () => { location.href = `/?q=${encodeURIComponent(wanted.value.trim())}`; });
document.documentElement.dataset.ready = "yes";

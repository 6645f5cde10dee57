// Search in the text of the document.

class Search {
  constructor(field, count) {
    this.field = field;
    this.count = count;
    this.found = [];
    this.place = -1;
    field.addEventListener("input", () => this.find());
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        this.step(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        this.field.value = "";
        this.find();
        this.field.blur();
      }
    });
  }

  find() {
    const wanted = this.field.value.trim().toLowerCase();
    this.found = [];
    if (wanted.length > 1) for (const block of blocks) {
      const text = block.text.toLowerCase();
      // Few letters change their length in lower case; such a block is searched as it is.
      const searched = text.length === block.text.length ? text : block.text;
      for (let at = searched.indexOf(wanted); at >= 0 && this.found.length < 5000; at = searched.indexOf(wanted, at + wanted.length)) {
        const point = (offset) => block.start + (block.astral ? points(block.text, offset) : offset);
        this.found.push([point(at), point(at + wanted.length)]);
      }
    }
    this.place = -1;
    CSS.highlights.set("found", new Highlight(...this.found.flatMap(rangesOf)));
    CSS.highlights.delete("found-here");
    this.count.textContent = wanted.length > 1 ? plural(this.found.length, "place") : "";
  }

  step(by) {
    if (!this.found.length) return;
    this.place = (this.place + by + this.found.length) % this.found.length;
    const here = this.found[this.place];
    CSS.highlights.set("found-here", new Highlight(...rangesOf(here)));
    this.count.textContent = `${this.place + 1} of ${plural(this.found.length, "place")}`;
    goTo(here);
    setCursorAt(here[0]);
  }
}

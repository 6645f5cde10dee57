// The pages of the PDF: an image of each page, and above it its words, which can be selected and cannot be seen.

class Pages {
  constructor(place, toggle) {
    this.place = place;
    this.toggle = toggle;
    this.words = [];
    this.shown = false;
  }

  async show(shown) {
    if (shown && !this.words.length) {
      const { pages } = await call(`/api/documents/${document.getElementById("editor").dataset.document}/pages`);
      if (!pages.length) {
        announce("The file is not the PDF that the document was read from.");
        this.toggle.disabled = true;
        return;
      }
      put(this.place, make("h1", { class: "visually-hidden" }, document.title.replace(/ · Fathom$/, "")),
        pages.map((page, number) => this._page(page, number)));
    }
    this.shown = shown;
    this.place.hidden = !shown;
    article.hidden = shown;
    this.toggle.setAttribute("aria-pressed", String(shown));
  }

  _page({ ratio, words }, number) {
    const layer = make("div", { class: "page-words" }, words.map(([text, left, top, width, height, start, end]) => {
      const one = make("span", { class: "w" }, text);
      one.style.cssText = `left:${left}%;top:${top}%;width:${width}%;height:${height}%;font-size:${height * ratio}cqw`;
      if (end !== undefined) this.words.push({ element: one, start, end });
      return one;
    }));
    const address = `/documents/${document.getElementById("editor").dataset.document}/pages/${number}.png`;
    const image = make("img", { src: address, alt: "", loading: "lazy" });
    image.style.aspectRatio = String(1 / ratio);
    return make("section", { class: "page", "aria-label": `Page ${number + 1}` }, image, layer);
  }

  // The span of the selected words; null if none of them is in the document's text.
  selectedSpan(range) {
    const chosen = this.words.filter(({ element }) => range.intersectsNode(element));
    const inside = chosen.filter(({ element }) => this._isInside(range, element));
    if (!inside.length) return null;
    return [Math.min(...inside.map((one) => one.start)), Math.max(...inside.map((one) => one.end))];
  }

  // A selection that ends at the first character of a word does not contain the word.
  _isInside(range, element) {
    const text = element.firstChild;
    const atEnd = range.endContainer === text && range.endOffset === 0;
    const atStart = range.startContainer === text && range.startOffset >= text.data.trimEnd().length;
    return !atEnd && !atStart;
  }

  positionOf(element) {
    const found = this.words.find((one) => one.element === element);
    return found ? found.start : null;
  }

  paint(groups) {
    for (const { element, start, end } of this.words) {
      const names = Object.keys(groups).filter((name) => groups[name].some((span) => span[0] < end && start < span[1]));
      element.className = ["w", ...names].join(" ");
    }
  }

  goTo(start) {
    const found = this.words.reduce((best, one) => (one.end > start && (!best || one.start < best.start) ? one : best), null);
    if (found) found.element.scrollIntoView({ block: "center" });
  }
}

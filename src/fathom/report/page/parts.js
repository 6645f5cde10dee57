// Data is deflated and in base64; it is decoded when it is first needed.

async function decoded(letters) {
  const packed = Uint8Array.from(atob(letters.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const arriving = new Map();

// Called by the files beside the page: a page opened from disk can load scripts, but nothing else.
window.fathomPart = (number, letters) => {
  const waiting = arriving.get(number);
  if (waiting) waiting(letters);
};

class Parts {
  constructor(beside) {
    this.beside = beside;
    this.key = document.getElementById("data").dataset.key;
    this.inside = [...document.querySelectorAll("script.part")];
    this.known = new Map();
    this.ready = new Map();
  }

  at(number) {
    if (!this.known.has(number)) {
      const part = this.fetched(number).then(decoded).then((found) => {
        this.ready.set(number, found);
        return found;
      });
      // A failed load can be retried.
      part.catch(() => this.known.delete(number));
      this.known.set(number, part);
    }
    return this.known.get(number);
  }

  fetched(number) {
    if (this.beside === null) return Promise.resolve(this.inside[number].textContent);
    return new Promise((found, failed) => {
      const script = document.createElement("script");
      script.nonce = this.key;
      script.src = `${encodeURIComponent(this.beside)}/${number}.js`;
      arriving.set(number, (letters) => {
        arriving.delete(number);
        script.remove();
        found(letters);
      });
      script.addEventListener("error", () => {
        script.remove();
        failed(new Error(`The file ${this.beside}/${number}.js is missing beside this page.`));
      });
      document.head.append(script);
    });
  }
}

// Positions: the server counts characters of the document's text (code points), the browser UTF-16 units of text nodes.

// The pages of the PDF, where a document has some.
let pages = null;

const article = document.getElementById("text");
const blocks = [...article.querySelectorAll(".b")].map((element) => {
  const text = element.textContent;
  const start = Number(element.dataset.s);
  const astral = /[\ud800-\udbff]/.test(text);
  return { element, start, text, astral, end: start + (astral ? points(text, text.length) : text.length) };
}).sort((one, two) => one.start - two.start);
const blockByElement = new Map(blocks.map((block) => [block.element, block]));

// The number of code points in the first `units` UTF-16 units of a text.
function points(text, units) {
  let count = 0;
  for (let i = 0; i < units; i += 1) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) count += 1;
  return count;
}

// The number of UTF-16 units of the first `count` code points of a text.
function units(text, count) {
  let i = 0;
  for (let left = count; left > 0 && i < text.length; left -= 1) i += text.codePointAt(i) > 0xffff ? 2 : 1;
  return i;
}

// The position in the document of a point in the page. A point between blocks is the end of the block before it.
function positionOf(node, offset) {
  const element = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest(".b");
  const block = element && blockByElement.get(element);
  if (block) {
    const before = document.createRange();
    before.setStart(block.element, 0);
    before.setEnd(node, offset);
    const length = before.toString().length;
    return block.start + (block.astral ? points(block.text, length) : length);
  }
  const point = document.createRange();
  point.setStart(node, offset);
  let found = null;
  for (const one of blocks) {
    if (point.comparePoint(one.element, 0) > 0) break;
    found = one;
  }
  return found ? found.end : 0;
}

// The first block that ends after a position.
function blockAt(position) {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle].end > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The point in the page at a position inside of a block.
function pointIn(block, position) {
  let left = Math.max(0, position - block.start);
  left = block.astral ? units(block.text, left) : Math.min(left, block.text.length);
  const walker = document.createTreeWalker(block.element, NodeFilter.SHOW_TEXT);
  let last = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (left <= node.length) return [node, left];
    left -= node.length;
    last = node;
  }
  return last ? [last, last.length] : [block.element, 0];
}

// One range for each block that a span covers.
function rangesOf([start, end]) {
  const ranges = [];
  for (let i = blockAt(start); i < blocks.length && blocks[i].start < end; i += 1) {
    const range = document.createRange();
    range.setStart(...pointIn(blocks[i], Math.max(start, blocks[i].start)));
    range.setEnd(...pointIn(blocks[i], Math.min(end, blocks[i].end)));
    ranges.push(range);
  }
  return ranges;
}

// The text of a span as the page shows it.
function textOf([start, end]) {
  const pieces = [];
  for (let i = blockAt(start); i < blocks.length && blocks[i].start < end; i += 1) {
    const { text, start: first, astral } = blocks[i];
    const [from, to] = [Math.max(0, start - first), end - first];
    pieces.push(astral ? text.slice(units(text, from), units(text, to)) : text.slice(from, to));
  }
  return pieces.join(" ");
}

// Letters of scripts with spaces between words; a letter of another script is a word of its own.
const LETTER = /^(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[\p{L}\p{M}\p{N}]$/u;

// Whether a place of a text is inside of a word or of a number such as 5.1.
function isInsideWord(letters, at) {
  const [before, after] = [letters[at - 1] || "", letters[at] || ""];
  if (LETTER.test(before) && LETTER.test(after)) return true;
  const [digit, point] = [/\d/, /[.,]/];
  return point.test(after)
    ? digit.test(before) && digit.test(letters[at + 1] || "")
    : point.test(before) && digit.test(after) && digit.test(letters[at - 2] || "");
}

// A span without spaces at its ends and with whole words: few people hit the first and the last letter with a mouse.
function wholeWords([start, end]) {
  const first = blocks[blockAt(start)];
  const last = blocks.findLast((one) => one.start < end);
  if (!first || !last) return null;
  const [head, tail] = [first, last].map((one) => (one.astral ? [...one.text] : one.text));
  let [from, to] = [Math.max(0, start - first.start), Math.min(end - last.start, tail.length)];
  while (from < head.length && !head[from].trim()) from += 1;
  while (to > 0 && !tail[to - 1].trim()) to -= 1;
  while (isInsideWord(head, from)) from -= 1;
  while (isInsideWord(tail, to)) to += 1;
  return first.start + from < last.start + to ? [first.start + from, last.start + to] : null;
}

// The span that is selected with the mouse; null if there is none.
function selectedSpan() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (pages && pages.shown && pages.place.contains(range.commonAncestorContainer)) return pages.selectedSpan(range);
  if (!article.contains(range.commonAncestorContainer)) return null;
  return wholeWords([positionOf(range.startContainer, range.startOffset), positionOf(range.endContainer, range.endOffset)]);
}

function goTo([start]) {
  if (pages && pages.shown) {
    pages.goTo(start);
    return;
  }
  const block = blocks[Math.min(blockAt(start), blocks.length - 1)];
  if (!block) return;
  const [node] = pointIn(block, start);
  (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).scrollIntoView({ block: "center" });
}

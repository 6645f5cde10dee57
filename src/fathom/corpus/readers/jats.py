"""Reads journal articles in JATS, the XML of PubMed Central, eLife and most publishers, and its forerunner of NLM."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from html.entities import html5
from typing import Any, Literal
from urllib.parse import unquote

from fathom.corpus.readers.found import (
    Block,
    Found,
    FoundAuthor,
    FoundReference,
    FoundTable,
    Heading,
    Mark,
    Paragraph,
    Piece,
    Siblings,
    TableCell,
    Unreadable,
    Words,
)
from fathom.corpus.readers.xml_trees import root_of
from fathom.records.articles import SectionRole

KIND = "jats"

Element = Any
"""An element of lxml, which has no types of its own."""


def looks_like(name: str, head: bytes) -> bool:
    """Whether the first element, or one in a wrapper of articles, is an article as JATS writes it."""
    head = head.replace(b"\0", b"")  # UTF-16 shows its Latin letters this way
    return bool(_ARTICLE.search(head)) and bool(_TRAIT.search(head))


_ARTICLE = re.compile(rb"<(?:[\w-]+:)?article[\s>]")
# DocBook calls its root the same, but has no front and other public names.
_TRAIT = re.compile(
    rb"//DTD (?:JATS|Journal)|jats\.nlm\.nih\.gov|dtd\.nlm\.nih\.gov|<(?:[\w-]+:)?(?:front|article-meta)[\s>]"
)


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The article of a file, or all of them where a wrapper holds several."""
    root = _parsed(content)
    articles = [root] if root.tag == "article" else _outermost(root, "article")
    articles = [
        article for article in articles if article.find("front") is not None or article.find("body") is not None
    ]
    if not articles:
        raise Unreadable("it is XML, but holds no JATS article with a front or a body")
    for article in articles:
        yield _Reading(article, name).found()


# From bytes to elements.

DEEPEST = 100
"""Elements may stand this deep in one another; of four hundred real articles the deepest reaches 29."""


def _parsed(content: bytes) -> Element:
    """The root element, with nothing fetched, nothing expanded, and no comment or entity left between the words."""
    content, declared = _without_doctype(_in_ascii_form(content))
    content = _with_characters(content, declared)
    root: Element = root_of(content)
    if root.xpath("boolean(" + "/*" * (DEEPEST + 1) + ")"):
        raise Unreadable(f"its elements are nested more than {DEEPEST} deep")
    if _IN_NAMESPACE.search(content):
        _drop_namespace(root)
    return root


def _in_ascii_form(content: bytes) -> bytes:
    """UTF-16 and UTF-32 as UTF-8 without a declaration, so that the markup can be seen in the bytes."""
    for mark, encoding in _WIDE:
        if content.startswith(mark):
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError as error:
                raise Unreadable(f"it begins as {encoding} but is not: {error.reason}") from error
            text = text.removeprefix("\ufeff")
            return re.sub(r"\A\s*<\?xml[^>]*>", "", text).encode("utf-8", "replace")
    return content


_WIDE = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)


def _without_doctype(content: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """The document without its document type, and the short texts which that gives names to."""
    begin = content.find(b"<!DOCTYPE")
    first = _FIRST_ELEMENT.search(content)
    if begin < 0 or first is None or begin > first.start():
        return content, {}
    inside = False
    for token in _DOCTYPE_TOKEN.finditer(content, begin):
        sign = token.group()
        inside = (inside or sign == b"[") and sign != b"]"
        if sign == b">" and not inside:
            doctype = content[begin : token.end()]
            return content[:begin] + content[token.end() :], dict(_declared(doctype))
    raise Unreadable("its document type has no end")


_FIRST_ELEMENT = re.compile(rb"<[A-Za-z_]")
_DOCTYPE_TOKEN = re.compile(rb"\"[^\"]*\"|'[^']*'|<!--(?:.*?-->|.*)|[\[\]>]", re.DOTALL)


def _declared(doctype: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names for a few plain characters; one that stands for others, for markup or for much is left out."""
    for match in re.finditer(rb"<!ENTITY\s+([\w.:-]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>", doctype):
        value = match.group(2) or match.group(3) or b""
        if len(value) <= 64 and re.fullmatch(rb"(?:[^<&%]|&#x?[0-9A-Fa-f]+;)*", value):
            yield match.group(1), value


_NAMED = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|&([A-Za-z][\w.:-]*);", re.DOTALL)
_BEYOND_XML = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)")


def _with_characters(content: bytes, declared: dict[bytes, bytes]) -> bytes:
    """The document with characters where it names them.

    A parser that loads no document type refuses "&alpha;", or makes a node of it that whoever walks the tree for texts
    passes over without a sign; so no such name ever reaches the parser. One that nobody knows is kept as it is written.
    """
    if not _BEYOND_XML.search(content):
        return content

    def character(match: re.Match[bytes]) -> bytes:
        name = match.group(1)
        if name is None or name in (b"amp", b"lt", b"gt", b"quot", b"apos"):
            return match.group()
        if name in declared:
            return declared[name]
        known = html5.get(name.decode("ascii", "replace") + ";")
        return "".join(f"&#{ord(sign)};" for sign in known).encode() if known else b"&amp;" + name + b";"

    return _NAMED.sub(character, content)


_IN_NAMESPACE = re.compile(rb"xmlns[\w:-]*\s*=\s*[\"'][^\"']*\.nlm\.nih\.gov")


def _drop_namespace(root: Element) -> None:
    """Take the namespace that some deliveries put JATS in from the names of its elements."""
    for element in root.iter():
        if element.tag.startswith("{") and ".nlm.nih.gov" in element.tag:
            element.tag = element.tag.rpartition("}")[2]


def _outermost(root: Element, tag: str) -> list[Element]:
    """The elements of a name that stand in no other of that name."""
    found = root.iter(tag)
    return [element for element in found if next(element.iterancestors(tag), None) is None]


# Formulas.

_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_SPACED = frozenset("=<>≤≥≠≈≡∼≃≅∝→←↔⇒⇔+−±×·∈∪∩≪≫∣")


def _formula(element: Element) -> str:
    """A formula in TeX where the source has it so, else written out in a line; empty where it is only a picture."""
    tex = next(element.iter("tex-math"), None)
    if tex is not None:
        return _tex("".join(tex.itertext()))
    math = next(element.iter(_MATHML + "math"), None)
    return _math(math) if math is not None else ""


def _tex(source: str) -> str:
    """TeX between dollar signs, without the preamble that some publishers put before each formula."""
    _, begun, rest = source.partition(r"\begin{document}")
    body = rest.partition(r"\end{document}")[0] if begun else source
    body = " ".join(body.split()).strip("$ ")
    return f"${body}$" if body else ""


def _math(element: Element) -> str:
    """MathML written out in a line: fractions with a stroke, indices with "_" and exponents with "^"."""
    tag = element.tag.rpartition("}")[2]
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        text = " ".join("".join(element.itertext()).split())
        return f" {text} " if tag == "mo" and text in _SPACED else text
    if tag in ("annotation", "annotation-xml", "mphantom", "none", "mprescripts"):
        return ""
    if tag == "mspace":
        return " "
    parts = [_math(child) for child in element]
    return " ".join(_arranged(tag, element, parts).split()) if tag == "math" else _arranged(tag, element, parts)


def _arranged(tag: str, element: Element, parts: list[str]) -> str:
    """The parts of a formula as its construction wants them."""
    match tag, parts:
        case "mfrac", [above, below]:
            return f"{_held(above)}/{_held(below)}"
        case "msup", [base, high]:
            return _attached(base, ("^", high))
        case "msub" | "munder", [base, low]:
            return _attached(base, ("_", low))
        case "mover", [base, high]:
            return base + high if len(high.strip()) == 1 else _attached(base, ("^", high))
        case "msubsup" | "munderover", [base, low, high]:
            return _attached(base, ("_", low), ("^", high))
        case "msqrt", _:
            return f"√({''.join(parts)})"
        case "mroot", [inner, degree]:
            return f"({inner})^(1/{degree})"
        case "mfenced", _:
            return f"{element.get('open', '(')}{', '.join(parts)}{element.get('close', ')')}"
        case "mtable", _:
            return "; ".join(parts)
        case "mtr", _:
            return ", ".join(parts)
    return "".join(parts)


def _attached(base: str, *scripts: tuple[str, str]) -> str:
    # eLife writes "Ca" in letters and only the charge as a formula with an empty base.
    if not base.strip():
        return "".join(script for _, script in scripts)
    return base + "".join(sign + _held(script) for sign, script in scripts if script.strip())


def _held(part: str) -> str:
    """In brackets where it would come apart."""
    part = part.strip()
    return part if re.fullmatch(r"\w*|[−-]?\d+(?:\.\d+)?|\W", part) else f"({part})"


# Running text and blocks.

_SILENT = frozenset(
    {
        "object-id",
        "alt-text",
        "long-desc",
        "graphic",
        "inline-graphic",
        "permissions",
        "index-term",
        "related-article",
        "sub-article",
        "response",
        "ref-list",
        "private-char",
        "counts",
        "kwd-group",
        "colgroup",
    }
)
"""Elements without words that are the article's."""

_ROLES: dict[str, SectionRole] = {
    "intro": "introduction",
    "introduction": "introduction",
    "background": "background",
    "materials|methods": "methods",
    "materials and methods": "methods",
    "methods": "methods",
    "results": "results",
    "results|discussion": "results",
    "discussion": "discussion",
    "conclusions": "conclusion",
    "conclusion": "conclusion",
    "appendix": "appendix",
    "supplementary-material": "appendix",
}
"""What publishers write as `sec-type`."""

_EXPONENT = re.compile(r"[-−–+]?\d+(?:[.,/]\d+)?\s*")
WIDEST = 200
"""Columns of a table that cells may claim by spanning."""
LARGEST = 500_000
"""Fields of a table; a larger one is read as running text."""


@dataclass
class _Known:
    """What all stretches of one article share."""

    places: dict[str, int] = field(default_factory=dict)
    """Where in the list of references each key stands."""
    keys: list[str] = field(default_factory=list)
    floats: dict[str, Element] = field(default_factory=dict)
    """Figures and tables that the source keeps at its end, until the text first points to them."""


class _Writer:
    """Walks through elements and writes down the blocks it meets; depth is bounded when the document is parsed."""

    def __init__(self, known: _Known, pending: deque[Element] | None = None) -> None:
        self.blocks: list[Block] = []
        self._known = known
        self._words: Words = []
        self._lead = ""  # the number or sign of a list item, before its first words
        self._pending: deque[Element] = deque() if pending is None else pending
        self._level = 2
        self._paragraphs_open = 0
        self._settling = False
        self._raised = 0
        self._boxed = False
        self.points = True  # whether cross-references are written; footnote marks are no part of a title

    # Walking.

    def inside(self, element: Element, skip: tuple[str, ...] = ()) -> None:
        """All that stands in an element."""
        if element.text:
            self._words.append(element.text)
        for child in element:
            if child.tag not in skip:
                self.walk(child)
            if child.tail:
                self._words.append(child.tail)

    def walk(self, element: Element) -> None:
        """One element."""
        handler = _HANDLERS.get(element.tag)
        if handler is not None:
            handler(self, element)
        elif element.tag not in _SILENT:
            self.inside(element)

    def end(self) -> None:
        """Close the paragraph that is being written."""
        words, self._words = self._words, []
        if not any(piece.strip() if isinstance(piece, str) else True for piece in words):
            return
        words = self._ranges(_joined(words))
        if self._lead:
            words.insert(0, self._lead + " ")
            self._lead = ""
        self.blocks.append(Paragraph(words))

    def settle(self) -> None:
        """Write what was put off: figures, tables and notes that stand in the middle of a paragraph."""
        self.end()
        if self._settling or self._paragraphs_open:
            return
        self._settling = True
        while self._pending:
            self.walk(self._pending.popleft())
            self.end()
        self._settling = False

    def flat(self, element: Element, skip: tuple[str, ...] = ()) -> Words:
        """All words of an element as one stretch."""
        if not len(element):
            return [element.text] if element.text else []
        other = _Writer(self._known, self._pending)
        other._paragraphs_open = 1
        other.points = self.points
        other.inside(element, skip)
        other.end()
        words: Words = []
        for block in other.blocks:
            words.extend([" "] if words else [])
            words.extend(_words_of(block))
        return words

    def plain(self, element: Element | None) -> str:
        """The words of an element as printed, with one blank between them."""
        if element is None:
            return ""
        if not len(element):
            return " ".join((element.text or "").split())
        return _plain(self.flat(element))

    # Sections.

    def section(self, element: Element, default: str = "", role: SectionRole | None = None) -> None:
        """A headed stretch; one without a heading goes on where the last one stopped."""
        self.settle()
        heading = self._labelled(element.find("label"), element.find("title"), " ")
        # The Lancet gives its thanks in a headed section inside the thanks.
        if not heading and default and element.find("sec/title") is None:
            heading = [default]
        if heading and self._boxed:
            self.blocks.append(Paragraph(heading))
        elif heading:
            found = role or (_ROLES.get(element.get("sec-type", "").lower()) if self._level == 2 else None)
            self.blocks.append(Heading(self._level, heading, found))
        self._level += bool(heading)
        self.inside(element, ("label", "title", "sec-meta"))
        self.settle()
        self._level -= bool(heading)

    def _labelled(self, label: Element | None, title: Element | None, between: str) -> Words:
        first = self.flat(label) if label is not None else []
        second = self.flat(title) if title is not None else []
        return [*first, between, *second] if first and second else first or second

    def _appendix(self, element: Element) -> None:
        box = element.find("boxed-text")
        if box is None or len(element.findall("boxed-text")) > 1:
            self.section(element, "Appendix", "appendix")
            return
        # eLife puts a box around the whole of an appendix: its headings are headings.
        box.tag = "sec"
        self.section(element, "Appendix", "appendix")

    def _box(self, element: Element) -> None:
        if self._put_off(element):
            return
        # A heading would claim whatever follows the box, so that a box has none.
        boxed, self._boxed = self._boxed, True
        self._caption(element)
        self.inside(element, ("label", "caption"))
        self.end()
        self._boxed = boxed

    def _acknowledgement(self, element: Element) -> None:
        self.section(element, "Acknowledgements")

    def _glossary(self, element: Element) -> None:
        self.section(element, "Glossary")

    def _notes(self, element: Element) -> None:
        self.section(element, "Footnotes" if _is_of_back(element) else "")

    # Paragraphs and what breaks them.

    def _paragraph(self, element: Element) -> None:
        self.end()
        self._paragraphs_open += 1
        self.inside(element)
        self.end()
        self._paragraphs_open -= 1
        if not self._paragraphs_open and self._pending:
            self.settle()

    def _apart(self, element: Element) -> None:
        self.end()
        self.inside(element)
        self.end()

    def _list(self, element: Element) -> None:
        self.end()
        kind = element.get("list-type", "")
        number = 0
        for child in element:
            if child.tag != "list-item":
                self._apart(child)
                continue
            number += 1
            label = child.find("label")
            self._lead = self.plain(label) if label is not None else _sign(kind, number)
            self.inside(child, ("label",))
            self.end()
            self._lead = ""

    def _definition(self, element: Element) -> None:
        self.end()
        term = element.find("term")
        self._lead = self.plain(term).rstrip(":") + ":" if term is not None else ""
        self.inside(element, ("term",))
        self.end()
        self._lead = ""

    def _statement(self, element: Element) -> None:
        self.end()
        self._lead = _plain(self._labelled(element.find("label"), element.find("title"), " "))
        self.inside(element, ("label", "title"))
        self.end()
        self._lead = ""

    def _verbatim(self, element: Element) -> None:
        self.end()
        self.blocks.append(Paragraph(["".join(element.itertext())], verbatim=True))

    def _verse(self, element: Element) -> None:
        self.end()
        lines = [self.plain(line) for line in element.iterchildren("verse-line")]
        self.blocks.append(Paragraph(["\n".join(lines)], verbatim=True))
        self.inside(element, ("verse-line",))
        self.end()

    # What floats.

    def _put_off(self, element: Element) -> bool:
        """Whether something that stands in a paragraph was put after it, so that its sentences stay whole."""
        if self._paragraphs_open:
            self._pending.append(element)
            return True
        self.end()
        return False

    def _figure(self, element: Element) -> None:
        if not self._put_off(element):
            self._caption(element)
            self.inside(element, ("label", "caption"))
            self.settle()

    def _caption(self, element: Element) -> None:
        caption = self._caption_words(element)
        if caption:
            self.blocks.append(Paragraph(self._ranges(_joined(caption))))

    def _caption_words(self, element: Element) -> Words:
        """ "Figure 1. Its title. Its text." """
        label, caption = element.find("label"), element.find("caption")
        words: Words = []
        title = caption.find("title") if caption is not None else None
        rest = self.flat(caption, ("title",)) if caption is not None else []
        for part in (self.flat(label) if label is not None else [], self.flat(title) if title is not None else []):
            printed = _plain(part)
            words.extend(part)
            words.extend([] if not printed else [" "] if printed.endswith((".", ":", "?", "!", "|")) else [". "])
        return [*words, *rest]

    def _table_wrap(self, element: Element) -> None:
        if self._put_off(element):
            return
        caption = self._ranges(_joined(self._caption_words(element)))
        choices = element.iterchildren("alternatives")
        tables = [*element.iterchildren("table"), *(table for one in choices for table in one.iterchildren("table"))]
        if not tables and caption:  # A picture of a table.
            self.blocks.append(Paragraph(caption))
        for table in tables:
            self._add_table(caption, table)
            caption = []
        self.inside(element, ("label", "caption", "table", "alternatives"))
        self.settle()

    def _table(self, element: Element) -> None:
        if not self._put_off(element):
            self._add_table([], element)

    def _add_table(self, caption: Words, element: Element) -> None:
        table = FoundTable(caption, self._rows(element))
        widest = max((sum(cell.columns for cell in row) for row in table.rows), default=0)
        # Every row is printed as wide as the widest: a small file could ask for gigabytes of empty cells.
        too_large = widest * len(table.rows) > LARGEST
        self.blocks.append(Paragraph(_words_of(table)) if too_large else table)

    def _rows(self, table: Element) -> list[list[TableCell]]:
        """Its rows; below a cell that spans rows stands an empty one, so that columns stay in line."""
        rows: list[list[TableCell]] = []
        taken: dict[int, int] = {}  # columns that a cell above still fills, and for how many rows
        for row in _table_rows(table):
            cells: list[TableCell] = []
            column = 0
            head = row.getparent().tag == "thead"
            below = {place: left - 1 for place, left in taken.items() if left > 1}
            for cell in row.iterchildren("td", "th"):
                begin = column
                while column in taken:
                    column += 1
                if column > begin:
                    cells.append(TableCell([], head, column - begin))
                wide = _count(cell.get("colspan"), max(1, WIDEST - column))
                cells.append(TableCell(self._cell(cell), head or cell.tag == "th", wide))
                high = _count(cell.get("rowspan"), 65_534)
                if high > 1:
                    below.update(dict.fromkeys(range(column, min(WIDEST, column + wide)), high - 1))
                column += wide
            rows.append(cells)
            taken = below
        return rows

    def _cell(self, cell: Element) -> Words:
        return self._ranges(_joined(self.flat(cell))) if len(cell) else self.flat(cell)

    def _footnote(self, element: Element) -> None:
        if self._put_off(element):
            return
        label = element.find("label")
        self._lead = self.plain(label)
        self.inside(element, ("label",))
        self.end()
        self._lead = ""

    # Inline.

    def _break(self, element: Element) -> None:
        self._words.append(" ")

    def _link(self, element: Element) -> None:
        if len(element) or (element.text and element.text.strip()):
            self.inside(element)
        else:
            self._words.append(element.get(_HREF, ""))

    def _sup(self, element: Element) -> None:
        """Raised text; "10" and a raised "5" are no 105."""
        begin = len(self._words)
        after_digit = self._last()[-1:].isdigit()
        self._raised += 1
        self.inside(element)
        self._raised -= 1
        said = self._words[begin:]
        if after_digit and said and all(isinstance(piece, str) for piece in said) and _EXPONENT.fullmatch(_raw(said)):
            self._words.insert(begin, "^")

    def _last(self) -> str:
        piece = self._words[-1] if self._words else ""
        return piece if isinstance(piece, str) else piece.text

    def _inline_formula(self, element: Element) -> None:
        text = _formula(element)
        if text:
            self._words.append(text)
        else:
            self.inside(element)

    def _display_formula(self, element: Element) -> None:
        label = element.find("label")
        self._words.append(" ")
        text = _formula(element)
        if text:
            self._words.append(text)
        else:
            self.inside(element, ("label",))
        number = self.plain(label).strip("()")
        self._words.append(f" ({number}) " if number else " ")

    def _alternatives(self, element: Element) -> None:
        text = _formula(element)
        if text:
            self._words.append(text)
            return
        chosen = element.find("table")
        if chosen is None:
            chosen = next((child for child in element if child.tag not in _SILENT), None)
        if chosen is not None:
            self.walk(chosen)

    def _entry(self, element: Element) -> None:
        """A citation that is printed in the running text: eLife lists data sets so."""
        if next(element.iterancestors(*_CITATIONS), None) is None:
            self._words.append(_entry(element, self).text)
        else:  # Taken apart once more at every level, a deep nest of them would never end.
            self.inside(element)

    # Citations.

    def _xref(self, element: Element) -> None:
        if not self.points:
            return
        keys = tuple(element.get("rid", "").split())
        cites = element.get("ref-type") in ("bibr", "ref") or (keys and all(key in self._known.places for key in keys))
        for key in () if cites else keys:
            if key in self._known.floats:
                self._pending.append(self._known.floats.pop(key))
        if cites:
            self._words.extend(self._mark(element, keys))
            return
        # A raised footnote sign after a number is no further digit of it.
        if self._last()[-1:].isdigit() and "".join(element.itertext()).lstrip()[:1].isdigit():
            self._words.append(" ")
        self.inside(element)

    def _mark(self, element: Element, keys: tuple[str, ...]) -> Words:
        """The citation, with its brackets outside."""
        text = " ".join("".join(element.itertext()).split())
        if not text and keys and keys[0] in self._known.places:
            text = str(self._known.places[keys[0]] + 1)
        core = text.strip("[](), ") if text[:1] in "[(" or text[-1:] in "])," else text
        before, _, after = text.partition(core) if core else (text, "", "")
        raised = self._raised or (not (element.text or "").strip() and len(element) and element[0].tag == "sup")
        style: Literal["superscript"] | None = "superscript" if raised else None
        if core.count("(") > core.count(")") and after.startswith(")"):  # "Wu (2020)" keeps its own bracket
            core, after = core + ")", after[1:]
        apart = " " if self._last()[-1:].isdigit() and text[:1].isdigit() else ""
        return [apart + before, Mark(core, self._members(core, keys), style), after]

    def _members(self, text: str, keys: tuple[str, ...]) -> tuple[str, ...]:
        """The keys of a mark; of one that prints a range, those between too."""
        span = _RANGE.fullmatch(text)
        if span is None or not keys or keys[0] not in self._known.places:
            return keys
        begin = self._known.places[keys[0]]
        many = int(span.group(2)) - int(span.group(1)) + 1
        every = tuple(self._known.keys[begin : begin + many]) if 1 < many <= LONGEST_RANGE else ()
        return every if len(every) == many and set(keys) <= set(every) else keys

    def _ranges(self, words: Words) -> Words:
        """Two citations with a dash between them as one that holds all from the first to the last."""
        merged: Words = []
        for piece in words:
            both = self._range(merged[-2], merged[-1], piece) if len(merged) > 1 else None
            if both is None:
                merged.append(piece)
            else:
                merged[-2:] = [both]
        return merged

    def _range(self, first: Piece, dash: Piece, last: Piece) -> Mark | None:
        if not (
            isinstance(first, Mark) and isinstance(last, Mark) and isinstance(dash, str) and dash.strip() in _DASHES
        ):
            return None
        if not (first.text.isascii() and first.text.isdigit() and last.text.isascii() and last.text.isdigit()):
            return None
        text = first.text + dash.strip() + last.text
        keys = self._members(text, (*first.keys, *last.keys))
        many = int(last.text[:5]) - int(first.text[:5]) + 1
        return Mark(text, keys, first.style) if len(keys) == many else None


LONGEST_RANGE = 200
"""References between the first and the last of a range; more is no range that anybody printed."""
_DASHES = ("-", "–", "—", "−", "‐", "‑")
_RANGE = re.compile(r"(\d{1,5})\s?[-–—−‐‑]\s?(\d{1,5})")
_HREF = "{http://www.w3.org/1999/xlink}href"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def _is_of_back(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag == "back"


def _joined(words: Words) -> Words:
    """Neighbouring strings as one."""
    joined: Words = []
    strings: list[str] = []
    for piece in words:
        if isinstance(piece, str):
            strings.append(piece)
            continue
        if any(strings):
            joined.append("".join(strings))
        strings.clear()
        joined.append(piece)
    if any(strings):
        joined.append("".join(strings))
    return joined


def _plain(words: Words) -> str:
    """Running text as printed, with one blank between words."""
    return " ".join("".join(piece if isinstance(piece, str) else piece.text for piece in words).split())


def _words_of(block: Block) -> Words:
    if isinstance(block, FoundTable):
        cells = [cell.words for row in block.rows for cell in row]
        return [piece for words in [block.caption, *cells] for piece in [*words, " "]]
    return block.words


def _table_rows(table: Element) -> Iterator[Element]:
    """The rows of a table, not those of tables in its cells."""
    for part in table:
        if part.tag == "tr":
            yield part
        elif part.tag in ("thead", "tbody", "tfoot"):
            yield from part.iterchildren("tr")


def _sign(kind: str, number: int) -> str:
    """What stands before an item of a list that prints no labels of its own."""
    letter = chr(ord("a") + (number - 1) % 26)
    signs = {"order": f"{number}.", "bullet": "•", "alpha-lower": f"{letter}.", "alpha-upper": f"{letter.upper()}."}
    roman = {"roman-lower": f"{number}.", "roman-upper": f"{number}."}
    return (signs | roman).get(kind, "")


def _count(value: str | None, most: int) -> int:
    """A number of columns or rows, which may be anything at all."""
    return min(most, max(1, int(value))) if value and value.isascii() and value.isdigit() and len(value) < 8 else 1


_Handler = Callable[[_Writer, Element], None]
_HANDLERS: dict[str, _Handler] = {
    "sec": _Writer.section,
    "app": _Writer._appendix,
    "ack": _Writer._acknowledgement,
    "glossary": _Writer._glossary,
    "notes": _Writer.section,
    "fn-group": _Writer._notes,
    "boxed-text": _Writer._box,
    "p": _Writer._paragraph,
    "disp-quote": _Writer._apart,
    "attrib": _Writer._apart,
    "title": _Writer._apart,
    "subtitle": _Writer._apart,
    "speech": _Writer._apart,
    "list": _Writer._list,
    "def-item": _Writer._definition,
    "statement": _Writer._statement,
    "preformat": _Writer._verbatim,
    "code": _Writer._verbatim,
    "verse-group": _Writer._verse,
    "fig": _Writer._figure,
    "fig-group": _Writer._figure,
    "media": _Writer._figure,
    "supplementary-material": _Writer._figure,
    "table-wrap-group": _Writer._figure,
    "table-wrap": _Writer._table_wrap,
    "table": _Writer._table,
    "fn": _Writer._footnote,
    "break": _Writer._break,
    "hr": _Writer._break,
    "ext-link": _Writer._link,
    "uri": _Writer._link,
    "sup": _Writer._sup,
    "xref": _Writer._xref,
    "inline-formula": _Writer._inline_formula,
    "disp-formula": _Writer._display_formula,
    "tex-math": _Writer._inline_formula,
    _MATHML + "math": _Writer._inline_formula,
    "alternatives": _Writer._alternatives,
    "element-citation": _Writer._entry,
    "mixed-citation": _Writer._entry,
    "nlm-citation": _Writer._entry,
    "citation": _Writer._entry,
}


# References.

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "related-object")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
_PEOPLE = ("name", "string-name", "collab", "collab-name", "institution", "anonymous")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"]+")
_ARXIV = re.compile(
    r"arxiv\s*:?\s*(?:preprint\s*)?(?:arxiv:)?\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE
)


@dataclass(frozen=True)
class _Entry:
    """One citation as printed, and its parts."""

    text: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    ids: dict[str, str]


def _references(parts: Iterable[Element]) -> list[Element]:
    """Every entry of every list of references."""
    return [ref for part in parts for ref in part.iter("ref") if next(ref.iterancestors("ref"), None) is None]


def _reference(element: Element, key: str, writer: _Writer) -> FoundReference:
    """One entry; of several works under one number the first gives title, authors and year."""
    citations = [child for child in element.iterchildren() if child.tag in _CITATIONS]
    for choice in element.iterchildren("citation-alternatives", "alternatives"):
        citations.extend(child for child in list(choice)[:1] if child.tag in _CITATIONS)
    if not citations:
        text = _plain(writer.flat(element, ("label",)))
        return FoundReference(key, text, year=_year_printed(text), ids=_ids_in(element, text))
    entries = [_entry(citation, writer) for citation in citations]
    notes = [writer.plain(note) for note in element.iterchildren("note")]
    first = next((entry for entry in entries if entry.title), entries[0])
    text = " ".join([*(entry.text for entry in entries), *notes])
    return FoundReference(key, text, first.title, first.authors, first.year, first.ids)


def _entry(citation: Element, writer: _Writer) -> _Entry:
    """A citation, printed as it is where the source has its punctuation, else put together from its parts."""
    own = [citation.text, *(child.tail for child in citation)]
    printed = any(text and text.strip() for text in own)
    title = _title_of(citation, writer)
    authors = tuple(filter(None, (_person(person, writer) for person in _authors_of(citation))))
    text = _printed_entry(citation, writer) if printed else _composed_entry(citation, writer, authors, title)
    ids = _ids_in(citation, text)
    return _Entry(text, title, authors, _year_in(citation.find("year")) or _year_printed(text), ids)


def _title_of(citation: Element, writer: _Writer) -> str:
    for tag in _TITLES:
        title = writer.plain(citation.find(tag))
        if title:
            return title
    # A book, a program, a web page is called what its source is called; a journal is not the title of its article.
    if (citation.get("publication-type") or citation.get("citation-type") or "") in ("journal", "article-journal"):
        return ""
    source = citation.find("source")
    return writer.plain(source)


def _authors_of(citation: Element) -> list[Element]:
    """The elements that name its authors; its editors where it names none."""
    groups = citation.findall("person-group")
    authors = [group for group in groups if group.get("person-group-type", "author") in ("author", "allauthors")]
    loose = [child for child in citation if child.tag in _PEOPLE and child.tag != "institution"]
    people = [person for group in authors for person in group.iter(*_PEOPLE)] + loose
    return people or [person for group in groups for person in group.iter(*_PEOPLE)]


def _person(element: Element, writer: _Writer) -> str:
    """A name as it stands in an entry."""
    if element.tag == "anonymous":
        return "Anonymous"
    if element.tag == "name":
        parts = {child.tag: writer.plain(child) for child in element}
        return " ".join(filter(None, map(parts.get, ("surname", "given-names", "suffix"))))
    return writer.plain(element)


def _printed_entry(citation: Element, writer: _Writer) -> str:
    """The entry with the punctuation of the source."""
    words: list[str] = []

    def say(element: Element) -> None:
        words.append(element.text or "")
        for child in element:
            if child.tag == "name":
                words.append(_person(child, writer))
            elif child.tag == "person-group":
                say(child)
            elif child.tag == "pub-id":
                words.append(_printed_id(child, "".join(words[-3:])))
            elif child.tag == "etal" and not (child.text or "").strip():
                words.append("et al.")
            else:
                words.append(_raw(writer.flat(child)))
            words.append(child.tail or "")

    say(citation)
    return " ".join("".join(words).split())


def _raw(words: Words) -> str:
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


def _printed_id(element: Element, before: str) -> str:
    """A DOI as readers know it; the numbers of PubMed are for machines."""
    value = "".join(element.itertext()).strip()
    if element.get("pub-id-type") in ("pmid", "pmcid", "pmc", "medline", "other"):
        return ""
    named = re.search(r"(?:doi:?|doi\.org/)\s*$", before, re.IGNORECASE)
    return value if named or element.get("pub-id-type") != "doi" else f"doi:{value}"


def _composed_entry(citation: Element, writer: _Writer, authors: tuple[str, ...], title: str) -> str:
    """Authors. Year. Title. Source volume(issue):pages. Whatever else there is."""
    said: dict[str, str] = {}
    rest: list[str] = []
    for child in citation:
        if child.tag == "pub-id":
            rest.append(_printed_id(child, ""))
        elif child.tag in ("article-title", "source", "year", "volume", "issue", "fpage", "lpage", "elocation-id"):
            said.setdefault(child.tag, writer.plain(child))
        elif child.tag == "person-group" and child.get("person-group-type", "author") not in ("author", "allauthors"):
            people = ", ".join(filter(None, (_person(person, writer) for person in child.iter(*_PEOPLE))))
            rest.append(
                f"{people} ({child.get('person-group-type')})" if people and people != ", ".join(authors) else ""
            )
        elif child.tag not in ("person-group", "etal", "month", "day", "season", *_PEOPLE, *_TITLES):
            rest.append(writer.plain(child))
    others = " et al" if next(citation.iter("etal"), None) is not None else ""
    pages = "–".join(filter(None, (said.get("fpage"), said.get("lpage")))) or said.get("elocation-id", "")
    issue = f"({said['issue']})" if said.get("issue") else ""
    source = said.get("source", "") if said.get("source") != title else ""
    place = f"{source} {said.get('volume', '')}{issue}{':' if pages and (said.get('volume') or issue) else ' '}{pages}"
    parts = [", ".join(authors) + others, said.get("year", ""), title, " ".join(place.split()), *rest]
    return " ".join(part if part[-1] in ".?!" else part + "." for part in (part.strip() for part in parts) if part)


def _year_in(element: Element | None) -> int | None:
    """The year, also of "2011a" and "2008 26"."""
    if element is None:
        return None
    found = re.search(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)", "".join(element.itertext()))
    return int(found.group()) if found else None


def _year_printed(text: str) -> int | None:
    """The year in an entry whose parts are not marked: the one in brackets, or the only one there is."""
    in_brackets = re.search(r"\((1[89]\d\d|20\d\d)[a-z]?\)", text)
    if in_brackets:
        return int(in_brackets.group(1))
    years = set(re.findall(r"(?<![\d/.-])(?:19|20)\d\d(?![\d/-])", text))
    return int(years.pop()) if len(years) == 1 else None


def _ids_in(citation: Element, text: str) -> dict[str, str]:
    """Its identifiers, as the source gives them or as they are printed."""
    ids = _ids_of(citation.iter("pub-id", "object-id"))
    links = [element.get(_HREF, "") for element in citation.iter("ext-link", "uri", "self-uri")]
    if "doi" not in ids:
        printed = next(filter(None, (_bare("doi", link) for link in [*links, text])), "")
        ids.update({"doi": printed} if printed else {})
    places = " ".join(" ".join([text, *(link.replace("arxiv.org/abs/", "arxiv:") for link in links)]).split())
    arxiv = _ARXIV.search(places) if "rxiv" in places.lower() else None
    if arxiv:
        ids.setdefault("arxiv", arxiv.group(1).lower())
    return ids


def _ids_of(elements: Iterable[Element]) -> dict[str, str]:
    """The identifiers that elements hold, the first of each kind."""
    ids: dict[str, str] = {}
    for element in elements:
        kind = element.get("pub-id-type", "").lower()
        name = "pmcid" if kind == "pmc" else kind
        value = _bare(name, "".join(element.itertext())) if name in ("doi", "pmid", "pmcid", "arxiv") else ""
        if value:
            ids.setdefault(name, value)
    return ids


def _bare(name: str, value: str) -> str:
    """An identifier without the address or the name before it; empty where it is none."""
    value = value.strip()
    if name == "doi":
        found = _DOI.search(unquote(value))
        doi = found.group().rstrip(".,;:") if found else ""
        # Old DOIs of Wiley hold brackets of both kinds; a bracket that closes more than was opened is the sentence's.
        for opening, closing in ("()", "[]", "<>"):
            while doi.endswith(closing) and doi.count(closing) > doi.count(opening):
                doi = doi[:-1].rstrip(".,;:")
        return doi.lower()
    if name == "pmcid":
        digits = re.search(r"\d+", value)
        return "PMC" + digits.group() if digits else ""
    if name == "pmid":
        digits = re.search(r"\d+", value)
        return digits.group() if digits else ""
    return re.sub(r"^arxiv:\s*", "", value, flags=re.IGNORECASE).lower()


# The article.

_KINDS_OF_ARTICLE = re.compile(
    r"(?:(?:original|research|review|short|brief|clinical|full|regular|registered|scientific|feature|systematic)\s?)*"
    r"(?:articles?|papers?|reports?|research|reviews?|communications?|stud(?:y|ies)|trials?|correction|editorial|letters?"
    r"|insight|investigations?|advance|preprint|contributions?)",
    re.IGNORECASE,
)
_ASIDE = {
    "executive-summary": "Digest",
    "plain-language-summary": "Plain language summary",
    "summary": "Summary",
    "author-summary": "Author summary",
    "editor": "Summary by the editors",
    "key-points": "Key points",
    "highlights": "Highlights",
}
"""Abstracts beside the main one that are words about the article; others are pictures or lines for a contents page."""

_DATES = ("epub", "publication", "pub", "original-publication", "epub-ppub", "ppub", "collection")
_CREATIVE_COMMONS = re.compile(
    r"creativecommons\.org/(?:licenses/([a-z-]+)/(\d\.\d)(?:/([a-z]{2,3})\b)?|publicdomain/(zero|mark)/1\.0)",
    re.IGNORECASE,
)
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_NOTES_OF_AUTHORS = ("conflict", "coi-statement", "con", "financial-disclosure", "supported-by")


class _Reading:
    """One article being read."""

    def __init__(self, article: Element, name: str) -> None:
        self._article = article
        self._name = name
        front = article.find("front")
        self._meta = front.find("article-meta") if front is not None else None
        self._journal = front.find("journal-meta") if front is not None else None
        self._known = _Known()

    def found(self) -> Found:
        """Its parts."""
        references = self._references()
        floats = self._article.find("floats-group")
        for element in floats if floats is not None else ():
            self._known.floats[element.get("id") or f" {len(self._known.floats)}"] = element
        abstract, asides = self._abstracts()
        ids = self._ids()
        published, year = self._date()
        return Found(
            source=self._name,
            language=_language(self._article.get(_LANGUAGE, "")),
            title=self._title(),
            authors=list(self._authors()),
            abstract=abstract,
            body=[*asides, *self._body()],
            references=references,
            ids=ids,
            work=_work(ids.get("doi", "")),
            published=published,
            year=year,
            venue=self._venue(),
            subjects=self._subjects(),
            licence=self._licence(),
        )

    def _writer(self) -> _Writer:
        return _Writer(self._known)

    def _plain(self, element: Element | None, skip: tuple[str, ...] = ()) -> str:
        """An element of the front as printed, without the marks of its footnotes."""
        if element is None:
            return ""
        writer = self._writer()
        writer.points = False
        return _plain(writer.flat(element, (*skip, "fn")))

    # References come first: citations are told by them.

    def _references(self) -> list[FoundReference]:
        parts = [part for tag in ("front", "body", "back", "floats-group") for part in self._article.iterchildren(tag)]
        elements = _references(parts)
        for number, element in enumerate(elements, start=1):
            key = element.get("id") or f" {number}"
            if key in self._known.places:
                key = f"{key} {number}"
            self._known.places[key] = len(self._known.keys)
            self._known.keys.append(key)
            for inner in element.iter(*_CITATIONS):  # "3a" points to one of several works under a number
                self._known.places.setdefault(inner.get("id") or key, self._known.places[key])
        writer = self._writer()
        return [_reference(element, key, writer) for element, key in zip(elements, self._known.keys, strict=True)]

    # The front.

    def _title(self) -> str:
        group = self._meta.find("title-group") if self._meta is not None else None
        if group is None:
            return ""
        title = self._plain(group.find("article-title"))
        subtitle = self._plain(group.find("subtitle"))
        if not subtitle or not title:
            return title or subtitle
        return f"{title} {subtitle}" if title[-1] in ":.?!" else f"{title}: {subtitle}"

    def _authors(self) -> Iterator[FoundAuthor]:
        for group in self._meta.iterchildren("contrib-group") if self._meta is not None else ():
            for element in group:
                if element.tag == "on-behalf-of":
                    yield self._group(element)
                elif element.tag in _PEOPLE and element.tag != "institution":
                    yield self._author(group, element)
                elif element.tag == "contrib" and _is_author(element, group):
                    yield from self._contributor(element)

    def _contributor(self, element: Element) -> Iterator[FoundAuthor]:
        named = element.find("name-alternatives")
        holder = named if named is not None else element
        name = next(holder.iterchildren("name", "string-name", "collab", "anonymous"), None)
        if name is None:  # "collab-wrap" and the like
            name = next(element.iter("name", "string-name", "collab", "collab-name", "anonymous"), None)
        if name is not None:
            yield self._author(element, name)
        for body in element.iterchildren("on-behalf-of"):
            yield self._group(body)

    def _author(self, contributor: Element, name: Element) -> FoundAuthor:
        if name.tag in ("collab", "collab-name"):
            return self._group(name)
        if name.tag == "anonymous":
            return FoundAuthor("", "Anonymous")
        given, family, suffix = (self._plain(name.find(tag)) for tag in ("given-names", "surname", "suffix"))
        orcid = _orcid(contributor)
        ids = {"orcid": orcid} if orcid else {}
        if name.tag == "string-name":
            printed = self._plain(name)
            if not family:
                given, family = _split_name(printed)
            return FoundAuthor(given, family, ids=ids, printed=printed)
        ordered = (family, given) if name.get("name-style") == "eastern" else (given, family)
        printed = " ".join(filter(None, (*ordered, suffix)))
        # Iceland, Java and stage names have a given name alone, or a family name alone.
        return FoundAuthor(given if family else "", family or given, ids=ids, printed=printed)

    def _group(self, element: Element) -> FoundAuthor:
        """A body that signs as one; its members are named elsewhere."""
        printed = self._plain(element, ("contrib-group", "aff", "address", "email", "fn", "contrib-id", "role"))
        name = re.sub(r"^\W*(?:on behalf of|for)\s+", "", printed, flags=re.IGNORECASE).strip(" ,;()")
        return FoundAuthor("", name or printed, group=True, printed=printed.strip(" ,;"))

    def _ids(self) -> dict[str, str]:
        elements = list(self._meta.iterchildren("article-id")) if self._meta is not None else []
        # A reviewed preprint of eLife has the DOI of its article, and one of its own that names the version.
        states = self._meta.iter("article-version") if self._meta is not None else ()
        if any("preprint" in (state.text or "") for state in states):
            elements.sort(key=lambda element: element.get("specific-use") != "version")
        return _ids_of(elements)

    def _date(self) -> tuple[date | None, int | None]:
        """The day it first came out, where that is told, and the year."""
        dates = list(self._meta.iterchildren("pub-date")) if self._meta is not None else []
        known = [(kind, element) for element in dates for kind in [element.get("pub-type") or element.get("date-type")]]
        ranked = [element for wanted in _DATES for kind, element in known if kind == wanted]
        ranked += [element for kind, element in known if kind is None]
        day = next(filter(None, map(_day, ranked)), None)
        year = next(filter(None, (_year_in(element.find("year")) for element in ranked)), None)
        return day, year or (day.year if day else None)

    def _venue(self) -> str | None:
        return (
            self._plain(next(self._journal.iter("journal-title"), None)) or None if self._journal is not None else None
        )

    def _subjects(self) -> list[str]:
        if self._meta is None:
            return []
        headings = [
            self._plain(subject)
            for group in self._meta.iterfind("article-categories/subj-group")
            if group.get("subj-group-type") != "display-channel"
            for subject in group.iter("subject")
        ]
        words = [
            self._plain(word)
            for group in self._meta.iterchildren("kwd-group")
            if group.get("kwd-group-type") != "abbreviations"
            for word in group.iter("kwd")
        ]
        named = [heading for heading in headings if not _KINDS_OF_ARTICLE.fullmatch(heading)]
        return list(dict.fromkeys(filter(None, [*named, *words])))

    def _licence(self) -> str:
        permissions = self._meta.find("permissions") if self._meta is not None else None
        if permissions is None:
            return ""
        texts: list[str] = []
        for element in permissions.iter():
            texts.extend(filter(None, (element.get(_HREF), element.text)))
        for text in texts:
            found = _CREATIVE_COMMONS.search(text)
            if found:
                return _spdx(found)
        written = self._plain(permissions.find("license")) or self._plain(permissions.find("copyright-statement"))
        return next((text.strip() for text in texts if text.startswith("http")), written)

    # The text.

    def _abstracts(self) -> tuple[list[Block], list[Block]]:
        """The main abstract, and the others that are words about the article, each under its heading."""
        every = list(self._meta.iterchildren("abstract")) if self._meta is not None else []
        main = next((one for one in every if one.get("abstract-type") in (None, "", "normal", "structured")), None)
        if main is None:
            main = next((one for one in every if one.get("abstract-type") in ("summary", "short")), None)
        asides: list[Block] = []
        for other in every:
            heading = _ASIDE.get(other.get("abstract-type", "")) if other is not main else None
            if heading:
                writer = self._writer()
                writer.section(other, heading, "other")
                asides.extend(_without_addresses(writer.blocks))
        return (self._main_abstract(main) if main is not None else []), asides

    def _main_abstract(self, element: Element) -> list[Block]:
        writer = self._writer()
        writer._level = 3
        writer.inside(element, ("title", "label"))
        writer.settle()
        return _without_addresses(writer.blocks)

    def _body(self) -> list[Block]:
        writer = self._writer()
        for body in self._article.iterchildren("body"):
            writer.inside(body)
            writer.settle()
        for element in list(self._known.floats.values()):
            writer.walk(element)
            writer.settle()
        for back in self._article.iterchildren("back"):
            for part in _unfolded(back):
                writer.walk(part)
                writer.settle()
        notes = self._meta.find("author-notes") if self._meta is not None else None
        said = [note for note in notes.iterchildren("fn") if _is_said(note)] if notes is not None else []
        if said:
            writer.blocks.append(Heading(2, ["Author notes"], "other"))
        for note in said:
            writer.walk(note)
            writer.settle()
        return writer.blocks


def _is_said(note: Element) -> bool:
    """Whether a note on the authors says something that belongs to the text: who did what, who paid, who gains."""
    # eLife marks those who "contributed equally" as others mark what each contributed.
    return note.get("fn-type") in _NOTES_OF_AUTHORS and "contributed equally" not in "".join(note.itertext())


def _unfolded(back: Element) -> Iterator[Element]:
    """The parts of the back, appendices one by one."""
    for part in back:
        if part.tag == "app-group":
            yield from part.iterchildren("app")
        elif part.tag not in ("bio", "ref-list"):
            yield part


def _language(written: str) -> str:
    """Two letters of "en-GB"; English where nothing is said."""
    found = re.match(r"[A-Za-z]{2}(?![A-Za-z])", written.strip())
    return found.group().lower() if found else "en"


def _is_author(element: Element, group: Element) -> bool:
    kind = element.get("contrib-type") or group.get("content-type") or "author"
    return kind in ("author", "authors", "collab", "group", "anonymous")


def _orcid(contributor: Element) -> str:
    places = [*contributor.iterchildren("contrib-id", "ext-link", "uri")]
    for place in places:
        found = _ORCID.search((place.get(_HREF) or "") + " " + "".join(place.itertext()))
        if found and "orcid" in (place.get("contrib-id-type", "") + (place.get(_HREF) or "") + (place.text or "")):
            return found.group()
    return ""


def _split_name(printed: str) -> tuple[str, str]:
    """Given and family name of one that the source prints as a whole."""
    family, comma, given = printed.partition(",")
    if comma:
        return given.strip(), family.strip()
    given, _, family = printed.rpartition(" ")
    return given, family


def _day(element: Element) -> date | None:
    """A whole date; None where the day or the month is missing or impossible."""
    written = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d).*", element.get("iso-8601-date", ""))
    parts = (
        written.groups() if written else tuple(element.findtext(tag, "").strip() for tag in ("year", "month", "day"))
    )
    if not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        return None
    try:
        return date(*map(int, parts))
    except ValueError:  # The thirty-first of April.
        return None


def _work(doi: str) -> str | None:
    """eLife's number of a manuscript, which a reviewed preprint shares with its article."""
    found = re.match(r"10\.7554/elife\.(?:rp)?(\d+)", doi)
    return f"elife:{found.group(1)}" if found else None


def _spdx(found: re.Match[str]) -> str:
    kind, version, country, public = found.groups()
    if public:
        return "CC0-1.0" if public.lower() == "zero" else "CC-PDM-1.0"
    return "-".join(filter(None, ("CC", kind.upper(), version, (country or "").upper())))


def _without_addresses(blocks: list[Block]) -> list[Block]:
    """Without the paragraphs that are only the abstract's own DOI, as eLife printed them until 2017."""
    return [
        block
        for block in blocks
        if not (isinstance(block, Paragraph) and re.fullmatch(r"DOI:\s*\S+", _plain(block.words)))
    ]

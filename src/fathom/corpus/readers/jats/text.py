"""The running text of JATS: walks through its elements and writes down paragraphs, headings and tables."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from fathom.corpus.readers.jats.citations import Known, joined, printed, raw
from fathom.corpus.readers.jats.formulas import MATHML, formula
from fathom.corpus.readers.jats.references import CITATIONS, entry
from fathom.corpus.readers.jats.tables import table_of, words_of
from fathom.corpus.readers.jats.xml_parsing import HREF, Element
from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph
from fathom.records.documents import SectionRole

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
"""Elements without words that are the document's."""

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


class Writer:
    """Walks through elements and writes down the blocks it meets; depth is bounded when the document is parsed."""

    def __init__(self, known: Known, pending: deque[Element] | None = None) -> None:
        self.blocks: list[Block] = []
        self._known = known
        self._words: Inlines = []
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
        # lxml makes a new string each time it is asked for a text: half a paragraph, so it is asked once.
        if text := element.text:
            self._words.append(text)
        for child in element:
            if child.tag not in skip:
                self.walk(child)
            if tail := child.tail:
                self._words.append(tail)

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
        words = self._known.ranges(joined(words))
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

    def flat(self, element: Element, skip: tuple[str, ...] = ()) -> Inlines:
        """All words of an element as one stretch."""
        if not len(element):
            text = element.text
            return [text] if text else []
        other = Writer(self._known, self._pending)
        other._paragraphs_open = 1
        other.points = self.points
        other.inside(element, skip)
        other.end()
        words: Inlines = []
        for block in other.blocks:
            words.extend([" "] if words else [])
            words.extend(words_of(block))
        return words

    def plain(self, element: Element | None) -> str:
        """The words of an element as printed, with one blank between them."""
        if element is None:
            return ""
        if not len(element):
            text = element.text or ""
            return text if text.isalnum() else " ".join(text.split())
        return printed(self.flat(element))

    # Sections.

    def section(self, element: Element, default: str = "", role: SectionRole | None = None) -> None:
        """A headed stretch; one without a heading goes on where the last one stopped."""
        self.settle()
        heading = self._labeled(element.find("label"), element.find("title"), " ")
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

    def _labeled(self, label: Element | None, title: Element | None, between: str) -> Inlines:
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
        self._lead = printed(self._labeled(element.find("label"), element.find("title"), " "))
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
            self.blocks.append(Paragraph(self._known.ranges(joined(caption))))

    def _caption_words(self, element: Element) -> Inlines:
        """ "Figure 1. Its title. Its text." """
        label, caption = element.find("label"), element.find("caption")
        words: Inlines = []
        title = caption.find("title") if caption is not None else None
        rest = self.flat(caption, ("title",)) if caption is not None else []
        for part in (self.flat(label) if label is not None else [], self.flat(title) if title is not None else []):
            said = printed(part)
            words.extend(part)
            words.extend([] if not said else [" "] if said.endswith((".", ":", "?", "!", "|")) else [". "])
        return [*words, *rest]

    def _table_wrap(self, element: Element) -> None:
        if self._put_off(element):
            return
        caption = self._known.ranges(joined(self._caption_words(element)))
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

    def _add_table(self, caption: Inlines, element: Element) -> None:
        self.blocks.append(table_of(caption, element, self._cell))

    def _cell(self, cell: Element) -> Inlines:
        return self._known.ranges(joined(self.flat(cell))) if len(cell) else self.flat(cell)

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
            self._words.append(element.get(HREF, ""))

    def _sup(self, element: Element) -> None:
        """Raised text; "10" and a raised "5" are no 105."""
        begin = len(self._words)
        after_digit = self._last()[-1:].isdigit()
        self._raised += 1
        self.inside(element)
        self._raised -= 1
        said = self._words[begin:]
        if after_digit and said and all(isinstance(piece, str) for piece in said) and _EXPONENT.fullmatch(raw(said)):
            self._words.insert(begin, "^")

    def _last(self) -> str:
        piece = self._words[-1] if self._words else ""
        return piece if isinstance(piece, str) else piece.text

    def _inline_formula(self, element: Element) -> None:
        text = formula(element)
        if text:
            self._words.append(text)
        else:
            self.inside(element)

    def _display_formula(self, element: Element) -> None:
        label = element.find("label")
        self._words.append(" ")
        text = formula(element)
        if text:
            self._words.append(text)
        else:
            self.inside(element, ("label",))
        number = self.plain(label).strip("()")
        self._words.append(f" ({number}) " if number else " ")

    def _alternatives(self, element: Element) -> None:
        text = formula(element)
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
        if next(element.iterancestors(*CITATIONS), None) is None:
            self._words.append(entry(element, self).text)
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
            self._words.extend(self._known.mark(element, keys, self._raised > 0, self._last()[-1:].isdigit()))
            return
        # A raised footnote sign after a number is no further digit of it.
        if self._last()[-1:].isdigit() and "".join(element.itertext()).lstrip()[:1].isdigit():
            self._words.append(" ")
        self.inside(element)


def _is_of_back(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag == "back"


def _sign(kind: str, number: int) -> str:
    """What stands before an item of a list that prints no labels of its own."""
    letter = chr(ord("a") + (number - 1) % 26)
    signs = {"order": f"{number}.", "bullet": "•", "alpha-lower": f"{letter}.", "alpha-upper": f"{letter.upper()}."}
    roman = {"roman-lower": f"{number}.", "roman-upper": f"{number}."}
    return (signs | roman).get(kind, "")


_Handler = Callable[[Writer, Element], None]
_HANDLERS: dict[str, _Handler] = {
    "sec": Writer.section,
    "app": Writer._appendix,
    "ack": Writer._acknowledgement,
    "glossary": Writer._glossary,
    "notes": Writer.section,
    "fn-group": Writer._notes,
    "boxed-text": Writer._box,
    "p": Writer._paragraph,
    "disp-quote": Writer._apart,
    "attrib": Writer._apart,
    "title": Writer._apart,
    "subtitle": Writer._apart,
    "speech": Writer._apart,
    "list": Writer._list,
    "def-item": Writer._definition,
    "statement": Writer._statement,
    "preformat": Writer._verbatim,
    "code": Writer._verbatim,
    "verse-group": Writer._verse,
    "fig": Writer._figure,
    "fig-group": Writer._figure,
    "media": Writer._figure,
    "supplementary-material": Writer._figure,
    "table-wrap-group": Writer._figure,
    "table-wrap": Writer._table_wrap,
    "table": Writer._table,
    "fn": Writer._footnote,
    "break": Writer._break,
    "hr": Writer._break,
    "ext-link": Writer._link,
    "uri": Writer._link,
    "sup": Writer._sup,
    "xref": Writer._xref,
    "inline-formula": Writer._inline_formula,
    "disp-formula": Writer._display_formula,
    "tex-math": Writer._inline_formula,
    MATHML + "math": Writer._inline_formula,
    "alternatives": Writer._alternatives,
    "element-citation": Writer._entry,
    "mixed-citation": Writer._entry,
    "nlm-citation": Writer._entry,
    "citation": Writer._entry,
}

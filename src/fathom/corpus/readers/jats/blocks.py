"""The text of JATS: walks its elements and builds paragraphs, headings and tables."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from fathom.corpus.readers.jats.formulas import MATHML, formula
from fathom.corpus.readers.jats.references import CITATIONS, CitationIndex, entry
from fathom.corpus.readers.jats.tables import block_inlines, build_table
from fathom.corpus.readers.jats.xml_parsing import HREF
from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph
from fathom.corpus.readers.parsing.blocks import inline_text, inlines_text, normalized_text
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.parsing.xml_trees import Element
from fathom.records.documents import SectionRole

_SKIPPED = word_set(
    "object-id alt-text long-desc graphic inline-graphic permissions index-term related-article sub-article"
    " response ref-list private-char counts kwd-group colgroup"
)
"""Elements that contain no text of the article."""

_ROLES: dict[str, SectionRole] = {
    "intro": "introduction", "introduction": "introduction", "background": "background",
    "materials|methods": "methods", "materials and methods": "methods", "methods": "methods",
    "results": "results", "results|discussion": "results", "discussion": "discussion", "conclusions": "conclusion",
    "conclusion": "conclusion", "appendix": "appendix", "supplementary-material": "appendix",
}  # fmt: skip
"""Section roles by `sec-type`."""

_EXPONENT = re.compile(r"[-−–+]?\d+(?:[.,/]\d+)?\s*")


class BlockBuilder:
    """Walks elements and collects blocks. Recursion is safe because the parser limits the depth."""

    def __init__(self, citations: CitationIndex, pending: deque[Element] | None = None) -> None:
        self.blocks: list[Block] = []
        self._citations = citations
        self._inlines: Inlines = []
        self._prefix = ""  # the number or bullet of a list item
        self._pending: deque[Element] = deque() if pending is None else pending
        self.level = 2
        self._paragraphs_open = 0
        self._flushing = False
        self._superscript_depth = 0
        self._in_box = False
        self.with_references = True  # whether cross-references are printed; footnote marks are not part of a title

    # Walking.

    def walk_children(self, element: Element, skip: tuple[str, ...] = ()) -> None:
        """Walk the content of an element."""
        # lxml creates a new string on each access to `text`: access it once.
        if text := element.text:
            self._inlines.append(text)
        for child in element:
            tag = child.tag
            if tag not in skip:
                _HANDLERS.get(tag, BlockBuilder.walk_children)(self, child)
            if tail := child.tail:
                self._inlines.append(tail)

    def walk(self, element: Element) -> None:
        """Walk one element."""
        _HANDLERS.get(element.tag, BlockBuilder.walk_children)(self, element)

    def end_paragraph(self) -> None:
        """Finish the current paragraph."""
        inlines = self._inlines
        if not inlines:
            return
        self._inlines = []
        if not any(not isinstance(piece, str) or piece.strip() for piece in inlines):
            return
        inlines = self._citations.merge(inlines)
        if self._prefix:
            inlines.insert(0, self._prefix + " ")
            self._prefix = ""
        self.blocks.append(Paragraph(inlines))

    def flush_pending(self) -> None:
        """Add the deferred figures, tables and notes, which are in the middle of a paragraph."""
        self.end_paragraph()
        if self._flushing or self._paragraphs_open:
            return
        self._flushing = True
        while self._pending:
            self.walk(self._pending.popleft())
            self.end_paragraph()
        self._flushing = False

    def inlines_of(self, element: Element | None, skip: tuple[str, ...] = ()) -> Inlines:
        """Return the content of an element as one run of inlines."""
        if element is None:
            return []
        if not len(element):
            text = element.text
            return [text] if text else []
        other = BlockBuilder(self._citations, self._pending)
        other._paragraphs_open = 1
        other.with_references = self.with_references
        other.walk_children(element, skip)
        other.end_paragraph()
        inlines: Inlines = []
        for block in other.blocks:
            inlines.extend([" "] if inlines else [])
            inlines.extend(block_inlines(block))
        return inlines

    def text_of(self, element: Element | None) -> str:
        """Return the text of an element with normalized whitespace."""
        if element is None:
            return ""
        if not len(element):
            text = element.text or ""
            return text if text.isalnum() else " ".join(text.split())
        return normalized_text(self.inlines_of(element))

    # Sections.

    def section(self, element: Element, default: str = "", role: SectionRole | None = None) -> None:
        """Add a section. One without a heading continues the previous one."""
        self.flush_pending()
        heading = self._label_and_title(element)
        # The Lancet has a headed section inside the acknowledgements.
        if not heading and default and element.find("sec/title") is None:
            heading = [default]
        if heading and self._in_box:
            self.blocks.append(Paragraph(heading))
        elif heading:
            section_role = role or (_ROLES.get(element.get("sec-type", "").lower()) if self.level == 2 else None)
            self.blocks.append(Heading(self.level, heading, section_role))
        self.level += bool(heading)
        self.walk_children(element, ("label", "title", "sec-meta"))
        self.flush_pending()
        self.level -= bool(heading)

    def _label_and_title(self, element: Element) -> Inlines:
        label, title = (self.inlines_of(element.find(tag)) for tag in ("label", "title"))
        return [*label, " ", *title] if label and title else label or title

    def _appendix(self, element: Element) -> None:
        boxes = element.findall("boxed-text")
        if len(boxes) == 1:
            # eLife puts a whole appendix into a box: its headings are real headings.
            boxes[0].tag = "sec"
        self.section(element, "Appendix", "appendix")

    def _box(self, element: Element) -> None:
        if self._defer(element):
            return
        # A heading would also cover what follows the box, so a box has none.
        boxed, self._in_box = self._in_box, True
        self._caption(element)
        self.walk_children(element, ("label", "caption"))
        self.end_paragraph()
        self._in_box = boxed

    def _notes(self, element: Element) -> None:
        parent = element.getparent()
        self.section(element, "Footnotes" if parent is not None and parent.tag == "back" else "")

    # Paragraphs and blocks inside them.

    def _paragraph(self, element: Element) -> None:
        self.end_paragraph()
        self._paragraphs_open += 1
        self.walk_children(element)
        self.end_paragraph()
        self._paragraphs_open -= 1
        if not self._paragraphs_open and self._pending:
            self.flush_pending()

    def _separate_block(self, element: Element) -> None:
        self.end_paragraph()
        self.walk_children(element)
        self.end_paragraph()

    def _list(self, element: Element) -> None:
        self.end_paragraph()
        kind = element.get("list-type", "")
        number = 0
        for child in element:
            if child.tag != "list-item":
                self._separate_block(child)
                continue
            number += 1
            label = child.find("label")
            self._prefixed(child, self.text_of(label) if label is not None else _list_marker(kind, number), "label")

    def _definition(self, element: Element) -> None:
        self.end_paragraph()
        term = element.find("term")
        self._prefixed(element, self.text_of(term).rstrip(":") + ":" if term is not None else "", "term")

    def _statement(self, element: Element) -> None:
        self.end_paragraph()
        self._prefixed(element, normalized_text(self._label_and_title(element)), "label", "title")

    def _prefixed(self, element: Element, prefix: str, *skip: str) -> None:
        """Walk the content of an element, with a number or term before its first paragraph."""
        self._prefix = prefix
        self.walk_children(element, skip)
        self.end_paragraph()
        self._prefix = ""

    def _verbatim(self, element: Element) -> None:
        self.end_paragraph()
        self.blocks.append(Paragraph(["".join(element.itertext())], verbatim=True))

    def _verse(self, element: Element) -> None:
        self.end_paragraph()
        lines = [self.text_of(line) for line in element.iterchildren("verse-line")]
        self.blocks.append(Paragraph(["\n".join(lines)], verbatim=True))
        self.walk_children(element, ("verse-line",))
        self.end_paragraph()

    # Floats.

    def _defer(self, element: Element) -> bool:
        """Defer an element inside a paragraph, so that its sentences stay whole; returns whether it was deferred."""
        if self._paragraphs_open:
            self._pending.append(element)
            return True
        self.end_paragraph()
        return False

    def _figure(self, element: Element) -> None:
        if not self._defer(element):
            self._caption(element)
            self.walk_children(element, ("label", "caption"))
            self.flush_pending()

    def _caption(self, element: Element) -> None:
        caption = self._caption_words(element)
        if caption:
            self.blocks.append(Paragraph(self._citations.merge(caption)))

    def _caption_words(self, element: Element) -> Inlines:
        """Return a caption as "Figure 1. Its title. Its text." """
        caption = element.find("caption")
        inlines: Inlines = []
        title = caption.find("title") if caption is not None else None
        for part in (self.inlines_of(element.find("label")), self.inlines_of(title)):
            text = normalized_text(part)
            inlines.extend(part)
            inlines.extend([] if not text else [" "] if text.endswith((".", ":", "?", "!", "|")) else [". "])
        return [*inlines, *self.inlines_of(caption, ("title",))]

    def _table_wrap(self, element: Element) -> None:
        if self._defer(element):
            return
        caption = self._citations.merge(self._caption_words(element))
        choices = element.iterchildren("alternatives")
        tables = [
            *element.iterchildren("table"),
            *(table for choice in choices for table in choice.iterchildren("table")),
        ]
        if not tables and caption:  # An image of a table.
            self.blocks.append(Paragraph(caption))
        for table in tables:
            self._add_table(caption, table)
            caption = []
        self.walk_children(element, ("label", "caption", "table", "alternatives"))
        self.flush_pending()

    def _table(self, element: Element) -> None:
        if not self._defer(element):
            self._add_table([], element)

    def _add_table(self, caption: Inlines, element: Element) -> None:
        self.blocks.append(build_table(caption, element, self._cell))

    def _cell(self, cell: Element) -> Inlines:
        return self._citations.merge(self.inlines_of(cell)) if len(cell) else self.inlines_of(cell)

    def _footnote(self, element: Element) -> None:
        if not self._defer(element):
            self._prefixed(element, self.text_of(element.find("label")), "label")

    # Inline.

    def _break(self, element: Element) -> None:
        self._inlines.append(" ")

    def _link(self, element: Element) -> None:
        if len(element) or (element.text and element.text.strip()):
            self.walk_children(element)
        else:
            self._inlines.append(element.get(HREF, ""))

    def _sup(self, element: Element) -> None:
        """Add superscript text. "10" with a superscript "5" is 10^5, not 105."""
        begin = len(self._inlines)
        after_digit = self._last()[-1:].isdigit()
        self._superscript_depth += 1
        self.walk_children(element)
        self._superscript_depth -= 1
        added = self._inlines[begin:]
        if (
            after_digit
            and added
            and all(isinstance(piece, str) for piece in added)
            and _EXPONENT.fullmatch(inlines_text(added))
        ):
            self._inlines.insert(begin, "^")

    def _last(self) -> str:
        return inline_text(self._inlines[-1]) if self._inlines else ""

    def _formula_or_children(self, element: Element, *skip: str) -> None:
        if text := formula(element):
            self._inlines.append(text)
        else:
            self.walk_children(element, skip)

    def _display_formula(self, element: Element) -> None:
        self._inlines.append(" ")
        self._formula_or_children(element, "label")
        number = self.text_of(element.find("label")).strip("()")
        self._inlines.append(f" ({number}) " if number else " ")

    def _alternatives(self, element: Element) -> None:
        text = formula(element)
        if text:
            self._inlines.append(text)
            return
        chosen = element.find("table")
        if chosen is None:
            chosen = next((child for child in element if child.tag not in _SKIPPED), None)
        if chosen is not None:
            self.walk(chosen)

    def _entry(self, element: Element) -> None:
        """Add a citation printed in running text, as eLife does for data sets."""
        if next(element.iterancestors(*CITATIONS), None) is None:
            self._inlines.append(entry(element, self).text)
        else:  # Parsing nested citations again at every level would take exponential time.
            self.walk_children(element)

    # Citations.

    def _xref(self, element: Element) -> None:
        if not self.with_references:
            return
        keys = tuple(element.get("rid", "").split())
        cites = element.get("ref-type") in ("bibr", "ref") or (
            keys and all(key in self._citations.positions for key in keys)
        )
        for key in () if cites else keys:
            if key in self._citations.floats:
                self._pending.append(self._citations.floats.pop(key))
        if cites:
            self._inlines.extend(
                self._citations.mark(element, keys, self._superscript_depth > 0, self._last()[-1:].isdigit())
            )
            return
        # A superscript footnote mark after a number is not another digit of it.
        if self._last()[-1:].isdigit() and "".join(element.itertext()).lstrip()[:1].isdigit():
            self._inlines.append(" ")
        self.walk_children(element)


def _list_marker(kind: str, number: int) -> str:
    """Return the marker of a list item that has no label."""
    letter = chr(ord("a") + (number - 1) % 26)
    if kind in ("order", "roman-lower", "roman-upper"):
        return f"{number}."
    return {"bullet": "•", "alpha-lower": f"{letter}.", "alpha-upper": f"{letter.upper()}."}.get(kind, "")


_Handler = Callable[[BlockBuilder, Element], None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(_SKIPPED, lambda builder, element: None),
    "sec": BlockBuilder.section,
    "app": BlockBuilder._appendix,
    "ack": lambda builder, element: builder.section(element, "Acknowledgements"),
    "glossary": lambda builder, element: builder.section(element, "Glossary"),
    "notes": BlockBuilder.section,
    "fn-group": BlockBuilder._notes,
    "boxed-text": BlockBuilder._box,
    "p": BlockBuilder._paragraph,
    **dict.fromkeys(("disp-quote", "attrib", "title", "subtitle", "speech"), BlockBuilder._separate_block),
    "list": BlockBuilder._list,
    "def-item": BlockBuilder._definition,
    "statement": BlockBuilder._statement,
    **dict.fromkeys(("preformat", "code"), BlockBuilder._verbatim),
    "verse-group": BlockBuilder._verse,
    **dict.fromkeys(("fig", "fig-group", "media", "supplementary-material", "table-wrap-group"), BlockBuilder._figure),
    "table-wrap": BlockBuilder._table_wrap,
    "table": BlockBuilder._table,
    "fn": BlockBuilder._footnote,
    **dict.fromkeys(("break", "hr"), BlockBuilder._break),
    **dict.fromkeys(("ext-link", "uri"), BlockBuilder._link),
    "sup": BlockBuilder._sup,
    "xref": BlockBuilder._xref,
    **dict.fromkeys(("inline-formula", "tex-math", MATHML + "math"), BlockBuilder._formula_or_children),
    "disp-formula": BlockBuilder._display_formula,
    "alternatives": BlockBuilder._alternatives,
    **dict.fromkeys(CITATIONS, BlockBuilder._entry),
}

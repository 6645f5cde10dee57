"""Reader of Word documents: styles and outline levels give the structure, for any program and language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fathom.corpus.readers.docx.runs import ParagraphText, RunReader
from fathom.corpus.readers.docx.styles import Numbering, ParagraphStyle, Styles, int_value
from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import plain_text
from fathom.corpus.readers.markdown.reader import read_blocks
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument, ReadError
from fathom.corpus.readers.parsing.author_fields import YamlValue
from fathom.corpus.readers.parsing.bylines import find_authors, is_prose
from fathom.corpus.readers.parsing.tables import MAX_CELLS, check_rows
from fathom.corpus.readers.parsing.text_cleanup import title_from_name
from fathom.corpus.readers.parsing.xml_trees import Element, local
from fathom.corpus.readers.parsing.zip_parts import ZipParts, attribute, child

FORMAT = "docx"

_NAMES = (".docx", ".docm", ".dotx")
_MAX_TITLE = 250
_HOLDERS = frozenset(("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
"""Elements around paragraphs that add nothing to them."""
_REFERENCES = re.compile(r"\W*(?:references|bibliography|works cited|literature cited|参考文献)\W*", re.IGNORECASE)


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is a Word document since 2007."""
    return head.startswith(b"PK\x03\x04") and (name.lower().endswith(_NAMES) or b"word/document.xml" in head)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one document of a file."""
    yield _WordReader(ZipParts(content), name).read()


class _WordReader:
    """Reads the main part of a document, and the parts that it refers to."""

    def __init__(self, parts: ZipParts, name: str) -> None:
        self._parts, self._name = parts, name
        main = parts.main_part("word/document.xml")
        root = parts.tree(main)
        body = child(root, "body")
        if body is None:
            raise ReadError("it has no Word document in it")
        self._body = body
        related = dict(parts.relations(main).values())
        self._styles = Styles(parts, related.get("styles"))
        self._numbering = Numbering(parts, related.get("numbering"))
        self._notes = [related[kind] for kind in ("footnotes", "endnotes") if kind in related]
        self._runs = RunReader()
        self._values: dict[str, YamlValue] = {}
        self._titles: list[str] = []
        self._authors: list[str] = []
        self._abstract: list[str] = []
        self._bold_headings = False
        self._cells = 0

    def read(self) -> ParsedDocument:
        blocks = self._merged(list(self._blocks(self._body)))
        blocks += self._note_blocks()
        styled_headings = any(block.kind == "heading" for block in blocks)
        core = self._core()
        doubt = ""
        if self._titles:
            self._values["title"] = " ".join(self._titles)
        else:
            blocks, doubt = self._find_title(blocks, core.get("title", ""))
        if not styled_headings:
            blocks = [self._bold_heading(block) for block in blocks]
        authors = find_authors(self._authors)
        if authors:
            self._values["authors"] = [author.printed or f"{author.given} {author.family}" for author in authors]
        elif self._authors:
            blocks = [*(MarkdownBlock("paragraph", author) for author in self._authors), *blocks]
        if self._abstract:
            self._values["abstract"] = "\n\n".join(map(plain_text, self._abstract))
        self._values.setdefault("lang", self._styles.language or core.get("language", ""))
        if not any(block.kind != "heading" for block in blocks):
            raise ReadError("it has no text")
        document = read_blocks([_unbold(block) for block in blocks], self._name, self._values)
        if doubt:
            document.unknown["title"] = doubt
        if self._bold_headings:
            document.unknown["sections"] = "headings are bold lines, not styles"
        if core.get("creator") and not document.authors:
            document.unknown["authors"] = "only the properties of the file name an author"
        return document

    # Blocks.

    def _blocks(self, container: Element) -> Iterator[MarkdownBlock]:
        stack = list(reversed(container))
        joined: list[Element] = []
        while stack:
            element = stack.pop()
            name = local(element)
            if name == "p":
                # The paragraph's end was deleted: it continues in the next one.
                if child(element, "pPr", "rPr", "del") is not None and len(joined) < 100:
                    joined.append(element)
                    continue
                yield from self._paragraph([*joined, element])
                joined = []
            elif name == "tbl":
                yield from self._table(element)
            elif name in _HOLDERS and not _is_contents(element):
                stack.extend(reversed(element))
        if joined:
            yield from self._paragraph(joined)

    def _paragraph(self, elements: list[Element]) -> Iterator[MarkdownBlock]:
        read = [self._runs.read(element) for element in elements]
        text = ParagraphText(" ".join(filter(None, (one.text for one in read))), all(one.bold for one in read))
        properties = child(elements[-1], "pPr")
        style = self._style(properties)
        if text.text and style.part != "contents":
            yield from self._styled(text, style)
        for box in (box for one in read for box in one.boxes):
            yield from self._blocks(box)

    def _style(self, properties: Element | None) -> ParagraphStyle:
        style = self._styles.get(attribute(child(properties, "pStyle"), "val"))
        outline = attribute(child(properties, "outlineLvl"), "val")
        if style.part == "text" and outline and int_value(outline) < 9:
            return ParagraphStyle("heading", int_value(outline) + 1)
        numbers = child(properties, "numPr")
        list_id = attribute(child(numbers, "numId"), "val")
        if style.part in ("text", "item") and list_id == "0":
            return ParagraphStyle()  # A list of its style that is switched off here.
        if style.part in ("text", "item") and list_id:
            return ParagraphStyle("item", 0, list_id, int_value(attribute(child(numbers, "ilvl"), "val")))
        return style

    def _styled(self, text: ParagraphText, style: ParagraphStyle) -> Iterator[MarkdownBlock]:
        match style.part:
            case "title":
                self._titles.append(plain_text(text.text))
            case "author":
                self._authors.extend(text.text.split("\n"))
            case "date":
                self._values.setdefault("date", plain_text(text.text))
            case "abstract":
                self._abstract.append(text.text)
            case "abstract title":
                pass
            case "heading":
                yield MarkdownBlock("heading", text.text, style.level + 1)
            case "item":
                yield MarkdownBlock("item", text.text, marker=self._numbering.marker(style.list_id, style.list_level))
            case _:
                yield MarkdownBlock("paragraph", f"\ue010{text.text}" if text.bold else text.text)

    def _table(self, table: Element) -> Iterator[MarkdownBlock]:
        rows: list[tuple[str, ...]] = []
        for row in (element for element in table.iter() if local(element) == "tr" and _inside(element, "tbl") is table):
            if child(row, "trPr", "del") is not None:
                continue
            cells: list[str] = []
            for cell in (element for element in row.iter() if local(element) == "tc" and _inside(element, "tr") is row):
                cells.extend(self._cell(cell))
            rows.append(tuple(cells))
            self._cells += len(cells)
            check_rows(len(rows))
            if self._cells > MAX_CELLS:
                raise ReadError(f"it has more than {MAX_CELLS:,} cells")
        filled = [row for row in rows if any(row)]
        if filled and max(map(len, filled)) == 1:  # A frame around text.
            yield from (MarkdownBlock("paragraph", row[0]) for row in filled)
        elif filled:
            header = not any(re.fullmatch(r"[-(]?[\d.,]+[%)]?", cell) for cell in filled[0][1:])
            yield MarkdownBlock("table", rows=tuple(filled), has_header=header)

    def _cell(self, cell: Element) -> list[str]:
        properties = child(cell, "tcPr")
        span = min(60, max(1, int_value(attribute(child(properties, "gridSpan"), "val"))))
        merged = child(properties, "vMerge")
        if merged is not None and attribute(merged, "val") != "restart":
            return [""] * span
        texts = [self._runs.read(element).text for element in cell.iter() if local(element) == "p"]
        return [" ".join(filter(None, texts)).replace("\n", " "), *[""] * (span - 1)]

    def _note_blocks(self) -> list[MarkdownBlock]:
        """Return the footnotes and endnotes as a section at the end."""
        notes: list[str] = []
        for name in self._notes:
            root = self._parts.tree(name)
            for note in root if root is not None else ():
                if attribute(note, "type") in ("", "normal"):
                    paragraphs = [self._runs.read(element).text for element in note.iter() if local(element) == "p"]
                    notes.append(" ".join(filter(None, paragraphs)))
        numbered = [(number, note) for number, note in enumerate(notes, start=1) if note]
        if not numbered:
            return []
        return [
            MarkdownBlock("heading", "Notes", 2),
            *(MarkdownBlock("item", note, marker=f"{number}.") for number, note in numbered),
        ]

    # Title and properties.

    def _merged(self, blocks: list[MarkdownBlock]) -> list[MarkdownBlock]:
        """Return the blocks; the only heading of level one, above all others, is the title."""
        headings = [block for block in blocks if block.kind == "heading"]
        top = [block for block in headings if block.level == 2]
        first = next((block for block in blocks if block.text), None)
        if not self._titles and len(top) == 1 and len(headings) > 1 and top[0] is first:
            self._titles.append(plain_text(top[0].text))
            return [block for block in blocks if block is not first]
        return blocks

    def _find_title(self, blocks: list[MarkdownBlock], stated: str) -> tuple[list[MarkdownBlock], str]:
        """Find the title of a document without a title style; returns the other blocks, and a doubt if there is one."""
        for position, block in enumerate(blocks[:3]):
            text = plain_text(block.text.lstrip("\ue010"))
            if block.kind != "paragraph" or not text:
                break
            if len(text) <= _MAX_TITLE and not text.endswith((".", "。", ",", ";")) and not is_prose(text):
                self._values["title"] = text
                return [*blocks[:position], *blocks[position + 1 :]], ""
            break
        if _is_title(stated):
            self._values["title"] = stated
            return blocks, "it is only in the properties of the file"
        self._values["title"] = title_from_name(self._name)
        return blocks, "no title style, and no line of its own above the text"

    def _bold_heading(self, block: MarkdownBlock) -> MarkdownBlock:
        """Return a bold line as a heading, in a document without styles."""
        text = plain_text(block.text.lstrip("\ue010"))
        if block.kind != "paragraph" or len(text) > 100 or text.endswith((".", ",", ";", ":")):
            return block
        if _REFERENCES.fullmatch(text):
            return MarkdownBlock("heading", block.text.lstrip("\ue010"), 2)
        if block.text.startswith("\ue010"):
            self._bold_headings = True
            return MarkdownBlock("heading", block.text[1:], 2)
        return block

    def _core(self) -> dict[str, str]:
        """Return the properties of the file."""
        target = next((path for kind, path in self._parts.relations("").values() if kind == "core-properties"), "")
        root = self._parts.tree(target or "docProps/core.xml")
        return {local(one): " ".join((one.text or "").split()) for one in (root if root is not None else ())}


def _unbold(block: MarkdownBlock) -> MarkdownBlock:
    if not block.text.startswith("\ue010"):
        return block
    return MarkdownBlock(block.kind, block.text[1:], block.level, block.marker, block.rows, block.has_header)


def _is_title(text: str) -> bool:
    """Return whether a property can be a title: not a file name, nor a program's default."""
    return 3 < len(text) <= _MAX_TITLE and not re.search(
        r"\.(?:docx?|odt|rtf|pdf)\b|^microsoft word|^untitled|^document\d*$|^template", text, re.IGNORECASE
    )


def _is_contents(element: Element) -> bool:
    """Return whether a content control is a table of contents."""
    gallery = attribute(child(element, "sdtPr", "docPartObj", "docPartGallery"), "val")
    return "contents" in gallery.lower()


def _inside(element: Element, name: str) -> Element:
    """Return the nearest element of that name around an element."""
    return next((above for above in element.iterancestors() if local(above) == name), None)

"""reStructuredText: papers of proceedings and Python Enhancement Proposals. Directives that open files do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fathom.corpus.readers.bibtex.citations import CitationFormatter, find_arxiv, find_doi
from fathom.corpus.readers.bibtex.files import bib_file_names, note_uncertainties, read_bibliographies, with_bib_suffix
from fathom.corpus.readers.bibtex.names import parse_author
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Paragraph,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
    ReadError,
    TableCell,
)
from fathom.corpus.readers.parsing.blocks import (
    attach_caption,
    drop_empty_reference_sections,
    extract_abstract,
    inlines_text,
    with_prefix,
)
from fathom.corpus.readers.parsing.decoding import decode_lenient
from fathom.corpus.readers.parsing.front_matter import find_orcid
from fathom.corpus.readers.parsing.text_tables import (
    GRID_LINE,
    SIMPLE_TABLE_LINE,
    TextRows,
    csv_table_rows,
    grid_table_rows,
    limit_columns,
    list_table_rows,
    mark_header_rows,
    simple_table_rows,
)
from fathom.corpus.readers.rst.inline import Running
from fathom.corpus.readers.rst.lines import (
    BULLET,
    COUNTED,
    DIRECTIVE,
    FIELD_LINE,
    NOTE,
    adornment,
    collected,
    fields_of,
    headings_in,
    indented,
    is_item,
    is_role,
    options_of,
    until_blank,
)
from fathom.corpus.readers.rst.peps import PEP_NOTE, license_of, named_in, read_header

FORMAT = "rst"

_DEEPEST = 30
"""Blocks inside blocks deeper than this are read as plain paragraphs: nobody indents like that."""


def matches(name: str, head: bytes) -> bool:
    """By its name, or by the header of a PEP."""
    lower = name.lower()
    return lower.endswith((".rst", ".rest")) or (lower.endswith(".txt") and _PEP_HEAD.match(head) is not None)


_PEP_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?PEP: *\d+\r?\n(?:[^\n]*\n){0,5}?Title:")


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The one document in a file."""
    yield _Document(decode_lenient(content), name, companions).found()


_VERBATIM = {"code", "code-block", "sourcecode", "highlight-block", "parsed-literal", "ipython", "doctest", "testcode"}
_SILENT = {
    "raw", "include", "latex", "literalinclude", "highlight", "image", "role", "default-role", "contents", "sectnum",
    "meta", "title", "header", "footer", "target-notes", "bibliography", "toctree", "index", "only", "date", "unicode",
    "graphviz", "plot",
}  # fmt: skip


class _Document:
    def __init__(self, text: str, name: str, companions: CompanionFiles) -> None:
        self._name = name
        self._companions = companions
        self._lines = [line.expandtabs(8).rstrip() for line in text.split("\n")]
        self._text = text
        self._fields: list[tuple[str, str]] = []
        self._abstract: list[Block] = []
        self._keywords: list[str] = []
        self._awaits = ""
        self._title = ""
        self._counts = {"figure": 0, "table": 0}
        self._found = ParsedDocument(source=name)
        self._references: dict[str, ParsedReference] = {}
        self._pep, self._start = read_header(self._lines, self._found)

    # The whole.

    def found(self) -> ParsedDocument:
        found = self._found
        lines = self._lines[self._start :]
        broken = self._prepare(lines)
        body = self._blocks(lines, 0)
        self._finish_fields()
        if not self._pep and self._title == "":
            body = self._first_heading_as_title(body)
        found.title = found.title or self._title
        lifted, body = ([], body) if self._abstract else extract_abstract(body)
        found.abstract = self._abstract or lifted
        found.body = drop_empty_reference_sections(body)
        found.subjects = found.subjects or self._keywords
        found.references = [*self._citations.references(), *self._references.values(), *self._pep_references()]
        found.license = found.license or license_of(self._text)
        note_uncertainties(found, self._citations, broken)
        if not found.title:
            raise ReadError("it has no title")
        return found

    def _first_heading_as_title(self, body: list[Block]) -> list[Block]:
        first = next((place for place, block in enumerate(body) if isinstance(block, Heading)), None)
        if first is None:
            return body
        heading = body[first]
        assert isinstance(heading, Heading)
        self._title = inlines_text(heading.inlines)
        self._found.uncertain["title"] = "the first heading, which has no rank of its own"
        return [*body[:first], *body[first + 1 :]]

    # What must be known before the text is read.

    def _prepare(self, lines: Sequence[str]) -> list[str]:
        """Read what the text refers to; returns the broken entries of its bibliography."""
        self._headings = headings_in(lines, titled=not self._pep)
        known = collected(lines)
        self._automatic = known.automatic
        self._anonymous = iter(known.anonymous)
        sources, broken = read_bibliographies(self._bibliographies(lines), self._companions)
        self._citations = CitationFormatter(sources)
        # Beside a bibliography a footnote is a remark; without one the footnotes are the list of references.
        self._in_list = not sources
        self._pep_keys = named_in(self._text, self._pep, known.noted) if self._pep else {}
        self._pep_notes = {key: number for number, key in self._pep_keys.items() if not key.startswith("pep-")}
        self.inline = Running(known, self._citations, self._pep_keys, self._in_list).inline
        return broken

    def _bibliographies(self, lines: Sequence[str]) -> list[str]:
        """The names of the bibliography files: those it tells, or those that lie beside a text with citations."""
        values = [value for name, value in fields_of(lines) if name == "bibliography"]
        names = [with_bib_suffix(part) for value in values for part in value.strip("` ").split(",") if part.strip()]
        return names or (bib_file_names(self._companions) if ":cite" in self._text else [])

    def _pep_references(self) -> list[ParsedReference]:
        """The PEPs that have no entry of their own."""
        return [
            ParsedReference(key, f"PEP {number}", ids={"pep": number})
            for number, key in self._pep_keys.items()
            if key not in self._references
        ]

    # Fields of proceedings.

    def _finish_fields(self) -> None:
        found = self._found
        if self._pep:
            return
        for name, value in self._fields:
            text = inlines_text(self.inline(value))
            if name == "author" and text:
                found.authors.append(parse_author(text))
            elif name == "orcid" and found.authors and text:
                if orcid := find_orcid(text):
                    found.authors[-1] = replace(found.authors[-1], ids={"orcid": orcid})
            elif name in ("institution", "affiliation") and found.authors and text:
                last = found.authors[-1]
                found.authors[-1] = replace(last, affiliations=(*last.affiliations, text))
            elif name == "authors":
                found.authors.extend(parse_author(one) for one in text.split(",") if one.strip())
            elif name == "doi" and find_doi(text):
                found.ids["doi"] = find_doi(text)
            elif name in ("license", "licence", "copyright") and not found.license:
                found.license = text

    # Blocks.

    def _blocks(self, lines: Sequence[str], depth: int) -> list[Block]:
        """The blocks of some lines of one indentation and deeper."""
        if depth > _DEEPEST:
            return [Paragraph([" ".join(line.strip() for line in lines)])]
        blocks: list[Block] = []
        place = 0
        while place < len(lines):
            if not lines[place]:
                place += 1
                continue
            place = self._block(lines, place, depth, blocks)
        return blocks

    def _block(self, lines: Sequence[str], place: int, depth: int, blocks: list[Block]) -> int:
        """Reads the block that begins here; returns where it ends."""
        line = lines[place]
        if depth == 0 and place in self._headings:
            return self._heading(place, blocks)
        if line.startswith(".."):
            if line == ".." or line.startswith(".. "):
                return self._explicit(lines, place, depth, blocks)
        elif line.startswith("__ "):
            return place + 1
        elif line[0] == " ":
            return self._indented(lines, place, depth, blocks)
        elif line[0] == ":" and (match := FIELD_LINE.match(line)) is not None and not is_role(line):
            return self._field(lines, place, depth, match, blocks)
        elif line.startswith(">>>"):
            end = until_blank(lines, place)
            self._add(blocks, Paragraph(["\n".join(lines[place:end])], verbatim=True))
            return end
        elif line.startswith("+") and GRID_LINE.match(line):
            end = until_blank(lines, place)
            self._table(grid_table_rows(lines[place:end]), "", blocks)
            return end
        elif line.startswith("=") and SIMPLE_TABLE_LINE.match(line):
            rows, end = simple_table_rows(lines, place)
            self._table(rows, "", blocks)
            return end
        elif line.startswith("| ") or line == "|":
            end = until_blank(lines, place)
            text = [part[2:] if part.startswith("| ") else part.lstrip("|") for part in lines[place:end]]
            self._add(blocks, Paragraph([inlines_text(self.inline(part)) + "\n" for part in text], verbatim=True))
            return end
        elif (item := BULLET.match(line) or COUNTED.match(line)) is not None and is_item(lines, place, item):
            return self._item(lines, place, depth, item, blocks)
        elif adornment(line) and len(line) >= 4 and (place + 1 == len(lines) or not lines[place + 1]):
            return place + 1
        return self._paragraph(lines, place, depth, blocks)

    def _add(self, blocks: list[Block], block: Block) -> None:
        if self._awaits and isinstance(block, Paragraph):
            self._classed(self._awaits, [block])
            self._awaits = ""
        else:
            blocks.append(block)

    def _heading(self, place: int, blocks: list[Block]) -> int:
        heading = self._headings[place]
        words = self.inline(heading.words)
        self._awaits = ""
        if heading.level == 1:
            self._title = inlines_text(words)
        else:
            blocks.append(Heading(heading.level, words))
        return place + heading.length

    def _field(self, lines: Sequence[str], place: int, depth: int, match: re.Match[str], blocks: list[Block]) -> int:
        inner, end = indented(lines, place + 1)
        value = " ".join(filter(None, [match["rest"], *(part.strip() for part in inner)]))
        if depth == 0 and not any(isinstance(block, Heading) for block in blocks):
            self._fields.append((match["name"].lower(), value))
        elif value:
            self._add(blocks, Paragraph([f"{match['name']}: ", *self.inline(value)]))
        return end

    def _item(self, lines: Sequence[str], place: int, depth: int, match: re.Match[str], blocks: list[Block]) -> int:
        inner, end = indented(lines, place + 1)
        first = lines[place][match.end() :]
        inside = self._blocks([first, *inner], depth + 1) if first or any(inner) else []
        sign = "- " if match["sign"] in "-*+•‣" else f"{match['sign']} "
        for number, block in enumerate(inside):
            first_one = number == 0 and isinstance(block, Paragraph) and not block.verbatim
            self._add(blocks, with_prefix(sign, block) if first_one else block)
        return end

    def _indented(self, lines: Sequence[str], place: int, depth: int, blocks: list[Block]) -> int:
        inner, end = indented(lines, place)
        for block in self._blocks(inner, depth + 1):
            self._add(blocks, block)
        return end

    def _paragraph(self, lines: Sequence[str], place: int, depth: int, blocks: list[Block]) -> int:
        end = place + 1
        while end < len(lines) and lines[end] and lines[end][0] != " " and not (depth == 0 and end in self._headings):
            end += 1
        if end < len(lines) and lines[end][:1] == " " and end > place + 1:
            # Words that stand further in without a blank line between belong to the paragraph: people wrap carelessly.
            while end < len(lines) and lines[end]:
                end += 1
        text = " ".join(part.strip() for part in lines[place:end])
        literal = text.endswith("::")
        if literal:
            text = text[:-1] if not text.endswith(" ::") and text != "::" else text[:-2]
        if text.strip():
            self._add(blocks, Paragraph(self.inline(text)))
        return self._literal(lines, end, blocks) if literal else end

    def _literal(self, lines: Sequence[str], place: int, blocks: list[Block]) -> int:
        start = place
        while start < len(lines) and not lines[start]:
            start += 1
        if start < len(lines) and lines[start][0] == " ":
            inner, end = indented(lines, start)
            self._add(blocks, Paragraph(["\n".join(inner)], verbatim=True))
            return end
        return place

    # Explicit markup.

    def _explicit(self, lines: Sequence[str], place: int, depth: int, blocks: list[Block]) -> int:
        line = lines[place]
        inner, end = indented(lines, place + 1)
        note = NOTE.match(line)
        directive = DIRECTIVE.match(line)
        if note is not None:
            self._note(note, inner, blocks)
        elif directive is not None:
            if not directive["name"]:
                self._directive(directive["kind"].lower(), directive["rest"] or "", inner, depth, blocks)
        elif line == ".." and place + 1 < len(lines) and not lines[place + 1]:
            return place + 1  # An empty comment ends nothing but itself.
        return end

    def _note(self, match: re.Match[str], inner: Sequence[str], blocks: list[Block]) -> None:
        key = match["key"]
        text = " ".join(filter(None, [match["rest"], *(part.strip() for part in inner)]))
        if key == "#":
            key = next(self._anonymous, "#")
        key = self._automatic.get(key, key)
        if key.isdigit() or key[0] in "#*":
            if not self._in_list:
                if text:
                    blocks.append(Paragraph([f"[{key}] ", *self.inline(text)]))
                return
        elif self._citations.has(key):
            return
        printed = inlines_text(self.inline(text, marks=False)).strip()
        self._reference(key, printed or key)

    def _reference(self, key: str, text: str) -> None:
        ids = {"doi": find_doi(text), "arxiv": find_arxiv(text)}
        title = ""
        pep = PEP_NOTE.match(text)
        if pep and key in self._pep_notes:
            ids["pep"], title = self._pep_notes[key], (pep[2] or "").strip()
        year = re.search(r"(?<!\d)(19\d\d|20\d\d)(?!\d)", text)
        self._references[key] = ParsedReference(
            key, text, title=title, year=int(year[1]) if year else None, ids={k: v for k, v in ids.items() if v}
        )

    def _directive(self, kind: str, rest: str, inner: Sequence[str], depth: int, blocks: list[Block]) -> None:
        if kind in _SILENT:
            return
        options, content = options_of(inner)
        if kind in _VERBATIM:
            if any(content):
                self._add(blocks, Paragraph(["\n".join(content).strip("\n")], verbatim=True))
        elif kind == "math":
            text = "\n".join(filter(None, [rest, *content]))
            text = re.sub(r":label:`[^`]*`", "", text).strip("\n")
            if text.strip():
                self._add(blocks, Paragraph([text], verbatim=True))
        elif kind == "class":
            self._class(rest.strip(), content, depth, blocks)
        elif kind == "figure":
            self._figure(content, depth, blocks)
        elif kind in ("table", "list-table", "csv-table"):
            self._table_directive(kind, rest, options, content, depth, blocks)
        else:
            inside = self._blocks(content, depth + 1)
            words = rest if kind not in ("container", "glossary", "rst-class") else ""
            if words.strip():
                blocks.append(Paragraph(self.inline(words)))
            blocks.extend(inside)

    def _class(self, names: str, content: Sequence[str], depth: int, blocks: list[Block]) -> None:
        if names not in ("abstract", "keywords"):
            blocks.extend(self._blocks(content, depth + 1))
        elif any(content):
            awaited, self._awaits = self._awaits, ""
            self._classed(names, self._blocks(content, depth + 1))
            self._awaits = awaited if awaited != names else ""
        else:
            self._awaits = names  # It holds for the next paragraph.

    def _classed(self, name: str, blocks: Sequence[Block]) -> None:
        if name == "abstract":
            self._abstract.extend(blocks)
            return
        for block in blocks:
            if isinstance(block, Paragraph):
                words = re.split(r"[,;]", inlines_text(block.inlines))
                self._keywords.extend(" ".join(word.split()).strip(" .") for word in words if word.strip(" ."))

    def _figure(self, content: Sequence[str], depth: int, blocks: list[Block]) -> None:
        self._counts["figure"] += 1
        inside = self._blocks(content, depth + 1)
        for number, block in enumerate(inside):
            blocks.append(with_prefix(f"Figure {self._counts['figure']}: ", block) if number == 0 else block)

    # Tables.

    def _table_directive(
        self, kind: str, rest: str, options: dict[str, str], content: Sequence[str], depth: int, blocks: list[Block]
    ) -> None:
        self._counts["table"] += 1
        caption = f"Table {self._counts['table']}: {rest}" if rest.strip() else ""
        if kind == "list-table":
            rows = list_table_rows(content)
            self._table(mark_header_rows(rows, options.get("header-rows", "0")), caption, blocks)
        elif kind == "csv-table":
            self._table(csv_table_rows(content, options), caption, blocks)
        else:
            inside = self._blocks(content, depth + 1)
            blocks.extend(attach_caption(inside, self.inline(caption) if caption else []))

    def _table(self, rows: TextRows, caption: str, blocks: list[Block]) -> None:
        cells = [[TableCell(self.inline(cell.text), cell.header, cell.columns) for cell in row] for row in rows]
        if any(cells):
            blocks.append(ParsedTable(self.inline(caption), limit_columns(cells)))

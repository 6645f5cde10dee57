"""Reader of reStructuredText: proceedings papers and PEPs. Directives that open files are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fathom.corpus.readers.bibtex.citations import (
    CitationFormatter,
    bib_file_names,
    read_bibliographies,
    state_references,
    uncited_keys,
    with_bib_suffix,
)
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Paragraph,
    ParsedDocument,
    ParsedReference,
    ReadError,
)
from fathom.corpus.readers.parsing.author_fields import authors_in_field
from fathom.corpus.readers.parsing.blocks import (
    attach_caption,
    drop_empty_reference_sections,
    extract_abstract,
    inlines_text,
    with_prefix,
)
from fathom.corpus.readers.parsing.bylines import UNEXPLAINED
from fathom.corpus.readers.parsing.decoding import decode_text
from fathom.corpus.readers.parsing.front_matter import find_orcid
from fathom.corpus.readers.parsing.identifiers import find_arxiv, find_doi
from fathom.corpus.readers.parsing.text_tables import (
    GRID_LINE,
    SIMPLE_TABLE_LINE,
    build_table,
    directive_rows,
    grid_table_rows,
    simple_table_rows,
)
from fathom.corpus.readers.parsing.titles import move_date
from fathom.corpus.readers.rst.inline import InlineParser
from fathom.corpus.readers.rst.lines import (
    BULLET,
    DIRECTIVE,
    ENUMERATOR,
    FIELD_LINE,
    FOOTNOTE,
    adornment_character,
    collect_definitions,
    find_fields,
    find_headings,
    indented_block,
    is_list_item,
    next_blank,
    split_options,
    starts_with_role,
)
from fathom.corpus.readers.rst.peps import PEP_FOOTNOTE, find_license, find_pep_keys, parse_pep_header

FORMAT = "rst"

_MAX_DEPTH = 30
"""Blocks nested deeper than this are read as plain paragraphs."""


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is reStructuredText, by its name or the header of a PEP."""
    lower = name.lower()
    return lower.endswith((".rst", ".rest")) or (lower.endswith(".txt") and _PEP_HEAD.match(head) is not None)


_PEP_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?PEP: *\d+\r?\n(?:[^\n]*\n){0,5}?Title:")


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one document in a file."""
    yield _Document(decode_text(content), name, companions).parse()


_VERBATIM = {"code", "code-block", "sourcecode", "highlight-block", "parsed-literal", "ipython", "doctest", "testcode"}
_IGNORED = {
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
        self._next_paragraph_class = ""
        self._title = ""
        self._counts = {"figure": 0, "table": 0}
        self._document = ParsedDocument(source=name)
        self._references: dict[str, ParsedReference] = {}
        self._pep, self._start = parse_pep_header(self._lines, self._document)

    # The document.

    def parse(self) -> ParsedDocument:
        document = self._document
        lines = self._lines[self._start :]
        broken = self._prepare(lines)
        body = self._blocks(lines, 0)
        self._apply_fields()
        if not self._pep and self._title == "":
            body = self._promote_first_heading(body)
        document.title = document.title or self._title
        abstract, body = ([], body) if self._abstract else extract_abstract(body)
        document.abstract = self._abstract or abstract
        document.body = drop_empty_reference_sections(body)
        document.subjects = document.subjects or self._keywords
        self._citations.include([*uncited_keys(self._text), *self._keys_in_latex()])
        document.references = [*self._citations.references(), *self._references.values(), *self._pep_references()]
        document.license = document.license or find_license(self._text)
        state_references(document, self._citations, broken)
        if not document.title:
            raise ReadError("it has no title")
        document.stated |= {"abstract", "sections", "tables", *(("authors", "year") if self._pep else ())}
        if not self._pep:
            move_date(document)
        return document

    def _promote_first_heading(self, body: list[Block]) -> list[Block]:
        first = next((block for block in body if isinstance(block, Heading)), None)
        if first is None:
            return body
        self._title = inlines_text(first.inlines)
        self._document.notes["title"] = "first heading, which shares its level with others"
        return [block for block in body if block is not first]

    # Definitions and bibliographies.

    def _prepare(self, lines: Sequence[str]) -> list[str]:
        """Collect what the text refers to; return the bibliography entries that cannot be parsed."""
        self._headings = find_headings(lines, titled=not self._pep)
        definitions = collect_definitions(lines)
        self._automatic = definitions.automatic
        self._anonymous = iter(definitions.anonymous)
        works, broken = read_bibliographies(self._bibliographies(lines), self._companions)
        self._citations = CitationFormatter(works)
        # With a bibliography, a footnote is a remark; without one, the footnotes are the reference list.
        self._footnotes_are_references = not works
        self._pep_keys = find_pep_keys(self._text, self._pep, definitions.pep_footnotes) if self._pep else {}
        self._pep_by_footnote = {key: number for number, key in self._pep_keys.items() if not key.startswith("pep-")}
        self._inlines = InlineParser(definitions, self._citations, self._pep_keys, self._footnotes_are_references).parse
        return broken

    def _bibliographies(self, lines: Sequence[str]) -> list[str]:
        """Return the names of the bibliography files: those given, or all beside a text with citations."""
        values = [value for name, value in find_fields(lines) if name == "bibliography"]
        names = [with_bib_suffix(part) for value in values for part in value.strip("` ").split(",") if part.strip()]
        return names or (bib_file_names(self._companions) if ":cite" in self._text else [])

    def _keys_in_latex(self) -> list[str]:
        """Return the keys cited in raw LaTeX, which is not read: a table may be the only place that cites a work."""
        found = re.findall(r"\\cite[a-z]{0,10}\*?\s*(?:\[[^\[\]\n]{0,200}\])?\s*\{([^{}]{1,2000})\}", self._text)
        keys = [key.strip() for group in found for key in group.split(",")]
        return [key for key in keys if self._citations.has(key)]

    def _pep_references(self) -> list[ParsedReference]:
        """Return references to the PEPs without a footnote."""
        return [
            ParsedReference(key, f"PEP {number}", ids={"pep": number})
            for number, key in self._pep_keys.items()
            if key not in self._references
        ]

    # Fields of proceedings.

    def _apply_fields(self) -> None:
        document = self._document
        if self._pep:
            return
        for name, value in self._fields:
            text = inlines_text(self._inlines(value))
            if name in ("author", "authors") and text:
                authors = authors_in_field(text)
                document.authors.extend(authors or [])
                if authors is None:
                    document.unknown["authors"] = UNEXPLAINED
            elif name == "orcid" and document.authors and text:
                if orcid := find_orcid(text):
                    document.authors[-1] = replace(document.authors[-1], ids={"orcid": orcid})
            elif name in ("institution", "affiliation") and document.authors and text:
                last = document.authors[-1]
                document.authors[-1] = replace(last, affiliations=(*last.affiliations, text))
            elif name == "doi" and find_doi(text):
                document.ids["doi"] = find_doi(text)
            elif name in ("license", "licence", "copyright") and not document.license:
                document.license = text
        if "authors" in document.unknown:
            document.authors = []

    # Blocks.

    def _blocks(self, lines: Sequence[str], depth: int) -> list[Block]:
        """Parse lines of the same or deeper indentation."""
        if depth > _MAX_DEPTH:
            return [Paragraph([" ".join(line.strip() for line in lines)])]
        blocks: list[Block] = []
        position = 0
        while position < len(lines):
            if not lines[position]:
                position += 1
                continue
            position = self._block(lines, position, depth, blocks)
        return blocks

    def _block(self, lines: Sequence[str], position: int, depth: int, blocks: list[Block]) -> int:
        """Parse the block at a position; return the position after it."""
        line = lines[position]
        if depth == 0 and position in self._headings:
            return self._heading(position, blocks)
        if line.startswith(".."):
            if line == ".." or line.startswith(".. "):
                return self._explicit_markup(lines, position, depth, blocks)
        elif line.startswith("__ "):
            return position + 1
        elif line[0] == " ":
            return self._indented(lines, position, depth, blocks)
        elif line[0] == ":" and (match := FIELD_LINE.match(line)) is not None and not starts_with_role(line):
            return self._field(lines, position, depth, match, blocks)
        elif line.startswith(">>>"):
            end = next_blank(lines, position)
            self._add(blocks, Paragraph(["\n".join(lines[position:end])], verbatim=True))
            return end
        elif line.startswith("+") and GRID_LINE.match(line):
            end = next_blank(lines, position)
            blocks.extend(build_table(grid_table_rows(lines[position:end]), [], self._inlines))
            return end
        elif line.startswith("=") and SIMPLE_TABLE_LINE.match(line):
            rows, end = simple_table_rows(lines, position)
            blocks.extend(build_table(rows, [], self._inlines))
            return end
        elif line.startswith("| ") or line == "|":
            end = next_blank(lines, position)
            text = [part[2:] if part.startswith("| ") else part.lstrip("|") for part in lines[position:end]]
            self._add(blocks, Paragraph([inlines_text(self._inlines(part)) + "\n" for part in text], verbatim=True))
            return end
        elif (item := BULLET.match(line) or ENUMERATOR.match(line)) is not None and is_list_item(lines, position, item):
            return self._item(lines, position, depth, item, blocks)
        elif adornment_character(line) and len(line) >= 4 and (position + 1 == len(lines) or not lines[position + 1]):
            return position + 1
        return self._paragraph(lines, position, depth, blocks)

    def _add(self, blocks: list[Block], block: Block) -> None:
        if self._next_paragraph_class and isinstance(block, Paragraph):
            self._add_classed(self._next_paragraph_class, [block])
            self._next_paragraph_class = ""
        else:
            blocks.append(block)

    def _heading(self, position: int, blocks: list[Block]) -> int:
        heading = self._headings[position]
        inlines = self._inlines(heading.text)
        self._next_paragraph_class = ""
        if heading.level == 1:
            self._title = inlines_text(inlines)
        else:
            blocks.append(Heading(heading.level, inlines))
        return position + heading.length

    def _field(self, lines: Sequence[str], position: int, depth: int, match: re.Match[str], blocks: list[Block]) -> int:
        inner, end = indented_block(lines, position + 1)
        value = " ".join(filter(None, [match["rest"], *(part.strip() for part in inner)]))
        if depth == 0 and not any(isinstance(block, Heading) for block in blocks):
            self._fields.append((match["name"].lower(), value))
        elif value:
            self._add(blocks, Paragraph([f"{match['name']}: ", *self._inlines(value)]))
        return end

    def _item(self, lines: Sequence[str], position: int, depth: int, match: re.Match[str], blocks: list[Block]) -> int:
        inner, end = indented_block(lines, position + 1)
        first = lines[position][match.end() :]
        inside = self._blocks([first, *inner], depth + 1) if first or any(inner) else []
        sign = "- " if match["sign"] in "-*+•‣" else f"{match['sign']} "
        for number, block in enumerate(inside):
            first_one = number == 0 and isinstance(block, Paragraph) and not block.verbatim
            self._add(blocks, with_prefix(sign, block) if first_one else block)
        return end

    def _indented(self, lines: Sequence[str], position: int, depth: int, blocks: list[Block]) -> int:
        inner, end = indented_block(lines, position)
        for block in self._blocks(inner, depth + 1):
            self._add(blocks, block)
        return end

    def _paragraph(self, lines: Sequence[str], position: int, depth: int, blocks: list[Block]) -> int:
        end = position + 1
        while end < len(lines) and lines[end] and lines[end][0] != " " and not (depth == 0 and end in self._headings):
            end += 1
        if end < len(lines) and lines[end][:1] == " " and end > position + 1:
            # Indented lines without a blank line before them belong to the paragraph.
            while end < len(lines) and lines[end]:
                end += 1
        text = " ".join(part.strip() for part in lines[position:end])
        literal = text.endswith("::")
        if literal:
            text = text[:-1] if not text.endswith(" ::") and text != "::" else text[:-2]
        if text.strip():
            self._add(blocks, Paragraph(self._inlines(text)))
        return self._literal(lines, end, blocks) if literal else end

    def _literal(self, lines: Sequence[str], position: int, blocks: list[Block]) -> int:
        start = position
        while start < len(lines) and not lines[start]:
            start += 1
        if start < len(lines) and lines[start][0] == " ":
            inner, end = indented_block(lines, start)
            self._add(blocks, Paragraph(["\n".join(inner)], verbatim=True))
            return end
        return position

    # Explicit markup.

    def _explicit_markup(self, lines: Sequence[str], position: int, depth: int, blocks: list[Block]) -> int:
        line = lines[position]
        inner, end = indented_block(lines, position + 1)
        footnote = FOOTNOTE.match(line)
        directive = DIRECTIVE.match(line)
        if footnote is not None:
            self._footnote(footnote, inner, blocks)
        elif directive is not None:
            if not directive["name"]:
                self._directive(directive["kind"].lower(), directive["rest"] or "", inner, depth, blocks)
        elif line == ".." and position + 1 < len(lines) and not lines[position + 1]:
            return position + 1  # An empty comment has no content.
        return end

    def _footnote(self, match: re.Match[str], inner: Sequence[str], blocks: list[Block]) -> None:
        key = match["key"]
        text = " ".join(filter(None, [match["rest"], *(part.strip() for part in inner)]))
        if key == "#":
            key = next(self._anonymous, "#")
        key = self._automatic.get(key, key)
        if key.isdigit() or key[0] in "#*":
            if not self._footnotes_are_references:
                if text:
                    blocks.append(Paragraph([f"[{key}] ", *self._inlines(text)]))
                return
        elif self._citations.has(key):
            return
        printed = inlines_text(self._inlines(text, marks=False)).strip()
        self._reference(key, printed or key)

    def _reference(self, key: str, text: str) -> None:
        ids = {"doi": find_doi(text), "arxiv": find_arxiv(text)}
        title = ""
        pep = PEP_FOOTNOTE.match(text)
        if pep and key in self._pep_by_footnote:
            ids["pep"], title = self._pep_by_footnote[key], (pep[2] or "").strip()
        year = re.search(r"(?<!\d)(19\d\d|20\d\d)(?!\d)", text)
        self._references[key] = ParsedReference(
            key, text, title=title, year=int(year[1]) if year else None, ids={k: v for k, v in ids.items() if v}
        )

    def _directive(self, kind: str, rest: str, inner: Sequence[str], depth: int, blocks: list[Block]) -> None:
        if kind in _IGNORED:
            return
        options, content = split_options(inner)
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
            inlines = rest if kind not in ("container", "glossary", "rst-class") else ""
            if inlines.strip():
                blocks.append(Paragraph(self._inlines(inlines)))
            blocks.extend(inside)

    def _class(self, names: str, content: Sequence[str], depth: int, blocks: list[Block]) -> None:
        if names not in ("abstract", "keywords"):
            blocks.extend(self._blocks(content, depth + 1))
        elif any(content):
            awaited, self._next_paragraph_class = self._next_paragraph_class, ""
            self._add_classed(names, self._blocks(content, depth + 1))
            self._next_paragraph_class = awaited if awaited != names else ""
        else:
            self._next_paragraph_class = names

    def _add_classed(self, name: str, blocks: Sequence[Block]) -> None:
        if name == "abstract":
            self._abstract.extend(blocks)
            return
        for block in blocks:
            if isinstance(block, Paragraph):
                inlines = re.split(r"[,;]", inlines_text(block.inlines))
                self._keywords.extend(" ".join(word.split()).strip(" .") for word in inlines if word.strip(" ."))

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
        rows = directive_rows(kind, content, options)
        if rows is not None:
            tables = build_table(rows, [], self._inlines)
            blocks.extend(replace(table, caption=self._inlines(caption)) for table in tables)
        else:
            inside = self._blocks(content, depth + 1)
            blocks.extend(attach_caption(inside, self._inlines(caption) if caption else []))

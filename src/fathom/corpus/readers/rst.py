"""reStructuredText: papers of proceedings and Python Enhancement Proposals. Directives that open files do nothing."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from fathom.corpus.readers.bibtex import (
    Citations,
    Manner,
    Source,
    arxiv_in,
    doi_in,
    person,
    read_bibtex,
    source_of,
)
from fathom.corpus.readers.compose import role_of
from fathom.corpus.readers.found import (
    Block,
    Found,
    FoundAuthor,
    FoundReference,
    FoundTable,
    Heading,
    Mark,
    Paragraph,
    Siblings,
    TableCell,
    Unreadable,
    Words,
)

KIND = "rst"

_DEEPEST = 30
"""Blocks inside blocks deeper than this are read as plain paragraphs: nobody indents like that."""


def looks_like(name: str, head: bytes) -> bool:
    """By its name, or by the header of a PEP."""
    lower = name.lower()
    return lower.endswith((".rst", ".rest")) or (lower.endswith(".txt") and _PEP_HEAD.match(head) is not None)


_PEP_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?PEP: *\d+\r?\n(?:[^\n]*\n){0,5}?Title:")


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The one document in a file."""
    yield _Document(decoded(content), name, siblings).found()


def decoded(content: bytes) -> str:
    """The text with plain line ends; UTF-8, and Latin-1 where it is not that."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = content.decode("utf-16", "replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", "replace")
    if text.count("\0") > len(text) // 10:
        raise Unreadable("it is not text")
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def bibliography(names: Sequence[str], siblings: Siblings) -> tuple[dict[str, Source], list[str]]:
    """What these bibliography files beside the document hold, and the names of their broken entries."""
    sources: dict[str, Source] = {}
    broken: list[str] = []
    for name in names[:_MOST_FILES]:
        content = beside(name, siblings)
        if content is not None:
            file = read_bibtex(decoded(content))
            broken.extend(file.broken)
            for key, entry in file.entries.items():
                sources.setdefault(key, source_of(entry))
    return sources, broken


_MOST_FILES = 50


def beside(name: str, siblings: Siblings) -> bytes | None:
    """A file beside the document; a name that no file can have is not asked for."""
    return siblings.get(name) if 0 < len(name) <= 200 and name.isprintable() else None


def without_empty_lists(blocks: Sequence[Block]) -> list[Block]:
    """Blocks less the headings of reference lists that hold nothing: the entries were taken out and stand apart."""
    kept: list[Block] = []
    for block in reversed(blocks):
        if isinstance(block, Heading) and role_of(words_text(block.words)) == "references":
            after = kept[-1] if kept else None
            if after is None or (isinstance(after, Heading) and after.level <= block.level):
                continue
        kept.append(block)
    return kept[::-1]


def lifted_abstract(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """The blocks of the section called "Abstract", and the others."""
    for place, block in enumerate(blocks):
        if isinstance(block, Heading) and words_text(block.words).strip(" .:").lower() == "abstract":
            end = place + 1
            while end < len(blocks) and not isinstance(blocks[end], Heading):
                end += 1
            return list(blocks[place + 1 : end]), [*blocks[:place], *blocks[end:]]
    return [], list(blocks)


def words_text(words: Words) -> str:
    """Running text as one string."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


_WIDEST = 200


def bounded_rows(rows: Sequence[Sequence[TableCell]]) -> list[list[TableCell]]:
    """Rows of at most some hundred columns: every row is filled up to the widest, so a wide one multiplies the rest."""
    return [list(row[:_WIDEST]) for row in rows]


# Adornments.

_SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1+\s*$")


def _adornment(line: str) -> str:
    """The sign a line is drawn with, or nothing."""
    return line[0] if line[:1] in _SIGNS and line[:1] and _ADORNED.match(line) else ""


# Explicit markup.

_DIRECTIVE = re.compile(
    r"\.\. +(?:\|(?P<name>[^|]{1,80})\| +)?(?P<kind>[A-Za-z][\w:.+-]{0,60}?) ?::(?: +(?P<rest>.*)|$)"
)
_NOTE = re.compile(r"\.\. \[(?P<key>[^\]\s]{1,80})\](?: +(?P<rest>.*)|$)")
_FIELD_LINE = re.compile(r":(?P<name>[A-Za-z][\w -]{0,60}): *(?P<rest>.*)$")
_OPTION = re.compile(r" *:(?P<name>[\w-]{1,60}):(?: +(?P<rest>.*)|\s*$)")
_BULLET = re.compile(r"(?P<sign>[-*+•‣])(?: +|$)")
_COUNTED = re.compile(r"(?P<sign>\(?(?:\d{1,4}|#|[A-Za-z]|[ivxIVX]{1,6})[.)]) +(?=\S)")
_GRID = re.compile(r"\+[-=]+(?:\+[-=]+)*\+\s*$")
_SIMPLE = re.compile(r"=+(?: +=+)+\s*$")
_VERBATIM = {"code", "code-block", "sourcecode", "highlight-block", "parsed-literal", "ipython", "doctest", "testcode"}
_SILENT = {
    "raw", "include", "latex", "literalinclude", "highlight", "image", "role", "default-role", "contents", "sectnum",
    "meta", "title", "header", "footer", "target-notes", "bibliography", "toctree", "index", "only", "date", "unicode",
    "graphviz", "plot",
}  # fmt: skip
_HEADERS = re.compile(r"([A-Za-z][A-Za-z-]{1,30}): *(.*)$")
_PEP_NOTE = re.compile(
    r"PEP 0*(\d{1,5})(?: *(?:--|—|–|[-:,]) *\"?([^(\"]{3,200}?)\"?)?(?:[\s.,]*\(?https?://\S*)?[\s.]*$"
)
_PEP_NAMED = re.compile(r":pep:`(?:[^`<]{0,200}<)?0*(\d{1,5})|\bPEP[\s-]{1,20}0*(\d{1,5})|pep-0*(\d{1,4})\b", re.I)


class _Document:
    def __init__(self, text: str, name: str, siblings: Siblings) -> None:
        self._name = name
        self._siblings = siblings
        self._lines = [line.expandtabs(8).rstrip() for line in text.split("\n")]
        self._text = text
        self._styles: list[tuple[str, bool]] = []
        self._fields: list[tuple[str, str]] = []
        self._abstract: list[Block] = []
        self._keywords: list[str] = []
        self._awaits = ""
        self._title = ""
        self._notes: dict[str, str] = {}
        self._substitutions: dict[str, str] = {}
        self._counts = {"figure": 0, "table": 0}
        self._found = Found(source=name)
        self._pep = ""
        self._references: dict[str, FoundReference] = {}
        self._pep_keys: dict[str, str] = {}
        self._pep_notes: dict[str, str] = {}
        self._substituting = False
        self._in_list = True
        self._citations = Citations({})

    # The whole.

    def found(self) -> Found:
        found = self._found
        lines = self._lines
        start = self._pep_header(lines)
        self._prepare(lines[start:])
        body = self._blocks(lines[start:], 0)
        self._finish_fields()
        if not self._pep and self._title == "":
            body = self._first_heading_as_title(body)
        found.title = found.title or self._title
        lifted, body = ([], body) if self._abstract else lifted_abstract(body)
        found.abstract = self._abstract or lifted
        found.body = without_empty_lists(body)
        found.subjects = found.subjects or self._keywords
        found.references = [*self._citations.references(), *self._references.values(), *self._pep_references()]
        found.licence = found.licence or _licence(self._text)
        note = self._citations.note()
        if note:
            found.notes["references"] = note
        if not found.title:
            raise Unreadable("it has no title")
        return found

    def _first_heading_as_title(self, body: list[Block]) -> list[Block]:
        first = next((place for place, block in enumerate(body) if isinstance(block, Heading)), None)
        if first is None:
            return body
        heading = body[first]
        assert isinstance(heading, Heading)
        self._title = words_text(heading.words)
        self._found.notes["title"] = "the first heading, which has no rank of its own"
        return [*body[:first], *body[first + 1 :]]

    # What must be known before the text is read.

    def _prepare(self, lines: Sequence[str]) -> None:
        self._ranks(lines)
        self._collect(lines)
        names = [
            _bib_name(part)
            for name, value in _fields(lines)
            if name == "bibliography"
            for part in value.strip("` ").split(",")
            if part.strip()
        ]
        if not names and ":cite" in self._text:
            names = sorted(name for name in self._siblings.names() if name.lower().endswith(".bib"))
        sources, broken = bibliography(names, self._siblings)
        if broken:
            self._found.notes["bibliography"] = "cannot be read: " + ", ".join(broken[:20])
        self._citations = Citations(sources)
        # Beside a bibliography a footnote is a remark; without one the footnotes are the list of references.
        self._in_list = not sources
        self._peps()

    def _ranks(self, lines: Sequence[str]) -> None:
        """Where headings stand, and which adornment has which rank: the order of their first use."""
        self._headings: dict[int, tuple[int, str, int]] = {}
        uses: dict[tuple[str, bool], int] = {}
        place = 0
        found: list[tuple[int, tuple[str, bool], str, int]] = []
        while place < len(lines):
            heading = _heading_at(lines, place)
            if heading is None:
                place += 1
                continue
            style, words, length = heading
            uses[style] = uses.get(style, 0) + 1
            found.append((place, style, words, length))
            place += length
        order = list(uses)
        # One heading of the highest rank, before all others, is the title.
        titled = bool(order) and not self._pep and uses[order[0]] == 1
        for start, style, words, length in found:
            self._headings[start] = (order.index(style) + (1 if titled else 2), words, length)

    def _collect(self, lines: Sequence[str]) -> None:
        """Substitutions, labels of figures and tables, and how automatic footnotes are numbered."""
        self._labels: dict[str, str] = {}
        counts: dict[str, int] = {}
        kind = ""
        automatic: list[str] = []
        self._noted: dict[str, str] = {}
        for place, line in enumerate(lines):
            stripped = line.lstrip()
            if stripped.startswith(".. "):
                directive = _DIRECTIVE.match(stripped)
                note = _NOTE.match(stripped)
                if directive and directive["name"]:
                    if directive["kind"] == "replace":
                        self._substitutions[directive["name"]] = (directive["rest"] or "")[:300]
                elif directive:
                    kind = {"figure": "figure", "table": "table", "list-table": "table", "csv-table": "table",
                            "math": "math"}.get(directive["kind"], "")  # fmt: skip
                    if kind:
                        counts[kind] = counts.get(kind, 0) + 1
                elif note:
                    if note["key"].startswith("#"):
                        automatic.append(note["key"])
                    text = " ".join([note["rest"] or "", *_further_in(lines, place + 1)])
                    if (pep := _PEP_NOTE.match(text.replace(":pep:`", "PEP ").replace("`", "").strip())) is not None:
                        self._noted.setdefault(pep[1], note["key"])
            if ":label:" in line or ":name:" in line:
                for label in re.findall(r":(?:label|name): ?`?([^`\s]{1,80})`?", line):
                    if kind:
                        self._labels.setdefault(label, str(counts[kind]))
        self._automatic = {key: str(place) for place, key in enumerate(automatic, start=1) if key != "#"}
        self._noted = {pep: self._automatic.get(key, key) for pep, key in self._noted.items() if key != "#"}
        anonymous = [str(place) for place, key in enumerate(automatic, start=1) if key == "#"]
        self._anonymous_marks = iter(anonymous)
        self._anonymous_notes = iter(anonymous)

    # PEPs.

    def _pep_header(self, lines: Sequence[str]) -> int:
        """Reads the header of a PEP; returns where the text begins."""
        if not re.match(r"PEP: *\d+$", lines[0] if lines else ""):
            return 0
        headers: dict[str, str] = {}
        last = ""
        end = next((place for place, line in enumerate(lines) if not line), len(lines))
        for line in lines[:end]:
            match = _HEADERS.match(line)
            if match:
                last = match[1].lower()
                headers[last] = match[2]
            elif line[:1] == " " and last:
                headers[last] += " " + line.strip()
        found = self._found
        self._pep = str(int(headers["pep"]))
        found.title = headers.get("title", "")
        found.ids["pep"] = self._pep
        found.venue = "Python Enhancement Proposals"
        found.authors = _pep_authors(headers.get("author", ""))
        found.published = _pep_date(headers.get("created", ""))
        found.year = found.published.year if found.published else None
        found.subjects = [headers[name] for name in ("topic", "type") if headers.get(name)]
        if headers.get("status"):
            found.notes["status"] = headers["status"]
        return end

    def _peps(self) -> None:
        """One reference for every other PEP that a PEP names, wherever it names it."""
        if not self._pep:
            return
        for match in _PEP_NAMED.finditer(self._text):
            number = str(int(match[1] or match[2] or match[3]))
            if number not in (self._pep, "0"):
                # A footnote that is the entry of that PEP serves both: no second one for it.
                self._pep_keys.setdefault(number, self._noted.get(number, f"pep-{number}"))
        self._pep_notes = {key: number for number, key in self._pep_keys.items() if not key.startswith("pep-")}

    def _pep_references(self) -> list[FoundReference]:
        """The PEPs that have no entry of their own."""
        return [
            FoundReference(key, f"PEP {number}", ids={"pep": number})
            for number, key in self._pep_keys.items()
            if key not in self._references
        ]

    # Fields of proceedings.

    def _finish_fields(self) -> None:
        found = self._found
        if self._pep:
            return
        for name, value in self._fields:
            text = words_text(self.inline(value))
            if name == "author" and text:
                found.authors.append(person(text))
            elif name == "orcid" and found.authors and text:
                orcid = re.search(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", text)
                if orcid:
                    found.authors[-1] = replace(found.authors[-1], ids={"orcid": orcid[0]})
            elif name == "authors":
                found.authors.extend(person(one) for one in text.split(",") if one.strip())
            elif name == "doi" and doi_in(text):
                found.ids["doi"] = doi_in(text)
            elif name in ("license", "licence", "copyright") and not found.licence:
                found.licence = text

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
        elif line[0] == ":" and (match := _FIELD_LINE.match(line)) is not None and not _role_at(line):
            return self._field(lines, place, depth, match, blocks)
        elif line.startswith(">>>"):
            end = _until_blank(lines, place)
            self._add(blocks, Paragraph(["\n".join(lines[place:end])], verbatim=True))
            return end
        elif line.startswith("+") and _GRID.match(line):
            end = _until_blank(lines, place)
            self._table(_grid(lines[place:end]), "", blocks)
            return end
        elif line.startswith("=") and _SIMPLE.match(line):
            rows, end = _simple(lines, place)
            self._table(rows, "", blocks)
            return end
        elif line.startswith("| ") or line == "|":
            end = _until_blank(lines, place)
            text = [part[2:] if part.startswith("| ") else part.lstrip("|") for part in lines[place:end]]
            self._add(blocks, Paragraph([words_text(self.inline(part)) + "\n" for part in text], verbatim=True))
            return end
        elif (item := _BULLET.match(line) or _COUNTED.match(line)) is not None and _is_item(lines, place, item):
            return self._item(lines, place, depth, item, blocks)
        elif _adornment(line) and len(line) >= 4 and (place + 1 == len(lines) or not lines[place + 1]):
            return place + 1
        return self._paragraph(lines, place, depth, blocks)

    def _add(self, blocks: list[Block], block: Block) -> None:
        if self._awaits and isinstance(block, Paragraph):
            self._classed(self._awaits, [block])
            self._awaits = ""
        else:
            blocks.append(block)

    def _heading(self, place: int, blocks: list[Block]) -> int:
        level, words, length = self._headings[place]
        inline = self.inline(words)
        self._awaits = ""
        if level == 1:
            self._title = words_text(inline)
        else:
            blocks.append(Heading(level, inline))
        return place + length

    def _field(self, lines: Sequence[str], place: int, depth: int, match: re.Match[str], blocks: list[Block]) -> int:
        inner, end = _body(lines, place + 1)
        value = " ".join(filter(None, [match["rest"], *(part.strip() for part in inner)]))
        if depth == 0 and not any(isinstance(block, Heading) for block in blocks):
            self._fields.append((match["name"].lower(), value))
        elif value:
            self._add(blocks, Paragraph([f"{match['name']}: ", *self.inline(value)]))
        return end

    def _item(self, lines: Sequence[str], place: int, depth: int, match: re.Match[str], blocks: list[Block]) -> int:
        inner, end = _body(lines, place + 1)
        first = lines[place][match.end() :]
        inside = self._blocks([first, *inner], depth + 1) if first or any(inner) else []
        sign = "- " if match["sign"] in "-*+•‣" else f"{match['sign']} "
        for number, block in enumerate(inside):
            first_one = number == 0 and isinstance(block, Paragraph) and not block.verbatim
            self._add(blocks, _led_by(sign, block) if first_one else block)
        return end

    def _indented(self, lines: Sequence[str], place: int, depth: int, blocks: list[Block]) -> int:
        inner, end = _body(lines, place)
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
            inner, end = _body(lines, start)
            self._add(blocks, Paragraph(["\n".join(inner)], verbatim=True))
            return end
        return place

    # Explicit markup.

    def _explicit(self, lines: Sequence[str], place: int, depth: int, blocks: list[Block]) -> int:
        line = lines[place]
        inner, end = _body(lines, place + 1)
        note = _NOTE.match(line)
        directive = _DIRECTIVE.match(line)
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
            key = next(self._anonymous_notes, "#")
        key = self._automatic.get(key, key)
        if key.isdigit() or key[0] in "#*":
            if not self._in_list:
                if text:
                    blocks.append(Paragraph([f"[{key}] ", *self.inline(text)]))
                return
        elif self._citations.knows(key):
            return
        printed = words_text(self.inline(text, marks=False)).strip()
        self._reference(key, printed or key)

    def _reference(self, key: str, text: str) -> None:
        ids = {"doi": doi_in(text), "arxiv": arxiv_in(text)}
        title = ""
        pep = _PEP_NOTE.match(text)
        if pep and key in self._pep_notes:
            ids["pep"], title = self._pep_notes[key], (pep[2] or "").strip()
        year = re.search(r"(?<!\d)(19\d\d|20\d\d)(?!\d)", text)
        self._references[key] = FoundReference(
            key, text, title=title, year=int(year[1]) if year else None, ids={k: v for k, v in ids.items() if v}
        )

    def _directive(self, kind: str, rest: str, inner: Sequence[str], depth: int, blocks: list[Block]) -> None:
        if kind in _SILENT:
            return
        options, content = _options(inner)
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
                words = re.split(r"[,;]", words_text(block.words))
                self._keywords.extend(" ".join(word.split()).strip(" .") for word in words if word.strip(" ."))

    def _figure(self, content: Sequence[str], depth: int, blocks: list[Block]) -> None:
        self._counts["figure"] += 1
        inside = self._blocks(content, depth + 1)
        for number, block in enumerate(inside):
            blocks.append(_led_by(f"Figure {self._counts['figure']}: ", block) if number == 0 else block)

    # Tables.

    def _table_directive(
        self, kind: str, rest: str, options: dict[str, str], content: Sequence[str], depth: int, blocks: list[Block]
    ) -> None:
        self._counts["table"] += 1
        caption = f"Table {self._counts['table']}: {rest}" if rest.strip() else ""
        if kind == "list-table":
            rows = _listed_rows(content)
            self._table(_with_headers(rows, options.get("header-rows", "0")), caption, blocks)
        elif kind == "csv-table":
            self._table(_csv_rows(content, options), caption, blocks)
        else:
            inside = self._blocks(content, depth + 1)
            for block in inside:
                if isinstance(block, FoundTable) and caption:
                    blocks.append(FoundTable(self.inline(caption), block.rows))
                    caption = ""
                else:
                    blocks.append(block)
            if caption:
                blocks.append(Paragraph(self.inline(caption)))

    def _table(self, rows: Sequence[Sequence[_Cell]], caption: str, blocks: list[Block]) -> None:
        cells = [[TableCell(self.inline(cell.text), cell.header, cell.columns) for cell in row] for row in rows]
        if any(cells):
            blocks.append(FoundTable(self.inline(caption), bounded_rows(cells)))

    # Running text.

    def inline(self, text: str, marks: bool = True) -> Words:
        """Markup within a paragraph as running text; `marks`: with its citations."""
        words: Words = []
        place = 0
        for match in _INLINE.finditer(text):
            words.extend(self._bare(text[place : match.start()], marks))
            words.extend(self._piece(match, text, marks))
            place = match.end()
        words.extend(self._bare(text[place:], marks))
        return words

    def _bare(self, text: str, marks: bool) -> Words:
        """Text without markup; in a PEP "PEP 8" is a citation."""
        if not (self._pep and marks):
            return [text]
        words: Words = []
        place = 0
        for match in re.finditer(r"\bPEP[\s-]{1,20}0*(\d{1,5})\b", text):
            words.append(text[place : match.start()])
            words.append(self._pep_mark(match[0], match[1]))
            place = match.end()
        return [*words, text[place:]]

    def _pep_mark(self, text: str, number: str) -> str | Mark:
        key = self._pep_keys.get(str(int(number)))
        return Mark(text, (key,), "author-year") if key else text

    def _piece(self, match: re.Match[str], text: str, marks: bool) -> Words:
        if match["escaped"] is not None:
            return ["" if match["escaped"].isspace() else match["escaped"]]
        if match["literal"] is not None:
            return [match["literal"]]
        if match["role"] or match["roled"]:
            return self._role((match["role"] or match["after"]).lower(), match["roled"] or match["before"], match, text)
        if match["quoted"] is not None:
            return self._bare(_label(match["quoted"]), marks)
        if match["strong"] is not None or match["stressed"] is not None:
            return self._bare(match["strong"] or match["stressed"], marks)
        if match["key"] is not None:
            return self._footnote(match["key"], marks)
        if match["named"] is not None:
            return self._substituted(match["named"], match[0])
        return [match["link"] or match[0]]

    def _substituted(self, name: str, written: str) -> Words:
        replaced = self._substitutions.get(name)
        if replaced is None or self._substituting:
            return [written]
        # What replaces a name may be marked up, but names in it stay as they are: two may name one another.
        self._substituting = True
        words = self.inline(replaced)
        self._substituting = False
        return words

    def _role(self, role: str, text: str, match: re.Match[str], whole: str) -> Words:
        if role.startswith("cite"):
            return self._cited(role, text, match, whole)
        if role == "math":
            return [f"${text}$"]
        if role == "label":
            return []
        if role in ("ref", "eq", "numref") and _label(text) in self._labels:
            return [self._labels[_label(text)]]
        if role == "pep":
            number = re.search(r"(?:^|<)0*(\d{1,5})(?:#[^>]*)?>?$", text)
            printed = _label(text)
            printed = f"PEP {printed.partition('#')[0]}" if printed[:1].isdigit() else printed
            return [self._pep_mark(printed, number[1])] if number else [printed]
        if role == "rfc" and text[:1].isdigit():
            return [f"RFC {text}"]
        return [_label(text).lstrip("~!")]

    def _cited(self, role: str, text: str, match: re.Match[str], whole: str) -> Words:
        keys = [key.strip() for key in text.split(",") if key.strip()]
        manner: Manner = "textual" if role.endswith(("t", ":text")) and role != "cite" else "parenthetical"
        # "[:cite:`a,b`]" has its bracket already.
        if whole[: match.start()].endswith(("[", "(")) and whole[match.end() : match.end() + 1] in ("]", ")"):
            manner = "bare"
        return self._citations.words(keys, manner)

    def _footnote(self, key: str, marks: bool) -> Words:
        key = next(self._anonymous_marks, "#") if key == "#" else self._automatic.get(key, key)
        if self._citations.knows(key):
            return ["[", *self._citations.words([key], "bare"), "]"] if marks else [f"[{key}]"]
        remark = key.isdigit() or key[0] in "#*"
        if not marks or (remark and not self._in_list):
            return [f"[{key.lstrip('#')}]"]
        return ["[", Mark(key.lstrip("#") or key, (key,)), "]"]


# Lines.


def _led_by(sign: str, block: Block) -> Block:
    return Paragraph([sign, *block.words], block.verbatim) if isinstance(block, Paragraph) else block


def _body(lines: Sequence[str], place: int) -> tuple[list[str], int]:
    """The lines further in from here on, moved to the margin, and where they end; blank lines between them count."""
    end, last = place, place
    indent = 1_000_000
    while end < len(lines) and (not lines[end] or lines[end][0] == " "):
        if lines[end]:
            indent = min(indent, len(lines[end]) - len(lines[end].lstrip(" ")))
            last = end + 1
        end += 1
    inner = [line[indent:] for line in lines[place:last]]
    return inner, max(last, place)


def _further_in(lines: Sequence[str], place: int) -> Iterator[str]:
    """The two or three lines of an entry that follow its first."""
    for line in lines[place : place + 3]:
        if line[:1] != " ":
            return
        yield line.strip()


def _until_blank(lines: Sequence[str], place: int) -> int:
    while place < len(lines) and lines[place]:
        place += 1
    return place


def _heading_at(lines: Sequence[str], place: int) -> tuple[tuple[str, bool], str, int] | None:
    """The heading that begins at a line: how it is adorned, its words, and how many lines it has."""
    line = lines[place]
    if not line:
        return None
    before = lines[place - 1] if place else ""
    after = lines[place + 1] if place + 1 < len(lines) else ""
    below = lines[place + 2] if place + 2 < len(lines) else ""
    sign = _adornment(line)
    if sign and len(line) >= 3 and not before and after.strip() and not _adornment(after):
        if _adornment(below) == sign and len(after.strip()) <= 4 * len(line):
            return (sign, True), after.strip(), 3
        return None
    if sign or line[0] == " " or (before and not _adornment(before) and not before.startswith("..")):
        return None
    under = _adornment(after)
    # Underlines too short by a letter or two are common, a line of two dots is not an underline.
    if (
        not under
        or line.startswith(".. ")
        or (len(after) < len(line) and len(after) < 4)
        or (under in ".:" and len(after) < 4)
    ):
        return None
    return (under, False), line, 2


def _is_item(lines: Sequence[str], place: int, match: re.Match[str]) -> bool:
    """Whether a line that looks like a list item is one: the next line is blank, further in, or another item."""
    after = lines[place + 1] if place + 1 < len(lines) else ""
    if not after or after[0] == " " or match["sign"] in "-*+•‣":
        return True
    return _COUNTED.match(after) is not None


def _role_at(line: str) -> bool:
    return re.match(r":[\w:+.-]{1,60}:`", line) is not None


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = _FIELD_LINE.match(line)
        if match is not None:
            yield match["name"].lower(), match["rest"]


def _options(inner: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The options of a directive and its content."""
    options: dict[str, str] = {}
    place = 0
    while place < len(inner) and (match := _OPTION.match(inner[place])) is not None:
        options[match["name"].lower()] = match["rest"] or ""
        place += 1
        while options and place < len(inner) and inner[place].startswith("   ") and not _OPTION.match(inner[place]):
            place += 1
    return options, list(inner[place:])


def _bib_name(name: str) -> str:
    name = name.strip().strip("`").strip()
    return name if name.lower().endswith(".bib") else f"{name}.bib"


# Tables.


@dataclass(frozen=True)
class _Cell:
    text: str
    header: bool = False
    columns: int = 1


def _with_headers(rows: Sequence[Sequence[_Cell]], count: str) -> list[list[_Cell]]:
    headers = int(count) if count.strip().isdigit() and len(count.strip()) < 4 else 0
    return [[replace(cell, header=number < headers) for cell in row] for number, row in enumerate(rows)]


def _grid(lines: Sequence[str]) -> list[list[_Cell]]:
    """The rows of a table drawn with lines; a cell over several columns is one cell."""
    edges = sorted({match.start() for line in lines if _GRID.match(line) for match in re.finditer(r"\+", line)})
    edges = edges[: _WIDEST + 1]
    rows: list[list[_Cell]] = []
    headers = 0
    pending: list[str] = []
    for line in lines:
        if line.startswith("+") or re.match(r"\|.*\+[-=]{2,}\+", line):
            if pending:
                rows.append(_grid_row(pending, edges))
                pending = []
            if "=" in line and _GRID.match(line) and not headers:
                headers = len(rows)
        else:
            pending.append(line)
    if pending:
        rows.append(_grid_row(pending, edges))
    return _with_headers(rows, str(headers))


def _grid_row(lines: Sequence[str], edges: Sequence[int]) -> list[_Cell]:
    cells: list[_Cell] = []
    start, span = 0, 1
    for place, edge in enumerate(edges[1:], start=1):
        if place < len(edges) - 1 and not all(line[edge : edge + 1] in ("|", "+", "") for line in lines):
            span += 1
            continue
        left = edges[start] + 1
        text = " ".join(filter(None, (line[left:edge].strip().strip("|").strip() for line in lines)))
        cells.append(_Cell(text, columns=span))
        start, span = place, 1
    return cells


def _simple(lines: Sequence[str], place: int) -> tuple[list[list[_Cell]], int]:
    """The rows of a table ruled above and below, and where it ends."""
    starts = [match.start() for match in re.finditer(r"=+", lines[place])]
    rows: list[list[_Cell]] = []
    headers = 0
    end = place + 1
    rules = 1
    while end < len(lines):
        line = lines[end]
        end += 1
        if line.startswith("=") and set(line) <= set("= "):
            rules += 1
            if end >= len(lines) or not lines[end]:
                break
            headers = headers or len(rows)
        elif line.startswith("-") and set(line) <= set("- "):
            continue
        elif line:
            cells = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], len(line) + 1], strict=True)]
            if rows and not cells[0]:
                rows[-1] = [_Cell(f"{old.text} {new}".strip()) for old, new in zip(rows[-1], cells, strict=True)]
            else:
                rows.append([_Cell(cell) for cell in cells])
        elif rules >= 3 and not any(other.startswith("=") for other in lines[end : end + 40]):
            break  # A blank line may stand between rows, but the last rule is missing.
    return _with_headers(rows, str(headers)), end


def _listed_rows(content: Sequence[str]) -> list[list[_Cell]]:
    """The rows of a list of lists."""
    rows: list[list[list[str]]] = []
    for line in content:
        match = re.match(r"(\* +- ?|\* *$| +- ?)?(.*)$", line)
        lead, text = (match[1] or "", match[2]) if match else ("", line)
        if lead.startswith("*"):
            rows.append([[text]] if "-" in lead else [])
        elif lead.strip() == "-" and rows:
            rows[-1].append([text])
        elif rows and rows[-1]:
            rows[-1][-1].append(line.strip())
    return [[_Cell(" ".join(filter(None, cell))) for cell in row] for row in rows]


def _csv_rows(content: Sequence[str], options: dict[str, str]) -> list[list[_Cell]]:
    sign = {"tab": "\t", "space": " "}.get(options.get("delim", ","), options.get("delim", ",")[:1] or ",")
    try:
        head = list(csv.reader([options["header"]], skipinitialspace=True)) if options.get("header") else []
        body = list(csv.reader([line for line in content if line], delimiter=sign, skipinitialspace=True))
    except (csv.Error, TypeError, ValueError):
        head, body = [], [line.split(",") for line in content if line]
    count = len(head) + (int(options["header-rows"]) if options.get("header-rows", "").strip().isdigit() else 0)
    return _with_headers([[_Cell(cell) for cell in row] for row in [*head, *body]], str(count))


# Running text.

_INLINE = re.compile(
    r"\\(?P<escaped>.)"
    r"|``(?P<literal>[^`]+(?:`[^`]+)*?)``"
    r"|:(?P<role>[A-Za-z][\w:+.-]{0,60}):`(?P<roled>(?:[^`\\]|\\.)+)`"
    r"|`(?P<before>[^`\s][^`]*)`:(?P<after>[A-Za-z][\w+.-]{0,60}):"
    r"|_?`(?P<quoted>[^`\s][^`]*)`(?:__?(?!\w))?"
    r"|\*\*(?P<strong>[^\s*][^*]*)\*\*"
    r"|(?<![\w*])\*(?P<stressed>[^\s*][^*]*)\*(?![\w*])"
    r"|\[(?P<key>[^\[\]\s]{1,80})\]_(?!\w)"
    r"|(?<!\w)\|(?P<named>[^\s|][^|]{0,80})\|_{0,2}(?!\w)"
    r"|(?<![\w/:.@`_-])(?P<link>[A-Za-z0-9][\w.+-]{0,80}?)__?(?![\w`/])"
)


def _label(text: str) -> str:
    """The words of "words <target>"."""
    match = re.match(r"([^<]*\S)\s*<[^<>]*>$", text)
    if match is None:
        return text.strip("<>") if text.startswith("<") and text.endswith(">") else text
    return match[1]


# PEPs.


def _pep_authors(text: str) -> list[FoundAuthor]:
    """The names before the addresses; an old form has the name in parentheses behind."""
    names: list[str] = []
    for part in re.split(r",(?![^<]*>)(?!\s*(?:Jr|Sr|III)\b)", text):
        name = re.sub(r"<[^<>]*>", "", part)
        behind = re.search(r"\S+@\S+\s*\(([^()]*)\)", name)
        name = behind[1] if behind else re.sub(r"\S+@\S+", "", name)
        if name.strip():
            names.append(" ".join(name.split()))
    return [person(name) for name in names]


def _pep_date(text: str) -> date | None:
    match = re.match(r"\d{1,2}-[A-Za-z]{3}-\d{4}", text.strip())
    try:
        return datetime.strptime(match[0], "%d-%b-%Y").date() if match else None
    except ValueError:
        return None


def _licence(text: str) -> str:
    tail = " ".join(text[-3_000:].split())
    if re.search(r"CC0", tail):
        return "CC0-1.0"
    return "public domain" if re.search(r"(?i)placed (?:in|into) the public domain", tail) else ""

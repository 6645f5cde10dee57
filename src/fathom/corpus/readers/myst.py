"""MyST Markdown: papers of proceedings, with their front matter, project file and bibliographies."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from fathom.corpus.readers.bibtex import Citations, Manner, doi_in, person
from fathom.corpus.readers.found import (
    Block,
    Found,
    FoundAuthor,
    FoundTable,
    Heading,
    Paragraph,
    Siblings,
    TableCell,
    Unreadable,
    Words,
)
from fathom.corpus.readers.rst import (
    beside,
    bibliography,
    bounded_rows,
    decoded,
    lifted_abstract,
    without_empty_lists,
    words_text,
)

KIND = "myst"

_DEEPEST = 12
"""Directives inside directives deeper than this are read as plain paragraphs."""
_MOST_INCLUDED = 50
_MOST_TEXT = 20_000_000


def looks_like(name: str, head: bytes) -> bool:
    """A Markdown file with front matter, directives, roles or citations of MyST."""
    return name.lower().endswith((".md", ".myst")) and _SIGN.search(head) is not None


_SIGN = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:title|authors?|abstract|exports):"
    rb"|(?m:^(?::{3,}|`{3,})\{[\w:-]{1,40}\})|\{cite(?::\w{1,10})?\}`|\[-?@[\w:.-]{1,80}[\];,]"
)


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The one document in a file; a part that another file includes is read with that one."""
    yield _Document(decoded(content), name, siblings).found()


# YAML, as far as front matter uses it.

Value: TypeAlias = "str | list[Value] | dict[str, Value]"

_PAIR = re.compile(
    r"(\"[^\"]{1,200}\"|'[^']{1,200}'|[^\s\"'#\[\]{},:-][^:#]{0,200}?|-[^\s:#][^:#]{0,200}?)\s*:(?:\s+(.*)|$)"
)


def parse_yaml(text: str) -> dict[str, Value]:
    """Mappings, lists, block and quoted strings; every value is a string. No anchors, tags or references."""
    value = _Yaml(text).node(-1, 0)
    return value if isinstance(value, dict) else {}


class _Yaml:
    def __init__(self, text: str) -> None:
        self._lines = [line.expandtabs(2).rstrip() for line in text.split("\n")]
        self._place = 0

    def _next(self) -> tuple[int, str] | None:
        """The next line that says something, and how far in it stands."""
        while self._place < len(self._lines):
            line = self._lines[self._place]
            text = line.lstrip(" ")
            if text and not text.startswith("#"):
                return len(line) - len(text), text
            self._place += 1
        return None

    def node(self, above: int, depth: int) -> Value:
        """What stands further in than `above`."""
        line = self._next()
        if line is None or line[0] <= above or depth > _DEEPEST:
            return ""
        indent, text = line
        if text == "-" or text.startswith("- "):
            return self._list(indent, depth)
        if _PAIR.match(text):
            return self._mapping(indent, depth)
        self._place += 1
        return _scalar(text)

    def _mapping(self, indent: int, depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        while (line := self._next()) is not None and line[0] == indent:
            pair = _PAIR.match(line[1])
            if pair is None:
                break
            self._place += 1
            found.setdefault(pair[1].strip("\"'"), self._value(pair[2] or "", indent, depth))
        self._skip(indent)
        return found

    def _list(self, indent: int, depth: int) -> list[Value]:
        found: list[Value] = []
        while (line := self._next()) is not None and line[0] == indent and re.match(r"-(\s|$)", line[1]):
            rest = line[1][1:].lstrip(" ")
            if rest and _PAIR.match(rest) and rest[0] not in "\"'[{":
                inner = indent + len(line[1]) - len(rest)
                self._lines[self._place] = " " * inner + rest
                found.append(self._mapping(inner, depth + 1) if depth < _DEEPEST else "")
            else:
                self._place += 1
                found.append(self._value(rest, indent, depth))
        return found

    def _skip(self, indent: int) -> None:
        """Past what is further in and belongs to nothing."""
        while (line := self._next()) is not None and line[0] > indent:
            self._place += 1

    def _value(self, text: str, indent: int, depth: int) -> Value:
        if re.match(r"[|>][-+\d]*\s*(#.*)?$", text):
            return self._block(indent, folded=text[0] == ">")
        text = re.sub(r"(^|\s)#.*$", "", text) if text[:1] not in "\"'" else text
        if not text:
            line = self._next()
            same_list = line is not None and line[0] == indent and re.match(r"-(\s|$)", line[1])
            return self._list(indent, depth + 1) if same_list and depth < _DEEPEST else self.node(indent, depth + 1)
        pieces = [text]
        while (line := self._next()) is not None and line[0] > indent:
            pieces.append(line[1])
            self._place += 1
        return _flow(" ".join(pieces))

    def _block(self, indent: int, folded: bool) -> str:
        start = self._place
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if line and len(line) - len(line.lstrip(" ")) <= indent:
                break
            self._place += 1
        lines = self._lines[start : self._place]
        margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
        text = "\n".join(line[margin:] for line in lines).strip("\n")
        return re.sub(r"(?<!\n)\n(?!\n)", " ", text) if folded else text


def _flow(text: str) -> Value:
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in re.split(r",\s*", text[1:-1]) if part.strip()]
    return _scalar(text)


def _scalar(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        inner = text[1:-1]
        return inner.replace("''", "'") if text[0] == "'" else re.sub(r"\\(.)", r"\1", inner)
    return text


# What the front matter and the project file say.


@dataclass(frozen=True)
class Front:
    """What front matter or a project file tells about a document."""

    title: str
    subtitle: str
    authors: list[FoundAuthor]
    abstract: str
    doi: str
    keywords: list[str]
    licence: str
    published: date | None
    bibliographies: list[str]


def front_of(values: dict[str, Value]) -> Front:
    """The front matter as told."""
    return Front(
        title=_text(values, "title"),
        subtitle=_text(values, "subtitle"),
        authors=_authors(values.get("authors") or values.get("author") or ""),
        abstract=_text(values, "abstract"),
        doi=doi_in(_text(values, "doi")),
        keywords=_texts(values.get("keywords", "")),
        licence=_text(values, "license") or _text(values, "licence"),
        published=_date(_text(values, "date")),
        bibliographies=_texts(values.get("bibliography", "")),
    )


def project_of(siblings: Siblings) -> Front:
    """What the project file beside a document says; empty where there is none."""
    for name in ("myst.yml", "myst.yaml", "_config.yml"):
        content = siblings.get(name)
        if content is not None:
            project = parse_yaml(decoded(content)).get("project")
            if isinstance(project, dict):
                return front_of(project)
    return front_of({})


def _text(values: dict[str, Value], name: str) -> str:
    value = values.get(name, "")
    if isinstance(value, dict):
        value = value.get("content", value.get("name", ""))
    return value if isinstance(value, str) else ""


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [part for part in value if isinstance(part, str) and part] if isinstance(value, list) else []


def _authors(value: Value) -> list[FoundAuthor]:
    if isinstance(value, str):
        return [person(part) for part in re.split(r",|\band\b", value) if part.strip()]
    if isinstance(value, dict):
        value = [value]
    authors: list[FoundAuthor] = []
    for one in value:
        name = _text(one, "name") if isinstance(one, dict) else one if isinstance(one, str) else ""
        if not name.strip():
            continue
        author = person(name)
        orcid = re.search(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", _text(one, "orcid")) if isinstance(one, dict) else None
        ids = {"orcid": orcid[0]} if orcid else {}
        authors.append(FoundAuthor(author.given, author.family, author.group, ids, author.printed))
    return authors


def _date(text: str) -> date | None:
    match = re.match(r"(\d{4})-(\d{2})-(\d{2})", text)
    try:
        return date(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None


# The document.

_FENCE = re.compile(r" *(?P<fence>`{3,}|~{3,}|:{3,}) *(?P<info>.*)$")
_NAMED = re.compile(r"\{(?P<name>[\w:.+-]{1,60})\} *(?P<rest>.*)$")
_HEADING = re.compile(r" {0,3}(?P<signs>#{1,6})(?: +(?P<words>.*?))?(?: +#+)?$")
_ITEM = re.compile(r" *(?P<sign>[-*+]|\d{1,4}[.)]) +(?P<words>.*)$")
_TARGET = re.compile(r" *\((?P<label>[^()\s]{1,120})\)= *$")
_NOTE = re.compile(r" {0,3}\[\^(?P<key>[^\]\s]{1,60})\]: *(?P<words>.*)$")
_OPTION = re.compile(r" *:(?P<name>[\w-]{1,60}):(?: +(?P<value>.*))?$")
_RULE = re.compile(r" *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
_VERBATIM = {"code", "code-block", "code-cell", "sourcecode", "mermaid", "literal", "parsed-literal", "prf:algorithm"}
_SILENT = {"image", "embed", "toctree", "bibliography", "raw", "literalinclude", "tableofcontents", "anywidget"}
_COUNTED = {"figure": "Figure", "iframe": "Figure", "table": "Table", "list-table": "Table", "csv-table": "Table",
            "math": "Equation"}  # fmt: skip


class _Document:
    def __init__(self, text: str, name: str, siblings: Siblings) -> None:
        self._name = name
        self._siblings = siblings
        self._included = 0
        self._size = len(text)
        self._counts: dict[str, int] = {}
        self._notes: dict[str, int] = {}
        values, self._text = _front_matter(text)
        self._front = front_of(values)
        self._acknowledgements = _text(values, "acknowledgements") or _text(values, "acknowledgments")

    def found(self) -> Found:
        front = self._front
        self._refuse_parts()
        project = project_of(self._siblings)
        names = front.bibliographies or project.bibliographies
        names = names or sorted(name for name in self._siblings.names() if name.lower().endswith(".bib"))
        sources, broken = bibliography(names, self._siblings)
        self._citations = Citations(sources)
        lines = self._gathered(_uncommented(self._text).split("\n"))
        self._labels = _labels(lines)
        found = Found(source=self._name)
        found.abstract = self._blocks((front.abstract or project.abstract).split("\n"), 0)
        body = self._blocks(lines, 0)
        if self._acknowledgements:
            body += [Heading(2, ["Acknowledgements"]), *self._blocks(self._acknowledgements.split("\n"), 0)]
        alone = sum(name.lower().endswith(".md") for name in self._siblings.names()) < 2
        title = words_text(self.inline(front.title or (project.title if alone else "")))
        found.title, body = (title, body) if title.strip() else _title_of(body)
        if not found.title:
            raise Unreadable("it has no title")
        lifted, body = ([], body) if found.abstract else lifted_abstract(body)
        found.abstract = found.abstract or lifted
        found.body = without_empty_lists(_ranked(body))
        found.authors = front.authors or project.authors
        found.references = self._citations.references()
        self._imprint(found, front, project, broken)
        return found

    def _imprint(self, found: Found, front: Front, project: Front, broken: Sequence[str]) -> None:
        doi = front.doi or project.doi
        if doi:
            found.ids["doi"] = doi
        found.subjects = front.keywords or project.keywords
        found.licence = front.licence or project.licence
        found.published = front.published or project.published
        found.year = found.published.year if found.published else None
        if front.subtitle or project.subtitle:
            found.notes["subtitle"] = front.subtitle or project.subtitle
        if self._citations.note():
            found.notes["references"] = self._citations.note()
        if broken:
            found.notes["bibliography"] = "cannot be read: " + ", ".join(broken[:20])

    def _refuse_parts(self) -> None:
        """A part of a paper has no front matter of its own, and the paper's main file includes it."""
        if self._front.title:
            return
        own = re.escape(re.split(r"[/\\:!]", self._name)[-1])
        for name in self._siblings.names()[:200]:
            if name.lower().endswith(".md") and name != re.split(r"[/\\:!]", self._name)[-1]:
                content = self._siblings.get(name)
                if content is not None and re.search(rf"\{{include\}} *(?:\./)?{own}\s", decoded(content)):
                    raise Unreadable(f"it is a part of {name}, and is read with it")

    def _gathered(self, lines: list[str]) -> list[str]:
        """The lines with those of included files in place of the directives that name them."""
        for _ in range(4):
            if not any("{include}" in line for line in lines):
                break
            lines = self._once_gathered(lines)
        return lines

    def _once_gathered(self, lines: list[str]) -> list[str]:
        gathered: list[str] = []
        waits = ""
        for line in lines:
            match = _FENCE.match(line) if "`" in line or ":::" in line or "~" in line else None
            if waits:
                if match and match["fence"] == waits and not match["info"]:
                    waits = ""
                continue
            named = _NAMED.match(match["info"]) if match else None
            if match and named and named["name"] == "include":
                gathered.extend(self._file(named["rest"].strip()))
                waits = match["fence"]
            else:
                gathered.append(line)
        return gathered

    def _file(self, name: str) -> list[str]:
        content = beside(name, self._siblings) if self._included < _MOST_INCLUDED else None
        self._included += 1
        if content is None or self._size + len(content) > _MOST_TEXT:
            return []
        self._size += len(content)
        text = decoded(content)
        if not name.lower().endswith((".md", ".myst", ".txt")):
            return []
        return ["", *_uncommented(_front_matter(text)[1]).split("\n"), ""]

    # Blocks.

    def _blocks(self, lines: Sequence[str], depth: int) -> list[Block]:
        if depth > _DEEPEST:
            return [Paragraph([" ".join(line.strip() for line in lines)])]
        blocks: list[Block] = []
        place = 0
        while place < len(lines):
            place = self._block(lines, place, depth, blocks) if lines[place].strip() else place + 1
        return blocks

    def _block(self, lines: Sequence[str], place: int, depth: int, blocks: list[Block]) -> int:
        """Reads the block that begins here; returns where it ends."""
        line = lines[place]
        stripped = line.strip()
        if (fence := _FENCE.match(line)) is not None and not (fence["fence"][0] == "`" and "`" in fence["info"]):
            return self._fenced(lines, place, fence, depth, blocks)
        if (heading := _HEADING.match(line)) is not None:
            blocks.append(Heading(len(heading["signs"]), self.inline(heading["words"] or "")))
            return place + 1
        if _TARGET.match(line) or stripped.startswith("%") or stripped.startswith("+++"):
            return place + 1
        if (note := _NOTE.match(line)) is not None:
            return self._note(lines, place, note, blocks)
        if stripped.startswith("$$"):
            return self._display(lines, place, blocks)
        if stripped.lower().startswith("<table"):
            return self._html_table(lines, place, [], blocks)
        if place + 1 < len(lines) and "|" in line and "|" in lines[place + 1] and _RULE.match(lines[place + 1]):
            return self._pipe_table(lines, place, [], blocks)
        if stripped.startswith(">"):
            end = place
            while end < len(lines) and lines[end].strip().startswith(">"):
                end += 1
            blocks.extend(self._blocks([part.strip()[1:].removeprefix(" ") for part in lines[place:end]], depth + 1))
            return end
        if re.match(r" {0,3}([-*_])( *\1){2,} *$", line):
            return place + 1
        return self._paragraph(lines, place, blocks)

    def _paragraph(self, lines: Sequence[str], place: int, blocks: list[Block]) -> int:
        item = _ITEM.match(lines[place])
        end = place + 1
        while end < len(lines) and lines[end].strip() and not _begins_block(lines[end]):
            if _ITEM.match(lines[end]) and (item or lines[end].lstrip()[0] in "-*+" or lines[end].lstrip()[:2] == "1."):
                break
            if "|" in lines[end] and end + 1 < len(lines) and "|" in lines[end + 1] and _RULE.match(lines[end + 1]):
                break
            end += 1
        text = " ".join(part.strip() for part in lines[place:end])
        if item:
            sign = "-" if item["sign"] in "-*+" else item["sign"]
            words = text[len(item["sign"]) :].lstrip()
            blocks.append(Paragraph([f"{sign} ", *self.inline(words)]))
        elif re.fullmatch(r"(=+|-+)", lines[end - 1].strip()) and end - place > 1:
            level = 1 if lines[end - 1].strip()[0] == "=" else 2
            blocks.append(Heading(level, self.inline(" ".join(part.strip() for part in lines[place : end - 1]))))
        else:
            words_found = self.inline(text)
            if words_text(words_found).strip():
                blocks.append(Paragraph(words_found))
        return end

    def _note(self, lines: Sequence[str], place: int, match: re.Match[str], blocks: list[Block]) -> int:
        end = place + 1
        while end < len(lines) and lines[end][:1] in (" ", "\t") and lines[end].strip():
            end += 1
        number = self._notes.setdefault(match["key"], len(self._notes) + 1)
        text = " ".join([match["words"], *(part.strip() for part in lines[place + 1 : end])])
        blocks.append(Paragraph([f"[{number}] ", *self.inline(text)]))
        return end

    def _display(self, lines: Sequence[str], place: int, blocks: list[Block]) -> int:
        first = lines[place].strip()[2:]
        end = place + 1
        if "$$" not in first:
            while end < len(lines) and "$$" not in lines[end]:
                end += 1
        inner = "\n".join([first, *lines[place + 1 : end + ("$$" not in first)]]).partition("$$")[0]
        if inner.strip():
            blocks.append(Paragraph([inner.strip("\n")], verbatim=True))
        return end + ("$$" not in first)

    # Directives.

    def _fenced(self, lines: Sequence[str], place: int, fence: re.Match[str], depth: int, blocks: list[Block]) -> int:
        content, end = _inside(lines, place, fence["fence"])
        named = _NAMED.match(fence["info"].strip())
        if named is not None:
            self._directive(named["name"].lower(), named["rest"].strip(), content, depth, blocks)
        elif fence["fence"][0] == ":":
            blocks.extend(self._blocks(content, depth + 1))
        elif any(content):
            blocks.append(Paragraph(["\n".join(content)], verbatim=True))
        return end

    def _directive(self, name: str, rest: str, content: Sequence[str], depth: int, blocks: list[Block]) -> None:
        if name in _SILENT:
            return
        options, content = _options(content)
        if name in _VERBATIM:
            if options.get("caption"):
                blocks.append(Paragraph(self.inline(options["caption"])))
            if any(content):
                blocks.append(Paragraph(["\n".join(content)], verbatim=True))
        elif name == "math":
            if any([rest, *content]):
                blocks.append(Paragraph(["\n".join(filter(None, [rest, *content]))], verbatim=True))
        elif name in _COUNTED:
            self._float(name, rest, options, content, depth, blocks)
        else:
            if rest and not name.startswith("tab-set") and name not in ("div", "grid", "container"):
                blocks.append(Paragraph(self.inline(rest)))
            blocks.extend(self._blocks(content, depth + 1))

    def _float(
        self, name: str, rest: str, options: dict[str, str], content: Sequence[str], depth: int, blocks: list[Block]
    ) -> None:
        kind = _COUNTED[name]
        self._counts[kind] = self._counts.get(kind, 0) + 1
        number = f"{kind} {self._counts[kind]}: "
        if name == "list-table":
            blocks.append(
                FoundTable(self._caption(number, rest), self._listed(content, options.get("header-rows", "")))
            )
            return
        inside = self._blocks(content, depth + 1)
        caption = self._caption(number, rest) if kind == "Table" and rest else []
        for block in inside:
            if isinstance(block, FoundTable) and caption:
                blocks.append(FoundTable(caption, block.rows))
                caption = []
            elif kind == "Figure" and isinstance(block, Paragraph) and not block.verbatim and number:
                blocks.append(Paragraph([number, *block.words]))
                number = ""
            else:
                blocks.append(block)
        if caption:
            blocks.append(Paragraph(caption))

    def _caption(self, number: str, text: str) -> Words:
        return [number, *self.inline(text)] if text else []

    # Tables.

    def _listed(self, content: Sequence[str], headers: str) -> list[list[TableCell]]:
        rows: list[list[list[str]]] = []
        for line in content:
            match = re.match(r"( *[*-] +[-*](?: |$)| *[-*](?: |$))?(.*)$", line)
            lead, text = (match[1] or "", match[2]) if match else ("", line)
            if len(lead.split()) == 2:
                rows.append([[text]])
            elif lead and rows:
                rows[-1].append([text])
            elif rows:
                rows[-1][-1].append(line.strip())
        count = int(headers) if headers.isdigit() and len(headers) < 4 else 0
        return bounded_rows(
            [
                [TableCell(self.inline(" ".join(filter(None, cell)).strip()), number < count) for cell in row]
                for number, row in enumerate(rows)
            ]
        )

    def _pipe_table(self, lines: Sequence[str], place: int, caption: Words, blocks: list[Block]) -> int:
        end = place + 2
        while end < len(lines) and "|" in lines[end] and lines[end].strip():
            end += 1
        rows = [_pipe_cells(lines[place]), *(_pipe_cells(line) for line in lines[place + 2 : end])]
        cells = [[TableCell(self.inline(cell), not number) for cell in row] for number, row in enumerate(rows)]
        blocks.append(FoundTable(caption, bounded_rows(cells)))
        return end

    def _html_table(self, lines: Sequence[str], place: int, caption: Words, blocks: list[Block]) -> int:
        end = place
        while end < len(lines) and "</table" not in lines[end].lower():
            end += 1
        end = min(end + 1, len(lines))
        rows: list[list[TableCell]] = []
        for row in re.split(r"(?i)<tr\b[^<>]*>", "\n".join(lines[place:end]))[1:]:
            pieces = re.split(r"(?i)<(t[dh])\b([^<>]*)>", re.sub(r"(?i)</t[drh]\b[^<>]*>", "", row))[1:]
            cells = []
            for tag, attributes, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False):
                span = re.search(r"colspan *= *[\"']?(\d{1,2})\b", attributes)
                words = self.inline(" ".join(text.split()))
                cells.append(TableCell(words, tag.lower() == "th", max(1, int(span[1])) if span else 1))
            rows.append(cells)
        if any(rows):
            blocks.append(FoundTable(caption, bounded_rows(rows)))
        return end

    # Running text.

    def inline(self, text: str, depth: int = 0) -> Words:
        """Markup within a paragraph as running text."""
        words: Words = []
        place = 0
        for match in _INLINE.finditer(text):
            words.append(html.unescape(text[place : match.start()]))
            words.extend(self._piece(match, depth))
            place = match.end()
        words.append(html.unescape(text[place:]))
        return words

    def _piece(self, match: re.Match[str], depth: int) -> Words:
        if match["escaped"] is not None:
            return [match["escaped"]]
        if match["role"]:
            return self._role(match["role"].lower(), match["roled"])
        if match["code"] or match["codes"]:
            return [(match["code"] or match["codes"]).strip()]
        if match["math"]:
            return [match["math"]]
        if match["cites"]:
            return self._cites(match["cites"])
        if match["key"]:
            return self._narrative(match["key"])
        if match["note"]:
            return [f"[{self._notes.setdefault(match['note'], len(self._notes) + 1)}]"]
        if match["target"] is not None:
            return [] if match["picture"] else self._link(match["label"], match["target"], depth)
        inner = match["strong"] or match["stressed"] or match["underlined"]
        if inner is not None:
            return self.inline(inner, depth + 1) if depth < 3 else [inner]
        if match["address"]:
            return [match["address"]]
        return [" "] if match[0].lower().startswith("<br") else []

    def _role(self, role: str, text: str) -> Words:
        if role.startswith("cite"):
            manner: Manner = "textual" if role.endswith(":t") else "bare" if role.endswith(":alp") else "parenthetical"
            return self._citations.words([key.strip() for key in re.split("[,;]", text) if key.strip()], manner)
        if role == "math":
            return [f"${text}$"]
        named = re.match(r"([^<]*\S)\s*<([^<>]*)>$", text)
        if role in ("ref", "numref", "eq", "doc"):
            return [named[1] if named else self._labels.get(text, text)]
        return [named[1] if named else text]

    def _cites(self, text: str) -> Words:
        """A bracket of citations: "see @a, p. 3; @b"."""
        keys: list[str] = []
        before = after = ""
        manner: Manner = "parenthetical"
        for part in re.split(r";|,(?=\s*@)", text):
            match = re.match(r"([^@]*?)(-?)@([^\s,;]+)(?:,?\s+(.*))?$", part.strip(), re.DOTALL)
            if match is None:
                continue
            keys.append(match[3].rstrip(".,:").strip("{}"))
            before = before or match[1].strip()
            after = (match[4] or "").strip()
            manner = "year" if match[2] else manner
        if keys and all(key in self._labels and not self._citations.knows(key) for key in keys):
            return ["(" + ", ".join(self._labels[key] for key in keys) + ")"]
        return self._citations.words(keys, manner, before, after)

    def _narrative(self, key: str) -> Words:
        bare = key.rstrip(".,:;/")
        if self._citations.knows(bare):
            return [*self._citations.words([bare], "textual"), key[len(bare) :]]
        return [self._labels.get(bare, f"@{bare}"), key[len(bare) :]]

    def _link(self, label: str, target: str, depth: int) -> Words:
        if label.strip():
            label = label.replace("%s", self._labels.get(target.lstrip("#"), "").rpartition(" ")[2])
            return self.inline(label, depth + 1) if depth < 3 else [label]
        if doi_in(target):
            return self._citations.words([f"doi:{doi_in(target)}"], "textual")
        name = target.lstrip("#")
        if self._citations.knows(name):
            return self._citations.words([name], "textual")
        return [self._labels.get(name, target)]


_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|\{(?P<role>[A-Za-z][\w:+.-]{0,60})\}`(?P<roled>[^`]+)`"
    r"|``(?P<codes>[^`]+(?:`[^`]+)*?)``|`(?P<code>[^`]+)`"
    r"|(?P<math>\$\$?[^$\s](?:[^$]{0,2000}[^$\s\\])?\$\$?)"
    r"|\[(?P<cites>-?@[^\[\]]{1,2000}|[^\[\]@]{1,100}\s-?@[^\[\]]{1,2000})\](?!\()"
    r"|(?<![\w@.`/])@(?P<key>(?:doi:|https?://)?[A-Za-z0-9][\w:./+()-]{0,200})"
    r"|\[\^(?P<note>[^\]\s]{1,60})\]"
    r"|(?P<picture>!)?\[(?P<label>[^\[\]]*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+[\"'][^\"']*[\"'])?\)"
    r"|(?<!\*)\*\*(?P<strong>[^\s*][^*]*)\*\*(?!\*)"
    r"|(?<![\w*])\*(?P<stressed>[^\s*][^*]*)\*(?![\w*])"
    r"|(?<![\w_])__?(?P<underlined>[^\s_][^_]*)__?(?![\w_])"
    r"|<(?P<address>https?://[^<>\s]+)>|</?[A-Za-z][^<>]{0,300}>"
)


# Lines.


def _front_matter(text: str) -> tuple[dict[str, Value], str]:
    match = re.match(r"\s*---[ \t]*\n", text)
    end = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE).search(text, match.end()) if match else None
    if match is None or end is None:
        return {}, text
    return parse_yaml(text[match.end() : end.start()]), text[end.end() :]


def _uncommented(text: str) -> str:
    """Without HTML comments; one that is never closed is no comment."""
    pieces: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces.append(text[place:start])
        place = end + 3
    return "".join([*pieces, text[place:]])


def _begins_block(line: str) -> bool:
    stripped = line.lstrip()
    return (
        stripped[:1] in "`~:#>$<([%+"
        and (
            _FENCE.match(line) is not None
            or _HEADING.match(line) is not None
            or _TARGET.match(line) is not None
            or _NOTE.match(line) is not None
            or stripped.startswith(("$$", "+++", "%", ">"))
            or stripped.lower().startswith("<table")
        )
    )  # fmt: skip


def _inside(lines: Sequence[str], place: int, fence: str) -> tuple[list[str], int]:
    """The lines between a fence and the one that closes it, and where that ends; the rest where none closes it."""
    sign, length = fence[0], len(fence)
    open_ones = 1
    end = place + 1
    while end < len(lines):
        stripped = lines[end].strip()
        if stripped.startswith(fence):
            bare = stripped.strip(sign) == ""
            if bare and (sign != ":" or len(stripped) == length):
                open_ones -= 1
            elif sign == ":" and stripped[length : length + 1] == "{":
                open_ones += 1
            if open_ones == 0:
                break
        end += 1
    content = lines[place + 1 : end]
    margin = min((len(line) - len(line.lstrip(" ")) for line in content if line.strip()), default=0)
    return [line[margin:].rstrip() for line in content], end + 1


def _options(content: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    place = 0
    if content and content[0].strip() == "---":
        end = next((n for n, line in enumerate(content[1:], start=1) if line.strip() == "---"), 0)
        values = parse_yaml("\n".join(content[1:end]))
        return {name: value for name, value in values.items() if isinstance(value, str)}, list(content[end + 1 :])
    while place < len(content) and (match := _OPTION.match(content[place])) is not None:
        options[match["name"].lower()] = match["value"] or ""
        place += 1
    rest = list(content[place:])
    while rest and not rest[0].strip():
        rest.pop(0)
    return options, rest


def _pipe_cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]


def _labels(lines: Sequence[str]) -> dict[str, str]:
    """How cross-references to figures, tables, equations and sections print."""
    labels: dict[str, str] = {}
    counts: dict[str, int] = {}
    kind = ""
    waiting: list[str] = []
    for line in lines:
        fence = _FENCE.match(line) if line.lstrip()[:3] in ("```", ":::", "~~~") else None
        named = _NAMED.match(fence["info"]) if fence else None
        if named is not None:
            name = named["name"].lower()
            kind = _COUNTED.get(name, name.rpartition(":")[2].capitalize())
            counts[kind] = counts.get(kind, 0) + 1
        option = _OPTION.match(line)
        target = _TARGET.match(line)
        if option and option["name"] in ("label", "name") and option["value"] and kind:
            labels.setdefault(option["value"].strip(), f"{kind} {counts[kind]}")
        elif target:
            waiting.append(target["label"])
        elif line.strip():
            heading = _HEADING.match(line)
            for label in waiting:
                labels.setdefault(label, (heading["words"] or label) if heading else label)
            waiting = []
    return labels


def _title_of(body: list[Block]) -> tuple[str, list[Block]]:
    """The first heading where it is of the first rank, and the rest."""
    for place, block in enumerate(body):
        if isinstance(block, Heading) and block.level == 1:
            return words_text(block.words), [*body[:place], *body[place + 1 :]]
        if isinstance(block, Heading):
            break
    return "", body


def _ranked(body: Sequence[Block]) -> list[Block]:
    """Blocks with the highest heading at rank two: papers begin with one, two or three signs."""
    highest = min((block.level for block in body if isinstance(block, Heading)), default=2)
    return [
        Heading(block.level - highest + 2, block.words, block.role) if isinstance(block, Heading) else block
        for block in body
    ]

"""MyST Markdown: papers of proceedings, with their front matter, project file and bibliographies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.corpus.readers.bibtex.citations import CitationFormatter
from fathom.corpus.readers.bibtex.files import bib_file_names, note_uncertainties, read_bibliographies, read_companion
from fathom.corpus.readers.markdown.blocks import without_comments
from fathom.corpus.readers.myst.inline import Running
from fathom.corpus.readers.myst.lines import (
    COUNTED,
    FENCE,
    HEADING,
    ITEM,
    NAMED,
    NOTE,
    RULE,
    TARGET,
    begins_block,
    fenced,
    labels_in,
    options_of,
)
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
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
from fathom.corpus.readers.parsing.decoding import decoded_leniently
from fathom.corpus.readers.parsing.front_matter import (
    FrontMatter,
    read_front_matter,
    read_project_file,
    split_front_matter,
    text_value,
)
from fathom.corpus.readers.parsing.text_tables import (
    TextCell,
    TextRows,
    csv_table_rows,
    html_table_rows,
    limit_columns,
    list_table_rows,
    mark_header_rows,
    split_pipe_row,
)

FORMAT = "myst"

_DEEPEST = 12
"""Directives inside directives deeper than this are read as plain paragraphs."""
_MOST_INCLUDED = 50
_MOST_TEXT = 20_000_000


def matches(name: str, head: bytes) -> bool:
    """A Markdown file with front matter, directives, roles or citations of MyST."""
    return name.lower().endswith((".md", ".myst")) and _SIGN.search(head) is not None


_SIGN = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:title|authors?|abstract|exports):"
    rb"|(?m:^(?::{3,}|`{3,})\{[\w:-]{1,40}\})|\{cite(?::\w{1,10})?\}`|\[-?@[\w:.-]{1,80}[\];,]"
)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The one document in a file; a part that another file includes is read with that one."""
    yield _Document(decoded_leniently(content), name, companions).found()


# The document.

_VERBATIM = {"code", "code-block", "code-cell", "sourcecode", "mermaid", "literal", "parsed-literal", "prf:algorithm"}
_SILENT = {"image", "embed", "toctree", "bibliography", "raw", "literalinclude", "tableofcontents", "anywidget"}


class _Document:
    def __init__(self, text: str, name: str, companions: CompanionFiles) -> None:
        self._name = name
        self._companions = companions
        self._included = 0
        self._size = len(text)
        self._counts: dict[str, int] = {}
        values, self._text = split_front_matter(text)
        self._front = read_front_matter(values)
        self._acknowledgements = text_value(values, "acknowledgements") or text_value(values, "acknowledgments")

    def found(self) -> ParsedDocument:
        front = self._front
        self._refuse_parts()
        project = read_project_file(self._companions)
        names = front.bibliographies or project.bibliographies or bib_file_names(self._companions)
        sources, broken = read_bibliographies(names, self._companions)
        self._citations = CitationFormatter(sources)
        lines = self._gathered(without_comments(self._text).split("\n"))
        self._running = Running(self._citations, labels_in(lines))
        found = ParsedDocument(source=self._name)
        found.abstract = self._blocks((front.abstract or project.abstract).split("\n"), 0)
        body = self._blocks(lines, 0)
        if self._acknowledgements:
            body += [Heading(2, ["Acknowledgements"]), *self._blocks(self._acknowledgements.split("\n"), 0)]
        alone = sum(name.lower().endswith(".md") for name in self._companions.names()) < 2
        title = inlines_text(self._running.inline(front.title or (project.title if alone else "")))
        found.title, body = (title, body) if title.strip() else _title_of(body)
        if not found.title:
            raise ReadError("it has no title")
        lifted, body = ([], body) if found.abstract else extract_abstract(body)
        found.abstract = found.abstract or lifted
        found.body = drop_empty_reference_sections(_ranked(body))
        found.authors = front.authors or project.authors
        found.references = self._citations.references()
        self._imprint(found, front, project, broken)
        return found

    def _imprint(self, found: ParsedDocument, front: FrontMatter, project: FrontMatter, broken: Sequence[str]) -> None:
        doi = front.doi or project.doi
        if doi:
            found.ids["doi"] = doi
        found.subjects = front.keywords or project.keywords
        found.license = front.license or project.license
        found.published = front.published or project.published
        found.year = found.published.year if found.published else None
        if front.subtitle or project.subtitle:
            found.uncertain["subtitle"] = front.subtitle or project.subtitle
        note_uncertainties(found, self._citations, broken)

    def _refuse_parts(self) -> None:
        """A part of a paper has no front matter of its own, and the paper's main file includes it."""
        if self._front.title:
            return
        own = re.escape(re.split(r"[/\\:!]", self._name)[-1])
        for name in self._companions.names()[:200]:
            if name.lower().endswith(".md") and name != re.split(r"[/\\:!]", self._name)[-1]:
                content = self._companions.get(name)
                if content is not None and re.search(rf"\{{include\}} *(?:\./)?{own}\s", decoded_leniently(content)):
                    raise ReadError(f"it is a part of {name}, and is read with it")

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
            match = FENCE.match(line) if "`" in line or ":::" in line or "~" in line else None
            if waits:
                if match and match["fence"] == waits and not match["info"]:
                    waits = ""
                continue
            named = NAMED.match(match["info"]) if match else None
            if match and named and named["name"] == "include":
                gathered.extend(self._file(named["rest"].strip()))
                waits = match["fence"]
            else:
                gathered.append(line)
        return gathered

    def _file(self, name: str) -> list[str]:
        content = read_companion(name, self._companions) if self._included < _MOST_INCLUDED else None
        self._included += 1
        if content is None or self._size + len(content) > _MOST_TEXT:
            return []
        self._size += len(content)
        text = decoded_leniently(content)
        if not name.lower().endswith((".md", ".myst", ".txt")):
            return []
        return ["", *without_comments(split_front_matter(text)[1]).split("\n"), ""]

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
        if (fence := FENCE.match(line)) is not None and not (fence["fence"][0] == "`" and "`" in fence["info"]):
            return self._fenced(lines, place, fence, depth, blocks)
        if (heading := HEADING.match(line)) is not None:
            blocks.append(Heading(len(heading["signs"]), self._running.inline(heading["words"] or "")))
            return place + 1
        if TARGET.match(line) or stripped.startswith("%") or stripped.startswith("+++"):
            return place + 1
        if (note := NOTE.match(line)) is not None:
            return self._note(lines, place, note, blocks)
        if stripped.startswith("$$"):
            return self._display(lines, place, blocks)
        if stripped.lower().startswith("<table"):
            return self._html_table(lines, place, blocks)
        if place + 1 < len(lines) and "|" in line and "|" in lines[place + 1] and RULE.match(lines[place + 1]):
            return self._pipe_table(lines, place, blocks)
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
        item = ITEM.match(lines[place])
        end = place + 1
        while end < len(lines) and lines[end].strip() and not begins_block(lines[end]):
            if ITEM.match(lines[end]) and (item or lines[end].lstrip()[0] in "-*+" or lines[end].lstrip()[:2] == "1."):
                break
            if "|" in lines[end] and end + 1 < len(lines) and "|" in lines[end + 1] and RULE.match(lines[end + 1]):
                break
            end += 1
        text = " ".join(part.strip() for part in lines[place:end])
        if item:
            sign = "-" if item["sign"] in "-*+" else item["sign"]
            words = text[len(item["sign"]) :].lstrip()
            blocks.append(Paragraph([f"{sign} ", *self._running.inline(words)]))
        elif re.fullmatch(r"(=+|-+)", lines[end - 1].strip()) and end - place > 1:
            level = 1 if lines[end - 1].strip()[0] == "=" else 2
            blocks.append(
                Heading(level, self._running.inline(" ".join(part.strip() for part in lines[place : end - 1])))
            )
        else:
            words_found = self._running.inline(text)
            if inlines_text(words_found).strip():
                blocks.append(Paragraph(words_found))
        return end

    def _note(self, lines: Sequence[str], place: int, match: re.Match[str], blocks: list[Block]) -> int:
        end = place + 1
        while end < len(lines) and lines[end][:1] in (" ", "\t") and lines[end].strip():
            end += 1
        number = self._running.note(match["key"])
        text = " ".join([match["words"], *(part.strip() for part in lines[place + 1 : end])])
        blocks.append(Paragraph([f"[{number}] ", *self._running.inline(text)]))
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
        content, end = fenced(lines, place, fence["fence"])
        named = NAMED.match(fence["info"].strip())
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
        options, content = options_of(content)
        if name in _VERBATIM:
            if options.get("caption"):
                blocks.append(Paragraph(self._running.inline(options["caption"])))
            if any(content):
                blocks.append(Paragraph(["\n".join(content)], verbatim=True))
        elif name == "math":
            if any([rest, *content]):
                blocks.append(Paragraph(["\n".join(filter(None, [rest, *content]))], verbatim=True))
        elif name in COUNTED:
            self._float(name, rest, options, content, depth, blocks)
        else:
            if rest and not name.startswith("tab-set") and name not in ("div", "grid", "container"):
                blocks.append(Paragraph(self._running.inline(rest)))
            blocks.extend(self._blocks(content, depth + 1))

    def _float(
        self, name: str, rest: str, options: dict[str, str], content: Sequence[str], depth: int, blocks: list[Block]
    ) -> None:
        kind = COUNTED[name]
        self._counts[kind] = self._counts.get(kind, 0) + 1
        number = f"{kind} {self._counts[kind]}: "
        caption = [number, *self._running.inline(rest)] if kind == "Table" and rest else []
        if name == "list-table":
            self._table(mark_header_rows(list_table_rows(content), options.get("header-rows", "")), caption, blocks)
        elif name == "csv-table":
            self._table(csv_table_rows(content, options), caption, blocks)
        else:
            inside = self._blocks(content, depth + 1)
            if kind == "Figure":
                inside = _numbered(number, inside)
            blocks.extend(attach_caption(inside, caption))

    # Tables.

    def _table(self, rows: TextRows, caption: Inlines, blocks: list[Block]) -> None:
        cells = [
            [TableCell(self._running.inline(cell.text), cell.header, cell.columns) for cell in row] for row in rows
        ]
        if any(cells):
            blocks.append(ParsedTable(caption, limit_columns(cells)))

    def _pipe_table(self, lines: Sequence[str], place: int, blocks: list[Block]) -> int:
        end = place + 2
        while end < len(lines) and "|" in lines[end] and lines[end].strip():
            end += 1
        rows = [split_pipe_row(lines[place]), *map(split_pipe_row, lines[place + 2 : end])]
        self._table(mark_header_rows([[TextCell(cell) for cell in row] for row in rows], "1"), [], blocks)
        return end

    def _html_table(self, lines: Sequence[str], place: int, blocks: list[Block]) -> int:
        end = place
        while end < len(lines) and "</table" not in lines[end].lower():
            end += 1
        end = min(end + 1, len(lines))
        self._table(html_table_rows("\n".join(lines[place:end])), [], blocks)
        return end


def _numbered(number: str, blocks: Sequence[Block]) -> list[Block]:
    """A figure's blocks, its first paragraph led by its number."""
    first = next((n for n, one in enumerate(blocks) if isinstance(one, Paragraph) and not one.verbatim), None)
    return [with_prefix(number, block) if place == first else block for place, block in enumerate(blocks)]


def _title_of(body: list[Block]) -> tuple[str, list[Block]]:
    """The first heading where it is of the first rank, and the rest."""
    for place, block in enumerate(body):
        if isinstance(block, Heading) and block.level == 1:
            return inlines_text(block.inlines), [*body[:place], *body[place + 1 :]]
        if isinstance(block, Heading):
            break
    return "", body


def _ranked(body: Sequence[Block]) -> list[Block]:
    """Blocks with the highest heading at rank two: papers begin with one, two or three signs."""
    highest = min((block.level for block in body if isinstance(block, Heading)), default=2)
    return [
        Heading(block.level - highest + 2, block.inlines, block.role) if isinstance(block, Heading) else block
        for block in body
    ]

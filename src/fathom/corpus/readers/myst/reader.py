"""Reader of MyST Markdown, R Markdown and Quarto: papers with front matter, a project file and bibliographies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin

from fathom.corpus.readers.bibtex.citations import (
    CitationFormatter,
    bib_file_names,
    read_bibliographies,
    read_companion,
    state_references,
    uncited_keys,
)
from fathom.corpus.readers.markdown.blocks import without_comments
from fathom.corpus.readers.myst.markup import (
    DIRECTIVE,
    FENCE,
    NUMBERED,
    InlineParser,
    find_labels,
    is_myst,
    split_options,
)
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Paragraph,
    ParsedDocument,
    ReadError,
)
from fathom.corpus.readers.parsing.blocks import (
    attach_caption,
    drop_empty_reference_sections,
    extract_abstract,
    inlines_text,
    with_prefix,
)
from fathom.corpus.readers.parsing.decoding import decode_text, searchable
from fathom.corpus.readers.parsing.front_matter import (
    FrontMatter,
    read_front_matter,
    read_project_file,
    split_front_matter,
    text_value,
)
from fathom.corpus.readers.parsing.knitr import has_markdown_chunks, shown_markdown
from fathom.corpus.readers.parsing.text_tables import (
    TextCell,
    TextRows,
    build_table,
    directive_rows,
    html_table_rows,
)
from fathom.corpus.readers.parsing.titles import move_date

FORMAT = "myst"

_MAX_DEPTH = 12
"""Directives nested deeper than this are read as plain paragraphs."""
_MAX_INCLUDES = 50
"""Maximum number of included files."""
_MAX_INCLUDED_CHARS = 20_000_000
"""Maximum size of a document with its included files."""


def matches(name: str, head: bytes) -> bool:
    """Return whether a Markdown file has front matter, directives, roles or citations of MyST, or chunks of code."""
    return is_myst(name, head) or has_markdown_chunks(name)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one document in a file; a part that another file includes is read with that file."""
    yield _Document(decode_text(content), name, companions).parse()


# The document.

_VERBATIM = {"code", "code-block", "code-cell", "sourcecode", "mermaid", "literal", "parsed-literal", "prf:algorithm"}
_IGNORED = {"image", "embed", "toctree", "bibliography", "raw", "literalinclude", "tableofcontents", "anywidget"}
_CONTAINERS = ("div", "grid", "container")


class _Document:
    def __init__(self, text: str, name: str, companions: CompanionFiles) -> None:
        self._name = name
        self._companions = companions
        self._included = 0
        self._size = len(text)
        self._counts: dict[str, int] = {}
        self._has_chunks = has_markdown_chunks(name)
        values, self._text = split_front_matter(shown_markdown(text) if self._has_chunks else text)
        self._front = read_front_matter(values)
        self._nocite = text_value(values, "nocite")
        self._acknowledgements = text_value(values, "acknowledgements") or text_value(values, "acknowledgments")

    def parse(self) -> ParsedDocument:
        front = self._front
        self._reject_parts()
        project = read_project_file(self._companions)
        names = front.bibliographies or project.bibliographies or bib_file_names(self._companions)
        works, broken = read_bibliographies(names, self._companions)
        self._citations = CitationFormatter(works)
        lines = self._expand_includes(without_comments(self._text).split("\n"))
        self._inline = InlineParser(self._citations, find_labels(lines))
        document = ParsedDocument(source=self._name)
        document.abstract = self._blocks(front.abstract or project.abstract, 0)
        body = self._blocks("\n".join(lines), 0)
        if self._acknowledgements:
            body += [Heading(2, ["Acknowledgements"]), *self._blocks(self._acknowledgements, 0)]
        only_file = sum(name.lower().endswith(".md") for name in self._companions.names()) < 2
        title = inlines_text(self._inline.parse(front.title or (project.title if only_file else "")))
        document.title, body = (title, body) if title.strip() else _extract_title(body)
        if not document.title:
            raise ReadError("it has no title")
        abstract, body = ([], body) if document.abstract else extract_abstract(body)
        document.abstract = document.abstract or abstract
        document.body = drop_empty_reference_sections(_normalize_levels(body))
        named = front if front.authors or front.reason else project
        document.authors = named.authors
        if named.reason:
            document.unknown["authors"] = named.reason
        self._citations.include(uncited_keys("\n".join(lines), self._nocite))
        document.references = self._citations.references()
        self._add_metadata(document, front, project, broken)
        # The tables of R Markdown are results of code.
        document.stated |= {"abstract", "sections"} if self._has_chunks else {"abstract", "sections", "tables"}
        if front.states_no_authors:
            document.authors = []
            document.stated |= {"authors"}
        if not title.strip():
            move_date(document)
        return document

    def _add_metadata(
        self, document: ParsedDocument, front: FrontMatter, project: FrontMatter, broken: Sequence[str]
    ) -> None:
        doi = front.doi or project.doi
        if doi:
            document.ids["doi"] = doi
        document.subjects = front.keywords or project.keywords
        document.license = front.license or project.license
        dated = front if front.year else project
        document.published, document.year = dated.published, dated.year
        if front.subtitle or project.subtitle:
            document.notes["subtitle"] = front.subtitle or project.subtitle
        state_references(document, self._citations, broken)

    def _reject_parts(self) -> None:
        """Raise `ReadError` for a file without front matter that another file includes."""
        if self._front.title:
            return
        own_name = re.split(r"[/\\:!]", self._name)[-1]
        include = re.compile(rf"\{{include\}} *(?:\./)?{re.escape(own_name)}\s")
        for name in self._companions.names()[:200]:
            if name.lower().endswith(".md") and name != own_name:
                content = self._companions.get(name)
                if content is not None and include.search(searchable(content)):
                    raise ReadError(f"it is a part of {name} and is read with it")

    def _expand_includes(self, lines: list[str]) -> list[str]:
        """Replace include directives by the lines of the files, four levels deep."""
        for _ in range(4):
            if not any("{include}" in line for line in lines):
                break
            lines = self._expand_once(lines)
        return lines

    def _expand_once(self, lines: list[str]) -> list[str]:
        expanded: list[str] = []
        closing_fence = ""
        for line in lines:
            fence = FENCE.match(line) if "`" in line or ":::" in line or "~" in line else None
            if closing_fence:
                if fence and fence["fence"] == closing_fence and not fence["info"]:
                    closing_fence = ""
                continue
            directive = DIRECTIVE.match(fence["info"]) if fence else None
            if fence and directive and directive["name"] == "include":
                expanded.extend(self._included_lines(directive["argument"].strip()))
                closing_fence = fence["fence"]
            else:
                expanded.append(line)
        return expanded

    def _included_lines(self, name: str) -> list[str]:
        content = read_companion(name, self._companions) if self._included < _MAX_INCLUDES else None
        self._included += 1
        if content is None or self._size + len(content) > _MAX_INCLUDED_CHARS:
            return []
        self._size += len(content)
        if not name.lower().endswith((".md", ".myst", ".txt")):
            return []
        return ["", *without_comments(split_front_matter(decode_text(content))[1]).split("\n"), ""]

    # Blocks.

    def _blocks(self, text: str, depth: int) -> list[Block]:
        if depth > _MAX_DEPTH:
            return [Paragraph([" ".join(text.split())])]
        tokens: list[Token] = []
        _MARKDOWN.block.parse(text.replace("\x00", ""), _MARKDOWN, {}, tokens)
        blocks: list[Block] = []
        prefix = ""
        rows: TextRows = []
        for number, token in enumerate(tokens):
            content = token.content
            match token.type:
                case "inline" if tokens[number - 1].type == "heading_open":
                    blocks.append(Heading(int(tokens[number - 1].tag[1]), self._inline.parse(_join_lines(content))))
                case "inline" if tokens[number - 1].type == "paragraph_open":
                    self._add_paragraph(content, prefix, blocks)
                    prefix = ""
                case "list_item_open":
                    prefix = f"{token.info}{token.markup} " if token.info else "- "
                case "footnote_reference_open":
                    prefix = f"[{self._inline.footnote_number(token.meta['label'])}] "
                case "fence" | "colon_fence":
                    self._add_fence(token, depth, blocks)
                case "math_block" | "math_block_label" | "amsmath":
                    _add_verbatim(content, blocks)
                case "table_open":
                    rows = []
                case "tr_open":
                    rows.append([])
                case "inline" if tokens[number - 1].type in ("th_open", "td_open"):
                    rows[-1].append(TextCell(content, header=tokens[number - 1].type == "th_open"))
                case "table_close":
                    blocks.extend(build_table(rows, [], self._inline.parse))
                case "html_block":
                    self._add_html(content, depth, blocks)
        return blocks

    def _add_paragraph(self, text: str, prefix: str, blocks: list[Block]) -> None:
        inlines = self._inline.parse(_join_lines(text))
        if inlines_text(inlines).strip():
            blocks.append(Paragraph([prefix, *inlines] if prefix else inlines))

    def _add_html(self, text: str, depth: int, blocks: list[Block]) -> None:
        end = text.lower().find("</table>")
        if text.lstrip().lower().startswith("<table") and end >= 0:
            blocks.extend(build_table(html_table_rows(text[:end]), [], self._inline.parse))
            # An HTML block extends to the next blank line, but text may follow the table directly.
            blocks.extend(self._blocks(text[end + len("</table>") :], depth + 1))
        else:
            self._add_paragraph(text, "", blocks)

    # Directives.

    def _add_fence(self, fence: Token, depth: int, blocks: list[Block]) -> None:
        lines = [line.rstrip() for line in fence.content.split("\n")]
        margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
        content = [line[margin:] for line in lines]
        directive = DIRECTIVE.match(fence.info.strip())
        if directive is not None:
            self._add_directive(directive["name"].lower(), directive["argument"].strip(), content, depth, blocks)
        elif fence.type == "colon_fence":
            blocks.extend(self._blocks("\n".join(content), depth + 1))
        else:
            _add_verbatim("\n".join(content), blocks)

    def _add_directive(self, name: str, argument: str, content: Sequence[str], depth: int, blocks: list[Block]) -> None:
        if name in _IGNORED:
            return
        options, content = split_options(content)
        text = "\n".join(content)
        if name in _VERBATIM:
            if options.get("caption"):
                blocks.append(Paragraph(self._inline.parse(options["caption"])))
            _add_verbatim(text, blocks)
        elif name == "math":
            _add_verbatim("\n".join(filter(None, [argument, *content])), blocks)
        elif name in NUMBERED:
            self._add_float(name, argument, options, content, depth, blocks)
        else:
            if argument and not name.startswith("tab-set") and name not in _CONTAINERS:
                blocks.append(Paragraph(self._inline.parse(argument)))
            blocks.extend(self._blocks(text, depth + 1))

    def _add_float(
        self, name: str, argument: str, options: dict[str, str], content: Sequence[str], depth: int, blocks: list[Block]
    ) -> None:
        kind = NUMBERED[name]
        self._counts[kind] = self._counts.get(kind, 0) + 1
        number = f"{kind} {self._counts[kind]}: "
        caption = [number, *self._inline.parse(argument)] if kind == "Table" and argument else []
        rows = directive_rows(name, content, options)
        if rows is not None:
            blocks.extend(build_table(rows, caption, self._inline.parse))
        else:
            inner = self._blocks("\n".join(content), depth + 1)
            if kind == "Figure":
                inner = _prefix_first_paragraph(number, inner)
            blocks.extend(attach_caption(inner, caption))


_MARKDOWN = (
    MarkdownIt("commonmark")
    .enable("table")
    # Papers indent paragraphs by four spaces and begin them with "[1]: ".
    .disable(["code", "reference"])
    .use(colon_fence_plugin)
    .use(dollarmath_plugin)
    .use(footnote_plugin)
    .use(myst_block_plugin)
)
"""Parses blocks only; inline markup is parsed by `InlineParser`."""


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a formula between lines of dollars, which may interrupt a paragraph, unlike in the plugin."""
    if silent:
        return state.src.startswith("$$", state.bMarks[start] + state.tShift[start])
    return _parse_math_block(state, start, end, silent)


_parse_math_block = math_block_dollar()
_MARKDOWN.block.ruler.at("math_block", _math_block, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def _join_lines(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n"))


def _add_verbatim(text: str, blocks: list[Block]) -> None:
    if text.strip():
        blocks.append(Paragraph([text.strip("\n")], verbatim=True))


def _prefix_first_paragraph(prefix: str, blocks: Sequence[Block]) -> list[Block]:
    """Return a figure's blocks with its number before the first paragraph."""
    first = next((n for n, block in enumerate(blocks) if isinstance(block, Paragraph) and not block.verbatim), None)
    return [with_prefix(prefix, block) if number == first else block for number, block in enumerate(blocks)]


def _extract_title(body: list[Block]) -> tuple[str, list[Block]]:
    """Return the first heading if it is of level 1, and the other blocks."""
    heading = next((block for block in body if isinstance(block, Heading)), None)
    if heading is None or heading.level != 1:
        return "", body
    return inlines_text(heading.inlines), [block for block in body if block is not heading]


def _normalize_levels(body: Sequence[Block]) -> list[Block]:
    """Return blocks with the highest heading at level 2: papers start at level 1, 2 or 3."""
    highest = min((block.level for block in body if isinstance(block, Heading)), default=2)
    return [
        Heading(block.level - highest + 2, block.inlines, block.role) if isinstance(block, Heading) else block
        for block in body
    ]

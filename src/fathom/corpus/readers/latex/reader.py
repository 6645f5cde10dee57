"""Reader of LaTeX sources, parsed as markup and never executed. Other files come from the document's folder only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fathom.corpus.readers.bibtex.citations import CitationForm, CitationFormatter, state_references
from fathom.corpus.readers.bibtex.latex_text import latex_to_text, split_outside_braces
from fathom.corpus.readers.latex.bylines import read_latex_byline
from fathom.corpus.readers.latex.references import find_labels, read_cited_works
from fathom.corpus.readers.latex.source import (
    INPUT,
    ForwardFinder,
    SourceText,
    braced_group,
    command_argument,
    document_body,
    match_braces,
    remove_commands,
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
    normalized_text,
)
from fathom.corpus.readers.parsing.bylines import NO_BYLINE
from fathom.corpus.readers.parsing.decoding import decode_text, searchable
from fathom.corpus.readers.parsing.front_matter import read_project_file
from fathom.corpus.readers.parsing.knitr import shown_latex
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.parsing.text_tables import limit_columns
from fathom.corpus.readers.parsing.titles import move_date
from fathom.records.documents import FieldName

FORMAT = "latex"
SWEAVE = (".rnw", ".snw")
"""Suffixes of LaTeX with chunks of code."""

_MAX_FOOTNOTE_DEPTH = 10
"""Maximum nesting of footnotes. Each is parsed again with the footnotes in it."""


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is a LaTeX document or a part of one, not a style."""
    return name.lower().endswith((".tex", ".ltx", ".latex", *SWEAVE)) and _LATEX.search(head) is not None


_LATEX = re.compile(rb"\\(?:documentclass|title|(?:sub)*section\*?|begin *\{(?:document|abstract)\}|input|include)\b")


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one document in a file; a part that another file inputs is read with that file."""
    stated = _INPUT_ENCODING.search(content[:20_000])
    text = decode_text(content, stated[1].decode("ascii") if stated else "")
    yield _Document(shown_latex(text) if name.lower().endswith(SWEAVE) else text, name, companions).parse()


_INPUT_ENCODING = re.compile(rb"\\usepackage\s{0,5}\[\s{0,5}([A-Za-z0-9_-]{2,20})\s{0,5}\]\s{0,5}\{inputenc\}")


# The document.

_MATH_ENVIRONMENTS = word_set("equation align gather multline eqnarray displaymath math flalign alignat dmath")
_TABULAR_ENVIRONMENTS = {"tabular", "tabularx", "tabulary", "longtable", "array", "tabu"}
_FLOAT_ENVIRONMENTS = {"figure", "wrapfigure", "table", "wraptable", "longtable", "sidewaystable", "sidewaysfigure",
                       "algorithm", "listing"}  # fmt: skip
_ENVIRONMENTS_WITH_ARGUMENTS = word_set("minipage subfigure subtable multicols wrapfigure wraptable adjustbox tabbing")
_LIST_ENVIRONMENTS = {"itemize", "enumerate", "description", "compactitem", "compactenum", "inparaenum"}
_TOKEN = re.compile(
    r"\\begin\s*\{(?P<begin>[^{}\n]{1,40})\}(?P<options>(?:\s*\[[^\[\]]*\])?)"
    r"|\\end\s*\{(?P<end>[^{}\n]{1,40})\}"
    r"|\\(?P<section>part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?\s*(?:\[[^\[\]]*\])?\s*(?P<title>\{)"
    r"|\\item\b\s*(?:\[(?P<mark>[^\[\]]*)\])?"
    r"|\\caption(?:of\s*\{[a-z]{1,20}\})?\*?\s*(?:\[[^\[\]]*\])?\s*(?P<caption>\{)"
    r"|\\(?:title|author|date|thanks|affiliation|affil|email|address|keywords|institute|bibliography"
    r"|bibliographystyle|documentclass|usepackage|hypersetup|lstset|lstdefinestyle|definecolor|graphicspath|newtheorem"
    r"|addbibresource|pagestyle|thispagestyle|nocite|DeclareMathOperator)\*?\s*(?:\[[^\[\]]*\])?\s*(?P<dropped>\{)"
    r"|\\(?P<ends>appendix|maketitle|tableofcontents|newpage|clearpage|printbibliography|par|bigskip|medskip)(?![A-Za-z])"
    r"|(?P<blank>\n[ \t]*\n\s*)|(?P<display>\\\[|\$\$)|\ue000(?P<kept>\d+)\ue001"
)
_LEVELS = {"part": 2, "chapter": 2, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
           "subparagraph": 6}  # fmt: skip
_CITATION_FORMS: dict[str, CitationForm] = {
    **dict.fromkeys(("citet", "textcite", "citealt", "shortcite", "newcite"), "textual"),
    **{"citealp": "bare", "citenum": "bare", "citeyear": "year", "citeyearpar": "year", "citeauthor": "names"},
}
_THANKS = re.compile(r"\\(?:thanks|footnote(?:mark)?)\s*(?:\[[^\[\]]*\])?\s*(?=\{)")


@dataclass
class _Float:
    """An open figure or table environment."""

    kind: str
    caption: Inlines = field(default_factory=list)
    tables: list[list[list[TableCell]]] = field(default_factory=list)
    others: list[Block] = field(default_factory=list)


def _stated(text: str) -> frozenset[FieldName]:
    """Return the fields whose commands a source would have."""
    commands: dict[FieldName, str] = {
        "abstract": r"abstract",
        "tables": r"\\begin\s*\{[^{}]*(?:tab|tblr)",
        "sections": "section",
    }
    return frozenset(name for name, command in commands.items() if not re.search(command, text, re.IGNORECASE))


class _Document:
    def __init__(self, text: str, name: str, companions: CompanionFiles) -> None:
        self._name = name
        self._companions = companions
        self._source = SourceText(companions)
        self._find = ForwardFinder()
        self._footnotes: list[str] = []
        self._footnote_count = 0
        self._counts = {"figure": 0, "table": 0}
        self._abstract: list[Block] = []
        self._body: list[Block] = []
        self._in_abstract = False
        self._floats: list[_Float] = []
        self._lists: list[int] = []
        self._pending = ""
        self._text = text

    def parse(self) -> ParsedDocument:
        self._reject_parts()
        text = self._source.expand(self._text)
        document = ParsedDocument(source=self._name)
        project = read_project_file(self._companions)
        pairs = match_braces(text)
        works, numeric, broken = read_cited_works(text, self._name, self._companions, self._source)
        self._citations = CitationFormatter(works, numeric)
        self._labels = find_labels(text)
        title = remove_commands(command_argument(text, pairs, "title"), _THANKS)
        document.title = self._plain(title) or (project.title if self._is_main(text) else "")
        if not document.title:
            raise ReadError("it has no title")
        byline = read_latex_byline(text, pairs)
        document.authors = byline.authors or ([] if byline.reason else project.authors)
        self._parse_body(document_body(text))
        abstract, body = ([], self._body) if self._abstract else extract_abstract(self._body)
        argument = command_argument(text, pairs, "abstract")
        document.abstract = (
            self._abstract or abstract or ([Paragraph(self._inlines(argument))] if argument.strip() else [])
        )
        document.front = list(byline.lines)
        document.body = drop_empty_reference_sections(body)
        for keys in re.findall(r"\\nocite\s*\{([^{}]{0,5000})\}", text):
            self._citations.include(key.strip() for key in keys.split(",") if key.strip())
        document.references = self._citations.references()
        document.ids = {"doi": project.doi} if project.doi else {}
        keywords = self._plain(command_argument(text, pairs, "keywords"))
        document.subjects = [word.strip() for word in re.split("[,;]", keywords) if word.strip()] or project.keywords
        document.license = project.license
        document.published = project.published
        if project.subtitle and not title:
            document.notes["subtitle"] = project.subtitle
        document.stated |= _stated(text)
        if not document.authors and not byline.is_stated:
            document.unknown["authors"] = byline.reason or NO_BYLINE
        elif not document.authors:
            document.stated |= {"authors"}
        state_references(document, self._citations, broken)
        move_date(document, breaks=True)
        return document

    def _is_main(self, text: str) -> bool:
        """Return whether the project file's title belongs to this file: a supplement has no abstract."""
        others = [name for name in self._companions.names() if name.lower().endswith(".tex")]
        return len(others) < 2 or "{abstract}" in text or "\\documentclass" in text

    def _plain(self, text: str) -> str:
        return normalized_text(self._inlines(text))

    # Parts.

    def _reject_parts(self) -> None:
        """Raise `ReadError` for a file without a title that another file inputs."""
        if "\\documentclass" in self._text or "\\title" in self._text:
            return
        own = re.split(r"[/\\:!]", self._name)[-1]
        stem = own.rpartition(".")[0]
        for name in self._companions.names()[:200]:
            if name.lower().endswith(".tex") and name != own:
                content = self._companions.get(name)
                inputs = INPUT.findall(searchable(content)) if content is not None else []
                if any((braced or bare).strip().removeprefix("./") in (own, stem) for braced, bare in inputs):
                    raise ReadError(f"it is a part of {name} and is read with it")

    # Blocks.

    def _parse_body(self, text: str) -> None:
        self._find = ForwardFinder()
        pairs = match_braces(text)
        raw: list[str] = []
        position = 0
        while (match := _TOKEN.search(text, position)) is not None:
            raw.append(text[position : match.start()])
            if match.start() > 0 and text[match.start() - 1] == "\\" and match[0].startswith("\\"):
                # The second of two backslashes starts no command: it is a line break before a bracket or a word.
                raw.append("\\ ")
                position = match.start() + 1
                continue
            self._flush(raw)
            position = self._parse_token(text, match, pairs)
        raw.append(text[position:])
        self._flush(raw)
        while self._floats:
            self._close_float()

    def _flush(self, raw: list[str]) -> None:
        """Add the text so far as a paragraph."""
        text = "".join(raw)
        raw.clear()
        if not text.strip():
            return
        inlines = self._inlines(text)
        if inlines_text(inlines).strip():
            self._add(Paragraph([self._pending, *inlines] if self._pending else inlines))
            self._pending = ""
        self._flush_footnotes()

    def _flush_footnotes(self) -> None:
        for _ in range(_MAX_FOOTNOTE_DEPTH):
            for _ in range(len(self._footnotes)):
                self._footnote_count += 1
                self._add(Paragraph([f"[{self._footnote_count}] ", *self._inlines(self._footnotes.pop(0))]))
        if self._footnotes:
            raise ReadError(f"its footnotes are nested more than {_MAX_FOOTNOTE_DEPTH} deep")

    def _add(self, block: Block) -> None:
        if self._floats:
            self._floats[-1].others.append(block)
        elif self._in_abstract:
            self._abstract.append(block)
        else:
            self._body.append(block)

    def _parse_token(self, text: str, match: re.Match[str], pairs: dict[int, int]) -> int:
        """Parse the token at a match; return the position after it."""
        if match["begin"]:
            return self._begin_environment(text, match, pairs)
        if match["end"]:
            self._end_environment(match["end"].rstrip("*"))
        elif match["section"]:
            inlines, end = braced_group(text, pairs, match.start("title"))
            self._add(Heading(_LEVELS[match["section"]], self._inlines(inlines)))
            self._flush_footnotes()
            return end
        elif match["caption"]:
            inlines, end = braced_group(text, pairs, match.start("caption"))
            if self._floats:
                self._floats[-1].caption.extend([*([" "] if self._floats[-1].caption else []), *self._inlines(inlines)])
            else:
                self._add(Paragraph(self._inlines(inlines)))
            return end
        elif match["dropped"]:
            return braced_group(text, pairs, match.start("dropped"))[1]
        elif match["display"]:
            return self._display(text, match)
        elif match["kept"]:
            self._add_verbatim(
                self._source.verbatim[int(match["kept"])] if int(match["kept"]) < len(self._source.verbatim) else ""
            )
        elif match[0].startswith("\\item"):
            self._start_item(match["mark"])
        return match.end()

    def _start_item(self, mark: str | None) -> None:
        if mark is not None:
            self._pending = self._plain(mark) + " "
        elif self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            self._pending = f"{self._lists[-1]}. "
        else:
            self._pending = "- "

    def _add_verbatim(self, text: str) -> None:
        if text.strip():
            self._add(Paragraph([text.strip("\n")], verbatim=True))

    def _display(self, text: str, match: re.Match[str]) -> int:
        closing = "\\]" if match[0] == "\\[" else "$$"
        end = self._find.next(text, closing, match.end())
        if end < 0:
            return match.end()
        self._add_verbatim(text[match.end() : end].strip())
        return end + 2

    def _begin_environment(self, text: str, match: re.Match[str], pairs: dict[int, int]) -> int:
        name = match["begin"].strip()
        base = name.rstrip("*")
        if base in _MATH_ENVIRONMENTS or base in _TABULAR_ENVIRONMENTS or base == "thebibliography":
            end = self._find.next(text, f"\\end{{{name}}}", match.end())
            if end < 0:
                return match.end()
            inner = text[match.end() : end]
            if base in _MATH_ENVIRONMENTS:
                self._add_verbatim(re.sub(r"\\label\s*\{[^{}]*\}", "", match["options"] + inner).strip())
            elif base in _TABULAR_ENVIRONMENTS:
                self._parse_tabular(base, inner)
            return end + len(name) + 6
        if base in _FLOAT_ENVIRONMENTS:
            self._floats.append(_Float("table" if "table" in base else base))
        elif base == "abstract":
            self._in_abstract = True
        elif base in _LIST_ENVIRONMENTS:
            self._lists.append(0 if "enum" in base else -1)
        position = match.end()
        if base in _ENVIRONMENTS_WITH_ARGUMENTS:
            while (brace := re.compile(r"\s*(?:\[[^\[\]]*\]\s*)?\{").match(text, position)) is not None:
                position = braced_group(text, pairs, brace.end() - 1)[1]
                if base != "wrapfigure":
                    break
        return position

    def _end_environment(self, name: str) -> None:
        if name in _FLOAT_ENVIRONMENTS and self._floats:
            self._close_float()
        elif name == "abstract":
            self._in_abstract = False
        elif name in _LIST_ENVIRONMENTS:
            if self._lists:
                self._lists.pop()
            self._pending = ""

    def _close_float(self) -> None:
        one = self._floats.pop()
        caption = one.caption if inlines_text(one.caption).strip() else []
        if caption and one.kind in ("figure", "table", "wrapfigure"):
            kind = "table" if one.kind == "table" else "figure"
            self._counts[kind] += 1
            caption = [f"{kind.capitalize()} {self._counts[kind]}: ", *caption]
        for block in attach_caption([*(ParsedTable([], rows) for rows in one.tables), *one.others], caption):
            self._add(block)

    def _parse_tabular(self, base: str, text: str) -> None:
        pairs = match_braces(text)
        position = 0
        for _ in range(2 if base in ("tabularx", "tabulary") else 1):
            brace = re.compile(r"\s*(?:\[[^\[\]]*\]\s*)?\{").match(text, position)
            if brace is not None:
                position = braced_group(text, pairs, brace.end() - 1)[1]
        text = text[position:]
        if base == "longtable":
            text = re.sub(r"\\end(?:first)?(?:head|foot)|\\endlastfoot", "", text)
        rows, headers = _split_rows(text)
        cells = [[self._cell(cell, number < headers) for cell in row] for number, row in enumerate(rows)]
        if not any(cells):
            return
        if self._floats:
            self._floats[-1].tables.append(limit_columns(cells))
        else:
            self._add(ParsedTable([], limit_columns(cells)))

    def _cell(self, text: str, header: bool) -> TableCell:
        spans = re.match(r"\s*\\multicolumn\s*\{\s*(\d{1,2})\s*\}\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", text)
        if spans is not None:
            text = text[spans.end() :]
        text = re.sub(r"\\multirow\s*\{[^{}]*\}\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*\}", "", text)
        return TableCell(self._inlines(text), header, max(1, int(spans[1])) if spans else 1)

    # Running text.

    def _inlines(self, text: str) -> Inlines:
        """Parse inline markup, and format citations and cross-references."""
        inlines: Inlines = []
        pairs: dict[int, int] | None = None
        position = 0
        while (match := _INLINE.search(text, position)) is not None:
            inlines.append(latex_to_text(text[position : match.start()]))
            position = match.end()
            if match["note"]:
                pairs = match_braces(text) if pairs is None else pairs
                note, position = braced_group(text, pairs, match.end() - 1)
                self._footnotes.append(note)
                inlines.append(f" [{self._footnote_count + len(self._footnotes)}]")
            else:
                inlines.extend(self._match_inlines(match))
        inlines.append(latex_to_text(text[position:]))
        return inlines

    def _match_inlines(self, match: re.Match[str]) -> Inlines:
        if match["cite"]:
            return self._citation(match)
        if match["ref"]:
            return [self._cross_reference(match["ref"].lower(), match["label"])]
        if match["math"]:
            return [match["math"].replace("\\(", "$").replace("\\)", "$")]
        if match["address"]:
            return [match["address"].replace("\\_", "_").replace("\\%", "%").replace("\\#", "#").replace("\\&", "&")]
        return [match["escaped"] or ""]

    def _citation(self, match: re.Match[str]) -> Inlines:
        name = match["cite"].lower().rstrip("*")
        keys = [key.strip() for key in match["keys"].split(",") if key.strip()]
        first, second = match["first"], match["second"]
        before, after = (first or "", second) if second is not None else ("", first or "")
        if name == "nocite":
            return []
        form = _CITATION_FORMS.get(name, "parenthetical")
        return self._citations.format(keys, form, latex_to_text(before).strip(), latex_to_text(after).strip())

    def _cross_reference(self, command: str, label: str) -> str:
        printed = []
        for one in label.split(","):
            kind, number = self._labels.get(one.strip(), ("", one.strip()))
            if command == "eqref":
                printed.append(f"({number})")
            else:
                named = kind if command in ("autoref", "cref", "fullref", "vref") else ""
                printed.append(f"{named} {number}".strip())
        return ", ".join(printed)


_INLINE = re.compile(
    r"\\(?P<cite>[A-Za-z]{0,8}[cC]ite[a-z]{0,10}\*?)\s*(?:\[(?P<first>[^\[\]]*)\]\s*)?(?:\[(?P<second>[^\[\]]*)\]\s*)?"
    r"\{(?P<keys>[^{}]*)\}"
    r"|\\(?P<note>footnote|thanks|footnotetext)\s*(?:\[[^\[\]]*\])?\s*\{"
    r"|\\(?P<ref>(?:auto|page|name|eq|full|[cCvV])?ref)\*?\s*\{(?P<label>[^{}]*)\}"
    r"|(?<!\\)(?P<math>\$[^$]{1,2000}\$|\\\([^$]{1,2000}?\\\))"
    r"|\\(?:url|nolinkurl|path)\s*\{(?P<address>[^{}]*)\}"
    r"|\\label\s*\{[^{}]*\}|\\(?P<escaped>\$)|\\index\s*\{[^{}]*\}|\\\\\s*\[[^\[\]]{0,20}\]"
    r"|\\includegraphics\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*\}|\\(?:centering|noindent|hline|footnotemark)(?![A-Za-z])"
)


def _split_rows(text: str) -> tuple[list[list[str]], int]:
    """Return the cells of a table's rows, and the number of header rows."""
    rows: list[list[str]] = []
    headers = 0
    for part in split_outside_braces(text, _ROW):
        rule = re.match(
            r"(?:\s|\\(?:hline|toprule|bottomrule)(?![A-Za-z])|\\(?:c?midrule|cline)\s*(?:\([^()]*\))?(?:\{[^{}]*\})?)*",
            part,
        )
        rules = part[: rule.end()] if rule else ""
        if rows and not headers and re.search(r"\\midrule|\\hline", rules):
            headers = len(rows)
        cells = split_outside_braces(part[len(rules) :], _AMPERSAND)
        if any(cell.strip() for cell in cells):
            rows.append(cells)
    return rows, headers


_ROW = re.compile(r"\\\\(?:\s*\[[^\[\]]{0,20}\])?|\\tabularnewline(?![A-Za-z])")
_AMPERSAND = re.compile(r"(?<!\\)&")

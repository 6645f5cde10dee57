"""LaTeX sources: read as marked-up text, never run. Other files only through what lies beside the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fathom.corpus.readers.bibtex.citations import CitationForm, CitationFormatter
from fathom.corpus.readers.bibtex.files import note_uncertainties
from fathom.corpus.readers.bibtex.latex_text import latex_to_text, split_outside_braces
from fathom.corpus.readers.bibtex.names import parse_author
from fathom.corpus.readers.latex.references import cited_sources, labels_in
from fathom.corpus.readers.latex.source import (
    INPUT,
    Finder,
    SourceText,
    argument_of,
    group_at,
    inner_of,
    pairs_of,
    without_commands,
)
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Inlines,
    Paragraph,
    ParsedAuthor,
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
from fathom.corpus.readers.parsing.decoding import decoded_leniently
from fathom.corpus.readers.parsing.front_matter import read_project_file
from fathom.corpus.readers.parsing.text_tables import limit_columns

FORMAT = "latex"

_MOST_NOTES = 10
"""How deep footnotes stand in footnotes: each is read again with those that it holds."""


def matches(name: str, head: bytes) -> bool:
    """A LaTeX file with something to read, not a style."""
    return name.lower().endswith((".tex", ".ltx", ".latex")) and _SIGN.search(head) is not None


_SIGN = re.compile(rb"\\(?:documentclass|title|(?:sub)*section\*?|begin *\{(?:document|abstract)\}|input|include)\b")


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The one document in a file; a part that another file inputs is read with that one."""
    yield _Document(decoded_leniently(content), name, companions).found()


# The document.

_MATHS = {"equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "alignat", "dmath"}
_TABULARS = {"tabular", "tabularx", "tabulary", "longtable", "array", "tabu"}
_FLOATS = {"figure", "wrapfigure", "table", "wraptable", "longtable", "sidewaystable", "sidewaysfigure", "algorithm",
           "listing"}  # fmt: skip
_LISTS = {"itemize", "enumerate", "description", "compactitem", "compactenum", "inparaenum"}
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
_THANKS = re.compile(r"\\(?:thanks|footnote(?:mark)?)\s*(?:\[[^\[\]]*\])?\s*(?=\{)")
_NO_NAMES = re.compile(
    r"\\(?:thanks|footnote(?:mark)?|inst|textsuperscript|orcid\w*|email|affil\w*|IEEE\w+|href|corref|fnref)\s*"
    r"(?:\[[^\[\]]*\])?\s*(?=\{)|\$[^$]{0,60}\$"
)


@dataclass
class _Float:
    """A figure or table that is open."""

    kind: str
    caption: Inlines = field(default_factory=list)
    tables: list[list[list[TableCell]]] = field(default_factory=list)
    others: list[Block] = field(default_factory=list)


class _Document:
    def __init__(self, text: str, name: str, companions: CompanionFiles) -> None:
        self._name = name
        self._companions = companions
        self._source = SourceText(companions)
        self._find = Finder()
        self._notes: list[str] = []
        self._noted = 0
        self._counts = {"figure": 0, "table": 0}
        self._abstract: list[Block] = []
        self._body: list[Block] = []
        self._in_abstract = False
        self._floats: list[_Float] = []
        self._lists: list[int] = []
        self._pending = ""
        self._text = text

    def found(self) -> ParsedDocument:
        self._refuse_parts()
        text = self._source.whole(self._text)
        found = ParsedDocument(source=self._name)
        project = read_project_file(self._companions)
        pairs = pairs_of(text)
        sources, numeric, broken = cited_sources(text, self._companions, self._source)
        self._citations = CitationFormatter(sources, numeric)
        self._labels = labels_in(text)
        title = without_commands(argument_of(text, pairs, "title"), _THANKS)
        found.title = self._plain(title) or (project.title if self._is_main(text) else "")
        if not found.title:
            raise ReadError("it has no title")
        found.authors = self._authors(text, pairs) or project.authors
        self._walk(inner_of(text))
        lifted, body = ([], self._body) if self._abstract else extract_abstract(self._body)
        argument = argument_of(text, pairs, "abstract")
        found.abstract = self._abstract or lifted or ([Paragraph(self.inline(argument))] if argument.strip() else [])
        found.body = drop_empty_reference_sections(body)
        found.references = self._citations.references()
        found.ids = {"doi": project.doi} if project.doi else {}
        keywords = self._plain(argument_of(text, pairs, "keywords"))
        found.subjects = [word.strip() for word in re.split("[,;]", keywords) if word.strip()] or project.keywords
        found.license = project.license
        found.published = project.published
        found.year = project.published.year if project.published else None
        if project.subtitle and not title:
            found.uncertain["subtitle"] = project.subtitle
        note_uncertainties(found, self._citations, broken)
        return found

    def _is_main(self, text: str) -> bool:
        """Whether the project file's title is this file's: a supplement beside the paper has no abstract."""
        others = [name for name in self._companions.names() if name.lower().endswith(".tex")]
        return len(others) < 2 or "{abstract}" in text or "\\documentclass" in text

    def _plain(self, text: str) -> str:
        return normalized_text(self.inline(text))

    # One text.

    def _refuse_parts(self) -> None:
        """A part has no head of its own, and another file inputs it."""
        if "\\documentclass" in self._text or "\\title" in self._text:
            return
        own = re.split(r"[/\\:!]", self._name)[-1]
        stem = own.rpartition(".")[0]
        for name in self._companions.names()[:200]:
            if name.lower().endswith(".tex") and name != own:
                content = self._companions.get(name)
                inputs = INPUT.findall(decoded_leniently(content)) if content is not None else []
                if any((braced or bare).strip().removeprefix("./") in (own, stem) for braced, bare in inputs):
                    raise ReadError(f"it is a part of {name}, and is read with it")

    # Authors.

    def _authors(self, text: str, pairs: dict[int, int]) -> list[ParsedAuthor]:
        authors: list[ParsedAuthor] = []
        for match in re.finditer(r"\\author\*?\s*(?:\[[^\[\]]*\])?\s*(?=\{)", text):
            group = group_at(text, pairs, match.end())[0]
            group = without_commands(group, _NO_NAMES)
            for part in re.split(r"\\(?:and|And|AND|quad|qquad)(?![A-Za-z])", group):
                line = re.split(r"\\\\|\n\s*\n", part.strip())[0]
                for one in re.split(r", *(?:and +)?| +and +", " ".join(latex_to_text(line).split())):
                    name = re.sub(r"[\d*†‡§¶^]+", "", one).strip(" ,")
                    if re.search(r"[^\W\d_]", name) and len(name) <= 80 and "@" not in name:
                        authors.append(parse_author(name))
        return authors

    # Blocks.

    def _walk(self, text: str) -> None:
        self._find = Finder()
        pairs = pairs_of(text)
        raw: list[str] = []
        place = 0
        while (match := _TOKEN.search(text, place)) is not None:
            raw.append(text[place : match.start()])
            if match.start() > 0 and text[match.start() - 1] == "\\" and match[0].startswith("\\"):
                # The second of two backslashes begins no command: a line break before a bracket or a word.
                raw.append("\\ ")
                place = match.start() + 1
                continue
            self._flush(raw)
            place = self._token(text, match, pairs)
        raw.append(text[place:])
        self._flush(raw)
        while self._floats:
            self._close_float()

    def _flush(self, raw: list[str]) -> None:
        """The running text so far becomes a paragraph."""
        text = "".join(raw)
        raw.clear()
        if not text.strip():
            return
        words = self.inline(text)
        if inlines_text(words).strip():
            self._add(Paragraph([self._pending, *words] if self._pending else words))
            self._pending = ""
        self._flush_notes()

    def _flush_notes(self) -> None:
        for _ in range(_MOST_NOTES):
            for _ in range(len(self._notes)):
                self._noted += 1
                self._add(Paragraph([f"[{self._noted}] ", *self.inline(self._notes.pop(0))]))
        if self._notes:
            raise ReadError(f"its footnotes are nested more than {_MOST_NOTES} deep")

    def _add(self, block: Block) -> None:
        if self._floats:
            self._floats[-1].others.append(block)
        elif self._in_abstract:
            self._abstract.append(block)
        else:
            self._body.append(block)

    def _token(self, text: str, match: re.Match[str], pairs: dict[int, int]) -> int:
        """Reads what begins here; returns where it ends."""
        if match["begin"]:
            return self._begin(text, match, pairs)
        if match["end"]:
            self._end(match["end"].rstrip("*"))
        elif match["section"]:
            words, end = group_at(text, pairs, match.start("title"))
            self._add(Heading(_LEVELS[match["section"]], self.inline(words)))
            self._flush_notes()
            return end
        elif match["caption"]:
            words, end = group_at(text, pairs, match.start("caption"))
            if self._floats:
                self._floats[-1].caption.extend([*([" "] if self._floats[-1].caption else []), *self.inline(words)])
            else:
                self._add(Paragraph(self.inline(words)))
            return end
        elif match["dropped"]:
            return group_at(text, pairs, match.start("dropped"))[1]
        elif match["display"]:
            return self._display(text, match)
        elif match["kept"]:
            self._verbatim(self._source.kept[int(match["kept"])] if int(match["kept"]) < len(self._source.kept) else "")
        elif match[0].startswith("\\item"):
            self._item(match["mark"])
        return match.end()

    def _item(self, mark: str | None) -> None:
        if mark is not None:
            self._pending = self._plain(mark) + " "
        elif self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            self._pending = f"{self._lists[-1]}. "
        else:
            self._pending = "- "

    def _verbatim(self, text: str) -> None:
        if text.strip():
            self._add(Paragraph([text.strip("\n")], verbatim=True))

    def _display(self, text: str, match: re.Match[str]) -> int:
        closing = "\\]" if match[0] == "\\[" else "$$"
        end = self._find.next(text, closing, match.end())
        if end < 0:
            return match.end()
        self._verbatim(text[match.end() : end].strip())
        return end + 2

    def _begin(self, text: str, match: re.Match[str], pairs: dict[int, int]) -> int:
        name = match["begin"].strip()
        base = name.rstrip("*")
        if base in _MATHS or base in _TABULARS or base == "thebibliography":
            end = self._find.next(text, f"\\end{{{name}}}", match.end())
            if end < 0:
                return match.end()
            inner = text[match.end() : end]
            if base in _MATHS:
                self._verbatim(re.sub(r"\\label\s*\{[^{}]*\}", "", match["options"] + inner).strip())
            elif base in _TABULARS:
                self._tabular(base, inner)
            return end + len(name) + 6
        if base in _FLOATS:
            self._floats.append(_Float("table" if "table" in base else base))
        elif base == "abstract":
            self._in_abstract = True
        elif base in _LISTS:
            self._lists.append(0 if "enum" in base else -1)
        place = match.end()
        if base in (
            "minipage",
            "subfigure",
            "subtable",
            "multicols",
            "wrapfigure",
            "wraptable",
            "adjustbox",
            "tabbing",
        ):
            while (brace := re.compile(r"\s*(?:\[[^\[\]]*\]\s*)?\{").match(text, place)) is not None:
                place = group_at(text, pairs, brace.end() - 1)[1]
                if base != "wrapfigure":
                    break
        return place

    def _end(self, name: str) -> None:
        if name in _FLOATS and self._floats:
            self._close_float()
        elif name == "abstract":
            self._in_abstract = False
        elif name in _LISTS:
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

    def _tabular(self, base: str, text: str) -> None:
        pairs = pairs_of(text)
        place = 0
        for _ in range(2 if base in ("tabularx", "tabulary") else 1):
            brace = re.compile(r"\s*(?:\[[^\[\]]*\]\s*)?\{").match(text, place)
            if brace is not None:
                place = group_at(text, pairs, brace.end() - 1)[1]
        text = text[place:]
        if base == "longtable":
            text = re.sub(r"\\end(?:first)?(?:head|foot)|\\endlastfoot", "", text)
        rows, headers = _rows(text)
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
        return TableCell(self.inline(text), header, max(1, int(spans[1])) if spans else 1)

    # Running text.

    def inline(self, text: str) -> Inlines:
        """Markup within a paragraph as running text."""
        words: Inlines = []
        pairs: dict[int, int] | None = None
        place = 0
        while (match := _INLINE.search(text, place)) is not None:
            words.append(latex_to_text(text[place : match.start()]))
            place = match.end()
            if match["note"]:
                pairs = pairs_of(text) if pairs is None else pairs
                note, place = group_at(text, pairs, match.end() - 1)
                self._notes.append(note)
                words.append(f" [{self._noted + len(self._notes)}]")
            else:
                words.extend(self._piece(match))
        words.append(latex_to_text(text[place:]))
        return words

    def _piece(self, match: re.Match[str]) -> Inlines:
        if match["cite"]:
            return self._cited(match)
        if match["ref"]:
            return [self._reference(match["ref"].lower(), match["label"])]
        if match["math"]:
            return [match["math"].replace("\\(", "$").replace("\\)", "$")]
        if match["address"]:
            return [match["address"].replace("\\_", "_").replace("\\%", "%").replace("\\#", "#").replace("\\&", "&")]
        return [match["escaped"] or ""]

    def _cited(self, match: re.Match[str]) -> Inlines:
        name = match["cite"].lower().rstrip("*")
        keys = [key.strip() for key in match["keys"].split(",") if key.strip()]
        first, second = match["first"], match["second"]
        before, after = (first or "", second) if second is not None else ("", first or "")
        form: CitationForm = "parenthetical"
        if name in ("citet", "textcite", "citealt", "shortcite", "newcite"):
            form = "textual"
        elif name in ("citealp", "citenum"):
            form = "bare"
        elif name in ("citeyear", "citeyearpar"):
            form = "year"
        elif name == "citeauthor":
            form = "names"
        elif name == "nocite":
            return []
        return self._citations.format(keys, form, latex_to_text(before).strip(), latex_to_text(after).strip())

    def _reference(self, command: str, label: str) -> str:
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


def _rows(text: str) -> tuple[list[list[str]], int]:
    """The cells of a table's rows, and how many of the rows are its head."""
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

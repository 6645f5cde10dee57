"""LaTeX sources: read as marked-up text, never run. Other files only through what lies beside the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fathom.corpus.readers.bibtex import (
    Citations,
    Manner,
    Source,
    arxiv_in,
    doi_in,
    person,
    plain_latex,
    split_outside,
)
from fathom.corpus.readers.found import (
    Block,
    Found,
    FoundAuthor,
    FoundReference,
    FoundTable,
    Heading,
    Paragraph,
    Siblings,
    TableCell,
    Unreadable,
    Words,
)
from fathom.corpus.readers.myst import project_of
from fathom.corpus.readers.rst import (
    beside,
    bibliography,
    bounded_rows,
    decoded,
    lifted_abstract,
    without_empty_lists,
    words_text,
)

KIND = "latex"

_MOST_FILES = 100
_MOST_TEXT = 10_000_000
_MOST_ROUNDS = 6
"""How deep files include files."""
_MOST_GROWTH = 2_000_000
"""How many characters macros may add."""
_MOST_NOTES = 10
"""How deep footnotes stand in footnotes: each is read again with those that it holds."""


def looks_like(name: str, head: bytes) -> bool:
    """A LaTeX file with something to read, not a style."""
    return name.lower().endswith((".tex", ".ltx", ".latex")) and _SIGN.search(head) is not None


_SIGN = re.compile(rb"\\(?:documentclass|title|(?:sub)*section\*?|begin *\{(?:document|abstract)\}|input|include)\b")


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The one document in a file; a part that another file inputs is read with that one."""
    yield _Document(decoded(content), name, siblings).found()


# Braces.

_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


def _pairs(text: str) -> dict[int, int]:
    """Where each opening brace is closed."""
    pairs: dict[int, int] = {}
    open_ones: list[int] = []
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            open_ones.append(match.start())
        elif match[0] == "}" and open_ones:
            pairs[open_ones.pop()] = match.start()
    return pairs


def _group(text: str, pairs: dict[int, int], brace: int) -> tuple[str, int]:
    """What stands in the braces that open here, and where they end; nothing where they are never closed."""
    end = pairs.get(brace)
    return (text[brace + 1 : end], end + 1) if end is not None else ("", brace + 1)


# The document.

_VERBATIM = ("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt", "code", "comment", "filecontents",
             "filecontents*")  # fmt: skip
_RAW = re.compile(
    r"\\begin\s*\{(?P<name>" + "|".join(re.escape(name) for name in _VERBATIM) + r")\}"
    r"|\\verb\*?(?P<sign>[^\sA-Za-z*])|\\\\|\\%|(?P<comment>%)"
)
_KEPT = re.compile("\ue000(\\d+)\ue001")
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*(?:\{([^{}\n]{1,200})\}|[ \t]+([^\s{}\\]{1,200}))")
_MACRO = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareMathOperator|DeclareRobustCommand)\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))"
    r"\s*(\[\d\])?\s*(?:\[[^\[\]]*\])?\s*(?=\{)|\\def\s*\\([A-Za-z]+)(#1[^{}]{0,40})?\s*(?=\{)"
)
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
_NUMERIC = {"plain", "unsrt", "abbrv", "ieeetr", "ieeetran", "acm", "siam", "splncs04", "unsrtnat", "plainurl"}


@dataclass
class _Float:
    """A figure or table that is open."""

    kind: str
    caption: Words = field(default_factory=list)
    tables: list[list[list[TableCell]]] = field(default_factory=list)
    others: list[Block] = field(default_factory=list)


class _Document:
    def __init__(self, text: str, name: str, siblings: Siblings) -> None:
        self._name = name
        self._siblings = siblings
        self._kept: list[str] = []
        self._missing: set[str] = set()
        self._notes: list[str] = []
        self._noted = 0
        self._counts = {"figure": 0, "table": 0}
        self._abstract: list[Block] = []
        self._body: list[Block] = []
        self._in_abstract = False
        self._floats: list[_Float] = []
        self._lists: list[int] = []
        self._pending = ""
        self._text = text.replace("\ue000", "").replace("\ue001", "")

    def found(self) -> Found:
        self._refuse_parts()
        text = self._expanded(self._gathered(self._protected(self._text)))
        found = Found(source=self._name)
        project = project_of(self._siblings)
        pairs = _pairs(text)
        sources, numeric, broken = self._sources(text)
        self._citations = Citations(sources, numeric)
        self._labels = _labels(text)
        title = _without_commands(_argument(text, pairs, "title"), _THANKS)
        found.title = self._plain(title) or (project.title if self._is_main(text) else "")
        if not found.title:
            raise Unreadable("it has no title")
        found.authors = self._authors(text, pairs) or project.authors
        self._walk(_inner(text))
        lifted, body = ([], self._body) if self._abstract else lifted_abstract(self._body)
        argument = _argument(text, pairs, "abstract")
        found.abstract = self._abstract or lifted or ([Paragraph(self.inline(argument))] if argument.strip() else [])
        found.body = without_empty_lists(body)
        found.references = self._citations.references()
        found.ids = {"doi": project.doi} if project.doi else {}
        keywords = self._plain(_argument(text, pairs, "keywords"))
        found.subjects = [word.strip() for word in re.split("[,;]", keywords) if word.strip()] or project.keywords
        found.licence = project.licence
        found.published = project.published
        found.year = project.published.year if project.published else None
        if project.subtitle and not title:
            found.notes["subtitle"] = project.subtitle
        if self._citations.note():
            found.notes["references"] = self._citations.note()
        if broken:
            found.notes["bibliography"] = "cannot be read: " + ", ".join(broken[:20])
        return found

    def _is_main(self, text: str) -> bool:
        """Whether the project file's title is this file's: a supplement beside the paper has no abstract."""
        others = [name for name in self._siblings.names() if name.lower().endswith(".tex")]
        return len(others) < 2 or "{abstract}" in text or "\\documentclass" in text

    def _plain(self, text: str) -> str:
        return " ".join(words_text(self.inline(text)).split())

    # One text.

    def _refuse_parts(self) -> None:
        """A part has no head of its own, and another file inputs it."""
        if "\\documentclass" in self._text or "\\title" in self._text:
            return
        own = re.split(r"[/\\:!]", self._name)[-1]
        stem = own.rpartition(".")[0]
        for name in self._siblings.names()[:200]:
            if name.lower().endswith(".tex") and name != own:
                content = self._siblings.get(name)
                inputs = _INPUT.findall(decoded(content)) if content is not None else []
                if any((braced or bare).strip().removeprefix("./") in (own, stem) for braced, bare in inputs):
                    raise Unreadable(f"it is a part of {name}, and is read with it")

    def _protected(self, text: str) -> str:
        """Without comments, and with verbatim parts put aside: nothing in them is markup."""
        self._missing.clear()
        pieces: list[str] = []
        place = 0
        while (match := _RAW.search(text, place)) is not None:
            pieces.append(text[place : match.start()])
            place = match.end()
            if match["comment"]:
                end = text.find("\n", place)
                # The line end goes with the comment, save where a blank line follows.
                place = len(text) if end < 0 else end if text[end + 1 : end + 2] == "\n" else end + 1
                if pieces[-1].endswith("\n") or not pieces[-1]:
                    continue
            elif match["name"]:
                end = self._find(text, f"\\end{{{match['name']}}}", place)
                if end < 0:
                    continue
                if match["name"] not in ("comment", "filecontents", "filecontents*"):
                    pieces.append(f"\ue000{len(self._kept)}\ue001")
                    self._kept.append(_listing(text[place:end]))
                place = end + len(match["name"]) + 6
            elif match["sign"]:
                end = text.find(match["sign"], place, place + 500)
                pieces.append(_escaped(text[place : end if end >= 0 else place]))
                place = end + 1 if end >= 0 else place
            else:
                pieces.append(match[0])
        pieces.append(text[place:])
        return "".join(pieces)

    def _find(self, text: str, wanted: str, place: int) -> int:
        """Where something stands next; what is missing once is not looked for again in the rest of one text."""
        if wanted in self._missing:
            return -1
        found = text.find(wanted, place)
        if found < 0:
            self._missing.add(wanted)
        return found

    def _gathered(self, text: str) -> str:
        files = 0
        size = len(text)
        for _ in range(_MOST_ROUNDS):
            pieces: list[str] = []
            place = 0
            for match in _INPUT.finditer(text):
                pieces.append(text[place : match.start()])
                place = match.end()
                name = (match[1] or match[2]).strip()
                content = None
                if files < _MOST_FILES:
                    content = beside(name if name.endswith(".tex") else f"{name}.tex", self._siblings)
                    files += 1
                if content is not None and size + len(content) <= _MOST_TEXT:
                    size += len(content)
                    part = decoded(content).replace("\ue000", "").replace("\ue001", "")
                    pieces.append("\n\n" + _inner(self._protected(part)) + "\n\n")
            if not pieces:
                break
            text = "".join([*pieces, text[place:]])
        return text

    def _expanded(self, text: str) -> str:
        """With the macros that take no argument written out, once."""
        pairs = _pairs(text)
        macros: dict[str, str] = {}
        pieces: list[str] = []
        place = 0
        for match in _MACRO.finditer(text):
            if match.start() < place:
                continue
            body, end = _group(text, pairs, match.end())
            name = match[1] or match[2] or match[4]
            if not (match[3] or match[5]) and len(body) <= 500 and name not in _OURS:
                macros[name] = body
            pieces.append(text[place : match.start()])
            place = end
        text = "".join([*pieces, text[place:]])
        if not macros:
            return text
        grown = 0

        def written(match: re.Match[str]) -> str:
            nonlocal grown
            body = macros.get(match[1])
            if body is None or grown > _MOST_GROWTH:
                return match[0]
            grown += len(body)
            return body.replace("\\xspace", "")

        return re.sub(r"\\([A-Za-z]+)(?:\{\})?", written, text)

    # Bibliographies.

    def _sources(self, text: str) -> tuple[dict[str, Source], bool, list[str]]:
        """What can be cited, whether citations are numbers, and the broken entries."""
        names = [
            name.strip() if name.strip().endswith(".bib") else f"{name.strip()}.bib"
            for group in re.findall(r"\\(?:bibliography|addbibresource)\s*(?:\[[^\[\]]*\])?\s*\{([^{}]{1,500})\}", text)
            for name in group.split(",")
        ]
        listed = self._listed(text)
        if not names and not listed:
            names = sorted(name for name in self._siblings.names() if name.lower().endswith(".bib"))
        sources, broken = bibliography(names, self._siblings)
        if not sources and not listed:
            for name in self._siblings.names():
                content = self._siblings.get(name) if name.lower().endswith(".bbl") else None
                listed.update(self._listed(self._protected(decoded(content))) if content is not None else {})
        for key, source in listed.items():
            sources.setdefault(key, source)
        unnamed = bool(listed) and not any(source.names for source in listed.values())
        return sources, unnamed or _is_numeric(text), broken

    def _listed(self, text: str) -> dict[str, Source]:
        """The entries of lists of references in the text."""
        sources: dict[str, Source] = {}
        start = text.find("\\begin{thebibliography}")
        end = text.find("\\end{thebibliography}", start)
        if start < 0:
            return sources
        for part in re.split(r"\\bibitem\b", text[start : end if end >= 0 else len(text)])[1:]:
            match = re.match(r"\s*(?:\[((?:[^\[\]]|\{\[\}|\{\]\}){0,500})\])?\s*\{([^{}]{1,200})\}", part)
            if match is not None:
                sources.setdefault(match[2].strip(), _entry(match[2].strip(), match[1] or "", part[match.end() :]))
        return sources

    # Authors.

    def _authors(self, text: str, pairs: dict[int, int]) -> list[FoundAuthor]:
        authors: list[FoundAuthor] = []
        for match in re.finditer(r"\\author\*?\s*(?:\[[^\[\]]*\])?\s*(?=\{)", text):
            group = _group(text, pairs, match.end())[0]
            group = _without_commands(group, _NO_NAMES)
            for part in re.split(r"\\(?:and|And|AND|quad|qquad)(?![A-Za-z])", group):
                line = re.split(r"\\\\|\n\s*\n", part.strip())[0]
                for one in re.split(r", *(?:and +)?| +and +", " ".join(plain_latex(line).split())):
                    name = re.sub(r"[\d*†‡§¶^]+", "", one).strip(" ,")
                    if re.search(r"[^\W\d_]", name) and len(name) <= 80 and "@" not in name:
                        authors.append(person(name))
        return authors

    # Blocks.

    def _walk(self, text: str) -> None:
        self._missing.clear()
        pairs = _pairs(text)
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
        if words_text(words).strip():
            self._add(Paragraph([self._pending, *words] if self._pending else words))
            self._pending = ""
        self._flush_notes()

    def _flush_notes(self) -> None:
        for _ in range(_MOST_NOTES):
            for _ in range(len(self._notes)):
                self._noted += 1
                self._add(Paragraph([f"[{self._noted}] ", *self.inline(self._notes.pop(0))]))
        if self._notes:
            raise Unreadable(f"its footnotes are nested more than {_MOST_NOTES} deep")

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
            words, end = _group(text, pairs, match.start("title"))
            self._add(Heading(_LEVELS[match["section"]], self.inline(words)))
            self._flush_notes()
            return end
        elif match["caption"]:
            words, end = _group(text, pairs, match.start("caption"))
            if self._floats:
                self._floats[-1].caption.extend([*([" "] if self._floats[-1].caption else []), *self.inline(words)])
            else:
                self._add(Paragraph(self.inline(words)))
            return end
        elif match["dropped"]:
            return _group(text, pairs, match.start("dropped"))[1]
        elif match["display"]:
            return self._display(text, match)
        elif match["kept"]:
            self._verbatim(self._kept[int(match["kept"])] if int(match["kept"]) < len(self._kept) else "")
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
        end = self._find(text, closing, match.end())
        if end < 0:
            return match.end()
        self._verbatim(text[match.end() : end].strip())
        return end + 2

    def _begin(self, text: str, match: re.Match[str], pairs: dict[int, int]) -> int:
        name = match["begin"].strip()
        base = name.rstrip("*")
        if base in _MATHS or base in _TABULARS or base == "thebibliography":
            end = self._find(text, f"\\end{{{name}}}", match.end())
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
                place = _group(text, pairs, brace.end() - 1)[1]
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
        caption = one.caption if words_text(one.caption).strip() else []
        if caption and one.kind in ("figure", "table", "wrapfigure"):
            kind = "table" if one.kind == "table" else "figure"
            self._counts[kind] += 1
            caption = [f"{kind.capitalize()} {self._counts[kind]}: ", *caption]
        for rows in one.tables:
            self._add(FoundTable(caption, rows))
            caption = []
        for block in one.others:
            self._add(block)
        if caption:
            self._add(Paragraph(caption))

    def _tabular(self, base: str, text: str) -> None:
        pairs = _pairs(text)
        place = 0
        for _ in range(2 if base in ("tabularx", "tabulary") else 1):
            brace = re.compile(r"\s*(?:\[[^\[\]]*\]\s*)?\{").match(text, place)
            if brace is not None:
                place = _group(text, pairs, brace.end() - 1)[1]
        text = text[place:]
        if base == "longtable":
            text = re.sub(r"\\end(?:first)?(?:head|foot)|\\endlastfoot", "", text)
        rows, headers = _rows(text)
        cells = [[self._cell(cell, number < headers) for cell in row] for number, row in enumerate(rows)]
        if not any(cells):
            return
        if self._floats:
            self._floats[-1].tables.append(bounded_rows(cells))
        else:
            self._add(FoundTable([], bounded_rows(cells)))

    def _cell(self, text: str, header: bool) -> TableCell:
        spans = re.match(r"\s*\\multicolumn\s*\{\s*(\d{1,2})\s*\}\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", text)
        if spans is not None:
            text = text[spans.end() :]
        text = re.sub(r"\\multirow\s*\{[^{}]*\}\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*\}", "", text)
        return TableCell(self.inline(text), header, max(1, int(spans[1])) if spans else 1)

    # Running text.

    def inline(self, text: str) -> Words:
        """Markup within a paragraph as running text."""
        words: Words = []
        pairs: dict[int, int] | None = None
        place = 0
        while (match := _INLINE.search(text, place)) is not None:
            words.append(plain_latex(text[place : match.start()]))
            place = match.end()
            if match["note"]:
                pairs = _pairs(text) if pairs is None else pairs
                note, place = _group(text, pairs, match.end() - 1)
                self._notes.append(note)
                words.append(f" [{self._noted + len(self._notes)}]")
            else:
                words.extend(self._piece(match))
        words.append(plain_latex(text[place:]))
        return words

    def _piece(self, match: re.Match[str]) -> Words:
        if match["cite"]:
            return self._cited(match)
        if match["ref"]:
            return [self._reference(match["ref"].lower(), match["label"])]
        if match["math"]:
            return [match["math"].replace("\\(", "$").replace("\\)", "$")]
        if match["address"]:
            return [match["address"].replace("\\_", "_").replace("\\%", "%").replace("\\#", "#").replace("\\&", "&")]
        return [match["escaped"] or ""]

    def _cited(self, match: re.Match[str]) -> Words:
        name = match["cite"].lower().rstrip("*")
        keys = [key.strip() for key in match["keys"].split(",") if key.strip()]
        first, second = match["first"], match["second"]
        before, after = (first or "", second) if second is not None else ("", first or "")
        manner: Manner = "parenthetical"
        if name in ("citet", "textcite", "citealt", "shortcite", "newcite"):
            manner = "textual"
        elif name in ("citealp", "citenum"):
            manner = "bare"
        elif name in ("citeyear", "citeyearpar"):
            manner = "year"
        elif name == "citeauthor":
            manner = "names"
        elif name == "nocite":
            return []
        return self._citations.words(keys, manner, plain_latex(before).strip(), plain_latex(after).strip())

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


_OURS = {"begin", "end", "section", "subsection", "cite", "citep", "citet", "item", "caption", "label", "ref", "input",
         "title", "author", "abstract", "footnote", "and"}  # fmt: skip
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


def _inner(text: str) -> str:
    """What stands in the document, without its preamble."""
    start = text.find("\\begin{document}")
    if start < 0:
        return text
    end = text.find("\\end{document}", start)
    inner = text[start + 16 : end if end >= 0 else len(text)]
    # Some styles want the abstract before the document.
    early = text.find("\\begin{abstract}", 0, start)
    closed = text.find("\\end{abstract}", early, start) if early >= 0 else -1
    return text[early : closed + 14] + "\n\n" + inner if closed >= 0 else inner


def _argument(text: str, pairs: dict[int, int], command: str) -> str:
    match = re.search(rf"\\{command}\*?\s*(?:\[[^\[\]]*\])?\s*(?=\{{)", text)
    return _group(text, pairs, match.end())[0] if match else ""


_THANKS = re.compile(r"\\(?:thanks|footnote(?:mark)?)\s*(?:\[[^\[\]]*\])?\s*(?=\{)")
_NO_NAMES = re.compile(
    r"\\(?:thanks|footnote(?:mark)?|inst|textsuperscript|orcid\w*|email|affil\w*|IEEE\w+|href|corref|fnref)\s*"
    r"(?:\[[^\[\]]*\])?\s*(?=\{)|\$[^$]{0,60}\$"
)


def _without_commands(text: str, pattern: re.Pattern[str]) -> str:
    """Without some commands and what they hold: thanks, marks and addresses in a byline are no names."""
    pairs = _pairs(text)
    pieces: list[str] = []
    place = 0
    for match in pattern.finditer(text):
        if match.start() < place:
            continue
        pieces.append(text[place : match.start()])
        place = match.end() if match[0].startswith("$") else _group(text, pairs, match.end())[1]
    return "".join([*pieces, text[place:]])


def _escaped(text: str) -> str:
    """Characters that are to be printed as they are, in LaTeX."""
    return re.sub(r"[&%$#_{}]", r"\\\g<0>", text.replace("\\", "\ue002")).replace("\ue002", "\\textbackslash ")


def _listing(text: str) -> str:
    """A verbatim part without the options and the language that follow its beginning."""
    first, _, rest = text.partition("\n")
    match = re.match(r"\s*(\[.*?\])?\s*(\{[^{}]*\})?\s*$", first)
    if match is not None:
        return rest
    match = re.match(r"\s*\[[^\[\]]{0,2000}\]\s*(?:\{[^{}\n]*\})?[ \t]*\n", text)
    return text[match.end() :] if match else text


def _is_numeric(text: str) -> bool:
    """Whether the document prints its citations as numbers."""
    package = re.search(r"\\usepackage\s*(?:\[([^\[\]]*)\])?\s*\{(?:natbib|biblatex)\}", text)
    if package is not None:
        return "numbers" in (package[1] or "") or "numeric" in (package[1] or "") or "super" in (package[1] or "")
    style = re.search(r"\\bibliographystyle\s*\{([^{}]{1,60})\}", text)
    return style is not None and style[1].strip().lower() in _NUMERIC


def _entry(key: str, label: str, text: str) -> Source:
    """One entry of a list of references."""
    blocks = [" ".join(plain_latex(block).split()) for block in re.split(r"\\newblock\b", text[:5_000])]
    printed = " ".join(filter(None, blocks))
    year = re.search(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", printed)
    title = blocks[1].strip(" .,") if len(blocks) > 2 else ""
    ids = {"doi": doi_in(printed), "arxiv": arxiv_in(printed)}
    reference = FoundReference(
        key=key,
        text=printed or key,
        title=title,
        year=int(year[1]) if year else None,
        ids={name: value for name, value in ids.items() if value},
    )
    named = re.match(r"\s*(.{1,200}?)\s*\(\s*(\d{4}[a-z]?|n\.d\.)\s*\)", plain_latex(label))
    return Source(reference, named[1] if named else "", named[2] if named else "")


def _rows(text: str) -> tuple[list[list[str]], int]:
    """The cells of a table's rows, and how many of the rows are its head."""
    rows: list[list[str]] = []
    headers = 0
    for part in split_outside(text, _ROW):
        rule = re.match(
            r"(?:\s|\\(?:hline|toprule|bottomrule)(?![A-Za-z])|\\(?:c?midrule|cline)\s*(?:\([^()]*\))?(?:\{[^{}]*\})?)*",
            part,
        )
        rules = part[: rule.end()] if rule else ""
        if rows and not headers and re.search(r"\\midrule|\\hline", rules):
            headers = len(rows)
        cells = split_outside(part[len(rules) :], _AMPERSAND)
        if any(cell.strip() for cell in cells):
            rows.append(cells)
    return rows, headers


_ROW = re.compile(r"\\\\(?:\s*\[[^\[\]]{0,20}\])?|\\tabularnewline(?![A-Za-z])")
_AMPERSAND = re.compile(r"(?<!\\)&")


def _labels(text: str) -> dict[str, tuple[str, str]]:
    """What each label stands for: its kind and number."""
    labels: dict[str, tuple[str, str]] = {}
    counts: dict[str, int] = {}
    sections = [0, 0, 0]
    current, section = ("", ""), ("", "")
    pattern = re.compile(
        r"\\begin\s*\{(figure|table|equation|align|gather|multline|eqnarray|algorithm|wrapfigure)\*?\}"
        r"|\\end\s*\{(?:figure|table|equation|align|gather|multline|eqnarray|algorithm|wrapfigure)\*?\}"
        r"|\\((?:sub){0,2}section)\s*[\[{]|\\label\s*\{([^{}]{1,200})\}"
    )
    for match in pattern.finditer(text):
        if match[1]:
            kind = {"figure": "Figure", "wrapfigure": "Figure", "table": "Table", "algorithm": "Algorithm"}.get(
                match[1], "Equation"
            )
            counts[kind] = counts.get(kind, 0) + 1
            current = (kind, str(counts[kind]))
        elif match[2]:
            rank = match[2].count("sub")
            sections[rank] += 1
            sections[rank + 1 :] = [0] * (2 - rank)
            section = ("Section", ".".join(map(str, sections[: rank + 1])))
        elif match[3]:
            labels.setdefault(match[3].strip(), current if current[0] else section)
        else:
            current = ("", "")
    return labels

"""The source of a LaTeX document as one text: parts put in, comments out, verbatim put aside, macros written out."""

from __future__ import annotations

import re

from fathom.corpus.readers.bibtex.files import read_companion
from fathom.corpus.readers.parsed_document import CompanionFiles
from fathom.corpus.readers.parsing.decoding import decoded_leniently

_MAX_FILES = 100
_MOST_TEXT = 10_000_000
_MOST_ROUNDS = 6
"""How deep files include files."""
_MOST_GROWTH = 2_000_000
"""How many characters macros may add."""
_VERBATIM = ("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt", "code", "comment", "filecontents",
             "filecontents*")  # fmt: skip
_RAW = re.compile(
    r"\\begin\s*\{(?P<name>" + "|".join(re.escape(name) for name in _VERBATIM) + r")\}"
    r"|\\verb\*?(?P<sign>[^\sA-Za-z*])|\\\\|\\%|(?P<comment>%)"
)
INPUT = re.compile(r"\\(?:input|include|subfile)\s*(?:\{([^{}\n]{1,200})\}|[ \t]+([^\s{}\\]{1,200}))")
_MACRO = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareMathOperator|DeclareRobustCommand)\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))"
    r"\s*(\[\d\])?\s*(?:\[[^\[\]]*\])?\s*(?=\{)|\\def\s*\\([A-Za-z]+)(#1[^{}]{0,40})?\s*(?=\{)"
)
_OURS = {"begin", "end", "section", "subsection", "cite", "citep", "citet", "item", "caption", "label", "ref", "input",
         "title", "author", "abstract", "footnote", "and"}  # fmt: skip


# Braces.

_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


def pairs_of(text: str) -> dict[int, int]:
    """Where each opening brace is closed."""
    pairs: dict[int, int] = {}
    open_ones: list[int] = []
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            open_ones.append(match.start())
        elif match[0] == "}" and open_ones:
            pairs[open_ones.pop()] = match.start()
    return pairs


def group_at(text: str, pairs: dict[int, int], brace: int) -> tuple[str, int]:
    """What stands in the braces that open here, and where they end; nothing where they are never closed."""
    end = pairs.get(brace)
    return (text[brace + 1 : end], end + 1) if end is not None else ("", brace + 1)


class Finder:
    """Finds what closes something in one text; what is missing once is not looked for again."""

    def __init__(self) -> None:
        self._missing: set[str] = set()

    def next(self, text: str, wanted: str, place: int) -> int:
        """Where something stands next; below nought where it does not."""
        if wanted in self._missing:
            return -1
        found = text.find(wanted, place)
        if found < 0:
            self._missing.add(wanted)
        return found


class SourceText:
    """Makes one text of a document and the files that it inputs."""

    def __init__(self, companions: CompanionFiles) -> None:
        self._companions = companions
        self.kept: list[str] = []
        """Verbatim parts that were put aside; signs with their numbers stand in their places."""

    def whole(self, text: str) -> str:
        """The document with all that it inputs."""
        return self._expanded(self._gathered(self.protected(unsigned(text))))

    def protected(self, text: str) -> str:
        """Without comments, and with verbatim parts put aside: nothing in them is markup."""
        find = Finder()
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
                end = find.next(text, f"\\end{{{match['name']}}}", place)
                if end < 0:
                    continue
                if match["name"] not in ("comment", "filecontents", "filecontents*"):
                    pieces.append(f"\ue000{len(self.kept)}\ue001")
                    self.kept.append(_listing(text[place:end]))
                place = end + len(match["name"]) + 6
            elif match["sign"]:
                end = text.find(match["sign"], place, place + 500)
                pieces.append(_escaped(text[place : end if end >= 0 else place]))
                place = end + 1 if end >= 0 else place
            else:
                pieces.append(match[0])
        pieces.append(text[place:])
        return "".join(pieces)

    def _gathered(self, text: str) -> str:
        files = 0
        size = len(text)
        for _ in range(_MOST_ROUNDS):
            pieces: list[str] = []
            place = 0
            for match in INPUT.finditer(text):
                pieces.append(text[place : match.start()])
                place = match.end()
                name = (match[1] or match[2]).strip()
                content = None
                if files < _MAX_FILES:
                    content = read_companion(name if name.endswith(".tex") else f"{name}.tex", self._companions)
                    files += 1
                if content is not None and size + len(content) <= _MOST_TEXT:
                    size += len(content)
                    part = unsigned(decoded_leniently(content))
                    pieces.append("\n\n" + inner_of(self.protected(part)) + "\n\n")
            if not pieces:
                break
            text = "".join([*pieces, text[place:]])
        return text

    def _expanded(self, text: str) -> str:
        """With the macros that take no argument written out, once."""
        pairs = pairs_of(text)
        macros: dict[str, str] = {}
        pieces: list[str] = []
        place = 0
        for match in _MACRO.finditer(text):
            if match.start() < place:
                continue
            body, end = group_at(text, pairs, match.end())
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


def unsigned(text: str) -> str:
    """Without the signs that stand for what was put aside."""
    return text.replace("\ue000", "").replace("\ue001", "")


def inner_of(text: str) -> str:
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


def argument_of(text: str, pairs: dict[int, int], command: str) -> str:
    """What the first use of a command holds in braces."""
    match = re.search(rf"\\{command}\*?\s*(?:\[[^\[\]]*\])?\s*(?=\{{)", text)
    return group_at(text, pairs, match.end())[0] if match else ""


def without_commands(text: str, pattern: re.Pattern[str]) -> str:
    """Without some commands and what they hold: thanks, marks and addresses in a byline are no names."""
    pairs = pairs_of(text)
    pieces: list[str] = []
    place = 0
    for match in pattern.finditer(text):
        if match.start() < place:
            continue
        pieces.append(text[place : match.start()])
        place = match.end() if match[0].startswith("$") else group_at(text, pairs, match.end())[1]
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

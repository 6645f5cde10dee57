"""The source of a LaTeX document as one text, without comments, with inputs and macros expanded."""

from __future__ import annotations

import re

from fathom.corpus.readers.bibtex.citations import read_companion
from fathom.corpus.readers.bibtex.latex_text import BRACES
from fathom.corpus.readers.parsed_document import CompanionFiles
from fathom.corpus.readers.parsing.decoding import decode_text

_MAX_FILES = 100
"""Maximum number of input files."""
_MAX_CHARS = 10_000_000
"""Maximum number of characters of all files together."""
_MAX_DEPTH = 6
"""Maximum nesting of inputs."""
_MAX_MACRO_CHARS = 2_000_000
"""Maximum number of characters that the expansion of macros adds."""
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
_RESERVED = {"begin", "end", "section", "subsection", "cite", "citep", "citet", "item", "caption", "label", "ref",
             "input", "title", "author", "abstract", "footnote", "and"}  # fmt: skip


# Braces.


def match_braces(text: str) -> dict[int, int]:
    """Map each opening brace to its closing brace."""
    pairs: dict[int, int] = {}
    open_ones: list[int] = []
    for match in BRACES.finditer(text):
        if match[0] == "{":
            open_ones.append(match.start())
        elif match[0] == "}" and open_ones:
            pairs[open_ones.pop()] = match.start()
    return pairs


def braced_group(text: str, pairs: dict[int, int], brace: int) -> tuple[str, int]:
    """Return the content of the group that opens at a brace, and the position after it; empty if it is never closed."""
    end = pairs.get(brace)
    return (text[brace + 1 : end], end + 1) if end is not None else ("", brace + 1)


class ForwardFinder:
    """Finds closing strings in one text; a string that was missing once is not searched again."""

    def __init__(self) -> None:
        self._missing: set[str] = set()

    def next(self, text: str, string: str, position: int) -> int:
        """Return the next position of a string; -1 if there is none."""
        if string in self._missing:
            return -1
        at = text.find(string, position)
        if at < 0:
            self._missing.add(string)
        return at


_CONDITION = re.compile(r"\\(?:(if[A-Za-z]*)|(fi|else))(?![A-Za-z])")


def _without_disabled(text: str) -> str:
    """Return the text without the parts between `\\iffalse` and the `\\else` or `\\fi` that belongs to it."""
    if "\\iffalse" not in text:
        return text
    pieces: list[str] = []
    position, depth, start = 0, 0, -1
    for match in _CONDITION.finditer(text):
        if start < 0:
            if match[1] == "iffalse":
                pieces.append(text[position : match.start()])
                start, depth = match.start(), 1
        elif match[1]:
            depth += 1
        elif match[2] == "fi" or depth == 1:
            depth -= 1
            if depth == 0:
                position, start = match.end(), -1
    # Without an end, nothing is removed: the condition may be part of a macro.
    return "".join([*pieces, text[start if start >= 0 else position :]])


class SourceText:
    """Combines a document and the files that it inputs."""

    def __init__(self, companions: CompanionFiles) -> None:
        self._companions = companions
        self.verbatim: list[str] = []
        """Verbatim environments, replaced in the text by placeholders with their numbers."""

    def expand(self, text: str) -> str:
        """Return the document with its inputs and macros expanded."""
        return self._expand_macros(_without_disabled(self._expand_inputs(self.protect(without_placeholders(text)))))

    def protect(self, text: str) -> str:
        """Remove comments, and replace verbatim environments by placeholders: nothing in them is markup."""
        find = ForwardFinder()
        pieces: list[str] = []
        position = 0
        while (match := _RAW.search(text, position)) is not None:
            pieces.append(text[position : match.start()])
            position = match.end()
            if match["comment"]:
                end = text.find("\n", position)
                # A comment includes its line end, unless a blank line follows.
                position = len(text) if end < 0 else end if text[end + 1 : end + 2] == "\n" else end + 1
                if pieces[-1].endswith("\n") or not pieces[-1]:
                    continue
            elif match["name"]:
                end = find.next(text, f"\\end{{{match['name']}}}", position)
                if end < 0:
                    continue
                if match["name"] not in ("comment", "filecontents", "filecontents*"):
                    pieces.append(f"\ue000{len(self.verbatim)}\ue001")
                    self.verbatim.append(_listing(text[position:end]))
                position = end + len(match["name"]) + 6
            elif match["sign"]:
                end = text.find(match["sign"], position, position + 500)
                pieces.append(_escaped(text[position : end if end >= 0 else position]))
                position = end + 1 if end >= 0 else position
            else:
                pieces.append(match[0])
        pieces.append(text[position:])
        return "".join(pieces)

    def _expand_inputs(self, text: str) -> str:
        files = 0
        size = len(text)
        for _ in range(_MAX_DEPTH):
            pieces: list[str] = []
            position = 0
            for match in INPUT.finditer(text):
                pieces.append(text[position : match.start()])
                position = match.end()
                name = (match[1] or match[2]).strip()
                content = None
                if files < _MAX_FILES:
                    content = read_companion(name if name.endswith(".tex") else f"{name}.tex", self._companions)
                    files += 1
                if content is not None and size + len(content) <= _MAX_CHARS:
                    size += len(content)
                    part = without_placeholders(decode_text(content))
                    pieces.append("\n\n" + document_body(self.protect(part)) + "\n\n")
            if not pieces:
                break
            text = "".join([*pieces, text[position:]])
        return text

    def _expand_macros(self, text: str) -> str:
        """Expand the macros without arguments, one level deep."""
        pairs = match_braces(text)
        macros: dict[str, str] = {}
        pieces: list[str] = []
        position = 0
        for match in _MACRO.finditer(text):
            if match.start() < position:
                continue
            body, end = braced_group(text, pairs, match.end())
            name = match[1] or match[2] or match[4]
            if not (match[3] or match[5]) and len(body) <= 500 and name not in _RESERVED:
                macros[name] = body
            pieces.append(text[position : match.start()])
            position = end
        text = "".join([*pieces, text[position:]])
        if not macros:
            return text
        grown = 0

        def written(match: re.Match[str]) -> str:
            nonlocal grown
            body = macros.get(match[1])
            if body is None or grown > _MAX_MACRO_CHARS:
                return match[0]
            grown += len(body)
            return body.replace("\\xspace", "")

        return re.sub(r"\\([A-Za-z]+)(?:\{\})?", written, text)


def without_placeholders(text: str) -> str:
    """Remove the characters of placeholders."""
    return text.replace("\ue000", "").replace("\ue001", "")


def document_body(text: str) -> str:
    """Return the content of the document environment."""
    start = text.find("\\begin{document}")
    if start < 0:
        return text
    end = text.find("\\end{document}", start)
    inner = text[start + 16 : end if end >= 0 else len(text)]
    # Some styles put the abstract before the document environment.
    early = text.find("\\begin{abstract}", 0, start)
    closed = text.find("\\end{abstract}", early, start) if early >= 0 else -1
    return text[early : closed + 14] + "\n\n" + inner if closed >= 0 else inner


def command_argument(text: str, pairs: dict[int, int], command: str) -> str:
    """Return the argument of the first use of a command."""
    match = re.search(rf"\\{command}\*?\s*(?:\[[^\[\]]*\])?\s*(?=\{{)", text)
    return braced_group(text, pairs, match.end())[0] if match else ""


def remove_commands(text: str, pattern: re.Pattern[str]) -> str:
    """Remove commands with their arguments: thanks, marks and addresses in a byline are not names."""
    pairs = match_braces(text)
    pieces: list[str] = []
    position = 0
    for match in pattern.finditer(text):
        if match.start() < position:
            continue
        pieces.append(text[position : match.start()])
        position = match.end() if match[0].startswith("$") else braced_group(text, pairs, match.end())[1]
    return "".join([*pieces, text[position:]])


def _escaped(text: str) -> str:
    return re.sub(r"[&%$#_{}]", r"\\\g<0>", text.replace("\\", "\ue002")).replace("\ue002", "\\textbackslash ")


def _listing(text: str) -> str:
    """Remove the options and the language at the start of a verbatim environment."""
    first, _, rest = text.partition("\n")
    match = re.match(r"\s*(\[.*?\])?\s*(\{[^{}]*\})?\s*$", first)
    if match is not None:
        return rest
    match = re.match(r"\s*\[[^\[\]]{0,2000}\]\s*(?:\{[^{}\n]*\})?[ \t]*\n", text)
    return text[match.end() :] if match else text

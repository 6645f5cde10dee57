"""LaTeX markup as plain text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from fathom.corpus.readers.words import read_words, word_pattern

_WORDS = read_words("latex")

_COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "k": "\u0328", "r": "\u030a", "H": "\u030b", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
_ACCENT = re.compile(
    r"""\\(?P<sign>['`^"~=.])\s*(?:\{\s*(?P<braced>\\?[^\W\d_])\s*\}|(?P<bare>\\[ij](?![A-Za-z])|[^\W\d_]))"""
    r"""|\\(?P<letter>[cvukrHdb])(?:\s*\{\s*(?P<inside>\\?[^\W\d_])\s*\}|\s+(?P<after>\\[ij](?![A-Za-z])|[^\W\d_]))"""
)
_SYMBOLS: dict[str, str] = _WORDS["symbols"]
_MARKUP = re.compile(
    r"\\href\s*\{[^{}]*\}|\\(?P<word>[A-Za-z]+)\*?[ \t]*|\\(?P<sign>.)|(?P<brace>[{}$])|(?P<tie>~)"
    r"|(?P<dashes>--+)|(?P<open>``)|(?P<close>'')",
    re.DOTALL,
)
# Commands whose argument is a length, a name or an image, not words.
_WORDLESS_COMMANDS = word_pattern(_WORDS["wordless_commands"], 0)


def latex_to_text(text: str) -> str:
    """Convert LaTeX markup to the text a reader sees: accents and symbols as characters, no commands or braces."""
    if not any(sign in text for sign in "\\{}$~-`'"):
        return text
    text = _WORDLESS_COMMANDS.sub("", text)
    text = _ACCENT.sub(_replace_accent, text)
    return _MARKUP.sub(_replace_markup, text)


def _replace_accent(match: re.Match[str]) -> str:
    letter = (match["braced"] or match["bare"] or match["inside"] or match["after"] or "").lstrip("\\")
    return unicodedata.normalize("NFC", letter + _COMBINING[match["sign"] or match["letter"]])


def _replace_markup(match: re.Match[str]) -> str:
    if match["word"]:
        symbol = _SYMBOLS.get(match["word"], "")
        # A space after a command ends its name and is not printed, except after a symbol.
        return symbol + (" " if symbol and match[0][-1:].isspace() and not symbol.isalpha() else "")
    if match["sign"]:
        sign = match["sign"]
        return sign if sign in "%&$#_{}" else "" if sign in "-/()@!" else " "
    if match["tie"]:
        return " "
    if match["dashes"]:
        return "–" if len(match["dashes"]) == 2 else "—"
    if match["open"] or match["close"]:
        return "“" if match["open"] else "”"
    return ""


def clean_latex(text: str) -> str:
    """Convert LaTeX markup to text with single spaces."""
    return " ".join(latex_to_text(text).split())


# Braces.

BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """Yield every position where the nesting depth of braces changes, and the depth from there on."""
    depth = 0
    for match in BRACES.finditer(text):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth = max(0, depth - 1)
        else:
            continue
        yield match.start(), depth


def closes_at_end(text: str) -> bool:
    """Return whether the braces that open at the start close at the very end."""
    return next((position for position, depth in _depths(text) if depth == 0), -1) == len(text) - 1


def split_outside_braces(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Split a text at the matches of a pattern outside braces."""
    changes = iter([*_depths(text), (len(text), 0)])
    position, depth_after = next(changes)
    depth, start = 0, 0
    parts: list[str] = []
    for match in pattern.finditer(text):
        while position <= match.start() and position < len(text):
            depth = depth_after
            position, depth_after = next(changes)
        if depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    parts.append(text[start:])
    return parts

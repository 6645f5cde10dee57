"""Normalization of texts for comparison: no markup, one case, no outer punctuation, and optionally no accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final

MAX_CACHED_LENGTH: Final = 300
"""The maximum length of a cached text in characters."""
BRACKETS: Final = {"(": ")", "[": "]", "{": "}", "「": "」", "『": "』", "《": "》", "【": "】"}

_CACHE_SIZE = 1 << 16
UNIFORM_SIGNS = str.maketrans(
    dict.fromkeys("‘’‚‛′´", "'")
    | dict.fromkeys("“”„‟«»‹›″「」『』《》〈〉", '"')
    | dict.fromkeys("‐‑‒–—―−﹣", "-")
    | dict.fromkeys("\u200b\u2060\ufeff\u00ad\u200e\u200f", "")
)
_OUTER = " \t\n.,;:!?\"'*_`。，；：！？、"
_EMPHASIS = re.compile(r"(?<!\\)(\*{1,3}|`{1,3})(?=[^\s*`])([^\n*`]+?)(?<![\s\\])\1|__(?=[^\s_])([^\n_]+?)(?<!\s)__")
_MATH = re.compile(r"\$(?=[^\s$])([^$\n]{1,2000})(?<=[^\s$])\$")
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]{1,60})\}\s?\{([^{}]{1,60})\}")
_WRAPPED = re.compile(r"\\(?:text\w{0,6}|math\w{2,4}|emph|mbox|fbox|operatorname|boxed)\s?\{([^{}]*)\}")
_LATEX_SPACE = re.compile(r"\\(?:[,;:!\s]|q?quad\b|left\b|right\b|[()\[\]]|(?:begin|end)\{\w{1,20}\*?\})")
_LATEX_ARROW = re.compile(r"\\(?:to|(?:long)?rightarrow|Rightarrow|mapsto|implies)(?![A-Za-z])")
_ESCAPED = re.compile(r"\\([%$&#_{}])")


def plain(text: str) -> str:
    """`text` without Markdown emphasis and LaTeX markup: "**4**", "$4$" and "\\text{4}" become "4"."""
    if "*" in text or "`" in text or "__" in text:
        text = _EMPHASIS.sub(r"\2\3", text)
    if "$" in text:
        text = _MATH.sub(r"\1", text.replace("$$", "$"))
    if "\\" in text or "{,}" in text:
        text = _without_latex(text)
    return text


def _without_latex(text: str) -> str:
    text = _WRAPPED.sub(r"\1", text)
    if "\\" not in text and "{,}" not in text:
        return text
    text = text.replace("\\\\", "\n").replace("{,}", ",").replace("\\times", "×").replace("\\cdot", "·")
    text = _LATEX_ARROW.sub("→", text)
    text = text.replace("\\approx", "≈").replace("\\emptyset", "∅").replace("\\varnothing", "∅")
    # A second time, for \textbf{\text{4}}; deeper nesting does not occur in practice.
    text = _FRACTION.sub(r"\1/\2", _WRAPPED.sub(r"\1", text))
    return _ESCAPED.sub(r"\1", _LATEX_SPACE.sub(" ", text))


INITIALS = re.compile(r"(?<=\b[^\W\d_])\. (?=[^\W\d_]\.)")


def _normal(text: str) -> str:
    text = plain(text).replace("\\*", "*")
    if not text.isascii():
        # Twice, since case folding can undo a composition ("ŉ", "ΐ").
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).translate(UNIFORM_SIGNS).casefold())
    else:
        text = text.lower()
    text = " ".join(text.split())
    if " & " in text:
        text = text.replace(" & ", " and ")
    if ". " in text:
        text = INITIALS.sub(".", text)  # "J. R. Lind" is "J.R. Lind"
    if ", and " in text:
        text = text.replace(", and ", " and ")
    return _without_outer_punctuation(text) or text


def enclosed(text: str) -> bool:
    """Whether one pair of brackets encloses all of `text`: "(a (b); c)", not "(a) (b)"."""
    closing = BRACKETS.get(text[:1])
    if closing is None or text[-1] != closing:
        return False
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == text[0]) - (sign == closing)
        if depth == 0:
            return at == len(text) - 1
    return False


def _without_outer_punctuation(text: str) -> str:
    """`text` without punctuation and brackets around all of it; "Tides (part 1)" keeps its brackets."""
    if text[:1].isalnum() and text[-1].isalnum():
        return text
    for _ in range(4):
        text = text.strip(_OUTER)
        if len(text) < 2 or not enclosed(text):
            break
        text = text[1:-1]
    return text


class _NormalForms(dict[str, str]):
    """Normal forms by text. A dictionary lookup costs a third of a function call, and this is the hottest path."""

    def __missing__(self, text: str) -> str:
        form = _normal(text)
        if len(text) <= MAX_CACHED_LENGTH:
            if len(self) >= _CACHE_SIZE:
                self.clear()
            self[text] = form
        return form


normal: Final[Callable[[str], str]] = _NormalForms().__getitem__
"""The normal form of a text: one case, one kind of quote and dash, no markup, no outer punctuation."""

_OWN_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}


@lru_cache(maxsize=4096)
def bare_letter(letter: str) -> str:
    """A Latin or Greek letter without its accent; other letters are unchanged, since "й" is not a kind of "и"."""
    if letter in _OWN_LETTERS:
        return _OWN_LETTERS[letter]
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() or "α" <= base <= "ω" else letter


def unaccented(form: str) -> str:
    """A normal form without accents on Latin and Greek letters."""
    if form.isascii():
        return form
    return _bare_letters(form) if len(form) > MAX_CACHED_LENGTH else _cached_bare_letters(form)


def _bare_letters(form: str) -> str:
    return "".join(map(bare_letter, form))


_cached_bare_letters = lru_cache(maxsize=1 << 14)(_bare_letters)


def letters(text: str) -> str:
    """The normal form of `text` without accents."""
    form = normal(text)
    return form if form.isascii() else unaccented(form)

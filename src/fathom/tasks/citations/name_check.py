"""Finds names that were not hidden, word by word: a search of the audit, independent of the build's patterns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from fathom.records.names import CHINESE
from fathom.records.spans import Span
from fathom.tasks.citations.work_names import CommonWords, WorkName, coined_words, fold, is_printed_as_name

_SIGN = rf"{CHINESE}\u3040-\u30ff\uac00-\ud7a3"
_TOKEN = re.compile(rf"[{_SIGN}]|[^\W_{_SIGN}]+")
_DIVIDED = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f]")
BETWEEN_WORDS = 6
"""The maximum number of characters between two words of a title."""


def visible_names(names: Sequence[WorkName], text: str) -> Iterator[WorkName]:
    """The names that a text mentions."""
    text = _INVISIBLE.sub("", _DIVIDED.sub("", text))
    letters = re.sub(r"[\W_]+", "", fold(text))
    possible = [name for name in names if name.letters in letters]
    tokens = [Span(*match.span()) for match in _TOKEN.finditer(text)] if possible else []
    words = [fold(token.of(text)) for token in tokens]
    for name in possible:
        if any(_begins(name, text, tokens, words, number) for number in range(len(tokens))):
            yield name


def frequent_words(sentence: str, text: str, common: CommonWords, least: int) -> set[str]:
    """The coined words of a sentence that a text uses at least so often and that are not common in its corpus."""
    # Most words are ruled out without dividing the whole text.
    possible = [word for word in coined_words(sentence, common) if text.count(word) >= least]
    if not possible:
        return set()
    found = Counter(re.split(r"[^\w+*/@-]+|(?<=\w)[-/](?=\W)", text))
    return {word for word in possible if found[word] >= least}


def _begins(name: WorkName, text: str, tokens: Sequence[Span], words: Sequence[str], number: int) -> bool:
    """Whether a name begins with a word of the text, and ends with the same or a later one."""
    wanted = name.letters
    boundaries = list(accumulate(map(len, name.pieces)))
    joined = ""
    for last in range(number, len(tokens)):
        if joined and not _is_joint(name, text[tokens[last - 1].end : tokens[last].start], len(joined) in boundaries):
            return False
        joined += words[last]
        if name.is_title and not _is_divided(name, boundaries, len(joined), len(words[last])):
            return False
        if joined in (wanted, f"{wanted}s", f"{wanted}es"):
            return _is_mention(name, text, Span(tokens[number].start, tokens[last].end))
        if not wanted.startswith(joined):
            return False
    return False


def _is_divided(name: WorkName, boundaries: Sequence[int], end: int, length: int) -> bool:
    """Whether a word of the text joins words of a title only where the title prints a hyphen."""
    crossed = (number for number, boundary in enumerate(boundaries, start=1) if end - length < boundary < end)
    return all(number in name.hyphens or number == len(boundaries) for number in crossed)


def _is_joint(name: WorkName, between: str, is_boundary: bool) -> bool:
    """Whether two words with this text between them can be parts of one name."""
    if name.is_title:
        return is_boundary and len(between) <= BETWEEN_WORDS
    between = re.sub("[‐-―−]", "-", between)
    return between == "-" or (is_boundary and len(between) <= 3 and not between.strip("-_+ \t\n\u00a0"))


def _is_mention(name: WorkName, text: str, span: Span) -> bool:
    """Whether the words are not part of a longer name ("GPT-3.5"), and printed as a name where they are ordinary."""
    following = text[span.end : span.end + 2]
    if text[span.end - 1].isdigit() and following[:1] == "." and following[1:].isdigit():
        return False
    return text.startswith(name.sign, span.end) and (not name.is_ordinary or is_printed_as_name(text, span))

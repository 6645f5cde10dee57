"""Sentence splitting for English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.records.names import CHINESE
from fathom.records.spans import Span

# Some journals use "．" as a full stop; after a digit it may be a decimal point or a list number. Closing quotation
# marks and citation numbers may follow the stop: "……。”［2，3］".
_CHINESE_STOP = re.compile(
    # A bracket belongs to one sentence: "（陈静等，2019；李华，2018）".
    r"[（(［\[][^（）()［］\[\]。！？…]{0,400}[）)］\]]|"
    rf"(?P<stop>(?:[。！？；…]+|(?<=[^\d\s])．|(?<=[{CHINESE}）)］\]”])\.(?=\s|$))"
    r"[”’」』）)]*(?:[［\[〔【]\d[\d,，、;；–—~～ －-]{0,200}[］\]〕】])*)"
)
_NOT_ABBREVIATED = """
ago aims alike all amperometry arcade arrows asymmetrically backs bank bed bets black bond book broad call can cancer
car century chase chest chip closes coal code cold computationally consume cooler crafts crazy day diffraction divide
dyes enter enters equal excitation extant fish flag flip found free galaxies galleries gracefully hacked hand hard
helper holidays horse how human hyperplane instabilities italic joke just lack lazy lead life lock low maximized
misplaced month multiprocessor offline oils okay overt park pick pinhole port quantified raw reconstitution
refrigeration reporter reports rest revisited rich roll rounds row sand sane scatter scattering selves sent series sgd
sleep stake stars stock story tables tale talent tasks tax taxis thanks threads truncation variates walk wall wave
weave week wheat wheel will win woods wool works yard
"""
"""Words that the splitter's model takes for abbreviations: it would not end a sentence in "tasks. Later work"."""

_STOP_BEFORE_WORD = re.compile(r"\. (?=(?P<next>[\w(][^\s.!?…]*) )")
_WORD = re.compile(r"[A-Za-z\d]+(?:-[A-Za-z\d]+)*", re.ASCII)
_BRACKETED = re.compile(r"[^\s.!?…]*\w\)")
_UNDECIDED = re.compile(r"[.!?…][\s)\]}({\[:;\"'@*!?’”»]")
"""A sign that ends a sentence or is part of one: a comma after it, as in "et al., 2018", excludes an end."""

# Not a word: the splitter would go back to its start at each of its exclamation marks.
_RUN = re.compile(r"\S{2000,}")


def sentence_spans(text: str, start: int = 0) -> Iterator[Span]:
    """Yield the spans of the sentences of a paragraph that starts at `start`."""
    cut = _chinese(text) if is_chinese(text) else _spans(text)
    for begin, end in cut:
        piece = text[begin:end].rstrip()
        if piece:
            lead = len(piece) - len(piece.lstrip())
            yield Span(start + begin + lead, start + begin + len(piece))


def is_chinese(text: str) -> bool:
    """Return whether more than a fifth of the characters are Chinese."""
    return not text.isascii() and len(CHINESE_CHARACTER.findall(text[:2_000])) * 5 > len(text[:2_000])


def _chinese(text: str) -> Iterator[tuple[int, int]]:
    place = 0
    for match in _CHINESE_STOP.finditer(text):
        if match["stop"]:
            yield place, match.end()
            place = match.end()
    yield place, len(text)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    place = 0
    for run in _RUN.finditer(text):
        yield from _split(text, place, run.start())
        yield run.span()
        place = run.end()
    yield from _split(text, place, len(text))


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a part of a text, which the splitter only gets between the certain ends."""
    place = start
    for stop in _STOP_BEFORE_WORD.finditer(text, start, end):
        if _is_certain_end(text, place, stop):
            yield from _split_undecided(text, place, stop.start() + 1)
            place = stop.end()
    yield from _split_undecided(text, place, end)


def _is_certain_end(text: str, start: int, stop: re.Match[str]) -> bool:
    """Return whether a full stop before another word ends a sentence: "cells. The", "(Lind, 2018). The".

    The splitter decides the same, but looks at more words and takes ten times as long.
    """
    begin = text.rfind(" ", start, stop.start()) + 1
    # At the start of a line it may be a list number: "II. Methods".
    if begin < start + 2 or text[begin - 2].isspace():
        return False
    word = text[begin : stop.start()]
    if not _WORD.fullmatch(word):
        return _BRACKETED.fullmatch(word) is not None
    if word.replace("-", "").isdigit():
        following = stop["next"]
        return following.istitle() and following.isalpha() and following.lower() not in _collocated_words()
    return len(word) > 1 and word.lower() not in _abbreviations()


def _split_undecided(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if _UNDECIDED.search(text, start, end) is None:
        yield start, end
        return
    for begin, stop in _splitter().span_tokenize(text[start:end]):
        yield start + begin, start + stop


def clear_splitter_cache() -> None:
    """Free the splitter's cache of tens of thousands of decisions."""
    if _splitter.cache_info().currsize:
        _splitter().clear_decision_cache()
        # The splitter frees the memory only on its next decision.
        list(_splitter().span_tokenize("One sentence. Another one."))


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(_splitter().parameters.abbrev_types) | _collocated_words()


@cache
def _collocated_words() -> frozenset[str]:
    """Return the words of the pairs that belong to one sentence although the first one has a period: "U. Penn"."""
    return frozenset(word for pair in _splitter().parameters.collocations for word in pair)


@cache
def _splitter() -> Any:
    # Loaded with the first paragraph: most commands do not need it.
    import nupunkt

    splitter = nupunkt.load("default")
    splitter._params.abbrev_types.difference_update(_NOT_ABBREVIATED.split())
    return splitter

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
    for found in _CHINESE_STOP.finditer(text):
        if found["stop"]:
            yield place, found.end()
            place = found.end()
    yield place, len(text)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    place = 0
    for run in _RUN.finditer(text):
        yield from _split(text, place, run.start())
        yield run.span()
        place = run.end()
    yield from _split(text, place, len(text))


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for begin, stop in _splitter().span_tokenize(text[start:end] if end - start < len(text) else text):
        yield start + begin, start + stop


def clear_splitter_cache() -> None:
    """Free the splitter's cache of tens of thousands of decisions."""
    if _splitter.cache_info().currsize:
        _splitter().clear_decision_cache()
        # The splitter frees the memory only on its next decision.
        list(_splitter().span_tokenize("One sentence. Another one."))


@cache
def _splitter() -> Any:
    # Loaded with the first paragraph: most commands do not need it.
    import nupunkt

    splitter = nupunkt.load("default")
    splitter._params.abbrev_types.difference_update(_NOT_ABBREVIATED.split())
    return splitter

"""Where sentences begin and end, in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER
from fathom.records.names import CHINESE
from fathom.records.spans import Span

# Some journals set a point for the stop; behind a digit it may be a decimal one, or that of a list. Behind the stop may
# stand what closes a quotation, and the numbers of what is cited: "……。”［2，3］".
_CHINESE_STOP = re.compile(
    # What is cited in one bracket belongs to one sentence: "（陈静等，2019；李华，2018）".
    r"[（(［\[][^（）()［］\[\]。！？…]{0,400}[）)］\]]|"
    rf"(?P<stop>(?:[。！？；…]+|(?<=[^\d\s])．|(?<=[{CHINESE}）)］\]”])\.(?=\s|$))"
    r"[”’」』）)]*(?:[［\[〔【]\d[\d,，、;；–—~～ －-]{0,200}[］\]〕】])*)"
)
# A word of thousands of signs is none; the splitter goes back to its beginning at each of its exclamation marks.
_RUN = re.compile(r"\S{2000,}")


def sentences(text: str, start: int = 0) -> Iterator[Span]:
    """The sentences of one paragraph, without the blanks between them; `start` is where the paragraph stands."""
    cut = _chinese(text) if is_chinese(text) else _spans(text)
    for begin, end in cut:
        piece = text[begin:end].rstrip()
        if piece:
            lead = len(piece) - len(piece.lstrip())
            yield Span(start + begin + lead, start + begin + len(piece))


def is_chinese(text: str) -> bool:
    """Whether a good part of the characters is Han."""
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


def forget() -> None:
    """Let go of what the splitter remembers: tens of thousands of places on which it has decided."""
    if _splitter.cache_info().currsize:
        _splitter().clear_decision_cache()
        # It only notes that its memory is out of date, and lets go of it when it decides again.
        list(_splitter().span_tokenize("One sentence. Another one."))


@cache
def _splitter() -> Any:
    # Loaded when the first paragraph is split: commands that read nothing need no model of sentences.
    import nupunkt

    return nupunkt.load("default")

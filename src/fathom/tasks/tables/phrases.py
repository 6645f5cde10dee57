"""Figures that sentences state in fixed words: "a batch size of {n}"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from fathom.records.documents import Document, Fact
from fathom.records.spans import Span
from fathom.tasks.tables.pack import Pack

NUMBER = r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?(?:e-?\d{1,2})?"
"""A number in prose."""
_PRINTED = re.compile(rf"(?<![\w.,−–-])(?:{NUMBER})(?![\w%,.]*\d)")
_OTHERS = re.compile(
    r"\b(?:et al|another (?:study|trial)|(?:previous|prior|earlier|other|recent) (?:study|studies|work|trials?)"
    r"|meta-analysis|power|sample size (?:calculation|of)|required|needed|planned|would be|to detect)\b",
    re.IGNORECASE,
)
_PART_BEFORE = re.compile(
    r"\b(?:remaining|whom|these|those|other|additional|another|only|each|first|further|up to|at (?:least|most)(?: an?)?"
    r"|fewer than|more than|than|less than|about|approximately|around|or|to|versus|vs|maximum|minimum)\W*$",
    re.IGNORECASE,
)
_PART_AFTER = re.compile(
    r"\s*(?:(?:were |was )?(?:randomi[sz]ed |assigned |allocated )?"
    r"(?:in|to|into) (?:the|each|an?|group|arm) (?!study|trial|total)"
    r"|per |(?:for |on )?each\b|to (?:receive )?(?!either|one of|receive either)"
    r"|(?:and|or|to|for the first) \d|in the first)",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"(.+)\1\1")
"""A formula as LaTeXML prints it: "323232" is 32 three times."""
_STOP = re.compile(r"(?<!\bal)\.\s+(?=[A-Z\d])|\n")
MAX_SENTENCE_LENGTH = 400
_BEFORE = r"(?<![\w.,])"
_AFTER = r"(?![\w%^\\{]|[.,]\d|\s?[-−–/×·⋅]\s?\d)"


def phrase_facts(document: Document, pack: Pack) -> Iterator[Fact]:
    """The figures that sentences of the body state; references and what other studies did are left out.

    If other words may state another value, both are returned, and the figure is uncertain.
    """
    for field in pack.fields:
        facts = list(_stated_facts(document, pack, field))
        yield from facts
        if facts and pack.fields[field].doubts:
            stated_values = {fact.value for fact in facts}
            doubted = _compile(pack.fields[field].doubts).finditer(document.text)
            yield from (
                fact for match in doubted if (fact := _fact(document, pack, field, match)).value not in stated_values
            )


def _stated_facts(document: Document, pack: Pack, field: str) -> Iterator[Fact]:
    text = document.text
    excluded = [section.span for section in document.sections if section.role in ("references", "background")]
    cited = [citation.group for citation in document.citations]
    lower = text.lower()
    phrases = tuple(phrase for phrase in pack.fields[field].phrases if _anchor(phrase) in lower)
    for match in _compile(phrases).finditer(text) if phrases else ():
        fact = _fact(document, pack, field, match)
        sentence = _enclosing_sentence(text, match.start(), match.end())
        if any(section.contains(fact.span) for section in excluded) or _is_of_others(text, match, sentence):
            continue
        if _REPEATED.fullmatch(fact.span.of(text)) or any(sentence.contains(group) for group in cited):
            continue
        yield fact


def _fact(document: Document, pack: Pack, field: str, match: re.Match[str]) -> Fact:
    group = next(name for name, value in match.groupdict().items() if value)
    return Fact(
        entity=document.title_text,
        attribute=field,
        value=number_value(match[group]),
        unit="%" if pack.fields[field].kind == "percent" else "",
        span=Span(match.start(group), match.end(group)),
        place="prose",
    )


@lru_cache(maxsize=2_000)
def _anchor(phrase: str) -> str:
    """The longest words of a phrase that have no alternatives."""
    pieces = re.split(r"\{n\}|\([^)]*\)|\s+", phrase.lower())
    return max(pieces, key=len)


def _enclosing_sentence(text: str, start: int, end: int) -> Span:
    """The sentence around a place, roughly."""
    low, high = max(0, start - MAX_SENTENCE_LENGTH), end + MAX_SENTENCE_LENGTH
    begin = max((match.end() for match in _STOP.finditer(text, low, start)), default=low)
    stop = _STOP.search(text, end, high)
    return Span(begin, stop.start() if stop else min(high, len(text)))


def _is_of_others(text: str, match: re.Match[str], sentence: Span) -> bool:
    """Whether the number is that of another study, or of a part such as one group."""
    before, after = text[max(sentence.start, match.start() - 40) : match.start()], text[match.end() : match.end() + 40]
    return bool(_OTHERS.search(sentence.of(text)) or _PART_BEFORE.search(before) or _PART_AFTER.match(after))


def printed_numbers(document: Document) -> Iterator[tuple[Span, Decimal]]:
    """All numbers that a document prints."""
    for match in _PRINTED.finditer(document.text):
        yield Span(match.start(), match.end()), number_value(match[0])


def number_value(text: str) -> Decimal:
    """The value of a number as prose prints it."""
    return Decimal(format(Decimal(text.replace(",", "")), "f"))


@lru_cache(maxsize=32)
def _compile(phrases: tuple[str, ...]) -> re.Pattern[str]:
    options = []
    for number, phrase in enumerate(phrases):
        before, _, after = phrase.partition("{n}")
        words = [_pattern(part) for part in (before, after)]
        start = rf"(?<!\w){words[0]}\s*" if words[0] else _BEFORE
        end = rf"\s*{words[1]}(?!\w)" if words[1] else _AFTER
        options.append(rf"{start}(?<![\d.,])(?P<n{number}>{NUMBER})(?!\d){end}")
    return re.compile("|".join(options), re.IGNORECASE)


def _pattern(words: str) -> str:
    """The words as a pattern; (a|b) are alternatives."""
    pieces = re.split(r"(\([^)]*\))", words.strip())
    patterns = [
        f"(?:{'|'.join(_literal(alternative) for alternative in piece[1:-1].split('|'))})"
        if piece.startswith("(")
        else _literal(piece)
        for piece in pieces
    ]
    return "".join(patterns)


def _literal(words: str) -> str:
    return re.sub(r"\s+", r"\\s+", re.sub(r"\\ ", " ", re.escape(words))).replace(r"\.\.\.", r"[^\d.\n]{0,20}?")

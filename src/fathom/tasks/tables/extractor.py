"""Prompts for extractors, and parsing of their responses: a number with its unit, and a quote that prints it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files

from fathom.models.json_output import json_values
from fathom.models.prompts import Message, Prompt
from fathom.models.tokenizers import tokenizer
from fathom.records.documents import Document, DocumentId, Fact
from fathom.records.record import digest
from fathom.records.spans import Span
from fathom.scoring.quotes import QuoteLocator
from fathom.tasks.tables.entity_names import title_entity, title_year
from fathom.tasks.tables.figures import StatedFigure, Year, document_figures, mentioned_fields
from fathom.tasks.tables.labels import normal_label
from fathom.tasks.tables.months import MONTH, parse_month, printed_months
from fathom.tasks.tables.pack import FieldKind, Language, Pack, PackField
from fathom.tasks.tables.table_facts import dollar_of
from fathom.tasks.tables.units import CellNumber, parse_cell, stated_unit

FIELDS_AT_ONCE = 8
"""Figures in one prompt, by default."""
MIN_MENTIONED = 3
"""A document is asked about if it names this many fields."""
_SCALES = (0, 3, 4, 6, 8, 9)
"""Powers of ten by which a table or a caption may scale what a row prints."""
_KINDS: dict[FieldKind, str] = {
    "money": "an amount of money",
    "count": "a count",
    "percent": "a percentage",
    "number": "a number",
    "month": "a month",
}
_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
"""The line below the headings of a table."""
MAX_LABELS = 3
"""Other names of a figure in a prompt."""
_NUMBER = re.compile(r"[(（]?[-−–－]?\s?(?:US\$|[$£€])?\d[\d,，.'’\u00a0\u2009\u202f ]*(?<![\s,，.])[)）]?\s?%?")


@dataclass(frozen=True)
class ExtractionTask:
    """A document about which an extractor is asked, and the figures that are wanted."""

    document: DocumentId
    text: str
    language: Language
    entity: str
    year: Year
    fields: tuple[str, ...]


@dataclass(frozen=True)
class ExtractedFigure:
    """One figure as a response states it."""

    value: str
    unit: str
    quote: str


def subject_of(document: Document, pack: Pack, everything: bool) -> ExtractionTask | None:
    """The figures of a document that are not known yet, or all; None if it is of another domain or has no name."""
    figures = document_figures(document, pack)
    year = figures.year if figures else title_year(document) if pack.has_periods else None
    entity = figures.entity if figures else title_entity(document)
    if figures is None and len(mentioned_fields(document, pack)) < MIN_MENTIONED:
        return None
    if not entity or (pack.has_periods and year is None):
        return None
    certain = {
        figure_id.field
        for figure_id, figure in (figures.figures if figures else {}).items()
        if isinstance(figure, StatedFigure) and figure_id.year == year
    }
    language: Language = "zh" if document.language == "zh" and "zh" in pack.languages else pack.languages[0]
    fields = tuple(name for name in pack.fields if everything or name not in certain)
    return ExtractionTask(document.id, document.text, language, entity, year, fields)


def prompts(
    subject: ExtractionTask, pack: Pack, excerpt: Callable[[Sequence[str]], str], at_once: int = FIELDS_AT_ONCE
) -> Iterator[tuple[tuple[str, ...], Prompt]]:
    """The prompts about a document, each with the fields that it asks for; `excerpt` gives the text for some fields."""
    for start in range(0, len(subject.fields), at_once):
        fields = subject.fields[start : start + at_once]
        question, response = _example()
        text = f"Document:\n\n{excerpt(fields)}\n\n"
        yield (
            fields,
            Prompt(
                (
                    Message.user(f"{instruction()}\n\n{question}"),
                    Message("assistant", (response,)),
                    Message.user(text, _format_request(subject, fields, pack)),
                )
            ),
        )


@cache
def _parts() -> tuple[str, ...]:
    """The instruction, the question and the response of an example."""
    text = files(__package__).joinpath("extract.md").read_text("utf-8")
    return tuple(part.strip() for part in re.split(r"^# .+$", text, flags=re.MULTILINE)[1:])


def instruction() -> str:
    """The instruction of extractors."""
    return _parts()[0]


def _example() -> tuple[str, str]:
    """A question and its response, as an exchange before the document: small models follow it, not the instruction."""
    return _parts()[1], _parts()[2]


def prompt_version() -> str:
    """Changes with the wording of the instruction and the example."""
    return digest(*_parts()).hex()[:8]


def _format_request(subject: ExtractionTask, fields: Sequence[str], pack: Pack) -> str:
    period = (
        ""
        if subject.year is None
        else f", {pack.period.in_language(subject.language)} {pack.period.named(subject.year, subject.language)}"
    )
    lines = [f"- {name}: {_describe_field(pack.fields[name], subject.language)}{period}" for name in fields]
    return f"Figures of {subject.entity}:\n\n" + "\n".join(lines)


def _describe_field(field: PackField, language: Language) -> str:
    """The noun of a field with other names that documents use, and its kind."""
    noun = field.in_language(language)
    by_words = {normal_label(label): label for label in (*field.labels, *getattr(field, language))}
    other_labels = [label for words, label in by_words.items() if words != normal_label(noun)]
    also = f" (also: {'; '.join(other_labels[:MAX_LABELS])})" if other_labels else ""
    return f"{noun}{also}, {_KINDS[field.kind]}"


def excerpts(document: Document, pack: Pack, fields: Iterable[str], max_tokens: int) -> str:
    """The tables and paragraphs of a long document that have most labels of the fields, in their order.

    Of a table that is too long, the heading and the rows with a label are shown.
    """
    count = tokenizer("o200k").count
    field_names = set(fields)
    labels = [label for label, field in pack.field_of_label.items() if field in field_names]
    tables = {table.span for table in document.tables}
    scored = sorted(
        {*tables, *document.paragraphs},
        key=lambda span: (-_labels_in(span.of(document.text), labels), span.start),
    )
    chosen: dict[Span, str] = {}
    left = max_tokens
    for span in scored:
        text = span.of(document.text)
        if span in tables and count(text) > left:
            text = _rows_with(text, labels)
        size = count(text) + 2
        if text and size <= left and not any(chosen_span.contains(span) for chosen_span in chosen):
            chosen[span] = text
            left -= size
    return "\n\n".join(chosen[span] for span in sorted(chosen, key=lambda span: span.start))


def _labels_in(text: str, labels: Iterable[str]) -> int:
    words = f" {normal_label(text)} "
    return sum(label in words for label in labels)


def _rows_with(table: str, labels: Sequence[str]) -> str:
    """The rows of a table with one of the labels, below its caption and headings; empty if there are none."""
    lines = table.split("\n")
    headings = next((index + 1 for index, line in enumerate(lines) if _RULE.fullmatch(line)), 1)
    rows = [line for line in lines[headings:] if _labels_in(line, labels)]
    return "\n".join([*lines[:headings], *rows]) if rows else ""


# Responses.


def parse_response(text: str, fields: Iterable[str]) -> dict[str, ExtractedFigure | None]:
    """The claims of a response; raises ValueError if it has no JSON object with one of the fields."""
    names = tuple(fields)
    objects = (
        candidate.value
        for candidate in json_values(text)
        if isinstance(candidate.value, dict) and (candidate.value or not candidate.cut_off)
    )
    # The first: small models go on with figures of other documents. Of one that is cut off, what is complete counts.
    response = next(
        (candidate for candidate in objects if not candidate or any(field in candidate for field in names)), None
    )
    if response is None:
        raise ValueError("the response has no JSON object with one of the figures")
    return {field: _claim(response.get(field)) for field in names}


def _claim(claim: object) -> ExtractedFigure | None:
    if not isinstance(claim, dict) or claim.get("value") in (None, ""):
        return None
    return ExtractedFigure(*(str(claim.get(name) or "").strip() for name in ("value", "unit", "quote")))


def located(claim: ExtractedFigure, field: str, subject: ExtractionTask, kind: FieldKind) -> Fact | None:
    """The claim as a fact, if its quote is in the document and prints its number; otherwise None."""
    if kind == "month":
        return _located_month(claim, field, subject)
    number = parse_cell(claim.value) or parse_cell(claim.value.partition(" ")[0])
    quote_span = _find(claim.quote, subject.text)
    if number is None or quote_span is None:
        return None
    unit = stated_unit(claim.unit) or number.unit or stated_unit(claim.value.partition(" ")[2])
    if (kind == "money") != (unit is not None and unit.kind == "money"):
        return None
    if (kind == "percent") != (unit is not None and unit.kind == "percent"):
        return None
    name = claim.unit if unit is None and kind == "number" else "" if unit is None else unit.name
    name = dollar_of(subject.text) if name == "$" else name
    if kind == "money" and not name:
        return None
    scale = unit.scale if unit is not None else 0
    number_span = _find_number(number.value, quote_span, subject.text, () if kind == "percent" else _SCALES)
    if number_span is None:
        return None
    value = Decimal(format(number.value.scaleb(scale), "f"))
    period = "" if subject.year is None else str(subject.year)
    return Fact(entity=subject.entity, attribute=field, period=period, value=value, unit=name, span=number_span)


def _located_month(claim: ExtractedFigure, field: str, subject: ExtractionTask) -> Fact | None:
    quote_span, month = _find(claim.quote, subject.text), parse_month(claim.value)
    if quote_span is None or month is None:
        return None
    printed = printed_months(subject.text, quote_span.start, quote_span.end)
    span = next((month_span for month_span, value in printed if value == month[1]), None)
    period = "" if subject.year is None else str(subject.year)
    return span and Fact(entity=subject.entity, attribute=field, period=period, value=month[1], unit=MONTH, span=span)


def _find(quote: str, text: str) -> Span | None:
    """The span of the whole quote in the text."""
    return _locator(text).locate(quote, complete=True) if any(map(str.isdigit, quote)) else None


@lru_cache(maxsize=2)
def _locator(text: str) -> QuoteLocator:
    """One index for all quotes of a document, which come one after another."""
    return QuoteLocator(text)


def _find_number(value: Decimal, within: Span, text: str, scales: Sequence[int]) -> Span | None:
    """The number in a place of the text that equals the value, or is the value without its scale."""
    numbers: list[tuple[Span, Decimal]] = []
    for match in _NUMBER.finditer(text, within.start, within.end):
        number: CellNumber | None = parse_cell(match[0])
        if number is not None:
            numbers.append((Span(match.start() + number.start, match.start() + number.end), number.value))
    for scale in scales or (0,):
        for number_span, printed in numbers:
            if printed.scaleb(scale) == value:
                return number_span
    return None

"""Sentences with slots for words and figures.

A slot is in braces:

    {place}              a word of the entity or the report, or one of the pack's phrases
    {=revenue}           the entity's wording for a metric
    {a}                  "a" or "an", depending on the next word
    {revenue}            a figure of the current year; {revenue@-1} of the year before, {revenue@q3} of a quarter
    {revenue/part}       a figure of the part that the word "part" names
    {revenue!}           printed as in the tables; {revenue~} to three digits; {revenue^} as the last report gave it
    {order_backlog?}     the word that says that the figure is withheld

Before " | " are the conditions under which a sentence may be used: "revenue>" the figure rose, "revenue<" it fell,
"net_profit+" it is above zero, "net_profit-" below. A sentence with a withheld figure is used only if it says that the
figure is withheld.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fathom.corpus.generated.reports.style import FigureForm

_SLOT = re.compile(r"\{([^{}]+)\}")
_FIGURE = re.compile(r"(?P<metric>[a-z_0-9]+)(?:/(?P<part>[a-z_]+))?(?:@(?P<when>-\d|q\d))?(?P<form>[!~^?]?)")
_FORMS: Mapping[str, FigureForm] = {"": "usual", "!": "exact", "~": "about", "^": "before", "?": "withheld"}


@dataclass(frozen=True, slots=True)
class FigureSlot:
    """A slot for a figure."""

    metric: str
    part: str | None
    """The word that names the part; None for the whole."""
    years_back: int
    quarter: int | None
    form: FigureForm


@dataclass(frozen=True, slots=True)
class Word:
    """A slot for a word or phrase."""

    name: str


@dataclass(frozen=True, slots=True)
class LabelSlot:
    """A slot for the entity's wording of a metric."""

    metric: str


@dataclass(frozen=True, slots=True)
class IndefiniteArticle:
    """A slot for "a" or "an"."""


@dataclass(frozen=True, slots=True)
class FigureCondition:
    """A condition on a figure."""

    figure: FigureSlot
    test: str
    """One of ">", "<", "+", "-"."""


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """A parsed sentence or phrase."""

    pieces: tuple[str | FigureSlot | Word | LabelSlot | IndefiniteArticle, ...]
    conditions: tuple[FigureCondition, ...]
    figures: tuple[FigureSlot, ...]


def parse_template(source: str, metrics: Mapping[str, object]) -> SentenceTemplate:
    """The template of `source`; a slot that starts with the id of a metric is a figure."""
    guard, bar, body = source.rpartition(" | ")
    parts = enumerate(_SLOT.split(body))
    pieces = tuple(_slot(part, metrics) if index % 2 else part for index, part in parts if part or index % 2)
    conditions = tuple(FigureCondition(_figure(spec[:-1]), spec[-1]) for spec in guard.split(", ")) if bar else ()
    return SentenceTemplate(pieces, conditions, tuple(piece for piece in pieces if isinstance(piece, FigureSlot)))


def _slot(spec: str, metrics: Mapping[str, object]) -> FigureSlot | Word | LabelSlot | IndefiniteArticle:
    if spec == "a":
        return IndefiniteArticle()
    if spec.startswith("="):
        return LabelSlot(spec[1:])
    if re.split(r"[/@!~^?]", spec, maxsplit=1)[0] in metrics:
        return _figure(spec)
    return Word(spec)


def _figure(spec: str) -> FigureSlot:
    match = _FIGURE.fullmatch(spec)
    if match is None:
        raise ValueError(f"'{spec}' is not a figure slot")
    when = match["when"] or ""
    return FigureSlot(
        metric=match["metric"],
        part=match["part"],
        years_back=int(when[1:]) if when.startswith("-") else 0,
        quarter=int(when[1:]) if when.startswith("q") else None,
        form=_FORMS[match["form"]],
    )

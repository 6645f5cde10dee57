"""What is known of a question before it is asked: the groups it is counted in, and the sizes that may matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fathom.corpus.store import DocumentEntry
from fathom.records.contexts import Context
from fathom.scoring.answer_types.values import count_values
from fathom.tasks.family import Diagnosis, Item

WHAT = {
    "family": "Family",
    "skill": "Skill",
    "topic": "Topic",
    "subject": "Subject of the documents",
    "level": "Level",
    "length": "Length of the context",
    "language": "Language of the documents",
    "answer": "Type of answer",
    "documents": "Documents in the context",
    "position": "Where the evidence stands",
    "dispersion": "How far apart the evidence stands",
    "operators": "Operators in the program",
    "way": "How the context was gathered",
    "split": "Split",
}
"""Headings of the known groupings, in the order in which they are shown; other tags follow."""

HIDDEN = frozenset({"template"})
"""Tags with nearly as many values as questions."""

_THIRDS = ("first third", "middle third", "last third")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, as far as analysis still needs it."""

    id: str
    context: int
    """The number of its context in the walk."""
    groups: dict[str, tuple[str, ...]]
    sizes: dict[str, float]
    tokens: int
    """The length that was asked for."""


def describe(
    context: Context, number: int, item: Item, diagnosis: Diagnosis, listed: Mapping[str, DocumentEntry]
) -> Asked:
    """The question's groups and sizes."""
    evidence = _evidence(context, item)
    groups: dict[str, tuple[str, ...]] = {
        name: (value,) for name, value in item.question.tags.items() if name not in HIDDEN
    }
    groups |= {"family": (item.question.family,), "split": (item.question.split,), "answer": (item.key.answer.type,)}
    groups["documents"] = (_binned(len(context.places)),)
    for name in ("subject", "language"):
        values = {getattr(listed[id], name) for id in context.documents if id in listed} - {None}
        if values and name not in groups:
            groups[name] = (values.pop() if len(values) == 1 else "several",)
    if diagnosis.operators:
        groups["operators"] = diagnosis.operators
    sizes = {
        "documents": float(len(context.places)),
        "context length": float(context.tokens),
        "question length": float(len(item.question.text.split())),
        "answer length": float(count_values(item.key.answer)),
    }
    if evidence is not None:
        groups["position"] = (_THIRDS[min(2, int(evidence.middle * 3))],)
        groups["dispersion"] = (_spread(evidence.spread),)
        sizes |= {
            "needed documents": float(evidence.documents),
            "evidence position": evidence.middle,
            "evidence spread": evidence.spread,
        }
    return Asked(item.question.id, number, groups, sizes | dict(diagnosis.sizes), context.length)


@dataclass(frozen=True)
class _Evidence:
    middle: float
    spread: float
    documents: int


def _evidence(context: Context, item: Item) -> _Evidence | None:
    """Where in the context the passages stand that prove the key; None where none does."""
    places = {place.document: place for place in context.places}
    located = [places[one.document].locate(one.span) for one in item.key.proof.passages if one.document in places]
    starts = [span.start for span in located if span is not None]
    if not starts:
        return None
    whole = max(1, context.places[-1].span.end)
    documents = len({one.document for one in item.key.proof.passages})
    return _Evidence(sum(starts) / len(starts) / whole, (max(starts) - min(starts)) / whole, documents)


def _spread(share: float) -> str:
    return "within a third" if share < 1 / 3 else "within two thirds" if share < 2 / 3 else "all over"


def _binned(count: int) -> str:
    """A range that doubles: 1-4, 5-8, 9-16, 17-32."""
    top = 4
    while count > top:
        top *= 2
    return f"{top // 2 + 1}-{top}" if top > 4 else "1-4"


def order_of(group: str) -> tuple[int, float, str]:
    """Sorts ranges and lengths by their numbers, thirds and spreads by their sense, and the rest by the alphabet."""
    known = (*_THIRDS, "within a third", "within two thirds", "all over")
    if group in known:
        return 0, known.index(group), group
    digits = group.replace("+", "-").split("-")[0].rstrip("KM")
    if digits.replace(".", "", 1).isdigit():
        scale = 1_000_000 if group.endswith("M") else 1_000 if group.endswith("K") else 1
        return 1, float(digits) * scale, group
    return 2, 0.0, group


def shown_at(by: str) -> tuple[int, str]:
    """Sorts groupings as they are shown: the known ones first."""
    known = list(WHAT)
    return (known.index(by), by) if by in known else (len(known), by)

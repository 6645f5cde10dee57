"""Properties of questions: groups for breakdowns, and numbers that may correlate with failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from fathom.corpus.store import DocumentEntry
from fathom.records.contexts import Context
from fathom.records.tag_values import value_order
from fathom.scoring.answer_types.format import published
from fathom.scoring.answer_types.values import count_values
from fathom.tasks.catalog import family, tags_of, values_of
from fathom.tasks.family import Diagnosis, Item, Tag

GENERIC = {
    "family": "Family",
    "length": "Context length",
    "answer": "Answer type",
    "documents": "Documents in the context",
    "subject": "Most frequent subject of the documents",
    "language": "Most frequent language of the documents",
    "position": "Position of the evidence",
    "dispersion": "Dispersion of the evidence",
    "operators": "Operators in the program",
    "sampling": "Context sampling",
    "split": "Split",
}
"""Titles of groupings that do not depend on the family; families declare the others as tags."""

OVERLAPPING = frozenset({"operators"})
"""Groupings in which a question may be in several groups."""

_THIRDS = ("first third", "middle third", "last third")
_DISPERSIONS = ("within one third", "within two thirds", "throughout")
_IN_ORDER = {"position": _THIRDS, "dispersion": _DISPERSIONS}


@dataclass(frozen=True, slots=True)
class QuestionProperties:
    """Properties of one question."""

    id: str
    family: str
    answer_type: str
    context: int
    """Index of the context in the bench."""
    groups: dict[str, tuple[str, ...]]
    sizes: dict[str, float]
    length: int
    """The requested context length in tokens."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Every tag, including those that scores are not grouped by."""
    pair: str = ""
    """Shared by the questions that ask the same in several settings; empty if the question has no counterpart."""


def describe(
    context: Context,
    number: int,
    item: Item,
    diagnosis: Diagnosis,
    documents: Mapping[str, DocumentEntry],
    ungrouped: Collection[str] = (),
) -> QuestionProperties:
    """The question's groups and numeric properties. `ungrouped` are tags that are not used as groupings."""
    evidence = _evidence(context, item)
    question = item.question
    pairing = family(question.family).pairing
    return QuestionProperties(
        question.id,
        question.family,
        item.key.answer.type,
        number,
        _groups(context, item, diagnosis, evidence, documents, ungrouped),
        _sizes(context, item, evidence) | dict(diagnosis.sizes),
        context.length,
        question.tags,
        question.tags.get(pairing.tag, "") if pairing is not None else "",
    )


def _groups(
    context: Context,
    item: Item,
    diagnosis: Diagnosis,
    evidence: _Evidence | None,
    documents: Mapping[str, DocumentEntry],
    ungrouped: Collection[str],
) -> dict[str, tuple[str, ...]]:
    """The groups of the question by grouping: its tags, and properties of its key, context and evidence."""
    question = item.question
    groups: dict[str, tuple[str, ...]] = {
        name: _single_group(value) for name, value in question.tags.items() if name not in ungrouped
    }
    groups |= {
        "family": _single_group(question.family),
        "split": _single_group(question.split),
        "answer": _single_group(item.key.answer.type),
    }
    groups["documents"] = _single_group(_binned(len(context.places)))
    for name in ("subject", "language"):
        usual = _most_frequent(name, context, documents)
        if usual is not None and name not in groups:
            groups[name] = _single_group(usual)
    if diagnosis.operators:
        groups["operators"] = diagnosis.operators
    if evidence is not None:
        groups["position"] = _single_group(_THIRDS[min(2, int(evidence.position * 3))])
        groups["dispersion"] = _single_group(_DISPERSIONS[min(2, int(evidence.dispersion * 3))])
    return groups


def _most_frequent(name: str, context: Context, documents: Mapping[str, DocumentEntry]) -> str | None:
    """The value of most documents of the context, and of several the one with most text; None if none is known."""
    counts, characters = Counter[str](), Counter[str]()
    for placed in context.places:
        value = getattr(documents.get(placed.document), name, None)
        if value is not None:
            counts[value] += 1
            characters[value] += placed.span.end - placed.span.start
    return max(counts, key=lambda value: (counts[value], characters[value], value), default=None)


def _sizes(context: Context, item: Item, evidence: _Evidence | None) -> dict[str, float]:
    """The numeric properties that every family has."""
    answer, program = item.key.answer, item.key.proof.program
    sizes = {
        "documents": float(len(context.places)),
        "context length": float(context.tokens),
        "question length": float(len(item.question.text.split())),
        "answer length": float(count_values(answer)),
        "answer words": float(len(published(answer).split())),
    }
    if program.startswith("SELECT "):
        sizes["query words"] = float(len(program.split()))
    if evidence is not None:
        sizes["needed documents"] = float(evidence.documents)
        sizes["evidence position"] = evidence.position
        sizes["evidence spread"] = evidence.dispersion
    return sizes


@lru_cache(maxsize=10_000)
def _single_group(value: str) -> tuple[str]:
    """The group of a question that is in one, shared by all questions of the group to save memory."""
    return (value,)


@dataclass(frozen=True)
class _Evidence:
    position: float
    """Mean position in the context, from 0 to 1."""
    dispersion: float
    """Distance between the first and the last passage, as a share of the context."""
    documents: int


def _evidence(context: Context, item: Item) -> _Evidence | None:
    """Where in the context the passages are that prove the key; None if there are none."""
    placements = {placement.document: placement for placement in context.places}
    spans = [
        placements[passage.document].locate(passage.span)
        for passage in item.key.proof.passages
        if passage.document in placements
    ]
    starts = [span.start for span in spans if span is not None]
    if not starts:
        return None
    end = max(1, context.places[-1].span.end)
    documents = len({passage.document for passage in item.key.proof.passages})
    return _Evidence(sum(starts) / len(starts) / end, (max(starts) - min(starts)) / end, documents)


def _binned(count: int) -> str:
    """A range that doubles: 1-4, 5-8, 9-16, 17-32."""
    top = 4
    while count > top:
        top *= 2
    return f"{top // 2 + 1}-{top}" if top > 4 else "1-4"


@dataclass(frozen=True)
class Groupings:
    """The groupings of a bench: the tags that its families declare, and generic properties."""

    families: tuple[str, ...]
    tags: tuple[Tag, ...]
    cross_tabs: tuple[tuple[str, str], ...]
    """Pairs that are shown as heat maps."""

    @classmethod
    def of(cls, families: Sequence[str]) -> Groupings:
        pairs = dict.fromkeys(pair for name in families for pair in family(name).cross_tabs)
        return cls(tuple(families), tags_of(families), tuple(pairs))

    @cached_property
    def ungrouped(self) -> frozenset[str]:
        """Tags with nearly as many values as questions."""
        return frozenset(tag.name for tag in self.tags if not tag.grouped)

    @property
    def main(self) -> tuple[str, ...]:
        """The groupings of summaries and comparisons: the length and the families' summary tags."""
        return tuple(dict.fromkeys(["length", *(tag.name for tag in self.tags if tag.summary)]))

    def order(self, by: str) -> tuple[int, str]:
        """Sort key: declared tags first, then generic properties, then other tags by name."""
        order = [*(tag.name for tag in self.tags), *GENERIC]
        return (order.index(by), by) if by in order else (len(order), by)

    def ordered(self, by: str, groups: Iterable[str]) -> list[str]:
        """The groups of a grouping in the order in which they are listed."""
        declared = _IN_ORDER.get(by) or values_of(self.families, by)
        return sorted(groups, key=lambda group: value_order(group, declared))

    def title(self, by: str) -> str:
        """The title of a grouping."""
        declared = {tag.name: tag.heading for tag in self.tags}
        return declared.get(by) or GENERIC.get(by) or by.capitalize()

"""The coverage of a pack in a corpus: how many documents state each field, and sample questions."""

from __future__ import annotations

from collections import Counter
from random import Random

from fathom.corpus.store import Corpus
from fathom.records.documents import NonNegativeInt
from fathom.records.record import Record
from fathom.tasks.tables.build import entity_tables
from fathom.tasks.tables.figures import DocumentFigures, document_figures
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.queries import QueryMaker
from fathom.tasks.tables.query_parts import LEVELS, QuestionLevel

SAMPLED = 9
"""Questions in the sample, the same number of each level."""


class FieldCoverage(Record):
    """In how many documents of the domain a field was found for the document's own period."""

    name: str
    known: NonNegativeInt
    missing: NonNegativeInt
    """Documents that state that there is no value."""
    conflicting: NonNegativeInt
    """Documents with two values that exclude each other."""
    unknown: NonNegativeInt


class PackCoverage(Record):
    """The coverage of a pack in a corpus."""

    pack: str
    documents: NonNegativeInt
    """Documents of the corpus."""
    found: NonNegativeInt
    """Documents in which the pack finds a field."""
    entities: NonNegativeInt
    fields: tuple[FieldCoverage, ...]
    unusable: dict[str, str]
    """Metrics, comparisons and composites that cannot be asked about anywhere, with the reason."""
    sample: tuple[str, ...]


def pack_coverage(pack: Pack, corpus: Corpus, seed: int = 0) -> PackCoverage:
    """Read every document of a corpus with a pack."""
    readings = [figures for document in corpus.documents() if (figures := document_figures(document, pack)) is not None]
    return PackCoverage(
        pack=pack.name,
        documents=len(corpus),
        found=len(readings),
        entities=len({figures.entity for figures in readings}),
        fields=tuple(_field_coverage(name, readings) for name in pack.fields),
        unusable=_unusable(pack, {figure_id.field for figures in readings for figure_id in figures.figures}),
        sample=tuple(_sample(pack, readings, Random(seed))),
    )


def _field_coverage(name: str, readings: list[DocumentFigures]) -> FieldCoverage:
    states: Counter[str] = Counter()
    for reading in readings:
        figure = next(
            (figure for figure_id, figure in reading.figures.items() if figure_id == (name, reading.year)),
            None,
        )
        if figure is None:
            states["unknown"] += 1
        elif isinstance(figure, str):
            states["conflicting"] += 1
        else:
            states["known" if figure.value is not None else "missing"] += 1
    return FieldCoverage(
        name=name, **{state: states[state] for state in ("known", "missing", "conflicting", "unknown")}
    )


def _unusable(pack: Pack, present: set[str]) -> dict[str, str]:
    reasons = {}
    for name, metric in pack.metrics.items():
        if lacking := [field for field in metric.fields if field not in present]:
            reasons[name] = f"no document states {' or '.join(lacking)}"
    for name, composite in pack.composites.items():
        if lacking := [
            term for term in composite.terms if term in reasons or (term in pack.fields and term not in present)
        ]:
            reasons[name] = f"it needs {' and '.join(lacking)}"
    for left, right in pack.comparable:
        if lacking := [field for field in (left, right) if field not in present]:
            reasons[f"{left} against {right}"] = f"no document states {' or '.join(lacking)}"
    return reasons


def _sample(pack: Pack, readings: list[DocumentFigures], rng: Random) -> list[str]:
    by_language = {
        language: [reading for reading in readings if reading.language == language] for language in pack.languages
    }
    tables = [table for documents in by_language.values() for table in entity_tables(pack, documents)]
    levels: tuple[QuestionLevel, ...] = LEVELS
    questions: list[str] = []
    for number in range(SAMPLED if tables else 0):
        question = QueryMaker(rng.choice(tables), rng).make(levels[number % len(levels)])
        if question is not None and question.text not in questions:
            questions.append(question.text)
    return questions

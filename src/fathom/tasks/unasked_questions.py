"""Counts the kinds of questions that could not be asked, since something is not known about the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from fathom.records.documents import FieldName, NonNegativeInt
from fathom.records.plurals import counted
from fathom.records.record import Record
from fathom.tasks.family import UnaskedKind


class UnaskedQuestions(Record):
    """Questions that could not be asked in some contexts, since something is not known about their documents."""

    family: str
    reason: str
    """Why they could not be asked, such as "authors are unknown"."""
    questions: str
    """Which questions: "no questions on people"."""
    field: FieldName | None = None
    """The field that is not known."""
    documents: NonNegativeInt
    """The documents where it is not known."""
    contexts: NonNegativeInt
    """The contexts that have such a document."""

    def __str__(self) -> str:
        return f"{self.where}: {self.questions} in {counted(self.contexts, 'context')}"

    @property
    def where(self) -> str:
        """The reason with the number of documents."""
        return f"{self.reason} in {counted(self.documents, 'document')}"


_Kind = tuple[str, str, str, FieldName | None]
"""Family, reason, questions and field."""


class UnaskedCounts:
    """The kinds of questions that could not be asked, with their contexts and documents."""

    def __init__(self) -> None:
        self._contexts: Counter[_Kind] = Counter()
        self._documents: dict[_Kind, set[str]] = {}

    def add(self, by_family: Mapping[str, Sequence[UnaskedKind]]) -> None:
        for name, kinds in by_family.items():
            for kind in kinds:
                key = name, kind.reason, kind.questions, kind.field
                self._contexts[key] += 1
                self._documents.setdefault(key, set()).update(kind.documents)

    def results(self) -> tuple[UnaskedQuestions, ...]:
        return tuple(
            UnaskedQuestions(
                family=name,
                reason=reason,
                questions=questions,
                field=field,
                documents=len(self._documents[name, reason, questions, field]),
                contexts=count,
            )
            for (name, reason, questions, field), count in sorted(self._contexts.items(), key=str)
        )


def unknown_fields(unasked_questions: Sequence[UnaskedQuestions]) -> str:
    """The fields that are not known, as `fathom contexts --known` takes them; empty if there are none."""
    return ",".join(dict.fromkeys(unasked.field for unasked in unasked_questions if unasked.field is not None))


def explain_unknown(unasked_questions: Sequence[UnaskedQuestions], corpus: Path) -> str:
    """The unknown fields and the advice; empty if something else prevented the questions."""
    fields = unknown_fields(unasked_questions)
    if not fields:
        return ""
    reasons = "; ".join(unasked.where for unasked in unasked_questions)
    return f"{reasons}. Use only documents where they are known: `fathom contexts {corpus} --known {fields} --replace`."

"""Annotations: what one annotator marked in one document."""

from __future__ import annotations

import operator
from typing import Self

from pydantic import Field, model_validator

from fathom.records.documents import Claim, DocumentId, Evidence
from fathom.records.record import Record


class Finding(Record):
    """A document's finding on a question, such as a comparison of two treatments."""

    id: str = Field(min_length=1)
    """The same for all annotators of the question."""
    question: str = Field(min_length=1)
    """The question, such as "mortality: aspirin compared with placebo"."""
    options: tuple[str, ...] = Field(min_length=2)
    """The labels among which annotators chose."""
    label: str
    evidence: tuple[Evidence, ...] = ()

    @model_validator(mode="after")
    def _the_label_is_an_option(self) -> Self:
        if self.label not in self.options:
            raise ValueError(f"the label '{self.label}' is not among the options ({', '.join(self.options)})")
        return self


class Annotation(Record):
    """The claims and findings that one annotator marked in one document, and labels for the document as a whole."""

    document: DocumentId
    annotator: str = Field(min_length=1)
    """A name that several documents share: a person, "adjudicated", or the source of the labels."""
    claims: tuple[Claim, ...] = ()
    """All claims of the document, if `complete`."""
    findings: tuple[Finding, ...] = Field(default=(), exclude_if=operator.not_)
    labels: dict[str, str] = Field(default={}, exclude_if=operator.not_)
    """Labels of the whole document, such as {"evidence strength": "solid"}."""
    hidden: tuple[str, ...] = Field(default=(), exclude_if=operator.not_)
    """Sentences that state the labels and are not part of the document. No question may show them."""
    complete: bool = True
    """Whether the annotator looked for all claims of the document."""

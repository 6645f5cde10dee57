"""The settings of the family."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from fathom.records.documents import PositiveInt
from fathom.tasks.family import FamilySettings

ClaimsTask = Literal["claims", "evidence", "strength", "significance"]
TASKS: tuple[ClaimsTask, ...] = get_args(ClaimsTask)


class ClaimsSettings(FamilySettings):
    """Which tasks are asked about which documents, and how passages are compared."""

    annotations: Path | None = None
    """Annotations that the keys are made from, as written by `fathom annotations`; by default the claims that were
    planted in generated documents."""
    annotator: str = ""
    """Whose annotations are the key; by default "adjudicated", or the only annotator."""
    tasks: Annotated[tuple[ClaimsTask, ...], Field(min_length=1)] = TASKS
    """Tasks: all claims with their evidence; the evidence on a given question; the strength of the evidence and the
    significance of a whole article. Those without keys are left out."""
    items: PositiveInt = 100
    """Maximum number of contexts."""
    documents: PositiveInt = 1
    """Number of documents of each context; with more than one, only the task `claims` is asked."""
    no_abstract: bool = False
    """Leave out claims in the abstract."""
    early_evidence: bool = False
    """Also count evidence in the abstract and the introduction."""
    level: Literal["sentence", "character"] = "sentence"
    """Compare passages as sets of sentences or of characters."""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Minimum intersection over union of passages that match."""

"""Writes a research article or letter from its plan."""

from __future__ import annotations

from fathom.corpus.generated.letters import write_letter
from fathom.corpus.generated.manuscript import Manuscript
from fathom.corpus.generated.world import Plan
from fathom.records.documents import Document


def write_article(plan: Plan) -> Document:
    """The article of a plan; the same plan gives the same characters."""
    return write_letter(plan) if plan.length == "short" else Manuscript(plan).write()

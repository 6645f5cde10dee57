"""The features of the family's questions for a classifier that does not see the articles."""

from __future__ import annotations

from collections.abc import Iterable

from fathom.tasks.family import Item
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.programs import predictability
from fathom.tasks.programs.predictability import Sample


def samples(items: Iterable[Item]) -> list[Sample]:
    """The questions that may have no answer."""
    return predictability.samples(items, lambda item: (program_of(item.key), SCHEMA))

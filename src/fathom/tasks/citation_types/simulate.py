"""Answers questions as simulated models do: with the rule's type, the other one, or a guess."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import get_args

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.documents import CitationType
from fathom.scoring.answers import Text
from fathom.scoring.keys import Key
from fathom.tasks.family import ALL_SEEN, Item, Unseen

CITATION_TYPES: tuple[str, ...] = get_args(CitationType)


class Simulator:
    """Answers as simulated models."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] | None = None) -> None:
        self._corpus = corpus

    def text(
        self, context: Context, item: Item, simulated: SimulatedModel, rng: Random, unseen: Unseen = ALL_SEEN
    ) -> str:
        """The text of the response to one question."""
        del context
        return f"Answer: {_type(item, simulated, rng, bool(unseen))}"


def _type(item: Item, simulated: SimulatedModel, rng: Random, unseen: bool) -> str:
    """The citation type that the simulated model answers with."""
    correct = item.key.answer.value if isinstance(item.key.answer, Text) else CITATION_TYPES[0]
    match simulated.kind:
        case "oracle":
            return correct
        case "null":
            return "NULL"
        case "majority" | "lexical":
            return "descriptive"
        case "random":
            return rng.choice(CITATION_TYPES)
        case _:
            missed = simulated.happens("miss", rng) or unseen
            return (
                next(citation_type for citation_type in CITATION_TYPES if citation_type != correct)
                if missed
                else correct
            )

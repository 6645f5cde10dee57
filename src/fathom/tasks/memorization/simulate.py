"""Answers probes as simulated models do: the memorizer continues the document, the others use the shown text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from random import Random

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.names import WORD
from fathom.scoring.answers import Text
from fathom.scoring.keys import Key
from fathom.tasks.family import ALL_SEEN, Item, Unseen
from fathom.tasks.simulating import most_frequent

CONTINUED = 160
"""The length of the memorizer's continuation in characters."""


class Simulator:
    """Answers as simulated models."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] = tuple) -> None:
        """`keys` gives the keys of the whole bench; only `sim/majority` needs them, and reads them once."""
        self._corpus = corpus
        self._keys = keys

    def text(
        self, context: Context, item: Item, simulated: SimulatedModel, rng: Random, unseen: Unseen = ALL_SEEN
    ) -> str:
        """The text of the response to one question."""
        del unseen  # the question shows all that it needs
        match simulated.kind:
            case "oracle":
                return _name(item.key)
            case "null":
                return "NULL"
            case "majority":
                return self._most_frequent.get(item.question.tags.get("task", ""), "NULL")
            case "random":
                return rng.choice(self._words(context))
            case "memorizer" if not simulated.happens("forget", rng):
                return self._continuation(item)
            case _:
                # A model without the document memorized repeats the last words shown.
                return " ".join(self._words(context)[-12:])

    def _words(self, context: Context) -> list[str]:
        """The words of the shown text."""
        text = render(context, self._corpus).decode()
        return WORD.findall(context.places[0].span.of(text)) or ["NULL"]

    def _continuation(self, item: Item) -> str:
        """The document's continuation, or the hidden word of its title."""
        passage = item.key.proof.passages[0]
        text = self._corpus.document(passage.document).text
        if item.question.tags.get("task") == "title":
            return passage.span.of(text)
        return text[passage.span.start : passage.span.start + CONTINUED]

    @cached_property
    def _most_frequent(self) -> dict[str, str]:
        """The most frequent correct name for each kind of probe."""
        return most_frequent(
            ("title" if key.proof.rows[0][1] == "0" else "citation", _name(key)) for key in self._keys()
        )


def _name(key: Key) -> str:
    if not isinstance(key.answer, Text):
        raise FathomError(
            f"The key of question '{key.question_id}' is not a name. Run `fathom audit`, or build the bench again."
        )
    return key.answer.value

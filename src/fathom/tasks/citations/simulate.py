"""Answers items as simulated models do: with the key, a guess, the best match by shared words, or a reader's fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from random import Random

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.scoring.answers import Assignment, Choice, Selection
from fathom.scoring.keys import Key
from fathom.tasks.citations.lexical import MaskQuery, Queries, best_assignment, best_options, first_scores, match_scores
from fathom.tasks.citations.papers import MARK
from fathom.tasks.citations.shown_text import rendered_words
from fathom.tasks.citations.topics import FloatArray, topic_vectors
from fathom.tasks.citations.word_counts import CandidateWords
from fathom.tasks.family import ALL_SEEN, Item, Unseen
from fathom.tasks.simulating import most_frequent


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
        correct, of = options_of(item.key), len(context.places) - 1
        match simulated.kind:
            case "oracle":
                return stated(correct)
            case "memorizer" if not simulated.happens("forget", rng):
                return stated(options_of(item.key.model_copy(update={"answer": item.key.original or item.key.answer})))
            case "null":
                return "Answer: NULL"
            case "majority":
                return self._most_frequent.get(item.key.answer.type, "Answer: 1")
            case "random":
                return stated(tuple(rng.sample(range(1, of + 1), len(correct))))
            case "lexical":
                return stated(self.matched(context, item.key))
            case _:
                if simulated.happens("format", rng):
                    return "Several of the candidates could be meant here."
                missed = _missed(of, simulated, rng) | _unseen(context, unseen)
                if isinstance(item.key.answer, Selection):
                    return stated(_set_with_misses(correct, of, missed, rng))
                return stated(_with_misses(correct, of, missed, rng))

    def matched(self, context: Context, key: Key) -> tuple[int, ...]:
        """The candidates that match the words of the masks' sentences best; for a set, as many as the key has."""
        found = first_scores(*self._shown(context))
        masks = len({row[2] for row in key.proof.rows})
        if len(found) != masks:
            raise FathomError(
                f"Context '{context.id}' shows {len(found)} masks, but its key has {masks}. Build the bench again."
            )
        if masks == 1:
            return best_options(found[0], len(options_of(key)))
        return tuple(place + 1 for place in best_assignment(found))

    def scores(self, context: Context) -> FloatArray:
        """The scores of all matchers, by mask and candidate, for the text as it is shown."""
        return match_scores(*self._shown(context), topic_vectors(self._corpus))

    def _shown(self, context: Context) -> tuple[list[MaskQuery], list[CandidateWords]]:
        """The words around each mask, and those of each candidate."""
        text = render(context, self._corpus).decode()
        candidates = [rendered_words(place.span.of(text)) for place in context.places[1:]]
        shown = context.places[0]
        queries = Queries(self._corpus.document(shown.document), self._corpus.text(shown.document))
        hidden = [edit.span for edit in shown.edits]
        return [queries.of(edit.span, hidden) for edit in shown.edits if MARK in edit.text], candidates

    @cached_property
    def _most_frequent(self) -> dict[str, str]:
        """The most frequent correct response to each kind of question."""
        return most_frequent((key.answer.type, stated(options_of(key))) for key in self._keys())


def options_of(key: Key) -> tuple[int, ...]:
    """The correct candidates: one for each mask, or those of a set."""
    match key.answer:
        case Choice(option=option):
            return (option,)
        case Assignment(options=options) | Selection(options=options):
            return options
        case _:
            raise FathomError(
                f"The key of question '{key.question_id}' has no candidate. Run `fathom audit`, or build it again."
            )


def stated(options: tuple[int, ...]) -> str:
    """The answer in the form that the question asks for."""
    return f"Answer: {', '.join(map(str, options))}"


def _unseen(context: Context, unseen: Unseen) -> set[int]:
    """The candidates that were not shown; all of them if the citing sentence was not."""
    paper, *candidates = context.documents
    return {index for index, id in enumerate(candidates, start=1) if id in unseen or paper in unseen}


def _missed(of: int, simulated: SimulatedModel, rng: Random) -> set[int]:
    """The candidates that a reader misses."""
    miss = simulated.chance("miss")
    return {index for index in range(1, of + 1) if rng.random() < miss} if miss else set()


def _set_with_misses(correct: tuple[int, ...], of: int, missed: set[int], rng: Random) -> tuple[int, ...]:
    """A set without the missed candidates; a guess if nothing is left."""
    left = tuple(option for option in correct if option not in missed)
    return left or (rng.choice([index for index in range(1, of + 1) if index not in correct]),)


def _with_misses(correct: tuple[int, ...], of: int, missed: set[int], rng: Random) -> tuple[int, ...]:
    """The answer of a reader that missed some of `of` candidates: another one takes the place of a missed one."""
    if not missed & set(correct):
        return correct
    if len(correct) == 1:
        return (rng.choice([index for index in range(1, of + 1) if index != correct[0]]),)
    # The masks of missed works get one another's works in any order.
    places = [number for number, option in enumerate(correct) if option in missed]
    left = [correct[number] for number in places]
    rng.shuffle(left)
    chosen = list(correct)
    for number, option in zip(places, left, strict=True):
        chosen[number] = option
    return tuple(chosen)

"""Answers questions as simulated models do: from the key, with faults, or with a shortcut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from random import Random

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.documents import Document, Passage
from fathom.scoring.answers import LinkedSpan, LinkedSpans, Text
from fathom.scoring.keys import Key
from fathom.tasks.claims.answer_writing import written_claims, written_finding
from fathom.tasks.claims.baselines import SentenceWords, by_cue, overlapping, predict_claims
from fathom.tasks.claims.faults import FaultyReader
from fathom.tasks.claims.keys import LABEL, OPTION, ClaimsProgram
from fathom.tasks.claims.levels import SCALES, scale_of
from fathom.tasks.claims.wording import comparison_asked_about
from fathom.tasks.family import ALL_SEEN, Item, Unseen
from fathom.tasks.simulating import most_frequent


class Simulator:
    """Answers as simulated models."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] = tuple) -> None:
        """`keys` gives the keys of the whole bench; only the most frequent answer needs them."""
        self._document = lru_cache(maxsize=8)(corpus.document)
        self._keys = keys

    def text(
        self, context: Context, item: Item, simulated: SimulatedModel, rng: Random, unseen: Unseen = ALL_SEEN
    ) -> str:
        """The text of the response to one question."""
        answer = item.key.answer
        if isinstance(answer, Text):
            return f"Answer: {self._level(item.key, answer.value, simulated, rng)}"
        assert isinstance(answer, LinkedSpans)
        documents = [self._document(id) for id in context.documents]
        if ClaimsProgram.parse(item.key).task == "evidence":
            return self._finding(item, answer, documents[0], simulated, rng, bool(unseen))
        return self._claims(answer, documents, simulated, rng, unseen)

    def _quote(self, passage: Passage) -> str:
        return passage.span.of(self._document(passage.document).text)

    def _claims(
        self, answer: LinkedSpans, documents: Sequence[Document], simulated: SimulatedModel, rng: Random, unseen: Unseen
    ) -> str:
        visible = [span for span in answer.spans if span.passage.document not in unseen]
        match simulated.kind:
            case "oracle":
                return written_claims(answer.spans, self._quote)
            case "null" | "majority":
                return written_claims((), self._quote)
            case "random":
                return written_claims(self._random_claims(documents, len(answer.spans), rng), self._quote)
            case "lexical":
                visible_documents = [document for document in documents if document.id not in unseen]
                claims = [
                    claim
                    for document in visible_documents
                    for claim in predict_claims(document, by_cue(document), overlapping)
                ]
                return written_claims(claims, self._quote)
            case _:
                return FaultyReader(simulated, rng, self._document).claims(visible)

    def _random_claims(self, documents: Sequence[Document], count: int, rng: Random) -> list[LinkedSpan]:
        """As many sentences as there are claims, each with another sentence as its evidence."""
        sentences = [(document, span) for document in documents for span in document.sentences]
        chosen = rng.sample(sentences, min(count, len(sentences)))
        return [
            predict_claims(document, [span], lambda document: lambda claim: [rng.choice(document.sentences)])[0]
            for document, span in chosen
        ]

    def _finding(
        self, item: Item, answer: LinkedSpans, document: Document, simulated: SimulatedModel, rng: Random, unseen: bool
    ) -> str:
        label = answer.spans[0].attributes[LABEL]
        options = [row[1] for row in item.key.proof.rows if row[0] == OPTION]
        passages = [answer.spans[0].passage]
        match simulated.kind:
            case "oracle":
                pass
            case "null" | "majority":
                label, passages = self._frequent(item.key, label), []
            case "random":
                label, span = rng.choice(options), rng.choice(document.sentences)
                passages = [Passage(document=document.id, span=span)]
            case "lexical":
                label = self._frequent(item.key, label)
                spans = SentenceWords(document).most_similar(comparison_asked_about(item.question.text), 1)
                passages = [Passage(document=document.id, span=span) for span in spans]
            case _ if unseen:
                label, passages = self._frequent(item.key, label), []
            case _:
                return FaultyReader(simulated, rng, self._document).finding(label, options, passages)
        return written_finding(label, passages, self._quote)

    def _level(self, key: Key, level: str, simulated: SimulatedModel, rng: Random) -> str:
        scale = scale_of(level)
        levels = SCALES[scale[0]].levels if scale else (level,)
        match simulated.kind:
            case "oracle":
                return level
            case "null":
                return "NULL"
            case "majority" | "lexical":
                return self._frequent(key, level)
            case "random":
                return rng.choice(levels)
            case _:
                return FaultyReader(simulated, rng, self._document).level(level, levels)

    def _frequent(self, key: Key, default: str) -> str:
        """The most frequent label of the task in the bench."""
        return self._most_frequent.get(ClaimsProgram.parse(key).task, default)

    @cached_property
    def _most_frequent(self) -> dict[str, str]:
        return most_frequent(
            (ClaimsProgram.parse(key).task, key.answer.value if isinstance(key.answer, Text) else label)
            for key in self._keys()
            for label in [_label(key)]
        )


def _label(key: Key) -> str:
    return key.answer.spans[0].attributes.get(LABEL, "") if isinstance(key.answer, LinkedSpans) else ""

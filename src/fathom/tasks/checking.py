"""Gives verdicts on responses, using the check of each question's family."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import cached_property

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, ContextId
from fathom.records.errors import file_errors
from fathom.records.files import RecordFile, StoredMapping
from fathom.records.judgments import Judgment, Reasoning
from fathom.records.questions import Question, QuestionId, Response
from fathom.scoring.keys import Key
from fathom.scoring.reasoning import reasoning_state, select_reasoning
from fathom.scoring.recall import recall_measures
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import GRADED, Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import KEYS
from fathom.tasks.catalog import family
from fathom.tasks.family import Family, Item

_KEY_ID = re.compile(rb'\{"question_id": ?"([^"\\]+)"')
"""The beginning of a key's line."""


def stored_keys(bench: Bench, questions: Container[QuestionId] | None = None) -> StoredMapping[QuestionId, Key]:
    """The keys of these questions of a bench, by default of all; each is read when it is used."""
    path = bench.folder / KEYS
    next(bench.all_keys(), None)  # raises an error if the file was changed after the build
    positions: dict[QuestionId, int] = {}
    position = 0
    with file_errors("read", path), path.open("rb") as file:
        for line in file:
            match = _KEY_ID.match(line)
            id = match[1].decode() if match else RecordFile(path, Key).at(position).question_id
            if questions is None or id in questions:
                positions[id] = position
            position += len(line)
    return StoredMapping(path, Key, positions)


class ShownContexts:
    """The contexts of a bench as they were shown; the last one is kept."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._last: tuple[ContextId, ShownContext] | None = None

    @cached_property
    def _contexts(self) -> dict[ContextId, Context]:
        return {context.id: context for context in self._bench.contexts()}

    def __call__(self, question: Question) -> ShownContext | None:
        """The context of a question; None if the check of its family does not need it."""
        if not family(question.family).check_reads_context:
            return None
        if self._last is None or self._last[0] != question.context_id:
            with self._bench.open_corpus() as corpus:
                self._last = question.context_id, shown_context(self._contexts[question.context_id], corpus)
        return self._last[1]


def shown_context(context: Context, corpus: Corpus) -> ShownContext:
    """A context as it is shown."""
    documents = {id: corpus.document(id) for id in context.documents}
    return ShownContext(render(context, corpus).decode(), context.places, documents)


def verdict(
    owner: Family,
    key: Key,
    response: Response,
    judgments: Sequence[Judgment] = (),
    shown: ShownContext | None = None,
    reasoning: Reasoning = "visible",
) -> Verdict:
    """The verdict of a family's check. A response is correct if its score reaches the family's `correct_score`.

    If the response retrieved passages, the recall of the needed passages is among the measures.
    """
    result = owner.check(key, select_reasoning(response, reasoning), shown, judgments)
    if owner.checks_reasoning and response.outcome in ("answered", "truncated"):
        result = result.model_copy(update={"reasoning": reasoning_state(response, reasoning)})
    if measures := recall_measures(key, response):
        result = result.model_copy(update={"measures": result.measures | measures})
    # An unjudged response may still get its measures from a judge.
    if result.outcome not in (*GRADED, "unjudged") and (empty := owner.empty_measures(key)):
        result = result.model_copy(update={"measures": {**empty, **result.measures}})
    if owner.correct_score == 1.0 or result.outcome not in GRADED:
        return result
    outcome = "correct" if result.score >= owner.correct_score else "incorrect"
    return result.model_copy(update={"outcome": outcome})


def check(item: Item, response: Response, shown: ShownContexts | None = None) -> Verdict:
    """The verdict on a response to an item; `shown` has the contexts of its bench."""
    shown_context = None if shown is None else shown(item.question)
    return verdict(family(item.question.family), item.key, response, shown=shown_context)


class Checker:
    """Gives the verdicts on responses to some questions of a bench."""

    def __init__(
        self,
        bench: Bench,
        questions: Iterable[Question] | None = None,
        judgments: Iterable[Judgment] = (),
        reasoning: Reasoning = "visible",
    ) -> None:
        """`questions` are those to check, by default all; `judgments` are those on the responses.

        Judgments on other reasoning than `reasoning` are left out.
        """
        chosen = bench.all_questions() if questions is None else questions
        self._questions = {question.id: question for question in chosen}
        self._shown = ShownContexts(bench)
        self.keys = stored_keys(bench, self._questions)
        self._judgments: dict[tuple[QuestionId, int], list[Judgment]] = {}
        self.reasoning = reasoning
        for judgment in judgments:
            if judgment.reasoning == reasoning:
                self._judgments.setdefault((judgment.question_id, judgment.sample), []).append(judgment)

    def __call__(self, key: Key, response: Response) -> Verdict:
        judgments = self._judgments.get((response.question_id, response.sample), ())
        question = self._questions[key.question_id]
        return verdict(family(question.family), key, response, judgments, self._shown(question), self.reasoning)

    def verdict(self, response: Response) -> Verdict:
        return self(self.keys[response.question_id], response)


class ResponseChecker:
    """Checks responses while a run is in progress."""

    def __init__(self, bench: Bench) -> None:
        self._keys = stored_keys(bench)
        self._shown = ShownContexts(bench)

    def __call__(self, question: Question, response: Response) -> tuple[bool, str] | None:
        """Whether a response is correct, and the reason; None if a judge must decide."""
        checked = verdict(family(question.family), self._keys[question.id], response, shown=self._shown(question))
        return (
            None if checked.outcome == "unjudged" else (checked.outcome == "correct", checked.reason or checked.outcome)
        )

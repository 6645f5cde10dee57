"""Verdicts on responses, by the check of each question's family."""

from __future__ import annotations

from collections.abc import Iterable

from fathom.records.questions import Question, QuestionId, Response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Item


def check(item: Item, response: Response) -> Verdict:
    """The verdict on a response to an item."""
    return family(item.question.family).check(item.key, response)


class Checker:
    """Gives the verdicts on responses to some questions of a bench."""

    def __init__(self, bench: Bench, questions: Iterable[Question] | None = None) -> None:
        """`questions` limits the checker to some questions of the bench."""
        self._families = {question.id: question.family for question in questions or bench.all_questions()}
        self.keys: dict[QuestionId, Key] = {
            key.question_id: key for key in bench.all_keys() if key.question_id in self._families
        }

    def __call__(self, key: Key, response: Response) -> Verdict:
        return family(self._families[key.question_id]).check(key, response)

    def verdict(self, response: Response) -> Verdict:
        return self(self.keys[response.question_id], response)

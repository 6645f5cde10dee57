"""Verdicts on responses, by the check of each question's family."""

from __future__ import annotations

from collections.abc import Iterable

from fathom.records.judgments import Judgment
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

    def __init__(
        self, bench: Bench, questions: Iterable[Question] | None = None, judgments: Iterable[Judgment] = ()
    ) -> None:
        """`questions` limits the checker to some questions of the bench; `judgments` are those on the responses."""
        self._families = {question.id: question.family for question in questions or bench.all_questions()}
        self.keys: dict[QuestionId, Key] = {
            key.question_id: key for key in bench.all_keys() if key.question_id in self._families
        }

        self._judgments: dict[tuple[QuestionId, int], list[Judgment]] = {}
        for one in judgments:
            self._judgments.setdefault((one.question_id, one.sample), []).append(one)

    def __call__(self, key: Key, response: Response) -> Verdict:
        judgments = self._judgments.get((response.question_id, response.sample), ())
        return family(self._families[key.question_id]).check(key, response, judgments=judgments)

    def verdict(self, response: Response) -> Verdict:
        return self(self.keys[response.question_id], response)

"""Gives verdicts on responses, using the check of each question's family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fathom.records.judgments import Judgment
from fathom.records.questions import Question, QuestionId, Response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import GRADED, Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Family, Item


def verdict(owner: Family, key: Key, response: Response, judgments: Sequence[Judgment] = ()) -> Verdict:
    """The verdict of a family's check; correct from the family's `correct_score` on, which may be less than 1."""
    found = owner.check(key, response, judgments=judgments)
    if owner.correct_score == 1.0 or found.outcome not in GRADED:
        return found
    outcome = "correct" if found.score >= owner.correct_score else "incorrect"
    return found.model_copy(update={"outcome": outcome})


def check(item: Item, response: Response) -> Verdict:
    """The verdict on a response to an item."""
    return verdict(family(item.question.family), item.key, response)


class Checker:
    """Gives the verdicts on responses to some questions of a bench."""

    def __init__(
        self, bench: Bench, questions: Iterable[Question] | None = None, judgments: Iterable[Judgment] = ()
    ) -> None:
        """`questions` are those to check, by default all; `judgments` are those on the responses."""
        chosen = bench.all_questions() if questions is None else questions
        self._families = {question.id: question.family for question in chosen}
        self.keys: dict[QuestionId, Key] = {
            key.question_id: key for key in bench.all_keys() if key.question_id in self._families
        }
        self._judgments: dict[tuple[QuestionId, int], list[Judgment]] = {}
        for one in judgments:
            self._judgments.setdefault((one.question_id, one.sample), []).append(one)

    def __call__(self, key: Key, response: Response) -> Verdict:
        judgments = self._judgments.get((response.question_id, response.sample), ())
        return verdict(family(self._families[key.question_id]), key, response, judgments)

    def verdict(self, response: Response) -> Verdict:
        return self(self.keys[response.question_id], response)

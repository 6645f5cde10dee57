"""Scoring a file of replies against a bench's keys: every question counts, whether or not it was answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from fathom.records.articles import Count
from fathom.records.errors import FathomError
from fathom.records.questions import Question, QuestionId, Reply
from fathom.records.record import Record
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict

Check = Callable[[Key, Reply], Verdict]


class Score(Record):
    """How one group of questions fared. The share right is over all of them, answered or not."""

    questions: Count
    right: Count = 0
    wrong: Count = 0
    unreadable: Count = 0
    refused: Count = 0
    overflow: Count = 0
    failed: Count = 0
    unanswered: Count = 0
    """Questions for which there is no reply at all."""
    credit: float = 0.0
    """The sum of scores, partial credit included."""

    @property
    def share_right(self) -> float:
        return self.right / self.questions if self.questions else 0.0

    @property
    def mean_credit(self) -> float:
        return self.credit / self.questions if self.questions else 0.0


def judge_all(keys: Mapping[QuestionId, Key], replies: Iterable[Reply], check: Check) -> Iterator[Verdict]:
    """A verdict for each reply; one to a question that the bench does not ask is an error."""
    seen: set[tuple[QuestionId, int]] = set()
    for reply in replies:
        if reply.question_id not in keys:
            raise FathomError(
                f"There is a reply to question '{reply.question_id}', which the bench does not ask. "
                "Give the bench that the answers belong to."
            )
        if (reply.question_id, reply.sample) in seen:
            raise FathomError(
                f"Question '{reply.question_id}' is answered twice (sample {reply.sample}). Number samples or drop one."
            )
        seen.add((reply.question_id, reply.sample))
        yield check(keys[reply.question_id], reply)


def tally(questions: Iterable[Question], verdicts: Iterable[Verdict], by: str | None = None) -> dict[str, Score]:
    """Scores of the first sample of each question, in all or by a tag, in order of the tag's values."""
    judged = {verdict.question_id: verdict for verdict in verdicts if verdict.sample == 0}
    groups: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for question in questions:
        known = {"family": question.family, "split": question.split, **question.tags}
        group = groups[known.get(by, "") if by else "all"]
        group["questions"] += 1
        verdict = judged.get(question.id)
        group[verdict.outcome if verdict else "unanswered"] += 1
        group["credit"] += verdict.score if verdict else 0.0
    return {name: Score.model_validate(dict(groups[name])) for name in sorted(groups)}

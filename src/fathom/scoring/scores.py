"""Scoring a file of responses against a bench's keys: every question counts, whether or not it was answered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import comb

from fathom.records.documents import Count
from fathom.records.errors import FathomError
from fathom.records.questions import Question, QuestionId, Response
from fathom.records.record import Record
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict

Check = Callable[[Key, Response], Verdict]


class Score(Record):
    """How one group of questions fared. The share right is over all of them, answered or not."""

    questions: Count
    correct: Count = 0
    incorrect: Count = 0
    unparseable: Count = 0
    refused: Count = 0
    overflow: Count = 0
    error: Count = 0
    unjudged: Count = 0
    unanswered: Count = 0
    """Questions for which there is no response at all."""
    total_score: float = 0.0
    """The sum of scores, partial credit included."""

    @property
    def accuracy(self) -> float:
        return self.correct / self.questions if self.questions else 0.0

    @property
    def partial_credit(self) -> float:
        return self.total_score / self.questions if self.questions else 0.0


def score_responses(keys: Mapping[QuestionId, Key], responses: Iterable[Response], check: Check) -> Iterator[Verdict]:
    """A verdict for each response; one to a question that the bench does not ask is an error."""
    seen: set[tuple[QuestionId, int]] = set()
    for response in responses:
        if response.question_id not in keys:
            raise FathomError(
                f"There is a response to question '{response.question_id}', which the bench does not ask. "
                "Give the bench that the answers belong to."
            )
        if (response.question_id, response.sample) in seen:
            raise FathomError(
                f"Question '{response.question_id}' is answered twice (sample {response.sample}). Number "
                f"samples or drop one."
            )
        seen.add((response.question_id, response.sample))
        yield check(keys[response.question_id], response)


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
        group["total_score"] += verdict.score if verdict else 0.0
    return {name: Score.model_validate(dict(groups[name])) for name in sorted(groups)}


class Sampled(Record):
    """What several responses to each question are worth together; all shares are over all questions."""

    most: Count
    """Samples of the question that has the most."""
    mean: float
    """The share right, averaged over samples."""
    pass_at: dict[int, float]
    """For one, two, ... draws: the share of questions of which at least one draw is right, without bias."""
    majority: float
    """The share of questions whose most frequent answer is right; of equally frequent ones the first counts."""


def sampled(keys: Collection[QuestionId], verdicts: Iterable[Verdict]) -> Sampled:
    """The samples of each question taken together; a missing or failed one is not right."""
    by_question: dict[QuestionId, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_question[verdict.question_id].append(verdict)
    most = max(map(len, by_question.values()), default=0)
    right = [sum(verdict.outcome == "correct" for verdict in group) for group in by_question.values()]
    total = max(1, len(keys))
    return Sampled(
        most=most,
        mean=sum(right) / (total * max(1, most)),
        pass_at={k: sum(passes(most, count, k) for count in right) / total for k in range(1, most + 1)},
        majority=sum(_majority_is_right(group) for group in by_question.values()) / total,
    )


def passes(samples: int, right: int, draws: int) -> float:
    """The chance that at least one of so many draws without replacement is right."""
    return 1.0 - comb(samples - right, draws) / comb(samples, draws)


def _majority_is_right(group: list[Verdict]) -> bool:
    votes = Counter(_vote(verdict) for verdict in sorted(group, key=lambda verdict: verdict.sample))
    winner = votes.most_common(1)[0][0]
    return any(verdict.outcome == "correct" for verdict in group if _vote(verdict) == winner)


def _vote(verdict: Verdict) -> str:
    """All right answers are one answer, however they were written."""
    if verdict.outcome == "correct":
        return "correct"
    return verdict.outcome if verdict.parsed is None else verdict.parsed.model_dump_json()


class Changes(Record):
    """How verdicts differ from those of an earlier scoring."""

    compared: Count
    changed: dict[str, Count]
    """By what became of what: "wrong to right" 3."""
    examples: tuple[QuestionId, ...]


def changes(earlier: Iterable[Verdict], verdicts: Iterable[Verdict]) -> Changes:
    """What was judged both times, and otherwise the second time."""
    before = {(verdict.question_id, verdict.sample): verdict.outcome for verdict in earlier}
    compared = 0
    changed: Counter[str] = Counter()
    examples: list[QuestionId] = []
    for verdict in verdicts:
        known = before.get((verdict.question_id, verdict.sample))
        if known is None:
            continue
        compared += 1
        if known != verdict.outcome:
            changed[f"{known} to {verdict.outcome}"] += 1
            examples.append(verdict.question_id)
    return Changes(compared=compared, changed=dict(sorted(changed.items())), examples=tuple(examples[:3]))

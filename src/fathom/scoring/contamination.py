"""How much of a run was known by heart: what probes brought back, and what was recited against the text shown."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fathom.records.documents import Count
from fathom.records.questions import Question, QuestionId, Response
from fathom.records.record import Record
from fathom.scoring.intervals import Difference, Outcome, Rate, Trend, clustered, difference, rate, trend
from fathom.scoring.keys import Key
from fathom.scoring.scores import Check

PROBES = "memorization"
"""The family whose questions are probes."""


@dataclass(frozen=True)
class Asked:
    """One question of a run with its key, what came back, and the family's check."""

    question: Question
    key: Key
    response: Response | None
    """None where nothing came back yet."""
    check: Check

    @property
    def is_right(self) -> bool:
        return self._judged(self.key)

    @property
    def is_recited(self) -> bool:
        """Whether it is answered as the documents before the swap would have it."""
        return self._judged(self.key.model_copy(update={"answer": self.key.original}))

    @property
    def is_answered(self) -> bool:
        return self.response is not None and self.response.outcome in ("answered", "truncated")

    def _judged(self, key: Key) -> bool:
        return self.response is not None and self.check(key, self.response).outcome == "correct"


class Probed(Record):
    """What the probes of one task brought back."""

    all: Rate
    unanswered: Count
    """Probes that were refused, failed or not asked; they count as misses."""
    by_year: dict[str, Rate]
    """By the year of the document; without those whose year is not known."""
    trend: Trend | None


class Swapped(Record):
    """What a run made of a bench whose names and numbers were swapped."""

    questions: Count
    changed: Count
    """Those whose answer is another one than before; the figures below are over these alone."""
    unanswered: Count
    attributable: Rate
    """Answered as the text that is shown has it: context-attributable accuracy."""
    recited: Rate
    """Answered as the documents had it before."""
    before: Rate | None = None
    """The same questions over the documents as they were, where a run on those was given."""
    drop: Difference | None = None
    """How much of that was lost with the swap."""


class Contamination(Record):
    """All that one run tells of what was known by heart."""

    probes: dict[str, Probed] = {}
    """By task."""
    swapped: Swapped | None = None


def contamination(asked: Iterable[Asked], before: Iterable[Asked] = ()) -> Contamination:
    """The figures of one run; `before` is what the same model made of the bench before the swap."""
    tasks: dict[str, list[Asked]] = defaultdict(list)
    swapped: list[Asked] = []
    for one in asked:
        if one.question.family == PROBES:
            tasks[one.question.tags.get("task", "")].append(one)
        elif one.key.original is not None:
            swapped.append(one)
    return Contamination(
        probes={task: _probed(group) for task, group in sorted(tasks.items())},
        swapped=_swapped(swapped, {one.question.id: one for one in before}) if swapped else None,
    )


def _probed(group: list[Asked]) -> Probed:
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for one in group:
        year = one.question.tags.get("year", "")
        tries[year] += 1
        hits[year] += one.is_right
    known = sorted(year for year in tries if year)
    return Probed(
        all=rate(hits.total(), tries.total()),
        unanswered=sum(not one.is_answered for one in group),
        by_year={year: rate(hits[year], tries[year]) for year in known},
        trend=trend({int(year): (hits[year], tries[year]) for year in known}),
    )


def _swapped(group: list[Asked], before: Mapping[QuestionId, Asked]) -> Swapped:
    changed = [one for one in group if one.question.tags.get("changed") == "yes"]
    pairs = [(one, before[one.key.swapped_from or ""]) for one in changed if one.key.swapped_from in before]
    now = clustered(_outcome(one, one.is_right) for one, _ in pairs)
    then = clustered(_outcome(one, earlier.is_right) for one, earlier in pairs)
    return Swapped(
        questions=len(group),
        changed=len(changed),
        unanswered=sum(not one.is_answered for one in changed),
        attributable=clustered(_outcome(one, one.is_right) for one in changed),
        recited=clustered(_outcome(one, one.is_recited) for one in changed),
        before=then if pairs else None,
        drop=difference(then, now) if pairs else None,
    )


def _outcome(one: Asked, hit: bool) -> Outcome:
    return Outcome(one.question.context_id, hit)


def matched(
    asked: Iterable[tuple[Question, Key]], responses: Iterable[Response], checks: Mapping[str, Check]
) -> Iterator[Asked]:
    """Each question with its first response, if there is one, and the check of its family."""
    first = {response.question_id: response for response in responses if response.sample == 0}
    for question, key in asked:
        yield Asked(question, key, first.get(question.id), checks[question.family])

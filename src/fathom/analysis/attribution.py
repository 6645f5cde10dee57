"""Why answers are wrong: which slip gives the very answer that was given, weighed by what the run does elsewhere.

Several slips may lead to one wrong answer: dropping a filter and missing a document can both count one too many. So how
often each slip strikes is estimated from the whole run (by expectation and maximization), and every wrong answer is
shared out among its suspects by that. A stranger who gives any answer at all is always one of them; where the stranger
is the likeliest, the cause is unclear.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fathom.analysis.findings import Attribution, Cause, Estimate, Suspect
from fathom.analysis.intervals import Sums, share_of_sums
from fathom.records.questions import QuestionId
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answer_types.values import is_textual
from fathom.scoring.answers import Answer
from fathom.tasks.family import Diagnosis, Fault, FaultyAnswer

ROUNDS = 200
"""Of estimation; it stands still long before."""
STILL = 1e-7
ALIKE = 0.05
"""Two suspects whose weights differ by less are tied."""
CROWD = 0.6
"""Below this weight the likeliest is not named: it must be likelier than all the others together, and then some."""

UNNAMED = "no single slip of the question's program gives this answer"
GUESSED = "a guess is as likely as any slip"
CROWDED = "several slips fit about as well"
NO_TELLER = "the family cannot tell causes"

STRANGER = {"number": 0.03, "none": 0.3, "choice": 0.25, "assignment": 0.04, "text": 0.01}
"""The chance that somebody who goes wrong in no known way gives just this answer: numbers are few, NULL is at hand."""
STRANGER_OF_LISTS = 0.003

DOUBT = 20.0
"""Imagined questions in which each cause strikes as often as all do on average: a few strikes, or none, in a short run
say little of one cause against another."""

FEWEST_EXPOSED = 5.0
"""Answers that a cause would have changed had it always struck, below which nothing is said of how often it does."""


@dataclass(frozen=True)
class Fitting:
    """One wrong answer with the slips that give it."""

    question: QuestionId
    sample: int
    answer_type: str
    likely: dict[str, float]
    """For each cause that fits, the chance of this answer where it strikes."""
    details: dict[str, str]


class Matching:
    """One question's slips; an answer that several runs give is looked up once."""

    def __init__(self, wanted: Answer, diagnosis: Diagnosis) -> None:
        self._wanted = wanted
        self._diagnosis = diagnosis
        self._known: dict[str, list[FaultyAnswer]] = {}
        self._guided = is_textual(wanted)

    @cached_property
    def exposed(self) -> dict[str, float]:
        """For each cause the chance that it changes the answer where it strikes."""
        seen: dict[str, float] = defaultdict(float)
        for one in self._diagnosis.suspects:
            seen[one.cause] += one.chance
        return dict(seen)

    @cached_property
    def _further(self) -> list[FaultyAnswer]:
        return list(self._diagnosis.further())

    def fitting(self, question: QuestionId, sample: int, read: Answer | None, text: str) -> Fitting:
        """The slips that give the answer that was read; those of two at once only where no single one does."""
        likely: dict[str, float] = defaultdict(float)
        details: dict[str, list[str]] = defaultdict(list)
        for one in self._found(read, text):
            likely[one.cause] += one.chance
            details[one.cause].append(one.detail)
        kind = read.type if read is not None and read.type == "none" else self._wanted.type
        shown = {cause: _listed(some) for cause, some in details.items()}
        return Fitting(question, sample, kind, dict(likely), shown)

    def _found(self, read: Answer | None, text: str) -> list[FaultyAnswer]:
        name = text if read is None or self._wanted.type == "none" or self._guided else read.model_dump_json()
        if name not in self._known:
            self._known[name] = self._search(read, text)
        return self._known[name]

    def _search(self, read: Answer | None, text: str) -> list[FaultyAnswer]:
        found = [one for one in self._diagnosis.suspects if _gives(one, self._wanted, read, text)]
        if not found and text and self._guided:
            # Lists of words are cut with the key's own items as a guide; the broken program's may cut elsewhere.
            found = [one for one in self._diagnosis.suspects if _says(one, text)]
        if not found and self._diagnosis.suspects:
            found = [one for one in self._further if _gives(one, self._wanted, read, text)]
        return found


def _gives(one: FaultyAnswer, wanted: Answer, read: Answer | None, text: str) -> bool:
    """Whether the slip's answer is the one that was given."""
    if read is None:
        return False
    if wanted.type == "none" and read.type != "none":
        # The response was read without knowing what it might list; the slip's answer says how to read it.
        return one.answer.type != "none" and _says(one, text)
    return agrees(one.answer, read)


def _says(one: FaultyAnswer, text: str) -> bool:
    """Whether the response would be right if the slip's answer were the key."""
    read = parse_response(text, one.answer)
    return read is not None and agrees(one.answer, read)


def _listed(details: Sequence[str]) -> str:
    return "; ".join(details[:3]) + (f"; {len(details) - 3} more" if len(details) > 3 else "")


@dataclass
class Attributing:
    """The wrong answers of one run, collected until how often each cause strikes can be told."""

    kinds: Mapping[str, Fault]
    exposed: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """For each cause, how many answers it would have changed had it always struck."""
    could: Counter[str] = field(default_factory=Counter)
    readable: int = 0
    wrong: list[Fitting] = field(default_factory=list)
    contexts: list[int] = field(default_factory=list)
    """Of the wrong answers."""
    by_context: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    """`exposed`, context by context."""

    def expose(self, exposed: Mapping[str, float], context: int) -> None:
        """Count one answer, right or wrong, that causes could have changed, each with its chance to."""
        self.readable += 1
        for cause, chance in exposed.items():
            self.exposed[cause] += chance
            self.by_context[cause][context] += chance
            self.could[cause] += 1

    def add(self, one: Fitting, context: int) -> None:
        self.wrong.append(one)
        self.contexts.append(context)

    def settle(self) -> Settled:
        """Every wrong answer with its suspects, and the causes over the whole run."""
        rates, stranger = self._rates()
        settled = [_weighed(one, rates, stranger) for one in self.wrong]
        return Settled(settled, self._attribution(settled))

    def _rates(self) -> tuple[dict[str, float], float]:
        """How often each cause strikes where it could, and how often something else does."""
        causes = sorted(self.exposed)
        if not causes or not self.wrong:
            return dict.fromkeys(causes, 0.0), 0.0
        places = {cause: place for place, cause in enumerate(causes)}
        chances = np.zeros((len(self.wrong), len(causes) + 1))
        for row, one in enumerate(self.wrong):
            chances[row, -1] = _stranger(one)
            for cause, chance in one.likely.items():
                chances[row, places[cause]] = chance
        exposed = np.array([*(self.exposed[cause] for cause in causes), float(self.readable)])
        rates = np.full(len(causes) + 1, 0.1)
        for _ in range(ROUNDS):
            shares = chances * rates
            shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
            struck = shares.sum(axis=0)
            usual = struck[:-1].sum() / exposed[:-1].sum()
            updated = np.minimum((struck + DOUBT * usual) / (exposed + DOUBT), 1.0)
            if np.abs(updated - rates).max() < STILL:
                break
            rates = updated
        return dict(zip(causes, rates[:-1].tolist(), strict=True)), float(rates[-1])

    def _attribution(self, settled: Sequence[Weighed]) -> Attribution:
        why = Counter(one.unclear for one in settled if one.unclear)
        named = [one for one in settled if not one.unclear]
        return Attribution(
            wrong=len(settled),
            explained=len(named),
            tied=sum(is_tied(one.suspects) for one in settled),
            unclear=why.total(),
            unclear_why=dict(why.most_common()),
            causes=tuple(self._causes(settled)),
        )

    def _causes(self, settled: Sequence[Weighed]) -> Iterable[Cause]:
        first: dict[str, list[Weighed]] = defaultdict(list)
        struck: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for one, context in zip(settled, self.contexts, strict=True):
            for suspect in one.suspects:
                struck[suspect.cause][context] += suspect.weight
            if not one.unclear:
                first[one.suspects[0].cause].append(one)
        expected = {cause: sum(some.values()) for cause, some in struck.items()}
        for cause in sorted(expected, key=lambda cause: (-len(first[cause]), -expected[cause])):
            mine = first[cause]
            rivals = Counter(other.cause for one in mine for other in one.suspects[1:])
            kind = self.kinds[cause]
            yield Cause(
                name=cause,
                what=kind.description,
                count=len(mine),
                certain=sum(len(one.suspects) == 1 for one in mine),
                expected=expected[cause],
                could_strike=self.could[cause],
                rate=_rate(struck[cause], self.by_context[cause]),
                operation=kind.operation,
                rivals=dict(rivals.most_common()),
                examples=tuple(one.fitting.question for one in mine[:3]),
            )


def _rate(struck: Mapping[int, float], exposed: Mapping[int, float]) -> Estimate | None:
    """How often a cause strikes where it could, without the pull to the average that weighs suspects: with that, a
    slip that never struck in a short run was given out as one that strikes now and then."""
    if sum(exposed.values()) < FEWEST_EXPOSED:
        return None
    contexts = sorted(exposed)
    # What a slip explains may come to more than it could have changed: its chance of giving the answer is a guess.
    totals = np.array([struck.get(context, 0.0) for context in contexts])
    counts = np.array([exposed[context] for context in contexts])
    return share_of_sums(Sums(np.minimum(totals, totals * counts.sum() / max(totals.sum(), 1e-300)), counts), False)


@dataclass(frozen=True)
class Weighed:
    """One wrong answer with its suspects, the likeliest first."""

    fitting: Fitting
    suspects: tuple[Suspect, ...]
    unclear: str = ""


@dataclass(frozen=True)
class Settled:
    """What became of a run's wrong answers."""

    answers: list[Weighed]
    attribution: Attribution


def is_tied(suspects: Sequence[Suspect]) -> bool:
    """Whether the two likeliest are as good as equally likely."""
    return len(suspects) > 1 and suspects[0].weight - suspects[1].weight < ALIKE


def _stranger(one: Fitting) -> float:
    return STRANGER.get(one.answer_type, STRANGER_OF_LISTS)


def _weighed(one: Fitting, rates: Mapping[str, float], stranger: float) -> Weighed:
    if not one.likely:
        return Weighed(one, (), UNNAMED)
    weights = {cause: rates[cause] * chance for cause, chance in one.likely.items()}
    unknown = stranger * _stranger(one)
    whole = sum(weights.values()) + unknown
    suspects = tuple(
        Suspect.model_construct(cause=cause, detail=one.details[cause], weight=min(1.0, weight / whole))
        for cause, weight in sorted(weights.items(), key=lambda pair: -pair[1])
    )
    if unknown / whole > 0.5:
        return Weighed(one, suspects, GUESSED)
    if suspects[0].weight < CROWD:
        return Weighed(one, suspects, CROWDED)
    return Weighed(one, suspects)

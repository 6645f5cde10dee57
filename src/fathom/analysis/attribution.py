"""Attribution of incorrect answers to causes: which fault produces the answer that was given, and how likely is it.

Several faults may produce the same incorrect answer: dropping a filter and missing a document can both give a count
that is one too high. So the rate of each fault is estimated from the whole run with the EM algorithm, and each
incorrect answer gets a posterior over its candidate causes. A background cause, which produces any answer with a small
probability, is always a candidate; if it is the most likely one, the cause is unclear.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan, nan

import numpy as np

from fathom.analysis.findings import Attribution, CandidateCause, Cause, Estimate
from fathom.analysis.intervals import ContextSums, share_of_sums
from fathom.records.questions import QuestionId
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answer_types.values import is_textual
from fathom.scoring.answers import Answer
from fathom.tasks.family import Diagnosis, Fault, FaultyAnswer

MAX_EXAMPLES = 3
"""Questions that are named for each cause."""
MAX_ROUNDS = 200
"""Maximum rounds of the EM algorithm, which converges long before."""
TOLERANCE = 1e-7
TIE = 0.05
"""Two candidates whose probabilities differ by less are tied."""
MIN_PROBABILITY = 0.6
"""Minimum posterior probability at which a cause is named."""

NO_MATCH = "no single fault in the question's program gives this answer"
BACKGROUND_LIKELIER = "a guess is as likely as any fault"
AMBIGUOUS = "several faults explain the answer about equally well"
NO_DIAGNOSER = "the family has no diagnoser"

BACKGROUND = {"number": 0.03, "none": 0.3, "choice": 0.25, "assignment": 0.04, "selection": 0.1, "text": 0.01}
"""Probability that an incorrect answer without a known cause is this very answer, by answer type."""
BACKGROUND_OF_LISTS = 0.003

PRIOR_QUESTIONS = 20.0
"""Pseudo-count: each cause starts with this many questions at the average rate, since a short run says little about one
cause against another."""

MIN_EXPOSED = 5.0
"""No rate is given for a cause that could have changed fewer answers than this."""


@dataclass(frozen=True, slots=True)
class CauseMatch:
    """One incorrect answer with the faults that produce it."""

    question: QuestionId
    sample: int
    answer_type: str
    likelihood: dict[str, float]
    """For each matching cause, the probability of this answer if the cause occurs."""
    details: dict[str, str]


class CauseMatcher:
    """Matches incorrect answers to one question with the faults that produce them; repeated answers are cached."""

    def __init__(self, expected: Answer, diagnosis: Diagnosis) -> None:
        self._expected = expected
        self._diagnosis = diagnosis
        self._known: dict[str, tuple[dict[str, float], dict[str, str]]] = {}
        """For each answer, the likelihoods and details of its match: runs with the same answer share them."""
        self._is_textual = is_textual(expected)

    @cached_property
    def exposure(self) -> dict[str, float]:
        """For each cause, the probability that it changes the answer if it occurs."""
        sums: dict[str, float] = defaultdict(float)
        for suspect in self._diagnosis.suspects:
            sums[suspect.cause] += suspect.chance
        return dict(sums)

    @cached_property
    def _further(self) -> list[FaultyAnswer]:
        return list(self._diagnosis.further())

    def match(self, question: QuestionId, sample: int, parsed: Answer | None, text: str) -> CauseMatch:
        """The faults that produce the parsed answer; combined faults only if no single one does."""
        by_text = parsed is None or self._expected.type == "none" or self._is_textual
        name = text if parsed is None or by_text else parsed.model_dump_json()
        if name not in self._known:
            self._known[name] = _sum_by_cause(self._search(parsed, text))
        kind = parsed.type if parsed is not None and parsed.type == "none" else self._expected.type
        return CauseMatch(question, sample, kind, *self._known[name])

    def _search(self, parsed: Answer | None, text: str) -> list[FaultyAnswer]:
        matches = [suspect for suspect in self._diagnosis.suspects if _produces(suspect, self._expected, parsed, text)]
        if not matches and text and self._is_textual:
            # Lists of names are split with the key's items as a guide; those of a fault's answer may split differently.
            matches = [suspect for suspect in self._diagnosis.suspects if _parses_as(suspect, text)]
        if not matches and self._diagnosis.suspects:
            matches = [answer for answer in self._further if _produces(answer, self._expected, parsed, text)]
        return matches


def _sum_by_cause(answers: Sequence[FaultyAnswer]) -> tuple[dict[str, float], dict[str, str]]:
    """The likelihood and the details of each cause."""
    likelihood: dict[str, float] = defaultdict(float)
    details: dict[str, list[str]] = defaultdict(list)
    for answer in answers:
        likelihood[answer.cause] += answer.chance
        details[answer.cause].append(answer.detail)
    return dict(likelihood), {cause: _shorten(descriptions) for cause, descriptions in details.items()}


def _produces(answer: FaultyAnswer, expected: Answer, parsed: Answer | None, text: str) -> bool:
    """Whether the fault's answer is the one that was given."""
    if parsed is None:
        return False
    if expected.type == "none" and parsed.type != "none":
        # The response was parsed without an expected type; the fault's answer supplies one.
        return answer.answer.type != "none" and _parses_as(answer, text)
    return agrees(answer.answer, parsed)


def _parses_as(answer: FaultyAnswer, text: str) -> bool:
    """Whether the response would be correct if the fault's answer were the key."""
    parsed = parse_response(text, answer.answer)
    return parsed is not None and agrees(answer.answer, parsed)


def _shorten(details: Sequence[str]) -> str:
    return "; ".join(details[:3]) + (f"; {len(details) - 3} more" if len(details) > 3 else "")


@dataclass
class _CauseCounts:
    """Counts of explained answers, taken one at a time: all candidates of a run would take much memory."""

    first: Counter[str] = field(default_factory=Counter)
    """Answers by their most likely cause, if it is clear."""
    unambiguous: Counter[str] = field(default_factory=Counter)
    alternatives: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    examples: dict[str, list[QuestionId]] = field(default_factory=lambda: defaultdict(list))
    by_context: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    """For each cause, the expected number of answers in each context."""
    unclear: Counter[str] = field(default_factory=Counter)
    """Other answers, by reason."""
    tied: int = 0

    def add(self, explained: ExplainedAnswer, context: int) -> None:
        self.tied += is_tied(explained.candidates)
        for candidate in explained.candidates:
            self.by_context[candidate.cause][context] += candidate.probability
        if explained.unclear:
            self.unclear[explained.unclear] += 1
            return
        cause = explained.candidates[0].cause
        self.first[cause] += 1
        self.unambiguous[cause] += len(explained.candidates) == 1
        self.alternatives[cause].update(other.cause for other in explained.candidates[1:])
        if len(self.examples[cause]) < MAX_EXAMPLES:
            self.examples[cause].append(explained.match.question)


@dataclass
class CauseEstimator:
    """The incorrect answers of one run, collected to estimate the rate of each cause."""

    faults: Mapping[str, Fault]
    exposure: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """For each cause, how many answers it would have changed had it always occurred."""
    exposed_questions: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    """Answers that were parsed, correct or not."""
    incorrect: list[CauseMatch] = field(default_factory=list)
    contexts: list[int] = field(default_factory=list)
    """The contexts of the incorrect answers."""
    exposure_by_context: dict[str, array[float]] = field(default_factory=lambda: defaultdict(lambda: array("d")))
    """For each cause, the exposure in each context; NaN in a context without any."""

    def add_exposure(self, exposure: Mapping[str, float], context: int) -> None:
        """Count one answer, correct or not, that causes could have changed, each with its probability."""
        self.answers += 1
        for cause, chance in exposure.items():
            self.exposure[cause] += chance
            column = self.exposure_by_context[cause]
            column.extend([nan] * (context + 1 - len(column)))
            column[context] = chance if isnan(column[context]) else column[context] + chance
            self.exposed_questions[cause] += 1

    def add_incorrect(self, match: CauseMatch, context: int) -> None:
        self.incorrect.append(match)
        self.contexts.append(context)

    def estimate(self) -> AttributionResult:
        """Every incorrect answer with its candidate causes, and the causes over the whole run."""
        rates, background = self._rates()
        causes = _CauseCounts()
        for match, context in zip(self.incorrect, self.contexts, strict=True):
            causes.add(_explain(match, rates, background), context)
        return AttributionResult(self.incorrect, rates, background, self._attribution(causes))

    def _rates(self) -> tuple[dict[str, float], float]:
        """The rate of each cause, and of the background cause, by EM."""
        causes = sorted(self.exposure)
        if not causes or not self.incorrect:
            return dict.fromkeys(causes, 0.0), 0.0
        columns = {cause: index for index, cause in enumerate(causes)}
        likelihood = np.zeros((len(self.incorrect), len(causes) + 1))
        for row, match in enumerate(self.incorrect):
            likelihood[row, -1] = _background(match)
            for cause, chance in match.likelihood.items():
                likelihood[row, columns[cause]] = chance
        exposure = np.array([*(self.exposure[cause] for cause in causes), float(self.answers)])
        rates = np.full(len(causes) + 1, 0.1)
        for _ in range(MAX_ROUNDS):
            posterior = likelihood * rates
            posterior /= np.maximum(posterior.sum(axis=1, keepdims=True), 1e-300)
            expected = posterior.sum(axis=0)
            average = expected[:-1].sum() / exposure[:-1].sum()
            updated = np.minimum((expected + PRIOR_QUESTIONS * average) / (exposure + PRIOR_QUESTIONS), 1.0)
            if np.abs(updated - rates).max() < TOLERANCE:
                break
            rates = updated
        return dict(zip(causes, rates[:-1].tolist(), strict=True)), float(rates[-1])

    def _attribution(self, counts: _CauseCounts) -> Attribution:
        return Attribution(
            incorrect=len(self.incorrect),
            explained=counts.first.total(),
            tied=counts.tied,
            unclear=counts.unclear.total(),
            unclear_reasons=dict(counts.unclear.most_common()),
            causes=tuple(self._causes(counts)),
        )

    def _causes(self, counts: _CauseCounts) -> Iterable[Cause]:
        expected = {cause: sum(counts_by_context.values()) for cause, counts_by_context in counts.by_context.items()}
        for cause in sorted(expected, key=lambda cause: (-counts.first[cause], -expected[cause])):
            fault = self.faults[cause]
            yield Cause(
                name=cause,
                description=fault.description,
                count=counts.first[cause],
                unambiguous=counts.unambiguous[cause],
                expected_count=expected[cause],
                exposed_questions=self.exposed_questions[cause],
                rate=_rate(counts.by_context[cause], self.exposure_by_context[cause]),
                operation=fault.operation,
                alternatives=dict(counts.alternatives[cause].most_common()),
                examples=tuple(counts.examples[cause]),
            )


def _rate(expected: Mapping[int, float], exposure: Sequence[float]) -> Estimate | None:
    """The occurrence rate of a cause, without the prior of the posterior: with it, a fault that never occurred in a
    short run had a rate above zero."""
    exposures = np.array(exposure)
    contexts = np.flatnonzero(~np.isnan(exposures))
    if sum(exposures[contexts].tolist()) < MIN_EXPOSED:
        return None
    # The expected count may exceed the exposure, since a fault's chance of producing an answer is itself an estimate.
    totals = np.array([expected.get(context, 0.0) for context in contexts.tolist()])
    counts = exposures[contexts]
    return share_of_sums(
        ContextSums(np.minimum(totals, totals * counts.sum() / max(totals.sum(), 1e-300)), counts), False
    )


@dataclass(frozen=True)
class ExplainedAnswer:
    """One incorrect answer with its candidate causes, the most likely first."""

    match: CauseMatch
    candidates: tuple[CandidateCause, ...]
    unclear: str = ""


@dataclass(frozen=True)
class AttributionResult:
    """The attribution of a run's incorrect answers, one by one and in total."""

    matches: Sequence[CauseMatch]
    rates: Mapping[str, float]
    background: float
    """The rate of the background cause."""
    attribution: Attribution

    def explain(self, number: int) -> ExplainedAnswer:
        """One of the incorrect answers with its candidate causes."""
        return _explain(self.matches[number], self.rates, self.background)

    def answers(self) -> Iterator[ExplainedAnswer]:
        """Every incorrect answer with its candidate causes."""
        return map(self.explain, range(len(self.matches)))


_CANDIDATE_FIELDS = set(CandidateCause.model_fields)
"""Shared by all candidates, as one set for each takes much memory."""


def is_tied(candidates: Sequence[CandidateCause]) -> bool:
    """Whether the two most likely causes have about the same probability."""
    return len(candidates) > 1 and candidates[0].probability - candidates[1].probability < TIE


def _background(match: CauseMatch) -> float:
    return BACKGROUND.get(match.answer_type, BACKGROUND_OF_LISTS)


def _explain(match: CauseMatch, rates: Mapping[str, float], background_rate: float) -> ExplainedAnswer:
    if not match.likelihood:
        return ExplainedAnswer(match, (), NO_MATCH)
    weights = {cause: rates[cause] * chance for cause, chance in match.likelihood.items()}
    background = background_rate * _background(match)
    total = sum(weights.values()) + background
    candidates = tuple(
        CandidateCause.model_construct(
            _CANDIDATE_FIELDS, cause=cause, detail=match.details[cause], probability=min(1.0, weight / total)
        )
        for cause, weight in sorted(weights.items(), key=lambda pair: -pair[1])
    )
    if background / total > 0.5:
        return ExplainedAnswer(match, candidates, BACKGROUND_LIKELIER)
    if candidates[0].probability < MIN_PROBABILITY:
        return ExplainedAnswer(match, candidates, AMBIGUOUS)
    return ExplainedAnswer(match, candidates)

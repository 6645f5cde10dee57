"""The findings of an analysis, as records: everything that a page or a terminal shows about runs."""

from __future__ import annotations

import operator
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.verdicts import OUTCOMES, Outcome, Share

ResponseOutcome = Outcome | Literal["unanswered"]
"""A verdict's outcome, or `unanswered` if the run has no response to the question yet."""
RESPONSE_OUTCOMES: tuple[ResponseOutcome, ...] = (*OUTCOMES, "unanswered")


class Estimate(Record):
    """A value with its confidence interval."""

    value: float
    low: float
    high: float
    level: Share = 0.95
    items: NonNegativeInt
    """Number of questions."""
    clusters: NonNegativeInt
    """Number of contexts: the sampling unit."""
    effective: float
    """Effective sample size: the number of independent questions that would give an interval of this width."""
    method: str
    """How the interval was computed: "clustered Wilson", "t over contexts", ..."""


class StageCounts(Record):
    """Number of questions at each stage from build to run."""

    built: NonNegativeInt | None
    """None for a group of questions if the bench was fitted or the run asked only a part: the group is then unknown."""
    fitted: NonNegativeInt
    """Questions in the bench, whether or not the run asks them; for a group, the questions that the run asks."""
    errors: NonNegativeInt
    """Responses that failed. They are retried on resume and are neither correct nor incorrect."""
    dropped: NonNegativeInt
    """Questions that fitting dropped, because no smaller context supports them."""
    retired: NonNegativeInt = 0
    """Questions withdrawn since the bench was built."""
    asked: NonNegativeInt = 0
    """Questions that the run asks; 0 for a bench by itself."""
    not_asked: NonNegativeInt = 0
    """Questions of the bench that the run does not ask."""


class Outcomes(Record):
    """Responses by outcome; they add up to `responses`."""

    questions: NonNegativeInt
    responses: NonNegativeInt
    """Questions times samples: the denominator of every share."""
    correct: NonNegativeInt = 0
    incorrect: NonNegativeInt = 0
    unparseable: NonNegativeInt = 0
    refused: NonNegativeInt = 0
    """Refused by the model."""
    overflow: NonNegativeInt = 0
    """The prompt did not fit the model's window; nothing was sent."""
    error: NonNegativeInt = 0
    unjudged: NonNegativeInt = 0
    unanswered: NonNegativeInt = 0
    partial_credit: float = 0.0
    """Sum of scores, partial credit included."""

    @model_validator(mode="after")
    def _outcomes_add_up(self) -> Self:
        if sum(getattr(self, outcome) for outcome in RESPONSE_OUTCOMES) != self.responses:
            raise ValueError("the outcomes do not add up to the number of responses")
        return self

    @property
    def pending(self) -> int:
        """Responses without a usable answer so far: errors, overflows, and questions not asked yet."""
        return self.error + self.overflow + self.unanswered

    @property
    def received(self) -> int:
        """Responses that arrived."""
        return self.responses - self.pending


class Group(Record):
    """Scores of one group of questions."""

    name: str
    counts: StageCounts
    outcomes: Outcomes
    accuracy: Estimate
    """Share of all responses that are correct, missing ones included in the denominator."""
    max_accuracy: Share
    """Accuracy if every failed and unanswered response turned out correct."""
    partial_credit: Estimate
    """Mean score, partial credit included."""
    measures: dict[str, Estimate] = Field(default={}, exclude_if=operator.not_)
    """Mean of each named measure of the verdicts (precision, span recall, ...), over the questions that have it; of a
    share that is a ratio of counts the ratio of the sums."""


class MeasureSummary(Record):
    """A ratio of counts that a family declares, over the questions of a run."""

    name: str
    is_share: bool
    less_is_better: bool
    micro: Estimate
    """The ratio of the sums over all questions; a question without an answer counts as one that found nothing."""
    macro: Estimate
    """The mean of the questions' ratios, over the questions whose denominator is not zero."""
    numerator: float
    denominator: float


class Spread(Record):
    """The distribution of some numbers."""

    count: NonNegativeInt
    mean: float
    variance: float
    """The sample variance; 0 for a single number."""
    min: float
    p25: float
    median: float
    p75: float
    max: float
    whisker_low: float
    """The smallest number within 1.5 interquartile ranges of the quartiles."""
    whisker_high: float


class DistributionSummary(Record):
    """The distribution of numbers, such as distances; a response may have any number of them."""

    name: str
    unit: str
    of_run: Spread | None
    """None if no response has one."""
    reference: Spread | None
    """The same numbers in the keys of the questions with a response that could be read."""
    reference_label: str


class Breakdown(Record):
    """Scores by one property of the questions."""

    by: str
    """A tag of the questions, or a generic property: family, length, answer type, documents, position, ..."""
    title: str
    overlapping: bool = False
    """Whether a question may be in several groups (operators)."""
    groups: tuple[Group, ...]
    macro_average: Estimate
    """Unweighted mean over groups."""


class HeatMapCell(Record):
    """One cell of a heat map; cells without questions are left out."""

    row: str
    column: str
    accuracy: Estimate


class HeatMap(Record):
    """Accuracy by two properties."""

    rows: str
    columns: str
    cells: tuple[HeatMapCell, ...]


class LengthPoint(Record):
    """Accuracy at one context length."""

    name: str
    """The length in words: 64K."""
    tokens: PositiveInt
    """The requested length."""
    outcomes: Outcomes
    accuracy: Estimate


class EffectiveLength(Record):
    """The longest context length at which a run keeps a given share of its accuracy at the shortest."""

    threshold: Share = 0.85
    shortest: str
    accuracy_at_shortest: Share
    length: str | None
    """None if accuracy at the shortest length is zero, or the run is not better than a baseline."""
    tokens: NonNegativeInt
    low: NonNegativeInt | None
    """Interval in tokens, from a bootstrap over contexts; None with fewer than five contexts per length."""
    high: NonNegativeInt | None
    reaches_longest: bool
    """Whether the longest length is within the threshold: then the true effective length may be greater."""
    note: str


class LengthCurve(Record):
    """Accuracy by context length."""

    points: tuple[LengthPoint, ...]
    effective: EffectiveLength | None
    """None if there is one length only, or if no family is asked at every length."""
    families: tuple[str, ...]
    """Families in the curve: those asked at every length, or all if there is none."""
    note: str = ""
    """Families that are left out."""


class Samples(Record):
    """Results of sampling several responses to each question."""

    samples: PositiveInt
    mean_accuracy: Share
    pass_at: dict[int, Estimate]
    majority_accuracy: Share
    """Share of questions whose most frequent answer is correct."""
    standard_deviation: float
    """Standard deviation of accuracy between sampling rounds."""
    agreement: Share
    """Share of pairs of samples of a question with the same verdict."""


class Correlate(Record):
    """How one property of the questions correlates with success."""

    name: str
    description: str
    items: NonNegativeInt
    mean: float
    correlation: float
    low: float
    high: float
    p: Share
    """Clustered by context."""
    p_holm: Share
    """The p-value after Holm's correction over the properties of the run."""
    odds_ratio: float | None
    """For one standard deviation more, other properties fixed; None if no model was fitted."""
    odds_low: float | None
    odds_high: float | None
    odds_p: float | None
    """The p-value after Holm's correction over the properties in the model."""


class LogisticFit(Record):
    """The logistic regression of success on all properties."""

    items: NonNegativeInt
    clusters: NonNegativeInt
    converged: bool
    pseudo_r2: float
    """McFadden's pseudo-R²: 0 explains nothing, 1 everything."""
    excluded: dict[str, str]
    """Properties that are not in the model, with the reason."""


class Correlates(Record):
    """Correlates of failure: properties of questions that correlate with success or failure."""

    rows: tuple[Correlate, ...]
    fit: LogisticFit | None
    excluded: dict[str, str]
    """Properties without an estimate, with the reason."""
    note: str = ""
    """Why there is no logistic model, if there is none."""


class Pattern(Record):
    """One error pattern, determined from the answer and the key alone."""

    name: str
    description: str
    count: NonNegativeInt
    share: Estimate
    """Share of all responses."""
    share_of_errors: Share
    """Share of the responses that came back and are not correct."""
    by_answer_type: dict[str, NonNegativeInt]
    examples: tuple[QuestionId, ...]


class CandidateCause(Record):
    """One possible cause of an incorrect answer."""

    cause: str
    detail: str
    probability: Share
    """Posterior probability, given the answer and the rest of the run."""


class Cause(Record):
    """One cause over a whole run."""

    name: str
    description: str
    count: NonNegativeInt
    """Incorrect answers whose most likely cause it is."""
    unambiguous: NonNegativeInt
    """The answers that no other cause explains."""
    expected_count: float
    """Incorrect answers, weighted by the cause's probability."""
    exposed_questions: NonNegativeInt
    """Questions whose answer it would change."""
    rate: Estimate | None
    """Occurrence rate: `expected_count` over the answers it would have changed had it always occurred. None if it
    could have changed fewer than five."""
    operation: str
    """Where the answer is lost: finding, reading or computing."""
    alternatives: dict[str, NonNegativeInt]
    """Other candidate causes of the same answers, with their counts."""
    examples: tuple[QuestionId, ...]


class Attribution(Record):
    """Likely causes of incorrect answers, found by the families' diagnosers."""

    incorrect: NonNegativeInt
    """Incorrect answers that were examined."""
    explained: NonNegativeInt
    tied: NonNegativeInt
    """Incorrect answers whose two most likely causes are equally likely; they count as unclear."""
    unclear: NonNegativeInt
    unclear_reasons: dict[str, NonNegativeInt]
    causes: tuple[Cause, ...]


class LossStage(Record):
    """Accuracy lost at one stage."""

    name: str
    """finding, reading or computing; two joined if the system between them was not run."""
    description: str
    lost: Estimate
    """Share of all questions lost at this stage."""
    rate: Estimate | None
    """Share lost of the questions that get this far: those correct but for this stage and the ones before it. None if
    no question does."""


class LossDecomposition(Record):
    """Where a model loses accuracy: the same questions with the full text, the needed passages and the tables."""

    model: str
    bench: str
    runs: dict[str, str]
    """The run of each system: full, passages, tables."""
    items: NonNegativeInt
    accuracy: dict[str, Estimate]
    """Accuracy with each system, over the shared questions."""
    stages: tuple[LossStage, ...]
    paths: dict[str, NonNegativeInt]
    """Questions by their outcomes: "full incorrect, passages correct, tables correct"."""
    notes: tuple[str, ...] = ()


class RecallAt(Record):
    """Recall of what the questions need in the first `k` passages that were retrieved."""

    k: PositiveInt
    spans: Estimate
    """Mean share of the needed spans that lie completely in those passages."""
    documents: Estimate
    """Mean share of the needed documents with at least one of those passages."""


class Retrieval(Record):
    """The recall of the passages that the questions of a run need."""

    responses: NonNegativeInt
    """Responses with a retrieval, to questions that need something."""
    passages: float
    """Retrieved passages per response."""
    too_few: NonNegativeInt
    """Responses for which fewer passages were retrieved than documents are needed (marked with a dagger)."""
    at: tuple[RecallAt, ...]
    """By number of passages, in the order in which they were retrieved; the last is over all of them."""


class FailureStage(Record):
    """Failures of a system of several steps that have one kind of reason."""

    name: str
    description: str
    count: NonNegativeInt
    share: Estimate
    """The share of all responses of the run."""
    share_of_failures: Share
    examples: tuple[QuestionId, ...]


CostKind = Literal["price", "tokens", "seconds"]
"""The cost of a question: US dollars, tokens, or seconds of all calls."""


class Cost(Record):
    """Tokens, time and price of a run."""

    responses: NonNegativeInt
    """Responses that came back."""
    input_tokens: NonNegativeInt
    cached_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    seconds: float
    """Sum over all calls."""
    price: float | None
    """US dollars for the responses that were kept."""
    spent: float | None
    """US dollars for every call, failed ones included."""
    tokens_per_question: float
    seconds_per_question: float
    price_per_question: float | None
    price_per_correct: float | None
    pareto_optimal: tuple[CostKind, ...] = ()
    """The costs (price, tokens, seconds) for which no other run on the same questions is at least as cheap and as
    accurate, and better in one of the two. Without price where it is not known."""


class StepSummary(Record):
    """How many traces reach the n-th intermediate value."""

    step: PositiveInt
    expected: NonNegativeInt
    reached: NonNegativeInt
    first_missing: NonNegativeInt
    """Questions for which this is the first missing step."""


class ReasoningSteps(Record):
    """How far the reasoning in responses gets."""

    traces: NonNegativeInt
    """Responses that contain reasoning."""
    values: NonNegativeInt
    reached: NonNegativeInt
    in_order: NonNegativeInt
    """Traces that reach their values in the order of the steps."""
    complete_but_incorrect: NonNegativeInt
    """Traces that reach every step and still give an incorrect answer."""
    none_but_correct: NonNegativeInt
    """Traces that reach no step and give the correct answer."""
    by_step: tuple[StepSummary, ...]


class Baseline(Record):
    """Accuracy of a baseline that does not read the context, or of a control."""

    name: str
    description: str
    kind: Literal["baseline", "control"]
    bench: str
    run: str | None
    """The run it comes from; None if it is computed from the keys."""
    accuracy: Estimate


class ClosedBookTest(Record):
    """Whether a model without the context is more accurate than a baseline, which suggests contamination."""

    model: str
    bench: str
    run: str
    closed_book: Estimate
    baseline: str
    above_baseline: Estimate
    p: Share | None
    """None if too few questions were answered."""
    p_holm: Share | None
    """The p-value after Holm's correction over the closed-book runs of the bench."""
    conclusion: str


class Comparison(Record):
    """A pairwise comparison of two runs on the same questions."""

    first: str
    second: str
    within: str
    """Which questions: "all", or a group such as "skill = sorting"."""
    items: NonNegativeInt
    clusters: NonNegativeInt
    only_first: NonNegativeInt
    """Correct in the first run only."""
    only_second: NonNegativeInt
    both: NonNegativeInt
    neither: NonNegativeInt
    discordant: NonNegativeInt
    """Questions with different scores."""
    missing_first: NonNegativeInt
    """Responses of the first run that failed or are not asked yet. They count as not correct."""
    missing_second: NonNegativeInt
    first_accuracy: Share
    second_accuracy: Share
    difference: Estimate
    """Second minus first."""
    min_difference: float
    """The difference if all missing responses of the first run were correct."""
    max_difference: float
    """The difference if all missing responses of the second run were correct."""
    p: Share
    """From a permutation test that exchanges the two runs context by context."""
    p_holm: Share
    """The p-value after Holm's correction over all comparisons of the same kind."""
    p_benjamini_hochberg: Share
    significant: bool
    """Whether the runs differ at the interval's level after Holm's correction, for any outcome of missing responses."""
    more_questions: NonNegativeInt | None
    """Further questions needed to detect a difference of the observed size with 80% power; 0 if only missing responses
    prevent significance, None if there is no estimate."""
    more_contexts: NonNegativeInt | None
    note: str

    @property
    def is_unconfirmed(self) -> bool:
        """Whether the interval excludes zero, but the test has too few contexts, or too many pairs, to confirm it."""
        return (
            not self.significant and self.more_questions != 0 and not self.difference.low <= 0 <= self.difference.high
        )


class SettingComparison(Record):
    """A paired comparison of two settings: one run on questions that differ in one tag alone."""

    run: str
    tag: str
    comparison: Comparison
    """Its two sides are values of the tag, such as "scope=full"; its clusters are question papers."""


class RepeatedRuns(Record):
    """Runs of one model and system on one bench that differ only in their seed, averaged."""

    model: str
    system: str
    prompting: str
    bench: str
    runs: tuple[str, ...]
    accuracy: Estimate
    """Mean over the runs, question by question."""
    standard_deviation: float
    """Standard deviation of accuracy between runs."""


class RunInfo(Record):
    """Name and settings of a run."""

    name: str
    """The folder's name, with as many parent folders as needed to make it unique."""
    folder: str
    bench: str
    """The bench's fingerprint."""
    model: str
    system: str
    prompting: str
    settings: dict[str, JsonValue]
    is_complete: bool
    """Whether no response is missing or failed."""


class RunSummary(Record):
    """All findings about one run."""

    info: RunInfo
    overall: Group
    breakdowns: tuple[Breakdown, ...]
    heat_maps: tuple[HeatMap, ...]
    lengths: LengthCurve
    samples: Samples | None
    """None if each question was asked once."""
    correlates: Correlates
    patterns: tuple[Pattern, ...]
    attribution: Attribution | None
    """None if no family of the bench can diagnose causes."""
    steps: ReasoningSteps | None
    retrieval: Retrieval | None
    """None if the system retrieves nothing."""
    failure_stages: tuple[FailureStage, ...]
    """Why the responses of a system of several steps failed, each with one reason; empty for a single call."""
    cost: Cost
    accuracy_over_documents: Estimate | None
    """Overall accuracy with an interval for other documents as well as other contexts; None if no two contexts share a
    document, or if the two sources of variance cannot be separated."""
    not_asked: NonNegativeInt
    """Questions of the bench that the run does not ask."""
    measures: tuple[MeasureSummary, ...] = ()
    distributions: tuple[DistributionSummary, ...] = ()
    seconds: Spread | None = None
    """Seconds of all calls of a response, over the responses; without waiting for rate limits."""
    length_ranges: tuple[Group, ...] = ()
    """Scores by ranges of the context's length, where a family or the user chose some."""


class BenchInfo(Record):
    """Name and size of a bench."""

    fingerprint: str
    folder: str
    name: str
    """The folder's name, with as many parent folders as needed to make it unique."""
    families: tuple[str, ...]
    questions: NonNegativeInt
    contexts: NonNegativeInt
    documents: NonNegativeInt
    """Distinct documents over all contexts."""
    counts: StageCounts
    shared_documents: Share
    """Share of documents in more than one context: contexts that share documents are not independent."""
    linked_contexts: Share
    """Share of contexts in the largest group that is connected by shared documents."""
    leaks: dict[str, JsonValue]
    licenses: dict[str, NonNegativeInt]
    baselines: tuple[str, ...] = ()
    """The shortcut baselines of the families, as measured when the bench was built, one per line."""


class Findings(Record):
    """All findings about a set of runs."""

    format: int = 7
    fathom: str
    seed: int
    resamples: NonNegativeInt
    level: Share = 0.95
    benches: tuple[BenchInfo, ...]
    runs: tuple[RunSummary, ...]
    comparisons: tuple[Comparison, ...]
    """Every pair of runs on one bench, over all shared questions, then within groups."""
    setting_comparisons: tuple[SettingComparison, ...]
    """For each run on a bench with the same items in several settings: every two values of each varied tag, over all
    pairs, then within groups."""
    repeated_runs: tuple[RepeatedRuns, ...]
    loss_decompositions: tuple[LossDecomposition, ...]
    baselines: tuple[Baseline, ...]
    closed_book: tuple[ClosedBookTest, ...]
    notes: tuple[str, ...]
    """Caveats, in sentences."""


class StepResult(Record):
    """Whether a trace reaches one intermediate value."""

    name: str
    value: str
    at: NonNegativeInt | None
    """Character offset in the reasoning; None if the value is not reached."""


class ItemFinding(Record):
    """Findings about one response."""

    question_id: QuestionId
    run: str
    sample: NonNegativeInt = 0
    outcome: ResponseOutcome
    score: Share
    patterns: tuple[str, ...] = ()
    candidates: tuple[CandidateCause, ...] = ()
    """Possible causes, the most likely first."""
    unclear: str = ""
    """Why no cause is named for an incorrect answer."""
    stage: str = ""
    """Where a system of several steps failed, such as "retrieval miss"; empty for others, and for correct responses."""
    too_few_chunks: bool = False
    """Whether fewer passages were retrieved than documents are needed."""
    steps: tuple[StepResult, ...] = ()

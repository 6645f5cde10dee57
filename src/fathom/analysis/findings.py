"""What many verdicts show, as records: everything a page or a terminal says of runs stands here."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from fathom.records.documents import Count, Position
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.verdicts import OUTCOMES as VERDICT_OUTCOMES
from fathom.scoring.verdicts import Outcome

Share = Annotated[float, Field(ge=0, le=1)]
ResponseOutcome = Outcome | Literal["unanswered"]
"""A verdict's outcome, or `unanswered` when the run has no response to the question yet."""
OUTCOMES: tuple[ResponseOutcome, ...] = (*VERDICT_OUTCOMES, "unanswered")


class Estimate(Record):
    """A figure with its interval."""

    value: float
    low: float
    high: float
    level: Share = 0.95
    items: Count
    """Questions it rests on."""
    clusters: Count
    """Contexts it rests on: what was drawn together counts once."""
    effective: float
    """As many questions as independent ones would say as much; fewer than `items` where a context's hang together."""
    method: str
    """How the interval was made: "t over contexts", "clustered Wilson", ..."""


class Counts(Record):
    """The five counts that stand beside every score."""

    built: Count | None
    """None for a part where questions are lacking, refused by fitting or not asked: what they were is not known."""
    fitted: Count
    """Questions of the bench as it stands, whether or not a run was to ask them; of a part, those that it was."""
    errors: Count
    """Responses that did not come back; they wait to be asked again and are neither right nor wrong."""
    refused: Count
    """Questions that no smaller context could carry, and that the bench therefore lacks."""
    retired: Count = 0
    """Questions withdrawn since the bench was built."""
    asked: Count = 0
    """Questions that the run was to ask; none for a bench by itself."""
    not_asked: Count = 0
    """Questions of the bench that it was not to ask."""


class Outcomes(Record):
    """What became of every response that was wanted; the kinds add up to `responses`."""

    questions: Count
    responses: Count
    """Questions times samples: the denominator of every share."""
    correct: Count = 0
    incorrect: Count = 0
    unparseable: Count = 0
    refused: Count = 0
    """By the model."""
    overflow: Count = 0
    """Did not fit the model's window; nothing was sent."""
    error: Count = 0
    unjudged: Count = 0
    unanswered: Count = 0
    partial_credit: float = 0.0
    """The sum of scores, partial credit included."""

    @model_validator(mode="after")
    def _none_is_lost(self) -> Self:
        if sum(getattr(self, kind) for kind in OUTCOMES) != self.responses:
            raise ValueError("its kinds do not add up to the responses wanted")
        return self

    @property
    def waiting(self) -> int:
        """Responses that may still come: failed, overflown, or not asked yet."""
        return self.error + self.overflow + self.unanswered


class Group(Record):
    """How one group of questions fared."""

    name: str
    counts: Counts
    outcomes: Outcomes
    accuracy: Estimate
    """The share right of all responses wanted."""
    at_most: Share
    """The same if every failed and unanswered response turned out right."""
    credit: Estimate
    """The mean score, partial credit included."""


class Breakdown(Record):
    """Scores by one property of the questions."""

    by: str
    """skill, topic, length, answer, documents, position, dispersion, ... or any tag."""
    what: str
    """The property in words, for a heading."""
    overlapping: bool = False
    """Whether a question may stand in several groups (operators)."""
    groups: tuple[Group, ...]
    macro: Estimate
    """The mean over groups, each counting the same."""


class Cell(Record):
    """One field of a heat map; empty where nothing was asked."""

    row: str
    column: str
    accuracy: Estimate


class HeatMap(Record):
    """The share right by two properties."""

    rows: str
    columns: str
    cells: tuple[Cell, ...]


class LengthPoint(Record):
    """One length of a curve."""

    name: str
    """64K."""
    tokens: Position
    """The length asked for."""
    outcomes: Outcomes
    accuracy: Estimate


class EffectiveLength(Record):
    """The longest length at which a run keeps a share of its score at the shortest."""

    kept: Share = 0.85
    shortest: str
    at_shortest: Share
    length: str | None
    """None where not even the second length keeps it, or the shortest score is zero."""
    tokens: Count
    low: Count | None
    """The interval in tokens, from contexts drawn anew; None below five contexts a length."""
    high: Count | None
    reaches_the_end: bool
    """Whether the longest length still keeps it: then the true value may be greater."""
    note: str


class LengthCurve(Record):
    """The share right by length."""

    points: tuple[LengthPoint, ...]
    effective: EffectiveLength | None
    """None for a single length, and where no family is asked at every length."""
    families: tuple[str, ...]
    """The families that are asked at every length, of which the curve is made; of all where there is none."""
    note: str = ""
    """Which families are left out."""


class Samples(Record):
    """What repeated responses show."""

    samples: Position
    mean: Share
    pass_at: dict[int, Estimate]
    majority: Share
    """The share of questions whose most frequent answer is right."""
    spread: float
    """The standard deviation of the share right from one round of samples to the next."""
    agreement: Share
    """The share of pairs of samples of a question with the same verdict."""


class GoesWith(Record):
    """How one property of questions goes with success."""

    name: str
    what: str
    items: Count
    mean: float
    correlation: float
    low: float
    high: float
    p: Share
    """By chance alone, contexts kept whole."""
    p_adjusted: Share
    """After Holm, over the properties of the run."""
    odds_ratio: float | None
    """For one standard deviation more, the others held fixed; None where the model could not be fitted."""
    odds_low: float | None
    odds_high: float | None
    odds_p: float | None
    """After Holm, over the properties of the model."""


class Fit(Record):
    """The model that holds the other properties fixed."""

    items: Count
    clusters: Count
    converged: bool
    explained: float
    """McFadden's measure: 0 for nothing, 1 for all."""
    left_out: dict[str, str]
    """Properties that are not in it, and why."""


class Correlations(Record):
    """What goes with failure."""

    rows: tuple[GoesWith, ...]
    fit: Fit | None
    left_out: dict[str, str]
    """Properties of which nothing is said, and why."""
    note: str = ""
    """Why there is no model, where there is none."""


class Pattern(Record):
    """One way in which responses went wrong, told from the answers alone."""

    name: str
    what: str
    count: Count
    share: Estimate
    """Of all responses wanted."""
    of_wrong: Share
    """Of the responses that are not right and did come back."""
    by_answer: dict[str, Count]
    examples: tuple[QuestionId, ...]


class Suspect(Record):
    """One possible cause of a wrong answer."""

    cause: str
    detail: str
    weight: Share
    """How likely, given the answer and what the run does elsewhere."""


class Cause(Record):
    """One cause over a whole run."""

    name: str
    what: str
    count: Count
    """Wrong answers whose likeliest cause it is."""
    certain: Count
    """Of these, the ones that nothing else explains."""
    expected: float
    """Wrong answers, each shared out among its suspects."""
    could_strike: Count
    """Questions whose answer it would change."""
    rate: Estimate | None
    """How often it strikes where it could: `expected` over the answers it would have changed had it always struck. None
    where it could have changed fewer than five."""
    operation: str
    """The rung it belongs to: finding, reading, computing."""
    rivals: dict[str, Count]
    """Other suspects of the same answers, by how often."""
    examples: tuple[QuestionId, ...]


class Attribution(Record):
    """Why answers are wrong, as far as the questions' own programs tell."""

    wrong: Count
    """Wrong answers that were looked at."""
    explained: Count
    tied: Count
    """Wrong answers whose two likeliest causes are equally likely; they are unclear, and name their rivals."""
    unclear: Count
    unclear_why: dict[str, Count]
    causes: tuple[Cause, ...]


class LadderStep(Record):
    """What one rung adds."""

    name: str
    """finding, reading, computing; two together where the rung between them was not run."""
    what: str
    lost: Estimate
    """The share of all questions lost here."""
    rate: Estimate | None
    """The share lost of what comes this far: of the questions that would be right but for this step and those below.
    None where nothing comes this far."""


class Ladder(Record):
    """The same questions over the full text, the needed passages and the tables."""

    model: str
    bench: str
    runs: dict[str, str]
    """The run of each rung: full, passages, tables."""
    items: Count
    accuracy: dict[str, Estimate]
    """The share right on each rung, over the shared questions."""
    steps: tuple[LadderStep, ...]
    paths: dict[str, Count]
    """Questions by what happened on the rungs: "full wrong, passages right, tables right"."""
    notes: tuple[str, ...] = ()


class Cost(Record):
    """What a run took."""

    responses: Count
    """Responses that came back."""
    input_tokens: Count
    cached_tokens: Count
    output_tokens: Count
    seconds: float
    """Of all calls together."""
    price: float | None
    """In US dollars, the responses that were kept."""
    spent: float | None
    """Every call that was paid for, those of failed questions too."""
    tokens_a_question: float
    seconds_a_question: float
    price_a_question: float | None
    price_a_right_answer: float | None
    best_for_its_price: bool
    """Whether no other run on the same questions is both cheaper and better."""


class StepReached(Record):
    """One intermediate value of a question, over a run."""

    place: Position
    """First, second, ... step."""
    wanted: Count
    reached: Count
    first_missed: Count
    """Questions whose first missing step it is."""


class Steps(Record):
    """How far the reasoning came."""

    traces: Count
    """Responses with reasoning in them."""
    values: Count
    reached: Count
    in_order: Count
    """Traces whose reached values stand in the order of the steps."""
    all_reached_and_wrong: Count
    """Every step there, the answer wrong all the same."""
    none_reached_and_right: Count
    by_place: tuple[StepReached, ...]


class Floor(Record):
    """What is right without reading, or by a control."""

    name: str
    what: str
    kind: Literal["floor", "control"]
    bench: str
    run: str | None
    """The run it comes from; None where the keys alone give it."""
    accuracy: Estimate


class Contamination(Record):
    """Whether a model knows answers that it was not shown."""

    model: str
    bench: str
    run: str
    closed_book: Estimate
    floor: str
    above_floor: Estimate
    p: Share | None
    """None where too few questions were answered to tell anything."""
    p_holm: Share | None
    """After Holm, over the closed-book runs of the bench."""
    what: str


class Comparison(Record):
    """Two runs on the same questions."""

    first: str
    second: str
    within: str
    """Of which questions: "all", or "skill = sorting"."""
    items: Count
    clusters: Count
    only_first: Count
    """Right in the first alone."""
    only_second: Count
    both: Count
    neither: Count
    differing: Count
    """Questions that fared differently, by however little."""
    waiting_first: Count
    """Responses of the first that have not come: failed, or not asked yet. They count as not right."""
    waiting_second: Count
    first_accuracy: Share
    second_accuracy: Share
    difference: Estimate
    """Second minus first."""
    least: float
    """The difference if all responses that the first still waits for were right."""
    most: float
    """The same for the second."""
    p: Share
    """From exchanging the two at random, contexts kept whole."""
    p_holm: Share
    """After Holm's correction over all comparisons of its kind."""
    p_benjamini_hochberg: Share
    apart: bool
    """Whether they differ at the level of the interval, after Holm, whatever the responses that have not come are."""
    more_items: Count | None
    """How many more questions it would take to tell them apart with a chance of 80%, if the difference is as it seems;
    0 where nothing but responses that have not come keeps them together, None where there is no telling."""
    more_contexts: Count | None
    note: str


class Repeated(Record):
    """Runs of one model and system on one bench, taken together."""

    model: str
    system: str
    prompting: str
    bench: str
    runs: tuple[str, ...]
    accuracy: Estimate
    """The mean over the runs, question by question."""
    spread: float
    """The standard deviation of the share right from run to run."""


class RunFacts(Record):
    """Which run."""

    name: str
    """The folder's name; told apart by its parents where two are alike."""
    folder: str
    bench: str
    """The fingerprint."""
    model: str
    system: str
    prompting: str
    settings: dict[str, JsonValue]
    is_whole: bool
    """Whether no response is missing or failed."""


class RunFinding(Record):
    """All that is found about one run."""

    facts: RunFacts
    all: Group
    breakdowns: tuple[Breakdown, ...]
    heat_maps: tuple[HeatMap, ...]
    lengths: LengthCurve
    samples: Samples | None
    """None where each question was asked once."""
    correlations: Correlations
    patterns: tuple[Pattern, ...]
    attribution: Attribution | None
    """None where no family of the bench can tell causes."""
    steps: Steps | None
    cost: Cost
    by_document: Estimate | None
    """The headline with an interval for other documents as well; None where no two contexts share one, or where what
    is the documents' and what is the contexts' cannot be told apart."""
    not_asked: Count
    """Questions of the bench that the run was not to ask."""


class BenchFacts(Record):
    """Which bench."""

    fingerprint: str
    folder: str
    name: str
    families: tuple[str, ...]
    questions: Count
    contexts: Count
    documents: Count
    """Different documents in all contexts together."""
    counts: Counts
    shared_documents: Share
    """The share of documents that stand in more than one context: contexts are then not wholly independent."""
    linked_contexts: Share
    """The share of contexts in the largest group that shared documents tie together."""
    leaks: dict[str, JsonValue]
    licenses: dict[str, Count]


class Findings(Record):
    """Everything that was found about some runs."""

    format: int = 1
    fathom: str
    seed: int
    resamples: Count
    level: Share = 0.95
    benches: tuple[BenchFacts, ...]
    runs: tuple[RunFinding, ...]
    comparisons: tuple[Comparison, ...]
    """Each two runs on one bench, over all shared questions; then by length and skill where asked."""
    repeated: tuple[Repeated, ...]
    ladders: tuple[Ladder, ...]
    floors: tuple[Floor, ...]
    contamination: tuple[Contamination, ...]
    notes: tuple[str, ...]
    """What a reader should know before trusting a figure, in sentences."""


class StepSeen(Record):
    """One intermediate value of one question."""

    name: str
    value: str
    at: Count | None
    """Where in the reasoning it first stands; None where it does not."""


class ItemFinding(Record):
    """What was found about one response."""

    question_id: QuestionId
    run: str
    sample: Count = 0
    outcome: ResponseOutcome
    score: Share
    patterns: tuple[str, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    """Possible causes, the likeliest first; those of equal weight are tied."""
    unclear: str = ""
    """Why no cause is named for a wrong answer."""
    steps: tuple[StepSeen, ...] = ()

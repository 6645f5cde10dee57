"""The `Family` value that each question family exports, and the types of its parts.

A family is a package with one `FAMILY` value. Everything that only that family knows (settings, tags, faults, prompts,
checks) is reachable from the value; shared code never names a family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, Protocol

from pydantic import ConfigDict, JsonValue

from fathom.corpus.store import Corpus
from fathom.corpus.swap import CorpusSwap, OffsetMap
from fathom.models.simulated import FaultOperation, SimulatedModel
from fathom.records.contexts import Context, ContextId
from fathom.records.documents import DocumentId, DocumentKind, FieldName, Passage
from fathom.records.judgments import Decision, Judgment
from fathom.records.questions import Question, QuestionId, Response
from fathom.records.record import Record
from fathom.records.spans import Span
from fathom.scoring.answers import Answer
from fathom.scoring.judges import Decide, each_part
from fathom.scoring.keys import Key
from fathom.scoring.measures import Distribution, MeasureFigures, RatioMeasure
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Verdict
from fathom.systems.protocol import Views
from fathom.tasks.split_corpus import SplitCorpus


@dataclass(frozen=True)
class Item:
    """A question with its key. They are written to separate files, and systems only ever read the questions."""

    question: Question
    key: Key


class ContextItems(NamedTuple):
    """A context with the items that ask about it."""

    context: Context
    items: list[Item]


class FamilySettings(Record):
    """Base of a family's settings; the options of `fathom build FAMILY` are derived from its fields.

    The docstring under a field is the option's help text.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)


@dataclass(frozen=True)
class ModelAnswers:
    """Marks a setting whose value comes from a model's answers to the questions of another family over the corpus.

    The option takes the model's name; the model is asked when the bench is built.
    """

    family: str
    read: Callable[[str, Iterable[tuple[Key, Response | None]]], Record]
    """The setting's value from the model's name and the keys, each with the model's response."""


@dataclass(frozen=True)
class Tag:
    """A property of questions by which scores are grouped."""

    name: str
    label: str = ""
    """The heading shown in reports; empty for the name itself."""
    summary: bool = False
    """Whether summaries such as the one of `fathom score` break scores down by this tag."""
    values: tuple[str, ...] = ()
    """The order of its values, if they have one; others are listed by number or name."""
    grouped: bool = True
    """False for a tag that scores are not grouped by, since it has nearly as many values as questions."""

    @property
    def heading(self) -> str:
        return self.label or self.name.capitalize()


@dataclass(frozen=True)
class Pairing:
    """Items that ask the same in several settings. The settings of a run are compared pair by pair."""

    tag: str
    """The tag whose value such items share. An item without it has no counterpart."""
    tags: tuple[str, ...]
    """The tags in which such items may differ."""


@dataclass(frozen=True)
class Fault:
    """A kind of mistake that leads to an incorrect answer."""

    name: str
    description: str
    operation: FaultOperation
    """The operation that goes wrong: finding what is needed, reading it, or computing from it."""
    simulated: bool = True
    """Whether `sim/reader` has a parameter of this name."""
    diagnosed: bool = True
    """Whether the family's diagnoser reports it as a cause."""


# Building.


class UnaskedKind(NamedTuple):
    """Questions that could not be asked about a context, since something is not known about its documents."""

    reason: str
    """Why they could not be asked, such as "authors are unknown"; it is printed before the number of documents."""
    questions: str
    """Which questions: "no questions on people"."""
    field: FieldName | None
    """The field that is not known: with `fathom contexts --known FIELD` such documents are left out."""
    documents: tuple[DocumentId, ...]


@dataclass(frozen=True)
class Preset:
    """Settings under one name, such as those of a published benchmark."""

    summary: str
    settings: Mapping[str, Any]
    """Settings of the family; options that are given come first."""
    contexts: Mapping[str, Any] = field(default_factory=dict)
    """Settings of `fathom contexts`: such contexts are sampled if none are given."""
    run: Mapping[str, Any] = field(default_factory=dict)
    """Options of `fathom run` that are taken where none are given."""


class ContextBuilder(Protocol):
    """Makes the items of contexts over one corpus; it may cache what it reads between contexts."""

    def build(self, context: Context, rng: Random) -> Iterator[Item]: ...


@dataclass(frozen=True)
class Allotment:
    """Distributes the questions that a bench must have over its contexts."""

    shares: Callable[[Any, Corpus, Sequence[Context]], Mapping[ContextId, JsonValue]]
    """From settings, a corpus and all contexts: the share of each context. Empty if contexts do not depend on others;
    otherwise a context that is not named gets no questions."""
    build: Callable[[Any, Context, Random, Any], Iterator[Item]]
    """From a builder, a context and its share: the items."""
    missing: Callable[[Any, Mapping[str, Mapping[str, int]]], Mapping[str, int]]
    """From settings and the bench's counts by tag: how many requested items are missing, by reason."""


class Measurement(Protocol):
    """Measures of a bench as a whole, taken while it is written."""

    def add(self, context: Context, items: Sequence[Item]) -> None: ...

    def report(self) -> dict[str, JsonValue]: ...


@dataclass(frozen=True)
class Preparation:
    """A step that is needed before a family can ask about a corpus."""

    command: str
    """The command to run; CORPUS stands for the corpus."""
    options: str
    """Options of `fathom build` that use the result."""


@dataclass(frozen=True)
class PerContext:
    """A family that asks about contexts sampled beforehand with `fathom contexts`.

    The settings passed to each function are an instance of the family's own settings class.
    """

    builder: Callable[[SplitCorpus, Any, int], ContextBuilder]
    """Creates the builder of a split from a corpus that lists only its documents, settings and a seed."""
    shortfall: Callable[[Any, int], Mapping[str, int]] = lambda settings, made: {}
    """For a context with `made` items: how many requested items are missing, by reason."""
    explain_empty: Callable[[Any], str] = lambda settings: "their documents allow no question. Use other contexts."
    """The reason why no item could be built, and what to change."""
    report: Callable[[Any], dict[str, JsonValue]] = lambda settings: {}
    """Facts about the build for the bench's manifest."""
    inputs: Callable[[Any, Corpus], Sequence[str]] = lambda settings, corpus: ()
    """From settings and a corpus: anything else that items depend on, such as the content of files."""
    measure: Callable[[Corpus], Measurement] | None = None
    """Baselines for the bench's manifest."""
    allotment: Allotment | None = None
    """None if each context is built by itself."""
    replace: Callable[[Any, Context, Random, Sequence[Item], Sequence[Item]], Iterator[Item]] | None = None
    """From the builder, a context, the items that failed verification and those that passed: others in place of the
    former."""
    unasked: Callable[[Any, Context], Sequence[UnaskedKind]] = lambda builder, context: ()
    """From the builder and a context: the questions that could not be asked about it."""
    kind: DocumentKind | None = None
    """The kind of documents that it asks about; None for any kind."""
    suits: Callable[[Corpus], bool] = lambda corpus: True
    """Whether the first documents of a corpus have anything that it asks about: laws have no figures."""
    preparation: Callable[[Corpus], Preparation | None] = lambda corpus: None
    """For a corpus that suits it: what to do before the build; None for nothing."""


class CorpusBuilder(Protocol):
    """Makes the items of one corpus together with the contexts that they are asked about."""

    def build(self) -> Iterator[ContextItems]: ...

    def report(self) -> dict[str, JsonValue]:
        """Facts about the build for the bench's manifest: what was excluded at which step, baselines."""
        ...

    def explain_empty(self) -> str:
        """The reason why no item could be built, and what to change."""
        ...


@dataclass(frozen=True)
class FromCorpus:
    """A family that builds its own contexts."""

    builder: Callable[[Corpus, Any, int], CorpusBuilder]
    """Creates the builder from a corpus, settings and a seed."""


# Checking, auditing, resizing, swapping.


class Check(Protocol):
    """The verdict on a response; a pure function. `shown` is given to families that have `check_reads_context`."""

    def __call__(
        self, key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
    ) -> Verdict: ...


class JudgePrompt(NamedTuple):
    """One question to a judge about one part of a response."""

    part: str
    """Empty for the response as a whole."""
    text: str


class Ruling(NamedTuple):
    """The decision parsed from a judge's output."""

    outcome: Decision
    score: float | None = None
    reason: str = ""


class PlantedResponse(NamedTuple):
    """A response that is known to be correct or incorrect, to measure the error of a judge."""

    fault: str
    """Empty for a response without a fault, which should pass."""
    part: str
    """The part of the response that is judged."""
    prompts: Sequence[JudgePrompt]


def _nothing_planted(item: Item, number: int) -> Sequence[PlantedResponse]:
    return ()


@dataclass(frozen=True)
class Judge:
    """The prompts that a judge is asked about a response, and the parser of its output."""

    version: str
    """Recorded with every judgment; change it with the prompts."""
    prompts: Callable[[Question, Key, Response], Sequence[JudgePrompt]]
    parse: Callable[[str], Ruling]
    decide: Decide = each_part
    """The decision of one judge on each part, from its judgments on a response."""
    checked: Callable[[Key, Response], Mapping[str, Decision]] = lambda key, response: {}
    """The decision of the check on each part, without a judge."""
    planted: Callable[[Item, int], Sequence[PlantedResponse]] = _nothing_planted
    """From an item and its number in the calibration set: responses to it with and without faults."""


class AuditCheck(Record):
    """One check of an audit: how many items were checked and which of them failed."""

    name: str
    checked: int
    failed: int = 0
    failures: tuple[str, ...] = ()
    """The first few failures; each names its question."""
    measures: dict[str, float] = {}
    """Informative shares and counts, which cannot fail."""


class Auditor(Protocol):
    """Verifies items of the family from the files alone, without the code that built them.

    Every command that writes a bench drops the items that fail. Builds over sampled contexts use one auditor in each
    worker process, so for a `PerContext` family the result may depend only on the context and its items.
    """

    def check(self, context: Context, items: Sequence[Item]) -> Mapping[QuestionId, Sequence[str]]:
        """The names of the failed checks of each item that fails, for the family's items of one context."""
        ...

    def results(self) -> list[AuditCheck]:
        """All checks so far, and the measures. A check of the bench as a whole may fail without an item that fails."""
        ...


class Audit(Protocol):
    """Creates the auditor of one bench."""

    def __call__(self, corpus: Corpus, seed: int, measured: bool = True) -> Auditor:
        """With `measured=False` only what can fail is computed."""
        ...


class RefittedItems(NamedTuple):
    """Items that were recomputed on a smaller context."""

    items: list[Item]
    """Those that can still be asked."""
    refused: list[str]
    """Why the others cannot be asked: a reason for each."""


class Refitter(Protocol):
    """Recomputes items of one corpus on smaller contexts."""

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> RefittedItems:
        """The items as asked about the smaller context."""
        ...


class SwappedCorpus(Protocol):
    """A corpus before and after its names and numbers were swapped."""

    @property
    def before(self) -> Corpus: ...

    @property
    def after(self) -> Corpus: ...

    @property
    def swapping(self) -> CorpusSwap: ...

    @property
    def moves(self) -> Callable[[DocumentId], OffsetMap]:
        """Maps positions in a document to those after the swap."""
        ...

    def context(self, context: Context, order: Sequence[int] | None = None) -> Context:
        """The context over the swapped documents, its places in the given order."""
        ...


class SwappedItems(NamedTuple):
    """Items that were recomputed on the swapped corpus."""

    context: Context
    """The swapped context, which may be laid out again."""
    items: list[Item]
    """Those that can be asked about it, each key with the original answer."""
    refused: list[str]
    """Why the others cannot be asked: a reason for each."""


class Swapper(Protocol):
    """Recomputes items on the swapped corpus."""

    def swap(self, context: Context, swapped: Context, items: Sequence[Item]) -> SwappedItems:
        """The items as asked about the swapped context."""
        ...


Unseen = frozenset[DocumentId]
"""The documents whose needed passages were not shown to a simulated model."""
ALL_SEEN: Unseen = frozenset()


class Simulator(Protocol):
    """Answers items as a simulated model. It knows the keys."""

    def text(self, context: Context, item: Item, simulated: SimulatedModel, rng: Random, unseen: Unseen) -> str:
        """The text of the response to one question; `rng` is specific to this model, question, sample and attempt."""
        ...


# Diagnosis of incorrect responses.


class FaultyAnswer(NamedTuple):
    """The answer that results from one variation of a fault."""

    cause: str
    """The fault's name."""
    detail: str
    answer: Answer
    """The resulting answer; never the correct one."""
    chance: float
    """The probability of this variation, given that the fault occurs; otherwise the answer stays correct."""


class ReasoningStep(NamedTuple):
    """An intermediate result on the way to the answer."""

    name: str
    parts: tuple[tuple[str, ...], ...]
    """Reached when every part occurs in the reasoning, in one of its spellings."""
    operation: FaultOperation = "reading"
    """The operation that gives the result."""


@dataclass(frozen=True)
class Diagnosis:
    """The possible failures on one question, computed before any response is seen."""

    operators: tuple[str, ...] = ()
    """The operators of its program (not, and, or, sort, ...), each once."""
    sizes: Mapping[str, float] = field(default_factory=dict)
    """Measures that may correlate with failure, such as the length of the program."""
    steps: tuple[ReasoningStep, ...] = ()
    suspects: tuple[FaultyAnswer, ...] = ()
    """The incorrect answers that single faults lead to."""
    further: Callable[[], Iterator[FaultyAnswer]] = lambda: iter(())
    """Answers from rarer faults, such as two missed documents; computed only if no suspect matches the response."""


class Diagnoser(Protocol):
    """Finds the faults that could explain incorrect responses."""

    def diagnose(self, context: Context, item: Item) -> Diagnosis: ...


# Values that people can check.


class ExtractedValue(Record):
    """A value that keys are computed from, and the characters of a document that print it."""

    document: DocumentId
    span: Span
    subject: str
    """The entity, such as a company."""
    name: str
    """What was measured."""
    period: str = ""
    """Empty if it has none."""
    value: str
    """In plain units: "3.2 million" is 3,200,000."""
    unit: str = ""
    tags: dict[str, str] = {}
    """Properties that a sample can be stratified by, such as the domain."""


class ValueReader(Protocol):
    """The values that were read from documents of a corpus; the family's facts about the build come second."""

    def __call__(
        self, corpus: Corpus, report: Mapping[str, JsonValue], documents: Iterable[DocumentId]
    ) -> Iterator[ExtractedValue]: ...


PassageFinder = Callable[[Context, Item], Sequence[Passage]]


def _proof_passages(corpus: Corpus) -> PassageFinder:
    return lambda context, item: item.key.proof.passages


def _no_lines(about: object) -> list[str]:
    return []


def _nothing_measured(key: Key) -> Mapping[str, float]:
    return {}


def program_leaks(item: Item) -> dict[str, str]:
    """The `leaks` of families whose questions are identified by their programs."""
    return {"programs": item.key.proof.program}


def _nothing_shared(item: Item) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Family:
    """A question family: its settings and everything that shared code calls. The optional parts come last."""

    name: str
    summary: str
    """One line for `fathom build --help`."""
    settings: type[FamilySettings]
    build: PerContext | FromCorpus
    check: Check
    audit: Audit
    views: Callable[[Corpus, Mapping[str, JsonValue]], Views]
    """Returns the views of a corpus's contexts; the second argument is the family's report on the build."""
    tags: tuple[Tag, ...] = ()
    """In the order in which reports show them."""
    cross_tabs: tuple[tuple[str, str], ...] = ()
    """Pairs of tags whose combinations reports show as a heat map."""
    pairing: Pairing | None = None
    """None if every item is built in one setting."""
    faults: tuple[Fault, ...] = ()
    macro_tag: str = ""
    """The tag over whose values scores are averaged for the headline, each value with the same weight."""
    presets: Mapping[str, Preset] = field(default_factory=dict)
    probe_tag: str = ""
    """For a family of memorization probes: the tag that names the kind of probe."""
    checks_reasoning: bool = False
    """Whether `check` reads the reasoning of a response, which may be in its thinking text."""
    check_reads_context: bool = False
    """Whether `check` needs the context as it was shown."""
    measures: tuple[RatioMeasure, ...] = ()
    """Measures that are ratios of the counts in the measures of verdicts."""
    distributions: tuple[Distribution, ...] = ()
    """Lists in the values of verdicts whose distributions are reported."""
    figures: MeasureFigures = MeasureFigures()  # noqa: RUF009 - frozen
    """The figures that reports draw of these measures."""
    empty_measures: Callable[[Key], Mapping[str, float]] = _nothing_measured
    """The counts of a response without an answer, such as the number of passages that it did not find."""
    correct_score: float = 1.0
    """The minimum score of a correct response."""
    refit: Callable[[Corpus, Mapping[str, JsonValue]], Refitter] | None = None
    """From a corpus and the family's facts about the build; None if items cannot be asked about a smaller context."""
    no_swap: str = ""
    """Why questions cannot be swapped, where there is more to say."""
    swap: Callable[[SwappedCorpus], Swapper] | None = None
    """None if answers do not depend on names and numbers of the text."""
    simulate: Callable[[Corpus, Callable[[], Iterable[Key]]], Simulator] | None = None
    """From a corpus and a function that gives the family's keys; None if no simulated model can answer."""
    diagnose: Callable[[Corpus], Diagnoser] | None = None
    judge: Judge | None = None
    """None if `check` needs no judgments."""
    passages: Callable[[Corpus], PassageFinder] = _proof_passages
    """Finds the passages of a context that a question needs; by default those that prove its key."""
    values: ValueReader | None = None
    """None if keys are not computed from values that were read from the text."""
    starter: Callable[[Corpus, int], Mapping[str, Any] | None] = lambda corpus, questions: None
    """From a corpus and the number of questions for each context: settings of a first bench over documents of a
    user's own. None if the family has nothing to ask about them, or is not part of a first bench."""
    fields: tuple[FieldName, ...] = ()
    """Fields that questions are about. A first bench leaves out documents where one is unknown, if most know it."""
    compares_one_year: bool = False
    """Whether questions compare documents of one year. A first bench then samples contexts by year."""
    explain: Callable[[Key], Sequence[str]] = _no_lines
    """The computation behind a key, step by step in plain words."""
    describe: Callable[[dict[str, JsonValue]], Sequence[str]] = _no_lines
    """The family's part of the manifest's reports, as lines for the summary of `fathom build`."""
    baselines: Callable[[dict[str, JsonValue]], Sequence[str]] = _no_lines
    """Shortcut baselines among the manifest's reports, as lines below scores."""
    warnings: Callable[[Any], Sequence[str]] = _no_lines
    """Problems with the settings that do not prevent a build."""
    leaks: Callable[[Item], Mapping[str, str]] = _nothing_shared
    """Other things that two splits should not share, in addition to documents and contexts: an identity for each kind,
    such as a program."""

    @property
    def simulated_faults(self) -> tuple[Fault, ...]:
        """The faults that `sim/reader` can simulate."""
        return tuple(fault for fault in self.faults if fault.simulated)

    @property
    def causes(self) -> Mapping[str, Fault]:
        """The faults that the diagnoser reports, by name."""
        return {fault.name: fault for fault in self.faults if fault.diagnosed}

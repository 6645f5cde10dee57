"""The shape of a family. A module with these names is one: nothing registers it, and no base class feeds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple, Protocol

from pydantic import Field, JsonValue

from fathom.corpus.store import Corpus
from fathom.corpus.swap import CorpusSwap, OffsetMap
from fathom.models.simulated import Operation, Simulated
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage, Position
from fathom.records.questions import Question, Response
from fathom.records.record import Record
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict
from fathom.systems.protocol import Views


@dataclass(frozen=True)
class Item:
    """A question with its key. They part ways when they are written, and never meet again where answers are made."""

    question: Question
    key: Key


class Asked(Record):
    """What is asked of every family: how much of it."""

    questions: Position = 10
    """For each context."""
    unanswerable: Annotated[float, Field(ge=0, le=1)] = 0.1
    """The share that nothing in the context answers."""
    templates: Path | None = None
    """A file of the user's own templates, asked instead of the built-in ones."""
    held_out: tuple[str, str] | None = None
    """A tag and its value that only the test split asks about: ("skill", "sorting")."""
    template_shares: dict[str, Position] = {}
    """How templates are divided among the splits; empty for all of them in every split."""
    own: dict[str, dict[str, JsonValue]] = {}
    """What is asked of one family alone, by its name; the family says what there is to ask."""


class Builder(Protocol):
    """Makes a family's items for one corpus; it may keep what it read, for the next context."""

    def build(self, context: Context, rng: Random) -> Iterator[Item]: ...


class Maker(Protocol):
    """Makes a family's items for one corpus, and the contexts that they are asked of."""

    def make(self, watch: Callable[[], None]) -> Iterator[tuple[Context, list[Item]]]: ...

    def report(self) -> dict[str, JsonValue]:
        """What is worth knowing of what was made: what fell out at which step, what could not be made, floors."""
        ...

    def why_none(self) -> str:
        """Why not one question could be made, and what to do."""
        ...


class Refitter(Protocol):
    """Proves a family's items again on smaller contexts of one corpus."""

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> tuple[list[Item], list[str]]:
        """The items that still hold in the smaller context, and for each of the others why it does not."""
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
        """Where the characters of a document are now."""
        ...

    def context(self, context: Context, order: Sequence[int] | None = None) -> Context:
        """A context with what its documents say now; in the order of these places, if given."""
        ...


class Swapper(Protocol):
    """Proves a family's items again on the swapped corpus."""

    def swap(self, context: Context, swapped: Context, items: Sequence[Item]) -> tuple[Context, list[Item], list[str]]:
        """The swapped context, which may be laid out anew; the items that hold in it, their keys with the answer
        before; and for each of the others why it does not."""
        ...


class Checked(Record):
    """One rule of an audit: how many items were looked at, and what was wrong with some."""

    rule: str
    looked_at: int
    faults: tuple[str, ...] = ()
    """The first few, each naming its question."""
    failed: int = 0
    measured: dict[str, float] = {}
    """Shares and counts that are no faults but should be known."""


class Family(Protocol):
    """What a family's folder offers."""

    @property
    def name(self) -> str: ...

    @property
    def builder(self) -> FamilyBuilder | None:
        """None for a family that makes contexts of its own."""
        ...

    @property
    def maker(self) -> FamilyMaker | None:
        """None for a family that asks of contexts that were gathered."""
        ...

    @property
    def describe(self) -> FamilyDescribe | None:
        """None for a family whose items a bench counts well enough."""
        ...

    @property
    def check(self) -> FamilyCheck: ...

    @property
    def audit(self) -> FamilyAudit: ...

    @property
    def refit(self) -> FamilyRefit: ...

    @property
    def swapper(self) -> FamilySwapper | None:
        """None for a family whose answers do not hang on names and numbers of the text."""
        ...

    @property
    def views(self) -> FamilyViews: ...

    @property
    def simulator(self) -> FamilySimulator: ...


class FamilyBuilder(Protocol):
    def __call__(self, corpus: Corpus, asked: Asked, seed: int) -> Builder: ...


class FamilyMaker(Protocol):
    def __call__(self, corpus: Corpus, asked: Asked, seed: int) -> Maker: ...


class FamilyDescribe(Protocol):
    """A maker's report in a few lines for people."""

    def __call__(self, report: dict[str, JsonValue]) -> list[str]: ...


class FamilyCheck(Protocol):
    def __call__(self, key: Key, response: Response) -> Verdict: ...


class FamilyAudit(Protocol):
    def __call__(self, items: Iterable[tuple[Context, list[Item]]], corpus: Corpus, seed: int) -> list[Checked]: ...


class FamilyRefit(Protocol):
    def __call__(self, corpus: Corpus) -> Refitter: ...


class FamilySwapper(Protocol):
    def __call__(self, corpus: SwappedCorpus) -> Swapper: ...


class FamilyViews(Protocol):
    """What may be shown of the contexts of a corpus."""

    def __call__(self, corpus: Corpus) -> Views: ...


class Simulator(Protocol):
    """Answers items as a simulated answerer would; it knows the keys, and says so by being simulated."""

    def answer(self, context: Context, item: Item, simulated: Simulated, rng: Random, attempt: int = 0) -> Response: ...


class FamilySimulator(Protocol):
    def __call__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]]) -> Simulator: ...


# How a wrong response is wrong. A family may offer this, and need not.


class Suspected(NamedTuple):
    """One way to go wrong, and where it leads."""

    cause: str
    detail: str
    answer: Answer
    """What comes out; never the right answer."""
    chance: float
    """That the cause, when it strikes this question, strikes in this way; the rest of one leaves the answer right."""


class Step(NamedTuple):
    """Something that must be worked out on the way to the answer."""

    name: str
    parts: tuple[tuple[str, ...], ...]
    """Reached when every part stands in the reasoning, in one of its spellings."""


@dataclass(frozen=True)
class Diagnosis:
    """What can be told of one question beforehand."""

    operators: tuple[str, ...] = ()
    """What its program does: not, and, or, sort, ... each once."""
    sizes: Mapping[str, float] = field(default_factory=dict)
    """Measures that may go with failure, such as the program's length."""
    steps: tuple[Step, ...] = ()
    suspects: tuple[Suspected, ...] = ()
    """Every way in which a single cause changes the answer."""
    further: Callable[[], Iterator[Suspected]] = lambda: iter(())
    """Rarer ways, such as two documents missed at once; asked for only where no suspect fits."""


class CauseKind(NamedTuple):
    """What a cause is."""

    describe: str
    operation: Operation
    """Where the answer is lost: what is needed was not found, was misread, or was put together wrongly."""


class Diagnoser(Protocol):
    """Knows how the questions of one family go wrong."""

    @property
    def causes(self) -> Mapping[str, CauseKind]: ...

    def diagnose(self, context: Context, item: Item) -> Diagnosis: ...


def diagnoser(family: Family, corpus: Corpus) -> Diagnoser | None:
    """The family's own; None where it offers none, and the patterns that hold for every family must do."""
    make: Callable[[Corpus], Diagnoser] | None = getattr(family, "diagnose", None)
    return None if make is None else make(corpus)


def explained(family: Family, key: Key) -> list[str]:
    """The key's program in plain words, step by step; nothing where the family offers no words."""
    explain: Callable[[Key], list[str]] | None = getattr(family, "explain", None)
    return [] if explain is None else explain(key)


def passages_of(family: Family, corpus: Corpus) -> Callable[[Context, Item], Sequence[Passage]]:
    """What a question needs of its context: the family's own view of it, or else what proves the key."""
    make: Callable[[Corpus], Callable[[Context, Item], Sequence[Passage]]] | None = getattr(family, "passages", None)
    return (lambda context, item: item.key.proof.passages) if make is None else make(corpus)

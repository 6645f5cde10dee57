"""Simulated answerers: named like models, free, and wrong exactly as their dials say.

They prove the measuring itself: what a run counts and what an analysis finds must be what was dialled in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal

from fathom.records.errors import FathomError

PREFIX = "sim/"

KINDS = {
    "oracle": "gives the key's answer",
    "null": "says that there is no answer",
    "random": "gives a value of the wanted form that occurs in the context",
    "majority": "gives the most frequent answer of the wanted form in the bench",
    "lexical": "gives what shares words with the question",
    "memorizer": "gives what the documents say that it knows by heart, whatever it is shown",
    "reader": "computes the answer, and goes wrong as often as its dials say",
}

READING_FAULTS = (
    "drop-filter",
    "ignore-not",
    "and-for-or",
    "reverse",
    "citing-for-cited",
    "references-as-citations",
    "boundary",
    "miscount",
    "ignore-distinct",
    "other-column",
    "wrong-position",
    "min-for-max",
    "sum-for-avg",
    "miss-document",
)
"""Ways in which a reading goes wrong, in the order in which they are drawn; a family says what each does."""

Operation = Literal["finding", "reading", "computing"]

FINDING = ("miss", "miss-document")
READING = ("references-as-citations", "wrong-position", "other-column")
"""Slips that need a text to make them: where tables are shown, which number is which stands above the column."""

SHOWN: dict[str, tuple[Operation, ...]] = {
    "passages": ("reading", "computing"),
    "tables": ("computing",),
    "sql": ("computing",),
}
"""What can go wrong where less than the full text is shown: what was handed over need not be found."""


def operation_of(dial: str) -> Operation:
    """Where a dial's fault belongs: finding what is needed, reading it, or computing from it."""
    return "finding" if dial in FINDING else "reading" if dial in READING else "computing"


DIALS = ("miss", *READING_FAULTS, "format", "refuse", "timeout")
"""What a reader's name can set. `miss` is each document's own chance to be missed; every other dial is the chance that
its fault befalls a question."""

DIALS_OF = {"reader": DIALS, "memorizer": ("refuse", "timeout", "forget")}
"""Who has which dials; a memorizer who has forgotten reads."""

_IN_ORDER = tuple(dict.fromkeys(dial for dials in DIALS_OF.values() for dial in dials))


@dataclass(frozen=True)
class Simulated:
    """One simulated answerer."""

    kind: str
    dials: tuple[tuple[str, float], ...] = ()
    """The chances of what can go wrong; in the order of their dials, and without those that are zero."""

    def __post_init__(self) -> None:
        _check(self.kind, self.dials)
        turned = sorted(self.dials, key=lambda dial: _IN_ORDER.index(dial[0]))
        object.__setattr__(self, "dials", tuple((dial, float(chance)) for dial, chance in turned if chance))

    @classmethod
    def parse(cls, name: str) -> Simulated:
        """The answerer of a name such as `sim/reader?miss=0.2&reverse=0.1`."""
        if not name.startswith(PREFIX):
            raise FathomError(f"'{name}' names no simulated answerer. Their names begin with '{PREFIX}'.")
        kind, asked, settings = name.removeprefix(PREFIX).partition("?")
        return cls(kind, tuple(_dial(setting) for setting in settings.split("&")) if asked else ())

    @property
    def name(self) -> str:
        """The one name of this answerer; it parses back."""
        settings = "&".join(f"{dial}={repr(chance).removesuffix('.0')}" for dial, chance in self.dials)
        return f"{PREFIX}{self.kind}?{settings}" if settings else f"{PREFIX}{self.kind}"

    def over(self, system: str) -> Simulated:
        """The same answerer where a system shows it something: without the faults that cannot happen there."""
        possible = SHOWN.get(system)
        if possible is None:
            return self
        return Simulated(self.kind, tuple(dial for dial in self.dials if operation_of(dial[0]) in possible))

    @cached_property
    def _chances(self) -> dict[str, float]:
        return dict(self.dials)

    def chance(self, dial: str) -> float:
        """How a dial is set."""
        return self._chances.get(dial, 0.0)

    def befalls(self, dial: str, rng: Random) -> bool:
        """Whether what the dial stands for happens this time; a dial at zero draws nothing."""
        chance = self.chance(dial)
        return chance > 0 and rng.random() < chance

    def faults(self, rng: Random) -> tuple[str, ...]:
        """The faults of reading that befall one question."""
        return tuple(fault for fault, _ in self.dials if fault in READING_FAULTS and self.befalls(fault, rng))


def _dial(setting: str) -> tuple[str, float]:
    """The dial and the chance that `reverse=0.1` sets."""
    dial, _, text = setting.partition("=")
    if dial not in _IN_ORDER:
        raise _unknown_dial("reader", dial)
    try:
        return dial, float(text)
    except ValueError:
        raise FathomError(f"The dial '{dial}' is set to '{text}'. Give a number from 0 to 1.") from None


def _check(kind: str, dials: tuple[tuple[str, float], ...]) -> None:
    if kind not in KINDS:
        raise FathomError(f"There is no simulated answerer '{PREFIX}{kind}'. There are {', '.join(_kinds())}.")
    if dials and kind not in DIALS_OF:
        having = " and ".join(f"'{PREFIX}{name}'" for name in DIALS_OF)
        raise FathomError(f"'{PREFIX}{kind}' has no dials. Only {having} have.")
    seen: set[str] = set()
    for dial, chance in dials:
        if dial not in DIALS_OF[kind]:
            raise _unknown_dial(kind, dial)
        if dial in seen:
            raise FathomError(f"The dial '{dial}' is set twice. Set it once.")
        if not 0 <= chance <= 1:
            raise FathomError(f"The dial '{dial}' is set to {chance:g}. Give a number from 0 to 1.")
        seen.add(dial)


def _unknown_dial(kind: str, dial: str) -> FathomError:
    return FathomError(f"'{PREFIX}{kind}' has no dial '{dial}'. Its dials are {', '.join(DIALS_OF[kind])}.")


def _kinds() -> list[str]:
    return [f"{PREFIX}{kind}" for kind in KINDS]

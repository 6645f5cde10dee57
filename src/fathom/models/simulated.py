"""Simulated models: used like models, free of cost, with faults at the probabilities that their dials set.

They test the measurement itself: a run and its analysis must find the fault rates that were set. The dials of
`sim/reader` are the faults that the families of a bench declare, and are validated when a run starts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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
    "lexical": "gives the candidate that shares most words with the question",
    "memorizer": "gives the answer of the original documents, even for a swapped bench",
    "reader": "computes the answer, with faults as often as its dials say",
    "extractor": "extracts figures for a domain pack, with errors as often as its dials say; answers no questions",
}

Operation = Literal["finding", "reading", "computing"]
"""The step in which a fault happens: finding the passages, reading values from them, computing the answer."""

FAILURES = ("refuse", "timeout")
"""Dials that every simulated model with dials has: probabilities of a refusal and of a provider error."""
DIALS: Mapping[str, tuple[str, ...]] = {
    "reader": ("format", *FAILURES),
    "memorizer": (*FAILURES, "forget"),
    "extractor": ("error", "miss"),
}
"""The dials that do not depend on the family. `format` gives a response without an answer; a memorizer that forgets
reads instead; an extractor gives a wrong figure, or none."""


@dataclass(frozen=True)
class Simulated:
    """One simulated model with its dials."""

    kind: str
    dials: tuple[tuple[str, float], ...] = ()
    """The probability of each fault, without those that are zero."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            kinds = ", ".join(f"{PREFIX}{kind}" for kind in KINDS)
            raise FathomError(f"There is no simulated model '{PREFIX}{self.kind}'. Choose among {kinds}.")
        if self.dials and self.kind not in DIALS:
            others = " and ".join(f"'{PREFIX}{name}'" for name in DIALS)
            raise FathomError(f"'{PREFIX}{self.kind}' has no parameters. Only {others} have.")
        names = [dial for dial, _ in self.dials]
        for dial, chance in self.dials:
            if names.count(dial) > 1:
                raise FathomError(f"The parameter '{dial}' is set twice. Set it once.")
            if not 0 <= chance <= 1:
                raise FathomError(f"The parameter '{dial}' is set to {chance:g}. Use a number from 0 to 1.")
        object.__setattr__(self, "dials", tuple((dial, float(chance)) for dial, chance in self.dials if chance))

    @classmethod
    def parse(cls, name: str) -> Simulated:
        """The model of a name such as `sim/reader?miss=0.2&reverse=0.1`; `resolved` checks the names of its dials."""
        if not name.startswith(PREFIX):
            raise FathomError(f"'{name}' is no simulated model. Their names begin with '{PREFIX}'.")
        kind, mark, settings = name.removeprefix(PREFIX).partition("?")
        return cls(kind, tuple(_dial(setting) for setting in settings.split("&")) if mark else ())

    def resolved(self, faults: Iterable[str]) -> Simulated:
        """The same model with its dials in their declared order: `faults`, the dials of the families, come first.

        Raises FathomError for a dial that neither the families nor the model declare.
        """
        known = tuple(dict.fromkeys((*(faults if self.kind == "reader" else ()), *DIALS.get(self.kind, ()))))
        for dial, _ in self.dials:
            if dial not in known:
                raise FathomError(
                    f"'{PREFIX}{self.kind}' has no parameter '{dial}' on this bench. Its parameters are "
                    f"{', '.join(known)}."
                )
        return Simulated(self.kind, tuple(sorted(self.dials, key=lambda dial: known.index(dial[0]))))

    @property
    def name(self) -> str:
        """The name of this model; it parses back."""
        settings = "&".join(f"{dial}={repr(chance).removesuffix('.0')}" for dial, chance in self.dials)
        return f"{PREFIX}{self.kind}?{settings}" if settings else f"{PREFIX}{self.kind}"

    def without(self, spared: Collection[Operation], operations: Mapping[str, Operation]) -> Simulated:
        """The same model without the faults of these operations.

        `operations` gives the operation of each of the families' faults; other dials stay.
        """
        dials = (dial for dial in self.dials if dial[0] not in operations or operations[dial[0]] not in spared)
        return Simulated(self.kind, tuple(dials))

    @cached_property
    def _chances(self) -> dict[str, float]:
        return dict(self.dials)

    def chance(self, dial: str) -> float:
        """The setting of a dial; 0 if it is not set."""
        return self._chances.get(dial, 0.0)

    def happens(self, dial: str, rng: Random) -> bool:
        """Whether the dial's fault happens this time; a dial at zero draws nothing from `rng`."""
        chance = self.chance(dial)
        return chance > 0 and rng.random() < chance


def _dial(setting: str) -> tuple[str, float]:
    """The dial and the probability that `reverse=0.1` sets."""
    dial, _, text = setting.partition("=")
    try:
        return dial, float(text)
    except ValueError:
        raise FathomError(f"The parameter '{dial}' is set to '{text}'. Use a number from 0 to 1.") from None

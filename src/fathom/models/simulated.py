"""Simulated models: used like real ones, free, with faults at the probabilities that their parameters set.

They test the measurement itself: a run and its analysis must find the fault rates that were set. The parameters of
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
    "reader": "computes the answer, with faults at the rates of its parameters",
    "extractor": "extracts figures for a domain pack, with errors at the rates of its parameters; answers no questions",
}

FaultOperation = Literal["finding", "reading", "computing"]
"""The step in which a fault happens: finding the passages, reading values from them, computing the answer."""

FAILURES = ("refuse", "timeout")
"""Parameters that every simulated model with parameters has: probabilities of a refusal and of a provider error."""
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "reader": ("format", *FAILURES),
    "memorizer": (*FAILURES, "forget"),
    "extractor": ("error", "miss"),
}
"""Parameters of every family. `format` gives a response without an answer; a memorizer that forgets
reads instead; an extractor gives a wrong figure, or none."""


@dataclass(frozen=True)
class SimulatedModel:
    """One simulated model with its parameters."""

    kind: str
    parameters: tuple[tuple[str, float], ...] = ()
    """The probability of each fault, without those that are zero."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            kinds = ", ".join(f"{PREFIX}{kind}" for kind in KINDS)
            raise FathomError(f"There is no simulated model '{PREFIX}{self.kind}'. Choose among {kinds}.")
        if self.parameters and self.kind not in PARAMETERS:
            others = " and ".join(f"'{PREFIX}{name}'" for name in PARAMETERS)
            raise FathomError(f"'{PREFIX}{self.kind}' has no parameters. Only {others} have.")
        names = [parameter for parameter, _ in self.parameters]
        for parameter, chance in self.parameters:
            if names.count(parameter) > 1:
                raise FathomError(f"The parameter '{parameter}' is set twice. Set it once.")
            if not 0 <= chance <= 1:
                raise FathomError(f"The parameter '{parameter}' is set to {chance:g}. Use a number from 0 to 1.")
        object.__setattr__(
            self, "parameters", tuple((parameter, float(chance)) for parameter, chance in self.parameters if chance)
        )

    @classmethod
    def parse(cls, name: str) -> SimulatedModel:
        """The model of a name such as `sim/reader?miss=0.2&reverse=0.1`; `resolved` checks its parameters."""
        if not name.startswith(PREFIX):
            raise FathomError(f"'{name}' is not a simulated model. Their names begin with '{PREFIX}'.")
        kind, mark, settings = name.removeprefix(PREFIX).partition("?")
        return cls(kind, tuple(_parameter(setting) for setting in settings.split("&")) if mark else ())

    def resolved(self, faults: Iterable[str]) -> SimulatedModel:
        """The same model with its parameters in their declared order, those of the families (`faults`) first.

        Raises FathomError for a parameter that neither the families nor the model declare.
        """
        known = tuple(dict.fromkeys((*(faults if self.kind == "reader" else ()), *PARAMETERS.get(self.kind, ()))))
        for parameter, _ in self.parameters:
            if parameter not in known:
                raise FathomError(
                    f"'{PREFIX}{self.kind}' has no parameter '{parameter}' on this bench. Its parameters are "
                    f"{', '.join(known)}."
                )
        return SimulatedModel(
            self.kind, tuple(sorted(self.parameters, key=lambda parameter: known.index(parameter[0])))
        )

    @property
    def name(self) -> str:
        """The name of this model; it parses back."""
        settings = "&".join(f"{parameter}={repr(chance).removesuffix('.0')}" for parameter, chance in self.parameters)
        return f"{PREFIX}{self.kind}?{settings}" if settings else f"{PREFIX}{self.kind}"

    def without(self, spared: Collection[FaultOperation], operations: Mapping[str, FaultOperation]) -> SimulatedModel:
        """The same model without the faults of these operations.

        `operations` gives the operation of each of the families' faults; other parameters stay.
        """
        parameters = (
            parameter
            for parameter in self.parameters
            if parameter[0] not in operations or operations[parameter[0]] not in spared
        )
        return SimulatedModel(self.kind, tuple(parameters))

    @cached_property
    def _chances(self) -> dict[str, float]:
        return dict(self.parameters)

    def chance(self, parameter: str) -> float:
        """The setting of a parameter; 0 if it is not set."""
        return self._chances.get(parameter, 0.0)

    def happens(self, parameter: str, rng: Random) -> bool:
        """Whether the parameter's fault happens this time; a parameter at zero draws nothing from `rng`."""
        chance = self.chance(parameter)
        return chance > 0 and rng.random() < chance


def _parameter(setting: str) -> tuple[str, float]:
    """The parameter and the probability that `reverse=0.1` sets."""
    parameter, _, text = setting.partition("=")
    try:
        return parameter, float(text)
    except ValueError:
        raise FathomError(f"The parameter '{parameter}' is set to '{text}'. Use a number from 0 to 1.") from None

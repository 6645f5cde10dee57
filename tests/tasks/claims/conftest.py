"""A bench of planted claims."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.questions import Response
from fathom.records.rng import rng_for
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.checking import shown_context
from fathom.tasks.claims.check import check
from fathom.tasks.claims.faults import FAULTS
from fathom.tasks.claims.simulate import Simulator
from fathom.tasks.family import Item


class Asked(NamedTuple):
    """A question as it is shown."""

    context: Context
    item: Item
    shown: ShownContext
    simulator: Simulator

    def said(self, text: str) -> Verdict:
        """The verdict on a response."""
        return check(self.item.key, Response(question_id="q", outcome="answered", text=text), self.shown)

    def played(self, name: str) -> Verdict:
        """The verdict on the response of a simulated model."""
        simulated = SimulatedModel.parse(name).resolved([fault.name for fault in FAULTS])
        return self.said(self.simulator.text(self.context, self.item, simulated, rng_for(1, name)))


@pytest.fixture
def asked(claims_bench: Path) -> Iterator[list[Asked]]:
    """The questions of the bench."""
    bench = Bench(claims_bench)
    with bench.open_corpus() as corpus:
        yield [
            Asked(context, item, shown_context(context, corpus), Simulator(corpus))
            for context, items in bench.by_context()
            for item in items
        ]


@pytest.fixture
def planted(small_folder: Path) -> Iterator[Corpus]:
    with Corpus(small_folder) as corpus:
        yield corpus

"""Questions per second of simulated models on one core: the oracle, a perfect reader, and a faulty one.

Contexts of 64K tokens with ten questions each. Documents are read before; the time for that is printed as well. A
reader parses one statement per template, not per question; its first round, which pays for that, is printed too.
Target: well over 2,000 per second.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from _measuring import best, fathom, workplace
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.rng import rng_for
from fathom.scoring.check import check_response
from fathom.tasks.bench import Bench
from fathom.tasks.family import ContextItems
from fathom.tasks.numeric.simulate import Simulator
from fathom.tasks.simulating import simulated_response

FAULTY = "sim/reader?miss=0.1&drop-filter=0.1&ignore-not=0.3&reverse=0.1&boundary=0.1&miscount=0.1&other-column=0.1"
NAMES = ("sim/oracle", "sim/reader", f"{FAULTY}&format=0.05&refuse=0.02&timeout=0.05")
ROUNDS = 3


def seconds(simulator: Simulator, asked: Sequence[ContextItems], simulated: SimulatedModel, sample: int) -> float:
    """CPU time for a response to every question, random numbers included."""
    name = simulated.name
    start = time.process_time()
    for context, items in asked:
        for item in items:
            simulated_response(simulator, context, item, simulated, rng_for(0, name, item.question.id, sample, 0))
    return time.process_time() - start


def outcomes(simulator: Simulator, asked: Sequence[ContextItems], simulated: SimulatedModel) -> str:
    """The outcomes of the responses."""
    counts = Counter(
        check_response(
            item.key, simulated_response(simulator, context, item, simulated, rng_for(0, item.question.id))
        ).outcome
        for context, items in asked
        for item in items
    )
    return ", ".join(f"{outcome} {count / counts.total():.0%}" for outcome, count in counts.most_common())


with workplace() as folder:
    fathom("generate", "--out", folder / "corpus", "--documents", 662, "--seed", 7)
    fathom("contexts", folder / "corpus", "--lengths", "64K", "--count", 655)
    fathom("build", "numeric", folder / "corpus", "--out", folder / "bench")
    asked = list(Bench(folder / "bench").by_context())
    total = sum(len(items) for _, items in asked)
    with Corpus(folder / "corpus") as corpus:
        simulator = Simulator(corpus)
        start = time.process_time()
        for context, _ in asked:
            simulator.read(context)
        reading = time.process_time() - start
        print(f"{total:,} questions over {len(asked):,} contexts; reading their articles took {reading:.1f} seconds")
        for name in NAMES:
            simulated = SimulatedModel.parse(name)
            rounds = [seconds(simulator, asked, simulated, sample) for sample in range(ROUNDS)]
            print(f"{total / best(rounds):8,.0f} a second ({total / rounds[0]:,.0f} the first time)  {name}")
            print(f"         {outcomes(simulator, asked, simulated)}")

"""Accuracy of systems by dispersion: the number of documents whose text a question needs, from 2 to 200.

    python benchmarks/systems.py                                   # simulated readers, about ten minutes
    python benchmarks/systems.py --model 'sim/reader?miss=0.02'
    python benchmarks/systems.py --model local/smollm2 --families numeric --most 12 --questions 4

Benches of `numeric` (short articles) and `tables` (annual reports, two of three from one year) are generated over
contexts of growing size, and every system answers the same questions. A simulated reader misses each document that it
reads with the probability of its parameter, answers from what it was shown, and otherwise makes no mistake: what a row
loses beyond the row `full` is what its system did not show, cut off, or gave up.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Literal

import fathom
from _measuring import workplace
from fathom.records.contexts import Sampling
from fathom.tasks.bench import Bench

MODEL = "sim/reader?miss=0.005"
SYSTEMS: dict[str, tuple[str, dict[str, object]]] = {
    "full": ("full", {}),
    "rag": ("rag", {}),
    "rag, k=100": ("rag", {"k": 100}),
    "memory": ("memory", {}),
    "memory, 4K": ("memory", {"memory": "4K"}),
    "memory, not steered": ("memory", {"steered": False}),
    "map-reduce": ("map-reduce", {}),
    "agent": ("agent", {}),
}
"""Systems by the name of their row."""

BINS = ((2, 4), (5, 9), (10, 24), (25, 49), (50, 99), (100, 200))
"""Ranges of the number of documents that a question needs."""
SEED = 2024


@dataclass(frozen=True)
class Family:
    """How the bench of a family is generated."""

    domains: str
    length: Literal["full", "short"]
    sampling: Sampling
    tokens: int
    """Tokens of one document, about."""
    needed: float
    """The largest share of a context's documents that a question needs, about."""


FAMILIES = {
    "numeric": Family("articles", "short", "random", 450, 1.0),
    "tables": Family("companies", "full", "year", 11_400, 0.66),
}


def build(family: str, folder: Path, most: int, questions: int, contexts: int, seed: int) -> Path:
    """A bench whose questions need up to about `most` documents."""
    bench = folder / family
    if bench.exists():
        return bench
    settings = FAMILIES[family]
    sizes = [high / settings.needed for _, high in BINS if high <= most] or [most / settings.needed]
    lengths = [f"{max(2, round(size * 1.05 * settings.tokens / 1_024))}K" for size in sizes]
    # Five reports of each company; enough documents for contexts that do not repeat one another.
    documents = int(sizes[-1] * (3.6 if settings.length == "full" else 2.5))
    print(f"{family}: {documents} documents, contexts of {', '.join(lengths)}", flush=True)
    corpus = fathom.generate(
        folder / f"{family}-corpus", documents=documents, domains=settings.domains, length=settings.length, seed=seed
    )
    corpus.contexts(lengths, contexts, sampling=[settings.sampling], seed=seed)
    fathom.build(family, folder / f"{family}-corpus", out=bench, questions=questions, seed=seed)
    return bench


def dispersion(bench: Path) -> dict[str, int]:
    """The number of documents that each question needs."""
    return {
        item.question.id: len({passage.document for passage in item.key.proof.passages})
        for _, items in Bench(bench).by_context()
        for item in items
    }


def accuracies(bench: Path, out: Path, system: str, model: str) -> tuple[dict[str, float], float, float]:
    """Whether each question was answered correctly; mean calls and tokens of a question."""
    name, settings = SYSTEMS[system]
    run = fathom.run(bench, model=model, system=name, system_settings=settings, out=out)
    calls, tokens = [], []
    for response in run.responses():
        calls.append(sum(step.kind == "model" for step in response.trace) or 1)
        tokens.append(response.usage.input_tokens + response.usage.output_tokens)
    correct = {verdict.question_id: float(verdict.outcome == "correct") for verdict in run.score().verdicts}
    return correct, mean(calls), mean(tokens)


def table(family: str, bench: Path, out: Path, systems: Sequence[str], model: str) -> None:
    """Print the accuracy of every system by dispersion."""
    needed = dispersion(bench)
    groups: dict[tuple[int, int], list[str]] = defaultdict(list)
    for question, count in needed.items():
        for low, high in BINS:
            if low <= count <= high:
                groups[low, high].append(question)
    used = [one for one in BINS if groups[one]]
    print(f"\n{family}, {model}: accuracy by the number of needed documents")
    print(
        f"  {'system':<22}"
        + "".join(f"{f'{low}-{high}':>9}" for low, high in used)
        + f"{'calls':>9}{'tokens':>13}{'seconds':>9}"
    )
    print(f"  {'questions':<22}" + "".join(f"{len(groups[one]):>9}" for one in used), flush=True)
    for system in systems:
        start = time.perf_counter()
        folder = out / f"{family}-{system.replace(', ', '-').replace(' ', '-')}"
        correct, calls, tokens = accuracies(bench, folder, system, model)
        shares = [mean(correct.get(question, 0.0) for question in groups[one]) for one in used]
        taken = time.perf_counter() - start
        cells = "".join(f"{share:>9.1%}" for share in shares)
        print(f"  {system:<22}{cells}{calls:>9,.0f}{tokens:>13,.0f}{taken:>9.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--systems", default=";".join(SYSTEMS), help="rows, separated by semicolons")
    parser.add_argument("--most", type=int, default=200, help="documents that a question needs at most")
    parser.add_argument("--questions", type=int, default=10, help="questions for each context")
    parser.add_argument("--contexts", type=int, default=3, help="contexts of each length")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--folder", type=Path, help="where benches and runs are kept, and found again")
    given = parser.parse_args()
    with workplace() as temporary:
        folder = given.folder or temporary
        for family in given.families.split(","):
            bench = build(family, folder, given.most, given.questions, given.contexts, given.seed)
            model = "".join(one if one.isalnum() else "-" for one in given.model)
            table(family, bench, folder / model, given.systems.split(";"), given.model)


if __name__ == "__main__":
    main()

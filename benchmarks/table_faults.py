"""Near misses of answers of the family `tables`, and how well faults of readers are told apart.

    python benchmarks/table_faults.py near --corpora FOLDER [--seeds 0-9] [--questions 10]
    python benchmarks/table_faults.py confusion --corpora FOLDER [--seeds 0-9] [--questions 10] [--each 4]

`near` tries, on every key, the notations of correct answers and answers that must be rejected: thousand for million, a
fraction for a percentage, the other sign, another rounding, another order, "[]", and those of faulty readers. Exit code
1 if a correct answer is rejected or a near miss accepted.

`confusion` gives each question to simulated readers with one fault each, drawn among those that can change its answer,
and compares the causes that the analysis names with the faults. An answer is ambiguous if several faults give it, and
none is much more likely.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import fathom
from _measuring import workplace
from fathom.analysis.attribution import CauseEstimator, CauseMatcher
from fathom.models.simulated import SimulatedModel
from fathom.records.questions import Response
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.tables import FAMILY, near_misses
from fathom.tasks.tables.check import check_answer
from fathom.tasks.tables.diagnose import Diagnoser
from fathom.tasks.tables.faults import DESCRIPTIONS
from fathom.tasks.tables.key_tables import database_of, program_of
from fathom.tasks.tables.other_figures import OtherFigureReader
from fathom.tasks.tables.simulate import Simulator
from table_guards import SOURCES, benches, by_context, reports_in, seeds_of

ATTEMPTS = 8
"""Faulty readings of one question until one changes its answer: a missed document often changes nothing."""
SHOWN = 10
"""Failures that are printed."""


def verdict_on(item: Any, text: str) -> Any:
    return check_answer(item.key, Response(question_id=item.question.id, outcome="answered", text=text))


def try_forms(corpus: fathom.Corpus, bench: fathom.Bench, counts: Counter[str]) -> None:
    """Correct answers in other notations, and near misses, of every key."""
    reader = OtherFigureReader(corpus)
    for context, items in by_context(list(bench.items())):
        for item in items:
            database = database_of(item.key)
            reading = Interpretation(program_of(item.key, database), database)
            misses = near_misses.near_misses(item.key, reader.read(context, item.key), reading)
            forms = {
                "correct answers": dict.fromkeys(near_misses.accepted_forms(item.key.answer)),
                "near misses": dict.fromkeys(misses),
            }
            for kind, texts in forms.items():
                for text in texts:
                    accepted = verdict_on(item, text).outcome == "correct"
                    counts[kind] += 1
                    if accepted != (kind == "correct answers"):
                        counts[f"{kind} failed"] += 1
                        if counts[f"{kind} failed"] <= SHOWN:
                            print(f"  {kind}: {text!r} where the key is {item.answer!r}")


class Confusion:
    """Which cause the analysis names for each fault."""

    def __init__(self) -> None:
        self._estimator = CauseEstimator(FAMILY.causes)
        self._faults: list[str] = []

    def add(self, corpus: fathom.Corpus, bench: fathom.Bench, each: int) -> None:
        """Give every question of a bench to readers with one fault."""
        diagnoser, simulator = Diagnoser(corpus), Simulator(corpus)
        for context, items in by_context(list(bench.items())):
            for item in items:
                diagnosis = diagnoser.diagnose(context, item)
                matcher = CauseMatcher(item.key.answer, diagnosis)
                possible = [name for name in DESCRIPTIONS if any(one.cause == name for one in diagnosis.suspects)]
                rng = Random(item.question.id)
                for sample in range(each if possible else 0):
                    fault = rng.choice(possible)
                    self._estimator.add_exposure(matcher.exposure, 0)
                    text = self._faulty(simulator, context, item, fault, rng)
                    if text is not None:
                        parsed = verdict_on(item, text).parsed
                        self._estimator.add_incorrect(matcher.match(item.question.id, sample, parsed, text), 0)
                        self._faults.append(fault)

    @staticmethod
    def _faulty(simulator: Simulator, context: Any, item: Any, fault: str, rng: Random) -> str | None:
        """An incorrect answer of a reader with the fault; None if none was found."""
        for _ in range(ATTEMPTS):
            text = simulator.text(context, item, SimulatedModel("reader", ((fault, 1.0),)), Random(rng.random()))
            if verdict_on(item, text).outcome != "correct":
                return text
        return None

    def lines(self) -> Iterator[str]:
        """A row for each fault."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for fault, answer in zip(self._faults, self._estimator.estimate().answers(), strict=True):
            causes = [candidate.cause for candidate in answer.candidates]
            if answer.unclear:
                found[fault]["ambiguous" if fault in causes else "no cause"] += 1
            else:
                found[fault][causes[0]] += 1
        yield "| fault | incorrect | right cause | other cause | ambiguous | other causes |"
        yield "| --- | --- | --- | --- | --- | --- |"
        right = named = 0
        for fault in DESCRIPTIONS:
            counts = found[fault]
            others = {name: n for name, n in counts.items() if name not in (fault, "ambiguous", "no cause")}
            right, named = right + counts[fault], named + counts[fault] + sum(others.values())
            listed = ", ".join(f"{name} {n}" for name, n in sorted(others.items(), key=lambda pair: -pair[1]))
            yield (
                f"| `{fault}` | {counts.total()} | {counts[fault]} | {sum(others.values())} | {counts['ambiguous']} "
                f"| {listed} |"
            )
        yield f"a cause is named for {named} of {len(self._faults)}: the right one for {right / max(1, named):.1%}"


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("study", choices=["near", "confusion"])
    words.add_argument("--corpora", type=Path, required=True, help="a folder with corpora, as for table_guards.py")
    words.add_argument("--seeds", default="0-9", help="such as 0-9 or 3")
    words.add_argument("--sources", default=",".join(SOURCES))
    words.add_argument("--questions", type=int, default=10, help="for each context")
    words.add_argument("--each", type=int, default=4, help="faulty readers for each question")
    given = words.parse_args()
    sources: Sequence[str] = given.sources.split(",")
    confusion, total = Confusion(), Counter[str]()
    with workplace() as folder:
        reports_in(given.corpora, folder)
        for name in sources:
            counts: Counter[str] = Counter()
            for corpus, bench, _ in benches(name, given.corpora, seeds_of(given.seeds), given.questions, folder):
                counts["questions"] += len(list(bench.items()))
                if given.study == "near":
                    try_forms(corpus, bench, counts)
                else:
                    confusion.add(corpus, bench, given.each)
            print(f"{name}: " + ", ".join(f"{kind} {count:,}" for kind, count in counts.items()), flush=True)
            total += counts
    if given.study == "confusion":
        print("\n".join(confusion.lines()))
    else:
        print("all: " + ", ".join(f"{kind} {count:,}" for kind, count in total.items()))
    return 1 if total["correct answers failed"] or total["near misses failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

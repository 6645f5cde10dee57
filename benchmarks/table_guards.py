"""The guards of the family `tables` over ten seeds and nine sets of documents: builds, audits, and measures.

    python benchmarks/table_guards.py --corpora FOLDER [--seeds 0-9] [--sources NAME,NAME] [--questions 20]
        [--unanswerable 0.1]

The folder has the corpora of SOURCES; reports are generated where it lacks them. For each set it prints
- questions built, questions that failed verification and were replaced, and audits that failed;
- the least distance of a value from a threshold, as a share of it, and of two values at the cut of a ranking;
- the fewest documents that a question needs, and the share of answers that name one entity;
- keys whose program gives another answer over the tables that the system `sql` queries;
- how well questions without an answer are told by their wording (AUC; chance 50%).
Exit code 1 if an audit fails, a value is close to a threshold, a program gives another answer, or a share is exceeded.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import fathom
from _measuring import workplace
from fathom.api import packs as packs_api
from fathom.records.contexts import Sampling
from fathom.records.questions import Response
from fathom.systems.sql import printed
from fathom.systems.sql_guard import run_guarded
from fathom.tasks.programs import predictability, tree
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.predictability import Sample, cross_validated_auc
from fathom.tasks.tables import FAMILY
from fathom.tasks.tables.build import names_one
from fathom.tasks.tables.check import check_answer
from fathom.tasks.tables.key_tables import database_of, program_of
from fathom.tasks.tables.settings import TablesSettings
from tests.tasks.tables.period_queries import over_periods

CLOSE = 0.004
"""Two values that differ by less than this share may be equal when they are rounded to three digits."""
HIGHEST_AUC = 0.6


class Source(NamedTuple):
    """A set of documents."""

    corpus: str
    length: str
    sampling: Sampling = "random"
    subject: str = ""
    drafted: bool = False
    """Whether questions use a pack that `fathom pack draft` proposes."""


SOURCES = {
    "companies": Source("reports", "512K", "year", "companies"),
    "companies in Chinese": Source("reports", "512K", "year", "companies-zh"),
    "universities": Source("reports", "512K", "year", "universities"),
    "housing": Source("reports", "512K", "year", "housing"),
    "world-factbook": Source("world-factbook", "512K"),
    "sec-10k-ixbrl": Source("sec-10k-ixbrl", "1M"),
    "uk-accounts-ixbrl": Source("uk-accounts-ixbrl", "64K"),
    "university-cds": Source("university-cds", "256K", drafted=True),
    "world-factbook by a drafted pack": Source("world-factbook", "512K", drafted=True),
}
DOMAINS = ["companies", "companies-zh", "universities", "housing"]


@dataclass
class Result:
    """What was measured over the benches of one set of documents."""

    counts: Counter[str] = field(default_factory=Counter)
    threshold: float = float("inf")
    """The least distance of a value from a threshold."""
    cut: float = float("inf")
    documents: int = 10**9
    halves: tuple[list[Sample], list[Sample]] = field(default_factory=lambda: ([], []))
    most_single: float = 0.0
    """The largest share of one bench."""

    @property
    def failed(self) -> bool:
        bad = self.counts["audits failed"] + self.counts["other answers in SQL"]
        return bool(bad) or min(self.threshold, self.cut) <= CLOSE or self.most_single > TablesSettings().single

    def __str__(self) -> str:
        counts, auc = self.counts, cross_validated_auc(self.halves)
        return (
            f"{counts['questions']:,} | {counts['replaced']} | {counts['audits']} | {counts['audits failed']} | "
            f"{_share(self.threshold)} | {_share(self.cut)} | {self.documents} | "
            f"{counts['single'] / max(1, counts['questions']):.1%} | {counts['other answers in SQL']} | "
            f"{'-' if auc is None else f'{auc:.0%}'}"
        )


def _share(value: float) -> str:
    return "-" if value == float("inf") else f"{value:.2%}"


# One key.


def thresholds(program: tree.Program, database: Database) -> Iterator[float]:
    """How far each value that a condition compares is from the other side, as a share of the larger one."""
    view = database.evaluation.view(database.schema.main)
    whole = view.mask(None)
    tests = [node for node in tree.nodes(program) if isinstance(node, tree.Compare)]
    conjuncts = list(_conjuncts(program.where))
    for test in tests:
        assert not isinstance(test.value, str | tree.Slot)
        admitted = whole
        if test in conjuncts:
            for other in conjuncts:
                admitted &= whole if other == test else view.mask(other)
        for row, (one, two) in enumerate(zip(view.values(test.measure), view.values(test.value), strict=True)):
            if admitted >> row & 1 and one is not None and two is not None:
                yield _distance(float(one), float(two))


def _conjuncts(condition: tree.Condition | None) -> Iterator[tree.Condition]:
    if isinstance(condition, tree.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    elif condition is not None:
        yield condition


def cuts(program: tree.Program, database: Database) -> Iterator[float]:
    """How far the values of a ranking are from each other, down to the first one that is not listed."""
    if isinstance(program.top, int):
        view = database.evaluation.view(database.schema.main)
        sort = program.order[0]
        assert not isinstance(sort.measure, tree.Result)
        found = [float(value) for value in view.values(sort.measure) if value is not None]
        ordered = sorted(found, reverse=sort.direction == "DESC")
        yield from (_distance(*pair) for pair in pairwise(ordered[: program.top + 1]))


def _distance(one: float, two: float) -> float:
    return abs(one - two) / max(abs(one), abs(two), 1e-12)


def read(item: Any) -> tuple[tree.Program, Any]:
    database = database_of(item.key)
    return program_of(item.key, database), database.schema


# One bench.


def measure(bench: fathom.Bench, corpus: fathom.Corpus, seed: int, result: Result) -> None:
    """Add the measures of one bench."""
    manifest = bench.manifest
    result.counts["audits"] += 1
    result.counts["audits failed"] += not bench.audit().passed
    result.counts["replaced"] += sum(manifest.dropped.values())
    tables = FAMILY.views(corpus, manifest.reports["tables"]).tables
    assert tables is not None
    items = list(bench.items())
    single = sum(names_one(item.key.answer) for item in items)
    result.counts["questions"] += len(items)
    result.counts["single"] += single
    result.most_single = max(result.most_single, single / len(items))
    result.halves[seed % 2].extend(predictability.samples(items, read))
    for context, asked in by_context(items):
        with closing(tables.database(context)) as database:
            for item in asked:
                rows = printed(run_guarded(database, over_periods(item, database)))
                response = Response(question_id=item.question.id, outcome="answered", text=rows)
                if check_answer(item.key, response).outcome != "correct":
                    result.counts["other answers in SQL"] += 1
                    print(f"  SQL gives {rows!r}, the key is {item.answer!r}: {item.question.text}")
    for item in items:
        key_table = database_of(item.key)
        program = program_of(item.key, key_table)
        result.threshold = min([result.threshold, *thresholds(program, key_table)])
        result.cut = min([result.cut, *cuts(program, key_table)])
        result.documents = min(result.documents, len({passage.document for passage in item.key.proof.passages}))


def by_context(items: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    contexts = {item.context.id: item.context for item in items}
    for id, context in contexts.items():
        yield context, [item for item in items if item.context.id == id]


def benches(
    name: str, corpora: Path, seeds: range, questions: int, folder: Path, unanswerable: float = 0.1
) -> Iterator[tuple[fathom.Corpus, fathom.Bench, int]]:
    """A bench over one set of documents for each seed, with its corpus and the seed."""
    source = SOURCES[name]
    ready = corpora / source.corpus
    if not ready.is_dir():
        ready = folder / source.corpus
    if not ready.is_dir():
        print(f"{name}: not measured, since {corpora / source.corpus} is not here")
        return
    packs: tuple[str, ...] = ()
    if source.drafted:
        packs = (str(packs_api.write_draft(ready, folder / f"{source.corpus}.toml")),)
    with fathom.open_corpus(ready) as corpus:
        for seed in seeds:
            place = folder / f"{name.replace(',', '').replace(' ', '-')}-{seed}"
            subjects = [source.subject] if source.subject else []
            contexts = place.with_suffix(".jsonl")
            corpus.contexts([source.length], 2, seed=seed, sampling=[source.sampling], subjects=subjects, out=contexts)
            options: dict[str, Any] = {"questions": questions, "unanswerable": unanswerable, "packs": packs}
            try:
                yield corpus, fathom.build("tables", corpus, out=place, seed=seed, contexts=contexts, **options), seed
            except fathom.FathomError as error:
                # Small companies tag little: of some contexts too many figures are unknown.
                print(f"  {name}, seed {seed}: {error}")


def seeds_of(text: str) -> range:
    """ "0-9" or "3"."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def reports_in(corpora: Path, folder: Path) -> None:
    """Generate reports where the corpora lack them."""
    if not (corpora / "reports").is_dir():
        fathom.generate(folder / "reports", documents=240, domains=DOMAINS, seed=9001).close()


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--corpora", type=Path, required=True, help="a folder with corpora")
    words.add_argument("--seeds", default="0-9", help="such as 0-9 or 3")
    words.add_argument("--sources", default=",".join(SOURCES))
    words.add_argument("--questions", type=int, default=20, help="for each context")
    words.add_argument("--unanswerable", type=float, default=0.1, help="share of questions without an answer")
    given = words.parse_args()
    print(
        "| documents | questions | replaced | audits | failed | least distance from a threshold | at a cut | "
        "fewest documents | one entity | other answers in SQL | AUC |"
    )
    print(f"|{' --- |' * 11}")
    failed = False
    every = Result()
    with workplace() as folder:
        reports_in(given.corpora, folder)
        for name in given.sources.split(","):
            result = Result()
            seeds, share = seeds_of(given.seeds), given.unanswerable
            for corpus, bench, seed in benches(name, given.corpora, seeds, given.questions, folder, share):
                measure(bench, corpus, seed, result)
            print(f"| {name} | {result} |", flush=True)
            failed = failed or result.failed
            for half, found in zip(every.halves, result.halves, strict=True):
                half.extend(found)
    auc = cross_validated_auc(every.halves)
    print(f"AUC over all sets: {'-' if auc is None else f'{auc:.1%}'}")
    return 1 if failed or (auc is not None and auc >= HIGHEST_AUC) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Builds over corpora with missing fields: bylines, reference lists or abstracts are removed from generated articles.

Each field is removed from a tenth, half and all of the articles, for several seeds. The articles are written as
Markdown, ingested, sampled into contexts, and asked about by `numeric` and `citations`; both benches are audited. Every
key is recomputed from the shown text by `tests/tasks/damaged_corpora.py` and `damaged_citations.py`, which know what
was removed. A citation whose place in the file is not found, or ambiguous, is undecided. `--long` takes three CPU
minutes for each seed.
Target: no key is wrong, no question depends on something that was removed, and every audit passes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from _measuring import workplace
from fathom.api.benches import audit, build
from fathom.api.corpora import generate, ingest, open_corpus
from fathom.records.errors import FathomError
from tests.tasks.damaged_citations import recompute_citations
from tests.tasks.damaged_corpora import FIELDS, Damage, Field, recompute, write_articles

SHARES = (0.1, 0.5, 1.0)
DOCUMENTS = 24
LONG_DOCUMENTS = 120
CONTEXTS = 6


@dataclass
class Tally:
    """The results of one field and share over all seeds."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--documents", type=int, help=f"[default: {DOCUMENTS}, or {LONG_DOCUMENTS} with --long]")
    parser.add_argument("--long", action="store_true", help="articles of full length, which `citations` needs")
    chosen = parser.parse_args()
    length: Literal["full", "short"] = "full" if chosen.long else "short"
    tallies: dict[tuple[Field, float], Tally] = {}
    documents = chosen.documents or (LONG_DOCUMENTS if chosen.long else DOCUMENTS)
    for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
        with workplace() as folder:
            generate(folder / "generated", documents=documents, length=length, seed=seed, processes=1)
            for name in FIELDS:
                for share in SHARES:
                    tally = tallies.setdefault((name, share), Tally())
                    measure(folder, name, share, seed, tally, "64K" if chosen.long else "2K")
    print_table(tallies)
    if any(tally.counts[what] for tally in tallies.values() for what in ("wrong", "touching", "audits failed")):
        raise SystemExit("FAILED: " + "\n".join(one for tally in tallies.values() for one in tally.examples[:5]))


def measure(folder: Path, name: Field, share: float, seed: int, tally: Tally, length: str) -> None:
    """Damage, ingest, sample, build, audit and recompute once."""
    work = folder / f"{name}-{share}"
    with open_corpus(folder / "generated") as generated:
        damage = write_articles(generated.documents(), work / "articles", {name: share}, seed)
    with ingest(work / "articles", work / "corpus", processes=1) as corpus:
        tally.counts["documents"] += corpus.manifest.documents
        corpus.contexts(length, CONTEXTS, seed=seed)
    try_numeric(work, damage, seed, tally)
    try_citations(work, damage, seed, tally)


def try_numeric(work: Path, damage: Damage, seed: int, tally: Tally) -> None:
    bench = build("numeric", work / "corpus", work / "numeric", seed=seed, processes=1)
    result = recompute(work / "numeric", damage)
    tally.counts.update(
        {
            "questions": result.questions,
            "wrong": len(result.wrong),
            "touching": len(result.touching),
            **{f"on {topic}": count for topic, count in result.about.items()},
            "missing": sum(bench.manifest.missing.values()),
            "audits failed": not audit(work / "numeric").passed,
        }
    )
    tally.examples += [*result.wrong, *result.touching]


def try_citations(work: Path, damage: Damage, seed: int, tally: Tally) -> None:
    """The family `citations`. Letters do not cite enough works for it."""
    try:
        bench = build("citations", work / "corpus", work / "citations", seed=seed, processes=1, items=10)
    except FathomError:
        return
    result = recompute_citations(bench.folder, work / "articles", damage)
    tally.counts["citation items"] += result.questions
    tally.counts["undecided"] += len(result.undecided)
    tally.counts["wrong"] += len(result.wrong)
    tally.counts["touching"] += len(result.touching)
    tally.counts["audits failed"] += not audit(bench).passed
    tally.examples += [*result.wrong, *result.touching]


def print_table(tallies: dict[tuple[Field, float], Tally]) -> None:
    columns = (
        "questions",
        "on titles",
        "on authors",
        "on references",
        "missing",
        "wrong",
        "touching",
        "citation items",
        "undecided",
    )
    print("| removed | of | " + " | ".join((*columns, "audits failed")) + " |")
    print("|" + " --- |" * (len(columns) + 3))
    for (name, share), tally in tallies.items():
        cells = " | ".join(f"{tally.counts[column]:,}" for column in (*columns, "audits failed"))
        print(f"| {name} | {share:.0%} | {cells} |")


if __name__ == "__main__":
    main()

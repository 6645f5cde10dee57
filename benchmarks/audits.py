"""No command writes a bench that its own audit rejects: builds, fits and swaps over seeds, corpora and families.

Ten seeds by default; the first argument is another number. Generated corpora are always tried, real documents where
they are available. A build that is refused with a reason is counted; an audit that fails, a crash, or a correct answer
that its own check rejects is listed, and the exit code is 1.
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import fathom
from _measuring import workplace

SEEDS = 10
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL = {
    "elife": ("elife-jats/synapse.tar.xz", "64K"),
    "scalar": ("scalar_papers.jsonl.gz", "64K"),
    "scipy": ("scipy-proceedings", "32K"),
    "jose": ("jose-pdf-jats/pdf", "32K"),
    "peps": ("peps/rst.tar.xz", "32K"),
    "laws": ("zh-laws", "32K"),
}
"""Sources of real documents, with the length of contexts."""

CITATIONS: tuple[dict[str, Any], ...] = (
    {},
    {"mask": "one"},
    {"candidates": 6},
    {"tasks": ["set"], "candidates": 5},
    {"candidates": "all"},
    {"vary": {"candidate_text": ["concise", "full", "body"]}},
    {"vary": {"scope": ["full", "section"], "mask": ["all", "one"]}},
    {"vary": {"sampling": ["random", "nearest"]}, "tasks": ["choice"]},
    {"vary": {"candidates": [4, 6, "all"]}, "tasks": ["choice", "cloze", "set"]},
    {"scope": "section", "candidate_text": "concise"},
)
"""Options of `citations`, in turn by seed."""

Made = TypeVar("Made")


class Case(NamedTuple):
    """A corpus and the length of its contexts."""

    name: str
    corpus: fathom.Corpus
    length: str


class Study:
    """Builds benches and lists what went wrong."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []

    def try_all(self, case: Case, seed: int) -> None:
        """Every family over one corpus with options that depend on the seed, and what is derived from the benches."""
        for family, options in self._families(case, seed):
            self._try(family, options, case, seed)

    def _try(self, family: str, options: dict[str, Any], case: Case, seed: int) -> None:
        label = f"{family} {case.name} seed {seed}"
        out = self._folder / label.replace(" ", "-")
        bench = self._tried(
            f"build {family}", label, lambda: fathom.build(family, case.corpus, out=out, seed=seed, **options)
        )
        if bench is not None:
            self._check(label, bench)
            self._derive(family, label, bench, seed)

    def _families(self, case: Case, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
        path = self._folder / f"{case.name}-{seed}.jsonl"
        sampled = self._tried(
            "contexts",
            f"contexts {case.name} seed {seed}",
            lambda: case.corpus.contexts(lengths=[case.length], count=4, seed=seed, out=path),
        )
        if sampled is not None:
            yield "numeric", {"questions": 6, "unanswerable": (0.1, 0.3, 0.0)[seed % 3], "contexts": path}
        yield "citations", {"items": 4 + seed % 3, "per_paper": 2 + seed % 4, **CITATIONS[seed % len(CITATIONS)]}
        yield "memorization", {"items": 8, "characters": 4_000 + 2_000 * (seed % 3)}
        if seed < 2:
            yield "citation_types", {}

    def _derive(self, family: str, label: str, bench: fathom.Bench, seed: int) -> None:
        if family in ("numeric", "citations"):
            out = bench.folder.with_name(f"{bench.folder.name}-swapped")
            swapped = self._tried(f"swap {family}", f"swap {label}", lambda: bench.swap(out, seed=seed))
            if swapped is not None:
                self._check(f"swap {label}", swapped)
        if family == "numeric":
            window = int(0.7 * max(context.tokens for context in bench.contexts())) + 3_000
            out = bench.folder.with_name(f"{bench.folder.name}-fitted")
            fitted = self._tried("fit numeric", f"fit {label}", lambda: bench.fit(out, window))
            if fitted is not None:
                self._check(f"fit {label}", fitted)

    def _tried(self, kind: str, label: str, make: Callable[[], Made]) -> Made | None:
        try:
            made = make()
        except fathom.FathomError as error:
            self.counts[f"{kind}: refused"] += 1
            print(f"  refused: {label}: {str(error)[:140]}", flush=True)
            return None
        except Exception:
            self._fail(f"{label} crashed: {traceback.format_exc(limit=-3)}")
            return None
        self.counts[kind] += 1
        return made

    def _check(self, label: str, bench: fathom.Bench) -> None:
        report = bench.audit()
        for check in report.checks:
            if check.failed:
                self._fail(f"{label}: the audit fails: {check.name} ({check.failed} of {check.checked})")
        for item in islice(bench.items(), 20):
            verdict = item.check(f"Answer: {item.answer}")
            if verdict.outcome != "correct":
                self._fail(f"{label}: the correct answer to {item.question.id} is {verdict.outcome}")

    def _fail(self, message: str) -> None:
        self.failures.append(message)
        print(f"FAILED {message}", flush=True)


def cases(folder: Path) -> Iterator[Case]:
    """Generated and real corpora."""
    generated: dict[str, tuple[dict[str, Any], str]] = {
        "articles": ({"documents": 80}, "64K"),
        "letters": ({"documents": 400, "length": "short"}, "4K"),
        "reports": ({"documents": 40, "domains": "reports"}, "64K"),
    }
    for name, (options, length) in generated.items():
        yield Case(name, fathom.generate(folder / name, seed=21, **options), length)
    for name, (source, length) in REAL.items():
        if (DATA / source).exists():
            yield Case(name, fathom.ingest([DATA / source], out=folder / name), length)
        else:
            print(f"  {name}: ../shared/data/{source} is not there")


def main() -> int:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    with workplace() as folder:
        study = Study(folder)
        for case in cases(folder):
            print(f"{case.name}: {case.corpus!r}", flush=True)
            for seed in range(seeds):
                study.try_all(case, seed)
            case.corpus.close()
        print("\n".join(f"{count:>6}  {kind}" for kind, count in sorted(study.counts.items())))
        print(f"{len(study.failures)} failures")
        return 1 if study.failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""No command writes a bench that its own audit rejects: builds, fits and swaps over seeds, corpora and options.

Every option combination of every family is tried: each seed takes every tenth, so that ten seeds try all of them on
each corpus. Refused commands are counted, and so are the items that commands dropped, by reason. An audit that fails, a
crash, or a correct answer that its own check rejects is listed, and the exit code is 1.

    python benchmarks/audits.py --seeds 0-9 --corpora FOLDER        corpora that are ready, one folder each
    python benchmarks/audits.py --seeds 0-2 --only elife,scalar     a piece of the study
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import fathom
from _measuring import workplace

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
GENERATED: dict[str, dict[str, Any]] = {
    "articles": {"documents": 80},
    "letters": {"documents": 400, "length": "short"},
    "reports": {"documents": 40, "domains": "reports"},
}
REAL = {
    "elife": "elife-jats/synapse.tar.xz",
    "scalar": "scalar_papers.jsonl.gz",
    "scipy": "scipy-proceedings",
    "jose": "jose-pdf-jats/pdf",
    "peps": "peps/rst.tar.xz",
    "laws": "zh-laws",
}
LENGTHS = {"letters": "4K", "articles": "64K", "reports": "64K", "elife": "64K", "scalar": "64K"}
"""The length of contexts; 32K for the other corpora."""

PARTS = 10
"""A seed tries one of so many parts of the combinations."""
SWAPPED = 3
"""One of so many benches is swapped, since a swap writes a whole corpus."""

TEMPLATES = (
    "SELECT MAX(author_count) FROM articles",
    "SELECT COUNT(*) FROM articles WHERE reference_count > {reference-count}",
    "SELECT article_title FROM articles WHERE author_count = {author-count} ORDER BY reference_count DESC",
    "SELECT author_count, COUNT(*) FROM articles GROUP BY author_count",
)
TAKEN: dict[str, tuple[dict[str, Any], ...]] = {
    "numeric": (
        *({"unanswerable": share} for share in (0.0, 0.1, 0.5)),
        {"template_splits": {"train": 60, "test": 40}},
        *({"hold_out": (held,)} for held in ("skill=sorting", "topic=author list", "length=32K")),
        {"templates": True},
    ),
    "citations": (
        *({"levels": (level,), "mask": mask} for level, mask in product(("easy", "medium", "hard"), ("all", "one"))),
        *(
            {"tasks": (task,), "candidates": count}
            for task, count in product(("choice", "cloze", "set"), (4, 8, "all"))
        ),
        *(
            dict(zip(("type", "sampling", "candidate_text", "scope", "mask"), values, strict=True))
            for values in product(
                ("attributional", "descriptive"),
                ("random", "nearest"),
                ("concise", "full", "body"),
                ("full", "section"),
                ("all", "one"),
            )
        ),
        {"yearly": True},
        {"vary": {"scope": ("full", "section"), "mask": ("all", "one")}},
        {"vary": {"candidates": (4, 8), "candidate_text": ("concise", "full", "body")}},
        {"characters": 20_000},
    ),
    "memorization": tuple(
        {"probes": probes, "characters": characters}
        for probes, characters in product((("citation",), ("title",), ("citation", "title")), (2_000, 8_000))
    ),
    "citation_types": ({},),
    "tables": (*({"levels": (level,)} for level in ("easy", "medium", "hard")), {}, {"unanswerable": 0.5}),
}
"""The option combinations of each family."""
SMALL: dict[str, dict[str, Any]] = {
    "numeric": {"questions": 6},
    "citations": {"items": 3, "per_paper": 2},
    "memorization": {"items": 8},
    "citation_types": {},
    "tables": {"questions": 8},
}
OVER_CONTEXTS = ("numeric", "tables")
"""Families that ask about sampled contexts."""

Made = TypeVar("Made")


class Study:
    """Builds benches and lists what went wrong."""

    def __init__(self, folder: Path, families: list[str]) -> None:
        self._folder = folder
        self._families = families
        self.counts: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.failures: list[str] = []

    def try_all(self, name: str, corpus: fathom.Corpus, seed: int) -> None:
        """The seed's part of all combinations over one corpus, and what is derived from the benches."""
        place = self._folder / f"{name}-{seed}"
        place.mkdir()
        contexts = self._tried(
            "contexts",
            f"contexts {name} seed {seed}",
            lambda: corpus.contexts(
                lengths=[LENGTHS.get(name, "32K")],
                count=4,
                seed=seed,
                out=place / "contexts.jsonl",
                splits={"train": 50, "test": 50} if seed % 2 else {},
            ),
        )
        (place / "mine.json").write_text(json.dumps([{"sql": sql} for sql in TEMPLATES]))
        for number, (family, options) in enumerate(combinations(seed)):
            if family in self._families and (contexts is not None or family not in OVER_CONTEXTS):
                label = f"{family} {name} seed {seed} {options}"
                case = Case(label, family, seed, place / str(number), (number + seed // PARTS) % SWAPPED == 0)
                self._try(case, corpus, options, place)
        if contexts is not None and seed % 2 == 0 and {"numeric", "citations"} <= {*self._families}:
            self._try_recipe(Case(f"recipe {name} seed {seed}", "recipe", seed, place / "recipe"), corpus, place)
        shutil.rmtree(place)

    def _try(self, case: Case, corpus: fathom.Corpus, options: dict[str, Any], place: Path) -> None:
        given = {**SMALL[case.family], **options}
        if "templates" in given:
            given["templates"] = place / "mine.json"
        if case.family in OVER_CONTEXTS:
            given["contexts"] = place / "contexts.jsonl"
        bench = self._tried(
            f"build {case.family}",
            case.label,
            lambda: fathom.build(case.family, corpus, out=case.out, seed=case.seed, **given),
        )
        self._check_and_derive(case, bench)

    def _try_recipe(self, case: Case, corpus: fathom.Corpus, place: Path) -> None:
        families = {"numeric": {"questions": 3}, "citations": {"items": 2}, "memorization": {"items": 4}}
        tables = "".join(
            f"[families.{name}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())
            for name, values in families.items()
        )
        text = f'corpus = "{corpus.folder}"\ncontexts = "contexts.jsonl"\nout = "recipe"\nseed = {case.seed}\n{tables}'
        (place / "recipe.toml").write_text(text)
        self._check_and_derive(
            case, self._tried("build recipe", case.label, lambda: fathom.build_recipe(place / "recipe.toml"))
        )

    def _check_and_derive(self, case: Case, bench: fathom.Bench | None) -> None:
        if bench is None:
            return
        self._check(case.label, bench)
        self._drop(f"build {case.family}", bench.manifest.dropped)
        if case.family in ("memorization", "citation_types", "tables"):
            return
        if case.swapped:
            self._swap(case, bench)
        self._fit(case, bench)

    def _swap(self, case: Case, bench: fathom.Bench) -> None:
        out = case.out.with_name(f"{case.out.name}-swapped")
        swapped = self._tried(f"swap {case.family}", f"swap {case.label}", lambda: bench.swap(out, seed=case.seed))
        if swapped is not None:
            self._check(f"swap {case.label}", swapped)
            self._drop(f"swap {case.family}", swapped.manifest.reports["swap"]["left out"])

    def _fit(self, case: Case, bench: fathom.Bench) -> None:
        longest = max(context.tokens for context in bench.contexts())
        fitted_to = case.out.with_name(f"{case.out.name}-fitted")
        window = int((0.5, 0.7, 1.1)[case.seed % 3] * longest) + 3_000
        fitted = self._tried(f"fit {case.family}", f"fit {case.label}", lambda: bench.fit(fitted_to, window))
        if fitted is not None:
            self._check(f"fit {case.label}", fitted)
            assert fitted.manifest.fit is not None
            self._drop(f"fit {case.family}", fitted.manifest.fit.refused)

    def _drop(self, kind: str, reasons: Any) -> None:
        self.dropped.update({f"{kind}: {reason}": count for reason, count in reasons.items()})

    def _tried(self, kind: str, label: str, make: Callable[[], Made]) -> Made | None:
        try:
            made = make()
        except fathom.FathomError as error:
            self.counts[f"{kind}: refused"] += 1
            print(f"  refused: {label}: {str(error).replace(str(self._folder), '')[:160]}", flush=True)
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


class Case(NamedTuple):
    """One bench to build."""

    label: str
    family: str
    seed: int
    out: Path
    swapped: bool = True


def combinations(seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The families with the options that a seed tries; all of them over ten seeds."""
    for family, options in TAKEN.items():
        yield from ((family, one) for place, one in enumerate(options) if place % PARTS == seed % PARTS)


def corpora(folder: Path, ready: Path | None, only: list[str]) -> Iterator[tuple[str, fathom.Corpus]]:
    """The corpora of the study by name: ready ones, else generated and ingested ones."""
    for name in only or [*GENERATED, *REAL]:
        if ready is not None and (ready / name).is_dir():
            yield name, fathom.open_corpus(ready / name)
        elif name in GENERATED:
            yield name, fathom.generate(folder / name, seed=21, **GENERATED[name])
        elif (DATA / REAL[name]).exists():
            yield name, fathom.ingest([DATA / REAL[name]], out=folder / name)
        else:
            print(f"  {name}: ../shared/data/{REAL[name]} is not there")


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seeds", default="0-9", help="such as 0-9 or 3")
    words.add_argument("--corpora", type=Path, help="a folder with ready corpora")
    words.add_argument("--only", default="", help="the names of corpora")
    words.add_argument("--families", default=",".join(TAKEN))
    given = words.parse_args()
    first, _, last = given.seeds.partition("-")
    with workplace() as folder:
        study = Study(folder, given.families.split(","))
        for name, corpus in corpora(folder, given.corpora, [one for one in given.only.split(",") if one]):
            for seed in range(int(first), int(last or first) + 1):
                start = time.perf_counter()
                study.try_all(name, corpus, seed)
                print(f"{name} seed {seed}: {time.perf_counter() - start:.0f} s", flush=True)
            corpus.close()
        print("\n".join(f"{count:>6}  {kind}" for kind, count in sorted(study.counts.items())))
        print("left out by:")
        print("\n".join(f"{count:>6}  {reason}" for reason, count in study.dropped.most_common()))
        print(f"{len(study.failures)} failures")
        return 1 if study.failures else 0


if __name__ == "__main__":
    sys.exit(main())

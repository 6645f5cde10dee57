"""No command writes a bench that its own audit rejects: builds, fits and swaps over seeds, corpora and options.

Every option combination of every family is tried: each seed takes every tenth, and at least one, so that ten seeds try
all of them on each corpus. `--per-family N` takes at most N of them, so that many seeds and corpora take little time.
The first seed is tried on all corpora, then the second. Refused commands are counted, and so are the items that
commands dropped, by reason. An audit that fails, a crash, or an answer of the faultless `sim/oracle` and `sim/reader`
that is not correct is listed, and the exit code is 1.

    python benchmarks/audits.py --seeds 0-9 --corpora FOLDER        corpora that are ready, one folder each
    python benchmarks/audits.py --seeds 0-2 --only elife,scalar     a piece of the study
    python benchmarks/audits.py --per-family 1                      a thin study
    python benchmarks/audits.py --only jose --log study.jsonl       append a line for each command to a file
    python benchmarks/audits.py --table study.jsonl                 the tables of pieces that ran before
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import fathom
from _measuring import workplace
from fathom.api.annotations import Format, import_annotations

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
GENERATED: dict[str, dict[str, Any]] = {
    "articles": {"documents": 80},
    "letters": {"documents": 400, "length": "short"},
    "reports": {"documents": 40, "domains": "reports"},
    "prose": {"documents": 24, "domains": "prose"},
}
REAL = {
    "elife": "elife-jats/synapse.tar.xz",
    "scalar": "scalar_papers.jsonl.gz",
    "scipy": "scipy-proceedings",
    "jose": "jose-pdf-jats/pdf",
    "peps": "peps/rst.tar.xz",
    "laws": "zh-laws/markdown.tar.xz",
    "sec-10k-ixbrl": "sec-10k-ixbrl/html.tar.xz",
    "uk-accounts-ixbrl": "uk-accounts-ixbrl/html.tar.xz",
    "world-factbook": "world-factbook/json.tar.xz",
    "university-cds": "university-cds/markdown.tar.xz",
    "pmc": "pmc-rct-evidence/xml.tar.xz",
}
ANNOTATED: dict[str, tuple[str, Format]] = {"pmc": ("pmc-rct-evidence", "evidence-inference")}
"""The annotations of a corpus, and their format."""
LENGTHS = {
    "letters": "4K",
    "jose": "8K",
    "articles": "64K",
    "reports": "192K",
    "elife": "64K",
    "scalar": "64K",
    "world-factbook": "64K",
    "university-cds": "256K",
    "sec-10k-ixbrl": "1M",
}
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
    "claims": (
        *({"tasks": (task,)} for task in ("claims", "evidence", "strength", "significance")),
        {"documents": 3},
        *({"no_abstract": True, "early_evidence": True, "level": level} for level in ("sentence", "character")),
        {"level": "character", "threshold": 0.9},
        {"documents": 2, "early_evidence": True},
        {},
    ),
    "puzzles": (
        *({"min_steps": low, "max_steps": high} for low, high in ((2, 3), (4, 6), (7, 9), (2, 9))),
        {"per_document": 10},
    ),
}
"""The option combinations of each family."""
SMALL: dict[str, dict[str, Any]] = {
    "numeric": {"questions": 6},
    "citations": {"items": 3, "per_paper": 2},
    "memorization": {"items": 8},
    "citation_types": {},
    "tables": {"questions": 8},
    "claims": {"items": 6},
    "puzzles": {"items": 8},
}
OVER_CONTEXTS = ("numeric", "tables")
"""Families that ask about sampled contexts."""
SWAPPABLE = ("numeric", "citations", "recipe")


@dataclass
class Outcome:
    """What became of one command."""

    corpus: str
    family: str
    command: str
    seed: int
    options: str
    refused: str = ""
    """Why the command refused, if it did."""
    items: int = 0
    """Items of the bench that it wrote."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Items that it left out, by reason."""
    failures: list[str] = field(default_factory=list)


class Case(NamedTuple):
    """One bench to build."""

    corpus: str
    family: str
    seed: int
    options: dict[str, Any]
    out: Path
    swapped: bool = True

    def outcome(self, command: str) -> Outcome:
        options = {name: value for name, value in self.options.items() if name != "contexts"}
        return Outcome(self.corpus, self.family, command, self.seed, str(options))


class Study:
    """Builds benches and lists what became of each."""

    def __init__(self, folder: Path, families: list[str], per_family: int | None, log: Path | None) -> None:
        self._folder = folder
        self._families = families
        self._per_family = per_family
        self._log = log
        self.outcomes: list[Outcome] = []

    def try_all(self, name: str, corpus: fathom.Corpus, seed: int) -> None:
        """The seed's part of all combinations over one corpus, and what is derived from the benches."""
        place = self._folder / f"{name}-{seed}"
        place.mkdir()
        (place / "mine.json").write_text(json.dumps([{"sql": sql} for sql in TEMPLATES]))
        if name in ANNOTATED and "claims" in self._families:
            source, form = ANNOTATED[name]
            import_annotations([DATA / source], corpus.folder, place / "annotations.jsonl", form)
        contexts = self._sampled(name, corpus, seed, place / "contexts.jsonl")
        for number, (family, options) in enumerate(combinations(seed, self._per_family)):
            if family in self._families and (contexts or family not in OVER_CONTEXTS):
                # Both vary, so that no run of ten seeds leaves out a family.
                swapped = (number + seed + seed // PARTS) % SWAPPED == 0
                self._try(Case(name, family, seed, options, place / str(number), swapped), corpus, place)
        if contexts and seed % 2 == 0 and {"numeric", "citations"} <= {*self._families}:
            self._try_recipe(Case(name, "recipe", seed, {}, place / "recipe"), corpus, place)
        shutil.rmtree(place)

    def _sampled(self, name: str, corpus: fathom.Corpus, seed: int, out: Path) -> bool:
        """Whether the corpus has contexts of its length, which are written to `out`."""
        try:
            corpus.contexts(
                lengths=[LENGTHS.get(name, "32K")],
                count=4,
                seed=seed,
                out=out,
                splits={"train": 50, "test": 50} if seed % 2 else {},
                # Reports of one year can be compared with one another.
                sampling=["year"] if name == "reports" else ["random", "bfs", "dfs"],
            )
        except fathom.FathomError as error:
            print(f"  no contexts: {error}", flush=True)
            return False
        return True

    def _try(self, case: Case, corpus: fathom.Corpus, place: Path) -> None:
        given = {**SMALL[case.family], **case.options}
        if "templates" in given:
            given["templates"] = place / "mine.json"
        if case.family in OVER_CONTEXTS:
            given["contexts"] = place / "contexts.jsonl"
        if case.family == "claims" and case.corpus in ANNOTATED:
            given["annotations"] = place / "annotations.jsonl"
        self._check_and_derive(case, lambda: fathom.build(case.family, corpus, out=case.out, seed=case.seed, **given))

    def _try_recipe(self, case: Case, corpus: fathom.Corpus, place: Path) -> None:
        families = {"numeric": {"questions": 3}, "citations": {"items": 2}, "memorization": {"items": 4}}
        tables = "".join(
            f"[families.{name}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())
            for name, values in families.items()
        )
        text = f'corpus = "{corpus.folder}"\ncontexts = "contexts.jsonl"\nout = "recipe"\nseed = {case.seed}\n{tables}'
        (place / "recipe.toml").write_text(text)
        self._check_and_derive(case, lambda: fathom.build_recipe(place / "recipe.toml"))

    def _check_and_derive(self, case: Case, build: Callable[[], fathom.Bench]) -> None:
        bench = self._tried(case.outcome("build"), build, lambda made: made.manifest.dropped)
        if bench is None:
            return
        if case.swapped and case.family in SWAPPABLE:
            out = case.out.with_name(f"{case.out.name}-swapped")
            self._tried(
                case.outcome("swap"),
                lambda: bench.swap(out, seed=case.seed),
                lambda made: made.manifest.reports["swap"]["left out"],
            )
        longest = max((context.tokens for context in bench.contexts()), default=0)
        window = int((0.5, 0.7, 1.1)[case.seed % 3] * longest) + 3_000
        fitted = case.out.with_name(f"{case.out.name}-fitted")
        self._tried(case.outcome("fit"), lambda: bench.fit(fitted, window), lambda made: made.manifest.fit.refused)  # type: ignore[union-attr]

    def _tried(
        self, outcome: Outcome, make: Callable[[], fathom.Bench], dropped: Callable[[fathom.Bench], Any]
    ) -> fathom.Bench | None:
        """The bench that a command writes, if it does; the outcome is kept."""
        made = None
        try:
            made = make()
            outcome.items = len(made)
            outcome.dropped = {reason: count for reason, count in dropped(made).items() if count}
            outcome.failures = list(failures(made))
        except fathom.FathomError as error:
            outcome.refused = str(error).replace(str(self._folder), "")[:160]
        except Exception:
            outcome.failures = [f"crashed: {traceback.format_exc(limit=-3)}"]
        self.outcomes.append(outcome)
        where = f"{outcome.command} {outcome.family} {outcome.corpus} seed {outcome.seed} {outcome.options}"
        for message in outcome.failures:
            print(f"FAILED {where}: {message}", flush=True)
        if outcome.refused:
            print(f"  refused: {where}: {outcome.refused}", flush=True)
        if self._log is not None:
            with self._log.open("a") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")
        return made


def failures(bench: fathom.Bench) -> Iterator[str]:
    """Audit checks that fail, and answers of faultless simulated models that are not scored as correct."""
    for check in bench.audit().checks:
        if check.failed:
            yield f"the audit fails: {check.name} ({check.failed} of {check.checked})"
    models = ["oracle"] if "memorization" in bench.manifest.families else ["oracle", "reader"]  # it shows no context
    for model in models:
        run = fathom.run(bench, model=f"sim/{model}", out=bench.folder.with_name(f"{bench.folder.name}-{model}"))
        accuracy = run.score().accuracy
        if accuracy < 1:
            yield f"the accuracy of sim/{model} is {accuracy:.1%}"


def combinations(seed: int, per_family: int | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The families with the options that a seed tries, all of them over ten seeds; at most `per_family` of each."""
    for family, options in TAKEN.items():
        parts = min(PARTS, len(options))
        mine = options[seed % parts :: parts]
        if per_family is not None and per_family < len(mine):
            mine = tuple(Random(seed).sample(mine, per_family))
        yield from ((family, one) for one in mine)


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


def table(outcomes: Iterable[Outcome]) -> str:
    """The outcomes by corpus, family and command, and the reasons for which items were dropped, in Markdown."""
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    reasons: dict[tuple[str, str], Counter[str]] = {}
    for one in outcomes:
        groups.setdefault((one.corpus, one.family, one.command), []).append(one)
        reasons.setdefault((one.command, one.family), Counter()).update(one.dropped)
    lines = [
        "| corpus | family | command | benches | refused | items | dropped | failed audits |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    total = [0] * 5
    for group, found in sorted(groups.items()):
        numbers = [
            sum(not one.refused for one in found),
            sum(bool(one.refused) for one in found),
            sum(one.items for one in found),
            sum(sum(one.dropped.values()) for one in found),
            sum(bool(one.failures) for one in found),
        ]
        total = [one + other for one, other in zip(total, numbers, strict=True)]
        lines.append(f"| {' | '.join(group)} | {' | '.join(f'{number:,}' for number in numbers)} |")
    lines.append(f"| all | | | {' | '.join(f'{number:,}' for number in total)} |")
    lines += ["", "| command | family | dropped because | items |", "|---|---|---|--:|"]
    for (command, family), counts in sorted(reasons.items()):
        lines += [f"| {command} | {family} | {reason} | {count:,} |" for reason, count in counts.most_common()]
    return "\n".join(lines)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seeds", default="0-9", help="such as 0-9 or 3")
    words.add_argument("--corpora", type=Path, help="a folder with ready corpora")
    words.add_argument("--only", default="", help="the names of corpora")
    words.add_argument("--families", default=",".join(TAKEN))
    words.add_argument("--per-family", type=int, help="the most option combinations of a family for one seed")
    words.add_argument("--log", type=Path, help="append a line for each command to this file")
    words.add_argument("--table", type=Path, nargs="+", help="print the tables of such files; build nothing")
    given = words.parse_args()
    if given.table:
        print(table(Outcome(**json.loads(line)) for path in given.table for line in path.read_text().splitlines()))
        return 0
    first, _, last = given.seeds.partition("-")
    with workplace() as folder:
        study = Study(folder, given.families.split(","), given.per_family, given.log)
        opened = dict(
            corpora(folder, given.corpora and given.corpora.resolve(), [one for one in given.only.split(",") if one])
        )
        for seed, (name, corpus) in product(range(int(first), int(last or first) + 1), opened.items()):
            start = time.perf_counter()
            study.try_all(name, corpus, seed)
            print(f"{name} seed {seed}: {time.perf_counter() - start:.0f} s", flush=True)
        for corpus in opened.values():
            corpus.close()
        print(table(study.outcomes))
        failed = sum(bool(one.failures) for one in study.outcomes)
        print(f"{failed} failures")
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""From run folders to findings: reads files alone, and the same files give the same findings."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import fathom
from fathom.analysis.across import (
    Column,
    comparisons,
    contamination,
    documents_shared,
    floors,
    ladders,
    repeated,
    without_ladder,
)
from fathom.analysis.cost import Offer, best_for_their_price
from fathom.analysis.findings import Attribution, BenchFacts, Comparison, Counts, Findings, ItemFinding, RunFinding
from fathom.analysis.going_with import going_with
from fathom.analysis.intervals import Numbers
from fathom.analysis.reading import Joined, join
from fathom.analysis.sharing import Sharing
from fathom.analysis.summing_up import (
    breakdowns,
    group,
    heat_maps,
    length_curve,
    masks,
    patterns,
    sampled,
)
from fathom.analysis.walking import Arrays, Seen, Walked, arrays, walk, with_causes
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError

FEW_CONTEXTS = 15
WORTH_PROCESSES = 1_500
"""Questions from which on further processes pay: at 2,000, two of them take 5 seconds where one takes 6."""


@dataclass(frozen=True)
class Settings:
    """How much chance is spent on what has no formula."""

    seed: int = 0
    resamples: int = 2_000
    """Draws of contexts for effective lengths."""
    exchanges: int = 10_000
    """Tosses for paired tests."""
    causes: bool = True
    """Whether to look for the causes of wrong answers, which takes most of the time."""
    processes: int = 1
    """In how many to look for them; the findings are the same for any number."""


@dataclass(frozen=True)
class Analysis:
    """What was found in all, and of each response."""

    findings: Findings
    items: dict[str, list[ItemFinding]]
    """By run; a question's samples stand side by side, in the order of the bench."""

    def all_items(self) -> Iterator[ItemFinding]:
        for some in self.items.values():
            yield from some


def analyze(
    folders: Sequence[Path],
    bench: Path | None = None,
    corpus: Path | None = None,
    settings: Settings = Settings(),  # noqa: B008 - frozen
    watch: Callable[[int], None] = lambda done: None,
) -> Analysis:
    """Everything that the runs in these folders show; `bench` and `corpus` say where they are, if they were moved."""
    with _uncollected():
        joined = join(folders, bench)
        parts = [_Part.of(one, corpus, settings, watch) for one in joined]
    order = {folder.resolve(): place for place, folder in enumerate(folders)}
    runs = sorted(
        ((order[Path(run.facts.folder).resolve()], run) for part in parts for run in part.runs),
        key=lambda pair: pair[0],
    )
    findings = Findings(
        fathom=fathom.__version__,
        seed=settings.seed,
        resamples=settings.resamples,
        benches=tuple(part.bench for part in parts),
        runs=tuple(run for _, run in runs),
        comparisons=tuple(one for part in parts for one in part.comparisons),
        repeated=tuple(one for part in parts for one in repeated(part.walked, part.columns, part.bench.fingerprint)),
        ladders=tuple(one for part in parts for one in ladders(part.walked, part.columns, part.bench.fingerprint)),
        floors=tuple(one for part in parts for one in floors(part.walked, part.columns, part.bench.fingerprint)),
        contamination=tuple(
            one for part in parts for one in contamination(part.walked, part.columns, part.bench.fingerprint)
        ),
        notes=tuple(note for part in parts for note in part.notes),
    )
    return Analysis(findings, {run.facts.name: part.items[run.facts.name] for part in parts for run in part.runs})


def compare_runs(first: Path, second: Path, bench: Path | None = None, settings: Settings = Settings()) -> Analysis:  # noqa: B008
    """The same for two runs that must be on one bench."""
    if len(join([first, second], bench)) > 1:
        raise FathomError(f"'{first}' and '{second}' were run on two benches. Compare runs on one.")
    return analyze([first, second], bench, None, replace(settings, causes=False))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of cycles: it finds none in records, and a fifth of the time went into its looking."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True)
class _Part:
    """All about one bench."""

    bench: BenchFacts
    walked: Walked
    columns: list[Column]
    runs: list[RunFinding]
    comparisons: list[Comparison]
    items: dict[str, list[ItemFinding]]
    notes: list[str]

    @classmethod
    def of(cls, joined: Joined, corpus: Path | None, settings: Settings, watch: Callable[[int], None]) -> _Part:
        with ExitStack() as stack:
            walked = walk(
                joined, _corpus(joined, corpus, stack) if settings.causes else None, _processes(joined, settings), watch
            )
        facts = _bench_facts(walked)
        rng = np.random.default_rng([settings.seed, int(facts.fingerprint[:8], 16)])
        columns = [Column(seen, arrays(walked, seen)) for seen in walked.seen]
        sharing = Sharing.of(walked.documents) if documents_shared(walked.documents)["shared"] else None
        items: dict[str, list[ItemFinding]] = {}
        runs = []
        for column in columns:
            settled = column.seen.attributing.settle()
            items[column.name] = with_causes(column.seen.items, settled)
            told = settled.attribution if column.seen.attributing.readable else None
            runs.append(_run(walked, column.seen, column.found, told, facts, settings, rng, sharing))
        runs = _with_best(runs, walked.seen)
        compared = comparisons(walked, columns, settings.exchanges, rng)
        notes = [*_notes(walked, facts, runs, settings.causes), *without_ladder(columns)]
        return cls(facts, walked, columns, runs, compared, items, notes)


def _corpus(joined: Joined, given: Path | None, stack: ExitStack) -> Corpus | None:
    """The bench's corpus, open; None where it is gone or another, unless it was named, and then that is misuse."""
    where = given or joined.bench.corpus_folder
    if given is None and not where.exists():
        return None
    opened = stack.enter_context(Corpus(where))
    if opened.manifest.fingerprint == joined.bench.manifest.corpus_fingerprint:
        return opened
    if given is None:
        return None
    raise FathomError(
        f"The corpus '{where}' is not the one that the bench '{joined.bench.folder}' was built from. "
        "Give that one with --corpus."
    )


def _processes(joined: Joined, settings: Settings) -> int:
    """As many as are allowed, and one where starting others takes longer than the work."""
    return settings.processes if joined.bench.manifest.questions >= WORTH_PROCESSES else 1


def _bench_facts(walked: Walked) -> BenchFacts:
    bench = walked.joined.bench
    manifest = bench.manifest
    fitted = manifest.fit
    ties = documents_shared(_all_documents(walked))
    return BenchFacts(
        fingerprint=manifest.fingerprint,
        folder=str(bench.folder),
        name=bench.folder.resolve().name,
        families=manifest.families,
        questions=manifest.questions,
        contexts=manifest.contexts,
        documents=int(ties["documents"]),
        counts=Counts(
            built=manifest.questions if fitted is None else fitted.built,
            fitted=manifest.questions,
            errors=0,
            refused=0 if fitted is None else sum(fitted.refused.values()),
        ),
        shared_documents=ties["shared"],
        linked_contexts=ties["linked"],
        leaks=manifest.leaks,
        licenses=manifest.licenses,
    )


def _all_documents(walked: Walked) -> list[Numbers]:
    """The documents of every context of the bench, those of which no run was asked anything too."""
    if len(walked.documents) == walked.joined.bench.manifest.contexts:
        return walked.documents
    numbers: dict[str, int] = {}
    return [
        np.array([numbers.setdefault(id, len(numbers)) for id in context.documents], dtype=np.int64)
        for context in walked.joined.bench.contexts()
    ]


def _run(
    walked: Walked,
    seen: Seen,
    found: Arrays,
    told: Attribution | None,
    bench: BenchFacts,
    settings: Settings,
    rng: np.random.Generator,
    sharing: Sharing | None,
) -> RunFinding:
    samples = seen.run.samples
    every = np.ones(len(found.rows), dtype=bool)
    whole = group("all", found, every, bench, samples, whole_run=True)
    groups = masks(walked, found)
    return RunFinding(
        facts=seen.run.facts(not whole.outcomes.error and not whole.outcomes.unanswered),
        all=whole,
        breakdowns=tuple(breakdowns(found, groups, bench, samples)),
        heat_maps=tuple(heat_maps(found, groups)),
        lengths=length_curve(walked.asked, found, samples, settings.resamples, rng),
        samples=sampled(seen, found),
        correlations=going_with(found.right, found.contexts, _sizes(walked, found)),
        patterns=tuple(patterns(walked, seen, found)),
        attribution=told,
        steps=seen.steps.found(),
        cost=seen.spending.cost(len(found.rows), whole.outcomes.correct / samples, seen.run.spent),
        by_document=None if sharing is None else sharing.share(found.right, found.contexts),
        not_asked=seen.run.others,
    )


def _sizes(walked: Walked, found: Arrays) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The questions' sizes; not a number where a question lacks one, such as evidence for what has no answer."""
    return {name: values[found.rows] for name, values in walked.sizes.items()}


def _with_best(runs: Sequence[RunFinding], seen: Sequence[Seen]) -> list[RunFinding]:
    offers = [
        Offer(run.cost.price_a_question, run.all.accuracy.value, one.run.asked)
        for run, one in zip(runs, seen, strict=True)
    ]
    return [
        run.model_copy(update={"cost": run.cost.model_copy(update={"best_for_its_price": best})})
        for run, best in zip(runs, best_for_their_price(offers), strict=True)
    ]


def _notes(walked: Walked, bench: BenchFacts, runs: Sequence[RunFinding], causes: bool) -> list[str]:
    """What a reader should know before trusting a figure."""
    notes = []
    if causes and not walked.has_corpus:
        notes.append(
            f"The corpus of '{bench.name}' is not there, so that no cause of a wrong answer is named. "
            "Say where it is with --corpus."
        )
    contexts = len(walked.documents)
    if contexts < FEW_CONTEXTS:
        over = "1 context" if contexts == 1 else f"{contexts} contexts"
        notes.append(f"'{bench.name}' was asked over {over}: intervals are wide, and rightly so.")
    if bench.linked_contexts > 0.5:
        notes.append(
            f"{bench.shared_documents:.0%} of the documents of '{bench.name}' stand in several contexts, which are "
            "therefore not wholly independent; the interval by documents allows for that."
        )
    for run, seen in zip(runs, walked.seen, strict=True):
        waiting = run.all.outcomes.error + run.all.outcomes.unanswered
        if waiting:
            said = "1 response has" if waiting == 1 else f"{waiting:,} responses have"
            notes.append(
                f"{run.facts.name}: {said} not come ({run.all.outcomes.error:,} failed). What has not come counts "
                f"among the questions and not as right; were all of it right, the score would be {run.all.at_most:.1%}."
            )
        if seen.untold and walked.has_corpus:
            said = "1 wrong answer is" if seen.untold == 1 else f"{seen.untold:,} wrong answers are"
            notes.append(f"{run.facts.name}: {said} of families that cannot tell causes.")
    return [*notes, *_judged_here([seen.run.judged_here for seen in walked.seen])]


def _judged_here(counts: Sequence[int]) -> Iterator[str]:
    """One line for all runs: it is so for each of them, or for none, unless scoring was forgotten for one."""
    runs = sum(count > 0 for count in counts)
    if runs:
        responses = "1 response" if sum(counts) == 1 else f"{sum(counts):,} responses"
        yield f"{responses} of {runs:,} {'run' if runs == 1 else 'runs'} had no verdict and were judged here."

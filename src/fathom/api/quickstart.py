"""A first benchmark from documents: chooses lengths, families and sizes that suit a corpus."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from fathom.api.arguments import Folder, as_path
from fathom.api.benches import Bench, BenchRecipe
from fathom.api.corpora import Corpus, ingest, open_corpus
from fathom.api.prices import COMMON_MODELS
from fathom.api.runs import Run, plan, run
from fathom.corpus.manifest import FILE_NAME
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Sampling
from fathom.records.errors import FathomError
from fathom.tasks.catalog import family, family_names, preparation_of
from fathom.tasks.family import PerContext

__all__ = ["FirstBench", "choose", "estimate_prices", "is_corpus", "quickstart", "run_folder"]

LENGTHS = tuple(1_024 * 2**power for power in range(1, 8))
"""The context lengths to choose from: 2K to 128K. Longer ones cost dollars for each model that is tried."""
MIN_DOCUMENTS = 4
"""Documents in the shortest context, so that there is something to compare."""
QUESTIONS = 10
"""Questions of each context."""
CONTEXTS = 6
"""Contexts of each length."""


@dataclass(frozen=True)
class FirstBench:
    """What a first bench over a corpus consists of."""

    lengths: tuple[int, ...]
    count: int
    """Contexts of each length."""
    min_documents: int
    sampling: tuple[Sampling, ...]
    families: Mapping[str, Mapping[str, Any]]
    """The settings of each family."""


def choose(corpus: Corpus) -> FirstBench:
    """The lengths, families and sizes of a first bench; an error if the documents allow none."""
    sizes = list(corpus.token_counts(tokenizer(corpus.manifest.tokenizer)).values())
    if not sizes:
        raise FathomError(f"'{corpus.folder}' has no documents. Give a folder with documents that can be read.")
    lengths, count = _choose_lengths(sizes)
    suitable = {
        name: settings
        for name in family_names()
        if (settings := family(name).starter(corpus, QUESTIONS)) is not None and _suits(name, corpus)
    }
    unprepared = {name: found for name in suitable if (found := preparation_of(name, corpus)) is not None}
    families = {name: settings for name, settings in suitable.items() if name not in unprepared}
    if unprepared and not families:
        (name, needed), *_ = unprepared.items()
        raise FathomError(
            f"The family {name} can ask about '{corpus.folder}', but needs to know its figures first. Run "
            f"`{needed.command.replace('CORPUS', str(corpus.folder))}`, check the file, and build with "
            f"`fathom build {name} {corpus.folder} --out bench {needed.options}`."
        )
    if not families:
        raise FathomError(
            f"No family can ask about the {len(sizes):,} documents of '{corpus.folder}': they have neither titles, "
            "authors and references nor figures. See `fathom show` for what was read, and docs/reading.md."
        )
    return FirstBench(lengths, count, min(MIN_DOCUMENTS, len(sizes)), _choose_sampling(corpus), families)


def _choose_sampling(corpus: Corpus) -> tuple[Sampling, ...]:
    """Along citations where most documents have one; otherwise such contexts could not be filled."""
    manifest = corpus.manifest
    return ("random", "bfs", "dfs") if manifest.links >= manifest.documents else ("random",)


def _choose_lengths(sizes: list[int]) -> tuple[tuple[int, ...], int]:
    """The lengths of contexts, and how many of each, for documents of these sizes."""
    total = sum(sizes)
    # Half of the documents must be left over, or every context would be the same.
    possible = [one for one in LENGTHS if (MIN_DOCUMENTS + 0.5) * median(sizes) <= one <= total / 2]
    if possible:
        chosen = tuple(possible[-2:])
        return chosen, min(CONTEXTS, max(2, total // chosen[-1]))
    # All documents in one context. The lines between them take a few tokens.
    return (total + 50 * len(sizes),), 1


def _suits(name: str, corpus: Corpus) -> bool:
    build = family(name).build
    if not isinstance(build, PerContext):
        return True
    kinds = corpus.manifest.kinds
    return build.kind in (None, max(kinds, key=lambda kind: kinds[kind])) and build.suits(corpus)


def estimate_prices(bench: Bench) -> dict[str, float | None]:
    """The estimated price of a run of each common model whose window fits."""
    return {model: plan(bench, model=model).price for model in COMMON_MODELS}


def quickstart(
    sources: Folder, out: Folder, *, model: str | None = None, budget: float | None = None, seed: int = 0
) -> tuple[Bench, Run | None]:
    """Read documents, build a first bench in `out`, and run a model on it if one is given."""
    folder = as_path(out)
    corpus_folder = folder / "corpus"
    with open_corpus(corpus_folder) if is_corpus(corpus_folder) else ingest(sources, corpus_folder) as corpus:
        chosen = choose(corpus)
        corpus.contexts(
            chosen.lengths,
            chosen.count,
            min_documents=chosen.min_documents,
            sampling=chosen.sampling,
            seed=seed,
        )
    bench = BenchRecipe(corpus_folder, folder / "bench", chosen.families, seed=seed).build()
    done = run(bench, model=model, budget=budget, out=run_folder(folder, model)) if model else None
    return bench, done


def run_folder(folder: Path, model: str) -> Path:
    """The folder of a model's run, so that several models can be tried on one bench and share a report."""
    return folder / "runs" / re.sub(r"[^\w.=-]+", "-", model)[:80]


def is_corpus(folder: Path) -> bool:
    """Whether documents were already read into the folder."""
    return (folder / FILE_NAME).exists()

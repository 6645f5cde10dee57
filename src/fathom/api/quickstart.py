"""A first benchmark from documents: chooses lengths, families and sizes that suit a corpus."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from fathom.api.arguments import Folder, as_path
from fathom.api.benches import Bench, BenchRecipe
from fathom.api.corpora import Corpus, ingest
from fathom.api.prices import COMMON_MODELS
from fathom.api.runs import Plan, Run, plan, run
from fathom.corpus.manifest import FILE_NAME
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Sampling
from fathom.records.documents import FieldName
from fathom.records.errors import FathomError
from fathom.tasks.catalog import family, family_names, preparation_of
from fathom.tasks.family import PerContext

__all__ = ["FirstBench", "choose", "is_corpus", "plan_runs", "quickstart", "run_folder"]

LENGTHS = tuple(1_024 * 2**power for power in range(1, 10))
"""The context lengths to choose from: 2K to 512K."""
USUAL_LENGTH = 128 * 1_024
"""Only long documents get longer contexts, which cost dollars for each model that is tried."""
MAX_LENGTH = 768 * 1_024
"""The longest context of all documents: models with a window of a million of their own tokens can read it."""
MIN_DOCUMENTS = 4
"""Documents in the shortest context, so that there is something to compare."""
FEWEST_DOCUMENTS = 3
"""Fewer documents give no questions that compare them."""
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
    known: tuple[FieldName, ...]
    """Only documents where these fields are known."""
    families: Mapping[str, Mapping[str, Any]]
    """The settings of each family."""


def choose(corpus: Corpus) -> FirstBench:
    """The lengths, families and sizes of a first bench; an error if the documents allow none."""
    documents = len(corpus)
    if documents < FEWEST_DOCUMENTS:
        raise FathomError(
            f"A first bench compares documents, and only {documents} could be read into '{corpus.folder}'. "
            f"Give at least {FEWEST_DOCUMENTS}."
        )
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
            f"No family can ask about the {documents:,} documents of '{corpus.folder}': they have neither titles, "
            "authors and references nor figures. See `fathom show` for what was read, and docs/reading.md."
        )
    known = _choose_known([entry.known.split() for entry in corpus.entries()], families)
    tokens = corpus.token_counts(tokenizer(corpus.manifest.tokenizer))
    sizes = [tokens[entry.id] for entry in corpus.entries() if entry.knows(known)]
    lengths, count = _choose_lengths(sizes)
    fitting = max(1, int(lengths[0] / median(sizes)))
    fewest = min(MIN_DOCUMENTS, len(sizes), fitting)
    return FirstBench(lengths, count, fewest, _choose_sampling(corpus, families), known, families)


def _choose_known(documents: Sequence[Collection[str]], families: Iterable[str]) -> tuple[FieldName, ...]:
    """As many fields of the families as most documents know; the documents without them are left out.

    One document with an unknown byline rules out every question on people in its context.
    """
    wanted = tuple(dict.fromkeys(field for name in families for field in family(name).fields))
    enough = max(MIN_DOCUMENTS, len(documents) / 2)
    for count in range(len(wanted), 0, -1):
        choices = {
            fields: sum(set(fields) <= set(known) for known in documents) for fields in combinations(wanted, count)
        }
        best = max(choices, key=lambda fields: choices[fields])
        if choices[best] >= enough:
            return best
    return ()


def _choose_sampling(corpus: Corpus, families: Iterable[str]) -> tuple[Sampling, ...]:
    """By year where a family needs it; along citations where most documents have one, or they would fill no context."""
    manifest = corpus.manifest
    dated = sum(entry.year is not None for entry in corpus.entries())
    if any(family(name).compares_one_year for name in families) and dated > manifest.documents / 2:
        return ("year",)
    return ("random", "bfs", "dfs") if manifest.links >= manifest.documents else ("random",)


def _choose_lengths(sizes: list[int]) -> tuple[tuple[int, ...], int]:
    """The lengths of contexts, and how many of each, for documents of these sizes."""
    total = sum(sizes)
    # Half of the documents must be left over, or every context would be the same.
    possible = [one for one in LENGTHS if (MIN_DOCUMENTS + 0.5) * median(sizes) <= one <= total / 2]
    if possible:
        usual = [one for one in possible if one <= USUAL_LENGTH]
        chosen = tuple(usual[-2:] or possible[:1])
        return chosen, min(CONTEXTS, max(2, total // chosen[-1]))
    # All documents in one context. The lines between them take a few tokens.
    return (min(total + 50 * len(sizes), MAX_LENGTH),), 1


def _suits(name: str, corpus: Corpus) -> bool:
    build = family(name).build
    if not isinstance(build, PerContext):
        return True
    kinds = corpus.manifest.kinds
    return build.kind in (None, max(kinds, key=lambda kind: kinds[kind])) and build.suits(corpus)


def plan_runs(bench: Bench) -> dict[str, Plan]:
    """The plan of a run of each common model."""
    return {model: plan(bench, model=model) for model in COMMON_MODELS}


def quickstart(
    sources: Folder, out: Folder, *, model: str | None = None, budget: float | None = None, seed: int = 0
) -> tuple[Bench, Run | None]:
    """Read documents, build a first bench in `out`, and run a model on it if one is given."""
    folder = as_path(out)
    corpus_folder = folder / "corpus"
    with ingest(sources, corpus_folder, allow_incomplete=True) as corpus:
        chosen = choose(corpus)
        corpus.contexts(
            chosen.lengths,
            chosen.count,
            min_documents=chosen.min_documents,
            sampling=chosen.sampling,
            known=chosen.known,
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

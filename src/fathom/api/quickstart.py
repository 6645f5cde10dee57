"""A first benchmark from documents: chooses lengths, families and sizes that suit a corpus."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from fathom.api.arguments import Folder, as_path, as_paths, as_tokens
from fathom.api.benches import Bench, BenchRecipe
from fathom.api.contexts import MIN_DOCUMENTS, FittingLengths, choose_lengths, distinct_documents, samples_by_year
from fathom.api.corpora import Corpus, ingest
from fathom.api.prices import COMMON_MODELS
from fathom.api.runs import Plan, Run, RunRequest, plan, run
from fathom.corpus.manifest import FILE_NAME
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Sampling
from fathom.records.documents import FieldName
from fathom.records.errors import FathomError
from fathom.runs.folder import RunSettings
from fathom.runs.run import RunLimits
from fathom.systems.catalog import load_system
from fathom.tasks.auditing import FILE_NAME as AUDIT
from fathom.tasks.auditing import AuditReport
from fathom.tasks.catalog import builds_per_context, family, family_names, per_context, preparation_of

__all__ = [
    "FirstBench",
    "Quickstart",
    "check_folder",
    "check_model",
    "choose",
    "is_audited",
    "is_corpus",
    "plan_runs",
    "quickstart",
    "run_folder",
]

MIN_COMPARED = 3
"""Fewer documents give no questions that compare them."""
QUESTIONS = 10
"""Questions of each context, if there are enough contexts."""
MIN_QUESTIONS = 40
"""Questions requested in all at least: few contexts get more each. Contexts that cannot be sampled reduce it."""


@dataclass(frozen=True)
class FirstBench:
    """The lengths, families and sizes of a first bench."""

    contexts: FittingLengths
    sampling: tuple[Sampling, ...]
    known: tuple[FieldName, ...]
    """Only documents where these fields are known."""
    families: Mapping[str, Mapping[str, Any]]
    """The settings of each family."""


def choose(corpus: Corpus) -> FirstBench:
    """The lengths, families and sizes of a first bench; an error if the documents allow none."""
    distinct = distinct_documents(corpus)
    documents = len(distinct)
    if documents < MIN_COMPARED:
        works = " that are not versions of one another" if len(corpus) > documents else ""
        raise FathomError(
            f"A first bench compares documents, and '{corpus.folder}' has only {documents}{works}. Give at least "
            f"{MIN_COMPARED}."
        )
    suitable = [
        name for name in family_names() if family(name).starter(corpus, QUESTIONS) is not None and _suits(name, corpus)
    ]
    unprepared = {name: preparation for name in suitable if (preparation := preparation_of(name, corpus)) is not None}
    families = [name for name in suitable if name not in unprepared]
    if unprepared and not families:
        (name, needed), *_ = unprepared.items()
        raise FathomError(
            f"The family {name} can ask about '{corpus.folder}', but needs to know its figures first. Run "
            f"`{needed.command.replace('CORPUS', str(corpus.folder))}`, check the file, and build with "
            f"`fathom build {name} {corpus.folder} --out bench {needed.options}`."
        )
    if not families:
        raise FathomError(
            f"No family can ask about the {documents:,} documents of '{corpus.folder}' ({_kinds(corpus)}): questions "
            "need research articles, or reports with figures in tables. "
            f"`fathom show {corpus.folder}` shows what was read."
        )
    known = _choose_known([entry.known.split() for entry in distinct], families)
    tokens = corpus.token_counts(tokenizer(corpus.manifest.tokenizer))
    sizes = [tokens[entry.id] for entry in distinct if entry.knows(known)]
    lengths = choose_lengths(sizes)
    questions = max(QUESTIONS, -(-MIN_QUESTIONS // (lengths.count * len(lengths.lengths))))
    settings = {name: family(name).starter(corpus, questions) or {} for name in families}
    return FirstBench(lengths, _choose_sampling(corpus, families), known, settings)


def _kinds(corpus: Corpus) -> str:
    """The kinds of documents, the most frequent first: "report 157"."""
    kinds = sorted(corpus.manifest.kinds.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{kind} {count:,}" for kind, count in kinds)


def _choose_known(documents: Sequence[Collection[str]], families: Iterable[str]) -> tuple[FieldName, ...]:
    """As many fields of the families as most documents know; the documents without them are left out.

    One document with an unknown byline rules out every question on people in its context.
    """
    fields_of_families = tuple(dict.fromkeys(field for name in families for field in family(name).fields))
    enough = max(MIN_DOCUMENTS, len(documents) / 2)
    for count in range(len(fields_of_families), 0, -1):
        choices = {
            fields: sum(set(fields) <= set(known) for known in documents)
            for fields in combinations(fields_of_families, count)
        }
        best = max(choices, key=lambda fields: choices[fields])
        if choices[best] >= enough:
            return best
    return ()


def _choose_sampling(corpus: Corpus, families: Iterable[str]) -> tuple[Sampling, ...]:
    """By year where a family needs it; along citations where most documents have one, or they would fill no context."""
    manifest = corpus.manifest
    if samples_by_year(corpus, families):
        return ("year",)
    return ("random", "bfs", "dfs") if manifest.links >= manifest.documents else ("random",)


def _suits(name: str, corpus: Corpus) -> bool:
    if not builds_per_context(name):
        return True
    method, kinds = per_context(name), corpus.manifest.kinds
    return method.kind in (None, max(kinds, key=lambda kind: kinds[kind])) and method.suits(corpus)


def plan_runs(bench: Bench) -> dict[str, Plan]:
    """The plan of a run of each common model."""
    return {model: plan(bench, model=model) for model in COMMON_MODELS}


def check_folder(sources: Iterable[Path], out: Path) -> None:
    """Raise an error if the results would be written among the documents."""
    if out.resolve() in [source.resolve() for source in sources]:
        raise FathomError(
            f"'{out}' is the folder of the documents. Give --out another folder, such as '{out / 'first'}'."
        )


def check_model(
    model: str, budget: float | None, window: int | None, prices: Path | None, url: str | None = None
) -> None:
    """Raise the error about a model, its key or its server that its run would raise after the documents are read."""
    if model.startswith("sim/"):
        return
    settings = RunSettings(window=window)
    request = RunRequest(Path(), model, load_system("full"), "direct", settings, prices=prices)
    request.check_model(budget is not None)
    if not request.is_embedded:
        from fathom.runs.engine_model import open_model  # loads the engine, which takes seconds

        open_model(model, settings, RunLimits(), url)


class Quickstart(NamedTuple):
    """A first bench and the run on it."""

    bench: Bench
    run: Run | None
    """None if no model was given."""


def quickstart(
    sources: Folder | Iterable[Folder],
    out: Folder,
    *,
    model: str | None = None,
    budget: float | None = None,
    url: str | None = None,
    window: int | str | None = None,
    prices: Folder | None = None,
    seed: int = 0,
) -> Quickstart:
    """Read documents, build a first bench in `out`, and run a model on it if one is given.

    `url`, `window` and `prices` are those of the model, as in `run`.
    """
    check_folder(as_paths(sources), as_path(out))
    folder, tokens, table = as_path(out), None if window is None else as_tokens(window), as_path(prices)
    if model is not None:
        check_model(model, budget, tokens, table, url)
    corpus_folder = folder / "corpus"
    with ingest(sources, corpus_folder, allow_incomplete=True, results=folder) as corpus:
        chosen = choose(corpus)
        corpus.contexts(
            chosen.contexts.lengths,
            chosen.contexts.count,
            min_documents=chosen.contexts.min_documents,
            sampling=chosen.sampling,
            known=chosen.known,
            seed=seed,
        )
    bench = BenchRecipe(corpus_folder, folder / "bench", chosen.families, seed=seed).build()
    if model is None:
        return Quickstart(bench, None)
    out_folder = run_folder(folder, model)
    made = run(bench, model=model, budget=budget, url=url, window=tokens, prices=table, out=out_folder)
    return Quickstart(bench, made)


def run_folder(folder: Path, model: str) -> Path:
    """The folder of a model's run, so that several models can be tried on one bench and share a report."""
    return folder / "runs" / re.sub(r"[^\w.=-]+", "-", model)[:80]


def is_audited(bench: Bench) -> bool:
    """Whether the bench has passed an audit since it was built."""
    try:
        report = AuditReport.model_validate_json((bench.folder / AUDIT).read_bytes())
    except (OSError, ValueError):
        return False  # never audited, or the file is damaged: then it is audited again
    return report.passed and report.bench == bench.manifest.fingerprint


def is_corpus(folder: Path) -> bool:
    """Whether documents were already read into the folder."""
    return (folder / FILE_NAME).exists()

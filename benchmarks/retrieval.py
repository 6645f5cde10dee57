"""Speed of the search index, and recall of needed spans by each method of search.

    python benchmarks/retrieval.py speed [--tokens 10M] [--corpus FOLDER] [--embeddings wordllama]
    python benchmarks/retrieval.py recall BENCH...

`speed` chunks and indexes one context of 10M tokens, by words and by embeddings, beside a plain loop over bm25s and a
plain loop in the manner of sentence-transformers that embeds every chunk by itself. Targets: by words in under 60 s and
1 GB, queries in under 20 ms; with wordllama in under 5 minutes. `recall` prints the recall of needed spans and
documents at k for lexical, dense and hybrid search, and where hybrid search is worse than the better of the two, with
an interval of the paired difference. Target: it is nowhere.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, Literal, get_args

import numpy as np

from _measuring import fathom, workplace
from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import difference
from fathom.api.bench_views import open_bench_view
from fathom.contexts.layout import render_range
from fathom.contexts.sampling import ContextSampler, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.records.lengths import parse_length
from fathom.runs.folder import make_artifact
from fathom.scoring.recall import recall
from fathom.systems.chunking import chunks_of_documents
from fathom.systems.protocol import DOCUMENTS, ArtifactScope, ContextView, Views
from fathom.systems.rag import Rag
from fathom.systems.retrieval.dense import embedder
from fathom.systems.retrieval.index import ContextIndex
from fathom.systems.retrieval.settings import IndexSettings, Method
from fathom.tasks.bench import Bench

QUERIES = (
    "What was the net profit of the company in fiscal year 2021?",
    "Which companies had a revenue of more than 500 million in 2020?",
    "average number of employees and total assets",
)
RANKS = (5, 10, 20, 50, 100)


@dataclass
class Desk:
    """A session without a model, whose artifacts are in a folder."""

    view: ContextView
    folder: Path
    steps: list[Any] = field(default_factory=list)

    def artifact(self, name: str, make: Callable[[Path], None], scope: ArtifactScope = "context") -> Path:
        key = f"{self.view.context.id if scope == 'context' else ''} {name}"
        return make_artifact(self.folder, re.sub(r"\W+", "-", key), make)


# Speed.


def context_view(corpus: Corpus, tokens: int) -> ContextView:
    settings = SamplingSettings(lengths=(tokens,), count=1, sampling=("random",))
    [context] = ContextSampler(corpus, settings).contexts()
    views = Views(
        "texts", {}, {DOCUMENTS: lambda context: b""}, lambda one, start, end: render_range(one, corpus, start, end)
    )
    return ContextView(context, views)


def index_speed(view: ContextView, folder: Path, method: Method, embeddings: str) -> None:
    desk: Any = Desk(view, folder)
    settings = IndexSettings(method, embeddings=embeddings)
    start, used = time.perf_counter(), time.process_time()
    index = ContextIndex(desk, settings)
    report(f"Fathom, {method}", index, time.perf_counter() - start, time.process_time() - used, index.search)


def plain_bm25s(view: ContextView) -> None:
    import bm25s

    start, used = time.perf_counter(), time.process_time()
    text = view.text(DOCUMENTS, 0, view.length)
    texts = [text[chunk.start : chunk.end] for chunk in chunks_of_documents(view, 512, 64)]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)

    def search(query: str) -> Any:
        return index.retrieve(bm25s.tokenize(query, show_progress=False), k=20, show_progress=False)[0][0]

    report("plain bm25s", texts, time.perf_counter() - start, time.process_time() - used, search)


def plain_embeddings(view: ContextView, embeddings: str) -> None:
    """As a loop over `model.encode(text)`, with the vectors in memory."""
    start, used = time.perf_counter(), time.process_time()
    text = view.text(DOCUMENTS, 0, view.length)
    texts = [text[chunk.start : chunk.end] for chunk in chunks_of_documents(view, 512, 64)]
    embed = embedder(embeddings)
    vectors = np.array([embed([one])[0] for one in texts])
    report(
        "plain loop over embeddings",
        texts,
        time.perf_counter() - start,
        time.process_time() - used,
        lambda query: np.argsort(-(vectors @ embed([query])[0]))[:20],
    )


def report(label: str, index: Any, wall: float, cpu: float, search: Callable[[str], Any]) -> None:
    list(islice(search(QUERIES[0]), 20))
    walls, cpus = [], []
    for query in QUERIES * 5:
        start, used = time.perf_counter(), time.process_time()
        list(islice(search(query), 20))
        walls.append(time.perf_counter() - start)
        cpus.append(time.process_time() - used)
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{label:28} {len(index):>8,} chunks {wall:>8.1f} s {cpu:>8.1f} s CPU {peak:>7,.0f} MB "
        f"query {np.median(walls) * 1000:.1f} ms, {np.median(cpus) * 1000:.1f} ms CPU "
        f"(slowest {max(walls) * 1000:.1f}, {max(cpus) * 1000:.1f})",
        flush=True,
    )


def speed(arguments: argparse.Namespace) -> None:
    """Each in a process of its own, so that the peak of memory is its own."""
    with workplace() as place:
        corpus = arguments.corpus
        if corpus is None:
            corpus = place / "corpus"
            fathom("generate", "--out", corpus, "--documents", 950, "--domains", "companies", "--seed", 19)
        for what in ("lexical", "bm25s", "dense", "hybrid", "loop"):
            options = ["--corpus", corpus, "--tokens", arguments.tokens, "--embeddings", arguments.embeddings]
            words = [sys.executable, __file__, "one", "--what", what, "--folder", place / what, *options]
            subprocess.run([str(word) for word in words], check=True)


def one(arguments: argparse.Namespace) -> None:
    with Corpus(arguments.corpus) as corpus:
        view = context_view(corpus, parse_length(arguments.tokens))
        if arguments.what == "lexical":
            print(f"{view.context.tokens:,} tokens, {len(view.documents):,} documents")
        if arguments.what == "bm25s":
            plain_bm25s(view)
        elif arguments.what == "loop":
            plain_embeddings(view, arguments.embeddings)
        else:
            index_speed(view, arguments.folder, arguments.what, arguments.embeddings)


# Recall.


@dataclass
class Recalls:
    """The recall of needed spans and documents of each question, by method and k."""

    spans: dict[tuple[Method, int], list[float]]
    documents: dict[tuple[Method, int], list[float]]
    contexts: list[int]
    """The number of each question's context."""

    def beside_the_better(self, k: int) -> Estimate:
        """The recall of hybrid search less that of the better one of the two, paired, with an interval by context."""
        two: tuple[Method, Method] = ("lexical", "dense")
        better = max(two, key=lambda method: np.mean(self.spans[method, k]))
        differences = np.subtract(self.spans["hybrid", k], self.spans[better, k])
        return difference(differences, np.array(self.contexts))


def recalls(bench: Path, folder: Path, hops: Literal[1, 2]) -> Recalls:
    """The recall of each question of a bench that needs something."""
    places = [(method, k) for method in get_args(Method) for k in RANKS]
    found = Recalls({place: [] for place in places}, {place: [] for place in places}, [])
    with open_bench_view(bench) as shown:
        for number, (context, items) in enumerate(Bench(bench).by_context()):
            for item in items:
                if not item.key.proof.passages:
                    continue
                found.contexts.append(number)
                desk: Any = Desk(shown.view(context, item.question), folder)
                for method in get_args(Method):
                    index = ContextIndex(desk, IndexSettings(method))
                    _, chunks = Rag(method=method, hops=hops).ranking(index, item.question.text)
                    passages = [index.passage(chunk) for chunk in islice(chunks, max(RANKS))]
                    for k in RANKS:
                        measured = recall(item.key.proof.passages, passages[:k])
                        assert measured is not None
                        found.spans[method, k].append(measured.spans)
                        found.documents[method, k].append(measured.documents)
    return found


def print_recall(arguments: argparse.Namespace) -> None:
    made = {}
    hop_counts: tuple[Literal[1, 2], ...] = (1, 2)
    for bench in arguments.benches:
        with workplace() as place:
            for hops in hop_counts:
                found = recalls(bench, place, hops)
                made[f"{bench.name}, {hops} hops"] = {
                    method: {k: float(np.mean(found.spans[method, k])) for k in RANKS} for method in get_args(Method)
                }
                print(f"{bench.name}, {len(found.contexts)} questions, hops={hops}: recall of needed spans / documents")
                print(f"  {'':10}" + "".join(f"{f'k={k}':>18}" for k in RANKS))
                for method in get_args(Method):
                    means = [(np.mean(found.spans[method, k]), np.mean(found.documents[method, k])) for k in RANKS]
                    print(f"  {method:10}" + "".join(f"{spans:>9.1%}/{rest:>7.1%} " for spans, rest in means))
                beside = {k: found.beside_the_better(k) for k in RANKS}
                worse = [
                    f"k={k} by {-one.value:.1%} ({-one.high:.1%} to {-one.low:.1%})"
                    for k, one in beside.items()
                    if one.value < 0
                ]
                print(f"  hybrid is worse than the better of the two at {'; '.join(worse) or 'no k'}")
                clearly = [str(k) for k, one in beside.items() if one.high < 0]
                print(
                    f"  beyond chance at k={', '.join(clearly)}" if clearly else "  beyond chance at no k", flush=True
                )
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(made, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, act in (("speed", speed), ("one", one)):
        made = commands.add_parser(name)
        made.add_argument("--tokens", default="10M")
        made.add_argument("--corpus", type=Path)
        made.add_argument("--embeddings", default="wordllama")
        made.add_argument("--what", default="lexical")
        made.add_argument("--folder", type=Path)
        made.set_defaults(act=act)
    measured = commands.add_parser("recall")
    measured.add_argument("benches", nargs="+", type=Path)
    measured.add_argument("--out", type=Path)
    measured.set_defaults(act=print_recall)
    arguments = parser.parse_args()
    arguments.act(arguments)


if __name__ == "__main__":
    main()

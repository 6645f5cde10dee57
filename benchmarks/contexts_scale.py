"""Contexts over a large corpus: time and memory of sampling over a synthetic citation graph, without any text.

Documents have 4K to 20K tokens and cite ten documents near them in a list and two anywhere. Target: 100,000 contexts of
128K tokens over 1,000,000 documents in under 10 minutes and 4 GB.

    python benchmarks/contexts_scale.py --documents 1000000 --contexts 100000
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from fathom.contexts.sampling import ContextSampler, SamplingSettings
from fathom.corpus.store import CitationLink, DocumentEntry


class SyntheticCorpus:
    """What the sampler reads of a corpus, made up."""

    folder = Path("synthetic")
    manifest = SimpleNamespace(fingerprint="synthetic")

    def __init__(self, documents: int) -> None:
        self._documents = documents

    def entries(self) -> Iterator[DocumentEntry]:
        for number in range(self._documents):
            print = number.to_bytes(32, "big")
            yield DocumentEntry(number, f"d-{number}", "article", "en", None, 2020, "CC0-1.0", "", "", 40_000, print)

    def texts(self) -> Iterator[tuple[str, bytes]]:
        return iter(())

    def works(self) -> dict[str, str]:
        return {}

    def token_counts(self, counter: object) -> dict[str, int]:
        rng = Random(1)
        return {f"d-{number}": rng.randint(4_000, 20_000) for number in range(self._documents)}

    def links(self) -> Iterator[CitationLink]:
        rng = Random(2)
        for number in range(self._documents):
            near = [max(0, number - rng.randint(1, 200)) for _ in range(10)]
            for cited in {*near, rng.randrange(self._documents), rng.randrange(self._documents)} - {number}:
                yield CitationLink(f"d-{number}", f"d-{cited}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--contexts", type=int, default=10_000)
    parser.add_argument("--lengths", default="131072", help="in tokens, separated by commas")
    given = parser.parse_args()
    corpus: Any = SyntheticCorpus(given.documents)
    lengths = tuple(map(int, given.lengths.split(",")))
    begun = time.process_time()
    sampler = ContextSampler(corpus, SamplingSettings(lengths=lengths, count=given.contexts))
    ready = time.process_time()
    made = sum(1 for _ in sampler.contexts())
    sampled = time.process_time()
    report = sampler.report()
    ended = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{made:,} contexts over {given.documents:,} documents: {ended - begun:.0f} CPU s (graph {ready - begun:.0f}, "
        f"sampling {sampled - ready:.0f}, report {ended - sampled:.0f}), {peak:,.0f} MB; "
        f"largest overlap {max(one.max_overlap for one in report.lengths):.0%}"
    )


if __name__ == "__main__":
    main()

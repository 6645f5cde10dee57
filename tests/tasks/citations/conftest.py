"""A bench of citations, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from tests.sharing import SharedFolders


def build_citations(corpus: Path, folder: Path, **settings: object) -> Bench:
    """A bench of citations with these settings."""
    build(BuildInputs(corpus, corpus / "none.jsonl", {"citations": settings}, 0), folder)
    return Bench(folder)


def cited_once(citing_corpus: Path, build_once: SharedFolders) -> Bench:
    """A bench of all tasks and levels; never write to it."""
    return Bench(
        build_once("cited", lambda folder: build_citations(citing_corpus, folder / "bench", items=8)) / "bench"
    )


@pytest.fixture(scope="session")
def cited(citing_corpus: Path, build_once: SharedFolders) -> Bench:
    return cited_once(citing_corpus, build_once)


@pytest.fixture(scope="session")
def varied(citing_corpus: Path, build_once: SharedFolders) -> Bench:
    """A bench of choices in four settings with the same masks; never write to it."""
    vary = {"scope": ["full", "section"], "candidate_text": ["concise", "body"]}

    def make(folder: Path) -> None:
        build_citations(citing_corpus, folder / "bench", items=3, tasks=["choice"], levels=["hard"], vary=vary)

    return Bench(build_once("varied", make) / "bench")

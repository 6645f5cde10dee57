"""A corpus whose papers cite one another, and a bench of all tasks and levels, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.corpus.generate import Recipe, generate
from fathom.tasks.bench import Bench, build


@pytest.fixture(scope="session")
def citing_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("citing") / "corpus"
    generate(folder, Recipe(seed=5, documents=120, domains=("physics",)))
    return folder


def build_citations(corpus: Path, folder: Path, **settings: object) -> Bench:
    """A bench of citations with these settings."""
    build(corpus, corpus / "none.jsonl", {"citations": settings}, 0, folder)
    return Bench(folder)


@pytest.fixture(scope="session")
def cited(citing_corpus: Path) -> Bench:
    return build_citations(citing_corpus, citing_corpus.parent / "bench", items=8)

"""One small bench, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus
from fathom.tasks.bench import Bench, build


@pytest.fixture(scope="session")
def asked_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """160 documents and contexts of two lengths in two splits."""
    folder = tmp_path_factory.mktemp("asked") / "corpus"
    generate(folder, Recipe(seed=13, documents=160))
    settings = SamplingSettings(lengths=(65_536, 262_144), count=24, splits={"train": 60, "test": 40})
    with Corpus(folder) as corpus:
        write_contexts(corpus, settings, folder / FILE_NAME)
    return folder


@pytest.fixture(scope="session")
def bench_folder(asked_corpus: Path) -> Path:
    folder = asked_corpus.parent / "bench"
    numeric = {"template_splits": {"train": 70, "test": 30}}
    build(asked_corpus, asked_corpus / FILE_NAME, {"numeric": numeric}, 4, folder)
    return folder


@pytest.fixture
def bench(bench_folder: Path) -> Bench:
    return Bench(bench_folder)

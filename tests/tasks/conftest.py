"""A bench of numeric questions, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from tests.sharing import SharedFolders


@pytest.fixture(scope="session")
def asked_folder(build_once: SharedFolders) -> Path:
    """Ninety documents, contexts of two lengths in two splits, and a numeric bench over them; never write to it."""

    def make(folder: Path) -> None:
        corpus = folder / "corpus"
        generate(corpus, Recipe(seed=13, documents=90))
        settings = SamplingSettings(lengths=(65_536, 262_144), count=9, splits={"train": 60, "test": 40})
        with Corpus(corpus) as opened:
            write_contexts(opened, settings, corpus / FILE_NAME)
        numeric = {"template_splits": {"train": 70, "test": 30}}
        build(BuildInputs(corpus, corpus / FILE_NAME, {"numeric": numeric}, 4), folder / "bench")

    return build_once("asked", make)


@pytest.fixture(scope="session")
def asked_corpus(asked_folder: Path) -> Path:
    return asked_folder / "corpus"


@pytest.fixture(scope="session")
def bench_folder(asked_folder: Path) -> Path:
    return asked_folder / "bench"


@pytest.fixture
def bench(bench_folder: Path) -> Bench:
    return Bench(bench_folder)

"""Reports and small benches over them."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.corpus.generate import Recipe, generate, parse_domains
from tests.sharing import SharedFolders


@pytest.fixture(scope="session")
def reports(build_once: SharedFolders) -> Path:
    """Thirty reports of six housing markets in five years, and a small bench."""
    return build_once("housing reports", make_reports)


def make_reports(folder: Path) -> None:
    recipe = Recipe(domains=parse_domains("housing"), seed=8, documents=30)
    generate(folder / "corpus", recipe)
    with fathom.open_corpus(folder / "corpus") as corpus:
        corpus.contexts(["256K"], 1, sampling="random")
    fathom.build("tables", folder / "corpus", out=folder / "bench", questions=24)


@pytest.fixture(scope="session")
def chinese_reports(build_once: SharedFolders) -> Path:
    """Twenty reports of companies in Chinese, and a small bench."""

    def make(folder: Path) -> None:
        generate(folder / "corpus", Recipe(domains=parse_domains("companies-zh"), seed=21, documents=20))
        with fathom.open_corpus(folder / "corpus") as corpus:
            corpus.contexts(["192K"], 1, sampling="random")
        fathom.build("tables", folder / "corpus", out=folder / "bench", questions=12)

    return build_once("reports of companies in Chinese", make)

"""A generated corpus of short articles, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.corpus.generate import Recipe, generate, parse_domains
from tests.sharing import SharedFolders


@pytest.fixture(scope="session")
def linked_corpus(build_once: SharedFolders) -> Path:
    """240 short articles that cite one another; never write to it."""
    recipe = Recipe(domains=parse_domains("articles"), length="short", seed=5, documents=240)
    return build_once("linked", lambda folder: generate(folder / "corpus", recipe)) / "corpus"

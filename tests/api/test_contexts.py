"""The suggested command that samples contexts."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.api.contexts import contexts_command
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus


@pytest.mark.parametrize(("domain", "by_year"), [("companies-zh", True), ("housing", True), ("physics", False)])
def test_contexts_of_reports_are_suggested_by_year(domain: str, by_year: bool, tmp_path: Path) -> None:
    generate(tmp_path / "corpus", Recipe(seed=4, documents=16, domains=(domain,)))
    with Corpus(tmp_path / "corpus") as corpus:
        assert contexts_command(corpus).endswith(" --sampling year") == by_year

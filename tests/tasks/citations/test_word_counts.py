"""Words of candidates, and the baselines that compare them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.tasks.auditing import audit
from fathom.tasks.citations.word_counts import stem_at, stems_in
from tests.tasks.citations.conftest import build_citations


@pytest.mark.parametrize(
    ("stem", "found"),
    [
        ("estima", True),
        ("reader", True),
        ("read", False),
        ("naïve", True),
        ("naï", False),
        ("eader", False),
        ("of", True),
    ],
)
def test_a_stem_is_found_where_a_word_begins(stem: str, found: bool) -> None:
    text = "estimates of a naïve reader, magnets"
    assert (stem_at(text, stem) is not None) == found
    if found and len(stem) > 2:
        assert stem in stems_in(text)


def test_two_signs_are_a_word_anywhere() -> None:
    assert stem_at("深度学习的方法", "学习") == 2
    assert stem_at("深度学习的方法", "度的") is None


def test_a_build_and_its_audit_measure_the_same_baselines(citing_corpus: Path, tmp_path: Path) -> None:
    """Candidates that are cut to a paragraph or two; the build has their full text, the audit does not."""
    bench = build_citations(citing_corpus, tmp_path / "short", items=6, characters=24_000)
    checked = audit(bench.folder).checks
    baselines = next(found.measures for found in checked if found.name == "baselines")
    cells = json.loads((bench.folder / "manifest.json").read_text())["reports"]["citations"]["items"]
    made = {cell: report["baselines"] for cell, report in cells.items() if report["built"]}
    assert {"choice, easy", "choice, medium", "choice, hard"} <= set(made)
    for cell, measured in made.items():
        for name, value in measured.items():
            assert baselines[f"{cell}: {name}"] == value, name

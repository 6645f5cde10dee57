"""Word counts of candidates: incremental counts equal full counts, and stop at the shown text."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fathom.tasks.auditing import audit
from fathom.tasks.citations.lexical import MATCHERS
from fathom.tasks.citations.word_counts import STEP, Stems, stems_in
from tests.tasks.citations.conftest import build_citations

ENGLISH, CHINESE = "estimates of a naïve reader, ", "深度学习的方法"
STEPS = (100, STEP, 2 * STEP, 3 * STEP, 5 * STEP)


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH * 600,
        CHINESE * 3_000,
        (ENGLISH + CHINESE) * 500,
        ENGLISH * 103 + CHINESE * 20 + ENGLISH * 600,
        ENGLISH * 100 + "x" * 5_000 + ENGLISH * 300,
        ENGLISH,
        "",
    ],
    ids=["latin", "chinese", "both", "chinese in the middle", "a word without end", "short", "empty"],
)
def test_in_steps_as_at_once(text: str) -> None:
    known = Stems(text)
    for characters in (*STEPS, *reversed(STEPS)):
        found, alone = known.up_to(characters), Stems(text).up_to(characters)
        assert found.counts == alone.counts
        assert found.size == pytest.approx(alone.size)


def test_of_what_is_cut_short_nothing_else_is_counted() -> None:
    shown, cut_off = "Seven bridges.\n", "Whoever crosses them counts them."
    assert Stems(shown + cut_off).up_to(len(shown) - 1).counts == Counter(stems_in(shown))


def test_a_build_and_its_audit_measure_the_same_baselines(citing_corpus: Path, tmp_path: Path) -> None:
    """Candidates that are cut to a paragraph or two; the build has their full text, the audit does not."""
    bench = build_citations(citing_corpus, tmp_path / "short", items=6, characters=24_000)
    checked = audit(bench.folder).checks
    baselines = next(found.measures for found in checked if found.name == "baselines")
    cells = json.loads((bench.folder / "manifest.json").read_text())["reports"]["citations"]["items"]
    made = {cell: report["baselines"] for cell, report in cells.items() if report["built"]}
    assert {"choice, easy", "choice, medium", "choice, hard"} <= set(made)
    for cell, measured in made.items():
        for matcher in MATCHERS:
            assert baselines[f"{cell}: {matcher.name}"] == measured[matcher.name]

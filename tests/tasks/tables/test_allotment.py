"""Questions allotted to domains, levels and contexts, as the preset asks for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import fathom
from fathom.api.runs import request_run
from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.tasks.tables.allotment import LEVEL_SHARES, level_sequence
from fathom.tasks.tables.presets import CORPUSQA
from fathom.tasks.tables.query_parts import LEVELS
from tests.sharing import SharedFolders

DOMAINS = {"companies-zh": 5, "universities": 4}


@pytest.fixture(scope="session")
def preset(build_once: SharedFolders) -> Path:
    """A corpus of two domains, and a bench of the preset at a tenth of its size."""

    def make(folder: Path) -> None:
        recipe = Recipe(domains=parse_domains("companies-zh,universities"), seed=4, documents=50)
        generate(folder / "corpus", recipe)
        with fathom.open_corpus(folder / "corpus") as corpus:
            wanted = {**CORPUSQA.contexts, "lengths": ("128K",), "count": 1, "min_tokens": 0}
            corpus.contexts(**wanted)
        contexts = folder / "corpus" / "contexts.jsonl"
        fathom.build(
            "tables", folder / "corpus", out=folder / "bench", contexts=contexts, preset="corpusqa", domains=DOMAINS
        )

    return build_once("preset", make)


def test_every_part_of_a_sequence_has_the_shares_of_the_levels() -> None:
    whole = level_sequence(329, LEVELS)
    assert [whole.count(level) * 4 for level in LEVELS] == list(LEVEL_SHARES.values())
    for start, end in ((0, 83), (83, 166), (166, 248), (248, 329)):
        part = Counter(whole[start:end])
        for level, share in LEVEL_SHARES.items():
            assert abs(part[level] - (end - start) * share / 1316) < 1.5


def test_the_paper_asks_1316_questions() -> None:
    assert sum(CORPUSQA.settings["domains"].values()) * len(CORPUSQA.contexts["lengths"]) == 1316


def test_domains_and_levels_have_their_numbers(preset: Path) -> None:
    manifest = fathom.open_bench(preset / "bench").manifest
    assert manifest.counts["domain"] == DOMAINS
    assert manifest.counts["level"] == dict(Counter(level_sequence(9, LEVELS)))
    assert manifest.missing == {} and manifest.presets == {"tables": "corpusqa"}


def test_contexts_have_one_subject_and_mostly_one_year(preset: Path) -> None:
    with fathom.open_corpus(preset / "corpus") as corpus:
        entries = {entry.id: entry for entry in corpus.entries()}
    for context in fathom.open_bench(preset / "bench").contexts():
        shown = [entries[id] for id in context.documents]
        assert len({entry.subject for entry in shown}) == 1
        years = Counter(entry.year for entry in shown)
        assert len(years) > 1 and years.most_common(1)[0][1] >= 4


def test_runs_of_the_preset_have_temperature_zero_unless_another_is_given(preset: Path) -> None:
    assert request_run(preset / "bench", "sim/oracle").settings.temperature == 0
    assert request_run(preset / "bench", "sim/oracle", temperature=0.5).settings.temperature == 0.5


def test_the_headline_is_the_unweighted_mean_of_domains(preset: Path, tmp_path: Path) -> None:
    scores = fathom.run(preset / "bench", model="sim/reader?miss=0.2", out=tmp_path / "run").score()
    domains = [score.accuracy for score in scores.by("domain").values()]
    assert scores.macro_accuracy == pytest.approx(sum(domains) / len(domains))


def test_a_preset_that_does_not_exist_is_refused(preset: Path, tmp_path: Path) -> None:
    with pytest.raises(fathom.FathomError, match="no preset 'paper'"):
        fathom.build("tables", preset / "corpus", out=tmp_path / "bench", preset="paper")

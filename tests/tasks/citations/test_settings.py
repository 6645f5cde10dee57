"""Settings: any number of candidates, and the same masks in several settings."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.scoring.answers import Assignment, Choice
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.citations.lexical import best_assignment
from fathom.tasks.citations.positions import ItemShape, PositionSampler
from fathom.tasks.citations.settings import CitationSettings
from tests.tasks.citations.conftest import build_citations


def test_the_best_assignment_is_that_of_all_assignments() -> None:
    rng = Random(3)
    for candidates in (4, 5, 7):
        for _ in range(40):
            found = [[rng.choice((0.0, 1.0, rng.random())) for _ in range(candidates)] for _ in range(4)]
            every = permutations(range(candidates), 4)
            most = max(sum(row[place] for row, place in zip(found, order, strict=True)) for order in every)
            chosen = best_assignment(np.array(found))
            assert len(set(chosen)) == 4
            assert sum(row[place] for row, place in zip(found, chosen, strict=True)) == pytest.approx(most)


@pytest.mark.parametrize(("candidates", "correct"), [(4, 1), (9, 1), (4, 4), (10, 4), (8, 3)])
def test_positions_are_spread_evenly(candidates: int, correct: int) -> None:
    positions, used = PositionSampler(seed=7), Counter[int]()
    places = ItemShape("choice", "hard", candidates, correct)
    for _ in range(600):
        drawn = positions.next(places)
        assert len(set(drawn)) == correct
        used.update(drawn)
        positions.take(places)
    assert set(used) == set(range(1, candidates + 1))
    assert max(used.values()) - min(used.values()) <= 0.2 * 600 * correct / candidates


def test_more_candidates(citing_corpus: Path, tmp_path: Path) -> None:
    bench = build_citations(citing_corpus, tmp_path / "bench", items=3, levels=["medium"], candidates=7)
    assert audit(bench.folder).passed
    for context, [item] in bench.by_context():
        answer = item.key.answer
        assert isinstance(answer, Choice | Assignment)
        assert answer.of == len(context.places) - 1 == 7
        assert "from 1 to 7" in item.question.text
        options = [answer.option] if isinstance(answer, Choice) else answer.options
        assert [context.documents[option] for option in options] == [row[1] for row in item.key.proof.rows]
        assert sum(place.span.end - place.span.start for place in context.places) <= 7 * 25_000


def test_the_whole_reference_list(citing_corpus: Path, tmp_path: Path) -> None:
    """Every work of the list that has enough text is a candidate, whatever their number."""
    bench = build_citations(citing_corpus, tmp_path / "bench", items=3, levels=["easy"], candidates="all")
    assert audit(bench.folder).passed
    with Corpus(citing_corpus) as corpus:
        sizes = set()
        for context, [item] in bench.by_context():
            listed = {reference.document for reference in corpus.document(context.documents[0]).references}
            assert set(context.documents[1:]) == listed - {None}
            assert item.question.tags["candidates"] == "all"
            sizes.add(len(context.places))
    assert len(sizes) > 1


def test_every_setting_has_the_same_masks_and_candidates(varied: Bench) -> None:
    found = audit(varied.folder)
    assert found.passed, [checked for checked in found.checks if checked.failed]
    pairs = defaultdict(list)
    for context, [item] in varied.by_context():
        tags = item.question.tags
        pairs[tags["pair"]].append((context, item))
        assert tags["setting"] == f"scope={tags['scope']}, candidate-text={tags['candidate-text']}"
    assert len(pairs) == 3
    for some in pairs.values():
        assert len({item.question.tags["setting"] for _, item in some}) == len(some) == 4
        assert len({context.documents for context, _ in some}) == 1
        assert len({item.key.answer.model_dump_json() for _, item in some}) == 1
        assert len({row for _, item in some for row in item.key.proof.rows}) == 1


def test_varied_candidates(citing_corpus: Path, tmp_path: Path) -> None:
    vary = {"candidates": ["4", "6"], "sampling": ["random", "nearest"]}
    bench = build_citations(citing_corpus, tmp_path / "bench", items=4, tasks=["choice"], levels=["medium"], vary=vary)
    assert audit(bench.folder).passed
    sets: dict[tuple[str, ...], set[str]] = {}
    for context, [item] in bench.by_context():
        tags = item.question.tags
        sets[tags["pair"], tags["sampling"], tags["candidates"]] = set(context.documents)
    assert len(sets) == 16
    for (pair, sampling, number), documents in sets.items():
        assert len(documents) == int(number) + 1
        assert documents <= sets[pair, sampling, "6"]


def test_settings_that_show_the_same_text_share_a_context(citing_corpus: Path, tmp_path: Path) -> None:
    """A section that cites its candidates only at the mask is the same with `mask` all and one."""
    vary = {"scope": ["full", "section"], "mask": ["all", "one"]}
    bench = build_citations(citing_corpus, tmp_path / "bench", items=8, tasks=["choice"], levels=["medium"], vary=vary)
    assert audit(bench.folder).passed
    asked = [items for _, items in bench.by_context()]
    assert len({item.question.id for items in asked for item in items}) == 32
    shared = [items for items in asked if len(items) > 1]
    assert shared
    for items in shared:
        assert len({item.question.tags["setting"] for item in items}) == len(items) == 2


def test_an_audit_finds_items_that_are_not_paired(varied: Bench, tmp_path: Path) -> None:
    lines = (varied.folder / "questions.jsonl").read_text().splitlines()
    pairs = sorted({line.split('"pair":"')[1].split('"')[0] for line in lines})
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in varied.folder.iterdir():
        text = file.read_text()
        (broken / file.name).write_text(text.replace(pairs[0], pairs[1]) if file.name == "questions.jsonl" else text)
    failed = {checked.name for checked in audit(broken, varied.corpus_folder).checks if checked.failed}
    assert "the items of a pair differ in their setting alone" in failed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"candidates": 3}, "--candidates is 3. Use 4 or more, or all"),
        ({"vary": {"candidates": ["2", "8"]}}, "--candidates is 2"),
        ({"vary": {"scope": ["full"]}}, "needs two or more different values"),
        ({"vary": {"scope": ["full", "section"]}, "scope": "full"}, "exclude each other"),
        ({"vary": {"scope": ["full", "chapter"]}}, "scope"),
        ({"vary": {"sampling": ["random", "nearest"]}}, "would change nothing"),
    ],
)
def test_settings_that_cannot_be_built(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CitationSettings.model_validate(settings)


def test_settings_survive_the_manifest(varied: Bench) -> None:
    read = CitationSettings.model_validate(varied.manifest.settings["citations"])
    assert next(iter(read.variants("hard"))) == "scope=full, candidate-text=body"


def test_too_many_candidates_get_a_sentence(citing_corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="cites 500 works"):
        build_citations(citing_corpus, tmp_path / "bench", candidates=500)

"""Probes: the expected answer is not in the shown text."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fathom.contexts.layout import render
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus, CorpusWriter, pack
from fathom.models.simulated import SimulatedModel
from fathom.records.errors import FathomError
from fathom.records.names import without_accents
from fathom.records.rng import rng_for
from fathom.scoring.answers import Text
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import KEYS
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.memorization import FAMILY
from fathom.tasks.memorization.build import BLANK
from fathom.tasks.memorization.simulate import Simulator
from fathom.tasks.simulating import simulated_response


def test_the_bench_proves_itself(probes: Bench) -> None:
    found = audit(probes.folder)
    assert found.passed, found
    rules = {checked.name: checked.checked for checked in found.checks}
    assert rules["the shown text does not contain the key"] == probes.manifest.questions
    assert rules["the document continues with the key"] == probes.manifest.questions


def test_an_audit_sees_a_key_that_the_document_does_not_have(probes: Bench, tmp_path: Path) -> None:
    shutil.copytree(probes.folder, tmp_path / "bench")
    path = tmp_path / "bench" / KEYS
    first, *rest = path.read_text().splitlines(keepends=True)
    key = json.loads(first)
    key["answer"]["value"] = key["proof"]["rows"][0][3] = "Nobody"
    path.write_text(json.dumps(key) + "\n" + "".join(rest))
    found = audit(tmp_path / "bench", probes.corpus_folder)
    failed = {checked.name for checked in found.checks if checked.failed}
    assert "the document continues with the key" in failed


def test_what_is_shown_is_the_document_up_to_its_citation(probes: Bench) -> None:
    looked: Counter[str] = Counter()
    with Corpus(probes.corpus_folder) as corpus:
        for context, (item,) in probes.by_context():
            shown = context.places[0].span.of(render(context, corpus).decode())
            text = corpus.document(context.documents[0]).text
            assert isinstance(item.key.answer, Text)
            name = item.key.answer.value
            looked[item.question.tags["task"]] += 1
            assert without_accents(name).casefold() not in without_accents(shown).casefold().split()
            if item.question.tags["task"] == "citation":
                assert text.count(shown.rstrip()) == 1
                rest = text[text.index(shown.rstrip()) + len(shown.rstrip()) :]
                # "di Kowalczyk" is "Di Kowalczyk" where the sentence opens with it.
                assert without_accents(name).casefold() in without_accents(rest[:120]).casefold()
            else:
                assert shown.count(BLANK) == 1
                assert shown.replace(BLANK, name).split("\n\n")[0] in text
                assert len(shown) < 1_000
    assert set(looked) == {"citation", "title"}
    assert min(looked.values()) > 20


def test_the_tags_say_what_scores_are_broken_down_by(probes: Bench) -> None:
    for question in probes.all_questions():
        assert set(question.tags) == {"task", "year", "subject"}
    assert len(probes.manifest.counts["year"]) > 5


def test_the_report_says_what_could_not_be_probed(probes: Bench) -> None:
    report: Any = probes.manifest.reports["memorization"]
    steps = report["citations"]
    assert steps["alone"] >= steps["resolved"] >= steps["named in the text"] >= steps["not named before"]
    assert steps["not named before"] >= report["built"]["citation"] > 0
    lines = FAMILY.describe(report)
    assert any("not named before" in line for line in lines)


def test_papers_that_cite_by_number_alone_are_counted(tmp_path: Path, small_folder: Path) -> None:
    with Corpus(small_folder) as corpus:
        documents = list(corpus.documents())
    numbered = [
        document
        for document in documents
        if all(citation.style != "author-year" and citation.authors is None for citation in document.citations)
    ]
    with CorpusWriter(tmp_path / "corpus", {"test": 1}) as writer:
        for document in (*numbered, *(one for one in documents[:5] if one not in numbered)):
            writer.add(pack(document))
        manifest = writer.finish()
    families = {"memorization": {"items": 5_000, "probes": ["citation"]}}
    report: Any = build(BuildInputs(tmp_path / "corpus", Path("none"), families, 0), tmp_path / "bench").reports[
        "memorization"
    ]
    assert report["documents"]["examined"] == manifest.documents
    assert report["documents"]["whose citations name no author"] >= len(numbered) > 0


def test_a_corpus_without_anything_to_probe_says_so(tmp_path: Path) -> None:
    generate(tmp_path / "corpus", Recipe(domains=("housing",), seed=1, documents=2))
    families = {"memorization": {"probes": ["citation"]}}
    with pytest.raises(FathomError, match=r"can be probed.*alone 0"):
        build(BuildInputs(tmp_path / "corpus", Path("none"), families, 0), tmp_path / "bench")


def test_it_says_at_which_step_citations_fell_out(tmp_path: Path) -> None:
    """With 400 characters no paragraph starts far enough before a citation: every citation fails at the last step."""
    generate(tmp_path / "corpus", Recipe(seed=1, documents=8))
    families = {"memorization": {"probes": ["citation"], "characters": 400}}
    with pytest.raises(FathomError) as refused:
        build(BuildInputs(tmp_path / "corpus", Path("none"), families, 0), tmp_path / "bench")
    assert re.search(
        r"alone [\d,]{3,}, resolved [\d,]{3,}, named in the text [\d,]{3,}, not named before 0", str(refused.value)
    )
    assert "title" not in str(refused.value)


def test_a_memorizer_passes_the_probes_and_a_reader_does_not(probes: Bench) -> None:
    """The memorizer's responses are the document's own words; the reader's are those that are shown."""
    shares: dict[str, float] = {}
    with Corpus(probes.corpus_folder) as corpus:
        simulator = Simulator(corpus, probes.all_keys)
        for name in ("oracle", "memorizer", "reader", "random", "majority", "null"):
            right = 0
            for context, (item,) in probes.by_context():
                response = simulated_response(
                    simulator, context, item, SimulatedModel(name), rng_for(0, item.question.id)
                )
                right += FAMILY.check(item.key, response).outcome == "correct"
            shares[name] = right / probes.manifest.questions
    assert shares["oracle"] == shares["memorizer"] == 1.0
    assert shares["reader"] == shares["random"] == shares["null"] == 0.0
    assert 0 < shares["majority"] < 0.2


def test_a_memorizer_forgets_at_the_given_rate(probes: Bench) -> None:
    forgetful = SimulatedModel.parse("sim/memorizer?forget=0.4")
    with Corpus(probes.corpus_folder) as corpus:
        simulator = Simulator(corpus, probes.all_keys)
        right = sum(
            FAMILY.check(
                item.key, simulated_response(simulator, context, item, forgetful, rng_for(seed, item.question.id))
            ).outcome
            == "correct"
            for seed in range(5)
            for context, (item,) in probes.by_context()
        )
    assert 0.5 < right / (5 * probes.manifest.questions) < 0.7

"""Sets: one mask for a whole group of citations, and all works that the group cites as the answer."""

from __future__ import annotations

from math import comb
from pathlib import Path
from random import Random

import pytest

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.errors import FathomError
from fathom.scoring.answers import Selection
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.citations.diagnose import Diagnoser
from fathom.tasks.citations.simulate import Simulator, options_of
from tests.sharing import SharedFolders
from tests.tasks.citations.conftest import build_citations


@pytest.fixture(scope="module")
def grouped(citing_corpus: Path, build_once: SharedFolders) -> Bench:
    """A bench of sets with six candidates; never write to it."""

    def make(folder: Path) -> None:
        build_citations(
            citing_corpus, folder / "bench", items=4, tasks=["set"], levels=["medium", "hard"], candidates=6
        )

    return Bench(build_once("grouped", make) / "bench")


def test_an_audit_proves_the_sets(grouped: Bench) -> None:
    found = audit(grouped.folder)
    assert found.passed, [checked for checked in found.checks if checked.failed]
    assert grouped.manifest.counts["answer"] == {"selection": grouped.manifest.questions}
    assert set(grouped.manifest.counts["level"]) == {"medium", "hard"}
    assert "every mask is a whole group of citations" in {checked.name for checked in found.checks}


def test_the_key_is_what_the_brackets_cite(grouped: Bench) -> None:
    """Looked up in the document: every citation of the brackets, and no work besides."""
    with Corpus(grouped.corpus_folder) as corpus:
        for context, [item] in grouped.by_context():
            answer = item.key.answer
            assert isinstance(answer, Selection)
            assert 2 <= len(answer.options) < answer.of == 6
            paper = corpus.document(context.documents[0])
            [place] = {row[2] for row in item.key.proof.rows}
            start, end = map(int, place.split("-"))
            inside = [one for one in paper.citations if start <= one.span.start and one.span.end <= end]
            cited = {paper.references[one.reference - 1].document for one in inside if one.reference}
            assert {context.documents[option] for option in answer.options} == cited
            shown = context.places[0].span.of(render(context, corpus).decode())
            assert shown.count("[[CITATION") == shown.count("[[CITATIONS]]") == 1


def test_simulated_models_answer_sets(grouped: Bench) -> None:
    with Corpus(grouped.corpus_folder) as corpus:
        simulator = Simulator(corpus, grouped.all_keys)
        for context, [item] in grouped.by_context():
            correct = options_of(item.key)
            assert simulator.text(context, item, SimulatedModel.parse("sim/oracle"), Random(1)) == (
                f"Answer: {', '.join(map(str, correct))}"
            )
            missed = simulator.text(
                context, item, SimulatedModel.parse("sim/reader?miss=1").resolved(["miss"]), Random(1)
            )
            assert int(missed.removeprefix("Answer: ")) not in correct


def test_faults_of_sets_are_diagnosed(grouped: Bench) -> None:
    with Corpus(grouped.corpus_folder) as corpus:
        diagnoser = Diagnoser(corpus)
        context, [item] = next(grouped.by_context())
        answer = item.key.answer
        assert isinstance(answer, Selection)
        suspects = diagnoser.diagnose(context, item).suspects
        left_out = [one for one in suspects if one.cause == "left-out"]
        added = [one for one in suspects if one.cause == "added"]
        assert len(left_out) == len(answer.options)
        assert len(added) == answer.of - len(answer.options)
        assert all(one.answer != answer for one in suspects)
        rarer = list(diagnoser.diagnose(context, item).further())
        assert len(rarer) == sum(comb(len(answer.options), size) for size in range(1, len(answer.options) - 1))
        assert "mixed-up" not in {one.cause for one in suspects}


def test_sets_in_several_settings(citing_corpus: Path, tmp_path: Path) -> None:
    bench = build_citations(
        citing_corpus, tmp_path / "bench", items=2, tasks=["set"], levels=["medium"], vary={"candidates": ["5", "all"]}
    )
    assert audit(bench.folder).passed
    assert set(bench.manifest.counts["setting"].values()) == {2}


def test_an_empty_build_of_sets_counts_groups(citing_corpus: Path, tmp_path: Path) -> None:
    """Papers that are too long are the reason only if all of them are."""
    with pytest.raises(
        FathomError, match=r"groups of works with text \d.* cites 60 works of the corpus \(0 do\), two of"
    ):
        build_citations(citing_corpus, tmp_path / "bench", tasks=["set"], levels=["medium"], candidates=60)
    with pytest.raises(FathomError, match="leaves space for candidates in 5,000 characters"):
        build_citations(citing_corpus, tmp_path / "bench", tasks=["set"], levels=["medium"], characters=5_000)

"""What `fathom build` takes for single families: what is asked of them, and what is refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fathom.corpus.generate import Recipe, generate
from fathom.tasks.bench import Bench
from fathom.tasks.citations.settings import LEVELS
from tests.cli.test_contamination import call
from tests.tasks.citations.conftest import citing_corpus

__all__ = ["citing_corpus"]


@pytest.fixture(scope="module")
def citation_types(citing_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bench that asks for the type of every citation, and a run that takes some otherwise than the rule."""
    folder = tmp_path_factory.mktemp("citation_types")
    assert call("build", citing_corpus, "--families", "citation_types", "--out", folder / "bench") == 0
    assert call("run", folder / "bench", "--model", "sim/reader?miss=0.3", "--out", folder / "run") == 0
    return folder


def settings(folder: Path, family: str = "citations") -> Any:
    return Bench(folder).manifest.asked.own[family]


def test_a_model_s_word_is_counted_and_what_it_disputes_is_not_asked(
    citing_corpus: Path, citation_types: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--families", "citations", "--tasks", "choice", "--items", 5, "--out", tmp_path / "cited")
    assert call("build", citing_corpus, *asked, "--types", citation_types / "run") == 0
    total = Bench(citation_types / "bench").manifest.questions
    typed, disputed = settings(tmp_path / "cited")["typed"], settings(tmp_path / "cited")["types"]
    assert typed["agree"] + typed["disagree"] == total
    assert 0.2 * total < typed["disagree"] == len(disputed) < 0.4 * total
    said = capsys.readouterr().out
    assert f"a model's word on {total:,} of {total:,} citations: it agrees with the rule on {typed['agree']:,}" in said
    used = {f"{row[0]} {row[2]}" for key in Bench(tmp_path / "cited").all_keys() for row in key.proof.rows}
    assert used and not used & set(disputed)


def test_citations_without_a_model_s_word_are_told(
    citing_corpus: Path, citation_types: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half = ("run", citation_types / "bench", "--model", "sim/reader?timeout=0.5", "--out", tmp_path / "half")
    assert call(*half) == 1
    asked = ("--families", "citations", "--tasks", "choice", "--items", 2, "--out", tmp_path / "cited")
    assert call("build", citing_corpus, *asked, "--types", tmp_path / "half") == 0
    typed = settings(tmp_path / "cited")["typed"]
    assert typed["without"] > 0
    assert typed["disagree"] == typed["unclear"] == 0
    assert f"and the {typed['without']:,} without its word" in capsys.readouterr().out


def test_types_of_another_corpus_are_refused(
    citation_types: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate(tmp_path / "other", Recipe(seed=6, documents=10, domains=("physics",)))
    asked = ("--families", "citations", "--out", tmp_path / "cited", "--types", citation_types / "run")
    assert call("build", tmp_path / "other", *asked) == 2
    assert "tells the types of another corpus's citations" in capsys.readouterr().err
    assert not (tmp_path / "cited").exists()


def test_dimensions_of_one_s_own_change_a_single_level(
    citing_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--families", "citations", "--tasks", "choice", "--items", 1)
    cases = {
        ("--scope", "section"): LEVELS["medium"].model_copy(update={"scope": "section"}),
        ("--levels", "hard", "--scope", "section"): LEVELS["hard"].model_copy(update={"scope": "section"}),
        ("--levels", "easy", "--type", "descriptive"): LEVELS["easy"].model_copy(
            update={"citation_type": "descriptive"}
        ),
    }
    for number, (words, wanted) in enumerate(cases.items()):
        assert call("build", citing_corpus, *few, "--out", tmp_path / str(number), *words) == 0
        assert settings(tmp_path / str(number))["levels"] == {"own": wanted.model_dump(mode="json")}
    capsys.readouterr()
    for several in ("easy,hard", "easy,medium,hard"):
        out = tmp_path / "several"
        assert call("build", citing_corpus, *few, "--out", out, "--levels", several, "--type", "descriptive") == 2
        assert "--type makes one level of your own, and --levels names" in capsys.readouterr().err
        assert not out.exists()


@pytest.mark.parametrize(
    ("families", "words", "named"),
    [
        ("numeric", ("--items", "3"), "--items asks something of the family citations or memorization"),
        ("memorization", ("--type", "descriptive"), "--type asks something of the family citations"),
        ("citations", ("--probes", "title"), "--probes asks something of the family memorization"),
        ("citation_types", ("--levels", "hard"), "--levels asks something of the family citations"),
    ],
)
def test_an_option_that_no_family_takes_is_refused(
    families: str,
    words: tuple[str, str],
    named: str,
    citing_corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call("build", citing_corpus, "--families", families, "--out", tmp_path / "bench", *words) == 2
    assert named in capsys.readouterr().err
    assert not (tmp_path / "bench").exists()


def test_probes_of_one_kind_as_many_as_wanted(citing_corpus: Path, tmp_path: Path) -> None:
    recall = ("build", citing_corpus, "--families", "memorization")
    assert call(*recall, "--out", tmp_path / "titles", "--probes", "title", "--items", 7) == 0
    assert Bench(tmp_path / "titles").manifest.counts["task"] == {"title": 7}
    few = ("--probes", "citation", "--items", 9, "--per-paper", 1, "--characters", "3000")
    assert call(*recall, "--out", tmp_path / "names", *few) == 0
    names = Bench(tmp_path / "names")
    assert names.manifest.counts["task"] == {"citation": 9}
    documents = [context.documents[0] for context in names.contexts()]
    assert len(set(documents)) == len(documents)
    assert all(place.span.end - place.span.start <= 3_001 for context in names.contexts() for place in context.places)


def test_both_families_take_what_they_share(citing_corpus: Path, tmp_path: Path) -> None:
    both = ("build", citing_corpus, "--families", "citations,memorization", "--out", tmp_path / "both")
    assert call(*both, "--items", 2, "--tasks", "choice", "--levels", "easy") == 0
    assert Bench(tmp_path / "both").manifest.counts["family"] == {"citations": 2, "memorization": 4}

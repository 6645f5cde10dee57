"""`fathom build FAMILY`: its options are those of the family, and recipes build several families."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fathom.corpus.generate import Recipe, generate
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import FAMILIES, family
from fathom.tasks.citations.settings import LEVELS, CitationSettings
from tests.cli.test_contamination import call
from tests.serving import Provider, serving


def settings(folder: Path, name: str = "citations") -> Any:
    return Bench(folder).manifest.settings[name]


def test_citations_that_a_model_classifies_otherwise_are_not_asked_about(
    citing_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ("--tasks", "choice", "--items", 5, "--out", tmp_path / "cited")
    assert call("build", "citations", citing_corpus, *chosen, "--type-checker", "sim/reader?miss=0.3") == 0
    checks = settings(tmp_path / "cited")["type_checker"]
    total = checks["agree"] + checks["disagree"]
    assert checks["unclear"] == checks["without"] == 0
    assert 0.2 * total < checks["disagree"] == len(checks["disputed"]) < 0.4 * total
    said = capsys.readouterr().out
    assert f"sim/reader?miss=0.3 checked {total:,} of {total:,} citation types: {checks['agree']:,} agree" in said
    used = {f"{row[0]} {row[2]}" for key in Bench(tmp_path / "cited").all_keys() for row in key.proof.rows}
    assert used and not used & set(checks["disputed"])
    assert call("audit", tmp_path / "cited") == 0


def test_citations_without_a_model_check_are_reported(
    citing_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ("--tasks", "choice", "--items", 2, "--out", tmp_path / "cited")
    assert call("build", "citations", citing_corpus, *chosen, "--type-checker", "sim/reader?timeout=0.5") == 0
    checks = settings(tmp_path / "cited")["type_checker"]
    assert checks["without"] > 0
    assert checks["disagree"] == checks["unclear"] == 0
    assert f"and the {checks['without']:,} that it gave no response for" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")  # the engine emits warnings of its own
def test_a_type_checker_is_called_once_for_each_citation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    generate(tmp_path / "corpus", Recipe(seed=5, documents=24, domains=("physics",)))
    monkeypatch.setenv("MINE_API_KEY", "sk-none")
    chosen = ("--tasks", "choice", "--levels", "easy", "--items", 1, "--type-checker", "openai-api/mine/m")
    with serving(Provider(response=lambda prompt: "Answer: attributional")) as provider:
        monkeypatch.setenv("MINE_BASE_URL", provider.url)
        assert call("build", "citations", tmp_path / "corpus", *chosen, "--out", tmp_path / "cited") == 0
        asked = len(provider.prompts)
        checks = settings(tmp_path / "cited")["type_checker"]
        assert checks["agree"] + checks["disagree"] >= asked > 0
        assert "[[CITATION]]" in provider.prompts[0] and "Answer:" in provider.prompts[0]
        assert call("build", "citations", tmp_path / "corpus", *chosen, "--out", tmp_path / "cited") == 0
        assert len(provider.prompts) == asked
    assert "already built" in capsys.readouterr().err


def test_dimensions_make_a_custom_level(
    citing_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--tasks", "choice", "--items", 1)
    cases = {
        ("--scope", "section"): LEVELS["medium"].model_copy(update={"scope": "section"}),
        ("--levels", "hard", "--scope", "section"): LEVELS["hard"].model_copy(update={"scope": "section"}),
        ("--levels", "easy", "--type", "descriptive"): LEVELS["easy"].model_copy(
            update={"citation_type": "descriptive"}
        ),
    }
    for number, (words, wanted) in enumerate(cases.items()):
        assert call("build", "citations", citing_corpus, *few, "--out", tmp_path / str(number), *words) == 0
        recorded = CitationSettings.model_validate(settings(tmp_path / str(number)))
        assert recorded.difficulties == {"own": wanted}
    varied = ("--out", tmp_path / "varied", "--vary", "scope=full,section,mask=all,one", "--vary", "candidates=4,all")
    assert call("build", "citations", citing_corpus, *few, *varied) == 0
    assert len(CitationSettings.model_validate(settings(tmp_path / "varied")).variants("easy")) == 8
    capsys.readouterr()
    for several in ("easy,hard", "easy,medium,hard"):
        out = tmp_path / "several"
        both = ("--out", out, "--levels", several, "--type", "descriptive")
        assert call("build", "citations", citing_corpus, *few, *both) == 2
        assert "--type makes one custom level, but --levels names" in capsys.readouterr().err
        assert not out.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("numeric", ("--items", "3")),
        ("memorization", ("--type", "descriptive")),
        ("citations", ("--probes", "title")),
        ("citation_types", ("--levels", "hard")),
    ],
)
def test_refuses_an_option_of_another_family(
    name: str, words: tuple[str, str], citing_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("build", name, citing_corpus, "--out", tmp_path / "bench", *words) == 2
    assert f"No such option '{words[0]}'" in capsys.readouterr().err
    assert not (tmp_path / "bench").exists()


@pytest.mark.parametrize("name", FAMILIES)
def test_help_lists_every_setting_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("build", name, "--help") == 0
    said = capsys.readouterr().out
    assert f"fathom build {name} corpus --out bench" in said
    for field, info in family(name).settings.model_fields.items():
        assert f"--{field.replace('_', '-')} " in said
        assert info.description, f"{name}.{field} has no docstring"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("numeric", "--questions", "0"), "--questions is 0. Use 1 to 1,000."),
        (("numeric", "--unanswerable", "2"), "--unanswerable"),
        (("numeric", "--hold-out", "color=red"), "'color=red' cannot be held out"),
        (("numeric", "--template-splits", "train"), "train"),
        (("citations", "--characters", "3K"), "--characters is 3,072. Use 4,000 or more."),
        (("citations", "--levels", "extreme"), "--levels does not take 'extreme'"),
        (("citations", "--candidates", "few"), "--candidates does not take 'few'"),
        (("citations", "--candidates", "3"), "--candidates is 3. Use 4 or more, or all"),
        (("citations", "--vary", "size=4,8"), "--vary does not take 'size=4'"),
        (("citations", "--vary", "scope"), "--vary does not take 'scope'"),
        (("citations", "--vary", "mask=all,one", "--vary", "mask=one,all"), "--vary names mask twice"),
        (("memorization", "--probes", ""), "--probes is empty"),
    ],
)
def test_refuses_values_out_of_range(
    words: tuple[str, ...], said: str, citing_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("build", words[0], citing_corpus, "--out", tmp_path / "bench", *words[1:]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "bench").exists()


def test_probes_of_one_kind_as_many_as_requested(citing_corpus: Path, tmp_path: Path) -> None:
    probes = ("build", "memorization", citing_corpus)
    assert call(*probes, "--out", tmp_path / "titles", "--probes", "title", "--items", 7) == 0
    assert Bench(tmp_path / "titles").manifest.counts["task"] == {"title": 7}
    few = ("--probes", "citation", "--items", 9, "--per-paper", 1, "--characters", "3000")
    assert call(*probes, "--out", tmp_path / "names", *few) == 0
    names = Bench(tmp_path / "names")
    assert names.manifest.counts["task"] == {"citation": 9}
    documents = [context.documents[0] for context in names.contexts()]
    assert len(set(documents)) == len(documents)
    assert all(place.span.end - place.span.start <= 3_001 for context in names.contexts() for place in context.places)


RECIPE = """
corpus = "corpus"
out = "both"
[families.citations]
items = 2
tasks = ["choice"]
levels = ["easy"]
[families.memorization]
items = 2
"""


def test_a_recipe_builds_several_families_into_one_bench(
    citing_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus").symlink_to(citing_corpus)
    (tmp_path / "recipe.toml").write_text(RECIPE)
    assert call("build", "--recipe", tmp_path / "recipe.toml") == 0
    assert Bench(tmp_path / "both").manifest.counts["family"] == {"citations": 2, "memorization": 4}
    assert call("audit", tmp_path / "both") == 0
    # The baselines of one task and level are on one line.
    assert capsys.readouterr().out.count("    choice, easy: ") == 1
    assert call("run", tmp_path / "both", "--model", "sim/oracle", "--out", tmp_path / "run") == 0
    assert call("score", tmp_path / "run") == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in said[-4:-1]] == [["all", "6"], ["citations", "2"], ["memorization", "4"]]
    assert call("build", "--recipe", tmp_path / "recipe.toml", "--out", tmp_path / "other") == 0
    assert Bench(tmp_path / "other").manifest.fingerprint == Bench(tmp_path / "both").manifest.fingerprint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("corpus = ", "is not valid TOML"),
        ("corpus = 'c'\nout = 'b'", "field 'families'"),
        ("corpus = 'c'\nout = 'b'\n[families.poetry]", "There is no family 'poetry'"),
        ("corpus = 'c'\n[families.memorization]", "Add `out`, or use --out"),
        (
            "corpus = 'c'\nout = 'b'\n[families.memorization]\nlevels = ['hard']",
            "family 'memorization' has no setting 'levels'",
        ),
    ],
)
def test_refuses_an_invalid_recipe(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "recipe.toml").write_text(text)
    assert call("build", "--recipe", tmp_path / "recipe.toml") == 2
    assert said in capsys.readouterr().err

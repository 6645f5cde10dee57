"""`fathom show`: corpora, benches and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.api.benches import open_bench
from tests.conftest import Fathom


@pytest.fixture
def question(tiny_bench: Path) -> str:
    return next(iter(open_bench(tiny_bench).all_questions())).id


def test_a_bench(tiny_bench: Path, fathom: Fathom) -> None:
    done = fathom("show", tiny_bench)
    assert done.stdout.splitlines()[0].startswith(f"{tiny_bench}: 30 questions over 6 contexts")
    assert f"next: fathom show {tiny_bench} --sample 3" in done.stdout


def test_statistics_agree_with_the_files(tiny_bench: Path, fathom: Fathom) -> None:
    found = json.loads(fathom("show", tiny_bench, "--stats", "--json").stdout)
    bench = open_bench(tiny_bench)
    contexts = list(bench.contexts())
    words = [len(one.text.split()) for one in bench.all_questions()]
    assert found["questions"] == 30
    assert found["documents"] == len({document for context in contexts for document in context.documents})
    assert found["tokens_per_context"]["largest"] == max(context.tokens for context in contexts)
    assert found["words_per_question"]["smallest"] == min(words)
    assert sum(found["counts"]["skill"].values()) == 30
    templates = {(one.tags["skill"], one.tags["template"]) for one in bench.all_questions()}
    assert sum(found["variety"]["template"].values()) == len(templates)
    assert found["operators"]
    assert "words per question" in fathom("show", tiny_bench, "--stats").stdout


def test_an_item_with_its_proof(tiny_bench: Path, fathom: Fathom, question: str) -> None:
    shown = fathom("show", tiny_bench, question).stdout
    item = open_bench(tiny_bench).item(question)
    assert item.answer.splitlines()[0] in shown
    assert "how:" in shown
    assert "SELECT" in shown
    (found,) = json.loads(fathom("show", tiny_bench, question, "--json").stdout)
    assert found["key"]["question_id"] == question
    with open_bench(tiny_bench).open_corpus() as corpus:
        for passage in found["passages"]:
            whole = passage["before"] + passage["text"] + passage["after"]
            assert whole in corpus.document(passage["document"]).text


def test_a_sample_depends_on_the_seed(tiny_bench: Path, fathom: Fathom) -> None:
    first, again, other = (
        [one["question"]["id"] for one in json.loads(fathom("show", tiny_bench, "--sample", 5, "--json", *more).stdout)]
        for more in ((), (), ("--seed", 1))
    )
    assert first == again != other
    assert len(set(first)) == 5


def test_a_response_with_its_verdict(tiny_bench: Path, fathom: Fathom, question: str, tmp_path: Path) -> None:
    fathom("run", tiny_bench, "--model", "sim/oracle", "--out", tmp_path / "run")
    assert "response 1: correct" in fathom("show", tmp_path / "run", question).stdout
    assert "answered 30" in fathom("show", tmp_path / "run").stdout


@pytest.mark.parametrize(
    ("words", "error"),
    [(("q-none",), "has no question 'q-none'"), (("c-none",), "has no context"), (("doc",), "doc")],
)
def test_misuse(tiny_bench: Path, fathom: Fathom, words: tuple[str, ...], error: str) -> None:
    done = fathom("show", tiny_bench, *words)
    assert done.returncode == 2
    assert error in done.stderr


def test_statistics_of_a_corpus_are_an_error(small_folder: Path, fathom: Fathom) -> None:
    done = fathom("show", small_folder, "--stats")
    assert done.returncode == 2
    assert "Give the folder of a bench" in done.stderr

"""`fathom agree`: files of annotations, errors in one sentence, and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fathom
from fathom.cli.main import main
from fathom.records.annotations import Annotation
from fathom.records.files import write_records


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agree")
    with fathom.generate(folder / "corpus", documents=3, seed=7) as corpus:
        documents = list(corpus.documents())
    every = [Annotation(document=one.id, annotator="ann", claims=one.claims) for one in documents]
    fewer = [Annotation(document=one.id, annotator="bob", claims=one.claims[1:]) for one in documents]
    write_records(folder / "ann.jsonl", every)
    write_records(folder / "bob.jsonl", fewer)
    write_records(folder / "other.jsonl", [one.model_copy(update={"document": "nowhere"}) for one in fewer[:1]])
    return folder


def call(place: Path, *words: str) -> int:
    return main(
        ["agree", *(str(place / word) if word.endswith(".jsonl") or word == "corpus" else word for word in words)]
    )


def test_two_files_are_compared(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(place, "ann.jsonl", "bob.jsonl", "--corpus", "corpus") == 0
    shown = capsys.readouterr().out
    assert "3 documents with two or more annotations, matched by sentence at 0.5" in shown
    assert "ann, bob" in shown
    assert "Krippendorff's alpha" in shown
    assert call(place, "ann.jsonl", "bob.jsonl", "--corpus", "corpus", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    claims = found["pairs"][0]["f1"]["claims"]["value"]
    assert 0.5 < claims < 1
    assert found["pairs"][0]["sentences"]["claims"][2] == 0
    assert fathom.agree([place / "ann.jsonl", place / "bob.jsonl"], place / "corpus").f1["claims"].value == claims


def test_without_a_corpus_characters_are_compared(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(place, "ann.jsonl", "bob.jsonl") == 0
    shown = capsys.readouterr().out
    assert "matched by character" in shown
    assert "need --corpus" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ann.jsonl",), "All annotations are by 'ann'. Add those of a second annotator."),
        (("ann.jsonl", "ann.jsonl"), "Keep one, or give the annotators different names."),
        (("ann.jsonl", "bob.jsonl", "other.jsonl", "--corpus", "corpus"), "has no document 'nowhere'"),
        (("ann.jsonl", "bob.jsonl", "--level", "sentence"), "Give it with --corpus"),
        (("ann.jsonl", "bob.jsonl", "--threshold", "0"), "above 0 and at most 1"),
        (("ann.jsonl", "none.jsonl"), "none.jsonl"),
        ((), "Missing argument"),
    ],
)
def test_misuse_is_explained(
    place: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert call(place, *words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1

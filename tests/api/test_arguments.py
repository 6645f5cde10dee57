"""Misuse of the Python API: every wrong argument gives a FathomError with a sentence, never a raw exception."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import fathom


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> fathom.Bench:
    folder = tmp_path_factory.mktemp("api")
    corpus = fathom.generate(folder / "corpus", documents=24, length="short", processes=1)
    corpus.contexts("2K", 2, sampling="random")
    return fathom.build("numeric", corpus, folder / "bench", questions=6)


@dataclass(frozen=True)
class Nameless:
    """Not a system: it has no name."""


api: Any = fathom
"""Without types: a notebook has no type checker."""

WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda b: api.generate("x", documents=0), "'documents'.*greater than or equal to 1"),
    (lambda b: api.generate("x", tokens="many"), "'many' is not a length"),
    (lambda b: api.ingest("x", "y", min_tables=-1), "'min_tables'"),
    (api.open_corpus, "is not a corpus.*Give the folder of a corpus"),
    (lambda b: api.open_bench(b.folder.parent / "corpus"), "is not a bench.*Give the folder of a bench"),
    (lambda b: api.open_corpus(b.folder.parent / "corpus").contexts(["2K"], 0), "'count'"),
    (lambda b: api.open_corpus(b.folder.parent / "corpus").contexts(["2K"], sampling="walk"), "'sampling"),
    (lambda b: api.build("numeric", b.folder.parent / "corpus", "x", question=3), "no setting 'question'. It has:"),
    (lambda b: b.items(split="exam"), "no items of 'exam'. Choose among train, dev, test"),
    (lambda b: b.items(family="tables"), "no items of 'tables'. Choose among numeric"),
    (lambda b: api.run(b, model="sim/oracle", samples=0), "'samples'"),
    (lambda b: api.run(b, model="sim/oracle", sample=3), "no setting 'sample'. It has: .*samples"),
    (lambda b: api.run(b, model="sim/oracle", budget=-1), "'budget' is -1"),
    (lambda b: api.run(b, model="sim/oracle", connections=0), "'connections' is 0"),
    (lambda b: api.run(b, model="sim/oracle", prompting="fast"), "no prompting 'fast'"),
    (lambda b: api.run(b, model="sim/oracle", system=Nameless), "Give an object: Nameless()"),
    (lambda b: api.run(b, model="sim/oracle", system=Nameless()), "it has no 'name'"),
    (lambda b: api.run(b, model="sim/oracle", system=Nameless(), system_settings={"x": 1}), "has its own settings"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_wrong_arguments_are_rejected_in_a_sentence(
    call: Callable[[Any], object], message: str, bench: fathom.Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(fathom.FathomError, match=message):
        call(bench)


def test_lengths_may_be_texts(bench: fathom.Bench, tmp_path: Path) -> None:
    run = fathom.run(bench, model="sim/oracle", out=tmp_path / "run", window="64K", max_tokens="1K")
    assert (run.manifest.settings.window, run.manifest.settings.max_tokens) == (65_536, 1_024)


def test_the_answer_of_an_item_is_correct(bench: fathom.Bench) -> None:
    assert {item.check(item.answer).outcome for item in bench.items()} == {"correct"}


def test_objects_are_printed_in_one_line(bench: fathom.Bench, tmp_path: Path) -> None:
    run = fathom.run(bench, model="sim/oracle", out=tmp_path / "run")
    assert repr(run.score()).endswith("12 questions, accuracy 100.0%)")
    assert repr(fathom.analyze(run)) == "Analysis(run: 100.0%)"

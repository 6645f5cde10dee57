"""Commands that write a bench audit it first: a family whose build, refit and swap make bad items."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.tasks import catalog
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import CONTEXTS, KEYS, QUESTIONS
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.fitting import Window, fit
from fathom.tasks.swapping import swap
from tests.conftest import Fathom

FAMILY = '''

from fathom.records.layouts import LAYOUT
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.scoring.answers import Text
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.family import AuditCheck, ContextItems, Family, FamilySettings, FromCorpus, Item, PerContext
from fathom.tasks.family import RefittedItems, SwappedItems
from fathom.tasks.text_views import text_views


class Settings(FamilySettings):
    """How many items are bad."""

    bad: int = 1
    """Bad items of each context."""


def item(context, number, bad, original=None, was=None):
    id = short_id("q", context.id, number)
    title = f"{context.documents[number]}{' or so' * bad}"
    question = Question(
        id=id, family=NAME, context_id=context.id, split=context.split, text="Which document is it?", tags={}
    )
    key = Key(
        question_id=id, answer=Text(value=title), proof=Proof(program=str(number)), original=original, swapped_from=was
    )
    return Item(question, key)


class Builder:
    def __init__(self, corpus, settings, seed):
        self.bad = settings.bad

    def build(self, context, rng):
        return (item(context, number, number < self.bad) for number in range(4))


class Auditor:
    def __init__(self, corpus, seed, measured=True):
        self.rules, self.texts = AuditChecks(), set()

    def check(self, context, items):
        for one in items:
            self.texts.add(one.key.answer.value)
            right = context.documents[int(one.key.proof.program)] == one.key.answer.value
            self.rules.check("the key is right", one, right)
            self.rules.check("the key is short", one, right)
        return self.rules.failures(items)

    def results(self):
        few = NAME == "whole" and len(self.texts) < 1_000
        bench = AuditCheck(name="there are enough answers", checked=len(self.texts), failed=int(few))
        return [*self.rules.results(), bench]


class Refitter:
    def __init__(self, corpus):
        pass

    def refit(self, context, smaller, items):
        return RefittedItems([item(smaller, number, number == 3) for number in range(1, 4)], [])


class Swapper:
    def __init__(self, corpus):
        pass

    def swap(self, context, swapped, items):
        made = [item(swapped, number, number == 2, Text(value="x"), items[0].question.id) for number in range(3)]
        return SwappedItems(swapped, made, [])


class CorpusBuilder(Builder):
    def __init__(self, corpus, settings, seed):
        super().__init__(corpus, settings, seed)
        from fathom.contexts.files import read_contexts

        self.contexts = list(read_contexts(corpus.folder / "contexts.jsonl"))

    def build(self):
        # Every item of the first context is bad.
        for place, context in enumerate(self.contexts):
            yield ContextItems(context, [item(context, number, place == 0) for number in range(2)])

    def report(self):
        return {}


FAMILY = Family(
    name=NAME,
    summary="Items, some of them bad.",
    settings=Settings,
    build=PerContext(Builder) if NAME == "bad" else FromCorpus(CorpusBuilder),
    check=lambda key, response, text=None, judgments=(): check_response(key, response),
    audit=Auditor,
    views=lambda corpus, report: text_views(corpus, __name__),
    refit=lambda corpus, report: Refitter(corpus),
    swap=Swapper,
)
'''
RIGHT, WHOLE = "the key is right", "there are enough answers"


@pytest.fixture
def folder(few_citing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A corpus with contexts, and three families of bad items, installed as a user would install them."""
    names = ("bad", "own", "whole")
    for name in names:
        package = tmp_path / "packages" / "poor" / name
        package.mkdir(parents=True)
        (package.parent / "__init__.py").write_text("")
        (package / "__init__.py").write_text(f"NAME = {name!r}\n{FAMILY}")
        (package / "ask.md").write_text("# full, direct\n\nAnswer.\n\n# full, cot\n\nThink.\n")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.setenv(catalog.VARIABLE, ",".join(f"poor.{name}" for name in names))
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for path in few_citing.iterdir():
        (corpus / path.name).write_bytes(path.read_bytes())
    with Corpus(corpus) as opened:
        write_contexts(opened, SamplingSettings(lengths=(65_536,), count=5), corpus / FILE_NAME)
    yield corpus
    for name in ("poor", *(f"poor.{name}" for name in names)):
        sys.modules.pop(name, None)


def test_bad_items_of_a_build_are_dropped_and_counted(folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    out = tmp_path / "bench"
    built = fathom("build", "bad", folder, "--out", out, "--bad", 1, "--processes", 1)
    assert built.returncode == 0, built.stderr
    assert "15 questions over 5 contexts" in built.stdout
    assert f"5 dropped: failed the check '{RIGHT}'" in built.stdout
    manifest = Bench(out).manifest
    assert (manifest.questions, manifest.dropped) == (15, {RIGHT: 5})
    assert audit(out).passed
    assert len((out / KEYS).read_text().splitlines()) == 15


def test_the_result_does_not_depend_on_the_number_of_processes(folder: Path, tmp_path: Path) -> None:
    for processes in (1, 2):
        build(BuildInputs(folder, folder / FILE_NAME, {"bad": {"bad": 2}}, 0), tmp_path / str(processes), processes)
    one, two = ({name: (tmp_path / n / name).read_bytes() for name in (CONTEXTS, QUESTIONS, KEYS)} for n in "12")
    assert one == two
    manifests = [json.loads((tmp_path / n / "manifest.json").read_text()) for n in "12"]
    assert manifests[0] == manifests[1]
    assert manifests[0]["dropped"] == {RIGHT: 10}


def test_a_context_of_its_own_without_a_good_item_is_left_out(folder: Path, tmp_path: Path) -> None:
    manifest = build(BuildInputs(folder, folder / FILE_NAME, {"own": {}, "bad": {}}, 0), tmp_path / "bench")
    assert (manifest.contexts, manifest.questions) == (5 + 4, 15 + 8)
    assert manifest.dropped == {RIGHT: 5 + 2}
    assert audit(tmp_path / "bench").passed


def test_a_bench_that_fails_as_a_whole_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FathomError, match=f"'whole' fail the check '{WHOLE}'"):
        build(BuildInputs(folder, folder / FILE_NAME, {"whole": {}}, 0), tmp_path / "bench")
    assert not (tmp_path / "bench").exists()


def test_a_build_of_bad_items_only_names_the_check(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FathomError, match=f"fails the audit: 20 the check '{RIGHT}'"):
        build(BuildInputs(folder, folder / FILE_NAME, {"bad": {"bad": 4}}, 0), tmp_path / "bench")
    assert not (tmp_path / "bench").exists()


def test_bad_items_of_a_fit_are_dropped_and_counted(folder: Path, tmp_path: Path) -> None:
    build(BuildInputs(folder, folder / FILE_NAME, {"bad": {}}, 0), tmp_path / "bench")
    report = fit(tmp_path / "bench", Window(56_000), tmp_path / "fitted").fit
    assert report is not None
    assert report.refused[f"it fails the check '{RIGHT}'"] * 2 == report.recomputed > 0
    assert audit(tmp_path / "fitted").passed


def test_bad_items_of_a_swap_are_dropped_and_counted(folder: Path, tmp_path: Path) -> None:
    build(BuildInputs(folder, folder / FILE_NAME, {"bad": {}}, 0), tmp_path / "bench")
    manifest = swap(tmp_path / "bench", tmp_path / "swapped")
    report = manifest.reports["swap"]
    assert report["left out"] == {f"it fails the check '{RIGHT}'": 5}
    assert manifest.questions == report["answers that changed"] == 10
    assert audit(tmp_path / "swapped").passed

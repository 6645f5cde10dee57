"""`fathom check-system`: servers and classes that keep the contract, and those that do not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest

import fathom
from fathom.models.prompts import Prompt
from fathom.records.questions import Question, Response
from fathom.systems.catalog import SYSTEMS
from fathom.systems.protocol import CallEstimate, ContextView, Session, response_to
from tests.conftest import Fathom
from tests.pipeline import Pipeline, fetch, serving
from tests.runs.test_http_systems import documented_server


def failures(report: fathom.SystemReport) -> list[str]:
    return [check.sentence for check in report.checks if check.result == "failed"]


def test_the_server_of_the_docs_passes(fathom: Fathom, tmp_path: Path, letters_bench: Path) -> None:
    with documented_server(tmp_path) as url:
        done = fathom("check-system", url, "-S", "idempotent=true", "--bench", letters_bench)
    assert done.returncode == 0, done.stdout
    assert "FAILED" not in done.stdout
    assert "passed: It fetches documents: " in done.stdout
    assert done.stdout.endswith(f"next: fathom run BENCH --system {url}\n")


numbers = count(1)


def by_turns(request: dict[str, Any]) -> dict[str, Any]:
    return {"answer": f"Answer: {next(numbers)}"}


BAD: dict[str, tuple[Pipeline, str]] = {
    "wrong id": (Pipeline(fault=lambda n, request: "wrong id"), "the answer belongs to another request"),
    "status": (Pipeline(fault=lambda n, request: "500"), "did not answer (500"),
    "address": (Pipeline(fault=lambda n, request: "404"), "does not take questions at this address (404"),
    "slow": (Pipeline(fault=lambda n, request: "silence", silence=1.5), "did not answer within 1 s"),
    "redirect": (Pipeline(fault=lambda n, request: "redirect"), "Redirects are not followed"),
    "at once": (Pipeline(fault=lambda n, request: "close" if n in range(5, 9) else ""), "Of 4 questions at once"),
    "again": (Pipeline(by_turns), "although -S idempotent=true"),
    "usage": (Pipeline(lambda request: {"answer": "Answer: 1", "usage": 4}), "'usage' is not valid"),
    "citation": (
        Pipeline(lambda request: {"answer": "Answer: 1", "citations": [{"document": "Article 1", "quote": "§%!"}]}),
        "1 citation could not be located: 'Article 1' does not contain the quote",
    ),
    "form": (Pipeline(lambda request: {"answer": " "}), "No answer can be parsed"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_server_that_breaks_the_contract_fails_with_a_sentence(name: str, letters_bench: Path) -> None:
    pipeline, sentence = BAD[name]
    with serving(pipeline):
        report = fathom.check_system(
            pipeline.url, bench=letters_bench, timeout=1 if name == "slow" else 30, system_settings={"idempotent": True}
        )
    assert not report.passed
    assert any(sentence in one for one in failures(report)), failures(report)


def test_what_a_server_leaves_out_is_noted_and_no_failure(letters_bench: Path, fathom: Fathom) -> None:
    with serving(Pipeline(lambda request: {"answer": "Answer: 1", "debug": 1})) as pipeline:
        done = fathom("check-system", pipeline.url, "--bench", letters_bench, "--json")
    assert done.returncode == 0, done.stdout
    notes = [check["sentence"] for check in json.loads(done.stdout)["checks"] if check["result"] == "note"]
    for part in ("no price", "no citations", "fetches no document", "fields that the contract does not have: debug"):
        assert any(part in one for one in notes), part
    gone = fathom("check-system", pipeline.url, "--bench", letters_bench)
    assert gone.returncode == 1
    assert "FAILED: No server responds at" in gone.stdout


def test_a_server_may_fetch_while_it_is_checked(letters_bench: Path) -> None:
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return {"answer": f"Answer: {len(fetch(request['documents'][-1]['url']))}"}

    with serving(Pipeline(answer)) as pipeline:
        report = fathom.check_system(pipeline.url, bench=letters_bench)
    assert report.passed, failures(report)
    assert any("It fetches documents: 1 of the" in check.sentence for check in report.checks)


IN_PASSES = ("three-pass", "one-by-one")
"""Systems that need the instructions of a family with passes; the bench of letters has none."""


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in IN_PASSES])
def test_built_in_systems_pass(name: str, letters_bench: Path) -> None:
    report = fathom.check_system(name, bench=letters_bench)
    assert report.passed, failures(report)


@pytest.mark.parametrize("name", IN_PASSES)
def test_a_system_that_the_family_does_not_support_fails_with_a_sentence(name: str, letters_bench: Path) -> None:
    report = fathom.check_system(name, bench=letters_bench)
    assert not report.passed
    assert "Choose a system that it supports" in " ".join(failures(report))


@dataclass(frozen=True)
class Careful:
    """Asks twice, as its estimate says."""

    calls: int = 2
    notes: dict[str, int] = field(default_factory=dict)
    name: ClassVar[str] = "careful"

    def _prompt(self, question: Question, view: ContextView) -> Prompt:
        return Prompt.of("Read.", view.reference("documents"), question.text)

    async def answer(self, question: Question, session: Session) -> Response:
        for _ in range(2):
            completion = await session.ask(self._prompt(question, session.view))
        return response_to(question, completion)

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        return view.estimate(*[self._prompt(question, view)] * self.calls)


@dataclass(frozen=True)
class Confused(Careful):
    async def answer(self, question: Question, session: Session) -> Response:
        return (await super().answer(question, session)).model_copy(update={"question_id": "q-other"})


@dataclass(frozen=True)
class Fragile(Careful):
    async def answer(self, question: Question, session: Session) -> Response:
        response = await super().answer(question, session)
        return response.model_copy(update={"text": response.text.split(":")[1]})


@dataclass(frozen=True)
class Short(Careful):
    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        return CallEstimate(calls=2, input_tokens=100, largest_call=100)


@dataclass(frozen=True)
class Stored(Careful):
    handle: object = field(default_factory=lambda: open)


@dataclass(frozen=True)
class Alone:
    """Needs no model: it counts documents."""

    name: ClassVar[str] = "alone"
    needs_model: ClassVar[bool] = False

    async def answer(self, question: Question, session: Session) -> Response:
        text = f"Answer: {len(session.view.documents)}"
        return Response(question_id=question.id, outcome="answered", text=text)

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        return CallEstimate(calls=0, input_tokens=0, largest_call=0, price=0.0)


@pytest.mark.parametrize(
    ("system", "sentence"),
    [
        (Careful(), ""),
        (Careful(calls=1), "It made 2 calls for the question"),
        (Short(), "the estimate says at most 100"),
        (Confused(), "returned a response to 'q-other'"),
        (Fragile(), "With a model that says nothing: The answer to a question of the family 'numeric' failed"),
        (Stored(), "The settings cannot be stored as JSON"),
        (Alone(), ""),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_class_of_ones_own(system: Any, sentence: str, letters_bench: Path) -> None:
    report = fathom.check_system(system, bench=letters_bench)
    assert report.passed == (not sentence), failures(report)
    assert not sentence or any(sentence in one for one in failures(report)), failures(report)


def test_a_class_that_needs_no_model_is_run_without_one(letters_bench: Path, tmp_path: Path) -> None:
    made = fathom.run(letters_bench, system=Alone(), out=tmp_path / "run")
    assert made.status.outcomes == {"answered": 4}
    assert made.status.usage.price is None


def test_a_class_that_cannot_be_loaded_fails(fathom: Fathom, letters_bench: Path) -> None:
    done = fathom("check-system", "nowhere.py:Name", "--bench", letters_bench)
    assert done.returncode == 1
    assert "FAILED: There is no file 'nowhere.py'" in done.stdout

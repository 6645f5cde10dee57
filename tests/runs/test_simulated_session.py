"""Simulated models through systems of several calls: they communicate through text alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import anyio
import pytest

import fathom
from fathom.models.prompts import Prompt
from fathom.records.documents import NonNegativeInt
from fathom.records.questions import Question, Response
from fathom.systems.protocol import CallEstimate, ContextView, Session, response_to


@dataclass(frozen=True)
class TwoStep:
    """Takes notes on the documents, and answers from the first lines of the notes."""

    lines: NonNegativeInt = 1_000
    steered: bool = True
    name: ClassVar[str] = "two-step"

    async def answer(self, question: Question, session: Session) -> Response:
        about = question.text if self.steered else "Take notes."
        prompt = Prompt.of("Read.", session.view.reference("documents"), about)
        if self.steered:
            noted = (await session.ask(prompt, "notes")).text
        else:
            noted = await session.once("notes", lambda: self._read(prompt, session))
        kept = "\n".join(noted.splitlines()[: self.lines])
        return response_to(question, await session.ask(Prompt.of(kept, None, question.text), "answer"))

    async def _read(self, prompt: Prompt, session: Session) -> str:
        return (await session.ask(prompt, "notes")).text

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        return view.estimate(Prompt.of("Read.", view.reference("documents"), question.text))


def accuracy(bench: Path, out: Path, system: TwoStep, model: str = "sim/reader") -> float:
    return fathom.run(bench, model=model, system=system, out=out).score().accuracy


@pytest.mark.parametrize("steered", [True, False])
def test_a_reader_knows_what_its_notes_have_and_nothing_else(tiny_bench: Path, tmp_path: Path, steered: bool) -> None:
    assert accuracy(tiny_bench, tmp_path / "all", TwoStep(steered=steered)) == 1.0
    none = accuracy(tiny_bench, tmp_path / "none", TwoStep(0, steered))
    one = accuracy(tiny_bench, tmp_path / "one", TwoStep(2, steered))
    assert none <= one < 1.0


def test_the_faults_of_finding_happen_where_the_documents_are_read(tiny_bench: Path, tmp_path: Path) -> None:
    model = "sim/reader?miss=1"
    nothing = accuracy(tiny_bench, tmp_path / "none", TwoStep(0))
    # An article that cites nothing needs no passage. It is counted without notes, but not by a reader who misses all.
    assert accuracy(tiny_bench, tmp_path / "missed", TwoStep(), model) <= nothing < 0.5
    # A reader that misses no document when it takes notes misses none in the notes.
    assert accuracy(tiny_bench, tmp_path / "format", TwoStep(), "sim/reader?format=1") == 0.0


def test_a_reader_without_the_documents_knows_nothing(tiny_bench: Path, tmp_path: Path) -> None:
    nothing = accuracy(tiny_bench, tmp_path / "none", TwoStep(0))
    run = fathom.run(tiny_bench, model="sim/reader", system="closed-book", out=tmp_path / "closed")
    assert run.score().accuracy == nothing < 0.5
    assert run.status.usage.input_tokens < 1_000 * run.status.responses, "the question alone was sent"


@pytest.mark.parametrize("system", ["full", "passages", "tables", "sql", "extract-sql"])
def test_a_response_counts_the_tokens_of_its_own_prompt(tiny_bench: Path, tmp_path: Path, system: str) -> None:
    """Not those of the whole context: `passages`, `tables` and `sql` send far less."""
    planned = fathom.plan(tiny_bench, model="sim/reader", system=system)
    run = fathom.run(tiny_bench, model="sim/reader", system=system, out=tmp_path / "run")
    assert run.status.usage.input_tokens == planned.input_tokens > 0


def test_every_call_counts_and_can_fail(tiny_bench: Path, tmp_path: Path) -> None:
    run = fathom.run(tiny_bench, model="sim/reader", system=TwoStep(), out=tmp_path / "run")
    for response in run.responses():
        assert [step.name for step in response.trace] == ["notes", "answer"]
        assert response.usage.input_tokens == sum(step.usage.input_tokens for step in response.trace)
        assert response.usage.price == 0.0
    failing = fathom.run(tiny_bench, model="sim/reader?timeout=1", system=TwoStep(), out=tmp_path / "failing")
    assert set(failing.status.outcomes) == {"error"}
    refusing = fathom.run(tiny_bench, model="sim/reader?refuse=1", system=TwoStep(), out=tmp_path / "refusing")
    assert set(refusing.status.outcomes) == {"refused"}
    assert next(iter(refusing.responses())).trace[0].error == "refused"


def test_it_works_in_a_notebook(tiny_bench: Path, tmp_path: Path) -> None:
    async def in_a_notebook() -> float:
        return accuracy(tiny_bench, tmp_path / "run", TwoStep())

    assert anyio.run(in_a_notebook) == 1.0

"""Diagnosis of incorrect answers, and the passages that questions need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Number, Unanswerable
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Family, FamilySettings
from fathom.tasks.numeric.diagnose import Diagnoser
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.schema import SCHEMA, parts_read
from fathom.tasks.numeric.simulate import Simulator
from fathom.tasks.numeric.views import required_passages
from fathom.tasks.programs.answers import normal_form
from fathom.tasks.programs.tree import Not
from fathom.tasks.simulating import simulated_model
from tests.tasks.programs.databases import wrong_answers


@pytest.fixture
def corpus(bench: Bench) -> Iterator[Corpus]:
    with Corpus(bench.corpus_folder) as opened:
        yield opened


def test_suspects_are_all_single_faults_that_change_the_answer(bench: Bench, corpus: Corpus) -> None:
    """The same that trying every fault gives, although most documents that can be missed are skipped."""
    diagnoser, simulator = Diagnoser(corpus), Simulator(corpus)
    for context, items in list(bench.by_context())[:12]:
        for item in items:
            suspects = diagnoser.diagnose(context, item).suspects
            plain = list(wrong_answers(program_of(item.key), simulator.read(context), tuple(FAULTS.values())))
            assert Counter(
                (suspect.cause, suspect.detail, str(normal_form(suspect.answer))) for suspect in suspects
            ) == Counter((one.fault, one.detail, str(normal_form(one.answer))) for one in plain)
            assert not any(agrees(item.key.answer, suspect.answer) for suspect in suspects)
            for cause in {suspect.cause for suspect in suspects}:
                assert sum(suspect.chance for suspect in suspects if suspect.cause == cause) <= 1 + 1e-9


def test_operators_come_from_the_program_and_not_from_the_wording(bench: Bench, corpus: Corpus) -> None:
    diagnoser = Diagnoser(corpus)
    negated = words = 0
    for context, items in bench.by_context():
        for item in items:
            operators = diagnoser.diagnose(context, item).operators
            assert operators
            assert len(set(operators)) == len(operators)
            if any(isinstance(node, Not) for node in SCHEMA.nodes(program_of(item.key))):
                negated += 1
                assert "not" in operators
            words += " not " in item.question.text and "not" not in operators
    assert negated > 10
    assert words > 0, "some questions say 'not' and negate nothing"


def test_steps_lead_to_the_result(bench: Bench, corpus: Corpus) -> None:
    diagnoser = Diagnoser(corpus)
    with_steps = 0
    for context, items in list(bench.by_context())[:20]:
        for item in items:
            steps = diagnoser.diagnose(context, item).steps
            with_steps += bool(steps)
            if isinstance(item.key.answer, Number):
                assert steps[-1].name == "the result"
            if isinstance(item.key.answer, Unanswerable):
                assert "the matching articles" not in {step.name for step in steps}
    assert with_steps > 100


def test_required_passages_do_not_reveal_the_result(bench: Bench, corpus: Corpus) -> None:
    needed = required_passages(corpus)
    for context, items in list(bench.by_context())[:10]:
        for item in items:
            passages = needed(context, item)
            assert {passage.document for passage in passages} == set(context.documents), (
                "an article that does not fit is shown too"
            )
            parts = parts_read(program_of(item.key)) | {"title"}
            assert len(passages) <= len(parts) * len(context.documents)
            # All that proves the key is among what is shown.
            assert set(item.key.proof.passages) <= set(passages)


def test_the_family_has_required_passages(corpus: Corpus, bench: Bench) -> None:
    context, items = next(iter(bench.by_context()))
    numeric = family("numeric")
    assert numeric.diagnose is not None
    assert numeric.passages(corpus)(context, items[0])


def test_a_family_without_required_passages_uses_the_proof(corpus: Corpus, bench: Bench) -> None:
    numeric = family("numeric")
    bare = Family("bare", "", FamilySettings, numeric.build, numeric.check, numeric.audit, numeric.views)
    context, items = next(iter(bench.by_context()))
    assert bare.diagnose is None
    assert bare.passages(corpus)(context, items[0]) == items[0].key.proof.passages


def test_shown_passages_cannot_be_missed() -> None:
    name = "sim/reader?miss=0.1&reverse=0.2&other-column=0.3&miss-document=0.4&refuse=0.5"

    def over(system: str) -> SimulatedModel:
        return simulated_model(name, ["numeric"], system)[1]

    assert over("full") == over("closed-book") == simulated_model(name, ["numeric"])[0]
    assert dict(over("passages").parameters) == {"reverse": 0.2, "other-column": 0.3, "refuse": 0.5}
    assert dict(over("tables").parameters) == {"reverse": 0.2, "refuse": 0.5}
    assert simulated_model("sim/oracle", ["numeric"], "tables")[1].name == "sim/oracle"


def test_every_fault_is_a_cause_and_has_an_operation() -> None:
    numeric = family("numeric")
    assert {fault.operation for fault in numeric.faults} == {"finding", "reading", "computing"}
    assert tuple(numeric.causes) == tuple(FAULTS)

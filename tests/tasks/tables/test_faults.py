"""Faulty readers: what each fault does to an answer, and that a diagnosis finds it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fathom.analysis.attribution import CauseMatcher
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.questions import Response
from fathom.scoring.answers import Number
from fathom.scoring.keys import Key, Proof
from fathom.tasks.bench import Bench
from fathom.tasks.family import Item
from fathom.tasks.programs import tree
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.programs.schema import ColumnSpec
from fathom.tasks.tables.build import rounds_clearly
from fathom.tasks.tables.check import check_answer
from fathom.tasks.tables.diagnose import Diagnoser
from fathom.tasks.tables.entity_table import make_database
from fathom.tasks.tables.faults import DESCRIPTIONS, faults_of
from fathom.tasks.tables.months import month_value
from fathom.tasks.tables.near_misses import accepted_forms, near_numbers
from fathom.tasks.tables.other_figures import OtherFigureReader, OtherFigures
from fathom.tasks.tables.simulate import Simulator

DATABASE = make_database(
    "companies",
    [ColumnSpec("profit", "integer", ("profit",)), ColumnSpec("revenue", "integer", ("revenue",))],
    [("Alder", 10, 100), ("Birch", 30, 200), ("Cedar", 20, 400)],
)
MARGIN = tree.Arithmetic(tree.Arithmetic(tree.Column("profit"), "*", 100), "/", tree.Column("revenue"))
OTHERS = OtherFigures({("Alder", "profit"): 8.0, ("Birch", "profit"): 25.0}, {("Cedar", "profit"): 50.0})


def answers(fault: str, output: tree.Output) -> dict[str, str]:
    """The numbers that the variations of a fault lead to, by detail."""
    reading = Interpretation(tree.Program(output), DATABASE)
    variations = faults_of(OTHERS, {"profit": True, "revenue": True})[fault].variations(reading)
    results = {detail: broken.answer() for detail, broken in variations}
    return {detail: f"{answer.value:f}" for detail, answer in results.items() if isinstance(answer, Number)}


def test_each_fault_changes_what_it_names() -> None:
    total, mean = tree.Aggregate("SUM", tree.Column("profit")), tree.Aggregate("AVG", MARGIN)
    assert answers("old-report", total) == {"figures of the old report for Cedar": "90"}
    period = answers("wrong-period", total)
    assert period["figures of the year before throughout"] == "53"
    assert period["figures of the year before for Alder"] == "58"
    assert answers("miss-document", total)["without Birch"] == "30"
    scaled = answers("scale", total)
    assert scaled["profit of all a thousand times too large"] == "60000"
    assert scaled["profit of Cedar a thousand times too small"] == "40.02"
    assert answers("scale", mean)["a fraction instead of a percentage"] == "0.1"
    assert float(answers("inverted-ratio", mean)["the denominator divided by the numerator"]) == pytest.approx(
        1222.2222
    )


def test_growth_is_inverted_by_its_years() -> None:
    change = tree.Arithmetic(tree.Column("revenue"), "-", tree.Column("profit"))
    growth = tree.Arithmetic(tree.Arithmetic(change, "*", 100), "/", tree.Column("profit"))
    found = answers("inverted-ratio", tree.Aggregate("MAX", growth))
    assert found["the years of the growth swapped"] == "-85"


def items_of(reports: Path) -> Iterator[tuple[Context, Item]]:
    for context, items in Bench(reports / "bench").by_context():
        yield from ((context, item) for item in items)


def test_other_figures_are_printed_in_the_context(reports: Path) -> None:
    """A figure of the year before belongs to the same entity and attribute, in a document that is shown."""
    with Corpus(reports / "corpus") as corpus:
        reader = OtherFigureReader(corpus)
        found = 0
        facts = {
            id: {(fact.entity, fact.value) for fact in corpus.document(id).facts if fact.value is not None}
            for id in {id for context, _ in items_of(reports) for id in context.documents}
        }
        for context, item in items_of(reports):
            stated = set().union(*(facts[id] for id in context.documents))
            scales = {row[1]: float(row[3]) for row in item.key.proof.rows}
            others = reader.read(context, item.key)
            for cells in (others.of_the_year_before, others.of_an_older_report):
                for (entity, column), value in cells.items():
                    found += 1
                    plain = month_value(value) if isinstance(value, str) else value * scales[column]
                    assert plain is not None
                    printed = [float(one) for name, one in stated if name == entity]
                    assert any(abs(one - float(plain)) < 1e-6 * max(1, abs(one)) for one in printed)
        assert found > 50


def test_the_fault_of_a_reader_is_among_the_diagnosed_causes(reports: Path) -> None:
    with Corpus(reports / "corpus") as corpus:
        simulator, diagnoser = Simulator(corpus), Diagnoser(corpus)
        wrong = 0
        for number, (context, item) in enumerate(items_of(reports)):
            diagnosis = diagnoser.diagnose(context, item)
            matcher = CauseMatcher(item.key.answer, diagnosis)
            for fault in list(DESCRIPTIONS)[number % 2 :: 2]:
                text = simulator.text(context, item, SimulatedModel("reader", ((fault, 1.0),)), Random(number))
                verdict = check_answer(item.key, Response(question_id="q", outcome="answered", text=text))
                if verdict.outcome != "correct":
                    wrong += 1
                    assert fault in matcher.match("q", 0, verdict.parsed, text).likelihood
        assert wrong > 30


@pytest.mark.parametrize("unit", ["million USD", "billion USD", "万元", "亿元"])
@pytest.mark.parametrize("value", ["17374.725", "17374.724", "0.125", "-0.015", "42"])
def test_no_near_miss_of_a_number_is_accepted(value: str, unit: str) -> None:
    """A sum that lies between two roundings may be rounded either way, so that neither is a near miss."""
    answer = Number.model_validate({"value": value, "decimals": 2, "unit": unit})
    key = Key(question_id="q-1", answer=answer, proof=Proof(program="", rows=(), passages=()))
    tried = list(near_numbers(answer))
    assert len(tried) > 5
    assert rounds_clearly(answer) == (not value.endswith("5"))
    for text in tried:
        response = Response(question_id="q-1", outcome="answered", text=text)
        assert check_answer(key, response).outcome != "correct", text


@pytest.mark.parametrize("unit", ["million USD", "billion USD", "万元", "亿元"])
@pytest.mark.parametrize("value", ["28235.913", "-1234.5"])
def test_forms_of_an_amount_are_accepted(value: str, unit: str) -> None:
    answer = Number.model_validate({"value": value, "decimals": 2, "unit": unit})
    key = Key(question_id="q-1", answer=answer, proof=Proof(program="", rows=(), passages=()))
    forms = list(accepted_forms(answer))
    assert any(word in form for form in forms for word in ("trillion", "亿"))
    for text in forms:
        response = Response(question_id="q-1", outcome="answered", text=text)
        assert check_answer(key, response).outcome == "correct", text


def test_forms_of_an_amount_in_reports() -> None:
    loss = Number.model_validate({"value": "-1234.5", "decimals": 2, "unit": "million EUR"})
    forms = list(accepted_forms(loss))
    assert "The answer is: (1,234.50)" in forms
    assert "The answer is: -1.23450 billion EUR" in forms
    assert "答案是：-1234500000 EUR" in [form.replace(".00 EUR", " EUR") for form in forms]

"""Contamination figures, checked by hand."""

from __future__ import annotations

from fathom.analysis.contamination import QuestionResult, contamination, question_results
from fathom.analysis.findings import Estimate
from fathom.records.questions import Question, Response
from fathom.scoring.answers import Text
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof

CHECKS = {"numeric": check_response, "memorization": check_response}


def result(question: Question, key: Key, said: str | None) -> QuestionResult:
    responses = [] if said is None else [Response(question_id=question.id, outcome="answered", text=f"Answer: {said}")]
    (found,) = question_results([(question, key)], responses, CHECKS)
    return found


def swapped(number: int, said: str | None, context: str = "c-1", changed: str = "yes") -> QuestionResult:
    """A swapped question whose answer is "new" and was "old"."""
    question = Question(id=f"q-{number}", family="numeric", context_id=context, text="Who?", tags={"changed": changed})
    key = Key(
        question_id=question.id,
        answer=Text(value="new"),
        proof=Proof(program=""),
        original=Text(value="old"),
        swapped_from=f"o-{number}",
    )
    return result(question, key, said)


def original(number: int, said: str) -> QuestionResult:
    question = Question(id=f"o-{number}", family="numeric", context_id="c-0", text="Who?")
    return result(question, Key(question_id=question.id, answer=Text(value="old"), proof=Proof(program="")), said)


def probe(number: int, year: str, hit: bool) -> QuestionResult:
    tags = {"task": "citation"} | ({"year": year} if year else {})
    question = Question(id=f"p-{number}", family="memorization", context_id=f"c-{number}", text="Go on.", tags=tags)
    key = Key(question_id=question.id, answer=Text(value="Lind"), proof=Proof(program=""))
    return result(question, key, "Lind" if hit else "Wu")


def counts(found: Estimate) -> tuple[int, int]:
    return round(found.value * found.items), found.items


def test_separates_answers_from_the_context_from_memorized_ones() -> None:
    found = contamination(
        [
            swapped(1, "new", "c-1"),
            swapped(2, "new", "c-1"),
            swapped(3, "old", "c-2"),
            swapped(4, "else", "c-2"),
            swapped(5, None, "c-3"),
            swapped(6, "new", "c-3", changed="no"),
        ]
    ).swapped
    assert found is not None
    assert (found.questions, found.changed, found.unanswered) == (6, 5, 1)
    assert counts(found.context_accuracy) == (2, 5)
    assert counts(found.memorized) == (1, 5)
    assert found.context_accuracy.clusters == 3
    assert found.before is None
    assert found.drop is None


def test_the_drop_is_over_the_questions_that_both_runs_ask() -> None:
    found = contamination(
        [swapped(1, "new"), swapped(2, "old"), swapped(3, "old"), swapped(4, "new")],
        [original(1, "old"), original(2, "old"), original(3, "old")],
    ).swapped
    assert found is not None
    assert found.before is not None
    assert counts(found.before) == (3, 3)
    assert found.drop is not None
    assert abs(found.drop.value - 2 / 3) < 1e-9


def test_probes_without_a_year_count_in_the_overall_share_only() -> None:
    hits = [("2019", True)] * 9 + [("2019", False), ("2023", False)] + [("2023", False)] * 9 + [("", True)]
    found = contamination([probe(number, year, hit) for number, (year, hit) in enumerate(hits)])
    citation = found.probes["citation"]
    assert counts(citation.overall) == (10, 21)
    assert {year: counts(share) for year, share in citation.by_year.items()} == {"2019": (9, 10), "2023": (0, 10)}
    assert citation.trend is not None
    assert citation.trend.slope < 0
    assert citation.trend.p < 0.001
    assert found.swapped is None


def test_only_the_first_sample_of_a_question_counts() -> None:
    question = Question(id="q-1", family="numeric", context_id="c-1", text="Who?")
    key = Key(question_id="q-1", answer=Text(value="0"), proof=Proof(program=""))
    responses = [Response(question_id="q-1", sample=sample, outcome="answered", text=f"{sample}") for sample in (1, 0)]
    (found,) = question_results([(question, key)], responses, CHECKS)
    assert found.correct


def test_a_key_without_a_swap_has_no_swap_fields_in_its_line() -> None:
    """Benches that were built before there were swaps keep their fingerprints."""
    key = Key(question_id="q-1", answer=Text(value="new"), proof=Proof(program=""))
    assert b"original" not in key.to_line()
    assert b"swapped_from" not in key.to_line()
    swapped_key = key.model_copy(update={"original": Text(value="old"), "swapped_from": "q-0"})
    assert Key.from_line(swapped_key.to_line()) == swapped_key

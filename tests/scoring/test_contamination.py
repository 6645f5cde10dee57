"""What a run tells of what was known by heart, counted by hand."""

from __future__ import annotations

from fathom.records.questions import Question, Response
from fathom.scoring.answers import Text
from fathom.scoring.check import check_response
from fathom.scoring.contamination import Asked, contamination, matched
from fathom.scoring.keys import Key, Proof


def asked(number: int, said: str | None, context: str = "c-1", **changes: str) -> Asked:
    """A swapped question whose answer is "new" and was "old"."""
    tags = {"changed": changes.pop("changed", "yes")}
    question = Question(id=f"q-{number}", family="numeric", context_id=context, text="Who?", tags=tags)
    key = Key(
        question_id=question.id,
        answer=Text(value="new"),
        proof=Proof(program=""),
        original=Text(value="old"),
        swapped_from=f"o-{number}",
    )
    response = None if said is None else Response(question_id=question.id, outcome="answered", text=f"Answer: {said}")
    return Asked(question, key, response, check_response)


def earlier(number: int, said: str) -> Asked:
    question = Question(id=f"o-{number}", family="numeric", context_id="c-0", text="Who?")
    key = Key(question_id=question.id, answer=Text(value="old"), proof=Proof(program=""))
    return Asked(
        question, key, Response(question_id=question.id, outcome="answered", text=f"Answer: {said}"), check_response
    )


def probe(number: int, year: str, hit: bool) -> Asked:
    tags = {"task": "citation"} | ({"year": year} if year else {})
    question = Question(id=f"p-{number}", family="memorization", context_id=f"c-{number}", text="Go on.", tags=tags)
    key = Key(question_id=question.id, answer=Text(value="Lind"), proof=Proof(program=""))
    said = "Lind" if hit else "Wu"
    return Asked(
        question, key, Response(question_id=question.id, outcome="answered", text=f"Answer: {said}"), check_response
    )


def test_read_recited_and_neither_are_told_apart() -> None:
    found = contamination(
        [
            asked(1, "new", "c-1"),
            asked(2, "new", "c-1"),
            asked(3, "old", "c-2"),
            asked(4, "else", "c-2"),
            asked(5, None, "c-3"),
            asked(6, "new", "c-3", changed="no"),
        ]
    ).swapped
    assert found is not None
    assert (found.questions, found.changed, found.unanswered) == (6, 5, 1)
    assert (found.attributable.hits, found.attributable.of) == (2, 5)
    assert (found.recited.hits, found.recited.of) == (1, 5)
    assert found.before is None
    assert found.drop is None


def test_the_drop_is_over_the_questions_that_both_runs_asked() -> None:
    found = contamination(
        [asked(1, "new"), asked(2, "old"), asked(3, "old"), asked(4, "new")],
        [earlier(1, "old"), earlier(2, "old"), earlier(3, "old")],
    ).swapped
    assert found is not None
    assert found.before is not None
    assert (found.before.hits, found.before.of) == (3, 3)
    assert found.drop is not None
    assert abs(found.drop.share - 2 / 3) < 1e-9


def test_probes_are_counted_by_year_and_those_without_one_in_all_alone() -> None:
    hits = [("2019", True)] * 9 + [("2019", False), ("2023", False)] + [("2023", False)] * 9 + [("", True)]
    found = contamination([probe(number, year, hit) for number, (year, hit) in enumerate(hits)])
    citation = found.probes["citation"]
    assert (citation.all.hits, citation.all.of) == (10, 21)
    assert {year: (rate.hits, rate.of) for year, rate in citation.by_year.items()} == {"2019": (9, 10), "2023": (0, 10)}
    assert citation.trend is not None
    assert citation.trend.slope < 0
    assert citation.trend.p < 0.001
    assert found.swapped is None


def test_only_the_first_response_to_a_question_counts() -> None:
    question = Question(id="q-1", family="numeric", context_id="c-1", text="Who?")
    key = Key(question_id="q-1", answer=Text(value="new"), proof=Proof(program=""))
    responses = [Response(question_id="q-1", sample=sample, outcome="answered", text=f"{sample}") for sample in (1, 0)]
    (found,) = matched([(question, key)], responses, {"numeric": check_response})
    assert found.response is not None
    assert found.response.text == "0"


def test_a_key_without_a_swap_is_written_as_ever() -> None:
    """Benches that were built before there were swaps keep their fingerprints."""
    key = Key(question_id="q-1", answer=Text(value="new"), proof=Proof(program=""))
    assert b"original" not in key.to_line()
    assert b"swapped_from" not in key.to_line()
    swapped = key.model_copy(update={"original": Text(value="old"), "swapped_from": "q-0"})
    assert Key.from_line(swapped.to_line()) == swapped

"""Where a system of several steps failed: the trace decides first, then the likely cause of the answer."""

from __future__ import annotations

import pytest

from fathom.analysis.attribution import CauseEstimator, CauseMatch
from fathom.analysis.failure_stages import (
    BUDGET,
    GAVE_UP,
    READING,
    REASONING,
    RETRIEVAL,
    UNCLEAR,
    StageCounter,
)
from fathom.analysis.findings import ResponseOutcome
from fathom.analysis.loading import ScoredResponse
from fathom.records.documents import Passage
from fathom.records.questions import Ending, Question, Step, Usage
from fathom.records.spans import Span
from fathom.scoring.answers import Answer, Number, Unanswerable
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Fault, Item, ReasoningStep

NEEDED = (Passage(document="a", span=Span(10, 20)), Passage(document="b", span=Span(0, 5)))
ITEM = Item(
    Question(id="q", family="toy", context_id="c", text="?"),
    Key(question_id="q", answer=Number(value=30), proof=Proof(program="", passages=NEEDED)),
)
FAULTS = {
    "overlook": Fault("overlook", "", "finding"),
    "misread": Fault("misread", "", "reading"),
    "reverse": Fault("reverse", "", "computing"),
}
STEPS = (
    ReasoningStep("the values", (("12345", "12,345"), ("67890", "67,890"))),
    ReasoningStep("the result", (("30",),), "computing"),
)
ALL = tuple(Passage(document=name, span=Span(0, 100)) for name in "ab")


def stage(
    outcome: ResponseOutcome = "incorrect",
    shown: tuple[Passage, ...] | None = ALL,
    parsed: Answer | None = Number(value=7),  # noqa: B008 - frozen
    text: str = "Answer: 7",
    received: str = "answered",
    causes: dict[str, float] | None = None,
    retrieves: bool = True,
    notes: str = "",
    ending: Ending | None = None,
) -> str:
    steps = [Step(kind="model", name="answer", output=text)]
    if notes:
        steps.insert(0, Step(kind="model", name="notes", output=notes))
    if shown is not None:
        steps.insert(0, Step(kind="retrieval", passages=shown))
    response = ScoredResponse(outcome, 0.0, Usage(), parsed, text, "", received, {}, tuple(steps), ending)
    counter = StageCounter(CauseEstimator(FAULTS))
    counter.add(0, ITEM, 0, response, STEPS, retrieves)
    # Equal rates, so that the probabilities are those of the likelihoods beside the background.
    for _ in range(100):
        counter.causes.add_exposure(dict.fromkeys(FAULTS, 1.0), 0)
    for name in FAULTS:
        counter.causes.add_incorrect(CauseMatch(f"of {name}", 0, "number", {name: 1.0}, {name: ""}), 0)
    counter.causes.add_incorrect(CauseMatch("q", 0, "number", causes or {}, dict.fromkeys(causes or {}, "")), 0)
    return counter.stages().get(("q", 0), "")


def test_a_needed_passage_that_was_not_shown_is_a_retrieval_miss_whatever_the_answer() -> None:
    for shown in ((), ALL[:1], (ALL[0], Passage(document="b", span=Span(1, 100)))):
        assert stage(shown=shown, causes={"reverse": 0.9}) == RETRIEVAL
        assert stage(shown=shown, parsed=Unanswerable()) == RETRIEVAL
        assert stage("unparseable", shown=shown, parsed=None) == RETRIEVAL
    # A response without a retrieval was shown nothing if the others of its run retrieve, and else everything.
    assert stage(shown=None) == RETRIEVAL
    assert stage(shown=None, retrieves=False) == UNCLEAR


def test_limits_and_refusals_come_first() -> None:
    assert stage("unparseable", shown=(), parsed=None, received="truncated") == BUDGET
    assert stage("overflow", shown=(), parsed=None) == BUDGET
    assert stage("refused", shown=(), parsed=None) == GAVE_UP
    assert stage(shown=(), ending="out of steps") == BUDGET
    assert stage(ending="out of price") == BUDGET
    assert stage(shown=(), parsed=Unanswerable(), ending="gave up") == GAVE_UP


def test_no_answer_although_all_was_shown_is_giving_up() -> None:
    assert stage("unparseable", parsed=None, text="I cannot tell.") == GAVE_UP
    assert stage(parsed=Unanswerable(), text="Answer: NULL") == GAVE_UP


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        ({}, UNCLEAR),
        ({"overlook": 0.9}, READING),
        ({"misread": 0.4, "overlook": 0.3, "reverse": 0.2}, READING),
        ({"reverse": 0.7, "misread": 0.2}, REASONING),
        ({"reverse": 0.001}, UNCLEAR),
    ],
)
def test_the_likely_cause_tells_reading_from_reasoning(causes: dict[str, float], expected: str) -> None:
    assert stage(causes=causes) == expected


def test_stated_values_were_read() -> None:
    said = "The values of the two companies are 12,345 and 67890.\nAnswer: 7"
    assert stage(text=said, causes={"overlook": 0.9}) == REASONING
    assert stage(notes=said) == REASONING
    partly = "The value of the only company I see is 12,345.\nAnswer: 7"
    assert stage(text=partly) == READING
    assert stage(text=partly, causes={"reverse": 0.9}) == REASONING


def test_a_single_call_and_a_correct_answer_have_no_stage() -> None:
    counter = StageCounter(CauseEstimator(FAULTS))
    counter.add(0, ITEM, 0, ScoredResponse("incorrect", 0.0, Usage()), STEPS, False)
    assert counter.stages() == {}
    assert stage("correct") == ""

"""Reasoning steps."""

from __future__ import annotations

from fathom.analysis.loading import ScoredResponse
from fathom.analysis.reasoning_steps import StepCounter, find_steps, reasoning_of
from fathom.records.questions import Usage
from fathom.tasks.family import ReasoningStep

STEPS = (
    ReasoningStep("the matching articles", (("Tides of Time", "Article 3"), ("Winds", "Article 5"))),
    ReasoningStep("their values", (("3",), ("12",))),
    ReasoningStep("the result", (("15",),)),
)


def said(text: str, thinking: str = "") -> ScoredResponse:
    return ScoredResponse("incorrect", 0.0, Usage(), text=text, thinking=thinking)


def test_steps_are_found_in_the_reasoning_but_not_in_the_answer() -> None:
    trace = reasoning_of(said("Articles that fit: article 3 and Winds. They have 3 and 12 references.\nAnswer: 15"))
    seen = find_steps(trace, STEPS)
    assert [place is not None for place in seen] == [True, True, False]
    assert seen[0] is not None
    assert seen[1] is not None
    assert seen[0] < seen[1]


def test_a_number_is_not_found_inside_another() -> None:
    trace = "There are 13 and 312 of them, 3.5 on average, 1,512 in all, and A3 is a paper size."
    assert find_steps(trace, STEPS)[1:] == [None, None]
    assert find_steps("There were 12, then 3.", STEPS)[1] is not None


def test_steps_are_found_in_chinese_where_words_have_no_spaces() -> None:
    steps = [ReasoningStep("X", (("石英砂",),), "finding"), ReasoningStep("days", (("106",),), "reading")]
    text = "在白坪站试验的滤料是石英砂，所以先看石英砂滤池。从投运到穿透的天数是106天，不是1060天，其余的都用不上。"
    trace = reasoning_of(said(f"{text}\n答案：2013-01-04"))
    assert trace == text
    assert find_steps(trace, steps) == [text.index("石英砂"), text.index("106")]
    assert find_steps("一共1060天", steps)[1] is None


def test_a_bare_answer_is_not_reasoning() -> None:
    assert reasoning_of(said("Answer: 15")) == ""
    assert reasoning_of(said("Answer: 15", thinking="Let me see which of the articles have any references at all."))


def test_step_counts_add_up() -> None:
    taken = StepCounter()
    assert taken.summary() is None
    taken.add(find_steps("Article 3, Article 5: 3 + 12 = 15", STEPS), correct=False)
    taken.add(find_steps("15 it is, I am sure of it", STEPS), correct=True)
    taken.add(find_steps("no idea", STEPS), correct=True)
    found = taken.summary()
    assert found is not None
    assert (found.traces, found.values, found.reached) == (3, 9, 4)
    assert (found.complete_but_incorrect, found.none_but_correct) == (1, 1)
    assert [(place.reached, place.first_missing) for place in found.by_step] == [(1, 2), (1, 0), (2, 0)]

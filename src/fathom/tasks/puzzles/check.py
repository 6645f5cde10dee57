"""The verdict on a response: its answer must be correct, and its reasoning must reach the checklist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from fathom.records.judgments import Decision, Judgment
from fathom.records.questions import Response
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Number, Text, Unanswerable
from fathom.scoring.check import check_response
from fathom.scoring.judges import combined, majority
from fathom.scoring.keys import Key
from fathom.scoring.measures import RatioMeasure
from fathom.scoring.reasoning import reasoning_text
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import GRADED, JUDGE_AGREES, PartVerdict, Verdict
from fathom.tasks.puzzles.checklist import (
    FACT,
    OPTION,
    ChecklistItem,
    StepReader,
    checklist_of,
    conclusions_of,
    last_step,
)
from fathom.tasks.puzzles.tree import OPERATIONS, GivenValue, Value, nodes, parse

ANSWERED, CORRECT, ITEMS, REACHED, CHECKED, UNSUPPORTED = (
    *("answers", "correct answers", "checklist items", "checklist items reached", "checklists reached"),
    "correct answers without the checklist",
)
INCOMPLETE = "incomplete checklists"
_FIRST_MISSED = {one: f"first missed item: {one}" for one in ("reading", *OPERATIONS)}
MEASURES = (
    RatioMeasure("answer accuracy", {CORRECT: 1}, {ANSWERED: 1}, summary=True),
    RatioMeasure("checklist recall", {REACHED: 1}, {ITEMS: 1}, summary=True),
    RatioMeasure("checklist accuracy", {CHECKED: 1}, {ANSWERED: 1}),
    RatioMeasure("unsupported answers", {UNSUPPORTED: 1}, {CORRECT: 1}, less_is_better=True),
    *(RatioMeasure(f"missed first: {one}", {name: 1}, {INCOMPLETE: 1}) for one, name in _FIRST_MISSED.items()),
)
ANSWER_PART, CHECKLIST_PART = "answer", "checklist"
"""The parts of a response that are judged; each prompt's part begins with one of them."""
_UNIT_SPELLINGS = {
    "cm": (("centimeters", 0), ("centimetres", 0), ("厘米", 0), ("m", 2), ("meters", 2), ("metres", 2), ("米", 2)),
    "m": (("meters", 0), ("metres", 0), ("米", 0), ("km", 3), ("kilometers", 3), ("kilometres", 3), ("公里", 3)),
    "people": (("人", 0), ("persons", 0), ("residents", 0)),
    "homes": (("户", 0), ("houses", 0), ("套", 0)),
    "%": (("", 0),),
    "days": (("天", 0), ("日", 0)),
    "years": (("年", 0), ("岁", 0)),
}
"""Other spellings of a unit, and by how many powers of ten its values are smaller."""


class StepsVerdict(NamedTuple):
    """Which items of the checklist a response reaches, and whether an equation contradicts its answer."""

    items: Sequence[ChecklistItem]
    reached: Sequence[bool]
    contradicted: bool
    conclusions: Sequence[str] = ()
    """Items that are sentences, on which only a judge can decide."""

    @property
    def all_reached(self) -> bool:
        return all(self.reached) and not self.conclusions

    @property
    def size(self) -> int:
        return len(self.items) + len(self.conclusions)


def check_steps(key: Key, response: Response) -> StepsVerdict:
    """The verdict on the reasoning, without the answer."""
    if conclusions := conclusions_of(key):
        return StepsVerdict((), (), contradicted=False, conclusions=conclusions)
    reader = StepReader(reasoning_text(response))
    items = checklist_of(key)
    last = last_step(key)
    known_values = partial(_known_values, key, items)
    contradicted = last is not None and (reader.contradicts(last) or reader.concludes_otherwise(last, known_values))
    reached = [reader.reaches(item) and not any(reader.exchanges(item, other) for other in items) for item in items]
    return StepsVerdict(items, reached, contradicted)


def _known_values(key: Key, items: Sequence[ChecklistItem]) -> Iterator[Value]:
    """The values of the checklist, of the facts and of the question."""
    yield from (item.value for item in items)
    yield from (operand for item in items for operand in item.operands)
    for row in key.proof.rows:
        if row[0] == FACT and len(row) > 7 and row[6][:1].isdigit():
            yield Value(number=Decimal(row[6]), unit=row[7])
    yield from (node.value for node in nodes(parse(key.proof.program)) if isinstance(node, GivenValue))


def check(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """Correct if the answer is correct and every item of the checklist is reached.

    The score of another response is the share of the items that it reaches, the answer counted as one of them. Where
    the typed check or the step checker rejects a response, judges can accept that part; a part that they leave open
    makes the response unjudged.
    """
    verdict = check_answer(key, response)
    if response.outcome in ("error", "overflow", "refused"):
        return verdict
    steps = check_steps(key, response)
    decisions = combined(judgments, decide)
    answer, checklist = decisions.get(ANSWER_PART), decisions.get(CHECKLIST_PART)
    if steps.conclusions and checklist is None:
        checklist = "unjudged"  # no judge has read the reasoning yet
    open_answer = is_open(key, verdict) and answer is not None
    answered = answer == "pass" if open_answer else verdict.outcome == "correct"
    reached = steps.all_reached or checklist == "pass"
    judged = {ANSWER_PART: answer} if open_answer else {}
    if not steps.all_reached and checklist is not None and (answered or open_answer):
        judged[CHECKLIST_PART] = checklist
    if steps.contradicted:
        judged = {}
    if answered and steps.contradicted:
        answered = False
        verdict = verdict.model_copy(update={"outcome": "incorrect", "reason": "an equation contradicts the answer"})
    update: dict[str, object] = {
        "parts": _parts(steps, answered, reached),
        "measures": _measures(steps, answered, reached, checklist),
        "judgments": tuple(judgments),
        "judged": {part: decision for part, decision in judged.items() if decision in ("pass", "fail")},
    }
    if "unjudged" in judged.values() and "fail" not in judged.values():
        if steps.conclusions:
            update["measures"] = {ANSWERED: 1.0, CORRECT: float(answered)}
        update |= {"outcome": "unjudged", "score": 0.0, "reason": "the judge gave no decision"}
    elif verdict.outcome in GRADED or answered:
        update["score"] = (answered + sum(steps.reached)) / (1 + steps.size) if not (answered and reached) else 1.0
        update["outcome"] = "correct" if answered and reached else "incorrect"
        if answered and not reached:
            reached_items = zip(steps.items, steps.reached, strict=True)
            missed = next(
                (item.name for item, decision in reached_items if not decision), "a conclusion of the checklist"
            )
            update["reason"] = f"the answer is correct, but the reasoning does not reach: {missed}"
    return verdict.model_copy(update=update)


def decide(judgments: Sequence[Judgment]) -> dict[str, Decision]:
    """The majority over one judge's prompts for each part; `unjudged` if too few of them decided."""
    decisions: dict[str, Decision] = {}
    for part in (ANSWER_PART, CHECKLIST_PART):
        outcomes = [judgment.outcome for judgment in judgments if judgment.part.startswith(part)]
        if outcomes:
            most = majority(outcomes)
            decisions[part] = most if 2 * outcomes.count(most) > len(outcomes) else "unjudged"
    return decisions


def _parts(steps: StepsVerdict, answered: bool, reached: bool) -> tuple[PartVerdict, ...]:
    parts = [
        ("answer", answered),
        *((item.name, is_reached or reached) for item, is_reached in zip(steps.items, steps.reached, strict=True)),
        *((conclusion, reached) for conclusion in steps.conclusions),
    ]
    return tuple(
        PartVerdict(name=name, outcome="correct" if passed else "incorrect", score=float(passed))
        for name, passed in parts
    )


def _measures(steps: StepsVerdict, answered: bool, reached: bool, judged: str | None) -> dict[str, float]:
    measures = {
        ANSWERED: 1.0,
        CORRECT: float(answered),
        ITEMS: float(steps.size),
        REACHED: float(steps.size if reached else sum(steps.reached)),
        CHECKED: float(reached),
        UNSUPPORTED: float(answered and not reached),
    }
    missed = next((item for item, is_reached in zip(steps.items, steps.reached, strict=True) if not is_reached), None)
    if missed is not None and not reached:
        measures |= {INCOMPLETE: 1.0} | {
            name: float(operation == missed.operation) for operation, name in _FIRST_MISSED.items()
        }
    if steps.all_reached and judged in ("pass", "fail"):
        measures[JUDGE_AGREES] = float(judged == "pass")
    return measures


def is_open(key: Key, verdict: Verdict) -> bool:
    """Whether the typed check cannot decide on the answer: a name may be spelled in a way that it does not know."""
    is_name = isinstance(key.answer, Text) and not key.answer.value[:1].isdigit()
    other_options = [Text(value=row[1]) for row in key.proof.rows if row[0] == OPTION]
    if isinstance(verdict.parsed, Text) and any(agrees(other, verdict.parsed) for other in other_options):
        return False
    return is_name and verdict.outcome in ("incorrect", "unparseable") and not isinstance(verdict.parsed, Unanswerable)


def check_answer(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """The verdict on the answer alone; a unit may be spelled in several ways."""
    verdict = check_response(key, response)
    if verdict.outcome != "incorrect" or not isinstance(key.answer, Number):
        return verdict
    for answer in _other_units(key.answer):
        other_verdict = check_response(key.model_copy(update={"answer": answer}), response)
        # A number without a unit is in the unit that the question asks for, which may be percent.
        has_no_unit = isinstance(other_verdict.parsed, Number) and not other_verdict.parsed.unit
        if other_verdict.outcome == "correct" and has_no_unit == (key.answer.unit == "%"):
            return other_verdict
    return verdict


def _other_units(answer: Number) -> Iterator[Number]:
    for unit, power in _UNIT_SPELLINGS.get(answer.unit, ()):
        decimals = answer.decimals if not power else (answer.decimals or 0) + power
        yield Number(value=answer.value.scaleb(-power), decimals=decimals, unit=unit)


def empty_measures(key: Key) -> Mapping[str, float]:
    """The counts of a response without an answer."""
    return {
        ANSWERED: 1.0,
        CORRECT: 0.0,
        ITEMS: float(len(checklist_of(key)) + len(conclusions_of(key))),
        REACHED: 0.0,
        CHECKED: 0.0,
        UNSUPPORTED: 0.0,
    }

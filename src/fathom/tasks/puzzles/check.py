"""The verdict on a response: its answer must be correct, and its reasoning must reach the checklist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fathom.records.judgments import Judgment
from fathom.records.questions import Response
from fathom.scoring.answers import Number
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.measures import RatioMeasure
from fathom.scoring.shown import ShownContext
from fathom.scoring.verdicts import GRADED, PartVerdict, Verdict
from fathom.tasks.puzzles.checklist import StepReader, checklist_of, last_step

ANSWERED, CORRECT, ITEMS, REACHED, CHECKED, UNSUPPORTED = (
    *("answers", "correct answers", "checklist items", "checklist items reached", "checklists reached"),
    "correct answers without the checklist",
)
MEASURES = (
    RatioMeasure("answer accuracy", {CORRECT: 1}, {ANSWERED: 1}, summary=True),
    RatioMeasure("checklist recall", {REACHED: 1}, {ITEMS: 1}, summary=True),
    RatioMeasure("checklist accuracy", {CHECKED: 1}, {ANSWERED: 1}),
    RatioMeasure("unsupported answers", {UNSUPPORTED: 1}, {CORRECT: 1}, less_is_better=True),
)
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


def check(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """Correct if the answer is correct and every item of the checklist is reached.

    The score of another response is the share of the items that it reaches, the answer counted as one of them.
    """
    verdict = check_answer(key, response)
    if response.outcome in ("error", "overflow", "refused"):
        return verdict
    answered = verdict.outcome == "correct"
    reader = StepReader(response.text)
    items = checklist_of(key)
    reached = [reader.reaches(item) for item in items]
    last = last_step(key)
    if answered and last is not None and reader.contradicts(last):
        answered = False
        verdict = verdict.model_copy(update={"outcome": "incorrect", "reason": "an equation contradicts the answer"})
    parts = [PartVerdict(name="answer", outcome="correct" if answered else "incorrect", score=float(answered))]
    parts += [
        PartVerdict(name=item.name, outcome="correct" if found else "incorrect", score=float(found))
        for item, found in zip(items, reached, strict=True)
    ]
    measures = {
        ANSWERED: 1.0,
        CORRECT: float(answered),
        ITEMS: float(len(items)),
        REACHED: float(sum(reached)),
        CHECKED: float(all(reached)),
        UNSUPPORTED: float(answered and not all(reached)),
    }
    update: dict[str, object] = {"parts": tuple(parts), "measures": measures}
    if verdict.outcome in GRADED:
        update["score"] = (answered + sum(reached)) / (1 + len(items))
        update["outcome"] = "correct" if answered and all(reached) else "incorrect"
        if answered and not all(reached):
            missed = next(item.name for item, found in zip(items, reached, strict=True) if not found)
            update["reason"] = f"the answer is correct, but the reasoning does not reach: {missed}"
    return verdict.model_copy(update=update)


def check_answer(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """The verdict on the answer alone; a unit may be spelled in several ways."""
    verdict = check_response(key, response)
    if verdict.outcome != "incorrect" or not isinstance(key.answer, Number):
        return verdict
    for answer in _other_units(key.answer):
        other = check_response(key.model_copy(update={"answer": answer}), response)
        # A number without a unit is in the unit that the question asks for, which may be percent.
        bare = isinstance(other.parsed, Number) and not other.parsed.unit
        if other.outcome == "correct" and bare == (key.answer.unit == "%"):
            return other
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
        ITEMS: float(len(checklist_of(key))),
        REACHED: 0.0,
        CHECKED: 0.0,
        UNSUPPORTED: 0.0,
    }

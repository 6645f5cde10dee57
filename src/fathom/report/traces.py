"""Traces of responses as data for the page: the steps one by one, and where the retrieved passages are."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.records.contexts import Context
from fathom.records.questions import Step
from fathom.report.page_data import TextLimits, shorten
from fathom.scoring.recall import retrieved

MAX_STEPS = 40
"""Steps of one response on the page; the first and the last ones of a longer trace."""
MAX_PASSAGES = 400

KINDS = {"model": 0, "tool": 1, "retrieval": 2}


def steps_of(trace: Sequence[Step], limits: TextLimits) -> list[object]:
    """The steps with their texts shortened; a number in place of those that are left out."""
    if len(trace) <= MAX_STEPS:
        return [_step(step, limits) for step in trace]
    half = MAX_STEPS // 2
    steps = [_step(step, limits) for step in (*trace[:half], *trace[-half:])]
    return [*steps[:half], len(trace) - MAX_STEPS, *steps[half:]]


def _step(step: Step, limits: TextLimits) -> list[object]:
    usage = step.usage
    return [
        KINDS[step.kind],
        step.name,
        shorten(step.input, limits.step),
        shorten(step.output, limits.step),
        shorten(step.error or "", limits.step),
        [usage.input_tokens, usage.cached_tokens, usage.output_tokens, round(usage.seconds, 2), usage.price],
        len(step.passages),
        len({passage.document for passage in step.passages}),
    ]


def positions(context: Context, trace: Sequence[Step]) -> list[int]:
    """Where the retrieved passages are in the laid-out text: start and end of each, best first."""
    placements = {placement.document: placement for placement in context.places}
    offsets: list[int] = []
    for passage in (retrieved(trace) or ())[:MAX_PASSAGES]:
        placement = placements.get(passage.document)
        located = None if placement is None else placement.locate(passage.span)
        if located is not None:
            offsets += located
    return offsets

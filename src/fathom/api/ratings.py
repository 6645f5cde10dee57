"""Ratings of the reasoning of responses by a model: coherence, repeated and superfluous steps, retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import FloatArray, mean_estimate
from fathom.analysis.loading import open_bench, read_verdicts
from fathom.analysis.ratios import ratio_estimate
from fathom.api.arguments import Folder, as_path
from fathom.models.prompts import Message, Prompt, RolePrompt
from fathom.records.documents import NonNegativeInt
from fathom.records.files import read_records, write_records
from fathom.records.judgments import TraceRating
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.runs.folder import RATINGS, read_responses, read_run
from fathom.runs.roles import RoleModel, run_role
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.trace_rating import VERSION, parse_rating, rating_prompt

__all__ = ["RatingSummary", "rate_traces", "rating_summaries"]

RATING = "rating"
"""The folder of a run in which the calls are journaled."""


class RatingSummary(Record):
    """The ratings of the responses of a run with one outcome."""

    outcome: str
    """Correct, incorrect, ..., or "all"."""
    responses: NonNegativeInt
    coherence: Estimate
    repeated: Estimate | None
    """The share of the steps; None if there are no steps."""
    superfluous: Estimate | None
    retrieval_accuracy: Estimate | None
    """The share of the values taken from the document that are correct; None if none were taken."""


def rate_traces(
    run: Folder,
    model: RoleModel,
    *,
    bench: Folder | None = None,
) -> int:
    """Rate the reasoning of all responses, thinking text included, and write `ratings.jsonl` to the run's folder.

    Returns the number of responses without a rating; they are asked again the next time.
    """
    folder = as_path(run)
    opened = open_bench(folder, read_run(folder), as_path(bench))
    prompts = _prompts(opened, folder)
    batch = run_role(prompts, model, folder / RATING)
    ratings = []
    for id, numbers in batch.values.items():
        question, _, sample = id.rpartition(".")
        about = {"question_id": question, "sample": int(sample), "judge": model.name, "prompt_version": VERSION}
        ratings.append(TraceRating.model_validate(about | numbers))
    write_records(folder / RATINGS, ratings)
    return len(prompts) - len(ratings)


def _prompts(bench: Bench, run: Path) -> list[RolePrompt[dict[str, int]]]:
    items = {item.question.id: item for _, group in bench.by_context() for item in group}
    prompts = []
    for response in read_responses(run).values():
        item = items.get(response.question_id)
        if item is not None and response.outcome in ("answered", "truncated"):
            text = rating_prompt(item.question, family(item.question.family).explain(item.key), response)
            id = f"{response.question_id}.{response.sample}"
            prompts.append(RolePrompt(id, Prompt((Message.user(text),)), VERSION, parse_rating))
    return prompts


def rating_summaries(run: Folder, *, bench: Folder | None = None) -> list[RatingSummary]:
    """The ratings of a run, all together and by outcome; empty if it has none."""
    folder = as_path(run)
    if not (folder / RATINGS).exists():
        return []
    opened = open_bench(folder, read_run(folder), as_path(bench))
    contexts: dict[QuestionId, int] = {}
    numbers: dict[str, int] = {}
    for question in opened.all_questions():
        contexts[question.id] = numbers.setdefault(question.context_id, len(numbers))
    ratings = list(read_records(folder / RATINGS, TraceRating))
    outcomes = {(verdict.question_id, verdict.sample): verdict.outcome for verdict in read_verdicts(folder)}
    groups: dict[str, list[TraceRating]] = {"all": ratings}
    for rating in ratings:
        groups.setdefault(outcomes.get((rating.question_id, rating.sample), "not scored"), []).append(rating)
    return [_summary(outcome, group, contexts) for outcome, group in groups.items() if group]


def _summary(outcome: str, ratings: Sequence[TraceRating], contexts: Mapping[QuestionId, int]) -> RatingSummary:
    where = np.array([contexts[rating.question_id] for rating in ratings])
    steps, retrieved = _column(ratings, "steps"), _column(ratings, "retrieved")
    return RatingSummary(
        outcome=outcome,
        responses=len(ratings),
        coherence=mean_estimate(_column(ratings, "coherence"), where),
        repeated=ratio_estimate(_column(ratings, "repeated"), steps, where, is_share=True),
        superfluous=ratio_estimate(_column(ratings, "superfluous"), steps, where, is_share=True),
        retrieval_accuracy=ratio_estimate(_column(ratings, "retrieved_correctly"), retrieved, where, is_share=True),
    )


def _column(ratings: Sequence[TraceRating], name: str) -> FloatArray:
    return np.array([float(getattr(rating, name)) for rating in ratings])

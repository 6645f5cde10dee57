"""Reads a log of the engine: what a model answered to questions of a bench."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from pydantic import ValidationError

from fathom.models.model_info import ModelInfo
from fathom.records.errors import FathomError, file_errors
from fathom.records.questions import QuestionId, Response, Usage
from fathom.runs.inspect_task import RESPONSE


@dataclass(frozen=True)
class LoggedRun:
    """A log, with the responses to questions of one bench."""

    model: str
    created: str
    """When it was begun."""
    arguments: dict[str, Any]
    """The arguments of the task."""
    max_tokens: int | None
    responses: list[Response]
    others: int
    """Samples that belong to no question of the bench."""


def read_log(path: Path, questions: Collection[QuestionId], info: ModelInfo | None = None) -> LoggedRun:
    """The responses in a log; `info` gives prices."""
    log = _read(path)
    answered = [_response(sample, questions, info) for sample in log.samples or ()]
    found = {(one.question_id, one.sample): one for one in answered if one is not None}
    return LoggedRun(
        model=log.eval.model,
        created=log.eval.created,
        arguments=dict(log.eval.task_args),
        max_tokens=log.plan.config.max_tokens or log.eval.model_generate_config.max_tokens,
        responses=list(found.values()),
        others=len(log.samples or ()) - len(found),
    )


def _read(path: Path) -> EvalLog:
    if not path.is_file():
        raise FathomError(f"There is no log '{path}'. Give a file of the engine, such as logs/2026-...eval.")
    try:
        with file_errors("read", path):
            return read_eval_log(str(path))
    except FathomError:
        raise
    except Exception as error:  # the engine raises whatever its parsers raise
        raise FathomError(
            f"'{path}' is not a log of Inspect: {type(error).__name__}. Give an .eval or .json log."
        ) from error


def _response(sample: EvalSample, questions: Collection[QuestionId], info: ModelInfo | None) -> Response | None:
    """The response of a sample; None if it belongs to no question."""
    place = _place(str(sample.id), sample.epoch, questions)
    if place is None:
        return None
    fields: dict[str, Any] = {"question_id": place[0], "sample": place[1]}
    if isinstance(stored := sample.store.get(RESPONSE), dict):
        # A response of another version may not be valid. The output of the sample can still be used.
        with suppress(ValidationError):
            return Response.model_validate({**stored, **fields})
    fields["usage"] = _usage(sample, info)
    if sample.error is not None:
        return Response.model_validate({**fields, "outcome": "error", "error": sample.error.message[:500] or "unknown"})
    stop = sample.output.stop_reason if sample.output.choices else "stop"
    text = sample.output.completion.encode("utf-8", "replace").decode()
    return Response.model_validate({**fields, "outcome": _OUTCOMES.get(stop, "answered"), "text": text})


_OUTCOMES = {"max_tokens": "truncated", "content_filter": "refused", "model_length": "overflow"}
"""Outcomes by the engine's reason why an output ended."""


def _place(id: str, epoch: int, questions: Collection[QuestionId]) -> tuple[QuestionId, int] | None:
    """The question and the number of the response: samples are named q-1 or, by Fathom's own tasks, q-1.0."""
    if id in questions:
        return id, epoch - 1
    question, _, number = id.rpartition(".")
    return (question, int(number)) if question in questions and number.isdecimal() else None


def _usage(sample: EvalSample, info: ModelInfo | None) -> Usage:
    read = written = cached = 0
    for one in sample.model_usage.values():
        from_cache = max(0, one.input_tokens_cache_read or 0)
        read += max(0, one.input_tokens) + max(0, one.input_tokens_cache_write or 0) + from_cache
        written, cached = written + max(0, one.output_tokens), cached + from_cache
    usage = Usage(
        input_tokens=read, cached_tokens=cached, output_tokens=written, seconds=max(0.0, sample.total_time or 0.0)
    )
    return usage.model_copy(update={"price": info.price(usage) if info is not None else None})

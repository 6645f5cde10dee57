"""Checks of a system at an address: its answers, and what its server does with unusual requests."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from fathom.runs.bench_view import BenchView
from fathom.runs.check_results import CheckResult, failed, note, passed
from fathom.runs.plan import Job
from fathom.systems.http import ConnectedSystem, HttpCallError
from fathom.systems.http_contract import HttpAnswer, locate
from fathom.systems.protocol import ContextView


async def http_checks(active: ConnectedSystem, bench: BenchView, job: Job) -> list[CheckResult]:
    """Send one question twice with the same id, then a request that is none, then a question again."""
    view = bench.view(job.context, job.question)
    answers: list[HttpAnswer] = []
    with active.texts.serving(view) as documents:
        for id in (first := uuid.uuid4().hex, first, uuid.uuid4().hex):
            if len(answers) == 2:
                malformed = await _malformed(active)
            body = active.request(job.question, view, 0, id, documents).model_dump_json().encode()
            try:
                completion = await active.post(body, id)
            except HttpCallError as error:
                when = ("", "when it is sent again with the same id", "after a malformed request")[len(answers)]
                return [failed(f"A question is not answered {when}".rstrip() + f": {error}")]
            answers.append(completion.native)
    return [
        *_answer_checks(answers[0], view),
        *_fetched(active, view),
        _repeated(answers[0], answers[1], active.system.idempotent),
        malformed,
    ]


async def _malformed(active: ConnectedSystem) -> CheckResult:
    """What the server does with a body that is not JSON; the next question shows whether it keeps running."""
    try:
        await active.post(b'{"fathom": 1, "id": ', uuid.uuid4().hex)
    except HttpCallError as error:
        if "refused the question" in str(error):
            return passed("It rejects a malformed request with a status code, and keeps running.")
        return note(f"It keeps running after a malformed request, but status 400 would be clearer. ({error})")
    return note("It answers a malformed request as if it were a question.")


def _answer_checks(answer: HttpAnswer, view: ContextView) -> Iterator[CheckResult]:
    if answer.problems:
        yield failed(f"Optional parts of the answer are not valid and would be left out: {'; '.join(answer.problems)}.")
    if answer.unknown:
        yield note(f"The answer has fields that the contract does not have: {', '.join(answer.unknown)}.")
    usage = answer.usage
    if usage.price is None:
        yield note("It reports no price (usage.price), so the cost of a run will be unknown.")
    elif not usage.input_tokens and usage.price:
        yield note("It reports a price, but no tokens.")
    else:
        yield passed(f"It reports its usage: {usage.input_tokens:,} input tokens, ${usage.price:,.4f}.")
    cited = [*answer.citations, *(citation for step in answer.steps for citation in step.citations)]
    located = locate(cited, view)
    if located.note:
        yield failed(f"{located.note}.")
    elif cited:
        yield passed(f"Its citations ({len(cited)}) are located in the documents.")
    else:
        yield note("It sends no citations, so recall of what questions need cannot be measured.")


def _fetched(active: ConnectedSystem, view: ContextView) -> Iterator[CheckResult]:
    count = len({number for context, number in active.texts.fetched if context == view.context.id})
    if count:
        yield passed(f"It fetches documents: {count} of the {len(view.documents)} of the context.")
    else:
        yield note("It fetches no document of the context.")


def _repeated(first: HttpAnswer, second: HttpAnswer, idempotent: bool) -> CheckResult:
    if first.text == second.text:
        return passed("A question that is sent again with the same id gets the same answer.")
    said = "A question that is sent again with the same id gets another answer"
    if idempotent:
        return failed(f"{said}, although -S idempotent=true says that the system works once for each id.")
    return note(f"{said}: leave -S idempotent=false.")

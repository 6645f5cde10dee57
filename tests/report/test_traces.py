"""Traces on the page: every step in its order, and the retrieved passages beside the needed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.analysis.analyze import analyze
from fathom.records.documents import Passage
from fathom.records.files import read_records, write_records
from fathom.records.questions import Response, Step, Usage
from fathom.records.spans import Span
from fathom.report.page_data import LIMIT_LEVELS
from fathom.report.pages import write_page
from fathom.report.traces import MAX_STEPS, positions, steps_of
from fathom.runs.folder import RESPONSES, VERDICTS
from fathom.tasks.bench import Bench
from tests.report.conftest import Opening, Sample
from tests.report.sample import Player, play


def test_a_long_trace_keeps_its_first_and_last_steps() -> None:
    trace = [Step(kind="tool", name=str(number)) for number in range(100)]
    shown = steps_of(trace, LIMIT_LEVELS[0])
    assert [step if isinstance(step, int) else step[1] for step in shown if isinstance(step, int | list)] == [
        *map(str, range(MAX_STEPS // 2)),
        100 - MAX_STEPS,
        *map(str, range(100 - MAX_STEPS // 2, 100)),
    ]


@pytest.fixture(scope="module")
def traced(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that retrieved the whole of the first document of each context, and nothing else."""
    folder = play(sample.bench, tmp_path_factory.mktemp("traced") / "run", Player("r", "sim/reader?miss=1", "rag"))
    (folder / VERDICTS).unlink()
    contexts = {context.id: context for context in Bench(sample.bench).contexts()}
    home = {question.id: contexts[question.context_id] for question in Bench(sample.bench).all_questions()}

    def with_trace(response: Response) -> Response:
        place = home[response.question_id].places[0]
        found = Passage(document=place.document, span=Span(0, place.span.end - place.span.start))
        steps = (
            Step(kind="retrieval", name="lexical", input="the query", passages=(found,)),
            Step(kind="model", name="answer", output="said", usage=Usage(input_tokens=1234, seconds=2.5)),
        )
        return response.model_copy(update={"trace": steps})

    write_records(folder / RESPONSES, [with_trace(record) for record in read_records(folder / RESPONSES, Response)])
    return folder


def test_positions_are_those_of_the_laid_out_text(traced: Path, sample: Sample) -> None:
    contexts = {context.id: context for context in Bench(sample.bench).contexts()}
    home = {question.id: contexts[question.context_id] for question in Bench(sample.bench).all_questions()}
    for response in read_records(traced / RESPONSES, Response):
        context = home[response.question_id]
        assert positions(context, response.trace) == [*context.places[0].span]


def test_an_item_shows_its_steps_and_what_was_retrieved(traced: Path, tmp_path: Path, opening: Opening) -> None:
    analysis = analyze([traced])
    [run] = analysis.findings.runs
    assert run.retrieval is not None
    assert run.retrieval.passages == 1
    misses = {failure_stage.name: failure_stage.count for failure_stage in run.failure_stages}["retrieval miss"]
    path = tmp_path / "page.html"
    write_page(analysis.findings, analysis.items, path, "Traces")
    with opening(path) as (page, seen):
        page.locator("#failure-stages .field button").first.click()
        page.wait_for_function("() => document.querySelector('.status').textContent.includes(' of ')")
        assert page.inner_text(".status").startswith(f"{misses:,} of")
        page.locator(".row").first.click()
        page.wait_for_selector("#sheet .response")
        page.evaluate("() => document.querySelectorAll('#sheet details').forEach(one => { one.open = true; })")
        heads = page.locator("#sheet .step-head").all_inner_texts()
        assert "lexical" in heads[0]
        assert "1 passage of 1 document" in heads[0]
        assert "1,234 in" in heads[1]
        assert "2.5 s" in heads[1]
        assert "the query" in page.inner_text("#sheet .step.retrieval")
        assert page.locator("#sheet .strip rect.retrieved").count() == 1
        assert "not retrieved" in page.locator("#sheet .retrieved-by").last.text_content()
        assert seen.nothing(), seen

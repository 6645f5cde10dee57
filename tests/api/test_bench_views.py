"""The texts that controls show a model, which depend on the keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import fathom
from fathom.api.bench_views import open_bench_view
from fathom.records.errors import FathomError
from fathom.systems.catalog import is_control, load_system
from fathom.systems.direct import FullControl, Passages
from fathom.systems.protocol import ContextView
from fathom.tasks.bench import Bench
from tests.analysis.conftest import done


@pytest.fixture(scope="module")
def asked(small_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("passages")
    contexts = folder / "contexts.jsonl"
    assert done("contexts", small_folder, "--lengths", "64K", "--count", 3, "--out", contexts) == 0
    assert done("build", "numeric", small_folder, "--contexts", contexts, "--out", folder / "bench") == 0
    return folder / "bench"


def test_passages_are_short_and_contain_the_proof_of_the_key(asked: Path) -> None:
    with open_bench_view(asked, control=True) as view:
        for context, items in Bench(asked).by_context():
            whole = ContextView(context, view.views("numeric")).text("documents")
            for item in items:
                text = ContextView(context, view.views("numeric")).text(f"passages@{item.question.id}")
                assert len(text) < len(whole) / 3
                headings = re.findall(r"^===== Article (\d+)$", text, re.MULTILINE)
                assert headings == [str(number) for number in range(1, len(context.places) + 1)]
                for passage in item.key.proof.passages:
                    place = next(place for place in context.places if place.document == passage.document)
                    located = place.locate(passage.span)
                    assert located is not None
                    assert located.of(whole) in text


def test_a_plan_counts_the_passages_and_not_the_context(asked: Path) -> None:
    with open_bench_view(asked, control=True) as view:
        context, questions = next(iter(view.groups()))
        seen = ContextView(context, view.views("numeric"))
        assert seen.tokens(f"passages@{questions[0].id}") < seen.tokens("documents") / 3
        with pytest.raises(FathomError, match="has no question 'q-none'"):
            seen.text("passages@q-none")


def test_a_control_shows_the_needed_documents_first_or_last(asked: Path) -> None:
    with open_bench_view(asked, control=True) as view:
        for context, items in Bench(asked).by_context():
            seen = ContextView(context, view.views("numeric"))
            numbers = {document: number for number, document in enumerate(context.documents, start=1)}
            for item in items[:3]:
                needed = sorted({numbers[passage.document] for passage in item.key.proof.passages})
                others = [number for number in numbers.values() if number not in needed]
                for place, order in (("first", needed + others), ("last", others + needed)):
                    text = seen.text(f"needed_{place}@{item.question.id}")
                    assert [int(one) for one in re.findall(r"^===== Article (\d+)$", text, re.MULTILINE)] == order
                    assert sorted(text.splitlines()) == sorted(seen.text().splitlines())
                    control = load_system("full-control", settings={"needed": place}).system
                    bound = control.estimate(item.question, seen).input_tokens
                    assert seen.count(text) + seen.count(item.question.text) <= bound


@dataclass(frozen=True)
class Disguised(Passages):
    """Derived from a control, to be given what the question needs."""


def test_only_controls_are_given_forms_that_depend_on_the_keys(asked: Path) -> None:
    with open_bench_view(asked) as view:
        context, questions = next(iter(view.groups()))
        for form in ("passages", "needed_first", "needed_last"):
            with pytest.raises(FathomError, match="has no text form"):
                ContextView(context, view.views("numeric")).text(f"{form}@{questions[0].id}")

    assert is_control(Passages())
    assert is_control(FullControl())
    assert not is_control(Disguised())
    with pytest.raises(FathomError, match="has no text form 'passages'"):
        fathom.run(asked, model="sim/reader", system=Disguised(), out=asked.parent / "disguised")

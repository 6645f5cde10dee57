"""`--system passages`: the text that a model is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fathom.api.bench_views import open_bench_view
from fathom.records.errors import FathomError
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
    with open_bench_view(asked) as view:
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
    with open_bench_view(asked) as view:
        context, questions = next(iter(view.groups()))
        seen = ContextView(context, view.views("numeric"))
        assert seen.tokens(f"passages@{questions[0].id}") < seen.tokens("documents") / 3
        with pytest.raises(FathomError, match="has no question 'q-none'"):
            seen.text("passages@q-none")

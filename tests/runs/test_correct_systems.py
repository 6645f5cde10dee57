"""A model that writes the correct query is correct on every question."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fathom.cli.main import main
from fathom.tasks.bench import Bench
from tests.runs.conftest import Ask
from tests.serving import Provider, serving

pytestmark = pytest.mark.filterwarnings("ignore")


def asked_for(statement: str) -> str:
    """The key's statement without the sort keys that it lists for the sake of ties."""
    if " ORDER BY " not in statement:
        return statement
    return re.sub(r"^SELECT (DISTINCT )?(.+?), .+? FROM", r"SELECT \1\2 FROM", statement)


def test_the_correct_query_is_correct(
    ask: Ask, tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries = {
        item.question.text: asked_for(item.key.proof.program)
        for _, items in Bench(tiny_bench).by_context()
        for item in items
    }

    def response(prompt: str) -> str:
        [found] = [statement for question, statement in queries.items() if prompt.endswith(question)]
        return f"```sql\n{found}\n```"

    with serving(Provider(response=response)) as provider:
        assert ask(provider, "--system", "sql") == 0
    capsys.readouterr()
    assert main(["score", str(tmp_path / "run"), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]["all"]
    assert scores["correct"] == scores["questions"] == 30, scores

"""Papers of the published benchmark: our items avoid the shortcuts of the published ones."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, count
from math import comb
from pathlib import Path

import pytest

from fathom.corpus.document_reading import Filters
from fathom.corpus.ingest import ingest
from fathom.corpus.store import Corpus
from fathom.tasks.auditing import FILE_NAME as AUDIT
from fathom.tasks.auditing import AuditReport, audit
from fathom.tasks.bench import Bench
from tests.corpus.readers.conftest import shared as data_file
from tests.sharing import SharedFolders
from tests.tasks.citations.conftest import build_citations

__all__ = ["data_file"]

pytestmark = pytest.mark.slow

CLOZE = {"2406.04770", "2406.18533", "2407.19804", "2408.00714", "2412.02482", "2412.12089"}
"""Papers that cite four works with a text individually, by the notes to the data."""
NAMED = {"2412.02482"}
"""A paper whose only mask of a certain type follows a phrase of the work's title."""


@pytest.fixture(scope="module")
def published(build_once: SharedFolders) -> Callable[[Path], Bench]:
    def build(source: Path) -> Bench:
        def make(folder: Path) -> None:
            ingest([source], folder / "corpus", Filters())
            build_citations(folder / "corpus", folder / "bench")
            audit(folder / "bench")

        return Bench(build_once("published", make) / "bench")

    return build


def audit_of(bench: Bench) -> AuditReport:
    """The report of an audit that was made before."""
    return AuditReport.model_validate_json((bench.folder / AUDIT).read_bytes())


def share_by_elimination(bench: Bench) -> float:
    """The share of choices that are correct when candidates that are named elsewhere are ruled out."""
    baselines = next(check.measures for check in audit_of(bench).checks if check.name == "baselines")
    levels = Counter(q.tags["level"] for q in bench.all_questions() if q.tags["task"] == "choice")
    return sum(n * baselines[f"choice, {level}: elimination"] for level, n in levels.items()) / levels.total()


def test_items_of_all_levels_without_shortcuts(
    data_file: Callable[[str], Path], published: Callable[[Path], Bench]
) -> None:
    source = data_file("scalar_papers.jsonl.gz")
    bench = published(source)
    cells = {(q.tags["task"], q.tags["level"]) for q in bench.all_questions()}
    # Few papers cite four works alone in sentences that do not name them: a hard cloze may use up those of a medium.
    assert {*(("choice", level) for level in ("easy", "medium", "hard")), ("cloze", "easy")} <= cells
    assert cells & {("cloze", "medium"), ("cloze", "hard")}
    found = audit_of(bench)
    assert found.passed, [checked for checked in found.checks if checked.failed]
    baselines = next(checked.measures for checked in found.checks if checked.name == "baselines")
    # The papers give about ten hard choices, of which chance solves up to five.
    hard = sum((q.tags["task"], q.tags["level"]) == ("choice", "hard") for q in bench.all_questions())
    assert baselines["choice, hard: words of the sentence"] * hard <= _most_by_chance(hard) + 1e-6
    # The papers give about ten hard choices, and clozes of one or two papers only.
    for task, most in (("choice", 0.33), ("cloze", 0.45)):
        assert baselines[f"{task}, hard: mean held-out matcher"] <= most


def test_every_paper_that_allows_items_gives_some(
    data_file: Callable[[str], Path], published: Callable[[Path], Bench]
) -> None:
    source = data_file("scalar_papers.jsonl.gz")
    bench = published(source)
    choice: set[str] = set()
    cloze: set[str] = set()
    with Corpus(bench.corpus_folder) as corpus:
        names = {document.id: document.ids.get("arxiv", "") for document in corpus.documents()}
    for context, [item] in bench.by_context():
        (choice if item.question.tags["task"] == "choice" else cloze).add(names[context.documents[0]])
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in lines]
    # Four works with a text, one of them cited alone, is what a choice needs; a cloze may take all four.
    for paper in papers:
        texts = {work["id"] for work in paper["references"] if work["sections"]}
        alone = {c["ref"] for s in paper["sections"] for c in s["citations"] if c["individual"] and c["ref"] in texts}
        if len(texts) >= 4 and len(alone) >= 2 and paper["arxiv_id"] not in NAMED:
            assert paper["arxiv_id"] in choice | cloze, paper["arxiv_id"]
    # In two of them a sentence names the work, or its type is not certain.
    assert len(cloze & CLOZE) >= 2, cloze


def test_ruling_out_what_is_named_elsewhere_helps_where_one_mention_is_hidden(
    data_file: Callable[[str], Path], published: Callable[[Path], Bench], tmp_path: Path
) -> None:
    """The shortcut of the published items is detected: the works have no bylines, but the reference list has names."""
    bench = published(data_file("scalar_papers.jsonl.gz"))
    assert abs(share_by_elimination(bench) - 0.25) < 0.05
    one = build_citations(bench.corpus_folder, tmp_path / "one", mask="one", tasks=["choice"])
    audit(one.folder)
    assert share_by_elimination(one) > 0.32


def _most_by_chance(questions: int) -> int:
    """The number of questions with four options that guessing does not exceed in 95 of 100 cases."""
    chances = accumulate(comb(questions, solved) * 0.25**solved * 0.75 ** (questions - solved) for solved in count())
    return next(solved for solved, chance in enumerate(chances) if chance >= 0.95)

"""The API of corpora and contexts."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.api.corpora import generate, ingest, open_corpus
from fathom.records.errors import FathomError


def test_generates_samples_and_renders(tmp_path: Path) -> None:
    seen: list[int] = []
    with generate(
        tmp_path / "corpus", documents=24, length="short", seed=5, processes=1, progress=seen.append
    ) as corpus:
        assert len(corpus) == 24 == seen[-1]
        assert corpus.ingest_report is None
        contexts = corpus.contexts(["2K", 4096], count=3, seed=1)
        assert len(contexts) == len(list(contexts)) == contexts.report.contexts == 6
        first = next(iter(contexts))
        assert corpus.context(first.id) == first
        assert corpus.render(first).startswith("===== Article 1\n")
        with pytest.raises(FathomError, match="has no context 'c-0'"):
            corpus.context("c-0")
        with pytest.raises(FathomError, match="has no subject 'alchemy'"):
            corpus.contexts(["2K"], subjects=["alchemy"], out=tmp_path / "c.jsonl")


def test_ingests_a_single_source_and_reports(tmp_path: Path) -> None:
    source = tmp_path / "note.md"
    source.write_text("# Herons on the river\n\nAda Lind\n\n## Results\n\nHerons wait. They wait long.\n")
    with ingest(source, tmp_path / "corpus", processes=1) as corpus:
        assert corpus.ingest_report is not None
        assert corpus.ingest_report.kept == len(corpus) == 1
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        assert next(corpus.documents()).title_text == "Herons on the river"


def test_refuses_a_bench_as_a_source(tiny_bench: Path, tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="is a bench, not a source"):
        ingest(tiny_bench, tmp_path / "corpus")


def test_refuses_two_sizes(tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="only one can set the size"):
        generate(tmp_path / "corpus", documents=1, tokens=1)

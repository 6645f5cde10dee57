"""Fitted benches: questions about the entities that are left, with keys computed again."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.tasks.bench import Bench
from fathom.tasks.tables.audit import TablesAuditor
from fathom.tasks.tables.refit import UNKNOWN, TablesRefitter


def test_a_fitted_bench_passes_its_audit(reports: Path, tmp_path: Path) -> None:
    fitted = fathom.fit(reports / "bench", window="144K", out=tmp_path / "fitted", corpus=reports / "corpus")
    fit = fitted.manifest.fit
    assert fit is not None and fit.recomputed >= 6, fit
    assert fitted.audit().passed


def test_a_question_is_about_the_entities_that_are_left(reports: Path) -> None:
    bench = Bench(reports / "bench")
    [(context, items)] = bench.by_context()
    changed = asked = 0
    with Corpus(reports / "corpus") as corpus:
        refitter = TablesRefitter(corpus, bench.manifest.reports["tables"])
        auditor = TablesAuditor(corpus, 0)
        for gone in context.documents[::4]:
            places = tuple(place for place in context.places if place.document != gone)
            smaller = context.model_copy(update={"id": f"c-{gone}", "places": places})
            needing = [item for item in items if gone in {passage.document for passage in item.key.proof.passages}]
            kept, refused = refitter.refit(context, smaller, items)
            assert len(kept) + len(refused) == len(items) and UNKNOWN not in refused
            assert auditor.check(smaller, kept) == {}
            was = {_question(item.question.text): item for item in items}
            for item in kept:
                before = was[_question(item.question.text)]
                entities, all_entities = ({row[0] for row in one.key.proof.rows} for one in (item, before))
                # An exception may become certain when a report that contradicts another is gone.
                assert all(entity in before.question.text for entity in entities - all_entities)
                if before not in needing and entities == all_entities:
                    assert item.key.answer == before.key.answer
                asked += entities != all_entities
                changed += item.key.answer != before.key.answer
    assert asked and changed


def _question(text: str) -> str:
    """The question without the sentence that says which entities it is about."""
    return text.partition(". ")[2]


def test_swapping_is_refused_with_a_reason(reports: Path, tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="state a figure several times.* another --seed"):
        fathom.swap(reports / "bench", out=tmp_path / "swapped", corpus=reports / "corpus")

"""Builds over generated reports: keys from the facts, audits that notice every change, drafts of packs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

import fathom
from fathom.api import packs
from fathom.contexts.files import FILE_NAME
from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Fact, Passage
from fathom.records.spans import Span
from fathom.scoring.answers import Number
from fathom.tasks.bench import Bench
from fathom.tasks.family import Item
from fathom.tasks.tables.audit import TablesAuditor
from tests.conftest import Fathom
from tests.sharing import SharedFolders

SEEDS = (0, 1)


@pytest.fixture(scope="session")
def reports(build_once: SharedFolders) -> Path:
    """Forty-five reports of nine housing markets in five years, and two small benches."""

    def make(folder: Path) -> None:
        recipe = Recipe(domains=parse_domains("housing"), seed=8, documents=45)
        generate(folder / "corpus", recipe)
        with fathom.open_corpus(folder / "corpus") as corpus:
            corpus.contexts(["300K"], 2, sampling="random")
        for seed in SEEDS:
            fathom.build("tables", folder / "corpus", out=folder / f"bench{seed}", seed=seed, questions=20)

    return build_once("housing reports", make)


Stated = dict[tuple[str, str, str], list[tuple[DocumentId, Fact]]]
"""Facts about whole entities by entity, attribute and period."""


@pytest.fixture(scope="module")
def stated(reports: Path) -> Stated:
    found: Stated = defaultdict(list)
    with Corpus(reports / "corpus") as corpus:
        for document in corpus.documents():
            for fact in document.facts:
                if not fact.part:
                    found[fact.entity, fact.attribute, fact.period].append((document.id, fact))
    return found


def figures_of(stated: Stated, row: tuple[str, ...], context: Context) -> list[tuple[DocumentId, Fact]]:
    """What the documents of a context state of the figure in a row of a proof."""
    field, _, year = row[1].rpartition("_")
    return [(id, fact) for id, fact in stated[row[0], field, year] if id in context.documents]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_figure_is_the_one_of_the_latest_report(reports: Path, stated: Stated, seed: int) -> None:
    with Corpus(reports / "corpus") as corpus:
        years = {entry.id: entry.year for entry in corpus.entries()}
    count = 0
    for context, items in Bench(reports / f"bench{seed}").by_context():
        for row in (row for item in items for row in item.key.proof.rows):
            found = figures_of(stated, row, context)
            latest = max(years[id] or 0 for id, _ in found)
            printed = {fact.value for id, fact in found if years[id] == latest}
            assert (Decimal(row[2]) * Decimal(row[3]) if row[2] else None) in printed
            count += 1
    assert count > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_audits_pass_and_levels_are_mixed(reports: Path, seed: int) -> None:
    bench = fathom.open_bench(reports / f"bench{seed}")
    assert bench.audit().passed
    assert {item.question.tags["level"] for item in bench.items()} == {"easy", "medium", "hard"}


def changed_value(item: Item) -> Item:
    rows = (("x", *item.key.proof.rows[0][1:]), *item.key.proof.rows[1:])
    return _with_proof(item, rows=rows)


def moved_passage(item: Item) -> Item:
    first = item.key.proof.passages[0]
    moved = Passage(document=first.document, span=Span(first.span.start + 1, first.span.end + 1))
    return _with_proof(item, passages=(moved, *item.key.proof.passages[1:]))


def dropped_entity(item: Item) -> Item:
    entity = item.key.proof.rows[0][0]
    kept = [place for place, row in enumerate(item.key.proof.rows) if row[0] != entity]
    proof = item.key.proof
    return _with_proof(
        item, rows=tuple(proof.rows[one] for one in kept), passages=tuple(proof.passages[one] for one in kept)
    )


def other_answer(item: Item) -> Item:
    return Item(item.question, item.key.model_copy(update={"answer": Number(value=Decimal("98765.43"))}))


def _with_proof(item: Item, **changes: object) -> Item:
    proof = item.key.proof.model_copy(update=changes)
    return Item(item.question, item.key.model_copy(update={"proof": proof}))


@pytest.mark.parametrize("change", [changed_value, moved_passage, dropped_entity, other_answer])
def test_the_audit_notices_changes(reports: Path, change: Callable[[Item], Item]) -> None:
    with Corpus(reports / "corpus") as corpus:
        auditor = TablesAuditor(corpus, 0)
        for context, items in Bench(reports / "bench0").by_context():
            changed = [change(item) for item in items]
            assert len(auditor.check(context, changed)) == len(items)


def test_the_audit_notices_a_later_report_that_restates_a_figure(reports: Path, stated: Stated) -> None:
    """The original value of a restated figure is rejected as long as the later report is shown."""
    with Corpus(reports / "corpus") as corpus:
        auditor = TablesAuditor(corpus, 0)
        changed = noticed = 0
        for context, items in Bench(reports / "bench0").by_context():
            for outdated in (made for item in items if (made := _outdated(item, context, stated))):
                changed += 1
                noticed += outdated.question.id in auditor.check(context, [outdated])
        assert changed == noticed > 0


def _outdated(item: Item, context: Context, stated: Stated) -> Item | None:
    """The item with one figure from an earlier report, where that gave another value."""
    proof = item.key.proof
    for place, (row, passage) in enumerate(zip(proof.rows, proof.passages, strict=True)):
        for id, fact in figures_of(stated, row, context):
            if id != passage.document and fact.value is not None and row[2] and fact.value != Decimal(row[2]):
                rows, passages = list(proof.rows), list(proof.passages)
                rows[place] = (row[0], row[1], f"{fact.value:f}", "1")
                passages[place] = Passage(document=id, span=fact.span)
                return _with_proof(item, rows=tuple(rows), passages=tuple(passages))
    return None


def test_a_reader_without_faults_is_always_right_and_one_with_faults_is_not(reports: Path, tmp_path: Path) -> None:
    careful = fathom.run(reports / "bench0", model="sim/reader", out=tmp_path / "careful").score()
    careless = fathom.run(reports / "bench0", model="sim/reader?miss=0.3", out=tmp_path / "careless").score()
    assert careful.accuracy == 1.0
    assert careless.accuracy < 0.7


def test_drafted_packs_can_be_built(reports: Path, tmp_path: Path) -> None:
    own = packs.write_draft(reports / "corpus", tmp_path / "own.toml")
    coverage = packs.check_pack(str(own), reports / "corpus")
    assert coverage.found == 45 and coverage.entities == 9
    assert coverage.sample
    bench = fathom.build(
        "tables",
        reports / "corpus",
        contexts=reports / "corpus" / FILE_NAME,
        out=tmp_path / "bench",
        packs=(str(own),),
        questions=4,
    )
    assert bench.audit().passed
    with pytest.raises(fathom.FathomError, match="exists"):
        packs.write_draft(reports / "corpus", tmp_path / "own.toml")


def test_pack_commands(reports: Path, fathom: Fathom, tmp_path: Path) -> None:
    checked = fathom("pack", "check", "housing", reports / "corpus")
    assert "homes_sold" in checked.stdout and "sample: " in checked.stdout
    assert fathom("pack", "check", "companies", reports / "corpus").stdout.count("sample: ") == 0
    refused = fathom("pack", "check", "none.toml", reports / "corpus")
    assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1

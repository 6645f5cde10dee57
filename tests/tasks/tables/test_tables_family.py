"""Builds over generated reports: keys from the facts, audits that notice every change, drafts of packs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

import fathom
from fathom.api import packs
from fathom.contexts.files import FILE_NAME, read_contexts
from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Fact, FactSheet, Passage
from fathom.records.spans import Span
from fathom.scoring.answers import Number, Text, Unanswerable
from fathom.tasks.bench import Bench
from fathom.tasks.family import Item
from fathom.tasks.split_corpus import SplitCorpus
from fathom.tasks.tables.allotment import level_sequence
from fathom.tasks.tables.audit import TablesAuditor
from fathom.tasks.tables.build import TablesBuilder, entity_tables, level_of, make_item, names_one
from fathom.tasks.tables.chinese_names import chinese_name
from fathom.tasks.tables.figures import document_figures
from fathom.tasks.tables.months import month_value
from fathom.tasks.tables.pack import read_pack
from fathom.tasks.tables.queries import QueryMaker
from fathom.tasks.tables.query_parts import LEVELS
from fathom.tasks.tables.settings import TablesSettings
from fathom.tasks.tables.stated_facts import StatedFact, StatedFacts, _kept_facts
from fathom.tasks.verification import Verifier
from tests.conftest import Fathom

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


def test_every_figure_is_the_one_of_the_latest_report(reports: Path, stated: Stated) -> None:
    with Corpus(reports / "corpus") as corpus:
        years = {entry.id: entry.year for entry in corpus.entries()}
    count = 0
    for context, items in Bench(reports / "bench").by_context():
        for row in (row for item in items for row in item.key.proof.rows):
            found = figures_of(stated, row, context)
            latest = max(years[id] or 0 for id, _ in found)
            printed = {fact.value for id, fact in found if years[id] == latest}
            month = month_value(row[2])
            assert (month or (Decimal(row[2]) * Decimal(row[3]) if row[2] else None)) in printed
            count += 1
    assert count > 100


def test_audits_pass_and_levels_are_mixed(reports: Path) -> None:
    bench = fathom.open_bench(reports / "bench")
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
    kept = [index for index, row in enumerate(item.key.proof.rows) if row[0] != entity]
    proof = item.key.proof
    return _with_proof(
        item, rows=tuple(proof.rows[one] for one in kept), passages=tuple(proof.passages[one] for one in kept)
    )


def other_answer(item: Item) -> Item:
    return Item(item.question, item.key.model_copy(update={"answer": Number(value=Decimal("98765.43"))}))


def _with_proof(item: Item, **changes: object) -> Item:
    proof = item.key.proof.model_copy(update=changes)
    return Item(item.question, item.key.model_copy(update={"proof": proof}))


def test_a_question_that_fails_verification_is_replaced_by_one_of_its_level(reports: Path) -> None:
    with SplitCorpus(reports / "corpus", reports / "corpus" / FILE_NAME, "test") as corpus:
        [(context, _)] = Bench(reports / "bench").by_context()
        builder = TablesBuilder(corpus, TablesSettings(questions=8), 0)
        items = list(builder.build(context, Random(5)))
        broken = [other_answer(items[0]), moved_passage(items[1]), *items[2:]]
        verified = Verifier(corpus).verify(
            context, broken, lambda failed, kept: list(builder.replace(context, Random(6), failed, kept))
        )
    assert sum(verified.dropped.values()) == 2
    assert len({item.question.id for item in (*verified.items, *items[:2])}) == 10
    for tag in ("level", "domain"):
        wanted, found = (Counter(item.question.tags[tag] for item in some) for some in (items, verified.items))
        assert found == wanted


def test_the_audit_inside_a_build_uses_the_facts_that_the_builder_has_read(
    reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[str] = Counter()
    fact_sheet = Corpus.fact_sheet

    def counted(self: Corpus, id: str) -> FactSheet:
        read[id] += 1
        return fact_sheet(self, id)

    monkeypatch.setattr(Corpus, "fact_sheet", counted)
    _kept_facts.cache_clear()
    [(context, _)] = Bench(reports / "bench").by_context()
    with (
        SplitCorpus(reports / "corpus", reports / "corpus" / FILE_NAME, "test") as split,
        Corpus(reports / "corpus") as corpus,
    ):
        items = list(TablesBuilder(split, TablesSettings(questions=2), 0).build(context, Random(5)))
        assert Verifier(corpus).verify(context, items).items == items
    assert read.keys() >= set(context.documents) and set(read.values()) == {1}


def test_facts_are_found_by_the_characters_that_print_them_and_by_their_names() -> None:
    sales = StatedFact("Alder", "us-gaap:Sales", "2023", Decimal("-1.50E+3"), "USD")
    missing = StatedFact("Alder", "staff", "2023", None, "")
    nameless = StatedFact("Alder", "", "", Decimal(7), "")
    kept = _kept_facts("corpus", ())
    facts = StatedFacts(2023, [(Span(9, 12), sales), (Span(2, 5), missing), (Span(9, 12), nameless)], kept, ["Elm"])
    assert facts.at_span(Span(9, 12)) == [sales, nameless] and facts.at_span(Span(2, 5)) == [missing]
    assert facts.at_span(Span(9, 11)) == facts.at_span(Span(3, 5)) == []
    assert (
        facts.facts_named(sales.name) == [sales]
        and facts.facts_named(("staff", "2022")) == facts.facts_named(("", "")) == []
    )
    assert facts.names() == {sales.name, missing.name}
    assert facts.entities == {"Alder", "Elm"} and facts.filers == {"Alder"} and facts.currencies == {"USD"}


@pytest.mark.parametrize(("share", "most"), [(0.0, 0), (0.1, 2)])
def test_answers_that_name_one_entity_have_at_most_their_share(reports: Path, share: float, most: int) -> None:
    with SplitCorpus(reports / "corpus", reports / "corpus" / FILE_NAME, "test") as corpus:
        [(context, _)] = Bench(reports / "bench").by_context()
        items = list(TablesBuilder(corpus, TablesSettings(questions=20, single=share), 0).build(context, Random(5)))
    assert len(items) == 20
    assert sum(names_one(item.key.answer) for item in items) <= most


@pytest.mark.parametrize("seed", range(4))
def test_even_a_small_bench_has_its_share_of_levels_and_of_questions_without_an_answer(
    reports: Path, seed: int
) -> None:
    with SplitCorpus(reports / "corpus", reports / "corpus" / FILE_NAME, "test") as corpus:
        [(context, _)] = Bench(reports / "bench").by_context()
        builder = TablesBuilder(corpus, TablesSettings(questions=20, unanswerable=0.05), seed)
        items = list(builder.build(context, Random(seed)))
    assert sum(isinstance(item.key.answer, Unanswerable) for item in items) == 1
    assert Counter(map(level_of, items)) == Counter(level_sequence(20, LEVELS))


@pytest.mark.parametrize("change", [changed_value, moved_passage, dropped_entity, other_answer])
def test_the_audit_notices_changes(reports: Path, change: Callable[[Item], Item]) -> None:
    with Corpus(reports / "corpus") as corpus:
        auditor = TablesAuditor(corpus, 0)
        for context, items in Bench(reports / "bench").by_context():
            changed = [change(item) for item in items]
            assert len(auditor.check(context, changed)) == len(items)


def test_the_audit_notices_a_later_report_that_restates_a_figure(reports: Path, stated: Stated) -> None:
    """The original value of a restated figure is rejected as long as the later report is shown."""
    with Corpus(reports / "corpus") as corpus:
        auditor = TablesAuditor(corpus, 0)
        changed = noticed = 0
        for context, items in Bench(reports / "bench").by_context():
            for outdated in (made for item in items if (made := _outdated(item, context, stated))):
                changed += 1
                noticed += outdated.question.id in auditor.check(context, [outdated])
        assert changed == noticed > 0


def _outdated(item: Item, context: Context, stated: Stated) -> Item | None:
    """The item with one figure from an earlier report, where that gave another value."""
    proof = item.key.proof
    for index, (row, passage) in enumerate(zip(proof.rows, proof.passages, strict=True)):
        for id, fact in figures_of(stated, row, context):
            if (
                id != passage.document
                and fact.value is not None
                and row[2].isdecimal()
                and fact.value != Decimal(row[2])
            ):
                rows, passages = list(proof.rows), list(proof.passages)
                rows[index] = (row[0], row[1], f"{fact.value:f}", "1")
                passages[index] = Passage(document=id, span=fact.span)
                return _with_proof(item, rows=tuple(rows), passages=tuple(passages))
    return None


def test_a_reader_without_faults_is_always_right_and_one_with_faults_is_not(reports: Path, tmp_path: Path) -> None:
    careful = fathom.run(reports / "bench", model="sim/reader", out=tmp_path / "careful").score()
    careless = fathom.run(reports / "bench", model="sim/reader?miss=0.5", out=tmp_path / "careless").score()
    assert careful.accuracy == 1.0
    assert careless.accuracy < 0.7


def test_drafted_packs_can_be_built(reports: Path, tmp_path: Path) -> None:
    own = packs.write_draft(reports / "corpus", tmp_path / "own.toml")
    coverage = packs.check_pack(str(own), reports / "corpus")
    assert coverage.found == 30 and coverage.entities == 6
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


@pytest.mark.parametrize("folder", ["reports", "chinese_reports"])
def test_answers_that_are_months_have_their_own_forms(folder: str, request: pytest.FixtureRequest) -> None:
    place: Path = request.getfixturevalue(folder)
    pack = read_pack("housing" if folder == "reports" else "companies")
    with Corpus(place / "corpus") as corpus:
        (context,) = read_contexts(place / "corpus" / FILE_NAME)
        figures = [found for id in context.documents if (found := document_figures(corpus.document(id), pack))]
        (table, *_) = entity_tables(pack, figures)
        maker = QueryMaker(table, Random(4))
        drawn = [
            draw() for draw in (maker._month_of_field, maker._month_of_group, maker._month_of_metric) for _ in "ab"
        ]
        items = [make_item(context, table, query) for query in drawn if query is not None]
        assert len(items) > 3 and all("YYYY-MM" in item.question.text for item in items)
        # The audit tries notations of months, near misses and faulty readers on every key.
        assert not TablesAuditor(corpus, 0).check(context, items)
    for item in items:
        assert isinstance(item.key.answer, Text) and month_value(item.key.answer.value)
        days = [Decimal(row[2].replace("-", "")) for row in item.key.proof.rows if month_value(row[2])]
        assert Decimal(item.key.answer.value.replace("-", "")) in days and not names_one(item.key.answer)


def test_drafts_for_chinese_documents_have_chinese_nouns_and_readable_names(
    chinese_reports: Path, tmp_path: Path
) -> None:
    drafted = packs.read_pack(str(packs.write_draft(chinese_reports / "corpus", tmp_path / "own.toml")))
    assert drafted.languages == ("zh",) and drafted.fields["net_profit"].zh == ("净利润",)
    assert chinese_name("研发费用") == "rnd_expenses" and chinese_name("人均培训时长") == "per_head_training_hours"
    assert chinese_name("财政收入") == "财政收入"  # half of it is not known
    bench = fathom.build(
        "tables", chinese_reports / "corpus", out=tmp_path / "bench", questions=4, packs=(str(tmp_path / "own.toml"),)
    )
    assert bench.audit().passed


def test_results_that_several_articles_report_become_fields(tmp_path: Path) -> None:
    generate(tmp_path / "corpus", Recipe(domains=parse_domains("finance"), seed=4, documents=14))
    pack = packs.read_pack(str(packs.write_draft(tmp_path / "corpus", tmp_path / "own.toml")))
    assert pack.about == "document" and all(field.part for field in pack.fields.values())
    with fathom.open_corpus(tmp_path / "corpus") as corpus:
        corpus.contexts(["160K"], 1, sampling="random")
        bench = fathom.build(
            "tables", corpus, out=tmp_path / "bench", questions=6, packs=(str(tmp_path / "own.toml"),), levels=("easy",)
        )
        assert bench.audit().passed
        by_title = {document.title_text: document for document in corpus.documents()}
        for item in bench.items():
            for (title, column, value, _), passage in zip(item.key.proof.rows, item.key.proof.passages, strict=True):
                field, document = pack.fields[column], by_title[title]
                fact = next(fact for fact in document.facts if fact.span == passage.span)
                # The method that is measured by every quantity of the article, and not one that it is compared with.
                others = {one.attribute for one in document.facts if one.entity == fact.entity}
                assert others == {fact.attribute for fact in document.facts} and fact.value == Decimal(value)
                assert (fact.attribute, fact.part) == (field.attributes[0], field.part)

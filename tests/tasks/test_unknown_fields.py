"""Builds over corpora with missing fields: no key is wrong, and no question depends on something unknown."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from fathom.api.benches import audit, build
from fathom.api.corpora import ingest, open_corpus
from fathom.corpus.store import Corpus
from fathom.records.documents import Reference
from fathom.records.errors import FathomError
from fathom.records.spans import Span
from fathom.tasks.numeric.schema import needs
from fathom.tasks.numeric.sources import ArticleSource, BylineName
from fathom.tasks.numeric.tables import build_tables
from fathom.tasks.numeric.unknown_parts import UnknownParts
from fathom.tasks.numeric.unlinked_references import articles_in_doubt, unlinked_references
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.numeric.views import views
from fathom.tasks.swapping import swap
from tests.sharing import SharedFolders
from tests.tasks.damaged_corpora import Damage, Field, recompute, write_articles

LARGEST = "SELECT MAX(author_count) FROM articles"
CASES: dict[str, dict[Field, float]] = {
    "some": {"authors": 0.3, "references": 0.2, "abstract": 0.3},
    "bylines": {"authors": 1.0},
    "lists": {"references": 1.0},
}


def damaged(case: str, small_folder: Path, build_once: SharedFolders) -> tuple[Path, Damage]:
    """A corpus of articles with missing fields, with contexts; and what is missing."""

    def make(folder: Path) -> None:
        with Corpus(small_folder) as corpus:
            articles = islice(corpus.documents(), 20)
            damage = write_articles(articles, folder / "articles", CASES[case], seed=1)
        (folder / "damage").write_bytes(pickle.dumps(damage))
        with ingest(folder / "articles", folder / "corpus", processes=1) as ingested:
            ingested.contexts("64K", 2, seed=1)

    folder = build_once(f"damaged-{case}", make)
    return folder / "corpus", pickle.loads((folder / "damage").read_bytes())


@pytest.mark.parametrize("case", CASES)
def test_keys_are_those_of_the_shown_text(
    case: str, small_folder: Path, build_once: SharedFolders, tmp_path: Path
) -> None:
    corpus, damage = damaged(case, small_folder, build_once)
    bench = build("numeric", corpus, tmp_path / "bench")
    result = recompute(tmp_path / "bench", damage)
    assert (result.wrong, result.touching) == ([], [])
    assert result.questions == len(bench) >= 10
    report = audit(tmp_path / "bench")
    assert report.passed, [check for check in report.checks if check.failed]
    assert any(check.name == "no question depends on an unknown value" and check.checked for check in report.checks)
    assert case != "bylines" or not result.about["authors"]
    assert case != "lists" or not result.about["references"]
    fields = {one.field for one in bench.manifest.unasked if one.reason.endswith("are unknown")}
    assert fields >= {name for name in CASES[case] if name != "abstract"}


def test_a_build_without_any_known_value_says_what_to_do(
    small_folder: Path, build_once: SharedFolders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, _ = damaged("bylines", small_folder, build_once)
    (tmp_path / "mine.json").write_text(json.dumps([{"type": "mine", "focus": "authors", "sql": LARGEST}]))
    with pytest.raises(FathomError, match=r"authors are unknown in \d+ documents.*--known authors"):
        build("numeric", corpus, tmp_path / "bench", templates=tmp_path / "mine.json")
    # A builder that does not look at the states of fields is found out by the audit.
    monkeypatch.setattr(UnknownParts, "exclude", lambda self, wanted: False)
    monkeypatch.setattr(UnknownParts, "concern", lambda self, program: False)
    corpus, _ = damaged("some", small_folder, build_once)
    with pytest.raises(FathomError, match="fails the audit: .* 'no question depends on an unknown value'"):
        build("numeric", corpus, tmp_path / "careless", templates=tmp_path / "mine.json")


def test_documents_with_unknown_fields_can_be_left_out(
    small_folder: Path, build_once: SharedFolders, tmp_path: Path
) -> None:
    folder, damage = damaged("some", small_folder, build_once)
    with open_corpus(folder) as corpus:
        contexts = corpus.contexts("32K", 3, known=["authors", "references"], out=tmp_path / "contexts.jsonl")
        titles = {entry.id: entry.title for entry in corpus.entries()}
    used = {titles[id] for context in contexts for id in context.documents}
    assert used and not used & (damage.removed["authors"] | damage.removed["references"])
    assert sum(count for reason, count in contexts.report.left_out.items() if reason.endswith("not known")) >= 6
    bench = build("numeric", folder, tmp_path / "bench", contexts=tmp_path / "contexts.jsonl")
    assert not any(one.reason.endswith("are unknown") for one in bench.manifest.unasked)


def test_documents_with_an_unknown_byline_are_swapped_and_counted(
    small_folder: Path, build_once: SharedFolders, tmp_path: Path
) -> None:
    folder, damage = damaged("some", small_folder, build_once)
    bench = build("numeric", folder, tmp_path / "bench", questions=2)
    swapped = swap(bench.folder, tmp_path / "swapped")
    report = swapped.reports["swap"]
    assert report["documents whose authors are unknown"] == len(damage.removed["authors"]) > 0
    assert swapped.questions > 0.5 * len(bench)
    assert audit(tmp_path / "swapped").passed


# Tables.


def source(number: int, title: str, *names: str, **parts: object) -> ArticleSource:
    byline = tuple(BylineName(name, "", name, name, Span(0, 1)) for name in names)
    return replace(ArticleSource(f"a-{number}", title, Span(0, 1), byline, (Span(0, 1),), {}), **parts)  # type: ignore[arg-type]


def test_what_is_not_known_is_null_in_the_tables() -> None:
    sources = [source(1, "One", "Lind"), source(2, "Two words", unknown=frozenset({"byline", "references"}))]
    tables = build_tables(sources)
    assert [row[2:] for row in tables.articles] == [(1, 1, 1), (2, None, None)]
    assert [row.article for row in tables.authors] == [1]
    stated = tables.unknown
    for statement, known in (
        ("SELECT MAX(author_count) FROM articles", False),
        ("SELECT MAX(author_count) FROM articles WHERE title_word_count = 1", True),
        ("SELECT MAX(author_count) FROM articles WHERE title_word_count = 2", False),
        ("SELECT MAX(title_word_count) FROM articles WHERE author_count > 0", False),
        ("SELECT MAX(title_word_count) FROM articles", True),
        ("SELECT COUNT(DISTINCT author_name) FROM article_author", False),
    ):
        program = parse(statement)
        assert (not stated.exclude(needs(program)) and not stated.concern(program)) == known, statement


def test_a_group_among_the_authors_is_counted_but_is_no_person() -> None:
    stated = build_tables(
        [source(1, "One", "Lind"), source(2, "Two words", "Tide Consortium", collective=True)]
    ).unknown
    for statement, asked in (
        ("SELECT MAX(author_count) FROM articles", True),
        ("SELECT COUNT(DISTINCT author_name) FROM article_author", False),
    ):
        assert stated.exclude(needs(parse(statement))) != asked
    assert [kind.questions for kind in stated.unasked()] == ["no questions on people"]


def test_tables_show_unknown_counts_as_null(small_folder: Path, build_once: SharedFolders) -> None:
    folder, _ = damaged("bylines", small_folder, build_once)
    with open_corpus(folder) as corpus:
        context = next(iter(corpus.contexts("64K", 2, seed=1)))
        text = views(corpus).forms["tables"](context).decode()
    assert ",NULL," in text


def listed(entry: str, title: str = "") -> Reference:
    start = entry.find(title)
    return Reference(
        number=1, span=Span(0, len(entry)), title=Span(start, start + len(title)) if title else None, document=None
    )


@pytest.mark.parametrize(
    ("entry", "title", "doubtful"),
    [
        ("Wu, X. (2019). Tides of the northern harbors. J. Sea.", "Tides of the northern harbors", False),
        ("Lind, M. (2001). Slow rivers and their sand banks. J. Sea.", "Slow rivers and their sand banks", True),
        ("Wu, X. (2001). Slow rivers and their sand banks. J. Sea.", "Slow rivers and their sand banks", True),
        ("Wu, X. (2001). Slow rivers and boats in winter. J. Sea.", "Slow rivers and boats in winter", False),
        ("M. Lind, J. Sea 12, 345 (2001)", "", True),
        ("X. Wu, J. Sea 12, 345 (2001)", "", False),
    ],
)
def test_an_unlinked_reference_may_cite_an_article(entry: str, title: str, doubtful: bool) -> None:
    cited = source(1, "Slow rivers and their sand banks", "Lind")
    citing = source(2, "Another thing entirely", "Roe", unlinked=unlinked_references([listed(entry, title)], entry))
    assert list(articles_in_doubt([cited, citing])) == (["a-2"] if doubtful else [])

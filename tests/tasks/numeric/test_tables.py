"""The tables against the text they were read from, and which names in them belong to one person."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from fathom.corpus.store import Corpus
from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.tasks.numeric.fill import TemplateFiller
from fathom.tasks.numeric.sources import ArticleSource, BylineName, read_source
from fathom.tasks.numeric.tables import build_tables, open_database
from fathom.tasks.numeric.templates import templates


def test_cells_match_the_text(small: Corpus) -> None:
    """Titles, authors and references counted again from the printed text, without spans."""
    articles = list(small.documents())
    tables = build_tables([read_source(article) for article in articles])
    for article, row in zip(articles, tables.articles, strict=True):
        lines = article.text.split("\n")
        assert row.title == lines[0].removeprefix("# ")
        assert row.title_word_count == len(row.title.split(" "))
        assert row.author_count == len(re.split(r", | and ", lines[2]))
        listed = re.split(r"^## (?:References|Bibliography)\n\n", article.text, flags=re.MULTILINE)[1]
        assert row.reference_count == len(listed.split("\n\n")[0].strip().split("\n"))


def test_citations_are_titles_in_reference_lists(small: Corpus) -> None:
    articles = list(small.documents())
    tables = build_tables([read_source(article) for article in articles])
    found = {(row.citing, row.cited) for row in tables.citations}
    wanted = {
        (index, two)
        for index, citing in enumerate(articles, start=1)
        for two, cited in enumerate(articles, start=1)
        if index != two and _lists(citing, cited.title_text)
    }
    assert found == wanted
    assert wanted


def _lists(citing: Document, title: str) -> bool:
    references = citing.text[citing.references[0].span.start : citing.references[-1].span.end]
    return any(re.search(rf"(?:[.“] ?|\) ?\. ){re.escape(title)}[.,?”]?", line) for line in references.split("\n"))


def source(number: int, *names: tuple[str | None, str, str]) -> ArticleSource:
    byline = tuple(
        BylineName(person, given, family, f"{given} {family}", Span(0, 1)) for person, given, family in names
    )
    return ArticleSource(f"a-{number}", f"Title {number}", Span(0, 1), byline, (), {})


def names_of(naming: str, *sources: ArticleSource) -> list[str]:
    return [row.name for row in build_tables(sources, naming).authors]


def test_one_person_has_one_name_however_spelled() -> None:
    marta = [
        source(1, ("p1", "Marta K.", "Kovács")),
        source(2, ("p1", "M.", "Kovacs")),
        source(3, ("p1", "Marta", "Kovács")),
    ]
    assert names_of("people", *marta) == ["Marta K. Kovács"] * 3
    assert names_of("spellings", *marta) == ["Marta K. Kovács"] * 3
    assert build_tables(marta).spellings["Marta K. Kovács"] == ("Marta K. Kovács", "M. Kovacs", "Marta Kovács")


def test_namesakes_are_two_people_with_one_name() -> None:
    wei = [source(1, ("p1", "Wei", "Zhang")), source(2, ("p2", "Wei", "Zhang")), source(3, ("p3", "W.", "Zhang"))]
    assert names_of("people", *wei) == ["Wei Zhang", "Wei Zhang (2)", "W. Zhang"]
    assert len(set(names_of("spellings", *wei))) == 1


def test_different_given_names_are_different_people() -> None:
    others = [source(1, ("p1", "Jean-Luc", "Dubois")), source(2, ("p2", "Jeanne", "Dubois"))]
    assert len(set(names_of("spellings", *others))) == 2


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        (("", "Kovács"), ("Marta", "Kovacs"), True),
        (("", "Kovács"), ("", "Kovács"), True),
        (("", "Kovács"), ("Marta", "Kovač"), False),
        (("M.", "Kovács"), ("Jan", "Kovács"), False),
        (("Xiao-Ming", "Li"), ("Xiaoming", "Li"), True),
        (("DJ", "Lind"), ("David J.", "Lind"), True),
        (("DJ", "Lind"), ("David K.", "Lind"), False),
        (("Ann", "van der Walt"), ("A.", "Vanderwalt"), True),
    ],
)
def test_names_that_may_belong_to_one_person(one: tuple[str, str], two: tuple[str, str], alike: bool) -> None:
    for first, second in ((one, two), (two, one)):
        pair = [source(1, ("p1", *first)), source(2, ("p2", *second))]
        assert (len(set(names_of("spellings", *pair))) == 1) == alike
        assert len(set(names_of("people", *pair))) == 2


def test_a_bare_family_name_matches_every_person_of_that_name() -> None:
    """So no question is asked whose answer depends on it."""
    sources = [source(1, ("p1", "Marta", "Kovács")), source(2, ("p2", "Jan", "Kovács"))]
    assert len(set(names_of("spellings", *sources))) == 2
    assert len(set(names_of("spellings", *sources, source(3, ("p3", "", "Kovács"))))) == 1


def test_a_database_serves_one_context_after_another(small: Corpus) -> None:
    sources = [read_source(article) for article in small.documents()]
    database = open_database()
    for part in (sources[:5], sources[5:30], sources[:2]):
        build_tables(part).load(database)
        assert database.execute("SELECT COUNT(*) FROM articles").fetchone() == (len(part),)
        assert database.execute("SELECT COUNT(*) FROM article_author").fetchone() == (sum(len(s.byline) for s in part),)


def test_no_question_divides_by_zero_authors() -> None:
    listed = [source(number, (f"p{number}", "Ada", "Lind")) for number in range(1, 7)]
    sources = [replace(one, references=(Span(0, 1),) * number) for number, one in enumerate(listed)]
    for others, possible in (([], True), ([source(7)], False)):
        tables = build_tables([*sources, *others])
        database = open_database()
        tables.load(database)
        filler = TemplateFiller(tables, database)
        divided = [template for template in templates() if template.divisors and not template.slots]
        assert divided
        assert any(filler.fill(template, Random(1)) for template in divided) == possible


def test_no_question_names_a_title_that_two_articles_share() -> None:
    sources = [source(number, (f"p{number}", "Ada", "Lind")) for number in range(1, 7)]
    duplicate = replace(sources[0], id="a-9", title=sources[0].title.upper() + "!")
    for others, possible in (([], True), ([duplicate], False)):
        tables = build_tables([*sources, *others])
        assert tables.has_duplicate_titles != possible
        database = open_database()
        tables.load(database)
        filler = TemplateFiller(tables, database)
        named = [template for template in templates() if template.names_titles]
        assert not any(filler.fill(template, Random(1)) for template in named) or possible

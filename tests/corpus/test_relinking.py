"""Links, people and works written into an article's parts: the same bytes as if the record had been written so."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.relinking import Linked, relinked
from fathom.corpus.store import Corpus, pack
from fathom.records.articles import Article
from fathom.records.errors import FathomError


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> list[Article]:
    folder: Path = tmp_path_factory.mktemp("relinking") / "corpus"
    generate(folder, Recipe(domains=parse_domains("articles"), length="short", seed=5, articles=90))
    with Corpus(folder) as corpus:
        return list(corpus.articles())


def bare(article: Article) -> Article:
    """As a reader gives it: nobody is known, nothing is linked."""
    references = tuple(one.model_copy(update={"article": None}) for one in article.references)
    authors = tuple(one.model_copy(update={"person": None}) for one in article.authors)
    return article.model_copy(update={"references": references, "authors": authors, "work": None})


def test_the_parts_are_those_of_the_linked_record(generated: list[Article]) -> None:
    assert any(article.cited for article in generated)
    for gold in generated:
        cited = tuple(reference.article for reference in gold.references)
        people = tuple(author.person for author in gold.authors)
        linked = Linked(gold.id, pack(bare(gold)).parts, cited, gold.work, people)
        assert relinked(linked) == (pack(gold).parts, pack(gold).outline)


def test_signs_that_json_escapes_stay_what_they_are(generated: list[Article]) -> None:
    venue = 'Journal of "Quotes" \\ and \t tabs, \x7f, é, 中, \u2028'
    article = generated[0].model_copy(update={"venue": venue})
    cited = tuple(reference.article for reference in article.references)
    people = tuple(author.person for author in article.authors)
    found = relinked(Linked(article.id, pack(article).parts, cited, None, people))
    assert zstandard.decompress(found.parts) == zstandard.decompress(pack(article).parts)


def test_what_does_not_belong_to_the_article_is_refused(generated: list[Article]) -> None:
    article = next(one for one in generated if one.references)
    parts, people = pack(article).parts, (None,) * len(article.authors)
    with pytest.raises(FathomError, match="would cite itself"):
        relinked(Linked(article.id, parts, (article.id,) * len(article.references), None, people))
    with pytest.raises(FathomError, match="references and"):
        relinked(Linked(article.id, parts, (), None, people))

"""Links, persons and works in the parts of a document: the same bytes as from the record."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from fathom.corpus.link_writing import Links, apply_links
from fathom.corpus.store import Corpus, pack
from fathom.records.documents import Document
from fathom.records.errors import FathomError


@pytest.fixture(scope="module")
def generated(linked_corpus: Path) -> list[Document]:
    with Corpus(linked_corpus) as corpus:
        return list(corpus.documents())[:90]


def bare(document: Document) -> Document:
    """A document as a reader returns it: no persons, no links."""
    references = tuple(reference.model_copy(update={"article": None}) for reference in document.references)
    authors = tuple(author.model_copy(update={"person": None}) for author in document.authors)
    return document.model_copy(update={"references": references, "authors": authors, "work": None})


def test_writes_the_bytes_of_the_linked_record(generated: list[Document]) -> None:
    assert any(document.cited for document in generated)
    for gold in generated:
        cited = tuple(reference.document for reference in gold.references)
        people = tuple(author.person for author in gold.authors)
        linked = Links(gold.id, pack(bare(gold)).parts, cited, gold.work, people)
        assert apply_links(linked) == (pack(gold).parts, pack(gold).outline)


def test_keeps_characters_that_json_escapes(generated: list[Document]) -> None:
    venue = 'Journal of "Quotes" \\ and \t tabs, \x7f, é, 中, \u2028'
    document = generated[0].model_copy(update={"venue": venue})
    cited = tuple(reference.document for reference in document.references)
    people = tuple(author.person for author in document.authors)
    linked = apply_links(Links(document.id, pack(document).parts, cited, None, people))
    assert zstandard.decompress(linked.parts) == zstandard.decompress(pack(document).parts)


def test_refuses_links_of_another_document(generated: list[Document]) -> None:
    document = next(one for one in generated if one.references)
    parts, people = pack(document).parts, (None,) * len(document.authors)
    with pytest.raises(FathomError, match="would cite itself"):
        apply_links(Links(document.id, parts, (document.id,) * len(document.references), None, people))
    with pytest.raises(FathomError, match="references and"):
        apply_links(Links(document.id, parts, (), None, people))

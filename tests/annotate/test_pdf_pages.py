"""Marks that are made on the pages of a PDF are marks in the document's text."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fathom.annotate.pdf_pages import PdfPage, pdf_file, pdf_pages
from fathom.annotate.project import Project
from fathom.api.annotating import create_project
from fathom.api.corpora import ingest
from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.pdf.page_image import page_image
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.pdf import pdf
from fathom.corpus.store import Corpus
from tests.annotate.conftest import Opening, problems, serving_project, wait_saved
from tests.sharing import SharedFolders


@pytest.fixture(scope="session")
def pdf_corpus(small_folder: Path, build_once: SharedFolders) -> Path:
    """Two articles as PDF files in the folder `papers`, and the corpus read from them; never write to it."""

    def make(folder: Path) -> None:
        papers = folder / "papers"
        papers.mkdir()
        with Corpus(small_folder) as corpus:
            for number, document in zip(range(2), corpus.documents(), strict=False):
                for content in pdf(decompose(document)).values():
                    (papers / f"{number}.pdf").write_bytes(content)
        ingest(papers, folder / "corpus")

    return build_once("pdf corpus", make) / "corpus"


@pytest.fixture(scope="session")
def short_corpus(corpus: Path, build_once: SharedFolders) -> Path:
    """A corpus of one PDF with a few sentences, which a browser opens at once; never write to it."""

    def make(folder: Path) -> None:
        (folder / "papers").mkdir()
        with Corpus(corpus) as opened:
            document = next(one for one in opened.documents() if one.title_text == "A faster index")
        for content in pdf(decompose(document)).values():
            (folder / "papers" / "short.pdf").write_bytes(content)
        ingest(folder / "papers", folder / "corpus")

    return build_once("short pdf", make) / "corpus"


def read(corpus: Corpus, id: str) -> tuple[bytes, tuple[PdfPage, ...]]:
    path = pdf_file(corpus, id)
    assert path is not None
    content = path.read_bytes()
    return content, pdf_pages(content, corpus.text(id))


def test_words_of_the_pages_are_placed_in_the_text(pdf_corpus: Path) -> None:
    with Corpus(pdf_corpus) as corpus:
        for entry in corpus.entries():
            text = corpus.text(entry.id)
            content, pages = read(corpus, entry.id)
            words = [word for page in pages for word in page.words]
            placed = [word for word in words if word.span is not None]
            assert len(placed) > 0.85 * len(words)
            same = 0
            for word in placed:
                assert word.span is not None
                printed, meant = (re.sub(r"\W", "", one).casefold() for one in (word.text, word.span.of(text)))
                # A part of a hyphenated word stands for its share of the whole word.
                same += printed == meant or printed in meant or meant in printed
            assert same == len(placed)
            spans = sorted(word.span for word in placed if word.span is not None)
            assert all(one.end <= two.start for one, two in pairwise(spans))
            # Most of the text is on the pages: nothing that can be marked in the text is out of reach.
            assert sum(span.end - span.start for span in spans) > 0.75 * len(re.sub(r"\s", "", text))
            assert page_image(content, 0).startswith(b"\x89PNG")


def test_another_file_and_a_broken_page_are_not_shown(pdf_corpus: Path) -> None:
    with Corpus(pdf_corpus) as corpus:
        first, second = [entry.id for entry in corpus.entries()]
        content, _ = read(corpus, first)
        assert pdf_pages(content, corpus.text(second)) == ()
        assert pdf_pages(b"%PDF-1.4 broken", corpus.text(first)) == ()
        with pytest.raises(ReadError):
            page_image(content, 10_000)
        with pytest.raises(ReadError):
            page_image(b"no PDF", 0)


class _Record:
    """A corpus whose record of one document was changed."""

    def __init__(self, corpus: Corpus, folder: Path, source: str) -> None:
        self.folder, self.manifest, self._corpus, self._source = folder, corpus.manifest, corpus, source

    def document(self, id: str) -> Any:
        return self._corpus.document(id).model_copy(update={"source": self._source})


@pytest.mark.parametrize(
    "source", ["papers/../secret.pdf", "../secret.pdf", "{outside}", "papers/link.pdf", "papers/0.txt"]
)
def test_only_files_of_the_sources_are_opened(pdf_corpus: Path, tmp_path: Path, source: str) -> None:
    papers, outside = tmp_path / "papers", tmp_path / "secret.pdf"
    papers.mkdir()
    outside.write_bytes(b"%PDF-1.4")
    (papers / "link.pdf").symlink_to(outside)
    (papers / "inside.pdf").write_bytes(b"%PDF-1.4")
    with Corpus(pdf_corpus) as corpus:
        id = next(corpus.entries()).id
        recipe = {**corpus.manifest.recipe, "sources": [str(papers)]}

        def found(of: str) -> Path | None:
            changed: Any = _Record(corpus, tmp_path / "corpus", of)
            changed.manifest = corpus.manifest.model_copy(update={"recipe": recipe})
            return pdf_file(changed, id)

        assert found("papers/inside.pdf") == papers / "inside.pdf"
        assert found(source.format(outside=outside)) is None


def test_a_passage_is_marked_on_the_page(short_corpus: Path, tmp_path: Path, opening: Opening) -> None:
    folder = tmp_path / "project"
    create_project(short_corpus, folder, ["ada"])
    with Project(folder) as opened:
        opened.attest("ada")
        token = opened.token("ada")
    with serving_project(folder, short_corpus) as served, Corpus(short_corpus) as corpus:
        page: Any = opening(served.link("ada"), "/documents/1")
        page.keyboard.press("t")
        page.wait_for_selector("#pages .w")
        page.wait_for_function("() => document.querySelector('.page img').naturalWidth > 300")
        id = next(entry.id for entry in corpus.entries() if entry.number == 1)
        _, pages = read(corpus, id)
        words = pages[0].words
        # Four words of one line, dragged with the mouse from the first to the last.
        first = next(
            number
            for number in range(len(words) - 3)
            if len({word.top for word in words[number : number + 4]}) == 1
            and all(word.span is not None for word in words[number : number + 4])
            and len(words[number + 3].text) > 4
        )
        page.locator(".page .w").nth(first).scroll_into_view_if_needed()
        boxes = [page.locator(".page .w").nth(number).bounding_box() for number in (first, first + 3)]
        page.mouse.move(boxes[0]["x"] + 1, boxes[0]["y"] + boxes[0]["height"] / 2)
        page.mouse.down()
        page.mouse.move(boxes[1]["x"] + boxes[1]["width"] * 0.6, boxes[1]["y"] + boxes[1]["height"] / 2, steps=4)
        page.mouse.up()
        page.click("#pop button")
        wait_saved(page)
        assert page.locator(".w.claim").count() == 4
        assert problems(page) == []
        with Project(folder) as opened:
            ((_, mark),) = opened.layer(id, "ada").elements.items()
        start, end = words[first].span, words[first + 3].span
        assert start is not None
        assert end is not None
        assert tuple(mark.span) == (start.start, end.end)  # type: ignore[union-attr]
        # The same mark in the text, and back with the keyboard.
        page.keyboard.press("t")
        assert page.is_hidden("#pages")
        shown = page.evaluate("[...CSS.highlights.get('mark-claim')].map((one) => one.toString()).join(' ')")
        assert shown.split() == corpus.text(id)[start.start : end.end].split()
        for path in ("/documents/1/pages/99.png", "/documents/1/pages/-1.png", "/documents/9/pages/0.png"):
            assert served.request("GET", path, token=token)[0] == 404
        assert served.request("GET", "/documents/1/pages/..%2f..%2fproject.sqlite", token=token)[0] == 404
        assert served.request("GET", "/documents/1/pages/0.png")[0] == 401
        assert json.loads(served.request("GET", "/api/documents/1/pages", token=token)[2])["pages"]


def test_a_corpus_without_pdfs_has_no_pages(corpus: Path, project: Path, opening: Opening) -> None:
    with serving_project(project, corpus) as served:
        page: Any = opening(served.link("ada"), "/documents/1")
        assert page.locator("#show-pages").count() == 0
        page.keyboard.press("t")
        with Project(project) as opened:
            answer = served.request("GET", "/api/documents/1/pages", token=opened.token("ada"))
        assert json.loads(answer[2]) == {"pages": []}

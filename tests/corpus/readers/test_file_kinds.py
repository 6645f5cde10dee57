"""Files that are not documents, and kinds that no reader reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.corpus.document_reading import Filters
from fathom.corpus.ingest import ingest
from fathom.corpus.readers.file_kinds import advice, reason_left_out, unread_kind
from fathom.corpus.readers.tabular.known_json import refusal
from fathom.records.errors import FathomError

PAPERS = ["creek.pdf", "harbor.pdf", "README.md"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, "a README") for name in ("README.md", "readme", "Readme.txt", "README_zh.md", "read-me.rst")),
        *((name, "a changelog") for name in ("CHANGELOG.md", "changelog.rst", "Change_Log.txt")),
        *((name, "a license") for name in ("LICENSE", "license.txt", "LICENCE-MIT", "COPYING", "LICENSES.md")),
        *((name, "a file of a repository") for name in ("CONTRIBUTING.md", "AUTHORS", "NEWS.md", "CITATION.cff")),
        *((name, "a package file") for name in ("package.json", "requirements-dev.txt", "manifest.json", "SHA256SUMS")),
        *((name, "") for name in ("news.md", "history.txt", "reading.md", "licensing_of_boats.md", "authors_guide.md")),
    ],
)
def test_files_of_repositories_are_known_by_name(name: str, reason: str) -> None:
    assert reason_left_out(name, b"Some words.", []) == reason


@pytest.mark.parametrize(
    ("name", "content", "siblings", "left_out"),
    [
        ("metadata.csv", "title,doi\nSalt,10.5/x\n", PAPERS, True),
        ("anything.csv", "name,salt\ncreek.pdf,3\nharbor.pdf,4\n", PAPERS, True),
        ("edges.csv", "citing_doi,cited_doi\n10.5/x,10.5/y\n", ["papers.tar.xz"], True),
        ("metadata.json", '{"title": "Salt", "authors": []}', PAPERS, True),
        ("metadata.csv", "title,doi\nSalt,10.5/x\n", ["README.md", "other.csv"], False),
        ("towns.csv", "town,people\nUlm,3\n", PAPERS, False),
        ("towns.csv", "town,people\nUlm,3\n", [], False),
        ("creek.xml", "<a/>", PAPERS, False),
        ("metadata.csv", "title,doi\nSalt,10.5/x\n", ["papers/"], True),
        ("people.csv", "person_id,age\n4,31\n", ["papers/"], False),
        ("facts.csv", "company_number,concept,value,unit\n7,Assets,3,GBP\n", ["html.tar.xz"], True),
        ("quotes.csv", "ticker,close\nSALT,3\n", ["html.tar.xz"], True),
        ("edges.csv", "citing,cited\n2016/lind,2010/wu\n", ["rst.tar.xz"], True),
        ("CORPORA.md", "`papers.jsonl.gz` has the papers.", ["papers.jsonl.gz"], True),
        ("OVERVIEW.txt", "One folder for each set: salt-marsh, harbors.", ["salt-marsh/", "harbors/"], True),
        ("about.md", "creek.pdf and harbor.pdf are scans.", PAPERS, True),
        ("about.md", "creek.pdf is a scan.", PAPERS, False),
        ("GDPR.md", "Article 1. This law protects people.", PAPERS, False),
        ("creek.md", "# Creeks\n\nSee the results and figures.", ["results/", "figures/", "creek.pdf"], False),
        (
            "link.rst",
            "Links\n\n.. include:: shell.txt\n\n.. include:: linker.txt\n",
            ["shell.txt", "linker.txt"],
            False,
        ),
        ("link.rst", "See shell.txt and linker.txt.\n", ["shell.txt", "linker.txt"], True),
        ("datasheet.md", "Collected in 2020.", [], True),
    ],
)
def test_tables_about_the_files_beside_them(name: str, content: str, siblings: list[str], left_out: bool) -> None:
    assert bool(reason_left_out(name, content.encode(), siblings)) == left_out


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.png", b"\x89PNG\r\n", "image"),
        ("photo", b"\xff\xd8\xff\xe0", "image"),
        ("a.svg", b"<svg/>", "image"),
        ("old.doc", b"\xd0\xcf\x11\xe0", "Word document before 2007"),
        ("old", b"\xd0\xcf\x11\xe0", "Office document before 2007"),
        ("report.docx", b"\xd0\xcf\x11\xe0", "password-protected Office document"),
        ("a.rtf", b"{\\rtf1", "RTF document"),
        ("a.odt", b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.text", "OpenDocument"),
        ("a.pptx", b"PK\x03\x04 ppt/slides", "PowerPoint slides"),
        ("t.parquet", b"PAR1", "Parquet table"),
        ("n.ipynb", b"{}", "notebook"),
        ("x.py", b"print(1)", "source code"),
        ("server.log", b"started", "log"),
        ("a.xml", b"<things/>", "XML of no known schema"),
        ("a.jsonl", b'{"paperId": "x", "title": "y"}\n', "metadata of papers without their text (Semantic Scholar)"),
        ("a.jsonl", b'{"q": "x"}\n', "JSON Lines of no known fields"),
        ("a.xyz", b"words and words", "text of no known format"),
        ("a.xyz", bytes(range(200)), "binary file"),
        ("a.xyz", b"", "empty file"),
    ],
)
def test_names_the_kind_of_an_unread_file(name: str, head: bytes, kind: str) -> None:
    assert unread_kind(name, head) == kind


def test_says_what_would_be_readable() -> None:
    assert "docx" in advice("RTF document")
    assert "CSV" in advice("Parquet table")
    assert advice("image") == ""


WORK = {"title": "Salt", "DOI": "10.5/x"}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({**WORK, "reference-count": 3}, "Crossref"),
        ({"message": {"items": [{**WORK, "container-title": ["M"], "publisher": "P"}]}}, "Crossref"),
        ({"results": [{"id": "https://openalex.org/W1", "title": "Salt"}]}, "OpenAlex"),
        ({"total": 1, "data": [{"paperId": "x", "title": "Salt"}]}, "Semantic Scholar"),
        ({"data": [{"type": "dois", "attributes": {"titles": [], "creators": []}}]}, "DataCite"),
        ([{"type": "book", "title": "Salt", "issued": {}}], "CSL-JSON"),
        ([{"itemType": "book", "creators": []}], "Zotero"),
        ({"resultList": {"result": [{"pmid": "1", "authorString": "C"}]}}, "PubMed"),
        ({"documents": [{"passages": [{"text": "x"}]}]}, "BioC"),
        ({"@context": "http://schema.org", "@type": "Article"}, "schema.org"),
        ({"schema_name": "DoclingDocument"}, "Docling"),
        ({"2001.1": {"full_text": [], "abstract": ""}}, "QASPER"),
        ([{"title": "x", "paragraphs": [{"context": "x", "qas": []}]}], "SQuAD"),
        ({"type": "Feature", "geometry": {}}, "GeoJSON"),
        ({"name": "x", "version": "1", "dependencies": {}}, "package file"),
    ],
)
def test_research_json_is_named(data: object, name: str) -> None:
    assert name in refusal(data)


@pytest.mark.parametrize(
    "data",
    [[{"town": "Ulm", "people": 3}], {"Area": {"text": "x"}}, {"title": "x", "type": "y"}, [], 7, None],
)
def test_other_json_is_not_named(data: object) -> None:
    assert refusal(data) == ""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "paper.md").write_text("# Salt in the marsh\n\nMarshes hold salt after a dry summer.\n")
    (folder / "README.md").write_text("# Papers\n\nThis folder has papers.\n")
    (folder / "metadata.csv").write_text("title,doi\nSalt in the marsh,10.5/x\n")
    (folder / "work.json").write_text(json.dumps({**WORK, "reference-count": 3}))
    for name in ("a.png", "b.png", "c.png", "d.png"):
        (folder / name).write_bytes(b"\x89PNG\r\n\x1a\n")
    return folder


def test_the_report_names_what_was_not_read(repository: Path, tmp_path: Path) -> None:
    _, report = ingest([repository], tmp_path / "corpus", Filters())
    assert (report.kept, report.skipped) == (1, 4)
    assert {reason: files.count for reason, files in report.not_documents.items()} == {
        "a README": 1,
        "metadata of the documents beside it": 1,
    }
    assert (report.unread["image"].count, len(report.unread["image"].names)) == (4, 3)
    assert "Crossref" in report.rejections[0][1]


def test_files_given_by_name_and_all_files_are_read(repository: Path, tmp_path: Path) -> None:
    _, named = ingest([repository / "README.md"], tmp_path / "named", Filters())
    assert named.kept == 1
    _, everything = ingest([repository], tmp_path / "all", Filters(include_all=True))
    assert (everything.kept, everything.not_documents) == (3, {})


def test_an_empty_ingest_names_the_files(tmp_path: Path) -> None:
    (tmp_path / "slides.pptx").write_bytes(b"PK\x03\x04 ppt/")
    with pytest.raises(FathomError, match=r"PowerPoint slides \(1; .*slides\.pptx\)"):
        ingest([tmp_path], tmp_path.parent / "none", Filters())


def test_a_compressed_file_is_not_a_document_beside_itself() -> None:
    assert reason_left_out("data_dev.json", b'[{"table": []}]', ["data_dev.json.xz", "README.md"]) == ""

"""Ingestion of documents that are written by these tests."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import tarfile
import time
from pathlib import Path

import pytest

from fathom.cli.main import main
from fathom.corpus.document_reading import Filters
from fathom.corpus.ingest import MAX_COPIED, ingest, read_report
from fathom.corpus.ingest_report import IngestReport
from fathom.corpus.staging import StagingFile
from fathom.corpus.store import STORE, Corpus, CorpusWriter
from fathom.records.errors import FathomError
from tests.signaling import run_until

PAPER = """<?xml version="1.0"?>
<article article-type="research-article"><front>
<journal-meta><journal-title-group><journal-title>Journal of Tests</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="doi">10.5555/{number}</article-id>
<title-group><article-title>{title}</article-title></title-group>
<contrib-group>
<contrib contrib-type="author"><name><surname>Lind</surname><given-names>Åsa</given-names></name></contrib>
<contrib contrib-type="author"><name><surname>Wu{number}</surname><given-names>Bo</given-names></name></contrib>
</contrib-group>
<pub-date><year>202{number}</year></pub-date>
<permissions xmlns:xlink="http://www.w3.org/1999/xlink">
<license xlink:href="http://creativecommons.org/licenses/by/4.0/"/></permissions>
<abstract><p>We look at things. Then we stop.</p></abstract></article-meta></front>
<body><sec><title>Introduction</title>
<p>Things were seen before (<xref ref-type="bibr" rid="b1">Lind, 2020</xref>). {more}</p></sec></body>
<back><ref-list><ref id="b1"><element-citation><person-group person-group-type="author"><name><surname>Lind</surname>
<given-names>Å</given-names></name></person-group><year>2020</year><article-title>{cited}</article-title>
<source>Journal of Tests</source>{doi}</element-citation></ref></ref-list></back></article>
"""

TITLES = [
    "On the movement of small stones in shallow rivers",
    "A second look at stones that move in rivers",
    "Why the third river has no stones at all",
    "Four short rivers and the stones that were in them",
]


def paper(number: int, cited: str, doi: str = "", more: str = "") -> str:
    marked = f'<pub-id pub-id-type="doi">{doi}</pub-id>' if doi else ""
    return PAPER.format(number=number, title=TITLES[number], cited=cited, doi=marked, more=more)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Four papers: the second cites the first by DOI, the third the second by title, the fourth something else."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "0.xml").write_text(paper(0, "Something older that is not here"))
    (folder / "1.xml").write_text(paper(1, "Stones, wrongly titled", doi="10.5555/0"))
    (folder / "2.xml").write_text(paper(2, TITLES[1]))
    (folder / "3.xml").write_text(paper(3, "Another thing that is not here either", more="More words. " * 400))
    (folder / "broken.xml").write_text(paper(0, "x")[:700])
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(500))
    return folder


def links(folder: Path) -> set[tuple[str, str]]:
    with Corpus(folder) as corpus:
        titles = {document.id: document.title_text for document in corpus.documents()}
        return {(titles[link.citing], titles[link.cited]) for link in corpus.links()}


def test_papers_become_a_corpus_with_links(papers: Path, tmp_path: Path) -> None:
    manifest, report = ingest([papers], tmp_path / "corpus", Filters())
    assert manifest.documents == report.kept == 4
    assert links(tmp_path / "corpus") == {(TITLES[1], TITLES[0]), (TITLES[2], TITLES[1])}
    assert manifest.licenses == {"CC-BY-4.0": 4}
    assert sum(report.rejected.values()) == 1
    assert report.rejections[0][0].endswith("broken.xml")
    assert report.skipped == 1
    stats = report.by_format["jats"]
    assert stats.share("authors") == stats.share("references") == stats.share("resolved") == 1.0
    assert report.authors["certain"] > 0
    assert not (tmp_path / "corpus.reading").exists()
    assert IngestReport.model_validate_json((tmp_path / "corpus" / "ingest.report.json").read_bytes()) == report


def test_a_corpus_in_the_folder_is_no_source(papers: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(papers, folder)
    _, wanted = ingest([papers], tmp_path / "elsewhere", Filters())
    for name in ("first", "second"):  # the second ingest finds the first corpus, too
        _, report = ingest([folder], folder / name, Filters())
        assert (report.documents, report.kept) == (wanted.documents, wanted.kept)
        assert (report.unread.keys(), report.not_documents) == (wanted.unread.keys(), {})
    with pytest.raises(FathomError, match="No document could be read"):
        ingest([folder / "first"], tmp_path / "third", Filters())


def test_the_folder_of_results_is_no_source(papers: Path, tmp_path: Path) -> None:
    """A first bench in the folder of the documents: it is neither read nor a change of the documents."""
    folder = tmp_path / "copy"
    shutil.copytree(papers, folder)
    _, wanted = ingest([papers], tmp_path / "elsewhere", Filters())
    results = folder / "first"
    results.mkdir()
    for name in ("notes.md", "report.md"):  # written before the documents are read, and after
        (results / name).write_text("# Notes\n\nOn an earlier attempt.\n")
        _, report = ingest([folder], results / "corpus", Filters(), results=results)
        assert (report.documents, report.kept) == (wanted.documents, wanted.kept)
    (folder / "new.md").write_text("# New\n\nA document.\n")
    with pytest.raises(FathomError, match="have changed"):
        ingest([folder], results / "corpus", Filters(), results=results)


def test_an_archive_and_a_folder_give_the_same_links(papers: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "papers.tar.xz", "w:xz") as archive:
        archive.add(papers, "papers")
    ingest([papers], tmp_path / "one", Filters())
    ingest([tmp_path / "papers.tar.xz"], tmp_path / "two", Filters())
    assert links(tmp_path / "one") == links(tmp_path / "two") != set()


@pytest.mark.parametrize("copied", [MAX_COPIED, 0])
def test_two_processes_give_the_same_bytes_as_one(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: int
) -> None:
    """Whether the workers look for references themselves, or the index is too large to be copied to each."""
    monkeypatch.setattr("fathom.corpus.ingest.MAX_COPIED", copied)
    one = ingest([papers], tmp_path / "one", Filters())
    two = ingest([papers], tmp_path / "two", Filters(), processes=2)
    assert one == two
    assert (tmp_path / "one" / STORE).read_bytes() == (tmp_path / "two" / STORE).read_bytes()


def test_reads_files_with_odd_and_duplicate_names(papers: Path, tmp_path: Path) -> None:
    path = tmp_path / "odd.tar"
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        for number, name in enumerate(("\u00e9.xml", "\u00e8.xml", "same.xml", "same.xml")):
            content = (papers / f"{number}.xml").read_bytes()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    manifest, report = ingest([path], tmp_path / "corpus", Filters())
    assert manifest.documents == 4
    assert report.rejected == {}


@pytest.mark.parametrize(
    ("filters", "kept", "reason"),
    [
        (Filters(min_tokens=800), 1, "fewer than 800 tokens"),
        (Filters(max_tokens=800), 3, "more than 800 tokens"),
        (Filters(min_tables=1), 0, ""),
        (Filters(licenses=("CC0",)), 0, ""),
        (Filters(licenses=("cc-by",)), 4, ""),
        (Filters(formats=("tei",)), 0, ""),
    ],
)
def test_filters_documents_and_reports_the_reason(
    papers: Path, tmp_path: Path, filters: Filters, kept: int, reason: str
) -> None:
    if not kept:
        with pytest.raises(FathomError, match="Give other sources|left out"):
            ingest([papers], tmp_path / "corpus", filters)
        return
    _, report = ingest([papers], tmp_path / "corpus", filters)
    assert report.kept == kept
    assert not reason or report.left_out == {reason: 4 - kept}


@pytest.mark.parametrize(
    ("processes", "kills"),
    [
        (1, [("staging:StagingFile.save", 2), ("staging:StagingFile.link", 5), ("store:CorpusWriter.add", 3)]),
        (2, [("staging:StagingFile.add", 7)]),
    ],
)
def test_a_killed_ingestion_continues_to_the_same_corpus(
    papers: Path, tmp_path: Path, processes: int, kills: list[tuple[str, int]]
) -> None:
    for number in range(20):
        (papers / f"x{number:03}.xml").write_text(paper(number % 4, TITLES[0], more=f"Words {number}. " * 50))
    whole, _ = ingest([papers], tmp_path / "whole", Filters())
    words = ("ingest", papers, "--out", tmp_path / "killed", "--processes", processes)
    for function, calls in kills:
        saves = {"fathom.corpus.ingest:SAVE_INTERVAL": 4}
        killed = run_until(f"fathom.corpus.{function}", calls, *words, values=saves)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert main(list(map(str, words))) == 0
    with Corpus(tmp_path / "killed") as corpus:
        # The recipe names the same sources, so the same documents come out.
        assert corpus.manifest.fingerprint == whole.fingerprint


@pytest.mark.parametrize("moment", ["finish", "remove"])
def test_a_death_at_the_end_of_an_ingestion_leaves_a_corpus_that_can_be_finished(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    owner = CorpusWriter if moment == "finish" else StagingFile
    with monkeypatch.context() as dying, pytest.raises(ZeroDivisionError):
        dying.setattr(owner, moment, lambda self: 1 / 0)
        ingest([papers], tmp_path / "corpus", Filters())
    manifest, report = ingest([papers], tmp_path / "corpus", Filters())
    assert (manifest.documents, report.kept) == (4, 4)
    assert read_report(tmp_path / "corpus") == report


def test_ingesting_twice_does_nothing_unless_a_source_has_changed(papers: Path, tmp_path: Path) -> None:
    first = ingest([papers], tmp_path / "corpus", Filters())
    assert ingest([papers], tmp_path / "corpus", Filters()) == first
    with pytest.raises(FathomError, match="already contains a corpus"):
        ingest([papers], tmp_path / "corpus", Filters(min_tokens=5))
    later = time.time() + 5
    os.utime(next(papers.iterdir()), (later, later))
    with pytest.raises(FathomError, match="have changed since"):
        ingest([papers], tmp_path / "corpus", Filters())


def test_strict_shares_fail_the_command(papers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["ingest", str(papers), "--out", str(tmp_path / "corpus"), "--strict", "subject=0.5,title=1"]
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 1
    printed = capsys.readouterr()
    assert "subject 0.0%" in printed.err
    assert "read 4 of 5 documents" in printed.out
    assert main(["ingest", str(papers), "--out", str(tmp_path / "other"), "--strict", "beauty=1"]) == 2


def test_prints_the_report_as_json(papers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ingest", str(papers), "--out", str(tmp_path / "corpus"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kept"] == 4


def test_reports_that_nothing_could_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["ingest", str(tmp_path / "empty"), "--out", str(tmp_path / "corpus")]) == 2
    assert "No document could be read" in capsys.readouterr().err
    assert main(["ingest", str(tmp_path / "nowhere"), "--out", str(tmp_path / "corpus")]) == 2

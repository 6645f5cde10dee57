"""JSON Lines are streamed: constant memory, parts for all workers, resumable, and nothing is lost without an error."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import resource
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from fathom.api.corpora import ingest as api_ingest
from fathom.cli.main import main
from fathom.corpus import document_reading as reading
from fathom.corpus import staging
from fathom.corpus.document_reading import Filters, read_file, read_source
from fathom.corpus.ingest import ingest
from fathom.corpus.ingest_report import IngestReport
from fathom.corpus.readers import json_lines, sources
from fathom.corpus.readers.annotated_papers import reader
from fathom.corpus.readers.json_lines import SourceLines
from fathom.corpus.readers.parsed_document import Paragraph, ParsedDocument, ParsedLine
from fathom.corpus.readers.sources import SourceFile, source_files
from fathom.corpus.store import STORE, Corpus
from fathom.records.errors import FathomError
from tests.commands import run_command
from tests.signaling import run_until

WORDS = ["salt", "wave", "tide", "moon", "shore", "gull", "reef", "sand", "foam", "drift"]


def paper(number: int, size: int = 400, works: tuple[int, ...] = ()) -> dict[str, object]:
    text = " ".join(f"The {WORDS[(number + n) % 10]} is number {n}." for n in range(size // 20))
    return {
        "arxiv_id": f"2101.{number:05}",
        "title": f"Paper {number} on {WORDS[number % 10]}",
        "abstract": "It is short.",
        "markdown": f"# Paper {number}\n\nAda Quill\n\n## 1 Waves\n\n{text}\n",
        "references": [cited(work) for work in works],
    }


def cited(number: int) -> dict[str, object]:
    title = f"A cited study of {WORDS[number % 10]}"
    section = {"name": "Waves", "text": f"{title} has a text of its own. It has two sentences."}
    return {"id": f"bib{number}", "arxiv_id": f"1901.{number:05}", "title": title, "sections": [section]}


def json_lines_of(*papers: Mapping[str, object]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in papers)


def read(path: Path, out: Path, processes: int = 1) -> IngestReport:
    return ingest([path], out, Filters(), processes)[1]


def titles(out: Path) -> list[str]:
    with Corpus(out) as corpus:
        return [document.title_text for document in corpus.documents()]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "PART_BYTES", 2_000)


# The same documents, however the file is packed and split.


def packed(tmp_path: Path, content: bytes) -> Iterator[Path]:
    for name, data in {
        "a.jsonl": content,
        "a.jsonl.gz": gzip.compress(content),
        "a.jsonl.xz": lzma.compress(content),
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_bytes(data)
        yield folder / name
        with tarfile.open(folder / "t.tar.gz", "w:gz") as archive:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        yield folder / "t.tar.gz"
        with zipfile.ZipFile(folder / "z.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, data)
        yield folder / "z.zip"


@pytest.mark.usefixtures("small_parts")
def test_parts_of_a_file_are_its_lines_however_it_is_packed(tmp_path: Path) -> None:
    content = json_lines_of(*map(paper, range(20)))
    for path in packed(tmp_path, content):
        found = [part for part in source_files([path]) if isinstance(part, SourceLines)]
        assert len(found) > 4
        assert b"".join(line.content for part in found for line in part.lines) == content
        assert [line.ordinal for part in found for line in part.lines] == list(range(1, 21))


def test_the_documents_are_those_of_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Papers first, then each cited work once; their sources, and so their ids, do not depend on the parts."""
    content = json_lines_of(paper(0, works=(1, 2)), paper(1), paper(2, works=(2, 3))) + b'\n{"markdown": 3}\n'
    content += json_lines_of(paper(3, works=(1, 4)))
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    monkeypatch.setattr(json_lines, "PART_BYTES", 1)
    report = read(path, tmp_path / "parts")
    monkeypatch.setattr(json_lines, "PART_BYTES", 1 << 20)
    read(path, tmp_path / "one")
    with Corpus(tmp_path / "parts") as corpus:
        sources = [document.source for document in corpus.documents()]
    assert sources == [str(path), *(f"{path}#{number}" for number in (2, 3, 5, 6, 7, 8, 9))]
    assert (tmp_path / "parts" / STORE).read_bytes() == (tmp_path / "one" / STORE).read_bytes()
    assert (report.kept, report.rejected) == (8, {"it has no Markdown": 1})


@pytest.mark.usefixtures("small_parts")
def test_documents_after_a_file_follow_its_cited_works(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(json_lines_of(*(paper(n, works=(n,)) for n in range(9))))
    (tmp_path / "in" / "b.jsonl").write_bytes(json_lines_of(*(paper(n, works=(1,)) for n in range(10, 12))))
    read(tmp_path / "in", tmp_path / "one")
    read(tmp_path / "in", tmp_path / "two", processes=2)
    assert [title[:5] for title in titles(tmp_path / "one")] == ["Paper"] * 9 + ["A cit"] * 9 + ["Paper"] * 2 + [
        "A cit"
    ]
    assert (tmp_path / "one" / STORE).read_bytes() == (tmp_path / "two" / STORE).read_bytes()


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (json.dumps(paper(1), indent=1).encode(), 0),
        (json.dumps(paper(1)).encode(), 0),
        (b"\xef\xbb\xbf \n" + json_lines_of(paper(1), paper(2)), 1),
        (b'{"markdown": "broken\n' + json_lines_of(paper(1), paper(2)), 1),
        (b"[" + json.dumps(paper(1)).encode() + b"]", 0),
    ],
)
def test_only_files_with_an_object_on_each_line_are_streamed(tmp_path: Path, content: bytes, parts: int) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    found = list(source_files([tmp_path / "a.jsonl"]))
    assert sum(isinstance(one, SourceLines) for one in found) == parts
    assert len(found) == 1


# Limits.


def test_a_stream_may_be_larger_than_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_FILE_BYTES", 1_000)
    (tmp_path / "a.jsonl").write_bytes(json_lines_of(*map(paper, range(9))))
    (tmp_path / "large.sqlite").write_bytes(b"SQLite format 3\0" * 100)
    report = ingest([tmp_path], tmp_path / "out", Filters())[1]
    assert (report.kept, report.incomplete) == (9, ())


def test_one_long_line_is_an_error_and_the_others_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", 5_000)
    papers = [paper(n, size=8_000 if n in (0, 4, 8) else 400) for n in range(9)]
    (tmp_path / "a.jsonl").write_bytes(json_lines_of(*papers))
    report = read(tmp_path / "a.jsonl", tmp_path / "out")
    assert report.kept == 6
    assert [reason for _, reason in report.incomplete] == [f"a line has more than 0 MB (line {n})" for n in (1, 5, 9)]


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MIN_BOMB_BYTES", 1 << 20)
    content = json_lines_of(paper(1)) + b" \n" * (4 << 20) + json_lines_of(paper(2))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(content))
    report = read(tmp_path / "a.jsonl.gz", tmp_path / "out")
    assert [reason for _, reason in report.incomplete] == ["it unpacks to more than 200 times its size"]


def test_too_many_bad_lines_end_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "MAX_REFUSED", 2)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(json_lines_of(paper(1)) + b"{}\n" * 9 + json_lines_of(paper(2)))
    (folder / "b.jsonl").write_bytes(json_lines_of(paper(3)))
    for part_bytes in (1, 1 << 20):
        monkeypatch.setattr(json_lines, "PART_BYTES", part_bytes)
        report = read(folder, tmp_path / f"out{part_bytes}")
        assert report.incomplete == ((f"{folder}/a.jsonl", "more than 2 of its lines cannot be read"),)
        assert (report.kept, report.documents) == (2, 5)


class _Slow:
    """A reader that needs CPU time or only wall time for each of its documents."""

    FORMAT = "slow"

    def __init__(self, seconds: float, wait: Callable[[float], None]) -> None:
        self._seconds = seconds
        self._wait = wait

    def read(self, content: bytes, name: str, companions: object) -> Iterator[ParsedDocument]:
        for number in range(3):
            self._wait(self._seconds)
            yield ParsedDocument(name, title=f"Part {number}", body=[Paragraph(["It has a sentence."])])


def burn_cpu(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize(
    ("seconds", "wait", "documents", "cut"),
    [
        (0.25, burn_cpu, 3, False),  # together above the limit, each below it
        (0.6, time.sleep, 3, False),  # wall time does not count
        (0.7, burn_cpu, 0, True),
    ],
)
def test_the_limit_is_the_cpu_time_of_a_document(
    seconds: float, wait: Callable[[float], None], documents: int, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_CPU_SECONDS", 0.5)
    monkeypatch.setattr(reading, "reader_of", lambda name, content: _Slow(seconds, wait))
    results = read_file(SourceFile("a.slow", b"x"), Filters()).documents
    assert sum(result.document is not None for result in results) == documents
    assert [result.error for result in results if result.incomplete] == [
        "reading took longer than 0.5 s of CPU time"
    ] * cut


def test_a_busy_machine_cuts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file takes longer than the limit in wall time, and each paper far less in CPU time."""
    monkeypatch.setattr(reading, "MAX_CPU_SECONDS", 0.5)
    read_line = reader.read_line

    def waiting(line: bytes, name: str, number: int) -> ParsedLine:
        time.sleep(0.6 if number == 2 else 0)
        return read_line(line, name, number)

    monkeypatch.setattr(reader, "read_line", waiting)
    (tmp_path / "a.jsonl").write_bytes(json_lines_of(*map(paper, range(4))))
    report = read(tmp_path / "a.jsonl", tmp_path / "out")
    assert (report.kept, report.documents, report.incomplete) == (4, 4, ())


def test_a_slow_line_is_refused_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reading, "MAX_CPU_SECONDS", 0.5)
    read_line = reader.read_line

    def slow(line: bytes, name: str, number: int) -> ParsedLine:
        if number == 2:
            burn_cpu(3)
        return read_line(line, name, number)

    monkeypatch.setattr(reader, "read_line", slow)
    (tmp_path / "a.jsonl").write_bytes(json_lines_of(*map(paper, range(4))))
    [part] = source_files([tmp_path / "a.jsonl"])
    results = read_source(part, Filters()).documents
    assert [result.error for result in results] == ["", "reading took longer than 0.5 s of CPU time (line 2)", "", ""]
    assert [result.incomplete for result in results] == [False, True, False, False]


# Damage.


def broken_archives(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """Damaged files, each with the number of its papers that can still be read."""
    content = json_lines_of(*(paper(n, size=100_000) for n in range(6)))
    half = content.index(b"\n", len(content) // 2) + 30
    (tmp_path / "cut.jsonl").write_bytes(content[:half])
    yield tmp_path / "cut.jsonl", content[:half].count(b"\n")
    packed = gzip.compress(content, 0)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) * 2 // 3])
    yield tmp_path / "cut.jsonl.gz", 3
    (tmp_path / "checksum.jsonl.gz").write_bytes(packed[:-8] + b"\0" * 8)
    yield tmp_path / "checksum.jsonl.gz", 6
    packed = lzma.compress(content)
    (tmp_path / "cut.jsonl.xz").write_bytes(packed[:-20])
    yield tmp_path / "cut.jsonl.xz", 5
    with tarfile.open(tmp_path / "whole.tar", "w") as archive:
        for number in range(2):
            member = tarfile.TarInfo(f"{number}.jsonl")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content.replace(b"2101", b"210%d" % (number + 1))))
    packed = (tmp_path / "whole.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(packed[: len(content) + 600])
    yield tmp_path / "cut.tar", 6
    between = 512 + (len(content) + 511) // 512 * 512
    (tmp_path / "between.tar").write_bytes(packed[:between])
    yield tmp_path / "between.tar", 6
    (tmp_path / "header.tar").write_bytes(packed[: between + 100])
    yield tmp_path / "header.tar", 6


def test_damage_is_an_error_and_everything_before_it_is_kept(tmp_path: Path) -> None:
    for path, at_least in broken_archives(tmp_path):
        report = read(path, tmp_path / f"{path.name}.out")
        assert at_least <= report.kept <= 6, path.name
        [(name, reason)] = report.incomplete
        assert name.startswith(str(path)), path.name
        assert "damaged" in reason or "cut off" in reason


def test_a_file_whose_reading_ends_early_is_incomplete() -> None:
    tables = [{"table": [["a", "b"], ["1", "2"]], "paragraphs": []}, {"table": [["x" * 3_000_000]], "paragraphs": []}]
    results = read_file(SourceFile("a.json", json.dumps(tables).encode()), Filters()).documents
    assert [(bool(result.error), result.incomplete) for result in results] == [(False, False), (True, True)]


# Interruptions and memory.


PAPERS = 40


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of papers, beside the corpus that is read from it without an interruption."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "a.jsonl").write_bytes(json_lines_of(*(paper(n, 30_000, works=(n % 7,)) for n in range(PAPERS))))
    read(folder / "a.jsonl", folder / "whole")
    return folder / "a.jsonl"


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_kill_inside_a_file_resumes_to_the_same_bytes(tmp_path: Path, long_file: Path, processes: str) -> None:
    words = ["ingest", str(long_file), "--out", str(tmp_path / "killed"), "--processes", processes]
    saves = {"fathom.corpus.ingest:SAVE_INTERVAL": 1}
    killed = run_until("fathom.corpus.staging:StagingFile.save", 2, *words, values=saves)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    reading_file = tmp_path / "killed.reading"
    assert 0 < _staged(reading_file) < PAPERS
    assert run_command(*words).returncode == 0
    assert (tmp_path / "killed" / STORE).read_bytes() == (long_file.parent / "whole" / STORE).read_bytes()


def _staged(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0.05) as db:
            return int(db.execute("SELECT count(*) FROM documents").fetchone()[0])
    except sqlite3.Error:
        return 0


LIMITED = """
import resource, sys
from pathlib import Path
from fathom.corpus.document_reading import Filters, read_source
from fathom.corpus.readers import catalog
from fathom.corpus.readers.sources import source_files
list(catalog.readers())
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]), -1))
print(sum(len(read_source(part, Filters()).documents) for part in source_files([Path(sys.argv[1])])))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A file of 120 MB is opened, split and read with 64 MB more. Most lines are refused at once, to save time."""
    blank = json.dumps({"title": "x" * 200_000}).encode() + b"\n"
    line = json_lines_of(paper(1))
    with gzip.open(tmp_path / "a.jsonl.gz", "wb", 1) as target:
        for _ in range(6):
            target.write(line + blank * 100)
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "a.jsonl.gz"), str(64 << 20)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) == 606
    assert resource.getrlimit(resource.RLIMIT_AS)[0] != 64 << 20


def test_the_command_names_a_cut_input_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = gzip.compress(json_lines_of(*map(paper, range(9))))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "cut.jsonl.gz").write_bytes(content[:-20])
    (tmp_path / "in" / "good.jsonl").write_bytes(json_lines_of(paper(20)))
    with pytest.raises(SystemExit) as end:
        main(["ingest", str(tmp_path / "in"), "--out", str(tmp_path / "one")])
    assert end.value.code == 1
    assert "cut.jsonl.gz': it is damaged" in capsys.readouterr().err
    assert titles(tmp_path / "one")[-1].startswith("Paper 20")
    assert main(["ingest", str(tmp_path / "in"), "--out", str(tmp_path / "two"), "--allow-incomplete"]) == 0
    with pytest.raises(FathomError, match="cut.jsonl.gz.*allow_incomplete"):
        api_ingest(tmp_path / "in", tmp_path / "three")
    with api_ingest(tmp_path / "in", tmp_path / "four", allow_incomplete=True) as corpus:
        assert corpus.ingest_report is not None and len(corpus.ingest_report.incomplete) == 1


def test_an_ingest_that_kept_nothing_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.jsonl").write_bytes(b'{"markdown": 3}\n' * 2)
    (tmp_path / "good.jsonl").write_bytes(json_lines_of(paper(20)))
    assert main(["ingest", str(tmp_path / "bad"), "--out", str(tmp_path / "out")]) == 2
    assert "No document could be read" in capsys.readouterr().err
    assert not (tmp_path / "out.reading").exists()
    assert main(["ingest", str(tmp_path / "good.jsonl"), "--out", str(tmp_path / "out")]) == 0


def test_records_on_lines_are_reports(tmp_path: Path) -> None:
    tables = [
        {"table": {"uid": f"t{n}", "table": [["year", "tons"], ["1990", f"{n}"]]}, "paragraphs": []} for n in (1, 2)
    ]
    records = [{"Area": {"total": {"text": f"{n} sq km"}}, "People": {"number": {"text": f"{n}"}}} for n in range(3)]
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "tables.jsonl").write_bytes(json_lines_of(*tables))
    (folder / "records.json").write_bytes(json_lines_of(*records))
    report = read(folder, tmp_path / "out")
    assert (report.kept, report.rejected) == (5, {})
    assert titles(tmp_path / "out") == ["Records", "Records, record 2", "Records, record 3"] + [
        f"Tables, report {n}" for n in (1, 2)
    ]


def test_one_object_on_one_line_is_read_as_before() -> None:
    content = json.dumps({"Area": {"total": {"text": "9 sq km"}}, "name": "Salt"}).encode()
    [whole] = read_file(SourceFile("salt.json", content), Filters()).documents
    line = SourceLines("salt.json", "tabular", (json_lines.JsonLine(1, 1, content),))
    [streamed] = read_source(line, Filters()).documents
    assert whole == streamed

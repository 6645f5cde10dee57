"""The summary of an ingest: everything that matters on one screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.api import corpora
from fathom.cli.ingest_summary import describe, describe_self_test
from fathom.cli.main import main
from fathom.cli.output import WIDTH, columns
from fathom.corpus.selftest.measure import FieldAgreement, FieldScore, SelfTest
from fathom.records.documents import FIELDS


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "note.md").write_text("# On salt\n\nSalt is old. It is in the sea.\n")
    (folder / "broken.md").write_text("\n")
    for number in range(3):
        (folder / f"picture{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "film.mp4").write_bytes(b"\0\0\0\x18ftypmp42")
    (folder / "table.csv").write_text("name,year\nsalt,1990\nsand,1991\n")
    return folder


def summary(sources: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["ingest", str(sources), "--out", str(out)]) == 0
    return capsys.readouterr().out


def test_names_what_was_read_and_what_was_not(
    sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = summary(sources, tmp_path / "out", capsys)
    assert "1 rejected, 0 left out" in printed
    assert "not read, 4 files: " in printed
    assert "such as broken.md" in printed
    assert "3 (picture0.png" in printed and "1 (film.mp4" in printed
    assert "unknown: " in printed and "such as note.md" in printed
    # The default lengths are too long for so few documents: the command that is printed works.
    command = printed.rstrip().splitlines()[-1].removeprefix("next: fathom ")
    assert command.startswith(f"contexts {tmp_path / 'out'} --lengths ")
    assert main(command.split()) == 0
    assert "1 context from" in capsys.readouterr().out
    assert all(len(line) <= WIDTH for line in printed.splitlines()[3:-1])


def test_every_field_of_every_format_has_a_cell(
    sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = summary(sources, tmp_path / "out", capsys).splitlines()
    [row] = [line.split() for line in lines if line.split()[:1] == ["markdown"]]
    assert len(row) == 2 + len(FIELDS)
    assert row[1] == "1"
    assert set(row[2:]) <= {"100/0", "0/100", "0/0"}


def _stats(documents: int) -> corpora.ReadingStats:
    reasons = {f"the reason number {n} is not a short one": documents for n in range(9)}
    counts = corpora.FieldCounts(
        known=0, absent=0, unknown=documents, reasons=reasons, examples=dict.fromkeys(reasons, f"/a/{'b' * 90}.xml")
    )
    return corpora.ReadingStats(documents=documents, fields=dict.fromkeys(FIELDS, counts), citations=9_999, resolved=1)


def test_a_report_with_everything_fits_one_screen(tmp_path: Path) -> None:
    reasons = {f"{'reason ' * 20}{n}": 1_000 + n for n in range(30)}
    kinds = {f"kind {n}": corpora.UnreadFiles(count=9, names=("x" * 99,), advice="convert it") for n in range(30)}
    with corpora.generate(tmp_path / "corpus", documents=1) as corpus:
        report = corpora.IngestReport(
            documents=99_999,
            kept=90_000,
            rejected=reasons,
            rejections=(),
            skipped=300,
            unread=kinds,
            left_out=reasons,
            examples=dict.fromkeys(reasons, f"archive.tar!{'x' * 200}/{'y' * 200}"),
            by_source={},
            by_format={name: _stats(1_234) for name in corpora.FORMATS},
            links=dict.fromkeys(("doi", "arxiv", "title", "similar title", "ambiguous title", "unmatched"), 999_999),
            versions=3,
            authors={"certain": 1, "uncertain": 2},
        )
        lines = describe(corpus, report).splitlines()
    # The first lines name the folder, whose path may be long.
    assert max(map(len, lines[1:-1])) <= WIDTH
    assert len(lines) <= 36 + len(corpora.FORMATS)


def test_wide_and_long_names_are_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    subjects = ", ".join(f'"{"very " * 6}long subject {number}"' for number in range(12))
    for number in range(12):
        text = f"---\nkeywords: [{subjects}]\n---\n# On salt {number}\n\nSalt is old.\n"
        (tmp_path / "in" / f"note{number}.md").write_text(text)
    (tmp_path / "in" / f"{'盐' * 60}.md").write_text("")
    (tmp_path / "in" / f"{'图' * 60}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    out = tmp_path / ("deep" * 30)
    lines = summary(tmp_path / "in", out, capsys).splitlines()
    assert max(columns(line) for line in lines if str(out) not in line) <= WIDTH
    assert any("盐" in line for line in lines) and any("图" in line for line in lines)


def test_the_report_as_json_has_everything(sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ingest", str(sources), "--out", str(tmp_path / "out"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert sum(kind["count"] for kind in report["unread"].values()) == report["skipped"] == 4
    assert report["examples"]
    authors = report["by_format"]["markdown"]["fields"]["authors"]
    assert authors["examples"].keys() == authors["reasons"].keys()


# The self-test.


def test_an_unknown_value_is_not_wrong() -> None:
    agreement = FieldAgreement()
    agreement.add(["a", "b", "c"], ["a", "x"])
    agreement.add_unknown(["d"])
    score = agreement.score()
    assert (score.precision, score.recall, score.unknown) == (0.5, 0.3333, 0.25)


def test_the_self_test_lists_what_is_not_perfect() -> None:
    perfect = FieldScore(written=4, read=4, precision=1, recall=1)
    half = FieldScore(written=4, read=2, precision=1, recall=0.5, unknown=0.25)
    never = FieldScore(written=0, read=0, precision=1, recall=1)
    result = SelfTest(
        documents=4, refused={"tei": 1}, formats={"jats": {"title": perfect}, "tei": {"title": half, "x": never}}
    )
    lines = describe_self_test(result).splitlines()
    assert lines[2:] == [
        "  jats          all (1 of 1 fields are 100/100/0)",
        "  tei           title 100/50/25 (0 of 1 fields are 100/100/0)",
        "  tei: 1 document rejected",
    ]

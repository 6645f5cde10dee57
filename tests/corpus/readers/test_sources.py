from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from fathom.corpus.readers import sources
from fathom.corpus.readers.sources import FolderCompanions, SourceFile, source_files
from fathom.records.errors import FathomError


def tarred(path: Path, files: dict[str, bytes], mode: str = "w:xz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def whole_files(*paths: Path) -> list[SourceFile]:
    return [opened for opened in source_files(paths) if isinstance(opened, SourceFile)]


def contents(*paths: Path) -> dict[str, bytes]:
    return {opened.source: opened.content for opened in whole_files(*paths) if not opened.refusal}


def refusals(*paths: Path) -> dict[str, str]:
    return {opened.source: opened.refusal for opened in whole_files(*paths) if opened.refusal}


def test_folders_files_and_archives_are_one_stream(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "two.xml").write_bytes(b"2")
    (tmp_path / "a" / "one.xml.gz").write_bytes(gzip.compress(b"1"))
    (tmp_path / "a" / "three.xml.xz").write_bytes(lzma.compress(b"3"))
    (tmp_path / "a" / ".hidden").write_bytes(b"x")
    tarred(tmp_path / "b.tar.xz", {"in/four.xml": b"4", "in/five.xml.gz": gzip.compress(b"5")})
    zipped(tmp_path / "c.zip", {"six.xml": b"6"})
    found = contents(tmp_path / "a", tmp_path / "b.tar.xz", tmp_path / "c.zip")
    assert list(found.values()) == [b"1", b"3", b"2", b"4", b"5", b"6"]
    assert f"{tmp_path}/b.tar.xz!in/four.xml" in found
    assert list(contents(tmp_path).values()) == list(found.values())


def test_finds_companions_but_nothing_outside(tmp_path: Path) -> None:
    files = {"x/p/paper.rst": b"p", "x/p/refs.bib": b"b", "x/p/sub/more.tex": b"m", "x/q/other.bib": b"q"}
    for path in (tarred(tmp_path / "t.tar", files, "w"), zipped(tmp_path / "z.zip", files)):
        [paper] = [opened for opened in source_files([path]) if opened.source.endswith("paper.rst")]
        assert isinstance(paper, SourceFile)
        assert paper.companions is not None
        assert paper.companions.get("refs.bib") == b"b"
        assert paper.companions.get("sub/more.tex") == b"m"
        assert paper.companions.get("./sub/../refs.bib") == b"b"
        assert paper.companions.names() == ["refs.bib"]
        for outside in ("../q/other.bib", "/x/q/other.bib", "../../../etc/passwd", "no.bib"):
            assert paper.companions.get(outside) is None


def test_opens_nothing_outside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.bib").write_text("s")
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "refs.bib").write_text("b")
    (folder / "link.bib").symlink_to(tmp_path / "secret.bib")
    companions = FolderCompanions(folder)
    assert companions.get("refs.bib") == b"b"
    for name in ("../secret.bib", "link.bib", "/etc/passwd", "nul\0", "x" * 5_000, ".", ""):
        assert companions.get(name) is None


def test_skips_links_and_special_members(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "out.xml").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    with tarfile.open(tmp_path / "odd.tar", "w") as archive:
        link = tarfile.TarInfo("link.xml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        device = tarfile.TarInfo("device.xml")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    unread = [file for file in source_files([tmp_path]) if isinstance(file, SourceFile)]
    assert [(Path(file.source).name, file.content, file.unread_kind) for file in unread] == [
        ("loop", b"", "symbolic link"),
        ("out.xml", b"", "symbolic link"),
    ]
    assert refusals(tmp_path) == {}


@pytest.mark.parametrize("name", ["../../evil.xml", "/etc/evil.xml", "a/../../b.xml", "C:\\evil.xml"])
def test_names_that_point_outside_write_nothing(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    for path in (tarred(inside / "t.tar", {name: b"x"}, "w"), zipped(inside / "z.zip", {name: b"x"})):
        assert set(contents(path).values()) == {b"x"}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in"]
    assert sorted(entry.name for entry in inside.iterdir()) == ["t.tar", "z.zip"]


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_FILE_BYTES", 100_000)
    zeros = b"<article><front>" + b" " * 5_000_000
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(zeros))
    (tmp_path / "b.xml.xz").write_bytes(lzma.compress(zeros))
    (tmp_path / "c.xml").write_bytes(zeros)
    zipped(tmp_path / "d.zip", {"z.xml": zeros, "y.xml.gz": gzip.compress(zeros), "good.xml": b"g"})
    tarred(tmp_path / "e.tar.xz", {"z.xml": zeros})
    assert len(refusals(tmp_path)) == 6
    assert list(contents(tmp_path).values()) == [b"g"]


def test_refuses_damaged_archives_with_a_reason(tmp_path: Path) -> None:
    whole = tarred(tmp_path / "t.tar.xz", {f"{n}.xml": os.urandom(3_000) for n in range(20)}).read_bytes()
    (tmp_path / "cut.tar.xz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "bad.gz").write_bytes(gzip.compress(b"x" * 1_000)[:-10])
    good = zipped(tmp_path / "good.zip", {"a.xml": b"a" * 5_000, "b.xml": b"b"}).read_bytes()
    (tmp_path / "flipped.zip").write_bytes(good[:45] + bytes([good[45] ^ 255]) + good[46:])
    (tmp_path / "t.tar.xz").unlink()
    found = refusals(tmp_path)
    assert any("cut.tar.xz" in source for source in found)
    assert any("bad.gz" in source for source in found)
    assert any("flipped.zip" in source for source in found)
    assert all("damaged" in reason for reason in found.values())


def test_reports_a_missing_path(tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="does not exist"):
        list(source_files([tmp_path / "none"]))


def test_a_name_that_is_not_utf8_is_printable(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "old.tar", "w", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        for name in ("caf\u00e9.xml", "plain.xml"):
            member = tarfile.TarInfo(name)
            member.size = 1
            archive.addfile(member, io.BytesIO(b"x"))
    assert [opened.source.rpartition("!")[2] for opened in source_files([tmp_path])] == ["caf\ufffd.xml", "plain.xml"]
    assert set(contents(tmp_path).values()) == {b"x"}


def test_refuses_encrypted_and_unknown_members(tmp_path: Path) -> None:
    plain = zipped(tmp_path / "whole.zip", {"a.xml": b"a" * 50, "b.xml": b"b" * 50}).read_bytes()
    (tmp_path / "whole.zip").unlink()
    directory = plain.index(b"PK\x01\x02")
    # In the first member's headers: a bit that says it is encrypted, or a way of compressing that nobody knows.
    for name, here, there, value in (("locked.zip", 6, 8, 1), ("strange.zip", 8, 10, 77)):
        changed = bytearray(plain)
        changed[here] = changed[directory + there] = value
        (tmp_path / name).write_bytes(changed)
    found = {Path(source).name: reason for source, reason in refusals(tmp_path).items()}
    assert set(found) == {"locked.zip!a.xml", "strange.zip!a.xml"}
    assert "password" in found["locked.zip!a.xml"]
    assert "not supported" in found["strange.zip!a.xml"]
    assert set(contents(tmp_path).values()) == {b"b" * 50}

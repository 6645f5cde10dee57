"""Files of records: streamed, appended, replaced; killed, truncated, on a full disk."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.records.errors import FathomError
from fathom.records.files import Journal, StoredMapping, StoredSequence, atomic_write, read_records, write_records
from fathom.records.questions import Response, Usage


def responses(count: int) -> Iterator[Response]:
    return (Response(question_id=f"q-{number}", outcome="answered", text="x" * number) for number in range(count))


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    assert len(write_records(path, responses(50))) == 50
    assert list(read_records(path, Response)) == list(responses(50))


def test_stored_records_are_read_when_they_are_used(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    positions = write_records(path, responses(5), checksums=True)
    every = list(responses(5))
    stored = StoredSequence(path, Response, positions)
    assert list(stored) == every
    assert (stored[-1], stored[1:3], len(stored)) == (every[4], every[1:3], 5)
    named = StoredMapping(path, Response, {one.question_id: at for one, at in zip(every, positions, strict=True)})
    assert dict(named) == {one.question_id: one for one in every}
    write_records(path, responses(1))
    assert list(stored) == every, "it keeps the file that was replaced"


def test_names_the_line_of_a_damaged_record_that_is_read_later(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    positions = write_records(path, responses(3), checksums=True)
    stored = StoredSequence(path, Response, positions)
    path.write_bytes(path.read_bytes().replace(b'"q-2"', b'"q-7"'))
    with pytest.raises(FathomError, match="Line 3 of .* was changed or damaged"):
        stored[2]


def test_no_changed_byte_of_a_journal_passes(tmp_path: Path) -> None:
    """Every byte of a line in turn, with each of its bits flipped."""
    path = tmp_path / "responses.jsonl"
    with Journal(path, Response) as journal:
        journal.append(Response(question_id="q-1", outcome="answered", text="42", usage=Usage(input_tokens=1_700)))
    whole = path.read_bytes()
    for index in range(len(whole) - 1):  # a torn line is not damage: a kill leaves one
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[index] ^= 1 << bit
            path.write_bytes(damaged)
            with pytest.raises(FathomError):
                assert list(Journal(path, Response).read()) == []  # a flip may also tear the line in two


def test_a_line_that_another_program_wrote_again_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    write_records(path, responses(1), checksums=True)
    path.write_text(json.dumps(json.loads(path.read_text())) + "\n")
    with pytest.raises(FathomError, match="remove the field 'crc32' if you changed the line yourself"):
        list(read_records(path, Response))


def test_lines_without_checksums_are_read(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    write_records(path, responses(3))
    assert list(Journal(path, Response).read()) == list(responses(3))
    write_records(path, responses(3), checksums=True)
    assert list(read_records(path, Response)) == list(responses(3))


def test_reading_streams(tmp_path: Path) -> None:
    """The first record comes out although a later line is broken: nothing reads ahead."""
    path = tmp_path / "responses.jsonl"
    write_records(path, responses(2))
    path.write_bytes(path.read_bytes() + b"{]\n")
    stream = read_records(path, Response)
    assert [next(stream).question_id, next(stream).question_id] == ["q-0", "q-1"]
    with pytest.raises(FathomError, match="Line 3 of .* is not a valid response"):
        next(stream)


def test_names_the_line_of_a_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    write_records(path, responses(3))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(FathomError, match="truncated in line 3"):
        list(read_records(path, Response))


def test_keeps_a_file_until_its_replacement_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    write_records(path, responses(3))
    with pytest.raises(RuntimeError), atomic_write(path) as file:
        file.write(b"half")
        raise RuntimeError("the power went")
    assert list(read_records(path, Response)) == list(responses(3))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("torn", [b"", b'{"question_id":"q', b"x" * 200_000])
def test_a_journal_continues_after_the_last_complete_line(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "responses.jsonl"
    with Journal(path, Response) as journal:
        for response in responses(3):
            journal.append(response)
    path.write_bytes(path.read_bytes() + torn)
    assert list(Journal(path, Response).read()) == list(responses(3))
    with Journal(path, Response) as journal:
        for response in list(responses(5))[3:]:
            journal.append(response)
    assert list(read_records(path, Response)) == list(responses(5))


def test_a_journal_with_only_a_torn_line_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    path.write_bytes(b"torn")
    with Journal(path, Response) as journal:
        journal.append(next(responses(1)))
    assert len(list(read_records(path, Response))) == 1


WRITER = """
import sys
from pathlib import Path
from fathom.records.files import Journal
from fathom.records.questions import Response
with Journal(Path(sys.argv[1]), Response) as journal:
    done = sum(1 for _ in journal.read())
    print("ready", flush=True)
    while True:
        journal.append(Response(question_id=f"q-{done}", outcome="answered", text="y" * (done % 5000)))
        done += 1
"""


def test_killing_a_writer_loses_nothing_that_was_written(tmp_path: Path) -> None:
    """Real processes are killed while they append; every line that is there is whole and in order."""
    path = tmp_path / "responses.jsonl"
    before = 0
    for grown in (1, 500, 5_000, 50_000, 500_000):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        size = path.stat().st_size
        while path.stat().st_size < size + grown:
            assert writer.poll() is None
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        found = [response.question_id for response in Journal(path, Response).read()]
        assert found == [f"q-{number}" for number in range(len(found))]
        assert len(found) >= before
        before = len(found)
    assert path.stat().st_size > 500_000


def test_a_journal_on_a_full_disk_stays_valid(tmp_path: Path) -> None:
    """A real limit on the size of files: the write that hits it leaves no torn line behind."""
    path = tmp_path / "responses.jsonl"
    script = WRITER.replace(
        "import sys\n", "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
    )
    failed = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=False, timeout=60
    )
    assert "FathomError: Cannot write" in failed.stderr
    found = list(read_records(path, Response))
    assert found
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20000


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    with Journal(path, Response) as one:
        with pytest.raises(FathomError, match="another process is writing it"), Journal(path, Response):
            pass
        one.append(next(responses(1)))
    with Journal(path, Response) as two:
        two.append(next(responses(1)))
    assert len(list(read_records(path, Response))) == 2


def test_reports_a_missing_permission(tmp_path: Path) -> None:
    del tmp_path
    with (
        pytest.raises(FathomError, match="Cannot write '/sys/fathom.jsonl': .*(permission|read-only)"),
        atomic_write(Path("/sys/fathom.jsonl")) as file,
    ):
        file.write(b"x")


def test_reports_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="does not exist"):
        list(read_records(tmp_path / "nowhere.jsonl", Response))
    assert list(tmp_path.iterdir()) == []

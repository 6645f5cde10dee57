from __future__ import annotations

from pathlib import Path

import pytest

from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.runs.folder import (
    END,
    MANIFEST,
    RESPONSES,
    RunFolder,
    RunManifest,
    RunSettings,
    read_responses,
    read_states,
)

MANIFEST_OF = RunManifest(bench="bench", bench_fingerprint="f", model="m", system="full")


def answered(question: str, text: str = "1") -> Response:
    return Response(question_id=question, outcome="answered", text=text)


def failed(question: str) -> Response:
    return Response(question_id=question, outcome="error", error="no luck")


def test_responses_outlast_the_process_and_a_torn_line_is_dropped(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", MANIFEST_OF) as folder:
        folder.append(answered("q-1"))
    with (tmp_path / "run" / RESPONSES).open("ab") as file:
        file.write(b'{"question_id":"q-2","out')
    with RunFolder(tmp_path / "run", MANIFEST_OF) as folder:
        assert folder.index.is_done("q-1", 0)
        assert not folder.index.is_done("q-2", 0)
        folder.append(answered("q-2"))
        assert folder.index.is_done("q-2", 0)
    assert read_states(tmp_path / "run").is_done("q-2", 0)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_truncated_responses_are_reported(tmp_path: Path, kept: int) -> None:
    with RunFolder(tmp_path / "run", MANIFEST_OF) as folder:
        for number in range(3):
            folder.append(answered(f"q-{number}"))
        folder.stop(None)
    path = tmp_path / "run" / RESPONSES
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]) + b'{"question_id"')
    with pytest.raises(FathomError, match=f"has {kept} of the 3 lines that the run wrote"):
        read_responses(tmp_path / "run")
    with pytest.raises(FathomError, match="truncated"), RunFolder(tmp_path / "run", MANIFEST_OF):
        pass
    (tmp_path / "run" / END).unlink()
    assert len(read_responses(tmp_path / "run")) == kept


def test_errors_are_retried_and_answers_are_kept(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", MANIFEST_OF) as folder:
        for response in (
            failed("q-1"),
            failed("q-1"),
            answered("q-1", "first"),
            answered("q-1", "second"),
            failed("q-2"),
        ):
            folder.append(response)
        index = folder.index
    assert read_responses(tmp_path / "run")["q-1", 0].text == "first"
    for found in (index, read_states(tmp_path / "run")):
        assert found.states["q-1", 0].outcome == "answered"
        assert found.attempts["q-1", 0] == 4
        assert not found.is_done("q-2", 0)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"bench_fingerprint": "g"}, "bench"),
        ({"model": "n"}, "model"),
        ({"system": "sql"}, "system"),
        ({"settings": RunSettings(temperature=0.5)}, "temperature None, not 0.5"),
    ],
)
def test_another_run_is_not_resumed(tmp_path: Path, change: dict[str, object], word: str) -> None:
    with RunFolder(tmp_path / "run", MANIFEST_OF):
        pass
    with pytest.raises(FathomError, match=word), RunFolder(tmp_path / "run", MANIFEST_OF.model_copy(update=change)):
        pass


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    with (
        RunFolder(tmp_path / "run", MANIFEST_OF),
        pytest.raises(FathomError, match="another process"),
        RunFolder(tmp_path / "run", MANIFEST_OF),
    ):
        pass


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(FathomError, match="is not a run"), RunFolder(tmp_path, MANIFEST_OF):
        pass
    assert not (tmp_path / MANIFEST).exists()


def test_notes_come_back(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", MANIFEST_OF) as folder:
        folder.store_result("c-1", "extract 0", "rows")
    with RunFolder(tmp_path / "run", MANIFEST_OF) as folder:
        assert folder.stored_result("c-1", "extract 0") == "rows"
        assert folder.stored_result("c-2", "extract 0") is None

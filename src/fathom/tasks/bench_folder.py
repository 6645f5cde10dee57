"""The folder of a bench while it is written. An interrupted build is never taken for a complete one, and the next build
replaces it."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write, file_hash, pretty_json
from fathom.records.record import Record, digest_stream
from fathom.tasks.verification import VerifiedItems

MANIFEST, CONTEXTS, QUESTIONS, KEYS = "manifest.json", "contexts.jsonl", "questions.jsonl", "keys.jsonl"
FILES = (CONTEXTS, QUESTIONS, KEYS)
"""The files of a bench, in the order of removal: keys are removed last, since they identify leftovers."""
DRAFT = f".{MANIFEST}.*.part"


def is_bench(folder: Path) -> bool:
    """Whether the folder contains a complete bench."""
    return all((folder / name).is_file() for name in (MANIFEST, *FILES))


@contextmanager
def making(folder: Path) -> Iterator[Callable[[Record], None]]:
    """Create the folder and yield a function that writes the manifest, which makes the folder a bench.

    The manifest's draft is there from the first moment to the last: files that got their names before a kill are
    recognized as those of an unfinished bench. After an error, everything that was created is removed again.
    """
    created = [path for path in (folder, *folder.parents) if not path.exists()]
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with atomic_write(folder / MANIFEST) as manifest:
            _refuse_concurrent(folder, manifest)

            def finish(record: Record) -> None:
                manifest.write(pretty_json(record))
                manifest.flush()  # raises here if the disk is full, while the files can still be removed

            with _clearing(folder):
                yield finish
    except BaseException:
        for path in created:
            with suppress(OSError):
                path.rmdir()
        raise


def _refuse_concurrent(folder: Path, manifest: BinaryIO) -> None:
    """Raise an error if another command is writing here: both would overwrite or remove each other's files."""
    fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB)
    other_drafts = [path for path in folder.glob(DRAFT) if path.name != Path(manifest.name).name]
    # A command that ended since the folder was checked has left its manifest.
    if any(map(_is_locked, other_drafts)) or (folder / MANIFEST).exists():
        raise FathomError(
            f"Another command is writing a bench to '{folder}'. Choose another --out, or wait until it ends."
        )


def _is_locked(path: Path) -> bool:
    """Whether the writing process is alive. A lock ends with its process; a process id may be reused."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:  # it ended just now
        return False
    return False


@contextmanager
def _clearing(folder: Path) -> Iterator[None]:
    """Remove the leftovers of a killed command, and after an error the files of this one."""
    _clear(folder)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            _clear(folder)
        raise


def _clear(folder: Path) -> None:
    for name in FILES:
        (folder / name).unlink(missing_ok=True)


@contextmanager
def writing(folder: Path) -> Iterator[Callable[[VerifiedItems], None]]:
    """Give a function that writes a context with its items; the files get their names if the block succeeds."""
    with (
        atomic_write(folder / CONTEXTS) as contexts,
        atomic_write(folder / QUESTIONS) as questions,
        atomic_write(folder / KEYS) as keys,  # the last to be opened gets its name first: see `_leftovers`
    ):

        def write(verified: VerifiedItems) -> None:
            contexts.write(verified.context.to_line())
            for item in verified.items:
                questions.write(item.question.to_line())
                keys.write(item.key.to_line())

        yield write


def fingerprint_of(folder: Path) -> str:
    """The fingerprint of contexts, questions and keys as they are now."""
    return digest_stream((folder / name).read_bytes() for name in FILES).hex()


def hashes_of(folder: Path) -> dict[str, str]:
    """The hash of each file of a bench as it is now."""
    return {name: file_hash(folder / name) for name in FILES}


def refuse_another(folder: Path) -> None:
    """Raise an error if the folder contains anything: a bench is written to an empty folder."""
    if folder.is_file():
        raise FathomError(f"Cannot write a bench to '{folder}': it is a file. Give a folder.")
    present = sorted(contents(folder))
    if present:
        raise FathomError(f"'{folder}' is not empty (it contains '{present[0]}'). Choose another --out, or delete it.")


def contents(folder: Path) -> set[str]:
    """The names in a folder, without the leftovers of a killed command."""
    if not folder.is_dir():
        return set()
    with file_errors("read the folder", folder):
        names = {entry.name for entry in folder.iterdir()}
    left = set() if MANIFEST in names else _leftovers(names)
    return {name for name in names - left if not name.endswith(".part")}


def _leftovers(names: set[str]) -> set[str]:
    """Files that got their names before a kill: their process began a manifest and has no drafts of them left.

    Keys get their name first and are removed last. Without keys, the files belong to someone else, such as contexts to
    build from; so does a file that still has its draft beside it.
    """
    killed = [name.split(".")[-2] for name in names if fnmatchcase(name, DRAFT)]
    renamed = ({name for name in FILES if f".{name}.{process}.part" not in names} for process in killed)
    return {name for files in renamed if KEYS in files & names for name in files}

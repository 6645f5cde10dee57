"""The folder of a bench while it is made: nothing half-made is taken for a bench, and a kill is in nobody's way."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

from fathom.records.contexts import Context
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write, pretty_json
from fathom.records.record import Record, digest_stream
from fathom.tasks.family import Item

MANIFEST, CONTEXTS, QUESTIONS, KEYS = "manifest.json", "contexts.jsonl", "questions.jsonl", "keys.jsonl"
FILES = (CONTEXTS, QUESTIONS, KEYS)
"""In the order in which they are removed: what is left of them is known by its keys."""
DRAFT = f".{MANIFEST}.*.part"


@contextmanager
def making(folder: Path) -> Iterator[Callable[[Record], None]]:
    """The folder, and a function that writes the manifest, by which a bench is one; it takes its name last of all.

    Its draft stands there from the first moment to the last, so that files which took their names before a kill are
    known for those of an unfinished bench. What was made goes again if nothing comes of it.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with atomic_write(folder / MANIFEST) as manifest:
            _refuse_company(folder, manifest)

            def finish(record: Record) -> None:
                manifest.write(pretty_json(record))
                manifest.flush()  # a full disk is told of here, while what was made can still go

            with _clearing(folder):
                yield finish
    except BaseException:
        for path in made:
            with suppress(OSError):
                path.rmdir()
        raise


def _refuse_company(folder: Path, manifest: BinaryIO) -> None:
    """Of two commands at once the second would put its files in the place of the first one's, or remove them."""
    fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB)
    others = [path for path in folder.glob(DRAFT) if path.name != Path(manifest.name).name]
    # One that ended since the folder was looked at has its manifest there.
    if any(map(_is_locked, others)) or (folder / MANIFEST).exists():
        raise FathomError(f"Another command writes a bench to '{folder}'. Choose another --out, or wait for its end.")


def _is_locked(path: Path) -> bool:
    """Whether the process that writes it lives; its number may be another's by now, but a lock goes with a kill."""
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
    """Removes what a killed command left, and what this one made if nothing comes of it."""
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
def writing(folder: Path) -> Iterator[Callable[[Context, list[Item]], None]]:
    """A function that writes a context with its items; the files take their names when the block ends well."""
    with (
        atomic_write(folder / CONTEXTS) as contexts,
        atomic_write(folder / QUESTIONS) as questions,
        atomic_write(folder / KEYS) as keys,  # the last to be opened takes its name first: see `_left`
    ):

        def write(context: Context, items: list[Item]) -> None:
            contexts.write(context.to_line())
            for item in items:
                questions.write(item.question.to_line())
                keys.write(item.key.to_line())

        yield write


def fingerprint_of(folder: Path) -> str:
    """Of the contexts, questions and keys as they are now."""
    return digest_stream((folder / name).read_bytes() for name in FILES).hex()


def refuse_another(folder: Path) -> None:
    """A bench is written to a folder of its own: one that holds anything is left alone."""
    if folder.is_file():
        raise FathomError(f"Cannot write a bench to '{folder}': it is a file. Name a folder.")
    present = sorted(held(folder))
    if present:
        raise FathomError(f"'{folder}' is not empty (it holds '{present[0]}'). Choose another --out, or delete it.")


def held(folder: Path) -> set[str]:
    """What stands in a folder, but for what a killed command left there of a bench."""
    if not folder.is_dir():
        return set()
    with file_errors("read the folder", folder):
        names = {entry.name for entry in folder.iterdir()}
    left = set() if MANIFEST in names else _left(names)
    return {name for name in names - left if not name.endswith(".part")}


def _left(names: set[str]) -> set[str]:
    """Files that took their names before a kill: their process began a manifest, and has no draft of them any more.

    Keys take theirs first and are removed last: without them, what stands there is somebody else's, contexts to build
    from, say; and so is a file that still has its draft beside it.
    """
    killed = [name.split(".")[-2] for name in names if fnmatchcase(name, DRAFT)]
    found = ({name for name in FILES if f".{name}.{process}.part" not in names} for process in killed)
    return {name for left in found if KEYS in left & names for name in left}

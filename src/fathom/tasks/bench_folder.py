"""The folder of a bench while it is made: nothing half-made is taken for a bench, and a kill is in nobody's way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path

from fathom.records.contexts import Context
from fathom.records.errors import FathomError, touching
from fathom.records.files import replacing, whole
from fathom.records.record import Record, digest_stream
from fathom.tasks.family import Item

MANIFEST, CONTEXTS, QUESTIONS, KEYS = "manifest.json", "contexts.jsonl", "questions.jsonl", "keys.jsonl"


@contextmanager
def making(folder: Path) -> Iterator[Callable[[Record], None]]:
    """The folder, and a function that writes the manifest, by which a bench is one; it takes its name last of all.

    Its draft stands there from the first moment, so that files which took their names before a kill are known for
    those of an unfinished bench. What was made goes again if nothing comes of it.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    with touching("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(folder / MANIFEST) as manifest:

            def finish(record: Record) -> None:
                manifest.write(whole(record))

            yield finish
    except BaseException:
        with suppress(OSError):
            for name in (CONTEXTS, QUESTIONS, KEYS):
                (folder / name).unlink(missing_ok=True)
        for path in made:
            with suppress(OSError):
                path.rmdir()
        raise


@contextmanager
def writing(folder: Path) -> Iterator[Callable[[Context, list[Item]], None]]:
    """A function that writes a context with its items; the files take their names when the block ends well."""
    with (
        replacing(folder / CONTEXTS) as contexts,
        replacing(folder / QUESTIONS) as questions,
        replacing(folder / KEYS) as keys,
    ):

        def write(context: Context, items: list[Item]) -> None:
            contexts.write(context.to_line())
            for item in items:
                questions.write(item.question.to_line())
                keys.write(item.key.to_line())

        yield write


def fingerprint_of(folder: Path) -> str:
    """Of the contexts, questions and keys as they are now."""
    return digest_stream((folder / name).read_bytes() for name in (CONTEXTS, QUESTIONS, KEYS)).hex()


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
    with touching("read the folder", folder):
        names = {entry.name for entry in folder.iterdir()}
    if MANIFEST not in names and any(fnmatchcase(name, f".{MANIFEST}.*.part") for name in names):
        names -= {CONTEXTS, QUESTIONS, KEYS}
    return {name for name in names if not name.endswith(".part")}

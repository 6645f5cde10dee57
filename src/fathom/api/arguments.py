"""Arguments of API functions: folders, names and lengths in any form, and settings with readable errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, overload

from pydantic import ValidationError

from fathom.records.errors import FathomError, refuse_undecodable
from fathom.records.lengths import parse_length
from fathom.records.record import Record, first_error

R = TypeVar("R", bound=Record)
Folder = str | os.PathLike[str]
"""A folder, or an object of this API that has one: a corpus, a bench or a run."""
Progress = Callable[[int], None]
"""Called with the number of documents, contexts or tokens done so far."""


def ignore(done: int) -> None:
    """The default progress callback."""


@overload
def as_path(folder: Folder) -> Path: ...
@overload
def as_path(folder: Folder | None) -> Path | None: ...
def as_path(folder: Folder | None) -> Path | None:
    """The path of a folder or file, if one is given; an error if its name is not UTF-8."""
    if folder is None:
        return None
    path = Path(folder)
    refuse_undecodable(path)
    return path


def as_paths(folders: Folder | Iterable[Folder]) -> list[Path]:
    """The paths of several folders or files, or of a single one."""
    return [as_path(folder) for folder in ([folders] if isinstance(folders, str | os.PathLike) else folders)]


def checked(kind: type[R], noun: str, values: dict[str, Any]) -> R:
    """A record of settings; an error names the first setting that is unknown or has a wrong value."""
    for unknown in values.keys() - kind.model_fields.keys():
        raise FathomError(f"The {noun} has no setting '{unknown}'. It has: {', '.join(kind.model_fields)}.")
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise FathomError(f"Settings of the {noun}: {first_error(error).rstrip('.')}. Correct the value.") from None


def as_tokens(length: int | str) -> int:
    """The number of tokens of a length: 65536 or "64K"."""
    return parse_length(length) if isinstance(length, str) else length


def as_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Names given as a list, or a single one as a text."""
    return (names,) if isinstance(names, str) else tuple(names)

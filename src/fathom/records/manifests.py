"""Reading what a folder says of itself: too new, too old, broken and foreign are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record, first_error

R = TypeVar("R", bound=Record)


def read_manifest(path: Path, kind: type[R], format: int, what: str, mending: str) -> R:
    """The manifest in `path`, of that format; errors say `what` it belongs to and how to mend it."""
    with file_errors("read", path):
        content = path.read_bytes()
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FathomError(f"'{path}' is no JSON: {error}. {mending}") from error
    written = found.get("format") if isinstance(found, dict) else None
    # Looked at before all else: another format may well have fields that this one takes for damage.
    if isinstance(written, int) and written != format and _is_like(found, kind):
        other, update = ("a newer", "Update Fathom, or make") if written > format else ("an older", "Make")
        raise FathomError(
            f"The {what} '{path.parent}' was written by {other} Fathom ({found.get('fathom', 'unknown')}, "
            f"format {written}; this one reads format {format}). {update} the {what} again."
        )
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(f"'{path}' is no manifest of a {what}: {first_error(error)}. {mending}") from error


def _is_like(found: dict[str, object], kind: type[Record]) -> bool:
    """Whether it has most of the fields: a bench that is taken for a corpus is no older one, and has but four."""
    return 2 * len(found.keys() & kind.model_fields.keys()) > len(kind.model_fields)

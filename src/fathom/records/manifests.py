"""Reading what a folder says of itself: too new, broken and foreign are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from fathom.records.errors import FathomError, touching
from fathom.records.record import Record, first_fault

R = TypeVar("R", bound=Record)


def read_manifest(path: Path, kind: type[R], newest: int, what: str, mending: str) -> R:
    """The manifest in `path`, of a format up to `newest`; errors say `what` it belongs to and how to mend it."""
    with touching("read", path):
        content = path.read_bytes()
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FathomError(f"'{path}' is no JSON: {error}. {mending}") from error
    written = found.get("format") if isinstance(found, dict) else None
    # Looked at before all else: a newer format may well have fields that this one takes for damage.
    if isinstance(written, int) and written > newest:
        raise FathomError(
            f"The {what} '{path.parent}' was written by a newer Fathom ({found.get('fathom', 'unknown')}, "
            f"format {written}; this one reads up to {newest}). Update Fathom, or make the {what} again."
        )
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(f"'{path}' is no manifest of a {what}: {first_fault(error)}. {mending}") from error

"""Reads the manifest of a folder; distinguishes newer, older, broken and foreign files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record, first_error

R = TypeVar("R", bound=Record)


def read_manifest(path: Path, kind: type[R], format: int, noun: str, advice: str) -> R:
    """The manifest in `path`; errors name what it belongs to (`noun`) and what to do (`advice`)."""
    with file_errors("read", path):
        content = path.read_bytes()
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FathomError(f"'{path}' is not JSON: {error}. {advice}") from error
    written = found.get("format") if isinstance(found, dict) else None
    # Checked first: another format may have fields that this one would take for damage.
    if isinstance(written, int) and written != format and _is_like(found, kind):
        other, update = ("a newer", "Update Fathom, or create") if written > format else ("an older", "Create")
        raise FathomError(
            f"The {noun} '{path.parent}' was written by {other} version of Fathom ({found.get('fathom', 'unknown')}, "
            f"format {written}; this version reads format {format}). {update} the {noun} again."
        )
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(f"'{path}' is not the manifest of a {noun}: {first_error(error)}. {advice}") from error


def _is_like(found: dict[str, object], kind: type[Record]) -> bool:
    """Whether it has most of the fields: the manifest of a bench is not that of an older corpus."""
    return 2 * len(found.keys() & kind.model_fields.keys()) > len(kind.model_fields)

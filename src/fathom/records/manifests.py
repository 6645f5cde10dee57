"""Reads the manifest of a corpus, bench or run; errors distinguish newer, older and broken files and other JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from fathom.records.errors import FathomError, file_errors
from fathom.records.files import verified_json
from fathom.records.record import Record, first_error

R = TypeVar("R", bound=Record)


def read_manifest(path: Path, kind: type[R], format: int, noun: str, advice: str) -> R:
    """The manifest in `path`; error messages say what it describes (`noun`) and what to do (`advice`)."""
    with file_errors("read", path):
        stored = path.read_bytes()
    try:
        fields = json.loads(stored)
    except (ValueError, RecursionError) as error:
        raise FathomError(f"'{path}' is not JSON: {error}. {advice}") from error
    written = fields.get("format") if isinstance(fields, dict) else None
    # Checked first: the fields of another format would fail validation and look like damage.
    if isinstance(written, int) and written != format and _has_most_fields(fields, kind):
        other, update = ("a newer", "Update Fathom, or create") if written > format else ("an older", "Create")
        raise FathomError(
            f"The {noun} '{path.parent}' was written by {other} version of Fathom ({fields.get('fathom', 'unknown')}, "
            f"format {written}; this version reads format {format}). {update} the {noun} again."
        )
    if isinstance(fields, dict) and "fathom" in fields and not _has_most_fields(fields, kind):
        raise FathomError(
            f"'{path.parent}' is not a {noun}: its {path.name} describes something else. Give the folder of a {noun}."
        )
    content = verified_json(path, stored)
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(f"'{path}' is not the manifest of a {noun}: {first_error(error)}. {advice}") from error


def _has_most_fields(fields: dict[str, object], kind: type[Record]) -> bool:
    """Whether most fields of `kind` are there: the manifest of a bench is not mistaken for that of an older corpus."""
    return 2 * len(fields.keys() & kind.model_fields.keys()) > len(kind.model_fields)

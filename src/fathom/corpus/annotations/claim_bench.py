"""Annotations in the JSON of CLAIM-BENCH: one file for each paper, or several papers in one file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import JsonValue

from fathom.corpus.annotations.source import AnnotationFile, SourceAnnotation, files_of
from fathom.records.errors import FathomError
from fathom.records.quoted_claims import has_claims, merged, read_claims, with_normal_names

_NAMES = ("document", "paper_id", "paper", "filename", "file", "pdf_name", "doi", "title", "paper_title")
"""Fields that name the paper."""


def read(sources: Iterable[Path], annotator: str) -> Iterator[SourceAnnotation]:
    """The annotations of all papers; without a name of the annotator, the folder of a file is the name."""
    for file in files_of(sources, (".json", ".jsonl")):
        stem = file.path.name.rsplit(".", 1)[0]
        for names, value in _papers(_parse_file(file), stem):
            claims = read_claims(value)
            if claims is None:
                raise FathomError(f"'{file.path}' has no list of claims for '{names[0]}'. Check --format.")
            own_name = with_normal_names(value).get("annotator") if isinstance(value, dict) else None
            name = (
                annotator or (own_name if isinstance(own_name, str) else "") or file.path.parent.name or "claim-bench"
            )
            yield SourceAnnotation(names, name, merged(claims))


def _parse_file(file: AnnotationFile) -> JsonValue:
    lines = file.path.name.endswith(".jsonl")
    try:
        if lines:
            return [json.loads(line) for line in file.text.splitlines() if line.strip()]
        value: JsonValue = json.loads(file.text)
    except (ValueError, RecursionError) as error:
        raise FathomError(f"'{file.path}' is not JSON: {error}. Correct it.") from error
    return value


def _papers(value: JsonValue, stem: str) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """The names and claims of each paper: the file is one paper, a list of papers, or papers by name."""
    if isinstance(value, list) and value and all(isinstance(entry, dict) and _has_list(entry) for entry in value):
        for number, entry in enumerate(value, start=1):
            yield (*_names(entry), f"{stem} {number}"), entry
    elif isinstance(value, dict) and not has_claims(value):
        for name, entry in value.items():
            yield (name, *_names(entry)), entry
    else:
        yield (*_names(value), stem), value


def _has_list(value: dict[str, JsonValue]) -> bool:
    return any(isinstance(with_normal_names(value).get(name), list) for name in ("claims", "analysis", "annotations"))


def _names(value: JsonValue) -> tuple[str, ...]:
    values = with_normal_names(value) if isinstance(value, dict) else {}
    return tuple(str(values[name]) for name in _NAMES if isinstance(values.get(name), str | int))

"""Annotations exported from Label Studio as JSON: regions labeled as claims or evidence, and relations between them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fathom.corpus.annotations.marked_text import Mark, MarkRelation, claims_of
from fathom.corpus.annotations.source import SourceAnnotation, files_of
from fathom.records.errors import FathomError

_LABELS = ("labels", "hypertextlabels", "paragraphlabels")
_UPLOAD = re.compile(r"^(?:.*/)?[0-9a-f]{8}-")


def read(sources: Iterable[Path], annotator: str) -> Iterator[SourceAnnotation]:
    """The annotations of all tasks; canceled ones and predictions are left out."""
    for file in files_of(sources, (".json",)):
        try:
            tasks = json.loads(file.text)
        except (ValueError, RecursionError) as error:
            raise FathomError(f"'{file.path}' is not JSON: {error}. Correct it.") from error
        if isinstance(tasks, list) and any(isinstance(task, dict) and "annotation_id" in task for task in tasks):
            raise FathomError(
                f"'{file.path}' is an export as JSON-MIN, which leaves out the relations between claims and evidence. "
                "Export the project as JSON."
            )
        if not isinstance(tasks, list) or not all(isinstance(task, dict) and "annotations" in task for task in tasks):
            raise FathomError(f"'{file.path}' is not a Label Studio export. Export the project as JSON.")
        for number, task in enumerate(tasks, start=1):
            try:
                annotations = list(_annotations(task, annotator))
            except (AttributeError, KeyError, TypeError) as error:
                raise FathomError(
                    f"Task {number} of '{file.path}' does not have the form of Label Studio's JSON export "
                    f"({type(error).__name__}: {error}). Export the project again."
                ) from error
            yield from annotations


def _annotations(task: Mapping[str, Any], annotator: str) -> Iterator[SourceAnnotation]:
    data = task.get("data")
    fields: dict[str, Any] = data if isinstance(data, dict) else {}
    text = max((field for field in fields.values() if isinstance(field, str)), key=len, default="")
    names = [str(field) for field in fields.values() if isinstance(field, str | int) and str(field) != text]
    # A file that was uploaded is stored with a prefix of eight characters: "1b2c3d4e-PMC123.txt".
    upload = str(task.get("file_upload") or "")
    file = _UPLOAD.sub("", upload)
    names += [name for name in (upload, file, file.rsplit(".", 1)[0], str(task.get("id", ""))) if name]
    for annotation in task["annotations"]:
        if not annotation.get("was_cancelled"):
            marks, relations = _results(annotation.get("result") or (), text)
            name = annotator or _person(annotation.get("completed_by"))
            yield SourceAnnotation(tuple(dict.fromkeys(names)), name, claims_of(marks, relations))


def _person(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return "label-studio" if value is None else str(value)


def _results(results: Iterable[Mapping[str, Any]], text: str) -> tuple[dict[str, Mark], list[MarkRelation]]:
    """The labeled regions with their attributes, and the relations between them."""
    marks: dict[str, Mark] = {}
    relations: list[MarkRelation] = []
    further: list[tuple[str, str, Any]] = []
    for result in results:
        value = result.get("value") or {}
        if result.get("type") == "relation":
            relations.append(
                MarkRelation((str(result["from_id"]), str(result["to_id"])), _join_words(result.get("labels")))
            )
        elif result.get("type") in _LABELS:
            marks[str(result["id"])] = _mark(value, result["type"], text)
        elif result.get("type") in ("choices", "textarea"):
            content = value.get("choices") or value.get("text") or ()
            further.append((str(result.get("id")), str(result.get("from_name")), content))
    for id, name, content in further:
        if id in marks and content:
            marks[id].attributes[name] = content if isinstance(content, str) else str(content[0])
    return marks, relations


def _join_words(words: object) -> str:
    return " ".join(map(str, words)) if isinstance(words, list) else ""


def _mark(value: Mapping[str, Any], kind: str, text: str) -> Mark:
    offsets = value.get("globalOffsets") or value
    start, end = offsets.get("start"), offsets.get("end")
    label, quote = _join_words(value.get(kind)), str(value.get("text") or "")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end and text):
        return Mark(label, quote, None)
    return Mark(label, quote or _slice_utf16(text, start, end), min(1.0, start / len(text)))


def _slice_utf16(text: str, start: int, end: int) -> str:
    """The characters between two offsets of a browser, which counts those outside the basic plane as two."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")

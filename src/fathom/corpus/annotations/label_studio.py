"""Annotations exported from Label Studio as JSON: regions labeled as claims or evidence, and relations between them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fathom.corpus.annotations.marked_text import Mark, Relation, claims_of
from fathom.corpus.annotations.source import SourceAnnotation, files_of
from fathom.records.errors import FathomError

_LABELS = ("labels", "hypertextlabels", "paragraphlabels")


def read(sources: Iterable[Path], annotator: str) -> Iterator[SourceAnnotation]:
    """The annotations of all tasks; canceled ones and predictions are left out."""
    for file in files_of(sources, (".json",)):
        try:
            tasks = json.loads(file.text)
        except (ValueError, RecursionError) as error:
            raise FathomError(f"'{file.path}' is not JSON: {error}. Correct it.") from error
        if not isinstance(tasks, list) or not all(isinstance(task, dict) and "annotations" in task for task in tasks):
            raise FathomError(f"'{file.path}' is no export of Label Studio. Export the project as JSON.")
        for task in tasks:
            yield from _annotations(task, annotator)


def _annotations(task: Mapping[str, Any], annotator: str) -> Iterator[SourceAnnotation]:
    data = task.get("data")
    fields: dict[str, Any] = data if isinstance(data, dict) else {}
    text = max((one for one in fields.values() if isinstance(one, str)), key=len, default="")
    names = [str(one) for one in fields.values() if isinstance(one, str | int) and str(one) != text]
    names += [str(one) for name in ("file_upload", "id") if isinstance(one := task.get(name), str | int)]
    for annotation in task["annotations"]:
        if not annotation.get("was_cancelled"):
            marks, relations = _results(annotation.get("result", ()), text)
            name = annotator or _person(annotation.get("completed_by"))
            yield SourceAnnotation(tuple(names), name, claims_of(marks, relations))


def _person(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return "label-studio" if value is None else str(value)


def _results(results: Iterable[Mapping[str, Any]], text: str) -> tuple[dict[str, Mark], list[Relation]]:
    """The labeled regions with their attributes, and the relations between them."""
    marks: dict[str, Mark] = {}
    relations: list[Relation] = []
    further: list[tuple[str, str, Any]] = []
    for one in results:
        value = one.get("value", {})
        if one.get("type") == "relation":
            relations.append(Relation((str(one["from_id"]), str(one["to_id"])), " ".join(one.get("labels") or ())))
        elif one.get("type") in _LABELS:
            marks[str(one["id"])] = _mark(value, one["type"], text)
        elif one.get("type") in ("choices", "textarea", "rating"):
            given = value.get("choices") or value.get("text") or ()
            further.append((str(one.get("id")), str(one.get("from_name")), given))
    for id, name, given in further:
        if id in marks and given:
            marks[id].attributes[name] = given if isinstance(given, str) else str(given[0])
    return marks, relations


def _mark(value: Mapping[str, Any], kind: str, text: str) -> Mark:
    offsets = value.get("globalOffsets") or value
    start, end = offsets.get("start"), offsets.get("end")
    label, quote = " ".join(value.get(kind) or ()), str(value.get("text") or "")
    if not (isinstance(start, int) and isinstance(end, int) and text):
        return Mark(label, quote, None)
    return Mark(label, quote or text[start:end], start / len(text))

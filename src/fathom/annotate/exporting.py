"""Writes annotations in the formats of other tools; `fathom annotations import` reads all of them but CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import quote

from fathom.annotate.layers import ClaimMark, EvidenceMark
from fathom.records.annotations import Annotation
from fathom.records.documents import Claim, DocumentId, Evidence
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write, write_records
from fathom.records.quoted_claims import CLAIM_ATTRIBUTES
from fathom.records.spans import Span

ExportFormat = Literal["annotations", "claim-bench", "label-studio", "brat", "csv"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

Texts = Callable[[DocumentId], str]

CLAIM_FIELDS = (*CLAIM_ATTRIBUTES, "conclusion", "no_evidence_reason", "note")
EVIDENCE_FIELDS = ("type", "strength", "limitations", "note")
"""Attributes of evidence other than its polarity, which belongs to the link."""
FREE_TEXTS = ("conclusion", "no_evidence_reason", "limitations", "note")
"""Attributes that an annotator writes; the others are chosen from a list."""

_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
"""A note of brat is one line."""


def write_annotations(annotations: Sequence[Annotation], texts: Texts, format: ExportFormat, out: Path) -> None:
    """Write annotations to a file, or for brat to a folder with one folder for each annotator."""
    if out.exists():
        raise FathomError(f"'{out}' exists. Choose another --out, or remove it.")
    if format == "annotations":
        write_records(out, annotations)
    elif format == "brat":
        _write_brat(annotations, texts, out)
    else:
        make = {"claim-bench": claim_bench, "label-studio": label_studio, "csv": table}[format]
        with atomic_write(out) as file:
            file.write(make(annotations, texts).encode())


def attributes_of(marked: Claim | Evidence | ClaimMark | EvidenceMark, names: Iterable[str]) -> dict[str, str]:
    """The attributes that are known, as text."""
    attributes: dict[str, str] = {}
    for name in names:
        value = getattr(marked, name)
        if value not in (None, ""):
            attributes[name] = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return attributes


def claim_bench(annotations: Sequence[Annotation], texts: Texts) -> str:
    """The JSON of the paper: a list of papers with quoted claims and evidence."""
    papers = []
    for annotation in annotations:
        text = texts(annotation.document)
        claims = [
            {
                "quote": claim.span.of(text),
                **attributes_of(claim, CLAIM_FIELDS),
                "evidence": [
                    {
                        "quote": evidence.span.of(text),
                        "polarity": evidence.polarity,
                        **attributes_of(evidence, EVIDENCE_FIELDS),
                    }
                    for evidence in claim.evidence
                ],
            }
            for claim in annotation.claims
        ]
        papers.append({"document": annotation.document, "annotator": annotation.annotator, "claims": claims})
    return json.dumps(papers, ensure_ascii=False, indent=2) + "\n"


class _Marks:
    """The marks of an annotation: evidence of several claims with the same attributes is one mark."""

    def __init__(self, annotation: Annotation) -> None:
        self.claims = list(annotation.claims)
        self.evidence: dict[tuple[Any, ...], Evidence] = {}
        self.links: list[tuple[int, int, str]] = []
        """The number of the claim, the number of the evidence, and the polarity."""
        numbers: dict[tuple[Any, ...], int] = {}
        for number, claim in enumerate(self.claims):
            for evidence in claim.evidence:
                identity = (evidence.span, *attributes_of(evidence, EVIDENCE_FIELDS).items())
                self.evidence.setdefault(identity, evidence)
                self.links.append((number, numbers.setdefault(identity, len(numbers)), evidence.polarity))


def label_studio(annotations: Sequence[Annotation], texts: Texts) -> str:
    """Tasks with labeled regions, relations between them, and choices for their attributes."""
    tasks: dict[DocumentId, dict[str, Any]] = {}
    for annotation in annotations:
        text = texts(annotation.document)
        task = tasks.setdefault(
            annotation.document,
            {"id": len(tasks) + 1, "data": {"document": annotation.document, "text": text}, "annotations": []},
        )
        marks = _Marks(annotation)
        result = []
        for number, claim in enumerate(marks.claims):
            result += _region(f"c{number}", "Claim", claim.span, text, attributes_of(claim, CLAIM_FIELDS))
        for number, evidence in enumerate(marks.evidence.values()):
            result += _region(f"e{number}", "Evidence", evidence.span, text, attributes_of(evidence, EVIDENCE_FIELDS))
        for claim_number, number, polarity in marks.links:
            result.append(
                {
                    "type": "relation",
                    "from_id": f"e{number}",
                    "to_id": f"c{claim_number}",
                    "direction": "right",
                    "labels": [polarity],
                }
            )
        task["annotations"].append(
            {"id": len(task["annotations"]) + 1, "completed_by": {"email": annotation.annotator}, "result": result}
        )
    return json.dumps(list(tasks.values()), ensure_ascii=False, indent=1) + "\n"


def _region(id: str, label: str, span: Span, text: str, attributes: Mapping[str, str]) -> list[dict[str, Any]]:
    location = {"start": span.start, "end": span.end, "text": span.of(text)}
    base = {"id": id, "to_name": "text"}
    regions: list[dict[str, Any]] = [
        {**base, "from_name": "label", "type": "labels", "value": {**location, "labels": [label]}}
    ]
    for name, value in attributes.items():
        is_free = name in FREE_TEXTS
        kind, content = ("textarea", {"text": [value]}) if is_free else ("choices", {"choices": [value]})
        regions.append({**base, "from_name": name, "type": kind, "value": {**location, **content}})
    return regions


def _write_brat(annotations: Sequence[Annotation], texts: Texts, out: Path) -> None:
    for annotation in annotations:
        folder = out / _file_name(annotation.annotator)
        with file_errors("write", folder):
            folder.mkdir(parents=True, exist_ok=True)
        text = texts(annotation.document)
        name = _file_name(annotation.document)
        for suffix, content in ((".txt", text), (".ann", brat(annotation, text))):
            with atomic_write(folder / f"{name}{suffix}") as file:
                file.write(content.encode())


def _file_name(name: str) -> str:
    """A file name that cannot leave its folder; `fathom annotations import` decodes it."""
    return re.sub(r"^\.", "%2E", quote(name, safe=" "))


def brat(annotation: Annotation, text: str) -> str:
    """Standoff lines: marks by offsets, relations from evidence to claim, attributes, notes."""
    marks = _Marks(annotation)
    lines: list[str] = []
    attributes: list[str] = []
    notes: list[str] = []

    def add(label: str, mark: Claim | Evidence, names: Iterable[str]) -> str:
        id = f"T{len(lines) + 1}"
        pieces = [Span(*match.span()) for match in re.finditer(r"[^\n]*\S[^\n]*", mark.span.of(text))]
        # A mark of brat has no line breaks: one that has several lines has a piece for each.
        spans = ";".join(f"{piece.start + mark.span.start} {piece.end + mark.span.start}" for piece in pieces)
        printed = " ".join(piece.shifted(mark.span.start).of(text) for piece in pieces)
        lines.append(f"{id}\t{label} {spans}\t{printed}")
        for name, value in attributes_of(mark, names).items():
            title = name.title().replace("_", "")
            # The value of an attribute is one word; free text is a note.
            if name in FREE_TEXTS:
                type = "AnnotatorNotes" if name == "note" else title
                notes.append(f"#{len(notes) + 1}\t{type} {id}\t{value.translate(_ESCAPES)}")
            else:
                attributes.append(f"A{len(attributes) + 1}\t{title} {id} {value}")
        return id

    claims = [add("Claim", mark, CLAIM_FIELDS) for mark in marks.claims]
    evidence = [add("Evidence", mark, EVIDENCE_FIELDS) for mark in marks.evidence.values()]
    relations = [
        f"R{count}\t{polarity.title()} Arg1:{evidence[number]} Arg2:{claims[claim]}"
        for count, (claim, number, polarity) in enumerate(marks.links, start=1)
    ]
    return "".join(f"{line}\n" for line in [*lines, *relations, *attributes, *notes])


def table(annotations: Sequence[Annotation], texts: Texts) -> str:
    """A row for each pair of a claim and its evidence; a claim without evidence has one row."""
    out = io.StringIO()
    evidence_columns = ("start", "end", "quote", "polarity", *EVIDENCE_FIELDS)
    columns = ["document", "annotator", "claim_start", "claim_end", "claim_quote"]
    columns += [f"claim_{name}" for name in CLAIM_FIELDS] + [f"evidence_{name}" for name in evidence_columns]
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for annotation in annotations:
        text = texts(annotation.document)
        for claim in annotation.claims:
            row = {"document": annotation.document, "annotator": annotation.annotator}
            row |= {f"claim_{name}": value for name, value in _cells(claim, text, CLAIM_FIELDS).items()}
            for evidence in claim.evidence or [None]:
                cells = (
                    {}
                    if evidence is None
                    else {**_cells(evidence, text, EVIDENCE_FIELDS), "polarity": evidence.polarity}
                )
                values = {**row, **{f"evidence_{name}": value for name, value in cells.items()}}
                writer.writerow({name: _plain_cell(value) for name, value in values.items()})
    return out.getvalue()


def _cells(marked: Claim | Evidence, text: str, names: Iterable[str]) -> dict[str, str]:
    return {
        "start": str(marked.span.start),
        "end": str(marked.span.end),
        "quote": marked.span.of(text),
        **attributes_of(marked, names),
    }


def _plain_cell(value: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t")) else value

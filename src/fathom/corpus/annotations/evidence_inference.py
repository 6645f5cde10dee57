"""Evidence Inference: questions on clinical trials, with labels and marked evidence of several annotators."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from fathom.corpus.annotations.source import AnnotationFile, QuotedFinding, SourceAnnotation, files_of
from fathom.records.errors import FathomError
from fathom.records.quoted_claims import QuotedEvidence

LABELS = {"-1": "significantly decreased", "0": "no significant difference", "1": "significantly increased"}
"""The labels by their codes: the source spells one of them in two ways."""
PROMPTS, ANNOTATIONS = ("prompts",), ("evidence", "annotations")
"""How the names of the two files begin."""


def read(sources: Iterable[Path], annotator: str) -> Iterator[SourceAnnotation]:
    """The annotations of all articles. Those whose label or reasoning was rejected are not valid."""
    files = list(files_of(sources, (".csv", ".txt")))
    prompts = {row["PromptID"]: row for row in _rows(files, PROMPTS)}
    lengths = {_article(file.path.stem): len(file.text) for file in files if file.path.suffix == ".txt"}
    findings_by_prompt: dict[tuple[str, str], list[QuotedFinding]] = {}
    for row in _rows(files, ANNOTATIONS):
        if row["PromptID"] not in prompts or row["Label Code"] not in LABELS:
            raise FathomError(f"The annotation of prompt '{row['PromptID']}' has no question or no label. Remove it.")
        article = _article(row["PMCID"])
        finding = _finding(row, prompts[row["PromptID"]], lengths.get(article, 0))
        findings_by_prompt.setdefault((article, row["UserID"]), []).append(finding)
    for (article, user), findings in findings_by_prompt.items():
        yield SourceAnnotation((article, article.removeprefix("PMC")), annotator or user, findings=tuple(findings))


def _rows(files: Iterable[AnnotationFile], names: tuple[str, ...]) -> list[dict[str, str]]:
    """The rows of the files whose names begin with one of the names."""
    chosen = [file for file in files if file.path.suffix == ".csv" and file.path.name.startswith(names)]
    if not chosen:
        raise FathomError(f"There is no file {' or '.join(f'{name}*.csv' for name in names)}. Give its folder.")
    return [row for file in chosen for row in csv.DictReader(io.StringIO(file.text, newline=""))]


def _article(name: str) -> str:
    return name if name.startswith("PMC") else f"PMC{name}"


def _finding(row: dict[str, str], prompt: dict[str, str], length: int) -> QuotedFinding:
    start = row.get("Evidence Start", "")
    position = int(start) / length if length and start.isdecimal() else None
    quote = row["Annotations"].strip()
    return QuotedFinding(
        id=row["PromptID"],
        question=f"{prompt['Outcome']}, with {prompt['Intervention']} compared with {prompt['Comparator']}",
        options=tuple(LABELS.values()),
        label=LABELS[row["Label Code"]],
        evidence=(QuotedEvidence(quote, position=position),) if quote else (),
        valid=row["Valid Label"] == row["Valid Reasoning"] == "True",
    )

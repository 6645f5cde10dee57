"""Exports are read back without loss."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from random import Random
from typing import Literal

import pytest

from fathom.annotate.exporting import table, write_annotations
from fathom.annotate.project import Project
from fathom.api.annotating import create_project, export_annotations
from fathom.api.annotations import import_annotations
from fathom.corpus.store import Corpus
from fathom.records.annotations import Annotation
from fathom.records.documents import Claim, Document, Evidence
from fathom.records.errors import FathomError
from fathom.records.files import read_records, write_records
from fathom.records.spans import Span

WORDS = ("", "about the second board", "=1+1", "α, “quoted” and 🚀", "two lines\nT99\tClaim 0 9\tinjected", r"a\nb \ c")


def random_annotation(document: Document, annotator: str, rng: Random) -> Annotation:
    """Marks at random places: parts of sentences, several sentences, rows of tables, across paragraphs."""
    text = document.text

    def span() -> Span:
        while True:
            start = rng.randrange(len(text) - 40)
            end = min(len(text), start + rng.choice((25, 60, 200, 700)))
            # Words are not cut: an import takes the whole word.
            while start and not text[start - 1].isspace():
                start -= 1
            while end < len(text) and not text[end].isspace():
                end += 1
            piece = text[start:end]
            found = Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
            if sum(one.isalpha() for one in found.of(text)) > 12:
                return found

    shared = [
        Evidence(
            span=span(),
            polarity=rng.choice(("supports", "contradicts")),
            type=rng.choice((None, "primary", "secondary")),
            strength=rng.choice((None, "weak", "strong")),
            limitations=rng.choice(WORDS),
            note=rng.choice(WORDS),
        )
        for _ in range(6)
    ]
    claims = [
        Claim(
            span=span(),
            evidence=tuple(sorted(rng.sample(shared, rng.randrange(4)), key=lambda one: one.model_dump_json())),
            type=rng.choice((None, "result", "performance")),
            robustness=rng.choice((None, "high")),
            confidence=rng.choice((None, "low")),
            justified=rng.choice((None, True, False)),
            conclusion=rng.choice(WORDS),
            no_evidence_reason=rng.choice(WORDS),
            note=rng.choice(WORDS),
        )
        for _ in range(8)
    ]
    return Annotation(document=document.id, annotator=annotator, claims=tuple(claims))


def normalized(annotations: list[Annotation]) -> list[tuple[str, str, bool, list[tuple[str, list[str]]]]]:
    """The annotations in a fixed order."""
    return sorted(
        (
            annotation.document,
            annotation.annotator,
            annotation.complete,
            sorted(
                (
                    claim.model_copy(update={"evidence": ()}).model_dump_json(),
                    sorted(evidence.model_dump_json() for evidence in claim.evidence),
                )
                for claim in annotation.claims
            ),
        )
        for annotation in annotations
    )


@pytest.mark.parametrize("format", ["label-studio", "brat"])
@pytest.mark.parametrize("seed", range(3))
def test_files_of_other_tools_are_read_back_without_loss(
    format: Literal["label-studio", "brat"], seed: int, small: Corpus, tmp_path: Path
) -> None:
    rng = Random(seed)
    documents = [small.document(entry.id) for entry in list(small.entries())[seed::12]]
    written = [random_annotation(document, name, rng) for document in documents for name in ("Ada B.", "ben")]
    written.append(Annotation(document=documents[0].id, annotator="nobody marked"))
    out = tmp_path / ("brat" if format == "brat" else "export.json")
    write_annotations(written, small.text, format, out)
    report = import_annotations([out], small.folder, tmp_path / "read.jsonl", format)
    assert report.not_located == ()
    assert report.incomplete == 0
    assert normalized(list(read_records(tmp_path / "read.jsonl", Annotation))) == normalized(written)


def test_the_papers_json_is_read_back(small: Corpus, tmp_path: Path) -> None:
    document = small.document(next(small.entries()).id)
    texts = {sentence.of(document.text) for sentence in document.sentences}
    once = [sentence for sentence in document.sentences if document.text.count(sentence.of(document.text)) == 1]
    assert len(texts) > 20
    claims = tuple(
        Claim(span=once[number], evidence=(Evidence(span=once[number + 1]),), type="result") for number in (3, 9, 15)
    )
    written = [Annotation(document=document.id, annotator="ada", claims=claims)]
    write_annotations(written, small.text, "claim-bench", tmp_path / "paper.json")
    import_annotations([tmp_path / "paper.json"], small.folder, tmp_path / "read.jsonl", "claim-bench")
    assert normalized(list(read_records(tmp_path / "read.jsonl", Annotation))) == normalized(written)


def test_a_csv_has_a_row_for_each_link_and_no_formulas(small: Corpus) -> None:
    document = small.document(next(small.entries()).id)
    evidence = (Evidence(span=Span(10, 20)), Evidence(span=Span(30, 40), polarity="contradicts"))
    claims = (Claim(span=Span(0, 9), evidence=evidence, note="=cmd()"), Claim(span=Span(50, 60)))
    rows = list(
        csv.DictReader(
            io.StringIO(table([Annotation(document=document.id, annotator="ada", claims=claims)], small.text))
        )
    )
    assert [row["evidence_polarity"] for row in rows] == ["supports", "contradicts", ""]
    assert rows[0]["claim_note"] == "'=cmd()"
    assert rows[0]["claim_quote"] == document.text[:9]


def test_hostile_names_of_documents_stay_in_the_folder(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "/absolute", "..", "10.5555/a b%2F?*"]
    write_annotations(
        [Annotation(document=name, annotator="../up") for name in names],
        lambda id: "text\n",
        "brat",
        tmp_path / "x" / "brat",
    )
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert len(written) == 2 * len(names)
    assert {path.parts[:2] for path in written} == {("x", "brat")}


def test_only_finished_layers_are_exported(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    create_project(corpus, folder, ["ada"])
    with pytest.raises(FathomError, match="No layer"):
        export_annotations(folder, tmp_path / "out.jsonl")
    with Project(folder) as project:
        first, second = project.settings.documents
        from fathom.annotate.layers import ClaimMark, EvidenceMark

        text = "x" * 100
        project.change(
            first, "ada", 0, {"c-1": ClaimMark(span=Span(0, 9)), "e-1": EvidenceMark(span=Span(9, 12))}, text
        )
        project.change(second, "ada", 0, {"c-1": ClaimMark(span=Span(0, 9))}, text)
        project.set_done(first, "ada", 1, True)
        project.attest("ada")
    report = export_annotations(folder, tmp_path / "out.jsonl")
    assert (report.annotations, report.claims, report.unfinished, report.unlinked) == (1, 1, 1, 1)
    assert report.attested == ("ada",)
    both = export_annotations(folder, tmp_path / "all.jsonl", unfinished=True)
    assert both.annotations == 2
    found = {record.document: record.complete for record in read_records(tmp_path / "all.jsonl", Annotation)}
    assert found == {first: True, second: False}
    with pytest.raises(FathomError, match="cannot mark a layer"):
        export_annotations(folder, tmp_path / "x.csv", "csv", unfinished=True)


def test_the_own_format_has_one_record_per_line(tmp_path: Path, small: Corpus) -> None:
    one = Annotation(document=next(small.entries()).id, annotator="ada", claims=(Claim(span=Span(0, 5)),))
    write_annotations([one], small.text, "annotations", tmp_path / "own")
    write_records(tmp_path / "same", [one])
    assert (tmp_path / "own").read_bytes() == (tmp_path / "same").read_bytes()

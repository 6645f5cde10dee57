"""How well figures are extracted, against gold: by structure, from tables, and by extractors that vote.

    python benchmarks/extraction.py --corpora FOLDER [--seed N] [--parts generated,real,votes,embedded]

Gold are the planted facts of generated reports, and the CSV files beside the real corpora. Tables are measured on
documents whose facts were removed, and on files in several formats. Files of real corpora are split by the hash of
their names: the rules for tables were written with the first half. Exit code 1 if a figure from structure or tables is
different from the gold.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import fathom
from _measuring import workplace
from fathom.api.extraction import ExtractionOptions, extract_figures
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.catalog import reader_of
from fathom.corpus.readers.parsed_document import NoCompanions
from fathom.corpus.selftest import decompose, documents, pdf
from fathom.records.documents import Document
from fathom.records.files import read_records
from fathom.tasks.tables.figures import DocumentFigures, FigureId, StatedFigure, document_figures
from fathom.tasks.tables.pack import Pack, read_pack
from fathom.tasks.tables.simulated_extractor import predicted_shares
from fathom.tasks.tables.votes import VotedFigure, extraction_folder
from tables import DATA, RELATIVE_ERROR, SOURCES

DOMAINS = ("companies", "companies-zh", "universities", "housing")
ERRORS, MISS = (0.05, 0.1, 0.15), 0.05
"""The rates of three simulated extractors that vote."""
EMBEDDED, EMBEDDED_FIELDS = 12, 5
"""Documents and figures of each that the embedded model is asked for."""

Gold = dict[str, Decimal]
"""The values of a document by field."""


class Row(NamedTuple):
    """The result of one comparison."""

    source: str
    method: str
    counts: Counter[str]

    def __str__(self) -> str:
        equal, different, unknown = (self.counts[name] for name in ("equal", "different", "unknown"))
        stated = equal + different + unknown
        found = equal + different
        precision = f"{equal / found:.2%}" if found else "-"
        return (
            f"| {self.source} | {self.method} | {self.counts['documents']} | {stated:,} | {precision} | "
            f"{equal / max(1, stated):.1%} | {unknown / max(1, stated):.1%} |"
        )


def compared(source: str, method: str, read: Iterator[tuple[Gold, DocumentFigures | None]]) -> Row:
    """Compare the figures of documents with their gold."""
    counts: Counter[str] = Counter()
    for gold, figures in read:
        counts["documents"] += 1
        for field, wanted in gold.items():
            found = figures.figures.get(FigureId(field, figures.year)) if figures else None
            if not isinstance(found, StatedFigure) or found.value is None:
                counts["unknown"] += 1
            else:
                close = abs(found.value - wanted) <= abs(wanted) * RELATIVE_ERROR
                counts["equal" if close else "different"] += 1
    return Row(source, method, counts)


def own_values(document: Document, pack: Pack) -> Gold:
    """The planted values of a generated report, for its own year."""
    found = document_figures(document, pack)
    assert found is not None
    return {
        slot.field: figure.value
        for slot, figure in found.figures.items()
        if slot.year == found.year and isinstance(figure, StatedFigure) and figure.value is not None
    }


def pack_of(document: Document) -> Pack:
    return read_pack((document.subject or "").removesuffix("-zh"))


FORMATS: dict[str, Callable[[Document], dict[str, bytes]]] = {
    "Markdown": lambda document: {"report.md": document.text.encode()},
    "Word": lambda document: documents.docx(decompose.decompose(document)),
    "HTML": lambda document: documents.html_article(decompose.decompose(document)),
    "PDF": lambda document: pdf.pdf(decompose.decompose(document)),
}


def read_again(document: Document, write: Callable[[Document], dict[str, bytes]]) -> Document:
    """A document written to a file and read from it: without its facts."""
    name, content = next(iter(write(document).items()))
    reader = reader_of(name, content)
    assert reader is not None
    return assemble(next(iter(reader.read(content, name, NoCompanions())))).model_copy(update={"facts": ()})


def generated_rows(corpus: Path, per_format: int) -> Iterator[Row]:
    """Generated reports: their tables, and files in several formats."""
    with fathom.open_corpus(corpus) as opened:
        reports = list(opened.documents())
    for domain in DOMAINS:
        chosen = [one for one in reports if one.subject == domain]
        bare = ((own_values(one, pack_of(one)), _without_facts(one)) for one in chosen)
        yield compared(f"generated {domain}", "tables", bare)
    for name, write in FORMATS.items():
        chosen = reports[:: max(1, len(reports) // per_format)][:per_format]
        again = (
            (own_values(one, pack_of(one)), document_figures(read_again(one, write), pack_of(one))) for one in chosen
        )
        yield compared(f"generated, {name} files", "tables", again)


def _without_facts(document: Document) -> DocumentFigures | None:
    return document_figures(document.model_copy(update={"facts": ()}), pack_of(document))


def is_first_half(file: str) -> bool:
    return int(hashlib.sha1(file.encode()).hexdigest(), 16) % 2 == 0


def real_rows(corpora: Path) -> Iterator[Row]:
    """Filings and country profiles by structure; filings by their tables alone; university forms by tables."""
    for gold in SOURCES:
        rows = list(csv.DictReader((DATA / gold.folder / "key_metrics.csv").open(encoding="utf-8", newline="")))
        values = {
            Path(row["file"]).name: {
                field: Decimal(stated)
                for field, columns in gold.columns.items()
                if (stated := next((row[column] for column in columns if row[column]), ""))
            }
            for row in rows
        }
        pack = read_pack(gold.pack)
        yield from _corpus_rows(corpora / gold.folder, gold.folder, pack, values, ("structure", "tables"))
    with (DATA / "university-cds" / "c1_admissions_gold.csv").open(encoding="utf-8", newline="") as stream:
        names = {"first_year_applied": "applicants", "first_year_admitted": "admitted"}
        forms = {
            row["file"]: {field: Decimal(row[name]) for name, field in names.items() if row[name]}
            for row in csv.DictReader(stream)
        }
    yield from _corpus_rows(corpora / "university-cds", "university-cds", read_pack("universities"), forms, ("tables",))


def _corpus_rows(folder: Path, name: str, pack: Pack, gold: dict[str, Gold], methods: tuple[str, ...]) -> Iterator[Row]:
    with fathom.open_corpus(folder) as corpus:
        read = {Path(document.source).name: document for document in corpus.documents()}
    for method in methods:
        for half in (True, False):
            pairs = (
                (
                    gold[file],
                    document_figures(
                        document if method == "structure" else document.model_copy(update={"facts": ()}), pack
                    ),
                )
                for file, document in read.items()
                if file in gold and is_first_half(file) == half
            )
            row = compared(f"{name}, {'first' if half else 'second'} half", method, pairs)
            if method == "structure" or row.counts["equal"] + row.counts["different"]:
                yield row


def small_pack(folder: Path) -> str:
    """The pack of universities with its first fields alone."""
    content = (files("fathom.tasks.tables") / "packs" / "universities.toml").read_text("utf-8")
    first, *fields = content.split("\n[fields.")
    path = folder / "universities.toml"
    kept = [first.partition("comparable")[0], *fields[:EMBEDDED_FIELDS]]
    path.write_text("\n[fields.".join(kept), "utf-8")
    return str(path)


def vote_row(corpus: Path, pack: str, extractors: list[str], options: ExtractionOptions) -> Row:
    """Generated reports by extractors that vote."""
    extract_figures(pack, corpus, extractors, options)
    pack = read_pack(pack).name
    with fathom.open_corpus(corpus) as opened:
        gold = {one.id: own_values(one, pack_of(one)) for one in opened.documents() if pack_of(one).name == pack}
    counts: Counter[str] = Counter()
    voted_figures = list(read_records(extraction_folder(corpus, pack) / "figures.jsonl", VotedFigure))
    # Reports of universities name fields of companies, too.
    voted_figures = [voted for voted in voted_figures if voted.document in gold]
    for voted in voted_figures:
        wanted = gold[voted.document].get(voted.field)
        if wanted is not None:
            right = voted.fact is not None and voted.fact.value == wanted
            counts["unknown" if voted.fact is None else "equal" if right else "different"] += 1
    counts["documents"] = len({voted.document for voted in voted_figures})
    return Row(f"generated {pack}", " + ".join(extractors), counts)


PARTS = ("generated", "real", "votes", "embedded")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, help="a folder with corpora of the names in ../shared/data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, default=80)
    parser.add_argument("--parts", default="generated,real,votes", help=f"what to measure: {', '.join(PARTS)}")
    chosen = parser.parse_args()
    parts = chosen.parts.split(",")
    print("| source | method | documents | figures in the gold | precision | recall | unknown |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    different = 0
    with workplace() as folder:
        corpus = folder / "reports"
        fathom.generate(corpus, documents=chosen.documents, domains=list(DOMAINS), seed=chosen.seed).close()
        for row in exact_rows(corpus, parts, chosen.corpora):
            different += row.counts["different"]
            print(row, flush=True)
        if "votes" in parts:
            simulated = [f"sim/extractor?error={error}&miss={MISS}" for error in ERRORS]
            options = ExtractionOptions(tries=1, all_fields=True)
            for pack in ("companies", "universities", "housing"):
                print(vote_row(corpus, pack, simulated, options), flush=True)
        if "embedded" in parts:
            # Few figures, and only the rows with their labels: the model reads some hundred tokens a second.
            options = ExtractionOptions(
                tries=1, all_fields=True, figures_at_once=1, limit=EMBEDDED, max_document=200, max_tokens=120
            )
            print(vote_row(corpus, small_pack(folder), ["local/smollm2"], options), flush=True)
    shares = predicted_shares(ERRORS, MISS)
    accepted = shares.correct + shares.wrong
    print(
        f"predicted for votes with errors {ERRORS} and miss {MISS}: precision {shares.correct / accepted:.2%}, "
        f"recall {shares.correct:.1%}, unknown {1 - accepted:.1%}"
    )
    return 1 if different else 0


def exact_rows(corpus: Path, parts: Sequence[str], corpora: Path | None) -> Iterator[Row]:
    """Figures from structure and tables: none of them may differ from the gold."""
    if "generated" in parts:
        yield from generated_rows(corpus, per_format=8)
    if "real" in parts and corpora and DATA.exists():
        yield from real_rows(corpora)


if __name__ == "__main__":
    sys.exit(main())

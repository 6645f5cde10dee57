"""Generates one report of one entity from a domain, a seed and a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fathom.corpus.generated.draft import with_absent_fields
from fathom.corpus.generated.reports.companies import generate_company
from fathom.corpus.generated.reports.entity import Entity, Origin
from fathom.corpus.generated.reports.housing import generate_market
from fathom.corpus.generated.reports.ledger import FIRST_YEAR, REPORTS
from fathom.corpus.generated.reports.pack import LanguagePack, load_pack
from fathom.corpus.generated.reports.universities import generate_university
from fathom.corpus.generated.reports.writer import ReportWriter
from fathom.records.documents import Document
from fathom.records.errors import FathomError
from fathom.records.record import short_id


@dataclass(frozen=True, slots=True)
class ReportDomain:
    """A kind of report in one language."""

    words: str
    """The name of its metrics and word lists."""
    language: str
    generate: Callable[[Origin, LanguagePack], Entity]


DOMAINS: Mapping[str, ReportDomain] = {
    "companies": ReportDomain("companies", "en", generate_company),
    "universities": ReportDomain("universities", "en", generate_university),
    "housing": ReportDomain("housing", "en", generate_market),
    "companies-zh": ReportDomain("companies", "zh", generate_company),
}


def write_report(domain: str, seed: int, index: int) -> Document:
    """Report `index` of the domain: on entity `index // 5`, for its fiscal year number `index % 5`, from 2019 on.

    A fact about a segment, a faculty or a district names it as its `part`. Its status is relative to the entity's own
    reports: the 2018 column of the 2019 report is "reported", since there is no earlier report. A note that explains a
    restatement prints the old value too, as "repeated".
    """
    if domain not in DOMAINS:
        raise FathomError(f"There is no domain '{domain}'. Choose from: {', '.join(DOMAINS)}.")
    kind = DOMAINS[domain]
    pack = load_pack(kind.words, kind.language)
    number, year_index = divmod(index, REPORTS)
    entity = kind.generate(Origin(domain, seed, number), pack)
    year = FIRST_YEAR + year_index
    writer = ReportWriter(entity, pack, year)
    title = writer.write()
    document = Document(
        id=short_id("gen", "report", domain, seed, index),
        kind="report",
        language=kind.language,
        title=title,
        year=year,
        subject=domain,
        license="CC0-1.0",
        source=f"generated:{domain}:{seed}:{index}",
        text=writer.draft.text(),
        sections=tuple(writer.draft.sections),
        paragraphs=tuple(writer.draft.paragraphs),
        sentences=tuple(writer.draft.sentences),
        tables=tuple(writer.draft.tables),
        facts=tuple(writer.facts),
    )
    return with_absent_fields(document)

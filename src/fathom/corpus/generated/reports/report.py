"""One report of one entity, from a domain's name, a seed and a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fathom.corpus.generated.reports.companies import imagine_company
from fathom.corpus.generated.reports.entity import Entity, Origin
from fathom.corpus.generated.reports.housing import imagine_market
from fathom.corpus.generated.reports.ledger import FIRST_YEAR, REPORTS
from fathom.corpus.generated.reports.pack import Pack, load_pack
from fathom.corpus.generated.reports.universities import imagine_university
from fathom.corpus.generated.reports.writer import ReportWriter
from fathom.records.documents import Document
from fathom.records.errors import FathomError
from fathom.records.record import short_id


@dataclass(frozen=True, slots=True)
class Domain:
    """What the reports are about, and in which language."""

    words: str
    """Whose metrics and word lists it uses."""
    language: str
    imagine: Callable[[Origin, Pack], Entity]


DOMAINS: Mapping[str, Domain] = {
    "companies": Domain("companies", "en", imagine_company),
    "universities": Domain("universities", "en", imagine_university),
    "housing": Domain("housing", "en", imagine_market),
    "companies-zh": Domain("companies", "zh", imagine_company),
}


def write_report(domain: str, seed: int, index: int) -> Document:
    """Report `index` of the domain: on entity `index // 5`, for its fiscal year number `index % 5`, from 2019 on.

    A fact about a segment, a faculty or a district names it as its `part`. Its status is seen from the entity's own
    reports: the 2018 column of the 2019 report is "reported", since no earlier report is there to repeat. A note that
    explains a restatement prints the old value too, as "repeated".
    """
    if domain not in DOMAINS:
        raise FathomError(f"There is no domain '{domain}'. Choose one of: {', '.join(DOMAINS)}.")
    kind = DOMAINS[domain]
    pack = load_pack(kind.words, kind.language)
    number, place = divmod(index, REPORTS)
    entity = kind.imagine(Origin(domain, seed, number), pack)
    year = FIRST_YEAR + place
    writer = ReportWriter(entity, pack, year)
    title = writer.write()
    return Document(
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

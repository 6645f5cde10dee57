"""Questions about figures scattered over many documents: filter, rank, compare, aggregate, and composite metrics."""

from __future__ import annotations

from fathom.scoring.check import check_response
from fathom.tasks.family import Family, Fault, Item, PerContext, Tag
from fathom.tasks.tables.audit import TablesAuditor
from fathom.tasks.tables.build import NAME, TablesBuilder
from fathom.tasks.tables.diagnose import Diagnoser
from fathom.tasks.tables.faults import FAULTS
from fathom.tasks.tables.key_tables import explain
from fathom.tasks.tables.passages import required_passages
from fathom.tasks.tables.settings import TablesSettings
from fathom.tasks.tables.simulate import Simulator
from fathom.tasks.text_views import text_views

_READING = frozenset({"other-column", "unknown-as-zero"})


def _fault(name: str, description: str) -> Fault:
    return Fault(
        name,
        description,
        "finding" if name == "miss-document" else "reading" if name in _READING else "computing",
    )


def _leaks(item: Item) -> dict[str, str]:
    return {"programs": item.key.proof.program}


FAMILY = Family(
    name=NAME,
    summary="Statistics over figures scattered across many documents, by domain packs.",
    settings=TablesSettings,
    build=PerContext(
        TablesBuilder,
        shortfall=lambda settings, made: (
            {"the documents allow no more": settings.questions - made} if made < settings.questions else {}
        ),
        explain_empty=lambda settings: (
            "no pack finds four entities of one year, language and currency in one of them. "
            "Use contexts of one domain: fathom contexts --subjects companies."
        ),
    ),
    check=check_response,
    audit=TablesAuditor,
    views=lambda corpus: text_views(corpus, __package__ or ""),
    tags=(
        Tag("level", "Level", summary=True),
        Tag("operation", "Operation", summary=True),
        Tag("domain", "Domain"),
        Tag("language", "Language"),
        Tag("length", "Context length", summary=True),
        Tag("documents", "Documents needed"),
        Tag("spread", "Share of the context between the first and the last needed document"),
    ),
    cross_tabs=(("level", "length"), ("level", "documents")),
    faults=(
        Fault("miss", "misses each document with this probability", "finding", diagnosed=False),
        *(_fault(fault.name, fault.describe) for fault in FAULTS.values()),
    ),
    simulate=Simulator,
    diagnose=Diagnoser,
    passages=required_passages,
    explain=explain,
    leaks=_leaks,
)

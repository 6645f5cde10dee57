"""Questions about figures scattered over many documents: filter, rank, compare, aggregate, and composite metrics."""

from __future__ import annotations

from itertools import islice

from fathom.corpus.store import Corpus
from fathom.models.simulated import FaultOperation
from fathom.tasks.family import Allotment, Family, Fault, PerContext, Preparation, Tag, program_leaks
from fathom.tasks.tables import allotment, baselines
from fathom.tasks.tables.audit import TablesAuditor
from fathom.tasks.tables.build import NAME, TablesBuilder
from fathom.tasks.tables.check import check_answer
from fathom.tasks.tables.diagnose import Diagnoser
from fathom.tasks.tables.dispersion import DISTANCES, SPREADS
from fathom.tasks.tables.extracted_values import extracted_values
from fathom.tasks.tables.faults import DESCRIPTIONS, FINDING, READING
from fathom.tasks.tables.figures import document_figures
from fathom.tasks.tables.judge import JUDGE
from fathom.tasks.tables.key_tables import explain
from fathom.tasks.tables.pack_draft import can_draft
from fathom.tasks.tables.passages import required_passages
from fathom.tasks.tables.presets import CORPUSQA
from fathom.tasks.tables.query_parts import LEVELS
from fathom.tasks.tables.refit import TablesRefitter
from fathom.tasks.tables.settings import TablesSettings
from fathom.tasks.tables.simulate import Simulator
from fathom.tasks.tables.views import views
from fathom.tasks.tables.votes import votes_digests

LOOKED_AT, DRAFTED_FROM = 12, 100
"""Documents that are searched for figures, and for recurring labels, before the family is suggested."""


def _fault(name: str, description: str) -> Fault:
    operation: FaultOperation = "finding" if name in FINDING else "reading" if name in READING else "computing"
    return Fault(name, description, operation)


def _has_figures(corpus: Corpus) -> bool:
    """Whether a pack of Fathom finds figures in the first documents, or a pack can be drafted from them."""
    first = islice(corpus.entries(), LOOKED_AT)
    if not any(corpus.fact_sheet(entry.id).facts or corpus.document(entry.id).tables for entry in first):
        return False
    return _preparation(corpus) is None or can_draft(corpus, DRAFTED_FROM)


def _preparation(corpus: Corpus) -> Preparation | None:
    """A pack has to be drafted if the packs of Fathom find no figures in the first documents."""
    packs = TablesSettings().read_packs()
    for entry in islice(corpus.entries(), LOOKED_AT):
        sheet = corpus.fact_sheet(entry.id)
        document = sheet if sheet.facts else corpus.document(entry.id)
        if any((figures := document_figures(document, pack)) is not None and figures.figures for pack in packs):
            return None
    return Preparation("fathom pack draft CORPUS --out pack.toml", "--packs pack.toml")


def _shortfall(settings: TablesSettings, built: int) -> dict[str, int]:
    lacking = 0 if settings.domains else settings.questions - built
    return {"the documents allow no more": lacking} if lacking > 0 else {}


FAMILY = Family(
    name=NAME,
    summary="Statistics over figures scattered across many documents, by domain packs.",
    settings=TablesSettings,
    build=PerContext(
        TablesBuilder,
        shortfall=_shortfall,
        inputs=lambda settings, corpus: (*settings.pack_hashes().values(), *votes_digests(corpus.folder)),
        report=TablesSettings.report,
        measure=baselines.BaselineMeasurement,
        replace=TablesBuilder.replace,
        allotment=Allotment(allotment.shares, TablesBuilder.build_share, allotment.missing),
        explain_empty=lambda settings: (
            "questions need two figures that are known for at least four entities (such as companies) of one year, "
            "language and currency, and no context has them. Add documents of one kind and year, sample contexts by "
            "year with `fathom contexts --sampling year`, or describe other figures in a pack of your own, which "
            "`fathom pack draft CORPUS --out own.toml` drafts."
        ),
        kind="report",
        suits=_has_figures,
        preparation=_preparation,
    ),
    check=check_answer,
    judge=JUDGE,
    audit=TablesAuditor,
    views=views,
    values=extracted_values,
    refit=TablesRefitter,
    no_swap=(
        "reports state a figure several times, also rounded or as a part of sums, which would have to change together. "
        "Generated reports of another --seed have figures that no model knows"
    ),
    tags=(
        Tag("level", "Level", summary=True, values=LEVELS),
        Tag("operation", "Operation", summary=True),
        Tag("domain", "Domain", summary=True),
        Tag("language", "Language"),
        Tag("length", "Context length", summary=True),
        Tag("documents", "Documents needed"),
        Tag("spread", "Share of the context between the first and the last needed document", values=SPREADS),
        Tag("distance", "Tokens from one needed document to the next, median", values=DISTANCES),
    ),
    macro_tag="domain",
    presets={"corpusqa": CORPUSQA},
    cross_tabs=(("level", "length"), ("level", "documents"), ("domain", "length")),
    faults=(
        Fault("miss", "misses each document with this probability", "finding", diagnosed=False),
        *(_fault(name, description) for name, description in DESCRIPTIONS.items()),
    ),
    simulate=Simulator,
    diagnose=Diagnoser,
    passages=required_passages,
    starter=lambda corpus, questions: {"questions": questions},
    compares_one_year=True,
    explain=explain,
    describe=baselines.describe,
    leaks=program_leaks,
)

"""Which claims does an article make, and what is the evidence for them?"""

from __future__ import annotations

from fathom.tasks.claims.audit import ClaimsAuditor
from fathom.tasks.claims.build import SIZES, ClaimsBuilder
from fathom.tasks.claims.check import check
from fathom.tasks.claims.describe import describe, describe_baselines
from fathom.tasks.claims.faults import FAULTS
from fathom.tasks.claims.measures import empty_counts
from fathom.tasks.claims.reported_measures import DISTRIBUTIONS, FIGURES, MEASURES
from fathom.tasks.claims.settings import TASKS, ClaimsSettings
from fathom.tasks.claims.simulate import Simulator
from fathom.tasks.family import Family, FromCorpus, Tag
from fathom.tasks.text_views import text_views

FAMILY = Family(
    name="claims",
    summary="Claims and their evidence: find them, link them, and judge the evidence of whole articles.",
    settings=ClaimsSettings,
    build=FromCorpus(ClaimsBuilder),
    check=check,
    check_reads_context=True,
    audit=ClaimsAuditor,
    views=lambda corpus, report: text_views(corpus, __name__),
    tags=(
        Tag("task", "Task", summary=True, values=TASKS),
        Tag("size", "Length of the context", values=SIZES),
        Tag("subject", "Subject of the documents"),
    ),
    measures=MEASURES,
    distributions=DISTRIBUTIONS,
    figures=FIGURES,
    empty_measures=empty_counts,
    faults=FAULTS,
    simulate=Simulator,
    describe=describe,
    baselines=describe_baselines,
)

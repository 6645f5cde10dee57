"""Has the model memorized the documents? Probes that cannot be answered from the shown text alone."""

from __future__ import annotations

from fathom.tasks.family import Family, FromCorpus, Tag
from fathom.tasks.memorization.audit import MemorizationAuditor
from fathom.tasks.memorization.build import MemorizationSettings, ProbeBuilder, describe
from fathom.tasks.memorization.check import check
from fathom.tasks.memorization.simulate import Simulator
from fathom.tasks.text_views import text_views

FAMILY = Family(
    name="memorization",
    summary="Probes for memorized documents: continue a citation, restore a word of a title.",
    settings=MemorizationSettings,
    build=FromCorpus(ProbeBuilder),
    check=check,
    audit=MemorizationAuditor,
    views=lambda corpus, report: text_views(corpus, __name__),
    tags=(Tag("task", "Task", summary=True), Tag("year", "Year"), Tag("subject", "Subject of the documents")),
    cross_tabs=(("task", "year"),),
    probe_tag="task",
    simulate=Simulator,
    describe=describe,
)

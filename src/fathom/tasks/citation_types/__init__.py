"""Does a citation name what it cites? A model's answers are compared with the rule that classifies citations."""

from __future__ import annotations

from fathom.tasks.citation_types.audit import CitationTypesAuditor
from fathom.tasks.citation_types.build import CitationTypeBuilder, CitationTypeSettings, describe
from fathom.tasks.citation_types.simulate import Simulator
from fathom.tasks.citations.type_rule import check_type
from fathom.tasks.family import Family, Fault, FromCorpus, Tag
from fathom.tasks.text_views import text_views

FAMILY = Family(
    name="citation_types",
    summary="Whether a citation names what it cites; checks the rule behind the types of `citations`.",
    settings=CitationTypeSettings,
    build=FromCorpus(CitationTypeBuilder),
    check=check_type,
    audit=CitationTypesAuditor,
    views=lambda corpus, report: text_views(corpus, __name__),
    tags=(Tag("length", "Context length", summary=True),),
    faults=(Fault("miss", "names the other type with this probability", "finding", diagnosed=False),),
    simulate=Simulator,
    describe=describe,
)

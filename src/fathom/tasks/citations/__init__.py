"""Which work is cited here? Masked citations, with candidates from the paper's reference list."""

from __future__ import annotations

from fathom.corpus.store import Corpus
from fathom.scoring.check import check_response
from fathom.tasks.citations.audit import CitationsAuditor
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.describe import describe, explain
from fathom.tasks.citations.diagnose import Diagnoser
from fathom.tasks.citations.passages import PassageFinder
from fathom.tasks.citations.settings import LEVELS, CitationSettings
from fathom.tasks.citations.simulate import Simulator
from fathom.tasks.citations.swap import Swapper
from fathom.tasks.family import Family, Fault, FromCorpus, Pairing, Tag
from fathom.tasks.text_views import text_views


def _usable_links(corpus: Corpus) -> int:
    """The number of links from papers that can be asked about; a few of them do not give an item four candidates."""
    usable = {entry.id for entry in corpus.entries() if entry.knows(("citations", "references"))}
    return sum(link.citing in usable for link in corpus.links())


FAMILY = Family(
    name="citations",
    summary="Which works a paper cites at one mask or at four; every item has its own context.",
    settings=CitationSettings,
    build=FromCorpus(CitationBuilder),
    check=check_response,
    audit=CitationsAuditor,
    views=lambda corpus, report: text_views(corpus, __name__),
    tags=(
        Tag("task", "Task", summary=True),
        Tag("level", "Level", summary=True, values=tuple(LEVELS)),
        Tag("type", "Citation type"),
        Tag("setting", "Setting"),
        Tag("candidate-text", "Text of the candidates"),
        Tag("sampling", "Choice of the candidates"),
        Tag("candidates", "Number of candidates"),
        Tag("citations", "Citations at the masks", values=("lone", "grouped")),
        Tag("scope", "Scope"),
        Tag("mask", "Hidden mentions"),
        Tag("length", "Context length", summary=True),
        Tag("year", "Year"),
        Tag("subject", "Subject of the documents"),
        Tag("pair", "Items with the same masks", grouped=False),
    ),
    cross_tabs=(("task", "level"), ("type", "year")),
    pairing=Pairing("pair", ("candidate-text", "sampling", "candidates", "scope", "mask")),
    faults=(
        Fault("miss", "misses each candidate with this probability", "finding", diagnosed=False),
        Fault(
            "shared-words", "takes the candidate that shares most words with the sentence", "reading", simulated=False
        ),
        Fault("first", "takes the first candidate, or all in order", "computing", simulated=False),
        Fault("last", "takes the last candidate, or all in the opposite order", "computing", simulated=False),
        Fault("left-out", "leaves out one work of a group", "finding", simulated=False),
        Fault("added", "adds a candidate that the group does not cite", "reading", simulated=False),
        Fault("mixed-up", "gives the works of two masks to one another", "reading", simulated=False),
    ),
    swap=Swapper,
    simulate=Simulator,
    diagnose=Diagnoser,
    passages=PassageFinder,
    starter=lambda corpus, questions: {"items": questions} if _usable_links(corpus) >= 40 else None,
    explain=explain,
    describe=describe,
)

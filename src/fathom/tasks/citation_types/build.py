"""Builds a question for every citation that `citations` could use: does its sentence name what it cites?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import JsonValue

from fathom.contexts.assembly import PlacedDocument, assemble
from fathom.corpus.store import Corpus
from fathom.records.documents import Passage
from fathom.records.lengths import format_length
from fathom.records.questions import Question
from fathom.records.record import digest, short_id
from fathom.scoring.answers import Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.citations.build import CitationBuilder
from fathom.tasks.citations.draft import mark
from fathom.tasks.citations.item_layout import bucket, counter
from fathom.tasks.citations.papers import STEPS, Mask, Paper, place_name
from fathom.tasks.citations.settings import CitationSettings
from fathom.tasks.citations.shown_text import show
from fathom.tasks.family import ContextItems, FamilySettings, Item

NAME = "citation_types"
QUESTION = "Does the sentence with [[CITATION]] name what it cites? Answer with one word: attributional or descriptive."


class CitationTypeSettings(FamilySettings):
    """The family has no settings: it asks about every citation that `citations` could use."""


class CitationTypeBuilder:
    """Builds the questions of one corpus. The key is the rule's classification: accuracy is agreement with the rule."""

    def __init__(self, corpus: Corpus, settings: CitationTypeSettings, seed: int) -> None:
        self._corpus = corpus
        self._citations = CitationBuilder(corpus, CitationSettings(), seed)
        self._steps: Counter[str] = Counter()
        self._papers = 0

    def build(self) -> Iterator[ContextItems]:
        """Each question with its context, which is the paragraph of the citation."""
        for paper in self._citations.papers():
            self._papers += 1
            text = paper.text
            fingerprint = digest(text.encode())
            for mask in paper.masks:
                yield _item(paper, mask, fingerprint)
            self._steps.update(paper.steps)

    def report(self) -> dict[str, JsonValue]:
        """The number of papers, and of citations that meet each requirement."""
        steps: dict[str, JsonValue] = {step: self._steps[step] for step in STEPS}
        return {"papers": self._papers, "citations": steps, "left out": self._citations.report()["left out"]}

    def explain_empty(self) -> str:
        return self._citations.explain_empty()


def describe(report: dict[str, JsonValue]) -> list[str]:
    """The summary of a build in one line."""
    steps = report["citations"]
    assert isinstance(steps, dict)
    counted = ", ".join(f"{step} {number}" for step, number in steps.items())
    left_out = report.get("left out")
    assert isinstance(left_out, dict | None)
    unused = [f"  not used: {what} {count}" for what, count in (left_out or {}).items()]
    return [f"  citations of {report['papers']} {'paper' if report['papers'] == 1 else 'papers'}: {counted}", *unused]


def _item(paper: Paper, mask: Mask, fingerprint: bytes) -> ContextItems:
    document = paper.document
    around = next((span for span in document.paragraphs if span.contains(mask.place)), mask.sentence)
    shown = show(document, paper.text, [around], [(mask.place, f" {mark('choice', 1)}")])
    piece = PlacedDocument(document.id, fingerprint, len(shown.text), counter().count(shown.text), shown.edits)
    context = assemble([piece], counter(), length=bucket)
    id = short_id("q", context.id, NAME)
    # The type is not a tag, since a question must not reveal its answer.
    tags = {"length": format_length(context.length)}
    question = Question(id=id, family=NAME, context_id=context.id, text=QUESTION, tags=tags)
    return ContextItems(context, [Item(question, _key(id, paper, mask))])


def _key(id: str, paper: Paper, mask: Mask) -> Key:
    place = place_name(paper.document.id, mask.place)
    return Key(
        question_id=id,
        answer=Text(value=mask.citation_type),
        proof=Proof(
            program=f"the citation_type of {place}",
            rows=((paper.document.id, f"{mask.place.start}-{mask.place.end}", mask.citation_type),),
            passages=(Passage(document=paper.document.id, span=mask.sentence),),
        ),
    )

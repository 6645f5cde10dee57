"""Builds probes from a corpus: the requested number of each kind, spread over the years of the documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import zip_longest
from typing import Annotated

from pydantic import Field, JsonValue

from fathom.contexts.assembly import Piece, assemble
from fathom.contexts.layout import forges_boundary
from fathom.corpus.publication_dates import publication_month
from fathom.corpus.store import Corpus
from fathom.corpus.swap_titles import distinctive_words
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.contexts import Context, apply_edits
from fathom.records.documents import Document, DocumentId, Passage, Position
from fathom.records.questions import Question
from fathom.records.record import digest, short_id
from fathom.records.rng import rng_for
from fathom.scoring.answers import Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import FamilySettings, Item
from fathom.tasks.memorization.probes import BLANK, LEAST, STEPS, CitationProbes, Probe, Task, title_probe

NAME = "memorization"
SEED_LABEL = "recall"
"""Label of this family's random draws: its former name, kept so that the same seed gives the same probes."""


class MemorizationSettings(FamilySettings):
    """How many probes of which kinds are built."""

    probes: Annotated[tuple[Task, ...], Field(min_length=1)] = ("citation", "title")
    """Kinds of probes: the author with whom a citation continues, or a word of the title."""
    items: Position = 400
    """Probes of each kind."""
    per_paper: Position = 4
    """The maximum number of citations probed in one document."""
    characters: Annotated[int, Field(ge=LEAST)] = 20_000
    """The most text shown before a citation; what is longer starts at a later paragraph."""


class ProbeBuilder:
    """Builds the probes of one corpus."""

    def __init__(self, corpus: Corpus, settings: MemorizationSettings, seed: int) -> None:
        self.settings = settings
        self._corpus = corpus
        self._seed = seed
        self._made: Counter[str] = Counter()
        self._steps: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()

    @cached_property
    def _frequency(self) -> Counter[str]:
        """The number of titles that contain each word."""
        return Counter(word for listed in self._corpus.entries() for word in distinctive_words(listed.title))

    def build(self) -> Iterator[tuple[Context, list[Item]]]:
        """Each probe with its context."""
        for id in self._order():
            if all(self._is_full(task) for task in self.settings.probes):
                break
            document = self._corpus.document(id)
            for probe in self._probes(document):
                self._made[probe.task] += 1
                context = _context(probe)
                yield context, [item(probe, context)]

    def _order(self) -> list[DocumentId]:
        """Every document, one of each year in turn: a trend over years needs all of them."""
        years: dict[int, list[DocumentId]] = defaultdict(list)
        for listed in self._corpus.entries():
            years[listed.year or 0].append(listed.id)
        for year, ids in years.items():
            rng_for(self._seed, SEED_LABEL, year).shuffle(ids)
        turns = zip_longest(*(ids for _, ids in sorted(years.items())))
        return [id for turn in turns for id in turn if id is not None]

    def _is_full(self, task: str) -> bool:
        return self._made[task] >= self.settings.items

    def _probes(self, document: Document) -> Iterator[Probe]:
        if forges_boundary(document.text.encode()):
            self._documents["with a boundary line"] += 1
            return
        rng = rng_for(self._seed, SEED_LABEL, document.id)
        self._documents["examined"] += 1
        if "title" in self.settings.probes and not self._is_full("title"):
            probe = title_probe(document, self._frequency, rng)
            self._documents["without a distinctive word in the title"] += probe is None
            yield from () if probe is None else (probe,)
        if "citation" in self.settings.probes and not self._is_full("citation"):
            yield from self._citations(document)

    def _citations(self, document: Document) -> Iterator[Probe]:
        citing = CitationProbes(document, self.settings.characters)
        found = list(citing.probes())
        self._steps.update(citing.steps)
        self._documents["whose citations name no author"] += bool(document.citations) and not citing.steps[STEPS[2]]
        rng = rng_for(self._seed, SEED_LABEL, "citations", document.id)
        room = min(self.settings.per_paper, self.settings.items - self._made["citation"], len(found))
        yield from sorted(rng.sample(found, room), key=lambda probe: probe.place)

    def report(self) -> dict[str, JsonValue]:
        """The number of probes, and of documents and citations that could not be used."""
        return {
            "requested": self.settings.items,
            "built": {task: self._made[task] for task in self.settings.probes},
            "documents": dict(sorted(self._documents.items())),
            "citations": {step: self._steps[step] for step in STEPS},
        }

    def explain_empty(self) -> str:
        """Why no probe could be built."""
        for _ in self.build():  # it yields nothing, and counts the steps
            pass
        steps = ", ".join(f"{step} {self._steps[step]:,}" for step in STEPS)
        reasons = {
            "title": "no title has a distinctive word",
            "citation": f"no citation continues with a name that is new in the text (citations: {steps})",
        }
        wanted = {"title": "that have titles", "citation": "that cite by author and year"}
        return (
            f"No document of '{self._corpus.folder}' can be probed: "
            f"{', and '.join(reasons[task] for task in self.settings.probes)}. "
            f"Ingest documents {' or '.join(wanted[task] for task in self.settings.probes)}."
        )


def _context(probe: Probe) -> Context:
    """The context that shows only the probe's text."""
    text = apply_edits(probe.document.text, probe.edits)
    counter = tokenizer(DEFAULT)
    fingerprint = digest(probe.document.text.encode())
    piece = Piece(probe.document.id, fingerprint, len(text), counter.count(text), probe.edits)
    return assemble([piece], counter, length=lambda tokens: -(-tokens // 1_024) * 1_024)


def item(probe: Probe, context: Context) -> Item:
    """The probe as a question, with its key."""
    document, place = probe.document, f"{probe.place.start}-{probe.place.end}"
    tags: dict[str, str] = {"task": probe.task}
    month = publication_month(document)
    if month is not None:
        tags["year"] = str(month.year)
    if document.subject is not None:
        tags["subject"] = document.subject
    id = short_id("q", context.id)
    asks = f"cites entry {probe.entry}" if probe.task == "citation" else "has in its title"
    return Item(
        Question(id=id, family=NAME, context_id=context.id, text=wording(probe.task, document), tags=tags),
        Key(
            question_id=id,
            answer=Text(value=probe.names[0], aliases=probe.names[1:]),
            proof=Proof(
                program=f"{document.id} {asks} at {place}",
                rows=((document.id, str(probe.entry), place, probe.names[0]),),
                passages=(Passage(document=document.id, span=probe.place),),
            ),
        ),
    )


def wording(task: str, document: Document) -> str:
    """The question's wording; for a title with the document's venue and year, if they are known."""
    if task == "citation":
        return (
            "The text breaks off in the middle. Continue it: write the very words that come next in the document, "
            "citations included."
        )
    where = f" in {document.venue}" if document.venue else ""
    when = f" in {document.year}" if document.year is not None else ""
    published = f" It appeared{where}{when}." if where or when else ""
    return f"One word of the document's title reads {BLANK}.{published} Which word is it? Give the word alone."

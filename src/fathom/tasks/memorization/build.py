"""Probes from a corpus: as many of each task as were asked for, spread over the years of the documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import zip_longest
from typing import Annotated

from pydantic import Field, JsonValue

from fathom.contexts.assembly import Piece, assemble
from fathom.contexts.layout import forges_boundary
from fathom.corpus.publication_dates import appeared
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
    """The most citations probed in one document."""
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
        """In how many titles each word stands."""
        return Counter(word for listed in self._corpus.entries() for word in distinctive_words(listed.title))

    def build(self) -> Iterator[tuple[Context, list[Item]]]:
        """Each probe with its own context."""
        for id in self._order():
            if all(self._is_full(task) for task in self.settings.probes):
                break
            document = self._corpus.document(id)
            for probe in self._probes(document):
                self._made[probe.task] += 1
                context = _laid_out(probe)
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
            self._documents["could be taken for several"] += 1
            return
        rng = rng_for(self._seed, SEED_LABEL, document.id)
        self._documents["looked at"] += 1
        if "title" in self.settings.probes and not self._is_full("title"):
            probe = title_probe(document, self._frequency, rng)
            self._documents["without a telling word in the title"] += probe is None
            yield from () if probe is None else (probe,)
        if "citation" in self.settings.probes and not self._is_full("citation"):
            yield from self._citations(document)

    def _citations(self, document: Document) -> Iterator[Probe]:
        citing = CitationProbes(document, self.settings.characters)
        found = list(citing.probes())
        self._steps.update(citing.steps)
        self._documents["whose citations name nobody"] += bool(document.citations) and not citing.steps[STEPS[2]]
        rng = rng_for(self._seed, SEED_LABEL, "citations", document.id)
        room = min(self.settings.per_paper, self.settings.items - self._made["citation"], len(found))
        yield from sorted(rng.sample(found, room), key=lambda probe: probe.place)

    def report(self) -> dict[str, JsonValue]:
        """What was made, and how many documents and citations fell out where."""
        return {
            "requested": self.settings.items,
            "built": {task: self._made[task] for task in self.settings.probes},
            "documents": dict(sorted(self._documents.items())),
            "citations": {step: self._steps[step] for step in STEPS},
        }

    def explain_empty(self) -> str:
        """Why nothing can be probed."""
        for _ in self.build():  # it makes nothing, and counts what falls out where
            pass
        steps = ", ".join(f"{step} {self._steps[step]:,}" for step in STEPS)
        reasons = {
            "title": "no title has a telling word",
            "citation": f"no citation goes on with a name that was not named before (citations {steps})",
        }
        wanted = {"title": "that have titles", "citation": "that cite by author and year"}
        return (
            f"Nothing of '{self._corpus.folder}' can be probed: "
            f"{', and '.join(reasons[task] for task in self.settings.probes)}. "
            f"Ingest articles {' or '.join(wanted[task] for task in self.settings.probes)}."
        )


def _laid_out(probe: Probe) -> Context:
    """The context that shows the probe's piece alone."""
    text = apply_edits(probe.document.text, probe.edits)
    counter = tokenizer(DEFAULT)
    fingerprint = digest(probe.document.text.encode())
    piece = Piece(probe.document.id, fingerprint, len(text), counter.count(text), probe.edits)
    return assemble([piece], counter, length=lambda tokens: -(-tokens // 1_024) * 1_024)


def item(probe: Probe, context: Context) -> Item:
    """The probe as a question, and its key."""
    document, place = probe.document, f"{probe.place.start}-{probe.place.end}"
    tags: dict[str, str] = {"task": probe.task}
    month = appeared(document)
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
    """What is asked; of a title with where and when it appeared, as far as that is known."""
    if task == "citation":
        return (
            "The text breaks off in the middle. Continue it: write the very words that come next in the document, "
            "citations included."
        )
    where = f" in {document.venue}" if document.venue else ""
    when = f" in {document.year}" if document.year is not None else ""
    told = f" It appeared{where}{when}." if where or when else ""
    return f"One word of the document's title reads {BLANK}.{told} Which word is it? Give the word alone."

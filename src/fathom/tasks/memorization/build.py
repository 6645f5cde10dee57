"""Builds probes from a corpus: the requested number of each kind, spread over the years of the documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from random import Random
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from fathom.contexts.assembly import PlacedDocument, assemble
from fathom.contexts.layout import forges_boundary
from fathom.corpus.publication_dates import publication_month
from fathom.corpus.store import Corpus
from fathom.corpus.swap_titles import distinctive_words
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.contexts import Context, Edit, apply_edits
from fathom.records.documents import Citation, Document, DocumentId, FieldName, Passage, PositiveInt
from fathom.records.names import WORD, family_name, plain_word
from fathom.records.questions import Question
from fathom.records.record import digest, short_id
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.scoring.answers import Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.citations.mentions import Mentions
from fathom.tasks.family import ContextItems, FamilySettings, Item
from fathom.tasks.memorization.check import contains_name, names_occur_early

ProbeTask = Literal["citation", "title"]

BLANK = "____"
"""Replaces the hidden word of a title."""

MIN_CHARACTERS = 400
"""The minimum number of characters shown before a citation: a shorter text does not identify the document."""

STEPS = ("alone", "resolved", "named in the text", "not named before")
"""The requirements of a citation, in the order in which they are checked."""


@dataclass(frozen=True)
class Probe:
    """Part of a document, and the name or word that a model with the document memorized would give."""

    task: ProbeTask
    document: Document
    place: Span
    """The hidden span: the citation, or the word of the title."""
    names: tuple[str, ...]
    """The correct name or word, and other spellings of it."""
    entry: int
    """The number of the cited entry in the reference list; zero for a title."""
    edits: tuple[Edit, ...]
    """The edits that turn the document's text into the shown text."""


class CitationProbes:
    """The citations of one document that can be probed."""

    def __init__(self, document: Document, characters: int) -> None:
        self._document = document
        self._characters = characters
        self._mentions = Mentions(document, document.text)
        self.steps: Counter[str] = Counter()
        """The number of citations that meet each requirement of `STEPS`; filled by `probes`."""

    def probes(self) -> Iterator[Probe]:
        """A probe for each citation that continues with a name not contained in the text before it."""
        for citation in self._document.single_citations():
            self.steps["alone"] += 1
            names = self._names(citation)
            if not names:
                continue
            self.steps["resolved"] += 1
            place = self._mentions.place_of(citation)
            if not names_occur_early(names, self._document.text[place.start :]):
                continue
            self.steps["named in the text"] += 1
            shown = self._shown(place.start)
            if shown is None or any(contains_name(shown.of(self._document.text), name) for name in names):
                continue
            self.steps["not named before"] += 1
            yield Probe("citation", self._document, place, names, citation.reference or 0, self._edits(shown))

    def _names(self, citation: Citation) -> tuple[str, ...]:
        """The family name of the cited work's first author; none if the entry has no authors."""
        if citation.reference is None:
            return ()
        authors = self._document.references[citation.reference - 1].authors
        name = family_name(authors[0].of(self._document.text)) if authors else ""
        return (name,) if sum(len(word) for word in WORD.findall(name)) > 1 else ()

    def _shown(self, cut: int) -> Span | None:
        """The text shown before a citation, from the start of a paragraph; None if it is too short."""
        text = self._document.text
        end = len(text[:cut].rstrip())
        first = max(0, end - self._characters)
        start = (
            0 if first == 0 else next((span.start for span in self._document.paragraphs if span.start >= first), end)
        )
        return Span(start, end) if end - start >= MIN_CHARACTERS and not text[start].isspace() else None

    def _edits(self, shown: Span) -> tuple[Edit, ...]:
        before = (Edit(span=Span(0, shown.start)),) if shown.start else ()
        return (*before, Edit(span=Span(shown.end, len(self._document.text)), text="\n"))


def title_probe(document: Document, frequency: Mapping[str, int], rng: Random) -> Probe | None:
    """The title without its rarest word, and the byline; None if no word is distinctive."""
    text, title = document.text, document.title
    kept = [title, *(author.span for author in document.authors)]
    byline = " ".join(span.of(text) for span in kept[1:])
    words = [word for word in distinctive_words(title.of(text)) if not contains_name(byline, word)]
    if not words or any(span.start < title.end for span in kept[1:]):
        return None
    # A frequent word can be guessed: "models" after "large language" does not show memorization.
    rarest = min(frequency.get(word, 0) for word in words)
    word = rng.choice([word for word in words if frequency.get(word, 0) == rarest])
    place = next(Span(*match.span()) for match in WORD.finditer(title.of(text)) if plain_word(match[0]) == word)
    place = place.shifted(title.start)
    return Probe("title", document, place, (place.of(text),), 0, tuple(_front(document, place)))


def _front(document: Document, place: Span) -> Iterator[Edit]:
    """The edits that show the title with its blank, and the byline."""
    title, authors = document.title, [author.span for author in document.authors]
    if title.start:
        yield Edit(span=Span(0, title.start))
    yield Edit(span=place, text=BLANK)
    end = title.end
    if authors:
        byline = Span(min(span.start for span in authors), max(span.end for span in authors))
        yield Edit(span=Span(end, byline.start), text="\n\n")
        end = byline.end
    yield Edit(span=Span(end, len(document.text)), text="\n")


NAME = "memorization"
SEED_LABEL = "recall"
"""Label of this family's random draws: its former name, kept so that the same seed gives the same probes."""


class MemorizationSettings(FamilySettings):
    """How many probes of which kinds are built."""

    probes: Annotated[tuple[ProbeTask, ...], Field(min_length=1)] = ("citation", "title")
    """Kinds of probes: the author with whom a citation continues, or a word of the title."""
    items: PositiveInt = 400
    """Number of probes of each kind."""
    per_paper: PositiveInt = 4
    """The maximum number of citations probed in one document."""
    characters: Annotated[int, Field(ge=MIN_CHARACTERS)] = 20_000
    """Maximum characters shown before a citation; a longer text starts at a later paragraph."""


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

    def build(self) -> Iterator[ContextItems]:
        """Each probe with its context."""
        for id in self._order():
            if all(self._is_full(task) for task in self.settings.probes):
                break
            document = self._corpus.document(id)
            for probe in self._probes(document):
                self._made[probe.task] += 1
                context = _context(probe)
                yield ContextItems(context, [item(probe, context)])

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
        if "title" in self.settings.probes and not self._is_full("title") and self._knows(document, "title", "authors"):
            probe = title_probe(document, self._frequency, rng)
            self._documents["without a distinctive word in the title"] += probe is None
            yield from () if probe is None else (probe,)
        if (
            "citation" in self.settings.probes
            and not self._is_full("citation")
            and self._knows(document, "references", "citations")
        ):
            yield from self._citations(document)

    def _knows(self, document: Document, *fields: FieldName) -> bool:
        """Whether none of the fields is unknown: a title is shown with its byline, and citations need their entries."""
        unknown = next((field for field in fields if document.state(field) == "unknown"), None)
        if unknown is not None:
            self._documents[f"with unknown {unknown}"] += 1
        return unknown is None

    def _citations(self, document: Document) -> Iterator[Probe]:
        citing = CitationProbes(document, self.settings.characters)
        probes = list(citing.probes())
        self._steps.update(citing.steps)
        self._documents["whose citations name no author"] += bool(document.citations) and not citing.steps[STEPS[2]]
        rng = rng_for(self._seed, SEED_LABEL, "citations", document.id)
        room = min(self.settings.per_paper, self.settings.items - self._made["citation"], len(probes))
        yield from sorted(rng.sample(probes, room), key=lambda probe: probe.place)

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
        requirements = {"title": "that have titles", "citation": "that cite by author and year"}
        return (
            f"No document of '{self._corpus.folder}' can be probed: "
            f"{', and '.join(reasons[task] for task in self.settings.probes)}. "
            f"Ingest documents {' or '.join(requirements[task] for task in self.settings.probes)}."
        )


def _context(probe: Probe) -> Context:
    """The context that shows only the probe's text."""
    text = apply_edits(probe.document.text, probe.edits)
    counter = tokenizer(DEFAULT)
    fingerprint = digest(probe.document.text.encode())
    piece = PlacedDocument(probe.document.id, fingerprint, len(text), counter.count(text), probe.edits)
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
    where = f" in {document.venue}" if document.venue and "venue" not in document.unknown else ""
    when = f" in {document.year}" if document.year is not None and "year" not in document.unknown else ""
    published = f" It appeared{where}{when}." if where or when else ""
    return f"One word of the document's title reads {BLANK}.{published} Which word is it? Give the word alone."


def describe(report: dict[str, JsonValue]) -> list[str]:
    """The lines of the summary: probes of each kind, documents examined, and citations that meet each requirement."""
    built, documents, steps = report["built"], report["documents"], report["citations"]
    assert isinstance(built, dict) and isinstance(documents, dict) and isinstance(steps, dict)
    lines = ["  probes: " + ", ".join(f"{task} {count:,} of {report['requested']:,}" for task, count in built.items())]
    lines.append("  documents " + ", ".join(f"{what} {count:,}" for what, count in documents.items() if count))
    if any(steps.values()):
        lines.append("  citations " + ", ".join(f"{step} {count:,}" for step, count in steps.items()))
    return lines

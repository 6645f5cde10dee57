"""The world the generated documents come from: who works on what, and which works cite which.

Documents are planned one after another, and each cites only works planned before it. So a world can be cut off
anywhere: the first hundred documents of a thousand are the hundred that a smaller world of the same seed has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import eq
from random import Random
from typing import Literal

from fathom.corpus.generated.lexicon import Phrase, Quantity, Topic, names, subject, templates
from fathom.corpus.generated.people import Person, invent, look, namesake
from fathom.records.record import short_id
from fathom.records.rng import rng_for

FIRST_YEAR, LAST_YEAR = 2008, 2025
VERSION = 2
"""Raised whenever the same seed writes other words."""

TOKENS = (
    (8, 2_300, 4_000),
    (17, 4_000, 7_000),
    (26, 7_000, 11_000),
    (24, 11_000, 16_000),
    (15, 16_000, 24_000),
    (7, 24_000, 32_000),
    (3, 32_000, 37_500),
)
"""Planned lengths by weight; what is written comes out near them, so that all documents have 2K to 40K tokens."""

REFERENCES = ((12, 8, 14), (30, 15, 25), (33, 26, 40), (18, 41, 60), (7, 61, 80))
AGES = ((40, 0, 3), (30, 4, 8), (20, 9, 15), (10, 16, 28))
"""How many years a cited work that is not in the corpus precedes the citing one."""
TEAMS = (12, 22, 24, 18, 11, 6, 4, 2, 1)
"""Of one author, of two, ..."""

Length = Literal["full", "short"]
"""Whole documents, or letters of a page."""


@dataclass(frozen=True)
class Measures:
    """What documents of one length have much or little of."""

    tokens: Sequence[tuple[int, int, int]]
    references: Sequence[tuple[int, int, int]]
    fewest: int
    """However short the document, it may have so many references."""
    tokens_each: int
    """Beyond that, one for so many tokens."""
    inside: tuple[float, float]
    """The share of references that are documents of the corpus, from and to."""
    tries: int
    """How often such a document is looked for before a work from outside takes its place."""
    teams: Sequence[int]
    dois: float
    """The share of works that have one."""


MEASURES: dict[Length, Measures] = {
    "full": Measures(TOKENS, REFERENCES, 10, 130, (0.2, 0.5), 8, TEAMS, 0.6),
    # Letters cite one another more often, so that a handful of them already has something to ask about; identifiers
    # are rarer, since each takes as much room as half a sentence.
    "short": Measures(
        tokens=((35, 260, 350), (35, 350, 450), (30, 450, 560)),
        references=((35, 2, 3), (35, 4, 5), (30, 6, 7)),
        fewest=2,
        tokens_each=68,
        inside=(0.35, 0.7),
        tries=12,
        teams=(16, 26, 24, 18, 10, 6),
        dois=0.1,
    ),
}


@dataclass(frozen=True, slots=True)
class Gist:
    """What a work is about and what it found."""

    topic: Topic
    method: Phrase
    rival: Phrase
    object: Phrase
    other: Phrase
    setting: Phrase
    material: Phrase
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Work:
    """Something that can be cited, inside the corpus or outside."""

    document: str | None
    """Its id where it is a document of the corpus."""
    title: str
    name: str
    """What it introduces: a method, a data set."""
    people: tuple[Person, ...]
    year: int
    venue: str
    volume: int
    pages: tuple[int, int]
    doi: str | None
    gist: Gist


@dataclass(frozen=True)
class Style:
    """How one document is set."""

    marks: Literal["numeric", "author-year", "superscript"]
    by_appearance: bool
    """Whether references are listed in the order of their first mention, or by family name."""
    references: Literal["plain", "quoted", "year-first", "compact"]
    initials: bool
    numbered_headings: bool
    affiliations: bool
    brief: bool
    """Whether references name three authors at the most, and the first page alone."""


@dataclass(frozen=True)
class Plan:
    """All that is needed to write one document."""

    seed: int
    index: int
    work: Work
    institution: str
    tokens: int
    style: Style
    cited: tuple[Work, ...]
    length: Length


class _Circle:
    """The people and works of one topic so far."""

    def __init__(self) -> None:
        self.people: list[Person] = []
        self.regulars: list[Person] = []
        """Those who wrote documents of the corpus, once for each: who published will publish again."""
        self.outside: list[Work] = []
        # Each work stands here once, and once more for each time it was cited: the rich get richer.
        self.urn: list[Work] = []


class World:
    """Plans documents without end."""

    def __init__(self, seed: int, subjects: Sequence[str], length: Length = "full") -> None:
        self._seed = seed
        self._subjects = tuple(subjects)
        self._length: Length = length
        self._measures = MEASURES[length]
        self._circles: dict[str, _Circle] = defaultdict(_Circle)
        self._everywhere: list[Work] = []
        self._of_subject: dict[str, list[Work]] = defaultdict(list)
        self._people = 0
        self._titles: set[str] = set()
        self._names: set[str] = set()
        self._looks: set[tuple[str, str]] = set()

    def plans(self) -> Iterator[Plan]:
        """One document after another; the subjects take turns."""
        index = 0
        while True:
            yield self._plan(index)
            index += 1

    def _plan(self, index: int) -> Plan:
        rng = rng_for(self._seed, "article", index)
        topic = rng.choice(subject(self._subjects[index % len(self._subjects)]).topics)
        circle = self._circles[topic.name]
        year = round(rng.triangular(FIRST_YEAR, LAST_YEAR, LAST_YEAR - 3))
        tokens = _drawn(rng, self._measures.tokens)
        # Named by all that decides its text, so that two corpora never give one id to two texts.
        length = () if self._length == "full" else (self._length,)
        document = short_id("gen", VERSION, self._seed, *self._subjects, *length, index)
        work = self._work(rng, _gist(rng, topic), circle, year, document)
        cited = self._references(rng, circle, work, tokens)
        circle.urn.append(work)
        circle.regulars.extend(work.people)
        self._everywhere.append(work)
        self._of_subject[topic.subject].append(work)
        institution = rng.choice(names().institutions).format(
            subject=topic.subject.title(), place=rng.choice(names().places)
        )
        style = _style(rng, brief=self._length == "short")
        return Plan(self._seed, index, work, institution, tokens, style, cited, self._length)

    def _work(self, rng: Random, gist: Gist, circle: _Circle, year: int, document: str | None) -> Work:
        words = subject(gist.topic.subject)
        name = self._name(rng, words.stems, words.suffixes)
        first_page = rng.randint(1, 900)
        return Work(
            document=document,
            title=self._title(rng, gist, name),
            name=name,
            people=self._authors(rng, circle, inside=document is not None),
            year=year,
            venue=rng.choice(words.venues),
            volume=rng.randint(1, 60),
            pages=(first_page, first_page + rng.randint(5, 40)),
            # Reserved for examples: no such DOI can resolve to somebody's real work.
            doi=f"10.5555/{short_id('fathom', name)}" if rng.random() < self._measures.dois else None,
            gist=gist,
        )

    def _references(self, rng: Random, circle: _Circle, work: Work, tokens: int) -> tuple[Work, ...]:
        """Works to cite, part of them in the corpus, none younger than the one that cites them."""
        measures = self._measures
        wanted = min(_drawn(rng, measures.references), max(measures.fewest, tokens // measures.tokens_each))
        chosen: dict[str, Work] = {}
        inside = min(round(wanted * rng.uniform(*measures.inside)), len(self._everywhere) // 2)
        for _ in range(measures.tries * inside):
            if len(chosen) >= inside:
                break
            urn = circle.urn if circle.urn and rng.random() < 0.92 else self._elsewhere(work.gist.topic)
            found = rng.choice(urn)
            if found.year <= work.year and _stands_apart(found.gist, True, chosen.values()):
                chosen[found.title] = found
        for _ in range(20 * wanted):
            if len(chosen) >= wanted:
                break
            outside = self._outside(rng, circle, work, chosen.values())
            if outside is not None:
                chosen[outside.title] = outside
        for found in chosen.values():
            if found.document is not None:
                self._circles[found.gist.topic.name].urn.append(found)
        return tuple(chosen.values())

    def _elsewhere(self, topic: Topic) -> list[Work]:
        """Documents beyond the topic, of the same subject while it has any."""
        return self._of_subject[topic.subject] or self._everywhere

    def _outside(self, rng: Random, circle: _Circle, work: Work, chosen: Iterable[Work]) -> Work | None:
        """A work that is not in the corpus, often one that others cite as well; None where it would not stand apart."""
        if circle.outside and rng.random() < 0.55:
            known = rng.choice(circle.outside)
            return known if known.year <= work.year and _stands_apart(known.gist, False, chosen) else None
        gist = _gist(rng, work.gist.topic)
        if not _stands_apart(gist, False, chosen):
            return None
        new = self._work(rng, gist, circle, work.year - _drawn(rng, AGES), None)
        circle.outside.append(new)
        return new

    def _authors(self, rng: Random, circle: _Circle, inside: bool) -> tuple[Person, ...]:
        """A few people, most of whom are known in the field; those of the corpus publish in it again."""
        known = circle.regulars if inside else circle.people
        teams = self._measures.teams
        size = rng.choices(range(1, len(teams) + 1), teams)[0]
        team: dict[tuple[str, str], Person] = {}
        while len(team) < size:
            person = rng.choice(known) if known and rng.random() < 0.7 else self._newcomer(rng, circle, inside)
            # No byline has two names that look alike: nobody could tell who is who.
            team.setdefault(look(person), person)
        return tuple(team.values())

    def _newcomer(self, rng: Random, circle: _Circle, inside: bool) -> Person:
        id = f"p-{self._people + 1:05d}"
        if self._everywhere and rng.random() < 0.03:
            # Of somebody who publishes here, so that the two can meet in one context.
            person = namesake(rng.choice(rng.choice(self._everywhere).people), id)
        elif inside:
            person = self._unlike(rng, id)
            self._looks.add(look(person))
        else:
            # Whoever is only cited stands in no byline, and may look like anybody.
            person = invent(rng, id)
        self._people += 1
        circle.people.append(person)
        return person

    def _unlike(self, rng: Random, id: str) -> Person:
        """Somebody whose initial and family name nobody has yet, while such names can be found."""
        for tries in range(60):
            person = invent(rng, id, double=tries >= 10)
            if look(person) not in self._looks:
                break
        return person

    def _title(self, rng: Random, gist: Gist, name: str) -> str:
        """A title that no other work has."""
        while True:
            words = {
                "object": gist.object.own,
                "method": gist.method.own,
                "setting": gist.setting.own,
                "quantity": gist.quantity.name,
                "topic": gist.topic.name,
                "name": name,
            }
            template = rng.choice(templates("title"))
            title = template.format(**words)
            if title.casefold() in self._titles:
                # The shorter forms run out first: a setting or a name tells two works apart.
                title = (
                    f"{name}: {title}"
                    if "{name}" not in template
                    else f"{title}, {rng.choice(gist.topic.settings).own}"
                )
            if title.casefold() not in self._titles:
                self._titles.add(title.casefold())
                return _capitalised(title) if rng.random() < 0.5 else title[0].upper() + title[1:]

    def _name(self, rng: Random, stems: Sequence[str], suffixes: Sequence[str]) -> str:
        """A name that no other work has; names grow longer as the short ones run out."""
        stem = ""
        while True:
            stem += rng.choice(stems) if not stem else rng.choice(stems).lower()
            for _ in range(6):
                name = stem + rng.choice(suffixes)
                if name.casefold() not in self._names:
                    self._names.add(name.casefold())
                    return name


def _stands_apart(gist: Gist, written: bool, chosen: Iterable[Work]) -> bool:
    """Whether a sentence that tells three things about such a work fits none of the others, and the other way round.

    A document of the corpus, one that is `written`, reports more experiments than its headline, all with its own
    method; so no other work of the list may share that method.
    """
    notions = _notions(gist)
    for work in chosen:
        shared = list(map(eq, notions, _notions(work.gist)))
        if sum(shared) > 2 or (shared[0] and (written or work.document is not None)):
            return False
    return True


def _notions(gist: Gist) -> tuple[str, ...]:
    return gist.method.own, gist.object.own, gist.setting.own, gist.material.own, gist.quantity.name


def _gist(rng: Random, topic: Topic) -> Gist:
    method, rival = rng.sample(topic.methods, 2)
    object, other = rng.sample(topic.objects, 2)
    return Gist(
        topic=topic,
        method=method,
        rival=rival,
        object=object,
        other=other,
        setting=rng.choice(topic.settings),
        material=rng.choice(topic.materials),
        quantity=rng.choice(topic.quantities),
    )


def _style(rng: Random, brief: bool) -> Style:
    marks = rng.choices(("numeric", "author-year", "superscript"), (45, 40, 15))[0]
    return Style(
        marks=marks,  # type: ignore[arg-type]
        by_appearance=marks == "superscript" or (marks == "numeric" and rng.random() < 0.6),
        references=rng.choice(("year-first",) if marks == "author-year" else ("plain", "quoted", "compact")),  # type: ignore[arg-type]
        initials=rng.random() < 0.35,
        numbered_headings=rng.random() < 0.6,
        affiliations=rng.random() < 0.7,
        brief=brief,
    )


def _drawn(rng: Random, buckets: Sequence[tuple[int, int, int]]) -> int:
    """A number from one of the (weight, lowest, highest) buckets.

    Whole numbers alone: logarithms differ in their last bit from machine to machine, and one bit can shift all that
    follows.
    """
    _, low, high = rng.choices(buckets, [weight for weight, _, _ in buckets])[0]
    return rng.randint(low, high)


_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "or",
        "the",
        "to",
        "under",
        "with",
        "when",
        "where",
        "than",
    ]
)


def _capitalised(title: str) -> str:
    """In Title Case, as some journals print it; words with capitals of their own keep them."""
    words = title.split(" ")
    opens = True
    for place, word in enumerate(words):
        if opens or word not in _SMALL:
            words[place] = word[0].upper() + word[1:]
        opens = word.endswith((":", "?"))
    return " ".join(words)

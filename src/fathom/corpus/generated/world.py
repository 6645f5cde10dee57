"""Plans generated articles: their studies and authors, and which works cite which.

Articles are planned one after another, and each cites only works planned before it. The first hundred articles of a
thousand are therefore the same as those of a smaller corpus with the same seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import eq
from random import Random
from typing import Literal

from fathom.corpus.generated.lexicon import MeasuredQuantity, Phrase, Topic, names, subject, templates
from fathom.corpus.generated.people import Person, invent, short_form, with_same_name
from fathom.records.record import short_id
from fathom.records.rng import rng_for

FIRST_YEAR, LAST_YEAR = 2008, 2025
VERSION = 3
"""Incremented whenever the same seed gives other text."""

TOKENS = (
    (8, 2_300, 4_000),
    (17, 4_000, 7_000),
    (26, 7_000, 11_000),
    (24, 11_000, 16_000),
    (15, 16_000, 24_000),
    (7, 24_000, 32_000),
    (3, 32_000, 37_500),
)
"""Planned lengths as (weight, lowest, highest); articles come out near them, between 2K and 40K tokens."""

REFERENCES = ((12, 8, 14), (30, 15, 25), (33, 26, 40), (18, 41, 60), (7, 61, 80))
AGES = ((40, 0, 3), (30, 4, 8), (20, 9, 15), (10, 16, 28))
"""Number of references of an article; and years from a cited work outside the corpus to the citing one."""
TEAMS = (12, 22, 24, 18, 11, 6, 4, 2, 1)
"""Weights of bylines of one author, of two, ..."""

ArticleLength = Literal["full", "short"]
"""Full articles, or letters of a page."""


@dataclass(frozen=True)
class LengthProfile:
    """Sizes and shares for articles of one length."""

    tokens: Sequence[tuple[int, int, int]]
    references: Sequence[tuple[int, int, int]]
    fewest: int
    """References that any article may have."""
    tokens_each: int
    """Beyond `fewest` references, an article has at most one for this many tokens."""
    inside: tuple[float, float]
    """The range of the share of references that are documents of the corpus."""
    tries: int
    """Attempts to find such a document before a work from outside is used."""
    teams: Sequence[int]
    dois: float
    """The share of works that have a DOI."""


LENGTH_PROFILES: dict[ArticleLength, LengthProfile] = {
    "full": LengthProfile(TOKENS, REFERENCES, 10, 130, (0.2, 0.5), 8, TEAMS, 0.6),
    # Letters cite one another more often, so that even a few of them give questions; identifiers are rarer, since each
    # takes as much space as half a sentence.
    "short": LengthProfile(
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
class ResearchSubject:
    """The subject of a work: its method, object, setting, data set and measured quantity."""

    topic: Topic
    method: Phrase
    rival: Phrase
    """The method that it is compared with."""
    object: Phrase
    other: Phrase
    """Another object, mentioned in passing."""
    setting: Phrase
    material: Phrase
    quantity: MeasuredQuantity


@dataclass(frozen=True, slots=True)
class Work:
    """A work that can be cited, inside or outside the corpus."""

    document: str | None
    """Its id, for a document of the corpus."""
    title: str
    name: str
    """The name of the method or data set that it introduces."""
    people: tuple[Person, ...]
    year: int
    venue: str
    volume: int
    pages: tuple[int, int]
    doi: str | None
    study: ResearchSubject


@dataclass(frozen=True)
class ArticleStyle:
    """The typographic style of one article."""

    marks: Literal["numeric", "author-year", "superscript"]
    by_appearance: bool
    """Whether references are listed in order of first mention, or else by family name."""
    references: Literal["plain", "quoted", "year-first", "compact"]
    initials: bool
    numbered_headings: bool
    affiliations: bool
    brief: bool
    """Whether references name at most three authors, and only the first page."""


@dataclass(frozen=True)
class ArticlePlan:
    """Everything that determines the text of one article."""

    seed: int
    index: int
    work: Work
    institution: str
    tokens: int
    style: ArticleStyle
    cited: tuple[Work, ...]
    length: ArticleLength


class _Community:
    """The people and works of one topic so far."""

    def __init__(self) -> None:
        self.people: list[Person] = []
        self.regulars: list[Person] = []
        """Authors of documents of the corpus, once for each document: they are likely to publish again."""
        self.outside: list[Work] = []
        # Each work is here once, and once more for each citation: frequently cited works are cited more (a Polya urn).
        self.urn: list[Work] = []


class World:
    """An endless sequence of planned articles."""

    def __init__(self, seed: int, subjects: Sequence[str], length: ArticleLength = "full") -> None:
        self._seed = seed
        self._subjects = tuple(subjects)
        self._length: ArticleLength = length
        self._profile = LENGTH_PROFILES[length]
        self._communities: dict[str, _Community] = defaultdict(_Community)
        self._everywhere: list[Work] = []
        self._of_subject: dict[str, list[Work]] = defaultdict(list)
        self._people = 0
        self._titles: set[str] = set()
        self._names: set[str] = set()
        self._short_forms: set[tuple[str, str]] = set()

    def plans(self) -> Iterator[ArticlePlan]:
        """One article after another; the subjects alternate."""
        index = 0
        while True:
            yield self._plan(index)
            index += 1

    def _plan(self, index: int) -> ArticlePlan:
        rng = rng_for(self._seed, "article", index)
        topic = rng.choice(subject(self._subjects[index % len(self._subjects)]).topics)
        community = self._communities[topic.name]
        year = round(rng.triangular(FIRST_YEAR, LAST_YEAR, LAST_YEAR - 3))
        tokens = _draw_from(rng, self._profile.tokens)
        # The id depends on everything that determines the text, so that two corpora never give one id to two texts.
        length = () if self._length == "full" else (self._length,)
        document = short_id("gen", VERSION, self._seed, *self._subjects, *length, index)
        work = self._work(rng, _draw_study(rng, topic), community, year, document)
        cited = self._references(rng, community, work, tokens)
        community.urn.append(work)
        community.regulars.extend(work.people)
        self._everywhere.append(work)
        self._of_subject[topic.subject].append(work)
        institution = rng.choice(names().institutions).format(
            subject=topic.subject.title(), place=rng.choice(names().places)
        )
        style = _style(rng, brief=self._length == "short")
        return ArticlePlan(self._seed, index, work, institution, tokens, style, cited, self._length)

    def _work(
        self, rng: Random, study: ResearchSubject, community: _Community, year: int, document: str | None
    ) -> Work:
        words = subject(study.topic.subject)
        name = self._name(rng, words.stems, words.suffixes)
        first_page = rng.randint(1, 900)
        return Work(
            document=document,
            title=self._title(rng, study, name),
            name=name,
            people=self._authors(rng, community, inside=document is not None),
            year=year,
            venue=rng.choice(words.venues),
            volume=rng.randint(1, 60),
            pages=(first_page, first_page + rng.randint(5, 40)),
            # A prefix reserved for examples: no such DOI can resolve to a real work.
            doi=f"10.5555/{short_id('fathom', name)}" if rng.random() < self._profile.dois else None,
            study=study,
        )

    def _references(self, rng: Random, community: _Community, work: Work, tokens: int) -> tuple[Work, ...]:
        """Works to cite, part of them in the corpus, none later than the citing one."""
        profile = self._profile
        count = min(_draw_from(rng, profile.references), max(profile.fewest, tokens // profile.tokens_each))
        chosen: dict[str, Work] = {}
        inside = min(round(count * rng.uniform(*profile.inside)), len(self._everywhere) // 2)
        # Documents of the same subject, or of all subjects if it has none yet.
        elsewhere = self._of_subject[work.study.topic.subject] or self._everywhere
        for _ in range(profile.tries * inside):
            if len(chosen) >= inside:
                break
            urn = community.urn if community.urn and rng.random() < 0.92 else elsewhere
            candidate = rng.choice(urn)
            if candidate.year <= work.year and _is_distinguishable(candidate.study, True, chosen.values()):
                chosen[candidate.title] = candidate
        for _ in range(20 * count):
            if len(chosen) >= count:
                break
            outside = self._outside(rng, community, work, chosen.values())
            if outside is not None:
                chosen[outside.title] = outside
        for cited in chosen.values():
            if cited.document is not None:
                self._communities[cited.study.topic.name].urn.append(cited)
        return tuple(chosen.values())

    def _outside(self, rng: Random, community: _Community, work: Work, chosen: Iterable[Work]) -> Work | None:
        """A work outside the corpus, often one that others cite too; None if it could be confused with another."""
        if community.outside and rng.random() < 0.55:
            candidate = rng.choice(community.outside)
            return (
                candidate
                if candidate.year <= work.year and _is_distinguishable(candidate.study, False, chosen)
                else None
            )
        study = _draw_study(rng, work.study.topic)
        if not _is_distinguishable(study, False, chosen):
            return None
        new = self._work(rng, study, community, work.year - _draw_from(rng, AGES), None)
        community.outside.append(new)
        return new

    def _authors(self, rng: Random, community: _Community, inside: bool) -> tuple[Person, ...]:
        """The authors of a work; most have published on the topic before, so that people have several documents."""
        candidates = community.regulars if inside else community.people
        teams = self._profile.teams
        size = rng.choices(range(1, len(teams) + 1), teams)[0]
        team: dict[tuple[str, str], Person] = {}
        while len(team) < size:
            person = (
                rng.choice(candidates) if candidates and rng.random() < 0.7 else self._newcomer(rng, community, inside)
            )
            # No byline has two names with the same short form: they could not be distinguished.
            team.setdefault(short_form(person), person)
        return tuple(team.values())

    def _newcomer(self, rng: Random, community: _Community, inside: bool) -> Person:
        id = f"p-{self._people + 1:05d}"
        if self._everywhere and rng.random() < 0.03:
            # The name of an author of the corpus, so that both can be in one context.
            person = with_same_name(rng.choice(rng.choice(self._everywhere).people), id)
        elif inside:
            person = self._distinct_person(rng, id)
            self._short_forms.add(short_form(person))
        else:
            # A person who is only cited is in no byline, and may have any name.
            person = invent(rng, id)
        self._people += 1
        community.people.append(person)
        return person

    def _distinct_person(self, rng: Random, id: str) -> Person:
        """A person with a new initial and family name, while such names can be found."""
        for tries in range(60):
            person = invent(rng, id, double=tries >= 10)
            if short_form(person) not in self._short_forms:
                break
        return person

    def _title(self, rng: Random, study: ResearchSubject, name: str) -> str:
        """A title that no other work has."""
        while True:
            words = {
                "object": study.object.own,
                "method": study.method.own,
                "setting": study.setting.own,
                "quantity": study.quantity.name,
                "topic": study.topic.name,
                "name": name,
            }
            template = rng.choice(templates("title"))
            title = template.format(**words)
            if title.casefold() in self._titles:
                # The shorter forms run out first: a setting or a name makes the title unique.
                named = "{name}" in template
                title = f"{title}, {rng.choice(study.topic.settings).own}" if named else f"{name}: {title}"
            if title.casefold() not in self._titles:
                self._titles.add(title.casefold())
                return _title_case(title) if rng.random() < 0.5 else title[0].upper() + title[1:]

    def _name(self, rng: Random, stems: Sequence[str], suffixes: Sequence[str]) -> str:
        """A name that no other work has; names get longer as the short ones run out."""
        stem = ""
        while True:
            stem += rng.choice(stems) if not stem else rng.choice(stems).lower()
            for _ in range(6):
                name = stem + rng.choice(suffixes)
                if name.casefold() not in self._names:
                    self._names.add(name.casefold())
                    return name


def _is_distinguishable(study: ResearchSubject, written: bool, chosen: Iterable[Work]) -> bool:
    """Whether a sentence with three attributes of such a work fits none of the chosen works, and vice versa.

    A document of the corpus (`written`) reports more experiments than its headline, all with its own method, so no
    chosen work may share that method.
    """
    attributes = _attributes(study)
    for work in chosen:
        shared = list(map(eq, attributes, _attributes(work.study)))
        if sum(shared) > 2 or (shared[0] and (written or work.document is not None)):
            return False
    return True


def _attributes(study: ResearchSubject) -> tuple[str, ...]:
    return study.method.own, study.object.own, study.setting.own, study.material.own, study.quantity.name


def _draw_study(rng: Random, topic: Topic) -> ResearchSubject:
    method, rival = rng.sample(topic.methods, 2)
    object, other = rng.sample(topic.objects, 2)
    return ResearchSubject(
        topic=topic,
        method=method,
        rival=rival,
        object=object,
        other=other,
        setting=rng.choice(topic.settings),
        material=rng.choice(topic.materials),
        quantity=rng.choice(topic.quantities),
    )


def _style(rng: Random, brief: bool) -> ArticleStyle:
    marks = rng.choices(("numeric", "author-year", "superscript"), (45, 40, 15))[0]
    return ArticleStyle(
        marks=marks,  # type: ignore[arg-type]
        by_appearance=marks == "superscript" or (marks == "numeric" and rng.random() < 0.6),
        references=rng.choice(("year-first",) if marks == "author-year" else ("plain", "quoted", "compact")),  # type: ignore[arg-type]
        initials=rng.random() < 0.35,
        numbered_headings=rng.random() < 0.6,
        affiliations=rng.random() < 0.7,
        brief=brief,
    )


def _draw_from(rng: Random, buckets: Sequence[tuple[int, int, int]]) -> int:
    """A number from one of the (weight, lowest, highest) buckets.

    Integers only: logarithms may differ in the last bit between machines, and one bit would change all later draws.
    """
    _, low, high = rng.choices(buckets, [weight for weight, _, _ in buckets])[0]
    return rng.randint(low, high)


_SMALL_WORDS = "a an and as at but by for from in into of on or the to under with when where than"
_SMALL = frozenset(_SMALL_WORDS.split())


def _title_case(title: str) -> str:
    """The title in title case, as some journals print it; words with inner capitals keep them."""
    words = title.split(" ")
    opens = True
    for index, word in enumerate(words):
        if opens or word not in _SMALL:
            words[index] = word[0].upper() + word[1:]
        opens = word.endswith((":", "?"))
    return " ".join(words)

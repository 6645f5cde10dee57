"""The words of generated articles, read from the files in this folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from fathom.corpus.package_data import read_data

_read = partial(read_data, __name__)

SUBJECTS = (
    *("computer science", "economics", "electrical engineering", "mathematics"),
    *("physics", "biology", "finance", "statistics"),
)


@dataclass(frozen=True)
class Phrase:
    """A term as its author words it, and as a citing work paraphrases it."""

    own: str
    paraphrase: str


@dataclass(frozen=True)
class MeasuredQuantity:
    """A measured quantity, as the author names it and as a citing work paraphrases it."""

    name: str
    paraphrase: str
    unit: str
    low: float
    high: float
    """The range of its values."""
    digits: int
    """Printed decimals."""
    lower_is_better: bool

    def printed(self, value: float) -> str:
        """The value as printed in a table, without its unit."""
        return f"{value:.{self.digits}f}"

    def with_unit(self, value: str) -> str:
        """A printed value in a sentence, with its unit."""
        if not self.unit:
            return value
        return f"{value}{self.unit}" if self.unit == "%" else f"{value} {self.unit}"


@dataclass(frozen=True)
class Topic:
    """A research topic of a subject."""

    subject: str
    name: str
    keywords: tuple[str, ...]
    objects: tuple[Phrase, ...]
    """Objects of study."""
    methods: tuple[Phrase, ...]
    settings: tuple[Phrase, ...]
    """Conditions under which it is studied."""
    materials: tuple[Phrase, ...]
    """Data sets and samples."""
    quantities: tuple[MeasuredQuantity, ...]
    mechanisms: tuple[str, ...]
    actions: tuple[str, ...]
    facts: tuple[str, ...]
    """Templates of sentences on general knowledge of the topic."""
    cautions: tuple[str, ...]
    """Templates of sentences that warn of a pitfall."""


@dataclass(frozen=True)
class Subject:
    """One of the eight subjects."""

    name: str
    venues: tuple[str, ...]
    stems: tuple[str, ...]
    """Stems and suffixes of the names of methods and data sets."""
    suffixes: tuple[str, ...]
    topics: tuple[Topic, ...]


@dataclass(frozen=True)
class Tradition:
    """Given and family names of one naming tradition."""

    given: tuple[str, ...]
    family: tuple[str, ...]


@dataclass(frozen=True)
class Names:
    """Names of people, institutions and places."""

    traditions: tuple[Tradition, ...]
    particles: tuple[str, ...]
    institutions: tuple[str, ...]
    places: tuple[str, ...]


@cache
def subject(name: str) -> Subject:
    """The words of one subject."""
    words = _read(name.replace(" ", "-"))
    return Subject(
        name=words["subject"],
        venues=tuple(words["venues"]),
        stems=tuple(words["stems"]),
        suffixes=tuple(words["suffixes"]),
        topics=tuple(_topic(name, topic) for topic in words["topics"]),
    )


@cache
def names() -> Names:
    """The names of people and places."""
    words = _read("names")
    return Names(
        traditions=tuple(Tradition(tuple(t["given"]), tuple(t["family"])) for t in words["traditions"]),
        particles=tuple(words["particles"]),
        institutions=tuple(words["institutions"]),
        places=tuple(words["places"]),
    )


@cache
def templates(role: str) -> tuple[str, ...]:
    """The sentence templates of one role, with slots in braces."""
    return tuple(_read("phrases")["roles"][role])


def _topic(subject: str, words: dict) -> Topic:  # type: ignore[type-arg]
    def phrases(kind: str) -> tuple[Phrase, ...]:
        return tuple(Phrase(*entry.split(" | ")) for entry in words[kind])

    return Topic(
        subject=subject,
        name=words["name"],
        keywords=tuple(words["keywords"]),
        objects=phrases("objects"),
        methods=phrases("methods"),
        settings=phrases("settings"),
        materials=phrases("materials"),
        quantities=tuple(
            MeasuredQuantity(
                q["name"],
                q["retold"],
                q["unit"],
                float(q["low"]),
                float(q["high"]),
                q["digits"],
                q["better"] == "lower",
            )
            for q in words["quantities"]
        ),
        mechanisms=tuple(words["mechanisms"]),
        actions=tuple(words["actions"]),
        facts=tuple(words["facts"]),
        cautions=tuple(words["cautions"]),
    )

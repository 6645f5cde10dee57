"""New family names for the people of a corpus; every mention of a person gets the same new name.

Only people are renamed: the authors in bylines and reference lists, and the mentions of them in running text that name
a person. "Adam (Kingma and Ba, 2015)" and "Markov chains" stay, even if a person is called Adam or Markov.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from fathom.corpus.swap_people import NamedPerson, author_spans, family_span, name_words, people
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.documents import Document
from fathom.records.names import PARTICLE, WORD, family_name, plain_word
from fathom.records.rng import rng_for
from fathom.records.spans import Span

MAX_TRIES = 120
"""Candidates for one new name; the first with no more tokens than the old name is used."""

AROUND = 60
"""Characters before and after a word that decide whether it names a person."""

MIN_LISTED = 4
"""Letters of names that "Koelle and Rasmussen" names without a year; "Li and Na" may be metals."""

MAX_INITIALS = 3
"""Initials that are printed together: "CAM Gerlach"."""

_INITIAL = r"[^\W\d_a-z]"
_YEAR = r"[(\[]?\s*(?P<year>(?:18|19|20)\d\d)[a-z]?\b"

_NEXT_ET_AL = re.compile(r"(?:['’]s)?,?\s+(?:et\.?\s+al\b|(?:and|&)\s+(?:colleagues|co-?workers)\b)", re.IGNORECASE)
_NEXT_NAME = re.compile(rf"(?:,?\s+(?:and|&)\s+)(?P<name>{WORD.pattern}),?\s*{_YEAR}")
_NEXT_YEAR = re.compile(rf",?\s*{_YEAR}")
_NEXT_INITIALS = re.compile(rf"(?:,\s+(?P<dotted>{_INITIAL})\.|\s(?P<bare>{_INITIAL}){_INITIAL}{{0,2}}(?=[,.;]|\s\())")
_LAST_NAME = re.compile(rf"(?P<name>{WORD.pattern}),?\s+(?:and|&)\s+$")
_LAST_INITIALS = re.compile(rf"(?<![\w.])(?P<first>{_INITIAL})\.(?:[\s-]*{_INITIAL}\.)*\s*$")
_LAST_GIVEN = re.compile(rf"(?P<given>{WORD.pattern})(?:\s+{_INITIAL}\b\.?)*\s+$")
_LAST_GIVEN_FAR = re.compile(
    rf"(?P<given>{WORD.pattern})(?:\s+{_INITIAL}\b\.?)*(?:\s+\({WORD.pattern}\))?(?:\s+{PARTICLE}\b)*\s+(?:[DLO]['’])?$"
)
"""Also in "Alyssa (Nick) Coghlan", "Guido van Rossum" and "Steven D'Aprano"."""
_NEXT_LISTED = re.compile(rf"(?:,?\s+(?:and|&)\s+|,\s+)(?P<name>{WORD.pattern})")
_LAST_LISTED = re.compile(rf"(?P<name>{WORD.pattern})(?:,?\s+(?:and|&)\s+|,\s+)$")
_NEXT_CITATION = re.compile(r"\s*(?:\[\d|\([^()]*\b(?:18|19|20)\d\d)")
_OTHER_NAME = rf"(?:,\s+|,?\s+(?:and|&)\s+){_INITIAL}{WORD.pattern}"
_NEXT_IN_LIST = re.compile(rf"(?:{_OTHER_NAME}){{1,4}}(?:,?\s+et\.?\s+al\b|,?\s*{_YEAR})")
"""Other names, and what shows that the list is one of authors: "Lind, Wu and Roe (2019)", "Lind, Wu et al."."""
_NEXT_LAB = re.compile(
    rf"(?:{_OTHER_NAME}){{0,3}}(?:['’]s)?\s+(?:[Ll]ab|labs|laborator(?:y|ies)|[Rr]esearch [Gg]roup)\b"
)
_LAST_BARE_INITIAL = re.compile(r"(?<![\w.'’-])(?P<first>(?![AI])[A-Z])\s$")
"""An initial without a period, "R Lind"; "A" and "I" are words."""

_LAST_TITLE = re.compile(r"\b(?:Dr|Prof|Professor|Mr|Ms|Mrs)\.?\s+$")
_NEXT_SPEECH = re.compile(
    rf"(?:\s+(?:and|&)\s+{WORD.pattern})?\s+(?:has |had |have |also |later |first )?"
    r"(?:argue[ds]?|wr(?:ote|ites|itten)|said|says|told|thinks?|thought"
    r"|believe[ds]?|conjecture[ds]?|asked|replied|(?:dis)?agree[ds]?|commented|remark(?:s|ed)|complained|volunteered)\b"
    r"|['’]s\s+(?:\w+\s+)?(?:paper|article|book|thesis|essay|talk|argument|proof|conjecture|email|message)\b"
)

_OPENINGS = (
    *("b", "br", "d", "dr", "f", "g", "gr", "h", "j", "k", "kl", "kr"),
    *("l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr", "v", "w", "z"),
)
_MIDDLES = ("a", "e", "i", "o", "u", "ar", "el", "en", "or", "in", "al", "er")
_CONSONANTS = ("b", "d", "g", "k", "l", "m", "n", "r", "s", "t", "v", "nd", "lm", "rk", "st", "rt")
_ENDINGS = ("a", "en", "er", "in", "is", "o", "ov", "ek", "as", "el", "and", "ik", "us", "ander", "etti", "aro")


@dataclass(frozen=True)
class NameSwap:
    """The replacements for the words of family names, and what is known about the people who have them."""

    words: dict[str, str]
    """By the plain form of the word: "muller" for "Müller" and "MULLER"."""
    families: dict[str, str]
    """The family name of each printed name of a byline."""
    given: frozenset[tuple[str, str]]
    """Given names and initials in plain form, each with a word of the family name."""
    first_names: frozenset[str]
    """The given names of people who certainly are people."""

    def replacement(self, word: str) -> str | None:
        """The replacement for a word of a family name; None if it stays."""
        new = self.words.get(plain_word(word)) if word[0].isupper() else None
        return new.upper() if new is not None and len(word) > 1 and word.isupper() else new

    def _key(self, word: str, year: str, works: set[tuple[str, int | None]]) -> str | None:
        """The replacement for the name in a printed citation key, such as "lind2019"; None if it stays."""
        is_key = word.islower() and len(year) == 4 and year.isdigit() and (word, int(year)) in works
        return self.words[word].lower() if is_key and word in self.words else None

    def family(self, text: str) -> str:
        """A family name after the swap."""
        return WORD.sub(lambda match: self.replacement(match[0]) or match[0], text)

    def name(self, printed: str) -> str:
        """A name of a byline after the swap; given names stay."""
        bare = re.sub(r" \(\d+\)$", "", printed)  # a number distinguishes two people of one name
        span = family_span(bare, self.families.get(bare, family_name(bare)))
        return printed if span is None else printed[: span.start] + self.family(span.of(bare)) + printed[span.end :]

    def changes(self, document: Document) -> Iterator[tuple[Span, str]]:
        """Every word of the text that changes, with its replacement."""
        yield from self._replaced_words(
            document, (person.family for person in people(document) if self._is_known(person))
        )
        marked = list(_citation_spans(document))
        yield from self._replaced_words(document, marked)
        yield from self._mentions(document, marked)

    def _replaced_words(self, document: Document, spans: Iterable[Span]) -> Iterator[tuple[Span, str]]:
        for span in spans:
            for match in WORD.finditer(span.of(document.text)):
                if (new := self.replacement(match[0])) is not None:
                    yield Span(*match.span()).shifted(span.start), new

    def _mentions(self, document: Document, marked: Iterable[Span]) -> Iterator[tuple[Span, str]]:
        """Mentions of people in running text, and in entries whose names were not all read as people's."""
        excluded_spans = [document.title, *marked]
        if document.state("authors") != "unknown":
            excluded_spans += [author.span for author in document.authors]
        if document.state("references") != "unknown":
            excluded_spans += author_spans(document)
        excluded = _SpanCursor(excluded_spans)
        own_people = _OwnPeople(document)
        works = {
            (plain_word(word), reference.year)
            for reference in document.references
            for span in reference.authors[:1]
            for word in WORD.findall(family_name(span.of(document.text)))
        }
        text = document.text
        # Few words can be names, and most of them occur again and again.
        cited = {word for word, _ in works}
        possible = {word for word in {*WORD.findall(text)} if word in cited or self.replacement(word) is not None}
        for match in WORD.finditer(text):
            if match[0] not in possible:
                continue
            if not match[0][0].isupper():
                key = self._key(match[0], text[match.end() : match.end() + 4], works)
                if key is not None and not excluded.contain(*match.span()):
                    yield Span(*match.span()), key
                continue
            if excluded.contain(*match.span()):
                continue
            if own_people.are_named(text, match) or self._is_mention(text, match, works, own_people):
                new = self.replacement(match[0])
                assert new is not None
                yield Span(*match.span()), new

    def _is_mention(
        self, text: str, match: re.Match[str], works: set[tuple[str, int | None]], own_people: _OwnPeople
    ) -> bool:
        """Whether the words around a name say that it is a person's: "et al.", a second name with a year, a work of the
        reference list with its year, the initials or the given name of a known person."""
        word, text_after = plain_word(match[0]), text[match.end() : match.end() + AROUND]
        if _NEXT_ET_AL.match(text_after):
            return True
        text_before = text[max(0, match.start() - AROUND) : match.start()]
        year = _NEXT_YEAR.match(text_after)
        if year is not None and (word, int(year["year"])) in works:
            return True
        if (pair := _NEXT_NAME.match(text_after) or (year and _LAST_NAME.search(text_before))) and self._is_name(
            pair["name"]
        ):
            return True
        if (initials := _NEXT_INITIALS.match(text_after)) and (
            plain_word(initials["dotted"] or initials["bare"]),
            word,
        ) in self.given:
            return True
        initials = _LAST_INITIALS.search(text_before)
        if initials is not None and (plain_word(initials["first"]), word) in self.given:
            return True
        givens = [
            initials["given"] for last in (_LAST_GIVEN, _LAST_GIVEN_FAR) if (initials := last.search(text_before))
        ]
        return any(self._is_given(given, match[0], own_people) for given in givens if len(given) > 1)

    def _is_given(self, printed: str, family: str, own_people: _OwnPeople) -> bool:
        """Whether a known person has this given name and this family name."""
        given, word = plain_word(printed), plain_word(family)
        if (given, word) in self.given:
            return True
        # "CAM Gerlach" has initials, but "SDS PAGE" does not.
        if printed.isupper() and len(given) <= MAX_INITIALS:
            return not family.isupper() and (given[0], word) in self.given
        # "Isaac Held" is the "Held IM" of the reference list.
        return given in self.first_names and (given[0], word) in own_people.with_initials

    def _is_name(self, word: str) -> bool:
        return word[0].isupper() and plain_word(word) in self.words

    def _is_known(self, person: NamedPerson) -> bool:
        """Whether a name is a person's: "Amazon Web Services" has no given name that people have."""
        return person.certain or not self.first_names.isdisjoint(map(plain_word, WORD.findall(person.given)))


class _OwnPeople:
    """The people of the byline and the reference list of one document."""

    def __init__(self, document: Document) -> None:
        self._names: set[str] = set()
        self.with_initials: set[tuple[str, str]] = set()
        """Initials and words of the family names of people whose given names are not printed."""
        for person in people(document):
            given, family = WORD.findall(person.given), name_words(person.family.of(document.text))
            self._names.update(family)
            if given and all(word.isupper() and len(word) <= MAX_INITIALS for word in given):
                self.with_initials.update((plain_word(given[0])[0], word) for word in family)
        authors = () if document.state("authors") == "unknown" else document.authors
        byline = [author for author in authors if not author.group]
        self._byline = {word for author in byline for word in name_words(author.family)}
        self._initials = {
            (plain_word(author.given)[:1], word) for author in byline for word in name_words(author.family)
        }
        entries = () if document.state("references") == "unknown" else document.references
        self._pairs = {
            (first, second)
            for entry in entries
            if len(entry.authors) == 2
            for first in name_words(family_name(entry.authors[0].of(document.text)))[-1:]
            for second in name_words(family_name(entry.authors[1].of(document.text)))[:1]
        }

    def are_named(self, text: str, match: re.Match[str]) -> bool:
        """Whether a name is that of one of these people: "Lind argued", "the Lind lab", "Lind and Wu found"."""
        word = plain_word(match[0])
        if word not in self._names:
            return False
        if _acts_like_person(text, match) or _NEXT_LAB.match(text, match.end()):
            return True
        initial = _LAST_BARE_INITIAL.search(text, max(0, match.start() - 3), match.start())
        if initial is not None and (plain_word(initial["first"]), word) in self._initials:
            return True
        if len(word) < MIN_LISTED:
            return False
        if _NEXT_IN_LIST.match(text, match.end()):
            return True
        after = _NEXT_LISTED.match(text, match.end())
        if after is not None and self._are_listed(word, plain_word(after["name"]), text, after.end()):
            return True
        before = _LAST_LISTED.search(text, max(0, match.start() - AROUND), match.start())
        return before is not None and self._are_listed(plain_word(before["name"]), word, text, match.end())

    def _are_listed(self, first: str, second: str, text: str, end: int) -> bool:
        """Whether two names in a row are those of authors of this document, or of the two authors of a work that is
        cited behind them: "the Benjamini and Hochberg method" is not about people."""
        if min(len(first), len(second)) < MIN_LISTED or first == second:
            return False
        if {first, second} <= self._byline:
            return True
        return (first, second) in self._pairs and _NEXT_CITATION.match(text, end) is not None


def _acts_like_person(text: str, match: re.Match[str]) -> bool:
    """Whether the words around a name only fit a person: "Dr. Lind", "Lind argued", "Lind's thesis"."""
    text_before = text[max(0, match.start() - AROUND) : match.start()]
    return _NEXT_SPEECH.match(text, match.end()) is not None or _LAST_TITLE.search(text_before) is not None


class NameCollector:
    """Collects the people of every document of a corpus, then assigns the new names."""

    def __init__(self) -> None:
        self._certain: set[_Name] = set()
        self._others: set[_Name] = set()
        self._families: dict[str, str] = {}
        self._taken: set[str] = set()
        self.without_capitals = 0
        """Names in scripts without capitals, which stay unchanged."""

    def add(self, document: Document) -> None:
        """Add the people and the words of one document."""
        for person in people(document):
            family = person.family.of(document.text)
            name = tuple(map(plain_word, WORD.findall(person.given))), tuple(name_words(family))
            (self._certain if person.certain else self._others).add(name)
            self.without_capitals += family.upper() == family.lower()
        for author in document.authors:
            self._families[author.span.of(document.text)] = author.family
        self._taken.update(map(plain_word, {*WORD.findall(document.text)}))

    def swap(self, seed: int) -> NameSwap:
        """A new name for every name, unused in the corpus; the same corpus and seed give the same names."""
        first_names = frozenset(word for given, _ in self._certain for word in given if len(word) > 1)
        all_names = self._certain | {name for name in self._others if not first_names.isdisjoint(name[0])}
        taken = set(self._taken)
        words: dict[str, str] = {}
        for word in sorted({word for _, family in all_names for word in family}):
            words[word] = _invent(word, taken, rng_for(seed, "name", word))
            taken.add(words[word].casefold())
        pairs = {
            (part, name) for given, family in all_names for word in given for name in family for part in (word, word[0])
        }
        return NameSwap(words, self._families, frozenset(pairs), first_names)


_Name = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of the given name and those of the family name that get a new one, in plain form."""


def _citation_spans(document: Document) -> Iterator[Span]:
    """Author-year citations, and the authors that sentences name beside a citation."""
    for citation in document.citations:
        if citation.authors is not None:
            yield citation.authors
        if citation.style == "author-year":
            yield citation.span


def _invent(family: str, taken: set[str], rng: Random) -> str:
    """A name with the same first letter, so that lists stay sorted, and with no more tokens if possible."""
    count = tokenizer(DEFAULT).count
    max_tokens = count(f" {family.capitalize()}")
    best: tuple[int, str] | None = None
    for number in range(MAX_TRIES * 10):
        name = _compose(family[0], rng, longer=number >= MAX_TRIES)
        if name.casefold() in taken:
            continue
        tokens = count(f" {name}")
        if best is None or tokens < best[0]:
            best = tokens, name
        if best[0] <= max_tokens or number >= MAX_TRIES:
            break
    # After this many tries of growing length there is always an unused name.
    assert best is not None, family
    return best[1]


def _compose(letter: str, rng: Random, longer: bool) -> str:
    syllables = rng.choice((0, 1, 1)) + (2 if longer else 0)
    opening = letter
    if letter not in "aeiou":
        starts = [start for start in _OPENINGS if start[0] == letter]
        opening = rng.choice(starts) if starts else letter
        opening += rng.choice(_MIDDLES)
    middle = "".join(rng.choice(_CONSONANTS) + rng.choice(_MIDDLES) for _ in range(syllables))
    return (opening + middle + rng.choice(_CONSONANTS) + rng.choice(_ENDINGS)).capitalize()


class _SpanCursor:
    """Tests whether ranges, queried in text order, lie inside one of the spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._waiting = sorted(spans, reverse=True)
        self._reach = 0

    def contain(self, start: int, end: int) -> bool:
        while self._waiting and self._waiting[-1].start <= start:
            self._reach = max(self._reach, self._waiting.pop().end)
        return end <= self._reach

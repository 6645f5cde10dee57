"""Which article of the corpus a reference names, and which articles are versions of one work.

Two passes: `add` every article, then `link` each. Only ids, the title, the year and the family names of an article are
kept, so a corpus may be far larger than the memory. A wrong link costs more than a missing one: whatever two articles
fit equally well is left alone, and counted.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest
from itertools import combinations, groupby, pairwise
from typing import Literal, NamedTuple
from urllib.parse import unquote
from zlib import crc32

from fathom.records.articles import Article, ArticleId, PersonId, Reference
from fathom.records.errors import FathomError
from fathom.records.names import without_accents
from fathom.records.record import short_id

Policy = Literal["published", "named"]
"""Where a work is here in several versions: a link goes to the published one, or to the one whose id is named."""


@dataclass(frozen=True, slots=True)
class Named:
    """A reference as its list gives it."""

    title: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    year: int | None = None
    authors: tuple[str, ...] = ()
    """Names in whatever form."""
    text: str = ""
    """The whole entry, where it is known: ids are found in it, and titles where none is given."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What linking needs of one article."""

    id: ArticleId
    title: str
    ids: Mapping[str, str] = field(default_factory=dict)
    work: str | None = None
    year: int | None = None
    families: tuple[str, ...] = ()
    venue: str = ""
    references: tuple[Named, ...] = ()
    """Not needed, and not kept, when the article is added."""


class Match(NamedTuple):
    """What became of one reference."""

    article: ArticleId | None
    way: str
    """A scheme of ids, "title", "text" or "fuzzy"; for None one of `UNLINKED`."""


UNLINKED = ("nothing", "own", "ambiguous", "contradicted")
"""Nothing fits; it names the citing work itself; several works fit; its id fits, and nothing else does."""


def entry_of(article: Article) -> Entry:
    """The entry of an article that has been read."""
    return Entry(
        id=article.id,
        title=article.title_text,
        ids=article.ids,
        work=article.work,
        year=article.year or (article.published.year if article.published else None),
        families=tuple(author.family for author in article.authors),
        venue=article.venue or "",
        references=tuple(_named(reference, article.text) for reference in article.references),
    )


def _named(reference: Reference, text: str) -> Named:
    return Named(
        title=reference.title.of(text) if reference.title is not None else "",
        ids=reference.ids,
        year=reference.year,
        authors=tuple(span.of(text) for span in reference.authors),
        text=reference.span.of(text),
    )


def apply(
    article: Article, links: Sequence[Match | None], work: str | None, people: Sequence[PersonId | None]
) -> Article:
    """A copy of the article with its links, its work and its people."""
    if len(links) != len(article.references) or len(people) != len(article.authors):
        raise FathomError(
            f"Article {article.id} has {len(article.references)} references and {len(article.authors)} authors, "
            f"and got {len(links)} links and {len(people)} people. Link the entry made of this very article."
        )
    named = [link.article if link is not None else None for link in links]
    if article.id in named:
        # `model_copy` does not validate, so the one rule of the record that a link can break is kept here.
        raise FathomError(f"Article {article.id} would cite itself. Link it with the linker it was added to.")
    references = tuple(
        reference.model_copy(update={"article": target})
        for reference, target in zip(article.references, named, strict=True)
    )
    authors = tuple(
        author.model_copy(update={"person": person}) for author, person in zip(article.authors, people, strict=True)
    )
    return article.model_copy(update={"references": references, "authors": authors, "work": work or article.work})


# Ids.

_ADDRESS = re.compile(r"^\s*(?:https?://)?(?:www\.|dx\.)?(?:doi\.org/|arxiv\.org/(?:abs|pdf)/)?\s*", re.IGNORECASE)
_LABEL = re.compile(r"^(?:doi|arxiv|pmid|pmcid|pep)\s*[:\s]\s*", re.IGNORECASE)
_ARXIV = re.compile(r"^(?:(\d{4}\.\d{4,5})|([a-z-]+)(?:\.[a-z]{2})?/(\d{7}))(?:v\d{1,3})?(?:\.pdf)?$")
_ARXIV_DOI = "10.48550/arxiv."
_DOI_IN_TEXT = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]{2,200}")
_ARXIV_IN_TEXT = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf)/|\s?:\s?)([a-z.-]{0,12}/?\d[\d.]{5,10}\d)(?!\d)", re.IGNORECASE
)


def normal_id(scheme: str, value: str) -> str | None:
    """An id as it is compared, with its scheme before it: "doi:10.1000/xyz"; None where it cannot be one."""
    value = _LABEL.sub("", _ADDRESS.sub("", unicodedata.normalize("NFKC", value)).strip()).strip()
    scheme = scheme.casefold()
    if scheme == "doi":
        return _normal_doi(value)
    if scheme == "arxiv":
        found = _ARXIV.match(value.casefold())
        return f"arxiv:{found[1] or f'{found[2]}/{found[3]}'}" if found else None
    if scheme in ("pmid", "pmcid", "pep"):
        # PMC ids come with and without their letters, and with a version after a dot.
        digits = value.casefold().removeprefix("pmc").partition(".")[0].strip()
        return f"{scheme}:{int(digits)}" if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
    plain = " ".join(value.casefold().split())
    return f"{scheme}:{plain}" if plain else None


def _normal_doi(value: str) -> str | None:
    doi = _without_tail(unquote(value).casefold())
    if doi.startswith(_ARXIV_DOI):
        return normal_id("arxiv", doi.removeprefix(_ARXIV_DOI))
    return f"doi:{doi}" if re.match(r"10\.\d{4,9}(?:\.\d+)*/\S", doi) else None


def _without_tail(doi: str) -> str:
    """Without the punctuation of the sentence it stood in; "s0092-8674(00)80404-8)" loses one bracket, not two."""
    while True:
        kept = doi.rstrip(".,;:'\"]}> \t\n")
        if kept.endswith(")") and kept.count(")") > kept.count("("):
            kept = kept[:-1]
        if kept == doi:
            return doi
        doi = kept


def _ids_of(ids: Mapping[str, str], text: str = "") -> list[str]:
    """The ids in the order in which they are trusted, those that stand in `text` included."""
    found = dict(ids)
    if text:
        if "doi" not in found and (doi := _DOI_IN_TEXT.search(text)):
            found["doi"] = doi[0]
        if "arxiv" not in found and (arxiv := _ARXIV_IN_TEXT.search(text)):
            found["arxiv"] = arxiv[1]
    order = ("doi", "arxiv", "pmid", "pmcid")
    schemes = sorted(found, key=lambda scheme: (order.index(scheme) if scheme in order else len(order), scheme))
    normal = (normal_id(scheme, found[scheme]) for scheme in schemes if found[scheme])
    return list(dict.fromkeys(id for id in normal if id is not None))


# Titles and names.

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,60}>")
_LATEX = re.compile(r"\\(?:text\w{0,6}|emph|math\w{2,4}|it|bf|rm|sc)\b|\\(?=[A-Za-z])|[{}$]")
_WORD = re.compile(r"[^\W_]+")
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
)
_GREEK = dict(zip(map(ord, "αβγδεζηθικλμνξοπρστυφχψω"), _GREEK_NAMES.split(), strict=True))


def normal_title(title: str) -> str:
    """The words of a title in one case, without dress, accents and punctuation; Greek letters are spelled out."""
    if not title.isascii():
        title = without_accents(unicodedata.normalize("NFKC", title))
    if "<" in title:
        title = _TAG.sub("", title)
    if "\\" in title or "{" in title or "$" in title:
        title = _LATEX.sub("", title)
    title = title.replace("&", " and ").casefold().replace("ς", "σ")
    return " ".join(_WORD.findall(title if title.isascii() else title.translate(_GREEK)))


def _is_chinese(letter: str) -> bool:
    """Or another script that sets no blanks between words."""
    return "\u2e80" <= letter <= "\u9fff" or letter >= "\uf900"


def _weight(words: str) -> int:
    """How many words a normal title has; two Chinese characters count as one."""
    if words.isascii():
        return words.count(" ") + 1 if words else 0
    return sum(max(1, sum(map(_is_chinese, word)) // 2) for word in words.split())


def _family(name: str) -> str:
    return "".join(_WORD.findall(without_accents(name).casefold()))


def _shares_author(families: Sequence[str], named: str) -> bool:
    """Whether one of the families stands among the names, which are closed up at hyphens and blanks between words."""
    return any(f" {family} " in named for family in families)


def _names(authors: Iterable[str]) -> str:
    """Every word of the names, and every two and three that follow one another, closed up, as families are."""
    closed: list[str] = []
    for author in authors:
        words = _WORD.findall(without_accents(author).casefold())
        closed.extend(words)
        closed.extend(left + right for left, right in pairwise(words))
        closed.extend(map("".join, zip(words, words[1:], words[2:], strict=False)))
    return f" {' '.join(closed)} " if closed else ""


# What is kept of an article.


@dataclass(slots=True)
class _Kept:
    id: ArticleId
    title: str
    """Normal."""
    ids: tuple[str, ...]
    work: str | None
    year: int | None
    families: tuple[str, ...]
    preprint: bool
    group: int = 0
    """The place of the first of its work."""
    best: int = 0
    """The place of the version that links go to."""


_PREPRINT_DOI = re.compile(
    r"doi:10\.(?:1101|48550|21203|20944|31234|31219|31235|26434|2139|5281|36227|22541|26226|32942)/"
)
_PREPRINT_VENUE = re.compile(r"rxiv|preprint|ssrn|research square", re.IGNORECASE)
_DOI_VERSION = re.compile(r"(?:[./]v|\.|v)(\d{1,2})$")


def _is_preprint(ids: Sequence[str], venue: str) -> bool:
    dois = [id for id in ids if id.startswith("doi:")]
    if any(_PREPRINT_DOI.match(doi) for doi in dois) or _PREPRINT_VENUE.search(venue):
        return True
    return not dois and not venue and any(id.startswith("arxiv:") for id in ids)


class _Sets:
    """Sets that are joined; a set is known by its smallest member."""

    def __init__(self, size: int) -> None:
        self._parents = array("L", range(size))

    def find(self, member: int) -> int:
        parents = self._parents
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    def join(self, one: int, two: int) -> None:
        one, two = self.find(one), self.find(two)
        self._parents[max(one, two)] = min(one, two)


SHORT = 4
"""Words: a title of fewer is shared by strangers ("Membrane fusion"), and needs a year or an author besides."""


class Linker:
    """Links the references of a corpus. The order in which articles are added changes nothing."""

    def __init__(self, policy: Policy = "published") -> None:
        self._policy = policy
        self._kept: list[_Kept] = []
        self._index: _Index | None = None
        self._counts: Counter[str] = Counter()

    def add(self, entry: Entry) -> None:
        """Take note of an article; its references are not looked at."""
        if self._index is not None:
            raise FathomError(f"Article {entry.id} comes too late. Add every article before the first is linked.")
        ids = _ids_of(entry.ids)
        families = dict.fromkeys(filter(None, map(_family, entry.families)))
        self._kept.append(
            _Kept(
                id=entry.id,
                title=normal_title(entry.title),
                ids=tuple(ids),
                work=entry.work,
                year=entry.year,
                families=tuple(families),
                preprint=_is_preprint(ids, entry.venue),
            )
        )

    def link(self, entry: Entry) -> tuple[Match, ...]:
        """For each reference of an article that was added: the article it names, and how that was told."""
        index = self._ready()
        own = index.place(entry.id)
        matches = tuple(self._match(index, own, reference) for reference in entry.references)
        self._counts.update(match.way for match in matches)
        return matches

    def work(self, id: ArticleId) -> str | None:
        """The name of the article's work: its own, or one that all versions here share; None for a lone article."""
        index = self._ready()
        return index.works.get(index.kept[index.place(id)].group)

    @property
    def versions(self) -> int:
        """How many articles are versions of a work that another article is a version of too."""
        works = Counter(work for work in (self.work(kept.id) for kept in self._kept) if work is not None)
        return sum(count for count in works.values() if count > 1)

    def report(self) -> dict[str, int]:
        """How many references were told in which way, and how many were left for which reason."""
        return dict(sorted(self._counts.items()))

    def _ready(self) -> _Index:
        if self._index is None:
            self._index = _Index(self._kept)
        return self._index

    def _match(self, index: _Index, own: int, reference: Named) -> Match:
        found = _Search(index, reference).run()
        if found.place is None:
            return Match(None, found.way)
        kept = index.kept[found.place]
        if kept.group == index.kept[own].group:
            return Match(None, "own")
        exact = self._policy == "named" and found.way not in ("title", "text", "fuzzy")
        return Match(kept.id if exact else index.kept[kept.best].id, found.way)


# Finding.

_STEP = 8
"""Letters in one piece of a title. Titles that share no two pieces are not compared."""
_EVERY = 3
"""One piece in so many is kept, always the same ones: a third of the memory, and three typos still leave pieces."""
_COMMON = 48
"""A piece that more titles hold ("ofthehum") tells nothing."""
_COMPARED = 12
"""Titles at most that one reference is compared with."""


def _pieces(title: str) -> Iterator[int]:
    """Fingerprints of some of the pieces of a title; which ones depends on the piece alone."""
    letters = title.replace(" ", "").encode()
    for start in range(len(letters) - _STEP + 1):
        mark = crc32(letters[start : start + _STEP])
        if mark % _EVERY == 0:
            yield mark


class _Index:
    """What is looked up; built once, when all articles are there."""

    def __init__(self, kept: list[_Kept]) -> None:
        self.kept = sorted(kept, key=lambda one: one.id)
        for one, two in pairwise(self.kept):
            if one.id == two.id:
                raise FathomError(f"Two articles have the id {one.id}. Leave one of them out.")
        self.by_id = _gathered(self.kept, lambda one: one.ids)
        self.by_title = _gathered(self.kept, lambda one: (one.title.replace(" ", ""),) if one.title else ())
        self.by_opening = _gathered(self.kept, lambda one: _opening(one.title))
        self._pieces = array(
            "Q", sorted(piece << 32 | place for place, one in enumerate(self.kept) for piece in set(_pieces(one.title)))
        )
        self.vocabulary = frozenset(word for one in self.kept for word in one.title.split())
        self.works = _sort_into_works(self.kept, self.by_id, self.by_title)

    def place(self, id: ArticleId) -> int:
        place = bisect_left(self.kept, id, key=lambda one: one.id)
        if place == len(self.kept) or self.kept[place].id != id:
            raise FathomError(f"Article {id} was not added. Add every article before the first is linked.")
        return place

    def alike(self, title: str) -> list[int]:
        """The articles whose titles share the most pieces with this one, the likeliest first."""
        index, size = self._pieces, len(self._pieces)
        places: list[int] = []
        for piece in set(_pieces(title)):
            start, high = bisect_left(index, piece << 32), piece + 1 << 32
            if start < size and index[start] < high:
                beyond = start + _COMMON
                if beyond >= size or index[beyond] >= high:
                    places.extend(index[start : bisect_left(index, high, start, min(beyond, size))])
        shared = Counter([entry & 0xFFFFFFFF for entry in places])
        likely = [(-times, place) for place, times in shared.items() if times > 1 or len(title) < 40]
        return [place for _, place in nsmallest(_COMPARED, likely)]


def _gathered(kept: Sequence[_Kept], keys: Callable[[_Kept], Iterable[str]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for place, one in enumerate(kept):
        for key in keys(one):
            found[key] = (*found.get(key, ()), place)
    return found


_IN_TEXT = 5
"""Words: a shorter title is not looked for in the running text of an entry."""


def _opening(title: str) -> tuple[str, ...]:
    words = title.split(" ", _IN_TEXT)
    return (" ".join(words[:_IN_TEXT]),) if len(words) >= _IN_TEXT else ()


class _Found(NamedTuple):
    place: int | None
    way: str


_NOTHING = _Found(None, "nothing")
_AMBIGUOUS = _Found(None, "ambiguous")


class _Search:
    """The search for one reference."""

    def __init__(self, index: _Index, reference: Named) -> None:
        self._index = index
        self._reference = reference
        self._title = normal_title(reference.title)

    def run(self) -> _Found:
        found = self._by_id()
        if found.way != "nothing" or not (self._title or self._reference.text):
            return found
        if not self._title:
            return self._in_text()
        found = self._by_title()
        return self._by_likeness() if found.way == "nothing" else found

    # The ways.

    def _by_id(self) -> _Found:
        reference, index = self._reference, self._index
        fits: dict[str, int] = {}
        for id in _ids_of(reference.ids, reference.text):
            for place in index.by_id.get(id, ()):
                fits.setdefault(id, place)
        groups = {index.kept[place].group for place in fits.values()}
        if len(groups) > 1:
            # A list whose entry has the DOI of one article and the PMID of another: the title decides, or nobody.
            exact = [id for id, place in fits.items() if index.kept[place].title == self._title]
            return _Found(fits[exact[0]], exact[0].partition(":")[0]) if self._title and exact else _AMBIGUOUS
        for id, place in fits.items():
            wrong = self._contradicts(index.kept[place])
            return _Found(None, "contradicted") if wrong else _Found(place, id.partition(":")[0])
        return _NOTHING

    def _by_title(self) -> _Found:
        places = self._index.by_title.get(self._title.replace(" ", ""), ())
        return self._only([place for place in places if self._may_be(self._index.kept[place])], "title")

    def _in_text(self) -> _Found:
        """Where no title was told apart, one that stands word by word in the entry, with its author and its year."""
        words = normal_title(self._reference.text).split()
        fits: list[int] = []
        longest = 0
        for start in range(len(words) - _IN_TEXT + 1):
            for place in self._index.by_opening.get(" ".join(words[start : start + _IN_TEXT]), ()):
                kept = self._index.kept[place]
                length = kept.title.count(" ") + 1
                if length < longest or words[start : start + length] != kept.title.split():
                    continue
                before = _names([" ".join(words[:start])])
                if _shares_author(kept.families, before) and self._year_stands(kept, words):
                    fits = [*fits, place] if length == longest else [place]
                    longest = length
        return self._only(fits, "text")

    def _by_likeness(self) -> _Found:
        if _weight(self._title) < SHORT:
            return _NOTHING
        scored: list[tuple[float, int]] = []
        for place in self._index.alike(self._title):
            kept = self._index.kept[place]
            if self._is_supported(kept) and (score := likeness(self._title, kept.title, self._index.vocabulary)) > 0:
                scored.append((score, place))
        best = max((score for score, _ in scored), default=0)
        return self._only([place for score, place in scored if score == best], "fuzzy")

    # What speaks for and against.

    @cached_property
    def _names(self) -> str:
        return _names(self._reference.authors)

    def _years_apart(self, kept: _Kept) -> int | None:
        year = self._reference.year
        return abs(year - kept.year) if year is not None and kept.year is not None else None

    def _author(self, kept: _Kept) -> bool | None:
        """Whether an author is shared; None where that is unknown."""
        return _shares_author(kept.families, self._names) if kept.families and self._names else None

    def _contradicts(self, kept: _Kept) -> bool:
        """Whether title, authors and year are all of another work: lists hold wrong DOIs, but rarely."""
        apart = self._years_apart(kept)
        if not self._title or self._author(kept) is not False or apart is None or apart <= 1:
            return False
        return _ratio(self._title, kept.title) < 50

    def _may_be(self, kept: _Kept) -> bool:
        """Whether the same title may mean the same work."""
        apart, author = self._years_apart(kept), self._author(kept)
        near = apart is not None and apart <= 1
        if _weight(self._title) < SHORT:
            return (near or bool(author)) and author is not False
        if author is False:
            # Lists misspell names ("Mehlman, T. (Skaist)" for Skaist Mehlman), but strangers choose one short title.
            return (near and _weight(self._title) >= 6) or (apart is None and _weight(self._title) >= 8)
        return bool(author) or apart is None or apart <= 3

    def _is_supported(self, kept: _Kept) -> bool:
        """Whether a title that is merely alike may mean the same work."""
        apart, author = self._years_apart(kept), self._author(kept)
        if author is False or (apart is not None and apart > 2):
            return False
        return bool(author) or (apart is not None and apart <= 1)

    def _year_stands(self, kept: _Kept, words: Sequence[str]) -> bool:
        if self._reference.year is not None:
            apart = self._years_apart(kept)
            return apart is not None and apart <= 1
        return kept.year is not None and any(str(kept.year + step) in words for step in (-1, 0, 1))

    def _only(self, places: Sequence[int], way: str) -> _Found:
        """The one work among several that fits best; ambiguous where there is no one."""
        kept = self._index.kept
        if not places:
            return _NOTHING
        for narrower in (self._by_author, self._by_near_year, self._by_same_year):
            if len({kept[place].group for place in places}) == 1:
                break
            places = [place for place in places if narrower(kept[place])] or places
        groups = {kept[place].group for place in places}
        return _Found(places[0], way) if len(groups) == 1 else _AMBIGUOUS

    def _by_author(self, kept: _Kept) -> bool:
        return bool(self._author(kept))

    def _by_near_year(self, kept: _Kept) -> bool:
        return (self._years_apart(kept) or 0) <= 1

    def _by_same_year(self, kept: _Kept) -> bool:
        return self._years_apart(kept) == 0


# Titles that are alike.

ALIKE = 88.0
"""Of 100: how much of two titles must be the same, letter by letter, before their words are looked at."""
_SMALL_WORDS = "a an the of and in on for to by from at as is are"
_SMALL = frozenset(_SMALL_WORDS.split())
_NEVER_SLIPS = frozenset(("no", "not", "two", "out", "off"))
"""Words that a small word becomes by a slip, and that mean something."""
_TURNING = re.compile("an?|un|i[nmlr]|non|de|dis|anti|pre|post|sub|super|re|co")
"""What makes another word of a word it stands before: "symmetric" and "asymmetric"."""
_NUMERAL = re.compile(r"[ivx]+|[a-z]")
_DIGITS = re.compile(r"\D+")
_TWO_WAYS = re.compile(r"(?<=.)(?:s|e|es)$|(.)(?=\1)|(?<=o)u(?=r)|[ao](?=e)|(?<=og)ue$")


def _ratio(one: str, two: str, cutoff: float = 0) -> float:
    from rapidfuzz import fuzz

    return fuzz.ratio(one.replace(" ", ""), two.replace(" ", ""), score_cutoff=cutoff)


def likeness(one: str, two: str, known: Container[str] = frozenset()) -> float:
    """How alike two normal titles are, of 100; zero where they differ by more than slips of the hand.

    "Part I" and "Part II", "in mice" and "in rats", "Registered report" and "Replication study" are whole words apart:
    such titles belong to companions by the same authors in the same year, so letters alone tell nothing. Two words
    that are both `known` from other titles ("infection", "injection") are two words, however near.
    """
    ratio = _ratio(one, two, ALIKE)
    if not ratio:
        return 0.0
    from rapidfuzz.distance import Levenshtein

    left, right = one.split(), two.split()
    changes = Levenshtein.opcodes(left, right)
    for differs, run in groupby(changes, key=lambda change: change.tag != "equal"):
        if differs and not _are_slips(
            [(left[c.src_start : c.src_end], right[c.dest_start : c.dest_end]) for c in run], known
        ):
            return 0.0
    return ratio


def _are_slips(run: Sequence[tuple[list[str], list[str]]], known: Container[str]) -> bool:
    """Whether the changes beside one another are slips, each by itself or all taken as one."""
    if all(_is_slip(old, new, known) for old, new in run):
        return True
    return _is_slip([word for old, _ in run for word in old], [word for _, new in run for word in new], known)


def _is_slip(old: Sequence[str], new: Sequence[str], known: Container[str]) -> bool:
    """Whether these words may be meant to be those."""
    if _SMALL.issuperset(old) and _SMALL.issuperset(new):
        return True
    if "".join(old) == "".join(new):
        return True
    if len(old) == len(new) and all(_is_typo(one, two, known) for one, two in zip(old, new, strict=True)):
        return True
    # A blank that went astray ("setsi ze") spoils two words at once.
    return max(len(old), len(new)) > 1 and _is_typo("".join(old), "".join(new), known)


def _is_typo(one: str, two: str, known: Container[str]) -> bool:
    """Whether two words are one word mistyped, or spelled in two ways; numbers are never mistyped here."""
    from rapidfuzz.distance import OSA

    if one == two or _one_way(one) == _one_way(two):
        return True
    if not one or not two or (_NUMERAL.fullmatch(one) and _NUMERAL.fullmatch(two)):
        return False
    if _SMALL.isdisjoint((one, two)) and one in known and two in known:
        return False
    if not _NEVER_SLIPS.isdisjoint((one, two)) or _DIGITS.sub("", one) != _DIGITS.sub("", two):
        return False
    longer, shorter = (one, two) if len(one) > len(two) else (two, one)
    if longer.endswith(shorter) and _TURNING.fullmatch(longer.removesuffix(shorter)):
        return False
    return OSA.distance(one, two) <= max(2 if len(shorter) > 4 else 1, len(longer) // 4)


def _one_way(word: str) -> str:
    """A word spelled in one of the ways in which many are spelled: "tumours", "tumor"; "analyse", "analyzes"."""
    return _TWO_WAYS.sub("", word.replace("z", "s")) if len(word) > 3 else word


# Works.


def _sort_into_works(
    kept: Sequence[_Kept], by_id: Mapping[str, tuple[int, ...]], by_title: Mapping[str, tuple[int, ...]]
) -> dict[int, str]:
    """Tell each article its group and its best version; returns the names of the works that have one."""
    sets = _Sets(len(kept))
    by_work = _gathered(kept, lambda one: (one.work,) if one.work else ())
    for places in (*by_work.values(), *by_id.values()):
        for one, two in pairwise(places):
            sets.join(one, two)
    for one, two in _same_titles(kept, by_title):
        sets.join(one, two)
    for earlier, later in _versions(kept):
        sets.join(earlier, later)
    groups: dict[int, list[int]] = defaultdict(list)
    for place, article in enumerate(kept):
        article.group = sets.find(place)
        groups[article.group].append(place)
    names: dict[int, str] = {}
    for group, members in groups.items():
        best = min(members, key=lambda place: (kept[place].preprint, -_version(kept[place]), kept[place].id))
        for place in members:
            kept[place].best = best
        named = min((kept[place].work or "" for place in members if kept[place].work), default="")
        if named or len(members) > 1:
            names[group] = named or short_id("w", *(kept[place].id for place in members))
    return names


def _same_titles(kept: Sequence[_Kept], by_title: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Articles with one title, two families in common and at most two years between them."""
    for places in by_title.values():
        if len(places) < 2:
            continue
        teams: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place in places:
            # The first of a long byline are the same in every version; all pairs of a hundred would be too many.
            for team in combinations(sorted(kept[place].families[:8]), 2):
                teams[team].append(place)
        for team_places in teams.values():
            yield from _within_two_years(kept, team_places)


def _within_two_years(kept: Sequence[_Kept], places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Counted from the first of each, so that a yearly report under one title does not become one work."""
    dated = sorted((kept[place].year or 0, place) for place in places if kept[place].year is not None)
    firsts: list[tuple[int, int]] = []
    for year, place in dated:
        if firsts and year - firsts[-1][0] <= 2:
            yield firsts[-1][1], place
        else:
            firsts.append((year, place))
    undated = [place for place in places if kept[place].year is None]
    if len(firsts) == 1:
        undated.append(firsts[0][1])
    if len(firsts) <= 1:
        yield from pairwise(undated)


_MOST_VERSIONS = 40


def _versions(kept: Sequence[_Kept]) -> Iterator[tuple[int, int]]:
    """Articles whose DOIs differ by a version at their end, such as ".2", and that are alike otherwise too.

    Their titles may have changed between them. The earlier versions are noted as preprints.
    """
    stems: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, article in enumerate(kept):
        for doi in (id for id in article.ids if id.startswith("doi:")):
            ending = _DOI_VERSION.search(doi)
            stems[doi].append((0, place))
            if ending:
                stems[doi[: ending.start()]].append((int(ending[1]), place))
    for found in stems.values():
        if 1 < len(found) <= _MOST_VERSIONS:
            for (first, one), (second, two) in combinations(sorted(found), 2):
                if first != second and _is_version(kept[one], kept[two]):
                    # A DOI without a number stands for the version of record.
                    kept[two].preprint = kept[two].preprint or first == 0
                    yield one, two


def _is_version(one: _Kept, two: _Kept) -> bool:
    shared = set(one.families) & set(two.families)
    enough = 2 * len(shared) >= min(len(one.families), len(two.families)) > 0
    return enough and _ratio(one.title, two.title) >= 60


def _version(kept: _Kept) -> int:
    endings = (_DOI_VERSION.search(id) for id in kept.ids if id.startswith("doi:"))
    return max((int(ending[1]) for ending in endings if ending), default=0)

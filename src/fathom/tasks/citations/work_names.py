"""Names that identify a work: its title and what it presents, and where a text mentions them.

A text mentions a name if a run of its whole words has the letters of the name, in any case, number, accents or
hyphenation: "Switch Transformer" and "switch-transformers" are one name, and "model: simply" does not mention "ELSim".
A name that is an ordinary word of the corpus counts only where it is printed as a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import count
from weakref import WeakKeyDictionary

from fathom.corpus.store import Corpus
from fathom.records.names import CHINESE, without_accents
from fathom.records.spans import Span
from fathom.tasks.citations.type_rule import NO_NAMES, is_coined
from fathom.tasks.citations.word_counts import stems_in

# Folding.


@lru_cache(maxsize=1 << 12)
def fold(letters: str) -> str:
    """Letters in the form in which names are compared: lower case, without accents and ligatures."""
    return without_accents(unicodedata.normalize("NFKC", letters)).casefold()


_FOLDED = re.compile(r"[\xa0\xad\xc0-\u024f\u0300-\u036f\u1e00-\u1eff\u2000-\u2015\u202f\u2212\ufb00-\ufb06]+")
"""What is folded in other ways than to lower case: accents, ligatures, dashes."""
_DIVIDED = re.compile(r"-\n(?=[a-z])(?<=[a-z]-\n)")
"""The end of a line that divides a word."""
_SIGNS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f", " ")
    | dict.fromkeys("\xad\u200b\u200c\u200d\u200e\u200f", "")
)


@dataclass(frozen=True)
class FoldedText:
    """A text as it is searched for names, with the position of each character in the original."""

    letters: str
    positions: Sequence[int] | None
    """The original position of each character and of the end; None if all are the same."""

    @classmethod
    def of(cls, text: str) -> FoldedText:
        changed = (
            [] if text.isascii() else [(match.start(), match[0], _folded(match[0])) for match in _FOLDED.finditer(text)]
        )
        if "-\n" in text:
            changed = sorted([*changed, *((match.start(), match[0], "") for match in _DIVIDED.finditer(text))])
        if not changed:
            return cls(text.lower(), None)
        parts: list[str] = []
        last = 0
        for start, printed, folded in changed:
            parts += (text[last:start], folded)
            last = start + len(printed)
        # The only capital whose lower case has two characters was folded: "İstanbul".
        letters = "".join((*parts, text[last:])).lower()
        if all(len(printed) == len(folded) for _, printed, folded in changed):
            return cls(letters, None)
        return cls(letters, _positions(len(text), changed))

    @cached_property
    def without_spaces(self) -> bytes:
        """The text without spaces and hyphens: a name that is not in it is not in the text."""
        return self.letters.encode().translate(None, b" \t\n-_+")

    def around(self, word: str, width: int) -> Iterator[tuple[int, int]]:
        """Ranges that contain every place of a word, with this many characters on both sides."""
        printed = self.letters.count(word)
        if self.without_spaces.count(word.encode()) != printed:
            # Somewhere it is printed with a hyphen, or two words have its letters.
            yield 0, len(self.letters)
            return
        at = self.letters.find(word)
        while at >= 0:
            start, end = max(0, at - width), at + width
            at = self.letters.find(word, at + 1)
            while 0 <= at - width <= end:
                end = at + width
                at = self.letters.find(word, at + 1)
            yield start, min(end, len(self.letters))

    def span(self, start: int, end: int) -> Span:
        """The span of the original text."""
        if self.positions is None:
            return Span(start, end)
        return Span(self.positions[start], self.positions[end])


@lru_cache(maxsize=1 << 12)
def _folded(printed: str) -> str:
    return fold(printed.translate(_SIGNS))


def _positions(length: int, changed: Iterable[tuple[int, str, str]]) -> list[int]:
    found: list[int] = []
    last = 0
    for start, printed, folded in changed:
        found += range(last, start)
        # A letter that became several, or several that became one: each at its share of the printed ones.
        found += [start + number * len(printed) // len(folded) for number in range(len(folded))]
        last = start + len(printed)
    return [*found, *range(last, length + 1)]


# Names.

_PIECES = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|\d+|[^\W\d_]+")
WITHIN = "-?"
"""Text that may be printed within a word of a name."""
BETWEEN_PIECES = r"[\s_+-]{0,3}"
"""Text that may be printed between the words of a name."""
BETWEEN_WORDS = r"[\W_]{1,6}"
"""Text that may be printed between the words of a title; nothing if the title prints a hyphen: "fine-tuning"."""


@dataclass(frozen=True)
class WorkName:
    """A title, part of a title, or the name of what a work presents."""

    pieces: tuple[str, ...]
    """Its words, folded; a coined word such as "FlashAttention" in its parts, without the plural of the last."""
    is_title: bool
    is_ordinary: bool
    """Whether it consists of ordinary words: it counts only where it is printed as a name."""
    sign: str = ""
    """What ends it, as in "CFG++"."""
    hyphens: frozenset[int] = frozenset()
    """For a title: the numbers of the words before which it prints a hyphen."""

    @property
    def letters(self) -> str:
        return "".join(self.pieces)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if self.is_title:
            # Without hyphens within words: long patterns take long to compile.
            gaps = (f"(?:{BETWEEN_WORDS})?" if number in self.hyphens else BETWEEN_WORDS for number in count(1))
            words = self.pieces[0] + "".join(map(str.__add__, gaps, map(re.escape, self.pieces[1:])))
        else:
            words = BETWEEN_PIECES.join(WITHIN.join(map(re.escape, piece)) for piece in self.pieces)
        return re.compile(rf"{words}(?:e?s)?{re.escape(self.sign)}")

    def spans(self, text: str, folded: FoldedText) -> Iterator[Span]:
        """Where a text mentions the name."""
        # Search by the longest word, which few other phrases have; a pattern tried at every letter takes much longer.
        anchor = max(self.pieces, key=len)
        width = 2 * len(self.letters) + 8 * len(self.pieces) + 8
        for start, end in folded.around(anchor, width):
            for match in self._pattern.finditer(folded.letters, start, end):
                span = folded.span(*match.span())
                if is_whole(folded.letters, *match.span()) and (not self.is_ordinary or is_printed_as_name(text, span)):
                    yield span

    def is_misspelled_in(self, words: Sequence[str]) -> bool:
        """Whether folded words contain the name with one word in another form or misspelled: "class-free guidance" for
        "classifier-free guidance", "TideNett" for "TideNet"."""
        many = len(self.pieces)
        if self.is_ordinary or not (many >= TITLE_WORDS if self.is_title else len(self.letters) >= LETTERS):
            return False
        if not self.is_title:
            found = ("".join(words[at : at + n]) for n in range(1, many + 1) for at in range(len(words) - n + 1))
            return any(_is_misspelled(one, self.letters) for one in found)
        pieces = [_singular(piece) for piece in self.pieces]
        for at in range(len(words) - many + 1):
            others = [pair for pair in zip(words[at : at + many], pieces, strict=True) if pair[0] != pair[1]]
            if len(others) == 1 and _is_form_of(*others[0]):
                return True
        return False


TITLE_WORDS, LETTERS = 3, 7
"""The minimum number of words of a title, and of letters of another name, that is recognized if it is misspelled."""
_DIGITS = "0123456789"
SAME_LETTERS = 5
"""The first letters that forms of one word share, if one of them is not the beginning of the other."""


def _is_misspelled(word: str, name: str) -> bool:
    """Whether one letter of a name is missing, added, replaced or in the place of its neighbor."""
    if word[:1] != name[:1] or abs(len(word) - len(name)) > 1 or word == name:
        return False
    # Versions of one name differ in their numbers: "TideNet2".
    return word.rstrip(_DIGITS) != name.rstrip(_DIGITS) and _distance(word, name) == 1


@lru_cache(maxsize=1 << 12)
def _distance(word: str, name: str) -> int:
    from rapidfuzz.distance import OSA

    return OSA.distance(word, name, score_cutoff=1)


def _is_form_of(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    is_beginning = len(short) >= SAME_LETTERS - 1 and long.startswith(short)
    return is_beginning or word[:SAME_LETTERS] == other[:SAME_LETTERS] or _is_misspelled(word, other)


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether a part of a text is not part of a longer word or number: "GPT-3" is not in "GPT-3.5"."""
    if is_letter(text[start - 1 : start]) or is_letter(text[end : end + 1]):
        return False
    return not (text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit() and text[end - 1].isdigit())


WITHOUT_SPACES = re.compile(rf"[{CHINESE}\u3040-\u30ff\uac00-\ud7a3]")


def is_letter(letter: str) -> bool:
    """Whether it is a letter or digit of a script that separates words by spaces."""
    return letter.isalnum() and (letter.isascii() or not WITHOUT_SPACES.match(letter))


def is_printed_as_name(text: str, span: Span) -> bool:
    """Whether words are printed as a name: with capitals that no sentence or heading explains."""
    words = re.findall(r"[^\W_]+", span.of(text))
    if any(sum(map(str.isupper, word)) > 1 for word in words):
        return True
    if not all(word[0].isupper() or len(word) < 4 for word in words) or not words[0][0].isupper():
        return False
    before = text[max(0, span.start - 4) : span.start].rstrip(" \"'“‘([*_")
    return len(words) > 1 or not (not before or before[-1] in ".!?:;#|\n•")


def _name(printed: str, common: CommonWords, is_title: bool = False) -> WorkName | None:
    """The name of a printed form; None if it has too few letters, or is a word that names nothing."""
    printed = unicodedata.normalize("NFKC", printed)
    found = list(re.finditer(r"[^\W_]+", printed))
    words = [match[0] for match in found]
    pieces = [fold(piece) for word in words for piece in (_camel_pieces(word) if not is_title else [word])]
    if len("".join(pieces)) < 3 or all(piece.isdigit() for piece in pieces):
        return None
    if len(words) == 1 and fold(words[0]) in NO_NAMES and not (fold(words[0]) in STOP_WORDS and words[0].isupper()):
        return None
    pieces[-1] = _singular(pieces[-1])
    is_ordinary = all(is_common(fold(word), common) for word in words) and not (is_title and len(words) > 2)
    if is_ordinary and len(words) > 1:
        is_ordinary = common.has_phrase(" ".join(map(str.lower, words)))
    sign = re.search(r"(?<=\w)[+*]*$", printed)
    if not is_title:
        return WorkName(tuple(pieces), is_title, is_ordinary, sign[0] if sign else "")
    hyphens = (number for number, match in enumerate(found) if printed[match.start() - 1 : match.start()] in _HYPHENS)
    return WorkName(tuple(pieces), is_title, is_ordinary, hyphens=frozenset(hyphens) - {0})


def _singular(word: str) -> str:
    """A word without the ending of the plural, which may be printed or not."""
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


_HYPHENS = ("-", "\u2010", "\u2011", "\u2013")


def _camel_pieces(word: str) -> list[str]:
    """The parts of a coined word that may be printed apart: "Flash" and "Attention", but not "Lo" and "RA"."""
    pieces = _PIECES.findall(word)
    if len(pieces) < 2 or "".join(pieces) != word:
        return [word]
    joined = [pieces[0]]
    for piece in pieces[1:]:
        if piece.isdigit() or min(len(piece), len(joined[-1])) > 2:
            joined.append(piece)
        else:
            joined[-1] += piece
    return joined


# Ordinary words.

_STOP_WORDS = """
the and for are was were been being have has had with that this these those from which their its our they them than
then also such can may will would could should not but more most some any all each both other into over under
between within without about after before where when while who whose how what there here only very much many few one
two three using used use uses based show shows shown study work paper result results method methods approach
approaches model models new data learning deep neural network networks analysis system systems
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
SAMPLED = 40
"""Documents of a corpus whose words count as ordinary, and characters of each."""
SAMPLED_CHARACTERS = 20_000
STEM_SHARE, STEM_DOCUMENTS = 1 / 3, 8
"""The share of these documents, and their minimum number, in which the words of a stem must occur to be common."""
TYPICAL = 2
"""How many times as often as any of them a text uses a name that is typical of it."""
PHRASE_SHARE = 0.15
"""The share of documents in which a phrase of several words must occur to be ordinary: others name a known work too."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


@dataclass(frozen=True)
class CommonWords:
    """Words that several documents of a corpus use."""

    lower: frozenset[str] = frozenset()
    """Common words in lower case."""
    coined: frozenset[str] = frozenset()
    """Common words that look coined, as they are printed."""
    texts: tuple[str, ...] = field(default=(), repr=False)
    """The sampled texts, in which phrases are counted."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of words that many documents use, such as "exhibit": they tell no work from the others."""
        found = Counter(stem for text in self.texts for stem in set(stems_in(text)))
        least = max(STEM_DOCUMENTS, len(self.texts) * STEM_SHARE)
        return frozenset(stem for stem, documents in found.items() if documents >= least)

    def is_typical_of(self, text: str, name: str) -> bool:
        """Whether a text uses a name much more often than all sampled texts: others only mention what it presents."""
        return _is_typical(name, text, self.texts)

    def is_typical_phrase_of(self, text: str, phrase: str) -> bool:
        """The same for a phrase, which may be printed with capitals."""
        return _is_typical(phrase.lower(), text.lower(), self._lowered)

    @cached_property
    def _lowered(self) -> tuple[str, ...]:
        return tuple(map(str.lower, self.texts))

    def has_phrase(self, phrase: str) -> bool:
        """Whether many documents use a phrase in lower case, as they use "deep learning"."""
        return sum(phrase in text for text in self.texts) >= max(3, len(self.texts) * PHRASE_SHARE)


def _is_typical(name: str, text: str, texts: Iterable[str]) -> bool:
    rates = (one.count(name) / len(one) for one in texts if one and not text.startswith(one))
    return text.count(name) > TYPICAL * len(text) * max(rates, default=0.0)


_known: WeakKeyDictionary[Corpus, CommonWords] = WeakKeyDictionary()


def common_words(corpus: Corpus) -> CommonWords:
    """The common words of a corpus, from a sample of its documents."""
    if corpus not in _known:
        ids = [listed.id for listed in corpus.entries()]
        sampled = ids[:: max(1, len(ids) // SAMPLED)][:SAMPLED]
        texts = tuple(corpus.text(id)[:SAMPLED_CHARACTERS] for id in sampled)
        found = Counter(word for text in texts for word in set(_WORD.findall(text)))
        least = 3 if len(sampled) > 20 else 2
        words = [word for word, documents in found.items() if documents >= least]
        lower, others = (frozenset(word for word in words if word.islower() == wanted) for wanted in (True, False))
        _known[corpus] = CommonWords(lower, frozenset(filter(is_coined, others)), texts)
    return _known[corpus]


def is_common(word: str, common: CommonWords) -> bool:
    """Whether a folded word is ordinary, in the singular or plural."""
    return word.isdigit() or any(one in STOP_WORDS | common.lower for one in (word, word.removesuffix("s"), f"{word}s"))


def coined_words(text: str, common: CommonWords) -> set[str]:
    """The words of a text that look coined, without those that several documents of its corpus use."""
    return {word for word in _WORD.findall(text) if is_coined(word) and word not in common.coined}


# The names of a work.

_LINK = r"(?:of|for|on|in|to|with|by|from|that|which|using|based|over|against|as)\b"
"""What follows such a word is not what is presented: "an analysis of BERT"."""
_WORDS_BETWEEN = rf"(?:(?!{_LINK})[a-z][\w-]*,?\s+){{0,6}}?"
_PRESENTED = re.compile(
    rf"\b(?i:propos|introduc|present|develop|releas|call|nam|dub)\w*\b,?\s+{_WORDS_BETWEEN}"
    r"\(?(?P<name>[a-z]?[A-Z][\w+*-]*[\w+*])"
)
_CALLED = re.compile(
    r"\b(?:call|nam|dub|term)\w*\s+(?:it|this|them|ours?|our\s+\w+)?\s*[“\"'(*_]*"
    r"(?P<name>[A-Z][\w-]*(?:[ \n-]+[A-Z][\w-]*){1,3})"
)
"""A name of several words: "which we call Deep InfoMax", "named Contrastive Predictive Coding"."""
_SHORTENED = re.compile(
    rf"\b(?i:propos|introduc|present|develop|releas|call|nam|dub|term)\w*\b,?\s+{_WORDS_BETWEEN}"
    r"(?P<name>[^\W\d_][\w-]*(?:[ \n-]+[\w-]+){1,5}) \((?P<short>[A-Z][\w-]*[A-Z])s?\)"
)
"""A name of several words with its initials: "we propose masked autoencoders (MAE)"."""
_OURS = re.compile(r"ur(?<=\b[Oo]ur)\s+(?P<name>[^\W_][\w+*-]*[\w+*])")
"""Begins with literal letters, which are found ten times as fast as a choice of them."""
_COINED = r"[a-z]?[A-Z][\w+*-]*[\w+*]"
_ANNOUNCED = re.compile(
    r"e(?<=\b[Ww]e)\s+(?:\w+,?\s+){0,2}?(?:propos|introduc|present|develop|design|releas|creat|buil|writ|wrote|call|nam|dub)"
    rf"\w*\s+{_WORDS_BETWEEN}\(?(?P<name>{_COINED})"
)
"""A name that a work announces outside of its abstract: "we developed ZandrelOpt and tested it"."""
_HEADED = re.compile(
    r"^#+ .*?\b(?:(?:The|How) (?=\S+ (?:works|approach|method|model|framework|algorithm|system|library|data ?set)\b)"
    rf"|(?:[Oo]verview|[Cc]onstruction|[Dd]esign|[Aa]rchitecture|[Ww]eaknesses) of )(?P<name>{_COINED})",
    re.MULTILINE,
)
"""A name in a heading: "The GPipe library"."""
_CITED_NEXT = (
    r"(?:\s|[*_])*(?:[\[(（]\s*(?:\d{1,3}\b|[^()\[\]（）]{0,60}\b(?:19|20)\d\d)|<sup>\d"
    r"|[A-Z]\w+ (?:et al|(?:and|&) [A-Z]))"
)
"""A citation right after a name: what others presented is cited where it is named."""
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z\d]|[a-z]\d")
"""Lower and upper case in one word: "SimVOS", but not "LSTM", which is common."""
_DERIVED = re.compile(r"-(?:based|like|style|type|free|aware|trained|only|level|specific|related|driven|inspired)$")
HEAD_WORDS = 3
"""The maximum number of words before a colon that are a name: "Switch Transformers: Scaling to ..."."""
OWN = 3
"""How often a work uses its own name at least."""


def names_of(title: str, abstract: str, text: str, common: CommonWords) -> list[WorkName]:
    """The names that identify a work; `common` are the ordinary words of its corpus."""
    head, colon, tail = _divided(title)
    phrases = [title, *(part for part in (head, tail) if colon and len(part.split()) > HEAD_WORDS)]
    found = [_name(phrase, common, is_title=True) for phrase in phrases]
    if colon and len(head.split()) <= HEAD_WORDS:
        found.append(_head_name(head.strip(), tail, common))
    presented = sorted(_presented(title, abstract, text, common))
    found += [_name(name, common) for name in presented]
    if colon:
        presented.append(head.strip())
    found += [_name(part, common) for name in presented for part in sorted(_named_parts(name, text, common))]
    return list(dict.fromkeys(name for name in found if name is not None))


def _named_parts(printed: str, text: str, common: CommonWords) -> set[str]:
    """The parts of what a work presents that are called by its name: "PolluxAgent" in the text of Pollux."""
    name = _name(printed, common) if printed.isalnum() else None
    if name is None or name.is_ordinary:
        return set()
    return set(re.findall(rf"\b{re.escape(printed)}[A-Z][a-z]\w*", text))


TITLE_PHRASE, TITLE_PHRASE_USES = (2, 3), 10
"""The number of words of a phrase of the title that can be a name, and how often the work uses it at least."""
SHORT_TITLE = range(3, 7)
"""The number of words of a title that is recognized without one of them."""


def _shorter_titles(title: str, common: CommonWords) -> Iterator[WorkName]:
    """The title, or its head, without one of its words, unless that is an ordinary phrase."""
    head = _divided(title)[0]
    words = _WORD.findall(head.replace("-", " "))
    for left_out in range(len(words)) if len(words) in SHORT_TITLE else ():
        kept = [*words[:left_out], *words[left_out + 1 :]]
        phrase = " ".join(kept)
        if fold(kept[0]) in SMALL or fold(kept[-1]) in SMALL or common.has_phrase(phrase.lower()):
            continue
        name = _name(phrase, common, is_title=True)
        if name is not None and not name.is_ordinary:
            yield name


def _divided(title: str) -> tuple[str, str, str]:
    """The head of a title, what ends it, and the rest: a colon, a dash, or a comma after one coined word."""
    end = re.search(r":|\s[-–—]+\s|—", title) or re.search(r"(?<=\w),(?=\s)", title)
    if end is None:
        return title, "", ""
    if end[0] == "," and (len(title[: end.start()].split()) > 1 or not is_coined(title[: end.start()])):
        return title, "", ""
    return title[: end.start()], end[0], title[end.end() :]


def _head_name(head: str, tail: str, common: CommonWords) -> WorkName | None:
    name = _name(head, common)
    # A title that begins in lower case begins with a coined name: "pandas: A foundational library".
    if name is not None and head.isalpha() and head.islower() and not tail.islower():
        return replace(name, is_ordinary=False)
    return name


def _presented(title: str, abstract: str, text: str, common: CommonWords) -> set[str]:
    """The coined names of what a work presents, as they are printed."""
    # A coined word of the title that is not presented is the subject of the work: "SNARE", "Ca2+".
    named = {match["name"] for part in (title, abstract) for match in _PRESENTED.finditer(part)}
    named = {name for name in named if is_coined(name)}
    named |= {name for name in _phrases(abstract) if not common.has_phrase(name.lower()) and name not in common.coined}
    ours = {match["name"] for match in _OURS.finditer(text) if _MIXED.search(match["name"])}
    ours |= _acronyms(title)
    # "our ImageNet experiments" names what others presented; a work that presents something names it often.
    named |= {name for name in ours if name not in common.coined and text.count(name) >= OWN}
    named |= {
        name
        for name in {match["name"] for pattern in (_ANNOUNCED, _HEADED) for match in pattern.finditer(text)}
        if (_MIXED.search(name) or _is_compound(name, common))
        and is_coined(name)
        and text.count(name) >= OWN
        and not re.search(re.escape(name) + _CITED_NEXT, text)
        and (name not in common.coined or common.is_typical_of(text, name))
    }
    return {name for name in named if not _DERIVED.search(name)}


def _is_compound(name: str, common: CommonWords) -> bool:
    """Whether a name has two capitalized parts that are not both ordinary words: "Sorvic-Alpha", not "Space-Time"."""
    parts = name.split("-")
    return len(parts) > 1 and parts[1][:1].isupper() and not all(is_common(fold(part), common) for part in parts)


def _phrases(abstract: str) -> Iterator[str]:
    """The names of several words that an abstract introduces, and their initials."""
    yield from (match["name"] for match in _CALLED.finditer(abstract))
    for match in _SHORTENED.finditer(abstract):
        phrase, short = match["name"], match["short"]
        words = list(re.finditer(r"[^\W_]+", phrase))
        found = (word.start() for word in words[:-1] if _has_initials(phrase[word.start() :], short))
        start = next(found, None)
        if start is not None and short.lower() not in NO_NAMES and not re.search(rf"\b{_LINK}", phrase[:start]):
            yield from (phrase[start:], short)


def _has_initials(phrase: str, short: str) -> bool:
    """Whether a phrase has these initials; a coined word may have several: "Deep InfoMax" is DIM."""
    words = re.findall(r"[^\W_]+", phrase)
    wanted = "".join(filter(str.isupper, short)).casefold()
    plain = "".join(word[0] for word in words)
    capitals = "".join(word[0] + "".join(filter(str.isupper, word[1:])) for word in words)
    return wanted in (plain.casefold(), capitals.casefold())


def _acronyms(title: str) -> set[str]:
    """The initials of a title, of its head and of its tail: "TRPO", "GAN" for "Generative adversarial nets"."""
    parts = {title, *title.split(":")}
    found: set[str] = set()
    for part in parts:
        words = re.findall(r"[^\W_]+", part)
        for kept in (words, [word for word in words if fold(word) not in SMALL]):
            initials = "".join(word[0] for word in kept).upper()
            # "Proximal Policy Optimization Algorithms" is PPO.
            found |= {name for name in (initials, initials[:-1]) if 3 <= len(name) <= 6 and name.isalpha()}
    return found


_SMALL_WORDS = "a an the of for and in on to with by from at as via is are"
SMALL = frozenset(_SMALL_WORDS.split())


class WorkNames:
    """The names of one work, and where a text mentions them."""

    def __init__(self, title: str, abstract: str, text: str, common: CommonWords) -> None:
        self._title, self._text, self._common = title, text, common
        self.names = names_of(title, abstract, text, common)
        self.in_sentences = [*self.names, *_shorter_titles(title, common)]
        """The names, and a short title without one of its words: "classifier-free guidance" in a sentence names the
        work "Classifier-free diffusion guidance"."""

    def spans(self, text: str, within: Span | None = None) -> Iterator[Span]:
        """Every place of a text, or of a part of it, that mentions one of the names."""
        if within is not None:
            yield from (span.shifted(within.start) for span in self.spans(within.of(text)))
            return
        folded = FoldedText.of(text)
        for name in self.names:
            yield from name.spans(text, folded)

    def is_end_of(self, before: str) -> bool:
        """Whether the last words before a citation are a phrase of the title that is typical of the work, which is what
        the citation names then: "we use latent diffusion [3]" for "Image synthesis with latent diffusion models"."""
        titled = [_singular(fold(word)) for word in _WORD.findall(self._title.replace("-", " "))]
        last = list(re.finditer(r"[^\W_]+", before))[-max(TITLE_PHRASE) :]
        if not last or re.search(r"[.;:!?|]", before[last[-1].end() :]):
            return False
        for many in TITLE_PHRASE:
            words = [_singular(fold(match[0])) for match in last[-many:]]
            phrase = before[last[-many].start() : last[-1].end()] if len(words) == many else ""
            if (
                phrase
                and not {words[0], words[-1]} & SMALL
                and any(titled[at : at + many] == words for at in range(len(titled)))
                and self._text.lower().count(phrase.lower()) >= TITLE_PHRASE_USES
                and self._common.is_typical_phrase_of(self._text, phrase)
            ):
                return True
        return False

    def is_in(self, sentence: str) -> bool:
        """Whether a sentence mentions the work by one of the names."""
        folded = FoldedText.of(sentence)
        words = [_singular(fold(match[0])) for match in re.finditer(r"[^\W_]+", sentence)]
        return any(
            next(name.spans(sentence, folded), None) is not None or name.is_misspelled_in(words)
            for name in self.in_sentences
        )

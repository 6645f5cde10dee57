"""Names in the lines between a title and the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.markdown.inline import inline
from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.corpus.readers.parsing.chinese_bylines import (
    clean_chinese_institution,
    find_chinese_names,
    is_chinese_institution,
    is_chinese_prose,
)
from fathom.corpus.readers.parsing.chinese_characters import join_spaced_name
from fathom.corpus.readers.parsing.linked_text import visible_text
from fathom.records.names import family_start, is_particle

_BODIES = re.compile(
    r"universit|institut|department|laborator|school|college|academ|polytechni|research|center|centre|\binc\b|\bltd\b|"
    r"\bcorp(?:oration)?\b|\bgroup|\blabs?\b|faculty|hospital|foundation|division|ministry|company|google|microsoft|"
    r"deepmind|\bmeta\b|openai|nvidia|amazon|alibaba|tencent|huawei|inria|equal|contribut|correspond|author|abstract|"
    r"\bintern|technolog|\btech\b|intelligence|science|engineering|preprint|arxiv|github|http|version|draft|work done|"
    r"project|\blead(?:er)?\b|"
    # Between word ends: "Francesca" and "Sousa" are no countries.
    r"\b(?:china|germany|usa|france|kingdom|states|korea|japan|canada|switzerland|singapore|india|italy)\b",
    re.IGNORECASE,
)
_BODY = re.compile(
    r"universit|institut|department|laborator|school|college|academ|polytechni|\bcent(?:er|re)\b|faculty|hospital", re.I
)
_CUT_SHORT = re.compile(r"[@<>{}\[\]\\|*†‡§¶∗⋆\d]")
_SECTIONS = re.compile(
    r"\b(?:article|report|review|letter|communication|introduction|summary|background|related work|keyword|open access|"
    r"journal|conference|proceedings|workshop|volume|issue|editor|published|received|accepted|copyright|licen[cs]e)s?\b",
    re.IGNORECASE,
)
"""What else stands between a title and the text in words with capitals."""
_PLACES = frozenset(
    (
        *("ann arbor", "hong kong", "los angeles", "new delhi", "new haven", "new jersey", "new york", "palo alto"),
        *("san diego", "san francisco", "santa barbara", "st. louis", "tel aviv"),
    )
)
_SHORT_BODIES = frozenset(("AI", "UC", "UK", "US", "UT"))
_CUTS = re.compile(
    r"[\n,;&•·|()\u2003\u2009]|\s{3,}|\band\b|[\d*†‡§¶∗⋆♠♣♡♢∘⁎]+|"
    # A command of LaTeX for the next author may be left over, and the name is glued to it: "\AndAriel Moss".
    r"\\(?:And|AND)(?![a-z])|\\[a-zA-Z]+|[\ue000\ue001]"
)
_WORD = re.compile(r"[^\W\d_][\w'’.\-‐]*")
_LABEL = re.compile(r"\W*(?:written by|authors?|by)\b\s*:?\s*", re.IGNORECASE)
_ADDRESS = re.compile(r"[<(]\s*[^\s<>()]{1,200}@[^\s<>()]{1,200}\s*[>)]")
_DEGREES = frozenset(("jr", "sr", "ii", "iii", "phd", "ph.d", "md", "m.d", "msc", "dr", "prof"))
_MOST_LINES = 200


def is_prose(text: str) -> bool:
    """Whether a paragraph is made of sentences and not of names."""
    if is_chinese_prose(text[:1_000]):
        return True
    words = re.findall(r"[^\W\d_]{2,}", text[:1_000])
    return len(words) >= 25 and sum(word[0].islower() for word in words) * 2 > len(words)


def find_authors(lines: Sequence[str]) -> list[ParsedAuthor]:
    """The persons that stand in the lines below a title; a guess."""
    names = (name for line in lines[:_MOST_LINES] for name in _names_of(line))
    return [author_from_name(name) for name in dict.fromkeys(names)]


def _names_of(line: str) -> list[str]:
    return [name for name in _pieces(line) if _is_name(name)] or _chinese_names_of(line)


def _chinese_names_of(line: str) -> list[str]:
    return [] if line.isascii() else find_chinese_names(visible_text(inline(line)))


def find_affiliation(lines: Sequence[str]) -> str:
    """The body that all who sign belong to, where the lines below a title name one, on a line of its own."""
    bodies = [line.strip() for line in lines[:_MOST_LINES] if _tells_a_place(line) and not _is_names_only(line)]
    one = bodies[0] if len(bodies) == 1 else ""
    one = clean_chinese_institution(one) if is_chinese_institution(one) else one
    # A mark or a number tells whose body it is, and an address stands behind commas of its own.
    return "" if len(one) > 200 or is_prose(one) or _CUT_SHORT.search(one) else one


def _tells_a_place(line: str) -> bool:
    return bool(_BODY.search(line[:200])) or is_chinese_institution(line[:200])


def byline_length(paragraphs: Sequence[str]) -> int:
    """How many paragraphs below a title are its byline: lines of nothing but names, then the bodies they belong to.

    For a text without an abstract, where the first paragraph may be anything.
    """
    length = 0
    for paragraph in paragraphs[:_MOST_LINES]:
        lines = [line for line in paragraph.split("\n") if line.strip()]
        named = [_is_names_only(line) for line in lines]
        if not named or not (named[0] or length) or not all(map(_belongs_to_byline, lines, named)):
            break
        length += 1
    return length


def _belongs_to_byline(line: str, named: bool) -> bool:
    return named or (len(line) <= 200 and not is_prose(line) and _names_a_body(line))


def _names_a_body(line: str) -> bool:
    return bool("@" in line or _BODIES.search(line) or is_chinese_institution(line))


def _is_names_only(line: str) -> bool:
    names = [piece for piece in _pieces(line) if piece.casefold() not in _DEGREES]
    return (bool(names) and all(map(_is_name, names))) or bool(_chinese_names_of(line))


def _pieces(line: str) -> list[str]:
    """A line cut at all that stands between names; none of a line with an address, whose parts look like names."""
    line = _ADDRESS.sub(" ", line[:2_000])
    label = _LABEL.match(line)
    line = line[label.end() :] if label else line
    if "@" in line:
        return []
    text = re.sub(r"(?<=[a-zà-ž])(?=\d)", " ", visible_text(inline(line)))
    pieces = (" ".join((piece or "").split()).strip(" .:*_{}[]") for piece in _CUTS.split(text))
    return [piece for piece in pieces if piece]


def _is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 5 or len(text) > 50 or _BODIES.search(text) or _SECTIONS.search(text):
        return False
    if text.casefold() in _PLACES or any(map(_is_acronym, words)):
        return False
    if not all(_WORD.fullmatch(word) and (word[0].isupper() or is_particle(word)) for word in words):
        return False
    return words[-1][0].isupper()


def _is_acronym(word: str) -> bool:
    """Whether a word is of a body's name: "ETH Zürich", "UT Austin"; initials have a full stop or are two letters."""
    return word in _SHORT_BODIES or (len(word) > 2 and word.isupper() and "." not in word)


def author_from_name(name: str) -> ParsedAuthor:
    """An author by a printed name: the last word and the particles before it are the family name."""
    name = join_spaced_name(" ".join(name.split()))
    if "," in name:
        family, _, given = name.partition(",")
        return ParsedAuthor(given.strip(), family.strip(), printed=f"{given.strip()} {family.strip()}".strip())
    words = name.split()
    start = family_start(words)
    return ParsedAuthor(" ".join(words[:start]), " ".join(words[start:]), printed=name)

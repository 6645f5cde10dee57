"""Authors and affiliations in the lines between a title and the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.markdown.inline import parse_inline
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

_NOT_A_NAME = re.compile(
    r"universit|institut|department|laborator|school|college|academ|polytechni|research|center|centre|\binc\b|\bltd\b|"
    r"\bcorp(?:oration)?\b|\bgroup|\blabs?\b|faculty|hospital|foundation|division|ministry|company|google|microsoft|"
    r"deepmind|\bmeta\b|openai|nvidia|amazon|alibaba|tencent|huawei|inria|equal|contribut|correspond|author|abstract|"
    r"\bintern|technolog|\btech\b|intelligence|science|engineering|preprint|arxiv|github|http|version|draft|work done|"
    r"project|\blead(?:er)?\b|"
    # Whole words only: "Francesca" and "Sousa" are not countries.
    r"\b(?:china|germany|usa|france|kingdom|states|korea|japan|canada|switzerland|singapore|india|italy)\b",
    re.IGNORECASE,
)
_INSTITUTION = re.compile(
    r"universit|institut|department|laborator|school|college|academ|polytechni|\bcent(?:er|re)\b|faculty|hospital", re.I
)
_MARKED = re.compile(r"[@<>{}\[\]\\|*†‡§¶∗⋆\d]")
_LABEL_WORDS = re.compile(
    r"\b(?:article|report|review|letter|communication|introduction|summary|background|related work|keyword|open access|"
    r"journal|conference|proceedings|workshop|volume|issue|editor|published|received|accepted|copyright|licen[cs]e)s?\b",
    re.IGNORECASE,
)
"""Other capitalized words between a title and the text."""
_PLACES = frozenset(
    (
        *("ann arbor", "hong kong", "los angeles", "new delhi", "new haven", "new jersey", "new york", "palo alto"),
        *("san diego", "san francisco", "santa barbara", "st. louis", "tel aviv"),
    )
)
_SHORT_ACRONYMS = frozenset(("AI", "UC", "UK", "US", "UT"))
_SEPARATORS = re.compile(
    r"[\n,;&•·|()\u2003\u2009]|\s{3,}|\band\b|[\d*†‡§¶∗⋆♠♣♡♢∘⁎]+|"
    # Converters leave the LaTeX command for the next author, attached to the name: "\AndAriel Moss".
    r"\\(?:And|AND)(?![a-z])|\\[a-zA-Z]+|[\ue000\ue001]"
)
_WORD = re.compile(r"[^\W\d_][\w'’.\-‐]*")
_LABEL = re.compile(r"\W*(?:written by|authors?|by)\b\s*:?\s*", re.IGNORECASE)
_ADDRESS = re.compile(r"[<(]\s*[^\s<>()]{1,200}@[^\s<>()]{1,200}\s*[>)]")
_DEGREES = frozenset(("jr", "sr", "ii", "iii", "phd", "ph.d", "md", "m.d", "msc", "dr", "prof"))
_MAX_LINES = 200
"""Maximum number of lines below a title that are searched."""


def is_prose(text: str) -> bool:
    """Return whether a paragraph consists of sentences, not names."""
    if is_chinese_prose(text[:1_000]):
        return True
    words = re.findall(r"[^\W\d_]{2,}", text[:1_000])
    return len(words) >= 25 and sum(word[0].islower() for word in words) * 2 > len(words)


def find_authors(lines: Sequence[str]) -> list[ParsedAuthor]:
    """Return the likely authors in the lines below a title."""
    names = (name for line in lines[:_MAX_LINES] for name in _line_names(line))
    return [author_from_name(name) for name in dict.fromkeys(names)]


def _line_names(line: str) -> list[str]:
    return [name for name in _pieces(line) if _is_name(name)] or _chinese_line_names(line)


def _chinese_line_names(line: str) -> list[str]:
    return [] if line.isascii() else find_chinese_names(visible_text(parse_inline(line)))


def find_affiliation(lines: Sequence[str]) -> str:
    """Return the one affiliation of all authors, if exactly one line below the title names an institution."""
    institutions = [line.strip() for line in lines[:_MAX_LINES] if _has_institution(line) and not _has_names_only(line)]
    affiliation = institutions[0] if len(institutions) == 1 else ""
    affiliation = clean_chinese_institution(affiliation) if is_chinese_institution(affiliation) else affiliation
    # A mark or a number assigns an institution to some of the authors only.
    return "" if len(affiliation) > 200 or is_prose(affiliation) or _MARKED.search(affiliation) else affiliation


def _has_institution(line: str) -> bool:
    return bool(_INSTITUTION.search(line[:200])) or is_chinese_institution(line[:200])


def byline_length(paragraphs: Sequence[str]) -> int:
    """Return how many paragraphs below a title are its byline: lines of names only, then their institutions.

    For a text without an abstract, where the first paragraph may be anything.
    """
    length = 0
    for paragraph in paragraphs[:_MAX_LINES]:
        lines = [line for line in paragraph.split("\n") if line.strip()]
        names_only = [_has_names_only(line) for line in lines]
        if not names_only or not (names_only[0] or length) or not all(map(_in_byline, lines, names_only)):
            break
        length += 1
    return length


def _in_byline(line: str, names_only: bool) -> bool:
    return names_only or (len(line) <= 200 and not is_prose(line) and _has_institution_or_address(line))


def _has_institution_or_address(line: str) -> bool:
    return bool("@" in line or _NOT_A_NAME.search(line) or is_chinese_institution(line))


def _has_names_only(line: str) -> bool:
    names = [piece for piece in _pieces(line) if piece.casefold() not in _DEGREES]
    return (bool(names) and all(map(_is_name, names))) or bool(_chinese_line_names(line))


def _pieces(line: str) -> list[str]:
    """Split a line at everything between names; empty for a line with an email address, whose parts resemble names."""
    line = _ADDRESS.sub(" ", line[:2_000])
    label = _LABEL.match(line)
    line = line[label.end() :] if label else line
    if "@" in line:
        return []
    text = re.sub(r"(?<=[a-zà-ž])(?=\d)", " ", visible_text(parse_inline(line)))
    pieces = (" ".join((piece or "").split()).strip(" .:*_{}[]") for piece in _SEPARATORS.split(text))
    return [piece for piece in pieces if piece]


def _is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 5 or len(text) > 50 or _NOT_A_NAME.search(text) or _LABEL_WORDS.search(text):
        return False
    if text.casefold() in _PLACES or any(map(_is_acronym, words)):
        return False
    if not all(_WORD.fullmatch(word) and (word[0].isupper() or is_particle(word)) for word in words):
        return False
    return words[-1][0].isupper()


def _is_acronym(word: str) -> bool:
    """Return whether a word is an acronym as in "ETH Zürich" or "UT Austin"; initials have a period or two letters."""
    return word in _SHORT_ACRONYMS or (len(word) > 2 and word.isupper() and "." not in word)


def author_from_name(name: str) -> ParsedAuthor:
    """Return the author with a printed name; the last word and the particles before it are the family name."""
    name = join_spaced_name(" ".join(name.split()))
    if "," in name:
        family, _, given = name.partition(",")
        return ParsedAuthor(given.strip(), family.strip(), printed=f"{given.strip()} {family.strip()}".strip())
    words = name.split()
    start = family_start(words)
    return ParsedAuthor(" ".join(words[:start]), " ".join(words[start:]), printed=name)

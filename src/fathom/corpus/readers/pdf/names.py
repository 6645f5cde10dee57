"""Names of authors in lines of a PDF's byline, and the words of the lines between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, SUPERSCRIPT_START, strip_marks
from fathom.corpus.readers.pdf.line import Line
from fathom.corpus.readers.words import read_words, word_pattern
from fathom.records.names import family_start, is_group_name, is_particle

_WORDS = read_words("pdf")

AFFILIATION = word_pattern(_WORDS["affiliation"])
"""Words of institutions and addresses."""

_COUNTRIES = _WORDS["countries"].replace("\n", "")
_STATES = _WORDS["states"].replace("\n", "")
_PLACE = re.compile(
    rf"(?:^|[\s,])(?:(?i:{_COUNTRIES})|(?<=,\s)(?:(?i:{_STATES.removesuffix('|[A-Z]{2}')})|[A-Z]{{2}}))\.?$"
)
_CITY = word_pattern(_WORDS["city"])
_NOT_A_NAME = word_pattern(_WORDS["not_a_name"])
"""Capitalized words of lines that are not names."""
_NAME_WORD = re.compile(
    r"(?:[^\W\d_a-z][^\W\d_]*|(?:d|al|el|bin|ben|de|O|l)(?=['’-]))(?:['’.‐-]{1,2}[^\W\d_]+)*\.?",
)
_COMPANY = re.compile(r"[^\W\d_]{3}.* (?:AG|SE|KG|AB|SA|NV|BV|ASA|OY|PLC|SpA)")
"""A company by its legal form, after two words or more: "Tin Pharma AG", but not "Lind AG"."""
_DEGREE = word_pattern(_WORDS["degree"])
NOTE_SIGNS = r"[*∗⋆★†‡§¶‖#✉🖂✝♠♣♡♢♥♦•◦⋄◇△▽♮♯✦✧✩⊕⊗]"
_SUPERSCRIPT = re.compile(f"{SUPERSCRIPT_START}([^{SUPERSCRIPT_END}]*){SUPERSCRIPT_END}")
_SEPARATOR = re.compile(r"\s*[,;|·]\s*(?:(?:and|AND)\s+|&\s*)?|(?:^|\s+)(?:and|AND|And|&|by|By|BY)(?:\s+|$)")
_BREAK = "\x00"
"""Placeholder for a wide space between two names."""


def is_name(text: str) -> bool:
    """Return whether part of a byline is one person's name: two to six capitalized words or particles."""
    words = text.split()
    if re.fullmatch(r"[一-鿿·]{2,4}", text):
        return True
    if not 2 <= len(words) <= 6 or len(text) > 60:
        return False
    if AFFILIATION.search(text) or _NOT_A_NAME.search(text) or _PLACE.search(text) or _CITY.fullmatch(text):
        return False
    if len(words) > 2 and _COMPANY.fullmatch(text):
        return False
    if not any(len(word.strip(".")) > 1 and word[0].isupper() for word in words) or words[0] in ("The", "THE"):
        return False
    if len(words[-1].strip(".")) == 1:
        return False  # "Ada B." continues on the next line.
    full = [word for word in words if len(word.strip(".")) > 1 and not is_particle(word)]
    # Five names without a particle or an initial are more often two people.
    return len(full) <= 4 and all(_NAME_WORD.fullmatch(word) or is_particle(word) for word in words)


def is_fragment(text: str) -> bool:
    """Return whether text may be the part of a name before or after a line break."""
    words = text.split()
    return 0 < len(words) <= 3 and all(_NAME_WORD.fullmatch(word) or is_particle(word) for word in words)


def name_pieces(line: Line) -> list[str]:
    """Split a line at commas, superscripts, "and" and wide spaces, without degrees and titles."""
    text = _SUPERSCRIPT.sub(", ", _with_breaks(line))
    text = re.sub(rf"{NOTE_SIGNS}+|(?<=[^\W\d_.])\d+(?:,\s?\d+)*|\b\d+\b|{_BREAK}", ", ", strip_marks(text))
    text = re.sub(r"\([^()]*\)|\b(?:Dr|Prof|Mr|Ms|Mrs)\.\s", " ", text)
    pieces = (_trimmed(piece) for piece in _SEPARATOR.split(text))
    return [piece for piece in pieces if piece and not _DEGREE.fullmatch(piece) and re.search(r"[^\W\d_]", piece)]


def _with_breaks(line: Line) -> str:
    """Return the text of a line with a placeholder for each wide space."""
    text = line.text
    # Where all spaces of a line are wide, only those that are wider than the others separate names.
    widths = [gap.right - gap.left for gap in line.gaps]
    narrow = 1.6 * min(widths) if len(widths) >= text.count(" ") and widths else 0.0
    for gap in reversed([gap for gap in line.gaps if gap.right - gap.left >= narrow]):
        text = text[: gap.offset] + _BREAK + text[gap.offset + 1 :]
    return text


def _trimmed(piece: str) -> str:
    return piece.strip() if re.search(r"\b(?:Jr|Sr)\.\s*$", piece) else " ".join(piece.split()).strip(" .:")


def marks_of(line: Line) -> set[str]:
    """Return the superscript marks and signs of a line: {"1", "2", "*"}."""
    found = " ".join(_SUPERSCRIPT.findall(line.text))
    signs = re.findall(NOTE_SIGNS, strip_marks(line.text))
    glued = re.findall(r"(?<=[^\W\d_])\d{1,2}\b", strip_marks(_SUPERSCRIPT.sub(" ", line.text)))
    return {*re.findall(r"\d+|[a-z]\b|[^\w\s,]", found), *signs, *glued}


def leading_mark(line: Line) -> str:
    """Return the mark that starts a line: "1" in "1University of Fenwick"; empty if none."""
    match = _SUPERSCRIPT.match(line.text.strip())
    if match:
        return match[1].strip(" ,")
    plain = re.match(rf"\(?(\d{{1,2}}|[a-z](?=[)\s])|{NOTE_SIGNS})[).]?\s?(?=[^\W\d_])", strip_marks(line.text).strip())
    return plain[1] if plain else ""


def has_place(text: str) -> bool:
    """Return whether a line ends with a country or a state, or has a postcode."""
    text = text.strip(" .;")
    return _PLACE.search(text) is not None or re.search(r"\d{4,}", text) is not None


def author_of(name: str) -> ParsedAuthor:
    """Return the author with a printed name."""
    words = name.split()
    if len(words) == 1 or is_group_name(name):
        return ParsedAuthor(given="", family=name, group=len(words) > 1, printed=name)
    suffix = [words.pop()] if words[-1].rstrip(".") in ("Jr", "Sr", "II", "III") and len(words) > 2 else []
    start = family_start(words)
    return ParsedAuthor(" ".join(words[:start]), " ".join([*words[start:], *suffix]), printed=name)


def join_pieces(groups: Sequence[Sequence[str]], open_ends: Sequence[bool]) -> tuple[list[str], str]:
    """Join the pieces of consecutive lines to names; also returns why they are not certain.

    `open_ends` says for each line whether its last name may continue on the next.
    """
    names: list[str] = []
    doubt = ""
    open_end = False
    for pieces, opens in zip(groups, open_ends, strict=True):
        rest = list(pieces)
        if open_end and names and rest:
            joined = f"{names[-1]} {rest[0]}"
            apart = is_name(names[-1]) and is_name(rest[0])
            if is_name(joined) and not apart:
                names[-1] = joined
                rest = rest[1:]
            elif apart:
                doubt = doubt or ("a name may continue on the next line" if is_name(joined) else "")
        names += rest
        open_end = opens
    return names, doubt

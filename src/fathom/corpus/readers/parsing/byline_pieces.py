"""The pieces of a byline: what is a name, a degree, an affiliation, a place or a note."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.words import read_words, word_pattern
from fathom.records.names import is_particle, without_accents

_WORDS = read_words("bylines")

_NOT_A_NAME = word_pattern(_WORDS["not_a_name"])
_INSTITUTION = word_pattern(_WORDS["institution"])
_COUNTRIES = frozenset(_WORDS["countries"])
_PLACES = frozenset(_WORDS["places"])
_NOTE = word_pattern(_WORDS["note"])
_LABEL_WORDS = word_pattern(_WORDS["label_words"])
"""Other capitalized words between a title and the text."""
_INCOMPLETE = word_pattern(_WORDS["incomplete"])
_GROUP = word_pattern(_WORDS["group"])
_MAY_BE_GROUP = word_pattern(_WORDS["may_be_group"])
"""Groups that sign articles, but also employ people: "Tin Team"."""
_PLACE_OF_WORK = word_pattern(_WORDS["place_of_work"])
_DEGREES = frozenset(_WORDS["degrees"])
_TITLE = re.compile(r"^(?:(?:prof(?:essor)?|dr|mr|mrs|ms|sir|ir|ing)\b\.?\s*)+(?=\S)", re.IGNORECASE)
_ACRONYMS = word_set(_WORDS["acronyms"])
_SEPARATORS = re.compile(
    r"([\n,;&•·|\u2003\u2009\x01]|\s{3,}|\s/\s|\s[–—-]\s|\b(?:and|AND|und|et(?!\.? al)|with|WITH)\b(?![.'’-])|"
    r"[\d¹²³⁰⁴-⁹*†‡§¶∗⋆♠♣♡♢♦♥∘◦⁎✉#]+|"
    # Converters leave the LaTeX command for the next author, attached to the name: "\AndAriel Moss".
    r"\\(?:And|AND)(?![a-z])|\\[a-zA-Z]+)"
)
_IN_NAME = re.compile(r"(?<=[A-Z]{2}-)\d{1,3}\b(?=\s[A-Z])")
"""A number of a name, "the SALT-2 Investigators", and not the mark of one."""
_PROTECTED = {ord(str(digit)): 0xE100 + digit for digit in range(10)}
_UNPROTECTED = {0xE100 + digit: str(digit) for digit in range(10)}
_JOINING = re.compile(r"&|and|AND|und|et|with|WITH")
_WORD = re.compile(r"[^\W\d_][\w'’.\-‐]*")
_ELIDED = re.compile(r"(?:d|l|al|el|'t|’t)['’-][^\W\d_a-z]")
"""A small word before a family name, as in "d'Ardenne" or "al-Amin"."""
_GLUED_INSTITUTION = re.compile(
    r"\S+ (?:\S+ )?[A-Z]\S+ (?:University|Institute|Department|School|College|Cent(?:er|re)|Faculty) (?:of|for)\b"
)
"""A name and an institution without a separator: "Ada Lind University of Salt"."""
_GLUED_NAME = re.compile(
    r"(?:University|Institute|Technology|Sciences?|Laboratory|Cent(?:er|re)|College|School|Department|China|India|Japan|"
    r"Korea|Singapore|Vietnam|Germany|France|Canada|USA|UK|Italy|Spain|Switzerland|Australia)(?=[A-Z][a-z])"
)
"""An institution or country and a name without a separator: "SingaporeAda Lind"."""
_CAMEL_CASE = re.compile(r"^(?!Ma?c|De|Di|Du|Da|La|Le|Lo|Van|Von|Fitz|Ni|Mb|St)[^\W\d_a-z][^\W\d_A-Z]{2,}[A-Z]")
_NAMES_TOO = word_set(_WORDS["names_too"])
_NAMES_AFTER_GIVEN = word_set(_WORDS["names_after_given"])
"""Words of notes and institutions that are family names too; the second list only after a given name: "Ann College"."""
_COMPANIES_TOO = word_set(_WORDS["companies_too"])
_OF_FUNDERS = word_set(_WORDS["of_funders"])
GIVEN_NAMES = word_set(_WORDS["given_names"])
"""Frequent given names in lower case, without accents: evidence that two capitalized words are a person."""
_FAMILY_NAMES = frozenset(("Das", "Le", "Do"))
"""Particles that are family names too, if they are capitalized and the last word of a name."""
_TWO_PEOPLE = re.compile(r"\s[ye]\s\S+\s\S")
_BRACKETS = re.compile(r"[(\[]([^()\[\]]{0,300})(?:[)\]]|$)")


@dataclass(frozen=True)
class BylinePiece:
    """A piece of a line and what it is."""

    text: str
    kind: str
    """name, group, word (one capitalized word), degree, affiliation, note, unknown."""
    joined: bool = False
    """Whether a conjunction separates it from the piece before it."""
    marked: bool = False
    """Whether a mark comes before it."""


def has_given_name(name: str) -> bool:
    """Return whether a name starts with a frequent given name or has an initial: "Jane Doe", "J. Doe"."""
    words = name.replace("-", " ").split()
    if not words:
        return False
    initials = any(len(word.rstrip(".")) == 1 and word[0].isupper() for word in words[:-1])
    return initials or without_accents(words[0]).casefold() in GIVEN_NAMES


def is_institution(text: str) -> bool:
    """Return whether a text names an institution."""
    return bool(_INSTITUTION.search(text))


def is_incomplete(text: str) -> bool:
    """Return whether a text stands for more or other people than it names: "Ada Lind et al.", "Anonymous"."""
    return bool(_INCOMPLETE.search(text))


def split_pieces(text: str) -> list[tuple[str, bool, bool]]:
    """Split a line at everything between names; with each piece, whether it was joined, and whether marked."""
    text = _BRACKETS.sub(_bracket, text)
    text = re.sub(r"(?<=[a-zà-ž])(?=\d)", " ", text)
    text = _IN_NAME.sub(lambda match: match[0].translate(_PROTECTED), text)
    pieces: list[tuple[str, bool, bool]] = []
    joined = marked = False
    for number, part in enumerate(_SEPARATORS.split(text)):
        if number % 2:
            joined = joined or bool(_JOINING.fullmatch(part.strip()))
            marked = marked or (not _JOINING.fullmatch(part.strip()) and part.strip() not in (",", ";", ""))
        elif piece := " ".join(part.split()).strip(" .:*_{}[]\"'“”-–—("):
            pieces.append((piece.translate(_UNPROTECTED), joined, marked))
            joined = marked = False
    return pieces


def _bracket(match: re.Match[str]) -> str:
    """Return a separator for a bracket that explains a name, or a piece that is not understood."""
    inner = match[1].strip()
    letters = re.sub(r"[\W\d_]", "", inner)
    kind = _kind(inner, inner.casefold().strip("."))
    is_alias = not re.search(r"[A-Za-z]", letters) or re.fullmatch(r"(?:she|he|they|her|him|them|/|\s)+", inner)
    is_place = (kind == "name" and not has_given_name(inner)) or (kind == "unknown" and len(inner.split()) == 1)
    # "Ada Lind (Salt Marsh)" is understood, "Ada Lind (with Bo Wu)" and "Ada Lind (ed.)" are not.
    explains = is_alias or kind in ("word", "degree", "affiliation", "note") or is_place
    return " , " if explains and not _INCOMPLETE.search(inner) else " , ??? , "


def classify_piece(piece: tuple[str, bool, bool], labeled: bool = False) -> BylinePiece:
    """Return what a piece is, regardless of its neighbors."""
    text, joined, marked = piece
    text = re.sub(r"\s+(?:on|at|in|[a-h])$", "", text)
    text = re.sub(r"^the\s+(?=[A-Z])", "", text)
    bare = text.casefold().strip(".")
    kind = _kind(text, bare)
    if kind in ("name", "unknown") and (title := _TITLE.match(text)):
        text = text[title.end() :]
        kind = _kind(text, text.casefold().strip("."))
    if kind == "word" and labeled:
        kind = "unknown"
    return BylinePiece(text, kind, joined, marked)


def _kind(text: str, bare: str) -> str:
    if bare in _DEGREES or len(bare) == 1:
        return "degree"
    if _INCOMPLETE.search(text):
        return "unknown"
    if _GROUP.search(text) and not _NOTE.search(_GROUP.sub("", text)):
        return "group" if " " in text else "unknown"
    if bare in _COUNTRIES or bare in _PLACES:
        return "affiliation"
    if _may_be_family_name(text) or may_be_group(text):
        return "unknown"
    if _NOTE.search(text) or _LABEL_WORDS.search(text):
        return "note"
    if _NOT_A_NAME.search(text):
        return "unknown" if _may_name_author(text) else "affiliation"
    words = text.split()
    if _is_capitals(text, words):
        return "name" if _is_name(text.title()) else "affiliation" if len(words) == 1 and len(text) <= 5 else "unknown"
    if any(map(_is_acronym, words)):
        return "affiliation"
    if _is_name(text):
        return "unknown" if _may_be_two_people(text) else "name"
    if len(words) == 1 and len(text) >= 4 and _WORD.fullmatch(text) and text[0].isupper() and not text.isupper():
        return "word"
    return "unknown"


def may_be_group(text: str) -> bool:
    """Return whether a text may name a group that is an author, and no place of work: "Tide Project"."""
    return bool(_MAY_BE_GROUP.search(text)) and not _PLACE_OF_WORK.search(text)


def _may_be_family_name(text: str) -> bool:
    """Return whether two or three words look like a note or an affiliation only by a word that is a family name too."""
    words = text.split()
    if not 2 <= len(words) <= 3 or not _is_name(text):
        return False
    ambiguous = _NAMES_TOO | (_NAMES_AFTER_GIVEN if has_given_name(text) else frozenset())
    rest = " ".join(word for word in words if word.casefold().strip(".") not in ambiguous)
    return len(rest) < len(" ".join(words)) and not any(p.search(rest) for p in (_NOTE, _LABEL_WORDS, _NOT_A_NAME))


def is_name_in_list(text: str) -> bool:
    """Return whether a piece is a name if all others of its line are, although a word of it is also one of notes.

    "Grant F Moss" and "Ann Read", but not "Grant Agreement" or "Ann College".
    """
    words = [word.casefold().strip(".") for word in text.split()]
    personal = has_given_name(text) or words[0] == "grant"
    return (
        personal
        and _may_be_family_name(text)
        and not _OF_FUNDERS.intersection(words)
        and not _COMPANIES_TOO.union(_NAMES_AFTER_GIVEN).intersection(words)
    )


def _may_name_author(text: str) -> bool:
    """Return whether an affiliation may contain an author: "Ada Lind University of Salt"."""
    if _GLUED_NAME.search(text):
        return True
    return bool(_GLUED_INSTITUTION.match(text)) and has_given_name(text)


def _is_capitals(text: str, words: list[str]) -> bool:
    """Return whether a piece is in capitals as a whole, and is not made of acronyms: "ADA QUILL"."""
    return text.isupper() and not any(word.strip(".") in _ACRONYMS for word in words) and len(text) > 5


def _is_name(text: str) -> bool:
    words = text.split()
    proper = [word for word in words if not is_particle(word)]
    if not 2 <= len(words) <= 10 or not 1 <= len(proper) <= 6 or len(text) > 70:
        return False
    if not all(map(_is_name_word, words)):
        return False
    if is_particle(words[-1]) and words[-1] not in _FAMILY_NAMES:
        return False
    # "A. B." has no family name.
    return any(len(word.strip(".")) > 1 for word in proper) and words[0][0].isupper()


def _is_name_word(word: str) -> bool:
    if not _WORD.fullmatch(word) or _CAMEL_CASE.match(word):
        return False
    return word[0].isupper() or is_particle(word) or word in ("los", "las") or bool(_ELIDED.match(word))


def _may_be_two_people(text: str) -> bool:
    """Return whether a name may be two: "Ana Ruiz y Luis Gil", "Ada Lind Ahmed Salt"; but "Ana Ruiz y Gil" is one."""
    words = text.split()
    # In "Eva C Felix Salt", the first two words are not a complete name.
    complete = len(words) >= 4 and len(words[1].strip(".")) > 1
    return bool(_TWO_PEOPLE.search(text)) or (complete and has_given_name(f"{words[2]} {words[3]}"))


def _is_acronym(word: str) -> bool:
    """Return whether a word is an acronym as in "ETH Zürich" or "UT Austin"; initials have a period or two letters."""
    return word in _ACRONYMS or (len(word) > 2 and word.isupper() and "." not in word)


# Words have a limited length: without a limit, a long word could be split in very many ways.
_FAMILY_FIRST = re.compile(
    r"(?:[a-z’']{1,4}\s){0,2}[^\W\d_]{1,30}(?:[\s'’-][^\W\d_]{1,30}){0,2},\s?"
    r"[^\W\d_][^\W\d_'’.\-]{0,30}\.?(?:[\s-]?[^\W\d_][^\W\d_'’.\-]{0,30}\.?){0,3}"
)
_BETWEEN = re.compile(r"(?<=\.)(?:,?\s+(?:and|&)\s+|,\s*(?=[^\W\d_]{2}))")
_INITIALS_AFTER = re.compile(r"[^\W\d_][^\W\d_'’\-]+(?:[\s'’-][^\W\d_]+){0,2},\s?(?:[^\W\d_a-z]\.[\s-]?){1,4}")


def is_family_first(text: str) -> bool:
    """Return whether a line is "Lind, Ada; Wu, Bo" or "Lind, A. and Wu, B.": each name with one comma."""
    if len(text) > 1_000 or "," not in text or re.search(r"[\d\x01]", text):
        return False
    pieces = split_family_first(text)
    if ";" in text and len(pieces) > 1:
        return all(_FAMILY_FIRST.fullmatch(piece) and not _is_other(piece) for piece in pieces)
    return all(_INITIALS_AFTER.fullmatch(piece) and not _is_other(piece) for piece in pieces)


def split_family_first(text: str) -> list[str]:
    """Split "Lind, Ada; Wu, Bo" or "Lind, A., Wu, B. and Moss, C." into names."""
    pattern = re.compile(r"\s*;\s*") if ";" in text else _BETWEEN
    return [piece.strip(" ;") for piece in pattern.split(text.strip()) if piece.strip(" .;")]


def _is_other(text: str) -> bool:
    """Return whether one part of "Lind, Ada" is an institution, a place, a degree or a note."""
    parts = [part.strip() for part in text.split(",")]
    kinds = (_kind(part, part.casefold().strip(".")) for part in parts if len(part.strip(". ")) > 1)
    initials = [bool(re.fullmatch(r"(?:[^\W\d_a-z]\.[\s-]?)+", part)) for part in parts]
    return any(kind in ("affiliation", "note", "degree") for kind in kinds) and not any(initials)


def reversed_name(text: str) -> str:
    """Return "Ada Lind" for "Lind, Ada"."""
    family, _, given = text.strip(" ;").partition(",")
    return f"{given.strip()} {family.strip()}"

"""Authors and affiliations in the lines between a title and the text.

A byline is known only if every piece of every line is explained: a name, a mark, a degree, an affiliation, an address,
a date, a label or a note. A piece that is none of these may be an author, so the authors are then unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fathom.corpus.readers.markdown.inline import parse_inline
from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.corpus.readers.parsing.blocks import visible_text
from fathom.corpus.readers.parsing.byline_pieces import (
    BylinePiece,
    classify_piece,
    has_given_name,
    is_family_first,
    is_institution,
    is_name_in_list,
    reversed_name,
    split_family_first,
    split_pieces,
)
from fathom.corpus.readers.parsing.chinese_characters import join_spaced_name
from fathom.corpus.readers.parsing.dates import without_dates
from fathom.corpus.readers.parsing.east_asian_names import (
    clean_chinese_institution,
    find_east_asian_names,
    is_chinese_institution,
    is_chinese_prose,
)
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, SUPERSCRIPT_START
from fathom.records.names import CHINESE, family_start, is_group_name

_MAX_LINES = 200
"""Lines below a title that are searched; a longer byline is unknown."""
_MAX_CHARACTERS = 2_000
"""Characters of one line that are searched."""

NO_BYLINE = "no byline was found"
UNEXPLAINED = "the byline has words that are not understood"


@dataclass(frozen=True)
class Byline:
    """The authors in some lines, and the pieces that are not understood."""

    authors: tuple[ParsedAuthor, ...] = ()
    unexplained: tuple[str, ...] = ()
    labeled: bool = False
    """Whether a line starts with a label such as "By"."""

    @property
    def is_known(self) -> bool:
        """Whether these are the authors: there are some, and everything else is understood."""
        return bool(self.authors) and not self.unexplained

    @property
    def reason(self) -> str:
        """Why the authors are unknown; empty if they are known."""
        return UNEXPLAINED if self.unexplained else NO_BYLINE if not self.authors else ""


@dataclass
class _BylineContents:
    """The contents of a byline read so far."""

    names: dict[str, ParsedAuthor] = field(default_factory=dict)
    unexplained: list[str] = field(default_factory=list)
    emails: int = 0
    labeled: bool = False
    in_notes: list[str] = field(default_factory=list)
    """Names after a colon in notes: "Project lead: Ada Lind"."""
    all_marked: bool = False
    """Whether every name so far has a number that refers to its affiliation."""


_BREAK = re.compile(r"<br\s*/?>|</?(?:p|div|center|td|tr|th)\b[^<>]{0,200}>", re.IGNORECASE)
_LABEL = re.compile(
    r"\W*(?:(?:written|posted|contributed|prepared|text|words|guest post|story)\s+by|"
    r"authors?(?:\(s\))?(?=\s*[:：]|\s*$|s\b)|"
    r"by(?=\s))\b\s*[:：]?\s*",
    re.IGNORECASE,
)
_OTHER_ROLE = re.compile(
    r"\W*(?:edited|translated|illustrated|reviewed|photos?|photographs?|foreword|interview|editors?|translators?)\b",
    re.IGNORECASE,
)
_EMAIL_GROUP = re.compile(r"[{(\[]\s*([^\s{}()@][^{}()@]{0,300})[})\]]\s*@\s*[\w.-]{1,100}")
_EMAIL = re.compile(r"[<(\[]?\s*(?:mailto:)?[^\s<>()\[\],;@]{1,100}@[^\s<>()\[\],;@]{1,100}\s*[>)\]]?")
_URL = re.compile(r"<?(?:https?://|www\.)[^\s<>]{1,500}>?|\borcid\.org/\S{1,60}", re.IGNORECASE)
_ORCID = re.compile(r"(?:orcid\s*(?:id)?\s*:?\s*)?\b\d{4}-\d{4}-\d{4}-\d{3}[\dXx]\b|\borcid\b", re.IGNORECASE)
_FORMULA = re.compile(r"\$[^$]{1,80}\$")
_FOOTNOTE_MARK = re.compile(r"\d{0,3}footnotemark:?\s?\d{0,2}", re.IGNORECASE)
_SUPERSCRIPT = re.compile(f"{SUPERSCRIPT_START}[^{SUPERSCRIPT_START}{SUPERSCRIPT_END}]{{0,80}}{SUPERSCRIPT_END}")
_EAST_ASIAN = re.compile(rf"[{CHINESE}\u3040-\u30ff\uac00-\ud7a3]")
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"[\d¹²³⁴-⁹]+")
MARK = "\x01"
"""Stands for a superscript, a footnote mark or a formula between two names."""


def read_byline(lines: Sequence[str]) -> Byline:
    """Return the authors in the lines below a title, which may have inline Markdown."""
    reading = _BylineContents()
    parts = [part for line in lines[: _MAX_LINES + 1] for part in _BREAK.split(line) if part.strip()]
    for part in parts[:_MAX_LINES]:
        _read_line(part, reading)
    if len(parts) > _MAX_LINES:
        reading.unexplained.append("more lines")
    families = {author.family for author in reading.names.values()}
    reading.unexplained.extend(name for name in reading.in_notes if author_from_name(name).family not in families)
    if reading.emails > len(reading.names) > 0:
        reading.unexplained.append("more email addresses than names")
    if {name.isupper() for name in reading.names} == {True, False}:
        # In "Ada Lind / TIN COLLEGE" the capitals are not a name.
        reading.unexplained.append("names in capitals among others")
    return Byline(tuple(reading.names.values()), tuple(reading.unexplained), reading.labeled)


def find_authors(lines: Sequence[str]) -> list[ParsedAuthor]:
    """Return the authors in the lines below a title; none unless all pieces of the lines are understood."""
    byline = read_byline(lines)
    return list(byline.authors) if byline.is_known else []


def _read_line(line: str, reading: _BylineContents) -> None:
    if len(line) > _MAX_CHARACTERS:
        reading.unexplained.append(line[:80])
        return
    text, emails = _without_addresses(line)
    reading.emails += emails
    if not _LETTER.search(text):
        return
    if _OTHER_ROLE.match(text):
        reading.unexplained.append(text)
        return
    label = _LABEL.match(text)
    if label:
        reading.labeled = True
        text = text[label.end() :]
    if len(_EAST_ASIAN.findall(text)) * 2 > len(_LETTER.findall(text)):
        found = find_east_asian_names(text.replace(MARK, ","))
        _add_names(found.names, reading)
        reading.unexplained.extend([text] if found.unexplained else [])
        return
    _read_pieces(text, reading)


def _without_addresses(line: str) -> tuple[str, int]:
    """Return the visible text without email addresses, links and dates, and how many email addresses it had."""
    groups = _EMAIL_GROUP.findall(line)
    text = _EMAIL_GROUP.sub(" ", line)
    shown = visible_text(parse_inline(text.replace("\\*", "*")))
    emails = sum(len(re.split(r"[,;|]", group)) for group in groups) + len(_EMAIL.findall(shown))
    for pattern, instead in (
        (_SUPERSCRIPT, MARK),
        (_FORMULA, MARK),
        (_FOOTNOTE_MARK, MARK),
        (_EMAIL, " , "),
        (_ORCID, " "),
        (_URL, " , "),
    ):
        shown = pattern.sub(instead, shown)
    return without_dates(shown, " , "), emails


def _read_pieces(text: str, reading: _BylineContents) -> None:
    """Explain every piece of a line in a Latin, Greek or Cyrillic script."""
    if is_family_first(text):
        _add_names([*map(reversed_name, split_family_first(text))], reading)
        return
    were_marked, known_names = reading.all_marked, len(reading.names)
    # "Ada Lind, Tin College; Bo Wu, Moss College": each segment is a line of its own.
    is_footnote = _starts_with_mark(text) and not _NEXT_AUTHOR.search(text)
    names: list[str] = []
    for segment in _SEGMENTS.split(text):
        if _LETTER.search(segment):
            names += _read_segment(segment, is_footnote or _starts_with_mark(segment), reading)
            _add_names(names, reading)
    has_marks = _DIGITS.search(text) or MARK in text or _NEXT_AUTHOR.search(text)
    if were_marked and len(reading.names) > known_names and not has_marks:
        # Names with numbers, then a line without any: "Carnegie Mellon, Salt Lake" are not two more authors.
        reading.unexplained.append(text)


def _add_names(names: Sequence[str], reading: _BylineContents) -> None:
    """Add the names of one line. A name of an earlier line is repeated, but twice in one line it may be two people."""
    if len(set(names)) < len(names):
        reading.unexplained.append("a name that occurs twice")
    reading.names.update((name, author_from_name(name)) for name in names)


_NEXT_AUTHOR = re.compile(r"(?:^|\s)&(?=[^\W\d_])|\\(?:And|AND)(?![a-z])")
"""Remains of a LaTeX command or table cell for the next author, as converters leave them."""
_SEGMENTS = re.compile(rf";|{_NEXT_AUTHOR.pattern}")


def _starts_with_mark(text: str) -> bool:
    """Return whether a line starts with a mark: it is a footnote to the names, such as their affiliation."""
    return not _LETTER.match(text.lstrip(" -–•.,&(\"'“"))


def _read_segment(text: str, is_footnote: bool, reading: _BylineContents) -> list[str]:
    """Return the names in a segment of a line; anything else in it is added to `reading`."""
    pieces = split_pieces(text)
    explained = [classify_piece(piece, bool(reading.labeled)) for piece in pieces]
    after_colons = (piece.text.rpartition(":")[2].strip() for piece in explained if ":" in piece.text)
    reading.in_notes.extend(name for name in after_colons if has_given_name(name) and len(name.split()) in (2, 3))
    if pieces and is_footnote and not _is_continued_list(explained, reading):
        reading.unexplained.extend(_names_in_footnote(explained, reading))
        return []
    reading.unexplained.extend(piece.text for piece in _resolve(explained) if piece.kind == "unknown")
    names = [piece for piece in explained if piece.kind in ("name", "group")]
    marks = len(_DIGITS.findall(text)) + text.count(MARK)
    if names:
        reading.all_marked = marks >= len(names) and (reading.all_marked or not reading.names)
    return [piece.text for piece in names]


def _is_continued_list(pieces: Sequence[BylinePiece], reading: _BylineContents) -> bool:
    """Return whether a line that starts with a mark has names only: the mark belongs to the name before it."""
    return (
        all(piece.kind in ("name", "degree", "note") for piece in pieces)
        and any(piece.kind == "name" for piece in pieces)
        and bool(reading.names or not pieces[0].marked)
    )


def _names_in_footnote(pieces: Sequence[BylinePiece], reading: _BylineContents) -> list[str]:
    """Return the names in an affiliation that are certainly personal and not among the authors so far."""
    if any(piece.kind == "note" for piece in pieces):
        return []
    return [
        piece.text
        for piece in pieces
        if piece.kind == "name" and piece.text not in reading.names and has_given_name(piece.text)
    ]


def _resolve(pieces: list[BylinePiece]) -> list[BylinePiece]:
    """Decide, in place, what single words and places are by the pieces around them."""
    has_affiliation = any(piece.kind == "affiliation" for piece in pieces)
    starts_with_name = bool(pieces) and pieces[0].kind in ("name", "word")
    others = [piece for piece in pieces if not is_name_in_list(piece.text)]
    is_list = all(piece.kind in ("name", "degree") for piece in others) and len(others) >= 2
    seen_affiliation = seen_note = False
    for position, piece in enumerate(pieces):
        kind = piece.kind
        if kind == "affiliation":
            seen_affiliation = True
        elif kind == "note":
            seen_note = True
        elif seen_note and kind in ("word", "unknown"):
            kind = "note"
        elif kind == "unknown" and is_list:
            kind = "name"
        elif kind == "word":
            kind = _kind_of_word(pieces, position, has_affiliation, seen_affiliation)
        elif kind == "name" and seen_affiliation and not has_given_name(piece.text):
            # "Tin College, Grand Rapids" is an address; after "Ada Lind, Tin College" it may be the next author.
            kind = "unknown" if starts_with_name else "affiliation"
        elif (kind == "name" and seen_affiliation and not starts_with_name) or (kind == "name" and seen_note):
            kind = "unknown"
        pieces[position] = BylinePiece(piece.text, kind, piece.joined, piece.marked)
    return pieces


def _kind_of_word(pieces: Sequence[BylinePiece], position: int, has_affiliation: bool, seen: bool) -> str:
    """Return what a single capitalized word is: a place after or among affiliations, or a mononym."""
    others = [piece.kind for piece in pieces if piece is not pieces[position]]
    if seen or (has_affiliation and "name" not in others):
        return "affiliation"
    # "Suharyono and Budi Santoso"; but in "Ada Lind, Salt" the word may be a town.
    names_only = bool(others) and all(kind in ("name", "degree") for kind in others)
    leads = position == 0 and len(pieces) > 1
    return "name" if names_only and (leads or pieces[position].joined) else "unknown"


# Bylines of texts without an abstract.


def is_prose(text: str) -> bool:
    """Return whether a paragraph consists of sentences, not names."""
    if is_chinese_prose(text[:1_000]):
        return True
    words = re.findall(r"[^\W\d_]{2,}", text[:1_000])
    return len(words) >= 25 and sum(word[0].islower() for word in words) * 2 > len(words)


def is_surely_personal(byline: Byline) -> bool:
    """Return whether the names are those of people: with a label, or each with a frequent given name or initial.

    For a text without an abstract, where the first line may be anything: "Deep Learning", "Salt Lake".
    """
    if not byline.is_known:
        return False
    return byline.labeled or all(
        has_given_name(author.printed) or _EAST_ASIAN.search(author.printed) for author in byline.authors
    )


def byline_length(paragraphs: Sequence[str]) -> int:
    """Return how many paragraphs below a title are its byline: names, then their institutions and dates.

    For a text without an abstract, where the first paragraph may be anything.
    """
    length = 0
    for paragraph in paragraphs[:_MAX_LINES]:
        byline = read_byline(paragraph.split("\n"))
        is_first_name = byline.is_known and not is_prose(paragraph)
        follows = length and not byline.unexplained and _is_affiliation_or_date(paragraph)
        if not paragraph.strip() or not (is_first_name or follows):
            break
        length += 1
    return length


def _is_affiliation_or_date(paragraph: str) -> bool:
    """Return whether a paragraph after names belongs to them, and is not a short paragraph of the text."""
    if len(paragraph) > 400 or is_prose(paragraph):
        return False
    rest, emails = _without_addresses(paragraph)
    return bool(emails) or _has_institution(paragraph) or not _LETTER.search(rest)


def find_affiliation(lines: Sequence[str]) -> str:
    """Return the one affiliation of all authors, if exactly one line below the title names an institution."""
    institutions = [
        line.strip() for line in lines[:_MAX_LINES] if _has_institution(line) and not read_byline([line]).authors
    ]
    affiliation = institutions[0] if len(institutions) == 1 else ""
    affiliation = clean_chinese_institution(affiliation) if is_chinese_institution(affiliation) else affiliation
    # A mark or a number assigns an institution to some of the authors only.
    return "" if len(affiliation) > 200 or is_prose(affiliation) or _MARKED.search(affiliation) else affiliation


_MARKED = re.compile(r"[@<>{}\[\]\\|*†‡§¶∗⋆\d]")


def _has_institution(line: str) -> bool:
    return is_institution(line[:200]) or is_chinese_institution(line[:200])


# Authors.


def author_from_parts(given: str, family: str) -> ParsedAuthor:
    """Return the author with these names as a parser split them: it takes "The ATLAS" for a given name."""
    printed = " ".join(filter(None, (given, family)))
    if is_group_name(printed):
        return ParsedAuthor("", printed, group=True)
    return ParsedAuthor(given if family else "", family or given)


def author_from_name(name: str) -> ParsedAuthor:
    """Return the author with a printed name; the last word and the particles before it are the family name."""
    name = join_spaced_name(" ".join(name.split()))
    if is_group_name(name):
        return ParsedAuthor("", name, group=True, printed=name)
    if "," in name:
        family, _, given = name.partition(",")
        return ParsedAuthor(given.strip(), family.strip(), printed=f"{given.strip()} {family.strip()}".strip())
    words = name.split()
    if len(words) == 2 and _EAST_ASIAN.match(name):
        return ParsedAuthor(words[1], words[0], printed=name)
    start = family_start(words)
    return ParsedAuthor(" ".join(words[:start]), " ".join(words[start:]), printed=name)

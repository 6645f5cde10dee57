"""The byline of a PDF: the lines from the title to the text. If one of them is not explained, authors are unknown."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.corpus.readers.parsing.byline_pieces import may_be_group
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, strip_marks
from fathom.corpus.readers.pdf.headings import ABSTRACT, KNOWN_HEADING, is_heading
from fathom.corpus.readers.pdf.line import Line, is_running_text, same_style
from fathom.corpus.readers.pdf.names import (
    AFFILIATION,
    NOTE_SIGNS,
    author_of,
    has_place,
    is_fragment,
    is_name,
    join_pieces,
    leading_mark,
    marks_of,
    name_pieces,
)
from fathom.corpus.readers.pdf.reading_order import OrderedLines
from fathom.corpus.readers.words import read_words, word_pattern

_WORDS = read_words("pdf")

_MAX_LINES = 150
"""Maximum number of lines of a byline."""
_FIRST_HEADING = word_pattern(_WORDS["first_heading"])
_FIRST_NUMBERED = re.compile(r"(?:1|I)\.?\s+[A-Z]")
_KEYWORDS = word_pattern(_WORDS["keywords"])
_CONTACT = re.compile(r"@|https?:|www\.|orcid|\be-?mail\b|\btel\b|\bfax\b|\{[\w., ]+\}", re.IGNORECASE)
_DATE = re.compile(
    r"\(?(?:dated|date|received|accepted|revised|published|submitted|version|this version|last updated)\b.*\d"
    r"|\(?(?:\d{1,2}(?:st|nd|rd|th)?\s)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?\s"
    r"(?:\d{1,2}(?:st|nd|rd|th)?,?\s)?\d{4}\)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}",
    re.IGNORECASE,
)
_NOTE = word_pattern(_WORDS["note"])
_ANONYMOUS = re.compile(r"\banonymous\b|double[- ]blind", re.IGNORECASE)


@dataclass
class PdfByline:
    """The names between the title and the text."""

    authors: list[ParsedAuthor] = field(default_factory=list)
    end: int = 0
    """Index of the first line of the text."""
    doubt: str = ""
    """Why the authors are not certain; empty if they are."""
    title_may_continue: bool = False
    """Whether the line below the title is not part of a byline."""


def read_byline(lines: OrderedLines, start: int, metadata_authors: str) -> PdfByline:
    """Return the authors between the title, which ends before `start`, and the text."""
    end = _end_of_region(lines, start)
    region = _Region(lines[start:end])
    names = region.names()
    byline = PdfByline(
        [author_of(name) for name in dict.fromkeys(names)],
        start + region.explained,
        region.doubt,
        region.starts_with_unexplained,
    )
    if len(byline.authors) < len(names):
        byline.doubt = byline.doubt or "a name occurs twice"
    stated = [name for name in re.split(r"\s*;\s*|\s+and\s+|,\s+", metadata_authors) if is_name(name)]
    if not names:
        byline.authors = [author_of(name) for name in stated]
        byline.doubt = "the authors are only in the file's metadata" if stated else "no byline was found"
        if any(_ANONYMOUS.search(line.text) for line in lines[start:end]):
            byline.doubt = "the byline is anonymous"
    elif len(stated) > 1 and list(map(str.casefold, stated)) == list(map(str.casefold, names)):
        byline.doubt = ""
    return byline


# Where the byline ends.


def _end_of_region(lines: OrderedLines, start: int) -> int:
    """Return the index of the first line of the text: an abstract, a first heading, or prose."""
    end = start
    while end < len(lines) and end < start + _MAX_LINES and not _starts_text(lines, end):
        end += 1
    if end < len(lines) and _is_unheaded_text(lines[end]):
        end = _first_of_paragraph(lines, start, end)
        while end - 1 > start and is_heading(lines, end - 1) and not _may_belong(lines[end - 1]):
            end -= 1
    return end


def _is_unheaded_text(line: Line) -> bool:
    """Return whether the text starts with a sentence: the line above may be a heading that no rule knows."""
    text = strip_marks(line.text).strip()
    return not ABSTRACT.match(text) and not _KEYWORDS.match(text) and (is_prose(text) or is_running_text(line))


def _starts_text(lines: OrderedLines, number: int) -> bool:
    line = lines[number]
    text = strip_marks(line.text).strip()
    if line.page > lines[0].page or KNOWN_HEADING.fullmatch(text) or ABSTRACT.match(text) or _KEYWORDS.match(text):
        return True
    if _FIRST_HEADING.fullmatch(text):
        return True
    if _FIRST_NUMBERED.match(text) and is_heading(lines, number) and not AFFILIATION.search(text):
        return True
    prose = is_prose(text)
    if not (prose or is_running_text(line)) or _NOTE.search(text) or leading_mark(line):
        return False
    following = lines[number + 1] if number + 1 < len(lines) else None
    continued = (
        following is not None
        and following.page == line.page
        and same_style(line, following)
        and 0 < line.baseline - following.baseline < 1.6 * line.size
        and (is_running_text(following) or (prose and len(following.text) < 0.6 * len(line.text)))
    )
    return continued or (prose and abs(line.size - lines.body_size) < 0.3)


def is_prose(text: str) -> bool:
    """Return whether a line is running text. A line with an affiliation word needs more lowercase words."""
    words = re.sub(r"\([^()]*\)?", "", text).split()
    small = sum(word[0].islower() for word in words)
    # "Research on quantum circuits spans many traditions" is the start of a letter, not an affiliation.
    return len(words) > 8 and small > (0.65 if AFFILIATION.search(text) else 0.5) * len(words)


def _first_of_paragraph(lines: OrderedLines, start: int, number: int) -> int:
    """Return the first line of the paragraph around a line. That line may be too short to count as prose."""
    while number > start:
        before, line = lines[number - 1], lines[number]
        near = 0 < before.baseline - line.baseline < 1.2 * lines.leading and before.page == line.page
        flush = 0 <= before.left - line.left < 2.5 * line.size
        if not near or not flush or not same_style(before, line) or _may_belong(before):
            break
        number -= 1
    return number


def _may_belong(line: Line) -> bool:
    """Return whether a line may be part of a byline."""
    text = strip_marks(line.text)
    pieces = name_pieces(line)
    return bool(
        AFFILIATION.search(text)
        or _CONTACT.search(text)
        or has_place(text)
        or _DATE.match(text)
        or (pieces and all(map(is_name, pieces)))
    )


# What its lines are.


class _Region:
    """The lines from the title to the text, and what each of them is."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = [line for line in lines if re.search(r"[^\W\d_]", line.text)]
        self._positions = {id(line): position for position, line in enumerate(lines)}
        self.doubt = ""
        self.starts_with_unexplained = False
        self.explained = 0
        """Number of lines up to the last one that is explained. Others below it may be the start of the text."""
        self._marks: set[str] = set()
        first = next((line for line in self._lines if _has_only_names(line)), None)
        self._style = first
        self._other_styles = [
            line for line in self._lines if first is not None and not same_style(first, line) and _is_affiliation(line)
        ]

    def names(self) -> list[str]:
        """Return the names. Sets `doubt` if a line is not explained."""
        names: list[str] = []
        unexplained: list[int] = []
        groups = list(self._groups())
        for group in groups:
            self._marks.update(*(marks_of(line) for line in group))
        in_groups = {id(line) for group in groups for line in group}
        for number, line in enumerate(self._lines):
            if id(line) not in in_groups and (self._may_be_group(line) or not self._is_explained(number, line)):
                unexplained.append(number)
        for group in _in_rows(groups):
            found, doubt = join_pieces([*map(name_pieces, group)], [*map(_may_open, group)])
            names += found
            self.doubt = self.doubt or doubt
        if not all(map(is_name, names)):
            self.doubt = "the byline has words that are not names"
        elif unexplained:
            self.doubt = self.doubt or "the byline has lines that are neither names nor affiliations"
        elif self._names_look_like_affiliations(groups):
            self.doubt = self.doubt or "names and affiliations look alike"
        elif len({_ends_in_capitals(name) for name in names}) > 1:
            self.doubt = self.doubt or "only some of the names end in capitals"
        elif self._may_end_with_marks(names):
            self.doubt = self.doubt or "the marks of affiliations may be part of the names"
        self.starts_with_unexplained = bool(unexplained) and unexplained[0] == 0
        explained = [line for number, line in enumerate(self._lines) if number not in unexplained]
        self.explained = max((self._positions[id(line)] + 1 for line in explained), default=0)
        return list(filter(is_name, names))

    def _groups(self) -> Iterator[list[Line]]:
        """Yield the runs of consecutive lines in the style of the first name."""
        group: list[Line] = []
        for line in self._lines:
            if not self._is_named(line, group):
                if group:
                    yield group
                group = []
                continue
            if group and not _continues(group[-1], line):
                yield group
                group = []
            group.append(line)
        if group:
            yield group

    def _is_named(self, line: Line, group: Sequence[Line]) -> bool:
        """Return whether a line has names: in the style of the first name, with nothing of an affiliation."""
        if self._style is None or _is_affiliation(line) or _is_aside(line):
            return False
        # Names carry their marks behind them, affiliations in front.
        if leading_mark(line) and not leading_mark(self._style):
            return False
        if not same_style(self._style, line):
            # The last name of a list may be alone on a line, where its comma no longer shows the style.
            return bool(group) and _continues(group[-1], line) and _expects_more(group[-1]) and _has_only_names(line)
        pieces = name_pieces(line)
        if group and _continues(group[-1], line) and _may_open(group[-1]) and pieces and is_fragment(pieces[0]):
            return True
        return bool(pieces) and (any(map(is_name, pieces)) or bool(group and _expects_more(group[-1])))

    def _is_explained(self, number: int, line: Line) -> bool:
        text = strip_marks(line.text).strip()
        if _is_affiliation(line) or _is_aside(line) or not re.search(r"[^\W\d_]{2}", text):
            return True
        mark = leading_mark(line)
        if mark and mark in self._marks:
            return True
        if self._style is None:
            return False
        if is_running_text(line):
            return False
        if self._is_less_prominent(line) or any(same_style(line, other) for other in self._other_styles):
            pieces = name_pieces(line)
            # A list of names in another style is not an affiliation.
            return not (len(pieces) > 1 and all(map(is_name, pieces)))
        before = self._lines[number - 1] if number else None
        if before is not None and _is_affiliation(before) and same_style(before, line) and _wraps_to(before, line):
            return True
        return _is_city(text)

    def _may_be_group(self, line: Line) -> bool:
        """Return whether a line in the style of the names may be a group that is an author."""
        return self._style is not None and same_style(self._style, line) and may_be_group(strip_marks(line.text))

    def _is_less_prominent(self, line: Line) -> bool:
        """Return whether a line is smaller or lighter than the names above it, as affiliations are."""
        style = self._style
        assert style is not None
        below = line.baseline < style.baseline + 1
        return below and (
            line.size < style.size - 0.3
            or (line.size < style.size + 0.3 and ((style.bold and not line.bold) or (line.italic and not style.italic)))
        )

    def _names_look_like_affiliations(self, groups: Sequence[Sequence[Line]]) -> bool:
        """Return whether a line below a name may be an institution: in the same style, one item without a mark."""
        return any(
            len(name_pieces(line)) == 1 and not marks_of(line) and not _expects_more(before) and "," not in before.text
            for group in groups
            for before, line in itertools.pairwise(group)
        )

    def _may_end_with_marks(self, names: Sequence[str]) -> bool:
        """Return whether a name may end with the letter of its affiliation: "Ada Smitha" above "a Institute".

        The letter is lost in the name if the file does not raise it.
        """
        letters = {mark for line in self._lines if (mark := leading_mark(line)).isalpha()} - self._marks
        ending = sum(name[-1] in letters and name[-2:-1].isalpha() for name in names)
        return bool(letters) and ending > 0 and 2 * ending >= len(names)


def _ends_in_capitals(name: str) -> bool:
    """Return whether a name ends in capitals, as institutions do: "Halden INP", "Orrin Pharma AG"."""
    last = name.rsplit(maxsplit=1)[-1]
    return len(last) > 1 and last.isalpha() and last.isupper() and last not in ("II", "III", "IV", "JR", "SR")


def _in_rows(groups: Sequence[list[Line]]) -> list[list[Line]]:
    """Order groups by rows of blocks; the file may draw them in any order."""
    return sorted(groups, key=lambda group: (-round(group[0].baseline / 4), group[0].left))


def _has_only_names(line: Line) -> bool:
    if _is_affiliation(line) or _is_aside(line):
        return False
    pieces = name_pieces(line)
    named = sum(map(is_name, pieces))
    return named > 0 and (named == len(pieces) or (named == len(pieces) - 1 and is_fragment(pieces[-1])))


def _is_affiliation(line: Line) -> bool:
    text = strip_marks(line.text)
    return AFFILIATION.search(text) is not None or has_place(text)


def _is_aside(line: Line) -> bool:
    """Return whether a line has an address, a date or a note."""
    text = strip_marks(line.text).strip()
    return (
        _CONTACT.search(text) is not None
        or _DATE.match(text) is not None
        or (_NOTE.search(text) is not None and not _ANONYMOUS.search(text))
    )


def _is_city(text: str) -> bool:
    """Return whether a line is "Fenwick, Norway": single words, unlike names."""
    return re.fullmatch(r"[^\W\d_a-z][\w'’-]+(?:,\s?[^\W\d_a-z][\w'’.-]+){1,2}", text) is not None


def _continues(before: Line, after: Line) -> bool:
    """Return whether a line is the next one of the same paragraph."""
    center = abs(before.left + before.right - after.left - after.right) / 2
    return 0 < before.baseline - after.baseline < 2 * before.size and (
        abs(before.left - after.left) < 3 * before.size or center < 3 * before.size
    )


def _expects_more(line: Line) -> bool:
    """Return whether a list of names continues after a line."""
    text = re.sub(rf"{NOTE_SIGNS}+$", "", line.text.strip())
    return re.search(rf"(?:,|\band|&)\s*{SUPERSCRIPT_END}?$", text, re.IGNORECASE) is not None


def _may_open(line: Line) -> bool:
    """Return whether the last name of a line may continue on the next: only in a list with commas."""
    text = line.text.rstrip()
    return (
        ("," in strip_marks(text) or re.search(r"\sand\s", text, re.IGNORECASE) is not None)
        and not text.endswith((",", SUPERSCRIPT_END))
        and not re.search(rf"{NOTE_SIGNS}$|\band$", text)
    )


def _wraps_to(before: Line, after: Line) -> bool:
    """Return whether an affiliation continues: it ends in a comma or a small word, or the next line starts with one."""
    text = strip_marks(before.text).strip()
    return 0 < before.baseline - after.baseline < 1.8 * before.size and (
        re.search(r"(?:[,;&-]|\b(?:and|of|for|the|at|in|de|für|und|et))$", text) is not None or after.text[:1].islower()
    )

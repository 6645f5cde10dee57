"""Fields of a printed reference, found by its citation style. An uncertain field is left empty."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.corpus.readers.parsing.dates import MONTH
from fathom.corpus.readers.parsing.identifiers import ARXIV_ID, find_identifiers
from fathom.corpus.readers.parsing.reference_names import (
    CAPITAL,
    DIGRAPH,
    ET_AL,
    TextRange,
    chinese_layout,
    find_names,
    is_name_list,
)
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.records.names import PARTICLE

MAX_LENGTH = 3_000
"""Maximum number of characters parsed. Longer references are several that were merged."""


@dataclass(frozen=True)
class ReferenceFields:
    """Fields of a printed reference. Each string is a substring of its whitespace-normalized text."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    ids: dict[str, str] = field(default_factory=dict)
    """doi, arxiv, pmid, pmcid, without prefixes."""


def parse_reference(text: str) -> ReferenceFields:
    """Return the title, authors, year and ids of one printed reference."""
    text = " ".join(text[: 2 * MAX_LENGTH].split())[:MAX_LENGTH]
    ids = find_identifiers(text)
    # Same length as the text, so that positions are valid in both.
    masked = _NUMBER.sub(_spaces, _ADDRESS.sub(_spaces, to_half_width(text)), count=1)
    for style in _STYLES:
        fields = style(masked)
        if fields is not None:
            break
    else:
        fields = _Fields()
    title = text[slice(*fields.title)]
    return ReferenceFields(
        title="" if _consists_of_names(title) else title,
        authors=tuple(text[start:end] for start, end in fields.authors),
        year=fields.year or _year(masked),
        ids=ids,
    )


# Masked parts.

_NUMBER = re.compile(r"^\s*(?:\[\w{1,12}\+?\]|\(\d{1,4}\)|\d{1,4}[.)](?=\s|[A-Z])|\d{1,4}(?=\s+[A-Z])|[•*–-]\s)\s*")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\bdoi\s?:\s?\S+|\b10\.\d{4,9}/\S+", re.IGNORECASE)
_ACCESS_DATE = re.compile(
    r"\b(?:accessed|retrieved|visited|online;|cited|available|访问)\b[^.;()\[\]]{0,40}?\d{4}|\[\d{4}-\d{2}-\d{2}\]",
    re.IGNORECASE,
)


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


# Fields as positions in the text.


@dataclass(frozen=True)
class _Fields:
    """Positions of the title and authors, (0, 0) for no title, and the year."""

    title: TextRange = (0, 0)
    authors: tuple[TextRange, ...] = ()
    year: int | None = None


def _fields(text: str, title: TextRange, authors: tuple[TextRange, ...], year: re.Match[str] | None = None) -> _Fields:
    return _Fields(_title_position(text, *title), authors, int(year[1]) if year else None)


_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_SINGLE_YEAR = re.compile(rf"(?<![\d–/.:-])({_YEAR})(?![\d/]|[–-]\d|\.\d)[a-z]?(?:\b|(?=年))")
_YEAR_IN_BRACKETS = re.compile(rf"\(({_YEAR})[a-z]?\)")


def _year(text: str) -> int | None:
    """Return the year of a style that prints it late: in parentheses, or the last one in the text."""
    text = _ACCESS_DATE.sub(_spaces, ARXIV_ID.sub(_spaces, text))
    in_brackets = _YEAR_IN_BRACKETS.findall(text)
    if in_brackets:
        return int(in_brackets[-1])
    single = _SINGLE_YEAR.findall(text)
    return int(single[-1]) if single else None


# Citation styles. Each returns the fields, or None for a reference in another style.


def _gb_t_7714(text: str) -> _Fields | None:
    """GB/T 7714 in any language: 张三, 李四. 题名[J]. 刊名, 2020, 12(3): 4-5. And other Chinese styles."""
    layout = chinese_layout(text)
    if layout is None:
        return None
    start, end = layout.names
    if not text[start:end].strip() or not is_name_list(text[start:end]):
        return _Fields(title=_title_position(text, start, layout.title[1]), year=layout.year)
    # The standard has no comma inside a name: "SMITH J, WU B" are two names, although "WU B" could be initials.
    inverted = "." in text[start:end]
    return _Fields(
        title=_title_position(text, *layout.title), authors=find_names(text, start, end, inverted), year=layout.year
    )


_QUOTES = re.compile(
    r"[“\"]([^“”\"]{6,500})[”\"]|(?<=[\s(,.])[‘'`]{1,2}([A-Z0-9][^‘`]{8,400}?)['’]{1,2}(?=[,.]|\s[A-Z(]|\s?$)"
)


def _quoted_title(text: str) -> _Fields | None:
    """IEEE, Chicago, MLA, Harvard: the title is in quotation marks after the authors."""
    match = _QUOTES.search(text)
    if match is None:
        return None
    head = text[: match.start()]
    year = re.search(rf"[\s(]({_YEAR})[a-z]?\)?[.,:]?\s*$", head)
    authors_end = year.start() if year else len(head)
    # A later quotation is a phrase in the title, not the title.
    if not is_name_list(text[:authors_end]):
        return None
    position = match.span(1) if match[1] is not None else match.span(2)
    return _fields(text, position, find_names(text, 0, authors_end), year)


_FIRST_YEAR = re.compile(
    rf"[\s.,]\s?\(({_YEAR})(?:/{_YEAR})?[a-z]?(?:,[^()]{{1,40}})?\)[.,:;]?\s+|[.,\s]\s({_YEAR})[a-z]?"
    # "2019, March 4."
    rf"(?:,\s(?:{MONTH})\.?(?:\s\d{{1,2}})?(?=[.:]))?[.,:]\s+"
    r"|\s\((?:n\.\s?d\.|in press|forthcoming|to appear)\)[.,:;]?\s+"
)


def _year_first(text: str) -> _Fields | None:
    """APA, ACL, Harvard, Chicago author-date: the year is between the authors and the title."""
    match = _FIRST_YEAR.search(text)
    if match is None:
        return None
    year = match[1] or match[2]
    end = _title_end(text, match.end())
    words = len(_WORD.findall(text[match.end() : end]))
    if words == 0 or not is_name_list(text[: match.start() + 1], lenient=words > 2):
        return None
    return _Fields(
        title=_title_position(text, match.end(), end),
        authors=find_names(text, 0, match.start() + 1),
        year=int(year) if year else None,
    )


_PARTICLES = rf"(?:{PARTICLE}[\s-]){{0,3}}"
_FAMILY = rf"{_PARTICLES}(?:[Dd]['’])?{CAPITAL}[\w'’]{{1,25}}(?:[-–]\w{{1,25}}){{0,3}}(?:\s{CAPITAL}[\w'’-]{{2,25}})?"
_INITIALS = rf"(?:(?:{DIGRAPH}|{CAPITAL})\.[\s-]{{0,2}}){{1,5}}"
_SUFFIX = r"(?:,?\s(?:Jr|Sr)\.?|,?\sI{2,3}\b)?"
_INVERTED = re.compile(rf"{_FAMILY},?\s{_INITIALS}(?<=\.){_SUFFIX}|{_FAMILY},?\s{_INITIALS}{_SUFFIX}")
_INITIALS_FIRST = re.compile(rf"{_INITIALS}{_FAMILY}{_SUFFIX}")
_BARE_INITIALS = re.compile(rf"{_FAMILY}\s{CAPITAL}{{1,3}}(?=\s?[,.;:]|\s(?:and|&)\s){_SUFFIX}")
_SEPARATOR = re.compile(r"\s?[,;]?\s(?:and|&|und|et)\s|\s?[,;]\s(?:and\s|&\s)?|\s?[,;]\s?(?=[A-Z])")
_AFTER_NAMES = re.compile(r"\s?\((?:eds?|Eds?|editors?)\.?\)|,?\s[Ee]ds?\.(?=[,\s])")


def _names_first(text: str) -> _Fields | None:
    """Vancouver, Nature, Springer, plain BibTeX: names with initials, then the title, and the year late."""
    position = len(text) - len(text.lstrip())
    authors: list[TextRange] = []
    while True:
        match = (
            _INVERTED.match(text, position)
            or _BARE_INITIALS.match(text, position)
            or _INITIALS_FIRST.match(text, position)
        )
        if match is None:
            break
        end = match.start() + len(match[0].rstrip())
        authors.append((match.start(), end))
        position = end
        following = _SEPARATOR.match(text, position)
        if following is None:
            break
        position = following.end()
    if not authors:
        return None
    # If no name follows the last separator, the title does.
    after_comma = text[authors[-1][1] : position].strip() == ","
    if match := ET_AL.match(text, authors[-1][1]):
        after_comma, position = False, match.end()
    if match := _AFTER_NAMES.match(text, authors[-1][1]):
        after_comma, position = False, match.end()
    if after_comma:
        return _fields(text, (position, _title_before_comma(text, position)), tuple(authors))
    if (
        not after_comma
        and position > authors[-1][1]
        and text[authors[-1][1] : position].strip() in (";", "and", "&", ", and", ", &")
    ):
        return None  # An unknown form of name: the start of the title is unclear.
    closed = text[position - 1] == "."
    punctuation = re.compile(r"[.:,]?\s{1,3}" if closed else r"\s?[.:,]\s{1,3}").match(text, position)
    if punctuation is None:
        return None
    start = punctuation.end()
    year = re.compile(rf"\(?({_YEAR})[a-z]?\)?[.,:]\s+").match(text, start)
    start = year.end() if year else start
    return _fields(text, (start, _title_end(text, start)), tuple(authors), year)


_FULL_WORD = rf"{CAPITAL}[\w'’-]{{0,25}}[a-zß-öø-ÿāăąćčďđēęěğģīįķĺļľłńņňōőœŕřśşšţťūůűųźżž][\w'’-]{{0,25}}"
# "Leila C. Abel", "Aisha ten Brink", "Jean-Paul K.-L. Roe": the family name is a full word.
_GIVEN_FIRST = re.compile(
    rf"{_FULL_WORD}(?:\s{CAPITAL}\.(?:[\s-]?{CAPITAL}\.){{0,3}}|\s{_FULL_WORD}){{0,3}}\s{_PARTICLES}(?:[DdO]['’])?{_FULL_WORD}{_SUFFIX}"
)
_CAPITALS_FIRST = re.compile(rf"{CAPITAL}{{1,3}}\s{_PARTICLES}{_FULL_WORD}{_SUFFIX}")
_MIN_TITLE_WORDS = 3
"""Words of a title after a single name: in "Deep Learning. MIT Press, 2016" the first sentence is the title."""


def _given_names_first(text: str) -> _Fields | None:
    """Plainnat, ICLR, NeurIPS: Ada K. Lind, Bo van Wu, and Cy Roe. The title. A venue, 2018."""
    position = len(text) - len(text.lstrip())
    authors: list[TextRange] = []
    while (
        match := _GIVEN_FIRST.match(text, position)
        or _INITIALS_FIRST.match(text, position)
        or _CAPITALS_FIRST.match(text, position)
    ) is not None:
        authors.append(match.span())
        following = _SEPARATOR.match(text, match.end())
        if following is None:
            break
        position = following.end()
    if not authors or _GIVEN_FIRST.match(text, authors[0][0]) is None:
        return None
    end = authors[-1][1]
    abbreviated = ET_AL.match(text, end)
    end = abbreviated.end() if abbreviated else end
    stop = re.compile(r"(?<=\.)\s+|\.\s+").match(text, end)
    if stop is None or (position > authors[-1][1] and not abbreviated):
        return None
    year = re.compile(rf"\(?({_YEAR})[a-z]?\)?[.,:]\s+").match(text, stop.end())
    start = year.end() if year else stop.end()
    title = (start, _title_end(text, start))
    if len(authors) == 1 and not abbreviated and not _is_single_author(text, authors[0], title):
        return None
    return _fields(text, title, tuple(authors), year)


def _is_single_author(text: str, name: TextRange, title: TextRange) -> bool:
    """Return whether the only name before a title is one: "Smith J. Deep Learning. Nature 2020" has none."""
    after_initial = re.split(rf"\b{CAPITAL}\.\s", text[slice(*name)])
    one_family = len(after_initial) == 1 or len(re.findall(rf"\b{CAPITAL}", after_initial[-1])) == 1
    words = _WORD.findall(text, *title)
    small = any(word[0].islower() for word in words)
    return one_family and len(words) >= _MIN_TITLE_WORDS and small and bool(_WORD.search(text, title[1] + 1))


def _consists_of_names(title: str) -> bool:
    """Return whether a title is a list of people: the end of the authors was misjudged."""
    pieces = [piece for piece in re.split(r",\s(?:and\s)?|\sand\s|\s&\s", title) if piece.strip()]
    if len(pieces) < 2 or len(title) > 500:
        return False
    names = [
        re.fullmatch(rf"{_PARTICLES}{CAPITAL}[\w'’.-]*(?:\s{_PARTICLES}{CAPITAL}[\w'’.-]*){{0,3}}", piece)
        for piece in pieces
    ]
    if not all(names):
        return False
    # "Guns, Germs, and Steel" and "Graph Theory and Linear Algebra" are titles.
    several = sum(" " in piece for piece in pieces)
    has_initial = re.search(rf"(?:^|\s){CAPITAL}\.(?=\s|$)", title) is not None
    return (len(pieces) > 2 and several >= 2) or (has_initial and several >= 1)


_FULL_NAME = re.compile(rf"{CAPITAL}[\w'’.-]*(?:\s(?:{_PARTICLES}){CAPITAL}[\w'’.-]*){{1,4}}")


def _full_names_first(text: str) -> _Fields | None:
    """Plain BibTeX with full given names: Ada Lind, Bo Wu, and Cy Roe. The title. In ..."""
    start = len(text) - len(text.lstrip())
    end = _sentence_end(text, start)
    sentence = ET_AL.sub("", text[start:end])
    names = [name for name in re.split(r",\s(?:and\s)?|\sand\s|\s&\s", sentence) if name.strip()]
    if len(names) < 2 or not all(_FULL_NAME.fullmatch(name.strip()) for name in names):
        return None
    begin = end + 1
    year = re.compile(rf"\s*\(?({_YEAR})[a-z]?\)?[.,:]\s+").match(text, begin)
    begin = year.end() if year else begin
    return _fields(text, (begin, _title_end(text, begin)), find_names(text, start, end), year)


def _without_author(text: str) -> _Fields | None:
    """APA without an author: The title. (2020). A URL."""
    match = re.search(rf"\.\s\(({_YEAR}|n\.d\.)[^()]{{0,30}}\)\.?\s*", text)
    if match is None or _WORD.search(text, match.end()):
        return None
    year = int(match[1]) if match[1].isdigit() else None
    return _Fields(title=_title_position(text, 0, match.start()), year=year)


_STYLES = (
    _gb_t_7714, _quoted_title, _year_first, _given_names_first, _names_first, _full_names_first, _without_author
)  # fmt: skip


# Titles.

_WORD = re.compile(r"[^\W\d_]{2,}")
_ABBREVIATIONS = word_set(
    "vs e.g i.e cf st no vol vols dr mr mrs ms prof al fig figs eq eqs ed eds approx resp spp sp subsp var ca inc ltd"
    " jr sr pp"
)
# Venues that start in lowercase: "eLife", "arXiv preprint".
_LOWERCASE_VENUE = re.compile(r"\s(?:[a-z]{1,3}[A-Z]|npj\s|(?i:arxiv|biorxiv|medrxiv|eprint|preprint|https?))")
_VENUE_NEXT = re.compile(r"\s[A-Z][^.?!,]{3,80},\s?\d")
_INITIALISM = re.compile(r"(?:[A-Z]\.)+[A-Z]")
_STOP = re.compile(r"[.?!。？！](?=[\s”\"’)]|$)")


def _sentence_end(text: str, start: int) -> int:
    """Return the end of the sentence that starts at `start`."""
    for match in _STOP.finditer(text, start):
        at = match.start()
        word = text[max(start, at - 12) : at].rpartition(" ")[2].lstrip("([“\"'")
        rest = text[match.end() : match.end() + 3].lstrip()
        if match[0] == ".":
            if word.lower() in _ABBREVIATIONS:
                continue
            # An initial, "E. coli", "U.S. policy". But "maps in R. Mathematics, 9(11)" ends after "R".
            initial = (len(word) == 1 and word.isupper() and rest[:1].isalpha()) or _INITIALISM.fullmatch(word)
            if initial and not _VENUE_NEXT.match(text, match.end()):
                continue
            if rest[:1].islower() and not _LOWERCASE_VENUE.match(text, match.end()):
                continue
        return at
    return len(text)


_VENUE = re.compile(r"\s*(?:In\b|In:|arXiv|CoRR|Proc|PhD|Ph\.D|Master|Tech|Journal|Advances|[^.?!]{2,90}?[\d])")


def _title_end(text: str, start: int) -> int:
    """Return the end of the title that starts at `start`."""
    end = _sentence_end(text, start)
    # "Can machines think? An essay. Mind 59": after a question the title continues, unless a venue follows.
    for _ in range(2):
        if end < len(text) and text[end] in "?!":
            following = _sentence_end(text, end + 1)
            more = text[end + 1 : following]
            last = not _WORD.search(text, min(following + 1, len(text)))
            if last or _VENUE.match(more) or not more.strip():
                return end + 1
            end = following
    return end


def _title_before_comma(text: str, start: int) -> int:
    """Return the end of a title that a comma ends; `start` if no venue follows."""
    for match in re.finditer(r",\s", text[start : start + 600]):
        at = start + match.start()
        segment = text[start + match.end() :][:160]
        if len(_WORD.findall(text[start:at])) >= 3 and re.match(
            r"in:?\s|in\sProc|arXiv\b|CoRR\b|Ph\.?\s?D\b|(?:[A-Z][\w.&’'-]*[\s:]{1,2}(?:of\s|and\s|the\s|for\s|in\s|on\s|&\s)*){1,12}[A-Z]?\d+\s?[(,]",
            segment,
        ):
            return at
    return start


_TAIL = re.compile(r"\s*[(\[][^()\[\]]{1,200}[)\]]\s*$")
_TAIL_WORDS = re.compile(
    r"\beds?\.|edition|\blatest\b|Vol|version|software|data ?set|thesis|No\.|pp\.|\[|arXiv|preprint", re.IGNORECASE
)
_NOT_A_TITLE = re.compile(
    r"in:?\s|proc(?:\.|eedings)|et al|pp?\.\s?\d|vol(?:\.|ume)\s?\d|retrieved|accessed|available|arxiv\b"
    r"|ph\.?d|https?:|doi\b|eds?\.|doctoral|master['’]?s thesis",
    re.IGNORECASE,
)


def _title_position(text: str, start: int, end: int) -> TextRange:
    """Return the position of a title without punctuation and notes around it; (0, 0) if it is not a title."""
    while start < end and text[start] in " .,:;“”\"'‘’`*_(-–":
        start += 1
    # "(Version 1.2) [Computer software]", "(2nd ed.)".
    for _ in range(2):
        tail = _TAIL.search(text, max(start, end - 220), end)
        if tail and _TAIL_WORDS.search(tail[0]):
            end = tail.start()
    while end > start and text[end - 1] in " .,:;“”\"'‘’`*_":
        end -= 1
    title = text[start:end]
    words = _WORD.findall(title)
    han = len(CHINESE_CHARACTER.findall(title))
    if (len(title) < 4 or not words) and han < 2:
        return (0, 0)
    if len(title) > 500 or _NOT_A_TITLE.match(title):
        return (0, 0)
    # "Smith, J., Roe" and "Nature 12": the start was misjudged.
    if re.match(rf"{CAPITAL}[\w'’-]+,\s{CAPITAL}\.", title) or re.fullmatch(r"[A-Z][\w. ]{2,30}\s\d{1,3}", title):
        return (0, 0)
    return start, end

"""Citations in running text: links to references, numbers in brackets, names with a year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.corpus.readers.parsed_document import CitationMark, Inlines
from fathom.corpus.readers.parsing.blocks import Hyperlink, LinkedText, splice
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.corpus.readers.parsing.reference_lists import NAME_JOINERS, YEAR, ReferenceIndex, first_author
from fathom.corpus.readers.parsing.superscripts import SUPERSCRIPT_END, SUPERSCRIPT_START, strip_marks
from fathom.records.names import CHINESE, is_particle

_YEAR_ALONE = re.compile(rf"{YEAR}[a-z]?")
_JOIN = re.compile(r"[\s,]*")
_OPENING = re.compile(r"\s*[,]?\s*[(\[]\s*")
_DASH = re.compile(r"\s?[-–—−~]\s?")
_TOOLTIP = re.compile(r"\s*‣.*", re.DOTALL)


def detect_citations(pieces: LinkedText, references: ReferenceIndex, in_plain_text: bool = False) -> Inlines:
    """Return running text with its citations marked; `in_plain_text`: also those that are not links."""
    parts = list(_link_marks(pieces, references))
    parts = _merge_ranges(_merge_adjacent(parts), references)
    words: Inlines = []
    for part in parts:
        if isinstance(part, CitationMark):
            words.append(_with_names(words, part, references))
        elif in_plain_text:
            words.extend(_split_at_citations(part, references))
        else:
            words.append(part)
    return [strip_marks(word) if isinstance(word, str) else word for word in words]


def _link_marks(pieces: LinkedText, references: ReferenceIndex) -> Iterator[str | CitationMark]:
    """Yield links to references as marks, without brackets and commas, and all other links as text."""
    for number, piece in enumerate(pieces):
        if isinstance(piece, str):
            follows = isinstance(pieces[number + 1], Hyperlink) if number + 1 < len(pieces) else False
            # Converters put a space between a bracket and the link in it.
            text = re.sub(r"(?<=[(\[])\s+$", "", piece) if follows else piece
            yield re.sub(r"^\s+(?=[)\]])", "", text) if number else text
            continue
        key = references.by_anchor(piece.target)
        text = _TOOLTIP.sub("", piece.text) if "‣" in piece.text else piece.text
        if key is None or not text.strip():
            yield text
            continue
        lead, core, tail = _strip_brackets(text)
        yield lead
        style: Literal["superscript"] | None = "superscript" if piece.superscript else None
        yield CitationMark(core, (key,), style) if core else ""
        yield tail


def _strip_brackets(text: str) -> tuple[str, str, str]:
    """Split a link's text into leading brackets, core, and trailing brackets and commas."""
    start, end, narrow = 0, len(text), to_half_width(text)
    while start < end and narrow[start] in " ([":
        start += 1
    while end > start:
        last, inner = narrow[end - 1], narrow[start : end - 1]
        # The brackets of "Lind (2019)" belong to it; an unmatched closing bracket does not.
        if last not in " ,;" and not (last == ")" and "(" not in inner) and not (last == "]" and "[" not in inner):
            break
        end -= 1
    return text[:start], text[start:end], text[end:]


def _merge_adjacent(parts: Sequence[str | CitationMark]) -> list[str | CitationMark]:
    """Merge adjacent links to one entry: the names and the year are often linked separately."""
    merged: list[str | CitationMark] = []
    for part in parts:
        if part == "":
            continue
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
            continue
        merged.append(part)
        if not isinstance(part, CitationMark):
            continue
        before = merged[-3:-1]
        match before:
            case [CitationMark() as first, str() as between] if (
                first.keys == part.keys and not first.text[-1:].isdigit()
            ):
                if _JOIN.fullmatch(to_half_width(between)):
                    merged[-3:] = [CitationMark(first.text + between + part.text, part.keys, part.style)]
                elif _OPENING.fullmatch(to_half_width(between)):
                    # In "Lind and Wu (2019)" the names are part of the sentence.
                    named = first.text + between
                    before_it = merged[-4:-3]
                    if before_it and isinstance(before_it[0], str):
                        merged[-4:] = [before_it[0] + named, part]
                    else:
                        merged[-3:] = [named, part]
            case [*_, CitationMark() as first] if first.keys == part.keys and not first.text[-1:].isdigit():
                merged[-2:] = [CitationMark(f"{first.text} {part.text}", part.keys, part.style)]
    return merged


def _merge_ranges(parts: list[str | CitationMark], references: ReferenceIndex) -> list[str | CitationMark]:
    """Merge two numbers joined by a dash into one citation of all entries in the range."""
    out: list[str | CitationMark] = []
    for part in parts:
        match out[-2:]:
            case [CitationMark() as first, str() as dash] if isinstance(part, CitationMark) and _DASH.fullmatch(
                to_half_width(dash)
            ):
                keys = references.in_range(first.text.strip(), part.text.strip()) if _are_numbers(first, part) else ()
                if keys:
                    out[-2:] = [CitationMark(first.text + dash + part.text, keys, part.style)]
                    continue
        out.append(part)
    return out


def _are_numbers(*marks: CitationMark) -> bool:
    return all(re.fullmatch(r"\s*\d{1,4}\s*", mark.text) for mark in marks)


def _with_names(words: Inlines, mark: CitationMark, references: ReferenceIndex) -> CitationMark:
    """Extend a link on a year alone to the names before it, and set the style of the citation."""
    text = mark.text.strip()
    if mark.style:
        return mark
    if re.fullmatch(r"\d{1,4}", text) and not (
        _YEAR_ALONE.fullmatch(text) and references.number_of(mark.keys[0]) != text
    ):
        return CitationMark(text, mark.keys, "numeric")
    if len(mark.keys) == 1 and _YEAR_ALONE.fullmatch(text) and words and isinstance(words[-1], str):
        start = _names_before(words[-1])
        names = words[-1][start:]
        if names.strip():
            words[-1] = words[-1][:start]
            return CitationMark(names + mark.text, mark.keys, "author-year")
    return CitationMark(mark.text, mark.keys, "author-year" if len(mark.keys) == 1 else "numeric")


_CAPITALIZED = "See Following In As By From Like Unlike While Although Both The And For With Similar Recently"
_NOT_NAMES = frozenset(_CAPITALIZED.split())


def _names_before(text: str) -> int:
    """Return the start of the names at the end of a text, before a year; the text's length if there are none."""
    tail = text[-240:]
    cut = max(tail.rfind(sign) for sign in "([;") + 1
    tail = tail[cut:]
    stripped = tail.rstrip()
    if not stripped.endswith((",", "al.", "al")):
        return len(text)
    start = len(stripped)
    for word in reversed(list(re.finditer(r"\S+", stripped))):
        plain = word[0].strip(",;")
        capital = next((sign for sign in plain if sign.isalpha()), "").isupper()
        inside = (
            word.end() == len(stripped) or word[0].endswith(",") or not plain.endswith((".", ":")) or _is_initial(plain)
        )
        if not (capital or is_particle(plain) or plain in NAME_JOINERS) or plain in _NOT_NAMES or not inside:
            break
        start = word.start()
    begun = re.match(r"(?:(?:and|&|et|al\.?),?\s+)+", stripped[start:])
    start += begun.end() if begun else 0
    return len(text) - len(tail) + start if start < len(stripped) else len(text)


def _is_initial(word: str) -> bool:
    """Return whether a word with a period is an initial or part of "et al."."""
    return len(word) <= 3 or word == "al."


# Citations in plain text.

# After `to_half_width`: Chinese papers print "［2，5］" and "[2~4]".
_NUMBERS_IN_BRACKETS = re.compile(r"\[\s{0,2}(\d{1,4}(?:\s{0,2}[,;–—−~-]\s{0,2}\d{1,4}){0,60})\s{0,2}\]")
_NUMBER_OR_RANGE = re.compile(r"(\d{1,4})(?:\s{0,2}[–—−~-]\s{0,2}(\d{1,4}))?")
# The mark comes first, so that the pattern fails fast. After a short word a single number may be an exponent, as in
# "km²" and "公里²".
_SUPERSCRIPT_NUMBERS = re.compile(
    rf"{SUPERSCRIPT_START}(?:(?<=[^\W\d_]{{3}}.)|(?<=[,.;:)\]”\"。].)|(?<=[{CHINESE}]{{2}}.)(?<![米里秒].)"
    r"|(?<=[^\W\d_]{2}.)(?=\d{1,4}\s?[,–—−-]))"
    rf"(\d{{1,4}}(?:\s?[,–—−-]\s?\d{{1,4}}){{0,60}}){SUPERSCRIPT_END}"
)
_BRACKETED = re.compile(rf"[(\[]([^()\[\]]{{0,600}}?\b{YEAR}[^()\[\]]{{0,600}})[)\]]")
_AUTHOR_YEAR = re.compile(
    rf"(.{{2,160}}?),?\s+({YEAR})([a-z]?)((?:\s?,\s?[a-z]\b)*)((?:\s?,\s?{YEAR}[a-z]?)*)(?:\s?[,:]\s.{{0,80}})?"
)
_YEAR_IN_BRACKETS = re.compile(rf"\(({YEAR})([a-z]?)((?:\s?[,;]\s?{YEAR}[a-z]?)*)(?:[,;:]\s?[^()]{{0,60}})?\)")
_LEAD_IN = re.compile(
    r"(?:(?:see|also|e\.\s?g\.|i\.\s?e\.|cf\.|for|example|instance|such|as|in|from|by|following|like|and|or|reviewed|review|the)[,:]?\s+)+",
    re.IGNORECASE,
)


def _split_at_citations(text: str, references: ReferenceIndex) -> Inlines:
    """Split a text at the citations that are not links."""
    found = sorted(_locate(text, references), key=lambda one: (one[0], -one[1]))
    return splice(
        text, ((start, end, [CitationMark(text[start:end], keys, style)]) for start, end, keys, style in found)
    )


_Location = tuple[int, int, tuple[str, ...], Literal["numeric", "author-year", "superscript"]]


def _locate(printed: str, references: ReferenceIndex) -> Iterator[_Location]:
    text = to_half_width(printed)
    for bracket in _NUMBERS_IN_BRACKETS.finditer(text):
        yield from _locate_numbers(bracket, references, "numeric")
    for superscript in _SUPERSCRIPT_NUMBERS.finditer(text):
        yield from _locate_numbers(superscript, references, "superscript")
    for bracket in _BRACKETED.finditer(text):
        yield from _locate_names(text, bracket.start(1), bracket.end(1), references)
    for year in _YEAR_IN_BRACKETS.finditer(text):
        yield from _locate_narrative(text, year, references)
    if not text.isascii() and CHINESE_CHARACTER.search(text):
        yield from ((*cited, "author-year") for cited in find_chinese_citations(text, references))


def _locate_numbers(
    found: re.Match[str], references: ReferenceIndex, style: Literal["numeric", "superscript"]
) -> Iterator[_Location]:
    numbers = list(_NUMBER_OR_RANGE.finditer(found.string, found.start(1), found.end(1)))
    located: list[_Location] = []
    for number in numbers:
        first, last = number[1].lstrip("0"), (number[2] or "").lstrip("0")
        keys = references.in_range(first, last) if last else (references.numbers.get(first, ""),)
        located.append((*number.span(), keys, style))
    # An interval such as [0, 1] is not a citation: every number must be in the list.
    if located and all(keys and all(keys) for _, _, keys, _ in located):
        yield from located


def _locate_names(text: str, start: int, end: int, references: ReferenceIndex) -> Iterator[_Location]:
    """Yield the citations in a bracket such as (Lind, 2018; Wu et al., 2020a,b)."""
    for part in re.finditer(r"[^;]+", text[start:end]):
        words = part[0].strip()
        lead = _LEAD_IN.match(words)
        words = words[lead.end() :] if lead else words
        cited = _AUTHOR_YEAR.fullmatch(words)
        if cited is None or not references.has_author_year(first_author(cited[1]), cited[2]):
            continue
        begin = start + part.start() + part[0].index(words)
        key = references.by_author_year(first_author(cited[1]), cited[2], cited[3], cited[1])
        yield begin, begin + cited.end(3), (key,) if key else (), "author-year"
        for more in re.finditer(rf"({YEAR})?([a-z])?(?<=\w)", cited[4] + cited[5]):
            if more[0]:
                key = references.by_author_year(first_author(cited[1]), more[1] or cited[2], more[2] or "", cited[1])
                at = begin + cited.start(4)
                yield at + more.start(), at + more.end(), (key,) if key else (), "author-year"


def _locate_narrative(text: str, year: re.Match[str], references: ReferenceIndex) -> Iterator[_Location]:
    """Yield the year in "as Lind and Wu (2019) show"; the names are part of the sentence."""
    before = text[max(0, year.start() - 160) : year.start()].rstrip()
    start = _names_before(before + ",")
    names = (before + ",")[start:].rstrip(",")
    words = names.split()
    # A sentence may start with a capitalized word that is not a name: take the longest part with an entry.
    for cut in range(len(words)):
        name = " ".join(words[cut:])
        if references.has_author_year(first_author(name), year[1]):
            key = references.by_author_year(first_author(name), year[1], year[2], name)
            yield year.start(1), year.end(2), (key,) if key else (), "author-year"
            return


CitationSpan = tuple[int, int, tuple[str, ...]]
"""Start, end and reference keys of a citation."""

_ONE_YEAR = re.compile(rf"({YEAR})([a-z]?)(?![\da-z])")
_MORE = rf"(?:\s?,\s?{YEAR}[a-z]?(?![\da-z]))*"
_BRACKET = re.compile(r"\(([^()\[\]]{4,600})\)|\[([^()\[\]]{4,600})\]")
_YEARS = re.compile(rf"\s?{YEAR}[a-z]?年?{_MORE}(?:\s?[,:].{{0,60}})?\s?")
_NAMED = re.compile(rf"([^;]{{2,80}}?)\s?({YEAR}[a-z]?(?![\da-z])年?{_MORE})")
_LEAD = re.compile(
    r"\s*(?:参见|参阅|参看|详见|另见|可见|见|例如|如|转引自|引自|(?:see(?: also)?|e\.g\.|cf\.)[,:]?\s?)", re.I
)
_JOINER = re.compile(r"\s*(?:,|以及|[和与及&]|\band\b)\s*")
_AND_OTHERS = re.compile(r"[\s,]*(?:等(?:人|学者)?|et al\.?)$")
_LATIN = re.compile(r"(?<![A-Za-zÀ-ɏ'’-])[A-ZÀ-Þ][A-Za-zÀ-ɏ'’-]+$")
_CHINESE_NAME = re.compile(rf"[{CHINESE}]{{2,4}}$")
_MAX_NAMES = 5
"""Maximum number of separators between the names of one citation."""
_MAX_DISTANCE = 80
"""Characters before a bracket that are searched for names."""


@dataclass(frozen=True)
class _Authors:
    """The first author of a citation, and all its names, which distinguish works of one year."""

    first: str
    names_text: str


def find_chinese_citations(text: str, references: ReferenceIndex) -> Iterator[CitationSpan]:
    """Yield both citations of "（王明等，2020；李华，2019a）" with their names, and the year of "王明等（2020）"."""
    for bracket in _BRACKET.finditer(text):
        place = bracket.start() + 1
        if _YEARS.fullmatch(text, place, bracket.end() - 1):
            before = text[max(0, bracket.start() - _MAX_DISTANCE) : bracket.start()]
            yield from _narrative(text, place, bracket.end() - 1, before, references)
        else:
            yield from _in_brackets(text, place, bracket.end() - 1, references)


def _in_brackets(text: str, start: int, end: int, references: ReferenceIndex) -> Iterator[CitationSpan]:
    for match in _NAMED.finditer(text, start, end):
        first, *others = _ONE_YEAR.finditer(text, match.start(2), match.end(2))
        begin = _names_start(text, *match.span(1), first[1], references)
        if begin is None:
            continue
        authors = _match_authors(text[begin : match.end(1)], first[1], references)
        if authors is not None:
            yield begin, first.end(), _keys(authors, first, references)
            for year in others:
                yield *year.span(), _keys(authors, year, references)


def _names_start(text: str, start: int, end: int, year: str, references: ReferenceIndex) -> int | None:
    """Return the start of the names in a bracket: after "参见", or after a comma and words that are not names."""
    lead = _LEAD.match(text, start, end)
    places = [lead.end() if lead else start, *(comma.end() for comma in re.compile(",").finditer(text, start, end))]
    for place in [start, *places]:
        begin = place + len(text[place:end]) - len(text[place:end].lstrip(" ,"))
        if _match_authors(text[begin:end], year, references):
            return begin
    return None


def _match_authors(names: str, year: str, references: ReferenceIndex) -> _Authors | None:
    """Return the authors if the first has an entry of that year; "王和平" may be one name or two."""
    et_al = _AND_OTHERS.search(names.rstrip(" ,"))
    whole = names[: et_al.start()] if et_al else names.rstrip(" ,")
    cuts = [joiner.start() for joiner in _JOINER.finditer(whole)]
    for cut in (len(whole), *reversed(cuts)):
        if references.has_author_year(whole[:cut], year):
            return _authors(whole[:cut], whole[cut:], et_al is not None)
    return None


def _authors(first: str, others: str, et_al: bool) -> _Authors:
    names_text = ", ".join(filter(None, (first, *_JOINER.split(others))))
    return _Authors(first, f"{names_text} et al." if et_al else names_text)


def _narrative(text: str, start: int, end: int, before: str, references: ReferenceIndex) -> Iterator[CitationSpan]:
    years = list(_ONE_YEAR.finditer(text, start, end))
    authors = _authors_before(before.rstrip(" ,"), years[0][1], references)
    if authors is not None:
        for year in years:
            if references.has_author_year(authors.first, year[1]):
                yield *year.span(), _keys(authors, year, references)


def _authors_before(before: str, year: str, references: ReferenceIndex) -> _Authors | None:
    """Return the authors whose names end a text, starting as early as a list of names allows."""
    # A list of names does not extend over another citation or clause: "王明（2018）、李华等（2020）".
    before = re.split(r"[()\[\];；。！？：]", before)[-1]
    et_al = _AND_OTHERS.search(before)
    before = before[: et_al.start()] if et_al else before
    joiners = [joiner.span() for joiner in _JOINER.finditer(before)][-_MAX_NAMES:]
    for end in (*(start for start, _ in joiners), len(before)):
        for begin in _name_starts(before, end):
            if references.has_author_year(before[begin:end], year):
                return _authors(before[begin:end], before[end:], et_al is not None)
    return None


def _name_starts(text: str, end: int) -> Iterator[int]:
    """Yield the possible starts of a name that ends here: up to four Chinese characters, or one Latin word."""
    latin = _LATIN.search(text[:end])
    if latin:
        yield latin.start()
    elif chinese := _CHINESE_NAME.search(text[:end]):
        yield from range(chinese.start(), end - 1)


def _keys(authors: _Authors, year: re.Match[str], references: ReferenceIndex) -> tuple[str, ...]:
    key = references.by_author_year(authors.first, year[1], year[2], authors.names_text)
    return (key,) if key else ()

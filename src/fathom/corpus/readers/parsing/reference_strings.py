"""The parts of a printed reference, told by the style it is written in; a part that is in doubt is left empty."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.corpus.readers.parsing.chinese_references import chinese_layout, chinese_names
from fathom.records.names import PARTICLE, is_particle

LONGEST = 3_000
"""Characters that are looked at: a reference longer than this is two that ran together."""


@dataclass(frozen=True)
class ReferenceFields:
    """What a printed reference says; each string is a stretch of the text as given, blanks tidied."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    ids: dict[str, str] = field(default_factory=dict)
    """doi, arxiv, pmid, pmcid: bare, without an address before them."""


def parse_reference(text: str) -> ReferenceFields:
    """The title, the authors, the year and the ids of one printed reference."""
    text = " ".join(text[: 2 * LONGEST].split())[:LONGEST]
    ids = identifiers(text)
    # Same length as the text, so that places in one are places in the other.
    masked = _NUMBER.sub(_blank, _ADDRESS.sub(_blank, to_half_width(text)), count=1)
    for style in (_chinese, _quoted, _year_first, _names_first, _full_names_first, _untitled):
        parts = style(masked)
        if parts is not None:
            break
    else:
        parts = _Parts()
    return ReferenceFields(
        title=text[slice(*parts.title)],
        authors=tuple(text[start:end] for start, end in parts.authors),
        year=parts.year or _year(masked),
        ids=ids,
    )


# Ids.

_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"<>“”{}|\\^`]{1,300})")
_ARXIV = re.compile(
    r"(?:arxiv|corr)(?:\.org/(?:abs|pdf)/|\.|[:,\s]\s?(?:abs/)?)(?:preprint\s+arxiv:\s?)?"
    r"(\d{4}\.\d{4,5}|[a-z][a-z.-]{1,12}/\d{7})(?:v\d{1,2})?(?!\d)",
    re.IGNORECASE,
)
_PMID = re.compile(
    r"(?:\bPMID:?\s*|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)(\d{5,9})\b", re.IGNORECASE
)
_PMCID = re.compile(r"\b(PMC\d{4,9})\b")


def identifiers(text: str) -> dict[str, str]:
    """The ids that a text names: doi, arxiv, pmid, pmcid, each bare."""
    ids: dict[str, str] = {}
    if found := _DOI.search(text):
        ids["doi"] = bare_doi(found[1])
    if found := _ARXIV.search(text):
        ids["arxiv"] = found[1]
    elif ids.get("doi", "").lower().startswith("10.48550/arxiv."):
        ids["arxiv"] = ids["doi"][len("10.48550/arxiv.") :]
    if found := _PMID.search(text):
        ids["pmid"] = found[1]
    if found := _PMCID.search(text):
        ids["pmcid"] = found[1]
    return ids


def bare_doi(text: str) -> str:
    """A DOI without the address before it and the sentence's punctuation after it; empty where it is none."""
    at = text.find("10.")
    doi = text[at : at + 300].strip() if at >= 0 else ""
    # A bracket belongs to the DOI where it opens in it: 10.1016/S0140-6736(20)30183-5.
    while doi and (doi[-1] in ".,;:'’\"]" or (doi[-1] == ")" and doi.count("(") < doi.count(")"))):
        doi = doi[:-1]
    return doi


# What is not looked at.

_NUMBER = re.compile(r"^\s*(?:\[\w{1,12}\+?\]|\(\d{1,4}\)|\d{1,4}[.)](?=\s|[A-Z])|\d{1,4}(?=\s+[A-Z])|[•*–-]\s)\s*")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\bdoi\s?:\s?\S+|\b10\.\d{4,9}/\S+", re.IGNORECASE)
_ACCESS = re.compile(
    r"\b(?:accessed|retrieved|visited|online;|cited|available|访问)\b[^.;()\[\]]{0,40}?\d{4}|\[\d{4}-\d{2}-\d{2}\]",
    re.IGNORECASE,
)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


# Parts as places in the text.

_Place = tuple[int, int]


@dataclass(frozen=True)
class _Parts:
    title: _Place = (0, 0)
    authors: tuple[_Place, ...] = ()
    year: int | None = None


_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_LONE_YEAR = re.compile(rf"(?<![\d–/.:-])({_YEAR})(?![\d/]|[–-]\d|\.\d)[a-z]?(?:\b|(?=年))")
_YEAR_IN_BRACKETS = re.compile(rf"\(({_YEAR})[a-z]?\)")


def _year(text: str) -> int | None:
    """The year of a reference whose style puts it late: in brackets, before a volume, or the last one standing."""
    text = _ACCESS.sub(_blank, _ARXIV.sub(_blank, text))
    in_brackets = _YEAR_IN_BRACKETS.findall(text)
    if in_brackets:
        return int(in_brackets[-1])
    lone = _LONE_YEAR.findall(text)
    return int(lone[-1]) if lone else None


# Styles. Each gives the parts, or None where the reference is not written in it.


def _chinese(text: str) -> _Parts | None:
    """GB/T 7714, whatever the language: 张三, 李四. 题名[J]. 刊名, 2020, 12(3): 4-5. And others in Chinese."""
    layout = chinese_layout(text)
    if layout is None:
        return None
    start, end = layout.names
    if not text[start:end].strip() or not _reads_as_names(text[start:end]):
        return _Parts(title=_sound(text, start, layout.title[1]), year=layout.year)
    # The standard sets no comma inside a name, so that "SMITH J, WU B" are two: "WU B" could be initials.
    inverted = "." in text[start:end]
    return _Parts(title=_sound(text, *layout.title), authors=_names(text, start, end, inverted), year=layout.year)


_QUOTES = re.compile(
    r"[“\"]([^“”\"]{6,500})[”\"]|(?<=[\s(,.])[‘'`]{1,2}([A-Z0-9][^‘`]{8,400}?)['’]{1,2}(?=[,.]|\s[A-Z(]|\s?$)"
)


def _quoted(text: str) -> _Parts | None:
    """IEEE, Chicago, MLA, Harvard: the title stands in quotation marks after the authors."""
    found = _QUOTES.search(text)
    if found is None:
        return None
    head = text[: found.start()]
    year = re.search(rf"[\s(]({_YEAR})[a-z]?\)?[.,:]?\s*$", head)
    authors_end = year.start() if year else len(head)
    # What stands in quotation marks far into a reference is a phrase of its title, not the title.
    if not _reads_as_names(text[:authors_end]):
        return None
    place = found.span(1) if found[1] is not None else found.span(2)
    return _Parts(title=_sound(text, *place), authors=_names(text, 0, authors_end), year=int(year[1]) if year else None)


_FIRST_YEAR = re.compile(
    rf"[\s.,]\s?\(({_YEAR})(?:/{_YEAR})?[a-z]?(?:,[^()]{{1,40}})?\)[.,:;]?\s+|[.,\s]\s({_YEAR})[a-z]?[.,:]\s+"
    r"|\s\((?:n\.\s?d\.|in press|forthcoming|to appear)\)[.,:;]?\s+"
)


def _year_first(text: str) -> _Parts | None:
    """APA, ACL, Harvard, Chicago's author-date: the year stands between the authors and the title."""
    found = _FIRST_YEAR.search(text)
    if found is None:
        return None
    year = found[1] or found[2]
    end = _title_end(text, found.end())
    words = len(_WORD.findall(text[found.end() : end]))
    if words == 0 or not _reads_as_names(text[: found.start() + 1], lenient=words > 2):
        return None
    return _Parts(
        title=_sound(text, found.end(), end),
        authors=_names(text, 0, found.start() + 1),
        year=int(year) if year else None,
    )


_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽȘȚΑ-ΩА-Я]"
_PARTICLES = rf"(?:{PARTICLE}[\s-]){{0,3}}"
_FAMILY = rf"{_PARTICLES}(?:[Dd]['’])?{_CAPITAL}[\w'’]{{1,25}}(?:[-–]\w{{1,25}}){{0,3}}(?:\s{_CAPITAL}[\w'’-]{{2,25}})?"
# "Yu." and "Th." are initials; "Ba." ends "D. Kingma and J. Ba. Adam: a method".
_DIGRAPH = "Ch|Kh|Ph|Sh|Th|Ts|Ya|Yu|Zh"
_INITIALS = rf"(?:(?:{_DIGRAPH}|{_CAPITAL})\.[\s-]{{0,2}}){{1,5}}"
_SUFFIX = r"(?:,?\s(?:Jr|Sr)\.?|,?\sI{2,3}\b)?"
_INVERTED = re.compile(rf"{_FAMILY},?\s{_INITIALS}(?<=\.){_SUFFIX}|{_FAMILY},?\s{_INITIALS}{_SUFFIX}")
_UPRIGHT = re.compile(rf"{_INITIALS}{_FAMILY}{_SUFFIX}")
_BARE_INITIALS = re.compile(rf"{_FAMILY}\s{_CAPITAL}{{1,3}}(?=\s?[,.;:]|\s(?:and|&)\s){_SUFFIX}")
_SEPARATOR = re.compile(r"\s?[,;]?\s(?:and|&|und|et)\s|\s?[,;]\s(?:and\s|&\s)?|\s?[,;]\s?(?=[A-Z])")
_ET_AL = re.compile(r"[,;]?\s?(?:and\s)?(?:et\s?al\b\.?|others\b)", re.IGNORECASE)
_AFTER_NAMES = re.compile(r"\s?\((?:eds?|Eds?|editors?)\.?\)|,?\s[Ee]ds?\.(?=[,\s])")


def _names_first(text: str) -> _Parts | None:
    """Vancouver, Nature, Springer, plain BibTeX: names with initials, then the title; the year stands late."""
    place = len(text) - len(text.lstrip())
    authors: list[_Place] = []
    while True:
        found = _INVERTED.match(text, place) or _BARE_INITIALS.match(text, place) or _UPRIGHT.match(text, place)
        if found is None:
            break
        end = found.start() + len(found[0].rstrip())
        authors.append((found.start(), end))
        place = end
        following = _SEPARATOR.match(text, place)
        if following is None:
            break
        place = following.end()
    if not authors:
        return None
    # Where the last separator led to no name, the title follows it.
    after_comma = text[authors[-1][1] : place].strip() == ","
    if found := _ET_AL.match(text, authors[-1][1]):
        after_comma, place = False, found.end()
    if found := _AFTER_NAMES.match(text, authors[-1][1]):
        after_comma, place = False, found.end()
    if after_comma:
        return _Parts(title=_sound(text, place, _title_before_comma(text, place)), authors=tuple(authors))
    if (
        not after_comma
        and place > authors[-1][1]
        and text[authors[-1][1] : place].strip() in (";", "and", "&", ", and", ", &")
    ):
        return None  # A list of names with one that no rule knows: where the title begins is anybody's guess.
    closed = text[place - 1] == "."
    punctuation = re.compile(r"[.:,]?\s{1,3}" if closed else r"\s?[.:,]\s{1,3}").match(text, place)
    if punctuation is None:
        return None
    start = punctuation.end()
    year = re.compile(rf"\(?({_YEAR})[a-z]?\)?[.,:]\s+").match(text, start)
    start = year.end() if year else start
    return _Parts(
        title=_sound(text, start, _title_end(text, start)),
        authors=tuple(authors),
        year=int(year[1]) if year else None,
    )


_FULL_NAME = re.compile(rf"{_CAPITAL}[\w'’.-]*(?:\s(?:{_PARTICLES}){_CAPITAL}[\w'’.-]*){{1,4}}")


def _full_names_first(text: str) -> _Parts | None:
    """Plain BibTeX with given names in full: Ada Lind, Bo Wu, and Cy Roe. The title. In ..."""
    start = len(text) - len(text.lstrip())
    end = _sentence_end(text, start)
    sentence = _ET_AL.sub("", text[start:end])
    names = [name for name in re.split(r",\s(?:and\s)?|\sand\s|\s&\s", sentence) if name.strip()]
    if len(names) < 2 or not all(_FULL_NAME.fullmatch(name.strip()) for name in names):
        return None
    begin = end + 1
    year = re.compile(rf"\s*\(?({_YEAR})[a-z]?\)?[.,:]\s+").match(text, begin)
    begin = year.end() if year else begin
    title = _sound(text, begin, _title_end(text, begin))
    return _Parts(title=title, authors=_names(text, start, end), year=int(year[1]) if year else None)


def _untitled(text: str) -> _Parts | None:
    """APA without an author: The title. (2020). An address."""
    found = re.search(rf"\.\s\(({_YEAR}|n\.d\.)[^()]{{0,30}}\)\.?\s*", text)
    if found is None or _WORD.search(text, found.end()):
        return None
    year = int(found[1]) if found[1].isdigit() else None
    return _Parts(title=_sound(text, 0, found.start()), year=year)


# Titles.

_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_END = frozenset(
    (
        *("vs", "e.g", "i.e", "cf", "st", "no", "vol", "vols", "dr", "mr", "mrs", "ms", "prof", "al", "fig", "figs"),
        *(
            "eq",
            "eqs",
            "ed",
            "eds",
            "approx",
            "resp",
            "spp",
            "sp",
            "subsp",
            "var",
            "ca",
            "inc",
            "ltd",
            "jr",
            "sr",
            "pp",
        ),
    )
)
# Venues that begin in lower case: "eLife", "arXiv preprint".
_PREPRINT = re.compile(r"\s(?:[a-z]{1,3}[A-Z]|npj\s|(?i:arxiv|biorxiv|medrxiv|eprint|preprint|https?))")
_VENUE_NEXT = re.compile(r"\s[A-Z][^.?!,]{3,80},\s?\d")
_INITIALISM = re.compile(r"(?:[A-Z]\.)+[A-Z]")
_STOP = re.compile(r"[.?!。？！](?=[\s”\"’)]|$)")


def _sentence_end(text: str, start: int) -> int:
    """Where the sentence that begins at `start` has its full stop."""
    for found in _STOP.finditer(text, start):
        at = found.start()
        word = text[max(start, at - 12) : at].rpartition(" ")[2].lstrip("([“\"'")
        rest = text[found.end() : found.end() + 3].lstrip()
        if found[0] == ".":
            if word.lower() in _NO_END:
                continue
            # An initial, "E. coli", "U.S. policy"; but "maps in R. Mathematics, 9(11)" has ended.
            initial = (len(word) == 1 and word.isupper() and rest[:1].isalpha()) or _INITIALISM.fullmatch(word)
            if initial and not _VENUE_NEXT.match(text, found.end()):
                continue
            if rest[:1].islower() and not _PREPRINT.match(text, found.end()):
                continue
        return at
    return len(text)


_VENUE = re.compile(r"\s*(?:In\b|In:|arXiv|CoRR|Proc|PhD|Ph\.D|Master|Tech|Journal|Advances|[^.?!]{2,90}?[\d])")


def _title_end(text: str, start: int) -> int:
    """Where a title that begins at `start` ends."""
    end = _sentence_end(text, start)
    # "Can machines think? An essay. Mind 59": what follows a question is the venue only where it reads as one.
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
    """Where a title ends in the styles that set it off by commas; `start` where no venue can be told from it."""
    for found in re.finditer(r",\s", text[start : start + 600]):
        at = start + found.start()
        segment = text[start + found.end() :][:160]
        if len(_WORD.findall(text[start:at])) >= 3 and re.match(
            r"in:?\s|in\sProc|arXiv\b|CoRR\b|Ph\.?\s?D\b|(?:[A-Z][\w.&’'-]*[\s:]{1,2}(?:of\s|and\s|the\s|for\s|in\s|on\s|&\s)*){1,12}[A-Z]?\d+\s?[(,]",
            segment,
        ):
            return at
    return start


_TAIL = re.compile(r"\s*[(\[][^()\[\]]{1,200}[)\]]\s*$")
_EXTRA = re.compile(
    r"\beds?\.|edition|\blatest\b|Vol|version|software|data ?set|thesis|No\.|pp\.|\[|arXiv|preprint", re.IGNORECASE
)
_NOT_A_TITLE = re.compile(
    r"in:?\s|proc(?:\.|eedings)|et al|pp?\.\s?\d|vol(?:\.|ume)\s?\d|retrieved|accessed|available|arxiv\b"
    r"|ph\.?d|https?:|doi\b|eds?\.|doctoral|master['’]?s thesis",
    re.IGNORECASE,
)


def _sound(text: str, start: int, end: int) -> _Place:
    """The place of a title without what surrounds it; nothing where it does not read as a title."""
    while start < end and text[start] in " .,:;“”\"'‘’`*_(-–":
        start += 1
    # "(Version 1.2) [Computer software]", "(2nd ed.)".
    for _ in range(2):
        tail = _TAIL.search(text, max(start, end - 220), end)
        if tail and _EXTRA.search(tail[0]):
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
    # "Smith, J., Roe" and "Nature 12": the beginning was misjudged.
    if re.match(rf"{_CAPITAL}[\w'’-]+,\s{_CAPITAL}\.", title) or re.fullmatch(r"[A-Z][\w. ]{2,30}\s\d{1,3}", title):
        return (0, 0)
    return start, end


# Names.

_BETWEEN_NAMES = frozenset(("and", "und", "et", "others", "ed", "eds", "editor", "editors"))
_GROUP_WORDS = frozenset(["of", "the", "for", "on", "in", "at", "to"])


def _reads_as_names(text: str, lenient: bool = False) -> bool:
    """Whether a stretch at the beginning of a reference holds names and nothing else: few words in lower case."""
    words = re.findall(r"[^\W\d_][^\s,;()]*", text)
    if not words or len(text) > 2_500:
        return False
    lower = [word.strip(".'’") for word in words if word[0].islower()]
    odd = [word for word in lower if not is_particle(word) and word not in _BETWEEN_NAMES]
    grouped = [word for word in odd if word in _GROUP_WORDS]
    # "United Nations Office for the Coordination of Aid": small words between capitals, and no sentence ends inside.
    # A year and a title follow: then "the R development team" and a lone "csqrs" among many names are authors too.
    allowed = max(3 if len(words) < 8 else 0, len(words) // 10) if lenient else 0
    if len(odd) > len(grouped) + allowed or len(grouped) > max(2, len(words) // 3):
        return False
    if len(odd) > 0 and re.search(r"[^\W\d_]{3,}\.\s\S", text.strip()):
        return False
    # A full stop after a full word, with more behind it, ends a list of names: "Smith J. Deep Learning. Nature 2020".
    inner = [found for found in re.finditer(r"[a-z]{3,}\.\s+(?=\S)", text.rstrip(" .,(")) if text[found.end()] != "("]
    return not inner or (len(inner) == 1 and bool(_ET_AL.search(text)))


_CUT = re.compile(r"\s*;\s*(?:and\s|&\s)?|\s*[,，、]\s*(?:and\s|&\s|…\s?|\.\s?\.\s?\.\s?)?|\s+(?:and|&|und)\s+|\s*…\s*")
_ONLY_INITIALS = re.compile(rf"(?:(?:{_DIGRAPH}|{_CAPITAL})\.?[\s-]{{0,2}}){{1,5}}(?:Jr\.?|Sr\.?|I{{2,3}})?")
_ROLE = re.compile(r"\s*[(\[]?\b(?:eds?|editors?|dirs?|trans)\b\.?[)\]]?\s*$", re.IGNORECASE)


def _names(text: str, start: int, end: int, inverted: bool = True) -> tuple[_Place, ...]:
    """The names in a list of authors, however it is punctuated; `inverted`: a comma may stand inside a name."""
    if CHINESE_CHARACTER.search(text, start, end):
        found = (_trimmed(text, *place) for place in chinese_names(text, start, end))
        return tuple(place for place in found if place[1] > place[0])
    segment = _ROLE.sub("", text[start:end].rstrip(" ,:;("))
    found_et_al = _ET_AL.search(segment)
    if found_et_al and not segment[found_et_al.end() :].strip(" .,"):
        segment = segment[: found_et_al.start()]
    end = start + len(segment)
    pieces = _cut(text, start, end, only_semicolons=";" in segment)
    if ";" not in segment and inverted:
        pieces = _paired(text, pieces)
    return tuple(place for place in (_trimmed(text, *piece) for piece in pieces) if place[1] > place[0])


def _cut(text: str, start: int, end: int, only_semicolons: bool) -> list[_Place]:
    pieces: list[_Place] = []
    place = start
    for found in _CUT.finditer(text, start, end):
        if only_semicolons and "," in found[0]:
            continue
        pieces.append((place, found.start()))
        place = found.end()
    pieces.append((place, end))
    return [(begin, close) for begin, close in pieces if text[begin:close].strip(" .")]


def _paired(text: str, pieces: list[_Place]) -> list[_Place]:
    """Family names joined with the initials or given names that a comma cut off."""
    words = [text[start:end].strip() for start, end in pieces]
    joined: list[_Place] = []
    at = 0
    chicago = len(words) > 1 and " " not in words[0] and not _ONLY_INITIALS.fullmatch(words[1])
    # "Lind, Ada, and Bo Wu": only the first is inverted. "Lind, Ada, Wu, Bo": all are.
    all_inverted = chicago and len(words) % 2 == 0 and all(" " not in word for word in words[::2])
    while at < len(pieces):
        following = words[at + 1] if at + 1 < len(words) else ""
        takes = bool(following) and (
            (_ONLY_INITIALS.fullmatch(following) is not None and _ONLY_INITIALS.fullmatch(words[at]) is None)
            or following.rstrip(".") in ("Jr", "Sr", "II", "III")
            or (all_inverted and at % 2 == 0)
            or (chicago and at == 0)
        )
        end = at + 1 if takes else at
        joined.append((pieces[at][0], pieces[end][1]))
        at = end + 1
    return joined


def _trimmed(text: str, start: int, end: int) -> _Place:
    while start < end and text[start] in " .,;:&":
        start += 1
    while end > start and text[end - 1] in " ,;:(":
        end -= 1
    # The full stop of "Wu, B." is the initial's; that of a group or a full name closes the list.
    if text[start:end].endswith(".") and not re.search(rf"(?:\b{_CAPITAL}|\b(?:{_DIGRAPH})|Jr|Sr)\.$", text[start:end]):
        end -= 1
    return start, end

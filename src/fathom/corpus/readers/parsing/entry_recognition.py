"""Whether the items of a reference list are references: notices and footnotes are not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from fathom.corpus.readers.parsed_document import ParsedReference
from fathom.corpus.readers.parsing.reference_names import CAPITAL
from fathom.corpus.readers.parsing.text_cleanup import plain
from fathom.corpus.readers.words import read_words, word_pattern
from fathom.records.names import CHINESE, PARTICLE

_WORDS = read_words("references")

MAX_ODD_SHARE = 0.1
"""The largest share of items without the marks of a reference in a list that is trusted."""

_MAX_LENGTH = 1_500
"""Characters of an item that are examined."""

_NOTICE = word_pattern(_WORDS["notice"])
_YEAR = re.compile(r"(?<![\d/.:-])(?:1[5-9]\d\d|20\d\d)[a-z]?(?![\d/]|\.\d)|\bin press\b|\bforthcoming\b|\bn\.\s?d\.")
_NAME_WORD = rf"(?:{PARTICLE}[\s-]|[dDlLO]['’]|al-)*{CAPITAL}[\w'’-]+"
_NAME = re.compile(
    rf"\W{{0,3}}(?:"
    rf"{_NAME_WORD}(?:\s{_NAME_WORD})?,?\s(?:{CAPITAL}[.\s,;]|{CAPITAL}{{1,3}}[,.;:\s])"  # Lind, K.; Lind KA
    rf"|(?:{CAPITAL}\w?\.[\s-]?){{1,4}}{_NAME_WORD}"  # K. A. Lind
    rf"|{_NAME_WORD},\s{_NAME_WORD}"  # Lind, Ada
    rf"|{_NAME_WORD}(?:\s(?:{CAPITAL}\.|{_NAME_WORD})){{1,3}}(?:,|\.|\sand\s|\s&\s|\set\sal|\s\(\d)"  # Ada K. Lind,
    rf"|{_NAME_WORD}(?:\sand\s{_NAME_WORD}|\set\sal\.?)?,?\s[(\[]?\d{{4}}"  # Lind et al. (2014)
    rf"|[{CHINESE}]{{2,4}}[,，.．、:：等])"
)
_IDENTIFIER = re.compile(
    r"https?://|www\.|\bdoi\b|\b10\.\d{4,9}/|\barxiv\b|\bISBN\b|\bPMID\b|\bPMC\d|\bRFC\s?\d|\bPEP\s\d", re.IGNORECASE
)
_VENUE = word_pattern(_WORDS["venue"], 0)
_QUOTED = re.compile(r"[“\"«《‘`][^”\"»》]{6,300}[”\"»》’']")
_ADDRESS = re.compile(r"<?(?:https?://|www\.)\S+")
_SENTENCE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|should|we|our|us|you|it|they|this)\b")


def looks_like_entry(entry: ParsedReference) -> bool:
    """Return whether an item has at least two marks of a reference, such as a name and a year, and is not a notice."""
    text = entry.text[:_MAX_LENGTH]
    if is_notice(text):
        return False
    if entry.tagged or any(scheme in entry.ids for scheme in ("doi", "arxiv", "pmid", "pmcid", "pep")):
        return True
    # Two are enough: the later ones are rarely searched for.
    return len(list(islice(filter(None, _marks(entry, text)), 2))) == 2


def _marks(entry: ParsedReference, text: str) -> Iterator[bool]:
    yield entry.year is not None or bool(_YEAR.search(text))
    yield bool(entry.authors) or bool(_NAME.match(text))
    yield bool(entry.title) or bool(_QUOTED.search(text))
    yield bool(_IDENTIFIER.search(text))
    yield bool(_VENUE.search(text))
    yield _is_named_page(text)


def _is_named_page(text: str) -> bool:
    """Return whether an item is the name of a web page and its address, not a remark with a link."""
    name, links = _ADDRESS.subn(" ", text)
    words = re.findall(rf"[^\W\d_]{{2,}}|[{CHINESE}]{{2}}", name)
    return links > 0 and len(words) >= 1 and not _SENTENCE.search(name)


def is_notice(text: str) -> bool:
    """Return whether an item is a notice: copyright, permission, dates of the manuscript, thanks."""
    return _NOTICE.match(text[:_MAX_LENGTH]) is not None


@dataclass(frozen=True)
class NumberedEntry:
    """An entry with its printed number: its position in the list, blank items included."""

    number: int
    reference: ParsedReference
    text: str
    """The entry as it is written: its text in plain form."""


@dataclass(frozen=True)
class CheckedList:
    """A reference list without the notices at its ends."""

    entries: tuple[NumberedEntry, ...]
    notices: tuple[str, ...]
    """Notices printed at the beginning or the end of the list, which belong to the body."""
    doubt: str
    """Why it may not be a list of references; empty if it is."""


def check_list(items: Sequence[ParsedReference]) -> CheckedList:
    """Separate the entries of a list from the notices around them; a blank item has a number but is not an entry."""
    printed = [
        NumberedEntry(number, item, text) for number, item in enumerate(items, start=1) if (text := plain(item.text))
    ]
    start, end = 0, len(printed)
    while start < end and is_notice(printed[start].reference.text):
        start += 1
    while end > start and is_notice(printed[end - 1].reference.text):
        end -= 1
    return CheckedList(
        entries=tuple(printed[start:end]),
        notices=tuple(item.reference.text for item in (*printed[:start], *printed[end:])),
        doubt=_doubt([item.reference for item in printed[start:end]], bool(printed)),
    )


_INNER_NUMBER = re.compile(
    r"(?:(?:19|20)\d\d|[.\])\d])\s(?:(\d{1,3})\.|\[(\d{1,3})\])\s(?=[^\W\d_a-z][\w'’-]+,?\s[^\W\d_a-z])"
)


def _is_joined(text: str, number: int) -> bool:
    """Return whether an entry contains the number of the next one, before a name: "... 2001. 2. Lind A. ..."."""
    if str(number + 1) not in text:
        return False
    inner = (int(match[1] or match[2]) for match in _INNER_NUMBER.finditer(text[:_MAX_LENGTH], 20))
    return number + 1 in inner


def _doubt(entries: Sequence[ParsedReference], listed: bool) -> str:
    if not entries:
        return "the reference list has no entries" if listed else ""
    odd = [item for item in entries if not looks_like_entry(item)]
    if any(is_notice(item.text) for item in odd):
        return "the reference list contains notes"
    if any(_is_joined(item.text, number) for number, item in enumerate(entries, start=1)):
        return "two entries of the reference list may have been joined"
    if len(odd) > MAX_ODD_SHARE * len(entries):
        return "items of the reference list do not look like references"
    return ""

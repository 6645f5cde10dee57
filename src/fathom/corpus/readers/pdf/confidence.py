"""Which fields of a PDF are not certain, and why. They are unknown: no question is built on them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from statistics import median

from fathom.corpus.readers.parsed_document import Block, Heading, Paragraph, ParsedDocument, ParsedReference
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.parsing.entry_recognition import looks_like_entry
from fathom.corpus.readers.parsing.reference_strings import parse_reference
from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.citations import CitationFinder
from fathom.corpus.readers.pdf.headings import KNOWN_HEADING, may_be_heading
from fathom.corpus.readers.pdf.reading_order import ENDED, OrderedLines
from fathom.records.documents import FieldName
from fathom.records.names import is_particle, without_accents

_MAX_STRANGE = 0.05
"""Share of entries that may not look like references. Websites without a year are common."""
_MAX_UNRESOLVED = 0.05
"""Share of citations that may point to no entry."""
_MAX_UNCITED = 0.1
"""Share of entries that no citation points to, beyond which citations were probably overlooked."""


def mark_unknown(document: ParsedDocument, finder: CitationFinder, lines: OrderedLines, text: Sequence[int]) -> None:
    """Set the reasons why fields are unknown, where they are not certain. `text` are the lines of the text."""
    doubts: dict[FieldName, str] = {
        "abstract": _abstract_doubt(document.abstract),
        "references": _references_doubt(document.references, finder) or _outside_doubt(document.body),
        "citations": _citations_doubt(document.references, finder),
        "sections": _sections_doubt(document.body)
        or ("a line of the text may be a heading" if any(may_be_heading(lines, number) for number in text) else ""),
    }
    if doubts["references"] and not doubts["citations"]:
        doubts["citations"] = "the reference list is not certain"
    document.unknown |= {name: doubt for name, doubt in doubts.items() if doubt}


_MIN_ABSTRACT, _MAX_ABSTRACT = 20, 600
"""Words of an abstract. A longer one probably includes part of the text."""
_NOT_ABSTRACT = re.compile(
    r"\S@\S+\.\w|©|\bpermission to make\b|\ball rights reserved\b|\bcorresponding author\b", re.I
)


def _abstract_doubt(abstract: Sequence[Block]) -> str:
    """Return why an abstract may be cut, or may contain something else."""
    paragraphs = [inlines_text(block.inlines).strip() for block in abstract if isinstance(block, Paragraph)]
    if not paragraphs:
        return ""
    text = " ".join(paragraphs)
    if len(paragraphs) < len(abstract) or _NOT_ABSTRACT.search(text):
        return "the abstract may contain other text"
    words = len(text.split()) + len(re.findall(r"[一-鿿]", text)) // 2
    if not _MIN_ABSTRACT <= words <= _MAX_ABSTRACT:
        return "the abstract has an unusual length"
    # The mark of a footnote may follow the last sentence, which may end with an address.
    end = re.sub(r"(?:\s?\d{1,2}|[*∗†‡])$", "", strip_marks(text))
    if text[0].islower() or not (ENDED.search(end) or re.search(r"(?:https?:|www\.)\S+$", end)):
        return "the abstract may be cut"
    return ""


def _references_doubt(references: Sequence[ParsedReference], finder: CitationFinder) -> str:
    if not references:
        return "no reference list was found"
    strange = [entry for entry in references if not looks_like_entry(entry)]
    if len(strange) > _MAX_STRANGE * len(references):
        return "entries of the list do not look like references"
    lengths = [len(entry.text) for entry in references]
    if any(_is_merged(entry, median(lengths)) for entry in references):
        return "two entries of the list may have been joined"
    if references[0].key.isdigit():
        return "citations point beyond the end of the list" if finder.beyond else ""
    return "" if _is_sorted(references) else "the entries of the list are not sorted by name"


def _outside_doubt(body: Sequence[Block]) -> str:
    """Return why entries may be missing: a heading that looks like one, in a list that is larger than the text."""
    headings = (inlines_text(block.inlines).strip() for block in body if isinstance(block, Heading))
    parsed = map(parse_reference, headings)
    return "a heading looks like an entry of the list" if any(one.authors and one.year for one in parsed) else ""


def _is_merged(entry: ParsedReference, usual: float) -> bool:
    """Return whether an entry is much longer than the others and has several years."""
    years = set(re.findall(r"\b(?:19|20)\d\d\b", entry.text))
    return len(entry.text) > 2.5 * usual + 80 and len(years) > 2


def _is_sorted(references: Sequence[ParsedReference]) -> bool:
    """Return whether entries are in alphabetical order, but for a few: a cut entry would start anywhere."""
    best = min(
        sum(max(after) < min(before) for before, after in itertools.pairwise(keys))
        for keys in (list(map(_first_word, references)), list(map(_family_names, references)))
    )
    return best <= 1 + 0.05 * len(references)


def _first_word(reference: ParsedReference) -> list[str]:
    return [_plain(word) for word in _WORD.findall(reference.text)[:1]] or [""]


def _family_names(reference: ParsedReference) -> list[str]:
    """Return the first author's family name, if the entry starts with a given name, with and without a particle."""
    without_initials = re.sub(r"\b[^\W\d_]\.\s?", "", reference.text[:200])
    words = _WORD.findall(re.split(r",|\sand\s|\.\s|\s\(|\set\sal", without_initials, maxsplit=1)[0])
    start = len(words) - 1
    while start > 0 and is_particle(words[start - 1]):
        start -= 1
    # Some tools sort "Ø" after "z", others as "o".
    return [form for word in words[start:] for form in (_plain(word), word.casefold())] or [""]


_WORD = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*")


def _plain(word: str) -> str:
    return without_accents(word).casefold()


def _citations_doubt(references: Sequence[ParsedReference], finder: CitationFinder) -> str:
    if not references:
        return "no reference list was found"
    if not finder.resolved:
        return "no citation was found"
    if finder.unresolved > _MAX_UNRESOLVED * finder.found:
        return "citations point to no entry of the list"
    if finder.unlocated > _MAX_UNRESOLVED * finder.found:
        return "text that looks like citations matches no entry"
    uncited = sum(entry.key not in finder.resolved for entry in references)
    return "many entries of the list are never cited" if uncited > max(1, _MAX_UNCITED * len(references)) else ""


_NUMBERED = re.compile(r"(\d{1,2}|[IVX]{1,5})(?:\.|\s|$)(?!\d)")
_ROMAN = {"I": 1, "V": 5, "X": 10}


def _sections_doubt(body: Sequence[Block]) -> str:
    headings = [inlines_text(block.inlines).strip() for block in body if isinstance(block, Heading)]
    if not headings:
        return "no headings were found"
    numbers = [_number(match[1]) for text in headings if (match := _NUMBERED.match(text))]
    if not numbers:
        return ""
    if numbers != list(range(1, len(numbers) + 1)):
        return "numbered headings are missing"
    # A line between numbered headings that has no number is a heading of another kind, or none at all.
    last = max(at for at, text in enumerate(headings) if _NUMBERED.match(text))
    plain = [text for text in headings[:last] if not re.match(r"\d|[IVX]+\.|[A-Z]\.\s", text)]
    return "some headings have no number" if any(not KNOWN_HEADING.fullmatch(text) for text in plain) else ""


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    values = [_ROMAN[letter] for letter in text]
    return sum(-value if value < after else value for value, after in itertools.pairwise([*values, 0]))

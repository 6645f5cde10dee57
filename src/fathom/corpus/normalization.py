"""Ids, titles and names in normal form, as they are compared, and the similarity of two titles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from urllib.parse import unquote

from fathom.corpus.readers.parsing.identifiers import trimmed_doi
from fathom.records.names import without_accents

# Ids.

_ADDRESS = re.compile(r"^\s*(?:https?://)?(?:www\.|dx\.)?(?:doi\.org/|arxiv\.org/(?:abs|pdf)/)?\s*", re.IGNORECASE)
_LABEL = re.compile(r"^(?:doi|arxiv|pmid|pmcid|pep)\s*[:\s]\s*", re.IGNORECASE)
_ARXIV = re.compile(r"^(?:(\d{4}\.\d{4,5})|([a-z-]+)(?:\.[a-z]{2})?/(\d{7}))(?:v\d{1,3})?(?:\.pdf)?$")
_ARXIV_DOI = "10.48550/arxiv."
_DOI_IN_TEXT = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]{2,200}")
_ARXIV_IN_TEXT = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf)/|\s?:\s?)([a-z.-]{0,12}/?\d[\d.]{5,10}\d)(?!\d)", re.IGNORECASE
)


def normal_id(scheme: str, value: str) -> str | None:
    """An id in normal form, with its scheme: "doi:10.1000/xyz"; None if it is not a valid id."""
    value = _LABEL.sub("", _ADDRESS.sub("", unicodedata.normalize("NFKC", value)).strip()).strip()
    scheme = scheme.casefold()
    if scheme == "doi":
        return _normal_doi(value)
    if scheme == "arxiv":
        match = _ARXIV.match(value.casefold())
        return f"arxiv:{match[1] or f'{match[2]}/{match[3]}'}" if match else None
    if scheme in ("pmid", "pmcid", "pep"):
        # PMC ids occur with and without the prefix "PMC", and with a version after a dot.
        digits = value.casefold().removeprefix("pmc").partition(".")[0].strip()
        return f"{scheme}:{int(digits)}" if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
    plain = " ".join(value.casefold().split())
    return f"{scheme}:{plain}" if plain else None


def _normal_doi(value: str) -> str | None:
    doi = trimmed_doi(unquote(value).casefold())
    if doi.startswith(_ARXIV_DOI):
        return normal_id("arxiv", doi.removeprefix(_ARXIV_DOI))
    return f"doi:{doi}" if re.match(r"10\.\d{4,9}(?:\.\d+)*/\S", doi) else None


_DOI_PARTS = tuple(
    re.compile(f"(doi:{work})(?:{part})$")
    for work, part in (
        (r"10\.7554/elife\.\d+", r"\.(?:\d{1,3}|sa\d{1,2})|v\d{1,2}"),
        (r"10\.1371/journal\.\w{4,5}\.\d{7}", r"\.[gtse]\d{3}"),
        (r"10\.12688/[a-z0-9]+\.\d+", r"\.\d{1,2}"),
        (
            r"10\.1101/(?:\d{4}\.\d{2}\.\d{2}\.)?\d{6,8}",
            r"(?:v\d{1,2})?(?:\.(?:full|abstract|supplementary)[\w.-]*)?",
        ),
        (r"10\.21203/rs\.\d\.(?:rs-)?\d+", r"/v\d{1,2}"),
        (r"10\.20944/preprints\d{6}\.\d{4}", r"\.v\d{1,2}"),
        (r"10\.7717/peerj(?:-cs)?\.\d+", r"/(?:fig|table|supp)-\d{1,3}"),
        (r"10\.312(?:34|19|35)/osf\.io/\w{4,8}", r"_v\d{1,2}"),
        (r"10\.26434/chemrxiv[.-][\w-]+?", r"[.-]v\d{1,2}"),
        (r"10\.22541/au\.\d+\.\d+", r"/v\d{1,2}"),
        (r"10\.36227/techrxiv\.\d+(?:\.\d+)?", r"[./]v\d{1,2}"),
        (r"10\.6084/m9\.figshare\.\d+", r"\.v\d{1,2}"),
        (r"10\.3389/[a-z]+\.\d{4}\.\d+", r"/(?:full|abstract|pdf)"),
    )
)
"""DOIs of versions, figures, tables and supplements, of publishers who derive them from the DOI of the work."""


def base_id(id: str) -> str:
    """The id of the work that a version or a component belongs to; the id itself if it is neither."""
    if not id.startswith("doi:"):
        return id
    return next((match[1] for pattern in _DOI_PARTS if (match := pattern.match(id))), id)


def normal_ids(ids: Mapping[str, str], text: str = "") -> list[str]:
    """The ids in normal form, most reliable first, including a DOI or arXiv id from `text`."""
    all_ids = dict(ids)
    if text:
        if "doi" not in all_ids and (doi := _DOI_IN_TEXT.search(text)):
            all_ids["doi"] = doi[0]
        if "arxiv" not in all_ids and (arxiv := _ARXIV_IN_TEXT.search(text)):
            all_ids["arxiv"] = arxiv[1]
    order = ("doi", "arxiv", "pmid", "pmcid")
    schemes = sorted(all_ids, key=lambda scheme: (order.index(scheme) if scheme in order else len(order), scheme))
    normal = (normal_id(scheme, all_ids[scheme]) for scheme in schemes if all_ids[scheme])
    return list(dict.fromkeys(id for id in normal if id is not None))


# Titles and names.

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,60}>")
_LATEX = re.compile(r"\\(?:text\w{0,6}|emph|math\w{2,4}|it|bf|rm|sc)\b|\\(?=[A-Za-z])|[{}$]")
_WORD = re.compile(r"[^\W_]+")
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
)
_GREEK = dict(zip(map(ord, "αβγδεζηθικλμνξοπρστυφχψω"), _GREEK_NAMES.split(), strict=True))


def normal_title(title: str) -> str:
    """The words of a title in lower case, without markup, accents and punctuation; Greek letters are spelled out."""
    if not title.isascii():
        title = without_accents(unicodedata.normalize("NFKC", title))
    if "<" in title:
        title = _TAG.sub("", title)
    if "\\" in title or "{" in title or "$" in title:
        title = _LATEX.sub("", title)
    title = title.replace("&", " and ").casefold().replace("ς", "σ")
    return " ".join(_WORD.findall(title if title.isascii() else title.translate(_GREEK)))


def _is_chinese(letter: str) -> bool:
    """Whether a letter is Chinese or of another script without spaces between words."""
    return "\u2e80" <= letter <= "\u9fff" or letter >= "\uf900"


def word_count(words: str) -> int:
    """The number of words of a normal title; two Chinese characters count as one."""
    if words.isascii():
        return words.count(" ") + 1 if words else 0
    return sum(max(1, sum(map(_is_chinese, word)) // 2) for word in words.split())


def normal_family(name: str) -> str:
    """A family name in the form in which it is compared: letters and digits only."""
    return "".join(_WORD.findall(without_accents(name).casefold()))


def has_author(families: Sequence[str], words: str) -> bool:
    """Whether one of the normal family names is in `words`, which `author_words` returned."""
    return any(f" {family} " in words for family in families)


def author_words(authors: Iterable[str]) -> str:
    """Every word of the names, and every two and three adjacent words joined, as family names are in normal form."""
    joined: list[str] = []
    for author in authors:
        words = _WORD.findall(without_accents(author).casefold())
        joined.extend(words)
        joined.extend(left + right for left, right in pairwise(words))
        joined.extend(map("".join, zip(words, words[1:], words[2:], strict=False)))
    return f" {' '.join(joined)} " if joined else ""


MIN_RATIO = 88.0
"""Minimum similarity of two titles, from 0 to 100, letter by letter, before their words are compared."""
_STOP_WORD_LIST = "a an the of and in on for to by from at as is are"
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
_NEVER_TYPOS = frozenset(("no", "not", "two", "out", "off"))
"""Words one typo away from a small word that change the meaning."""
_PREFIX = re.compile("an?|un|i[nmlr]|non|de|dis|anti|pre|post|sub|super|re|co")
"""Prefixes that make another word: "symmetric" and "asymmetric"."""
_NUMERAL = re.compile(r"[ivx]+|[a-z]")
_DIGITS = re.compile(r"\D+")
_SPELLING_VARIANT = re.compile(r"(?<=.)(?:s|e|es)$|(.)(?=\1)|(?<=o)u(?=r)|[ao](?=e)|(?<=og)ue$")


def letter_ratio(left: str, right: str, cutoff: float = 0) -> float:
    """The share of letters that two titles have in common in order, of 100; zero below the cutoff."""
    from rapidfuzz import fuzz

    return fuzz.ratio(left.replace(" ", ""), right.replace(" ", ""), score_cutoff=cutoff)


def similarity(first_title: str, second_title: str, known_words: Container[str] = frozenset()) -> float:
    """The similarity of two normal titles, of 100; zero if they differ by more than typos.

    "Part I" and "Part II", "in mice" and "in rats", "Registered report" and "Replication study" differ by whole words:
    such titles belong to companion papers by the same authors in the same year, so a letter ratio is not enough. Two
    words that are both in `known_words`, from other titles ("infection", "injection") are two words, however close.
    """
    score = letter_ratio(first_title, second_title, MIN_RATIO)
    if not score:
        return 0.0
    from rapidfuzz.distance import Levenshtein

    first_words, second_words = first_title.split(), second_title.split()
    changes = Levenshtein.opcodes(first_words, second_words)
    for differs, run in groupby(changes, key=lambda change: change.tag != "equal"):
        if differs and not _are_typos(
            [(first_words[c.src_start : c.src_end], second_words[c.dest_start : c.dest_end]) for c in run], known_words
        ):
            return 0.0
    return score


def _are_typos(run: Sequence[tuple[list[str], list[str]]], known_words: Container[str]) -> bool:
    """Whether adjacent changes are typos, each by itself or all taken as one."""
    if all(_is_variant(old, new, known_words) for old, new in run):
        return True
    return _is_variant([word for old, _ in run for word in old], [word for _, new in run for word in new], known_words)


def _is_variant(old: Sequence[str], new: Sequence[str], known_words: Container[str]) -> bool:
    """Whether some words may be a variant of others."""
    if _STOP_WORDS.issuperset(old) and _STOP_WORDS.issuperset(new):
        return True
    if "".join(old) == "".join(new):
        return True
    if len(old) == len(new) and all(
        _is_typo(old_word, new_word, known_words) for old_word, new_word in zip(old, new, strict=True)
    ):
        return True
    # A misplaced space ("setsi ze") affects two words at once.
    return max(len(old), len(new)) > 1 and _is_typo("".join(old), "".join(new), known_words)


def _is_typo(left: str, right: str, known_words: Container[str]) -> bool:
    """Whether two words are one word mistyped or in two spellings; different numbers are never a typo."""
    from rapidfuzz.distance import OSA

    if left == right or _one_spelling(left) == _one_spelling(right):
        return True
    if not left or not right or (_NUMERAL.fullmatch(left) and _NUMERAL.fullmatch(right)):
        return False
    if _STOP_WORDS.isdisjoint((left, right)) and left in known_words and right in known_words:
        return False
    if not _NEVER_TYPOS.isdisjoint((left, right)) or _DIGITS.sub("", left) != _DIGITS.sub("", right):
        return False
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    if longer.endswith(shorter) and _PREFIX.fullmatch(longer.removesuffix(shorter)):
        return False
    return OSA.distance(left, right) <= max(2 if len(shorter) > 4 else 1, len(longer) // 4)


def _one_spelling(word: str) -> str:
    """A word in one spelling: "tumours" and "tumor", "analyse" and "analyzes" give the same."""
    return _SPELLING_VARIANT.sub("", word.replace("z", "s")) if len(word) > 3 else word

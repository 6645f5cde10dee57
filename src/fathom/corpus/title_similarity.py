"""Similarity of two titles: whether they differ only by typos and spelling variants."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import groupby

MIN_RATIO = 88.0
"""Of 100: how much of two titles must agree, letter by letter, before their words are compared."""
_STOP_WORD_LIST = "a an the of and in on for to by from at as is are"
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
_NEVER_TYPOS = frozenset(("no", "not", "two", "out", "off"))
"""Words one typo away from a small word that change the meaning."""
_PREFIX = re.compile("an?|un|i[nmlr]|non|de|dis|anti|pre|post|sub|super|re|co")
"""Prefixes that make another word: "symmetric" and "asymmetric"."""
_NUMERAL = re.compile(r"[ivx]+|[a-z]")
_DIGITS = re.compile(r"\D+")
_SPELLING_VARIANT = re.compile(r"(?<=.)(?:s|e|es)$|(.)(?=\1)|(?<=o)u(?=r)|[ao](?=e)|(?<=og)ue$")


def letter_ratio(one: str, two: str, cutoff: float = 0) -> float:
    """The share of letters that two titles have in common in order, of 100; zero below the cutoff."""
    from rapidfuzz import fuzz

    return fuzz.ratio(one.replace(" ", ""), two.replace(" ", ""), score_cutoff=cutoff)


def similarity(one: str, two: str, known: Container[str] = frozenset()) -> float:
    """The similarity of two normal titles, of 100; zero if they differ by more than typos.

    "Part I" and "Part II", "in mice" and "in rats", "Registered report" and "Replication study" differ by whole words:
    such titles belong to companion papers by the same authors in the same year, so a letter ratio is not enough. Two
    words that are both `known` from other titles ("infection", "injection") are two words, however close.
    """
    score = letter_ratio(one, two, MIN_RATIO)
    if not score:
        return 0.0
    from rapidfuzz.distance import Levenshtein

    left, right = one.split(), two.split()
    changes = Levenshtein.opcodes(left, right)
    for differs, run in groupby(changes, key=lambda change: change.tag != "equal"):
        if differs and not _are_typos(
            [(left[c.src_start : c.src_end], right[c.dest_start : c.dest_end]) for c in run], known
        ):
            return 0.0
    return score


def _are_typos(run: Sequence[tuple[list[str], list[str]]], known: Container[str]) -> bool:
    """Whether adjacent changes are typos, each by itself or all taken as one."""
    if all(_is_variant(old, new, known) for old, new in run):
        return True
    return _is_variant([word for old, _ in run for word in old], [word for _, new in run for word in new], known)


def _is_variant(old: Sequence[str], new: Sequence[str], known: Container[str]) -> bool:
    """Whether some words may be a variant of others."""
    if _STOP_WORDS.issuperset(old) and _STOP_WORDS.issuperset(new):
        return True
    if "".join(old) == "".join(new):
        return True
    if len(old) == len(new) and all(_is_typo(one, two, known) for one, two in zip(old, new, strict=True)):
        return True
    # A misplaced space ("setsi ze") affects two words at once.
    return max(len(old), len(new)) > 1 and _is_typo("".join(old), "".join(new), known)


def _is_typo(one: str, two: str, known: Container[str]) -> bool:
    """Whether two words are one word mistyped or in two spellings; different numbers are never a typo."""
    from rapidfuzz.distance import OSA

    if one == two or _one_spelling(one) == _one_spelling(two):
        return True
    if not one or not two or (_NUMERAL.fullmatch(one) and _NUMERAL.fullmatch(two)):
        return False
    if _STOP_WORDS.isdisjoint((one, two)) and one in known and two in known:
        return False
    if not _NEVER_TYPOS.isdisjoint((one, two)) or _DIGITS.sub("", one) != _DIGITS.sub("", two):
        return False
    longer, shorter = (one, two) if len(one) > len(two) else (two, one)
    if longer.endswith(shorter) and _PREFIX.fullmatch(longer.removesuffix(shorter)):
        return False
    return OSA.distance(one, two) <= max(2 if len(shorter) > 4 else 1, len(longer) // 4)


def _one_spelling(word: str) -> str:
    """A word in one spelling: "tumours" and "tumor", "analyse" and "analyzes" give the same."""
    return _SPELLING_VARIANT.sub("", word.replace("z", "s")) if len(word) > 3 else word

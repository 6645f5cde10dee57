"""Whether two titles are one title with slips of the hand."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import groupby

ALIKE = 88.0
"""Of 100: how much of two titles must be the same, letter by letter, before their words are looked at."""
_SMALL_WORDS = "a an the of and in on for to by from at as is are"
_SMALL = frozenset(_SMALL_WORDS.split())
_NEVER_SLIPS = frozenset(("no", "not", "two", "out", "off"))
"""Words that a small word becomes by a slip, and that mean something."""
_TURNING = re.compile("an?|un|i[nmlr]|non|de|dis|anti|pre|post|sub|super|re|co")
"""What makes another word of a word it stands before: "symmetric" and "asymmetric"."""
_NUMERAL = re.compile(r"[ivx]+|[a-z]")
_DIGITS = re.compile(r"\D+")
_TWO_WAYS = re.compile(r"(?<=.)(?:s|e|es)$|(.)(?=\1)|(?<=o)u(?=r)|[ao](?=e)|(?<=og)ue$")


def ratio(one: str, two: str, cutoff: float = 0) -> float:
    from rapidfuzz import fuzz

    return fuzz.ratio(one.replace(" ", ""), two.replace(" ", ""), score_cutoff=cutoff)


def likeness(one: str, two: str, known: Container[str] = frozenset()) -> float:
    """How alike two normal titles are, of 100; zero where they differ by more than slips of the hand.

    "Part I" and "Part II", "in mice" and "in rats", "Registered report" and "Replication study" are whole words apart:
    such titles belong to companions by the same authors in the same year, so letters alone tell nothing. Two words
    that are both `known` from other titles ("infection", "injection") are two words, however near.
    """
    score = ratio(one, two, ALIKE)
    if not score:
        return 0.0
    from rapidfuzz.distance import Levenshtein

    left, right = one.split(), two.split()
    changes = Levenshtein.opcodes(left, right)
    for differs, run in groupby(changes, key=lambda change: change.tag != "equal"):
        if differs and not _are_slips(
            [(left[c.src_start : c.src_end], right[c.dest_start : c.dest_end]) for c in run], known
        ):
            return 0.0
    return score


def _are_slips(run: Sequence[tuple[list[str], list[str]]], known: Container[str]) -> bool:
    """Whether the changes beside one another are slips, each by itself or all taken as one."""
    if all(_is_slip(old, new, known) for old, new in run):
        return True
    return _is_slip([word for old, _ in run for word in old], [word for _, new in run for word in new], known)


def _is_slip(old: Sequence[str], new: Sequence[str], known: Container[str]) -> bool:
    """Whether these words may be meant to be those."""
    if _SMALL.issuperset(old) and _SMALL.issuperset(new):
        return True
    if "".join(old) == "".join(new):
        return True
    if len(old) == len(new) and all(_is_typo(one, two, known) for one, two in zip(old, new, strict=True)):
        return True
    # A blank that went astray ("setsi ze") spoils two words at once.
    return max(len(old), len(new)) > 1 and _is_typo("".join(old), "".join(new), known)


def _is_typo(one: str, two: str, known: Container[str]) -> bool:
    """Whether two words are one word mistyped, or spelled in two ways; numbers are never mistyped here."""
    from rapidfuzz.distance import OSA

    if one == two or _one_way(one) == _one_way(two):
        return True
    if not one or not two or (_NUMERAL.fullmatch(one) and _NUMERAL.fullmatch(two)):
        return False
    if _SMALL.isdisjoint((one, two)) and one in known and two in known:
        return False
    if not _NEVER_SLIPS.isdisjoint((one, two)) or _DIGITS.sub("", one) != _DIGITS.sub("", two):
        return False
    longer, shorter = (one, two) if len(one) > len(two) else (two, one)
    if longer.endswith(shorter) and _TURNING.fullmatch(longer.removesuffix(shorter)):
        return False
    return OSA.distance(one, two) <= max(2 if len(shorter) > 4 else 1, len(longer) // 4)


def _one_way(word: str) -> str:
    """A word spelled in one of the ways in which many are spelled: "tumours", "tumor"; "analyze", "analyzes"."""
    return _TWO_WAYS.sub("", word.replace("z", "s")) if len(word) > 3 else word

"""Statements without an answer: hedges ("4 or 5"), bounds ("at least 4") and "no answer"."""

from __future__ import annotations

import re

from fathom.scoring.parsing.normalization import normal

# A bound or a denial is not a value: "at least 4", "not 4".
BOUND = re.compile(
    r"(?:[<>≤≥≠]=?|\b(?:at (?:least|most)|(?:more|less|fewer|greater) than|not|never|isn't|up to|over|under|above|below"
    r"|between|either|from|or)) *\Z",
    re.IGNORECASE,
)
HEDGE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|wait|actually|correction|instead|rather|however|unless|guess"
    r"|not sure|on second thought|scratch that)\b",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|;\s+")
ASIDE = re.compile(r"(?<![ \t])[ \t]*\([^()\n]{0,300}\)")
NOTHING = frozenset(
    """
    null, none, nil, n/a, na, nothing, empty, empty list, empty set, not answerable, unanswerable, not applicable,
    not available, no answer, no result, no results, no match, no matches, not found, cannot be answered,
    cannot be determined, not determinable, not enough information, insufficient information,
    no such article, no such articles, no such author, no such authors, ∅, [], {}, (), \\{\\}, 无, 无法回答, 无法确定
    """.replace("\n    ", " ")
    .strip()
    .split(", ")
)
_SHOWN = (
    r"(?: (?:from|based|using|with|by|in|on|the|this|given|provided|available|articles?|context|text|documents?|data"
    r"|information))"
)
_CANNOT = re.compile(
    r"(?:(?:sorry|unfortunately),? )?(?:the question|this question|this|it|the answer)? ?(?:"
    r"(?:cannot|can not|can't|could not) be (?:answered|determined|derived|established|found)"
    rf"|is (?:not answerable|unanswerable)){_SHOWN}{{0,12}}"
)
# A cheap test that rules out nearly all other statements.
_MAY_SAY_NOTHING = re.compile(
    r"[\W_]{0,40}(?:text\w{0,2}\{)?(?:nu|ni|na\b|n/a|no(?:ne|t|thing|\b)|em|un|can|could|ins|it (?:can|is)|sorry|无|\Z"
    r"|(?:the|this) (?:question|answer|can))",
    re.IGNORECASE,
)
# The same for the first letter or digit, even cheaper.
_NEVER_FIRST = frozenset("0123456789abdfghjklmopqrvwxyzABDFGHJKLMOPQRVWXYZ")


def says_nothing(stated: str) -> bool:
    """Whether the statement says that there is no answer, without offering one as well."""
    if stated[:1] in _NEVER_FIRST or not _MAY_SAY_NOTHING.match(stated):
        return False
    if stated.isascii() and stated.isalpha():
        return normal(stated) in NOTHING  # one word, as "NULL"
    first, _, rest = stated.strip().partition("\n")
    head, *more = SENTENCE_END.split(ASIDE.sub("", first[:1000]).strip())
    form = normal(head)
    if form not in NOTHING and not _CANNOT.fullmatch(form):
        return False
    beside = " ".join([*more, rest]).strip()
    return not beside or (len(beside.split()) >= 3 and not HEDGE.search(beside))

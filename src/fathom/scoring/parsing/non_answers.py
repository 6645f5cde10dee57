"""Statements without an answer: hedges ("4 or 5"), bounds ("at least 4") and "no answer"."""

from __future__ import annotations

import re

from fathom.scoring.parsing.normalization import normal, plain

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
# "6 would be wrong", "3 can be excluded"
DENIED_AFTER = re.compile(
    r"[ \t*_`\"')]{1,4}(?:(?:would|could|must|should)? ?(?:is|are|was|were|be|seems?)(?: (?:also|clearly"
    r"|certainly|probably|likely|then)){0,2}"
    r" (?:wrong|incorrect|not\b|excluded|ruled out|eliminated|too|out\b|no (?:match|fit))"
    r"|(?:can|could|may|must|should) be (?:excluded|ruled out|eliminated|discarded|dismissed)"
    r"|(?:can't|cannot|can not|isn't|aren't|wasn't|weren't|(?:do|does|did)(?:n't| not)|(?:should|could"
    r"|would|must)(?:n't| not))\b)",
    re.IGNORECASE,
)
# "4, not 5", "NULL instead of 3": what follows is what the answer is not.
CONTRAST = re.compile(
    r",?[ \t]\(?(?:and |but )?(?:not|instead of|rather than|as opposed to)[ \t](?:[^,;.\n()]|[.,](?=\d)){1,80}\)?",
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
_KIND = (
    r"(?:articles?|papers?|documents?|works?|authors?|people|persons?|one|titles?|groups?|values?|entr(?:y"
    r"|ies)|names?|items?)"
)
_HOLDS = (
    r"(?:meets?|match(?:es)?|satisf(?:y|ies)|fulfills?|fulfils?|fits?|qualif(?:y|ies)|exists?|is|are|was"
    r"|were|has|have|had|cites?"
    r"|appears?|found|that|which|with|in|among|who|whose|to)"
)
_NO_MATCH = re.compile(
    r"(?:(?:so|therefore|thus|hence)[,:]? )?"
    rf"(?:there (?:is|are|was|were)(?: (?:none\b|not any\b)|n't any\b| no (?:such |matching "
    rf"|other )?{_KIND}\b).{{0,300}}"
    rf"|no (?:such |matching )?{_KIND} (?:at all )?{_HOLDS}\b.{{0,300}}|no (?:(?:such |matching ){_KIND}"
    rf"|articles?|matching|one)"
    r"|none of (?:the|these|them|those)\b.{0,300}|(?:nothing|nobody|none) (?:match|meet|satisf|fit|qualif"
    r"|fulfil)\w{0,4}\b.{0,300}"
    r"|no (?:match(?:es)?|results?|articles?|such articles?) (?:were |was )?found\b.{0,300}"
    r"|(?:null|none|n/a)\b,?:? (?:[-–—] )?\(?(?:since|because|as|given that|there (?:is|are)|no)\b.{0,300}"
    r"|(?:null|none),? (?:and )?(?:not|instead of|rather than)\b.{0,3000})",
)
_CONTRASTED = re.compile(r"(?:null|none),? (?:and )?(?:not|instead of|rather than) ")
_EXCEPT = re.compile(r"\b(?:except|but|other than|only|besides|apart from|unless|aside from|however)\b")
# A cheap test that rules out nearly all other statements.
_MAY_SAY_NOTHING = re.compile(
    r"[\W_]{0,40}(?:text\w{0,2}\{)?(?:nu|ni|na\b|n/a|no(?:ne|t|thing|body|\b)|there (?:is|are|w)|so"
    r"|therefore|thus|hence|em|un|can|could|ins|it (?:can|is)|sorry|无|\Z"
    r"|(?:the|this) (?:question|answer|can))",
    re.IGNORECASE,
)
# The same for the first letter or digit, even cheaper.
_NEVER_FIRST = frozenset("0123456789abdfgjklmopqrvwxyzABDFGJKLMOPQRVWXYZ")


def says_nothing(stated: str) -> bool:
    """Whether the statement says that there is no answer, without offering one as well."""
    if "\\" in stated:
        stated = plain(stated)
    if stated[:1] in _NEVER_FIRST or not _MAY_SAY_NOTHING.match(stated):
        return False
    if stated.isascii() and stated.isalpha():
        return normal(stated) in NOTHING  # one word, as "NULL"
    first, _, rest = stated.strip().partition("\n")
    head, *more = SENTENCE_END.split(ASIDE.sub("", first[:1000]).strip())
    form = normal(head)
    if not form or not form[-1].isalnum():
        form = normal(first.rstrip("."))  # "(none)" is all in brackets
    if form not in NOTHING and not _CANNOT.fullmatch(form) and not _is_no_match(form):
        return False
    if _CONTRASTED.match(form):
        more = []  # "NULL, not Lind; Wu"
    beside = " ".join([*more, rest]).strip()
    return not beside or (len(beside.split()) >= 3 and not HEDGE.search(beside))


def _is_no_match(form: str) -> bool:
    """Whether a sentence says that nothing matches: "No article meets the conditions." """
    return _NO_MATCH.fullmatch(form) is not None and not _EXCEPT.search(form)

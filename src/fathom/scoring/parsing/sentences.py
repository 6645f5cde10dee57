"""Items of the key that a statement names in sentences: "Lind comes first, followed by Wu."

A wrong item must never be taken for a part of the sentence. Therefore every other word has to be one of a closed
vocabulary without negations and alternatives, and the words beside an item have to separate it from the rest:
"Tides and authors" is another title than "Tides". `framed_items` has the sentences that may have other words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from fathom.scoring.parsing.framed_items import ITEM, NUMBER_WORDS, ORDINALS, WORD, frames_items, item_pattern
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import letters

MAX_CHARACTERS: Final = 4_000
MAX_SPELLINGS: Final = 200
FILLER = frozenset(NUMBER_WORDS) | frozenset(
    WORD.findall(
        "the a an this these those that following is are was were be been has have had with by in of for from "
        "to at on and would also as who which whose it its it's s here there he she they his her their author "
        "authors article articles paper papers title titles work works document documents name names list "
        "listed answer answers result results match matches matching matched criteria criterion condition "
        "conditions satisfy satisfies satisfied meet meets meeting fit fits qualify qualifies qualifying "
        "appear appears appearing appeared occurs frequent frequently often most only just reference "
        "references citation citations cited cites word words total count order ordered sorted descending "
        "ascending rank ranked then followed next finally comes come exactly each both such found identified "
        "namely based provided given text collection according final my i we so therefore thus hence question "
        "correct wrote times respectively leads entry entries "
    )
)
_ALLOWED = (
    FILLER
    | frozenset(ORDINALS)
    | frozenset(
        WORD.findall(
            "other others qualify qualifies match matches matching meet meets fit fits satisfy satisfies appear"
        )
        + WORD.findall("appears these this both criteria criterion condition conditions requirement requirements them")
    )
)
_NO_OTHER = re.compile(
    r"\b(?:there (?:is|are) )?no other [a-z]+(?: [a-z]+){0,3} (?:qualif\w+|match\w*|meets?|fits?|satisf\w+|appears?)"
    r"(?: (?:the|this|these|all|both|criteria|criterion|conditions?|requirements?|it|them)){0,4}"
)
_OPEN_SIGN = re.compile(r"\.\.\.|…|[✗✘❌]")
_BEFORE = re.compile(
    r"(?:\A|[\n\"'(:;,*\-→>=•.]|\b(?:is|are|was|be|only|just|and|then|by|it's|namely|finally|author|article|title|paper"
    rf"|{'|'.join(ORDINALS)})|(?:\A|[\s(#\[])(?:[a-z]|\d{{1,3}})[.):\]]?|[^\w\s])[\s\"'(*]*\Z"
)
_AFTER = re.compile(
    r"[\"'*)]{0,3}(?:\Z|\s*[\n\"'):;,*\-→>=.(!?]|\s(?:is|are|was|has|have|had|appears?|comes?|leads|who|which"
    r"|meets?|satisf(?:y|ies)|qualif(?:y|ies)|fits?|match(?:es)?)\b|\sonly\b(?=\W*\Z)"
    r"|\s(?:with|in) \d"
    r"|,?\s(?:and|then|followed by)(?:\s(?:then|finally|by))?[\s\"'(*]*\x00)"
)
_NUMBER_BEFORE = re.compile(r"(?:\A|(?<=[\s(\[#]))(\d{1,3}|[a-z])(?:st|nd|rd|th)?[.):\]]*[\s\"'(*\-–]*\x00")
_LISTED_NUMBER = re.compile(r"(?:[,;]|\band)\s*\d[\d.]*\s*(?:[,;\n]|\Z)")
"""A number as an item of its own."""
_LABELED_NUMBER = re.compile(r"(?:article|paper|document)s?[\s#]{1,2}(\d{1,3})")
_LINE_OF_COUNT = re.compile(r"\W*(?:in )?(?:total|count)\W{1,3}(\d{1,4})\W*|\W*(\d{1,4}) (?:\w+ )?in total\W*")

CONNECTIVES: Final = frozenset(
    (*ORDINALS, "so", "thus", "hence", "therefore", "then", "next", "finally", "also", "respectively")
)
"""What may appear between two commas without being an item of its own: "Thus, Lind and Wu"."""
_CLAUSE = re.compile(
    r"(?:in|on|by|of|for|from|to|at|with|based|according|given|sorted|ordered|ranked|listed|which|who|whose|that|as|here"
    r"|there|it|it's|they|he|she|i|we|this|these|those|both|each|all|the|no|and|so|thus|hence|therefore|only)\b"
)
_SEPARATOR = re.compile(r"[,;]|\.(?=\s|\Z)")
_NUMBER_ALONE = re.compile(r"\W*(?:\d{1,3}|[a-z])[.):\]]\W*")
_PHRASES: Final = frozenset({"in total", "in order", "in descending order", "in ascending order", "as follows"})
_VERBS: Final = frozenset({"is", "are", "was", "were", "by", "namely"})


def items_in_sentences(lines: Sequence[str], hints: KeyHints) -> list[str]:
    """The items of the key in the order in which the lines name them; none if the lines say anything else."""
    if sum(map(len, lines)) > MAX_CHARACTERS or any(map(_OPEN_SIGN.search, lines)):
        return []
    text = "\n".join(map(letters, lines))
    spellings = with_inverted(hints)
    told = sum(len(form) for form in spellings if form in text)
    if not told or len(spellings) > MAX_SPELLINGS:
        return []
    if len(lines) > 1 and _has_other_words(text, hints):
        return []
    names = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
    # "2021-06" is not named by "2021-06-15".
    pattern = item_pattern(rf"(?<!\d[-./])(?:{names})(?![-./]\d)", text)
    named = [spellings[match[0]] for match in pattern.finditer(text)]
    if any(count > hints.spellings.count(name) for name, count in Counter(named).items() if count > 1):
        return []  # "Tides", and then "These are tides." as another title
    rest = pattern.sub(ITEM, _NO_OTHER.sub("", text))
    if named and _is_closed(text, rest, hints, told) and not any(map(_is_item, _pieces(rest))):
        return named
    return named if named and len(lines) == 1 and frames_items(lines[0], names) else []


def _has_other_words(text: str, hints: KeyHints) -> bool:
    """Whether a word is neither of the closed vocabulary nor the key's.

    This rules out most responses with other items, at a fraction of the cost.
    """
    return any(len(word) > 3 and not word.isdecimal() for word in {*WORD.findall(text)} - _ALLOWED - hints.words)


def _is_closed(text: str, rest: str, hints: KeyHints, told: int) -> bool:
    """Whether everything beside the items is of the closed vocabulary."""
    if _has_other_words(text, hints):
        return False
    # Most of what an answer in sentences says are its items.
    if 6 * told < len(text) or _LISTED_NUMBER.search(rest):
        return False
    return _is_filler(rest, rest.count(ITEM)) and _are_separate(rest)


def with_inverted(hints: KeyHints) -> dict[str, str]:
    """The spellings of the key, and of short names also "last, first", by their letters."""
    spellings = {letters(spelling): spelling for spelling in hints.spellings if letters(spelling)}
    for form, spelling in [*spellings.items()]:
        words = form.split(" ")
        if 2 <= len(words) <= 4 and "," not in form:
            spellings.setdefault(f"{words[-1]}, {' '.join(words[:-1])}", spelling)
    return spellings


def _is_filler(rest: str, items: int) -> bool:
    """Whether everything beside the items is of the closed vocabulary, and what is counted is counted in turn."""
    unlabeled = _LABELED_NUMBER.sub("", rest)
    numbers = _NUMBER_BEFORE.findall(unlabeled)
    counted = [number if number.isdecimal() else str(ord(number) - ord("a") + 1) for number in numbers]
    if counted != [str(number) for number in range(1, len(counted) + 1)]:
        return False
    ordinals = [word for word in WORD.findall(rest.replace("first author", "")) if word in ORDINALS]
    if tuple(ordinals) != ORDINALS[: len(ordinals)]:
        return False
    for line in _NUMBER_BEFORE.sub(ITEM, unlabeled).split("\n"):
        count = _LINE_OF_COUNT.fullmatch(line)
        if count and int(count[1] or count[2]) == items:
            continue
        words = WORD.findall(line)
        if not all(word in FILLER or word in ORDINALS or (word.isdecimal() and ITEM in line) for word in words):
            return False
    return True


def _pieces(rest: str) -> Iterator[str]:
    """The text between commas or periods, without the numbers of a numbered list."""
    for line in rest.split("\n"):
        if not _NUMBER_ALONE.fullmatch(line):
            yield from _SEPARATOR.split(_NUMBER_BEFORE.sub(ITEM, line))


def _is_item(piece: str) -> bool:
    """Whether words between two commas are an item of their own, and not a part of the sentence: "she, Lind, Wu"."""
    words = WORD.findall(piece)
    if ITEM in piece or not words or piece.rstrip(" *_").endswith(":"):
        return False
    phrase = " ".join(words)
    is_clause = (len(words) > 2 and _CLAUSE.match(phrase)) or (len(words) > 1 and words[-1] in _VERBS)
    is_count = _LINE_OF_COUNT.fullmatch(piece)
    return not (is_clause or is_count or phrase in CONNECTIVES or phrase in _PHRASES)


def _are_separate(rest: str) -> bool:
    """Whether a sign or a verb separates each item from the words beside it."""
    at = rest.find(ITEM)
    while at >= 0:
        if not _BEFORE.search(rest[max(0, at - 40) : at]) or not _AFTER.match(rest, at + 1):
            return False
        at = rest.find(ITEM, at + 1)
    return True

"""Reads what a sentence asserts by what remains beside its items.

"It was Lind that had the most articles" and "Only Lind exceeded the threshold" both state Lind. Apart from a few
phrases ("belongs to", "consists of"), this module knows no verbs and no nouns. It reads sentences as rows of word
classes (`word_classes`), in which the items that the key knows and all numbers are marked. A sentence states its items
if

- no word denies, excludes, hedges, compares or offers an alternative ("not", "except", "perhaps", "than", "or"),
- nothing else can be an item: no other name, no quotation, no phrase of its own between two commas,
- each item is where a sentence states something: a subject, after "is", after a colon. After "of" or "citing" it only
  describes something else.

In doubt nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fathom.scoring.parsing.non_answers import BOUND
from fathom.scoring.parsing.numerals import FoundNumber
from fathom.scoring.parsing.word_classes import (
    CONNECTIVES,
    HAS_NUMBER,
    PLACES,
    SEPARATORS,
    TITLED,
    Marked,
    Sentence,
    marked,
)

# -- Clauses ------------------------------------------------------------------------------------------------------


class _Clause(NamedTuple):
    """A part of a sentence between two separators, with at most one item."""

    row: str
    words: tuple[str, ...]
    at: int
    """The place of its item; -1 if it has none."""
    closes: str
    """The separator after it."""

    @property
    def before(self) -> str:
        return self.row[: self.at]

    @property
    def after(self) -> str:
        return self.row[self.at + 1 :]

    @property
    def item(self) -> str:
        return self.words[self.at]


def _clauses(sentence: Sentence, sign: str) -> list[_Clause]:
    """The clauses of a sentence; none if one of them has two items. `sign` stands for an item.

    "and" and "then" separate items and clauses about them, while "the highest revenue and margin" is one phrase.
    """
    row, words = sentence
    bounds = [0]
    for at, kind in enumerate(row):
        named, last = sign in row[bounds[-1] : at], row[at - 1 : at]
        between = named and (last == sign or sign in row[at:])
        if kind in SEPARATORS or (kind == "t" and named) or (kind == "c" and (between or at == bounds[-1])):
            bounds += [at, at + 1]
    bounds.append(len(row))
    clauses = []
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        part = row[start:end]
        if part.count(sign) > 1:
            return []
        clauses.append(_Clause(part, words[start:end], part.find(sign), row[end : end + 1]))
    return clauses


# -- Names --------------------------------------------------------------------------------------------------------

_HARMLESS = re.compile(r"[abcdfghlnoprstwyIN2,;:.<>-]*")
_NAME_BESIDE = re.compile(r"(?<=[pfy])d?X+z?|X*z(?=[^I,;:]*a)")
"""A name that the subject belongs to: "the first author of the LIGO papers is", "Wu's co-authors are"."""
_LEAD = re.compile(r"s?|n+|t|[pfr].+|w[pfy].+")
_ANNOUNCEMENT = re.compile(r"(?=.*[ahfpdN])[abcdfhlnoprstwyN]{2,}")
_STRAY_AND = re.compile(r"\Ac|c[-,;.:]|It[-,;.:]")
_ADDITION = re.compile(r"(?:[prsahn].|N[wlp]|w[pfy].).*|")
_ADDITION_TO_LIST = re.compile(r"(?:pN|N[wlp]|r.*[ah]).*|")
_OF_ONE = re.compile(r"d[^I]*|")
"""What may also be added about a single item: "the first author of Article 3"."""
_APPOSITION = re.compile(r"[dN][nwl]{0,2}[wl]")
"""What the names after it are: "Two companies, Alder and Birch, exceed the average.", "The venue, Tides, is"."""
_PREDICATE_OF_ALL = re.compile(r"[ahwbp].+")
_NAMINGS = frozenset({"title", "titled", "entitled", "name", "named", "called", "namely"})
_FIELDS = _NAMINGS | {"type", "label", "author", "company", "result", "output", "article", "winner", "venue", "person"}
"""A word that may be before the colon in front of an item."""
_OPENS = frozenset({"it", "there", "here", "they", "he", "she", "both"})
_STATES = re.compile(r"s?t?n?b?|(?!a).*a(?:[nb]{0,2}|[wn]{1,3}y|[rd]f|d[wl])|.*g|s?[dr][wl]{1,2}|l")
"""What precedes an item that a sentence states: nothing, "is", "held by", "those of", "belongs to", "the article"."""
_STATES_NEXT = re.compile(r"[nb]?")
_STATES_IN_TURN = re.compile(r"t?[nb]?|t?d?(?:[ow]{0,2}[ah]?(?:[rd]f)?|o?w?wp)|(?!a).*[ag]")
"""The same for the next item of a list or ranking: "then comes", "the third is"."""
_TOLD = re.compile(r"|2|(?:b?[ahr]|pN).*")
_TOLD_OF_SURE = re.compile(r"b?(?:[ahrpwnosl2y]|do|fw+aN).*|")

_AGENT = re.compile(r"[ah][wn]{1,2}y")
"""What makes an item the object of another one: "Lind is cited by"."""
_ORDINAL_AFTER = re.compile(r"[wa]?o")
_DESCRIBES = re.compile(r"ing\b|\b(?:cites?|cited|of|by|from)\b")
_FIGURE = re.compile(r"(?:pN[wl]{0,2}|2)?")


def asserted_names(
    text: str, spellings: Mapping[str, str], is_marked: bool, *, ordered: bool, single: bool, repeats: bool
) -> list[str]:
    """The names that the text states, in order; none if it may state anything else.

    `spellings` gives the key's own spelling of each name in small letters without accents.
    """
    found = marked(text, spellings)
    sentence = _stating(found, ordered) if found and found.names and _is_complete(found, is_marked) else None
    if found is None or sentence is None:
        return []
    clauses = _clauses(sentence, "I")
    stated = [clause for clause in clauses if clause.at >= 0]
    sure = all(found.is_sure(clause.item) for clause in stated)
    if not stated or _STRAY_AND.search(sentence.row):
        return []
    bare = not re.search("[ahgwr]", "".join([clause.row for clause in stated]))
    bare = bare and not (sure and (re.search("[ah]", clauses[0].row) or _is_apposition(clauses)))
    if bare and not sure and stated[0].before not in {"", "b"}:
        return []  # "only" may be a part of the name
    beside = [
        _is_beside(clause, clauses[:at], single, sure, bare, stated[0].row[:1] == "s")
        for at, clause in enumerate(clauses)
        if clause.at < 0
    ]
    if not all(beside):
        return []
    for at, clause in enumerate(stated):
        certain = found.is_sure(clause.item)
        if not _is_stated(
            clause, first=not at, last=clause is stated[-1], ordered=ordered, single=single, sure=certain
        ):
            return []
    places = [_place_of(clause) for clause in stated]
    if ordered and sorted(places) == [*range(1, len(places) + 1)]:
        stated = [stated[places.index(index)] for index in range(1, len(places) + 1)]
    if not _is_in_order(stated, ordered) or not all(
        word in PLACES[0]
        for clause in clauses
        if clause.at < 0
        for word, kind in zip(clause.words, clause.row, strict=True)
        if kind == "o"
    ):
        return []
    names = [found.name(clause.item) for clause in stated]
    if not repeats and len({*names}) < len(names):
        return []
    return [found.name(clause.item) for clause in stated for _ in range(2 if "2" in clause.after else 1)]


def asserted_date(text: str, spellings: Mapping[str, str], is_marked: bool) -> str:
    """The date that a sentence tells: "The road was reopened on December 6, 2018."; empty in doubt.

    Names do not matter here, since none of them can be the date.
    """
    found = marked(text, spellings)
    if found is None or len(found.sentences) != 1 or not _is_complete(found, is_marked):
        return ""
    [(row, words)] = found.sentences
    if not re.fullmatch('[^xN"?]*', row) or len({*found.names}) != 1:
        return ""
    if re.search(r"I(?![.(ahprw]|\Z)|I\(c", row):
        return ""  # "2021-06 and Lind"
    told = [words[at - 1] in {"on", "in", "is", "was"} for at, kind in enumerate(row) if kind == "I" and at]
    return found.names[0] if any(told) else ""


def _is_complete(found: Marked, is_marked: bool) -> bool:
    """Whether a text does not break off. An answer that is marked as such needs no full stop."""
    last = found.sentences[-1].row[-1]
    return last not in "abcdfghprxy,:-" if is_marked else last in ".!IN2)"


def _stating(found: Marked, ordered: bool) -> Sentence | None:
    """The sentence that states the items, if the others are harmless."""
    stating = [at for at, sentence in enumerate(found.sentences) if "I" in sentence.row]
    rows = [_without_names_beside(sentence) for sentence in found.sentences]
    if not all(map(_HARMLESS.fullmatch, rows)):
        return None
    refers = found.sentences[stating[-1]].words[0] in _OPENS or found.sentences[stating[-1]].row[0] in "ds"
    others = [
        sentence for at, sentence in enumerate(found.sentences) if at > stating[-1] or (at < stating[0] and not refers)
    ]
    if not all(other.row[0] in "dspnt" or other.words[0] in _OPENS or other.row[-1] == ":" for other in others):
        return None
    if len(stating) > 1 and not (ordered and stating[-1] - stating[0] == len(stating) - 1):
        return None
    words = [word for at in stating for word in found.sentences[at].words]
    return Sentence("".join([rows[at] for at in stating]), tuple(words))


def _without_names_beside(sentence: Sentence) -> str:
    """The row of a sentence in which a name that only describes something is a word: "the papers of Wu"."""
    row = [*sentence.row]
    for match in _NAME_BESIDE.finditer(sentence.row):
        with_other = sentence.words[match.start() - 1] in {"with", "by"} and "a" not in sentence.row[match.end() :]
        if not with_other:
            row[match.start() : match.end()] = "w" * len(match[0])
    return "".join(row)


def _is_apposition(clauses: Sequence[_Clause]) -> bool:
    """Whether names are between what they are and what is said of them: "Two companies, Alder and Birch, grew"."""
    last = next((clause for clause in reversed(clauses) if clause.row), clauses[-1])
    if clauses[0].at >= 0 or last.at >= 0 or last is clauses[0] or not _APPOSITION.fullmatch(clauses[0].row):
        return False
    return _PREDICATE_OF_ALL.fullmatch(last.row) is not None


def _is_beside(
    clause: _Clause,
    earlier: Sequence[_Clause],
    single: bool = False,
    sure: bool = True,
    bare: bool = False,
    concluded: bool = False,
) -> bool:
    """Whether a clause without an item cannot be an item itself."""
    if any(one.at >= 0 for one in earlier):
        if bare and not (single and _OF_ONE.fullmatch(clause.row)):
            return _ADDITION_TO_LIST.fullmatch(clause.row) is not None
        if _is_apposition([*earlier, clause]) and not clause.closes.strip("."):
            return True
        told = single and sure and earlier[-1].closes != "c" and _OF_ONE.fullmatch(clause.row) is not None
        joined = earlier[-1].closes == "c" and clause.row[:1] not in {*"ahpr", ""}
        return told or (_ADDITION.fullmatch(clause.row) is not None and not joined)
    if clause.closes in {":", ">"} and sure and clause.words[-1:] and clause.words[-1] in _FIELDS:
        return _HARMLESS.fullmatch(clause.row) is not None
    if clause.closes == ":":
        return _ANNOUNCEMENT.fullmatch(clause.row) is not None and (sure or re.search("[ah]", clause.row) is not None)
    participle = (sure and not bare) and (
        (clause.words[:1] and clause.words[0].endswith(("ing", "ed"))) or re.search("[ah]", clause.row)
    )
    if concluded:
        return True
    if bare:
        return all(map(CONNECTIVES.__contains__, clause.words))
    lead = _LEAD.fullmatch(clause.row) or (sure and _APPOSITION.fullmatch(clause.row))
    return bool(participle or lead)


def _is_stated(clause: _Clause, first: bool, last: bool, ordered: bool, single: bool, sure: bool) -> bool:
    """Whether an item is where a sentence states something, and nothing after it can be a part of its name."""
    before, after = clause.before, clause.after
    position = _STATES if first else _STATES_NEXT
    if ordered and ("o" in before or not first):
        position = _STATES_IN_TURN
    named = sure and first and clause.at > 0 and clause.words[clause.at - 1] in _NAMINGS
    if not position.fullmatch(before) and not (named and not _DESCRIBES.search(" ".join(clause.words[: clause.at]))):
        return False
    label = clause.words[clause.at - 1] if before[-1:] in {"w", "l"} else ""
    if before[:1] == "r" and label and clause.words[0] != "that":
        return False
    if label.endswith(("ing", "ed", "'s")) and label not in TITLED:
        return False  # "the article citing Tides"
    if (single and _AGENT.match(after)) or "among" in clause.words:
        return False
    if clause.closes == ":" or (clause.closes in "<>" and clause.closes and not ordered):
        return False
    if after.startswith("ad") and clause.words[clause.at + 2] in {"a", "an"} and "most" not in clause.words:
        return False  # "Lind is an author" leaves room for others
    if "one" in clause.words or not (last or ordered):
        return _FIGURE.fullmatch(after) is not None
    if ordered and _ORDINAL_AFTER.fullmatch(after):
        return True
    if last and clause.words[clause.at + 1 :] == ("only",):
        return True
    return (_TOLD_OF_SURE if sure else _TOLD).fullmatch(after) is not None


def _place_of(clause: _Clause) -> int:
    """The place that the one ordinal of a clause names, counted from one; 0 if it has none, or several."""
    named = [word for word, kind in zip(clause.words, clause.row, strict=True) if kind == "o"]
    found = [at for at, spellings in enumerate(PLACES, start=1) if len(named) == 1 and named[0] in spellings]
    return found[0] if found else 0


def _is_in_order(stated: Sequence[_Clause], ordered: bool) -> bool:
    """Whether ordinals count the items of a ranking; where there is no order, an item may only be the first."""
    for index, clause in enumerate(stated):
        own = PLACES[index] if ordered and index < len(PLACES) else PLACES[0] if not ordered else set()
        own = own | {"last"} if ordered and clause is stated[-1] else own
        if any(kind == "o" and word not in own for word, kind in zip(clause.words, clause.row, strict=True)):
            return False
    return True


# -- Numbers ------------------------------------------------------------------------------------------------------

_OF_NUMBERS = re.compile(r"[abcdfghlnoprstwyzNX,;:.-]*")
_LABELED = re.compile(r"(?<=[lX])(?:N[,c]+)*N")
"""Numbers that name something: "Article 3", "articles 1, 4 and 5", "Synaptotagmin 7"."""
_GIVEN = re.compile(r"oN|[db]{1,2}[owl]?N|\A[wl]N|r[^,;:N]{0,8}N(?=[^,;]*[ah])")
"""Numbers that a sentence takes as given: "the 6 articles", "the first 8"."""
_TOTAL = re.compile(r"(?<=N)[wl]{0,2}p?fd?N")
"""What a number is a part of: "5 of the 12 articles"."""
_PREDICATE = re.compile(r"aN(?=[^N]*\Z)")
_RANGE = re.compile(r"[\uf000-\uf8ff] (?:-|to|through) [\uf000-\uf8ff]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FALLS = re.compile(
    r"\b(?:decreas|declin|fell|fall|drop|reduc|shr[aiu]nk|los[st]|negative|minus|down|lower|worse|cut)", re.IGNORECASE
)


def asserted_number(text: str, unit: str, is_marked: bool) -> tuple[FoundNumber, str] | None:
    """The one number that a text asserts, and the text it was found in; None in doubt."""
    found = marked(text, {})
    if (
        found is None
        or not _is_complete(found, is_marked)
        or not all(_OF_NUMBERS.fullmatch(sentence.row) for sentence in found.sentences)
    ):
        return None
    with_numbers = [sentence for sentence in found.sentences if "N" in sentence.row]
    if (
        len(with_numbers) != 1
        or not re.search("[ahw]", with_numbers[0].row)
        or _RANGE.search(" ".join(with_numbers[0].words))
    ):
        return None
    if unit and _FALLS.search(found.text):
        return None
    candidates = _candidates(found, with_numbers[0], unit)
    return (candidates[0], found.text) if len({candidate.value for candidate in candidates}) == 1 else None


def _candidates(found: Marked, sentence: Sentence, unit: str) -> list[FoundNumber]:
    """The numbers of a sentence that may be its result; years only if there is nothing else."""
    row = sentence.row
    for pattern in (_LABELED, _GIVEN, _TOTAL):
        row = pattern.sub(lambda part: part[0].replace("N", "w"), row)
    if any(kind == "w" and word in found.ratios for word, kind in zip(sentence.words, row, strict=True)):
        return []  # "61% of the remaining 80%"
    if _PREDICATE.search(row):
        row = _PREDICATE.sub("aR", row)  # "The number of titles with 5 words is 17."
        row = row.replace("N", "w").replace("R", "N")
    numbers = [found.number(word) for word, kind in zip(sentence.words, row, strict=True) if kind == "N"]
    if len(numbers) == 1 and _is_pronoun(found, numbers[0], row):
        return []
    if unit and unit != "%":
        numbers = [one for one in numbers if one.unit != "%"]
    return [one for one in numbers if not _is_year(found, one)] or numbers


def _is_pronoun(found: Marked, number: FoundNumber, row: str) -> bool:
    """Whether "one" is no count: "Answer with one number"."""
    return found.text[number.start : number.end].lower() == "one" and not re.search(r"[an]N|\AN", row)


def _is_year(found: Marked, number: FoundNumber) -> bool:
    return not number.unit and _YEAR.fullmatch(found.text, number.start, number.end) is not None


_OF_LIST = re.compile(r"[abcdfghlnoprstwyN2,;:.<>-]*")
_LISTED = re.compile(r"(?!a)[abdghlnoprstwy]*")
_LISTED_NEXT = re.compile(r"n?")
_LISTED_IN_TURN = re.compile(r"[tondwpah]*")
_AT_END = re.compile(r"N(?:,N)*,?cN(?=[wl]{0,2}\.?\Z)")
"""Numbers at the end of a sentence, joined by commas and "and": "titles of 9, 14 and 7 words"."""
_ORDERED = frozenset({"sorted", "ordered", "order", "ranked"})
_VALUES = frozenset({"values", "counts", "numbers", "lengths"})


def asserted_numbers(text: str, ordered: bool, is_marked: bool) -> tuple[list[FoundNumber], str]:
    """The numbers that a text lists, in order, and the text they were found in; none in doubt."""
    if "\n" in text.strip():
        return [], ""  # a line without a number may be another item
    found = marked(text, {})
    if (
        found is None
        or not _is_complete(found, is_marked)
        or not all(_OF_LIST.fullmatch(sentence.row) for sentence in found.sentences)
    ):
        return [], ""
    with_numbers = [sentence for sentence in found.sentences if "N" in sentence.row]
    if len(with_numbers) != 1 or with_numbers[0] is not found.sentences[0]:
        return [], ""
    row, words = with_numbers[0]
    at_end = _AT_END.search(row) if not ordered or _ORDERED.intersection(words) else None
    if at_end and _leads_to_values(row[: at_end.start()], words):
        return [found.number(word) for word in words[at_end.start() : at_end.end()] if _is_number(word)], found.text
    lead, colon, _ = row.rpartition(":")
    row = lead.replace("N", "w") + colon + row[len(lead) + len(colon) :]
    row = _GIVEN.sub(lambda part: part[0].replace("N", "w"), _LABELED.sub(lambda part: "w" * len(part[0]), row))
    if not re.search(r"[ahwt<>2]", row):
        return [], ""
    clauses = _clauses(Sentence(row, words), "N")
    stated = [clause for clause in clauses if clause.at >= 0]
    bare = not re.search("[ah]", "".join([clause.row for clause in stated]))
    beside = [
        _is_beside(clause, clauses[:at], bare=bare and any(clause.at >= 0 for clause in clauses[:at]))
        for at, clause in enumerate(clauses)
        if clause.at < 0
    ]
    if len(stated) < 2 or not all(beside) or not _is_in_order(stated, ordered):
        return [], ""
    nouns = {clause.words[clause.at + 1 :] for clause in stated if clause.after not in {"", "2"}}
    later = _LISTED_IN_TURN if ordered else _LISTED_NEXT
    if not _LISTED.fullmatch(stated[0].before) or not all(later.fullmatch(one.before) for one in stated[1:]):
        return [], ""
    if any(clause.closes in ":-" and clause.closes for clause in stated):
        return [], ""
    if nouns and (len(nouns) > 1 or not (ordered or stated[-1].after not in {"", "2"})):
        return [], ""
    return [found.number(one.item) for one in stated for _ in range(2 if "2" in one.after else 1)], found.text


def _leads_to_values(lead: str, words: Sequence[str]) -> bool:
    """Whether the beginning of a sentence names values: "The four articles have titles of", "It takes the values"."""
    given = _GIVEN.sub("w", lead)
    if "N" in given or not lead or words[0] in _VALUES:
        return False
    return words[len(lead) - 1] in _VALUES or (lead[-1] in "af" and re.search("[ah]", lead) is not None)


def _is_number(word: str) -> bool:
    return HAS_NUMBER.fullmatch(word) is not None


# -- Rows ---------------------------------------------------------------------------------------------------------

_COUNT_BEFORE = re.compile(r"(?:|.*a)t?N[wl]{0,2}[py]")
_COUNT_AFTER = re.compile(r"[ah]?[wndopfl]{0,4}N[wlpdnof]*")
_TIMES = ((re.compile(r"\btwice\b"), "two times"), (re.compile(r"\bonce\b"), "one time"))


def asserted_rows(text: str, spellings: Mapping[str, str], is_marked: bool) -> list[tuple[str, str]]:
    """The names and numbers that a text states in pairs: "Lind has three articles and Wu one."; none in doubt."""
    for word, number_of_times in _TIMES:
        text = word.sub(number_of_times, text)
    found = marked(text, spellings, figures=True)
    sentence = _stating(found, ordered=True) if found and found.names and _is_complete(found, is_marked) else None
    if found is None or sentence is None:
        return []
    clauses = _clauses(sentence, "I")
    stated = [clause for clause in clauses if clause.at >= 0]
    beside = [_is_beside(clause, clauses[:at]) for at, clause in enumerate(clauses) if clause.at < 0]
    if not all(beside) or not _is_in_order(stated, ordered=True):
        return []
    pairs: list[tuple[str, str]] = []
    for at, clause in enumerate(stated):
        position = _STATES if not at else _STATES_IN_TURN
        if clause.row.count("N") != 1:
            return []
        told = position.fullmatch(clause.before) and _COUNT_AFTER.fullmatch(clause.after)
        if not told and not (_COUNT_BEFORE.fullmatch(clause.before) and clause.after in {"", "."}):
            return []
        number = found.number(clause.words[clause.row.find("N")])
        if BOUND.search(found.text[: number.start][-40:]):
            return []
        pairs.append((found.name(clause.item), found.text[number.start : number.end]))
    return pairs

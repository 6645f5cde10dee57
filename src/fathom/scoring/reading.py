"""Reads the answer that a reply states, as the type its key has.

The key tells which type to look for and where a list may be cut ("Tides, storms" is one title where the key has such a
title). It never tells which value to find: whatever the reply states is read, right or wrong, and a reply that hedges
("4 or 5") states nothing.

Replies are hostile input. Every pattern here is linear (no repetition inside a repetition that could match the same
characters twice), every search looks once, and no exception leaves `read_reply`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from fathom.records.spans import Span
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Atom,
    Choice,
    Members,
    Multiset,
    Nothing,
    Number,
    Passage,
    Ranking,
    Rows,
    Spans,
    Text,
)

LONGEST_STATEMENT: Final = 200_000
"""Characters; whatever is longer is a document, not an answer."""
LONGEST_NUMBER: Final = 400
"""Digits, and the largest power of ten: beyond it arithmetic would be the attack."""
LONGEST_CACHED: Final = 300
"""Characters; longer strings are not worth the memory that remembering them takes."""

# -- Spelling -----------------------------------------------------------------------------------------------------

_SAME_SIGN = str.maketrans(
    dict.fromkeys("‘’‚‛′´", "'")
    | dict.fromkeys("“”„‟«»″", '"')
    | dict.fromkeys("‐‑‒–—―−﹣", "-")
    | dict.fromkeys("\u200b\u2060\ufeff\u00ad\u200e\u200f", "")
)
_OUTER = " \t\n.,;:!?\"'*_`。，；：！？、"
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_EMPHASIS = re.compile(r"(\*{1,3}|`{1,3})(?=[^\s*`])([^\n*`]+?)(?<!\s)\1|__(?=[^\s_])([^\n_]+?)(?<!\s)__")
_MATH = re.compile(r"\$(?=[^\s$])([^$\n]{1,2000})(?<=[^\s$])\$")
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]{1,60})\}\s?\{([^{}]{1,60})\}")
_WRAPPED = re.compile(r"\\(?:text\w{0,6}|math\w{2,4}|emph|mbox|operatorname|boxed)\s?\{([^{}]*)\}")
_LATEX_SPACE = re.compile(r"\\(?:[,;:!\s]|q?quad\b|left\b|right\b|[()\[\]]|(?:begin|end)\{\w{1,20}\*?\})")
_ESCAPED = re.compile(r"\\([%$&#_{}])")


def plain(text: str) -> str:
    """`text` without Markdown emphasis and LaTeX dress: "**4**", "$4$" and "\\text{4}" are "4"."""
    if "*" in text or "`" in text or "__" in text:
        text = _EMPHASIS.sub(r"\2\3", text)
    if "$" in text:
        text = _MATH.sub(r"\1", text)
    if "\\" in text or "{,}" in text:
        text = _without_latex(text)
    return text


def _without_latex(text: str) -> str:
    text = _WRAPPED.sub(r"\1", text)
    if "\\" not in text and "{,}" not in text:
        return text
    text = text.replace("\\\\", "\n").replace("{,}", ",").replace("\\times", "×").replace("\\cdot", "·")
    text = text.replace("\\approx", "≈").replace("\\emptyset", "∅").replace("\\varnothing", "∅")
    # Once more, for \textbf{\text{4}}: deeper nests do not occur in good faith.
    text = _FRACTION.sub(r"\1/\2", _WRAPPED.sub(r"\1", text))
    return _ESCAPED.sub(r"\1", _LATEX_SPACE.sub(" ", text))


def normal(text: str) -> str:
    """The spelling that is compared: one case, one kind of quote and dash, no dress, no outer punctuation."""
    return _remembered(text) if len(text) <= LONGEST_CACHED else _normal(text)


def _normal(text: str) -> str:
    text = plain(text)
    if not text.isascii():
        # Twice, since a case fold can undo a composition ("ŉ", "ΐ").
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).translate(_SAME_SIGN).casefold())
    else:
        text = text.lower()
    text = " ".join(text.split())
    return _bared(text) or text


_remembered = lru_cache(maxsize=1 << 16)(_normal)


def _bared(text: str) -> str:
    """`text` without the punctuation and the brackets around all of it; "Tides (part 1)" keeps its own."""
    for _ in range(4):
        text = text.strip(_OUTER)
        if len(text) < 2 or _BRACKETS.get(text[0]) != text[-1] or text.find(text[-1]) != len(text) - 1:
            break
        text = text[1:-1]
    return text


_OWN_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}


@lru_cache(maxsize=4096)
def bare_letter(letter: str) -> str:
    """A Latin or Greek letter without its accent; every other letter is itself, since "й" is no kind of "и"."""
    if letter in _OWN_LETTERS:
        return _OWN_LETTERS[letter]
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() or "α" <= base <= "ω" else letter


def unaccented(form: str) -> str:
    """A normal form whose Latin and Greek letters have lost their accents."""
    if form.isascii():
        return form
    return _bare_letters(form) if len(form) > LONGEST_CACHED else _remembered_bare(form)


def _bare_letters(form: str) -> str:
    return "".join(map(bare_letter, form))


_remembered_bare = lru_cache(maxsize=1 << 14)(_bare_letters)


# -- Numbers ------------------------------------------------------------------------------------------------------

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_SMALL = {word: value for value, word in enumerate(f"{_UNITS} seventeen eighteen nineteen".split())}
_TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SHORT_SCALES = {"k": 3, "K": 3, "M": 6, "mn": 6, "bn": 9}
_ORDINALS = frozenset({"st", "nd", "rd", "th"})

_WORD = "|".join((*_SMALL, *_TENS, *_SCALES))
_DIGIT_WORD = "|".join(list(_SMALL)[:10])
_RATIO = r"[ \t]?(?P<ratio>%|％|‰|per[ ]?cent\b|pct\b|percentage points?\b)"
_IN_WORDS = re.compile(
    rf"(?<![\w-])(?:(?P<minus>minus|negative) )?(?P<words>(?:an? (?=hundred|thousand|million))?(?:{_WORD})"
    rf"(?:(?: ?- ?| (?:and )?)(?:{_WORD})(?![a-z]))*+(?: point(?: (?:{_DIGIT_WORD})\b)++)?)(?!\w)(?:{_RATIO})?",
    re.IGNORECASE,
)
_IN_DIGITS = re.compile(
    r"(?<![\w.])(?<![^\W\d_][-–])(?P<sign>[-+−–])?(?:(?P<before>US\$|[$€£¥])\s?)?"
    r"(?:(?P<whole>\d{1,3}(?P<mark>[,'’ \u00a0\u2009\u202f])\d{3}(?:(?P=mark)\d{3})*(?!\d)|\d++)(?P<part>\.\d++)?"
    r"|(?P<only>\.\d++))"
    r"(?P<power>e[-+]?\d{1,4}(?!\d)|\s?[x×*·]\s?10\s?\^\s?\{?[-+−]?\d{1,4}\}?)?"
    r"(?:/(?P<under>\d{1,15})(?![\d.]))?(?!\d|\.\d|/\d)"
    rf"(?:{_RATIO}"
    r"|\s?(?P<scale>hundred|thousand|million|billion|trillion)\b|(?P<after>[a-zµ]++|[€£¥°]))?",
    re.IGNORECASE,
)
_SIMPLE = re.compile(r"[-+]?(?:\d{1,40}|\d{1,3}(?:,\d{3}){1,12})(?:\.\d{1,40})?")
# A bound or a denial is no value: "at least 4", "not 4".
_BOUND = re.compile(
    r"(?:[<>≤≥≠]=?|\b(?:at (?:least|most)|(?:more|less|fewer|greater) than|not|never|isn't|up to|over|under|above|below"
    r"|between|either|from|or)) *\Z",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|wait|actually|correction|instead|rather|however|unless|guess"
    r"|not sure|on second thought|scratch that)\b",
    re.IGNORECASE,
)
_UNIT_WORDS = re.compile(r"[^\W\d_]+(?:[ /.-][^\W\d_]+){0,2}")
_AFTER_NUMBER = re.compile(r"[ \t]?(?:[^\W\d_]+[ \t-]){0,4}(?:[^\W\d_]+)?\.?")
_BEFORE_NUMBER = re.compile(
    r"(?:(?:so|thus|hence|there|it|the|a|total|of|is|are|was|were|in|about|approximately|roughly|around|exactly|only|just|count|number"
    r"|value|sum|average|mean|result|answer|final)\b[\s:]*|[=≈~:]\s*){0,10}",
    re.IGNORECASE,
)


class Found(NamedTuple):
    """A number somewhere in a text."""

    value: Decimal | None
    """None where it is written as a number but has no exact value ("1/3")."""
    unit: str
    start: int
    end: int


def numbers_in(text: str) -> list[Found]:
    """The first few numbers that `text` holds, in digits or in words: as many as it takes to tell one from several."""
    found = [number for match in islice(_IN_DIGITS.finditer(text), 4) if (number := _from_digits(match))]
    spelled = [_from_words(match) for match in islice(_IN_WORDS.finditer(text), 4)]
    if found and spelled:  # the word in "5 million" belongs to the digits
        ends = {number.end for number in found}
        spelled = [number for number in spelled if number.end not in ends]
    return sorted(found + spelled, key=lambda number: number.start) if spelled else found


def _from_digits(match: re.Match[str]) -> Found | None:
    """The number a match stands for; None for an ordinal such as "4th"."""
    _, sign, before, whole, mark, part, only, power, under, ratio, scale, after = (match[0], *match.groups())
    if after and after.lower() in _ORDINALS:
        return None
    if whole and mark:
        whole = whole.replace(mark, "")
    digits = f"{'-' if sign and sign != '+' else ''}{whole or '0'}{part or only or ''}"
    tens = _power_of(power, scale or (after if after in _SHORT_SCALES else None))
    unit = _ratio(ratio) if ratio else before or ("" if after in _SHORT_SCALES else after or "")
    return Found(_exact(digits, tens, under), unit, match.start(), match.end())


def _power_of(power: str | None, scale: str | None) -> int:
    """The power of ten in "e5", "× 10^5" and "million"."""
    tens = int(power.replace("−", "-").rpartition("^")[2].strip(" eE{}")) if power else 0
    return tens + (_SCALES.get(scale.lower()) or _SHORT_SCALES.get(scale, 0) if scale else 0)


def _ratio(sign: str) -> str:
    """One spelling for each kind of ratio: "per cent" is "%", percentage points are not."""
    return "‰" if sign == "‰" else "percentage points" if "point" in sign.lower() else "%"


def _exact(digits: str, power: int, under: str | None) -> Decimal | None:
    """The value, where it is exact and of a sane size."""
    if len(digits) > LONGEST_NUMBER or abs(power) > LONGEST_NUMBER:
        return None
    try:
        if under is None:
            return Decimal(f"{digits}E{power}") if power else Decimal(digits)
        return _quotient(int(digits), int(under)) if not power else None
    except (InvalidOperation, ValueError):
        return None


def _quotient(over: int, under: int) -> Decimal | None:
    """The quotient where 15 decimals write it out in full: 3/4 is 0.75, 1/3 is nothing exact."""
    if under == 0 or over * 10**15 % under:
        return None
    return Decimal(f"{over * 10**15 // under}E-15")


def _from_words(match: re.Match[str]) -> Found:
    words, _, decimals = match["words"].casefold().partition(" point ")
    value = _spelled_out(words.replace("-", " ").split())
    digits = "".join([str(_SMALL.get(word, "")) for word in decimals.split()])
    exact = None if value is None else Decimal(f"{'-' if match['minus'] else ''}{value}.{digits}")
    return Found(exact, _ratio(match["ratio"]) if match["ratio"] else "", match.start(), match.end())


def _spelled_out(words: Iterable[str]) -> int | None:
    """The number that number words make together; None where they make none ("five twenty")."""
    total, part, room, ceiling = 0, 0, 1_000, 10**15
    # `room` is what the next small word must stay under: after "twenty" only one to nine, after "five" nothing.
    for word in words:
        if word in {"and", "a", "an"}:
            continue
        if word == "hundred":
            if part >= 100 or room == 0:
                return None
            part, room = (part or 1) * 100, 100
        elif word in _SCALES:
            scale = 10 ** _SCALES[word]
            if scale >= ceiling or room == 0:
                return None
            total, part, ceiling, room = total + (part or 1) * scale, 0, scale, 1_000
        else:
            value = _TENS.get(word) or _SMALL.get(word)
            if value is None or value >= room or (value == 0 and (part or total)):
                return None
            part, room = part + value, 10 if word in _TENS else 1 if value else 0
    return total + part


def number_of(text: str, unit: str = "") -> Number | None:
    """The number that `text` is and nothing but is; words after it are its unit only where `unit` wants one."""
    return _remembered_number(text, unit) if len(text) <= 40 else _number_of(text, unit)


def _number_of(text: str, unit: str) -> Number | None:
    if _SIMPLE.fullmatch(text):  # most are as simple as that
        return Number(value=Decimal(text.replace(",", "")))
    text = plain(text).strip(" \t\n\"'.;:!?*_`[]()")
    found = numbers_in(text)
    if len(found) != 1 or found[0].value is None:
        return None
    start, end = found[0].start, found[0].end
    if not _BEFORE_NUMBER.fullmatch(text, 0, start) or not _AFTER_NUMBER.fullmatch(text, end):
        return None
    return _as_number(found[0], text, unit)


_remembered_number = lru_cache(maxsize=1 << 14)(_number_of)


def _as_number(found: Found, text: str, unit: str) -> Number | None:
    """The answer a found number makes; None where a bound or a hedge stands beside it."""
    if found.value is None or _BOUND.search(text[: found.start][-40:]) or _HEDGE.search(text, found.end):
        return None
    return Number(value=found.value, unit=found.unit or _unit_after(text[found.end :], unit))


def _unit_after(rest: str, unit: str) -> str:
    """The words after a number, as many as the wanted unit has: of "5 articles in all" just "articles"."""
    words = _UNIT_WORDS.match(rest.lstrip(" \t")) if unit and unit != "%" else None
    return " ".join(words[0].split(" ")[: unit.count(" ") + 1]) if words else ""


# -- Where the answer stands --------------------------------------------------------------------------------------


class Stated(NamedTuple):
    """The part of a reply that states its answer."""

    text: str
    marked: bool
    """Whether the reply itself marked it, by a box or by "Answer:"."""


_BRACE = re.compile(r"\\[{}\\]|[{}]")
# Both begin with a word to look for, which is several times as fast as an alternative or a look behind would be.
_MARKER = re.compile(
    r"answer(?<=\banswer)(?:s?[*_`\])]{0,4}[ \t]{0,3}(?:\([^()\n]{0,40}\)[ \t]?)?[:：=][*_`]{0,4}|(?<=<answer)>"
    r"|(?P<heading>s?[*_`#\])\t ]{0,8}$))",
    re.MULTILINE,
)
_SPOKEN_MARKER = re.compile(
    r"answer(?<=\banswer)s? (?:to (?:the|this|your) question )?(?:is|are|would be|must be|should be)\b"
    r"[ \t]{0,3}:?[*_`]{0,4}"
)
_OWN_MARKER = re.compile(r"answers? ?(?:[:：=]|(?:is|are|would|must|should)\b)")
_BEFORE_HEADING = re.compile(r"[*_`#>\t \[(]{0,8}(?:the |my )?(?:final |correct )?")
_CHINESE_MARKER = re.compile(r"答案(?:是|为|[:：])[:：]?")
_VALUE_NEXT = re.compile(r"[ \t*_`$\\({]{0,8}[-+]?\d")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|;\s+")


def _where_it_stands(text: str, wanted: Answer, cut: bool) -> Stated | None:
    """The statement of the answer: a box, then "Answer:", then a closing JSON object or fenced block, then all of it.

    What stands later takes the place of a box: "\\boxed{4} ... wait. Final answer: 5" says 5. And a JSON object that
    closes the reply is read as such, whatever its strings hold. Of a reply that was cut off only a box counts, since it
    is closed: "Answer: 71" may have been on its way to 711.
    """
    box, box_end = _last_box(text) if "\\boxed" in text else ("", 0)
    if cut:
        return Stated(box, marked=True) if box.strip() else None
    closing = _last_fence(text) if "```" in text else ""
    record = _json_at_the_end(closing or text) if "}" in text else ""
    for statement in (record, _tail(text[box_end:], wanted), box, closing):
        if statement.strip():
            return Stated(statement, marked=True)
    return Stated(text, marked=False) if text.strip() else None


def _last_box(text: str) -> tuple[str, int]:
    """What the last \\boxed{...} holds, braces inside it matched, and where it ends; empty where none is closed."""
    at = text.rfind("\\boxed")
    if at < 0:
        return "", 0
    opening = text.find("{", at)
    if opening < 0 or text[at + 6 : opening].strip():
        return "", 0
    depth = 0
    for brace in _BRACE.finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and brace[0] == "}":
            return text[opening + 1 : brace.start()], brace.end()
    return "", 0


def _tail(text: str, wanted: Answer) -> str:
    """What follows the last marker; empty where there is none."""
    if "nswer" not in text and "NSWER" not in text and "答案" not in text:
        return ""
    small = text.lower()
    if len(small) != len(text):  # "İ" alone grows when it is made small
        small = text
    for spelling in map(str.lower, _spellings(wanted)):
        # The title "In search of an answer: tides" marks nothing.
        if "answer" in spelling and _OWN_MARKER.search(spelling):
            for title in {spelling, unaccented(spelling)}:
                small = small.replace(title, "_" * len(title))
    content = len(text.rstrip(" \t\n*_`.$\\[]()"))  # a marker with nothing behind it marks nothing
    written = 0
    for match in chain(_MARKER.finditer(small, 0, content), _CHINESE_MARKER.finditer(small, 0, content)):
        if match.end() < content and (match.lastgroup is None or _is_heading(small, match.start())):
            written = max(written, match.end())
    spoken = max((match.end() for match in _SPOKEN_MARKER.finditer(small, written, content)), default=written)
    # After "Answer: 4" a sentence such as "The answer is the sum of both." explains. It takes the place of the marked
    # answer where it takes something back or names a value of its own.
    if spoken > written and (not written or _HEDGE.search(text, written, spoken) or _VALUE_NEXT.match(text, spoken)):
        return text[spoken:]
    return text[written:].removesuffix("</answer>") if written else ""


def _is_heading(text: str, at: int) -> bool:
    """Whether nothing but dress and "final" stands before `at` on its line."""
    return bool(_BEFORE_HEADING.fullmatch(text, text.rfind("\n", 0, at) + 1, at))


def _last_fence(text: str) -> str:
    """What the last fenced block holds, where it closes the reply."""
    close = text.rfind("```")
    opening = text.rfind("```", 0, close) if close > 0 else -1
    if opening < 0 or text[close + 3 :].strip():
        return ""
    language, _, rest = text[opening + 3 : close].partition("\n")
    return rest if rest.strip() and (not language.strip() or language.strip().isalpha()) else f"{language}\n{rest}"


def _json_at_the_end(text: str) -> str:
    """The JSON object that closes the reply, where it has an answer field."""
    end = len(text.rstrip()) - 1
    if end < 0 or text[end] != "}" or '"' not in text:
        return ""
    depth = 0
    for at in range(end, max(-1, end - LONGEST_STATEMENT), -1):
        depth += (text[at] == "}") - (text[at] == "{")
        if depth == 0:
            value = _parsed(text[at : end + 1])
            return text[at : end + 1] if isinstance(value, dict) and _answer_field(value) is not None else ""
    return ""


# -- JSON ---------------------------------------------------------------------------------------------------------

_ANSWER_FIELDS = ("final_answer", "final answer", "answer", "answers", "result", "value")
_ABSENT: Final = object()


def _parsed(text: str) -> Any:
    """The JSON value that `text` is; `_ABSENT` where it is none. Numbers stay as they are spelled."""
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return _ABSENT


def _refuse(constant: str) -> str:
    raise ValueError(f"{constant} is no JSON")


def _answer_field(record: dict[str, Any]) -> str | None:
    """The field that holds the answer."""
    names = {name.lower(): name for name in record}
    return next((names[name] for name in _ANSWER_FIELDS if name in names), None)


def _unwrapped(value: Any) -> Any:
    """The answer inside {"answer": ...}, however often it is wrapped."""
    for _ in range(4):
        name = _answer_field(value) if isinstance(value, dict) else None
        if name is None:
            break
        value = value[name]
    return value


def _scalar(value: Any) -> str:
    """A JSON scalar as text; empty for a truth value or a nested thing."""
    if not isinstance(value, str):
        return ""
    # "\\ud800" is a half character that no file can hold.
    return value if value.isascii() else value.encode(errors="replace").decode()


def _scalars(value: Any) -> list[str] | None:
    """The scalars of a JSON list, a level of nesting (tied items) laid flat; None where it is no such list."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return None
    flat: list[str] = []
    for item in value:
        flat += [_scalar(inner) for inner in item] if isinstance(item, list) else [_scalar(item)]
    return flat if all(flat) else None


# -- Nothing ------------------------------------------------------------------------------------------------------

_NOTHING = frozenset(
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
# Cheap, and enough to let nearly every other statement pass unsearched.
_MAY_SAY_NOTHING = re.compile(
    r"[\W_]{0,40}(?:text\w{0,2}\{)?(?:nu|ni|na\b|n/a|no(?:ne|t|thing|\b)|em|un|can|could|ins|it (?:can|is)|sorry|无|\Z"
    r"|(?:the|this) (?:question|answer|can))",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[ \t]*\([^()\n]{0,300}\)")


def _says_nothing(stated: str) -> bool:
    """Whether the statement is that there is no answer, and offers none beside it."""
    if not _MAY_SAY_NOTHING.match(stated):
        return False
    first, _, rest = stated.strip().partition("\n")
    head, *more = _SENTENCE_END.split(_ASIDE.sub("", first[:1000]).strip())
    form = normal(head)
    if form not in _NOTHING and not _CANNOT.fullmatch(form):
        return False
    beside = " ".join([*more, rest]).strip()
    return not beside or (len(beside.split()) >= 3 and not _HEDGE.search(beside))


# -- Lists --------------------------------------------------------------------------------------------------------

_BULLET = re.compile(r"[ \t]*(?:[-*•‣◦·–][ \t]+|\(?(\d{1,3})[.)](?=[ \t]|[^\d\s.,%])[ \t]*|#(\d{1,4})[ \t]+)")
_BULLET_SIGNS = frozenset("-*•‣◦·–(#0123456789 \t")
_SEPARATOR = re.compile(r"[ \t]*[,，、;；][ \t\n]*")
_COMMA_IN_NUMBERS = re.compile(
    r"[ \t]*(?:[;；、，]|,(?!\d{3}(?!\d)))(?:[ \t]*(?:and|&)(?=[ \t]))?[ \t\n]*", re.IGNORECASE
)
_SECOND = re.compile(r"[,;，；][ \t]?\(?2[.)][ \t]")
_SEMICOLON = re.compile(r"[ \t]*[;；][ \t\n]*")
_LEADING_AND = re.compile(r"(?:and|&)[ \t]+", re.IGNORECASE)
_AND = re.compile(r"[ \t]+(?:and|&)[ \t]+", re.IGNORECASE)
_SEPARATOR_OR_AND = re.compile(rf"{_SEPARATOR.pattern}|{_AND.pattern}", re.IGNORECASE)
_ANY_SEPARATOR = re.compile(r"[,，、;；&]|\band\b", re.IGNORECASE)
_QUOTED = re.compile(r'[ \t\n]*["“]([^"“”\n]*)["”][ \t\n]*(?:[,;]|and\b|[,;]\s?and\b|\Z)')
_NOUN = (
    r"(?:answers?|authors?|articles?|papers?|titles?|names?|values?|numbers?|counts?|results?|list|order|works?|items?)"
)
_LEAD_IN = re.compile(
    rf"(?:[^\W\d_]+[ \t]){{0,8}}?{_NOUN}(?:[ \t][^\W\d_]+){{0,8}}?"
    r"(?:[ \t](?:is|are|was|were)(?:[ \t]?:)?[ \t]|[ \t]?:[ \t])",
    re.IGNORECASE,
)
_ENDS = " \t\n,;，；"
_COUNTED = re.compile(
    r"[ \t]?[(\[][\d,.]{1,12}[ \t](?:papers?|articles?|authors?|references?|citations?|words?|times?|works?)[)\]]\Z",
    re.IGNORECASE,
)
_HEADING_OR_LABEL = re.compile(
    r"#{1,6} |[*_ \t]{0,6}(?:explanation|reasoning|rationale|justification|notes?|confidence|evidence|sources?)\b"
    r"(?=[*_ \t]{0,4}:)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"(?:this|these|those|there|they|he|she|it|i|we|the above|each|both|all|so|here|in total|together)\b|"
    r".{0,200}?\b(?:is|are|was|were|has|have|had|appears?|wrote|counted|found|contains?|includes?|lists?|follows?)\b",
    re.IGNORECASE,
)


class Guide:
    """What the key's items tell about cutting a list: which of them hold a separator themselves."""

    def __init__(self, items: Iterable[Atom]) -> None:
        self._items = tuple(items)

    @cached_property
    def whole(self) -> frozenset[str]:
        """The forms of all items that are texts, in each of their spellings."""
        return frozenset([_form(spelling) for spelling in self._spellings])

    @cached_property
    def _spellings(self) -> list[str]:
        texts = [item for item in self._items if isinstance(item, Text)]
        return [spelling for text in texts for spelling in (text.value, *text.aliases)]

    @cached_property
    def joined(self) -> frozenset[str]:
        """The forms of items that hold a comma, a semicolon or an "and"."""
        return frozenset([form for form in self.whole if _ANY_SEPARATOR.search(form)])

    @cached_property
    def heads(self) -> frozenset[str]:
        """What stands before the first separator of those."""
        accented = [form for form in map(normal, self._spellings) if _ANY_SEPARATOR.search(form)]
        forms = [*self.joined, *accented]  # cut with and without accents, since "añd" is no "and"
        return frozenset(
            [_form(by.split(form, maxsplit=1)[0]) for form in forms for by in (_SEPARATOR, _SEPARATOR_OR_AND)]
        )

    @cached_property
    def width(self) -> int:
        """The most separators that one item holds."""
        return max((len(_ANY_SEPARATOR.findall(form)) for form in self.joined), default=0)

    @cached_property
    def semicolons(self) -> bool:
        """Whether an item holds a semicolon."""
        return any(";" in spelling for spelling in self._spellings)

    @cached_property
    def values(self) -> frozenset[Decimal]:
        """The values of all items that are numbers."""
        return frozenset([item.value for item in self._items if isinstance(item, Number)])


def _form(text: str) -> str:
    return unaccented(normal(text))


def _is_remark(line: str) -> bool:
    """Whether a line is a sentence that comments on the answer."""
    return line.endswith((".", "!", ".*", ".**")) and line.count(" ") >= 2 and bool(_REMARK.match(line))


def _lines(stated: str, guide: Guide) -> list[str]:
    """The lines that hold the answer: without blank ones, headings, a line that leads in, and remarks."""
    lines = [line.strip() for line in stated.strip().split("\n")]
    if len(lines) == 1:
        return lines
    kept: list[str] = []
    for line in lines:
        if not line or line.startswith("```"):
            continue
        suspect = line[-1] in ":*.!" or ":" in line or line[0] == "#"
        if not suspect or not _is_about_the_answer(line) or _form(line) in guide.whole:
            kept.append(line)
        elif kept and _HEADING_OR_LABEL.match(line):
            break
    return kept


def _is_about_the_answer(line: str) -> bool:
    """Whether a line is no item: a heading, "The authors are:", "These are all.", "Explanation: ..."."""
    if line[-1] in ":*.!" and (line.endswith((":", ":**", ":*", "**:")) or _is_remark(line)):
        return True
    return _HEADING_OR_LABEL.match(line) is not None


def _unnumbered(lines: list[str]) -> list[str]:
    """Lines without their bullets; numbers are bullets only where they count 1, 2, 3."""
    if not any(line[:1] in _BULLET_SIGNS for line in lines):
        return lines
    matches = [_BULLET.match(line) for line in lines]
    counted = [match and (match[1] or match[2]) for match in matches]
    in_turn = [number for number in counted if number] == [str(n) for n in range(1, sum(map(bool, counted)) + 1)]
    return [
        line[match.end() :] if match and (in_turn or not number) else line
        for line, match, number in zip(lines, matches, counted, strict=True)
    ]


def _items(stated: str, guide: Guide, numeric: bool) -> list[str]:
    """The items of a list as a person would count them."""
    lines = _lines(plain(stated), guide)
    if not lines:
        return []
    if len(lines) > 1 and all(line.endswith((",", ";", "，", "；")) for line in lines[:-1]):
        lines = [" ".join(lines)]  # one list, wrapped
    if len(lines) == 1:
        # "1. Tides, storms" is one item; "(1) Tides; (2) Wu" is numbered item by item.
        line = lines[0] if _SECOND.search(lines[0]) else _unnumbered(lines)[0]
        return _inline(line, guide, numeric)
    if all("|" in line for line in lines):
        return [cell for row in _without_ranks(_piped(lines, ())) for cell in row if cell]
    return _tidied(lines, guide)


def _inline(line: str, guide: Guide, numeric: bool) -> list[str]:
    """The items of a list on one line."""
    line = _without_lead_in(line.strip(), guide)
    if _BRACKETS.get(line[:1]) == line[-1:] and line.find(line[-1]) == len(line) - 1:
        line = line[1:-1]
    if numeric:
        return _tidied(_numeric_pieces(line, guide), guide)
    if (";" in line or "；" in line) and not guide.semicolons:
        return _tidied([line[start:end] for start, end in _without_and(line, _cuts(_SEMICOLON, line), guide)], guide)
    if _form(line) in guide.whole:
        return [line]
    quoted = _QUOTED.findall(line) if '"' in line or "“" in line else []
    if quoted and not _QUOTED.sub("", line).strip(" ."):
        return [item for item in quoted if item.strip()]
    return _tidied(_pieces(line, guide), guide)


def _without_lead_in(line: str, guide: Guide) -> str:
    """The line without "The authors are", unless the key has a title that begins so."""
    if ":" not in line and " is " not in line and " are " not in line and " was " not in line and " were " not in line:
        return line
    match = _LEAD_IN.match(line)
    if not match or match.end() == len(line) or any(form.startswith(_form(match[0])) for form in guide.whole):
        return line
    return line[match.end() :]


def _tidied(pieces: list[str], guide: Guide) -> list[str]:
    """The pieces of a list as items: without bullets and what else is no part of them, empty ones left out."""
    items = [piece.strip(_ENDS) for piece in _unnumbered(pieces)]
    if all(item and item[0].isalnum() and item[-1] not in ")]" for item in items):
        return items
    return [tidy for item in items if (tidy := _tidy(item, guide))]


def _tidy(item: str, guide: Guide) -> str:
    """An item without trailing separator and a count in brackets that explains it: "Lind (5 articles)"."""
    item = item.strip(_ENDS)
    if item.endswith((")", "]")) and _form(item) not in guide.whole:
        item = _COUNTED.sub("", item)
    return item if normal(item) else ""


def _cuts(pattern: re.Pattern[str], line: str, start: int = 0) -> list[tuple[int, int]]:
    """The stretches of `line` between the matches of `pattern`."""
    stretches, at = [], start
    for match in pattern.finditer(line, start):
        stretches.append((at, match.start()))
        at = match.end()
    return [*stretches, (at, len(line))]


def _pieces(line: str, guide: Guide) -> list[str]:
    """A line cut at its separators, the key's own titles left whole."""
    if guide.joined:
        return list(_rejoined(line, _without_and(line, _cuts(_SEPARATOR_OR_AND, line), guide), guide))
    stretches = _cuts(_SEPARATOR, line)
    stretches += _cuts(_AND, line, stretches.pop()[0])
    return [line[start:end] for start, end in _without_and(line, stretches, guide)]


def _without_and(line: str, stretches: list[tuple[int, int]], guide: Guide) -> list[tuple[int, int]]:
    """The stretches, "and Wu" shortened to "Wu", unless the key has a title such as "And then there were none"."""
    shortened = stretches[:1]
    for start, end in stretches[1:]:
        match = _LEADING_AND.match(line, start, end)
        kept = match is None or _form(line[start:end]) in guide.whole | guide.heads
        shortened.append((start if match is None or kept else match.end(), end))
    return shortened


def _rejoined(line: str, stretches: Sequence[tuple[int, int]], guide: Guide) -> Iterator[str]:
    """The pieces, those that together spell an item of the key put together again, the longest first."""
    at = 0
    while at < len(stretches):
        start, end = stretches[at]
        step = 1
        if _form(line[start:end]) in guide.heads:
            for last in range(min(at + guide.width, len(stretches) - 1), at, -1):
                if _form(line[start : stretches[last][1]]) in guide.joined:
                    end, step = stretches[last][1], last - at + 1
                    break
        yield line[start:end]
        at += step


def _numeric_pieces(line: str, guide: Guide) -> list[str]:
    """A line of numbers cut at its commas, those inside 1,234 left alone."""
    if ", " not in line and ";" not in line and _is_value(line, guide):
        return [line]  # "one hundred and five"
    stretches = _cuts(_COMMA_IN_NUMBERS, line)
    stretches += _cuts(_AND, line, stretches.pop()[0])
    pieces: list[str] = []
    for start, end in stretches:
        piece = line[start:end]
        # "100,200" alone may be two numbers or one; "100,200, 5" shows which comma separates.
        if "," in piece and ", " not in line and "; " not in line and not _is_value(piece, guide):
            pieces += piece.split(",")
        else:
            pieces.append(piece)
    return pieces


def _is_value(piece: str, guide: Guide) -> bool:
    number = number_of(piece)
    return number is not None and number.value in guide.values


_RULE_OFF = frozenset("-:=+ ")
_SUM = re.compile(r"[\d\s+×*·/÷().,=$−–-]{1,2000}")
_BETWEEN_ROWS = re.compile(r"\)\s?[,;]?\s?\(")
_ARROW = re.compile(r"[ \t](?:[-–—→]|->)[ \t]")
_BETWEEN_OPTIONS = re.compile(r"[,;\s]")
_CHOICE = re.compile(
    r"(?:(?:option|choice|candidate)\s?[(\[]?(?=\w)|[(\[]|(?=[a-z0-9]{1,3}\s?(?:\Z|[.:)\]]|[-–—]\s)))"
    r"(?:(?P<letter>[a-z])|(?P<digits>\d{1,3}))(?![\w'])[)\]]?",
    re.IGNORECASE,
)
_ANOTHER_CHOICE = re.compile(r"(?:\b(?:or|and|not)\b|[,/&])\s?(?:option\s)?[(\[]?(?:[A-Z]|\d{1,3})(?![\w'])")
_PAIR = re.compile(
    r"(?:(?<=[\s,;{(\[\"'])|\A)[\[(<]?(?:mask|slot|blank|citation|gap|question|item)?[ _#-]?(\d{1,3})[\])>\"']?\s?"
    r"(?:[:=→]|-+>?|–|is\b)\s?[\"'(\[]?(?:option |candidate )?(?:([a-z])|(\d{1,3}))(?![\w-])",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?<![^\s,;:\[\]()\"'])([^\s,;:\[\]()\"']{1,99})[ \t]?[:\[(, \t][ \t]?(\d{1,12})[ \t]?[-–:,][ \t]?(\d{1,12})(?!\d)"
)


def _piped(lines: Iterable[str], columns: Sequence[str]) -> list[list[str]]:
    """The rows of a table drawn with pipes, without its header."""
    rows: list[list[str]] = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if all(_RULE_OFF.issuperset(cell) for cell in cells):
            rows = []  # what stood above the rule was the header
        else:
            rows.append(cells)
    return _without_header(rows, columns)


def _without_header(rows: list[list[str]], columns: Sequence[str]) -> list[list[str]]:
    """The rows but for a first one that only names the columns."""
    named = rows and len(rows[0]) == len(columns) and list(map(normal, rows[0])) == list(map(normal, columns))
    return rows[1:] if named else rows


def _without_ranks(rows: list[list[str]]) -> list[list[str]]:
    """The rows without a first column that only counts 1, 2, 3."""
    counted = [row[0].rstrip(".") for row in rows if len(row) > 1]
    return [row[1:] for row in rows] if counted == [str(n) for n in range(1, len(rows) + 1)] else rows


_NO_GUIDE = Guide(())


# -- One reader a type --------------------------------------------------------------------------------------------


def _read_number(stated: Stated, wanted: Number) -> Number | None:
    """The one number that is stated; None where there is none, or more than one."""
    if _SIMPLE.fullmatch(stated.text):
        return number_of(stated.text)
    lines = [line for line in plain(stated.text).split("\n") if line.strip(" \t*_`#")]
    if not lines:
        return None
    if len(lines) == 1:
        return _number_in_line(lines[0], wanted.unit, last=not stated.marked)
    if stated.marked:
        at = next((at for at, line in enumerate(lines[:3]) if numbers_in(line)), 0)
        return _unless_contradicted(_number_in_line(lines[at], wanted.unit, last=False), lines[at + 1 :], wanted.unit)
    if numbers_in(lines[-1]):
        return _number_in_line(lines[-1], wanted.unit, last=True)
    return _unless_contradicted(number_of(lines[0], wanted.unit), lines[1:], wanted.unit)


def _unless_contradicted(number: Number | None, rest: Sequence[str], unit: str) -> Number | None:
    """The number, unless the lines after it offer another one or take it back."""
    if number is None or any(_HEDGE.search(line) for line in rest):
        return None
    others = (number_of(line, unit) for line in rest)
    return number if all(other is None or other.value == number.value for other in others) else None


def _number_in_line(line: str, unit: str, last: bool) -> Number | None:
    """The number of a line: its only one, the result of a sum, or that of its first (or last) sentence."""
    bullet = _BULLET.match(line)  # "1. 33.3" is the first and only item of a list
    bare = line[bullet.end() if bullet else 0 :].strip(" \t*_`").rstrip(".")
    if _SIMPLE.fullmatch(bare):
        return number_of(bare)
    whole = _number_in_sentence(line, unit)
    if whole is not None or _HEDGE.search(line):
        return whole
    sentences = [part for part in _SENTENCE_END.split(_ASIDE.sub("", line)) if part]
    return _number_in_sentence(sentences[-1 if last else 0], unit) if sentences else None


def _number_in_sentence(sentence: str, unit: str) -> Number | None:
    """The one number of a sentence, or what stands after the equals sign of a sum."""
    found = numbers_in(sentence)
    if len(found) == 1:
        return _as_number(found[0], sentence, unit)
    terms, _, result = sentence.rpartition("=")
    total = numbers_in(result)
    if len(total) != 1 or not _SUM.fullmatch(terms):
        return None
    return _as_number(total[0], result, unit)


def _read_text(stated: Stated, wanted: Text) -> Text | None:
    """The words that are stated."""
    guide = Guide((wanted,))
    lines = _lines(stated.text, guide)
    if not lines:
        return None
    # Reasoning ends in its answer; a title may be wrapped; a heap of names is no answer.
    reasoned = not stated.marked and 2 * sum(line.endswith((".", "!", "?")) for line in lines[:-1]) >= len(lines)
    line = lines[-1] if reasoned else " ".join(lines)
    if _form(line) in guide.whole:
        return Text(value=plain(line).strip())
    bullet = _BULLET.match(line)
    line = _tidy(_without_lead_in(plain(line[bullet.end() :] if bullet else line).strip(), guide), guide)
    return Text(value=line) if line else None


def _shape(items: Sequence[Atom]) -> tuple[bool, str]:
    """Whether the key's items are all numbers, and in which unit."""
    numbers = [item for item in items if item.type == "number"]
    return len(numbers) == len(items), numbers[0].unit if numbers else ""


def _atoms(items: Iterable[str], numeric: bool, unit: str) -> tuple[Atom, ...]:
    return tuple([_atom(item, numeric, unit) for item in items])


def _atom(item: str, numeric: bool, unit: str) -> Atom:
    """An item as a number where the key has numbers; what is none stays the text it is."""
    return (number_of(item, unit) if numeric else None) or _text(item)


def _text(item: str) -> Text:
    return _remembered_text(item) if len(item) <= LONGEST_CACHED else Text(value=item)


@lru_cache(maxsize=1 << 14)
def _remembered_text(item: str) -> Text:
    return Text(value=item)  # frozen, so that one will do for every reply that says the same


def _read_list(stated: Stated, wanted: Members | Multiset | Ranking) -> Answer | None:
    """The items that are stated, in the order they stand in."""
    items = _key_items(wanted)
    numeric, unit = _shape(items)
    guide = Guide(items)
    text = stated.text if stated.marked else _list_part(stated.text, guide)
    return _as_list(_atoms(_items(text, guide, numeric), numeric, unit), wanted)


def _key_items(wanted: Members | Multiset | Ranking) -> Sequence[Atom]:
    return [item for group in wanted.groups for item in group] if isinstance(wanted, Ranking) else wanted.items


def _spellings(wanted: Answer) -> Iterator[str]:
    """Every text of the key in each of its spellings."""
    items: Iterable[Atom] = ()
    if wanted.type == "text":
        items = (wanted,)
    elif wanted.type == "rows":
        items = (cell for row in wanted.rows for cell in row)
    elif isinstance(wanted, Members | Multiset | Ranking):
        items = _key_items(wanted)
    for item in items:
        if item.type == "text":
            yield from (item.value, *item.aliases)


def _as_list(items: tuple[Atom, ...], wanted: Members | Multiset | Ranking) -> Answer | None:
    """The items as the type of the key; in a set, what is said twice counts once."""
    if not items:
        return None
    if isinstance(wanted, Ranking):
        return Ranking.model_construct(groups=tuple([(item,) for item in items]))
    if isinstance(wanted, Multiset):
        return Multiset.model_construct(items=items)
    return Members.model_construct(items=tuple({(item.type, item.value): item for item in items}.values()))


def _list_part(text: str, guide: Guide) -> str:
    """Of a reply without a marker: all of it where it is a list, else the list it ends with, else its last line."""
    lines = [line.strip() for line in text.strip().split("\n")]
    if len(lines) == 1:
        return text
    said = [line for line in lines if line]
    if any(map(_is_bulleted, said)):
        return "\n".join(_last_list(said))
    spoken = any(_is_remark(line) and _form(line) not in guide.whole for line in said[1:-1])
    return said[-1] if spoken else text


def _is_bulleted(line: str) -> bool:
    return line.startswith("|") or bool(_BULLET.match(line))


def _last_list(lines: list[str]) -> list[str]:
    """The last run of bulleted lines, and whatever stands behind it."""
    first = max(at for at, line in enumerate(lines) if _is_bulleted(line))
    while first and _is_bulleted(lines[first - 1]):
        first -= 1
    return lines[first:]


def _read_rows(stated: Stated, wanted: Rows) -> Rows | None:
    """The rows of a table: drawn with pipes, or one a line."""
    guide = Guide(cell for row in wanted.rows for cell in row)
    lines = _lines(plain(stated.text), guide)
    piped = [line for line in lines if "|" in line]
    if piped:
        return _as_rows(_piped(piped, wanted.columns), wanted)
    numeric = [isinstance(cell, Number) for cell in wanted.rows[0]]
    if len(lines) == 1:
        lines = _rows_of_line(lines[0].strip(), numeric, guide)
    rows = [_cells(line, numeric, guide) for line in _unnumbered(lines)]
    return _as_rows(_without_header(rows, wanted.columns), wanted)


def _rows_of_line(line: str, numeric: Sequence[bool], guide: Guide) -> list[str]:
    """The rows that one line holds: "(a, 1), (b, 2)", "a, 1; b, 2", or just "a; 1"."""
    if line.startswith(("(", "[(")):
        return _BETWEEN_ROWS.split(line)
    parts = _SEMICOLON.split(line)
    lone = len(parts) == len(numeric) and not all(_cells(part, numeric, guide) for part in parts)
    return [line] if lone else parts


def _cells(line: str, numeric: Sequence[bool], guide: Guide) -> list[str]:
    """The cells of a row on one line; empty where they are not as many as the columns."""
    if len(numeric) == 1:
        return [_tidy(line, guide)]
    line = line.strip(" \t,;()[]")
    cells = _SEMICOLON.split(line)
    if len(cells) == len(numeric) and all(map(_SIMPLE.fullmatch, cells)):
        return cells
    first: list[str] = []
    for cells in _ways_to_cut(line, len(numeric), guide):
        if len(cells) == len(numeric):
            # "Tides, storms: 5" is cut where a number comes to stand in the column of numbers.
            if all(map(_fits, cells, numeric)):
                return cells
            first = first or cells
    return first


def _fits(cell: str, numeric: bool) -> bool:
    if numeric:
        return _SIMPLE.fullmatch(cell) is not None or number_of(cell) is not None
    return bool(normal(cell))


def _ways_to_cut(line: str, width: int, guide: Guide) -> Iterator[list[str]]:
    """A row cut in the ways people write one, the plainest first."""
    yield _SEMICOLON.split(line)
    yield line.split("\t")
    yield list(_rejoined(line, _cuts(_COMMA_IN_NUMBERS, line), guide))
    yield line.rsplit(", ", width - 1)
    yield _ARROW.split(line)
    yield line.rsplit(": ", width - 1)
    yield line.rsplit(" (", width - 1)
    yield line.split(",")


def _as_rows(rows: Sequence[Sequence[str]], wanted: Rows) -> Rows | None:
    """The rows as an answer; None where a row is not as wide as the key's."""
    kinds = [_shape((cell,)) for cell in wanted.rows[0]]
    if not rows or any(len(row) != len(kinds) or not all(row) for row in rows):
        return None
    made = [tuple([_atom(cell, *kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows]
    return Rows.model_construct(columns=wanted.columns, rows=tuple(made), ordered=wanted.ordered)


def _option(letter: str | None, digits: str | None, of: int) -> int | None:
    """The option's place, counted from one; None where there is no such option."""
    place = ord(letter.upper()) - ord("A") + 1 if letter else int(digits or 0)
    return place if 1 <= place <= of else None


def _read_choice(stated: Stated, wanted: Choice) -> Choice | None:
    """The one option that is stated, by its letter or its number."""
    text = stated.text.strip()
    text = plain(text if stated.marked else text.rpartition("\n")[2]).strip(" \t\n*_`\"'")
    match = _CHOICE.match(text)
    if not match or _ANOTHER_CHOICE.search(text, match.end(), match.end() + 400):
        return None
    option = _option(match["letter"], match["digits"], wanted.of)
    return Choice(option=option, of=wanted.of) if option else None


def _read_assignment(stated: Stated, wanted: Assignment) -> Assignment | None:
    """The option of each slot, from pairs such as "2: C" or from a plain list."""
    text = plain(stated.text)
    pairs = _PAIR.findall(text)
    if pairs:
        slots = {int(slot): _option(letter, digits, wanted.of) for slot, letter, digits in pairs}
        in_turn = [slots.get(slot) for slot in range(1, len(pairs) + 1)]
        return _assigned(in_turn, wanted.of)
    lines = _lines(text, _NO_GUIDE)
    line = " ".join(lines if stated.marked else lines[-1:])
    parts = [part.strip(" \"'()[]{}.") for part in _BETWEEN_OPTIONS.split(_without_lead_in(line, _NO_GUIDE))]
    return _assigned([_placed(part, wanted.of) for part in parts if part], wanted.of)


def _placed(part: str, of: int) -> int | None:
    """The option that a lone letter or number names."""
    if not part.isascii():
        return None
    if len(part) == 1 and part.isalpha():
        return _option(part, None, of)
    return _option(None, part, of) if part.isdigit() and len(part) < 4 else None


def _assigned(options: Sequence[int | None], of: int) -> Assignment | None:
    known = tuple(option for option in options if option)
    return Assignment(options=known, of=of) if known and len(known) == len(options) else None


def _read_spans(stated: Stated, wanted: Spans) -> Spans | None:
    """The passages that are stated, each as article:start-end."""
    places = [(article, int(start), int(end)) for article, start, end in _PLACE.findall(plain(stated.text))]
    if not places or any(start > end for _, start, end in places):
        return None
    return Spans(passages=tuple(Passage(article=article, span=Span(start, end)) for article, start, end in places))


def _read_anything(stated: Stated, wanted: Nothing) -> Text | None:
    """Where nothing is right, whatever else is stated, so that the verdict can show it."""
    said = plain(stated.text).strip()[:1000]
    return Text(value=said) if said else None


_READERS: dict[str, Callable[[Stated, Any], Answer | None]] = {
    "number": _read_number,
    "text": _read_text,
    "set": _read_list,
    "multiset": _read_list,
    "ranking": _read_list,
    "rows": _read_rows,
    "choice": _read_choice,
    "assignment": _read_assignment,
    "spans": _read_spans,
    "none": _read_anything,
}


def _from_json(value: Any, wanted: Answer) -> Answer | None:
    """The answer that a JSON value is."""
    if value is None or value in ([], {}):
        return Nothing()
    match wanted:
        case Members() | Multiset() | Ranking():
            items = [item for item in _scalars(value) or () if normal(item)]
            return _as_list(_atoms(items, *_shape(_key_items(wanted))), wanted)
        case Rows():
            return _as_rows(_json_rows([value] if _is_row(value, wanted) else value, wanted.columns), wanted)
        case Assignment() | Spans():
            said = _json_pairs(value)
        case _:
            said = _scalar(value[0] if isinstance(value, list) and len(value) == 1 else value)
    return _interpreted(Stated(said, marked=True), wanted)


def _is_row(value: Any, wanted: Answer) -> bool:
    """Whether a JSON object is a row: a column may be called "result", which then marks no answer."""
    return isinstance(wanted, Rows) and isinstance(value, dict) and len(value) == len(wanted.columns) > 1


def _json_rows(value: Any, columns: Sequence[str]) -> list[list[str]]:
    """The rows of a JSON list of lists or of objects; objects with the key's columns are put in their order."""
    rows = []
    for row in value if isinstance(value, list) else ():
        cells = row
        if isinstance(row, dict):
            named = {normal(name): cell for name, cell in row.items()}
            ordered = [named[normal(column)] for column in columns if normal(column) in named]
            cells = ordered if len(ordered) == len(columns) else list(row.values())
        rows.append([_scalar(cell) for cell in cells] if isinstance(cells, list) else [_scalar(cells)])
    return rows


def _json_pairs(value: Any) -> str:
    """Slots with their options, or passages, as one would write them on a line."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_scalar(cell)}" for name, cell in value.items())
    if not isinstance(value, list):
        return _scalar(value)
    if all(isinstance(item, dict) for item in value):
        return "; ".join(map(_json_place, value))
    return ", ".join(_scalars(value) or ())


def _json_place(place: dict[str, Any]) -> str:
    """A passage such as {"article": "a-1", "start": 3, "end": 9} as "a-1:3-9"."""
    ends = place.get("span") or [place.get("start"), place.get("end")]
    start, end = ends if isinstance(ends, list) and len(ends) == 2 else ("", "")
    return f"{_scalar(place.get('article'))}:{_scalar(start)}-{_scalar(end)}"


def _could_be_named(wanted: Answer) -> bool:
    """Whether the key itself holds a text such as "None", so that saying so may be an answer."""
    return any(normal(spelling) in _NOTHING for spelling in _spellings(wanted))


def _interpreted(stated: Stated, wanted: Answer) -> Answer | None:
    """What the statement says, as the type of the key."""
    text = stated.text.strip()
    if not text or len(text) > LONGEST_STATEMENT:
        return None
    last = "" if stated.marked else text[text.rfind("\n") + 1 :]
    silent = _says_nothing(text) or (len(last) not in {0, len(text)} and _says_nothing(last))
    if silent and not _could_be_named(wanted):
        return Nothing()
    return _READERS[wanted.type](stated, wanted)


def read_reply(text: str, wanted: Answer, *, cut: bool = False) -> Answer | None:
    """The answer that `text` states, of the type of `wanted`; `Nothing` where it says that there is none; None where
    nothing can be read. Of a text that was `cut` off only what it had boxed is read."""
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    try:
        text = text[text.rfind("</think>") + 8 :] if "</think>" in text else text
        stated = _where_it_stands(text, wanted, cut)
        return None if stated is None else _read(stated, wanted)
    except (ArithmeticError, LookupError, RecursionError, ValueError):
        return None  # no way here is known; a reply may still find one


def _read(stated: Stated, wanted: Answer) -> Answer | None:
    """What the statement says, whether it is JSON or not."""
    text = stated.text.strip()
    if "```" in text:
        text = (_last_fence(text) or text).strip()
    if text[:1] in {"{", "[", '"', "n"} and len(text) <= LONGEST_STATEMENT:
        value = _parsed(text)
        if value is not _ABSENT:
            return _from_json(value if _is_row(value, wanted) else _unwrapped(value), wanted)
    return _interpreted(Stated(text, stated.marked), wanted)

"""Parsing of printed numbers in the formats of inline XBRL."""

from __future__ import annotations

import re
from decimal import Context, Decimal

_MAX_DIGITS = 60
"""Maximum number of characters of a number."""
_EXACT = Context(prec=300)
_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")


def parse_number(text: str, form: str) -> Decimal:
    """Return the number in a text of the given format; raises ValueError if there is none."""
    name = form.rpartition(":")[2].replace("-", "").lower()
    words = " ".join(text.split())
    if name in ("fixedzero", "zerodash", "numdash", "zero"):
        if name in ("zerodash", "numdash") and not (words and set(words) <= _DASHES):
            raise ValueError(f"no dash: {words[:40]!r}")
        return Decimal(0)
    if name == "numwordsen":
        return Decimal(_words_to_number(words))
    if name == "numunitdecimal":
        return _plain(".".join(re.findall(r"[0-9]+", re.sub(r"(?<=[0-9])[,. ](?=[0-9]{3})", "", words))[:2]))
    decimal_sign = "," if name in _COMMA_FORMS else "."
    return _plain(_without_grouping(words, decimal_sign))


_COMMA_FORMS = frozenset(("numcommadecimal", "numcomma", "numdotcomma", "numspacecomma", "numcommadecimalapos"))
_GROUPING = str.maketrans("", "", " '`\u2019\u2032\u02b9")


def _without_grouping(words: str, decimal_sign: str) -> str:
    """Remove thousands separators, and use a point before the decimals."""
    words = words.translate(_GROUPING)
    if decimal_sign == ",":
        return words.replace(".", "").replace(",", ".")
    return words.replace(",", "")


def _plain(text: str) -> Decimal:
    if len(text) > _MAX_DIGITS or not re.fullmatch(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", text):
        raise ValueError(f"no number: {text[:40]!r}")
    return Decimal(text)


def _word_values(words: str, step: int) -> dict[str, int]:
    return {word: number * step for number, word in enumerate(words.split())}


_SMALL = _word_values(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen",
    1,
) | _word_values("zero ten twenty thirty forty fifty sixty seventy eighty ninety", 10)
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def _words_to_number(words: str) -> int:
    """Return the number in English words: "two hundred and fifty-three", "no"."""
    parts = re.findall(r"[a-z]+", words.lower()[:300])
    if parts in (["no"], ["none"], ["nil"], ["a"], ["an"]):
        return 1 if parts[0] in ("a", "an") else 0
    total = group = 0
    for part in parts:
        if part in _SMALL:
            group += _SMALL[part]
        elif part == "hundred":
            group = (group or 1) * 100
        elif part in _LARGE:
            total, group = total + (group or 1) * _LARGE[part], 0
        elif part != "and":
            raise ValueError(f"no number in words: {words[:40]!r}")
    if not parts:
        raise ValueError("no words")
    return total + group


def scaled_value(text: str, form: str, scale: str, sign: str) -> Decimal:
    """Return the exact value in plain units."""
    if not re.fullmatch(r"[-+]?[0-9]{1,2}", scale or "0"):
        raise ValueError(f"no scale: {scale[:20]!r}")
    value = parse_number(text, form).scaleb(int(scale or 0), _EXACT)
    if value and sign == "-":
        value = value.copy_negate()
    # Without an exponent: 391,035 in millions is 391035000000, not 3.91035E+11.
    return Decimal(format(value, "f")) if value else Decimal(0)

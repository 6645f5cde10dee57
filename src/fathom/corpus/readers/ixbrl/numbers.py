"""Numbers of filings: what a text prints in one of the forms that tags name."""

from __future__ import annotations

import re
from decimal import Context, Decimal

_MOST_DIGITS = 60
_EXACT = Context(prec=300)
_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")


def number_of(text: str, form: str) -> Decimal:
    """The number that a text prints in one of the named forms; raises ValueError where it is none."""
    name = form.rpartition(":")[2].replace("-", "").lower()
    words = " ".join(text.split())
    if name in ("fixedzero", "zerodash", "numdash", "zero"):
        if name in ("zerodash", "numdash") and not (words and set(words) <= _DASHES):
            raise ValueError(f"no dash: {words[:40]!r}")
        return Decimal(0)
    if name == "numwordsen":
        return Decimal(_in_words(words))
    if name == "numunitdecimal":
        return _plain(".".join(re.findall(r"[0-9]+", re.sub(r"(?<=[0-9])[,. ](?=[0-9]{3})", "", words))[:2]))
    decimal_sign = "," if name in _COMMA_FORMS else "."
    return _plain(_ungrouped(words, decimal_sign))


_COMMA_FORMS = frozenset(("numcommadecimal", "numcomma", "numdotcomma", "numspacecomma", "numcommadecimalapos"))
_GROUPING = str.maketrans("", "", " '`\u2019\u2032\u02b9")


def _ungrouped(words: str, decimal_sign: str) -> str:
    """Without the signs between thousands, and with a point before the decimals."""
    words = words.translate(_GROUPING)
    if decimal_sign == ",":
        return words.replace(".", "").replace(",", ".")
    return words.replace(",", "")


def _plain(text: str) -> Decimal:
    if len(text) > _MOST_DIGITS or not re.fullmatch(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", text):
        raise ValueError(f"no number: {text[:40]!r}")
    return Decimal(text)


def _counted(words: str, step: int) -> dict[str, int]:
    return {word: number * step for number, word in enumerate(words.split())}


_SMALL = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen",
    1,
) | _counted("zero ten twenty thirty forty fifty sixty seventy eighty ninety", 10)
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def _in_words(words: str) -> int:
    """The number that English words say: "two hundred and fifty-three", "no"."""
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


def value_of(text: str, form: str, scale: str, sign: str) -> Decimal:
    """The value in plain units, exactly."""
    if not re.fullmatch(r"[-+]?[0-9]{1,2}", scale or "0"):
        raise ValueError(f"no scale: {scale[:20]!r}")
    value = number_of(text, form).scaleb(int(scale or 0), _EXACT)
    if value and sign == "-":
        value = value.copy_negate()
    # Written out, so that 391,035 in millions is 391035000000 and not 3.91035E+11.
    return Decimal(format(value, "f")) if value else Decimal(0)

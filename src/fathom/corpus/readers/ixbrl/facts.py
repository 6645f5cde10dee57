"""Facts of a filing: their contexts, units and values, and the formats of printed numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, Decimal
from itertools import islice

from fathom.corpus.readers.ixbrl.elements import MAX_TEXT, attribute, element_text, is_ixbrl, local_name
from fathom.corpus.readers.parsing.xml_trees import Element

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
            raise ValueError(f"not a dash: {words[:40]!r}")
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
        raise ValueError(f"not a number: {text[:40]!r}")
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
            raise ValueError(f"not a number in words: {words[:40]!r}")
    if not parts:
        raise ValueError("no words")
    return total + group


def scaled_value(text: str, form: str, scale: str, sign: str) -> Decimal:
    """Return the exact value in plain units."""
    if not re.fullmatch(r"[-+]?[0-9]{1,2}", scale or "0"):
        raise ValueError(f"not a scale: {scale[:20]!r}")
    value = parse_number(text, form).scaleb(int(scale or 0), _EXACT)
    if value and sign == "-":
        value = value.copy_negate()
    # Without an exponent: 391,035 in millions is 391035000000, not 3.91035E+11.
    return Decimal(format(value, "f")) if value else Decimal(0)


@dataclass(frozen=True)
class FactContext:
    """Entity, period and dimensions of a fact."""

    entity: str = ""
    """The registrant's identifier: a CIK, a company number."""
    start: str = ""
    """An ISO date; empty for an instant."""
    end: str = ""
    """An ISO date: the instant, or the last day."""
    dimensions: tuple[tuple[str, str], ...] = ()
    """Pairs of axis and member; empty for the whole entity."""

    @property
    def period(self) -> str:
        """The instant, or "START/END"."""
        return f"{self.start}/{self.end}" if self.start else self.end

    @property
    def part(self) -> str:
        """The dimensions as text: "axis=member; axis=member"."""
        return "; ".join(f"{axis}={member}" for axis, member in self.dimensions)


@dataclass(frozen=True, kw_only=True)
class RawFact(FactContext):
    """One tagged fact, with its context."""

    concept: str
    """As written, with its prefix: "us-gaap:Revenues"."""
    numeric: bool
    value: Decimal | None
    """In plain units; None for text, nil and unparseable numbers."""
    unit: str
    text: str
    """As printed; long text is truncated."""
    hidden: bool
    """Whether it is in the hidden part of the file."""
    decimals: str
    """Precision, as written: "-6" for millions, "INF" for exact."""
    fault: str = ""
    """Why a number has no value."""


# Contexts and units.


def read_context(element: Element) -> FactContext:
    """Return the context that an element defines."""
    entity = start = end = ""
    dimensions: list[tuple[str, str]] = []
    for inner in element.iter():
        match local_name(inner):
            case "identifier":
                entity = element_text(inner).strip()
            case "instant" | "enddate":
                end = _day(element_text(inner), last=True)
            case "startdate":
                start = _day(element_text(inner), last=False)
            case "explicitmember" | "typedmember":
                dimensions.append((attribute(inner, "dimension"), " ".join(element_text(inner).split())))
    return FactContext(entity, start, end, tuple(dimensions))


_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(T00:00:00)?")


def _day(text: str, last: bool) -> str:
    """Return an ISO date. Midnight at the end of a period means the day before."""
    match = _DAY.match(text.strip())
    if match is None:
        return ""
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        return (day - timedelta(days=1) if match[4] and last else day).isoformat()
    except (ValueError, OverflowError):
        return ""


def read_unit(element: Element) -> str:
    """Return a unit such as "USD" or "USD/shares"."""
    numerator: list[str] = []
    denominator: list[str] = []
    for inner in element.iter():
        if local_name(inner) == "measure":
            parent = inner.getparent()
            measures = denominator if parent is not None and local_name(parent) == "unitdenominator" else numerator
            measures.append(element_text(inner).strip().rpartition(":")[2])
    return "*".join(numerator) + ("/" + "*".join(denominator) if denominator else "")


# Values.


def fact_value(element: Element) -> Decimal:
    """Return the value of a tagged number or fraction; raises ValueError if it is not a number."""
    return _fraction_value(element) if local_name(element) == "fraction" else _number_value(element)


def _number_value(element: Element) -> Decimal:
    form, scale, sign = (attribute(element, name) for name in ("format", "scale", "sign"))
    return scaled_value(element_text(element), form, scale, sign)


def _fraction_value(element: Element) -> Decimal:
    """Return the value of a tagged fraction: 0.25 for "1 for every 4"."""
    parts = {
        name: inner
        for inner in islice(element.iter(), MAX_TEXT)
        if (name := local_name(inner)) in _FRACTION_PARTS and is_ixbrl(inner)
    }
    if len(parts) < len(_FRACTION_PARTS):
        raise ValueError("a fraction without numerator or denominator")
    numerator, denominator = (_number_value(parts[name]) for name in _FRACTION_PARTS)
    if not denominator:
        raise ValueError("a fraction with a zero denominator")
    return Decimal(format(numerator / denominator, "f"))


_FRACTION_PARTS = ("numerator", "denominator")

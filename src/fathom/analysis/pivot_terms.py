"""Terms of a pivot table, resolved in the data: filters ("length>=128K") and measures ("seconds:median")."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np

from fathom.analysis.intervals import BoolArray, FloatArray
from fathom.analysis.response_table import Property, ResponseColumn, ResponseTable, ValueFormat, matching, plain_name
from fathom.records.errors import FathomError
from fathom.records.lengths import parse_length

MAX_LISTED = 40
"""Names and values that an error message lists."""

COUNTS = ("questions", "responses", "runs", "contexts")
"""Measures that count instead of averaging."""
SHARE = "share"
"""The measure of tables by a property of responses: the share of responses that have the value."""
PER_CORRECT = "dollars-per-correct"
STATISTICS = ("mean", "macro", "median", "min", "max", "sd", "var", "sum", "count", "correlation")
"""Statistics that may follow a measure after a colon; also percentiles such as p90."""


@dataclass(frozen=True)
class TableMeasure:
    """The measure in the cells of a table."""

    name: str
    """As it was given."""
    statistic: str
    """One of `STATISTICS` or p90; for other measures: share, number, pass, ratio."""
    kind: ValueFormat
    column: ResponseColumn | None = None
    k: int = 0
    """The k of pass@k."""


@dataclass(frozen=True)
class PivotTerms:
    """Looks up names in the responses, with the user's renamed values and bins."""

    table: ResponseTable
    rename: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By property: patterns of values, and the name that they get."""
    bins: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By number: the limits of the ranges that it is grouped into."""
    unmatched: list[str] = field(default_factory=list)
    """Values in conditions and renames that no response has, such as "system=sql"."""

    def property(self, name: str, option: str) -> Property:
        """The property of that name. `option` is the option that it was given in, for the error message."""
        name = plain_name(name)
        if name in self.bins:
            named_property = self._ranges_of(name)
        else:
            table_property = self.table.property(name)
            if table_property is None:
                ranges = " It is a number: group it into ranges with --bins." * (name in self.table.column_names)
                raise unknown_name_error(f"{option}: there is no property", name, self.table.property_names, ranges)
            named_property = table_property
        if name not in self.rename:
            return named_property
        patterns = [pattern for pattern in self.rename[name] if not matching(named_property.values, pattern)]
        self.unmatched.extend(f"{named_property.name}={pattern}" for pattern in patterns)
        return named_property.renamed(self.rename[name])

    def _ranges_of(self, name: str) -> Property:
        column = self.table.column(name)
        if column is None:
            raise unknown_name_error("--bins: there is no number", name, self.table.column_names)
        limits = [as_number(limit) for limit in self.bins[name]]
        if not limits or any(np.isnan(limits)) or sorted(set(limits)) != limits:
            raise FathomError(f"--bins: give the limits of '{name}' as ascending numbers, such as {name}=15K,20K.")
        return self.table.binned(column, limits, self.bins[name])

    # Filters.

    def where(self, conditions: Iterable[str]) -> BoolArray:
        """For each response, whether it meets all conditions."""
        selected = np.ones(self.table.size, dtype=bool)
        for condition in conditions:
            selected &= self._condition_mask(condition)
        return selected

    def _condition_mask(self, condition: str) -> BoolArray:
        match = re.fullmatch(r"\s*([^=!<>]+?)\s*(!=|>=|<=|=|>|<)\s*(.*?)\s*", condition, re.DOTALL)
        if match is None:
            raise FathomError(
                f"--where does not take '{condition}'. Give a condition such as length>=128K or task=choice."
            )
        name, sign, value = plain_name(match[1]), match[2], match[3]
        is_number = name in self.table.column_names and name not in self.bins
        if name not in (*self.table.property_names, *self.bins):
            if not is_number:
                names = (*self.table.property_names, *self.table.column_names)
                raise unknown_name_error("--where: there is no property", name, names)
            return self._where_number(name, sign, value)
        named_property = self.property(name, "--where")
        if sign in ("=", "!="):
            codes = self._codes(named_property, value)
            if not codes and is_number and not np.isnan(as_number(value)):
                return self._where_number(name, sign, value)
            if not codes:
                raise unknown_name_error(f"'{named_property.name}' has no value", value, named_property.values)
            matches = named_property.having(codes, self.table.size)
            return np.asarray(matches == (1 if sign == "=" else 0))
        if is_number:
            return self._where_number(name, sign, value)
        return np.asarray(named_property.having(_codes_compared(named_property, sign, value), self.table.size) == 1)

    def _codes(self, axis: Property, text: str) -> list[int]:
        """The values that are meant: the text as a whole, or each of its parts between commas; none if none exists."""
        exact = matching(axis.values, text)
        if exact or "," not in text:
            return exact
        parts = {part.strip(): matching(axis.values, part.strip()) for part in text.split(",")}
        all_codes = [code for codes in parts.values() for code in codes]
        self.unmatched.extend(f"{axis.name}={part}" for part, codes in parts.items() if all_codes and not codes)
        return all_codes

    def _where_number(self, name: str, sign: str, value: str) -> BoolArray:
        column = self.table.column(name)
        assert column is not None
        limit = as_number(value)
        if np.isnan(limit):
            raise FathomError(f"--where: '{name}' is a number, but '{value}' is not. Give a number such as 20 or 64K.")
        with np.errstate(invalid="ignore"):
            return np.asarray(_SIGNS[sign](column.values, limit))

    # Measures.

    def measure(self, name: str) -> TableMeasure:
        """The measure of that name."""
        text = name.strip()
        if "=" in text:
            return self._share_of(text)
        base, _, statistic = text.partition(":")
        base, statistic = plain_name(base), statistic.strip().lower()
        if base == SHARE:
            return TableMeasure(base, "share", "share")
        if base in COUNTS:
            return TableMeasure(base, "number", "count")
        if base == PER_CORRECT:
            return TableMeasure(base, "ratio", "money", self.table.column("dollars"))
        if passed := re.fullmatch(r"pass@(\d+)", base):
            return TableMeasure(base, "pass", "share", self.table.column("accuracy"), int(passed[1]))
        column = self.table.column(base)
        if column is None:
            raise unknown_name_error("--measure: there is no measure", base, self.measure_names(), _MEASURE_HINT)
        if statistic and statistic not in STATISTICS and not re.fullmatch(r"p(100|\d\d?)", statistic):
            raise unknown_name_error(f"--measure: '{base}' has no statistic", statistic, (*STATISTICS, "p90"))
        kind: ValueFormat = "number" if statistic in ("correlation", "var") else column.kind
        kind = "count" if statistic == "count" else kind
        return TableMeasure(text, statistic or "mean", kind, column)

    def measure_names(self) -> tuple[str, ...]:
        """The names of all measures, except shares such as "outcome=refused"."""
        return (*self.table.column_names, PER_CORRECT, "pass@k", SHARE, *COUNTS)

    def _share_of(self, text: str) -> TableMeasure:
        """The share of responses that meet a condition, such as "outcome=refused"."""
        name = plain_name(re.split(r"[=!<>]", text, maxsplit=1)[0])
        if name not in self.table.property_names:
            raise unknown_name_error("--measure: there is no property", name, self.table.property_names)
        values = self._condition_mask(text).astype(float)
        return TableMeasure(text, "mean", "share", ResponseColumn(text, "share", "response", values, True))


_MEASURE_HINT = " The share of responses with a value is a measure too: outcome=refused, pattern=NAME."

_SIGNS: dict[str, Callable[[FloatArray, float], BoolArray]] = {
    "=": lambda values, limit: np.asarray(values == limit),
    "!=": lambda values, limit: np.asarray(values != limit),
    ">": lambda values, limit: np.asarray(values > limit),
    ">=": lambda values, limit: np.asarray(values >= limit),
    "<": lambda values, limit: np.asarray(values < limit),
    "<=": lambda values, limit: np.asarray(values <= limit),
}


def _codes_compared(axis: Property, sign: str, value: str) -> list[int]:
    """The values of an ordered property that are above or below another one."""
    limit = as_number(value)
    numbers = np.array([as_number(text) for text in axis.values])
    if not np.isnan(limit) and not np.isnan(numbers).any():
        return [int(code) for code in np.flatnonzero(_SIGNS[sign](numbers, limit))]
    if not axis.is_ordered:
        raise FathomError(f"--where: the values of '{axis.name}' have no order. Compare it with = or !=.")
    if value not in axis.values:
        raise unknown_name_error(f"'{axis.name}' has no value", value, axis.values)
    position = axis.values.index(value)
    return [int(code) for code in np.flatnonzero(_SIGNS[sign](np.arange(len(axis.values), dtype=float), position))]


def as_number(text: str) -> float:
    """A number, a length such as 64K, or the start of a range such as 5-8; NaN for other texts."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(parse_length(re.sub(r"(?<=\d)(-.*|\+)$", "", text.strip())))
    except FathomError:
        return float("nan")


def unknown_name_error(problem: str, name: str, names_in_table: Iterable[str], hint: str = "") -> FathomError:
    """An error that lists what exists, with the closest names first."""
    names = list(dict.fromkeys(names_in_table))
    by_case = {similar.lower(): similar for similar in names}
    closest = [by_case[similar] for similar in get_close_matches(name.lower(), by_case, n=3, cutoff=0.6)]
    suggestion = f" Did you mean {' or '.join(closest)}?" if closest else ""
    choices = ", ".join(names[:MAX_LISTED]) + (
        f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    )
    return FathomError(f"{problem} '{name}'.{suggestion}{hint} Choose from: {choices or 'nothing'}.")

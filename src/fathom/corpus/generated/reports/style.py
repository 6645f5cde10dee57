"""The style in which an entity prints its figures: the same in every report, different between entities."""

from __future__ import annotations

from calendar import month_name
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from random import Random
from typing import Any, Literal, NamedTuple

from fathom.corpus.generated.reports.ledger import rounded
from fathom.corpus.package_data import read_data

MetricKind = Literal["money", "price", "per_share", "count", "percent", "rate", "ratio", "month"]

DECIMALS: Mapping[MetricKind, int] = {
    "price": 0,
    "per_share": 2,
    "count": 0,
    "percent": 1,
    "rate": 2,
    "ratio": 1,
    "month": 0,
}
"""Decimals of each kind; those of money depend on the scale of the entity."""


@dataclass(frozen=True, slots=True)
class ReportAttribute:
    """One attribute of an entity."""

    id: str
    kind: MetricKind
    labels: Mapping[str, tuple[str, ...]]
    """Wordings by language, the plainest first."""
    unit: str
    """The unit, such as "persons" or "%"; empty for a bare number and for money, which has the entity's currency."""
    low: float
    high: float
    """The plausible range of an entity's yearly value, in plain units."""
    equals: tuple[str, ...] = ()
    """Metrics of the same part and period that add up to it; "-x" is subtracted."""
    at_most: str | None = None
    """A metric of the same part and period that it never exceeds."""
    sums: tuple[str, ...] = ()
    """The groups of parts over which it adds up to the whole entity's value; "quarter": over quarters to the year's."""
    withheld: float = 0.0
    """The probability that a report withholds it."""

    @property
    def is_currency(self) -> bool:
        """Whether it is measured in the entity's currency."""
        return self.kind in ("money", "price", "per_share")


read_words = partial(read_data, f"{__package__}/words")
"""The content of `words/NAME.toml`."""


@cache
def catalog(domain: str) -> Mapping[str, ReportAttribute]:
    """The metrics of a domain by id: those of "companies", "universities" or "housing"."""
    return {id: _metric(id, entry) for id, entry in read_words(f"{domain}.metrics").items()}


def _metric(id: str, entry: Mapping[str, object]) -> ReportAttribute:
    """The metric of one table of the file; lists become tuples, labels are collected by language."""
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    labels = {language: fields.pop(language) for language in ("en", "zh") if language in fields}
    unit = "%" if fields["kind"] in ("percent", "rate") else fields.pop("unit", "")
    return ReportAttribute(id=id, labels=labels, unit=unit, **fields)  # type: ignore[arg-type]


FigureForm = Literal["usual", "exact", "about", "before", "withheld"]
"""In prose: rounded in the entity's style; as in its tables; to three digits; as in the last report; withheld."""


class PrintedFigure(NamedTuple):
    """A figure as it is printed."""

    text: str
    value: Decimal | None
    """The value of the text in plain units."""
    before: str = ""
    after: str = ""
    """Currency and scale around the number."""


@dataclass(frozen=True, slots=True)
class FigureStyle:
    """How one entity prints figures."""

    language: str
    currency: str
    money_size: int
    """The value of 1 in a table of money: 1000 in a table of thousands."""
    money_decimals: int
    money_unit: str
    """The scale as captions print it: "EUR million"."""
    separator: str
    """The thousands separator."""
    brackets: bool
    """Whether tables print negative figures in brackets."""
    minus: str
    """The minus sign."""
    missing: str
    """Printed where a figure is withheld."""
    missing_in_prose: str
    prose_before: str
    prose_words: Mapping[int, str]
    """The text after an amount of money in prose, by scale: " million" for 1000000."""
    prose_steps: tuple[int, ...]
    """The scales that prose rounds to, largest first."""
    prose_decimals: int
    percent: str
    newest_first: bool
    """Whether the current year's column comes before last year's."""
    labels: Mapping[str, str]
    """Each metric's wording."""
    units: Mapping[str, str]
    """How row labels print a unit."""
    per_share: str
    """The unit of per-share figures in row labels."""
    price: str
    """The unit of plain sums of money in row labels."""
    month: str
    """How tables print a month that is not given in figures."""
    year_column: str
    quarter_columns: tuple[str, ...]
    restated_column: str
    caption: str
    caption_with_unit: str
    label_with_unit: str
    numbering: str
    numerals: tuple[str, ...]

    def decimals(self, metric: ReportAttribute) -> int:
        """The decimals of the figures of `metric`."""
        return self.money_decimals if metric.kind == "money" else DECIMALS[metric.kind]

    def unit(self, metric: ReportAttribute) -> str:
        """The unit of a fact of `metric`."""
        return self.currency if metric.is_currency else metric.unit

    def value(self, metric: ReportAttribute, amount: int) -> Decimal:
        """`amount` in plain units."""
        return _unscaled(amount, self.decimals(metric), self.money_size if metric.kind == "money" else 1)

    def in_table(self, metric: ReportAttribute, amount: int | None) -> PrintedFigure:
        """The figure as a cell prints it."""
        if amount is None:
            return PrintedFigure(self.missing, None)
        if metric.kind == "month":
            return PrintedFigure(self._month(amount), Decimal(amount))
        digits = _digits(amount, self.decimals(metric), self.separator)
        signed = digits if amount >= 0 else f"({digits})" if self.brackets else self.minus + digits
        return PrintedFigure(signed, self.value(metric, amount))

    def in_prose(self, metric: ReportAttribute, amount: int, form: FigureForm) -> PrintedFigure:
        """The figure as a sentence prints it."""
        decimals, size = self.decimals(metric), self.money_size if metric.kind == "money" else 1
        if form == "about":
            amount = _three_digits(amount)
        elif form == "usual" and metric.kind == "money":
            amount, decimals, size = self._rounded(amount)
        text = ("" if amount >= 0 else self.minus) + _digits(amount, decimals, self.separator)
        before, after = ("", self.percent) if metric.unit == "%" else ("", "")
        if metric.is_currency:
            before, after = self.prose_before, self.prose_words[size]
        return PrintedFigure(text, _unscaled(amount, decimals, size), before, after)

    def _month(self, amount: int) -> str:
        """A month, given as 202106: in figures, or as the language writes it."""
        year, number = divmod(amount, 100)
        form = "{year}-{number:02}" if self.brackets else self.month
        return form.format(year=year, number=number, name=month_name[number])

    def _rounded(self, amount: int) -> tuple[int, int, int]:
        """An amount of money in its largest scale: the amount, its decimals and the scale."""
        # A grain is the last decimal of a money table. Amounts are counted in grains, so that rounding is exact.
        grains = 10**self.money_decimals
        for size in self.prose_steps:
            reaches = abs(amount) * self.money_size >= size * grains
            if reaches and size > self.money_size:
                decimals = self.prose_decimals
                # Prose never shows more digits than the table.
                while decimals and size * grains < self.money_size * 10**decimals:
                    decimals -= 1
                return rounded(amount * self.money_size * 10**decimals, size * grains), decimals, size
        return amount, self.money_decimals, self.money_size

    def row_unit(self, metric: ReportAttribute) -> str:
        """The unit as the label of a row or column prints it; empty if the figure is a bare number."""
        if metric.kind == "money":
            return self.money_unit
        return {"price": self.price, "per_share": self.per_share}.get(metric.kind) or self.units.get(metric.unit, "")


def choose_style(rng: Random, language: str, metrics: Mapping[str, ReportAttribute], small: bool) -> FigureStyle:
    """The style of one entity; a `small` one, with figures below a billion, uses fine scales."""
    words = read_words(f"language.{language}")
    currency: dict[str, str] = rng.choice(words["currencies"])
    scale: dict[str, Any] = rng.choice([scale for scale in words["scales"] if scale["fine"] or not small])
    prose: dict[str, Any] = rng.choice(words["prose"])
    caption: dict[str, str] = rng.choice(words["captions"])
    column: dict[str, Any] = rng.choice(words["columns"])
    return FigureStyle(
        language=language,
        currency=currency["code"],
        money_size=scale["size"],
        money_decimals=scale["decimals"],
        money_unit=rng.choice(scale["units"]).format(**currency),
        separator=rng.choice(currency["separators"]),
        brackets=rng.random() < words["brackets"],
        minus=rng.choice(words["minus"]),
        missing=rng.choice(words["missing"]),
        missing_in_prose=rng.choice(words["missing_in_prose"]),
        prose_before=prose["before"].format(**currency),
        prose_words={int(size): word.format(**currency) for size, word in prose["words"].items()},
        prose_steps=tuple(prose["steps"]),
        prose_decimals=rng.choice(prose["decimals"]),
        percent=rng.choice(words["percent"]),
        newest_first=rng.random() < 0.75,
        labels={metric.id: rng.choice(metric.labels[language]) for metric in metrics.values()},
        units=words["units"],
        per_share=words["per_share"].format(**currency),
        price=words["price"].format(**currency),
        month=words["month"],
        year_column=column["year"],
        quarter_columns=tuple(column["quarters"]),
        restated_column=rng.choice(words["restated"]),
        caption=caption["plain"],
        caption_with_unit=caption["with_unit"],
        label_with_unit=words["label_with_unit"],
        numbering=rng.choice(words["numbering"]),
        numerals=tuple(words["numerals"]),
    )


def _digits(amount: int, decimals: int, separator: str) -> str:
    """The figure without its sign."""
    integer, fraction = divmod(abs(amount), 10**decimals)
    grouped = f"{integer:,}" if separator == "," else f"{integer:,}".replace(",", separator)
    return f"{grouped}.{fraction:0{decimals}d}" if decimals else grouped


def _unscaled(amount: int, decimals: int, size: int) -> Decimal:
    """The value in plain units, without trailing zeros if it is whole."""
    integer, fraction = divmod(amount * size, 10**decimals)
    return Decimal(amount * size).scaleb(-decimals) if fraction else Decimal(integer)


def _three_digits(amount: int) -> int:
    """The figure rounded to three significant digits."""
    step = int("1" + "0" * max(0, len(str(abs(amount))) - 3))
    return rounded(amount, step) * step

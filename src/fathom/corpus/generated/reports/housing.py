"""Housing markets: districts and types of home, sold quarter by quarter; rents, permits, mortgages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random

from fathom.corpus.generated.reports.entity import Entity, Origin, combine_words, pick_words, quarter_key, year_key
from fathom.corpus.generated.reports.ledger import (
    FIRST_YEAR,
    REPORTS,
    YEARS,
    Inputs,
    Ledger,
    Restatement,
    drift_within,
    growth,
    rounded,
    share,
    shocks,
    split,
    walk,
)
from fathom.corpus.generated.reports.pack import LanguagePack
from fathom.corpus.generated.reports.style import FigureStyle, choose_style
from fathom.records.rng import rng_for

_PER_MILLE: Mapping[str, tuple[float, float, float]] = {
    "rental_vacancy_rate": (12, 68, 9),
    "first_time_buyer_share": (210, 420, 22),
    "cash_buyer_share": (140, 360, 20),
    "investor_share": (70, 240, 18),
    "price_to_income": (42, 118, 4),
    "new_build_weight": (90, 260, 25),
    "loan_to_value": (640, 800, 12),
}
"""Shares in tenths of a percent, and a ratio in tenths: lowest, highest, and how much they change in a year."""

_FLOWS = ("homes_sold", "new_listings", "permits", "completions")
"""Counts that add up over districts and quarters."""
_LEVELS = ("median_price", "mean_price", "price_per_m2", "median_rent", "days_on_market")
"""Figures of a district, and of the whole market as their average, weighted by listings."""
_ROUND_TO: Mapping[str, int] = {"median_price": 100, "mean_price": 100, "price_per_m2": 10}
"""The units to which prices of the whole market are rounded."""
_COPIED = (
    *("rental_vacancy_rate", "first_time_buyer_share", "cash_buyer_share", "investor_share", "price_to_income"),
    *("loan_to_value", "housing_starts", "households"),
)
"""Inputs that are printed unchanged."""
_QUARTERS = (1, 2, 3, 4)


def generate_market(origin: Origin, pack: LanguagePack) -> Entity:
    """The housing market; the same for the same origin."""
    rng = rng_for(origin.seed, origin.domain, "market", origin.number)
    names = pack.names
    fullness = max(rng.uniform(0.1, 1), rng.uniform(0.1, 1))
    towns = combine_words(names["beginnings"], names["endings"])
    town, pattern = pick_words([towns, names["patterns"]], origin.seed, origin.domain, origin.number)
    name = pattern.format(town=town)
    districts = tuple(rng.sample(names["districts"], 6 + round(10 * fullness * rng.uniform(0.7, 1))))
    types = tuple(names["types"])
    style = choose_style(rng, pack.language, pack.metrics, small=True)
    inputs = _draw_inputs(rng, districts, types) | _draw_months(origin)
    derive = partial(_derive, districts=districts, types=types, grains_per_unit=_grains(style))
    return Entity(
        origin=origin,
        name=name,
        metrics=pack.metrics,
        words={"name": name, "town": town, **_words(rng, names)},
        parts={"district": districts, "type": types},
        style=style,
        fullness=fullness,
        inputs=inputs,
        derive=derive,
        restatements=_restatements(rng, inputs, districts),
    )


def _grains(style: FigureStyle) -> tuple[int, int]:
    """How many grains (last decimals of a money table) one unit of the currency is, as a fraction."""
    return 10**style.money_decimals, style.money_size


def _words(rng: Random, names: Mapping[str, list[str]]) -> dict[str, str]:
    """The people and projects that the templates mention."""
    people = combine_words(names["given"], [f" {family}" for family in names["families"]])
    director, economist = rng.sample(people, 2)
    scheme, other_scheme = rng.sample(names["schemes"], 2)
    return {
        "publisher": rng.choice(names["publishers"]),
        "registry": rng.choice(names["registries"]),
        "director": director,
        "economist": economist,
        "scheme": scheme,
        "other_scheme": other_scheme,
        "bank": rng.choice(names["banks"]),
    }


def _draw_inputs(rng: Random, districts: tuple[str, ...], types: tuple[str, ...]) -> Inputs:
    """The market's drawn figures for all years and quarters."""
    inputs: Inputs = {}
    size, price = rng.uniform(250, 1500), rng.uniform(180_000, 620_000)
    cycle = [up - 1 for up in walk(rng, 1.0, rng.uniform(0.0, 0.05), 0.02)]
    blows = shocks(rng, 0.15, 0.2)
    for district in districts:
        _add_prices(rng, inputs, district, price * rng.uniform(0.6, 1.7), cycle)
        _add_counts(rng, inputs, district, size * rng.uniform(0.4, 1.9), blows)
    for kind, relative_price in zip(types, (1.45, 1.05, 0.92, 0.7), strict=True):
        _add_type(rng, inputs, kind, relative_price)
    rates = {metric: drift_within(rng, *bounds) for metric, bounds in _PER_MILLE.items()}
    households = walk(rng, size * len(districts) * rng.uniform(18, 26), 0.008, 0.004)
    rent_share = rng.uniform(0.93, 0.98)
    mortgage = rng.uniform(140, 330)
    for at, year in enumerate(YEARS):
        inputs.update({year_key(metric, year): int(path[at]) for metric, path in rates.items()})
        inputs[year_key("households", year)] = int(households[at])
        permits = sum(inputs[quarter_key("permits", year, number, d)] for d in districts for number in _QUARTERS)
        inputs[year_key("housing_starts", year)] = int(permits * rng.uniform(0.82, 0.97))
        inputs[year_key("rent_share", year)] = int(1000 * rent_share)
        for number in _QUARTERS:
            mortgage = min(720.0, max(95.0, mortgage + rng.uniform(-22, 22) + (28 if year >= 2022 else -6)))
            inputs[quarter_key("mortgage_rate", year, number)] = int(mortgage)
            inputs[quarter_key("financed", year, number)] = int(1000 * rng.uniform(0.62, 0.78))
            inputs[quarter_key("stock", year, number)] = int(1000 * rng.uniform(0.7, 1.3))
            inputs[quarter_key("season", year, number)] = 970 + 15 * number + rng.randint(-8, 8)
    return inputs


def _draw_months(origin: Origin) -> Inputs:
    """The month with most permits in the quarter that has most of them, counted from one."""
    rng = rng_for(origin.seed, origin.domain, "months", origin.number)
    return {year_key("peak_month_in_quarter", year): rng.randint(1, 3) for year in YEARS}


def _add_prices(rng: Random, inputs: Inputs, district: str, price: float, cycle: list[float]) -> None:
    """Prices, rents and times on the market of a district, in round sums."""
    path = walk(rng, price, rng.uniform(0.0, 0.03), 0.03)
    skew, yields, area = rng.uniform(1.05, 1.24), drift_within(rng, 0.034, 0.06, 0.002), rng.uniform(72, 118)
    days = drift_within(rng, 18, 95, 12)
    for at, year in enumerate(YEARS):
        median = path[at] * (1 + cycle[at])
        inputs[year_key("median_price", year, district)] = 500 * int(median / 500)
        inputs[year_key("mean_price", year, district)] = 100 * int(median * skew * rng.uniform(0.99, 1.01) / 100)
        inputs[year_key("price_per_m2", year, district)] = 10 * int(median / area / 10)
        inputs[year_key("median_rent", year, district)] = 5 * int(median * yields[at] / 60)
        inputs[year_key("days_on_market", year, district)] = int(days[at])


def _add_counts(rng: Random, inputs: Inputs, district: str, size: float, blows: list[float]) -> None:
    """Sales, listings, permits and completions of a district in each quarter."""
    sales = walk(rng, size, rng.uniform(-0.02, 0.03), 0.08, blows)
    listing_ratios, permit_ratios = drift_within(rng, 1.08, 1.5, 0.08), drift_within(rng, 0.08, 0.4, 0.05)
    season = (0.88, 1.14, 1.06, 0.92)
    for index, year in enumerate(YEARS):
        for number, weight in zip(_QUARTERS, season, strict=True):
            sold = 3 + int(sales[index] / 4 * weight * rng.uniform(0.9, 1.1))
            permits = 1 + int(sales[index] / 4 * permit_ratios[index] * rng.uniform(0.75, 1.25))
            inputs[quarter_key("homes_sold", year, number, district)] = sold
            inputs[quarter_key("new_listings", year, number, district)] = (
                int(sold * listing_ratios[index] * rng.uniform(0.95, 1.08)) + 1
            )
            inputs[quarter_key("permits", year, number, district)] = permits
            inputs[quarter_key("completions", year, number, district)] = int(permits * rng.uniform(0.6, 1.05))


def _add_type(rng: Random, inputs: Inputs, kind: str, relative_price: float) -> None:
    """Sales, price and time on the market of a type of home, relative to all homes."""
    weight = drift_within(rng, 0.5, 2.0, 0.1)
    price = drift_within(rng, relative_price * 0.93, relative_price * 1.07, 0.02)
    days = drift_within(rng, 0.75, 1.3, 0.08)
    for at, year in enumerate(YEARS):
        inputs[year_key("weight", year, kind)] = int(1000 * weight[at])
        inputs[year_key("relative_price", year, kind)] = int(1000 * price[at])
        inputs[year_key("relative_days", year, kind)] = int(1000 * days[at])


def _restatements(rng: Random, inputs: Inputs, districts: tuple[str, ...]) -> dict[int, Restatement]:
    """Corrections in the later reports, at most one each."""
    restatements = {}
    for year in range(FIRST_YEAR + 1, FIRST_YEAR + REPORTS):
        reason = rng.choice(("late_deeds", "lapsed_permits", "rents", None, None, None))
        district = rng.choice(districts)
        if reason == "late_deeds":
            key = quarter_key("homes_sold", year - 1, 4, district)
            change = max(1, int(inputs[key] * rng.uniform(0.04, 0.12)))
        elif reason == "lapsed_permits":
            district = max(districts, key=lambda name: inputs[quarter_key("permits", year - 1, 3, name)])
            key = quarter_key("permits", year - 1, 3, district)
            change = -max(1, int(inputs[key] * rng.uniform(0.06, 0.2)))
        else:
            key = year_key("median_rent", year - 1, district)
            change = 5 * rng.randint(2, 9)
        if reason is not None:
            restatements[year] = Restatement(year, reason, {key: change}, {"restated_part": district})
    return restatements


def _derive(
    inputs: Inputs, year: int, *, districts: tuple[str, ...], types: tuple[str, ...], grains_per_unit: tuple[int, int]
) -> Ledger:
    """All figures of `year`: the inputs, their sums, and the ratios."""
    ledger: Ledger = {}
    sums = {metric: _add_up(inputs, ledger, metric, year, districts) for metric in _FLOWS}
    for metric in _FLOWS:
        ledger[year_key(metric, year)] = sums[metric]
    levels = {metric: _average(inputs, metric, year, districts) for metric in _LEVELS}
    before = {metric: _average(inputs, metric, year - 1, districts) for metric in _LEVELS}
    own = levels | {metric: inputs[year_key(metric, year)] for metric in _COPIED}
    own |= _sales(inputs, year, sums, levels, grains_per_unit)
    own["peak_permit_month"] = _peak_month(inputs, ledger, year)
    own["price_growth"] = growth(levels["median_price"], before["median_price"])
    own["rent_growth"] = growth(levels["median_rent"], before["median_rent"])
    own["mean_rent"] = rounded(levels["median_rent"] * 1000, inputs[year_key("rent_share", year)])
    own["gross_rental_yield"] = share(12 * levels["median_rent"], levels["median_price"])
    ledger.update({year_key(metric, year): amount for metric, amount in own.items()})
    for district in districts:
        for metric in _LEVELS:
            ledger[year_key(metric, year, district)] = inputs[year_key(metric, year, district)]
        now, then = (inputs[year_key("median_price", past, district)] for past in (year, year - 1))
        ledger[year_key("price_growth", year, district)] = growth(now, then)
        rent = inputs[year_key("median_rent", year, district)]
        ledger[year_key("gross_rental_yield", year, district)] = share(12 * rent, now)
    sold_by_type = split(sums["homes_sold"], [inputs[year_key("weight", year, kind)] for kind in types])
    for kind, sold in zip(types, sold_by_type, strict=True):
        ledger[year_key("homes_sold", year, kind)] = sold
        price, days = (inputs[year_key(metric, year, kind)] for metric in ("relative_price", "relative_days"))
        ledger[year_key("median_price", year, kind)] = 500 * rounded(levels["median_price"] * price, 500_000)
        ledger[year_key("days_on_market", year, kind)] = rounded(levels["days_on_market"] * days, 1000)
    _add_quarters(inputs, ledger, year, levels)
    return ledger


def _peak_month(inputs: Inputs, ledger: Ledger, year: int) -> int:
    """The month with most permits, as 202106."""
    quarter = max(_QUARTERS, key=lambda number: ledger[quarter_key("permits", year, number)] or 0)
    return 100 * year + 3 * (quarter - 1) + inputs[year_key("peak_month_in_quarter", year)]


def _add_up(inputs: Inputs, ledger: Ledger, metric: str, year: int, districts: tuple[str, ...]) -> int:
    """Enter the metric of every district and quarter, and its sums over either; returns the sum over both."""
    total = 0
    for district in districts:
        counts = [inputs[quarter_key(metric, year, number, district)] for number in _QUARTERS]
        for number, count in zip(_QUARTERS, counts, strict=True):
            ledger[quarter_key(metric, year, number, district)] = count
        ledger[year_key(metric, year, district)] = sum(counts)
        total += sum(counts)
    for number in _QUARTERS:
        in_quarter = sum(inputs[quarter_key(metric, year, number, district)] for district in districts)
        ledger[quarter_key(metric, year, number)] = in_quarter
    return total


def _average(inputs: Inputs, metric: str, year: int, districts: tuple[str, ...]) -> int:
    """The average of a metric over the districts, weighted by their new listings."""
    # By listings, not by sales: a correction of the sales must not move the prices.
    weights = [
        sum(inputs[quarter_key("new_listings", year, number, name)] for number in _QUARTERS) for name in districts
    ]
    weighted = sum(
        weight * inputs[year_key(metric, year, name)] for weight, name in zip(weights, districts, strict=True)
    )
    step = _ROUND_TO.get(metric, 1)
    return step * rounded(weighted, step * sum(weights))


def _sales(
    inputs: Inputs, year: int, sums: Mapping[str, int], levels: Mapping[str, int], grains_per_unit: tuple[int, int]
) -> dict[str, int]:
    """Figures that follow from the number and prices of the homes sold."""
    sold = sums["homes_sold"]
    new, existing = split(
        sold, [inputs[year_key("new_build_weight", year)], 1000 - inputs[year_key("new_build_weight", year)]]
    )
    loans = sum(_loans(inputs, year, number, sold) for number in _QUARTERS)
    loan = rounded(levels["mean_price"] * inputs[year_key("loan_to_value", year)], 1000)
    grains, unit = grains_per_unit
    return {
        "new_homes_sold": new,
        "existing_homes_sold": existing,
        "mortgages_approved": loans,
        "average_loan": loan,
        "mortgage_lending": rounded(loans * loan * grains, unit),
        "sales_value": rounded(sold * levels["mean_price"] * grains, unit),
        "sales_to_listings": share(sold, sums["new_listings"]),
    }


def _loans(inputs: Inputs, year: int, number: int, sold: int) -> int:
    """The mortgages approved in a quarter of a year in which `sold` homes were sold."""
    return rounded(sold * inputs[quarter_key("financed", year, number)], 4000)


def _add_quarters(inputs: Inputs, ledger: Ledger, year: int, levels: Mapping[str, int]) -> None:
    """Enter the market's other quarterly figures; stocks and rates of the year are those of its last quarter."""
    sold = ledger[year_key("homes_sold", year)] or 0
    for number in _QUARTERS:
        season = inputs[quarter_key("season", year, number)]
        ledger[quarter_key("median_price", year, number)] = 100 * rounded(levels["median_price"] * season, 100_000)
        ledger[quarter_key("median_rent", year, number)] = rounded(levels["median_rent"] * season, 1000)
        ledger[quarter_key("mortgage_rate", year, number)] = inputs[quarter_key("mortgage_rate", year, number)]
        ledger[quarter_key("mortgages_approved", year, number)] = _loans(inputs, year, number, sold)
        listings = rounded(sold * inputs[quarter_key("stock", year, number)], 4000)
        ledger[quarter_key("active_listings", year, number)] = listings
    ledger[year_key("mortgage_rate", year)] = inputs[quarter_key("mortgage_rate", year, 4)]
    ledger[year_key("active_listings", year)] = ledger[quarter_key("active_listings", year, 4)]

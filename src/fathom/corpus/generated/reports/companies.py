"""Companies: segments and regions, three statements that add up, a workforce, a share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from fathom.corpus.generated.reports.entity import Entity, Origin, combine_words, pick_words, quarter_key, year_key
from fathom.corpus.generated.reports.ledger import (
    FIRST_YEAR,
    REPORTS,
    YEARS,
    FigureKey,
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

_SHARES_OF_REVENUE: Mapping[str, tuple[float, float, float]] = {
    "depreciation_amortisation": (0.02, 0.07, 0.004),
    "finance_income": (0.0005, 0.003, 0.0005),
    "finance_costs": (0.003, 0.015, 0.002),
    "property_plant_equipment": (0.15, 0.6, 0.03),
    "intangible_assets": (0.03, 0.35, 0.02),
    "other_noncurrent_assets": (0.01, 0.06, 0.005),
    "inventories": (0.06, 0.22, 0.015),
    "trade_receivables": (0.1, 0.24, 0.015),
    "cash": (0.04, 0.25, 0.035),
    "capital_expenditure": (0.02, 0.09, 0.012),
    "personnel_expenses": (0.15, 0.33, 0.01),
    "order_intake": (0.9, 1.15, 0.07),
    "order_backlog": (0.25, 0.9, 0.06),
}
"""Inputs that follow revenue: the lowest and highest share of it, and how much the share changes in a year."""

_PER_MILLE: Mapping[str, tuple[float, float, float]] = {
    "equity_ratio": (280, 640, 25),
    "tax_rate": (190, 280, 12),
    "women_share": (180, 480, 12),
    "women_managers_share": (120, 400, 15),
    "employee_turnover": (45, 190, 20),
    "training_hours": (80, 420, 35),
}
"""Inputs in tenths of a percent or of an hour: lowest, highest, and how much they change in a year."""

_EXPENSES = ("selling_expenses", "administrative_expenses", "rnd_expenses")
_LIABILITIES = ("borrowings", "trade_payables", "provisions", "other_liabilities")
_COPIED = (
    *("cost_of_sales", "depreciation_amortisation", "finance_income", "finance_costs"),
    *("property_plant_equipment", "intangible_assets", "other_noncurrent_assets", "inventories"),
    *("trade_receivables", "cash", "capital_expenditure", "personnel_expenses", "order_intake"),
    *("order_backlog", "operating_cash_flow", "investing_cash_flow", "dividend_per_share", "share_price"),
    *("shares_outstanding", "women_share", "women_managers_share", "employee_turnover", "training_hours"),
    *("new_hires", "lost_time_incidents", "patents_granted", "rnd_employees", "energy_consumption"),
    *("ghg_emissions", "peak_order_month"),
)
"""Inputs that are printed unchanged."""


def generate_company(origin: Origin, pack: LanguagePack) -> Entity:
    """The company; the same for the same origin."""
    rng = rng_for(origin.seed, origin.domain, "company", origin.number)
    names = pack.names
    fullness = max(rng.uniform(0.1, 1), rng.uniform(0.1, 1))
    heads = combine_words(names["beginnings"], names["endings"])
    trades = [trade["word"] for trade in names["trades"]]
    head, trade, form = pick_words([heads, trades, names["forms"]], origin.seed, origin.domain, origin.number)
    sector = names["sectors"][next(entry["sector"] for entry in names["trades"] if entry["word"] == trade)]
    name = names["pattern"].format(head=head, trade=trade, form=form)
    segments = tuple(rng.sample(sector["segments"], 3 + round(4 * fullness * rng.uniform(0.7, 1))))
    regions = tuple(rng.sample(names["regions"], rng.randint(4, 7)))
    size = rng.choice((4e7, 1.5e8, 5e8, 1.5e9, 4e9)) * rng.uniform(0.6, 2.4)
    style = choose_style(rng, pack.language, pack.metrics, small=size < 1e9)
    inputs = _draw_inputs(rng, size, segments, regions, style) | _draw_months(origin)
    derive = partial(_derive, segments=segments, regions=regions, cents_per_grain=_cents_per_grain(style))
    return Entity(
        origin=origin,
        name=name,
        metrics=pack.metrics,
        words={"name": name, "short": names["short"].format(head=head, trade=trade), **_words(rng, names, sector)},
        parts={"segment": segments, "region": regions},
        style=style,
        fullness=fullness,
        inputs=inputs,
        derive=derive,
        restatements=_restatements(rng, inputs, segments, regions),
    )


def _words(rng: Random, names: Mapping[str, Any], sector: Mapping[str, list[str]]) -> dict[str, str]:
    """The people, the place and the trade that the templates mention."""
    people = combine_words(names["given"], [names["between"] + family for family in names["families"]])
    if names["family_first"]:
        people = combine_words(names["families"], names["given"])
    chair, chief, finance = rng.sample(people, 3)
    words = {kind: rng.choice(sector[kind]) for kind in ("industry", "market", "input", "rival")}
    products, customers = rng.sample(sector["products"], 2), rng.sample(sector["customers"], 2)
    return {
        **words,
        "place": rng.choice(names["places"]),
        "founded": str(rng.randint(1898, 1996)),
        "auditor": rng.choice(names["auditors"]),
        "chair": chair,
        "chief": chief,
        "finance_chief": finance,
        "product": products[0],
        "other_product": products[1],
        "customer": customers[0],
        "other_customer": customers[1],
    }


def _cents_per_grain(style: FigureStyle) -> tuple[int, int]:
    """How many cents one grain (the last decimal of a money table) is worth, as a fraction."""
    return 100 * style.money_size, 10**style.money_decimals


def _draw_inputs(
    rng: Random, size: float, segments: tuple[str, ...], regions: tuple[str, ...], style: FigureStyle
) -> Inputs:
    """The company's drawn figures for all years; `size` is about its first revenue in plain units."""
    grains = size * 10**style.money_decimals / style.money_size
    weights = [rng.uniform(0.4, 2.0) for _ in segments]
    blows = shocks(rng, 0.12, 0.28)
    inputs: Inputs = {}
    for segment, weight in zip(segments, weights, strict=True):
        revenue = walk(rng, grains * weight / sum(weights), rng.uniform(-0.01, 0.09), 0.07, blows)
        margin = drift_within(rng, rng.choice((-0.03, 0.02, 0.04)), 0.17, 0.035)
        for year, amount, per_unit, blow in zip(YEARS, revenue, margin, blows, strict=True):
            inputs[year_key("revenue", year, segment)] = int(amount)
            inputs[year_key("operating_profit", year, segment)] = int(amount * (per_unit + blow * 0.3))
            inputs[year_key("segment_assets", year, segment)] = int(amount * rng.uniform(0.45, 0.7))
    totals = [sum(inputs[year_key("revenue", year, segment)] for segment in segments) for year in YEARS]
    shares = {metric: drift_within(rng, *bounds) for metric, bounds in _SHARES_OF_REVENUE.items()}
    rates = {metric: drift_within(rng, *bounds) for metric, bounds in _PER_MILLE.items()}
    cost = drift_within(rng, 0.46, 0.72, 0.012)
    for at, (year, revenue_now) in enumerate(zip(YEARS, totals, strict=True)):
        inputs.update({year_key(metric, year): int(revenue_now * path[at]) for metric, path in shares.items()})
        inputs.update({year_key(metric, year): int(path[at]) for metric, path in rates.items()})
        inputs[year_key("cost_of_sales", year)] = int(revenue_now * cost[at])
        profit = sum(inputs[year_key("operating_profit", year, segment)] for segment in segments)
        cash_profit = profit + inputs[year_key("depreciation_amortisation", year)]
        inputs[year_key("operating_cash_flow", year)] = int(cash_profit * 0.85 + revenue_now * rng.uniform(-0.03, 0.02))
        bought = inputs[year_key("capital_expenditure", year)] + int(revenue_now * rng.uniform(-0.004, 0.03))
        inputs[year_key("investing_cash_flow", year)] = -bought
    _add_weights(rng, inputs, regions)
    _add_share(rng, inputs, size)
    _add_people(rng, inputs, size, regions)
    return inputs


def _draw_months(origin: Origin) -> Inputs:
    """The month of each year with most orders, as 202106."""
    rng = rng_for(origin.seed, origin.domain, "months", origin.number)
    return {year_key("peak_order_month", year): 100 * year + rng.randint(1, 12) for year in YEARS}


def _add_weights(rng: Random, inputs: Inputs, regions: tuple[str, ...]) -> None:
    """In what proportions totals are split: over regions, quarters, kinds of expense and of liability."""
    base = {region: rng.uniform(0.3, 2.0) for region in regions}
    expenses = dict(zip(_EXPENSES, (rng.uniform(0.6, 1.2), rng.uniform(0.5, 1.0), rng.uniform(0.15, 0.7)), strict=True))
    debts = dict(zip(_LIABILITIES, (rng.uniform(0.8, 1.5), rng.uniform(0.5, 0.9), 0.15, 0.35), strict=True))
    season = [rng.uniform(0.9, 1.1) for _ in range(4)]
    for year in YEARS:
        for name, weight in (base | expenses | debts).items():
            inputs[year_key("weight", year, name)] = int(1000 * weight * rng.uniform(0.92, 1.08))
        for number, weight in enumerate(season, start=1):
            inputs[quarter_key("weight", year, number)] = int(1000 * weight * rng.uniform(0.95, 1.05))


def _add_share(rng: Random, inputs: Inputs, size: float) -> None:
    """The number of shares, their price and the dividend, in cents."""
    earnings = rng.uniform(0.8, 6.0)
    number = int(size * 0.06 / earnings)
    price = walk(rng, 100 * earnings * rng.uniform(11, 22), 0.04, 0.2)
    dividend = walk(rng, 100 * earnings * rng.uniform(0.25, 0.5), 0.04, 0.12)
    for year, quote, payout in zip(YEARS, price, dividend, strict=True):
        number += int(number * rng.choice((0, 0, 0, 0.01, 0.03)))
        inputs[year_key("shares_outstanding", year)] = number
        inputs[year_key("options", year)] = number // rng.randint(60, 200)
        inputs[year_key("share_price", year)] = int(quote)
        inputs[year_key("dividend_per_share", year)] = int(payout)


def _add_people(rng: Random, inputs: Inputs, size: float, regions: tuple[str, ...]) -> None:
    """The workforce by region, and figures that depend on it: accidents, patents, energy."""
    staff = size / rng.uniform(1.6e5, 3.2e5)
    weights = [rng.uniform(0.3, 2.0) for _ in regions]
    for region, weight in zip(regions, weights, strict=True):
        path = walk(rng, max(12.0, staff * weight / sum(weights)), rng.uniform(-0.02, 0.05), 0.05)
        for year, heads in zip(YEARS, path, strict=True):
            inputs[year_key("employees", year, region)] = int(heads)
    research, energy = rng.uniform(0.04, 0.2), rng.uniform(15, 90)
    hurt, invented = drift_within(rng, 0.002, 0.011, 0.0015), drift_within(rng, 0.001, 0.01, 0.0012)
    intensity = walk(rng, rng.uniform(0.2, 0.45), -0.04, 0.04)
    for at, year in enumerate(YEARS):
        people = sum(inputs[year_key("employees", year, region)] for region in regions)
        inputs[year_key("rnd_employees", year)] = int(people * research * rng.uniform(0.93, 1.07))
        inputs[year_key("new_hires", year)] = int(people * rng.uniform(0.06, 0.17))
        inputs[year_key("lost_time_incidents", year)] = 1 + int(people * hurt[at])
        inputs[year_key("patents_granted", year)] = 2 + int(people * invented[at])
        consumed = int(people * energy * rng.uniform(0.93, 1.06))
        inputs[year_key("energy_consumption", year)] = consumed
        inputs[year_key("ghg_emissions", year)] = int(consumed * intensity[at])


def _restatements(
    rng: Random, inputs: Inputs, segments: tuple[str, ...], regions: tuple[str, ...]
) -> dict[int, Restatement]:
    """Corrections in the later reports, at most one each."""
    restatements = {}
    for year in range(FIRST_YEAR + 1, FIRST_YEAR + REPORTS):
        reason = rng.choice(("agent", "headcount", "segments", None, None, None))
        if reason is not None:
            changes, words = _correction(rng, reason, inputs, year - 1, segments, regions)
            restatements[year] = Restatement(year, reason, changes, words)
    return restatements


def _correction(
    rng: Random, reason: str, inputs: Inputs, year: int, segments: tuple[str, ...], regions: tuple[str, ...]
) -> tuple[dict[FigureKey, int], dict[str, str]]:
    """The changes of the figures of `year`, and the words that explain them."""
    if reason == "agent":
        # Part of a segment's revenue was earned as an agent, so revenue and costs fall by one amount.
        segment = rng.choice(segments)
        less = -max(2, int(inputs[year_key("revenue", year, segment)] * rng.uniform(0.02, 0.07)))
        changes = {year_key("revenue", year, segment): less, year_key("cost_of_sales", year): less}
        return changes, {"restated_part": segment}
    if reason == "headcount":
        # Temporary staff of a region had been counted as employees.
        region = max(regions, key=lambda region: inputs[year_key("employees", year, region)])
        less = -max(2, int(inputs[year_key("employees", year, region)] * rng.uniform(0.03, 0.09)))
        return {year_key("employees", year, region): less}, {"restated_part": region}
    # A business moved from one segment to another; the company's totals stay the same.
    source, target = rng.sample(segments, 2)
    portion = rng.uniform(0.04, 0.12)
    changes = {}
    for metric in ("revenue", "operating_profit"):
        moved = int(inputs[year_key(metric, year, source)] * portion)
        changes |= {year_key(metric, year, source): -moved, year_key(metric, year, target): moved}
    return changes, {"restated_part": source, "other_part": target}


def _derive(
    inputs: Inputs, year: int, *, segments: tuple[str, ...], regions: tuple[str, ...], cents_per_grain: tuple[int, int]
) -> Ledger:
    """All figures of `year`: the inputs, their sums, and the ratios."""

    def of(metric: str, part: str = "", years_back: int = 0) -> int:
        return inputs[year_key(metric, year - years_back, part)]

    def total(metric: str, parts: tuple[str, ...], years_back: int = 0) -> int:
        return sum(of(metric, part, years_back) for part in parts)

    own = {metric: of(metric) for metric in _COPIED}
    revenue, earlier = total("revenue", segments), total("revenue", segments, 1)
    operating = total("operating_profit", segments)
    own |= {"revenue": revenue, "operating_profit": operating, "gross_profit": revenue - own["cost_of_sales"]}
    expenses = split(own["gross_profit"] - operating, [of("weight", name) for name in _EXPENSES])
    own |= dict(zip(_EXPENSES, expenses, strict=True))
    own["ebitda"] = operating + own["depreciation_amortisation"]
    own["profit_before_tax"] = operating + own["finance_income"] - own["finance_costs"]
    own["income_tax"] = max(0, rounded(own["profit_before_tax"] * of("tax_rate"), 1000))
    own["net_profit"] = own["profit_before_tax"] - own["income_tax"]
    own |= _balance(own, of("equity_ratio"), [of("weight", name) for name in _LIABILITIES])
    own |= _cash_flow(own, opening=of("cash", years_back=1))
    own |= _per_share(own, of("options"), cents_per_grain)
    cents = of("dividend_per_share", years_back=1) * of("shares_outstanding", years_back=1)
    own["dividends_paid"] = rounded(cents * cents_per_grain[1], cents_per_grain[0])
    own["employees"] = total("employees", regions)
    own["average_employees"] = rounded(own["employees"] + total("employees", regions, 1), 2)
    own["segment_assets"] = total("segment_assets", segments)
    own["revenue_growth"] = growth(revenue, earlier)
    own["gross_margin"] = share(own["gross_profit"], revenue)
    own["operating_margin"] = share(operating, revenue)
    own["net_margin"] = share(own["net_profit"], revenue)
    own["return_on_equity"] = share(own["net_profit"], own["equity"])
    ledger: Ledger = {year_key(metric, year): amount for metric, amount in own.items()}
    for segment in segments:
        sales, result = of("revenue", segment), of("operating_profit", segment)
        ledger[year_key("revenue", year, segment)] = sales
        ledger[year_key("operating_profit", year, segment)] = result
        ledger[year_key("segment_assets", year, segment)] = of("segment_assets", segment)
        ledger[year_key("operating_margin", year, segment)] = share(result, sales)
        ledger[year_key("revenue_growth", year, segment)] = growth(sales, of("revenue", segment, 1))
    for region, amount in zip(regions, split(revenue, [of("weight", region) for region in regions]), strict=True):
        ledger[year_key("revenue", year, region)] = amount
        ledger[year_key("employees", year, region)] = of("employees", region)
    ledger.update(_quarters(inputs, year, segments))
    return ledger


def _quarters(inputs: Inputs, year: int, segments: tuple[str, ...]) -> Ledger:
    """Revenue and operating profit of each segment, and of all of them, in each quarter."""
    season = [inputs[quarter_key("weight", year, number)] for number in range(1, 5)]
    ledger: Ledger = {}
    for metric in ("revenue", "operating_profit"):
        totals = [0] * len(season)
        for segment in segments:
            for at, amount in enumerate(split(inputs[year_key(metric, year, segment)], season)):
                ledger[quarter_key(metric, year, at + 1, segment)] = amount
                totals[at] += amount
        ledger.update({quarter_key(metric, year, at + 1): total for at, total in enumerate(totals)})
    return ledger


def _balance(own: Mapping[str, int], equity_per_mille: int, weights: list[int]) -> dict[str, int]:
    """The balance sheet: assets equal liabilities and equity."""
    noncurrent = own["property_plant_equipment"] + own["intangible_assets"] + own["other_noncurrent_assets"]
    current = own["inventories"] + own["trade_receivables"] + own["cash"]
    assets = noncurrent + current
    equity = rounded(assets * equity_per_mille, 1000)
    liabilities = dict(zip(_LIABILITIES, split(assets - equity, weights), strict=True))
    return liabilities | {
        "noncurrent_assets": noncurrent,
        "current_assets": current,
        "total_assets": assets,
        "equity": equity,
        "equity_ratio": share(equity, assets),
        "total_liabilities": assets - equity,
        "net_debt": liabilities["borrowings"] - own["cash"],
    }


def _cash_flow(own: Mapping[str, int], opening: int) -> dict[str, int]:
    """The cash flow statement, from the opening to the closing cash."""
    change = own["cash"] - opening
    return {
        "opening_cash": opening,
        "closing_cash": own["cash"],
        "net_change_in_cash": change,
        "financing_cash_flow": change - own["operating_cash_flow"] - own["investing_cash_flow"],
        "free_cash_flow": own["operating_cash_flow"] - own["capital_expenditure"],
    }


def _per_share(own: Mapping[str, int], options: int, cents_per_grain: tuple[int, int]) -> dict[str, int]:
    """Earnings per share in hundredths, on the shares outstanding and on those with all options used."""
    cents, grains = cents_per_grain
    shares, earned = own["shares_outstanding"], own["net_profit"] * cents
    basic = rounded(earned, grains * shares)
    # A loss per share is not diluted.
    diluted = rounded(earned, grains * (shares + options)) if earned > 0 else basic
    return {"basic_eps": basic, "diluted_eps": diluted}

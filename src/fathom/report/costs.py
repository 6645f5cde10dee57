"""What a question takes against what is got right."""

from __future__ import annotations

from dataclasses import dataclass

from fathom.analysis.findings import Findings, RunFinding
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Spot, cloud
from fathom.report.figures import Column, Figure, Value
from fathom.report.standing import came
from fathom.report.where import places
from fathom.report.words import joined, point

COLUMNS = (
    Column("run", "Run"),
    Column("accuracy", "Accuracy", "share"),
    Column("price_a_question", "Price a question", "money"),
    Column("price_a_right_answer", "Price a right answer", "money"),
    Column("price", "Price of all", "money"),
    Column("spent", "Spent, failures too", "money"),
    Column("tokens_a_question", "Tokens a question", "count"),
    Column("input_tokens", "Tokens in", "count"),
    Column("cached_tokens", "of them cached", "count"),
    Column("output_tokens", "Tokens out", "count"),
    Column("seconds_a_question", "Seconds a question", "number"),
    Column("best_for_its_price", "Nothing cheaper is better", "yes"),
)


@dataclass(frozen=True)
class Each:
    """What one question took, over those whose responses came."""

    price: float | None
    """None where it is not known; 0 for what is known to be free."""
    tokens: float
    seconds: float


def each(run: RunFinding) -> Each | None:
    """What a question took; None where no response came."""
    if not came(run):
        return None
    # Half of its calls failed, and a run seemed to cost half of what it will.
    times, cost = run.all.outcomes.responses / came(run), run.cost
    price = None if cost.price_a_question is None else cost.price_a_question * times
    return Each(price, cost.tokens_a_question * times, cost.seconds_a_question * times)


def price_a_question(run: RunFinding) -> float | None:
    """None where it is not known, or where no response came."""
    found = each(run)
    return None if found is None else found.price


def costs(findings: Findings) -> tuple[Figure, ...]:
    """What a question takes against the share right."""
    known = {run.facts.name: found for run in findings.runs if (found := each(run)) is not None}
    if not known:
        return ()
    prices = [one.price for one in known.values() if one.price is not None]
    priced = any(prices)
    amounts = {
        name: amount for name, one in known.items() if (amount := one.price if priced else one.tokens) is not None
    }
    free = bool(prices) and len(prices) == len(known)
    axis = (
        "US dollars a question" if priced else f"tokens a question ({'all are free' if free else 'no price is known'})"
    )
    colors = places(findings)

    def draw(width: float) -> Node:
        spots = [
            Spot(
                colors[run.facts.name],
                run.facts.name,
                amount,
                point(f"{run.facts.name}, {amount:,.4g} {axis.partition(' (')[0]}", run.all.accuracy),
                run.cost.best_for_its_price and priced,
            )
            for run in findings.runs
            if (amount := amounts.get(run.facts.name)) is not None
        ]
        return cloud(f"The share right against {axis}", spots, axis, width)

    rows = tuple(_row(run, known.get(run.facts.name)) for run in findings.runs)
    return (Figure("cost", "Share right against cost", _note(findings, set(amounts), priced), COLUMNS, rows, draw),)


def _note(findings: Findings, drawn: set[str], priced: bool) -> str:
    said = ["Costs are on a scale of tens, over the questions whose responses came."]
    if priced:
        said = ["Dashed: runs that no other beats in both.", *said, "A run that is free stands left."]
    absent = [run.facts.name for run in findings.runs if run.facts.name not in drawn and came(run)]
    none = [run.facts.name for run in findings.runs if not came(run)]
    said += [f"Not drawn, for want of a known price: {joined(absent)}."] if absent else []
    said += [f"Not drawn, for want of responses: {joined(none)}."] if none else []
    return " ".join(said)


def _row(run: RunFinding, found: Each | None) -> tuple[Value, ...]:
    cost = run.cost
    return (
        run.facts.name,
        None if found is None else run.all.accuracy.value,
        None if found is None else found.price,
        cost.price_a_right_answer,
        cost.price,
        cost.spent,
        None if found is None else round(found.tokens),
        cost.input_tokens,
        cost.cached_tokens,
        cost.output_tokens,
        None if found is None else found.seconds,
        cost.best_for_its_price and found is not None,
    )


def says_cheapest(findings: Findings) -> str:
    """Which runs are worth their price."""
    names = [run.facts.name for run in findings.runs if run.cost.best_for_its_price and came(run)]
    if not names or not any(price_a_question(run) for run in findings.runs):
        return "What a question takes against what is got right."
    known = [run for run in findings.runs if price_a_question(run) is not None]
    of = "" if len(known) == len(findings.runs) else " of those whose price is known"
    return f"No run{of} is both cheaper and better than {joined(names)}."

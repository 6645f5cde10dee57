"""Cost per question against accuracy."""

from __future__ import annotations

from dataclasses import dataclass

from fathom.analysis.findings import Findings, RunSummary
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import ScatterPoint, scatter_plot
from fathom.report.figures import Column, Figure
from fathom.report.formatting import join_names, point
from fathom.report.ranking import received, run_colors


@dataclass(frozen=True)
class QuestionCost:
    """Mean cost of a question, over the responses that arrived."""

    price: float | None
    """None if unknown; 0 if known to be free."""
    tokens: float
    seconds: float


def question_cost(run: RunSummary) -> QuestionCost | None:
    """The cost of a question; None without responses."""
    if not received(run):
        return None
    # Per response received: a run half of whose calls failed would otherwise seem half as expensive.
    factor, cost = run.overall.outcomes.responses / received(run), run.cost
    price = None if cost.price_per_question is None else cost.price_per_question * factor
    return QuestionCost(price, cost.tokens_per_question * factor, cost.seconds_per_question * factor)


def price_per_question(run: RunSummary) -> float | None:
    """None if the price is unknown, or without responses."""
    cost = question_cost(run)
    return None if cost is None else cost.price


COLUMNS: tuple[Column[RunSummary], ...] = (
    Column("run", "Run", lambda run: run.info.name),
    Column("accuracy", "Accuracy", lambda run: run.overall.accuracy.value if received(run) else None, "share"),
    Column("price_per_question", "Price per question", price_per_question, "money"),
    Column("price_per_correct", "Price per correct answer", lambda run: run.cost.price_per_correct, "money"),
    Column("price", "Total price", lambda run: run.cost.price, "money"),
    Column("spent", "Total with failed calls", lambda run: run.cost.spent, "money"),
    Column(
        "tokens_per_question",
        "Tokens per question",
        lambda run: None if (cost := question_cost(run)) is None else round(cost.tokens),
        "count",
    ),
    Column("input_tokens", "Input tokens", lambda run: run.cost.input_tokens, "count"),
    Column("cached_tokens", "Cached", lambda run: run.cost.cached_tokens, "count"),
    Column("output_tokens", "Output tokens", lambda run: run.cost.output_tokens, "count"),
    Column(
        "seconds_per_question",
        "Seconds per question",
        lambda run: None if (cost := question_cost(run)) is None else cost.seconds,
        "number",
    ),
    Column("pareto_optimal", "Pareto-optimal", lambda run: run.cost.pareto_optimal and bool(received(run)), "yes"),
)


def costs(findings: Findings) -> tuple[Figure, ...]:
    """Accuracy against the price of a question, or against its tokens if no run has a price."""
    known = {run.info.name: cost for run in findings.runs if (cost := question_cost(run)) is not None}
    if not known:
        return ()
    prices = [one.price for one in known.values() if one.price is not None]
    priced = any(prices)
    amounts = {
        name: amount for name, one in known.items() if (amount := one.price if priced else one.tokens) is not None
    }
    free = bool(prices) and len(prices) == len(known)
    unit = "US dollars per question" if priced else "tokens per question"
    axis = unit if priced else f"{unit} ({'all runs are free' if free else 'no price is known'})"
    colors = run_colors(findings)

    def draw(width: float) -> Node:
        spots = [
            ScatterPoint(
                colors[run.info.name],
                run.info.name,
                amount,
                point(f"{run.info.name}, {amount:,.4g} {unit}", run.overall.accuracy),
                run.cost.pareto_optimal and priced,
            )
            for run in findings.runs
            if (amount := amounts.get(run.info.name)) is not None
        ]
        return scatter_plot(f"Accuracy against {axis}", spots, axis, width)

    note = _note(findings, set(amounts), priced)
    return (Figure.of("cost", "Accuracy against cost", note, COLUMNS, findings.runs, draw),)


def _note(findings: Findings, drawn: set[str], priced: bool) -> str:
    notes = ["Cost is on a logarithmic scale, averaged over the questions with a response."]
    if priced:
        notes = ["The dashed line joins the Pareto-optimal runs.", *notes, "Free runs are at the left edge."]
    unknown = [run.info.name for run in findings.runs if run.info.name not in drawn and received(run)]
    empty = [run.info.name for run in findings.runs if not received(run)]
    notes += [f"Not drawn, price unknown: {join_names(unknown)}."] if unknown else []
    notes += [f"Not drawn, no responses: {join_names(empty)}."] if empty else []
    return " ".join(notes)


def cost_summary(findings: Findings) -> str:
    """Which runs are Pareto-optimal."""
    names = [run.info.name for run in findings.runs if run.cost.pareto_optimal and received(run)]
    if not names or not any(price_per_question(run) for run in findings.runs):
        return "Cost per question against accuracy."
    priced = [run for run in findings.runs if price_per_question(run) is not None]
    of = "" if len(priced) == len(findings.runs) else ", of the runs with a known price"
    return f"Pareto-optimal in price and accuracy{of}: {join_names(names)}."

"""Cost of a question against accuracy: dollars, tokens and seconds."""

from __future__ import annotations

from decimal import Decimal

from fathom.analysis.cost import COST_KINDS, SAME_COST, question_cost
from fathom.analysis.findings import CostKind, Findings, RunSummary
from fathom.report.drawings.canvas import SvgNode
from fathom.report.drawings.charts import MAX_NAMES, ScatterPoint, scatter_plot
from fathom.report.figures import Figure, FigureColumn
from fathom.report.formatting import join_names, point
from fathom.report.ranking import received_count, run_colors

UNITS: dict[CostKind, str] = {"price": "US dollars", "tokens": "tokens", "seconds": "seconds"}
DRAWN_QUESTIONS: dict[CostKind, int] = {"price": 1_000, "tokens": 1, "seconds": 1}
"""Questions whose cost is drawn: one question often costs a fraction of a cent."""


def amount(run: RunSummary, kind: CostKind) -> float | None:
    """The mean cost of a question; None if the price is unknown, or without responses."""
    cost = question_cost(run)
    return None if cost is None else cost.amount(kind)


def price_per_question(run: RunSummary) -> float | None:
    """None if the price is unknown, or without responses."""
    return amount(run, "price")


def tokens_per_question(run: RunSummary) -> int | None:
    """Input and output tokens; None without responses."""
    tokens = amount(run, "tokens")
    return None if tokens is None else round(tokens)


def _is_optimal(kind: CostKind) -> FigureColumn[RunSummary]:
    return FigureColumn(
        f"pareto_optimal_{kind}",
        f"Pareto-optimal in {UNITS[kind]}",
        lambda run: kind in run.cost.pareto_optimal,
        "yes",
    )


COLUMNS: tuple[FigureColumn[RunSummary], ...] = (
    FigureColumn("run", "Run", lambda run: run.info.name),
    FigureColumn("model", "Model", lambda run: run.info.model),
    FigureColumn("system", "System", lambda run: run.info.system),
    FigureColumn(
        "accuracy", "Accuracy", lambda run: run.overall.accuracy.value if received_count(run) else None, "share"
    ),
    FigureColumn("price_per_question", "Price per question", price_per_question, "money"),
    FigureColumn("price_per_correct", "Price per correct answer", lambda run: run.cost.price_per_correct, "money"),
    FigureColumn("price", "Total price", lambda run: run.cost.price, "money"),
    FigureColumn("spent", "Total with failed calls", lambda run: run.cost.spent, "money"),
    FigureColumn("tokens_per_question", "Tokens per question", tokens_per_question, "count"),
    FigureColumn("input_tokens", "Input tokens", lambda run: run.cost.input_tokens, "count"),
    FigureColumn("cached_tokens", "Cached", lambda run: run.cost.cached_tokens, "count"),
    FigureColumn("output_tokens", "Output tokens", lambda run: run.cost.output_tokens, "count"),
    FigureColumn("seconds_per_question", "Seconds per question", lambda run: amount(run, "seconds"), "number"),
    *map(_is_optimal, COST_KINDS),
)


def costs(findings: Findings) -> tuple[Figure, ...]:
    """Accuracy against each cost of a question in which runs differ."""
    return tuple(_cost(findings, kind) for kind in COST_KINDS if _differs(findings, kind))


def _differs(findings: Findings, kind: CostKind) -> bool:
    """Whether at least two runs have a cost of this kind, and not all the same."""
    amounts = [cost for run in findings.runs if (cost := amount(run, kind)) is not None]
    return sum(cost > 0 for cost in amounts) > 1 and max(amounts) > (1 + SAME_COST) * min(amounts)


def _cost(findings: Findings, kind: CostKind) -> Figure:
    amounts = {run.info.name: cost for run in findings.runs if (cost := amount(run, kind)) is not None}
    colors = run_colors(findings)
    questions = DRAWN_QUESTIONS[kind]
    unit = f"{UNITS[kind]} per {'question' if questions == 1 else f'{questions:,} questions'}"

    def draw(width: float) -> SvgNode:
        spots = [
            ScatterPoint(
                colors[run.info.name],
                run.info.name,
                cost * questions,
                point(f"{run.info.name}, {format_cost(cost * questions)} {unit}", run.overall.accuracy),
                run.info.bench if kind in run.cost.pareto_optimal else None,
            )
            for run in findings.runs
            if (cost := amounts.get(run.info.name)) is not None
        ]
        return scatter_plot(f"Accuracy against {unit}", spots, unit, width)

    note = _note(findings, set(amounts), kind)
    return Figure.of(f"cost-{kind}", f"Accuracy against {UNITS[kind]}", note, COLUMNS, findings.runs, draw)


def format_cost(cost: float) -> str:
    """The cost with two decimals, or with two digits if it is smaller than ten cents."""
    return f"{cost:,.2f}" if cost >= 0.1 else f"{Decimal(f'{cost:.2g}'):f}"


def _note(findings: Findings, drawn_runs: set[str], kind: CostKind) -> str:
    notes = [
        "A dashed line joins the Pareto-optimal runs of a bench: no other run on the same questions is both as "
        f"cheap and as accurate (costs within {SAME_COST:.0%} count as equal).",
        "Cost is on a logarithmic scale, averaged over the questions with a response.",
    ]
    if len(drawn_runs) > MAX_NAMES:
        notes.append("Only Pareto-optimal runs are labeled; hover over a mark to see its run.")
    if any(amount(run, kind) == 0 for run in findings.runs):
        notes.append(
            f"{'Free runs' if kind == 'price' else 'Runs without recorded ' + UNITS[kind]} are at the left edge."
        )
    if kind == "seconds":
        notes.append("Seconds are the sum over all calls of a question.")
    unknown = [run.info.name for run in findings.runs if run.info.name not in drawn_runs and received_count(run)]
    empty = [run.info.name for run in findings.runs if not received_count(run)]
    notes += [f"Not drawn, price unknown: {join_names(unknown)}."] if unknown else []
    notes += [f"Not drawn, no responses: {join_names(empty)}."] if empty else []
    benches_and_sizes = (
        {run.info.bench for run in findings.runs},
        {run.overall.outcomes.questions for run in findings.runs},
    )
    if any(len(distinct) > 1 for distinct in benches_and_sizes):
        notes.append("Runs on different questions are not compared with each other.")
    return " ".join(notes)


def cost_summary(findings: Findings) -> str:
    """Which runs are Pareto-optimal."""
    priced = [run for run in findings.runs if price_per_question(run) is not None]
    kind: CostKind = "price" if any(price_per_question(run) for run in priced) else "tokens"
    names = [run.info.name for run in findings.runs if kind in run.cost.pareto_optimal]
    if not names or len(findings.runs) < 2:
        return "Accuracy against what a question costs."
    of = ", of the runs with a known price" if kind == "price" and len(priced) < len(findings.runs) else ""
    return f"Pareto-optimal in {UNITS[kind]} and accuracy{of}: {join_names(names)}."

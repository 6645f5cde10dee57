"""The page before its script runs: headline and main table as plain HTML, for previews and for print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fathom.analysis.findings import Findings, RunSummary
from fathom.report.costs import format_cost, price_per_question
from fathom.report.formatting import bench_names, percent
from fathom.report.ranking import caveats, received_count

WAITING = '<p class="waiting" role="status">Loading…</p>'


def first_paint(findings: Findings, title: str, sentences: Sequence[str]) -> str:
    """The title, the summary and a row for each run. All text is escaped."""
    first, *others = sentences
    lead = f'<p class="lead">{escape(" ".join(others))}</p>' if others else ""
    titles = ("Run", "Model", "System", "Bench", "Accuracy", "95% interval", "$ per 1,000 questions", "Remarks")
    names = bench_names(findings)
    rows = [_row(run, names[run.info.bench]) for run in findings.runs]
    # A column without a value, such as the prices of free runs or remarks, is left out.
    indices = [index for index in range(len(titles)) if any(row[index] for row in rows)]
    head = _cells([titles[index] for index in indices], "th")
    body = "".join(f"<tr>{_cells([row[index] for index in indices], 'td')}</tr>" for row in rows)
    return (
        f'<main class="whole"><header class="hero"><p class="eyebrow">{escape(title)}</p><h1>{escape(first)}</h1>{lead}'
        f'</header><div class="scrolled"><table class="numbers"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></main>"
    )


def _row(run: RunSummary, bench: str) -> tuple[str, ...]:
    accuracy, price = run.overall.accuracy, price_per_question(run)
    has_responses = received_count(run) > 0
    return (
        *(run.info.name, run.info.model, run.info.system, bench),
        percent(accuracy.value) if has_responses else "–",
        f"{percent(accuracy.low)} to {percent(accuracy.high)}" if has_responses else "",
        f"${format_cost(price * 1_000)}" if price else "",
        caveats(run),
    )


def _cells(values: Sequence[str], name: str) -> str:
    return "".join(f"<{name}>{escape(value)}</{name}>" for value in values)

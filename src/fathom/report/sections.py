"""The sections of the page: their figures and introductions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.analysis.findings import Comparison, Findings
from fathom.report import accuracy, failures, multi_step
from fathom.report.accuracy import baselines, closed_book
from fathom.report.costs import cost_summary, costs
from fathom.report.figures import Figure
from fathom.report.leaderboard import headline
from fathom.report.measures import measures
from fathom.report.ranking import in_page_order
from fathom.report.setting_comparisons import setting_comparisons


@dataclass(frozen=True)
class PageSection:
    """A section of the page."""

    id: str
    title: str
    introduction: str
    figures: tuple[Figure, ...]
    view: Literal["figures", "headline", "choice", "heat", "pivot", "matrix"] = "figures"
    """How the page shows it; `figures` shows one below the other, `choice` one at a time; `pivot` needs none."""


def sections(findings: Findings) -> list[PageSection]:
    """Every section that has something to show, in the order of the page."""
    all_sections = (*_accuracy_sections(findings), *_failure_sections(findings), *_cost_and_control_sections(findings))
    return [section for section in all_sections if section.figures or section.view == "pivot"]


def _accuracy_sections(findings: Findings) -> tuple[PageSection, ...]:
    """How accurate the runs are, overall and by property, and how they compare."""
    return (
        PageSection("headline", "Accuracy", "", (headline(findings),), "headline"),
        PageSection(
            "measures",
            "Measures",
            "How much of the expected answer responses contain (recall), and how much of what they state is correct "
            "(precision).",
            measures(findings),
        ),
        PageSection(
            "comparisons",
            "Pairwise comparisons",
            _comparison_summary(findings.comparisons),
            accuracy.comparisons(findings),
            "choice",
        ),
        PageSection(
            "settings",
            "Settings",
            "The same items in several settings, one property changed at a time.",
            setting_comparisons(findings),
        ),
        PageSection(
            "lengths",
            "Context length",
            "Accuracy at each context length, with 95% intervals.",
            accuracy.lengths(findings),
        ),
        PageSection(
            "breakdowns",
            "Breakdowns",
            "Accuracy by one property of the questions.",
            accuracy.breakdowns(findings),
            "choice",
        ),
        PageSection(
            "heat",
            "Heat map",
            "Accuracy by any two properties, for one run or for the difference between two.",
            accuracy.heat_maps(findings),
            "heat",
        ),
        PageSection(
            "tables",
            "Tables",
            'A measure by any properties of runs, questions and responses, as with the command "fathom table".',
            (),
            "pivot",
        ),
    )


def _failure_sections(findings: Findings) -> tuple[PageSection, ...]:
    """How and why responses fail."""
    return (
        PageSection(
            "patterns", "Error patterns", failures.pattern_summary(findings), failures.patterns(findings), "matrix"
        ),
        PageSection("causes", "Likely causes", failures.cause_summary(findings), failures.causes(findings), "matrix"),
        PageSection(
            "loss-stages",
            "Finding, reading, computing",
            "The same questions with the full text, with only the needed passages, and with tables of the values. The "
            "accuracy that passages recover was lost in finding, what tables recover beyond that was lost in reading, "
            "and the rest in computing.",
            failures.loss_stages(findings),
        ),
        PageSection("recall", "Retrieval", multi_step.recall_summary(findings), multi_step.recall(findings), "choice"),
        PageSection(
            "failure-stages",
            "Where failures arise",
            "Failures of multi-step systems, by what went wrong first.",
            multi_step.failure_stages(findings),
            "matrix",
        ),
        PageSection("steps", "Reasoning steps", failures.step_summary(findings), failures.steps(findings)),
        PageSection(
            "correlates",
            "Correlates of failure",
            "How success correlates with properties of the questions, one at a time and with the others held fixed.",
            failures.correlates(findings),
            "choice",
        ),
    )


def _cost_and_control_sections(findings: Findings) -> tuple[PageSection, ...]:
    """What the runs cost, how much they vary, and what their scores must exceed."""
    return (
        PageSection("cost", "Cost", cost_summary(findings), costs(findings), "choice"),
        PageSection(
            "samples",
            "Repeated samples",
            "Results of asking each question several times.",
            accuracy.samples(findings) + accuracy.repeated_runs(findings),
        ),
        PageSection(
            "baselines",
            "Baselines and controls",
            "Accuracy without reading the context. A score is meaningful only if it exceeds these.",
            baselines(findings),
        ),
        PageSection(
            "closed-book",
            "Closed-book test",
            "Whether a model beats the majority baseline without the context. A negative result does not rule out "
            'contamination: use the command "fathom contamination" with memorization probes and swapped benchmarks.',
            closed_book(findings),
        ),
    )


def all_figures(findings: Findings) -> Iterator[Figure]:
    """Every figure of the page."""
    for section in sections(in_page_order(findings)):
        yield from section.figures


def _comparison_summary(comparisons: Sequence[Comparison]) -> str:
    pairs = [comparison for comparison in comparisons if comparison.within == "all"]
    if not pairs:
        return ""
    significant = sum(pair.significant for pair in pairs)
    if len(pairs) == 1:
        result = f"The two runs {'differ' if significant else 'do not differ'} significantly."
    else:
        verb = "differs" if significant == 1 else "differ"
        result = f"{significant} of {len(pairs):,} pairs {verb} significantly, after Holm's correction."
    return f"Runs on the same questions, paired by question. {result}"

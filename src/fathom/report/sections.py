"""The sections of the page: which figures they show, and what is said above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.analysis.findings import Comparison, Findings
from fathom.report import where, why
from fathom.report.costs import costs, says_cheapest
from fathom.report.figures import Figure
from fathom.report.floors import contamination, floors
from fathom.report.headline import headline


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    id: str
    title: str
    says: str
    """What it shows, in a sentence or two."""
    figures: tuple[Figure, ...]
    view: str = "figures"
    """How the page shows it: as figures one below the other, or as one of several to choose from."""


def sections(findings: Findings) -> list[Section]:
    """Every section for which there is something to show, in the order of the page."""
    made = (
        Section("headline", "How they did", "", (headline(findings),), "headline"),
        Section(
            "comparisons", "Who is better than whom", _told_apart(findings.comparisons), where.comparisons(findings)
        ),
        Section(
            "lengths",
            "The longer the context",
            "The share right at each length; bars are 95% intervals.",
            where.lengths(findings),
        ),
        Section(
            "breakdowns",
            "Where it is lost",
            "The share right by one property of the questions, each run in its color.",
            where.breakdowns(findings),
            "choice",
        ),
        Section(
            "heat",
            "Skill against topic",
            "Any two properties against one another, for one run or for the difference of two.",
            where.heat_maps(findings),
            "heat",
        ),
        Section("patterns", "How answers are wrong", why.says_patterns(findings), why.patterns(findings), "matrix"),
        Section("causes", "Why they are wrong", why.says_causes(findings), why.causes(findings), "matrix"),
        Section(
            "ladder",
            "Finding, reading, computing",
            "The same questions over the full text, over only the passages they need, and over finished tables: what "
            "each step gives back was lost before it.",
            why.ladders(findings),
        ),
        Section("steps", "How far the reasoning came", why.says_steps(findings), why.steps(findings)),
        Section(
            "goes-with",
            "What goes with failure",
            "How success goes with properties of the questions, one by one and with the others held fixed.",
            why.goes_with(findings),
            "choice",
        ),
        Section("cost", "Price and accuracy", says_cheapest(findings), costs(findings)),
        Section(
            "samples",
            "Asked again",
            "What repeated responses to the same question show.",
            where.samples(findings) + where.repeated(findings),
        ),
        Section(
            "floors",
            "Floors and controls",
            "What is right without reading. A score means something as far as it stands above these.",
            floors(findings),
        ),
        Section(
            "contamination",
            "Known before it was shown",
            "Whether a model is shown to answer without the context better than a guess would. That it is not shown "
            "does not say that nothing was known: `fathom contamination` looks closer, with probes and swapped facts.",
            contamination(findings),
        ),
    )
    return [section for section in made if section.figures]


def all_figures(findings: Findings) -> Iterator[Figure]:
    """Every figure of the page."""
    for section in sections(findings):
        yield from section.figures


def _told_apart(comparisons: Sequence[Comparison]) -> str:
    pairs = [one for one in comparisons if one.within == "all"]
    apart = sum(one.apart for one in pairs)
    if not pairs:
        return ""
    return (
        f"Runs on the same questions, compared question by question. Of {len(pairs)} pair{'s' * (len(pairs) != 1)} "
        f"{apart} can be told apart after correction for looking at all of them, whatever responses are still to come."
    )

"""How runs stand to one another: which are there to compare with, what came of each, and their order."""

from __future__ import annotations

from typing import Literal

from fathom.analysis.findings import Findings, RunFinding
from fathom.models.simulated import PREFIX
from fathom.report.words import percent, some

Standing = Literal["model", "simulated", "control"]
ORDER: tuple[Standing, ...] = ("model", "simulated", "control")
"""Models first: a simulated answerer is no rival of theirs, and a control is no answerer at all."""


def controls(findings: Findings) -> set[str]:
    """Runs that are there to compare with: they are told what a system has to find, or shown nothing."""
    told = {run for ladder in findings.ladders for rung, run in ladder.runs.items() if rung != "full"}
    # Of the simulated answerers only a reader may be taken for a model; an oracle knows the keys.
    known = {run.facts.name for run in findings.runs if is_simulated(run) and not _is_reader(run)}
    return told | known | {one.run for one in findings.floors if one.run is not None}


def is_simulated(run: RunFinding) -> bool:
    """Whether no model answered."""
    return run.facts.model.startswith(PREFIX)


def _is_reader(run: RunFinding) -> bool:
    return run.facts.model.startswith(f"{PREFIX}reader")


def standings(findings: Findings) -> dict[str, Standing]:
    """What each run is, by its name."""
    aside = controls(findings)
    return {
        run.facts.name: "control" if run.facts.name in aside else "simulated" if is_simulated(run) else "model"
        for run in findings.runs
    }


def ranked(findings: Findings) -> list[RunFinding]:
    """The runs bench by bench, the best first: models before others, and whole runs before partial ones."""
    known = standings(findings)
    benches = [bench.fingerprint for bench in findings.benches]

    # A run that was asked ten easy questions of a thousand would otherwise stand first.
    def place(run: RunFinding) -> tuple[int, int, bool, bool, float]:
        standing = ORDER.index(known[run.facts.name])
        return benches.index(run.facts.bench), standing, not came(run), is_partial(run), -run.all.accuracy.value

    return sorted(findings.runs, key=place)


def is_partial(run: RunFinding) -> bool:
    """Whether the bench has questions that the run was not to ask."""
    return run.not_asked > 0


def waiting(run: RunFinding) -> int:
    """Responses that failed or were not asked for yet."""
    return run.all.outcomes.error + run.all.outcomes.unanswered


def came(run: RunFinding) -> int:
    """Responses that are there to be judged."""
    return run.all.outcomes.responses - run.all.outcomes.waiting


def asked(run: RunFinding) -> str:
    """How many questions of the bench were asked; empty where it was all of them."""
    questions = run.all.outcomes.questions
    return f"asked {questions:,} of {questions + run.not_asked:,}" if is_partial(run) else ""


def missing(run: RunFinding) -> str:
    """How many responses have not come; empty where none is missing."""
    if not waiting(run):
        return ""
    of = f"of {some(run.all.outcomes.responses, 'response', 'responses')}"
    return f"{of} {waiting(run):,} {'has' if waiting(run) == 1 else 'have'} not come"


def reservations(run: RunFinding) -> str:
    """What has to be said beside the score of a run that is not whole; empty for one that is."""
    absent = missing(run)
    # Of what nothing is known, "at most 100%" says nothing.
    limit = f": at most {percent(run.all.at_most)}" if absent and came(run) else ""
    return "; ".join(filter(None, [asked(run), absent + limit]))


def with_responses(findings: Findings) -> list[RunFinding]:
    """The runs of which something came: a score of one that only failed is no score, and is drawn nowhere."""
    return [run for run in findings.runs if came(run)]

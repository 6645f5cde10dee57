"""`fathom score`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.api.runs import is_run_folder
from fathom.api.scores import score_answers, score_run
from fathom.cli import options
from fathom.records.errors import FathomError

if TYPE_CHECKING:
    from fathom.api.scores import PublishedScore, Score, Scores

OUTCOMES = ("incorrect", "unparseable", "refused", "overflow", "error", "unjudged", "unanswered")
"""Outcomes other than correct, in the order in which they are printed."""


@click.command(
    epilog=options.examples(
        "fathom score runs/bench-full-smollm2", "fathom score bench --answers answers.jsonl --by topic --compat scitrek"
    )
)
@click.argument("target", metavar="RUN|BENCH", type=options.PATH)
@click.option(
    "--answers",
    type=options.PATH,
    help='For a bench: JSON lines, {"question_id": ..., "text": ...} or whole responses.',
)
@click.option("--bench", type=options.PATH, help="For a run: its bench, if that has been moved.")
@click.option(
    "--by",
    help="The tag to break scores down by, or `answer` for the type of the answer.  [default: the family's main tag]",
)
@click.option(
    "--compat", type=click.Choice(["scitrek"]), help="Also print exact match and F1 as the paper computes them."
)
@click.option("--out", type=options.PATH, help="Where to write the verdicts.  [default: in the run's folder]")
@options.as_json
def command(
    target: Path,
    answers: Path | None,
    bench: Path | None,
    by: str | None,
    compat: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score a run, or a file of answers against a bench.

    Every question counts: a question without a response is not correct. A run can be scored again at any time; the
    summary shows which verdicts changed. Reads the bench, its keys and the responses; writes verdicts; calls no model.
    """
    is_run = is_run_folder(target)
    if is_run:
        scores = score_run(target, bench=bench, out=out)
    elif answers is not None:
        scores = score_answers(target, answers, out=out)
    else:
        raise FathomError(f"'{target}' is not a run. Give the folder of a run, or a bench and --answers FILE.")
    if scores.warning:
        click.echo(f"fathom: {scores.warning}", err=True)
    tag = by or scores.default_tag
    groups = {"all": scores.overall, **scores.by(tag)}
    published = {**scores.scitrek(), **scores.scitrek(tag)} if compat else {}
    if as_json:
        click.echo(json.dumps(_as_json(scores, groups, published), indent=2))
        return
    lines = [f"{target}:", *_table(groups), *_published_table(published), *_notes(scores)]
    if is_run:
        lines.append(f"next: fathom analyze {target}")
    click.echo("\n".join(lines))


def _as_json(scores: Scores, groups: dict[str, Score], published: dict[str, PublishedScore]) -> dict[str, object]:
    return {
        "scores": {
            name: {**score.model_dump(), "accuracy": score.accuracy, "partial_credit": score.partial_credit}
            for name, score in groups.items()
        },
        "samples": scores.samples.model_dump(),
        "changes": scores.changes.model_dump(),
        "questions_not_asked": scores.questions_not_asked,
        **({"scitrek": {name: score.model_dump() for name, score in published.items()}} if published else {}),
    }


def _table(groups: dict[str, Score]) -> Iterator[str]:
    """A line for each group: accuracy, partial credit, measures, and the counts of the other outcomes."""
    measures = list(dict.fromkeys(name for score in groups.values() for name in score.measures))
    headings = "".join(f" {name:>9}" for name in measures)
    width = max(24, *map(len, groups))
    yield f"  {'':{width}} {'questions':>9} {'accuracy':>8} {'partial credit':>14}{headings}   other outcomes"
    for name, score in groups.items():
        means = "".join(f" {_share(score.measures.get(measure)):>9}" for measure in measures)
        outcomes = ", ".join(f"{outcome} {count:,}" for outcome in OUTCOMES if (count := getattr(score, outcome)))
        shares = f"{score.accuracy:>8.1%} {score.partial_credit:>14.1%}{means}"
        yield f"  {name:{width}} {score.questions:>9,} {shares}   {outcomes}".rstrip()


def _share(value: float | None) -> str:
    """A measure of a group; a dash if none of its answers has it."""
    return "-" if value is None else f"{value:.1%}"


def _published_table(published: dict[str, PublishedScore]) -> Iterator[str]:
    """A line for each group with the measures of the SciTrek paper."""
    if published:
        yield f"  {'as published (SciTrek)':24} {'questions':>9} {'exact match':>11} {'F1':>8}"
    for name, score in published.items():
        yield f"  {name:24} {score.questions:>9,} {score.exact_match:>11.1%} {score.f1:>8.1%}"


def _notes(scores: Scores) -> Iterator[str]:
    samples = scores.samples
    if samples.samples > 1:
        few = {k: share for k, share in samples.pass_at.items() if k <= 3 or k == samples.samples}
        passed = ", ".join(f"pass@{k} {share:.1%}" for k, share in few.items())
        yield (
            f"  {samples.samples} samples per question: mean {samples.mean:.1%}, {passed}, "
            f"majority {samples.majority:.1%}"
        )
    if scores.questions_not_asked:
        yield f"  {scores.questions_not_asked:,} more questions of the bench were not asked (--limit, --split)"
    if scores.responses_ignored:
        yield f"  {scores.responses_ignored:,} responses to questions that were not asked are ignored"
    changes = scores.changes
    if changes.compared and not changes.changed:
        yield f"  none of the {changes.compared:,} earlier verdicts changed"
    elif changes.compared:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in changes.changed.items())
        yield f"  changed verdicts, of {changes.compared:,}: {kinds} (for example {', '.join(changes.examples)})"

"""`fathom score`"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from fathom.api.judging import CALIBRATION_ITEMS, needs_judge, role_model
from fathom.api.judging import judge as judge_run
from fathom.api.runs import is_run_folder
from fathom.api.scores import score_answers, score_run
from fathom.cli import options
from fathom.cli.measure_output import measure_lines
from fathom.cli.output import OTHER_OUTCOMES, next_lines, print_notice, progress_bar
from fathom.records.errors import FathomError
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.scores import PublishedScore, Score, Scores
    from fathom.records.contexts import Split

HIDDEN = {"separate": "in a separate thinking text", "hidden": "hidden by the provider", "none": "none"}
"""Labels for reasoning that is not checked, by its state."""


@click.command(
    epilog=options.examples(
        "fathom score runs/bench-full-smollm2", "fathom score bench --answers answers.jsonl --by topic --compat scitrek"
    )
)
@click.argument("target", metavar="RUN|BENCH", type=options.PATH)
@click.option(
    "--answers",
    type=options.PATH,
    help='For a bench: JSON Lines with {"question_id": ..., "text": ...} or whole responses.',
)
@click.option(
    "--split", type=click.Choice(["train", "dev", "test"]), help="With --answers: count the questions of one split."
)
@click.option("--only-given", is_flag=True, help="With --answers: count only the questions that the file answers.")
@click.option("--bench", type=options.PATH, help="For a run: the folder of its bench, if it was moved.")
@click.option(
    "--by",
    help="The tag to break scores down by, or `answer` for the type of the answer.  [default: the family's main tag]",
)
@click.option(
    "--compat", type=click.Choice(["scitrek"]), help="Also print exact match and F1 as the paper computes them."
)
@click.option(
    "--judge",
    "judges",
    metavar="MODEL",
    multiple=True,
    help="A model that decides where the check of a family cannot, for example on differently spelled names. "
    "Repeatable: a majority of several judges decides.",
)
@click.option(
    "--reasoning",
    type=click.Choice(["visible", "thinking"]),
    default="visible",
    show_default=True,
    help="The reasoning that is checked and judged: that of the visible response alone, or also the separate thinking "
    "text of reasoning models.",
)
@click.option(
    "--calibration",
    type=click.IntRange(min=0),
    help="Number of questions with planted responses that measure the error of each judge.  [default: 40]",
)
@click.option("--out", type=options.PATH, help="Where to write the verdicts.  [default: in the run's folder]")
@options.as_json
def command(
    target: Path,
    answers: Path | None,
    split: Split | None,
    only_given: bool,
    bench: Path | None,
    by: str | None,
    compat: str | None,
    judges: tuple[str, ...],
    reasoning: Literal["visible", "thinking"],
    calibration: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score a run, or a file of answers against a bench.

    Every question counts: a question without a response is not correct. With --answers, --split counts those of one
    split, and --only-given those that the file answers. A run can be scored again at any time; the summary shows which
    verdicts changed. Reads the bench, its keys and the responses; writes verdicts; calls a model only with --judge. A
    response that the judge could not decide is unjudged; score again to ask again.
    """
    is_run = is_run_folder(target)
    if judges and not is_run:
        raise FathomError(
            f"'{target}' is not a run, so it cannot be judged. Give the folder of a run, or leave out --judge."
        )
    if calibration is not None and not judges:
        raise FathomError("--calibration measures judges, and no judge is given. Add --judge MODEL.")
    if judges and needs_judge(target, bench=bench, reasoning=reasoning):
        models = [role_model(name) for name in dict.fromkeys(judges)]
        items = CALIBRATION_ITEMS if calibration is None else calibration
        with progress_bar("Judging", None) as show:
            judged = judge_run(
                target,
                models,
                bench=bench,
                reasoning=reasoning,
                calibration=items,
                progress=lambda done, total: show(done),
                notify=print_notice,
            )
        if judged.stopped is not None:
            click.echo(
                f"fathom: the judge stopped: {judged.stopped}. Run the same command again: it asks only for what is "
                "missing.",
                err=True,
            )
            raise SystemExit(130 if judged.stopped.startswith("interrupted") else 1)
    if answers is None and (split is not None or only_given):
        raise FathomError(
            "--split and --only-given apply to --answers only: a run records which questions it asks. Leave them out."
        )
    if is_run:
        scores = score_run(target, bench=bench, out=out, reasoning=reasoning)
    elif answers is not None:
        scores = score_answers(target, answers, out=out, split=split, only_given=only_given)
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
    lines = [f"{target}:", *_table(groups), *_restated(scores), *_macro(scores), *_published_table(published)]
    lines += [*measure_lines(scores.measures), *scores.baselines, *_judged(scores), *_notes(scores)]
    if is_run:
        lines += next_lines(f"fathom {'judges' if judges and scores.judged else 'analyze'} {target}")
    click.echo("\n".join(lines))


def _as_json(scores: Scores, groups: dict[str, Score], published: dict[str, PublishedScore]) -> dict[str, object]:
    return {
        "scores": {
            name: {**score.model_dump(), "accuracy": score.accuracy, "partial_credit": score.partial_credit}
            for name, score in groups.items()
        },
        **({} if scores.macro_accuracy is None else {f"macro_{scores.macro_tag}": scores.macro_accuracy}),
        **(
            {"measures": {measure.name: measure.model_dump() for measure in scores.measures}} if scores.measures else {}
        ),
        **(
            {}
            if scores.restated is None
            else {"restated": {**scores.restated.model_dump(), "accuracy": scores.restated.accuracy}}
        ),
        "samples": scores.samples.model_dump(),
        "changes": scores.changes.model_dump(),
        "reasoning": scores.reasoning,
        "questions_not_asked": scores.questions_not_asked,
        **({"scitrek": {name: score.model_dump() for name, score in published.items()}} if published else {}),
    }


def _table(groups: dict[str, Score]) -> Iterator[str]:
    """A line for each group: accuracy, partial credit, measures, and the counts of the other outcomes."""
    measures = list(dict.fromkeys(name for score in groups.values() for name in score.measures))
    headings = "".join(f" {name:>{_width(name)}}" for name in measures)
    width = max(24, *map(len, groups))
    yield f"  {'':{width}} {'questions':>9} {'accuracy':>8} {'partial credit':>14}{headings}   other outcomes"
    for name, score in groups.items():
        means = "".join(f" {_share(score.measures.get(measure)):>{_width(measure)}}" for measure in measures)
        outcomes = ", ".join(f"{outcome} {count:,}" for outcome in OTHER_OUTCOMES if (count := getattr(score, outcome)))
        shares = f"{score.accuracy:>8.1%} {score.partial_credit:>14.1%}{means}"
        # Not every question has the tag.
        yield f"  {name or '(none)':{width}} {score.questions:>9,} {shares}   {outcomes}".rstrip()


def _restated(scores: Scores) -> Iterator[str]:
    """The score without the questions that were retired, next to the score with them."""
    if scores.restated is not None:
        kept, every = scores.restated, scores.overall
        yield (
            f"  without {every.questions - kept.questions:,} retired: {kept.accuracy:.1%} of {kept.questions:,} "
            f"(with them {every.accuracy:.1%} of {every.questions:,})"
        )


def _width(measure: str) -> int:
    return max(9, len(measure))


def _macro(scores: Scores) -> Iterator[str]:
    if scores.macro_accuracy is not None:
        parts = ", ".join(f"{name} {score.accuracy:.1%}" for name, score in scores.macro_groups.items())
        yield f"  mean over {scores.macro_tag}, each with the same weight: {scores.macro_accuracy:.1%} ({parts})"


def _share(value: float | None) -> str:
    """A measure of a group; a dash if none of its answers has it."""
    return "-" if value is None else f"{value:.1%}"


def _published_table(published: dict[str, PublishedScore]) -> Iterator[str]:
    """A line for each group with the measures of the SciTrek paper."""
    if published:
        yield f"  {'as published (SciTrek)':24} {'questions':>9} {'exact match':>11} {'F1':>8}"
    for name, score in published.items():
        yield f"  {name:24} {score.questions:>9,} {score.exact_match:>11.1%} {score.f1:>8.1%}"


def _judged(scores: Scores) -> Iterator[str]:
    judged = scores.judged
    if judged is not None:
        agrees = f"; agrees with the check on {judged.agreement:.1%} of {judged.compared:,} others" * bool(
            judged.compared
        )
        yield f"  judge: decided on {counted(judged.decided, 'response')} that the check leaves open{agrees}"
    hidden = Counter(
        summary.reasoning for summary in scores.verdict_summaries if summary.reasoning not in (None, "shown")
    )
    if hidden:
        states = ", ".join(f"{HIDDEN[state]} {count:,}" for state, count in sorted(hidden.items()) if state)
        yield f"  responses without reasoning that counts (--reasoning {scores.reasoning}): {states}"


def _notes(scores: Scores) -> Iterator[str]:
    samples = scores.samples
    if samples.samples > 1:
        few = {k: share for k, share in samples.pass_at.items() if k <= 3 or k == samples.samples}
        passed = ", ".join(f"pass@{k} {share:.1%}" for k, share in few.items())
        yield (
            f"  {samples.samples} samples per question, of which the table has the first: mean {samples.mean:.1%}, "
            f"{passed}, majority {samples.majority:.1%}"
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

"""`fathom study`"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.human_work import ProjectOptions
from fathom.cli.output import cut, percent
from fathom.records.errors import FathomError
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.studies import StudyPlan, StudyResults
    from fathom.api.value_checks import ValueCheckPlan, ValueCheckResults


class _Duration(click.ParamType[float]):
    """A time such as 90m, 45s or 2h, in seconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> float:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", str(value))
        if match is None or not float(match[1]):
            raise FathomError(f"--time-limit takes a time such as 90m, 45s or 2h, not '{value}'.")
        return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]]


@click.command(
    epilog=options.examples(
        "fathom study bench --out study --per skill=20 --annotators 3 --controls 1 --show tables",
        "fathom study bench --out study --per level=10 --time-limit 90m --annotators 1 --annotator ada",
        "fathom study study --results --run runs/full",
        "fathom study bench --values --out checks --per domain=20 --annotator ada --annotator ben",
    )
)
@click.argument("target", metavar="BENCH|STUDY", type=options.PATH)
@click.option("--out", type=options.PATH, help="The folder of a new study.")
@click.option("--per", type=options.PerTag(), help="Number of questions for each value of a tag, such as skill=20.")
@click.option(
    "--annotators", type=click.IntRange(1), default=3, show_default=True, help="Number of answers to each question."
)
@click.option("--annotator", "people", multiple=True, help="The name of a person. Repeatable.")
@click.option(
    "--round", "per_round", type=click.IntRange(1), default=3, show_default=True, help="Number of questions in a round."
)
@click.option(
    "--controls", type=click.IntRange(0), default=1, show_default=True, help="Number of control questions per round."
)
@click.option(
    "--show",
    type=click.Choice(("documents", "tables")),
    default="documents",
    show_default=True,
    help="The material that people are shown.",
)
@click.option("--time-limit", type=_Duration(), help="Time for each question, such as 90m.")
@options.seed
@options.port
@click.option("--no-server", is_flag=True, help="Create the study, and serve nothing.")
@click.option("--values", is_flag=True, help="Check values that keys are computed from, instead of asking questions.")
@click.option("--results", is_flag=True, help="For a study: print its results.")
@click.option(
    "--run", "runs", multiple=True, type=options.PATH, help="With --results: a run to compare with. Repeatable."
)
@options.as_json
def command(
    target: Path,
    out: Path | None,
    per: tuple[str, int] | None,
    annotators: int,
    people: tuple[str, ...],
    per_round: int,
    controls: int,
    show: str,
    time_limit: float | None,
    seed: int,
    port: int,
    no_server: bool,
    values: bool,
    results: bool,
    runs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Let people answer questions of a bench, and compare them with runs.

    With BENCH: draws a stratified sample, assigns it to people in rounds with control questions, and serves it on the
    loopback address. With STUDY: continues to serve it, or with --results prints accuracy, agreement, alignment and
    time. Rounds with a failed control question are excluded and counted. With --values, people compare the values that
    keys are computed from with the documents, and another person reviews each value that is not confirmed. Reads the
    bench; the pages read no keys; writes the study; calls no model.
    """
    from fathom.api.studies import create_study, is_study, read_plan, serve_study, study_results
    from fathom.api.value_checks import is_value_check

    options.require_path(target, "a bench or a study")
    shared = ProjectOptions(out, per, people, seed, port, no_server, results, as_json)
    if values or is_value_check(target):
        _check_values(target, shared)
        return
    if results:
        report = study_results(target, runs)
        shared.show(report, _result_lines(target, report))
        return
    folder = target
    if not is_study(target):
        if out is None or per is None:
            raise FathomError("A new study needs --out DIR and --per TAG=N. Give both.")
        folder = out
        create_study(
            target, out, *per, people=people, answers=annotators, per_round=per_round, controls=controls, show=show,
            time_limit=time_limit, seed=seed,
        )  # fmt: skip
    plan = read_plan(folder)
    shared.show(plan, _plan_lines(folder, plan))
    shared.serve(folder, serve_study, "study")


_QUESTIONS_ONLY = {
    "--annotators": "annotators",
    "--round": "per_round",
    "--controls": "controls",
    "--show": "show",
    "--time-limit": "time_limit",
    "--run": "runs",
}
"""Options that have no meaning for value checks, by parameter."""


def _check_values(target: Path, shared: ProjectOptions) -> None:
    """Let people check the values that keys are computed from."""
    from fathom.api.value_checks import (
        create_value_check,
        is_value_check,
        read_value_check_plan,
        serve_value_check,
        value_check_results,
    )

    context = click.get_current_context()
    for option, name in _QUESTIONS_ONLY.items():
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise FathomError(f"{option} applies to questions, and this is a value check. Leave it out.")
    if shared.results:
        report = value_check_results(target)
        shared.show(report, _check_lines(target, report))
        return
    folder = target
    if not is_value_check(target):
        if shared.out is None or shared.per is None:
            raise FathomError("A new value check needs --out DIR and --per TAG=N, such as domain=20. Give both.")
        folder = shared.out
        create_value_check(target, folder, *shared.per, people=shared.people, seed=shared.seed)
    plan = read_value_check_plan(folder)
    shared.show(plan, _check_plan_lines(folder, plan))
    shared.serve(folder, serve_value_check, "study")


def _check_plan_lines(folder: Path, plan: ValueCheckPlan) -> Iterator[str]:
    yield f"{folder}: {counted(len(plan.values), 'value')}"
    for value, count in plan.strata.items():
        yield f"  {plan.by} {cut(value, 40)}: {count:,} of {plan.available[value]:,}"


def _check_lines(folder: Path, results: ValueCheckResults) -> Iterator[str]:
    yield f"{folder}: values that the documents state, of those that are decided"
    yield f"  {results.by:24} {'values':>6} {'correct':>7} {'incorrect':>9} {'unclear':>7} {'open':>5}  accuracy"
    for group in results.groups:
        counts = f"{group.values:>6,} {group.correct:>7,} {group.incorrect:>9,} {group.unclear:>7,} {group.open:>5,}"
        yield f"  {cut(group.name, 24):24} {counts}  {percent(group.accuracy)}"
    overall = results.groups[0]
    yield (
        f"  {counted(overall.reviewed, 'value')} reviewed by another person, "
        f"who confirmed {overall.overruled:,} of them after all"
    )


def _plan_lines(folder: Path, plan: StudyPlan) -> Iterator[str]:
    questions = counted(len(plan.questions), "question")
    yield f"{folder}: {questions}, {counted(plan.answers_per_question, 'answer')} to each"
    for value, count in plan.strata.items():
        yield f"  {plan.by} {cut(value, 40)}: {count:,} of {plan.available[value]:,}"
    for name, tasks in plan.tasks.items():
        controls = sum(bool(task.control) for task in tasks)
        rounds = len({task.round for task in tasks})
        yield f"  {name}: {counted(len(tasks) - controls, 'question')} and {controls:,} controls in {rounds:,} rounds"


def _result_lines(folder: Path, results: StudyResults) -> Iterator[str]:
    excluded = f"{results.excluded_rounds:,} of {results.rounds:,} rounds excluded by controls"
    yield f"{folder}: {excluded} ({results.excluded_answers:,} answers), {results.open_tasks:,} tasks open"
    yield f"  {'':24} {'questions':>9} {'answers':>7} {'accuracy':>20} {'agreement':>20} {'alignment':>20}  minutes"
    for group in results.groups:
        minutes = (
            ""
            if group.minutes is None
            else f"{group.minutes.value:.1f} ({group.minutes.low:.1f}-{group.minutes.high:.1f})"
        )
        shares = " ".join(f"{percent(value):>20}" for value in (group.accuracy, group.agreement, group.alignment))
        yield f"  {cut(group.name, 24):24} {group.questions:>9,} {group.answers:>7,} {shares}  {minutes}"
        if group.gave_up or group.timeouts:
            yield f"    given up {group.gave_up:,}, too late {group.timeouts:,}"
        if group.single:
            yield f"    {counted(group.single, 'question')} with one valid answer: not in agreement and alignment"
        for name, accuracy in group.runs.items():
            yield f"    {cut(name, 22):22} {accuracy.items:>9,} {'':>7} {percent(accuracy):>20}"

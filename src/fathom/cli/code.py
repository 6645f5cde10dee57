"""`fathom code`"""

from __future__ import annotations

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
    from fathom.api.error_coding import CodedGroup, CodingPlan, CodingResults, FailedBy


@click.command(
    epilog=options.examples(
        "fathom code runs --out coding --per skill=5 --failed-by all --annotator ada --annotator ben",
        "fathom code runs/full --out coding --per family=30 --annotator ada --category 'Miscounts: counts one twice'",
        "fathom code coding",
        "fathom code coding --results",
    )
)
@click.argument("targets", metavar="RUN...|CODING", nargs=-1, required=True, type=options.PATH)
@click.option("--out", type=options.PATH, help="The folder of a new error-coding project.")
@click.option("--per", type=options.PerTag(), help="Number of questions for each value of a tag, such as skill=5.")
@click.option(
    "--failed-by",
    type=click.Choice(["any", "all"]),
    default="any",
    show_default=True,
    help="Draw questions that some run fails, or only those that every run fails.",
)
@click.option(
    "--annotator", "coders", multiple=True, help="The name of a coder. Repeatable: two or more give agreement."
)
@click.option(
    "--category", "categories", multiple=True, help="A first category, as NAME or 'NAME: MEANING'. Repeatable."
)
@click.option("--bench", type=options.PATH, help="The folder of the bench, if it was moved.")
@options.seed
@options.port
@click.option("--no-server", is_flag=True, help="Create the project, and serve nothing.")
@click.option(
    "--results", is_flag=True, help="For an error-coding project: print categories by run and tag, and agreement."
)
@options.as_json
def command(
    targets: tuple[Path, ...],
    out: Path | None,
    per: tuple[str, int] | None,
    failed_by: FailedBy,
    coders: tuple[str, ...],
    categories: tuple[str, ...],
    bench: Path | None,
    seed: int,
    port: int,
    no_server: bool,
    results: bool,
    as_json: bool,
) -> None:
    """Let people sort incorrect responses of runs into categories of their own.

    With RUNs on one bench: draws a stratified sample of questions that runs fail, and serves the incorrect responses
    with key, proof and trace on the loopback address. With CODING: continues to serve it, or with --results prints the
    categories by run and tag, and Cohen's kappa of the coders. Coders work alone and do not see which run a response is
    from. Reads the runs and their bench; writes the coding; calls no model.
    """
    from fathom.api.error_coding import coding_results, create_coding, is_coding, read_coding_plan, serve_coding

    for target in targets:
        options.require_path(target, "a run or an error-coding project")
    folder = targets[0]
    if not is_coding(folder):
        if results:
            raise FathomError(
                f"'{folder}' is not an error-coding project. Give the folder that was created with --out."
            )
        if out is None or per is None:
            raise FathomError("A new error-coding project needs --out DIR and --per TAG=N. Give both.")
        create_coding(
            targets, out, *per, coders=coders, failed_by=failed_by, categories=categories, bench=bench, seed=seed
        )
        folder = out
    elif len(targets) > 1:
        raise FathomError(f"'{folder}' is an error-coding project. Give it alone, or give runs to create a new one.")
    shared = ProjectOptions(out, per, coders, seed, port, no_server, results, as_json)
    if results:
        report = coding_results(folder)
        shared.show(report, _result_lines(folder, report))
        return
    plan = read_coding_plan(folder)
    shared.show(plan, _plan_lines(folder, plan))
    shared.serve(folder, serve_coding, "code")


def _plan_lines(folder: Path, plan: CodingPlan) -> Iterator[str]:
    questions = len({case.question_id for case in plan.cases})
    responses = counted(len(plan.cases), "incorrect response")
    yield f"{folder}: {responses} to {counted(questions, 'question')} that {_who(plan)}"
    for value, count in plan.strata.items():
        yield f"  {plan.by} {cut(value, 40)}: {count:,} of {plan.available[value]:,}"
    for name in plan.runs:
        yield f"  {cut(name, 40)}: {counted(sum(case.run == name for case in plan.cases), 'response')}"


def _who(plan: CodingPlan) -> str:
    return "every run fails" if plan.failed_by == "all" else "a run fails"


def _result_lines(folder: Path, results: CodingResults) -> Iterator[str]:
    coders = ", ".join(f"{cut(name, 30)} {count:,}" for name, count in results.coders.items())
    yield f"{folder}: {counted(results.cases, 'case')}, {results.open:,} not coded by everybody yet ({coders})"
    if results.agreement is not None:
        agreement = results.agreement
        kappa = (
            "undefined"
            if agreement.kappa is None
            else f"{agreement.kappa.value:.2f} ({agreement.kappa.low:.2f}-{agreement.kappa.high:.2f})"
        )
        equal = f"{agreement.agreement.value:.1%}"
        yield f"  agreement on {counted(agreement.items, 'case')}: {equal} equal, Cohen's kappa {kappa}"
    for group in results.groups:
        yield from _group_lines(group, results.by)


def _group_lines(group: CodedGroup, by: str) -> Iterator[str]:
    parts = [cut(group.run, 40), f"{by} {cut(group.stratum, 40)}" if group.stratum else ""]
    yield f"  {', '.join(filter(None, parts)) or 'all'}: {counted(group.cases, 'case')}"
    for name, count in group.counts.items():
        if count:
            yield f"    {cut(name, 36):36} {count:>5,}  {percent(group.shares[name])}"

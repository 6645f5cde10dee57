"""Error coding: people sort the incorrect responses of runs into categories of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ValidationError

from fathom.analysis.error_coding import DISAGREEMENT, CodedCase, CodedGroup, CodingResults, summarize_coding
from fathom.analysis.loading import BenchRuns, load_runs, verdict_on
from fathom.annotate.error_coding import Category, CodingCase, CodingPlan, ErrorCoding, FailedBy
from fathom.annotate.planned_project import question_tags, relative, stratified_sample
from fathom.api.arguments import Folder, as_path
from fathom.api.findings import run_folders
from fathom.api.serving import PersonLinks, require_server, serve_planned
from fathom.records.errors import FathomError
from fathom.records.record import first_error

__all__ = [
    "DISAGREEMENT",
    "CodedGroup",
    "CodingPlan",
    "CodingResults",
    "FailedBy",
    "coding_results",
    "create_coding",
    "is_coding",
    "read_coding_plan",
    "serve_coding",
]

WRONG = ("incorrect", "unparseable", "refused")
"""Outcomes that are coded. The others say nothing about the answer: the call failed, or nothing was sent."""


def is_coding(folder: Folder) -> bool:
    """Whether the folder contains an error coding."""
    return ErrorCoding.is_in(as_path(folder))


def read_coding_plan(folder: Folder) -> CodingPlan:
    """The plan of the error coding in a folder."""
    with ErrorCoding(as_path(folder)) as opened:
        return opened.plan


def create_coding(
    runs: Sequence[Folder],
    out: Folder,
    by: str,
    per: int,
    *,
    coders: Sequence[str],
    failed_by: FailedBy = "any",
    categories: Sequence[str] = (),
    bench: Folder | None = None,
    seed: int = 0,
) -> CodingPlan:
    """Draw `per` questions for each value of the tag `by` among those that runs fail; every coder codes all cases.

    The cases are the incorrect responses of all runs to these questions, the first of each run to a question. With
    `failed_by="all"` only questions that every run fails are drawn. A category is "NAME" or "NAME: DESCRIPTION".
    """
    if not coders:
        raise FathomError("No coder was given. Give --annotator NAME; two coders also give agreement.")
    first_categories = [_category(category) for category in categories]
    loaded = load_runs(run_folders(runs), as_path(bench))
    if len(loaded) > 1:
        raise FathomError("The runs are on different benches. Give runs on one bench.")
    (bench_runs,) = loaded
    wrong = _wrong_runs(bench_runs)
    failed = [question for question in bench_runs.bench.all_questions() if question.id in wrong]
    if failed_by == "all":
        failed = [
            question
            for question in failed
            if all(question.id in run.questions and run.name in wrong[question.id] for run in bench_runs.runs)
        ]
    if not failed:
        who = "every run fails" if failed_by == "all" else "a run fails"
        raise FathomError(f"There is no question that {who}. Give other runs.")
    sample = stratified_sample(failed, question_tags, lambda question: question.id, by, per, seed)
    folder = as_path(out)
    plan = CodingPlan(
        bench=relative(bench_runs.bench.folder, folder),
        bench_fingerprint=bench_runs.bench.manifest.fingerprint,
        by=by,
        strata={value: len(members) for value, members in sample.drawn.items()},
        available=sample.available,
        seed=seed,
        runs={run.name: relative(run.folder, folder) for run in bench_runs.runs},
        failed_by=failed_by,
        coders=tuple(coders),
        cases=tuple(
            CodingCase(run=run, question_id=question.id, stratum=value)
            for value, members in sample.drawn.items()
            for question in members
            for run in wrong[question.id]
        ),
    )
    with ErrorCoding.begin(folder, plan, coders, bench_runs.bench) as coding:
        for category in first_categories:
            coding.add_category(category)
    return plan


def _category(text: str) -> Category:
    name, _, description = text.partition(":")
    try:
        return Category(name=name.strip(), description=description.strip())
    except ValidationError as error:
        raise FathomError(f"'{text}' is not a category: {first_error(error)}. Give a short name.") from error


def _wrong_runs(bench_runs: BenchRuns) -> dict[str, list[str]]:
    """The runs whose first response to a question is wrong, by question."""
    wrong: dict[str, list[str]] = {}
    for _, items in bench_runs.by_context():
        for item in items:
            for run in bench_runs.runs:
                response = run.responses.get(item.question.id, 0)
                if response is None:
                    continue
                if verdict_on(item, response, run.verdicts.get(item.question.id, 0), run.shown).outcome in WRONG:
                    wrong.setdefault(item.question.id, []).append(run.name)
    return wrong


def serve_coding(coding: Folder, *, port: int = 0, started: Callable[[PersonLinks], None]) -> None:
    """Serve an error coding on the loopback address until an interrupt; `started` gets the link of each coder."""
    require_server()
    from fathom.annotate.coding_app import coding_app

    serve_planned(ErrorCoding(as_path(coding)), coding_app, port, started)


def coding_results(coding: Folder) -> CodingResults:
    """The categories of incorrect responses by run and tag, and the agreement of the coders."""
    with ErrorCoding(as_path(coding)) as opened:
        plan, bench = opened.plan, opened.open_bench()
        codes = list(opened.codes())
        categories = {category.name: category.description for category in opened.categories()}
    contexts = {question.id: question.context_id for question in bench.all_questions()}
    by_case: list[dict[str, str]] = [{} for _ in plan.cases]
    for code in codes:
        by_case[code.place][code.coder] = code.category
    cases = [
        CodedCase(
            run=case.run,
            question_id=case.question_id,
            context=contexts[case.question_id],
            stratum=case.stratum,
            codes=found,
            is_complete=len(found) == len(plan.coders),
        )
        for case, found in zip(plan.cases, by_case, strict=True)
    ]
    if not codes:
        raise FathomError(f"Nothing is coded in '{coding}' yet. Code some cases: `fathom code {coding}`.")
    return summarize_coding(cases, categories, plan.by)

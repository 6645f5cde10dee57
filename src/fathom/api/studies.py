"""Human studies: people answer questions of a bench in a local web app, and are compared with runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fathom.analysis.loading import read_verdicts
from fathom.analysis.studies import HumanAnswer, StudyGroup, StudyResults, summarize_study
from fathom.annotate.planned_project import question_tags, relative
from fathom.annotate.study import Study, StudyAnswer, StudyPlan, StudyTask, assign_tasks, draw_sample
from fathom.api.arguments import Folder, as_path
from fathom.api.serving import PersonLinks, require_server, serve_planned
from fathom.records.errors import FathomError
from fathom.records.questions import QuestionId, Response
from fathom.runs.folder import read_run, selected_questions
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.format import after_label
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.checking import ShownContexts, check
from fathom.tasks.family import Item

__all__ = [
    "StudyGroup",
    "StudyPlan",
    "StudyResults",
    "create_study",
    "is_study",
    "read_plan",
    "serve_study",
    "study_results",
]


def is_study(folder: Folder) -> bool:
    """Whether the folder contains a study."""
    return Study.is_in(as_path(folder))


def read_plan(folder: Folder) -> StudyPlan:
    """The plan of the study in a folder."""
    with Study(as_path(folder)) as opened:
        return opened.plan


def create_study(
    bench: Folder,
    out: Folder,
    by: str,
    per: int,
    *,
    people: Sequence[str] = (),
    answers: int = 3,
    per_round: int = 3,
    controls: int = 1,
    show: str = "documents",
    time_limit: float | None = None,
    seed: int = 0,
) -> StudyPlan:
    """Draw `per` questions for each value of the tag `by`, and assign them to people in rounds.

    Every question is answered by `answers` people. `time_limit` is in seconds for each question.
    """
    folder, opened = as_path(out), Bench(as_path(bench))
    names = list(people) or [f"person-{number}" for number in range(1, answers + 1)]
    sample = draw_sample(opened.all_questions(), by, per, seed)
    drawn = sample.all()
    for name in sorted({question.family for question in drawn}):
        with opened.open_corpus() as corpus:
            forms = family(name).views(corpus, opened.manifest.reports.get(name, {})).forms
        if show not in forms:
            raise FathomError(f"The family '{name}' cannot show '{show}'. Choose among {', '.join(forms)}.")
    plan = StudyPlan(
        bench=relative(opened.folder, folder),
        bench_fingerprint=opened.manifest.fingerprint,
        show=show,
        by=by,
        strata={value: len(found) for value, found in sample.drawn.items()},
        available=sample.available,
        answers_per_question=answers,
        controls=controls,
        time_limit=time_limit,
        seed=seed,
        tasks=assign_tasks(drawn, names, answers, per_round, controls, seed),
    )
    Study.begin(folder, plan, names, opened).close()
    return plan


def serve_study(study: Folder, *, port: int = 0, started: Callable[[PersonLinks], None]) -> None:
    """Serve a study on the loopback address until an interrupt; `started` gets the link of each person."""
    require_server()
    from fathom.annotate.study_app import study_app

    serve_planned(Study(as_path(study)), study_app, port, started)


def study_results(study: Folder, runs: Sequence[Folder] = ()) -> StudyResults:
    """Accuracy, agreement, alignment and time of a study, compared with runs on the same questions.

    A round in which a control question was failed is excluded with all of its answers, and counted.
    """
    with Study(as_path(study)) as opened:
        plan, bench = opened.plan, opened.open_bench()
        answers = list(opened.answers())
    wanted = plan.questions
    items = {one.question.id: one for _, found in bench.by_context() for one in found if one.question.id in wanted}
    controls = [(answer, plan.tasks[answer.person][answer.place]) for answer in answers]
    rounds = {(one.person, task.round) for one, task in controls if task.control}
    failed = {(one.person, task.round) for one, task in controls if task.control and not _passes(one, task)}
    shown = ShownContexts(bench)
    valid: list[HumanAnswer] = []
    excluded = 0
    for one, task in controls:
        if task.control:
            continue
        if (one.person, task.round) in failed:
            excluded += 1
            continue
        valid.append(_judged(one, items[task.question_id], plan.by, shown))
    if not valid:
        raise FathomError(
            f"The study '{study}' has no valid answers yet. Answer some questions: `fathom study {study}`."
        )
    scores = {Path(as_path(run)).name: _run_scores(as_path(run), bench, plan) for run in runs}
    groups = summarize_study(valid, lambda one, two: agrees(one, two) or agrees(two, one), scores)
    return StudyResults(
        groups=groups,
        rounds=len(rounds),
        excluded_rounds=len(failed),
        excluded_answers=excluded,
        open_tasks=sum(map(len, plan.tasks.values())) - len(answers),
    )


def _passes(answer: StudyAnswer, task: StudyTask) -> bool:
    return answer.state == "answered" and answer.text.strip() == task.control


def _judged(answer: StudyAnswer, item: Item, by: str, shown: ShownContexts) -> HumanAnswer:
    question = item.question
    verdict = None
    if answer.state == "answered":
        text = after_label(answer.text.strip())
        verdict = check(item, Response(question_id=question.id, outcome="answered", text=text), shown)
    return HumanAnswer(
        question_id=question.id,
        context=question.context_id,
        stratum=question_tags(question)[by],
        person=answer.person,
        correct=verdict is not None and verdict.outcome == "correct",
        parsed=None if verdict is None else verdict.parsed,
        seconds=answer.seconds,
        state=answer.state,
    )


def _run_scores(run: Path, bench: Bench, plan: StudyPlan) -> dict[QuestionId, float]:
    """Whether a run answered each of the study's questions that it was asked correctly."""
    manifest = read_run(run)
    if manifest.bench_fingerprint != plan.bench_fingerprint:
        raise FathomError(f"The run '{run}' is not on the bench of the study. Give runs on '{bench.folder}'.")
    asked_ids = {
        question.id for question in selected_questions(bench.all_questions(), manifest.settings)
    } & plan.questions
    scores = {
        verdict.question_id: float(verdict.outcome == "correct")
        for verdict in read_verdicts(run)
        if verdict.sample == 0
    }
    if not asked_ids & scores.keys():
        raise FathomError(f"The run '{run}' has no verdicts on questions of the study. Score it with `fathom score`.")
    return {id: scores.get(id, 0.0) for id in asked_ids}

"""Value checks: people compare the values that keys are computed from with the documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fathom.analysis.value_checks import CheckedGroup, CheckedValue, ValueCheckResults, summarize_checks
from fathom.annotate.planned_project import relative, stratified_sample
from fathom.annotate.value_checks import ValueCheckPlan, ValueChecks, assign_values
from fathom.api.arguments import Folder, as_path
from fathom.api.serving import PersonLinks, require_server, serve_planned
from fathom.records.errors import FathomError
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import ExtractedValue

__all__ = [
    "CheckedGroup",
    "ValueCheckPlan",
    "ValueCheckResults",
    "create_value_check",
    "is_value_check",
    "read_value_check_plan",
    "serve_value_check",
    "value_check_results",
]


def is_value_check(folder: Folder) -> bool:
    """Whether the folder contains value checks."""
    return ValueChecks.is_in(as_path(folder))


def read_value_check_plan(folder: Folder) -> ValueCheckPlan:
    """The plan of the value checks in a folder."""
    with ValueChecks(as_path(folder)) as opened:
        return opened.plan


def create_value_check(
    bench: Folder, out: Folder, by: str, per: int, *, people: Sequence[str] = (), seed: int = 0
) -> ValueCheckPlan:
    """Draw `per` values for each value of the tag `by`, such as the domain, from the documents of a bench.

    Every value is checked by one person; another one reviews what the first does not confirm.
    """
    folder, opened = as_path(out), Bench(as_path(bench))
    names = list(people) or ["person-1", "person-2"]
    values: list[ExtractedValue] = []
    readers = [(one, read) for one in opened.manifest.families if (read := family(one).values) is not None]
    if not readers:
        raise FathomError(
            f"The keys of '{bench}' are not computed from figures of documents, so there are no values to check. Give "
            "a bench of another family."
        )
    documents = sorted({id for context in opened.contexts() for id in context.documents})
    with opened.open_corpus() as corpus:
        for name, read in readers:
            values += read(corpus, opened.manifest.reports.get(name, {}), documents)
    sample = stratified_sample(values, lambda one: one.tags, _value_id, by, per, seed, "value")
    drawn = sample.all()
    plan = ValueCheckPlan(
        bench=relative(opened.folder, folder),
        bench_fingerprint=opened.manifest.fingerprint,
        by=by,
        strata={value: len(members) for value, members in sample.drawn.items()},
        available=sample.available,
        seed=seed,
        values=tuple(drawn),
        first=assign_values(len(drawn), names),
    )
    ValueChecks.begin(folder, plan, names, opened).close()
    return plan


def _value_id(value: ExtractedValue) -> str:
    return f"{value.document} {value.span.start:012} {value.name} {value.period}"


def serve_value_check(checks: Folder, *, port: int = 0, started: Callable[[PersonLinks], None]) -> None:
    """Serve value checks on the loopback address until an interrupt; `started` gets the link of each person."""
    require_server()
    from fathom.annotate.value_check_app import value_check_app

    serve_planned(ValueChecks(as_path(checks)), value_check_app, port, started)


def value_check_results(checks: Folder) -> ValueCheckResults:
    """The share of values that the documents state, for all values and for each stratum."""
    with ValueChecks(as_path(checks)) as opened:
        plan = opened.plan
        found = {(check.place, check.step): check.verdict for check in opened.checks()}
    values = [
        CheckedValue(value.tags[plan.by], value.document, found.get((index, "first")), found.get((index, "second")))
        for index, value in enumerate(plan.values)
    ]
    return summarize_checks(values, plan.by)

"""Entry point of the engine: `inspect eval fathom/FAMILY -T bench=PATH --model MODEL`, one task per family."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

# Set before the engine reads it: requests contain whole contexts, which do not belong in a log.
os.environ.setdefault("INSPECT_EVAL_LOG_MODEL_API", "false")

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.package import get_installed_package_name

from fathom.api.arguments import as_path
from fathom.api.bench_views import open_bench_view
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.questions import Question
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import RunSettings
from fathom.runs.inspect_task import task_of
from fathom.systems.catalog import is_control, load_system
from fathom.systems.protocol import Prompting
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family_names
from fathom.tasks.checking import ResponseChecker

_OPEN = ExitStack()
"""Corpora stay open until the engine ends: it asks for contexts long after the task was made."""


def _make_task(family: str) -> Callable[..., Task]:
    # The engine prefixes `fathom/` unless the package is an editable install.
    @task(name=family if get_installed_package_name(open_bench_view) else f"fathom/{family}")
    def family_task(
        bench: str = "",
        system: str = "full",
        prompting: Prompting = "direct",
        settings: str = "{}",
        samples: int = 1,
        max_tokens: int = 2_048,
        window: int | None = None,
        corpus: str | None = None,
    ) -> Task:
        """The family's questions of the bench in that folder. `settings` are the system's, as JSON."""
        if not bench:
            raise PrerequisiteError("The task needs a bench. Give its folder: -T bench=FOLDER.")
        try:
            loaded = load_system(system, prompting, json.loads(settings))
            opened = _OPEN.enter_context(open_bench_view(as_path(bench), as_path(corpus), is_control(loaded.system)))
            view = _only(opened, family)
            run_settings = RunSettings(samples=samples, max_tokens=max_tokens, window=window)
            # Keys are read here; no sample ever contains one.
            return task_of(view, loaded.system, run_settings, ResponseChecker(Bench(as_path(bench))))
        except FathomError as error:
            # The engine prints its own errors without a traceback.
            raise PrerequisiteError(str(error)) from error

    return family_task


def _only(bench: BenchView, family: str) -> BenchView:
    """The bench with the questions of one family."""

    def groups() -> Iterator[tuple[Context, list[Question]]]:
        for context, questions in bench.groups():
            chosen = [question for question in questions if question.family == family]
            if chosen:
                yield context, chosen

    if next(groups(), None) is None:
        raise FathomError(f"The bench '{bench.bench}' has no questions of the family '{family}'. Choose another task.")
    return BenchView(bench.bench, bench.fingerprint, groups, bench.views)


TASKS = {name: _make_task(name) for name in family_names()}

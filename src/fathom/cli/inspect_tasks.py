"""The engine's door: `inspect eval fathom/numeric -T bench=PATH --model MODEL`. Each family is a task of its name."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

# Set before the engine reads it: requests hold whole contexts, and those belong in no log.
os.environ.setdefault("INSPECT_EVAL_LOG_MODEL_API", "false")

from inspect_ai import Task, task
from inspect_ai._util.package import get_installed_package_name

from fathom.cli.exam import open_exam
from fathom.records.questions import Response
from fathom.runs.folder import RunSettings
from fathom.runs.inspect_task import ResponseCheck, task_of
from fathom.systems.catalog import system as system_of
from fathom.systems.protocol import Prompting
from fathom.tasks.bench import Bench
from fathom.tasks.checking import Checker

_OPEN = ExitStack()
"""Corpora stay open until the engine ends: it asks for contexts long after the task was made."""


def _name(family: str) -> str:
    """The task's name for the engine, which puts `fathom/` before it unless the install is an editable one."""
    return family if get_installed_package_name(open_exam) else f"fathom/{family}"


@task(name=_name("numeric"))
def numeric(
    bench: str,
    system: str = "full",
    prompting: Prompting = "direct",
    samples: int = 1,
    max_tokens: int = 2_048,
    window: int | None = None,
    corpus: str | None = None,
) -> Task:
    """Questions whose answers a query proves, over the contexts of the bench in that folder."""
    exam = _OPEN.enter_context(open_exam(Path(bench), Path(corpus) if corpus else None))
    settings = RunSettings(samples=samples, max_tokens=max_tokens, window=window)
    return task_of(exam, system_of(system, prompting), settings, _check(Path(bench)))


def _check(bench: Path) -> ResponseCheck:
    """Whether a response is correct, and why. Keys are read here; no sample ever contains one."""
    checker = Checker(Bench(bench))

    def check(response: Response) -> tuple[bool, str]:
        verdict = checker.verdict(response)
        return verdict.outcome == "correct", verdict.reason or verdict.outcome

    return check

"""Runs from the logs of another tool."""

from __future__ import annotations

import os
from pathlib import Path

from fathom.api.arguments import Folder, as_path
from fathom.api.runs import Run, open_run
from fathom.models.model_info import model_info
from fathom.records.errors import FathomError
from fathom.runs.folder import RunFolder, RunManifest, RunSession, RunSettings
from fathom.runs.run import missing_engine
from fathom.tasks.bench import Bench

__all__ = ["import_inspect"]


def import_inspect(log: Folder, bench: Folder, out: Folder) -> Run:
    """Make a run from a log of Inspect, so that it can be scored, analyzed and reported.

    The samples of the log are questions of `bench`: those of `inspect eval fathom/FAMILY`, or of a task of your own
    whose samples have the ids of questions. Questions without a sample count as unanswered. Calls no model.
    """
    try:
        from fathom.runs.engine import engine_version
        from fathom.runs.inspect_log import read_log
    except ModuleNotFoundError as error:
        raise missing_engine(error) from error
    path, folder, opened = as_path(log), as_path(out), Bench(as_path(bench))
    if folder.exists():
        raise FathomError(f"'{folder}' already exists. Choose another --out.")
    questions = {question.id for question in opened.all_questions()}
    name = read_log(path, ()).model
    imported_log = read_log(path, questions, model_info(name))
    if not imported_log.responses:
        raise FathomError(f"No sample of '{path}' is a question of the bench '{opened.folder}'. Give its bench.")
    manifest = RunManifest(
        bench=Path(os.path.relpath(opened.folder.resolve(), folder.resolve())).as_posix(),
        bench_fingerprint=opened.manifest.fingerprint,
        model=imported_log.model,
        system=str(imported_log.arguments.get("system", "full")),
        system_settings={"prompting": str(imported_log.arguments.get("prompting", "direct"))},
        settings=RunSettings(
            samples=1 + max(response.sample for response in imported_log.responses),
            max_tokens=imported_log.max_tokens or RunSettings().max_tokens,
        ),
    )
    with RunFolder(folder, manifest, RunSession(started=imported_log.created, engine=engine_version())) as run:
        for response in imported_log.responses:
            run.append(response)
            run.pay(response.usage)
        run.stop(None)
    return open_run(folder)

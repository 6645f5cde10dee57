"""A bench and a run of any size: the contexts and questions of a small one, repeated under other ids."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fathom.records.files import line_with_checksum, write_json
from fathom.runs.folder import RESPONSES, SPENDING, RunManifest, read_responses, read_run
from fathom.tasks.bench import Bench, BenchManifest
from fathom.tasks.bench_folder import CONTEXTS, KEYS, QUESTIONS, fingerprint_of, hashes_of


def repeat_bench(bench: Path, out: Path, times: int) -> Path:
    """The bench with every context and question several times, under other ids."""
    shutil.copytree(bench, out)
    for name, ids in ((CONTEXTS, ()), (QUESTIONS, ("id",)), (KEYS, ("question_id",))):
        lines = [json.loads(line) for line in (bench / name).read_text().splitlines()]
        with (out / name).open("w") as file:
            for turn in range(times):
                for line in lines if ids or not turn else ():
                    file.write(json.dumps({**line, **{id: f"{line[id]}{turn}" for id in ids}}) + "\n")
    _order_by_context(out)
    old = Bench(bench).manifest
    new = old.model_copy(update={"questions": old.questions * times, **_prints(out)})
    write_json(out / "manifest.json", BenchManifest.model_validate(new.model_dump()))
    return out


def _order_by_context(folder: Path) -> None:
    """Put the questions of a context next to each other, as every bench has them, with their keys."""
    order = {json.loads(line)["id"]: place for place, line in enumerate((folder / CONTEXTS).read_text().splitlines())}
    questions = (folder / QUESTIONS).read_text().splitlines(keepends=True)
    keys = (folder / KEYS).read_text().splitlines(keepends=True)
    places = [order[json.loads(line)["context_id"]] for line in questions]
    sequence = sorted(range(len(places)), key=lambda number: places[number])
    (folder / QUESTIONS).write_text("".join(questions[number] for number in sequence))
    (folder / KEYS).write_text("".join(keys[number] for number in sequence))


def _prints(folder: Path) -> dict[str, object]:
    return {"fingerprint": fingerprint_of(folder), "hashes": hashes_of(folder)}


def repeat_run(run: Path, bench: Path, out: Path, times: int) -> Path:
    """The run with every response several times, for the repeated bench."""
    out.mkdir(parents=True)
    responses = read_responses(run).responses.values()
    with (out / RESPONSES).open("wb") as file:
        for one in responses:
            for turn in range(times):
                repeated = one.model_copy(update={"question_id": f"{one.question_id}{turn}"})
                file.write(line_with_checksum(repeated))
    (out / SPENDING).touch()
    manifest = read_run(run).model_copy(
        update={"bench": str(bench), "bench_fingerprint": Bench(bench).manifest.fingerprint, "sessions": ()}
    )
    write_json(out / "run.json", RunManifest.model_validate(manifest.model_dump()))
    return out

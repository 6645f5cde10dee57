"""A bench and a run of any size: the contexts and questions of a small one, repeated under other ids."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fathom.records.files import Journal, line_with_checksum, write_json
from fathom.runs.folder import RESPONSES, SPENDING, VERDICTS, RunManifest, read_responses, read_run
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench, BenchManifest
from fathom.tasks.bench_folder import CONTEXTS, KEYS, QUESTIONS, fingerprint_of, hashes_of


def repeat_bench(bench: Path, out: Path, times: int) -> Path:
    """The bench with every context and question several times, under other ids."""
    shutil.copytree(bench, out)
    for name, ids in ((CONTEXTS, ("id",)), (QUESTIONS, ("id", "context_id")), (KEYS, ("question_id",))):
        lines = [json.loads(line) for line in (bench / name).read_text().splitlines()]
        with (out / name).open("w") as file:
            for turn in range(times):
                for line in lines:
                    file.write(json.dumps({**line, **{id: f"{line[id]}{turn}" for id in ids}}) + "\n")
    old = Bench(bench).manifest
    counts = {"questions": old.questions * times, "contexts": old.contexts * times}
    new = old.model_copy(update=counts | _prints(out))
    write_json(out / "manifest.json", BenchManifest.model_validate(new.model_dump()))
    return out


def _prints(folder: Path) -> dict[str, object]:
    return {"fingerprint": fingerprint_of(folder), "hashes": hashes_of(folder)}


def repeat_run(run: Path, bench: Path, out: Path, times: int) -> Path:
    """The run with every response and verdict several times, for the repeated bench."""
    out.mkdir(parents=True)
    responses = [*read_responses(run).values()]
    verdicts = [*Journal(run / VERDICTS, Verdict).read()]
    for name, records in ((RESPONSES, responses), (VERDICTS, verdicts)):
        with (out / name).open("wb") as file:
            for turn in range(times):
                for one in records:
                    file.write(line_with_checksum(one.model_copy(update={"question_id": f"{one.question_id}{turn}"})))
    (out / SPENDING).touch()
    manifest = read_run(run).model_copy(
        update={"bench": str(bench), "bench_fingerprint": Bench(bench).manifest.fingerprint, "sessions": ()}
    )
    write_json(out / "run.json", RunManifest.model_validate(manifest.model_dump()))
    return out

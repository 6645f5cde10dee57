"""Cost of the engine: 300 questions over 30 contexts of 1M tokens with a mock model, by reference and as plain samples.

By reference, the engine gets references, and the text is inserted after it has logged the request. The plain task has
the whole context in its samples, with the engine's default settings. Each runs in its own process, startup included.
Both models count the characters that they receive, and the counts must agree. Target: five times less CPU, under 300
MB, a log under 2 MB; one question over a context of 10M tokens in under 1,000 MB.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _measuring import Cost, bench_of, cost_of, workplace
from fathom.api.bench_views import open_bench_view
from fathom.models.model_info import model_info
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import RunManifest, RunSettings
from fathom.runs.plan import Job, jobs
from fathom.runs.run import RunLimits, run
from fathom.systems.catalog import load_system

MODEL = "mockllm/model"
CONTEXTS = 30
RECEIVED = "received"
"""The file to which a process writes the number of characters that its model received."""


class Counting:
    """The outputs of a mock model, which counts the characters that it receives."""

    def __init__(self) -> None:
        self.characters = 0

    def __call__(self, input: list[Any], *others: Any) -> Any:
        from inspect_ai.model import ModelOutput, ModelUsage

        for message in input:
            parts = [message.content] if isinstance(message.content, str) else [part.text for part in message.content]
            self.characters += sum(map(len, parts))
        output = ModelOutput.from_content(MODEL, "Answer: 1")
        # Without it the engine would fetch a tokenizer and count.
        output.usage = ModelUsage(input_tokens=1, output_tokens=4, total_tokens=5)
        return output


def ours(view: BenchView, folder: Path) -> int:
    """Run as `fathom run` does; returns the number of characters that the model received."""
    model = Counting()
    manifest = RunManifest(bench=view.bench, bench_fingerprint=view.fingerprint, model=MODEL, system="full")

    def opened() -> AbstractContextManager[tuple[str, dict[str, Any]]]:
        return nullcontext((MODEL, {"custom_outputs": model}))

    ran = run(view, load_system("full").system, model_info(MODEL), manifest, folder / "run", opened, RunLimits())
    if not ran.is_complete:
        raise SystemExit(f"some questions have no response: {ran.outcomes}")
    return model.characters


def plainly(view: BenchView, folder: Path) -> int:
    """The same questions as samples with the whole prompt."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model

    def text(job: Job, context: str) -> str:
        return view.view(job.context, job.question).instruction("full, direct") + context + job.question.text

    samples: list[Sample] = []
    for group in jobs(view, RunSettings()):
        context = view.view(group[0].context, group[0].question).text("documents")
        samples.extend(Sample(id=job.id, input=text(job, context)) for job in group)
    model = Counting()
    [log] = eval(
        Task(dataset=MemoryDataset(samples)),
        model=get_model(MODEL, custom_outputs=model),
        log_dir=str(folder / "logs"),
        display="none",
    )
    if log.status != "success":
        raise SystemExit(f"the plain task ended with {log.status}")
    return model.characters


WAYS = {"ours": ours, "plainly": plainly}


@dataclass(frozen=True)
class Measured:
    """The cost of one variant."""

    cost: Cost
    log_megabytes: float
    characters: int


def measured(way: str, bench: Path, folder: Path) -> Measured:
    """Runs one variant in its own process."""
    folder.mkdir()
    cost = cost_of(sys.executable, __file__, way, bench, folder)
    logs = sum(path.stat().st_size for path in folder.rglob("*.eval")) / 1e6
    return Measured(cost, logs, int((folder / RECEIVED).read_text()))


def line(name: str, one: Measured) -> str:
    cost = one.cost
    return (
        f"{name:34} {cost.cpu:6.1f} CPU s, {cost.peak_megabytes:6,.0f} MB, log {one.log_megabytes:7.2f} MB, "
        f"{one.characters / 1e6:,.0f}M characters sent"
    )


def compare(folder: Path) -> None:
    """Both variants over the same contexts."""
    bench = bench_of(folder, "--documents", 700, length="1M", count=CONTEXTS)
    questions = sum(1 for _ in (bench / "questions.jsonl").open())
    fast, slow = (measured(way, bench, folder / way) for way in WAYS)
    if fast.characters != slow.characters:
        raise SystemExit("the two ways send different texts")
    print(line(f"ours, {questions} questions of 1M", fast))
    print(line("the plain way, the same", slow))
    print(
        f"the plain way takes {slow.cost.cpu / fast.cost.cpu:.1f} times the CPU (promised: 5), "
        f"{slow.cost.peak_megabytes / fast.cost.peak_megabytes:.1f} times the memory (ours promised: under 300 MB), "
        f"{slow.log_megabytes / fast.log_megabytes:,.0f} times the log (ours promised: under 2 MB)"
    )


def very_long(folder: Path) -> None:
    """One question over one context of 10M tokens."""
    bench = bench_of(folder, "--tokens", "12M", length="10M", count=1, questions=1)
    print(line("ours, one question of 10M", measured("ours", bench, folder / "ours")) + " (promised: under 1,000 MB)")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        way, bench, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
        with open_bench_view(bench) as view:
            (folder / RECEIVED).write_text(str(WAYS[way](view, folder)))
    else:
        for part in (compare, very_long):
            with workplace() as folder:
                part(folder)

"""The preset `corpusqa` over generated reports: 329 questions at each of 128K, 1M, 4M and 10M tokens in four domains.

    python benchmarks/tables_scale.py            generates 4,320 reports first, which takes some minutes
    python benchmarks/tables_scale.py CORPUS     a corpus that is ready

Target: built in under 3 minutes on two cores with under 2 GB for all processes together, every question there, the
audit passed. Then one question over a context of 1M and of 10M tokens is sent in chunks to a mock model: the longer one
must not need more memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from inspect_ai.model import ModelOutput, ModelUsage

import fathom as api
from _measuring import cost_of, fathom, workplace
from fathom.api.bench_views import open_bench_view
from fathom.models.model_info import model_info
from fathom.models.prompts import Prompt
from fathom.runs.folder import RunManifest
from fathom.runs.run import RunLimits, run
from fathom.systems.catalog import wrap_system
from fathom.systems.protocol import response_to

MODEL = "mockllm/model"
DOCUMENTS = 4_320
CHUNK = 200_000
"""Characters of a chunk."""
MOST_SECONDS, MOST_MEGABYTES, MOST_RATIO = 180, 2_048, 1.1


def memory(process: int) -> float:
    """Megabytes of a process and its children; shared pages count once."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0.0
    own = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return own + sum(memory(int(child)) for child in children)


def build(corpus: Path, out: Path) -> bool:
    """Build with two processes; prints time and memory, and returns whether both are as promised."""
    start = time.perf_counter()
    words = ("build", "tables", corpus, "--preset", "corpusqa", "--processes", 2, "--out", out)
    child = subprocess.Popen([sys.executable, "-m", "fathom", *map(str, words)])
    peak = 0.0
    while child.poll() is None:
        peak = max(peak, memory(child.pid))
        time.sleep(1)
    wall = time.perf_counter() - start
    used = os.times()
    cpu = used.children_user + used.children_system
    print(f"build: {wall:.0f} s, {cpu:.0f} CPU s, {peak:,.0f} MB (promised: {MOST_SECONDS} s, {MOST_MEGABYTES:,} MB)")
    # Other work on the machine lengthens the wall time; the CPU time of two cores cannot be shorter.
    return child.returncode == 0 and min(wall, cpu / 2) < MOST_SECONDS and peak < MOST_MEGABYTES


def is_complete(out: Path) -> bool:
    """Whether every question is there and the audit passes."""
    bench = api.open_bench(out)
    counts = bench.manifest.counts
    for tag in ("length", "domain", "level"):
        print(f"{tag}: " + ", ".join(f"{value} {count}" for value, count in counts[tag].items()))
    passed = bench.audit().passed
    print("audit passed" if passed else "audit FAILED")
    return passed and set(counts["length"].values()) == {329} and len(counts["length"]) == 4


@dataclass(frozen=True)
class Chunks:
    """Sends the documents chunk by chunk, then the question."""

    name: ClassVar[str] = "chunks"

    def _prompts(self, view: Any) -> list[Prompt]:
        end = view.context.places[-1].span.end
        return [
            Prompt.of("Read.", view.reference("documents", start, min(end, start + CHUNK)), "Next?")
            for start in range(0, end, CHUNK)
        ]

    async def answer(self, question: Any, session: Any) -> Any:
        for prompt in self._prompts(session.view):
            await session.ask(prompt, "chunk")
        return response_to(question, await session.ask(Prompt.of("Answer.", None, question.text)))

    def estimate(self, question: Any, view: Any) -> Any:
        return view.estimate(Prompt.of("Answer.", None, question.text))


def send(bench: Path, folder: Path) -> None:
    """Run the system over the bench."""

    def reply(*_: Any) -> ModelOutput:
        output = ModelOutput.from_content(MODEL, "Answer: NULL")
        # Without it the engine would fetch a tokenizer and count.
        output.usage = ModelUsage(input_tokens=1, output_tokens=4, total_tokens=5)
        return output

    def opened() -> AbstractContextManager[tuple[str, dict[str, Any]]]:
        return nullcontext((MODEL, {"custom_outputs": reply}))

    with open_bench_view(bench) as view:
        manifest = RunManifest(bench=view.bench, bench_fingerprint=view.fingerprint, model=MODEL, system="chunks")
        ran = run(view, wrap_system(Chunks()).system, model_info(MODEL), manifest, folder, opened, RunLimits())
        if not ran.is_complete:
            raise SystemExit(f"some questions have no response: {ran.outcomes}")


def sent_in_chunks(corpus: Path, folder: Path) -> bool:
    """Whether a context of 10M tokens needs no more memory than one of 1M."""
    peaks = []
    for length in ("1M", "10M"):
        contexts, bench = folder / f"{length}.jsonl", folder / length
        one = ("--count", 1, "--sampling", "random", "--subjects", "housing")
        fathom("contexts", corpus, "--lengths", length, *one, "--out", contexts)
        fathom("build", "tables", corpus, "--contexts", contexts, "--questions", 1, "--out", bench)
        cost = cost_of(sys.executable, __file__, "send", bench, folder / f"run-{length}")
        peaks.append(cost.peak_megabytes)
        print(f"one question over {length} tokens in chunks: {cost.cpu:.1f} CPU s, {cost.peak_megabytes:,.0f} MB")
    return peaks[1] < peaks[0] * MOST_RATIO


def main() -> int:
    with workplace() as folder:
        corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "corpus"
        if not corpus.exists():
            fathom("generate", "--out", corpus, "--documents", DOCUMENTS, "--domains", "reports", "--seed", 1)
        kept = [build(corpus, folder / "bench"), is_complete(folder / "bench"), sent_in_chunks(corpus, folder)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["send"]:
        send(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(main())

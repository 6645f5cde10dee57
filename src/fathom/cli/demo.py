"""`fathom demo`"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from fathom.api.benches import BenchRecipe
from fathom.api.models import model_info
from fathom.api.runs import EMBEDDED, open_run
from fathom.cli import audit, build, contexts, generate, options, report, run, score
from fathom.parallel import cores


@dataclass(frozen=True)
class DemoRun:
    """One run of the demo."""

    name: str
    model: str
    system: str = "full"


CAREFUL = "sim/reader?miss=0.01&miscount=0.05"
HASTY = "sim/reader?miss=0.08&drop-filter=0.15&reverse=0.15&format=0.03"
SIMULATED = (DemoRun("careful", CAREFUL), DemoRun("hasty", HASTY), DemoRun("rag", CAREFUL, "rag"))


@dataclass(frozen=True)
class DemoPart:
    """A generated corpus, a bench of one family over it, and the runs on this bench."""

    name: str
    domains: str
    length: Literal["full", "short"]
    """The length of the documents."""
    documents: int
    lengths: tuple[str, ...]
    """The lengths of the contexts."""
    count: int
    """Contexts of each length."""
    sampling: tuple[str, ...]
    family: str
    questions: int
    """For each context."""
    runs: tuple[DemoRun, ...]
    max_tokens: int = 2048
    """Maximum tokens of a response."""


PARTS = (
    DemoPart(
        name="articles",
        domains="articles",
        length="full",
        documents=80,
        lengths=("32K", "64K", "128K"),
        count=8,
        sampling=("random", "bfs", "dfs"),
        family="numeric",
        questions=6,
        runs=SIMULATED,
    ),
    # Questions of `tables` compare at least four companies, and a report has 11K tokens.
    DemoPart(
        name="reports",
        domains="companies",
        length="full",
        documents=50,
        lengths=("128K",),
        count=12,
        sampling=("random",),
        family="tables",
        questions=8,
        runs=SIMULATED,
    ),
    # The embedded model reads 200 tokens per second and writes 40: few, short contexts and short responses.
    DemoPart(
        name="letters",
        domains="articles",
        length="short",
        documents=60,
        lengths=("1500", "2500"),
        count=2,
        sampling=("bfs", "dfs"),
        family="numeric",
        questions=6,
        runs=(DemoRun("embedded", EMBEDDED), DemoRun("closed-book", EMBEDDED, "closed-book")),
        max_tokens=48,
    ),
)
"""The parts of the demo; the slowest comes last."""


@click.command(epilog=options.examples("fathom demo --out demo"))
@click.option("--out", type=options.PATH, default="demo", show_default=True, help="The folder to write to.")
@options.seed
@click.pass_context
def command(caller: click.Context, out: Path, seed: int) -> None:
    """Run all of Fathom on generated documents: three benches, eight runs, one report page.

    Simulated models with known faults answer questions over 32K to 128K tokens of articles (family numeric) and
    company reports (family tables). The embedded model, which is small but real, answers questions over letters that
    fit into its window; no other model is called, and no network is needed. Writes to the folder of --out. Takes
    two to five minutes; a second call resumes.
    """
    start = time.monotonic()
    for part in PARTS:
        _run_part(caller, part, out, seed)
    page = out / "report.html"
    _step(f"fathom report {out / 'runs'} --out {page}")
    caller.invoke(report.command, runs=(out / "runs",), out=page)
    click.echo(_table(out))
    click.echo(f"\nEverything is in {out} ({time.monotonic() - start:.0f} s). Open {page} in a browser.")


def _run_part(caller: click.Context, part: DemoPart, out: Path, seed: int) -> None:
    corpus, bench = out / part.name, out / f"{part.name}-bench"
    _step(
        f"fathom generate --out {corpus} --documents {part.documents} --domains {part.domains} "
        f"--length {part.length} --seed {seed}"
    )
    caller.invoke(
        generate.command, out=corpus, documents=part.documents, domains=part.domains, length=part.length, seed=seed
    )
    _step(
        f"fathom contexts {corpus} --lengths {','.join(part.lengths)} --count {part.count} "
        f"--sampling {','.join(part.sampling)} --seed {seed}"
    )
    caller.invoke(
        contexts.command, corpus=corpus, lengths=part.lengths, count=part.count, sampling=part.sampling, seed=seed
    )
    _step(f"fathom build {part.family} {corpus} --out {bench} --questions {part.questions} --seed {seed}")
    build.run_build(BenchRecipe(corpus, bench, {part.family: {"questions": part.questions}}, seed=seed), cores())
    _step(f"fathom audit {bench}")
    caller.invoke(audit.command, bench=bench)
    for demo_run in part.runs:
        folder = _folder(out, part, demo_run)
        _step(
            f"fathom run {bench} --model '{demo_run.model}' --system {demo_run.system} --temperature 0 "
            f"--max-tokens {part.max_tokens} --out {folder}"
        )
        settings = {"system": demo_run.system, "max_tokens": part.max_tokens, "temperature": 0.0}
        caller.invoke(run.command, bench=bench, model=demo_run.model, out=folder, **settings)
        _step(f"fathom score {folder}")
        caller.invoke(score.command, target=folder)


def _folder(out: Path, part: DemoPart, demo_run: DemoRun) -> Path:
    return out / "runs" / f"{part.name}-{demo_run.name}"


def _step(words: str) -> None:
    """Print the command that is about to run, as a user would type it."""
    click.secho(f"\n$ {words}", bold=True)


def _table(out: Path) -> str:
    """The scores of all runs, one below the other, and what to know about their models."""
    lines = [f"\n{'run':22} {'system':12} {'accuracy':>8} {'partial':>8} {'input tokens':>13} {'output':>7}"]
    for part in PARTS:
        for planned in part.runs:
            folder = _folder(out, part, planned)
            opened = open_run(folder)
            scores, used = opened.score().overall, opened.status.usage
            lines.append(
                f"{folder.name:22} {planned.system:12} {scores.accuracy:>8.1%} {scores.partial_credit:>8.1%} "
                f"{used.input_tokens:>13,} {used.output_tokens:>7,}"
            )
    models = dict.fromkeys(planned.model for part in PARTS for planned in part.runs)
    notes = [f"{model}: {note}" for model in models if (note := model_info(model).note)]
    return "\n".join([*lines, *notes])

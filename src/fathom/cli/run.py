"""`fathom run`"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.ageing import warn_of_age
from fathom.cli.exam import open_exam
from fathom.cli.progress import bar
from fathom.cli.simulate import simulated_answers
from fathom.cli.subject import Subject, subject_options
from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.records.record import digest
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import ResponseIndex
from fathom.runs.plan import jobs
from fathom.runs.run import RunLimits, RunSummary, run, run_simulated
from fathom.runs.stopping import INTERRUPTED

EMBEDDED = "local/smollm2"

EXAMPLE = """
\b
Examples:
  fathom run bench --model local/smollm2
  fathom run bench --model openai/gpt-4.1-mini --system sql --budget 5
  fathom run bench --model openai-api/mine/llama --url http://127.0.0.1:8000/v1 --window 128K
  fathom run bench --model 'sim/reader?miss=0.1&ignore-not=0.5'
"""


@click.command(epilog=EXAMPLE)
@subject_options
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder.  [default: runs/BENCH-SYSTEM-MODEL]")
@click.option("--budget", type=options.Finite(), help="Stop before more than so many US dollars are spent.")
@click.option("--url", help="Where an OpenAI-compatible endpoint listens, for models of openai-api/ and vllm/.")
@click.option("--retries", type=click.IntRange(0, 20), default=4, show_default=True, help="Further tries of a request.")
@click.option(
    "--timeout", type=click.IntRange(1), default=600, show_default=True, help="Seconds until one try is given up."
)
@click.option("--backoff", type=options.Finite(), default=2.0, show_default=True, help="Seconds before the second try.")
@options.as_json
def command(
    subject: Subject,
    out: Path | None,
    budget: float | None,
    url: str | None,
    retries: int,
    timeout: int,
    backoff: float,
    as_json: bool,
) -> None:
    """Put a model to a bench.

    Questions over one context go together, the first one alone, so that the provider's prefix cache serves the others.
    Every response is kept as it comes: after a kill or Ctrl-C the same command goes on, asks nothing twice, and tries
    again what failed. What does not fit the model's window is refused before anything is sent. Reads BENCH and its
    corpus, never its keys (simulated answerers aside); writes the run's folder; calls the model, which may cost money:
    see `fathom plan`.
    """
    path = out or default_folder(subject)
    # The embedded model answers one question at a time: two contexts at once would only push each other out.
    at_once = 1 if subject.is_embedded else 4
    company = RunLimits(subject.connections, at_once, budget, retries, timeout, backoff)
    with open_exam(subject.bench, subject.corpus) as exam:
        manifest, info = subject.manifest(exam, path), subject.model_info()
        if budget is not None and not info.has_prices:
            raise FathomError(
                f"What the model '{subject.model}' costs is not known, so that no budget can be kept. Give --prices."
            )
        refuse_wordless(exam, subject)
        wanted = sum(map(len, jobs(exam, subject.settings)))
        if not wanted:
            raise FathomError(f"No question of '{subject.bench}' is asked for. Leave out --split, or choose another.")
        warn_of_age(subject)
        with bar("Asking", wanted) as show:
            watch = _counting(show, subject.standing(path), wanted)
            if subject.is_simulated:
                with simulated_answers(subject) as answer:
                    ran = run_simulated(exam, subject.system(), info, manifest, path, answer, watch)
            else:
                system, opened = subject.system(), _opener(subject, url)
                ran = run(exam, system, info, manifest, path, opened, company, watch)
    click.echo(ran.model_dump_json(indent=2) if as_json else describe(path, ran))
    if ran.stopped == INTERRUPTED:
        raise SystemExit(130)
    if not ran.is_whole:
        raise SystemExit(1)


def refuse_wordless(exam: BenchView, subject: Subject) -> None:
    """A family that cannot be shown in a system's way says so before anything is asked, of simulated answerers too."""
    checked: set[str] = set()
    for context, questions in exam.groups():
        for question in questions:
            if question.family not in checked:
                checked.add(question.family)
                subject.system().expects(question, exam.view(context, question))


def default_folder(subject: Subject) -> Path:
    """A folder's name that tells runs apart: runs/bench-full-gpt-4.1."""
    prompting = "" if subject.prompting == "direct" else f"-{subject.prompting}"
    name = f"{subject.bench.resolve().name}-{subject.system_name}{prompting}-{subject.model}"
    sane = re.sub(r"[^\w.=-]+", "-", name)
    return Path("runs") / (sane if len(sane) <= 100 else f"{sane[:80]}-{digest(name).hex()[:8]}")


def _counting(show: Callable[[int], None], standing: ResponseIndex, wanted: int) -> Callable[[Response], None]:
    count = min(wanted, sum(response.outcome != "error" for response in standing.responses.values()))

    def watch(response: Response) -> None:
        nonlocal count
        count += 1
        show(count)

    return watch


def _opener(subject: Subject, url: str | None) -> Callable[[], AbstractContextManager[tuple[str, dict[str, str]]]]:
    """Starts the embedded model where it is asked for; other models are the engine's to find."""
    if subject.is_embedded:
        return lambda: _embedded(subject)
    return lambda: nullcontext((subject.model, {"url": url} if url else {}))


@contextmanager
def _embedded(subject: Subject) -> Iterator[tuple[str, dict[str, str]]]:
    from fathom.models.embedded import EmbeddedServer

    if subject.model != EMBEDDED:
        raise FathomError(f"There is no embedded model '{subject.model}'; the one there is, is '{EMBEDDED}'. Use it.")
    with EmbeddedServer() as server:
        yield "openai-api/local/smollm2", {"url": server.url, "api_key": "none"}


def describe(path: Path, ran: RunSummary) -> str:
    """What became of the questions, what it took, and what to do next."""
    outcomes = ", ".join(f"{name} {count:,}" for name, count in ran.outcomes.items())
    used = ran.usage
    price = "price unknown" if used.price is None else f"${used.price:,.4f}"
    lines = [
        f"{path}: {ran.responses:,} responses wanted: {outcomes or 'none yet'}",
        f"  {used.input_tokens:,} tokens in ({used.cached_tokens:,} of them from a cache), "
        f"{used.output_tokens:,} out, {price}",
    ]
    lines += [f"  failed {count:,} times: {error}" for error, count in ran.errors.items()]
    if ran.stopped is not None:
        lines.append(f"  stopped: {ran.stopped}")
    if ran.waiting or ran.outcomes.get("error"):
        failed = ran.outcomes.get("error", 0)
        lines.append(f"  {ran.waiting + failed:,} still to be had: run the same command again")
    else:
        lines.append(f"  next: fathom score {path}")
    return "\n".join(lines)

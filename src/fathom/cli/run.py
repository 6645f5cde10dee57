"""`fathom run`"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from fathom.api.matrix import MatrixRequest
from fathom.api.runs import RunLimits, RunRequest, RunStatus
from fathom.cli import options
from fathom.cli.matrix_output import run_cells
from fathom.cli.output import how_to_resume, lost_calls, next_lines
from fathom.cli.run_options import run_options, warn_of_age
from fathom.cli.run_progress import run_progress
from fathom.records.errors import FathomError
from fathom.records.plurals import counted


@click.command(
    epilog=options.examples(
        "fathom run bench --model local/smollm2",
        "fathom run bench --model openai/gpt-4.1-mini --system sql -S repairs=2 --budget 5",
        "fathom run bench --model openai-api/mine/llama --url http://127.0.0.1:8000/v1 --window 128K",
        "fathom run bench --system http://127.0.0.1:8000/answer",
        "fathom run bench --matrix matrix.toml --budget 20",
        "fathom run bench --model 'sim/reader?miss=0.1&ignore-not=0.5'",
    )
)
@run_options
@click.option(
    "--out", type=options.PATH, help="The run's folder.  [default: runs/BENCH-SYSTEM-MODEL, or runs/BENCH-MATRIX]"
)
@click.option("--budget", type=options.NonNegative(), help="Stop before more than this many US dollars are spent.")
@click.option("--url", help="The address of an OpenAI-compatible server, for models named openai-api/... or vllm/...")
@click.option(
    "--retries", type=click.IntRange(0, 20), default=4, show_default=True, help="Maximum retries of a request."
)
@click.option(
    "--timeout", type=click.IntRange(1), default=600, show_default=True, help="Seconds for one attempt of a request."
)
@click.option(
    "--connect-timeout",
    type=click.FloatRange(1),
    default=30.0,
    show_default=True,
    help="Seconds to wait for a connection to the server, and for its TLS handshake.",
)
@click.option(
    "--backoff",
    type=options.NonNegative(),
    default=2.0,
    show_default=True,
    help="Seconds before the first retry; doubled for each further one.",
)
@click.option(
    "--max-outage",
    type=options.NonNegative(),
    default=120.0,
    show_default=True,
    help="Seconds to wait for an endpoint that has stopped answering before the run stops. It can be resumed.",
)
@click.option(
    "--requests-per-minute",
    type=click.FloatRange(1),
    help="Send at most this many requests per minute, evenly spread.",
)
@options.as_json
def command(
    request: RunRequest | MatrixRequest,
    out: Path | None,
    budget: float | None,
    url: str | None,
    retries: int,
    timeout: int,
    connect_timeout: float,
    backoff: float,
    max_outage: float,
    requests_per_minute: float | None,
    as_json: bool,
) -> None:
    """Run a model on a bench.

    Questions over one context are asked together, the first one alone, so that the provider's prefix cache serves the
    others. Every response is stored as it arrives: after a kill or Ctrl-C the same command resumes, asks nothing twice
    and retries errors. Questions that do not fit the model's window are not sent. Reads BENCH and its corpus, but no
    keys (except for simulated models); writes the run's folder; calls the model, which may cost money: see
    `fathom plan`.

    With --matrix it runs the cells of a file one after another, within one budget: --out is then the folder of their
    runs, where it also writes one report over all of them.
    """
    limits = RunLimits(
        budget=budget,
        retries=retries,
        timeout=timeout,
        connect_timeout=connect_timeout,
        backoff=backoff,
        max_outage=max_outage,
        requests_per_minute=requests_per_minute,
    )
    if isinstance(request, MatrixRequest):
        if url is not None:
            raise FathomError("A matrix gives the address of each model: {model = ..., url = ...}. Leave out --url.")
        run_cells(request, limits, as_json)
        return
    path = out or request.default_folder
    limits = replace(limits, connections=request.connections, contexts_at_once=request.contexts_at_once)
    warn_of_age(request)
    with run_progress("Asking") as show:
        summary = request.run(path, limits, url, show)
    too_long = summary.outcomes.get("overflow", 0)
    if too_long and request.window is not None and not as_json:
        click.echo(
            f"fathom: {counted(too_long, 'prompt')} {'is' if too_long == 1 else 'are'} too long for the window of "
            f"{request.window:,} tokens. To shorten the bench: {request.fit_command}",
            err=True,
        )
    click.echo(summary.model_dump_json(indent=2) if as_json else describe(path, summary))
    if summary.interrupted:
        raise SystemExit(130)
    if not summary.is_complete:
        raise SystemExit(1)


def describe(path: Path, summary: RunStatus) -> str:
    """The outcomes, the usage and the next command."""
    outcomes = ", ".join(f"{name} {count:,}" for name, count in summary.outcomes.items())
    used = summary.usage
    price = "price unknown" if used.price is None else f"${used.price:,.4f}"
    lines = [
        f"{path}: {counted(summary.responses, 'response')} requested: {outcomes or 'none yet'}",
        f"  {used.input_tokens:,} input tokens ({used.cached_tokens:,} from a cache), "
        f"{used.output_tokens:,} output tokens, {price}",
    ]
    if summary.implausible_usage:
        lines.append(f"  {summary.implausible_usage}")
    if summary.maybe_paid:
        lines.append(
            f"  {counted(summary.maybe_paid, 'request')} got no answer and may have been paid for all the same"
        )
    if summary.lost_calls:
        lines.append(f"  {lost_calls(summary.lost_calls)}")
    lines += [f"  error, {counted(count, 'time')}: {error}" for error, count in summary.errors.items()]
    other = summary.outcomes.get("error", 0) - sum(summary.errors.values())
    if other > 0:
        lines.append(f"  error, {counted(other, 'time')}: other messages, in {path / 'responses.jsonl'}")
    if cut_off := summary.outcomes.get("truncated", 0):
        verb = "was" if cut_off == 1 else "were"
        lines.append(
            f"  {counted(cut_off, 'response')} {verb} cut off at --max-tokens; for complete ones, run again with a "
            "larger one and another --out"
        )
    if summary.stopped is not None:
        lines.append(f"  stopped: {summary.stopped}")
    missing = summary.waiting + summary.outcomes.get("error", 0)
    if missing:
        verb = "is" if missing == 1 else "are"
        lines.append(f"  {counted(missing, 'response')} {verb} missing: {how_to_resume(summary.stopped)}")
    else:
        lines += next_lines(f"fathom score {path}")
    return "\n".join(lines)

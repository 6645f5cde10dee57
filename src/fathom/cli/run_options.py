"""The options that `fathom plan` and `fathom run` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from fathom.api.matrix import MatrixRequest, request_matrix
from fathom.api.runs import SYSTEMS, RunOptions, RunRequest, request_run
from fathom.cli import options
from fathom.records.errors import FathomError


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets one `RunRequest` or `MatrixRequest` instead of their values."""

    @wraps(command)
    def called(bench: Path, model: str | None, set_: Sequence[str], matrix: Path | None, **others: Any) -> None:
        chosen: Any = {name: others.pop(name) for name in RunOptions.__optional_keys__ if name in others}
        request: RunRequest | MatrixRequest
        if matrix is None:
            request = request_run(bench, model, system_settings=parse_settings(set_), **chosen)
        else:
            source = click.get_current_context().get_parameter_source("system")
            if model or set_ or source is not ParameterSource.DEFAULT:
                raise FathomError("A matrix has its own models and systems. Leave out --model, --system and -S.")
            del chosen["system"]
            request = request_matrix(bench, matrix, out=others.get("out"), **chosen)
        command(request=request, **others)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called


def warn_of_age(request: RunRequest) -> None:
    """Print the warning that the model may have memorized the bench's documents, if there is one."""
    warning = request.age_warning()
    if warning is not None:
        click.echo(f"fathom: warning: {warning}", err=True)


def parse_settings(assignments: Sequence[str]) -> dict[str, str]:
    """The settings that -S gives."""
    settings: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not name or not equals:
            raise FathomError(f"-S takes NAME=VALUE, not '{assignment}'. Write it like -S repairs=2.")
        if name in settings:
            raise FathomError(f"-S sets '{name}' twice. Set it once.")
        settings[name] = value
    return settings


_OPTIONS = (
    click.argument("bench", type=options.PATH),
    click.option(
        "--model",
        help="The model, such as local/smollm2, openai/gpt-4.1, anthropic/claude-sonnet-4-5, openai-api/mine/llama or "
        "sim/oracle. A system at an address needs none.",
    ),
    click.option(
        "--system",
        default="full",
        show_default=True,
        help=f"What the model is shown and how it answers: {', '.join(SYSTEMS)}, or your own as path/to/file.py:Name, "
        "package.module:Name or http://HOST:PORT/PATH.",
    ),
    click.option(
        "--matrix",
        type=options.PATH,
        help="Run every cell of this TOML file: models x systems x prompting x samples. Other options apply to all.",
    ),
    click.option("-S", "set_", multiple=True, metavar="NAME=VALUE", help="A setting of the system. Repeatable."),
    click.option(
        "--prompting",
        type=click.Choice(["direct", "cot"]),
        default="direct",
        show_default=True,
        help="Ask for the answer alone, or for the reasoning first.",
    ),
    click.option(
        "--samples",
        type=click.IntRange(1, 1_000),
        default=1,
        show_default=True,
        help="Number of responses to each question.",
    ),
    click.option(
        "--temperature",
        type=click.FloatRange(0, 2),
        help="Sampling temperature.  [default: that of the bench's preset, or the provider's]",
    ),
    click.option("--seed", type=int, help="Sampling seed, for providers that take one and for simulated models."),
    click.option(
        "--max-tokens", type=options.Length(), default=2_048, show_default=True, help="Maximum tokens of a response."
    ),
    click.option(
        "--top-p",
        type=click.FloatRange(0, 1, min_open=True),
        help="Nucleus sampling: top-p.  [default: the provider's]",
    ),
    click.option(
        "--reasoning-tokens",
        type=options.Length(),
        help="Maximum reasoning tokens, part of --max-tokens. For Anthropic, Bedrock, Google and OpenRouter.",
    ),
    click.option("--reasoning-effort", help="Effort of reasoning models: low, medium or high."),
    click.option(
        "--window",
        type=options.Length(),
        help="Maximum tokens of prompt and response together.  [default: from the table of models]",
    ),
    click.option("--split", type=click.Choice(["train", "dev", "test"]), help="Ask the questions of one split."),
    click.option("--limit", type=click.IntRange(1), help="Ask only this many questions, drawn at random by --seed."),
    click.option("--prices", type=options.PATH, help="Your own table of windows and prices (TOML)."),
    click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved."),
    click.option(
        "--connections",
        type=click.IntRange(1, 256),
        default=8,
        show_default=True,
        help="Maximum number of requests in flight.",
    ),
)

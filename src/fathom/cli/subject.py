"""Who is put to which bench, and how: the options that `fathom plan` and `fathom run` share."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fathom.cli import options
from fathom.models.model_info import ModelInfo, model_info
from fathom.records.errors import FathomError
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import MANIFEST, ResponseIndex, RunManifest, RunSettings, read_responses, refuse_another
from fathom.runs.plan import Plan, plan
from fathom.systems.catalog import SYSTEMS, system
from fathom.systems.protocol import Prompting, System
from fathom.tasks.bench import Bench
from fathom.tasks.simulating import simulated_model


@dataclass(frozen=True)
class Subject:
    """A model, the way it is asked, and what it is asked about."""

    bench: Path
    corpus: Path | None
    model: str
    system_name: str
    prompting: Prompting
    settings: RunSettings
    prices: Path | None
    connections: int

    @property
    def is_simulated(self) -> bool:
        return self.model.startswith("sim/")

    @property
    def is_embedded(self) -> bool:
        return self.model.startswith("local/")

    def system(self) -> System:
        return system(self.system_name, self.prompting)

    def model_info(self) -> ModelInfo:
        """The model's window and price; a window must be known before anything can be promised to fit.

        No more is asked for than the model can write: a provider refuses every single request for more.
        """
        found = model_info(self.model, self.prices)
        if (self.settings.window or found.window) is None:
            raise FathomError(
                f"How much the model '{self.model}' can read is not known. "
                "Give --window, such as --window 128K, or add the model to a table of --prices."
            )
        if found.max_output is not None and self.settings.max_tokens > found.max_output:
            raise FathomError(
                f"The model '{self.model}' writes at most {found.max_output:,} tokens, and --max-tokens asks for "
                f"{self.settings.max_tokens:,}. Give fewer, or a table of --prices that knows better."
            )
        return found

    def manifest(self, exam: BenchView, folder: Path) -> RunManifest:
        """What makes this run that run."""
        name = self.model
        if self.is_simulated:
            name = simulated_model(self.model, Bench(self.bench).manifest.families)[0].name
        return RunManifest(
            bench=Path(os.path.relpath(self.bench.resolve(), folder.resolve())).as_posix(),
            bench_fingerprint=exam.fingerprint,
            model=name,
            system=self.system_name,
            system_settings=asdict(self.system()),  # type: ignore[call-overload]
            settings=self.settings,
        )

    def standing(self, folder: Path) -> ResponseIndex:
        """What the run's folder holds already."""
        return read_responses(folder) if (folder / MANIFEST).exists() else ResponseIndex()

    def plan(self, exam: BenchView, folder: Path) -> Plan:
        """What is still to be asked; where `fathom run` would refuse to go on, so does this."""
        if (folder / MANIFEST).exists():
            refuse_another(folder, self.manifest(exam, folder))
        return plan(exam, self.system(), self.model_info(), self.settings, self.standing(folder), self.connections)


def subject_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options, and hands the command a `Subject` in their place."""

    @wraps(command)
    def called(
        bench: Path,
        model: str,
        system_name: str,
        prompting: Prompting,
        corpus: Path | None,
        prices: Path | None,
        connections: int,
        **others: Any,
    ) -> None:
        chosen = {name: others.pop(name) for name in RunSettings.model_fields}
        settings = RunSettings.model_validate({name: value for name, value in chosen.items() if value is not None})
        subject = Subject(bench, corpus, model, system_name, prompting, settings, prices, connections)
        command(subject=subject, **others)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called


_OPTIONS = (
    click.argument("bench", type=click.Path(path_type=Path)),
    click.option(
        "--model",
        required=True,
        help="Such as local/smollm2, openai/gpt-4.1, anthropic/claude-sonnet-4-5, openai-api/mine/llama, sim/oracle.",
    ),
    click.option(
        "--system",
        "system_name",
        type=click.Choice(list(SYSTEMS)),
        default="full",
        show_default=True,
        help="What the model is shown, and how it answers.",
    ),
    click.option(
        "--prompting",
        type=click.Choice(["direct", "cot"]),
        default="direct",
        show_default=True,
        help="The answer alone, or the steps to it first.",
    ),
    click.option(
        "--samples", type=click.IntRange(1, 1_000), default=1, show_default=True, help="Responses to each question."
    ),
    click.option("--temperature", type=click.FloatRange(0, 2), help="Left to the provider where it is not given."),
    click.option("--seed", type=int, help="For providers that take one, and for simulated answerers."),
    click.option(
        "--max-tokens", type=options.Length(), default=2_048, show_default=True, help="Room for one response."
    ),
    click.option("--reasoning-effort", help="For reasoning models: low, medium, high."),
    click.option("--window", type=options.Length(), help="Tokens that prompt and response may have together."),
    click.option("--split", type=click.Choice(["train", "dev", "test"]), help="Ask the questions of one split."),
    click.option("--limit", type=click.IntRange(1), help="Ask the first so many questions."),
    click.option("--prices", type=click.Path(path_type=Path), help="A table of windows and prices of your own (TOML)."),
    click.option("--corpus", type=click.Path(path_type=Path), help="Where the corpus is, if it has been moved."),
    click.option(
        "--connections", type=click.IntRange(1, 256), default=8, show_default=True, help="Requests in flight at once."
    ),
)

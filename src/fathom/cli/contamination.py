"""`fathom contamination`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click

from fathom.cli import options
from fathom.records.errors import FathomError
from fathom.runs.folder import RunManifest, read_responses, read_run, selected_questions
from fathom.scoring.contamination import PROBES, Asked, Contamination, Probed, Swapped, contamination, matched
from fathom.scoring.intervals import Rate
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.swapping import REPORT

EXAMPLE = """
\b
Examples:
  fathom contamination runs/probes-full-openai-gpt-4.1-mini
  fathom contamination runs/swapped-full-openai-gpt-4.1-mini runs/bench-full-openai-gpt-4.1-mini
"""


@click.command(epilog=EXAMPLE)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@options.as_json
def command(runs: tuple[Path, ...], as_json: bool) -> None:
    """Say how much of a run was known by heart.

    Of a run on probes (`fathom build` of the family memorization): how often the name came back, by year of
    the document, and
    whether that falls with the years. Of a run on a swapped bench (`fathom swap`): how much was read from the text that
    is shown, and how much recited; with the same model's run on the bench before, what was lost. Reads runs, their
    benches and keys; writes nothing; calls no model.
    """
    opened = [_Run(folder) for folder in runs]
    told = {str(run.folder): found for run, found in _found(opened)}
    if as_json:
        click.echo(json.dumps({name: found.model_dump(mode="json") for name, found in told.items()}, indent=2))
    else:
        click.echo("\n".join(line for name, found in told.items() for line in describe(name, found)))


@dataclass(frozen=True)
class _Run:
    """A run and the bench that it was put to."""

    folder: Path

    @cached_property
    def manifest(self) -> RunManifest:
        return read_run(self.folder)

    @cached_property
    def bench(self) -> Bench:
        where = self.folder.resolve() / self.manifest.bench
        bench = Bench(where)
        if bench.manifest.fingerprint != self.manifest.bench_fingerprint:
            raise FathomError(f"'{where}' is not the bench that '{self.folder}' was run on. Restore that one.")
        return bench

    @property
    def swapped_from(self) -> str | None:
        """The fingerprint of the bench before the swap; None for a bench that is as it was built."""
        told = self.bench.manifest.reports.get(REPORT)
        return str(told["bench"]) if told else None

    def asked(self) -> Iterator[Asked]:
        """Every question that the run was to ask."""
        keys = {key.question_id: key for key in self.bench.all_keys()}
        questions = selected_questions(self.bench.all_questions(), self.manifest.settings)
        checks = {name: family(name).check for name in self.bench.manifest.families}
        return matched(
            ((one, keys[one.id]) for one in questions), read_responses(self.folder).responses.values(), checks
        )

    def is_of(self, other: _Run) -> bool:
        """Whether it is the same model, asked in the same way, on the bench that the other one's was made from."""
        mine, theirs = self.manifest, other.manifest
        return mine.bench_fingerprint == other.swapped_from and (mine.model, mine.system, mine.system_settings) == (
            theirs.model,
            theirs.system,
            theirs.system_settings,
        )


def _found(runs: list[_Run]) -> Iterator[tuple[_Run, Contamination]]:
    """The figures of each run; a run on a bench before a swap serves the runs after it."""
    used: set[Path] = set()
    for run in runs:
        if run.swapped_from is None:
            continue
        earlier = next((other for other in runs if other.is_of(run)), None)
        used |= {earlier.folder} if earlier else set()
        yield run, contamination(run.asked(), earlier.asked() if earlier else ())
    for run in runs:
        if run.swapped_from is not None or run.folder in used:
            continue
        if PROBES not in run.bench.manifest.families:
            raise FathomError(
                f"'{run.folder}' is a run on neither probes nor a swapped bench, and none of the other runs is the "
                "same model's on a swapped form of it. Make one with `fathom swap`, or probes with "
                "`fathom build memorization CORPUS`."
            )
        yield run, contamination(run.asked())


def describe(name: str, found: Contamination) -> list[str]:
    """The figures in a few lines."""
    lines = [f"{name}:"]
    for task, probed in found.probes.items():
        lines += _probes(task, probed)
    return [*lines, *(_swap(found.swapped) if found.swapped is not None else ())]


def _probes(task: str, probed: Probed) -> Iterator[str]:
    yield f"  {task} probes: came back {_rate(probed.all)}{_unanswered(probed.unanswered)}"
    yield from (f"    {year}  {_rate(found)}" for year, found in probed.by_year.items())
    if probed.trend is None:
        yield "    no trend over the years can be told"
    else:
        slope, z, p = probed.trend.slope, probed.trend.z, probed.trend.p
        yield f"    {100 * slope:+.1f} points a year (z {z:.1f}, p {p:.2g})"


def _swap(found: Swapped) -> Iterator[str]:
    yield (
        f"  {found.changed:,} of {found.questions:,} answers changed with the swap{_unanswered(found.unanswered)}; of "
        "these"
    )
    yield f"    context-attributable  {_rate(found.attributable)}"
    yield f"    recited               {_rate(found.recited)}"
    if found.before is not None and found.drop is not None:
        low, high = found.drop.low, found.drop.high
        yield f"    before the swap       {_rate(found.before)}"
        yield f"    lost with the swap    {100 * found.drop.share:.1f} points ({100 * low:.1f} to {100 * high:.1f})"


def _rate(found: Rate) -> str:
    return f"{found.share:>6.1%}  ({found.low:.1%} to {found.high:.1%}; {found.hits:,} of {found.of:,})"


def _unanswered(count: int) -> str:
    return f", {count:,} without an answer" if count else ""

"""The options of `fathom build` that single families take, and what each family is asked by them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import JsonValue

from fathom.cli import citing, options
from fathom.records.errors import FathomError
from fathom.tasks.citations.settings import Citing
from fathom.tasks.memorization.make import MemorizationSettings
from fathom.tasks.memorization.probes import Task as Probe

SHARED = {"items": "--items", "per_paper": "--per-paper", "characters": "--characters"}
TAKEN: dict[str, dict[str, str]] = {
    "citations": {**citing.TAKEN, **SHARED},
    "memorization": {"probes": "--probes", **SHARED},
}
"""For each family the options that it takes, by what the command calls their values."""


def family_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options, and hands the command what they ask of each family as `own`."""

    @wraps(command)
    def called(corpus: Path, families: tuple[str, ...], **others: Any) -> None:
        names = {name for taken in TAKEN.values() for name in taken}
        given = {name: value for name in names if (value := others.pop(name)) is not None}
        _refuse_idle(given, families)
        own = {family: _asked(family, corpus, given) for family in TAKEN if family in families}
        command(corpus=corpus, families=families, own=own, **others)

    for option in reversed((*_OPTIONS, *citing.OPTIONS)):
        called = option(called)
    return called


def _refuse_idle(given: dict[str, Any], families: tuple[str, ...]) -> None:
    """An option that nothing would come of is refused: its giver waits for something else."""
    for name in sorted(given):
        takers = [family for family, taken in TAKEN.items() if name in taken]
        if not set(takers) & set(families):
            raise FathomError(
                f"{TAKEN[takers[0]][name]} asks something of the family {' or '.join(takers)}, and --families names "
                f"{', '.join(families)}. Leave it out, or name that family."
            )


def _asked(family: str, corpus: Path, given: dict[str, Any]) -> dict[str, JsonValue]:
    """What is asked of one family; what is not given is as its settings have it."""
    mine = {name: value for name, value in given.items() if name in TAKEN[family]}
    if family == "citations":
        return citing.asked(corpus, mine).model_dump(mode="json")
    if "probes" in mine:
        mine["tasks"] = mine.pop("probes")
    return MemorizationSettings.model_validate(mine).model_dump(mode="json")


def _defaults(name: str) -> str:
    """What both families have where the option is not given."""
    one, two = (f"{settings.model_fields[name].default:,}" for settings in (Citing, MemorizationSettings))
    return f"  [default: {one}; for memorization {two}]"


_OPTIONS = (
    click.option(
        "--items",
        type=click.IntRange(1),
        help="citations: for each task and level; memorization: for each kind of probe." + _defaults("items"),
    ),
    click.option(
        "--per-paper",
        type=click.IntRange(1),
        help="citations: the most that one question paper gives; memorization: the most of its citations that "
        "are probed." + _defaults("per_paper"),
    ),
    click.option(
        "--characters",
        type=options.Length(),
        help="citations: of a paper with its candidates, which are trimmed evenly to fit; memorization: the "
        "most that is "
        "shown before a citation." + _defaults("characters"),
    ),
    click.option(
        "--probes",
        type=options.Words(get_args(Probe), needed=True),
        help="memorization: the author whom a citation goes on with, or a word of the title."
        f"  [default: {','.join(MemorizationSettings().tasks)}]",
    ),
)

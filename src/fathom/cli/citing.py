"""The options of `fathom build` that the family `citations` alone takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, get_args

import click

from fathom.cli import options
from fathom.records.errors import FathomError
from fathom.tasks.citations.naming import Manner
from fathom.tasks.citations.settings import LEVELS, Citing, Difficulty, Form, Masking, Sampling, Scope, Task

DIMENSIONS = {"manner": "--type", "sampling": "--sampling", "form": "--candidates", "scope": "--scope"}
"""What makes an item hard, by the option that sets it."""


def citing_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options, and hands the command what they ask of the family as `own`."""

    @wraps(command)
    def called(
        tasks: tuple[Task, ...],
        levels: tuple[str, ...],
        items: int,
        per_paper: int,
        mask: Masking,
        characters: int,
        **others: Any,
    ) -> None:
        chosen = {name: others.pop(name) for name in DIMENSIONS}
        citing = Citing(
            tasks=tasks,
            levels=_levels(levels, {name: value for name, value in chosen.items() if value is not None}),
            items=items,
            per_paper=per_paper,
            mask=mask,
            characters=characters,
        )
        command(own={"citations": citing.model_dump(mode="json")}, **others)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called


def _levels(names: tuple[str, ...], chosen: dict[str, str]) -> dict[str, Difficulty]:
    """The named levels, or one of the user's own making where dimensions are set."""
    if not chosen:
        return {name: LEVELS[name] for name in names}
    if len(names) > 1 and names != tuple(LEVELS):
        raise FathomError("Several --levels and dimensions of your own do not go together. Leave out one or the other.")
    base = LEVELS[names[0]] if len(names) == 1 else LEVELS["medium"]
    return {"own": Difficulty.model_validate({**base.model_dump(), **chosen})}


_OPTIONS = (
    click.option(
        "--tasks",
        type=options.Words(get_args(Task), needed=True),
        default=",".join(get_args(Task)),
        show_default=True,
        help="citations: one mask and four candidates, or four masks and four candidates.",
    ),
    click.option(
        "--levels",
        type=options.Words(tuple(LEVELS), needed=True),
        default=",".join(LEVELS),
        show_default=True,
        help="citations: which levels.",
    ),
    click.option(
        "--items",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="citations: for each task and level.",
    ),
    click.option(
        "--per-paper",
        type=click.IntRange(1),
        default=5,
        show_default=True,
        help="citations: the most that one question paper gives.",
    ),
    click.option(
        "--mask",
        type=click.Choice(get_args(Masking)),
        default="all",
        show_default=True,
        help="citations: hide every mention of the candidates, or the asked citation alone.",
    ),
    click.option(
        "--characters",
        type=options.Length(),
        default=100_000,
        show_default=True,
        help="citations: of a paper with its candidates, which are trimmed evenly to fit.",
    ),
    click.option(
        "--type",
        "manner",
        type=click.Choice(get_args(Manner)),
        help="citations: a level of your own: does the sentence name the method, model or data set?",
    ),
    click.option(
        "--sampling",
        type=click.Choice(get_args(Sampling)),
        help="citations: a level of your own: candidates at random, or those cited nearest to the mask.",
    ),
    click.option(
        "--candidates",
        "form",
        type=click.Choice(get_args(Form)),
        help="citations: a level of your own: title and abstract, all, or the body without what gives it away.",
    ),
    click.option(
        "--scope",
        type=click.Choice(get_args(Scope)),
        help="citations: a level of your own: the whole question paper, or the section of the mask.",
    ),
)

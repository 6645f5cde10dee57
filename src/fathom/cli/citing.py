"""The options of `fathom build` that the family `citations` alone takes."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import click

from fathom.cli import options
from fathom.records.errors import FathomError
from fathom.runs.folder import read_replies, read_run
from fathom.scoring.answers import Text
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.citations import check
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
        types: Path | None,
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
            types={} if types is None else disputed(types),
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


def disputed(folder: Path) -> dict[str, Manner | None]:
    """The citations that a model, put to a bench of manners, takes otherwise than the rule, and what it says."""
    manifest = read_run(folder)
    bench = Bench(Path(os.path.normpath(folder.resolve() / manifest.bench)))
    if bench.manifest.families != ("manners",) or bench.manifest.fingerprint != manifest.bench_fingerprint:
        raise FathomError(
            f"The run '{folder}' was not put to the bench of manners in '{bench.folder}'. "
            "Make one with `fathom build CORPUS --families manners`, and run the model on it."
        )
    replies = read_replies(folder).replies
    found: dict[str, Manner | None] = {}
    for key in bench.all_keys():
        reply = replies.get((key.question_id, 0))
        verdict = None if reply is None else check(key, reply)
        if verdict is not None and verdict.outcome != "right":
            [[article, place, _]] = key.proof.rows
            found[f"{article} {place}"] = _said(verdict)
    return found


def _said(verdict: Verdict) -> Manner | None:
    """What the model took the citation for, where it said so."""
    said = verdict.read_as.value if isinstance(verdict.read_as, Text) else ""
    return next((manner for manner in get_args(Manner) if manner == said.strip().lower()), None)


_OPTIONS = (
    click.option(
        "--types",
        type=click.Path(path_type=Path),
        help="citations: a run on a bench of manners; what its model takes otherwise than the rule is not asked.",
    ),
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

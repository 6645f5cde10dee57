"""The options of `fathom build` that the family `citations` alone takes, and what they ask of it."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from fathom.cli import options
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.runs.folder import read_responses, read_run
from fathom.scoring.answers import Text
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.citations import check
from fathom.tasks.citations.naming import CitationType
from fathom.tasks.citations.settings import LEVELS, Citing, Difficulty, Form, Masking, Sampling, Scope, Task, Typed

DIMENSIONS = {"citation_type": "--type", "sampling": "--sampling", "form": "--candidates", "scope": "--scope"}
"""What makes an item hard, by the option that sets it."""
TAKEN = {
    "yearly": "--yearly",
    "tasks": "--tasks",
    "levels": "--levels",
    "mask": "--mask",
    "types": "--types",
    **DIMENSIONS,
}
"""The options below, by what the command calls their values."""
BASE = "medium"
"""The level that dimensions of one's own change where none is named."""


def asked(corpus: Path, given: dict[str, Any]) -> Citing:
    """What these options ask of the family."""
    plain = {name: value for name, value in given.items() if name not in ("levels", "types", *DIMENSIONS)}
    chosen = {name: given[name] for name in DIMENSIONS if name in given}
    word = _model_s_word(given["types"], corpus) if "types" in given else _Word({}, None)
    return Citing(**plain, levels=_levels(given.get("levels"), chosen), types=word.disputed, typed=word.counted)


def _levels(names: tuple[str, ...] | None, chosen: dict[str, str]) -> dict[str, Difficulty]:
    """The named levels; or, where dimensions are set, one of the user's own, which changes a single named one."""
    if not chosen:
        return {name: LEVELS[name] for name in names or LEVELS}
    if names is not None and len(names) > 1:
        raise FathomError(
            f"{DIMENSIONS[next(iter(chosen))]} makes one level of your own, and --levels names {len(names)}. Name the "
            "single level that yours is like but for what you set, or leave out one or the other."
        )
    base = LEVELS[names[0] if names else BASE]
    return {"own": Difficulty.model_validate({**base.model_dump(), **chosen})}


@dataclass(frozen=True)
class _Word:
    """A model's word on citations."""

    disputed: dict[str, CitationType | None]
    """Those that it takes otherwise than the rule, and what it says."""
    counted: Typed | None


def _model_s_word(folder: Path, corpus: Path) -> _Word:
    """What a model, put to a bench of citation_types of this very corpus, says of its citations."""
    manifest = read_run(folder)
    bench = Bench(Path(os.path.normpath(folder.resolve() / manifest.bench)))
    if bench.manifest.families != ("citation_types",) or bench.manifest.fingerprint != manifest.bench_fingerprint:
        raise FathomError(
            f"The run '{folder}' was not put to the bench of citation_types in '{bench.folder}'. "
            "Make one with `fathom build CORPUS --families citation_types`, and run the model on it."
        )
    with Corpus(corpus) as opened:
        # Places are named by document and span: in another corpus they are other citations, or none.
        if opened.manifest.fingerprint != bench.manifest.corpus_fingerprint:
            raise FathomError(
                f"The run '{folder}' tells the types of another corpus's citations, not of those in '{corpus}'. "
                f"Make a bench with `fathom build {corpus} --families citation_types`, and run the model on it."
            )
    responses = read_responses(folder).responses
    found: dict[str, CitationType | None] = {}
    outcomes: Counter[str] = Counter()
    for key in bench.all_keys():
        response = responses.get((key.question_id, 0))
        if response is None or response.outcome in ("error", "overflow"):
            outcomes["without"] += 1
            continue
        verdict = check(key, response)
        if verdict.outcome == "correct":
            outcomes["agree"] += 1
            continue
        [[document, place, _]] = key.proof.rows
        said = found[f"{document} {place}"] = _said(verdict)
        outcomes["unclear" if said is None else "disagree"] += 1
    return _Word(found, Typed.model_validate(outcomes))


def told(settings: Citing) -> list[str]:
    """What came of a model's word, in a line."""
    typed = settings.typed
    if typed is None:
        return []
    return [
        f"  a model's word on {typed.citations - typed.without:,} of {typed.citations:,} citations: it agrees with the "
        f"rule on {typed.agree:,}, disagrees on {typed.disagree:,} and says nothing clear on {typed.unclear:,}; "
        "only the first are asked about" + (f", and the {typed.without:,} without its word" if typed.without else "")
    ]


def _said(verdict: Verdict) -> CitationType | None:
    """What the model took the citation for, where it said so."""
    said = verdict.parsed.value if isinstance(verdict.parsed, Text) else ""
    return next(
        (citation_type for citation_type in get_args(CitationType) if citation_type == said.strip().lower()), None
    )


OPTIONS = (
    click.option(
        "--yearly",
        is_flag=True,
        default=None,
        help="citations: --items for each year of the question papers, not in all.",
    ),
    click.option(
        "--types",
        type=click.Path(path_type=Path),
        help="citations: a run on a bench of citation_types; what its model takes otherwise than the rule is "
        "not asked.",
    ),
    click.option(
        "--tasks",
        type=options.Words(get_args(Task), needed=True),
        help="citations: one mask and four candidates, or four masks and four candidates."
        f"  [default: {','.join(get_args(Task))}]",
    ),
    click.option(
        "--levels",
        type=options.Words(tuple(LEVELS), needed=True),
        help="citations: which levels; beside one of the four options below, the single level that they change."
        f"  [default: {','.join(LEVELS)}; beside those {BASE}]",
    ),
    click.option(
        "--mask",
        type=click.Choice(get_args(Masking)),
        help="citations: hide every mention of the candidates, or the asked citation alone.  [default: all]",
    ),
    click.option(
        "--type",
        "citation_type",
        type=click.Choice(get_args(CitationType)),
        help="citations: a level of your own: does the sentence name the method, model or data set?",
    ),
    click.option(
        "--sampling",
        type=click.Choice(get_args(Sampling)),
        help="citations: a level of your own: candidates at random, or works cited in the same section.",
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

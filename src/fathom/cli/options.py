"""Options that several commands share, and the kinds of words they take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.records.lengths import parse_length
from fathom.work import cores


class Length(click.ParamType[int]):
    """A number of tokens: 3000, 64K, 1M."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> int:
        return value if isinstance(value, int) else parse_length(value)


class Words(click.ParamType[tuple[str, ...]]):
    """Words with commas between them."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(word.strip() for word in value.split(",") if word.strip())


seed = click.option("--seed", type=int, default=0, show_default=True, help="Fixes every random choice.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
processes = click.option(
    "--processes",
    type=click.IntRange(1, 512),
    default=cores,
    help="How many processes to use; the result is the same for any number.  [default: all cores]",
)
corpus = click.argument("corpus", type=click.Path(path_type=Path))

"""Options that several commands share, and the kinds of words they take."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import click

from fathom.records.errors import FathomError
from fathom.records.lengths import parse_length
from fathom.work import cores


class Length(click.ParamType[int]):
    """A number of tokens: 3000, 64K, 1M."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> int:
        return value if isinstance(value, int) else parse_length(value)


class Finite(click.ParamType[float]):
    """A number of zero or more; "nan" and "inf" are none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number < inf:
            option = param.opts[0] if param is not None else "the option"
            raise FathomError(f"{option} takes a number of zero or more, and '{value}' is none. Mend it.")
        return number


class Words(click.ParamType[tuple[str, ...]]):
    """Words with commas between them, each once; all of them known where `known` lists them."""

    name = "list"

    def __init__(self, known: tuple[str, ...] = (), needed: bool = False) -> None:
        self._known = known
        self._needed = needed

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> tuple[str, ...]:
        words = value if isinstance(value, tuple) else tuple(word.strip() for word in value.split(",") if word.strip())
        option = param.opts[0] if param is not None else "the list"
        if self._needed and not words:
            raise FathomError(f"{option} is empty. Name at least one.")
        for word in words:
            if self._known and word not in self._known:
                raise FathomError(f"{option} does not take '{word}'. Choose among {', '.join(self._known)}.")
            if words.count(word) > 1:
                raise FathomError(f"{option} names '{word}' twice. Name it once.")
        return words


class Shares(click.ParamType[dict[str, int]]):
    """Names with whole numbers: train=70,dev=10,test=20."""

    name = "shares"

    def __init__(self, known: tuple[str, ...]) -> None:
        self._known = known

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> dict[str, int]:
        if isinstance(value, dict):
            return value
        shares: dict[str, int] = {}
        for piece in filter(None, (word.strip() for word in value.split(","))):
            name, _, number = piece.partition("=")
            if name not in self._known or not number.isdecimal() or not int(number) or name in shares:
                known = ", ".join(self._known)
                raise FathomError(f"'{piece}' is no share. Write such as train=70,dev=10,test=20; known are {known}.")
            shares[name] = int(number)
        return shares


seed = click.option("--seed", type=int, default=0, show_default=True, help="Fixes every random choice.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
processes = click.option(
    "--processes",
    type=click.IntRange(1, 512),
    default=cores,
    help="How many processes to use; the result is the same for any number.  [default: all cores]",
)
corpus = click.argument("corpus", type=click.Path(path_type=Path))

"""Options and parameter types that several commands share."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import click

from fathom.parallel import cores
from fathom.records.errors import FathomError
from fathom.records.lengths import parse_length

PATH = click.Path(path_type=Path)


class Length(click.ParamType[int]):
    """A number of tokens: 3000, 64K, 1M."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> int:
        return value if isinstance(value, int) else parse_length(value)


class NonNegative(click.ParamType[float]):
    """A finite number of zero or more."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number < inf:
            raise FathomError(f"{_option(param)} takes a number of zero or more, not '{value}'.")
        return number


class CommaList(click.ParamType[tuple[str, ...]]):
    """Values separated by commas, each once; only `known` values where they are given."""

    name = "list"

    def __init__(self, known: tuple[str, ...] = (), required: bool = False) -> None:
        self._known = known
        self._required = required

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> tuple[str, ...]:
        words = value if isinstance(value, tuple) else tuple(word.strip() for word in value.split(",") if word.strip())
        option = _option(param)
        if self._required and not words:
            raise FathomError(f"{option} is empty. Give at least one value.")
        for word in words:
            if self._known and word not in self._known:
                raise FathomError(f"{option} does not take '{word}'. Choose from: {', '.join(self._known)}.")
            if words.count(word) > 1:
                raise FathomError(f"{option} contains '{word}' twice. Give it once.")
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
            if (self._known and name not in self._known) or not number.isdecimal() or not int(number) or name in shares:
                names = f", with names from: {', '.join(self._known)}" if self._known else ""
                example = "train=70,dev=10,test=20" if self._known else "name=10,other=20"
                raise FathomError(f"{_option(param)} does not take '{piece}'. Give numbers such as {example}{names}.")
            shares[name] = int(number)
        return shares


class Variations(click.ParamType[dict[str, tuple[str, ...]]]):
    """Settings with their values: scope=full,section or scope=full,section,mask=all,one."""

    name = "variations"

    def __init__(self, known: tuple[str, ...]) -> None:
        self._known = {name.replace("_", "-"): name for name in known}

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> dict[str, tuple[str, ...]]:
        if isinstance(value, dict):
            return value
        variations: dict[str, tuple[str, ...]] = {}
        name = ""
        for piece in filter(None, (word.strip() for word in value.split(","))):
            named, equals, word = piece.rpartition("=")
            name = self._known.get(named, "") if equals else name
            if not name or not word or (equals and name in variations):
                raise FathomError(
                    f"{_option(param)} does not take '{piece}'. Give settings with their values such as "
                    f"scope=full,section, with names from: {', '.join(self._known)}."
                )
            variations[name] = (*variations.get(name, ()), word)
        return variations


class PerTag(click.ParamType[tuple[str, int]]):
    """A tag and a number: skill=20."""

    name = "tag=n"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        name, _, number = str(value).rpartition("=")
        if not name or not number.isdecimal() or not int(number):
            raise FathomError(f"{_option(param)} takes a tag and a number such as skill=20, not '{value}'.")
        return name, int(number)


def require_path(path: Path, what: str) -> None:
    """Raise an error if nothing is there, before an option is missed that only an existing path needs."""
    if not path.exists():
        raise FathomError(f"There is no '{path}'. Give the folder of {what}.")


def merged(
    context: click.Context, param: click.Parameter, mappings: tuple[dict[str, tuple[str, ...]], ...]
) -> dict[str, tuple[str, ...]] | None:
    """The variations of an option that was given several times; None if it was not given."""
    values: dict[str, tuple[str, ...]] = {}
    for mapping in mappings:
        if repeated := values.keys() & mapping.keys():
            raise FathomError(f"{_option(param)} names {', '.join(sorted(repeated))} twice. Give each name once.")
        values |= mapping
    return values or None


def _option(param: click.Parameter | None) -> str:
    return param.opts[0] if param is not None else "the option"


def examples(*commands: str) -> str:
    """The end of a help text: the commands as examples, line by line."""
    lines = "".join(f"  {command}\n" for command in commands)
    return f"\n\b\nExample{'s' if len(commands) > 1 else ''}:\n{lines}"


seed = click.option("--seed", type=int, default=0, show_default=True, help="The seed of every random choice.")
port = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: the last one, or any]"
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
length_limits = click.option(
    "--bins",
    type=CommaList(required=True),
    help="Limits of ranges of context lengths by which a family's measures are shown, such as 15K,20K.  [default: "
    "those of the family]",
)
processes = click.option(
    "--processes",
    type=click.IntRange(1, 512),
    default=cores,
    help="Number of processes; the result is the same for any number.  [default: all cores]",
)
corpus = click.argument("corpus", type=PATH)

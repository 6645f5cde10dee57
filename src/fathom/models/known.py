"""What is known of a model before it is asked: how much it can read, what that costs, and how recent it is."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from fathom.records.documents import Count, Position
from fathom.records.errors import FathomError, file_errors
from fathom.records.questions import Usage
from fathom.records.record import Record, first_error

Dollars = Annotated[float, Field(ge=0)]
"""For a million tokens."""


class Known(Record):
    """A model's window and prices; a price that is missing is unknown, not zero."""

    window: Position | None = None
    """Tokens that prompt and response may have together."""
    output: Position | None = None
    """The most tokens of one response."""
    input: Dollars | None = None
    cached: Dollars | None = None
    """For input that a cache serves."""
    written: Dollars | None = None
    """For input that is written to a cache, where that costs more."""
    response: Dollars | None = None
    tokens: Annotated[float, Field(gt=0)] = 1.2
    """How many of its tokens one o200k token makes; on the safe side where nobody has measured it."""

    cutoff: Annotated[str, Field(pattern=r"^\d{4}-(?:0[1-9]|1[0-2])$")] | None = None
    """The month of its newest training data, such as 2024-06; None where that is not known."""

    reads: Annotated[float, Field(gt=0)] = 10_000
    """Tokens of a prompt a second, roughly."""
    writes: Annotated[float, Field(gt=0)] = 60
    """Tokens of a response a second, roughly."""

    def seconds(self, usage: Usage) -> float:
        """How long so many tokens take, one request after another."""
        return (usage.input_tokens - usage.cached_tokens) / self.reads + usage.output_tokens / self.writes

    def price(self, usage: Usage) -> float | None:
        """What so many tokens cost, in dollars."""
        if self.input is None or self.response is None:
            return None
        fresh = usage.input_tokens - usage.cached_tokens
        # What is not served from a cache may be written to one; without a price for writing it is plain input.
        paid = fresh * (self.written if self.written is not None else self.input)
        paid += usage.cached_tokens * (self.cached if self.cached is not None else self.input)
        return (paid + usage.output_tokens * self.response) / 1e6


class _Table(Record):
    as_of: str = ""
    models: dict[str, Known]


def known(model: str, prices: Path | None = None) -> Known:
    """What is known of a model: from the user's table where it names it, else from the built-in one."""
    for table in (_read(prices) if prices else None, _builtin()):
        if table is not None:
            found = _best(model, table)
            if found is not None:
                return found
    return Known()


def _best(model: str, table: _Table) -> Known | None:
    """The entry of that name, or the longest beginning of it that is followed by a star."""
    if model in table.models:
        return table.models[model]
    fitting = [name for name in table.models if name.endswith("*") and model.startswith(name[:-1])]
    return table.models[max(fitting, key=len)] if fitting else None


def prices_as_of() -> str:
    """The day on which the built-in prices were looked up."""
    return _builtin().as_of


@cache
def _builtin() -> _Table:
    return _parse(files(__package__).joinpath("known.toml").read_text("utf-8"), "known.toml")


def _read(path: Path) -> _Table:
    with file_errors("read the prices", path):
        return _parse(path.read_text("utf-8"), str(path))


def _parse(text: str, name: str) -> _Table:
    try:
        return _Table.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise FathomError(f"'{name}' is no TOML: {error}. Mend it.") from error
    except ValidationError as error:
        raise FathomError(f"'{name}' is no table of models: {first_error(error)}. Mend it.") from error


def in_its_tokens(count: Count, known: Known) -> int:
    """So many o200k tokens in the model's own, rounded up."""
    return -int(-count * known.tokens // 1)

"""Model metadata: context window, prices, speed and training cutoff, from a built-in table or the user's own."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError

from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.questions import Usage
from fathom.records.record import Record, first_error
from fathom.records.toml import parse_toml

Dollars = Annotated[float, Field(ge=0)]
"""Per million tokens."""

TABLE = "models.toml"


class ModelInfo(Record):
    """A model's window and prices. A missing price is unknown, not zero."""

    window: PositiveInt | None = None
    """Tokens that prompt and response may have together."""
    max_output_tokens: PositiveInt | None = None
    """The maximum number of tokens of one response."""
    input_price: Dollars | None = None
    cached_price: Dollars | None = None
    """For input that a prefix cache serves."""
    cache_write_price: Dollars | None = None
    """For input that is written to a prefix cache, where that costs more than plain input."""
    output_price: Dollars | None = None
    batch_discount: Annotated[float, Field(ge=0, le=1)] | None = None
    """The share by which the provider's batch API is cheaper, such as 0.5; None if unknown."""
    token_ratio: Annotated[float, Field(gt=0)] = 1.2
    """The model's tokens per o200k token. The default is on the high side, for models that were not measured."""

    cutoff: Annotated[str, Field(pattern=r"^\d{4}-(?:0[1-9]|1[0-2])$")] | None = None
    """The month of its newest training data, such as 2024-06; None if unknown."""
    released: Annotated[str, Field(pattern=r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$")] | None = None
    """The day on which it became available, such as 2025-04-14; None if unknown."""
    reasoning: bool | None = None
    """Whether it can think before it answers; None if unknown."""
    reasons_by_default: bool = False
    """Whether it thinks unless it is told not to."""
    open_weights: bool | None = None
    """Whether its weights can be downloaded; None if unknown."""
    note: str = ""
    """What to know about its scores, in a sentence for the report."""

    input_speed: Annotated[float, Field(gt=0)] = 10_000
    """Prompt tokens per second, roughly."""
    output_speed: Annotated[float, Field(gt=0)] = 60
    """Response tokens per second, roughly."""

    def tokens(self, count: NonNegativeInt) -> int:
        """The model's own tokens for this number of o200k tokens, rounded up."""
        return -int(-count * self.token_ratio // 1)

    def seconds(self, usage: Usage) -> float:
        """The estimated time for these tokens with one request after another."""
        fresh = usage.input_tokens - usage.cached_tokens
        return fresh / self.input_speed + usage.output_tokens / self.output_speed

    @property
    def has_prices(self) -> bool:
        return self.input_price is not None and self.output_price is not None

    def price(self, usage: Usage) -> float | None:
        """The price of these tokens in dollars; None if a price is unknown."""
        if self.input_price is None or self.output_price is None:
            return None
        fresh = usage.input_tokens - usage.cached_tokens
        # Tokens that no cache served may be written to one. Without a separate price they cost as much as plain input.
        paid = fresh * (self.cache_write_price if self.cache_write_price is not None else self.input_price)
        paid += usage.cached_tokens * (self.cached_price if self.cached_price is not None else self.input_price)
        return (paid + usage.output_tokens * self.output_price) / 1e6

    def batch_price(self, usage: Usage) -> float | None:
        """The price through the provider's batch API if no cache serves anything; None if it is unknown."""
        if self.input_price is None or self.output_price is None or self.batch_discount is None:
            return None
        plain = usage.input_tokens * self.input_price + usage.output_tokens * self.output_price
        return plain * (1 - self.batch_discount) / 1e6


class _Table(Record):
    as_of: Annotated[str, BeforeValidator(lambda day: day.isoformat() if isinstance(day, date) else day)] = ""
    """The day of the prices; TOML also has dates without quotes."""
    models: dict[str, ModelInfo]


def model_info(model: str, prices: Path | None = None) -> ModelInfo:
    """The entry for a model: from the user's table if it has one, else from the built-in table, else all unknown."""
    return _find(model, prices)[0]


def _find(model: str, prices: Path | None) -> tuple[ModelInfo, _Table]:
    """The entry for a model, and the table that has it."""
    for table in [_read(prices), _builtin()] if prices else [_builtin()]:
        entry = _best_match(model, table)
        if entry is not None:
            return entry, table
    return ModelInfo(), _builtin()


def known_models(prices: Path | None = None) -> dict[str, ModelInfo]:
    """The models with an entry of their own, in the user's table and then the built-in one."""
    tables = [_read(prices), _builtin()] if prices else [_builtin()]
    names = dict.fromkeys(name for table in tables for name in table.models if not name.endswith("*"))
    return {name: model_info(name, prices) for name in names}


_SNAPSHOT = re.compile(r"[-@](?:20\d\d-?\d\d-?\d\d|latest)")
"""What follows a model's name in that of a snapshot. Other names with the same beginning are other models: o3-pro costs
ten times as much as o3."""


def _best_match(model: str, table: _Table) -> ModelInfo | None:
    """The entry of that name, or of the model that it is a snapshot of, or with the longest prefix before a star."""
    if model in table.models:
        return table.models[model]
    snapshot = _SNAPSHOT.search(model)
    if snapshot and snapshot.end() == len(model) and model[: snapshot.start()] in table.models:
        return table.models[model[: snapshot.start()]]
    matches = [name for name in table.models if name.endswith("*") and model.startswith(name[:-1])]
    return table.models[max(matches, key=len)] if matches else None


def prices_as_of(model: str | None = None, prices: Path | None = None) -> str:
    """The day of the prices in the table that has the model's entry; without a model, of the built-in table."""
    table = _builtin() if model is None else _find(model, prices)[1]
    return table.as_of or "an unknown day"


@cache
def _builtin() -> _Table:
    return _parse(files(__package__).joinpath(TABLE).read_text("utf-8"), TABLE)


def _read(path: Path) -> _Table:
    with file_errors("read the prices", path):
        return _parse(path.read_text("utf-8"), str(path))


def _parse(text: str, name: str) -> _Table:
    values = parse_toml(text, f"'{name}'")
    try:
        return _Table.model_validate(values)
    except ValidationError as error:
        fields = ", ".join(ModelInfo.model_fields)
        raise FathomError(
            f"'{name}' is not a table of models: {first_error(error)}. Correct the file: it has the day `as_of` and a "
            f'table [models."PROVIDER/NAME"] for each model, with some of the fields {fields}.'
        ) from error

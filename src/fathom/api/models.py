"""Known models: window, prices, reasoning, weights, release and training cutoff."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from fathom.api.arguments import Folder, as_path
from fathom.models.model_info import ModelInfo, known_models, model_info
from fathom.records.errors import FathomError
from fathom.records.lengths import parse_length
from fathom.runs.run import missing_engine

__all__ = ["KnownModel", "engine_info", "list_models", "model_info"]

SIMULATED = ("sim/", "mockllm/")


class KnownModel(ModelInfo):
    """A model in a list. What is None is unknown."""

    name: str
    source: Literal["table", "engine"]
    """Fathom's table or the user's, or else the engine's."""


def list_models(
    pattern: str = "",
    *,
    window: int | str | None = None,
    reasoning: bool | None = None,
    open_weights: bool | None = None,
    cutoff_before: str | None = None,
    all: bool = False,
    prices: Folder | None = None,
) -> list[KnownModel]:
    """The models whose names contain the pattern and that are known to meet the other conditions, by name.

    `window` is the least window in tokens: 200000, or "200K" and "1M" as makers round them, with K for thousand;
    `cutoff_before` is a month such as 2025-01. `all` adds the models of which the
    engine knows the window, without prices. A value that is unknown meets no condition.
    """
    # Windows of 128,000, 200,000 or 1,047,576 tokens are sold as 128K, 200K and 1M.
    least = parse_length(window, thousand=1_000) if isinstance(window, str) else window
    if cutoff_before is not None and not _is_month(cutoff_before):
        raise FathomError(f"'{cutoff_before}' is not a month. Give one such as 2025-01.")
    models = {model.name: model for model in _models(all, as_path(prices))}
    return [
        model
        for name, model in sorted(models.items())
        if pattern.lower() in name.lower()
        and (least is None or (model.window is not None and model.window >= least))
        and reasoning in (None, model.reasoning)
        and open_weights in (None, model.open_weights)
        and (cutoff_before is None or (model.cutoff is not None and model.cutoff < cutoff_before))
    ]


def _is_month(text: str) -> bool:
    year, _, month = text.partition("-")
    return len(text) == 7 and year.isdecimal() and month.isdecimal() and 1 <= int(month) <= 12


def _models(all: bool, prices: Path | None) -> Iterator[KnownModel]:
    """Every model, those of the table last, since it says more."""
    if all:
        try:
            infos = _engine_table()
        except ModuleNotFoundError as error:
            raise missing_engine(error) from error
        for name, info in infos.items():
            own = model_info(name, prices)  # of a snapshot: the entry of its model
            if own.window is not None:
                yield KnownModel(name=name, source="table", **{**own.model_dump(), "released": info.released})
            else:
                yield KnownModel(name=name, source="engine", **info.model_dump())
    for name, info in known_models(prices).items():
        if not name.startswith(SIMULATED):
            yield KnownModel(name=name, source="table", **info.model_dump())


def engine_info(model: str) -> ModelInfo | None:
    """The engine's entry for a model; None if it has none, or is not installed."""
    try:
        return _engine_table().get(model)
    except ModuleNotFoundError:
        return None


@cache
def _engine_table() -> dict[str, ModelInfo]:
    """The engine's table: windows, dates and whether a model reasons; it has no prices."""
    from inspect_ai.model._model_data.model_data import read_model_info

    return {
        name: ModelInfo(
            window=info.context_length,
            max_output_tokens=info.output_tokens,
            reasoning=info.reasoning,
            released=info.release_date and info.release_date.isoformat(),
            cutoff=info.knowledge_cutoff_date and info.knowledge_cutoff_date.isoformat()[:7],
        )
        for name, info in read_model_info().items()
        # The table also has models of speech and images, without a window of tokens.
        if (info.context_length or 0) >= 1_000
    }

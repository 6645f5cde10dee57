"""The built-in table of models."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from fathom.api.models import engine_info, list_models
from fathom.models.model_info import ModelInfo, model_info, prices_as_of
from fathom.records.errors import FathomError
from fathom.records.questions import Usage


def test_every_cutoff_is_a_month_before_the_date_of_the_table() -> None:
    table = tomllib.loads(files("fathom.models").joinpath("models.toml").read_text("utf-8"))
    cutoffs = {name: model["cutoff"] for name, model in table["models"].items() if "cutoff" in model}
    assert len(cutoffs) > 10
    for name, cutoff in cutoffs.items():
        assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", cutoff), name
        assert "2020" < cutoff < table["as_of"], name


def test_an_unknown_model_has_no_cutoff() -> None:
    assert model_info("openai/gpt-4.1-mini-2025-04-14").cutoff == "2024-06"
    assert model_info("local/smollm2").cutoff is None
    assert model_info("sim/memorizer").cutoff is None
    assert model_info("nobody/none").cutoff is None


def test_an_entry_holds_for_snapshots_and_for_no_other_model() -> None:
    for snapshot in ("openai/o3-2025-04-16", "openai/o3-latest", "openai/o3"):
        assert model_info(snapshot).input_price == 2.0, snapshot
    assert model_info("anthropic/claude-sonnet-4-5@20250929") == model_info("anthropic/claude-sonnet-4-5-20250929")
    # Other models whose names begin alike have other prices and windows.
    for other in (
        "openai/o3-pro",
        "openai/o3-mini",
        "openai/gpt-5.5",
        "google/gemini-2.5-flash-lite",
        "openai/gpt-5-pro",
    ):
        assert model_info(other) == ModelInfo(), other


def test_models_are_listed_with_what_is_known(tmp_path: Path) -> None:
    listed = {model.name: model for model in list_models()}
    assert "sim/*" not in listed
    assert (listed["openai/gpt-4.1"].reasoning, listed["openai/gpt-4.1"].released) == (False, "2025-04-14")
    assert listed["local/smollm2"].open_weights
    assert listed["local/smollm2"].cutoff is None
    assert [model.name for model in list_models("CLAUDE", reasoning=False)] == ["anthropic/claude-3-5-haiku"]
    assert all((model.window or 0) >= 1_000_000 for model in list_models(window="1M"))
    assert "openai/gpt-4.1" in {model.name for model in list_models(window="1M")}, "1,047,576 tokens are 1M"
    assert "openai/gpt-4.1" not in {model.name for model in list_models(window=1_048_576)}
    assert all((model.cutoff or "9") < "2024-01" for model in list_models(cutoff_before="2024-01"))
    assert [model.name for model in list_models(open_weights=True)] == ["local/smollm2"]
    own = tmp_path / "prices.toml"
    own.write_text('[models."mine/m"]\nwindow = 5\n[models."openai/o3"]\nwindow = 7\n')
    with_own = {model.name: model for model in list_models(prices=own)}
    assert (with_own["mine/m"].window, with_own["openai/o3"].window) == (5, 7)
    with pytest.raises(FathomError, match="'2024' is not a month"):
        list_models(cutoff_before="2024")


def test_the_table_of_the_engine_adds_models_without_prices() -> None:
    listed = {model.name: model for model in list_models(all=True)}
    assert len(listed) > 300
    newer = listed["openai/gpt-5.1"]
    assert (newer.source, newer.input_price, newer.open_weights, newer.window) == ("engine", None, None, 400_000)
    assert listed["openai/gpt-5-2025-08-07"].input_price == listed["openai/gpt-5"].input_price
    # Our table and the engine's were made apart from each other.
    for name, model in listed.items():
        engine = engine_info(name)
        if model.source == "table" and engine is not None:
            assert (model.window, model.max_output_tokens) == (engine.window, engine.max_output_tokens), name
            assert model.released == engine.released, name
            assert engine.reasoning in (None, model.reasoning), name


@pytest.mark.parametrize("written", ['"2026-02-03"', "2026-02-03"])
def test_prices_of_your_own_have_your_own_date(tmp_path: Path, written: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(
        f'as_of = {written}\n[models."mine/m"]\nwindow = 8_000\ninput_price = 2\noutput_price = 4\n'
        "batch_discount = 0.25\n"
    )
    assert prices_as_of("mine/m", own) == "2026-02-03"
    assert prices_as_of("openai/gpt-4.1", own) == prices_as_of()
    usage = Usage(input_tokens=1_000_000, cached_tokens=900_000, output_tokens=500_000)
    assert model_info("mine/m", own).batch_price(usage) == 3.0
    assert ModelInfo(input_price=1, output_price=1).batch_price(usage) is None

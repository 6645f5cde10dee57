"""The built-in table of models."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from fathom.models.model_info import model_info


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

"""What is known of models is data, and sound."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from fathom.models.known import known


def test_every_cut_off_is_a_month_before_the_table_was_made() -> None:
    table = tomllib.loads(files("fathom.models").joinpath("known.toml").read_text("utf-8"))
    told = {name: model["cutoff"] for name, model in table["models"].items() if "cutoff" in model}
    assert len(told) > 10
    for name, cutoff in told.items():
        assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", cutoff), name
        assert "2020" < cutoff < table["as_of"], name


def test_a_model_that_nobody_knows_has_no_cut_off() -> None:
    assert known("openai/gpt-4.1-mini-2025-04-14").cutoff == "2024-06"
    assert known("local/smollm2").cutoff is None
    assert known("sim/memorizer").cutoff is None
    assert known("nobody/none").cutoff is None

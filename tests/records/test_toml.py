"""TOML files that users write."""

from __future__ import annotations

import pytest

from fathom.records.errors import FathomError
from fathom.records.toml import parse_toml


def test_values_are_parsed() -> None:
    assert parse_toml('a = [1, "x"]', "The file") == {"a": [1, "x"]}


@pytest.mark.parametrize(
    "text", ["a = ", "a = 1\na = 2", "[a", "a = " + "[" * 50_000 + "]" * 50_000, "a = " + "{b = " * 9_000]
)
def test_mistakes_are_one_sentence(text: str) -> None:
    with pytest.raises(FathomError, match=r"^The file is not valid TOML: .+\. Correct the file\.$"):
        parse_toml(text, "The file")

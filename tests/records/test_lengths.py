"""Lengths: 64K is 65,536; invalid lengths are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.records.errors import FathomError
from fathom.records.lengths import format_length, parse_length


@pytest.mark.parametrize(
    ("written", "tokens"),
    [("64K", 65_536), ("64k", 65_536), (" 1M ", 1_048_576), ("1.5K", 1_536), ("3000", 3_000), ("10M", 10_485_760)],
)
def test_parses_lengths(written: str, tokens: int) -> None:
    assert parse_length(written) == tokens


@pytest.mark.parametrize("written", ["", "0", "0K", "12Q", "-4K", "K", "1e5", "64 K B", "nan", "inf", "9" * 40, "٣"])
def test_refuses_an_invalid_length(written: str) -> None:
    with pytest.raises(FathomError, match="such as 3000, 64K or 1M"):
        parse_length(written)


@given(st.integers(1, 2**40))
def test_printed_lengths_parse_back(tokens: int) -> None:
    assert parse_length(format_length(tokens)) == tokens

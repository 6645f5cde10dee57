"""The public names of `fathom`."""

from __future__ import annotations

import inspect

import fathom
from tests.transcripts import ROOT


def test_every_public_function_is_documented() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    functions = [name for name in fathom.__all__ if inspect.isfunction(getattr(fathom, name))]
    assert len(functions) > 30
    # A function that opens or changes one object may be documented as its method: `bench.audit()`.
    assert [one for one in functions if f".{one}(" not in page] == []

"""Conversion to pandas, which is optional."""

from __future__ import annotations

from typing import Any

from fathom.records.errors import FathomError


def require_pandas() -> Any:
    """The pandas module, or an error that says how to install it."""
    try:
        import pandas
    except ImportError as error:
        raise FathomError("pandas is not installed. Install it with `pip install pandas`.") from error
    return pandas

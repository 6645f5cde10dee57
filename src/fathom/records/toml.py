"""TOML files that users write."""

from __future__ import annotations

import tomllib
from typing import Any

from fathom.records.errors import FathomError


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The values in a TOML text; `name` says what it is, for the error: "The recipe 'bench.toml'"."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FathomError(f"{name} is not valid TOML: {error}. Correct the file.") from None
    except RecursionError:
        raise FathomError(f"{name} is not valid TOML: its lists are nested too deeply. Correct the file.") from None

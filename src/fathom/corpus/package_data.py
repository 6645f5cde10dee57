"""Word lists and other data of the package, read from TOML files beside the code."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_data(package: str, name: str) -> dict[str, Any]:
    """The content of NAME.toml in a package or a folder of one, such as "fathom.corpus.readers/words"."""
    package, _, folder = package.partition("/")
    return tomllib.loads(files(package).joinpath(folder, f"{name}.toml").read_text("utf-8"))

"""Texts that a run records: secrets are replaced, and errors shortened."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

from fathom.systems.protocol import CallError, System

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$", re.IGNORECASE)

MIN_SECRET_LENGTH = 8
"""The minimum length of a value that is replaced. Replacing shorter ones would damage ordinary words."""


def secrets() -> dict[str, str]:
    """The values of key-like environment variables, by name."""
    return {
        name: value
        for name, value in os.environ.items()
        if len(value) >= MIN_SECRET_LENGTH and _SECRET_NAME.search(name)
    }


def without_secrets(text: str, known: Mapping[str, str] | None = None) -> str:
    """The text with secrets replaced by their names; `known` are those of the environment, read before."""
    for name, value in (secrets() if known is None else known).items():
        text = text.replace(value, f"[{name}]")
    return text


MAX_ERROR_LENGTH = 500
"""Characters of an error that are recorded: a provider's message may contain what it was sent."""


def error_text(error: Exception) -> str:
    """An error's message without secrets, shortened."""
    text = without_secrets(str(error) or type(error).__name__)
    return text if len(text) <= MAX_ERROR_LENGTH else f"{text[:MAX_ERROR_LENGTH]} ... ({len(text):,} characters)"


def explain(error: Exception, system: System) -> str:
    """The message of an error; where the code of a system fails, with its type and the line."""
    text = error_text(error)
    if isinstance(error, CallError):
        return text
    file = getattr(sys.modules.get(type(system).__module__), "__file__", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f" ({Path(str(file)).name}, line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}{place}: {text}"

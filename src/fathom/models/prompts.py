"""What is sent to a model and what comes back. Contexts travel by name and become text only at the provider's door."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from fathom.records.contexts import ContextId
from fathom.records.questions import Usage

_MARK = re.compile(
    r"⟦fathom (?P<family>[a-z_]+) (?P<form>[a-z]+(?:@[\w-]+)?) (?P<context>[\w-]+) (?P<start>\d+):(?P<end>\d*)⟧"
)


@dataclass(frozen=True)
class Reference:
    """A stretch of what can be shown of a context, by name: a few characters that stand for a million."""

    family: str
    """Whose views show it."""
    context: ContextId
    form: str
    """What is shown of it: its documents, its tables."""
    start: int = 0
    end: int | None = None
    """Characters of the shown text; None for all up to its end."""

    def __str__(self) -> str:
        end = "" if self.end is None else self.end
        return f"⟦fathom {self.family} {self.form} {self.context} {self.start}:{end}⟧"


def reference_in(text: str) -> Reference | None:
    """The reference that the text is, if it is one and nothing else."""
    found = _MARK.fullmatch(text)
    if found is None:
        return None
    end = int(found["end"]) if found["end"] else None
    return Reference(found["family"], found["context"], found["form"], int(found["start"]), end)


@dataclass(frozen=True)
class Prompt:
    """One request: what all questions over a context have in common, then what is this one's own."""

    instruction: str
    shown: Reference | None
    question: str

    @property
    def prefix(self) -> str:
        """What a provider's cache can serve to the next question; equal for equal prefixes."""
        return f"{self.instruction}\n{self.shown or ''}"


Stop = Literal["stop", "length", "refused", "overflow"]


@dataclass(frozen=True)
class Completion:
    """What a model gave back for one prompt."""

    text: str
    stop: Stop = "stop"
    thinking: str = ""
    usage: Usage = field(default_factory=Usage)


Expand = Callable[[Reference], str]
"""The text that a reference stands for."""

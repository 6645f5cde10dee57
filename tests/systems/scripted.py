"""A session whose model is a function: everything else about it is real."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from fathom.models.prompts import Completion, Prompt
from fathom.records.questions import Step, Usage
from fathom.records.record import digest
from fathom.runs.folder import make_artifact
from fathom.systems.protocol import ArtifactScope, CallEstimate, ContextView


@dataclass
class Scripted:
    """Answers each prompt with what a function says, and records what is asked, noted and made."""

    view: ContextView
    says: Callable[[Prompt], Completion | str] = lambda prompt: "Answer: 4"
    folder: Path | None = None
    """For the artifacts of systems that search."""
    asked: list[Prompt] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    made: list[ArtifactScope] = field(default_factory=list)
    """The scope of each artifact that was not there yet."""

    async def ask(self, prompt: Prompt, purpose: str = "") -> Completion:
        self.asked.append(prompt)
        said = self.says(prompt)
        usage = Usage(input_tokens=10, cached_tokens=4, output_tokens=2, price=0.5)
        return said if isinstance(said, Completion) else Completion(said, usage=usage)

    def highest_usage(self, estimate: CallEstimate) -> Usage:
        return Usage(input_tokens=estimate.input_tokens)

    def record(self, step: Step) -> None:
        self.steps.append(step)

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        if name not in self.notes:
            self.notes[name] = await work()
        return self.notes[name]

    def artifact(self, name: str, make: Callable[[Path], None], scope: ArtifactScope = "context") -> Path:
        def noted(path: Path) -> None:
            self.made.append(scope)
            make(path)

        assert self.folder is not None
        return make_artifact(self.folder, digest(scope, name).hex()[:32], noted)

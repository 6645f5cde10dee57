"""The trace of one question: its model calls, tool calls and retrievals, and what they used."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from fathom.models.prompts import Completion, Prompt
from fathom.records.questions import Response, Step, Usage
from fathom.runs.redaction import secrets, without_secrets
from fathom.systems.protocol import total

MAX_STEP_LENGTH = 2_000
"""Characters of a step's input or output that are recorded."""
MAX_STEPS = 500
"""Steps that are recorded: the first and the last half, if there are more."""


@dataclass
class Trace:
    """The steps of one question so far."""

    steps: list[Step] = field(default_factory=list)
    spent: list[Usage] = field(default_factory=list)
    """The usage of the model calls."""
    secrets: dict[str, str] = field(default_factory=secrets)
    """Read once: reading the environment at every step took a quarter of the time of simulated calls."""

    def add_call(self, prompt: Prompt, purpose: str, completion: Completion) -> None:
        """Add a model call."""
        self.spent.append(completion.usage)
        calls = "\n".join(f"{call.name}({json.dumps(call.arguments, default=str)})" for call in completion.tool_calls)
        output = "\n".join(filter(None, (completion.text, calls)))
        error = None if completion.stop in ("stop", "length") else completion.stop
        self.record(
            Step(
                kind="model",
                name=purpose,
                input=prompt.last_part,
                output=output,
                error=error,
                usage=completion.usage,
            )
        )

    def record(self, step: Step) -> None:
        """Add a step; long texts are shortened, and secrets left out."""
        texts = {"input": self._shorten(step.input), "output": self._shorten(step.output)}
        self.steps.append(step.model_copy(update=texts | {"error": step.error and self._shorten(step.error)}))

    def complete(self, response: Response) -> Response:
        """The response with its trace and the usage of its calls; a single call needs no trace."""
        steps = self.steps
        if len(steps) > MAX_STEPS:
            half = MAX_STEPS // 2
            omitted = Step(kind="tool", name="omitted", output=f"{len(steps) - MAX_STEPS + 1:,} further steps")
            # The last steps lead to the answer, so they are recorded as well.
            steps = [*steps[: half - 1], omitted, *steps[-half:]]
        update: dict[str, object] = {"trace": tuple(steps)} if len(steps) > 1 else {}
        if self.spent:
            update["usage"] = total(self.spent)
        return response.model_copy(update=update)

    def _shorten(self, text: str) -> str:
        text = without_secrets(text, self.secrets)
        return text if len(text) <= MAX_STEP_LENGTH else f"{text[:MAX_STEP_LENGTH]} ... ({len(text):,} characters)"

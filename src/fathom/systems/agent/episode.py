"""One question answered by an agent: steps of model calls and tool calls, until an answer or a limit.

A call is made only if it and one final call are within the limits even at their highest usage. So a limit is never
exceeded, and the model can always give an answer from what it has found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fathom.models.prompts import Completion, Message, Prompt, TextReference, ToolCall
from fathom.records.errors import FathomError
from fathom.records.questions import Ending, Question, Response, Usage
from fathom.systems.agent.document_tools import ToolResult
from fathom.systems.agent.text_protocol import parse_calls
from fathom.systems.agent.toolbox import ERROR_TOKENS, TOOLS, Toolbox
from fathom.systems.protocol import MESSAGE_TOKENS, TOOL_TOKENS, CallEstimate, Session, call_tokens, response_to

if TYPE_CHECKING:
    from fathom.systems.agent.agent import Agent

LAST_STEP = "You can make no further call. Give your answer now, from what you have found, in the form asked for above."
REMOVED = "(This earlier result was removed to save room. Call the tool again if you need it.)"
NOT_RUN: dict[Ending, str] = {
    "out of steps": "not run: this was the last step",
    "out of tokens": "not run: the limit on tokens is reached",
    "out of price": "not run: the limit on the price is reached",
}


@dataclass(frozen=True)
class _Turn:
    """A message of the model that calls tools, and the results."""

    message: Message
    results: tuple[Message, ...]
    message_tokens: int
    results_tokens: int

    @property
    def tokens(self) -> int:
        return self.message_tokens + self.results_tokens


class Episode:
    """The work on one question."""

    def __init__(self, agent: Agent, session: Session, toolbox: Toolbox, as_text: bool) -> None:
        self._agent = agent
        self._session = session
        self._toolbox = toolbox
        self._as_text = as_text
        self._steps = 0
        self._spent = Usage(price=0.0)
        self._excess = 1.0
        """The largest ratio so far of the provider's token count to the highest estimate of a call."""
        self._first_tokens = 0
        self._turns: list[_Turn] = []

    async def run(self, question: Question, prompt: Prompt) -> Response:
        """The response to the question."""
        self._first_tokens = self._session.view.estimate(prompt).input_tokens
        while True:
            ending = self._limit()
            if ending is not None:
                return await self._last(question, prompt, ending)
            completion = await self._ask(self._with_turns(prompt), "step", self._tokens)
            calls = self._calls(completion)
            if not calls or completion.stop in ("refused", "overflow"):
                return self._answered(question, completion)
            ending = self._make_room(completion, calls)
            if ending is not None:
                self._refuse(calls, ending)
                return await self._last(question, prompt, ending)
            self._turns.append(self._run_tools(completion, calls))

    async def _last(self, question: Question, prompt: Prompt, ending: Ending) -> Response:
        """The answer from what was found, without further calls; empty if not even one call is within the limits."""
        tokens = self._tokens + self._note_tokens
        if self._steps == self._agent.steps or self._exceeded(tokens) is not None:
            return Response(question_id=question.id, outcome="answered", ending=ending, usage=Usage(price=0.0))
        completion = await self._ask(_closed(self._with_turns(prompt)), "answer", tokens)
        self._refuse(self._calls(completion), ending)
        return self._answered(question, completion).model_copy(update={"ending": ending})

    async def _ask(self, prompt: Prompt, purpose: str, tokens: int) -> Completion:
        highest = self._highest(tokens)
        completion = await self._session.ask(prompt, purpose)
        self._steps += 1
        self._spent = self._spent.plus(completion.usage)
        if highest.input_tokens:
            self._excess *= max(1.0, completion.usage.input_tokens / highest.input_tokens)
        return completion

    def _calls(self, completion: Completion) -> tuple[ToolCall, ...]:
        return parse_calls(completion.text, TOOLS) if self._as_text else completion.tool_calls

    def _answered(self, question: Question, completion: Completion) -> Response:
        response = response_to(question, completion)
        if completion.stop == "overflow" and self._steps > 1:
            # "Overflow" means that nothing was sent. Here the conversation became too long for the provider.
            return response.model_copy(update={"outcome": "truncated", "ending": "out of tokens"})
        gave_up = completion.stop == "stop" and not completion.text.strip()
        return response.model_copy(update={"ending": "gave up"}) if gave_up else response

    # Limits.

    @property
    def _tokens(self) -> int:
        """The tokens of the conversation."""
        return self._first_tokens + sum(turn.tokens for turn in self._turns)

    @property
    def _note_tokens(self) -> int:
        return self._session.view.count(LAST_STEP) + MESSAGE_TOKENS

    def _limit(self) -> Ending | None:
        """The limit that another call and a final call after it could exceed."""
        if self._steps + 2 > self._agent.steps:
            return "out of steps"
        return self._exceeded(self._tokens, self._tokens + self._note_tokens)

    def _exceeded(self, *calls: int) -> Ending | None:
        """The limit that calls with these numbers of input tokens could exceed."""
        after = self._spent.plus(self._highest(*calls))
        if after.input_tokens + after.output_tokens > self._agent.tokens:
            return "out of tokens"
        if self._agent.price is None:
            return None
        if after.price is None:
            raise FathomError(
                "The agent's limit on the price needs a model with known prices. Give them with --prices, or leave "
                "out -S price."
            )
        return "out of price" if after.price > self._agent.price else None

    def _highest(self, *calls: int) -> Usage:
        tokens = [math.ceil(call * self._excess) for call in calls]
        return self._session.highest_usage(CallEstimate(len(tokens), sum(tokens), max(tokens)))

    def _make_room(self, completion: Completion, calls: Sequence[ToolCall]) -> Ending | None:
        """Remove old results until the next turn and a final call fit; returns the limit that they exceed, if any."""
        each = MESSAGE_TOKENS + TOOL_TOKENS + ERROR_TOKENS
        turn = self._message_tokens(completion) + self._agent.result + each * len(calls)
        room = self._agent.history - turn
        if self._tokens > room:
            # Remove half of it at once: after a change of earlier messages, the provider's cache no longer serves them.
            self._remove_results(room // 2)
        if self._tokens > room:
            return "out of tokens"
        return self._exceeded(self._tokens + turn + self._note_tokens)

    def _message_tokens(self, completion: Completion) -> int:
        written = self._session.view.count(completion.text) + sum(map(call_tokens, completion.tool_calls))
        # Some providers require the reasoning to be sent back.
        return max(written, completion.usage.output_tokens) + MESSAGE_TOKENS

    def _remove_results(self, wanted: int) -> None:
        """Remove the oldest results until the conversation has this many tokens."""
        for number, turn in enumerate(self._turns):
            if self._tokens <= wanted:
                return
            removed = tuple(replace(message, parts=(REMOVED,)) for message in turn.results)
            size = len(removed) * (self._session.view.count(REMOVED) + MESSAGE_TOKENS)
            if size < turn.results_tokens:
                self._turns[number] = replace(turn, results=removed, results_tokens=size)

    # Tools.

    def _run_tools(self, completion: Completion, calls: Sequence[ToolCall]) -> _Turn:
        """Run the calls of one step. Excess calls, and calls without an id of their own, get an error message."""
        room = self._agent.result // min(len(calls), self._agent.calls)
        results: list[ToolResult] = []
        ids: set[str] = set()
        for number, call in enumerate(calls):
            if number >= self._agent.calls:
                result = self._toolbox.refuse(call, f"a step has at most {self._agent.calls} calls")
            elif not call.id or call.id in ids:
                result = self._toolbox.refuse(call, "the id of the call is missing, or that of another call")
            else:
                result = self._toolbox.run(call, room)
            ids.add(call.id)
            results.append(result)
        shown = _as_text(calls, results) if self._as_text else _as_messages(calls, results)
        tokens = self._session.view.estimate(Prompt((Message.user(), *shown))).input_tokens
        return _Turn(completion.message, shown, self._message_tokens(completion), tokens)

    def _refuse(self, calls: Sequence[ToolCall], ending: Ending) -> None:
        for call in calls:
            self._toolbox.refuse(call, NOT_RUN[ending])

    def _with_turns(self, prompt: Prompt) -> Prompt:
        return prompt.extend(*(message for turn in self._turns for message in (turn.message, *turn.results)))


def _as_messages(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> tuple[Message, ...]:
    return tuple(Message("tool", result.parts, answers=call) for call, result in zip(calls, results, strict=True))


def _as_text(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> tuple[Message, ...]:
    """One message with all results in order."""

    def parts() -> Iterator[str | TextReference]:
        for call, result in zip(calls, results, strict=True):
            yield f"Result of {call.name[:40] or 'the call'}:\n"
            yield from result.parts
            yield "\n"

    return (Message.user(*parts()),)


def _closed(prompt: Prompt) -> Prompt:
    """The prompt with a note that asks for the answer. Two user messages in a row confuse some models."""
    last = prompt.messages[-1]
    if last.role == "user":
        messages = (*prompt.messages[:-1], replace(last, parts=(*last.parts, f"\n\n{LAST_STEP}")))
    else:
        messages = (*prompt.messages, Message.user(LAST_STEP))
    return replace(prompt, messages=messages, may_call=False)

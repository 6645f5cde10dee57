"""Systems of a user's own, loaded by tests as `tests/runs/own_systems.py:Name`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fathom.models.prompts import Message, Prompt, ToolCall, ToolDefinition
from fathom.records.documents import PositiveInt
from fathom.records.questions import Question, Response, Step
from fathom.systems.protocol import CallEstimate, ContextView, Session, response_to

SEARCH = ToolDefinition("search", "Finds a word in the documents.", {"word": {"type": "string"}})


@dataclass(frozen=True)
class Agent:
    """Lets the model search the documents before it answers."""

    turns: PositiveInt = 4
    result: PositiveInt = 200
    """Characters of a tool result."""
    name: ClassVar[str] = "searcher"

    async def answer(self, question: Question, session: Session) -> Response:
        prompt = self._prompt(question)
        for _ in range(self.turns):
            completion = await session.ask(prompt, "turn")
            if not completion.tool_calls:
                break
            prompt = prompt.extend(completion.message)
            for call in completion.tool_calls:
                prompt = prompt.extend(Message.tool(call, self._search(call, session)))
        return response_to(question, completion)

    def _search(self, call: ToolCall, session: Session) -> str:
        text = session.view.text("documents")
        found = max(0, text.find(str(call.arguments["word"])))
        result = text[found : found + self.result]
        session.record(Step(kind="tool", name=call.name, input=json.dumps(dict(call.arguments)), output=result))
        return result

    def _prompt(self, question: Question) -> Prompt:
        return Prompt.of("Search, then answer after 'Answer:'.", None, question.text, (SEARCH,))

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        first = view.estimate(self._prompt(question)).input_tokens
        largest = first + self.turns * self.result // 3
        return CallEstimate(self.turns, self.turns * largest, largest)


@dataclass(frozen=True)
class Indexed:
    """Makes an index once per context, and answers from it without reading the context again."""

    name: ClassVar[str] = "indexed"

    async def answer(self, question: Question, session: Session) -> Response:
        def make(path: Path) -> None:
            path.mkdir()
            (path / "words.txt").write_text(str(len(session.view.text("documents").split())))

        index = session.artifact("words", make)
        both = session.artifact("shared", Path.touch, scope="bench")
        words = (index / "words.txt").read_text()
        return response_to(question, await session.ask(Prompt.of(f"{words} ", None, f"{both.name} {question.text}")))

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        return view.estimate(Prompt.of("1234567", None, question.text))


@dataclass(frozen=True)
class Faulty:
    """Makes one of the mistakes that a first system of one's own has."""

    fault: str = ""
    name: ClassVar[str] = "faulty"
    needs_model: ClassVar[bool] = False

    def answer(self, question: Question, session: Session) -> object:
        return (
            Response(question_id=question.id, outcome="answered")
            if self.fault == "not async"
            else self._answer(question)
        )

    async def _answer(self, question: Question) -> object:
        if self.fault == "raises":
            raise KeyError("revenue")
        return "Answer: 3" if self.fault == "text" else Response(question_id="another", outcome="answered")

    def estimate(self, question: Question, view: ContextView) -> object:
        if self.fault == "estimate raises":
            raise KeyError("revenue")
        return 5 if self.fault == "number" else CallEstimate(calls=0, input_tokens=0, largest_call=0)

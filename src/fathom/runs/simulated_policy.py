"""The tools that simulated models call as agents. As with a real model, the choice depends on the prompt alone.

They search all documents for the question. If there are few documents, they then read them. Otherwise they examine
every document by one of three methods: a search for the question, a search for its keywords, or reading from the
beginning. The method that has led to more notes so far comes first. After all documents were examined, those with fewer
notes than others are examined again, then the rest.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from fathom.models.prompts import Message, Prompt, ToolCall
from fathom.records.questions import Question
from fathom.systems.agent.agent import DOCUMENT_RANGE
from fathom.systems.agent.document_tools import READ_TO
from fathom.systems.agent.text_protocol import is_described, parse_calls, written
from fathom.systems.agent.toolbox import TOOLS
from fathom.systems.quotations import noted_places

STEPS_TO_SEARCH = 20
"""Steps in which the documents are looked into one by one: the more documents, the more of them in one step."""
MAX_CALLS = 8
FEW_DOCUMENTS = 5
"""So few documents are read from beginning to end."""
LENGTH = 100_000
"""Characters to read at once; the tool shows as many as it may."""

_NOT_SEARCHED = """
a all also among an and answer any are as at be been both by compute consider did do does each either every find for
from give given had has have how if in into is it its list many may more most much name no not of on once one only
or order other over own same such take than that the their them then there these they this those to was were what
when where which whose why with
"""
"""English words that are useless in a search."""

_Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


def is_agent(prompt: Prompt) -> bool:
    """Whether the prompt offers the agent's tools, or explains how to call them in writing."""
    offered = {tool.name for tool in prompt.tools}
    return offered == TOOLS.keys() or (not offered and is_described(_text(prompt.messages[0])))


def new_results(prompt: Prompt) -> Prompt:
    """The part of the prompt that the model has not responded to: the results of its last calls."""
    turns = [number for number, message in enumerate(prompt.messages) if message.role == "assistant"]
    return Prompt(prompt.messages[turns[-1] + 1 :] if turns else ())


def act(prompt: Prompt, question: Question, notes: str) -> tuple[ToolCall, ...]:
    """The tools that a simulated model calls next, after these notes on the new results; none if it answers now."""
    if not prompt.may_call:
        return ()
    turns = [message for message in prompt.messages if message.role == "assistant"]
    done = [_calls_in(message) for message in turns]
    if not done:
        return _calls([("search", {"query": question.text, "document": ""})])
    labels = list(_labels(_text(prompt.messages[0])))
    if len(labels) <= FEW_DOCUMENTS and done[-1]:
        return _calls(_in_order(labels, done[-1][-1], _read_on(prompt)))
    texts = [*map(_text, turns), notes]
    methods = _SearchMethods(question.text, _read_on(prompt))
    for calls, following in zip(done, texts[1:], strict=True):
        methods.count(calls, set(noted_places(following)))
    return _calls(methods.next_calls(labels, min(MAX_CALLS, math.ceil(len(labels) / STEPS_TO_SEARCH))))


class _SearchMethods:
    """The methods to look into a document, and how many notes each of them has led to."""

    def __init__(self, question: str, read_on: Mapping[str, int | None]) -> None:
        self._queries = list(dict.fromkeys((question, _keywords(question))))
        self._read_on = read_on
        self._done: set[str] = set()
        """The calls that were made."""
        self._looks = Counter[str]()
        """How often each document was looked into."""
        self._noted: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
        # Both counts begin at one: no method is given up because of a single document that had nothing to note.
        self._calls: defaultdict[str, int] = defaultdict(lambda: 1)
        self._notes: defaultdict[str, int] = defaultdict(lambda: 1)

    def count(self, calls: Sequence[ToolCall], notes: Collection[tuple[str, int, int]]) -> None:
        """Count the calls of one step and the notes on their results."""
        for document, start, end in notes:
            self._noted[document].add((start, end))
        for call in calls:
            label = str(call.arguments.get("document"))
            method = _method(call.name, call.arguments)
            self._done.add(_written(call.name, call.arguments))
            self._looks[label] += 1
            self._calls[method] += 1
            self._notes[method] += sum(document == label for document, _, _ in notes)

    def next_calls(self, labels: Sequence[str], count: int) -> list[_Call]:
        """Up to so many calls, for different documents."""
        most = max(map(len, self._noted.values()), default=0)

        def rank(label: str) -> tuple[bool, int, bool]:
            found = len(self._noted[label])
            return found >= most > 0, self._looks[label], found == 0

        calls: list[_Call] = []
        for label in sorted(labels, key=rank):
            left = [call for call in self._possible(label) if _written(*call) not in self._done]
            if left and len(calls) < count:
                best = max(left, key=lambda call: self._notes[_method(*call)] / self._calls[_method(*call)])
                self._calls[_method(*best)] += 1
                calls.append(best)
        return calls

    def _possible(self, label: str) -> Iterator[_Call]:
        for query in self._queries:
            yield "search", {"query": query, "document": label}
        start = self._read_on.get(label, 0)
        if start is not None:
            yield "read", {"document": label, "start": start, "length": LENGTH}


def _method(name: str, arguments: Mapping[str, Any]) -> str:
    """The method of a call, regardless of its document."""
    if name == "search":
        return f"search {arguments.get('query')}"
    return "read on" if arguments.get("start") else "read"


def _written(name: str, arguments: Mapping[str, Any]) -> str:
    return f"{name} {sorted(arguments.items())}"


def _read_on(prompt: Prompt) -> dict[str, int | None]:
    """The position at which to continue reading each document; None for those read to the end.

    Where a result was removed, it is taken to have ended where the shortest one did that is left.
    """
    shown = {match[1]: int(match[2]) if match[2] else None for match in READ_TO.finditer(_text(*prompt.messages))}
    least = min((start for start in shown.values() if start), default=None)
    calls = (call for message in prompt.messages for call in _calls_in(message) if call.name == "read")
    return {str(call.arguments.get("document")): least for call in calls} | shown


def _in_order(labels: Sequence[str], last: ToolCall, read_on: Mapping[str, int | None]) -> list[_Call]:
    """The next part of the document that was read last, or the beginning of the next document."""
    start = read_on.get(str(last.arguments.get("document")))
    if last.name == "read" and start:
        return [("read", {**last.arguments, "start": start})]
    unread = [label for label in labels if label not in read_on]
    return [("read", {"document": label, "start": 0, "length": LENGTH}) for label in unread[:1]]


def _keywords(question: str) -> str:
    common = _NOT_SEARCHED.split()
    words = dict.fromkeys(re.findall(r"\w[\w'-]*", question))
    return " ".join(word for word in words if word.lower() not in common) or question


def as_text(calls: Sequence[ToolCall]) -> str:
    """The calls as a model writes them that has no tools."""
    return "\n".join(map(written, calls))


def _calls(calls: Sequence[_Call]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"call-{number}", *call) for number, call in enumerate(calls, start=1))


def _calls_in(message: Message) -> tuple[ToolCall, ...]:
    if message.role != "assistant":
        return ()
    return message.tool_calls or parse_calls(_text(message), TOOLS)


def _labels(instruction: str) -> Iterator[str]:
    """The labels of the documents, which the instruction gives as a range."""
    match = DOCUMENT_RANGE.search(instruction)
    if match is None:
        return
    first, (name, _, count) = match[1], match[2].rpartition(" ")
    if not first.startswith(f"{name} "):
        yield first
    yield from (f"{name} {number}" for number in range(1, int(count) + 1))


def _text(*messages: Message) -> str:
    return "\n".join(part for message in messages for part in message.parts if isinstance(part, str))

"""Tool calls as text, for models that cannot call tools: `<call>{"tool": ..., "arguments": {...}}</call>`.

A response with such a block is a call, and a response without one is the answer. Other forms that models write are
accepted as well: `<tool_call>`, a fenced block, or a response that consists of the JSON of a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from pydantic import JsonValue

from fathom.models.json_output import json_values, read_json
from fathom.models.prompts import ToolCall, ToolDefinition

_EXAMPLE = '<call>{"tool": "search", "arguments": {"query": "some words", "document": ""}}</call>'
_FORM = 'Write <call>{"tool": NAME, "arguments": {...}}</call> with valid JSON'
_THOUGHTS_END = re.compile(r"</think(?:ing)?>")
_TAG = re.compile(r"<(/?)(?:call|tool_call|function_call)>")
_NAMES = ("tool", "name", "function", "action")
_ARGUMENTS = ("arguments", "args", "parameters", "input", "action_input")
MAX_BLOCKS = 500
"""Blocks of one response that are parsed; far fewer are run."""


def described(tools: Sequence[ToolDefinition]) -> str:
    """The tools, and how to call them."""
    lines = [
        "To call a tool, write a block like this one, and end your reply after it:",
        "",
        _EXAMPLE,
        "",
        "The result is in the next message. One reply may have several blocks. A reply without a block is your answer.",
        "The tools:",
    ]
    for tool in tools:
        lines.append(f"- {tool.name}: {tool.description}")
        lines += [f"    {name}: {_about(schema)}" for name, schema in tool.parameters.items()]
    return "\n".join(lines)


def is_described(text: str) -> bool:
    """Whether a text explains the protocol."""
    return _EXAMPLE in text


def _about(schema: object) -> str:
    assert isinstance(schema, dict)
    return f"({schema['type']}) {schema['description']}"


def written(call: ToolCall) -> str:
    """A call as the protocol wants it."""
    return f"<call>{json.dumps({'tool': call.name, 'arguments': dict(call.arguments)})}</call>"


def parse_calls(response: str, known: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls in a response; one that cannot be parsed has the reason in its `error`."""
    text = _THOUGHTS_END.split(response)[-1]
    blocks = list(islice(_tagged(text), MAX_BLOCKS))
    if blocks:
        calls = [call for block in blocks for call in _calls(block)]
    else:
        candidates = [_unfenced(block) for block in text.split("```")[1 : 2 * MAX_BLOCKS : 2]] or [text.strip()]
        calls = [_call(value) for block in candidates for value in _untagged(block, known)]
    return tuple(ToolCall(f"{number}", *call) for number, call in enumerate(calls, start=1))


_Call = tuple[str, dict[str, Any], str | None]
"""The tool, its arguments, and why they cannot be read."""


def _tagged(text: str) -> Iterator[str]:
    """The texts after each opening tag, up to the next tag or the end: some models omit the closing one."""
    tags = list(_TAG.finditer(text))
    for number, tag in enumerate(tags):
        if not tag[1]:
            end = tags[number + 1].start() if number + 1 < len(tags) else len(text)
            yield _unfenced(text[tag.end() : end].strip().strip("`"))


def _unfenced(block: str) -> str:
    """A block without the label of its fence."""
    return re.sub(r"\A\s*+[a-z_]*+\s*+(?=[\[{])", "", block).strip()


def _calls(block: str) -> Iterator[_Call]:
    outputs = list(json_values(block))
    if not outputs:
        yield "", {}, f"the call is not JSON. {_FORM}"
    for output in outputs:
        if output.cut_off:
            yield "", {}, f"the call is cut off. {_FORM}"
        else:
            yield from map(_call, _elements(output.value) or [output.value])


def _elements(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _untagged(block: str, known: Collection[str]) -> Iterator[Any]:
    """The JSON values outside of tags that are calls. An answer may also be or contain JSON, which is not a call."""
    if not block.startswith(("{", "[")):
        return
    for tool_element in (
        element for output in json_values(block) if not output.cut_off for element in _elements(output.value)
    ):
        inner = tool_element.get("function", tool_element) if isinstance(tool_element, dict) else None
        if not isinstance(inner, dict):
            inner = tool_element
        if isinstance(inner, dict):
            named = any(inner.get(key) in known for key in _NAMES if isinstance(inner.get(key), str))
            if named or ("tool" in inner and any(key in inner for key in _ARGUMENTS)):
                yield tool_element


def _call(value: Any) -> _Call:
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict):
        return "", {}, f"the call is not an object. {_FORM}"
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    if not name:
        return "", {}, f"the call names no tool. {_FORM}"
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if given is None:
        given = {key: part for key, part in value.items() if key not in _NAMES}
    if isinstance(given, str):
        inner = read_json(given, lambda value: isinstance(value, dict))
        given = None if inner is None or inner.cut_off else inner.value
    return (name, given, None) if isinstance(given, dict) else (name, {}, f"the arguments are not an object. {_FORM}")

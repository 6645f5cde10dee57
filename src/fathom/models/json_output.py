"""JSON in the output of a model, including JSON that is slightly broken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

T = TypeVar("T")

MAX_OUTPUT_LENGTH = 2_000_000
"""Maximum characters of a text that is parsed; a longer text counts as text without JSON."""
MAX_STARTS = 3_000
"""Maximum number of brackets in a text that do not begin a value."""
MAX_DEPTH = 60
"""Maximum nesting depth."""

_THOUGHTS_END = re.compile(r"</think(?:ing)?>")
_FENCE = re.compile(r"(?:`{3,}|~{3,})[ \t]*\w*")
_OPENING = re.compile(r"[\[{]")
_SPACE = re.compile(r"[\s\ufeff]*")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.{0,2000}?\*/|\.\.\.|…", re.DOTALL)
_PLAIN = re.compile(r"""[^"'”’\\\x00-\x1f]+""")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_]\w*")
_BARE_NAME = re.compile(r"([A-Za-z_][\w-]{0,60})\s{0,9}:")
_NAME_AHEAD = re.compile(r"""["'“][^"'“”\n]{1,80}["'”]\s{0,9}:|[A-Za-z_][\w-]{0,60}\s{0,9}:""")
_VALUE_AHEAD = re.compile(r"""["'“{\[\d-]|(?:true|false|null|True|False|None)\b""")
_ELEMENT_AHEAD = re.compile(r"\s{0,100},\s{0,100}[{\[]")
_BRACKETS_AHEAD = re.compile(r"[\s\]}]{0,300}")
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_CONSTANTS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_OTHER_CONSTANTS: dict[str, JsonValue] = {
    "True": True, "False": False, "None": None, "NaN": None, "Infinity": None, "undefined": None,
}  # fmt: skip


class JsonOutput(NamedTuple):
    """A JSON value in a text."""

    value: JsonValue
    repairs: tuple[str, ...] = ()
    """What had to be repaired, each kind once: "trailing comma", "cut off". Empty if the text is nothing but JSON."""

    @property
    def cut_off(self) -> bool:
        """Whether the text ends before the value does. Unfinished parts are not in the value."""
        return CUT_OFF in self.repairs


CUT_OFF = "cut off"


def _not_empty(value: JsonValue) -> bool:
    return isinstance(value, dict | list) and bool(value)


def read_json(text: str, wanted: Callable[[JsonValue], bool] = _not_empty) -> JsonOutput | None:
    """The last object or list in a text that `wanted` accepts, a cut-off one only if there is no other; else None.

    Ignores fences and prose around it. Repairs extra and missing commas and brackets, truncation, single and
    typographic quotation marks, unescaped quotation marks and line breaks, invalid escapes, unquoted names, comments,
    and Python's constants.
    """
    outputs = [output for output in json_values(text) if wanted(output.value)]
    return next((output for output in reversed(outputs) if not output.cut_off), outputs[-1] if outputs else None)


def json_values(text: str) -> Iterator[JsonOutput]:
    """The objects and lists in a text after its thinking, in order, repaired as by `read_json`."""
    text = _THOUGHTS_END.split(text)[-1].strip()
    if len(text) > MAX_OUTPUT_LENGTH:
        return
    budget = _Budget(5 * len(text) + 10_000)
    position = 0
    unreadable = 0
    while unreadable < MAX_STARTS and (opening := _OPENING.search(text, position)) and budget.left > 0:
        start = opening.start()
        reader = _Reader(text, start, budget)
        try:
            value, end = _strict(text, start, budget) or (reader.value(), reader.position)
        except _Unreadable:
            position = start + 1
            unreadable += 1
            continue
        around = _around(text[:start], text[end:])
        yield JsonOutput(_cleaned(value), tuple(dict.fromkeys([*around, *reader.repairs])))
        position = end


def _around(before: str, after: str) -> list[str]:
    outside = [text.strip() for text in (before, after)]
    if not any(outside):
        return []
    return ["code fence"] if all(not text or _FENCE.fullmatch(text) for text in outside) else ["text around it"]


def _strict(text: str, start: int, budget: _Budget) -> tuple[JsonValue, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        budget.spend(error.pos - start)
    except (ValueError, RecursionError):
        budget.spend(len(text) - start)
    return None


def _refuse(constant: str) -> JsonValue:
    raise ValueError(f"{constant} is not JSON")


def _whole_number(digits: str) -> int | str:
    # Python refuses to convert thousands of digits.
    return int(digits) if len(digits) < 1_000 else digits


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=_whole_number)


def _cleaned(value: JsonValue, depth: int = 0) -> JsonValue:
    """The value without control characters, lone surrogates and excessive nesting."""
    if isinstance(value, str):
        return _clean(value)
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, list):
        return [_cleaned(element, depth + 1) for element in value]
    if isinstance(value, dict):
        return {_clean(name): _cleaned(element, depth + 1) for name, element in value.items()}
    return value


def _clean(text: str) -> str:
    if text.isascii() and "\b" not in text and "\f" not in text:
        return text
    # "\\beta" and "\\frac" with a single backslash are valid JSON, but do not mean a backspace or a form feed.
    text = text.replace("\b", "\\b").replace("\f", "\\f")
    # A lone surrogate cannot be written to a file.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Unreadable(Exception):  # noqa: N818
    """There is no JSON, not even broken JSON."""


class _CutOff(Exception):  # noqa: N818
    """The text ends in the middle of a value that is not a container."""


class _Budget:
    """The number of characters that may still be examined. It bounds the time for malformed texts."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, characters: int) -> None:
        self.left -= characters + 1
        if self.left < 0:
            raise _Unreadable


class _Reader:
    """Reads one value, repairing what it can."""

    def __init__(self, text: str, position: int, budget: _Budget) -> None:
        self.text = text
        self.position = position
        self.repairs: list[str] = []
        self._end = len(text)
        """The end of the text, or the start of a closing fence."""
        self._budget = budget
        self._open: list[str] = []
        """The brackets that are open."""

    def value(self) -> JsonValue:
        """The value at the position. Raises _CutOff if the text ends in it."""
        character = self._next()
        if character == "{":
            return self._object()
        if character == "[":
            return self._list()
        if character in _CLOSING:
            return self._string(named=False)
        if number := _NUMBER.match(self.text, self.position):
            self._to(number.end())
            if self._ended:
                raise _CutOff  # further digits may be missing
            return _number(number[0])
        word = _WORD.match(self.text, self.position)
        if word is None:
            raise _CutOff if self._ended else _Unreadable
        self._to(word.end())
        if word[0] in _CONSTANTS:
            return _CONSTANTS[word[0]]
        if word[0] in _OTHER_CONSTANTS:
            return self._repaired("constant", _OTHER_CONSTANTS[word[0]])
        raise _CutOff if self._ended else _Unreadable

    # Containers.

    def _object(self) -> dict[str, JsonValue]:
        values: dict[str, JsonValue] = {}
        self._enter("{")
        while self._more("}", bool(values)):
            try:
                name = self._name()
                if self._next() != ":":
                    raise _CutOff if self._ended else _Unreadable
                self._to(self.position + 1)
                value = self.value()
            except _CutOff:
                self._repair(CUT_OFF)
                break
            if not (self._ended and value in ([], {})):  # a container that a cut left empty
                values[name] = value
        self._open.pop()
        return values

    def _list(self) -> list[JsonValue]:
        values: list[JsonValue] = []
        self._enter("[")
        while self._more("]", bool(values)):
            try:
                value = self.value()
            except _CutOff:
                self._repair(CUT_OFF)
                break
            if not (self._ended and value in ([], {})):
                values.append(value)
        self._open.pop()
        return values

    def _enter(self, bracket: str) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise _Unreadable
        self._open.append(bracket)
        self._to(self.position + 1)

    def _more(self, closing: str, begun: bool) -> bool:
        """Whether the container has another element, which the position is then at."""
        commas = 0
        while True:
            character = self._next()
            if not character:
                self._repair(CUT_OFF)
                return False
            if character == ",":
                commas += 1
                self._to(self.position + 1)
            elif character in "]}":
                if character != closing and self._superfluous():
                    self._repair("superfluous bracket")
                    self._to(self.position + 1)
                    continue
                if commas:
                    self._repair("trailing comma")
                if character == closing:
                    self._to(self.position + 1)
                else:
                    self._repair("missing bracket")
                return False
            elif closing == "}" and character in "{[" and self._open[-2:-1] == ["["]:
                self._repair("missing bracket")  # the next object of the list begins
                return False
            else:
                if commas != begun:
                    self._repair("missing comma" if begun and not commas else "superfluous comma")
                return True

    def _superfluous(self) -> bool:
        """Whether the bracket at the position closes nothing, as in [{...}}, {...}]."""
        character = self.text[self.position]
        if ("{" if character == "}" else "[") not in self._open:
            return True
        closing = "".join("}" if bracket == "{" else "]" for bracket in reversed(self._open))
        brackets = _BRACKETS_AHEAD.match(self.text, self.position + 1)
        if brackets and "".join(brackets[0].split()) == closing:
            return True
        # Another element follows. It belongs to the list around the object if there is one, otherwise to this list.
        outer = self._open[-3:-2]
        follows = _ELEMENT_AHEAD.match(self.text, self.position + 1)
        return bool(follows) and self._open[-1] == "[" and outer != ["["]

    # Strings.

    def _name(self) -> str:
        if self._next() in _CLOSING:
            return self._string(named=True)
        bare = _BARE_NAME.match(self.text, self.position)
        if bare is None:
            word = _WORD.match(self.text, self.position)
            raise _CutOff if word and word.end() == len(self.text) else _Unreadable
        self._to(bare.end(1))
        return self._repaired("name without quotation marks", bare[1])

    def _string(self, named: bool) -> str:
        """The string at the position; it ends with a quotation mark after which the value may end."""
        opening = self.text[self.position]
        closing = _CLOSING[opening]
        if opening != '"':
            self._repair("quotation marks")
        parts: list[str] = []
        self._to(self.position + 1)
        while not self._ended:
            if plain := _PLAIN.match(self.text, self.position):
                parts.append(plain[0])
                self._to(plain.end())
                continue
            character = self.text[self.position]
            if character == "\\":
                parts.append(self._escape())
                continue
            self._to(self.position + 1)
            if character == closing:
                if self._string_ends(named):
                    return "".join(parts)
                self._repair("quotation mark without escape")
            elif character < " ":
                self._repair("line break in a string")
            parts.append(character)
        raise _CutOff

    def _escape(self) -> str:
        character = self.text[self.position + 1 : self.position + 2]
        if character == "u" and (code := _HEX.match(self.text, self.position + 2)):
            self._to(code.end())
            return chr(int(code[0], 16))
        if character in ("", "\n"):
            self._to(self.position + 1 + len(character))
            return self._repaired("escape", character)
        self._to(self.position + 2)
        if character in _ESCAPES:
            return _ESCAPES[character]
        # An apostrophe needs no escape; "\\alpha" with a single backslash is meant as it is written.
        return self._repaired("escape", character if character == "'" else f"\\{character}")

    def _string_ends(self, named: bool) -> bool:
        """Whether what follows the quotation mark before the position can follow a string."""
        position = self._after_space(self.position)
        following = self.text[position : position + 1]
        if named:
            return following in (":", "")
        if following in ("", "}", "]"):
            return True
        in_object = self._open[-1:] == ["{"]
        ahead = _NAME_AHEAD if in_object else _VALUE_AHEAD
        if following != ",":  # a missing comma
            return bool(in_object and ahead.match(self.text, position))
        position = self._after_space(position + 1)
        return self.text[position : position + 1] in ("", ",", "}", "]") or bool(ahead.match(self.text, position))

    # Position in the text.

    @property
    def _ended(self) -> bool:
        return self.position >= self._end

    def _next(self) -> str:
        """The next character that is neither space nor part of a comment; empty at the end."""
        at = self._after_space(self.position)
        if _COMMENT.search(self.text, self.position, at):
            self._repair("comment")
        self._to(at)
        if _FENCE.match(self.text, at):
            self._end = at
            return ""
        return self.text[at : at + 1]

    def _after_space(self, position: int) -> int:
        space = _SPACE.match(self.text, position)
        at = space.end() if space else position
        while comment := _COMMENT.match(self.text, at):
            space = _SPACE.match(self.text, comment.end())
            at = space.end() if space else comment.end()
        self._budget.spend(at - position)
        return at

    def _to(self, position: int) -> None:
        self._budget.spend(position - self.position)
        self.position = position

    def _repaired(self, kind: str, value: T) -> T:
        """The value, which needed a repair."""
        self._repair(kind)
        return value

    def _repair(self, kind: str) -> None:
        if kind not in self.repairs:
            self.repairs.append(kind)


def _number(digits: str) -> JsonValue:
    try:
        return _whole_number(digits) if digits.lstrip("+-").isdecimal() else float(digits)
    except ValueError:
        return digits

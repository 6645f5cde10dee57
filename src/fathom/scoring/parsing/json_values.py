"""Answers written as JSON: decoded, unwrapped, and converted to plain text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any, Final

from fathom.scoring.parsing.flags import denies
from fathom.scoring.parsing.normalization import normal

_OPTION_FIELDS = (
    "candidate",
    "option",
    "choice",
    "prediction",
    "selectedcandidate",
    "selectedoption",
    "citedcandidate",
)
_ANSWER_FIELDS = (
    "finalanswer",
    "最终答案",
    "answer",
    "答案",
    "answers",
    "result",
    "结果",
    "final",
    "output",
    "response",
    "value",
    *_OPTION_FIELDS,
)
_COUNT_FIELDS = frozenset({"count", "total", "number", "n", "sum", "average", "mean"})
_ITEM_FIELDS = ("title", "article_title", "name", "author", "author_name", "article", "value", "item", "answer")
_REMARK_FIELDS = frozenset(
    [
        "explanation",
        "reasoning",
        "reason",
        "rationale",
        "justification",
        "note",
        "notes",
        "comment",
        "confidence",
        "certainty",
        "unit",
        "units",
        "evidence",
        "source",
        "sources",
        "steps",
        "method",
        "details",
        "description",
        "thought",
        "thoughts",
        "analysis",
        "思考",
        "分析",
        "解释",
        "理由",
        "calculation",
        "question",
        "type",
        "ordered",
        "order",
    ]
)
_STATUS_FIELDS = frozenset(
    {"status", "success", "ok", "error", "errors", "code", "id", "version", "timestamp", "model"}
)
"""Fields of a response that say nothing about the answer in it."""
_UNIT_FIELDS: Final = ("scale", "multiplier", "magnitude", "unit", "units", "currency", "单位", "币种")
"""Fields beside a number that belong to it, in the order in which they are written after it."""
_CALL_NAMES: Final = ("name", "tool", "action", "function", "tool_name")
_CALL_ARGUMENTS: Final = ("arguments", "parameters", "input", "args", "tool_input", "action_input")
_SUBMITS = re.compile(
    r"answer|result|respon[ds]|reply|output|final|finish|submit|done|complete|terminate|\bend\b|choose|select|report",
    re.IGNORECASE,
)
"""A word in the name of a tool that submits an answer."""
_OPEN_FIELDS = re.compile(
    r"(?:alternat\w*|or|maybe|possibl[ey]|possibilit\w*|uncertain|unsure|guess|second|runner_?up|fallback|backup"
    r"|also|others?|additional|further|more|extra|candidates_?considered|revised|corrected|updated|true|better"
    r"|next_?best|runner-?up)"
    r"(?:[_ ]?(?:answers?|values?|choices?|options?|titles?|candidates?|names?|results?|correct|valid|items?))?",
    re.IGNORECASE,
)
"""Names of fields with another answer beside the first."""
_DENIED_FIELD = re.compile(
    r"(?:rejected|excluded|discarded|dismissed|wrong|incorrect|ruled_?out|not)(?:[_ ].*)?", re.IGNORECASE
)
_JOINTS = re.compile(r"[_ -]")
_FIGURE = re.compile(r"-?\d+(?:\.\d+)?")
_EMPTY: Final[tuple[object, ...]] = (None, [], {}, "", False)
ABSENT: Final = object()
MAX_PYTHON_LENGTH: Final = 20_000


def parsed(text: str) -> Any:
    """The JSON value of `text`, or `ABSENT` if it is not JSON. Numbers keep their spelling."""
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return _python_value(text) if text[:2] in {"{'", "[("} and text[-1] in "}]" else ABSENT


def _python_value(text: str) -> Any:
    """The value of a Python dictionary such as {'answer': 4}, or of a list of tuples; else `ABSENT`."""
    if len(text) > MAX_PYTHON_LENGTH or "\\" in text:
        return ABSENT
    try:
        return _as_json(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ABSENT


def _as_json(value: Any) -> Any:
    """A Python value as JSON, with numbers as text."""
    match value:
        case dict():
            return {str(name): _as_json(one) for name, one in value.items()}
        case list() | tuple():
            return [_as_json(one) for one in value]
        case int() | float() if not isinstance(value, bool):
            return str(value)
    return value


def _refuse(constant: str) -> str:
    raise ValueError(f"{constant} is not JSON")


def answer_field(record: dict[str, Any]) -> str | None:
    """The name of the field with the answer."""
    names = {_JOINTS.sub("", name.lower()): name for name in record}
    return next((names[name] for name in _ANSWER_FIELDS if name in names), None)


def states_option(record: dict[str, Any]) -> bool:
    """Whether one field of an object names an option or the answer, and all others are about it."""
    rest = [_JOINTS.sub("", name) for name in _without(record, _REMARK_FIELDS | _STATUS_FIELDS)]
    return len(rest) == 1 and (rest[0] in _OPTION_FIELDS or (rest[0] in _ANSWER_FIELDS and len(record) > 1))


def is_open(value: Any, depth: int = 3) -> bool:
    """Whether an object states another answer in addition to its answer, or only what the answer is not:
    {"answer": 4, "alternative": 5}, {"rejected": 5}."""
    if not isinstance(value, dict) or not depth:
        return False
    # {"matches": 0} is a count.
    stated = {name: one for name, one in value.items() if one != "0"}
    if denies(stated) or (len(value) == 1 and _DENIED_FIELD.fullmatch(next(iter(value)))):
        return True
    if len(value) > 1 and any(_OPEN_FIELDS.fullmatch(name) and value[name] not in _EMPTY for name in value):
        return True
    return any(is_open(one, depth - 1) for one in value.values())


def _without(record: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name.lower() not in names}


def with_units(value: Any, depth: int = 4) -> Any:
    """The value with units in the numbers beside them: {"amount": 3.5, "scale": "million"} gets the amount
    "3.5 million"."""
    if not isinstance(value, dict) or not depth:
        return value
    names = {name.lower(): name for name in value}
    units = [names[name] for name in _UNIT_FIELDS if isinstance(value.get(names.get(name, "")), str)]
    figures = [
        name for name, one in value.items() if name not in units and isinstance(one, str) and _FIGURE.fullmatch(one)
    ]
    if units and len(figures) == 1:
        stated = " ".join([value[figures[0]], *(value[unit] for unit in units)])
        return {**{name: one for name, one in value.items() if name not in units}, figures[0]: stated}
    return {name: with_units(one, depth - 1) for name, one in value.items()}


def _arguments(record: dict[str, Any]) -> str:
    """The name of the field with the arguments of a tool call."""
    return next((name for name in _CALL_ARGUMENTS if name in record), "")


def is_call(record: dict[str, Any]) -> bool:
    """Whether an object is a tool call: {"name": "submit", "arguments": {"answer": 4}}."""
    given = _arguments(record)
    if (
        len(_without(record, _REMARK_FIELDS)) != 2
        or not given
        or not any(isinstance(record.get(name), str) for name in _CALL_NAMES)
    ):
        return False
    return isinstance(record[given], dict) or given.endswith("_input")


def is_other_call(value: Any) -> bool:
    """Whether an object calls a tool that submits nothing: {"name": "open", "arguments": {"article": 3}}."""
    if not isinstance(value, dict) or not is_call(value):
        return False
    return not submits(next(value[name] for name in _CALL_NAMES if isinstance(value.get(name), str)))


def submits(tool: str) -> bool:
    """Whether a tool of this name submits an answer."""
    return _SUBMITS.search(tool) is not None


def unwrapped(value: Any) -> Any:
    """The answer inside {"answer": ...}, {"titles": [...]} or a tool call, even if it is wrapped several times."""
    for _ in range(4):
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and "answer" in value[0]:
            value = value[0]
        if not isinstance(value, dict):
            break
        if is_call(value):
            value = value[_arguments(value)]
            if not isinstance(value, dict):
                break
        if value and [*value] == [str(number) for number in range(1, len(value) + 1)] and len(value) > 1:
            break  # numbered items, or slots with their options
        name = answer_field(value)
        lists = [field for field in value if isinstance(value[field], list)]
        # {"titles": [...], "count": 3}: the list is the answer if everything beside it is a number.
        beside = [value[field] for field in value if field not in lists]
        counts = all(isinstance(one, str) and one.isdecimal() for one in beside)
        name = lists[0] if name is None and len(lists) == 1 and counts else name
        rest = _without(value, _STATUS_FIELDS)
        if name is None and len(rest) == 1 and isinstance(next(iter(rest.values())), list | dict):
            name = next(iter(rest))
        if name is None:
            break
        value = value[name]
    return value


def item(value: Any) -> Any:
    """The title or name in an object such as {"title": "Tides", "authors": 3}; any other value as it is."""
    if not isinstance(value, dict):
        return value
    names = {name.lower(): name for name in value}
    found = [names[name] for name in _ITEM_FIELDS if name in names]
    return value[found[0]] if found else next(iter(value.values())) if len(value) == 1 else value


def scalar(value: Any) -> str:
    """A JSON scalar as text; empty for a boolean or a nested value."""
    if not isinstance(value, str):
        return ""
    # "\\ud800" is a lone surrogate, which cannot be written to a file.
    return value if value.isascii() else value.encode(errors="replace").decode()


def lone(value: Any) -> Any:
    """The only element of a list or object, remarks aside, at any depth; any other value as it is."""
    for _ in range(8):
        inner = value
        if isinstance(value, dict):
            inner = item(_without(value, _REMARK_FIELDS))
        elif isinstance(value, list) and len(value) == 1:
            inner = value[0]
        if inner == value:
            break
        value = inner
    return value


def _listed(record: dict[str, Any]) -> list[Any]:
    """The items of an object: numbered ones, names with their figures ({"Lind": 7, "Wu": 4}), or a single one."""
    if [*record] == [str(number) for number in range(1, len(record) + 1)]:
        return list(record.values())
    if len(record) > 1 and all(isinstance(one, str) and _FIGURE.fullmatch(one) for one in record.values()):
        return list(record)
    return [lone(record)]


def _by_rank(records: list[Any]) -> list[Any]:
    """The records in the order of their ranks, if each has one: {"rank": 2, "title": "Tides"}."""
    for name in ("rank", "position", "place"):
        ranks = [record.get(name) for record in records if isinstance(record, dict)]
        if len(ranks) == len(records) and all(isinstance(rank, str) and rank.isdecimal() for rank in ranks):
            return sorted(records, key=lambda record: int(record[name]))
    return records


def scalars(value: Any) -> list[str] | None:
    """The scalars of a JSON list, with one level of nesting (tied items) flattened; None for any other value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = _listed(value)
    if not isinstance(value, list):
        return None
    flat: list[str] = []
    kept = [one for one in value if not (isinstance(one, dict) and denies(one))]
    for one in map(item, _by_rank(kept)):
        flat += [scalar(inner) for inner in one] if isinstance(one, list) else [scalar(one)]
    return flat if all(flat) else None


def counted(value: Any) -> Any:
    """The number of an object that counts what it lists ({"count": 1, "matching": ["Lind"]}); any other value as it
    is."""
    if not isinstance(value, dict):
        return value
    numbers = [name for name in value if name.lower() in _COUNT_FIELDS and isinstance(value[name], str)]
    lists = [field for field in value.values() if isinstance(field, list)]
    return value[numbers[0]] if len(numbers) == 1 and len(lists) == len(value) - 1 else value


def repeats_lists(value: Any) -> bool:
    """Whether a list holds several lists that share a scalar, so that each is an answer of its own."""
    lists = [one for one in value if isinstance(one, list)] if isinstance(value, list) else []
    shared = [one for part in lists for one in {*filter(None, map(scalar, part))}]
    return len(shared) > len({*shared})


def json_rows(value: Any, columns: Sequence[str]) -> list[list[str]]:
    """The rows of a JSON list of lists or objects; objects with the key's columns are put in column order."""
    rows = []
    for row in value if isinstance(value, list) else ():
        cells = row
        if isinstance(row, dict):
            if denies(row) and len(row) > len(columns):
                continue
            named = {normal(name): cell for name, cell in row.items()}
            ordered = [named[normal(column)] for column in columns if normal(column) in named]
            cells = ordered if len(ordered) == len(columns) else list(row.values())
        rows.append([scalar(cell) for cell in cells] if isinstance(cells, list) else [scalar(cells)])
    return rows


def json_slots(value: Any) -> str:
    """Slots with their options on one line of text: from an object, from pairs, or from a plain list."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {scalar(cell)}" for name, cell in value.items())
    if not isinstance(value, list):
        return scalar(value)
    pairs = [list(item.values()) if isinstance(item, dict) else item for item in value]
    if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return "; ".join(f"{scalar(slot)}: {scalar(option)}" for slot, option in pairs)
    return ", ".join(scalars(value) or ())


def json_passages(value: Any) -> str:
    """Passages on one line of text."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {scalar(cell)}" for name, cell in value.items())
    if not isinstance(value, list):
        return scalar(value)
    if all(isinstance(item, dict) for item in value):
        return "; ".join(map(json_place, value))
    return ", ".join(scalars(value) or ())


def json_place(place: dict[str, Any]) -> str:
    """A passage such as {"document": "a-1", "start": 3, "end": 9} as "a-1:3-9"."""
    ends = place.get("span") or [place.get("start"), place.get("end")]
    start, end = ends if isinstance(ends, list) and len(ends) == 2 else ("", "")
    return f"{scalar(place.get('document'))}:{scalar(start)}-{scalar(end)}"

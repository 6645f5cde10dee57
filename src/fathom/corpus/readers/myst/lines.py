"""Lines of MyST: where blocks begin, what stands between fences, options and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.parsing.front_matter import parse_yaml

FENCE = re.compile(r" *(?P<fence>`{3,}|~{3,}|:{3,}) *(?P<info>.*)$")
NAMED = re.compile(r"\{(?P<name>[\w:.+-]{1,60})\} *(?P<rest>.*)$")
HEADING = re.compile(r" {0,3}(?P<signs>#{1,6})(?: +(?P<words>.*?))?(?: +#+)?$")
ITEM = re.compile(r" *(?P<sign>[-*+]|\d{1,4}[.)]) +(?P<words>.*)$")
TARGET = re.compile(r" *\((?P<label>[^()\s]{1,120})\)= *$")
NOTE = re.compile(r" {0,3}\[\^(?P<key>[^\]\s]{1,60})\]: *(?P<words>.*)$")
_OPTION = re.compile(r" *:(?P<name>[\w-]{1,60}):(?: +(?P<value>.*))?$")
RULE = re.compile(r" *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
COUNTED = {"figure": "Figure", "iframe": "Figure", "table": "Table", "list-table": "Table", "csv-table": "Table",
            "math": "Equation"}  # fmt: skip


def begins_block(line: str) -> bool:
    """Whether a line ends the paragraph before it without a blank line between."""
    stripped = line.lstrip()
    return (
        stripped[:1] in "`~:#>$<([%+"
        and (
            FENCE.match(line) is not None
            or HEADING.match(line) is not None
            or TARGET.match(line) is not None
            or NOTE.match(line) is not None
            or stripped.startswith(("$$", "+++", "%", ">"))
            or stripped.lower().startswith("<table")
        )
    )  # fmt: skip


def fenced(lines: Sequence[str], place: int, fence: str) -> tuple[list[str], int]:
    """The lines between a fence and the one that closes it, and where that ends; the rest where none closes it."""
    sign, length = fence[0], len(fence)
    open_ones = 1
    end = place + 1
    while end < len(lines):
        stripped = lines[end].strip()
        if stripped.startswith(fence):
            bare = stripped.strip(sign) == ""
            if bare and (sign != ":" or len(stripped) == length):
                open_ones -= 1
            elif sign == ":" and stripped[length : length + 1] == "{":
                open_ones += 1
            if open_ones == 0:
                break
        end += 1
    content = lines[place + 1 : end]
    margin = min((len(line) - len(line.lstrip(" ")) for line in content if line.strip()), default=0)
    return [line[margin:].rstrip() for line in content], end + 1


def options_of(content: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The options of a directive, and its content."""
    options: dict[str, str] = {}
    place = 0
    if content and content[0].strip() == "---":
        end = next((n for n, line in enumerate(content[1:], start=1) if line.strip() == "---"), 0)
        values = parse_yaml("\n".join(content[1:end]))
        return {name: value for name, value in values.items() if isinstance(value, str)}, list(content[end + 1 :])
    while place < len(content) and (match := _OPTION.match(content[place])) is not None:
        options[match["name"].lower()] = match["value"] or ""
        place += 1
    rest = list(content[place:])
    while rest and not rest[0].strip():
        rest.pop(0)
    return options, rest


def labels_in(lines: Sequence[str]) -> dict[str, str]:
    """How cross-references to figures, tables, equations and sections print."""
    labels: dict[str, str] = {}
    counts: dict[str, int] = {}
    kind = ""
    waiting: list[str] = []
    for line in lines:
        fence = FENCE.match(line) if line.lstrip()[:3] in ("```", ":::", "~~~") else None
        named = NAMED.match(fence["info"]) if fence else None
        if named is not None:
            name = named["name"].lower()
            kind = COUNTED.get(name, name.rpartition(":")[2].capitalize())
            counts[kind] = counts.get(kind, 0) + 1
        option = _OPTION.match(line)
        target = TARGET.match(line)
        if option and option["name"] in ("label", "name") and option["value"] and kind:
            labels.setdefault(option["value"].strip(), f"{kind} {counts[kind]}")
        elif target:
            waiting.append(target["label"])
        elif line.strip():
            heading = HEADING.match(line)
            for label in waiting:
                labels.setdefault(label, (heading["words"] or label) if heading else label)
            waiting = []
    return labels

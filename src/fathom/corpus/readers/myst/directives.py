"""Directives of MyST: their options, and the labels that cross-references use."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.parsing.front_matter import parse_yaml

FENCE = re.compile(r" *(?P<fence>`{3,}|~{3,}|:{3,}) *(?P<info>.*)$")
DIRECTIVE = re.compile(r"\{(?P<name>[\w:.+-]{1,60})\} *(?P<argument>.*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(?: +(?P<text>.*?))?(?: +#+)?$")
_TARGET = re.compile(r" *\((?P<label>[^()\s]{1,120})\)= *$")
_OPTION = re.compile(r" *:(?P<name>[\w-]{1,60}):(?: +(?P<value>.*))?$")
NUMBERED = {"figure": "Figure", "iframe": "Figure", "table": "Table", "list-table": "Table", "csv-table": "Table",
            "math": "Equation"}  # fmt: skip
"""Directives whose content is numbered, and how their numbers print."""


def split_options(content: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options of a directive, and its content."""
    options: dict[str, str] = {}
    position = 0
    if content and content[0].strip() == "---":
        end = next((n for n, line in enumerate(content[1:], start=1) if line.strip() == "---"), 0)
        values = parse_yaml("\n".join(content[1:end]))
        return {name: value for name, value in values.items() if isinstance(value, str)}, list(content[end + 1 :])
    while position < len(content) and (match := _OPTION.match(content[position])) is not None:
        options[match["name"].lower()] = match["value"] or ""
        position += 1
    rest = list(content[position:])
    while rest and not rest[0].strip():
        rest.pop(0)
    return options, rest


def find_labels(lines: Sequence[str]) -> dict[str, str]:
    """Return how cross-references to figures, tables, equations and sections print, by label."""
    labels: dict[str, str] = {}
    counts: dict[str, int] = {}
    kind = ""
    waiting: list[str] = []
    for line in lines:
        fence = FENCE.match(line) if line.lstrip()[:3] in ("```", ":::", "~~~") else None
        directive = DIRECTIVE.match(fence["info"]) if fence else None
        if directive is not None:
            name = directive["name"].lower()
            kind = NUMBERED.get(name, name.rpartition(":")[2].capitalize())
            counts[kind] = counts.get(kind, 0) + 1
        option = _OPTION.match(line)
        target = _TARGET.match(line)
        if option and option["name"] in ("label", "name") and option["value"] and kind:
            labels.setdefault(option["value"].strip(), f"{kind} {counts[kind]}")
        elif target:
            waiting.append(target["label"])
        elif line.strip():
            heading = _HEADING.match(line)
            for label in waiting:
                labels.setdefault(label, (heading["text"] or label) if heading else label)
            waiting = []
    return labels

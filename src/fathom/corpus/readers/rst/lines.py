"""Lines of reStructuredText: headings and their levels, indented blocks, options, labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fathom.corpus.readers.rst.peps import PEP_FOOTNOTE

DIRECTIVE = re.compile(
    r"\.\. +(?:\|(?P<name>[^|]{1,80})\| +)?(?P<kind>[A-Za-z][\w:.+-]{0,60}?) ?::(?: +(?P<rest>.*)|$)"
)
FOOTNOTE = re.compile(r"\.\. \[(?P<key>[^\]\s]{1,80})\](?: +(?P<rest>.*)|$)")
FIELD_LINE = re.compile(r":(?P<name>[A-Za-z][\w -]{0,60}): *(?P<rest>.*)$")
_OPTION = re.compile(r" *:(?P<name>[\w-]{1,60}):(?: +(?P<rest>.*)|\s*$)")
BULLET = re.compile(r"(?P<sign>[-*+•‣])(?: +|$)")
ENUMERATOR = re.compile(r"(?P<sign>\(?(?:\d{1,4}|#|[A-Za-z]|[ivxIVX]{1,6})[.)]) +(?=\S)")


_ADORNMENTS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1+\s*$")


def adornment_character(line: str) -> str:
    """Return the character that a line of one repeated character consists of; empty for other lines."""
    return line[0] if line[:1] in _ADORNMENTS and line[:1] and _ADORNED.match(line) else ""


def indented_block(lines: Sequence[str], position: int) -> tuple[list[str], int]:
    """Return the indented lines from a position on, without their indentation, and the position after them."""
    end, last = position, position
    indent = 1_000_000
    while end < len(lines) and (not lines[end] or lines[end][0] == " "):
        if lines[end]:
            indent = min(indent, len(lines[end]) - len(lines[end].lstrip(" ")))
            last = end + 1
        end += 1
    inner = [line[indent:] for line in lines[position:last]]
    return inner, max(last, position)


def _continuation_lines(lines: Sequence[str], position: int) -> Iterator[str]:
    """Yield up to three indented lines."""
    for line in lines[position : position + 3]:
        if line[:1] != " ":
            return
        yield line.strip()


def next_blank(lines: Sequence[str], position: int) -> int:
    """Return the position of the next blank line, or the end."""
    while position < len(lines) and lines[position]:
        position += 1
    return position


def _parse_heading(lines: Sequence[str], position: int) -> tuple[tuple[str, bool], str, int] | None:
    """Return the heading at a line: its adornment, its text, and its number of lines."""
    line = lines[position]
    if not line:
        return None
    before = lines[position - 1] if position else ""
    after = lines[position + 1] if position + 1 < len(lines) else ""
    below = lines[position + 2] if position + 2 < len(lines) else ""
    character = adornment_character(line)
    if character and len(line) >= 3 and not before and after.strip() and not adornment_character(after):
        if adornment_character(below) == character and len(after.strip()) <= 4 * len(line):
            return (character, True), after.strip(), 3
        return None
    if character or line[0] == " " or (before and not adornment_character(before) and not before.startswith("..")):
        return None
    under = adornment_character(after)
    # Underlines that are slightly too short are common; two dots are not an underline.
    if (
        not under
        or line.startswith(".. ")
        or (len(after) < len(line) and len(after) < 4)
        or (under in ".:" and len(after) < 4)
    ):
        return None
    return (under, False), line, 2


def is_list_item(lines: Sequence[str], position: int, match: re.Match[str]) -> bool:
    """Return whether a line is a list item: the next line is blank, indented, or another item."""
    after = lines[position + 1] if position + 1 < len(lines) else ""
    if not after or after[0] == " " or match["sign"] in "-*+•‣":
        return True
    return ENUMERATOR.match(after) is not None


def starts_with_role(line: str) -> bool:
    """Return whether a line starts with a role, not with a field."""
    return re.match(r":[\w:+.-]{1,60}:`", line) is not None


def find_fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the names and values of all fields."""
    for line in lines:
        match = FIELD_LINE.match(line)
        if match is not None:
            yield match["name"].lower(), match["rest"]


def split_options(inner: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options of a directive, and its content."""
    options: dict[str, str] = {}
    position = 0
    while position < len(inner) and (match := _OPTION.match(inner[position])) is not None:
        options[match["name"].lower()] = match["rest"] or ""
        position += 1
        while (
            options
            and position < len(inner)
            and inner[position].startswith("   ")
            and not _OPTION.match(inner[position])
        ):
            position += 1
    return options, list(inner[position:])


@dataclass(frozen=True)
class RstHeading:
    """A heading with its level and number of lines."""

    level: int
    """One for the title."""
    text: str
    length: int


def find_headings(lines: Sequence[str], titled: bool) -> dict[int, RstHeading]:
    """Return the headings by their first line, with levels in the order in which adornments are first used.

    `titled`: a single heading of the highest level, before all others, is the title.
    """
    uses: dict[tuple[str, bool], int] = {}
    position = 0
    headings: list[tuple[int, tuple[str, bool], str, int]] = []
    while position < len(lines):
        heading = _parse_heading(lines, position)
        if heading is None:
            position += 1
            continue
        style, text, length = heading
        uses[style] = uses.get(style, 0) + 1
        headings.append((position, style, text, length))
        position += length
    order = list(uses)
    highest = 1 if titled and order and uses[order[0]] == 1 else 2
    return {start: RstHeading(order.index(style) + highest, text, length) for start, style, text, length in headings}


@dataclass(frozen=True)
class Definitions:
    """Definitions anywhere in a text that inline markup refers to."""

    substitutions: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    """Numbers of figures, tables and formulas, by label."""
    automatic: dict[str, str] = field(default_factory=dict)
    """Numbers of automatically numbered footnotes, by name."""
    anonymous: tuple[str, ...] = ()
    """Numbers of automatically numbered footnotes without a name, in order."""
    pep_footnotes: dict[str, str] = field(default_factory=dict)
    """Keys of footnotes that are references to a PEP, by its number."""


_TABLES = dict.fromkeys(("table", "list-table", "csv-table"), "table")
_LABELED_DIRECTIVES = {"figure": "figure", "math": "math", **_TABLES}


def collect_definitions(lines: Sequence[str]) -> Definitions:
    """Collect substitutions, labels of figures and tables, and numbers of automatic footnotes."""
    substitutions: dict[str, str] = {}
    labels: dict[str, str] = {}
    pep_footnotes: dict[str, str] = {}
    counts: dict[str, int] = {}
    counted: list[str] = []
    kind = ""
    for position, line in enumerate(lines):
        stripped = line.lstrip()
        directive = DIRECTIVE.match(stripped) if stripped.startswith(".. ") else None
        footnote = FOOTNOTE.match(stripped) if stripped.startswith(".. ") and directive is None else None
        if directive and directive["name"]:
            if directive["kind"] == "replace":
                substitutions[directive["name"]] = (directive["rest"] or "")[:300]
        elif directive:
            kind = _LABELED_DIRECTIVES.get(directive["kind"], "")
            if kind:
                counts[kind] = counts.get(kind, 0) + 1
        elif footnote:
            if footnote["key"].startswith("#"):
                counted.append(footnote["key"])
            if pep := _pep_number(lines, position, footnote):
                pep_footnotes.setdefault(pep, footnote["key"])
        if kind and (":label:" in line or ":name:" in line):
            for label in re.findall(r":(?:label|name): ?`?([^`\s]{1,80})`?", line):
                labels.setdefault(label, str(counts[kind]))
    automatic = {key: str(number) for number, key in enumerate(counted, start=1) if key != "#"}
    return Definitions(
        substitutions,
        labels,
        automatic,
        tuple(str(number) for number, key in enumerate(counted, start=1) if key == "#"),
        {pep: automatic.get(key, key) for pep, key in pep_footnotes.items() if key != "#"},
    )


def _pep_number(lines: Sequence[str], position: int, footnote: re.Match[str]) -> str:
    """Return the number of the PEP that a footnote refers to; empty for any other footnote."""
    text = " ".join([footnote["rest"] or "", *_continuation_lines(lines, position + 1)])
    pep = PEP_FOOTNOTE.match(text.replace(":pep:`", "PEP ").replace("`", "").strip())
    return pep[1] if pep else ""

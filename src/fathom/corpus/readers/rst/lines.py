"""Lines of reStructuredText: where headings stand and of which rank, what is indented, options, labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fathom.corpus.readers.rst.peps import PEP_NOTE

DIRECTIVE = re.compile(
    r"\.\. +(?:\|(?P<name>[^|]{1,80})\| +)?(?P<kind>[A-Za-z][\w:.+-]{0,60}?) ?::(?: +(?P<rest>.*)|$)"
)
NOTE = re.compile(r"\.\. \[(?P<key>[^\]\s]{1,80})\](?: +(?P<rest>.*)|$)")
FIELD_LINE = re.compile(r":(?P<name>[A-Za-z][\w -]{0,60}): *(?P<rest>.*)$")
_OPTION = re.compile(r" *:(?P<name>[\w-]{1,60}):(?: +(?P<rest>.*)|\s*$)")
BULLET = re.compile(r"(?P<sign>[-*+•‣])(?: +|$)")
COUNTED = re.compile(r"(?P<sign>\(?(?:\d{1,4}|#|[A-Za-z]|[ivxIVX]{1,6})[.)]) +(?=\S)")


_SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1+\s*$")


def adornment(line: str) -> str:
    """The sign a line is drawn with, or nothing."""
    return line[0] if line[:1] in _SIGNS and line[:1] and _ADORNED.match(line) else ""


def indented(lines: Sequence[str], place: int) -> tuple[list[str], int]:
    """The lines further in from here on, moved to the margin, and where they end; blank lines between them count."""
    end, last = place, place
    indent = 1_000_000
    while end < len(lines) and (not lines[end] or lines[end][0] == " "):
        if lines[end]:
            indent = min(indent, len(lines[end]) - len(lines[end].lstrip(" ")))
            last = end + 1
        end += 1
    inner = [line[indent:] for line in lines[place:last]]
    return inner, max(last, place)


def _further_in(lines: Sequence[str], place: int) -> Iterator[str]:
    """The two or three lines of an entry that follow its first."""
    for line in lines[place : place + 3]:
        if line[:1] != " ":
            return
        yield line.strip()


def until_blank(lines: Sequence[str], place: int) -> int:
    """Where the next blank line stands, or the end."""
    while place < len(lines) and lines[place]:
        place += 1
    return place


def _heading_at(lines: Sequence[str], place: int) -> tuple[tuple[str, bool], str, int] | None:
    """The heading that begins at a line: how it is adorned, its words, and how many lines it has."""
    line = lines[place]
    if not line:
        return None
    before = lines[place - 1] if place else ""
    after = lines[place + 1] if place + 1 < len(lines) else ""
    below = lines[place + 2] if place + 2 < len(lines) else ""
    sign = adornment(line)
    if sign and len(line) >= 3 and not before and after.strip() and not adornment(after):
        if adornment(below) == sign and len(after.strip()) <= 4 * len(line):
            return (sign, True), after.strip(), 3
        return None
    if sign or line[0] == " " or (before and not adornment(before) and not before.startswith("..")):
        return None
    under = adornment(after)
    # Underlines too short by a letter or two are common, a line of two dots is not an underline.
    if (
        not under
        or line.startswith(".. ")
        or (len(after) < len(line) and len(after) < 4)
        or (under in ".:" and len(after) < 4)
    ):
        return None
    return (under, False), line, 2


def is_item(lines: Sequence[str], place: int, match: re.Match[str]) -> bool:
    """Whether a line that looks like a list item is one: the next line is blank, further in, or another item."""
    after = lines[place + 1] if place + 1 < len(lines) else ""
    if not after or after[0] == " " or match["sign"] in "-*+•‣":
        return True
    return COUNTED.match(after) is not None


def is_role(line: str) -> bool:
    """Whether a line begins with a role and not with a field."""
    return re.match(r":[\w:+.-]{1,60}:`", line) is not None


def fields_of(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The names and values of all fields."""
    for line in lines:
        match = FIELD_LINE.match(line)
        if match is not None:
            yield match["name"].lower(), match["rest"]


def options_of(inner: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The options of a directive and its content."""
    options: dict[str, str] = {}
    place = 0
    while place < len(inner) and (match := _OPTION.match(inner[place])) is not None:
        options[match["name"].lower()] = match["rest"] or ""
        place += 1
        while options and place < len(inner) and inner[place].startswith("   ") and not _OPTION.match(inner[place]):
            place += 1
    return options, list(inner[place:])


@dataclass(frozen=True)
class RankedHeading:
    """A heading and the lines it takes."""

    level: int
    """One for the title."""
    words: str
    length: int


def headings_in(lines: Sequence[str], titled: bool) -> dict[int, RankedHeading]:
    """The headings by the line they begin at, ranked by the order in which adornments are first used.

    `titled`: one heading of the highest rank, before all others, is the title.
    """
    uses: dict[tuple[str, bool], int] = {}
    place = 0
    found: list[tuple[int, tuple[str, bool], str, int]] = []
    while place < len(lines):
        heading = _heading_at(lines, place)
        if heading is None:
            place += 1
            continue
        style, words, length = heading
        uses[style] = uses.get(style, 0) + 1
        found.append((place, style, words, length))
        place += length
    order = list(uses)
    highest = 1 if titled and order and uses[order[0]] == 1 else 2
    return {start: RankedHeading(order.index(style) + highest, words, length) for start, style, words, length in found}


@dataclass(frozen=True)
class Collected:
    """What must be known of the whole text before any of it is read."""

    substitutions: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    """The numbers of figures, tables and formulas by their labels."""
    automatic: dict[str, str] = field(default_factory=dict)
    """The numbers of footnotes that are counted but have a name."""
    anonymous: tuple[str, ...] = ()
    """The numbers of footnotes that are counted and have none, in order."""
    noted: dict[str, str] = field(default_factory=dict)
    """The keys of footnotes that are the entry of a PEP, by its number."""


_LABELED = {"figure": "figure", "table": "table", "list-table": "table", "csv-table": "table", "math": "math"}


def collected(lines: Sequence[str]) -> Collected:
    """Substitutions, labels of figures and tables, and how automatic footnotes are numbered."""
    substitutions: dict[str, str] = {}
    labels: dict[str, str] = {}
    noted: dict[str, str] = {}
    counts: dict[str, int] = {}
    counted: list[str] = []
    kind = ""
    for place, line in enumerate(lines):
        stripped = line.lstrip()
        directive = DIRECTIVE.match(stripped) if stripped.startswith(".. ") else None
        note = NOTE.match(stripped) if stripped.startswith(".. ") and directive is None else None
        if directive and directive["name"]:
            if directive["kind"] == "replace":
                substitutions[directive["name"]] = (directive["rest"] or "")[:300]
        elif directive:
            kind = _LABELED.get(directive["kind"], "")
            if kind:
                counts[kind] = counts.get(kind, 0) + 1
        elif note:
            if note["key"].startswith("#"):
                counted.append(note["key"])
            if pep := _entry_of_pep(lines, place, note):
                noted.setdefault(pep, note["key"])
        if kind and (":label:" in line or ":name:" in line):
            for label in re.findall(r":(?:label|name): ?`?([^`\s]{1,80})`?", line):
                labels.setdefault(label, str(counts[kind]))
    automatic = {key: str(number) for number, key in enumerate(counted, start=1) if key != "#"}
    return Collected(
        substitutions,
        labels,
        automatic,
        tuple(str(number) for number, key in enumerate(counted, start=1) if key == "#"),
        {pep: automatic.get(key, key) for pep, key in noted.items() if key != "#"},
    )


def _entry_of_pep(lines: Sequence[str], place: int, note: re.Match[str]) -> str:
    """The number of the PEP whose entry a footnote is; empty for any other footnote."""
    text = " ".join([note["rest"] or "", *_further_in(lines, place + 1)])
    pep = PEP_NOTE.match(text.replace(":pep:`", "PEP ").replace("`", "").strip())
    return pep[1] if pep else ""

"""JSON as reports: nested fields, lists of records, and tables with paragraphs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from fathom.corpus.readers.parsed_document import (
    Block,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
    TableCell,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.header_rows import with_header
from fathom.corpus.readers.parsing.titles import title_from
from fathom.corpus.readers.tabular.limits import MOST_PADDING, bounded_text, check_rows, checked

_MOST_DEPTH = 250
"""Fields inside one another; files in use stay far below."""


def read_json(content: bytes, name: str) -> Iterator[ParsedDocument]:
    """The reports in a file: one for its fields, or one for each table with paragraphs."""
    data = _parsed(content)
    contexts = _contexts(data)
    if contexts:
        return (_context(context, number, name) for number, context in enumerate(contexts, start=1))
    return iter([_fields(data, name)])


def _parsed(content: bytes) -> Any:
    try:
        # Numbers stay as written: 1.50 must not be printed as 1.5.
        return json.loads(content, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError as error:
        raise ReadError("its fields are nested too deep") from error
    except (ValueError, MemoryError) as error:
        raise ReadError(f"it is no JSON: {error}") from error


# Tables with paragraphs: what sets of questions over reports hold. The questions stay unread.


def _contexts(data: Any) -> list[dict[str, Any]]:
    """The contexts of such a set; none where the data is anything else."""
    if not isinstance(data, list) or not data:
        return []
    sound = [one for one in data if isinstance(one, dict) and _grid(one) is not None and "paragraphs" in one]
    return sound if len(sound) == len(data) else []


def _grid(context: dict[str, Any]) -> list[list[Any]] | None:
    table = context.get("table")
    rows = table.get("table") if isinstance(table, dict) else table
    return rows if isinstance(rows, list) and all(isinstance(row, list) for row in rows) else None


def _context(context: dict[str, Any], number: int, name: str) -> ParsedDocument:
    rows = _grid(context) or []
    check_rows(len(rows))
    cells = [[TableCell([bounded_text(_scalar(cell))]) for cell in row] for row in rows]
    paragraphs = context["paragraphs"] if isinstance(context["paragraphs"], list) else []
    texts = [one for one in paragraphs if isinstance(one, dict) and isinstance(one.get("text"), str)]
    body: list[Block] = [checked(ParsedTable([], with_header(cells)))]
    body += [Paragraph([one["text"]]) for one in sorted(texts, key=_order)]
    table = context.get("table")
    uid = _scalar(table.get("uid")) if isinstance(table, dict) else ""
    return ParsedDocument(
        f"{name}#{uid or number}", kind="report", title=f"{title_from(name)}, report {number}", body=body
    )


def _order(paragraph: dict[str, Any]) -> int:
    order = _scalar(paragraph.get("order"))
    return int(order) if re.fullmatch(r"[0-9]{1,9}", order) else 0


def _scalar(value: Any) -> str:
    """A value as words; nothing for what is nested or absent."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ""


# Nested fields.

_TEXT_KEYS = ("text", "value")
_TITLE_KEYS = ("title", "name", "label")
_SHORT_NAME = ("Government", "Country name", "conventional short form", "text")
_LONG_NAME = ("Government", "Country name", "conventional long form", "text")


def _fields(data: Any, name: str) -> ParsedDocument:
    """A report with a heading for each group of fields and a paragraph for each field."""
    if not isinstance(data, dict | list):
        raise ReadError("it holds a single value")
    title = _json_title(data) or title_from(name)
    table = _records(data)
    body: list[Block] = [table] if table is not None else list(_walked(data, title))
    if not any(isinstance(block, Paragraph | ParsedTable) for block in body):
        raise ReadError("it has no fields with text")
    return ParsedDocument(name, kind="report", title=title, body=body)


def _json_title(data: Any) -> str:
    for path in (*((key,) for key in _TITLE_KEYS), _SHORT_NAME, _LONG_NAME):
        value = data
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        words = " ".join(_paragraphs(value)) if isinstance(value, str) else ""
        if words and words.lower() != "none":
            return words[:300]
    return ""


def _records(data: Any) -> ParsedTable | None:
    """The table that a list of flat records is; None where the data is anything else."""
    if not isinstance(data, list) or len(data) < 2 or not all(isinstance(one, dict) and one for one in data):
        return None
    if any(isinstance(value, dict | list) for one in data for value in one.values()):
        return None
    check_rows(len(data))
    names = list(dict.fromkeys(key for one in data for key in one))
    if len(names) * len(data) - sum(map(len, data)) > MOST_PADDING:
        raise ReadError("its records have very different fields")
    rows = [[TableCell([key], header=True) for key in names]]
    rows += [[TableCell([bounded_text(_scalar(one.get(key)))]) for key in names] for one in data]
    return ParsedTable([], rows)


def _walked(data: Any, entity: str) -> Iterator[Block]:
    """The fields in order, without recursion: a heading for what holds others, a paragraph for what is printed."""
    stack: list[tuple[tuple[str, ...], Any, bool]] = [((), data, False)]
    while stack:
        path, value, headed = stack.pop()
        if isinstance(value, dict):
            inner = list(value.items())
        elif isinstance(value, list):
            yield from _listed(path, value)
            inner = [(str(n), one) for n, one in enumerate(value, start=1) if isinstance(one, dict | list)]
        else:
            yield from _field(path, _scalar(value), entity)
            continue
        if len(path) > _MOST_DEPTH:
            raise ReadError("its fields are nested too deep")
        if path and inner and (headed or not _is_leaf(value)):
            yield Heading(len(path) + 1, [path[-1].strip()])
        # A field beside groups has its own heading, or it would stand in the section of the group before it.
        mixed = any(isinstance(one, dict | list) and not _is_leaf(one) for _, one in inner)
        stack.extend(((*path, str(key)), one, mixed) for key, one in reversed(inner))


def _is_leaf(value: Any) -> bool:
    """Whether it only wraps one text: {"text": "180 sq km"} prints as its name and the text."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), str)


def _listed(path: tuple[str, ...], values: list[Any]) -> Iterator[Block]:
    """One paragraph for the plain values of a list."""
    words = [text for one in values if (text := " ".join(_paragraphs(_scalar(one))))]
    if words:
        yield Paragraph([f"{path[-1].strip()}: " if path else "", ", ".join(words)])


def _field(path: tuple[str, ...], text: str, entity: str) -> Iterator[Block]:
    """A field as paragraphs that begin with its name."""
    named = path[:-1] if len(path) > 1 and path[-1] in _TEXT_KEYS else path
    label = named[-1].strip() if named else ""
    paragraphs = _paragraphs(text)
    for number, paragraph in enumerate(paragraphs):
        # A note often says "note:" itself.
        again = paragraph.lower().startswith(f"{label.lower()}:") or not label or number
        lead = "" if again else f"{label}: "
        figure = _figure(paragraph, ", ".join(key.strip() for key in named[1:] or named), entity)
        yield Paragraph([lead, *figure] if figure and len(paragraphs) == 1 else [lead + paragraph])


_BREAK = re.compile(r"(?:<br\s*/?>\s*){2,}|</?(?:p|div|li|ul|ol|h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(?:/?[A-Za-z][^<>]*|!--[^<>]*--)>")


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a field that may hold tags and character references."""
    if "<" not in text and "&" not in text:
        return [text.strip()] if text.strip() else []
    pieces = (html.unescape(_TAG.sub(_gap, piece)) for piece in _BREAK.split(text))
    return [" ".join(piece.split()) for piece in pieces if piece.strip()]


def _gap(tag: re.Match[str]) -> str:
    return " " if tag.group().lower().startswith("<br") else ""


_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_FIGURE = re.compile(
    r"(?P<sign>-?)(?P<money>\$?)(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,15}(?:\.[0-9]{1,10})?)"
    r"(?: (?P<scale>thousand|million|billion|trillion))?"
    r"(?P<unit>%| ?[A-Za-z(][A-Za-z()/ ]{0,40}(?:/[0-9,]{1,9} [a-z ]{1,30})?)?"
    r"(?: \((?P<year>[0-9]{4})(?: est\.)?\))?"
)

_UNIT_WORD = r"(?:[a-z]{2,20}(?:\(s\))?|m|kWh?|[GMT]Wh?|Btu|CO2|[0-9,]{1,9})"
_UNIT = re.compile(rf"%|{_UNIT_WORD}(?:[ /]{_UNIT_WORD}){{0,6}}")
_CONJUNCTION = re.compile(r"\b(?:and|or|to|million|billion|trillion|thousand)\b")


def _figure(text: str, attribute: str, entity: str) -> Inlines:
    """The pieces of a field that is one number with its unit and year and nothing else; none for any other."""
    # Safe means all of it: "443 sq km (Antigua 280 sq km)" or "17% of GDP; 20% in 2020" say more than one thing.
    match = _FIGURE.fullmatch(text) if len(text) < 120 else None
    if match is None or not attribute:
        return []
    unit = (match["unit"] or "").strip()
    # A bare number may be a year, a code or a telephone number.
    if not (unit or match["money"] or match["scale"] or match["year"]):
        return []
    if unit and (match["money"] or not _UNIT.fullmatch(unit) or _CONJUNCTION.search(unit)):
        return []
    value = Decimal(match["sign"] + match["number"].replace(",", ""))
    value = Decimal(format(value.scaleb(_SCALES.get(match["scale"] or "", 0)), "f"))
    printed = match["number"] if match["money"] else match["sign"] + match["number"]
    start = match.start("number") if match["money"] else 0
    figure = TaggedNumber(printed, entity, attribute, match["year"] or "", value, "USD" if match["money"] else unit)
    return [text[:start], figure, text[match.end("number") :]]

"""Tabular reader: JSON with nested fields, CSV and TSV, web pages with tables, tables with paragraphs."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from fathom.corpus.readers.parsed_document import (
    PAPER_FIELDS,
    Block,
    CompanionFiles,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedLine,
    ParsedTable,
    ReadError,
    TableCell,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.decoding import decode, decode_text
from fathom.corpus.readers.parsing.tables import (
    MAX_CELL_CHARACTERS,
    MAX_CELLS,
    MAX_PADDING,
    check_cell,
    check_padding,
    check_rows,
    check_size,
    mark_header_rows,
)
from fathom.corpus.readers.parsing.text_cleanup import strip_compression, title_from_name
from fathom.corpus.readers.tabular.known_json import refusal
from fathom.corpus.readers.tabular.web_pages import read_page

FORMAT = "tabular"


_PAGES = (".html", ".htm", ".xhtml")
_TABLE_WITH_PARAGRAPHS = (b'"table":', b'"paragraphs":')
_PAPERS = (b'"body_text"', b'"pdf_parse"', b'"bib_entries"')


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is JSON, CSV, TSV or a web page by its name, and not a filing or a paper."""
    lower = name.lower()
    if lower.endswith((".csv", ".tsv")):
        return b"\0" not in head or head[:2] in (b"\xff\xfe", b"\xfe\xff")
    if lower.endswith(".json"):
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        return start in (b"{", b"[") and not any(mark in head for mark in _PAPERS)
    if lower.endswith((".jsonl", ".ndjson")):
        # Lines of other fields are mostly lists of files or gold data beside documents.
        return head.lstrip().startswith(b"{") and all(mark in head for mark in _TABLE_WITH_PARAGRAPHS)
    return lower.endswith(_PAGES) and b"inlineXBRL" not in head and b"<" in head


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Yield the reports in a file: one, or one for each context of a file of tables with paragraphs."""
    check_size(content)
    ending = strip_compression(name).lower().rpartition(".")[2]
    if ending == "json":
        return read_json(content, name)
    if ending in ("csv", "tsv"):
        return iter([_csv(content, name, ending)])
    return iter([read_page(content, name)])


def read_line(line: bytes, name: str, number: int) -> ParsedLine:
    """Return the report on one line of a JSON Lines file: a table with paragraphs, or an object with fields."""
    data = _parse_json(line)
    if reason := refusal(data):
        raise ReadError(reason)
    if _contexts([data]):
        return ParsedLine(_context(data, number, name))
    document = _fields(data, name)
    if number > 1 and not _json_title(data):
        document.title = f"{document.title}, record {number}"
    return ParsedLine(document)


def read_attached(attached: dict[str, Any], name: str) -> ParsedDocument:
    """No document is attached to another one."""
    raise ReadError("records have no attached documents")


def _csv(content: bytes, name: str, ending: str) -> ParsedDocument:
    text, _, encoding_note = decode(content)
    delimiter = "\t" if ending == "tsv" else _delimiter(text)
    rows: list[list[TableCell]] = []
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if not any(cell.strip() for cell in row):
                continue
            check_rows(len(rows) + 1)
            cells += len(row)
            if cells > MAX_CELLS:
                raise ReadError(f"it has more than {MAX_CELLS:,} cells")
            rows.append([TableCell([check_cell(cell)], header=not rows) for cell in row])
    except csv.Error as error:
        raise ReadError(_csv_fault(error)) from error
    if len(rows) < 2:
        raise ReadError("it has no row below its header")
    document = ParsedDocument(
        name,
        kind="report",
        title=title_from_name(name),
        body=[check_padding(ParsedTable([], rows))],
        stated=PAPER_FIELDS,
    )
    if encoding_note:
        document.notes["text"] = encoding_note
    return document


def _csv_fault(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell has more than {MAX_CELL_CHARACTERS:,} characters"
    return f"it is not a table: {error}"


def _delimiter(text: str) -> str:
    """Return the most frequent delimiter in the first line; a comma by default."""
    line = text[:10_000].partition("\n")[0]
    return max(",;\t|", key=line.count) if line else ","


_MAX_DEPTH = 250
"""Maximum nesting of fields. Real files are far below."""


def read_json(content: bytes, name: str) -> Iterator[ParsedDocument]:
    """Yield the reports in a file: one for its fields, or one for each table with paragraphs."""
    data = _parse_json(content)
    if reason := refusal(data):
        raise ReadError(reason)
    contexts = _contexts(data)
    if contexts:
        return (_context(context, number, name) for number, context in enumerate(contexts, start=1))
    return iter([_fields(data, name)])


class _Number(str):
    """A number of a JSON file, as written: 1.50 must not be printed as 1.5."""

    __slots__ = ()


def _parse_json(content: bytes) -> Any:
    try:
        return json.loads(decode_text(content), parse_int=_Number, parse_float=_Number, parse_constant=str)
    except RecursionError as error:
        raise ReadError("its fields are nested too deeply") from error
    except (ValueError, MemoryError) as error:
        raise ReadError(f"it is not JSON: {error}") from error


# Tables with paragraphs, as in data sets of questions over reports. The questions are not read.


def _contexts(data: Any) -> list[dict[str, Any]]:
    """Return the contexts of such a data set; none for other data."""
    if not isinstance(data, list) or not data:
        return []
    valid = [one for one in data if isinstance(one, dict) and _grid(one) is not None and "paragraphs" in one]
    return valid if len(valid) == len(data) else []


def _grid(context: dict[str, Any]) -> list[list[Any]] | None:
    table = context.get("table")
    rows = table.get("table") if isinstance(table, dict) else table
    return rows if isinstance(rows, list) and all(isinstance(row, list) for row in rows) else None


def _context(context: dict[str, Any], number: int, name: str) -> ParsedDocument:
    rows = _grid(context) or []
    check_rows(len(rows))
    cells = [[TableCell([check_cell(_scalar(cell))]) for cell in row] for row in rows]
    paragraphs = context["paragraphs"] if isinstance(context["paragraphs"], list) else []
    texts = [
        paragraph for paragraph in paragraphs if isinstance(paragraph, dict) and isinstance(paragraph.get("text"), str)
    ]
    body: list[Block] = [check_padding(ParsedTable([], mark_header_rows(cells)))]
    body += [Paragraph([text["text"]]) for text in sorted(texts, key=_order)]
    table = context.get("table")
    uid = _scalar(table.get("uid")) if isinstance(table, dict) else ""
    return ParsedDocument(
        f"{name}#{uid or number}",
        kind="report",
        title=f"{title_from_name(name)}, report {number}",
        body=body,
        stated=PAPER_FIELDS,
    )


def _order(paragraph: dict[str, Any]) -> int:
    order = _scalar(paragraph.get("order"))
    return int(order) if re.fullmatch(r"[0-9]{1,9}", order) else 0


def _scalar(value: Any) -> str:
    """Return a value as text; empty if it is nested or missing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ""


# Nested fields.

_TEXT_KEYS = ("text", "value")
_TITLE_KEYS = ("title", "name", "label", "名称")
_NAMES = (("Government", "Country name"), ("Government", "Union name"))
"""Where profiles of countries and of unions state their names."""
_SHORT_FORM, _LONG_FORM = ("conventional short form", "text"), ("conventional long form", "text")


def _fields(data: Any, name: str) -> ParsedDocument:
    """Return a report with a heading for each group of fields and a paragraph for each field."""
    if not isinstance(data, dict | list):
        raise ReadError("it has a single value")
    title = _json_title(data) or title_from_name(name)
    table = _records(data)
    year = _year(data)
    body: list[Block] = [table] if table is not None else list(_walk_fields(data, title, year))
    if not any(isinstance(block, Paragraph | ParsedTable) for block in body):
        raise ReadError("it has no fields with text")
    stated = frozenset() if _has_paper_fields(data) else PAPER_FIELDS
    return ParsedDocument(name, kind="report", title=title, body=body, stated=stated, year=int(year) if year else None)


_YEAR_KEYS = ("year", "fiscal_year", "fiscalYear", "reporting_year", "report_year", "年份", "年度")


def _year(data: Any) -> str:
    """Return the year that a report says it is about; empty if it names none."""
    found = {_scalar(data.get(key)) for key in _YEAR_KEYS if key in data} if isinstance(data, dict) else set()
    year = found.pop() if len(found) == 1 else ""
    return str(year) if re.fullmatch(r"(?:19|20)[0-9]{2}", year) else ""


_PAPER_KEY = re.compile(r"author|creator|byline|abstract|referenc|citation|bibliograph|written.?by", re.IGNORECASE)


def _has_paper_fields(data: Any) -> bool:
    """Return whether a field of the first two levels may name an author or a reference."""
    outer = data if isinstance(data, dict) else {str(n): value for n, value in enumerate(data[:20])}
    keys = [*outer, *(key for value in outer.values() if isinstance(value, dict) for key in value)]
    return any(_PAPER_KEY.search(key) for key in keys)


def _json_title(data: Any) -> str:
    for key in _TITLE_KEYS:
        if words := _text_at(data, (key,)):
            return words
    for path in _NAMES:
        short, long = _text_at(data, (*path, *_SHORT_FORM)), _text_at(data, (*path, *_LONG_FORM))
        # "The Dominican" of "Dominican Republic" is not a name; "The Gambia" of "Republic of The Gambia" is one.
        is_adjective = short.startswith("The ") and long.startswith(f"{short.removeprefix('The ')} ")
        if short or long:
            return long if is_adjective or not short else short
    return ""


def _text_at(data: Any, path: Sequence[str]) -> str:
    """The text of a nested field; empty if there is none, or if it says so."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    words = " ".join(_paragraphs(data)) if isinstance(data, str) else ""
    # "Svalbard (sometimes referred to as Spitsbergen)" is a name and a remark; "Holy See (Vatican City)" is a name.
    words = re.sub(r"\s*\([a-z][^()]*\)$", "", words)
    return "" if words.lower() == "none" else words[:300]


def _records(data: Any) -> ParsedTable | None:
    """Return a list of flat records as a table; None for other data."""
    if not isinstance(data, list) or len(data) < 2 or not all(isinstance(one, dict) and one for one in data):
        return None
    if any(isinstance(value, dict | list) for one in data for value in one.values()):
        return None
    check_rows(len(data))
    names = list(dict.fromkeys(key for one in data for key in one))
    if len(names) * len(data) - sum(map(len, data)) > MAX_PADDING:
        raise ReadError("its records have very different fields")
    rows = [[TableCell([key], header=True) for key in names]]
    rows += [[TableCell([check_cell(_scalar(one.get(key)))]) for key in names] for one in data]
    return ParsedTable([], rows)


def _walk_fields(data: Any, entity: str, year: str) -> Iterator[Block]:
    """Yield a heading for each group and a paragraph for each field, in order, without recursion."""
    stack: list[tuple[tuple[str, ...], Any, bool, _StatedUnit | None]] = [((), data, False, _NO_UNIT)]
    while stack:
        path, value, headed, unit = stack.pop()
        if isinstance(value, dict):
            inner = list(value.items())
            unit = _stated_unit(value)
        elif isinstance(value, list):
            yield from _listed(path, value)
            inner = [(str(n), one) for n, one in enumerate(value, start=1) if isinstance(one, dict | list)]
        else:
            yield from _field(path, _scalar(value), _Subject(entity, year, unit))
            continue
        if len(path) > _MAX_DEPTH:
            raise ReadError("its fields are nested too deeply")
        if path and inner and (headed or not _is_leaf(value)):
            yield Heading(len(path) + 1, [path[-1].strip()])
        # A field next to groups gets its own heading, or it would be in the section of the previous group.
        mixed = any(isinstance(one, dict | list) and not _is_leaf(one) for _, one in inner)
        stack.extend(((*path, str(key)), one, mixed, unit) for key, one in reversed(inner))


class _StatedUnit(NamedTuple):
    """The unit of a number, and its scale as a power of ten."""

    name: str
    scale: int


class _Subject(NamedTuple):
    """The entity, year and unit of a number."""

    entity: str
    year: str
    """Of the whole report; empty if it names none."""
    unit: _StatedUnit | None
    """As stated by a field next to the number; None if it cannot be read."""


_NO_UNIT = _StatedUnit("", 0)
_AMOUNTS = ("value", "amount")
_UNIT_KEYS = ("currency", "unit", "units", "scale")


def _stated_unit(value: dict[str, Any]) -> _StatedUnit | None:
    """Return the unit of an object such as {"amount": 1.25, "unit": "million", "currency": "EUR"}; None if unclear."""
    if not any(isinstance(value.get(key), _Number) for key in _AMOUNTS):
        return _NO_UNIT
    words = " ".join(_scalar(value[key]) for key in _UNIT_KEYS if key in value).split()
    scales = [scale for word in words if (scale := _SCALES.get(word.lower().removesuffix("s")))]
    unit = " ".join(word for word in words if word.lower().removesuffix("s") not in _SCALES)
    if len(scales) > 1 or (unit and not re.fullmatch(rf"[A-Z]{{3}}|{_UNIT.pattern}", unit)):
        return None
    return _StatedUnit(unit, sum(scales))


def _is_leaf(value: Any) -> bool:
    """Return whether an object only wraps one text: {"text": "180 sq km"} is printed as its name and the text."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), str)


def _listed(path: tuple[str, ...], values: list[Any]) -> Iterator[Block]:
    """Yield one paragraph for the scalar values of a list."""
    words = [text for value in values if (text := " ".join(_paragraphs(_scalar(value))))]
    if words:
        yield Paragraph([f"{path[-1].strip()}: " if path else "", ", ".join(words)])


def _field(path: tuple[str, ...], text: str, subject: _Subject) -> Iterator[Block]:
    """Yield a field as paragraphs that start with its name."""
    named = path[:-1] if len(path) > 1 and path[-1] in _TEXT_KEYS else path
    label = named[-1].strip() if named else ""
    is_amount = subject.unit != _NO_UNIT and path[-1] in _AMOUNTS
    subject = subject if is_amount else subject._replace(unit=_NO_UNIT)
    paragraphs = _paragraphs(text)
    for position, paragraph in enumerate(paragraphs):
        # A note often starts with "note:" itself.
        again = paragraph.lower().startswith(f"{label.lower()}:") or not label or position
        lead = "" if again else f"{label}: "
        measured = path[:-1] if is_amount else named
        is_general = len(measured) == 2 and measured[-1].strip().lower() in _GENERAL_NAMES
        keys = measured if is_general or _OTHER_GROUP.search(_CAPITAL.sub("_", measured[0])) else measured[1:]
        attribute = ", ".join(key.strip() for key in keys or measured)
        is_plain = isinstance(text, _Number) and not _NO_FIGURE.search(_CAPITAL.sub("_", path[-1]))
        number = _number_with_unit(paragraph, attribute, subject, is_plain)
        yield Paragraph([lead, *number] if number and len(paragraphs) == 1 else [lead + paragraph])


_GENERAL_NAMES = frozenset({"total", "amount", "value", "count", "sum", "all", "overall", "average", "mean"})
"""Names that say nothing without the name of their group: {"staff": {"total": 12}, "visitors": {"total": 900}}."""

_OTHER_GROUP = re.compile(
    r"(?:^|[\W_])(?:prior|previous|last|next|target|targets|budget|plan|planned|forecast|estimate|estimates|peer|peers"
    r"|benchmark|industry|quarter|half|q[1-4]|h[12]|(?:19|20)\d\d)(?:$|[\W_])|上年|去年|上期|预算|计划|目标|预测|同行|季度",
    re.IGNORECASE,
)
"""Groups of figures that are not those of the report: {"previous_year": {"staff": 390}}."""
_BREAK = re.compile(r"(?:<br\s*/?>\s*){2,}|</?(?:p|div|li|ul|ol|h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(?:/?[A-Za-z][^<>]*|!--[^<>]*--)>")


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a field, which may contain HTML tags and character references."""
    if "<" not in text and "&" not in text:
        return [text.strip()] if text.strip() else []
    pieces = (
        html.unescape(_TAG.sub(lambda tag: " " if tag[0].lower().startswith("<br") else "", piece))
        for piece in _BREAK.split(text)
    )
    return [" ".join(piece.split()) for piece in pieces if piece.strip()]


_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_NUMBER_WITH_UNIT = re.compile(
    r"(?P<sign>-?)(?P<money>\$?)(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,15}(?:\.[0-9]{1,10})?)"
    r"(?: (?P<scale>thousand|million|billion|trillion))?"
    r"(?P<unit>%| ?[A-Za-z(][A-Za-z()/ ]{0,40}(?:/[0-9,]{1,9} [a-z ]{1,30})?)?"
    r"(?: \((?P<year>[0-9]{4})(?: est\.)?\))?"
)

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_FIGURE = re.compile(
    r"(?:^|[\W_])(?:id|ids|uid|uuid|key|code|number|no|nr|year|month|day|date|time|timestamp|zip|postal|postcode|phone|tel"
    r"|fax|lat|lon|lng|latitude|longitude|rank|order|index|position|version|isbn|issn|page|x|y|z)$"
    r"|(?:年份|年度|月份|日期|编号|代码|邮编|邮政编码|电话|排名|序号)$",
    re.IGNORECASE,
)
"""The end of names whose numbers are codes, dates or places, not figures."""
_UNIT_WORD = r"(?:[a-z]{2,20}(?:\(s\))?|m|kWh?|[GMT]Wh?|Btu|CO2|[0-9,]{1,9})"
_UNIT = re.compile(rf"%|{_UNIT_WORD}(?:[ /]{_UNIT_WORD}){{0,6}}")
_CONJUNCTION = re.compile(r"\b(?:and|or|to|million|billion|trillion|thousand)\b")


def _number_with_unit(text: str, attribute: str, subject: _Subject, is_plain: bool) -> Inlines:
    """Return the inlines of a field that is only a number with its unit and year; none for any other.

    `is_plain` says that the file has it as a number, and not as text.
    """
    # The whole text must match: "443 sq km (Antigua 280 sq km)" or "17% of GDP; 20% in 2020" state two values.
    match = _NUMBER_WITH_UNIT.fullmatch(text) if len(text) < 120 else None
    if match is None or not attribute:
        return []
    unit = (match["unit"] or "").strip()
    # Digits in quotes may be a year, a code or a telephone number.
    if not (unit or match["money"] or match["scale"] or match["year"] or is_plain):
        return []
    if unit and (match["money"] or not _UNIT.fullmatch(unit) or _CONJUNCTION.search(unit)):
        return []
    stated = _NO_UNIT if unit or match["money"] else subject.unit
    if stated is None:
        return []
    value = Decimal(match["sign"] + match["number"].replace(",", ""))
    value = Decimal(format(value.scaleb(_SCALES.get(match["scale"] or "", stated.scale)), "f"))
    printed = match["number"] if match["money"] else match["sign"] + match["number"]
    start = match.start("number") if match["money"] else 0
    unit = "USD" if match["money"] else unit or stated.name
    number = TaggedNumber(printed, subject.entity, attribute, match["year"] or subject.year, value, unit)
    return [text[:start], number, text[match.end("number") :]]

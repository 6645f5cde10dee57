"""Writes generated reports as inline XBRL filings with tagged numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from html import escape

from fathom.corpus.readers.parsed_document import (
    Block,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    TableCell,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.blocks import inline_text


def ixbrl(document: ParsedDocument) -> dict[str, bytes]:
    """Return a report as a filing, with its numbers tagged."""
    filing = _Filing()
    body = "".join(map(filing.block, document.body))
    filer = filing.context("filer", str(document.year or 2020), "", instant=False)
    hidden = (
        f'<ix:nonNumeric name="dei:DocumentType" contextRef="{filer}">10-K</ix:nonNumeric>'
        f'<ix:nonNumeric name="dei:DocumentFiscalYearFocus" contextRef="{filer}">{document.year or ""}</ix:nonNumeric>'
    )
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<html {_NAMESPACES} xml:lang="{document.language}">'
        f"<head><title>{escape(document.title)}</title></head><body>"
        f'<div style="display:none"><ix:header><ix:hidden>{hidden}</ix:hidden>'
        f"<ix:resources>{filing.resources()}</ix:resources></ix:header></div>{body}</body></html>"
    )
    return {"report.htm": text.encode()}


_NAMESPACES = " ".join(
    f'xmlns{prefix}="{name}"'
    for prefix, name in {
        "": "http://www.w3.org/1999/xhtml",
        ":ix": "http://www.xbrl.org/2013/inlineXBRL",
        ":ixt": "http://www.xbrl.org/inlineXBRL/transformation/2020-02-12",
        ":xbrli": "http://www.xbrl.org/2003/instance",
        ":xbrldi": "http://xbrl.org/2006/xbrldi",
        ":xsi": "http://www.w3.org/2001/XMLSchema-instance",
        ":iso4217": "http://www.xbrl.org/2003/iso4217",
        ":dei": "http://xbrl.sec.gov/dei/2023",
        ":own": "http://example.org/own",
    }.items()
)

_INSTANT_ATTRIBUTES = frozenset(
    ("total_assets", "current_assets", "noncurrent_assets", "equity", "total_liabilities", "cash", "closing_cash",
     "net_debt", "borrowings", "inventories", "employees", "order_backlog", "shares_outstanding", "segment_assets")
)  # fmt: skip
"""Attributes measured on the last day of a period, not over the period."""
_PER_SHARE_ATTRIBUTES = frozenset(("basic_eps", "diluted_eps", "dividend_per_share", "share_price"))
_PERIOD = re.compile(r"(\d{4})(?:-Q([1-4]))?")
_LAST_DAYS = {3: 31, 6: 30, 9: 30, 12: 31}
_PRINTED = re.compile(r"([(\-−–]?)([0-9][0-9,]*(?:\.[0-9]+)?)(\)?)")
_SCALES = (0, 3, 6, 9, 12, -2, -3)
"""Powers of ten by which a printed number may be scaled, in order of preference."""


class _Filing:
    """Writes blocks with tagged numbers, and collects the contexts and units that the tags refer to."""

    def __init__(self) -> None:
        self._contexts: dict[tuple[str, str, str, bool], str] = {}
        self._units: dict[str, str] = {}

    def block(self, block: Block) -> str:
        match block:
            case Heading(level, inlines):
                return f"<h{level}>{self._inlines(inlines)}</h{level}>"
            case Paragraph(inlines):
                return f"<p>{self._inlines(inlines)}</p>"
            case ParsedTable(caption, rows):
                caption_tag = f"<caption>{self._inlines(caption)}</caption>" if caption else ""
                return f"<table>{caption_tag}{''.join(map(self._row, rows))}</table>"

    def _row(self, row: Sequence[TableCell]) -> str:
        cells = (
            f"<{tag}>{self._inlines(cell.inlines)}</{tag}>" for cell in row for tag in ["th" if cell.header else "td"]
        )
        return f"<tr>{''.join(cells)}</tr>"

    def _inlines(self, inlines: Inlines) -> str:
        return "".join(
            self._tag(piece) if isinstance(piece, TaggedNumber) else escape(inline_text(piece)) for piece in inlines
        )

    def _tag(self, number: TaggedNumber) -> str:
        """Return the number in a tag, sign and brackets outside; untagged if no tag can state its period or value."""
        if not _PERIOD.fullmatch(number.period):
            return escape(number.text)
        instant = number.attribute in _INSTANT_ATTRIBUTES and len(number.period) == 4
        context = self.context(number.entity, number.period, number.part, instant)
        names = f'name="own:{number.attribute}" contextRef="{context}" unitRef="{self._unit(number)}"'
        if number.value is None:
            return f'<ix:nonFraction {names} xsi:nil="true">{escape(number.text)}</ix:nonFraction>'
        printed = _PRINTED.fullmatch(number.text)
        scale = _scale(printed[2], number.value, number.unit) if printed is not None else None
        if printed is None or scale is None:
            return escape(number.text)
        sign = ' sign="-"' if number.value < 0 else ""
        decimals = len(printed[2].partition(".")[2])
        return (
            f'{printed[1]}<ix:nonFraction {names} format="ixt:num-dot-decimal" decimals="{decimals - scale}"'
            f' scale="{scale}"{sign}>{printed[2]}</ix:nonFraction>{printed[3]}'
        )

    def context(self, entity: str, period: str, part: str, instant: bool) -> str:
        """Return the id of a context, which is new if no tag has referred to it."""
        return self._contexts.setdefault((entity, period, part, instant), f"c{len(self._contexts)}")

    def _unit(self, number: TaggedNumber) -> str:
        measure = {"%": "xbrli:pure", "": "xbrli:pure", "shares": "xbrli:shares"}.get(number.unit)
        if measure is None:
            currency = re.fullmatch("[A-Z]{3}", number.unit)
            measure = f"iso4217:{number.unit}" if currency else "own:" + re.sub(r"\W", "_", number.unit)
        content = f"<xbrli:measure>{measure}</xbrli:measure>"
        if number.attribute in _PER_SHARE_ATTRIBUTES:
            denominator = "<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator>"
            content = f"<xbrli:divide><xbrli:unitNumerator>{content}</xbrli:unitNumerator>{denominator}</xbrli:divide>"
        return self._units.setdefault(content, f"u{len(self._units)}")

    def resources(self) -> str:
        contexts = "".join(_context(name, *key) for key, name in self._contexts.items())
        return contexts + "".join(
            f'<xbrli:unit id="{name}">{content}</xbrli:unit>' for content, name in self._units.items()
        )


def _context(name: str, entity: str, period: str, part: str, instant: bool) -> str:
    member = f'<xbrldi:typedMember dimension="own:PartAxis"><own:part>{escape(part)}</own:part></xbrldi:typedMember>'
    segment = f"<xbrli:segment>{member}</xbrli:segment>" if part else ""
    start, end = _days(period)
    days = (
        f"<xbrli:instant>{end}</xbrli:instant>"
        if instant
        else f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
    )
    return (
        f'<xbrli:context id="{name}"><xbrli:entity><xbrli:identifier scheme="http://example.org/companies">'
        f"{escape(entity)}</xbrli:identifier>{segment}</xbrli:entity><xbrli:period>{days}</xbrli:period></xbrli:context>"
    )


def _days(period: str) -> tuple[str, str]:
    """Return the first and last day of a year or quarter."""
    year, _, quarter = period.partition("-Q")
    last = 3 * int(quarter) if quarter else 12
    return f"{year}-{last - 2 if quarter else 1:02d}-01", f"{year}-{last:02d}-{_LAST_DAYS[last]}"


def _scale(printed: str, value: Decimal, unit: str) -> int | None:
    """Return the power of ten that turns the printed number into its value; None if there is none."""
    # Filings state a percentage as a fraction: 0.05 for 5%.
    target = abs(value) / 100 if unit == "%" else abs(value)
    parsed = Decimal(printed.replace(",", ""))
    scales = (-2, *_SCALES) if unit == "%" else _SCALES
    return next((scale for scale in scales if parsed.scaleb(scale) == target), None)

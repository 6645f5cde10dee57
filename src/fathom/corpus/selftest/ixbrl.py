"""Writes generated reports as inline XBRL filings, in which every printed figure is tagged."""

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


def ixbrl(found: ParsedDocument) -> dict[str, bytes]:
    """A report whose figures are tagged, as companies file it with their supervisor."""
    filing = _Filing()
    body = "".join(map(filing.block, found.body))
    about = filing.context("filer", str(found.year or 2020), "", instant=False)
    hidden = (
        f'<ix:nonNumeric name="dei:DocumentType" contextRef="{about}">10-K</ix:nonNumeric>'
        f'<ix:nonNumeric name="dei:DocumentFiscalYearFocus" contextRef="{about}">{found.year or ""}</ix:nonNumeric>'
    )
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<html {_NAMESPACES} xml:lang="{found.language}">'
        f"<head><title>{escape(found.title)}</title></head><body>"
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

_AT_AN_INSTANT = frozenset(
    ("total_assets", "current_assets", "noncurrent_assets", "equity", "total_liabilities", "cash", "closing_cash",
     "net_debt", "borrowings", "inventories", "employees", "order_backlog", "shares_outstanding", "segment_assets")
)  # fmt: skip
"""What is counted on the last day and not over the year."""
_PER_SHARE = frozenset(("basic_eps", "diluted_eps", "dividend_per_share", "share_price"))
_PERIOD = re.compile(r"(\d{4})(?:-Q([1-4]))?")
_LAST_DAYS = {3: 31, 6: 30, 9: 30, 12: 31}
_PRINTED = re.compile(r"([(\-−–]?)([0-9][0-9,]*(?:\.[0-9]+)?)(\)?)")
_SCALES = (0, 3, 6, 9, 12, -2, -3)


class _Filing:
    """Tags figures, and keeps the contexts and units that the tags name."""

    def __init__(self) -> None:
        self._contexts: dict[tuple[str, str, str, bool], str] = {}
        self._units: dict[str, str] = {}

    def block(self, block: Block) -> str:
        match block:
            case Heading(level, words):
                return f"<h{level}>{self._words(words)}</h{level}>"
            case Paragraph(words):
                return f"<p>{self._words(words)}</p>"
            case ParsedTable(caption, rows):
                said = f"<caption>{self._words(caption)}</caption>" if caption else ""
                return f"<table>{said}{''.join(map(self._row, rows))}</table>"

    def _row(self, row: Sequence[TableCell]) -> str:
        cells = (f"<{tag}>{self._words(one.inlines)}</{tag}>" for one in row for tag in ["th" if one.header else "td"])
        return f"<tr>{''.join(cells)}</tr>"

    def _words(self, words: Inlines) -> str:
        return "".join(
            self._tagged(piece)
            if isinstance(piece, TaggedNumber)
            else escape(piece if isinstance(piece, str) else piece.text)
            for piece in words
        )

    def _tagged(self, figure: TaggedNumber) -> str:
        """The figure in its tag, with sign and brackets outside of it; bare where a tag could not say its value."""
        if not _PERIOD.fullmatch(figure.period):
            return escape(figure.text)
        instant = figure.attribute in _AT_AN_INSTANT and len(figure.period) == 4
        context = self.context(figure.entity, figure.period, figure.part, instant)
        names = f'name="own:{figure.attribute}" contextRef="{context}" unitRef="{self._unit(figure)}"'
        if figure.value is None:
            return f'<ix:nonFraction {names} xsi:nil="true">{escape(figure.text)}</ix:nonFraction>'
        printed = _PRINTED.fullmatch(figure.text)
        scale = _scale(printed[2], figure.value, figure.unit) if printed is not None else None
        if printed is None or scale is None:
            return escape(figure.text)
        sign = ' sign="-"' if figure.value < 0 else ""
        places = len(printed[2].partition(".")[2])
        return (
            f'{printed[1]}<ix:nonFraction {names} format="ixt:num-dot-decimal" decimals="{places - scale}"'
            f' scale="{scale}"{sign}>{printed[2]}</ix:nonFraction>{printed[3]}'
        )

    def context(self, entity: str, period: str, part: str, instant: bool) -> str:
        return self._contexts.setdefault((entity, period, part, instant), f"c{len(self._contexts)}")

    def _unit(self, figure: TaggedNumber) -> str:
        measure = {"%": "xbrli:pure", "": "xbrli:pure", "shares": "xbrli:shares"}.get(figure.unit)
        if measure is None:
            money = re.fullmatch("[A-Z]{3}", figure.unit)
            measure = f"iso4217:{figure.unit}" if money else "own:" + re.sub(r"\W", "_", figure.unit)
        content = f"<xbrli:measure>{measure}</xbrli:measure>"
        if figure.attribute in _PER_SHARE:
            below = "<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator>"
            content = f"<xbrli:divide><xbrli:unitNumerator>{content}</xbrli:unitNumerator>{below}</xbrli:divide>"
        return self._units.setdefault(content, f"u{len(self._units)}")

    def resources(self) -> str:
        """All contexts and units that were named."""
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
    """The first and the last day of a year or of a quarter."""
    year, _, quarter = period.partition("-Q")
    last = 3 * int(quarter) if quarter else 12
    return f"{year}-{last - 2 if quarter else 1:02d}-01", f"{year}-{last:02d}-{_LAST_DAYS[last]}"


def _scale(printed: str, value: Decimal, unit: str) -> int | None:
    """By how many places the printed number falls short of its value; None where no scale makes the one the other."""
    # Filings hold a percentage as a share of one.
    wanted = abs(value) / 100 if unit == "%" else abs(value)
    number = Decimal(printed.replace(",", ""))
    scales = (-2, *_SCALES) if unit == "%" else _SCALES
    return next((scale for scale in scales if number.scaleb(scale) == wanted), None)

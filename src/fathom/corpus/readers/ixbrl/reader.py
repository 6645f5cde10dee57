"""Inline XBRL: filings whose printed numbers carry their meaning. The text is read as a page, the tags as facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any

from lxml import etree

from fathom.corpus.readers.html.layout import Layout
from fathom.corpus.readers.ixbrl.elements import (
    FACTS,
    MOST_TEXT,
    NUMBERS,
    attribute_of,
    is_nil,
    is_tag,
    local_name,
    root_of,
    text_of,
)
from fathom.corpus.readers.ixbrl.numbers import value_of
from fathom.corpus.readers.parsed_document import (
    CompanionFiles,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.titles import title_from
from fathom.corpus.readers.parsing.xml_trees import walk_tree

FORMAT = "ixbrl"


def matches(name: str, head: bytes) -> bool:
    """Whether the file names the inline XBRL namespace, whatever it is called itself."""
    return b"inlineXBRL" in head or b"i\0n\0l\0i\0n\0e\0X\0B\0R\0L" in head


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The filing as one report with its facts."""
    try:
        found = _Filing(content).found(name)
    except UnicodeDecodeError as error:
        # The parser lets "&#xd800;" pass, and fails when it is asked for the text.
        raise ReadError("it names half a character, which no text can hold") from error
    return iter([found])


def facts_of(content: bytes) -> Iterator[RawFact]:
    """Every tagged fact in document order, those of the hidden part included."""
    return _Filing(content).facts()


@dataclass(frozen=True)
class RawFact:
    """One tag: what it says, in which context, and whether it is printed."""

    concept: str
    """As written, with its prefix: "us-gaap:Revenues"."""
    entity: str
    """The registrant's identifier: a CIK, a company number."""
    start: str
    """An ISO date; empty for an instant."""
    end: str
    """An ISO date: the instant, or the last day."""
    dimensions: tuple[tuple[str, str], ...]
    numeric: bool
    value: Decimal | None
    """In plain units; None for a text, for nil and where the number cannot be read."""
    unit: str
    text: str
    """As printed; the beginning of it for a long text."""
    hidden: bool
    """In the part of the file that is never shown."""
    nil: bool
    decimals: str
    fault: str = ""
    """Why a number has no value."""

    @property
    def period(self) -> str:
        """The instant, or "START/END"."""
        return f"{self.start}/{self.end}" if self.start else self.end

    @property
    def part(self) -> str:
        """The dimensions as one text: "axis=member; axis=member"."""
        return "; ".join(f"{axis}={member}" for axis, member in self.dimensions)


# Contexts and units.


@dataclass(frozen=True)
class _ContextOf:
    """Whom and when a fact is about."""

    entity: str = ""
    start: str = ""
    end: str = ""
    dimensions: tuple[tuple[str, str], ...] = ()


def _context(element: Any) -> _ContextOf:
    entity = start = end = ""
    dimensions: list[tuple[str, str]] = []
    for inner in element.iter():
        match local_name(inner):
            case "identifier":
                entity = text_of(inner).strip()
            case "instant" | "enddate":
                end = _day(text_of(inner), last=True)
            case "startdate":
                start = _day(text_of(inner), last=False)
            case "explicitmember" | "typedmember":
                dimensions.append((attribute_of(inner, "dimension"), " ".join(text_of(inner).split())))
    return _ContextOf(entity, start, end, tuple(dimensions))


_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(T00:00:00)?")


def _day(text: str, last: bool) -> str:
    """An ISO date; midnight at the end of a period is the day before."""
    match = _DAY.match(text.strip())
    if match is None:
        return ""
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        return (day - timedelta(days=1) if match[4] and last else day).isoformat()
    except (ValueError, OverflowError):
        return ""


def _unit(element: Any) -> str:
    """What one is: "USD", "USD/shares"."""
    above: list[str] = []
    below: list[str] = []
    for inner in element.iter():
        if local_name(inner) == "measure":
            parent = inner.getparent()
            place = below if parent is not None and local_name(parent) == "unitdenominator" else above
            place.append(text_of(inner).strip().rpartition(":")[2])
    return "*".join(above) + ("/" + "*".join(below) if below else "")


# The filing.

_NAMES = (
    "entityregistrantname",
    "entitycurrentlegalorregisteredname",
    "nameofreportingentityorothermeansofidentification",
)
_ENDS = (
    "documentperiodenddate",
    "balancesheetdate",
    "enddateforperiodcoveredbyreport",
    "dateofendofreportingperiod2013",
)
_YEARS = ("documentfiscalyearfocus",)
_TYPES = ("documenttype",)
_REPORTS = {"10-K": "annual report", "20-F": "annual report", "40-F": "annual report", "10-Q": "quarterly report"}


@dataclass
class _Notes:
    """What is counted while the text is read."""

    hidden: int = 0
    unprinted: int = 0
    faults: Counter[str] = field(default_factory=Counter)


class _Filing:
    """A parsed filing, with its contexts, units and continuations at hand."""

    def __init__(self, content: bytes) -> None:
        self._tree, self._fault = root_of(content)
        self._contexts: dict[str, _ContextOf] = {}
        self._units: dict[str, str] = {}
        self._continued: dict[str, Any] = {}
        self._tags = 0
        for element in self._tree.iter():
            self._index(element, local_name(element))
        if not self._tags:
            raise ReadError("it has no inline XBRL tags")

    def _index(self, element: Any, name: str) -> None:
        if name == "context":
            self._contexts.setdefault(attribute_of(element, "id"), _context(element))
        elif name == "unit":
            self._units.setdefault(attribute_of(element, "id"), _unit(element))
        elif name == "continuation" and is_tag(element):
            self._continued.setdefault(attribute_of(element, "id"), element)
        elif name in FACTS and is_tag(element):
            self._tags += 1

    def facts(self, wanted: tuple[str, ...] = FACTS) -> Iterator[RawFact]:
        """Every fact in document order."""
        hidden = 0
        for event, element in etree.iterwalk(self._tree, events=("start", "end")):
            name = local_name(element)
            if name in ("hidden", "header") and is_tag(element):
                hidden += 1 if event == "start" else -1
            elif event == "start" and name in wanted and is_tag(element):
                yield self._fact(element, name in NUMBERS, hidden > 0)

    def _fact(self, element: Any, numeric: bool, hidden: bool) -> RawFact:
        context = self._contexts.get(attribute_of(element, "contextRef"), _ContextOf())
        nil = is_nil(element)
        text = text_of(element) if numeric else self._whole(element)
        value, fault = None, ""
        if numeric and not nil:
            try:
                value = _quotient(element) if local_name(element) == "fraction" else _value(element)
            except ValueError as error:
                fault = str(error)
        return RawFact(
            concept=attribute_of(element, "name"),
            entity=context.entity,
            start=context.start,
            end=context.end,
            dimensions=context.dimensions,
            numeric=numeric,
            value=value,
            unit=self._units.get(attribute_of(element, "unitRef"), "") if numeric else "",
            text=" ".join(text.split()),
            hidden=hidden,
            nil=nil,
            decimals=attribute_of(element, "decimals"),
            fault=fault,
        )

    def _whole(self, element: Any) -> str:
        """A text with its continuations, which stand elsewhere in the page."""
        text = text_of(element)
        seen: set[str] = set()
        following = attribute_of(element, "continuedAt")
        while following in self._continued and following not in seen and len(seen) < 100 and len(text) < MOST_TEXT:
            seen.add(following)
            text += text_of(self._continued[following])
            following = attribute_of(self._continued[following], "continuedAt")
        return text

    # The report.

    def found(self, name: str) -> ParsedDocument:
        about = _About.of(self.facts(("nonnumeric",)))
        notes = _Notes()
        layout = Layout()
        self._lay_out(layout, about, notes)
        body = layout.blocks()
        if not any(isinstance(block, Paragraph | ParsedTable) for block in body):
            raise ReadError("the filing has no visible text")
        return ParsedDocument(
            name,
            kind="report",
            language=_language(self._tree),
            title=about.title or self._page_title() or title_from(name),
            body=body,
            year=about.year,
            venue=f"Form {about.form}" if about.form else None,
            uncertain=self._noted(notes),
        )

    def _noted(self, notes: _Notes) -> dict[str, str]:
        said: dict[str, str] = {"text": self._fault} if self._fault else {}
        if notes.hidden or notes.unprinted:
            said["facts"] = f"{notes.hidden} in the hidden part and {notes.unprinted} without printed characters"
        if notes.faults:
            fault, count = notes.faults.most_common(1)[0]
            said["numbers"] = f"{notes.faults.total()} could not be read, such as {fault} ({count} times)"
        return said

    def _page_title(self) -> str:
        title = next((element for element in self._tree.iter() if local_name(element) == "title"), None)
        return " ".join(text_of(title).split()) if title is not None else ""

    def _lay_out(self, layout: Layout, about: _About, notes: _Notes) -> None:
        """Feed the layout; a tagged number is one piece, whatever is nested in it."""
        # One number may be tagged several times over, one tag inside another: all of them mean the same characters.
        nested: list[RawFact] = []
        depth = unseen = 0
        printed: list[str] = []
        for event, node in walk_tree(self._tree):
            if event == "text":
                if depth:
                    printed.append(node)
                elif not unseen:
                    layout.text(node)
                continue
            name = local_name(node)
            number = name in NUMBERS and is_tag(node)
            if name == "header" and is_tag(node):
                # Never opened in the layout, so not closed there either: it would take its neighbor's end.
                unseen += 1 if event == "open" else -1
            elif unseen:
                notes.hidden += number and event == "open"
            elif number:
                depth += 1 if event == "open" else -1
                if event == "open":
                    nested.append(self._fact(node, True, False))
                elif not depth:
                    self._print(layout, "".join(printed), nested, about, notes)
                    nested, printed = [], []
            elif depth:
                continue
            elif event == "open":
                layout.opens(_shown(node, name), _attributes(node))
            else:
                layout.closes()

    def _print(self, layout: Layout, text: str, nested: list[RawFact], about: _About, notes: _Notes) -> None:
        figures: list[TaggedNumber] = []
        for fact in nested:
            if fact.fault:
                notes.faults[fact.fault] += 1
            elif not text.strip() or layout.hidden:
                notes.unprinted += 1
            else:
                figures.append(about.figure(text.strip(), fact))
        lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        layout.text(lead)
        if figures:
            layout.figure(replace(figures[0], others=tuple(figures[1:])))
        else:
            layout.text(text.strip())
        layout.text(trail if text.strip() else "")


def _value(element: Any) -> Decimal:
    """What a tag around a printed number says; raises ValueError where there is no number."""
    form, scale, sign = (attribute_of(element, name) for name in ("format", "scale", "sign"))
    return value_of(text_of(element), form, scale, sign)


def _quotient(element: Any) -> Decimal:
    """What a tagged fraction says: "1 for every 4" is 0.25, and a third is as long as decimals are reckoned."""
    parts = {
        name: one for one in islice(element.iter(), MOST_TEXT) if (name := local_name(one)) in _TERMS and is_tag(one)
    }
    if len(parts) < len(_TERMS):
        raise ValueError("a fraction without numerator or denominator")
    above, below = (_value(parts[name]) for name in _TERMS)
    if not below:
        raise ValueError("a fraction of nothing")
    return Decimal(format(above / below, "f"))


_TERMS = ("numerator", "denominator")


def _shown(node: Any, name: str) -> str:
    """The element's name for the layout: tags of other languages look like nothing."""
    tag = node.tag
    return name if "xhtml}" in tag or ("}" not in tag and ":" not in tag) else "span"


def _attributes(node: Any) -> Mapping[str, str]:
    # Each is looked for among all: fifty thousand of them take seconds, and no filing writes more than a few.
    if len(node.attrib) > 1_000:
        raise ReadError("an element has more than 1,000 attributes")
    return {str(key).lower(): str(value) for key, value in node.attrib.items()}


def _language(root: Any) -> str:
    named = root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("lang") or "en"
    return named[:2].lower() if re.match(r"[A-Za-z]{2}(?:-|$)", named) else "en"


# What the filing says about itself.

_FORM = re.compile(r"[0-9A-Z]{1,4}(?:-[0-9A-Z]{1,4}){0,3}")


@dataclass
class _About:
    """Who filed what, for which year."""

    names: dict[str, str] = field(default_factory=dict)
    """The registrant's name by its identifier."""
    title: str = ""
    year: int | None = None
    form: str = ""

    @classmethod
    def of(cls, facts: Iterator[RawFact]) -> _About:
        """From the facts that are texts."""
        about = cls()
        ends: list[str] = []
        years: list[str] = []
        forms: list[str] = []
        for fact in facts:
            name = fact.concept.rpartition(":")[2].lower()
            if not fact.text:
                continue
            if name in _NAMES and not _by_member(fact):
                about.names.setdefault(fact.entity, fact.text[:200])
            elif name in _ENDS:
                ends.append(fact.end or fact.text)
            elif name in _YEARS:
                years.append(fact.text)
            elif name in _TYPES and _FORM.fullmatch(fact.text):
                forms.append(fact.text)
        about._settle(ends, years, forms)
        return about

    def _settle(self, ends: list[str], years: list[str], forms: list[str]) -> None:
        self.form = forms[0] if forms else ""
        said = next((year for text in [*years, *ends] if (year := _year(text))), None)
        self.year = said
        name = next(iter(self.names.values()), "")
        what = _REPORTS.get(self.form.removesuffix("/A"), "report" if self.form else "annual accounts")
        if name:
            self.title = f"{name}: {what}" + (f" {said}" if said else "")

    def figure(self, text: str, fact: RawFact) -> TaggedNumber:
        """A fact as printed, under its registrant's name where the filing gives one."""
        entity = self.names.get(fact.entity) or fact.entity
        return TaggedNumber(text, entity, fact.concept, fact.period, fact.value, fact.unit, fact.part)


def _by_member(fact: RawFact) -> bool:
    """Whether a name is that of a part: a subsidiary that files together with its parent."""
    return bool(fact.dimensions)


def _year(text: str) -> int | None:
    match = re.search(r"\b(?:19|20)[0-9]{2}\b", text)
    return int(match[0]) if match else None

"""Inline XBRL reader: the text of a filing as a page, and its tagged numbers as facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree

from fathom.corpus.readers.html.layout import BlockBuilder
from fathom.corpus.readers.ixbrl.elements import (
    FACT_TAGS,
    MAX_TEXT,
    NUMBER_TAGS,
    attribute,
    element_text,
    is_ixbrl,
    is_nil,
    local_name,
    parse_filing,
)
from fathom.corpus.readers.ixbrl.facts import FactContext, RawFact, fact_value, read_context, read_unit
from fathom.corpus.readers.parsed_document import (
    PAPER_FIELDS,
    CompanionFiles,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.text_cleanup import language_code, title_from_name, word_set
from fathom.corpus.readers.parsing.xml_trees import Element, walk_tree

FORMAT = "ixbrl"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def matches(name: str, head: bytes) -> bool:
    """Return whether a file contains the inline XBRL namespace."""
    return b"inlineXBRL" in head or b"i\0n\0l\0i\0n\0e\0X\0B\0R\0L" in head


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Yield the filing as one report with its facts."""
    try:
        document = _Filing(content).read(name)
    except UnicodeDecodeError as error:
        # The parser accepts "&#xd800;" and fails when its text is read.
        raise ReadError("it contains a lone surrogate, which is not a valid character") from error
    return iter([document])


def facts_of(content: bytes) -> Iterator[RawFact]:
    """Yield every tagged fact in document order, including hidden ones."""
    return _Filing(content).facts()


# The filing.

_NAMES = word_set(
    "entityregistrantname entitycurrentlegalorregisteredname nameofreportingentityorothermeansofidentification"
)
_ENDS = word_set(
    "documentperiodenddate balancesheetdate enddateforperiodcoveredbyreport dateofendofreportingperiod2013"
)
_YEARS = ("documentfiscalyearfocus",)
_TYPES = ("documenttype",)
_REPORTS = {"10-K": "annual report", "20-F": "annual report", "40-F": "annual report", "10-Q": "quarterly report"}


@dataclass
class _ReadingNotes:
    hidden: int = 0
    unprinted: int = 0
    faults: Counter[str] = field(default_factory=Counter)


class _Filing:
    """A parsed filing with its contexts, units and continuations."""

    def __init__(self, content: bytes) -> None:
        self._tree, self._fault = parse_filing(content)
        self._contexts: dict[str, FactContext] = {}
        self._units: dict[str, str] = {}
        self._continued: dict[str, Any] = {}
        self._fact_count = 0
        for element in self._tree.iter():
            self._index(element, local_name(element))
        if not self._fact_count:
            raise ReadError("it has no inline XBRL tags")

    def _index(self, element: Element, name: str) -> None:
        if name == "context":
            self._contexts.setdefault(attribute(element, "id"), read_context(element))
        elif name == "unit":
            self._units.setdefault(attribute(element, "id"), read_unit(element))
        elif name == "continuation" and is_ixbrl(element):
            self._continued.setdefault(attribute(element, "id"), element)
        elif name in FACT_TAGS and is_ixbrl(element):
            self._fact_count += 1

    def facts(self, wanted: tuple[str, ...] = FACT_TAGS) -> Iterator[RawFact]:
        """Yield every fact in document order."""
        hidden = 0
        for event, element in etree.iterwalk(self._tree, events=("start", "end")):
            name = local_name(element)
            if name in ("hidden", "header") and is_ixbrl(element):
                hidden += 1 if event == "start" else -1
            elif event == "start" and name in wanted and is_ixbrl(element):
                yield self._fact(element, name in NUMBER_TAGS, hidden > 0)

    def _fact(self, element: Element, numeric: bool, hidden: bool) -> RawFact:
        context = self._contexts.get(attribute(element, "contextRef"), FactContext())
        text = element_text(element) if numeric else self._continued_text(element)
        value, fault = None, ""
        if numeric and not is_nil(element):
            try:
                value = fact_value(element)
            except ValueError as error:
                fault = str(error)
        return RawFact(
            **vars(context),
            concept=attribute(element, "name"),
            numeric=numeric,
            value=value,
            unit=self._units.get(attribute(element, "unitRef"), "") if numeric else "",
            text=" ".join(text.split()),
            hidden=hidden,
            decimals=attribute(element, "decimals"),
            fault=fault,
        )

    def _continued_text(self, element: Element) -> str:
        """Return a text with its continuations, which are elsewhere in the page."""
        text = element_text(element)
        seen: set[str] = set()
        following = attribute(element, "continuedAt")
        while following in self._continued and following not in seen and len(seen) < 100 and len(text) < MAX_TEXT:
            seen.add(following)
            text += element_text(self._continued[following])
            following = attribute(self._continued[following], "continuedAt")
        return text

    # The report.

    def read(self, name: str) -> ParsedDocument:
        """Return the filing as a report."""
        metadata = _FilingMetadata.of(self.facts(("nonnumeric",)))
        notes = _ReadingNotes()
        layout = BlockBuilder()
        self._fill_layout(layout, metadata, notes)
        body = layout.finish()
        if not any(isinstance(block, Paragraph | ParsedTable) for block in body):
            raise ReadError("the filing has no visible text")
        return ParsedDocument(
            name,
            kind="report",
            language=language_code(self._tree.get(_LANGUAGE) or self._tree.get("lang")) or "en",
            title=metadata.title or self._page_title() or title_from_name(name),
            body=body,
            year=metadata.year,
            venue=f"Form {metadata.form}" if metadata.form else None,
            stated=PAPER_FIELDS,
            notes=self._uncertain(notes),
        )

    def _uncertain(self, notes: _ReadingNotes) -> dict[str, str]:
        uncertain: dict[str, str] = {"text": self._fault} if self._fault else {}
        if notes.hidden or notes.unprinted:
            uncertain["facts"] = f"{notes.hidden} in the hidden part and {notes.unprinted} without printed characters"
        if notes.faults:
            fault, count = notes.faults.most_common(1)[0]
            uncertain["numbers"] = f"{notes.faults.total()} could not be read, such as {fault} ({count} times)"
        return uncertain

    def _page_title(self) -> str:
        title = next((element for element in self._tree.iter() if local_name(element) == "title"), None)
        return " ".join(element_text(title).split()) if title is not None else ""

    def _fill_layout(self, layout: BlockBuilder, metadata: _FilingMetadata, notes: _ReadingNotes) -> None:
        """Add the page to the layout. A tagged number is one inline, including elements nested in it."""
        # One number may have several nested tags: all of them refer to the same characters.
        nested: list[RawFact] = []
        depth = header_depth = 0
        printed: list[str] = []
        for event, node in walk_tree(self._tree):
            if event == "text":
                if depth:
                    printed.append(node)
                elif not header_depth:
                    layout.add_text(node)
                continue
            name = local_name(node)
            number = name in NUMBER_TAGS and is_ixbrl(node)
            if name == "header" and is_ixbrl(node):
                # Not opened in the layout, so not closed there: that would close another element.
                header_depth += 1 if event == "open" else -1
            elif header_depth:
                notes.hidden += number and event == "open"
            elif number:
                depth += 1 if event == "open" else -1
                if event == "open":
                    nested.append(self._fact(node, True, False))
                elif not depth:
                    self._add_numbers(layout, "".join(printed), nested, metadata, notes)
                    nested, printed = [], []
            elif depth:
                continue
            elif event == "open":
                layout.open_element(_layout_tag(node, name), _attributes(node))
            else:
                layout.close_element()

    def _add_numbers(
        self, layout: BlockBuilder, text: str, nested: list[RawFact], metadata: _FilingMetadata, notes: _ReadingNotes
    ) -> None:
        numbers: list[TaggedNumber] = []
        for fact in nested:
            if fact.fault:
                notes.faults[fact.fault] += 1
            elif not text.strip() or layout.hidden:
                notes.unprinted += 1
            else:
                numbers.append(metadata.tagged_number(text.strip(), fact))
        lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        layout.add_text(lead)
        if numbers:
            layout.add_number(replace(numbers[0], others=tuple(numbers[1:])))
        else:
            layout.add_text(text.strip())
        layout.add_text(trail if text.strip() else "")


def _layout_tag(node: Any, name: str) -> str:
    """Return the element's name for the layout; "span" for elements of other namespaces."""
    tag = node.tag
    return name if "xhtml}" in tag or ("}" not in tag and ":" not in tag) else "span"


def _attributes(node: Any) -> Mapping[str, str]:
    # Attribute lookup is linear: fifty thousand of them take seconds, and no filing has more than a few.
    if len(node.attrib) > 1_000:
        raise ReadError("an element has more than 1,000 attributes")
    return {str(key).lower(): str(value) for key, value in node.attrib.items()}


# Metadata.

_FORM = re.compile(r"[0-9A-Z]{1,4}(?:-[0-9A-Z]{1,4}){0,3}")


@dataclass
class _FilingMetadata:
    """The registrants, title, year and form of a filing."""

    names: dict[str, str] = field(default_factory=dict)
    """The registrant's name by its identifier."""
    title: str = ""
    year: int | None = None
    form: str = ""

    @classmethod
    def of(cls, facts: Iterator[RawFact]) -> _FilingMetadata:
        """Return the metadata in the text facts."""
        metadata = cls()
        ends: list[str] = []
        years: list[str] = []
        forms: list[str] = []
        for fact in facts:
            name = fact.concept.rpartition(":")[2].lower()
            if not fact.text:
                continue
            # A name with dimensions is that of a subsidiary, which files with its parent.
            if name in _NAMES and not fact.dimensions:
                metadata.names.setdefault(fact.entity, fact.text[:200])
            elif name in _ENDS:
                ends.append(fact.end or fact.text)
            elif name in _YEARS:
                years.append(fact.text)
            elif name in _TYPES and _FORM.fullmatch(fact.text):
                forms.append(fact.text)
        metadata._set_title(ends, years, forms)
        return metadata

    def _set_title(self, ends: list[str], years: list[str], forms: list[str]) -> None:
        self.form = forms[0] if forms else ""
        self.year = next((year for text in [*years, *ends] if (year := _year(text))), None)
        name = next(iter(self.names.values()), "")
        report_type = _REPORTS.get(self.form.removesuffix("/A"), "report" if self.form else "annual accounts")
        if name:
            self.title = f"{name}: {report_type}" + (f" {self.year}" if self.year else "")

    def tagged_number(self, text: str, fact: RawFact) -> TaggedNumber:
        """Return a fact as a tagged number, with its registrant's name if known."""
        entity = self.names.get(fact.entity) or fact.entity
        return TaggedNumber(text, entity, fact.concept, fact.period, fact.value, fact.unit, fact.part)


def _year(text: str) -> int | None:
    match = re.search(r"\b(?:19|20)[0-9]{2}\b", text)
    return int(match[0]) if match else None

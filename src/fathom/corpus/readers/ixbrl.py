"""Inline XBRL: filings whose printed numbers carry their meaning. The text is read as a page, the tags as facts."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Context, Decimal
from typing import Any

from lxml import etree

from fathom.corpus.readers.found import Figure, Found, FoundTable, Paragraph, Siblings, Unreadable
from fathom.corpus.readers.tabular import MOST_BYTES, Layout, decoded_as, title_from

KIND = "ixbrl"


def looks_like(name: str, head: bytes) -> bool:
    """Whether the file names the inline XBRL namespace, whatever it is called itself."""
    return b"inlineXBRL" in head or b"i\0n\0l\0i\0n\0e\0X\0B\0R\0L" in head


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """The filing as one report with its facts."""
    try:
        found = _Filing(content).found(name)
    except UnicodeDecodeError as error:
        # The parser lets "&#xd800;" pass, and fails when it is asked for the text.
        raise Unreadable("it names half a character, which no text can hold") from error
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


# Parsing.

_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{2,40})[\"']")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,500}(?:\[[^\]]{0,10000}\]\s*)?>")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9]{0,30});)?")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _root(content: bytes) -> tuple[Any, str]:
    """The document's root, and what was wrong with it."""
    if len(content) > MOST_BYTES:
        raise Unreadable(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        return etree.fromstring(content, _parser()), ""
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        fault = str(error)
    if "depth" in fault.lower():
        raise Unreadable("its elements are nested too deep")
    mended = _mended(content)
    parsers = (_parser(recover=True), etree.HTMLParser(no_network=True, encoding="utf-8"))
    trees = [tree for parser in parsers if (tree := _tolerant(mended, parser)) is not None]
    # Where one parser gives up at a fault the other may go on; a tie is won by the one that knows namespaces.
    best = max(trees, key=_yield, default=None)
    if best is None or not _yield(best)[0]:
        raise Unreadable(f"it is no inline XBRL: {fault[:200]}")
    return best, f"not well formed, read as far as it goes ({fault[:200]})"


def _tolerant(content: bytes, parser: Any) -> Any:
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError, AssertionError):
        return None


def _yield(root: Any) -> tuple[int, int]:
    """How much of a filing is in a tree: its tags and contexts, its characters."""
    names = ((_local(element), element) for element in root.iter())
    tags = sum(name == "context" or (name in ("nonfraction", "nonnumeric") and _is_tag(one)) for name, one in names)
    return tags, sum(map(len, root.itertext()))


def _parser(recover: bool = False) -> Any:
    encoding = "utf-8" if recover else None
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=recover, encoding=encoding
    )


def _mended(content: bytes) -> bytes:
    """The text in UTF-8 with every ampersand in order: a parser that recovers drops "&" and "&nbsp;" in silence."""
    named = _DECLARED.match(content[:400])
    text, _ = decoded_as(content, named[1].decode("ascii") if named else "utf-8")
    text = _DOCTYPE.sub("", _DECLARATION.sub("", text.lstrip("\ufeff")), count=1)
    return _FORBIDDEN.sub("", _AMPERSAND.sub(_reference, text)).encode("utf-8", "replace")


def _reference(match: re.Match[str]) -> str:
    if match[1]:
        return match[0]
    # As numbers: after a fault the parser that recovers drops even "&amp;".
    known = html.entities.html5.get(f"{match[2]};", "") if match[2] else ""
    return "".join(f"&#{ord(sign)};" for sign in known) if known else "&#38;" + match[0][1:]


_LOCAL: dict[str, str] = {}


def _local(element: Any) -> str:
    """An element's name in small letters without its prefix; empty for comments and the like."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    known = _LOCAL.get(tag)
    if known is None:
        known = tag.rpartition("}")[2].rpartition(":")[2].lower()
        if len(_LOCAL) < 10_000:
            _LOCAL[tag] = known
    return known


def _is_tag(element: Any) -> bool:
    """Whether it belongs to inline XBRL."""
    tag = element.tag
    return isinstance(tag, str) and ("inlineXBRL}" in tag or tag.lower().startswith("ix:"))


def _attribute(element: Any, name: str) -> str:
    """An attribute by its local name, whatever its case: the tolerant parser writes all in small letters."""
    value = element.get(name)
    if value is None:
        value = element.get(name.lower())
    return (value or "").strip()


def _is_nil(element: Any) -> bool:
    value = element.get("{http://www.w3.org/2001/XMLSchema-instance}nil") or element.get("xsi:nil") or ""
    return value.strip() in ("true", "1")


def _entity(node: Any) -> str:
    """The character that an unexpanded reference stands for; as written where it is not one that HTML knows."""
    return html.entities.html5.get(f"{node.name};", f"&{node.name};")


_MOST_PIECES = 5_000
_MOST_TEXT = 5_000


def _text(element: Any) -> str:
    """The text in an element, of a long one the beginning; what is excluded from a tag is left out."""
    if not len(element):
        return (element.text or "")[:_MOST_TEXT]
    pieces: list[str] = []
    size = 0
    excluded = 0
    for step, (event, node) in enumerate(_walk(element)):
        if size > _MOST_TEXT or step > _MOST_PIECES:
            break
        if event == "text" and not excluded:
            pieces.append(node)
            size += len(node)
        elif event != "text" and _local(node) == "exclude":
            excluded += 1 if event == "open" else -1
    return "".join(pieces)[:_MOST_TEXT]


def _walk(root: Any) -> Iterator[tuple[str, Any]]:
    """Elements as they open and close and the text between them, in document order, without recursion."""
    stack = [(root, iter(root))]
    yield "open", root
    if root.text:
        yield "text", root.text
    while stack:
        element, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield "close", element
            if stack and element.tail:
                yield "text", element.tail
        elif isinstance(child.tag, str):
            stack.append((child, iter(child)))
            yield "open", child
            if child.text:
                yield "text", child.text
        else:
            if child.tag is etree.Entity:
                yield "text", _entity(child)
            if child.tail:
                yield "text", child.tail


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
        match _local(inner):
            case "identifier":
                entity = _text(inner).strip()
            case "instant" | "enddate":
                end = _day(_text(inner), last=True)
            case "startdate":
                start = _day(_text(inner), last=False)
            case "explicitmember" | "typedmember":
                dimensions.append((_attribute(inner, "dimension"), " ".join(_text(inner).split())))
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
        if _local(inner) == "measure":
            parent = inner.getparent()
            place = below if parent is not None and _local(parent) == "unitdenominator" else above
            place.append(_text(inner).strip().rpartition(":")[2])
    return "*".join(above) + ("/" + "*".join(below) if below else "")


# Numbers.

_MOST_DIGITS = 60
_EXACT = Context(prec=300)
_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")


def number_of(text: str, form: str) -> Decimal:
    """The number that a text prints in one of the named forms; raises ValueError where it is none."""
    name = form.rpartition(":")[2].replace("-", "").lower()
    words = " ".join(text.split())
    if name in ("fixedzero", "zerodash", "numdash", "zero"):
        if name in ("zerodash", "numdash") and not (words and set(words) <= _DASHES):
            raise ValueError(f"no dash: {words[:40]!r}")
        return Decimal(0)
    if name == "numwordsen":
        return Decimal(_in_words(words))
    if name == "numunitdecimal":
        return _plain(".".join(re.findall(r"[0-9]+", re.sub(r"(?<=[0-9])[,. ](?=[0-9]{3})", "", words))[:2]))
    decimal_sign = "," if name in _COMMA_FORMS else "."
    return _plain(_ungrouped(words, decimal_sign))


_COMMA_FORMS = frozenset(("numcommadecimal", "numcomma", "numdotcomma", "numspacecomma", "numcommadecimalapos"))
_GROUPING = str.maketrans("", "", " '`\u2019\u2032\u02b9")


def _ungrouped(words: str, decimal_sign: str) -> str:
    """Without the signs between thousands, and with a point before the decimals."""
    words = words.translate(_GROUPING)
    if decimal_sign == ",":
        return words.replace(".", "").replace(",", ".")
    return words.replace(",", "")


def _plain(text: str) -> Decimal:
    if len(text) > _MOST_DIGITS or not re.fullmatch(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", text):
        raise ValueError(f"no number: {text[:40]!r}")
    return Decimal(text)


def _counted(words: str, step: int) -> dict[str, int]:
    return {word: number * step for number, word in enumerate(words.split())}


_SMALL = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen",
    1,
) | _counted("zero ten twenty thirty forty fifty sixty seventy eighty ninety", 10)
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def _in_words(words: str) -> int:
    """The number that English words say: "two hundred and fifty-three", "no"."""
    parts = re.findall(r"[a-z]+", words.lower()[:300])
    if parts in (["no"], ["none"], ["nil"], ["a"], ["an"]):
        return 1 if parts[0] in ("a", "an") else 0
    total = group = 0
    for part in parts:
        if part in _SMALL:
            group += _SMALL[part]
        elif part == "hundred":
            group = (group or 1) * 100
        elif part in _LARGE:
            total, group = total + (group or 1) * _LARGE[part], 0
        elif part != "and":
            raise ValueError(f"no number in words: {words[:40]!r}")
    if not parts:
        raise ValueError("no words")
    return total + group


def _value(text: str, form: str, scale: str, sign: str) -> Decimal:
    """The value in plain units, exactly."""
    if not re.fullmatch(r"[-+]?[0-9]{1,2}", scale or "0"):
        raise ValueError(f"no scale: {scale[:20]!r}")
    value = number_of(text, form).scaleb(int(scale or 0), _EXACT)
    if value and sign == "-":
        value = value.copy_negate()
    # Written out, so that 391,035 in millions is 391035000000 and not 3.91035E+11.
    return Decimal(format(value, "f")) if value else Decimal(0)


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
        self._tree, self._fault = _root(content)
        self._contexts: dict[str, _ContextOf] = {}
        self._units: dict[str, str] = {}
        self._continued: dict[str, Any] = {}
        self._tags = 0
        for element in self._tree.iter():
            self._index(element, _local(element))
        if not self._tags:
            raise Unreadable("it has no inline XBRL tags")

    def _index(self, element: Any, name: str) -> None:
        if name == "context":
            self._contexts.setdefault(_attribute(element, "id"), _context(element))
        elif name == "unit":
            self._units.setdefault(_attribute(element, "id"), _unit(element))
        elif name == "continuation" and _is_tag(element):
            self._continued.setdefault(_attribute(element, "id"), element)
        elif name in ("nonfraction", "nonnumeric") and _is_tag(element):
            self._tags += 1

    def facts(self, wanted: tuple[str, ...] = ("nonfraction", "nonnumeric")) -> Iterator[RawFact]:
        """Every fact in document order."""
        hidden = 0
        for event, element in etree.iterwalk(self._tree, events=("start", "end")):
            name = _local(element)
            if name in ("hidden", "header") and _is_tag(element):
                hidden += 1 if event == "start" else -1
            elif event == "start" and name in wanted and _is_tag(element):
                yield self._fact(element, name == "nonfraction", hidden > 0)

    def _fact(self, element: Any, numeric: bool, hidden: bool) -> RawFact:
        context = self._contexts.get(_attribute(element, "contextRef"), _ContextOf())
        nil = _is_nil(element)
        text = _text(element) if numeric else self._whole(element)
        value, fault = None, ""
        if numeric and not nil:
            try:
                value = _value(
                    text, _attribute(element, "format"), _attribute(element, "scale"), _attribute(element, "sign")
                )
            except ValueError as error:
                fault = str(error)
        return RawFact(
            concept=_attribute(element, "name"),
            entity=context.entity,
            start=context.start,
            end=context.end,
            dimensions=context.dimensions,
            numeric=numeric,
            value=value,
            unit=self._units.get(_attribute(element, "unitRef"), "") if numeric else "",
            text=" ".join(text.split()),
            hidden=hidden,
            nil=nil,
            decimals=_attribute(element, "decimals"),
            fault=fault,
        )

    def _whole(self, element: Any) -> str:
        """A text with its continuations, which stand elsewhere in the page."""
        text = _text(element)
        seen: set[str] = set()
        following = _attribute(element, "continuedAt")
        while following in self._continued and following not in seen and len(seen) < 100 and len(text) < _MOST_TEXT:
            seen.add(following)
            text += _text(self._continued[following])
            following = _attribute(self._continued[following], "continuedAt")
        return text

    # The report.

    def found(self, name: str) -> Found:
        about = _About.of(self.facts(("nonnumeric",)))
        notes = _Notes()
        layout = Layout()
        self._lay_out(layout, about, notes)
        body = layout.blocks()
        if not any(isinstance(block, Paragraph | FoundTable) for block in body):
            raise Unreadable("the filing has no visible text")
        return Found(
            name,
            kind="report",
            language=_language(self._tree),
            title=about.title or self._page_title() or title_from(name),
            body=body,
            year=about.year,
            venue=f"Form {about.form}" if about.form else None,
            notes=self._noted(notes),
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
        title = next((element for element in self._tree.iter() if _local(element) == "title"), None)
        return " ".join(_text(title).split()) if title is not None else ""

    def _lay_out(self, layout: Layout, about: _About, notes: _Notes) -> None:
        """Feed the layout; a tagged number is one piece, whatever is nested in it."""
        # One number may be tagged several times over, one tag inside another: all of them mean the same characters.
        nested: list[RawFact] = []
        depth = unseen = 0
        printed: list[str] = []
        for event, node in _walk(self._tree):
            if event == "text":
                if depth:
                    printed.append(node)
                elif not unseen:
                    layout.text(node)
                continue
            name = _local(node)
            number = name == "nonfraction" and _is_tag(node)
            if name == "header" and _is_tag(node):
                # Never opened in the layout, so not closed there either: it would take its neighbour's end.
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
        figures: list[Figure] = []
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
            layout.figure(replace(figures[0], more=tuple(figures[1:])))
        else:
            layout.text(text.strip())
        layout.text(trail if text.strip() else "")


def _shown(node: Any, name: str) -> str:
    """The element's name for the layout: tags of other languages look like nothing."""
    tag = node.tag
    return name if "xhtml}" in tag or ("}" not in tag and ":" not in tag) else "span"


def _attributes(node: Any) -> Mapping[str, str]:
    # Each is looked for among all: fifty thousand of them take seconds, and no filing writes more than a few.
    if len(node.attrib) > 1_000:
        raise Unreadable("an element has more than 1,000 attributes")
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

    def figure(self, text: str, fact: RawFact) -> Figure:
        """A fact as printed, under its registrant's name where the filing gives one."""
        entity = self.names.get(fact.entity) or fact.entity
        return Figure(text, entity, fact.concept, fact.period, fact.value, fact.unit, fact.part)


def _by_member(fact: RawFact) -> bool:
    """Whether a name is that of a part: a subsidiary that files together with its parent."""
    return bool(fact.dimensions)


def _year(text: str) -> int | None:
    match = re.search(r"\b(?:19|20)[0-9]{2}\b", text)
    return int(match[0]) if match else None

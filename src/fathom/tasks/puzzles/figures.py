"""Programs over the figures of reports, filings and research articles: the vocabulary, and what can be composed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from random import Random

from fathom.records.documents import Document, Fact
from fathom.tasks.puzzles.tree import Choose, Compute, Given, Lookup, Node, Option, Pick, Value
from fathom.tasks.puzzles.vocabulary import Attribute, Vocabulary
from fathom.tasks.tables.pack import pack_names, read_pack

_KINDS = ("money", "count")
"""Kinds of figures that can be divided by each other."""
_WORDS = {
    "en": ("the {label} of {s} {t}", "with the largest {label} {t}", "with the smallest {label} {t}", "one"),
    "zh": ("{s}{t}的{label}", "{t}{label}最大", "{t}{label}最小", "一个"),
}
_RESULT_WORDS = (
    *("the {label} of {e} on {p}", "with the largest {label} on {p}", "with the smallest {label} on {p}"),
    "method",
)
LEAST_FIELDS = 4
YEAR_DAYS = range(350, 380)


@cache
def _labels() -> dict[tuple[str, str], str]:
    """The word for each attribute of the shipped packs, by attribute and language."""
    found: dict[tuple[str, str], str] = {}
    for name in pack_names():
        for field in read_pack(name).fields.values():
            if field.kind in _KINDS and not field.part:
                for attribute in field.attributes:
                    for language in ("en", "zh"):
                        if words := getattr(field, language):
                            found.setdefault((attribute, language), words[0])
    return found


def report_vocabulary(document: Document) -> Vocabulary | None:
    """The words for the figures of a report or filing; None if it has too few figures."""
    if document.language not in _WORDS:
        return None
    attributes: dict[str, Attribute] = {}
    used: set[str] = set()
    for fact in document.facts:
        label = _labels().get((fact.attribute, document.language))
        if label is None or fact.attribute in attributes or label in used:
            continue
        used.add(label)
        attributes[fact.attribute] = _attribute(label, fact.unit, _WORDS[document.language])
    if len(attributes) < LEAST_FIELDS:
        return None
    return Vocabulary(document.language, attributes, {}, {})


def article_vocabulary(document: Document) -> Vocabulary | None:
    """The words for the results of a generated article; None if it has none."""
    units = {fact.attribute: fact.unit for fact in document.facts if fact.part and fact.value is not None}
    attributes = {name: _attribute(name, unit, _RESULT_WORDS) for name, unit in units.items()}
    return Vocabulary("en", attributes, {}, {}) if attributes and document.language == "en" else None


def _attribute(label: str, unit: str, words: tuple[str, str, str, str]) -> Attribute:
    ask, most, least, kind = (one.replace("{label}", label) for one in words)
    cues = (label, *(word for word in label.split() if len(word) > 3 and word not in (unit, "number")))
    return Attribute(ask=ask, cues=cues, entity=kind, unit=unit, most=most, least=least)


class ReportComposer:
    """Composes programs over the yearly figures of one entity and its parts."""

    def __init__(self, document: Document, vocabulary: Vocabulary, rng: Random) -> None:
        self._rng = rng
        own = [fact for fact in document.facts if fact.attribute in vocabulary.attributes and is_yearly(fact.period)]
        entities = [fact.entity for fact in own]
        self._entity = Given(value=Value(name=max(dict.fromkeys(entities), key=entities.count) if entities else "-"))
        own = [fact for fact in own if fact.entity == self._entity.value.name and fact.value is not None]
        self._whole = _by_attribute(fact for fact in own if not fact.part)
        # Parts of filings have names of tags, which no reader of the text knows.
        self._parts = _groups(own) if document.format == "generated" else []

    def programs(self) -> Iterator[Node]:
        """An endless sequence of programs of all forms in turn; empty if there are too few figures."""
        forms = [self._conditional] if len(self._whole) >= LEAST_FIELDS else []
        forms += [self._share, self._growth] if self._parts else []
        while forms:
            for form in forms:
                if (program := form()) is not None:
                    yield program

    def _conditional(self) -> Node | None:
        """The change of one of two figures, depending on how a third one developed."""
        names = self._rng.sample(sorted(self._whole), 3)
        years = [self._two_years(name) for name in names]
        if any(pair is None for pair in years):
            return None
        (old, new), *others = (pair for pair in years if pair is not None)
        tested, first, second = names
        changes = [
            Compute(sign="change %", left=self._of(name, later), right=self._of(name, earlier))
            for name, (earlier, later) in zip((first, second), others, strict=True)
        ]
        return Choose(left=self._of(tested, new), right=self._of(tested, old), then=changes[0], otherwise=changes[1])

    def _two_years(self, attribute: str) -> tuple[str, str] | None:
        """The last two years that are stated of an attribute."""
        periods = sorted(self._whole[attribute], key=_end)
        return (periods[-2], periods[-1]) if len(periods) > 1 else None

    def _of(self, attribute: str, period: str, part: Node | None = None) -> Lookup:
        return Lookup(attribute=attribute, of=self._entity, part=part, period=period)

    def _picked(self) -> tuple[Node, list[tuple[str, str]]] | None:
        """A part that is found by a comparison, and the attributes and periods that are stated of all parts."""
        stated, parts = self._rng.choice(self._parts)
        if len(parts) < 3:
            return None
        attribute, period = self._rng.choice(stated)
        chosen = self._rng.sample(parts, self._rng.randint(3, min(4, len(parts))))
        names = [Given(value=Value(name=name)) for name in chosen]
        options = tuple(Option(name=name, value=self._of(attribute, period, name)) for name in names)
        return Pick(which=self._rng.choice(("largest", "smallest")), options=options), stated

    def _share(self) -> Node | None:
        """A figure of a part in percent of the same figure of the whole: a median price is no share of all sales."""
        found = self._picked()
        if found is None:
            return None
        part, stated = found
        attribute, period = self._rng.choice(stated)
        if period not in self._whole.get(attribute, ()):
            return None
        whole = self._of(attribute, period)
        return Compute(sign="share %", left=self._of(attribute, period, part), right=whole)

    def _growth(self) -> Node | None:
        """The change of a figure of a part from one year to the next."""
        found = self._picked()
        if found is None:
            return None
        part, stated = found
        attribute = self._rng.choice(stated)[0]
        periods = sorted({period for name, period in stated if name == attribute}, key=_end)
        if len(periods) < 2:
            return None
        old, new = periods[-2:]
        return Compute(sign="change %", left=self._of(attribute, new, part), right=self._of(attribute, old, part))


class ArticleComposer:
    """Composes programs over the results of methods on data sets."""

    def __init__(self, document: Document, vocabulary: Vocabulary, rng: Random) -> None:
        self._rng = rng
        self._results: dict[tuple[str, str], list[str]] = {}
        for fact in document.facts:
            if fact.attribute in vocabulary.attributes and fact.part and fact.value is not None and not fact.period:
                methods = self._results.setdefault((fact.attribute, fact.part), [])
                if fact.entity not in methods:
                    methods.append(fact.entity)

    def programs(self) -> Iterator[Node]:
        """An endless sequence of programs; empty if too few methods were measured."""
        columns = sorted(column for column, methods in self._results.items() if len(methods) >= 3)
        while len(columns) > 1:
            (attribute, data), (asked, other) = self._rng.sample(columns, 2)
            methods = self._results[(attribute, data)]
            rivals = [name for name in self._results[(asked, other)] if name in methods]
            if len(rivals) < 3:
                columns.remove((asked, other))
                continue
            chosen = self._rng.sample(rivals, 3)
            picked = Pick(
                which=self._rng.choice(("largest", "smallest")),
                options=tuple(
                    Option(name=_given(name), value=_result(attribute, _given(name), data)) for name in chosen
                ),
            )
            compared = _given(self._rng.choice(self._results[(asked, other)]))
            sign = self._rng.choice(("/", "change %"))
            left, right = _result(asked, picked, other), _result(asked, compared, other)
            yield Compute(sign=sign, left=left, right=right)


def _given(name: str) -> Given:
    return Given(value=Value(name=name))


def _result(attribute: str, method: Node, data: str) -> Lookup:
    return Lookup(attribute=attribute, of=method, part=_given(data))


def _by_attribute(facts: Iterable[Fact]) -> dict[str, set[str]]:
    """The periods that are stated of each attribute."""
    found: dict[str, set[str]] = {}
    for fact in facts:
        found.setdefault(fact.attribute, set()).add(fact.period)
    return found


def _groups(facts: Iterable[Fact]) -> list[tuple[list[tuple[str, str]], list[str]]]:
    """Parts of which the same is stated, such as all segments, with the attributes and periods."""
    stated: dict[str, set[tuple[str, str]]] = {}
    for fact in facts:
        if fact.part:
            stated.setdefault(fact.part, set()).add((fact.attribute, fact.period))
    groups: dict[frozenset[str], list[str]] = {}
    for part, columns in stated.items():
        groups.setdefault(frozenset(name for name, _ in columns), []).append(part)
    found = []
    for parts in groups.values():
        shared = set.intersection(*(stated[part] for part in parts))
        if shared and len(parts) >= 3:
            found.append((sorted(shared), parts))
    return found


def is_yearly(period: str) -> bool:
    """Whether a period is a year, about a year between two dates, or the end of one."""
    if len(period) == 4 and period.isdigit():
        return True
    start, mark, end = period.partition("/")
    try:
        first, last = date.fromisoformat(start), date.fromisoformat(end or start)
    except ValueError:
        return False
    return not mark or (last - first).days in YEAR_DAYS


def _end(period: str) -> str:
    """The end of a period, for sorting."""
    return period.rpartition("/")[2]


def period_words(period: str, language: str) -> str:
    """A period as a question writes it."""
    if not period or len(period) == 4:
        words = {"en": f"in {period}", "zh": f"{period}年"}
    elif "/" in period:
        words = {"en": f"in the fiscal year that ended on {_end(period)}", "zh": f"截至{_end(period)}的年度"}
    else:
        words = {"en": f"on {period}", "zh": f"{period}"}
    return words[language] if period else ""

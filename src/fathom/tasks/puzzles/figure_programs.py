"""Programs over the figures of reports, filings and research articles: their vocabulary and their composers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from random import Random

from fathom.records.documents import Document, Fact
from fathom.tasks.puzzles.tree import Choose, Compute, GivenValue, Lookup, Node, Option, Pick, Value
from fathom.tasks.puzzles.vocabulary import AttributeWords, Vocabulary
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
_SHARES = {
    "revenue": ("gross_profit", "operating_profit", "net_profit", "rnd_expenses", "personnel_expenses",
                "administrative_expenses", "selling_expenses"),
    "total_assets": ("current_assets", "total_liabilities", "equity", "cash"),
    "current_assets": ("cash", "inventories"),
    "total_liabilities": ("current_liabilities",),
    "operating_cash_flow": ("capital_expenditure",),
    "students": ("undergraduate_students", "postgraduate_students", "international_students"),
    "applicants": ("admitted",),
    "admitted": ("entrants",),
    "total_income": ("tuition_income", "research_income"),
    "total_expenditure": ("student_aid",),
    "homes_sold": ("new_homes_sold", "existing_homes_sold"),
}  # fmt: skip
"""Fields of the packs whose figures are read as shares of another one: the margins of a company, for example."""
MIN_FIELDS = 4
STEM = 5
"""Letters by which a response may shorten a word: "admin." for "administrative"."""
YEAR_DAYS = range(350, 380)


@cache
def _fields() -> dict[str, str]:
    """The field of the shipped packs that each attribute belongs to."""
    packs = [read_pack(name) for name in pack_names()]
    return {attribute: name for pack in packs for name, field in pack.fields.items() for attribute in field.attributes}


@cache
def _labels() -> dict[tuple[str, str], tuple[str, ...]]:
    """The words for each attribute of the shipped packs, by attribute and language; in Chinese also its row labels."""
    labels: dict[tuple[str, str], tuple[str, ...]] = {}
    for name in pack_names():
        for field in read_pack(name).fields.values():
            if field.kind in _KINDS and not field.part:
                for attribute in field.attributes:
                    for language in ("en", "zh"):
                        if words := getattr(field, language):
                            rows = [label for label in field.labels if not label.isascii()]
                            label_words = (*words, *rows) if language == "zh" else words[:1]
                            labels.setdefault((attribute, language), tuple(dict.fromkeys(label_words)))
    return labels


def report_vocabulary(document: Document) -> Vocabulary | None:
    """The words for the figures of a report or filing; None if it has too few figures."""
    if document.language not in _WORDS:
        return None
    attributes: dict[str, AttributeWords] = {}
    used_labels: set[str] = set()
    for fact in document.facts:
        words = _labels().get((fact.attribute, document.language))
        if words is None or fact.attribute in attributes:
            continue
        # A report that has only "cash and cash equivalents" is not asked for its "monetary funds".
        label = next((word for word in words if f"| {word} |" in document.text), words[0])
        if label in used_labels:
            continue
        used_labels.add(label)
        all_words = (*words, *_labels().get((fact.attribute, "en" if document.language == "zh" else "zh"), ()))
        attributes[fact.attribute] = _attribute(label, fact.unit, _WORDS[document.language], " ".join(all_words))
    if len(attributes) < MIN_FIELDS:
        return None
    return Vocabulary(document.language, attributes, {}, {})


def article_vocabulary(document: Document) -> Vocabulary | None:
    """The words for the results of a generated article; None if it has none."""
    units = {fact.attribute: fact.unit for fact in document.facts if fact.part and fact.value is not None}
    attributes = {name: _attribute(name, unit, _RESULT_WORDS) for name, unit in units.items()}
    return Vocabulary("en", attributes, {}, {}) if attributes and document.language == "en" else None


def _attribute(label: str, unit: str, words: tuple[str, str, str, str], other: str = "") -> AttributeWords:
    """The attribute with this label; `other` has its other labels, in both languages."""
    ask, most, least, kind = (word.replace("{label}", label) for word in words)
    label_words = [word for word in f"{label} {other}".split() if len(word) > 3 or not word.isascii()]
    cues = (label, *(word[:STEM] if word.isascii() else word for word in label_words if word not in (unit, "number")))
    return AttributeWords(ask=ask, cues=cues, entity=kind, unit=unit, most=most, least=least)


class ReportComposer:
    """Composes programs over the yearly figures of one entity and its parts."""

    def __init__(self, document: Document, vocabulary: Vocabulary, rng: Random) -> None:
        self._rng = rng
        own_facts = [
            fact for fact in document.facts if fact.attribute in vocabulary.attributes and is_yearly(fact.period)
        ]
        entities = [fact.entity for fact in own_facts]
        self._entity = GivenValue(
            value=Value(name=max(dict.fromkeys(entities), key=entities.count) if entities else "-")
        )
        own_facts = [fact for fact in own_facts if fact.entity == self._entity.value.name and fact.value is not None]
        self._totals = _by_attribute(fact for fact in own_facts if not fact.part)
        by_field = {_fields().get(name, ""): name for name in sorted(self._totals)}
        self._shares = [
            (by_field[part], by_field[total])
            for total, parts in _SHARES.items()
            for part in parts
            if part in by_field and total in by_field
        ]
        # Parts of filings are named after tags, which the text does not print.
        self._parts = _groups(own_facts) if document.format == "generated" else []

    def programs(self) -> Iterator[Node]:
        """An endless sequence of programs of all forms in turn; empty if there are too few figures."""
        forms = [self._conditional] if len(self._totals) >= MIN_FIELDS else []
        forms += [self._share, self._growth] if self._parts else []
        while forms:
            for form in forms:
                if (program := form()) is not None:
                    yield program

    def _conditional(self) -> Node | None:
        """One of two figures, shares or changes, depending on how a third one developed."""
        developed, first, second = self._over_two_years(), self._share_or_change(), self._share_or_change()
        if developed is None or first is None or second is None or first == second:
            return None
        new, old = developed
        return Choose(left=new, right=old, then=first, otherwise=second)

    def _over_two_years(self) -> tuple[Node, Node] | None:
        """A figure or a share in the last year and in the year before."""
        if self._shares and self._rng.random() < 0.5:
            part, total = self._rng.choice(self._shares)
            years = self._two_years(part, total)
            return years and (self._share_of(part, total, years[1]), self._share_of(part, total, years[0]))
        name = self._rng.choice(sorted(self._totals))
        years = self._two_years(name)
        return years and (self._lookup(name, years[1]), self._lookup(name, years[0]))

    def _share_or_change(self) -> Node | None:
        """A share in the last year, or the change of a figure."""
        if self._shares and self._rng.random() < 0.6:
            part, total = self._rng.choice(self._shares)
            years = self._two_years(part, total)
            return years and self._share_of(part, total, years[1])
        name = self._rng.choice(sorted(self._totals))
        years = self._two_years(name)
        return years and Compute(sign="change %", left=self._lookup(name, years[1]), right=self._lookup(name, years[0]))

    def _share_of(self, part: str, total: str, period: str) -> Node:
        return Compute(sign="share %", left=self._lookup(part, period), right=self._lookup(total, period))

    def _two_years(self, *attributes: str) -> tuple[str, str] | None:
        """The last two years that are stated of all attributes."""
        periods = sorted(set.intersection(*(self._totals[name] for name in attributes)), key=_end)
        return (periods[-2], periods[-1]) if len(periods) > 1 else None

    def _lookup(self, attribute: str, period: str, part: Node | None = None) -> Lookup:
        return Lookup(attribute=attribute, of=self._entity, part=part, period=period)

    def _pick_part(self) -> tuple[Node, list[tuple[str, str]]] | None:
        """A part that is found by a comparison, and the attributes and periods that are stated of all parts."""
        columns, parts = self._rng.choice(self._parts)
        if len(parts) < 3:
            return None
        attribute, period = self._rng.choice(columns)
        chosen = self._rng.sample(parts, self._rng.randint(3, min(4, len(parts))))
        names = [GivenValue(value=Value(name=name)) for name in chosen]
        options = tuple(Option(name=name, value=self._lookup(attribute, period, name)) for name in names)
        return Pick(which=self._rng.choice(("largest", "smallest")), options=options), columns

    def _share(self) -> Node | None:
        """A figure of a part in percent of the same figure of the whole: a median price is not a share of all sales."""
        picked = self._pick_part()
        if picked is None:
            return None
        part, columns = picked
        attribute, period = self._rng.choice(columns)
        if period not in self._totals.get(attribute, ()):
            return None
        total = self._lookup(attribute, period)
        return Compute(sign="share %", left=self._lookup(attribute, period, part), right=total)

    def _growth(self) -> Node | None:
        """The change of a figure of a part from one year to the next."""
        picked = self._pick_part()
        if picked is None:
            return None
        part, columns = picked
        attribute = self._rng.choice(columns)[0]
        periods = sorted({period for name, period in columns if name == attribute}, key=_end)
        if len(periods) < 2:
            return None
        old, new = periods[-2:]
        return Compute(
            sign="change %", left=self._lookup(attribute, new, part), right=self._lookup(attribute, old, part)
        )


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
        columns = [
            column for column in columns if any(self._pick_method(sampled_column, column) for sampled_column in columns)
        ]
        while columns:
            sampled, first, second = (self._rng.choice(columns) for _ in range(3))
            left_method = self._pick_method(first, sampled)
            methods = self._results[sampled]
            right_method = (
                self._pick_method(second, sampled)
                if self._rng.random() < 0.5
                else _given_name(self._rng.choice(methods))
            )
            if left_method is None or right_method is None:
                continue
            left, right = (_result(sampled[0], method, sampled[1]) for method in (left_method, right_method))
            yield Compute(sign=self._rng.choice(("/", "change %")), left=left, right=right)

    def _pick_method(self, column: tuple[str, str], sampled: tuple[str, str]) -> Node | None:
        """The best or worst of three methods by one column of results, which another column has too."""
        rivals = [name for name in self._results[sampled] if name in self._results[column]]
        if column == sampled or len(rivals) < 3:
            return None
        names = [_given_name(name) for name in self._rng.sample(rivals, 3)]
        options = tuple(Option(name=name, value=_result(column[0], name, column[1])) for name in names)
        return Pick(which=self._rng.choice(("largest", "smallest")), options=options)


def _given_name(name: str) -> GivenValue:
    return GivenValue(value=Value(name=name))


def _result(attribute: str, method: Node, data: str) -> Lookup:
    return Lookup(attribute=attribute, of=method, part=_given_name(data))


def _by_attribute(facts: Iterable[Fact]) -> dict[str, set[str]]:
    """The periods that are stated of each attribute."""
    by_attribute: dict[str, set[str]] = {}
    for fact in facts:
        by_attribute.setdefault(fact.attribute, set()).add(fact.period)
    return by_attribute


def _groups(facts: Iterable[Fact]) -> list[tuple[list[tuple[str, str]], list[str]]]:
    """Parts with the same attributes and periods, such as all segments."""
    columns_by_part: dict[str, set[tuple[str, str]]] = {}
    for fact in facts:
        if fact.part:
            columns_by_part.setdefault(fact.part, set()).add((fact.attribute, fact.period))
    groups: dict[frozenset[str], list[str]] = {}
    for part, columns in columns_by_part.items():
        groups.setdefault(frozenset(name for name, _ in columns), []).append(part)
    named_groups = []
    for parts in groups.values():
        shared = set.intersection(*(columns_by_part[part] for part in parts))
        if shared and len(parts) >= 3:
            named_groups.append((sorted(shared), parts))
    return named_groups


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
        words = {"en": f"in the fiscal year ended {_end(period)}", "zh": f"截至{_end(period)}的年度"}
    else:
        words = {"en": f"on {period}", "zh": f"{period}"}
    return words[language] if period else ""

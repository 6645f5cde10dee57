"""Proposes a pack from the facts and the labels of tables that recur in the documents of a corpus."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice

from fathom.corpus.store import Corpus
from fathom.records.documents import Document, Fact
from fathom.records.errors import FathomError
from fathom.tasks.tables.chinese_names import chinese_name, is_chinese
from fathom.tasks.tables.entity_names import has_two_years
from fathom.tasks.tables.labels import PART_OF_YEAR, UNREADABLE, names_a_count, normal_label
from fathom.tasks.tables.months import MONTH
from fathom.tasks.tables.pack import FieldKind, Language
from fathom.tasks.tables.pack_text import CURRENCY, escaped, field_name, kind_of, unused
from fathom.tasks.tables.result_draft import draft_results
from fathom.tasks.tables.table_cells import TableNumber
from fathom.tasks.tables.table_facts import JOINT, TableFacts, full_labels
from fathom.tasks.tables.wording_en import is_plural

MIN_SHARE = 0.5
"""A fact is proposed as a field if this share of the documents with facts states it."""
MIN_DOCUMENTS = 4
MAX_FIELDS = 40
SAME_UNIT = 0.9
MAX_LABEL_LENGTH = 110
"""Characters of a label that can become a field."""

YEARS = (1500, 2100)
"""Whole numbers in this range may be years."""

_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CONCEPT_WORDS = (
    (re.compile(r"\b(income|gain|profit) loss\b"), r"\1 (loss)"),
    (re.compile(r"\bexpense benefit\b"), "expense (benefit)"),
    (re.compile(r"\bincrease decrease\b"), "increase (decrease)"),
    (re.compile(r"\bprovided by used in\b"), "provided by (used in)"),
    (re.compile(r"^(.*) (current|noncurrent)$"), r"\2 \1"),
)
"""Words that tag names in filings leave out."""
_UNIT_IN_BRACKETS = re.compile(r"[（(][^（）()]*[）)]$")
_LOSS = re.compile(r"\s?/\s?\((\w+)\)")
"""What a figure is called where it is negative: "surplus / (deficit)"."""
_NOT_ADDED = re.compile(
    r"share|median|average|\bmean\b|\bper\b|\bprices?\b|\brates?\b|\bratio\b|\bindex\b|\bscore\b|\bage\b"
    r"|每|人均|平均|中位|率$|比例|占比|比率|周期|单价|价格|房价|指数|得分|年龄",
    re.IGNORECASE,
)
"""Words of figures whose sum over several entities has no meaning."""
_ADDED_UNITS = re.compile(
    r"[kmgt]?wh?|tonnes|(?:metric )?tons?|kt|kg|square (?:kilo)?(?:meters|metres|feet|miles)|sq\.? (?:k?m|ft|mi)"
    r"|k?m[²2³3]"
    r"|hectares|ha|acres|cubic (?:meters|metres|feet)|(?:mega)?(?:liters|litres)"
    r"|千瓦时|万千瓦时|亿千瓦时|千瓦|兆瓦|吉瓦|万千瓦|吨|万吨|千克|公斤|平方公里|平方千米|平方米|万平方米|公顷|亩|立方米",
    re.IGNORECASE,
)
"""Units of quantities whose sum over several entities has a meaning: energy, mass, area and volume."""
_AMOUNTS = re.compile(
    r"\b(?:assets|liabilities|sales|revenues?|earnings|profits?|expenses|expenditures?|costs?|receivables|payables|taxes"
    r"|inventories|dividends|reserves|provisions|borrowings|deposits|wages|salaries|fees|grants|proceeds|funds|output"
    r"|number|income|equity|cash|debts?|capital|area|length|weight|volume|capacity|score|index|points|hours|days)\b",
    re.IGNORECASE,
)
"""Words of figures that are amounts, even if nothing states their unit."""
_IN_MONEY = re.compile(
    r"\b(?:assets|liabilit(?:y|ies)|sales|revenues?|turnover|earnings|ebitd?a?|profits?|loss(?:es)?|surplus|deficit|expenses?"
    r"|expenditures?|spending|costs?|receivables?|payables?|tax(?:es|ation)?|inventor(?:y|ies)|dividends?|reserves?"
    r"|provisions?|borrowings?|loans?|deposits?|wages|salar(?:y|ies)|compensation|fees?|grants?|donations?|subsid(?:y|ies)"
    r"|proceeds|funds?|funding|income|equity|cash|debts?|capital|capex|investments?|interest|depreciation|amortization"
    r"|goodwill|impairments?|pensions?|premiums?|claims|royalties|rent|rents|purchases|payments?|payroll|budget|balance"
    r"|value|price|gdp|margin|result|contributions?|aid|bonds?|securities|financing|charges?|gains?|stocks?)\b"
    r"|收入|成本|费用|支出|利润|毛利|收益|亏损|资产|负债|权益|现金|资金|资本|投资|借款|贷款|债|存款|税|薪酬|工资|经费|预算"
    r"|补助|补贴|拨款|捐赠|存货|应收|应付|账款|产值|总值|增加值|销售额|营业额|交易额|金额|总额|余额|净额|股利|分红|折旧|摊销"
    r"|商誉|保费|赔付|利息|租金|价",
    re.IGNORECASE,
)
"""Words of amounts of money."""
_CHINESE_NUMBER = re.compile(r"[数量次额值分]$")
"""Ends of nouns that say that they are numbers: 举办讲座 is not a number, 举办讲座数 is one."""
_NAMES_A_SHARE = re.compile(r"percent|%|share|rate\b|ratio|proportion|growth|margin|yield", re.IGNORECASE)


@dataclass
class _RecurringLabel:
    """One attribute, or one label of tables, over all documents."""

    documents: set[str] = field(default_factory=set)
    units: Counter[str] = field(default_factory=Counter)
    printed: Counter[str] = field(default_factory=Counter)
    """The forms of the label, for tables; empty for structured facts."""
    labels: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By language, the labels of the rows that print a structured fact."""
    values: Counter[Decimal] = field(default_factory=Counter)
    whole: bool = True
    """Whether all values are whole numbers."""
    periods: bool = False
    instant: bool = True
    """Whether all values are those of one day, such as the last one of a fiscal year."""
    like_years: bool = True
    """Whether all values may be years."""

    @property
    def is_figure(self) -> bool:
        """Whether it can be asked about: in one unit, and not always a number such as 1987, which may be a year.

        A number without a unit that most documents repeat is a code of a form.
        """
        if not set(self.units) <= {""}:
            return self.has_one_unit
        return not (self.like_years and self.whole) and 2 * max(self.values.values()) <= self.values.total()

    @property
    def has_one_unit(self) -> bool:
        """Whether nearly all documents give the figure in the same unit; currencies may differ."""
        kinds = Counter[str]()
        for unit, number in self.units.items():
            kinds["money" if CURRENCY.fullmatch(unit) else unit] += number
        return not self.printed or max(kinds.values()) >= SAME_UNIT * kinds.total()


def _is_joint(label: _RecurringLabel) -> bool:
    """Whether the figure is the cell of a row and a column: proposed after plain labels."""
    return any(JOINT in text for text in label.printed)


def can_draft(corpus: Corpus, limit: int) -> bool:
    """Whether a pack can be drafted from the first documents."""
    try:
        draft_pack(corpus, "draft", limit)
    except FathomError:
        return False
    return True


def draft_pack(corpus: Corpus, name: str, limit: int | None = None) -> str:
    """The TOML text of a pack with a field for every figure that recurs; its nouns are to be revised by a person.

    With `limit`, from the first documents alone.
    """
    recurring: dict[str, _RecurringLabel] = defaultdict(_RecurringLabel)
    documents = 0
    years: Counter[int | None] = Counter()
    report_years: Counter[int | None] = Counter()
    with_earlier = 0  # documents that also give figures of earlier years
    two_years = 0  # documents that write their year as "2023/24"
    languages: Counter[Language] = Counter()
    entities: set[str] = set()
    for document in islice(corpus.documents(), limit):
        language: Language = "zh" if document.language == "zh" else "en"
        facts = [fact for fact in document.facts if not fact.part and fact.value is not None]
        for fact in facts:
            _note(recurring[_in_any_namespace(fact.attribute)], fact, document)
        for attribute, label in _row_labels(document, facts) if language == "zh" else ():
            recurring[_in_any_namespace(attribute)].labels[language][label] += 1
        tables = None if document.facts else TableFacts(document)
        consistent = _consistent(tables) if tables else {}
        for label, fact in consistent.items():
            _note(recurring[label], fact, document).printed[fact.attribute] += 1
        entities |= {tables.entity} if tables and consistent else {fact.entity for fact in facts}
        report_years[tables.year if tables else document.year] += 1
        documents += bool(facts or consistent)
        languages[language] += bool(facts or consistent)
        if consistent and tables:
            years[tables.year] += 1
            two_years += has_two_years(document)
            with_earlier += len({number.period for number in tables.numbers if number.period.isdecimal()}) > 1
    least = max(MIN_DOCUMENTS, MIN_SHARE * documents)
    chosen = sorted(
        (attribute for attribute, label in recurring.items() if len(label.documents) >= least and label.is_figure),
        key=lambda attribute: (_is_joint(recurring[attribute]), -len(recurring[attribute].documents), attribute),
    )[:MAX_FIELDS]
    if len(chosen) < 2 and (results := draft_results(corpus, name)) is not None:
        return results
    if len(chosen) < 2:
        raise FathomError(_why_nothing(documents, len(corpus)))
    # Reports of one year need no year in the questions, unless they also give figures of earlier years.
    several_years = len(years.keys() - {None}) > 1 or (with_earlier >= years.total() / 2 >= years[None])
    has_periods = (
        any(recurring[attribute].periods for attribute in chosen)
        and (not years or several_years)
        and _share_a_year(report_years)
    )
    usual = languages.most_common(1)[0][0]
    period = _period(usual, 2 * two_years > years.total()) if has_periods else ""
    return "\n".join(_lines(name, chosen, recurring, period, usual, entity_noun(entities, usual)))


def _period(language: Language, two_years: bool) -> str:
    """The line of a pack about its periods."""
    if not two_years:
        return f'period = {{ {language} = ["{_NOUNS[language]["period"]}"] }}'
    noun = {"en": _NOUNS["en"]["period"], "zh": "学年"}[language]
    return f'period = {{ {language} = ["{noun}"], two_years = true }}'


def _share_a_year(years: Counter[int | None]) -> bool:
    """Whether enough documents are about the same year: the year of a film is not a period."""
    return max((count for year, count in years.items() if year is not None), default=0) >= MIN_DOCUMENTS


def _why_nothing(documents: int, total: int) -> str:
    """Why no pack can be drafted, and what to do."""
    if total < MIN_DOCUMENTS:
        return (
            f"A pack needs at least {MIN_DOCUMENTS} documents, each about one entity; the corpus has {total}. Split "
            "a file with a row or a record for each entity into one file per entity."
        )
    if not documents:
        return (
            f"None of the {total} documents has figures. They come from iXBRL filings, JSON, and tables of documents "
            "whose title names an entity."
        )
    return (
        f"No two figures are in half of the documents that have some ({documents} of {total}). Give the same figure "
        "the same label in every document, or write a pack whose `labels` list all of them."
    )


def _row_labels(document: Document, facts: Iterable[Fact]) -> Iterator[tuple[str, str]]:
    """The attributes of facts with the labels of the rows that print them: names of facts are in English."""
    by_place = {number.span: number.labels[0] for number in TableFacts(document).numbers if not number.column}
    for fact in facts:
        if fact.span in by_place:
            yield fact.attribute, by_place[fact.span]


def _consistent(tables: TableFacts) -> dict[str, Fact]:
    """The figures of a document's tables by normal label; a label with two values for its latest year is left out."""
    facts: dict[str, Fact] = {}
    ambiguous: set[str] = set()
    for number in tables.numbers:
        label = full_labels(number)[0]
        normal = normal_label(label)
        if number.period == PART_OF_YEAR or not _is_noun(normal) or not _is_specific(number, normal):
            continue
        kind = _kind_of_number(number)
        if kind == "money" and number.unit is None and not any(map(_IN_MONEY.search, number.labels)):
            continue  # "Passengers" in a table of amounts of money may be a number of people.
        fact = tables.fact(number, label, kind)
        if fact is None or fact.value is None:
            continue
        earlier = facts.setdefault(normal, fact)
        if fact.period > earlier.period:
            facts[normal] = fact
            ambiguous.discard(normal)
        elif fact.period == earlier.period and (fact.value, fact.unit) != (earlier.value, earlier.unit):
            ambiguous.add(normal)
    return {label: fact for label, fact in facts.items() if label not in ambiguous}


def _is_noun(label: str) -> bool:
    """Whether a label can name a field: some letters, not a whole paragraph, no remains of another format."""
    return 3 <= len(label) <= MAX_LABEL_LENGTH and sum(map(str.isalpha, label)) >= 3 and UNREADABLE not in label


def _is_specific(number: TableNumber, label: str) -> bool:
    """Whether a label says enough: "History" or "Men > Applicants" of a table without a title may be about anything."""
    return number.is_titled or (not number.column and (" " in label or label[0] > "\u4e00"))


def _kind_of_number(number: TableNumber) -> FieldKind:
    unit = number.unit or number.table_unit
    if number.unit is None and any(map(names_a_count, number.labels)):
        return "number"
    if unit is not None and unit.name == MONTH:
        return "month"
    if unit is not None and unit.kind in ("money", "percent"):
        return "money" if unit.kind == "money" else "percent"
    return "number"


def _in_any_namespace(attribute: str) -> str:
    """ "core:Equity" and "ns5:Equity" are the same concept: filings choose the prefixes themselves."""
    return f"*:{attribute.rpartition(':')[2]}" if re.fullmatch(r"[\w-]+:\w+", attribute) else attribute


def _note(label: _RecurringLabel, fact: Fact, document: Document) -> _RecurringLabel:
    assert fact.value is not None
    label.documents.add(document.id)
    label.units[fact.unit] += 1
    label.values[fact.value] += 1
    label.whole = label.whole and fact.value == fact.value.to_integral()
    label.like_years = label.like_years and YEARS[0] <= fact.value <= YEARS[1]
    label.instant = label.instant and _DAY.fullmatch(fact.period) is not None
    label.periods = label.periods or (bool(fact.period) and (document.year is not None or not document.facts))
    return label


_HEADER = """\
# A draft: correct the nouns, remove fields that are not worth asking about, and add metrics such as
#     [metrics.margin]
#     formula = "profit / revenue"
#     percent = true
#     {language} = ["{margin}"]

name = "{name}"
summary = "Drafted from the figures of a corpus"
{language} = {{ noun = "{noun}", plural = "{plural}" }}"""
_NOUNS: dict[Language, dict[str, str]] = {
    "en": {"margin": "margin", "period": "year"},
    "zh": {"margin": "利润率", "period": "年度"},
}


_NO_NOUNS = frozenset({"limited", "united", "incorporated", "gmbh", "holdings", "international", "llc"})
"""Last words of names that do not say what their bearers are."""


def entity_noun(names: Collection[str], language: Language) -> dict[str, str]:
    """What the entities are, where all their names end with it: "library" of "Ostdale Library"."""
    plain = {"en": {"noun": "entity", "plural": "entities"}, "zh": {"noun": "主体", "plural": "主体"}}[language]
    if len(names) < MIN_DOCUMENTS:
        return plain
    if language == "zh":
        noun = next(iter(names))
        while not all(name.endswith(noun) for name in names):
            noun = noun[1:]
        noun = "公司" if noun.endswith("公司") else noun.lstrip("省市区县州镇乡村")
        return {"noun": noun, "plural": noun} if len(noun) > 1 and noun not in names else plain
    last = {name.rpartition(" ")[2] for name in names}
    noun = last.pop().lower()
    if last or noun in map(str.lower, names) or not re.fullmatch(r"[a-z]{4,}", noun) or noun in _NO_NOUNS:
        return plain
    stem, end = (noun[:-1], "ies") if re.search(r"[^aeiou]y$", noun) else (noun, "es" if noun[-1] in "sxh" else "s")
    return {"noun": noun, "plural": stem + end}


def _lines(
    name: str,
    chosen: list[str],
    recurring: dict[str, _RecurringLabel],
    period: str,
    language: Language,
    entity: dict[str, str],
) -> Iterator[str]:
    yield _HEADER.format(name=name, language=language, **_NOUNS[language], **entity)
    if period:
        yield period
    columns: set[str] = set()
    nouns: set[str] = set()
    for attribute in chosen:
        label = recurring[attribute]
        printed = [printed_label for printed_label, _ in label.printed.most_common(1)]
        column, noun = _names(printed[0] if printed else attribute, bool(printed))
        if language == "zh":
            # Names of facts are in English: the rows of the tables that print them are labeled in Chinese.
            noun = next(
                (chinese_label for chinese_label, _ in label.labels["zh"].most_common() if is_chinese(chinese_label)),
                noun,
            )
        if not _is_noun_of(language, noun) or normal_label(noun) in nouns:
            continue
        column = unused(column, columns)
        columns.add(column)
        nouns.add(normal_label(noun))
        unit = label.units.most_common(1)[0][0]
        kind = kind_of(unit, label.whole)
        if kind == "count":
            noun = _count_noun(noun) if language == "en" else noun if _CHINESE_NUMBER.search(noun) else f"{noun}数"
        if kind == "percent" and language == "en" and _hides_a_share(noun):
            noun = f'percentage for "{noun}"'
        yield ""
        heading = f'"{column}"' if is_chinese(column) else column
        yield f"[fields.{heading}]  # in {len(label.documents)} documents"
        yield f'attributes = ["{escaped(column if printed else attribute)}"]'
        if printed:
            yield f'labels = ["{escaped(printed[0])}"]'
        yield f'kind = "{kind}"'
        if label.instant and period:
            yield "instant = true"
        added = kind in ("money", "count", "month") or (kind == "number" and _ADDED_UNITS.fullmatch(unit))
        if not added or _NOT_ADDED.search(noun):
            yield "additive = false"
        yield f'{language} = ["{escaped(noun)}"]'
    yield ""


def _count_noun(noun: str) -> str:
    """The noun of a count: "visitors" is "number of visitors", but an amount without its currency is not a count."""
    things = noun.removeprefix("total ")
    is_number = noun.startswith("number ") or not (is_plural(things) or things != noun)
    return noun if is_number or _AMOUNTS.search(things) else f"number of {things}"


def _hides_a_share(noun: str) -> bool:
    """Whether a label such as "women" or "SAT Math, 600-699" does not say that a share is measured."""
    return not _NAMES_A_SHARE.search(noun) and (is_plural(noun) or re.search(r"[\d,]|men$|children$", noun) is not None)


def _is_noun_of(language: Language, noun: str) -> bool:
    """Whether a noun can be used in questions of that language."""
    return language == "en" or is_chinese(noun)


def _names(attribute: str, printed: bool) -> tuple[str, str]:
    """A field's name and noun: "us-gaap:NetIncomeLoss" is net_income_loss and "net income (loss)".

    `printed` says that it is the label of a table.
    """
    if is_chinese(attribute):
        return field_name(chinese_name(_UNIT_IN_BRACKETS.sub("", attribute))), attribute.replace(JOINT, "，")
    words = re.findall(r"[^\W_]+", _CAPITALS.sub(" ", attribute.rpartition(":")[2]))
    plain = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    # A heading with words is a noun as it is; "Area, total" is a field of JSON and the group that it is in.
    noun = (
        _lowercase(_LOSS.sub(r" (\1)", attribute.replace(JOINT, ", ")))
        if " " in attribute
        else _concept(" ".join(plain))
    )
    group, _, inner = noun.partition(", ")
    if inner and ", " not in inner and " " in attribute and JOINT not in attribute and not printed:
        # The "total" of "Population" is the population.
        noun = group if inner == "total" else f"{group} ({inner})" if group.rstrip("s") not in inner else inner
    return field_name(" ".join(plain)), noun or attribute


def _concept(words: str) -> str:
    """The words of a tag's name as people write them: "liabilities current" are "current liabilities"."""
    for pattern, replacement in _CONCEPT_WORDS:
        words = pattern.sub(replacement, words)
    return words


def _lowercase(label: str) -> str:
    """A label inside a sentence: in lower case if it is in capitals, otherwise only its first letter."""
    return label.lower() if label.isupper() else label[0].lower() + label[1:] if not label[:2].isupper() else label

"""Reports: every planted fact has the printed value, and the figures of an entity are consistent."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from calendar import month_name
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from itertools import pairwise

import pytest

from fathom.corpus.generated.reports import DOMAINS, write_report
from fathom.corpus.generated.reports.entity import Entity, Origin, pick_words
from fathom.corpus.generated.reports.pack import load_pack
from fathom.corpus.generated.reports.style import catalog
from fathom.corpus.generated.reports.writer import title_of
from fathom.models.tokenizers import EmbeddedTokenizer
from fathom.records.documents import Document, Fact
from fathom.records.errors import FathomError
from fathom.records.record import short_id
from fathom.records.spans import Span

SEED = 11
ENTITIES = range(4)
REPORTS_PER_ENTITY = 5

Key = tuple[str, str, str]

SCALES = {
    "billion": 10**9,
    "bn": 10**9,
    "million": 10**6,
    "millions": 10**6,
    "m": 10**6,
    "thousand": 1000,
    "thousands": 1000,
    "'000": 1000,
    "k": 1000,
    "亿": 10**8,
    "百万": 10**6,
    "万": 10**4,
    "千": 1000,
}
UNIT = re.compile(
    r"%|number|ratio|hours|days|tonnes|MWh|兆瓦时|[人股起项吨倍]|小时|元|\b(?:EUR|USD|GBP|CHF|NOK|SEK|DKK|CAD|AUD)\b"
)
SCALE = re.compile(r"\b(?:millions?|thousands?|m)\b|'000|亿|百万|万|千")
PROSE_SCALE = re.compile(r" (billion|million|thousand)\b|(bn|m|k)\b|(亿|百万|万|千)元")

every_domain = pytest.mark.parametrize("domain", DOMAINS)


@cache
def reports(domain: str) -> tuple[Document, ...]:
    """All reports of the sampled entities, in order."""
    return tuple(write_report(domain, SEED, index) for index in range(len(ENTITIES) * REPORTS_PER_ENTITY))


def histories(domain: str) -> Iterator[tuple[Document, ...]]:
    """The reports of each entity, by year."""
    for number in ENTITIES:
        yield reports(domain)[number * REPORTS_PER_ENTITY : (number + 1) * REPORTS_PER_ENTITY]


def entity(domain: str, number: int) -> Entity:
    kind = DOMAINS[domain]
    return kind.generate(Origin(domain, SEED, number), load_pack(kind.words, kind.language))


def key_of(fact: Fact) -> Key:
    return fact.part, fact.attribute, fact.period


def read_number(printed: str) -> Decimal:
    """The number that a person reads, sign and separators resolved."""
    bare = printed.strip("()-−－")
    digits = re.sub(r"[,'\s]", "", bare)
    assert re.fullmatch(r"\d+(\.\d+)?", digits), printed
    return -Decimal(digits) if bare != printed else Decimal(digits)


def read_month(printed: str) -> int:
    """A month such as "2021-06", "June 2021" or "2021年6月" as 202106."""
    if match := re.fullmatch(r"(\d{4})[-年](\d{1,2})月?", printed):
        return 100 * int(match[1]) + int(match[2])
    name, year = printed.split(" ")
    return 100 * int(year) + list(month_name).index(name)


@cache
def table_scales(article_id: str, domain: str) -> dict[Span, int]:
    """The value of a one in each cell: by the row's label, else by the column's, else by the caption."""
    article = next(article for article in reports(domain) if article.id == article_id)
    scales = {}
    for table in article.tables:
        assert table.caption is not None
        caption = re.split(r"[(（,，]", table.caption.of(article.text))[-1]
        heads = {(cell.row, cell.column): cell.span.of(article.text) for cell in table.cells if cell.header}
        for cell in table.cells:
            labels = [heads.get((cell.row, 0), ""), heads.get((0, cell.column), "")]
            units = [unit for label in labels for unit in re.findall(r"[(（]([^()（）]*)[)）]", label)]
            scales[cell.span] = scale_of(next(filter(UNIT.search, units), caption))
    return scales


def scale_of(unit: str) -> int:
    match = SCALE.search(unit)
    return SCALES[match.group()] if match and UNIT.search(unit) else 1


def scale_in_prose(article: Document, fact: Fact) -> int:
    following = PROSE_SCALE.match(article.text, fact.span.end)
    return SCALES[next(filter(None, following.groups()))] if following else 1


def scale(article: Document, fact: Fact) -> int:
    if fact.place == "table":
        return table_scales(article.id, article.subject or "")[fact.span]
    return scale_in_prose(article, fact)


def rounds_to(exact: Decimal, fact: Fact, article: Document) -> bool:
    """Whether `exact`, rounded as the fact is printed, gives the fact's value; three digits are enough for "about"."""
    assert fact.value is not None
    decimals = len(fact.span.of(article.text).partition(".")[2].rstrip(")"))
    half = Decimal(scale(article, fact)) / Decimal(10) ** decimals / 2
    apart = abs(exact - fact.value)
    return apart <= half or (apart <= abs(exact) / 200 and "about" in nearby(article, fact))


def nearby(article: Document, fact: Fact) -> str:
    """The sentence of a fact in prose, with every way to say "about" made "about"."""
    sentence = next(span for span in article.sentences if span.contains(fact.span))
    return re.sub("约|in round figures", "about", sentence.of(article.text).lower())


def table_values(article: Document) -> dict[Key, Decimal | None]:
    """The values that the tables print; a figure that several tables print is the same in all."""
    values: dict[Key, Decimal | None] = {}
    for fact in article.facts:
        if fact.place == "table":
            assert values.setdefault(key_of(fact), fact.value) == fact.value, key_of(fact)
    return values


@every_domain
def test_every_fact_is_what_its_span_prints(domain: str) -> None:
    for article in reports(domain):
        for fact in article.facts:
            printed = fact.span.of(article.text)
            if fact.value is None:
                assert fact.status == "missing"
                assert not re.search(r"\d", printed)
            elif fact.unit == "month":
                assert read_month(printed) == fact.value
            else:
                assert read_number(printed) * scale(article, fact) == fact.value, (article.id, fact, printed)


@every_domain
def test_every_number_in_a_table_is_a_fact(domain: str) -> None:
    for article in reports(domain)[::7]:
        noted = {fact.span for fact in article.facts}
        cells = [cell.span for table in article.tables for cell in table.cells if not cell.header]
        assert set(cells) <= noted


@every_domain
def test_prose_rounds_what_the_tables_say(domain: str) -> None:
    for article in reports(domain):
        tables = table_values(article)
        compared = 0
        for fact in article.facts:
            exact = tables.get(key_of(fact))
            # The note that explains a restatement repeats the old value, which no table prints any more.
            old = fact.status == "repeated" and restated(article, key_of(fact))
            if fact.place == "prose" and fact.value is not None and exact is not None and not old:
                compared += 1
                assert rounds_to(exact, fact, article), (article.id, fact, exact)
        assert compared > 30


def restated(article: Document, key: Key) -> bool:
    return any(fact.status == "restated" and key_of(fact) == key for fact in article.facts)


@every_domain
def test_statuses_agree_with_the_earlier_reports(domain: str) -> None:
    for history in histories(domain):
        known: dict[Key, Decimal | None] = {}
        for article in history:
            for fact in article.facts:
                earlier = known.get(key_of(fact))
                if fact.status == "reported":
                    assert earlier is None, (article.id, fact)
                elif fact.status == "restated":
                    assert earlier is not None and earlier != fact.value, (article.id, fact, earlier)
                elif fact.status == "repeated":
                    assert earlier is not None, (article.id, fact)
                    assert earlier == fact.value or (fact.place == "prose" and rounds_to(earlier, fact, article))
            known |= table_values(article)


@every_domain
def test_every_trap_occurs(domain: str) -> None:
    facts = [fact for article in reports(domain) for fact in article.facts]
    assert {fact.status for fact in facts} == {"reported", "restated", "repeated", "missing"}
    assert {(fact.status, fact.place) for fact in facts} >= {("missing", "prose"), ("restated", "prose")}
    assert len({fact.attribute for fact in facts}) >= 25


@every_domain
def test_restatements_are_explained_with_the_old_value(domain: str) -> None:
    for article in reports(domain):
        corrected = {key_of(fact) for fact in article.facts if fact.status == "restated"}
        explained = {key_of(fact) for fact in article.facts if fact.status == "repeated"} & corrected
        assert bool(corrected) == bool(explained), article.id


@every_domain
def test_figures_add_up(domain: str) -> None:
    metrics = catalog(DOMAINS[domain].words)
    checked: set[str] = set()
    for number, history in zip(ENTITIES, histories(domain), strict=True):
        parts = entity(domain, number).parts
        for article in history:
            values = table_values(article)
            for (name, attribute, period), value in values.items():
                if value is None:
                    continue
                metric = metrics[attribute]
                terms = [(values.get((name, term.lstrip("-"), period)), term[0] == "-") for term in metric.equals]
                if terms and all(term is not None for term, _ in terms):
                    assert value == sum(-term if minus else term for term, minus in terms if term is not None)
                    checked.add(attribute)
                bound = values.get((name, metric.at_most or "", period))
                assert bound is None or value <= bound, (article.id, name, attribute, period)
                for group in metric.sums:
                    members = [(name, attribute, f"{period}-Q{quarter}") for quarter in range(1, 5)]
                    if group != "quarter":
                        if name:
                            continue
                        members = [(part, attribute, period) for part in parts[group]]
                    amounts = [values.get(member) for member in members]
                    if all(amount is not None for amount in amounts):
                        assert value == sum(amount for amount in amounts if amount is not None), (
                            name,
                            attribute,
                            period,
                        )
                        checked.add(f"{attribute} over {group}")
    wanted = {metric.id for metric in metrics.values() if metric.equals}
    wanted |= {f"{metric.id} over {group}" for metric in metrics.values() for group in metric.sums}
    assert wanted <= checked


@every_domain
def test_values_lie_in_their_plausible_range(domain: str) -> None:
    metrics = catalog(DOMAINS[domain].words)
    assert len(metrics) >= 15
    for article in reports(domain):
        for fact in article.facts:
            if fact.value is not None and not fact.part and "Q" not in fact.period:
                metric = metrics[fact.attribute]
                assert metric.low <= fact.value <= metric.high, (article.id, fact)


@every_domain
def test_yearly_totals_change_plausibly(domain: str) -> None:
    total = {"companies": "revenue", "universities": "students", "housing": "homes_sold"}[DOMAINS[domain].words]
    for history in histories(domain):
        path = [
            next(f.value for f in a.facts if f.attribute == total and f.period == str(a.year) and not f.part)
            for a in history
        ]
        for before, after in pairwise(path):
            assert before is not None and after is not None
            assert Decimal("0.5") < after / before < 2


@every_domain
def test_report_metadata(domain: str) -> None:
    for index, article in enumerate(reports(domain)):
        number, place = divmod(index, REPORTS_PER_ENTITY)
        name = entity(domain, number).name
        assert (article.kind, article.subject, article.license) == ("report", domain, "CC0-1.0")
        assert article.id == short_id("gen", "report", domain, SEED, index)
        assert article.source == f"generated:{domain}:{SEED}:{index}"
        assert article.year == 2019 + place
        assert article.title_text.startswith(name) and str(article.year) in article.title_text
        assert {fact.entity for fact in article.facts} == {name}


@every_domain
def test_no_two_titles_of_2000_are_the_same(domain: str) -> None:
    pack = load_pack(DOMAINS[domain].words, DOMAINS[domain].language)
    entities = [entity(domain, number) for number in range(2000 // REPORTS_PER_ENTITY)]
    titles = [title_of(one, pack, year) for one in entities for year in range(2019, 2019 + REPORTS_PER_ENTITY)]
    assert len(set(titles)) == 2000
    assert titles[: len(reports(domain))] == [article.title_text for article in reports(domain)]


def test_names_use_every_combination_once() -> None:
    lists = [["a", "b", "c", "d"], ["e", "f", "g", "h", "i", "j"], ["k", "l"]]
    assert len({tuple(pick_words(lists, SEED, "names", number)) for number in range(48)}) == 48


@every_domain
def test_the_text_is_clean(domain: str) -> None:
    for article in reports(domain):
        text = article.text
        assert not re.search(r"[{}]", text)
        assert not re.search(r"(?<!\|)  (?!\|)", text)
        assert not re.search(r"\s[,.;]|\.\.|,,|。。|，，| \n", text.replace("|  |", "||"))
        assert "\n\n\n" not in text
        for span in article.sentences:
            first = span.of(text)[0]
            assert not first.islower(), span.of(text)


@pytest.mark.parametrize("domain", [name for name, kind in DOMAINS.items() if kind.language == "en"])
def test_uses_a_and_an_correctly(domain: str) -> None:
    for article in reports(domain):
        assert not re.search(r"\b[Aa] (?!uni|use|one\b|eu)[aeiou]", article.text)
        assert not re.search(r"\b[Aa]n (?!hour|honest|8|11|18)[^aeiouAEIOU]", article.text)


def test_chinese_reports_contain_no_english() -> None:
    for article in reports("companies-zh"):
        assert not re.search(r"[A-Za-z]", article.text), re.findall(r".{9}[A-Za-z]+", article.text)[:3]


@every_domain
def test_reports_are_long(domain: str) -> None:
    count = EmbeddedTokenizer("o200k").count
    lengths = [count(article.text) for article in reports(domain)]
    assert min(lengths) > 4_000
    assert max(lengths) < 20_480
    assert sum(length > 10_240 for length in lengths) > len(lengths) / 2


def test_the_same_arguments_give_the_same_bytes_in_another_process() -> None:
    wanted = [(domain, index) for domain in DOMAINS for index in (3, 14)]
    program = (
        "import hashlib\nfrom fathom.corpus.generated.reports import write_report\n"
        f"for domain, index in {wanted!r}:\n"
        f"    print(hashlib.sha256(write_report(domain, {SEED}, index).to_line()).hexdigest())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4321", "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    here = [hashlib.sha256(reports(domain)[index].to_line()).hexdigest() for domain, index in wanted]
    assert result.stdout.split() == here


def test_another_seed_gives_another_report() -> None:
    assert write_report("housing", 1, 0).text != write_report("housing", 2, 0).text


def test_refuses_an_unknown_domain_by_name() -> None:
    with pytest.raises(FathomError, match="no domain 'banks'.*companies"):
        write_report("banks", 1, 0)


def test_names_do_not_run_out_silently() -> None:
    with pytest.raises(FathomError, match="names for"):
        write_report("housing", 1, 10**9)

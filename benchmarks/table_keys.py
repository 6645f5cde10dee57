"""Every key of benches over real filings, recomputed from the CSV files beside them, over ten seeds.

    python benchmarks/table_keys.py --corpora FOLDER     corpora that are ready, one folder each

This shares nothing with the code that reads filings and builds questions: which companies a question is about follows
from the documents of its context and their fiscal years, and the values come from the CSV files. Each answer is
computed twice: SQLite runs the query of the key, and the words of the question are read without that query. Exit code 1
if an answer differs, or if a company was left out without being named.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any, NamedTuple

import fathom
from _measuring import workplace
from _question_reading import NotStatedError, NotUnderstoodError, Reading, read_question

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SEEDS = range(10)
FACTS = {True: "facts_no_dimensions.csv.xz", False: "facts.csv"}
"""The files with all facts of filings in the US and in the UK."""
YEAR_DAYS = (350, 380)
SAME_DAY = 10
SCALES = {Decimal(1), Decimal(1_000_000), Decimal(1_000_000_000)}

CONCEPTS: dict[str, tuple[str, ...]] = {
    "revenue": ("us-gaap:Revenues", "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax"),
    "gross_profit": ("us-gaap:GrossProfit",),
    "operating_profit": ("us-gaap:OperatingIncomeLoss",),
    "net_profit": ("us-gaap:NetIncomeLoss",),
    "total_assets": ("us-gaap:Assets",),
    "current_assets": ("us-gaap:AssetsCurrent", "CurrentAssets"),
    "current_liabilities": ("us-gaap:LiabilitiesCurrent",),
    "total_liabilities": ("us-gaap:Liabilities",),
    "equity": ("us-gaap:StockholdersEquity", "ShareholderFunds", "Equity"),
    "cash": ("us-gaap:CashAndCashEquivalentsAtCarryingValue", "CashBankInHand", "CashBankOnHand"),
    "inventories": ("us-gaap:InventoryNet",),
    "operating_cash_flow": ("us-gaap:NetCashProvidedByUsedInOperatingActivities",),
    "financing_cash_flow": ("us-gaap:NetCashProvidedByUsedInFinancingActivities",),
    "capital_expenditure": ("us-gaap:PaymentsToAcquirePropertyPlantAndEquipment",),
    "rnd_expenses": ("us-gaap:ResearchAndDevelopmentExpense",),
    "finance_costs": ("us-gaap:InterestExpense",),
    "income_tax": ("us-gaap:IncomeTaxExpenseBenefit",),
    "basic_eps": ("us-gaap:EarningsPerShareBasic",),
    "employees": ("AverageNumberEmployeesDuringPeriod",),
}
"""The concepts of each field; the first one that a company uses in the year counts."""
NOUNS = {
    "cash flow from operating activities": "operating_cash_flow",
    "cash flow from financing activities": "financing_cash_flow",
    "research and development expenses": "rnd_expenses",
    "basic earnings per share": "basic_eps",
    "cash balance": "cash",
    "number of employees": "employees",
}
"""The fields that questions do not call by their names."""


class Fact(NamedTuple):
    start: date | None
    end: date
    value: Decimal
    decimals: int


class Filing(NamedTuple):
    """A company's filing: its name, fiscal year, the day on which that ends, and its facts by concept."""

    name: str
    year: int
    end: date
    facts: dict[str, list[Fact]]


def day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


def filings(folder: str) -> dict[str, Filing]:
    """The filings of one source by the names of their files."""
    place = DATA / folder
    us = folder.startswith("sec")
    facts: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    open_text = lzma.open if us else open
    with open_text(place / FACTS[us], "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            try:
                value, end = Decimal(row["value"]), day(row["end"])
            except (ArithmeticError, ValueError):
                continue
            if end is not None and not row.get("dimensions"):
                decimals = int(row["decimals"]) if row.get("decimals", "").lstrip("-").isdigit() else 99
                owner = row["ticker" if us else "company_number"]
                facts[owner][row["concept"]].append(Fact(day(row["start"]), end, value, decimals))
    found = {}
    with (place / "key_metrics.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            stated = day(row["balance_sheet_date"])
            year = int(row["fiscal_year_focus"]) if us else stated.year if stated else 0
            # A filing that tags no balance sheet has no values either.
            end = stated or date(year, 12, 31)
            owner = row["ticker" if us else "company_number"]
            found[Path(row["file"]).name] = Filing(row["registrant" if us else "company_name"], year, end, facts[owner])
    return found


def value_of(filing: Filing, field: str, year: int) -> set[Decimal]:
    """The most precise value that the filing gives for the field in that fiscal year; several if it gives several."""
    for concept in CONCEPTS[field]:
        fits = [fact for fact in filing.facts.get(concept, ()) if _is_of(fact, filing, year)]
        if fits:
            best = max(fact.decimals for fact in fits)
            return {fact.value for fact in fits if fact.decimals == best}
    return set()


def _is_of(fact: Fact, filing: Filing, year: int) -> bool:
    back = filing.year - year
    if abs((filing.end - fact.end).days - round(back * 365.25)) > SAME_DAY:
        return False
    return fact.start is None or YEAR_DAYS[0] <= (fact.end - fact.start).days <= YEAR_DAYS[1]


class DifferenceError(Exception):
    """The key is not what the CSV files give."""


class UnknownError(Exception):
    """The CSV files do not have a value that the key uses."""


def recomputed(item: Any, names: dict[str, str], gold: dict[str, Filing]) -> list[tuple[Any, ...]]:
    """The rows that the key's query gives over the values of the CSV files; `names` has the file of each document."""
    proof, text = item.key.proof, item.question.text
    scales = {row[1]: Decimal(row[3]) for row in proof.rows}
    columns = sorted(scales)
    year = max(int(column.rpartition("_")[2]) for column in columns)
    entity = {names[passage.document]: row[0] for row, passage in zip(proof.rows, proof.passages, strict=True)}
    rows = []
    for file, filing in shown(item.context, names, gold):
        if filing.year != year:
            continue
        if file not in entity:
            if filing.name.lower().rstrip(".") not in text.lower():
                raise DifferenceError(f"{filing.name} is left out, and the question does not name it")
            continue
        if entity[file].lower() != filing.name.lower():
            raise DifferenceError(f"{entity[file]} is called {filing.name} in the CSV file")
        rows.append((entity[file], *(cell(filing, column, scales[column]) for column in columns)))
    if {row[0] for row in rows} != {row[0] for row in proof.rows}:
        raise DifferenceError("the key uses other companies")
    if any(scale not in SCALES for scale in scales.values()):
        raise DifferenceError(f"a scale is none of {sorted(SCALES)}")
    database = sqlite3.connect(":memory:")
    listed = ", ".join(columns)
    database.execute(f"CREATE TABLE companies (entity_id INTEGER PRIMARY KEY, name TEXT, {listed})")
    marks = ", ".join("?" * (len(columns) + 2))
    database.executemany(
        f"INSERT INTO companies (entity_id, name, {listed}) VALUES ({marks})",
        [(number, *row) for number, row in enumerate(sorted(rows), start=1)],
    )
    return database.execute(proof.program).fetchall()


def shown(context: Any, names: dict[str, str], gold: dict[str, Filing]) -> Iterator[tuple[str, Filing]]:
    for id in context.documents:
        if names[id] in gold:
            yield names[id], gold[names[id]]


def cell(filing: Filing, column: str, scale: Decimal) -> int | float:
    field, _, year = column.rpartition("_")
    found = value_of(filing, field, int(year))
    if not found:
        raise UnknownError(f"{filing.name}: {column}")
    if len(found) > 1:
        raise DifferenceError(f"{filing.name} gives several values for {column}: {sorted(found)}")
    value = next(iter(found)) / scale
    return int(value) if value == value.to_integral() else float(value)


def agrees(answer: Any, rows: list[tuple[Any, ...]]) -> bool:
    """Whether the rows are the answer of the key."""
    match answer.type:
        case "none":
            return not rows or rows == [(None,)]
        case "number":
            value, wanted = Decimal(repr(rows[0][0])), Decimal(answer.value)
            if answer.decimals is None:
                return value == wanted
            places = Decimal(1).scaleb(-answer.decimals)
            # Sums of doubles may fall on the other side of a half.
            return abs(value - wanted) <= places / 2 + abs(value) * Decimal("1e-12") or (
                value.quantize(places, ROUND_HALF_EVEN) == wanted
            )
        case "set":
            return {row[0] for row in rows} == {one.value for one in answer.items} and len(rows) == len(answer.items)
        case "ranking":
            return [row[0] for row in rows] == [one.value for group in answer.groups for one in group]
        case "text":
            return [row[0] for row in rows] == [answer.value]
        case _:
            return False


def by_words(item: Any, names: dict[str, str], gold: dict[str, Filing]) -> str:
    """How the answer compares with what the words of the question ask for: equal, different, or not read."""
    filings = {filing.name: filing for _, filing in shown(item.context, names, gold)}

    def value(company: str, noun: str, year: int) -> Decimal | None:
        field = NOUNS.get(noun, noun.replace(" ", "_"))
        if field not in CONCEPTS:
            raise NotUnderstoodError(noun)
        found = value_of(filings[company], field, year)
        return next(iter(found)) if len(found) == 1 else None

    companies = [(filing.name, filing.year) for filing in filings.values()]
    try:
        return (
            "equal" if is_answer(item.key.answer, read_question(item.question.text, companies, value)) else "different"
        )
    except (NotUnderstoodError, NotStatedError):
        return "not read"


def is_answer(answer: Any, reading: Reading) -> bool:
    """Whether a reading of the question is the answer of the key."""
    names = [name.lower().rstrip(".") for name in reading.names or ()]
    match answer.type:
        case "none":
            return not names and reading.number is None
        case "number":
            close = Decimal("0.5").scaleb(-answer.decimals) if answer.decimals else Decimal(0)
            wanted = Decimal(answer.value)
            return reading.number is not None and abs(reading.number - wanted) <= close + abs(wanted) * Decimal("1e-12")
        case "set":
            return sorted(names) == sorted(one.value.lower().rstrip(".") for one in answer.items)
        case "ranking":
            return names == [one.value.lower().rstrip(".") for group in answer.groups for one in group]
        case _:
            return names == [answer.value.lower().rstrip(".")]


def check(name: str, corpus: fathom.Corpus, length: str, seed: int, folder: Path) -> Counter[str]:
    """Builds a bench and recomputes its keys."""
    gold = filings(name)
    names = {document.id: Path(document.source).name for document in corpus.documents()}
    place = folder / f"{name}-{seed}"
    corpus.contexts([length], count=4, seed=seed, sampling="random", out=place.with_suffix(".jsonl"))
    results: Counter[str] = Counter()
    try:
        bench = fathom.build(
            "tables", corpus, out=place, seed=seed, contexts=place.with_suffix(".jsonl"), questions=25, unanswerable=0.1
        )
    except fathom.FathomError as error:
        # Small companies tag little: of some contexts too many figures are unknown.
        print(f"  {name} seed {seed}: {error}")
        return results
    for item in bench.items():
        words = by_words(item, names, gold)
        results[f"{words} by words"] += 1
        if words != "equal":
            print(f"  {name} seed {seed} {item.question.id}: {words} by words: {item.question.text}")
        try:
            same = agrees(item.key.answer, recomputed(item, names, gold))
            results["equal" if same else "different"] += 1
            problem = "" if same else f"{item.answer!r} is not what the CSV files give"
        except UnknownError as unknown:
            results["not in the CSV files"] += 1
            problem = f"not in the CSV files: {unknown}"
        except DifferenceError as difference:
            results["different"] += 1
            problem = str(difference)
        if problem:
            print(f"  {name} seed {seed} {item.question.id}: {problem}")
    return results


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--corpora", type=Path, help="a folder with ready corpora")
    words.add_argument("--seeds", default=f"{SEEDS[0]}-{SEEDS[-1]}", help="such as 0-9 or 3")
    given = words.parse_args()
    first, _, last = given.seeds.partition("-")
    total: Counter[str] = Counter()
    with workplace() as folder:
        for name, length in (("sec-10k-ixbrl", "1M"), ("uk-accounts-ixbrl", "64K")):
            if not (DATA / name).exists():
                print(f"{name}: not measured, since ../shared/data/{name} is not here")
                continue
            ready = given.corpora / name if given.corpora else folder / f"{name}-corpus"
            corpus = (
                fathom.open_corpus(ready) if ready.is_dir() else fathom.ingest([DATA / name / "html.tar.xz"], out=ready)
            )
            found: Counter[str] = Counter()
            for seed in range(int(first), int(last or first) + 1):
                found += check(name, corpus, length, seed, folder)
            keys = sum(count for kind, count in found.items() if not kind.endswith("by words"))
            print(f"{name}: {keys:,} keys: " + ", ".join(f"{kind} {count:,}" for kind, count in found.items()))
            total += found
    return 1 if total["different"] or total["different by words"] or not total["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())

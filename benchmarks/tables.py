"""Figures of the family `tables` against the gold tables of real corpora, where ../shared/data is available.

Prints how many figures are equal, different, or found on one side only; exit code 1 if any is different.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import fathom
from _measuring import workplace
from fathom.tasks.tables.figures import DocumentFigures, FigureId, StatedFigure, document_figures
from fathom.tasks.tables.pack import read_pack

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
RELATIVE_ERROR = Decimal("1e-12")
"""Sums in the gold files have floating-point errors."""


class Gold(NamedTuple):
    """A corpus with a table of key figures."""

    folder: str
    archive: str
    pack: str
    columns: dict[str, tuple[str, ...]]
    """The columns of the gold file for each field; the first that has a value counts."""


SOURCES = (
    Gold(
        "sec-10k-ixbrl",
        "html.tar.xz",
        "companies",
        {
            "revenue": ("Revenues", "RevenueFromContractWithCustomerExcludingAssessedTax"),
            "gross_profit": ("GrossProfit",),
            "operating_profit": ("OperatingIncomeLoss",),
            "rnd_expenses": ("ResearchAndDevelopmentExpense",),
            "income_tax": ("IncomeTaxExpenseBenefit",),
            "net_profit": ("NetIncomeLoss",),
            "basic_eps": ("EarningsPerShareBasic",),
            "operating_cash_flow": ("NetCashProvidedByUsedInOperatingActivities",),
            "capital_expenditure": ("PaymentsToAcquirePropertyPlantAndEquipment",),
            "total_assets": ("Assets",),
            "current_assets": ("AssetsCurrent",),
            "total_liabilities": ("Liabilities",),
            "current_liabilities": ("LiabilitiesCurrent",),
            "equity": ("StockholdersEquity",),
            "cash": ("CashAndCashEquivalentsAtCarryingValue",),
            "inventories": ("InventoryNet",),
        },
    ),
    Gold(
        "uk-accounts-ixbrl",
        "html.tar.xz",
        "companies",
        {"current_assets": ("current_assets",), "cash": ("cash",), "employees": ("employees",)},
    ),
    Gold(
        "world-factbook",
        "json.tar.xz",
        "countries",
        {
            "population": ("population_value",),
            "median_age": ("median_age_value",),
            "life_expectancy": ("life_expectancy_value",),
            "birth_rate": ("birth_rate_value",),
            "area": ("area_total_value",),
            "coastline": ("coastline_value",),
        },
    ),
)


def compared(gold: Gold, folder: Path) -> Counter[str]:
    """How many figures agree."""
    pack = read_pack(gold.pack)
    with fathom.ingest([DATA / gold.folder / gold.archive], out=folder / gold.folder) as corpus:
        read = {Path(document.source).name: document_figures(document, pack) for document in corpus.documents()}
    results: Counter[str] = Counter()
    with (DATA / gold.folder / "key_metrics.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            figures = read.get(Path(row["file"]).name)
            results["documents"] += 1
            for field, columns in gold.columns.items():
                stated = next((row[column] for column in columns if row[column]), "")
                results[_outcome(stated, _figure(figures, field))] += 1
    return results


def _figure(figures: DocumentFigures | None, field: str) -> StatedFigure | None:
    found = figures.figures.get(FigureId(field, figures.year)) if figures else None
    return found if isinstance(found, StatedFigure) else None


def _outcome(stated: str, figure: StatedFigure | None) -> str:
    if not stated or figure is None or figure.value is None:
        return "only in the gold" if stated else "only here" if figure is not None else "neither"
    wanted = Decimal(stated)
    return "equal" if abs(figure.value - wanted) <= abs(wanted) * RELATIVE_ERROR else "different"


def main() -> int:
    different = 0
    with workplace() as folder:
        for gold in SOURCES:
            if not (DATA / gold.folder).exists():
                print(f"{gold.folder}: not measured, since ../shared/data/{gold.folder} is not here")
                continue
            results = compared(gold, folder)
            different += results["different"]
            counts = ", ".join(
                f"{name} {results[name]}" for name in ("equal", "different", "only in the gold", "only here")
            )
            print(f"{gold.folder}: {results['documents']} documents, {len(gold.columns)} fields: {counts}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

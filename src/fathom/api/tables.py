"""Tables on demand: a measure of runs by any of their properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.analysis.analyze import open_corpus_of, worker_processes
from fathom.analysis.bench_data import ExtraMeasures, collect, diagnosed_names
from fathom.analysis.loading import BenchRuns, ScoredResponse, load_runs
from fathom.analysis.pivot import PivotCell, PivotSettings, PivotTable, pivot
from fathom.analysis.pivot_terms import PivotTerms
from fathom.analysis.response_table import ResponseTable, plain_name
from fathom.api.arguments import Folder, Progress, as_names, as_path, ignore
from fathom.api.dataframes import require_pandas
from fathom.api.findings import run_folders
from fathom.parallel import infrequent_gc
from fathom.records.errors import FathomError
from fathom.records.files import atomic_write
from fathom.report.pivot_text import FORMATS, SUFFIXES, Detail, as_csv, as_latex, as_markdown, as_text, records
from fathom.scoring import scitrek
from fathom.scoring.answer_types.format import published
from fathom.tasks.family import Item

if TYPE_CHECKING:
    import pandas

__all__ = ["Detail", "PivotCell", "PivotTable", "ResultsTable", "describe", "format_of", "table"]

DIAGNOSED = frozenset({"cause", "stage"})
"""Properties of incorrect answers, which take time to diagnose."""
FROM_CORPUS = frozenset({*DIAGNOSED, "operators", "subject", "language"})
"""Properties that are not known without the corpus."""
LISTED = 6
"""Values of a property that are listed."""
EXACT_MATCH, F1 = "scitrek-exact-match", "scitrek-f1"


@dataclass(frozen=True)
class ResultsTable:
    """A table of runs. Print it, or convert it to a data frame, CSV, Markdown or LaTeX."""

    content: PivotTable
    """All cells with intervals and counts, as a record."""

    def __str__(self) -> str:
        return as_text(self.content)

    def __repr__(self) -> str:
        return f"ResultsTable({len(self.content.row_values)} rows, {len(self.content.column_values)} columns)"

    @property
    def cells(self) -> tuple[PivotCell, ...]:
        return self.content.cells

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats for comparing cells."""
        return self.content.notes

    def value(self, *labels: str) -> float | None:
        """The value of the cell with these labels, in any order; an error if several cells or none have them."""
        matching = [cell for cell in self.cells if set(labels) <= {*cell.row, *cell.column, cell.measure}]
        if len(matching) != 1:
            raise FathomError(
                f"{len(matching)} cells have the labels {', '.join(labels)}. Give the labels of one cell."
            )
        return matching[0].value

    def to_records(self) -> list[dict[str, str | int | float | bool | None]]:
        """One record for each cell: its labels, value, interval and counts."""
        return list(records(self.content))

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each cell. Needs pandas."""
        return require_pandas().DataFrame(self.to_records())

    def to_csv(self) -> str:
        return as_csv(self.content)

    def to_markdown(self, cells: Detail = "full", decimals: int = 1) -> str:
        return as_markdown(self.content, cells, decimals)

    def to_latex(self, cells: Detail = "full", decimals: int = 1) -> str:
        return as_latex(self.content, cells, decimals)

    def formatted(self, format: str, cells: Detail = "full", decimals: int = 1) -> str:
        """The table in one of the formats text, markdown, latex, csv and json."""
        return FORMATS[format](self.content, cells, decimals)

    def write(self, path: Folder, format: str | None = None, cells: Detail = "full", decimals: int = 1) -> None:
        """Write the table; by default the ending of the name decides on the format: .csv, .md, .tex, .json or .txt."""
        file_path = as_path(path)
        text = self.formatted(format or format_of(file_path), cells, decimals)
        with atomic_write(file_path) as file:
            file.write(text.encode("utf-8", "replace"))


def format_of(path: Path) -> str:
    """The format of a file by the ending of its name."""
    if path.suffix.lower() not in SUFFIXES:
        raise FathomError(f"The format of '{path}' is not known. Use a name that ends in {', '.join(SUFFIXES)}.")
    return SUFFIXES[path.suffix.lower()]


def table(
    runs: Folder | Sequence[Folder],
    *,
    rows: str | Sequence[str] = "run",
    columns: str | Sequence[str] = (),
    measure: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    macro: str | Sequence[str] = (),
    totals: str | Sequence[str] = (),
    best: str = "",
    difference: str = "",
    common: bool = False,
    rename: Mapping[str, Mapping[str, str]] | None = None,
    bins: Mapping[str, Sequence[str | float]] | None = None,
    bench: Folder | None = None,
    corpus: Folder | None = None,
    processes: int = 1,
    progress: Progress = ignore,
) -> ResultsTable:
    """A measure by any properties of runs, questions and responses, with intervals and counts.

    `rows` and `columns` name properties: of runs (model, system, prompting, ...), of questions (every tag, length,
    operators, ...) or of responses (outcome, pattern, cause, stage). `measure` is accuracy by default. `where` has
    conditions such as "length>=128K". `macro` averages over the values of a property with equal weights. A folder of
    runs means all runs in it. Reads the runs and their benches, and the corpus where a property needs it.
    """
    settings = PivotSettings(
        rows=as_names(rows),
        columns=as_names(columns),
        measures=as_names(measure),
        where=as_names(where),
        macro=as_names(macro),
        totals=as_names(totals),
        best=best,
        difference=difference,
        common=common,
        rename=rename or {},
        bins={name: tuple(str(limit) for limit in limits) for name, limits in (bins or {}).items()},
    )
    source = _Source(run_folders(runs), as_path(bench), as_path(corpus), processes, progress)
    with infrequent_gc():
        return ResultsTable(pivot(source.responses(list(settings.names())), settings))


def describe(runs: Folder | Sequence[Folder], *, bench: Folder | None = None, corpus: Folder | None = None) -> str:
    """The properties of these runs with their values, and the measures."""
    source = _Source(run_folders(runs), as_path(bench), as_path(corpus), 1, ignore)
    responses = source.load(diagnose=True, names=[EXACT_MATCH])
    lines = [f"{name}: {_some(described.values)}" for name, described in responses.describe() if name not in DIAGNOSED]
    lines.append("cause, stage: diagnosed when they are asked for")
    return "\n".join(["properties:", *(f"  {line}" for line in lines), "measures:", f"  {_all_measures(responses)}"])


def _some(values: Sequence[str]) -> str:
    more = f" and {len(values) - LISTED:,} more" if len(values) > LISTED else ""
    return ", ".join(values[:LISTED]) + more


def _all_measures(responses: ResponseTable) -> str:
    return ", ".join(PivotTerms(responses).measure_names())


@dataclass(frozen=True)
class _Source:
    """The runs of a table."""

    folders: list[Path]
    bench: Path | None
    corpus: Path | None
    processes: int
    progress: Progress

    def responses(self, names: Sequence[str]) -> ResponseTable:
        """The responses with everything that these names need. Diagnosing questions takes time."""
        responses = self.load(diagnose=bool(DIAGNOSED.intersection(names)), names=names)
        known = {*responses.property_names, *responses.column_names}
        # A number that few questions have may be known to a diagnosis only, and not be seen before it.
        missing = [name for name in names if name and _is_name(name) and name not in known]
        return self.load(diagnose=True, names=names) if missing else responses

    def load(self, diagnose: bool, names: Sequence[str]) -> ResponseTable:
        benches, order = [], {folder.resolve(): index for index, folder in enumerate(self.folders)}
        loaded = load_runs(self.folders, self.bench)
        diagnose = diagnose or any(self._needs_diagnosis(bench_runs, names) for bench_runs in loaded)
        attribute = bool(DIAGNOSED.intersection(names))
        for bench_runs in loaded:
            with ExitStack() as stack:
                corpus = open_corpus_of(bench_runs, self.corpus, stack) if diagnose else None
                if diagnose and corpus is None and (needed := sorted(FROM_CORPUS.intersection(names))):
                    raise FathomError(
                        f"'{', '.join(needed)}' needs the corpus of '{bench_runs.bench.folder}', which was not found. "
                        "Give its folder with --corpus."
                    )
                processes = worker_processes(bench_runs, self.processes)
                benches.append(
                    collect(bench_runs, corpus, processes, self.progress, attribute=attribute, extra=_extra(names))
                )
        runs = sorted(
            (run for bench_runs in loaded for run in bench_runs.runs), key=lambda run: order[run.folder.resolve()]
        )
        return ResponseTable(benches, [run.name for run in runs])

    def _needs_diagnosis(self, bench_runs: BenchRuns, names: Sequence[str]) -> bool:
        with ExitStack() as stack:
            corpus = open_corpus_of(bench_runs, self.corpus, stack)
            return corpus is not None and not set(map(plain_name, diagnosed_names(bench_runs, corpus))).isdisjoint(
                names
            )


def _is_name(name: str) -> bool:
    """Whether it may be a property that only a diagnosis gives."""
    return name not in _WITHOUT_DIAGNOSIS and not name.startswith("pass@")


_WITHOUT_DIAGNOSIS = {"measure", "share", "questions", "responses", "runs", "contexts", "dollars-per-correct"}


def _extra(names: Sequence[str]) -> ExtraMeasures:
    """The measures of published benchmarks, where a table asks for them: they take time."""
    return _scitrek if {EXACT_MATCH, F1} & set(names) else lambda item, response: {}


def _scitrek(item: Item, response: ScoredResponse) -> dict[str, float]:
    """Exact match and F1 as the SciTrek paper computes them; questions whose answer is NULL are left out."""
    if item.key.answer.type == "none":
        return {}
    is_answer = response.outcome != "unanswered" and response.received == "answered"
    measures = scitrek.compare(published(item.key.answer), scitrek.generation(response.text) if is_answer else "")
    return {EXACT_MATCH: float(measures.exact), F1: measures.f1}

"""All responses of some runs as columns: properties by which they are grouped, and numbers that are averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from fathom.analysis.bench_data import BenchData, RunData
from fathom.analysis.failure_stages import STAGES
from fathom.analysis.findings import RESPONSE_OUTCOMES, ItemFinding
from fathom.analysis.intervals import FloatArray, IntArray
from fathom.analysis.patterns import PATTERNS
from fathom.analysis.properties import Groupings, QuestionProperties
from fathom.analysis.ratios import ratio_sums
from fathom.analysis.run_items import NO_PATTERN, ResponseColumns, RunItems
from fathom.models.model_info import model_info
from fathom.records.lengths import format_length
from fathom.records.tag_values import value_order
from fathom.scoring.measures import Distribution, RatioMeasure, counts_of
from fathom.tasks.catalog import distributions_of, measures_of

PropertyLevel = Literal["run", "question", "response"]
"""The level of a property. A property of a run has one value for all of its questions; a sample counts as a run."""
ValueFormat = Literal["share", "count", "number", "money"]
"""How a number is printed."""

NOT_SENT = ("unanswered", "overflow")
"""Outcomes of responses that cost nothing."""
SETTING = "system."
"""Prefix for a setting of a system that has the same name as a tag."""
MODEL = "model."
"""Prefix for the metadata of a model: its window, its cutoff, ..."""


DEFAULT, NONE = "default", "none"
"""The value of a setting that was not given, and of one that a system does not have."""


def expand(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Each index repeated as often as its count says, and the number of each repetition: 0, 1, ..."""
    repeated = np.repeat(np.arange(len(counts)), counts)
    return repeated, np.arange(len(repeated)) - (np.cumsum(counts) - counts)[repeated]


def plain_name(name: str) -> str:
    """The name as it is typed in a command: "Context length" is context-length."""
    return "-".join(name.strip().lower().replace("_", " ").split())


@dataclass(frozen=True)
class Property:
    """A property with the values of all responses. A response may have several values (operators) or none."""

    name: str
    level: PropertyLevel
    values: tuple[str, ...]
    """In the order in which they are listed."""
    indices: IntArray
    """Indices of responses, ascending."""
    codes: IntArray
    """For each of `places`, the index of a value."""
    is_ordered: bool = False
    """Whether its values have an order of their own, so that they can be compared."""

    def having(self, codes: Iterable[int], size: int) -> IntArray:
        """For each of `size` responses, 1 if it has one of these values."""
        has_value = np.zeros(size, dtype=np.int64)
        has_value[self.indices[np.isin(self.codes, list(codes))]] = 1
        return has_value

    def at(self, selected: IntArray, size: int) -> tuple[IntArray, IntArray]:
        """The values of some of `size` responses: indices into `selected`, and the value of each."""
        counts = np.bincount(self.indices, minlength=size)
        starts = np.cumsum(counts) - counts
        repeated, offsets = expand(counts[selected])
        return repeated, self.codes[starts[selected[repeated]] + offsets]

    def renamed(self, names: Mapping[str, str]) -> Property:
        """With values that match a pattern under another name; values of one name are merged."""
        new_names = [
            next((name for pattern, name in names.items() if _matches(value, pattern)), value) for value in self.values
        ]
        values = tuple(dict.fromkeys(new_names))
        numbers = np.array([values.index(name) for name in new_names], dtype=np.int64)
        pairs = np.unique(np.stack([self.indices, numbers[self.codes]]), axis=1) if len(self.indices) else None
        indices, codes = (self.indices, self.codes) if pairs is None else pairs
        return Property(self.name, self.level, values, indices, codes, self.is_ordered)


def _matches(value: str, pattern: str) -> bool:
    """Whether a value is the pattern, or matches it where "*" is any text. "?" is common in names of models."""
    return value == pattern or ("*" in pattern and fnmatchcase(value, pattern.replace("[", "[[]").replace("?", "[?]")))


def matching(values: Sequence[str], pattern: str) -> list[int]:
    """The indices of the values that match a pattern."""
    return [code for code, value in enumerate(values) if _matches(value, pattern)]


@dataclass(frozen=True)
class ResponseColumn:
    """A number of each response; NaN where there is none."""

    name: str
    kind: ValueFormat
    level: PropertyLevel
    values: FloatArray
    is_share: bool = False
    """Whether every value is between 0 and 1."""
    top: FloatArray | None = None
    """For a ratio of counts, the numerators. The mean of a ratio is the ratio of the sums."""
    bottom: FloatArray | None = None
    lists: Sequence[Sequence[float]] | None = None
    """For a distribution, the numbers of each response."""
    less_is_better: bool = False


class ResponseTable:
    """The responses of runs, question by question and sample by sample."""

    def __init__(self, benches: Sequence[BenchData], names: Sequence[str]) -> None:
        """`names` are the runs' names in the order in which they are listed."""
        order = {name: index for index, name in enumerate(names)}
        runs_of_benches = [(bench, run) for bench in range(len(benches)) for run in benches[bench].runs]
        runs_of_benches.sort(key=lambda pair: order[pair[1].name])
        self.benches = list(benches)
        self.runs: list[RunData] = [run for _, run in runs_of_benches]
        self.bench_of = [bench for bench, _ in runs_of_benches]
        self._first = np.cumsum([0, *(len(bench.questions) for bench in benches)])
        self.questions: list[QuestionProperties] = [question for bench in benches for question in bench.questions]
        contexts = np.cumsum([0, *(len(bench.documents) for bench in benches)])
        of_question = [bench.contexts + contexts[number] for number, bench in enumerate(benches)]
        self._context_of_question = np.concatenate(of_question) if of_question else np.zeros(0, dtype=np.int64)
        parts = [np.repeat(run.arrays.rows + self._first[bench], run.run.samples) for bench, run in runs_of_benches]
        self.question = np.concatenate(parts)
        """The number of each response's question."""
        self.run = np.repeat(np.arange(len(runs_of_benches)), [len(part) for part in parts])
        self.sample = np.concatenate([np.tile(np.arange(run.run.samples), len(run.rows)) for _, run in runs_of_benches])
        self.context = self._context_of_question[self.question]
        self.groupings = Groupings.of(
            tuple(dict.fromkeys(name for bench in benches for name in bench.bench_runs.bench.manifest.families))
        )

    def span(self, bench: int) -> tuple[int, int]:
        """The numbers of the first question of a bench, and of the first after it."""
        return int(self._first[bench]), int(self._first[bench + 1])

    @property
    def size(self) -> int:
        """The number of responses, missing ones included."""
        return len(self.run)

    @cached_property
    def _items(self) -> list[RunItems]:
        """The findings about each response of each run, with its likely cause and stage if causes were diagnosed."""
        return [run.items() for run in self.runs]

    @cached_property
    def outcome(self) -> IntArray:
        """The index of each response's outcome in `RESPONSE_OUTCOMES`."""
        return np.concatenate([run.columns.outcome_codes() for run in self.runs])

    def has_outcome(self, *outcomes: str) -> IntArray:
        """For each response, 1 if it has one of the outcomes."""
        numbers = [number for number, outcome in enumerate(RESPONSE_OUTCOMES) if outcome in outcomes]
        return np.isin(self.outcome, numbers).astype(np.int64)

    # Properties.

    @cached_property
    def property_names(self) -> tuple[str, ...]:
        """The names of all properties: of runs, of questions and of responses."""
        return tuple(dict.fromkeys([*self._run_values, *self._question_values, *self._response_values]))

    def property(self, name: str) -> Property | None:
        """The property with that name; None if it does not exist."""
        if name in self._run_values:
            return self._run_property(name, self._run_values[name])
        if name in self._question_values:
            return self._question_property(name)
        return self._response_values[name]() if name in self._response_values else None

    @cached_property
    def _run_values(self) -> dict[str, list[str]]:
        """For each property of runs, the value of each run."""
        properties_of_runs = [
            _run_properties(run, self.benches[bench]) for run, bench in zip(self.runs, self.bench_of, strict=True)
        ]
        names = dict.fromkeys(name for properties in properties_of_runs for name in properties)
        values_by_property = {name: [properties.get(name, NONE) for properties in properties_of_runs] for name in names}
        tags = {plain_name(name) for question in self.questions for name in question.groups}
        plain_properties = {name: values for name, values in values_by_property.items() if not name.startswith(SETTING)}
        # A setting of a system has a short name unless a tag or another property has that name.
        short = {
            name.removeprefix(SETTING): values
            for name, values in values_by_property.items()
            if name.startswith(SETTING) and name.removeprefix(SETTING) not in {*tags, *plain_properties}
        }
        return (
            plain_properties
            | short
            | {name: values for name, values in values_by_property.items() if name.startswith(SETTING)}
        )

    def _run_property(self, name: str, values_of_runs: list[str]) -> Property:
        distinct = list(dict.fromkeys(values_of_runs))
        is_ordered = all(value_order(value)[0] == 1 for value in distinct if value not in (DEFAULT, NONE))
        values = tuple(sorted(distinct, key=value_order) if is_ordered else distinct)
        codes = np.array([values.index(value) for value in values_of_runs], dtype=np.int64)[self.run]
        return Property(name, "run", values, np.arange(self.size), codes, is_ordered)

    @cached_property
    def _question_values(self) -> dict[str, str]:
        """Properties of questions by name, with the name of their grouping or tag."""
        names = dict.fromkeys(name for question in self.questions for name in (*question.groups, *question.tags))
        ordered = sorted(names, key=self.groupings.order)
        return {plain_name(name): name for name in ("length", *ordered)} | {"question": ""}

    def _question_property(self, name: str) -> Property:
        grouping = self._question_values[name]
        values_of_questions = [self._values_of(question, name, grouping) for question in self.questions]
        distinct = dict.fromkeys(value for values in values_of_questions for value in values)
        values = tuple(distinct) if name == "question" else tuple(self.groupings.ordered(grouping, distinct))
        numbers = {value: number for number, value in enumerate(values)}
        counts = np.array([len(question_values) for question_values in values_of_questions], dtype=np.int64)
        flat = np.array(
            [numbers[value] for question_values in values_of_questions for value in question_values], dtype=np.int64
        )
        starts = np.cumsum(counts) - counts
        indices, offsets = expand(counts[self.question])
        codes = flat[starts[self.question[indices]] + offsets]
        return Property(name, "question", values, indices, codes, self._is_ordered(grouping, values))

    def _is_ordered(self, grouping: str, values: Sequence[str]) -> bool:
        declared = {tag.name: tag.values for tag in self.groupings.tags}.get(grouping, ())
        return all(value_order(value, declared)[0] < 2 for value in values)

    @staticmethod
    def _values_of(question: QuestionProperties, name: str, grouping: str) -> tuple[str, ...]:
        if name == "question":
            return (question.id,)
        if grouping in question.groups:
            return question.groups[grouping]
        if grouping in question.tags:
            return (question.tags[grouping],)
        return (format_length(question.length),) if name == "length" else ()

    @cached_property
    def _response_values(self) -> dict[str, Callable[[], Property]]:
        return {
            "outcome": lambda: Property("outcome", "response", RESPONSE_OUTCOMES, np.arange(self.size), self.outcome),
            "pattern": self._patterns,
            "cause": lambda: self._item_property("cause", [_cause(item) for items in self._items for item in items]),
            "stage": lambda: self._item_property(
                "stage",
                [(item.stage,) if item.stage else () for items in self._items for item in items],
                list(STAGES),
            ),
            "sample": self._samples,
        }

    def _patterns(self) -> Property:
        codes = np.concatenate([run.columns.pattern_codes() for run in self.runs])
        indices = np.flatnonzero(codes != NO_PATTERN)
        # All of them, even if no response has one: a share of zero is a result.
        return Property("pattern", "response", tuple(PATTERNS), indices, codes[indices])

    def _samples(self) -> Property:
        values = tuple(str(number + 1) for number in range(int(self.sample.max(initial=0)) + 1))
        return Property("sample", "run", values, np.arange(self.size), self.sample, True)

    def _item_property(
        self, name: str, values_of_items: Sequence[Sequence[str]], declared: Sequence[str] = ()
    ) -> Property:
        # Declared values are listed even if no response has them: a share of zero is a result.
        distinct = dict.fromkeys([*declared, *(value for item_values in values_of_items for value in item_values)])
        # "unclear" is not a cause: it is listed last.
        values = tuple(sorted(distinct, key=lambda value: (value == "unclear", *value_order(value, declared))))
        numbers = {value: number for number, value in enumerate(values)}
        indices = np.array(
            [index for index, item_values in enumerate(values_of_items) for _ in item_values], dtype=np.int64
        )
        codes = np.array([numbers[value] for item_values in values_of_items for value in item_values], dtype=np.int64)
        return Property(name, "response", values, indices, codes)

    def binned(self, column: ResponseColumn, limits: Sequence[float], labels: Sequence[str]) -> Property:
        """A number as a property with ranges: below the first limit, from one limit to the next, and from the last."""
        indices = np.flatnonzero(~np.isnan(column.values))
        codes = np.searchsorted(np.array(limits), column.values[indices], side="right").astype(np.int64)
        ranges = (f"{low} to {high}" for low, high in pairwise(labels))
        values = (f"under {labels[0]}", *ranges, f"{labels[-1]} and more")
        return Property(column.name, column.level, values, indices, codes, True)

    # Numbers.

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The names of all numbers."""
        sizes = map(plain_name, dict.fromkeys(name for question in self.questions for name in question.sizes))
        declared = map(plain_name, (*self._ratios, *self._distributions))
        return tuple(dict.fromkeys([*_SCORES, *declared, *map(plain_name, self._measure_names), *_COSTS, *sizes]))

    @cached_property
    def _ratios(self) -> dict[str, RatioMeasure]:
        """The families' ratios that have counts."""
        names = set(self._measure_names)
        return {measure.name: measure for measure in measures_of(self.groupings.families) if names & measure.counts}

    @cached_property
    def _distributions(self) -> dict[str, Distribution]:
        """The families' distributions that have numbers; those of the keys have a separate name."""
        names = {name for run in self.runs for value in run.columns.values.values() for name in value}
        declared = distributions_of(self.groupings.families)
        return {
            name: distribution
            for distribution in declared
            for name in (distribution.name, distribution.reference)
            if name in names
        }

    @cached_property
    def _measure_names(self) -> list[str]:
        return list(dict.fromkeys(name for run in self.runs for name in run.columns.measures))

    def column(self, name: str) -> ResponseColumn | None:
        """The number with that name; None if it does not exist."""
        if name == "accuracy":
            return ResponseColumn(name, "share", "response", self.has_outcome("correct").astype(float), True)
        if name == "partial-credit":
            scores = np.concatenate([np.array(run.columns.scores) for run in self.runs])
            return ResponseColumn(name, "share", "response", scores, True)
        if name in _COSTS:
            return ResponseColumn(name, _COSTS[name], "response", self._cost(name))
        if name not in self.column_names:
            return None
        return self._ratio(name) or self._distribution(name) or self._measure(name) or self._size(name)

    def _ratio(self, name: str) -> ResponseColumn | None:
        ratio = next((ratio for key, ratio in self._ratios.items() if plain_name(key) == name), None)
        if ratio is None:
            return None
        counts = {key: self._measure_values(key) for key in ratio.counts}
        top, bottom = ratio_sums(ratio, counts, self.size)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(bottom > 0, top / bottom, np.nan)
        kind: ValueFormat = "share" if ratio.is_share else "number"
        return ResponseColumn(
            name, kind, "response", values, ratio.is_share, top, bottom, less_is_better=ratio.less_is_better
        )

    def _distribution(self, name: str) -> ResponseColumn | None:
        key = next((key for key in self._distributions if plain_name(key) == name), None)
        if key is None:
            return None
        lists = [
            run.columns.values.get(index, {}).get(key, ()) for run in self.runs for index in range(len(run.columns))
        ]
        top, bottom = (
            np.array([sum(numbers_of_response) for numbers_of_response in lists], dtype=float),
            np.array([len(numbers_of_response) for numbers_of_response in lists], float),
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(bottom > 0, top / bottom, np.nan)
        return ResponseColumn(name, "number", "response", values, False, top, bottom, lists)

    def _measure_values(self, *names: str) -> FloatArray:
        """The first of some measures that each response has; NaN where it has none."""
        values = np.full(self.size, np.nan)
        for name in reversed(names):
            run_values = np.concatenate([run.columns.measure(name) for run in self.runs])
            values = np.where(np.isnan(run_values), values, run_values)
        return values

    def _cost(self, name: str) -> FloatArray:
        """NaN where nothing was sent, or where a price is not known."""
        costs = np.concatenate([_cost(run.columns, name) for run in self.runs])
        costs[self.has_outcome(*NOT_SENT) == 1] = np.nan
        return costs

    def _measure(self, name: str) -> ResponseColumn | None:
        names = [key for key in self._measure_names if plain_name(key) == name]
        if not names:
            return None
        values = self._measure_values(*names)
        if counts_of(self._ratios.values()).intersection(names):
            return ResponseColumn(name, "number", "response", values)
        is_share = bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)
        return ResponseColumn(name, "share" if is_share else "number", "response", values, is_share)

    def _size(self, name: str) -> ResponseColumn:
        key = next(key for question in self.questions for key in question.sizes if plain_name(key) == name)
        values = np.array([question.sizes.get(key, np.nan) for question in self.questions])[self.question]
        return ResponseColumn(name, "number", "question", values)

    def prices_unknown(self) -> list[str]:
        """The names of runs with a response whose price is not known."""
        dollars = self._cost("dollars")
        unknown = np.isnan(dollars) & (self.has_outcome(*NOT_SENT) == 0)
        return [self.runs[number].name for number in np.unique(self.run[unknown])]

    def describe(self) -> Iterator[tuple[str, Property]]:
        """Every property that has a value."""
        for name in self.property_names:
            table_property = self.property(name)
            if table_property is not None and table_property.values:
                yield name, table_property


_SCORES = ("accuracy", "partial-credit")
_COSTS: dict[str, ValueFormat] = {
    "tokens": "count",
    "input-tokens": "count",
    "cached-tokens": "count",
    "output-tokens": "count",
    "seconds": "number",
    "dollars": "money",
}


def _cost(columns: ResponseColumns, name: str) -> FloatArray:
    if name == "tokens":
        return _cost(columns, "input-tokens") + _cost(columns, "output-tokens")
    return np.array(getattr(columns, name.replace("-", "_")), dtype=float)


def _cause(item: ItemFinding) -> tuple[str, ...]:
    if item.outcome != "incorrect":
        return ()
    return ("unclear",) if item.unclear or not item.candidates else (item.candidates[0].cause,)


def _run_properties(run: RunData, bench: BenchData) -> dict[str, str]:
    """Properties of a run: its identity, its settings, those of its system, and metadata of its model."""
    manifest = run.run.manifest
    info = run.run.info(True)
    settings = manifest.settings
    properties: dict[str, object] = {
        "run": info.name,
        "model": info.model,
        "system": info.system,
        "prompting": info.prompting,
        "thinking": run.thinks,
        "effort": settings.reasoning_effort,
        "temperature": settings.temperature,
        "max-tokens": settings.max_tokens,
        "seed": settings.seed,
        "samples": settings.samples,
        "bench": bench.bench_runs.bench.folder.resolve().name,
    }
    properties |= {
        SETTING + plain_name(name): value for name, value in manifest.system_settings.items() if name != "prompting"
    }
    model_properties = _model_properties(info.model)
    properties |= {MODEL + plain_name(name): value for name, value in model_properties.items()}
    return {name: _format_value(value) for name, value in properties.items()}


@cache
def _model_properties(model: str) -> dict[str, object]:
    """The metadata of a model, except for prices and speeds."""
    info = model_info(model).model_dump()
    metadata = {
        name: value for name, value in info.items() if not name.endswith(("_price", "_speed", "_ratio", "_output"))
    }
    return {name: "unknown" if value is None else value for name, value in metadata.items()}


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return DEFAULT if value is None else str(value)

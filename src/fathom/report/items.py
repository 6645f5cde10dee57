"""Data of the item explorer: a small index of all items, and their details in parts."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count, islice
from pathlib import Path
from typing import NamedTuple

from fathom.analysis.failure_stages import STAGES
from fathom.analysis.findings import Findings, ItemFinding, RunInfo
from fathom.analysis.loading import verdict_on
from fathom.analysis.patterns import PATTERNS
from fathom.analysis.properties import Groupings
from fathom.analysis.response_table import NOT_SENT
from fathom.analysis.stored_records import StoredRecords, stored_responses, stored_verdicts
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, ContextId, Edit, apply_edits
from fathom.records.documents import DocumentId, Passage
from fathom.records.errors import FathomError
from fathom.records.questions import QuestionId, Response, Usage
from fathom.records.spans import Span
from fathom.records.tag_values import value_order
from fathom.report.page_data import TextLimits, pack_json, shorten
from fathom.report.traces import positions, steps_of
from fathom.runs.folder import read_run
from fathom.scoring.answer_types.format import display
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.checking import ShownContexts
from fathom.tasks.family import Item

ITEMS_PER_PART = 1_000
MAX_COSTS = 60_000
"""Responses up to which the page has the cost of each; with more its data would be too large."""

OUTCOME_LETTERS = {
    "correct": "c",
    "incorrect": "i",
    "unparseable": "u",
    "refused": "f",
    "overflow": "o",
    "error": "x",
    "unjudged": "j",
    "unanswered": ".",
}
"""A character for each outcome; "-" for a question that the run does not ask."""


class NameTable:
    """Numbers names, so that a name that occurs a thousand times is written once."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.numbers: dict[str, int] = {name: number for number, name in enumerate(names)}

    def __call__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def values(self) -> list[str]:
        return list(self.numbers)


class TagColumns:
    """The value of each tag for every item, numbered."""

    def __init__(self) -> None:
        self._names: dict[str, NameTable] = {}
        self._columns: dict[str, array[int]] = {}
        self._families: dict[str, None] = {}
        self._count = 0

    def add(self, item: Item) -> None:
        question = item.question
        self._families[question.family] = None
        tags = {"family": question.family, "split": question.split, "answer": item.key.answer.type, **question.tags}
        for name, value in tags.items():
            column = self._columns.setdefault(name, array("i"))
            column.extend([-1] * (self._count - len(column)))
            column.append(self._names.setdefault(name, NameTable())(value))
        self._count += 1

    def values(self) -> list[tuple[str, list[str], list[int]]]:
        """Each tag by which items can be chosen, its values in order, and the index of each item's value.

        Items without the tag have an empty value.
        """
        groupings = Groupings.of(tuple(self._families))
        tags = []
        for name in sorted(set(self._names) - groupings.ungrouped, key=groupings.order):
            names, column = self._names[name].values(), self._columns[name]
            values = groupings.ordered(name, names)
            column.extend([-1] * (self._count - len(column)))
            if -1 in column and "" not in values:
                values.append("")
            indices = [*map(values.index, names), values.index("") if "" in values else -1]
            tags.append((name, values, [indices[number] for number in column]))
        return tags


@dataclass(frozen=True)
class ShownItem(Item):
    """An item with its context, its bench and its number among the questions of the bench."""

    context: Context
    bench: int
    place: int


@dataclass(frozen=True)
class RunResponses:
    """The responses and findings of one run."""

    name: str
    bench: int
    responses: StoredRecords[Response]
    verdicts: StoredRecords[Verdict]
    findings: Sequence[ItemFinding]
    samples: int
    starts: array[int]
    """For each question of the bench, the index of its first sample in `findings`; -1 if the run does not ask it."""

    def first(self, bench: int, index: int) -> ItemFinding | None:
        """The finding about the first response to a question of a bench; None if the run does not ask it."""
        start = self.starts[index] if bench == self.bench else -1
        return None if start < 0 else self.findings[start]

    def samples_of(self, item: ShownItem) -> Sequence[ItemFinding]:
        """The finding about each sample; none if the run does not ask the question."""
        start = self.starts[item.place] if item.bench == self.bench else -1
        return () if start < 0 else self.findings[start : start + self.samples]


class Items:
    """The items of the benches and the responses of the runs, as data for the page.

    Items are read again from their benches where they are written: those of a large bench would fill the memory.
    """

    def __init__(
        self, findings: Findings, item_findings: Mapping[str, Sequence[ItemFinding]], corpus: Path | None = None
    ) -> None:
        """`item_findings` has the findings about the responses of each run in the order of its bench."""
        self.findings = findings
        self._moved = corpus
        self.notes: list[str] = []
        self.benches = [Bench(Path(bench.folder)) for bench in findings.benches]
        self._shown = [ShownContexts(bench) for bench in self.benches]
        self._tags = TagColumns()
        self._contexts: list[int] = []
        """The number of each item's context."""
        self._numbers: list[dict[QuestionId, int]] = [{} for _ in self.benches]
        """For each bench, the numbers of its questions."""
        contexts = NameTable()
        for item in self._items():
            self._numbers[item.bench][item.question.id] = item.place
            self._contexts.append(contexts(f"{item.bench} {item.context.id}"))
            self._tags.add(item)
        self.runs = [self._run_responses(run.info, item_findings[run.info.name]) for run in findings.runs]
        patterns, causes, stages = set[str](), set[str](), set[str]()
        for finding in chain.from_iterable(run.findings for run in self.runs):
            patterns.update(finding.patterns)
            causes.update(candidate.cause for candidate in finding.candidates)
            causes.update({"unclear"} if finding.unclear else ())
            stages.update({finding.stage} if finding.stage else ())
        # Numbered before the parts refer to them, in the order of the page; "unclear" is not a cause.
        self.patterns = NameTable(sorted(patterns, key=lambda name: value_order(name, list(PATTERNS))))
        self.causes = NameTable(sorted(causes, key=lambda name: (name == "unclear", name)))
        self.stages = NameTable(sorted(stages, key=lambda name: value_order(name, list(STAGES))))

    def __len__(self) -> int:
        return len(self._contexts)

    def _items(self) -> Iterator[ShownItem]:
        for bench, bench_of_items in enumerate(self.benches):
            numbers = count()
            for context, items in bench_of_items.by_context():
                for item in items:
                    yield ShownItem(item.question, item.key, context, bench, next(numbers))

    def _run_responses(self, info: RunInfo, item_findings: Sequence[ItemFinding]) -> RunResponses:
        bench = next(
            index for index, bench_info in enumerate(self.findings.benches) if bench_info.fingerprint == info.bench
        )
        numbers, folder = self._numbers[bench], Path(info.folder)
        samples = read_run(folder).settings.samples
        starts = array("i", [-1]) * len(numbers)
        for index in range(0, len(item_findings), samples):
            starts[numbers[item_findings[index].question_id]] = index
        responses, verdicts = stored_responses(folder, numbers, samples), stored_verdicts(folder, numbers, samples)
        return RunResponses(info.name, bench, responses, verdicts, item_findings, samples, starts)

    def _questions(self) -> Iterator[tuple[int, int, QuestionId]]:
        """The bench of each question, its number in it, and its id."""
        return ((bench, index, id) for bench, numbers in enumerate(self._numbers) for id, index in numbers.items())

    def index(self) -> dict[str, object]:
        """What the filters and the list need about every item."""
        return {
            "count": len(self),
            "part": ITEMS_PER_PART,
            "bench": [bench for bench, *_ in self._questions()] if len(self.benches) > 1 else None,
            "benches": [[bench.name, bench.fingerprint] for bench in self.findings.benches],
            "tags": self._tags.values(),
            "context": self._contexts,
            "runs": [self._run_index(run) for run in self.runs],
            "patterns": self.patterns.values(),
            "causes": self.causes.values(),
            "stages": self.stages.values(),
        }

    def _run_index(self, run: RunResponses) -> dict[str, object]:
        outcomes, causes, scores, stages, few = [], [], [], [], []
        patterns: list[list[int]] = []
        for number, (bench, index, _) in enumerate(self._questions()):
            finding = run.first(bench, index)
            outcomes.append(OUTCOME_LETTERS[finding.outcome] if finding else "-")
            cause = _cause(finding)
            causes.append(self.causes(cause) if cause else -1)
            stages.append(self.stages(finding.stage) if finding and finding.stage else -1)
            scores.append(round(finding.score * 100) if finding else 0)
            if finding and finding.patterns:
                patterns.append([number, *map(self.patterns, finding.patterns)])
            if finding and finding.too_few_chunks:
                few.append(number)
        return {
            "outcome": "".join(outcomes),
            "cause": causes,
            # Most runs are of single calls, which have no stages.
            "stage": stages if max(stages, default=-1) >= 0 else [],
            "score": scores,
            "patterns": patterns,
            "few": few,
            **self._costs(run),
        }

    def _costs(self, run: RunResponses) -> dict[str, object]:
        """Tokens, milliseconds and microdollars of each first response; null where nothing was sent or known."""
        if len(self) * len(self.runs) > MAX_COSTS:
            return {}
        sent = [self._usage_sent(run, bench, index, id) for bench, index, id in self._questions()]
        return {
            "tokens": [usage and usage.input_tokens + usage.output_tokens for usage in sent],
            "seconds": [usage and round(usage.seconds * 1e3) for usage in sent],
            "dollars": [usage and _microdollars(usage) for usage in sent],
        }

    @staticmethod
    def _usage_sent(run: RunResponses, bench: int, index: int, id: QuestionId) -> Usage | None:
        finding = run.first(bench, index)
        response = None if finding is None or finding.outcome in NOT_SENT else run.responses.get(id, 0)
        return None if response is None else response.usage

    def parts(self, limits: TextLimits) -> Iterator[dict[str, object]]:
        """The details of all items, in parts."""
        with ExitStack() as stack:
            opened = [PassageCollector(self._corpus(bench, stack), limits) for bench in self.benches]
            items = self._items()
            for start in range(0, max(1, len(self)), ITEMS_PER_PART):
                yield self._part(start, list(islice(items, ITEMS_PER_PART)), opened, limits)

    def weight(self, limits: TextLimits) -> int:
        """Approximate size of the responses' texts in the page, from a sample."""
        total = sum(len(run.responses) for run in self.runs)
        step = max(1, total // 400)
        sampled = [response for run in self.runs for response in run.responses.records(step)]
        texts = [
            [
                shorten(stored.text, limits.response),
                shorten(stored.thinking, limits.thinking),
                steps_of(stored.trace, limits),
            ]
            for stored in sampled
        ]
        return len(pack_json(texts)) * total // max(1, len(sampled))

    def _corpus(self, bench: Bench, stack: ExitStack) -> Corpus | None:
        """The corpus of the bench; without it, passages have positions but no text."""
        try:
            corpus = stack.enter_context(Corpus(self._moved or bench.corpus_folder))
        except FathomError as error:
            self._note(f"Needed passages are shown without their text: {error}")
            return None
        if corpus.manifest.fingerprint != bench.manifest.corpus_fingerprint:
            self._note(
                f"Needed passages are shown without their text: '{corpus.folder}' is not the corpus of the bench."
            )
            return None
        return corpus

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _part(
        self, start: int, items_of_part: Sequence[ShownItem], collectors: Sequence[PassageCollector], limits: TextLimits
    ) -> dict[str, object]:
        words = NameTable()
        for passages in collectors:
            passages.begin()
        items = [_item(item, collectors[item.bench], words) for item in items_of_part]
        return {
            "start": start,
            "items": items,
            "responses": [
                [
                    [self._response(run, item, finding, limits, words) for finding in run.samples_of(item)]
                    for item in items_of_part
                ]
                for run in self.runs
            ],
            "benches": [passages.finish() for passages in collectors],
            "words": words.values(),
        }

    def _response(
        self, run: RunResponses, item: ShownItem, finding: ItemFinding, limits: TextLimits, words: NameTable
    ) -> list[object]:
        response = run.responses.get(finding.question_id, finding.sample)
        stored = run.verdicts.get(finding.question_id, finding.sample)
        verdict = verdict_on(item, response, stored, self._shown[item.bench]) if response else None
        # A correct answer is the same as the key.
        parsed = verdict.parsed if verdict and finding.outcome != "correct" else None
        usage = (
            [response.usage.input_tokens, response.usage.output_tokens, response.usage.price]
            if response
            else [0, 0, None]
        )
        return [
            OUTCOME_LETTERS[finding.outcome],
            shorten(response.text, limits.response) if response else "",
            None if parsed is None else display(parsed),
            (verdict.reason if verdict else "") or (response.error or "" if response else ""),
            shorten(response.thinking, limits.thinking) if response and limits.thinking else "",
            usage,
            round(finding.score, 3),
            [
                [self.causes(candidate.cause), candidate.detail, round(candidate.probability, 3)]
                for candidate in finding.candidates[:5]
            ],
            finding.unclear,
            [self.patterns(name) for name in finding.patterns],
            # A number for each step, negative if it was not reached.
            [
                _sign_by_reached(words(f"{step.name}: {shorten(step.value, 80)}"), step.at is not None)
                for step in finding.steps[:24]
            ],
            sorted(verdict.measures.items()) if verdict else [],
            [[part.name, OUTCOME_LETTERS[part.outcome], shorten(part.reason, 200)] for part in verdict.parts[:40]]
            if verdict
            else [],
            self.stages(finding.stage) if finding.stage else -1,
            steps_of(response.trace, limits) if response else [],
            positions(item.context, response.trace) if response else [],
            (response.ending or "") if response else "",
        ]


def _item(item: ShownItem, passages: PassageCollector, words: NameTable) -> list[object]:
    key, context = item.key, item.context
    proof = key.proof
    rows = shorten("\n".join(" | ".join(cells) for cells in proof.rows), 500)
    return [
        item.question.id,
        item.question.text,
        words(proof.program),
        [words(step) for step in family(item.question.family).explain(key)],
        display(key.answer),
        key.answer.type,
        passages.context(context),
        [number for passage in proof.passages if (number := passages.number(context, passage)) is not None],
        rows,
    ]


def _sign_by_reached(number: int, reached: bool) -> int:
    return number + 1 if reached else -number - 1


def _cause(finding: ItemFinding | None) -> str:
    """The most likely cause, "unclear", or empty."""
    if finding is None:
        return ""
    if finding.unclear:
        return "unclear"
    return finding.candidates[0].cause if finding.candidates else ""


def _microdollars(usage: Usage) -> float | None:
    """None if the price is unknown."""
    return None if usage.price is None else round(usage.price * 1e6, 1)


class _Place(NamedTuple):
    """A span of a document as it is shown."""

    document: DocumentId
    edits: tuple[Edit, ...]
    span: Span


class PassageCollector:
    """Collects the passages that the items of one part of the page need from one corpus, each once."""

    def __init__(self, corpus: Corpus | None, limits: TextLimits) -> None:
        self._corpus = corpus
        self._titles = {} if corpus is None else {entry.id: entry.title for entry in corpus.entries()}
        self._limits = limits
        self._text = lru_cache(maxsize=256)(self._read)
        self.begin()

    def begin(self) -> None:
        """Start a new part."""
        self._documents: dict[DocumentId, int] = {}
        self._passages: dict[_Place, int] = {}
        self._contexts: dict[ContextId, int] = {}
        self._layouts: list[list[object]] = []

    def context(self, context: Context) -> int:
        """The number of a context; its layout is stored, not its text."""
        if context.id not in self._contexts:
            self._contexts[context.id] = len(self._contexts)
            placements = [
                [self._document(placement.document), *placement.span, placement.token] for placement in context.places
            ]
            self._layouts.append([context.id, context.tokens, placements])
        return self._contexts[context.id]

    def number(self, context: Context, passage: Passage) -> int | None:
        """The number of a passage; None if one of its ends is not shown."""
        placement = next((placement for placement in context.places if placement.document == passage.document), None)
        located = None if placement is None else placement.locate(passage.span)
        if placement is None or located is None:
            return None
        # Positions are those in the text as shown, with the place's edits applied.
        placed_passage = _Place(passage.document, placement.edits, located.shifted(-placement.span.start))
        return self._passages.setdefault(placed_passage, len(self._passages))

    def finish(self) -> dict[str, object]:
        """The collected documents, contexts and passages of the part."""
        cut = [self._cut(*passage) for passage in self._passages]
        titles = [self._titles.get(document, document) for document in self._documents]
        return {"documents": titles, "contexts": self._layouts, "passages": cut}

    def _document(self, document: DocumentId) -> int:
        return self._documents.setdefault(document, len(self._documents))

    def _cut(self, document: DocumentId, edits: tuple[Edit, ...], span: Span) -> list[object]:
        number = self._document(document)
        start, end = span
        text = apply_edits(self._text(document), edits) if self._corpus is not None else ""
        around = self._limits.around
        before, after = text[max(0, start - around) : start], text[end : end + around]
        return [number, start, end, before, shorten(text[start:end], self._limits.passage), after]

    def _read(self, document: DocumentId) -> str:
        return "" if self._corpus is None else self._corpus.text(document)

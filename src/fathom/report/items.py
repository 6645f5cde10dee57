"""What the explorer shows of each item: a small index of all of them, and the details in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from fathom.analysis.findings import Findings, ItemFinding
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.questions import Question, QuestionId, Response
from fathom.report.packing import packed
from fathom.report.passages import Passages
from fathom.report.shortening import Limits, shortened
from fathom.runs.folder import VERDICTS, read_responses
from fathom.scoring.answer_types.format import display
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family

IN_A_PART = 1_000
"""Items whose details travel together."""

OUTCOMES = {
    "correct": "r",
    "incorrect": "w",
    "unparseable": "u",
    "refused": "f",
    "overflow": "o",
    "error": "x",
    "unjudged": "j",
    "unanswered": ".",
}
"""A sign for what became of a response; "-" for a question that the run was not to answer."""

OPAQUE = ("template",)
"""Tags whose values say nothing to a reader: nobody looks for t-4f2a."""

Place = tuple[str, QuestionId]
"""An item: the fingerprint of its bench, and its question."""


class Names:
    """Names, each with a number: a name that occurs a thousand times is written once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def listed(self) -> list[str]:
        return list(self.numbers)


@dataclass(frozen=True)
class Row:
    """One item with all that its runs said."""

    bench: int
    question: Question
    key: Key


@dataclass
class Said:
    """What one run says, in the form in which it is looked up."""

    name: str
    bench: str
    responses: dict[tuple[QuestionId, int], Response]
    verdicts: dict[tuple[QuestionId, int], Verdict]
    found: dict[tuple[QuestionId, int], ItemFinding] = field(default_factory=dict)

    def first(self, question: QuestionId) -> ItemFinding | None:
        return self.found.get((question, 0))

    def samples(self, question: QuestionId) -> Iterator[ItemFinding]:
        sample = 0
        while (one := self.found.get((question, sample))) is not None:
            yield one
            sample += 1


class Items:
    """The items of some benches and what some runs made of them, as the page takes them."""

    def __init__(self, findings: Findings, found: Iterable[ItemFinding], corpus: Path | None = None) -> None:
        self.findings = findings
        self._moved = corpus
        self.notes: list[str] = []
        self.runs = [_said(run.facts.name, run.facts.bench, Path(run.facts.folder)) for run in findings.runs]
        by_name = {run.name: run for run in self.runs}
        self.patterns, self.causes = Names(), Names()
        for one in found:
            by_name[one.run].found[one.question_id, one.sample] = one
            self._name(one)
        self.benches = [Bench(Path(bench.folder)) for bench in findings.benches]
        self.rows = [
            Row(number, item.question, item.key)
            for number, bench in enumerate(self.benches)
            for _, items in bench.by_context()
            for item in items
        ]
        self._contexts = [{context.id: context for context in bench.contexts()} for bench in self.benches]

    def _name(self, found: ItemFinding) -> None:
        """Gives numbers to all that will be named: the index lists them before the parts point to them."""
        for pattern in found.patterns:
            self.patterns(pattern)
        for suspect in found.suspects:
            self.causes(suspect.cause)
        if found.unclear:
            self.causes("unclear")

    def index(self) -> dict[str, object]:
        """What filters and the list need of every item."""
        tags = {name: Names() for row in self.rows for name in _tags(row)}
        columns: dict[str, list[int]] = {name: [] for name in tags}
        for row in self.rows:
            has = _tags(row)
            for name, column in columns.items():
                column.append(tags[name](has.get(name, "")))
        return {
            "count": len(self.rows),
            "part": IN_A_PART,
            "bench": [row.bench for row in self.rows] if len(self.benches) > 1 else None,
            "tags": [[name, tags[name].listed(), columns[name]] for name in sorted(tags, key=_rank)],
            "runs": [self._run_index(run) for run in self.runs],
            "patterns": self.patterns.listed(),
            "causes": self.causes.listed(),
        }

    def _run_index(self, run: Said) -> dict[str, object]:
        outcomes, causes, credits = [], [], []
        patterns: list[list[int]] = []
        for place, row in enumerate(self.rows):
            found = run.first(row.question.id) if self._fingerprint(row) == run.bench else None
            outcomes.append(OUTCOMES[found.outcome] if found else "-")
            cause = _cause(found)
            causes.append(self.causes(cause) if cause else -1)
            credits.append(round(found.score * 100) if found else 0)
            if found and found.patterns:
                patterns.append([place, *map(self.patterns, found.patterns)])
        return {"outcome": "".join(outcomes), "cause": causes, "credit": credits, "patterns": patterns}

    def _fingerprint(self, row: Row) -> str:
        return self.findings.benches[row.bench].fingerprint

    def parts(self, limits: Limits) -> Iterator[dict[str, object]]:
        """The details of all items, a thousand at a time."""
        with ExitStack() as stack:
            opened = [Passages(self._corpus(bench, stack), limits) for bench in self.benches]
            for start in range(0, max(1, len(self.rows)), IN_A_PART):
                yield self._part(start, self.rows[start : start + IN_A_PART], opened, limits)

    def weight(self, limits: Limits) -> int:
        """About how many bytes of the page the words of responses take, told from some of them."""
        responses = [response for run in self.runs for response in run.responses.values()]
        some = responses[:: max(1, len(responses) // 400)]
        texts = [shortened(one.text, limits.response) + shortened(one.thinking, limits.thinking) for one in some]
        return len(packed(texts)) * len(responses) // max(1, len(some))

    def _corpus(self, bench: Bench, stack: ExitStack) -> Corpus | None:
        """The corpus of the bench; where it is gone, passages keep their places and lose their text."""
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

    def _part(self, start: int, rows: Sequence[Row], opened: Sequence[Passages], limits: Limits) -> dict[str, object]:
        words = Names()
        for passages in opened:
            passages.begin()
        items = [self._item(row, opened[row.bench], words) for row in rows]
        return {
            "start": start,
            "items": items,
            "responses": [[self._responses(run, row, limits, words) for row in rows] for run in self.runs],
            "benches": [passages.finished() for passages in opened],
            "words": words.listed(),
        }

    def _item(self, row: Row, passages: Passages, words: Names) -> list[object]:
        key = row.key
        context = self._contexts[row.bench][row.question.context_id]
        proof = key.proof
        rows = shortened("\n".join(" | ".join(cells) for cells in proof.rows), 500)
        return [
            row.question.id,
            row.question.text,
            words(proof.program),
            [words(step) for step in family(row.question.family).explain(key)],
            display(key.answer),
            key.answer.type,
            passages.context(context),
            [number for one in proof.passages if (number := passages.number(context, one)) is not None],
            rows,
        ]

    def _responses(self, run: Said, row: Row, limits: Limits, words: Names) -> list[object]:
        if self._fingerprint(row) != run.bench:
            return []
        return [self._response(run, found, limits, words) for found in run.samples(row.question.id)]

    def _response(self, run: Said, found: ItemFinding, limits: Limits, words: Names) -> list[object]:
        place = found.question_id, found.sample
        response, verdict = run.responses.get(place), run.verdicts.get(place)
        # What a right answer was read as stands in the key.
        parsed = verdict.parsed if verdict and found.outcome != "correct" else None
        usage = (
            [response.usage.input_tokens, response.usage.output_tokens, response.usage.price]
            if response
            else [0, 0, None]
        )
        return [
            OUTCOMES[found.outcome],
            shortened(response.text, limits.response) if response else "",
            None if parsed is None else display(parsed),
            (verdict.reason if verdict else "") or (response.error or "" if response else ""),
            shortened(response.thinking, limits.thinking) if response and limits.thinking else "",
            usage,
            round(found.score, 3),
            [[self.causes(one.cause), one.detail, round(one.weight, 3)] for one in found.suspects[:5]],
            found.unclear,
            [self.patterns(name) for name in found.patterns],
            # The same steps stand in the responses of every run: a number each, below zero where it was not reached.
            [_signed(words(f"{one.name}: {shortened(one.value, 80)}"), one.at is not None) for one in found.steps[:24]],
        ]


def _signed(number: int, reached: bool) -> int:
    return number + 1 if reached else -number - 1


def _said(name: str, bench: str, folder: Path) -> Said:
    verdicts = folder / VERDICTS
    judged = read_records(verdicts, Verdict) if verdicts.exists() else iter(())
    return Said(name, bench, read_responses(folder).responses, {(one.question_id, one.sample): one for one in judged})


def _tags(row: Row) -> dict[str, str]:
    question = row.question
    tags = {name: value for name, value in question.tags.items() if name not in OPAQUE}
    return {"family": question.family, "split": question.split, "answer": row.key.answer.type, **tags}


_FIRST = ("skill", "topic", "length", "task", "level", "type", "answer", "family")


def _rank(tag: str) -> tuple[int, str]:
    """Tags that people look for stand first."""
    return (_FIRST.index(tag) if tag in _FIRST else len(_FIRST), tag)


def _cause(found: ItemFinding | None) -> str:
    """The likeliest cause; what has several and none before the others is unclear."""
    if found is None:
        return ""
    if found.unclear:
        return "unclear"
    return found.suspects[0].cause if found.suspects else ""

"""Audits puzzles: reads every value from the text again, recomputes the answers, and drops each fact in turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Document, Fact
from fathom.records.questions import QuestionId, Response
from fathom.scoring.answers import Number, Text
from fathom.scoring.verdicts import Verdict
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.family import AuditCheck, Item
from fathom.tasks.puzzles.authored import authored_item, is_authored, puzzle_of
from fathom.tasks.puzzles.check import check, check_answer
from fathom.tasks.puzzles.checklist import FACT, ChecklistItem, checklist_of, last_step
from fathom.tasks.puzzles.puzzle import PuzzleSource, make_item
from fathom.tasks.puzzles.recompute import (
    ReadValue,
    Recomputation,
    UnknownError,
    UnreadableError,
    agrees,
    day_number,
    read_fact,
)
from fathom.tasks.puzzles.solution import bare_answer, solution, without_item
from fathom.tasks.puzzles.sources import source_of
from fathom.tasks.puzzles.tree import DATE, GivenValue, Node, nodes, operation, parse

PARSED = "the key can be parsed and its document has facts"
SHOWN = "every passage lies in the shown document"
READ = "the characters of every fact state its value"
RECOMPUTED = "the answer and the checklist are recomputed from the text"
NEEDED = "no fact can be left out"
SPREAD = "no single passage has the answer"
BUILT = "the program gives the question, the tags and the proof again"
STEPS = "the program has two operations and two to nine steps"
SOLVED, GUESSED = "a full solution is accepted", "a solution that misses a step is rejected"
AUTHORED = "a puzzle that a person wrote is asked about its document as written"
UNDECIDED = "a checklist in words is left to a judge"
"""The checks."""


class PuzzlesAuditor:
    """Verifies puzzles from their documents."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        self._checks = AuditChecks()
        self._document = corpus.document
        self._source = lru_cache(maxsize=4)(lambda id: source_of(corpus.document(id)))
        self._readings = lru_cache(maxsize=4)(lambda id: _readings(corpus.document(id)))

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the items of one context."""
        for item in items:
            if is_authored(item.key):
                self._check_authored(context, item)
                continue
            try:
                source = self._source(context.documents[0])
                program = parse(item.key.proof.program)
                checklist_of(item.key)
                parsed = source is not None and last_step(item.key) is not None and len(context.documents) == 1
            except Exception:
                parsed = False  # a key file may contain anything
            self._checks.check(PARSED, item, parsed)
            if parsed and source is not None:
                self._check_item(context, item, source, program)
        return self._checks.failures(items)

    def _check_item(self, context: Context, item: Item, source: PuzzleSource, program: Node) -> None:
        document = source.document
        passages = item.key.proof.passages
        inside = all(passage.document == document.id and passage.span.end <= len(document.text) for passage in passages)
        self._checks.check(SHOWN, item, inside and bool(passages) and not context.places[0].edits)
        readings = self._readings(document.id)
        facts = _facts_of(item, document)
        self._checks.check(READ, item, bool(facts) and all(fact in readings for fact in facts))
        answer = _recompute_answer(program, readings)
        self._checks.check(RECOMPUTED, item, answer is not None and _is_recomputed(item, program, readings))
        if answer is not None:
            self._checks.check(NEEDED, item, bool(facts) and _all_needed(program, facts, readings, answer))
            self._checks.check(SPREAD, item, _is_spread(program, source, readings, answer))
        self._checks.check(STEPS, item, _has_steps(item, program))
        try:
            again = make_item(source, context, program, range(2, 10))
        except Exception:
            again = None  # a program that was changed may fail anywhere
        self._checks.check(
            BUILT, item, again is not None and again.question.tags == item.question.tags and again == item
        )
        self._checks.check_responses(item, check_answer)
        self._check_solutions(item, source.document.language)

    def _check_authored(self, context: Context, item: Item) -> None:
        """Check a puzzle that a person wrote. Its key cannot be derived, so only its identity is checked."""
        try:
            puzzle = puzzle_of(item.key)
            again = authored_item(puzzle, self._document(puzzle.document), context)
            is_same = again == item and context.documents == (puzzle.document,)
        except Exception:
            is_same = False  # a key file may contain anything
        self._checks.check(AUTHORED, item, is_same)
        self._checks.check_responses(item, check_answer)
        self._checks.check(UNDECIDED, item, self._verdict_on(item, solution(item.key, "en")).outcome == "unjudged")

    def _check_solutions(self, item: Item, language: str) -> None:
        self._checks.check(SOLVED, item, self._verdict_on(item, solution(item.key, language)).outcome == "correct")
        guessed = [bare_answer(item.key, language)]
        guessed += [without_item(item.key, language, number) for number in range(len(checklist_of(item.key)))]
        for text in guessed:
            self._checks.check(GUESSED, item, self._verdict_on(item, text).outcome != "correct")

    def _verdict_on(self, item: Item, text: str) -> Verdict:
        return check(item.key, Response(question_id=item.question.id, outcome="answered", text=text))

    def results(self) -> list[AuditCheck]:
        """Every check."""
        return self._checks.results()


def _readings(document: Document) -> dict[Fact, ReadValue]:
    """The facts of a document whose characters state their values."""
    readings: dict[Fact, ReadValue] = {}
    for fact in document.facts:
        try:
            readings[fact] = read_fact(fact, document)
        except (UnreadableError, ValueError):
            continue
    return readings


def _facts_of(item: Item, document: Document) -> list[Fact]:
    """The facts of the document that the rows of a proof name; empty if one is not found."""
    rows = [row for row in item.key.proof.rows if row[0] == FACT]
    by_row: dict[tuple[str, ...], Fact] = {
        (fact.entity, fact.part, fact.attribute, fact.period, fact.status, f"{fact.span.start}-{fact.span.end}"): fact
        for fact in document.facts
    }
    facts = [by_row.get((*row[1:6], row[8])) for row in rows if len(row) == 10]
    is_unchanged = all(
        fact is not None and row[6] == (fact.name or f"{fact.value:f}") and row[9] == fact.span.of(document.text)
        for fact, row in zip(facts, rows, strict=False)
    )
    return [fact for fact in facts if fact is not None] if is_unchanged and len(facts) == len(rows) else []


def _recompute_answer(program: Node, readings: dict[Fact, ReadValue]) -> ReadValue | None:
    """The answer by the second derivation; None if the values that could be read do not determine it."""
    try:
        return Recomputation(readings.items()).value(program)
    except UnknownError:
        return None


def _is_recomputed(item: Item, program: Node, readings: dict[Fact, ReadValue]) -> bool:
    """Whether the second derivation gives the answer, and each value of the checklist."""
    computed = Recomputation(readings.items())
    try:
        answer = computed.value(program)
    except UnknownError:
        return False
    last = last_step(item.key)
    if last is None or not _states(last, answer) or not _is_answer(item, answer, last):
        return False
    values: list[ReadValue] = []
    for node in nodes(program):
        try:
            values.append(computed.value(node))
        except UnknownError:
            continue  # a branch that is not taken
    return all(any(_states(step, value) for value in values) for step in checklist_of(item.key))


def _states(item: ChecklistItem, reading: ReadValue) -> bool:
    return agrees(reading, item.value.number, item.value.name, item.value.unit == DATE)


def _is_answer(item: Item, reading: ReadValue, last: ChecklistItem) -> bool:
    """Whether the typed answer of the key is the recomputed one."""
    answer = item.key.answer
    if isinstance(answer, Number):
        return agrees(reading, answer.value, "", is_date=False)
    assert isinstance(answer, Text)
    if last.value.unit == DATE and last.value.number is not None:
        digits = answer.value.replace("-", "")
        return len(digits) == 8 and digits.isdigit() and reading.number == day_number(int(digits))
    return answer.value == reading.name


def _all_needed(program: Node, facts: Sequence[Fact], readings: dict[Fact, ReadValue], answer: ReadValue) -> bool:
    """Whether the answer changes or becomes undecidable without each of the facts."""
    for dropped in facts:
        other_facts = [
            (fact, reading)
            for fact, reading in readings.items()
            if (fact.entity, fact.part, fact.attribute, fact.period)
            != (dropped.entity, dropped.part, dropped.attribute, dropped.period)
            or (fact.value, fact.name) != (dropped.value, dropped.name)
        ]
        if _gives_answer(program, other_facts, answer):
            return False
    return True


def _gives_answer(program: Node, facts: Sequence[tuple[Fact, ReadValue]], answer: ReadValue) -> bool:
    try:
        value = Recomputation(facts).value(program)
    except UnknownError:
        return False
    if answer.number is None or value.number is None:
        return value.name == answer.name
    return abs(float(value.number - answer.number)) < 0.005


def _is_spread(program: Node, source: PuzzleSource, readings: dict[Fact, ReadValue], answer: ReadValue) -> bool:
    """Whether the facts of no single passage give the answer."""
    for span in source.passages:
        inside = [(fact, reading) for fact, reading in readings.items() if span.contains(fact.span)]
        if inside and _gives_answer(program, inside, answer):
            return False
    return True


def _has_steps(item: Item, program: Node) -> bool:
    operations = {operation(node) for node in nodes(program) if not isinstance(node, GivenValue)} - {"reading"}
    steps = item.question.tags.get("steps", "")
    return len(operations) >= 2 and steps.isdigit() and 2 <= int(steps) <= 9

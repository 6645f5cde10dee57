"""Items from puzzles that people wrote. Their checklists are sentences, so only a judge can decide on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from fathom.contexts.assembly import whole_documents
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.authored_puzzles import AuthoredPuzzle
from fathom.records.contexts import Context
from fathom.records.documents import Document
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import Answer, Number, Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import ContextItems, Item
from fathom.tasks.puzzles.checklist import CONCLUSION, OPTION

PREFIX = "authored "
"""The beginning of the program of such a key; the puzzle itself follows as JSON."""


def is_authored(key: Key) -> bool:
    """Whether a person wrote the puzzle."""
    return key.proof.program.startswith(PREFIX)


def puzzle_of(key: Key) -> AuthoredPuzzle:
    """The puzzle of a key; raises ValueError if the key was damaged."""
    return AuthoredPuzzle.model_validate_json(key.proof.program.removeprefix(PREFIX))


def authored_item(puzzle: AuthoredPuzzle, document: Document, context: Context) -> Item:
    """The item of a puzzle. With options, the question lists them and asks for the words of one of them."""
    id = short_id("q", context.id, "authored", puzzle.question, *puzzle.options)
    text = puzzle.question
    if puzzle.options:
        option_lines = "\n".join(f"- {option}" for option in puzzle.options)
        text = f"{text}\n\nChoose one of these answers, and give it in the same words:\n{option_lines}"
    answer = _typed_answer(puzzle)
    rows = [(CONCLUSION, conclusion) for conclusion in puzzle.checklist]
    rows += [(OPTION, option) for option in puzzle.options if option != puzzle.answer]
    proof = Proof(program=PREFIX + puzzle.model_dump_json(), rows=tuple(rows))
    tags = {
        "kind": puzzle.kind,
        "language": document.language,
        "operations": ", ".join(puzzle.operations) or "unknown",
        "steps": str(len(puzzle.checklist)),
        "answer": "number" if isinstance(answer, Number) else "name",
        "distance": "unknown",
    }
    question = Question(id=id, family="puzzles", context_id=context.id, text=text, tags=tags)
    return Item(question, Key(question_id=id, answer=answer, proof=proof))


def _typed_answer(puzzle: AuthoredPuzzle) -> Answer:
    """A number if the whole answer is a number, otherwise a text."""
    digits = puzzle.answer.replace(",", "")
    if not puzzle.options and digits.removeprefix("-").replace(".", "", 1).isdecimal() and digits.isascii():
        parsed = parse_response(f"Answer: {puzzle.answer}", Number(value=Decimal(digits)))
        if isinstance(parsed, Number):
            return Number(value=parsed.value)
    return Text(value=puzzle.answer)


def authored_contexts(corpus: Corpus, file: Path, most: int) -> Iterator[ContextItems]:
    """Each document that has puzzles, with their items."""
    puzzles: dict[str, list[AuthoredPuzzle]] = defaultdict(list)
    for puzzle in read_records(file, AuthoredPuzzle):
        puzzles[puzzle.document].append(puzzle)
    document_ids = {entry.id for entry in corpus.entries()}
    if missing := sorted(set(puzzles) - document_ids):
        raise FathomError(
            f"'{file}' has puzzles on the document '{missing[0]}', which is not in '{corpus.folder}'. "
            "Give the corpus that they were written for."
        )
    for id, document_puzzles in puzzles.items():
        if most <= 0:
            return
        document = corpus.document(id)
        context = whole_documents([document], tokenizer(DEFAULT))
        items = {
            item.question.id: item for item in (authored_item(puzzle, document, context) for puzzle in document_puzzles)
        }
        yield ContextItems(context, list(items.values())[:most])
        most -= len(items)

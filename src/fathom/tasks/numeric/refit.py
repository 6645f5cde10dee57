"""Recomputes items on a smaller context: the same wording, and a key from the remaining articles."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.lengths import format_length
from fathom.scoring.answers import Unanswerable
from fathom.tasks.family import Item, RefittedItems
from fathom.tasks.numeric.build import ItemFactory
from fathom.tasks.numeric.fill import FilledTemplate, TemplateFiller
from fathom.tasks.numeric.schema import TITLE, named_texts
from fathom.tasks.numeric.sources import source_reader
from fathom.tasks.numeric.tables import ContextTables, build_tables, open_database
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.programs.tree import Program

GONE = "the person or article that it names is missing"
ANSWERED = "the unanswerable question has an answer"
UNSUITABLE = "the new answer is too short, too long or trivial"
AMBIGUOUS = "the answer depends on ambiguous names"


class Refitter:
    """Recomputes items for the contexts of one corpus; each article is read once."""

    def __init__(self, corpus: Corpus) -> None:
        self._read = source_reader(corpus)
        self._database = open_database()

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> RefittedItems:
        """The items as asked about the smaller context."""
        before = build_tables(self._read(context.documents))
        factory = ItemFactory(build_tables(self._read(smaller.documents)), self._read(smaller.documents))
        factory.tables.load(self._database)
        filler = TemplateFiller(factory.tables, self._database)
        moved: list[Item] = []
        refused: list[str] = []
        for item in items:
            filled = _refill(item, filler, factory, before)
            if isinstance(filled, FilledTemplate):
                moved.append(_move(item, filled, factory, smaller))
            else:
                refused.append(filled)
        return RefittedItems(moved, refused)


def _refill(item: Item, filler: TemplateFiller, factory: ItemFactory, before: ContextTables) -> FilledTemplate | str:
    """The item's program with its rows in the smaller context, or the reason why it cannot be asked."""
    program = parse(item.key.proof.program)
    if not _named_in_tables(program, before) <= _named_in_tables(program, factory.tables):
        return GONE
    return filled_again(item, program, filler, factory)


def filled_again(item: Item, program: Program, filler: TemplateFiller, factory: ItemFactory) -> FilledTemplate | str:
    """The program, which replaces the item's, with its rows; or the reason why it cannot be asked."""
    empty = isinstance(item.key.answer, Unanswerable)
    # A program without slots is a template that is already filled: the rules of the build apply to it.
    filled = filler.with_values(Template(item.question.tags["template"], program), {}, empty)
    if filled is None:
        return ANSWERED if empty else UNSUITABLE
    return filled if factory.is_unambiguous(filled) else AMBIGUOUS


def _named_in_tables(program: Program, tables: ContextTables) -> set[tuple[str, str]]:
    """The people and titles that the program names and the tables contain."""
    titles = {row.title for row in tables.articles}
    return {
        (column.name, value)
        for column, value in named_texts(program)
        if value in (titles if column == TITLE else tables.articles_of)
    }


def _move(item: Item, filled: FilledTemplate, factory: ItemFactory, smaller: Context) -> Item:
    """The item over the smaller context; its wording depends on the program alone and stays."""
    key = factory.key(smaller, filled)
    tags = {**item.question.tags, "length": format_length(smaller.length)}
    changes = {"id": key.question_id, "context_id": smaller.id, "tags": dict(sorted(tags.items()))}
    return Item(item.question.model_copy(update=changes), key)

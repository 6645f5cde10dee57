"""Recomputes items on a corpus with swapped names, with the new names in program and wording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fathom.corpus.swap import CorpusSwap
from fathom.records.contexts import Context
from fathom.records.lengths import format_length
from fathom.records.rng import rng_for
from fathom.tasks.family import Item, SwappedCorpus, SwappedItems
from fathom.tasks.numeric.build import ItemFactory
from fathom.tasks.numeric.fill import FilledTemplate, TemplateFiller
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.refit import filled_again
from fathom.tasks.numeric.schema import TITLE, named_texts
from fathom.tasks.numeric.sources import source_reader
from fathom.tasks.numeric.tables import build_tables, open_database
from fathom.tasks.numeric.wording import is_wording, question
from fathom.tasks.programs.tree import Column, Compare, Contains, OneOf, Program, children, nodes, rebuild


class Swapper:
    """Recomputes items for the contexts of one swapped corpus."""

    def __init__(self, corpus: SwappedCorpus) -> None:
        self._read = source_reader(corpus.after)
        self._swapping = corpus.swapping
        self._database = open_database()

    def swap(self, context: Context, swapped: Context, items: Sequence[Item]) -> SwappedItems:
        """The items with swapped names."""
        sources = self._read(swapped.documents)
        factory = ItemFactory(build_tables(sources), sources)
        factory.tables.load(self._database)
        filler = TemplateFiller(factory.tables, self._database)
        swapped_items: list[Item] = []
        refused: list[str] = []
        for item in items:
            filled = filled_again(item, renamed(program_of(item.key), self._swapping), filler, factory)
            if isinstance(filled, FilledTemplate):
                swapped_items.append(self._item(item, filled, factory, swapped))
            else:
                refused.append(filled)
        return SwappedItems(swapped, swapped_items, refused)

    def _item(self, item: Item, filled: FilledTemplate, factory: ItemFactory, swapped: Context) -> Item:
        key = factory.key(swapped, filled).model_copy(
            update={"original": item.key.answer, "swapped_from": item.question.id}
        )
        changes = {
            "id": key.question_id,
            "context_id": swapped.id,
            "text": self._words(item, filled.program),
            "tags": dict(sorted({**item.question.tags, "length": format_length(swapped.length)}.items())),
        }
        return Item(item.question.model_copy(update=changes), key)

    def _words(self, item: Item, program: Program) -> str:
        """The same wording with swapped names, or a new wording where the old one does not contain a name as it is."""
        text = item.question.text
        values = zip(_values(program_of(item.key)), _values(program), strict=True)
        # The longest first: "M. Lind" is a part of "M. Lind-Wu".
        for before, after in sorted(set(values), key=lambda pair: -len(pair[0])):
            text = text.replace(before, after)
        return text if is_wording(text, program) else question(program, rng_for(0, "swap", item.question.id))


def renamed(node: Any, swap: CorpusSwap) -> Any:
    """The tree with swapped names and titles."""
    match node:
        case Contains(column, fragment, position) if column != TITLE:
            return Contains(column, swap.names.family(str(fragment)), position)
        case Compare(Column() as column, sign, str(value)):
            return Compare(column, sign, _swap_text(column, value, swap))
        case OneOf(Column() as column, values) if all(isinstance(value, str) for value in values):
            return OneOf(column, tuple(_swap_text(column, str(value), swap) for value in values))
    parts = children(node)
    return rebuild(node, tuple(renamed(part, swap) for part in parts)) if parts else node


def _swap_text(column: Column, value: str, swap: CorpusSwap) -> str:
    return swap.title(value) if column == TITLE else swap.names.name(value)


def _values(program: Program) -> Iterator[str]:
    """The names, titles and fragments of a program, in order."""
    yield from (str(node.fragment) for node in nodes(program) if isinstance(node, Contains))
    yield from (value for _, value in named_texts(program))

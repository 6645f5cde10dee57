"""Items proved again on a corpus with other names: the program and the words name who is there now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fathom.corpus.swap import CorpusSwap
from fathom.records.contexts import Context
from fathom.records.lengths import print_length
from fathom.records.rng import rng_for
from fathom.scoring.answers import Unanswerable
from fathom.tasks.family import Item, SwappedCorpus
from fathom.tasks.numeric.build import Workshop
from fathom.tasks.numeric.filling import Filled, Filler
from fathom.tasks.numeric.programs import (
    CitedByArticle,
    CitesArticle,
    HasAuthor,
    Program,
    SharesAuthor,
    TitleHas,
    nodes,
)
from fathom.tasks.numeric.refit import ANSWERED, UNCERTAIN, UNSUITABLE
from fathom.tasks.numeric.simulate import program_of
from fathom.tasks.numeric.tables import Source, build_tables, open_database, read_source
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.wording import is_wording, question


class Swapper:
    """Proves items again for the contexts of one swapped corpus."""

    def __init__(self, corpus: SwappedCorpus) -> None:
        self._after = corpus.after
        self._swapping = corpus.swapping
        self._database = open_database()
        self._sources: dict[str, Source] = {}

    def swap(self, context: Context, swapped: Context, items: Sequence[Item]) -> tuple[Context, list[Item], list[str]]:
        """The items with the names that stand there now, and for each that no longer holds why it does not."""
        sources = [self._source(id) for id in swapped.documents]
        workshop = Workshop(build_tables(sources), sources)
        workshop.tables.load(self._database)
        filler = Filler(workshop.tables, self._database)
        kept: list[Item] = []
        refused: list[str] = []
        for item in items:
            found = self._proved(item, workshop, filler)
            if isinstance(found, Filled):
                kept.append(self._item(item, found, workshop, swapped))
            else:
                refused.append(found)
        return swapped, kept, refused

    def _source(self, id: str) -> Source:
        if id not in self._sources:
            self._sources[id] = read_source(self._after.bibliographic_record(id))
        return self._sources[id]

    def _proved(self, item: Item, workshop: Workshop, filler: Filler) -> Filled | str:
        """The item's program with other names and the rows that it gives now, or why it can be asked no longer."""
        program = renamed(program_of(item.key), self._swapping)
        empty = isinstance(item.key.answer, Unanswerable)
        filled = filler.filled(Template(item.question.tags["template"], program), {}, empty)
        if filled is None:
            return ANSWERED if empty else UNSUITABLE
        return filled if workshop.is_certain(filled) else UNCERTAIN

    def _item(self, item: Item, filled: Filled, workshop: Workshop, swapped: Context) -> Item:
        key = workshop.key(swapped, filled).model_copy(
            update={"original": item.key.answer, "swapped_from": item.question.id}
        )
        asked = {
            "id": key.question_id,
            "context_id": swapped.id,
            "text": self._words(item, filled.program),
            "tags": dict(sorted({**item.question.tags, "length": print_length(swapped.length)}.items())),
        }
        return Item(item.question.model_copy(update=asked), key)

    def _words(self, item: Item, program: Program) -> str:
        """The same words with other names; where a name stood in them in another way, the program is worded anew."""
        text = item.question.text
        values = zip(_values(program_of(item.key)), _values(program), strict=True)
        # The longest first: "M. Lind" may stand in "M. Lind-Wu".
        for before, after in sorted(set(values), key=lambda pair: -len(pair[0])):
            text = text.replace(before, after)
        return text if is_wording(text, program) else question(program, rng_for(0, "swap", item.question.id))


def renamed(node: Any, swapping: CorpusSwap) -> Any:
    """The program with the names and titles that stand for its own."""
    match node:
        case HasAuthor(name):
            return HasAuthor(swapping.names.name(str(name)))
        case CitesArticle(title) | CitedByArticle(title) | SharesAuthor(title):
            return type(node)(swapping.title(str(title)))
        case TitleHas(fragment):
            return TitleHas(swapping.names.prose(str(fragment)))
        case tuple():
            return tuple(renamed(part, swapping) for part in node)
    names = getattr(node, "__match_args__", ())
    return type(node)(*(renamed(getattr(node, name), swapping) for name in names)) if names else node


def _values(program: Program) -> Iterator[str]:
    """The names, titles and fragments of a program, in order."""
    for node in nodes(program):
        match node:
            case HasAuthor(value) | CitesArticle(value) | CitedByArticle(value) | SharesAuthor(value) | TitleHas(value):
                yield str(value)

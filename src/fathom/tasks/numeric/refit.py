"""Items proved again on a smaller context: the same words, and a key from the articles that are left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId
from fathom.records.lengths import print_length
from fathom.scoring.answers import Unanswerable
from fathom.tasks.family import Item
from fathom.tasks.numeric.build import Workshop
from fathom.tasks.numeric.filling import Filled, Filler
from fathom.tasks.numeric.own import parse
from fathom.tasks.numeric.programs import CitedByArticle, CitesArticle, HasAuthor, Program, SharesAuthor, nodes
from fathom.tasks.numeric.tables import Source, Tables, build_tables, open_database, read_source
from fathom.tasks.numeric.templates import Template

GONE = "whom or what it names is gone"
ANSWERED = "what had no answer has one"
UNSUITABLE = "its result is of no suitable size"
UNCERTAIN = "its answer hangs on who is who"


class Refitter:
    """Proves items again for the contexts of one corpus; each article is read once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._database = open_database()
        self._sources: dict[DocumentId, Source] = {}

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> tuple[list[Item], list[str]]:
        """The items that still hold in the smaller context, and for each of the others why it does not."""
        before = build_tables(self._read(context))
        workshop = Workshop(build_tables(self._read(smaller)), self._read(smaller))
        workshop.tables.load(self._database)
        filler = Filler(workshop.tables, self._database)
        kept: list[Item] = []
        refused: list[str] = []
        for item in items:
            found = _filled(item, filler, workshop, before)
            if isinstance(found, Filled):
                kept.append(_moved(item, found, workshop, smaller))
            else:
                refused.append(found)
        return kept, refused

    def _read(self, context: Context) -> list[Source]:
        for id in context.documents:
            if id not in self._sources:
                self._sources[id] = read_source(self._corpus.bibliographic_record(id))
        return [self._sources[id] for id in context.documents]


def _filled(item: Item, filler: Filler, workshop: Workshop, before: Tables) -> Filled | str:
    """The item's program with the rows that it gives now, or why it can be asked no longer."""
    program = parse(item.key.proof.program)
    if not _named(program, before) <= _named(program, workshop.tables):
        return GONE
    empty = isinstance(item.key.answer, Unanswerable)
    # A program that has its values is a template with nothing left to fill: the build's own rules judge it.
    filled = filler.filled(Template(item.question.tags["template"], program), {}, empty)
    if filled is None:
        return ANSWERED if empty else UNSUITABLE
    return filled if workshop.is_certain(filled) else UNCERTAIN


def _named(program: Program, tables: Tables) -> set[tuple[str, str]]:
    """The people and titles that the program names and the tables hold."""
    titles = {row.title for row in tables.articles}
    present = {"person": tables.articles_of, "title": titles}
    return {(kind, name) for kind, name in _names(program) if name in present[kind]}


def _names(program: Program) -> Iterator[tuple[str, str]]:
    for node in nodes(program):
        match node:
            case HasAuthor(name):
                yield "person", str(name)
            case CitesArticle(title) | CitedByArticle(title) | SharesAuthor(title):
                yield "title", str(title)


def _moved(item: Item, filled: Filled, workshop: Workshop, smaller: Context) -> Item:
    """The item over the smaller context: its words hang on the program alone, and stay."""
    key = workshop.key(smaller, filled)
    tags = {**item.question.tags, "length": print_length(smaller.length)}
    moved = {"id": key.question_id, "context_id": smaller.id, "tags": dict(sorted(tags.items()))}
    return Item(item.question.model_copy(update=moved), key)

"""The responses of simulated models: the key's answer, a guess, or the answer of a reader with known faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from random import Random

from fathom.corpus.store import Corpus
from fathom.models.simulated import Simulated
from fathom.records.contexts import Context
from fathom.scoring.answer_types.format import stated
from fathom.scoring.answers import Answer, Number
from fathom.scoring.keys import Key
from fathom.tasks.family import Item
from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.faults import Reading
from fathom.tasks.simulating import most_frequent
from fathom.tasks.tables.build import with_unit
from fathom.tasks.tables.faults import FAULTS
from fathom.tasks.tables.key_tables import database_of, program_of

WITHOUT_ANSWER = ("I went through the reports one by one.", "Several of them come into question here.", "")


class Simulator:
    """Answers questions as simulated models do."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] = tuple) -> None:
        del corpus
        self._keys = keys

    def text(self, context: Context, item: Item, simulated: Simulated, rng: Random) -> str:
        """The text of the response to one question."""
        del context
        match simulated.kind:
            case "oracle":
                return stated(item.key.answer)
            case "memorizer" if not simulated.happens("forget", rng):
                return stated(item.key.original or item.key.answer)
            case "null":
                return "Answer: NULL"
            case "majority":
                return self._most_frequent.get(item.question.tags.get("operation", ""), "Answer: NULL")
            case "random" | "lexical":
                return _guess(item.key, rng)
            case _:
                if simulated.happens("format", rng):
                    return rng.choice(WITHOUT_ANSWER)
                return stated(_read_with_faults(item.key, simulated, rng))

    @cached_property
    def _most_frequent(self) -> dict[str, str]:
        return most_frequent((key.answer.type, stated(key.answer)) for key in self._keys())


def _guess(key: Key, rng: Random) -> str:
    """Random entities, or a random figure of the table."""
    database = database_of(key)
    rows = database.rows[database.schema.main.name]
    program = program_of(key, database)
    if isinstance(program.output, tree.Labels):
        count = program.top if isinstance(program.top, int) else rng.randint(1, min(5, len(rows)))
        return "Answer:\n" + "\n".join(str(row[1]) for row in rng.sample(rows, min(count, len(rows))))
    if isinstance(program.output, tree.Count):
        return f"Answer: {rng.randint(0, len(rows))}"
    figures = [cell for row in rows for cell in row[2:] if cell is not None]
    return f"Answer: {rng.choice(figures)}"


def _read_with_faults(key: Key, simulated: Simulated, rng: Random) -> Answer:
    """The answer of a reader who misses some documents and makes some mistakes."""
    database: Database = database_of(key)
    miss = simulated.chance("miss")
    count = len(database.rows[database.schema.main.name])
    missing = frozenset(number for number in range(1, count + 1) if rng.random() < miss) if miss else frozenset()
    reading = Reading(program_of(key, database), database, missing)
    for fault in [fault for name, fault in FAULTS.items() if simulated.happens(name, rng)]:
        reading = fault.apply(reading, rng) or reading
    unit = key.answer.unit if isinstance(key.answer, Number) else ""
    return with_unit(reading.answer(), unit)

"""The responses of simulated models: the key's answer, a guess, or the answer of a reader with known faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from random import Random

from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.scoring.answer_types.format import stated
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key
from fathom.tasks.family import ALL_SEEN, Item, Unseen
from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.simulating import most_frequent
from fathom.tasks.tables.build import with_unit
from fathom.tasks.tables.faults import DESCRIPTIONS, faults_of
from fathom.tasks.tables.key_tables import database_of, program_of, scales_of, unit_of
from fathom.tasks.tables.other_figures import OtherFigureReader

WITHOUT_ANSWER = ("I went through the reports one by one.", "Several of them come into question here.", "")


class Simulator:
    """Answers questions as simulated models do."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] = tuple) -> None:
        self._others = OtherFigureReader(corpus)
        self._keys = keys

    def text(
        self, context: Context, item: Item, simulated: SimulatedModel, rng: Random, unseen: Unseen = ALL_SEEN
    ) -> str:
        """The text of the response to one question."""
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
                return stated(self._read_with_faults(context, item.key, simulated, rng, unseen))

    @cached_property
    def _most_frequent(self) -> dict[str, str]:
        return most_frequent((key.answer.type, stated(key.answer)) for key in self._keys())

    def _read_with_faults(
        self, context: Context, key: Key, simulated: SimulatedModel, rng: Random, unseen: Unseen
    ) -> Answer:
        """The answer of a reader who was not shown some documents, misses others and makes some mistakes."""
        database: Database = database_of(key)
        miss = simulated.chance("miss")
        count = len(database.rows[database.schema.main.name])
        missing = frozenset(number for number in range(1, count + 1) if rng.random() < miss) if miss else frozenset()
        reading = Interpretation(program_of(key, database), database, missing | unseen_rows(key, unseen))
        chosen = [name for name in DESCRIPTIONS if simulated.happens(name, rng)]
        faults = faults_of(self._others.read(context, key), scales_of(key)) if chosen else {}
        for name in chosen:
            reading = faults[name].apply(reading, rng) or reading
        unit = unit_of(key.answer)
        return with_unit(reading.answer(), unit)


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


def unseen_rows(key: Key, unseen: Unseen) -> frozenset[int]:
    """The rows of the key's table, counted from one, with a figure from one of these documents."""
    entities = list(dict.fromkeys(entity for entity, *_ in key.proof.rows))
    printed = zip(key.proof.rows, key.proof.passages, strict=True)  # a passage for every figure
    return frozenset(entities.index(row[0]) + 1 for row, passage in printed if passage.document in unseen)

"""What simulated answerers response: the key's answer, a guess, or what a reader with known faults computes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from random import Random
from typing import Any, Literal, NamedTuple

from fathom.corpus.store import Corpus
from fathom.models.simulated import Simulated
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.scoring.answer_types.format import stated
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key
from fathom.tasks.family import Item
from fathom.tasks.numeric.faults import FAULTS, Reading
from fathom.tasks.numeric.own import parse
from fathom.tasks.numeric.programs import Program, Slot, bind
from fathom.tasks.numeric.sql import literal
from fathom.tasks.numeric.tables import Source, Tables, build_tables, read_source
from fathom.tasks.numeric.templates import templates
from fathom.tasks.simulating import simulated_response

SOURCES_KEPT = 4_096
"""Articles whose titles, bylines and references are kept: some tens of megabytes, whatever the size of the corpus."""

LONGEST_GUESS = 12
"""Items in a list that is made up."""

WITHOUT_ANSWER = (
    "I went through the articles one by one and compared them with what is asked.",
    "Several of the articles come into question here, and they differ in many respects.",
    '{"reasoning": "article by article", "answer":',
    "",
)
"""Responses that do not hold an answer; where a list is wanted, prose may still be read as a wrong one."""


class Simulator:
    """Answers for simulated answerers; what it read of a context is kept until the next one comes."""

    def __init__(self, corpus: Corpus, keys: Callable[[], Iterable[Key]] | None = None) -> None:
        """`keys` gives those of the whole bench; only the majority's answer needs them, and reads them once."""
        self._corpus = corpus
        self._keys = keys
        self._source = lru_cache(maxsize=SOURCES_KEPT)(self._read)
        self._at_hand: tuple[str, _Shown] | None = None

    def answer(
        self, context: Context, item: Item, simulated: Simulated, rng: Random, attempt: int = 0, sample: int = 0
    ) -> Response:
        """The response to one question; `rng` belongs to this answerer, question, sample and attempt alone."""
        return simulated_response(
            context, item, simulated, rng, attempt, sample, lambda: self._text(context, item, simulated, rng)
        )

    def _text(self, context: Context, item: Item, simulated: Simulated, rng: Random) -> str:
        match simulated.kind:
            case "oracle":
                return stated(item.key.answer)
            case "memorizer" if not simulated.happens("forget", rng):
                return stated(item.key.original or item.key.answer)
            case "null":
                return "Answer: NULL"
            case "majority":
                return self._most_frequent.get(_wanted(item.key.proof.program).form, "Answer: NULL")
            case "random":
                return _listed(_guess(_wanted(item.key.proof.program), self._shown(context), rng))
            case "lexical":
                return _listed(_lookup(_wanted(item.key.proof.program), self._shown(context), item.question.text))
            case _:
                if simulated.happens("format", rng):
                    return rng.choice(WITHOUT_ANSWER)
                return stated(_read_with_faults(item.key, self.read(context), simulated, rng))

    # What was read.

    def read(self, context: Context) -> Tables:
        """The tables of a context; answering does it where it is needed."""
        return self._shown(context).tables

    def _shown(self, context: Context) -> _Shown:
        if self._at_hand is None or self._at_hand[0] != context.id:
            self._at_hand = context.id, _Shown(build_tables([self._source(id) for id in context.documents]))
        return self._at_hand[1]

    def _read(self, id: DocumentId) -> Source:
        return read_source(self._corpus.bibliographic_record(id))

    @cached_property
    def _most_frequent(self) -> dict[str, str]:
        """For each form of answer that is asked for, the response that is right most often."""
        if self._keys is None:
            raise FathomError("'sim/majority' answers by all keys of a bench. Give them to the simulator.")
        counts: dict[str, Counter[str]] = {}
        for key in self._keys():
            counts.setdefault(_wanted(key.proof.program).form, Counter())[stated(key.answer)] += 1
        return {form: counter.most_common(1)[0][0] for form, counter in counts.items()}


def _read_with_faults(key: Key, tables: Tables, simulated: Simulated, rng: Random) -> Answer:
    """What a reader computes who misses some articles and to whom some faults happen."""
    miss = simulated.chance("miss")
    missing = frozenset(row.number for row in tables.articles if rng.random() < miss) if miss else frozenset()
    reading = Reading(program_of(key), tables, missing)
    # All faults are drawn before the first one is applied.
    for fault in [fault for name, fault in FAULTS.items() if simulated.happens(name, rng)]:
        reading = fault.strike(reading, rng) or reading
    return reading.answer()


def _listed(lines: Sequence[str]) -> str:
    return "Answer: " + lines[0] if len(lines) == 1 else "Answer:\n" + "\n".join(lines)


# Programs from statements.

# The number of a computed measure ("reference_count % 10") belongs to the template, and may stand there twice.
_LITERAL = re.compile(r"(?P<like>LIKE )?'(?P<text>(?:[^']|'')*)'|(?<![\w.])(?<![-+*/%] )(?P<number>\d+)(?![\w.])")
_FIRST_BLANK = 100_000_000
_BLANK = "blank "


def program_of(key: Key) -> Program:
    """The program that a key's statement was written from."""
    try:
        return _program(key.proof.program)
    except Exception as error:
        # A key file may hold anything, and a parser trips over it in many ways.
        raise FathomError(
            f"The program of question '{key.question_id}' cannot be read. Run `fathom audit`, or build the bench again."
        ) from error


def _program(statement: str) -> Program:
    """The statement's program. What differs between the questions of a template is blanked, so that parsing, which
    takes longer than all the rest, is done once for each of a user's templates and never for a built-in one."""
    shape, values = _blanked(statement)
    return bind(_built_in().get(shape) or _shaped(shape), values)


def _blanked(statement: str) -> tuple[str, dict[Slot, int | str]]:
    """The statement with a numbered blank for each value, and the values."""
    values: dict[Slot, int | str] = {}

    def blank(match: re.Match[str]) -> str:
        number, text = len(values), match["text"]
        if text is None:
            values[_slot(number)] = int(match["number"])
            return str(_FIRST_BLANK + number)
        text = text.replace("''", "'")
        values[_slot(number)] = text[1:-1] if match["like"] else text
        return f"LIKE '%{_BLANK}{number}%'" if match["like"] else f"'{_BLANK}{number}'"

    return _LITERAL.sub(blank, statement), values


@cache
def _built_in() -> dict[str, Program]:
    """The programs of the built-in templates by the shape of their statements: those need no parser."""
    shapes: dict[str, Program] = {}
    for template in templates():
        filling: dict[Slot, int | str] = {
            slot: _FIRST_BLANK + number if slot.kind in ("number", "position", "few") else f"{_BLANK}{number}"
            for number, slot in enumerate(template.slots)
        }
        shape, values = _blanked(literal(bind(template.program, filling)))
        # A value may stand in the statement twice; its first place will do.
        places = {value: slot for slot, value in reversed(values.items())}
        shapes[shape] = bind(template.program, {slot: places[value] for slot, value in filling.items()})  # type: ignore[misc]
    return shapes


@lru_cache(maxsize=4_096)
def _shaped(shape: str) -> Program:
    """The program of a statement full of blanks, with a slot for each."""
    program: Program = _slotted(parse(shape))
    return program


@lru_cache(maxsize=64)
def _slot(number: int) -> Slot:
    return Slot("number", number)


def _slotted(node: Any) -> Any:
    if isinstance(node, int) and node >= _FIRST_BLANK:
        return _slot(node - _FIRST_BLANK)
    if isinstance(node, str):
        return _slot(int(node.removeprefix(_BLANK))) if node.startswith(_BLANK) else node
    if isinstance(node, tuple):
        return tuple(map(_slotted, node))
    names = getattr(node, "__match_args__", ())
    return type(node)(*(_slotted(getattr(node, name)) for name in names)) if names else node


# Guesses, which know the wanted form, as the question says it, and nothing of the condition.


class _Wanted(NamedTuple):
    """What a question asks for, whether or not there is an answer."""

    form: Literal["number", "set", "multiset", "ranking", "rows"]
    columns: str


_TEXT = re.compile(r"'(?:[^']|'')*'")
_AGGREGATE = re.compile(r"\b(?:COUNT|MAX|MIN|SUM|AVG)\(")


def _wanted(statement: str) -> _Wanted:
    """The form of the wanted answer, by the statement's own columns: a key without an answer has lost its form."""
    plain = _TEXT.sub("''", statement)
    columns = plain[len("SELECT ") : plain.index(" FROM ")]
    if _AGGREGATE.search(columns):
        return _Wanted("rows" if ", " in columns else "number", columns)
    if " ORDER BY " in plain:
        return _Wanted("ranking", columns.partition(", ")[0])
    return _Wanted("set" if columns.startswith(("DISTINCT ", "article_title", "author_name")) else "multiset", columns)


class _Shown:
    """One context's tables, and what guesses are made of."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    @cached_property
    def titles(self) -> list[str]:
        return [row.title for row in self.tables.articles]

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys(row.name for row in self.tables.authors))

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The words of each title and name."""
        return {text: _words(text) for text in (*self.titles, *self.names)}

    def texts(self, wanted: _Wanted) -> list[str] | None:
        """The titles or names that may be meant; None where numbers are."""
        if "author_name" in wanted.columns and wanted.form != "number":
            return self.names or [""]
        return self.titles if wanted.columns.startswith("article_title") else None

    def numbers(self, columns: str) -> tuple[int, int]:
        """The least and the greatest value of the counts that the columns name, or of how many articles there are."""
        rows = self.tables.articles
        named = [name for name in ("title_word_count", "author_count", "reference_count") if name in columns]
        values = [getattr(row, name) for name in named for row in rows]
        return (min(values), max(values)) if values and "COUNT(" not in columns else (0, len(rows))


def _words(text: str) -> frozenset[str]:
    """The words of a text that are long enough to mean something."""
    return frozenset(re.findall(r"[^\W\d_]{4,}", text.lower()))


def _guess(wanted: _Wanted, shown: _Shown, rng: Random) -> list[str]:
    """Values of the wanted form, drawn from the context."""
    texts = shown.texts(wanted)
    if texts is not None:
        return rng.sample(texts, rng.randint(1, min(len(texts), LONGEST_GUESS)))
    low, high = shown.numbers(wanted.columns)
    count = 1 if wanted.form == "number" else rng.randint(1, min(len(shown.titles), LONGEST_GUESS))
    if wanted.form == "set":
        return [str(number) for number in rng.sample(range(low, high + 1), min(count, high - low + 1))]
    cells = 2 if wanted.form == "rows" else 1
    return ["; ".join(str(rng.randint(low, high)) for _ in range(cells)) for _ in range(count)]


def _lookup(wanted: _Wanted, shown: _Shown, question: str) -> list[str]:
    """The titles or names with most words of the question, or its first number."""
    texts = shown.texts(wanted)
    if texts is None:
        number = re.search(r"\d+", question)
        first = number[0] if number else "1"
        return [f"{first}; {first}" if wanted.form == "rows" else first]
    asked = _words(question)
    shared = {text: len(asked & shown.words.get(text, frozenset())) for text in texts}
    most = max(shared.values())
    return [text for text, count in shared.items() if count == most][: LONGEST_GUESS if most else 1]

"""Tries a template on generated collections: its program means what its SQL means, and every part of it matters."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from random import Random

from sqlglot import exp

from fathom.records.rng import rng_for
from fathom.scoring.answers import Answer, Number, Ranking, Unanswerable
from fathom.tasks.numeric.mutants import random_tables
from fathom.tasks.numeric.schema import NAMES, POSITION, SCHEMA
from fathom.tasks.numeric.tables import ContextTables, open_database
from fathom.tasks.programs import tree
from fathom.tasks.programs.answers import DECIMALS, answer_of, normal_form
from fathom.tasks.programs.evaluate import TableRow
from fathom.tasks.programs.mutants import Constants, constants, result_form
from fathom.tasks.programs.parse import ParseError
from fathom.tasks.programs.sql import parameterized

STEPS = 2_000_000
"""The limit on SQLite's virtual machine steps for one statement: a reasonable statement needs a hundredth of it."""
COMPARED, MAX_TRIED = 24, 80
"""Collections on which program and SQL are compared, and on which at most it is tried whether every part matters."""
PLAUSIBLE = 300
"""Constants above this number occur in no article: nothing near them is generated."""

SlotBindings = dict[tree.Slot, tree.Constant]


def try_template(program: tree.Program, statement: exp.Query, slots: Mapping[str, tree.Slot]) -> None:
    """Raise a ParseError if program and statement differ, or if a part of the program never changes the result."""
    trials = _Trials(program, statement, slots)
    for number in range(MAX_TRIED):
        trials.run(number)
        if trials.is_done:
            break
    trials.check()


class _Trials:
    def __init__(self, program: tree.Program, statement: exp.Query, slots: Mapping[str, tree.Slot]) -> None:
        self._program = program
        self._statement = statement
        self._slots = slots
        self._query = parameterized(program, SCHEMA)
        self._whole = statement.copy()
        if program.top is not None:
            # SQL breaks ties at the cut arbitrarily, so the whole rankings are compared.
            self._whole.set("limit", None)
        self._is_cut = self._whole.find(exp.Limit) is not None
        self._text = self._whole.sql("sqlite")
        self._uncut = parameterized(replace(program, top=None), SCHEMA)
        self._database = open_database()
        self._database.set_progress_handler(lambda: 1, STEPS)
        program_constants = constants(program)
        self._named = Constants(
            tuple(number for number in program_constants.numbers if number <= PLAUSIBLE),
            program_constants.texts,
            program_constants.decimals,
        )
        self._idle = list(dict.fromkeys((*_parts(program.where), *([program.where] if program.where else []))))
        """Conditions that have not excluded anything yet."""
        self._unmet = list(self._idle)
        """Conditions that have not selected anything yet."""
        output = program.output
        self._without_having: tree.Program | None = None
        if isinstance(output, tree.GroupedResults | tree.GroupsAggregate) and output.having is not None:
            self._without_having = replace(program, output=replace(output, having=None))
        """The program without its HAVING, while that has not excluded anything yet."""
        self._compared = 0
        self._answers: Counter[object] = Counter()
        self._is_ranked = not program.order

    @property
    def is_done(self) -> bool:
        is_tested = not self._idle and not self._unmet and self._without_having is None and self._is_ranked
        return self._compared >= COMPARED and is_tested and len(self._answers) > 1

    def run(self, number: int) -> None:
        rng = rng_for(0, "own template", number)
        tables = random_tables(rng, self._named)
        values: SlotBindings = {}
        for slot in dict.fromkeys((*self._slots.values(), *self._query.slots)):
            values[slot] = _draw(slot, tables, rng, values)
        bound = tree.bind(self._program, values)
        try:
            rows = tables.evaluation.run(bound)
        except ZeroDivisionError:
            return
        tables.load(self._database)
        program_rows = self._database.execute(self._query.text, [values[slot] for slot in self._query.slots]).fetchall()
        answer = answer_of(bound, rows, SCHEMA)
        if normal_form(answer) != normal_form(answer_of(bound, program_rows, SCHEMA)):
            raise ParseError("its two evaluations disagree")
        if self._compared < COMPARED:
            if self._whole.args.get("limit") is None and self._statement.args.get("limit") is not None:
                bound = replace(bound, top=None)
                program_rows = self._database.execute(
                    self._uncut.text, [values[slot] for slot in self._uncut.slots]
                ).fetchall()
            self._compare(bound, program_rows, tables, {label: values[slot] for label, slot in self._slots.items()})
            bound = tree.bind(self._program, values)
        self._note(bound, answer, rows, tables, values)

    def _compare(
        self, bound: tree.Program, program_rows: list[TableRow], tables: ContextTables, values: Mapping[str, object]
    ) -> None:
        statement_rows = self._run(values, tables)
        if self._is_cut:
            turned = _reverse_articles(tables)
            turned.load(self._database)
            if sorted(map(str, self._run(values, turned))) != sorted(map(str, statement_rows)):
                return  # a tie at the cut of a subquery, which SQL breaks arbitrarily
        if bound.output == NAMES and not bound.order:
            # Each name is listed once, with or without DISTINCT in the statement.
            statement_rows = list(dict.fromkeys(statement_rows))
        if (
            self._is_cut
            and len(statement_rows) < len(program_rows)
            and not Counter(map(str, statement_rows)) - Counter(map(str, program_rows))
        ):
            return  # the same
        if not _agree(bound, statement_rows, program_rows):
            raise ParseError(self._difference(bound, statement_rows, program_rows))
        self._compared += 1

    def _difference(self, program: tree.Program, statement_rows: list[TableRow], program_rows: list[TableRow]) -> str:
        if len(statement_rows) > len(program_rows) and {row[:1] for row in statement_rows} == {
            row[:1] for row in program_rows
        }:
            return "it lists some rows more than once; add DISTINCT"
        if isinstance(program.output, tree.Result | tree.GroupedResults) and self._statement.find(exp.Join):
            return "it counts some rows of a join more than once, which has no natural wording; use IN (SELECT ...)"
        return "its meaning was not understood, so it cannot be put into words"

    def _run(self, values: Mapping[str, object], tables: ContextTables) -> list[TableRow]:
        """The rows of the user's statement, with titles in place of internal numbers."""
        try:
            rows = self._database.execute(self._text, values).fetchall()
        except sqlite3.Error as error:
            raise ParseError(f"SQLite rejects it: {error}") from error
        internal = [
            index
            for index, column in enumerate(self._statement.selects)
            if isinstance(column.unalias(), exp.Column)
            and (spec := SCHEMA.columns.get(column.unalias().name)) is not None
            and not spec.nouns
        ]
        titles = {row.number: row.title for row in tables.articles}
        return [
            tuple(titles.get(cell, cell) if index in internal else cell for index, cell in enumerate(row))
            for row in rows
        ]

    def _note(
        self, bound: tree.Program, answer: Answer, result: list[TableRow], tables: ContextTables, values: SlotBindings
    ) -> None:
        """What this collection shows: an answer, and the parts that change the result."""
        if not _is_empty(bound, answer):
            self._answers[normal_form(answer)] += 1
        self._is_ranked |= isinstance(answer, Ranking) and len(answer.groups) > 1
        self._is_ranked |= answer.type == "rows" or (bound.top is not None and len(result) > 0)
        view = tables.evaluation.view(SCHEMA.base(self._program))
        masks = {part: view.mask(part, values) for part in {*self._idle, *self._unmet}}
        self._idle = [part for part in self._idle if masks[part] == view.every]
        self._unmet = [part for part in self._unmet if not masks[part]]
        if self._without_having is not None:
            rows = tables.evaluation.run(tree.bind(self._without_having, values))
            if result_form(self._without_having, rows) != result_form(bound, result):
                self._without_having = None

    def check(self) -> None:
        trials = f"in any of {MAX_TRIED} trial collections"
        if not self._answers or self._unmet:
            hint = "; positions are counted from one" if _is_position_too_low(self._program) else ""
            part = "a part of its condition" if self._answers else "it"
            raise ParseError(f"{part} selects nothing {trials}{hint}")
        if self._compared < COMPARED:
            raise ParseError("it is cut where values are tied, so its rows are arbitrary")
        if self._idle or self._without_having is not None:
            hint = (
                "; positions are counted from one" if any(POSITION in tree.nodes(idle) for idle in self._idle) else ""
            )
            clause = "its HAVING" if not self._idle else "its condition"
            part = clause if not self._idle or self._program.where in self._idle else "a part of its condition"
            raise ParseError(f"{part} excludes nothing {trials}{hint}")
        if len(self._answers) == 1:
            raise ParseError("its answer is the same in every collection")
        if not self._is_ranked:
            raise ParseError("it sorts by a value that is the same in every row")


def _parts(condition: tree.Condition | None) -> Iterator[tree.Condition]:
    """The single conditions that AND and OR join."""
    if isinstance(condition, tree.And | tree.Or):
        yield from _parts(condition.left)
        yield from _parts(condition.right)
    elif condition is not None:
        yield condition


def _is_empty(program: tree.Program, answer: Answer) -> bool:
    """Whether there is no answer; a count of zero is none."""
    counts = isinstance(program.output, tree.Count | tree.CountDistinct | tree.GroupsAggregate)
    return isinstance(answer, Unanswerable) or (counts and isinstance(answer, Number) and answer.value == 0)


def _is_position_too_low(program: tree.Program) -> bool:
    return any(
        isinstance(node, tree.Compare) and node.measure == POSITION and node.value in (0, 1)
        for node in tree.nodes(program)
    )


def _reverse_articles(tables: ContextTables) -> ContextTables:
    """The same collection with its articles in reverse order."""
    last = len(tables.articles) + 1
    return tables.replaced(
        articles=tuple(row._replace(number=last - row.number) for row in reversed(tables.articles)),
        article_author=tuple(row._replace(article=last - row.article) for row in reversed(tables.authors)),
        citing_cited=tuple(
            row._replace(citing=last - row.citing, cited=last - row.cited) for row in reversed(tables.citations)
        ),
    )


# Whether a statement and a program give the same rows.


def _agree(program: tree.Program, statement_rows: list[TableRow], program_rows: list[TableRow]) -> bool:
    """Whether the statement and the program give the same rows, in the same order up to ties."""
    decimals = DECIMALS if tree.is_rounded(program) else 9
    if _has_several_columns(program):
        width = len(statement_rows[0]) if statement_rows else 0
        return sorted(_cells(row, decimals) for row in statement_rows) == sorted(
            _cells(row[:width], decimals) for row in program_rows
        )
    values = [_cell(row[0], decimals) for row in statement_rows]
    if not program.order:
        program_cells = [_cell(row[0], decimals) for row in program_rows]
        # Over no rows, SUM(CASE WHEN ... ELSE 0 END) is 0 and ORDER BY ... LIMIT 1 gives no row; both have no answer.
        return sorted(values) == sorted(program_cells) or (
            program_cells == ["None"] and values in ([_cell(0, decimals)], [])
        )
    start = 0
    for _, tied_rows in groupby(program_rows, key=lambda row: row[1:]):
        group = sorted(_cell(row[0], decimals) for row in tied_rows)
        if sorted(values[start : start + len(group)]) != group:
            return False
        start += len(group)
    return start == len(values)


def _has_several_columns(program: tree.Program) -> bool:
    output = program.output
    return isinstance(output, tree.Columns) or (
        isinstance(output, tree.GroupedResults) and output.keys and output.result is not None
    )


def _cells(row: TableRow, decimals: int) -> tuple[str, ...]:
    """The cells of a row; a statement may select them in another order."""
    return tuple(sorted(_cell(cell, decimals) for cell in row))


def _cell(cell: object, decimals: int) -> str:
    return f"{round(cell + 1e-11, decimals):.{decimals}f}" if isinstance(cell, int | float) else str(cell)


def _draw(slot: tree.Slot, tables: ContextTables, rng: Random, bindings: SlotBindings) -> tree.Constant:
    same_number = [value for other_slot, value in bindings.items() if other_slot.number == slot.number]
    if same_number:
        return same_number[0]
    match slot.kind:
        case "name":
            return rng.choice(tables.authors).name
        case "title":
            return rng.choice(tables.articles).title
        case "fragment":
            return rng.choice(("title", "1", "itl", "2"))
        case "few":
            return rng.randint(1, 4)
        case "position":
            return rng.randint(1, 6)
        case _:
            known_values = tables.evaluation.view(SCHEMA.main).scale(slot.of).values if slot.of is not None else []
            return int(rng.choice(known_values)) if known_values else rng.randint(1, 12)

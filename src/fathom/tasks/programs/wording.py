"""The wording of programs: the question, and a step-by-step explanation, both generated from the program's tree.

Nouns and sentences have several forms, and `rng` chooses one of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Protocol

from fathom.tasks.programs import table_wording, tree
from fathom.tasks.programs.schema import Schema

SIGNS = {
    "=": ("equal to", "exactly"),
    "<>": ("not equal to", "different from"),
    "<": ("less than", "below", "smaller than"),
    ">": ("greater than", "above", "more than"),
    "<=": ("at most", "no more than", "less than or equal to"),
    ">=": ("at least", "no less than", "greater than or equal to"),
}
DATE_SIGNS = {"=": "", "<>": "other than ", "<": "before ", ">": "after ", "<=": "on or before ", ">=": "on or after "}

LARGEST = {"MAX": ("largest", "highest", "maximum"), "MIN": ("smallest", "lowest", "minimum")}
LATEST = {"MAX": ("latest", "most recent"), "MIN": ("earliest", "oldest")}
AGGREGATES = {"MAX": "the largest value of", "MIN": "the smallest value of", "SUM": "the sum of", "AVG": "the mean of"}

UPWARDS = ("in ascending order", "from the smallest to the largest", "in increasing order")
DOWNWARDS = ("in descending order", "from the largest to the smallest", "in decreasing order")
ALPHABETICAL, REVERSED = ("in alphabetical order",), ("in reverse alphabetical order",)
FORWARDS = ("from the earliest to the latest", "in chronological order")
BACKWARDS = ("from the latest to the earliest", "in reverse chronological order")

CONTAINS = {
    "anywhere": ("contains", "does not contain"),
    "start": ("starts with", "does not start with"),
    "end": ("ends with", "does not end with"),
}
RESULTS = {
    "MAX": ("the largest result", "the highest result", "the maximum of the results"),
    "MIN": ("the smallest result", "the lowest result", "the minimum of the results"),
    "SUM": ("the sum of the results", "the total of the results"),
    "AVG": ("the mean of the results", "the average of the results"),
}
"""Aggregates of values that a question asks to compute first."""

NULL = "NULL"
"""The answer to a question without an answer."""


class Chooser(Protocol):
    """Chooses one of several forms, as `random.Random` does."""

    def choice(self, forms: Sequence[str], /) -> str: ...


class Words:
    """The wording of programs over one schema; without a chooser, the first form is always used.

    Every chosen form must appear in the question, since `is_wording` relies on it. A family can override `ask`,
    `clause`, `first_notes`, `output_notes`, `kept` and `take` for sentences specific to it.
    """

    def __init__(self, schema: Schema, rng: Chooser | None = None) -> None:
        self._schema = schema
        self._rng = rng
        self._chosen: dict[str, str] = {}
        self._noun, self._plural = schema.main.noun, schema.main.plural
        self._label = ""

    def question(self, program: tree.Program) -> str:
        """The program as an unambiguous question, with instructions on the form of the answer."""
        self._name_rows(program)
        return " ".join((self.ask(program), *self._notes(program), self._form(program)))

    def _name_rows(self, program: tree.Program) -> None:
        base = self._schema.base(program)
        self._noun, self._plural = base.noun, base.plural
        self._label = f"{self._schema.columns[base.label].nouns[0]}s" if base.label else ""

    def ask(self, program: tree.Program) -> str:
        """The question itself, without notes and without the form of the answer."""
        asked = table_wording.ask(self, program)
        if asked is not None:
            return asked
        if program.order:
            return self._ask_sorted(program)
        output, among = program.output, self.among(program.where)
        match output:
            case tree.Labels():
                return self.one(
                    f"Find the {among}, and give their {self._label}.",
                    f"List the {self._label} of all {among}.",
                    f"What are the {self._label} of the {among}?",
                )
            case tree.Values(measure, distinct):
                return self._ask_values(measure, distinct, among)
            case tree.Grouped(key, result, having):
                return self._ask_groups(key, result, having, among)
            case tree.Columns() | tree.OverGroups():
                raise TypeError("tables and groups are worded in `table_wording`")
            case _:
                return self._ask_number(output, among)

    def _ask_values(self, measure: tree.Measure, distinct: bool, among: str) -> str:
        if distinct:
            return self.one(
                f"Which different values does {self.the(measure)} take among the {among}?",
                f"List all distinct values of {self.the(measure)} over the {among}.",
                f"Give every value that {self.the(measure)} has among the {among}, each once.",
            )
        return self.one(
            f"For each of the {among}, what is {self.the(measure)}?",
            f"List {self.the(measure)} of every one of the {among}.",
            f"What are the values of {self.the(measure)} for the {among}?",
        )

    def _ask_number(self, output: tree.Result, among: str) -> str:
        match output:
            case tree.Aggregate(_, tree.Arithmetic() | tree.Related() as measure):
                return self._ask_computed(output, measure, among)
            case tree.Count():
                return self.one(
                    f"How many {self._plural} are there{among.removeprefix(self._plural)}?",
                    f"Count the {among}.",
                    f"What is the number of {among}?",
                )
            case tree.CountDistinct(measure):
                return self.one(
                    f"How many different values does {self.the(measure)} take among the {among}?",
                    f"Count the distinct values of {self.the(measure)} over the {among}.",
                    f"Looking at the {among}, how many different values of {self.the(measure)} do you find?",
                )
            case tree.Aggregate("SUM", measure):
                return self.one(
                    f"What do you get when you add up {self.the(measure)} over all {among}?",
                    f"What is the sum of {self.the(measure)} over all {among}?",
                    f"Find the total of {self.the(measure)} over all {among}.",
                )
            case tree.Aggregate("AVG", measure):
                return self.one(
                    f"What is the mean of {self.the(measure)} over the {among}?",
                    f"On average, what is {self.the(measure)} among the {among}?",
                    f"Find the average of {self.the(measure)} over the {among}.",
                )
            case tree.Aggregate(function, measure):
                dates = self._schema.type_of(measure) == "date"
                extreme = self.one(*(LATEST if dates else LARGEST)[function])
                return self.one(
                    f"What is the {extreme} value of {self.the(measure)} among the {among}?",
                    f"Among the {among}, what is the {extreme} value of {self.the(measure)}?",
                )
            case tree.Ratio() | tree.Combined():
                number = self.result(output)
                return self.one(f"What is {number}, over the {among}?", f"Over the {among}, find {number}.")

    def _ask_computed(self, output: tree.Aggregate, measure: tree.Measure, among: str) -> str:
        """Two sentences: "the mean of the references minus the authors" would have two readings."""
        wanted = self.one(*RESULTS[output.function])
        computed = self.computed(measure)
        return self.one(
            f"For each of the {among}, compute {computed}. What is {wanted}?",
            f"Compute {computed} for each of the {among}, and give {wanted}.",
        )

    def _ask_groups(self, key: tree.Column, result: tree.Result | None, having: tree.Having | None, among: str) -> str:
        noun = self.measure(key)
        if result is None:
            assert having is not None
            subject, test = self.group_test(having)
            return self.one(
                f"Group the {among} by the {noun}. For which values of the {noun} is {subject} {test}?",
                f"Among the {among}, which values of the {noun} form a group in which {subject} is {test}?",
            )
        only = self.only_groups("Give", having)
        if result == tree.Count():
            asked = self.one(
                f"For each {noun} that occurs among the {among}, how many of them have it?",
                f"Group the {among} by the {noun}. How many are in each group?",
                f"How are the {among} distributed over values of the {noun}? Count the {self._plural} for each value.",
            )
            return asked + only
        wanted = self.result(result)
        asked = self.one(
            f"For each {noun} that occurs among the {among}, what is {wanted} over the {self._plural} that have it?",
            f"Group the {among} by the {noun}. For each group, what is {wanted}?",
            f"Take the {among} with the same {noun} together. What is {wanted} in each of these groups?",
        )
        return asked + only

    def only_groups(self, verb: str, having: tree.Having | None) -> str:
        if having is None:
            return ""
        subject, test = self.group_test(having)
        return f" {verb} only the groups in which {subject} is {test}."

    def group_test(self, having: tree.Having) -> tuple[str, str]:
        """The two sides of a condition on groups: the result that is compared, and the comparison."""
        if isinstance(having.value, tree.Aggregate):
            value = f"{self.result(having.value)} over all of these together"
        else:
            value = self.value(having.value, having.result)
        return self.result(having.result), f"{self._sign(having.sign, False)} {value}"

    def _ask_sorted(self, program: tree.Program) -> str:
        among = self.among(program.where)
        match program.output:
            case tree.Labels():
                wanted = f"the {self._label}"
            case tree.Values(measure, True):
                wanted = f"the different values of {self.the(measure)}"
            case tree.Values(measure, _):
                wanted = self.the(measure)
            case _:
                raise TypeError(f"{program.output} cannot be sorted")
        named = isinstance(program.output, tree.Labels) and program.order[0].measure == tree.Column(
            self._schema.base(program).label
        )
        if (_lists_sort_key(program) or named) and len(program.order) == 1:
            return self._ask_in_order(wanted, among, program)
        keys = self.sort_keys(program)
        asked = self.one(
            f"List {wanted} of all {among}, sorted by {keys}.",
            f"Sort the {among} by {keys}. What is {wanted} of each, in that order?"
            if not isinstance(program.output, tree.Labels)
            else f"Sort the {among} by {keys}. What are their {self._label}, in that order?",
            f"Give {wanted} of the {among}, ordered by {keys}.",
        )
        return asked + self._first(program)

    def _ask_in_order(self, wanted: str, among: str, program: tree.Program) -> str:
        """Values sorted by themselves, which need not be named twice."""
        direction = self._direction(program.order[0])
        asked = self.one(
            f"List {wanted} of all {among}, {direction}.", f"Give {wanted} of all {among} as a list {direction}."
        )
        return asked + self._first(program)

    def sort_keys(self, program: tree.Program) -> str:
        """The sort keys. A further key is introduced by the one before it, so that it cannot seem to replace it."""
        first, *others = program.order
        words = f"{self._key(first)} {self._direction(first)}"
        for before, sort in zip(program.order, others, strict=False):
            words += f", and those {self._tied(before)} by {self._key(sort)} {self._direction(sort)}"
        return words

    def _key(self, sort: tree.Sort) -> str:
        if isinstance(sort.measure, tree.Result):
            return self.result(sort.measure)
        return self.computed(sort.measure)

    def _tied(self, sort: tree.Sort) -> str:
        """A relative clause for rows with equal sort keys."""
        if isinstance(sort.measure, tree.Column):
            return f"with the same {self.measure(sort.measure)}"
        return f"for which {self._key(sort)} is the same"

    def _direction(self, sort: tree.Sort) -> str:
        up, down = {"date": (FORWARDS, BACKWARDS), "text": (ALPHABETICAL, REVERSED)}.get(
            self._schema.type_of(sort.measure), (UPWARDS, DOWNWARDS)
        )
        return self.one(*(up if sort.direction == "ASC" else down))

    def has_extreme(self, sort: tree.Sort) -> str:
        """What the first row of a ranking has: "has the largest number of references"."""
        function, kind = "MAX" if sort.direction == "DESC" else "MIN", self._schema.type_of(sort.measure)
        if kind == "text":
            last = "last" if sort.direction == "DESC" else "first"
            return f"comes {last} when they are sorted by {self._key(sort)} in alphabetical order"
        extreme = self.one(*(LATEST if kind == "date" else LARGEST)[function])
        if isinstance(sort.measure, tree.Column | tree.Related):
            return f"has the {extreme} {self.measure(sort.measure)}"
        return f"has the {extreme} value of {self._key(sort)}"

    @staticmethod
    def _first(program: tree.Program) -> str:
        if program.top is None:
            return ""
        if program.top == 1:
            return " Give only the first one, or all that tie for the first place."
        return f" Give only the first {program.top}; where several tie for the last place, give all of them."

    def among(self, where: tree.Condition | None) -> str:
        """A noun phrase for the rows that meet a condition."""
        return self._plural if where is None else f"{self._plural} {self.clause(where)}"

    # Conditions.

    def clause(self, condition: tree.Condition, negated: bool = False) -> str:
        """The condition as a relative clause that follows the noun for the rows."""
        match condition:
            case tree.Not(inner):
                return self.clause(inner, not negated)
            case tree.And() | tree.Or() if negated:
                # "Not both" and "neither" are ambiguous in a relative clause.
                raise TypeError("only single conditions are negated in words")
            case tree.And() | tree.Or() if any(
                isinstance(part, tree.And | tree.Or) for part in table_wording.chain(condition)
            ):
                return table_wording.mixed(self, condition, table_wording.chain(condition), self._plural)
            case tree.And():
                return " and ".join(self.clause(part) for part in table_wording.chain(condition))
            case tree.Or():
                parts = table_wording.chain(condition)
                either = "or both" if len(parts) == 2 else "or several of these"
                return f"{' or '.join(self.clause(part) for part in parts)} ({either})"
            case tree.Compare(measure, sign, value):
                return self._comparison(measure, sign, value, negated)
            case tree.Between(measure, low, high):
                ends = f"{self.value(low, measure)} and {self.value(high, measure)}"
                return f"{self._whose(measure)} {'not ' if negated else ''}between {ends} (both included)"
            case tree.OneOf(measure, values):
                return f"{self._whose(measure)} {self._any_of(measure, values, negated)}"
            case tree.Contains(column, fragment, place):
                contains = CONTAINS[place][negated]
                return f"whose {self.measure(column)} {contains} the letters “{fragment}”"
            case tree.IsUnknown(column):
                return f"whose {self.measure(column)} is {'stated' if negated else 'not stated'}"
            case tree.Exists():
                return self._relation(condition, negated)

    def _comparison(self, measure: tree.Measure, sign: str, value: Any, negated: bool) -> str:
        no = "not " if negated else ""
        whose = self._whose(measure)
        type_ = self._schema.type_of(measure)
        match measure, sign, value:
            case tree.Arithmetic(tree.Column() as column, "%", 2), "=" | "<>", 0 | 1:
                return f"whose {self.measure(column)} is {no}{'even' if (value == 0) == (sign == '=') else 'odd'}"
        if isinstance(value, tree.Measure):
            words = "equal to" if sign == "=" else self._sign(sign, negated)
            return f"{whose} {no}{words} {self.the(value)}"
        if type_ in ("category", "text", "date"):
            return f"{whose} {no}{DATE_SIGNS[sign]}{self.value(value, measure)}"
        return f"{whose} {no}{self._sign(sign, negated)} {self.value(value, measure)}"

    def _sign(self, sign: str, negated: bool) -> str:
        """A comparison in words; the last form if it is negated, since "not at most" is not good English."""
        return SIGNS[sign][-1] if negated else self.one(*SIGNS[sign])

    def _relation(self, condition: tree.Exists, negated: bool) -> str:
        phrased = self._schema.phrase_of(condition)
        if phrased is not None:
            phrase, values = phrased
            return (phrase.negative if negated else phrase.positive).format(*values)
        table = self._schema.by_name[self._schema.relation[condition.relation].table]
        if condition.least == 1:
            number = f"{'no' if negated else 'at least one'} {table.noun}"
        else:
            number = f"{'fewer than' if negated else 'at least'} {condition.least} {table.plural}"
        return f"that have {number}{self._only(condition.where)}"

    def _only(self, where: tree.Condition | None) -> str:
        """A nested condition, in parentheses to show where it ends."""
        return "" if where is None else f" (only those {self.clause(where)})"

    def _any_of(self, measure: tree.Measure, values: Sequence[Any], negated: bool) -> str:
        """A list of values, such as "one of 2, 3 and 5" or "neither 2 nor 3", in ascending order."""
        ordered = values if any(isinstance(value, tree.Slot) for value in values) else sorted(values)
        worded = [self.value(value, measure) for value in ordered]
        if negated and len(worded) == 2:
            return f"neither {worded[0]} nor {worded[1]}"
        listed = " and ".join((", ".join(worded[:-1]), worded[-1])) if len(worded) > 1 else worded[0]
        return f"{'none' if negated else 'one'} of {listed}"

    # Measures and values.

    def measure(self, measure: tree.Measure) -> str:
        """A noun for the measure; a question uses the same noun throughout."""
        match measure:
            case tree.Column(name):
                if name not in self._chosen:
                    self._chosen[name] = self.one(*self._schema.columns[name].nouns)
                return self._chosen[name]
            case tree.Arithmetic(left, sign, right) if isinstance(left, tree.Column) and isinstance(
                right, tree.Column | int | float
            ):
                one = self.the(left)
                two = self.the(right) if isinstance(right, tree.Column) else str(right)
                return {
                    "+": f"sum of {one} and {two}",
                    "-": f"result of {one} minus {two}",
                    "*": f"product of {one} and {two}",
                    "/": f"result of {one} divided by {two}",
                    "%": f"remainder when {one} is divided by {two}",
                }[sign]
            case tree.PeerAggregate("MAX", inner, None, among) if (row := self.named_row(among)) is not None:
                return f"{self.measure(inner)} of {row}"
            case tree.Related():
                return self.related(measure)
            case tree.PeerAggregate(function, inner, by, among):
                same = "" if by is None else f" with the same {self.measure(by)}"
                aggregate = AGGREGATES[function].removeprefix("the ")
                return f"{aggregate} {self.the(inner)} over all {self._plural}{same}{self._only(among)}"
            case _:
                return f"value of {self._formula(measure)}"

    def related(self, measure: tree.Related) -> str:
        """A noun for the number of related rows, which a family may replace."""
        table = self._schema.by_name[self._schema.relation[measure.relation].table]
        return f"number of {table.plural}{self._only(measure.where)}"

    def named_row(self, where: tree.Condition | None) -> str | None:
        """The row that a condition names, such as "the article “X”"; None for other conditions."""
        main = self._schema.main
        match where:
            case tree.Compare(tree.Column(name), "=", value) if name == main.label:
                return f"the {main.noun} {self.value(value, where.measure)}"
        return None

    def _formula(self, measure: tree.Measure | int | float) -> str:
        """A formula with all its parentheses."""
        match measure:
            case tree.Arithmetic(left, sign, right):
                return f"({self._formula(left)} {'×' if sign == '*' else sign} {self._formula(right)})"
            case tree.Weighted(terms):
                return f"({' + '.join(f'{term.weight} × {self._formula(term.measure)}' for term in terms)})"
            case int() | float():
                return str(measure)
            case tree.Column():
                return self.measure(measure)
            case tree.PeerAggregate() | tree.Related():
                return f"[{self.measure(measure)}]"

    def result(self, result: tree.Result) -> str:
        """A noun phrase for an aggregate over a group of rows."""
        match result:
            case tree.Count():
                return f"the number of {self._plural}"
            case tree.CountDistinct(measure):
                return f"the number of different values of {self.the(measure)}"
            case tree.Aggregate(function, measure):
                return f"{AGGREGATES[function]} {self.the(measure)}"
            case tree.Ratio(numerator, denominator, only):
                return f"the ratio of {self.result(numerator)}{self._only(only)} to {self.result(denominator)}"
            case tree.Combined(left, "*", int(factor)):
                return f"{factor} times {self.result(left)}"
            case tree.Combined(left, sign, right):
                two = str(right) if isinstance(right, int) else self.result(right)
                return f"{self.result(left)} {'minus' if sign == '-' else 'plus' if sign == '+' else 'times'} {two}"

    def of_results(self, function: str) -> str:
        """An aggregate of the results of groups."""
        return f"{AGGREGATES[function]} these results"

    @property
    def label(self) -> str:
        """The noun for the name of one row."""
        return self._label.removesuffix("s")

    def the(self, measure: tree.Measure) -> str:
        return f"the {self.measure(measure)}"

    def value(self, value: Any, measure: tree.Measure | tree.Result) -> str:
        """A value of a measure as text, with its unit."""
        kind = self._schema.type_of(measure)
        if isinstance(value, tree.Slot):
            return str(value)
        if kind == "date":
            day = date.fromisoformat(str(value))
            return f"{day.day} {day:%B} {day.year}"
        if isinstance(value, str):
            return f"“{value}”"
        unit = self._schema.unit(measure)
        return f"{value} {unit}" if unit else str(value)

    def computed(self, measure: tree.Measure) -> str:
        """The measure where nothing around it can be read as part of it: "the references minus the authors"."""
        match measure:
            case tree.Arithmetic(tree.Column() as left, "-" | "/" as sign, tree.Column() | int() | float() as right):
                two = self.the(right) if isinstance(right, tree.Column) else str(right)
                return f"{self.the(left)} {'minus' if sign == '-' else 'divided by'} {two}"
            case _:
                return self.the(measure)

    def _whose(self, measure: tree.Measure) -> str:
        if isinstance(measure, tree.Column):
            return f"whose {self.measure(measure)} is"
        return f"for which {self.computed(measure)} is"

    def one(self, *forms: str) -> str:
        """One of the forms, chosen by `rng`."""
        return forms[0] if self._rng is None or len(forms) == 1 else self._rng.choice(forms)

    # Sentences that make the question unambiguous.

    def _notes(self, program: tree.Program) -> list[str]:
        """Sentences on fragments, division, ties, rounding, units, unknown values, and empty answers."""
        seen = list(self._schema.nodes(program))
        notes = self.first_notes(program)
        places = {node.place for node in seen if isinstance(node, tree.Contains)}
        if places - {"anywhere"}:
            notes.append("Capitals do not matter.")
        elif places:
            notes.append("The letters may be part of a longer word, and capitals do not matter.")
        notes.extend(self._conventions(program))
        if tree.divides(program):
            notes.append("Division gives a decimal number.")
        if any(self._schema.type_of(sort.measure) == "text" for sort in program.order):
            notes.append("Compare texts as they are written, from the first letter on.")
        if program.order and _may_tie(program, self._schema):
            notes.append(self.tie_note(program))
        listed = isinstance(program.output, tree.Values) and not program.output.distinct and not _is_first(program)
        if listed and self.named_row(program.where) is None:
            notes.append(f"Give one value for each {self._noun}, even where values repeat.")
        if isinstance(program.output, tree.Grouped) and not program.output.keys:
            notes.append("Give one number for each group, even where numbers repeat.")
        notes.extend(self.output_notes(program))
        if self._reads_unknown(program):
            notes.append(f"Leave out every {self._noun} for which a value that is needed is not stated.")
        if tree.is_rounded(program):
            notes.append("Round to two decimals.")
        if tree.may_be_empty(program):
            grouped = isinstance(program.output, tree.Grouped | tree.OverGroups) and program.where is None
            notes.append(f"If there are no such {'groups' if grouped else self.kept(program)}, answer {NULL}.")
        return notes

    def tie_note(self, program: tree.Program) -> str:
        """That tied rows may come in any order."""
        rows = "Groups" if isinstance(program.output, tree.Grouped) else self._plural.capitalize()
        if len(program.order) == 1:
            return f"{rows} {self._tied(program.order[0])} may come in any order."
        return f"{rows} that are equal in {'both' if len(program.order) == 2 else 'all'} may come in any order."

    def _conventions(self, program: tree.Program) -> list[str]:
        """The sentences that make the phrases of the program's conditions unambiguous."""
        related = (node for node in self._schema.nodes(program) if isinstance(node, tree.Exists))
        phrases = filter(None, map(self._schema.phrase_of, related))
        return list(dict.fromkeys(phrase.convention for phrase, _ in phrases if phrase.convention))

    def first_notes(self, program: tree.Program) -> list[str]:
        """Sentences specific to the family that come before all other notes."""
        del program
        return []

    def output_notes(self, program: tree.Program) -> list[str]:
        """Sentences on the output that a family may replace; by default the unit of the result."""
        output = program.output.result if isinstance(program.output, tree.Grouped | tree.OverGroups) else program.output
        measure = output.measure if isinstance(output, tree.Values) else output
        unit = "" if measure is None or isinstance(measure, tree.Labels | tree.Columns) else self._schema.unit(measure)
        return [f"Give the result in {unit}."] if unit else []

    def _reads_unknown(self, program: tree.Program) -> bool:
        tested = {node.column for node in tree.nodes(program) if isinstance(node, tree.IsUnknown)}
        read = {node for node in tree.nodes(program) if isinstance(node, tree.Column)} - tested
        return any(self._schema.columns[column.name].nullable for column in read)

    def _form(self, program: tree.Program) -> str:
        match program.output:
            case tree.Aggregate(_, measure) if self._schema.type_of(measure) == "date":
                return "Answer with one date, as YYYY-MM-DD."
            case tree.OverGroups():
                return "Answer with one number."
            case output if isinstance(output, tree.Result):
                return "Answer with one number."
            case tree.Columns():
                return f"Answer with one line for each {self._noun}: the values in this order, separated by semicolons."
            case tree.Grouped(_, result, _, True) if result is not None:
                return "Answer with one line for each group: the value, a semicolon, the result."
            case _:
                return "Answer with a list, one item on each line."

    # Explanation.

    def explain(self, program: tree.Program) -> list[str]:
        """The steps that lead to the answer."""
        self._name_rows(program)
        steps = [f"Go through all {self._plural}."]
        if program.where is not None:
            steps.append(f"Keep the {self.kept(program)} {self.clause(program.where)}.")
            steps.extend(self._conventions(program))
        steps.extend(
            f"Leave out those for which {self.the(measure)} is not stated."
            for measure in self._schema.required(program)
        )
        if program.order and not isinstance(program.output, tree.Grouped):
            steps.append(f"Sort them by {self.sort_keys(program)}.")
        steps.extend(self.take(program))
        if program.order and isinstance(program.output, tree.Grouped):
            steps.append(f"Sort them by {self.sort_keys(program)}.")
        if program.top is not None:
            steps.append(f"Take the first {program.top}, and all that tie for the last place.")
        return steps

    def kept(self, program: tree.Program) -> str:
        """A plural noun for the rows that the program's condition keeps."""
        del program
        return self._plural

    def take(self, program: tree.Program) -> list[str]:
        """The steps of the explanation that compute the output."""
        in_order = ", in that order" if program.order else ""
        match program.output:
            case tree.Labels():
                return [f"Take their {self._label}{in_order}."]
            case tree.Values(measure, distinct):
                return [f"Take {self.the(measure)} of each{', each value once' if distinct else ''}{in_order}."]
            case tree.Columns(measures):
                return [f"Take {table_wording.listing([self.the(measure) for measure in measures])} of each{in_order}."]
            case tree.Count():
                return [f"Count the {self._plural}."]
            case tree.CountDistinct(measure):
                return [f"Count the different values of {self.the(measure)}."]
            case tree.Aggregate(function, tree.Arithmetic() | tree.Related() as measure):
                return [f"For each of them, compute {self.computed(measure)}.", f"Find {RESULTS[function][0]}."]
            case tree.Aggregate() | tree.Ratio() | tree.Combined() as result:
                return [f"Find {self.result(result)}."]
            case tree.OverGroups(function, key, result, having):
                kept = [step for step in (self.only_groups("Keep", having).strip(),) if step]
                if function == "COUNT" or result is None:
                    return [self._group(key), *kept, "Count these groups."]
                wanted = f"In each group, find {self.result(result)}."
                return [self._group(key), *kept, wanted, f"Find {self.of_results(function)}."]
            case tree.Grouped(key, result, having):
                only = self.only_groups("Keep", having).strip()
                if result is None:
                    wanted = f"Take the {self.measure(key)} of each group."
                else:
                    number = f"count the {self._plural}" if result == tree.Count() else f"find {self.result(result)}"
                    wanted = f"In each group, {number}."
                return [self._group(key), *([only] if only else []), wanted]

    def _group(self, key: tree.Column) -> str:
        return f"Put {self._plural} with the same {self.measure(key)} together."


def _is_first(program: tree.Program) -> bool:
    """Whether the question is for the first row of a ranking alone."""
    return program.top == 1 and not isinstance(program.output, tree.Grouped)


def _lists_sort_key(program: tree.Program) -> bool:
    """Whether the listed values are a sort key, so that tied rows are listed as equal values."""
    output = program.output
    return isinstance(output, tree.Values) and output.measure in (sort.measure for sort in program.order)


def _may_tie(program: tree.Program, schema: Schema) -> bool:
    """Whether tied rows may be listed in several orders."""
    output, keys = program.output, [sort.measure for sort in program.order]
    if isinstance(output, tree.Grouped):
        return output.key not in keys and not (output.keys and output.result is not None)
    names_rows = isinstance(output, tree.Labels) and tree.Column(schema.base(program).label) in keys
    return not (names_rows or isinstance(output, tree.Columns) or _lists_sort_key(program) or _is_first(program))

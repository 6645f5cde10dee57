"""Phrases for the parts of a program: its conditions, measures, values, results and sort keys."""

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


class PhraseChooser(Protocol):
    """Chooses one of several forms, as `random.Random` does."""

    def choice(self, forms: Sequence[str], /) -> str: ...


class Phrases:
    """The phrases of one question, which uses the same noun for a measure throughout."""

    def __init__(self, schema: Schema, rng: PhraseChooser | None = None) -> None:
        self._schema = schema
        self._rng = rng
        self._chosen: dict[str, str] = {}
        self._noun, self._plural = schema.main.noun, schema.main.plural
        self._label = ""

    def _name_rows(self, program: tree.Program) -> None:
        base = self._schema.base(program)
        self._noun, self._plural = base.noun, base.plural
        self._label = f"{self._schema.columns[base.label].nouns[0]}s" if base.label else ""

    def sort_keys(self, program: tree.Program) -> str:
        """The sort keys. A further key is introduced by the one before it, so that it cannot seem to replace it."""
        first, *further = program.order
        words = f"{self._key(first)} {self._direction(first)}"
        for previous, sort in zip(program.order, further, strict=False):
            words += f", and those {self._tie_clause(previous)} by {self._key(sort)} {self._direction(sort)}"
        return words

    def _key(self, sort: tree.Sort) -> str:
        if isinstance(sort.measure, tree.Result):
            return self.result(sort.measure)
        return self.computed(sort.measure)

    def _tie_clause(self, sort: tree.Sort) -> str:
        """A relative clause for rows with equal sort keys."""
        if isinstance(sort.measure, tree.Column):
            return f"with the same {self.measure(sort.measure)}"
        return f"for which {self._key(sort)} is the same"

    def _direction(self, sort: tree.Sort) -> str:
        up, down = {"date": (FORWARDS, BACKWARDS), "text": (ALPHABETICAL, REVERSED)}.get(
            self._schema.type_of(sort.measure), (UPWARDS, DOWNWARDS)
        )
        return self.choose_form(*(up if sort.direction == "ASC" else down))

    def has_extreme(self, sort: tree.Sort) -> str:
        """The phrase for the first row of a ranking: "has the largest number of references"."""
        function, kind = "MAX" if sort.direction == "DESC" else "MIN", self._schema.type_of(sort.measure)
        if kind == "text":
            last = "last" if sort.direction == "DESC" else "first"
            return f"comes {last} when they are sorted by {self._key(sort)} in alphabetical order"
        extreme = self.choose_form(*(LATEST if kind == "date" else LARGEST)[function])
        if isinstance(sort.measure, tree.Column | tree.RelatedCount):
            return f"has the {extreme} {self.measure(sort.measure)}"
        return f"has the {extreme} value of {self._key(sort)}"

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
                return table_wording.mixed_conditions(self, condition, table_wording.chain(condition), self._plural)
            case tree.And():
                return " and ".join(self.clause(part) for part in table_wording.chain(condition))
            case tree.Or():
                parts = table_wording.chain(condition)
                inclusive = "or both" if len(parts) == 2 else "or several of these"
                return f"{' or '.join(self.clause(part) for part in parts)} ({inclusive})"
            case tree.Compare(measure, sign, value):
                return self._comparison(measure, sign, value, negated)
            case tree.Between(measure, low, high):
                ends = f"{self.value(low, measure)} and {self.value(high, measure)}"
                return f"{self._relative_clause(measure)} {'not ' if negated else ''}between {ends} (both included)"
            case tree.OneOf(measure, values):
                return f"{self._relative_clause(measure)} {self._any_of(measure, values, negated)}"
            case tree.Contains(column, fragment, position):
                contains = CONTAINS[position][negated]
                return f"whose {self.measure(column)} {contains} the letters “{fragment}”"
            case tree.IsUnknown(column):
                return f"whose {self.measure(column)} is {'stated' if negated else 'not stated'}"
            case tree.Exists():
                return self._relation(condition, negated)

    def _comparison(self, measure: tree.Measure, sign: str, value: Any, negated: bool) -> str:
        no = "not " if negated else ""
        whose = self._relative_clause(measure)
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
        return SIGNS[sign][-1] if negated else self.choose_form(*SIGNS[sign])

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
        return f"that have {number}{self._only_those(condition.where)}"

    def _only_those(self, where: tree.Condition | None) -> str:
        """A nested condition, in parentheses to show where it ends."""
        return "" if where is None else f" (only those {self.clause(where)})"

    def _any_of(self, measure: tree.Measure, values: Sequence[Any], negated: bool) -> str:
        """A list of values, such as "one of 2, 3 and 5", "either 2 or 3" or "neither 2 nor 3", in ascending order."""
        ordered = values if any(isinstance(value, tree.Slot) for value in values) else sorted(values)
        words = [self.value(value, measure) for value in ordered]
        if len(words) == 2:
            return f"neither {words[0]} nor {words[1]}" if negated else f"either {words[0]} or {words[1]}"
        list_of_values = " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
        return f"{'none' if negated else 'one'} of {list_of_values}"

    # Measures and values.

    def measure(self, measure: tree.Measure) -> str:
        """A noun for the measure; a question uses the same noun throughout."""
        match measure:
            case tree.Column(name):
                if name not in self._chosen:
                    self._chosen[name] = self.choose_form(*self._schema.columns[name].nouns)
                return self._chosen[name]
            case tree.Arithmetic(left, sign, right) if isinstance(left, tree.Column) and isinstance(
                right, tree.Column | int | float
            ):
                left_words = self.the(left)
                right_words = self.the(right) if isinstance(right, tree.Column) else str(right)
                return {
                    "+": f"sum of {left_words} and {right_words}",
                    "-": f"result of {left_words} minus {right_words}",
                    "*": f"product of {left_words} and {right_words}",
                    "/": f"result of {left_words} divided by {right_words}",
                    "%": f"remainder when {left_words} is divided by {right_words}",
                }[sign]
            case tree.PeerAggregate("MAX", inner, None, among) if (row := self.named_row(among)) is not None:
                return f"{self.measure(inner)} of {row}"
            case tree.RelatedCount():
                return self.related(measure)
            case tree.PeerAggregate(function, inner, by, among):
                grouping = "" if by is None else f" with the same {self.measure(by)}"
                aggregate = AGGREGATES[function].removeprefix("the ")
                return f"{aggregate} {self.the(inner)} over all {self._plural}{grouping}{self._only_those(among)}"
            case _:
                return f"value of {self._formula(measure)}"

    def related(self, measure: tree.RelatedCount) -> str:
        """A noun for the number of related rows, which a family may replace."""
        table = self._schema.by_name[self._schema.relation[measure.relation].table]
        return f"number of {table.plural}{self._only_those(measure.where)}"

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
            case tree.WeightedSum(terms):
                return f"({' + '.join(f'{term.weight} × {self._formula(term.measure)}' for term in terms)})"
            case int() | float():
                return str(measure)
            case tree.Column():
                return self.measure(measure)
            case tree.PeerAggregate() | tree.RelatedCount():
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
                return f"the ratio of {self.result(numerator)}{self._only_those(only)} to {self.result(denominator)}"
            case tree.CombinedResult(left, "*", int(factor)):
                return f"{factor} times {self.result(left)}"
            case tree.CombinedResult(tree.Aggregate("MAX", measure), "-", tree.Aggregate("MIN", other)) if (
                measure == other and self._schema.type_of(measure) != "date"
            ):
                return f"the difference between the largest and the smallest value of {self.the(measure)}"
            case tree.CombinedResult(left, "-", right) if not isinstance(right, int):
                # "The sum of the references minus the sum of the authors" has two readings.
                return f"the result of subtracting {self.result(right)} from {self.result(left)}"
            case tree.CombinedResult(left, sign, right):
                operand = str(right) if isinstance(right, int) else self.result(right)
                return f"{self.result(left)} {'minus' if sign == '-' else 'plus' if sign == '+' else 'times'} {operand}"

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
                operand = self.the(right) if isinstance(right, tree.Column) else str(right)
                return f"{self.the(left)} {'minus' if sign == '-' else 'divided by'} {operand}"
            case _:
                return self.the(measure)

    def _relative_clause(self, measure: tree.Measure) -> str:
        if isinstance(measure, tree.Column):
            return f"whose {self.measure(measure)} is"
        return f"for which {self.computed(measure)} is"

    def choose_form(self, *forms: str) -> str:
        """One of the forms, chosen by `rng`."""
        return forms[0] if self._rng is None or len(forms) == 1 else self._rng.choice(forms)

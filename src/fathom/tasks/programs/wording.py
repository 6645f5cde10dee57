"""The wording of programs: the question, and a step-by-step explanation, both generated from the program's tree.

Nouns and sentences have several forms, and `rng` chooses one of each.
"""

from __future__ import annotations

from fathom.tasks.programs import table_wording, tree
from fathom.tasks.programs.phrases import LARGEST, LATEST, Phrases
from fathom.tasks.programs.schema import Schema

RESULTS = {
    "MAX": ("the largest result", "the highest result", "the maximum of the results"),
    "MIN": ("the smallest result", "the lowest result", "the minimum of the results"),
    "SUM": ("the sum of the results", "the total of the results"),
    "AVG": ("the mean of the results", "the average of the results"),
}
"""Aggregates of values that a question asks to compute first."""

NULL = "NULL"
"""The answer to a question without an answer."""


class ProgramWording(Phrases):
    """The wording of programs over one schema; without a chooser, the first form is always used.

    Every chosen form must appear in the question, since `is_wording` relies on it. A family can override `ask`,
    `clause`, `first_notes`, `output_notes`, `selected_noun`, `missing` and `take` for sentences specific to it.
    """

    def question(self, program: tree.Program) -> str:
        """The program as an unambiguous question, with instructions on the form of the answer."""
        self._name_rows(program)
        return " ".join((self.ask(program), *self._notes(program), self._form(program)))

    def ask(self, program: tree.Program) -> str:
        """The question itself, without notes and without the form of the answer."""
        question = table_wording.ask(self, program)
        if question is not None:
            return question
        if program.order:
            return self._ask_sorted(program)
        output, among = program.output, self.among(program.where)
        match output:
            case tree.Labels():
                return self.choose_form(
                    f"Find the {among}, and give their {self._label}.",
                    f"List the {self._label} of all {among}.",
                    f"What are the {self._label} of the {among}?",
                )
            case tree.Values(measure, distinct):
                return self._ask_values(measure, distinct, among)
            case tree.GroupedResults(key, result, having):
                return self._ask_groups(key, result, having, among)
            case tree.Columns() | tree.GroupsAggregate():
                raise TypeError("tables and groups are worded in `table_wording`")
            case _:
                return self._ask_number(output, among)

    def _ask_values(self, measure: tree.Measure, distinct: bool, among: str) -> str:
        if distinct:
            return self.choose_form(
                f"Which different values does {self.the(measure)} take among the {among}?",
                f"List all distinct values that {self.the(measure)} has among the {among}.",
                f"Give every value that {self.the(measure)} has among the {among}, each once.",
            )
        return self.choose_form(
            f"For each of the {among}, what is {self.the(measure)}?",
            f"List {self.the(measure)} of every one of the {among}.",
            f"What are the values of {self.the(measure)} for the {among}?",
        )

    def _ask_number(self, output: tree.Result, among: str) -> str:
        match output:
            case tree.Aggregate(_, tree.Arithmetic() | tree.RelatedCount() as measure):
                return self._ask_computed(output, measure, among)
            case tree.Count():
                return self.choose_form(
                    f"How many {self._plural} are there{among.removeprefix(self._plural)}?",
                    f"Count the {among}.",
                    f"What is the number of {among}?",
                )
            case tree.CountDistinct(measure):
                return self.choose_form(
                    f"How many different values does {self.the(measure)} take among the {among}?",
                    f"Count the distinct values that {self.the(measure)} has among the {among}.",
                    f"Looking at the {among}, how many different values of {self.the(measure)} do you find?",
                )
            case tree.Aggregate("SUM", measure):
                return self.choose_form(
                    f"What do you get when you add up {self.the(measure)} over all {among}?",
                    f"What is the sum of {self.the(measure)} over all {among}?",
                    f"Find the total of {self.the(measure)} over all {among}.",
                )
            case tree.Aggregate("AVG", measure):
                return self.choose_form(
                    f"What is the mean of {self.the(measure)} over the {among}?",
                    f"On average, what is {self.the(measure)} among the {among}?",
                    f"Find the average of {self.the(measure)} over the {among}.",
                )
            case tree.Aggregate(function, measure):
                dates = self._schema.type_of(measure) == "date"
                extreme = self.choose_form(*(LATEST if dates else LARGEST)[function])
                return self.choose_form(
                    f"What is the {extreme} value of {self.the(measure)} among the {among}?",
                    f"Among the {among}, what is the {extreme} value of {self.the(measure)}?",
                )
            case tree.Ratio() | tree.CombinedResult():
                number = self.result(output)
                return self.choose_form(f"What is {number}, over the {among}?", f"Over the {among}, find {number}.")

    def _ask_computed(self, output: tree.Aggregate, measure: tree.Measure, among: str) -> str:
        """Two sentences: "the mean of the references minus the authors" would have two readings."""
        result = self.choose_form(*RESULTS[output.function])
        computed = self.computed(measure)
        return self.choose_form(
            f"For each of the {among}, compute {computed}. What is {result}?",
            f"Compute {computed} for each of the {among}, and give {result}.",
        )

    def _ask_groups(self, key: tree.Column, result: tree.Result | None, having: tree.Having | None, among: str) -> str:
        noun = self.measure(key)
        if result is None:
            assert having is not None
            subject, test = self.group_test(having)
            return self.choose_form(
                f"Group the {among} by the {noun}. For which values of the {noun} is {subject} {test}?",
                f"Among the {among}, which values of the {noun} form a group in which {subject} is {test}?",
            )
        only = self.only_groups("Give", having)
        if result == tree.Count():
            question = self.choose_form(
                f"For each {noun} that occurs among the {among}, how many of those {self._plural} have it?",
                f"Group the {among} by the {noun}. How many are in each group?",
                f"How are the {among} distributed over values of the {noun}? Count the {self._plural} for each value.",
            )
            return question + only
        result_of = self.result(result)
        question = self.choose_form(
            f"For each {noun} that occurs among the {among}, what is {result_of} over the {self._plural} that have it?",
            f"Group the {among} by the {noun}. For each group, what is {result_of}?",
            f"Take the {among} with the same {noun} together. What is {result_of} in each of these groups?",
        )
        return question + only

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
                output = f"the {self._label}"
            case tree.Values(measure, True):
                output = f"the different values of {self.the(measure)}"
            case tree.Values(measure, _):
                output = self.the(measure)
            case _:
                raise TypeError(f"{program.output} cannot be sorted")
        sorts_by_label = isinstance(program.output, tree.Labels) and program.order[0].measure == tree.Column(
            self._schema.base(program).label
        )
        if (_lists_sort_key(program) or sorts_by_label) and len(program.order) == 1:
            return self._ask_in_order(output, among, program)
        keys = self.sort_keys(program)
        question = self.choose_form(
            f"List {output} of all {among}, sorted by {keys}.",
            f"Sort the {among} by {keys}. What is {output} of each, in that order?"
            if not isinstance(program.output, tree.Labels)
            else f"Sort the {among} by {keys}. What are their {self._label}, in that order?",
            f"Give {output} of the {among}, ordered by {keys}.",
        )
        return question + self._first(program)

    def _ask_in_order(self, output: str, among: str, program: tree.Program) -> str:
        """Values sorted by themselves, which need not be named twice."""
        direction = self._direction(program.order[0])
        question = self.choose_form(
            f"List {output} of all {among}, {direction}.", f"Give {output} of all {among} as a list {direction}."
        )
        return question + self._first(program)

    @staticmethod
    def _first(program: tree.Program) -> str:
        if program.top is None:
            return ""
        if program.top == 1:
            return " Give only the first one, or all that tie for the first place."
        return f" Give only the first {program.top}; where several tie for the last place, give all of them."

    # Sentences that make the question unambiguous.

    def _notes(self, program: tree.Program) -> list[str]:
        """Sentences on fragments, division, ties, rounding, units, unknown values, and empty answers."""
        nodes = list(self._schema.nodes(program))
        notes = self.first_notes(program)
        positions = {node.place for node in nodes if isinstance(node, tree.Contains)}
        if positions - {"anywhere"}:
            notes.append("Capitals do not matter.")
        elif positions:
            notes.append("The letters may be part of a longer word, and capitals do not matter.")
        notes.extend(self._conventions(program))
        if tree.divides(program):
            notes.append("Division gives a decimal number.")
        if any(self._schema.type_of(sort.measure) == "text" for sort in program.order):
            notes.append("Compare texts as they are written, from the first letter on.")
        if program.order and _may_tie(program, self._schema):
            notes.append(self.tie_note(program))
        repeats_values = (
            isinstance(program.output, tree.Values) and not program.output.distinct and not _is_first(program)
        )
        if repeats_values and self.named_row(program.where) is None:
            notes.append(f"Give one value for each {self._noun}, even where values repeat.")
        if isinstance(program.output, tree.GroupedResults) and not program.output.keys:
            notes.append("Give one number for each group, even where numbers repeat.")
        notes.extend(self.output_notes(program))
        if self._reads_unknown(program):
            notes.append(f"Leave out every {self._noun} for which a value that is needed is not stated.")
        if tree.is_rounded(program):
            notes.append("Round to two decimals.")
        if tree.may_be_empty(program):
            notes.append(f"If there are no such {self.missing(program)}, answer {NULL}.")
        return notes

    def tie_note(self, program: tree.Program) -> str:
        """The convention that tied rows may come in any order."""
        rows = "Groups" if isinstance(program.output, tree.GroupedResults) else self._plural.capitalize()
        if len(program.order) == 1:
            return f"{rows} {self._tie_clause(program.order[0])} may come in any order."
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
        output = (
            program.output.result
            if isinstance(program.output, tree.GroupedResults | tree.GroupsAggregate)
            else program.output
        )
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
            case tree.GroupsAggregate():
                return "Answer with one number."
            case output if isinstance(output, tree.Result):
                return "Answer with one number."
            case tree.Columns():
                return f"Answer with one line for each {self._noun}: the values in this order, separated by semicolons."
            case tree.GroupedResults(_, result, _, True) if result is not None:
                return "Answer with one line for each group: the value, a semicolon, the result."
            case _:
                return "Answer with a list, one item on each line."

    # Explanation.

    def explain(self, program: tree.Program) -> list[str]:
        """The steps that lead to the answer."""
        self._name_rows(program)
        steps = [f"Go through all {self._plural}."]
        if program.where is not None:
            steps.append(f"Keep the {self.selected_noun(program)} {self.clause(program.where)}.")
            steps.extend(self._conventions(program))
        steps.extend(
            f"Leave out those for which {self.the(measure)} is not stated."
            for measure in self._schema.required(program)
        )
        if program.order and not isinstance(program.output, tree.GroupedResults):
            steps.append(f"Sort them by {self.sort_keys(program)}.")
        steps.extend(self.take(program))
        if program.order and isinstance(program.output, tree.GroupedResults):
            steps.append(f"Sort them by {self.sort_keys(program)}.")
        if program.top is not None:
            steps.append(f"Take the first {program.top}, and all that tie for the last place.")
        return steps

    def selected_noun(self, program: tree.Program) -> str:
        """A plural noun for the rows that the program's condition keeps."""
        del program
        return self._plural

    def missing(self, program: tree.Program) -> str:
        """A plural noun for what is missing if the answer is NULL."""
        match program.output:
            case tree.GroupedResults(having=having) | tree.GroupsAggregate(having=having):
                return "groups" if program.where is None or having is not None else self.selected_noun(program)
        return self.selected_noun(program)

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
            case tree.Aggregate(function, tree.Arithmetic() | tree.RelatedCount() as measure):
                return [f"For each of them, compute {self.computed(measure)}.", f"Find {RESULTS[function][0]}."]
            case tree.Aggregate() | tree.Ratio() | tree.CombinedResult() as result:
                return [f"Find {self.result(result)}."]
            case tree.GroupsAggregate(function, key, result, having):
                kept_groups = [step for step in (self.only_groups("Keep", having).strip(),) if step]
                if function == "COUNT" or result is None:
                    return [self._group(key), *kept_groups, "Count these groups."]
                final_step = f"In each group, find {self.result(result)}."
                return [self._group(key), *kept_groups, final_step, f"Find {self.of_results(function)}."]
            case tree.GroupedResults(key, result, having):
                condition = self.only_groups("Keep", having).strip()
                if result is None:
                    final_step = f"Take the {self.measure(key)} of each group."
                else:
                    number = f"count the {self._plural}" if result == tree.Count() else f"find {self.result(result)}"
                    final_step = f"In each group, {number}."
                return [self._group(key), *([condition] if condition else []), final_step]

    def _group(self, key: tree.Column) -> str:
        return f"Put {self._plural} with the same {self.measure(key)} together."


def _is_first(program: tree.Program) -> bool:
    """Whether the question is for the first row of a ranking alone."""
    return program.top == 1 and not isinstance(program.output, tree.GroupedResults)


def _lists_sort_key(program: tree.Program) -> bool:
    """Whether the listed values are a sort key, so tied rows are listed as equal values."""
    output = program.output
    return isinstance(output, tree.Values) and output.measure in (sort.measure for sort in program.order)


def _may_tie(program: tree.Program, schema: Schema) -> bool:
    """Whether tied rows may be listed in several orders."""
    output, keys = program.output, [sort.measure for sort in program.order]
    if isinstance(output, tree.GroupedResults):
        return output.key not in keys and not (output.keys and output.result is not None)
    names_rows = isinstance(output, tree.Labels) and tree.Column(schema.base(program).label) in keys
    return not (names_rows or isinstance(output, tree.Columns) or _lists_sort_key(program) or _is_first(program))

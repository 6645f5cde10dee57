"""Questions for several columns, for groups, for the first row of a ranking, and for conditions that mix AND and OR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fathom.tasks.programs import tree

if TYPE_CHECKING:
    from fathom.tasks.programs.phrases import Phrases
    from fathom.tasks.programs.wording import ProgramWording


def ask(words: ProgramWording, program: tree.Program) -> str | None:
    """The question for outputs that are tables or groups, or the first row of a ranking; None for all others."""
    match program.output:
        case tree.Columns(measures):
            return _ask_columns(words, measures, program)
        case tree.GroupsAggregate() as output:
            return _ask_over_groups(words, output, words.among(program.where))
        case tree.GroupedResults() as output if program.order or not output.keys:
            return _ask_groups(words, output, program)
        case tree.Labels() | tree.Values(_, False) if program.top == 1 and len(program.order) == 1:
            return _ask_first(words, program)
        case tree.Values(measure, False) if not program.order and (name := words.named_row(program.where)) is not None:
            return words.choose_form(
                f"What is {words.the(measure)} of {name}?", f"Give {words.the(measure)} of {name}."
            )
    return None


def _ask_columns(words: ProgramWording, measures: Sequence[tree.Measure], program: tree.Program) -> str:
    among, values = words.among(program.where), listing([words.the(measure) for measure in measures])
    if program.top is None:
        return words.choose_form(f"For each of the {among}, give {values}.", f"Give {values} of each of the {among}.")
    return f"Sort the {among} by {words.sort_keys(program)}. Give {values} of each of {_first(program)}"


def _ask_over_groups(words: ProgramWording, output: tree.GroupsAggregate, among: str) -> str:
    noun = words.measure(output.key)
    if output.function == "COUNT" or output.result is None:
        assert output.having is not None
        subject, test = words.group_test(output.having)
        return words.choose_form(
            f"Group the {among} by the {noun}. In how many of the groups is {subject} {test}?",
            f"Group the {among} by the {noun}. How many groups are there in which {subject} is {test}?",
        )
    aggregate = words.of_results(output.function)
    if output.having is None:
        result = words.result(output.result)
        return f"Group the {among} by the {noun}, and find {result} in each group. What is {aggregate}?"
    return (
        f"Group the {among} by the {noun}.{words.only_groups('Keep', output.having)} "
        f"Find {words.result(output.result)} in each of them. What is {aggregate}?"
    )


def _ask_groups(words: ProgramWording, output: tree.GroupedResults, program: tree.Program) -> str:
    noun = words.measure(output.key)
    groups = f"Group the {words.among(program.where)} by the {noun}.{words.only_groups('Keep', output.having)}"
    if output.result is None:
        value, values = f"the {noun}", f"the values of the {noun}"
    elif output.keys:
        value = values = f"the {noun} and {words.result(output.result)}"
    else:
        value, values = words.result(output.result), f"{words.result(output.result)} in each group"
    if not program.order:
        return words.choose_form(f"{groups} What is {value} in each group?", f"{groups} Give {value} for each group.")
    if program.top is None:
        return words.choose_form(
            f"{groups} List {values}, with the groups sorted by {words.sort_keys(program)}.",
            f"{groups} Sort the groups by {words.sort_keys(program)}, and give {value} of each, in that order.",
        )
    return f"{groups} Sort the groups by {words.sort_keys(program)}. Give {value} of {_first(program)}"


def _ask_first(words: ProgramWording, program: tree.Program) -> str:
    """The row with the largest or smallest value."""
    among = words.among(program.where)
    extreme = words.has_extreme(program.order[0])
    if isinstance(program.output, tree.Labels):
        return words.choose_form(
            f"Which of the {among} {extreme}? Give its {words.label}, or those of all of them if several tie.",
            f"Give the {words.label} of the one of the {among} that {extreme}, or of all of them if several tie.",
        )
    assert isinstance(program.output, tree.Values)
    noun = words.the(program.output.measure)
    return f"Find the one of the {among} that {extreme}. What is {noun} of it? If several tie, give it for all of them."


def _first(program: tree.Program) -> str:
    rows = "the first one" if program.top == 1 else f"the first {program.top}"
    return f"{rows}; where several tie for the last place, give all of them."


def mixed_conditions(
    words: Phrases, condition: tree.And | tree.Or, parts: Sequence[tree.Condition], plural: str
) -> str:
    """Conditions that AND and OR join, numbered so that each has one reading."""
    belong = "all" if isinstance(condition, tree.And) else "at least one"
    if belong == "all" and len(parts) == 2:
        belong = "both"
    numbered = "; ".join(f"({number}) the {plural} {words.clause(part)}" for number, part in enumerate(parts, start=1))
    return f"that belong to {belong} of these groups: {numbered}"


def chain(condition: tree.And | tree.Or) -> list[tree.Condition]:
    """The conditions that one connective joins; those of the other connective stay together."""
    return [part for side in (condition.left, condition.right) for part in _side(side, type(condition))]


def _side(side: tree.Condition, connective: type[Any]) -> list[tree.Condition]:
    return chain(side) if isinstance(side, connective) else [side]


def listing(parts: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]

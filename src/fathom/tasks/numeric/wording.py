"""The wording of programs about articles and people; extends the general wording of `programs.wording`."""

from __future__ import annotations

from random import Random

from fathom.tasks.numeric.byline_wording import BylineWords
from fathom.tasks.numeric.schema import NAMES, PEOPLE, POSITION, SCHEMA, is_about_people
from fathom.tasks.programs import wording_check
from fathom.tasks.programs.tree import Condition, Count, GroupedResults, GroupsAggregate, Having, Program, Result, nodes

_HOW_MANY = {
    "=": "exactly",
    "<>": "a number other than",
    "<": "fewer than",
    ">": "more than",
    "<=": "at most",
    ">=": "at least",
}


class ArticleWords(BylineWords):
    """Adds questions about people."""

    def ask(self, program: Program) -> str:
        where = program.where
        if program.output == NAMES:
            question = self._ask_names(where)
            if not program.order:
                return question
            direction = self._direction(program.order[0])
            return f"{question} Sort the names {direction}.{self._first(program)}"
        if program.output == PEOPLE:
            return self._ask_how_many(where)
        if self._rows == "people" and isinstance(program.output, GroupedResults):
            return self._ask_by_author(program.output, program)
        if self._rows == "people" and isinstance(program.output, GroupsAggregate):
            return self._ask_over_authors(program.output, self.among(where))
        return super().ask(program)

    def _ask_by_author(self, output: GroupedResults, program: Program) -> str:
        """Something of every author of some articles."""
        among = self.among(program.where)
        number = self._of_author(output.result or Count())
        if not program.order:
            if output.keys and output.result is not None:
                question = f"For each author of the {among}, what is {number}?"
                return (
                    question
                    if output.having is None
                    else f"{question} Give only the people for whom {self._test(output.having)}."
                )
            if output.keys and output.having is not None:
                return self._ask_which(output.having, among)
            return (
                f"For each author of the {among}, find {number}.{self._people_only(output.having)} Give these numbers."
            )
        keys = " and then ".join(
            f"{self._of_author(sort.measure) if isinstance(sort.measure, Result) else self.the(sort.measure)} "
            f"{self._direction(sort)}"
            for sort in program.order
        )
        authors = f"Take the authors of the {among}.{self._people_only(output.having)}"
        requested = "their names" if output.result is None else number
        if output.keys and output.result is not None:
            requested = f"the name and {number} for each"
        return f"{authors} Sort them by {keys}, and give {requested}, in that order.{self._first(program)}"

    def _ask_which(self, having: Having, among: str) -> str:
        if having.result == Count():
            return f"Which people are authors of {_HOW_MANY[having.sign]} {having.value} of the {among}?"
        return f"For which authors of the {among} is it true that {self._test(having)}?"

    def _people_only(self, having: Having | None) -> str:
        return "" if having is None else f" Keep only those for whom {self._test(having)}."

    def _test(self, having: Having) -> str:
        _, test = self.group_test(having)
        return f"{self._of_author(having.result)} is {test}"

    def _of_author(self, result: Result) -> str:
        """A result over the articles of one person."""
        if result == Count():
            return "the number of these articles that the person wrote"
        return f"{self.result(result)} over those of these articles that the person wrote"

    def _ask_over_authors(self, output: GroupsAggregate, among: str) -> str:
        if output.function == "COUNT" or output.result is None:
            assert output.having is not None
            if output.having.result == Count():
                number = f"{_HOW_MANY[output.having.sign]} {output.having.value}"
                return f"How many people are authors of {number} of the {among}?"
            return f"For how many authors of the {among} is it true that {self._test(output.having)}?"
        return (
            f"For each author of the {among}, find {self._of_author(output.result)}.{self._people_only(output.having)} "
            f"What is {self.of_results(output.function)}?"
        )

    def _ask_names(self, where: Condition | None) -> str:
        if where is not None and is_about_people(where):
            clause = self.clause(where)
            return self.choose_form(
                f"Give the names of all people {clause}.",
                # "Everyone" takes a singular verb.
                f"List the names of {'all the people' if 'who are ' in clause else 'everyone'} {clause}.",
                f"Name all the people {clause}.",
            )
        named = self.named_row(where)
        if named is not None:
            return self.choose_form(f"Who are the authors of {named}?", f"Give the names of all authors of {named}.")
        among = self.among(where)
        return self.choose_form(
            f"Who are the authors of the {among}?",
            f"Give the names of all authors of the {among}.",
            f"List every person who is an author of at least one of the {among}.",
        )

    def _ask_how_many(self, where: Condition | None) -> str:
        if where is not None and is_about_people(where):
            clause = self.clause(where)
            # "How many people are listed and who wrote" is not a sentence.
            are = clause.removeprefix("who ") if clause.startswith("who ") else f"are {clause}"
            return self.choose_form(
                *(() if " and who " in clause else (f"How many people {are}?",)),
                f"Count the people {clause}.",
                f"What is the number of people {clause}?",
            )
        among = self.among(where)
        return self.choose_form(
            f"How many different people are authors of the {among}?",
            f"Count the people who are an author of at least one of the {among}.",
            f"What is the number of different authors of the {among}, taken together?",
        )

    def first_notes(self, program: Program) -> list[str]:
        notes = ["Positions are counted from one."] if POSITION in nodes(program) else []
        if self._mentions_entries:
            notes.append("An author-list entry is one name in the author list of one article.")
        return notes

    def output_notes(self, program: Program) -> list[str]:
        if self._rows == "people":
            return ["A person counts once, even when the name is spelled in more than one way."]
        return super().output_notes(program)

    def tie_note(self, program: Program) -> str:
        if self._rows == "people":
            return "People who are equal in this may come in any order."
        return super().tie_note(program)

    def selected_noun(self, program: Program) -> str:
        if self._rows == "people" and (is_about_people(program.where) or program.where is None):
            return "people"
        return "articles" if self._rows == "people" else super().selected_noun(program)

    def missing(self, program: Program) -> str:
        grouped = isinstance(program.output, GroupedResults | GroupsAggregate)
        return "people" if self._rows == "people" and grouped else super().missing(program)

    def take(self, program: Program) -> list[str]:
        if program.output == NAMES:
            whose = "their" if is_about_people(program.where) else "the authors'"
            return [f"Take {whose} names, each person once."]
        if program.output == PEOPLE:
            whom = "them" if is_about_people(program.where) else "the authors"
            return [f"Count {whom}, each person once."]
        return super().take(program)


def question(program: Program, rng: Random) -> str:
    """The program as a question that has one reading."""
    return ArticleWords(SCHEMA, rng).question(program)


def is_wording(text: str, program: Program) -> bool:
    """Whether `text` is one of the possible wordings of the program."""
    return wording_check.is_wording(text, program, ArticleWords, SCHEMA)


def explanation(program: Program) -> list[str]:
    """The steps that lead to the program's answer."""
    return ArticleWords(SCHEMA).explain(program)

"""The wording of programs about articles and people; extends the general wording of `programs.wording`."""

from __future__ import annotations

from random import Random

from fathom.tasks.numeric.schema import NAMES, PEOPLE, POSITION, SCHEMA, is_about_people
from fathom.tasks.programs import wording
from fathom.tasks.programs.tree import And, Compare, Condition, Program, nodes


class ArticleWords(wording.Words):
    """Adds questions about people and clauses about positions in author lists."""

    def ask(self, program: Program) -> str:
        where = program.where
        if program.output == NAMES:
            return self._ask_names(where)
        if program.output == PEOPLE:
            return self._ask_how_many(where)
        return super().ask(program)

    def _ask_names(self, where: Condition | None) -> str:
        if where is not None and is_about_people(where):
            clause = self.clause(where)
            return self.one(
                f"Give the names of all people {clause}.",
                f"List the names of everyone {clause}.",
                f"Name all the people {clause}.",
            )
        among = self.among(where)
        return self.one(
            f"Who are the authors of the {among}?",
            f"Give the names of all authors of the {among}.",
            f"List every person who is an author of at least one of the {among}.",
        )

    def _ask_how_many(self, where: Condition | None) -> str:
        if where is not None and is_about_people(where):
            clause = self.clause(where)
            return self.one(
                f"How many people {clause.removeprefix('who ') if clause.startswith('who ') else f'are {clause}'}?",
                f"Count the people {clause}.",
                f"What is the number of people {clause}?",
            )
        among = self.among(where)
        return self.one(
            f"How many different people are authors of the {among}?",
            f"Count the people who are an author of at least one of the {among}.",
            f"What is the number of different authors of the {among}, taken together?",
        )

    def clause(self, condition: Condition, negated: bool = False) -> str:
        match condition:
            case Compare(measure) if measure == POSITION:
                if negated:
                    raise TypeError("a position is not negated in words")
                return f"{self._position(condition)} of some article"
            case And(Compare(measure) as left, right) if measure == POSITION and not negated:
                return f"{self._position(left)} of an article {self.clause(right)}"
            case _:
                return super().clause(condition, negated)

    def _position(self, condition: Compare) -> str:
        at = f"position {condition.value}"
        if condition.sign != "=":
            at = f"a position {self._sign(condition.sign, False)} {condition.value}"
        return f"listed at {at} in the author list"

    def first_notes(self, program: Program) -> list[str]:
        return ["Positions are counted from one."] if POSITION in nodes(program) else []

    def output_notes(self, program: Program) -> list[str]:
        if program.output in (NAMES, PEOPLE):
            return ["A person counts once, even when the name is spelled in more than one way."]
        return super().output_notes(program)

    def kept(self, program: Program) -> str:
        return "people" if is_about_people(program.where) else super().kept(program)

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
    return wording.is_wording(text, program, ArticleWords, SCHEMA)


def explanation(program: Program) -> list[str]:
    """The steps that lead to the program's answer."""
    return ArticleWords(SCHEMA).explain(program)

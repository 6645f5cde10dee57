"""Whether a text is one of the wordings of a program."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.tasks.programs import tree
from fathom.tasks.programs.schema import Schema
from fathom.tasks.programs.wording import ProgramWording


def is_wording(text: str, program: tree.Program, words: type[ProgramWording], schema: Schema) -> bool:
    """Whether `text` is one of the possible wordings of the program.

    Every chosen form appears verbatim in the question, so forms that `text` does not contain are skipped; the few
    remaining combinations are all tried.
    """
    choices: list[int] | None = []
    while choices is not None:
        chooser = _BacktrackingChooser(text, choices)
        if chooser.leads_to_text(words(schema, chooser), program):
            return True
        choices = chooser.next_choices()
    return False


class _DeadEndError(Exception):
    """The text contains none of the forms to choose from."""


class _BacktrackingChooser:
    """A chooser for backtracking: makes the given choices, then chooses the first form that the text contains."""

    def __init__(self, text: str, choices: Sequence[int]) -> None:
        self._text = text
        self._choices = choices
        self._taken: list[int] = []
        self._offered: list[int] = []

    def choice(self, forms: Sequence[str], /) -> str:
        possible = [form for form in forms if form in self._text]
        if not possible:
            raise _DeadEndError
        index = len(self._taken)
        self._taken.append(self._choices[index] if index < len(self._choices) else 0)
        self._offered.append(len(possible))
        return possible[self._taken[index]]

    def leads_to_text(self, words: ProgramWording, program: tree.Program) -> bool:
        try:
            return words.question(program) == self._text
        except _DeadEndError:
            return False

    def next_choices(self) -> list[int] | None:
        """The next combination of choices in lexicographic order; None after the last one."""
        for index in reversed(range(len(self._taken))):
            if self._taken[index] + 1 < self._offered[index]:
                return [*self._taken[:index], self._taken[index] + 1]
        return None

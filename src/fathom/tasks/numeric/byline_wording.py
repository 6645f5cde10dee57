"""Clauses about author lists: positions, names, entries, and how articles and people relate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, Literal

from fathom.tasks.numeric.schema import AUTHORS, COUNTS, NAME, NAMES, PEOPLE, POSITION, TITLE, over_bylines
from fathom.tasks.programs import wording
from fathom.tasks.programs.table_wording import chain, listing
from fathom.tasks.programs.tree import (
    And,
    Arithmetic,
    Between,
    Compare,
    Condition,
    Exists,
    GroupedResults,
    GroupsAggregate,
    Measure,
    Not,
    OneOf,
    Or,
    PeerAggregate,
    Program,
    RelatedCount,
    nodes,
)

RowKind = Literal["articles", "people", "entries"]
"""What the rows of a program are in words. Over bylines they are people, or entries where a person may count twice."""

_CITATIONS = {
    "citing": ("cited article", "that cite", "number of other articles that it cites"),
    "cited": ("citing article", "that are cited by", "number of other articles that cite it"),
}
_AT_POSITION = {
    "=": "at position {}",
    "<>": "at a position other than {}",
    "<": "before position {}",
    ">": "after position {}",
    "<=": "at position {} or earlier",
    ">=": "at position {} or later",
}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}


class BylineWords(wording.ProgramWording):
    """Adds clauses about people and about entries of author lists to the general wording."""

    _rows: RowKind = "articles"
    _mentions_entries = False

    def _name_rows(self, program: Program) -> None:
        super()._name_rows(program)
        self._rows = _kind_of(program)
        self._mentions_entries = self._rows == "entries"
        if self._rows == "entries":
            self._noun, self._plural = "author-list entry", "author-list entries"

    @contextmanager
    def _about(self, rows: RowKind) -> Iterator[None]:
        """Word conditions on other rows for a while."""
        before = self._rows, self._noun, self._plural
        self._rows = rows
        names = {"articles": ("article", "articles"), "entries": ("author-list entry", "author-list entries")}
        self._noun, self._plural = names.get(rows, ("person", "people"))
        try:
            yield
        finally:
            self._rows, self._noun, self._plural = before

    def clause(self, condition: Condition, negated: bool = False) -> str:
        match condition:
            # The article that is cited most: some article cites it, and none is cited by more.
            case And(Exists("citing" | "cited" as name, None, 1), Compare(RelatedCount(relation, None), "=", best)) if (
                relation == name and best == PeerAggregate("MAX", RelatedCount(name)) and self._rows == "articles"
            ):
                return f"{_CITATIONS[name][1]} the largest number of the other articles"
        if self._rows == "people" and (concerns(condition) != {"article"} or negated):
            return self._of_people(condition, negated)
        if self._rows == "entries" and not isinstance(condition, And | Or | Not) and concerns(condition) == {"article"}:
            with self._about("articles"):
                named = None if negated else self.named_row(condition)
                return f"that belong to {named or f'articles {super().clause(condition, negated)}'}"
        if self._rows == "people":
            with self._about("articles"):
                return self.clause(condition, negated)
        return super().clause(condition, negated)

    # People.

    def _of_people(self, condition: Condition, negated: bool) -> str:
        parts: list[Condition] = chain(condition) if isinstance(condition, And) else [condition]
        if negated:
            parts = [Not(condition)]
        if isinstance(condition, Or) and all(concerns(part) == {"position"} for part in chain(condition)):
            positions = " or ".join(self._at_position(part) for part in chain(condition))
            return f"listed {positions} in the author list of at least one article"
        position_parts = [part for part in parts if concerns(part) == {"position"}]
        articles = [part for part in parts if concerns(part) == {"article"}]
        names = [part for part in parts if concerns(part) == {"name"}]
        if len(position_parts) + len(articles) + len(names) < len(parts) or any(
            isinstance(part, Or) for part in position_parts
        ):
            return self._named_in_entry(condition)
        text = ""
        if position_parts or articles:
            text = f"listed{self._at_positions(position_parts)} in the author list of {self._some_article(articles)}"
        if not names:
            return text
        with self._about("people"):
            people = " and ".join(self._person(part) for part in names)
        return f"who are {text} and {people}" if text else people

    def _named_in_entry(self, condition: Condition) -> str:
        self._mentions_entries = True
        with self._about("entries"):
            return f"named in at least one of the author-list entries {self.clause(condition)}"

    def _some_article(self, conditions: Sequence[Condition]) -> str:
        if not conditions:
            return "at least one article"
        with self._about("articles"):
            together = reduce(And, conditions)
            return self.named_row(together) or f"one of the articles {self.clause(together)}"

    def _person(self, condition: Condition, negated: bool = False) -> str:
        """A relative clause about one person."""
        match condition:
            case Not(inner):
                return self._person(inner, not negated)
            case Compare(measure, "=" | "<>" as sign, value) if measure == NAME:
                return f"who are {'' if (sign == '=') != negated else 'not '}{value}"
            case Exists("bylines") if self._schema.phrase_of(condition) is None:
                return self._people_by_position(condition, negated)
            case Exists():
                return wording.ProgramWording._relation(self, condition, negated)
            case And() | Or():
                raise TypeError("conditions on one person are not combined in words")
            case _:
                return wording.ProgramWording.clause(self, condition, negated)

    def _people_by_position(self, condition: Exists, negated: bool) -> str:
        """People by their places in author lists."""
        where = condition.where
        if where is None:
            raise TypeError("a relation without condition has a phrase")
        parts = chain(where) if isinstance(where, And) else [where]
        position_parts = [part for part in parts if concerns(part) == {"position"}]
        articles = [part for part in parts if concerns(part) == {"article"}]
        if len(position_parts) + len(articles) < len(parts):
            raise TypeError("this condition on the articles of a person cannot be put into words")
        position_phrase = self._at_positions(position_parts)
        number = "no article" if negated else "at least one article"
        if len(articles) == 1 and condition.least == 1 and (named := self.named_row(_inside(articles[0]))) is not None:
            return f"who are {'not ' if negated else ''}listed{position_phrase} in the author list of {named}"
        if condition.least != 1:
            number = f"{'fewer than' if negated else 'at least'} {condition.least} articles"
        of_articles = self._some_article(articles).removeprefix("one of the articles") if articles else ""
        return f"who are listed{position_phrase} in the author list of {number}{of_articles}"

    # Positions.

    def _at_positions(self, conditions: Sequence[Condition]) -> str:
        """Where in an author list: nothing, one condition on the position, or several on the same position."""
        if not conditions:
            return ""
        if len(conditions) == 1:
            return f" {self._at_position(conditions[0])}"
        start = f"whose {self.measure(POSITION)} is "
        tests = [wording.ProgramWording.clause(self, part) for part in conditions]
        if not all(test.startswith(start) for test in tests):
            raise TypeError("several conditions on one position cannot be put into words")
        return f" at a position that is {' and '.join(test.removeprefix(start) for test in tests)}"

    def _at_position(self, condition: Condition, negated: bool = False) -> str:
        """The positions that meet a condition, with a preposition: "at position 2", "after position 3"."""
        match condition:
            case Not(inner):
                return self._at_position(inner, not negated)
            case Compare(measure, "=", other) if measure == POSITION and other == AUTHORS and not negated:
                return "at the last position"
            case Compare(measure, sign, int() | float() as value) if measure == POSITION:
                return _AT_POSITION[_NEGATED[sign] if negated else sign].format(value)
            case OneOf(measure, values) if measure == POSITION:
                ordered = values if any(not isinstance(value, int) for value in values) else sorted(values)  # type: ignore[type-var]
                words = [str(value) for value in ordered]
                if negated:
                    return f"at a position other than {listing(words)}"
                if len(words) < 3:
                    return f"at position {' or '.join(words)}"
                return f"at one of the positions {listing(words)}"
        return f"at {self._position(condition, negated)}"

    def _position(self, condition: Condition, negated: bool) -> str:
        """A noun phrase for the positions that meet a condition."""
        no = "not " if negated else ""
        match condition:
            case Compare(measure, sign, other) if measure == POSITION and isinstance(other, Measure):
                words = "equal to" if sign == "=" else self._sign(sign, negated)
                return f"a position {no}{words} {self.the(other)}"
            case Compare(measure, sign, value) if measure == POSITION:
                return f"a position {no}{self._sign(sign, negated)} {value}"
            case Between(measure, low, high) if measure == POSITION:
                return f"a position {no}between {low} and {high} (both included)"
            case Compare(Arithmetic(left, "%", 2), "=" | "<>" as sign, 0 | 1 as value) if left == POSITION:
                even = ((value == 0) == (sign == "=")) != negated
                return f"an {'even' if even else 'odd'} position"
            case _:
                return f"a position {wording.ProgramWording.clause(self, condition, negated)}".replace(
                    self.the(POSITION), "it"
                )

    # Articles.

    def measure(self, measure: Measure) -> str:
        noun = "name" if self._rows == "people" and measure == NAME else super().measure(measure)
        return f"{noun} of its article" if self._rows == "entries" and measure in (*COUNTS, TITLE) else noun

    def _relative_clause(self, measure: Measure) -> str:
        if isinstance(measure, RelatedCount):
            return f"for each of which {self.the(measure)} is"
        return super()._relative_clause(measure)

    def _relation(self, condition: Exists, negated: bool) -> str:
        if self._schema.is_phrase(condition):
            if condition.relation != "bylines":
                with self._about("articles"):
                    return super()._relation(condition, negated)
            return self._of_person(super()._relation(condition, negated))
        match condition:
            case Exists("article", where) if where is not None:
                with self._about("articles"):
                    return self.clause(where, negated)
            case Exists("citing" | "cited" as name, Exists(other, where)) if other == _CITATIONS[name][0] and where:
                number = f"{'none' if negated else 'at least one'}"
                if condition.least != 1:
                    number = f"{'fewer than' if negated else 'at least'} {condition.least}"
                with self._about("articles"):
                    return f"{_CITATIONS[name][1]} {number} of the articles {self.clause(where)}"
            case Exists("authors", None):
                number = "one author" if condition.least == 1 else f"{condition.least} authors"
                return f"that have {'fewer than' if negated else 'at least'} {number}"
            case Exists("authors", where) if where is not None:
                return self._has_author(where, condition.least, negated)
            case Exists("bylines"):
                return self._of_person(self._people_by_position(condition, negated))
        raise TypeError("this subquery cannot be put into words")

    def _of_person(self, who: str) -> str:
        """A clause about the person of an entry."""
        return f"whose author is one of the people {who}" if self._rows == "entries" else who

    def _has_author(self, where: Condition, least: Any, negated: bool) -> str:
        parts = chain(where) if isinstance(where, And) else [where]
        names = [part for part in parts if isinstance(part, Compare) and part.measure == NAME and part.sign == "="]
        position_parts = [part for part in parts if concerns(part) == {"position"}]
        if len(names) == 1 and len(names) + len(position_parts) == len(parts) and least == 1:
            position_phrase = self._at_positions(position_parts)
            return f"that {'do not ' if negated else ''}list {names[0].value}{position_phrase} in their author list"
        choices = _any_name(where)
        if choices and least == 1:
            any_name = listing(choices) if not negated else " or ".join((", ".join(choices[:-1]), choices[-1]))
            return (
                f"that {'have neither' if negated else 'have at least one of'} {any_name} among their authors".replace(
                    "neither", "none of"
                )
            )
        other_parts = [part for part in parts if part not in position_parts]
        if not all(concerns(part) == {"name"} for part in other_parts):
            raise TypeError("this condition on the authors of an article cannot be put into words")
        position_phrase = self._at_positions(position_parts)
        with self._about("people"):
            people = "".join(
                f" {'and ' if number else ''}{self._person(part)}" for number, part in enumerate(other_parts)
            )
        if least == 1:
            people = people.replace("who are ", "who is ").replace("who were ", "who was ")
        number = "no author" if negated else "at least one author"
        if least != 1:
            number = f"{'fewer than' if negated else 'at least'} {least} authors"
        return f"that have {number}{position_phrase}{people}"

    def related(self, measure: RelatedCount) -> str:
        match measure:
            case RelatedCount("citing" | "cited" as name, None):
                return _CITATIONS[name][2]
            case RelatedCount("citing" | "cited" as name, Exists(other, where)) if (
                other == _CITATIONS[name][0] and where
            ):
                with self._about("articles"):
                    return f"{_CITATIONS[name][2]} (only those {self.clause(where)})"
            case RelatedCount("authors", None):
                return self.measure(AUTHORS)
            case RelatedCount("authors", where) if where is not None and concerns(where) == {"position"}:
                return f"number of authors {self._at_position(where)}"
            case RelatedCount("bylines", None):
                return "number of articles that this person wrote"
        raise TypeError("this number of related rows cannot be put into words")


def _inside(condition: Condition) -> Condition:
    """The condition on the article that a condition on an entry stands for."""
    return (
        condition.where
        if isinstance(condition, Exists) and condition.relation == "article" and condition.where
        else condition
    )


def _kind_of(program: Program) -> RowKind:
    if not over_bylines(program):
        return "articles"
    if program.output in (NAMES, PEOPLE) or (
        isinstance(program.output, GroupedResults | GroupsAggregate)
        and program.output.key == NAME
        and is_by_article(program.where)
    ):
        return "people"
    return "entries"


def is_by_article(where: Condition | None) -> bool:
    """Whether a condition over bylines is only on articles, so a person's entries are the person's articles."""
    return where is None or concerns(where) == {"article"}


def concerns(condition: Condition | None) -> set[str]:
    """What a condition on a row of a byline is about: the position, the name, or the article."""
    match condition:
        case None:
            return set()
        case And(left, right) | Or(left, right):
            return concerns(left) | concerns(right)
        case Not(inner):
            return concerns(inner)
        case Exists(relation):
            return {"name"} if relation == "bylines" else {"article"}
        case _:
            read = set(nodes(condition))
            if POSITION in read:
                return {"position"}
            return {"name"} if NAME in read or RelatedCount("bylines") in read else {"article"}


def _any_name(where: Condition) -> list[str]:
    """The names of a condition that is met by any of several names."""
    parts = chain(where) if isinstance(where, Or) else [where]
    names: list[str] = []
    for part in parts:
        match part:
            case Compare(measure, "=", value) if measure == NAME:
                names.append(str(value))
            case OneOf(measure, values) if measure == NAME:
                names.extend(map(str, values))
            case _:
                return []
    return names if len(names) > 1 else []

"""The words of a program: a question, and an explanation step by step. Both are read off the tree, like its SQL.

Every noun and every frame has several forms; a wording is one choice among them, made by `rng`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fathom.tasks.numeric.programs import (
    And,
    Arithmetic,
    AtPosition,
    Between,
    Cited,
    CitedByArticle,
    Cites,
    CitesArticle,
    Compare,
    Condition,
    Field,
    HasAuthor,
    HowMany,
    Measure,
    Names,
    Not,
    OneOf,
    Or,
    PerValue,
    Program,
    SharesAuthor,
    Sort,
    TitleHas,
    Titles,
    Total,
    Values,
    Whole,
    WroteAtLeast,
    may_be_empty,
    nodes,
    rounded,
    speaks_of_people,
)

NOUNS = {
    "title_word_count": ("number of words in the title", "title word count", "length of the title in words"),
    "author_count": ("number of authors", "author count", "count of listed authors"),
    "reference_count": ("number of references", "reference count", "number of entries in the reference list"),
}

SIGNS = {
    "=": ("equal to", "exactly"),
    "<>": ("not equal to", "different from"),
    "<": ("less than", "below", "smaller than"),
    ">": ("greater than", "above", "more than"),
    "<=": ("at most", "no more than", "less than or equal to"),
    ">=": ("at least", "no less than", "greater than or equal to"),
}

LARGEST = {"MAX": ("largest", "highest", "maximum"), "MIN": ("smallest", "lowest", "minimum")}

UPWARDS = ("in ascending order", "from the smallest to the largest", "in increasing order")
DOWNWARDS = ("in descending order", "from the largest to the smallest", "in decreasing order")

NULL = "NULL"
"""What to answer where nothing fits."""


class Chooser(Protocol):
    """Takes one of several forms, as `random.Random` does."""

    def choice(self, forms: Sequence[str], /) -> str: ...


def question(program: Program, rng: Chooser) -> str:
    """The program as a question that has one reading, with the form of the answer."""
    words = _Words(rng)
    return " ".join((words.ask(program), *words.conventions(program), _form(program)))


def is_wording(text: str, program: Program) -> bool:
    """Whether `text` is one of the questions that can be made of the program: all of them are gone through.

    Every form that is chosen comes to stand in the question as it is, so a form that `text` lacks leads nowhere and is
    left out; what remains is a handful of ways, each tried.
    """
    retrace: list[int] | None = []
    while retrace is not None:
        way = _Retracing(text, retrace)
        if way.makes(program):
            return True
        retrace = way.following()
    return False


class _DeadEndError(Exception):
    """No form of those to choose from stands in the text."""


class _Retracing:
    """Chooses as it is told, then the first form that the text holds; knows which way to try next."""

    def __init__(self, text: str, told: Sequence[int]) -> None:
        self._text = text
        self._told = told
        self._taken: list[int] = []
        self._offered: list[int] = []

    def choice(self, forms: Sequence[str], /) -> str:
        held = [form for form in forms if form in self._text]
        if not held:
            raise _DeadEndError
        place = len(self._taken)
        self._taken.append(self._told[place] if place < len(self._told) else 0)
        self._offered.append(len(held))
        return held[self._taken[place]]

    def makes(self, program: Program) -> bool:
        """Whether the choices lead to the text."""
        try:
            return question(program, self) == self._text
        except _DeadEndError:
            return False

    def following(self) -> list[int] | None:
        """The choices of the next way, counted up from the last one; None after the last way."""
        for place in reversed(range(len(self._taken))):
            if self._taken[place] + 1 < self._offered[place]:
                return [*self._taken[:place], self._taken[place] + 1]
        return None


def explanation(program: Program) -> list[str]:
    """What to do, step by step, in plain words."""
    words = _Words(None)
    steps = ["Go through all articles."]
    if program.where is not None:
        noun = "names in the author lists" if speaks_of_people(program.where) else "articles"
        steps.append(f"Keep the {noun} {words.clause(program.where)}.")
    match program.output:
        case Titles():
            steps.append("Take their titles.")
        case Names():
            steps.append("Take the authors' names, each person once.")
        case Values(measure, distinct):
            steps.append(f"Take {words.the(measure)} of each{', each value once' if distinct else ''}.")
        case HowMany("articles"):
            steps.append("Count the articles.")
        case HowMany("people"):
            steps.append("Count the people, each once.")
        case HowMany(measure):
            assert not isinstance(measure, str)
            steps.append(f"Count the different values of {words.the(measure)}.")
        case Total(function, measure):
            steps.append(f"Find {_TOTALS[function]} {words.the(measure)}.")
        case PerValue(key, result):
            steps.append(f"Put articles with the same {words.measure(key)} together.")
            wanted = "count the articles" if isinstance(result, HowMany) else ""
            if isinstance(result, Total):
                wanted = f"find {_TOTALS[result.function]} {words.the(result.measure)}"
            steps.append(f"In each group, {wanted}.")
    for sort in program.order:
        way = UPWARDS[0] if sort.direction == "ASC" else DOWNWARDS[0]
        steps.append(f"Sort them by {words.the(sort.measure)} {way}.")
    return steps


_TOTALS = {"MAX": "the largest value of", "MIN": "the smallest value of", "SUM": "the sum of", "AVG": "the mean of"}


class _Words:
    """Chooses among forms; without a chooser the first form always.

    Nothing is chosen that is not said: `is_wording` counts on it.
    """

    def __init__(self, rng: Chooser | None) -> None:
        self._rng = rng
        self._chosen: dict[str, str] = {}

    def ask(self, program: Program) -> str:
        """The question itself."""
        if program.order:
            return self._ask_sorted(program)
        match program.output:
            case Titles():
                among = self._among(program.where)
                return self.one(
                    f"Which are the {among}? Give their titles.",
                    f"List the titles of all {among}.",
                    f"What are the titles of the {among}?",
                )
            case Names():
                return self._ask_names(program.where)
            case Values(measure, distinct):
                return self._ask_values(measure, distinct, self._among(program.where))
            case HowMany("people") if program.where is not None and speaks_of_people(program.where):
                return self._ask_how_many_people(program.where)
            case HowMany() | Total():
                return self._ask_number(program.output, self._among(program.where))
            case PerValue(key, result):
                return self._ask_per_value(key, result, self._among(program.where))

    def _ask_names(self, where: Condition | None) -> str:
        if where is not None and speaks_of_people(where):
            clause = self.clause(where)
            return self.one(
                f"Give the names of all people {clause}.",
                f"List everyone {clause}.",
                f"Name all the people {clause}.",
            )
        among = self._among(where)
        return self.one(
            f"Who are the authors of the {among}?",
            f"Give the names of all authors of the {among}.",
            f"List every person who is an author of at least one of the {among}.",
        )

    def _ask_values(self, measure: Measure, distinct: bool, among: str) -> str:
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

    def _ask_how_many_people(self, where: Condition) -> str:
        clause = self.clause(where)
        return self.one(
            f"How many people are there {clause}?",
            f"Count the people {clause}.",
            f"What is the number of people {clause}?",
        )

    def _ask_number(self, output: HowMany | Total, among: str) -> str:
        match output:
            case HowMany("people"):
                return self.one(
                    f"How many different people are authors of the {among}?",
                    f"Count the people who are an author of at least one of the {among}.",
                    f"What is the number of different authors of the {among}, taken together?",
                )
            case HowMany("articles"):
                return self.one(
                    f"How many {among} are there?", f"Count the {among}.", f"What is the number of {among}?"
                )
            case HowMany(measure):
                assert not isinstance(measure, str)
                return self.one(
                    f"How many different values does {self.the(measure)} take among the {among}?",
                    f"Count the distinct values of {self.the(measure)} over the {among}.",
                    f"Looking at the {among}, how many different values of {self.the(measure)} do you find?",
                )
            case Total("SUM", measure):
                return self.one(
                    f"What do you get when you add up {self.the(measure)} over all {among}?",
                    f"What is the sum of {self.the(measure)} over all {among}?",
                    f"Find the total of {self.the(measure)} over all {among}.",
                )
            case Total("AVG", measure):
                return self.one(
                    f"What is the mean of {self.the(measure)} over the {among}?",
                    f"On average, what is {self.the(measure)} among the {among}?",
                    f"Find the average of {self.the(measure)} over the {among}.",
                )
            case Total(function, measure):
                extreme = self.one(*LARGEST[function])
                return self.one(
                    f"What is the {extreme} value of {self.the(measure)} among the {among}?",
                    f"Among the {among}, what is the {extreme} value of {self.the(measure)}?",
                )

    def _ask_per_value(self, key: Field, result: HowMany | Total, among: str) -> str:
        noun = self.measure(key)
        if isinstance(result, HowMany):
            return self.one(
                f"For each {noun} that occurs among the {among}, how many of them have it?",
                f"Group the {among} by the {noun}. How many are in each group?",
                f"How are the {among} distributed over values of the {noun}? Count the articles for each value.",
            )
        wanted = f"{_TOTALS[result.function]} {self.the(result.measure)}"
        return self.one(
            f"For each {noun} that occurs among the {among}, what is {wanted} over the articles that have it?",
            f"Group the {among} by the {noun}. For each group, what is {wanted}?",
            f"Take the {among} with the same {noun} together. What is {wanted} in each of these groups?",
        )

    def _ask_sorted(self, program: Program) -> str:
        among = self._among(program.where)
        match program.output:
            case Titles():
                wanted = "the titles"
            case Values(measure, True):
                wanted = f"the different values of {self.the(measure)}"
            case Values(measure, _):
                wanted = self.the(measure)
            case _:
                raise TypeError(f"{program.output} cannot be sorted")
        keys = ", and where that is equal by ".join(
            f"{self.the(sort.measure)} {self._way(sort)}" for sort in program.order
        )
        return self.one(
            f"List {wanted} of all {among}, sorted by {keys}.",
            f"Sort the {among} by {keys}. What is {wanted} of each, in that order?"
            if not isinstance(program.output, Titles)
            else f"Sort the {among} by {keys}. What are their titles, in that order?",
            f"Give {wanted} of the {among}, ordered by {keys}.",
        )

    def _way(self, sort: Sort) -> str:
        return self.one(*(UPWARDS if sort.direction == "ASC" else DOWNWARDS))

    def _among(self, where: Condition | None) -> str:
        return "articles" if where is None else f"articles {self.clause(where)}"

    # Conditions.

    def clause(self, condition: Condition, negated: bool = False) -> str:
        """A relative clause behind "articles", or behind "people" for a condition on names."""
        no = "not " if negated else ""
        match condition:
            case Not(inner):
                return self.clause(inner, not negated)
            case And() | Or() | AtPosition() if negated:
                # "Not both", "neither", "not at position one" have too many readings to be left to a relative clause.
                raise TypeError("only single conditions on articles are negated in words")
            case And(AtPosition() as left, right):
                return f"{self._position(left)} of an article {self.clause(right)}"
            case And(left, right):
                return f"{self.clause(left)} and {self.clause(right)}"
            case Or(left, right):
                return f"{self.clause(left)} or {self.clause(right)} (or both)"
            case Compare(measure, sign, value):
                return f"{self._whose(measure)} {no}{self._sign(sign, negated)} {value}"
            case Between(measure, low, high):
                return f"{self._whose(measure)} {no}between {low} and {high} (both included)"
            case OneOf(measure, values):
                return f"{self._whose(measure)} {_any_of(values, negated)}"
            case TitleHas(fragment):
                return f"whose title {'does not contain' if negated else 'contains'} the letters “{fragment}”"
            case AtPosition():
                return f"{self._position(condition)} of some article"
            case WroteAtLeast(least):
                return f"who are authors of {'fewer than' if negated else 'at least'} {least} of the articles"
            case _:
                return self._relation(condition, negated)

    def _position(self, condition: AtPosition) -> str:
        at = f"position {condition.value}"
        if condition.sign != "=":
            at = f"a position {self._sign(condition.sign, False)} {condition.value}"
        return f"who stand at {at} in the author list"

    def _sign(self, sign: str, negated: bool) -> str:
        """ "At most" cannot be negated in good English; the last form of each can."""
        return SIGNS[sign][-1] if negated else self.one(*SIGNS[sign])

    def _relation(self, condition: Condition, negated: bool) -> str:
        match condition:
            case HasAuthor(name):
                return f"that {'do not have' if negated else 'have'} {name} among their authors"
            case Cites(1):
                return f"that cite {'none' if negated else 'at least one'} of the other articles"
            case Cites(least):
                return f"that cite {'fewer than' if negated else 'at least'} {least} of the other articles"
            case Cited(1):
                return f"that are cited by {'none' if negated else 'at least one'} of the other articles"
            case Cited(least):
                return f"that are cited by {'fewer than' if negated else 'at least'} {least} of the other articles"
            case CitesArticle(title):
                return f"that {'do not cite' if negated else 'cite'} the article “{title}”"
            case CitedByArticle(title):
                return f"that are {'not ' if negated else ''}cited by the article “{title}”"
            case SharesAuthor(title):
                shared = "no author" if negated else "at least one author"
                return f"that have {shared} in common with the article “{title}”"
            case _:
                raise TypeError(f"{condition} is no relation")

    # Measures.

    def measure(self, measure: Measure) -> str:
        """A noun for the measure; one form in one question, so that the same thing has the same name."""
        match measure:
            case Field(name):
                if name not in self._chosen:
                    self._chosen[name] = self.one(*NOUNS[name])
                return self._chosen[name]
            case Arithmetic(left, sign, right):
                one = self.the(left)
                two = self.the(right) if isinstance(right, Field) else str(right)
                return {
                    "+": f"sum of {one} and {two}",
                    "-": f"result of {one} minus {two}",
                    "*": f"product of {one} and {two}",
                    "/": f"result of {one} divided by {two}",
                    "%": f"remainder of {one} when divided by {two}",
                }[sign]

    def the(self, measure: Measure) -> str:
        return f"the {self.measure(measure)}"

    def _whose(self, measure: Measure) -> str:
        if isinstance(measure, Field):
            return f"whose {self.measure(measure)} is"
        return f"for which {self.the(measure)} is"

    def one(self, *forms: str) -> str:
        return forms[0] if self._rng is None else self._rng.choice(forms)

    # What could be read in two ways is said.

    def conventions(self, program: Program) -> list[str]:
        """Sentences on positions, division, fragments, ties, rounding, and what to say when nothing fits."""
        said: list[str] = []
        if _has(program, AtPosition):
            said.append("Positions are counted from one.")
        if _has(program, TitleHas):
            said.append("The letters may stand inside a longer word, and capitals do not matter.")
        if _has(program, SharesAuthor):
            said.append("That article itself does not count.")
        if _divides(program):
            said.append("Division gives a decimal number.")
        if program.order:
            tied = self.the(program.order[0].measure) if len(program.order) == 1 else "both"
            said.append(f"Articles that agree in {tied} may stand in any order among themselves.")
        if isinstance(program.output, Values) and not program.output.distinct:
            said.append("Give one value for each article, even where values repeat.")
        if isinstance(program.output, Names) or program.output == HowMany("people"):
            said.append("A person counts once, even when the name is spelled in more than one way.")
        if rounded(program):
            said.append("Round to two decimals.")
        if may_be_empty(program):
            said.append(f"If there is none, answer {NULL}.")
        return said


def _any_of(values: Sequence[Whole], negated: bool) -> str:
    """ "One of 2, 3 and 5", "neither 2 nor 3": the smallest first, whatever the order in the statement."""
    said = [str(value) for value in sorted(values, key=lambda value: value if isinstance(value, int) else 0)]
    if negated and len(said) == 2:
        return f"neither {said[0]} nor {said[1]}"
    listed = " and ".join((", ".join(said[:-1]), said[-1])) if len(said) > 1 else said[0]
    return f"{'none' if negated else 'one'} of {listed}"


def _has(program: Program, kind: type) -> bool:
    return any(isinstance(node, kind) for node in nodes(program))


def _divides(program: Program) -> bool:
    return any(isinstance(node, Arithmetic) and node.sign == "/" for node in nodes(program))


def _form(program: Program) -> str:
    match program.output:
        case HowMany() | Total():
            return "Answer with one number."
        case PerValue():
            return "Answer with one line for each group: the value, a semicolon, the result."
        case _:
            return "Answer with a list, one item on each line."

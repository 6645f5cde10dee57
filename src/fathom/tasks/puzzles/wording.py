"""Words programs as questions. The same program always gives the same words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fathom.tasks.puzzles.figure_programs import period_words
from fathom.tasks.puzzles.policy_programs import case_sentences
from fathom.tasks.puzzles.tree import (
    DATE,
    Choose,
    Compute,
    GivenValue,
    Lookup,
    Node,
    Override,
    Owner,
    Pick,
    Tally,
    Value,
    children,
    format_number,
    iso_date,
    nodes,
)
from fathom.tasks.puzzles.vocabulary import Vocabulary

PEOPLE = ("person", "人")
"""The classes of people."""
LETTERS = ("X", "Y", "Z", "W", "V", "U")

_PHRASES = {
    "en": {
        "let": "Let {letter} be {np}.",
        "among": "the {kind} among {names} {most}",
        "+": "the total of {left} and {right}",
        "-": "{left} minus {right}",
        "/": "the ratio of {left} to {right}",
        "days between": "the number of days between {right} and {left}",
        "years between": "the number of years between {right} and {left}",
        "share %": "the ratio, in percent, of {left} to {right}",
        "ask": "What is {np}?",
        "ask person": "Who is {np}?",
        "ask date": "What is {np}?",
        "ask name": "Which is {np}?",
        "ask -": "By how much does {left} exceed {right}?",
        "ask /": "What is the ratio of {left} to {right}?",
        "ask days between": "How many days lie between {right} and {left}?",
        "ask years between": "How many years lie between {right} and {left}?",
        "ask change %": "What is the percentage increase from {right} to {left}?",
        "ask share %": "What percentage of {right} is {left}?",
        "change %": "the percentage increase from {right} to {left}",
        "ask choose": "Compare {left} with {right}. If the first is at least as {large} as the second, what is {then}? "
        "If it is {smaller}, what is {otherwise}?",
        "ask pick": "Which {kind} among {names} is the one {most}?",
        "ask tally": "For how many of the following is the value larger than {bound}: {values}?",
        "and": " and ",
        "comma": ", ",
        "late": "late",
        "earlier": "earlier",
        "large": "large",
        "smaller": "smaller",
        "number": "Answer with a number{unit}{round}.",
        "in unit": " of {unit}",
        "round": ", rounded to two decimals",
        "date": "Answer with a date in the form YYYY-MM-DD.",
        "year": "Answer with a year.",
        "name": "Answer with a name.",
    },
    "zh": {
        "let": "设{letter}为{np}。",
        "among": "{names}之中{most}的{kind}",
        "+": "{left}与{right}之和",
        "-": "{left}减去{right}之差",
        "/": "{left}与{right}之比",
        "days between": "从{right}到{left}的天数",
        "years between": "{right}与{left}相隔的年数",
        "share %": "{left}占{right}的百分比",
        "ask": "{np}是多少？",
        "ask person": "{np}是谁？",
        "ask date": "{np}是哪一天？",
        "ask name": "{np}是哪一个？",
        "ask -": "{left}比{right}多多少？",
        "ask /": "{left}是{right}的多少倍？",
        "ask days between": "从{right}到{left}相隔多少天？",
        "ask years between": "{right}与{left}相隔多少年？",
        "ask change %": "{left}比{right}高百分之多少？",
        "ask share %": "{left}占{right}的百分之多少？",
        "change %": "{left}比{right}高出的百分比",
        "ask choose": "如果{left}{large}{right}，那么{then}是多少？否则，{otherwise}是多少？",
        "ask pick": "{names}之中，{most}的{kind}是哪一个？",
        "ask tally": "下列各项中有几项大于{bound}：{values}？",
        "and": "和",
        "comma": "、",
        "late": "不早于",
        "earlier": "",
        "large": "不小于",
        "smaller": "",
        "number": "请以数字作答{unit}{round}。",
        "in unit": "，单位为{unit}",
        "round": "，保留两位小数",
        "date": "请以YYYY-MM-DD格式的日期作答。",
        "year": "请以年份作答。",
        "name": "请以名称作答。",
    },
}
_UNITS = {
    "en": {"EUR": "euros", "cm": "centimeters", "m": "meters", "%": "percent", "people/homes": "people for each home"},
    "zh": {
        "people": "人",
        "homes": "户",
        "days": "天",
        "EUR": "元",
        "CNY": "元",
        "cm": "厘米",
        "m": "米",
        "%": "%",
        "years": "年",
        "people/homes": "人/户",
    },
}


class PuzzleWording:
    """The question of one program."""

    def __init__(self, program: Node, vocabulary: Vocabulary) -> None:
        self._program, self._vocabulary = program, vocabulary
        self._phrases = _PHRASES[vocabulary.language]
        self._letters: dict[str, str] = {}

    def text(self, answer: Value, decimals: int | None) -> str:
        """The question, with the form of its answer."""
        sentences = [*self._definitions(), *case_sentences(self._program, self._vocabulary.case, self._np)]
        sentences.append(self._question())
        sentences.append(self._form(answer, decimals))
        return self._with_short_names((" " if self._vocabulary.language == "en" else "").join(sentences))

    def _with_short_names(self, text: str) -> str:
        """The question with the name of its only entity once: then "该公司" in Chinese, and nothing in English."""
        lookups = [node for node in nodes(self._program) if isinstance(node, Lookup)]
        names = {node.of.value.name if isinstance(node.of, GivenValue) else "" for node in lookups}
        name = names.pop() if len(names) == 1 else ""
        if not name or self._letters or any(not node.period for node in lookups):
            return text
        head, mark, ending = text.partition(name)
        if self._vocabulary.language == "en":
            return head + mark + ending.replace(f" of {name}", "")
        return head + mark + (ending.replace(name, "该公司") if name.endswith("公司") else ending)

    def letters(self) -> Mapping[str, str]:
        """The letters that the question uses for entities, by the text of their nodes."""
        self._definitions()
        return self._letters

    def described(self, values: Mapping[str, Value]) -> str:
        """The program in words, as an item of a checklist.

        `values` has the values of the nodes below it, by their text.
        """
        node = self._program
        self._letters = {
            text: value.name for text, value in values.items() if value.name and text != node.model_dump_json()
        }
        match node:
            case Choose() | Override() if node.named:
                return self._vocabulary.derived[node.named].ask.format(**self._subject(node))
            case Choose():
                branch_taken = next(
                    branch for branch in (node.then, node.otherwise) if values.get(branch.model_dump_json()) is not None
                )
                return PuzzleWording(branch_taken, self._vocabulary).described(values)
            case Override():
                return PuzzleWording(node.exception, self._vocabulary).described(values)
            case Tally():
                return self._question()
            case _:
                return self._np(node)

    def _definitions(self) -> list[str]:
        """Letters for the entities that the question has to describe."""
        described = [
            node
            for node in dict.fromkeys(self._visible(self._program))
            if self._is_described(node) and node != self._program
        ]
        sentences = []
        for letter, node in zip(LETTERS, described, strict=False):
            sentences.append(self._phrases["let"].format(letter=letter, np=self._np(node)))
            self._letters[node.model_dump_json()] = letter
        return sentences

    def _visible(self, node: Node) -> Iterator[Node]:
        """The nodes that the question spells out; of a named value, only its subject."""
        hides = isinstance(node, Compute) and node.named
        about = _subject_lookup(node, bool(self._vocabulary.case)) if hides else node
        for child in children(about):
            yield from self._visible(child)
        yield node

    def _is_described(self, node: Node) -> bool:
        """Whether the node gives an entity that the question describes instead of naming it."""
        if isinstance(node, Lookup):
            return self._vocabulary.attributes[node.attribute].is_name
        return isinstance(node, Owner | Pick)

    def _question(self) -> str:
        node, phrases = self._program, self._phrases
        match node:
            case Pick():
                return phrases["ask pick"].format(**self._comparison(node))
            case Tally():
                values = self._join([self._np(value) for value in node.values])
                return phrases["ask tally"].format(bound=self._np(node.bound), values=values)
            case Compute() if not node.named and f"ask {node.sign}" in phrases:
                return phrases[f"ask {node.sign}"].format(left=self._np(node.left), right=self._np(node.right))
            case Choose() if not node.named:
                dates = self._is_date(node.left)
                return phrases["ask choose"].format(
                    left=self._np(node.left),
                    right=self._np(node.right),
                    then=self._np(node.then),
                    otherwise=self._np(node.otherwise),
                    large=phrases["late" if dates else "large"],
                    smaller=phrases["earlier" if dates else "smaller"],
                )
            case Compute() if node.sign == "days later":
                return phrases["ask date"].format(np=self._np(node))
            case Lookup() if self._is_described(node):
                person = self._vocabulary.attributes[node.attribute].type in PEOPLE
                return phrases["ask person" if person else "ask name"].format(np=self._np(node))
            case _:
                return phrases["ask"].format(np=self._np(node))

    def _is_date(self, node: Node) -> bool:
        named = isinstance(node, Lookup) or (isinstance(node, Compute) and bool(node.named))
        return named and self._vocabulary.measure(node).type in ("date", "year")

    def _form(self, answer: Value, decimals: int | None) -> str:
        if answer.name:
            return self._phrases["name"]
        if answer.unit in (DATE, "year"):
            return self._phrases[answer.unit]
        name = unit_name(answer.unit, self._vocabulary.language)
        unit = self._phrases["in unit"].format(unit=name) if name else ""
        return self._phrases["number"].format(unit=unit, round=self._phrases["round"] if decimals else "")

    def _np(self, node: Node) -> str:
        letter = self._letters.get(node.model_dump_json())
        if letter is not None:
            return letter
        match node:
            case GivenValue():
                return written_value(node.value, self._vocabulary.language)
            case Lookup():
                of = self._vocabulary.attributes[node.attribute]
                part = self._np(node.part) if node.part is not None else ""
                entity = self._np(node.of)
                period = period_words(node.period, self._vocabulary.language)
                if period and self._vocabulary.language == "zh" and (part or entity) in LETTERS:
                    period = f"在{period}"  # "X2020年" reads like one number
                return of.ask.format(e=entity, p=part, s=part or entity, t=period)
            case Owner():
                return self._vocabulary.attributes[node.attribute].asked_by.format(n=self._np(node.name))
            case Pick():
                return self._phrases["among"].format(**self._comparison(node))
            case Compute() if node.named:
                return self._vocabulary.derived[node.named].ask.format(**self._subject(node))
            case Compute():
                return self._phrases[node.sign].format(left=self._np(node.left), right=self._np(node.right))
            case Tally() | Choose() | Override():
                raise ValueError(f"a question does not spell out a node '{node.op}'")

    def _subject(self, node: Node) -> dict[str, str]:
        """What a derived value is about: the entity, part and period of one of its attributes."""
        about = _subject_lookup(node, bool(self._vocabulary.case))
        part = self._np(about.part) if about.part is not None and not self._vocabulary.case else ""
        entity = self._np(about.of)
        return {"e": entity, "p": part, "s": part or entity, "t": about.period}

    def _comparison(self, node: Pick) -> dict[str, str]:
        measure = self._vocabulary.measure(node.options[0].value)
        names = self._join([self._np(option.name) for option in node.options])
        most = measure.most if node.which == "largest" else measure.least
        first = node.options[0].value
        period = period_words(first.period, self._vocabulary.language) if isinstance(first, Lookup) else ""
        part = self._np(first.part) if isinstance(first, Lookup) and first.part is not None else ""
        return {"kind": measure.entity, "names": names, "most": most.format(t=period, p=part)}

    def _join(self, parts: Sequence[str]) -> str:
        if len(parts) == 1:
            return parts[0]
        return self._phrases["comma"].join(parts[:-1]) + self._phrases["and"] + parts[-1]


def _subject_lookup(node: Node, first: bool) -> Lookup:
    """The attribute that determines what a derived value is about: the first one, or that of the last operand."""
    lookup: Node = node
    while isinstance(lookup, Compute) and not first:
        # The right operand belongs to the entity itself, even if the left one is that of a linked entity.
        lookup = lookup.right
    return lookup if isinstance(lookup, Lookup) else next(child for child in nodes(node) if isinstance(child, Lookup))


def unit_name(unit: str, language: str) -> str:
    """A unit as a question writes it."""
    return _UNITS[language].get(unit, unit)


def written_value(value: Value, language: str) -> str:
    """A value as a question or an explanation writes it."""
    if value.number is None:
        return value.name
    if value.unit == DATE:
        return iso_date(value.number)
    if value.unit == "year":
        return f"{int(value.number)}" + ("年" if language == "zh" else "")
    unit = unit_name(value.unit, language)
    number = format_number(value.number)
    if not unit:
        return number
    return f"{number}{unit}" if language == "zh" or unit == "%" else f"{number} {unit}"

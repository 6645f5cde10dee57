"""Turns a program over a document into an item with its proof, or rejects it with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from fathom.corpus.generated.prose.printing import MONTHS
from fathom.records.contexts import Context
from fathom.records.documents import Document, Fact, Passage
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.records.spans import Span
from fathom.scoring.answers import Answer, Number, Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Item
from fathom.tasks.puzzles.checklist import ANSWER, CHECK, FACT, ChecklistItem
from fathom.tasks.puzzles.evaluate import (
    EvaluatedProgram,
    EvaluatedStep,
    FactBase,
    UndecidableError,
    dispensable,
    needed_facts,
    single_passages,
)
from fathom.tasks.puzzles.mentions import dates_in, numbers_in, plain_text
from fathom.tasks.puzzles.names import names_in, namesakes, short_forms, spellings, split_role
from fathom.tasks.puzzles.tree import (
    DATE,
    OPERATIONS,
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
    iso_date,
    nodes,
    operation,
    serialize,
)
from fathom.tasks.puzzles.vocabulary import Vocabulary
from fathom.tasks.puzzles.wording import PuzzleWording

NAME = "puzzles"
DECIMALS = 2
NEARLY_ONE = Decimal("0.02")
MIN_SPREAD = 0.15
"""The minimum share of a document between the first and the last fact that a puzzle needs."""
DISTANCES = ("under 2K", "2K to 8K", "8K and more")
"""Tokens between the first and the last fact."""


class RejectedError(Exception):
    """A program is not suitable for a puzzle; the message gives the reason."""


@dataclass(frozen=True)
class PuzzleSource:
    """A document with the words for its facts."""

    document: Document
    vocabulary: Vocabulary
    kind: str
    """The kind of document, as scores are grouped by it."""
    roles: Sequence[str] = ()
    """Words before the names of people that may be left out."""

    @cached_property
    def names(self) -> list[str]:
        return names_in(self.document)

    @cached_property
    def passages(self) -> list[Span]:
        """The paragraphs and tables."""
        return [*self.document.paragraphs, *(table.span for table in self.document.tables)]

    @cached_property
    def by_passage(self) -> Mapping[int, Sequence[Fact]]:
        """The facts that each passage states."""
        groups: dict[int, list[Fact]] = {}
        for fact in self.document.facts:
            for number, span in enumerate(self.passages):
                if span.contains(fact.span):
                    groups.setdefault(number, []).append(fact)
        return groups

    @cached_property
    def printed(self) -> frozenset[Decimal]:
        """The dates of the text, and its numbers of three digits and more."""
        text = plain_text(self.document.text)
        numbers = (
            mentioned.number for mentioned in numbers_in(text) if mentioned.number >= 100 or mentioned.number % 1
        )
        return frozenset((*numbers, *(mention.number for mention in dates_in(text))))

    def aliases(self, name: str) -> tuple[str, ...]:
        """The spellings of a name."""
        return spellings(name, self.names, self.roles)

    def loose_aliases(self, name: str) -> tuple[str, ...]:
        """The spellings of a name in a solution; other people may have the name without its role.

        Words of the names of methods and benefits ("ratio", "supplement") are ordinary words of solutions too.
        """
        if not self.roles:
            return self.aliases(name)
        bare = split_role(name, self.roles)[1]
        return tuple(dict.fromkeys((*self.aliases(name), *short_forms(name, self.names, self.roles), bare)))


def same_value(left: Value | None, right: Value) -> bool:
    """Whether two values are the same answer, at the precision that questions ask for."""
    if left is None or left.name != right.name:
        return False
    if left.number is None or right.number is None:
        return left.number == right.number
    return abs(left.number - right.number) < Decimal("0.005")


def make_item(source: PuzzleSource, context: Context, program: Node, steps: range) -> Item:
    """The puzzle of a program; raises RejectedError."""
    document = source.document
    evaluation = EvaluatedProgram(FactBase(document.facts))
    try:
        answer = evaluation.value(program)
    except UndecidableError as error:
        raise RejectedError("the document does not determine an answer") from error
    count = step_count(program, evaluation.steps)
    if count not in steps:
        raise RejectedError("too few or too many steps")
    operations = operations_of(evaluation.steps)
    if len(operations) < 2:
        raise RejectedError("fewer than two operations")
    _reject_poor_answers(program, answer, source)
    if any(step.value.number is not None and step.value.number < 0 for step in evaluation.steps):
        raise RejectedError("a value is negative, so larger may mean two things")
    earlier = [step.value for step in evaluation.steps[:-1] if isinstance(step.node, Compute)]
    if not isinstance(program, Choose | Override) and any(same_value(value, answer) for value in earlier):
        raise RejectedError("the answer is already computed before the last step")
    if _is_circular(program, evaluation.steps):
        raise RejectedError("the question describes one entity twice")
    facts = needed_facts(evaluation.steps)
    if len({fact.span.start for fact in facts}) < 2 or spread(facts, document) < MIN_SPREAD:
        raise RejectedError("the facts are close together")
    if dispensable(program, document.facts, evaluation.steps, same_value):
        raise RejectedError("a fact could be left out")
    if single_passages(program, source.by_passage, answer, same_value):
        raise RejectedError("a single passage has the answer")
    decimals = DECIMALS if answer.number is not None and answer.number % 1 else None
    text = PuzzleWording(program, source.vocabulary).text(answer, decimals)
    id = short_id("q", context.id, NAME, serialize(program))
    key = Key(
        question_id=id, answer=typed_answer(answer, decimals, source), proof=_proof(source, program, evaluation.steps)
    )
    tags = {
        "kind": source.kind,
        "language": document.language,
        "operations": ", ".join(operations),
        "steps": str(count),
        "answer": "date" if answer.unit == DATE else "name" if answer.name else "number",
        "distance": distance_of(spread(facts, document) * context.tokens),
    }
    return Item(Question(id=id, family=NAME, context_id=context.id, text=text, tags=tags), key)


def _reject_poor_answers(program: Node, answer: Value, source: PuzzleSource) -> None:
    if answer.number is None:
        if any(
            isinstance(node, GivenValue) and node.value.name == answer.name for node in nodes(program)
        ) and not isinstance(program, Pick):
            raise RejectedError("the question names the answer")
        return
    if answer.unit != DATE and answer.number <= 0:
        raise RejectedError("the answer is not above zero")
    if answer.number % 1 and answer.number < Decimal("0.1"):
        raise RejectedError("rounding leaves one digit of the answer")
    if not answer.unit and abs(answer.number - 1) < NEARLY_ONE:
        raise RejectedError("a ratio is nearly one")
    cents = answer.number * 100
    if answer.number % 1 and abs(cents % 1 - Decimal("0.5")) < Decimal("0.001"):
        raise RejectedError("the answer is on the edge of rounding")
    if answer.number in source.printed or any(
        fact.value == answer.number and (fact.unit == answer.unit or answer.number >= 100)
        for fact in source.document.facts
    ):
        raise RejectedError("the text prints the answer")
    if isinstance(program, Choose):
        return
    if any(step.number == answer.number for step in _operands(program, source)):
        raise RejectedError("the last step changes nothing")


def _is_circular(program: Node, steps: Sequence[EvaluatedStep]) -> bool:
    """Whether two descriptions mean the same entity, or one means an entity that the question names elsewhere."""
    named_steps = [step for step in steps if step.value.name and step.node != program]
    names = [step.value.name for step in named_steps]
    if len(set(names)) < len(names):
        return True
    return not _given_names(program).isdisjoint(names)


def _given_names(node: Node) -> set[str]:
    """The names that the question gives, without those that it compares."""
    if isinstance(node, GivenValue):
        return {node.value.name} - {""}
    if isinstance(node, Pick):
        return set()
    if isinstance(node, Choose) and node.named:
        return _given_names(node.left) | _given_names(node.right)
    return set().union(*(_given_names(child) for child in children(node)))


def _operands(program: Node, source: PuzzleSource) -> list[Value]:
    if not isinstance(program, Compute):
        return []
    evaluation = EvaluatedProgram(FactBase(source.document.facts))
    return [evaluation.value(program.left), evaluation.value(program.right)]


def step_count(program: Node, steps: Sequence[EvaluatedStep]) -> int:
    """The number of steps that are more than reading a fact, or taking an exception that was computed before."""
    return sum(operation(step.node) != "reading" and not isinstance(step.node, Override) for step in steps)


def operations_of(steps: Sequence[EvaluatedStep]) -> list[str]:
    """The operations of an evaluation in a fixed order."""
    used_operations = {operation(step.node) for step in steps}
    return [name for name in OPERATIONS if name in used_operations]


def spread(facts: Sequence[Fact], document: Document) -> float:
    """The share of the document between the first and the last fact."""
    starts = [fact.span.start for fact in facts]
    return (max(starts) - min(starts)) / len(document.text)


def distance_of(tokens: float) -> str:
    """The range that a number of tokens is in."""
    return DISTANCES[(tokens >= 2_000) + (tokens >= 8_000)]


def typed_answer(answer: Value, decimals: int | None, source: PuzzleSource) -> Answer:
    """The answer of a key."""
    if answer.number is None:
        first, *others = source.aliases(answer.name)
        return Text(value=first, aliases=tuple(others))
    if answer.unit == DATE:
        return Text(value=iso_date(answer.number), aliases=date_spellings(answer.number))
    return Number(value=round(answer.number, 6) if decimals else answer.number, decimals=decimals, unit=answer.unit)


def date_spellings(number: Decimal) -> tuple[str, ...]:
    """Other ways to write a date."""
    year, month, day = int(number) // 10_000, int(number) // 100 % 100, int(number) % 100
    name = MONTHS[month - 1]
    return (
        f"{day} {name} {year}",
        f"{name} {day}, {year}",
        f"{name} {day} {year}",
        f"{day} {name[:3]} {year}",
        f"{name[:3]} {day}, {year}",
        f"{year}年{month}月{day}日",
        f"{year}/{month:02}/{day:02}",
        f"{year}-{month}-{day}",
    )


# The proof.


def _proof(source: PuzzleSource, program: Node, steps: Sequence[EvaluatedStep]) -> Proof:
    """The program, the facts with their passages, and the checklist."""
    document = source.document
    facts = needed_facts(steps)
    rows = [_fact_row(fact, document) for fact in facts]
    letters = PuzzleWording(program, source.vocabulary).letters()
    rows += [(CHECK, item.model_dump_json()) for item in checklist(source, program, steps, letters)]
    answer = _item(source, steps[-1], steps, letters)
    if answer.value.name:
        answer = answer.model_copy(update={"others": _other_names(program, answer.value.name, source)})
    rows.append((ANSWER, answer.model_dump_json()))
    passages = tuple(Passage(document=document.id, span=sentence_of(fact, document)) for fact in facts)
    return Proof(program=serialize(program), rows=tuple(rows), passages=passages)


def _other_names(program: Node, answer: str, source: PuzzleSource) -> tuple[str, ...]:
    """Spellings of the names that another program of the same form could give."""
    document = source.document
    match program:
        case Lookup():
            names = [fact.name for fact in document.facts if fact.attribute == program.attribute]
        case Owner():
            names = [fact.entity for fact in document.facts if fact.attribute == program.attribute]
        case Pick():
            names = [option.name.value.name for option in program.options if isinstance(option.name, GivenValue)]
        case _:
            names = []
    return tuple(form for name in dict.fromkeys(names) if name != answer for form in source.aliases(name))


def _fact_row(fact: Fact, document: Document) -> tuple[str, ...]:
    value = fact.name if fact.value is None else f"{fact.value:f}"
    span = f"{fact.span.start}-{fact.span.end}"
    return (
        FACT,
        fact.entity,
        fact.part,
        fact.attribute,
        fact.period,
        fact.status,
        value,
        fact.unit,
        span,
        fact.span.of(document.text),
    )


def sentence_of(fact: Fact, document: Document) -> Span:
    """The sentence that states a fact; its own span in a table."""
    return next((span for span in document.sentences if span.contains(fact.span)), fact.span)


def checklist(
    source: PuzzleSource, program: Node, steps: Sequence[EvaluatedStep], letters: Mapping[str, str]
) -> list[ChecklistItem]:
    """The checklist of a puzzle: the facts, names and results that a solution must reach.

    Facts that are read only to be compared are not among them; results that are computed for a comparison are.
    """
    compared_nodes = {
        inner.model_dump_json()
        for step in steps
        if isinstance(step.node, Pick | Tally)
        for child in children(step.node)
        for inner in nodes(child)
    }
    used_nodes = {
        inner.model_dump_json()
        for step in steps
        if not isinstance(step.node, Pick | Tally) and step.node.model_dump_json() not in compared_nodes
        for inner in children(step.node)
    }
    answer = steps[-1].value
    items: list[ChecklistItem] = []
    for step in steps[:-1]:
        text = step.node.model_dump_json()
        if text in compared_nodes and text not in used_nodes and not isinstance(step.node, Compute):
            continue
        if same_value(step.value, answer) and isinstance(program, Choose | Override):
            continue  # the branch that was chosen is the answer itself
        item = _item(source, step, steps, letters)
        if not any((existing.name, existing.value) == (item.name, item.value) for existing in items):
            items.append(item)  # an exception and the value that it gives are one item
    return items


def _item(
    source: PuzzleSource, step: EvaluatedStep, steps: Sequence[EvaluatedStep], letters: Mapping[str, str]
) -> ChecklistItem:
    values = {earlier.node.model_dump_json(): earlier.value for earlier in steps}
    node, value = step.node, step.value
    operands = tuple(
        values.get(child.model_dump_json()) or child.value  # type: ignore[union-attr]
        for child in children(node)
        if child.model_dump_json() in values or isinstance(child, GivenValue)
    )
    computed = isinstance(node, Compute | Choose)
    cues = cues_of(node, source.vocabulary, operands)
    if isinstance(node, Owner) and operands:  # "Schönfeld is in Stavby" says whose town it is
        cues = (*cues, *map(plain_text, source.aliases(operands[0].name)))
    return ChecklistItem(
        name=PuzzleWording(node, source.vocabulary).described(values),
        operation=operation(node),
        value=value,
        aliases=source.loose_aliases(value.name) if value.name else (),
        namesakes=namesakes(value.name, source.names, source.roles) if value.name else (),
        labels=_labels(node, source.vocabulary, letters) if value.name else (),
        cues=cues,
        of=_stated_of(source, node, operands) if value.number is not None else (),
        sign=node.sign if isinstance(node, Compute) else "",
        operands=operands[:2] if computed else (),
        span=step.facts[0].span if step.facts else None,
    )


def _stated_of(source: PuzzleSource, node: Node, operands: Sequence[Value]) -> tuple[str, ...]:
    """Cues for the subject of a fact: the end of its period, or spellings of the entity."""
    if not isinstance(node, Lookup) or not operands:
        return ()
    return (node.period.rpartition("/")[2][:4],) if node.period else source.loose_aliases(operands[0].name)


def _labels(node: Node, vocabulary: Vocabulary, letters: Mapping[str, str]) -> tuple[str, ...]:
    """Words that may introduce the name that a node gives: the letter of the question, the class of the entity."""
    match node:
        case Lookup():
            kind = vocabulary.attributes[node.attribute].type
        case Owner():
            kind = vocabulary.attributes[node.attribute].entity
        case Pick():
            kind = vocabulary.measure(node.options[0].value).entity
        case _:
            kind = ""
    return tuple(label for label in (letters.get(node.model_dump_json(), ""), kind) if label)


def cues_of(node: Node, vocabulary: Vocabulary, operands: Sequence[Value]) -> tuple[str, ...]:
    """Beginnings of words that show the role of a node's value."""
    match node:
        case Pick() | Tally():
            first = node.options[0].value if isinstance(node, Pick) else node.values[0]
            return (*vocabulary.measure(first).cues, *SUPERLATIVES)
        case Compute() if node.named:
            return (*vocabulary.derived[node.named].cues, *_attribute_cues(node, vocabulary))
        case Choose() | Override() if node.named:
            return vocabulary.derived[node.named].cues
        case GivenValue():
            return ()
        case _:
            return _attribute_cues(node, vocabulary)


def _attribute_cues(node: Node, vocabulary: Vocabulary) -> tuple[str, ...]:
    cue_lists = [vocabulary.attributes[name].cues for name in _attributes(node)]
    return tuple(dict.fromkeys(cue for cues in cue_lists for cue in cues))


def _attributes(node: Node) -> list[str]:
    """The attributes that a node or its parts look up."""
    attribute = getattr(node, "attribute", None)
    return [attribute] if attribute else [name for child in children(node) for name in _attributes(child)]


SUPERLATIVES = (
    *("most", "fewest", "least", "larg", "small", "high", "low", "first", "last", "earl", "lat", "max", "min", "great"),
    *("cheap", "short", "long", "more than", "less than", "fewer", "<", ">", "最", "第一", "较", "更"),
)

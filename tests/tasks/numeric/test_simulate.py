"""Simulated models on real benches: correct without faults, incorrect at the given rates."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path

import pytest

from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.documents import Passage
from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.format import stated
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Multiset,
    Number,
    Ranking,
    Rows,
    Spans,
    Text,
    Unanswerable,
    ValueSet,
)
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.family import Item
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.numeric.simulate import Simulator
from fathom.tasks.numeric.sources import read_source
from fathom.tasks.numeric.tables import ContextTables, build_tables
from fathom.tasks.numeric.templates import templates
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import Constant, Program, Slot, bind
from fathom.tasks.simulating import simulated_response
from tests.sharing import SharedFolders
from tests.tasks.numeric.test_faults import OWN_TEMPLATES
from tests.tasks.numeric.test_user_templates import GOOD

TITLES = (
    "Tides, storms and shores",
    "Storms; shores",
    "In search of an answer: tides",
    "1. What is a wave?",
    "None",
    "Null: a history",
    "- Minus signs",
    '“Quoted” words, "twice"',
    "State-of-the-art, 3rd edition (2020)",
    "The answer is 42, or is it?",
    "And then there were none",
    "100% of it",
    "Is there a $x^2$ in *this*?",
)
NUMBERS = ("0", "4", "-3", "1234", "4.5", "0.125", "1000000")


def opened(bench: Bench) -> Corpus:
    """The bench's corpus, with a path relative to the bench or absolute."""
    return Corpus(bench.folder / bench.manifest.corpus)


CORPORA = ExitStack()
"""The corpora of the simulators, open until the last test of this module."""
SIMULATORS: dict[Path, Simulator] = {}
"""By the folder of a bench: its documents are read once for all tests."""


@pytest.fixture(autouse=True, scope="module")
def close_corpora() -> Iterator[None]:
    yield
    SIMULATORS.clear()
    CORPORA.close()


class Answers:
    """What one answerer responded to every question of a bench."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.simulated = SimulatedModel.parse(name)
        self.responses: list[tuple[Context, Item, Response]] = list(self._ask(bench))

    def _ask(self, bench: Bench) -> Iterator[tuple[Context, Item, Response]]:
        if bench.folder not in SIMULATORS:
            SIMULATORS[bench.folder] = Simulator(CORPORA.enter_context(opened(bench)), bench.all_keys)
        for context, items in bench.by_context():
            for item in items:
                rng = rng_for(3, self.simulated.name, item.question.id, 0, 0)
                response = simulated_response(SIMULATORS[bench.folder], context, item, self.simulated, rng)
                yield context, item, response

    @property
    def outcomes(self) -> list[tuple[Item, str]]:
        return [(item, check_response(item.key, response).outcome) for _, item, response in self.responses]


@pytest.fixture(scope="session")
def small_contexts(small_folder: Path, build_once: SharedFolders) -> Path:
    def make(folder: Path) -> None:
        with Corpus(small_folder) as corpus:
            write_contexts(corpus, SamplingSettings(lengths=(65_536, 131_072), count=5), folder / FILE_NAME)

    return build_once("simulated-contexts", make) / FILE_NAME


@pytest.fixture(scope="session")
def other_folder(small_folder: Path, small_contexts: Path, build_once: SharedFolders) -> Path:
    def make(folder: Path) -> None:
        numeric = {"questions": 25, "unanswerable": 0.2}
        build(BuildInputs(small_folder, small_contexts, {"numeric": numeric}, 9), folder / "bench")

    return build_once("simulated-other", make) / "bench"


@pytest.fixture(scope="session")
def own_folder(small_folder: Path, small_contexts: Path, build_once: SharedFolders) -> Path:
    """A bench of a user's own templates."""

    def make(folder: Path) -> None:
        mine = folder / "mine.json"
        mine.write_text(json.dumps([{"sql": text} for text in GOOD]))
        build(BuildInputs(small_folder, small_contexts, {"numeric": {"templates": mine}}, 9), folder / "bench")

    return build_once("simulated-own", make) / "bench"


@pytest.fixture(params=["bench_folder", "other_folder", "own_folder"])
def any_bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.getfixturevalue(request.param))


@pytest.fixture(scope="session")
def other_tables(other_folder: Path) -> dict[str, ContextTables]:
    """The tables of each context, built here and not by the simulator."""
    bench = Bench(other_folder)
    with opened(bench) as corpus:
        sources = {article.id: read_source(article) for article in corpus.documents()}
    return {context.id: build_tables([sources[id] for id in context.documents]) for context in bench.contexts()}


@pytest.fixture
def other(other_folder: Path) -> Bench:
    return Bench(other_folder)


@pytest.mark.parametrize("name", ["sim/oracle", "sim/reader"])
def test_an_answerer_without_mistakes_is_always_correct(any_bench: Bench, name: str) -> None:
    outcomes = Answers(any_bench, name).outcomes
    assert len(outcomes) == any_bench.manifest.questions
    assert [item.key for item, outcome in outcomes if outcome != "correct"] == []


def test_null_is_correct_exactly_for_unanswerable_questions(any_bench: Bench) -> None:
    outcomes = Answers(any_bench, "sim/null").outcomes
    assert all((outcome == "correct") == (item.key.answer.type == "none") for item, outcome in outcomes)


@pytest.mark.parametrize("kind", ["random", "lexical", "majority"])
def test_guesses_are_parseable_and_mostly_incorrect(any_bench: Bench, kind: str) -> None:
    outcomes = Counter(outcome for _, outcome in Answers(any_bench, f"sim/{kind}").outcomes)
    assert set(outcomes) <= {"correct", "incorrect"}
    assert outcomes["correct"] < 0.3 * outcomes.total()


def test_guesses_consist_of_values_from_the_context(other: Bench, other_tables: dict[str, ContextTables]) -> None:
    for context, item, response in Answers(other, "sim/random").responses:
        if item.key.proof.program.startswith("SELECT article_title"):
            titles = {row.title for row in other_tables[context.id].articles}
            assert set(response.text.removeprefix("Answer:").strip().split("\n")) <= titles


def test_the_majority_gives_the_most_frequent_answer(other: Bench) -> None:
    one_number = re.compile(r"SELECT (?:COUNT|MAX|MIN|SUM|AVG)\([^,]*?\) FROM")
    numbers = Counter(stated(key.answer) for key in other.all_keys() if one_number.match(key.proof.program))
    texts = {
        response.text
        for _, item, response in Answers(other, "sim/majority").responses
        if item.key.answer.type == "number"
    }
    assert len(texts) == 1
    assert numbers[texts.pop()] == max(numbers.values())


@pytest.mark.parametrize("fault", [name for name in FAULTS if name not in OWN_TEMPLATES])
def test_a_fault_makes_incorrect_what_it_changes_and_nothing_else(
    other: Bench, other_tables: dict[str, ContextTables], fault: str
) -> None:
    changed = 0
    for context, item, response in Answers(other, f"sim/reader?{fault}=1").responses:
        reading = Interpretation(parse(item.key.proof.program), other_tables[context.id])
        kept = [agrees(item.key.answer, way.reading.answer()) for way in FAULTS[fault].variations(reading)]
        outcome = check_response(item.key, response).outcome
        if all(kept):
            assert outcome == "correct", item.key
        elif not any(kept):
            assert outcome == "incorrect", item.key
            changed += 1
    assert changed, fault


def test_missing_every_document_finds_nothing(other: Bench) -> None:
    for _, item, response in Answers(other, "sim/reader?miss=1").responses:
        assert response.text in ("Answer: NULL", "Answer: 0")
        assert check_response(item.key, response).outcome == (
            "correct" if item.key.answer.type == "none" else "incorrect"
        )


def test_missing_more_documents_lowers_accuracy(other: Bench) -> None:
    right = [
        sum(outcome == "correct" for _, outcome in Answers(other, f"sim/reader?miss={miss}").outcomes)
        for miss in (0, 0.05, 0.3, 1)
    ]
    assert right == sorted(right, reverse=True)
    assert len(set(right)) == 4


def test_missing_responses_and_missing_answers_are_distinguished(other: Bench) -> None:
    assert {outcome for _, outcome in Answers(other, "sim/reader?timeout=1").outcomes} == {"error"}
    assert {outcome for _, outcome in Answers(other, "sim/reader?refuse=1").outcomes} == {"refused"}
    unread = Counter(outcome for _, outcome in Answers(other, "sim/reader?format=1").outcomes)
    assert set(unread) == {"incorrect", "unparseable"}


def test_shares_are_as_set(other: Bench) -> None:
    outcomes = Counter(outcome for _, outcome in Answers(other, "sim/reader?timeout=0.2&refuse=0.1").outcomes)
    total = outcomes.total()
    assert outcomes["error"] / total == pytest.approx(0.2, abs=0.06)
    assert outcomes["refused"] / total == pytest.approx(0.08, abs=0.05)
    assert outcomes["error"] + outcomes["refused"] + outcomes["correct"] == total


def test_responses_are_reproducible_and_depend_on_the_question_alone(other: Bench) -> None:
    name = "sim/reader?miss=0.2&drop-filter=0.3&miscount=0.2&format=0.1&timeout=0.1"
    one = {response.question_id: response for _, _, response in Answers(other, name).responses}
    simulated = SimulatedModel.parse(name)
    with opened(other) as corpus:
        simulator = Simulator(corpus)
        for context, items in reversed(list(other.by_context())):
            for item in reversed(items):
                rng = rng_for(3, simulated.name, item.question.id, 0, 0)
                assert simulated_response(simulator, context, item, simulated, rng) == one[item.question.id]


def test_a_response_records_its_sample_and_usage(other: Bench) -> None:
    with opened(other) as corpus:
        simulator = Simulator(corpus)
        context, items = next(other.by_context())
        response = simulated_response(simulator, context, items[0], SimulatedModel("null"), rng_for(0), sample=2)
        assert (response.question_id, response.sample, response.outcome) == (items[0].question.id, 2, "answered")
        assert (response.usage.output_tokens, response.usage.seconds) == (2, 0)
        late = simulated_response(
            simulator, context, items[0], SimulatedModel.parse("sim/reader?timeout=1"), rng_for(0), attempt=1
        )
        assert late.error == "provider: no response within the time limit (simulated, attempt 2)"


def answers() -> Iterator[Answer]:
    texts = tuple(Text(value=title) for title in TITLES)
    numbers = tuple(Number(value=Decimal(value)) for value in NUMBERS)
    yield from texts
    yield from numbers
    yield Number(value=Decimal("4.333333333"), decimals=2)
    yield Number(value=Decimal(4), decimals=2)
    yield Number(value=Decimal("12.5"), unit="%")
    for items in (texts, numbers, texts[:1], texts[3:5]):
        yield ValueSet(items=items)
        yield Multiset(items=(*items, items[0]))
        yield Ranking(groups=(items[:2], *((item,) for item in items[2:])))
    yield from (ValueSet(items=(text,)) for text in texts)
    yield Rows(columns=("author_count", "result"), rows=tuple(zip(numbers, reversed(numbers), strict=True)))
    yield Rows(columns=("author_count", "result"), rows=((numbers[1], numbers[4]),))
    yield Choice(option=2, of=4)
    yield Assignment(options=(2, 1, 3), of=3)
    yield Spans(passages=(Passage(document="a-1", span=Span(3, 9)), Passage(document="a-2", span=Span(0, 4))))
    yield Unanswerable()


@pytest.mark.parametrize("answer", list(answers()), ids=str)
def test_formatted_answers_are_parsed_back(answer: Answer) -> None:
    key = Key(question_id="q", answer=answer, proof=Proof(program=""))
    verdict = check_response(key, Response(question_id="q", outcome="answered", text=stated(answer)))
    assert verdict.outcome == "correct", (stated(answer), verdict)


def test_programs_are_read_back_without_parsing_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values with quotes, braces, signs and numbers in them; the second of a template is not parsed."""
    for words, number in (("What's “new”? 100% of it", 4), ("% {author-name} 12 'blank 1'", -4), ("LIKE '%x%' 3", 0)):
        values: dict[str, Constant] = {
            "number": number,
            "position": 2,
            "few": 3,
            "name": words,
            "title": words,
            "fragment": "grap",
        }
        for template in templates():
            bound: dict[Slot, Constant] = {slot: values[slot.kind] for slot in template.slots}
            program = bind(template.program, bound)
            assert program_of(keyed(program)) == program
        monkeypatch.setattr("fathom.tasks.numeric.key_programs.parse", None)


def test_a_key_without_a_program_is_named() -> None:
    key = Key(question_id="q-1", answer=Unanswerable(), proof=Proof(program="SELECT love FROM life"))
    with pytest.raises(FathomError, match="question 'q-1' cannot be read"):
        program_of(key)


def keyed(program: Program) -> Key:
    return Key(question_id="q", answer=Unanswerable(), proof=Proof(program=literal(program, SCHEMA)))

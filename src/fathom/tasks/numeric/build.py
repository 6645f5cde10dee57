"""Ten questions a context, every one proved by a query and by a second way of computing it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import get_args

from fathom.corpus.store import Corpus
from fathom.records.articles import ArticleId
from fathom.records.contexts import Context
from fathom.records.lengths import print_length
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.records.spans import Span
from fathom.scoring.answers import Answer, Passage
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Item
from fathom.tasks.numeric.answers import answer_of, normal_form
from fathom.tasks.numeric.evaluate import evaluate, kept_articles
from fathom.tasks.numeric.filling import Filled, Filler
from fathom.tasks.numeric.programs import Part, Skill
from fathom.tasks.numeric.sql import literal
from fathom.tasks.numeric.tables import Source, Tables, build_tables, open_database, read_source
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.numeric.wording import question

NAME = "numeric"
ATTEMPTS = 40
"""Templates tried for one question before a context is taken to allow none."""

SKILLS: tuple[Skill, ...] = get_args(Skill)


class DisagreementError(Exception):
    """Two ways of computing one key gave two answers: the program is wrong, and no bench may come of it."""


@dataclass(frozen=True)
class Settings:
    """How many questions, and how many of them without an answer."""

    questions: int = 10
    unanswerable: float = 0.1


class NumericBuilder:
    """Builds items for the contexts of one corpus; each article is read once."""

    def __init__(self, corpus: Corpus, settings: Settings | None = None) -> None:
        self._corpus = corpus
        self._settings = settings or Settings()
        self._database = open_database()
        self._sources: dict[ArticleId, Source] = {}

    def build(self, context: Context, rng: Random) -> Iterator[Item]:
        """The context's items; fewer than asked for where its articles do not allow more."""
        sources = [self._source(id) for id in context.articles]
        workshop = _Workshop(build_tables(sources), sources)
        workshop.tables.load(self._database)
        filler = Filler(workshop.tables, self._database)
        used: set[str] = set()
        for number, skill in enumerate(_planned_skills(self._settings.questions, rng)):
            empty = rng.random() < self._settings.unanswerable
            filled = self._fill(filler, workshop, skill, empty, rng, used)
            if filled is not None:
                used.add(filled.template.id)
                yield workshop.item(context, filled, rng_of(rng, number))

    def _fill(
        self, filler: Filler, workshop: _Workshop, skill: Skill, empty: bool, rng: Random, used: set[str]
    ) -> Filled | None:
        """A template of that skill with values that work here; without an answer if that is wanted and can be had."""
        options = _of_skill(skill)
        for _ in range(ATTEMPTS):
            template = rng.choice(options)
            if template.id in used:
                continue
            filled = filler.fill(template, rng, empty)
            if filled is not None and workshop.is_certain(filled):
                return filled
        return None if not empty else self._fill(filler, workshop, skill, False, rng, used)

    def _source(self, id: ArticleId) -> Source:
        if id not in self._sources:
            self._sources[id] = read_source(self._corpus.article(id))
        return self._sources[id]


def rng_of(rng: Random, number: int) -> Random:
    """A generator for one question's words, so that wording draws nothing from the choice of questions."""
    return Random(rng.getrandbits(64) ^ number)


def _planned_skills(questions: int, rng: Random) -> list[Skill]:
    """Every skill once before any comes twice."""
    planned: list[Skill] = []
    while len(planned) < questions:
        planned.extend(rng.sample(SKILLS, len(SKILLS)))
    return planned[:questions]


_SKILLED: dict[Skill, list[Template]] = {}


def _of_skill(skill: Skill) -> Sequence[Template]:
    if not _SKILLED:
        for template in templates():
            _SKILLED.setdefault(template.skill, []).append(template)
    return _SKILLED[skill]


class _Workshop:
    """The tables of one context under both readings of who is who, and the making of items from them."""

    def __init__(self, tables: Tables, sources: Sequence[Source]) -> None:
        self.tables = tables
        self._sources = sources

    @cached_property
    def _by_spelling(self) -> Tables:
        return build_tables(self._sources, naming="spellings")

    @cached_property
    def _names_differ(self) -> bool:
        return self._by_spelling.authors != self.tables.authors

    def is_certain(self, filled: Filled) -> bool:
        """Whether the answer is the same for a reader who knows people only by how they are spelled."""
        if not (filled.template.names_people and self._names_differ):
            return True
        other = answer_of(filled.program, evaluate(filled.program, self._by_spelling), self._by_spelling)
        return normal_form(other) == normal_form(answer_of(filled.program, filled.rows, self.tables))

    def item(self, context: Context, filled: Filled, rng: Random) -> Item:
        """The question and its key."""
        statement = literal(filled.program)
        id = short_id("q", context.id, statement)
        return Item(
            Question(
                id=id,
                family=NAME,
                context_id=context.id,
                text=question(filled.program, rng),
                tags={
                    "skill": filled.template.skill,
                    "topic": filled.template.topic,
                    "template": filled.template.id,
                    "length": print_length(context.length),
                    "way": context.way,
                },
            ),
            Key(question_id=id, answer=self._answer(filled), proof=self._proof(filled, statement)),
        )

    def _answer(self, filled: Filled) -> Answer:
        answer = answer_of(filled.program, filled.rows, self.tables)
        again = answer_of(filled.program, evaluate(filled.program, self.tables), self.tables)
        if normal_form(answer) != normal_form(again):
            raise DisagreementError(f"{literal(filled.program)} gives {answer} in SQL and {again} without")
        return answer

    def _proof(self, filled: Filled, statement: str) -> Proof:
        """The rows of the articles that fit, and where each needed cell of theirs is printed."""
        kept = kept_articles(filled.program, self.tables)
        return Proof(
            program=statement,
            rows=tuple(tuple("" if value is None else str(value) for value in row) for row in filled.rows),
            passages=tuple(
                Passage(article=source.id, span=span)
                for source in (self._sources[number - 1] for number in kept)
                for span in _spans(source, filled.template.parts_read)
            ),
        )


def _spans(source: Source, needed: Collection[Part]) -> Iterator[Span]:
    if "title" in needed:
        yield source.title_span
    if "byline" in needed and source.byline:
        yield Span(source.byline[0].span.start, source.byline[-1].span.end)
    if "references" in needed and source.references:
        yield Span(source.references[0].start, source.references[-1].end)

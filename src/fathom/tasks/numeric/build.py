"""Ten questions a context, every one proved by a query and by a second way of computing it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, Split
from fathom.records.documents import DocumentId, Passage
from fathom.records.lengths import print_length
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Item
from fathom.tasks.numeric.answers import answer_of, normal_form
from fathom.tasks.numeric.evaluate import evaluate, kept_articles
from fathom.tasks.numeric.filling import Filled, Filler
from fathom.tasks.numeric.own import read_templates
from fathom.tasks.numeric.programs import Part, Skill
from fathom.tasks.numeric.settings import NumericSettings
from fathom.tasks.numeric.sql import literal
from fathom.tasks.numeric.tables import Source, Tables, build_tables, open_database, read_source
from fathom.tasks.numeric.templates import Template, templates

NAME = "numeric"
ATTEMPTS = 40
"""Templates tried for one question before a context is taken to allow none."""


class DisagreementError(Exception):
    """Two ways of computing one key gave two answers: the program is wrong, and no bench may come of it."""


def builder(corpus: Corpus, settings: NumericSettings, seed: int) -> NumericBuilder:
    """A builder for the contexts of `corpus`."""
    offered = templates() if settings.templates is None else read_templates(settings.templates)
    return NumericBuilder(corpus, settings, Offer(offered, settings, seed))


class Offer:
    """Which templates a split may ask, by skill."""

    def __init__(self, offered: Sequence[Template], settings: NumericSettings, seed: int) -> None:
        self._by: dict[tuple[Split, str], dict[Skill, list[Template]]] = {}
        self._offered = offered
        self._settings = settings
        self._splits = {template.id: _split_of(template, settings.template_splits, seed) for template in offered}

    def of(self, split: Split, length: str) -> dict[Skill, list[Template]]:
        """The templates for contexts of that split and length, by skill; none where they are held out."""
        if (split, length) not in self._by:
            by_skill: dict[Skill, list[Template]] = {}
            for template in self._offered:
                if self._splits[template.id] in (None, split) and self._is_fair(template, split, length):
                    by_skill.setdefault(template.skill, []).append(template)
            self._by[split, length] = by_skill
        return self._by[split, length]

    def _is_fair(self, template: Template, split: Split, length: str) -> bool:
        """What is held out is asked in the test split, and nothing else is; training and tuning never see it."""
        if self._settings.held_out is None:
            return True
        tag, value = self._settings.held_out
        found = {"skill": template.skill, "topic": template.topic, "length": length}.get(tag)
        return (found == value) == (split == "test")


def _split_of(template: Template, shares: Mapping[Split, int], seed: int) -> str | None:
    if not shares:
        return None
    return rng_for(seed, "template", template.id).choices(list(shares), list(shares.values()))[0]


class NumericBuilder:
    """Builds items for the contexts of one corpus; each article is read once."""

    def __init__(self, corpus: Corpus, settings: NumericSettings, offer: Offer) -> None:
        self._corpus = corpus
        self._settings = settings
        self._offer = offer
        self._database = open_database()
        self._sources: dict[DocumentId, Source] = {}

    def build(self, context: Context, rng: Random) -> Iterator[Item]:
        """The context's items; fewer than asked for where its articles do not allow more."""
        offered = self._offer.of(context.split, print_length(context.length))
        if not offered:
            return
        sources = [self._source(id) for id in context.documents]
        workshop = Workshop(build_tables(sources), sources)
        workshop.tables.load(self._database)
        filler = Filler(workshop.tables, self._database)
        used: set[str] = set()
        emptiable = [skill for skill, options in offered.items() if any(option.may_be_empty for option in options)]
        # Some skills always have an answer; the others make up for them, so that the planned share comes out.
        rate = min(1.0, self._settings.unanswerable * len(offered) / max(1, len(emptiable)))
        for number, skill in enumerate(_planned_skills(sorted(offered), self._settings.questions, rng)):
            empty = skill in emptiable and rng.random() < rate
            filled = _fill(filler, workshop, offered[skill], empty, rng, used)
            if filled is not None:
                used.add(filled.template.id)
                yield workshop.item(context, filled, rng_of(rng, number))

    def _source(self, id: DocumentId) -> Source:
        if id not in self._sources:
            self._sources[id] = read_source(self._corpus.bibliographic_record(id))
        return self._sources[id]


def _fill(
    filler: Filler, workshop: Workshop, options: Sequence[Template], empty: bool, rng: Random, used: set[str]
) -> Filled | None:
    """One of the templates with values that work here; without an answer if that is wanted and can be had."""
    for _ in range(ATTEMPTS):
        template = rng.choice(options)
        if template.id in used:
            continue
        filled = filler.fill(template, rng, empty)
        if filled is not None and workshop.is_certain(filled):
            return filled
    return _fill(filler, workshop, options, False, rng, used) if empty else None


def rng_of(rng: Random, number: int) -> Random:
    """A generator for one question's words, so that wording draws nothing from the choice of questions."""
    return Random(rng.getrandbits(64) ^ number)


def _planned_skills(skills: list[Skill], questions: int, rng: Random) -> list[Skill]:
    """Every skill once before any comes twice."""
    planned: list[Skill] = []
    while len(planned) < questions:
        planned.extend(rng.sample(skills, len(skills)))
    return planned[:questions]


class Workshop:
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
        key = self.key(context, filled)
        return Item(
            Question(
                id=key.question_id,
                family=NAME,
                context_id=context.id,
                split=context.split,
                text=filled.wording(rng),
                tags={
                    "skill": filled.template.skill,
                    "topic": filled.template.topic,
                    "template": filled.template.id,
                    "length": print_length(context.length),
                    "sampling": context.sampling or "",
                    **dict(filled.template.labels),
                },
            ),
            key,
        )

    def key(self, context: Context, filled: Filled) -> Key:
        """What is right, computed in both ways; a question's id hangs on its context and its program alone."""
        statement = literal(filled.program)
        return Key(
            question_id=short_id("q", context.id, statement),
            answer=self._answer(filled),
            proof=self._proof(filled, statement),
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
                Passage(document=source.id, span=span)
                for source in (self._sources[number - 1] for number in kept)
                for span in spans_of(source, filled.template.parts_read)
            ),
        )


def spans_of(source: Source, needed: Collection[Part]) -> Iterator[Span]:
    """Where the needed parts of an article are printed."""
    if "title" in needed:
        yield source.title_span
    if "byline" in needed and source.byline:
        yield Span(source.byline[0].span.start, source.byline[-1].span.end)
    if "references" in needed and source.references:
        yield Span(source.references[0].start, source.references[-1].end)

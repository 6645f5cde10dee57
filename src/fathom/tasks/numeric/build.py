"""Builds the questions of a context; every key is computed twice, by SQL and in Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from random import Random
from typing import Literal, NamedTuple

from fathom.records.contexts import Context, Split
from fathom.records.documents import DocumentId, Passage
from fathom.records.lengths import format_length
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.scoring.answers import Answer
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Item, UnaskedKind
from fathom.tasks.numeric.fill import FilledTemplate, TemplateFiller
from fathom.tasks.numeric.schema import SCHEMA, ArticlePart, Skill
from fathom.tasks.numeric.settings import NumericSettings
from fathom.tasks.numeric.sources import ArticleSource, source_reader
from fathom.tasks.numeric.tables import ContextTables, build_tables, open_database
from fathom.tasks.numeric.templates import Template, templates
from fathom.tasks.numeric.user_templates import read_templates
from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.evaluate import DisagreementError
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import Program
from fathom.tasks.split_corpus import SplitCorpus

NAME = "numeric"
ATTEMPTS, ATTEMPTS_IN_PAIRS = 40, 100
"""Random templates tried for one question before it is skipped; more in pairs of contexts, where few of them fit."""
TRIED_PARTNERS = 4
"""Contexts that are tried for the pair of one question. With more, the questions of many contexts would be about the
same one: the one with the highest values, which few others have."""
PARTNERS, MIN_PARTNERS = 24, 4
"""Other contexts that share questions with a context, and the number below which random articles take their place."""
CACHED_PARTNERS = 64
COMPARED = 2
"""Templates that fit and are compared, to ask the question with fewer undetected mutants."""


def builder(corpus: SplitCorpus, settings: NumericSettings, seed: int) -> NumericBuilder:
    """A builder for the contexts of `corpus`."""
    offered = templates() if settings.templates is None else read_templates(settings.templates)
    return NumericBuilder(corpus, settings, TemplatePool(offered, settings, seed), seed)


TemplateDistribution = Literal["in", "out"]
"""Whether the training split asks such questions, or only the test split does because they are held out."""


class TemplatePool:
    """The templates that each split may use."""

    def __init__(self, offered: Sequence[Template], settings: NumericSettings, seed: int) -> None:
        self._by: dict[tuple[Split, str], dict[TemplateDistribution, dict[Skill, list[Template]]]] = {}
        self._offered = offered
        self._settings = settings
        self._splits = {template.id: _split_of(template, settings.template_splits, seed) for template in offered}

    def templates_for(self, split: Split, length: str) -> dict[TemplateDistribution, dict[Skill, list[Template]]]:
        """The templates for contexts of this split and length, by distribution and skill.

        Only the test split has held-out ones, in addition to the others.
        """
        if (split, length) not in self._by:
            by_distribution: dict[TemplateDistribution, dict[Skill, list[Template]]] = {}
            for template in self._offered:
                held_out = self._settings.is_held_out(skill=template.skill, topic=template.topic, length=length)
                if self._splits[template.id] in (None, split) and (split == "test" or not held_out):
                    by_distribution.setdefault("out" if held_out else "in", {}).setdefault(template.skill, []).append(
                        template
                    )
            self._by[split, length] = by_distribution
        return self._by[split, length]


def _split_of(template: Template, shares: Mapping[Split, int], seed: int) -> str | None:
    """The split that the template is assigned to, at random by these shares; None if every split may use it."""
    if not shares:
        return None
    return rng_for(seed, "template", template.id).choices(list(shares), list(shares.values()))[0]


class NumericBuilder:
    """Builds items for the contexts of one corpus; each article is read once."""

    def __init__(self, corpus: SplitCorpus, settings: NumericSettings, pool: TemplatePool, seed: int) -> None:
        self._corpus = corpus
        self._read = source_reader(corpus)
        self._settings = settings
        self._pool = pool
        self._seed = seed
        self._database = open_database()
        self._partner = lru_cache(CACHED_PARTNERS)(self._partner_filler)

    def build(self, context: Context, rng: Random) -> Iterator[Item]:
        """The context's items; fewer than requested where its articles do not allow more."""
        offered = self._pool.templates_for(context.split, format_length(context.length))
        if not offered:
            return
        sources = self._read(context.documents)
        factory = ItemFactory(build_tables(sources), sources)
        parts = {
            name: askable for name, templates in offered.items() if (askable := _askable(templates, factory.tables))
        }
        factory.tables.load(self._database)
        partners = self._partners(context) if self._settings.unanswerable else []
        filler = TemplateFiller(factory.tables, self._database, factory.is_unambiguous)
        used_ids: set[str] = set()
        for number, (distribution, skill) in enumerate(_plan(parts, self._settings.questions, rng)):
            rate = _rate(parts[distribution], self._settings.unanswerable)
            unused = {
                name: [template for template in templates if template.id not in used_ids]
                for name, templates in parts[distribution].items()
            }
            partner_sample = rng.sample(partners, min(TRIED_PARTNERS, len(partners)))
            filled = fill_question(filler, partner_sample, unused, skill, rate, rng)
            if filled is not None:
                used_ids.add(filled.template.id)
                tags = {"distribution": distribution} if self._settings.hold_out else {}
                yield factory.item(context, filled, rng_of(rng, number), tags)

    def _partners(self, context: Context) -> list[TemplateFiller]:
        """Fillers for a few other contexts of the same length."""
        rng = rng_for(self._seed, "partners", context.id)
        other_contexts = [ids for ids in self._corpus.contexts_of_length(context.length) if ids != context.documents]
        if len(other_contexts) < MIN_PARTNERS:
            articles = [entry.id for entry in self._corpus.entries()]
            size = min(len(context.places), len(articles))
            other_contexts = [tuple(rng.sample(articles, size)) for _ in range(MIN_PARTNERS)]
        return [self._partner(ids) for ids in rng.sample(other_contexts, min(PARTNERS, len(other_contexts)))]

    def _partner_filler(self, documents: tuple[DocumentId, ...]) -> TemplateFiller:
        sources = self._read(documents)
        factory = ItemFactory(build_tables(sources), sources)
        return TemplateFiller(factory.tables, None, factory.is_unambiguous)

    def unasked(self, context: Context) -> list[UnaskedKind]:
        """The questions that could not be asked, since something is not known about the context's articles."""
        return list(build_tables(self._read(context.documents)).unknown.unasked())


def _askable(offered: Mapping[Skill, list[Template]], tables: ContextTables) -> dict[Skill, list[Template]]:
    """The templates that need nothing unknown, so that questions are planned only for skills that have one."""
    askable = {
        skill: [option for option in options if not tables.unknown.exclude(option.needs)]
        for skill, options in offered.items()
    }
    return {skill: options for skill, options in askable.items() if options}


class UnanswerableRate(NamedTuple):
    """How often questions that may have no answer are asked, and how often they then have none."""

    nullable: dict[Skill, float]
    unanswerable: float


def _rate(offered: Mapping[Skill, list[Template]], unanswerable: float) -> UnanswerableRate:
    """The rates at which the requested share of all questions has no answer.

    Every skill has the same rate among the questions that may have no answer, so that the skill does not reveal which
    questions have none.
    """
    nullable = {
        skill: sum(option.may_be_empty for option in options) / len(options) for skill, options in offered.items()
    }
    if unanswerable > sum(nullable.values()) / len(nullable):
        nullable = {skill: float(share > 0) for skill, share in nullable.items()}
    average = sum(nullable.values()) / len(nullable)
    return UnanswerableRate(nullable, min(1.0, unanswerable / average) if average else 0.0)


def fill_question(
    filler: TemplateFiller,
    partners: Sequence[TemplateFiller],
    offered: Mapping[Skill, Sequence[Template]],
    skill: Skill,
    rate: UnanswerableRate,
    rng: Random,
) -> FilledTemplate | None:
    """A random template filled with values, unanswerable at the rate if possible; None if no template fits.

    Whether a question that may have no answer has one, and the contexts that it may be paired with, are decided before
    its template. If no pair allows that outcome, the question is one that always has an answer, if necessary of another
    skill: with the other outcome, the skills and constants that few pairs allow would be answered more often than the
    rest.
    """
    nullable = rng.random() < rate.nullable[skill]
    if not rate.unanswerable:
        candidates = [template for template in offered[skill] if template.may_be_empty == nullable]
        return _choose_filling(filler.fill, candidates, ATTEMPTS, rng) or _choose_filling(
            filler.fill, offered[skill], ATTEMPTS, rng
        )
    empty = rng.random() < rate.unanswerable
    of_other_skills = [template for name, options in offered.items() if name != skill for template in options]
    for options in (offered[skill], of_other_skills):
        for partner in partners if nullable else ():
            pairable = [template for template in options if filler.can_pair(template, partner)]
            fill = partial(filler.fill_in_pair, partner=partner, empty=empty)
            if filled := _choose_filling(fill, pairable, ATTEMPTS_IN_PAIRS, rng):
                return filled
        if filled := _choose_filling(
            filler.fill, [template for template in options if not template.may_be_empty], ATTEMPTS, rng
        ):
            return filled
    # All of a user's templates may allow an empty answer.
    return _choose_filling(filler.fill, offered[skill], ATTEMPTS, rng)


def _choose_filling(
    fill: Callable[[Template, Random], FilledTemplate | None], suitable: Sequence[Template], attempts: int, rng: Random
) -> FilledTemplate | None:
    """Of two random templates that can be filled, the one with fewer undetected mutants; None if there is none.

    If the first is found late, there is no second, which would take as long.
    """
    fillings: list[FilledTemplate] = []
    for attempt in range(attempts if suitable else 0):
        filled = fill(rng.choice(suitable), rng)
        if filled is not None:
            fillings.append(filled)
            if len(fillings) == COMPARED or filled.undetected == 0:
                break
        if fillings and attempt >= ATTEMPTS:
            break
    return min(fillings, key=lambda filling: filling.undetected, default=None)


def rng_of(rng: Random, number: int) -> Random:
    """A generator for the wording of one question, independent of the choice of questions."""
    return Random(rng.getrandbits(64) ^ number)


def _plan(
    parts: Mapping[TemplateDistribution, Mapping[Skill, object]], questions: int, rng: Random
) -> Iterator[tuple[TemplateDistribution, Skill]]:
    """The distribution and skill of each question: the parts in turn, and in each all skills before any repeats."""
    planned = {name: _in_turns(sorted(skills), rng) for name, skills in parts.items()}
    for number in range(questions if parts else 0):
        distribution = list(parts)[number % len(parts)]
        yield distribution, next(planned[distribution])


def _in_turns(skills: list[Skill], rng: Random) -> Iterator[Skill]:
    """All skills in random order, then all of them again, and so on."""
    while True:
        yield from rng.sample(skills, len(skills))


class ItemFactory:
    """Makes items from the tables of one context."""

    def __init__(self, tables: ContextTables, sources: Sequence[ArticleSource]) -> None:
        self.tables = tables
        self._sources = sources

    @cached_property
    def _by_spelling(self) -> ContextTables:
        return build_tables(self._sources, naming="spellings")

    @cached_property
    def _names_differ(self) -> bool:
        return self._by_spelling.authors != self.tables.authors

    def is_unambiguous(self, filled: FilledTemplate) -> bool:
        """Whether the answer is the same for a reader who identifies people by spelling alone."""
        if not (filled.template.names_people and self._names_differ):
            return True
        other = answer_of_tables(filled.program, self._by_spelling)
        return normal_form(other) == normal_form(answer_of(filled.program, filled.rows, SCHEMA, self.tables.aliases))

    def item(self, context: Context, filled: FilledTemplate, rng: Random, tags: Mapping[str, str]) -> Item:
        """The question, with these tags and those of its template, and its key."""
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
                    "length": format_length(context.length),
                    "sampling": context.sampling or "",
                    **tags,
                    **dict(filled.template.labels),
                },
            ),
            key,
        )

    def key(self, context: Context, filled: FilledTemplate) -> Key:
        """The key, computed twice. The question's id depends only on its context and program."""
        statement = literal(filled.program, SCHEMA)
        return Key(
            question_id=short_id("q", context.id, statement),
            answer=self._answer(filled),
            proof=self._proof(filled, statement),
        )

    def _answer(self, filled: FilledTemplate) -> Answer:
        answer = answer_of(filled.program, filled.rows, SCHEMA, self.tables.aliases)
        again = answer_of_tables(filled.program, self.tables)
        if normal_form(answer) != normal_form(again):
            raise DisagreementError(f"{literal(filled.program, SCHEMA)} gives {answer} in SQL and {again} in Python")
        return answer

    def _proof(self, filled: FilledTemplate, statement: str) -> Proof:
        """The result rows, and the spans of the selected articles that the answer depends on."""
        selected = self.tables.selected(filled.program)
        return Proof(
            program=statement,
            rows=tuple(tuple("" if value is None else str(value) for value in row) for row in filled.rows),
            passages=tuple(
                Passage(document=source.id, span=span)
                for source in (self._sources[number - 1] for number in selected)
                for span in spans_of(source, filled.template.parts_read)
            ),
        )


def answer_of_tables(program: Program, tables: ContextTables) -> Answer:
    """The answer, evaluated in Python."""
    return answer_of(program, tables.evaluation.run(program), SCHEMA, tables.aliases)


def spans_of(source: ArticleSource, needed: Collection[ArticlePart]) -> Iterator[Span]:
    """The spans of the needed parts of an article."""
    if "title" in needed:
        yield source.title_span
    if "byline" in needed and source.byline:
        yield Span(source.byline[0].span.start, source.byline[-1].span.end)
    if "references" in needed and source.references:
        yield Span(source.references[0].start, source.references[-1].end)

"""The family's part of an audit: every figure is looked up in its document, and every key is computed again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage
from fathom.records.questions import QuestionId, Response
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.family import AuditCheck, Item
from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.database import open_database
from fathom.tasks.programs.faults import Interpretation
from fathom.tasks.tables import near_misses
from fathom.tasks.tables.build import with_unit
from fathom.tasks.tables.check import check_answer
from fathom.tasks.tables.dispersion import dispersion_tags
from fathom.tasks.tables.guards import guards
from fathom.tasks.tables.key_tables import database_of, program_of, unit_of
from fathom.tasks.tables.months import MONTH, month_value
from fathom.tasks.tables.other_figures import ContextFigures
from fathom.tasks.tables.stated_facts import CURRENCY, TAG, FactReader, StatedFact, StatedFacts

_YEAR = re.compile(r"_(\d{4})$")
_WRITTEN_UNITS = {"percentage points": "个百分点", MONTH: "YYYY-MM"}
_NAMED_CURRENCY = re.compile(r"(?:and has its figures in |with figures in |仅限以)([A-Z]{3})")


class TablesAuditor:
    """Verifies items against the facts of the documents, without the code that built them."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        del seed, measured
        self._reader = FactReader(corpus)
        self._facts: dict[DocumentId, StatedFacts] = {}
        """The facts of the documents of the context."""
        self._by_entity: dict[str, list[StatedFacts]] = {}
        self._figures = ContextFigures({})
        self._checks = AuditChecks()
        self._answers: Counter[str] = Counter()

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the items of one context."""
        self._facts = self._reader.read(context.documents)
        self._figures = ContextFigures(self._facts)
        self._by_entity = defaultdict(list)
        for facts in self._facts.values():
            for entity in facts.entities:
                self._by_entity[entity].append(facts)
        for item in items:
            self._verify(context, item)
        return self._checks.failures(items)

    def results(self) -> list[AuditCheck]:
        """All checks so far, and how often the most frequent answer is correct."""
        checks = self._checks.results()
        total = self._answers.total()
        if total:
            share = round(self._answers.most_common(1)[0][1] / total, 4)
            measures = {"accuracy of always giving the most frequent answer": share}
            checks.append(AuditCheck(name="baselines", checked=total, measures=measures))
        return checks

    def _verify(self, context: Context, item: Item) -> None:
        key = item.key
        try:
            database = database_of(key)
            program = program_of(key, database)
            connection = open_database(database.schema)
            database.load(connection)
            rows = connection.execute(key.proof.program).fetchall()
            connection.close()
            unit = unit_of(key.answer)
            answers = [
                with_unit(answer_of(program, result, database.schema), unit)
                for result in (rows, database.evaluation.run(program))
            ]
        except Exception:
            # A key file may contain anything; a proof that cannot be read and run verifies nothing.
            self._checks.check("the proof can be read and run", item, False)
            return
        self._checks.check("the proof can be read and run", item, True)
        expected = normal_form(key.answer)
        for name, answer in zip(("the query", "the second evaluation"), answers, strict=True):
            self._checks.check(f"{name} reproduces the key", item, normal_form(answer) == expected)
        names_unit = any(spelling in item.question.text for spelling in (unit, _WRITTEN_UNITS.get(unit, unit)))
        self._checks.check("the question names the unit of the answer", item, names_unit)
        for name, passed in guards(program, database).items():
            self._checks.check(name, item, passed)
        self._check_figures(item)
        needed = [passage.document for passage in key.proof.passages]
        tagged = dispersion_tags(context, needed).items() <= item.question.tags.items()
        self._checks.check("the tags match the proof", item, tagged)
        if normal_form(answers[0]) == expected:
            self._checks.check_responses(item, check_answer)
            self._check_notations(item, Interpretation(program, database))
        self._answers[str(expected)] += 1

    def _check_notations(self, item: Item, reading: Interpretation) -> None:
        """Try the notations of reports, and the near misses of the family."""
        forms = near_misses.accepted_forms(item.key.answer)
        for text in dict.fromkeys(forms):
            self._checks.check("correct answers in the notation of reports are accepted", item, _accepts(item, text))
        for text in dict.fromkeys(near_misses.near_misses(item.key, self._figures.others(item.key), reading)):
            self._checks.check("answers of faulty readers are rejected", item, not _accepts(item, text))

    def _check_figures(self, item: Item) -> None:
        proof = item.key.proof
        self._checks.check("every figure has its passage", item, len(proof.rows) == len(proof.passages))
        for row, passage in zip(proof.rows, proof.passages, strict=False):
            fact = self._fact_at(passage, row)
            self._checks.check("every figure is printed in a shown document", item, fact is not None)
            if fact is not None:
                latest = self._is_latest(fact, passage.document)
                self._checks.check("no later document gives another value", item, latest)
        self._checks.check("no entity is left out unnamed", item, self._is_complete(item))

    def _fact_at(self, passage: Passage, row: tuple[str, ...]) -> StatedFact | None:
        """The fact of a shown document that prints the figure of a row."""
        facts = self._facts[passage.document].at_span(passage.span) if passage.document in self._facts else []
        return next((fact for fact in facts if _prints(fact, row)), None)

    def _is_latest(self, fact: StatedFact, document: DocumentId) -> bool:
        own = self._facts[document].year or 0
        for facts in self._by_entity[fact.entity]:
            if (facts.year or 0) <= own:
                continue
            for other in facts.facts_named(fact.name):
                if other.entity == fact.entity and other.value != fact.value and not _is_rounded(other, fact):
                    return False
        return True

    def _is_complete(self, item: Item) -> bool:
        """Whether every entity with the same facts is used, or named in the question as an exception."""
        proof = item.key.proof
        used_entities = {row[0] for row in proof.rows}
        year = max((int(match[1]) for row in proof.rows if (match := _YEAR.search(row[1]))), default=None)
        facts = [
            fact
            for row, passage in zip(proof.rows, proof.passages, strict=False)
            if (fact := self._fact_at(passage, row))
        ]
        if any(not fact.attribute for fact in facts):
            # A question about articles names those that it is about.
            return all(entity in item.question.text for entity in used_entities)
        attributes = {fact.name for fact in facts}
        units = {fact.unit for fact in facts}
        # Ratios within an entity are compared across currencies, so entities with any other currency are included.
        mixed = len({unit for unit in units if CURRENCY.fullmatch(unit)}) > 1
        # A question may be restricted to the reports in one currency, even if it asks for no amount of money.
        currency = _NAMED_CURRENCY.search(item.question.text)
        tagged = any(TAG.fullmatch(attribute) for attribute, _ in attributes)
        for document_facts in self._facts.values():
            # A document of an unknown year may be about this one.
            is_other_year = year is not None and document_facts.year not in (year, None)
            if is_other_year or (currency and currency[1] not in document_facts.currencies):
                continue
            stating = {
                fact.entity
                for name in attributes
                for fact in document_facts.facts_named(name)
                if mixed or fact.unit in units
            }
            # A filing that does not tag the figure still counts as a filing.
            entities = stating | (document_facts.filers if tagged else frozenset())
            if any(entity not in used_entities and entity not in item.question.text for entity in entities):
                return False
        return True


def _accepts(item: Item, text: str) -> bool:
    response = Response(question_id=item.question.id, outcome="answered", text=text)
    return check_answer(item.key, response).outcome == "correct"


def _prints(fact: StatedFact, row: tuple[str, ...]) -> bool:
    """Whether the fact is the figure of a row."""
    entity, _, value, scale = row
    try:
        number = month_value(value) or Decimal(value) * Decimal(scale) if value else None
    except InvalidOperation:
        return False
    return fact.entity == entity and fact.value == number


def _is_rounded(other: StatedFact, fact: StatedFact) -> bool:
    """Whether the other value may be this one in fewer digits."""
    if other.value is None or fact.value is None or fact.unit == MONTH:
        return False
    digits = len(other.value.normalize().as_tuple().digits)
    rounded = fact.value.normalize()
    shift = rounded.adjusted() - digits + 1
    return abs(rounded - other.value) <= Decimal(1).scaleb(shift) * Decimal("0.51")

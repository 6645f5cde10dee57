"""The family's part of an audit: every figure is looked up in its document, and every key is computed again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Fact
from fathom.records.questions import QuestionId
from fathom.scoring.answers import Number
from fathom.scoring.check import check_response
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.family import AuditCheck, Item
from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.database import open_database
from fathom.tasks.tables.build import with_unit
from fathom.tasks.tables.dispersion import documents_tag, spread_tag
from fathom.tasks.tables.key_tables import database_of, program_of

_YEAR = re.compile(r"_(\d{4})$")
_TAG = re.compile(r"[\w-]+:\w+")
_CURRENCY = re.compile(r"[A-Z]{3}(?=/|$)")
_NAMED_CURRENCY = re.compile(r"(?:and is in |仅限以)([A-Z]{3})")

CACHED = 2_000
"""Documents whose facts are cached."""


@dataclass(frozen=True)
class _StatedFacts:
    """The facts of one document about whole entities."""

    year: int | None
    length: int
    at: dict[tuple[int, int], Fact]
    """By the span that prints them."""
    of: dict[tuple[str, str], list[Fact]]
    """By attribute and period."""
    entities: frozenset[str]
    currencies: frozenset[str]
    filers: frozenset[str]
    """The entities of its tagged facts."""


class TablesAuditor:
    """Verifies items against the facts of the documents, without the code that built them."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        del seed, measured
        self._corpus = corpus
        self._facts = lru_cache(maxsize=CACHED)(self._read_facts)
        self._checks = AuditChecks()
        self._answers: Counter[str] = Counter()

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the items of one context."""
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

    def _read_facts(self, id: DocumentId) -> _StatedFacts:
        document = self._corpus.document(id)
        whole = [fact for fact in document.facts if not fact.part]
        of: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in whole:
            of[fact.attribute, fact.period].append(fact)
        return _StatedFacts(
            document.year,
            len(document.text),
            {(fact.span.start, fact.span.end): fact for fact in whole},
            dict(of),
            frozenset(fact.entity for fact in whole),
            frozenset(found[0] for fact in whole if (found := _CURRENCY.match(fact.unit))),
            frozenset(fact.entity for fact in whole if _TAG.fullmatch(fact.attribute)),
        )

    def _verify(self, context: Context, item: Item) -> None:
        key = item.key
        try:
            database = database_of(key)
            program = program_of(key, database)
            opened = open_database(database.schema)
            database.load(opened)
            rows = opened.execute(key.proof.program).fetchall()
            opened.close()
            unit = key.answer.unit if isinstance(key.answer, Number) else ""
            answers = [
                with_unit(answer_of(program, found, database.schema), unit)
                for found in (rows, database.evaluation.run(program))
            ]
        except Exception:
            # A key file may contain anything; a proof that cannot be read and run verifies nothing.
            self._checks.check("the proof can be read and run", item, False)
            return
        self._checks.check("the proof can be read and run", item, True)
        wanted = normal_form(key.answer)
        for name, answer in zip(("the query", "the second evaluation"), answers, strict=True):
            self._checks.check(f"{name} reproduces the key", item, normal_form(answer) == wanted)
        self._checks.check("the question names the unit of the answer", item, unit in item.question.text)
        self._check_figures(context, item)
        needed = [passage.document for passage in key.proof.passages]
        tags = item.question.tags
        tagged = tags.get("documents") == documents_tag(needed) and tags.get("spread") == spread_tag(context, needed)
        self._checks.check("the tags match the proof", item, tagged)
        if normal_form(answers[0]) == wanted:
            self._checks.check_responses(item, check_response)
        self._answers[str(wanted)] += 1

    def _check_figures(self, context: Context, item: Item) -> None:
        proof, shown = item.key.proof, set(context.documents)
        self._checks.check("every figure has its passage", item, len(proof.rows) == len(proof.passages))
        stated: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for row, passage in zip(proof.rows, proof.passages, strict=False):
            fact = (
                self._facts(passage.document).at.get((passage.span.start, passage.span.end))
                if passage.document in shown
                else None
            )
            self._checks.check(
                "every figure is printed in a shown document", item, fact is not None and _prints(fact, row)
            )
            if fact is not None:
                stated[row[1]].add((fact.attribute, fact.period))
                latest = self._is_latest(context, fact, passage.document)
                self._checks.check("no later document gives another value", item, latest)
        self._checks.check("no entity is left out unnamed", item, self._is_complete(context, item))

    def _is_latest(self, context: Context, fact: Fact, document: DocumentId) -> bool:
        own = self._facts(document).year or 0
        for id in context.documents:
            facts = self._facts(id)
            if (facts.year or 0) <= own or fact.entity not in facts.entities:
                continue
            for other in facts.of.get((fact.attribute, fact.period), ()):
                if other.entity == fact.entity and other.value != fact.value and not _is_rounded(other, fact):
                    return False
        return True

    def _is_complete(self, context: Context, item: Item) -> bool:
        """Whether every entity with the same facts is used, or named in the question as an exception."""
        proof, shown = item.key.proof, set(context.documents)
        used = {row[0] for row in proof.rows}
        year = max((int(found[1]) for row in proof.rows if (found := _YEAR.search(row[1]))), default=None)
        facts = [
            fact
            for passage in proof.passages
            if passage.document in shown
            and (fact := self._facts(passage.document).at.get((passage.span.start, passage.span.end)))
        ]
        attributes = {(fact.attribute, fact.period) for fact in facts}
        units = {fact.unit for fact in facts}
        # A question may be restricted to the reports in one currency, even if it asks for no amount of money.
        currency = _NAMED_CURRENCY.search(item.question.text)
        tagged = any(_TAG.fullmatch(attribute) for attribute, _ in attributes)
        for id in context.documents:
            stated = self._facts(id)
            if (year is not None and stated.year != year) or (currency and currency[1] not in stated.currencies):
                continue
            same = {fact.entity for key in attributes for fact in stated.of.get(key, ()) if fact.unit in units}
            # A filing that does not tag the figure is a filing nevertheless.
            entities = same | (stated.filers if tagged else frozenset())
            if any(entity not in used and entity not in item.question.text for entity in entities):
                return False
        return True


def _prints(fact: Fact, row: tuple[str, ...]) -> bool:
    """Whether the fact is the figure of a row."""
    entity, _, value, scale = row
    try:
        number = Decimal(value) * Decimal(scale) if value else None
    except InvalidOperation:
        return False
    return fact.entity == entity and fact.value == number


def _is_rounded(other: Fact, fact: Fact) -> bool:
    """Whether the other value may be this one in fewer digits."""
    if other.value is None or fact.value is None:
        return False
    digits = len(other.value.normalize().as_tuple().digits)
    rounded = fact.value.normalize()
    shift = rounded.adjusted() - digits + 1
    return abs(rounded - other.value) <= Decimal(1).scaleb(shift) * Decimal("0.51")

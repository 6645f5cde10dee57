"""The family's part of an audit: recomputes everything that can be verified from the files."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Passage
from fathom.records.lengths import format_length
from fathom.records.questions import QuestionId, Response
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Unanswerable, ValueSet
from fathom.scoring.check import check_response
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.family import AuditCheck, Item
from fathom.tasks.numeric import audit_responses
from fathom.tasks.numeric.audit_cells import CellAudit, completions
from fathom.tasks.numeric.build import answer_of_tables
from fathom.tasks.numeric.mutants import is_equivalent, random_tables
from fathom.tasks.numeric.predictability import samples
from fathom.tasks.numeric.schema import SCHEMA, ArticlePart, parts_read, skill, topic
from fathom.tasks.numeric.sources import ArticleSource, read_source
from fathom.tasks.numeric.tables import ContextTables, build_tables, open_database
from fathom.tasks.numeric.template_trials import STEPS
from fathom.tasks.numeric.user_templates import parse
from fathom.tasks.numeric.wording import is_wording
from fathom.tasks.programs.answers import answer_of, normal_form
from fathom.tasks.programs.evaluate import TableRow
from fathom.tasks.programs.mutants import Mutant, constants, mutants, result_form
from fathom.tasks.programs.predictability import Sample, cross_validated_auc
from fathom.tasks.programs.sql import literal
from fathom.tasks.programs.tree import Program

CACHED = 128
"""Documents that stay open: the next check of the same context reads them again."""

SHUFFLES = 12
"""The number of random row orders that are tried; the answer must be the same in each."""

DATABASES = 40
"""Random collections on which mutants are run."""

CLOCK_CHECKS = 100
"""How often the deadline is checked within the time limit of a statement."""

MUTATED_ITEMS = 200
"""Items whose mutants are run: enough to estimate the share of undetected mutants to about one percentage point."""


class NumericAuditor:
    """Verifies items against the articles, without the code that built them."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        self._seed = seed
        self._measured = measured
        self._database = _Database()
        self._record = lru_cache(maxsize=CACHED)(corpus.bibliographic_record)
        self._read: dict[str, tuple[ArticleSource, int]] = {}
        self._cells = CellAudit(self._record)
        self._checks = AuditChecks()
        self._answers: dict[str, Counter[str]] = defaultdict(Counter)
        self._degenerate: Counter[str] = Counter()
        self._mutants: Counter[str] = Counter()
        self._mutated = 0
        self._halves: tuple[list[Sample], list[Sample]] = [], []
        """The questions of every other context, for a classifier trained on one half and tested on the other."""
        self._contexts = 0

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the items of one context."""
        tables = build_tables([self._source(id) for id in context.documents])
        by_spelling = build_tables([self._source(id) for id in context.documents], naming="spellings")
        self._database.load(tables)
        sound = [item for item in items if self._verify(context, item, tables, by_spelling)]
        if self._measured:
            self._halves[self._contexts % 2].extend(samples(sound))
            self._contexts += 1
        if sound:
            self._shuffle(sound, tables)
            self._check_cells(context, sound, tables)
        if self._measured and self._mutated < MUTATED_ITEMS:
            self._mutated += self._try_mutants(sound, tables)
        return self._checks.failures(items)

    def _source(self, id: str) -> ArticleSource:
        return self._open_source(id)[0]

    def _open_source(self, id: str) -> tuple[ArticleSource, int]:
        if id not in self._read:
            article = self._record(id)
            self._read[id] = read_source(article, unlinked=False), len(article.text)
        return self._read[id]

    # Checks.

    def _verify(self, context: Context, item: Item, tables: ContextTables, by_spelling: ContextTables) -> bool:
        key = item.key
        statement = key.proof.program
        try:
            program = _parse_cached(statement)
            answer = answer_of(program, self._database.rows(statement), SCHEMA, tables.aliases)
            again = answer_of_tables(program, tables)
            answer_by_spelling = answer_of_tables(program, by_spelling)
        except Exception:
            # A key file may contain anything; a statement that cannot be parsed and run verifies nothing.
            self._checks.check("the query can be parsed and run", item, False)
            return False
        self._checks.check("the query can be parsed and run", item, True)
        reproduced = _same_answer(answer, key.answer)
        self._checks.check("the query reproduces the key", item, reproduced)
        self._checks.check("the second evaluation reproduces the key", item, _same_answer(again, key.answer))
        ambiguous = not _same_answer(answer_by_spelling, key.answer) or tables.confuses_people(program)
        self._checks.check("ambiguous names do not change the answer", item, not ambiguous)
        self._check_passages(context, item, program, tables)
        self._checks.check("the wording is complete", item, not _is_badly_worded(item.question.text))
        self._checks.check("the wording matches the program", item, is_wording(item.question.text, program))
        self._checks.check("the tags match the program", item, _is_tagged(item, program, context))
        if reproduced:  # correct answers and near misses are derived from the key
            self._checks.check_responses(item, check_response)
            self._check_forms(item, tables)
        self._note(key.answer)
        return True

    def _check_forms(self, item: Item, tables: ContextTables) -> None:
        for name, responses, correct in (
            ("correct answers are accepted", audit_responses.accepted_forms(item.key.answer), True),
            ("near misses are rejected", audit_responses.near_misses(item.key.answer, tables), False),
        ):
            for text in responses:
                response = Response(question_id=item.question.id, outcome="answered", text=text)
                passed = (check_response(item.key, response).outcome == "correct") == correct
                self._checks.check(name, item, passed)

    def _check_passages(self, context: Context, item: Item, program: Program, tables: ContextTables) -> None:
        passages, documents = item.key.proof.passages, set(context.documents)
        for passage in passages:
            inside = passage.document in documents and passage.span.end <= self._open_source(passage.document)[1]
            self._checks.check("every passage lies in a shown document", item, inside)
        self._checks.check("the passages are the required ones", item, passages == _required_passages(program, tables))

    def _shuffle(self, items: list[Item], tables: ContextTables) -> None:
        """The same rows in other orders: no answer may depend on the order of rows."""
        rng = rng_for(self._seed, "shuffle", items[0].question.id)
        last_rows: dict[QuestionId, list[TableRow]] = {}
        for _ in range(SHUFFLES):
            self._database.load(_shuffle(tables, rng))
            for item in items:
                rows = self._database.rows(item.key.proof.program)
                # Most results come in the same order, and need not be turned into an answer again.
                if rows != last_rows.get(item.question.id):
                    answer = answer_of(_parse_cached(item.key.proof.program), rows, SCHEMA, tables.aliases)
                    if _same_answer(answer, item.key.answer):
                        last_rows[item.question.id] = rows
                is_unchanged = rows == last_rows.get(item.question.id)
                self._checks.check("the order of rows does not change the answer", item, is_unchanged)
        self._database.load(tables)

    def _check_cells(self, context: Context, items: list[Item], tables: ContextTables) -> None:
        """No answer may depend on something unknown, and what is counted must be in the text."""
        statements = [item.key.proof.program for item in items]
        touching = {cell_statement for cell_statement in statements if self._cells.lacks_rows(context, cell_statement)}
        if unknown := self._cells.unknown(context):
            rng = rng_for(self._seed, "completions", context.id)
            for completed in completions(tables, unknown, statements, rng):
                self._database.load(completed)
                touching.update(item.key.proof.program for item in items if not self._is_stable(item))
            self._database.load(tables)
        for item in items:
            statement = item.key.proof.program
            self._checks.check("no question depends on an unknown value", item, statement not in touching)
            backed = self._cells.is_backed(context, statement)
            self._checks.check("the counted names and references are in the text", item, backed)

    def _is_stable(self, item: Item) -> bool:
        try:
            rows = self._database.rows(item.key.proof.program)
            return _same_answer(answer_of(_parse_cached(item.key.proof.program), rows, SCHEMA), item.key.answer)
        except (ArithmeticError, TypeError, ValueError):
            return False

    def _try_mutants(self, items: list[Item], tables: ContextTables) -> int:
        """Count the single-edit mutants that the collection, or any of many others, does not detect."""
        for item in items:
            program = _parse_cached(item.key.proof.program)
            candidates = list(mutants(program, SCHEMA))
            undetected = self._equal_mutants(program, candidates, tables)
            left = self._undetected_anywhere(program, undetected, item.key.proof.program)
            # An equivalent mutant has the same meaning, and is not counted.
            equivalent = [mutant for mutant in left if is_equivalent(program, mutant.program)]
            for step, counted in (("made", candidates), ("on the collection", undetected), ("anywhere", left)):
                self._mutants.update(f"{mutant.kind}: {step}" for mutant in counted)
                self._mutants.subtract(f"{mutant.kind}: {step}" for mutant in equivalent)
        self._database.load(tables)
        return len(items)

    def _undetected_anywhere(self, program: Program, left: list[Mutant], statement: str) -> list[Mutant]:
        rng = rng_for(self._seed, "databases", statement)
        program_constants = constants(program)
        for _ in range(DATABASES):
            if not left:
                break
            left = self._equal_mutants(program, left, random_tables(rng, program_constants))
        return left

    def _equal_mutants(self, program: Program, candidates: list[Mutant], tables: ContextTables) -> list[Mutant]:
        """The mutants that give the program's result on these tables."""
        self._database.load(tables)
        result = result_form(program, self._database.rows(literal(program, SCHEMA)))
        undetected = []
        for mutant in candidates:
            try:
                rows = self._database.rows(literal(mutant.program, SCHEMA))
            except sqlite3.Error:
                continue
            if result_form(mutant.program, rows) == result:
                undetected.append(mutant)
        return undetected

    # Statistics.

    def _note(self, answer: Answer) -> None:
        self._answers[answer.type][str(normal_form(answer))] += 1
        match answer:
            case Number(value=value) if value in (0, 1):
                self._degenerate["answers of zero or one"] += 1
            case Ranking(groups=groups) if len(groups) < 2:
                self._degenerate["rankings of a single group"] += 1
            case Unanswerable():
                self._degenerate["unanswerable questions"] += 1
            case ValueSet(items=items) | Multiset(items=items) if len(items) == 1:
                self._degenerate["lists of one value"] += 1
            case Rows(rows=rows) if len(rows) == 1:
                self._degenerate["tables of one row"] += 1

    def results(self) -> list[AuditCheck]:
        """Every check, the baselines, and the share of undetected mutants."""
        checks = self._checks.results()
        total = sum(sum(counter.values()) for counter in self._answers.values())
        if not total:
            return checks
        majority = max(count for counter in self._answers.values() for count in counter.values())
        baselines = {f"share of {name}": round(count / total, 4) for name, count in sorted(self._degenerate.items())}
        baselines["accuracy of always giving the most frequent answer"] = round(majority / total, 4)
        checks.append(AuditCheck(name="baselines and degenerate answers", checked=total, measures=baselines))
        checks.append(AuditCheck(name="undetected mutants", checked=self._count_mutants(), measures=self._undetected()))
        auc = cross_validated_auc(self._halves)
        if auc is not None:
            name, compared = "unanswerable questions guessed from their wording", sum(map(len, self._halves))
            measures = {"AUC of naive Bayes (chance 50%)": round(auc, 4)}
            checks.append(AuditCheck(name=name, checked=compared, measures=measures))
        return checks

    def _count_mutants(self) -> int:
        return sum(count for name, count in self._mutants.items() if name.endswith(": made"))

    def _undetected(self) -> dict[str, float]:
        """The share of undetected mutants, overall and by kind of edit."""
        kinds = sorted({name.split(":")[0] for name in self._mutants})
        shares: dict[str, float] = {}
        for place in ("on the collection", "anywhere"):
            undetected = sum(self._mutants[f"{kind}: {place}"] for kind in kinds)
            shares[f"all: {place}"] = round(undetected / max(1, self._count_mutants()), 4)
        for kind in kinds:
            total = self._mutants[f"{kind}: made"]
            shares[f"{kind}: anywhere"] = round(self._mutants[f"{kind}: anywhere"] / max(1, total), 4)
        return shares


class _Database:
    """The tables of one collection after another; a statement that takes too long is stopped."""

    def __init__(self) -> None:
        self._open = open_database()
        self._ticks = 0
        # SQLite counts the steps of a prepared statement over all its runs; what one run takes is counted here.
        self._open.set_progress_handler(self._is_late, STEPS // CLOCK_CHECKS)

    def _is_late(self) -> bool:
        self._ticks += 1
        return self._ticks > CLOCK_CHECKS

    def load(self, tables: ContextTables) -> None:
        self._ticks = 0
        tables.load(self._open)

    def rows(self, statement: str) -> list[TableRow]:
        self._ticks = 0
        return self._open.execute(statement).fetchall()


def _same_answer(left: Answer, right: Answer) -> bool:
    return normal_form(left) == normal_form(right)


@lru_cache(maxsize=10_000)
def _parse_cached(statement: str) -> Program:
    """The program of a statement; it is needed once for every order of rows."""
    return parse(statement)


def _shuffle(tables: ContextTables, rng: Random) -> ContextTables:
    return tables.replaced(**{name: tuple(rng.sample(rows, len(rows))) for name, rows in tables.rows.items()})


def _required_passages(program: Program, tables: ContextTables) -> tuple[Passage, ...]:
    """The spans of the needed parts of the selected articles."""
    parts = parts_read(program)
    return tuple(
        Passage(document=source.id, span=span)
        for source in (tables.sources[number - 1] for number in tables.selected(program))
        for part, span in _places(source)
        if part in parts
    )


def _places(source: ArticleSource) -> Iterator[tuple[ArticlePart, Span]]:
    """The parts of an article, in the order of a proof's passages."""
    yield "title", source.title_span
    if source.byline:
        yield "byline", Span(source.byline[0].span.start, source.byline[-1].span.end)
    if source.references:
        yield "references", Span(source.references[0].start, source.references[-1].end)


def _is_tagged(item: Item, program: Program, context: Context) -> bool:
    """Whether the tags are those of the program and the context; labels of a user's templates are not checked."""
    expected = {
        "skill": skill(program),
        "topic": topic(program),
        "length": format_length(context.length),
        "sampling": context.sampling or "",
    }
    return item.question.split == context.split and expected.items() <= item.question.tags.items()


def _is_badly_worded(text: str) -> bool:
    return bool(re.search(r"[{}]|  |\bNone\b|Slot\(|\s[.,?]|\(\)", text)) or not text.endswith((".", "?"))

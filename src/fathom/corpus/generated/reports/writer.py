"""A report written section by section: every figure that is printed is noted as a fact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Literal, NamedTuple

from fathom.corpus.generated.draft import Draft
from fathom.corpus.generated.reports.entity import Entity
from fathom.corpus.generated.reports.ledger import FIRST_YEAR, Book, Key, Status
from fathom.corpus.generated.reports.pack import Bullets, Pack, Paragraph, Passage, Statement, TableSpec
from fathom.corpus.generated.reports.style import Manner, Printed
from fathom.corpus.generated.reports.templates import Condition, Figure, Indefinite, Label, Template, Word
from fathom.records.documents import Fact
from fathom.records.rng import rng_for
from fathom.records.spans import Span

# "an" stands before a vowel that is heard, and before 8, 11 and 18.
_WANTS_AN = re.compile(r"(?!(?:uni|use|usu|eu|one\b|once\b|uk\b))[aeiou]|(?:8|11\b|18\b)|hour|honest", re.IGNORECASE)


class Planted(NamedTuple):
    """A piece of text and the figure that it prints, if it prints one."""

    text: str
    key: Key | None = None
    value: Decimal | None = None
    status: Status = "reported"


class Head(NamedTuple):
    """The label of a row or column, and what it fixes about the figures beside or below it."""

    label: str
    metric: str | None = None
    period: str | None = None
    part: str | None = None


@dataclass
class Chooser:
    """Picks among ways to say things, those least used so far first, so that a report seldom repeats itself."""

    rng: Random
    used: Counter[int] = field(default_factory=Counter)

    def pick(self, ways: Sequence[Template]) -> Template:
        """One of `ways`, which is not empty."""
        if len(ways) == 1:
            return ways[0]
        # The pack is loaded once and kept, so that a template's identity names it for as long as the chooser lives.
        counts = [self.used[id(way)] for way in ways]
        least = min(counts)
        way = self.rng.choice([way for way, count in zip(ways, counts, strict=True) if count == least])
        self.used[id(way)] += 1
        return way


class ReportWriter:
    """Writes one report of one entity; `draft` and `facts` hold what came of it."""

    def __init__(self, entity: Entity, pack: Pack, year: int) -> None:
        """A writer of the entity's report on `year`, with nothing written yet."""
        self.draft = Draft(joiner="" if pack.language == "zh" else " ")
        self.facts: list[Fact] = []
        self._entity, self._pack, self._year, self._style = entity, pack, year, entity.style
        self._book: Book = entity.book(year)
        self._words: dict[str, str] = {**entity.words, **_years(year)}
        restatement = entity.restatements.get(year)
        self._restated = restatement.reason if restatement else None
        if restatement:
            self._words |= restatement.words
        self._chooser = Chooser(self._rng("prose", year))

    def write(self) -> Span:
        """Write the whole report; returns where its title stands."""
        lasting = self._rng("layout")
        self.draft.write("# ")
        where = self.draft.write(title_of(self._entity, self._pack, self._year))
        self.draft.write("\n\n")
        self._body(self._pack.front)
        groups = [lasting.sample(group, len(group)) for group in self._pack.order]
        passages = [self._pack.sections[name] for group in groups for name in group]
        for number, passage in enumerate(filter(self._wanted, passages), start=1):
            numeral = self._style.numerals[number - 1] if self._style.numerals else str(number)
            self._section(passage, prefix=self._style.numbering.format(n=numeral))
        return where

    def _rng(self, *names: str | int) -> Random:
        origin = self._entity.origin
        return rng_for(origin.seed, origin.domain, *names, origin.number)

    def _wanted(self, passage: Passage) -> bool:
        return passage.least <= self._entity.fullness and passage.restated in (None, self._restated)

    # Passages

    def _section(self, passage: Passage, prefix: str = "", level: int = 2) -> None:
        """A headed passage; a steady one draws on chance of its own, which is the same every year."""
        outer = self._chooser
        # A steady passage inside another continues the outer one's draws.
        if passage.steady and level == 2:
            self._chooser = Chooser(self._rng("steady", passage.id))
        # Headings are the entity's habit, so that its reports look alike.
        heading = Chooser(self._rng("heading", passage.id)).pick(passage.headings)
        with self.draft.section(prefix + self._phrase(heading), level=level):
            if passage.each is None:
                self._body(passage, level)
            else:
                for part in self._entity.parts[passage.each]:
                    self._words["part"] = part
                    with self.draft.section(part, level=level + 1):
                        self._body(passage, level + 1)
        self._chooser = outer

    def _body(self, passage: Passage, level: int = 2) -> None:
        for element in self._kept(passage):
            match element:
                case Paragraph(statements):
                    self._paragraph(statements)
                case Bullets(statements):
                    for statement in statements:
                        self._paragraph((statement,), mark="- ")
                case TableSpec():
                    self._table(element)
                case Passage():
                    self._section(element, level=level + 1)

    def _kept(self, passage: Passage) -> Iterator[Paragraph | Bullets | TableSpec | Passage]:
        """The elements of the body that this report has, in their order."""
        body = [element for element in passage.body if not isinstance(element, Passage) or self._wanted(element)]
        if passage.pick is None:
            yield from body
            return
        low, high = passage.pick
        count = round(len(body) * (low + (high - low) * self._entity.fullness))
        chosen = self._rng("pick", passage.id).sample(range(len(body)), min(count, len(body)))
        yield from (body[place] for place in sorted(chosen))

    # Prose

    def _paragraph(self, statements: Sequence[Statement], mark: str = "") -> None:
        """A paragraph of those statements that can be made; nothing at all when there is none."""
        said = [pieces for statement in statements if (pieces := self._say(statement))]
        if not said:
            return
        with self.draft.paragraph():
            self.draft.write(mark)
            for pieces in said:
                with self.draft.sentence():
                    for piece in pieces:
                        self._note(piece, self.draft.write(piece.text), "prose")

    def _say(self, statement: Statement) -> list[Planted]:
        """One way to make the statement, filled; empty where it cannot be made or silence was drawn."""
        ways = [way for way in statement if self._fits(way)]
        return _polished(list(self._fill(self._chooser.pick(ways)))) if ways else []

    def _phrase(self, template: Template) -> str:
        return "".join(piece.text for piece in _polished(list(self._fill(template))))

    def _fits(self, template: Template) -> bool:
        """Whether the template's figures are there to print and its conditions hold."""
        return all(map(self._printable, template.figures)) and all(map(self._holds, template.conditions))

    def _printable(self, figure: Figure) -> bool:
        """Whether the figure is disclosed, or withheld where the template says so."""
        if figure.manner == "withheld":
            return self._book.now.get(self._key(figure, figure.years_back), 0) is None
        return self._amount(figure) is not None

    def _holds(self, condition: Condition) -> bool:
        figure = condition.figure
        amount = self._amount(figure)
        if amount is None:
            return False
        if condition.test in "+-":
            return amount > 0 if condition.test == "+" else amount < 0
        before = self._book.now.get(self._key(figure, years_back=figure.years_back + 1))
        return before is not None and (amount > before if condition.test == ">" else amount < before)

    def _amount(self, figure: Figure) -> int | None:
        source = self._book.before if figure.manner == "before" else self._book.now
        return source.get(self._key(figure, figure.years_back))

    def _key(self, figure: Figure, years_back: int) -> Key:
        year = self._year - years_back
        period = f"{year}-Q{figure.quarter}" if figure.quarter else str(year)
        return Key(figure.metric, period, self._words[figure.part] if figure.part else "")

    def _fill(self, template: Template) -> Iterator[Planted]:
        """The template's pieces with all slots filled; one sentence rounds all its sums of money or none."""
        in_full = self._needs_full_figures(template) or (template.figures and self._chooser.rng.random() < 0.3)
        for piece in template.pieces:
            match piece:
                case str():
                    yield Planted(piece)
                case Word(name) if name in self._words:
                    yield Planted(self._words[name])
                case Word(name):
                    yield from self._fill(self._chooser.pick([way for way in self._ways(name) if self._fits(way)]))
                case Label(metric):
                    yield Planted(_lowered(self._style.labels[metric]))
                case Indefinite():
                    yield Planted("a")
                case Figure():
                    yield from self._figure(piece, "exact" if in_full and piece.manner == "usual" else piece.manner)

    def _ways(self, phrase: str) -> Statement:
        """The pack's ways to word a phrase: those for the part at hand where it has its own."""
        own = f"{phrase} of {self._words.get('part', '')}"
        return self._pack.phrases.get(own) or self._pack.phrases[phrase]

    def _needs_full_figures(self, template: Template) -> bool:
        """Whether rounding would hide what the sentence says: that a figure was corrected, or that two differ."""
        usual = [figure for figure in template.figures if figure.manner == "usual"]
        entries = [self._book.entry(self._key(figure, figure.years_back)) for figure in usual]
        if any(entry.status == "restated" for entry in entries):
            return True
        shown = [
            (figure.metric, figure.part, self._style.in_prose(self._pack.metrics[figure.metric], amount, "usual").text)
            for figure, (amount, _) in zip(usual, entries, strict=True)
            if amount is not None
        ]
        return len(set(shown)) < len(shown)

    def _figure(self, figure: Figure, manner: Manner) -> Iterator[Planted]:
        """The figure with its currency and scale around it."""
        key = self._key(figure, figure.years_back)
        entry = self._book.earlier(key) if manner == "before" else self._book.entry(key)
        if entry.amount is None:
            yield Planted(self._style.missing_in_prose, key, None, entry.status)
            return
        printed = self._style.in_prose(self._pack.metrics[figure.metric], entry.amount, manner)
        yield Planted(printed.before)
        yield Planted(printed.text, key, printed.value, entry.status)
        yield Planted(printed.after)

    # Tables

    def _table(self, spec: TableSpec) -> None:
        """A captioned table; each of its figures is noted."""
        rows = [*self._axis(spec.rows)]
        columns = [*self._axis(spec.columns)]
        if "years" in spec.columns[0] and not self._style.newest_first:
            columns.reverse()
        whole = Head("", spec.metric, str(self._year), self._words[spec.part] if spec.part else "")
        keys = [[_merged(row, column, whole) for column in columns] for row in rows]
        unit = self._shared_unit(spec, keys)
        heads = [self._column_label(column, [line[at] for line in keys]) for at, column in enumerate(columns)]
        printed = [[self._cell(key) for key in line] for line in keys]
        labels = [self._label(row, shared_unit=unit) for row in rows]
        lines = [[label, *(cell.text for cell in line)] for label, line in zip(labels, printed, strict=True)]
        table = self.draft.table(self._caption(spec, unit), [[spec.corner, *heads], *lines])
        width = len(columns) + 1
        for at_row, line in enumerate(keys):
            for at_column, key in enumerate(line):
                cell = table.cells[(at_row + 1) * width + at_column + 1]
                shown = printed[at_row][at_column]
                planted = Planted(shown.text, key, shown.value, self._book.entry(key).status)
                self._note(planted, cell.span, "table")

    def _cell(self, key: Key) -> Printed:
        return self._style.in_table(self._pack.metrics[key.metric], self._book.now[key])

    def _shared_unit(self, spec: TableSpec, keys: Sequence[Sequence[Key]]) -> str:
        """The unit that the caption gives: the one metric's, or that of money where the rows are metrics."""
        metrics = [self._pack.metrics[line[0].metric] for line in keys]
        if spec.metric is not None:
            return "" if metrics[0].kind == "count" else self._style.row_unit(metrics[0])
        rows_are_metrics = spec.rows[0] in self._pack.metrics
        return self._style.money_unit if rows_are_metrics and any(m.kind == "money" for m in metrics) else ""

    def _caption(self, spec: TableSpec, unit: str) -> str:
        pattern = self._style.caption_with_unit if unit else self._style.caption
        text = self._phrase(Chooser(self._rng("caption", len(self.draft.tables))).pick(spec.captions))
        return pattern.format(n=len(self.draft.tables) + 1, caption=text, unit=unit)

    def _axis(self, spec: Sequence[str]) -> Iterator[Head]:
        """The heads of the rows or of the columns."""
        name, _, rest = spec[0].partition(":")
        match name:
            case "years":
                first = max(FIRST_YEAR - 1, self._year - int(rest) + 1)
                yield from (self._year_head(year) for year in range(self._year, first - 1, -1))
            case "quarters" | "quarters@-1":
                year = self._year - (name != "quarters")
                for number, label in enumerate(self._style.quarter_columns, start=1):
                    yield Head(label.format(year=year), period=f"{year}-Q{number}")
                yield self._year_head(year)
            case "parts":
                yield from (Head(part, part=part) for part in self._entity.parts[rest])
                yield Head(self._rng("whole").choice(self._pack.whole).format(**self._words), part="")
            case _:
                yield from (self._metric_head(metric) for metric in spec)

    def _year_head(self, year: int) -> Head:
        return Head(self._style.year_column.format(year=year), period=str(year))

    def _metric_head(self, spec: str) -> Head:
        """A metric, with its year where it is not the current one's alone: "revenue@-1"."""
        metric, at, back = spec.partition("@")
        if not at:
            return Head(self._style.labels[metric], metric=metric)
        year = self._year + int(back)
        return Head(f"{self._style.labels[metric]} {self._style.year_column.format(year=year)}", metric, str(year))

    def _label(self, head: Head, shared_unit: str) -> str:
        """The label with its unit, unless the caption gives it."""
        if head.metric is None:
            return head.label
        metric = self._pack.metrics[head.metric]
        unit = self._style.row_unit(metric)
        if not unit or unit == shared_unit:
            return head.label
        return self._style.label_with_unit.format(label=head.label, unit=unit)

    def _column_label(self, head: Head, keys: Sequence[Key]) -> str:
        label = self._label(head, shared_unit="")
        restated = any(self._book.entry(key).status == "restated" for key in keys)
        return self._style.restated_column.format(label=label) if restated else label

    # Facts

    def _note(self, piece: Planted, span: Span, place: Literal["table", "prose"]) -> None:
        """Note the fact that `piece` prints, if it prints one."""
        key = piece.key
        if key is None:
            return
        metric, name = self._pack.metrics[key.metric], self._entity.name
        self.facts.append(
            Fact(
                entity=name,
                part=key.part or "",
                attribute=key.metric,
                period=key.period,
                value=piece.value,
                unit=self._style.unit(metric),
                span=span,
                status=piece.status,
                place=place,
            )
        )


def title_of(entity: Entity, pack: Pack, year: int) -> str:
    """The title of the entity's report on `year`; its reports differ in the year alone."""
    origin = entity.origin
    pattern = rng_for(origin.seed, origin.domain, "title", origin.number).choice(pack.titles)
    return pattern.format(name=entity.name, year=year)


def _years(year: int) -> Mapping[str, str]:
    return {"year": str(year), "prior": str(year - 1), "next": str(year + 1)}


def _merged(*heads: Head) -> Key:
    """What the figure is of where the heads meet; the first that says something counts."""
    _, metric, period, part = (next(filter(None, said), "") for said in zip(*heads, strict=True))
    return Key(metric, period, part)


def _polished(pieces: list[Planted]) -> list[Planted]:
    """The pieces with a capital at the start and "an" where "a" would be wrong."""
    for at, piece in enumerate(pieces):
        if piece.text == "a" and piece.key is None:
            following = "".join(later.text for later in pieces[at + 1 : at + 4]).lstrip()
            pieces[at] = Planted("an" if _WANTS_AN.match(following) else "a")
    if pieces and pieces[0].key is None:
        pieces[0] = Planted(pieces[0].text[:1].upper() + pieces[0].text[1:])
    return pieces


def _lowered(label: str) -> str:
    """A label inside a sentence: "Net sales" as "net sales", "EBITDA" as it is."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]

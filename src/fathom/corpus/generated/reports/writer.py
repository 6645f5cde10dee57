"""Writes a report section by section; every printed figure is recorded as a fact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Literal, NamedTuple

from fathom.corpus.generated.draft import Draft
from fathom.corpus.generated.reports.entity import Entity
from fathom.corpus.generated.reports.ledger import FIRST_YEAR, FigureKey, KnownFigures, Status
from fathom.corpus.generated.reports.pack import (
    Bullets,
    LanguagePack,
    ParagraphTemplate,
    SectionTemplate,
    Statement,
    TableSpec,
)
from fathom.corpus.generated.reports.style import FigureForm, PrintedFigure
from fathom.corpus.generated.reports.templates import (
    FigureCondition,
    FigureSlot,
    IndefiniteArticle,
    LabelSlot,
    SentenceTemplate,
    Word,
)
from fathom.records.documents import Fact
from fathom.records.rng import rng_for
from fathom.records.spans import Span

# "an" is used before a vowel sound, and before 8, 11 and 18.
_TAKES_AN = re.compile(r"(?!(?:uni|use|usu|eu|one\b|once\b|uk\b))[aeiou]|(?:8|11\b|18\b)|hour|honest", re.IGNORECASE)


class TextPiece(NamedTuple):
    """A piece of text and the figure that it prints, if it prints one."""

    text: str
    key: FigureKey | None = None
    value: Decimal | None = None
    status: Status = "reported"


class AxisLabel(NamedTuple):
    """The label of a row or column, and the parts of the key that its figures share; None where they differ."""

    label: str
    metric: str | None = None
    period: str | None = None
    part: str | None = None


@dataclass
class TemplateChooser:
    """Chooses among wordings, the least used first, so that a report seldom repeats itself."""

    rng: Random
    used: Counter[int] = field(default_factory=Counter)
    """How often each template was used, by its `id`."""

    def pick(self, wordings: Sequence[SentenceTemplate]) -> SentenceTemplate:
        """One of `wordings`, which must not be empty."""
        if len(wordings) == 1:
            return wordings[0]
        # The pack is loaded once and cached, so that the identity of a template is stable.
        counts = [self.used[id(wording)] for wording in wordings]
        fewest = min(counts)
        wording = self.rng.choice([wording for wording, count in zip(wordings, counts, strict=True) if count == fewest])
        self.used[id(wording)] += 1
        return wording


class ReportWriter:
    """Writes one report of one entity into `draft` and `facts`."""

    def __init__(self, entity: Entity, pack: LanguagePack, year: int) -> None:
        self.draft = Draft(joiner="" if pack.language == "zh" else " ")
        self.facts: list[Fact] = []
        self._entity, self._pack, self._year, self._style = entity, pack, year, entity.style
        self._known: KnownFigures = entity.known_figures(year)
        self._words: dict[str, str] = {**entity.words, "year": str(year), "prior": str(year - 1), "next": str(year + 1)}
        restatement = entity.restatements.get(year)
        self._restated = restatement.reason if restatement else None
        if restatement:
            self._words |= restatement.words
        self._chooser = TemplateChooser(self._rng("prose", year))

    def write(self) -> Span:
        """Write the whole report; returns the span of its title."""
        layout = self._rng("layout")
        self.draft.write("# ")
        title = self.draft.write(title_of(self._entity, self._pack, self._year))
        self.draft.write("\n\n")
        self._body(self._pack.front)
        groups = [layout.sample(group, len(group)) for group in self._pack.order]
        passages = [self._pack.sections[name] for group in groups for name in group]
        for number, passage in enumerate(filter(self._is_included, passages), start=1):
            numeral = self._style.numerals[number - 1] if self._style.numerals else str(number)
            self._section(passage, prefix=self._style.numbering.format(n=numeral))
        return title

    def _rng(self, *names: str | int) -> Random:
        origin = self._entity.origin
        return rng_for(origin.seed, origin.domain, *names, origin.number)

    def _is_included(self, passage: SectionTemplate) -> bool:
        return passage.min_fullness <= self._entity.fullness and passage.restated in (None, self._restated)

    # Passages

    def _section(self, passage: SectionTemplate, prefix: str = "", level: int = 2) -> None:
        """Write a section; a steady one has its own random generator, which is the same every year."""
        outer = self._chooser
        # A steady passage inside another uses the generator of the outer one.
        if passage.steady and level == 2:
            self._chooser = TemplateChooser(self._rng("steady", passage.id))
        # Headings depend on the entity only, so that its reports look alike.
        heading = TemplateChooser(self._rng("heading", passage.id)).pick(passage.headings)
        with self.draft.section(prefix + self._phrase(heading), level=level):
            if passage.each is None:
                self._body(passage, level)
            else:
                for part in self._entity.parts[passage.each]:
                    self._words["part"] = part
                    with self.draft.section(part, level=level + 1):
                        self._body(passage, level + 1)
        self._chooser = outer

    def _body(self, passage: SectionTemplate, level: int = 2) -> None:
        for element in self._included_elements(passage):
            match element:
                case ParagraphTemplate(statements):
                    self._paragraph(statements)
                case Bullets(statements):
                    for statement in statements:
                        self._paragraph((statement,), mark="- ")
                case TableSpec():
                    self._table(element)
                case SectionTemplate():
                    self._section(element, level=level + 1)

    def _included_elements(
        self, passage: SectionTemplate
    ) -> Iterator[ParagraphTemplate | Bullets | TableSpec | SectionTemplate]:
        """The elements of the body that this report includes, in order."""
        body = [
            element
            for element in passage.body
            if not isinstance(element, SectionTemplate) or self._is_included(element)
        ]
        if passage.pick is None:
            yield from body
            return
        low, high = passage.pick
        count = round(len(body) * (low + (high - low) * self._entity.fullness))
        chosen = self._rng("pick", passage.id).sample(range(len(body)), min(count, len(body)))
        yield from (body[index] for index in sorted(chosen))

    # Prose

    def _paragraph(self, statements: Sequence[Statement], mark: str = "") -> None:
        """Write a paragraph of the statements whose figures and conditions fit; nothing if there are none."""
        sentences = [pieces for statement in statements if (pieces := self._sentence(statement))]
        if not sentences:
            return
        with self.draft.paragraph():
            self.draft.write(mark)
            for pieces in sentences:
                with self.draft.sentence():
                    for piece in pieces:
                        self._record(piece, self.draft.write(piece.text), "prose")

    def _sentence(self, statement: Statement) -> list[TextPiece]:
        """One wording of the statement, filled in; empty if none fits or an empty wording was chosen."""
        wordings = [wording for wording in statement if self._fits(wording)]
        return _polish(list(self._fill(self._chooser.pick(wordings)))) if wordings else []

    def _phrase(self, template: SentenceTemplate) -> str:
        return "".join(piece.text for piece in _polish(list(self._fill(template))))

    def _fits(self, template: SentenceTemplate) -> bool:
        """Whether the figures of the template can be printed and its conditions are met."""
        return all(map(self._printable, template.figures)) and all(map(self._is_met, template.conditions))

    def _printable(self, figure: FigureSlot) -> bool:
        """Whether the figure is disclosed, or withheld where the template needs that."""
        if figure.form == "withheld":
            return self._known.now.get(self._key(figure, figure.years_back), 0) is None
        return self._amount(figure) is not None

    def _is_met(self, condition: FigureCondition) -> bool:
        figure = condition.figure
        amount = self._amount(figure)
        if amount is None:
            return False
        if condition.test in "+-":
            return amount > 0 if condition.test == "+" else amount < 0
        before = self._known.now.get(self._key(figure, years_back=figure.years_back + 1))
        return before is not None and (amount > before if condition.test == ">" else amount < before)

    def _amount(self, figure: FigureSlot) -> int | None:
        source = self._known.before if figure.form == "before" else self._known.now
        return source.get(self._key(figure, figure.years_back))

    def _key(self, figure: FigureSlot, years_back: int) -> FigureKey:
        year = self._year - years_back
        period = f"{year}-Q{figure.quarter}" if figure.quarter else str(year)
        return FigureKey(figure.metric, period, self._words[figure.part] if figure.part else "")

    def _fill(self, template: SentenceTemplate) -> Iterator[TextPiece]:
        """The pieces of the template with all slots filled; a sentence rounds all its amounts of money or none."""
        in_full = self._needs_full_figures(template) or (template.figures and self._chooser.rng.random() < 0.3)
        for piece in template.pieces:
            match piece:
                case str():
                    yield TextPiece(piece)
                case Word(name) if name in self._words:
                    yield TextPiece(self._words[name])
                case Word(name):
                    yield from self._fill(self._chooser.pick(list(filter(self._fits, self._wordings(name)))))
                case LabelSlot(metric):
                    yield TextPiece(_lowercase(self._style.labels[metric]))
                case IndefiniteArticle():
                    yield TextPiece("a")
                case FigureSlot():
                    yield from self._figure(piece, "exact" if in_full and piece.form == "usual" else piece.form)

    def _wordings(self, phrase: str) -> Statement:
        """The wordings of a phrase: those of the current part if it has its own."""
        own = f"{phrase} of {self._words.get('part', '')}"
        return self._pack.phrases.get(own) or self._pack.phrases[phrase]

    def _needs_full_figures(self, template: SentenceTemplate) -> bool:
        """Whether rounding would hide that a figure was restated, or that two figures differ."""
        usual_figures = [figure for figure in template.figures if figure.form == "usual"]
        entries = [self._known.entry(self._key(figure, figure.years_back)) for figure in usual_figures]
        if any(entry.status == "restated" for entry in entries):
            return True
        printed_figures = [
            (figure.metric, figure.part, self._style.in_prose(self._pack.metrics[figure.metric], amount, "usual").text)
            for figure, (amount, _) in zip(usual_figures, entries, strict=True)
            if amount is not None
        ]
        return len(set(printed_figures)) < len(printed_figures)

    def _figure(self, figure: FigureSlot, form: FigureForm) -> Iterator[TextPiece]:
        """The figure with its currency and scale around it."""
        key = self._key(figure, figure.years_back)
        entry = self._known.earlier(key) if form == "before" else self._known.entry(key)
        if entry.amount is None:
            yield TextPiece(self._style.missing_in_prose, key, None, entry.status)
            return
        printed = self._style.in_prose(self._pack.metrics[figure.metric], entry.amount, form)
        yield TextPiece(printed.before)
        yield TextPiece(printed.text, key, printed.value, entry.status)
        yield TextPiece(printed.after)

    # Tables

    def _table(self, spec: TableSpec) -> None:
        """Write a captioned table; each of its figures is recorded."""
        rows = [*self._axis(spec.rows)]
        columns = [*self._axis(spec.columns)]
        if "years" in spec.columns[0] and not self._style.newest_first:
            columns.reverse()
        default_label = AxisLabel("", spec.metric, str(self._year), self._words[spec.part] if spec.part else "")
        keys = [[_merge_labels(row, column, default_label) for column in columns] for row in rows]
        unit = self._shared_unit(spec, keys)
        heads = [self._column_label(column, [line[index] for line in keys]) for index, column in enumerate(columns)]
        printed = [[self._cell(key) for key in line] for line in keys]
        labels = [self._label(row, shared_unit=unit) for row in rows]
        lines = [[label, *(cell.text for cell in line)] for label, line in zip(labels, printed, strict=True)]
        table = self.draft.table(self._caption(spec, unit), [[spec.corner, *heads], *lines])
        width = len(columns) + 1
        for row_index, line in enumerate(keys):
            for column_index, key in enumerate(line):
                cell = table.cells[(row_index + 1) * width + column_index + 1]
                cell_printed = printed[row_index][column_index]
                piece = TextPiece(cell_printed.text, key, cell_printed.value, self._known.entry(key).status)
                self._record(piece, cell.span, "table")

    def _cell(self, key: FigureKey) -> PrintedFigure:
        return self._style.in_table(self._pack.metrics[key.metric], self._known.now[key])

    def _shared_unit(self, spec: TableSpec, keys: Sequence[Sequence[FigureKey]]) -> str:
        """The unit that the caption gives: the one metric's, or that of money where the rows are metrics."""
        metrics = [self._pack.metrics[line[0].metric] for line in keys]
        if spec.metric is not None:
            return "" if metrics[0].kind == "count" else self._style.row_unit(metrics[0])
        rows_are_metrics = spec.rows[0] in self._pack.metrics
        return self._style.money_unit if rows_are_metrics and any(m.kind == "money" for m in metrics) else ""

    def _caption(self, spec: TableSpec, unit: str) -> str:
        pattern = self._style.caption_with_unit if unit else self._style.caption
        text = self._phrase(TemplateChooser(self._rng("caption", len(self.draft.tables))).pick(spec.captions))
        return pattern.format(n=len(self.draft.tables) + 1, caption=text, unit=unit)

    def _axis(self, spec: Sequence[str]) -> Iterator[AxisLabel]:
        """The labels of the rows or columns."""
        name, _, argument = spec[0].partition(":")
        match name:
            case "years":
                first = max(FIRST_YEAR - 1, self._year - int(argument) + 1)
                yield from (self._year_head(year) for year in range(self._year, first - 1, -1))
            case "quarters" | "quarters@-1":
                year = self._year - (name != "quarters")
                for number, label in enumerate(self._style.quarter_columns, start=1):
                    yield AxisLabel(label.format(year=year), period=f"{year}-Q{number}")
                yield self._year_head(year)
            case "parts":
                yield from (AxisLabel(part, part=part) for part in self._entity.parts[argument])
                yield AxisLabel(self._rng("whole").choice(self._pack.whole).format(**self._words), part="")
            case _:
                yield from (self._metric_head(metric) for metric in spec)

    def _year_head(self, year: int) -> AxisLabel:
        return AxisLabel(self._style.year_column.format(year=year), period=str(year))

    def _metric_head(self, spec: str) -> AxisLabel:
        """A metric, with a year where it is not the current one: "revenue@-1"."""
        metric, at, back = spec.partition("@")
        if not at:
            return AxisLabel(self._style.labels[metric], metric=metric)
        year = self._year + int(back)
        return AxisLabel(f"{self._style.labels[metric]} {self._style.year_column.format(year=year)}", metric, str(year))

    def _label(self, head: AxisLabel, shared_unit: str) -> str:
        """The label with its unit, unless the caption gives it."""
        if head.metric is None:
            return head.label
        metric = self._pack.metrics[head.metric]
        unit = self._style.row_unit(metric)
        if not unit or unit == shared_unit:
            return head.label
        return self._style.label_with_unit.format(label=head.label, unit=unit)

    def _column_label(self, head: AxisLabel, keys: Sequence[FigureKey]) -> str:
        label = self._label(head, shared_unit="")
        restated = any(self._known.entry(key).status == "restated" for key in keys)
        return self._style.restated_column.format(label=label) if restated else label

    # Facts

    def _record(self, piece: TextPiece, span: Span, place: Literal["table", "prose"]) -> None:
        """Record the fact that `piece` prints, if any."""
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


def title_of(entity: Entity, pack: LanguagePack, year: int) -> str:
    """The title of the entity's report on `year`; its reports differ only in the year."""
    origin = entity.origin
    pattern = rng_for(origin.seed, origin.domain, "title", origin.number).choice(pack.titles)
    return pattern.format(name=entity.name, year=year)


def _merge_labels(*heads: AxisLabel) -> FigureKey:
    """The key of the cell with these labels; for each field the first label that sets it counts."""
    _, metric, period, part = (next(filter(None, values), "") for values in zip(*heads, strict=True))
    return FigureKey(metric, period, part)


def _polish(pieces: list[TextPiece]) -> list[TextPiece]:
    """The pieces with a capital at the start, and "an" instead of "a" where needed."""
    for at, piece in enumerate(pieces):
        if piece.text == "a" and piece.key is None:
            following = "".join(later.text for later in pieces[at + 1 : at + 4]).lstrip()
            pieces[at] = TextPiece("an" if _TAKES_AN.match(following) else "a")
    if pieces and pieces[0].key is None:
        pieces[0] = TextPiece(pieces[0].text[:1].upper() + pieces[0].text[1:])
    return pieces


def _lowercase(label: str) -> str:
    """A label inside a sentence: "Net sales" becomes "net sales", "EBITDA" stays."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]

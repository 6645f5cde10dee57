"""The manuscript of a generated article: sections, sentences, citations, tables, claims and evidence."""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import AbstractContextManager
from decimal import Decimal
from random import Random
from typing import Literal, NamedTuple

from fathom.corpus.generated.bibliography import Bibliography
from fathom.corpus.generated.draft import Draft, with_absent_fields
from fathom.corpus.generated.experiments import Experiment, between, invent_experiments, scatter, two_values
from fathom.corpus.generated.lexicon import Phrase, templates
from fathom.corpus.generated.people import spell
from fathom.corpus.generated.planted_claims import (
    CONCLUSIONS,
    ClaimTopic,
    Conclusion,
    checked_evidence,
    claim,
    contradicting,
    measured_evidence,
    plan_claims,
)
from fathom.corpus.generated.world import ArticlePlan, Work
from fathom.records.documents import Author, Claim, Document, Evidence, Fact, Reference, SectionRole, Table
from fathom.records.rng import rng_for
from fathom.records.spans import Span

LICENSE = "CC0-1.0"

_SLOT = re.compile(r"\{(\w+)\}")

_PROSE, _DENSE = 5.2, 3.1
"""Characters per token in sentences, and in tables and reference lists."""


_FRAME = 800
"""Tokens of the parts that every article has: title, byline, abstract, conclusion, first sentences of sections."""

_REFERENCE = 62
"""Tokens of one entry of the reference list."""

_CITING = frozenset(("group", "descriptive_end", "descriptive_who", "attributional"))
"""Roles of sentences that cite."""
_DESCRIPTIVE = ("descriptive_end", "descriptive_who")
_APPENDIX = ("appendix_step", "method_step", "caution", "appendix_step", "design_choice", "background")
"""Roles of the sentences of a paragraph in an appendix."""
_EXHAUSTIBLE = frozenset(("fact", "caution", "appendix_step", "transition", "setup", "table_note", "method_step"))
"""Roles with few slots, whose distinct sentences run out in a long article."""


class WrittenSentence(NamedTuple):
    """A sentence, and the spans of its slots."""

    span: Span
    slots: dict[str, Span]


class Manuscript:
    """Writes one article; `write` returns the document."""

    def __init__(self, plan: ArticlePlan) -> None:
        self.plan = plan
        self.study = plan.work.study
        self.topic = plan.work.study.topic
        self.rng = self._make_rng()
        self.draft = Draft()
        self.bibliography = Bibliography(plan.cited, plan.style, self.rng)
        self.decks: dict[str, list[str]] = {}
        """The shuffled templates of each role that were not used yet."""
        self.sentences: set[str] = set()
        """The sentences so far, without citation markers."""
        self.rivals = tuple(method for method in self.topic.methods if method != self.study.method)
        self.experiments = invent_experiments(self.rng, self.study, max(1, min(12, plan.tokens // 2_200)))
        self.tables: dict[int, str] = {}
        """The name of each experiment's main table: "Table 3"."""
        self.outcomes = {(e.quantity.name, e.material.own): (e.best, e.base) for e in self.experiments}
        """For a quantity and a data set, the article's own value and that of a rival."""
        self.scores: dict[tuple[str, str, str], str] = {}
        """The printed value for a quantity, a data set and a method."""
        self.evidence: dict[ClaimTopic, list[Evidence]] = defaultdict(list)
        """Sentences and tables, by the claim that they are evidence of."""
        self.claims: list[tuple[ClaimTopic, Span]] = []
        self.planted_rng = rng_for(plan.seed, "claims", plan.index)
        """For planted sentences: the rest of the article does not depend on them."""
        self.claim_plan = plan_claims(self.planted_rng, self.experiments)
        self.conclusions: dict[int, Span] = {}
        """The sentences in which the authors conclude on experiments."""
        self.limitations: dict[Span, Span] = {}
        """The sentences that name a limitation of a table, by the table."""
        self.planted_characters = 0
        self.planted_slots: dict[str, str] = {}
        """Slots of the planted sentence being written."""
        self.main_tables: list[tuple[str, tuple[Phrase, ...], Span]] = []
        """The quantity, the data sets and the place of each table that compares methods."""
        self.facts: list[Fact] = []
        self.references: list[Reference] = []
        self.numbers = [0, 0]
        """The numbers of the current section and subsection."""
        self.claimed_in = self._choose_claim_sections()

    def _make_rng(self) -> Random:
        return rng_for(self.plan.seed, "prose", self.plan.index)

    # The article from top to bottom.

    def write(self) -> Document:
        plan, draft = self.plan, self.draft
        title, authors = self._front_matter()
        abstract = self._body()
        document = Document(
            id=str(plan.work.document),
            kind="article",
            language="en",
            title=title,
            authors=tuple(authors),
            abstract=abstract,
            ids={"doi": plan.work.doi} if plan.work.doi is not None else {},
            work=plan.work.document,
            year=plan.work.year,
            venue=plan.work.venue,
            subject=self.topic.subject,
            license=LICENSE,
            source=f"generated:research:{plan.seed}:{plan.index}",
            text=draft.text(),
            sections=tuple(draft.sections),
            paragraphs=tuple(draft.paragraphs),
            sentences=tuple(draft.sentences),
            citations=tuple(self.bibliography.citations),
            references=tuple(self.references),
            tables=tuple(draft.tables),
            facts=tuple(self.facts),
            claims=self._planted_claims(draft.text()),
        )
        return with_absent_fields(document)

    def _planted_claims(self, text: str) -> tuple[Claim, ...]:
        evidence = {
            topic: [self._with_limitation(item, text) for item in items] for topic, items in self.evidence.items()
        }
        conclusions: dict[ClaimTopic, Conclusion] = {
            number: Conclusion(span.of(text), self.claim_plan.concluded[number])
            for number, span in self.conclusions.items()
        }
        return tuple(claim(topic, span, evidence.get(topic, ()), conclusions.get(topic)) for topic, span in self.claims)

    def _with_limitation(self, evidence: Evidence, text: str) -> Evidence:
        """The evidence with the limitation that the article names."""
        limitation = self.limitations.get(evidence.span)
        return evidence if limitation is None else evidence.model_copy(update={"limitations": limitation.of(text)})

    def _body(self) -> Span | None:
        """The rest of the article; returns the span of the abstract."""
        body = self.plan.tokens - _REFERENCE * len(self.plan.cited) - _FRAME
        long = self.plan.tokens > 5_000
        abstract = self._abstract()
        self._introduction(body * (0.15 if long else 0.24))
        if long:
            self._background(body * 0.16)
        self._methods(body * (0.17 if long else 0.2))
        self._results(body * 0.31)
        self._discussion(body * 0.1)
        self._conclusion()
        self._closing_notes()
        self._reference_list()
        if long:
            self._appendix()
        return abstract

    def _reference_list(self) -> None:
        with self.draft.section(self.rng.choice(("References", "References", "Bibliography")), role="references"):
            self.references = self.bibliography.write_list(self.draft)
            self.draft.write("\n")

    def _front_matter(self) -> tuple[Span, list[Author]]:
        draft, style = self.draft, self.plan.style
        draft.write("# ")
        title = draft.write(self.plan.work.title)
        draft.write("\n\n")
        authors: list[Author] = []
        people = self.plan.work.people
        for position, person in enumerate(people, start=1):
            if position > 1:
                draft.write(" and " if position == len(people) else ", ")
            spelling = spell(person, self.rng, style.initials)
            span = draft.write(spelling.byline)
            authors.append(
                Author(position=position, span=span, given=spelling.given, family=spelling.family, person=person.id)
            )
        draft.write("\n\n")
        if style.affiliations:
            draft.write(f"{self.plan.institution}\n\n")
        doi = f", doi:{self.plan.work.doi}" if self.plan.work.doi is not None else ""
        draft.write(f"*{self.plan.work.venue}*, volume {self.plan.work.volume}, {self.plan.work.year}{doi}\n\n")
        return title, authors

    def _abstract(self) -> Span:
        with self.draft.section("Abstract", role="abstract"):
            start = self.draft.here
            with self.draft.paragraph():
                for role in ("motivation", "gap", "aim"):
                    self._write_sentence(role)
                self._say_claims("abstract")
                self._write_sentence("conclusion")
            end = self.draft.here - 2
            if self.rng.random() < 0.5:
                keywords = self.rng.sample(self.topic.keywords, 4)
                self.draft.write(f"Keywords: {', '.join(keywords)}\n\n")
        return Span(start, end)

    def _introduction(self, tokens: float) -> None:
        with self._section("Introduction", "introduction"):
            share = 0.3 if self.plan.tokens > 5_000 else 0.7
            self._paragraphs(
                tokens,
                ("motivation", "fact", "group", "gap", "background", "descriptive_end", "attributional"),
                cite=round(len(self.plan.cited) * share),
            )
            with self.draft.paragraph():
                self._write_sentence("aim")
                self._say_claims("introduction")
                if self.claim_plan.contribution:
                    self.claims.append(("contribution", self._plant("claim_contribution")))
                self._write_sentence("roadmap")

    def _background(self, tokens: float) -> None:
        heading = self.rng.choice(("Related work", "Background", "Background and related work", "Previous work"))
        with self._section(heading, "background"):
            self._paragraphs(
                tokens,
                ("descriptive_end", "descriptive_who", "group", "fact", "attributional", "transition", "background"),
                cite=round(len(self.plan.cited) * 0.45),
            )

    def _methods(self, tokens: float) -> None:
        roles = ("method_step", "method_step", "design_choice", "attributional", "setup", "fact", "transition")
        with self._section(self._phrase("heading_method"), "methods"):
            parts = 1 if tokens < 900 else 2 if tokens < 2_500 else 4
            quota = round(len(self.plan.cited) * 0.12)
            for _ in range(parts):
                if parts == 1:
                    self._paragraphs(tokens, roles, cite=quota)
                    continue
                with self._section(self._phrase("subheading"), "methods", level=3):
                    self._paragraphs(tokens / parts, roles, cite=round(quota / parts))

    def _results(self, tokens: float) -> None:
        with self._section(self._phrase("heading_experiment"), "results"):
            with self.draft.paragraph():
                for _ in range(3):
                    self._write_sentence("setup")
                if self.claim_plan.methodology:
                    self.evidence["methodology"].append(measured_evidence(self._plant("evidence_methodology")))
            for experiment in self.experiments:
                if len(self.experiments) == 1:
                    self._report(experiment, tokens)
                    continue
                heading = self._phrase("subheading", experiment)
                with self._section(heading, "results", level=3):
                    self._report(experiment, tokens / len(self.experiments))

    def _report(self, experiment: Experiment, tokens: float) -> None:
        """Write the report of one experiment: its table, its numbers in sentences, and their interpretation."""
        start = self.draft.here - self.planted_characters
        table_first = self.rng.random() < 0.5
        if table_first:
            self._main_table(experiment)
        else:
            self.tables[experiment.number] = f"Table {len(self.draft.tables) + 1}"
        with self.draft.paragraph():
            self._write_sentence("setup", experiment)
            self._say_claims("results", experiment)
            self._say_evidence("result", experiment)
            self._write_sentence("table_note", experiment)
        if not table_first:
            self._main_table(experiment)
        with self.draft.paragraph():
            self._write_sentence("comparison", experiment)
            if self.rng.random() < 0.6:
                self._say_evidence("evidence", experiment)
            if experiment.number in self.claim_plan.contested:
                self.evidence[experiment.number].append(contradicting(self._plant("evidence_against", experiment)))
            self._write_sentence("interpretation", experiment)
            if self.rng.random() < 0.6:
                self._say_evidence("evidence_check", experiment)
            if experiment.number in self.claim_plan.limited:
                self.limitations[self.main_tables[-1][2]] = self._plant("evidence_limitation", experiment)
        left = tokens - (self.draft.here - self.planted_characters - start) / _PROSE
        roles = ("comparison", "interpretation", "setup", "descriptive_who", "table_note", "fact", "attributional")
        self._paragraphs(left, roles, experiment=experiment)

    def _discussion(self, tokens: float) -> None:
        with self._section(self._phrase("heading_analysis"), "discussion"):
            with self.draft.paragraph():
                self._write_sentence("interpretation")
                self._say_claims("discussion")
                self._say_unsupported()
                if self.claim_plan.methodology:
                    self.claims.append(("methodology", self._plant("claim_methodology")))
            self._conclude()
            roles = ("interpretation", "comparison", "limitation", "caution", *_DESCRIPTIVE, "future")
            self._paragraphs(tokens, roles, cite=self.bibliography.left)
            # Works not yet mentioned are mentioned now: every reference is cited.
            while self.bibliography.left:
                with self.draft.paragraph():
                    self._write_sentence("transition")
                    for _ in range(min(4, -(-self.bibliography.left // 5))):
                        self._write_sentence("group")

    def _conclude(self) -> None:
        """Write what the authors conclude on the comparisons of their experiments, and how sure they are."""
        if self.claim_plan.concluded:
            with self.draft.paragraph():
                for experiment in self.experiments:
                    if (confidence := self.claim_plan.concluded.get(experiment.number)) is not None:
                        self.conclusions[experiment.number] = self._plant(CONCLUSIONS[confidence], experiment)

    def _conclusion(self) -> None:
        heading = self.rng.choice(("Conclusion", "Conclusions", "Concluding remarks"))
        with self._section(heading, "conclusion"), self.draft.paragraph():
            self._write_sentence("conclusion")
            self._say_claims("conclusion")
            self._compare_columns()
            for role in ("conclusion", "limitation", "future"):
                self._write_sentence(role)

    def _closing_notes(self) -> None:
        for heading, role in (("Data availability", "ethics_data"), ("Acknowledgements", "acknowledgement")):
            if self.rng.random() < 0.6:
                with self.draft.section(heading), self.draft.paragraph():
                    self._write_sentence(role)

    def _appendix(self) -> None:
        """Write details after the references: the evidence furthest from its claim."""
        heading = self.rng.choice(("Appendix", "Supplementary material", "Appendix A: Further detail"))
        with self.draft.section(heading, role="appendix"):
            with self.draft.paragraph():
                for _ in range(3):
                    self._write_sentence("appendix_step")
            for experiment in self.experiments:
                if not self._has_space():
                    break
                self._run_table(experiment)
                with self.draft.paragraph():
                    self._say_evidence("evidence", experiment)
                    self._write_sentence("appendix_step", experiment)
                    self._say_evidence("evidence_check", experiment)
            while self._has_space():
                with self.draft.paragraph():
                    for role in _APPENDIX:
                        self._write_sentence(role)

    def _has_space(self) -> bool:
        """Whether the article is still shorter than planned, with a margin for one paragraph."""
        dense = sum(table.span.end - table.span.start for table in self.draft.tables)
        dense += sum(reference.span.end - reference.span.start for reference in self.references)
        written = (self.draft.here - self.planted_characters - dense) / _PROSE + dense / _DENSE
        return written < self.plan.tokens - 120

    # Paragraphs and sentences.

    def _section(self, heading: str, role: SectionRole, level: int = 2) -> AbstractContextManager[None]:
        """A section, numbered if the journal numbers them."""
        if level == 2:
            self.numbers = [self.numbers[0] + 1, 0]
        else:
            self.numbers[1] += 1
        if self.plan.style.numbered_headings:
            number = str(self.numbers[0]) if level == 2 else f"{self.numbers[0]}.{self.numbers[1]}"
            heading = f"{number} {heading}"
        return self.draft.section(heading, level, role)

    def _paragraphs(
        self, tokens: float, roles: tuple[str, ...], cite: int = 0, experiment: Experiment | None = None
    ) -> None:
        """Write paragraphs of about `tokens` with sentences in these roles, which cite `cite` new works."""
        start, left = self.draft.here, self.bibliography.left
        until = max(0, left - cite)
        while (self.draft.here - start) / _PROSE < tokens:
            with self.draft.paragraph():
                for _ in range(self.rng.randint(3, 8)):
                    role = self.rng.choice(roles)
                    if role in _CITING and self.bibliography.left <= until and self.rng.random() < 0.6:
                        # The new works of this section are used up: cite an old one now and then, or none.
                        role = "background"
                    self._write_sentence(role, experiment, fresh=self.bibliography.left > until)
        while self.bibliography.left > until:
            with self.draft.paragraph():
                self._write_sentence("background")
                for _ in range(4):
                    if self.bibliography.left > until:
                        self._write_sentence(self.rng.choice(("group", "group", "descriptive_end")))

    def _write_sentence(self, role: str, experiment: Experiment | None = None, fresh: bool = True) -> WrittenSentence:
        """Write one sentence in that role, different from all others of the article if possible."""
        works = self._works_for(role, fresh)
        if role in _CITING and not works:
            role = "background"
        for attempt in range(12):
            if attempt == 6 and role in _EXHAUSTIBLE:
                role = "background"
            template = self._draw(role)
            slots = self._slots(experiment, works, roam=attempt >= 3)
            words = _SLOT.sub(lambda slot, slots=slots: _fill_slot(slot[1], slots), template)  # type: ignore[misc]
            if words not in self.sentences:
                break
        self.sentences.add(words)
        return self._fill(template, slots, works)

    def _works_for(self, role: str, fresh: bool) -> list[Work]:
        if role == "group":
            return self.bibliography.take(self.rng, self.rng.choice((2, 2, 3, 3, 4, 5)), fresh)
        return self.bibliography.take(self.rng, 1, fresh) if role in _CITING else []

    def _fill(self, template: str, slots: dict[str, str], works: list[Work]) -> WrittenSentence:
        """Write the sentence of `template` with `slots`, citing `works`."""
        draft = self.draft
        filled: dict[str, Span] = {}
        pieces = _SLOT.split(template)
        with draft.sentence():
            start = draft.here
            for index, piece in enumerate(pieces):
                if index % 2 == 0:
                    # A superscript follows its word without a space.
                    raised = self.plan.style.marks == "superscript" and pieces[index + 1 : index + 2] == ["cite"]
                    draft.write(piece.rstrip(" ") if raised else piece)
                elif piece == "cite":
                    name_span = filled.get("their_name")
                    self.bibliography.mark(draft, works, "attributional" if name_span else "descriptive", name_span)
                elif piece == "who":
                    self.bibliography.mention(draft, works[0], opening=draft.here == start)
                else:
                    filled[piece] = draft.write(_fill_slot(piece, slots))
            return WrittenSentence(Span(start, draft.here), filled)

    def _say_claims(self, section: str, experiment: Experiment | None = None) -> None:
        for experiment_claimed in self.experiments:
            if section in self.claimed_in[experiment_claimed.number] and experiment in (None, experiment_claimed):
                self.claims.append((experiment_claimed.number, self._write_sentence("claim", experiment_claimed).span))

    def _plant(self, role: str, experiment: Experiment | None = None, **slots: str) -> Span:
        """Write a sentence with a random generator of its own, so that it does not change the other sentences."""
        start, usual = self.draft.here, self.rng
        self.rng, self.planted_slots = self.planted_rng, slots
        span = self._write_sentence(role, experiment).span
        self.rng, self.planted_slots = usual, {}
        self.planted_characters += self.draft.here - start
        return span

    def _compare_columns(self) -> None:
        """Claim, in some articles, on which of two data sets the article's own method has the higher value."""
        if self.claim_plan.compared is None:
            return
        experiment, first, second = self.claim_plan.compared
        name = experiment.quantity.name
        values = [Decimal(self.outcomes[name, column.own][0]) for column in (first, second)]
        if values[0] == values[1]:
            return
        order = "higher" if values[0] > values[1] else "lower"
        span = self._plant("claim_result", experiment, first=first.own, second=second.own, order=order)
        self.claims.append(("result", span))
        tables = [
            span for quantity, columns, span in self.main_tables if quantity == name and {first, second} <= set(columns)
        ]
        self.evidence["result"] += map(measured_evidence, tables)

    def _say_unsupported(self) -> None:
        """Write, in most articles, a sentence that reads like a claim but has no evidence in the article."""
        if self.rng.random() < 0.7:
            self.claims.append(("belief", self._write_sentence("unsupported").span))

    def _say_evidence(self, role: str, experiment: Experiment) -> None:
        """Write a sentence that supports the experiment's claims; the values it prints are facts."""
        written = self._write_sentence(role, experiment)
        kind = checked_evidence if role == "evidence_check" else measured_evidence
        self.evidence[experiment.number].append(kind(written.span))
        for slot, named, entity, value in (
            ("best", "name", self.plan.work.name, experiment.best),
            ("base", "rival", experiment.rival.own, experiment.base),
        ):
            # A sentence without quantity, data set or method states no fact by itself.
            if {slot, named, "quantity", "material"} <= {name.lower() for name in written.slots}:
                start = written.slots[slot].start
                self._note_fact(
                    entity, experiment, experiment.material, value, Span(start, start + len(value)), "prose"
                )

    def _draw(self, role: str) -> str:
        """A template of that role; none is returned twice before all others were."""
        deck = self.decks.get(role)
        if not deck:
            of_the_topic = {"fact": self.topic.facts, "caution": self.topic.cautions}
            deck = list(of_the_topic[role] if role in of_the_topic else templates(role))
            self.rng.shuffle(deck)
            self.decks[role] = deck
        return deck.pop()

    def _phrase(self, role: str, experiment: Experiment | None = None) -> str:
        """A heading or caption of that role."""
        slots = self._slots(experiment, [])
        template = self._draw(role)
        text = "".join(p if i % 2 == 0 else _fill_slot(p, slots) for i, p in enumerate(_SLOT.split(template)))
        return text[0].upper() + text[1:]

    def _slots(self, experiment: Experiment | None, works: list[Work], roam: bool = False) -> dict[str, str]:
        """The slot values of a sentence: mostly the article's own terms; with `roam`, any terms of the topic."""
        study, topic, rng = self.study, self.topic, self.rng

        def near(own: Phrase, others: tuple[Phrase, ...], often: float = 0.65) -> str:
            return own.own if not roam and rng.random() < often else rng.choice(others).own

        slots = {
            "name": self.plan.work.name,
            "topic": topic.name,
            "method": study.method.own,
            "rival": experiment.rival.own if experiment else near(study.rival, self.rivals, often=1),
            "object": experiment.object.own if experiment else near(study.object, topic.objects),
            "other": near(study.other, topic.objects, often=1),
            "setting": experiment.setting.own if experiment else near(study.setting, topic.settings),
            "material": experiment.material.own if experiment else near(study.material, topic.materials),
            "quantity": (
                experiment.quantity if experiment else rng.choice(topic.quantities) if roam else study.quantity
            ).name,
            "mechanism": rng.choice(topic.mechanisms),
            "action": rng.choice(topic.actions),
        }
        if slots["other"] == slots["object"]:
            slots["other"] = next(o.own for o in (study.object, study.other) if o.own != slots["object"])
        if experiment is not None:
            quantity = experiment.quantity
            slots |= {
                "best": quantity.with_unit(experiment.best),
                "base": quantity.with_unit(experiment.base),
                "gain": experiment.gain,
                "direction": experiment.direction,
                "table": self.tables.get(experiment.number, ""),
            }
        if works:
            cited_study = works[0].study
            slots |= {
                "their_name": works[0].name,
                "their_method": cited_study.method.paraphrase,
                "their_object": cited_study.object.paraphrase,
                "their_setting": cited_study.setting.paraphrase,
                "their_material": cited_study.material.paraphrase,
                "their_quantity": cited_study.quantity.paraphrase,
                "their_direction": "lowers" if cited_study.quantity.lower_is_better else "raises",
            }
        return slots | self.planted_slots

    # Experiments and their tables.

    def _choose_claim_sections(self) -> dict[int, tuple[str, ...]]:
        """The sections that state the claim of each experiment: near its evidence, far from it, or both."""
        sections: dict[int, tuple[str, ...]] = {}
        for experiment in self.experiments:
            spots = ("abstract", "introduction", "results", "discussion", "conclusion")
            # The headline finding is claimed at the start; the others at random places.
            weights = (6, 3, 3, 2, 2) if experiment.number == 0 else (1, 1, 4, 2, 1)
            sections[experiment.number] = tuple(
                dict.fromkeys(self.rng.choices(spots, weights, k=self.rng.choice((1, 1, 2))))
            )
        return sections

    def _main_table(self, experiment: Experiment) -> None:
        """Write the table that compares all methods on all data sets; sentences refer to the first column."""
        methods = (experiment.rival, *experiment.others)
        rows = [["Method", *map(_label, experiment.columns)]]
        for label, method in ((self.plan.work.name, None), *((_label(method), method) for method in methods)):
            rows.append([label, *(self._score_of(experiment, method, column) for column in experiment.columns)])
        self.tables.setdefault(experiment.number, f"Table {len(self.draft.tables) + 1}")
        table = self._write_table(self._phrase("caption", experiment).rstrip("."), rows, experiment)
        self.main_tables.append((experiment.quantity.name, experiment.columns, table.span))
        entities = (self.plan.work.name, *(method.own for method in methods))
        for cell in table.cells:
            if not cell.header:
                value = rows[cell.row][cell.column]
                column = experiment.columns[cell.column - 1]
                self._note_fact(entities[cell.row - 1], experiment, column, value, cell.span, "table")

    def _score_of(self, experiment: Experiment, method: Phrase | None, column: Phrase) -> str:
        """The score of a method (None: the article's own) on a data set; the same in every table."""
        quantity = experiment.quantity
        best, base = self.outcomes.setdefault((quantity.name, column.own), two_values(self.rng, quantity))
        if method is None:
            return best
        planted = base if column == experiment.material and method == experiment.rival else None
        value = planted or between(self.rng, quantity, best, base)
        return self.scores.setdefault((quantity.name, column.own, method.own), value)

    def _run_table(self, experiment: Experiment) -> None:
        """Write a table of single runs whose means are the values that the article reports."""
        rng, digits = self.rng, experiment.quantity.digits
        runs = rng.randint(5, 16)
        ours, theirs = (scatter(rng, Decimal(value), runs, digits) for value in (experiment.best, experiment.base))
        rows = [["Run", self.plan.work.name, _label(experiment.rival)]]
        rows += [[str(run), *values] for run, values in enumerate(zip(ours, theirs, strict=True), start=1)]
        caption = f"{_capital(experiment.quantity.name)} in single runs on {experiment.material.own}"
        self._write_table(caption, rows, experiment)

    def _write_table(self, caption: str, rows: list[list[str]], experiment: Experiment) -> Table:
        unit = f" (in {experiment.quantity.unit})" if experiment.quantity.unit else ""
        table = self.draft.table(f"Table {len(self.draft.tables) + 1}. {caption}{unit}.", rows)
        self.evidence[experiment.number].append(measured_evidence(table.span))
        return table

    def _note_fact(
        self,
        entity: str,
        experiment: Experiment,
        column: Phrase,
        value: str,
        span: Span,
        place: Literal["table", "prose"],
    ) -> None:
        quantity = experiment.quantity
        self.facts.append(
            Fact(
                entity=entity,
                part=column.own,
                attribute=quantity.name,
                value=Decimal(value),
                unit=quantity.unit,
                span=span,
                place=place,
            )
        )


def _fill_slot(slot: str, slots: dict[str, str]) -> str:
    """The text of a slot, capitalized if the name of the slot is; empty for citations, which are written elsewhere."""
    if slot[0].isupper():
        return _capital(slots[slot.lower()])
    return slots.get(slot, "") if slot in ("cite", "who") else slots[slot]


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _label(phrase: Phrase) -> str:
    """A term as the label of a row or column."""
    return _capital(phrase.own.removeprefix("the "))

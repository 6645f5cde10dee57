"""Writes a research article or letter from its plan. A letter is a page on one finding or opinion, without tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import itemgetter
from random import Random

from fathom.corpus.generated.manuscript import Manuscript
from fathom.corpus.generated.world import ArticlePlan, ResearchSubject, Work
from fathom.models.tokenizers import tokenizer
from fathom.records.documents import Document
from fathom.records.rng import rng_for
from fathom.records.spans import Span

_LETTER = (250, 600)
"""Minimum and maximum tokens of a letter."""
_PATIENCE, _DRAFTS = 10, 40
"""The number of drafts after which further ones are minimal, and after which the best draft is used."""


def write_letter(plan: ArticlePlan) -> Document:
    """The first draft that states its subject and has the length of a letter, or else the best of 40."""
    drafts: list[tuple[tuple[bool, int], Document]] = []
    for attempt in range(_DRAFTS):
        letter = Letter(plan, attempt).write()
        faults = _faults(letter, plan.work.study)
        if faults == (False, 0):
            return letter
        drafts.append((faults, letter))
    return min(drafts, key=itemgetter(0))[1]


def _faults(letter: Document, study: ResearchSubject) -> tuple[bool, int]:
    """Whether it does not state its subject, and by how many tokens it is too long or too short."""
    tokens = tokenizer().count(letter.text)
    return not _states_subject(letter, study), max(_LETTER[0] - tokens, tokens - _LETTER[1], 0)


def _states_subject(letter: Document, study: ResearchSubject) -> bool:
    """Whether its prose names its method and two more attributes that citing works may mention."""
    prose = letter.text[: letter.paragraphs[-1].end].casefold()
    other_terms = (study.object.own, study.setting.own, study.material.own, study.quantity.name)
    return study.method.own.casefold() in prose and sum(term.casefold() in prose for term in other_terms) > 1


class Letter(Manuscript):
    """A research letter: a page on one finding, or on an opinion, without tables."""

    def __init__(self, plan: ArticlePlan, attempt: int) -> None:
        self.attempt = attempt
        super().__init__(plan)
        self.finding = self.experiments[0]

    def _make_rng(self) -> Random:
        return rng_for(self.plan.seed, "letter", self.plan.index, self.attempt)

    def _body(self) -> Span | None:
        self.parts = self._parts()
        summary = self._summary(self.parts)
        abstract = None
        if summary:
            with self.draft.section("Abstract", role="abstract"):
                abstract = self._write_paragraph(summary)
            with self.draft.section(self.rng.choice(("Letter", "Main text", "Report"))):
                self._main_text(self.parts - set(summary))
        else:
            self._main_text(self.parts)
        self._reference_list()
        return abstract

    def _parts(self) -> set[str]:
        """The roles of the sentences that fit in addition to those that cite."""
        reference_tokens = sum(map(_listed_length, self.plan.cited)) / _LISTED
        available = (
            self.plan.tokens - self.draft.here / _HEAD - reference_tokens - _MENTION * (len(self.plan.cited) + 1)
        )
        if self.attempt >= _PATIENCE:
            # Long names and titles use up the space, so the plan cannot be met.
            available = 0
        self.crowded = available < 2 * _SENTENCE
        reports = available > _SENTENCE and self.rng.random() < 0.85
        parts = {"aim", "claim", "evidence"} if reports else {"aim", "closing"}
        optional = ["motivation", "motivation", "gap", "gap", "fact", "setup"]
        optional += ["closing", "interpretation", "evidence_check"] if reports else []
        self.rng.shuffle(optional)
        available -= 0 if self.crowded else _MENTION * len(self.plan.cited) / 2
        return parts | set(optional[: max(0, round(available / _SENTENCE) - len(parts))])

    def _summary(self, parts: set[str]) -> tuple[str, ...]:
        """The parts that form the abstract, where the letter has one."""
        main = "claim" if "claim" in parts else "aim"
        before = tuple(role for role in ("motivation", "gap") if role in parts)
        # An aim alone would answer a question that the letter has not stated.
        if self.rng.random() < 0.25 or (main == "aim" and not before):
            return ()
        return (*before, main) if main == "aim" or self.rng.random() < 0.7 else (main,)

    def _main_text(self, parts: set[str]) -> None:
        """Write one or two paragraphs: findings of others, and those of this letter."""
        roles_of_others = [role for role in _OTHERS if role in parts | {"citing"}]
        own_roles = [role for role in _OWN if role in parts | {"borrowing"}]
        if len(own_roles) < 4:
            self._write_paragraph((*roles_of_others, *own_roles))
        else:
            self._write_paragraph(roles_of_others)
            self._write_paragraph(own_roles)

    def _write_paragraph(self, roles: Iterable[str]) -> Span:
        """A paragraph of sentences in these roles."""
        start = self.draft.here
        with self.draft.paragraph():
            for role in roles:
                self._write_role(role)
            return Span(start, self.draft.here)

    def _write_role(self, role: str) -> None:
        if role == "citing":
            self._cite(self.rng.choice((0, 1, 1)))
        elif role == "borrowing":
            while self.bibliography.left:
                self._write_sentence("attributional", self.finding)
        elif role == "claim":
            self.claims.append((self.finding.number, self._write_sentence("claim", self.finding).span))
        elif role == "evidence":
            self._say_evidence(self.rng.choice(("evidence", "result")), self.finding)
        elif role == "evidence_check":
            self._say_evidence(role, self.finding)
        elif role == "closing":
            self._close()
        else:
            self._write_sentence(role, self.finding)

    def _cite(self, keep: int) -> None:
        """Mention works until `keep` are left."""
        while self.bibliography.left > keep:
            left = self.bibliography.left - keep
            grouped = left > 1 and self.rng.random() < (0.9 if self.crowded else 0.3)
            single = self.rng.choice(("descriptive_end", "descriptive_who"))
            self._write_sentence("group" if grouped else single, self.finding)

    def _close(self) -> None:
        """A last sentence; without a finding it can only be an opinion or a warning."""
        if self.evidence:
            self._write_sentence(self.rng.choice(("conclusion", "limitation", "future")), self.finding)
        elif self.rng.random() < 0.6:
            self.claims.append(("belief", self._write_sentence("unsupported", self.finding).span))
        else:
            self._write_sentence("caution", self.finding)

    def _draw(self, role: str) -> str:
        """A template that mentions only parts that this letter has."""
        while True:
            template = super()._draw(role)
            if not _NOT_IN_LETTERS.search(template) and (role != "aim" or self._can_aim(template)):
                return re.sub(r"\barticle\b", "letter", template)

    def _can_aim(self, template: str) -> bool:
        """Whether a template of an aim fits this letter: it must print the name by which the letter is cited.

        Some templates answer a question, which the letter must have stated, and one announces a claim.
        """
        named = "{name}" in template or self.plan.work.name in self.plan.work.title
        has_question = "gap" in self.parts or not _ANSWERS.search(template)
        return named and has_question and ("claim" in self.parts or "easy to state" not in template)


_OTHERS = ("motivation", "fact", "citing", "gap")
_OWN = ("aim", "borrowing", "setup", "claim", "evidence", "evidence_check", "interpretation", "closing")
"""The roles of the sentences of the two paragraphs of a letter, in order."""

_HEAD, _LISTED = 3.7, 3.4
"""Characters per token in the title and byline of a letter, and in its reference list."""
_MENTION, _SENTENCE = 21, 28
"""Tokens of a sentence that mentions a work, and of any other sentence."""

_NOT_IN_LETTERS = re.compile(
    r"\{table\}|\b(pages|sections|tables|later|throughout|alongside|secondary|Three questions|noted otherwise)\b"
)
"""Wordings of templates that assume a full article."""
_ANSWERS = re.compile("these questions|just described|this gap|these observations")
"""Wordings that refer to a question stated before."""


def _listed_length(work: Work) -> int:
    """The approximate number of characters of a brief reference to the work."""
    doi = len(f" doi:{work.doi}") if work.doi is not None else 0
    return len(work.title) + len(work.venue) + 13 * min(len(work.people), 3) + 24 + doi


def write_article(plan: ArticlePlan) -> Document:
    """The article of a plan; the same plan gives the same characters."""
    return write_letter(plan) if plan.length == "short" else Manuscript(plan).write()

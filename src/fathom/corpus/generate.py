"""A corpus of generated documents: plans in one process, prose in as many as there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Self

from pydantic import Field, JsonValue, model_validator

from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.reports import DOMAINS as REPORTS
from fathom.corpus.generated.reports import write_report
from fathom.corpus.generated.research import write_article
from fathom.corpus.generated.world import VERSION, Length, Plan, World
from fathom.corpus.manifest import CorpusManifest
from fathom.corpus.store import CorpusWriter, PackedDocument, finished, pack
from fathom.records.documents import Position
from fathom.records.errors import FathomError
from fathom.records.record import Record
from fathom.work import run_ordered

SAVED_EVERY = 32
"""Documents between two saves: what a kill can lose."""

ALL_OF = {"articles": SUBJECTS, "reports": tuple(REPORTS)}
"""Words that stand for several domains."""


class Recipe(Record):
    """What makes a generated corpus: the same recipe gives the same bytes."""

    command: str = Field(default="generate", pattern="^generate$")
    domains: tuple[str, ...] = SUBJECTS
    """Which documents, taking turns: subjects of research documents, kinds of reports."""
    length: Length = "full"
    """Whole research documents, or letters of a page; reports have one length."""
    seed: int = 0
    generator: int = VERSION
    """The version of the words; a corpus begun by another is not gone on with."""
    documents: Position | None = None
    tokens: Position | None = None
    """Generation ends with the document that reaches so many tokens."""

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if (self.documents is None) == (self.tokens is None):
            raise ValueError("give a number of documents or a number of tokens")
        return self

    @model_validator(mode="after")
    def _only_articles_are_short(self) -> Self:
        reports = [domain for domain in self.domains if domain in REPORTS]
        if self.length == "short" and reports:
            raise FathomError(
                f"There are no short reports, yet the domains hold {', '.join(reports)}. "
                "Leave them out, or leave out `--length short`."
            )
        return self


@dataclass(frozen=True)
class ReportTask:
    """A report to be written."""

    domain: str
    seed: int
    index: int


def parse_domains(written: str) -> tuple[str, ...]:
    """The domains in a list such as "physics,reports", each once."""
    domains: dict[str, None] = {}
    for name in filter(None, (word.strip() for word in written.split(","))):
        for domain in ALL_OF.get(name, (_spaced(name),)):
            if domain not in SUBJECTS and domain not in REPORTS:
                known = ", ".join(word.replace(" ", "-") for word in (*ALL_OF, *SUBJECTS, *REPORTS))
                raise FathomError(f"There is no domain '{name}'. Name some of: {known}.")
            domains[domain] = None
    if not domains:
        raise FathomError("The list of domains is empty. Name some, such as `--domains articles,companies`.")
    return tuple(domains)


def _spaced(name: str) -> str:
    """The subject that a hyphenated word names: on a command line "computer-science" saves the quotes."""
    subject = name.replace("-", " ")
    return subject if subject in SUBJECTS else name


def generate(
    folder: Path, recipe: Recipe, processes: int = 1, watch: Callable[[int, int], None] = lambda documents, tokens: None
) -> CorpusManifest:
    """Write the corpus that `recipe` describes, or go on where a killed process left it.

    `watch` is told, after each document, how many documents and tokens there are.
    """
    settings: dict[str, JsonValue] = recipe.model_dump(mode="json", exclude_none=True)
    done = finished(folder, settings)
    if done is not None:
        return done
    with CorpusWriter(folder, settings) as writer:
        documents, tokens = len(writer), writer.tokens
        watch(documents, tokens)
        wanted = recipe.documents or 2**62
        if not _enough(recipe, documents, tokens):
            for packed in run_ordered(_make, islice(_tasks(recipe), documents, wanted), processes):
                writer.add(packed)
                documents, tokens = documents + 1, tokens + packed.tokens
                if documents % SAVED_EVERY == 0:
                    writer.save()
                watch(documents, tokens)
                if _enough(recipe, documents, tokens):
                    break
        return writer.finish()


def _enough(recipe: Recipe, documents: int, tokens: int) -> bool:
    return documents >= (recipe.documents or 2**62) or tokens >= (recipe.tokens or 2**62)


def _tasks(recipe: Recipe) -> Iterator[Plan | ReportTask]:
    """What to write, without end: the domains take turns."""
    subjects = [domain for domain in recipe.domains if domain in SUBJECTS]
    plans = World(recipe.seed, subjects, recipe.length).plans()
    for index in count():
        for domain in recipe.domains:
            yield next(plans) if domain in SUBJECTS else ReportTask(domain, recipe.seed, index)


def _make(task: Plan | ReportTask) -> PackedDocument:
    if isinstance(task, Plan):
        return pack(write_article(task))
    return pack(write_report(task.domain, task.seed, task.index))

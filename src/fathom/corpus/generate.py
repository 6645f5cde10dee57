"""Generates a corpus: documents are planned in one process and written in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.prose import DOMAINS as PROSE
from fathom.corpus.generated.prose import write_prose
from fathom.corpus.generated.reports import DOMAINS as REPORTS
from fathom.corpus.generated.reports import write_report
from fathom.corpus.generated.research import write_article
from fathom.corpus.generated.world import ArticlePlan, World
from fathom.corpus.manifest import CorpusManifest
from fathom.corpus.store import CorpusWriter, PackedDocument, finished_corpus, pack
from fathom.parallel import map_ordered
from fathom.records.documents import PositiveInt
from fathom.records.errors import FathomError
from fathom.records.record import Record

GENERATOR = 4
"""The version of the generated text, of articles and reports."""
SAVE_INTERVAL = 32
"""Documents between two commits: a kill loses no more."""

DocumentLength = Literal["full", "short", "long"]
DOMAIN_GROUPS = {"articles": SUBJECTS, "reports": tuple(REPORTS), "prose": tuple(PROSE)}
"""Names that select several domains."""


class Recipe(Record):
    """The settings of a generated corpus: the same recipe gives the same bytes."""

    command: str = Field(default="generate", pattern="^generate$")
    domains: tuple[str, ...] = SUBJECTS
    """Which documents, in turn: subjects of articles, kinds of reports and of prose."""
    length: DocumentLength = "full"
    """Full documents, letters of a page instead of articles, or long prose; reports have one length."""
    seed: int = 0
    generator: int = GENERATOR
    """The version of the generated text; a corpus started by another version is not continued."""
    documents: PositiveInt | None = None
    tokens: PositiveInt | None = None
    """Generation ends with the document that reaches this number of tokens."""

    @model_validator(mode="after")
    def _has_one_size(self) -> Self:
        if (self.documents is None) == (self.tokens is None):
            raise ValueError("give a number of documents or a number of tokens")
        return self

    @model_validator(mode="after")
    def _documents_have_the_length(self) -> Self:
        reports = [domain for domain in self.domains if domain not in SUBJECTS]
        if self.length == "short" and reports:
            raise FathomError(
                f"Only articles have a short form, but the domains include {', '.join(reports)}. "
                "Remove them, or remove `--length short`."
            )
        non_prose = [domain for domain in self.domains if domain not in PROSE]
        if self.length == "long" and non_prose:
            raise FathomError(
                f"Only prose has a long form, but the domains include {', '.join(non_prose)}. "
                "Remove them, or remove `--length long`."
            )
        return self


@dataclass(frozen=True)
class ReportTask:
    """A report to write."""

    domain: str
    seed: int
    index: int


@dataclass(frozen=True)
class ProseTask:
    """A document of prose to write."""

    domain: str
    seed: int
    index: int
    long: bool


def parse_domains(text: str) -> tuple[str, ...]:
    """The domains of a list such as "physics,reports", each once."""
    domains: dict[str, None] = {}
    for name in filter(None, (word.strip() for word in text.split(","))):
        for domain in DOMAIN_GROUPS.get(name, (_with_spaces(name),)):
            if domain not in SUBJECTS and domain not in REPORTS and domain not in PROSE:
                names = ", ".join(word.replace(" ", "-") for word in (*DOMAIN_GROUPS, *SUBJECTS, *REPORTS, *PROSE))
                raise FathomError(f"There is no domain '{name}'. Choose from: {names}.")
            domains[domain] = None
    if not domains:
        raise FathomError("The list of domains is empty. Give some, such as `--domains articles,companies`.")
    return tuple(domains)


def _with_spaces(name: str) -> str:
    """The subject with spaces instead of hyphens: "computer-science" needs no quotes on a command line."""
    subject = name.replace("-", " ")
    return subject if subject in SUBJECTS else name


def generate(
    folder: Path,
    recipe: Recipe,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda documents, tokens: None,
) -> CorpusManifest:
    """Write the corpus of a recipe, or continue where a killed process stopped.

    `progress` is called after each document with the number of documents and tokens so far.
    """
    settings: dict[str, JsonValue] = recipe.model_dump(mode="json", exclude_none=True)
    existing = finished_corpus(folder, settings)
    if existing is not None:
        return existing
    with CorpusWriter(folder, settings) as writer:
        documents, tokens = len(writer), writer.tokens
        progress(documents, tokens)
        if not _is_complete(recipe, documents, tokens):
            for packed in map_ordered(_write, islice(_tasks(recipe), documents, None), processes):
                writer.add(packed)
                documents, tokens = documents + 1, tokens + packed.tokens
                if documents % SAVE_INTERVAL == 0:
                    writer.save()
                progress(documents, tokens)
                if _is_complete(recipe, documents, tokens):
                    break
        return writer.finish()


def _is_complete(recipe: Recipe, documents: int, tokens: int) -> bool:
    return documents >= (recipe.documents or 2**62) or tokens >= (recipe.tokens or 2**62)


GenerationTask = ArticlePlan | ReportTask | ProseTask


def _tasks(recipe: Recipe) -> Iterator[GenerationTask]:
    """An endless sequence of documents to write; the domains alternate."""
    subjects = [domain for domain in recipe.domains if domain in SUBJECTS]
    plans = World(recipe.seed, subjects, "short" if recipe.length == "short" else "full").plans()
    for index in count():
        for domain in recipe.domains:
            if domain in SUBJECTS:
                yield next(plans)
            elif domain in PROSE:
                yield ProseTask(domain, recipe.seed, index, recipe.length == "long")
            else:
                yield ReportTask(domain, recipe.seed, index)


def _write(task: GenerationTask) -> PackedDocument:
    match task:
        case ArticlePlan():
            return pack(write_article(task))
        case ProseTask():
            return pack(write_prose(task.domain, task.seed, task.index, long=task.long))
        case ReportTask():
            return pack(write_report(task.domain, task.seed, task.index))

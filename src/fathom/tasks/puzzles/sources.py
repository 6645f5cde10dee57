"""Finds for a document the words of its facts and the programs that can be composed over them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from fathom.corpus.generated.prose import DOMAINS
from fathom.corpus.generated.prose.pack import load_pack
from fathom.records.documents import Document
from fathom.tasks.puzzles.figure_programs import ArticleComposer, ReportComposer, article_vocabulary, report_vocabulary
from fathom.tasks.puzzles.policy_programs import PolicyComposer
from fathom.tasks.puzzles.prose_programs import ProseComposer, prose_vocabulary
from fathom.tasks.puzzles.puzzle import PuzzleSource
from fathom.tasks.puzzles.tree import Node

KINDS = ("narrative", "news", "policy", "report", "article")


def source_of(document: Document) -> PuzzleSource | None:
    """The document with the words for its facts; None if puzzles cannot be made from it."""
    if document.format == "generated" and document.subject is not None and document.subject in DOMAINS:
        kind = DOMAINS[document.subject]
        roles = load_pack(kind.kind, kind.language).names.get("roles", ())
        return PuzzleSource(document, prose_vocabulary(document.subject), kind.kind, roles)
    if document.kind == "report":
        vocabulary = report_vocabulary(document)
    elif document.kind == "article" and document.format == "generated":
        vocabulary = article_vocabulary(document)
    else:
        vocabulary = None
    return PuzzleSource(document, vocabulary, document.kind) if vocabulary is not None else None


def programs_of(source: PuzzleSource, rng: Random) -> Iterator[Node]:
    """Programs over the facts of a document, in random order; many of them make no puzzle."""
    if source.vocabulary.derived and source.kind != "policy":
        return ProseComposer(source.document, source.vocabulary, rng).programs()
    if source.kind == "report":
        return ReportComposer(source.document, source.vocabulary, rng).programs()
    if source.kind == "article":
        return ArticleComposer(source.document, source.vocabulary, rng).programs()
    return PolicyComposer(source.document, rng).programs()

"""The unknown parts of the articles of a context, and the programs that depend on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from fathom.records.documents import DocumentId
from fathom.tasks.family import UnaskedKind
from fathom.tasks.numeric.schema import FIELD_OF, SCHEMA, ArticlePart, RequiredParts
from fathom.tasks.numeric.sources import ArticleSource
from fathom.tasks.numeric.unlinked_references import articles_in_doubt
from fathom.tasks.programs import tree
from fathom.tasks.programs.evaluate import Evaluation
from fathom.tasks.programs.masks import bits

PARTS: tuple[ArticlePart, ...] = ("title", "byline", "references")
_NAMES: dict[ArticlePart, str] = {"title": "titles", "byline": "authors", "references": "references"}
_PREVENTED: dict[ArticlePart, str] = {
    "title": "no questions that name articles, and few or none on title lengths,",
    "byline": "no questions on people, and few or none on author counts,",
    "references": "no questions on citations, and few or none on reference counts,",
}
"""The questions that are not asked if a part of any article is unknown, and those asked only where it is excluded."""


class UnknownParts:
    """Decides for the programs over one context whether their answers depend on something unknown."""

    def __init__(self, sources: Sequence[ArticleSource], evaluation: Evaluation) -> None:
        self._sources = sources
        self._evaluation = evaluation
        self.documents: Mapping[ArticlePart, tuple[DocumentId, ...]] = {
            part: ids for part in PARTS if (ids := tuple(source.id for source in sources if part in source.unknown))
        }
        """The articles in which each part is unknown; only parts that are unknown somewhere."""
        self._empty: frozenset[ArticlePart] = frozenset(self._parts_without_value()) if sources else frozenset()
        """The parts that no article is known to have: there is nothing to ask about them."""
        self._collective = tuple(source.id for source in sources if source.collective)
        """The articles with a group among their authors, which is not a person."""

    def _parts_without_value(self) -> Iterator[ArticlePart]:
        if all("title" in source.unknown for source in self._sources):
            yield "title"
        if not any(source.byline for source in self._sources):
            yield "byline"
        if not any(source.references for source in self._sources):
            yield "references"

    @cached_property
    def doubtful_links(self) -> tuple[DocumentId, ...]:
        """The articles with a reference that may or may not cite another article of the context."""
        return tuple(articles_in_doubt(self._sources))

    def exclude(self, required: RequiredParts) -> bool:
        """Whether no values for the slots of a program make its answer known and worth asking for."""
        unknown = self.documents.keys()
        return bool(
            required.read & self._empty
            or required.of_all & unknown
            or required.in_every_condition & unknown
            or (required.citations and self.doubtful_links)
            or ("byline" in required.of_all and self._collective)
        )

    def concern(self, program: tree.Program) -> bool:
        """Whether the answer of a program without slots, which is not excluded, depends on something unknown."""
        if not self.documents:
            return False
        return self._lists_unknown_title(program) or bool(self._evaluation.unknown_cells(program))

    def unasked(self) -> Iterator[UnaskedKind]:
        """The questions that could not be asked about the context, and why."""
        everything = tuple(source.id for source in self._sources)
        for part, ids in self.documents.items():
            field = FIELD_OF[part]
            questions = f"no questions on {_NAMES[part]}" if part in self._empty else _PREVENTED[part]
            yield UnaskedKind(f"{_NAMES[part]} are unknown", questions, field, ids)
        for part in sorted(self._empty - self.documents.keys()):
            yield UnaskedKind(f"{_NAMES[part]} are absent", f"no questions on {_NAMES[part]}", None, everything)
        if "byline" not in self.documents and self._collective:
            yield UnaskedKind("groups are among the authors", "no questions on people", None, self._collective)
        if "references" not in self.documents and self.doubtful_links:
            yield UnaskedKind(
                "references that may or may not be to another article occur",
                "no questions on citations",
                None,
                self.doubtful_links,
            )

    def _lists_unknown_title(self, program: tree.Program) -> bool:
        if "title" not in self.documents or not isinstance(program.output, tree.Labels):
            return False
        view = self._evaluation.view(SCHEMA.main)
        return any("title" in self._sources[index].unknown for index in bits(view.possible(program.where)))

"""Builds puzzles: composes programs over each document and keeps those whose proofs hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from pydantic import JsonValue

from fathom.contexts.assembly import whole_documents
from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.contexts import Context
from fathom.records.documents import Document
from fathom.records.rng import rng_for
from fathom.tasks.family import ContextItems, Item
from fathom.tasks.puzzles.authored import authored_contexts
from fathom.tasks.puzzles.baselines import Baselines
from fathom.tasks.puzzles.checklist import FACT
from fathom.tasks.puzzles.puzzle import NAME, RejectedError, make_item
from fathom.tasks.puzzles.settings import PuzzlesSettings
from fathom.tasks.puzzles.sources import programs_of, source_of

TRIES = 160
"""Programs that are tried for each puzzle of a document."""


class PuzzlesBuilder:
    """Builds the puzzles of one corpus."""

    def __init__(self, corpus: Corpus, settings: PuzzlesSettings, seed: int) -> None:
        self._corpus, self._settings, self._seed = corpus, settings, seed
        self._rejected: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._baselines = Baselines()

    def build(self) -> Iterator[ContextItems]:
        """Each document as a context with its puzzles, documents in random order."""
        if self._settings.authored is not None:
            yield from authored_contexts(self._corpus, self._settings.authored, self._settings.items)
            return
        ids = [entry.id for entry in self._corpus.entries()]
        rng_for(self._seed, NAME).shuffle(ids)
        missing = self._settings.items
        for id in ids:
            document = self._corpus.document(id)
            if forges_boundary(document.text.encode()):
                self._left_out["with a boundary line"] += 1
                continue
            context = whole_documents([document], tokenizer(DEFAULT))
            items = self._items(context, document, min(missing, self._settings.per_document))
            if items:
                missing -= len(items)
                yield ContextItems(context, items)
            if missing == 0:
                return

    def _items(self, context: Context, document: Document, count: int) -> list[Item]:
        source = source_of(document)
        if source is None:
            self._left_out["without facts that puzzles can be made from"] += 1
            return []
        rng = rng_for(self._seed, NAME, document.id)
        steps = range(self._settings.min_steps, self._settings.max_steps + 1)
        by_facts: dict[tuple[str, ...], Item] = {}
        """By the places of their facts: a question that differs only in its given values is the same puzzle."""
        for program in islice(programs_of(source, rng), TRIES * count):
            try:
                item = make_item(source, context, program, steps)
            except RejectedError as reason:
                self._rejected[str(reason)] += 1
                continue
            by_facts.setdefault(tuple(sorted(row[8] for row in item.key.proof.rows if row[0] == FACT)), item)
            if len(by_facts) == count:
                break
        else:
            self._left_out["that allow fewer puzzles than requested"] += 1
        for item in by_facts.values():
            self._baselines.add(source, item)
        return list(by_facts.values())

    def report(self) -> dict[str, JsonValue]:
        """What was left out and why, and the shortcut baselines."""
        return {
            "programs rejected": dict(sorted(self._rejected.items())),
            "documents": dict(sorted(self._left_out.items())),
            "baselines": self._baselines.report(),
        }

    def explain_empty(self) -> str:
        if self._settings.authored is not None:
            return f"'{self._settings.authored}' has no puzzles. Write some with `fathom author`."
        return (
            f"No document of '{self._corpus.folder}' has facts for puzzles, or no puzzle has the wanted "
            "number of steps. Generate some: fathom generate --out corpus --domains prose. Or change --min-steps."
        )

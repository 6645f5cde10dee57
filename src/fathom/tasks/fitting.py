"""Fits a bench to a context window: contexts that are too long lose whole documents, and keys are recomputed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from fathom.contexts.assembly import PlacedDocument, assemble, count_tokens
from fathom.corpus.store import Corpus
from fathom.models.model_info import ModelInfo, model_info
from fathom.models.tokenizers import DEFAULT, EMBEDDED, tokenizer
from fathom.records.contexts import Context, ContextId
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.layouts import LAYOUT
from fathom.records.lengths import format_length
from fathom.records.record import digest
from fathom.records.rng import rng_for
from fathom.records.version import __version__
from fathom.tasks.bench import Bench, BenchManifest, FitReport, complete_bench
from fathom.tasks.bench_counts import BenchCounts
from fathom.tasks.bench_folder import (
    CONTEXTS,
    KEYS,
    QUESTIONS,
    fingerprint_of,
    hashes_of,
    making,
    refuse_another,
    writing,
)
from fathom.tasks.catalog import family
from fathom.tasks.family import Item, Refitter
from fathom.tasks.verification import VerifiedItems, Verifier

MIN_DOCUMENTS = 4
"""The minimum number of documents in a context: with fewer there is little to compare."""

TOO_FEW = f"fewer than {MIN_DOCUMENTS} of its documents fit"
DUPLICATE = "the shortened context equals another one"


@dataclass(frozen=True)
class Window:
    """A model's context window, in the model's tokens."""

    window: int
    reserve: int = 2_048
    """Tokens reserved for the response."""
    model: str | None = None
    """The model whose tokens are counted; None for the tokenizer of the contexts."""

    def takes(self, tokens: int) -> bool:
        """Whether this many tokens fit into the window in addition to the reserve."""
        return self._model_info.tokens(tokens) + self.reserve <= self.window

    def counted_in(self, context: Context) -> str:
        """The tokenizer to count with: token ratios of models refer to the default one."""
        return context.tokenizer if self.model is None else DEFAULT

    @cached_property
    def _model_info(self) -> ModelInfo:
        return ModelInfo(token_ratio=1) if self.model is None else model_info(self.model)


def fit(
    folder: Path,
    window: Window,
    out: Path,
    corpus_folder: Path | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> BenchManifest:
    """Write to `out` the part of the bench that fits the window; the same bench and window give the same bytes.

    If `out` already contains that bench, nothing is done.
    """
    bench = Bench(folder)
    refuse_unsound(bench)
    existing = complete_bench(out, _inputs(bench, window))
    if existing is not None:
        return existing
    refuse_another(out)
    with bench.open_corpus(corpus_folder) as corpus, making(out) as finish:
        fitting = _BenchFitter(bench, corpus, window)
        with writing(out) as write:
            for verified in fitting.fitted_contexts(progress):
                write(verified)
            fitting.refuse_nothing_left()
        manifest = fitting.manifest(out)
        finish(manifest)
    return manifest


def _inputs(bench: Bench, window: Window) -> str:
    """The fingerprint of everything that the fitted bench depends on."""
    return digest("fit", bench.manifest.inputs, bench.manifest.fingerprint, repr(window)).hex()


class _BenchFitter:
    """Fits the contexts of a bench one after the other, and counts the questions that are kept and lost."""

    def __init__(self, bench: Bench, corpus: Corpus, window: Window) -> None:
        self._bench = bench
        self._corpus = corpus
        self._window = window
        self._counts = BenchCounts.of(bench.manifest)
        self._unchanged = self._recomputed = 0
        self._refused: Counter[str] = Counter()
        self._taken: set[ContextId] = {context.id for context in bench.contexts()}
        self._counter = cache(lambda name: _TokenCounter(corpus, name))
        self._verifier = Verifier(corpus)
        self._refitter: Callable[[str], Refitter | None] = cache(self._find_refitter)
        self._words = cache(self._count_words)

    def fitted_contexts(self, progress: Callable[[int], None]) -> Iterator[VerifiedItems]:
        """Each context that fits or could be shortened, with its items."""
        for done, (context, items) in enumerate(self._bench.by_context(), start=1):
            if self._window.takes(self._tokens(context) + self._question_tokens(context, items)):
                verified = self._verify(context, items)
                self._unchanged += len(verified.items)
                if verified.items or not items:
                    yield verified
            else:
                smaller, kept_items = self._shrink(context, items)
                if smaller is not None and kept_items:
                    verified = self._verify(smaller, kept_items)
                    self._recomputed += len(verified.items)
                    if verified.items:
                        yield verified
            progress(done)
        self._verifier.refuse_failed_bench()

    def _verify(self, context: Context, items: Sequence[Item]) -> VerifiedItems:
        verified = self._verifier.verify(context, items)
        self._refused.update({f"it fails the check '{check}'": count for check, count in verified.dropped.items()})
        if verified.items or not items:
            self._counts.add(context, verified.items)
        return verified

    def manifest(self, out: Path) -> BenchManifest:
        """The manifest of the original bench, with what the fit changed."""
        window = self._window
        original = self._bench.manifest
        return original.model_copy(
            update={
                "corpus": Path(os.path.relpath(self._corpus.folder, out)).as_posix(),
                **self._counts.fields(),
                "inputs": _inputs(self._bench, window),
                "fit": FitReport(
                    bench=original.fingerprint,
                    window=window.window,
                    reserve=window.reserve,
                    model=window.model,
                    built=original.questions,
                    unchanged=self._unchanged,
                    recomputed=self._recomputed,
                    refused=dict(sorted(self._refused.items())),
                ),
                "fingerprint": fingerprint_of(out),
                "hashes": hashes_of(out),
            }
        )

    def refuse_nothing_left(self) -> None:
        """Raise an error if no question is left."""
        if self._counts.questions:
            return
        reason, count = self._refused.most_common(1)[0]
        raise FathomError(
            f"No question of '{self._bench.folder}' is left in a window of {format_length(self._window.window)} tokens "
            f"of which {format_length(self._window.reserve)} are reserved: for {count:,} of "
            f"{self._bench.manifest.questions:,}, {reason}. Give a larger --window, or a smaller --reserve."
        )

    def _find_refitter(self, name: str) -> Refitter | None:
        refit = family(name).refit
        return None if refit is None else refit(self._corpus, self._bench.manifest.reports.get(name, {}))

    # Lengths.

    def _prompt_counter(self, context: Context) -> _TokenCounter:
        return self._counter(self._window.counted_in(context))

    def _tokens(self, context: Context) -> int:
        """The number of tokens of a context; the recorded one if the context shows parts of documents."""
        return self._prompt_counter(context).tokens(context.documents) if _is_whole(context) else context.tokens

    def _question_tokens(self, context: Context, items: Sequence[Item]) -> int:
        """The tokens of the longest question with its instructions."""
        counter = self._prompt_counter(context)
        return max(
            (self._words(item.question.family, counter) + counter.count(item.question.text) for item in items),
            default=0,
        )

    def _count_words(self, name: str, counter: _TokenCounter) -> int:
        """The tokens of the longest instructions of the system `full`."""
        instructions = family(name).views(self._corpus, {}).instructions
        return max(counter.count(text) for heading, text in instructions.items() if heading.startswith("full, "))

    # Shortening.

    def _shrink(self, context: Context, items: list[Item]) -> tuple[Context | None, list[Item]]:
        """The context with fewer documents and its recomputed items; the other items are counted as refused."""
        if not _is_whole(context) or all(self._refitter(item.question.family) is None for item in items):
            self._refused.update(map(_not_resizable, items))
            return None, []
        documents = self._choose_documents(context, items)
        smaller = None if documents is None else self._laid_out(context, documents)
        if smaller is None or smaller.id in self._taken:
            self._refused.update({TOO_FEW if smaller is None else DUPLICATE: len(items)} if items else {})
            return None, []
        self._taken.add(smaller.id)
        refitted_items: list[Item] = []
        for name in self._bench.manifest.families:
            items_of_family = [item for item in items if item.question.family == name]
            refitter = self._refitter(name)
            if refitter is None:
                self._refused.update(map(_not_resizable, items_of_family))
                continue
            refitted = refitter.refit(context, smaller, items_of_family)
            refitted_items.extend(refitted.items)
            self._refused.update(refitted.refused)
        return smaller, refitted_items

    def _choose_documents(self, context: Context, items: Sequence[Item]) -> list[DocumentId] | None:
        """The documents to keep: those that items depend on most, then others that still fit."""
        question_tokens, context_tokens = self._question_tokens(context, items), self._counter(context.tokenizer)

        def fits(documents: Collection[DocumentId]) -> bool:
            ordered = _in_order(context, documents)
            # The window becomes the context's length, which the text must not exceed in the context's tokens.
            return self._window.takes(self._prompt_counter(context).tokens(ordered) + question_tokens) and (
                context_tokens.tokens(ordered) <= self._window.window
            )

        shortest = sorted(context.documents, key=context_tokens.document_tokens)
        kept_documents: set[DocumentId] = set()
        for document in _most_needed(context, items):
            candidates = kept_documents | {document}
            # Skip a long document if the remaining ones of the minimum would no longer fit.
            fillers = [other for other in shortest if other not in candidates][
                : max(0, MIN_DOCUMENTS - len(candidates))
            ]
            if fits(candidates.union(fillers)):
                kept_documents = candidates
        return _in_order(context, kept_documents) if len(kept_documents) >= MIN_DOCUMENTS else None

    def _laid_out(self, context: Context, documents: Sequence[DocumentId]) -> Context:
        return lay_out_again(context, documents, self._window.window, self._counter(context.tokenizer))


def _is_whole(context: Context) -> bool:
    """Whether the context shows whole documents, some of which can be left out."""
    return context.layout == LAYOUT and not any(place.edits for place in context.places)


def _not_resizable(item: Item) -> str:
    return f"contexts of the family '{item.question.family}' cannot be made smaller"


def _most_needed(context: Context, items: Sequence[Item]) -> list[DocumentId]:
    """The documents in the order of their importance; ties are broken at random.

    Each item has one vote, shared by the documents it depends on: an item that needs two documents is lost with either,
    one that needs forty can spare some. One vote for each document kept no more items than a random choice.
    """
    needed: dict[DocumentId, float] = dict.fromkeys(context.documents, 0.0)
    for item in items:
        documents_of_item = {passage.document for passage in item.key.proof.passages}
        for document in documents_of_item:
            needed[document] += 1 / len(documents_of_item)
    order = list(context.documents)
    rng_for(0, "fit", context.id).shuffle(order)
    return sorted(order, key=needed.__getitem__, reverse=True)


def _in_order(context: Context, documents: Collection[DocumentId]) -> list[DocumentId]:
    return [id for id in context.documents if id in documents]


class _TokenCounter:
    """Counts the tokens of contexts of one corpus with one tokenizer."""

    def __init__(self, corpus: Corpus, name: str) -> None:
        if name not in EMBEDDED:
            raise FathomError(
                f"The contexts of the bench were counted with the tokenizer '{name}', which does not come with Fathom. "
                f"Sample them again with one of {', '.join(EMBEDDED)}."
            )
        self._tokenizer = tokenizer(name)
        # They split at newlines, so the counts of pieces add up to the count of the whole.
        assert self._tokenizer.splits_at_newlines
        self._tokens = corpus.token_counts(self._tokenizer)
        self._entries = {entry.id: entry for entry in corpus.entries()}

    def count(self, text: str) -> int:
        return self._tokenizer.count(text)

    def document_tokens(self, document: DocumentId) -> int:
        """The tokens of one document."""
        return self._tokens[document]

    def tokens(self, documents: Sequence[DocumentId]) -> int:
        """The token count of these documents when they are laid out."""
        return count_tokens(map(self.document_tokens, documents), self._tokenizer)

    def assemble(self, documents: Sequence[DocumentId], context: Context, length: int) -> Context:
        """The context of these documents, of at most that length; sampling and split are those of `context`."""
        entries = [self._entries[document] for document in documents]
        pieces = [
            PlacedDocument(entry.id, entry.fingerprint, entry.characters, self.document_tokens(entry.id))
            for entry in entries
        ]
        return assemble(pieces, self._tokenizer, length=length, sampling=context.sampling, split=context.split)


def lay_out_again(context: Context, documents: Sequence[DocumentId], length: int, counter: _TokenCounter) -> Context:
    """The context with only these documents and at most that length; everything else is unchanged."""
    if context.layout != LAYOUT:
        raise FathomError(
            f"Context '{context.id}' is laid out as '{context.layout}', which this version of Fathom does not know "
            f"({LAYOUT}). Update Fathom, or build the bench again."
        )
    return counter.assemble(documents, context, length)


# Checks before anything is written.


def refuse_unsound(bench: Bench) -> None:
    """Refuse a bench that was changed or built by another version: keys are recomputed from its programs."""
    if bench.manifest.fathom != __version__:
        raise FathomError(
            f"The bench '{bench.folder}' was built by Fathom {bench.manifest.fathom}, and this is "
            f"{__version__}. Build it again, or fit it with that version."
        )
    for name in (CONTEXTS, QUESTIONS, KEYS):
        if not (bench.folder / name).is_file():
            raise FathomError(f"The bench '{bench.folder}' lacks {name}. Restore a copy, or build it again.")
    if fingerprint_of(bench.folder) != bench.manifest.fingerprint:
        raise FathomError(
            f"The bench '{bench.folder}' was changed after it was built. Restore a copy, or build it again."
        )

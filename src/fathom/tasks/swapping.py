"""Builds counterfactual benches: with swapped names and numbers, memorized answers are incorrect."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue

from fathom.contexts.assembly import PlacedDocument, assemble
from fathom.corpus.store import Corpus
from fathom.corpus.swap import CorpusSwap, OffsetMap, swap_corpus
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context, Edit, Place, apply_edits
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.record import digest
from fathom.scoring.answer_types.compare import share_a_response
from fathom.tasks.bench import Bench, BenchManifest, complete_bench
from fathom.tasks.bench_counts import BenchCounts
from fathom.tasks.bench_folder import contents, fingerprint_of, hashes_of, making, refuse_another, writing
from fathom.tasks.catalog import family
from fathom.tasks.family import Item, Swapper
from fathom.tasks.fitting import refuse_unsound
from fathom.tasks.verification import VerifiedItems, Verifier

CACHED = 4_096
"""Documents whose offset maps are cached."""


class SwappedContexts:
    """Makes contexts of the swapped corpus from those of the original."""

    def __init__(self, before: Corpus, after: Corpus, swapping: CorpusSwap) -> None:
        self.before = before
        self.after = after
        self.swapping = swapping
        self.moves: Callable[[DocumentId], OffsetMap] = lru_cache(maxsize=CACHED)(self._moves)

    def _moves(self, id: DocumentId) -> OffsetMap:
        return self.swapping.changes(self.before.document(id)).offsets

    def context(self, context: Context, order: Sequence[int] | None = None) -> Context:
        """The context over the swapped documents; `order` gives the numbers of its places in another order."""
        counter = tokenizer(context.tokenizer)
        pieces = []
        for place in context.places if order is None else [context.places[number] for number in order]:
            stored = self.after.stored_text(place.document)
            edits = self._edits(place)
            text = apply_edits(stored.utf8.decode(), edits)
            pieces.append(PlacedDocument(place.document, stored.fingerprint, len(text), counter.count(text), edits))
        return assemble(
            pieces,
            counter,
            # Where the new text is longer than the context's length, the length grows.
            length=lambda tokens: context.length if tokens <= context.length else -(-tokens // 1_024) * 1_024,
            layout=context.layout,
            sampling=context.sampling,
            split=context.split,
        )

    def _edits(self, place: Place) -> tuple[Edit, ...]:
        # Most contexts show whole documents, which need no offset map.
        return tuple(Edit(span=self.moves(place.document).map(edit.span), text=edit.text) for edit in place.edits)


CORPUS = "corpus"
"""The folder of the swapped corpus in the bench's folder."""
REPORT = "swap"
"""The name of the swap among the manifest's reports."""
CHANGED = "changed"
"""The tag that says whether the answer changed."""


def swap(
    folder: Path,
    out: Path,
    seed: int = 0,
    corpus_folder: Path | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> BenchManifest:
    """Write the swapped bench to `out`, its corpus inside; the same bench and seed give the same bytes.

    If `out` already contains that bench, nothing is done.
    """
    bench = Bench(folder)
    refuse_unsound(bench)
    existing = complete_bench(out, _inputs(bench, seed))
    if existing is not None and (out / CORPUS).is_dir():
        return existing
    if contents(out) != {CORPUS}:  # a killed swap may have left a corpus; its recipe identifies the swap
        refuse_another(out)
    _refuse_unswappable(bench)
    with bench.open_corpus(corpus_folder) as original, making(out) as finish:
        swapping, corpus_report = swap_corpus(original, out / CORPUS, seed)
        with Corpus(out / CORPUS) as after:
            swapped = _Swap(bench, SwappedContexts(original, after, swapping))
            with writing(out) as write:
                for verified in swapped.items(progress):
                    write(verified)
                swapped.refuse_empty()
            finish(manifest := swapped.manifest(out, after, seed, corpus_report))
    return manifest


def _inputs(bench: Bench, seed: int) -> str:
    """The fingerprint of everything that the swapped bench depends on."""
    return digest("swap", bench.manifest.inputs, bench.manifest.fingerprint, seed).hex()


def _refuse_unswappable(bench: Bench) -> None:
    if bench.manifest.reports.get(REPORT):
        raise FathomError(f"The bench '{bench.folder}' is already swapped. Swap the original bench.")
    if not any(family(name).swap for name in bench.manifest.families):
        names = ", ".join(bench.manifest.families)
        reasons = [
            f": {swapped_family.no_swap}"
            for name in bench.manifest.families
            if (swapped_family := family(name)).no_swap
        ]
        raise FathomError(
            f"Questions of the family {names} cannot be swapped{''.join(reasons[:1])}. Use a bench of another family."
        )


class _Swap:
    """Swaps the contexts of a bench one after the other, and counts the questions that are kept and lost."""

    def __init__(self, bench: Bench, contexts: SwappedContexts) -> None:
        self._bench = bench
        self._contexts = contexts
        self._verifier = Verifier(contexts.after)
        self._families = tuple(name for name in bench.manifest.families if family(name).swap)
        self._counts = BenchCounts.of(bench.manifest, self._families)
        self._lost: Counter[str] = Counter()
        self._changed: Counter[str] = Counter()
        self._grown = self._idle = 0

    def items(self, progress: Callable[[int], None]) -> Iterator[VerifiedItems]:
        """Each context with its recomputed items; contexts without items are left out."""
        swappers = {name: self._swapper(name) for name in self._families}
        for done, (context, items) in enumerate(self._bench.by_context(), start=1):
            after = self._contexts.context(context)
            swapped_items: list[Item] = []
            for name in dict.fromkeys(item.question.family for item in items):
                items_of_family = [item for item in items if item.question.family == name]
                if name not in swappers:
                    self._lost[f"the family '{name}' cannot be swapped"] += len(items_of_family)
                    continue
                swapped = swappers[name].swap(context, after, items_of_family)
                after = swapped.context
                swapped_items += map(_mark_changed, swapped.items)
                self._lost.update(swapped.refused)
            verified = self._verifier.verify(after, swapped_items)
            self._lost.update({f"it fails the check '{check}'": count for check, count in verified.dropped.items()})
            if verified.items:
                self._grown += after.length > context.length
                self._changed.update(item.question.tags[CHANGED] for item in verified.items)
                self._counts.add(after, verified.items)
                yield verified
            else:
                self._idle += 1
            progress(done)
        self._verifier.refuse_failed_bench()

    def _swapper(self, name: str) -> Swapper:
        swapper = family(name).swap
        assert swapper is not None
        return swapper(self._contexts)

    def refuse_empty(self) -> None:
        """Raise an error if no question is left."""
        if self._counts.questions:
            return
        reason, lost = self._lost.most_common(1)[0] if self._lost else ("it has none", 0)
        raise FathomError(
            f"No question of the bench '{self._bench.folder}' is left after the swap: {lost:,} of "
            f"{self._bench.manifest.questions:,} are left out because {reason}. Build a larger bench, or one of "
            "other documents."
        )

    def manifest(self, out: Path, corpus: Corpus, seed: int, corpus_report: dict[str, JsonValue]) -> BenchManifest:
        """The manifest of the original bench, with what the swap changed."""
        original = self._bench.manifest
        report: dict[str, JsonValue] = {
            "bench": original.fingerprint,
            "seed": seed,
            **corpus_report,
            "questions": original.questions,
            "answers that changed": self._changed["yes"],
            "answers that no swap can change": self._changed["no"],
            "left out": dict(sorted(self._lost.items())),
            "contexts left out": self._idle,
            "contexts that outgrew their length": self._grown,
        }
        return original.model_copy(
            update={
                "corpus": Path(os.path.relpath(corpus.folder.resolve(), out.resolve())).as_posix(),
                "corpus_fingerprint": corpus.manifest.fingerprint,
                "families": self._families,
                "settings": {name: original.settings[name] for name in self._families},
                **self._counts.fields(),
                "reports": {REPORT: report},
                "inputs": _inputs(self._bench, seed),
                "fingerprint": fingerprint_of(out),
                "hashes": hashes_of(out),
            }
        )


def _mark_changed(item: Item) -> Item:
    """The item with a tag that says whether its answer changed."""
    before, now = item.key.original, item.key.answer
    assert before is not None
    changed = "no" if share_a_response(now, before) else "yes"
    tags = dict(sorted({**item.question.tags, CHANGED: changed}.items()))
    return Item(item.question.model_copy(update={"tags": tags}), item.key)

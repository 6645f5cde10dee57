"""Rendering a context of a million tokens from the store, compared with joining bytes that are in memory."""

from __future__ import annotations

import time
from collections.abc import Callable

from _measuring import best, fathom, workplace
from fathom.contexts.files import read_contexts
from fathom.contexts.layout import lay_out, render
from fathom.corpus.store import Corpus


def milliseconds(task: Callable[[], object], times: int = 15) -> float:
    def once() -> float:
        start = time.perf_counter()
        task()
        return (time.perf_counter() - start) * 1000

    return best([once() for _ in range(times)])


with workplace() as folder:
    corpus = folder / "corpus"
    fathom("generate", "--out", corpus, "--documents", 400, "--seed", 7)
    fathom("contexts", corpus, "--lengths", "1M", "--count", 1)
    context = next(read_contexts(corpus / "contexts.jsonl"))
    with Corpus(corpus) as opened:
        texts = [opened.stored_text(id).utf8 for id in context.documents]
        size = len(render(context, opened))
        lower_bound = milliseconds(lambda: b"".join(lay_out(texts)))
        again = milliseconds(lambda: render(context, opened))
        decoded = milliseconds(lambda: render(context, opened).decode())
    with Corpus(corpus, cache_bytes=0) as opened:
        whole = milliseconds(lambda: render(context, opened))
        ids = [listed.id for listed in opened.entries()]
        text = milliseconds(lambda: [opened.stored_text(id).utf8 for id in ids]) / len(ids)
        parts = milliseconds(lambda: [opened.document(id) for id in ids], 3) / len(ids)
    print(f"a context of {context.tokens:,} tokens in {len(context.places)} documents, {size / 1e6:.1f} MB of text:")
    print(f"  joining bytes in memory  {lower_bound:6.2f} ms (the lower bound)")
    for what, took in (("rendered from the store", whole), ("rendered once more", again), ("decoded to str", decoded)):
        print(
            f"  {what:23}  {took:6.2f} ms, {took / lower_bound:.1f} times the lower bound, {size / took / 1e6:.2f} GB/s"
        )
    print(
        f"  its recipe: {len(context.to_line()):,} bytes, {size / len(context.to_line()):,.0f} times less than its text"
    )
    print(f"one document by id: its text in {text:.3f} ms, with all parts as records in {parts:.2f} ms")

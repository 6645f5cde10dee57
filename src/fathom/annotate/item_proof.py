"""The key of an item with its proof, as pages show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answer_types.format import display
from fathom.tasks.catalog import family
from fathom.tasks.family import Item

SURROUNDINGS = 120
"""Characters shown before and after a passage."""
MAX_PASSAGES = 200
MAX_QUOTE = 2_000


def proof_values(corpus: Corpus, context: Context, item: Item) -> dict[str, Any]:
    """The values of the template `item_proof.html`."""
    proof = item.key.proof
    return {
        "answer": display(item.key.answer),
        "steps": list(family(item.question.family).explain(item.key)),
        "program": proof.program,
        "rows": proof.rows[:MAX_PASSAGES],
        "passages": list(_passages(corpus, context, item)),
        "left_out": max(0, len(proof.passages) - MAX_PASSAGES),
    }


def _passages(corpus: Corpus, context: Context, item: Item) -> Iterator[dict[str, Any]]:
    """The passages of the proof as the documents print them, with the text before and after."""
    numbers = {document: number for number, document in enumerate(context.documents, start=1)}
    for passage in item.key.proof.passages[:MAX_PASSAGES]:
        text, (start, end) = corpus.text(passage.document), passage.span
        yield {
            "number": numbers.get(passage.document, 0),
            "document": passage.document,
            "before": text[max(0, start - SURROUNDINGS) : start],
            "quote": text[start : min(end, start + MAX_QUOTE)],
            "after": text[end : end + SURROUNDINGS],
        }

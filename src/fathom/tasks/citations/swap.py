"""Recomputes items on a swapped corpus: the same masks, with candidates in another order so that the key changes."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.records.contexts import Context
from fathom.records.documents import Passage
from fathom.records.lengths import format_length
from fathom.records.spans import Span
from fathom.scoring.keys import Key, Proof
from fathom.tasks.citations.draft import HIDDEN
from fathom.tasks.citations.item_layout import TASKS, answer_of, question_id
from fathom.tasks.citations.papers import Paper
from fathom.tasks.citations.simulate import options_of
from fathom.tasks.family import Item, SwappedCorpus, SwappedItems

MENTIONED = "a name that was too short to be hidden now identifies a candidate"
"""The reason why an item cannot be swapped."""


class Swapper:
    """Recomputes items for a swapped corpus."""

    def __init__(self, corpus: SwappedCorpus) -> None:
        self._corpus = corpus

    def swap(self, context: Context, swapped: Context, items: Sequence[Item]) -> SwappedItems:
        """The items over the context with reordered candidates."""
        # The paper first, and the candidates rotated by one: balanced positions stay balanced.
        last = len(context.places) - 1
        reordered = self._corpus.context(context, (0, last, *range(1, last)))
        if any(HIDDEN in item.question.text for item in items) and self._is_mentioned(reordered):
            return SwappedItems(reordered, [], [MENTIONED] * len(items))
        return SwappedItems(reordered, [self._item(item, reordered) for item in items], [])

    def _is_mentioned(self, context: Context) -> bool:
        """Whether the paper names a candidate outside its edits: two spellings may have become one name."""
        id, after = context.documents[0], self._corpus.after
        paper = Paper(after.document(id), after.text(id), context.documents[1:])
        hidden = [edit.span for edit in context.places[0].edits]
        return any(
            not any(edit.start < span.end and span.start < edit.end for edit in hidden)
            for span in paper.mentions(context.documents[1:])
        )

    def _item(self, item: Item, context: Context) -> Item:
        id = question_id(context, item.question.tags.get("setting", ""))
        tags = dict(sorted({**item.question.tags, "length": format_length(context.length)}.items()))
        asked = {"id": id, "context_id": context.id, "tags": tags}
        return Item(item.question.model_copy(update=asked), self._key(item, id, len(context.places) - 1))

    def _key(self, item: Item, id: str, of: int) -> Key:
        options = tuple(option % of + 1 for option in options_of(item.key))
        rows = tuple(self._row(*row) for row in item.key.proof.rows)
        return Key(
            question_id=id,
            answer=answer_of(TASKS[item.key.answer.type], options, of),
            proof=Proof(
                program="; ".join(f"{paper} cites {work} at {at} by entry {entry}" for paper, work, at, entry in rows),
                rows=rows,
                passages=tuple(
                    Passage(document=passage.document, span=self._corpus.moves(passage.document).map(passage.span))
                    for passage in item.key.proof.passages
                ),
            ),
            original=item.key.answer,
            swapped_from=item.question.id,
        )

    def _row(self, paper: str, work: str, place: str, entry: str) -> tuple[str, str, str, str]:
        start, _, end = place.partition("-")
        moved = self._corpus.moves(paper).map(Span(int(start), int(end)))
        return paper, work, f"{moved.start}-{moved.end}", entry

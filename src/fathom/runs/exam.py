"""What is asked in a run: a bench without its keys, handed in by whoever holds both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context
from fathom.records.questions import Question
from fathom.systems.desk import Views


@dataclass(frozen=True)
class Exam:
    """Contexts with their questions, and what may be shown of them."""

    bench: str
    """The bench's folder, as the user named it."""
    fingerprint: str
    groups: Callable[[], Iterator[tuple[Context, list[Question]]]]
    """Each context with its questions, in the bench's order."""
    views: Callable[[str], Views]
    """A family's views of the bench's contexts."""


@dataclass(frozen=True)
class Seen:
    """One context as one family shows it."""

    context: Context
    family: str
    views: Views

    def words(self, name: str) -> str:
        return self.views.words(name)

    def text(self, form: str) -> str:
        return self.views.text(self.context, form).decode()

    def tokens(self, form: str) -> int:
        """Exact and free for the documents of a context that was gathered with o200k; counted otherwise."""
        if form == "articles" and self.context.tokenizer == COUNTED_IN:
            return self.context.tokens
        return self.count(self.text(form))

    def count(self, text: str) -> int:
        # What is short comes again and again: instructions, and questions once for each sample.
        return _count(text) if len(text) < 5_000 else tokenizer(COUNTED_IN).count(text)


@lru_cache(maxsize=1_000)
def _count(text: str) -> int:
    return tokenizer(COUNTED_IN).count(text)


COUNTED_IN = "o200k"
"""What plans count in; the known models say how many of their own tokens one of these makes."""

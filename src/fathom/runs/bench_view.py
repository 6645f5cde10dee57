"""A bench as a run reads it: contexts, questions and views, without keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fathom.records.contexts import Context
from fathom.records.questions import Question
from fathom.systems.protocol import ContextView, Views


@dataclass(frozen=True)
class BenchView:
    """Contexts with their questions, and what may be shown of them."""

    bench: str
    """The bench's folder, as the user named it."""
    fingerprint: str
    groups: Callable[[], Iterator[tuple[Context, list[Question]]]]
    """Each context with its questions, in the bench's order."""
    views: Callable[[str], Views]
    """A family's views of the bench's contexts."""

    def view(self, context: Context, question: Question) -> ContextView:
        """The context as the question's family shows it."""
        return ContextView(context, self.views(question.family))

"""Tools over the documents of a context: list them, search them, read a part, find exact text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fathom.models.prompts import TextReference
from fathom.records.documents import Passage
from fathom.systems.protocol import DOCUMENTS, ContextView, Session, ShownDocument
from fathom.systems.retrieval.settings import IndexSettings

if TYPE_CHECKING:
    from fathom.systems.retrieval.index import ContextIndex

FIRST_LINE = 120
"""Characters of a document's first line in the list."""
AROUND = 120
"""Characters that are shown before and after an occurrence."""
LISTED = 40
"""Documents whose number of occurrences is listed."""
LABEL_TOKENS = 24
"""The maximum number of tokens of the line above an excerpt."""
NOT_FOUND = "This text does not occur, not even if case and line breaks are ignored."
TO_READ_ON = "Call again with start={} to read on."
AT_END = "This is its end."
READ_TO = re.compile(
    rf"^(.{{1,80}}?) has [\d,]+ characters\. (?:{AT_END}|" + TO_READ_ON.replace("{}", r"(\d+)") + ")", re.MULTILINE
)
"""The beginning of a result of `read`: the document, and where to continue."""


class ToolError(Exception):
    """Why a tool gave no result, in words for the model that called it."""


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool call."""

    parts: tuple[str | TextReference, ...]
    """The parts that the model is shown. Text of the documents is shown by reference."""
    output: str
    """The same for the trace, without the text of the documents."""
    passages: tuple[Passage, ...] = ()
    """The parts of the documents that are shown, in order."""


class DocumentTools:
    """The documents of one context. Every tool shows at most `room` tokens."""

    def __init__(self, session: Session, settings: IndexSettings, k: int) -> None:
        self._session = session
        self._view = session.view
        self._settings = settings
        self._k = k
        self._documents = self._view.documents

    def overview(self, first: int, room: int) -> ToolResult:
        """The labels, lengths and first lines of the documents, from the one at position `first`."""
        if not 1 <= first <= len(self._documents):
            raise ToolError(f"there are {len(self._documents)} documents; give a number from 1 to that")
        shown = _Excerpts(self._view, room - 2 * LABEL_TOKENS)
        last = first
        for document in self._documents[first - 1 :]:
            start, end = document.span
            line = self._view.text(DOCUMENTS, start, min(end, start + FIRST_LINE)).partition("\n")[0]
            if not shown.add(document, start, start + len(line), f"{document.label} ({end - start:,} characters):"):
                break
            last = document.number
        count = len(self._documents)
        note = f"Documents {first} to {last} of {count}."
        if last < count:
            note += f" Call again with first={last + 1} for more."
        return shown.result(note)

    def search(self, query: str, label: str, room: int) -> ToolResult:
        """The excerpts that match the query best, of all documents or of one."""
        only = self._document(label).number if label else None
        shown = _Excerpts(self._view, room - LABEL_TOKENS)
        found = (chunk for chunk in self._index.search(query) if only in (None, chunk.document))
        for rank, chunk in enumerate(found):
            if rank == self._k or not shown.add_as_fits(self._documents[chunk.document - 1], chunk.start, chunk.end):
                break
        if not shown.passages:
            return shown.result("Nothing matches these words. Use other words, or read the documents.")
        return shown.result("The best matches, best first:")

    def read(self, label: str, start: int, length: int, room: int) -> ToolResult:
        """Characters of a document from `start`, counted from zero."""
        document = self._document(label)
        size = document.span.end - document.span.start
        if start >= size:
            raise ToolError(f"{document.label} has {size:,} characters; `start` must be less than that")
        shown = _Excerpts(self._view, room - LABEL_TOKENS)
        begin = document.span.start + start
        shown.add_as_fits(document, begin, min(begin + length, document.span.end))
        shown_to = shown.last_end - document.span.start
        rest = TO_READ_ON.format(shown_to) if shown_to < size else AT_END
        return shown.result(f"{document.label} has {size:,} characters. {rest}")

    def find(self, text: str, label: str, skip: int, room: int) -> ToolResult:
        """How often the exact text occurs, and where."""
        documents = [self._document(label)] if label else self._documents
        pattern, exactly = re.compile(re.escape(text)), "exactly"
        places = self._occurrences(pattern, documents)
        if not places and text.split():
            words = r"\s+".join(map(re.escape, text.split()))
            pattern, exactly = re.compile(words, re.IGNORECASE), "not exactly, but if case and line breaks are ignored,"
            places = self._occurrences(pattern, documents)
        if not places:
            return ToolResult((NOT_FOUND,), NOT_FOUND)
        counts = _listed_counts(self._documents, places)
        shown = _Excerpts(self._view, room - self._view.count(counts) - 2 * LABEL_TOKENS)
        last = skip
        for document, start, end in places[skip:]:
            if not shown.covers(start, end):
                low, high = max(document.span.start, start - AROUND), min(document.span.end, end + AROUND)
                if not shown.add(document, low, high):
                    break
            last += 1
        note = f"It occurs {exactly} {len(places):,} times: {counts}. Occurrences {skip + 1} to {last}:"
        if last < len(places):
            note += f" (call again with skip={last} for more)"
        return shown.result(note)

    @cached_property
    def _index(self) -> ContextIndex:
        from fathom.systems.retrieval.index import ContextIndex  # imports numpy, which `--help` should not

        return ContextIndex(self._session, self._settings)

    def _document(self, label: str) -> ShownDocument:
        """The document of that label, or of the only label with that number."""
        label_wanted = label.strip().lower()
        exact = [document for document in self._documents if document.label.lower() == label_wanted]
        by_number = [
            document
            for document in self._documents
            if label_wanted.isdigit() and document.label.split()[-1] == label_wanted
        ]
        for found in (exact, by_number):
            if len(found) == 1:
                return found[0]
        labels = f"{self._documents[0].label} to {self._documents[-1].label}"
        raise ToolError(f"there is no document '{label[:40]}'. The documents are {labels}")

    def _occurrences(
        self, pattern: re.Pattern[str], documents: Sequence[ShownDocument]
    ) -> list[tuple[ShownDocument, int, int]]:
        """The places in the text of the context where the pattern matches."""
        return [
            (document, document.span.start + match.start(), document.span.start + match.end())
            for document in documents
            for match in pattern.finditer(self._view.text(DOCUMENTS, *document.span))
        ]


def _listed_counts(documents: Sequence[ShownDocument], places: Sequence[tuple[ShownDocument, int, int]]) -> str:
    starts = [document.span.start for document in documents]
    counts: dict[int, int] = {}
    for _, start, _ in places:
        number = bisect_right(starts, start) - 1
        counts[number] = counts.get(number, 0) + 1
    listed = ", ".join(f"{documents[number].label}: {count}" for number, count in list(counts.items())[:LISTED])
    others = len(counts) - LISTED
    return f"{listed}, and in {others} other documents" if others > 0 else listed


class _Excerpts:
    """Parts of the documents to show, within a number of tokens."""

    def __init__(self, view: ContextView, room: int) -> None:
        self._view = view
        self._room = room
        self._parts: list[str | TextReference] = []
        self._output: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self.passages: list[Passage] = []
        self.last_end = 0

    def covers(self, start: int, end: int) -> bool:
        """Whether these characters are already shown."""
        return any(low <= start and end <= high for low, high in self._spans)

    def add_as_fits(self, document: ShownDocument, start: int, end: int) -> bool:
        """Show as much of the range as there is room for, if it is the first; the others completely or not at all."""
        if not self._parts:
            end = self._fitting_end(start, end, max(1, self._room - LABEL_TOKENS))
        return self.add(document, start, end)

    def add(self, document: ShownDocument, start: int, end: int, heading: str = "") -> bool:
        """Show a range; False if there is no room for it."""
        place = f"{document.label}, characters {start - document.span.start}-{end - document.span.start}"
        heading = f"\n{heading or f'===== {place}:'}\n"
        tokens = self._view.count(heading) + self._view.count(self._view.text(DOCUMENTS, start, end)) + 2
        if tokens > self._room and self._parts:
            return False
        self._room -= tokens
        self._parts += [heading, self._view.reference(DOCUMENTS, start, end)]
        self._output.append(place)
        self._spans.append((start, end))
        source = self._view.context.places[document.number - 1].source(start, end)
        self.passages.append(Passage(document=document.id, span=source))
        self.last_end = end
        return True

    def _fitting_end(self, start: int, end: int, tokens: int) -> int:
        """The end of the part from `start` that has at most this many tokens."""
        text = self._view.text(DOCUMENTS, start, min(end, start + 10 * tokens))
        while len(text) > 1 and (counted := self._view.count(text)) > tokens:
            text = text[: min(len(text) - 1, len(text) * tokens // counted)]
        return start + len(text)

    def result(self, note: str) -> ToolResult:
        """The note and the excerpts."""
        return ToolResult((note, *self._parts), "\n".join([note, *self._output]), tuple(self.passages))

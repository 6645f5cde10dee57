"""Which documents of a corpus are annotated, and by whom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.rng import rng_for

PAGE_CHARACTERS = 3_000
"""Characters that count as one page: readers give text, and its pages differ between formats."""

_FORMULA = re.compile(r"\$\$.{1,5000}?\$\$|\$[^$\n]{1,500}\$|\\\(.{1,500}?\\\)|\\\[.{1,5000}?\\\]", re.DOTALL)
_MATH = re.compile(r"[∀-⋿⟀-⟯⦀-⫿←-⇿\U0001d400-\U0001d7ff=±×÷]")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included; None for no limit."""

    low: float | None = None
    high: float | None = None

    @classmethod
    def parse(cls, text: str) -> Range:
        """From "2019-2024", "5-", "-20" or "7"."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)?(-)?(\d+(?:\.\d+)?)?", text.strip())
        if match is None or not (match[1] or match[3]):
            raise FathomError(f"'{text}' is not a range. Give one such as 5-20, 5- or -20.")
        low = float(match[1]) if match[1] else None
        high = float(match[3]) if match[3] else (None if match[2] else low)
        if low is not None and high is not None and low > high:
            raise FathomError(f"The range '{text}' ends before it starts. Give the smaller number first.")
        return cls(low, high)

    def has(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


@dataclass(frozen=True)
class DocumentFilter:
    """Filters for the documents of a project."""

    year: Range | None = None
    pages: Range | None = None
    mathematics: Range | None = None
    """The share of a document's characters that are in formulas."""
    limit: int | None = None
    """The maximum number of documents, drawn at random."""
    seed: int = 0


@dataclass(frozen=True)
class SelectedDocuments:
    """The documents that pass the filters, in corpus order, and the others by reason."""

    documents: tuple[DocumentId, ...]
    excluded: dict[str, int]


def mathematics_share(text: str) -> float:
    """The share of characters in formulas: LaTeX between its delimiters, and mathematical symbols elsewhere."""
    inside = sum(len(match[0]) for match in _FORMULA.finditer(text))
    outside = _FORMULA.sub("", text)
    return (inside + len(_MATH.findall(outside))) / max(1, len(text))


def select(corpus: Corpus, selection: DocumentFilter) -> SelectedDocuments:
    """The documents of a corpus that pass all filters."""
    excluded: Counter[str] = Counter()
    selected: list[DocumentId] = []
    for entry in corpus.entries():
        if selection.year is not None and entry.year is None:
            excluded["the year is unknown"] += 1
        elif selection.year is not None and not selection.year.has(entry.year or 0):
            excluded["another year"] += 1
        elif selection.pages is not None and not selection.pages.has(pages(entry.characters)):
            excluded["another number of pages"] += 1
        elif selection.mathematics is not None and not selection.mathematics.has(
            mathematics_share(corpus.text(entry.id))
        ):
            excluded["another share of mathematics"] += 1
        else:
            selected.append(entry.id)
    if selection.limit is not None and selection.limit < len(selected):
        excluded["not drawn"] = len(selected) - selection.limit
        sampled = set(rng_for(selection.seed, "annotate", "documents").sample(selected, selection.limit))
        selected = [id for id in selected if id in sampled]
    return SelectedDocuments(tuple(selected), dict(excluded))


def pages(characters: int) -> int:
    """The number of pages that a text of that length counts as."""
    return -(-characters // PAGE_CHARACTERS)


def assign(
    documents: Sequence[DocumentId], annotators: Sequence[str], double: int | None, rng: Random
) -> dict[str, list[DocumentId]]:
    """The documents of each annotator: all of them, or with `double` that many to two annotators, the rest to one.

    Numbers of documents differ by at most one, and all pairs of annotators share about as many documents.
    """
    if double is None:
        return {name: list(documents) for name in annotators}
    if double > len(documents):
        raise FathomError(f"--double {double} asks for more than the {len(documents)} selected documents. Give fewer.")
    if len(annotators) < 2:
        raise FathomError("--double needs at least two annotators. Give --annotator twice.")
    order = list(documents)
    rng.shuffle(order)
    assigned: dict[str, list[DocumentId]] = {name: [] for name in annotators}
    shared: Counter[frozenset[str]] = Counter()
    for number, document in enumerate(order):
        first = min(annotators, key=lambda name: (len(assigned[name]), name))
        assigned[first].append(document)
        if number < double:
            candidates = [name for name in annotators if name != first]
            second = min(candidates, key=lambda name: (len(assigned[name]), shared[frozenset({first, name})], name))
            assigned[second].append(document)
            shared[frozenset({first, second})] += 1
    return assigned

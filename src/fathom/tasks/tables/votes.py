"""Figures on which several extractors agree, as files beside a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Literal

from fathom.records.documents import DocumentId, Fact, NonNegativeInt
from fathom.records.files import read_records, write_json, write_records
from fathom.records.record import Record, digest

FOLDER = "extracted"
FIGURES = "figures.jsonl"
MANIFEST = "extraction.json"

VoteDecision = Literal["accepted", "not stated", "no majority"]
"""`not stated`: the majority says that the document does not state the figure. Both others are unknown figures."""
NoConsensus = Literal["unknown", "discard"]
Vote = Fact | Literal["null", "invalid"]
"""One vote on a figure. "null" says that the document does not state it."""


class VotedFigure(Record):
    """The votes on one figure of one document."""

    document: DocumentId
    field: str
    decision: VoteDecision
    fact: Fact | None = None
    """The figure, if it was accepted; its attribute is the name of the field."""
    votes: dict[str, NonNegativeInt]
    """How many extractors gave each value: "199600000 GBP". "null" says that there is none; "invalid" has no quote that
    prints it, or no response."""


class Extraction(Record):
    """How the figures were extracted."""

    pack: str
    extractors: tuple[str, ...]
    tries: int
    no_consensus: NoConsensus
    prompt_version: str
    documents: NonNegativeInt
    """Documents that were asked about."""
    discarded: tuple[DocumentId, ...] = ()
    """Documents with a figure without a majority, if those are discarded. All of their figures are unknown."""


def decide(document: DocumentId, field: str, claims: Sequence[Vote]) -> VotedFigure:
    """The value that more than half of all extractors give, including those that fail."""
    names = [claim if isinstance(claim, str) else _name(claim) for claim in claims]
    votes = Counter(names)
    winner, count = votes.most_common(1)[0]
    has_majority = 2 * count > len(claims) and winner != "invalid"
    fact = next((claim for claim in claims if not isinstance(claim, str) and _name(claim) == winner), None)
    decision: VoteDecision = "no majority" if not has_majority else "not stated" if fact is None else "accepted"
    return VotedFigure(
        document=document,
        field=field,
        decision=decision,
        fact=fact if decision == "accepted" else None,
        votes=dict(sorted(votes.items())),
    )


def _name(fact: Fact) -> str:
    assert fact.value is not None
    return f"{_format_decimal(fact.value)} {fact.unit}".strip()


def _format_decimal(value: Decimal) -> str:
    return format(value.normalize(), "f")


def extraction_folder(corpus: Path, pack: str) -> Path:
    """The folder of a pack's extraction."""
    return corpus / FOLDER / pack


def write_votes(corpus: Path, extraction: Extraction, figures: Iterable[VotedFigure]) -> None:
    """Write the figures, then the manifest: an extraction with a manifest is complete."""
    folder = extraction_folder(corpus, extraction.pack)
    (folder / MANIFEST).unlink(missing_ok=True)
    write_records(folder / FIGURES, figures)
    write_json(folder / MANIFEST, extraction)


class Votes:
    """The accepted figures of one pack's extraction, by document; empty if there was none."""

    def __init__(self, corpus: Path, pack: str) -> None:
        folder = extraction_folder(corpus, pack)
        self._facts: dict[DocumentId, list[Fact]] = {}
        self.discarded: frozenset[DocumentId] = frozenset()
        if (folder / MANIFEST).exists():
            extraction = Extraction.model_validate_json((folder / MANIFEST).read_bytes())
            self.discarded = frozenset(extraction.discarded)
            for figure in read_records(folder / FIGURES, VotedFigure):
                if figure.fact is not None:
                    self._facts.setdefault(figure.document, []).append(figure.fact)

    def facts_in(self, document: DocumentId) -> Sequence[Fact]:
        """The figures on which the extractors agree."""
        return () if document in self.discarded else self._facts.get(document, ())


def votes_digests(corpus: Path) -> list[str]:
    """Digests of the figures of every extraction of a corpus."""
    return [
        digest(path.name, path.read_bytes()).hex() for path in sorted((corpus / FOLDER).glob("*/*")) if path.is_file()
    ]


def all_votes(corpus: Path) -> dict[str, Votes]:
    """The extractions of a corpus by the name of the pack."""
    folder = corpus / FOLDER
    return {path.parent.name: Votes(corpus, path.parent.name) for path in sorted(folder.glob(f"*/{MANIFEST}"))}

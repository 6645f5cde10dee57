"""The proof of a key in plain words."""

from __future__ import annotations

from fathom.scoring.keys import Key


def explain(key: Key) -> list[str]:
    """The work that the paper cites at each mask."""
    return [
        f"At mask {number} the paper {paper} cites {work}: characters {place}, entry {entry} of its reference list."
        for number, (paper, work, place, entry) in enumerate(key.proof.rows, start=1)
    ]

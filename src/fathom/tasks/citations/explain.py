"""A key's proof in plain words."""

from __future__ import annotations

from fathom.scoring.keys import Key


def explain(key: Key) -> list[str]:
    """What the paper itself cites at each mask."""
    return [
        f"At mask {number} the paper {paper} cites {work}: characters {place}, entry {entry} of its reference list."
        for number, (paper, work, place, entry) in enumerate(key.proof.rows, start=1)
    ]

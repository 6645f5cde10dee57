"""Reproducible randomness: every random choice depends on a seed and on the names of its purpose."""

from __future__ import annotations

from random import Random

from fathom.records.record import digest


def rng_for(seed: int, *names: str | int) -> Random:
    """A random generator for the purpose given by `names`, so that a draw elsewhere changes nothing here."""
    return Random(int.from_bytes(digest(seed, *names)[:16], "big"))

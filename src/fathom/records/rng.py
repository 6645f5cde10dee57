"""Chance that repeats: every random choice hangs on a seed and on the names of what it is for."""

from __future__ import annotations

from random import Random

from fathom.records.record import digest


def rng_for(seed: int, *names: str | int) -> Random:
    """A random generator of its own for what `names` say, so that a new draw elsewhere changes nothing here."""
    return Random(int.from_bytes(digest(seed, *names)[:16], "big"))

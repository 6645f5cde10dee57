"""Unique names of entities."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from fathom.records.errors import FathomError
from fathom.records.rng import rng_for


def pick_words(lists: Sequence[Sequence[str]], seed: int, domain: str, entity: int) -> list[str]:
    """One word of each list; no two entities of a domain and seed get the same words."""
    sizes = [len(words) for words in lists]
    total = prod(sizes)
    if entity >= total:
        raise FathomError(
            f"There are names for {total} entities of '{domain}', not for number {entity}. Use another seed."
        )
    # entity -> (step * entity + offset) mod total visits every number once if step and total have no common factor.
    rng = rng_for(seed, domain, "names")
    step = next(step for step in iter(lambda: rng.randrange(total), None) if gcd(step, total) == 1)
    rest = (step * entity + rng.randrange(total)) % total
    words = []
    for choices in lists:
        rest, digit = divmod(rest, len(choices))
        words.append(choices[digit])
    return words


def joined(beginnings: Sequence[str], endings: Sequence[str]) -> list[str]:
    """Every beginning with every ending, each word once."""
    return list(dict.fromkeys(beginning + ending for beginning in beginnings for ending in endings))

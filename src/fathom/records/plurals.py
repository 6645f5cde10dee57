"""Counts with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """1 file, 2 files; `plural` is given for nouns that do not just take an "s"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"

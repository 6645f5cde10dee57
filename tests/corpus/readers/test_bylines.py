"""Bylines: the names between a title and the text."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsing.bylines import byline_length, find_authors


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Lind, Bo Wu and Cy van der Aa", ["Ada Lind", "Bo Wu", "Cy van der Aa"]),
        ("Ada Lind1,2∗   Bo Wu2†", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind<sup>1</sup> & Bo D. Wu<sup>2</sup>", ["Ada Lind", "Bo D. Wu"]),
        ("Authors: Ada Lind; Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("By Ada Lind", ["Ada Lind"]),
        ("Ada Lind (ada@salt.example), Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind (University of Salt)", ["Ada Lind"]),
        ("\\\\AndAriel Moss ∗", ["Ariel Moss"]),
        ("Francesca Sousa, Frances Corpuz", ["Francesca Sousa", "Frances Corpuz"]),
        ("ETH Zürich, UT Austin, Together AI, New York", []),
        ("Salt University, Hospital of Moss, France", []),
        ("ada@salt.example Ada Lind", []),
        ("Research Article, Open Access", []),
        ("We count ferns.", []),
    ],
)
def test_names_are_found_among_other_lines(line: str, names: list[str]) -> None:
    assert [author.printed for author in find_authors([line])] == names


@pytest.mark.parametrize(
    ("paragraphs", "length"),
    [
        (["Ada Lind, Bo Wu", "Ferns were counted."], 1),
        (["Ada Lind, PhD", "University of Salt\nada@salt.example", "Bo Wu", "Ferns are old."], 3),
        (["Ada Lind\nSalt College", "Related Work"], 1),
        (["Ferns were counted.", "Ada Lind"], 0),
        (["Ada Lind was warm."], 0),
        (["University of Salt", "Ada Lind"], 0),
        (["Open Access"], 0),
        ([""], 0),
        ([], 0),
    ],
)
def test_a_byline_ends_before_the_text(paragraphs: list[str], length: int) -> None:
    assert byline_length(paragraphs) == length

"""Front matter: where it ends, and the names in it."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsing.front_matter import front_of, parted


def test_front_matter_is_parted_from_the_text() -> None:
    values, text = parted("---\ntitle: Salt\nauthors:\n  - name: Ada Lind\n    orcid: 0000-0001-2345-678X\n---\nText\n")
    front = front_of(values)
    assert front.title == "Salt" and text == "\nText\n"
    assert [(one.family, one.ids) for one in front.authors] == [("Lind", {"orcid": "0000-0001-2345-678X"})]


@pytest.mark.parametrize(
    "text", ["---\nSalt is old.\n---\nText", "---\ntitle: Salt\n", "Text\n---\ntitle: Salt\n---\n"]
)
def test_a_rule_at_the_top_is_no_front_matter(text: str) -> None:
    assert parted(text) == ({}, text)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Lind, Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind and Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Lind, Ada", ["Ada Lind"]),
        ("Ada Lind", ["Ada Lind"]),
    ],
)
def test_names_in_one_line_are_told_apart(line: str, names: list[str]) -> None:
    assert [one.printed for one in front_of({"author": line}).authors] == names

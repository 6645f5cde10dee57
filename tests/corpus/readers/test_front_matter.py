"""Front matter: where it ends, its YAML, and the names in it."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsing.front_matter import parse_yaml, read_front_matter, split_front_matter


def test_front_matter_is_separated_from_the_text() -> None:
    values, text = split_front_matter(
        "---\ntitle: Salt\nauthors:\n  - name: Ada Lind\n    orcid: 0000-0001-2345-678X\n---\nText\n"
    )
    front = read_front_matter(values)
    assert front.title == "Salt" and text == "\nText\n"
    assert [(one.family, one.ids) for one in front.authors] == [("Lind", {"orcid": "0000-0001-2345-678X"})]


@pytest.mark.parametrize(
    "text", ["---\nSalt is old.\n---\nText", "---\ntitle: Salt\n", "Text\n---\ntitle: Salt\n---\n"]
)
def test_a_horizontal_rule_at_the_top_is_not_front_matter(text: str) -> None:
    assert split_front_matter(text) == ({}, text)


def test_yaml_values_are_strings_lists_and_mappings() -> None:
    assert parse_yaml(
        "a: one # said\nb: 'it''s'\nc:\n  - x: 1\n    y: 2\n  - plain: \"q: r\"\nd: >\n  folded\n  words\n"
        "e: [p, q]\nf:\n- at margin\ng: goes\n  on\nh: |\n  kept\n    lines\n"
    ) == {
        "a": "one",
        "b": "it's",
        "c": [{"x": "1", "y": "2"}, {"plain": "q: r"}],
        "d": "folded words",
        "e": ["p", "q"],
        "f": ["at margin"],
        "g": "goes on",
        "h": "kept\n  lines",
    }


def test_invalid_yaml_gives_a_mapping() -> None:
    for text in (
        "",
        "- a",
        ": :",
        "a" * 99,
        "  - - - -",
        "a:\n" * 3,
        "&a *a",
        "".join(" " * n + "a:\n" for n in range(99)),
    ):
        assert isinstance(parse_yaml(text), dict)


def test_blank_lines_of_a_folded_scalar_separate_paragraphs() -> None:
    assert parse_yaml("abstract: >\n  one\n  two\n\n  three\n") == {"abstract": "one two\n\nthree"}


def test_invalid_yaml_is_read_line_by_line() -> None:
    text = "title: Salt: a history\nauthors:\n  - name: Ada Lind\nlicense: 'CC0'\n"
    assert parse_yaml(text) == {"title": "Salt: a history", "license": "CC0"}


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\n" + "".join(f"a{n}: &a{n} [*a, *a]\n" for n in range(40)),
        "a: " + "[" * 60_000,
        "a: " + "{a: " * 40_000,
        "a:\n" + "- " * 90_000,
        "a: \x00\x07\n",
    ],
)
def test_bombs_are_not_expanded(text: str) -> None:
    """An expanded bomb would fill the memory, and a deep one the stack."""
    values = parse_yaml(text)
    assert sum(map(len, map(str, values.values()))) <= 2 * len(text)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Lind, Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind and Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Lind, Ada", ["Ada Lind"]),
        ("Ada Lind", ["Ada Lind"]),
    ],
)
def test_names_in_one_line_are_separated(line: str, names: list[str]) -> None:
    assert [one.printed for one in read_front_matter({"author": line}).authors] == names


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("{name: Ada Lind, orcid: 0000-0001-2345-678X}", "Ada Lind"),
        ("{given-names: Paul, surname: La Plante}", "Paul La Plante"),
        ("{name: {given: Ada, family: Lind}}", "Ada Lind"),
        ("{given: Jan, dropping-particle: van der, family: Berg, suffix: Jr.}", "Jan van der Berg Jr."),
        ("{Ada Lind: {institute: [tin]}}", "Ada Lind"),
        ("Ada Lind^[co-first author]", "Ada Lind"),
        ("'[Ada Lind](https://x.org)'", "Ada Lind"),
        ("Alyssa (Nick) Lind", "Alyssa (Nick) Lind"),
        ("'Ada Lind, PhD'", "Ada Lind, PhD"),
        ("danah", "danah"),
    ],
)
def test_an_entry_names_an_author_in_many_ways(entry: str, name: str) -> None:
    front = read_front_matter(parse_yaml(f"authors:\n- {entry}\n- Bo Wu\n"))
    assert [author.printed for author in front.authors] == [name, "Bo Wu"] and not front.reason


@pytest.mark.parametrize(
    "entry", ["many other contributors", "Ada Lind et al.", "{affiliation: Tin College}", "[Ada Lind]", "{name: [Ada]}"]
)
def test_authors_are_unknown_if_an_entry_is_not_understood(entry: str) -> None:
    front = read_front_matter(parse_yaml(f"authors:\n- Bo Wu\n- {entry}\n"))
    assert not front.authors and front.reason


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Lind & Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind^1^, Bo Wu^2^", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind, Bo Wu, Tin College", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind <ada@tin.example>", ["Ada Lind"]),
        ("Lind, Ada; Wu, Bo", ["Ada Lind", "Bo Wu"]),
        ("Lind, Ada and Wu, Bo", []),
        ("Ada Lind and contributors", []),
    ],
)
def test_a_line_may_have_more_than_names(line: str, names: list[str]) -> None:
    front = read_front_matter({"author": line})
    assert [one.printed for one in front.authors] == names and bool(front.reason) == (not names)


@pytest.mark.parametrize(
    ("text", "day", "year"),
    [
        ("date: 2020-04-20", "2020-04-20", 2020),
        ("date: 20 April 2020", "2020-04-20", 2020),
        ("date: February 2, 2021", "2021-02-02", 2021),
        ("date: April 2020", "None", 2020),
        ("date: 04/12/2018", "None", 2018),
        ("year: 2017", "None", 2017),
        ("date: today", "None", None),
    ],
)
def test_dates_are_read_in_words_and_digits(text: str, day: str, year: int | None) -> None:
    front = read_front_matter(parse_yaml(text))
    assert (str(front.published), front.year) == (day, year)

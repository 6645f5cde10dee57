"""Dates after titles."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsing.titles import split_date


@pytest.mark.parametrize(
    ("title", "rest", "date"),
    [
        ("On the age of ferns (May 2020)", "On the age of ferns", "2020"),
        ("On the age of ferns, 3 May 2020", "On the age of ferns", "2020-05-03"),
        ("On the age of ferns – May 3rd, 2020", "On the age of ferns", "2020-05-03"),
        ("On the age of ferns. Version of 2020-05-03", "On the age of ferns", "2020-05-03"),
        ("On the age of ferns [last updated June 2020]", "On the age of ferns", "2020"),
        ("On the age of ferns (accessed 3 May 2020)", "On the age of ferns", "2020-05-03"),
        ("On the age of ferns 2020/5/3", "On the age of ferns", "2020-05-03"),
        ("Vom Alter der Farne, 3. März 2020", "Vom Alter der Farne", "2020-03-03"),
        ("蕨类植物年龄研究 2020年5月3日", "蕨类植物年龄研究", "2020-05-03"),
        # The date belongs to the title.
        ("The storm of 3 May 2020", None, ""),
        ("How ferns grew until May 2020", None, ""),
        ("Fern counts, Oslo, March 1–May 3, 2020", None, ""),
        ("Fern counts between April and May 2020", None, ""),
        ("Fern report 2020", None, ""),
        ("Ferns, May 2020", None, ""),
        ("Fern counts after 3 May 2020 in Oslo", None, ""),
        ("On the age of ferns, 31 April 2020", None, ""),
        ("", None, ""),
    ],
)
def test_a_date_is_split_from_the_title(title: str, rest: str | None, date: str) -> None:
    found = split_date(title)
    assert found.title == (title if rest is None else rest)
    assert (str(found.date.day or found.date.year) if found.date else "") == date


def test_a_title_page_prints_the_date_below_the_title() -> None:
    assert split_date("On the age of ferns 3 May 2020", breaks=True).title == "On the age of ferns"
    assert split_date("The storm of 3 May 2020", breaks=True).date is None

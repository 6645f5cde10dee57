"""Sentences of a model's own, read by what remains beside their items."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fathom.scoring.answer_types.compare import compare
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Text, ValueSet

NAME = Text(value="Mei Lindqvist")
TITLE = Text(value="Tides")
COMPANIES = tuple([Text(value=value) for value in ("Alder Foods", "Birch Steel", "Cedar Rail")])
SET = ValueSet(items=COMPANIES)
RANKING = Ranking(groups=tuple([(company,) for company in COMPANIES]))
COUNT = Number(value=Decimal(17))
COUNTS = tuple([Number(value=Decimal(value)) for value in (58, 34, 28)])
ORDER = Ranking(groups=tuple([(count,) for count in COUNTS]))
REPEATED = Multiset(items=(COUNTS[0], COUNTS[0], COUNTS[1]))
AUTHORS = Rows(
    columns=("author", "articles"),
    rows=((Text(value="Lan Hồ"), Number(value=Decimal(3))), (Text(value="Jürgen K. Größer"), Number(value=Decimal(1)))),
)
STATED: list[tuple[Answer, str]] = [
    (NAME, "It was Mei Lindqvist who wrote most of them."),
    (NAME, "With five articles, Mei Lindqvist leads the field."),
    (NAME, "Mei Lindqvist wrote more articles than anyone else."),
    (NAME, "In Bramholm, whose road opened first, it is the forester Mei Lindqvist who coordinates the work."),
    (TITLE, 'The longest reference list is that of "Tides", with 44 entries.'),
    (SET, "Only Alder Foods, Birch Steel and Cedar Rail stayed above 10%."),
    (
        SET,
        "Three companies scored below 20 in 2022. They are Alder Foods (14.2), Birch Steel (17.9) and Cedar Rail (19).",
    ),
    (RANKING, "First place goes to Alder Foods, second place to Birch Steel and third place to Cedar Rail."),
    (RANKING, "Cedar Rail is third, Birch Steel second and Alder Foods first."),
    (RANKING, "Alder Foods < Birch Steel < Cedar Rail"),
    (COUNT, "Of the 40 articles, 17 have more than two authors."),
    (COUNT, "The number of articles with 5 authors is 17."),
    (ORDER, "First comes 58, then 34, and finally 28."),
    (REPEATED, "58 (twice) and 34."),
    (AUTHORS, "Lan Hồ has three articles and Jürgen K. Größer one."),
    (AUTHORS, "There are three articles by Lan Hồ and one by Jürgen K. Größer."),
]
NOT_STATED: list[tuple[Answer, str]] = [
    (NAME, "Mei Lindqvist is second with four articles."),
    (NAME, "Mei Lindqvist had the second-highest number."),
    (NAME, "The author who most often writes with Mei Lindqvist is the answer."),
    (NAME, "Mei Lindqvist's brother has the most articles."),
    (NAME, "Mei Lindqvist and her coauthor have the most articles."),
    (NAME, "Mei Lindqvist is cited by the winner."),
    (NAME, "Had Mei Lindqvist written one more, she would lead."),
    (NAME, "Nobody can say whether it was Mei Lindqvist."),
    (TITLE, '"Tides and storms" has the longest reference list.'),
    (TITLE, "Tides in shallow seas has the longest reference list."),
    (TITLE, "The article citing Tides is the longest."),
    (TITLE, "The tides are the topic of the longest article."),
    (SET, "Alder Foods, Birch Steel and Cedar Rail fell short of the threshold."),
    (SET, "Alder Foods, Birch Steel, Cedar Rail and one more company exceeded it."),
    (SET, "Is mean error all that matters?\nAlder Foods\nBirch Steel\nCedar Rail"),
    (ORDER, '["58", "34", "28", "On the tides"]'),
    (ORDER, "58\n34\n28\nOn the tides"),
    (SET, "The subsidiaries of Alder Foods, Birch Steel and Cedar Rail exceeded it."),
    (SET, "Alder Foods and Birch Steel exceeded it; Cedar Rail did not."),
    (RANKING, "Third is Alder Foods, second Birch Steel, first Cedar Rail."),
    (RANKING, "Alder Foods leads, then comes Dune Oil, then Birch Steel and Cedar Rail."),
    (RANKING, "Alder Foods leads, and Birch Steel and Cedar Rail are tied."),
    (COUNT, "I read 17 articles."),
    (COUNT, "The first 17 articles list no authors."),
    (COUNT, "It would be 17 if the appendix counted too."),
    (COUNT, "The collection contains 17 articles, 5 of which qualify."),
    (COUNT, "(17 rows)"),
    (REPEATED, "58 and 34."),
    (AUTHORS, "Lan Hồ has at least three articles and Jürgen K. Größer one."),
    (AUTHORS, "Lan Hồ has three articles more and Jürgen K. Größer one."),
]


def is_accepted(key: Answer, response: str) -> bool:
    parsed = parse_response(response, key)
    return parsed is not None and compare(key, parsed).score >= 1.0


@pytest.mark.parametrize(("key", "response"), STATED)
def test_what_a_sentence_states_is_read_whatever_its_verb(key: Answer, response: str) -> None:
    assert is_accepted(key, response), parse_response(response, key)


@pytest.mark.parametrize(("key", "response"), NOT_STATED)
def test_what_a_sentence_only_mentions_is_not_read(key: Answer, response: str) -> None:
    assert not is_accepted(key, response), parse_response(response, key)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Two articles qualify: Article 3 with 36 and Article 6 with 34 references. The minimum is therefore 34.", 34),
        ("Article 1: 4 + 8 = 12\nArticle 2: 9 + 5 = 14\n\nLowest: **12**", 12),
        ("The count is **28**.\nTotal articles: 40", 28),
        ("28\nTotal articles checked: 40", 28),
        ("28.\nAverage number of references: 31", 28),
        ("The count is 22. The naive count is 23.", None),
    ],
)
def test_a_later_number_is_the_answer_only_if_the_text_says_so(text: str, value: int | None) -> None:
    parsed = parse_response(text, Number(value=Decimal(28)))
    assert (parsed.value if isinstance(parsed, Number) else None) == value

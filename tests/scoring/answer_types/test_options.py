"""Choices, assignments and grouped values in the forms in which models write them."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest

from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import Assignment, Choice, Number, Rows, Selection, Text

CHOICE = Choice(option=3, of=4)
CHOSEN = [
    *(
        "3",
        "(3)",
        "[3]",
        "[[3]]",
        "C",
        "(c)",
        "Candidate 3",
        "**Candidate 3**",
        "Candidate #3",
        "candidate three",
        "3rd",
    ),
    *("The third", "the third candidate", "Option C", "3. The work on tides", "Candidate 3: The work on tides"),
    *("probably 3", "I think it's 3.", "I'd go with 3", "My best guess is 3 of 4", "3 is the best match", "Final: 3"),
    *("3 (not 2)", "It is candidate 3, not candidate 2.", "Not candidate 2 but candidate 3", "3 rather than 4"),
    *("The answer is candidate 3 rather than 4", "Candidate 2? No, candidate 3.", "Either 2 or 3, but I lean 3"),
    "Candidate 4 is about tides; candidate 1 covers storms. So it must be candidate 3.",
    "Candidate 4 is about tides. Candidate 1 covers storms. The best match is the third one.",
    "Candidate 3 because it describes the method of 4 groups.",
    "A candidate that fits is 3",
    "Candidates 2, 1 and 4 can be excluded. That leaves candidate 3.",
    "Candidate 3 is the cited work. Candidate 4 is similar, but it was written later.",
    "Between 2 and 3, I choose 3.",
    "Best candidate: 3\nSecond best: 2",
    "I would choose candidate 3 over candidate 2.",
    "| Mask | Candidate |\n|---|---|\n| [[CITATION]] | 3 |",
    "$\\boxed{\\text{Candidate } 3}$",
    "Kandidat 3",
    "[[CITATION]] = Candidate 3; candidate 2 is cited elsewhere.",
    "Candidate 2: no. Candidate 3: yes.",
    "第3个",
    "候选3",
]
NOT_CHOSEN = [
    *("2 or 3", "3 or 4", "3/4", "3 and 4", "Candidates 2 and 3", "either 3 or 2", "候选2或3", "5", "E", "not 3", ""),
    "It cannot be candidate 1, 2 or 4.",
    "Candidate 3 can be excluded, but I cannot tell which of the others it is.",
    "3 would be wrong here.",
    "3\n5\n7",
    "- 3\n- 1",
    "Candidate 1 is about tides. Candidate 3 covers storms.",
    "The first is about tides and the third about storms.",
    "A paper by B",
    "I read 3 papers",
    "Candidate 3. Then again, the best match is candidate 2.",
    *(
        "6 or 3",
        "either 3 or 6",
        "anything but candidate 3",
        "candidates 3-4",
        "Candidates 3 and 4 both",
        "3 is unlikely",
    ),
    *("3 (50%), 2 (50%)", "none, maybe 3", "3 (or 4)", "3, if not 2", "3 is worse than 2", "3\n\nWait, 2."),
]


@pytest.mark.parametrize("lead", ["", "Answer: ", "Let me see.\n\nAnswer: "])
@pytest.mark.parametrize("stated", CHOSEN)
def test_the_chosen_option_is_parsed(stated: str, lead: str) -> None:
    assert parse_response(lead + stated, CHOICE) == CHOICE


@pytest.mark.parametrize("lead", ["", "Answer: "])
@pytest.mark.parametrize("stated", NOT_CHOSEN)
def test_no_option_is_parsed_where_none_or_several_are_stated(stated: str, lead: str) -> None:
    parsed = parse_response(lead + stated, CHOICE)
    assert not isinstance(parsed, Choice), parsed


ASSIGNMENT = Assignment(options=(4, 1, 3, 2), of=4)
SELECTION = Selection(options=(2, 3), of=4)
ASSIGNED = [
    *("4, 1, 3, 2", "[4, 1, 3, 2]", "(4, 1, 3, 2)", "4 1 3 2", "4-1-3-2", "4/1/3/2", "4 > 1 > 3 > 2", "4132"),
    *("four, one, three, two", "1: 4, 2: 1, 3: 3, 4: 2", "1:4 2:1 3:3 4:2", "1-4, 2-1, 3-3, 4-2", "1→4, 2→1, 3→3, 4→2"),
    *("1. 4\n2. 1\n3. 3\n4. 2", "1) 4 2) 1 3) 3 4) 2", "1 = 4\n2 = 1\n3 = 3\n4 = 2", "(1, 4), (2, 1), (3, 3), (4, 2)"),
    "| mask | candidate |\n|---|---|\n| 1 | 4 |\n| 2 | 1 |\n| 3 | 3 |\n| 4 | 2 |",
    "| Citation | Work |\n|:--|--:|\n| [MASK_2] | Candidate 1 |\n| [MASK_1] | Candidate 4 |\n| [MASK_3] | **3** |\n"
    "| [MASK_4] | (2) |",
    "MASK 1: candidate 4; MASK 2: candidate 1; MASK 3: candidate 3; MASK 4: candidate 2",
    "Mask 2: 1, Mask 1: 4, Mask 4: 2, Mask 3: 3",
    "[MASK_1] = 4, [MASK_2] = 1, [MASK_3] = 3, [MASK_4] = 2",
    '{"1": 4, "2": 1, "3": 3, "4": 2}',
    "[[1, 4], [2, 1], [3, 3], [4, 2]]",
    '[{"mask": 1, "work": 4}, {"mask": 2, "work": 1}, {"mask": 3, "work": 3}, {"mask": 4, "work": 2}]',
    "Candidate 4 is cited at [[CITATION 1]].\nCandidate 1 is cited at [[CITATION 2]].\nCandidate 3 is cited at "
    "[[CITATION 3]].\nCandidate 2 is cited at [[CITATION 4]].",
    "Citation 1 cites candidate 4, citation 2 cites candidate 1, citation 3 cites candidate 3 and citation 4 cites "
    "candidate 2.",
    "The first is 4, the second is 1, the third is 3 and the fourth is 2",
    "The candidates are 4, 1, 3, 2, respectively.",
    "Citations 1 to 4: 4, 1, 3, 2",
]


@pytest.mark.parametrize("lead", ["", "Answer: ", "Some thoughts.\n\nAnswer:\n"])
@pytest.mark.parametrize("stated", ASSIGNED)
def test_the_option_of_each_slot_is_parsed(stated: str, lead: str) -> None:
    assert parse_response(lead + stated, ASSIGNMENT) == ASSIGNMENT


def number(value: int) -> Number:
    return Number(value=Decimal(value))


COUNTS = Rows(
    columns=("author_count", "count"),
    rows=((number(3), number(1)), (number(4), number(2)), (number(9), number(1))),
)
NAMES = Rows(
    columns=("author", "articles"),
    rows=((Text(value="Ada Lind"), number(3)), (Text(value="Wu, Bo and Sons"), number(2))),
)
GROUPED = [
    *("3: 1, 4: 2, 9: 1", "3:1,4:2,9:1", "3: 1; 4: 2; 9: 1", "{3: 1, 4: 2, 9: 1}", "3=1, 4=2, 9=1", "3→1, 4→2, 9→1"),
    *(
        "3 -> 1, 4 -> 2, 9 -> 1",
        "3 (1), 4 (2), 9 (1)",
        "3 - 1, 4 - 2, 9 - 1",
        "3: 1, 4: 2 and 9: 1",
        "3: 1\n4: 2\n9: 1",
    ),
    *(
        '{"3": 1, "4": 2, "9": 1}',
        '[{"3": 1}, {"4": 2}, {"9": 1}]',
        "[[3, 1], [4, 2], [9, 1]]",
        "(3, 1), (4, 2), (9, 1)",
    ),
    "**3**: 1, **4**: 2, **9**: 1",
    "3 authors: 1 article, 4 authors: 2 articles, 9 authors: 1 article",
    '```json\n{"3": 1, "4": 2, "9": 1}\n```',
]
GROUPED_BY_NAME = [
    "Ada Lind: 3, Wu, Bo and Sons: 2",
    "Ada Lind (3), Wu, Bo and Sons (2)",
    '{"Ada Lind": 3, "Wu, Bo and Sons": 2}',
    '[{"author": "Ada Lind", "articles": 3}, {"author": "Wu, Bo and Sons", "articles": 2}]',
]


@pytest.mark.parametrize("lead", ["", "Answer: "])
@pytest.mark.parametrize(
    ("stated", "key"), [*((one, COUNTS) for one in GROUPED), *((one, NAMES) for one in GROUPED_BY_NAME)]
)
def test_grouped_values_are_parsed(stated: str, key: Rows, lead: str) -> None:
    parsed = parse_response(lead + stated, key)
    assert isinstance(parsed, Rows)
    assert [[cell.value for cell in row] for row in parsed.rows] == [[cell.value for cell in row] for row in key.rows]


@pytest.mark.parametrize("stated", ["3: 1, 4: 3, 9: 1", '{"3": 1, "4": 2}', "3: 1, 4: 2, 9: 1, 5: 1", "3, 4, 9"])
def test_other_grouped_values_are_not_the_key(stated: str) -> None:
    assert parse_response(stated, COUNTS) != COUNTS


@pytest.mark.parametrize(
    "piece", ["candidate 3 ", "3, ", "not ", "(3, ", "| 1 | 2 |\n", "3: 1, ", "so ", "1-2-", "A. "]
)
@pytest.mark.parametrize("key", [CHOICE, ASSIGNMENT, SELECTION, COUNTS], ids=lambda key: key.type)
def test_long_statements_take_linear_time(piece: str, key: Choice | Assignment | Rows | Selection) -> None:
    def seconds(times: int) -> float:
        start = time.process_time()
        parse_response(f"Answer: {piece * times}", key)
        return time.process_time() - start

    assert seconds(16_000) < 40 * max(seconds(2_000), 0.01)

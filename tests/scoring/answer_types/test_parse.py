"""Parsing the answer of a response: every form that people and models write, and nothing that is not stated."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Multiset,
    Number,
    Ranking,
    Rows,
    Scalar,
    Spans,
    Text,
    Unanswerable,
    ValueSet,
)
from fathom.scoring.parsing.normalization import normal, unaccented
from fathom.scoring.parsing.numerals import number_of


def number(value: str | int, decimals: int | None = None, unit: str = "") -> Number:
    return Number(value=Decimal(value), decimals=decimals, unit=unit)


def atom(value: str | int) -> Scalar:
    return Text(value=value) if isinstance(value, str) else number(value)


def members(*values: str | int) -> ValueSet:
    return ValueSet(items=tuple(map(atom, values)))


def ranking(*groups: str | int | tuple[str | int, ...]) -> Ranking:
    return Ranking(groups=tuple(tuple(map(atom, g if isinstance(g, tuple) else (g,))) for g in groups))


def says(key: Answer, response: str) -> bool:
    read = parse_response(response, key)
    return read is not None and agrees(key, read)


FOUR = number(4)
MUELLER = Text(value="Anna Müller")
TITLES = members("Tides, storms, and seas", "Wu and sons", "Rivers: a study", "Is it so?")
LISTED = "Answer:\nTides, storms, and seas\nWu and sons\nRivers: a study\nIs it so?"
TIED = ranking("a", ("b", "c"), "d")
TABLE = Rows(columns=("count", "mean"), rows=((number(3), number("12.5", 2)), (number(4), number(7, 2))))
CITED = Rows(columns=("title", "n"), rows=((Text(value="Tides, storms"), number(5)), (Text(value="Wu"), number(1234))))
MASKS = Assignment(options=(3, 1, 4, 2), of=4)
PLACES = Spans(
    passages=(Passage(document="a-1", span=Span(3, 9)), Passage(document="a-2", span=Span(10, 12))),
)

RIGHT: list[tuple[Answer, list[str]]] = [
    (FOUR, ["4", "4.0", "four", "Four.", "+4", "**4**", "`4`", "4\n", "4 (out of 10)", "Answer: 4.00", "2 + 2 = 4"]),
    (FOUR, ["\\boxed{4}", "$\\boxed{4}$", "\\[\\boxed{4}\\]", "\\boxed{\\text{4}}", "\\boxed{\\text{4 articles}}"]),
    (
        FOUR,
        ["Answer: 4", "The answer is 4.", "**Final Answer:** 4", "Final answer:\n\n4", "### Answer\n4", "ANSWER = 4"],
    ),
    (
        FOUR,
        ["**Answer**: 4 articles", "The final answer is: **4**", "Answer: \\(4\\)", "<answer>4</answer>", "答案：4"],
    ),
    (FOUR, ['{"answer": 4}', '```json\n{"answer": "4"}\n```', 'I count.\n\n{"answer": 4}', "<think>5? 6?</think>4"]),
    (FOUR, ["There are 4 articles.", "The total number of articles is 4.", "First 7, then 3.\nSo 4."]),
    (FOUR, ["Answer: 4. I counted 12 and removed 8.", "I see.\n\nAnswer: 4\n\nThis is because A has 2 and B has 2."]),
    (FOUR, ["\\boxed{5}? No.\n\\boxed{4}", "Answer: 5\nWait, that is wrong.\nAnswer: 4", "\\boxed{5} Final answer: 4"]),
    (
        FOUR,
        [
            "__Answer:__ 4",
            "Answer → 4",
            "【答案】4",
            "**答案：** 4",
            "Die endgültige Antwort lautet: 4",
            "TL;DR: 4",
            "A: 4",
        ],
    ),
    (
        FOUR,
        [
            "最終的な答えは4です。",
            "La réponse finale est 4.",
            "Answer: 「4」",
            "```\nAnswer: 4\n```",
            "Answer:\u200b 4",
        ],
    ),
    (FOUR, ["Answer: 4 of the 9 articles", "Answer: 4 (not 5)", "Answer: 4\n\nI double-checked this."]),
    (number(1234567), ["1,234,567", "1 234 567", "1'234'567", "1234567.0", "1.234567 million", "1.234567e6"]),
    (number(1234567), ["1.234567 × 10^6", "$1.234567 \\times 10^{6}$", "\\boxed{1{,}234{,}567}", "$1,234,567$"]),
    (number(1234567), ["one million two hundred thirty-four thousand five hundred and sixty-seven"]),
    (number(42), ["forty-two", "forty two", "Forty-Two articles", "There are forty-two."]),
    (number("33.33", 2), ["1. 33.33", "Answer: 1. 33.33", "- 33.33", "\\boxed{\\textbf{\\text{33.33}}}"]),
    (number(-4), ["-4", "minus four", "−4", "–4"]),
    (number("0.75"), ["3/4", "0.75", ".75", "\\frac{3}{4}", "zero point seven five"]),
    (number("3.14159", 2), ["3.14", "3.14159", "3.1416", "approximately 3.14", "≈ 3.14", "$\\approx 3.14$"]),
    (number(50, unit="%"), ["50%", "50 %", "50\\%", "fifty percent", "50 per cent", "\\boxed{50\\%}", "50.0 %"]),
    (number(5, unit="km"), ["5", "5 km", "5km", "5 Km", "It is 5 km."]),
    (number(5, unit="USD"), ["$5", "5 dollars", "5 USD", "\\$5"]),
    (
        MUELLER,
        ["Anna Müller", "anna muller", "Anna Mu\u0308ller.", "**Anna Müller**", "'Anna Müller'", '"Anna Müller"'],
    ),
    (MUELLER, ["The author is Anna Müller.", "The first author is **Anna Müller**.", "\\boxed{\\text{Anna Müller}}"]),
    (MUELLER, ["Answer: Anna Müller\n\nShe wrote most.", "Let me see. She is first.\nAnna Müller"]),
    (TITLES, ["Tides, storms, and seas, Wu and sons, Rivers: a study, Is it so?"]),
    (TITLES, ["Rivers: a study; Tides, storms, and seas; Is it so?; Wu and sons"]),
    (TITLES, ["1. Tides, storms, and seas\n2. Rivers: a study\n3. Is it so?\n4. Wu and sons"]),
    (TITLES, ["- **Tides, storms, and seas**\n- Rivers: a study\n\n- Is it so?\n- Wu and sons"]),
    (TITLES, ["Rivers: a study, Is it so?, Wu and sons and Tides, storms, and seas"]),
    (TITLES, ['["Tides, storms, and seas", "Wu and sons", "Rivers: a study", "Is it so?"]']),
    (TITLES, ["Answer:\n\nRivers: a study\nIs it so?\nWu and sons\nTides, storms, and seas\n"]),
    (TITLES, ["| title |\n|---|\n| Wu and sons |\n| Is it so? |\n| Rivers: a study |\n| Tides, storms, and seas |"]),
    (
        TITLES,
        ["The titles are:\n* Wu and sons\n* Is it so?\n* Rivers: a study\n* Tides, storms, and seas\n\nThese are all."],
    ),
    (TITLES, ["Answer: Rivers: a study, Is it so?, Wu and sons, Tides, storms, and seas."]),
    (TITLES, ["Wu and sons (3 articles); Is it so?; Rivers: a study; Tides, storms, and seas"]),
    (
        members("Tides", "Wu"),
        [
            'Answer: "Tides; Wu"',
            "Answer: “Tides, Wu”",
            "<answer>\n<item>Tides</item>\n<item>Wu</item>\n</answer>",
            "\\begin{itemize}\n\\item Tides\n\\item Wu\n\\end{itemize}",
            "Answer:\nTides (12)\nWu (7)",
            "- **Tides**: 12%\n- **Wu**: 7%",
            "| Name | Count |\n|---|---|\n| Tides | 12 |\n| Wu | 7 |",
            '{"answer": "Tides\\nWu"}',
            "[1] Tides\n[2] Wu",
            "Answer:\nTides\nWu\n\nTotal: 2 items",
            "《Tides》\n《Wu》",
        ],
    ),
    (members("甲公司", "乙公司"), ["1、甲公司\n2、乙公司", "符合条件的公司有：甲公司、乙公司。"]),
    (members(1234, 5), ["1,234, 5", "1,234; 5", "5, 1234", "1,234,5", "1,234 and 5", "[1234, 5]", "1. 1,234\n2. 5"]),
    (members(100, 200, 300), ["100,200,300", "100, 200 and 300", "one hundred, two hundred and three hundred"]),
    (
        members("Tides", "And then there were none"),
        ["Tides, And then there were none", "And then there were none; Tides"],
    ),
    (
        members("Tides", "Wu, Lind"),
        ["Tides, and Wu, Lind", "Tides; and Wu, Lind", "Wu, Lind, and Tides", "Tides & Wu, Lind"],
    ),
    (members("3 Questions, 2 Answers", "Is it so?"), ["3 Questions, 2 Answers\nIs it so?"]),
    (members("1984. A history", "Wu"), ["1984. A history\nWu", "Wu\n1984. A history"]),
    (TIED, ["a, b, c, d", "a\nc\nb\nd", '["a", ["c", "b"], "d"]', "| 1 | a |\n| 2 | c |\n| 3 | b |\n| 4 | d |"]),
    (TABLE, ["3; 12.5\n4; 7", "3, 12.50\n4, 7.00", "4: 7\n3: 12.5", "(3, 12.5), (4, 7)", "3, 12.5; 4, 7"]),
    (
        TABLE,
        ["| count | mean |\n|---|---|\n| 4 | 7 |\n| 3 | 12.5 |", "- 3; 12.5\n- 4; 7", "count; mean\n3; 12.5\n4; 7"],
    ),
    (TABLE, ["[[3, 12.5], [4, 7]]", '[{"count": 3, "mean": 12.5}, {"mean": 7, "count": 4}]']),
    (CITED, ["Tides, storms, 5\nWu, 1234", "Wu; 1,234\nTides, storms; 5", "Wu (1234)\nTides, storms (5)"]),
    (CITED, ["Wu: 1,234\nTides, storms: 5", "| Wu | 1,234 |\n| Tides, storms | 5 |", "Wu - 1234\nTides, storms - 5"]),
    (
        Choice(option=2, of=4),
        ["B", "(B)", "B.", "2", "Option B", "Answer: B", "\\boxed{B}", "B) Tides and storms", "[2]"],
    ),
    (Choice(option=2, of=4), ["**B**", "The answer is (B).", "Option 2: Tides", "option b because of the year"]),
    (MASKS, ["3, 1, 4, 2", "1-3, 2-1, 3-4, 4-2", "[3, 1, 4, 2]", "MASK1: 3\nMASK2: 1\nMASK3: 4\nMASK4: 2", "3 1 4 2"]),
    (MASKS, ['{"1": "3", "2": "1", "3": "4", "4": "2"}', "[MASK_1] -> 3, [MASK_2] -> 1, [MASK_3] -> 4, [MASK_4] -> 2"]),
    (PLACES, ["a-1:3-9\na-2:10-12", "a-1[3:9], a-2[10:12]"]),
    (PLACES, ['[{"document": "a-2", "start": 10, "end": 12}, {"document": "a-1", "span": [3, 9]}]']),
    (
        Unanswerable(),
        ["NULL", "null", "None.", "Answer: NULL", "\\boxed{\\text{NULL}}", "N/A", "not answerable", "[]", "**NULL**"],
    ),
    (Unanswerable(), ["Answer:\n- NULL", "1. NULL", "No companies match the conditions.", "答案：没有符合条件的公司"]),
    (Unanswerable(), ['{"answer": null}', "NULL\n\nNo article cites it at all.", "I looked at everything.\n\nNULL"]),
    (Unanswerable(), ["The question cannot be answered from the given articles.", "NULL (no article fits)"]),
    (Text(value="None"), ["None"]),
    (Text(value="No answer: a study"), ["No answer: a study", "Answer: No answer: a study", "**no answer: a study**"]),
    (
        FOUR,
        [
            "Respuesta: 4",
            "答え：4",
            "Ans: 4",
            "#### 4",
            "Answer — **4**",
            "所以答案是 4。",
            "Answer: 4<|im_end|>",
            "４",
        ],
    ),
    (FOUR, ["Answer: 4, not 5", "4 instead of 5", "Draft answer: 5. The final answer is 4.", "Answer: ~~5~~ 4"]),
    (
        FOUR,
        [
            "4\n\n**Note:** Hyphenated words count as one word.",
            "Answer: 4\n\nConfidence: 90%",
            "| Answer |\n|---|\n| 4 |",
        ],
    ),
    (
        TITLES,
        ["Answer:\na) Wu and sons\nb) Is it so?\nc) Rivers: a study\nd) Tides, storms, and seas\n\nI hope this helps!"],
    ),
    (
        TITLES,
        ["<ul><li>Wu and sons</li><li>Is it so?</li><li>Rivers: a study</li><li>Tides, storms, and seas</li></ul>"],
    ),
    (
        TITLES,
        ["- Article 1: Wu and sons\n- Article 2: Is it so?\n- Article 3: Rivers: a study\n- Tides, storms, and seas"],
    ),
    (
        members(7, 8, 10),
        ["7 8 10", "7 → 8 → 10", "a. 7\nb. 8\nc. 10", "- [x] 7\n- [x] 8\n- [ ] 9\n- [x] 10", "① 7\n② 8\n③ 10"],
    ),
    (
        TABLE,
        [
            "Group 3: 12.5\nGroup 4: 7",
            "For 3 authors, the result is 12.5.\nFor 4 authors, the result is 7.",
            "3; 12.5, 4; 7",
        ],
    ),
    (Unanswerable(), ["No article meets the conditions.", "There is none.", "Answer: NULL instead of 3; 5", "(none)"]),
    (FOUR, ['{"why": "At first the answer is 5.", "answer": 4}', '{"why": "\\\\boxed{5}", "answer": "4"}']),
]

WRONG: list[tuple[Answer, list[str]]] = [
    (FOUR, ["40", "4%", "-4", "14", "711", "5", "4k", "4 million", "4th", "1/4", "4,5", "4e2", "4.0.1", "v4", "GPT-4"]),
    (FOUR, ["4 or 5", "not 4", "at least 4", "more than 4", "4, 5", "4-5", "between 4 and 5", "Answer: 4 or 5", ">4"]),
    (FOUR, ["", "none", "NULL", "...", "Answer:", "\\boxed{}", "4\n5", "Answer: 4\n5\n6", "The numbers are 4 and 7."]),
    (FOUR, ["I see 4 articles, but one is a preprint, so the answer is 3.", "\\boxed{4} hmm wait.\nFinal answer: 5"]),
    (FOUR, ["I first counted 4. Removing one leaves 3.", "Answer: 4. Or 5.", "It is 4 of course.\nSo the total is 3."]),
    (FOUR, ["4 perhaps", "4, I guess", "4 (maybe)"]),
    (
        FOUR,
        [
            "4 would be wrong here.",
            "Answer:\n- 4\n- 5",
            "Answer: 4\n\nWait, that is a mistake.",
            "Answer: NULL instead of 4",
        ],
    ),
    (number(1), ["How many are there? Answer with one number.", "Candidate 1 is a survey."]),
    (number(7), ["Answer: Synaptotagmin 7 is a sensor"]),
    (number("4.0"), ["40"]),
    (number(11), ["711", "111", "1.1", "eleven hundred"]),
    (number("3.14159", 2), ["3.1", "3.15", "3.13", "3", "314", "3.14 %"]),
    (number("3.14159"), ["3.14", "3.1416"]),
    (number(50, unit="%"), ["50", "0.5", "50 km", "50 percentage points", "50‰"]),
    (number(50), ["50%", "50 percent", "fifty percent", "$50", "50kg"]),
    (number(5, unit="km"), ["5 miles", "5 m", "5%", "5 kg", "5 km or 6 km"]),
    (number(42), ["forty two two", "forty-twenty", "forty-two hundred"]),
    (
        MUELLER,
        ["Müller", "A. Müller", "Anna Müllerová", "Anna Müller, Bo Wu", "Anna Müller or Bo Wu", "Anna", "Anna Müll"],
    ),
    (MUELLER, ["not Anna Müller", "Anna Müller\nBo Wu", "Anna Möller", "", "NULL"]),
    (Text(value="Anna Muller"), ["Anna Müller"]),
    (TITLES, ["Tides, storms, and seas, Wu and sons, Rivers: a study", "", "NULL", "Answer:"]),
    (TITLES, ["Tides, Wu and sons, Rivers: a study, Is it so?"]),
    (TITLES, ["Rivers: a study; Tides, storms, and seas; Is it so?; Wu and sons; More"]),
    (TITLES, ["- Wu and sons\n- Is it so?\n- Rivers: a study\n- Tides, storms, and seas\nEvidence for more"]),
    (
        TITLES,
        [f"{LISTED}\n{more}" for more in ("Evidence: a survey", "Notes: on tides", "These lists are long!", "# Tides")],
    ),
    (
        TITLES,
        [
            f"{LISTED}\n\n{more}"
            for more in ("Evidence: a survey", "Thank you for sharing", "I am an article", "(Un)wanted")
        ],
    ),
    (FOUR, ["Answer: 4 is a naive count; the true count is 5.", "4 < x", "4 and a half"]),
    (Unanswerable(), ["none (1 borderline: Tides)"]),
    (FOUR, ["5 instead of 4", "4; 5", "4+", "4 or so", "4-ish", "4 dozen", "half of 4", "4? No.", "unknown (4?)"]),
    (FOUR, [f"Answer: 4{more}" for more in ("\nNo, 5.", "\n\nUpdate: 5", "\n\nSorry, 5.", ". Hmm, 5?", "或5", "以上")]),
    (
        FOUR,
        ["Under one reading the answer is 4; under another it is 5.", "A: 4\nB: 5", "I would say NULL instead of 4."],
    ),
    (
        Unanswerable(),
        ["NULL\nTides of the north", "NULL\n\nSorry, I missed Tides.", "无锡公司", "没有公司符合，只有甲公司"],
    ),
    (Unanswerable(), ["No article except Tides meets the conditions.", "There is none but Tides."]),
    (members(100, 200, 300), ["100,200", "100200300", "100, 200, 300, 400", "300"]),
    (Multiset(items=(FOUR, FOUR, number(5))), ["4, 5", "4, 5, 5", "4, 4, 5, 5", "4\n5"]),
    (TIED, ["d, c, b, a", "a, b, d, c", "b, a, c, d", "a, b, c", "a, b, c, d, e", "a, b, b, d"]),
    (TABLE, ["3; 12.5", "3; 7\n4; 12.5", "3; 12.5\n4; 7\n5; 1", "3; 12.5\n4", "12.5; 3\n7; 4"]),
    (Choice(option=2, of=4), ["A", "B or C", "A, B", "B, C", "5", "E", "A paper by B", "(B) and (C)", "", "not B"]),
    (MASKS, ["3, 1, 4", "3, 1, 2, 4", "C, A, D, B", "1-3, 2-1", "3, 1, 4, 2, 1", "1-3, 2-1, 3-4, 3-2"]),
    (PLACES, ["a-1:3-9", "a-1:3-9; a-2:10-13", "a-1:3-9; a-2:10-12; a-3:1-2", "a-1:9-3; a-2:10-12"]),
    (
        Unanswerable(),
        ["4", "Lind", "None or 4", "NULL; 4", "None, Lind", "", "I don't know", "NULL\nLind", "NULL. Maybe it is 4."],
    ),
]


def flat(cases: list[tuple[Answer, list[str]]]) -> list[tuple[Answer, str]]:
    return [(key, response) for key, responses in cases for response in responses]


@pytest.mark.parametrize("title", [r"Typing \*\*kwargs", "Typing **kwargs"])
def test_escaped_asterisks_are_not_emphasis(title: str) -> None:
    key = ranking(title, "Variadic Generics")
    assert says(key, f"Answer:\n1. {title}\n2. Variadic Generics")
    assert says(key, f"{title}, Variadic Generics")
    assert says(key, "Answer:\nTyping **kwargs\nVariadic Generics")


@pytest.mark.parametrize(("key", "response"), flat(RIGHT))
def test_a_correct_answer_is_parsed_in_every_form(key: Answer, response: str) -> None:
    assert says(key, response), parse_response(response, key)


@pytest.mark.parametrize(("key", "response"), flat(WRONG))
def test_what_is_not_stated_is_not_parsed(key: Answer, response: str) -> None:
    assert not says(key, response), parse_response(response, key)


def test_only_the_box_of_a_truncated_response_is_parsed() -> None:
    assert parse_response("Answer: 71", number(71), truncated=True) is None
    assert parse_response("so \\boxed{71} because of the ar", number(71), truncated=True) == number(71)
    assert parse_response("so \\boxed{71", number(71), truncated=True) is None


@pytest.mark.parametrize(
    "text", ["1/3", "x", "", "two thousand three thousand", "4 5", "four five", "4 is wrong, 5 is right", "4th"]
)
def test_anything_but_a_single_exact_number_is_not_a_number(text: str) -> None:
    assert number_of(text) is None


# -- An oracle that writes the key in any form is right ------------------------------------------------------------

SMALL = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
SMALL += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(value: int) -> str:
    """An English number, the way a person says it."""
    if value < 20:
        return SMALL[value]
    if value < 100:
        return TENS[value // 10] + (f"-{SMALL[value % 10]}" if value % 10 else "")
    for size, word in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= size:
            rest = f" {spelled(value % size)}" if value % size else ""
            return f"{spelled(value // size)} {word}{rest}"
    raise AssertionError


WRITTEN: list[Callable[[int], str]] = [
    str,
    "{:,}".format,
    lambda value: f"{value:,}".replace(",", " "),
    lambda value: f"{value:,}".replace(",", "'"),
    "{}.0".format,
    "{:,}.00".format,
    spelled,
    lambda value: spelled(value).capitalize(),
    "**{}**".format,
    "${}$".format,
]
MARKED: list[Callable[[str], str]] = [
    "{}".format,
    "Answer: {}".format,
    "answer: {}\n".format,
    "**Final Answer:** {}".format,
    "**Final answer**:\n\n{}".format,
    "First I looked at 12 articles, then at 7.\n\nAnswer:\n{}".format,
    "<think>Is it 3? No, 8.</think>\n{}".format,
    "The answer is 77. Wait, I forgot one.\nFinal answer: {}".format,
]
BOXED: list[Callable[[str], str]] = [
    "\\boxed{{{}}}".format,
    "We have 3 and 9, thus $\\boxed{{\\text{{{}}}}}$.".format,
    "\\boxed{{7}} was too few.\n\n\\[\\boxed{{{}}}\\]\nThat is it.".format,
]


@settings(deadline=None)
@given(st.integers(0, 10**9 - 1), st.sampled_from(WRITTEN), st.sampled_from(MARKED + BOXED))
def test_a_whole_number_in_every_form(value: int, write: Callable[[int], str], mark: Callable[[str], str]) -> None:
    assert says(number(value), mark(write(value)))


@settings(deadline=None)
@given(
    st.decimals(-(10**6), 10**6, places=4),
    st.integers(0, 3),
    st.sampled_from(["ROUND_HALF_EVEN", "ROUND_HALF_UP"]),
    st.sampled_from(MARKED + BOXED),
)
def test_a_rounded_number_by_either_rule(value: Decimal, places: int, rule: str, mark: Callable[[str], str]) -> None:
    key = number(str(value), places)
    assert says(key, mark(f"{value.quantize(Decimal(1).scaleb(-places), rule):f}"))
    assert says(key, mark(f"{value:f}"))


WORDS = st.text("abcdefghijklmnopqrstuvwxyzéüøłñABCDEFGHÅ", min_size=3, max_size=9)
PLAIN = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
RICH = st.tuples(
    PLAIN, st.sampled_from([", ", " and ", ": ", " - ", ", and ", "-", " & "]), PLAIN, st.sampled_from(["", "?"])
)
TITLE = (PLAIN | RICH.map("".join)).filter(
    lambda text: not isinstance(parse_response(text, Unanswerable()), Unanswerable)
)


def letters(text: str) -> str:
    return unaccented(normal(text))


LISTS = st.lists(TITLE, min_size=1, max_size=6, unique_by=letters)
LAID_OUT: list[Callable[[Sequence[str]], str]] = [
    "\n".join,
    "\n\n".join,
    "; ".join,
    lambda items: "\n".join(f"- {item}" for item in items),
    lambda items: "\n".join(f"* **{item}**" for item in items),
    lambda items: "\n".join(f"{place}. {item}" for place, item in enumerate(items, start=1)),
    lambda items: "\n".join(f"{place}) {item}" for place, item in enumerate(items, start=1)),
    lambda items: "; ".join(f"({place}) {item}" for place, item in enumerate(items, start=1)),
    lambda items: "| item |\n|:---|\n" + "\n".join(f"| {item} |" for item in items),
    lambda items: json.dumps(list(items)),
    lambda items: json.dumps(
        {"reasoning": "I counted 5, so the answer is 5.", "answer": list(items)}, ensure_ascii=False
    ),
    lambda items: f"```json\n{json.dumps({'answer': list(items)})}\n```",
    lambda items: ", ".join(f'"{item}"' for item in items),
]


@given(LISTS, st.sampled_from(LAID_OUT), st.sampled_from(MARKED), st.booleans())
def test_a_list_in_every_layout(
    items: list[str], lay_out: Callable[[Sequence[str]], str], mark: Callable[[str], str], bare: bool
) -> None:
    said = [unaccented(item) for item in items] if bare else items
    response = mark(lay_out(said))
    for key in (members(*items), Multiset(items=tuple(map(atom, items))), ranking(*items), ranking(tuple(items))):
        assert says(key, response), (response, parse_response(response, key))


def is_cut_one_way(items: Sequence[str]) -> bool:
    """Whether no item is a part of another, which would make its comma list ambiguous."""
    pieces = [letters(piece) for item in items for piece in item.replace(" and ", ",").replace("&", ",").split(",")]
    return len(pieces) == len(set(pieces)) and all(pieces) and "and" not in pieces


@given(
    LISTS,
    st.sampled_from([", ".join, lambda items: " and ".join([", ".join(items[:-1]), items[-1]][len(items) < 2 :])]),
)
def test_a_comma_list_is_split_where_its_titles_end(items: list[str], join: Callable[[Sequence[str]], str]) -> None:
    assume(is_cut_one_way(items))
    for mark in (*MARKED, *BOXED):
        assert says(members(*items), mark(join(items))), (
            mark(join(items)),
            parse_response(mark(join(items)), members(*items)),
        )


@settings(deadline=None)
@given(TITLE, st.sampled_from(MARKED + BOXED))
@example("and", MARKED[0])
def test_a_text_with_every_marker(title: str, mark: Callable[[str], str]) -> None:
    assert says(Text(value=title), mark(title))
    assert says(Text(value=title), mark(title.upper() if "ß" not in title else title))


@settings(deadline=None)
@given(st.lists(st.tuples(TITLE, st.integers(0, 99999)), min_size=1, max_size=5), st.sampled_from(MARKED))
def test_a_table_in_every_layout(pairs: list[tuple[str, int]], mark: Callable[[str], str]) -> None:
    key = Rows(columns=("title", "citations"), rows=tuple((Text(value=title), number(n)) for title, n in pairs))
    drawn = "| title | citations |\n|---|---:|\n" + "\n".join(f"| {title} | {n:,} |" for title, n in pairs)
    for laid_out in (drawn, "\n".join(f"{title}; {n}" for title, n in pairs), json.dumps(pairs)):
        assert says(key, mark(laid_out)), (mark(laid_out), parse_response(mark(laid_out), key))


# -- Hostile responses -----------------------------------------------------------------------------------------------

KEYS: list[Answer] = [
    FOUR,
    number(5, 2, "km"),
    MUELLER,
    TITLES,
    members(1234, 5),
    TIED,
    TABLE,
    CITED,
    Choice(option=2, of=4),
    MASKS,
    PLACES,
    Unanswerable(),
]
PIECES = [
    "{",
    "}",
    "\\boxed{",
    "[",
    "(((",
    "a,",
    "1,",
    "1.",
    " and ",
    "Answer: ",
    "one ",
    "**",
    "__a ",
    "$",
    "|",
    "\n",
    "- ",
    "```",
]
PIECES += [
    '"',
    "\\text{",
    "\\frac{1}",
    "</think>",
    "1/",
    "e5",
    "%",
    ";",
    ": ",
    "NULL",
    "é",
    "\u200b",
    "İ",
    "ſix",
    "\\ud800",
    "²",
    "٤",
]

PIECES += ["a, ", "Tides, storms, ", "the author ", "1,111", "1 000 ", "- a\n", "| a |\n", "answer is ", "x:1-2 ", "{}"]
BLANKS = [" ", "\t", "\n ", " ;"]
LONG_PIECES = ["{", "\\boxed{", "(((", "a,", "[", "one-", "answer "]


@given(
    st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.sampled_from(KEYS),
    st.booleans(),
)
@example('["\\ud800"]', TITLES, False)
@example("\ud800", TITLES, False)
@example("1e9999 2", FOUR, False)
@example("Answer: " + "9" * 5000, FOUR, False)
def test_no_response_raises(text: str, key: Answer, truncated: bool) -> None:
    read = parse_response(text, key, truncated=truncated)
    assert read is None or isinstance(agrees(key, read), bool)


def test_a_parsed_answer_round_trips_through_a_file() -> None:
    for key, response in flat(RIGHT) + flat(WRONG):
        read = parse_response(response, key)
        if read is not None:
            assert type(read).from_line(read.to_line()) == read


def test_long_hostile_responses_take_linear_time() -> None:
    """In its own process: a pattern that backtracks endlessly cannot be stopped from inside."""
    script = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (45, 45))  # five to ten times what it takes, however busy the machine is
from tests.scoring.answer_types.test_parse import BLANKS, KEYS, LONG_PIECES, PIECES
from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.parse import parse_response
texts = [piece * (20_000 // len(piece)) for piece in LONG_PIECES]
texts += ["Answer: " + piece * (4_000 // len(piece)) + "}" for piece in PIECES]
texts += [f"{before}a{blank * 6_000}b" for blank in BLANKS for before in ("", "Answer: c, ")]
for text in texts:
    for key in KEYS:
        read = parse_response(text, key)
        if read is not None:
            agrees(key, read)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    "extra", ["Sleep is a need.", "Munc13 is required for priming.", "All cells are not equal.", "- These are tides."]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_title_that_is_a_sentence_is_an_item(extra: str, place: int) -> None:
    key = ValueSet(items=(Text(value="Tides"), Text(value="Storms")))
    lines = ["Tides", "Storms"] if not extra.startswith("-") else ["- Tides", "- Storms"]
    lines.insert(place, extra)
    assert not says(key, "Answer:\n" + "\n".join(lines))


@pytest.mark.parametrize(
    ("key", "response"),
    [
        (ValueSet(items=(Number(value=Decimal(3)), Number(value=Decimal(4)))), "Answer: 3, Ada Lind, 4"),
        (ValueSet(items=(Text(value="Ada Lind"), Text(value="Bo Wu"))), "Answer: Ada Lind, 3, Bo Wu, 2"),
        (ValueSet(items=(Text(value="Ada Lind"), Text(value="Bo Wu"))), '["Ada Lind", 3]'),
    ],
)
def test_numbers_mixed_with_names_are_not_a_list(key: Answer, response: str) -> None:
    assert parse_response(response, key) is None
    years = ValueSet(items=(Text(value="1984"), Text(value="Tides")))
    assert parse_response("Answer: 1984, Tides", years) == years

"""Token counts by line equal those of the whole text, after any edits."""

from random import Random

import pytest

from fathom.models.line_token_counts import LineTokens, line_lengths
from fathom.models.tokenizers import EMBEDDED, tokenizer
from fathom.records.contexts import Edit, apply_edits
from fathom.records.spans import Span
from tests.models.counting import Counting

PIECES = (
    "word",
    "Words",
    " word",
    " Words",
    " écrit",
    " 7",
    ".",
    "…",
    "\n",
    "\n\n",
    "\n ",
    "\n\t\n",
    " ",
    "  ",
    "/",
    "//",
    "7",
    "3.2",
    "|",
    "é",
    "学习",
    "'s",
    "-",
    "[1]",
)


def a_text(rng: Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 60))) + ".\n"


def some_edits(rng: Random, text: str) -> list[Edit]:
    ends = sorted(rng.choices(range(len(text) + 1), k=2 * rng.randint(0, 4)))
    return [
        Edit(span=Span(start, end), text="".join(rng.choice(PIECES) for _ in range(rng.randint(0, 3))))
        for start, end in zip(ends[::2], ends[1::2], strict=True)
    ]


@pytest.mark.parametrize("name", EMBEDDED)
def test_counts_edited_texts_by_line_and_as_a_whole(name: str) -> None:
    counter = tokenizer(name)
    rng = Random(4)
    for _ in range(8_000):
        text = a_text(rng)
        lengths = line_lengths(text, counter)
        assert sum(lengths.characters) == len(text)
        assert sum(lengths.tokens) == counter.count(text), repr(text)
        edits = some_edits(rng, text)
        assert LineTokens(*lengths).tokens(text, edits, counter) == counter.count(apply_edits(text, edits)), (
            text,
            edits,
        )


@pytest.mark.parametrize("name", EMBEDDED)
def test_an_insertion_may_merge_with_the_start_of_a_text(name: str) -> None:
    counter = tokenizer(name)
    for text, before in (("\n\n", "\n\n"), (" word\n", ".\n"), ("/ a\n", ".\n")):
        found = LineTokens(*line_lengths(text, counter)).tokens(text, [Edit(span=Span(0, 0), text=before)], counter)
        assert found == counter.count(before + text), (before, text)


def test_counts_only_a_few_lines_again() -> None:
    text = "".join(f"Line {number} says something.\n" for number in range(100))
    lines, counter = LineTokens(*line_lengths(text, tokenizer())), Counting()
    place = text.index("50 says")
    lines.tokens(text, [Edit(span=Span(place, place + 2), text="fifty")], counter)
    assert sum(map(len, counter.counted)) < 100

"""Whether a probe hits: the name or the word is among the first tokens that came back."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.judgments import Judgment
from fathom.records.names import WORD, plain_word
from fathom.records.questions import Response
from fathom.scoring.answers import Text
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict

TOKENS = 20
"""Of a response that count, as in the paper: whoever goes on for pages names everybody in the end."""

LONGEST = 2_000
"""Characters of a response that are looked at: no twenty tokens have more."""


def check(key: Key, response: Response, text: str | None = None, judgments: Sequence[Judgment] = ()) -> Verdict:
    """Right when the name stands, letter by letter and as words of its own, in the first tokens of the response."""
    if response.outcome in ("error", "overflow", "refused"):
        return check_response(key, response)
    start = response.text.lstrip()
    said = " ".join(start[: begun(start)].split())
    if not said:
        return Verdict(
            question_id=response.question_id,
            sample=response.sample,
            outcome="unparseable",
            score=0.0,
            reason="nothing was said",
        )
    assert isinstance(key.answer, Text)
    right = comes_back((key.answer.value, *key.answer.aliases), start)
    return Verdict(
        question_id=response.question_id,
        sample=response.sample,
        outcome="correct" if right else "incorrect",
        score=float(right),
        parsed=Text(value=said),
    )


def comes_back(names: Sequence[str], text: str) -> bool:
    """Whether one of the names stands in the first tokens of a text."""
    text = text.lstrip()
    end = begun(text)
    # Words are cut from more than the tokens hold, so that "Lin" is not found in a "Lindqvist" cut short.
    words = [plain_word(found[0]) for found in WORD.finditer(text[:LONGEST]) if found.end() <= end]
    return any(_stands(list(map(plain_word, WORD.findall(name))), words) for name in names)


def contains_name(text: str, name: str) -> bool:
    """Whether a name stands anywhere in a text."""
    return _stands(list(map(plain_word, WORD.findall(name))), [plain_word(word) for word in WORD.findall(text)])


def _stands(name: list[str], words: list[str]) -> bool:
    return bool(name) and any(
        word == name[0] and words[place : place + len(name)] == name for place, word in enumerate(words)
    )


def begun(text: str) -> int:
    """How many characters the first tokens of a text have."""
    count = tokenizer(DEFAULT).count
    low, high = 0, min(len(text), LONGEST)
    # The longest beginning of so few tokens: a tokenizer that only counts is asked a dozen times.
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) <= TOKENS:
            low = middle
        else:
            high = middle - 1
    return low

"""Checks the response to a probe: the name or word must be among its first tokens."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.judgments import Judgment
from fathom.records.names import WORD, plain_word
from fathom.records.questions import Response
from fathom.scoring.answers import Text
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Verdict

TOKENS = 20
"""Tokens at the start of a response that count, as in the paper: a long continuation may mention every name."""

MAX_LENGTH = 2_000
"""Characters of a response that are examined, enough for `TOKENS` tokens."""


def check(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """Correct when the name occurs, as whole words, in the first tokens of the response."""
    if response.outcome in ("error", "overflow", "refused"):
        return check_response(key, response)
    start = response.text.lstrip()
    examined = " ".join(start[: early_length(start)].split())
    if not examined:
        return Verdict(
            question_id=response.question_id,
            sample=response.sample,
            outcome="unparseable",
            score=0.0,
            reason="the response is empty",
        )
    assert isinstance(key.answer, Text)
    correct = names_occur_early((key.answer.value, *key.answer.aliases), start)
    return Verdict(
        question_id=response.question_id,
        sample=response.sample,
        outcome="correct" if correct else "incorrect",
        score=float(correct),
        parsed=Text(value=examined),
    )


def names_occur_early(names: Sequence[str], text: str) -> bool:
    """Whether one of the names occurs in the first tokens of a text."""
    text = text.lstrip()
    end = early_length(text)
    # Words are split before the cut, so that "Lin" is not found in a truncated "Lindqvist".
    words = [plain_word(match[0]) for match in WORD.finditer(text[:MAX_LENGTH]) if match.end() <= end]
    return any(_occurs(list(map(plain_word, WORD.findall(name))), words) for name in names)


def contains_name(text: str, name: str) -> bool:
    """Whether a name occurs anywhere in a text."""
    return _occurs(list(map(plain_word, WORD.findall(name))), [plain_word(word) for word in WORD.findall(text)])


def _occurs(name: list[str], words: list[str]) -> bool:
    """Whether the words of the name follow each other somewhere in `words`."""
    return bool(name) and any(
        word == name[0] and words[index : index + len(name)] == name for index, word in enumerate(words)
    )


def early_length(text: str) -> int:
    """The number of characters in the first `TOKENS` tokens of a text."""
    count = tokenizer(DEFAULT).count
    low, high = 0, min(len(text), MAX_LENGTH)
    # Bisection, since the tokenizer can count tokens but not split a text into them.
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) <= TOKENS:
            low = middle
        else:
            high = middle - 1
    return low

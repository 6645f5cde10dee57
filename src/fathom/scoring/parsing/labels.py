"""Labels that a sentence asserts: "It is a descriptive citation." states "descriptive"."""

from __future__ import annotations

import re
from collections.abc import Collection

from fathom.scoring.parsing.non_answers import CONTRAST, DENIED_AFTER, HEDGE

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_CLAUSE = re.compile(r"[,;:—–]\s|\b(?:so|therefore|thus|hence)\b")
_DENIES = re.compile(
    r"\b(?:not|never|no|neither|nor|hardly|barely|almost|nearly|except|but|besides|unlike|without|cannot|doubt|if"
    r"|(?:far|different) from|(?:more|less|other|better|worse) than)\b|n't\b",
    re.IGNORECASE,
)


def stated_label(text: str, labels: Collection[str]) -> str | None:
    """The one label that the last sentence with a label asserts; None if it denies it or names several."""
    any_label = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, labels))})(?![\w-])", re.IGNORECASE)
    for sentence in reversed(_SENTENCE.split(text[:4000])):
        bare = CONTRAST.sub("", sentence)
        found = list(any_label.finditer(bare))
        if not found and not any_label.search(sentence):
            continue
        if len({match[0].lower() for match in found}) != 1 or bare.rstrip(" *_").endswith("?"):
            return None
        lead = _CLAUSE.split(bare[: found[-1].start()])[-1]
        denied = _DENIES.search(lead) or HEDGE.search(bare) or DENIED_AFTER.match(bare, found[-1].end())
        return None if denied else found[-1][0].lower()
    return None

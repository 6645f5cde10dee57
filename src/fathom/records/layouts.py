"""The layouts of contexts: the lines above each document and below the last."""

from __future__ import annotations

LAYOUT = "articles/1"
"""Documents one after another. The version changes whenever the same recipe would render to other characters."""
PAPER_AND_CANDIDATES = "paper and candidates/1"
"""An article, then numbered works that it may cite."""

CLOSING = "===== End of articles\n"
CLOSINGS = {LAYOUT: CLOSING, PAPER_AND_CANDIDATES: "===== End of candidates\n"}


def boundary(number: int, layout: str = LAYOUT) -> str:
    """The line above document `number`, counted from one.

    It starts with a punctuation mark and ends in a digit or a letter, and every text ends in one newline. Tokenizers
    that split at newlines then never join two documents, so the token counts of the pieces add up to the total.
    """
    if layout == PAPER_AND_CANDIDATES:
        return "===== Paper\n" if number == 1 else f"===== Candidate {number - 1}\n"
    return f"===== Article {number}\n"


def shown_label(number: int, layout: str = LAYOUT) -> str:
    """How prompts name document `number`, such as "Article 3"."""
    return boundary(number, layout).strip("= \n")


def closing(layout: str) -> str:
    """The line below the last document."""
    return CLOSINGS[layout]

"""Subjects of a document: which keywords of its source are terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MAX_WORDS = 6
_MAX_CHARACTERS = 60
_ARTICLE_TYPES = re.compile(
    r"(?:(?:original|research|review|short|brief|clinical|full|regular|registered|scientific|feature|systematic|invited"
    r"|open access)\s?)*"
    r"(?:articles?|papers?|reports?|research|reviews?|communications?|stud(?:y|ies)|trials?|correction|editorial|letters?"
    r"|insight|investigations?|advance|preprint|contributions?|notes?|comments?|perspectives?|corrigend(?:um|a)"
    r"|errat(?:um|a)|retraction|open access)",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"\b(?:is|are|was|were|has|have|been|we|our|this|these|thank\w*|copyright\w*|licen[cs]ed?|permission"
    r"|rights reserved|belongs?|presented|published|submitted|accepted|received|edited|corresponding"
    r"|https?|www|supported by|can be)\b"
    r"|[©@]|\.\s+\S|[。？！]|本文|感谢",
    re.IGNORECASE,
)


def is_article_type(text: str) -> bool:
    """Return whether a heading names the type of an article, such as "Research Article"."""
    return bool(_ARTICLE_TYPES.fullmatch(text.strip()))


def is_term(text: str) -> bool:
    """Return whether a keyword is a term, not a sentence, a notice or the type of the article."""
    text = text.strip(" .;,")
    if not re.search(r"[^\W\d_]", text) or len(text) > _MAX_CHARACTERS or len(text.split()) > _MAX_WORDS:
        return False
    return not is_article_type(text) and not _PROSE.search(text)


def first_term(keywords: Sequence[str]) -> str | None:
    """Return the first keyword that is a term."""
    return next((word.strip(" .;,") for word in keywords if is_term(word)), None)

"""Subjects of a document: which keywords of its source are terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.words import read_words, word_pattern

_WORDS = read_words("titles")

_MAX_WORDS = 6
_MAX_CHARACTERS = 60
_ARTICLE_TYPES = word_pattern(_WORDS["article_types"])
_PROSE = word_pattern(_WORDS["prose"])


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

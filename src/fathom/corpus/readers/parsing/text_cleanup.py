"""Text as it may stand in a document: one form of every letter, single blanks, nothing that is no character."""

from __future__ import annotations

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u2060\ufeff\ufffe\uffff]|[\ud800-\udfff]")
_EQUALS = re.compile(r"={5,}")
_BLANKS = re.compile(r"\s+")


def tidy(text: str) -> str:
    """One blank between words, no control characters, no half ones, nothing that forges; blanks at the ends stay."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    # Most stretches are printable and so hold no blank but the space and nothing that goes: asked first, since
    # looking for each such sign in ten thousand words takes longer than all the rest of writing them down.
    if not text.isprintable():
        text = _BLANKS.sub(" ", _CONTROL.sub("", text.encode("utf-8", "replace").decode()))
    elif "  " in text:
        text = _BLANKS.sub(" ", text)
    return without_rules(text)


def plain(text: str) -> str:
    """The same without blanks at the ends."""
    return tidy(text).strip(" ")


def verbatim(line: str) -> str:
    """A line of code or verse: its blanks are its own, but for those at its end."""
    return without_rules(_CONTROL.sub("", line)).rstrip()


def without_rules(text: str) -> str:
    """A line of five equals signs tells documents apart in a context, so no document may hold one."""
    return _EQUALS.sub("====", text) if "=====" in text else text


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set: a compact way to write a set of names."""
    return frozenset(text.split())

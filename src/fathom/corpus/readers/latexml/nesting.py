"""Nesting depth of a page, measured without parsing it: the parser's time grows with the square of the depth."""

from __future__ import annotations

import re
from collections import Counter

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.text_cleanup import word_set

MAX_DEPTH = 400
"""Maximum nesting. Real pages have about fifty levels."""
MAX_ATTRIBUTES = 2_000
"""Maximum number of attributes of one element. The parser compares each with all before it."""


_OPENING = re.compile(r"<(?:!--|!\[CDATA\[|(/?)([A-Za-z][^\s/>]*))")
_IN_TAG = re.compile(r"[>\"']")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
# Elements without an end tag, and elements whose content is not markup.
_VOID = word_set("area base br col embed hr img input link meta source track wbr param")
_RAW = word_set("script style textarea title xmp iframe noembed noframes")
# HTML has self-closing elements in MathML and SVG only. Elsewhere the parser leaves them open.
_EMPTY_ELEMENT = re.compile(
    rf"<(?!(?:{'|'.join(sorted(_VOID))})[\s/])([a-zA-Z][\w:-]{{0,40}})"
    r"((?:\s[^<>\"']{0,300}(?:\"[^\"<>]{0,2000}\"[^<>\"']{0,300}){0,30})?)/>"
)


def close_empty_elements(text: str) -> str:
    """Return the page with an explicit end tag for each self-closing element."""
    return _EMPTY_ELEMENT.sub(r"<\1\2></\1>", text)


def check_nesting(text: str) -> None:
    """Raise `ReadError` if a page is nested too deep."""
    if _depth(text) > MAX_DEPTH:
        raise ReadError(f"its elements are nested more than {MAX_DEPTH} deep")


def _depth(text: str) -> int:
    """Return the maximum number of open elements. An element without an end tag counts to the end of the page."""
    opened: Counter[str] = Counter()
    depth = deepest = position = 0
    while found := _OPENING.search(text, position):
        if found[2] is None:
            if found[0] != "<!--":
                raise ReadError("it has a CDATA section, which LaTeXML never writes")
            position = text.find("-->", found.end())
            if position < 0:
                break
            continue
        name = found[2].lower()
        position = _tag_end(text, found.end())
        _check_attributes(text[found.end() : position if position >= 0 else len(text)])
        if position < 0:
            break
        if found[1]:
            if opened[name]:
                opened[name] -= 1
                depth -= 1
        elif name not in _VOID:
            if name in _RAW:
                position = _find_end(text, name, position)
                if position < 0:
                    break
                continue
            opened[name] += 1
            depth += 1
            deepest = max(deepest, depth)
    return deepest


def _check_attributes(tag: str) -> None:
    """Raise `ReadError` if a tag has thousands of attributes."""
    if len(tag) > 10_000 and len(re.split(r"[\s/]+", _QUOTED.sub("", tag))) > MAX_ATTRIBUTES:
        raise ReadError(f"a tag has more than {MAX_ATTRIBUTES:,} attributes")


def _find_end(text: str, name: str, position: int) -> int:
    found = re.compile(rf"</{name}", re.IGNORECASE).search(text, position)
    return _tag_end(text, found.end()) if found else -1


def _tag_end(text: str, position: int) -> int:
    """Return the end of the tag that is open at `position`, skipping quoted values; -1 if it has none."""
    while found := _IN_TAG.search(text, position):
        if found[0] == ">":
            return found.end()
        before = text[max(position, found.start() - 20) : found.start()].rstrip()
        if before.endswith("="):
            end = text.find(found[0], found.end())
            if end < 0:
                return -1
            position = end + 1
        else:
            position = found.end()
    return -1

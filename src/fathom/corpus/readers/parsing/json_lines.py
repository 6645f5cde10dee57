"""Files of JSON with one document, or with one on each line: every line is read, or refused with its number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fathom.corpus.readers.parsed_document import ParsedDocument, ReadError

JsonObject = dict[str, Any]

MOST_REFUSED = 1_000
"""Lines of one file that are refused one by one; a file with more is something else."""


def read_objects(text: str, name: str, read: Callable[[JsonObject, int], ParsedDocument]) -> Iterator[ParsedDocument]:
    """What `read` makes of the one object of a file and nought, or of each line's object and the line's number.

    A line that cannot be read is a refusal in its place.
    """
    # Not at every line end there is: a string in JSON may hold U+2028.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not _is_one_each(lines):
        yield read(parsed(text), 0)
        return
    refused = 0
    for number, line in lines:
        try:
            found = read(parsed(line), number)
        except ReadError as reason:
            refused += 1
            if refused > MOST_REFUSED:
                raise ReadError(f"more than {MOST_REFUSED:,} of its lines cannot be read") from reason
            # The number stands in brackets, so that reports count the lines of one fault together.
            found = ParsedDocument(f"{name}#{number}", refusal=f"{reason} (line {number})")
        yield found


def _is_one_each(lines: Sequence[tuple[int, str]]) -> bool:
    """Whether each line is an object, and not one object printed over many lines, which may be broken."""
    if len(lines) < 2:
        return False
    if sum(line.lstrip().startswith("{") for _, line in lines) * 2 > len(lines):
        return True
    try:
        return bool(parsed(lines[0][1]))
    except ReadError:
        return False


def parsed(text: str) -> JsonObject:
    """The object that a text is; raises `ReadError` where it is none."""
    try:
        loaded = json.loads(text)
    except RecursionError as error:
        raise ReadError("its JSON is nested too deep") from error
    except ValueError as error:
        raise ReadError(f"it is no JSON ({str(error)[:200]})") from error
    if not isinstance(loaded, dict):
        raise ReadError("its JSON is no object")
    return loaded

"""JSON and JSON Lines files of documents, and typed access to their values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fathom.corpus.readers.parsed_document import ParsedDocument, ReadError
from fathom.corpus.readers.parsing.identifiers import bare_doi

JsonObject = dict[str, Any]

MAX_REFUSED = 1_000
"""Maximum number of lines of one file refused individually. A file with more is refused as a whole."""


def read_objects(text: str, name: str, read: Callable[[JsonObject, int], ParsedDocument]) -> Iterator[ParsedDocument]:
    """Yield `read(object, 0)` for a file with one object, or `read(object, line number)` for each line.

    A line that cannot be read yields a document with a refusal.
    """
    # Split at "\n" only: a JSON string may contain U+2028.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not _is_json_lines(lines):
        yield read(parse_object(text), 0)
        return
    refused = 0
    for number, line in lines:
        try:
            document = read(parse_object(line), number)
        except ReadError as reason:
            refused += 1
            if refused > MAX_REFUSED:
                raise ReadError(f"more than {MAX_REFUSED:,} of its lines cannot be read") from reason
            # The number is in parentheses, so that the report groups lines with the same reason.
            document = ParsedDocument(f"{name}#{number}", refusal=f"{reason} (line {number})")
        yield document


def _is_json_lines(lines: Sequence[tuple[int, str]]) -> bool:
    """Return whether each line is an object, as opposed to one object over many lines, which may be damaged."""
    if len(lines) < 2:
        return False
    if sum(line.lstrip().startswith("{") for _, line in lines) * 2 > len(lines):
        return True
    try:
        return bool(parse_object(lines[0][1]))
    except ReadError:
        return False


def parse_object(text: str) -> JsonObject:
    """Return the JSON object in a text; raises `ReadError` if there is none."""
    try:
        loaded = json.loads(text)
    except RecursionError as error:
        raise ReadError("its JSON is nested too deep") from error
    except ValueError as error:
        raise ReadError(f"it is not JSON ({str(error)[:200]})") from error
    if not isinstance(loaded, dict):
        raise ReadError("its JSON is not an object")
    return loaded


# Values of any type: nothing guarantees what a file contains.


def get_string(entry: JsonObject, name: str, tidy: bool = True) -> str:
    """Return a string or integer field as text; empty for anything else."""
    value = entry.get(name)
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) and value is not True else ""
    text = replace_surrogates(text)
    return " ".join(text.split()) if tidy else text


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can express, by one character each, so that offsets stay valid."""
    return _SURROGATE.sub("?", text)


_SURROGATE = re.compile("[\ud800-\udfff]")


def get_strings(value: object) -> list[str]:
    """Return the strings and integers of a list, or of a single value."""
    values = value if isinstance(value, list) else [value]
    texts = [
        replace_surrogates(str(one)).strip()
        for one in values
        if isinstance(one, str | int) and not isinstance(one, bool)
    ]
    return [text for text in texts if text]


def get_objects(value: object) -> list[JsonObject]:
    """Return the objects of a list; none for anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def parse_year(value: object) -> int | None:
    """Return the year of a number or a date."""
    found = re.fullmatch(r"(1[5-9]\d\d|20\d\d)(?:\.0|-\d\d.*)?", str(value).strip())
    return int(found[1]) if found else None


_SCHEMES = {
    **{"doi": "doi", "arxiv": "arxiv", "arxiv_id": "arxiv", "pmid": "pmid", "pubmed_id": "pmid", "pubmed": "pmid"},
    **{"pmcid": "pmcid", "pmc": "pmcid", "pmc_id": "pmcid", "pubmedcentral": "pmcid"},
}


def get_ids(entry: JsonObject) -> dict[str, str]:
    """Return the ids of a document or reference, from "other_ids" or its own fields."""
    ids: dict[str, str] = {}
    other = entry.get("other_ids")
    for name, value in [*(other.items() if isinstance(other, dict) else ()), *entry.items()]:
        scheme = _SCHEMES.get(name.lower(), "")
        first = next(iter(get_strings(value)), "")
        if scheme and first:
            ids.setdefault(scheme, bare_doi(first) if scheme == "doi" else re.sub(r"(?i)^arxiv:\s*", "", first))
    return {scheme: value for scheme, value in ids.items() if value}

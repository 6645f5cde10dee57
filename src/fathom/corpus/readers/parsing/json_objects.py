"""JSON objects of documents, and typed access to their values."""

from __future__ import annotations

import json
import re
from typing import Any

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.identifiers import find_doi

JsonObject = dict[str, Any]


def parse_object(text: str) -> JsonObject:
    """Return the JSON object in a text; raises `ReadError` if there is none."""
    try:
        loaded = json.loads(text)
    except RecursionError as error:
        raise ReadError("its JSON is nested too deeply") from error
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
        replace_surrogates(str(value)).strip()
        for value in values
        if isinstance(value, str | int) and not isinstance(value, bool)
    ]
    return [text for text in texts if text]


def get_objects(value: object) -> list[JsonObject]:
    """Return the objects of a list; none for anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def parse_year(value: object) -> int | None:
    """Return the year of a number or a date."""
    match = re.fullmatch(r"(1[5-9]\d\d|20\d\d)(?:\.0|-\d\d.*)?", str(value).strip())
    return int(match[1]) if match else None


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
            ids.setdefault(
                scheme, find_doi(first, tagged=True) if scheme == "doi" else re.sub(r"(?i)^arxiv:\s*", "", first)
            )
    return {scheme: value for scheme, value in ids.items() if value}

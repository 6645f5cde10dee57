"""Values out of JSON that anybody may have written: of any type, since nothing promises theirs."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsing.json_lines import JsonObject
from fathom.corpus.readers.parsing.reference_strings import bare_doi


def string_of(entry: JsonObject, name: str, tidy: bool = True) -> str:
    """A text or a whole number under a name; empty for anything else."""
    value = entry.get(name)
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) and value is not True else ""
    text = whole(text)
    return " ".join(text.split()) if tidy else text


def whole(text: str) -> str:
    """Without halves of characters, which JSON can spell; each is one sign, so that places in the text stay."""
    return _HALF.sub("?", text)


_HALF = re.compile("[\ud800-\udfff]")


def strings_of(value: object) -> list[str]:
    """The texts and whole numbers of a list, or the one that a value is."""
    values = value if isinstance(value, list) else [value]
    texts = [whole(str(one)).strip() for one in values if isinstance(one, str | int) and not isinstance(one, bool)]
    return [text for text in texts if text]


def objects_of(value: object) -> list[JsonObject]:
    """The objects of a list; none of anything else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def year_of(value: object) -> int | None:
    """The year that a number or the beginning of a date tells."""
    found = re.fullmatch(r"(1[5-9]\d\d|20\d\d)(?:\.0|-\d\d.*)?", str(value).strip())
    return int(found[1]) if found else None


_SCHEMES = {
    **{"doi": "doi", "arxiv": "arxiv", "arxiv_id": "arxiv", "pmid": "pmid", "pubmed_id": "pmid", "pubmed": "pmid"},
    **{"pmcid": "pmcid", "pmc": "pmcid", "pmc_id": "pmcid", "pubmedcentral": "pmcid"},
}


def ids_of(entry: JsonObject) -> dict[str, str]:
    """The ids of a document or of a reference: in "other_ids", or beside the title."""
    ids: dict[str, str] = {}
    other = entry.get("other_ids")
    for name, value in [*(other.items() if isinstance(other, dict) else ()), *entry.items()]:
        scheme = _SCHEMES.get(name.lower(), "")
        first = next(iter(strings_of(value)), "")
        if scheme and first:
            ids.setdefault(scheme, bare_doi(first) if scheme == "doi" else re.sub(r"(?i)^arxiv:\s*", "", first))
    return {scheme: value for scheme, value in ids.items() if value}

"""JSON of formats that are not tables: metadata of papers, research formats, files of tools. They are only named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fathom.corpus.readers.parsing.json_objects import JsonObject

_CSL_TYPES = frozenset(
    (
        *("article", "article-journal", "article-magazine", "article-newspaper", "bill", "book", "chapter", "dataset"),
        *("entry", "legal_case", "legislation", "paper-conference", "patent", "post", "post-weblog", "report"),
        *("review", "software", "speech", "thesis", "webpage", "manuscript", "document", "preprint"),
    )
)


def refusal(data: Any) -> str:
    """Return why parsed JSON is not read as a table; empty if it is a table or unknown."""
    one = _first_object(data)
    for name, test in _METADATA.items():
        if one is not None and _holds(test, one):
            return f"metadata of papers without their text ({name})"
    for name, test in _OTHERS.items():
        if one is not None and _holds(test, one):
            return f"a JSON format that is not read ({name})"
    return ""


def _holds(test: Callable[[JsonObject], bool], entry: JsonObject) -> bool:
    return any(test(candidate) for candidate in (entry, *_inner(entry)))


def _first_object(data: Any) -> JsonObject | None:
    """Return an object, or the first of a list of objects."""
    first = data[0] if isinstance(data, list) and data else data
    return first if isinstance(first, dict) else None


def _inner(entry: JsonObject) -> list[JsonObject]:
    """Return the records in the envelopes of web services: {"results": [...]}, {"message": {"items": [...]}}."""
    found: list[JsonObject] = []
    for name in ("results", "result", "items", "data", "message", "hits", "works", "papers", "resultList"):
        inner = entry.get(name)
        record = _first_object(inner)
        if record is not None:
            found.append(record)
            found.extend(filter(None, [_first_object(record.get(key)) for key in ("items", "result", "hits")]))
    return found


def _has(*names: str) -> Callable[[JsonObject], bool]:
    return lambda one: all(name in one for name in names)


def _any_of(*tests: Callable[[JsonObject], bool]) -> Callable[[JsonObject], bool]:
    return lambda one: any(test(one) for test in tests)


def _is_csl(entry: JsonObject) -> bool:
    return (
        entry.get("type") in _CSL_TYPES
        and "title" in entry
        and ("issued" in entry or isinstance(entry.get("author"), list))
    )


def _is_openalex(entry: JsonObject) -> bool:
    return (
        str(entry.get("id", "")).startswith("https://openalex.org/") or {"authorships", "display_name"} <= entry.keys()
    )


def _is_datacite(entry: JsonObject) -> bool:
    attributes = entry.get("attributes")
    inner = attributes if isinstance(attributes, dict) else entry
    return {"titles", "creators"} <= inner.keys()


def _is_squad(entry: JsonObject) -> bool:
    paragraphs = _first_object(entry.get("paragraphs"))
    return paragraphs is not None and {"context", "qas"} <= paragraphs.keys()


def _is_qasper(entry: JsonObject) -> bool:
    value = next(iter(entry.values()), None) if "full_text" not in entry else entry
    return isinstance(value, dict) and "full_text" in value and ("abstract" in value or "qas" in value)


def _is_bioc(entry: JsonObject) -> bool:
    document = _first_object(entry.get("documents")) or entry
    return "passages" in document and _first_object(document["passages"]) is not None


_METADATA: dict[str, Callable[[JsonObject], bool]] = {
    "Crossref": _any_of(
        _has("DOI", "reference-count"), _has("DOI", "container-title", "publisher"), _has("DOI", "URL", "member")
    ),
    "OpenAlex": _is_openalex,
    "Semantic Scholar": _any_of(_has("paperId"), _has("corpusId", "externalIds"), _has("corpusid", "externalids")),
    "DataCite": _is_datacite,
    "PubMed": _any_of(_has("uids"), _has("pmid", "authorString"), _has("pubmed_id", "authors")),
    "Unpaywall": _has("doi", "best_oa_location"),
    "Zotero": _has("itemType", "creators"),
    "arXiv": _any_of(_has("id", "categories", "authors_parsed"), _has("arxiv_id", "categories", "summary")),
    "CSL-JSON": _is_csl,
}
_OTHERS: dict[str, Callable[[JsonObject], bool]] = {
    "BioC": _is_bioc,
    "schema.org": lambda one: "schema.org" in str(one.get("@context", "")),
    "JSON-LD": _has("@context", "@graph"),
    "Docling": lambda one: one.get("schema_name") == "DoclingDocument",
    "SQuAD": _is_squad,
    "QASPER": _is_qasper,
    "GROBID": _has("biblio", "pages"),
    "a paper of another schema": _any_of(_has("paper_id", "body"), _has("paper_id", "metadata"), _has("body_text")),
    "GeoJSON": _any_of(_has("type", "features"), _has("type", "geometry"), _has("type", "coordinates")),
    "Jupyter notebook": _has("nbformat", "cells"),
    "package file": _any_of(
        *(_has("name", "version", name) for name in ("dependencies", "devDependencies", "scripts", "main", "license")),
        *map(_has, ("compilerOptions", "lockfileVersion", "$schema", "openapi", "swagger", "manifest_version")),
        _has("icons", "start_url"),
    ),
    "description of a data set": _any_of(_has("features", "splits"), _has("citation", "dataset_name")),
    "web traffic": _has("log", "entries"),
}

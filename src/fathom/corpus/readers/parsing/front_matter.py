"""Front matter and project files: title, authors and other metadata that a document gives in YAML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

import yaml

from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedAuthor
from fathom.corpus.readers.parsing.author_fields import YamlValue, author_in_mapping, authors_in_field
from fathom.corpus.readers.parsing.bylines import UNEXPLAINED
from fathom.corpus.readers.parsing.dates import DATE, WrittenDate, read_date
from fathom.corpus.readers.parsing.decoding import decode_text
from fathom.corpus.readers.parsing.identifiers import find_doi

_MAX_DEPTH = 12
"""YAML nested deeper than this is rejected: libyaml is quadratic in the depth of flow collections."""
_MAX_CHARS = 200_000
"""Maximum length of front matter."""
_BEGIN = re.compile(r"\s*---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)


def split_front_matter(text: str) -> tuple[dict[str, YamlValue], str]:
    """Return the values between the two lines of dashes at the top, and the text after them.

    Some site generators take TOML between lines of plus signs, or a JSON object, instead of YAML.
    """
    if text.lstrip().startswith(("+++", "{")):
        return _split_toml(text) if text.lstrip().startswith("+++") else _split_json(text)
    begin = _BEGIN.match(text)
    end = _END.search(text, begin.end(), begin.end() + _MAX_CHARS) if begin else None
    if begin is None or end is None:
        return {}, text
    values = parse_yaml(text[begin.end() : end.start()])
    # A page may begin with a horizontal rule and have another one further down.
    return (values, text[end.end() :]) if values else ({}, text)


_TOML_BEGIN = re.compile(r"\s*\+\+\+[ \t]*\n")
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)


def _split_toml(text: str) -> tuple[dict[str, YamlValue], str]:
    begin = _TOML_BEGIN.match(text)
    end = _TOML_END.search(text, begin.end(), begin.end() + _MAX_CHARS) if begin else None
    if begin is None or end is None:
        return {}, text
    try:
        values = _strings(tomllib.loads(text[begin.end() : end.start()]))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}, text
    return (values, text[end.end() :]) if isinstance(values, dict) else ({}, text)


def _split_json(text: str) -> tuple[dict[str, YamlValue], str]:
    start = len(text) - len(text.lstrip())
    try:
        loaded, end = json.JSONDecoder().raw_decode(text[start : start + _MAX_CHARS])
        values = _strings(loaded)
    except (ValueError, RecursionError):
        return {}, text
    rest = text[start + end :]
    # A line that starts with braces may be text; front matter has lines of its own.
    return (values, rest) if isinstance(values, dict) and rest.startswith(("\n", "\r")) else ({}, text)


def _strings(value: object) -> YamlValue:
    """Return a value of TOML or JSON as YAML has it: every scalar as a string."""
    match value:
        case dict():
            return {str(name): _strings(one) for name, one in value.items()}
        case list():
            return [_strings(one) for one in value]
        case _:
            return "" if value is None else str(value)


# YAML.

_LOADER = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_LINE = re.compile(r"([A-Za-z][\w -]{0,60}?)[ \t]*:[ \t]+(.*\S)")


def parse_yaml(text: str) -> dict[str, YamlValue]:
    """Return the mapping in a YAML text, every scalar as a string; empty if there is none.

    Aliases are rejected, since a few lines of them expand to gigabytes. Invalid YAML, such as a title with an unquoted
    colon, is read line by line.
    """
    text = text.expandtabs(2)[: 5 * _MAX_CHARS]
    try:
        events = yaml.parse(text, Loader=_LOADER)
        value = next((_value(events, event, 0) for event in events if isinstance(event, yaml.NodeEvent)), "")
    except yaml.YAMLError:
        return _top_level_lines(text)
    return value if isinstance(value, dict) else {}


def _value(events: Iterator[yaml.Event], event: yaml.Event, depth: int) -> YamlValue:
    """Build the value that starts with an event, consuming its other events."""
    if isinstance(event, yaml.ScalarEvent):
        # A line break in a folded scalar is a blank line in the source, which separates paragraphs.
        text: str = event.value.strip("\n")
        return text.replace("\n", "\n\n") if event.style == ">" else text
    if isinstance(event, yaml.AliasEvent) or depth > _MAX_DEPTH:
        raise yaml.YAMLError("aliases and deep nesting are not supported")
    items: list[YamlValue] = []
    while not isinstance(inner := next(events), yaml.CollectionEndEvent):
        items.append(_value(events, inner, depth + 1))
    if isinstance(event, yaml.SequenceStartEvent):
        return items
    mapping: dict[str, YamlValue] = {}
    for name, value in zip(items[::2], items[1::2], strict=True):
        if isinstance(name, str):
            mapping.setdefault(name, value)
    return mapping


def _top_level_lines(text: str) -> dict[str, YamlValue]:
    """Return the "name: value" lines that are not indented, if the first line is one."""
    lines = [line for line in text.split("\n") if line.strip() and line[0] not in " #-"]
    pairs = [pair for line in lines if (pair := _LINE.fullmatch(line.rstrip()))]
    if not lines or not pairs or not lines[0].startswith(pairs[0][0]):
        return {}
    values: dict[str, YamlValue] = {}
    for pair in pairs:
        # The list or mapping that starts here may be what is broken.
        if not pair[2].startswith(("[", "{", "&", "*", "|", ">")):
            values.setdefault(pair[1], pair[2].strip("\"'"))
    return values


# Metadata.


@dataclass(frozen=True)
class FrontMatter:
    """Metadata of a document, from its front matter or its project file."""

    title: str
    subtitle: str
    authors: list[ParsedAuthor]
    abstract: str
    doi: str
    keywords: list[str]
    license: str
    published: date | None
    year: int | None
    bibliographies: list[str]
    """Names of bibliography files."""
    states_no_authors: bool = False
    """Whether it has an empty list of authors."""
    reason: str = ""
    """Why the authors are unknown, although the document names some."""


def read_front_matter(values: dict[str, YamlValue]) -> FrontMatter:
    """Return the metadata in parsed YAML."""
    authors = _authors(
        values.get("authors") or values.get("author") or "", _institutions(values.get("affiliations", ""))
    )
    written = _date(text_value(values, "date"), text_value(values, "year"))
    return FrontMatter(
        title=text_value(values, "title"),
        subtitle=text_value(values, "subtitle"),
        authors=authors or [],
        abstract=text_value(values, "abstract"),
        doi=find_doi(text_value(values, "doi")),
        keywords=_texts(values.get("keywords", "")),
        license=text_value(values, "license") or text_value(values, "licence"),
        published=written.day if written else None,
        year=written.year if written else None,
        bibliographies=_texts(values.get("bibliography", "")),
        states_no_authors=any(values.get(name) == [] for name in ("author", "authors")),
        reason=UNEXPLAINED if authors is None else "",
    )


def read_project_file(companions: CompanionFiles) -> FrontMatter:
    """Return the metadata in the project file next to a document; empty if there is none."""
    for name in ("myst.yml", "myst.yaml", "_config.yml"):
        content = companions.get(name)
        if content is not None:
            project = parse_yaml(decode_text(content)).get("project")
            if isinstance(project, dict):
                return read_front_matter(project)
    return read_front_matter({})


def text_value(values: dict[str, YamlValue], name: str) -> str:
    """Return a value that is a string, or the content or name of a mapping; empty for any other."""
    value = values.get(name, "")
    if isinstance(value, dict):
        value = value.get("content", value.get("name", ""))
    return value if isinstance(value, str) else ""


def _texts(value: YamlValue) -> list[str]:
    if isinstance(value, str):
        return [
            part.strip() for part in re.split(r"[;；]" if re.search("[;；]", value) else ",", value) if part.strip()
        ]
    return [part for part in value if isinstance(part, str) and part] if isinstance(value, list) else []


def _authors(value: YamlValue, institutions: dict[str, str]) -> list[ParsedAuthor] | None:
    """Return the authors of all entries; None if an entry is not understood, since it may be an author."""
    authors: list[ParsedAuthor] = []
    for entry in value if isinstance(value, list) else [value] if value else []:
        if isinstance(entry, dict):
            found = author_in_mapping(entry)
            orcid = find_orcid(text_value(entry, "orcid"))
            affiliations = _affiliations(entry.get("affiliations") or entry.get("affiliation") or "", institutions)
            ids = {"orcid": orcid} if orcid else {}
            found = found and [replace(author, ids=ids, affiliations=affiliations) for author in found]
        elif isinstance(entry, str):
            found = authors_in_field(entry) if entry.strip() else []
        else:
            found = None
        if found is None:
            return None
        authors += found
    return authors


def _institutions(value: YamlValue) -> dict[str, str]:
    """Return the affiliations that a document lists once, by the ids or numbers that authors refer to."""
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    named = ((text_value(entry, "id") or text_value(entry, "index"), _institution(entry)) for entry in entries)
    return {name: institution for name, institution in named if name and institution}


def _institution(value: YamlValue) -> str:
    if not isinstance(value, dict):
        return value.strip() if isinstance(value, str) else ""
    parts = [text_value(value, name) for name in ("department", "institution", "name", "city", "country")]
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _affiliations(value: YamlValue, institutions: dict[str, str]) -> tuple[str, ...]:
    """Return an author's affiliations. Ids, such as "1, 2", are looked up in `institutions`."""
    entries: list[YamlValue] = value if isinstance(value, list) else [value]
    if isinstance(value, str) and all(part.strip() in institutions for part in value.split(",")):
        entries = [*map(str.strip, value.split(","))]
    affiliations: list[str] = []
    for entry in entries:
        name = text_value(entry, "id") if isinstance(entry, dict) else entry if isinstance(entry, str) else ""
        affiliations.append(institutions.get(name) or _institution(entry))
    return tuple(dict.fromkeys(filter(None, affiliations)))


def find_orcid(text: str) -> str:
    """Return the first ORCID in a text; empty if there is none."""
    orcid = re.search(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", text)
    return orcid[0] if orcid else ""


def _date(text: str, year: str) -> WrittenDate | None:
    """Return the date, or at least its year; `year` is the text of a field of its own."""
    match = DATE.search(text)
    written = read_date(match) if match else None
    only_year = re.search(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", f"{text} {year}")
    return written or (WrittenDate(int(only_year[0]), None) if only_year else None)

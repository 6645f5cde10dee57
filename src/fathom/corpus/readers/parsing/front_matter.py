"""Front matter and project files: what they tell about a document, read from the part of YAML that they use."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeAlias

from fathom.corpus.readers.bibtex.parser import doi_in, person
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedAuthor
from fathom.corpus.readers.parsing.decoding import decoded_leniently

Value: TypeAlias = "str | list[Value] | dict[str, Value]"

_DEEPEST = 12
"""Values inside values deeper than this are left out."""
_LONGEST = 200_000
"""Characters of front matter; a rule further down than this ends something else."""
_BEGIN = re.compile(r"\s*---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)


def parted(text: str) -> tuple[dict[str, Value], str]:
    """What stands between two lines of dashes at the top, by name, and the text after it."""
    begin = _BEGIN.match(text)
    end = _END.search(text, begin.end(), begin.end() + _LONGEST) if begin else None
    if begin is None or end is None:
        return {}, text
    values = parse_yaml(text[begin.end() : end.start()])
    # A page may begin with a rule and have another one further down.
    return (values, text[end.end() :]) if values else ({}, text)


# YAML, as far as it is used: a whole reader of it can be made to explode.

_PAIR = re.compile(
    r"(\"[^\"]{1,200}\"|'[^']{1,200}'|[^\s\"'#\[\]{},:-][^:#]{0,200}?|-[^\s:#][^:#]{0,200}?)\s*:(?:\s+(.*)|$)"
)


def parse_yaml(text: str) -> dict[str, Value]:
    """Mappings, lists, block and quoted strings; every value is a string. No anchors, tags or references."""
    value = _Yaml(text).node(-1, 0)
    return value if isinstance(value, dict) else {}


class _Yaml:
    def __init__(self, text: str) -> None:
        self._lines = [line.expandtabs(2).rstrip() for line in text.split("\n")]
        self._place = 0

    def _next(self) -> tuple[int, str] | None:
        """The next line that says something, and how far in it stands."""
        while self._place < len(self._lines):
            line = self._lines[self._place]
            text = line.lstrip(" ")
            if text and not text.startswith("#"):
                return len(line) - len(text), text
            self._place += 1
        return None

    def node(self, above: int, depth: int) -> Value:
        """What stands further in than `above`."""
        line = self._next()
        if line is None or line[0] <= above or depth > _DEEPEST:
            return ""
        indent, text = line
        if text == "-" or text.startswith("- "):
            return self._list(indent, depth)
        if _PAIR.match(text):
            return self._mapping(indent, depth)
        self._place += 1
        return _scalar(text)

    def _mapping(self, indent: int, depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        while (line := self._next()) is not None and line[0] == indent:
            pair = _PAIR.match(line[1])
            if pair is None:
                break
            self._place += 1
            found.setdefault(pair[1].strip("\"'"), self._value(pair[2] or "", indent, depth))
        self._skip(indent)
        return found

    def _list(self, indent: int, depth: int) -> list[Value]:
        found: list[Value] = []
        while (line := self._next()) is not None and line[0] == indent and re.match(r"-(\s|$)", line[1]):
            rest = line[1][1:].lstrip(" ")
            if rest and _PAIR.match(rest) and rest[0] not in "\"'[{":
                inner = indent + len(line[1]) - len(rest)
                self._lines[self._place] = " " * inner + rest
                found.append(self._mapping(inner, depth + 1) if depth < _DEEPEST else "")
            else:
                self._place += 1
                found.append(self._value(rest, indent, depth))
        return found

    def _skip(self, indent: int) -> None:
        """Past what is further in and belongs to nothing."""
        while (line := self._next()) is not None and line[0] > indent:
            self._place += 1

    def _value(self, text: str, indent: int, depth: int) -> Value:
        if re.match(r"[|>][-+\d]*\s*(#.*)?$", text):
            return self._block(indent, folded=text[0] == ">")
        text = re.sub(r"(^|\s)#.*$", "", text) if text[:1] not in "\"'" else text
        if not text:
            line = self._next()
            same_list = line is not None and line[0] == indent and re.match(r"-(\s|$)", line[1])
            return self._list(indent, depth + 1) if same_list and depth < _DEEPEST else self.node(indent, depth + 1)
        pieces = [text]
        while (line := self._next()) is not None and line[0] > indent:
            pieces.append(line[1])
            self._place += 1
        return _flow(" ".join(pieces))

    def _block(self, indent: int, folded: bool) -> str:
        start = self._place
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if line and len(line) - len(line.lstrip(" ")) <= indent:
                break
            self._place += 1
        lines = self._lines[start : self._place]
        margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
        text = "\n".join(line[margin:] for line in lines).strip("\n")
        return re.sub(r"(?<!\n)\n(?!\n)", " ", text) if folded else text


def _flow(text: str) -> Value:
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in re.split(r",\s*", text[1:-1]) if part.strip()]
    return _scalar(text)


def _scalar(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        inner = text[1:-1]
        return inner.replace("''", "'") if text[0] == "'" else re.sub(r"\\(.)", r"\1", inner)
    return text


# What the front matter and the project file say.


@dataclass(frozen=True)
class Front:
    """What front matter or a project file tells about a document."""

    title: str
    subtitle: str
    authors: list[ParsedAuthor]
    abstract: str
    doi: str
    keywords: list[str]
    license: str
    published: date | None
    bibliographies: list[str]


def front_of(values: dict[str, Value]) -> Front:
    """The front matter as told."""
    return Front(
        title=text_of(values, "title"),
        subtitle=text_of(values, "subtitle"),
        authors=_authors(values.get("authors") or values.get("author") or "", _bodies(values.get("affiliations", ""))),
        abstract=text_of(values, "abstract"),
        doi=doi_in(text_of(values, "doi")),
        keywords=_texts(values.get("keywords", "")),
        license=text_of(values, "license") or text_of(values, "licence"),
        published=_date(text_of(values, "date")),
        bibliographies=_texts(values.get("bibliography", "")),
    )


def project_of(companions: CompanionFiles) -> Front:
    """What the project file beside a document says; empty where there is none."""
    for name in ("myst.yml", "myst.yaml", "_config.yml"):
        content = companions.get(name)
        if content is not None:
            project = parse_yaml(decoded_leniently(content)).get("project")
            if isinstance(project, dict):
                return front_of(project)
    return front_of({})


def text_of(values: dict[str, Value], name: str) -> str:
    """A value that is told in words; empty for any other."""
    value = values.get(name, "")
    if isinstance(value, dict):
        value = value.get("content", value.get("name", ""))
    return value if isinstance(value, str) else ""


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [part for part in value if isinstance(part, str) and part] if isinstance(value, list) else []


def _authors(value: Value, bodies: dict[str, str]) -> list[ParsedAuthor]:
    if isinstance(value, str):
        return [person(part) for part in _names(value)]
    if isinstance(value, dict):
        value = [value]
    authors: list[ParsedAuthor] = []
    for one in value:
        name = text_of(one, "name") if isinstance(one, dict) else one if isinstance(one, str) else ""
        if not name.strip():
            continue
        author = person(name)
        if isinstance(one, dict):
            orcid = orcid_in(text_of(one, "orcid"))
            places = _affiliations(one.get("affiliations") or one.get("affiliation") or "", bodies)
            author = replace(author, ids={"orcid": orcid} if orcid else {}, affiliations=places)
        authors.append(author)
    return authors


def _bodies(value: Value) -> dict[str, str]:
    """The affiliations that a document lists once, by the names or numbers that its authors call them by."""
    listed = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    named = ((text_of(one, "id") or text_of(one, "index"), _body(one)) for one in listed)
    return {name: body for name, body in named if name and body}


def _body(value: Value) -> str:
    if not isinstance(value, dict):
        return value.strip() if isinstance(value, str) else ""
    parts = [text_of(value, name) for name in ("department", "institution", "name", "city", "country")]
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _affiliations(value: Value, bodies: dict[str, str]) -> tuple[str, ...]:
    """Each as it is told, or as the list has it under that name; "1, 2" names two of the list."""
    told: list[Value] = value if isinstance(value, list) else [value]
    if isinstance(value, str) and all(part.strip() in bodies for part in value.split(",")):
        told = [*map(str.strip, value.split(","))]
    found: list[str] = []
    for one in told:
        name = text_of(one, "id") if isinstance(one, dict) else one if isinstance(one, str) else ""
        found.append(bodies.get(name) or _body(one))
    return tuple(dict.fromkeys(filter(None, found)))


def _names(line: str) -> list[str]:
    """The names in one line; "Lind, Ann" is one name with the family first."""
    parts = [part.strip() for part in re.split(r"[,，、]|\band\b", line) if part.strip()]
    if len(parts) == 2 and "," in line and min(len(part.split()) for part in parts) == 1:
        return [line.strip()]
    return parts


def orcid_in(text: str) -> str:
    """The ORCID that a text holds; empty where there is none."""
    orcid = re.search(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", text)
    return orcid[0] if orcid else ""


def _date(text: str) -> date | None:
    match = re.match(r"(\d{4})-(\d{1,2})-(\d{1,2})", text)
    try:
        return date(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None

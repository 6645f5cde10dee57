"""S2ORC as it is released from 2023 on: one text, and for each kind of part a list of places in it, itself in JSON."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from fathom.corpus.readers.parsed_document import (
    Block,
    Heading,
    Inlines,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedReference,
    ReadError,
)
from fathom.corpus.readers.parsing.bylines import author_from_name
from fathom.corpus.readers.parsing.json_lines import JsonObject
from fathom.corpus.readers.parsing.json_values import ids_of, objects_of, string_of, whole
from fathom.corpus.readers.parsing.reference_strings import identifiers
from fathom.corpus.readers.tei.reader import marked, reference_entry


class _Place(NamedTuple):
    """One part: where it stands, and what is said about it."""

    start: int
    end: int
    attributes: JsonObject


class _Kind:
    """The parts of one kind, in the order of the text; of two that overlap the first.

    A hostile file may give a hundred thousand parts the whole of a text, and each would be printed.
    """

    def __init__(self, places: Iterable[_Place]) -> None:
        self.places: list[_Place] = []
        for place in sorted(places, key=lambda place: place[:2]):
            if not self.places or place.start >= self.places[-1].end:
                self.places.append(place)
        self._starts = [place.start for place in self.places]

    def inside(self, outer: _Place) -> list[_Place]:
        """Those that lie in a part of another kind."""
        first, last = bisect_left(self._starts, outer.start), bisect_left(self._starts, outer.end)
        return [place for place in self.places[first:last] if place.end <= outer.end]


def annotated_document(document: JsonObject, content: JsonObject, source: str) -> ParsedDocument:
    """What a document in this form says."""
    text = string_of(content, "text", tidy=False)
    if not text.strip():
        raise ReadError("its content has no text")
    return _Reading(text, content["annotations"]).found(document, content, source)


class _Reading:
    """One document being read."""

    def __init__(self, text: str, annotations: Mapping[str, object]) -> None:
        self._text = text
        self._annotations = annotations
        self._kinds: dict[str, _Kind] = {}

    def found(self, document: JsonObject, content: JsonObject, source: str) -> ParsedDocument:
        external = document.get("externalids")
        ids = ids_of(external) if isinstance(external, dict) else {}
        if number := string_of(document, "corpusid"):
            ids["corpusid"] = number
        return ParsedDocument(
            source=source,
            title=next(filter(None, map(self._said, self._kind("title").places)), ""),
            authors=list(self._authors()),
            abstract=[block for place in self._kind("abstract").places for block in self._chunks(place)],
            body=list(self._body()),
            references=[reference for reference in self._references() if reference.text],
            ids=ids,
            venue=next(filter(None, map(self._said, self._kind("venue").places)), None),
            license=_license(content),
        )

    def _kind(self, name: str) -> _Kind:
        if name not in self._kinds:
            self._kinds[name] = _Kind(_places(self._annotations.get(name), len(self._text)))
        return self._kinds[name]

    def _said(self, place: _Place) -> str:
        """The words of a part, with one blank between them."""
        return " ".join(self._text[place.start : place.end].split())

    def _named(self, outer: _Place, kind: str) -> tuple[str, str]:
        """The given and the family name of a person inside a part."""
        first, last = (self._kind(f"{kind}{which}name").inside(outer) for which in ("first", "last"))
        return " ".join(map(self._said, first)), " ".join(map(self._said, last))

    # The front.

    def _authors(self) -> Iterator[ParsedAuthor]:
        for place in self._kind("author").places:
            bodies = self._kind("authoraffiliation").inside(place)
            given, family = self._named(place, "author")
            lines = (self._text[body.start : body.end].split("\n") for body in bodies)
            where = tuple(", ".join(line.strip(" ,") for line in parts if line.strip(" ,")) for parts in lines)
            if family or given:
                yield ParsedAuthor(given if family else "", family or given, affiliations=where)
            elif not bodies and (name := self._said(place).strip(" ,;")):
                # A part without names may be an affiliation that nobody could be found for.
                yield author_from_name(name)

    # The text.

    def _body(self) -> Iterator[Block]:
        """Headings, paragraphs, captions and tables in the order of the text; of two that overlap the first."""
        parts = [
            (place, kind) for kind in ("sectionheader", "figurecaption", "table") for place in self._kind(kind).places
        ]
        parts += [(place, "paragraph") for place in self._paragraphs()]
        done = 0
        for place, kind in sorted(parts, key=lambda part: part[0][:2]):
            if place.start < done:
                continue
            done = place.end
            if kind == "sectionheader":
                yield _heading(string_of(place.attributes, "n"), self._said(place))
            elif kind == "table":
                yield Paragraph([self._text[place.start : place.end].strip("\n")], verbatim=True)
            else:
                yield Paragraph(self._words(place))

    def _paragraphs(self) -> list[_Place]:
        """The paragraphs outside the abstract; where none are told, what blank lines part between front and list."""
        abstracts = self._kind("abstract")
        inside = {place[:2] for outer in abstracts.places for place in self._kind("paragraph").inside(outer)}
        told = [place for place in self._kind("paragraph").places if place[:2] not in inside]
        if told:
            return told
        fronts = ("title", "author", "authoraffiliation", "venue", "publisher", "abstract")
        start = max((place.end for kind in fronts for place in self._kind(kind).places), default=0)
        end = min((place.start for place in self._kind("bibentry").places), default=len(self._text))
        return self._parted(_Place(start, end, {})) if start < end else []

    def _parted(self, place: _Place) -> list[_Place]:
        """A part cut at its blank lines."""
        chunks = re.finditer(r"\S[^\n]*(?:\n(?!\s*\n)[^\n]*)*", self._text[place.start : place.end])
        return [_Place(place.start + chunk.start(), place.start + chunk.end(), {}) for chunk in chunks]

    def _chunks(self, place: _Place) -> Iterator[Block]:
        return (Paragraph(self._words(chunk)) for chunk in self._parted(place))

    def _words(self, place: _Place) -> Inlines:
        """The words of a part, cut at its citations."""
        words: Inlines = []
        at = place.start
        for cited in self._kind("bibref").inside(place):
            if cited.start < at:
                continue
            words.append(self._text[at : cited.start])
            key = string_of(cited.attributes, "ref_id")
            words.extend(marked(self._text[cited.start : cited.end], (key,) if key else ()))
            at = cited.end
        return [*words, self._text[at : place.end]]

    # References.

    def _references(self) -> Iterator[ParsedReference]:
        for number, place in enumerate(self._kind("bibentry").places):
            yield self._reference(place, string_of(place.attributes, "id") or f" {number}")

    def _reference(self, place: _Place, key: str) -> ParsedReference:
        """An entry: its own fields laid end to end by the release, the title first, and no line as it was printed."""
        text = self._said(place).strip(" ,;")
        title = next(filter(None, map(self._said, self._kind("bibtitle").inside(place))), "").strip(" .,")
        names = [self._said(name).strip(" ,;") for name in self._kind("bibauthor").inside(place)]
        ids = identifiers(text) | ids_of(place.attributes)
        if matched := string_of(place.attributes, "matched_paper_id"):
            ids["corpusid"] = matched
        if not title and not names:
            return reference_entry(key, text, "", [], None, [], ids)
        years = re.findall(r"\b(?:1[5-9]|20)\d\d\b", text.replace(title, " ", 1) if title else text)
        return ParsedReference(key, text, title, tuple(filter(None, names)), int(years[-1]) if years else None, ids)


def _heading(number: str, words: str) -> Heading:
    depth = len([part for part in number.split(".") if part])
    return Heading(1 + max(1, min(depth, 5)), [f"{number.rstrip('.')} {words}" if number else words])


def _license(content: JsonObject) -> str:
    source = content.get("source")
    access = source.get("oainfo") if isinstance(source, dict) else None
    return string_of(access, "license") if isinstance(access, dict) else ""


def _places(value: object, length: int) -> Iterator[_Place]:
    """The places of one kind that fit the text; none where the list is missing."""
    if isinstance(value, str):
        try:
            value = json.loads(whole(value)) if value.strip() else []
        except (ValueError, RecursionError) as error:
            raise ReadError(f"a list of its annotations is no JSON ({str(error)[:100]})") from error
    for one in objects_of(value):
        start, end = _count(one.get("start")), _count(one.get("end"))
        if start is not None and end is not None and start < end <= length:
            attributes = one.get("attributes")
            yield _Place(start, end, attributes if isinstance(attributes, dict) else {})


def _count(value: object) -> int | None:
    """A place in the text; some releases write it as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

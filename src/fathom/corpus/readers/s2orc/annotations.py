"""S2ORC releases since 2023: one text, and for each layer a JSON list of annotations."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
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
from fathom.corpus.readers.parsing.blocks import splice
from fathom.corpus.readers.parsing.bylines import author_from_name, author_from_parts
from fathom.corpus.readers.parsing.grobid_fields import build_reference, split_brackets
from fathom.corpus.readers.parsing.identifiers import find_identifiers
from fathom.corpus.readers.parsing.json_objects import JsonObject, get_ids, get_objects, get_string, replace_surrogates


class _Annotation(NamedTuple):
    start: int
    end: int
    attributes: JsonObject


class _AnnotationLayer:
    """The annotations of one type, in text order. Of two that overlap, only the first is kept.

    A hostile file may annotate the whole text a hundred thousand times, and each copy would be printed.
    """

    def __init__(self, annotations: Iterable[_Annotation]) -> None:
        self.annotations: list[_Annotation] = []
        for annotation in sorted(annotations, key=lambda annotation: annotation[:2]):
            if not self.annotations or annotation.start >= self.annotations[-1].end:
                self.annotations.append(annotation)
        self._starts = [annotation.start for annotation in self.annotations]

    def inside(self, outer: _Annotation) -> list[_Annotation]:
        """Return the annotations inside one of another layer."""
        first, last = bisect_left(self._starts, outer.start), bisect_left(self._starts, outer.end)
        return [annotation for annotation in self.annotations[first:last] if annotation.end <= outer.end]


def annotated_document(data: JsonObject, content: JsonObject, source: str) -> ParsedDocument:
    """Return the document of an object with annotations."""
    text = get_string(content, "text", tidy=False)
    if not text.strip():
        raise ReadError("its content has no text")
    return _AnnotatedText(text, content["annotations"]).read(data, content, source)


class _AnnotatedText:
    """The text of one document with its annotation layers, read on demand."""

    def __init__(self, text: str, annotations: Mapping[str, object]) -> None:
        self._text = text
        self._annotations = annotations
        self._layers: dict[str, _AnnotationLayer] = {}

    def read(self, data: JsonObject, content: JsonObject, source: str) -> ParsedDocument:
        """Return the parsed document."""
        external = data.get("externalids")
        ids = get_ids(external) if isinstance(external, dict) else {}
        if number := get_string(data, "corpusid"):
            ids["corpusid"] = number
        return ParsedDocument(
            source=source,
            title=next(filter(None, map(self._text_of, self._layer("title").annotations)), ""),
            authors=list(self._authors()),
            abstract=[
                Paragraph(self._inlines(chunk))
                for annotation in self._layer("abstract").annotations
                for chunk in self._split_paragraphs(annotation)
            ],
            body=list(self._body()),
            references=[reference for reference in self._references() if reference.text],
            ids=ids,
            venue=next(filter(None, map(self._text_of, self._layer("venue").annotations)), None),
            license=_license(content),
        )

    def _layer(self, name: str) -> _AnnotationLayer:
        if name not in self._layers:
            self._layers[name] = _AnnotationLayer(_parse_layer(self._annotations.get(name), len(self._text)))
        return self._layers[name]

    def _text_of(self, annotation: _Annotation) -> str:
        """Return the text of an annotation with normalized whitespace."""
        return " ".join(self._text[annotation.start : annotation.end].split())

    def _name_in(self, outer: _Annotation, kind: str) -> tuple[str, str]:
        """Return the given and family name of a person inside an annotation."""
        first, last = (self._layer(f"{kind}{which}name").inside(outer) for which in ("first", "last"))
        return " ".join(map(self._text_of, first)), " ".join(map(self._text_of, last))

    # The front.

    def _authors(self) -> Iterator[ParsedAuthor]:
        for annotation in self._layer("author").annotations:
            affiliations = self._layer("authoraffiliation").inside(annotation)
            given, family = self._name_in(annotation, "author")
            lines = (self._text[body.start : body.end].split("\n") for body in affiliations)
            institutions = tuple(", ".join(line.strip(" ,") for line in parts if line.strip(" ,")) for parts in lines)
            if family or given:
                yield replace(author_from_parts(given, family), affiliations=institutions)
            elif not affiliations and (name := self._text_of(annotation).strip(" ,;")):
                # An author annotation without names may be an affiliation without an author.
                yield author_from_name(name)

    # The text.

    def _body(self) -> Iterator[Block]:
        """Yield headings, paragraphs, captions and tables in text order. Of two that overlap, the first is kept."""
        parts = [
            (annotation, kind)
            for kind in ("sectionheader", "figurecaption", "table")
            for annotation in self._layer(kind).annotations
        ]
        parts += [(annotation, "paragraph") for annotation in self._paragraphs()]
        end = 0
        for annotation, kind in sorted(parts, key=lambda part: part[0][:2]):
            if annotation.start < end:
                continue
            end = annotation.end
            if kind == "sectionheader":
                yield _heading(get_string(annotation.attributes, "n"), self._text_of(annotation))
            elif kind == "table":
                yield Paragraph([self._text[annotation.start : annotation.end].strip("\n")], verbatim=True)
            else:
                yield Paragraph(self._inlines(annotation))

    def _paragraphs(self) -> list[_Annotation]:
        """Return the paragraphs outside the abstract. Without any, split the body at blank lines."""
        abstracts = self._layer("abstract")
        inside = {
            annotation[:2] for outer in abstracts.annotations for annotation in self._layer("paragraph").inside(outer)
        }
        known = [annotation for annotation in self._layer("paragraph").annotations if annotation[:2] not in inside]
        if known:
            return known
        fronts = ("title", "author", "authoraffiliation", "venue", "publisher", "abstract")
        start = max((annotation.end for kind in fronts for annotation in self._layer(kind).annotations), default=0)
        end = min((annotation.start for annotation in self._layer("bibentry").annotations), default=len(self._text))
        return self._split_paragraphs(_Annotation(start, end, {})) if start < end else []

    def _split_paragraphs(self, annotation: _Annotation) -> list[_Annotation]:
        chunks = re.finditer(r"\S[^\n]*(?:\n(?!\s*\n)[^\n]*)*", self._text[annotation.start : annotation.end])
        return [_Annotation(annotation.start + chunk.start(), annotation.start + chunk.end(), {}) for chunk in chunks]

    def _inlines(self, annotation: _Annotation) -> Inlines:
        """Return the text of an annotation with its citations."""
        marks: list[tuple[int, int, Inlines]] = []
        for start, end, attributes in self._layer("bibref").inside(annotation):
            key = get_string(attributes, "ref_id")
            marks.append((start, end, split_brackets(self._text[start:end], (key,) if key else ())))
        return splice(self._text, marks, annotation.start, annotation.end)

    # References.

    def _references(self) -> Iterator[ParsedReference]:
        for number, annotation in enumerate(self._layer("bibentry").annotations):
            yield self._reference(annotation, get_string(annotation.attributes, "id") or f" {number}")

    def _reference(self, annotation: _Annotation, key: str) -> ParsedReference:
        """Return an entry. The release concatenates its fields, title first, and has no printed text."""
        text = self._text_of(annotation).strip(" ,;")
        title = next(filter(None, map(self._text_of, self._layer("bibtitle").inside(annotation))), "").strip(" .,")
        names = [self._text_of(name).strip(" ,;") for name in self._layer("bibauthor").inside(annotation)]
        ids = find_identifiers(text) | get_ids(annotation.attributes)
        if matched := get_string(annotation.attributes, "matched_paper_id"):
            ids["corpusid"] = matched
        if not title and not names:
            return build_reference(key, text, "", [], None, [], ids)
        years = re.findall(r"\b(?:1[5-9]|20)\d\d\b", text.replace(title, " ", 1) if title else text)
        return ParsedReference(key, text, title, tuple(filter(None, names)), int(years[-1]) if years else None, ids)


def _heading(number: str, heading: str) -> Heading:
    depth = len([part for part in number.split(".") if part])
    return Heading(1 + max(1, min(depth, 5)), [f"{number.rstrip('.')} {heading}" if number else heading])


def _license(content: JsonObject) -> str:
    source = content.get("source")
    access = source.get("oainfo") if isinstance(source, dict) else None
    return get_string(access, "license") if isinstance(access, dict) else ""


def _parse_layer(value: object, length: int) -> Iterator[_Annotation]:
    """Yield the annotations of one layer that fit the text."""
    if isinstance(value, str):
        try:
            value = json.loads(replace_surrogates(value)) if value.strip() else []
        except (ValueError, RecursionError) as error:
            raise ReadError(f"a list of its annotations is not JSON ({str(error)[:100]})") from error
    for item in get_objects(value):
        start, end = _offset(item.get("start")), _offset(item.get("end"))
        if start is not None and end is not None and start < end <= length:
            attributes = item.get("attributes")
            yield _Annotation(start, end, attributes if isinstance(attributes, dict) else {})


def _offset(value: object) -> int | None:
    """Return an offset. Some releases write it as a string."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

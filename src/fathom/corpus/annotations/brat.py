"""Annotations in brat's standoff format: an .ann file beside the .txt file of each document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

from fathom.corpus.annotations.marked_text import Mark, MarkRelation, claims_of
from fathom.corpus.annotations.source import SourceAnnotation, files_of
from fathom.records.errors import FathomError
from fathom.records.spans import Span

_MARK = re.compile(r"(T\S+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t(.*)")
_RELATION = re.compile(r"(R\S*)\t(\S+) \w+:(\S+) \w+:(\S+)\s*")
_ATTRIBUTE = re.compile(r"[AM]\S*\t(\S+) (\S+)(?: (.+?))?\s*")
_NOTE = re.compile(r"#\S*\t(\S+) (\S+)\t(.*)")
_ESCAPED = re.compile(r"\\([\\nrt])")
_ESCAPES = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
GAP = " … "
"""Joins the parts of a mark that is not continuous."""


def read(sources: Iterable[Path], annotator: str) -> Iterator[SourceAnnotation]:
    """The annotations of all documents; without a name of the annotator, the folder of a file is the name."""
    files = list(files_of(sources, (".ann", ".txt")))
    texts = {file.path.with_suffix(""): file.text for file in files if file.path.suffix == ".txt"}
    for file in files:
        if file.path.suffix == ".ann":
            marks, relations = _marks(file.text, texts.get(file.path.with_suffix(""), ""), str(file.path))
            name = annotator or unquote(file.path.parent.name) or "brat"
            # Fathom writes names of documents that are not file names with escapes, such as "10.5%2F7".
            stems = (file.path.stem, unquote(file.path.stem))
            yield SourceAnnotation(stems, name, claims_of(marks, relations.values()))


def _text_of_pieces(pieces: Sequence[Span], text: str) -> str:
    """The text of a mark; a mark over several lines has a piece for each of them."""
    gaps = [text[left.end : right.start] for left, right in pairwise(pieces)]
    if all(gap.isspace() for gap in gaps):
        return text[pieces[0].start : pieces[-1].end]
    return GAP.join(piece.of(text) for piece in pieces)


def _marks(lines: str, text: str, path: str) -> tuple[dict[str, Mark], dict[str, MarkRelation]]:
    """The marks and relations by their ids, with their attributes. Events and equivalences are not used."""
    marks: dict[str, Mark] = {}
    relations: dict[str, MarkRelation] = {}
    further: list[tuple[str, str, str]] = []
    """The id of a mark or relation, the name of an attribute, and its value."""
    for number, line in enumerate(lines.split("\n"), start=1):
        if match := _MARK.fullmatch(line.rstrip("\r")):
            id, label, spans, printed = match.groups()
            pieces = [Span(*map(int, pair.split())) for pair in spans.split(";")]
            if any(piece.start >= piece.end for piece in pieces):
                raise FathomError(f"The mark in line {number} of '{path}' ends before it starts. Correct the line.")
            # If the text differs, the file is missing, or it is another version than the one that was marked.
            is_same = _letters(_text_of_pieces(pieces, text)) == _letters(printed)
            pieces.sort()  # some programs write the pieces of a mark in another order
            quote = _text_of_pieces(pieces, text) if is_same else printed
            marks[id] = Mark(label, quote, min(1.0, pieces[0].start / len(text)) if text else None)
        elif line.startswith("T"):
            raise FathomError(f"Line {number} of '{path}' is not a mark of brat: '{line[:60]}'. Correct the line.")
        elif match := _RELATION.fullmatch(line):
            relations[match[1]] = MarkRelation((match[3], match[4]), match[2])
        elif match := _ATTRIBUTE.fullmatch(line):
            name = _attribute_name(match[1])
            further.append((match[2], name, match[3] or name))  # its mark may be on a later line
        elif match := _NOTE.fullmatch(line.rstrip("\r")):
            note = _ESCAPED.sub(lambda escape: _ESCAPES[escape[1]], match[3])
            further.append((match[2], _attribute_name(match[1]), note))
    for id, name, value in further:
        if target := marks.get(id) or relations.get(id):
            target.attributes[name] = value
    return marks, relations


def _attribute_name(title: str) -> str:
    """The name of an attribute or a note: "no_evidence_reason" for "NoEvidenceReason"."""
    return "note" if title == "AnnotatorNotes" else re.sub(r"(?<=[a-z])(?=[A-Z])", "_", title).lower()


def _letters(text: str) -> str:
    return "".join(text.replace(GAP.strip(), "").split())

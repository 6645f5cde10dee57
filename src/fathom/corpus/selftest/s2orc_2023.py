"""Writes the 2023 form of S2ORC: one text, and JSON lists of the spans of its parts."""

from __future__ import annotations

import json
from collections import defaultdict

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedReference,
)

Files = dict[str, bytes]


def s2orc_2023(found: ParsedDocument) -> Files:
    """One line of a release."""
    text = _Text()
    text.part("title", found.title)
    text.write("\n\n")
    for one in found.authors:
        start = text.here
        text.part("authorfirstname", one.given)
        text.write(" ")
        text.part("authorlastname", one.family)
        text.note("author", start)
        text.write("\n\n")
    start = text.here
    for block in found.abstract:
        text.block(block)
    text.note("abstract", start)
    for block in found.body:
        text.block(block)
    for number, reference in enumerate(found.references):
        text.entry(f"b{number}", reference)
    content = {
        "corpusid": 1,
        "externalids": {"doi": found.ids.get("doi"), "arxiv": found.ids.get("arxiv"), "pubmed": None},
        "content": {"source": {"oainfo": None}, "text": text.text, "annotations": text.annotations()},
    }
    return {"papers.jsonl": json.dumps(content, ensure_ascii=False).encode() + b"\n"}


class _Text:
    """A text that grows, and where its parts stand."""

    def __init__(self) -> None:
        self.text = "\n"
        self._places: dict[str, list[dict[str, object]]] = defaultdict(list)

    @property
    def here(self) -> int:
        return len(self.text)

    def write(self, text: str) -> None:
        self.text += text

    def note(self, kind: str, start: int, **attributes: str) -> None:
        """What was written since a place is a part of this kind."""
        if start < self.here:
            told = {"attributes": attributes} if attributes else {}
            self._places[kind].append({**told, "end": self.here, "start": start})

    def part(self, kind: str, text: str, **attributes: str) -> None:
        start = self.here
        self.write(text)
        self.note(kind, start, **attributes)

    def block(self, block: Block) -> None:
        """A heading or a paragraph; tables are in no such text."""
        if isinstance(block, Heading):
            self.part("sectionheader", "".join(map(_printed, block.inlines)))
            self.write("\n\n")
        elif isinstance(block, Paragraph):
            start = self.here
            self._words(block.inlines)
            self.note("paragraph", start)
            self.write("\n\n")

    def _words(self, words: Inlines) -> None:
        for piece in words:
            if isinstance(piece, CitationMark) and piece.keys:
                self.part("bibref", piece.text, ref_id=f"b{int(piece.keys[0][1:]) - 1}")
            else:
                self.write(_printed(piece))

    def entry(self, key: str, reference: ParsedReference) -> None:
        """An entry as releases lay it out: the title, each author, then what is left."""
        start = self.here
        self.part("bibtitle", reference.title)
        self.write(". " if reference.title else "")
        for author in reference.authors:
            self.part("bibauthor", author)
            self.write(", ")
        self.write(str(reference.year or ""))
        self.note("bibentry", start, id=key, **reference.ids)
        self.write("\n\n")

    def annotations(self) -> dict[str, str]:
        return {kind: json.dumps(places) for kind, places in self._places.items()}


def _printed(piece: object) -> str:
    return piece if isinstance(piece, str) else str(getattr(piece, "text", ""))

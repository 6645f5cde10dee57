"""Writes the S2ORC format of 2023: one text, and for each layer a JSON list of annotations."""

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
from fathom.corpus.readers.parsing.blocks import inline_text, inlines_text
from fathom.corpus.selftest.documents import Files


def s2orc_2023(document: ParsedDocument) -> Files:
    """Return a document as a release file with one line."""
    text = _Text()
    text.write_annotated("title", document.title)
    text.write("\n\n")
    for author in document.authors:
        start = text.end
        text.write_annotated("authorfirstname", author.given)
        text.write(" ")
        text.write_annotated("authorlastname", author.family)
        text.annotate("author", start)
        text.write("\n\n")
    start = text.end
    for block in document.abstract:
        text.write_block(block)
    text.annotate("abstract", start)
    for block in document.body:
        text.write_block(block)
    for number, reference in enumerate(document.references):
        text.write_reference(f"b{number}", reference)
    content = {
        "corpusid": 1,
        "externalids": {"doi": document.ids.get("doi"), "arxiv": document.ids.get("arxiv"), "pubmed": None},
        "content": {"source": {"oainfo": None}, "text": text.text, "annotations": text.annotations()},
    }
    return {"papers.jsonl": json.dumps(content, ensure_ascii=False).encode() + b"\n"}


class _Text:
    """A text under construction, with annotations of its parts by layer."""

    def __init__(self) -> None:
        self.text = "\n"
        self._layers: dict[str, list[dict[str, object]]] = defaultdict(list)

    @property
    def end(self) -> int:
        return len(self.text)

    def write(self, text: str) -> None:
        self.text += text

    def annotate(self, layer: str, start: int, **attributes: str) -> None:
        """Annotate the text written since `start`."""
        if start < self.end:
            optional = {"attributes": attributes} if attributes else {}
            self._layers[layer].append({**optional, "end": self.end, "start": start})

    def write_annotated(self, layer: str, text: str, **attributes: str) -> None:
        """Write a text and annotate it."""
        start = self.end
        self.write(text)
        self.annotate(layer, start, **attributes)

    def write_block(self, block: Block) -> None:
        """Write a heading or a paragraph. The format has no tables."""
        if isinstance(block, Heading):
            self.write_annotated("sectionheader", inlines_text(block.inlines))
            self.write("\n\n")
        elif isinstance(block, Paragraph):
            start = self.end
            self._write_inlines(block.inlines)
            self.annotate("paragraph", start)
            self.write("\n\n")

    def _write_inlines(self, inlines: Inlines) -> None:
        for piece in inlines:
            if isinstance(piece, CitationMark) and piece.keys:
                self.write_annotated("bibref", piece.text, ref_id=f"b{int(piece.keys[0][1:]) - 1}")
            else:
                self.write(inline_text(piece))

    def write_reference(self, key: str, reference: ParsedReference) -> None:
        """Write a reference as releases do: title, authors, year."""
        start = self.end
        self.write_annotated("bibtitle", reference.title)
        self.write(". " if reference.title else "")
        for author in reference.authors:
            self.write_annotated("bibauthor", author)
            self.write(", ")
        self.write(str(reference.year or ""))
        self.annotate("bibentry", start, id=key, **reference.ids)
        self.write("\n\n")

    def annotations(self) -> dict[str, str]:
        """Return the annotations of each layer as JSON."""
        return {layer: json.dumps(annotations) for layer, annotations in self._layers.items()}

"""The byline of a Markdown text: which blocks below the title it comprises, and its authors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import plain_text
from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.corpus.readers.parsing.bylines import (
    NO_BYLINE,
    Byline,
    byline_length,
    find_affiliation,
    is_prose,
    is_surely_personal,
    read_byline,
)

_MAX_BYLINE_HEADINGS = 20
"""Headings below a title that may be names."""


@dataclass(frozen=True)
class DocumentHead:
    """The authors, and the blocks between the title and the text that are not the byline."""

    authors: list[ParsedAuthor]
    rest: list[MarkdownBlock]
    reason: str = ""
    """Why the authors are unknown."""


def split_byline(head: list[MarkdownBlock], has_abstract: bool, has_references: bool) -> DocumentHead:
    """Return the authors in the blocks between a title and the abstract or the first heading.

    If a piece of the byline is not understood, the authors are unknown and all blocks stay in the text.
    """
    byline_blocks = list(takewhile(lambda block: block.kind != "code" and not is_prose(block.text), head))
    if not has_abstract:
        # Without an abstract the first blocks may already be the text.
        byline_blocks = byline_blocks[: byline_length(["\n".join(_lines(block)) for block in byline_blocks])]
    lines = [line for block in byline_blocks for line in _lines(block)]
    byline = read_byline(lines)
    if byline.is_known and not has_abstract and not has_references and not is_surely_personal(byline):
        return DocumentHead([], head, "the first lines may be names or not")
    if not byline.is_known:
        return DocumentHead([], head, byline.reason or NO_BYLINE)
    others = [line for block in head[len(byline_blocks) :] for line in _lines(block)]
    if has_abstract and any(read_byline([line]).is_known for line in others if line.strip() and not is_prose(line)):
        return DocumentHead([], head, "there are names in two places")
    return DocumentHead(_with_affiliation(byline, lines), head[len(byline_blocks) :])


def byline_heading_end(blocks: Sequence[MarkdownBlock], is_abstract: Callable[[str], bool]) -> int:
    """Return the position after the last heading that is a line of names before the abstract; 0 if there is none."""
    headings = [position for position, block in enumerate(blocks) if block.kind == "heading"][:_MAX_BYLINE_HEADINGS]
    abstract = next((position for position in headings if is_abstract(plain_text(blocks[position].text))), None)
    before = [position for position in headings if abstract is not None and position < abstract]
    if not before or any(is_prose(block.text) for block in blocks[:abstract]):
        return 0
    return before[-1] + 1 if all(read_byline([blocks[position].text]).is_known for position in before) else 0


def _lines(block: MarkdownBlock) -> list[str]:
    """Return the lines of a block; a table may print one author in each cell."""
    if block.kind == "table":
        return [cell for row in block.rows for cell in row]
    return block.text.split("\n")


def _with_affiliation(byline: Byline, lines: Sequence[str]) -> list[ParsedAuthor]:
    affiliation = find_affiliation(lines)
    if not affiliation:
        return list(byline.authors)
    return [replace(author, affiliations=(affiliation,)) for author in byline.authors]

"""Blocks that a reader of markup has found: their words as text, and the abstract, captions and empty lists in them."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import Block, Heading, Inline, Inlines, Paragraph, ParsedTable
from fathom.corpus.readers.parsing.section_roles import chinese_role, role_of


def inlines_text(words: Inlines) -> str:
    """Running text as one string."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


def normalized_text(words: Inlines) -> str:
    """Running text as one string, its blanks tidied."""
    return " ".join(inlines_text(words).split())


def is_visible(piece: Inline) -> bool:
    """Whether there is more than blanks to be seen."""
    return bool((piece if isinstance(piece, str) else piece.text).strip())


def drop_empty_reference_sections(blocks: Sequence[Block]) -> list[Block]:
    """Blocks less the headings of reference lists that hold nothing: the entries were taken out and stand apart."""
    kept: list[Block] = []
    for block in reversed(blocks):
        if isinstance(block, Heading) and role_of(inlines_text(block.inlines)) == "references":
            after = kept[-1] if kept else None
            if after is None or (isinstance(after, Heading) and after.level <= block.level):
                continue
        kept.append(block)
    return kept[::-1]


def extract_abstract(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """The blocks of the section called "Abstract", and the others."""
    for place, block in enumerate(blocks):
        if isinstance(block, Heading) and _is_abstract(inlines_text(block.inlines)):
            end = place + 1
            while end < len(blocks) and not isinstance(blocks[end], Heading):
                end += 1
            return list(blocks[place + 1 : end]), [*blocks[:place], *blocks[end:]]
    return [], list(blocks)


def _is_abstract(heading: str) -> bool:
    return heading.strip(" .:").lower() == "abstract" or chinese_role(heading) == "abstract"


def attach_caption(blocks: Sequence[Block], caption: Inlines) -> list[Block]:
    """The blocks with a caption at their first table; a paragraph behind them where they have none."""
    told: list[Block] = []
    for block in blocks:
        if isinstance(block, ParsedTable) and caption and not inlines_text(block.caption):
            told.append(ParsedTable(caption, block.rows))
            caption = []
        else:
            told.append(block)
    return [*told, Paragraph(caption)] if caption else told


def with_prefix(lead: str, block: Block) -> Block:
    """A paragraph that begins with the sign of its item or the number of its figure; other blocks as they are."""
    return Paragraph([lead, *block.inlines], block.verbatim) if isinstance(block, Paragraph) else block

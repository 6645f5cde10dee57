"""Helpers on running text and parsed blocks: links, text, abstract, captions, empty reference sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fathom.corpus.readers.parsed_document import Block, Heading, Inline, Inlines, Paragraph, ParsedTable
from fathom.corpus.readers.parsing.section_roles import chinese_role, role_of


@dataclass(frozen=True)
class Hyperlink:
    """A linked text."""

    text: str
    target: str
    superscript: bool = False


LinkedText = list[str | Hyperlink]


def visible_text(pieces: LinkedText) -> str:
    """Return the text that is displayed, links included."""
    return "".join(piece.text if isinstance(piece, Hyperlink) else piece for piece in pieces)


def inline_text(piece: Inline) -> str:
    """Return the text of an inline."""
    return piece if isinstance(piece, str) else piece.text


def inlines_text(words: Inlines) -> str:
    """Return inlines as one string."""
    return "".join(map(inline_text, words))


def normalized_text(words: Inlines) -> str:
    """Return inlines as one string with single spaces."""
    return " ".join(inlines_text(words).split())


def splice(text: str, marks: Iterable[tuple[int, int, Inlines]], start: int = 0, end: int | None = None) -> Inlines:
    """Return a part of a text with spans replaced by inlines. Of overlapping spans, the first is used."""
    inlines: Inlines = []
    position = start
    for begin, stop, replacement in marks:
        if begin >= position:
            inlines += [text[position:begin], *replacement]
            position = stop
    return [*inlines, text[position:end]]


def is_visible(piece: Inline) -> bool:
    """Return whether an inline has any character other than white space."""
    return bool(inline_text(piece).strip())


def drop_empty_reference_sections(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks without the headings of empty reference lists, whose entries were extracted."""
    kept: list[Block] = []
    for block in reversed(blocks):
        if isinstance(block, Heading) and role_of(inlines_text(block.inlines)) == "references":
            after = kept[-1] if kept else None
            if after is None or (isinstance(after, Heading) and after.level <= block.level):
                continue
        kept.append(block)
    return kept[::-1]


def extract_abstract(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """Return the blocks of the section "Abstract", and the other blocks."""
    for position, block in enumerate(blocks):
        heading = inlines_text(block.inlines) if isinstance(block, Heading) else ""
        if heading.strip(" .:").lower() == "abstract" or chinese_role(heading) == "abstract":
            end = position + 1
            while end < len(blocks) and not isinstance(blocks[end], Heading):
                end += 1
            return list(blocks[position + 1 : end]), [*blocks[:position], *blocks[end:]]
    return [], list(blocks)


def attach_caption(blocks: Sequence[Block], caption: Inlines) -> list[Block]:
    """Return blocks with a caption on their first table, or as a last paragraph if there is no table."""
    result: list[Block] = []
    for block in blocks:
        if isinstance(block, ParsedTable) and caption and not inlines_text(block.caption):
            result.append(ParsedTable(caption, block.rows))
            caption = []
        else:
            result.append(block)
    return [*result, Paragraph(caption)] if caption else result


def with_prefix(prefix: str, block: Block) -> Block:
    """Return a paragraph with a list marker or figure number before it; other blocks unchanged."""
    return Paragraph([prefix, *block.inlines], block.verbatim) if isinstance(block, Paragraph) else block

"""Reader of ordinary web pages: the main text, and the metadata that the page states. Pages of tables are tabular."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from fathom.corpus.readers.html.prose_blocks import HtmlNode, ProseBlocks, parse_page, without_title
from fathom.corpus.readers.html.simplified_pages import page_text
from fathom.corpus.readers.html_article.main_text import MIN_PROSE, MainText
from fathom.corpus.readers.html_article.metadata import PageMetadata, read_metadata, without_site
from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import plain_text
from fathom.corpus.readers.markdown.reader import read_blocks
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument, ReadError
from fathom.corpus.readers.parsing.author_fields import YamlValue
from fathom.corpus.readers.parsing.bylines import find_authors, read_byline
from fathom.corpus.readers.parsing.dates import without_dates
from fathom.corpus.readers.parsing.tables import check_size
from fathom.corpus.readers.parsing.text_cleanup import strip_compression, title_from_name
from fathom.corpus.readers.tabular.web_pages import read_page

FORMAT = "html-article"

_NAMES = (".html", ".htm", ".xhtml")
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)?<(?:!doctype html|html)\b", re.I | re.S
)


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is a web page, and not a filing or a page without paragraphs."""
    path = PurePosixPath(strip_compression(name).lower())
    is_page = path.suffix in _NAMES or (not path.suffix and bool(_START.match(head)))
    return is_page and b"<" in head and b"inlineXBRL" not in head


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the article of a page; a page of tables is read as a report."""
    check_size(content)
    text, _, note = page_text(content)
    body = parse_page(text)
    main = MainText(body) if body is not None else None
    if body is None or main is None or _is_tabular(main, body):
        document = read_page(content, name)
        document.format = "tabular"
        yield document
        return
    if main.prose < MIN_PROSE:
        raise ReadError("the page has no main text, only links or a few words")
    root = main.root()
    blocks = _without_empty_sections(ProseBlocks(main.is_dropped).read(root))
    metadata = read_metadata(text, body)
    if metadata.authors and _contradicts_byline(metadata.authors, blocks):
        metadata.authors, metadata.author_doubt = [], "the byline of the page names other authors than its metadata"
    blocks = _without_byline_headings(blocks, metadata.authors)
    title, doubt = _title(metadata, blocks, name)
    values: dict[str, YamlValue] = {
        "title": title,
        **({"authors": [*metadata.authors]} if metadata.authors else {}),
        "date": metadata.date,
        "doi": metadata.doi,
        "lang": metadata.language,
        "license": metadata.license,
    }
    document = read_blocks(without_title(blocks, title), name, values, byline=False)
    if not metadata.authors:
        document.unknown["authors"] = metadata.author_doubt or "no author in the metadata of the page"
    document.venue = metadata.venue or None
    if doubt:
        document.unknown["title"] = doubt
    if note:
        document.notes["text"] = note
    yield document


def _contradicts_byline(authors: Sequence[str], blocks: Sequence[MarkdownBlock]) -> bool:
    """Return whether a line "By Ada Lind and Bo Wu" above the text does not name the authors of the metadata.

    Some systems state only the person who posted the text.
    """
    for block in blocks[:_BYLINE_BLOCKS]:
        byline = read_byline([block.text]) if len(block.text) <= _MAX_BYLINE else None
        if byline is not None and byline.labeled:
            names = {author.printed.casefold() for author in byline.authors}
            return bool(names) and names != {name.casefold() for name in authors}
    return False


_BYLINE_BLOCKS = 6
_MAX_BYLINE = 200
"""The blocks at the top that may be a byline, and its characters."""


def _is_tabular(main: MainText, body: HtmlNode) -> bool:
    """Return whether most of a page is tables, or nearly all of a page without an article."""
    cells = body.css("td")
    characters = sum(len((cell.text(deep=True) or "").strip()) for cell in cells)
    # A menu may be laid out as a table.
    has_values = any(cell.css_first("a") is None and (cell.text(deep=True) or "").strip() for cell in cells)
    return characters > 2 * main.prose or (main.prose < MIN_PROSE and has_values)


def _title(metadata: PageMetadata, blocks: list[MarkdownBlock], name: str) -> tuple[str, str]:
    """Return the title, and a doubt if the page states none."""
    headings = [plain_text(block.text) for block in blocks if block.kind == "heading"]
    first = next((plain_text(block.text) for block in blocks if block.kind == "heading" and block.level == 1), "")
    if metadata.title:
        # The heading is what readers see: prefer it if the metadata only adds the name of the site.
        return (first if first and first in metadata.title else metadata.title), ""
    window = metadata.page_title
    for heading in filter(None, (first, *headings[:1])):
        if heading.casefold() in window.casefold():
            return heading, ""
    if first:
        # Where every section has a heading of level 1, the first of them may be "Introduction".
        several = sum(block.kind == "heading" and block.level == 1 for block in blocks) > 1
        return first, "the page has several headings of level 1, and none is the title in its head" if several else ""
    if window:
        return without_site(window, metadata.site), "" if len(window) > 3 else "the page states none"
    return (headings[0], "no title in the page's head") if headings else (title_from_name(name), "the page states none")


def _without_byline_headings(blocks: list[MarkdownBlock], authors: Sequence[str]) -> list[MarkdownBlock]:
    """Return the blocks without headings at the top that have only the authors or a date, as in R Markdown."""
    top, rest = blocks[:_BYLINE_BLOCKS], blocks[_BYLINE_BLOCKS:]
    return [block for block in top if not (block.kind == "heading" and _is_byline(block.text, authors))] + rest


def _is_byline(heading: str, authors: Sequence[str]) -> bool:
    names = [author.printed for author in find_authors([heading])]
    return (bool(names) and names == [*authors]) or not without_dates(heading, "").strip(" ,.")


def _without_empty_sections(blocks: list[MarkdownBlock]) -> list[MarkdownBlock]:
    """Return the blocks without headings at the end that have lost their text, such as "Related posts"."""
    kept = list(blocks)
    while kept and kept[-1].kind == "heading":
        kept.pop()
    return kept

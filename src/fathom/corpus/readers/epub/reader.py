"""Reader of e-books: the package lists the chapters in reading order, and states the metadata."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cached_property
from urllib.parse import unquote

from fathom.corpus.readers.html.prose_blocks import HtmlNode, ProseBlocks, attribute, parse_page, without_title
from fathom.corpus.readers.html.simplified_pages import page_text
from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import escape, plain_text
from fathom.corpus.readers.markdown.reader import read_blocks
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument, ReadError
from fathom.corpus.readers.parsing.author_fields import YamlValue
from fathom.corpus.readers.parsing.text_cleanup import title_from_name
from fathom.corpus.readers.parsing.xml_trees import Element, local
from fathom.corpus.readers.parsing.zip_parts import ZipParts
from fathom.corpus.readers.parsing.zip_parts import attribute as xml_attribute

FORMAT = "epub"

_MAX_CHAPTERS = 5_000
_PAGES = ("application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document")
_AUTHOR_ROLES = ("", "aut", "author", "cre")
_NOT_TEXT = re.compile(r"\b(?:toc|landmarks|page-list|cover|pagebreak|index)\b")
"""Semantic types of elements that are not part of the text."""


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is an e-book."""
    return head.startswith(b"PK\x03\x04") and (
        name.lower().endswith(".epub") or b"mimetypeapplication/epub+zip" in head[:200]
    )


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one book of a file."""
    yield _BookReader(ZipParts(content), name).read()


class _BookReader:
    """Reads the package of a book, and its chapters."""

    def __init__(self, parts: ZipParts, name: str) -> None:
        self._parts, self._name = parts, name
        container = parts.tree("META-INF/container.xml")
        found = (
            [element for element in container.iter() if local(element) == "rootfile"] if container is not None else []
        )
        path = xml_attribute(found[0], "full-path") if found else ""
        package = parts.tree(path) if path else None
        if package is None:
            raise ReadError("it has no package file")
        if parts.get("META-INF/rights.xml") is not None or _is_encrypted(parts):
            raise ReadError("it is protected against copying")
        self._folder = posixpath.dirname(path)
        self._package: Element = package

    def read(self) -> ParsedDocument:
        metadata = [
            element for element in self._package.iter() if isinstance(element.tag, str) and (element.text or "").strip()
        ]
        title = next((_text(child) for child in metadata if local(child) == "title"), "")
        creators = [child for child in metadata if local(child) == "creator"]
        authors = [name for creator in creators if self._role(creator) in _AUTHOR_ROLES and (name := _text(creator))]
        if any(map(_is_no_person, authors)):
            authors = []
        values: dict[str, YamlValue] = {
            "title": title or title_from_name(self._name),
            "date": self._date(metadata),
            "lang": next((_text(child) for child in metadata if local(child) == "language"), ""),
            "keywords": [*(_text(child) for child in metadata if local(child) == "subject")],
            "license": next((_text(child) for child in metadata if local(child) == "rights"), ""),
            **({"authors": [*authors]} if authors else {}),
        }
        blocks = [block for path in self._spine() for block in self._chapter(path)]
        if not any(block.kind != "heading" for block in blocks):
            raise ReadError("it has no text")
        document = read_blocks(without_title(blocks, title), self._name, values, byline=False)
        if not authors:
            document.unknown["authors"] = "the book names none"
        if not title:
            document.unknown["title"] = "the book states none"
        return document

    # Metadata.

    def _role(self, creator: Element) -> str:
        """Return a creator's role, which EPUB 3 states in another element."""
        if role := xml_attribute(creator, "role"):
            return role.lower()
        id = creator.get("id", "")
        refined = (
            _text(element)
            for element in self._package.iter()
            if local(element) == "meta"
            and id
            and element.get("refines") == f"#{id}"
            and element.get("property") == "role"
        )
        return next(refined, "").lower()

    def _date(self, metadata: list[Element]) -> str:
        """Return the date of publication, not of conversion."""
        dates = [
            child for child in metadata if local(child) == "date" and xml_attribute(child, "event") != "modification"
        ]
        published = [date for date in dates if xml_attribute(date, "event") == "publication"] or dates
        text = _text(published[0]) if published else ""
        # Programs write the year 101 for an unknown date.
        return text if re.match(r"(?:1[4-9]|20)\d\d", text) else ""

    # Chapters.

    def _spine(self) -> Iterator[str]:
        """Yield the paths of the chapters in reading order."""
        items = {element.get("id", ""): element for element in self._package.iter() if local(element) == "item"}
        references = [element for element in self._package.iter() if local(element) == "itemref"]
        if not references:
            raise ReadError("it has no reading order")
        seen: set[str] = set()
        for reference in references[:_MAX_CHAPTERS]:
            item = items.get(reference.get("idref", ""))
            if item is None or reference.get("linear") == "no" or "nav" in item.get("properties", "").split():
                continue
            path = posixpath.normpath(posixpath.join(self._folder, unquote(item.get("href", "").partition("#")[0])))
            # A chapter that is listed a thousand times is read once.
            if item.get("media-type", "") in _PAGES and path not in seen:
                seen.add(path)
                yield path

    def _chapter(self, path: str) -> list[MarkdownBlock]:
        content = self._parts.get(path)
        body = parse_page(page_text(content).text, xhtml=True) if content else None
        if body is None:
            return []
        blocks = ProseBlocks(_is_dropped).read(body)
        if _is_link_list(body):
            return []
        if not any(block.kind == "heading" for block in blocks) and blocks:
            label = self._labels.get(path, "")
            if label and blocks[0].kind == "paragraph" and plain_text(blocks[0].text).lower() == label.lower():
                blocks = blocks[1:]
            if label:
                blocks = [MarkdownBlock("heading", escape(label), 1), *blocks]
        return blocks

    @cached_property
    def _labels(self) -> dict[str, str]:
        """The titles of chapters in the table of contents, by path."""
        return dict(self._table_of_contents())

    def _table_of_contents(self) -> Iterator[tuple[str, str]]:
        for item in self._package.iter():
            media = item.get("media-type", "") if isinstance(item.tag, str) else ""
            is_nav = "nav" in (item.get("properties", "") if isinstance(item.tag, str) else "").split()
            path = posixpath.normpath(posixpath.join(self._folder, unquote(item.get("href", "")))) if media else ""
            if media == "application/x-dtbncx+xml":
                tree = self._parts.tree(path)
                for point in tree.iter() if tree is not None else ():
                    if local(point) == "navPoint":
                        yield from _labeled(point, path)
            elif is_nav and (content := self._parts.get(path)):
                body = parse_page(page_text(content).text, xhtml=True)
                for link in body.css("a") if body is not None else ():
                    target = unquote(attribute(link, "href").partition("#")[0])
                    if "#" not in attribute(link, "href"):
                        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), target)), _words(link)


def _labeled(point: Element, path: str) -> Iterator[tuple[str, str]]:
    """Yield the target and the label of an entry in an NCX table of contents, if it is a whole file."""
    label = next((_text(element) for element in point.iter() if local(element) == "text"), "")
    source = next((child.get("src", "") for child in point if local(child) == "content"), "")
    if source and "#" not in source:
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(source))), label


def _text(element: Element) -> str:
    return " ".join((element.text or "").split())


def _words(node: HtmlNode) -> str:
    return " ".join((node.text(deep=True) or "").split())


def _is_encrypted(parts: ZipParts) -> bool:
    """Return whether the text is encrypted; fonts often are, without harm."""
    tree = parts.tree("META-INF/encryption.xml")
    targets = [xml_attribute(one, "URI") for one in (tree.iter() if tree is not None else ())]
    return any(target.lower().endswith((".xhtml", ".html", ".htm", ".xml")) for target in targets)


def _is_dropped(node: HtmlNode) -> bool:
    return node.tag == "nav" or bool(_NOT_TEXT.search(attribute(node, "epub:type")))


def _is_link_list(body: HtmlNode) -> bool:
    """Return whether a page is a table of contents: most of its text is links."""
    linked = sum(len(_words(link)) for link in body.css("a"))
    return linked * 10 > len(_words(body)) * 7 and linked > 0


def _is_no_person(name: str) -> bool:
    return name.strip().lower() in ("unknown", "anonymous", "various", "n/a", "none", "?")

"""Reader of Markdown written by PDF and HTML converters: papers, statutes, scanned reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from pathlib import PurePosixPath

from fathom.corpus.readers.markdown.blocks import MarkdownBlock, parse_blocks
from fathom.corpus.readers.markdown.bylines import DocumentHead, byline_heading_end, split_byline
from fathom.corpus.readers.markdown.conversion import BlockConverter
from fathom.corpus.readers.markdown.inline import plain_text
from fathom.corpus.readers.markdown.reference_entries import read_reference_list
from fathom.corpus.readers.myst.markup import is_myst
from fathom.corpus.readers.parsed_document import (
    PAPER_FIELDS,
    CompanionFiles,
    Paragraph,
    ParsedDocument,
    ReadError,
)
from fathom.corpus.readers.parsing.author_fields import YamlValue
from fathom.corpus.readers.parsing.decoding import decode_text
from fathom.corpus.readers.parsing.front_matter import (
    FrontMatter,
    read_front_matter,
    split_front_matter,
    text_value,
)
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry, ReferenceIndex
from fathom.corpus.readers.parsing.section_roles import chinese_role
from fathom.corpus.readers.parsing.sentences import is_chinese
from fathom.corpus.readers.parsing.text_cleanup import calendar_date
from fathom.corpus.readers.parsing.titles import move_date
from fathom.records.documents import FieldName

FORMAT = "markdown"

_NAMES = (".md", ".markdown", ".mdown", ".mkd")


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is Markdown other than MyST, by its name."""
    return name.lower().endswith(_NAMES) and not is_myst(name, head)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one document of a file."""
    yield read_text(decode_text(content), name)


_INVISIBLE = re.compile("[\u2061-\u2064\ue000\ue001]")
"""Invisible characters of formulas, and the private-use characters that mark superscripts."""


def read_text(text: str, source: str, fallback_entries: Sequence[ReferenceEntry] = ()) -> ParsedDocument:
    """Parse a Markdown text; `fallback_entries`: the references of a text without a reference list."""
    front_matter, rest = split_front_matter(_INVISIBLE.sub("", text))
    values = {name.lower(): value for name, value in front_matter.items()}
    return read_blocks(parse_blocks(rest), source, values, fallback_entries)


def read_blocks(
    parsed: Iterable[MarkdownBlock],
    source: str,
    values: dict[str, YamlValue],
    fallback_entries: Sequence[ReferenceEntry] = (),
    byline: bool = True,
) -> ParsedDocument:
    """Return the document in some blocks, with the metadata in `values`: of Markdown, or of text in another format.

    `byline`: whether authors that `values` do not name are searched in the lines below the title.
    """
    blocks = list(chain.from_iterable(map(_split_keywords, parsed)))
    if not blocks:
        raise ReadError("it has no text")
    opening = "".join(block.text for block in blocks[:200])
    chinese = is_chinese(re.sub(r"[\s#|*-]+", "", opening[:6_000]))
    return _Document(blocks, values, read_front_matter(values), source, chinese, fallback_entries, byline).parse()


# Chinese journals print the keywords on the line below the abstract, and converters keep both in one paragraph.
_KEYWORDS_LINE = re.compile(r"\n(?=\W{0,6}关\s?键\s?[词字])")


def _split_keywords(block: MarkdownBlock) -> list[MarkdownBlock]:
    if block.kind != "paragraph" or "键" not in block.text:
        return [block]
    return [replace(block, text=text) for text in _KEYWORDS_LINE.split(block.text, maxsplit=1)]


_ABSTRACT = re.compile(r"\W*(?:abstract|summary)\W*", re.IGNORECASE)
_ABSTRACT_LEAD = re.compile(
    r"\W*(?:abstract(?:\s*[:.—–-]+[\s*_]*|\W*(?:\*\*|__|</b>)\W*|\s*\n)|"
    # "【摘 要】目的", "摘要：", "摘　要 本文": a bracket, a colon or a space distinguishes it from a word of the text.
    r"(?:中文|内容)?[摘提]\s*要(?:[*_\s]*[]:：.】］〕—–-]+[]】］〕*_\s]*|[*_\s]+))",
    re.IGNORECASE,
)
_REFERENCES_HEADING = re.compile(
    r"\W*(?:\d{1,2}\.?\s+|[IVX]{1,4}\.?\s+)?(?:references?(?: and notes| cited)?|"
    r"bibliography|literature(?: cited)?|works cited)\W*",
    re.IGNORECASE,
)
_LAYOUT_COMMAND = re.compile(r"\\{1,2}[A-Za-z@]{3,}|†{2,}")
_CHINESE_DATE = re.compile(r"\s*(\d{4})年(\d{1,2})月(\d{1,2})日(.{0,200})")


_LAW_ARTICLE = re.compile(
    r"\W{0,4}(?:第[一二三四五六七八九十百千零〇\d]{1,8}条|(?:Article|Section|Sec\.|§+)\s?\d{1,4}\b)"
)
_LAW_TITLE = re.compile(
    r"\b(?:Act|Code|Law|Statute|Regulations?|Ordinance|Constitution|Directive|Bill|Decree|Treaty)\b|法|条例|规定|办法|决定|细则|规则"
)
_MIN_LAW_ARTICLES = 2
"""Numbered articles that make a report a statute."""


def _is_article_of_law(block: MarkdownBlock) -> bool:
    return block.kind in ("heading", "paragraph") and bool(_LAW_ARTICLE.match(block.text))


def _is_abstract(heading: str) -> bool:
    return bool(_ABSTRACT.fullmatch(heading)) or chinese_role(heading) == "abstract"


def _is_references_heading(heading: str) -> bool:
    return bool(_REFERENCES_HEADING.fullmatch(heading)) or chinese_role(heading) == "references"


@dataclass
class _Document:
    """Builds a parsed document from Markdown blocks."""

    blocks: list[MarkdownBlock]
    metadata: dict[str, YamlValue]
    """All values of the front matter."""
    front: FrontMatter
    source: str
    chinese: bool
    fallback_entries: Sequence[ReferenceEntry]
    byline: bool
    """Whether authors may be in the lines below the title."""
    notes: dict[str, str] = field(default_factory=dict)

    def parse(self) -> ParsedDocument:
        title, start = self._title()
        entries, rest = self._split_references(self.blocks[start:])
        references = ReferenceIndex(entries or self.fallback_entries)
        converter = BlockConverter(references, rest, self._level_map(start))
        head, body = self._split_head(rest)
        abstract, body = self._abstract(body)
        byline = self._byline(head, bool(abstract), bool(entries))
        authors = byline.authors
        front = converter.blocks([*self._before_title(start), *byline.rest])
        blocks = converter.blocks(body)
        if not abstract:
            # Without an abstract, what follows the title is the text.
            front, blocks = [], [*front, *blocks]
        scholarly = bool(abstract or entries or authors)
        published = self._published(head)
        language = text_value(self.metadata, "lang") or text_value(self.metadata, "language")
        front_abstract = [one for one in re.split(r"\n\s*\n", self.front.abstract) if one.strip()]
        document = ParsedDocument(
            source=self.source,
            kind="article" if scholarly else "report",
            language="zh" if self.chinese else language[:2] or "en",
            title=title,
            authors=authors,
            abstract=converter.blocks(abstract) or [Paragraph([one]) for one in front_abstract],
            front=front,
            body=blocks,
            references=references.references,
            ids={"doi": self.front.doi} if self.front.doi else {},
            published=published,
            year=published.year if published else self.front.year,
            subjects=self.front.keywords or converter.keywords,
            license=self.front.license,
            stated=self._stated(title, scholarly),
            unknown={"authors": byline.reason} if byline.reason else {},
            notes=self.notes,
        )
        if not front and not blocks and not document.abstract:
            raise ReadError("it has no text")
        if not self.front.title:
            move_date(document)
        return document

    # The title, and the blocks before it.

    def _title(self) -> tuple[str, int]:
        """Return the title, and the position of the first block after it."""
        headings = [
            (position, block)
            for position, block in enumerate(self.blocks)
            if block.kind == "heading" and plain_text(block.text)
        ]
        named = self.front.title
        if headings:
            # The first heading of level 1, or else the first of all.
            position, block = min(headings, key=lambda pair: pair[1].level != 1)
            text = plain_text(block.text)
            if not _is_abstract(text) and text == (named or text):
                return text, position + 1
        if named:
            return named, 0
        opening = plain_text(self.blocks[0].text)
        if self.blocks[0].kind == "paragraph" and 0 < len(opening) <= 200 and len(self.blocks) > 1:
            self.notes["title"] = "first line, since there is no heading"
            return opening, 1
        self.notes["title"] = "file name, since there is no heading"
        return PurePosixPath(self.source.replace("!", "/")).stem or "Untitled", 0

    def _before_title(self, start: int) -> list[MarkdownBlock]:
        """Return the tables, code and prose before the title, without layout commands left by converters."""
        before = self.blocks[: max(0, start - 1)]
        return [
            block
            for block in before
            if block.kind in ("table", "code")
            or (
                block.kind != "heading"
                and len(block.text) >= 40
                and not _LAYOUT_COMMAND.search(block.text)
                and "†" not in block.text
            )
        ]

    def _level_map(self, start: int) -> dict[int, int]:
        """Map heading levels of the source to levels of the document, whose sections have level 2."""
        used = sorted(
            {block.level for block in self.blocks[start:] if block.kind == "heading" and not _is_abstract(block.text)}
        )
        return {level: level + 2 - used[0] for level in used}

    # Reference lists.

    def _split_references(self, blocks: Sequence[MarkdownBlock]) -> tuple[list[ReferenceEntry], list[MarkdownBlock]]:
        """Return the entries of the reference lists, and all other blocks."""
        entries: list[ReferenceEntry] = []
        rest: list[MarkdownBlock] = []
        listed: list[MarkdownBlock] | None = None
        for block in blocks:
            if block.kind == "heading":
                rest.extend(read_reference_list(listed or [], entries))
                listed = [] if _is_references_heading(plain_text(block.text)) else None
                if listed is None:
                    rest.append(block)
            elif (
                listed is None
                and block.kind == "paragraph"
                and _is_references_heading(block.text)
                # In Chinese these characters alone on a line are always a heading.
                and ("*" in block.text or "文" in block.text)
            ):
                listed = []
            else:
                (rest if listed is None else listed).append(block)
        rest.extend(read_reference_list(listed or [], entries))
        return entries, rest

    # The head, between the title and the text.

    def _split_head(self, blocks: list[MarkdownBlock]) -> tuple[list[MarkdownBlock], list[MarkdownBlock]]:
        first = byline_heading_end(blocks, _is_abstract)
        for position, block in enumerate(blocks):
            if position < first:
                continue
            if block.kind == "heading" or (block.kind == "paragraph" and _ABSTRACT_LEAD.match(block.text)):
                return blocks[:position], blocks[position:]
        return blocks, []

    def _abstract(self, blocks: list[MarkdownBlock]) -> tuple[list[MarkdownBlock], list[MarkdownBlock]]:
        """Return the abstract, and the blocks after it; some styles print its heading twice."""
        position = 0
        while (
            position < len(blocks)
            and blocks[position].kind == "heading"
            and _is_abstract(plain_text(blocks[position].text))
        ):
            position += 1
        lead = _ABSTRACT_LEAD.match(blocks[position].text) if position < len(blocks) else None
        if not position and not lead:
            return [], blocks
        end = position
        while end < len(blocks) and blocks[end].kind != "heading":
            end += 1
        abstract = blocks[position:end]
        if lead and abstract:
            abstract[0] = MarkdownBlock("paragraph", abstract[0].text[lead.end() :])
        if lead and not position:
            # Without a heading, the abstract is one paragraph.
            return abstract[:1], [*abstract[1:], *blocks[end:]]
        again = blocks[end:]
        if again and again[0].kind == "heading" and _is_abstract(plain_text(again[0].text)):
            more, again = self._abstract(again)
            abstract = [*abstract, *more]
        return abstract, again

    def _byline(self, head: list[MarkdownBlock], has_abstract: bool, has_references: bool) -> DocumentHead:
        """Return the authors, and the blocks of the head outside the byline."""
        front = self.front
        if front.authors or front.reason or front.states_no_authors or not self.byline:
            return DocumentHead(front.authors, head, front.reason)
        found = split_byline(head, has_abstract, has_references)
        if found.authors:
            self.notes["authors"] = "guessed from the lines below the title"
        return found

    def _stated(self, title: str, scholarly: bool) -> frozenset[FieldName]:
        """Return what the text states: no authors in its front matter, or those of a statute, which has none."""
        if self.front.states_no_authors:
            return frozenset(("authors",))
        is_statute = (
            not scholarly
            and bool(_LAW_TITLE.search(title))
            and sum(map(_is_article_of_law, self.blocks)) >= _MIN_LAW_ARTICLES
        )
        return PAPER_FIELDS if is_statute else frozenset()

    def _published(self, head: Sequence[MarkdownBlock]) -> date | None:
        """Return the date in the front matter, or the last date on which a statute was adopted or changed."""
        values = [_CHINESE_DATE.match(block.text) for block in head] if self.chinese else []
        days = [calendar_date(*match.group(1, 2, 3)) for match in values if match and not match[4].endswith("施行")]
        return max((day for day in (*days, self.front.published) if day), default=None)

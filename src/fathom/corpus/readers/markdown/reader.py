"""Markdown as converters of PDF and HTML write it: documents, statutes, scanned reports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, takewhile
from pathlib import PurePosixPath

from fathom.corpus.readers.markdown.blocks import Raw, blocks_of
from fathom.corpus.readers.markdown.citation_resolution import Settler
from fathom.corpus.readers.markdown.inline import bare
from fathom.corpus.readers.markdown.reference_entries import read_list
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ReadError,
)
from fathom.corpus.readers.parsing.bylines import byline_length, find_affiliation, find_authors, is_prose
from fathom.corpus.readers.parsing.chinese_bylines import is_chinese_institution
from fathom.corpus.readers.parsing.decoding import decoded
from fathom.corpus.readers.parsing.front_matter import (
    FrontMatter,
    Value,
    read_front_matter,
    split_front_matter,
    text_value,
)
from fathom.corpus.readers.parsing.reference_lists import YEAR, ReferenceEntry, ReferenceIndex
from fathom.corpus.readers.parsing.section_roles import chinese_role
from fathom.corpus.readers.parsing.sentences import is_chinese

FORMAT = "markdown"

_NAMES = (".md", ".markdown", ".mdown", ".mkd")
# Roles and directives are another dialect's, with a reader of its own.
_DIALECT = re.compile(rb"^(?:```|:::)\s*\{[\w:-]+\}|\{cite(?::[a-z]+)?\}`", re.MULTILINE)


def matches(name: str, head: bytes) -> bool:
    """Whether a file is Markdown, by its name."""
    return name.lower().endswith(_NAMES) and not _DIALECT.search(head)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The one document of a file."""
    yield read_text(decoded(content), name)


_UNSEEN = re.compile("[\u2061-\u2064\ue000\ue001]")
"""Signs of formulas that nobody sees, and those that stand for something else further down."""


def read_text(text: str, source: str, otherwise: Sequence[ReferenceEntry] = ()) -> ParsedDocument:
    """The document that a Markdown text holds; `otherwise`: what it cites, where it has no list of references."""
    values, rest = split_front_matter(_UNSEEN.sub("", text))
    blocks = list(chain.from_iterable(map(_without_keywords, blocks_of(rest))))
    if not blocks:
        raise ReadError("it has no text")
    told = {name.lower(): value for name, value in values.items()}
    return _Document(blocks, told, read_front_matter(told), source, is_chinese(_sample(rest)), otherwise).found()


# Chinese journals set the keywords on the line below the abstract, and converters keep both in one paragraph.
_KEYWORDS_LINE = re.compile(r"\n(?=\W{0,6}关\s?键\s?[词字])")


def _without_keywords(raw: Raw) -> list[Raw]:
    """A paragraph with a line of keywords in it as two."""
    if raw.kind != "paragraph" or "键" not in raw.text:
        return [raw]
    return [replace(raw, text=text) for text in _KEYWORDS_LINE.split(raw.text, maxsplit=1)]


def _sample(text: str) -> str:
    return re.sub(r"[\s#|*-]+", "", text[:6_000])


_ABSTRACT = re.compile(r"\W*(?:abstract|summary)\W*", re.IGNORECASE)
_ABSTRACT_LEAD = re.compile(
    r"\W*(?:abstract(?:\s*[:.—–-]+[\s*_]*|\W*(?:\*\*|__|</b>)\W*|\s*\n)|"
    # "【摘 要】目的", "摘要：", "摘　要 本文": a bracket, a colon or a blank tells it from a word of the text.
    r"(?:中文|内容)?[摘提]\s*要(?:[*_\s]*[]:：.】］〕—–-]+[]】］〕*_\s]*|[*_\s]+))",
    re.IGNORECASE,
)
_LIST_OF_REFERENCES = re.compile(
    r"\W*(?:\d{1,2}\.?\s+|[IVX]{1,4}\.?\s+)?(?:references?(?: and notes| cited)?|"
    r"bibliography|literature(?: cited)?|works cited)\W*",
    re.IGNORECASE,
)
_CONTROL_WORD = re.compile(r"\\{1,2}[A-Za-z@]{3,}|†{2,}")
_CHINESE_DATE = re.compile(r"\s*(\d{4})年(\d{1,2})月(\d{1,2})日(.{0,200})")


def _is_abstract(heading: str) -> bool:
    return bool(_ABSTRACT.fullmatch(heading)) or chinese_role(heading) == "abstract"


def _lists_references(heading: str) -> bool:
    return bool(_LIST_OF_REFERENCES.fullmatch(heading)) or chinese_role(heading) == "references"


@dataclass
class _Document:
    """A document's blocks on the way to what a reader gives."""

    raw: list[Raw]
    values: dict[str, Value]
    front: FrontMatter
    source: str
    chinese: bool
    otherwise: Sequence[ReferenceEntry] = ()
    notes: dict[str, str] = field(default_factory=dict)

    def found(self) -> ParsedDocument:
        title, at = self._title()
        entries, rest = self._parted(self.raw[at:])
        references = ReferenceIndex(entries or self.otherwise)
        settler = Settler(references, rest, self._shift(at))
        head, body = self._head(rest)
        abstract, body = self._abstract(body)
        authors, kept = self._byline(head, bool(abstract or entries), bool(abstract))
        blocks = [*settler.blocks([*self._before(at), *kept]), *settler.blocks(body)]
        scholarly = bool(abstract or entries or authors)
        published = self._published(head)
        year = re.search(rf"\b{YEAR}\b", f"{text_value(self.values, 'date')} {text_value(self.values, 'year')}")
        found = ParsedDocument(
            source=self.source,
            kind="article" if scholarly else "report",
            language="zh" if self.chinese else self._language() or "en",
            title=title,
            authors=authors,
            abstract=settler.blocks(abstract) or self._front_abstract(),
            body=blocks,
            references=references.references,
            ids={"doi": self.front.doi} if self.front.doi else {},
            published=published,
            year=published.year if published else int(year[0]) if year else None,
            subjects=self.front.keywords or settler.keywords,
            license=self.front.license,
            uncertain=self.notes,
        )
        if not blocks and not found.abstract:
            raise ReadError("it has no text")
        return found

    def _language(self) -> str:
        return (text_value(self.values, "lang") or text_value(self.values, "language"))[:2]

    def _front_abstract(self) -> list[Block]:
        return [Paragraph([one]) for one in re.split(r"\n\s*\n", self.front.abstract) if one.strip()]

    # The title, and what stands before it.

    def _title(self) -> tuple[str, int]:
        """The title, and where the blocks after it begin."""
        headings = [(place, raw) for place, raw in enumerate(self.raw) if raw.kind == "heading" and bare(raw.text)]
        named = self.front.title
        first = next(((place, raw) for place, raw in headings if raw.level == 1), headings[0] if headings else None)
        if first and not _is_abstract(bare(first[1].text)) and not (named and bare(first[1].text) != named):
            return bare(first[1].text), first[0] + 1
        if named:
            return named, 0
        opening = bare(self.raw[0].text)
        if self.raw[0].kind == "paragraph" and 0 < len(opening) <= 200 and len(self.raw) > 1:
            self.notes["title"] = "the first line, since there is no heading"
            return opening, 1
        self.notes["title"] = "the name of the file, since there is no heading"
        return PurePosixPath(self.source.replace("!", "/")).stem or "Untitled", 0

    def _before(self, at: int) -> list[Raw]:
        """What stands before the title and reads as prose: converters leave commands of the layout there."""
        before = self.raw[: max(0, at - 1)]
        return [
            raw
            for raw in before
            if raw.kind in ("table", "code")
            or (
                raw.kind != "heading"
                and len(raw.text) >= 40
                and not _CONTROL_WORD.search(raw.text)
                and "†" not in raw.text
            )
        ]

    def _shift(self, at: int) -> dict[int, int]:
        """For each rank of heading in the source the rank it gets: sections of the document have two."""
        used = sorted({raw.level for raw in self.raw[at:] if raw.kind == "heading" and not _is_abstract(raw.text)})
        if not used:
            return {}
        lift = 2 - used[0]
        return {level: level + lift if lift else level for level in used}

    # The list of references.

    def _parted(self, blocks: Sequence[Raw]) -> tuple[list[ReferenceEntry], list[Raw]]:
        """The entries of the lists of references, and all other blocks."""
        entries: list[ReferenceEntry] = []
        rest: list[Raw] = []
        listed: list[Raw] | None = None
        for raw in blocks:
            if raw.kind == "heading":
                rest.extend(read_list(listed or [], entries))
                listed = [] if _lists_references(bare(raw.text)) else None
                if listed is None:
                    rest.append(raw)
            elif (
                listed is None
                and raw.kind == "paragraph"
                and _lists_references(raw.text)
                # In Chinese these letters alone on a line can be nothing else.
                and ("*" in raw.text or "文" in raw.text)
            ):
                listed = []
            else:
                (rest if listed is None else listed).append(raw)
        rest.extend(read_list(listed or [], entries))
        return entries, rest

    # Between the title and the text.

    def _head(self, blocks: list[Raw]) -> tuple[list[Raw], list[Raw]]:
        for place, raw in enumerate(blocks):
            if raw.kind == "heading" or (raw.kind == "paragraph" and _ABSTRACT_LEAD.match(raw.text)):
                return blocks[:place], blocks[place:]
        return blocks, []

    def _abstract(self, blocks: list[Raw]) -> tuple[list[Raw], list[Raw]]:
        """The abstract, and what follows it; two headings in a row are one, as some styles print it twice."""
        place = 0
        while place < len(blocks) and blocks[place].kind == "heading" and _is_abstract(bare(blocks[place].text)):
            place += 1
        lead = _ABSTRACT_LEAD.match(blocks[place].text) if place < len(blocks) else None
        if not place and not lead:
            return [], blocks
        end = place
        while end < len(blocks) and blocks[end].kind != "heading":
            end += 1
        abstract = blocks[place:end]
        if lead and abstract:
            abstract[0] = Raw("paragraph", abstract[0].text[lead.end() :])
        if lead and not place:
            # Without a heading of its own the abstract is one paragraph.
            return abstract[:1], [*abstract[1:], *blocks[end:]]
        again = blocks[end:]
        if again and again[0].kind == "heading" and _is_abstract(bare(again[0].text)):
            more, again = self._abstract(again)
            abstract = [*abstract, *more]
        return abstract, again

    def _byline(self, head: list[Raw], scholarly: bool, summed_up: bool) -> tuple[list[ParsedAuthor], list[Raw]]:
        """The authors, and what of the head is text and no byline; `summed_up`: an abstract stands below it."""
        if self.front.authors:
            return self.front.authors, head
        if not scholarly:
            return [], head
        above = list(takewhile(lambda raw: not is_prose(raw.text), head))
        if not summed_up:
            above = above[: byline_length([raw.text for raw in above])]
        lines = [line for raw in above if raw.kind == "paragraph" for line in raw.text.split("\n")]
        authors = find_authors(lines)
        if not authors:
            return [], head
        if place := find_affiliation(lines):
            authors = [replace(one, affiliations=(place,)) for one in authors]
        self.notes["authors"] = "guessed from the lines below the title"
        kept = (
            raw
            for raw in above
            if raw.kind != "paragraph" and not (raw.kind == "item" and is_chinese_institution(raw.text))
        )
        return authors, [*kept, *head[len(above) :]]

    def _published(self, head: Sequence[Raw]) -> date | None:
        """The date in the front matter, or the last one on which a statute was adopted or changed."""
        told = [_CHINESE_DATE.match(raw.text) for raw in head] if self.chinese else []
        days = [_day(match) for match in told if match and not match[4].endswith("施行")]
        return max((day for day in (*days, self.front.published) if day), default=None)


def _day(match: re.Match[str]) -> date | None:
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None

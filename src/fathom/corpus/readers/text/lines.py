"""Blocks of plain text: title, headings, list items, tables, and paragraphs without their line breaks."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence

from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import escape
from fathom.corpus.readers.parsing.bylines import find_authors
from fathom.corpus.readers.parsing.section_roles import role_of
from fathom.records.names import CHINESE

_MAX_TITLE = 200
_MAX_HEADING = 100
_RULE = re.compile(r"\s*([=\-~*_#+.])(?:\s?\1){3,}\s*")
_UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,})\s*")
_ITEM = re.compile(r"\s{0,8}(?:[-*•–+]|(\(?\d{1,3}[.)]|\(?[a-z]\)))\s+(?=\S)")
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}[.)]?\s+|(?:chapter|part|section|appendix)\s+(?:\d{1,3}|[ivxlc]{1,6}|[a-z])\b|[IVX]{1,5}\.\s+|"
    rf"第[一二三四五六七八九十百\d]{{1,4}}[章节篇部回]|[一二三四五六七八九十]{{1,3}}、)\s*(?=[^\W\d_{CHINESE}]|[{CHINESE}]|$|[.:])",
    re.IGNORECASE,
)
_SENTENCE_END = (".", ",", ";", "。", "，", "；", "?", "!", "？", "！", "”", '"', ":", "：")
_OPEN_END = re.compile(r"(?:[,:–—-]|\b(?:and|or|of|the|for|in|a|an|on|with|to|from|by|at|its|as))$", re.IGNORECASE)
_BROKEN = re.compile(r"([A-Za-z]{2,50})-$")
_LABEL = re.compile(r"\s{0,3}([A-Z][A-Z &/-]{2,40}(?:\.[^\n:]{1,100})?):\s*")
"""A line that labels the part below it: "METHODS:", "ABSTRACT.RESULTS:"."""
_CJK = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uff00-\uff65]")
_BYLINE_MARK = re.compile(r"(?:by|von|par|por|作者)\s*[:：]?\s", re.IGNORECASE)
_DATE = re.compile(r"\W*(?:\w+\s){0,3}\d{0,2}[,.\s]*(?:1[6-9]|20)\d\d\W*|\d{4}-\d\d-\d\d|\d{4}年.{0,8}")


class TextBlocks:
    """Splits a text into blocks, and notes what was guessed."""

    def __init__(self, text: str) -> None:
        self._lines = [
            line.expandtabs(8) if line[:1] == "\t" else line for line in text.replace("\f", "\n\n").split("\n")
        ]
        self._words = frozenset(re.findall(r"[a-z]{4,}", text[:2_000_000].lower()))
        self.title_found = False
        self.title_doubt = ""
        self.guessed_headings = False
        self._in_abstract = False

    def parse(self, titled: bool = False) -> list[MarkdownBlock]:
        """Return the blocks; `titled`: the title is known, so the text starts with no title line."""
        groups = list(self._groups())
        if not groups:
            return []
        blocks: list[MarkdownBlock] = []
        if not titled:
            blocks, groups = self._title(groups)
        in_head = True  # until the text begins, below the title and its byline
        for position, group in enumerate(groups):
            after = groups[position + 1] if position + 1 < len(groups) else []
            found = list(self._block(group, after, in_head))
            in_head = in_head and position < 8 and not _has_text(found)
            blocks.extend(found)
        return blocks

    def _groups(self) -> Iterator[list[str]]:
        """Yield the lines between blank lines; an underlined line is a group of its own."""
        group: list[str] = []
        for line in self._lines:
            if _UNDERLINE.fullmatch(line) and group and len(group[-1].strip()) <= _MAX_HEADING:
                heading = group.pop()
                if group:
                    yield group
                yield [heading, line]
                group = []
            elif label := _LABEL.fullmatch(line):
                if group:
                    yield group
                group = yield from self._label(label[1])
            elif line.strip() and not _RULE.fullmatch(line):
                group.append(line.rstrip())
            elif group:
                yield group
                group = []
        if group:
            yield group

    def _label(self, label: str) -> Generator[list[str], None, list[str]]:
        """Yield the heading of a labeled part, such as "BODY.METHODS:"; returns the start of the lines after it."""
        part, *names = label.split(".")
        if part == "ABSTRACT" and names:
            if not self._in_abstract:
                yield ["ABSTRACT"]
            self._in_abstract = True
            return [f"{names[-1]}:"]
        yield [names[-1].strip() if part == "BODY" and names else label]
        return []

    # The title.

    def _title(self, groups: list[list[str]]) -> tuple[list[MarkdownBlock], list[list[str]]]:
        """Return the block of the title, and the groups after it."""
        first = groups[0]
        if first == ["TITLE"] and len(groups) > 2:
            self.title_found = True
            return [MarkdownBlock("heading", escape(" ".join(map(str.strip, groups[1]))), 1)], groups[2:]
        if len(groups) == 1 or len(first[0].strip()) > _MAX_TITLE or len(first) > 6 or _ITEM.match(first[0]):
            return [], groups
        lines = [line.strip() for line in first]
        if len(lines) == 2 and _UNDERLINE.fullmatch(first[1]):
            lines = lines[:1]
        count = 1
        while count < len(lines) and self._continues_title(lines[count - 1], lines[count]):
            count += 1
        title = " ".join(lines[:count])
        if title.endswith((".", "。", ",")) or re.search(r"[a-z]\. [A-Z]", title):
            return [], groups  # The first paragraph of a text without a title.
        if lines[count:] and not (_DATE.fullmatch(lines[count]) or _is_byline(lines[count])):
            self.title_doubt = "the line below the title may belong to it"
        self.title_found = True
        rest = [lines[count:]] if lines[count:] else []
        return [MarkdownBlock("heading", escape(title), 1)], [*rest, *groups[1:]]

    def _continues_title(self, line: str, after: str) -> bool:
        return not _BYLINE_MARK.match(after) and (after[:1].islower() or _OPEN_END.search(line) is not None)

    # Other blocks.

    def _block(self, group: list[str], after: Sequence[str], in_head: bool) -> Iterator[MarkdownBlock]:
        text = group[0].strip()
        if len(group) == 2 and _UNDERLINE.fullmatch(group[1]):
            yield MarkdownBlock("heading", escape(text), 3 if "-" in group[1] else 2)
        elif len(group) == 1 and self._is_heading(text, after, in_head):
            level = 2 + (
                number[0].strip(" .").count(".") if (number := re.match(r"\d{1,2}(?:\.\d{1,2})+", text)) else 0
            )
            yield MarkdownBlock("heading", escape(text), level)
        elif _is_table(group):
            rows = tuple(tuple(escape(cell.strip()) for cell in _cells(line)) for line in group)
            yield MarkdownBlock("table", rows=rows, has_header=True)
        elif _is_verbatim(group):
            yield MarkdownBlock("code", "\n".join(group))
        else:
            yield from self._paragraphs(group)

    def _is_heading(self, text: str, after: Sequence[str], in_head: bool) -> bool:
        if len(text) > _MAX_HEADING or not re.search(r"[^\W\d_]", text) or not after:
            return False
        letters = re.sub(r"[\W\d_]", "", text)
        if role_of(text) != "other":
            return True
        if text.endswith(_SENTENCE_END) and not (text.endswith("?") and letters.isupper()):
            return False
        if (_NUMBERED.match(text) and len(text) < 80) or (letters.isupper() and len(letters) > 3 and not in_head):
            return True
        prose = len(after) > 1 or len(after[0]) > 80
        short = len(text) <= 60 and len(text.split()) <= 8 and text[:1].isupper() and not _CJK.search(text)
        if short and prose and not in_head and not re.search(r"\d|@|https?:", text):
            self.guessed_headings = True
            return True
        return False

    def _paragraphs(self, group: list[str]) -> Iterator[MarkdownBlock]:
        """Yield the paragraphs and list items of a group of lines."""
        unwrapped = _is_unwrapped(group)
        part: list[str] = []
        marker: str | None = None
        indent = min(len(line) - len(line.lstrip()) for line in group)
        starts = {n for n, line in enumerate(group) if len(line) - len(line.lstrip()) >= indent + 2}
        indented = 0 < len(starts) <= len(group) // 2 and 0 in starts
        for number, line in enumerate(group):
            item = _ITEM.match(line)
            if part and (item or unwrapped or (indented and number in starts) or line.startswith("\u3000\u3000")):
                yield self._joined(part, marker)
                part, marker = [], None
            if item and not part:
                marker = item[1] or ""
            part.append(line[item.end() if item else 0 :].strip())
        if part:
            yield self._joined(part, marker)

    def _joined(self, lines: list[str], marker: str | None) -> MarkdownBlock:
        # Lines of a byline or an address stay lines: their breaks separate names.
        short = len(lines) <= 6 and all(len(line) < 60 and not line.endswith(_SENTENCE_END) for line in lines[:-1])
        short = short and not lines[-1].endswith((".", "。"))
        text = "\n".join(lines) if short and marker is None else self._unwrap(lines)
        return MarkdownBlock("paragraph" if marker is None else "item", escape(text), marker=marker or "")

    def _unwrap(self, lines: list[str]) -> str:
        """Return the lines as one, with words put together that were divided at a line's end."""
        pieces = [lines[0]]
        for line in lines[1:]:
            # Only the last piece is searched: the text may have a million lines.
            last = pieces[-1]
            broken, rest = _BROKEN.search(last[-60:]), re.match(r"[a-z]{1,60}", line)
            if broken and rest:
                whole = (broken[1] + rest[0]).lower()
                pieces[-1] = last[:-1] if whole in self._words else last
            elif not (last and line and _CJK.match(last[-1]) and _CJK.match(line[0])):
                pieces.append(" ")
            pieces.append(line)
        return "".join(pieces)


def _has_text(blocks: Sequence[MarkdownBlock]) -> bool:
    """Return whether the text has begun: with a heading or a long paragraph."""
    return any(block.kind == "heading" or len(block.text) > 150 for block in blocks)


def _is_byline(line: str) -> bool:
    return _BYLINE_MARK.match(line) is not None or bool(find_authors([escape(line)]))


def _is_unwrapped(group: Sequence[str]) -> bool:
    """Return whether each line is a whole paragraph: far longer than a line on paper, or ending as a sentence does."""
    if len(group) < 2:
        return False
    longest = max(map(len, group))
    if any(_CJK.search(line) for line in group):
        return longest > 60 or all(line.rstrip().endswith(("。", "！", "？", "”", "：")) for line in group)
    return longest > 130 or (longest > 80 and all(line.endswith((".", "?", "!", ".”", '."')) for line in group))


def _cells(line: str) -> list[str]:
    return line.strip().strip("|").split("|") if "|" in line else line.split("\t")


def _is_table(group: Sequence[str]) -> bool:
    """Return whether lines are rows of equally many cells, separated by tabs or bars."""
    counts = {len(_cells(line)) for line in group if not re.fullmatch(r"[\s|+:-]+", line)}
    return len(group) > 1 and len(counts) == 1 and counts.pop() > 1


def _is_verbatim(group: Sequence[str]) -> bool:
    """Return whether lines are columns, code or a drawing, whose line breaks matter."""
    columns = sum(re.search(r"\S {3,}\S", line.strip()) is not None for line in group)
    return len(group) > 1 and columns * 2 > len(group)

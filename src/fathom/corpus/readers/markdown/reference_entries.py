"""Entries of a reference list in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.markdown.blocks import MarkdownBlock
from fathom.corpus.readers.markdown.inline import ANCHOR, TAG, plain_text
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.corpus.readers.parsing.entry_recognition import is_notice, looks_like_entry
from fathom.corpus.readers.parsing.reference_lists import YEAR, ReferenceEntry, parsed_entry
from fathom.corpus.readers.parsing.reference_names import CAPITAL
from fathom.records.names import CHINESE, PARTICLE

# After `to_half_width`; a Chinese entry has no space after its number: "1．王明".
_LABEL = re.compile(
    rf"\\?[\[(](\d{{1,4}}|[A-Za-z][\w+.:-]{{1,20}})\\?[\])]\.?\s*|(\d{{1,4}})(?:[.)]\s+|[.),](?=[{CHINESE}]))"
)
_LABEL_LINE = re.compile(rf"(.{{2,100}}?,?\s?\\?[\[(](?:{YEAR}|n\.d\.?)?[a-z]?\\?[\])])\s*")
_NUMBER = rf"\\?\[\d{{1,4}}\\?\]|\d{{1,4}}[.),](?=[{CHINESE}])"
_NUMBERED = re.compile(_NUMBER)
_INNER_LABEL = re.compile(r"(?:(?<=[\s.。])|^)\[([0-9]{1,4})\](?!\()")
_AFTER_LIST = re.compile(r"\W{0,6}(?:作者简介|收稿日期|基金项目|责任编辑|通[讯信]作者)")
"""Notes that Chinese journals print below the list."""
_CHINESE_LABEL = re.compile(r"([0-9]{1,4})[.．、](?=[^\W\d_])")
_NUMBER_ALONE = re.compile(r"\d{1,4}[.)]")
_NEW_ENTRY = re.compile(rf"{_NUMBER}|<(?:span|a) (?:id|name)=")


_OPENING_QUOTE = re.compile(rf"(?<=\w)(?<![{CHINESE}])“")
_CLOSING_QUOTE = re.compile(rf"”(?=\w)(?![{CHINESE}])")


def read_reference_list(blocks: Sequence[MarkdownBlock], entries: list[ReferenceEntry]) -> list[MarkdownBlock]:
    """Add the entries of one list to `entries`; return the blocks after the end of the list."""
    items = [position for position, block in enumerate(blocks) if block.kind == "item"]
    opening = next((block.text for block in blocks if block.kind == "paragraph"), "")
    if items and any(block.kind == "paragraph" for block in blocks[: items[0]]) and _is_entry(opening):
        # The entries are paragraphs; a list below them has something else, such as footnotes.
        return [*read_reference_list(blocks[: items[0]], entries), *blocks[items[0] :]]
    first = blocks[items[0]] if items else None
    texts: list[list[str]] = []
    for position, block in enumerate(blocks):
        text = block.text.strip()
        if block.kind in ("code", "table"):
            continue
        if block.kind == "item" and text in ("•", "∙"):
            # A bullet printed twice starts a list of something else; a short paragraph above may introduce it.
            before = blocks[position - 1] if texts and position else None
            lead = 1 if before and before.kind == "paragraph" and len(before.text) < 80 else 0
            if lead and len(texts[-1]) > 1:
                texts[-1].pop()
            entries.extend(_entries(texts))
            return list(blocks[position - lead :])
        if texts and _AFTER_LIST.match(text):
            entries.extend(_entries(texts))
            return list(blocks[position:])
        text = f"{block.marker} {text}".strip()
        if (
            (block.kind == "item" and first and bool(first.marker) == bool(block.marker))
            or (first and first.marker and _NUMBER_ALONE.fullmatch(text))
            or (first is None and texts and not _NEW_ENTRY.match(to_half_width(text[:40])) and is_notice(text))
        ):
            texts.append([text])
        else:
            for part in _split_at_labels(text):
                labeled = _NEW_ENTRY.match(to_half_width(part[:40]))
                if labeled or not texts or (first is None and not _continues_entry(part, texts[0][0], texts[-1][-1])):
                    texts.append([part])
                else:
                    texts[-1].append(part)
    entries.extend(_entries(texts))
    return []


def _entries(items: Sequence[Sequence[str]]) -> list[ReferenceEntry]:
    """Return the entries of a list. A blank item keeps its number, but blank items at the end have none to keep."""
    entries = [_entry(texts) for texts in items if any(map(str.strip, texts)) or len(texts) == 1]
    while entries and not entries[-1].text:
        entries.pop()
    return entries


def _continues_entry(text: str, opening: str, before: str) -> bool:
    """Return whether a paragraph without a number continues the entry before it.

    A Chinese list repeats its entries in English: "WANG Ming. Salinity[J]." below "[1] 王明. 盐度[J].".
    """
    if CHINESE_CHARACTER.search(opening) is not None and _NUMBERED.match(to_half_width(opening[:40])) is not None:
        return True
    # A page break may divide an entry. But entries also start with "van der Berg, J." and "bell hooks. 1994.".
    return text[:1].islower() and not (_is_finished(before) and _starts_in_lower_case(text))


_YEAR_NEAR_START = re.compile(rf".{{3,120}}?\b{YEAR}\b", re.DOTALL)
_PARTICLE_NAME = re.compile(rf"(?:(?:{PARTICLE}|[a-z]{{1,3}})[\s-]|[dl]['’]|al-|[‘’']t\s)+{CAPITAL}[\w'’-]+")


def _is_finished(entry: str) -> bool:
    """Return whether an entry ends as entries do, and has a year."""
    return re.search(r"[.)\d/\]*_]\s*$", entry) is not None and re.search(rf"\b{YEAR}", entry) is not None


def _starts_in_lower_case(text: str) -> bool:
    """Return whether a text that starts in lower case starts with a name, as an entry does."""
    return _PARTICLE_NAME.match(text) is not None or (_YEAR_NEAR_START.match(text) is not None and _is_entry(text))


def _is_entry(text: str) -> bool:
    return looks_like_entry(parsed_entry(ReferenceEntry(plain_text(text))))


def _split_at_labels(text: str) -> list[str]:
    """Split a paragraph before each line that starts with a label."""
    pieces: list[str] = []
    chinese = CHINESE_CHARACTER.search(text) is not None
    for line in (_one_entry_per_line(text) if chinese else text).split("\n"):
        label = _CHINESE_LABEL.match(line) if chinese else None
        # Chinese lists have no space after numbers: "5.Moss C" is an entry if it follows the fourth.
        if label and int(label[1]) == len(pieces) + 1:
            pieces.append(f"{label[1]}. {line[label.end() :]}")
        elif pieces and not _NUMBERED.match(to_half_width(line[:40])):
            pieces[-1] += "\n" + line
        else:
            pieces.append(line)
    return pieces


def _one_entry_per_line(text: str) -> str:
    """Put each entry of a Chinese list on its own line: "[1] 王明. …. [2] 李华. ….", merged by a converter."""
    pieces: list[str] = []
    position, expected = 0, ""
    for label in _INNER_LABEL.finditer(to_half_width(text)):
        if expected and label[1] != expected:
            continue
        if expected:
            pieces.append(text[position : label.start()].rstrip())
            position = label.start()
        expected = str(int(label[1]) + 1)
    return "\n".join([*pieces, text[position:]])


def _entry(texts: Sequence[str]) -> ReferenceEntry:
    text = "\n".join(texts).strip()
    anchors = tuple(match[1] for tag in TAG.finditer(text) if (match := ANCHOR.search(tag[3])))
    text = re.sub(r"^(?:<[^<>]{0,300}>\s*)+", "", text)
    label = ""
    first, _, more = text.partition("\n")
    if _NUMBER_ALONE.fullmatch(text):
        label, text = text[:-1], ""
    elif found := _LABEL.match(to_half_width(text[:40])):
        label, text = found[1] or found[2], text[found.end() :]
    elif more.strip() and (found := _LABEL_LINE.fullmatch(first)):
        label, text = plain_text(found[1]), more
    # Some styles of LaTeXML omit the space before a quotation mark; Chinese has none there.
    words = _CLOSING_QUOTE.sub("” ", _OPENING_QUOTE.sub(" “", plain_text(re.sub(r"\s+", " ", text))))
    if not re.search(r"\w", words):
        return ReferenceEntry("", label, anchors)
    named = plain_text(_first_part(text, texts))
    return ReferenceEntry(
        words, label, anchors, (named, *(plain_text(re.sub(r"\s+", " ", part)) for part in texts[1:]))
    )


def _first_part(text: str, texts: Sequence[str]) -> str:
    """Return the first part of an entry without its label."""
    rest = sum(len(part) + 1 for part in texts[1:])
    return re.sub(r"\s+", " ", text[: max(0, len(text) - rest)])

"""The entries of a list of references in Markdown, as blocks or in one paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.markdown.blocks import Raw
from fathom.corpus.readers.markdown.inline import ANCHOR, TAG, bare
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.corpus.readers.parsing.reference_lists import YEAR, ReferenceEntry
from fathom.records.names import CHINESE

# In narrow signs (`half_width`); a Chinese entry needs no blank behind its number: "1．王明".
_LABEL = re.compile(
    rf"\\?[\[(](\d{{1,4}}|[A-Za-z][\w+.:-]{{1,20}})\\?[\])]\.?\s*|(\d{{1,4}})(?:[.)]\s+|[.),](?=[{CHINESE}]))"
)
_LABEL_LINE = re.compile(rf"(.{{2,100}}?,?\s?\\?[\[(](?:{YEAR}|n\.d\.?)?[a-z]?\\?[\])])\s*")
_NUMBER = rf"\\?\[\d{{1,4}}\\?\]|\d{{1,4}}[.),](?=[{CHINESE}])"
_NUMBERED = re.compile(_NUMBER)
_INNER_LABEL = re.compile(r"(?:(?<=[\s.。])|^)\[([0-9]{1,4})\](?!\()")
_AFTER_LIST = re.compile(r"\W{0,6}(?:作者简介|收稿日期|基金项目|责任编辑|通[讯信]作者)")
"""What Chinese journals print below the list."""
_LOOSE = re.compile(r"([0-9]{1,4})[.．、](?=[^\W\d_])")
_NEW_ENTRY = re.compile(rf"{_NUMBER}|<(?:span|a) (?:id|name)=")


_OPENED = re.compile(rf"(?<=\w)(?<![{CHINESE}])“")
_CLOSED = re.compile(rf"”(?=\w)(?![{CHINESE}])")


def read_list(blocks: Sequence[Raw], entries: list[ReferenceEntry]) -> list[Raw]:
    """Add the entries of one list; returns the blocks after its end that are none of it."""
    first = next((raw for raw in blocks if raw.kind == "item"), None)
    texts: list[list[str]] = []
    for place, raw in enumerate(blocks):
        text = raw.text.strip()
        if raw.kind in ("code", "table"):
            continue
        if raw.kind == "item" and text in ("•", "∙"):
            # A list of something else has begun, with its bullet printed twice; what leads to it stands above it.
            lead = (
                1
                if texts and place and blocks[place - 1].kind == "paragraph" and len(blocks[place - 1].text) < 80
                else 0
            )
            if lead and len(texts[-1]) > 1:
                texts[-1].pop()
            entries.extend(filter(None, map(_entry, texts)))
            return list(blocks[place - lead :])
        if texts and _AFTER_LIST.match(text):
            entries.extend(filter(None, map(_entry, texts)))
            return list(blocks[place:])
        text = f"{raw.marker} {text}".strip()
        if raw.kind == "item" and first and bool(first.marker) == bool(raw.marker):
            texts.append([text])
        else:
            for one in _split_at_labels(text):
                numbered = _NEW_ENTRY.match(to_half_width(one[:40]))
                fresh = numbered or not texts or (first is None and not _goes_on(one, texts[0][0]))
                if fresh:
                    texts.append([one])
                else:
                    texts[-1].append(one)
    entries.extend(filter(None, map(_entry, texts)))
    return []


def _goes_on(text: str, opening: str) -> bool:
    """Whether a paragraph without a number goes on with an entry.

    A Chinese list repeats its entries in English: below "[1] 王明. 盐度[J]." stands "WANG Ming. Salinity[J].".
    """
    in_chinese = (
        CHINESE_CHARACTER.search(opening) is not None and _NUMBERED.match(to_half_width(opening[:40])) is not None
    )
    return text[:1].islower() or in_chinese


def _split_at_labels(text: str) -> list[str]:
    """A paragraph whose lines each begin with a label, cut into them."""
    pieces: list[str] = []
    chinese = CHINESE_CHARACTER.search(text) is not None
    for line in (_with_lines(text) if chinese else text).split("\n"):
        loose = _LOOSE.match(line) if chinese else None
        # A Chinese list sets no blank behind its numbers: "5.Moss C" is the next entry where it follows the fourth.
        if loose and int(loose[1]) == len(pieces) + 1:
            pieces.append(f"{loose[1]}. {line[loose.end() :]}")
        elif pieces and not _NUMBERED.match(to_half_width(line[:40])):
            pieces[-1] += "\n" + line
        else:
            pieces.append(line)
    return pieces


def _with_lines(text: str) -> str:
    """A Chinese list that a converter has run together, with each entry on a line: "[1] 王明. …. [2] 李华. …."."""
    pieces: list[str] = []
    place, wanted = 0, ""
    for label in _INNER_LABEL.finditer(to_half_width(text)):
        if wanted and label[1] != wanted:
            continue
        if wanted:
            pieces.append(text[place : label.start()].rstrip())
            place = label.start()
        wanted = str(int(label[1]) + 1)
    return "\n".join([*pieces, text[place:]])


def _entry(texts: Sequence[str]) -> ReferenceEntry | None:
    text = "\n".join(texts).strip()
    anchors = tuple(match[1] for tag in TAG.finditer(text) if (match := ANCHOR.search(tag[3])))
    text = re.sub(r"^(?:<[^<>]{0,300}>\s*)+", "", text)
    label = ""
    first, _, more = text.partition("\n")
    if found := _LABEL.match(to_half_width(text[:40])):
        label, text = found[1] or found[2], text[found.end() :]
    elif more.strip() and (found := _LABEL_LINE.fullmatch(first)):
        label, text = bare(found[1]), more
    # Some styles of LaTeXML leave out the blank at a quotation mark; Chinese has none there.
    words = _CLOSED.sub("” ", _OPENED.sub(" “", bare(re.sub(r"\s+", " ", text))))
    if not re.search(r"\w", words):
        return None
    named = bare(_head_of(text, texts))
    return ReferenceEntry(words, label, anchors, (named, *(bare(re.sub(r"\s+", " ", one)) for one in texts[1:])))


def _head_of(text: str, texts: Sequence[str]) -> str:
    """The first part of an entry, without the label that was cut off it."""
    rest = sum(len(one) + 1 for one in texts[1:])
    return re.sub(r"\s+", " ", text[: max(0, len(text) - rest)])

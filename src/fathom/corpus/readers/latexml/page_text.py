"""Running text of LaTeXML pages: links, formulas and notes; and the nesting depth of a page before it is parsed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.corpus.readers.html.prose_blocks import HtmlNode, children
from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.blocks import Hyperlink, LinkedText, visible_text
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.words import read_words

_WORDS = read_words("web_pages")


def classes(node: HtmlNode) -> frozenset[str]:
    """Return the class names of a node; none for text."""
    return frozenset() if node.tag in ("-text", "-comment") else frozenset((node.attributes.get("class") or "").split())


DROPPED_TAGS = word_set(_WORDS["latexml_dropped_tags"])
DROPPED_CLASSES = word_set(_WORDS["latexml_dropped_classes"])
INLINE_TAGS = word_set(_WORDS["latexml_inline_tags"])


@dataclass
class InlineRun:
    """A run of text with links, and its footnotes."""

    pieces: LinkedText = field(default_factory=list)
    notes: list[HtmlNode] = field(default_factory=list)

    def add(self, piece: str | Hyperlink) -> None:
        """Append text or a link. Adjacent strings are merged."""
        if isinstance(piece, str) and self.pieces and isinstance(self.pieces[-1], str):
            self.pieces[-1] += piece
        else:
            self.pieces.append(piece)

    def raw_text(self) -> str:
        """Return the text with its original whitespace."""
        return visible_text(self.pieces)

    def text(self) -> str:
        """Return the text with normalized whitespace."""
        return " ".join(self.raw_text().split())


def inline_run(
    nodes: Sequence[HtmlNode], labels: bool = True, lines: bool = False, superscript_text: bool = True
) -> InlineRun:
    """Return the text of nodes, optionally with section numbers, line breaks and superscripts."""
    run = InlineRun()
    links: list[tuple[int, str, bool]] = []
    superscripts = 0
    stack: list[Any] = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            what, value = node
            if what == "link":
                begin, target, superscript = links.pop()
                run.pieces[begin:] = [Hyperlink(visible_text(run.pieces[begin:]), target, superscript)]
            elif what == "superscript":
                superscripts -= 1
            else:
                run.add(value)
            continue
        tag = node.tag
        if tag == "-text":
            run.add(node.text_content or "")
            continue
        if tag in DROPPED_TAGS:
            continue
        own_classes = classes(node)
        if tag == "math" or "ltx_Math" in own_classes:
            run.add(formula(node))
        elif "ltx_note" in own_classes:
            run.notes.append(node)
        elif (
            own_classes & DROPPED_CLASSES or "ltx_note_mark" in own_classes or (not labels and "ltx_tag" in own_classes)
        ):
            continue
        elif tag == "br" or (tag == "sup" and not superscript_text):
            run.add("\n" if lines else " ")
        elif (
            tag == "a" and (node.attributes.get("href") or "").find("#") >= 0
        ) or "ltx_missing_citation" in own_classes:
            target = node.attributes.get("href") or f"#bib.{(node.text() or '').strip()}"
            links.append((len(run.pieces), target, superscripts > 0))
            run.pieces.append("")
            stack.append(("link", None))
            stack.extend(reversed(children(node)))
        else:
            if tag == "sup":
                superscripts += 1
                stack.append(("superscript", None))
            elif tag not in INLINE_TAGS:
                run.add(" ")
                stack.append(("text", " "))
            stack.extend(reversed(children(node)))
    return run


_PLAIN_FORMULA = re.compile(r"[\w\s.,:;/+=()<>|%!'-]*")


def formula(node: HtmlNode) -> str:
    """Return a formula in TeX, with dollar signs if it has commands or subscripts."""
    typed = node.attributes.get("alttext") or node.attributes.get("alt") or ""
    if not typed:
        note = node.css_first("annotation[encoding='application/x-tex']")
        typed = (note.text() or "") if note is not None else ""
    if not typed:
        return _mathml_text(node)
    typed = " ".join(re.sub(r"(?<!\\)%\n", "", typed).replace(r"\displaystyle", "").replace(r"\%", "%").split())
    return typed if _PLAIN_FORMULA.fullmatch(typed) and "_" not in typed else f"${typed}$"


def _mathml_text(node: HtmlNode) -> str:
    """Return the visible characters of a formula without TeX, without its alternative encodings."""
    characters: list[str] = []
    stack = list(reversed(children(node)))
    while stack:
        inner = stack.pop()
        if inner.tag == "-text":
            characters.append(inner.text_content or "")
        elif inner.tag not in ("annotation", "annotation-xml"):
            stack.extend(reversed(children(inner)))
    return " ".join("".join(characters).split())


MAX_DEPTH = 400
"""Maximum nesting. Real pages have about fifty levels."""
MAX_ATTRIBUTES = 2_000
"""Maximum number of attributes of one element. The parser compares each with all before it."""


_OPENING = re.compile(r"<(?:!--|!\[CDATA\[|(/?)([A-Za-z][^\s/>]*))")
_IN_TAG = re.compile(r"[>\"']")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
# Elements without an end tag, and elements whose content is not markup.
_VOID = word_set("area base br col embed hr img input link meta source track wbr param")
_RAW = word_set("script style textarea title xmp iframe noembed noframes")
# HTML has self-closing elements in MathML and SVG only. Elsewhere the parser leaves them open.
_EMPTY_ELEMENT = re.compile(
    rf"<(?!(?:{'|'.join(sorted(_VOID))})[\s/])([a-zA-Z][\w:-]{{0,40}})"
    r"((?:\s[^<>\"']{0,300}(?:\"[^\"<>]{0,2000}\"[^<>\"']{0,300}){0,30})?)/>"
)


def close_empty_elements(text: str) -> str:
    """Return the page with an explicit end tag for each self-closing element."""
    return _EMPTY_ELEMENT.sub(r"<\1\2></\1>", text)


def check_nesting(text: str) -> None:
    """Raise `ReadError` if a page is nested too deep."""
    if _depth(text) > MAX_DEPTH:
        raise ReadError(f"its elements are nested more than {MAX_DEPTH} deep")


def _depth(text: str) -> int:
    """Return the maximum number of open elements. An element without an end tag counts to the end of the page."""
    opened: Counter[str] = Counter()
    depth = deepest = position = 0
    while match := _OPENING.search(text, position):
        if match[2] is None:
            if match[0] != "<!--":
                raise ReadError("it has a CDATA section, which LaTeXML never writes")
            position = text.find("-->", match.end())
            if position < 0:
                break
            continue
        name = match[2].lower()
        position = _tag_end(text, match.end())
        _check_attributes(text[match.end() : position if position >= 0 else len(text)])
        if position < 0:
            break
        if match[1]:
            if opened[name]:
                opened[name] -= 1
                depth -= 1
        elif name not in _VOID:
            if name in _RAW:
                position = _find_end(text, name, position)
                if position < 0:
                    break
                continue
            opened[name] += 1
            depth += 1
            deepest = max(deepest, depth)
    return deepest


def _check_attributes(tag: str) -> None:
    """Raise `ReadError` if a tag has thousands of attributes."""
    if len(tag) > 10_000 and len(re.split(r"[\s/]+", _QUOTED.sub("", tag))) > MAX_ATTRIBUTES:
        raise ReadError(f"a tag has more than {MAX_ATTRIBUTES:,} attributes")


def _find_end(text: str, name: str, position: int) -> int:
    match = re.compile(rf"</{name}", re.IGNORECASE).search(text, position)
    return _tag_end(text, match.end()) if match else -1


def _tag_end(text: str, position: int) -> int:
    """Return the end of the tag that is open at `position`, skipping quoted values; -1 if it has none."""
    while match := _IN_TAG.search(text, position):
        if match[0] == ">":
            return match.end()
        before = text[max(position, match.start() - 20) : match.start()].rstrip()
        if before.endswith("="):
            end = text.find(match[0], match.end())
            if end < 0:
                return -1
            position = end + 1
        else:
            position = match.end()
    return -1

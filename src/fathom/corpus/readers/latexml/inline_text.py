"""Running text of LaTeXML pages: links, formulas and notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.corpus.readers.parsing.linked_text import Link, LinkedText, visible_text
from fathom.corpus.readers.parsing.text_cleanup import word_set

Node = Any
"""A node of the parsed page."""


def classes(node: Node) -> frozenset[str]:
    """Return the class names of a node; none for text."""
    return frozenset() if node.tag in ("-text", "-comment") else frozenset((node.attributes.get("class") or "").split())


def children(node: Node) -> list[Node]:
    """Return the child nodes, including text."""
    nodes = []
    child = node.child
    while child is not None:
        nodes.append(child)
        child = child.next
    return nodes


DROPPED_TAGS = frozenset(
    ("script", "style", "head", "nav", "footer", "header", "button", "svg", "template", "noscript", "-comment")
)
DROPPED_CLASSES = word_set(
    "ltx_ERROR ltx_page_navbar ltx_page_footer ltx_page_header ltx_TOC ltx_pagination ltx_rule ltx_authors ltx_dates "
    "ltx_title_document ltx_abstract ltx_bibliography ltx_keywords ltx_classification ltx_role_affiliation "
    "ltx_listing_data ltx_bib_cited ltx_role_thanks ltx_creator ltx_tocentry ltx_missing_image ltx_author_notes"
)
INLINE_TAGS = word_set("a b i em strong span sup sub cite code math img u small br q mark tt -text")


@dataclass
class InlineRun:
    """A run of text with links, and its footnotes."""

    pieces: LinkedText = field(default_factory=list)
    notes: list[Node] = field(default_factory=list)

    def add(self, piece: str | Link) -> None:
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
    nodes: Sequence[Node], labels: bool = True, lines: bool = False, superscript_text: bool = True
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
                _close_link(run, *links.pop())
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


def _close_link(run: InlineRun, begin: int, target: str, superscript: bool) -> None:
    run.pieces[begin:] = [Link(visible_text(run.pieces[begin:]), target, superscript)]


_PLAIN_FORMULA = re.compile(r"[\w\s.,:;/+=()<>|%!'-]*")


def formula(node: Node) -> str:
    """Return a formula in TeX, with dollar signs if it has commands or subscripts."""
    typed = node.attributes.get("alttext") or node.attributes.get("alt") or ""
    if not typed:
        note = node.css_first("annotation[encoding='application/x-tex']")
        typed = (note.text() or "") if note is not None else ""
    if not typed:
        return _mathml_text(node)
    typed = " ".join(re.sub(r"(?<!\\)%\n", "", typed).replace(r"\displaystyle", "").replace(r"\%", "%").split())
    return typed if _PLAIN_FORMULA.fullmatch(typed) and "_" not in typed else f"${typed}$"


def _mathml_text(node: Node) -> str:
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

"""The text of a Word paragraph: runs, tracked changes, fields, links, formulas and notes, as inline Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fathom.corpus.readers.markdown.inline import escape
from fathom.corpus.readers.parsing.xml_trees import Element, local
from fathom.corpus.readers.parsing.zip_parts import attribute, child, is_on

_DELETED = frozenset(("del", "moveFrom", "delText", "instrText", "delInstrText", "Fallback", "pPr", "rPr", "sdtPr"))
"""Elements that are not part of the text: what was deleted, instructions of fields, properties."""
_BREAKS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}


@dataclass
class ParagraphText:
    """The text of one paragraph, and the formatting that all of its runs share."""

    text: str = ""
    bold: bool = True
    """Whether all its text is bold."""
    boxes: list[Element] = field(default_factory=list)
    """Paragraphs of text boxes that are anchored in it."""
    fields: int = 0
    """Number of fields that are open at its end; their instructions are hidden until a separator."""


class RunReader:
    """Reads paragraphs in order. A field may span several of them."""

    def __init__(self) -> None:
        self._fields: list[bool] = []  # for each open field, whether its result has begun

    def read(self, paragraph: Element) -> ParagraphText:
        result = ParagraphText()
        pieces: list[str] = []
        for kind, element in _walk(paragraph, result.boxes):
            if kind == "text":
                self._add_run(element, pieces, result)
            elif kind == "open link":
                pieces.append("[")
            elif kind == "close link":
                target = attribute(element, "anchor")
                self._close_link(pieces, target)
            else:
                pieces.append(
                    escape("".join(descendant.text or "" for descendant in element.iter() if local(descendant) == "t"))
                )
        # Word splits the superscript "1,2" into runs.
        result.text = "".join(pieces).replace("</sup><sup>", "").strip()
        result.bold = result.bold and bool(result.text)
        return result

    def _close_link(self, pieces: list[str], target: str) -> None:
        start = len(pieces) - 1 - pieces[::-1].index("[") if "[" in pieces else -1
        if start < 0:
            return
        inner = "".join(pieces[start + 1 :])
        safe = target.replace(")", "").replace("(", "").replace(" ", "")
        pieces[start:] = [f"[{inner}](#{safe})" if safe and inner.strip() else inner]

    def _add_run(self, run: Element, pieces: list[str], result: ParagraphText) -> None:
        properties = child(run, "rPr")
        hidden = is_on(child(properties, "vanish"))
        bold = is_on(child(properties, "b"))
        raised = attribute(child(properties, "vertAlign"), "val") == "superscript"
        for one in run:
            name = local(one)
            if name == "fldChar":
                self._field(attribute(one, "fldCharType"))
            elif hidden or (self._fields and not all(self._fields)):
                continue
            elif name == "t" and one.text:
                if one.text.strip():
                    result.bold = result.bold and bold
                pieces.append(f"<sup>{escape(one.text)}</sup>" if raised and one.text.strip() else escape(one.text))
            elif name in _BREAKS and attribute(one, "type") != "page":
                pieces.append(_BREAKS[name])

    def _field(self, kind: str) -> None:
        if kind == "begin" and len(self._fields) < 100:
            self._fields.append(False)
        elif kind == "separate" and self._fields:
            self._fields[-1] = True
        elif kind == "end" and self._fields:
            self._fields.pop()


def _walk(paragraph: Element, boxes: list[Element]) -> Iterator[tuple[str, Element]]:
    """Yield runs, links and formulas in order, without recursion; text boxes are added to `boxes`."""
    stack: list[tuple[Element, bool]] = [(one, False) for one in reversed(paragraph)]
    while stack:
        element, closing = stack.pop()
        name = local(element)
        if closing:
            yield "close link", element
        elif name == "r":
            yield "text", element
            drawn = [one for one in element if local(one) in ("drawing", "pict", "object", "AlternateContent")]
            stack.extend((one, False) for one in reversed(drawn))
        elif name == "hyperlink":
            yield "open link", element
            stack.append((element, True))
            stack.extend((one, False) for one in reversed(element))
        elif name in ("oMath", "oMathPara"):
            yield "formula", element
        elif name == "txbxContent":
            boxes.append(element)
        elif name not in _DELETED:
            stack.extend((one, False) for one in reversed(element))

"""LaTeXML reader: the HTML of arXiv and ar5iv."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from selectolax.lexbor import LexborHTMLParser

from fathom.corpus.readers.html.prose_blocks import HtmlNode, children
from fathom.corpus.readers.latexml.page_text import (
    DROPPED_CLASSES,
    DROPPED_TAGS,
    INLINE_TAGS,
    InlineRun,
    check_nesting,
    classes,
    close_empty_elements,
    inline_run,
)
from fathom.corpus.readers.parsed_document import (
    Block,
    CompanionFiles,
    Heading,
    Inlines,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedTable,
    ReadError,
    TableCell,
)
from fathom.corpus.readers.parsing.bylines import NO_BYLINE, author_from_name, read_byline
from fathom.corpus.readers.parsing.citation_detection import detect_citations
from fathom.corpus.readers.parsing.decoding import decode_text
from fathom.corpus.readers.parsing.identifiers import find_identifiers
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry, ReferenceIndex
from fathom.corpus.readers.parsing.text_cleanup import parse_date
from fathom.records.documents import FieldName
from fathom.records.names import CHINESE

FORMAT = "latexml"


_MARKS = (b"ltx_document", b"ltx_page_main", b"ltx_page_content", b"ltx_title_document")


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is a LaTeXML page, by its class names."""
    return b"<" in head and (any(mark in head for mark in _MARKS) or (b"LaTeXML" in head and b"<html" in head.lower()))


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    text = close_empty_elements(decode_text(content))
    check_nesting(text)
    root = LexborHTMLParser(text).root
    if root is None or root.css_first(".ltx_document, .ltx_page_main, .ltx_para, .ltx_title_document") is None:
        raise ReadError("it is not a LaTeXML page")
    yield _PageReader(root, name).read()


# Nodes.


def _is_single_name(line: str) -> bool:
    """Return whether a byline is one name. Chinese names may be separated by spaces alone, and are guessed."""
    return not re.search(rf"[,，、&@]|\band\b|[{CHINESE}]\s", line) and len(line.split()) <= 5


def _affiliations(person: HtmlNode) -> tuple[str, ...]:
    """Return the affiliations next to a name; none if there are several names."""
    parent = person.parent
    single = parent is not None and len(parent.css(".ltx_personname")) == 1
    nodes = parent.css(".ltx_role_affiliation, .ltx_role_institute") if parent is not None and single else []
    texts = (" ".join((node.text() or "").split()).strip(" ,;") for node in nodes)
    return tuple(dict.fromkeys(filter(None, texts)))


_HEADING_LEVELS = {
    **{f"ltx_title_{name}": 2 for name in ("part", "chapter", "section", "appendix", "acknowledgements")},
    **{"ltx_title_subsection": 3, "ltx_title_subsubsection": 4, "ltx_title_paragraph": 5, "ltx_title_subparagraph": 6},
}
_STATEMENTS = frozenset(("ltx_title_theorem", "ltx_title_proof"))
_TEXT_CLASSES = frozenset(("ltx_p", "ltx_caption", "ltx_note_content", "ltx_bibblock", "ltx_personname"))
# The page.

_ARXIV = re.compile(r"\b(\d{4}\.\d{4,5}|[a-z][a-z-]{1,15}(?:\.[A-Z]{2})?/\d{7})(v\d{1,2})?\b")
_WATERMARK = re.compile(r"arXiv:\s?(\S+?)(?:v\d+)?\s+\[([\w.-]+)\]\s+(\d{1,2} \w{3} \d{4})")


class _PageReader:
    def __init__(self, root: HtmlNode, name: str) -> None:
        self._root = root
        self._name = name
        self._document = root.css_first("article.ltx_document, .ltx_document") or root.css_first("body") or root
        self._references = ReferenceIndex(self._entries())
        self._notes: dict[str, str] = {}
        self._unknown: dict[FieldName, str] = {}
        self._byline: list[Block] = []

    def read(self) -> ParsedDocument:
        ids, published, subject = self._imprint()
        abstract = self._root.css_first(".ltx_abstract")
        authors = self._authors()
        body = [*self._byline, *self._blocks([self._document])]
        document = ParsedDocument(
            source=self._name,
            language=(self._root.attributes.get("lang") or "en")[:2].lower() or "en",
            title=self._title(),
            authors=authors,
            abstract=self._blocks(children(abstract)) if abstract is not None else [],
            body=body,
            references=self._references.references,
            ids=ids,
            published=published,
            subjects=self._subjects() + ([subject] if subject else []),
            license=self._license(),
            stated=self._stated(),
            unknown=self._unknown,
            notes=self._notes,
        )
        if not document.body and not document.abstract:
            raise ReadError("it has no text")
        return document

    def _stated(self) -> frozenset[FieldName]:
        """Return the fields that LaTeXML marks: without any mark of them, the page has none."""
        marks: dict[FieldName, str] = {
            "abstract": ".ltx_abstract",
            "references": ".ltx_bibliography, .ltx_bibitem, .ltx_cite, .ltx_ERROR",
            "citations": ".ltx_bibliography, .ltx_bibitem, .ltx_cite, .ltx_ERROR",
            "tables": "table, .ltx_table, .ltx_tabular",
        }
        return frozenset(name for name, selector in marks.items() if self._root.css_first(selector) is None)

    # Front matter.

    def _title(self) -> str:
        node = self._root.css_first(".ltx_title_document")
        text = inline_run(children(node), labels=False, superscript_text=False).text() if node is not None else ""
        if not text and (page := self._root.css_first("title")) is not None:
            text = re.sub(r"^\[[^\]]{1,30}\]\s*", "", " ".join((page.text() or "").split()))
        if not text:
            raise ReadError("it has no title")
        return text

    def _authors(self) -> list[ParsedAuthor]:
        """Return the authors. Several names in one element, with affiliations and addresses, are guessed.

        If a piece is not understood, the authors are unknown and the lines are printed as text.
        """
        authors: list[ParsedAuthor] = []
        lines: list[str] = []
        for node in self._root.css(".ltx_authors .ltx_personname"):
            text = inline_run(children(node), lines=True, superscript_text=False).raw_text()
            own = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
            lines += own
            if len(own) == 1 and _is_single_name(own[0]):
                authors.append(replace(author_from_name(own[0]), affiliations=_affiliations(node)))
                continue
            byline = read_byline(own)
            if byline.unexplained:
                self._unknown["authors"] = byline.reason
            elif byline.authors:
                self._notes["authors"] = "guessed from the lines below the title"
            authors.extend(byline.authors)
        if "authors" in self._unknown:
            self._byline = [Paragraph([line]) for line in lines]
            return []
        if not authors:
            self._unknown["authors"] = NO_BYLINE
        return list({author.printed: author for author in authors}.values())

    def _imprint(self) -> tuple[dict[str, str], date | None, str]:
        """Return the id, date and subject in the watermark, or the id in the page's links."""
        for node in self._root.css("#watermark-tr, .ltx_page_watermark, #target-section"):
            if mark := _WATERMARK.search(" ".join((node.text() or "").split())):
                return {"arxiv": mark[1]}, parse_date(mark[3], "%d %b %Y"), mark[2]
        places = [node.attributes.get("href") or "" for node in self._root.css("base, link[rel='canonical']")]
        page = self._root.css_first("title")
        places += [(page.text() or "")[:60] if page is not None else "", self._name.rpartition("/")[2]]
        for place in places:
            if known := _ARXIV.search(place):
                return {"arxiv": known[1]}, None, ""
        return {}, None, ""

    def _license(self) -> str:
        node = self._root.css_first("#license-tr, .ltx_license, a[rel='license']")
        if node is None:
            return ""
        address = node.attributes.get("href") or ""
        return address or re.sub(r"^License:\s*", "", " ".join((node.text() or "").split()))

    def _subjects(self) -> list[str]:
        node = self._root.css_first(".ltx_keywords")
        if node is None:
            return []
        text = re.sub(
            r"^\W*(?:key\s?words?|index terms)\W+",
            "",
            inline_run([*children(node)], labels=False).text(),
            flags=re.IGNORECASE,
        )
        return [one.strip(" .") for one in re.split(r"[,;·]", text) if one.strip(" .")]

    # Reference list.

    def _entries(self) -> list[ReferenceEntry]:
        entries: list[ReferenceEntry] = []
        for node in self._root.css(".ltx_bibitem"):
            tag = node.css_first(".ltx_tag_bibitem, .ltx_tag, .ltx_bib_key")
            label = " ".join((tag.text() or "").split()).strip("[]") if tag is not None else ""
            blocks = node.css(".ltx_bibblock")
            visible_text = [block for block in blocks if not classes(block) & {"ltx_bib_cited"}]
            parts = [inline_run(children(block)).text() for block in visible_text] if blocks else [_without_tag(node)]
            key = node.attributes.get("id") or f"bib.bib{len(entries) + 1}"
            addresses = " ".join(link.attributes.get("href") or "" for link in node.css("a[href]"))
            text = " ".join(filter(None, parts))
            entries.append(ReferenceEntry(text, label, (key,), tuple(parts), find_identifiers(addresses)))
        return entries

    # The text.

    def _inlines(self, run: InlineRun) -> Inlines:
        return detect_citations([piece for piece in run.pieces if piece != ""], self._references)

    def _blocks(self, nodes: Sequence[HtmlNode]) -> list[Block]:
        """Return the blocks in some nodes, in reading order."""
        out: list[Block] = []
        loose: list[HtmlNode] = []
        stack: list[HtmlNode] = list(reversed(nodes))
        while stack:
            node = stack.pop()
            if node.tag in INLINE_TAGS and not self._contains_blocks(node):
                loose.append(node)
                continue
            if loose:
                out.extend(self._paragraphs(loose))
                loose = []
            stack.extend(reversed(self._block(node, out)))
        out.extend(self._paragraphs(loose))
        return out

    def _contains_blocks(self, node: HtmlNode) -> bool:
        return node.tag == "span" and bool(
            classes(node) & {"ltx_tabular", "ltx_p", "ltx_para", "ltx_inline-block", "ltx_figure"}
        )

    def _block(self, node: HtmlNode, out: list[Block]) -> list[HtmlNode]:
        """Add the block of a node, or return its children to continue with."""
        own_classes = classes(node)
        if node.tag in DROPPED_TAGS or (own_classes & DROPPED_CLASSES and node is not self._document):
            return []
        level = next((_HEADING_LEVELS[name] for name in own_classes if name in _HEADING_LEVELS), None)
        if level is not None or (node.tag in ("h2", "h3", "h4", "h5", "h6") and not own_classes & _STATEMENTS):
            if "ltx_title_abstract" not in own_classes and "ltx_title_bibliography" not in own_classes:
                out.append(Heading(level or int(node.tag[1]), self._inlines(inline_run(children(node)))))
            return []
        if own_classes & {"ltx_equation", "ltx_equationgroup", "ltx_eqn_table"}:
            out.extend(self._formulas(node))
        elif "ltx_tabular" in own_classes or node.tag == "table":
            out.append(ParsedTable([], self._rows(node)))
        elif node.tag == "figure" or own_classes & {"ltx_table", "ltx_figure", "ltx_float"}:
            return self._float(node, out)
        elif "ltx_listing" in own_classes or node.tag == "pre" or "ltx_verbatim" in own_classes:
            out.append(Paragraph([self._listing(node)], verbatim=True))
        elif "ltx_item" in own_classes or node.tag in ("li", "dd"):
            return self._item(node)
        elif own_classes & _TEXT_CLASSES or own_classes & _STATEMENTS or node.tag in ("p", "figcaption"):
            if any(self._contains_blocks(child) for child in children(node)) and "ltx_p" in own_classes:
                return children(node)
            out.extend(self._paragraphs(children(node)))
        else:
            return children(node)
        return []

    def _paragraphs(self, nodes: Sequence[HtmlNode]) -> Iterator[Block]:
        """Yield one paragraph, then its footnotes."""
        run = inline_run(nodes)
        if run.text():
            yield Paragraph(self._inlines(run))
        waiting = list(run.notes)
        for note in waiting:
            content = note.css_first(".ltx_note_content") or note
            inner = inline_run([child for child in children(content) if "ltx_tag" not in classes(child)], labels=False)
            waiting.extend(inner.notes)
            if inner.text():
                yield Paragraph(self._inlines(inner))

    def _item(self, node: HtmlNode) -> list[HtmlNode]:
        """Return the content of a list item, without its bullet."""
        return [
            child
            for child in children(node)
            if child.tag != "span" or "ltx_tag" not in classes(child) or re.search(r"\w", child.text() or "")
        ]

    def _formulas(self, node: HtmlNode) -> Iterator[Block]:
        """Yield display formulas: one paragraph for each line, with its number."""
        rows = list(node.css(".ltx_eqn_row")) or [node]
        for row in rows:
            run = inline_run(children(row))
            if run.text():
                yield Paragraph(self._inlines(run))

    def _listing(self, node: HtmlNode) -> str:
        lines = node.css(".ltx_listingline")
        if lines:
            return "\n".join(inline_run(children(line)).raw_text().rstrip() for line in lines)
        return node.text() or ""

    def _float(self, node: HtmlNode, out: list[Block]) -> list[HtmlNode]:
        """Add the tables of a float with its caption, or return its children to continue with."""
        captions = [child for child in children(node) if _is_caption(child)]
        others = [child for child in children(node) if not _is_caption(child)]
        tables = self._tables(others)
        if len(tables) == 0 or any(
            child.css_first("figure") is not None for child in others if child.tag not in ("-text", "-comment")
        ):
            return [*others, *captions]
        run = inline_run([child for caption in captions for child in children(caption)])
        inlines = self._inlines(run)
        for number, table in enumerate(tables):
            out.append(ParsedTable(inlines if number == 0 else [], self._rows(table)))
        for note in run.notes:
            out.extend(self._paragraphs([note]))
        return []

    def _tables(self, nodes: Sequence[HtmlNode]) -> list[HtmlNode]:
        """Return the tables in some nodes, without nested ones."""
        found: list[HtmlNode] = []
        stack = list(reversed(nodes))
        while stack:
            node = stack.pop()
            if node.tag in ("-text", "-comment", "math"):
                continue
            if "ltx_tabular" in classes(node) or (node.tag == "table" and "ltx_equation" not in classes(node)):
                found.append(node)
            else:
                stack.extend(reversed(children(node)))
        return found

    def _rows(self, table: HtmlNode) -> list[list[TableCell]]:
        rows: list[list[TableCell]] = []
        stack = list(reversed(children(table)))
        while stack:
            node = stack.pop()
            if node.tag in {"-text", "-comment"}:
                continue
            own_classes = classes(node)
            if node.tag in ("td", "th") or own_classes & {"ltx_td", "ltx_th"}:
                if not rows:
                    rows.append([])
                rows[-1].append(self._cell(node, own_classes))
                continue
            if node.tag == "tr" or "ltx_tr" in own_classes:
                rows.append([])
            stack.extend(reversed(children(node)))
        return [row for row in rows if row]

    def _cell(self, node: HtmlNode, own_classes: frozenset[str]) -> TableCell:
        span = node.attributes.get("colspan") or next(
            (name[12:] for name in own_classes if name.startswith("ltx_colspan_")), "1"
        )
        columns = int(span) if re.fullmatch(r"\d{1,2}", span) and int(span) > 0 else 1
        inlines = self._inlines(inline_run(children(node)))
        return TableCell(inlines, node.tag == "th" or "ltx_th" in own_classes, columns)


def _is_caption(node: HtmlNode) -> bool:
    return node.tag == "figcaption" or "ltx_caption" in classes(node)


def _without_tag(node: HtmlNode) -> str:
    return inline_run([child for child in children(node) if "ltx_tag" not in classes(child)]).text()

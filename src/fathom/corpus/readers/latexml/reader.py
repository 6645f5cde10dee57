"""HTML as LaTeXML writes it: what arXiv and ar5iv serve."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser

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
from fathom.corpus.readers.parsing.bylines import author_from_name, find_authors
from fathom.corpus.readers.parsing.citation_detection import detect_citations
from fathom.corpus.readers.parsing.decoding import decoded
from fathom.corpus.readers.parsing.linked_text import Link, LinkedText
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry, ReferenceIndex
from fathom.corpus.readers.parsing.reference_strings import identifiers
from fathom.records.names import CHINESE

FORMAT = "latexml"

DEEPEST = 400
"""Elements inside one another: real pages have some fifty, and the parser's time grows with the square of it."""
MOST_ATTRIBUTES = 2_000
"""Of one element, for the same reason."""

_MARKS = (b"ltx_document", b"ltx_page_main", b"ltx_page_content", b"ltx_title_document")

Node = Any
"""A node of the parsed page."""


def matches(name: str, head: bytes) -> bool:
    """Whether a file is a page of LaTeXML, by its class names."""
    return b"<" in head and (any(mark in head for mark in _MARKS) or (b"LaTeXML" in head and b"<html" in head.lower()))


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The one document of a page."""
    text = _EMPTY_ELEMENT.sub(r"<\1\2></\1>", decoded(content))
    if depth(text) > DEEPEST:
        raise ReadError(f"its elements are nested more than {DEEPEST} deep")
    root = LexborHTMLParser(text).root
    if root is None or root.css_first(".ltx_document, .ltx_page_main, .ltx_para, .ltx_title_document") is None:
        raise ReadError("it is not a page that LaTeXML wrote")
    yield _Page(root, name).found()


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# How deep a page is nested, told without parsing it.

_OPENING = re.compile(r"<(?:!--|!\[CDATA\[|(/?)([A-Za-z][^\s/>]*))")
_IN_TAG = re.compile(r"[>\"']")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_VOID = _set("area base br col embed hr img input link meta source track wbr param")
_RAW = _set("script style textarea title xmp iframe noembed noframes")
# Inside formulas and drawings an element may close itself; elsewhere the parser would leave it open: all get an end.
_EMPTY_ELEMENT = re.compile(
    rf"<(?!(?:{'|'.join(sorted(_VOID))})[\s/])([a-zA-Z][\w:-]{{0,40}})"
    r"((?:\s[^<>\"']{0,300}(?:\"[^\"<>]{0,2000}\"[^<>\"']{0,300}){0,30})?)/>"
)


def depth(text: str) -> int:
    """The most elements that can be open at one place; an element that nothing closes counts to the end."""
    opened: Counter[str] = Counter()
    now = deepest = place = 0
    while found := _OPENING.search(text, place):
        if found[2] is None:
            if found[0] != "<!--":
                raise ReadError("it holds a section of raw characters, which no page of LaTeXML does")
            place = text.find("-->", found.end())
            if place < 0:
                break
            continue
        name = found[2].lower()
        place = _tag_end(text, found.end())
        _check_attributes(text[found.end() : place if place >= 0 else len(text)])
        if place < 0:
            break
        if found[1]:
            if opened[name]:
                opened[name] -= 1
                now -= 1
        elif name not in _VOID:
            if name in _RAW:
                place = _find_end(text, name, place)
                if place < 0:
                    break
                continue
            opened[name] += 1
            now += 1
            deepest = max(deepest, now)
    return deepest


def _check_attributes(tag: str) -> None:
    """Refuses a tag with thousands of attributes: the parser compares each of them with all before it."""
    if len(tag) > 10_000 and len(re.split(r"[\s/]+", _QUOTED.sub("", tag))) > MOST_ATTRIBUTES:
        raise ReadError(f"a tag has more than {MOST_ATTRIBUTES:,} attributes")


def _find_end(text: str, name: str, place: int) -> int:
    found = re.compile(rf"</{name}", re.IGNORECASE).search(text, place)
    return _tag_end(text, found.end()) if found else -1


def _tag_end(text: str, place: int) -> int:
    """Where a tag ends that is open at `place`, its quoted values passed over; -1 where it never does."""
    while found := _IN_TAG.search(text, place):
        if found[0] == ">":
            return found.end()
        before = text[max(place, found.start() - 20) : found.start()].rstrip()
        if before.endswith("="):
            end = text.find(found[0], found.end())
            if end < 0:
                return -1
            place = end + 1
        else:
            place = found.end()
    return -1


# Nodes.


def _is_one_person(line: str) -> bool:
    """Whether a line of a byline is one name; Chinese ones may be parted by blanks alone, and are guessed."""
    return not re.search(rf"[,，、&@]|\band\b|[{CHINESE}]\s", line) and len(line.split()) <= 5


def _classes(node: Node) -> frozenset[str]:
    return frozenset((node.attributes.get("class") or "").split())


def _affiliations(person: Node) -> tuple[str, ...]:
    """What stands beside a name as the places where they work; nothing where several names stand there."""
    holder = person.parent
    alone = holder is not None and len(holder.css(".ltx_personname")) == 1
    beside = holder.css(".ltx_role_affiliation, .ltx_role_institute") if holder is not None and alone else []
    texts = (" ".join((node.text() or "").split()).strip(" ,;") for node in beside)
    return tuple(dict.fromkeys(filter(None, texts)))


def _children(node: Node) -> list[Node]:
    children = []
    child = node.child
    while child is not None:
        children.append(child)
        child = child.next
    return children


_DROPPED_TAGS = frozenset(
    ("script", "style", "head", "nav", "footer", "header", "button", "svg", "template", "noscript", "-comment")
)
_DROPPED = _set(
    "ltx_ERROR ltx_page_navbar ltx_page_footer ltx_page_header ltx_TOC ltx_pagination ltx_rule ltx_authors ltx_dates "
    "ltx_title_document ltx_abstract ltx_bibliography ltx_keywords ltx_classification ltx_role_affiliation "
    "ltx_listing_data ltx_bib_cited ltx_role_thanks ltx_creator ltx_tocentry ltx_missing_image ltx_author_notes"
)
_RANKS = {
    "ltx_title_part": 2,
    "ltx_title_chapter": 2,
    "ltx_title_section": 2,
    "ltx_title_appendix": 2,
    "ltx_title_acknowledgements": 2,
    "ltx_title_subsection": 3,
    "ltx_title_subsubsection": 4,
    "ltx_title_paragraph": 5,
    "ltx_title_subparagraph": 6,
}
_STATEMENTS = frozenset(("ltx_title_theorem", "ltx_title_proof"))
_RUNNING = frozenset(("ltx_p", "ltx_caption", "ltx_note_content", "ltx_bibblock", "ltx_personname"))
_INLINE_TAGS = _set("a b i em strong span sup sub cite code math img u small br q mark tt -text")


# Running text.


@dataclass
class _Run:
    """The text of one stretch, and the notes that hang on it."""

    pieces: LinkedText = field(default_factory=list)
    notes: list[Node] = field(default_factory=list)

    def add(self, piece: str | Link) -> None:
        if isinstance(piece, str) and self.pieces and isinstance(self.pieces[-1], str):
            self.pieces[-1] += piece
        else:
            self.pieces.append(piece)

    def text(self) -> str:
        return " ".join("".join(piece.text if isinstance(piece, Link) else piece for piece in self.pieces).split())


def _run(nodes: Sequence[Node], tags: bool = True, lines: bool = False, raised: bool = True) -> _Run:
    """The running text of nodes; `tags`: with the numbers of sections; `lines`: breaks of lines are kept."""
    run = _Run()
    links: list[tuple[int, str, bool]] = []
    high = 0
    stack: list[Any] = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            what, value = node
            if what == "link":
                _close_link(run, *links.pop())
            elif what == "high":
                high -= 1
            else:
                run.add(value)
            continue
        tag = node.tag
        if tag == "-text":
            run.add(node.text_content or "")
            continue
        if tag in _DROPPED_TAGS:
            continue
        classes = _classes(node)
        if tag == "math" or "ltx_Math" in classes:
            run.add(formula(node))
        elif "ltx_note" in classes:
            run.notes.append(node)
        elif classes & _DROPPED or "ltx_note_mark" in classes or (not tags and "ltx_tag" in classes):
            continue
        elif tag == "br" or (tag == "sup" and not raised):
            run.add("\n" if lines else " ")
        elif (tag == "a" and (node.attributes.get("href") or "").find("#") >= 0) or "ltx_missing_citation" in classes:
            target = node.attributes.get("href") or f"#bib.{(node.text() or '').strip()}"
            links.append((len(run.pieces), target, high > 0))
            run.pieces.append("")
            stack.append(("link", None))
            stack.extend(reversed(_children(node)))
        else:
            if tag == "sup":
                high += 1
                stack.append(("high", None))
            elif tag not in _INLINE_TAGS:
                run.add(" ")
                stack.append(("text", " "))
            stack.extend(reversed(_children(node)))
    return run


def _close_link(run: _Run, begin: int, target: str, high: bool) -> None:
    inner = "".join(piece.text if isinstance(piece, Link) else piece for piece in run.pieces[begin:])
    run.pieces[begin:] = [Link(inner, target, high)]


_PLAIN_FORMULA = re.compile(r"[\w\s.,:;/+=()<>|%!'-]*")


def formula(node: Node) -> str:
    """A formula once, as it was typed; what has no command or index in it needs no signs around it."""
    typed = node.attributes.get("alttext") or node.attributes.get("alt") or ""
    if not typed:
        note = node.css_first("annotation[encoding='application/x-tex']")
        typed = (note.text() or "") if note is not None else ""
    if not typed:
        return _shown(node)
    typed = " ".join(re.sub(r"(?<!\\)%\n", "", typed).replace(r"\displaystyle", "").replace(r"\%", "%").split())
    return typed if _PLAIN_FORMULA.fullmatch(typed) and "_" not in typed else f"${typed}$"


def _shown(node: Node) -> str:
    """The characters of a formula that has no typed form, the second and third form of it left out."""
    visible_text: list[str] = []
    stack = list(reversed(_children(node)))
    while stack:
        inner = stack.pop()
        if inner.tag == "-text":
            visible_text.append(inner.text_content or "")
        elif inner.tag not in ("annotation", "annotation-xml"):
            stack.extend(reversed(_children(inner)))
    return " ".join("".join(visible_text).split())


# The page.

_ARXIV = re.compile(r"\b(\d{4}\.\d{4,5}|[a-z][a-z-]{1,15}(?:\.[A-Z]{2})?/\d{7})(v\d{1,2})?\b")
_WATERMARK = re.compile(r"arXiv:\s?(\S+?)(?:v\d+)?\s+\[([\w.-]+)\]\s+(\d{1,2} \w{3} \d{4})")


class _Page:
    """One page on the way to what a reader gives."""

    def __init__(self, root: Node, name: str) -> None:
        self._root = root
        self._name = name
        self._document = root.css_first("article.ltx_document, .ltx_document") or root.css_first("body") or root
        self._references = ReferenceIndex(self._entries())
        self._notes: dict[str, str] = {}

    def found(self) -> ParsedDocument:
        ids, published, subject = self._imprint()
        abstract = self._root.css_first(".ltx_abstract")
        body = self._blocks([self._document])
        found = ParsedDocument(
            source=self._name,
            language=(self._root.attributes.get("lang") or "en")[:2].lower() or "en",
            title=self._title(),
            authors=self._authors(),
            abstract=self._blocks(_children(abstract)) if abstract is not None else [],
            body=body,
            references=self._references.references,
            ids=ids,
            published=published,
            year=published.year if published else None,
            subjects=self._subjects() + ([subject] if subject else []),
            license=self._license(),
            uncertain=self._notes,
        )
        if not found.body and not found.abstract:
            raise ReadError("it has no text")
        return found

    # The head.

    def _title(self) -> str:
        node = self._root.css_first(".ltx_title_document")
        text = _run(_children(node), tags=False, raised=False).text() if node is not None else ""
        if not text and (page := self._root.css_first("title")) is not None:
            text = re.sub(r"^\[[^\]]{1,30}\]\s*", "", " ".join((page.text() or "").split()))
        if not text:
            raise ReadError("it has no title")
        return text

    def _authors(self) -> list[ParsedAuthor]:
        """The persons of the byline; where one element holds several of them, with places and addresses: a guess."""
        authors: list[ParsedAuthor] = []
        for node in self._root.css(".ltx_authors .ltx_personname"):
            lines = "".join(
                piece.text if isinstance(piece, Link) else piece
                for piece in _run(_children(node), lines=True, raised=False).pieces
            ).split("\n")
            lines = [" ".join(line.split()) for line in lines if line.strip()]
            if len(lines) == 1 and _is_one_person(lines[0]):
                authors.append(replace(author_from_name(lines[0]), affiliations=_affiliations(node)))
                continue
            guessed = find_authors(lines)
            if guessed:
                self._notes["authors"] = "guessed from the lines below the title"
            authors.extend(guessed)
        return list({one.printed: one for one in authors}.values())

    def _imprint(self) -> tuple[dict[str, str], date | None, str]:
        """The id, the day and the subject that the margin or the page's addresses name."""
        for node in self._root.css("#watermark-tr, .ltx_page_watermark, #target-section"):
            if mark := _WATERMARK.search(" ".join((node.text() or "").split())):
                return {"arxiv": mark[1]}, _day(mark[3]), mark[2]
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
            r"^\W*(?:key\s?words?|index terms)\W+", "", _run([*_children(node)], tags=False).text(), flags=re.IGNORECASE
        )
        return [one.strip(" .") for one in re.split(r"[,;·]", text) if one.strip(" .")]

    # The list of references.

    def _entries(self) -> list[ReferenceEntry]:
        entries: list[ReferenceEntry] = []
        for node in self._root.css(".ltx_bibitem"):
            tag = node.css_first(".ltx_tag_bibitem, .ltx_tag, .ltx_bib_key")
            label = " ".join((tag.text() or "").split()).strip("[]") if tag is not None else ""
            blocks = node.css(".ltx_bibblock")
            visible_text = [block for block in blocks if not _classes(block) & {"ltx_bib_cited"}]
            parts = [_run(_children(block)).text() for block in visible_text] if blocks else [_without_tag(node)]
            key = node.attributes.get("id") or f"bib.bib{len(entries) + 1}"
            addresses = " ".join(link.attributes.get("href") or "" for link in node.css("a[href]"))
            text = " ".join(filter(None, parts))
            if text:
                entries.append(ReferenceEntry(text, label, (key,), tuple(parts), identifiers(addresses)))
        return entries

    # The text.

    def _words(self, run: _Run) -> Inlines:
        return detect_citations([piece for piece in run.pieces if piece != ""], self._references)

    def _blocks(self, nodes: Sequence[Node]) -> list[Block]:
        """The blocks below some nodes, in reading order."""
        out: list[Block] = []
        loose: list[Node] = []
        stack: list[Node] = list(reversed(nodes))
        while stack:
            node = stack.pop()
            if node.tag in _INLINE_TAGS and not self._holds_blocks(node):
                loose.append(node)
                continue
            if loose:
                out.extend(self._paragraphs(loose))
                loose = []
            stack.extend(reversed(self._block(node, out)))
        out.extend(self._paragraphs(loose))
        return out

    def _holds_blocks(self, node: Node) -> bool:
        return node.tag == "span" and bool(
            _classes(node) & {"ltx_tabular", "ltx_p", "ltx_para", "ltx_inline-block", "ltx_figure"}
        )

    def _block(self, node: Node, out: list[Block]) -> list[Node]:
        """Add what a node is; returns the nodes to go on with, where it only holds others."""
        classes = _classes(node)
        if node.tag in _DROPPED_TAGS or (classes & _DROPPED and node is not self._document):
            return []
        rank = next((_RANKS[name] for name in classes if name in _RANKS), None)
        if rank is not None or (node.tag in ("h2", "h3", "h4", "h5", "h6") and not classes & _STATEMENTS):
            if "ltx_title_abstract" not in classes and "ltx_title_bibliography" not in classes:
                out.append(Heading(rank or int(node.tag[1]), self._words(_run(_children(node)))))
            return []
        if classes & {"ltx_equation", "ltx_equationgroup", "ltx_eqn_table"}:
            out.extend(self._formulas(node))
        elif "ltx_tabular" in classes or node.tag == "table":
            out.append(ParsedTable([], self._rows(node)))
        elif node.tag == "figure" or classes & {"ltx_table", "ltx_figure", "ltx_float"}:
            return self._float(node, out)
        elif "ltx_listing" in classes or node.tag == "pre" or "ltx_verbatim" in classes:
            out.append(Paragraph([self._listing(node)], verbatim=True))
        elif "ltx_item" in classes or node.tag in ("li", "dd"):
            return self._item(node)
        elif classes & _RUNNING or classes & _STATEMENTS or node.tag in ("p", "figcaption"):
            if any(self._holds_blocks(child) for child in _children(node)) and "ltx_p" in classes:
                return _children(node)
            out.extend(self._paragraphs(_children(node)))
        else:
            return _children(node)
        return []

    def _paragraphs(self, nodes: Sequence[Node]) -> Iterator[Block]:
        """One paragraph, and behind it the notes that hang on it."""
        run = _run(nodes)
        if run.text():
            yield Paragraph(self._words(run))
        waiting = list(run.notes)
        for note in waiting:
            content = note.css_first(".ltx_note_content") or note
            inner = _run([child for child in _children(content) if "ltx_tag" not in _classes_of(child)], tags=False)
            waiting.extend(inner.notes)
            if inner.text():
                yield Paragraph(self._words(inner))

    def _item(self, node: Node) -> list[Node]:
        """What an item holds, without its bullet."""
        children = _children(node)
        return [
            child
            for child in children
            if not (child.tag == "span" and "ltx_tag" in _classes(child) and _is_bullet(child))
        ]

    def _formulas(self, node: Node) -> Iterator[Block]:
        """Set-off formulas: one paragraph for each line, with its number."""
        rows = list(node.css(".ltx_eqn_row")) or [node]
        for row in rows:
            run = _run(_children(row))
            if run.text():
                yield Paragraph(self._words(run))

    def _listing(self, node: Node) -> str:
        lines = node.css(".ltx_listingline")
        if lines:
            return "\n".join(
                "".join(
                    piece.text if isinstance(piece, Link) else piece for piece in _run(_children(line)).pieces
                ).rstrip()
                for line in lines
            )
        return node.text() or ""

    def _float(self, node: Node, out: list[Block]) -> list[Node]:
        """A figure or a table with its caption; returns what else it holds."""
        captions = [child for child in _children(node) if _is_caption(child)]
        others = [child for child in _children(node) if not _is_caption(child)]
        tables = self._tables(others)
        if len(tables) == 0 or any(
            child.css_first("figure") is not None for child in others if child.tag not in ("-text", "-comment")
        ):
            return [*others, *captions]
        run = _run([child for caption in captions for child in _children(caption)])
        words = self._words(run)
        for number, table in enumerate(tables):
            out.append(ParsedTable(words if number == 0 else [], self._rows(table)))
        for note in run.notes:
            out.extend(self._paragraphs([note]))
        return []

    def _tables(self, nodes: Sequence[Node]) -> list[Node]:
        """The tables below nodes; those in the cells of another are left to it."""
        found: list[Node] = []
        stack = list(reversed(nodes))
        while stack:
            node = stack.pop()
            if node.tag in ("-text", "-comment", "math"):
                continue
            if "ltx_tabular" in _classes(node) or (node.tag == "table" and "ltx_equation" not in _classes(node)):
                found.append(node)
            else:
                stack.extend(reversed(_children(node)))
        return found

    def _rows(self, table: Node) -> list[list[TableCell]]:
        rows: list[list[TableCell]] = []
        stack = list(reversed(_children(table)))
        while stack:
            node = stack.pop()
            if node.tag in {"-text", "-comment"}:
                continue
            classes = _classes(node)
            if node.tag in ("td", "th") or classes & {"ltx_td", "ltx_th"}:
                if not rows:
                    rows.append([])
                rows[-1].append(self._cell(node, classes))
                continue
            if node.tag == "tr" or "ltx_tr" in classes:
                rows.append([])
            stack.extend(reversed(_children(node)))
        return [row for row in rows if row]

    def _cell(self, node: Node, classes: frozenset[str]) -> TableCell:
        span = node.attributes.get("colspan") or next(
            (name[12:] for name in classes if name.startswith("ltx_colspan_")), "1"
        )
        columns = int(span) if re.fullmatch(r"\d{1,2}", span) and int(span) > 0 else 1
        words = self._words(_run(_children(node)))
        return TableCell(words, node.tag == "th" or "ltx_th" in classes, columns)


def _classes_of(node: Node) -> frozenset[str]:
    return frozenset() if node.tag in ("-text", "-comment") else _classes(node)


def _is_caption(node: Node) -> bool:
    return node.tag == "figcaption" or "ltx_caption" in _classes_of(node)


def _is_bullet(node: Node) -> bool:
    return not re.search(r"\w", node.text() or "")


def _day(text: str) -> date | None:
    try:
        return datetime.strptime(text, "%d %b %Y").date()
    except ValueError:
        return None


def _without_tag(node: Node) -> str:
    return _run([child for child in _children(node) if "ltx_tag" not in _classes_of(child)]).text()

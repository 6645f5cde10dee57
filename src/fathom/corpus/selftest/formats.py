"""Writers of the formats that the readers read, in the form that common tools give them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
    TableCell,
)
from fathom.corpus.readers.parsing.blocks import inline_text, inlines_text
from fathom.corpus.selftest.documents import Files, docx, epub, html_article, numbered_entries, plain_text, xlsx
from fathom.corpus.selftest.ixbrl import ixbrl
from fathom.corpus.selftest.pdf import PDF_LAYOUTS, pdf
from fathom.corpus.selftest.s2orc_2023 import s2orc_2023

"""File contents by name: the document first, then its companion files."""


# XML.


def _markup(inlines: Inlines, cite: Callable[[CitationMark], str]) -> str:
    """Return escaped text; `cite` writes a citation that has keys."""
    return "".join(
        cite(piece) if isinstance(piece, CitationMark) and piece.keys else escape(inline_text(piece))
        for piece in inlines
    )


def _rows(rows: Sequence[Sequence[TableCell]], row_tag: str, cell_tag: str, render: Callable[[Inlines], str]) -> str:
    """Return the rows of a table; tags may have attributes."""

    def element(tag: str, content: str) -> str:
        return f"<{tag}>{content}</{tag.partition(' ')[0]}>"

    return "".join(
        element(row_tag, "".join(element(cell_tag, render(cell.inlines)) for cell in cells)) for cells in rows
    )


def jats(document: ParsedDocument) -> Files:
    """Return a document in JATS XML, as publishers deliver it."""
    authors = "".join(
        f'<contrib contrib-type="author"><name><surname>{escape(author.family)}</surname>'
        f"<given-names>{escape(author.given)}</given-names></name></contrib>"
        for author in document.authors
    )
    ids = "".join(
        f'<article-id pub-id-type="{scheme}">{escape(value)}</article-id>' for scheme, value in document.ids.items()
    )
    front = (
        f"<front><journal-meta><journal-title>{escape(document.venue or '')}</journal-title></journal-meta>"
        f"<article-meta>{ids}"
        f"<title-group><article-title>{escape(document.title)}</article-title></title-group>"
        f"<contrib-group>{authors}</contrib-group><pub-date><year>{document.year or ''}</year></pub-date>"
        f"<abstract>{''.join(_jats_block(block) for block in document.abstract)}</abstract></article-meta></front>"
    )
    entries = "".join(_jats_reference(reference) for reference in document.references)
    body = _nest_sections(
        document.body, lambda heading: f"<sec><title>{_jats_inlines(heading.inlines)}</title>", "</sec>", _jats_block
    )
    text = f"<article>{front}<body>{body}</body><back><ref-list>{entries}</ref-list></back></article>"
    return {"paper.xml": f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()}


def _jats_inlines(inlines: Inlines) -> str:
    return _markup(
        inlines, lambda mark: f'<xref ref-type="bibr" rid="{" ".join(mark.keys)}">{escape(mark.text)}</xref>'
    )


def _jats_block(block: Block) -> str:
    match block:
        case Paragraph(inlines):
            return f"<p>{_jats_inlines(inlines)}</p>"
        case ParsedTable(caption, rows):
            cells = _rows(rows, "tr", "td", _jats_inlines)
            caption_tag = f"<caption><p>{_jats_inlines(caption)}</p></caption>"
            return f"<table-wrap>{caption_tag}<table><tbody>{cells}</tbody></table></table-wrap>"
        case _:
            return ""


def _jats_reference(reference: ParsedReference) -> str:
    marked, title = (escape(text, quote=False) for text in (reference.text, reference.title))
    if title:
        marked = marked.replace(title, f"<article-title>{title}</article-title>", 1)
    year = f"<year>{reference.year}</year>" if reference.year else ""
    ids = "".join(f'<pub-id pub-id-type="{scheme}">{escape(value)}</pub-id>' for scheme, value in reference.ids.items())
    if year and str(reference.year) in marked:
        marked, year = marked.replace(str(reference.year), year, 1), ""
    return f'<ref id="{reference.key}"><mixed-citation>{marked}{year}{ids}</mixed-citation></ref>'


def tei(document: ParsedDocument) -> Files:
    """Return a document in TEI XML, as GROBID writes it."""
    authors = "".join(
        f"<author><persName><forename>{escape(author.given)}</forename><surname>{escape(author.family)}</surname>"
        "</persName></author>"
        for author in document.authors
    )
    entries = "".join(_tei_reference(reference) for reference in document.references)
    body = _nest_sections(
        document.body,
        lambda heading: f"<div><head>{escape(inlines_text(heading.inlines))}</head>",
        "</div>",
        _tei_block,
    )
    abstract = "".join(_tei_block(block) for block in document.abstract)
    ids = "".join(f'<idno type="{scheme.upper()}">{escape(value)}</idno>' for scheme, value in document.ids.items())
    text = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>'
        f'<title level="a" type="main">{escape(document.title)}</title></titleStmt>'
        f"<sourceDesc><biblStruct><analytic>{authors}"
        f'<title level="a" type="main">{escape(document.title)}</title></analytic><monogr><imprint>'
        f'<date type="published" when="{document.year or ""}"/></imprint></monogr>{ids}</biblStruct></sourceDesc>'
        "</fileDesc>"
        f"<profileDesc><abstract><div>{abstract}</div></abstract></profileDesc></teiHeader><text><body>{body}</body>"
        f'<back><div type="references"><listBibl>{entries}</listBibl></div></back></text></TEI>'
    )
    return {"paper.tei.xml": f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()}


def _tei_block(block: Block) -> str:
    match block:
        case Paragraph(inlines):
            marked = _markup(
                inlines, lambda mark: f'<ref type="bibr" target="#{mark.keys[0]}">{escape(mark.text)}</ref>'
            )
            return f"<p>{marked}</p>"
        case ParsedTable(caption, rows):
            cells = _rows(rows, "row", "cell", lambda inlines: escape(inlines_text(inlines)))
            caption_tag = escape(inlines_text(caption))
            return f'<figure type="table"><head></head><figDesc>{caption_tag}</figDesc><table>{cells}</table></figure>'
        case _:
            return ""


def _tei_reference(reference: ParsedReference) -> str:
    names = "".join(
        f"<author><persName><surname>{escape(author)}</surname></persName></author>" for author in reference.authors
    )
    ids = "".join(f'<idno type="{scheme.upper()}">{escape(value)}</idno>' for scheme, value in reference.ids.items())
    return (
        f'<biblStruct xml:id="{reference.key}"><analytic><title level="a" type="main">{escape(reference.title)}</title>'
        f'{names}{ids}</analytic><monogr><imprint><date type="published" when="{reference.year or ""}"/></imprint>'
        "</monogr>"
        f'<note type="raw_reference">{escape(reference.text)}</note></biblStruct>'
    )


def _nest_sections(
    blocks: Sequence[Block], opening: Callable[[Heading], str], closing: str, block: Callable[[Block], str]
) -> str:
    """Return blocks as markup with nested sections. `opening` and `block` write a heading and any other block."""
    pieces: list[str] = []
    open_levels: list[int] = []
    for current in blocks:
        if isinstance(current, Heading):
            while open_levels and open_levels[-1] >= current.level:
                pieces.append(closing)
                open_levels.pop()
            pieces.append(opening(current))
            open_levels.append(current.level)
        else:
            pieces.append(block(current))
    return "".join(pieces) + closing * len(open_levels)


# HTML.


def latexml(document: ParsedDocument) -> Files:
    """Return a document in HTML, as LaTeXML writes it."""
    numbers = {reference.key: number for number, reference in enumerate(document.references, start=1)}

    def render(inlines: Inlines) -> str:
        return _markup(
            inlines,
            lambda mark: (
                f'<cite class="ltx_cite"><a href="#bib.bib{numbers[mark.keys[0]]}" class="ltx_ref">'
                f"{escape(mark.text)}</a></cite>"
            ),
        )

    def block(block_to_write: Block) -> str:
        match block_to_write:
            case Paragraph(inlines):
                return f'<div class="ltx_para"><p class="ltx_p">{render(inlines)}</p></div>'
            case ParsedTable(caption, rows):
                cells = _rows(rows, 'tr class="ltx_tr"', 'td class="ltx_td"', render)
                caption_tag = f'<figcaption class="ltx_caption">{render(caption)}</figcaption>'
                return f'<figure class="ltx_table">{caption_tag}<table class="ltx_tabular">{cells}</table></figure>'
            case _:
                return ""

    def opening(heading: Heading) -> str:
        name = "section" if heading.level <= 2 else "subsection"
        return (
            f'<section class="ltx_{name}"><h{heading.level} class="ltx_title ltx_title_{name}">'
            f"{render(heading.inlines)}</h{heading.level}>"
        )

    authors = "".join(
        f'<span class="ltx_creator ltx_role_author"><span class="ltx_personname">{escape(author.printed)}</span></span>'
        for author in document.authors
    )
    entries = "".join(
        f'<li id="bib.bib{number}" class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">[{number}]</span>'
        f'<span class="ltx_bibblock">{escape(reference.text)}</span></li>'
        for number, reference in enumerate(document.references, start=1)
    )
    text = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="generator" content="LaTeXML"></head>'
        "<body>"
        f'<article class="ltx_document"><h1 class="ltx_title ltx_title_document">{escape(document.title)}</h1>'
        f'<div class="ltx_authors">{authors}</div>'
        f'<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>'
        f"{''.join(map(block, document.abstract))}</div>"
        f"{_nest_sections(document.body, opening, '</section>', block)}"
        '<section class="ltx_bibliography"><h2 class="ltx_title ltx_title_bibliography">References</h2>'
        f'<ul class="ltx_biblist">{entries}</ul></section></article></body></html>'
    )
    return {"paper.html": text.encode()}


# JSON.


def s2orc(document: ParsedDocument) -> Files:
    """Return a document in Semantic Scholar's JSON of parsed papers."""

    def paragraph(section: str, inlines: Inlines) -> dict[str, object]:
        text, spans = "", []
        for piece in inlines:
            if isinstance(piece, CitationMark) and piece.keys:
                where = {"start": len(text), "end": len(text) + len(piece.text)}
                spans.append({**where, "text": piece.text, "ref_id": f"BIBREF{int(piece.keys[0][1:]) - 1}"})
            text += inline_text(piece)
        return {"text": text, "cite_spans": spans, "ref_spans": [], "eq_spans": [], "section": section, "sec_num": None}

    body: list[dict[str, object]] = []
    section = ""
    for block in document.body:
        if isinstance(block, Heading):
            section = inlines_text(block.inlines)
        elif isinstance(block, Paragraph):
            body.append(paragraph(section, block.inlines))
    entries = {
        f"BIBREF{number}": {
            "ref_id": f"b{number}",
            "title": reference.title,
            "authors": [{"first": "", "middle": [], "last": author, "suffix": ""} for author in reference.authors],
            "year": reference.year,
            "raw_text": reference.text,
            "other_ids": {scheme.upper(): [value] for scheme, value in reference.ids.items()},
        }
        for number, reference in enumerate(document.references)
    }
    content = {
        "paper_id": "paper",
        "title": document.title,
        "year": str(document.year or ""),
        "authors": [
            {"first": author.given, "middle": [], "last": author.family, "suffix": ""} for author in document.authors
        ],
        "abstract": " ".join(_abstract(document, inlines_text)),
        "pdf_parse": {
            "paper_id": "paper",
            "abstract": [
                paragraph("Abstract", block.inlines) for block in document.abstract if isinstance(block, Paragraph)
            ],
            "body_text": body,
            "back_matter": [],
            "bib_entries": entries,
            "ref_entries": {},
        },
    }
    return {"paper.json": json.dumps(content, ensure_ascii=False).encode()}


# Text markup.


def _text_blocks(
    blocks: Sequence[Block],
    render: Callable[[Inlines], str],
    heading: Callable[[int, str], str],
    table: Callable[[str, list[list[str]]], str],
) -> Iterator[str]:
    """Yield blocks as text; `heading` gets a level and a text, `table` a caption and the texts of its cells."""
    for block in blocks:
        match block:
            case Heading(level, inlines):
                yield heading(level, render(inlines))
            case Paragraph(inlines):
                yield render(inlines)
            case ParsedTable(caption, rows):
                texts = [[render(cell.inlines) for cell in row] for row in rows]
                yield table(render([inlines_text(caption)]), texts)


def markdown(document: ParsedDocument) -> Files:
    """Return a document in Markdown with citations in plain text, as converters write it."""
    lines = [f"# {document.title}", ", ".join(author.printed for author in document.authors)]
    if document.abstract:
        lines.append("## Abstract")
    lines += _text_blocks(
        (*document.abstract, *document.body),
        inlines_text,
        lambda level, text: f"{'#' * level} {text}",
        lambda caption, rows: f"{caption}\n\n{_pipe_table(rows)}",
    )
    lines += ["## References", "\n".join(numbered_entries(document))]
    return {"paper.md": ("\n\n".join(filter(None, lines)) + "\n").encode()}


def _pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a pipe table whose first row is the header."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _without_number(caption: str) -> str:
    """Return a caption without its number, which these formats generate."""
    return re.sub(r"^Table \d+[.:] ", "", caption)


def _with_commands(inlines: Inlines, command: Callable[[str], str], text: Callable[[str], str] = str) -> str:
    """Return text with citation commands, for which the markup generates the text and the brackets.

    A bracket that contains only citations becomes one command. `command` gets the keys, separated by commas.
    """
    marked_text = ""
    marks: list[CitationMark] = []
    for piece in inlines:
        if isinstance(piece, CitationMark) and piece.keys:
            marked_text += f"\0{len(marks)}\0"
            marks.append(piece)
        else:
            marked_text += inline_text(piece)
    pieces: list[str] = []
    position = 0
    for match in re.finditer(r"[(\[]\0\d+\0(?:[;,] ?\0\d+\0)*[)\]]|\0\d+\0", marked_text):
        keys = (key for number in re.findall(r"\0(\d+)\0", match[0]) for key in marks[int(number)].keys)
        pieces += [text(marked_text[position : match.start()]), command(",".join(keys))]
        position = match.end()
    return "".join([*pieces, text(marked_text[position:])])


def _abstract(document: ParsedDocument, render: Callable[[Inlines], str]) -> list[str]:
    return [render(block.inlines) for block in document.abstract if isinstance(block, Paragraph)]


def _bibtex(document: ParsedDocument) -> bytes:
    entries: list[str] = []
    for reference in document.references:
        fields = {
            "title": f"{{{_escape_latex(reference.title)}}}",
            "author": " and ".join(_escape_latex(_last_first(author)) for author in reference.authors),
            "year": str(reference.year or ""),
            **{scheme: value for scheme, value in reference.ids.items() if scheme == "doi"},
        }
        field_lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        entries.append(f"@article{{{reference.key},\n{field_lines}\n}}\n")
    return "\n".join(entries).encode()


def _last_first(author: str) -> str:
    """Return a name in BibTeX order, "Lind, Ada"; a name with a comma is unchanged."""
    if "," in author or " " not in author:
        return author
    given, _, family = author.rpartition(" ")
    return f"{family}, {given}"


_LATEX_ESCAPES = str.maketrans(
    {"&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "_": "\\_", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}",
     "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)  # fmt: skip


def _escape_latex(text: str) -> str:
    return text.translate(_LATEX_ESCAPES)


def latex(document: ParsedDocument) -> Files:
    """Return a document as a LaTeX file and a BibTeX file."""

    def render(inlines: Inlines) -> str:
        return _with_commands(inlines, lambda keys: f"\\citep{{{keys}}}", _escape_latex)

    def table(caption: str, rows: list[list[str]]) -> str:
        cells = " \\\\\n".join(" & ".join(row) for row in rows)
        return (
            f"\\begin{{table}}\n\\caption{{{_without_number(caption)}}}\n"
            f"\\begin{{tabular}}{{{'l' * max(map(len, rows))}}}\n"
            f"{cells} \\\\\n"
            "\\end{tabular}\n\\end{table}"
        )

    commands = {2: "section", 3: "subsection", 4: "subsubsection"}
    lines = [
        "\\documentclass{article}",
        f"\\title{{{_escape_latex(document.title)}}}",
        "\\author{" + " \\and ".join(_escape_latex(author.printed) for author in document.authors) + "}",
        "\\begin{document}",
        "\\maketitle",
        "\\begin{abstract}\n" + "\n\n".join(_abstract(document, render)) + "\n\\end{abstract}",
        *_text_blocks(
            document.body, render, lambda level, text: f"\\{commands.get(level, 'paragraph')}{{{text}}}", table
        ),
        *("\\bibliographystyle{plainnat}", "\\bibliography{paper}", "\\end{document}"),
    ]
    return {"paper.tex": ("\n\n".join(lines) + "\n").encode(), "paper.bib": _bibtex(document)}


def myst(document: ParsedDocument) -> Files:
    """Return a document as a MyST Markdown file with front matter, and a BibTeX file."""

    def render(inlines: Inlines) -> str:
        return _with_commands(inlines, lambda keys: f"{{cite:p}}`{keys}`")

    front = ["---", f"title: {json.dumps(document.title, ensure_ascii=False)}", "authors:"]
    front += [f"  - name: {json.dumps(author.printed, ensure_ascii=False)}" for author in document.authors]
    front += ["bibliography:", "  - paper.bib", "abstract: |"]
    front += [f"  {paragraph}\n" for paragraph in _abstract(document, render)] + ["---"]
    body = _text_blocks(
        document.body,
        render,
        lambda level, text: f"{'#' * (level - 1)} {text}",
        lambda caption, rows: f":::{{table}} {_without_number(caption)}\n\n{_pipe_table(rows)}\n:::",
    )
    text = "\n\n".join(["\n".join(front), *body])
    return {"paper.md": f"{text}\n".encode(), "paper.bib": _bibtex(document)}


def rst(document: ParsedDocument) -> Files:
    """Return a document as a reStructuredText file with the roles that SciPy proceedings use, and a BibTeX file."""

    def render(inlines: Inlines) -> str:
        return _with_commands(
            inlines, lambda keys: f":cite:`{keys}`", lambda text: re.sub(r"([*`|\\_])", r"\\\1", text)
        )

    def heading(level: int, text: str) -> str:
        return f"{text}\n{({1: '=', 2: '-', 3: '~'}.get(level, '^')) * max(4, len(text))}"

    def table(caption: str, rows: list[list[str]]) -> str:
        cells = (f"   {'  -' if n else '* -'} {cell}" for row in rows for n, cell in enumerate(row))
        return f".. list-table:: {_without_number(caption)}\n   :header-rows: 1\n\n" + "\n".join(cells)

    lines = ["\n".join(f":author: {author.printed}" for author in document.authors) + "\n:bibliography: paper"]
    lines.append(heading(1, render([document.title])))
    abstract = "\n\n".join(_abstract(document, render))
    if abstract:
        lines.append(".. class:: abstract\n\n" + "\n".join(f"   {line}" for line in abstract.split("\n")))
    lines += _text_blocks(document.body, render, heading, table)
    return {"paper.rst": ("\n\n".join(lines) + "\n").encode(), "paper.bib": _bibtex(document)}


FORMATS: dict[str, Callable[[ParsedDocument], Files]] = {
    "jats": jats,
    "tei": tei,
    "latexml": latexml,
    "s2orc": s2orc,
    "s2orc-2023": s2orc_2023,
    "markdown": markdown,
    "myst": myst,
    "rst": rst,
    "latex": latex,
    "pdf": pdf,
    **PDF_LAYOUTS,
    "text": plain_text,
    "docx": docx,
    "epub": epub,
    "html-article": html_article,
}
"""Writers of articles, by format."""

REPORT_FORMATS: dict[str, Callable[[ParsedDocument], Files]] = {"ixbrl": ixbrl, "xlsx": xlsx}
"""Writers of reports, by format."""

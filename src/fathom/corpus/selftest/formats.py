"""Writes documents in the formats that readers read, as common tools write them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inline,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
)
from fathom.corpus.selftest.ixbrl import ixbrl
from fathom.corpus.selftest.pdf import pdf
from fathom.corpus.selftest.s2orc_2023 import s2orc_2023

Files = dict[str, bytes]
"""A document and what lies beside it, by name; the document comes first."""


def _text(piece: Inline) -> str:
    return piece if isinstance(piece, str) else piece.text


def _plain(words: Inlines) -> str:
    return "".join(map(_text, words))


# XML.


def jats(found: ParsedDocument) -> Files:
    """Journal Document Tag Suite, as publishers deliver it."""
    authors = "".join(
        f'<contrib contrib-type="author"><name><surname>{escape(one.family)}</surname>'
        f"<given-names>{escape(one.given)}</given-names></name></contrib>"
        for one in found.authors
    )
    ids = "".join(f'<article-id pub-id-type="{scheme}">{escape(v)}</article-id>' for scheme, v in found.ids.items())
    front = (
        f"<front><journal-meta><journal-title>{escape(found.venue or '')}</journal-title></journal-meta>"
        f"<article-meta>{ids}"
        f"<title-group><article-title>{escape(found.title)}</article-title></title-group>"
        f"<contrib-group>{authors}</contrib-group><pub-date><year>{found.year or ''}</year></pub-date>"
        f"<abstract>{''.join(_jats_block(block) for block in found.abstract)}</abstract></article-meta></front>"
    )
    entries = "".join(_jats_reference(reference) for reference in found.references)
    body = _nested(
        found.body, lambda heading: f"<sec><title>{_jats_words(heading.inlines)}</title>", "</sec>", _jats_block
    )
    text = f"<article>{front}<body>{body}</body><back><ref-list>{entries}</ref-list></back></article>"
    return {"paper.xml": f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()}


def _jats_words(words: Inlines) -> str:
    def one(piece: Inline) -> str:
        if isinstance(piece, CitationMark) and piece.keys:
            return f'<xref ref-type="bibr" rid="{" ".join(piece.keys)}">{escape(piece.text)}</xref>'
        return escape(_text(piece))

    return "".join(map(one, words))


def _jats_block(block: Block) -> str:
    match block:
        case Paragraph(words):
            return f"<p>{_jats_words(words)}</p>"
        case ParsedTable(caption, rows):
            cells = "".join(
                "<tr>" + "".join(f"<td>{_jats_words(cell.inlines)}</td>" for cell in row) + "</tr>" for row in rows
            )
            said = f"<caption><p>{_jats_words(caption)}</p></caption>"
            return f"<table-wrap>{said}<table><tbody>{cells}</tbody></table></table-wrap>"
        case _:
            return ""


def _jats_reference(reference: ParsedReference) -> str:
    marked = _wrapped(
        escape(reference.text, quote=False),
        [(escape(reference.title, quote=False), "<article-title>", "</article-title>")],
    )
    year = f"<year>{reference.year}</year>" if reference.year else ""
    ids = "".join(f'<pub-id pub-id-type="{scheme}">{escape(v)}</pub-id>' for scheme, v in reference.ids.items())
    if year and str(reference.year) in marked:
        marked, year = marked.replace(str(reference.year), year, 1), ""
    return f'<ref id="{reference.key}"><mixed-citation>{marked}{year}{ids}</mixed-citation></ref>'


def _wrapped(text: str, parts: Sequence[tuple[str, str, str]]) -> str:
    for part, before, behind in parts:
        if part and part in text:
            text = text.replace(part, f"{before}{part}{behind}", 1)
    return text


def tei(found: ParsedDocument) -> Files:
    """The Text Encoding Initiative's XML, as GROBID writes it."""
    authors = "".join(
        f"<author><persName><forename>{escape(one.given)}</forename><surname>{escape(one.family)}</surname>"
        "</persName></author>"
        for one in found.authors
    )
    entries = "".join(_tei_reference(reference) for reference in found.references)
    body = _nested(
        found.body, lambda heading: f"<div><head>{escape(_plain(heading.inlines))}</head>", "</div>", _tei_block
    )
    abstract = "".join(_tei_block(block) for block in found.abstract)
    ids = "".join(f'<idno type="{scheme.upper()}">{escape(v)}</idno>' for scheme, v in found.ids.items())
    text = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>'
        f'<title level="a" type="main">{escape(found.title)}</title></titleStmt>'
        f"<sourceDesc><biblStruct><analytic>{authors}"
        f'<title level="a" type="main">{escape(found.title)}</title></analytic><monogr><imprint>'
        f'<date type="published" when="{found.year or ""}"/></imprint></monogr>{ids}</biblStruct></sourceDesc>'
        "</fileDesc>"
        f"<profileDesc><abstract><div>{abstract}</div></abstract></profileDesc></teiHeader><text><body>{body}</body>"
        f'<back><div type="references"><listBibl>{entries}</listBibl></div></back></text></TEI>'
    )
    return {"paper.tei.xml": f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()}


def _tei_block(block: Block) -> str:
    match block:
        case Paragraph(words):
            marked = "".join(
                f'<ref type="bibr" target="#{piece.keys[0]}">{escape(piece.text)}</ref>'
                if isinstance(piece, CitationMark) and piece.keys
                else escape(_text(piece))
                for piece in words
            )
            return f"<p>{marked}</p>"
        case ParsedTable(caption, rows):
            cells = "".join(
                "<row>" + "".join(f"<cell>{escape(_plain(cell.inlines))}</cell>" for cell in row) + "</row>"
                for row in rows
            )
            said = escape(_plain(caption))
            return f'<figure type="table"><head></head><figDesc>{said}</figDesc><table>{cells}</table></figure>'
        case _:
            return ""


def _tei_reference(reference: ParsedReference) -> str:
    names = "".join(
        f"<author><persName><surname>{escape(author)}</surname></persName></author>" for author in reference.authors
    )
    ids = "".join(f'<idno type="{scheme.upper()}">{escape(v)}</idno>' for scheme, v in reference.ids.items())
    return (
        f'<biblStruct xml:id="{reference.key}"><analytic><title level="a" type="main">{escape(reference.title)}</title>'
        f'{names}{ids}</analytic><monogr><imprint><date type="published" when="{reference.year or ""}"/></imprint>'
        "</monogr>"
        f'<note type="raw_reference">{escape(reference.text)}</note></biblStruct>'
    )


def _nested(
    blocks: Sequence[Block], opening: Callable[[Heading], str], closing: str, block: Callable[[Block], str]
) -> str:
    """Blocks with sections inside sections, as XML wants them."""
    pieces: list[str] = []
    open_levels: list[int] = []
    for one in blocks:
        if isinstance(one, Heading):
            while open_levels and open_levels[-1] >= one.level:
                pieces.append(closing)
                open_levels.pop()
            pieces.append(opening(one))
            open_levels.append(one.level)
        else:
            pieces.append(block(one))
    return "".join(pieces) + closing * len(open_levels)


# HTML.


def latexml(found: ParsedDocument) -> Files:
    """HTML as LaTeXML makes it of a paper's source."""
    numbers = {reference.key: number for number, reference in enumerate(found.references, start=1)}

    def words(pieces: Inlines) -> str:
        return "".join(
            f'<cite class="ltx_cite"><a href="#bib.bib{numbers[piece.keys[0]]}" class="ltx_ref">'
            f"{escape(piece.text)}</a></cite>"
            if isinstance(piece, CitationMark) and piece.keys
            else escape(_text(piece))
            for piece in pieces
        )

    def block(one: Block) -> str:
        match one:
            case Paragraph(pieces):
                return f'<div class="ltx_para"><p class="ltx_p">{words(pieces)}</p></div>'
            case ParsedTable(caption, rows):
                cells = "".join(
                    '<tr class="ltx_tr">'
                    + "".join(f'<td class="ltx_td">{words(cell.inlines)}</td>' for cell in row)
                    + "</tr>"
                    for row in rows
                )
                said = f'<figcaption class="ltx_caption">{words(caption)}</figcaption>'
                return f'<figure class="ltx_table">{said}<table class="ltx_tabular">{cells}</table></figure>'
            case _:
                return ""

    def opening(heading: Heading) -> str:
        name = "section" if heading.level <= 2 else "subsection"
        return (
            f'<section class="ltx_{name}"><h{heading.level} class="ltx_title ltx_title_{name}">'
            f"{words(heading.inlines)}</h{heading.level}>"
        )

    authors = "".join(
        f'<span class="ltx_creator ltx_role_author"><span class="ltx_personname">{escape(one.printed)}</span></span>'
        for one in found.authors
    )
    entries = "".join(
        f'<li id="bib.bib{number}" class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">[{number}]</span>'
        f'<span class="ltx_bibblock">{escape(reference.text)}</span></li>'
        for number, reference in enumerate(found.references, start=1)
    )
    text = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="generator" content="LaTeXML"></head>'
        "<body>"
        f'<article class="ltx_document"><h1 class="ltx_title ltx_title_document">{escape(found.title)}</h1>'
        f'<div class="ltx_authors">{authors}</div>'
        f'<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>'
        f"{''.join(block(one) for one in found.abstract)}</div>"
        f"{_nested(found.body, opening, '</section>', block)}"
        '<section class="ltx_bibliography"><h2 class="ltx_title ltx_title_bibliography">References</h2>'
        f'<ul class="ltx_biblist">{entries}</ul></section></article></body></html>'
    )
    return {"paper.html": text.encode()}


# JSON.


def s2orc(found: ParsedDocument) -> Files:
    """Semantic Scholar's JSON of a parsed paper."""

    def paragraph(section: str, words: Inlines) -> dict[str, object]:
        text, spans = "", []
        for piece in words:
            if isinstance(piece, CitationMark) and piece.keys:
                where = {"start": len(text), "end": len(text) + len(piece.text)}
                spans.append({**where, "text": piece.text, "ref_id": f"BIBREF{int(piece.keys[0][1:]) - 1}"})
            text += _text(piece)
        return {"text": text, "cite_spans": spans, "ref_spans": [], "eq_spans": [], "section": section, "sec_num": None}

    body: list[dict[str, object]] = []
    section = ""
    for one in found.body:
        if isinstance(one, Heading):
            section = _plain(one.inlines)
        elif isinstance(one, Paragraph):
            body.append(paragraph(section, one.inlines))
    entries = {
        f"BIBREF{number}": {
            "ref_id": f"b{number}",
            "title": reference.title,
            "authors": [{"first": "", "middle": [], "last": author, "suffix": ""} for author in reference.authors],
            "year": reference.year,
            "raw_text": reference.text,
            "other_ids": {scheme.upper(): [value] for scheme, value in reference.ids.items()},
        }
        for number, reference in enumerate(found.references)
    }
    content = {
        "paper_id": "paper",
        "title": found.title,
        "year": str(found.year or ""),
        "authors": [{"first": one.given, "middle": [], "last": one.family, "suffix": ""} for one in found.authors],
        "abstract": " ".join(_plain(one.inlines) for one in found.abstract if isinstance(one, Paragraph)),
        "pdf_parse": {
            "paper_id": "paper",
            "abstract": [paragraph("Abstract", one.inlines) for one in found.abstract if isinstance(one, Paragraph)],
            "body_text": body,
            "back_matter": [],
            "bib_entries": entries,
            "ref_entries": {},
        },
    }
    return {"paper.json": json.dumps(content, ensure_ascii=False).encode()}


# Light markup.


def markdown(found: ParsedDocument) -> Files:
    """Markdown as converters write it, citations in plain text."""
    lines = [f"# {found.title}", ", ".join(one.printed for one in found.authors)]
    if found.abstract:
        lines.append("## Abstract")
    for block in (*found.abstract, *found.body):
        match block:
            case Heading(level, words):
                lines.append(f"{'#' * level} {_plain(words)}")
            case Paragraph(words):
                lines.append(_plain(words))
            case ParsedTable(caption, rows):
                lines += [_plain(caption), "\n".join(_piped([[_plain(cell.inlines) for cell in row] for row in rows]))]
    lines.append("## References")
    lines.append("\n".join(f"[{number}] {one.text}" for number, one in enumerate(found.references, start=1)))
    return {"paper.md": ("\n\n".join(filter(None, lines)) + "\n").encode()}


def _piped(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        if number == 0:
            yield "|" + " --- |" * len(row)


def _unnumbered(caption: Inlines) -> Inlines:
    """A caption without its number, which these formats count by themselves."""
    return [re.sub(r"^Table \d+[.:] ", "", _plain(caption))]


@dataclass(frozen=True)
class _Cite:
    """Citations that a markup prints by itself, brackets included."""

    keys: tuple[str, ...]


def _folded(words: Inlines) -> Iterator[str | _Cite]:
    """Words in which a bracket that holds nothing but citations is one citation; others stand where they stood."""
    text = ""
    marks: list[CitationMark] = []
    for piece in words:
        if isinstance(piece, CitationMark) and piece.keys:
            text += f"\0{len(marks)}\0"
            marks.append(piece)
        else:
            text += _text(piece)
    place = 0
    for match in re.finditer(r"[(\[]\0\d+\0(?:[;,] ?\0\d+\0)*[)\]]|\0\d+\0", text):
        yield text[place : match.start()]
        yield _Cite(tuple(key for number in re.findall(r"\0(\d+)\0", match[0]) for key in marks[int(number)].keys))
        place = match.end()
    yield text[place:]


def _bibtex(found: ParsedDocument) -> bytes:
    entries: list[str] = []
    for reference in found.references:
        fields = {
            "title": f"{{{_latex(reference.title)}}}",
            "author": " and ".join(_latex(_last_first(author)) for author in reference.authors),
            "year": str(reference.year or ""),
            **{scheme: value for scheme, value in reference.ids.items() if scheme == "doi"},
        }
        given = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        entries.append(f"@article{{{reference.key},\n{given}\n}}\n")
    return "\n".join(entries).encode()


def _last_first(author: str) -> str:
    """A name as BibTeX wants it; one that already has a comma is left as it is."""
    if "," in author or " " not in author:
        return author
    given, _, family = author.rpartition(" ")
    return f"{family}, {given}"


_LATEX = str.maketrans(
    {"&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "_": "\\_", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}",
     "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)  # fmt: skip


def _latex(text: str) -> str:
    return text.translate(_LATEX)


def latex(found: ParsedDocument) -> Files:
    """LaTeX sources with a bibliography beside them."""

    def words(pieces: Inlines) -> str:
        return "".join(
            f"\\citep{{{','.join(piece.keys)}}}" if isinstance(piece, _Cite) else _latex(piece)
            for piece in _folded(pieces)
        )

    commands = {2: "section", 3: "subsection", 4: "subsubsection"}
    lines = [
        "\\documentclass{article}",
        f"\\title{{{_latex(found.title)}}}",
        "\\author{" + " \\and ".join(_latex(one.printed) for one in found.authors) + "}",
        "\\begin{document}",
        "\\maketitle",
        "\\begin{abstract}\n"
        + "\n\n".join(words(one.inlines) for one in found.abstract if isinstance(one, Paragraph))
        + "\n\\end{abstract}",
    ]
    for block in found.body:
        match block:
            case Heading(level, pieces):
                lines.append(f"\\{commands.get(level, 'paragraph')}{{{words(pieces)}}}")
            case Paragraph(pieces):
                lines.append(words(pieces))
            case ParsedTable(caption, rows):
                width = max(map(len, rows))
                cells = " \\\\\n".join(" & ".join(words(cell.inlines) for cell in row) for row in rows)
                lines.append(
                    f"\\begin{{table}}\n\\caption{{{words(_unnumbered(caption))}}}\n"
                    f"\\begin{{tabular}}{{{'l' * width}}}\n"
                    f"{cells} \\\\\n"
                    "\\end{tabular}\n\\end{table}"
                )
    lines += ["\\bibliographystyle{plainnat}", "\\bibliography{paper}", "\\end{document}"]
    return {"paper.tex": ("\n\n".join(lines) + "\n").encode(), "paper.bib": _bibtex(found)}


def myst(found: ParsedDocument) -> Files:
    """MyST Markdown with front matter and a bibliography beside it."""

    def words(pieces: Inlines) -> str:
        return "".join(
            f"{{cite:p}}`{','.join(piece.keys)}`" if isinstance(piece, _Cite) else piece for piece in _folded(pieces)
        )

    front = ["---", f"title: {json.dumps(found.title, ensure_ascii=False)}", "authors:"]
    front += [f"  - name: {json.dumps(one.printed, ensure_ascii=False)}" for one in found.authors]
    front += ["bibliography:", "  - paper.bib", "abstract: |"]
    front += [f"  {words(one.inlines)}\n" for one in found.abstract if isinstance(one, Paragraph)] + ["---"]
    lines = ["\n".join(front)]
    for block in found.body:
        match block:
            case Heading(level, pieces):
                lines.append(f"{'#' * (level - 1)} {words(pieces)}")
            case Paragraph(pieces):
                lines.append(words(pieces))
            case ParsedTable(caption, rows):
                table = "\n".join(_piped([[words(cell.inlines) for cell in row] for row in rows]))
                lines.append(f":::{{table}} {words(_unnumbered(caption))}\n\n{table}\n:::")
    return {"paper.md": ("\n\n".join(lines) + "\n").encode(), "paper.bib": _bibtex(found)}


def rst(found: ParsedDocument) -> Files:
    """reStructuredText as proceedings use it, with a bibliography beside it."""

    def words(pieces: Inlines) -> str:
        return "".join(
            f":cite:`{','.join(piece.keys)}`" if isinstance(piece, _Cite) else re.sub(r"([*`|\\_])", r"\\\1", piece)
            for piece in _folded(pieces)
        )

    def underlined(title: str, sign: str) -> str:
        return f"{title}\n{sign * max(4, len(title))}"

    lines = ["\n".join(f":author: {one.printed}" for one in found.authors) + "\n:bibliography: paper"]
    lines.append(underlined(words([found.title]), "="))
    abstract = "\n\n".join(words(one.inlines) for one in found.abstract if isinstance(one, Paragraph))
    if abstract:
        lines.append(".. class:: abstract\n\n" + "\n".join(f"   {line}" for line in abstract.split("\n")))
    for block in found.body:
        match block:
            case Heading(level, pieces):
                lines.append(underlined(words(pieces), {2: "-", 3: "~"}.get(level, "^")))
            case Paragraph(pieces):
                lines.append(words(pieces))
            case ParsedTable(caption, rows):
                cells = "\n".join(
                    "\n".join(f"   {'* -' if n == 0 else '  -'} {words(cell.inlines)}" for n, cell in enumerate(row))
                    for row in rows
                )
                lines.append(f".. list-table:: {words(_unnumbered(caption))}\n   :header-rows: 1\n\n{cells}")
    return {"paper.rst": ("\n\n".join(lines) + "\n").encode(), "paper.bib": _bibtex(found)}


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
}
"""How research documents are written."""

REPORT_FORMATS: dict[str, Callable[[ParsedDocument], Files]] = {"ixbrl": ixbrl}
"""How reports are written: without figures there is nothing to tag, and a document's are in no filing."""

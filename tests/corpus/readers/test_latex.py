"""LaTeX: a small paper in several files, and the real ones against their manifest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.latex import reader as latex
from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    NoCompanions,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
)
from fathom.corpus.readers.parsing.blocks import inlines_text
from tests.corpus.readers.test_bibtex import PROCEEDINGS, Beside, damaged, mentioned_keys, papers

BIB = b"""@article{lind, author={Anna Lind}, title={On Elms}, year=2018}
@article{wu, author={Bo Wu and Cy Diaz}, title={On Oaks}, year=2020}"""

PAPER = r"""\documentclass[11pt]{article}
\usepackage{natbib} % not numbers
\newcommand{\elm}{\emph{Ulmus}}
\newcommand{\two}[1]{#1 twice}
\title{Growing \texttt{elms}\thanks{Paid by elms.} up}
\author{Anna Lind\thanks{Tree School} \and Stefan van der Walt$^{2}$ \\ Elm House}
\begin{document}
\maketitle
\begin{abstract}
Elms grow. % a comment
They do so slowly.
\end{abstract}

\section{Introduction}\label{sec:intro}
The \elm{} is tall \citep[see][p.~3]{lind,wu}, says \citet{wu}; also \cite{lind} and \citeauthor{lind}
\citeyear{lind}. It costs 5\% of \$3 \& $x_1 < 3$\footnote{Or \emph{more}.} as in Figure~\ref{fig:tall},
\autoref{sec:intro} and \eqref{eq:grow}. Na\"{\i}ve \verb|a_b%c| \href{https://example.org}{words}.

New paragraph.
\begin{equation}
y = a x % hidden
\label{eq:grow}
\end{equation}
\begin{itemize}
\item one item
\item[Two] another
\end{itemize}
\begin{enumerate} \item first \item second \end{enumerate}
\begin{figure}[htbp]
\centering\includegraphics[width=\textwidth]{elm.png}
\caption{A \textbf{tall} elm \citep{wu}.}\label{fig:tall}
\end{figure}
\begin{table}
\caption{Heights}
\begin{tabular}{l|r}
\toprule
Tree & Height \\ \midrule
Elm \& co & 30 m \\
\multicolumn{2}{c}{over both} \\ \bottomrule
\end{tabular}
\end{table}
\begin{lstlisting}[language=Python, caption=Code]
elms = 3  % kept
\section{not one}
\end{lstlisting}
\[ z = b \]
\input{part}
\input{../../secret}
\bibliographystyle{apalike}
\bibliography{trees}
\end{document}
Nothing after the end.
"""

PART = rb"""\subsection{A part}
Input words \citep{lind}. % gone
"""


def read(text: str, files: dict[str, bytes] | None = None, name: str = "folder/main.tex") -> ParsedDocument:
    (found,) = latex.read(text.encode(), name, Beside(files or {}))
    return found


@pytest.fixture(scope="module")
def paper() -> ParsedDocument:
    return read(PAPER, {"main.tex": PAPER.encode(), "part.tex": PART, "trees.bib": BIB})


def texts(blocks: list[Block]) -> list[str]:
    return [" ".join(inlines_text(block.inlines).split()) for block in blocks if isinstance(block, Paragraph)]


def test_title_authors_and_abstract(paper: ParsedDocument) -> None:
    assert paper.title == "Growing elms up"
    assert [(a.given, a.family) for a in paper.authors] == [("Anna", "Lind"), ("Stefan", "van der Walt")]
    assert texts(paper.abstract) == ["Elms grow. They do so slowly."]


def test_inline_markup(paper: ParsedDocument) -> None:
    first = next(block for block in paper.body if isinstance(block, Paragraph))
    assert " ".join(inlines_text(first.inlines).split()) == (
        "The Ulmus is tall (see Lind, 2018; Wu and Diaz, 2020, p. 3), says Wu and Diaz (2020); also (Lind, 2018) and "
        "Lind 2018. It costs 5% of $3 & $x_1 < 3$ [1] as in Figure 1, Section 1 and (1). Naïve a_b%c words."
    )
    keys = [piece.keys[0] for piece in first.inlines if isinstance(piece, CitationMark)]
    assert keys == ["lind", "wu", "wu", "lind", "lind", "lind"]


def test_blocks(paper: ParsedDocument) -> None:
    found = texts(paper.body)
    for text in (
        "[1] Or more.",
        "New paragraph.",
        "y = a x",
        "- one item",
        "Two another",
        "1. first",
        "2. second",
        "Figure 1: A tall elm (Wu and Diaz, 2020).",
        "z = b",
        "Input words (Lind, 2018).",
    ):
        assert text in found
    code = next(b for b in paper.body if isinstance(b, Paragraph) and "elms = 3" in inlines_text(b.inlines))
    assert code.verbatim
    assert inlines_text(code.inlines) == "elms = 3  % kept\n\\section{not one}"
    assert not any("Nothing after" in text or "hidden" in text or "gone" in text for text in found)
    headings = [(block.level, inlines_text(block.inlines)) for block in paper.body if isinstance(block, Heading)]
    assert headings == [(2, "Introduction"), (3, "A part")]


def test_a_table_has_cells(paper: ParsedDocument) -> None:
    (table,) = [block for block in paper.body if isinstance(block, ParsedTable)]
    assert inlines_text(table.caption) == "Table 1: Heights"
    assert [[inlines_text(cell.inlines).strip() for cell in row] for row in table.rows] == [
        ["Tree", "Height"],
        ["Elm & co", "30 m"],
        ["over both"],
    ]
    assert [cell.header for cell in table.rows[0]] == [True, True]
    assert table.rows[2][0].columns == 2


def test_references_come_from_a_bibliography_file(paper: ParsedDocument) -> None:
    assert [reference.key for reference in paper.references] == ["lind", "wu"]
    document = assemble(paper)
    assert all(citation.reference for citation in document.citations)


def test_numeric_styles_print_numbers() -> None:
    text = PAPER.replace("{natbib}", "{cite}").replace("apalike", "plain")
    first = next(block for block in read(text, {"trees.bib": BIB}).body if isinstance(block, Paragraph))
    printed = " ".join(inlines_text(first.inlines).split())
    assert printed.startswith("The Ulmus is tall [see 1, 2, p. 3], says Wu and Diaz [2]; also [1]")


def test_references_of_thebibliography() -> None:
    found = read(
        r"\title{A}\begin{document}Words \cite{b}, \cite{a,c}.\begin{thebibliography}{9}"
        r"\bibitem{a} A. Lind. \newblock On \emph{Elms}. \newblock J. 3, 2018. doi:10.1000/elm"
        "\n\n"
        r"\bibitem{b} B. Wu, 2020.\end{thebibliography}\end{document}"
    )
    assert [(r.key, r.title, r.year) for r in found.references] == [("b", "", 2020), ("a", "On Elms", 2018)]
    assert found.references[1].ids == {"doi": "10.1000/elm"}
    assert texts(found.body) == ["Words [1], [2, ?]."]


def test_author_year_labels_of_a_bbl_file() -> None:
    listed = rb"\begin{thebibliography}{}\bibitem[Lind et~al.(2018)Lind, Wu]{a} Lind. Elms.\end{thebibliography}"
    found = read(r"\title{A}\begin{document}Words \citep{a}.\end{document}", {"main.bbl": listed})
    assert texts(found.body) == ["Words (Lind et al., 2018)."]


def test_a_part_is_read_with_its_paper() -> None:
    files = {"main.tex": PAPER.encode(), "part.tex": PART}
    with pytest.raises(ReadError, match=r"part of main\.tex"):
        read(PART.decode(), files, "folder/part.tex")


def test_recursive_inputs_and_macros_end() -> None:
    loop = rb"\input{a}\input{a} words"
    found = read(r"\title{A}\newcommand{\x}{\x\x\x\x}" + r"\x " * 1000 + loop.decode(), {"a.tex": loop})
    assert len(found.body) < 1000


def test_matches_by_name_and_content() -> None:
    assert latex.matches("main.tex", PAPER.encode())
    assert not latex.matches("style.sty", PAPER.encode())
    assert not latex.matches("numbers.tex", b"1 2 3")


@pytest.mark.parametrize("text", ["", "words", r"\title{}", r"\title{", "\0" * 50])
def test_rejects_a_document_without_a_title(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)


@pytest.mark.parametrize(
    "part",
    [
        "{", "}", "\\", "$", "%", r"\begin{itemize}\item ", r"\begin{figure}", r"\begin{tabular}{l}",
        r"\begin{equation}", r"\begin{verbatim}",
        r"\section{", r"\footnote{", r"\cite[", r"\[", r"\newcommand{\a}{", r"\a{}",
        r"\verb|", "&",
    ],
)  # fmt: skip
def test_deep_and_unclosed_markup_is_read_quickly(part: str) -> None:
    read(r"\title{A}\begin{document}" + part * (100_000 // len(part)))


def test_damaged_papers_are_read_or_rejected() -> None:
    for content in damaged(PAPER.encode()):
        try:
            (found,) = latex.read(content, "main.tex", Beside({"trees.bib": BIB, "part.tex": content}))
            assemble(found)
        except ReadError:
            continue


def test_real_papers_match_the_manifest(shared: Callable[[str], Path]) -> None:
    read_papers = papers(shared(PROCEEDINGS), "tex")
    assert len(read_papers) == 5
    for record, found in read_papers:
        assert found.title == record["title"]
        assert [author.printed for author in found.authors] == record["authors"]
        assert found.ids["doi"] == record["doi"]
        assert found.abstract
    mentioned = {record["key"]: len(mentioned_keys(shared(PROCEEDINGS), record)) for record, _ in read_papers}
    # Two papers mention other keys in comments.
    assert sum(len(found.references) == mentioned[record["key"]] for record, found in read_papers) == 3
    assert all(len(found.references) <= mentioned[record["key"]] for record, found in read_papers)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (r"\author{Ada Lind \\ Elm House \and Bo Wu \\ Tin College}", ["Ada Lind", "Bo Wu"]),
        (r"\author{Ada Lind, Bo Wu and Cy Roe \\ Tin College}", ["Ada Lind", "Bo Wu", "Cy Roe"]),
        (r"\author{plato}", ["plato"]),
        (r"\author{Ada Lind}\author{Tin Coast Consortium}", ["Ada Lind", "Tin Coast Consortium"]),
        (r"\author{Ada Lind \\ Anna Wu}", None),
        (r"\author{Ada Lind, Salt}", None),
        (r"\author{Tin College}", None),
    ],
)
def test_authors_are_understood_or_unknown(command: str, names: list[str] | None) -> None:
    text = (
        rf"\documentclass{{article}}\title{{On ferns}}{command}\begin{{document}}\maketitle Ferns grow.\end{{document}}"
    )
    (paper,) = latex.read(text.encode(), "a.tex", NoCompanions())
    assert [author.printed for author in paper.authors] == (names or [])
    assert ("authors" in paper.unknown) == (names is None)


def test_a_title_page_without_authors_states_that_there_are_none() -> None:
    text = r"\documentclass{article}\title{On ferns}\begin{document}\maketitle Ferns grow.\end{document}"
    (paper,) = latex.read(text.encode(), "a.tex", NoCompanions())
    assert {"authors", "abstract", "tables"} <= paper.stated
    (paper,) = latex.read(text.replace(r"\maketitle", "").encode(), "a.tex", NoCompanions())
    assert "authors" not in paper.stated and paper.unknown["authors"]

"""R Markdown, Quarto and Sweave: code that readers see, code that they do not, and the papers around it."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.latex import reader as latex
from fathom.corpus.readers.myst import reader as myst
from fathom.corpus.readers.parsing.knitr import shown_latex, shown_markdown
from tests.corpus.readers.test_bibtex import Beside

BIB = b"@article{lind, author={Anna Lind and Jo Roe}, title={On Elms}, year=2018}"

PAPER = """\
---
title: "Bill length in three species"
author:
  - name: Maria Silva
    affiliation: University of Porto
  - name: "Chen Wei"
date: "2024-03-02"
bibliography: trees.bib
abstract: We compare bills.
---

```{r setup, include=FALSE}
library(hidden)
```

# Introduction

Bills differ [@lind]. We studied `r nrow(penguins)` birds.

```{r, cache=TRUE}
summary(data)
```

```{r plot, echo=FALSE, fig.cap="Bills, with \\"whiskers\\"."}
boxplot(hidden)
```

::: {.callout-note}
Numbers are preliminary.
:::

# References
"""

SWEAVE = r"""\documentclass{article}
\title{Growth of elms}
\author{Anna Lind \and Jo Roe}
\begin{document}
\maketitle
\section{Data}
<<load, echo=FALSE>>=
hidden <- 1
@
We measured \Sexpr{nrow(x)} elms \cite{lind}.
<<>>=
summary(x)
@ a comment
\bibliography{trees}
\end{document}
"""


@pytest.mark.parametrize("name", ["paper.Rmd", "paper.qmd", "notes/paper.rmarkdown"])
def test_a_paper_in_r_markdown(name: str) -> None:
    assert myst.matches(name, PAPER.encode())
    [parsed] = myst.read(PAPER.encode(), name, Beside({"trees.bib": BIB}))
    document = assemble(parsed)
    assert document.title.of(document.text) == "Bill length in three species"
    assert [author.printed for author in parsed.authors] == ["Maria Silva", "Chen Wei"]
    assert document.year == 2024
    assert [reference.title for reference in parsed.references] == ["On Elms"]
    assert len(document.citations) == 1
    assert "hidden" not in document.text
    for part in ("summary(data)", 'Figure: Bills, with "whiskers".', "Numbers are preliminary.", "r nrow(penguins)"):
        assert part in document.text
    assert "tables" not in parsed.stated, "the tables of R Markdown are results of code"


def test_a_paper_in_sweave() -> None:
    assert latex.matches("growth.Rnw", SWEAVE.encode())
    [parsed] = latex.read(SWEAVE.encode(), "growth.Rnw", Beside({"trees.bib": BIB}))
    document = assemble(parsed)
    assert document.title.of(document.text) == "Growth of elms"
    assert len(document.citations) == 1
    assert "summary(x)" in document.text
    assert "hidden" not in document.text
    assert "comment" not in document.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("```{r}\n1\n```", "```r\n1\n```"),
        ("```{python, eval = F}\n1\n```\ntext", "```python\n1\n```\ntext"),
        ("````{r}\n```\n````\nx", "````r\n```\n````\nx"),
        ("```{r}\n#| echo: false\n1\n```\nx", "x"),
        ("```{r}\n#| fig-cap: 'Two'\n#| echo: false\n1\n```\nx", "\nFigure: Two\n\nx"),
        ("---\nexecute:\n  echo: false\n---\n```{r}\n1\n```\n```{r, echo=TRUE}\n2\n```", None),
        ("```{r}\nknitr::opts_chunk$set(echo = FALSE, message = FALSE)\n```\nx", "x"),
        ("```r\n1\n```", "```r\n1\n```"),
        ("```{note} echo=FALSE\ntext\n```", "```{note} echo=FALSE\ntext\n```"),
        ("```{r}\nnever closed", "```r\nnever closed\n```"),
    ],
)
def test_chunks_of_code(text: str, shown: str | None) -> None:
    if shown is None:
        shown = "---\nexecute:\n  echo: false\n---\n```r\n2\n```"
    assert shown_markdown(text) == shown


def test_chunks_of_sweave() -> None:
    assert shown_latex("a\n<<x>>=\n1\n@\nb") == "a\n\\begin{verbatim}\n1\n\\end{verbatim}\nb"
    assert shown_latex("\\SweaveOpts{echo=FALSE}\n<<x>>=\n1\n@\nb") == "\\SweaveOpts{echo=FALSE}\nb"
    assert shown_latex("an @ sign\n") == "an @ sign\n"

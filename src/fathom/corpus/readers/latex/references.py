"""Works that a LaTeX document can cite, and the labels of its cross-references."""

from __future__ import annotations

import re
from dataclasses import replace

from fathom.corpus.readers.bibtex.citations import (
    CitedWork,
    bib_file_names,
    read_bibliographies,
    with_bib_suffix,
)
from fathom.corpus.readers.bibtex.latex_text import latex_to_text
from fathom.corpus.readers.latex.source import SourceText
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedReference
from fathom.corpus.readers.parsing.decoding import decode_text
from fathom.corpus.readers.parsing.identifiers import find_arxiv, find_doi

_NUMERIC = {"plain", "unsrt", "abbrv", "ieeetr", "ieeetran", "acm", "siam", "splncs04", "unsrtnat", "plainurl"}


def read_cited_works(
    text: str, name: str, companions: CompanionFiles, expand: SourceText
) -> tuple[dict[str, CitedWork], bool, list[str]]:
    """Return the works that can be cited, whether citations are numeric, and the entries that cannot be parsed."""
    names = [
        with_bib_suffix(name)
        for group in re.findall(r"\\(?:bibliography|addbibresource)\s*(?:\[[^\[\]]*\])?\s*\{([^{}]{1,500})\}", text)
        for name in group.split(",")
    ]
    items = _thebibliography_works(text)
    if not names and not items:
        names = bib_file_names(companions)
    works, broken = read_bibliographies(names, companions)
    if not works and not items:
        items = _bbl_works(name, companions, expand)
    for key, source in items.items():
        works.setdefault(key, source)
    all_numbered = bool(items) and not any(source.names for source in items.values())
    return works, all_numbered or _is_numeric(text), broken


def _bbl_works(name: str, companions: CompanionFiles, expand: SourceText) -> dict[str, CitedWork]:
    """Return the works of the lists that LaTeX has written; only the document's own list is printed whole."""
    own = re.split(r"[/\\:!]", name)[-1].rpartition(".")[0] + ".bbl"
    names = [name for name in companions.names() if name.lower().endswith(".bbl")]
    works: dict[str, CitedWork] = {}
    for one in [own] if own in names else names:
        content = companions.get(one)
        found = _thebibliography_works(expand.protect(decode_text(content))) if content is not None else {}
        works.update({key: replace(work, printed=one == own or len(names) == 1) for key, work in found.items()})
    return works


def _thebibliography_works(text: str) -> dict[str, CitedWork]:
    """Return the entries of the `thebibliography` environment."""
    works: dict[str, CitedWork] = {}
    start = text.find("\\begin{thebibliography}")
    end = text.find("\\end{thebibliography}", start)
    if start < 0:
        return works
    for part in re.split(r"\\bibitem\b", text[start : end if end >= 0 else len(text)])[1:]:
        match = re.match(r"\s*(?:\[((?:[^\[\]]|\{\[\}|\{\]\}){0,500})\])?\s*\{([^{}]{1,200})\}", part)
        if match is not None:
            works.setdefault(match[2].strip(), _entry(match[2].strip(), match[1] or "", part[match.end() :]))
    return works


def _is_numeric(text: str) -> bool:
    """Return whether the document prints citations as numbers."""
    package = re.search(r"\\usepackage\s*(?:\[([^\[\]]*)\])?\s*\{(?:natbib|biblatex)\}", text)
    if package is not None:
        return "numbers" in (package[1] or "") or "numeric" in (package[1] or "") or "super" in (package[1] or "")
    style = re.search(r"\\bibliographystyle\s*\{([^{}]{1,60})\}", text)
    return style is not None and style[1].strip().lower() in _NUMERIC


def _entry(key: str, label: str, text: str) -> CitedWork:
    """Return the work of a `\\\\bibitem`."""
    blocks = [" ".join(latex_to_text(block).split()) for block in re.split(r"\\newblock\b", text[:5_000])]
    printed = " ".join(filter(None, blocks))
    year = re.search(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", printed)
    title = blocks[1].strip(" .,") if len(blocks) > 2 else ""
    ids = {"doi": find_doi(printed), "arxiv": find_arxiv(printed)}
    reference = ParsedReference(
        key=key,
        text=printed or key,
        title=title,
        year=int(year[1]) if year else None,
        ids={name: value for name, value in ids.items() if value},
    )
    named = re.match(r"\s*(.{1,200}?)\s*\(\s*(\d{4}[a-z]?|n\.d\.)\s*\)", latex_to_text(label))
    return CitedWork(reference, named[1] if named else "", named[2] if named else "", printed=True)


def find_labels(text: str) -> dict[str, tuple[str, str]]:
    """Return the kind and number that each label refers to."""
    labels: dict[str, tuple[str, str]] = {}
    counts: dict[str, int] = {}
    sections = [0, 0, 0]
    current, section = ("", ""), ("", "")
    pattern = re.compile(
        r"\\begin\s*\{(figure|table|equation|align|gather|multline|eqnarray|algorithm|wrapfigure)\*?\}"
        r"|\\end\s*\{(?:figure|table|equation|align|gather|multline|eqnarray|algorithm|wrapfigure)\*?\}"
        r"|\\((?:sub){0,2}section)\s*[\[{]|\\label\s*\{([^{}]{1,200})\}"
    )
    for match in pattern.finditer(text):
        if match[1]:
            kind = {"figure": "Figure", "wrapfigure": "Figure", "table": "Table", "algorithm": "Algorithm"}.get(
                match[1], "Equation"
            )
            counts[kind] = counts.get(kind, 0) + 1
            current = (kind, str(counts[kind]))
        elif match[2]:
            rank = match[2].count("sub")
            sections[rank] += 1
            sections[rank + 1 :] = [0] * (2 - rank)
            section = ("Section", ".".join(map(str, sections[: rank + 1])))
        elif match[3]:
            labels.setdefault(match[3].strip(), current if current[0] else section)
        else:
            current = ("", "")
    return labels

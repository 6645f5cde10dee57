"""Reading of PDFs in the layouts of publishers: correct, incorrect and unknown fields on typeset random articles.

Target: at least 98% of the fields that are known are correct, also in layouts on which no rule was written.
Needs `pdflatex` with the classes of publishers; in Debian: texlive-latex-extra, texlive-publishers,
texlive-fonts-recommended, texlive-science, lmodern and cm-super. Without it, nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from _articles import DEVELOPED, LAYOUTS, Article, make_article
from _measuring import workplace
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.parsed_document import NoCompanions, ReadError
from fathom.corpus.readers.pdf import reader as pdf
from fathom.records.documents import Document, FieldName
from fathom.records.names import without_accents

FIELDS: tuple[FieldName, ...] = ("title", "authors", "abstract", "sections", "references", "citations")


@dataclass
class Score:
    """Counts of documents of one layout by field and outcome: correct, incorrect or unknown."""

    documents: int = 0
    failed: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Score) -> None:
        self.documents += other.documents
        self.failed += other.failed
        self.counts += other.counts

    def row(self) -> str:
        cells = (
            " / ".join(str(self.counts[name, outcome]) for outcome in ("correct", "incorrect", "unknown"))
            for name in FIELDS
        )
        return f"{self.documents:>5} {self.failed:>7} " + " ".join(f"{cell:>14}" for cell in cells)


def main() -> None:
    options = _options()
    missing = [tool for tool in ("pdflatex", "kpsewhich") if shutil.which(tool) is None]
    if missing:
        print(f"not measured: {', '.join(missing)} not found (Debian: texlive-publishers, texlive-latex-extra)")
        return
    print(f"correct / incorrect / unknown documents; {options.papers} articles of each layout, seed {options.seed}")
    print(f"{'layout':<14} {'files':>5} {'refused':>7} " + " ".join(f"{name:>14}" for name in FIELDS))
    totals = {"developed": Score(), "kept aside": Score()}
    for layout in options.layouts.split(","):
        score = Score()
        for number in range(options.papers):
            article = make_article(random.Random(f"{options.seed} {layout} {number}"), number)
            _measure(article, layout, score, options.verbose)
        print(f"{layout:<14} {score.row()}", flush=True)
        totals["developed" if layout in DEVELOPED else "kept aside"].add(score)
    for name, score in totals.items():
        print(f"{name:<14} {score.row()}")
        print(f"  of known fields correct: {', '.join(_precisions(score))}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=10, help="articles of each layout")
    parser.add_argument("--layouts", default=",".join(LAYOUTS), help="names separated by commas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print incorrect and unknown fields")
    return parser.parse_args()


def _precisions(score: Score) -> Iterator[str]:
    for name in FIELDS:
        known = score.counts[name, "correct"] + score.counts[name, "incorrect"]
        if known:
            yield f"{name} {score.counts[name, 'correct'] / known:.1%}"


def _measure(article: Article, layout: str, score: Score, verbose: bool) -> None:
    """Typeset an article, read it, and count its fields."""
    content = _typeset(LAYOUTS[layout](article))
    if content is None:
        print(f"{layout}: LaTeX made no PDF (is its class installed?)")
        return
    score.documents += 1
    try:
        [parsed] = pdf.read(content, "paper.pdf", NoCompanions())
        document = assemble(parsed)
    except ReadError as fault:
        score.failed += 1
        print(f"{layout}: refused: {fault}")
        return
    for name in FIELDS:
        expected, actual = _truth(article, name), _value(document, article, name)
        outcome = "unknown" if document.state(name) != "known" else "correct" if expected == actual else "incorrect"
        score.counts[name, outcome] += 1
        if verbose and outcome != "correct":
            print(
                json.dumps({"layout": layout, "field": name, "why": document.unknown.get(name, ""), "is": str(actual)})
            )


def _typeset(source: str) -> bytes | None:
    """Return the PDF of a LaTeX source; None if there is none."""
    with workplace() as folder:
        (folder / "paper.tex").write_text(source)
        for _ in range(2):
            # Errors of single characters do not matter as long as there is a PDF.
            command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"]
            subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
        made = folder / "paper.pdf"
        return made.read_bytes() if made.exists() else None


def _truth(article: Article, name: str) -> object:
    match name:
        case "title":
            return _plain(article.title)
        case "authors":
            return [_plain(one.name) for one in article.authors]
        case "abstract":
            return _plain(article.abstract)
        case "sections":
            return [_plain(heading) for heading, _ in article.sections]
        case "references":
            return sorted(work.key for work in article.references)
        case _:
            return sorted(article.citations)


def _value(document: Document, article: Article, name: str) -> object:
    text = document.text
    match name:
        case "title":
            return _plain(document.title_text)
        case "authors":
            return [_plain(author.span.of(text)) for author in document.authors]
        case "abstract":
            return _plain(document.abstract.of(text)) if document.abstract is not None else ""
        case "sections":
            return [
                _plain(re.sub(r"^(?:\d+\.?|[IVX]+\.)\s+", "", one.heading.of(text)))
                for one in document.sections
                if one.heading is not None and one.role not in ("abstract", "references")
            ]
        case "references":
            return sorted(_keys(document, article))
        case _:
            keys = _keys(document, article)
            return sorted("" if one.reference is None else keys[one.reference - 1] for one in document.citations)


def _keys(document: Document, article: Article) -> list[str]:
    """Return the key of each entry read, by its title, first author and year; empty if it is none or several."""
    keys = []
    for reference in document.references:
        entry = _plain(reference.span.of(document.text))
        found = [
            work.key
            for work in article.references
            if all(_plain(str(part)) in entry for part in (work.title, work.authors[0].family, work.year))
        ]
        keys.append(found[0] if len(found) == 1 else "")
    return keys


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", without_accents(text)).casefold()


if __name__ == "__main__":
    main()

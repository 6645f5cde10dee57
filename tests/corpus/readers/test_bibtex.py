"""BibTeX: special cases of the format, and the bibliographies of 99 real papers."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.bibtex.citations import CitationFormatter, cited_work, format_reference, uncited_keys
from fathom.corpus.readers.bibtex.latex_text import latex_to_text
from fathom.corpus.readers.bibtex.parser import BibtexName, parse_author, parse_bibtex, parse_name, parse_names
from fathom.corpus.readers.latex import reader as latex
from fathom.corpus.readers.myst import reader as myst
from fathom.corpus.readers.parsed_document import CitationMark, ParsedDocument
from fathom.corpus.readers.rst import reader as rst
from tests.corpus.readers.conftest import members

PROCEEDINGS = "scipy-proceedings"
READERS = {"rst": rst, "myst": myst, "tex": latex}


class Beside:
    """Companion files of a document."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def get(self, name: str) -> bytes | None:
        return self._files.get(name.removeprefix("./"))

    def names(self) -> list[str]:
        return sorted(self._files)


@cache
def _archive(path: Path) -> dict[str, bytes]:
    return {name.split("/", 2)[2]: content for name, content in members(path)}


def papers(folder: Path, kind: str) -> list[tuple[dict[str, Any], ParsedDocument]]:
    """The parsed papers of one format, each with its line of the manifest."""
    files = _archive(folder / f"{kind}.tar.xz")
    found: list[tuple[dict[str, Any], ParsedDocument]] = []
    for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["format"] == kind:
            home = record["key"] + "/"
            beside = {name[len(home) :]: content for name, content in files.items() if name.startswith(home)}
            (one,) = READERS[kind].read(files[record["main"]], record["main"], Beside(beside))
            found.append((record, one))
    return found


def damaged(content: bytes) -> list[bytes]:
    """A document truncated, with flipped bytes, with duplicated parts, and in wrong encodings.

    `benchmarks/hostile.py` tries as many as one likes.
    """
    chance = random.Random(7)
    results = [content[: len(content) // 3], content.decode("utf-8").encode("utf-16"), b"", b"\0" * 99, b"\xff" * 99]
    while len(results) < 80:
        changed = bytearray(content)
        for _ in range(chance.randrange(1, 20)):
            place = chance.randrange(len(changed))
            match chance.randrange(3):
                case 0:
                    changed[place] = chance.randrange(256)
                case 1:
                    del changed[place : place + chance.randrange(40)]
                case _:
                    changed[place:place] = changed[place : place + 30] * 3
        results.append(bytes(changed))
    return results


BIB = r"""
Words between entries say nothing.
@string{jfp = "Journal of " # {Plants}}
@comment{@article{hidden, title = {Not there}}}
@preamble{ "\newcommand{\x}{y}" }
@Article{lind2018,
  author = "Lind, Anna and Wu, Bo",
  title = {The {GROWTH} of {\"O}land's {\'{e}}lms},
  journal = jfp # " and Trees", year = 2018, month = jan,
  volume = 3, number = {4}, pages = {5--9},
  doi = {https://doi.org/10.1234/AB.5},
}
@misc(zhao, author = {van der Berg, Jr, Carl and others}, title = "A {quote: "} inside", year = {2020},
  eprint = {2001.01234v2}, archivePrefix = {arXiv})
@book{broken, title = {Never closed, year = 2001
}
@inproceedings{after, title = {After the broken one}, author = {{The Tree Group}}, booktitle = {Proc. X},
  date={2019-05}}
"""


def test_entries_strings_comments_and_both_delimiters() -> None:
    entries = parse_bibtex(BIB).entries
    assert list(entries) == ["lind2018", "zhao", "after"]
    assert entries["lind2018"].kind == "article"
    assert entries["lind2018"].plain("journal") == "Journal of Plants and Trees"
    assert entries["zhao"].plain("title") == 'A quote: " inside'
    assert entries["after"].year == 2019


def test_a_broken_entry_is_skipped_and_reported() -> None:
    assert parse_bibtex(BIB).broken == ["broken"]


def test_an_entry_is_formatted_in_one_plain_style() -> None:
    reference = format_reference(parse_bibtex(BIB).entries["lind2018"])
    assert reference.text == (
        "Anna Lind and Bo Wu (2018). The GROWTH of Öland's élms. Journal of Plants and Trees, 3(4), 5–9. "
        "doi:10.1234/AB.5."
    )
    assert reference.title in reference.text
    assert reference.authors == ("Anna Lind", "Bo Wu")
    assert (reference.year, reference.ids) == (2018, {"doi": "10.1234/AB.5"})


def test_organizations_suffixes_and_others() -> None:
    entries = parse_bibtex(BIB).entries
    assert format_reference(entries["after"]).text == "The Tree Group (2019). After the broken one. Proc. X."
    zhao = format_reference(entries["zhao"])
    assert zhao.text.startswith("Carl van der Berg Jr et al. (2020). ")
    assert zhao.ids == {"arxiv": "2001.01234"}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Stefan van der Walt", BibtexName("Stefan", "van der Walt")),
        ("van der Walt, Stefan", BibtexName("Stefan", "van der Walt")),
        ("von Last, Jr, First", BibtexName("First", "von Last", "Jr")),
        (r"Jos{\'e} {\'A}lvarez", BibtexName("José", "Álvarez")),
        ("{NumPy Developers}", BibtexName("", "NumPy Developers", group=True)),
        ("Plato", BibtexName("", "Plato")),
        ("Sammy Davis, Jr.", BibtexName("Sammy", "Davis", "Jr.")),
    ],
)
def test_names(written: str, name: BibtexName) -> None:
    assert parse_name(written) == name


def test_and_in_braces_does_not_separate_names() -> None:
    names, others = parse_names("{Barnes and Noble} and Anna Lind\n  and others")
    assert [name.printed for name in names] == ["Barnes and Noble", "Anna Lind"]
    assert others


def test_a_degree_after_a_name_is_not_a_given_name() -> None:
    author = parse_author("Anna Lind, PhD")
    assert (author.given, author.family, author.printed) == ("Anna", "Lind", "Anna Lind, PhD")


@pytest.mark.parametrize(
    ("markup", "plain"),
    [
        (r"Erd\H{o}s, \v{C}apek, \c{c}a, na\"{\i}ve, \'{\i}", "Erdős, Čapek, ça, naïve, í"),
        (r"{\ss} {\o} \L{}\'od\'z \AA", "ß ø Łódź Å"),
        (r"\textbf{bold} and \emph{stress}", "bold and stress"),
        (r"5\% of \$3 \& more\_so", "5% of $3 & more_so"),
        (r"``quoted'' pages 3--4---end~here", "“quoted” pages 3–4—end here"),
        (r"the $\alpha$ value", "the α value"),
        (r"\href{https://a.example}{words} \url{https://b.example}", "words https://b.example"),
        (r"unknown \foo{kept} \bar", "unknown kept "),
    ],
)
def test_latex_to_text(markup: str, plain: str) -> None:
    assert latex_to_text(markup) == plain


def test_citation_forms() -> None:
    sources = {key: cited_work(entry) for key, entry in parse_bibtex(BIB).entries.items()}
    citations = CitationFormatter(sources)
    assert citations.format(["lind2018", "zhao"], "parenthetical", "see", "p. 3") == [
        "(",
        "see ",
        CitationMark("Lind and Wu, 2018", ("lind2018",), "author-year"),
        "; ",
        CitationMark("van der Berg et al., 2020", ("zhao",), "author-year"),
        ", p. 3",
        ")",
    ]
    assert citations.format(["LIND2018"], "textual") == [
        CitationMark("Lind and Wu (2018)", ("lind2018",), "author-year")
    ]
    assert citations.format(["nobody"], "bare") == [CitationMark("nobody", ("nobody",))]


def test_numbers_and_references_follow_the_order_of_citation() -> None:
    sources = {key: cited_work(entry) for key, entry in parse_bibtex(BIB).entries.items()}
    citations = CitationFormatter(sources, numeric=True)
    citations.format(["after"], "parenthetical")
    assert citations.format(["zhao", "after"], "parenthetical")[2:5] == [
        CitationMark("2", ("zhao",), "numeric"),
        ", ",
        CitationMark("1", ("after",), "numeric"),
    ]
    assert [reference.key for reference in citations.references()] == ["after", "zhao"]


def test_works_that_are_listed_without_a_citation() -> None:
    works = {key: cited_work(entry) for key, entry in parse_bibtex(BIB).entries.items()}
    citations = CitationFormatter(works)
    citations.format(["zhao"], "bare")
    citations.include(["lind2018"])
    assert [reference.key for reference in citations.references()] == ["zhao", "lind2018"]
    citations.include(["*"])
    assert len(citations.references()) == 3
    assert citations.is_complete
    citations.include(["lost"])
    assert not citations.is_complete
    assert uncited_keys("", "@lind2018, @zhao.") == ["lind2018", "zhao"]
    assert uncited_keys("```{bibliography}\n:style: plain\n:all:\n```") == ["*"]
    assert uncited_keys(".. bibliography:: a.bib\n   :all:\n") == ["*"]
    assert uncited_keys(".. bibliography:: a.bib\n") == []


def test_a_doi_is_cited_without_a_bibliography() -> None:
    citations = CitationFormatter({})
    (mark,) = citations.format(["doi:10.1000/xyz"], "textual")
    assert isinstance(mark, CitationMark)
    assert [(r.key, r.ids) for r in citations.references()] == [(mark.keys[0], {"doi": "10.1000/xyz"})]


@pytest.mark.parametrize(
    "text",
    [
        "@a{k, t = {" * 20_000,
        "@a{k, t = " + "{" * 100_000,
        "@a{k, t = " + "{" * 100_000 + "}" * 100_000 + "}",
        "@a{k, author = {" + " and " * 20_000 + "}}",
        "@a{k, author = {" + "\n" * 100_000 + "}}",
        "@string{a = {x}}" + "".join(f"\n@string{{a = a # a # a}}\n@string{{b{n} = a # a}}" for n in range(500)),
        '@a{k, t = "' + "\\" * 99_999,
    ],
)
def test_hostile_bibliographies_are_read_quickly(text: str) -> None:
    for entry in parse_bibtex(text).entries.values():
        cited_work(entry)


def test_damaged_bibliographies_keep_their_valid_entries() -> None:
    for content in damaged(BIB.encode()):
        for entry in parse_bibtex(content.decode("utf-8", "replace")).entries.values():
            assert format_reference(entry).text


def _counted(folder: Path, record: dict[str, Any]) -> tuple[int, int]:
    """Count the parsed entries and the duplicate keys."""
    files = _archive(folder / f"{record['format']}.tar.xz")
    texts = [files[f"{record['key']}/{name}"].decode("utf-8", "replace") for name in record["bib_files"]]
    read = sum(len(parse_bibtex(text).entries) for text in texts)
    keys = [key for text in texts for key in re.findall(r"(?m)^\s*@\w+\s*\{\s*([^,\s]+)", text)]
    return read, len(keys) - read


def mentioned_keys(folder: Path, record: dict[str, Any]) -> set[str]:
    """The keys of a paper's bibliography that occur anywhere in its text."""
    files = _archive(folder / f"{record['format']}.tar.xz")
    bibliographies = [files[f"{record['key']}/{name}"].decode("utf-8", "replace") for name in record["bib_files"]]
    own = [content for name, content in files.items() if name.startswith(f"{record['key']}/") and name[-4:] != ".bib"]
    text = b"\n".join(own).decode("utf-8", "replace").lower()
    keys = {key for one in bibliographies for key in re.findall(r"(?m)^\s*@\w+\s*\{\s*([^,\s]+)", one)}
    return {key for key in keys if re.search(rf"(?<![\w-]){re.escape(key.lower())}(?![\w-])", text)}


def test_real_bibliographies_match_the_manifest(shared: Callable[[str], Path]) -> None:
    folder = shared(PROCEEDINGS)
    manifest = [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    counts = {record["key"]: (record["n_bib_entries"], *_counted(folder, record)) for record in manifest}
    assert len(counts) == 99
    equal = [key for key, (wanted, read, _) in counts.items() if read == wanted]
    assert len(equal) >= 90, {key: count for key, count in counts.items() if key not in equal}


@pytest.mark.slow
def test_references_match_the_known_citation_edges(shared: Callable[[str], Path]) -> None:
    folder = shared(PROCEEDINGS)
    read = [pair for kind in READERS for pair in papers(folder, kind)]
    rows = csv.DictReader((folder / "citation_edges.csv").read_text(encoding="utf-8").splitlines())
    gold = {(row["citing"], row["cited"]) for row in rows}
    titles = {_bare(found.title): record["key"] for record, found in read}
    edges = {
        (record["key"], titles[_bare(reference.title)])
        for record, found in read
        for reference in found.references
        if _bare(reference.title) in titles
    }
    edges = {(citing, cited) for citing, cited in edges if citing != cited}
    assert len(gold) == 36
    # The manifest has the edges of all bibliography entries, but these eleven are not cited in the text.
    assert len(gold & edges) == 25, gold - edges
    assert len(edges - gold) <= 2, edges - gold


def _bare(title: str) -> str:
    return re.sub(r"\W+", "", title).lower()


@pytest.mark.slow
def test_citations_of_every_paper_resolve(shared: Callable[[str], Path]) -> None:
    documents = [assemble(found) for kind in READERS for _, found in papers(shared(PROCEEDINGS), kind)]
    citations = [citation for document in documents for citation in document.citations]
    assert len(documents) == 99
    assert sum(citation.reference is not None for citation in citations) / len(citations) > 0.99

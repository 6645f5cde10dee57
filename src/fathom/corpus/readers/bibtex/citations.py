"""References and in-text citations printed from BibTeX entries, and the bibliography files of a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.corpus.readers.bibtex.latex_text import clean_latex
from fathom.corpus.readers.bibtex.parser import BibEntry, parse_bibtex
from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    CompanionFiles,
    Heading,
    Inlines,
    ParsedDocument,
    ParsedReference,
    ReadError,
)
from fathom.corpus.readers.parsing.blocks import inlines_text
from fathom.corpus.readers.parsing.decoding import decode_text
from fathom.corpus.readers.parsing.identifiers import find_arxiv, find_doi
from fathom.corpus.readers.parsing.section_roles import role_of

# References.


def format_reference(entry: BibEntry) -> ParsedReference:
    """Format an entry in one plain style: Authors (year). Title. Venue. Identifiers."""
    names, others = entry.people()
    authors = tuple(name.printed for name in names)
    title = entry.plain("title", "booktitle", "shorttitle").rstrip(". ")
    year = str(entry.year) if entry.year else ""
    people = _join_names(authors, others)
    head = f"{people} ({year})" if people and year else people or (f"({year})" if year else "")
    parts = [head, title, _venue(entry, title), *_format_ids(entry)]
    text = ". ".join(part.rstrip(". ") for part in parts if part.strip(". "))
    return ParsedReference(
        key=entry.key,
        text=f"{text}." if text else entry.key,
        title=title,
        authors=authors,
        year=entry.year,
        ids=entry_ids(entry),
        tagged=True,
    )


def entry_ids(entry: BibEntry) -> dict[str, str]:
    """Return the identifiers of an entry, without URL prefixes."""
    ids: dict[str, str] = {}
    link = entry.fields.get("url", "") + " " + entry.fields.get("howpublished", "")
    doi = find_doi(entry.plain("doi")) or find_doi(clean_latex(link))
    if doi:
        ids["doi"] = doi
    eprint = entry.plain("eprint", "arxivid", "arxiv")
    scheme = entry.plain("archiveprefix", "eprinttype").lower()
    arxiv = (find_arxiv(eprint, bare=True) if eprint and scheme in ("", "arxiv") else "") or find_arxiv(
        " ".join([entry.plain("journal", "booktitle", "publisher"), entry.plain("note"), clean_latex(link), doi])
    )
    if arxiv:
        ids["arxiv"] = arxiv
    pmid = re.fullmatch(r"\d{4,9}", entry.plain("pmid"))
    if pmid:
        ids["pmid"] = pmid[0]
    pmcid = re.search(r"PMC\d+", entry.plain("pmcid", "pmc"))
    if pmcid:
        ids["pmcid"] = pmcid[0]
    return ids


def _join_names(authors: Sequence[str], others: bool) -> str:
    if others:
        return ", ".join(authors) + " et al."
    if len(authors) < 3:
        return " and ".join(authors)
    return ", ".join(authors[:-1]) + ", and " + authors[-1]


def _venue(entry: BibEntry, title: str) -> str:
    """Return the venue with volume, pages and publisher."""
    where = entry.plain("journal", "journaltitle", "booktitle", "series")
    volume, number = entry.plain("volume"), entry.plain("number", "issue")
    if where == title:
        where = ""
    issue = f"{volume}({number})" if volume and number else volume or number
    pages = re.sub(r"\s*[-–]+\s*", "–", entry.plain("pages"))
    by = entry.plain("publisher", "organization", "institution", "school")
    coverage_note = "" if where or by else re.sub(r"https?://\S+", "", entry.plain("howpublished", "note"))
    return ", ".join(part.rstrip(".,; ") for part in (where, issue, pages, by, coverage_note) if part.strip(".,; "))


def _format_ids(entry: BibEntry) -> list[str]:
    ids = entry_ids(entry)
    printed = [f"{name}:{ids[scheme]}" for scheme, name in (("doi", "doi"), ("arxiv", "arXiv")) if scheme in ids]
    link = re.search(r"https?://[^\s{}\\]+(?:\\_[^\s{}\\]*)*", entry.fields.get("url") or entry.plain("howpublished"))
    return printed if printed or link is None else [link[0].replace("\\_", "_")]


# Citations.

CitationForm = Literal["parenthetical", "textual", "bare", "year", "names"]


@dataclass(frozen=True)
class CitedWork:
    """A work that can be cited, and its name in running text."""

    reference: ParsedReference
    names: str
    """ "Lind", "Lind and Wu", "Lind et al."; empty if it is cited by number."""
    year: str
    printed: bool = False
    """Whether it is printed in the list even if it is not cited: an item of `thebibliography`."""


def cited_work(entry: BibEntry) -> CitedWork:
    """Return an entry as a work to cite."""
    names, others = entry.people()
    families = [name.family or name.printed for name in names]
    if not families:
        title = entry.plain("organization", "institution", "publisher") or entry.plain("title") or entry.key
        name = " ".join(title.split()[:4]).rstrip(".,:;")
    elif others or len(families) > 2:
        name = f"{families[0]} et al."
    else:
        name = " and ".join(families)
    return CitedWork(format_reference(entry), name, str(entry.year or "n.d."))


class CitationFormatter:
    """Formats citations and records the order in which works are cited."""

    def __init__(self, works: Mapping[str, CitedWork], numeric: bool = False) -> None:
        self._works = dict(works)
        self._numeric = numeric
        self._cited: dict[str, int] = {}
        self._missing: set[str] = set()
        self._by_lowercase_key = {key.lower(): key for key in reversed(self._works)}
        self._by_doi = {
            work.reference.ids["doi"].lower(): key
            for key, work in reversed(self._works.items())
            if "doi" in work.reference.ids
        }

    def has(self, key: str) -> bool:
        """Return whether a work has this key, ignoring case, or the key is a DOI."""
        return self._resolve(key) in self._works

    def _resolve(self, key: str) -> str:
        if key in self._works:
            return key
        if key.lower() in self._by_lowercase_key:
            return self._by_lowercase_key[key.lower()]
        doi = find_doi(key) if re.match(r"(?i)(doi:|https?://(dx\.)?doi\.org/|10\.\d)", key) else ""
        if not doi:
            return key
        if doi.lower() not in self._by_doi:
            # MyST can cite a work by its DOI alone, without an entry in a bibliography.
            self._works[key] = CitedWork(ParsedReference(key, f"doi:{doi}", ids={"doi": doi}), "", "")
            self._by_doi[doi.lower()] = key
        return self._by_doi[doi.lower()]

    def format(self, keys: Iterable[str], form: CitationForm, before: str = "", after: str = "") -> Inlines:
        """Format one citation of one or more works."""
        found = [self._resolve(key) for key in keys]
        marks = [self._mark(key, form) for key in found]
        if not marks:
            return []
        named = [self._works[key].names for key in found if key in self._works] if form == "textual" else []
        inner: Inlines = [before + " "] if before else []
        for mark in marks:
            if len(inner) > bool(before):
                inner.append(", " if self._numeric else "; ")
            inner.append(mark)
        if after:
            inner.append(f", {after}")
        if self._numeric and form not in ("bare", "year", "names"):
            return [" and ".join(filter(None, named)), " [" if any(named) else "[", *inner, "]"]
        return ["(", *inner, ")"] if form == "parenthetical" else inner

    def _mark(self, key: str, form: CitationForm) -> CitationMark:
        work = self._works.get(key)
        if work is None:
            self._missing.add(key)
            return CitationMark("?" if self._numeric else key, (key,), "numeric" if self._numeric else None)
        number = self._cited.setdefault(key, len(self._cited) + 1)
        if self._numeric:
            return CitationMark(str(number), (key,), "numeric")
        if not work.names:
            return CitationMark(work.reference.text.rstrip(".")[:80], (key,), "author-year")
        text = {"textual": f"{work.names} ({work.year})", "year": work.year, "names": work.names}.get(
            form, f"{work.names}, {work.year}"
        )
        return CitationMark(text, (key,), "author-year")

    def include(self, keys: Iterable[str]) -> None:
        """Add works to the list that the text does not mention; "*" adds all of them."""
        for key in keys:
            for work in list(self._works) if key == "*" else [self._resolve(key)]:
                if work in self._works:
                    self._cited.setdefault(work, len(self._cited) + 1)
                else:
                    self._missing.add(work)

    def references(self) -> list[ParsedReference]:
        """Return the cited works in the order of their first citation, then the other works of a printed list.

        A bibliography file often serves several documents, so its other entries do not belong to this one.
        """
        rest = [key for key, work in self._works.items() if work.printed and key not in self._cited]
        return [self._works[key].reference for key in [*self._cited, *rest]]

    @property
    def is_complete(self) -> bool:
        """Whether every key cited so far belongs to a work."""
        return not self._missing


_MAX_FILES = 50
"""Maximum number of bibliography files of one document."""


def read_companion(name: str, companions: CompanionFiles) -> bytes | None:
    """Return a file in the document's folder; None if it is missing or its name is invalid."""
    return companions.get(name) if 0 < len(name) <= 200 and name.isprintable() else None


def bib_file_names(companions: CompanionFiles) -> list[str]:
    """Return the names of the bibliography files in the document's folder."""
    return sorted(name for name in companions.names() if name.lower().endswith(".bib"))


def with_bib_suffix(name: str) -> str:
    """Return a bibliography file's name with its suffix, which many documents omit."""
    name = name.strip().strip("`").strip()
    return name if name.lower().endswith(".bib") else f"{name}.bib"


def read_bibliographies(names: Sequence[str], companions: CompanionFiles) -> tuple[dict[str, CitedWork], list[str]]:
    """Return the works in these bibliography files by key, and the names of the entries that cannot be parsed."""
    works: dict[str, CitedWork] = {}
    broken: list[str] = []
    for name in names[:_MAX_FILES]:
        content = read_companion(name, companions)
        if content is not None:
            try:
                file = parse_bibtex(decode_text(content))
            except ReadError:  # Its encoding is unknown: no entry is better than damaged names.
                broken.append(name)
                continue
            broken.extend(file.broken)
            for key, entry in file.entries.items():
                works.setdefault(key, cited_work(entry))
    return works, broken


_LISTS_ALL = re.compile(r"(?:\{bibliography\}|\.\. bibliography::)[^\n]{0,300}\n(?:[^\n]{0,200}\n){0,8}?[ \t]*:all:")


def uncited_keys(text: str, nocite: str = "") -> list[str]:
    """Return the keys of works that a MyST or Sphinx document lists without citing them; "*" for all.

    `nocite`: the value of that name in the front matter, such as "@lind2019, @wu2020".
    """
    keys = [key.rstrip(".,;") for key in re.findall(r"@([^\s,;]{1,200})", nocite)]
    return [*keys, "*"] if _LISTS_ALL.search(text) else keys


def state_references(document: ParsedDocument, citations: CitationFormatter, broken: Sequence[str]) -> None:
    """State whether the reference list is complete, and note the bibliography entries that cannot be parsed."""
    if not citations.is_complete:
        document.unknown["references"] = "works cited in the text are missing from the bibliography"
    elif not document.references and not any(_is_reference_heading(block) for block in document.body):
        # Without citation commands and without a list there is nothing to read.
        document.stated |= {"references", "citations"}
    if broken:
        document.notes["bibliography"] = "cannot be parsed: " + ", ".join(broken[:20])


def _is_reference_heading(block: Block) -> bool:
    return isinstance(block, Heading) and role_of(inlines_text(block.inlines)) == "references"

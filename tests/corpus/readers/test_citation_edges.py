"""The citation graph of real documents, read and linked, against the known edges; what is beyond them is proved here.

The known edges were found by the journal's own DOIs, and by titles in the preprints alone. So there are more: each one
that we find besides is proved from the two XML files by other means than the reader's and the linker's.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lxml import etree

from fathom.corpus.linking import Linker, linkable
from tests.corpus.readers.conftest import Elife

LETTER_OF_AN_EDITOR = ("10.7554/elife.45426", "10.7554/elife.07301", "bib14")
"""An entry with the document's title, the editor's name and the DOI of the decision letter that he wrote about it."""


class Edge(NamedTuple):
    citing: str
    cited: str
    entry: str
    """Its name in the citing document."""


def letters(title: str) -> str:
    """What is left of a title when the way formulas are set does not matter: "Ca(2+)" is "Ca2+"."""
    return re.sub(r"[^a-z0-9]", "", title.casefold().replace("γ", "gamma"))


def text_of(element: Any, path: str) -> str:
    found = element.find(path)
    return "" if found is None else "".join(found.itertext())


def surnames(element: Any, path: str) -> set[str]:
    return {"".join(one.itertext()).casefold() for one in element.iterfind(path)}


def preprints_of(document: Any) -> set[str]:
    """The DOIs under which a document says that it was a preprint."""
    uris = document.iterfind(".//pub-history//self-uri[@content-type='preprint']")
    return {uri.get("{http://www.w3.org/1999/xlink}href", "").partition("doi.org/")[2].lower() for uri in uris}


def proof(edge: Edge, citing: Any, cited: Any) -> str:
    """What in the two files shows that the entry names the document; empty where nothing does."""
    (entry,) = citing.iterfind(f".//ref[@id='{edge.entry}']")
    doi = text_of(entry, ".//pub-id[@pub-id-type='doi']").strip().lower()
    if doi.rstrip(".") == edge.cited:
        return "its DOI with a full stop behind it"
    if doi in preprints_of(cited):
        return "a preprint that it names as its own"
    title = letters(text_of(entry, ".//article-title"))
    same_title = title == letters(text_of(cited, "./front/article-meta/title-group/article-title"))
    authors = surnames(cited, "./front/article-meta/contrib-group/contrib[@contrib-type='author']/name/surname")
    if not same_title or not authors & surnames(entry, ".//surname"):
        return ""
    if doi.startswith("10.1101/"):
        return "a preprint of its title and authors"
    return "" if doi else "its title and authors, and no DOI"


@pytest.mark.slow
def test_the_graph_contains_the_known_edges_and_only_proved_others(shared: Callable[[str], Path], elife: Elife) -> None:
    folder = shared("elife-jats")
    listed = map(json.loads, (folder / "manifest.jsonl").read_text().splitlines())
    dois = {f"{one['set']}/{one['file']}": one["doi"].lower() for one in listed}
    read = {dois[name]: one for name, one in elife.items()}
    assert len(read) == 254  # one of the 255 stands in two of the sets
    linker = Linker()
    for _, _, document in read.values():
        linker.add(linkable(document))
    doi_of = {document.id: doi for doi, (_, _, document) in read.items()}
    edges = {
        Edge(doi, doi_of[match.document], reference.key)
        for doi, (_, found, document) in read.items()
        for reference, match in zip(found.references, linker.link(linkable(document)), strict=True)
        if match.document is not None
    }
    with (folder / "citation_edges.csv").open(newline="") as file:
        known = {
            Edge(row["citing_doi"].lower(), row["cited_doi"].lower(), row["ref_id_in_citing"])
            for row in csv.DictReader(file)
        }
    assert len(known) == 698 and known <= edges

    trees = {doi: etree.fromstring(content) for doi, (content, _, _) in read.items()}
    proofs = {edge: proof(edge, trees[edge.citing], trees[edge.cited]) for edge in sorted(edges - known)}
    unproved = [edge for edge, why in proofs.items() if not why]
    assert len(known) / (len(known) + len(unproved)) >= 0.99, unproved
    assert Counter(proofs.values()) == {
        "its DOI with a full stop behind it": 1,
        "a preprint that it names as its own": 5,
        "a preprint of its title and authors": 3,
        "its title and authors, and no DOI": 9,
    }
    assert LETTER_OF_AN_EDITOR not in edges
    letter = Edge(*LETTER_OF_AN_EDITOR)
    assert not proof(letter, trees[letter.citing], trees[letter.cited])

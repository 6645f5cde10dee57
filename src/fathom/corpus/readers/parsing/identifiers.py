"""DOI, arXiv, PubMed and PubMed Central ids in text."""

from __future__ import annotations

import re

_DOI = re.compile(r"(?<![\w.])10\.\d{4,9}/[^\s\"<>“”{}|\\^`]{1,300}")
_TAGGED_DOI = re.compile(r"10\.\d{4,9}/[^\s\"]{1,300}")
"""A DOI in an element or field of its own, where old ones of Wiley may have "<" and ">"."""
_ARXIV_NUMBER = r"(\d{4}\.\d{4,5}|[a-z][a-z.-]{1,15}/\d{7})(?:v\d{1,2})?(?!\d)"
ARXIV_ID = re.compile(
    rf"(?:arxiv|corr)(?:\.org/(?:abs|pdf)/|abs/|preprint|arxiv|[\s:.,]){{1,8}}{_ARXIV_NUMBER}", re.IGNORECASE
)
_BARE_ARXIV_ID = re.compile(rf"(?<![\w.]){_ARXIV_NUMBER}", re.IGNORECASE)
_PMID = re.compile(
    r"(?:\bPMID:?\s*|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)(\d{5,9})\b", re.IGNORECASE
)
_PMCID = re.compile(r"\b(PMC\d{4,9})\b")


def find_identifiers(text: str) -> dict[str, str]:
    """Return the ids in a text by type: doi, arxiv, pmid, pmcid, without prefixes."""
    ids: dict[str, str] = {}
    if doi := find_doi(text):
        ids["doi"] = doi
    if arxiv := find_arxiv(text):
        ids["arxiv"] = arxiv
    elif ids.get("doi", "").lower().startswith("10.48550/arxiv."):
        ids["arxiv"] = ids["doi"][len("10.48550/arxiv.") :]
    if found := _PMID.search(text):
        ids["pmid"] = found[1]
    if found := _PMCID.search(text):
        ids["pmcid"] = found[1]
    return ids


def find_doi(text: str, tagged: bool = False) -> str:
    """Return the first DOI in a text, without a URL before it and punctuation after it; empty if there is none."""
    match = (_TAGGED_DOI if tagged else _DOI).search(text)
    return trimmed_doi(match[0]) if match else ""


def trimmed_doi(doi: str) -> str:
    """Return a DOI without punctuation after it; a bracket opened inside it stays: 10.1016/S0140-6736(20)30183-5."""
    while True:
        shorter = doi.rstrip(".,;:'’\" \t\n")
        for opening, closing in ("()", "[]", "<>", "{}"):
            if shorter.endswith(closing) and shorter.count(closing) > shorter.count(opening):
                shorter = shorter[:-1]
        if shorter == doi:
            return doi
        doi = shorter


def find_arxiv(text: str, bare: bool = False) -> str:
    """Return the first arXiv id in a text, without its version; `bare`: also without the word arXiv before it."""
    lower = text.lower()
    if not bare and "arxiv" not in lower and "corr" not in lower:
        return ""  # Most texts: the search takes ten times as long.
    match = (_BARE_ARXIV_ID if bare else ARXIV_ID).search(text)
    return match[1] if match else ""

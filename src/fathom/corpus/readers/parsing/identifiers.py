"""DOI, arXiv, PubMed and PubMed Central ids in text."""

from __future__ import annotations

import re

_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"<>“”{}|\\^`]{1,300})")
ARXIV_ID = re.compile(
    r"(?:arxiv|corr)(?:\.org/(?:abs|pdf)/|\.|[:,\s]\s?(?:abs/)?)(?:preprint\s+arxiv:\s?)?"
    r"(\d{4}\.\d{4,5}|[a-z][a-z.-]{1,12}/\d{7})(?:v\d{1,2})?(?!\d)",
    re.IGNORECASE,
)
_PMID = re.compile(
    r"(?:\bPMID:?\s*|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)(\d{5,9})\b", re.IGNORECASE
)
_PMCID = re.compile(r"\b(PMC\d{4,9})\b")


def find_identifiers(text: str) -> dict[str, str]:
    """Return the ids in a text by type: doi, arxiv, pmid, pmcid, without prefixes."""
    ids: dict[str, str] = {}
    if found := _DOI.search(text):
        ids["doi"] = bare_doi(found[1])
    if found := ARXIV_ID.search(text):
        ids["arxiv"] = found[1]
    elif ids.get("doi", "").lower().startswith("10.48550/arxiv."):
        ids["arxiv"] = ids["doi"][len("10.48550/arxiv.") :]
    if found := _PMID.search(text):
        ids["pmid"] = found[1]
    if found := _PMCID.search(text):
        ids["pmcid"] = found[1]
    return ids


def bare_doi(text: str) -> str:
    """Return a DOI without a URL before it and punctuation after it; empty if there is none."""
    at = text.find("10.")
    doi = text[at : at + 300].strip() if at >= 0 else ""
    # A bracket that opens inside the DOI belongs to it: 10.1016/S0140-6736(20)30183-5.
    while doi and (doi[-1] in ".,;:'’\"]" or (doi[-1] == ")" and doi.count("(") < doi.count(")"))):
        doi = doi[:-1]
    return doi

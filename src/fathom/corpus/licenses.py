"""Names of licenses: converts prose, an abbreviation or a link in a source to an SPDX name."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MAX_CHARACTERS = 6_000
"""Characters of a license text that are searched."""

_URL = re.compile(
    r"creativecommons\.org/(?:licen[cs]es/([a-z]{2}(?:-[a-z]{2}){0,2})/?(\d\.\d)?(?:/([a-z]{2,3})\b)?"
    r"|publicdomain/(zero|mark))",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(
    r"\bCC[\s_–-]{0,2}BY(?![a-z])((?:[\s_/–-]{1,3}(?:NC|ND|SA)(?![a-z]))*)"
    r"(?:[\s_,–-]{0,3}v?(?:ersion )?(?:([1-4])(?:[._](\d))?(?![\d.]*\w)))?"
    r"(?:-([A-Z]{2,3})\b)?",
    re.IGNORECASE,
)
_COMMONS = re.compile(r"creative\s+commons|知识共享|創用\s?CC|クリエイティブ・コモンズ", re.IGNORECASE)
_GAP = r"[\s,;:./&'’‐–—-]{0,4}(?:(?:and|the|of|terms|de|use)\s{1,2}){0,4}"
_BY = re.compile(
    rf"{_GAP}(?:BY\b|attribution|atribuci[óo]n|atribuiç[ãa]o|namensnennung|署名|姓名標示|表示)", re.IGNORECASE
)
_RESTRICTIONS = {
    "NC": re.compile(
        rf"{_GAP}(?:NC\b|non[\s‐–-]{{0,3}}commercial|no\s?comercial|n[ãa]o\s?comercial|pas d['’]utilisation commerciale"
        r"|nicht[\s-]?kommerziell|非商业(?:性)?(?:使用)?|非商業性|非営利)",
        re.IGNORECASE,
    ),
    "ND": re.compile(
        rf"{_GAP}(?:ND\b|no[\s‐–-]{{0,3}}deriv\w*(?:\s+works?)?|sin\s?(?:obra)?deriva\w*|pas de modification"
        r"|keine[\s-]?bearbeitung\w*|禁止演绎|禁止改作|改変禁止)",
        re.IGNORECASE,
    ),
    "SA": re.compile(
        rf"{_GAP}(?:SA\b|share[\s‐–-]{{0,3}}alike|compartir\s?igual|partage dans les mêmes conditions"
        r"|weitergabe unter gleichen bedingungen|相同方式共享|相同方式分享|継承)",
        re.IGNORECASE,
    ),
}
_NON_COMMERCIAL = re.compile(r"(?<!commercial and )(?<!commercial or )\bnon[\s‐–-]?commercial\b", re.IGNORECASE)
_VERSION = re.compile(
    r"[\s,()（]{0,3}(?:(?:unported|international|generic|public|licen[cs]es?|licen[cs]ia|lizenz|version|v\.?)[\s,()]{0,3})"
    r"{0,4}(\d\.\d)\b",
    re.IGNORECASE,
)
_ZERO = re.compile(
    r"\bCC[\s_-]{0,2}0\b|creative\s+commons\s+(?:zero|public\s+domain\s+de(?:dic|clar)ation)", re.IGNORECASE
)
_FOR_DATA = re.compile(r"\bdata\b", re.IGNORECASE)
_DENIED = re.compile(r"\bnot (?:be )?(?:available|licen[cs]ed|distributed|released|published) under\b", re.IGNORECASE)

_RESERVED = "all rights reserved"
_V = r",? (?:\(?version |\(?v\.?\s?)?"
_OTHERS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("OGL-UK-3.0", rf"open government licen[cs]e{_V}3|open-government-licence/version/3"),
        ("OGL-UK-2.0", rf"open government licen[cs]e{_V}2|open-government-licence/version/2"),
        ("arXiv-nonexclusive-1.0", r"arxiv\.org/licenses/nonexclusive|arxiv(?:\.org)? perpetual,? non-?exclusive"),
        ("Apache-2.0", rf"\bapache(?: software)? licen[cs]e{_V}2(?:\.0)?\b|apache\.org/licenses/LICENSE-2"),
        ("MIT", r"\bMIT licen[cs]e\b|opensource\.org/licenses?/MIT\b"),
        ("GFDL-1.3", rf"gnu free documentation licen[cs]e{_V}1\.3"),
        ("GPL-3.0", rf"gnu general public licen[cs]e{_V}3(?:\.0)?\b"),
        ("ODbL-1.0", r"open (?:data commons open )?database licen[cs]e"),
        ("public domain", r"(?:in|into) the public domain|public[\s-]domain (?:work|in the u)|^public domain\.?$"),
        (_RESERVED, r"\ball rights (?:are )?reserved\b"),
    )
)
_EXACT = {
    name.casefold(): name
    for name in (
        *("MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "GPL-2.0", "GPL-3.0", "LGPL-3.0", "AGPL-3.0", "MPL-2.0"),
        *("GPL-2.0-only", "GPL-3.0-only", "GPL-2.0-or-later", "GPL-3.0-or-later", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0"),
        *("CC0-1.0", "CC-PDM-1.0", "OGL-UK-1.0", "OGL-UK-2.0", "OGL-UK-3.0", "GFDL-1.3", "ISC", "Unlicense"),
        *("public domain", _RESERVED, "arXiv-nonexclusive-1.0"),
    )
}
"""Names that are kept as they are; those of Creative Commons are recognized by their parts."""


def spdx(text: str) -> str | None:
    """Return the SPDX name of the license that a text states; None if it states none, several, or one not known here.

    Without a version in the text the name has none: "CC-BY". "public domain" and "all rights reserved" have no SPDX
    name and are returned as such.
    """
    text = " ".join(text[:_MAX_CHARACTERS].split())
    if exact := _EXACT.get(text.casefold()):
        return exact
    if _DENIED.search(text):
        return None
    commons = _commons_licenses(text)
    if commons and not _URL.search(text) and "NC" not in commons[0][0] and _NON_COMMERCIAL.search(text):
        # "... Attribution License, which permits non-commercial use": the name or the sentence is wrong.
        return None
    if commons:
        return _common_license(commons)
    return next((name for name, pattern in _OTHERS if pattern.search(text)), None)


_MAX_STATEMENT = 2_000
"""Characters of a paragraph that states the license of its document."""

_DOCUMENT = (
    r"(?:article|work|paper|book|chapter|report|document|publication|preprint|manuscript|post|text|contribution)"
)
_STATEMENT = re.compile(
    rf"\bthis (?:is an? )?(?:open[\s-]access )?{_DOCUMENT},? (?:(?:which )?(?:is|was|has been|may be) )?"
    rf"(?:an open[\s-]access {_DOCUMENT} )?(?:freely |also |being )?"
    r"(?:licen[cs]ed|distributed|published|made available|available|released|reproduced|open[\s-]access"
    r"|under (?:the|a))\b"
    r"|^\W{0,3}licen[cs]e\W{0,3}:\W|^\W{0,4}(?:copyright|©|\(c\))[^.]{0,300}\blicen[cs]ed under\b",
    re.IGNORECASE,
)


def stated_license(paragraphs: Iterable[str]) -> str | None:
    """Return the license that paragraphs such as "This is an open access article distributed under ..." state.

    None if none states one, or if two state different ones.
    """
    statements = [
        paragraph for paragraph in paragraphs if len(paragraph) <= _MAX_STATEMENT and _STATEMENT.search(paragraph)
    ]
    # "License: MIT" is rather that of the software which a paper describes.
    names = {name for statement in statements if (name := spdx(statement)) and name.startswith(("CC", "OGL", "GFDL"))}
    return names.pop() if len(names) == 1 else None


def license_matches(license: str, pattern: str) -> bool:
    """Whether a license matches a name, in any version; "CC-BY*" matches every license that starts with "CC-BY"."""
    license_name, wanted_name = license.casefold(), pattern.casefold()
    if wanted_name.endswith("*"):
        return license_name.startswith(wanted_name.rstrip("*"))
    # "CC-BY" is CC-BY-4.0 too, but not CC-BY-NC-4.0.
    return license_name == wanted_name or bool(
        re.match(r"-\d", license_name[len(wanted_name) :]) and license_name.startswith(wanted_name)
    )


def _commons_licenses(text: str) -> list[tuple[str, str]]:
    """Return every license of Creative Commons that a text names: its kind, and its version if given."""
    found_names: list[tuple[str, str]] = []
    for url in _URL.finditer(text):
        kind, version, country, public = url.groups()
        if public:
            name = "CC0" if public.casefold() == "zero" else "CC-PDM"
            found_names.extend([(name, "1.0")] if not _is_for_data(text, url) else [])
        elif kind.casefold().startswith("by"):
            found_names.append((_kind(kind.upper().split("-")[1:]), _version(version, country)))
    found_names.extend(
        (
            _kind(re.findall("NC|ND|SA", short[1].upper())),
            _version(short[2] and f"{short[2]}.{short[3] or 0}", short[4]),
        )
        for short in _ABBREVIATION.finditer(text)
    )
    for zero in _ZERO.finditer(text):
        found_names.extend([("CC0", "1.0")] if not _is_for_data(text, zero) else [])
    return [*found_names, *filter(None, (_in_prose(text, commons.end()) for commons in _COMMONS.finditer(text)))]


def _in_prose(text: str, start: int) -> tuple[str, str] | None:
    """Return the license whose name in words begins after "Creative Commons"."""
    by = _BY.match(text, start)
    if by is None:
        return None
    parts: list[str] = []
    position = by.end()
    while restriction := next(
        ((name, match) for name, pattern in _RESTRICTIONS.items() if (match := pattern.match(text, position))), None
    ):
        parts.append(restriction[0])
        position = restriction[1].end()
    version = _VERSION.match(text, position)
    return _kind(parts), version[1] if version else ""


def _kind(parts: list[str]) -> str:
    order = [part for part in ("NC", "ND", "SA") if part in parts]
    return "-".join(("CC-BY", *order))


def _version(version: str | None, country: str | None) -> str:
    return "-".join(filter(None, (version, (country or "").upper() if version else "")))


def _is_for_data(text: str, match: re.Match[str]) -> bool:
    """Return whether a public domain dedication is that of the article's data, which BMC adds to its license."""
    return bool(_FOR_DATA.search(text[match.end() : match.end() + 80]))


def _common_license(found_names: list[tuple[str, str]]) -> str | None:
    """Return the one license that all mentions name; without a version if they differ in it."""
    kinds = {kind for kind, _ in found_names}
    if len(kinds) != 1:
        return None
    versions = {version for _, version in found_names if version}
    # "4.0" and "4.0-DE": the longer one includes the other.
    longest = max(versions, key=len, default="")
    agreed = all(longest.startswith(version) for version in versions)
    return "-".join(filter(None, (kinds.pop(), longest if agreed else "")))

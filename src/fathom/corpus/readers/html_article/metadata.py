"""Metadata that a web page states for machines: citation tags, JSON-LD, Open Graph. Its text is not searched."""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fathom.corpus.readers.html.prose_blocks import HtmlNode, attribute
from fathom.corpus.readers.parsing.bylines import find_authors
from fathom.corpus.readers.parsing.identifiers import find_doi

_META = re.compile(r"<meta\s([^<>]{1,3000})>", re.IGNORECASE)
_PAIR = re.compile(r"""([\w:.-]{1,40})\s*=\s*(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\s"'<>]{1,500}))""")
_LINK = re.compile(r"<link\s([^<>]{1,3000})>", re.IGNORECASE)
_LINKED_DATA = re.compile(r"<script[^<>]{0,200}application/ld\+json[^<>]{0,100}>(.{1,200000}?)</script", re.I | re.S)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,1000})<", re.IGNORECASE)
_LANGUAGE = re.compile(r"<html\b[^<>]{0,500}?\slang\s*=\s*[\"']?([A-Za-z]{2,3})\b", re.IGNORECASE)
_ARTICLE_TYPES = re.compile(r"(?:\w*Article|BlogPosting|Report|\w*Posting|WebPage|CreativeWork|TechArticle|Chapter)")
_SEPARATOR = re.compile(r"\s+(?:[|–—»·•]|-|::)\s+")
_MAX_META = 500


@dataclass
class PageMetadata:
    """The metadata in the head of a page."""

    title: str = ""
    page_title: str = ""
    """The title of the window, which often has the site's name."""
    authors: list[str] = field(default_factory=list)
    author_doubt: str = ""
    """Why stated authors are not used."""
    date: str = ""
    doi: str = ""
    venue: str = ""
    site: str = ""
    language: str = ""
    license: str = ""
    description: str = ""


def read_metadata(text: str, body: HtmlNode | None) -> PageMetadata:
    """Return the metadata of a page."""
    tags = _meta_tags(text)
    data = list(_linked_data(text))
    site = _first(tags, "og:site_name", "application-name") or _publisher(data)
    window = _TITLE.search(text[:200_000])
    result = PageMetadata(
        page_title=_tidy(window[1]) if window else "",
        site=site,
        doi=find_doi(_first(tags, "citation_doi", "dc.identifier", "prism.doi"), tagged=True),
        venue=_first(tags, "citation_journal_title", "citation_conference_title", "prism.publicationname"),
        language=named[1].lower()[:2] if (named := _LANGUAGE.search(text[:20_000])) else "",
        license=_license(tags, data, text),
    )
    result.title = _title(tags, data, site)
    result.date = _date(tags, data, body)
    result.authors, result.author_doubt = _authors(tags, data, body, site)
    return result


def _license(tags: dict[str, list[str]], data: list[dict[str, Any]], text: str) -> str:
    """Return what the metadata state as the license; several statements are joined, and have to agree."""
    stated: list[str] = []
    for given in (one.get("license") for one in data):
        for value in given if isinstance(given, list) else [given]:
            named = value.get("url") or value.get("@id") or value.get("name") if isinstance(value, dict) else value
            stated += [named] if isinstance(named, str) else []
    stated += [value for name in ("dc.rights", "dcterms.license", "citation_license") for value in tags.get(name, ())]
    stated += [
        pairs["href"]
        for match in _LINK.finditer(text[:2_000_000])
        if "license"
        in (pairs := {name.lower(): a or b or c for name, a, b, c in _PAIR.findall(match[1])}).get("rel", "")
        and "href" in pairs
    ]
    return " ; ".join(dict.fromkeys(stated))


def without_site(title: str, site: str) -> str:
    """Return the title of a window without the name of the site before or after it."""
    parts = _SEPARATOR.split(title)
    if len(parts) < 2:
        return title
    if site and parts[-1].casefold() == site.casefold():
        return title[: title.rfind(parts[-1])].rstrip(" |–—»·•-:")
    if site and parts[0].casefold() == site.casefold():
        return title[len(parts[0]) :].lstrip(" |–—»·•-:")
    return title


def _meta_tags(text: str) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = defaultdict(list)
    for number, match in enumerate(_META.finditer(text[:2_000_000])):
        if number > _MAX_META:
            break
        pairs = {name.lower(): _tidy(a or b or c) for name, a, b, c in _PAIR.findall(match[1])}
        name = pairs.get("name") or pairs.get("property") or pairs.get("itemprop") or ""
        if name and pairs.get("content"):
            tags[name.lower()].append(pairs["content"])
    return tags


def _first(tags: dict[str, list[str]], *names: str) -> str:
    return next((tags[name][0] for name in names if tags.get(name)), "")


def _linked_data(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON-LD that describe an article."""
    for number, match in enumerate(_LINKED_DATA.finditer(text)):
        if number > 20:
            return
        try:
            loaded = json.loads(match[1].strip())
        except (ValueError, RecursionError):
            continue
        found = loaded.get("@graph", loaded) if isinstance(loaded, dict) else loaded
        objects = [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict)]
        # An article describes itself better than the page around it.
        yield from sorted(
            (one for one in objects if _is_article(one)), key=lambda one: "WebPage" in str(one.get("@type"))
        )


def _is_article(data: dict[str, Any]) -> bool:
    types = data.get("@type")
    return any(
        isinstance(one, str) and _ARTICLE_TYPES.fullmatch(one)
        for one in (types if isinstance(types, list) else [types])
    )


def _publisher(data: list[dict[str, Any]]) -> str:
    return next(
        (_tidy(str(one["publisher"].get("name", ""))) for one in data if isinstance(one.get("publisher"), dict)), ""
    )


def _title(tags: dict[str, list[str]], data: list[dict[str, Any]], site: str) -> str:
    if title := _first(tags, "citation_title", "dc.title", "prism.title"):
        return title
    headline = next((value for one in data if isinstance(value := one.get("headline"), str) and value.strip()), "")
    return _tidy(headline) or without_site(_first(tags, "og:title", "twitter:title"), site)


def _date(tags: dict[str, list[str]], data: list[dict[str, Any]], body: HtmlNode | None) -> str:
    stated = [
        _first(tags, "citation_publication_date", "citation_date", "citation_online_date", "prism.publicationdate"),
        next((value for one in data if isinstance(value := one.get("datePublished"), str)), ""),
        _first(tags, "article:published_time", "dc.date", "dc.date.issued", "date", "pubdate", "datepublished"),
    ]
    if body is not None:
        marked = body.css_first("[itemprop=datePublished]")
        stated.append((attribute(marked, "datetime") or attribute(marked, "content")) if marked is not None else "")
    for text in stated:
        if match := re.match(r"\s*(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?", text):
            year, month, day = match.groups()
            return f"{year}-{int(month):02}-{int(day):02}" if day else year
    return ""


# Authors.


def _authors(
    tags: dict[str, list[str]], data: list[dict[str, Any]], body: HtmlNode | None, site: str
) -> tuple[list[str], str]:
    """Return the authors that the page states, or why they are not used."""
    for names in (tags.get("citation_author", []), tags.get("dc.creator", [])):
        if names:
            split = [part for name in names for part in name.split(";") if part.strip()]
            return [_given_first(part.strip()) for part in split], ""
    for one in data:
        if one.get("author"):
            return _linked_authors(one["author"], site)
    stated = [name for key in ("author", "article:author", "parsely-author", "byl") for name in tags.get(key, [])][:50]
    if body is not None and not stated:
        stated = [(link.text(deep=True) or "") for link in body.css("a[rel~=author], [itemprop=author]")[:50]]
    people = [
        re.sub(r"^by\s+", "", _tidy(name), flags=re.IGNORECASE) for name in stated if not re.match(r"\s*https?:", name)
    ]
    return _checked(list(dict.fromkeys(filter(None, people))), site)


def _linked_authors(value: Any, site: str) -> tuple[list[str], str]:
    entries = value if isinstance(value, list) else [value]
    names: list[str] = []
    for entry in entries[:200]:
        if isinstance(entry, dict):
            if "Organization" in str(entry.get("@type")):
                return [], "the page names an organization as its author"
            name = entry.get("name")
            names.extend(one for one in (name if isinstance(name, list) else [name]) if isinstance(one, str))
        elif isinstance(entry, str) and not entry.startswith("http"):
            names.append(entry)
    return _checked([_tidy(name) for name in names], site)


def _checked(names: list[str], site: str) -> tuple[list[str], str]:
    """Return the names of people; none, with the reason, if one of them is not a name."""
    people: list[str] = []
    for name in names:
        if site and name.casefold() == site.casefold():
            return [], "the page names its site as the author"
        found = [author.printed or f"{author.given} {author.family}".strip() for author in find_authors([name])]
        if not found:
            return [], "the page states authors that are not names"
        people.extend(found)
    return list(dict.fromkeys(people)), ""


def _given_first(name: str) -> str:
    """Return "Ada Quill" for "Quill, Ada"."""
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma and given.strip() and "," not in given else name


def _tidy(text: str) -> str:
    return " ".join(html.unescape(text).split())

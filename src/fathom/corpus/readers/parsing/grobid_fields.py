"""Citation marks and references from GROBID's fields, for the readers of TEI and S2ORC."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsed_document import CitationMark, Inlines, ParsedReference
from fathom.corpus.readers.parsing.reference_strings import ReferenceFields, parse_reference


def split_brackets(text: str, keys: tuple[str, ...]) -> Inlines:
    """Return a citation mark without its brackets, which become text before and after it."""
    start = len(text) - len(text.lstrip(" \t\r\n([{"))
    end = max(start, len(text.rstrip(" \t\r\n)]};,")))
    before, core, after = text[:start], text[start:end], text[end:]
    if not core:
        return [text]
    # The year of "Wu et al. (2014)" keeps its brackets.
    if after[:1] == ")" and core.count("(") > core.count(")"):
        core, after = core + ")", after[1:]
    if before[-1:] == "(" and core.count(")") > core.count("("):
        core, before = "(" + core, before[:-1]
    return [before, CitationMark(core, keys), after]


def build_reference(
    key: str, raw: str, title: str, authors: list[str], year: int | None, rest: list[str], ids: dict[str, str]
) -> ParsedReference:
    """Return a reference as printed if `raw` is known, else assembled from its fields."""
    if not raw:
        parts = [", ".join(authors), str(year or ""), title, ", ".join(filter(None, rest))]
        parts += [f"doi:{ids['doi']}" if ids.get("doi") else ""]
        text = ". ".join(part.rstrip(".") for part in parts if part)
        return ParsedReference(key, text, title.rstrip("."), tuple(author.rstrip(".") for author in authors), year, ids)
    text = join_hyphenated(raw, [title, *authors])
    fields = parse_reference(text)
    return ParsedReference(
        key=key,
        text=text,
        title=_agreed_title(text, title, fields),
        authors=fields.authors or tuple(authors),
        year=year or fields.year,
        ids=fields.ids | ids,
    )


def _agreed_title(text: str, title: str, fields: ReferenceFields) -> str:
    """Return the title as printed: GROBID's, unless our rules find that it includes the venue or is the venue."""
    at = text.lower().find(title.lower()) if title else -1
    # Lowercase can be longer than uppercase ("İ"), which shifts the position.
    if at < 0 or text[at : at + len(title)].lower() != title.lower():
        return fields.title or title
    # GROBID returned "TabEL: entity linking in web tables. In ISWC", and a journal for "Medical Subject Headings".
    if fields.title and (fields.title.lower() in title.lower() or text.find(fields.title) + len(fields.title) <= at):
        return fields.title
    return text[at : at + len(title)]


_HYPHENATED = re.compile(r"\b(\w{1,40})- (\w{1,40})")


def join_hyphenated(raw: str, known: list[str]) -> str:
    """Join words hyphenated at a line end, as the known words spell them."""
    words = {word for text in known for word in re.findall(r"\w+(?:-\w+)*", text.lower())}

    def join(match: re.Match[str]) -> str:
        first, second = match.groups()
        if f"{first}{second}".lower() in words:
            return first + second
        if f"{first}-{second}".lower() in words or second[0].isupper() or second in ("and", "or"):
            return match[0] if second in ("and", "or") else f"{first}-{second}"
        return first + second

    return _HYPHENATED.sub(join, " ".join(raw.split()))

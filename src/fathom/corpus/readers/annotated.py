"""Papers as lines of JSON: each with its Markdown and what is known of it, some with the texts of what they cite."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fathom.corpus.readers.found import Found, FoundReference, Paragraph, Siblings, Unreadable
from fathom.corpus.readers.markdown import Entry, decoded, read_text

KIND = "papers-jsonl"

Line = dict[str, Any]


def looks_like(name: str, head: bytes) -> bool:
    """Whether a file is made of such lines, by its beginning."""
    return head.lstrip()[:1] == b"{" and b'"markdown":' in head and ".json" in name.lower()


def read(content: bytes, name: str, siblings: Siblings) -> Iterator[Found]:
    """Each line's paper, then the cited works whose text the lines hold, each once."""
    lines = decoded(content).split("\n")
    refused: list[str] = []
    cited: dict[str, Line] = {}
    read_any = False
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = _parsed(text)
            yield _paper(line, name, number)
            read_any = True
        except Unreadable as reason:
            refused.append(f"line {number}: {reason}")
            continue
        for work in _works(line):
            if _word(work, "arxiv_id") and work.get("sections"):
                cited.setdefault(_word(work, "arxiv_id"), work)
    if not read_any:
        raise Unreadable("; ".join(refused[:3]) or "it has no lines")
    for work in cited.values():
        found = _cited_work(work, name)
        if found is not None:
            yield found


def _parsed(text: str) -> Line:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is not JSON") from error
    if not isinstance(line, dict) or not isinstance(line.get("markdown"), str):
        raise Unreadable("it has no Markdown")
    return line


def _word(line: Line, name: str) -> str:
    value = line.get(name)
    # JSON can name half a character, which no text can hold.
    return " ".join(value.encode("utf-8", "replace").decode().split()) if isinstance(value, str) else ""


def _works(line: Line) -> list[Line]:
    works = line.get("references")
    return [work for work in works if isinstance(work, dict)] if isinstance(works, list) else []


def _paper(line: Line, name: str, number: int) -> Found:
    works = _works(line)
    otherwise = [entry for entry in map(_as_entry, works) if entry.text]
    found = read_text(line["markdown"], f"{name}!{_word(line, 'arxiv_id') or number}", otherwise)
    found.title = _word(line, "title") or found.title
    found.ids |= {"arxiv": _word(line, "arxiv_id")} if _word(line, "arxiv_id") else {}
    found.kind = "article"
    if not found.abstract and _word(line, "abstract"):
        found.abstract = [Paragraph([_word(line, "abstract")])]
    if found.references and otherwise and found.references[0].key == otherwise[0].anchors[0]:
        found.notes["references"] = "only those that are attached, since the text has no list"
    found.references = [_identified(reference, works) for reference in found.references]
    return found


def _as_entry(work: Line) -> Entry:
    """A cited work as an entry of a list, for a paper whose own list is lost."""
    key, title = _word(work, "id"), _word(work, "title")
    blocks = tuple(_word(work, name).rstrip(".") for name in ("citation", "title", "venue"))
    text = ". ".join(filter(None, blocks))
    ids = {"arxiv": _word(work, "arxiv_id")} if _word(work, "arxiv_id") else {}
    return Entry(
        text if key and title else "", blocks[0], (key,), (re.sub(r"\W*\d.*", "", blocks[0]), *blocks[1:]), ids
    )


def _identified(reference: FoundReference, works: list[Line]) -> FoundReference:
    """A reference with the id of the attached work, where that has its very title: some are only similar."""
    if reference.ids.get("arxiv"):
        return reference
    known = _letters(reference.text)
    for work in works:
        title, key = _letters(_word(work, "title")), re.sub(r"\D", "", _word(work, "id"))
        if key and key == re.sub(r"\D", "", reference.key) and len(title) > 10 and title in known:
            return replace(reference, ids={**reference.ids, "arxiv": _word(work, "arxiv_id")})
    return reference


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


# Cited works: the addresses of their links are lost, and with them what was cited.

_STRAY = re.compile(r"(?<!\\)\]\)")
_TOOLTIP = re.compile(r"(?<=\])[^\"\[\]‣]{0,300}‣[^\"]{0,600}\"\)?")
_BARE_LINK = re.compile(r"(?<!\\)\[([^\[\]]{1,80}?)(?<!\\)\]")


def _cited_work(work: Line, name: str) -> Found | None:
    sections = work.get("sections")
    parts = [part for part in sections if isinstance(part, dict)] if isinstance(sections, list) else []
    texts = [
        f"## {_word(part, 'name').rstrip(chr(92))}\n\n{_cleaned(part['text'])}"
        for part in parts
        if isinstance(part.get("text"), str)
    ]
    try:
        found = read_text("\n\n".join([f"# {_word(work, 'title')}", *texts]), f"{name}!{_word(work, 'arxiv_id')}")
    except Unreadable:
        return None
    found.kind = "article"
    found.title = _word(work, "title").rstrip(".") or found.title
    found.ids = {"arxiv": _word(work, "arxiv_id")}
    found.venue = _word(work, "venue") or None
    found.abstract = [Paragraph([_word(work, "abstract")])] if _word(work, "abstract") else []
    found.notes["citations"] = "none, since the source lost their addresses"
    return found


def _cleaned(text: str) -> str:
    text = _TOOLTIP.sub("", text)
    strays = len(_STRAY.findall(text))
    if strays and (text.count(")") - text.count("(")) * 2 > strays:
        text = _STRAY.sub("]", text)
    return re.sub(r"(?<=\\\[) +", "", _BARE_LINK.sub(r"\1", text)).replace("‣", "")

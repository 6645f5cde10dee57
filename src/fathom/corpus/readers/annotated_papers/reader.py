"""Papers as lines of JSON: each with its Markdown and what is known of it, some with the texts of what they cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fathom.corpus.readers.markdown.reader import read_text
from fathom.corpus.readers.parsed_document import CompanionFiles, Paragraph, ParsedDocument, ParsedReference, ReadError
from fathom.corpus.readers.parsing.decoding import decoded
from fathom.corpus.readers.parsing.json_objects import JsonObject, read_objects
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry
from fathom.records.names import without_accents

FORMAT = "papers-jsonl"


def matches(name: str, head: bytes) -> bool:
    """Whether a file is made of such lines, by its beginning."""
    return head.lstrip()[:1] == b"{" and b'"markdown":' in head and ".json" in name.lower()


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Each line's paper, then the cited works whose text the lines hold, each once."""
    cited: dict[str, JsonObject] = {}

    def paper(line: JsonObject, number: int) -> ParsedDocument:
        found = _paper(line, name, number)
        for work in _works(line):
            if _word(work, "arxiv_id") and work.get("sections"):
                cited.setdefault(_word(work, "arxiv_id"), work)
        return found

    yield from read_objects(decoded(content), name, paper)
    for work in cited.values():
        yield _cited_work(work, name)


def _word(line: JsonObject, name: str) -> str:
    value = line.get(name)
    # JSON can name half a character, which no text can hold.
    return " ".join(value.encode("utf-8", "replace").decode().split()) if isinstance(value, str) else ""


def _works(line: JsonObject) -> list[JsonObject]:
    """The works that are attached to a line, without the texts that are not theirs."""
    works = line.get("references")
    found = [work for work in works if isinstance(work, dict)] if isinstance(works, list) else []
    titles: dict[str, set[str]] = {}
    for work in found:
        titles.setdefault(_word(work, "arxiv_id"), set()).add(_letters(_title(work)))
    return [work if len(titles[_word(work, "arxiv_id")]) == 1 and _is_its_text(work) else _bare(work) for work in found]


def _is_its_text(work: JsonObject) -> bool:
    """Whether the attached text can be that of the title: "Dota 2 with ..." came with a paper that never says Dota."""
    sections = work.get("sections")
    texts = [part.get("text") for part in sections if isinstance(part, dict)] if isinstance(sections, list) else []
    said = _bare_letters(f"{_word(work, 'abstract')} {' '.join(text for text in texts if isinstance(text, str))}")
    telling = (word[:6] for word in re.findall(r"[^\W\d_]{4,}", _bare_letters(_title(work))))
    return not sections or all(word in said for word in telling)


def _bare_letters(text: str) -> str:
    """In small letters without accents, those of TeX (Schr\\"odinger) included."""
    return without_accents(re.sub(r"\\[\"'`^~=.]", "", text)).lower()


def _bare(work: JsonObject) -> JsonObject:
    """The work as its entry alone: what was attached, found by a similar title, belongs to another."""
    return {**work, "arxiv_id": "", "abstract": "", "sections": []}


def _paper(line: JsonObject, name: str, number: int) -> ParsedDocument:
    if not isinstance(line.get("markdown"), str):
        raise ReadError("it has no Markdown")
    works = _works(line)
    otherwise = [entry for entry in map(_as_entry, works) if entry.text]
    found = read_text(line["markdown"], f"{name}!{_word(line, 'arxiv_id') or number}", otherwise)
    found.title = _word(line, "title") or found.title
    found.ids |= {"arxiv": _word(line, "arxiv_id")} if _word(line, "arxiv_id") else {}
    found.kind = "article"
    if not found.abstract and _word(line, "abstract"):
        found.abstract = [Paragraph([_word(line, "abstract")])]
    if found.references and otherwise and found.references[0].key == otherwise[0].anchors[0]:
        found.uncertain["references"] = "only those that are attached, since the text has no list"
    found.references = [_identified(reference, works) for reference in found.references]
    return found


def _as_entry(work: JsonObject) -> ReferenceEntry:
    """A cited work as an entry of a list, for a paper whose own list is lost."""
    key, title = _word(work, "id"), _word(work, "title")
    blocks = tuple(_word(work, name).rstrip(".") for name in ("citation", "title", "venue"))
    text = ". ".join(filter(None, blocks))
    ids = {"arxiv": _word(work, "arxiv_id")} if _word(work, "arxiv_id") else {}
    return ReferenceEntry(
        text if key and title else "", blocks[0], (key,), (re.sub(r"\W*\d.*", "", blocks[0]), *blocks[1:]), ids
    )


def _identified(reference: ParsedReference, works: list[JsonObject]) -> ParsedReference:
    """A reference with the id of the attached work, where that has its very title: some are only similar."""
    if reference.ids.get("arxiv"):
        return reference
    for work in works:
        title, key = _letters(_title(work)), re.sub(r"\D", "", _word(work, "id"))
        if key and key == re.sub(r"\D", "", reference.key) and len(title) > 10 and _is_titled(reference, title):
            return replace(reference, ids={**reference.ids, "arxiv": _word(work, "arxiv_id")})
    return reference


def _title(work: JsonObject) -> str:
    """An attached work's title without the full stop, or the year, that its source left behind it."""
    return re.sub(r"[.,]?\s*(?:,\s*(?:[A-Z][a-z]+\s)?(?:19|20)\d\d[a-z]?)?\.?$", "", _word(work, "title"))


def _is_titled(reference: ParsedReference, title: str) -> bool:
    """Whether an entry has that very title: "Segment anything" is attached to an entry for "Fast segment anything"."""
    own = _letters(reference.title) if reference.title else ""
    return title == own if own else title in _letters(reference.text)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


# Cited works: the addresses of their links are lost, and with them what was cited.

_STRAY = re.compile(r"(?<!\\)\]\)")
_TOOLTIP = re.compile(r"(?<=\])[^\"\[\]‣]{0,300}‣[^\"]{0,600}\"\)?")
_BARE_LINK = re.compile(r"(?<!\\)\[([^\[\]]{1,80}?)(?<!\\)\]")


def _cited_work(work: JsonObject, name: str) -> ParsedDocument:
    sections = work.get("sections")
    parts = [part for part in sections if isinstance(part, dict)] if isinstance(sections, list) else []
    texts = [
        f"## {_word(part, 'name').rstrip(chr(92))}\n\n{_cleaned(part['text'])}"
        for part in parts
        if isinstance(part.get("text"), str)
    ]
    source = f"{name}!{_word(work, 'arxiv_id')}"
    try:
        found = read_text("\n\n".join([f"# {_word(work, 'title')}", *texts]), source)
    except ReadError as reason:
        return ParsedDocument(source, refusal=f"{reason} (the cited work {_word(work, 'arxiv_id')})")
    found.kind = "article"
    found.title = _title(work) or found.title
    found.ids = {"arxiv": _word(work, "arxiv_id")}
    found.venue = _word(work, "venue") or None
    found.abstract = [Paragraph([_word(work, "abstract")])] if _word(work, "abstract") else []
    found.uncertain["citations"] = "none, since the source lost their addresses"
    return found


def _cleaned(text: str) -> str:
    text = _TOOLTIP.sub("", text)
    strays = len(_STRAY.findall(text))
    if strays and (text.count(")") - text.count("(")) * 2 > strays:
        text = _STRAY.sub("]", text)
    return re.sub(r"(?<=\\\[) +", "", _BARE_LINK.sub(r"\1", text)).replace("‣", "")

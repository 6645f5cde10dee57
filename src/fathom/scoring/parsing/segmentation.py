"""Segmentation of a statement into lines and items, without bullets, lead-ins and remarks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.scoring.parsing.key_hints import NO_HINTS, KeyHints
from fathom.scoring.parsing.normalization import letters, normal
from fathom.scoring.parsing.remarks import is_comment, is_label

BULLET = re.compile(
    r"[ \t]*(?:[-*•‣◦·–+→➤➡▪●○◆■✅✓✔☑👉][ \t]+(?:[✅✓✔☑][ \t]+)?|[①-⑳❶-❿][ \t]*"
    r"|[(（]?(\d{1,3})[.)）、º](?=[ \t]|[^\d\s.,%])[ \t]*"
    r"|(?:#(?=\d+[ \t])|\[(?=\d+\][ \t]))(\d{1,4})\]?[ \t]+)"
)
_BULLET_SIGNS = frozenset("-*•‣◦·–+→➤➡▪●○◆■✅✓✔☑👉①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳❶❷❸❹❺❻❼❽❾❿(（[#0123456789 \t")
_COUNTED_LINE = re.compile(
    r"(?:(?:(?:item|no\.?|nr\.?|place|rank|position|entry|number)[ \t]?)?#?(\d{1,3})(?:st|nd|rd|th)?|(first"
    r"|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?: place)?"
    r"|(last(?: place)?)|第([一二三四五六七八九十])名)"
    r"(?:[:：]|[ \t]?[-–—])[ \t]*",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_FIELD = re.compile(
    r"[-*•+]?[ \t]*[*_\"']{0,3}(?:article[ _])?(?:title|name|author(?:[ _]name)?|article|paper|work|item|entry)"
    r"[*_\"']{0,3}[ \t]?[:=][*_\"']{0,3}[ \t]*(?=\S)",
    re.IGNORECASE,
)
"""The name of a field before an item: "- title: Tides"."""
_TELLS = re.compile(
    r"[ \t][-–—][ \t](?:(?:the )?(?:first|second|third|last|sole|only|lead|corresponding|co-?author|author|listed"
    r"|appears|has|have|with|from|by|cited|cites|articles?|papers?|published|written"
    r"|wrote|because|since|in)\b|(?:(?:article|paper|document)s?|rank(?:ed)?|place)[ \t]#?\d)[^\n]{0,200}\Z",
    re.IGNORECASE,
)
"""A remark about an item: "Lind – first author of Article 3"."""
_JUDGED = re.compile(
    r"(?:[:：]|[ \t][-–—])[ \t](?:(?:this|it)[ \t])?(?:meets|satisfies|fulfill?s|matches|fits)[ \t]"
    r"(?:all |both |the |this |these |every ){0,2}(?:conditions?|criteri(?:a|on)|requirements?)\.?\Z",
    re.IGNORECASE,
)
"""A remark that an item belongs to the list: "Tides: meets the condition"."""
_LETTERED = re.compile(r"[ \t]*(?:\(?([a-zA-Z]{1,5})\)|([a-z]{1,5})\.)[ \t]+")
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
_ROMANS = (
    "i",
    "ii",
    "iii",
    "iv",
    "v",
    "vi",
    "vii",
    "viii",
    "ix",
    "x",
    "xi",
    "xii",
    "xiii",
    "xiv",
    "xv",
    "xvi",
    "xvii",
    "xviii",
    "xix",
    "xx",
)
_MAY_BE_LETTERED = frozenset({"a.", "a)", "(a", "i.", "i)", "(i", "A)", "(A", "I)", "(I"})
ARROW = re.compile(r"[ \t]*(?:→|->|=>)[ \t]*|[ \t]>[ \t]+")
COMMA_IN_NUMBERS = re.compile(
    r"(?:[;；、，|]|[ \t]?(?:→|->|=>)|,(?!\d{3}(?!\d)))(?:[ \t]*(?:and|&)(?=[ \t]))?[ \t\n]*", re.IGNORECASE
)
SEMICOLON = re.compile(r"[;；][ \t\n]*")
_NOUN = (
    r"(?:answers?|authors?|articles?|papers?|titles?|names?|values?|numbers?|counts?|results?|list|order|ranking"
    r"|works?|items?|one|match(?:es)?|compan(?:y|ies)|firms?|universit(?:y|ies)|countr(?:y|ies)|entit(?:y|ies))"
)
_LEAD_IN = re.compile(
    rf"(?:[^\W\d_]+[ \t]){{0,8}}?{_NOUN}(?:[ \t][^\W\d_]+){{0,8}}?"
    r"(?:[ \t](?:is|are|was|were)(?:[ \t]?:)?[ \t]|[ \t]?:[ \t]|,?[ \t]namely:?[ \t])",
    re.IGNORECASE,
)
_CHINESE_LEAD_IN = re.compile(
    r"(?:共有?\d{1,3}[家个所][，,])?[^、，,;；:：\n]{0,40}?(?:(?:分别)?[为是有]|包括)[:：]"
    r"|(?:共有?\d{1,3}[家个所][，,])?分别[为是]"
)
_TOTAL = re.compile(
    r"\(?(?:in )?total(?: number)?(?: of [a-z ]{1,40})?[:=]? ?\d{1,4}(?: [a-z]{1,20}){1,3}\)?[.]?", re.IGNORECASE
)
"""A line after a list that counts its items."""
_TRAILER = re.compile(
    r"[ \t](?:is|are|was|were) the only (?:match(?:es)?|one|articles?|authors?|papers?|titles?|values?"
    r"|persons?)\b[^\n]{0,80}\Z"
)
_ENDS = " \t\n,;，；"
_PLACES = re.compile(
    r"(?:[:：]|[ \t][-–—])[ \t](?:articles?|papers?|documents?|docs?\.?)[ \t]"
    r"#?\d{1,3}(?:(?:, | and |, and )#?\d{1,3}){0,20}\Z",
    re.IGNORECASE,
)
"""Where an item occurs: "Lind: articles 1 and 4"."""
_TOLD = (
    r"(?:[\d,.]{1,12}[ \t](?:papers?|articles?|authors?|references?|citations?|words?|times?|works?)"
    r"|(?:(?:author|co-author|first author) (?:of|in)[ \t])?"
    r"(?:articles?|papers?|documents?|docs?\.?)[ \t]#?\d{1,3}(?:(?:, | and |, and )#?\d{1,3}){0,20}"
    r"|(?:[^\W\d_][\w'-]{1,30}(?: et al\.| and [^\W\d_][\w'-]{1,30})?,? )?(?:19|20)\d\d[a-z]?)"
)
_COUNTED = re.compile(
    rf"(?:[ \t]?[(\[]{_TOLD}(?:[,;][ \t]{_TOLD}){{0,2}}[)\]]|[ \t][—–-][ \t]{_TOLD}(?:[,;][ \t]{_TOLD}){{0,2}})\Z",
    re.IGNORECASE,
)
"""What is told of an item: "Lind (5 articles)", "Tides (Article 3, 58 references)"."""
# "Alder plc: 12.3%", "Alder plc ($4 million)": an entry with the figure that it was chosen by.
_FIGURE = re.compile(
    r"(?:[ \t]?[(（\[]|[:：]|[ \t][-–—=][ \t])[ \t]*[-−+(]?(?:[A-Z]{3}[ \t])?(?:US)?[$€£¥]?\d[\d,.]*\)?[ \t]?"
    r"(?:%|[^\W\d_]+(?:[ \t][^\W\d_]+){0,2})?[)）\]]?\Z"
)
_LABELS = ("Article ", "article ", "ARTICLE ", "Paper ", "paper ", "PAPER ", "Document ", "document ", "DOCUMENT ")
_ARTICLE_LABEL = re.compile(
    r"[*_]{0,3}(?:article|paper|document)[ \t]#?\d{1,3}[*_]{0,3}[ \t]?[:.)–—-][*_]{0,3}[ \t]+(?![\d.,]+\Z)",
    re.IGNORECASE,
)
_RULE = re.compile(r"[-*_=]{3,80}|[-+]{3,80}")
_HEADING = re.compile(
    rf"#{{1,6}} [^\n]{{0,60}}?\b(?:{_NOUN}|final|solution|summary|step|conclusion|response)\b", re.IGNORECASE
)
# A text without any of these has no heading, label, fence, lead-in or remark.
_SUSPECT = re.compile(r"[:*.!#`]|---|===|___")


def lines_in(stated: str, hints: KeyHints) -> list[str]:
    """The lines with the answer: without blank lines, headings, lead-ins and remarks."""
    lines = [line.strip() for line in stated.strip().split("\n")]
    if len(lines) > 2 and _RULE.fullmatch(lines[1]) and " " not in lines[0] and letters(lines[0]) not in hints.whole:
        lines = lines[2:]  # the name of a column above a rule
    if len(lines) == 1:
        return lines
    if not _SUSPECT.search(stated):
        return lines if "" not in lines else [line for line in lines if line]
    kept: list[str] = []
    for line in lines:
        if not line or line.startswith("```") or _RULE.fullmatch(line):
            continue
        suspect = line[-1] in ":：*.!" or ":" in line or line[0] == "#"
        if not suspect or letters(line) in hints.whole:
            kept.append(line)
        elif kept and (_TOTAL.fullmatch(line) or line.lower() in (f"total: {len(kept)}", f"count: {len(kept)}")):
            continue
        elif kept and (is_label(line) or _HEADING.match(line)):
            break
        elif not kept and _is_lead_in(line) and EXCLUDED.search(line):
            return []
        elif not _is_lead_in(line) and (kept or not is_comment(line)):
            kept.append(line)
    return kept


EXCLUDED = re.compile(
    r"\b(?:candidates for|possible|potential|not|excluded|except|other than|rejected|non-?matching|violate|disqualified"
    r"|fail(?:s|ing|ed)?|unlike)\b|n't\b",
    re.IGNORECASE,
)
"""What the lead-in of another list says: "Excluded:"."""


def _is_lead_in(line: str) -> bool:
    """Whether a line announces items: a heading, or "The authors are:"."""
    return line.endswith((":", ":**", ":*", "**:", "：", "：**")) or _HEADING.match(line) is not None


def unnumbered(lines: list[str], hints: KeyHints = NO_HINTS) -> list[str]:
    """Lines without bullets; numbers are bullets only if they count 1, 2, 3, and letters if they count a, b, c."""
    if lines and lines[0][:2] in _MAY_BE_LETTERED:
        return _unlettered(lines, hints)
    if _BULLET_SIGNS.isdisjoint([line[:1] for line in lines]):
        return lines
    matches = [BULLET.match(line) for line in lines]
    if not any(matches):
        return lines
    counted = [match and (match[1] or match[2]) for match in matches]
    in_turn = _counts_up([int(number) for number in counted if number])
    return [
        line[match.end() :] if match and (in_turn or not number) else line
        for line, match, number in zip(lines, matches, counted, strict=True)
    ]


def _counts_up(numbers: list[int]) -> bool:
    """Whether the numbers count 1, 2, 3, perhaps with ties: 1, 2, 2, 4 or 1, 2, 2, 3."""
    last = 0
    for index, number in enumerate(numbers, start=1):
        if number not in (index, last + 1) and (number != last or not last):
            return False
        last = number
    return True


def _uncounted(lines: list[str]) -> list[str]:
    """Lines without "1:", "1 -", "#1:", "1st:" or "First:", if they count 1, 2, 3."""
    matches = [_COUNTED_LINE.match(line) for line in lines]
    if not all(matches):
        return lines
    counted = [_place_of(match, len(lines)) for match in matches if match]
    if not _counts_up(counted):
        return lines
    return [line[match.end() :] for line, match in zip(lines, matches, strict=True) if match]


def _place_of(label: re.Match[str], places: int) -> int:
    """The place that a label states."""
    if label[1]:
        return int(label[1])
    if label[2]:
        return _ORDINALS.index(label[2].lower()) + 1
    return places if label[3] else "一二三四五六七八九十".index(label[4]) + 1


def _unlettered(lines: list[str], hints: KeyHints) -> list[str]:
    """Lines without "a.", "b." or "i.", "ii."; the initials of names are not bullets."""
    matches = [_LETTERED.match(line) for line in lines]
    names = tuple([(match[1] or match[2]).lower() for match in matches if match])
    in_turn = len(names) == len(lines) and names in {_LETTERS[: len(names)], _ROMANS[: len(names)]}
    if not in_turn or any(letters(line) in hints.whole for line in lines):
        return lines
    return [line[match.end() :] for line, match in zip(lines, matches, strict=True) if match]


_LEADS = (":", " is ", " are ", " was ", " were ", " namely")
"""One of them is in every lead-in."""


def without_lead_in(line: str, hints: KeyHints) -> str:
    """The line without "The authors are", unless the key has a title that begins so."""
    if not line.isascii() and (found := _CHINESE_LEAD_IN.match(line)) and found.end() < len(line):
        return line if any(form.startswith(letters(found[0])) for form in hints.whole) else line[found.end() :]
    if line[:5] in ("both ", "Both ") and " and " in line and not any(form.startswith("both ") for form in hints.whole):
        return line[5:]
    if not any(map(line.__contains__, _LEADS)):
        return line
    if " the only " in line:
        line = _TRAILER.sub("", line)
    match = _LEAD_IN.match(line)
    if not match or match.end() == len(line) or any(form.startswith(letters(match[0])) for form in hints.whole):
        return line
    return line[match.end() :]


_REFERENCE = re.compile(r"\[\d{1,3}\][ \t]+(?=[^\W\d])")
"""The number of a document before its title: "[5] Tides"."""
_AFFILIATION = re.compile(
    r"[ \t]\([^()\n]{0,80}\b(?:University|Université|Universität|Institute|College|Department|Laboratory|School)\b"
    r"[^()\n]{0,80}\)\Z"
)


def clean_items(pieces: list[str], hints: KeyHints) -> list[str]:
    """The pieces of a list as items, without bullets and trailing separators; empty ones are dropped."""
    if len(pieces) > 1 and pieces[0][:1] in "1#fFiInNpPrReE第":
        pieces = _uncounted(pieces)
    items = [piece.strip(_ENDS) for piece in unnumbered(pieces, hints)]
    if items and all(map(_REFERENCE.match, items)) and not any(letters(item) in hints.whole for item in items):
        items = [_REFERENCE.sub("", item) for item in items]
    if items and (":" in items[0] or "=" in items[0] or " – " in items[0] or " — " in items[0] or " - " in items[0]):
        items = _without_fields(items, hints)
    for item in items:
        if (
            not item
            or not item[0].isalnum()
            or item[-1] in ")]）%"
            or item[-1].isdigit()
            or " - " in item
            or (item[0] in "ADPadp" and item.startswith(_LABELS))
        ):
            return [kept for item in items if (kept := clean_item(item, hints))]
    return items  # most need no further cleanup


def _without_fields(items: list[str], hints: KeyHints) -> list[str]:
    """Items without the name of a field before each of them, or without what is told about each of several."""
    if any(letters(item) in hints.whole for item in items):
        return items
    fields = [_FIELD.match(item) for item in items]
    if all(fields):
        return [item[field.end() :] for item, field in zip(items, fields, strict=True) if field]
    told = [_JUDGED.search(item) or (_TELLS.search(item) if len(items) > 1 else None) for item in items]
    return [item[: one.start()] for item, one in zip(items, told, strict=True) if one] if all(told) else items


def clean_item(item: str, hints: KeyHints) -> str:
    """An item without separators at its end, a count ("Lind (5 documents)") and a number ("Article 3: Tides")."""
    item = item.strip(_ENDS)
    if (item.endswith((")", "]", "）", "%")) or item[-1:].isdigit() or ":" in item or " - " in item) and letters(
        item
    ) not in hints.whole:
        item = _without_figure(_COUNTED.sub("", _PLACES.sub("", _AFFILIATION.sub("", item))))
    label = _ARTICLE_LABEL.match(item) if item.lstrip("*_").startswith(_LABELS) else None
    if label and letters(item) not in hints.whole:
        item = item[label.end() :]
    return item if normal(item) else ""


def _without_figure(item: str) -> str:
    """An entry without the figure behind it, if something with letters precedes it."""
    figure = _FIGURE.search(item)
    return item[: figure.start()].rstrip() if figure and any(map(str.isalpha, item[: figure.start()])) else item


def split_parts(pattern: re.Pattern[str], line: str, start: int = 0) -> list[tuple[int, int]]:
    """The parts of `line` between the matches of `pattern`, as offsets, without spaces before a match."""
    parts, at = [], start
    for match in pattern.finditer(line, start):
        end, after = match.span()
        while end > at and line[end - 1] in " \t":
            end -= 1
        parts.append((at, end))
        at = after
    parts.append((at, len(line)))
    return parts


def split_at_semicolons(line: str) -> list[str]:
    """The parts of `line` between its semicolons."""
    *parts, last = SEMICOLON.split(line)
    return [*[part.rstrip(" \t") for part in parts], last]


def rejoined(line: str, parts: Sequence[tuple[int, int]], hints: KeyHints) -> Iterator[str]:
    """The pieces; consecutive pieces that together spell an item of the key are joined, the longest first."""
    at = 0
    while at < len(parts):
        start, end = parts[at]
        step = 1
        if letters(line[start:end]) in hints.heads:
            for last in range(min(at + hints.width, len(parts) - 1), at, -1):
                if letters(line[start : parts[last][1]]) in hints.joined:
                    end, step = parts[last][1], last - at + 1
                    break
        yield line[start:end]
        at += step

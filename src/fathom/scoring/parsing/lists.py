"""Splits lists into items, one per line or all on one line."""

from __future__ import annotations

import re

from fathom.scoring.parsing.key_hints import AND, SEPARATOR, SEPARATOR_OR_AND, KeyHints
from fathom.scoring.parsing.non_answers import HEDGE
from fathom.scoring.parsing.normalization import enclosed, letters, plain
from fathom.scoring.parsing.numerals import number_of
from fathom.scoring.parsing.segmentation import (
    ARROW,
    COMMA_IN_NUMBERS,
    EXCLUDED,
    SEMICOLON,
    clean_item,
    clean_items,
    lines_in,
    rejoined,
    split_parts,
    unnumbered,
    without_lead_in,
)
from fathom.scoring.parsing.tables import number_column, piped_rows, without_numbers, without_ranks

_WRAPS = ",;，；"
"""Characters at the end of a line that continue the list on the next line."""
_SECOND = re.compile(r"[,;，；][ \t]?\(?2[.)][ \t]")
_CIRCLED = re.compile(r"[①-⑳]")
_NUMBERED = re.compile(r"(?:\A|(?<=[ \t,;，；、]))\(?(\d{1,2})[.)][ \t]+(?=\D)")
_LEADING_AND = re.compile(
    r"(?:and|&|(?:and )?then|followed by|(?:and )?(?:finally|lastly))[ \t]+|(?:以及|和|及|与)(?=[\u4e00-\u9fff「《“])",
    re.IGNORECASE,
)
_SPELLED_AND = re.compile(r"(?:hundred|thousand|million) and ", re.IGNORECASE)
_AMOUNT = r"[-−+≈~]?[$€£¥]?\d[\d,.]*[ \t]?(?:%|[^\W\d_]+(?:[ /][^\W\d_]+){0,2})?"
_FIGURE = re.compile(
    rf"(?<=[^\s,;:])[*_]{{0,3}}(?:[ \t][(\[](?:[a-z]{{2,20}}:?[ \t])?{_AMOUNT}[)\]]"
    rf"|(?:[:：]|[ \t][-–—=→])[*_]{{0,3}}[ \t]{_AMOUNT})[*_]{{0,3}}\Z"
)
_ORIGIN = re.compile(
    r"[ \t]\((?:(?:doc(?:ument)?|article|paper)s?[ \t]#?\d[^()\n]{0,40}|[^()\d\n]{1,80}"
    r"|(?:ratio|difference|average|mean|sum|share|length|score)(?: of|:| =)? -?\d[\d.,]{0,12}%?)\)",
    re.IGNORECASE,
)
"""Where a number comes from, or how numbers are sorted: "(Doc 4)", "(in ascending order)", "(ratio 2.5)"."""
_OPEN_ASIDE = re.compile(
    r"\([^()\n]{0,80}\b(?:not|no|or|maybe|perhaps|possibly|exclud|wrong|reject|except|if|twice|times|without|remov)"
    r"[^()\n]{0,80}\)",
    re.IGNORECASE,
)
_NUMBERS_FOLLOW = re.compile(r"[^\d\n,;:=]{1,160}[ \t](?:is|are|was|were|in)[ \t]?:?[ \t](?=\d)", re.IGNORECASE)
_NUMBER_RUN = re.compile(
    r"(?<![\w.,])-?\d[\d.]*%?(?:(?:[ \t]?[,;、，→>/]|,?[ \t](?:and|then|and then|(?:and )?(?:finally|lastly)"
    r"|followed by))[ \t]?(?:and[ \t])?-?\d[\d.]*%?){1,200}(?![\w%])"
)
"""Numbers one after another: "3, 3 and 7"."""
_AFTER_RUN = re.compile(r"(?:[ \t][a-z]+){0,6},?(?:[ \t]respectively)?[.。]?", re.IGNORECASE)
_LEADS_TO_RUN = re.compile(
    r"(?:[^\n]{2,300}(?:[ \t](?:is|are|was|were|has|have|had|in)[ \t]?:?|[:：][*_]{0,3}|[为是有])[ \t]*)?",
    re.IGNORECASE,
)
_LEAVES_OPEN = re.compile(
    r"\b(?:never|or|but|wrong|incorrect|exclud\w*|maybe|perhaps|possibly|without|others?|candidates?|neither|nor|if|unless"
    r"|however|nobody|no one|whether|cannot|assum\w+|guess\w*|suppos\w+|think|doubt|claims?|says?|example|might"
    r"|may|could"
    r"|before|after|earlier|only if)\b|[不非或除若]",
    re.IGNORECASE,
)
_NO_LIST = re.compile(r"\b(?:not|no|except|between|from|than|least|most of)\b|n't\b", re.IGNORECASE)
_IN_TURN = re.compile(r",?[ \t](?:followed by|(?:and )?(?:then|finally|lastly))[ \t]")
_TIE = re.compile(r"[ \t]\((?:a )?(?:tied?|both|shared|equal)[^()\n]{0,30}\)\Z", re.IGNORECASE)
_TIMES = re.compile(
    r"(?P<before>\d{1,2})[ \t]?[×x][ \t](?P<item>[^\n(]{1,200})"
    r"|(?P<own>[^\n(]{1,200}?)[ \t](?:\((?P<inside>\d{1,2})[x×]?\)|[x×][ \t]?(?P<after>\d{1,2})"
    r"|\((?P<word>once|twice|three times|four times)\))",
    re.IGNORECASE,
)
_MULTIPLES = {**{str(n): n for n in range(1, 100)}, "once": 1, "twice": 2, "three times": 3, "four times": 4}
MAX_FIGURE = 60
"""Characters at the end of an item that are searched for a figure."""
_FIGURES = re.compile(r"[ \t]\([-−+]?[$€£¥]?\d[\d,.]*[ \t]?(?:%|[a-z]+(?: [a-z]+)?)?\)")
"""The figures that items were chosen by: "Alder & Co. (7.1%) and Beech plc (5.9%)"."""
_PLACES = re.compile(
    r"[ \t]\((?:in )?(?:articles?|papers?|documents?|docs?\.?)[ \t]#?\d{1,3}(?:(?:, | and |, and )#?\d{1,3}){0,20}\)",
    re.IGNORECASE,
)
"""Where items occur: "Lind (articles 1, 4), Wu (article 2)"."""
_SLASH = re.compile(r"[ \t]+/[ \t]+")
_CHAINED = re.compile(r"\d[\d.]*(?:[ \t]([/<>])[ \t]\d[\d.]*)(?:[ \t]\1[ \t]\d[\d.]*){0,200}")
"""Numbers with slashes or comparison signs between them: "30 > 22 > 7"."""
_BRACKETED = re.compile(r"(?:\A|(?<=[ \t,;]))(?:\[(\d{1,2})\]|\(([a-z])\))[ \t]+(?=\S)")
_LABELED = re.compile(r"(?<=\S)[ \t]?[:：=–—][ \t]+([^\n:：]{1,40})\Z")
"""The number after what it belongs to: "Article 1: 4"."""
_OF_ONE = re.compile(
    r"\A[*_]{0,3}(?:article|paper|document|doc|work)\.?[ \t]#?\d{1,3}[*_]{0,3}[ \t]?[:=–—][ \t]+(?=[\d$€£¥-])",
    re.IGNORECASE,
)
"""What the only number of a list belongs to: "Article 1: 4"."""
_BAR = re.compile(r"[ \t]*\|[ \t]*")
_SPACED = re.compile(r"\d+(?:\.\d+)?(?:[ \t]+\d+(?:\.\d+)?)+")
_QUOTED = re.compile(r'(?<![ \t\n])[ \t\n]*["“]([^"“”\n]*)["”][ \t\n]*(?:[,;]|and\b|[,;]\s?and\b|\Z)')


def items_in(stated: str, hints: KeyHints, numeric: bool, counted: bool = False) -> list[str]:
    """The items of a stated list; `numeric` if the key's items are numbers, `counted` if items may repeat."""
    lines = _bold_names(stated, hints) or lines_in(plain(_without_heading(stated, hints)), hints)
    if counted and len(lines) == 1 and not numeric:
        pieces = [piece for piece in _pieces(lines[0], hints) if piece.strip()]
        items = repeated(pieces, hints)
        if items != pieces and all(letters(item) in hints.whole for item in items):
            return items
    if not lines:
        return []
    if len(lines) > 1 and lines[0][-1] in _WRAPS and all(line[-1] in _WRAPS for line in lines[:-1]):
        lines = [" ".join(lines)]  # one list, wrapped
    if len(lines) == 1:
        lines = _numbered_inline(lines[0]) or _numbered_inline(without_lead_in(lines[0], hints)) or lines
    if len(lines) == 1:
        # "1. Tides, storms" is one item; "(1) Tides; (2) Wu" is numbered item by item.
        line = lines[0] if "2" in lines[0] and _SECOND.search(lines[0]) else unnumbered(lines, hints)[0]
        return _inline(line, hints, numeric)
    if "|" in lines[0] and all("|" in line for line in lines):
        rows = without_ranks(piped_rows(lines, ()))
        return [
            cell
            for row in (number_column(rows, lines, hints) if numeric else without_numbers(rows))
            for cell in row
            if cell
        ]
    if numeric and len(lines[0]) > 8 and (lines[0][-1].isdigit() or _LABELED.search(lines[0])):
        return _labeled_values(lines, hints)
    items = clean_items(lines, hints)
    return items if not any("(tie" in item for item in items) else [one for item in items for one in _tied(item, hints)]


_BOLD_NAME = re.compile(
    r"(?:[-*•+][ \t]|\(?\d{1,3}[.)][ \t])?[ \t]*\*\*([^*\n]{2,300})\*\*(?:[ \t]?[–—:-][ \t]|[ \t]by[ \t]"
    r"|[ \t]\()(.{1,300})"
)


def _bold_names(stated: str, hints: KeyHints) -> list[str]:
    """The names in bold of lines that each tell about one of them: "**Tides** – by Lind and Wu"; else none."""
    if "**" not in stated or not hints.whole:
        return []
    lines = [line.strip() for line in stated.split("\n") if line.strip()]
    if len(lines) > 1 and (lines[0].endswith((":", "：")) or lines[0][0] == "#") and not EXCLUDED.search(lines[0]):
        lines = lines[1:]
    found = [_BOLD_NAME.fullmatch(line) for line in lines]
    if not all(one and not EXCLUDED.search(one[2]) and not HEDGE.search(one[2]) for one in found):
        return []
    return [one[1].strip(" :") for one in found if one]


def _without_heading(stated: str, hints: KeyHints) -> str:
    """A bulleted list without a line in bold above it: "**Qualifying companies**"."""
    heading, _, rest = stated.strip().partition("\n")
    lines = [line.strip() for line in rest.split("\n") if line.strip()]
    bold = heading.startswith("**") and heading.endswith("**") and "**" not in heading[2:-2]
    if not bold or not lines or letters(heading) in hints.whole or EXCLUDED.search(heading):
        return stated
    return rest if all(line.startswith(("- ", "* ", "• ")) for line in lines) else stated


def _labeled_values(lines: list[str], hints: KeyHints) -> list[str]:
    """The numbers of lines such as "Article 1: 4", if every line is such a one; else the lines as items."""
    bare = unnumbered(lines, hints)
    labeled = [_LABELED.search(line) if any(map(str.isalpha, line)) else None for line in bare]
    values = [match[1] for match in labeled if match and number_of(match[1]) is not None]
    return values if len(values) == len(lines) else clean_items(lines, hints)


def _numbered_inline(line: str) -> list[str]:
    """The entries of "1. Lind 2. Wu" or "①Lind②Wu"; none if they are not numbered one after the other."""
    if line[:1] == "①":
        return [part.strip(_WRAPS + " 、") for part in _CIRCLED.split(line) if part.strip()]
    marks = list(_NUMBERED.finditer(line)) if line[:1] in "1(" else []
    if len(marks) < 2 and line[:2] in ("[1", "(a"):
        marks = list(_BRACKETED.finditer(line))
    counted = [int(mark[1]) if mark[1] else ord(mark[2]) - ord("a") + 1 for mark in marks]
    if len(marks) < 2 or marks[0].start() or counted != list(range(1, len(marks) + 1)):
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(line)]
    return [line[mark.end() : end].strip(_WRAPS + " 、") for mark, end in zip(marks, ends, strict=True)]


def bare_numbers(line: str) -> str:
    """Numbers without the words around them: "The years are 2016 (Doc 1), followed by 2018."."""
    if "\n" in line.strip():
        return line if _OPEN_ASIDE.search(line) else _ORIGIN.sub("", line)
    bare = _ORIGIN.sub("", line).replace("年", "")
    runs = [*_NUMBER_RUN.finditer(bare)]
    if len(runs) == 1 and not HEDGE.search(bare) and not _NO_LIST.search(bare):
        before, after = bare[: runs[0].start()], bare[runs[0].end() :]
        stated = _LEADS_TO_RUN.fullmatch(before) and _AFTER_RUN.fullmatch(after)
        if stated and not re.search(r"\d", before + after) and not _LEAVES_OPEN.search(before):
            return _IN_TURN.sub(", ", runs[0][0])
    lead = _NUMBERS_FOLLOW.match(bare)
    if lead and not HEDGE.search(bare) and not _NO_LIST.search(bare):
        bare = bare[lead.end() :]
    return _IN_TURN.sub(", ", bare)


def repeated(items: list[str], hints: KeyHints) -> list[str]:
    """Items as often as they are said to occur: "Lind (twice)", "2 × Lind"."""
    counted: list[str] = []
    for item in items:
        times = _TIMES.fullmatch(item) if letters(item) not in hints.whole else None
        if times is None:
            counted.append(item)
        else:
            number = times["before"] or times["inside"] or times["after"] or times["word"]
            counted += [times["item"] or times["own"]] * _MULTIPLES.get(number.lower(), 1)
    return counted


def without_figures(items: list[str], hints: KeyHints) -> list[str]:
    """Names without the figures that show why they are listed, if every item has one: "Tides (12)", "Tides: 12%"."""
    named: list[str] = []
    for item in items:
        figure = _FIGURE.search(item[-MAX_FIGURE:])
        if figure is None or letters(item) in hints.whole:
            return items
        named.append(item[: len(item) - len(figure[0])])
    return named


def _inline(line: str, hints: KeyHints, numeric: bool) -> list[str]:
    """The items of a list on one line."""
    line = without_lead_in(line.strip(), hints)
    line = line[:-1] if line.endswith((").", "）。")) else line
    if enclosed(line):
        line = line[1:-1]
    if numeric:
        return clean_items(_numeric_pieces(_OF_ONE.sub("", line), hints), hints)
    if (";" in line or "；" in line) and not hints.semicolons:
        return clean_items(
            [line[start:end] for start, end in _without_and(line, split_parts(SEMICOLON, line), hints)], hints
        )
    if letters(line) in hints.whole:
        return [line]
    item = clean_item(line, hints)
    if item != line and letters(item) in hints.whole:
        return [item]
    for sign, by in (("|", _BAR), ("→", ARROW), (" > ", ARROW), (" / ", _SLASH)):
        if sign in line and not hints.contain(sign):
            return clean_items(by.split(line.strip("| ")), hints)
    if "(" in line and not hints.contain("("):
        line = _PLACES.sub("", line)
    quoted = _QUOTED.findall(line) if '"' in line or "“" in line else []
    if quoted and not _QUOTED.sub("", line).strip(" ."):
        return [item for item in quoted if item.strip()]
    return clean_items(_pieces(line, hints), hints)


def _pieces(line: str, hints: KeyHints) -> list[str]:
    """A line split at its separators, except inside titles of the key."""
    if hints.joined:
        if "(" in line and not hints.contain("("):
            line = _FIGURES.sub("", line)
        return list(rejoined(line, _without_and(line, split_parts(SEPARATOR_OR_AND, line), hints), hints))
    parts = split_parts(SEPARATOR, line)
    parts += split_parts(AND, line, parts.pop()[0])
    pieces = [line[start:end] for start, end in _without_and(line, parts, hints)]
    return [item for piece in pieces for item in _tied(piece, hints)]


def _tied(piece: str, hints: KeyHints) -> list[str]:
    """The items of "Lind and Wu (tied)", if the key has both; otherwise the piece."""
    if not piece.endswith(")") or " and " not in piece:
        return [piece]
    items = AND.split(_TIE.sub("", piece))
    return items if all(letters(item) in hints.whole for item in items) else [piece]


def _without_and(line: str, parts: list[tuple[int, int]], hints: KeyHints) -> list[tuple[int, int]]:
    """The parts without a leading "and" ("and Wu"), unless the key has a title such as "And then there were none"."""
    shortened = parts[:1]
    for start, end in parts[1:]:
        match = _LEADING_AND.match(line, start, end)
        kept = match is None or (form := letters(line[start:end])) in hints.whole or form in hints.heads
        shortened.append((start if match is None or kept else match.end(), end))
    return shortened


def _numeric_pieces(line: str, hints: KeyHints) -> list[str]:
    """A line of numbers split at its commas, except inside 1,234."""
    if ", " not in line and ";" not in line and _is_value(line, hints):
        return [line]  # "one hundred and five"
    if (chained := _CHAINED.fullmatch(line)) is not None:
        numbers = re.split(r"[ \t][/<>][ \t]", line)
        # "25 < 10" is no order.
        return numbers if chained[1] != "<" or _ascends(numbers) else [line]
    if _SPACED.fullmatch(line.rstrip(".")):
        return line.rstrip(".").split()
    parts = split_parts(COMMA_IN_NUMBERS, line)
    last = parts[-1]
    if not _SPELLED_AND.search(line, *last) or number_of(line[slice(*last)]) is None:
        parts += split_parts(AND, line, parts.pop()[0])
    pieces: list[str] = []
    for start, end in parts:
        piece = line[start:end]
        # "100,200" alone may be two numbers or one; "100,200, 5" shows which comma separates.
        if "," in piece and ", " not in line and "; " not in line and not _is_value(piece, hints):
            pieces += piece.split(",")
        else:
            pieces.append(piece)
    return pieces


def _ascends(numbers: list[str]) -> bool:
    values = [number.value for number in map(number_of, numbers) if number]
    return values == sorted(values)


def _is_value(piece: str, hints: KeyHints) -> bool:
    """Whether the piece is one of the key's numbers."""
    number = number_of(piece)
    return number is not None and number.value in hints.values

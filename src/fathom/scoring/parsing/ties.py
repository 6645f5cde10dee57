"""Rankings in which a response marks ties: "Lind; Wu and Chen (tied)", "Lind > {Wu, Chen}", "2nd (tie): Wu, Chen"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import enclosed, letters, plain
from fathom.scoring.parsing.segmentation import without_lead_in

_ITEM = "\x00"
"""Stands for an item of the key."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_TIED = r"(?:tied?|tie|ties|joint|jointly|equal|ex aequo|shared|both|并列)"
_MARK = re.compile(
    rf"[ \t]?[(（\[][^()（）\[\]\n]{{0,40}}?{_TIED}(?!\w)[^()（）\[\]\n]{{0,40}}[)）\]]"
    r"|,?[ \t](?:are |is )?(?:in a |in a two-way |in a three-way )?(?:tied?"
    r"|ties?)(?: for [a-z]+(?: place)?)?(?=[\s,.;:：]|\Z)",
    re.IGNORECASE,
)
_BRACED = re.compile(r"\{([^{}\n]{1,400})\}")
_PIECE = re.compile(r"\n|[;；]|→|->|=>|[ \t]>[ \t]|,?[ \t](?:and )?(?:then|followed by)[ \t]")
_LINE_END = re.compile(r"\n|[;；]")
_LABEL = re.compile(
    r"\A[\s*_•-]{0,6}(?:(?:rank|place|position|no\.)[ \t]?)?#?(?:\d{1,3}(?:st|nd|rd|th)?|first|second|third"
    r"|fourth|fifth"
    r"|sixth|seventh|eighth|ninth|tenth|last|第[一二三四五六七八九十]名)(?:[ \t]place)?[ \t]?[.):：–—-][ \t]?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^[ \t]*\(?(\d{1,3})[.)][ \t]", re.MULTILINE)
_EQUAL = re.compile(r"[^\W_][\"”.)]?[ \t]?=[ \t]?[\"“]?[^\W_]")
_FIGURE = re.compile(r"[ \t]?\([^()\n]{0,12}\d[^()\n]{0,30}\)|[ \t]\[\d{1,3}\]|\beach\b")
_BETWEEN = re.compile(rf"[\s,;/&=、，和与及{_ITEM}\"'“”.。]|\band\b|\bboth\b", re.IGNORECASE)


def with_ties_as_lists(text: str, groups: Sequence[Sequence[str]], hints: KeyHints) -> str | None:
    """The ranking with tied items one after the other; None if it ties items that the key does not tie.

    `groups` has the spellings of each group of the key. A text without ties is unchanged.
    """
    numbers = [int(number) for number in _NUMBERED.findall(text)]
    numbered = len(numbers) > 1 and numbers == [*range(1, len(numbers) + 1)]
    if enclosed(text.strip()) or not (numbered or any(sign.search(text) for sign in (_BRACED, _MARK, _EQUAL))):
        return text
    place = {letters(spelling): at for at, group in enumerate(groups) for spelling in group}
    names = _item_pattern("|".join(map(re.escape, sorted(place, key=len, reverse=True))), text)
    stated: list[str] = []
    pieces = _LINE_END if hints.contain("then ") else _PIECE
    for piece in pieces.split(without_lead_in(plain(text), hints)):
        bare = _LABEL.sub("", _MARK.sub("", _BRACED.sub(r"\1", piece)))
        form = letters(bare)
        # Items that share a number share a place.
        tied = bare != _LABEL.sub("", piece) or _EQUAL.search(piece) or (numbered and _NUMBERED.match(piece))
        found = names.findall(form) if tied else []
        listed = not _BETWEEN.sub("", _FIGURE.sub("", names.sub(_ITEM, form)))
        if listed and len({place[name] for name in found}) > 1:
            return None
        stated += found if listed and len(found) > 1 else [bare if tied else piece]
    return "\n".join(line.strip(" ,.") for line in stated if line.strip(" ,."))


def _item_pattern(names: str, text: str) -> re.Pattern[str]:
    """A pattern of whole names in a text; `names` are alternatives.

    Chinese writes names without spaces around them. A pattern with a range of characters takes 20 times as long to
    compile, so other texts do without.
    """
    letter = r"[^\W\u4e00-\u9fff]" if _CHINESE.search(text) else r"\w"
    return re.compile(rf"(?<!{letter})(?:{names})(?!{letter})")

"""Rankings in which a response marks ties: "Lind; Wu and Chen (tied)", "Lind > {Wu, Chen}", "2nd (tie): Wu, Chen"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.scoring.parsing.framed_items import ITEM, item_pattern
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import enclosed, letters, plain
from fathom.scoring.parsing.segmentation import without_lead_in

_TIED = r"(?:tied?|tie|ties|joint|jointly|equal|ex aequo|shared|both|并列)"
_MARK = re.compile(
    rf"[ \t]?[(（\[][^()（）\[\]\n]{{0,40}}?{_TIED}(?!\w)[^()（）\[\]\n]{{0,40}}[)）\]]"
    r"|,?[ \t](?:are |is )?(?:in a |in a two-way |in a three-way )?(?:tied?|ties?)(?: for [a-z]+(?: place)?)?(?=[\s,.;:：]|\Z)",
    re.IGNORECASE,
)
_BRACED = re.compile(r"\{([^{}\n]{1,400})\}")
_PIECE = re.compile(r"\n|[;；]|→|->|=>|[ \t]>[ \t]|,?[ \t](?:and )?(?:then|followed by)[ \t]")
_LABEL = re.compile(
    r"\A[\s*_•-]{0,6}(?:(?:rank|place|position|no\.)[ \t]?)?#?(?:\d{1,3}(?:st|nd|rd|th)?|first|second|third|fourth|fifth"
    r"|sixth|seventh|eighth|ninth|tenth|last|第[一二三四五六七八九十]名)(?:[ \t]place)?[ \t]?[.):：–—-][ \t]?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"[\s,;/&=、，和与及{ITEM}\"'“”.。]|\band\b|\bboth\b", re.IGNORECASE)


def with_ties_as_lists(text: str, groups: Sequence[Sequence[str]], hints: KeyHints) -> str | None:
    """The ranking with tied items one after the other; None if it ties items that the key does not tie.

    `groups` has the spellings of each group of the key. A text without ties is unchanged.
    """
    if enclosed(text.strip()) or not (_BRACED.search(text) or _MARK.search(text)):
        return text
    place = {letters(spelling): at for at, group in enumerate(groups) for spelling in group}
    names = item_pattern("|".join(map(re.escape, sorted(place, key=len, reverse=True))), text)
    stated: list[str] = []
    for piece in _PIECE.split(without_lead_in(plain(text), hints)):
        marked = _MARK.search(piece) or _BRACED.search(piece)
        bare = _LABEL.sub("", _MARK.sub("", _BRACED.sub(r"\1", piece))) if marked else piece
        form = letters(bare)
        found = names.findall(form) if marked else []
        if len({place[name] for name in found}) > 1:
            return None
        if len(found) > 1 and not _BETWEEN.sub("", names.sub(ITEM, form)):
            stated += found
        else:
            stated.append(_LABEL.sub("", bare) if bare.strip() else "")
    return "\n".join(line.strip(" ,.") for line in stated if line.strip(" ,."))

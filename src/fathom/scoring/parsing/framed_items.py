"""Items in sentences with words of their own: "The most cited author is Lind", "Both Lind and Wu reported a loss".

Such words may appear before a verb that leads to the items, or after a verb that follows them, and nowhere else. None
of them may look like a name, deny, compare or leave anything open. Responses in other languages come here with their
structural words in English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from fathom.scoring.parsing.normalization import INITIALS, UNIFORM_SIGNS, unaccented

ITEM: Final = "\x00"
"""Stands for an item of the key."""
WORD = re.compile(r"[^\W_]+(?:'s)?")
NUMBER_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NO_NAMES: Final = frozenset({"I", "Article", "Articles", "Document", "Documents", "Doc", "Paper", "Table", "Figure"})
_OPEN_WORDS = (
    "not no never neither nor or either except besides unlike without wrong incorrect maybe perhaps possibly probably "
    "likely unsure unclear unknown unless instead rather however although though but versus than whose close closest "
    "nearest nearly almost similar example guess another next other others some among including includes partly "
    "considered excluded candidate candidates fail fails failed failing violate violates disqualified lack lacks "
    "missing if could might may before after behind ahead"
)
_OPEN = re.compile(
    rf"(?<!\w)(?:{'|'.join(_OPEN_WORDS.split())})(?!\w)|n't(?!\w)|\b(?:one|part|half) of\b|\bsuch as\b|\be\.g\."
    r"|\bis an?\b|[?…]|[不没無无未非或除若如也]|可能|等|之一",
    re.IGNORECASE,
)
"""Words that deny, compare or leave something open."""
_NOTE = re.compile(
    r"[ \t]?\((?:(?:doc(?:ument)?|article|paper)s?[ \t]#?\d[\d, and]*"
    r"|[^\W\d_][^\W\d]*(?:[ \t]et al\.)?,?[ \t](?:19|20)\d\d|[\d.,]+[ \t]?(?:%|[a-z]+(?:[ \t][a-z]+)?)?)\)",
    re.IGNORECASE,
)
"""Where an item comes from, or its figure: "(Doc 3)", "(Lind, 2014)", "(14 citations)"."""
_BETWEEN = re.compile(
    r"[ \t]*(?:[,;、，>→/+-]|->)?[ \t]*"
    r"(?:(?:and|&|than auch|como|和|与|及|以及|then|and then|followed by)[ \t]*(?:then[ \t])?"
    r"(?:the[ \t][a-z]+est[ \t](?:is|was)[ \t])?)?",
    re.IGNORECASE,
)
"""What may appear between two items."""
_LEADS = re.compile(
    r"(?:(?:both|c'is|it is|it's|es is|es are)[ \t]"
    r"|(?:(?:both|these|the following|two|three|four|five|six|seven|eight|nine|ten)[ \t][^\n.;:]{1,100}"
    r"|from[ \t][^\n.;:]{1,60}[ \t]to[ \t][^\n.;:]{1,60}):[ \t]|[^\n.;:：]{1,60}[家个名篇][：:][ \t]?"
    r"|(?P<subject>[^\n.;:]{2,200}?)(?:[ \t](?:(?:is|are|was|were)(?:[ \t]held by)?|(?:belongs?|goes"
    r"|go) to)[ \t]?:?(?:[ \t]that of)?"
    r"|[是为為：]|有)[ \t]*)?",
    re.IGNORECASE,
)
"""What may appear before the first item."""
_FOLLOWS = re.compile(
    r"(?P<said>[ \t](?:is|are|was|were|has|have|had|wrote|reported|published|appears?|comes?|leads?|ranks?|tops?|holds?"
    r"|meets?|match(?:es)?|share[sd]?|shows?|received|achieved|cites?|cited|uses?|used|who|meldeten?|qui"
    r"|registraron)[ \t][^\n.;:,]{1,200}|,?[ \t](?:with|at)[ \t](?:a |an |just |only )?\d[^\n.;:,]{0,60}"
    r"|[，,]?(?:共计?|占比?|合计|达到?|[\u4e00-\u9fff]{0,12}[为是达])[\u4e00-\u9fff]{0,8}\d[^，,。；;、\n]{0,12}|[（(][^（）()\n]{0,30}\d[^（）()\n]{0,20}[)）])?",
    re.IGNORECASE,
)
"""What may appear after the last item."""
_CLAUSE_BETWEEN = re.compile(
    r"(?P<said>[ \t](?:is|are|was|were|has|have|had|wrote|appears?|comes?|leads?|ranks?|tops?|holds?|share[sd]?"
    r"|follows?)"
    r"[ \t](?![^.;,\n]*\b(?:last|lowest|fewest|least|bottom|smallest|by|to|from|with (?!\d|[a-z]+ (?:articles?"
    r"|papers?|references?|citations?|each)))\b)[^\n.;:,]{1,100})?"
    r"(?:[.;,][ \t]|[ \t](?=and\b|then\b|while\b))(?:(?:and|then|while|next|finally|lastly|followed by|next comes"
    r"|then comes)[ \t]){0,2}"
    r"|[，,；;、][\u4e00-\u9fff]{0,20}[是为]",
    re.IGNORECASE,
)
"""A clause about an item before the next one: "Lind leads with five articles. Wu and"."""
_NAME = r"[A-Z][\w.-]*(?:[ \t][A-Z][\w.-]*){0,4}"
_BESIDE_SUBJECT = re.compile(
    rf"(?:{_NAME})'s?(?!\w)|\b(?:of|by|with|for|from|to|in|cite|cites|cited|citing)[ \t]+(?:the[ \t])?{_NAME}"
)
"""A name that the subject of a sentence belongs to: "Lind's co-authors", "the papers of Lind"."""
_HAS = re.compile(
    r"[ \t](?:(?:has|have|had|wrote|with|reported|published|at|hat|a|is|was)[ \t](?:(?:written|published|the|largest"
    r"|highest|most|cited|smallest|lowest|share|number|with|of|only|just|a|total|at)[ \t]){0,6})?",
    re.IGNORECASE,
)
"""What may appear between a name and its number."""
_AFTER_NUMBER = frozenset(
    WORD.findall(
        "and also followed by then each articles article papers works citations times words references percent points "
        "people employees verfasst"
    )
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_JOINT = re.compile(r"[,;]|\band\b")


def item_pattern(names: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern of whole names in a text; `names` are alternatives.

    Chinese writes names without spaces around them. A pattern with a range of characters takes 20 times as long to
    compile, so other texts do without.
    """
    letter = r"[^\W\u4e00-\u9fff]" if _CHINESE.search(text) else r"\w"
    return re.compile(rf"(?<!{letter})(?:{names})(?!{letter})", flags)


def frames_items(sentence: str, names: str) -> bool:
    """Whether the sentence leads to its items, or says something about them."""
    # Accents are left out as in the names, while capitals are kept: they show names.
    bare = _bare(sentence)
    rest = item_pattern(names, bare, re.IGNORECASE).sub(ITEM, bare)
    if ITEM not in rest or _OPEN.search(rest) or rest.count('"') % 2:
        return False
    rest = _NOTE.sub("", rest.replace('"', "")).strip(" .!。")
    rest = re.sub(r"[《》]", "", rest)
    before, *between, after = rest.split(ITEM)
    leads, follows = _LEADS.fullmatch(before), _FOLLOWS.fullmatch(after)
    joints = [_BETWEEN.fullmatch(joint) or _CLAUSE_BETWEEN.fullmatch(joint) for joint in between]
    if not leads or not follows or not all(joints):
        return False
    subject = _BESIDE_SUBJECT.sub("", leads["subject"] or "")
    said = " ".join(filter(None, (follows["said"], *(joint.groupdict().get("said") for joint in joints if joint))))
    if not (before or said):
        return False  # a bare list is read elsewhere
    named = [word for word in WORD.findall(rest.lower()) if word in ORDINALS]
    if named and (named != sorted(set(named), key=ORDINALS.index) or (named[0] != "first" and before)):
        return False  # "the second is Lind" says nothing about the first
    return not any(map(_may_be_name, WORD.findall(f"{subject[:1].lower()}{subject[1:]} {said}")))


def rows_in_sentence(sentence: str, spellings: Mapping[str, str]) -> list[list[str]]:
    """Names and numbers that a sentence gives in turn: "Lind has written 7 articles and Wu 4."; else none.

    `spellings` gives the key's own spelling of each name in small letters.
    """
    lead, colon, rest = sentence.partition(": ")
    if colon and lead.count(" ") > 2 and any(form in unaccented(rest).lower() for form in spellings):
        sentence = rest  # "Two authors wrote several: Lind with 3 articles and Wu with 2"
    bare = _bare(sentence).replace('"', "").strip(" .!")
    if not spellings or _OPEN.search(bare):
        return []
    names = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
    number = rf"\d(?:[\d,.]*\d)?%?|{'|'.join(NUMBER_WORDS)}"
    parts = re.split(rf"(?<!\w)({names}|{number})(?!\w)", bare, flags=re.IGNORECASE)
    stated, between = parts[1::2], parts[::2]
    rows = [[spellings.get(name.lower(), ""), count] for name, count in zip(stated[::2], stated[1::2], strict=False)]
    if len(stated) < 4 or len(stated) % 2 or not all(name and count.lower() not in spellings for name, count in rows):
        return []
    first, *joints = between[::2]
    counted = all(word in _AFTER_NUMBER for gap in joints for word in WORD.findall(gap.lower()))
    joined = not first.strip() and all(map(_JOINT.search, joints[:-1])) and all(map(_HAS.fullmatch, between[1::2]))
    return rows if counted and joined else []


def _bare(sentence: str) -> str:
    """The sentence without accents, with one kind of quote and dash."""
    bare = unaccented(unicodedata.normalize("NFKC", sentence).translate(UNIFORM_SIGNS)).strip()
    return INITIALS.sub(".", bare)


def _may_be_name(word: str) -> bool:
    """Whether a word may be a part of another name: it has a capital letter."""
    return word != word.lower() and word not in _NO_NAMES and not (word.isupper() and len(word) < 3)

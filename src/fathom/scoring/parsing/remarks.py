"""Sentences around an answer that are no part of it: explanations, courtesies, notes, retractions.

A wrong title that is taken for a remark would make a list correct. Therefore a line is a remark only if it is a
sentence of a few known kinds, and never inside a list.
"""

from __future__ import annotations

import re

from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import letters

RETRACTION = re.compile(
    r"\b(?:wait|actually|correction|corrected|scratch that|on second thoughts?|mistaken?|miscounted"
    r"|misread|re-?check(?:ed|ing)?"
    r"|let me re|hold on|oops|instead|i think|i believe|(?:it|this|that|answer) (?:should|must|could|might) be)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[*_#( \t]{0,8}(?:brief |short |my |additional |further |step-by-step )?(?:explanations?|reasoning|rationale"
    r"|justifications?|notes?|confidence|evidence|sources?|caveats?|comments?|remarks?|details?|verification|why"
    r"|assumptions?|p\.?s\.?|disclaimer|breakdown|analysis|derivation"
    r"|working)\b[^\n:]{0,40}[*_ \t]{0,4}(?::|：|\)?[*_ \t]{0,4}$)",
    re.IGNORECASE | re.MULTILINE,
)
_BEFORE_OR_AFTER = re.compile(
    r"[\W_]{0,8}(?:[a-z-]+ )?(?:reasoning|analysis|derivation|working|breakdown|details?)", re.IGNORECASE
)
"""Labels that may also stand before an answer."""
_CERTAIN = re.compile(r"#{1,6} |[*_( \t]{0,6}confidence\b", re.IGNORECASE)
_EXPLANATION = re.compile(
    r"[*_( \t]{0,6}(?:explanations?|reasoning|rationale|justification|notes?|breakdown)\b", re.IGNORECASE
)
_COURTESY = re.compile(
    r"[*_(]{0,4}(?:(?:please )?let me know (?:if|whether)\b|i hope (?:this|that|it)\b|hope (?:this|that|it) helps"
    r"|(?:please )?feel free to\b|if you (?:need|want|would like|have) (?:any|more|further|me|to|questions)\b"
    r"|would you like me to\b|is there anything else\b|thank(?:s| you) for)[^\n]*[.!?)*]\Z",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"[*_(]{0,4}(?:i|we|he|she|it|they|this|these|those|that|each|both|all (?:of|other|articles|the)"
    r"|no other|(?:here|there) (?:is|are)"
    r"|in total|together|note that|since|because|as (?:the|shown|listed)|the (?:above|lists?|answer"
    r"|results?|order|articles?|authors?"
    r"|titles?|counts?|totals?|others?|remaining|rest|values?|question|ties?|names?))\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|appears?|wrote|count(?:ed|s)?|found|contains?"
    r"|includes?|lists?|follows?|cites?"
    r"|meets?|match(?:es)?|satisf(?:y|ies)|checked|used|considered|excluded|sorted|ordered|based"
    r"|give[sn]?|share)\b|n't\b",
    re.IGNORECASE,
)
_MARKER = re.compile(r"\banswers?\b[^\n.]{0,20}(?:[:：]|\b(?:is|are)\b)|\\boxed", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_RULES = re.compile(r"(?:[-*_=][ \t]?){3,80}")
_SENTENCE_ENDS = (".", "!", ".*", ".**", ".)", ".)*", '."')


def is_comment(line: str) -> bool:
    """Whether a line is a sentence on the answer, such as "These are all."; a title has no full stop."""
    if line.count(" ") < 2 or len(line) > 2000 or not line.endswith((*_SENTENCE_ENDS, "?")):
        return False
    if _COURTESY.match(line):
        return True
    return line[-1] not in "!?" and _COMMENT.match(line) is not None and _VERB.search(line, 0, 400) is not None


def is_label(line: str, followed: bool = False) -> bool:
    """Whether a line begins an explanation. "Evidence: a survey" may be a title: it has no full stop."""
    if not _LABEL.match(line):
        return False
    if line.rstrip().endswith((*_SENTENCE_ENDS, ":", "%", ":**")) or _CERTAIN.match(line):
        return True
    return followed and _EXPLANATION.match(line) is not None


def _is_remark(paragraph: str, hints: KeyHints) -> bool:
    """Whether a paragraph after the answer is no part of it."""
    if _RULES.fullmatch(paragraph):
        return True
    first, _, rest = paragraph.partition("\n")
    if is_label(first, followed=bool(rest)):
        return letters(first) not in hints.whole
    if rest:
        return all(is_comment(line.strip()) for line in paragraph.split("\n") if line.strip())
    if first.startswith("(") and first.endswith(")") and _WORDS.search(first) and letters(first) not in hints.whole:
        return True
    return is_comment(first)


def split_remarks(text: str, hints: KeyHints, marked: bool) -> tuple[str, str]:
    """The text up to the remarks that follow its answer, and these remarks; `marked` if it begins with the answer."""
    text = text.strip()
    if "\n" not in text or (text[-1].isalnum() and "\n\n" not in text):
        return text, ""
    end = len(text)
    gaps = [(0, 0), (end, end)]
    if "\n\n" in text or "\n " in text or "\n\t" in text:
        gaps[1:1] = [match.span() for match in _PARAGRAPHS.finditer(text)]
    for at in range(len(gaps) - 2, 0, -1):
        # From the end back: whatever follows an explanation belongs to it.
        paragraph = text[gaps[at][1] : gaps[at + 1][0]].strip()
        if _MARKER.search(paragraph) and not _LABEL.match(paragraph):
            break
        labeled = _LABEL.match(paragraph) and (marked or not _BEFORE_OR_AFTER.match(paragraph))
        if (labeled and _is_remark(paragraph, hints)) or (
            end == gaps[at + 1][0] and (not paragraph or _is_remark(paragraph, hints))
        ):
            end = gaps[at][0]
    kept = text[:end].rstrip()
    last = kept[kept.rfind("\n") + 1 :].strip()
    while "\n" in kept and is_comment(last) and letters(last) not in hints.whole and not _MARKER.search(last):
        kept = kept[: kept.rfind("\n")].rstrip()
        last = kept[kept.rfind("\n") + 1 :].strip()
    return kept, text[len(kept) :]

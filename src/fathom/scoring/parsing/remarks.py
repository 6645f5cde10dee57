"""Sentences around an answer that are not part of it: explanations, courtesies, notes, retractions.

A wrong title that is taken for a remark would make a list correct. Therefore a line is a remark only if it is a
sentence of a few known kinds, and never inside a list.
"""

from __future__ import annotations

import re

from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.non_answers import states_no_answer
from fathom.scoring.parsing.normalization import letters

RETRACTION = re.compile(
    r"\b(?:wait|actually|correction|corrected|scratch that|on second thoughts?|mistaken?|miscounted"
    r"|misread|re-?check(?:ed|ing)?"
    r"|let me re|hold on|made an error|(?:has|have|ought) to (?:be|read)|i change my"
    r"|oops|just kidding|instead|i think|i believe"
    r"|(?:this|that|my|the|the above|my first) answer (?:is|was) (?:wrong|incorrect|false|not)|(?:it|this"
    r"|that|answer) (?:should|must|could|might) be)\b"
    r"|更正|不对|错了|有误|改为|应该?[为是]",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"(?:^|[.!?。！？…][)\"'”*_]{0,3}[ \t]+)[ \t*_(>#-]{0,6}(?:(?:oh|but|okay|ok|no|ah|hmm?)[,.]? )?"
    r"(?:wait|hm+|sorry|apologies|oops|no[,:;!—–-]|hold on|correction|corrected|updated?[:;,]|edit(?:ed)?[:;,]"
    r"|scratch that"
    r"|actually|on (?:second thoughts?|reflection|closer|further)|revised|in fact[,:]"
    r"|i (?:(?:may|might|could) (?:have|be) (?:missed|overlooked|forgotten|misread|miscounted|wrong|missing)"
    r"|take (?:it|that|this) back|(?:have )?(?:missed|overlooked|forgot(?:ten)?|misread|miscounted)"
    r"|was (?:wrong|mistaken)"
    r"|made (?:a|an) (?:mistake|error))|(?:that|this|it)(?: is|'s| was)"
    r"(?: (?:wrong|incorrect|false|a mistake|an error)|(?: not|n't) (?:right|correct|true))"
    r"|i (?:cannot|can't|could not|couldn't) (?:tell|decide|say|be sure)(?=[.!]|$)"
    r"|i (?:hereby )?(?:change|revise) my answer|i (?:hereby )?(?:retract|withdraw)|(?:please )?(?:disregard|ignore)"
    r"|等等|不对|更正|抱歉|对不起)(?![^\W_])",
    re.IGNORECASE | re.MULTILINE,
)
"""The beginning of a sentence that takes an answer back."""
_UNDECIDED = re.compile(
    r"\bunder (?:one|another|the other|a different)\b|\bboth (?:\w+ )?are (?:possible|plausible|defensible)\b"
    r"|\balternatively\b|[;,.][ \t]otherwise,?[ \t](?:it|the answer) (?:is|would be)\b|\bcorrected to\b"
    r"|\bi (?:cannot|can't|could not|couldn't) (?:tell|decide|say) (?:which|whether|between)\b"
    r"|\b(?:may|might|could) (?:just )?as well be\b|, no,? wait\b",
    re.IGNORECASE,
)
"""A response that leaves two answers open."""
_UNDECIDED_WORDS = (" as well be", " wait", "under ", "both ", "alternatively", "otherwise", "corrected to", "i c")
"""One of them is in everything that the pattern matches; looking for them takes less time than the pattern."""
_LABEL = re.compile(
    r"[*_#( \t]{0,8}(?:(?:brief|short|my|additional|further|step-by-step|detailed|full|supporting"
    r"|how i got this|the) ){0,2}"
    r"(?:explanations?|reason(?:s|ing)?|rationale"
    r"|justifications?|notes?|confidence|evidence|sources?|caveats?|comments?|remarks?|details?|verification|why"
    r"|assumptions?|p\.?s\.?|disclaimer|breakdown|analysis|derivation"
    r"|working|steps|calculations?|method(?:ology)?|process|how)\b[^\n:]{0,40}[*_ \t]{0,4}(?:[:：?]|\)?[*_ \t]{0,4}$)",
    re.IGNORECASE | re.MULTILINE,
)
_BEFORE_OR_AFTER = re.compile(
    r"[\W_]{0,8}(?:[a-z-]+ )?(?:reasoning|analysis|derivation|working|breakdown|details?)", re.IGNORECASE
)
"""Labels that may also come before an answer."""
_CONFIDENCE = re.compile(
    r"[*_( \t]{0,6}(?:confidence(?: level| score)?|置信度|可信度)[*_ \t]{0,4}[:：=][^\n]{1,40}", re.IGNORECASE
)
_CHINESE_LABEL = re.compile(
    r"[*_#（( \t【]{0,8}(?:详细|简要|具体)?(?:解释|说明|理由|原因|推理(?:过程)?|依据|来源|出处|参考[文资]?[档献料]?"
    r"|置信度|备注|注|计算(?:过程)?|分析(?:过程)?|过程|证据|步骤|数据来源)[*_】]{0,3}[ \t]?[:：]"
)
_CHINESE_COMMENT = re.compile(
    r"[（(]?(?:以上(?:即|就|是|为|数据|结果|答案|均|所有|内容)|希望|如有|如需|如果您|请(?:注意|随时|参考)|谢谢|感谢|祝)"
    r"[^\n\d“\"《]{0,80}[。！!~～][）)]?"
)
_CHINESE_LEFT_OUT = re.compile(
    r"[（(]?[“\"《]?[^\n“”\"。]{1,80}[”\"》]?不符合条件，?(?:故|因此)?(?:未|不)(?:列入|计入|选入)。?[）)]?"
)
_SOURCES = re.compile(
    r"\n[*_#( \t]{0,8}(?:sources?(?: used)?|references?|citations?|cited (?:documents|articles)|documents used)"
    r"[*_]{0,3}[ \t]?[:：][*_]{0,3}"
    r"(?:[ \t\n]{0,6}(?:[-*•][ \t]|\d{1,2}[.)][ \t])?(?:\[\d{1,3}\]|all |the |(?:articles?|papers?|documents?|docs?"
    r"|reports?|candidates?|passages?|sections?|pages?)\b)[^\n]{0,200}){1,40}\s*\Z",
    re.IGNORECASE,
)
"""A list of sources at the end of a response, by the labels of documents."""
_CERTAIN = re.compile(r"#{1,6} |[*_( \t]{0,6}confidence\b", re.IGNORECASE)
_EXPLANATION = re.compile(
    r"[*_( \t]{0,6}(?:explanations?|reasoning|rationale|justification|notes?|breakdown)\b", re.IGNORECASE
)
_COURTESY = re.compile(
    r"[*_(]{0,4}(?:(?:please )?let me know (?:if|whether)\b|i hope (?:this|that|it)\b|hope (?:this|that|it) helps"
    r"|(?:please )?feel free to\b|if anything\b|cheers\b|best regards\b"
    r"|if you (?:need|want|would like|have) (?:any|more|further|me|to|questions|the|a|details|this|it|that|another)\b"
    r"|would you like me to\b|(?:i'm )?(?:happy|glad) to (?:explain|elaborate|help|share|provide|show)\b"
    r"|is there anything else\b|thank(?:s| you) for)[^\n]*[.!?)*]\Z",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"[*_(]{0,4}(?:i|we|he|she|it|they|this|these|those|that|each|both|please note|all (?:of|other|articles"
    r"|the|two|three|four|five|six)"
    r"|no other|(?:so )?(?:here|there) (?:is|are)"
    r"|in total|together|note that|since|because|as (?:the|shown|listed)|the (?:above|lists?|answer"
    r"|results?|order|articles?|authors?"
    r"|titles?|counts?|totals?|others?|remaining|rest|values?|question|ties?|names?|first|second|third|last"
    r"|former|latter"
    r"|calculation|computation|texts?|documents?|evidence|reference lists?|bylines?|conditions?|criteri(?:a|on)))\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|appears?|wrote|count(?:ed|s)?|found|contains?"
    r"|includes?|lists?|follows?|cites?"
    r"|meets?|match(?:es)?|satisf(?:y|ies)|fits?|(?:double-|re-?)?(?:checked|verified|confirmed|counted|computed|read)"
    r"|used|considered|excluded|sorted|ordered|based|calculated|reviewed|compared|examined|went|looked|took"
    r"|describes?|discuss(?:es)?|concerns?|shows?|mentions?|refers?|introduces?|proposes?|presents?|uses?"
    r"|supports?|states?|says?"
    r"|gives?|given|gave|shares?|fails?|rel(?:y|ies)|assumes?|depends?|reflects?)\b|n't\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"[^"\n]{1,400}"|“[^”\n]{1,400}”')
_MARKER = re.compile(r"\banswers?\b[^\n.]{0,20}(?:[:：]|\b(?:is|are)\b)|\\boxed", re.IGNORECASE)
_NUMBER_TOLD = re.compile(
    r"\b(?:totals?|counts?|sum|number|result|average|mean|value)\b[^\n.]{0,60} (?:is|are|was|equals|comes to) "
    r"[^\n\d]{0,20}\d|\bin total,?[ \t][^\n.\d]{0,40}\d",
    re.IGNORECASE,
)
"""A sentence that states a number, at the end of a response without a marker."""
_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_RULES = re.compile(r"(?:[-*_=][ \t]?){3,80}")
_CLOSING = re.compile(
    r"[*_(]{0,3}(?:double-?)?(?:checked|verified)(?: twice)?[.!][*_)]{0,3}|\[end(?: of (?:the )?(?:answer"
    r"|response|message|output))?\]|END|\(?end of (?:answer|response)\)?"
)
_FOOTER = re.compile(
    r"([*_]{1,2})(?:[^*_\n]{3,300}[.!]"
    r"|(?i:generated|powered|produced|created|answered|written) (?:by|with|using|from)\b[^*_\n]{1,200})\1"
)
"""A sentence in italics below a rule."""
_SENTENCE_ENDS = (".", "!", "!*", ".*", ".**", ".)", ".)*", '."')


_OPENER = re.compile(
    r"[*_(]{0,4}(?:i|we|you|he|she|it|they|this|these|those|that|there|here|my|our|your|their|its|each|every|both|all"
    r"|none|no|nothing|nobody|only|other|others|any|such|some|because|since|as|given|based|using|by|from|after|before"
    r"|when|while|although|to|in|for|with|within|across|so|thus|hence|therefore|then|first|next|finally|note|please"
    r"|happy|glad|if|generated|checked|verified|counted|compared|counting|checking|comparing|sorting|looking"
    r"|reading|adding|going|taking|summing)\b(?!-)",
    re.IGNORECASE,
)
"""The first word of a sentence that names nothing."""
_SPEAKER = re.compile(r"\b(?:i|we|happy|glad|generated|checked|verified)\b", re.IGNORECASE)
"""A word of a sentence without a known verb that speaks of the writer."""
_TALK = re.compile(
    r"\b(?:answer(?:ed|ing|s)?|list(?:ed)?|entr(?:y|ies)|documents?|texts?|context|collection|bylines?"
    r"|references?|qualif\w+"
    r"|criteri\w+|conditions?|result|calculation|question|evidence|reading|details)\b",
    re.IGNORECASE,
)
"""What sentences about an answer speak of."""
ADDS = re.compile(
    r"\b(?:also|too|as well|(?<!after )another|in addition|additionally|plus|furthermore|moreover|missing|omitted"
    r"|left out|forgot"
    r"|(?:should|must|could|may) be (?:added|included|listed)|belongs?)\b",
    re.IGNORECASE,
)
"""What adds to an answer: "I also found Tides."."""
_EXCLUDES = re.compile(
    r"[\"“*_][^\"“”\n]{1,300}[\"”*_] (?:is|was|are|were) "
    r"(?:excluded|ruled out|not (?:included|counted|listed|part of))\b[^\"“\n]*\."
)
"""Why a title is not in a list: '"Tides" is excluded since it has only nine references.'"""
_LEFT_OUT = re.compile(
    r"[*_(]{0,3}(?i:not (?:included|listed|counted|selected|chosen|considered))[:：](?:(?!\bbut\b|\bexcept\b"
    r"|\bshould\b)[^\n]){1,400}\."
    r"|(?:(?!\b(?:but|except|also|this|that|it|list|answer)\b)[^\n]){2,200} (?:is|are|was"
    r"|were) not part of the [a-z]{4,20}\."
)
"""What is left out of an answer: "Not included: Tides, which has no table."."""
_PICTURE_AT_END = re.compile(r"(?:[ \t]*[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]){1,4}\Z")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_NAMING = re.compile(r"\d|[\"“”«»]|\s[*_(]{0,4}(?!I\b|I'|NULL\b)[^\W\d_a-z]")
"""A digit, a quotation mark or a capital letter inside a sentence."""


_TO_THE_USER = re.compile(
    r"[*_(]{0,4}(?:do(?:es)?|did|would|is|are|was|can|could|should|shall|may|want|need|have|any(?:thing)?|what"
    r"|how|which)\b"
    r"[^\n]{0,200}\b(?:you|your|me|i|we|help)\b[^\n]{0,200}\?[*_)]{0,4}\Z",
    re.IGNORECASE,
)
"""A closing question: "Does this match what you expected?"."""


def is_comment(line: str) -> bool:
    """Whether a line is a sentence on the answer, such as "These are all."; a title has no full stop."""
    if not line.isascii():
        line = _PICTURE_AT_END.sub("", line)
        if _CHINESE_COMMENT.fullmatch(line) or _CHINESE_LEFT_OUT.fullmatch(line):
            return True
    if len(line) > 2000 or not line.endswith((*_SENTENCE_ENDS, "?")):
        return False
    if _COURTESY.match(line):
        return True
    if line.count(" ") < 2:
        return False
    if _EXCLUDES.fullmatch(line) or _LEFT_OUT.fullmatch(line):
        return True
    if ADDS.search(line) and _NAMING.search(line):
        return False
    if line[-1] not in "!?" and _COMMENT.match(line) is not None and _VERB.search(line, 0, 400) is not None:
        return True
    return line[-1] != "?" and _is_prose(line)


def _is_prose(line: str) -> bool:
    """Whether a line is sentences about an answer that name nothing: no number, no name and no title."""
    if not _TALK.search(line) or ADDS.search(line):
        return False
    if not _VERB.search(line) and not _SPEAKER.search(line):
        return False
    return all(_OPENER.match(sentence) and not _NAMING.search(sentence) for sentence in _SENTENCES.split(line))


_TOLD_AFTER = re.compile(
    r"[ \t](?:\(|[—–-][ \t])(?=(?:the )?(?:first|last|only|sole|second|lead|most|author|article|paper)\b)"
    r"|,[ \t](?=the (?:first|last|only|sole|second|lead)\b)"
    r"|(?<=[^\s.])\.[ \t]+(?:it|she|he|they|this|these|both)[ \t](?=[a-z])"
    r"|,[ \t](?:(?:who|which)[ \t](?:is|are|was|were|has|have|had|wrote|appears?|cites?|contains?|lists?|comes?|leads?)"
    r"[ \t](?=[a-z]+[ \t])"
    r"|(?:with|having)[ \t](?=[^,\n]{0,60}\d)|(?:because|since)[ \t](?=[a-z]+[ \t][a-z]+[ \t]))",
    re.IGNORECASE,
)
_MAY_TAKE_BACK = re.compile(
    r"\b(?:not|but|or|except|without|unlike|wrong|however|though|perhaps|maybe)\b|n't\b", re.IGNORECASE
)
_CAPITAL = re.compile(r"\b[^\W\d_a-z]")


def without_comment(line: str) -> str:
    """A line without what it tells about its answer: "Tides. It has 64 references.", "Lind, with 5 articles".

    A clause with a capital letter may name another item, and one with a "but" may take the answer back.
    """
    told = _TOLD_AFTER.search(line)
    if not told or _MAY_TAKE_BACK.search(line, told.start()):
        return line
    clause = line[told.start()] != "."
    return line if clause and _CAPITAL.search(line, told.end()) else line[: told.start()]


def without_courtesy(line: str) -> str:
    """A line without the offers at its end: "17 articles match. Let me know if you need more."."""
    head, stop, last = line.rpartition(". ")
    return without_courtesy(f"{head}.") if stop and _COURTESY.match(last) else line


def is_label(line: str, followed: bool = False) -> bool:
    """Whether a line begins an explanation. "Evidence: a survey" may be a title: it has no full stop."""
    if not line.isascii() and _CHINESE_LABEL.match(line):
        return True
    if not _LABEL.match(line):
        return False
    if line.rstrip().endswith((*_SENTENCE_ENDS, ":", "%", ":**")) or _CERTAIN.match(line):
        return True
    return followed and _EXPLANATION.match(line) is not None


def is_retracted(text: str, hints: KeyHints) -> bool:
    """Whether a later sentence of a statement takes its beginning back ("4\n\nWait, 5.") or leaves it open."""
    if text.isascii() and "." not in text and "!" not in text and "?" not in text and "\n" not in text.strip():
        return _is_undecided(text, hints)  # one sentence
    if _is_undecided(text, hints):
        return True
    for match in _TAKEN_BACK.finditer(text, 1):
        # "Candidate 2? No, 3." takes nothing back, and "Wait, what?" may be a title of the list.
        if match[0][0] not in "?？" and letters(_line_at(text, match.end())) not in hints.whole:
            return True
    return False


def _is_undecided(text: str, hints: KeyHints) -> bool:
    """Whether a text leaves two answers open."""
    if text.isascii() and not any(map(text.lower().__contains__, _UNDECIDED_WORDS)):
        return False
    undecided = _UNDECIDED.search(text)
    return undecided is not None and letters(_line_at(text, undecided.end())) not in hints.whole


def _line_at(text: str, at: int) -> str:
    """The line that contains a position without its bullet, up to 1,000 characters on either side of it."""
    end = text.find("\n", at, at + 1000)
    return text[text.rfind("\n", max(0, at - 1000), at) + 1 : end if end >= 0 else at + 1000].lstrip(" \t-*•#>+")


_NO_SUCH = re.compile(
    r"(?:No|None|There (?:is|are|was|were) no)\b[^\n\"“]{0,300}\b"
    r"(?:has|have|had|is|are|was|were|meets?|match(?:es)?|satisf(?:y|ies)|fits?|qualif(?:y|ies))\b[^\n\"“]{0,300}\."
)
"""Why there is nothing else: "No article has a title of 16 or more words."."""
_PLAIN_SENTENCE = re.compile(r"[^\W\d_a-z][^\n:;\"“«]{10,400}\.")
_NAMED = re.compile(r"\d[\d.,%-]*\d|\d|[^\W\d_a-z][\w'’-]*")


def _repeats(paragraph: str, before: str) -> bool:
    """Whether a sentence after an answer only repeats it: "Answer: 30", and then "The article lists 30 references."."""
    if not _PLAIN_SENTENCE.fullmatch(paragraph) or paragraph.count(" ") < 3:
        return False
    if _MAY_TAKE_BACK.search(paragraph) or ADDS.search(paragraph) or RETRACTION.search(paragraph):
        return False
    named = [match[0].rstrip(".,") for match in _NAMED.finditer(paragraph) if match.start()]
    return bool(named) and all(name in before for name in named)


TELLS_MORE = re.compile(
    r"\b(?:correct|true|right|actual|real|proper|updated|new|other|others|alternatives?|candidates?|tied?|or|either|maybe"
    r"|perhaps|possibly|however|rather|unless|guess|but|wrong|incorrect|not)\b|n't\b|[或另但]|不[对是]|也许|可能",
    re.IGNORECASE,
)
"""A word with which a sentence below an answer may change it."""
_BULLETED = re.compile(r"[-*•+][ \t]|\(?\d{1,3}[.)][ \t]")
_LISTED = ("- ", "* ", "+ ", "• ", "|", "#", ">")
_IS_SENTENCE = re.compile(r"[^\n]{8,2000}(?:[.!。！][*_)）\"”]{0,4}|[^\W_][)）])")


def _tells_about(paragraph: str, hints: KeyHints) -> bool:
    """Whether a paragraph below an answer is sentences or an aside that neither adds to it nor changes it."""
    if len(hints.scalars) == len(hints.values) == 1 and any(map(str.isdecimal, paragraph)):
        return False
    if ADDS.search(paragraph) or TELLS_MORE.search(paragraph) or RETRACTION.search(paragraph):
        return False
    lines = [line.strip() for line in paragraph.split("\n") if line.strip()]
    return all(
        _IS_SENTENCE.fullmatch(line)
        and not line.startswith(_LISTED)
        and not _BULLETED.match(line)
        and (line.count(" ") > 2 or not line.isascii())
        and (line[-1] not in ")）" or line[0] in "(（")
        and letters(line) not in hints.whole
        for line in lines
    )


def _ends_in_list(text: str) -> bool:
    """Whether the last two lines are bulleted or numbered, so that a sentence below them is no item."""
    lines = [line.strip() for line in text[-2000:].split("\n") if line.strip()][-2:]
    return len(lines) == 2 and all(map(_BULLETED.match, lines))


def _answer_above(text: str, hints: KeyHints) -> int:
    """The end of the first paragraph, if it names a value of the key and all others tell about it; else 0."""
    if "\n\n" not in text or len(hints.scalars) == len(hints.values) == 1:
        return 0
    first, *others = _PARAGRAPHS.split(text)
    named = letters(first)
    if first.rstrip("*_ ").endswith((":", "：")) or not (
        any(form in named for form in hints.whole) or (hints.values and any(map(str.isdecimal, first)))
    ):
        return 0
    return len(first) if all(_tells_about(other, hints) for other in others) else 0


def _is_remark(paragraph: str, hints: KeyHints) -> bool:
    """Whether a paragraph after the answer is not part of it."""
    if _RULES.fullmatch(paragraph) or _CLOSING.fullmatch(paragraph):
        return True
    first, _, rest = paragraph.partition("\n")
    if rest and _RULES.fullmatch(first):
        return _FOOTER.fullmatch(rest.strip()) is not None or _is_remark(rest.strip(), hints)
    if is_label(first, followed=bool(rest)):
        return letters(first) not in hints.whole
    if rest:
        return all(is_comment(line.strip()) for line in paragraph.split("\n") if line.strip())
    aside = first.strip("*_")
    if aside.startswith("(") and aside.endswith(")") and _WORDS.search(aside) and letters(aside) not in hints.whole:
        return TELLS_MORE.search(aside) is None or aside == first
    return is_comment(first) or (_TO_THE_USER.match(first) is not None and letters(first) not in hints.whole)


def split_remarks(text: str, hints: KeyHints, marked: bool) -> tuple[str, str]:
    """The text up to the remarks that follow its answer, and these remarks; `marked` if it begins with the answer."""
    text = text.strip()
    if "\n" not in text:
        return text, ""
    sources = _SOURCES.search(text) if ":" in text or "：" in text else None
    if sources and letters(sources[0]) not in hints.whole:
        kept, remarks = split_remarks(text[: sources.start()], hints, marked)
        return kept, remarks + sources[0]
    if text[-1].isalnum() and "\n\n" not in text and "onfidence" not in text and text.isascii():
        return text, ""
    if marked and (end := _answer_above(text, hints)):
        return text[:end], text[end:]
    end = len(text)
    gaps = [(0, 0), (end, end)]
    if "\n\n" in text or "\n " in text or "\n\t" in text:
        gaps[1:1] = [match.span() for match in _PARAGRAPHS.finditer(text)]
    for at in range(len(gaps) - 2, 0, -1):
        # From the end: everything after an explanation belongs to it.
        paragraph = text[gaps[at][1] : gaps[at + 1][0]].strip()
        if _MARKER.search(_QUOTED.sub("", paragraph)) and not _LABEL.match(paragraph):
            break
        if not marked and hints.values and _NUMBER_TOLD.search(paragraph) and not _LABEL.match(paragraph):
            break
        if not marked and end == gaps[at + 1][0] and states_no_answer(paragraph):
            break
        labeled = (_LABEL.match(paragraph) or _CHINESE_LABEL.match(paragraph)) and (
            marked or not _BEFORE_OR_AFTER.match(paragraph)
        )
        footer = (
            at > 1 and _FOOTER.fullmatch(paragraph) and _RULES.fullmatch(text[gaps[at - 1][1] : gaps[at][0]].strip())
        )
        if (
            (labeled and _is_remark(paragraph, hints))
            or footer
            or (
                marked
                and end == gaps[at + 1][0]
                and (_NO_SUCH.fullmatch(paragraph) or _repeats(paragraph, text[: gaps[at][0]]))
            )
            or (end == gaps[at + 1][0] and (not paragraph or _is_remark(paragraph, hints)))
            or (end == gaps[at + 1][0] and _ends_in_list(text[: gaps[at][0]]) and _tells_about(paragraph, hints))
        ):
            end = gaps[at][0]
    kept = text[:end].rstrip()
    last = kept[kept.rfind("\n") + 1 :].strip()
    while (
        "\n" in kept
        and (is_comment(last) or _CONFIDENCE.fullmatch(last) or (marked and is_label(last)))
        and letters(last) not in hints.whole
        and not _MARKER.search(last)
    ):
        if not marked and hints.values and _NUMBER_TOLD.search(last):
            break
        kept = kept[: kept.rfind("\n")].rstrip()
        last = kept[kept.rfind("\n") + 1 :].strip()
    return kept, text[len(kept) :]

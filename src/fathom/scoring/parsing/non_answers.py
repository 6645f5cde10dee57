"""Statements without an answer: hedges ("4 or 5"), bounds ("at least 4") and "no answer"."""

from __future__ import annotations

import re

from fathom.scoring.parsing.normalization import normal, plain

# A bound or a denial is not a value: "at least 4", "not 4".
BOUND = re.compile(
    r"(?:[<>≤≥≠]=?|\b(?:at (?:least|most)|(?:more|less|fewer|greater) than|not|never|isn't|up to|over|under|above|below"
    r"|between|either|from|or|close to|similar to|like|nearly|almost|out of|rule out"
    r"|(?:min|max)(?:imum)?(?: of)?|at a (?:minimum|maximum)|(?:opposite|inverse) of|half(?: of)?|twice|double)"
    r"|[至最][少多]|不超过|不[低少]于|超过|不到|[多少高低大小]于|并非|不[是为]|介于|或者?|一半) *\Z",
    re.IGNORECASE,
)
APPROXIMATE = re.compile(
    r"(?:(?<!\\)\b(?:about|approximately|approx\.?|roughly|around|circa|ca\.|environ|etwa|ungefähr|rund"
    r"|aproximadamente|cerca de)[ \t]"
    r"|(?<![\d}])(?<![\d}][ \t])(?:[≈~]|\\approx\b)[ \t]?|大?约)(?=[*_$]{0,3}[-−$€£¥]?[ \t]?\d)",
    re.IGNORECASE,
)
"""What makes a number inexact; no hedge where the key itself is rounded."""
HEDGE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|wait|actually|correction|instead|rather|however|unless|guess"
    r"|not sure|on second thought|scratch that|hm+|unknown|unclear)\b|或|也许|可能|不对|不确定|更正|等等，",
    re.IGNORECASE,
)
# "5+", "5 or more": a number with a bound or a multiplier after it is another value, or none.
BOUND_AFTER = re.compile(
    r"\+(?![ \t]?\d)|-ish\b|[ \t]?[<>≤≥]|[ \t]and a (?:half|quarter)\b|以上|以下|多家|余"
    r"|[ \t](?:fewer|less|more) than (?:expected|that|the|in|for)\b"
    r"|[ \t]?\(?(?:plus|minus|less|fewer|dozens?|or (?:more|less|fewer|so)|at (?:least|most)"
    r"|and (?:up|above)|too (?:many|few|high|low|much|little))\b(?! than)",
    re.IGNORECASE,
)
# "6 would be wrong", "3 can be excluded"
DENIED_AFTER = re.compile(
    r"[\"”']?[ \t]?[?:][ \t*_]{0,3}(?:no|nope|i doubt|i don't think|hardly|unlikely|wrong|false|✗|✘"
    r"|❌)(?!\w)|[ \t]?\((?:no|wrong"
    r"|rejected|excluded)\)|"
    r"[ \t*_`\"')]{1,4}(?:(?:would|could|must|should)? ?(?:is|are|was|were|be|seems?)(?: (?:also|clearly"
    r"|certainly|probably|likely|then)){0,2}"
    r" (?:wrong|incorrect|not\b|unrelated|excluded|ruled out|eliminated|too|out\b|no (?:match|fit)|unlikely"
    r"|less likely|worse|off topic)"
    r"|(?:can|could|may|must|should) be (?:excluded|ruled out|eliminated|discarded|dismissed)"
    r"|(?:is|are) (?:\w+ )?elsewhere|(?:has|have) been (?:excluded|ruled out|eliminated|discarded|dismissed|rejected)"
    r"|(?:can't|cannot|can not|isn't|aren't|wasn't|weren't|(?:do|does|did)(?:n't| not)|(?:should|could"
    r"|would|must)(?:n't| not))\b)",
    re.IGNORECASE,
)
# "6 articles would be wrong"
DENIED_LATER = re.compile(
    r"[ \t](?:[a-z]{1,20} ){1,3}(?:would be|is|are|was|were) "
    r"(?:wrong|incorrect|too (?:high|low|many|few|large|small))\b",
    re.IGNORECASE,
)
# "4, not 5", "NULL instead of 3": what follows is what the answer is not.
CONTRAST = re.compile(
    r"(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bbe),?[ \t]\(?(?:and |but )?"
    r"(?:not(?! (?:sure|certain|clear)\b)|instead of|rather than|as opposed to)[ \t](?:[^,;.\n()]|[.,](?=\d)){1,80}\)?",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|;\s+")
ASIDE = re.compile(r"(?<![ \t])[ \t]*\([^()\n]{0,300}\)|[ \t]\[[^\[\]\n]{1,300}\](?=\Z|[\s.])")
NOTHING = frozenset(
    """
    null, none, nil, there is no answer, an empty list [], empty list [],
    n/a, na, nothing, nobody, no one, empty, empty list, empty set, not answerable,
    unanswerable, not applicable,
    the empty set, the empty list, an empty set, an empty list,
    not available, no answer, no result, no results, no match, no matches, not found, cannot be answered,
    cannot be determined, not determinable, unknown, not specified, not provided, not stated, not mentioned, not given,
    not reported, not known, not disclosed, no information, not enough information, insufficient information,
    ∅, [], {}, (), \\{\\}, 无, 无法回答, 无法确定,
    没有, 空, 空列表, 空集, 不存在, 均不符合, 无符合条件者
    """.replace("\n    ", " ")
    .strip()
    .split(", ")
)
_EMPTY = frozenset({"[]", "{}", "()", "∅"})
_SHOWN = (
    r"(?: (?:from|based|using|with|by|in|on|the|this|given|provided|available|articles?|context|text|documents?|data"
    r"|information))"
)
_CANNOT = re.compile(
    r"(?:(?:sorry|unfortunately),? )?(?:the question|this question|this|it|the answer)? ?(?:"
    r"(?:cannot|can not|can't|could not) be (?:answered|determined|derived|established|found)"
    rf"|is (?:not answerable|unanswerable)){_SHOWN}{{0,12}}(?:,? (?:because|since|as) [^\n\d\"“«]{{1,200}})?"
)
_SAID = (
    r"(?:specified|provided|stated|mentioned|given|reported|available|disclosed|included|contained|present|found|known)"
)
_SOURCES = (
    r"(?:the |these |this |none of the )?(?:provided |given |available |shown )?"
    r"(?:documents?|articles?|papers?|texts?|context|collection|sources?)"
)
_UNSAID = re.compile(
    r"(?:(?:i'm |i am )?(?:sorry|unfortunately|afraid)[,:]? (?:but )?)?"
    rf"(?:based on {_SOURCES}, )?(?:"
    r"(?:the (?:requested |required |necessary |needed )?(?:information|data|answer|figure|value|number|text|context)"
    rf"|this(?: information)?|it|that) (?:is|are|was|were) (?:not|nowhere) {_SAID}|not (?:answerable|{_SAID[3:-1]})"
    r"|it is (?:not possible|impossible) to (?:determine|answer|say|tell|know|derive)"
    r"|there is (?:no|not enough|insufficient) (?:information|data|evidence|mention)"
    rf"|{_SOURCES} (?:do|does|did|gives?|contains?|provides?|offers?|has|have|mention)(?: not| no|n't)?"
    r" (?:contain|provide|mention|state|specify|report|include|give|say|answers?|information|data|enough|sufficient)"
    r"|i(?: cannot| can't| could not| couldn't| am unable to|'m unable to| was unable to)"
    r" (?:(?:find|locate|see) (?:any|an?|such"
    r"|(?:the )?(?:requested |required |necessary |needed |relevant )?(?:information|data|figure|value|number))\b"
    rf"|(?:answer|determine|derive|tell|say)\b[a-z ]{{0,60}}? (?:from|based on|using|with|given|in|by) {_SOURCES}\b)"
    r"|(?:die|the) frage (?:kann|lässt sich)[a-z äöüß]{0,60} (?:nicht|not)"
    r"|(?:the|la) (?:pregunta|información)[a-z áéíóúñ]{0,60}(?:no|not) (?:se )?puede"
    r"|(?:the|la) question ne peut[a-z éèà]{0,40}(?:pas|not)"
    r"|(?:根据|从|基于|依据)?[^\n。，,：:\d]{0,20}[，,]?(?:无法|不能|未)(?:回答|确定|得知|判断|提供|提及|说明)"
    r")[^\n\d\"“«]{0,240}",
)
"""A statement that the documents do not say it. It names nothing: no number and no title. That the writer could not
find the answer, or the documents, says nothing about them."""
_DENIAL = re.compile(r"\b(?:no|not|n't|none|impossible|unable|cannot|nicht|pas|nowhere|insufficient)\b|n't\b|[无未不]")
_KIND = (
    r"(?:articles?|papers?|documents?|works?|authors?|people|persons?|one|titles?|groups?|values?|entr(?:y"
    r"|ies)|names?|items?|compan(?:y|ies)|firms?|universit(?:y|ies)|countr(?:y|ies)|(?:housing )?markets?|reports?)"
)
_HOLDS = (
    r"(?:meets?|match(?:es)?|satisf(?:y|ies)|fulfills?|fulfils?|fits?|qualif(?:y|ies)|exists?|is|are|was"
    r"|were|has|have|had|cites?"
    r"|appears?|found|that|which|with|in|among|who|whose|to|wrote|published)"
)
# Any noun, such as the entities of a pack, with a verb that leaves no doubt.
_NOTHING_FITS = (
    r"no (?:[a-z-]+ ){1,6}(?:meets?|match(?:es)?|satisf(?:y|ies)|fulfill?s?|fits?|qualif(?:y|ies)|exists?)\b.{0,300}"
    r"|there (?:is|are|was|were) no (?:[a-z-]+ ){1,6}"
    r"(?:that|which|who|whose|with|meeting|matching|satisfying|fulfilling)\b.{0,300}"
    r"|(?:there (?:is|are|was|were) )?no such [a-z-]+(?: [a-z-]+){0,5}"
)
_CHINESE_NO_MATCH = re.compile(
    r"(?:查询)?结果为空(?:[：:，,](?:没有|无)[^\n：:]{0,60})?|(?:符合|满足)[^\n，,。：:]{1,20}不存在|"
    r"(?:因此|所以|综上(?:所述)?|经核[查对]|经查|故)?[，,]?(?:没有|不存在|并无|并没有|未找到|找不到|无)(?:任何)?"
    r"(?:(?<=任何)[^\n。；;，,：:\d《“]{2,40}|[^\n。；;，,：:]{0,20}(?:符合|满足|达到|匹配)[^\n：:]{0,200}|(?:这样|此类|相关)[^\n：:]{0,20})"
)
_CHINESE_THEREFORE = re.compile(r"(?<=[，,])(?:因此|所以|故)[，,]?[^，,。]{2,200}\Z")
"""The conclusion of a sentence in Chinese."""
_CHINESE_EXCEPT = re.compile(r"除了|除外|以外|之外|只有|仅|但")
_NO_MATCH = re.compile(
    r"(?:(?:so|therefore|thus|hence)[,:]? )?"
    rf"(?:{_NOTHING_FITS}|"
    rf"there (?:is|are|was|were)(?: (?:none\b|not any\b)|n't any\b| no (?:such |matching "
    rf"|other )?{_KIND}\b).{{0,300}}"
    rf"|no(?:t a single)? (?:such |matching )?{_KIND} (?:at all )?{_HOLDS}\b.{{0,300}}|no (?:(?:such |matching ){_KIND}"
    rf"|articles?|matching|one)"
    rf"|{_SOURCES} (?:contains?|has|have|includes?|lists?) no (?:such |matching )?{_KIND}\b.{{0,300}}"
    r"|none of (?:the|these|them|those)\b.{0,300}|(?:nothing|nobody|none)(?: in (?:the|this"
    r"|these) \w+)? (?:match|meet|satisf|fit|qualif"
    r"|fulfil)\w{0,4}\b.{0,300}"
    r"|no (?:match(?:es)?|results?|articles?|such articles?) (?:were |was )?found\b.{0,300}"
    r"|(?:(?:the )?(?:sql )?query (?:returns|returned|gives|gave|yields|yielded) )?(?:no|0|zero)"
    r" (?:rows?|results?|records?|matches)"
    r"|(?:null|none|n/a)\b,?:? (?:[-–—] )?\(?(?:since|because|as|given that|there (?:is|are)|no"
    r"|none of|nothing|nobody)\b.{0,300}"
    r"|no existe (?:tal|ning[uú]n) [^\n]{3,80}|(?:es|is) gibt keine?[nr]?(?: \w+){1,6}|(?:no"
    r"|keine?[rs]?)(?: \w+){1,6} (?:erfüllt|erfüllen|passt"
    r"|passen)\b.{0,100}"
    r"|aucune?(?: [\w']+){1,4} ne\b.{0,200}|il n'(?:y|and) a aucune?(?: \w+){1,6}"
    r"|ning[uú]na?(?: \w+){1,6} (?:cumplen?|satisfacen?|coinciden?)\b.{0,200}|no hay ning[uú]na?(?: \w+){1,6}"
    r"|(?:null|none),? (?:and )?(?:not|instead of|rather than)\b.{0,3000})",
)
_CONTRASTED = re.compile(r"(?:null|none),? (?:and )?(?:not|instead of|rather than) ")
_EXCEPT = re.compile(
    r"\b(?:except|but|others?|other than|only|besides|apart from|unless|aside from|however|außer|ausser|sauf"
    r"|excepto|salvo|menos"
    r"|first|second|so far|until now|part of)\b"
)
# A cheap test that rules out nearly all other statements.
_MAY_SAY_NOTHING = re.compile(
    r"[\W_]{0,40}(?:text\w{0,2}\{)?(?:an em|the em|nu|ni|na\b|n/a|no(?:ne|t|thing|body|\b)|ning|aucun|il n'"
    r"|keine?|(?:es|is) gibt|there (?:is|are|w)|so"
    r"|therefore|thus|hence|em|un|can|could|ins|it(?:'s| can| is)|th(?:at|is)(?:'s| is| info)|sorry"
    r"|i(?:'m| am| can| could| was)|afraid|based|die frage|la |[根从基依]"
    r"|th(?:e|ese|is) (?:req|nec|need|info|data|fig|num|text|cont|prov|giv|avail|shown|doc|art|pap|coll|sourc|frage)"
    r"|query|(?:0|zero) (?:rows|results|records|matches)|[无没空不均并未找因所综经查符满结]|\d{1,3}[.)] (?:nu|no)|\Z"
    r"|(?:the|this|my|our) (?:question|answer|can|final|correct|expected|result|output|value|response|query|list|set))",
    re.IGNORECASE,
)
_ITEM_BESIDE = re.compile(r"\[[ \t]?[\"'“\w]")
"""A list with an item in it."""
_EMPTY_LIST = re.compile(
    r"[^\n\d\"“\[]{0,200}(?:\bempty(?: list| set)?|空列表|为空|空集)[ \t]?[:：,，]?[ \t]?\[\][.。]?"
    r"|\[\][ \t]?(?:[,，][ \t]?)?[（(]?(?:因为|由于|没有|无|未)[^\n\d\"“]{0,120}[)）]?[。.]?"
    r"|(?:\[\]|null)[ \t]?[—–(-][ \t]?(?:none|no|nothing|because|since|as no)\b"
    r"(?:(?!\b(?:but|except|only|however|although|though|closest|nearest|or|perhaps|maybe)\b)[^\n\"“\[;]){0,200}",
    re.IGNORECASE,
)
"""An empty list that is told as such: "The list is empty: []"."""
_OFFER = re.compile(r"\((?:except|but|only|almost|(?:\d |one )?borderline)[^()\n]{0,300}\)", re.IGNORECASE)
"""An aside that names something after all: "none (1 borderline: Tides)"."""
_CLOSEST = re.compile(r"\b(?:closest|nearest|best match|though|although|except|but)\b", re.IGNORECASE)
_ENDS_IN_NULL = re.compile(
    r"(?:\b(?:no|none|not|nothing|never|nobody|keine?|ninguno|aucun|ни один|нет)\b|n't\b|[没无])"
    r"[^\n]{0,300}(?:[.。;:]|, (?:so |therefore |hence |thus )?(?:i|we) (?:answer|return|output|give|report)(?: with)?)"
    r" NULL\W{0,3}",
    re.IGNORECASE,
)
"""A sentence that finds nothing, and then NULL: "I found none. NULL"."""
_ONE_BULLET = re.compile(r"\A\s*(?:[-*•+–]|1[.)])[ \t]+")
_NULL_LEAD_IN = re.compile(
    r"\A(?:(?:so|therefore|thus|hence)[,:]? )?(?:(?:(?:the|my|our) (?:final |correct |expected )?"
    r"(?:answer|result(?: set)?|output|value|response|query|list|set)|it|that|this|which)"
    r"(?:'s| is| would be| must be| should be| returns| remains)(?: therefore| thus| then| an?)?:? )?"
    r"(?=[*_`\"'“(\[]{0,3}(?:null|none|nil|n/a|empty|nothing)\b)",
    re.IGNORECASE,
)
"""What precedes NULL in a sentence: "The result is NULL."."""
_REASON = re.compile(
    r"\b(?:no|none|not|cannot|nothing|nobody|zero|0|empty|without|lacks?|since|because|as|there|never|all|every"
    r"|each|any|only|is|are|was|were"
    r"|has|have|do|does|did|match(?:es)?|exists?|found|articles?|authors?|conditions?|criteri(?:a|on)|null"
    r"|confidence|sure|certain)\b"
    r"|n't|[无没不未]",
    re.IGNORECASE,
)
"""A word of a reason in brackets after NULL."""
# The same for the first letter or digit, even cheaper.
_NEVER_FIRST = frozenset("0123456789fgjkprvwxyzFGJKPRVWXYZ")


def states_no_answer(stated: str) -> bool:
    """Whether the statement says that there is no answer, without offering one as well."""
    if "\\" in stated or "**[]**" in stated:
        stated = plain(stated)
    if ("[]" in stated or stated[:4].lower() == "null") and _EMPTY_LIST.fullmatch(stated.strip(" \t\n*")):
        return True
    if stated[:1] in _NEVER_FIRST and not stated.startswith("1"):
        return _ends_in_null(stated)
    if not _MAY_SAY_NOTHING.match(stated):
        return _ends_in_null(stated)
    stated = _NULL_LEAD_IN.sub("", _ONE_BULLET.sub("", stated.strip(" \t–—"))).strip(" \t–—")
    if _OFFER.search(stated[:1000]):
        return False
    if stated.isascii() and stated.isalpha():
        return normal(stated) in NOTHING  # one word, as "NULL"
    first, _, rest = stated.strip().partition("\n")
    head, *more = SENTENCE_END.split(ASIDE.sub("", first[:1000]).strip())
    if head.endswith("?"):
        return False
    form = bare if (bare := head.replace(" ", "")) in _EMPTY else normal(head)
    if form in NOTHING and any(map(_is_offer, ASIDE.findall(first[:1000]))):
        return False
    if form not in _EMPTY and not form[-1:].isalnum():
        form = normal(first.rstrip("."))  # "(none)" is all in brackets
    if form not in NOTHING and not _CANNOT.fullmatch(form) and not _is_no_match(form) and not _is_unsaid(form):
        return _ends_in_null(stated)
    if _CONTRASTED.match(form):
        more = []  # "NULL, not Lind; Wu"
    beside = " ".join([*more, rest]).strip()
    if normal(beside) in NOTHING:
        return True  # "No article matches. NULL"
    if not beside or rest.strip()[-1:] not in {*".!。)*", ""}:
        return not beside  # a line without a full stop may be an item
    return (
        len(beside.split()) >= 3
        and not _ITEM_BESIDE.search(stated)
        and not HEDGE.search(beside)
        and not _CLOSEST.search(beside)
    )


def _ends_in_null(stated: str) -> bool:
    """Whether one line says that nothing was found and ends in NULL."""
    if "NULL" not in stated[-8:] or "\n" in stated:
        return False
    return _ENDS_IN_NULL.search(stated) is not None and not HEDGE.search(stated) and not _EXCEPT.search(stated.lower())


def _is_offer(aside: str) -> bool:
    """Whether brackets after "NULL" name something instead of giving a reason: "NULL (Tides)"."""
    inside = normal(aside)
    return (
        inside.startswith("or ")
        or HEDGE.search(inside) is not None
        or (bool(inside) and inside not in NOTHING and _REASON.search(inside) is None)
    )


def _is_unsaid(form: str) -> bool:
    """Whether a sentence says that the documents do not give the answer: "The documents do not say." """
    return (
        _UNSAID.fullmatch(form) is not None
        and _DENIAL.search(form) is not None
        and not _EXCEPT.search(form.replace("sorry, but", "").replace("unfortunately, but", ""))
    )


def _is_no_match(form: str) -> bool:
    """Whether a sentence says that nothing matches: "No article meets the conditions." """
    if not form.isascii():
        clause = _CHINESE_THEREFORE.search(form)
        if _CHINESE_NO_MATCH.fullmatch(clause[0] if clause else form):
            return not _CHINESE_EXCEPT.search(form)
    return _NO_MATCH.fullmatch(form) is not None and not _EXCEPT.search(form)

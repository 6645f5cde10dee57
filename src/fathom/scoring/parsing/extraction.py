"""Extraction of the part of a response that states the answer: a box, the text after "Answer:", or a final JSON object
or fenced block."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import Final, NamedTuple

from fathom.scoring.parsing.json_values import ABSENT, answer_field, parsed
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.non_answers import DENIED_AFTER, HEDGE
from fathom.scoring.parsing.normalization import letters, unaccented
from fathom.scoring.parsing.remarks import RETRACTION, is_retracted, split_remarks

MAX_STATEMENT_LENGTH: Final = 200_000
"""The maximum length in characters; anything longer is a document, not an answer."""


class AnswerStatement(NamedTuple):
    """The part of a response that states its answer."""

    text: str
    marked: bool
    """Whether the response marked it, with a box or with "Answer:"."""


_BRACE = re.compile(r"\\[{}\\]|[{}]")
# Both start with a literal word, which is several times faster than an alternation or a lookbehind.
_MARKER = re.compile(
    r"answer(?<![^\W_]answer)(?:s?[*_`\])]{0,4}[ \t]{0,3}(?:\([^()\n]{0,40}\)[ \t]?)?(?:[:：]=|[:：=→➜➔⇒▶]"
    r"|[-=>]>)[*_`]{0,4}"
    r"|(?<=<answer)>"
    r"|(?P<heading>s?[*_`#\])\t ]{0,8}(?:$|[-–—](?=[ \t]))))",
    re.MULTILINE,
)
_SPOKEN_MARKER = re.compile(
    r"answer(?<=\banswer)s?(?:(?:,[ \t][^,.:\n]{1,80},)?"
    r"(?: (?:to|for|in|of|the|this|that|your|our|question|task|problem|query|here|(?:you|we) are|i am"
    r"|you're|i'm|we're|you|i|we|looking|seeking|found|get"
    r"|asked|want|requested|giving|collection|articles)\b)*+"
    r" (?:is|are|comes? (?:out )?(?:as|to)(?: be)?|(?:would|must|should|(?:appears|seems|turns out|proves) to) be)\b"
    r"(?:[ \t](?:therefore|thus|then|hence|indeed|simply|clearly)\b)?"
    r"[ \t]{0,3}[:：]?|(?: to)? (?:your|the|this) question[:：]|(?:(?<=gives the answer)"
    r"|(?<=yields the answer))(?= ))[*_`]{0,4}"
)
_OWN_MARKER = re.compile(r"answers? ?(?:[:：=]|(?:is|are|would|must|should)\b)")
_BEFORE_HEADING = re.compile(r"[^\w\n\"]{0,12}(?:the |my )?(?:final |correct |corrected )?")
_OTHER_MARKER = re.compile(
    r"(?<!人认为)(?<!以为)(?<!人说)"
    r"答案[*_`】」\])]{0,4}[ \t]?(?:是|为|為|[:：=→])[:：]?|[【\[「]答案[】\]」][:：]?|答え[はが][:：]?|정답은"
    r"|^[*_`#>\t 【\[]{0,8}"
    r"(?:(?:so|also|daher|somit|donc|ainsi|por (?:lo )?tanto|portanto|assim|quindi|dunque|итак|таким образом),? )?"
    r"(?:lautet )?(?:la |el |die |der |das |a |o |il |het |de |det |le )?"
    r"(?:bonne |final |最终|最終的?な?|최종 ?|endgültige |richtige |окончательный |правильный |итоговый "
    r"|الإجابة النهائية )?"
    r"(?:ans|respuesta|réponse|antwort|ответ|resposta|risposta|antwoord|svar(?:et)?|cevap|odpowiedź|答え|解答"
    r"|回答|答|正解"
    r"|정답|답변?|الجواب|الإجابة|उत्तर|jawaban|đáp án|απάντηση|vastaus|válasz|odpověď|răspuns|відповідь)"
    r"(?: final| finale| correcta| correcte| correta| corretta| النهائية)?[*_`】\])]{0,4}[ \t]?"
    r"(?:[:：=→]|(?<=】)|(?:es|est|ist|lautet|é|è|is|är|er)\b[ \t]?[:：]?)[*_`]{0,4}",
    re.MULTILINE,
)
_MAY_BE_OTHER = ("ans:", "spuesta", "antwo", "sposta", "svar", "cevap", "jawaban", "vastaus")
_PREDICATE = re.compile(r"(?<=\S)(?:です|である|だ|입니다|이다)[。.]?\Z")
"""The verb after an answer in Japanese or Korean."""
_WEAK_MARKER = re.compile(
    r"^[*_`#>\t ]{0,8}(?:the |my )?(?:final |overall )?"
    r"(?:solution|lösung|resultado|résultat|ergebnis|(?:final )?result|conclusion|output|response|total|choice"
    r"|selection|verdict|decision|final|tl;?dr|bottom line"
    r"|in short|in brief)"
    r"(?:[*_`]{0,4}[ \t]?[:：→][*_`]{0,4}|[*_`]{0,4}[ \t]?$(?<=\w|[*_`]))",
    re.MULTILINE | re.IGNORECASE,
)
"""Counts only if there is no other marker."""
_WEAK_WORDS = re.compile(
    r"inal|olution|ösung|rgebnis|ésultat|esult|esponse|onclusion|utput|otal|hoice|election|erdict|ecision"
    r"|tl;?dr|ine|n short|n brief",
    re.IGNORECASE,
)
_ANNOUNCEMENT = re.compile(
    r"(?:\A|\n)[*_`#>\t ]{0,8}(?:[a-z'’]{1,14},?[ \t]){0,12}?"
    r"(?:found|findings?|conclude|conclusion|get|gives|obtain|follows|following|yields|leaves|summary|determined"
    r"|identified"
    r"|arrive at|hence|thus|therefore|so|result)"
    r"[*_]{0,3}[:：][*_ \t]{1,6}(?=[^\n]{1,4000}\Z)",
    re.IGNORECASE,
)
"""What announces the last line of a response: "From the above, we conclude: 4"."""
_FINAL_HEADING = re.compile(
    r"[*_# \t]{0,8}(?:the |my )?(?:final|overall) (?:result|output|solution|verdict|choice|selection)[*_]{0,4}\n",
    re.IGNORECASE,
)
"""A heading of two words. One word, such as "final", may be an item."""
_SPOKEN_LEAD = re.compile(
    r"(?:oops,? )?(?:(?:so|thus|therefore|hence),? )?"
    r"(?:i meant(?: to say)?|that(?:'s| would be)|it's|it is|this is|i(?:'ll| will|'d| would)? (?:say|answer|go with)"
    r"|i'm going with|(?:i|we) (?:get|got|obtain)|(?:t?here you go|here it is"
    r"|here they are)(?=:)):? (?!not\b|impossible|possible|un|clear|wrong"
    r"|incorrect)(?=[^\n]{1,4000}\Z)",
    re.IGNORECASE,
)
"""The first words of a response of one line that states an answer: "That would be Lind."."""
_FULL_STOP = re.compile(r"[^\W\d]{3}[.!?][ \t]+(?=\S)")
_SHORT_MARKER = re.compile(r"(?:Q[:.][^\n]*\n\s*)?[*_ ]{0,3}A[*_]{0,3}[:：][*_]{0,3}[ \t\n]")
_NEXT_LETTER = re.compile(r"^[*_ ]{0,3}B[*_]{0,3}[:.)]", re.MULTILINE)
"""What shows that "A:" is the first of several letters."""
_MEANT = re.compile(r"\b(?:i mean|i meant|make that|should read|correct(?:ion|ed)(?=:))\b[,:]?")
_LINE_BRACKET = re.compile(r"^[\[{]", re.MULTILINE)
MAX_BRACKETS: Final = 8
"""Lines with an opening bracket that are tried as the start of a JSON value."""
_HASH_MARKS = re.compile(r"(?:\A|\n)#{4}[ \t]*(?P<stated>[ \t\n][^\s][^\n]*(?:\n[^\n]+)*)\Z")
_VALUE_NEXT = re.compile(r"[ \t*_`$\\({]{0,8}(?:[-+]?\d|null\b|none\b)", re.IGNORECASE)
_FINAL = re.compile(r"(?:final|correct|corrected|right) \Z")
_IS_ANSWER = re.compile(
    r"(?P<stated>[^\n]{1,4000}?)(?: is|,| [—–-])(?: that is| this is)? (?:the|my|our) (?:final "
    r"|correct )?answer\W{0,4}\Z",
    re.IGNORECASE,
)
"""The same with a verb: "4 is the answer."."""
_GIVEN_AS = re.compile(
    r"(?:\A|[.!?\n]\s*)(?:[^.!?\n]{0,80}, )?(?:i|we)(?:'d| would)? (?:get|got|have|obtain|give|arrive at) "
    r"(?=(?P<stated>[^\n]{1,4000}?) as (?:the|my|our) (?:final )?answer\.?\s*\Z)",
    re.IGNORECASE,
)
"""A last sentence that states the answer before the word: "I get 4 as the answer."."""
_NOT_THE_ANSWER = re.compile(
    r"\b(?:do not|don't|does not|doesn't|cannot|can't|did not|didn't) (?:think|believe|say|claim|agree|conclude)"
    r"[^.\n]{0,40}\banswer\b[^.\n]{0,10}\b(?:is|are)\b[^\n]{0,200}\Z",
    re.IGNORECASE,
)
"""A response that ends by saying what the answer is not."""
_NO_ANSWER_YET = re.compile(
    r"\b(?:(?:candidates?|options|possibilities) for (?:the |my )?(?:final )?|(?:possible|potential|example"
    r"|sample|wrong|incorrect) "
    r"|(?:example|sample|template|format)[^.\n]{0,20}(?:[:：][ \t]?[\"'“`*]{0,3}|[ \t][\"'“`])(?:final )?"
    r"|[a-z]+ [\"“'`](?:final )?)\Z"
)
"""What shows that a marker does not mark the answer: "Candidates for the answer: ..."."""
_SECOND_ANSWER = re.compile(r"^[*_# \t-]{0,6}answer (?:2|b|two)\b[ \t]?[:.)]", re.IGNORECASE | re.MULTILINE)
_LEAD = re.compile(r"\s*(?:so|thus|therefore|hence)?,?\s?(?:the |my )?")


def find_statement(text: str, hints: KeyHints, truncated: bool) -> AnswerStatement | None:
    """The statement of the answer: a box, else the text after "Answer:", else a final JSON object or fenced block, else
    the whole response; without the remarks that follow it.

    A later marker replaces a box: "\\boxed{4} ... wait. Final answer: 5" states 5. A JSON object at the end is parsed
    as JSON, even if its strings contain markers. In a truncated response only a box counts, since it is closed:
    "Answer: 71" may have been the start of 711. A statement that the remarks take back is none.
    """
    text = text.strip()
    if "\\framebox{" in text:
        text = text.replace("\\framebox{", "\\boxed{")
    if "guess" in text:
        text = _BEST_GUESS.sub("The answer is", text)
    if "nswer" in text:
        if _denies_or_doubles(text):
            return None
        table = _ANSWER_TABLE.search(text) if text[-1:] == "|" else None
        if table:
            return AnswerStatement(table["stated"], marked=True)
    box, box_end = last_box(text) if "\\boxed" in text else ("", 0)
    if truncated:
        return AnswerStatement(box, marked=True) if box.strip() else None
    if (wrong := _WRONG_BELOW.search(text)) and "nswer:" not in text[wrong.end() :]:
        return None
    body = remarks = closing = ""
    if "}" in text or "]" in text or "```" in text:
        body, remarks = split_remarks(text, hints, marked=False)
        closing = last_fence(body) if "```" in body else ""
        record = _final_json((closing or body).rstrip())
        if record:
            return None if RETRACTION.search(remarks) else AnswerStatement(record, marked=True)
    tail = _tail(text[box_end:], hints)
    if tail is None and not box:
        return None
    tail, after = split_remarks(_RULE_BELOW.sub("", tail), hints, marked=True) if tail else ("", "")
    if tail and (_NO_VALUE.match(tail) or _DENIED_AT_END.search(tail) or _WRONG_BELOW.search(tail)):
        return None
    if not tail and not box:
        weak = _weak_tail(text, hints)
        tail, after = split_remarks(weak, hints, marked=True) if weak else ("", "")
    if box and not tail and DENIED_AFTER.match(text, box_end):
        return None  # "\\boxed{4} would be wrong"
    given = _GIVEN_AS.search(text) if not tail and not box and text.rstrip(" .").endswith("answer") else None
    if given or (given := _IS_ANSWER.fullmatch(text) if not tail and not box and "nswer" in text[-10:] else None):
        tail = "" if _ASKED.search(text) else given["stated"]
    for statement, rest in ((tail, after), (box, text[box_end:]), (closing, remarks)):
        if statement and not statement.isspace():
            if (rest and RETRACTION.search(rest)) or is_retracted(f"{statement}\n{rest}", hints):
                return None
            return AnswerStatement(_balanced(statement), marked=True)
    if not body:
        body, remarks = split_remarks(text, hints, marked=False)
    if not body.strip() or (remarks and RETRACTION.search(remarks)) or is_retracted(f"{body}\n{remarks}", hints):
        return None
    if body.rstrip("*_ \n").endswith((":", "：")):
        return None  # it breaks off
    if _ASKED.search(body, body.rfind("\n") + 1) or _WRONG_BELOW.search(body):
        return None
    return AnswerStatement(body, marked=False)


_WRONG_BELOW = re.compile(
    r"(?:\b(?:is|are|was|were|would be) (?:[a-z]+ )?(?:wrong|incorrect|false|not (?:correct|right|(?:the|my"
    r"|a) [a-z ]{0,20}answers?))\b"
    r"[^\n:]{0,20}|(?:错误|不正确|不对|有误)的?|不是[^\n：:]{0,8}答案)[ \t]?[:：][*_ \t]{0,4}\n"
    r"|\A\W{0,4}(?:besides|apart from|in addition to|ahead of)\b[^\n]{1,200}[:：][*_ \t]{0,4}\n",
    re.IGNORECASE,
)
"""The end of a line that denies what follows: "The following list is wrong:"."""


_RULE_BELOW = re.compile(r"\A\s{0,4}[=-]{3,80}[ \t]*\n")
"""The line below a heading."""
_DENIED_AT_END = re.compile(
    r"(?:'s| is| was| would be) (?:\w+ )?(?:wrong|false|incorrect|untrue|mistaken)\W{0,4}\Z"
    r"|\bnot the (?:final |correct )?answer\W{0,4}\Z"
    r"|(?:[是为](?:完全|明显)?(?:错误?的?|不正确的?|不对的?)|不正确|不对|有误)[。！!]?\Z",
    re.IGNORECASE,
)
"""The end of a sentence that denies what it states: "4, which is wrong."."""
_NO_VALUE = re.compile(
    r"[ *_:\n]{0,6}(?:(?:unlikely|undecided|unclear|ambiguous|uncertain|close to|far from|anything|nicht)\b"
    r"|(?:[^\n.;(]|\.(?=\d)){1,400}? was my (?:first|initial|earlier)\b)",
    re.IGNORECASE,
)
"""The beginning of a statement that states no value: "close to 4", "4 was my first guess"."""
_BEST_GUESS = re.compile(
    r"\b(?:my|the|our) (?:best |final |educated )?guess(?: (?:is|would be)|(?=[:：]))", re.IGNORECASE
)
"""What a prompt without documents asks for: "Give your best guess"."""
_ANSWER_TABLE = re.compile(
    r"(?:\A|\n)\|[ \t*]{0,4}(?:final )?answer[ \t*]{0,4}\|"
    r"(?:[ \t]*\n\|[ \t:-]{1,80}\|[ \t]*\n\|)?(?P<stated>[^\n|]+)\|\Z",
    re.IGNORECASE,
)
"""A table with one cell below the heading "Answer", or with "Answer" before the cell of its last row."""
_DOUBT = (
    r"doubt|assum(?:e|ing)|according to (?:an?|some|other|another|the (?:earlier|previous|other))"
    r"|(?:for )?example|e\.g|template|(?:not|never|hardly|n't)(?: \w+){0,2} (?:sure|certain|convinced"
    r"|confident|persuaded"
    r"|clear|obvious|true|know|accept|agree)|unsure|unconvinced|skeptical|wonder|perhaps|maybe|suppose|nobody|no one"
    r"|hardly|wrong|false|incorrect"
    r"|mistaken|unlikely|impossible|tempting|no (?:evidence|reason|proof|indication|sign|hint)"
    r"|(?:user|others|models|some|people|someone|one|many|readers?|you)"
    r"(?: (?:may|might|could|would|will|can))? (?:says?|thinks?|claims?|argues?|assumes?|expects?|objects?)"
)
"""What precedes an answer that is not the response's own."""
_DENIED_ABROAD = r"respuesta no es|antwort (?:ist|lautet) nicht|réponse n['’]est pas|resposta não é|risposta non è"
_ASKED = re.compile(
    r"\bstill (?:(?:have|has|need|needs) to|running)\b|\bno final answer yet\b"
    r"|\bwhich (?:one|of (?:these|them))(?: do)? you mean\b"
    r"|\bplease (?:tell me|specify|clarify|confirm) (?:which|what|whether|if)\b"
    r"|\b(?:have|has)(?: not|n't) (?:yet )?(?:checked|read|finished|verified|looked|seen|reached)\b|"
    r"\bwhether (?:it|this|that|the (?:final |correct )?answer)(?:'s| is| was| are| (?:might|could|should|would) be)\b"
    r"|\A(?:is|are|was|could|would|should|might|may|can) (?:it|this|that|the (?:final |correct )?answer)\b"
    r"[^\n]{0,400}\?\Z"
    rf"|\b(?:{_DOUBT})\b[^.\n]{{0,40}}\b(?:answers?|that it) (?:is|are|were|was)\b"
    r"|\bwould be (?:[^.\n]|\.(?=\d)){1,200}\bif\b[^.\n]{1,200}\b(?:were|was|had)\b"
    r"|\b(?:if(?! i(?:'m not mistaken| am not mistaken| (?:had|were) to))|unless)\b[^.\n]{1,200}\b(?:were"
    r"|was|had)\b[^.\n]{0,200}"
    r"\bwould (?:be|have been)\b"
    r"|(?:\b(?:not|never|cannot)|n't)(?: \w+)? (?:say|state|show|claim|suggest|imply|prove|indicate|confirm"
    r"|think|believe|suppose|suspect|expect|agree) "
    r"(?:that )?(?:(?:it|this|that|the (?:final |correct )?\w+) (?:is|are|was)\b|[\d\[(\"])"
    r"|(?<!\bi )(?<!\bi'd )(?<!\bwe )\b(?:would|might|could|tempting to) (?:answer|say|guess|expect)\b"
    rf"|\b(?:{_DENIED_ABROAD})|有人(?:认为|说)|以为答案"
    rf"|{_DENIED_AT_END.pattern}"
    r"|\b(?:candidates|options|possibilities) for (?:the |my )?(?:final )?answer\b|\b(?:possible|potential"
    r"|example|sample) (?:answers?|output)\b|\banswer to (?:an?other|a different|the (?:previous|other))\b"
    r"|\b(?:format|template)\b[^.\n]{0,20}[\"'“`](?:final )?answer\b"
    r"|\b(?:have not|haven't|did not|didn't|could not|couldn't) (?:read|see|seen) (?:all "
    r"|any )?(?:of )?the (?:articles|documents|text)"
    r"|\bno access to the\b|无法(?:访问|查看|读取|打开|获取)|没有(?:看到|收到)"
    r"|\b(?:i|we)(?:'d|'ll| would| can| could)? rule out\b|\b(?:withdrawn|disagree|unrelated|50/50)\b"
    r"|\b(?:supposed|used"
    r"|going) to (?:be|say)\b"
    r"|\banswers?(?: (?:to|for) [a-z ]{1,40})? (?:isn't|aren't|is not|are not|was not|wasn't|cannot be|can't be)\b"
    r"|\b(?:have|had|with) no idea\b|\bhow (?:could|can) (?:it|the answer) be\b|\bthe user\b"
    r"|\binstructions? (?:say|is|are)\b|\bhave guessed\b"
    r"|\bearlier (?:run|answer|attempt)\b|\b(?:wrong|mistake|incorrect) to (?:answer|say)\b|\bone possibility\b"
    r"|\A\W*say [\"“]",
    re.IGNORECASE,
)
"""A question about an answer, or a denial, which states none: "Is the answer 4?"."""
_DOUBTED = re.compile(rf"\b(?:whether|{_DOUBT})\b[^.,;\n]*\Z")
_OWN = re.compile(
    r"(?:\A|[^\w\s'’]|\b(?:so|thus|therefore|hence|then|and|but|because|since|now|here|finally|overall|again)"
    r"|(?:\A\W*|\b(?:but|and|so)\s)(?:based on|according to|given|from|in|on|upon|at|after|using|looking at"
    r"|with|for|to|as"
    r"|going by|judging)\b[^\n]*)\s*"
    r"(?:(?:i(?:'m|'d|'ll)?|we(?:'re|'ll)?|it(?:'s)?|this|that|these|those|which|everything|all of (?:this|that)"
    r"|(?:the |my |our )?(?:[a-z]+ ){0,3}?(?:articles?|texts?|lists?|evidence|analysis|data|counts?"
    r"|calculations?|documents?"
    r"|tables?|references?|bylines?|context|results?|conclusion|passages?|sentences?))\s"
    r"(?:(?:is|are|am|was|can|could|would|will|must|have|has|to|now|also|quite|pretty|very|reasonably"
    r"|confidently|only|all"
    r"|[a-z]{3,12}ly|\w+ to)\s){0,4}"
    r"(?:think|believe|conclude[sd]?|say|state|answer|find|found|know|see|sure|certain|confident|convinced"
    r"|positive|clear"
    r"|evident|obvious|apparent|plain|seems|appears|follows?|means?|shows?|indicates?|suggests?|impl(?:y|ies)"
    r"|gives?|get|yields?"
    r"|tells?(?: us)?|confirms?|confirmed|verified|determined?|inferr?(?:ed)?|deduced?|reckon|guess"
    r"|estimate|feel|suspect"
    r"|leaves?|leads? to|led to|brings? (?:us|me) to|is|conclusion is|established|settled|agree)\s"
    r"(?:that|the conclusion that|to)?\s?)?"
    r"(?:(?:so|thus|therefore|hence)[,]?\s)?"
    r"(?:(?:the|my|our|an|this|your)\s)?(?:(?:final|correct|corrected|right|true|actual|best|only|short|quick"
    r"|expected|resulting"
    r"|complete|full|overall|numerical|exact|revised|updated|own|quick|one|single|likely|most likely"
    r"|probable|educated)\s){0,3}"
    r"[\"'“*_]{0,3}\Z"
)
"""The end of what precedes "answer is" where it is the response's own answer: "I think that the", "Based on this, my".
Other words deny it, ask about it or tell what somebody else says."""
_OPEN_LEAD = re.compile(
    r"\b(?:if(?! i(?:'m not mistaken| am not mistaken| (?:had|were) to))|unless|whether|suppos(?:e|ing)"
    r"|assum(?:e|ing)|imagine|pretend|doubt\w*"
    r"|never|cannot|nobody"
    r"|no one|another (?:assistant|model|person|reader|source)|assistant|instructions?|hardly|unlikely"
    r"|impossible|tempting|why|user|others?|people|someone|anyone|everyone)\b"
    r"|\A\W*(?:had|were)\b"
)
"""Words before "answer is" that leave it open."""
_CONDITION = re.compile(r"(?:[^.\n]|\.(?=\d)){1,200}\bif\b[^.\n]{1,200}\b(?:were|was|had)\b")
"""What makes an answer one of another case: "would be 4 if the editorial were included"."""


def _denies_or_doubles(text: str) -> bool:
    """Whether a response says what the answer is not, or gives a second one."""
    if ("n't " in text or " not " in text or "cannot " in text) and _NOT_THE_ANSWER.search(text):
        return True
    return ("nswer 2" in text or "nswer B" in text or "nswer two" in text) and _SECOND_ANSWER.search(text) is not None


def _weak_tail(text: str, hints: KeyHints) -> str:
    """The text after "Result:" or a heading such as "## Conclusion"; empty if there is none."""
    spoken = _SPOKEN_LEAD.match(text)
    if (
        spoken
        and not text.rstrip(" .").endswith("answer")
        and not _is_title(spoken[0], hints)
        and not _ASKED.search(text)
    ):
        return text[spoken.end() :]
    if not (":" in text or "：" in text or "# " in text or "→" in text or _FINAL_HEADING.match(text)):
        return ""
    short = _SHORT_MARKER.match(text)
    if short and not _NEXT_LETTER.search(text):
        return text[short.end() :]
    announced = _ANNOUNCEMENT.search(text, max(0, text.rfind("\n")))
    if announced and not _is_title(announced[0], hints) and not _FULL_STOP.search(text, announced.start()):
        return text[announced.end() :]
    if not _WEAK_WORDS.search(text):
        return ""
    # After a list of names, "Total: 3" counts them.
    found = (match for match in _WEAK_MARKER.finditer(text) if not (hints.spellings and "otal" in match[0]))
    end = max((match.end() for match in found), default=0)
    return text[end:] if end else ""


def _is_title(lead: str, hints: KeyHints) -> bool:
    """Whether a title of the key begins so: "What we found: a survey"."""
    return any(form.startswith(letters(lead)) for form in hints.whole)


def _balanced(statement: str) -> str:
    """The statement without markup that began before its marker ("**Answer: 4**") and without quotes around it."""
    statement = statement.strip(" \t\n。;").removesuffix(" .")
    if statement.startswith("==") and statement.endswith("==") and len(statement) > 4:
        statement = statement[2:-2].strip()  # highlighted
    if statement.count("```") % 2 and statement.endswith("```"):
        statement = statement[:-3].rstrip()
    if statement.startswith("} "):
        statement = statement[2:]  # "\\textbf{Answer:} 4"
    for sign in ("***", "**", "__", "`"):
        if sign in statement and statement.count(sign) % 2:
            at = statement.rfind(sign)
            if statement.startswith(f"{sign} "):
                statement = statement[len(sign) :].lstrip()
            elif not statement[at + len(sign) : at + len(sign) + 2].strip(".。!"):
                statement = statement[:at] + statement[at + len(sign) :]
    if not statement.isascii():
        statement = _PREDICATE.sub("", statement)
    return _unquoted(statement)


_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "‹": "›", "「": "」", "『": "』", "《": "》"}


def _unquoted(statement: str) -> str:
    """The statement without one pair of quotes around all of it: “4, 5”, not “a”, “b”."""
    bare = statement.rstrip(".。!")
    closing = _QUOTES.get(bare[:1])
    if closing is None or len(bare) < 3 or bare[-1] != closing:
        return statement
    inner = bare[1:-1]
    if bare[0] == '"' and inner[:1] == "[" and inner[-1:] == "]" and parsed(inner) is not ABSENT:
        return inner  # JSON in quotes that are not escaped
    return statement if bare[0] in inner or closing in inner else inner


def last_box(text: str) -> tuple[str, int]:
    """The content of the last \\boxed{...}, with nested braces matched, and its end; ("", 0) if it is not closed."""
    at = text.rfind("\\boxed")
    if at < 0:
        return "", 0
    opening = text.find("{", at)
    if opening < 0 or text[at + 6 : opening].strip():
        return "", 0
    depth = 0
    for brace in _BRACE.finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and brace[0] == "}":
            return text[opening + 1 : brace.start()], brace.end()
    return "", 0


_MORE = re.compile(r"[.!?][ \t]+\S|\n\s*\S")


def _tail(text: str, hints: KeyHints) -> str | None:
    """The text after the last marker; empty if there is none, None if the last sentence only mentions an answer."""
    # Cheap tests that rule out most responses without a marker.
    small = text.lower()
    foreign = not text.isascii() or any(map(small.__contains__, _MAY_BE_OTHER))
    if not foreign and "answer" not in small and "####" not in text:
        return ""
    if len(small) != len(text):  # "İ" becomes longer in lower case
        small = text
    for spelling in map(str.lower, hints.spellings):
        # The title "In search of an answer: tides" is not a marker.
        if "answer" in spelling and (_OWN_MARKER.search(spelling) or spelling.endswith(("answer", "answers"))):
            for title in {spelling, unaccented(spelling)}:
                small = small.replace(title, "\x01" * len(title))
    content = len(text.rstrip(" \t\n*_`.$\\[]()"))  # a marker with nothing after it does not count
    if text.startswith("[]", text.rfind("[")):
        content = max(content, text.rfind("[") + 2)  # an empty list is something
    written = refused = 0
    others = _OTHER_MARKER.finditer(small, 0, content) if foreign else ()
    for match in chain(_MARKER.finditer(small, 0, content), others):
        # "3 questions, 2 answers" is the end of a title.
        if (
            small.startswith("answers", match.start())
            and small[max(0, match.start() - 2) : match.start() - 1].isdigit()
        ):
            continue
        if _NO_ANSWER_YET.search(small, max(0, match.start() - 40), match.start()):
            refused = match.end()
            continue
        if match.end() < content and (match.lastgroup is None or _is_heading(small, match.start())):
            written = max(written, match.end())
    spoken, final = written, False
    for match in _SPOKEN_MARKER.finditer(small, written, content):
        before = small[max(written, match.start() - 40) : match.start()]
        lead = _sentence_before(small, match.start())
        supposed = "would be" in match[0] and _CONDITION.match(small, match.end())
        if supposed or _DOUBTED.search(before) or _OPEN_LEAD.search(lead) or not _OWN.search(lead):
            refused = match.end()
            continue
        announced = ":" in match[0] or _FINAL.search(before) is not None or _LEAD.fullmatch(before) is not None
        spoken, final = match.end(), announced
    hashed = _HASH_MARKS.search(split_remarks(text, hints, marked=False)[0]) if "####" in text else None
    if hashed and hashed.start() >= spoken:
        return text[hashed.start("stated") :]
    # After "Answer: 4" a sentence such as "The answer is the sum of both." is an explanation. It replaces the marked
    # answer only if it retracts it or states another value.
    if spoken > written and (
        not written or final or HEDGE.search(text, written, spoken) or _VALUE_NEXT.match(text, spoken)
    ):
        end = small.find("</answer>", spoken) if "</answer>" in small else -1
        return text[spoken : end if end > spoken else None]
    meant = max((match.end() for match in _MEANT.finditer(small, written)), default=0) if written else 0
    if meant:
        return text[meant:]
    if not written:
        # "I never said that the answer is 4." states nothing, whatever it names.
        return None if refused and not _MORE.search(text, refused) else ""
    end = small.find("</answer>", written) if "</answer>" in small else -1
    stated = text[written : end if end > written else None]
    return stated if small[written:].lstrip().startswith("\x01") else _SAID_AGAIN.sub("", stated)


_SAID_AGAIN = re.compile(r"\A\s*(?:the )?(?:final )?answer is:?[ \t]+(?=\S)", re.IGNORECASE)
"""A marker right after a marker: "<answer>The answer is: 4</answer>"."""


def _sentence_before(text: str, at: int) -> str:
    """The part of a sentence that precedes `at`."""
    start = max(text.rfind(sign, 0, at) for sign in (". ", "! ", "? ", "; ", "\n", "("))
    return text[max(start + 1, at - 300) : at]


def _is_heading(text: str, at: int) -> bool:
    """Whether only markup and words such as "final" precede `at` on its line."""
    return bool(_BEFORE_HEADING.fullmatch(text, text.rfind("\n", 0, at) + 1, at))


def last_fence(text: str) -> str:
    """The content of the last fenced block, if it ends the response."""
    close = text.rfind("```")
    opening = text.rfind("```", 0, close) if close > 0 else -1
    if opening < 0 or text[close + 3 :].strip():
        return ""
    language, _, rest = text[opening + 3 : close].partition("\n")
    return rest if rest.strip() and (not language.strip() or language.strip().isalpha()) else f"{language}\n{rest}"


def _final_json(text: str) -> str:
    """The JSON value at the end of the response: after a line that ends with a colon, or with an answer field."""
    if text[-1:] not in {"}", "]"}:
        return ""
    for match in islice(_LINE_BRACKET.finditer(text), MAX_BRACKETS):
        lead = text[: match.start()].rstrip()
        value = parsed(text[match.start() :]) if not lead or lead[-1] in ":：" else ABSENT
        if value is not ABSENT:
            return text[match.start() :]
    end = len(text) - 1
    if text[end] != "}" or '"' not in text:
        return ""
    depth = 0
    for at in range(end, max(-1, end - MAX_STATEMENT_LENGTH), -1):
        depth += (text[at] == "}") - (text[at] == "{")
        if depth == 0:
            value = parsed(text[at : end + 1])
            return text[at : end + 1] if isinstance(value, dict) and answer_field(value) is not None else ""
    return ""

"""The number that a statement states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from unicodedata import normalize

from fathom.scoring.answers import Number
from fathom.scoring.parsing.amounts import plain_amounts
from fathom.scoring.parsing.extraction import AnswerStatement
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.non_answers import ASIDE, BOUND, CONTRAST, HEDGE, SENTENCE_END
from fathom.scoring.parsing.normalization import plain
from fathom.scoring.parsing.numerals import SIMPLE, as_number, number_of, numbers_in, split_scale
from fathom.scoring.parsing.remarks import without_courtesy
from fathom.scoring.parsing.segmentation import BULLET
from fathom.scoring.parsing.tables import piped_rows

_BEFORE_COUNT = re.compile(
    r"(?:\A|[:：=—–>是为有共计达于在了]|[.,;!?(\[]|\b(?:it'?s|that's|is|are|was|were|be|been|of|exactly|only|just"
    r"|precisely|that|gives?|gets?|got|counts?|counted|finds?|found|totals?|totaling|to|equals?|has|have|had"
    r"|therefore|thus|so|hence|there|probably"
    r"|likely|answer|result|sum|mean|average|number|value|the|a|in|as|with|at|by|leaves|leaving|makes?|yields?"
    r"|us|see|likely"
    r"|year|certainly|definitely|hay|sono|sind|es|gibt|sont|всего|есть|both|all|these|those|up|out|remain"
    r"|remains|contains?|includes?|lists?))"
    r"[\s*_`\"'“$(\[\\{}]*\Z",
    re.IGNORECASE,
)
# A response may repeat the question, which says "Answer with one number".
_INSTRUCTION = re.compile(r"(?:answer with|round to|answer null)\b", re.IGNORECASE)
_NOTE = re.compile(r"(?:article|paper|document|candidate|step)\b|[-*•|>]|\(?\d{1,3}[.)]\s", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:so|therefore|thus|hence|totals?|results?|answer|counts?|sum|average|mean|maximum|minimum|gets?|adding"
    r"|yields?|number"
    r"|gives?|final|there (?:is|are|were)"
    r"|values?|altogether|overall|equals?|comes? to|leav(?:es|ing)|it is|makes?)\b|[=≈]|因此|所以|共",
    re.IGNORECASE,
)
_OTHER_ANSWER = re.compile(
    r"\A\s*(?:[A-Z]|(?:option|answer) \w{1,3}|alternative\w*|new|final|revised)[:=]\s", re.IGNORECASE
)
"""A label of another answer."""
_TRUE_VALUE = re.compile(r"\b(?:true|right|correct|actual|real)\b|\bit(?:'s| is)\b", re.IGNORECASE)
"""What a sentence states as the value, after another one: "17 is a naive count; the true count is 18"."""
_OF_ALL = re.compile(r"\s(?:out )?of\s(?:(?:all|the|these|those|a total of)\s){0,2}")
"""The words between a count and a total: "2 of the 9 articles"."""
_CONSEQUENCE = re.compile(
    r"(?:,|\band)\s(?:so|therefore|thus|hence|making|giving|leaving|(?=[\d,]{1,9} in (?:all"
    r"|total)\W{0,3}\Z)|for a (?:combined |grand )?total of"
    r"|which (?:makes|gives|leaves|means|is)(?: a (?:change|difference|total|sum|growth|share|ratio) of)?|i\.e\.,?)\s",
    re.IGNORECASE,
)
"""The words before the final number of a sentence: "5 at first, but 12 qualifies as well, so it is 6"."""
_TOLD_AFTER = re.compile(r"\s?(?:[—–]|, (?:namely|specifically|that is|which are|in)\b|, i\.e\.|:)\s")
_COUNTED_THINGS = re.compile(r"\d{1,4}(?:(?:,? and |, )\d{1,4}){2,}\.?")
"""The numbers of what was counted: "17 articles have three authors: 1, 4, ..."."""
_POINTS_TO = re.compile(r"(?<=[\w)\]])[ \t]?(?:→|⇒|=>|->)[ \t]?([^\n→]{1,30})\Z")
_REFERRED = re.compile(
    r"\b(?:the|these|those|all|its|their) (?:two|three|four|five|six|seven|eight|nine|ten)(?= [a-z])", re.IGNORECASE
)
"""What a sentence is about: "the three companies"."""
_NOT_YET = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable|let me|let's|need to|have to|to find|in order to"
    r"|please|would need|so far|subtotal|(?:were|was) (?:all )?(?:checked|read|reviewed|examined|compared)"
    r"|see reference"
    r"|(?:first|second|other) (?:half|part)|(?:count|answer|result) follows)\b",
    re.IGNORECASE,
)
"""A sentence that states no result: "To find the answer, count the 6 bylines."."""
_INSTRUCTED = re.compile(r"\A(?:answer with|give)\b[^:\n\d]{0,40}:[ \t]*", re.IGNORECASE)
_OUT_OF = re.compile(
    r"\A\W{0,3}(?:(?:out )?of|among|after (?:going through|reading|checking|reviewing|examining|looking at))"
    r" (?:(?:all|the|these|those|a total of) ){0,2}\d{1,6}(?: [a-z]{1,20}){0,3}, (?=\D{0,20}\d)",
    re.IGNORECASE,
)
"""What a count is taken from: "Out of the 42 articles, 17 match."."""
_FAILS = re.compile(
    r"\A\W{0,3}\d{1,6}(?: (?:of|out of) (?:the )?\d{1,6})?(?: [a-z]{1,20})? "
    r"(?:do|does|did)(?: not|n't) (?:meet|qualify|satisfy|match|fulfill?|fit)\b",
    re.IGNORECASE,
)
"""A count of what is not asked for: "17 articles do not meet the condition."."""
_QUANTITY = re.compile(
    r"\A[\W_]{0,4}(?:the |a )?(?:total |overall |average |mean |median |maximum |minimum |combined "
    r"|highest |lowest |largest |smallest |greatest )?"
    r"(?:reference |author |word |title word |citation |title )?"
    r"(?:numbers?|counts?|total|sum|average|mean|median|share|percentage|amount|maximum|minimum|difference|ratio"
    r"|range|value)"
    r"\b[^\n:：=]{0,160}(?:[:：=]|\b(?:is|was|are|were|equals|comes to)\b)[ \t]?(?=[^\n:：=]{1,40}\Z)",
    re.IGNORECASE,
)
"""What is counted, perhaps with a number of its own: "The number of articles with three authors is 17."."""
_LABEL = re.compile(r"\A[^\W\d_][^\d=:：\n]{0,80}?(?:[=:：]|\b(?:is|was|equals)[ \t])(?=[\s\d+(\[][^\n]{0,200}[=≈→])")
_QUOTIENT = re.compile(r"\A\W{0,3}\d{1,9}[ \t]?[/÷][ \t]?\d{1,9}[ \t]?[≈=][ \t]?(?=[\d.,]{1,30}\W{0,3}\Z)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ROUNDED = re.compile(r"\A\W{0,3}([\d.,]{1,30})[ \t]?(?:[≈→]|->|=>|~)[ \t]?([\d.,]{1,30})\W{0,3}\Z")
_ANOTHER_CASE = re.compile(
    r"\([^()\n]{0,60}?\d[\d.,]{0,12} (?:if|without|when|including|excluding|counting|unless|otherwise)\b"
    r"|\([^()\n]{0,60}?\b(?:could|might|may|can)\b[^()\n]{0,30}\d",
    re.IGNORECASE,
)
"""Another value under another reading: "17 (16 without article 9)"."""
_CONTINENTAL = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:\.\d{3}){1,5},\d{1,2}|(?:\.\d{3}){2,5})(?![\d,]|\.\d)")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d{1,9}),(\d{1,2})(?![\d,.]\d|\d)")
_ARROW = re.compile(r"→|->|=>")
_NEGATIVE_CHANGE = re.compile(
    r"\b(?:(?:decrease|decline|drop|fall|reduction|loss) of"
    r"|(?:decreas|declin|reduc|shr[aiu]nk|f[ae]ll|drop)\w{0,4} by|down(?: by)?)"
    r"[ \t*$≈~]*(?:about |roughly |approximately )?\Z"
    r"|(?:下降|减少|降低|下跌|下滑|缩减|萎缩)了?[ \t]?\Z",
    re.IGNORECASE,
)
"""A change that is told as a decrease: "The change is a decrease of 4%."."""
_CHINESE_VALUE = re.compile(
    r"\A[^\n。；;？?不非或]{0,200}(?:等于|约为|[是为有共达得]|占[^\n。]{1,40}的)[ \t]?"
    r"(?=[-−+]?[\d.,]{1,30}[ \t]?(?:%|[家个篇名位所人项次份条种]|[亿万千百]{0,2}[ \t]?(?:[A-Z]{3}"
    r"|[元美港欧日镑]{0,2}))[。.]?\Z)"
)
"""What a Chinese sentence states a value of, perhaps with a year: "2021年度低于6000万元的公司有3家。"."""
_CHINESE_RESULT = re.compile(r"结果|差额|合计|总|平均|占|之和|数量|[有共]\d+家|比[例率重]")
_ROUNDED_TO = re.compile(
    r"(?:\b(?:when |if |which is )?|,[ \t])rounded to (?:two|one|three|\d) decimals?(?: places?)?,?[ \t]?",
    re.IGNORECASE,
)
_ROUNDED_IN_CHINESE = re.compile(
    r"[(（，,][ \t]?(?:已|结果)?(?:保留|四舍五入到|精确到)[^\n()（）\d]{0,12}[)）]?(?=[。.]?\Z)"
)
_EQUALS = re.compile(r"[=≈]|approx")
_EXPONENTS = str.maketrans({sign: f"^{number}" for number, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
"""4¹ is not 41."""
_FRACTIONS = (("½", ".5"), ("¼", ".25"), ("¾", ".75"))
_TOTAL_ROW = re.compile(
    r"[-*•|#\s]{0,6}(?:grand |overall )?(?:total|sum|合计|总计)[ \t*_]{0,3}[:：=|][ \t*_|]{0,12}"
    r"([^\s|*_][^|*_\n:]{0,40}?)[*_| \t.]{0,6}",
    re.IGNORECASE,
)
"""The last row of a table or list: "Total: 49", "| **Total** | 49 |"."""
_FOOTER = re.compile(r"\(\d{1,9} rows?\)", re.IGNORECASE)
"""What a database prints below a result, which counts the rows of it."""
_BULLET_ALONE = re.compile(r"[ \t]*\d{1,3}[.)][ \t]*")
_RULE_OFF = re.compile(r"[-=+| ]{2,80}")
_SUM = re.compile(r"[\d\s+×*·/÷().,=≈%$−–-]{1,2000}")


def parse_number(statement: AnswerStatement, key: Number, hints: KeyHints) -> Number | None:
    """The one number that is stated; None if there is none or more than one."""
    if SIMPLE.fullmatch(statement.text):
        return number_of(statement.text)
    if _FOOTER.fullmatch(statement.text.strip()):
        return None
    last = statement.text[statement.text.rstrip().rfind("\n") + 1 :]
    if not statement.marked and "frac" in last and not _EQUALS.search(last):
        return None  # a step of the calculation
    text = plain(half_width(statement.text))
    if key.unit or key.decimals is not None or not text.isascii():
        text = plain_amounts(text, key.unit)
    if "," in text or text.count(".") > 1:
        text = _with_points(text, key)
    lines = [line for line in text.split("\n") if line.strip(" \t*_`#")]
    if len(lines) > 1 and _BULLET_ALONE.fullmatch(lines[-1]) and BULLET.match(lines[-2]):
        return None  # a list that breaks off
    total = _TOTAL_ROW.fullmatch(lines[-1]) if len(lines) > 2 and not statement.marked else None
    if total:
        return number_of(total[1], key.unit)
    if len(lines) == 3 and _RULE_OFF.fullmatch(lines[1]) and not numbers_in(lines[0]):
        lines = lines[2:]  # the name of a column above a rule
    if lines and all("|" in line for line in lines):
        lines = [cell for row in piped_rows(lines, ()) for cell in row]
    if not lines:
        return None
    if len(lines) == 1:
        return _number_in_line(lines[0], key.unit, last=not statement.marked)
    if statement.marked:
        at = next((at for at, line in enumerate(lines[:3]) if numbers_in(line)), 0)
        return _unless_contradicted(_number_in_line(lines[at], key.unit, last=False), lines[at + 1 :], key.unit)
    if number_of(lines[0], key.unit) is None and numbers_in(lines[-1]):
        return _number_in_line(lines[-1], key.unit, last=True) if _concludes(lines[-1]) else None
    return _unless_contradicted(number_of(lines[0], key.unit), lines[1:], key.unit)


def _with_points(text: str, key: Number) -> str:
    """The text with decimal commas as points: "1.250,00", and "44,24" where decimals are asked for."""
    text = _CONTINENTAL.sub(lambda match: match[0].replace(".", "").replace(",", "."), text)
    return _DECIMAL_COMMA.sub(r"\1.\2", text) if key.decimals is not None else text


def half_width(text: str) -> str:
    """The text in half-width characters: a response in Chinese may write "２，１"."""
    if text.isascii():
        return text
    for sign, decimals in _FRACTIONS:
        text = text.replace(sign, decimals)  # "6½" would become "61/2"
    return normalize("NFKC", text.translate(_EXPONENTS))


def _concludes(line: str) -> bool:
    """Whether the last line of a response without a marker states a result, and is not a note on one article."""
    bare = line.strip(" \t*_`")
    if number_of(bare) is not None or ("(" in bare and number_of(ASIDE.sub("", bare)) is not None):
        return True
    if not bare.isascii() and _CHINESE_VALUE.match(bare) and _CHINESE_RESULT.search(bare):
        return True
    return bare[-1] in ".!。)]0123456789" and _NOTE.match(bare) is None and _RESULT.search(bare) is not None


def _unless_contradicted(number: Number | None, rest: Sequence[str], unit: str) -> Number | None:
    """The number, unless a later line states another one or retracts it."""
    if number is None or any(HEDGE.search(line) for line in rest):
        return None
    bare = (_OTHER_ANSWER.sub("", line[bullet.end() if (bullet := BULLET.match(line)) else 0 :]) for line in rest)
    others = (_number_in_sentence(line, unit) if _TRUE_VALUE.search(line) else number_of(line, unit) for line in bare)
    return number if all(other is None or other.value == number.value for other in others) else None


def _number_in_line(line: str, unit: str, last: bool) -> Number | None:
    """The number of a line: its only one, the result of a sum, or the number of its first (or last) sentence."""
    bullet = BULLET.match(line)  # "1. 33.3" is the first and only item of a list
    bare = line[bullet.end() if bullet else 0 :].strip(" \t*_`").rstrip(".")
    if SIMPLE.fullmatch(bare):
        return number_of(bare)
    if bullet and (bullet[1] or "1") == "1":
        line = line[bullet.end() :]
    if "(" in line and _ANOTHER_CASE.search(line):
        return None
    if _FAILS.match(line):
        return None
    if last:
        line = without_courtesy(line)
    if any(map(str.isdecimal, line)):
        line = _REFERRED.sub("them", line)
    if "ounded to" in line:
        line = _ROUNDED_TO.sub("", line)
    line = line if line.isascii() else _ROUNDED_IN_CHINESE.sub("", line)
    other = unit != "%" and line.rstrip("。.").endswith("%")  # "85万元，占4.3%"
    if not line.isascii() and not (unit and other) and (told_of := _CHINESE_VALUE.match(line)):
        return number_of(line[told_of.end() :].rstrip("。."), unit)
    line = _INSTRUCTED.sub("", _OUT_OF.sub("", line))
    quantity = _QUANTITY.match(line)
    if (
        quantity
        and not (last and _NOT_YET.search(line))
        and (labeled := number_of(line[quantity.end() :], unit)) is not None
    ):
        return labeled
    contrast = CONTRAST.search(line) if "not " in line or " of " in line or " than " in line or " to " in line else None
    if contrast and (numbers_in(line[: contrast.start()]) or " of " in contrast[0] or " than " in contrast[0]):
        line = line[: contrast.start()] + line[contrast.end() :]
    whole = _number_in_sentence(line, unit) if not _INSTRUCTION.search(line) else None
    if whole is not None:
        return whole if not last or not _NOT_YET.search(line) else None
    if HEDGE.search(line):
        return None
    pointed = _POINTS_TO.search(line)
    named = pointed and number_of(line[: pointed.start()], unit) is None
    if pointed and named and (number := number_of(pointed[1], unit)) is not None:
        return number
    told = _TOLD_AFTER.search(line)
    if told and _COUNTED_THINGS.fullmatch(line, told.end()) and line[:1].isdigit():
        return number_of(line.split(" ", 1)[0], unit)
    if told and (number := number_of(line[: told.start()], unit)) is not None:
        return _unless_contradicted(number, [line[told.end() :]], unit)
    clauses = _CONSEQUENCE.split(line)
    if len(clauses) > 1 and (number := _number_in_sentence(clauses[-1], unit)) is not None:
        return number
    parts = SENTENCE_END.split(ASIDE.sub("", line))
    sentences = [part for part in parts if part and not part.endswith("?") and not _INSTRUCTION.match(part)]
    if last:
        sentences = [part for part in sentences if numbers_in(part)] or sentences
    number = _number_in_sentence(sentences[-1 if last else 0], unit) if sentences else None
    if last and number is not None and len(sentences) > 1:
        return number if _RESULT.search(sentences[-1]) and not _NOT_YET.search(sentences[-1]) else None
    return _unless_contradicted(number, sentences, unit)  # "5; 6"


_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_CALENDAR_DATE = re.compile(
    rf"\b(?:\d{{1,2}} {_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:,? \d{{4}})?)(?![\w.,]?\d)|\b\d{{4}}-\d\d-\d\d\b"
)
"""A date beside a number with a unit: "35 days between 6 December 2018 and 10 January 2019"."""


def _number_in_sentence(sentence: str, unit: str) -> Number | None:
    """The one number of a sentence, or the number after the equals sign of a sum."""
    found = numbers_in(sentence)
    if unit and len(found) > 1:
        sentence = _CALENDAR_DATE.sub("that day", sentence)
        found = numbers_in(sentence)
    if len(found) > 2 and _OF_ALL.fullmatch(sentence, found[0].end, found[1].start):
        sentence = sentence[: found[0].end] + sentence[found[1].end :]  # "17 of the 40 articles with three authors"
        found = numbers_in(sentence)
    if len(found) > 1 and all(BOUND.search(sentence[: one.start][-40:]) for one in found[1:]):
        # "23 articles with more than five references"
        found, sentence = found[:1], sentence[: found[1].start]
    if len(found) == 2 and _OF_ALL.fullmatch(sentence, found[0].end, found[1].start):
        found, sentence = found[:1], sentence[: found[1].start]
    if unit and len(found) > 1:
        # "It came to 85.2 million EUR, which is 4.3% of the total."
        wanted = [one for one in found if one.unit and one.unit == split_scale(unit)[1]]
        ratios = [one for one in found if one.unit == "%"]
        if len(wanted) == 1 and all(
            one in wanted or one in ratios or _YEAR.fullmatch(sentence, one.start, one.end) for one in found
        ):
            found = wanted
    shares = [one for one in found if one.unit == "%"] if unit == "%" else []
    if len(shares) == 1 and all(one in shares or _YEAR.fullmatch(sentence, one.start, one.end) for one in found):
        found = shares  # "It grew by 12% from 2021 to 2022."
    if unit and len(found) == 1 and _NEGATIVE_CHANGE.search(sentence, 0, found[0].start):
        change = as_number(found[0], sentence, unit)
        return change and change.model_copy(update={"value": -abs(change.value)})
    if len(found) == 1:
        # "Synaptotagmin 7 is a sensor" names a protein.
        counts = _BEFORE_COUNT.search(sentence, 0, found[0].start)
        return as_number(found[0], sentence, unit) if counts else None
    if _QUOTIENT.match(sentence):
        return number_of(_QUOTIENT.sub("", sentence), unit)
    label = _LABEL.match(sentence)
    rounded = _ROUNDED.match(sentence[label.end() if label else 0 :])
    if rounded:
        return _if_rounded(rounded[1], rounded[2], unit)
    sum_of = _ARROW.sub("=", ASIDE.sub("", sentence[label.end() if label else 0 :]))
    terms, _, result = sum_of.replace("≈", "=").rpartition("=") if "=" in sum_of else ("", "", sum_of)
    total = numbers_in(result)
    if len(total) != 1 or not _SUM.fullmatch(terms):
        return None
    return as_number(total[0], result, unit)


def _if_rounded(exact: str, rounded: str, unit: str) -> Number | None:
    """The number of "44.2398 ≈ 44.24", if the one is the other with fewer decimals."""
    one, two = number_of(exact, unit), number_of(rounded, unit)
    if one is None or two is None:
        return None
    step = Decimal(1).scaleb(int(two.value.as_tuple().exponent))
    return two if abs(one.value - two.value) < step else None

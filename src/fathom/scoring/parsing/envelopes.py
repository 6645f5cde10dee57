"""Opens what agents, chat servers and pipelines put around an answer: a message with its role, a call that submits the
answer, and words such as "Assistant:" or "TL;DR" before it.

What an envelope marks as the answer becomes "Answer: ...", which the other rules know. A call of any other tool submits
nothing, so nothing is left of it.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from fathom.scoring.parsing.json_values import ABSENT, answer_field, is_open, parsed, states_option, submits
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import letters
from fathom.scoring.parsing.query_results import as_table

MAX_ENVELOPE_LENGTH: Final = 200_000
MAX_FIELDS: Final = 20
_FIELD = re.compile(r"(?P<name>[A-Za-z]\w{0,30})[ \t]?[:=][ \t]?(?P<value>\S[^\n]{0,1000}?)(?:[ \t]{1,4}#[ \t][^\n]*)?")
"""A line of YAML or of an environment file: "candidate: 3"."""
_FIELD_NAME = re.compile(r"\s*[A-Za-z]\w{0,30}[ \t]?[:=]", re.ASCII)
_RECORD_STARTS = re.compile(r"\s*(?:- [A-Za-z]\w{0,30}[ \t]?[:=]|[a-z_]{1,30}:\s)", re.ASCII)
_LIST_NAME = re.compile(r"[a-z_]{1,30}:")
_FENCED = re.compile(r"\A```(?:json|python|yaml|text)?[ \t]*\n(?P<inside>[^`]+)\n```\Z", re.IGNORECASE)
_ACTION = re.compile(
    r"(?:\A|\n)[ \t*]{0,4}Action[*]{0,3}[ \t]?[:：][ \t*]{0,4}(?P<tool>[^\n:：]{1,60}?)[ \t*.]{0,4}\n+"
    r"[ \t*]{0,4}Action[_ ]Input[*]{0,3}[ \t]?[:：][ \t*]{0,4}(?P<given>.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
"""The last step of an agent: "Action: finish", "Action Input: 4"."""
_BRACKET_CALL = re.compile(
    r"(?:\A"
    r"|\n)[ \t*]{0,4}Action[*]{0,3}[ \t]?[:：][ \t]?(?P<tool>[a-z_ ]{2,40})[\[(][^\n]{1,2000}[\])]\s*\Z",
    re.IGNORECASE,
)
"""The last step of an agent in one line: "Action: search[tides]"."""
_RULED = re.compile(r"\A-{3,}[ \t]*\n(?P<inside>.+)\n-{3,}\Z", re.DOTALL)
"""The front matter of a file."""
_ROLE = re.compile(
    r"\A[*_]{0,3}(?:assistant|ai|bot|chatbot|model|助手)[*_]{0,3}[ \t]?[:：][*_]{0,3}\s*(?=\S)", re.IGNORECASE
)
_MISSPELLED = re.compile(
    r"\b(?:anwser|asnwer|awnser|answr|ansewr|anwer|answser|anser|ansswer|answer key)(?=s?[*_ \t]{0,4}[:：])",
    re.IGNORECASE,
)
_TEH = re.compile(r"\bteh(?= (?:final )?answer\b)", re.IGNORECASE)
_COURTEOUS = re.compile(
    r"\A(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|yes|great question|good question|no problem|gladly"
    r"|(?:i'd|i would) be (?:happy|glad) to|(?:i'm|i am) happy to|thank you for"
    r"|thanks for)\b[^\n.!\d:\"]{0,120}[.!]\s+(?=\S)"
    r"|\A(?:好的|当然|没问题|可以)[，,。！!]\s*(?=\S)",
    re.IGNORECASE,
)
"""A sentence before the answer that states nothing: "Sure, I'd be happy to help."."""
_CLAUSE = re.compile(
    r"\A(?:(?:sure|certainly|okay|ok|great)[!.,][ \t]+"
    r"|(?:so|hence|thus|therefore|overall|in short|in summary|in conclusion|finally),[ \t]+"
    r"|(?:based on|according to|after (?:checking|reviewing|reading|comparing|going through)|having (?:checked"
    r"|read|reviewed))"
    r"[ \t](?:the|these|this|all|each|every)\b[^,\n\d\"“:]{0,60},[ \t]+|(?:综上(?:所述)?|因此|所以|总之"
    r"|由此可[见知得])[，,：:][ \t]*"
    r"|(?:根据|基于)[^\n，,。；\d\"“]{0,24}[，,][ \t]*|(?:结论|总结)[:：][ \t]*)(?=\S)",
    re.IGNORECASE,
)
"""A clause before a statement: "Based on the documents provided, the values are 4 and 5."."""
_UNDERLINED = re.compile(r"(?<![\w\\_])(_{1,3})(?=[^\s_])([^_\n]{1,400})(?<=\S)\1(?![\w_])")
"""Emphasis with underscores: "_4_", "__The answer is:__"."""
_CHINESE_ANSWER = re.compile(r"答案[*_】]{0,3}[ \t]?[:：是为]")
_RESULT_IS = re.compile(
    r"(?:\A|(?<=\n))[#*_ \t【]{0,6}(?:因此|所以|故)?[，,]?(?:最终)?(?:结果|答案)(?:[为是][:：]?|如下[:：]"
    r"|[:：])[*_】 \t]{0,4}(?=\s*\S)"
)
"""What marks a result in Chinese, at the beginning of a line."""
_UNPUNCTUATED = re.compile(
    r"\A[*_#>( \t]{0,6}(?i:(?:the |my )?(?:final |correct )?answer)[*_)]{0,4}"
    r"(?:[ \t][-–—][ \t]*\n\s*(?=\S)|[ \t]+(?=[-+]?\d|[\"“«\[{$\\]|[^\W\d_a-z]))"
)
"""The word without a sign after it: "Answer 4", "(Answer) Lind"."""
_SUMMARY = re.compile(r"\A[*_]{0,3}TL;?DR[*_]{0,3}[ \t]+(?=[^\s:：])", re.IGNORECASE)
_RETURNS = re.compile(
    r"\A(?:return[ \t]+(?=[\[({\"'\d-])|(?:print|echo)[ \t]+(?=[\[\"'\d-])|(?:result|output|ans"
    r"|final)[ \t]?=[ \t]?(?=[^\s=]))",
    re.IGNORECASE,
)
"""The last line of a program: "return [3, 7]", "result = 4"."""
_CODE_COMMENT = re.compile(
    r"[ \t]+(?://|#)[ \t](?:(?!(?:not|but|or|except|wrong|maybe|perhaps|guess|unsure|actually|should)\b)"
    r"[^\n\d\"“A-Z#]){3,120}\Z"
)
"""A comment behind a value that names nothing: "4  # computed from the articles"."""
_FOUND_IN: Final = (
    r"(?:articles?|papers?|documents?|docs?\.?|reports?|files?|candidates?|passages?|sources?|sections?|pages?|tables?)"
)
_SOURCE_AFTER = re.compile(
    r"(?<![ \t])[ \t]*(?:[(（\[【](?:sources?|references?|citations?|see|cf\.?|来源|出处|参考\w{0,4}|依据"
    r"|见)[:：]?[ \t]?[^()（）\[\]\n]{1,120}[)）\]】]"
    rf"|[—–-][ \t](?:see|source[:：]|cf\.)[ \t]{_FOUND_IN}[ \t]#?\d[\d, and&-]{{0,40}}"
    r"|(?<=[.!。%\w\])])[ \t]?(?:[\[【]\d{1,3}(?:[,–-][ \t]?\d{1,3}){0,8}[\]】]){2,12}"
    r"|(?<=[a-z][a-z][a-z][a-z][a-z][.!])[ \t]?\[\d{1,3}(?:[,–-][ \t]?\d{1,3}){0,8}\]"
    r"|(?<=[\d。][.。])[ \t]?\[\d{1,3}\])[.。]?\Z",
    re.IGNORECASE,
)
"""Where an answer comes from, at the end of its line: "(Source: Article 3)", "[1][3]", "– see Article 2."."""
_CHINESE_HEADING = re.compile(
    r"(?:\A|(?<=\n))[#*_ \t【]{0,8}(?:最终|最後|最后|正确)?(?:答案|回答)[*_】 \t]{0,4}\n+(?=\s*\S)"
)
_CHINESE_RESULT = re.compile(
    r"\A[#*_ \t【]{0,8}(?:最终)?(?:结果|输出|结论|结果如下|输出结果)[*_】 \t]{0,4}(?:[:：]|\n)\s*(?=\S)"
)
_CHINESE_LEAD = re.compile(
    r"\A(?:(?:综上(?:所述)?|因此|所以|总之|由此可见|由此可知|可得|故而)[，,：:]\s*|故(?=[^事障意])"
    r"|(?:根据|基于|依据|按照)[^\n，,。；\d\"“]{0,24}[，,]\s*)(?=\S)"
)
_BASED_ON = re.compile(
    r"\A(?:based on|according to|from|given) (?:the |these |this |all )?(?:provided |given |above )?"
    r"(?:documents?|articles?|papers?|texts?|context|collection|information|data|sources?)[:：][ \t]*(?=\S)",
    re.IGNORECASE,
)
_ATTRIBUTED_ANSWER = re.compile(
    r"<(answer|final[_ -]?answer|result|solution|output|response)[ \t][^<>\n]{1,100}(?<!/)>", re.IGNORECASE
)
_CHINESE_TAG = re.compile(r"<(/?)(?:最终)?(?:答案|回答|结果)>")
_ASIDE_ELEMENT = re.compile(
    r"\s*<(?P<name>sources?|references|citations|evidence|explanation|reasoning|notes?"
    r"|confidence)(?:[ \t][^<>\n]{0,100})?>"
    r".{0,20000}?</(?P=name)>",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERED_ELEMENT = re.compile(
    r"<([a-z]{1,20})[ \t](?:id|n|nr|no|num|number|index|slot|key|ref)=[\"']?(\d{1,3})[\"']?>([^<>\n]{1,200})</\1>",
    re.IGNORECASE,
)
"""A slot with its option: <citation id="1">2</citation>."""


def opened(text: str, hints: KeyHints) -> str:
    """The text inside its envelope; empty if it only calls a tool that submits nothing."""
    text = text.strip()
    if len(text) > MAX_ENVELOPE_LENGTH or not text:
        return text
    if text[0] in "{`" and text[-1] in "}`":
        text = _message(text)
    if text.startswith("---") and (ruled := _RULED.match(text)):
        text = ruled["inside"]
    if "ction" in text and (step := _ACTION.search(text)):
        text = f"Answer: {step['given'].strip()}" if submits(step["tool"]) else ""
    if "_" in text and not hints.contain("_"):
        text = _UNDERLINED.sub(lambda match: f"{'*' * len(match[1])}{match[2]}{'*' * len(match[1])}", text)
    if "ction" in text and (call := _BRACKET_CALL.search(text)) and not submits(call["tool"]):
        text = ""
    if "<" in text and not hints.contain("<"):
        text = _CHINESE_TAG.sub(r"<\1answer>", _ATTRIBUTED_ANSWER.sub("<answer>", text))
        text = _NUMBERED_ELEMENT.sub(r"\2: \3\n", _ASIDE_ELEMENT.sub("", text))
    text = _answer_of_fields(text)
    text = _without_lead(text, hints)
    if "nswer" not in text:
        text = as_table(_records(text), hints)
    return _without_source(text, hints)


def _answer_of_fields(text: str) -> str:
    """The answer of fields such as "candidate: 3" and "confidence: 0.9" as JSON, if all others are about the answer."""
    fenced = _FENCED.match(text) if text[:1] == "`" else None
    if not fenced and not _FIELD_NAME.match(text):
        return text
    lines = (fenced["inside"] if fenced else text).strip().split("\n")
    if len(lines) > MAX_FIELDS:
        return text
    if len(lines) == 1 and lines[0].count("=") > 1:
        lines = lines[0].split(";")
    fields = [_FIELD.fullmatch(line.strip()) for line in lines]
    record = {field["name"].lower(): field["value"].strip("\"'") for field in fields if field}
    if len(record) != len(lines):
        return text
    if is_open(record) and (answer_field(record) or len(record) == 1):
        return ""
    return json.dumps(record) if states_option(record) else text


def _records(text: str) -> str:
    """A list of records in YAML, "- name: Lind" and "  count: 3" for each, as JSON; any other text as it is."""
    fenced = _FENCED.match(text) if text[:1] == "`" else None
    if not fenced and not _RECORD_STARTS.match(text):
        return text
    lines = [line.rstrip() for line in (fenced["inside"] if fenced else text).split("\n") if line.strip()]
    if lines and _LIST_NAME.fullmatch(lines[0]):
        lines = lines[1:]
    starts = [at for at, line in enumerate(lines) if line.lstrip().startswith("- ")]
    if len(starts) < 1 or starts[0] or len(lines) % len(starts) or len(lines) == len(starts):
        return text
    records: list[dict[str, str]] = []
    for line in lines:
        field = _FIELD.fullmatch(line.lstrip(" -"))
        if field is None:
            return text
        if line.lstrip().startswith("- "):
            records.append({})
        records[-1][field["name"]] = field["value"].strip("\"'")
    return json.dumps(records) if len({(*record,) for record in records}) == 1 else text


def _message(text: str) -> str:
    """The content of a message with its role, or what a call submits."""
    fenced = _FENCED.match(text)
    value = parsed(fenced["inside"].strip() if fenced else text)
    if isinstance(value, dict) and isinstance(content := _content(value), str):
        return content.strip()
    return text


def _content(record: dict[str, Any]) -> Any:
    """The text of a message: {"role": "assistant", "content": "4"}, or of the first choice of a chat completion."""
    names = {name.lower(): name for name in record}
    if "choices" in names and isinstance(choices := record[names["choices"]], list) and len(choices) == 1:
        record = choices[0] if isinstance(choices[0], dict) else {}
        message = record.get("message")
        record = message if isinstance(message, dict) else record
        return record.get("content", record.get("text"))
    if not {"role", "type"} & {*names} or len(record) > 4:
        return ABSENT
    return next((record[names[name]] for name in ("content", "text", "message") if name in names), ABSENT)


def _without_lead(text: str, hints: KeyHints) -> str:
    """The text without words that lead to its answer, or with the marker "Answer:" in their place."""
    if "nw" in text or "sn" in text or "wn" in text or "ns" in text:
        text = _MISSPELLED.sub("Answer", _TEH.sub("The", text))
    for pattern, marker in _LEADS:
        lead = pattern.match(text)
        if lead and not any(form.startswith(letters(lead[0])) for form in hints.whole if letters(lead[0])):
            text = marker + text[lead.end() :]
    if not text.isascii():
        text = _CHINESE_HEADING.sub("Answer: ", text)
        if not _CHINESE_ANSWER.search(text) and "nswer" not in text and (marks := [*_RESULT_IS.finditer(text)]):
            text = f"{text[: marks[-1].start()]}Answer: {text[marks[-1].end() :]}"
    return without_clause(text, hints)


def without_clause(text: str, hints: KeyHints) -> str:
    """A statement without the clauses before it."""
    for _ in range(3):
        clause = _CLAUSE.match(text)
        if not clause or any(form.startswith(letters(clause[0])) for form in hints.whole):
            break
        text = text[clause.end() :]
    return text


def _without_source(text: str, hints: KeyHints) -> str:
    """The text without a note on where its last line comes from, and without a comment of code."""
    start = text.rfind("\n") + 1
    last = text[start:]
    if text[-1:] in {")", "）", "]", "】", ".", "。"} or "see " in last:
        text = text[:start] + _SOURCE_AFTER.sub("", last) if letters(last) not in hints.whole else text
    if ("# " in last or "// " in last) and letters(last) not in hints.whole and "\n" not in text:
        text = _CODE_COMMENT.sub("", text)
    return text


_LEADS: Final = (
    (_ROLE, ""),
    (_COURTEOUS, ""),
    (_BASED_ON, "Answer: "),
    (_CHINESE_LEAD, ""),
    (_CHINESE_RESULT, "Answer: "),
    (_SUMMARY, "Answer: "),
    (_RETURNS, "Answer: "),
    (_UNPUNCTUATED, "Answer: "),
)

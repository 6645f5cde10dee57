"""Removes HTML, Markdown quotes and check boxes around the lines of a response."""

from __future__ import annotations

import re
from html import unescape

from fathom.scoring.parsing.json_values import ABSENT, parsed
from fathom.scoring.parsing.key_hints import KeyHints

_ITEM_TAG = r"(?:li|item|title|name|entry|value|element|row|option|candidate)>"
_BREAK = re.compile(rf"<br ?/?>|</(?:p|div|tr|ul|ol|h[1-6])>|</{_ITEM_TAG}", re.IGNORECASE)
_ITEM = re.compile(rf"<{_ITEM_TAG}", re.IGNORECASE)
_LATEX_ITEM = re.compile(r"\\item\b[ \t]*|\\(?:begin|end)\{(?:itemize|enumerate)\}")
_LONE_STOP = re.compile(r"\n[ \t]*[.。,;][ \t]*(?=\n|\Z)")
_ATTRIBUTES = r"(?:\s{1,3}[\w-]{1,30}=(?:\"[^\"<>\n]{0,200}\"|'[^'<>\n]{0,200}'))"
_TAG = re.compile(rf"</?(?!answers?>)[a-z\u4e00-\u9fff][\w-]{{0,20}}{_ATTRIBUTES}{{0,8}}\s?/?>", re.IGNORECASE)
_MEASURED = re.compile(rf"<([a-z][a-z0-9_-]{{0,20}})({_ATTRIBUTES}{{1,8}})>([^<>\n]{{1,60}})</\1>", re.IGNORECASE)
_UNIT = re.compile(r"\b(scale|unit|units|currency)=[\"']([^\"'<>\n]{1,40})[\"']", re.IGNORECASE)
"""The unit of a number in the attributes of its element: <total currency="USD" scale="million">48.36</total>."""
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-f]{1,6}|[a-z]{2,8});", re.IGNORECASE)
_END_OF_TURN = re.compile(r"<\|[a-z_]{1,30}\|>|</s>|<eos>|<(?:end|start)_of_turn>", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"(</?)(?:final[_ -]?answer|final|result|solution|output|response)>", re.IGNORECASE)
_ANSWER_BRACKETS = re.compile(r"\[(/?)answer\](?![:：])(?!\((?:#|[a-z]{2,8}:|\.{0,2}/))", re.IGNORECASE)
_CELLS = re.compile(r"</t[dh]>\s{0,4}<t[dh]>", re.IGNORECASE)
_ADJACENT = re.compile(
    r"</(?!(?:b|i|em|strong|sup|sub|u|code|answers?)>)[a-z][a-z0-9_-]{0,20}>\s{0,4}(?=<[a-z])", re.IGNORECASE
)
"""Between two elements: <first>Lind</first><second>Wu</second>."""
_NEXT_FIELD = re.compile(r"</(?!row>)([a-z][a-z0-9_-]{0,20})>\s{0,4}<(?!\1>)(?!/)[a-z][a-z0-9_-]{0,20}>", re.IGNORECASE)
"""Between two fields of a row: <row><name>Lind</name><count>3</count></row>."""
_TILDES = re.compile(r"^~~~(?=[a-z]{0,10}$)", re.MULTILINE)
_TURN = re.compile(r"\[/?INST\][ \t]?|\A\s*\[assistant\][:：]?[ \t]*", re.IGNORECASE)
_LINK = re.compile(r"(?<!\w)\[([^\[\]\n]{1,300})\]\((?:#|[a-z]{2,8}:|\.{0,2}/)[^()\s]{0,300}\)")
"""A Markdown link: "[Tides](#tides)"."""
_STRUCK = re.compile(r"(?<!~)~~(?!~)[^~]{1,1000}~~(?!~)[ \t]?")
_DETAILS = re.compile(r"\s*<details>.{0,20000}?</details>", re.DOTALL | re.IGNORECASE)
_THOUGHTS = r"(?:think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection)"
_OPENED = re.compile(rf"\A\s*<{_THOUGHTS}>", re.IGNORECASE)
_THOUGHT = re.compile(
    rf"</{_THOUGHTS}>|\[/think(?:ing)?\]|◁/think▷|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
_CHANNEL = "assistantfinal"
"""Separates analysis and answer if a response in channels has lost its special tokens."""
_CALL = re.compile(
    r"[ \t>*`]{0,6}(?:action[:：][ \t]?)?(?:final_answer|submit_answer|submit|finish|print)[ \t]?"
    r"(?:\((?:answer[ \t]?=[ \t]?)?(?P<given>.+)\)|\[(?P<listed>.+)\])[ \t`]*",
    re.IGNORECASE,
)
"""A call that submits the answer, as agents write it: Finish[4], final_answer("4")."""
# "> 4" may also mean more than four, so one line of numbers is not a quote.
_QUOTE = re.compile(
    r"^[ \t]{0,3}(?:>[ \t]?){1,4}(?=[^\s\d=])|^> ?(?=[^\n]*\n> ?)|(?<=\n)(?<!\n\n)> ?|(?<=[:*]\n\n)> ?", re.MULTILINE
)
_UNCHECKED = re.compile(r"^[ \t]{0,8}[-*+] \[ ?\] [^\n]*\n?", re.MULTILINE)
_CHECKED = re.compile(r"^([ \t]{0,8}[-*+] )\[[xX✓✔]\][ \t]", re.MULTILINE)


_PLACEHOLDER = re.compile(
    r"(answer[*_ \t]{0,3}[:：][*_ \t]{0,3})<[ \t]?([^<>/\n]{1,300}?)[ \t]?>(?![^\n]*</)", re.IGNORECASE
)
"""An answer in angle brackets, as in the template "Answer: <value>"."""


def without_markup(text: str, hints: KeyHints) -> str:
    """The text without HTML, quote marks and check boxes; of a list with checked boxes only the checked items."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<details" in text:
        text = _DETAILS.sub("", text)
    if "~~" in text:
        text = _STRUCK.sub("", text)
    if "<" in text and not hints.contain("<"):
        text = _MEASURED.sub(_with_unit, _PLACEHOLDER.sub(r"\1\2", text))
        text = _ANSWER_TAG.sub(r"\1answer>", _END_OF_TURN.sub("", text))
        text = _NEXT_FIELD.sub(" | ", text.replace("<row>", "\n")) if "<row>" in text else text
        text = _ADJACENT.sub("\n", _CELLS.sub(" | ", text))
        text = _LONE_STOP.sub("", _TAG.sub("", _BREAK.sub("\n", _ITEM.sub("\n- ", text))))
    if "~~~" in text:
        text = _TILDES.sub("```", text)
    if "[" in text:
        text = _TURN.sub("", text).removesuffix("[EOS]")
        text = _ANSWER_BRACKETS.sub(r"<\1answer>", text)
        text = _LINK.sub(r"\1", text) if "](" in text else text
    if "\\item" in text:
        text = _LATEX_ITEM.sub(lambda match: "\n- " if match[0].startswith("\\item") else "\n", text)
    if "&" in text and ";" in text and _ENTITY.search(text) and not any(map(_ENTITY.search, hints.spellings)):
        text = unescape(text).replace("\xa0", " ")
    if ">" in text:
        text = _QUOTE.sub("", text)
    if "[" in text and _CHECKED.search(text):
        text = _CHECKED.sub(r"\1", _UNCHECKED.sub("", text))
    return text


def _with_unit(element: re.Match[str]) -> str:
    """An element with the unit that its attributes give behind its number."""
    units = {name.lower().removesuffix("s"): unit for name, unit in _UNIT.findall(element[2])}
    stated = " ".join([element[3].strip(), *(units[name] for name in ("scale", "unit", "currency") if name in units)])
    return f"<{element[1]}>{stated}</{element[1]}>"


def without_thoughts(text: str) -> str:
    """The text after the thoughts that some models print before their response; thoughts that break off have none."""
    end = 0
    for match in _THOUGHT.finditer(text):
        end = match.end()
    return "" if not end and _OPENED.match(text) else text[end:]


def without_call(text: str) -> str:
    """The text with a call on its last line that submits the answer as "Answer: 4"; the answer of lost channels."""
    if text.startswith(("analysis", _CHANNEL)) and _CHANNEL in text:
        text = text[text.rfind(_CHANNEL) + len(_CHANNEL) :]
    text = text.rstrip()
    start = text.rfind("\n") + 1
    call = _CALL.fullmatch(text, start)
    if not call:
        return text
    given = (call["given"] or call["listed"]).strip()
    string = parsed(given) if given[0] == '"' else ABSENT
    if isinstance(string, str):
        given = string
    elif len(given) > 2 and given[0] == given[-1] == "'":
        given = given[1:-1]
    return f"{text[:start]}Answer: {given}"


_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u200e\u200f\ufe0f"))
_KEYCAP_ITEM = re.compile("^([ \t*_-]{0,8}[0-9]{1,2})\ufe0f?\u20e3[ \t]+(?!and\\b|or\\b)(?=[^\\W\\d_])", re.MULTILINE)
_KEYCAP = re.compile("([0-9])\ufe0f?\u20e3")


def without_signs(text: str) -> str:
    """The text without invisible characters; a digit on a keycap is a digit, and at the
    beginning of several lines the number of an item."""
    if "\u20e3" in text:
        text = _KEYCAP.sub(r"\1", _KEYCAP_ITEM.sub(r"\1. ", text) if text.count("\u20e3") > 1 else text)
    return text.translate(_INVISIBLE)


_HEADING = re.compile(r"#{1,6}[ \t]+(?=\S)")
_POINTERS = re.compile(r"(?:=>|⇒|->|→|➡|➜|∴|►|▶)[ \t]*(?=[^\s=>])")
_PICTURES = re.compile(r"(?:[\U0001f300-\U0001faff\u2600-\u2716\u2719-\u274b\u274d-\u27bf\u2b50][ \t]*){1,3}(?=[^\s])")
_ENDING = re.compile(
    r"[ \t]*(?:[\U0001f300-\U0001faff\u2600-\u2712\u2714\u2716-\u274b\u274d-\u27bf\u2b50][ \t]*){1,3}\Z"
)


def undecorated(text: str, hints: KeyHints) -> str:
    """The text without a heading mark, an arrow or a picture before each of its lines ("# 17", "=> 17", "🎯 17")."""
    if text[:1].isalnum() and text.isascii():
        return text
    for pattern in (_HEADING, _POINTERS, _PICTURES):
        if pattern.match(text):
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            found = [pattern.match(line) for line in lines]
            if all(found):
                text = "\n".join(line[match.end() :] for line, match in zip(lines, found, strict=True) if match)
    return text if text.isascii() else _ENDING.sub("", text)

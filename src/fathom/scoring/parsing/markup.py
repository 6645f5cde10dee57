"""Removes HTML, Markdown quotes and check boxes around the lines of a response."""

from __future__ import annotations

import re
from html import unescape

from fathom.scoring.parsing.key_hints import KeyHints

_BREAK = re.compile(r"<br ?/?>|</(?:p|div|li|tr|ul|ol|h[1-6])>", re.IGNORECASE)
_ITEM = re.compile(r"<li>", re.IGNORECASE)
_LONE_STOP = re.compile(r"\n[ \t]*[.。,;][ \t]*(?=\n|\Z)")
_TAG = re.compile(r"</?(?:b|i|u|em|strong|code|pre|p|div|ul|ol|span|sub|sup|h[1-6])>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-f]{1,6}|[a-z]{2,8});", re.IGNORECASE)
_END_OF_TURN = re.compile(r"<\|[a-z_]{1,30}\|>|</s>|<eos>|<(?:end|start)_of_turn>", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"(</?)(?:final[_ -]?answer|result|solution|output|response)>", re.IGNORECASE)
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~[ \t]?")
_THOUGHT = re.compile(
    r"</(?:think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection)>|\[/think(?:ing)?\]|◁/think▷",
    re.IGNORECASE,
)
# "> 4" may also mean more than four, so that one line of numbers is no quote.
_QUOTE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?){1,4}(?=[^\s\d=])|^> ?(?=[^\n]*\n> ?)|(?<=\n)(?<!\n\n)> ?", re.MULTILINE)
_UNCHECKED = re.compile(r"^[ \t]{0,8}[-*+] \[ ?\] [^\n]*\n?", re.MULTILINE)
_CHECKED = re.compile(r"^([ \t]{0,8}[-*+] )\[[xX✓✔]\][ \t]", re.MULTILINE)


def without_markup(text: str, hints: KeyHints) -> str:
    """The text without HTML, quote marks and check boxes; of a list with checked boxes only the checked items."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "~~" in text:
        text = _STRUCK.sub("", text)
    if "<" in text and not hints.contain("<"):
        text = _ANSWER_TAG.sub(r"\1answer>", _END_OF_TURN.sub("", text))
        text = _LONE_STOP.sub("", _TAG.sub("", _BREAK.sub("\n", _ITEM.sub("\n- ", text))))
    if "&" in text and ";" in text and _ENTITY.search(text) and not any(map(_ENTITY.search, hints.spellings)):
        text = unescape(text)
    if ">" in text:
        text = _QUOTE.sub("", text)
    if "[" in text and _CHECKED.search(text):
        text = _CHECKED.sub(r"\1", _UNCHECKED.sub("", text))
    return text


def without_thoughts(text: str) -> str:
    """The text after the thoughts that some models print before their response."""
    end = 0
    for match in _THOUGHT.finditer(text):
        end = match.end()
    return text[end:]

"""Chunks of code in R Markdown, Quarto and Sweave files: what the source shows of them, without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

_NAMES = (".rmd", ".rmarkdown", ".qmd")

_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*\{(?P<language>[A-Za-z]\w*)(?P<options>[\s,][^`]*)?\}[ \t]*$")
_CHUNK_OPTION = re.compile(r"[ \t]*(?:#|//|--|%%)\|[ \t]?(?P<option>.*)$")
"""An option in the first lines of a chunk: "#| echo: false"."""
_HIDDEN = re.compile(r"\b(?:echo|include)\s*[=:]\s*(?:F|FALSE|false|no)\b", re.IGNORECASE)
_SHOWN = re.compile(r"\becho\s*[=:]\s*(?:T|TRUE|true|fenced)\b", re.IGNORECASE)
_ALL_HIDDEN = re.compile(
    r"opts_chunk\$set\([^()]{0,500}\becho\s*=\s*F(?:ALSE)?\b"
    r"|^[ \t]*echo[ \t]*:[ \t]*false[ \t]*$"
    r"|\\SweaveOpts\{[^{}]{0,300}\becho\s*=\s*F(?:ALSE)?\b",
    re.IGNORECASE | re.MULTILINE,
)
_CAPTION = re.compile(r"""\bfig[.-]cap\s*[=:]\s*(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote)).){1,1000})(?P=quote)""")
_SWEAVE_START = re.compile(r"[ \t]*<<(?P<options>[^<>]*)>>=[ \t]*$")
_SWEAVE_END = re.compile(r"[ \t]*@(?:[ \t].*)?$")


def has_markdown_chunks(name: str) -> bool:
    """Return whether a file is R Markdown or Quarto, by its name."""
    return name.lower().endswith(_NAMES)


def shown_markdown(text: str) -> str:
    """Return R Markdown or Quarto with the code that readers see as plain fences, and with captions of figures.

    Code that is not shown (`echo=FALSE`, `include=FALSE`) is left out. Results are not part of the source.
    """
    hidden = _all_hidden(text)
    lines, result = iter(text.split("\n")), list[str]()
    for line in lines:
        fence = _FENCE.match(line)
        if fence is None:
            result.append(line)
            continue
        end = re.compile(rf"[ \t>]*{re.escape(fence['fence'])}[{fence['fence'][0]}]*[ \t]*$")
        options, code = _options(fence["options"] or "", _lines_until(end, lines))
        if _is_shown(options, hidden):
            result += [f"{fence['fence']}{fence['language']}", *code, fence["fence"]]
        result += _captions(options)
    return "\n".join(result)


def shown_latex(text: str) -> str:
    """Return a Sweave or knitr file (.Rnw) as LaTeX: the code that readers see is verbatim, and other code left out."""
    hidden = _all_hidden(text)
    lines, result = iter(text.split("\n")), list[str]()
    for line in lines:
        start = _SWEAVE_START.match(line)
        if start is None:
            result.append(line)
            continue
        options, code = _options(start["options"], _lines_until(_SWEAVE_END, lines))
        if _is_shown(options, hidden):
            result += ["\\begin{verbatim}", *code, "\\end{verbatim}"]
    return "\n".join(result)


def _lines_until(end: re.Pattern[str], lines: Iterator[str]) -> list[str]:
    """Return the lines before the first one that matches, which is consumed too."""
    return list(takewhile(lambda line: not end.match(line), lines))


def _all_hidden(text: str) -> bool:
    """Return whether code is hidden unless a chunk says otherwise."""
    return _ALL_HIDDEN.search(text) is not None


def _options(header: str, chunk: list[str]) -> tuple[str, list[str]]:
    """Return the options of a chunk, and its code."""
    options, start = [header], 0
    while start < len(chunk) and (option := _CHUNK_OPTION.match(chunk[start])) is not None:
        options.append(option["option"])
        start += 1
    return "\n".join(options), chunk[start:]


def _is_shown(options: str, hidden: bool) -> bool:
    return not _HIDDEN.search(options) and (not hidden or _SHOWN.search(options) is not None)


def _captions(options: str) -> list[str]:
    caption = _CAPTION.search(options)
    if caption is None:
        return []
    text = re.sub(r"\\(.)", r"\1", caption["text"])
    return ["", f"Figure: {text}", ""]

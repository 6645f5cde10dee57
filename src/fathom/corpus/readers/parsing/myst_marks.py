"""Whether a Markdown file is written in MyST, which has its own reader."""

from __future__ import annotations

import re

_FRONT_MATTER = rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:title|authors?|abstract|exports):"
# The name is on the line of the fence: a line of code may start with a brace, too.
_DIRECTIVE = rb"(?m:^[ \t]{0,3}(?::{3,}|`{3,})[ \t]*\{[\w:-]{1,40}\})"
_CITATION = rb"\{cite(?::\w{1,10})?\}`|\[-?@[\w:.-]{1,80}[\];,]"
_MYST = re.compile(b"|".join((_FRONT_MATTER, _DIRECTIVE, _CITATION)))


def is_myst(name: str, head: bytes) -> bool:
    """Return whether a Markdown file has front matter, directives, roles or citations of MyST."""
    return name.lower().endswith((".md", ".myst")) and _MYST.search(head) is not None

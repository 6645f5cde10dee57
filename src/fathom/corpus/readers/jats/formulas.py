"""JATS formulas as one line of text."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsing.xml_trees import Element

MATHML = "{http://www.w3.org/1998/Math/MathML}"
_SPACED = frozenset("=<>≤≥≠≈≡∼≃≅∝→←↔⇒⇔+−±×·∈∪∩≪≫∣")
_TOKENS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
_HIDDEN = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))
_LAID_OUT = frozenset(
    ("mfrac", "msup", "msub", "munder", "mover", "msubsup", "munderover", "msqrt", "mroot", "mfenced", "mtable", "mtr")
)
"""Elements whose parts are not just printed one after the other."""
_ATOMIC = re.compile(r"\w*|[−-]?\d+(?:\.\d+)?|\W")


def formula(element: Element) -> str:
    """Return a formula in TeX if the source has it, else as plain text; empty if it is only an image."""
    tex = next(element.iter("tex-math"), None)
    if tex is not None:
        return _tex("".join(tex.itertext()))
    math = next(element.iter(MATHML + "math"), None)
    return _math(math) if math is not None else ""


def _tex(source: str) -> str:
    """Return TeX between dollar signs, without the preamble that some publishers add to each formula."""
    _, begun, rest = source.partition(r"\begin{document}")
    body = rest.partition(r"\end{document}")[0] if begun else source
    body = " ".join(body.split()).strip("$ ")
    return f"${body}$" if body else ""


def _math(element: Element) -> str:
    """Return MathML as text: fractions with "/", subscripts with "_" and superscripts with "^"."""
    tag = element.tag.rpartition("}")[2]
    if tag in _TOKENS:
        # Most tokens are single letters: keep this path fast.
        text = "".join(element.itertext()) if len(element) else element.text or ""
        text = text if len(text) == 1 and not text.isspace() else " ".join(text.split())
        return f" {text} " if tag == "mo" and text in _SPACED else text
    if tag in _HIDDEN:
        return ""
    if tag == "mspace":
        return " "
    parts = [_math(child) for child in element]
    if tag in _LAID_OUT:
        return _layout(tag, element, parts)
    text = "".join(parts)
    return " ".join(text.split()) if tag == "math" else text


def _layout(tag: str, element: Element, parts: list[str]) -> str:
    """Combine the parts of a formula according to its element."""
    match tag, parts:
        case "mfrac", [above, below]:
            return f"{_grouped(above)}/{_grouped(below)}"
        case "msup", [base, rowspan]:
            return _with_scripts(base, ("^", rowspan))
        case "msub" | "munder", [base, low]:
            return _with_scripts(base, ("_", low))
        case "mover", [base, rowspan]:
            return base + rowspan if len(rowspan.strip()) == 1 else _with_scripts(base, ("^", rowspan))
        case "msubsup" | "munderover", [base, low, rowspan]:
            return _with_scripts(base, ("_", low), ("^", rowspan))
        case "msqrt", _:
            return f"√({''.join(parts)})"
        case "mroot", [inner, degree]:
            return f"({inner})^(1/{degree})"
        case "mfenced", _:
            return f"{element.get('open', '(')}{', '.join(parts)}{element.get('close', ')')}"
        case "mtable", _:
            return "; ".join(parts)
        case "mtr", _:
            return ", ".join(parts)
    return "".join(parts)


def _with_scripts(base: str, *scripts: tuple[str, str]) -> str:
    # eLife writes "Ca" as text and only its charge as a formula with an empty base.
    if not base.strip():
        return "".join(script for _, script in scripts)
    return base + "".join(sign + _grouped(script) for sign, script in scripts if script.strip())


def _grouped(part: str) -> str:
    """Put a part in parentheses if it has several tokens."""
    part = part.strip()
    return part if len(part) == 1 or _ATOMIC.fullmatch(part) else f"({part})"

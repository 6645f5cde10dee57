"""Formulas of JATS written out in a line."""

from __future__ import annotations

import re

from fathom.corpus.readers.jats.xml_parsing import Element

MATHML = "{http://www.w3.org/1998/Math/MathML}"
_SPACED = frozenset("=<>≤≥≠≈≡∼≃≅∝→←↔⇒⇔+−±×·∈∪∩≪≫∣")
_SIGNS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
_UNSEEN = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))
_WHOLE = re.compile(r"\w*|[−-]?\d+(?:\.\d+)?|\W")


def formula(element: Element) -> str:
    """A formula in TeX where the source has it so, else written out in a line; empty where it is only a picture."""
    tex = next(element.iter("tex-math"), None)
    if tex is not None:
        return _tex("".join(tex.itertext()))
    math = next(element.iter(MATHML + "math"), None)
    return _math(math) if math is not None else ""


def _tex(source: str) -> str:
    """TeX between dollar signs, without the preamble that some publishers put before each formula."""
    _, begun, rest = source.partition(r"\begin{document}")
    body = rest.partition(r"\end{document}")[0] if begun else source
    body = " ".join(body.split()).strip("$ ")
    return f"${body}$" if body else ""


def _math(element: Element) -> str:
    """MathML written out in a line: fractions with a stroke, indices with "_" and exponents with "^"."""
    tag = element.tag.rpartition("}")[2]
    if tag in _SIGNS:
        # A formula is mostly single letters, so that what they cost is what formulas cost.
        text = "".join(element.itertext()) if len(element) else element.text or ""
        text = text if len(text) == 1 and not text.isspace() else " ".join(text.split())
        return f" {text} " if tag == "mo" and text in _SPACED else text
    if tag in _UNSEEN:
        return ""
    if tag == "mspace":
        return " "
    parts = [_math(child) for child in element]
    return " ".join(_arranged(tag, element, parts).split()) if tag == "math" else _arranged(tag, element, parts)


def _arranged(tag: str, element: Element, parts: list[str]) -> str:
    """The parts of a formula as its construction wants them."""
    match tag, parts:
        case "mfrac", [above, below]:
            return f"{_held(above)}/{_held(below)}"
        case "msup", [base, high]:
            return _attached(base, ("^", high))
        case "msub" | "munder", [base, low]:
            return _attached(base, ("_", low))
        case "mover", [base, high]:
            return base + high if len(high.strip()) == 1 else _attached(base, ("^", high))
        case "msubsup" | "munderover", [base, low, high]:
            return _attached(base, ("_", low), ("^", high))
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


def _attached(base: str, *scripts: tuple[str, str]) -> str:
    # eLife writes "Ca" in letters and only the charge as a formula with an empty base.
    if not base.strip():
        return "".join(script for _, script in scripts)
    return base + "".join(sign + _held(script) for sign, script in scripts if script.strip())


def _held(part: str) -> str:
    """In brackets where it would come apart."""
    part = part.strip()
    return part if len(part) == 1 or _WHOLE.fullmatch(part) else f"({part})"

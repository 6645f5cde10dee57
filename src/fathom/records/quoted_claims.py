"""Claims and evidence as quotes: the form of responses, and of annotation files in the format of CLAIM-BENCH."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from pydantic import JsonValue

from fathom.records.documents import ClaimType, EvidenceType, Level, NoEvidenceReason, Polarity, Strength


@dataclass(frozen=True)
class QuotedEvidence:
    """A quote that supports or contradicts a claim."""

    quote: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    """`polarity`, `type`, `strength`, `limitations` and `note`, if they are given."""
    position: float | None = None
    """Where it is in the text that it was marked in, as a share of that text; None if that is not known."""

    def __hash__(self) -> int:
        return hash((self.quote, self.position))


@dataclass(frozen=True)
class QuotedClaim:
    """A quoted claim with the quotes of its evidence."""

    quote: str
    evidence: tuple[QuotedEvidence, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    """`type`, `justified`, `robustness`, `confidence`, `conclusion`, `no_evidence_reason`, `note`, if given."""
    position: float | None = None


CLAIM_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "type": get_args(ClaimType),
    "justified": ("yes", "no"),
    "robustness": get_args(Level),
    "confidence": get_args(Level),
}
"""Attributes of a claim that have a closed set of values."""
EVIDENCE_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "polarity": get_args(Polarity),
    "type": get_args(EvidenceType),
    "strength": get_args(Strength),
}
"""Attributes of evidence that have a closed set of values."""
REASONS: tuple[str, ...] = get_args(NoEvidenceReason)
"""Reasons without evidence that can be compared as they are; others are free texts."""

_QUOTE_NAMES = ("quote", "exact_quote", "claim_quote", "evidence_quote", "quotation")
_TEXT_NAMES = ("text", "claim_text", "evidence_text", "claim", "evidence", "sentence", "statement")
"""Names of fields with a quote; the second ones only where there is none of the first, since they may paraphrase."""
_EVIDENCE_LISTS = ("evidence", "evidences", "evidence_sets")
_LISTS = ("claims", "analysis", "results", "annotations", "items")
_CLAIM_FIELDS: Mapping[str, tuple[str, ...]] = {
    "type": ("type", "claim_type", "category"),
    "justified": ("justified", "conclusion_justified", "is_justified", "justification_conclusion"),
    "robustness": ("robustness", "robustness_level"),
    "confidence": ("confidence", "confidence_level"),
    "conclusion": ("conclusion", "author_conclusion", "authors_conclusion"),
    "no_evidence_reason": ("no_evidence_reason", "reason"),
    "note": ("note", "notes"),
}
_EVIDENCE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "polarity": ("polarity", "stance", "relation", "direction"),
    "type": ("type", "evidence_type"),
    "strength": ("strength", "evidence_strength"),
    "limitations": ("limitations", "limitation", "key_limitations"),
    "note": ("note", "notes"),
}
_STEMS = {
    "method": "methodology", "result": "result", "finding": "result", "contribut": "contribution",
    "perform": "performance", "support": "supports", "contradict": "contradicts", "refut": "contradicts",
    "oppos": "contradicts", "against": "contradicts", "primar": "primary", "second": "secondary",
    "true": "yes", "yes": "yes", "false": "no", "no": "no", "not": "no", "partial": "no", "unjustified": "no",
    "justified": "yes",
}  # fmt: skip
"""Beginnings of words, and the value that they mean."""


_NOTHING = re.compile(
    r"(?:none|nothing|null|nil|n/?a|-+|not (?:applicable|available|stated|mentioned|given|reported|known)"
    r"|unknown|no (?:limitations?|conclusions?|evidence)(?: (?:is|are|was|were))?(?: \w+)?)\W*",
    re.IGNORECASE,
)
"""Texts that say that there is nothing to say."""


def read_claims(value: JsonValue) -> tuple[QuotedClaim, ...] | None:
    """The claims of a JSON value, with the names of this family or those of CLAIM-BENCH; None if it has no list.

    Evidence and conclusions may also be in lists of their own that refer to claims by `claim_id`.
    """
    entries = _entries(value)
    if entries is None:
        return None
    is_list_of_claims = not (isinstance(value, dict) and entries == [value])
    evidence = _by_claim(value, _EVIDENCE_LISTS) if is_list_of_claims else {}
    conclusions = _by_claim(value, ("conclusions",))
    claims = []
    for number, entry in enumerate(entries, start=1):
        fields: dict[str, JsonValue] = entry if isinstance(entry, dict) else {"quote": entry}
        id = _id(fields) or str(number)
        merged_fields = with_normal_names(fields)
        for linked_evidence in conclusions.get(id, ()):
            merged_fields |= linked_evidence
        if (claim := _claim(merged_fields)) is None:
            continue
        for linked_evidence in evidence.get(id, ()):
            reason = _attributes(linked_evidence, {"no_evidence_reason": _CLAIM_FIELDS["no_evidence_reason"]}, {})
            claim = replace(
                claim,
                evidence=(*claim.evidence, *_evidence(_inner_evidence(linked_evidence, linked_evidence))),
                attributes={**claim.attributes, **reason},
            )
        claims.append(claim)
    return tuple(claims)


def has_claims(value: JsonValue) -> bool:
    """Whether a JSON value has a list of claims, which may be empty."""
    return _entries(value) is not None


def read_evidence(value: JsonValue) -> tuple[QuotedEvidence, ...]:
    """The quotes of a list, each a string or an object."""
    return tuple(_evidence(value))


def _entries(value: JsonValue) -> list[JsonValue] | None:
    if isinstance(value, dict):
        fields = with_normal_names(value)
        entries = next((fields[name] for name in _LISTS if isinstance(fields.get(name), list)), None)
        if isinstance(entries, list):
            return entries
        return [value] if any(name in fields for name in (*_QUOTE_NAMES, "claim_text", "claim")) else None
    return value if isinstance(value, list) else None


def _by_claim(value: JsonValue, names: Iterable[str]) -> dict[str, list[dict[str, JsonValue]]]:
    """The objects of lists beside the claims, by the claim that they refer to.

    Objects without a reference belong to claims by their place, unless they are single pieces of evidence.
    """
    objects: dict[str, list[dict[str, JsonValue]]] = {}
    fields = with_normal_names(value) if isinstance(value, dict) else {}
    for items in (fields.get(name) for name in names):
        for number, item in enumerate(items if isinstance(items, list) else (), start=1):
            entry = with_normal_names(item) if isinstance(item, dict) else {}
            id = _id(entry) or ("" if _quote(entry) else str(number))
            if entry and id:
                objects.setdefault(id, []).append(entry)
    return objects


def _id(entry: Mapping[str, JsonValue]) -> str:
    id = with_normal_names(dict(entry)).get("claim_id")
    return "" if id is None else str(id)


def _inner_evidence(entry: Mapping[str, JsonValue], otherwise: JsonValue) -> JsonValue:
    """The list of evidence in an object."""
    return next((entry[name] for name in _EVIDENCE_LISTS if entry.get(name) is not None), otherwise)


def with_normal_names(entry: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The object with its names in lower case and underscores in place of spaces."""
    return {name.strip().lower().replace(" ", "_"): value for name, value in entry.items()}


def _claim(entry: dict[str, JsonValue]) -> QuotedClaim | None:
    """The claim of an object; its parts may be in objects of their own: {"claim": {...}, "evaluation": {...}}."""
    for name in ("claim", "evaluation", "conclusion"):
        inner = entry.get(name)
        if isinstance(inner, dict):
            entry = {**{key: part for key, part in entry.items() if key != name}, **with_normal_names(inner)}
    evidence = _inner_evidence(entry, entry.get("evidence_text"))
    quote = _quote({name: part for name, part in entry.items() if not name.startswith("evidence")})
    attributes = _attributes(entry, _CLAIM_FIELDS, CLAIM_ATTRIBUTES)
    return QuotedClaim(quote, tuple(_evidence(evidence)), attributes) if quote else None


def _evidence(value: JsonValue) -> Iterator[QuotedEvidence]:
    for item in value if isinstance(value, list) else [value]:
        entry = with_normal_names(item) if isinstance(item, dict) else {"quote": item}
        if quote := _quote(entry):
            yield QuotedEvidence(quote, _attributes(entry, _EVIDENCE_FIELDS, EVIDENCE_ATTRIBUTES))


def _quote(entry: Mapping[str, JsonValue]) -> str:
    texts = (entry.get(name) for name in (*_QUOTE_NAMES, *_TEXT_NAMES))
    return next((part.strip() for part in texts if isinstance(part, str) and part.strip()), "")


def _attributes(
    entry: Mapping[str, JsonValue], fields: Mapping[str, tuple[str, ...]], closed: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for attribute, names in fields.items():
        raw = next((entry[name] for name in names if entry.get(name) not in (None, "", [], {})), None)
        if isinstance(raw, str | bool):
            text = str(raw).strip()
            if attribute in closed:
                attributes[attribute] = _value(text, closed[attribute])
            elif not _NOTHING.fullmatch(text):
                attributes[attribute] = text
    return attributes


def _value(text: str, values: tuple[str, ...]) -> str:
    """The value that a text means; the text itself if it means none."""
    words = text.lower().split()
    first = words[0].strip(".,;:") if words else ""
    if first in values:
        return first
    by_stem = next((value for stem, value in _STEMS.items() if first.startswith(stem)), None)
    return by_stem if by_stem in values else text


def merged(claims: Iterable[QuotedClaim]) -> tuple[QuotedClaim, ...]:
    """The claims, each once: some files have an entry for each pair of a claim and its evidence."""
    by_quote: dict[str, QuotedClaim] = {}
    for claim in claims:
        words = " ".join(claim.quote.split())
        earlier = by_quote.get(words)
        new = [evidence for evidence in claim.evidence if earlier is None or evidence not in earlier.evidence]
        by_quote[words] = claim if earlier is None else replace(earlier, evidence=(*earlier.evidence, *new))
    return tuple(by_quote.values())

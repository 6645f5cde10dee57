"""Proposes a pack from the facts that recur in the documents of a corpus."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from fathom.corpus.store import Corpus
from fathom.records.documents import Document, Fact
from fathom.records.errors import FathomError
from fathom.tasks.tables.pack import Kind

MIN_SHARE = 0.5
"""A fact is proposed as a field if this share of the documents with facts states it."""
FEWEST_DOCUMENTS = 4
MOST_FIELDS = 40

_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CURRENCY = re.compile(r"[A-Z]{3}(?:/.*)?")


@dataclass
class _Recurring:
    """One attribute over all documents."""

    documents: set[str] = field(default_factory=set)
    units: Counter[str] = field(default_factory=Counter)
    whole: bool = True
    """Whether all values are whole numbers."""
    periods: bool = False


def draft_pack(corpus: Corpus, name: str) -> str:
    """The TOML text of a pack with a field for every fact that recurs; its nouns are to be revised by a person."""
    recurring: dict[str, _Recurring] = defaultdict(_Recurring)
    documents = 0
    for document in corpus.documents():
        facts = [fact for fact in document.facts if not fact.part and fact.value is not None]
        documents += bool(facts)
        for fact in facts:
            _note(recurring[_in_any_namespace(fact.attribute)], fact, document)
    least = max(FEWEST_DOCUMENTS, MIN_SHARE * documents)
    chosen = sorted(
        (attribute for attribute, found in recurring.items() if len(found.documents) >= least),
        key=lambda attribute: (-len(recurring[attribute].documents), attribute),
    )[:MOST_FIELDS]
    if len(chosen) < 2:
        raise FathomError(
            f"No two facts recur in half of the documents with facts ({documents} of {len(corpus)}). "
            "Facts come from iXBRL filings, from JSON, and from generated reports."
        )
    return "\n".join(_lines(name, chosen, recurring))


def _in_any_namespace(attribute: str) -> str:
    """ "core:Equity" and "ns5:Equity" are the same concept: filings choose the prefixes themselves."""
    return f"*:{attribute.rpartition(':')[2]}" if re.fullmatch(r"[\w-]+:\w+", attribute) else attribute


def _note(found: _Recurring, fact: Fact, document: Document) -> None:
    assert fact.value is not None
    found.documents.add(document.id)
    found.units[fact.unit] += 1
    found.whole = found.whole and fact.value == fact.value.to_integral()
    found.periods = found.periods or (bool(fact.period) and document.year is not None)


def _lines(name: str, chosen: list[str], recurring: dict[str, _Recurring]) -> Iterator[str]:
    yield "# A draft: correct the nouns, remove what nobody would ask about, and add metrics such as"
    yield "#     [metrics.margin]"
    yield '#     formula = "profit / revenue"'
    yield "#     percent = true"
    yield '#     en = ["margin"]'
    yield ""
    yield f'name = "{name}"'
    yield 'summary = "Drafted from the facts of a corpus"'
    yield 'en = { noun = "entity", plural = "entities" }'
    if any(recurring[attribute].periods for attribute in chosen):
        yield 'period = { en = ["year"] }'
    taken: set[str] = set()
    for attribute in chosen:
        field_name, noun = _names(attribute)
        if field_name in taken:
            continue
        taken.add(field_name)
        kind = _kind(recurring[attribute])
        yield ""
        yield f"[fields.{field_name}]  # in {len(recurring[attribute].documents)} documents"
        yield f'attributes = ["{_escaped(attribute)}"]'
        yield f'kind = "{kind}"'
        if kind not in ("money", "count") or "share" in noun or "median" in noun or "average" in noun:
            yield "additive = false"
        yield f'en = ["{_escaped(noun)}"]'
    yield ""


def _names(attribute: str) -> tuple[str, str]:
    """A field's name and noun: "us-gaap:NetIncomeLoss" is net_income_loss and "net income loss"."""
    words = re.findall(r"[^\W_]+", _CAPITALS.sub(" ", attribute.rpartition(":")[2]))
    plain = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    name = re.sub(r"[^a-z0-9_]", "", "_".join(plain).lower()).strip("_") or "field"
    # A heading with words, such as "Area, total", is a noun as it is.
    noun = attribute[0].lower() + attribute[1:] if " " in attribute else " ".join(plain)
    return (name if name[0].isalpha() else f"f_{name}")[:60], noun or attribute


def _kind(found: _Recurring) -> Kind:
    unit = found.units.most_common(1)[0][0]
    if _CURRENCY.fullmatch(unit):
        return "money"
    if unit == "%":
        return "percent"
    return "count" if found.whole and unit in ("", "persons", "shares") else "number"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')

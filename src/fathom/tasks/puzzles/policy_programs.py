"""Programs over policies: what a household is entitled to, what it receives, and until when it can appeal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from random import Random

from fathom.corpus.generated.prose.policy import CATEGORIES
from fathom.records.documents import Document
from fathom.tasks.puzzles.evaluate import to_date
from fathom.tasks.puzzles.tree import (
    DATE,
    Choose,
    Compute,
    GivenValue,
    Lookup,
    Node,
    Override,
    Owner,
    Value,
    format_number,
    iso_date,
    nodes,
)

RULES = ("seasonal", "children", "income", "fee")
"""The rules that can apply to a household in addition to the base amount."""


class PolicyComposer:
    """Composes programs about invented households."""

    def __init__(self, document: Document, rng: Random) -> None:
        self._rng = rng
        self._categories = CATEGORIES[document.language]
        self._schemes = list(dict.fromkeys(fact.entity for fact in document.facts if fact.attribute == "large"))
        self._offices = {fact.entity: fact.name for fact in document.facts if fact.attribute == "office"}
        self._currency = next(fact.unit for fact in document.facts if fact.attribute == "threshold")
        self._values = {(fact.entity, fact.attribute): fact.value for fact in document.facts}

    def programs(self) -> Iterator[Node]:
        """An endless sequence of programs of all forms in turn."""
        while True:
            yield self._entitlement()
            yield self._appeal()
            yield self._entitlement()

    def _entitlement(self) -> Node:
        """The sum that a household receives, with some of the rules that can apply."""
        rng = self._rng
        scheme = self._scheme(described=rng.random() < 0.4)
        rules = {rng.choice(("children", "income", "fee"))} | set(rng.sample(RULES, rng.randint(0, 2)))
        program: Node = self._basis(scheme)
        if "seasonal" in rules:
            reduced = Compute(sign="% of", left=_lookup("seasonal", scheme), right=program, named="share")
            program = Override(exception=reduced, general=program, named="share")
        if "children" in rules:
            children = GivenValue(value=Value(number=Decimal(rng.randint(2, 3)), unit="children"))
            supplements = Compute(sign="*", left=_lookup("child", scheme), right=children, named="supplements")
            sum_name = "entitlement" if rules & {"income", "fee"} else "payment"
            program = Compute(sign="+", left=program, right=supplements, named=sum_name)
        if "income" in rules:
            income = Decimal(int(self._value(scheme, "threshold")) + rng.randrange(600, 7_000, 100))
            income_value = GivenValue(value=Value(number=income, unit=self._currency))
            excess = Compute(sign="-", left=income_value, right=_lookup("threshold", scheme), named="excess")
            reduction = Compute(sign="% of", left=_lookup("taper", scheme), right=excess, named="reduction")
            program = Compute(sign="-", left=program, right=reduction, named="payment")
        if "fee" in rules:
            fee = Lookup(attribute="fee", of=_lookup("office", scheme))
            program = Compute(sign="-", left=program, right=fee, named="paid")
        return program

    def _scheme(self, described: bool) -> Node:
        """A scheme, by its name or by the office that is responsible for it."""
        name = self._rng.choice(self._schemes)
        if not described:
            return GivenValue(value=Value(name=name))
        return Owner(attribute="office", name=GivenValue(value=Value(name=self._offices[name])))

    def _basis(self, scheme: Node) -> Node:
        """The base amount for the size of the household on the day of filing."""
        small, large = (GivenValue(value=Value(name=name)) for name in self._categories)
        size = int(self._value(scheme, "large"))
        members = GivenValue(value=Value(number=Decimal(max(4, size + self._rng.randint(-1, 1))), unit="members"))
        category = Choose(left=members, right=_lookup("large", scheme), then=large, otherwise=small, named="category")
        base = Lookup(attribute="base", of=scheme, part=category)
        start = to_date(self._value(scheme, "effective"))
        day = start + timedelta(days=self._rng.choice((-40, -12, -3, 0, 1, 9, 33, 80)))
        filed = GivenValue(value=Value(number=Decimal(day.year * 10_000 + day.month * 100 + day.day), unit=DATE))
        amended = Lookup(attribute="amended", of=scheme, part=category)
        return Choose(left=filed, right=_lookup("effective", scheme), then=amended, otherwise=base, named="basis")

    def _appeal(self) -> Node:
        """The last day on which a household can appeal."""
        scheme = self._scheme(described=True)
        start = to_date(self._value(scheme, "effective"))
        day = start + timedelta(days=self._rng.randint(5, 200))
        filed = GivenValue(value=Value(number=Decimal(day.year * 10_000 + day.month * 100 + day.day), unit=DATE))
        decided = Compute(sign="days later", left=filed, right=_lookup("decision", scheme), named="decided")
        return Compute(sign="days later", left=decided, right=_lookup("appeal", scheme), named="last_day")

    def _value(self, scheme: Node, attribute: str) -> Decimal:
        scheme_of_office = {office: name for name, office in self._offices.items()}
        name = scheme.value.name if isinstance(scheme, GivenValue) else scheme_of_office[_name(scheme)]
        value = self._values[(name, attribute)]
        assert value is not None
        return value


def _name(scheme: Node) -> str:
    """The office that a scheme is described by."""
    assert isinstance(scheme, Owner) and isinstance(scheme.name, GivenValue)
    return scheme.name.value.name


def _lookup(attribute: str, entity: Node) -> Lookup:
    return Lookup(attribute=attribute, of=entity)


def case_sentences(program: Node, case: Mapping[str, str], np: Callable[[Node], str]) -> list[str]:
    """Sentences that describe the case: the given values, and the rules that do not apply."""
    if not case:
        return []
    given_values = {node.value.unit: node.value.number for node in nodes(program) if isinstance(node, GivenValue)}
    lookups = [node for node in nodes(program) if isinstance(node, Lookup)]
    scheme = np(lookups[0].of)
    sentences = [case["filed"].format(e=scheme, value=iso_date(given_values[DATE] or Decimal(0)))]
    if "members" not in given_values:
        return sentences
    currency = next((unit for unit in given_values if unit not in ("", DATE, "members", "children")), "")
    for unit, stated_key, absent_key in (
        ("members", "members", ""),
        ("children", "children", "childless"),
        (currency, "income", "poor"),
    ):
        number = given_values.get(unit) if unit else None
        sentences.append(
            case[stated_key].format(value=format_number(number))
            if number is not None
            else case[absent_key].format(e=scheme)
        )
    seasonal = any(lookup.attribute == "seasonal" for lookup in lookups)
    return [*sentences, case["seasonal" if seasonal else "resident"]]

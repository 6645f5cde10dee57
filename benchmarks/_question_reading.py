"""Answers English questions about companies by their words alone: no program, no proof, no code of the builder.

Where the words mean something else than the program of a key, the answers differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, TypeVar

Lookup = Callable[[str, str, int], Decimal | None]
"""The value of a figure, given the name of a company, the noun of the figure and the fiscal year."""
Test = Callable[[str], bool]
_T = TypeVar("_T")


class NotUnderstoodError(Exception):
    """The question has another form than those that are read here."""


class NotStatedError(Exception):
    """A company does not report a figure that the question needs."""


class Reading(NamedTuple):
    """The answer: names, in order if the question asks for one, or a number. None if no company meets a condition."""

    names: list[str] | None = None
    number: Decimal | None = None


_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SCALES = {"million": Decimal(10**6), "billion": Decimal(10**9)}
_WHEN = r" (?:in|at the end of) fiscal year (?P<year>\d{4})"
_SPAN = r" from (?:the end of )?fiscal year (?P<before>\d{4}) to (?:the end of )?fiscal year (?P<year>\d{4})"
_MEAN = r"the (?:unweighted )?average (?:of the )?(?P<noun>.+?)"
_DEFINITION = re.compile(
    r"(?:The )?(?P<noun>[A-Za-z][a-z-]*(?: [a-z-]+)*?) (?:is|are) (?P<formula>[^.]*(?:\d\.\d[^.]*)*"
    r"(?:divided by| minus | × )[^.]*(?:\d\.\d[^.]*)*)\. "
)
_ENDING = re.compile(
    r" (?:Round to two decimals|Answer (?:as a percentage such as 12\.34%|in percentage points"
    r"|in (?:(?P<scale>million|billion) )?[A-Z]{3})(?:, rounded to two decimals)?)\.$"
)
_MISSING = " Leave out any company that does not report a figure needed here."
_START = re.compile(r"\. (?=(?:List|For how many|For what|Which|What|Over all|Add up|Compare|Take|Among) )")
_POSITIVE = re.compile(
    r"((?:whose|was|were) (.+?(?: in| at the end of) fiscal year \d{4})) (?:(?:was|were) )?positive and "
    r"(?:exceeded|did (?:it|they) exceed)"
)
"""Two conditions on one quantity, which is named once."""
_AMOUNT = re.compile(r"(-?[\d,]+(?:\.\d+)?)(?:%| percentage points)?(?: (million|billion))?(?: [A-Z]{3})?")


def read_question(text: str, companies: Sequence[tuple[str, int]], lookup: Lookup) -> Reading:
    """The answer over these companies, each with the fiscal year of its report."""
    has_gaps = text.endswith(_MISSING)
    text = text.removesuffix(_MISSING)
    ending = _ENDING.search(text)
    scale = _SCALES.get(ending["scale"] or "", Decimal(1)) if ending else Decimal(1)
    text = text[: ending.start()] if ending else text
    scope = re.match(r"Consider the companies whose own report for fiscal year (\d{4}) is among the documents", text)
    if scope is None:
        raise NotUnderstoodError(text)
    definitions = list(_DEFINITION.finditer(text, scope.end()))
    starts = [found.end() for found in _START.finditer(text)]
    body = text[starts[0] :] if starts else ""
    head = text[scope.end() : definitions[0].start() if definitions else starts[0] if starts else None].lower()
    used = [name for name, year in companies if year == int(scope[1]) and name.lower().rstrip(".") not in head]
    formulas = {_plain(found["noun"]): found["formula"] for found in definitions}
    reader = _Reader(used, lookup, formulas, scale, "as a percentage" in (ending[0] if ending else ""), has_gaps)
    for form in (reader.ranking, reader.listing, reader.amount, reader.groups):
        if (found := form(body)) is not None:
            return found
    raise NotUnderstoodError(body)


def _plain(noun: str) -> str:
    noun = noun.strip().removeprefix("the ")
    return noun[:1].lower() + noun[1:]


def _amount(text: str) -> Decimal:
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise NotUnderstoodError(text)
    return Decimal(found[1].replace(",", "")) * _SCALES.get(found[2] or "", Decimal(1))


def _mean(values: Iterable[Decimal]) -> Decimal:
    found = list(values)
    return sum(found, Decimal(0)) / len(found)


@dataclass(frozen=True)
class _Reader:
    """Reads the sentence that asks."""

    companies: Sequence[str]
    lookup: Lookup
    formulas: dict[str, str]
    scale: Decimal
    in_percent: bool
    has_gaps: bool

    # Figures.

    def value(self, company: str, noun: str, year: int) -> Decimal:
        noun = _plain(noun)
        if noun.startswith("("):
            first, *rest = re.split(r" ([−+]) ", noun.strip("()"))
            total = self.value(company, first, year)
            for sign, other in zip(rest[::2], rest[1::2], strict=True):
                total += self.value(company, other, year) * (1 if sign == "+" else -1)
            return total
        if noun in self.formulas:
            return self._computed(company, self.formulas[noun], year)
        found = self.lookup(company, noun, year)
        if found is None:
            raise NotStatedError(f"{company}: {noun} {year}")
        return found

    def _computed(self, company: str, formula: str, year: int) -> Decimal:
        # A year has one end, and figures of other days are not in the documents.
        formula = formula.replace(" at the end of the fiscal year", "")
        if " × " in formula:
            terms = [term.split(" × ") for term in formula.partition(", where ")[0].split(" + ")]
            return sum((Decimal(weight) * self.value(company, noun, year) for weight, noun in terms), Decimal(0))
        if " divided by " in formula:
            over, _, under = formula.partition(" divided by ")
            under, _, unit = under.partition(", in ")
            quotient = self.value(company, over, year) / self.value(company, under, year)
            return quotient * 100 if unit == "percent" else quotient
        first, *rest = re.split(r" minus |, and |, ", formula)
        others = (self.value(company, noun, year) for noun in rest)
        return self.value(company, first, year) - sum(others, Decimal(0))

    def growth(self, company: str, noun: str, before: str, year: str) -> Decimal:
        first, last = self.value(company, noun, int(before)), self.value(company, noun, int(year))
        return (last - first) / first * 100

    def each(self, compute: Callable[[str], _T]) -> list[tuple[str, _T]]:
        found = []
        for company in self.companies:
            try:
                found.append((company, compute(company)))
            except NotStatedError:
                if not self.has_gaps:
                    raise
        return found

    # Conditions.

    def meets(self, text: str) -> Test:
        """Whether a company meets all conditions, such as "whose revenue ... exceeded ..." or "did ... exceed ..."."""
        parts = re.split(r" and (?=whose |(?:did|was|were) )", _POSITIVE.sub(r"\1 positive and did \2 exceed", text))
        tests = [self._test(re.sub(r"^(?:whose|did|was|were) ", "", part)) for part in parts]

        def meets_all(company: str) -> bool:
            # Every figure has to be there, even if the first condition fails.
            met = [test(company) for test in tests]
            return all(met)

        return meets_all

    def _test(self, text: str) -> Test:
        if found := re.fullmatch(
            r"(?P<noun>.+?) (?:grow|grew) by (?P<sign>more|less) than (?P<value>[\d.,]+)%"
            rf"(?:, or (?:did )?not grow,)?{_SPAN}",
            text,
        ):
            noun, before, now = found["noun"], found["before"], found["year"]
            share, sign = Decimal(found["value"]), 1 if found["sign"] == "more" else -1
            return lambda one: sign * (self.growth(one, noun, before, now) - share) > 0
        found = re.fullmatch(rf"(?P<noun>.+?){_WHEN} (?:(?:was|were) )?(?P<sign>exceed(?:ed)?|below|positive|negative)"
                             r"(?: (?P<other>.+?))?", text)  # fmt: skip
        if found is None:
            raise NotUnderstoodError(text)
        noun, year, other = found["noun"], int(found["year"]), found["other"] or "0"
        sign = -1 if found["sign"] in ("below", "negative") else 1
        compared = re.fullmatch(r"(?:their )?(.+) (?:in the same period|on the same date)", other)
        if compared:
            return lambda one: self.value(one, noun, year) > self.value(one, compared[1], year)
        bound = _amount(other)
        return lambda one: sign * (self.value(one, noun, year) - bound) > 0

    # Questions.

    def ranking(self, body: str) -> Reading | None:
        found = re.fullmatch(
            r"Which (?:(?P<count>\w+) )?compan(?:y|ies) had the (?P<end>highest|lowest) (?P<what>.+?)\?"
            r"(?: List them .+)?",
            body,
        )
        if found is None:
            return None
        if grown := re.fullmatch(rf"percentage growth in (?P<noun>.+?){_SPAN}", found["what"]):
            values = self.each(lambda one: self.growth(one, grown["noun"], grown["before"], grown["year"]))
        elif plain := re.fullmatch(rf"(?P<noun>.+?){_WHEN}", found["what"]):
            values = self.each(lambda one: self.value(one, plain["noun"], int(plain["year"])))
        else:
            raise NotUnderstoodError(body)
        ordered = sorted(values, key=lambda pair: pair[1], reverse=found["end"] == "highest")
        return Reading([name for name, _ in ordered[: _NUMBERS.index(found["count"] or "one") + 1]])

    def listing(self, body: str) -> Reading | None:
        if found := re.fullmatch(r"List the companies (whose .+)\.", body):
            return Reading([name for name, met in self.each(self.meets(found[1])) if met])
        if found := re.fullmatch(r"For (how many|what percentage) of these companies (.+)\?", body):
            met = [one for _, one in self.each(self.meets(found[2]))]
            return Reading(number=Decimal(sum(met)) if found[1] == "how many" else Decimal(100 * sum(met)) / len(met))
        return None

    def amount(self, body: str) -> Reading | None:
        everywhere = " over all these companies"
        total = "the (?:sum of|total(?= number))"
        if found := re.fullmatch(
            rf"Over all these companies, what is {total} (?P<over>.+?){_WHEN} divided by {total} (?P<under>.+?) "
            r"(?:in|at the end of) fiscal year (?P=year)\?",
            body,
        ):
            over, under = (self._sum(found[side], found["year"]) for side in ("over", "under"))
            return Reading(number=over / under * (100 if self.in_percent else 1) / self.scale)
        if found := re.fullmatch(rf"What is {total} (?P<noun>.+?){_WHEN}{everywhere}\?", body):
            return Reading(number=self._sum(found["noun"], found["year"]) / self.scale)
        if found := re.fullmatch(rf"What (?:was|were) {_MEAN}{_WHEN} across these companies\?", body):
            noun, year = found["noun"], int(found["year"])
            return Reading(
                number=_mean(one for _, one in self.each(lambda one: self.value(one, noun, year))) / self.scale
            )
        each = r"(?:for|at the end of) fiscal year (\d+)"
        if found := re.fullmatch(
            rf"Add up the (.+?) across all these companies, once {each} and once {each}\. .+", body
        ):
            before, now = (self._sum(found[1], found[place]) for place in (2, 3))
            return Reading(number=(now - before) / before * 100)
        return None

    def _sum(self, noun: str, year: str) -> Decimal:
        return sum((one for _, one in self.each(lambda one: self.value(one, noun, int(year)))), Decimal(0))

    def groups(self, body: str) -> Reading | None:
        """Questions about companies that meet a condition."""
        among = re.fullmatch(rf"Among the companies (?P<test>whose .+?), what (?:was|were) {_MEAN}{_WHEN}\?", body)
        compared = re.fullmatch(
            r"Compare two groups: the companies (?P<test>whose .+?), and all other companies\. "
            rf"Subtract {_MEAN}{_WHEN} of the second group from that of the first group\. What is the difference\?",
            body,
        )
        above = re.fullmatch(
            rf"Take the companies (?P<test>whose .+?), and compute, for this group, {_MEAN}{_WHEN}\. "
            r"(?P<asked>For how many|Then list the) companies in this group (?:did their own|whose own) .+? "
            r"exceed(?:ed)? that average by more than (?P<margin>.+?)[.?]",
            body,
        )
        found = among or compared or above
        if found is None:
            return None
        noun, year, test = found["noun"], int(found["year"]), self.meets(found["test"])
        values = self.each(lambda one: (test(one), self.value(one, noun, year)))
        group = [(name, value) for name, (met, value) in values if met]
        if not group:
            return Reading()
        mean = _mean(value for _, value in group)
        if compared:
            return Reading(number=(mean - _mean(value for _, (met, value) in values if not met)) / self.scale)
        if above is None:
            return Reading(number=mean / self.scale)
        names = [name for name, value in group if value > mean + _amount(above["margin"])]
        return Reading(names) if above["asked"] == "Then list the" else Reading(number=Decimal(len(names)))

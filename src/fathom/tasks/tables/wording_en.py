"""Questions in English. Every sentence has one reading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from fathom.tasks.tables.figures import Year
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.quantities import Quantity
from fathom.tasks.tables.wording import QuantityCondition, with_unit

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_AFTER_HEAD = re.compile(r" (?:(?:of|per|from|in|for|on|with|at|among|to|due)\b|\()")
_PLURAL = re.compile(r"(?:[^sui]s|people|staff)(?: (?:available|occupied|sold|built|held|lost|won|born|\w{2,}ed))?\Z")
"""A plural noun, perhaps with a participle: "beds available", "goals scored"."""
_UNCOUNTABLE = re.compile(
    r"\b(?:revenue|(?<!asset )turnover|profit|loss|income|tax|equity|cash|debt|capital|expenditure|spending|lending|aid"
    r"|cash flow|enrollment|cargo|freight|output|increase|intensity)\Z"
)
"""Nouns without an article, as plurals: "net profit divided by revenue", but "the number of homes sold"."""
_SIZE = re.compile(r"\b(?:population|area)\Z")
"""Nouns of what is large or small, not high or low."""
MONTH_FORM = " Answer as YYYY-MM."
LATEST = "Where a document gives a figure for several periods, use that of the latest period."
PERCENT = " Answer as a percentage such as 12.34%, rounded to two decimals."


class English:
    """Questions in English."""

    def __init__(self, pack: Pack, year: Year, currency: str, of_several_periods: bool = False) -> None:
        self._currency = currency
        self._of_several_periods = of_several_periods
        self._many = pack.entity("en").plural
        self._one = pack.entity("en").noun
        self._periods = pack.period
        self._period = pack.period.in_language("en")
        self._year = year
        self._past = year is not None

    # Nouns.

    def _period_name(self, year: Year) -> str:
        """ "2022" where periods are years, "fiscal year 2022" otherwise."""
        if year is None:
            return ""
        period = self._periods.named(year, "en")
        return period if self._period in ("year", "calendar year") else f"{self._period} {period}"

    def _at_period(self, quantity: Quantity) -> str:
        return self._period_phrase(quantity.year, quantity.instant)

    def _period_phrase(self, year: Year, instant: bool) -> str:
        return "" if year is None else f" {'at the end of' if instant else 'in'} {self._period_name(year)}"

    def _span(self, quantity: Quantity) -> str:
        assert quantity.year is not None
        end = "the end of " if quantity.instant else ""
        return f"from {end}{self._period_name(quantity.year - 1)} to {end}{self._period_name(quantity.year)}"

    def _verb(self, noun: str, past: str, singular: str, plural: str) -> str:
        """The form of a verb that fits the noun and the period."""
        return past if self._past else plural if is_plural(noun) else singular

    def _are(self, noun: str) -> str:
        return ("were" if is_plural(noun) else "was") if self._past else "are" if is_plural(noun) else "is"

    # Parts.

    def scope(self, left_out: Sequence[str], named: Sequence[str] = ()) -> str:
        if named:
            titles = "; ".join(f'"{title}"' for title in named)
            return f"Consider only these {self._many}: {titles}."
        if self._year is None:
            text = f"Consider all {self._many} that the documents describe"
            text += f" with figures in {self._currency}" if self._currency else ""
        else:
            text = (
                f"Consider the {self._many} whose own report for {self._period_name(self._year)} is among the documents"
            )
            text += f" and has its figures in {self._currency}" if self._currency else ""
        text = f"{text}, except {_join_with_semicolons(left_out)}" if left_out else text
        text = text if text.endswith(".") else f"{text}."
        return f"{text} {LATEST}" if self._of_several_periods else text

    def definition(self, quantity: Quantity) -> str:
        sign, nouns = quantity.formula
        if quantity.growth:
            return ""
        phrases = [the(noun) for noun in nouns]
        if quantity.year and any(quantity.side_instants) and not all(quantity.side_instants):
            # Total assets of which day? "Revenue divided by total assets at the end of the fiscal year".
            end = f" at the end of the {self._period}"
            phrases = [f"{n}{end if i else ''}" for n, i in zip(phrases, quantity.side_instants, strict=True)]
        start = f"{_capital(the(quantity.noun))} {'are' if is_plural(quantity.noun) else 'is'}"
        match sign:
            case "%":
                return f"{start} {phrases[0]} divided by {phrases[1]}, in percent."
            case "/":
                unit = f", in {quantity.unit}" if quantity.unit else ""
                return f"{start} {phrases[0]} divided by {phrases[1]}{unit}."
            case "-":
                return f"{start} {phrases[0]} minus {_join_names(phrases[1:])}."
            case "+":
                return f"{start} the sum of {_join_names(phrases)}."
            case "weighted":
                terms = " + ".join(f"{weight:g} × {noun}" for weight, noun in zip(quantity.weights, nouns, strict=True))
                inner = [self.definition(part) for part in quantity.parts]
                percent = any(part.unit == "%" for part in quantity.parts)
                plain = ", where 12% counts as 12" if percent else ""
                return " ".join([f"{start} {terms}{plain}.", *filter(None, inner)])
            case _:
                return ""

    def _test(self, test: QuantityCondition) -> str:
        """ "revenue in fiscal year 2020 exceeded 5 million EUR"."""
        quantity, when = test.quantity, self._at_period(test.quantity)
        exceeds = self._verb(quantity.noun, "exceeded", "exceeds", "exceed")
        if isinstance(test.value, Quantity):
            when_compared = _same_period(quantity, test.value) if self._past else ""
            return f"{quantity.noun}{when} {exceeds} their {test.value.noun}{when_compared}"
        value = with_unit(test.value, quantity.unit)
        if quantity.growth:
            span = self._span(quantity)
            if test.sign == ">":
                return f"{quantity.noun} grew by more than {value} {span}"
            return f"{quantity.noun} grew by less than {value}, or did not grow, {span}"
        if not test.value:
            return f"{quantity.noun}{when} {self._are(quantity.noun)} {'positive' if test.sign == '>' else 'negative'}"
        return f"{quantity.noun}{when} {exceeds if test.sign == '>' else f'{self._are(quantity.noun)} below'} {value}"

    def _relative_clause(self, tests: Sequence[QuantityCondition]) -> str:
        clauses = [f"whose {self._test(test)}" for test in tests]
        if len(tests) == 2 and tests[0].quantity is tests[1].quantity:
            # "whose free cash flow in fiscal year 2020 was positive and exceeded their net profit in the same period"
            clauses[1] = self._test(tests[1]).removeprefix(
                f"{tests[1].quantity.noun}{self._at_period(tests[1].quantity)} "
            )
        return " and ".join(clauses)

    def _as_questions(self, tests: Sequence[QuantityCondition]) -> str:
        """The conditions as a question: "did revenue in fiscal year 2020 exceed 5 million EUR"."""
        questions = [self._inverted_test(test) for test in tests]
        if len(tests) == 2 and tests[0].quantity is tests[1].quantity:
            quantity = tests[1].quantity
            noun = f"{the(quantity.noun)}{self._at_period(quantity)}"
            questions[1] = questions[1].replace(noun, "they" if is_plural(quantity.noun) else "it", 1)
        return " and ".join(questions)

    def _inverted_test(self, test: QuantityCondition) -> str:
        quantity, when = test.quantity, self._at_period(test.quantity)
        noun = the(quantity.noun)
        do = self._verb(quantity.noun, "did", "does", "do")
        if isinstance(test.value, Quantity):
            period = _same_period(quantity, test.value) if self._past else ""
            return f"{do} {noun}{when} exceed {the(test.value.noun)}{period}"
        if not test.value:
            return f"{self._are(quantity.noun)} {noun}{when} {'positive' if test.sign == '>' else 'negative'}"
        value = with_unit(test.value, quantity.unit)
        if quantity.growth and test.sign == ">":
            return f"did {noun} grow by more than {value} {self._span(quantity)}"
        if quantity.growth:
            return f"did {noun} grow by less than {value}, or not grow, {self._span(quantity)}"
        if test.sign == ">":
            return f"{do} {noun}{when} exceed {value}"
        return f"{self._are(quantity.noun)} {noun}{when} below {value}"

    def _growth(self, quantity: Quantity) -> str:
        return f"percentage growth in {the(quantity.noun)} {self._span(quantity)}"

    # Questions.

    def listing(self, tests: Sequence[QuantityCondition]) -> str:
        return f"List the {self._many} {self._relative_clause(tests)}."

    def counting(self, tests: Sequence[QuantityCondition]) -> str:
        return f"For how many of these {self._many} {self._as_questions(tests)}?"

    def share(self, tests: Sequence[QuantityCondition]) -> str:
        return f"For what percentage of these {self._many} {self._as_questions(tests)}?{PERCENT}"

    def top(self, quantity: Quantity, count: int, highest: bool) -> str:
        extreme = _extreme(quantity, highest)
        order = f"from {extreme} to {_extreme(quantity, not highest)}"
        have = "had" if self._past else "have"
        many = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
        return f"Which {many} {self._many} {have} the {extreme} {self._ranked_noun(quantity)}? List them {order}."

    def single(self, quantity: Quantity, highest: bool) -> str:
        have = "had" if self._past else "has"
        return f"Which {self._one} {have} the {_extreme(quantity, highest)} {self._ranked_noun(quantity)}?"

    def _ranked_noun(self, quantity: Quantity) -> str:
        return self._growth(quantity) if quantity.growth else f"{quantity.noun}{self._at_period(quantity)}"

    def total(self, quantity: Quantity) -> str:
        total = _sum(quantity.noun, self._at_period(quantity))
        return f"What is {total} over all these {self._many}?{_ending(quantity, quantity.has_decimals)}"

    def total_growth(self, quantity: Quantity) -> str:
        assert quantity.year is not None
        when = "at the end of" if quantity.instant else "for"
        before, now = (f"{when} {self._period_name(year)}" for year in (quantity.year - 1, quantity.year))
        return (
            f"Add up the {quantity.noun} across all these {self._many}, once {before} and once {now}. By what "
            f"percentage did the sum change {self._span(quantity)}? A decrease is negative.{_ending(quantity)}"
        )

    def pooled(self, quantity: Quantity) -> str:
        top, bottom = (
            _sum(noun, self._period_phrase(quantity.year, instant))
            for noun, instant in zip(quantity.formula[1], quantity.side_instants, strict=True)
        )
        return f"Over all these {self._many}, what is {top} divided by {bottom}?{_ending(quantity)}"

    def average(self, quantity: Quantity, tests: Sequence[QuantityCondition]) -> str:
        mean, when, be = self._mean(quantity), self._at_period(quantity), self._are(quantity.noun)
        if tests:
            # The group comes first: "the average number of men who applied of the universities whose ..." misleads.
            return (
                f"Among the {self._many} {self._relative_clause(tests)}, what {be} the {mean}{when}?{_ending(quantity)}"
            )
        # At the end, since "the average number of homes completed of these markets" misleads as well.
        return f"What {be} the {mean}{when} across these {self._many}?{_ending(quantity)}"

    def _mean(self, quantity: Quantity) -> str:
        """ "average revenue"; the mean of a ratio may be weighted."""
        plain = quantity.additive and quantity.formula[0] not in ("%", "/")
        return f"{'average' if plain else 'unweighted average'} {quantity.noun}"

    def group_difference(self, group: QuantityCondition, quantity: Quantity) -> str:
        points = " Answer in percentage points, rounded to two decimals."
        return (
            f"Compare two groups: the {self._many} whose {self._test(group)}, and all other {self._many}. Subtract the "
            f"{self._mean(quantity)}{self._at_period(quantity)} of the second group from that of the first group. What "
            f"is the difference?{points if quantity.unit == '%' else _ending(quantity)}"
        )

    def above_group_average(self, group: QuantityCondition, quantity: Quantity, margin: Decimal, counted: bool) -> str:
        value = with_unit(margin, " percentage points" if quantity.unit == "%" else quantity.unit)
        noun, many = quantity.noun, self._many
        if counted:
            do = self._verb(noun, "did", "does", "do")
            request = (
                f"For how many {many} in this group {do} their own {noun} exceed that average by more than {value}?"
            )
        else:
            exceeds = self._verb(noun, "exceeded", "exceeds", "exceed")
            request = (
                f"Then list the {many} in this group whose own {noun} {exceeds} that average by more than {value}."
            )
        return (
            f"Take the {many} whose {self._test(group)}, and compute, for this group, the {self._mean(quantity)}"
            f"{self._at_period(quantity)}. {request}"
        )

    def month_of_first(self, month: Quantity, quantity: Quantity, highest: bool) -> str:
        extreme, be = _extreme(quantity, highest), "was" if self._past else "is"
        return (
            f"Find the {self._one} with the {extreme} {self._ranked_noun(quantity)}. What {be} the {month.noun}"
            f"{self._at_period(month)} for this {self._one}?{MONTH_FORM}"
        )

    def extreme_month(self, month: Quantity, earliest: bool, test: QuantityCondition) -> str:
        return (
            f"Take the {self._many} whose {self._test(test)}, and the {month.noun}{self._at_period(month)} of each of "
            f"them. Which of these months is the {'earliest' if earliest else 'latest'}?{MONTH_FORM}"
        )

    def missing(self) -> str:
        return f"Leave out any {self._one} that does not report a figure needed here."


def is_plural(noun: str) -> bool:
    """Whether a noun takes a verb in the plural: "total assets", but not "number of employees"."""
    head = _AFTER_HEAD.split(noun, maxsplit=1)[0]
    return _PLURAL.search(head) is not None


def the(noun: str) -> str:
    """The noun with its article, if it needs one."""
    if noun.startswith("("):
        return noun
    has_head_alone = _AFTER_HEAD.search(noun) is None
    return noun if has_head_alone and (is_plural(noun) or _UNCOUNTABLE.search(noun)) else f"the {noun}"


def _extreme(quantity: Quantity, highest: bool) -> str:
    """ "highest", or "largest" of an area."""
    if _SIZE.search(quantity.noun) and not quantity.growth:
        return "largest" if highest else "smallest"
    return "highest" if highest else "lowest"


def _sum(noun: str, when: str) -> str:
    """ "the sum of net profit in 2020", but "the total number of homes sold in 2020"."""
    return f"the total {noun}{when}" if noun.startswith("number of ") else f"the sum of {the(noun)}{when}"


def _same_period(left: Quantity, right: Quantity) -> str:
    return " on the same date" if left.instant and right.instant else " in the same period"


def _ending(quantity: Quantity, rounded: bool = True) -> str:
    """The sentence that asks for a unit and two decimals."""
    if quantity.unit == "%":
        return PERCENT
    unit = f" Answer in {quantity.unit}" if quantity.unit else ""
    if not rounded:
        return f"{unit}." if unit else ""
    return f"{unit}, rounded to two decimals." if unit else " Round to two decimals."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join_with_semicolons(names: Sequence[str]) -> str:
    """The names as a list; many names of companies have a comma themselves."""
    if len(names) > 2 and any("," in name for name in names):
        return f"{'; '.join(names[:-1])}; and {names[-1]}"
    return _join_names(names)


def _join_names(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])}{',' if len(names) > 2 else ''} and {names[-1]}"

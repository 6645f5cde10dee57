"""Questions in words, in English and Chinese. Every sentence has one reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Protocol

from fathom.tasks.tables.figures import Year
from fathom.tasks.tables.pack import Language, Pack
from fathom.tasks.tables.quantities import Quantity


class Test:
    """A condition on one quantity: above or below a value, or above another quantity of the same entity."""

    def __init__(self, quantity: Quantity, sign: str, value: Decimal | Quantity) -> None:
        self.quantity = quantity
        self.sign = sign
        self.value = value


class Wording(Protocol):
    """The sentences of a language."""

    def scope(self, left_out: Sequence[str]) -> str: ...
    def definition(self, quantity: Quantity) -> str: ...
    def listing(self, tests: Sequence[Test]) -> str: ...
    def counting(self, tests: Sequence[Test]) -> str: ...
    def top(self, quantity: Quantity, count: int, highest: bool) -> str: ...
    def total(self, quantity: Quantity) -> str: ...
    def average(self, quantity: Quantity, tests: Sequence[Test]) -> str: ...
    def above_group_average(self, group: Test, quantity: Quantity, margin: Decimal) -> str: ...
    def missing(self) -> str: ...


def wording(pack: Pack, language: Language, year: Year, currency: str = "") -> Wording:
    """The sentences for a pack in a language. A currency is named if other documents use another one."""
    return Chinese(pack, year, currency) if language == "zh" else English(pack, year, currency)


def number(value: Decimal) -> str:
    """A number with thousands separators and no trailing zeros."""
    plain = value.normalize()
    exponent = plain.as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{plain:,f}" if exponent <= 0 else f"{int(plain):,}"


class English:
    """Questions in English."""

    def __init__(self, pack: Pack, year: Year, currency: str) -> None:
        self._currency = currency
        self._many = pack.entity("en").plural
        self._one = pack.entity("en").noun
        self._period = pack.period.of("en")
        self._year = year
        # Verbs that fit a noun in the singular or plural: "revenue", "total assets".
        present = year is None
        self._exceeds, self._falls_short = ("exceeds", "is below") if present else ("exceeded", "stayed below")
        self._had = "have" if present else "had"

    def _when(self, year: Year) -> str:
        return "" if year is None else f" in {self._period} {year}"

    @staticmethod
    def _in(quantity: Quantity) -> str:
        return f", in {quantity.unit}" if quantity.unit else ""

    def scope(self, left_out: Sequence[str]) -> str:
        if self._year is None:
            text = f"Consider all {self._many} that the documents describe"
        else:
            text = f"Consider the {self._many} whose own report for {self._period} {self._year} is among the documents"
        if self._currency:
            text += f" and is in {self._currency}" if self._year is not None else f" in {self._currency}"
        return _sentence(f"{text}, except {_joined(left_out)}" if left_out else text)

    def definition(self, quantity: Quantity) -> str:
        sign, nouns = quantity.formula
        if quantity.growth:
            return ""
        match sign:
            case "%":
                return f"The {quantity.noun} is the {nouns[0]} divided by the {nouns[1]}, in percent."
            case "/":
                unit = f", in {quantity.unit}" if quantity.unit else ""
                return f"The {quantity.noun} is the {nouns[0]} divided by the {nouns[1]}{unit}."
            case "-" | "+":
                word = " minus the " if sign == "-" else " plus the "
                return f"The {quantity.noun} is the {word.join(nouns)}."
            case "weighted":
                terms = " + ".join(f"{weight:g} × {noun}" for weight, noun in zip(quantity.weights, nouns, strict=True))
                inner = [self.definition(part) for part in quantity.parts]
                return " ".join([f"The {quantity.noun} is {terms}.", *filter(None, inner)])
            case _:
                return ""

    def _test(self, test: Test) -> str:
        quantity, when = test.quantity, self._when(test.quantity.year)
        if isinstance(test.value, Quantity):
            return f"{quantity.noun}{when} {self._exceeds} the {test.value.noun}"
        value = _with_unit(test.value, quantity.unit)
        if quantity.growth:
            assert quantity.year is not None
            span = f"from {quantity.year - 1} to {quantity.year}"
            if test.sign == ">":
                return f"{quantity.noun} grew by more than {value} {span}"
            return f"{quantity.noun} grew by less than {value}, or fell, {span}"
        return f"{quantity.noun}{when} {self._exceeds if test.sign == '>' else self._falls_short} {value}"

    def _whose(self, tests: Sequence[Test]) -> str:
        return " and ".join(f"whose {self._test(test)}" for test in tests)

    def listing(self, tests: Sequence[Test]) -> str:
        return f"List the {self._many} {self._whose(tests)}."

    def counting(self, tests: Sequence[Test]) -> str:
        return f"How many {self._many} are there {self._whose(tests)}?"

    def top(self, quantity: Quantity, count: int, highest: bool) -> str:
        which, order = ("highest", "from highest to lowest") if highest else ("lowest", "from lowest to highest")
        if quantity.growth:
            assert quantity.year is not None
            noun = f"growth in percent of the {quantity.noun} from {quantity.year - 1} to {quantity.year}"
        else:
            noun = f"{quantity.noun}{self._when(quantity.year)}"
        return f"Which {count} {self._many} {self._had} the {which} {noun}? List them {order}."

    def total(self, quantity: Quantity) -> str:
        unit = self._in(quantity)
        return f"What is the sum of the {quantity.noun}{self._when(quantity.year)} over all these {self._many}{unit}?"

    def average(self, quantity: Quantity, tests: Sequence[Test]) -> str:
        unit = ", as a percentage such as 12.34%" if quantity.unit == "%" else self._in(quantity)
        those = f"the {self._many} {self._whose(tests)}" if tests else f"these {self._many}"
        return (
            f"What is the average {quantity.noun}{self._when(quantity.year)} of {those}{unit}? Round to two decimals."
        )

    def above_group_average(self, group: Test, quantity: Quantity, margin: Decimal) -> str:
        value = _with_unit(margin, " percentage points" if quantity.unit == "%" else quantity.unit)
        when = self._when(quantity.year)
        return (
            f"Take the {self._many} whose {self._test(group)}, and compute the average {quantity.noun}{when} of this "
            f"group. List the {self._many} of the group whose own {quantity.noun} {self._exceeds} that average by more "
            f"than {value}."
        )

    def missing(self) -> str:
        return f"Leave out any {self._one} for which a figure that is needed is not reported."


class Chinese:
    """Questions in Chinese."""

    def __init__(self, pack: Pack, year: Year, currency: str) -> None:
        self._currency = currency
        self._noun = pack.entity("zh").noun
        self._period = pack.period.of("zh")
        self._year = year

    def _when(self, year: Year) -> str:
        return "" if year is None else f"{year}{self._period}"

    @staticmethod
    def _in(quantity: Quantity) -> str:
        return f"（单位：{quantity.unit}）" if quantity.unit else ""

    def scope(self, left_out: Sequence[str]) -> str:
        if self._year is None:
            text = f"请考虑文档所介绍的全部{self._noun}"
        else:
            text = f"请考虑其{self._when(self._year)}报告包含在所给文档中的{self._noun}"
        if self._currency:
            text = f"{text}，且仅限以{self._currency}列报的{self._noun}"
        return f"{text}，但不包括{'、'.join(left_out)}。" if left_out else f"{text}。"

    def definition(self, quantity: Quantity) -> str:
        sign, nouns = quantity.formula
        if quantity.growth:
            return ""
        match sign:
            case "%":
                return f"{quantity.noun}指{nouns[0]}除以{nouns[1]}，以百分比表示。"
            case "/":
                unit = f"，单位为{quantity.unit}" if quantity.unit else ""
                return f"{quantity.noun}指{nouns[0]}除以{nouns[1]}{unit}。"
            case "-" | "+":
                return f"{quantity.noun}指{('减去' if sign == '-' else '加上').join(nouns)}。"
            case "weighted":
                terms = " + ".join(f"{weight:g} × {noun}" for weight, noun in zip(quantity.weights, nouns, strict=True))
                inner = [self.definition(part) for part in quantity.parts]
                return "".join([f"{quantity.noun} = {terms}。", *filter(None, inner)])
            case _:
                return ""

    def _test(self, test: Test) -> str:
        quantity, when = test.quantity, self._when(test.quantity.year)
        if isinstance(test.value, Quantity):
            return f"{when}{quantity.noun}高于{test.value.noun}"
        value = _with_unit(test.value, quantity.unit)
        word = "高于" if test.sign == ">" else "低于"
        if quantity.growth:
            assert quantity.year is not None
            return f"{quantity.noun}从{quantity.year - 1}年到{quantity.year}年的增长率{word}{value}"
        return f"{when}{quantity.noun}{word}{value}"

    def _those(self, tests: Sequence[Test]) -> str:
        return "且".join(self._test(test) for test in tests)

    def listing(self, tests: Sequence[Test]) -> str:
        return f"请列出{self._those(tests)}的{self._noun}。"

    def counting(self, tests: Sequence[Test]) -> str:
        return f"{self._those(tests)}的{self._noun}有多少家？"

    def top(self, quantity: Quantity, count: int, highest: bool) -> str:
        which, order = ("最高", "从高到低") if highest else ("最低", "从低到高")
        if quantity.growth:
            assert quantity.year is not None
            noun = f"{quantity.noun}从{quantity.year - 1}年到{quantity.year}年的增长率"
        else:
            noun = f"{self._when(quantity.year)}{quantity.noun}"
        return f"{noun}{which}的{count}家{self._noun}是哪些？请{order}列出。"

    def total(self, quantity: Quantity) -> str:
        unit = self._in(quantity)
        return f"上述全部{self._noun}的{self._when(quantity.year)}{quantity.noun}合计是多少{unit}？"

    def average(self, quantity: Quantity, tests: Sequence[Test]) -> str:
        unit = "（以百分比表示，如12.34%）" if quantity.unit == "%" else self._in(quantity)
        those = f"{self._those(tests)}的{self._noun}" if tests else f"上述{self._noun}"
        return f"{those}，其{self._when(quantity.year)}{quantity.noun}的平均值是多少{unit}？请保留两位小数。"

    def above_group_average(self, group: Test, quantity: Quantity, margin: Decimal) -> str:
        value = _with_unit(margin, "个百分点" if quantity.unit == "%" else quantity.unit)
        noun = f"{self._when(quantity.year)}{quantity.noun}"
        return (
            f"请先选出{self._test(group)}的{self._noun}，计算这一组{self._noun}{noun}的平均值，"
            f"再列出该组中{noun}比这一平均值高出{value}以上的{self._noun}。"
        )

    def missing(self) -> str:
        return f"未披露所需数据的{self._noun}不计入。"


def _joined(names: Sequence[str]) -> str:
    """The names as a list; many names of companies have a comma themselves."""
    if len(names) == 1:
        return names[0]
    return f"{'; '.join(names[:-1])}; and {names[-1]}" if any("," in name for name in names) else _listed(names)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])}{',' if len(names) > 2 else ''} and {names[-1]}"


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _with_unit(value: Decimal, unit: str) -> str:
    plain = number(value)
    if unit in ("", "%") or unit.startswith((" ", "个", "万", "元")):
        return f"{plain}{unit}"
    return f"{plain} {unit}"


def sentences(parts: Iterable[str], language: Language) -> str:
    """The sentences of a question, joined."""
    return ("" if language == "zh" else " ").join(part for part in parts if part)

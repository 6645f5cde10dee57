"""Questions in Chinese. Every sentence has one reading."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from fathom.tasks.tables.figures import Year
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.quantities import Quantity
from fathom.tasks.tables.wording import QuantityCondition, with_unit

_MEASURE_WORDS = {
    "家": ("公司", "企业", "银行", "机构", "医院", "商店", "馆"),
    "所": ("大学", "高校", "学校", "学院", "中学", "小学", "幼儿园"),
    "篇": ("论文", "文章"),
}
LATEST = "同一文档给出多个时期的数值时，以最近时期的数值为准。"
PERCENT = "请以百分比作答（如12.34%），保留两位小数。"
ROUNDED = "请保留两位小数。"
MONTH_FORM = "请以YYYY-MM格式作答。"


class Chinese:
    """Questions in Chinese."""

    def __init__(self, pack: Pack, year: Year, currency: str, of_several_periods: bool = False) -> None:
        self._currency = currency
        self._of_several_periods = of_several_periods
        self._noun = pack.entity("zh").noun
        self._periods = pack.period
        self._period = pack.period.in_language("zh")
        self._year = year
        self._measure = next((word for word, nouns in _MEASURE_WORDS.items() if self._noun.endswith(nouns)), "个")

    # Nouns.

    def _period_name(self, year: Year) -> str:
        return "" if year is None else f"{self._periods.named(year, 'zh')}{self._period}"

    def _at_period(self, quantity: Quantity, before: int = 0) -> str:
        """The period of a quantity, or an earlier one."""
        return "" if quantity.year is None else self._period_phrase(quantity.year - before, quantity.instant)

    def _period_phrase(self, year: Year, instant: bool) -> str:
        """ "2020年度", and "2020年末" for a figure of its last day."""
        period = self._period_name(year)
        return f"{period.removesuffix('度')}末" if period and instant else period

    def _noun_of(self, quantity: Quantity) -> str:
        """The quantity with its period: "2020年度营业收入"."""
        if quantity.growth:
            assert quantity.year is not None
            return f"{self._at_period(quantity)}{quantity.noun}较{self._at_period(quantity, 1)}的增长率"
        return f"{self._at_period(quantity)}{quantity.noun}"

    @staticmethod
    def _extreme(quantity: Quantity, highest: bool) -> str:
        """ "最高", or "最多" of a number of things."""
        few, many = _ends(quantity)
        return f"最{many if highest else few}"

    @staticmethod
    def _how_much(quantity: Quantity) -> str:
        """ "多少万元", or "多少" where there is no unit."""
        unit = quantity.unit
        if not unit or unit == "%":
            return "多少"
        return f"多少{unit}" if unit.startswith(("万", "亿", "元")) else f"多少（单位：{unit}）"

    # Parts.

    def scope(self, left_out: Sequence[str], named: Sequence[str] = ()) -> str:
        if named:
            return f"请仅考虑以下{self._noun}：{'；'.join(f'“{title}”' for title in named)}。"
        if self._year is None:
            text = f"请考虑所给文档介绍的全部{self._noun}"
        else:
            text = f"请仅考虑所给文档中收录了其{self._period_name(self._year)}报告的{self._noun}"
        if self._currency:
            text = f"{text}，且仅限以{self._currency}列报的{self._noun}"
        text = f"{text}，但不包括{'、'.join(left_out)}。" if left_out else f"{text}。"
        return f"{text}{LATEST}" if self._of_several_periods else text

    def definition(self, quantity: Quantity) -> str:
        sign, nouns = quantity.formula
        if quantity.growth:
            return ""
        if quantity.year and any(quantity.side_instants) and not all(quantity.side_instants):
            end = f"{self._period.removesuffix('度')}末"
            nouns = tuple(f"{end if i else ''}{n}" for n, i in zip(nouns, quantity.side_instants, strict=True))
        match sign:
            case "%":
                return f"{quantity.noun}指{nouns[0]}除以{nouns[1]}，以百分比表示。"
            case "/":
                unit = f"，单位为{quantity.unit}" if quantity.unit else ""
                return f"{quantity.noun}指{nouns[0]}除以{nouns[1]}{unit}。"
            case "-" | "+":
                if len(nouns) == 2:
                    return f"{quantity.noun}指{nouns[0]}{'减去' if sign == '-' else '加上'}{nouns[1]}。"
                return f"{quantity.noun}＝{('－' if sign == '-' else '＋').join(nouns)}。"
            case "weighted":
                terms = "＋".join(f"{weight:g}×{noun}" for weight, noun in zip(quantity.weights, nouns, strict=True))
                inner = [self.definition(part) for part in quantity.parts]
                percent = any(part.unit == "%" for part in quantity.parts)
                plain = "（百分比按数值计入，如12%计为12）" if percent else ""
                return "".join([f"{quantity.noun}＝{terms}{plain}。", *filter(None, inner)])
            case _:
                return ""

    def _test(self, test: QuantityCondition) -> str:
        quantity_text = self._noun_of(test.quantity)
        below, above = (f"{end}于" for end in _ends(test.quantity))
        if isinstance(test.value, Quantity):
            when = self._same_period(test) if test.quantity.year is not None else ""
            return f"{quantity_text}{above}{when}{test.value.noun}"
        if not test.value:
            return f"{quantity_text}为{'正' if test.sign == '>' else '负'}"
        return f"{quantity_text}{above if test.sign == '>' else below}{with_unit(test.value, test.quantity.unit)}"

    @staticmethod
    def _same_period(test: QuantityCondition) -> str:
        assert isinstance(test.value, Quantity)
        return "同日" if test.quantity.instant and test.value.instant else "同期"

    def _join_conditions(self, tests: Sequence[QuantityCondition]) -> str:
        conditions = [self._test(test) for test in tests]
        if len(tests) == 2 and tests[0].quantity is tests[1].quantity:
            conditions[1] = conditions[1].removeprefix(self._noun_of(tests[1].quantity))  # 为正且高于同期净利润
        return "且".join(conditions)

    # Questions.

    def listing(self, tests: Sequence[QuantityCondition]) -> str:
        return f"请列出{self._join_conditions(tests)}的{self._noun}。"

    def counting(self, tests: Sequence[QuantityCondition]) -> str:
        return f"其中，{self._join_conditions(tests)}的{self._noun}有多少{self._measure}？"

    def share(self, tests: Sequence[QuantityCondition]) -> str:
        return f"其中，{self._join_conditions(tests)}的{self._noun}占上述{self._noun}总数的百分比是多少？{PERCENT}"

    def top(self, quantity: Quantity, count: int, highest: bool) -> str:
        extreme, (low, high) = self._extreme(quantity, highest), _ends(quantity)
        order = f"从{high}到{low}" if highest else f"从{low}到{high}"
        return f"{self._noun_of(quantity)}{extreme}的{count}{self._measure}{self._noun}是哪些？请按{order}的顺序列出。"

    def single(self, quantity: Quantity, highest: bool) -> str:
        return f"{self._noun_of(quantity)}{self._extreme(quantity, highest)}的是哪{self._measure}{self._noun}？"

    def total(self, quantity: Quantity) -> str:
        rounded = ROUNDED if quantity.has_decimals else ""
        return f"上述{self._noun}{self._noun_of(quantity)}之和是{self._how_much(quantity)}？{rounded}"

    def total_growth(self, quantity: Quantity) -> str:
        assert quantity.year is not None
        now, before = self._at_period(quantity), self._at_period(quantity, 1)
        return (
            f"将上述{self._noun}的{quantity.noun}按年度分别加总。从{before}到{now}，加总后的数值增长了百分之多少？"
            f"下降时以负数表示。{PERCENT}"
        )

    def pooled(self, quantity: Quantity) -> str:
        top, bottom = (
            f"{self._period_phrase(quantity.year, instant)}{noun}"
            for noun, instant in zip(quantity.formula[1], quantity.side_instants, strict=True)
        )
        question_word = "多少" if quantity.unit == "%" else self._how_much(quantity)
        ending = PERCENT if quantity.unit == "%" else ROUNDED
        return f"上述{self._noun}{top}之和除以{bottom}之和，结果是{question_word}？{ending}"

    def average(self, quantity: Quantity, tests: Sequence[QuantityCondition]) -> str:
        those = f"在{self._join_conditions(tests)}的{self._noun}中，" if tests else f"上述{self._noun}"
        ending = PERCENT if quantity.unit == "%" else ROUNDED
        return f"{those}{self._noun_of(quantity)}的算术平均值是{self._how_much(quantity)}？{ending}"

    def group_difference(self, group: QuantityCondition, quantity: Quantity) -> str:
        question_word = "多少个百分点" if quantity.unit == "%" else self._how_much(quantity)
        return (
            f"将上述{self._noun}分为两组：第一组为{self._test(group)}的{self._noun}，第二组为其余{self._noun}。"
            f"第一组{self._noun_of(quantity)}的算术平均值减去第二组的算术平均值，结果是{question_word}？{ROUNDED}"
        )

    def above_group_average(self, group: QuantityCondition, quantity: Quantity, margin: Decimal, counted: bool) -> str:
        value = with_unit(margin, "个百分点" if quantity.unit == "%" else quantity.unit)
        noun = self._noun_of(quantity)
        more = "高出" if _ends(quantity)[1] == "高" else _ends(quantity)[1]
        members = f"该组中{noun}比这一平均值{more}{value}以上的{self._noun}"
        request = f"{members}有多少{self._measure}？" if counted else f"然后列出{members}。"
        return f"请先选出{self._test(group)}的{self._noun}，并计算该组{self._noun}{noun}的算术平均值。{request}"

    def month_of_first(self, month: Quantity, quantity: Quantity, highest: bool) -> str:
        extreme, month_noun = self._extreme(quantity, highest), self._noun_of(month)
        first = f"请找出{self._noun_of(quantity)}{extreme}的{self._noun}。"
        return f"{first}该{self._noun}{month_noun}是哪个月？{MONTH_FORM}"

    def extreme_month(self, month: Quantity, earliest: bool, test: QuantityCondition) -> str:
        return (
            f"请选出{self._test(test)}的{self._noun}，并查明每{self._measure}{self._noun}的{self._noun_of(month)}。"
            f"这些月份中{'最早' if earliest else '最晚'}的是哪个月？{MONTH_FORM}"
        )

    def missing(self) -> str:
        return f"未披露所需数据的{self._noun}不予考虑。"


def _ends(quantity: Quantity) -> tuple[str, str]:
    """What its small and its large values are: a number of things is 少 or 多, an area 小 or 大; growth is 低 or 高."""
    if quantity.growth:
        return "低", "高"
    return (
        ("少", "多") if quantity.kind == "count" else ("小", "大") if quantity.noun.endswith("面积") else ("低", "高")
    )

"""Names of fields for Chinese labels: those of the packs, or translated word by word: "固定资产" is fixed_assets."""

from __future__ import annotations

import re
from functools import cache

from fathom.tasks.tables.labels import normal_label
from fathom.tasks.tables.pack import pack_names, read_pack

_WORDS: dict[str, str] = {
    **{"营业": "operating", "主营": "main", "其他": "other", "财务": "finance", "管理": "administrative"},
    **{
        "销售": "sales",
        "研发": "rnd",
        "利息": "interest",
        "投资": "investment",
        "筹资": "financing",
        "经营": "operating",
    },
    **{"收入": "income", "成本": "cost", "费用": "expenses", "支出": "spending", "利润": "profit", "收益": "earnings"},
    **{
        "亏损": "loss",
        "毛利": "gross_profit",
        "净利": "net_profit",
        "净利润": "net_profit",
        "税": "tax",
        "税金": "tax",
    },
    **{"资产": "assets", "负债": "liabilities", "权益": "equity", "股东": "shareholders", "存货": "inventories"},
    **{"现金": "cash", "流量": "flow", "借款": "borrowings", "贷款": "loans", "应收": "receivable", "应付": "payable"},
    **{"账款": "accounts", "固定": "fixed", "无形": "intangible", "流动": "current", "非流动": "noncurrent"},
    **{"员工": "employees", "职工": "employees", "人数": "number", "总数": "number", "人口": "population"},
    **{"男性": "male", "女性": "female", "学生": "students", "教师": "teachers", "订单": "orders", "客户": "customers"},
    **{"产量": "output", "销量": "units_sold", "价格": "price", "面积": "area", "能源": "energy", "排放": "emissions"},
    **{"增长率": "growth", "增长": "growth", "比例": "share", "占比": "share", "比率": "ratio", "率": "rate"},
    **{"每股": "per_share", "股本": "share_capital", "股份": "shares", "分红": "dividend", "股利": "dividend"},
    **{"合计": "total", "总计": "total", "总额": "total", "净额": "net", "期末": "closing", "期初": "opening"},
    **{"平均": "average", "最高": "highest", "最低": "lowest", "月份": "month", "年度": "annual", "本年": "this_year"},
    **{"自由": "free", "预计": "estimated", "分部": "segment", "折旧": "depreciation", "摊销": "amortization"},
    **{"培训": "training", "时长": "hours", "收盘价": "closing_price", "年末": "year_end", "稀释": "diluted"},
    **{
        "基本": "basic",
        "人均": "per_head",
        "温室气体": "greenhouse_gas",
        "人员": "staff",
        "息": "interest",
        "前": "before",
    },
    **{"本": "own", "新增": "new", "离职": "turnover", "专利": "patents", "增加": "increase", "减少": "decrease"},
    **{"国内": "domestic", "国外": "foreign", "生产": "production", "总": "total", "净": "net", "额": "amount"},
}
"""Words of labels in reports and statistics."""
_MAX_LENGTH = max(map(len, _WORDS))


def is_chinese(text: str) -> bool:
    """Whether a label is in Chinese."""
    return re.search(r"[\u4e00-\u9fff]", text) is not None


_FILLERS = frozenset("的及与和或等价物产生活动量在余流末期数者用 ")
"""Characters that a name can do without."""


def chinese_name(label: str) -> str:
    """The name of a field with that label: the label itself where a word of it is unknown."""
    pack_name = _of_packs().get(normal_label(label))
    words, unknown = _words(label)
    return pack_name or (label if unknown - _FILLERS or not words else "_".join(words))


@cache
def _of_packs() -> dict[str, str]:
    """The names that the packs of Fathom give to Chinese labels."""
    fields = [item for name in pack_names() for item in read_pack(name).field_of_label.items()]
    return {label: field for label, field in fields if is_chinese(label)}


def _words(label: str) -> tuple[list[str], set[str]]:
    """The known words of a label from left to right, the longest first, and the characters between them."""
    translations: list[str] = []
    unknown: set[str] = set()
    position = 0
    while position < len(label):
        size = next((size for size in range(_MAX_LENGTH, 0, -1) if label[position : position + size] in _WORDS), 0)
        if size:
            translations.append(_WORDS[label[position : position + size]])
        else:
            unknown.add(label[position])
        position += size or 1
    return list(dict.fromkeys(translations)), unknown

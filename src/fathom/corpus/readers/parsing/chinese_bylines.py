"""Chinese names in the lines between a title and the text."""

from __future__ import annotations

import re
from itertools import takewhile

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.records.names import CHINESE

_ONE_LETTER_FAMILIES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢"
    "姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常"
    "汤康易乔赖文庞樊兰殷施洪翟安颜倪牛温芦季俞章鲁葛伍申尤毕聂柴焦齐梅辛管祁翁涂舒耿游曲霍路柯单屈詹欧岳"
    "左宁柳包尚喻盛庄甘裴阮卜穆费娄靳习宫卓冷骆褚楚冉童艾柏时成关郎苗谷米车桂宗纪佟项景华池冀晏祝戚阎解应"
    "闵凌房鲍宣强乐邢荣桑封蒙巩蓝查亓扈木仇边濮翦占丛隋栾沙印厉鄢敖巫晋苟商简束银張劉陳楊黃趙吳孫馬羅鄭謝"
    "許韓馮鄧蕭蔣餘葉蘇呂盧薑譚陸範賈鄒龍賀顧龔萬錢嚴湯喬賴龐蘭顏溫蘆畢聶齊單歐嶽寧莊費"
)
_TWO_LETTERS = (
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 令狐 慕容 司徒 端木 轩辕 夏侯 宇文 长孙 独孤 南宫 拓跋 歐陽 諸葛 東方"
)
_TWO_LETTER_FAMILIES = frozenset(_TWO_LETTERS.split())
_BODIES = re.compile(
    "大学|学院|学校|中学|小学|研究|实验室|中心|医院|公司|集团|科学院|工程院|银行|出版|编辑|杂志|委员会|协会|学会|基金|部门|局$|厅$|"
    "大學|學院|學校|實驗室|醫院|省|市|县|区|教授|讲师|博士|硕士|学报|邮编|邮箱|日期|通[讯信]|作者|摘要|简介|分类号"
)
_LABEL = re.compile(r"\W{0,6}(?:作\s?者(?:姓\s?名)?|文|撰文)\s?[:/]\s?")
_IN_BRACKETS = re.compile(r"\([^()]{0,400}(?:\)|$)")
_BETWEEN = re.compile(rf"[^{CHINESE}·•\s]+")
_FOREIGN = re.compile(rf"[{CHINESE}]{{1,8}}(?:[·•][{CHINESE}]{{1,8}}){{1,3}}")
_JOINTS = "和与及"
_POSTCODE = re.compile(r"[\s,]*\d{6}$")
_LONGEST = 600
"""Signs of a line that are looked at."""


def find_chinese_names(line: str) -> list[str]:
    """The names that a line begins with, where only a body follows them; a name that is set wide is closed up."""
    names: list[str] = []
    for piece in _pieces(line):
        words = _words_of(piece)
        found = list(takewhile(_is_name, words))
        names.extend(found)
        if len(found) < len(words):
            return names if _BODIES.search(words[len(found)]) else []
    return names


def is_chinese_institution(line: str) -> bool:
    """Whether a line tells where authors work."""
    return (
        CHINESE_CHARACTER.search(line) is not None and _BODIES.search(line) is not None and not is_chinese_prose(line)
    )


def is_chinese_prose(text: str) -> bool:
    """Whether a paragraph has a sentence in it: no byline ends in a full stop."""
    return "。" in text and CHINESE_CHARACTER.search(text) is not None


def clean_chinese_institution(line: str) -> str:
    """The body that a line names, without the brackets and the postcode that are printed with it."""
    start, end = len(line) - len(line.lstrip(" （(")), len(line.rstrip(" ）)"))
    return line[start : start + len(_POSTCODE.sub("", to_half_width(line[start:end])))]


def _pieces(line: str) -> list[str]:
    """A line cut at all that stands between names: commas, raised numbers, stars."""
    text = to_half_width(line[:_LONGEST])
    label = _LABEL.match(text)
    text = _IN_BRACKETS.sub(" , ", text[label.end() :] if label else text)
    return [piece for one in _BETWEEN.split(text) if (piece := one.strip())]


def _words_of(piece: str) -> list[str]:
    """What blanks part in a piece, and an "and" between two names."""
    halves = re.split(f"[{_JOINTS}]", piece)
    if len(halves) == 2 and all(_is_name(half.strip()) for half in halves):
        return [half.strip() for half in halves]
    return _closed_up([word for word in piece.split() if word not in _JOINTS])


def _closed_up(words: list[str]) -> list[str]:
    """Words with a family name that stands alone joined to what follows it: "王 明 李 小华" is two names."""
    if len(words) <= 3 and all(len(word) == 1 for word in words):
        return ["".join(words)]
    names: list[str] = []
    begun = ""
    for word in words:
        if begun and len(word) <= 2:
            names.append(begun + word)
            begun = ""
        elif not begun and (word in _ONE_LETTER_FAMILIES or word in _TWO_LETTER_FAMILIES):
            begun = word
        else:
            names.extend(filter(None, (begun, word)))
            begun = ""
    return [*names, begun] if begun else names


def _is_name(word: str) -> bool:
    if _BODIES.search(word):
        return False
    if _FOREIGN.fullmatch(word):
        return True
    if word[:2] in _TWO_LETTER_FAMILIES:
        return 3 <= len(word) <= 4
    return word[:1] in _ONE_LETTER_FAMILIES and 2 <= len(word) <= 3

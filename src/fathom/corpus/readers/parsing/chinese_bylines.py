"""Chinese authors in the lines between a title and the text."""

from __future__ import annotations

import re
from itertools import takewhile

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.records.names import CHINESE

_SHORT_FAMILY_NAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢"
    "姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常"
    "汤康易乔赖文庞樊兰殷施洪翟安颜倪牛温芦季俞章鲁葛伍申尤毕聂柴焦齐梅辛管祁翁涂舒耿游曲霍路柯单屈詹欧岳"
    "左宁柳包尚喻盛庄甘裴阮卜穆费娄靳习宫卓冷骆褚楚冉童艾柏时成关郎苗谷米车桂宗纪佟项景华池冀晏祝戚阎解应"
    "闵凌房鲍宣强乐邢荣桑封蒙巩蓝查亓扈木仇边濮翦占丛隋栾沙印厉鄢敖巫晋苟商简束银張劉陳楊黃趙吳孫馬羅鄭謝"
    "許韓馮鄧蕭蔣餘葉蘇呂盧薑譚陸範賈鄒龍賀顧龔萬錢嚴湯喬賴龐蘭顏溫蘆畢聶齊單歐嶽寧莊費"
)
_COMPOUND_NAMES = (
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 令狐 慕容 司徒 端木 轩辕 夏侯 宇文 长孙 独孤 南宫 拓跋 歐陽 諸葛 東方"
)
_COMPOUND_FAMILY_NAMES = frozenset(_COMPOUND_NAMES.split())
_NOT_A_NAME = re.compile(
    "大学|学院|学校|中学|小学|研究|实验室|中心|医院|公司|集团|科学院|工程院|银行|出版|编辑|杂志|委员会|协会|学会|基金|部门|局$|厅$|"
    "大學|學院|學校|實驗室|醫院|省|市|县|区|教授|讲师|博士|硕士|学报|邮编|邮箱|日期|通[讯信]|作者|摘要|简介|分类号"
)
_LABEL = re.compile(r"\W{0,6}(?:作\s?者(?:姓\s?名)?|文|撰文)\s?[:/]\s?")
_IN_BRACKETS = re.compile(r"\([^()]{0,400}(?:\)|$)")
_SEPARATORS = re.compile(rf"[^{CHINESE}·•\s]+")
_FOREIGN = re.compile(rf"[{CHINESE}]{{1,8}}(?:[·•][{CHINESE}]{{1,8}}){{1,3}}")
_CONJUNCTIONS = "和与及"
_POSTCODE = re.compile(r"[\s,]*\d{6}$")
_MAX_CHARS = 600
"""Characters of a line that are searched."""


def find_chinese_names(line: str) -> list[str]:
    """Return the names at the start of a line if nothing but an institution follows them, without padding spaces."""
    names: list[str] = []
    for piece in _pieces(line):
        words = _split_names(piece)
        found = list(takewhile(_is_name, words))
        names.extend(found)
        if len(found) < len(words):
            return names if _NOT_A_NAME.search(words[len(found)]) else []
    return names


def is_chinese_institution(line: str) -> bool:
    """Return whether a line names an institution."""
    return (
        CHINESE_CHARACTER.search(line) is not None
        and _NOT_A_NAME.search(line) is not None
        and not is_chinese_prose(line)
    )


def is_chinese_prose(text: str) -> bool:
    """Return whether a paragraph contains a sentence: bylines have no period."""
    return "。" in text and CHINESE_CHARACTER.search(text) is not None


def clean_chinese_institution(line: str) -> str:
    """Return an institution without its brackets and postcode."""
    start, end = len(line) - len(line.lstrip(" （(")), len(line.rstrip(" ）)"))
    return line[start : start + len(_POSTCODE.sub("", to_half_width(line[start:end])))]


def _pieces(line: str) -> list[str]:
    """Split a line at everything between names: commas, superscript numbers, asterisks."""
    text = to_half_width(line[:_MAX_CHARS])
    label = _LABEL.match(text)
    text = _IN_BRACKETS.sub(" , ", text[label.end() :] if label else text)
    return [piece for one in _SEPARATORS.split(text) if (piece := one.strip())]


def _split_names(piece: str) -> list[str]:
    """Split a piece at spaces, or at one conjunction between two names."""
    halves = re.split(f"[{_CONJUNCTIONS}]", piece)
    if len(halves) == 2 and all(_is_name(half.strip()) for half in halves):
        return [half.strip() for half in halves]
    return _join_split_names([word for word in piece.split() if word not in _CONJUNCTIONS])


def _join_split_names(words: list[str]) -> list[str]:
    """Join a lone family name with the word after it: "王 明 李 小华" is two names."""
    if len(words) <= 3 and all(len(word) == 1 for word in words):
        return ["".join(words)]
    names: list[str] = []
    family = ""
    for word in words:
        if family and len(word) <= 2:
            names.append(family + word)
            family = ""
        elif not family and (word in _SHORT_FAMILY_NAMES or word in _COMPOUND_FAMILY_NAMES):
            family = word
        else:
            names.extend(filter(None, (family, word)))
            family = ""
    return [*names, family] if family else names


def _is_name(word: str) -> bool:
    if _NOT_A_NAME.search(word):
        return False
    if _FOREIGN.fullmatch(word):
        return True
    if word[:2] in _COMPOUND_FAMILY_NAMES:
        return 3 <= len(word) <= 4
    return word[:1] in _SHORT_FAMILY_NAMES and 2 <= len(word) <= 3

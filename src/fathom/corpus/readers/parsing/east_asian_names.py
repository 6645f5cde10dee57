"""Chinese, Japanese and Korean names and institutions in a byline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

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
_NOT_A_CHINESE_NAME = re.compile(
    "大学|学院|学校|中学|小学|研究|实验室|中心|医院|公司|集团|科学院|工程院|银行|出版|编辑|杂志|委员会|协会|学会|基金|部门|局$|厅$|"
    "大學|學院|學校|實驗室|醫院|省|市|县|区|教授|讲师|博士|硕士|学报|邮编|邮箱|日期|通[讯信]|作者|摘要|简介|分类号"
)
_CHINESE_LABEL = re.compile(r"\W{0,6}(?:作\s?者(?:姓\s?名)?|文|撰文)\s?[:/]\s?")
_IN_BRACKETS = re.compile(r"\([^()]{0,400}(?:\)|$)")
_CHINESE_SEPARATORS = re.compile(rf"[^{CHINESE}·•\s]+")
_FOREIGN = re.compile(rf"[{CHINESE}]{{1,8}}(?:[·•][{CHINESE}]{{1,8}}){{1,3}}")
_CONJUNCTIONS = "和与及"
_POSTCODE = re.compile(r"[\s,]*\d{6}$")
_MAX_CHARS = 600
"""Characters of a line that are searched."""


@dataclass(frozen=True)
class NamesInLine:
    """The names in a line, and whether it has words that are neither names nor institutions nor notes."""

    names: tuple[str, ...] = ()
    unexplained: bool = False


def find_east_asian_names(line: str) -> NamesInLine:
    """Return the names in a line of Chinese, Japanese or Korean, without padding spaces in Chinese names."""
    if _HANGUL.search(line):
        return _find_korean_names(line)
    if _CHINESE_NOTE.match(to_half_width(line)):
        return NamesInLine()
    japanese = _find_japanese_names(line)
    return NamesInLine(japanese) if japanese else _find_chinese_names(line)


def _find_chinese_names(line: str) -> NamesInLine:
    words = [word for piece in _chinese_pieces(line) for word in _split_names(piece)]
    names: list[str] = []
    in_address = False
    for word, following in pairwise((*words, "")):
        if _NOT_A_CHINESE_NAME.search(word):
            in_address = True
        elif not in_address and _is_chinese_name(word):
            names.append(word)
        elif not in_address or (_is_chinese_name(word) and _INSTITUTION.search(following)):
            # "王明 东海大学 李华 滨江学院": a place after an institution is not followed by another institution.
            return NamesInLine(unexplained=True)
    return NamesInLine(tuple(names))


_CHINESE_NOTE = re.compile(
    r"\W*(?:收稿|修回|录用|出版|基金|作者简介|第一作者|通[讯信]作者|中图分类号|文献标[识志]码|文章编号|引用格式|E-?mail|DOI|"
    r""
    r"\d{4}\s?年)",
    re.IGNORECASE,
)
_INSTITUTION = re.compile("大学|学院|研究|实验室|中心|医院|公司|大學|學院")

_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_KOREAN_FAMILY_NAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염"
)
_KOREAN_INSTITUTION = re.compile("대학교|대학원|연구소|연구원|학과|병원|회사")


def _find_korean_names(line: str) -> NamesInLine:
    """Return Korean names of two to four syllables, separated by commas, dots or spaces."""
    words = re.findall(r"[\uac00-\ud7a3]+", line[:_MAX_CHARS])
    if any(map(_KOREAN_INSTITUTION.search, words)):
        named = any(word[0] in _KOREAN_FAMILY_NAMES and len(word) == 3 for word in words)
        return NamesInLine(unexplained=named)
    valid = all(word[0] in _KOREAN_FAMILY_NAMES and 2 <= len(word) <= 4 for word in words)
    others = re.search(r"[^\W\d_]", _HANGUL.sub("", line))
    return NamesInLine(tuple(words)) if valid and not others else NamesInLine(unexplained=True)


_JAPANESE_NAME = re.compile(rf"([{CHINESE}々]{{1,4}})[ \u3000]?([{CHINESE}々\u3040-\u30ff]{{1,5}})")
_JAPANESE_NAMES = (
    "佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤 "
    "清水 山崎 池田 橋本 阿部 石川 山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤 村上 遠藤 青木 "
    "坂本 斉藤 福田 太田 西村 藤井 金子 岡本 藤原 中野 三浦 原田 中川 松田 竹内 小野 田村 中山 和田 "
    "石田 森田 上田 内田 柴田 酒井 宮崎 横山 高木 安藤 宮本 大野 小島 谷口 今井 工藤 高田 増田 丸山 "
    "杉山 村田 大塚 新井 小山 平野 藤本 河野 上野 野口 武田 松井 千葉 菅原 岩崎 久保 木下 佐野 野村 "
    "松尾 市川 菊地 杉本 古川 大西 島田"
)
_JAPANESE_FAMILY_NAMES = frozenset(_JAPANESE_NAMES.split())


def _find_japanese_names(line: str) -> tuple[str, ...]:
    """Return Japanese names with a space between the parts; one of them must have a frequent family name."""
    text = re.sub(r"[\d*†‡§¹²³⁴-⁹]+", ",", line[:_MAX_CHARS])
    pieces = [piece.strip() for piece in re.split(r"[,，、;；・\n]|\s{2,}", text) if piece.strip()]
    matches = [_JAPANESE_NAME.fullmatch(piece) for piece in pieces]
    spaced = all(match and re.search(r"\s", match[0]) for match in matches)
    frequent = any(match and match[1] in _JAPANESE_FAMILY_NAMES for match in matches)
    return tuple(" ".join(piece.split()) for piece in pieces) if matches and spaced and frequent else ()


def is_chinese_institution(line: str) -> bool:
    """Return whether a line names an institution."""
    return (
        CHINESE_CHARACTER.search(line) is not None
        and _NOT_A_CHINESE_NAME.search(line) is not None
        and not is_chinese_prose(line)
    )


def is_chinese_prose(text: str) -> bool:
    """Return whether a paragraph contains a sentence: bylines have no period."""
    return "。" in text and CHINESE_CHARACTER.search(text) is not None


def clean_chinese_institution(line: str) -> str:
    """Return an institution without its brackets and postcode."""
    start, end = len(line) - len(line.lstrip(" （(")), len(line.rstrip(" ）)"))
    return line[start : start + len(_POSTCODE.sub("", to_half_width(line[start:end])))]


def _chinese_pieces(line: str) -> list[str]:
    """Split a line at everything between names: commas, superscript numbers, asterisks."""
    text = to_half_width(line[:_MAX_CHARS])
    label = _CHINESE_LABEL.match(text)
    text = _IN_BRACKETS.sub(" , ", text[label.end() :] if label else text)
    return [piece for one in _CHINESE_SEPARATORS.split(text) if (piece := one.strip())]


def _split_names(piece: str) -> list[str]:
    """Split a piece at spaces, or at one conjunction between two names."""
    halves = re.split(f"[{_CONJUNCTIONS}]", piece)
    if len(halves) == 2 and all(_is_chinese_name(half.strip()) for half in halves):
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


def _is_chinese_name(word: str) -> bool:
    if _NOT_A_CHINESE_NAME.search(word):
        return False
    if _FOREIGN.fullmatch(word):
        return True
    if word[:2] in _COMPOUND_FAMILY_NAMES:
        return 3 <= len(word) <= 4
    return word[:1] in _SHORT_FAMILY_NAMES and 2 <= len(word) <= 3

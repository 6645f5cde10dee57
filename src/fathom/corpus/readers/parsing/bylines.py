"""Authors and affiliations in the lines between a title and the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from fathom.corpus.readers.markdown.inline import parse_inline
from fathom.corpus.readers.parsed_document import ParsedAuthor
from fathom.corpus.readers.parsing.blocks import visible_text
from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, join_spaced_name, to_half_width
from fathom.records.names import CHINESE, family_start, is_particle

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


def find_chinese_names(line: str) -> list[str]:
    """Return the names at the start of a line if nothing but an institution follows them, without padding spaces."""
    names: list[str] = []
    for piece in _chinese_pieces(line):
        words = _split_names(piece)
        found = list(takewhile(_is_chinese_name, words))
        names.extend(found)
        if len(found) < len(words):
            return names if _NOT_A_CHINESE_NAME.search(words[len(found)]) else []
    return names


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


_NOT_A_NAME = re.compile(
    r"universit|institut|department|laborator|school|college|academ|polytechni|research|center|centre|\binc\b|\bltd\b|"
    r"\bcorp(?:oration)?\b|\bgroup|\blabs?\b|faculty|hospital|foundation|division|ministry|company|google|microsoft|"
    r"deepmind|\bmeta\b|openai|nvidia|amazon|alibaba|tencent|huawei|inria|equal|contribut|correspond|author|abstract|"
    r"\bintern|technolog|\btech\b|intelligence|science|engineering|preprint|arxiv|github|http|version|draft|work done|"
    r"project|\blead(?:er)?\b|"
    # Whole words only: "Francesca" and "Sousa" are not countries.
    r"\b(?:china|germany|usa|france|kingdom|states|korea|japan|canada|switzerland|singapore|india|italy)\b",
    re.IGNORECASE,
)
_INSTITUTION = re.compile(
    r"universit|institut|department|laborator|school|college|academ|polytechni|\bcent(?:er|re)\b|faculty|hospital", re.I
)
_MARKED = re.compile(r"[@<>{}\[\]\\|*†‡§¶∗⋆\d]")
_LABEL_WORDS = re.compile(
    r"\b(?:article|report|review|letter|communication|introduction|summary|background|related work|keyword|open access|"
    r"journal|conference|proceedings|workshop|volume|issue|editor|published|received|accepted|copyright|licen[cs]e)s?\b",
    re.IGNORECASE,
)
"""Other capitalized words between a title and the text."""
_PLACES = frozenset(
    (
        *("ann arbor", "hong kong", "los angeles", "new delhi", "new haven", "new jersey", "new york", "palo alto"),
        *("san diego", "san francisco", "santa barbara", "st. louis", "tel aviv"),
    )
)
_SHORT_ACRONYMS = frozenset(("AI", "UC", "UK", "US", "UT"))
_SEPARATORS = re.compile(
    r"[\n,;&•·|()\u2003\u2009]|\s{3,}|\band\b|[\d*†‡§¶∗⋆♠♣♡♢∘⁎]+|"
    # Converters leave the LaTeX command for the next author, attached to the name: "\AndAriel Moss".
    r"\\(?:And|AND)(?![a-z])|\\[a-zA-Z]+|[\ue000\ue001]"
)
_WORD = re.compile(r"[^\W\d_][\w'’.\-‐]*")
_LABEL = re.compile(r"\W*(?:written by|authors?|by)\b\s*:?\s*", re.IGNORECASE)
_ADDRESS = re.compile(r"[<(]\s*[^\s<>()]{1,200}@[^\s<>()]{1,200}\s*[>)]")
_DEGREES = frozenset(("jr", "sr", "ii", "iii", "phd", "ph.d", "md", "m.d", "msc", "dr", "prof"))
_MAX_LINES = 200
"""Maximum number of lines below a title that are searched."""


def is_prose(text: str) -> bool:
    """Return whether a paragraph consists of sentences, not names."""
    if is_chinese_prose(text[:1_000]):
        return True
    words = re.findall(r"[^\W\d_]{2,}", text[:1_000])
    return len(words) >= 25 and sum(word[0].islower() for word in words) * 2 > len(words)


def find_authors(lines: Sequence[str]) -> list[ParsedAuthor]:
    """Return the likely authors in the lines below a title."""
    names: dict[str, None] = {}
    for line in lines[:_MAX_LINES]:
        names.update(dict.fromkeys([*filter(_is_name, _pieces(line))] or _chinese_line_names(line)))
    return [author_from_name(name) for name in names]


def _chinese_line_names(line: str) -> list[str]:
    return [] if line.isascii() else find_chinese_names(visible_text(parse_inline(line)))


def find_affiliation(lines: Sequence[str]) -> str:
    """Return the one affiliation of all authors, if exactly one line below the title names an institution."""
    institutions = [line.strip() for line in lines[:_MAX_LINES] if _has_institution(line) and not _has_names_only(line)]
    affiliation = institutions[0] if len(institutions) == 1 else ""
    affiliation = clean_chinese_institution(affiliation) if is_chinese_institution(affiliation) else affiliation
    # A mark or a number assigns an institution to some of the authors only.
    return "" if len(affiliation) > 200 or is_prose(affiliation) or _MARKED.search(affiliation) else affiliation


def _has_institution(line: str) -> bool:
    return bool(_INSTITUTION.search(line[:200])) or is_chinese_institution(line[:200])


def byline_length(paragraphs: Sequence[str]) -> int:
    """Return how many paragraphs below a title are its byline: lines of names only, then their institutions.

    For a text without an abstract, where the first paragraph may be anything.
    """
    length = 0
    for paragraph in paragraphs[:_MAX_LINES]:
        lines = [line for line in paragraph.split("\n") if line.strip()]
        names_only = [_has_names_only(line) for line in lines]
        if not names_only or not (names_only[0] or length) or not all(map(_in_byline, lines, names_only)):
            break
        length += 1
    return length


def _in_byline(line: str, names_only: bool) -> bool:
    if names_only or len(line) > 200 or is_prose(line):
        return names_only
    return bool("@" in line or _NOT_A_NAME.search(line) or is_chinese_institution(line))


def _has_names_only(line: str) -> bool:
    names = [piece for piece in _pieces(line) if piece.casefold() not in _DEGREES]
    return (bool(names) and all(map(_is_name, names))) or bool(_chinese_line_names(line))


def _pieces(line: str) -> list[str]:
    """Split a line at everything between names; empty for a line with an email address, whose parts resemble names."""
    line = _ADDRESS.sub(" ", line[:2_000])
    label = _LABEL.match(line)
    line = line[label.end() :] if label else line
    if "@" in line:
        return []
    text = re.sub(r"(?<=[a-zà-ž])(?=\d)", " ", visible_text(parse_inline(line)))
    pieces = (" ".join((piece or "").split()).strip(" .:*_{}[]") for piece in _SEPARATORS.split(text))
    return [piece for piece in pieces if piece]


def _is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 5 or len(text) > 50 or _NOT_A_NAME.search(text) or _LABEL_WORDS.search(text):
        return False
    if text.casefold() in _PLACES or any(map(_is_acronym, words)):
        return False
    if not all(_WORD.fullmatch(word) and (word[0].isupper() or is_particle(word)) for word in words):
        return False
    return words[-1][0].isupper()


def _is_acronym(word: str) -> bool:
    """Return whether a word is an acronym as in "ETH Zürich" or "UT Austin"; initials have a period or two letters."""
    return word in _SHORT_ACRONYMS or (len(word) > 2 and word.isupper() and "." not in word)


def author_from_name(name: str) -> ParsedAuthor:
    """Return the author with a printed name; the last word and the particles before it are the family name."""
    name = join_spaced_name(" ".join(name.split()))
    if "," in name:
        family, _, given = name.partition(",")
        return ParsedAuthor(given.strip(), family.strip(), printed=f"{given.strip()} {family.strip()}".strip())
    words = name.split()
    start = family_start(words)
    return ParsedAuthor(" ".join(words[:start]), " ".join(words[start:]), printed=name)

"""How plausible a text is in each legacy encoding: by frequent characters, alphabets and the shape of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from fathom.corpus.readers.parsing.text_cleanup import word_set

_MAX_UNITS = 5_000
"""Words or characters that are judged."""


@dataclass(frozen=True)
class Candidate:
    """A file decoded in one encoding."""

    encoding: str
    text: str
    score: float
    """Share of its words or characters that are plausible, from 0 to 1."""
    evidence: int
    """Number of words or characters that were judged."""


def rank(content: bytes) -> list[Candidate]:
    """Return the file in every encoding that it can be in, the most plausible first."""
    candidates: list[Candidate] = []
    for encoding, score in ENCODINGS.items():
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        units, share = score(text)
        candidates.append(Candidate(encoding, text, share, max(1, units)))
    return sorted(candidates, key=lambda one: -one.score)


_Judgment = tuple[int, float]
"""Number of units judged, and the share that is plausible."""


# Chinese, Japanese and Korean: by frequent characters.

_CHINESE = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性"
    "知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次"
    "度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建"
    "务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路"
    "记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运研究方法结果分析模型数据实验本文提出系统测"
    "试速率影响过程参考文献摘要关键词引言温度地区城镇县省中心国家河流水文时空序列值图表单位章节条款规定依照城乡州里村居户收支元"
    "這個們來為國說時會對過發後裡種經麼學現當沒動還進樣開從實軍無與長機關點業將兩間問戰頭體見產話門東聲員處義幾認條氣題爾別變總"
    "電數報結務場計資許統區隊決馬書則聽卻達強難權設記類據邊張該規萬領確傳師觀讓識帶導爭運於並應樂價傳輸測試驗證單據號網頁圖標"
    "、。，！？；：「」『』（）《》【】“”‘’—…．％／·"
)
_KOREAN = frozenset(
    "이다는을의에고가하지은를기사한로도서자인나아리대시그정스어해과전수으일부있제들적라동원만여보구었장면것게연주상니성계용와오"
    "학습우공소신비경안세무중국모할위마드각물유화거생방문실관러합했요민된선행조내분당등때히개없던말명발력되입간현양터려재단진미"
    "까트차배바식않데열산업치결회표강퇴적홍변형크후초호술속체저운근본통천질금날달반불음약외임종직집청출태토특파포품피필함향환활"
    "、。，！？；：「」『』（）《》“”‘’—…·"
)
_HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]")
_KANA = re.compile("[\u3041-\u30ff]")
_HIRAGANA_OR_SIGN = re.compile("[\u3041-\u3096\u3001\u3002\u30fc]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")


def _signs(text: str) -> Counter[str]:
    """Count the first characters outside ASCII."""
    return Counter(islice((one for one in text if one > "\x7f"), _MAX_UNITS))


def _count(signs: Counter[str], pattern: re.Pattern[str]) -> int:
    return sum(count for sign, count in signs.items() if pattern.match(sign))


def _chinese(text: str) -> _Judgment:
    signs = _signs(text)
    total = signs.total()
    frequent = sum(count for sign, count in signs.items() if sign in _CHINESE)
    # Kana and Hangul have the same bytes in the Japanese and Korean encodings.
    foreign = _count(signs, _KANA) + _count(signs, _HANGUL)
    odd = sum(count for sign, count in signs.items() if not (sign in _CHINESE or _HAN.match(sign)))
    return total, _share(2 * frequent - 2 * foreign - odd, total)


def _japanese(text: str) -> _Judgment:
    signs = _signs(text)
    total = signs.total()
    kana = _count(signs, _KANA) + _count(signs, _HIRAGANA_OR_SIGN)
    frequent = sum(count for sign, count in signs.items() if sign in _CHINESE)
    others = sum(
        count for sign, count in signs.items() if not (_KANA.match(sign) or _HAN.match(sign) or sign in _CHINESE)
    )
    return total, _share(2 * kana + 1.5 * frequent - 2 * _count(signs, _HALF_WIDTH_KANA) - others, total)


def _korean(text: str) -> _Judgment:
    signs = _signs(text)
    total = signs.total()
    frequent = sum(count for sign, count in signs.items() if sign in _KOREAN)
    odd = sum(count for sign, count in signs.items() if not (_HANGUL.match(sign) or sign in _KOREAN))
    return total, _share(1.7 * frequent - odd, total)


def _share(points: float, total: int) -> float:
    return min(1.0, max(0.0, points / total)) if total else 0.0


# Alphabets: by the letters that one language uses, and by the case of the letters.

_WORD = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
_LETTER_RUN = re.compile(r"[^\W\d_\x00-\x7f]{3}")
_SYMBOL = re.compile(r"[^\w\s\x00-\x7f]|[ªº¹²³¼½¾\x80-\x9f]")
_TYPOGRAPHIC = frozenset("“”‘’‚„–—…•·«»‹›°©®™±×÷µ§¶£€¥¢¿¡½¼¾²³¹ºª†‡‰\xad´¨¬№")
_IN_WORDS = frozenset("’‘·–—\xad´")

_WESTERN_LANGUAGES = {
    **{"French": "àâæçéèêëîïôœùûüÿ", "German": "äöüß", "Spanish": "áéíóúñü", "Portuguese": "áâãàçéêíóôõúü"},
    **{"Italian": "àèéìíîòóùú", "Danish": "æøåéü", "Swedish": "åäöéü", "Icelandic": "áðéíóúýþæö"},
    **{"Catalan": "àçèéíïòóúü", "Dutch": "äëïöüéèêáóú", "Finnish": "äöåšž", "Estonian": "äöõüšž"},
}
_CENTRAL_LANGUAGES = {
    **{"Polish": "ąćęłńóśźż", "Czech": "áčďéěíňóřšťúůýž", "Slovak": "áäčďéíĺľňóôŕšťúýž", "Hungarian": "áéíóöőúüű"},
    **{"Croatian": "čćđšž", "Romanian": "ăâîşţ", "Albanian": "çë", "German": "äöüß"},
}
_TURKISH = {"Turkish": "çğıöşüâîûi̇"}


def _latin(languages: dict[str, str]) -> Callable[[str], _Judgment]:
    """Return a function that judges words by languages: each word, and all words together, are of one language."""
    alphabets = [frozenset(letters) for letters in languages.values()]

    def score(text: str) -> _Judgment:
        words = Counter(_words(text))
        total = words.total()
        symbols, bad_symbols = _judge_symbols(text)
        if not total:
            return symbols, _share(symbols - 2 * bad_symbols, symbols)
        of_some = 0
        of_one = [0] * len(alphabets)
        for word, count in words.items():
            letters = frozenset(letter for letter in word.lower() if letter > "\x7f")
            fits = [letters <= alphabet for alphabet in alphabets]
            if any(fits) and _is_word_shape(word) and not _LETTER_RUN.search(word):
                of_some += count
                of_one = [number + fit * count for number, fit in zip(of_one, fits, strict=True)]
        points = 0.5 * of_some + 0.5 * max(of_one) - bad_symbols
        return total + symbols, _share(points, total)

    return score


def _cyrillic(text: str) -> _Judgment:
    words = Counter(_words(text))
    total = words.total()
    good = sum(count for word, count in words.items() if _CYRILLIC.fullmatch(word) and _is_word_shape(word))
    letters = "".join(islice(words, 2_000))
    frequent = sum(one in _FREQUENT_CYRILLIC for one in letters.lower())
    # In the other encoding every lower-case letter is a capital.
    capitals = sum(word.isupper() and len(word) > 1 for word in words)
    common = min(1.0, frequent / (0.6 * len(letters))) if letters else 0.0
    loud = 0.9 if capitals * 2 > len(words) else 1.0
    _, bad_symbols = _judge_symbols(text)
    return total, _share((good - bad_symbols) * common * loud, total)


_CYRILLIC = re.compile("[Ѐ-ӿ]+")
_FREQUENT_CYRILLIC = frozenset("оеаинтсрвлі")
_GREEK = re.compile("[Ͱ-Ͽ]+")


def _greek(text: str) -> _Judgment:
    words = Counter(_words(text))
    good = sum(
        count
        for word, count in words.items()
        if _GREEK.fullmatch(word) and _is_word_shape(word) and "ς" not in word[:-1] and not set(word) & set("ΰΐ")
    )
    _, bad_symbols = _judge_symbols(text)
    return words.total(), _share(good - bad_symbols, words.total())


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in islice(_WORD.finditer(text), _MAX_UNITS))


def _is_word_shape(word: str) -> bool:
    """Return whether no capital outside ASCII follows a lower-case letter."""
    return not any(
        letter > "\x7f" and letter.isupper() and word[place].islower() for place, letter in enumerate(word[1:])
    )


def _judge_symbols(text: str) -> tuple[int, int]:
    """Return the number of symbols outside ASCII, and how many are unusual or inside a word."""
    total = bad = 0
    for match in islice(_SYMBOL.finditer(text), _MAX_UNITS):
        total += 1
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        inside = before.isalpha() and after.isalpha() and match[0] not in _IN_WORDS
        bad += inside or match[0] not in _TYPOGRAPHIC
    return total, bad


ENCODINGS: dict[str, Callable[[str], _Judgment]] = {
    "cp1252": _latin(_WESTERN_LANGUAGES),
    "cp1250": _latin(_CENTRAL_LANGUAGES),
    "cp1254": _latin(_TURKISH),
    "cp1251": _cyrillic,
    "koi8-r": _cyrillic,
    "cp1253": _greek,
    "gb18030": _chinese,
    "big5hkscs": _chinese,
    "cp932": _japanese,
    "euc_jp": _japanese,
    "cp949": _korean,
}
"""Encodings that are tried, and how a text in each is judged. Of equals, the first is taken."""


def wide_score(text: str) -> float:
    """Return how plausible a text of UTF-16 or UTF-32 is, from 0 to 1: almost all characters are of known scripts."""
    signs = Counter(text[:20_000])
    usual = _count(signs, _USUAL)
    if usual < 0.97 * signs.total() or not signs.total():
        return 0.0
    plain = sum(count for sign, count in signs.items() if sign < "\u0530")
    frequent = sum(count for sign, count in signs.items() if sign in _CHINESE or sign in _KOREAN or _KANA.match(sign))
    return _share(plain + 2 * frequent, signs.total())


_USUAL = re.compile(
    "[\t\n\r\f -~\xa0-\u052f\u2000-\u206f\u2200-\u22ff\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uff65]"
)

_WESTERN_WORDS = word_set(
    "the of and in to is for with that der die das und ist nicht mit von le la les des et est une dans pour el los las"
    " del que por una con il di che per het een van och att det som og til os uma para com"
)


def is_western(text: str) -> bool:
    """Return whether the text is in English or another language of Western Europe, by its small words."""
    words = re.findall(r"[a-z]+", text[:200_000].lower())
    return sum(word in _WESTERN_WORDS for word in words) * 10 > len(words)

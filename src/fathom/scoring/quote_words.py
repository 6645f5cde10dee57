"""The words of a text in the form in which quotes are compared: no case, accents, punctuation or markup."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, compress
from typing import Final

from fathom.records.names import without_accents

# Scripts without spaces between words: every character is a word of its own.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED_LETTER = re.compile(f"[{_UNSPACED}]|[\U00020000-\U0003ffff]")
# A decimal point is a part of its number, since 1.5 is not 15; the comma of "1,200" is not, since "[1,2]" is "[1, 2]".
# A Chinese number is one word, since 五十一 is not 五十.
_LETTER = rf"[^\W\d_{_UNSPACED}\U00020000-\U0003ffff]"
# Most words have plain letters alone; they are tried first because that is faster.
_WORD = re.compile(
    rf"([a-z]++(?!{_LETTER})|\d+(?:[.·]\d+)*|[〇零一二三四五六七八九十百千]{{2,}}|[{_UNSPACED}]|[\U00020000-\U0003ffff]|{_LETTER}+)"
)

_GREEK_NAMES: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
)
_GREEK = dict(zip(map(ord, "αβγδεζηθικλμνξοπρστυφχψω"), _GREEK_NAMES.split(), strict=True)) | {ord("ς"): "sigma"}

_LATEX_COMMANDS: Final = (
    r"text\w{0,12}|math\w{2,8}|emph|em|it|bf|rm|sf|tt|sc|boldsymbol|bm|operatorname|mbox|hbox|underline|overline|bar|"
    r"hat|vec|widehat|widetilde|tilde|dot|ddot|left|right|[bB]igg?[lr]?|d?frac|tfrac|sqrt|sum|prod|int|lim|leq?|geq?|"
    r"neq?|ll|gg|lt|gt|pm|mp|times|cdots?|ldots|dots|sim|simeq|approx|equiv|propto|infty|partial|nabla|to|in|notin|"
    r"(?:long)?(?:left|right)arrow|(?:Left|Right)arrow|circ|prime|degree|ast|star|mid|cite\w{0,8}|(?:auto|eq|page|c)?ref|"
    r"label|footnote\w{0,4}|url|href|item|begin|end|noindent|newline|linebreak|par|quad|qquad|small|large|si|num|xspace|"
    r"top|triangle\w{0,6}|rangle|rceil|rfloor|r?vert|rbrace|neg|nmid|tanh?"
)
_MARKUP = re.compile(
    rf"</?[A-Za-z][A-Za-z0-9]{{0,15}}(?:[\s/][^<>\n]{{0,200}})?>|(?<=\])\((?!\d+\))[^()\s]{{1,500}}\)|\\(?i:{_LATEX_COMMANDS})(?![A-Za-z])|"
    r"\\(?!(?:theta|tau|nu|rho)(?![A-Za-z]))[nrt]|&(?:amp|lt|gt|le|ge|quot|apos|nbsp|[mn]dash|[lr][sd]quo|hellip|times|#x?[\dA-Fa-f]{1,6});"
)
"""Markup that has letters: tags, the addresses of Markdown links, LaTeX commands, escaped line ends, entities."""

_MARKUP_START, _MARKUP_OR_LINK_START = re.compile(r"[<\\&]"), re.compile(r"[<\\&(]")

_SIGN_START = re.compile(r"[<>=!&\\≤≥≦≧⩽⩾≠≪≫﹤＜﹥＞＝−–—-]")
_SIGN = re.compile(
    # Not signs: tags, arrows and rules of "=".
    r"</?[A-Za-z][A-Za-z0-9]{0,15}(?:[\s/][^<>\n]{0,200})?>|[-=]{1,3}>|={3,}|"
    r"(?P<le>(?:<|&lt;)=|&le;|\\leq?(?:slant)?(?![A-Za-z])|[≤≦⩽])|(?P<lt><|&lt;|\\lt(?![A-Za-z])|[≪﹤＜])|"
    r"(?P<ge>(?:>|&gt;)=|&ge;|\\geq?(?:slant)?(?![A-Za-z])|[≥≧⩾])|(?P<gt>>|&gt;|\\gt(?![A-Za-z])|[≫﹥＞])|"
    r"(?P<ne>!=|&ne;|\\neq?(?![A-Za-z])|≠)|(?P<eq>==?|＝)|"
    # A minus belongs to its number; a dash between two numbers or inside a word does not.
    r"(?P<minus>(?<![^\s(\[{<>=≤≥|$±,;:/~\"'“‘*_`])(?:--?|[−–—])(?=\.?\d)|"
    r"(?:(?<=[=<>≤≥])|(?<=[=<>≤≥]\s))(?:--?|[−–—])\s?(?=\.?\d))"
)
"""Signs that say how numbers compare, in all spellings, and the minus of a number."""

_THOUSANDS, _GROUP = (",", "'", "’", "{,}", "\\,"), 3
"""What separates groups of digits, and the digits of a group."""

_YEAR = r"(?:1[6-9]|20)\d\d"
_OPTIONAL = re.compile(
    # Numbers and keys in brackets: [12], [3-5, 8], [^2], [@lind2019; @wu], [Lin19]_.
    r"\[(?:\^[^\[\]\n]{1,40}|@[^\[\]]{1,200}|[\d,;\s‐-―−-]{1,80}|[A-Za-z+]{1,20}\d{2,4}[a-z]?\](?=_))\]?_?|"
    # Authors with years and bare numbers in parentheses: (Lind et al., 2019; Wu, 2020), (2019), (12, 13).
    rf"\((?:[^()]{{0,300}}?\b{_YEAR}[a-z]?\b[^()]{{0,200}}|"
    r"[^()]{0,60}\bet al\b[^()]{0,60}|\d{1,3}(?:\s?[,;‐-―−-]\s?\d{1,3}){0,15})\)|"
    # References to parts of the document: (Fig. 2A and Table 1), (see Section 3).
    r"\((?:see (?:also )?|cf\. )?(?:[Ss]upplementa(?:ry|l) |Extended Data )?"
    r"(?:[Ff]ig(?:ure|s|\.)|[Tt]ab(?:le|\.)|[Ss]ect(?:ion|\.)|[Aa]ppendix|[Ee]q(?:uation|s?\.)|[Vv]ideo|[Bb]ox)[^()]{0,80}\)|"
    # Markup of citations: <sup>12</sup>, \cite{lind}, :cite:`lind`, ^12^, ^{12}.
    r"<sup>[^<>]{0,60}</sup>|\\cite\w{0,8}\*?(?:\[[^\[\]]{0,60}\]){0,2}\{[^{}]{0,300}\}|:cite\w{0,6}:[^`\n]{0,20}`[^`]{1,300}`|"
    r"\^\{?[\d,\s‐-―−-]{1,30}[\^}]|[【［][\d,，、\s-]{1,40}[】］]"
)
"""Parts of a text that a quote may leave out: citations, footnote marks and references to figures."""
_OPTIONAL_START = re.compile(r"[\[(<\\:^【［]")


@dataclass(frozen=True)
class NormalizedWords:
    """The words of a text in normal form, with their places."""

    text: str
    forms: list[str]
    starts: list[int]
    ends: list[int]
    optional: list[bool]
    """Whether the word belongs to a citation or another mark that a quote may leave out."""
    letters: str
    """All normal forms, joined without spaces: words that are divided in different ways are equal in it."""
    offsets: list[int]
    """Where each normal form starts in `letters`, and the length of `letters`."""

    @classmethod
    def of(cls, text: str) -> NormalizedWords:
        """The words of a text."""
        plain = without_markup(text)
        lower = plain.lower()
        # Few letters have a lower case of another length; in a text that has one, each word is changed by itself.
        parts = _WORD.split(lower if len(lower) == len(plain) else plain)
        forms = parts[1::2]
        if not lower.isascii():
            forms = [word if word.isascii() else normal_word(word) for word in forms]
        if len(lower) != len(plain):
            forms = [form.lower() for form in forms]
        edges = [*accumulate(map(len, parts))]
        starts, ends = edges[0 : 2 * len(forms) : 2], edges[1::2]
        if "" in forms:
            kept = [bool(form) for form in forms]
            starts, ends = ([*compress(edges, kept)] for edges in (starts, ends))
            forms = [*compress(forms, kept)]
        optional = _optional_words(text, forms, starts, ends)
        return cls(text, forms, starts, ends, optional, "".join(forms), [0, *accumulate(map(len, forms))])

    @cached_property
    def signs(self) -> dict[int, str]:
        """For each word after comparison signs, what they say: "lt" for <, "le" for ≤, "eq minus" for = -."""
        names: dict[int, str] = {}
        end = 0
        for start in _SIGN_START.finditer(self.text):
            sign = _SIGN.match(self.text, start.start()) if start.start() >= end else None
            if sign is None:
                continue
            end = sign.end()
            at = bisect_left(self.starts, end)
            name = self._sign_name(sign) if at < len(self.starts) else ""
            if name:
                names[at] = f"{names[at]} {name}" if at in names else name
        return names

    def _sign_name(self, sign: re.Match[str]) -> str:
        """The meaning of a sign; nothing for the > before a quoted line of Markdown.

        "dash" is a minus or the dash of a range: "5 -10" may also be two cells of a table without its borders.
        """
        if sign[0] == ">":
            line = self.text.rfind("\n", 0, sign.start()) + 1
            return "gt" if self.text[line : sign.start()].strip(" \t>") else ""
        before = self.text[max(0, sign.start() - 20) : sign.start()].rstrip()[-1:]
        ambiguous = sign.lastgroup == "minus" and (before.isalnum() or before in (")", "]", "%"))
        return "dash" if ambiguous and not before.isalpha() else sign.lastgroup or ""

    def divides_number(self, at: int) -> bool:
        """Whether a word and the one before it are two numbers, and not one with a separator of thousands."""
        if not (at and self.forms[at][0].isdecimal() and self.forms[at - 1][-1].isdecimal()):
            return False
        between = self.text[self.ends[at - 1] : self.starts[at]]
        if between.isspace() or between in _THOUSANDS:
            return len(self.forms[at]) != _GROUP or len(self.forms[at - 1]) > _GROUP
        return not between.startswith(("^", "-\n"))

    def required(self) -> NormalizedWords:
        """Without the words that may be left out."""
        kept = [not optional for optional in self.optional]
        forms = [*compress(self.forms, kept)]
        starts, ends = ([*compress(places, kept)] for places in (self.starts, self.ends))
        offsets = [0, *accumulate(map(len, forms))]
        return NormalizedWords(self.text, forms, starts, ends, [False] * len(forms), "".join(forms), offsets)


def without_markup(text: str) -> str:
    """The text with as many spaces in place of markup that has letters."""
    pieces: list[str] = []
    end = 0
    for start in (_MARKUP_OR_LINK_START if "](" in text else _MARKUP_START).finditer(text):
        if start.start() >= end and (match := _MARKUP.match(text, start.start())):
            pieces += [text[end : match.start()], " " * len(match[0])]
            end = match.end()
    return "".join([*pieces, text[end:]]) if pieces else text


def letters_of(text: str) -> str:
    """The letters and digits of a text, in normal form and without anything between them."""
    return text.translate(_LETTERS)


class _LetterTable(dict[int, str | None]):
    """The normal form of each letter; None for a character that is not a letter."""

    def __missing__(self, code: int) -> str | None:
        letter = chr(code)
        self[code] = (normal_word(letter).replace(".", "") or None) if letter.isalnum() else None
        return self[code]


_LETTERS = _LetterTable()


@lru_cache(maxsize=1 << 16)
def normal_word(word: str) -> str:
    """The letters and digits of a word, without ligatures, accents and case; Greek letters are spelled out."""
    form = without_accents(unicodedata.normalize("NFKC", word)).casefold().translate(_GREEK).replace("·", ".")
    return "".join(letter for letter in form if letter.isalnum() or letter == ".")


def is_unspaced(form: str) -> bool:
    """Whether a word is a character of a script without spaces between words, such as Chinese."""
    return not form.isascii() and _UNSPACED_LETTER.match(form) is not None


def _optional_words(text: str, forms: list[str], starts: list[int], ends: list[int]) -> list[bool]:
    """For each word whether it is part of a citation, a footnote mark or a reference to a figure."""
    optional = [False] * len(starts)
    end = 0
    for start in _OPTIONAL_START.finditer(text):
        match = _OPTIONAL.match(text, start.start()) if start.start() >= end else None
        if match is None:
            continue
        end = match.end()
        first = bisect_left(starts, match.start())
        for at in range(first, bisect_right(ends, match.end(), first)):
            optional[at] = True
    for at in compress(range(len(forms)), map(str.isdecimal, forms)):
        if at and len(forms[at]) <= 3 and _is_raised(text, ends[at - 1], starts[at]):
            optional[at] = optional[at - 1] or not forms[at - 1].isdecimal()
    return optional


def _is_raised(text: str, before: int, start: int) -> bool:
    """Whether a number directly follows a word or its punctuation, as the 12 of "shown.12 The" does."""
    return start == before or (start == before + 1 and text[before] in ".,;)]")

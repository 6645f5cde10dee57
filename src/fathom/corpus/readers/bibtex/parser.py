"""BibTeX: bibliography files, LaTeX markup as plain text, and citations printed from the entries they name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from fathom.corpus.readers.parsed_document import CitationMark, Inlines, ParsedAuthor, ParsedReference

# LaTeX markup as plain text.

_COMBINING = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "c": "\u0327",
    "v": "\u030c",
    "u": "\u0306",
    "k": "\u0328",
    "r": "\u030a",
    "H": "\u030b",
    "d": "\u0323",
    "b": "\u0331",
}
_ACCENT = re.compile(
    r"""\\(?P<sign>['`^"~=.])\s*(?:\{\s*(?P<braced>\\?[^\W\d_])\s*\}|(?P<bare>\\[ij](?![A-Za-z])|[^\W\d_]))"""
    r"""|\\(?P<letter>[cvukrHdb])(?:\s*\{\s*(?P<inside>\\?[^\W\d_])\s*\}|\s+(?P<after>\\[ij](?![A-Za-z])|[^\W\d_]))"""
)
_SYMBOLS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "i": "i", "j": "j", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
    "textendash": "–", "textemdash": "—", "textbackslash": "\\", "backslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textquotesingle": "'", "textquoteright": "’", "textquoteleft": "‘", "textless": "<",
    "textgreater": ">", "textbar": "|", "textunderscore": "_", "textdollar": "$", "textregistered": "®",
    "texttrademark": "™", "textcopyright": "©", "copyright": "©", "texttimes": "×", "textdegree": "°",
    "textmu": "µ", "textquestiondown": "¿", "textexclamdown": "¡", "quotedblbase": "„", "textellipsis": "…",
    "textquotedblleft": "“", "textquotedblright": "”", "textbullet": "•", "ldots": "…", "dots": "…", "cdots": "…",
    "times": "×", "pm": "±", "leq": "≤", "geq": "≥", "le": "≤", "ge": "≥", "geqq": "≥", "neq": "≠", "approx": "≈",
    "sim": "∼", "infty": "∞", "to": "→", "rightarrow": "→", "leftarrow": "←", "cdot": "·", "circ": "°", "deg": "°",
    "surd": "√", "S": "§", "P": "¶", "pounds": "£", "euro": "€", "dag": "†", "ddag": "‡", "LaTeX": "LaTeX",
    "TeX": "TeX", "BibTeX": "BibTeX", "quad": " ", "qquad": " ", "newline": " ", "par": " ", "and": " and ",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_MARKUP = re.compile(
    r"\\href\s*\{[^{}]*\}|\\(?P<word>[A-Za-z]+)\*?[ \t]*|\\(?P<sign>.)|(?P<brace>[{}$])|(?P<tie>~)"
    r"|(?P<dashes>--+)|(?P<open>``)|(?P<close>'')",
    re.DOTALL,
)
# Commands whose argument is a measure, a name or a picture, not words.
_WORDLESS = re.compile(
    r"\\(?:vphantom|hphantom|phantom|vspace|hspace|label|color|textcolor|includegraphics|setlength|vskip|pagestyle"
    r"|thispagestyle|bibliographystyle|fontsize|selectlanguage|rule|addtocounter|setcounter|cellcolor|rowcolor)\b"
    r"\*?\s*(?:\[[^\[\]]*\]\s*)?(?:\\?\{[^{}]*\})?"
)


def plain_latex(text: str) -> str:
    """LaTeX markup as the words a reader sees: accents and signs as characters, commands and braces gone."""
    if not any(sign in text for sign in "\\{}$~-`'"):
        return text
    text = _WORDLESS.sub("", text)
    text = _ACCENT.sub(_accented, text)
    return _MARKUP.sub(_unmarked, text)


def _accented(match: re.Match[str]) -> str:
    letter = (match["braced"] or match["bare"] or match["inside"] or match["after"] or "").lstrip("\\")
    return unicodedata.normalize("NFC", letter + _COMBINING[match["sign"] or match["letter"]])


def _unmarked(match: re.Match[str]) -> str:
    if match["word"]:
        symbol = _SYMBOLS.get(match["word"], "")
        # A blank after a command ends its name and is not printed, save after a sign that stands for a word.
        return symbol + (" " if symbol and match[0][-1:].isspace() and not symbol.isalpha() else "")
    if match["sign"]:
        sign = match["sign"]
        return sign if sign in "%&$#_{}" else "" if sign in "-/()@!" else " "
    if match["tie"]:
        return " "
    if match["dashes"]:
        return "–" if len(match["dashes"]) == 2 else "—"
    if match["open"] or match["close"]:
        return "“" if match["open"] else "”"
    return ""


# Names.


@dataclass(frozen=True)
class Name:
    """A person or a body as an entry names it."""

    given: str
    family: str
    """With its particle: "van der Walt"."""
    suffix: str = ""
    group: bool = False

    @property
    def printed(self) -> str:
        """Given names first."""
        return " ".join(filter(None, (self.given, self.family, self.suffix)))


def names_of(field_text: str) -> tuple[list[Name], bool]:
    """The names in an author field, joined by "and", and whether "and others" closes it."""
    names: list[Name] = []
    others = False
    for part in split_outside(" ".join(field_text.split()), _AND):
        if part.strip().lower() == "others":
            others = True
        elif plain_latex(part).strip():
            names.append(name_of(part))
    return names, others


def name_of(text: str) -> Name:
    """One name: "First von Last", "von Last, First", "von Last, Jr, First", or "{A Whole Body}"."""
    text = " ".join(text.split())
    if text.startswith("{") and _closes_at_end(text) and " " in text:
        return Name("", _clean(text), group=True)
    parts = [part.strip() for part in split_outside(text, _COMMA)]
    if len(parts) >= 3:
        return Name(_clean(" ".join(parts[2:])), _clean(parts[0]), _clean(parts[1]))
    if len(parts) == 2:
        if plain_latex(parts[1]).strip(" .").lower() in _SUFFIXES:
            name = name_of(parts[0])
            return Name(name.given, name.family, _clean(parts[1]))
        return Name(_clean(parts[1]), _clean(parts[0]))
    words = [word for word in split_outside(text, _BLANK) if word]
    cut = len(words) - 1
    # The particle belongs to the family name: "van der" of "Stefan van der Walt".
    first = next((place for place in range(1, cut) if _particle(words[place])), cut)
    if cut > 1 and plain_latex(words[-1]).strip(" .").lower() in _SUFFIXES:
        first = min(first, cut - 1)
        return Name(_clean(" ".join(words[:first])), _clean(" ".join(words[first:cut])), _clean(words[-1]))
    return Name(_clean(" ".join(words[: max(first, 0)])), _clean(" ".join(words[max(first, 0) :])))


def person(printed: str) -> ParsedAuthor:
    """An author by the name a byline prints."""
    printed = " ".join(printed.split())
    head, comma, tail = printed.partition(",")
    name = name_of(head)
    if comma and tail.strip(" .").lower() not in _SUFFIXES:
        name = name_of(printed)
        return ParsedAuthor(name.given, name.family, printed=name.printed)
    return ParsedAuthor(name.given, name.family, group=name.group, printed=printed)


_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "ph.d", "md", "m.d", "esq", "msc", "dr"}
_AND = re.compile(r" and ", re.IGNORECASE)
_COMMA = re.compile(r",")
_BLANK = re.compile(r"[\s~]+")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


def _clean(text: str) -> str:
    return " ".join(plain_latex(text).split())


def _particle(word: str) -> bool:
    return word[:1].islower() and word.strip(".").isalpha() and len(word) <= 6


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """Every place where the depth of braces changes, and the depth from there on."""
    depth = 0
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth = max(0, depth - 1)
        else:
            continue
        yield match.start(), depth


def _closes_at_end(text: str) -> bool:
    return next((place for place, depth in _depths(text) if depth == 0), -1) == len(text) - 1


def split_outside(text: str, pattern: re.Pattern[str]) -> list[str]:
    """The text cut where the pattern stands outside braces."""
    changes = iter([*_depths(text), (len(text), 0)])
    place, depth_after = next(changes)
    depth, start = 0, 0
    parts: list[str] = []
    for match in pattern.finditer(text):
        while place <= match.start() and place < len(text):
            depth = depth_after
            place, depth_after = next(changes)
        if depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    parts.append(text[start:])
    return parts


# Entries.


@dataclass(frozen=True)
class BibEntry:
    """One entry; its fields are named in lower case and still hold LaTeX markup."""

    kind: str
    key: str
    fields: dict[str, str] = field(default_factory=dict)

    def plain(self, *names: str) -> str:
        """The first of these fields that says something, as plain text."""
        return next(filter(None, (_clean(self.fields.get(name, "")) for name in names)), "")

    @property
    def year(self) -> int | None:
        """Of publication."""
        found = re.search(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", self.plain("year", "date", "issued", "urldate"))
        return int(found[1]) if found else None

    def people(self) -> tuple[list[Name], bool]:
        """Who wrote it, or edited it where nobody wrote it."""
        for name in ("author", "editor"):
            names, others = names_of(self.fields.get(name, ""))
            if names:
                return names, others
        return [], False


@dataclass(frozen=True)
class BibFile:
    """What a bibliography file holds."""

    entries: dict[str, BibEntry]
    broken: list[str]
    """The entries that cannot be read, by key where they have one."""


def parse_bibtex(text: str) -> dict[str, BibEntry]:
    """The entries by key; of two with one key the first counts."""
    return read_bibtex(text).entries


def read_bibtex(text: str) -> BibFile:
    """The entries by key and the names of those that are broken."""
    parser = _Parser()
    # An "@document{" at the beginning of a line begins an entry even where a brace before it was never closed: one
    # broken entry costs one entry, and every character is looked at once.
    starts = [match.start() for match in _START.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        parser.chunk(text[start:end])
    return BibFile(parser.entries, parser.broken)


_START = re.compile(r"(?m)^[ \t]*@[ \t]*[A-Za-z][A-Za-z_-]*\s*[{(]")
_HEAD = re.compile(r"@\s*([A-Za-z][A-Za-z_-]*)\s*([{(])\s*")
_KEY = re.compile(r"\s*([^\s,{}=\"]+)\s*(,|(?=[})]))")
_FIELD = re.compile(r"[\s,]*([A-Za-z][\w:.+-]*)\s*=\s*")
_BARE = re.compile(r"[^\s,#{}\"()=]+")
_JOIN = re.compile(r"\s*#\s*")
_QUOTED = re.compile(r'\\.|[{}"]', re.DOTALL)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


class _Broken(Exception):  # noqa: N818 - caught here
    """An entry breaks off."""


class _Parser:
    def __init__(self) -> None:
        self.entries: dict[str, BibEntry] = {}
        self.broken: list[str] = []
        self._spelled = 0
        self._strings = {month[:3].lower(): month for month in _MONTHS}

    def chunk(self, text: str) -> None:
        """One entry, or several on one line."""
        place = 0
        while (head := _HEAD.search(text, place)) is not None:
            key = _KEY.match(text, head.end())
            try:
                place = self._entry(text, head, key)
            except _Broken:
                self.broken.append(key[1] if key else " ".join(text[head.start() : head.start() + 40].split()))
                return

    def _entry(self, text: str, head: re.Match[str], key: re.Match[str] | None) -> int:
        kind = head[1].lower()
        if kind in ("comment", "preamble"):
            return self._braced(text, head.end(2) - 1)[1] if head[2] == "{" else len(text)
        if kind == "string":
            fields, end = self._fields(text, head.end())
            self._strings.update(fields)
            return end
        if key is None:
            raise _Broken
        fields, end = self._fields(text, key.end())
        self.entries.setdefault(key[1], BibEntry(kind, key[1], fields))
        return end

    def _fields(self, text: str, place: int) -> tuple[dict[str, str], int]:
        fields: dict[str, str] = {}
        while (name := _FIELD.match(text, place)) is not None:
            value, place = self._value(text, name.end())
            fields.setdefault(name[1].lower(), value)
        rest = re.compile(r"[\s,]*[})]").match(text, place)
        if rest is None:
            # Garbage between two fields, such as a doubled brace; what was read so far is good.
            if fields and text[place:].strip():
                return fields, len(text)
            raise _Broken
        return fields, rest.end()

    def _value(self, text: str, place: int) -> tuple[str, int]:
        pieces: list[str] = []
        while True:
            sign = text[place : place + 1]
            if sign == "{":
                piece, place = self._braced(text, place)
            elif sign == '"':
                piece, place = self._quoted(text, place)
            elif (bare := _BARE.match(text, place)) is not None:
                piece, place = self._string(bare[0]), bare.end()
            else:
                raise _Broken
            pieces.append(piece)
            join = _JOIN.match(text, place)
            if join is None:
                return "".join(pieces), place
            place = join.end()

    def _string(self, name: str) -> str:
        value = self._strings.get(name.lower(), name)
        # A string built of two strings, each built of two, doubles at every step: no real file spells out this much.
        self._spelled += len(value)
        if self._spelled > 1_000_000:
            raise _Broken
        return value

    @staticmethod
    def _braced(text: str, place: int) -> tuple[str, int]:
        depth = 0
        for match in _BRACES.finditer(text, place):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                return text[place + 1 : match.start()], match.end()
        raise _Broken

    @staticmethod
    def _quoted(text: str, place: int) -> tuple[str, int]:
        depth = 0
        for match in _QUOTED.finditer(text, place + 1):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if match[0] == '"' and depth <= 0:
                return text[place + 1 : match.start()], match.end()
        raise _Broken


# Entries as references.


def reference_of(entry: BibEntry) -> ParsedReference:
    """The entry as printed in one plain style: who (when). What. Where. Identifiers."""
    names, others = entry.people()
    authors = tuple(name.printed for name in names)
    title = entry.plain("title", "booktitle", "shorttitle").rstrip(". ")
    year = str(entry.year) if entry.year else ""
    who = _listed(authors, others)
    head = f"{who} ({year})" if who and year else who or (f"({year})" if year else "")
    parts = [head, title, _place(entry, title), *_printed_ids(entry)]
    text = ". ".join(part.rstrip(". ") for part in parts if part.strip(". "))
    return ParsedReference(
        key=entry.key,
        text=f"{text}." if text else entry.key,
        title=title,
        authors=authors,
        year=entry.year,
        ids=ids_of(entry),
    )


def ids_of(entry: BibEntry) -> dict[str, str]:
    """The identifiers it gives, bare."""
    ids: dict[str, str] = {}
    link = entry.fields.get("url", "") + " " + entry.fields.get("howpublished", "")
    doi = doi_in(entry.plain("doi")) or doi_in(_clean(link))
    if doi:
        ids["doi"] = doi
    eprint = entry.plain("eprint", "arxivid", "arxiv")
    scheme = entry.plain("archiveprefix", "eprinttype").lower()
    arxiv = (arxiv_in(eprint, bare=True) if eprint and scheme in ("", "arxiv") else "") or arxiv_in(
        " ".join([entry.plain("journal", "booktitle", "publisher"), entry.plain("note"), _clean(link), doi])
    )
    if arxiv:
        ids["arxiv"] = arxiv
    pmid = re.fullmatch(r"\d{4,9}", entry.plain("pmid"))
    if pmid:
        ids["pmid"] = pmid[0]
    pmcid = re.search(r"PMC\d+", entry.plain("pmcid", "pmc"))
    if pmcid:
        ids["pmcid"] = pmcid[0]
    return ids


def doi_in(text: str) -> str:
    """The first DOI in a text, bare; empty where there is none."""
    found = re.search(r"(?<![\w.])10\.\d{4,9}/[^\s\"<>{}|\\^]+", text)
    if found is None:
        return ""
    doi = found[0].rstrip(".,;:'")
    while doi.endswith((")", "]")) and doi.count(")") + doi.count("]") > doi.count("(") + doi.count("["):
        doi = doi[:-1].rstrip(".,;:")
    return doi


def arxiv_in(text: str, bare: bool = False) -> str:
    """The first arXiv number in a text, without its version; `bare`: it need not be called one."""
    lead = r"(?<![\w.])" if bare else r"(?i:arxiv)(?:[\s:.]|\.org/(?:abs|pdf)/)*"
    found = re.search(lead + r"(\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})(?!\d)", text)
    return found[1] if found else ""


def _listed(authors: Sequence[str], others: bool) -> str:
    if others:
        return ", ".join(authors) + " et al."
    if len(authors) < 3:
        return " and ".join(authors)
    return ", ".join(authors[:-1]) + ", and " + authors[-1]


def _place(entry: BibEntry, title: str) -> str:
    """Where it was published, in which volume, on which pages, and by whom."""
    where = entry.plain("journal", "journaltitle", "booktitle", "series")
    volume, number = entry.plain("volume"), entry.plain("number", "issue")
    if where == title:
        where = ""
    issue = f"{volume}({number})" if volume and number else volume or number
    pages = re.sub(r"\s*[-–]+\s*", "–", entry.plain("pages"))
    by = entry.plain("publisher", "organization", "institution", "school")
    note = "" if where or by else re.sub(r"https?://\S+", "", entry.plain("howpublished", "note"))
    return ", ".join(part.rstrip(".,; ") for part in (where, issue, pages, by, note) if part.strip(".,; "))


def _printed_ids(entry: BibEntry) -> list[str]:
    ids = ids_of(entry)
    printed = [f"{name}:{ids[scheme]}" for scheme, name in (("doi", "doi"), ("arxiv", "arXiv")) if scheme in ids]
    link = re.search(r"https?://[^\s{}\\]+(?:\\_[^\s{}\\]*)*", entry.fields.get("url") or entry.plain("howpublished"))
    return printed if printed or link is None else [link[0].replace("\\_", "_")]


# Citations as printed.

Manner = Literal["parenthetical", "textual", "bare", "year", "names"]


@dataclass(frozen=True)
class Source:
    """What a citation may point to, and how it is called in running text."""

    reference: ParsedReference
    names: str
    """ "Lind", "Lind and Wu", "Lind et al."; empty: it is called by its number."""
    year: str


def source_of(entry: BibEntry) -> Source:
    """An entry as something to cite."""
    names, others = entry.people()
    families = [name.family or name.printed for name in names]
    if not families:
        body = entry.plain("organization", "institution", "publisher") or entry.plain("title") or entry.key
        called = " ".join(body.split()[:4]).rstrip(".,:;")
    elif others or len(families) > 2:
        called = f"{families[0]} et al."
    else:
        called = " and ".join(families)
    return Source(reference_of(entry), called, str(entry.year or "n.d."))


class Citations:
    """Prints citations, and remembers what was cited in which order."""

    def __init__(self, sources: Mapping[str, Source], numeric: bool = False) -> None:
        self._sources = dict(sources)
        self._numeric = numeric
        self._cited: dict[str, int] = {}
        self._loose = {key.lower(): key for key in reversed(self._sources)}
        self._by_doi = {
            source.reference.ids["doi"].lower(): key
            for key, source in reversed(self._sources.items())
            if "doi" in source.reference.ids
        }

    def knows(self, key: str) -> bool:
        """Whether a reference has this key, its case aside, or it is a DOI."""
        return self._found(key) in self._sources

    def _found(self, key: str) -> str:
        if key in self._sources:
            return key
        if key.lower() in self._loose:
            return self._loose[key.lower()]
        doi = doi_in(key) if re.match(r"(?i)(doi:|https?://(dx\.)?doi\.org/|10\.\d)", key) else ""
        if not doi:
            return key
        if doi.lower() not in self._by_doi:
            # MyST cites works by DOI alone, and no bibliography holds them: the DOI is all that is known.
            self._sources[key] = Source(ParsedReference(key, f"doi:{doi}", ids={"doi": doi}), "", "")
            self._by_doi[doi.lower()] = key
        return self._by_doi[doi.lower()]

    def words(self, keys: Iterable[str], manner: Manner, before: str = "", after: str = "") -> Inlines:
        """One citation of one or more works as printed."""
        found = [self._found(key) for key in keys]
        marks = [self._mark(key, manner) for key in found]
        if not marks:
            return []
        named = [self._sources[key].names for key in found if key in self._sources] if manner == "textual" else []
        inner: Inlines = [before + " "] if before else []
        for mark in marks:
            if len(inner) > bool(before):
                inner.append(", " if self._numeric else "; ")
            inner.append(mark)
        if after:
            inner.append(f", {after}")
        if self._numeric and manner not in ("bare", "year", "names"):
            return [" and ".join(filter(None, named)), " [" if any(named) else "[", *inner, "]"]
        return ["(", *inner, ")"] if manner == "parenthetical" else inner

    def _mark(self, key: str, manner: Manner) -> CitationMark:
        source = self._sources.get(key)
        if source is None:
            return CitationMark("?" if self._numeric else key, (key,), "numeric" if self._numeric else None)
        number = self._cited.setdefault(key, len(self._cited) + 1)
        if self._numeric:
            return CitationMark(str(number), (key,), "numeric")
        if not source.names:
            return CitationMark(source.reference.text.rstrip(".")[:80], (key,), "author-year")
        text = {
            "textual": f"{source.names} ({source.year})",
            "year": source.year,
            "names": source.names,
        }.get(manner, f"{source.names}, {source.year}")
        return CitationMark(text, (key,), "author-year")

    def references(self) -> list[ParsedReference]:
        """The cited works in the order of their first citation, then those that the bibliography only lists."""
        rest = [key for key in self._sources if key not in self._cited]
        return [self._sources[key].reference for key in [*self._cited, *rest]]

    def note(self) -> str:
        """How much of the bibliography is cited; empty where all of it is."""
        cited, listed = len(self._cited), len(self._sources)
        return "" if cited == listed else f"{cited} of {listed} entries are cited in the text, and stand first"

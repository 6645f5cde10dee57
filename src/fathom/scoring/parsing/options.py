"""Options that a response names: the one it chooses, or one for each slot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fathom.scoring.parsing.key_hints import NO_HINTS
from fathom.scoring.parsing.non_answers import DENIED_AFTER
from fathom.scoring.parsing.segmentation import lines_in, without_lead_in
from fathom.scoring.parsing.tables import piped_rows

MAX_CHARACTERS = 20_000
"""Maximum characters of a statement that names one option; only its end is searched."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CHINESE = tuple("一二三四五六七八九十")
_WORDS = {word: number for words in (_ORDINALS, _CARDINALS, _CHINESE) for number, word in enumerate(words, start=1)}
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))"
_NOUN = r"(?:option|choice|candidate|kandidat|candidat[oa]?|候选(?:项|文献)?|候補|选择|选项|no\.|number|#)"

_NAMED = re.compile(
    rf"{_NOUN}s?[\s_-]?#?[(\[]?(?P<named>(?<![a-z])[a-z](?![\w'])|\d{{1,3}}(?![\w'])|(?:{'|'.join(_CARDINALS)})\b)[)\]]?"
    rf"|\b(?P<ordinal>{_ORDINAL})\b(?!\s(?:look|glance|thought|sight|step|time|best|approach)\b)(?:\s(?:option|choice|candidate|one|work|paper|article))?"
    r"|\b(?:work|paper|document|article)s?\s?#?(?P<numbered>\d{1,3})(?![\w'])|\bC(?P<short>\d{1,3})(?![\w'])"
    rf"|第(?P<chinese>\d{{1,2}}|[一二三四五六七八九十])[个项篇]",
    re.IGNORECASE | re.ASCII,
)
"""An option with its noun: "candidate 3", "option (b)", "the second candidate"."""
_BARE = re.compile(r"(?<![\w.#(\[])[(\[]{0,2}(?P<bare>[A-Z]|\d{1,3})[)\]]{0,2}(?![\w%'’]|[.,:]\d|-\w)", re.ASCII)
"""An option by its letter or number alone."""
_BEFORE_BARE = re.compile(
    r"(?:\A|[:=→>选]|\b(?:is|be|with|choose|chose|pick|picked|select|selected|say|lean|guess|probably|likely|definitely"
    r"|answer|final|it's|either|between|both|maybe|perhaps|possibly|than|not|or|and|nor|but"
    r"|namely|also|only|so|thus|hence|therefore|leaves|leaving))[\s*_\"'“,]*\Z|[,/&、或和]\s?\Z",
    re.IGNORECASE,
)
_AFTER_BARE = re.compile(r"\s(?:is|fits|matches|seems|must|would|should|because|since)\b|\s?(?:[.,;:!)—–-]|\Z)")
_LEADING_SIGNS = re.compile(r"\A(?![^\w\n]{0,8}-\d)[^\w(\[#<\n]{1,8}(?=[\w(\[#])")
_LONE = re.compile(
    rf"(?:{_NOUN}[\s_-]?)?#?[(\[]{{0,2}}(?P<lone>[a-z]|\d{{1,3}}|{'|'.join(_CARDINALS)})(?![\w'])"
    r"(?:[)\]]{1,2}|(?=\s*(?:\Z|\.(?!\d)|[:;,!\n(—–-]|\b(?:because|since|as|for|rather|instead|not)\b)))",
    re.IGNORECASE | re.ASCII,
)
"""An option at the very beginning, followed by nothing or by an explanation."""
SENTENCE = re.compile(
    r"(?<=[.!?。！？])(?:\s+|(?=[^\s\d.]))|[;；\n]+"
    r"|\b(?:(?<!any )(?<!all )(?<!one )(?<!thing )but|however|whereas|though)\b",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"\b(?:so|therefore|thus|hence|must|answer|best|correct|right|choose|chose|pick|select|go with|lean|guess|conclu\w+"
    r"|final\w*|most likely|probably|likely|should|would be|it is|it's|i think|i believe|i say|is cited"
    r"|cited (?:work|paper|here|at)|the only|only (?:candidate|option|one|work|\d)"
    r"|fits|match(?:es)?|refers to|leav(?:es|ing)|remains|is the one|better)\b|因此|所以|应|答案|选",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"(?:\b(?:not|neither|nor|never|rather than|instead of|unlike|unlikely|less likely"
    r"|except|excludes?|eliminates?|without|other than"
    r"|(?:any\w*|every\w*|all) but|apart from|besides|over|than|ahead of)"
    r"|n't(?: be)?|\b(?:can)?not be|rules? out|不是|而非|排除)\s(?:the\s)?\Z|(?:不是|而非|排除)\Z"
    r"|(?:\bnot|\bnever|n't)\s(?:stand for|refer to|cite|point to|mean|match|fit|hide|denote"
    r"|correspond to)\s(?:the\s)?\Z",
    re.IGNORECASE,
)
_RULED_OUT = re.compile(
    r"[,;]?\s(?:so|and|hence|thus|therefore|which means)\s(?:that\s)?(?:it|they|this|that)\s"
    r"(?:(?:does|do|did|is|are|was|were|can|could|would)(?:\snot|n't)|cannot)\s"
    r"(?:fit|match|apply|correspond|belong|work|qualify|suit|cited|relevant|be (?:cited|it|the)\b)",
    re.IGNORECASE,
)
"""The conclusion that what was named is not the answer: "Candidate 3 is about moss, so it does not fit."."""
_REASON = re.compile(r",?\s(?:since|because|as|given that|whereas|while)\b[^\n]*", re.IGNORECASE)
"""A reason in the sentence that names an option: "candidate 3, since candidate 1 is about moss"."""
JUDGED = re.compile(
    r"(?<!\w)(\d{1,4})[)\]]?(?:\s?[:=|–—-]+\s?\**(?:(yes|true|cited|✓|✔)|(?:no|false|not cited|✗|✘|❌))"
    r"|\s(?:([✓✔✅])|[✗✘❌]))(?!\w)",
    re.IGNORECASE,
)
"""An option with a judgment, in a list or a table of all options: "2: yes"."""
_DESCRIBED = re.compile(rf"{_NOUN}\s?\d{{1,3}}\s?[:–—]\s", re.IGNORECASE)
_FOLLOWED = re.compile(r",?[ \t]\(?(?:followed|trailed) by[ \t][^.;\n]{1,80}", re.IGNORECASE)
"""The options after the best one: "candidate 3, followed by candidate 5"."""
_NOT_YET = re.compile(
    r"\W{0,3}(?:i have no idea|let me|let's|let us|i(?:'ll| will)) (?:look|check|examine|consider|start|see)\b"
    r"|\W{0,3}(?:if i had to exclude|i would need to|the user (?:says|thinks|claims)|others? (?:say|think)"
    r"|some would)\b",
    re.IGNORECASE,
)
"""A sentence that announces reasoning: "Let me look at candidate 3."."""
TORN = re.compile(
    r"\b(?:but|though|or) (?:possibly|perhaps|maybe)\b|\bcannot be (?:excluded|ruled out)\b|\bone possibility\b"
    r"|\bworst\b|\bsomething else\b|\bunable to agree\b|\b(?:a|my|another) colleague\b"
    r"|\bsupposed to be\b|\bthat does not work\b",
    re.IGNORECASE,
)
"""What leaves another option open."""
_CONCESSION = re.compile(r"\b(?:although|though|while|even though|whereas)\b[^,;.]{1,200},", re.IGNORECASE)
"""What speaks for another option: "Although candidate 4 is close, ..."."""
_RUNNER_UP = re.compile(
    r"\b(?:second|next|third)[ -]best\b|\brunner-up\b|\bsecond choice\b|\balternatives?:", re.IGNORECASE
)
_BETWEEN = re.compile(
    rf"\bbetween\s(?:{_NOUN}s?\s)?\(?\w{{1,6}}\)?\sand\s(?:{_NOUN}\s)?\(?\w{{1,6}}\)?,?(?=\s\S)", re.IGNORECASE
)
"""What a choice is made from: "between 2 and 3, I choose 3"."""
_JOINED = re.compile(
    r"\s?(?:[,/&、和与及]|或者?|以及|\b(?:or|and|nor)\b){1,2}\s?(?:the\s)?(?:or\s|and\s|nor\s)?", re.IGNORECASE
)
_JOINED_OR_RANGE = re.compile(rf"{_JOINED.pattern}|\s?[-–]\s?|\s(?:to|through)\s", re.IGNORECASE)

_PAIR = re.compile(
    r"(?:(?<=[\s,;{(\[\"'])|\A)[\[(<]{0,2}(?:mask|slot|blank|citation|gap|question|item|c)?[ _#-]?"
    r"(\d{1,3})[\])>\"']{0,2}\s?"
    r"(?:[:=→]|[-=]+>?|–|(?<=[\])>])(?=\s\d)"
    r"|(?:is filled by|it is|is|cites?|matches|gets|takes|by|with(?= candidate)|refers to|corresponds to"
    r"|goes (?:with|to)|belongs to|points to|to(?= candidate)"
    r"|,?[ ]?(?:i|we) (?:would )?(?:choose|pick|select|take)|the answer is"
    r"|(?:is )?most likely(?= candidate))\b|(?=\scandidate\s\d))\s?[\"'(\[]?(?:option |candidate |work )?"
    r"(\d{1,3})(?![\w-])",
    re.IGNORECASE,
)
"""A slot with its option: "2: 4", "MASK 2 -> 3". Options are numbered: a letter names none."""
_REVERSED_PAIR = re.compile(
    r"\b(?:candidate|option|work)[ #]?(\d{1,3})\b[^\n\d]{0,40}?(?:mask|slot|blank|citation|gap)[ _#]?(\d{1,3})\b",
    re.IGNORECASE,
)
"""An option with its slot: "candidate 3 is cited at [[CITATION 2]]"."""
_OPTION_FIRST = re.compile(
    r"(?:\A|\n|[,;]\s?)(?:candidate|option|work)\s?(\d{1,3})\s?(?:[:=→]|->)\s?(\d{1,3})(?![\w-])", re.IGNORECASE
)
_FIRST_NOUN = re.compile(r"\b(?:(candidate|option|work)|mask|slot|blank|citation|gap)s?[ _#]?\d", re.IGNORECASE)
_TUPLE = re.compile(r"[(\[]\s?(\d{1,3})\s?,\s?(\d{1,3})\s?[)\]]")
"""The same in brackets: "(2, 3)"."""
_NUMBERED = re.compile(
    r"(?<![\w.])(\d{1,3})[.)][ \t]+(?:option |candidate )?[(\[]?(\d{1,3})[)\]]?(?![\w.)])", re.IGNORECASE
)
"""An item of a numbered list, on its own line or not: "2. 4", "2) Candidate 4"."""
_CHAIN = re.compile(r"\d{1,3}(?:\s?([-–/>|→])\s?\d{1,3})(?:\s?\1\s?\d{1,3})+")
_LEADING_SLOTS = re.compile(
    r"\A(?:masks?|slots?|blanks?|citations?|gaps?)\s?\d{1,3}\s?(?:to|through|[-–])\s?\d{1,3}\s?[:=]\s?", re.IGNORECASE
)
"""All slots at once: "Citations 1 to 4:"."""
_RESPECTIVELY = re.compile(r"[,(]?\s?respectively\)?[.!]?\s*\Z", re.IGNORECASE)
_SEQUENCE = re.compile(
    r"\bcandidates(?:\sare|\swould be)?[:\s]\s?((?:\d{1,3}(?:\s?,\s?|\s(?:and\s)?|,?\sand\s)){1,20}\d{1,3})[.!]?\s*\Z",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(r"\d\s?\(?(?:or\b|/\s?\d|\?)|\b(?:either|maybe|perhaps|possibly)\b|或", re.IGNORECASE)
"""A slot with two options: "3 = 1 or 4"."""
_SHORT = re.compile(r"\bC(?=\d{1,3}\b)")
"""The letter before the number of a candidate: "C3, C1"."""
_HASH = re.compile(r"(?<![\w#])#(?=\d)")
"""The sign before a number: "#3, #1"."""
_RUN = re.compile(r"[1-9]{3,9}")
_ORDINAL_WORD = re.compile(
    rf"\b(?:the )?({'|'.join(_ORDINALS)})(?: (?:mask|slot|blank|citation|gap|one))?\b", re.IGNORECASE
)
CARDINAL_WORD = re.compile(rf"\b(?:{'|'.join(_CARDINALS)})\b", re.IGNORECASE)
_BETWEEN_OPTIONS = re.compile(r"(?:[,;、\s]|\b(?:and|then|option|candidate)s?\b)+", re.IGNORECASE)
_SLOT_NUMBER = re.compile(r"\d{1,3}")
_NOT_ALPHANUMERIC = re.compile(r"[^\w]+")


def position(name: str, of: int) -> int | None:
    """The position of an option, counted from one, by its letter, number or ordinal; None if there is none such."""
    name = name.lower()
    if name in _WORDS:
        place = _WORDS[name]
    elif len(name) == 1 and name.isascii() and name.isalpha():
        place = ord(name) - ord("a") + 1
    else:
        digits = name.rstrip("sthnrd")
        place = int(digits) if digits.isdecimal() and len(digits) < 4 else 0
    return place if 1 <= place <= of else None


_OFF_TOPIC = re.compile(
    r"(?<![^.;\n])[^.;\n]{1,300}\b(?:but|while|whereas|yet)\s(?:the|this)\s(?:masked\s|hidden\s)?"
    r"(?:sentence|citation|paper|text|context|mask|passage)\b[^.;\n]{0,300}",
    re.IGNORECASE,
)
"""A sentence that says why an option does not fit: "Candidate 2 is about tides, but the sentence is about parsing."."""
_SPACES = re.compile(r"[ \t]+")
_OR_ELSE = re.compile(
    r"[\s,.;(—–-]{0,4}(?:or|and|if not|unless|alternatively|possibly|maybe|perhaps|no wait,?|no,|but possibly)\s"
    r"(?:(?:the|maybe|perhaps|possibly|is it|rather|also)\s){0,2}",
    re.IGNORECASE,
)
_NONE = re.compile(r"(?:none|neither|nothing|no (?:option|choice|candidate))\b", re.IGNORECASE)
_WEIGHTED = re.compile(r"(?<![\w.])(\d{1,3})\W{1,3}\d{1,3}\s?%")
"""An option with a probability: "3 (50%), 2 (50%)"."""

# One option.


def without_pipes(text: str) -> str:
    """The text with a table drawn with pipes as lines, "[[CITATION]]: 3", without its header."""
    lines = text.split("\n") if text.count("|") > 1 else []
    if not all("|" in line for line in lines if line.strip()):
        return text
    rows = piped_rows([line for line in lines if line.strip()], ())
    return "\n".join(": ".join(filter(None, row)) for row in rows) if rows else text


_ANY = re.compile(
    r"\b(?:any|each|either|all|several) of (?:the )?(?:candidates|options|works|them|these)\b", re.IGNORECASE
)


def chosen_option(text: str, of: int) -> int | None:
    """The one option that a statement chooses; None if it names none, or several without a conclusion."""
    text = _SPACES.sub(" ", without_pipes(text)).strip(" \n*_`\"'“”")
    text = _LEADING_SIGNS.sub("", text)[-MAX_CHARACTERS:]
    judged = JUDGED.findall(text)
    if len(judged) > 1:
        chosen = [name for name, yes, sign in judged if yes or sign]
        return position(chosen[0], of) if len(chosen) == 1 else None
    lone = _LONE.match(text) if len(_DESCRIBED.findall(text)) < 2 else None
    if _NONE.match(text) or TORN.search(text) or _ANY.search(text) or len(set(_WEIGHTED.findall(text))) > 1:
        return None
    if lone and not DENIED_AFTER.match(text, lone.end()):
        return _confirmed(position(lone["lone"], of), text[lone.end() :], of)
    last = _LONE.fullmatch(text[text.rfind("\n") + 1 :].strip(" *_`.")) if "\n\n" in text else None
    if last:
        return position(last["lone"], of)
    text = _OFF_TOPIC.sub("", text)
    parts = [
        part for part in SENTENCE.split(text) if part and not part.rstrip().endswith("?") and not _NOT_YET.match(part)
    ]
    sentences = [_decided(part, of) for part in parts if not _RUNNER_UP.search(part)]
    named = [sentence for sentence in sentences if sentence.options]
    if len({option for sentence in named for option in sentence.options}) > 1:
        named = [sentence for sentence in named if sentence.concludes]
    options = named[-1].options if named else frozenset()
    return next(iter(options)) or None if len(options) == 1 else None


def _decided(sentence: str, of: int) -> MentionedOptions:
    """The options that a sentence names; of one that gives a reason, those before the reason, if it names one."""
    sentence = _FOLLOWED.sub("", _CONCESSION.sub("", sentence))
    whole = mentions_in(sentence, of)
    reason = _REASON.search(sentence) if len(whole.options) > 1 else None
    claim = mentions_in(sentence[: reason.start()], of) if reason else whole
    return claim._replace(concludes=True) if reason and len(claim.options) == 1 else whole


def _confirmed(option: int | None, rest: str, of: int) -> int | None:
    """The option named first, unless the rest adds another to it or concludes with another."""
    joined = _OR_ELSE.match(rest) or _JOINED.match(rest)
    if option is None or (joined and _starts_with_option(rest[joined.end() :], of)):
        return None
    for part in SENTENCE.split(rest):
        other = _LONE.fullmatch(_LEADING_SIGNS.sub("", part.strip())) if part else None
        if other and position(other["lone"], of) != option:
            return None  # a list
        sentence = mentions_in(part, of) if part else _NO_MENTIONS
        if sentence.concludes and sentence.options and option not in sentence.options:
            return None
    return option


def _starts_with_option(text: str, of: int) -> bool:
    found = _NAMED.match(text) or _BARE.match(text)
    name = found[found.lastgroup or 0] if found else ""
    return name.isdecimal() or position(name, of) is not None


class MentionedOptions(NamedTuple):
    """The options that a sentence names without denying them, and whether it draws a conclusion."""

    options: frozenset[int]
    concludes: bool


_NO_MENTIONS = MentionedOptions(frozenset(), False)


def mentions_in(sentence: str, of: int) -> MentionedOptions:
    """The options that a sentence names."""
    options: set[int] = set()
    run: list[int] = []
    end, denied = 0, False
    ruled_out = _RULED_OUT.search(sentence)
    sentence = sentence[ruled_out.end() :] if ruled_out else sentence
    if "etween" in sentence:
        shorter = _BETWEEN.sub("", sentence)
        sentence = shorter if any(position(name, of) for _, _, name in _named_options(shorter)) else sentence
    for start, stop, name in _named_options(sentence):
        # A number that is not an option is still an answer: "2 or 6" of four candidates leaves it open.
        option = position(name, of) or (0 if name.isdecimal() else None)
        joined = bool(end) and bool(_JOINED.fullmatch(sentence, end, start))
        # "not candidate 1, 2 or 4" denies all three, and so does "candidates 1, 2 and 4 can be excluded".
        denied = bool(NEGATION.search(sentence[max(0, start - 40) : start])) or (denied and joined)
        if option is not None and not denied:
            options.add(option)
        run = run if joined else []
        run.append(option or 0)
        if DENIED_AFTER.match(sentence, stop):
            options.difference_update(run)
            run = []
        end = stop
    return MentionedOptions(frozenset(options), _CONCLUSION.search(sentence) is not None)


def _named_options(sentence: str) -> Iterator[tuple[int, int, str]]:
    """The options that a sentence names, in order: start, end and name."""
    named = [(match.start(), match.end(), match[match.lastgroup or 0]) for match in _NAMED.finditer(sentence)]
    covered = [False] * (len(sentence) + 1)
    for start, end, _ in named:
        covered[start:end] = [True] * (end - start)
    bare = {match.start(): match for match in _BARE.finditer(sentence) if not covered[match.start("bare")]}
    last = 0
    for start, end, name in sorted(named + [(match.start(), match.end(), match["bare"]) for match in bare.values()]):
        # "candidates 3 and 4 both": a number that is joined to an option is one, regardless of what follows.
        joins = bool(last) and _JOINED_OR_RANGE.fullmatch(sentence, last, start) is not None
        if start not in bare or joins or _stands_alone(sentence, bare[start]):
            last = end
            yield start, end, name


def _stands_alone(sentence: str, match: re.Match[str]) -> bool:
    """Whether a bare letter or number is an option: after "is", "with" or a comma, and not before a noun."""
    before = sentence[max(0, match.start() - 20) : match.start()]
    after = sentence[match.end() :]
    if not _BEFORE_BARE.search(before):
        return False
    return bool(_AFTER_BARE.match(after) or _JOINED.match(after) or re.match(r"\s(?:of|out of)\s\d", after))


# An option for each slot.


_UNUSED = re.compile(r"[ \t]\([^()\n]{0,80}\bnot (?:cited|used|needed)\b[^()\n]{0,40}\)", re.IGNORECASE)
"""What is said of the other options: "5, 2, 1 (3 and 4 are not cited)"."""


_IN_BRACKETS = re.compile(r"\b(citation|candidate|mask|blank|slot)[ \t]?\[(\d{1,3})\]", re.IGNORECASE)
_IN_ORDER = re.compile(
    r"\A(?:the (?:cited )?(?:numbers|candidates|answers|options|choices)\b[^\d\n:]{0,80}\border\b"
    r"[^\d\n:]{0,60}(?:[ \t]are|[ \t]is|:)"
    r"|in (?:the )?(?:same )?order\b[^\d\n:]{0,60}:)[ \t]*(?=\d)",
    re.IGNORECASE,
)
"""What leads to a list in the order of the slots: "The numbers, in the order of the citations, are 2 4 3 1."."""
_LONE_CANDIDATE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+)?(?:candidate|option|work)[ \t]#?(\d{1,3})[.,;]?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
"""A line with nothing but a candidate."""


def assigned_options(text: str, marked: bool, slots: int, of: int) -> list[int] | None:
    """The option of each slot, in order of the slots; None if one of them is missing or no option."""
    text = _HASH.sub("", _SHORT.sub("", text) if len(_SHORT.findall(text)) == slots else text)
    text = _IN_ORDER.sub("", _IN_BRACKETS.sub(r"\1 \2", text.strip()))
    if len(lone := _LONE_CANDIDATE.findall(text)) == slots and not _LONE_CANDIDATE.sub("", text).strip():
        return _all_options(lone, of)
    text = _LEADING_SLOTS.sub("", _RESPECTIVELY.sub("", _UNUSED.sub("", text.strip())))
    whole = text.strip(" \t\n\"'()[]{}.")
    if _LEFT_OPEN.search(text) and not _CHAIN.fullmatch(whole):
        return None
    for pairs in (_table_pairs(text), _TUPLE.findall(text), _comma_pairs(text)):
        found = _in_order(pairs, of)
        if found is not None:
            return found
    if _CHAIN.fullmatch(whole):
        return _all_options(_NOT_ALPHANUMERIC.split(whole), of)
    if len(whole) == slots and _RUN.fullmatch(whole):
        return _all_options(whole, of)
    text = _with_digits(text)
    first = _FIRST_NOUN.search(text)
    if first and first[1]:
        found = _in_order([(slot, option) for option, slot in _REVERSED_PAIR.findall(text)], of)
        if found is not None:
            return found
    reversed_pairs = _OPTION_FIRST.findall(text)
    if len(reversed_pairs) > 1:
        return _in_order([(slot, option) for option, slot in reversed_pairs], of)
    pairs = _PAIR.findall(text)
    if pairs:
        found_by_slot = {int(slot): position(option, of) for slot, option in pairs}
        return _complete([found_by_slot.get(slot) for slot in range(1, len(pairs) + 1)])
    numbered = _in_order(_NUMBERED.findall(text), of)
    if numbered is not None:
        return numbered
    sequence = _SEQUENCE.search(text)
    if sequence:
        return _all_options(re.findall(r"\d+", sequence[1]), of)
    lines = lines_in(text, NO_HINTS)
    listed = len(lines) == slots and all(map(_LONE.fullmatch, lines))
    line = " ".join(lines if marked or listed else lines[-1:])
    parts = [part.strip(" \"'()[]{}.") for part in _BETWEEN_OPTIONS.split(without_lead_in(line, NO_HINTS))]
    return _all_options([part for part in parts if part], of)


_OPTION_COLUMN = re.compile(
    r"(?:cited )?(?:candidate|option|work|answer|choice)s?(?: (?:no\.?|number|#))?", re.IGNORECASE
)


def _table_pairs(text: str) -> list[tuple[str, str]]:
    """The slots and options of a table drawn with pipes: its first two columns, or the first and the one of options."""
    lines = [line for line in text.split("\n") if line.count("|") >= 2]
    header = [cell.strip(" *_") for cell in lines[0].strip(" |").split("|")] if lines else []
    named = [at for at, cell in enumerate(header) if at and _OPTION_COLUMN.fullmatch(cell)]
    column = named[0] if len(named) == 1 else 1
    pairs = []
    for row in piped_rows(lines, ()):
        numbers = [_SLOT_NUMBER.search(cell) for cell in row[:1]]
        if len(row) <= column or numbers[0] is None:
            return []
        option = row[column].strip(" *_`()[]").rpartition(" ")[2]
        pairs.append((numbers[0][0], option))
    return pairs


_CSV = re.compile(r"\A(?:[^\W\d]{1,20},[ \t]?[^\W\d]{1,20}\n)?(?:\d{1,3},[ \t]?\d{1,3}(?:\n|\Z)){2,40}\Z")


def _comma_pairs(text: str) -> list[tuple[str, str]]:
    """The slots and options of lines such as "1,6", perhaps below a header."""
    lines = text.strip().split("\n") if _CSV.match(text.strip()) else []
    pairs = [line.partition(",") for line in lines if line[:1].isdigit()]
    return [(slot, option.strip()) for slot, _, option in pairs]


def _in_order(pairs: Sequence[tuple[str, str]], of: int) -> list[int] | None:
    """The options of pairs that name every slot from one exactly once; None for any other pairs."""
    by_slot = {int(slot): position(option, of) for slot, option in pairs if option.isdecimal()}
    if len(pairs) < 2 or sorted(by_slot) != list(range(1, len(pairs) + 1)):
        return None
    return _complete([by_slot[slot] for slot in sorted(by_slot)])


def _with_digits(text: str) -> str:
    """The text with "the second" and "two" as "2", so that "the second is 4" is a pair."""
    text = _ORDINAL_WORD.sub(lambda match: str(_WORDS[match[1].lower()]), text)
    return CARDINAL_WORD.sub(in_digits, text)


def in_digits(word: re.Match[str]) -> str:
    """A cardinal number in digits."""
    return str(_WORDS[word[0].lower()])


def _all_options(names: Sequence[str], of: int) -> list[int] | None:
    lone = all(name.isascii() and name.isdecimal() for name in names)
    return _complete([position(name, of) for name in names]) if lone else None


def _complete(options: Sequence[int | None]) -> list[int] | None:
    known = [option for option in options if option]
    return known if known and len(known) == len(options) else None

"""Several options that a response selects: "2 and 5", "Candidates 2, 5", one per line, or in sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.scoring.parsing.key_hints import NO_HINTS
from fathom.scoring.parsing.non_answers import DENIED_AFTER, SENTENCE_END
from fathom.scoring.parsing.options import (
    CARDINAL_WORD,
    JUDGED,
    NEGATION,
    SENTENCE,
    TORN,
    in_digits,
    mentions_in,
    position,
    without_pipes,
)
from fathom.scoring.parsing.segmentation import lines_in, without_lead_in

_NOUN = (
    r"(?:options?|choices?|candidates?|cand\.|works|papers|statements?|items?|answers?|numbers?|nos?\."
    r"|候选(?:项|文献)?|#)"
)
_OPTION = r"\d{1,4}"
_FILLER = re.compile(
    rf"(?<![a-z]){_NOUN}(?![a-z])|\b(?:and|as well as|plus|both|only|just)\b|\bC(?=\d)|[()\[\]{{}}*_`✓✔]", re.IGNORECASE
)
"""What may be around the options of a list."""
_DASH = re.compile(r"\s?(?:[-–—~]|\b(?:to|through)\b)\s?")
_JOINT = re.compile(r"[\s,;、，；&+|和与及]+")
_RANGE = re.compile(rf"({_OPTION})(?:-({_OPTION}))?")
_COUNTS = "two|three|four|five|six|seven|eight|nine|ten"
_ALL = re.compile(
    rf"all(?: of)?(?: (?:the|them|these))?(?: (?P<count>\d{{1,3}}|{_COUNTS}))?"
    r"(?: (?:candidates|options|works|papers|above))?",
    re.IGNORECASE,
)
_STARTS = re.compile(
    rf"(?:(?i:{_NOUN})\s?)?[(\[]{{0,2}}({_OPTION})[)\]]{{0,2}}(?:\s*$|\s?[:(—–]|\s-|\.\s*$|[,.]?\s(?:because|since|as|which|is|was)\b)"
)
"""An option at the beginning of a line, followed by nothing or by an explanation."""
_BULLET = re.compile(r"\s*(?:[-*•+]\s+|(\d{1,3})[.)]\s+)")
_EXCEPT = re.compile(
    r"all(?: of the)?(?: candidates| options| works| papers)? (?:except|but|besides|other than)(?: for)? (?P<not>.+)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()\n]{0,300}\)")
_WORD = re.compile(r"[^\W\d_]{3}")
_RUN = re.compile(rf"\b{_OPTION}\b(?:(?:\s?[,&]\s?(?:and\s)?|\sand\s|\s(?:to|through)\s){_OPTION}\b)+")
"""Options that a sentence joins: "2, 3 and 5"."""
_EITHER = re.compile(
    r"\b(?:or|n?either|none|one of|maybe|perhaps|possibly|at least|unless|between|exclude|opposite|insert"
    r"|need to|whether|guess(?:ing)?"
    r"|chance|example|likely|not clear|unclear|candidates for|hardly|nowhere|disagree)\b"
    r"|\d\s/\s\d|或",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|cites?|cited|match(?:es)?|fits?|refers?|must|should|select(?:ed)?|choose|pick|so|therefore|thus"
    r"|candidates?|because|since|first|second|third|fourth|fifth|sixth)\b|\b[A-Z]\b|[;选引]",
    re.IGNORECASE,
)
"""What shows that options are named in a sentence, or by letters."""
_OPEN = re.compile(
    r"\betc\b|\.\.\.|…|\b(?:and|among) (?:others|more)\b|\bother way a?round\b"
    r"|\b(?:ones?|those) (?:(?:that|which) (?:do|does|did|is|are|were)(?: not|n't)\b|not to\b)|[以之]外|除了",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|as opposed to)\b[^.;\n]*", re.IGNORECASE)
_ADDS_IN_ASIDE = re.compile(
    r"\d[^()]{0,40}(?:\?|\bas well|\btoo\b)|\b(?:also|maybe|possibly|perhaps)\b[^()]{0,40}\d|\A\(or\b"
    r"|\bguess\b|\blikely\b",
    re.IGNORECASE,
)
"""Another option in brackets: "1, 4 (5 as well?)"."""
_VOTES = re.compile(
    r"^\W{0,4}(?:model|annotator|voter|run|sample|attempt|expert|judge)[ \t]?\d{1,3}[ \t]?[:：]", re.I | re.M
)
"""What one of several answers is: "Model 1: 1, 3, 4"."""
_ADDS = re.compile(r"\b(?:also|too|as well|additionally|plus|possibly|maybe)\b", re.IGNORECASE)
_ENDS = " \t*_`\"'“”.!。"


def selected_options(text: str, marked: bool, of: int) -> list[int] | None:
    """The options that a statement selects, in ascending order; None if it names none, or leaves some open."""
    judged = [(name, yes or sign) for name, yes, sign in JUDGED.findall(text)]
    if len(judged) > 1:
        return _accepted(judged, of)
    if len(_VOTES.findall(text)) > 1:
        return None
    text = without_pipes(text)
    if any(_ADDS_IN_ASIDE.search(aside) for aside in _ASIDE.findall(text)):
        return None
    text = _ASIDE.sub(_bare, text).replace(",\n", ", ")
    lines = [line.strip(_ENDS) for line in lines_in(text, NO_HINTS)]
    lines = [line for line in lines if line]
    if not lines or _OPEN.search(text) or TORN.search(text):
        return None
    one_each = _one_per_line(lines, of) if len(lines) > 1 else None
    if one_each is not None:
        return one_each
    first, rest = (lines[0], lines[1:]) if marked else (lines[-1], [])
    head, *remarks = SENTENCE_END.split(first)
    if marked and _names(first) is None and _names(head.strip(_ENDS)) is not None:
        first, rest = head, [*remarks, *rest]  # "Candidates 2 and 5. The others are about ferns."
    listed = _listed(without_lead_in(first, NO_HINTS).strip(_ENDS), of)
    if listed is not None:
        return None if any(_contradicts(line, listed, of) for line in rest) else sorted(listed)
    if _names(first) is not None:
        return None  # a list with a number that is not an option
    if marked and not _SENTENCE.search(first):
        return None  # "2, 3 minus 2"
    parts = [part.strip(_ENDS) for part in first.split(";")]
    several = _one_per_line(parts, of) if len(parts) > 1 else None
    return several or _one_per_line(lines[1:], of) or _in_sentences(" ".join(lines), of)


def _accepted(judged: Sequence[tuple[str, str]], of: int) -> list[int] | None:
    """The options that are judged positively; None if one does not exist or is judged twice."""
    options = [position(name, of) for name, _ in judged]
    if None in options or len(set(options)) < len(options):
        return None
    return sorted(option for option, (_, yes) in zip(options, judged, strict=True) if option and yes) or None


def _bare(aside: re.Match[str]) -> str:
    """Brackets without a remark: "(both study tides)" is left out, "(2)" is an option."""
    return "" if _WORD.search(aside[0]) and _names(aside[0]) is None else aside[0]


def _listed(line: str, of: int) -> set[int] | None:
    """The options of a line that is a list of options; None if it is not, or if one of them does not exist."""
    every = _ALL.fullmatch(line)
    if every:
        return set(range(1, of + 1)) if every["count"] is None or position(every["count"], of) == of else None
    excepted = _EXCEPT.fullmatch(line)
    if excepted:
        without = _listed(excepted["not"], of)
        return set(range(1, of + 1)) - without or None if without else None
    names = _names(line)
    found: set[int] = set()
    for one, two in names or ():
        first, last = position(one, of), position(two or one, of)
        if first is None or last is None or first > last:
            return None
        options = set(range(first, last + 1))
        if found & options:
            return None  # two lists: "2, 3 | 2"
        found |= options
    return found or None


def _names(line: str) -> list[tuple[str, str]] | None:
    """The parts of a list of options, each a name or a range of names; None if the line is not such a list."""
    words = [word for word in _JOINT.split(_DASH.sub("-", _FILLER.sub(" ", line))) if word]
    words = [CARDINAL_WORD.sub(in_digits, word) for word in words]
    parts = [_RANGE.fullmatch(word) for word in words]
    found = [(part[1], part[2] or "") for part in parts if part]
    return found if found and len(found) == len(words) else None


def _one_per_line(lines: Sequence[str], of: int) -> list[int] | None:
    """The options of a list with one option at the beginning of each line, with or without an explanation."""
    numbers, options = [], []
    for line in lines:
        bullet = _BULLET.match(line)
        started = _STARTS.match(line[bullet.end() :].strip(_ENDS) if bullet else line)
        option = position(started[1], of) if started else None
        numbers.append(int(bullet[1]) if bullet and bullet[1] else None)
        options.append(option)
    if options and all(options):
        return sorted({option for option in options if option})
    # "2. Tides of the north" has its option as the number of the list, unless the items are simply counted.
    if all(number is not None and 1 <= number <= of for number in numbers) and not any(options):
        counted = numbers == list(range(1, len(numbers) + 1))
        return None if counted or not numbers else sorted({number for number in numbers if number})
    return None


def _in_sentences(text: str, of: int) -> list[int] | None:
    """The options that the conclusion of a text names, or all that its only sentence with options names."""
    parts = (_INSTEAD.sub("", part) for part in SENTENCE.split(text) if part and not part.endswith("?"))
    sentences = [(part, mentions_in(part, of)) for part in parts]
    named = [(part, found) for part, found in sentences if found.options]
    concluding = [(part, found) for part, found in named if found.concludes]
    if len(named) > 1:
        named = concluding[-1:]
    if not named or _EITHER.search(named[0][0]):
        return None
    sentence, found = named[0]
    return sorted(found.options | _joined(sentence, of))


def _joined(sentence: str, of: int) -> set[int]:
    """The options that a sentence joins, unless it denies them."""
    runs = [
        run
        for run in _RUN.finditer(sentence)
        if not NEGATION.search(sentence[max(0, run.start() - 40) : run.start()])
        and not DENIED_AFTER.match(sentence, run.end())
    ]
    return {option for run in runs for option in _listed(run[0], of) or ()}


def _contradicts(line: str, listed: set[int], of: int) -> bool:
    """Whether a remark after the list draws another conclusion, or is a list itself."""
    if (again := _listed(line, of)) is not None:
        return again != listed
    mentioned = (mentions_in(part, of) for part in SENTENCE.split(line) if part)
    adds = _ADDS.search(line) is not None
    if line.endswith("?") and line[:3].lower() == "or ":
        return True
    return any((adds or found.concludes) and found.options - listed for found in mentioned)

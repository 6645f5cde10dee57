"""Parses the answer that a response states, as the type of its key.

The key determines which type to look for, where a list may be split ("Tides, storms" is one title if the key has such a
title), where an answer ends and a remark begins, and which column of a table is meant. Any stated answer is parsed,
correct or not. A response that hedges ("4 or 5") states nothing.

Responses are untrusted input. Every pattern here and in `scoring.parsing` is linear (no repetition inside a repetition
that could match the same characters twice), every search runs once, and no exception leaves `parse_response`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fathom.scoring.answer_types.parse_json import from_json
from fathom.scoring.answer_types.parse_lists import parse_list, parse_rows
from fathom.scoring.answer_types.parse_numbers import half_width, parse_number
from fathom.scoring.answer_types.parse_sentences import conclusion, labeled_result, parse_sentence
from fathom.scoring.answer_types.parse_spans import parse_linked_spans, parse_spans
from fathom.scoring.answer_types.values import scalars_of
from fathom.scoring.answers import Answer, Assignment, Choice, Selection, Text, Unanswerable
from fathom.scoring.parsing import json_values
from fathom.scoring.parsing.announcements import announced_part
from fathom.scoring.parsing.envelopes import opened
from fathom.scoring.parsing.extraction import MAX_STATEMENT_LENGTH, AnswerStatement, find_statement, last_fence
from fathom.scoring.parsing.footnotes import without_footnotes
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.languages import candidates_in_english, in_english
from fathom.scoring.parsing.markup import undecorated, without_call, without_markup, without_signs, without_thoughts
from fathom.scoring.parsing.months import month_among, only_month
from fathom.scoring.parsing.non_answers import APPROXIMATE, CONTRAST, HEDGE, NOTHING, states_no_answer
from fathom.scoring.parsing.normalization import letters, normal, plain
from fathom.scoring.parsing.numerals import SIMPLE, number_of
from fathom.scoring.parsing.options import assigned_options, chosen_option
from fathom.scoring.parsing.query_results import as_table
from fathom.scoring.parsing.remarks import TELLS_MORE, without_comment
from fathom.scoring.parsing.segmentation import BULLET, clean_item, lines_in, without_lead_in
from fathom.scoring.parsing.selections import selected_options
from fathom.scoring.parsing.tables import piped_rows, without_numbers
from fathom.scoring.parsing.word_classes import leaves_open

_MARKUP = ("<", ">", "&", "\r", "- [", "~~", "\\item", "[/", "INST]", "[Ass", "[Ans", "[ANS", "[EOS]", "](")
"""Signs of markup; a search for each is faster than for all of them."""
_ONE_QUOTED = re.compile(r'[^"“”«»\n]{0,120}["“«][ \t]?([^"“”«»\n]{3,400}?)[ \t]?["”»][^"“”«»\n]{0,300}')
_TOLD_OF_TITLE = re.compile(r'[^"“”\n]{0,100} (?:of|for|in) ["“][^"“”\n]{1,400}["”] (?:is|was) ([^"“”\n]{1,200}?)\.?')
"""What a sentence says of a title: 'The first author of "Tides" is Lind.'."""
_BESIDE = re.compile(
    r"\b(?:after|before|above|below|under|preceding|next to|similar to|other than|follow(?:s|ing)|cit(?:es|ed"
    r"|ing)(?: by| in)?|by|than"
    r"|referenc(?:es|ed|ing)(?: by| in)?|mention(?:s|ed)(?: by| in)?|of|like|from|with|about|on|in|to) [\"“«]\Z",
    re.IGNORECASE,
)
"""What names another title by its relation to this one: 'the article that cites "Tides"'."""
_HONORIFIC = re.compile(r"\A(?:the |l')?(?:(?:Dr|Prof|Professor|Mr|Ms|Mrs|Herr|Frau)\b\.?[ \t])*", re.IGNORECASE)
_REASON = re.compile(
    r"[ \t](?:\(|[–—-][ \t])(?:the|it|this|that|since|because|as|no)[ \t]"
    r"(?:(?!wrong|incorrect|rejected|excluded|except|but\b"
    r"|or\b|second|next|closest|guess|likely|maybe|perhaps|could|might|may\b|is [a-z]+\)?\.?\Z)"
    r"[^()\n\dA-Z\"“«]){1,200}\)?\.?\Z"
)
"""A reason in brackets or behind a dash that names nothing: "descriptive (the sentence names no method)"."""
_UNFINISHED = re.compile(r"[,;、][ \t\n]*(?:\.{3}|…)[ \t\n]*[\])}*]*\.?\Z")
"""The end of a list that is not told in full: "[Lind, Wu, ...]"."""
_OF_CANDIDATES = frozenset({"choice", "selection", "assignment"})
_ANNOUNCED = frozenset({"text", "set", "multiset", "ranking", "rows", "selection", "assignment"})
"""Types of answers that may follow a line that announces them."""
_IN_OWN_WORDS = frozenset({"number", "text", "set", "multiset", "ranking", "rows"})
"""Types of answers that a sentence states with no word that may leave it open."""
_MAY_BE_JSON = frozenset('{["n*_`')
_NOT_BUT = re.compile(r"\Anot[ \t][^\n]{1,400}?,? but (?:rather |instead )?(?=\S)", re.IGNORECASE)
"""The beginning of "not Lind but Wu"."""
_POINTER = re.compile(
    r"[ \t][(\[](?:(?:see|cf\.|as (?:shown|listed|stated) in)[ \t][^()\n]{1,120}"
    r"|as (?:shown|listed|stated|explained|derived|computed|noted|described) (?:above|below|earlier)"
    r"|final(?: answer)?|verified|confirmed|(?:double-?)?checked(?: twice)?|(?:very )?(?:high|medium"
    r"|moderate|low) confidence"
    r"|confidence:?[ \t][\w.%]{1,12}|\d{1,3}% (?:confidence|confident|sure))"
    r"[)\]]\.?\Z",
    re.IGNORECASE,
)
"""Where an answer comes from, or how sure it is: "4 (see Article 2)", "4 (verified)"."""
_AFTERTHOUGHT = re.compile(
    r"(?:[ \t][—–-]|,)[ \t](?:as (?:shown|explained|stated|listed|computed|derived|noted) (?:above|below|earlier)"
    r"|(?:double-?)?(?:checked|verified|confirmed)(?: twice)?)\.?\Z"
    r"|(?<=[\w)\]\"”'*}])[.!][ \t]+"
    r"(?i:i hope (?:this|that|it)(?: is| was|'s)? (?:correct|right|helps?|helpful))[.!]?\Z"
    r"|(?<=\S),?[ \t](?:because|since|as (?:[a-z]+ly )?(?:stated|shown|listed|given|mentioned|reported|seen|indicated"
    r"|described|printed)|based (?:[a-z]+ly )?(?:on|upon)|according to|judging (?:by|from)|given)[ \t]"
    r"(?=[^\n]{0,200}\b(?:articles?|papers?|documents?|texts?|context|collection|lists?|bylines?|references?|conditions?"
    r"|criteri(?:a|on)|information|data|sources?|tables?|evidence|question)\b)"
    r"(?:(?!(?:not|but|or|except|without|unlike|wrong|however|though|perhaps|maybe)\b|n't\b)[^\n\dA-Z\"“«;]){1,200}\Z"
)
"""Where an answer comes from, after a comma, a dash or a conjunction, in words that name nothing: "4, as shown above.",
"Lind because the articles say so."; and a courtesy after it."""
_NOT_THAT = re.compile(
    r"[ \t]?\((?:and )?not[ \t][^()\n]{1,300}\)\.?\Z|"
    r"(?<=[\w\]})\"”*%])"
    r"(?:,[ \t](?:(?:and |but )?not|rather than|instead of)|[ \t](?:(?:and|but) not|rather than|instead of))[ \t]"
    r"(?!(?:sure|certain|clear)\b)(?:[^,;\n()]|[,](?=\d)){1,200}\Z",
    re.IGNORECASE,
)
"""What an answer is not, at its end: "Lind, not Wu", "[3, 7] (not [3, 8])"."""
_NOT_IN_BRACKETS = re.compile(r"(?<=\w)[ \t]\((?:and )?not[ \t][^()\n]{1,300}\)\.?\Z", re.IGNORECASE)
_AFTERTHOUGHTS = (
    " above", " below", " earlier", "checked", "verified", "confirmed", "hope ", " because ", " since ", " as ",
    " based ", " according ", " judging ", " given ",
)  # fmt: skip
_THEREFORE_ZERO = re.compile(
    r"\b(?:so|therefore|thus|hence|which means|meaning)\b[^.\n\d]{0,60}\b(?:0|zero)\W{0,4}\Z", re.IGNORECASE
)
"""A count of nothing: "No article meets the condition, so the count is 0."."""
_DENIES = re.compile(
    r"\b(?:not|never|except|but|besides|other than|neither|nor|unlike|without|cannot|wrong|incorrect)\b|n't\b",
    re.IGNORECASE,
)


_RETRACTS = re.compile(
    r"\b(?:or|and|but|also|however|maybe|perhaps|possibly|might|could|would|rather|alternatively|unsure|uncertain|sure|wait"
    r"|mistake\w*|wrong|incorrect|correction|actually|sorry|chang\w+|should|must|answer|no)\b",
    re.IGNORECASE,
)
"""What a paragraph after an answer says if it takes the answer back, or adds to it."""


def _parse_text(statement: AnswerStatement, key: Text, hints: KeyHints) -> Text | None:
    """The stated text."""
    head, _, remark = statement.text.strip().partition("\n\n")
    if statement.marked and letters(head.strip("*_` ")) in hints.whole and not _RETRACTS.search(remark):
        return Text(value=head.strip("*_` "))  # and a paragraph about it
    lines = lines_in(statement.text, hints)
    if not lines:
        return None
    if len(lines) > 1 and all("|" in line for line in lines):
        cells = [cell for row in without_numbers(piped_rows(lines, ())) for cell in row]
        lines = cells if len(cells) == 1 else lines
        rows = piped_rows(lines, ()) if len(cells) > 1 else []
        if len(rows) == 1 and (month := month_among(key.value, rows[0])):
            return Text(value=month)
    # Reasoning ends with its answer; a title may be wrapped over lines.
    reasoned = not statement.marked and (
        2 * sum(line.endswith((".", "!", "?")) for line in lines[:-1]) >= len(lines)
        or (lines[-1].endswith(".") and all(BULLET.match(line) or "|" in line for line in lines[:-1]))
    )
    line = lines[-1] if reasoned else " ".join(lines)
    if letters(line) in hints.whole:
        return Text(value=plain(line).strip())
    bullet = BULLET.match(line)
    line = plain(line[bullet.end() :] if bullet else line).strip()
    quoted = _ONE_QUOTED.fullmatch(line)
    if quoted and (about := _TOLD_OF_TITLE.fullmatch(line)) and letters(about[1]) in hints.whole:
        return Text(value=about[1])
    if quoted and _BESIDE.search(line, 0, quoted.start(1)):
        return None
    if quoted and not _is_contested(line[: quoted.start(1)] + line[quoted.end(1) :]):
        return Text(value=quoted[1])
    if not _is_contested(line) and (month := only_month(key.value, line)):
        return Text(value=month)
    bare = clean_item(without_lead_in(line, hints), hints)
    if letters(bare) not in hints.whole and (shorter := without_comment(line)) != line:
        line = shorter
        bare = clean_item(without_lead_in(line, hints), hints)
    if letters(bare) not in hints.whole and letters(kept := _REASON.sub("", bare)) in hints.whole:
        return Text(value=kept)
    if letters(bare) not in hints.whole and letters(kept := _HONORIFIC.sub("", CONTRAST.sub("", bare))) in hints.whole:
        return Text(value=kept)  # "Dr. Mei Lind, not Jonas Wu"
    return Text(value=bare) if bare else None


def _is_contested(sentence: str) -> bool:
    """Whether a sentence around a quoted title denies it or leaves it open."""
    return HEDGE.search(sentence) is not None or _DENIES.search(sentence) is not None


def _parse_choice(statement: AnswerStatement, key: Choice, hints: KeyHints) -> Choice | None:
    """The one option that is chosen, by its letter, number or ordinal."""
    option = chosen_option(plain(half_width(statement.text.strip())), key.of)
    return Choice(option=option, of=key.of) if option else None


_NOT_FIRST = re.compile(r"\A\W{0,4}not [^:\n]{1,100}: ", re.IGNORECASE)
_SOURCE_NUMBERS = re.compile(r"(?<=[\w.?!\"”*)])[ \t]?(?:\[\d{1,3}(?:[,–-][ \t]?\d{1,3}){0,9}\]){1,12}(?=[\s,.;:]|\Z)")
"""The numbers of sources after a statement: "Lind [3, 8]"."""
_SOURCE_NUMBER = re.compile(r"(?<=\w)[ \t]\[\d{1,2}\](?=[.,;]|\Z|[ \t][a-z])")
_UNSETTLED = re.compile(
    r"[^\d\n]{0,80}(?:\b(?:not|never|cannot|maybe|perhaps|possibly|might|could|would|guess|preliminary|draft"
    r"|so far)\b|n't\b|不是|并非|可能|也许|或许)"
    r"[^\d\n]{0,40}\d|[^\n]{0,400}\brules? (?:it|this|that|them) out\b|[^\0]{0,400}\bpreliminary\b",
    re.IGNORECASE,
)
"""What denies the options that follow, or leaves them open."""


_BACKWARDS = re.compile(
    r"\bfrom the last (?:mask|slot|blank|citation|one)\b|\breversed? order\b|\b(?:no one|nobody|probably none)\b",
    re.IGNORECASE,
)
_OPTION_COLUMN = re.compile(
    r"\A\s*\|[ \t]*(?:candidate|option)[ \t]*\|[ \t]*(?:citation|mask|slot|blank)[ \t]*\|[^\0]*", re.IGNORECASE
)
_TWO_CELLS = re.compile(r"^\|[ \t]*([^|\n]{1,20}?)[ \t]*\|[ \t]*([^|\n]{1,20}?)[ \t]*\|[ \t]*$", re.MULTILINE)


def _with_slot_first(table: re.Match[str]) -> str:
    """A table with the options in its first column, with its columns exchanged."""
    return _TWO_CELLS.sub(r"| \2 | \1 |", table[0])


_RUN = re.compile(r"[*_\[(]{0,3}\d{1,3}(?:[ \t]?[,;-][ \t]?\d{1,3}){1,99}[*_\])]{0,3}\.?")
"""Options in order: "3, 1, 4, 2"."""
_MOVES = re.compile(
    r"\b(?:swap|switch|exchang|interchang|guess|should|must|revers|random|unsure|uncertain)\w*", re.IGNORECASE
)
"""What a sentence says that changes options, or doubts them."""


def _parse_assignment(statement: AnswerStatement, key: Assignment, hints: KeyHints) -> Assignment | None:
    """The option of each slot, from pairs such as "2: C", from a table, or from a plain list."""
    stated = _NOT_FIRST.sub("", statement.text)
    if _UNSETTLED.match(stated) or _BACKWARDS.search(stated):
        return None
    stated = _OPTION_COLUMN.sub(_with_slot_first, stated)
    head, _, remark = stated.strip().partition("\n\n")
    if (
        statement.marked
        and remark
        and _RUN.fullmatch(head)
        and not (TELLS_MORE.search(remark) or _MOVES.search(remark))
    ):
        stated = head  # the options in order, and sentences about them
    options = assigned_options(plain(half_width(stated)), statement.marked, len(key.options), key.of)
    return Assignment(options=tuple(options), of=key.of) if options else None


def _parse_selection(statement: AnswerStatement, key: Selection, hints: KeyHints) -> Selection | None:
    """The options that are selected, by their letters or numbers."""
    stated = _NOT_FIRST.sub("", statement.text)
    if _UNSETTLED.match(stated):
        return None
    options = selected_options(plain(half_width(stated)), statement.marked, key.of)
    return Selection(options=tuple(options), of=key.of) if options else None


def _parse_any_text(statement: AnswerStatement, key: Unanswerable, hints: KeyHints) -> Text | None:
    """The statement as a text, so that the verdict can show what was answered to an unanswerable question."""
    text = plain(statement.text).strip()[:1000]
    # "NULL or 4" states nothing, like "3 or 4" where a number is asked for.
    return Text(value=text) if text and not ("NULL" in text and HEDGE.search(text)) else None


_PARSERS: dict[str, Callable[[AnswerStatement, Any, KeyHints], Answer | None]] = {
    "number": parse_number,
    "text": _parse_text,
    "set": parse_list,
    "multiset": parse_list,
    "ranking": parse_list,
    "rows": parse_rows,
    "choice": _parse_choice,
    "assignment": _parse_assignment,
    "selection": _parse_selection,
    "spans": parse_spans,
    "linked spans": parse_linked_spans,
    "none": _parse_any_text,
}


def _from_text(statement: AnswerStatement, key: Answer, hints: KeyHints) -> Answer | None:
    """The stated answer, as the type of the key."""
    text = statement.text.strip()
    if not text or len(text) > MAX_STATEMENT_LENGTH:
        return None
    # A key may contain a text such as "None"; then "None" is an answer.
    if _is_negative(text, statement.marked) and not any(normal(spelling) in NOTHING for spelling in hints.spellings):
        return number_of("0") if key.type == "number" and _THEREFORE_ZERO.search(text) else Unanswerable()
    if statement.marked or key.type != "number":
        return _from_words(statement, key, hints)
    parsed = _from_words(statement._replace(text=conclusion(text) or text), key, hints)
    if parsed is None and (result := labeled_result(text)):
        return _from_words(statement._replace(text=result), key, hints)
    return parsed


def _from_words(statement: AnswerStatement, key: Answer, hints: KeyHints) -> Answer | None:
    """What a statement says if it is an answer alone, or else in its sentences."""
    text = statement.text.strip()
    if not statement.marked and key.type in _IN_OWN_WORDS and len(text) > 3 and leaves_open(text, hints.spellings):
        return None
    parsed = _PARSERS[key.type](statement, key, hints)
    return parse_sentence(statement, key, hints) or parsed if _may_be_sentence(parsed, text, hints) else parsed


def _may_be_sentence(parsed: Answer | None, text: str, hints: KeyHints) -> bool:
    """Whether nothing was parsed, or an item is more than one of the key: a clause around it."""
    if parsed is None or "twice" in text:
        return True
    texts = [scalar for scalar in scalars_of(parsed) if isinstance(scalar, Text)]
    return bool(hints.whole) and any(letters(text.value) not in hints.whole for text in texts)


def _is_negative(text: str, marked: bool) -> bool:
    """Whether a statement, or the last line of a response without a marker, says that there is no answer."""
    if states_no_answer(text):
        return True
    if "|" in text:
        cells = [cell for row in piped_rows([line for line in text.split("\n") if line], ()) for cell in row]
        return len(cells) == 1 and states_no_answer(cells[0])
    before, _, last = ("", "", "") if marked else text.rpartition("\n")
    # After lines without a full stop, "NULL" is another item of a list.
    return before.rstrip()[-1:] in {*".:!?)。：*"} and bool(last) and states_no_answer(last)


def parse_response(text: str, key: Answer, *, truncated: bool = False) -> Answer | None:
    """The answer that a response states, of the type of the key.

    `Unanswerable` if it states that there is no answer; None if no answer could be parsed. Of a truncated response only
    a boxed answer is parsed.
    """
    if not text.isascii():
        text = without_signs(text.encode(errors="replace").decode())
    try:
        if key.type == "number" and not truncated and SIMPLE.fullmatch(text):
            return number_of(text)
        if "<" in text or "[/" in text or "◁/" in text:
            text = without_thoughts(text)
        if text[-1:] in {")", "]", "`"} or text.startswith(("analysis", "assistantfinal")):
            text = without_call(text)
        hints = KeyHints(scalars_of(key))
        if "\n" in text:
            text = without_footnotes(text, hints)
        if "[" in text and not hints.contain("["):
            if hints.spellings:
                text = _SOURCE_NUMBERS.sub("", text)
            elif key.type == "number":
                text = _SOURCE_NUMBER.sub("", text)
        text = opened(text, hints)
        if any(map(text.__contains__, _MARKUP)):
            text = without_markup(text, hints)
        statement = find_statement(text, hints, truncated)
        if statement is not None:
            statement = AnswerStatement(in_english(statement.text, hints), statement.marked)
            if not statement.marked and key.type in _ANNOUNCED:
                statement = AnswerStatement(announced_part(statement.text), marked=False)
            if key.type in _OF_CANDIDATES and not statement.text.isascii():
                statement = statement._replace(text=candidates_in_english(statement.text))
        return None if statement is None else _from_statement(statement, key, hints)
    except (ArithmeticError, LookupError, RecursionError, ValueError):
        return None  # no such input is known, but a response may still contain one


def _json_in(text: str) -> Any:
    """The JSON value that a statement is, or that it begins with before sentences about it; else `ABSENT`."""
    bare = text.strip("*_` \t") if text[0] in "*_`" else text
    value = json_values.parsed(bare) if bare[:1] not in {"*", "_", "`", ""} else json_values.ABSENT
    if value is json_values.ABSENT and "]\n" in bare and bare[0] == "[":
        first, _, rest = bare.partition("\n")
        sentences = [line.strip() for line in rest.split("\n") if line.strip()]
        if all(line.endswith(".") and " " in line for line in sentences) and not HEDGE.search(rest):
            value = json_values.parsed(first.strip())
    return value


def _without_contrast(text: str, hints: KeyHints) -> str:
    """A statement of one line without what it says the answer is not."""
    contrast = _NOT_THAT.search(text)
    if "\n" in text or contrast is None or letters(text) in hints.whole:
        return text
    whole = len(hints.scalars) > 1 and ("," in contrast[0] or "[" in contrast[0])  # another list, which may share items
    if not whole and any(form in letters(contrast[0]) for form in hints.whole):
        return text  # "June 2021 (not 2021-06)" contradicts itself
    return text[: contrast.start()]


def _from_statement(statement: AnswerStatement, key: Answer, hints: KeyHints) -> Answer | None:
    """The stated answer, from JSON or from text."""
    text = statement.text.strip()
    if "```" in text:
        before = text[: text.find("```")].rstrip()
        # An answer before a block is the answer, and the block a remark.
        text = before if statement.marked and before and before[-1] not in ":：" else (last_fence(text) or text).strip()
    if ("..." in text or "…" in text) and _UNFINISHED.search(text):
        return None
    text = as_table(plain(text).strip() if text[:1] == "\\" else undecorated(text, hints), hints)
    if text[:4].lower() == "not " and not any(form.startswith("not ") for form in hints.whole):
        text = _NOT_BUT.sub("", text)
    if text.endswith((")", ").", "]")) and not hints.contain("(see "):
        text = _POINTER.sub("", text)
    if any(map(text.__contains__, _AFTERTHOUGHTS)) and letters(text) not in hints.whole:
        text = _AFTERTHOUGHT.sub("", text)
    if "not " in text or " rather than " in text or " instead of " in text:
        text = _without_contrast(text, hints) if hints.scalars else _NOT_IN_BRACKETS.sub("", text)
    if text[:1] in _MAY_BE_JSON and len(text) <= MAX_STATEMENT_LENGTH:
        text = text.rstrip(".。 ") if text.rstrip(".。 ")[-1:] in {"]", "}"} else text
        value = _json_in(text)
        if value is not json_values.ABSENT:
            found = from_json(value, key, hints)
            if not isinstance(found, AnswerStatement):
                return found
            return _from_text(
                found._replace(text=APPROXIMATE.sub("", found.text)) if hints.rounded else found, key, hints
            )
    if hints.rounded:
        text = APPROXIMATE.sub("", text)
    return _from_text(AnswerStatement(text, statement.marked), key, hints)

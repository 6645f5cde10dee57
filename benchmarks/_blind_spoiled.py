"""Responses that no fair reader accepts, by the type of the answer; see response_forms_blind.py."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal

from _blind_sheets import LISTS, Sheet

Spoiled = Callable[[Sheet, random.Random], str | None]


def _whole(template: str) -> Spoiled:
    """Of a whole number: @ is the number, @LESS and @MORE its neighbors."""

    def spoiled(sheet: Sheet, rng: random.Random) -> str | None:
        if not sheet.lines[0].isdigit() or int(sheet.lines[0]) < 2:
            return None
        number = int(sheet.lines[0])
        return template.replace("@LESS", str(number - 1)).replace("@MORE", str(number + 1)).replace("@", str(number))

    return spoiled


NUMBER: dict[str, Spoiled] = {
    name: _whole(template)
    for name, template in {
        "range": "Answer: @-@MORE",
        "range with a long dash": "Answer: @LESS–@",
        "between": "Answer: between @LESS and @MORE",
        "more than": "Answer: more than @LESS",
        "fewer than": "Answer: fewer than @MORE",
        "to": "Answer: @LESS to @MORE",
        "or": "Answer: @ or @MORE",
        "slash": "Answer: @/@MORE",
        "list of two": "Answer: @, @MORE",
        "two lines": "Answer:\n@\n@MORE",
        "two json values": '{"answer": [@, @MORE]}',
        "million": "Answer: @ million",
        "hundred": "Answer: @ hundred",
        "thousand": "Answer: @K",
        "scientific": "Answer: @ × 10^3",
        "fraction": "Answer: 1/@",
        "half more": "Answer: @.5",
        "not": "Answer: not @",
        "anything but": "Answer: anything but @",
        "sum goes on": "Answer: @ + 1 = @MORE",
        "sum of another": "Answer: @LESS + @ = " + "9@",
        "other word": "Answer: @ million and one",
        "article number": "Article @ is the longest one.\n\nAnswer: @MORE",
        "at least or at most": "Answer: at most @MORE",
        "uncertain": "Answer: @?? or maybe @MORE, maybe @LESS",
        "counted on": "Counting: 1, 2, 3, ..., @, @MORE. Answer: @MORE",
    }.items()
}


def _other(template: str) -> Spoiled:
    """Of a list: @B are its lines, @I the same on one line, @O an item that is not in it."""

    def spoiled(sheet: Sheet, rng: random.Random) -> str | None:
        if "@O" in template and (sheet.numeric or not sheet.others):
            return None
        if sheet.inline is None and "@I" in template:
            return None
        other = rng.choice(sheet.others) if sheet.others else ""
        filled = template
        for mark, text in (("@O", other), ("@I", sheet.inline or ""), ("@B", sheet.block)):
            filled = filled.replace(mark, text)
        return filled

    return spoiled


def _first_and_others(sheet: Sheet, rng: random.Random) -> str | None:
    return f"Answer: {sheet.lines[0]}, etc." if len(sheet.lines) > 2 else None


def _dots(sheet: Sheet, rng: random.Random) -> str | None:
    return "Answer:\n" + "\n".join((*sheet.lines[:-1], "...")) if len(sheet.lines) > 1 else None


def _and_more(sheet: Sheet, rng: random.Random) -> str | None:
    return "Answer:\n" + "\n".join((*sheet.lines[:-1], "(and others)")) if len(sheet.lines) > 1 else None


def _cut(sheet: Sheet, rng: random.Random) -> str | None:
    """The response ends in the middle of the last item."""
    last = sheet.lines[-1]
    return (
        "Answer:\n" + "\n".join((*sheet.lines[:-1], last[: len(last) // 3]))
        if not sheet.numeric and len(last) > 30
        else None
    )


def _denied_item(sheet: Sheet, rng: random.Random) -> str | None:
    if sheet.numeric or len(sheet.lines) < 2:
        return None
    return "Answer:\n" + "\n".join((*sheet.lines[:-1], f"(but not {sheet.lines[-1]})"))


def _struck(sheet: Sheet, rng: random.Random) -> str | None:
    if sheet.numeric or len(sheet.lines) < 2:
        return None
    return "Answer:\n" + "\n".join(("~~" + sheet.lines[0] + "~~", *sheet.lines[1:]))


def _doubled(sheet: Sheet, rng: random.Random) -> str | None:
    if sheet.kind not in ("multiset", "ranking") or not sheet.numeric:
        return None
    return "Answer:\n" + "\n".join((*sheet.lines, sheet.lines[-1]))


def _or_item(sheet: Sheet, rng: random.Random) -> str | None:
    if sheet.numeric or not sheet.others:
        return None
    return "Answer:\n" + "\n".join((*sheet.lines[:-1], f"{sheet.lines[-1]} or {rng.choice(sheet.others)}"))


def _mixed(sheet: Sheet, rng: random.Random) -> str | None:
    return "Answer:\n" + "\n".join((*sheet.lines, "NULL"))


LIST: dict[str, Spoiled] = {
    "also included": _other("Answer:\n@B\n\n“@O” should also be included."),
    "additionally": _other("Answer:\n@B\n\nAdditionally:\n@O"),
    "plus": _other("Answer:\n@B\nplus @O"),
    "i forgot": _other("Answer:\n@B\n\nI forgot one: @O"),
    "other in the middle of bullets": _other("Answer:\n- @O\n- @I"),
    "everything but": _other("Answer: everything except @I"),
    "none of": _other("Answer: none of @I"),
    "other in parentheses": _other("Answer:\n@B (and @O)"),
    "extra bold": _other("Answer:\n@B\n**@O**"),
    "extra as a bullet": _other("Answer:\n@B\n- @O"),
    "extra in quotes": _other("Answer:\n@B\n“@O”"),
    "extra with a remark": _other("Answer:\n@B\n@O (less clear, but I count it)"),
    "first answer other": _other("Answer: @O\n\nAnswer: @O; and that is all"),
    "number of items": lambda sheet, rng: (
        f"Answer: {len(sheet.lines) + 100} items" if sheet.numeric else f"Answer: {len(sheet.lines)} items"
    ),
    "etc": _first_and_others,
    "dots": _dots,
    "and others": _and_more,
    "cut": _cut,
    "denied item": _denied_item,
    "struck out": _struck,
    "doubled": _doubled,
    "or in the last line": _or_item,
    "null as well": _mixed,
}


def _rows(write: Callable[[tuple[tuple[str, str], ...]], str | None]) -> Spoiled:
    return lambda sheet, rng: write(sheet.pairs)


def _values_only(pairs: tuple[tuple[str, str], ...]) -> str | None:
    return "Answer:\n" + "\n".join(value for value, _ in pairs)


def _results_only(pairs: tuple[tuple[str, str], ...]) -> str | None:
    return "Answer:\n" + "\n".join(result for _, result in pairs)


def _columns_swapped(pairs: tuple[tuple[str, str], ...]) -> str | None:
    if {pair[::-1] for pair in pairs} == set(pairs):
        return None
    return "Answer:\n" + "\n".join(f"{result}; {value}" for value, result in pairs)


def _conflict(pairs: tuple[tuple[str, str], ...]) -> str | None:
    value, result = pairs[0]
    return "Answer:\n" + "\n".join((*(f"{one}; {two}" for one, two in pairs), f"{value}; {Decimal(result) + 3:f}"))


def _hedged_row(pairs: tuple[tuple[str, str], ...]) -> str | None:
    value, result = pairs[-1]
    rows = [f"{one}; {two}" for one, two in pairs[:-1]]
    return "Answer:\n" + "\n".join((*rows, f"{value}; {result} or {Decimal(result) + 1:f}"))


def _open_row(pairs: tuple[tuple[str, str], ...]) -> str | None:
    return "Answer:\n" + "\n".join((*(f"{one}; {two}" for one, two in pairs[:-1]), f"{pairs[-1][0]}; ?"))


def _results_summed(pairs: tuple[tuple[str, str], ...]) -> str | None:
    return f"Answer: {sum(Decimal(result) for _, result in pairs) + 1}"


def _table_with_a_changed_row(pairs: tuple[tuple[str, str], ...]) -> str | None:
    rows = [f"| {value} | {result} |" for value, result in pairs[:-1]]
    value, result = pairs[-1]
    return "\n".join(("| value | result |", "| --- | --- |", *rows, f"| {value} | {Decimal(result) + 1:f} |"))


def _json_with_a_changed_row(pairs: tuple[tuple[str, str], ...]) -> str | None:
    rows = [f'"{value}": {result}' for value, result in pairs[:-1]]
    value, result = pairs[-1]
    return "{" + ", ".join((*rows, f'"{value}": {Decimal(result) + 1:f}')) + "}"


def _columns_swapped_in_a_line(pairs: tuple[tuple[str, str], ...]) -> str | None:
    if {pair[::-1] for pair in pairs} == set(pairs):
        return None
    return "Answer: " + ", ".join(f"{result}: {value}" for value, result in pairs)


ROWS: dict[str, Spoiled] = {
    "values only": _rows(_values_only),
    "results only": _rows(_results_only),
    "columns swapped": _rows(_columns_swapped),
    "columns swapped in a line": _rows(_columns_swapped_in_a_line),
    "conflicting row": _rows(_conflict),
    "hedged row": _rows(_hedged_row),
    "open row": _rows(_open_row),
    "sum of the results": _rows(_results_summed),
    "table with a changed row": _rows(_table_with_a_changed_row),
    "json with a changed row": _rows(_json_with_a_changed_row),
}

NONE: dict[str, Spoiled] = {
    "except": _other("Answer: None except @O"),
    "only": _other("There are no such articles apart from @O.\n\nAnswer: @O"),
    "or": _other("Answer: NULL or @O"),
    "or a number": _other("Answer: NULL or 1"),
    "and an item": _other("Answer:\nNULL\n@O"),
    "not null": _other("Answer: not NULL"),
    "not null, another": _other("The answer is not NULL; it is 4."),
    "number": _other("Answer: 3"),
    "word": _other("Answer: two"),
    "json": _other('{"answer": 7}'),
    "json item": _other('{"answer": ["@O"]}'),
    "boxed": _other("$\\boxed{12}$"),
    "item": _other("Answer: @O"),
    "quoted item": _other("Answer:\n1. “@O”"),
    "null, then an item": _other("Answer: NULL\n\nWait, I missed one. There is one after all.\n\nAnswer: @O"),
    "null, then a number": _other("Answer: NULL\n\nOn second thought, that is wrong.\n\nAnswer: 2"),
    "rejected null": _other("At first it seems that nothing qualifies (NULL), but one does.\n\nAnswer: @O"),
    "null in think tags": _other("<think>Answer: NULL</think>\n\nAnswer: @O"),
    "would be null": _other("If nothing qualified I would answer NULL. The answer is 5."),
    "many": _other("Answer: all articles"),
    "only one": _other("Only @O."),
    "one article": _other("Answer: one article"),
}


def _one(template: str) -> Spoiled:
    def spoiled(sheet: Sheet, rng: random.Random) -> str | None:
        number = int(sheet.lines[0])
        other = rng.choice([option for option in range(1, sheet.of + 1) if option != number])
        return template.replace("@OTHER", str(other)).replace("@OVER", str(sheet.of + 1)).replace("@", str(number))

    return spoiled


CHOICE: dict[str, Spoiled] = {
    name: _one(template)
    for name, template in {
        "or": "Answer: @ or @OTHER",
        "and": "Answer: @ and @OTHER",
        "comma": "Answer: @, @OTHER",
        "slash": "Answer: @/@OTHER",
        "candidates": "Answer: Candidates @ and @OTHER",
        "lines": "Answer:\n@\n@OTHER",
        "all": "Answer: 1, 2, 3, 4",
        "not this": "Answer: @OTHER (not @)",
        "rather than this": "Answer: Candidate @OTHER rather than Candidate @",
        "this is wrong": (
            "Candidate @ looks right at first, but it is about something else. So it must be candidate @OTHER."
        ),
        "not": "Answer: not @",
        "anything but": "Answer: anything but candidate @",
        "over this": "I would choose candidate @OTHER over candidate @.",
        "none": "Answer: none of the candidates",
        "zero": "Answer: 0",
        "too large": "Answer: @OVER",
        "letters": "Answer: @OTHER@",
        "decimal": "Answer: @.5",
        "tens": "Answer: @0",
        "between": "Answer: between @ and @OTHER",
        "torn": "It could be @ or @OTHER; I cannot decide.",
        "ruled out": "Candidate @ is ruled out.\n\nAnswer: @OTHER",
        "json list": '{"answer": [@, @OTHER]}',
        "json other": '{"reasoning": "candidate @ is off topic", "answer": @OTHER}',
        "mask other": "[[CITATION]] = Candidate @OTHER; candidate @ is cited elsewhere.",
        "eliminated": "I can only rule out candidate @.",
        "second look": "Answer: @\n\nOn a second look it is @OTHER.",
        "tie": "Candidates @ and @OTHER fit equally well.",
        "boxed other": "Candidate @ is tempting. $\\boxed{@OTHER}$",
    }.items()
}


def _inverse(sheet: Sheet, rng: random.Random) -> str | None:
    inverse = tuple(str(sheet.lines.index(str(option)) + 1) for option in range(1, len(sheet.lines) + 1))
    return f"Answer: {', '.join(inverse)}" if inverse != sheet.lines else None


def _by_wrong_candidate(sheet: Sheet, rng: random.Random) -> str | None:
    inverse = tuple(str(sheet.lines.index(str(option)) + 1) for option in range(1, len(sheet.lines) + 1))
    if inverse == sheet.lines:
        return None
    return "Answer:\n" + "\n".join(
        f"Candidate {place}: [[CITATION {line}]]" for place, line in enumerate(sheet.lines, 1)
    )


def _letters(sheet: Sheet, rng: random.Random) -> str | None:
    """Letters that stand for no candidate in the prompt, in an order that is not the key's."""
    return "Answer: A, B, C, D" if sheet.lines != ("1", "2", "3", "4") else None


def _edited(write: Callable[[list[str]], str | None]) -> Spoiled:
    return lambda sheet, rng: write(list(sheet.lines))


ASSIGNMENT: dict[str, Spoiled] = {
    "inverse": _inverse,
    "masks of wrong candidates": _by_wrong_candidate,
    "letters": _letters,
    "shifted": _edited(lambda lines: "Answer: " + ", ".join((*lines[1:], lines[0]))),
    "reversed": _edited(lambda lines: "Answer: " + ", ".join(reversed(lines))),
    "all the same": _edited(lambda lines: "Answer: " + ", ".join([lines[0]] * len(lines))),
    "one too many": _edited(lambda lines: "Answer: " + ", ".join((*lines, lines[0]))),
    "last unknown": _edited(lambda lines: "Answer: " + ", ".join((*lines[:-1], "?"))),
    "last unknown mask": _edited(
        lambda lines: (
            "Answer:\n"
            + "\n".join(
                [f"[[CITATION {place}]]: {line}" for place, line in enumerate(lines[:-1], 1)]
                + ["[[CITATION 4]]: unknown"]
            )
        )
    ),
    "first hedged": _edited(lambda lines: f"Answer: {lines[0]} or {lines[1]}, {', '.join(lines[1:])}"),
    "only the first": _edited(lambda lines: f"Answer: {lines[0]}"),
    "masks swapped": _edited(
        lambda lines: (
            "Answer:\n"
            + "\n".join(
                f"[[CITATION {place}]]: {line}" for place, line in enumerate((lines[1], lines[0], *lines[2:]), 1)
            )
        )
    ),
    "masks numbered from zero": _edited(
        lambda lines: (
            "Answer:\n"
            + "\n".join(f"[[CITATION {place}]]: {line}" for place, line in enumerate((*lines[1:], lines[0]), 1))
        )
    ),
    "pairs swapped": _edited(
        lambda lines: (
            "Answer: "
            + ", ".join(f"({place}, {line})" for place, line in enumerate((lines[1], lines[0], *lines[2:]), 1))
        )
    ),
    "not": _edited(lambda lines: f"Answer: not {', '.join(lines)}"),
    "json swapped": _edited(
        lambda lines: (
            "{"
            + ", ".join(f'"{place}": {line}' for place, line in enumerate((lines[1], lines[0], *lines[2:]), 1))
            + "}"
        )
    ),
    "conflicting mask": _edited(
        lambda lines: (
            "Answer:\n"
            + "\n".join(
                [f"[[CITATION {place}]]: {line}" for place, line in enumerate(lines, 1)]
                + [f"[[CITATION 1]]: {lines[1]}"]
            )
        )
    ),
}

SELECTION: dict[str, Spoiled] = {
    "not": _edited(lambda lines: f"Answer: not {', '.join(lines)}"),
    "or": _edited(lambda lines: f"Answer: {' or '.join(lines)}"),
    "either": _edited(lambda lines: f"Either {' or '.join(lines)} is cited there."),
    "all except": _edited(lambda lines: f"Answer: all except {' and '.join(lines)}"),
    "only the first": _edited(lambda lines: f"Answer: only {lines[0]}"),
    "first without": _edited(lambda lines: f"Answer: {', '.join(lines[:-1])} but not {lines[-1]}"),
    "one dropped in words": _edited(
        lambda lines: (
            f"Candidates {', '.join(lines)} come to mind, but {lines[-1]} is off topic.\n\n"
            f"Answer: {', '.join(lines[:-1])}"
        )
    ),
    "plus out of range": _edited(lambda lines: f"Answer: {', '.join(lines)}, 7"),
    "zero": lambda sheet, rng: "Answer: 0",
    "none": lambda sheet, rng: "Answer: none of the candidates",
    "count": lambda sheet, rng: (
        f"Answer: {len(sheet.lines)} candidates are cited there." if str(len(sheet.lines)) != sheet.block else None
    ),
}

SPOILED_BY_KIND: dict[str, dict[str, Spoiled]] = {
    "number": NUMBER,
    "text": {},
    **dict.fromkeys(LISTS, LIST),
    "rows": ROWS,
    "none": NONE,
    "choice": CHOICE,
    "assignment": ASSIGNMENT,
    "selection": SELECTION,
}

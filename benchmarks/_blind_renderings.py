"""Ways to write one answer down, by its type; see response_forms_blind.py.

A function takes the sheet of an answer and returns a whole response, or None where the form does not suit the answer.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from decimal import Decimal

from _blind_sheets import LISTS, Sheet

Rendering = Callable[[Sheet, random.Random], str | None]

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]


def in_words(number: int) -> str | None:
    if number < 0 or number > 99:
        return None
    if number < 20:
        return _UNITS[number]
    tens, units = divmod(number, 10)
    return _TENS[tens] + (f"-{_UNITS[units]}" if units else "")


def _grouped(text: str, separator: str) -> str | None:
    """The number with separators between thousands, or None below 1,000."""
    if abs(Decimal(text)) < 1000:
        return None
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}".replace(",", separator) + point + rest


# One number.


def _number(write: Callable[[str, Sheet, random.Random], str | None]) -> Rendering:
    def rendering(sheet: Sheet, rng: random.Random) -> str | None:
        return write(sheet.lines[0], sheet, rng)

    return rendering


def _words(text: str, sheet: Sheet, rng: random.Random) -> str | None:
    return in_words(int(text)) if text.isdigit() else None


def _after(template: str, written: str | None) -> str | None:
    return None if written is None else template.replace("@", written)


def _total(text: str, sheet: Sheet, rng: random.Random) -> str | None:
    if not text.isdigit() or int(text) < 3:
        return None
    part = rng.randint(1, int(text) - 1)
    return f"{part} + {int(text) - part} = {text}"


def _counted(text: str, sheet: Sheet, rng: random.Random) -> str | None:
    """With the noun that the question counts."""
    asked = sheet.question.lower()
    if not text.isdigit():
        return None
    for noun in ("articles", "companies", "countries and territories"):
        if f"how many {noun}" in asked or f"number of {noun} " in asked or f"count the {noun}" in asked:
            return f"{text} {noun}"
    return f"{text}家" if "多少家" in sheet.question else None


def _plural_fits(written: str | None) -> bool:
    return written is not None and not written.startswith("1 ")


def _counted_sentence(text: str, sheet: Sheet, rng: random.Random) -> str | None:
    counted = _counted(text, sheet, rng)
    return f"There are {counted} that meet the condition." if _plural_fits(counted) and not sheet.chinese else None


def _of_all(text: str, sheet: Sheet, rng: random.Random) -> str | None:
    counted = _counted(text, sheet, rng)
    if counted is None or sheet.chinese:
        return None
    return f"Answer: {text} of the {int(text) + rng.randint(2, 9)} {counted.partition(' ')[2]}"


def _negative(text: str, minus: str) -> str | None:
    return minus + text[1:] if text.startswith("-") else None


def _digits(text: str, zero: str) -> str:
    return "".join(chr(ord(zero) + int(letter)) if letter.isdigit() else letter for letter in text)


NUMBER: dict[str, Rendering] = {
    "in words": _number(lambda text, sheet, rng: _after("Answer: @", _words(text, sheet, rng))),
    "word with a capital": _number(
        lambda text, sheet, rng: _after("@.", (_words(text, sheet, rng) or "").capitalize() or None)
    ),
    "words and digits": _number(lambda text, sheet, rng: _after(f"Answer: @ ({text})", _words(text, sheet, rng))),
    "digits and words": _number(lambda text, sheet, rng: _after(f"Answer: {text} (@)", _words(text, sheet, rng))),
    "word in bold": _number(lambda text, sheet, rng: _after("The answer is **@**.", _words(text, sheet, rng))),
    "one decimal more": _number(lambda text, sheet, rng: f"Answer: {text}.0" if text.isdigit() else None),
    "thousands by commas": _number(lambda text, sheet, rng: _after("Answer: @", _grouped(text, ","))),
    "thousands by spaces": _number(lambda text, sheet, rng: _after("Answer: @", _grouped(text, " "))),
    "thousands by thin spaces": _number(lambda text, sheet, rng: _after("Answer: @", _grouped(text, "\u202f"))),
    "thousands in LaTeX": _number(lambda text, sheet, rng: _after("Answer: $@$", _grouped(text, "{,}"))),
    "boxed thousands": _number(lambda text, sheet, rng: _after("$\\boxed{@}$", _grouped(text, ","))),
    "math": _number(lambda text, sheet, rng: f"Answer: ${text}$"),
    "math in parentheses": _number(lambda text, sheet, rng: f"Answer: \\({text}\\)"),
    "display math": _number(lambda text, sheet, rng: f"Answer:\n$$\n{text}\n$$"),
    "approximately": _number(lambda text, sheet, rng: f"Answer: approximately {text}" if "." in text else None),
    "tilde": _number(lambda text, sheet, rng: f"Answer: ≈ {text}" if "." in text else None),
    "exactly": _number(lambda text, sheet, rng: f"Answer: exactly {text}" if "." not in text else None),
    "a total of": _number(lambda text, sheet, rng: f"Answer: a total of {text}" if text.isdigit() else None),
    "full-width digits": _number(lambda text, sheet, rng: f"Answer: {_digits(text, '０')}"),
    "arabic digits": _number(lambda text, sheet, rng: f"Answer: {_digits(text, '٠')}" if text.isdigit() else None),
    "counted noun": _number(lambda text, sheet, rng: _after("Answer: @", _counted(text, sheet, rng))),
    "sentence with the noun": _number(_counted_sentence),
    "of all": _number(_of_all),
    "the number is": _number(lambda text, sheet, rng: f"The value asked for is {text}."),
    "i count": _number(
        lambda text, sheet, rng: (
            f"I count {text}." if "How many" in sheet.question or "Count" in sheet.question else None
        )
    ),
    "sum shown": _number(lambda text, sheet, rng: _after("Answer: @", _total(text, sheet, rng))),
    "sum shown in bold": _number(lambda text, sheet, rng: _after("**Answer:** @", _total(text, sheet, rng))),
    "explained on the same line": _number(lambda text, sheet, rng: f"Answer: {text} (counted over all documents)"),
    "explained after a dash": _number(
        lambda text, sheet, rng: f"Answer: {text} — obtained by going through every document"
    ),
    "because": _number(lambda text, sheet, rng: f"Answer: {text}, because only these documents meet the condition."),
    "json number": _number(lambda text, sheet, rng: f'{{"answer": {text}}}'),
    "json string": _number(lambda text, sheet, rng: f'{{"answer": "{text}"}}'),
    "json block": _number(
        lambda text, sheet, rng: f'```json\n{{\n  "reasoning": "step by step",\n  "answer": {text}\n}}\n```'
    ),
    "json with a final answer": _number(lambda text, sheet, rng: f'{{"steps": 4, "final_answer": {text}}}'),
    "json after the marker": _number(lambda text, sheet, rng: f'Answer: {{"answer": {text}}}'),
    "table": _number(lambda text, sheet, rng: f"| Answer |\n| --- |\n| {text} |"),
    "list of one": _number(lambda text, sheet, rng: f"Answer:\n- {text}"),
    "with its unit": _number(
        lambda text, sheet, rng: f"Answer: {text} {sheet.unit}" if sheet.unit and sheet.unit != "%" else None
    ),
    "with the percent sign": _number(lambda text, sheet, rng: f"Answer: {text}%" if sheet.unit == "%" else None),
    "with a minus sign": _number(lambda text, sheet, rng: _after("Answer: @", _negative(text, "−"))),
    "minus in words": _number(lambda text, sheet, rng: _after("Answer: @", _negative(text, "minus "))),
}


# Lists of items.


def _list(separator: str, item: Callable[[int, str], str], template: str = "Answer:\n@") -> Rendering:
    def rendering(sheet: Sheet, rng: random.Random) -> str | None:
        if len(separator.strip()) == 1 and any(separator.strip() in line for line in sheet.lines):
            return None
        # "7,100" may be two numbers or one.
        if separator == "," and sheet.numeric and any(len(line) == 3 for line in sheet.lines):
            return None
        return template.replace("@", separator.join(item(place, line) for place, line in enumerate(sheet.lines, 1)))

    return rendering


def _texts_only(rendering: Rendering) -> Rendering:
    return lambda sheet, rng: None if sheet.numeric else rendering(sheet, rng)


def _several(rendering: Rendering) -> Rendering:
    return lambda sheet, rng: rendering(sheet, rng) if len(sheet.lines) > 1 else None


def _and_list(sheet: Sheet, rng: random.Random) -> str | None:
    if len(sheet.lines) < 2 or any("," in line or " and " in line for line in sheet.lines):
        return None
    head = ", ".join(sheet.lines[:-1])
    comma = "," if len(sheet.lines) > 2 else ""
    return f"Answer: {head}{comma} and {sheet.lines[-1]}"


def _values(sheet: Sheet) -> list[object]:
    """JSON values of the items."""
    if not sheet.numeric:
        return list(sheet.lines)
    return [int(line) if Decimal(line) == int(Decimal(line)) else float(line) for line in sheet.lines]


def _json(write: Callable[[list[object]], str]) -> Rendering:
    return lambda sheet, rng: write(_values(sheet))


def _dump(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _circled(place: int) -> str:
    return chr(0x2460 + place - 1) if place <= 20 else f"({place})"


def _table(header: str, row: Callable[[int, str], str]) -> Rendering:
    def rendering(sheet: Sheet, rng: random.Random) -> str | None:
        if any("|" in line for line in sheet.lines):
            return None
        rule = "|" + " --- |" * (header.count("|") - 1)
        return "\n".join(
            ["Answer:", "", header, rule, *(row(place, line) for place, line in enumerate(sheet.lines, 1))]
        )

    return rendering


def _chinese_only(rendering: Rendering) -> Rendering:
    return lambda sheet, rng: rendering(sheet, rng) if sheet.chinese else None


def _html_escaped(line: str) -> str:
    return line.replace("&", "&amp;").replace("'", "&#39;").replace("’", "&rsquo;")


def _excluded(sheet: Sheet, rng: random.Random) -> str | None:
    if sheet.numeric or not sheet.others:
        return None
    note = "was considered but does not meet the condition, so it is not listed."
    return f"Answer:\n{sheet.block}\n\nNote: “{rng.choice(sheet.others)}” {note}"


def _excluded_before(sheet: Sheet, rng: random.Random) -> str | None:
    if sheet.numeric or not sheet.others:
        return None
    return f"“{rng.choice(sheet.others)}” fails the condition.\nThe others qualify.\n\nAnswer:\n{sheet.block}"


def _with_figures(row: str, head: str = "Answer:\n") -> Rendering:
    """Each item of a set with a figure that shows why it is listed."""

    def rendering(sheet: Sheet, rng: random.Random) -> str | None:
        if sheet.kind != "set" or sheet.numeric or any("|" in line for line in sheet.lines):
            return None
        return head + "\n".join(row.replace("@F", str(rng.randint(11, 99))).replace("@L", line) for line in sheet.lines)

    return rendering


def _upper(sheet: Sheet, rng: random.Random) -> str | None:
    return None if sheet.numeric or sheet.chinese or "ß" in sheet.block else f"Answer:\n{sheet.block.upper()}"


LIST: dict[str, Rendering] = {
    "dashes": _list("\n", lambda place, line: f"- {line}"),
    "stars": _list("\n", lambda place, line: f"* {line}"),
    "dots": _list("\n", lambda place, line: f"• {line}"),
    "plus signs": _list("\n", lambda place, line: f"+ {line}"),
    "long dashes": _list("\n", lambda place, line: f"– {line}"),
    "indented": _list("\n", lambda place, line: f"    - {line}"),
    "numbered": _list("\n", lambda place, line: f"{place}. {line}"),
    "numbered, several": _several(_list("\n", lambda place, line: f"{place}) {line}")),
    "numbers in parentheses": _several(_list("\n", lambda place, line: f"({place}) {line}")),
    "numbers in brackets": _several(_texts_only(_list("\n", lambda place, line: f"[{place}] {line}"))),
    "circled numbers": _several(_list("\n", lambda place, line: f"{_circled(place)} {line}")),
    "bold numbers": _several(_list("\n", lambda place, line: f"**{place}.** {line}")),
    "bold items": _list("\n", lambda place, line: f"- **{line}**"),
    "numbered bold items": _several(_list("\n", lambda place, line: f"{place}. **{line}**")),
    "italic items": _texts_only(_list("\n", lambda place, line: f"- *{line}*")),
    "quoted items": _texts_only(_list("\n", lambda place, line: f'"{line}"')),
    "curly quoted items": _texts_only(_list("\n", lambda place, line: f"- “{line}”")),
    "numbered quoted items": _texts_only(_list("\n", lambda place, line: f'{place}. "{line}"')),
    "backticks": _list("\n", lambda place, line: f"- `{line}`"),
    "guillemets": _texts_only(_list("\n", lambda place, line: f"«{line}»")),
    "book title marks": _chinese_only(_texts_only(_list("\n", lambda place, line: f"《{line}》"))),
    "blank lines between": _list("\n\n", lambda place, line: line),
    "trailing commas": _several(_list("\n", lambda place, line: f"{line},")),
    "trailing semicolons": _several(_list("\n", lambda place, line: f"{line};")),
    "trailing spaces": _list("  \n", lambda place, line: line),
    "line break tags": _several(_list("<br>\n", lambda place, line: line)),
    "html list": _list("", lambda place, line: f"<li>{line}</li>", "Answer:\n<ul>@</ul>"),
    "html list on lines": _list("\n", lambda place, line: f"  <li>{line}</li>", "<ol>\n@\n</ol>"),
    "html entities": _texts_only(_list("\n", lambda place, line: _html_escaped(line))),
    "item tags": _list("\n", lambda place, line: f"<item>{line}</item>", "<answer>\n@\n</answer>"),
    "commas": _several(_list(", ", lambda place, line: line, "Answer: @")),
    "commas without spaces": _several(_list(",", lambda place, line: line, "Answer: @")),
    "semicolons": _several(_list("; ", lambda place, line: line, "Answer: @")),
    "pipes": _several(_list(" | ", lambda place, line: line, "Answer: @")),
    "and": _and_list,
    "quoted with commas": _several(_texts_only(_list(", ", lambda place, line: f'"{line}"', "Answer: @"))),
    "chinese commas": _several(_chinese_only(_list("、", lambda place, line: line, "答案：@"))),
    "chinese semicolons": _several(_chinese_only(_list("；", lambda place, line: line, "答案：@。"))),
    "chinese numbering": _several(_chinese_only(_list("\n", lambda place, line: f"{place}、{line}", "答案：\n@"))),
    "chinese sentence": _chinese_only(_list("、", lambda place, line: line, "符合条件的公司有：@。")),
    "json list": _json(lambda values: f"Answer: {_dump(values)}"),
    "json object": _json(lambda values: _dump({"answer": values})),
    "json block": _json(
        lambda values: f"```json\n{_dump({'reasoning': 'went through all', 'answer': values}, 2)}\n```"
    ),
    "json list block": _json(lambda values: f"Answer:\n```json\n{_dump(values, 2)}\n```"),
    "json of one line": _json(lambda values: f"```json\n{_dump(values)}\n```"),
    "json string of lines": lambda sheet, rng: _dump({"answer": sheet.block}),
    "python list": _json(lambda values: f"Answer: {values!r}"),
    "python tuple": _several(_json(lambda values: f"Answer: {tuple(values)!r}")),
    "table": _table("| Item |", lambda place, line: f"| {line} |"),
    "table with ranks": _several(_table("| # | Item |", lambda place, line: f"| {place} | {line} |")),
    "figures in parentheses": _with_figures("@L (@F)"),
    "figures in parentheses, bullets": _with_figures("- **@L** (@F)"),
    "figures after a dash": _with_figures("- @L — @F"),
    "figures after a colon": _with_figures("- **@L**: @F"),
    "table with figures": _with_figures("| @L | @F |", "Answer:\n\n| Item | Figure |\n| --- | --- |\n"),
    "heading above": lambda sheet, rng: f"Here is the list:\n\n{sheet.block}",
    "lead-in": lambda sheet, rng: f"Answer: The requested items are:\n{sheet.block}",
    "lead-in and bullets": _list(
        "\n", lambda place, line: f"- {line}", "The items that the question asks for are:\n\n@"
    ),
    "bold lead-in": _list("\n", lambda place, line: f"{place}. {line}", "**Answer (in the requested order):**\n\n@"),
    "excluded item after": _excluded,
    "excluded item before": _excluded_before,
    "total after": lambda sheet, rng: (
        f"Answer:\n{sheet.block}\n\nTotal: {len(sheet.lines)} item{'s' * (len(sheet.lines) > 1)}"
    ),
    "upper case": _upper,
    "lower case": lambda sheet, rng: None if sheet.numeric else f"Answer:\n{sheet.block.lower()}",
    "periods": _texts_only(_list("\n", lambda place, line: line if line[-1] in "?.!" else f"{line}.")),
    "straight quotes in titles": lambda sheet, rng: (
        f"Answer:\n{sheet.block.translate(str.maketrans('’‘“”', chr(39) * 2 + chr(34) * 2))}"
        if any(mark in sheet.block for mark in "’‘“”")
        else None
    ),
    "non-breaking hyphens": _texts_only(_list("\n", lambda place, line: line.replace("-", "\u2011"))),
    "LaTeX list": _list("\n", lambda place, line: f"\\item {line}", "\\begin{itemize}\n@\n\\end{itemize}"),
}


# Rows of value and result.


def _rows(row: Callable[[str, str], str], separator: str = "\n", template: str = "Answer:\n@") -> Rendering:
    return lambda sheet, rng: template.replace("@", separator.join(row(*pair) for pair in sheet.pairs))


def _row_objects(sheet: Sheet, rng: random.Random) -> str:
    return _dump({"answer": [{"value": _plain(value), "result": _plain(result)} for value, result in sheet.pairs]})


def _plain(text: str) -> int | float:
    number = Decimal(text)
    return int(number) if number == int(number) else float(number)


ROWS: dict[str, Rendering] = {
    "no space": _rows(lambda value, result: f"{value};{result}"),
    "colons": _rows(lambda value, result: f"{value}: {result}"),
    "commas": _rows(lambda value, result: f"{value}, {result}"),
    "tabs": _rows(lambda value, result: f"{value}\t{result}"),
    "arrows": _rows(lambda value, result: f"{value} -> {result}"),
    "unicode arrows": _rows(lambda value, result: f"{value} → {result}"),
    "equals signs": _rows(lambda value, result: f"{value} = {result}"),
    "long dashes": _rows(lambda value, result: f"{value} — {result}"),
    "bullets": _rows(lambda value, result: f"- {value}; {result}"),
    "bullets with colons": _rows(lambda value, result: f"- {value}: {result}"),
    "bold values": _rows(lambda value, result: f"- **{value}**: {result}"),
    "bold rows": _rows(lambda value, result: f"**{value}; {result}**"),
    "code rows": _rows(lambda value, result: f"`{value}; {result}`"),
    "parentheses": _rows(lambda value, result: f"({value}; {result})"),
    "parentheses with commas": _rows(lambda value, result: f"({value}, {result})", ", ", "Answer: @"),
    "one line of colons": _rows(lambda value, result: f"{value}: {result}", ", ", "Answer: @"),
    "one line of semicolons": _rows(lambda value, result: f"{value}: {result}", "; ", "Answer: @"),
    "braces": _rows(lambda value, result: f"{value}: {result}", ", ", "Answer: {@}"),
    "json object": _rows(lambda value, result: f'"{value}": {result}', ", ", '{"answer": {@}}'),
    "json map": _rows(lambda value, result: f'"{value}": {result}', ", ", "Answer: {@}"),
    "json block": _rows(lambda value, result: f'  "{value}": {result}', ",\n", "```json\n{\n@\n}\n```"),
    "json lists": _rows(lambda value, result: f"[{value}, {result}]", ", ", "Answer: [@]"),
    "json objects": _row_objects,
    "table": _rows(
        lambda value, result: f"| {value} | {result} |", "\n", "Answer:\n\n| value | result |\n| --- | --- |\n@"
    ),
    "table with bold": _rows(
        lambda value, result: f"| **{value}** | {result} |", "\n", "| Value | Result |\n|:---:|:---:|\n@"
    ),
    "csv": _rows(lambda value, result: f"{value},{result}", "\n", "Answer:\n```csv\nvalue,result\n@\n```"),
    "header line": _rows(lambda value, result: f"{value}; {result}", "\n", "Answer:\nvalue; result\n@"),
    "named": _rows(lambda value, result: f"value {value}: result {result}"),
    "blank lines": _rows(lambda value, result: f"{value}; {result}", "\n\n"),
    "trailing periods": _rows(lambda value, result: f"{value}; {result}."),
    "trailing semicolons": _rows(lambda value, result: f"{value}; {result};"),
    "code block": _rows(lambda value, result: f"{value}; {result}", "\n", "Answer:\n```\n@\n```"),
    "math rows": _rows(lambda value, result: f"${value}$; ${result}$"),
    "other order of rows": lambda sheet, rng: "Answer:\n" + "\n".join(reversed(sheet.lines)),
    "numbered": _rows(lambda value, result: f"Group {value}: {result}"),
    "line break tags": _rows(lambda value, result: f"{value}; {result}", "<br>", "Answer: @"),
}


# No answer.


def _fixed(text: str, english: bool = True) -> Rendering:
    return lambda sheet, rng: text if english or sheet.chinese else None


def _noun(sheet: Sheet) -> str:
    asked = sheet.question.lower()
    return next(
        (
            noun
            for noun in ("people", "companies", "countries and territories", "articles")
            if f"no such {noun}" in asked
        ),
        "",
    ) or ("companies" if "companies" in asked else "countries or territories" if "territories" in asked else "articles")


def _about(template: str) -> Rendering:
    return lambda sheet, rng: None if sheet.chinese else template.replace("@", _noun(sheet))


NONE: dict[str, Rendering] = {
    "lower case": _fixed("Answer: null"),
    "capitalized": _fixed("Answer: Null"),
    "none": _fixed("Answer: None"),
    "none, lower case": _fixed("Answer: none"),
    "none with a period": _fixed("None."),
    "null with a reason": _about("Answer: NULL (no @ meet the condition)"),
    "null with a dash": _about("Answer: NULL — there are no @ that satisfy both conditions."),
    "null as": _about("NULL, as none of the @ satisfy the condition."),
    "reason first": _about("None of the @ satisfy the condition, so the answer is NULL."),
    "no such": _about("There are no such @. Answer: NULL"),
    "no such, bare": _about("Answer: There are no such @."),
    "no matches": _about("Answer: No @ match the conditions."),
    "none of the": _about("Answer: None of the @ meet the conditions."),
    "does not exist": _about("After checking each one, no @ meet the criteria.\n\n**Answer:** NULL"),
    "quoted null": _fixed('Answer: "NULL"'),
    "null in code": _fixed("Answer: `NULL`"),
    "bold null": _fixed("**NULL**"),
    "json null": _fixed('{"answer": null}'),
    "json null string": _fixed('{"answer": "NULL"}'),
    "json null block": _fixed('```json\n{"answer": null}\n```'),
    "json empty list": _fixed('{"answer": []}'),
    "empty list": _fixed("Answer: []"),
    "bullet null": _fixed("Answer:\n- NULL"),
    "numbered null": _fixed("Answer:\n1. NULL"),
    "boxed null": _fixed("$\\boxed{\\text{NULL}}$"),
    "roman null": _fixed("\\boxed{\\mathrm{NULL}}"),
    "empty set": _fixed("Answer: ∅"),
    "parenthesized none": _fixed("Answer: (none)"),
    "the answer is null": _fixed("Therefore the answer is NULL."),
    "null period": _fixed("NULL."),
    "chinese none": _fixed("答案：无", english=False),
    "chinese no company": _fixed("答案：没有符合条件的公司", english=False),
    "chinese null": _fixed("没有公司同时满足这两个条件，因此答案为NULL。", english=False),
    "chinese no such": _fixed("不存在符合条件的公司。", english=False),
}


# Numbers of candidates.


def _one(template: str) -> Rendering:
    def rendering(sheet: Sheet, rng: random.Random) -> str | None:
        number = int(sheet.lines[0])
        other = rng.choice([option for option in range(1, max(sheet.of, number) + 1) if option != number])
        ordinal = _ORDINALS[number] if number < len(_ORDINALS) else None
        word = in_words(number)
        if ("@ORDINAL" in template and ordinal is None) or ("@WORD" in template and word is None):
            return None
        written = template.replace("@ORDINAL", ordinal or "").replace("@WORD", word or "")
        return written.replace("@OTHER", str(other)).replace("@OF", str(sheet.of)).replace("@", sheet.lines[0])

    return rendering


CHOICE: dict[str, Rendering] = {
    name: _one(template)
    for name, template in {
        "candidate": "Answer: Candidate @",
        "candidate, lower case": "Answer: candidate @.",
        "candidate with a number sign": "Candidate #@",
        "number sign": "Answer: #@",
        "no.": "Answer: No. @",
        "number": "Answer: Number @",
        "option": "Answer: Option @",
        "brackets": "Answer: [@]",
        "parenthesis after": "Answer: @)",
        "bold candidate": "**Candidate @**",
        "bold candidate in a sentence": "The hidden citation refers to **Candidate @**.",
        "heading line": "===== Candidate @",
        "ordinal": "The @ORDINAL candidate.",
        "ordinal after the marker": "Answer: the @ORDINAL candidate",
        "word": "Answer: @WORD",
        "candidate with a word": "Candidate @WORD is the one that is cited.",
        "not another": "Answer: @ (not @OTHER)",
        "rather than another": "Answer: Candidate @ rather than Candidate @OTHER",
        "over another": "I would choose candidate @ over candidate @OTHER.",
        "probably": "Answer: probably @",
        "most likely": "Most likely candidate @.",
        "best fit": "Candidate @ is the best fit.",
        "best guess": "My best guess is candidate @.",
        "only": "Of the @OF candidates, only candidate @ fits.",
        "because": "Answer: @, because the sentence describes what this work proposes.",
        "topic": "Answer: @ (the work on variance reduction)",
        "candidate with a topic": "Answer: Candidate @: the paper on adaptive sampling",
        "mask equals": "[[CITATION]] = Candidate @",
        "mask colon": "Answer: [[CITATION]]: @",
        "mask arrow": "[[CITATION]] → @",
        "mask sentence": "[[CITATION]] should be Candidate @.",
        "contrast before": (
            "Candidate @OTHER is about something else; "
            "the passage is about the method of candidate @. So it must be candidate @."
        ),
        "others ruled out": "Candidate @OTHER does not mention the topic at all.\nCandidate @ does.\n\nAnswer: @",
        "close but": "Candidate @OTHER is close, but candidate @ matches the wording better.\n\n**Answer: @**",
        "json": '{"answer": @}',
        "json candidate": '{"candidate": @}',
        "json with a reason": '```json\n{"reasoning": "candidate @OTHER is off topic", "answer": @}\n```',
        "json string": '{"answer": "Candidate @"}',
        "boxed candidate": "$\\boxed{\\text{Candidate } @}$",
        "full-width": "答案：候选@",
        "german": "Antwort: Kandidat @",
        "the answer is candidate": "The answer is Candidate @.",
        "cited is": "The work cited at [[CITATION]] is Candidate @.",
        "cited there": "Candidate @ is cited there.",
        "bullet": "Answer:\n- Candidate @",
        "table": "| Mask | Candidate |\n| --- | --- |\n| [[CITATION]] | @ |",
        "percent": "Answer: @ (about 90% sure)",
        "second choice": "Answer: @\n\nCandidate @OTHER shares the topic but not the claim.",
    }.items()
}


def _masks(row: Callable[[int, str], str], separator: str = "\n", template: str = "Answer:\n@") -> Rendering:
    return lambda sheet, rng: template.replace(
        "@", separator.join(row(place, line) for place, line in enumerate(sheet.lines, 1))
    )


def _backwards(sheet: Sheet, rng: random.Random) -> str:
    rows = [f"[[CITATION {place}]]: {line}" for place, line in enumerate(sheet.lines, 1)]
    return "Answer:\n" + "\n".join(reversed(rows))


def _by_candidate(row: str) -> Rendering:
    """Sorted by candidate: which mask cites it."""

    def rendering(sheet: Sheet, rng: random.Random) -> str | None:
        if len(set(sheet.lines)) != len(sheet.lines):
            return None
        cited = sorted((line, place) for place, line in enumerate(sheet.lines, 1))
        return "Answer:\n" + "\n".join(row.replace("@C", line).replace("@M", str(place)) for line, place in cited)

    return rendering


ASSIGNMENT: dict[str, Rendering] = {
    "no spaces": _masks(lambda place, line: line, ",", "Answer: @"),
    "spaces": _masks(lambda place, line: line, " ", "Answer: @"),
    "hyphens": _masks(lambda place, line: line, "-", "Answer: @"),
    "semicolons": _masks(lambda place, line: line, "; ", "Answer: @"),
    "brackets": _masks(lambda place, line: line, ", ", "Answer: [@]"),
    "parentheses": _masks(lambda place, line: line, ", ", "Answer: (@)"),
    "json": _masks(lambda place, line: line, ", ", '{"answer": [@]}'),
    "lines": _masks(lambda place, line: line),
    "numbered": _masks(lambda place, line: f"{place}. {line}"),
    "numbered candidates": _masks(lambda place, line: f"{place}. Candidate {line}"),
    "numbered with parentheses": _masks(lambda place, line: f"{place}) Candidate {line}"),
    "candidates": _masks(lambda place, line: f"Candidate {line}", ", ", "Answer: @"),
    "words": lambda sheet, rng: "Answer: " + ", ".join(in_words(int(line)) or line for line in sheet.lines),
    "masks": _masks(lambda place, line: f"[[CITATION {place}]]: {line}"),
    "masks with candidates": _masks(lambda place, line: f"[[CITATION {place}]]: Candidate {line}"),
    "masks with equals signs": _masks(lambda place, line: f"[[CITATION {place}]] = {line}"),
    "masks with arrows": _masks(lambda place, line: f"- [[CITATION {place}]] → Candidate {line}"),
    "bold masks": _masks(lambda place, line: f"- **[[CITATION {place}]]**: Candidate {line}"),
    "masks in a line": _masks(lambda place, line: f"[[CITATION {place}]]: {line}", ", ", "Answer: @"),
    "citations": _masks(lambda place, line: f"Citation {place}: Candidate {line}"),
    "citations with arrows": _masks(lambda place, line: f"Citation {place} -> {line}", "; ", "Answer: @"),
    "single brackets": _masks(lambda place, line: f"[CITATION {place}]: {line}"),
    "sentences": _masks(lambda place, line: f"[[CITATION {place}]] cites Candidate {line}.", " ", "@"),
    "ordinals": _masks(lambda place, line: f"The {_ORDINALS[place]} citation is Candidate {line}."),
    "pairs": _masks(lambda place, line: f"({place}, {line})", ", ", "Answer: @"),
    "colons": _masks(lambda place, line: f"{place}: {line}", ", ", "Answer: @"),
    "colon lines": _masks(lambda place, line: f"{place}: {line}"),
    "arrows": _masks(lambda place, line: f"{place} → {line}", ", ", "Answer: @"),
    "hyphen arrows": _masks(lambda place, line: f"{place}->{line}", ", ", "Answer: @"),
    "equals signs": _masks(lambda place, line: f"{place}={line}", ", ", "Answer: @"),
    "json map": _masks(lambda place, line: f'"{place}": {line}', ", ", "Answer: {@}"),
    "json map of masks": _masks(lambda place, line: f'"CITATION {place}": {line}', ", ", "```json\n{@}\n```"),
    "json map of names": _masks(lambda place, line: f'"citation_{place}": "Candidate {line}"', ", ", '{"answer": {@}}'),
    "table": _masks(lambda place, line: f"| {place} | {line} |", "\n", "| Citation | Candidate |\n| --- | --- |\n@"),
    "table of masks": _masks(
        lambda place, line: f"| [[CITATION {place}]] | Candidate {line} |",
        "\n",
        "Answer:\n\n| Mask | Work |\n| --- | --- |\n@",
    ),
    "masks backwards": _backwards,
    "by candidate": _by_candidate("Candidate @C is cited at [[CITATION @M]]."),
    "by candidate with arrows": _by_candidate("- Candidate @C → [[CITATION @M]]"),
    "and": lambda sheet, rng: f"Answer: {', '.join(sheet.lines[:-1])} and {sheet.lines[-1]}",
    "respectively": lambda sheet, rng: f"The candidates are {sheet.block}, respectively.",
    "range in front": lambda sheet, rng: f"Citations 1 to {len(sheet.lines)}: {sheet.block}",
    "list of masks and the answer": lambda sheet, rng: (
        "\n".join(
            f"[[CITATION {place}]] describes the method of candidate {line}."
            for place, line in enumerate(sheet.lines, 1)
        )
        + f"\n\nAnswer: {sheet.block}"
    ),
    "reasons on each line": _masks(lambda place, line: f"[[CITATION {place}]]: {line} (matches the topic)"),
    "final line in bold": lambda sheet, rng: f"Here is my assignment.\n\n**{sheet.block}**",
    "chinese": lambda sheet, rng: f"答案：{'，'.join(sheet.lines)}",
    "ideographic commas": lambda sheet, rng: f"答案：{'、'.join(sheet.lines)}",
}

SELECTION: dict[str, Rendering] = {
    "no spaces": _masks(lambda place, line: line, ",", "Answer: @"),
    "spaces": _masks(lambda place, line: line, " ", "Answer: @"),
    "semicolons": _masks(lambda place, line: line, "; ", "Answer: @"),
    "brackets": _masks(lambda place, line: line, ", ", "Answer: [@]"),
    "brackets each": _masks(lambda place, line: f"[{line}]", ", ", "Answer: @"),
    "braces": _masks(lambda place, line: line, ", ", "Answer: {@}"),
    "json": _masks(lambda place, line: line, ", ", '{"answer": [@]}'),
    "json candidates": _masks(lambda place, line: f'"Candidate {line}"', ", ", '{"candidates": [@]}'),
    "lines": _masks(lambda place, line: line),
    "bullets": _masks(lambda place, line: f"- {line}"),
    "candidate bullets": _masks(lambda place, line: f"- Candidate {line}"),
    "bold candidate bullets": _masks(lambda place, line: f"* **Candidate {line}**"),
    "candidates": _masks(lambda place, line: f"Candidate {line}", ", ", "Answer: @"),
    "candidates and": _masks(lambda place, line: f"Candidate {line}", " and ", "Answer: @"),
    "candidates, plural": lambda sheet, rng: f"Answer: Candidates {', '.join(sheet.lines[:-1])} and {sheet.lines[-1]}",
    "and": lambda sheet, rng: f"Answer: {', '.join(sheet.lines[:-1])} and {sheet.lines[-1]}",
    "comma and": lambda sheet, rng: f"Answer: {', '.join(sheet.lines[:-1])}, and {sheet.lines[-1]}.",
    "ampersand": _masks(lambda place, line: line, " & ", "Answer: @"),
    "both": lambda sheet, rng: (
        f"Both {sheet.lines[0]} and {sheet.lines[1]} are cited." if len(sheet.lines) == 2 else None
    ),
    "other order": lambda sheet, rng: f"Answer: {', '.join(reversed(sheet.lines))}",
    "words": lambda sheet, rng: "Answer: " + ", ".join(in_words(int(line)) or line for line in sheet.lines),
    "mask": lambda sheet, rng: f"[[CITATIONS]]: {sheet.block}",
    "mask equals": lambda sheet, rng: f"[[CITATIONS]] = Candidates {sheet.block}",
    "cited there": lambda sheet, rng: f"Candidates {' and '.join(sheet.lines)} are cited there.",
    "the works": lambda sheet, rng: f"The works cited at [[CITATIONS]] are {sheet.block}.",
    "number signs": _masks(lambda place, line: f"#{line}", ", ", "Answer: @"),
    "ordinals": lambda sheet, rng: (
        f"Answer: the {' and the '.join(_ORDINALS[int(line)] for line in sheet.lines)} candidate"
    ),
    "not the others": lambda sheet, rng: _not_the_others(sheet),
    "table": _masks(lambda place, line: f"| {line} |", "\n", "| Candidate |\n| --- |\n@"),
    "reasons": _masks(lambda place, line: f"- Candidate {line}: matches the claim"),
    "chinese": lambda sheet, rng: f"答案：{'、'.join(sheet.lines)}",
}


def _not_the_others(sheet: Sheet) -> str | None:
    free = [str(option) for option in range(1, sheet.of + 1) if str(option) not in sheet.lines]
    return f"Answer: {sheet.block} (not {' or '.join(free)})" if free else None


RENDERINGS: dict[str, dict[str, Rendering]] = {
    "number": NUMBER,
    "text": {},
    **dict.fromkeys(LISTS, LIST),
    "rows": ROWS,
    "none": NONE,
    "choice": CHOICE,
    "assignment": ASSIGNMENT,
    "selection": SELECTION,
}

"""Ways to write one value, from a bare number to JSON, each for correct and incorrect values alike.

A rendering has a shape: an `atom` stands in a line, a `sentence` is complete, a `block` has lines of its own, and a
`document` is a whole JSON value or table. Frames (`_forms_frames.py`) say which shapes they take. A rendering is
doubtful where two careful graders may disagree about a correct value written that way.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from _forms_values import Subject, Value

Shape = Literal["atom", "sentence", "block", "document"]
ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh")


@dataclass(frozen=True)
class Rendering:
    name: str
    shape: Shape
    text: str
    doubtful: bool = False


def spelled(number: int) -> str:
    """An integer below a million in words."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    size, word = (100, "hundred") if number < 1000 else (1000, "thousand")
    rest = number % size
    joint = " and " if size == 100 or rest < 100 else " "
    return f"{spelled(number // size)} {word}" + (joint + spelled(rest) if rest else "")


def renderings(subject: Subject, value: Value, rng: Random) -> list[Rendering]:
    """All ways to write the value as an answer to the question."""
    if value is None:
        return list(nothing(subject))
    if subject.kind == "choice":
        return list(choices(int(str(value))))
    if subject.kind == "assignment":
        return list(assignments([int(str(one)) for one in value]))
    if isinstance(value, str):
        return list(single_numbers(value, subject, rng))
    if value and isinstance(value[0], tuple):
        return list(grouped(value, subject, rng))
    elements = [str(one) for one in value]
    if elements and not all(re.fullmatch(r"-?\d+", one) for one in elements):
        return list(texts(elements, subject, rng))
    return list(number_lists(elements, subject))


def nothing(subject: Subject) -> Iterator[Rendering]:
    for text in ("NULL", "null", "Null", "None", "none", "`NULL`", "NULL.", "'NULL'", "NULL (no article matches)"):
        yield Rendering(f"NULL as {text!r}", "atom", text)
    for text in ("N/A", "nothing", "No articles", "no such article", "(none)", "None."):
        yield Rendering(f"NULL as {text!r}", "atom", text)
    for text in (
        "There is none.",
        "No article meets the conditions.",
        "There are no such articles in the collection.",
        "None of the articles matches both conditions, so the result is NULL.",
        "No articles satisfy these conditions.",
        "NULL, since no article fulfills the conditions.",
        "There are no matching articles; the answer is NULL.",
    ):
        yield Rendering("NULL as a sentence", "sentence", text)
    yield Rendering("NULL in JSON", "document", '{"answer": null}')
    yield Rendering("NULL in a JSON string", "document", '{"answer": "NULL"}')
    yield Rendering("NULL in a fence", "document", "```\nNULL\n```")
    for text in ("The question cannot be answered from the articles.", "It cannot be determined.", "Undefined."):
        yield Rendering("NULL as unanswerable", "sentence", text, doubtful=True)
    yield Rendering("NULL as an empty list", "atom", "[]", doubtful="list" not in subject.question)
    yield Rendering("NULL as a dash", "atom", "-", doubtful=True)


def unit_of(question: str) -> str | None:
    """The noun that a number counts, where the question makes it certain."""
    if re.search(r"product|minus|divided|result|ratio|sum of the .* and|plus|times|mean|average", question):
        return None
    if match := re.search(r"[Hh]ow many (?:different |distinct )?(people|articles|authors)", question):
        return match[1]
    return None


def single_numbers(value: str, subject: Subject, rng: Random) -> Iterator[Rendering]:
    whole = "." not in value
    yield Rendering("number", "atom", value)
    yield Rendering("number in dollars", "atom", f"${value}$")
    yield Rendering("number in \\( \\)", "atom", rf"\({value}\)")
    yield Rendering("equals number", "atom", f"= {value}")
    yield Rendering("full-width digits", "atom", value.translate({ord(str(d)): 0xFF10 + d for d in range(10)}))
    if whole and 0 <= int(value) < 1_000_000:
        words = spelled(int(value))
        yield Rendering("spelled", "atom", words)
        yield Rendering("spelled with a capital", "atom", words.capitalize())
        yield Rendering("spelled (digits)", "atom", f"{words} ({value})")
        yield Rendering("digits (spelled)", "atom", f"{value} ({words})")
        yield Rendering("number .0", "atom", f"{value}.0")
        yield Rendering("number .00", "atom", f"{value}.00")
        if int(value) >= 1000:
            yield Rendering("thousands separator", "atom", f"{int(value):,}")
            yield Rendering("thousands with a thin space", "atom", f"{int(value):,}".replace(",", "\u202f"))
        if int(value) > 3:
            first = rng.randint(1, int(value) - 1)
            yield Rendering("arithmetic", "atom", f"{first} + {int(value) - first} = {value}")
            yield Rendering("arithmetic in brackets", "atom", f"{value} ({first} + {int(value) - first})")
            yield Rendering("LaTeX arithmetic", "atom", rf"\({first} + {int(value) - first} = {value}\)")
    else:
        yield Rendering("zeros added", "atom", f"{value}0")
        if not value.endswith(".00"):
            yield Rendering("zeros dropped", "atom", value.rstrip("0").rstrip("."))
        yield Rendering("about equal", "atom", f"≈ {value}")
        yield Rendering("LaTeX about equal", "atom", rf"$\approx {value}$")
        yield Rendering("rounded from", "atom", f"{value} (rounded to two decimals)")
        yield Rendering("decimal comma", "atom", value.replace(".", ","), doubtful=True)
    if unit := unit_of(subject.question):
        yield Rendering("number with its unit", "atom", f"{value} {unit}")
        yield Rendering("bold number with its unit", "atom", f"**{value}** {unit}")
        yield Rendering("there are", "sentence", f"There are {value} {unit}.")
        yield Rendering(
            "there are with a condition", "sentence", f"There are **{value}** such {unit} in the collection."
        )
    for text in (
        "The requested value is {}.",
        "I count {}.",
        "That gives {}.",
        "The result is therefore {}.",
        "It is {}.",
    ):
        yield Rendering(f"sentence {text!r}", "sentence", text.format(value))
    yield Rendering("probably", "atom", f"probably {value}")
    yield Rendering("about", "atom", f"about {value}", doubtful=True)
    yield Rendering("percent", "atom", f"{value}%", doubtful=True)
    yield Rendering("JSON number", "document", json.dumps({"answer": float(value) if not whole else int(value)}))
    yield Rendering("JSON string", "document", json.dumps({"answer": value}))
    yield Rendering("fenced JSON", "document", f'```json\n{{\n  "answer": {value}\n}}\n```')
    yield Rendering("JSON with reasoning", "document", json.dumps({"reasoning": "I counted them.", "answer": value}))
    yield Rendering("fence", "document", f"```\n{value}\n```")


# Spellings that leave a title or name the same for a reader.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as printed": lambda text: text,
    "upper case": str.upper,
    "lower case": str.lower,
    "title case": lambda text: re.sub(r"[^\W\d_]+(?:'[a-z]+)?", lambda m: m[0][0].upper() + m[0][1:], text),
    "typographic quotes": lambda text: re.sub(r'"([^"]*)"', "“\\1”", text).replace("'", "’"),
    "HTML entities": lambda text: html.escape(text).replace("&#x27;", "&#39;"),
    "LaTeX escapes": lambda text: re.sub(r"([&%_#$])", r"\\\1", text),
    "decomposed accents": lambda text: unicodedata.normalize("NFD", text),
    "without accents": lambda text: "".join(
        c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)
    ),
    "other hyphens": lambda text: text.replace("-", "\u2011"),
    "en dashes": lambda text: text.replace("-", "–"),
    "no final mark": lambda text: text.rstrip(".?!"),
    "two spaces": lambda text: text.replace(": ", ":  "),
    "non-breaking spaces": lambda text: text.replace(" ", "\u00a0", 2),
}


def texts(elements: Sequence[str], subject: Subject, rng: Random) -> Iterator[Rendering]:
    """Lists of titles or names."""
    for name, spell in SPELLINGS.items():
        yield Rendering(f"lines, {name}", "block", "\n".join(map(spell, elements)))
    spell_name, spell = rng.choice(list(SPELLINGS.items()))
    values = [spell(one) for one in elements]
    suffix = "" if spell_name == "as printed" else f", {spell_name}"
    for one in _lists(values):
        yield Rendering(one.name + suffix, one.shape, one.text, one.doubtful)
    for one in _text_lists(elements):
        yield one
    numbers = {article.title: article.number for article in subject.articles}
    if all(one in numbers for one in elements):
        text = "\n".join(f"- Article {numbers[one]}: {one}" for one in elements)
        yield Rendering("bullets with article numbers", "block", text)
        text = "\n".join(f'"{one}" (Article {numbers[one]})' for one in elements)
        yield Rendering("quoted lines with article numbers", "block", text)
        yield Rendering("list of objects", "document", json.dumps([{"title": one} for one in elements], indent=2))
        yield Rendering("object with titles", "document", json.dumps({"titles": list(elements)}, ensure_ascii=False))
        text = "\n".join(f"{one} ({rng.randint(1, 60)})" for one in elements)
        yield Rendering("titles with numbers", "block", text, doubtful=True)
        rows = "\n".join(f"| {i} | {one} | {rng.randint(1, 60)} |" for i, one in enumerate(elements, 1))
        yield Rendering(
            "table with another column", "block", f"| # | Title | Count |\n|---|---|---|\n{rows}", doubtful=True
        )
    if len(elements) == 1:
        yield Rendering("the only one", "sentence", f'The only one is "{elements[0]}".')
        yield Rendering("a single one in bold", "sentence", f"**{elements[0]}** is the only match.")
        yield Rendering("atom", "atom", elements[0])
        yield Rendering("quoted atom", "atom", f'"{elements[0]}"')
        yield Rendering("italic atom", "atom", f"*{elements[0]}*")


def _lists(values: Sequence[str]) -> Iterator[Rendering]:
    """Forms of lists that suit texts and numbers."""
    marks = {
        "dashes": "- {v}",
        "stars": "* {v}",
        "bullets": "• {v}",
        "numbered 1.": "{i}. {v}",
        "numbered 1)": "{i}) {v}",
        "numbered (1)": "({i}) {v}",
        "bold lines": "**{v}**",
        "numbered bold": "{i}. **{v}**",
        "dashes with bold": "- **{v}**",
        "dashes with code": "- `{v}`",
        "indented": "    {v}",
        "trailing spaces": "{v}  ",
        "quote lines": "> {v}",
        "boxes": "- [x] {v}",
        "list items in HTML": "<li>{v}</li>",
        "lettered": "{l}. {v}",
        "lettered a)": "{l}) {v}",
        "roman": "{r}. {v}",
    }
    romans = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi")
    for name, mark in marks.items():
        if name in ("lettered", "lettered a)", "roman") and len(values) > len(romans):
            continue
        lines = [
            mark.format(v=v, i=i, l="abcdefghijklmnop"[(i - 1) % 16], r=romans[(i - 1) % 16])
            for i, v in enumerate(values, 1)
        ]
        # "> 5" alone may also mean more than five.
        bound = name == "quote lines" and len(values) == 1 and values[0].isdigit()
        yield Rendering(name, "block", "\n".join(lines), doubtful=bound)
    yield Rendering("blank lines between", "block", "\n\n".join(values))
    yield Rendering("Windows line ends", "block", "\r\n".join(values))
    yield Rendering("numbered with blank lines", "block", "\n\n".join(f"{i}. {v}" for i, v in enumerate(values, 1)))
    rows = "\n".join(f"| {v} |" for v in values)
    yield Rendering("table", "block", f"| Answer |\n| --- |\n{rows}")
    rows = "\n".join(f"| {i} | {v} |" for i, v in enumerate(values, 1))
    yield Rendering("numbered table", "block", f"| # | Answer |\n|---|---|\n{rows}")
    yield Rendering("fenced lines", "document", "```\n" + "\n".join(values) + "\n```")
    yield Rendering("fenced text lines", "document", "```text\n" + "\n".join(values) + "\n```")
    yield Rendering("breaks in HTML", "atom", "<br>".join(values))
    items = "".join(f"<li>{v}</li>" for v in values)
    yield Rendering("list in HTML", "atom", f"<ul>{items}</ul>")


def _text_lists(values: Sequence[str]) -> Iterator[Rendering]:
    unsafe = any("," in v or ";" in v or " and " in v for v in values)
    several = len(values) > 1
    yield Rendering("quoted lines", "block", "\n".join(f'"{v}"' for v in values))
    yield Rendering("typographically quoted bullets", "block", "\n".join(f"- “{v}”" for v in values))
    yield Rendering("italic bullets", "block", "\n".join(f"- *{v}*" for v in values))
    yield Rendering("numbered quoted", "block", "\n".join(f'{i}. "{v}"' for i, v in enumerate(values, 1)))
    if not any('"' in v for v in values):
        yield Rendering("quoted with commas", "atom", ", ".join(f'"{v}"' for v in values))
        if several:
            last = ", ".join(f'"{v}"' for v in values[:-1]) + f' and "{values[-1]}"'
            yield Rendering("quoted with and", "atom", last)
        quoted = "\n".join(f'"{v}",' for v in values).removesuffix(",")
        yield Rendering("quoted lines with commas", "block", quoted)
    yield Rendering("semicolons", "atom", "; ".join(values), doubtful=unsafe)
    yield Rendering("bars", "atom", " | ".join(values))
    if several:
        yield Rendering("commas", "atom", ", ".join(values), doubtful=unsafe)
        yield Rendering("commas and", "atom", ", ".join(values[:-1]) + f", and {values[-1]}", doubtful=unsafe)
        yield Rendering("and", "atom", ", ".join(values[:-1]) + f" and {values[-1]}", doubtful=unsafe)
        numbered = "; ".join(f"({i}) {v}" for i, v in enumerate(values, 1))
        yield Rendering("numbered in a line", "atom", numbered, doubtful=unsafe)
    yield Rendering("JSON array", "document", json.dumps(list(values)))
    yield Rendering("JSON array of characters", "document", json.dumps(list(values), ensure_ascii=False, indent=2))
    yield Rendering("Python list", "document", repr(list(values)))
    yield Rendering("JSON answer", "document", json.dumps({"answer": list(values)}, ensure_ascii=False))
    body = json.dumps({"answer": list(values)}, ensure_ascii=False, indent=2)
    yield Rendering("fenced JSON answer", "document", f"```json\n{body}\n```")


def number_lists(values: Sequence[str], subject: Subject) -> Iterator[Rendering]:
    yield Rendering("lines", "block", "\n".join(values))
    yield from _lists(values)
    yield Rendering("commas", "atom", ", ".join(values))
    yield Rendering(
        "commas without spaces", "atom", ",".join(values), doubtful=len(values) == 2 or max(map(len, values)) > 2
    )
    yield Rendering("spaces", "atom", " ".join(values))
    yield Rendering("semicolons", "atom", "; ".join(values))
    yield Rendering("bracketed", "atom", f"[{', '.join(values)}]")
    yield Rendering("parenthesized", "atom", f"({', '.join(values)})")
    yield Rendering("in dollars", "atom", f"${', '.join(values)}$")
    yield Rendering("decimals", "block", "\n".join(f"{v}.0" for v in values))
    yield Rendering("JSON array", "document", f"[{', '.join(values)}]")
    yield Rendering("JSON answer", "document", f'{{"answer": [{", ".join(values)}]}}')
    yield Rendering("fenced JSON answer", "document", f'```json\n{{"answer": [{", ".join(values)}]}}\n```')
    if all(0 <= int(v) < 1000 for v in values):
        yield Rendering("spelled lines", "block", "\n".join(spelled(int(v)) for v in values))
        yield Rendering("spelled commas", "atom", ", ".join(spelled(int(v)) for v in values))
    if len(values) > 1:
        yield Rendering("commas and", "atom", ", ".join(values[:-1]) + f", and {values[-1]}")
        yield Rendering("and", "atom", ", ".join(values[:-1]) + f" and {values[-1]}")
        if subject.kind == "ranking":
            yield Rendering("arrows", "atom", " → ".join(values))
        yield Rendering("less than", "atom", " < ".join(values), doubtful=True)
    else:
        yield Rendering("a single value", "sentence", f"The only value is {values[0]}.")
    titled = list(zip(subject.articles, values, strict=False))
    if len(titled) == len(values):
        text = "\n".join(f"{article.title}: {v}" for article, v in titled)
        yield Rendering("numbers with titles", "block", text, doubtful=True)


def grouped(rows: Sequence[tuple[str, str]], subject: Subject, rng: Random) -> Iterator[Rendering]:
    """Pairs of a group and its result."""
    joints = {
        "semicolon": "{g}; {r}",
        "semicolon without space": "{g};{r}",
        "space semicolon": "{g} ; {r}",
        "colon": "{g}: {r}",
        "arrow": "{g} → {r}",
        "ASCII arrow": "{g} -> {r}",
        "fat arrow": "{g} => {r}",
        "equals": "{g} = {r}",
        "tab": "{g}\t{r}",
        "comma": "{g}, {r}",
        "bar": "{g} | {r}",
        "dash": "{g} - {r}",
        "em dash": "{g} — {r}",
        "dash bullets with semicolon": "- {g}; {r}",
        "dash bullets with colon": "- {g}: {r}",
        "star bullets with arrow": "* {g} → {r}",
        "numbered": "{i}. {g}; {r}",
        "bold group": "**{g}**: {r}",
        "bullets with bold group": "- **{g}**; {r}",
        "bold result": "{g}: **{r}**",
        "parentheses": "({g}, {r})",
        "Group": "Group {g}: {r}",
        "full-width colon": "{g}：{r}",
        "value and result": "Value {g}: result {r}",
        "code": "`{g}; {r}`",
        "decimal group": "{g}.0; {r}",
    }
    for name, joint in joints.items():
        lines = [joint.format(g=g, r=r, i=i) for i, (g, r) in enumerate(rows, 1)]
        yield Rendering(f"rows with {name}", "block", "\n".join(lines))
    for name, joint, between in (
        ("colons and commas", "{g}: {r}", ", "),
        ("semicolons and commas", "{g}; {r}", ", "),
        ("colons and semicolons", "{g}: {r}", "; "),
        ("arrows and commas", "{g} → {r}", ", "),
        ("tuples", "({g}, {r})", ", "),
        ("equals and commas", "{g} = {r}", ", "),
        ("semicolons and bars", "{g}; {r}", " | "),
    ):
        line = between.join(joint.format(g=g, r=r) for g, r in rows)
        yield Rendering(f"one line, {name}", "atom", line)
    column = str(subject.item.key.answer.model_dump().get("columns", ["items"])[0])
    unit = {"author_count": "authors", "reference_count": "references"}.get(column, "words in the title")
    yield Rendering("rows with units", "block", "\n".join(f"{g} {unit}: {r}" for g, r in rows))
    yield Rendering("rows as sentences", "block", "\n".join(f"For {g} {unit}, the result is {r}." for g, r in rows))
    body = "\n".join(f"| {g} | {r} |" for g, r in rows)
    yield Rendering("table", "block", f"| Value | Result |\n|-------|--------|\n{body}")
    yield Rendering("table with bold", "block", f"| **Value** | **Result** |\n| :---: | ---: |\n{body}")
    csv = "\n".join(f"{g},{r}" for g, r in rows)
    yield Rendering("CSV with header", "document", f"```csv\nvalue,result\n{csv}\n```")
    inner = ", ".join(f'"{g}": {r}' for g, r in rows)
    yield Rendering("JSON object", "document", f"{{{inner}}}")
    yield Rendering("fenced JSON object", "document", f"```json\n{{{inner}}}\n```")
    yield Rendering("JSON answer object", "document", f'{{"answer": {{{inner}}}}}')
    yield Rendering("JSON pairs", "document", f"[{', '.join(f'[{g}, {r}]' for g, r in rows)}]")
    objects = ", ".join(f'{{"value": {g}, "result": {r}}}' for g, r in rows)
    yield Rendering("JSON list of objects", "document", f"[{objects}]")
    yield Rendering("Python dict", "atom", "{" + ", ".join(f"{g}: {r}" for g, r in rows) + "}")


def choices(option: int) -> Iterator[Rendering]:
    for text in (
        "{}", "{}.", "({})", "[{}]", "#{}", "Candidate {}", "candidate {}", "Candidate #{}", "Candidate {}.", "No. {}",
        "number {}", "Option {}", "Work {}", "**Candidate {}**", "**{}**", "${}$", "candidate {} (most likely)",
        "probably {}", "Probably candidate {}", "likely {}", "=== Candidate {}", "CANDIDATE {}",
    ):  # fmt: skip
        yield Rendering(f"as {text!r}", "atom", text.format(option))
    if 0 < option < len(ORDINALS):
        yield Rendering("ordinal", "atom", f"the {ORDINALS[option]} candidate")
        yield Rendering("ordinal alone", "atom", f"{ORDINALS[option]}", doubtful=True)
        yield Rendering(
            "ordinal digits", "atom", f"the {option}{('st', 'nd', 'rd', 'th')[min(option, 4) - 1]} candidate"
        )
        yield Rendering("spelled", "atom", ONES[option])
        yield Rendering("candidate spelled", "atom", f"Candidate {ONES[option].capitalize()}")
        yield Rendering("letter", "atom", "ABCDEFG"[option - 1], doubtful=True)
    another = option % 4 + 1
    yield Rendering("not another", "atom", f"{option} (not {another})")
    yield Rendering("rather than another", "atom", f"Candidate {option}, rather than candidate {another}")
    for text in (
        "The cited work is candidate {}.",
        "Candidate {} is cited at the mask.",
        "It must be candidate {}.",
        "I would choose candidate {}.",
        "My best guess is {}.",
        "The hidden citation refers to Candidate {}.",
        "Candidate {} is the best match.",
        "Only candidate {} fits.",
    ):
        yield Rendering(f"sentence {text!r}", "sentence", text.format(option))
    yield Rendering("JSON", "document", f'{{"answer": {option}}}')
    yield Rendering("JSON candidate", "document", f'```json\n{{"candidate": {option}}}\n```')
    yield Rendering("JSON string", "document", f'{{"answer": "Candidate {option}"}}')


def assignments(options: Sequence[int]) -> Iterator[Rendering]:
    joined = [str(one) for one in options]
    joints = {"commas": ", ", "tight commas": ",", "spaces": " ", "dashes": "-", "semicolons": "; ", "slashes": "/"}
    joints |= {"bars": " | ", "Chinese commas": "、", "full-width commas": "，"}
    for name, joint in joints.items():
        yield Rendering(f"numbers with {name}", "atom", joint.join(joined))
    yield Rendering("bracketed", "atom", f"[{', '.join(joined)}]")
    yield Rendering("parenthesized", "atom", f"({', '.join(joined)})")
    yield Rendering("candidates with commas", "atom", ", ".join(f"Candidate {one}" for one in joined))
    yield Rendering("and", "atom", ", ".join(joined[:-1]) + f" and {joined[-1]}")
    yield Rendering("ordinals", "atom", ", ".join(ORDINALS[one] for one in options), doubtful=True)
    yield Rendering("letters", "atom", ", ".join("ABCDEFG"[one - 1] for one in options), doubtful=True)
    yield Rendering("digits in a row", "atom", "".join(joined), doubtful=True)
    pairs = list(enumerate(options, 1))
    for name, joint in (
        ("plain colon", "{c}: {o}"),
        ("CITATION colon", "CITATION {c}: {o}"),
        ("mask colon", "[[CITATION {c}]]: {o}"),
        ("mask and candidate", "[[CITATION {c}]]: Candidate {o}"),
        ("arrow", "Citation {c} → Candidate {o}"),
        ("ASCII arrow", "[[CITATION {c}]] -> {o}"),
        ("bullets", "- Citation {c}: candidate {o}"),
        ("bold bullets", "- **[[CITATION {c}]]**: Candidate {o}"),
        ("numbered", "{c}. {o}"),
        ("numbered candidates", "{c}. Candidate {o}"),
        ("numbered bold candidates", "{c}. **Candidate {o}**"),
        ("numbered )", "{c}) {o}"),
        ("equals", "CITATION {c} = {o}"),
        ("tuple", "({c}, {o})"),
    ):
        lines = [joint.format(c=c, o=o) for c, o in pairs]
        yield Rendering(f"lines with {name}", "block", "\n".join(lines))
        if name not in (
            "bullets",
            "bold bullets",
            "numbered",
            "numbered bold candidates",
            "numbered candidates",
            "numbered )",
        ):
            yield Rendering(f"one line with {name}", "atom", ", ".join(lines))
    yield Rendering("lines of numbers", "block", "\n".join(joined))
    yield Rendering("lines of candidates", "block", "\n".join(f"Candidate {one}" for one in joined))
    body = "\n".join(f"| {c} | {o} |" for c, o in pairs)
    yield Rendering("table", "block", f"| Citation | Candidate |\n|---|---|\n{body}")
    body = "\n".join(f"| [[CITATION {c}]] | Candidate {o} |" for c, o in pairs)
    yield Rendering("table with masks", "block", f"| Mask | Work |\n| --- | --- |\n{body}")
    shuffled = [pairs[i] for i in (2, 0, 3, 1) if i < len(pairs)]
    lines = [f"[[CITATION {c}]]: Candidate {o}" for c, o in shuffled]
    yield Rendering("lines out of order", "block", "\n".join(lines))
    sentence = ", ".join(f"citation {c} cites candidate {o}" for c, o in pairs)
    yield Rendering("sentence", "sentence", sentence[0].upper() + sentence[1:] + ".")
    if sorted(options) == [1, 2, 3, 4]:
        lines = [f"Candidate {o} is cited at [[CITATION {options.index(o) + 1}]]." for o in (1, 2, 3, 4)]
        yield Rendering("from candidates to citations", "block", "\n".join(lines))
    inner = ", ".join(f'"{c}": {o}' for c, o in pairs)
    yield Rendering("JSON object", "document", f"{{{inner}}}")
    inner = ", ".join(f'"CITATION {c}": {o}' for c, o in pairs)
    yield Rendering("fenced JSON object", "document", f"```json\n{{{inner}}}\n```")
    yield Rendering("JSON array", "document", f'{{"answer": [{", ".join(joined)}]}}')

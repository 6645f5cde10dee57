"""Mistakes of a pack, each explained in one sentence that says what to do."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fathom.tasks.tables.labels import normal_label

if TYPE_CHECKING:
    from fathom.tasks.tables.pack import Metric, Pack

MAX_NOUN_LENGTH = 200
MAX_WEIGHT = 1_000
NAME = re.compile(r"[a-z\u4e00-\u9fff][a-z0-9_\u4e00-\u9fff]*")
RESERVED = frozenset({"entity_id", "name", "year", "own_report", "currency"})
"""Names of other columns of the tables that are queried."""
_LIKE_A_YEAR = re.compile(r"_\d{4}$")
"""The end of a name that looks like that of a figure in a year: revenue_2021."""
_FIELD = rf"\s*{NAME.pattern}\s*"
_PART = rf"(?:{_FIELD}|\s*\({_FIELD}(?:-{_FIELD})+\)\s*|\s*\({_FIELD}(?:\+{_FIELD})+\)\s*)"
_FORMULA = re.compile(rf"{_FIELD}(?:(?:-{_FIELD})+|(?:\+{_FIELD})+)|{_PART}/{_PART}")
_EXAMPLES = {
    "name": 'name = "shops"',
    "summary": 'summary = "Annual reports of shops"',
    "fields": '[fields.sales] with attributes = ["sales"] and kind = "money"',
    "attributes": 'attributes = ["sales"]',
    "labels": 'labels = ["Net sales"]',
    "kind": 'kind = "money", "count", "percent", "number" or "month"',
    "noun": 'noun = "shop"',
    "plural": 'plural = "shops"',
    "formula": 'formula = "profit / sales"',
    "terms": "terms = { margin = 0.6, growth = 0.4 }",
    "period": 'period = { en = ["year"] }',
    "en": 'en = ["sales"]',
    "zh": 'zh = ["销售额"]',
    "comparable": 'comparable = [["online_sales", "store_sales"]]',
}


def first_mistake(pack: Pack) -> str | None:
    """The first mistake in what a pack says; None if there is none."""
    return next(
        (
            mistake
            for mistakes in (_names, _nouns, _labels, _phrases, _metrics, _comparisons, _composites)
            for mistake in mistakes(pack)
        ),
        None,
    )


def _names(pack: Pack) -> Iterator[str]:
    if not pack.languages:
        yield 'it has no noun for its entities. Add en = { noun = "shop", plural = "shops" }, or zh'
    names = (*pack.fields, *pack.metrics, *pack.composites)
    for name in names:
        if not NAME.fullmatch(name):
            yield f"'{name}' is not a name: use lower-case letters, Chinese characters, digits and underscores"
        elif not is_column_name(name):
            yield f"'{name}' has a meaning in queries. Use another name, such as '{name}_value'"
        if names.count(name) > 1:
            yield f"'{name}' names two things. Give the field, the metric and the composite different names"


def is_column_name(name: str) -> bool:
    """Whether a column of the tables that are queried may have this name."""
    if name in RESERVED or _LIKE_A_YEAR.search(name):
        return False
    try:
        sqlite3.connect(":memory:").execute(f"CREATE TABLE figures ({name} REAL)").close()
    except sqlite3.OperationalError:  # a word of SQL, such as "order"
        return False
    return True


def _nouns(pack: Pack) -> Iterator[str]:
    entities = [word for nouns in (pack.en, pack.zh) if nouns for word in (nouns.noun, nouns.plural)]
    figures = (pack.period, *pack.fields.values(), *pack.metrics.values(), *pack.composites.values())
    for noun in (*entities, *pack.exceptions, *(word for figure in figures for word in (*figure.en, *figure.zh))):
        if not noun.isprintable():
            yield f"the noun {_format_value(noun)} has a line break or another control character. Write it on one line"
        if len(noun) > MAX_NOUN_LENGTH:
            yield f"the noun {_format_value(noun)} has more than {MAX_NOUN_LENGTH} characters. Use a shorter one"
    for name, figure in (*pack.fields.items(), *pack.metrics.items(), *pack.composites.items()):
        # A figure without a noun in a language is not asked about in it.
        if not all(word.strip() for word in (*figure.en, *figure.zh)) or not any(
            map(figure.in_language, pack.languages)
        ):
            missing = pack.languages[0]
            yield f"'{name}' has no noun in '{missing}'. Add {missing} = [\"...\"], as a question would name it"
    if pack.has_periods:
        for language in pack.languages:
            if not pack.period.in_language(language):
                yield f"the period has no noun in '{language}'. Add it: period = {{ {language} = [\"...\"] }}"


def _labels(pack: Pack) -> Iterator[str]:
    owners: dict[str, str] = {}
    for name, field in pack.fields.items():
        if field.part and pack.about != "document":
            yield f"'{name}' has a part, which is searched for packs with about = \"document\" only. Remove it"
        labels = {normal_label(label) for label in (*field.labels, *field.en, *field.zh)}
        # The same quantity may be measured on several parts.
        attributes = (
            {f"{attribute} ({field.part})" for attribute in field.attributes} if field.part else {*field.attributes}
        )
        for label in sorted(labels | attributes):
            if not label:
                yield f"'{name}' has a label without letters or digits. Remove it"
            if label in owners:
                yield f"'{label}' states both '{owners[label]}' and '{name}'. Keep it in one of them"
            owners[label] = name


def _phrases(pack: Pack) -> Iterator[str]:
    for name, field in pack.fields.items():
        for phrase in (*field.phrases, *field.doubts):
            if phrase.count("{n}") != 1 or not phrase.replace("{n}", "").strip():
                yield f"the phrase '{phrase}' of '{name}' must have words and one {{n}}, such as \"{{n}} participants\""
        if field.phrases and pack.about != "document":
            yield f"'{name}' has phrases, which are searched for packs with about = \"document\" only. Remove them"
    if pack.about == "document" and pack.has_periods:
        yield "a pack about documents has no period. Remove it"


def _metrics(pack: Pack) -> Iterator[str]:
    for name, metric in pack.metrics.items():
        if not _FORMULA.fullmatch(metric.formula):
            yield (
                f"the formula of '{name}' must join fields by one sign, such as \"profit / sales\" or "
                f'"income - costs", or divide such sums in brackets, as in "(income - costs) / sales": '
                f"'{metric.formula}'"
            )
            continue
        unknown = [field for field in metric.fields if field not in pack.fields]
        yield from (_unknown(pack, name, field) for field in unknown)
        if not unknown:
            yield from _mixed_kinds(pack, name, metric)


def _mixed_kinds(pack: Pack, name: str, metric: Metric) -> Iterator[str]:
    kinds = sorted({pack.fields[field].kind for field in metric.fields})
    if "month" in kinds:
        yield f"'{name}' computes with a month. Use fields that are numbers"
    for _, fields in metric.sides:
        added = sorted({pack.fields[field].kind for field in fields})
        if len(added) > 1:
            yield f"'{name}' adds or subtracts figures of different kinds: {', '.join(added)}. Use fields of one kind"
        if len(set(fields)) < len(fields):
            yield f"'{name}' adds or subtracts a field twice. Use each field once"
    if metric.sign == "/" and metric.sides[0] == metric.sides[1]:
        yield f"'{name}' divides a figure by itself. Use two figures"
    if metric.percent and (metric.sign != "/" or len(kinds) > 1):
        yield f"'{name}' is not a percentage: only a quotient of two figures of one kind is. Remove percent = true"


def _unknown(pack: Pack, where: str, field: str) -> str:
    near = get_close_matches(field, pack.fields, n=1)
    advice = f"Did you mean '{near[0]}'" + "?" if near else f"Add [fields.{field}], or use another"
    return f"'{where}' uses the field '{field}', which the pack does not have. {advice}"


def _comparisons(pack: Pack) -> Iterator[str]:
    for left, right in pack.comparable:
        unknown = [field for field in (left, right) if field not in pack.fields]
        yield from (_unknown(pack, "comparable", field) for field in unknown)
        if not unknown and left == right:
            yield f"'comparable' compares '{left}' with itself. Name two fields"
        elif not unknown and "month" in (pack.fields[left].kind, pack.fields[right].kind):
            yield f"'{left}' and '{right}' cannot be compared, since one is a month. Compare numbers"
        elif not unknown and pack.fields[left].kind != pack.fields[right].kind:
            yield (
                f"'{left}' and '{right}' cannot be compared: one is {pack.fields[left].kind}, the other "
                f"{pack.fields[right].kind}. Compare fields of one kind"
            )


def _composites(pack: Pack) -> Iterator[str]:
    for name, composite in pack.composites.items():
        for term, weight in composite.terms.items():
            if term not in pack.fields and term not in pack.metrics:
                yield f"the composite '{name}' uses '{term}', which is neither a field nor a metric. Define it first"
            elif term in pack.fields and pack.fields[term].kind == "month":
                yield f"the composite '{name}' adds the month '{term}'. Use fields and metrics that are numbers"
            elif not weight:
                yield f"the composite '{name}' gives '{term}' the weight 0. Remove it, or give it another weight"
            elif not 1 / MAX_WEIGHT <= abs(weight) <= MAX_WEIGHT:
                yield f"the composite '{name}' gives '{term}' the weight {weight:g}. Use weights around 1, such as 0.4"
        kinds = {_kind(pack, term) for term in composite.terms if term in pack.fields or term in pack.metrics}
        if len(kinds) > 1:
            yield f"the composite '{name}' adds {' and '.join(sorted(kinds))}. Use terms of one kind, such as shares"


def _kind(pack: Pack, term: str) -> str:
    """The kind of quantity of a composite's term."""
    if term in pack.fields:
        kind = pack.fields[term].kind
        return {"money": "amounts of money", "count": "counts", "percent": "shares and ratios"}.get(kind, "numbers")
    metric = pack.metrics[term]
    kinds = {pack.fields[field].kind for field in metric.fields if field in pack.fields}
    if metric.sign == "/" and len(kinds) == 1:
        return "shares and ratios"
    return _kind(pack, metric.fields[0]) if metric.sign != "/" and metric.fields[0] in pack.fields else "quotients"


# What the schema rejects.


def explain(error: ValidationError) -> str:
    """The first mistake in the form of a pack, in words of TOML."""
    details = error.errors(include_url=False)[0]
    location = ".".join(str(step) for step in details["loc"])
    key = str(next((step for step in reversed(details["loc"]) if isinstance(step, str)), ""))
    example = f" Write {_EXAMPLES[key]}" if key in _EXAMPLES else ""
    match details["type"]:
        case "value_error":
            return str(details["msg"]).removeprefix("Value error, ")
        case "missing" if location.startswith("comparable"):
            return _size(location, details, example)
        case "missing":
            return f"'{location}' is missing.{example}"
        case "extra_forbidden":
            return f"'{location}' is unknown. Check its spelling and the table that it is in"
        case "string_pattern_mismatch":
            return f"'{location}' has lower-case letters, digits and hyphens, and starts with a letter.{example}"
        case "too_short" | "too_long":
            return _size(location, details, example)
        case "literal_error":
            return f"'{location}' is '{details['input']}'. Write {details['ctx']['expected']}"
        case _:
            return f"'{location}' is {_format_value(details['input'])}, which is not understood.{example}".removesuffix(
                "."
            )


def _size(location: str, details: Any, example: str) -> str:
    if location.startswith("comparable"):
        return f"'{location}' must name two fields.{example}"
    least = details["ctx"].get("min_length", 1)
    return f"'{location}' needs at least {'one entry' if least == 1 else f'{least} entries'}.{example}"


def _format_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."

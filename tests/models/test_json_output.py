"""Broken JSON is read as it was meant, and no text takes long."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from fathom.models.json_output import read_json

CLAIM: JsonValue = {"claims": [{"quote": "We show a gain.", "type": "result", "evidence": [{"quote": "It rose."}]}]}
TEXT = '{"claims": [{"quote": "We show a gain.", "type": "result", "evidence": [{"quote": "It rose."}]}]}'


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        (TEXT, ()),
        (f"```json\n{TEXT}\n```", ("code fence",)),
        (f"Here are the claims [1] {{of two}}:\n{TEXT}\nI hope this helps.", ("text around it",)),
        (f'<think>{{"claims": []}}</think>{TEXT}', ()),
        (TEXT.replace('"It rose."}]', '"It rose.",},]'), ("trailing comma",)),
        (TEXT.replace('"type"', '// its type\n/* a\nb */ # c\n"type"'), ("comment",)),
        (TEXT.replace('.", "type"', '."\n "type"'), ("missing comma",)),
        (TEXT.replace('", "type"', '" "type"'), ("missing comma",)),
        (TEXT.replace(', "type"', ',, "type"'), ("superfluous comma",)),
        (TEXT.replace('"', "'"), ("quotation marks",)),
        (TEXT.replace('"quote"', "“quote”"), ("quotation marks",)),
        (TEXT.replace('"type"', "type").replace('"claims"', "claims"), ("name without quotation marks",)),
        (TEXT[:-2], ("cut off",)),
        (TEXT[:-2] + ', {"quote": "It fe', ("cut off",)),
        (f"```json\n{TEXT[:-2]}\n```", ("code fence", "cut off")),
        (TEXT[:-2] + ", {", ("cut off",)),
        (TEXT[:-3] + ', {"quote": "It fe', ("missing bracket", "missing comma", "cut off")),
        (TEXT[:-1].removesuffix("]") + "}", ("missing bracket",)),
        (TEXT.replace('."}]', '."}'), ("missing bracket",)),
        (TEXT.replace("}]}]}", "}]}}]}"), ("superfluous bracket",)),
        (TEXT.replace("}]}]}", "}]]}]}"), ("superfluous bracket",)),
    ],
)
def test_slightly_broken_json_is_read_as_it_was_meant(text: str, repairs: tuple[str, ...]) -> None:
    found = read_json(text)
    assert found is not None
    assert (found.value, found.repairs) == (CLAIM, repairs)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "he said "yes" to it", "b": 1}', {"a": 'he said "yes" to it', "b": 1}),
        ('{"a": "he said "yes", then left", "b": 1}', {"a": 'he said "yes", then left', "b": 1}),
        ("{'a': 'the model's claim', 'b': 1}", {"a": "the model's claim", "b": 1}),
        ('["one "two" three", "four"]', ['one "two" three', "four"]),
        ('{"a": "two\nlines\tof text"}', {"a": "two\nlines\tof text"}),
        (r'{"a": "\alpha and \% and don\'t"}', {"a": r"\alpha and \% and don't"}),
        (r'{"a": "\beta of \frac{1}{2}"}', {"a": r"\beta of \frac{1}{2}"}),
        (
            '{"a": True, "b": None, "c": NaN, "d": -.5, "e": 1e3,}',
            {"a": True, "b": None, "c": None, "d": -0.5, "e": 1e3},
        ),
        (r'{"a": "\ud83d\ude00 \ud800"}', {"a": "😀 \ufffd"}),
        ('[{"a": [{"b": 1}}, {"a": [{"b": 2}]}]', [{"a": [{"b": 1}]}, {"a": [{"b": 2}]}]),
        ('{"a": [{"b": 1}}, {"b": 2}]}', {"a": [{"b": 1}, {"b": 2}]}),
        ('{"a": [{"b": 1}, ...]}', {"a": [{"b": 1}]}),
        ('{"a": 1, "b": 12', {"a": 1}),
        ('{"a": 1, "b": tru', {"a": 1}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": "https://example.org/x, # 1", }', {"a": "https://example.org/x, # 1"}),
        ('First {"a": 1}. No, rather {"a": 2}. Or {"a": [3, ', {"a": 2}),
        (f'{{"a": {"9" * 5000}}}', {"a": "9" * 5000}),
    ],
)
def test_what_a_repair_keeps(text: str, value: JsonValue) -> None:
    found = read_json(text)
    assert found is not None and found.value == value


@pytest.mark.parametrize("text", ["", "No claims.", "{curly} [brackets]", "{", "[]", "[" * 5_000, '{"a" 1}', "{a: b}"])
def test_what_is_no_json_is_not_read(text: str) -> None:
    assert read_json(text) is None


def test_the_wanted_value_is_taken() -> None:
    found = read_json(f"{TEXT}\nSee [1, 2].", lambda value: isinstance(value, dict))
    assert found is not None and found.value == CLAIM


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "{",
        '["',
        '{"a":',
        '"a"/* ',
        "[1",
        '[",',
        "{'a':'",
        '[[",',
        '{"a": "b" ',
        "[//",
        "[/*",
        "[ ",
        '["\\',
        "{a:",
        '["“',
        "[...",
        "}]",
    ],
)
def test_hostile_text_is_given_up_soon(piece: str) -> None:
    started = time.process_time()
    read_json("[" + piece * (100_000 // len(piece)))
    assert time.process_time() - started < 3


WORDS = st.text(st.characters(exclude_characters="\b\f", codec="utf-8"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=6,
)


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=4), st.booleans())
def test_json_is_read_exactly(value: dict[str, JsonValue], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2 if ascii_only else None)
    found = read_json(text)
    assert found is not None and not found.repairs
    assert found.value == value


@given(st.text(alphabet="{}[]\",:'\\ ab1/*#\n", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_json(text)

"""Citation types that responses name, alone or in a sentence."""

from __future__ import annotations

import pytest

from fathom.records.questions import Response
from fathom.scoring.answers import Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.citations.type_rule import check_type

CORRECT = (
    "Answer: descriptive",
    "Descriptive.",
    "It is a descriptive citation.",
    "Answer: a descriptive citation",
    "Type: **descriptive**",
    "I would classify this citation as descriptive.",
    "I would classify this as **descriptive** because the sentence does not name the method.",
    "This citation is descriptive rather than attributional.",
    "The sentence says what the work did without naming it, so the citation is descriptive.",
    "No method is named. The citation is descriptive, not attributional.",
    "The words before the citation could be a name.\nThey are not.\n\nAnswer: descriptive",
)
OTHERS = {
    "It is an attributional citation, not a descriptive one.": "incorrect",
    "Answer: attributional": "incorrect",
    "The citation is not descriptive.": "unparseable",
    "Is it descriptive?": "unparseable",
    "It is hardly descriptive.": "unparseable",
    "The citation could be descriptive or attributional.": "unparseable",
    "Answer: neither descriptive nor attributional": "unparseable",
    "The citation is attributional, although the sentence is descriptive.": "unparseable",
    "Answer: a self-citation": "unparseable",
}


def outcome(text: str) -> str:
    key = Key(question_id="q", answer=Text(value="descriptive"), proof=Proof(program="type"))
    return check_type(key, Response(question_id="q", outcome="answered", text=text)).outcome


@pytest.mark.parametrize("text", CORRECT)
def test_a_type_in_a_sentence_is_read(text: str) -> None:
    assert outcome(text) == "correct"


@pytest.mark.parametrize("text", OTHERS)
def test_a_type_that_is_denied_or_left_open_is_not(text: str) -> None:
    assert outcome(text) == OTHERS[text]

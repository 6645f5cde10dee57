"""Narratives, news and policies: every planted fact has the printed value, and the traps are there."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from statistics import median

import pytest

from fathom.corpus.generated.prose import DOMAINS, write_prose
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.documents import Document
from fathom.records.errors import FathomError
from fathom.tasks.puzzles.recompute import read_fact

every_domain = pytest.mark.parametrize("domain", DOMAINS)


@cache
def documents(domain: str) -> tuple[Document, ...]:
    return tuple(write_prose(domain, seed, 0) for seed in range(5))


@every_domain
def test_every_fact_is_stated_by_its_characters(domain: str) -> None:
    for document in documents(domain):
        assert len(document.facts) > 40
        for fact in document.facts:
            read_fact(fact, document)  # raises if the characters state another value
            assert any(span.contains(fact.span) for span in document.paragraphs)
            assert any(span.contains(fact.span) for span in document.sentences)


@every_domain
def test_documents_have_about_ten_thousand_tokens_or_more(domain: str) -> None:
    counter = tokenizer(DEFAULT)
    lengths = [counter.count(document.text) for document in documents(domain)]
    assert 7_500 <= median(lengths) <= 13_000
    assert counter.count(write_prose(domain, 0, 0, long=True).text) > 3 * median(lengths)


@every_domain
def test_text_is_clean(domain: str) -> None:
    for document in documents(domain):
        assert not re.search(r"[{}|]|  |\.\.|\( | ,|,,|。。|，，|\ba [aeio]\w", document.text)
        sentences = [span.of(document.text) for span in document.sentences]
        assert all(sentence[-1] in ".!?”。！？" for sentence in sentences)
        if document.language == "en":
            assert all(sentence[0].isupper() or sentence[0] in "“" or sentence[0].isdigit() for sentence in sentences)


@every_domain
def test_paragraphs_seldom_repeat(domain: str) -> None:
    for document in documents(domain):
        paragraphs = [span.of(document.text) for span in document.paragraphs]
        assert len(set(paragraphs)) > 0.98 * len(paragraphs)


@pytest.mark.parametrize("domain", [name for name in DOMAINS if not name.startswith("policy")])
def test_corrections_come_later_than_what_they_correct(domain: str) -> None:
    for document in documents(domain):
        corrections = [fact for fact in document.facts if fact.status == "restated"]
        assert corrections
        for correction in corrections:
            same = [
                fact
                for fact in document.facts
                if (fact.entity, fact.attribute) == (correction.entity, correction.attribute)
            ]
            reported, repeated = (
                next(fact for fact in same if fact.status == status) for status in ("reported", "repeated")
            )
            assert len(same) == 3
            assert reported.span.end < min(repeated.span.start, correction.span.start)
            assert reported.value == repeated.value != correction.value


@pytest.mark.parametrize("domain", [name for name in DOMAINS if not name.startswith("policy")])
def test_two_people_have_one_name(domain: str) -> None:
    for document in documents(domain):
        people = sorted({fact.name for fact in document.facts if fact.attribute in ("coordinator", "heir", "chief")})
        endings = [person.split()[-2:] if document.language == "en" else [person[-2:]] for person in people]
        assert any(endings.count(ending) > 1 for ending in endings)


def test_units_change_within_a_document() -> None:
    for document in documents("news"):
        printed = [document.text[fact.span.end :][:12] for fact in document.facts if fact.attribute == "peak"]
        assert {" centimeters"[:12]} & set(printed)
        assert any(one.startswith(" meters") for one in printed)


def test_exceptions_and_amendments_are_far_behind_the_rule() -> None:
    for document in documents("policy"):
        for scheme in {fact.entity for fact in document.facts if fact.attribute == "large"}:
            own = [fact for fact in document.facts if fact.entity == scheme]
            first = {
                name: min(fact.span.start for fact in own if fact.attribute == name)
                for name in ("base", "seasonal", "amended")
            }
            assert all(before < after for before, after in pairwise(first.values()))
            assert first["amended"] - first["base"] > 0.2 * len(document.text)


def test_the_same_bytes_in_another_process() -> None:
    script = (
        "import hashlib\nfrom fathom.corpus.generated.prose import DOMAINS, write_prose\n"
        "print(hashlib.sha256(b''.join(write_prose(name, 4, 2).to_line() for name in DOMAINS)).hexdigest())"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    here = hashlib.sha256(b"".join(write_prose(name, 4, 2).to_line() for name in DOMAINS)).hexdigest()
    assert result.stdout.strip() == here


def test_an_unknown_domain_is_refused() -> None:
    with pytest.raises(FathomError, match="There is no domain 'poetry'"):
        write_prose("poetry", 0, 0)

"""The lexicon: paraphrases mean the same in other words."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from fathom.corpus.generated.lexicon import SUBJECTS, Topic, subject

TOPICS = [topic for name in SUBJECTS for topic in subject(name).topics]
FUNCTION_WORDS = {"and", "for", "from", "per", "the", "with"}

every_topic = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)


def stems(words: str) -> set[str]:
    """What a plain word matcher goes by: "forecasting" and "forecasts" are one."""
    return {word[:6] for word in re.findall(r"[a-z]{3,}", words.lower())} - FUNCTION_WORDS


def test_there_are_four_topics_a_subject_and_six_quantities_a_topic() -> None:
    assert len(TOPICS) == 4 * len(SUBJECTS)
    assert all(len(topic.quantities) == 6 for topic in TOPICS)


@every_topic
def test_a_paraphrased_quantity_shares_no_stem_with_its_name(topic: Topic) -> None:
    for quantity in topic.quantities:
        assert not stems(quantity.name) & stems(quantity.paraphrase), quantity


@every_topic
def test_a_paraphrased_quantity_reads_well_with_and_without_the(topic: Topic) -> None:
    for quantity in topic.quantities:
        words = quantity.paraphrase.split()
        assert words[0].lower() not in ("a", "an", "the"), quantity
        assert 2 <= len(words) <= 5, quantity


@every_topic
def test_no_term_of_a_topic_contains_another(topic: Topic) -> None:
    """Else a sentence that cites would fit two works."""
    phrases = [phrase for kind in (topic.objects, topic.methods, topic.settings, topic.materials) for phrase in kind]
    forms = [form for phrase in phrases for form in (phrase.own, phrase.paraphrase)]
    forms += [form for quantity in topic.quantities for form in (quantity.name, quantity.paraphrase)]
    counts = Counter(frozenset(stems(form)) for form in forms)
    assert [set(form) for form, count in counts.items() if count > 1] == []

"""Answers inside messages, calls, code and reasoning without a marker."""

from __future__ import annotations

import pytest

from fathom.scoring.answer_types.compare import compare
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import Answer, Choice, Number, Ranking, Text, Unanswerable, ValueSet

FOUR = Number.model_validate({"type": "number", "value": "4"})
LIND = Text(value="Mei Lind")
BOTH = ValueSet(items=(Text(value="Mei Lind"), Text(value="Jonas Wu")))
FIRST = Ranking(groups=((Text(value="Mei Lind"),), (Text(value="Jonas Wu"),)))


def accepts(text: str, key: Answer) -> bool:
    parsed = parse_response(text, key)
    return parsed is not None and compare(key, parsed).score >= 1.0


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"role": "assistant", "content": "Answer: 4"}', FOUR),
        ('{"choices": [{"message": {"content": "The answer is 4."}}]}', FOUR),
        ('{"tool": "final_answer", "tool_input": 4}', FOUR),
        ("Thought: Two and two.\nAction: finish\nAction Input: 4", FOUR),
        ("{'answer': 4}", FOUR),
        ("---\nanswer: 4\n---", FOUR),
        ("AI: The author is Mei Lind.", LIND),
        ("Answer: Mei Lind\n\nSources: Article 1, Article 3", LIND),
        ("Answer: Mei Lind (Source: Article 3)", LIND),
        ("Two articles qualify.\n\nTherefore:\n\nMei Lind\nJonas Wu", BOTH),
        ("I compared both.\n\n---\n\nMei Lind\nJonas Wu", FIRST),
        ('The authors are ["Mei Lind", "Jonas Wu"].', BOTH),
        ("答案是：4\n\n来源：文档1", FOUR),
        ("### 答案\n4", FOUR),
        ("2021年共有7篇，其中符合条件的文章有4篇。", FOUR),
        ("The list is empty: []", Unanswerable()),
    ],
)
def test_the_answer_is_found_in_its_envelope(text: str, key: Answer) -> None:
    assert accepts(text, key)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"tool": "open_article", "tool_input": 4}', FOUR),
        ("Action: search[4]", FOUR),
        ("Thought: I open it.\nAction: open\nAction Input: 4", FOUR),
        ('<tool_call>{"name": "open", "arguments": {"candidate": 4}}</tool_call>', Choice(option=4, of=5)),
        ("The following list is wrong:\nMei Lind\nJonas Wu", BOTH),
        ("Besides Ada Roy, these are the others:\nMei Lind\nJonas Wu", BOTH),
        ('{"answer": ["Mei Lind", "Jonas Wu"], "further_answers": ["Ada Roy"]}', BOTH),
        ("Ada Roy\n\nAlso:\n\nMei Lind\nJonas Wu", BOTH),
        ("I don't think that it is 4.", FOUR),
        ("After the first pass: 4. The second pass is still running, so there is no final answer yet.", FOUR),
        ('None qualifies; the list is empty: ["Mei Lind"].', Unanswerable()),
        ("4是错误的。", FOUR),
        ("# Ada Roy\nMei Lind", LIND),
    ],
)
def test_other_calls_denials_and_additions_are_no_answers(text: str, key: Answer) -> None:
    assert not accepts(text, key)

"""Results of queries, records, units beside numbers, and footnotes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fathom.scoring.answer_types.compare import compare
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Number,
    Ranking,
    Rows,
    Selection,
    Text,
    Unanswerable,
    ValueSet,
)

FOUR = Number(value=Decimal(4))
EUROS = Number(value=Decimal("391.5"), decimals=2, unit="million EUR")
NAMES = ValueSet(items=(Text(value="A. Lind"), Text(value="Bo Wu-Chen"), Text(value="M. L'Hermitte")))
TITLES = Ranking(groups=tuple((Text(value=title),) for title in ("Deep water", "Tides, storms: a review", "Why bees?")))
NUMBERS = Ranking(groups=tuple((Number(value=Decimal(n)),) for n in (57, 34, 28)))
COUNTS = Rows(
    columns=("author_name", "number"),
    rows=(
        (Text(value="A. Lind"), Number(value=Decimal(3))),
        (Text(value="Bo Wu"), Number(value=Decimal(2))),
    ),
)
ONES = COUNTS.model_copy(
    update={
        "rows": (
            (Text(value="A. Lind"), Number(value=Decimal(1))),
            (Text(value="Bo Wu"), Number(value=Decimal(0))),
        )
    }
)
TIDES = Text(value="Tides, storms: a review")
NONE = Unanswerable()
THIRD = Choice(option=3, of=4)
CLOZE = Assignment(options=(2, 4, 3, 1), of=4)
SELECTION = Selection(options=(1, 4, 5), of=6)

CORRECT: list[tuple[Answer, str]] = [
    (FOUR, " count \n-------\n     4\n(1 row)"),
    (FOUR, "+----------+\n| COUNT(*) |\n+----------+\n|        4 |\n+----------+\n1 row in set (0.00 sec)"),
    (FOUR, "reference_count\n4\n\nThis is the number of references of the article."),
    (FOUR, '{"columns": ["count"], "rows": [[4]]}'),
    (FOUR, '{"status": "success", "data": {"answer": 4}}'),
    (FOUR, '{"thought": "I counted 4 of 7.", "action": "finish", "action_input": "4"}'),
    (FOUR, '{"count": 4, "matching": ["A", "B", "C", "D"]}'),
    (FOUR, "answer=4;confidence=0.9"),
    (FOUR, "Answer: 4¹\n\n¹ Counting Article 3."),
    (FOUR, "Answer: 4[^1]\n\n[^1]: Articles 2, 3, 5 and 9."),
    (FOUR, "| Article | Authors |\n|---|---|\n| 1 | 1 |\n| 2 | 3 |\n| **Total** | **4** |"),
    (EUROS, '{"amount": 391.5, "scale": "million", "currency": "EUR"}'),
    (EUROS, '{"answer": {"value": 391500000, "unit": "EUR"}}'),
    (EUROS, "answer: 391.50\nunit: million EUR"),
    (NAMES, "author_name\n-----------\nA. Lind\nBo Wu-Chen\nM. L'Hermitte\n(3 rows)"),
    (NAMES, "id,author_name\n1,A. Lind\n2,Bo Wu-Chen\n3,M. L'Hermitte"),
    (NAMES, "name\nA. Lind\nBo Wu-Chen\nM. L'Hermitte\n3 rows"),
    (NAMES, '{"columns": ["author_name"], "rows": [["A. Lind"], ["Bo Wu-Chen"], ["M. L\'Hermitte"]]}'),
    (NAMES, "Answer:\nA. Lind [1]\nBo Wu-Chen [2]\nM. L'Hermitte [3]\n\nSources:\n[1] Doc 3\n[2] Doc 5\n[3] Doc 9"),
    (NAMES, "**Matching authors**\n- A. Lind\n- Bo Wu-Chen\n- M. L'Hermitte"),
    (NAMES, "<answer><a>A. Lind</a><b1>Bo Wu-Chen</b1><c>M. L'Hermitte</c></answer>"),
    (TITLES, 'article_title,rank\n"Deep water",1\n"Tides, storms: a review",2\nWhy bees?,3'),
    (TITLES, "article_title | n\n--------------+--\nDeep water | 9\nTides, storms: a review | 7\nWhy bees? | 3\n"
             "3 rows"),
    (TITLES, "Answer:\n1. Deep water (Article 4, 8 references)\n2. Tides, storms: a review (Article 5, 7 references)\n"
             "3. Why bees? (Article 6, 6 references)"),
    (NUMBERS, "[(57,), (34,), (28,)]"),
    (NUMBERS, "Answer: $57 \\to 34 \\to 28$"),
    (NUMBERS, "**Answer:**\n- 57\n- 34\n- 28\n\n*(sorted by references minus authors, descending)*"),
    (NUMBERS, "Answer:\n* 57 *(ratio 2.5)*\n* 34 *(ratio 4.0)*\n* 28 *(ratio 9)*"),
    (NUMBERS, "The requested order is 57, then 34, and finally 28."),
    (COUNTS, "author_name | count\n------------+------\nA. Lind | 3\nBo Wu | 2\n(2 rows)"),
    (COUNTS, "author_name|count\nA. Lind|3\nBo Wu|2"),
    (COUNTS, "- author: A. Lind\n  articles: 3\n- author: Bo Wu\n  articles: 2"),
    (COUNTS, "<rows><row><author>A. Lind</author><n>3</n></row><row><author>Bo Wu</author><n>2</n></row></rows>"),
    (COUNTS, "Two people qualify: A. Lind (3) and Bo Wu (2)."),
    (TIDES, "article_title\nTides, storms: a review"),
    (TIDES, "Answer: Tides, storms: a review — Article 3, 58 references"),
    (Text(value="2019-11"), "订单额最高的月份是2019年11月。"),
    (Text(value="attributional"), "Answer: attributional — the sentence names the tool it cites"),
    (NONE, "author_name\n-----------\n(0 rows)"),
    (NONE, "The query returned no rows."),
    (NONE, "The answer is: $[\\,]$"),
    (NONE, "经逐一核对，所有公司的增长率均未超过10%，因此没有符合条件的公司。"),
    (THIRD, "```yaml\ncandidate: 3\n```"),
    (THIRD, "prediction: 3  # of 4\nconfidence: 0.7"),
    (CLOZE, "**Answer:** 2, 4, 3, 1\n\nThe assignment for 1 and 3 is certain; that of 2 and 4 follows by elimination."),
    (CLOZE, '<cloze><m id="1">2</m><m id="2">4</m><m id="3">3</m><m id="4">1</m></cloze>'),
    (CLOZE, "| Mask | Evidence in the paper | Candidate |\n|---|---|---|\n| 1 | 12 qubits | 2 |\n| 2 | data | 4 |\n"
            "| 3 | review of 2019 | 3 |\n| 4 | authors | 1 |"),
    (CLOZE, "Citation 1 goes to candidate 2, citation 2 to candidate 4, citation 3 to candidate 3 and citation 4 to"
            " candidate 1."),
    (SELECTION, "Answer: Statements 1, 4 and 5"),
    (Number(value=Decimal(0)), '{"matches": 0}'),
    (ONES, "| author_name | matches |\n|---|---|\n| A. Lind | 1 |\n| Bo Wu | 0 |"),
    (ONES, '[{"author": "A. Lind", "matches": 1}, {"author": "Bo Wu", "matches": 0}]'),
    (EUROS, '<total currency="EUR" scale="million">391.5</total>'),
    (Number(value=Decimal("37.4"), decimals=1, unit="km"), "Answer: 37.4 kilometres"),
    (Number(value=Decimal("-3717.19"), decimals=2, unit="万元"), '{"差额": -3717.19, "单位": "万元"}'),
    (NAMES, '<authors count="3"><author id="a">A. Lind</author><author>Bo Wu-Chen</author>'
            "<author>M. L'Hermitte</author></authors>"),
    (NAMES, "author_name,qualifies\nA. Lind,1\nBo Wu-Chen,1\nM. L'Hermitte,1\nC. New,0"),
    (NAMES, '[{"name": "A. Lind", "match": true}, {"name": "Bo Wu-Chen", "match": "yes"},'
            ' {"name": "M. L\'Hermitte", "match": true}, {"name": "C. New", "match": false}]'),
    (NUMBERS, "(57,)\n(34,)\n(28,)"),
    (NUMBERS, "reference_count\n57\n34\n28\nTime: 1.204 ms"),
    (COUNTS, "| number | author_name |\n|---|---|\n| 3 | A. Lind |\n| 2 | Bo Wu |"),
    (Text(value="2021-03"), '{"company": "Lind Rail", "peak_month": "2021-03"}'),
    (NONE, "Query returned 0 rows."),
    (NONE, "查询结果为空：没有公司满足条件。"),
]  # fmt: skip

INCORRECT: list[tuple[Answer, str]] = [
    (FOUR, '{"answer": 4, "unit": "thousand"}'),
    (FOUR, '{"columns": ["count"], "rows": [[4], [5]]}'),
    (FOUR, '{"thought": "4", "action": "search", "action_input": "4"}'),
    (FOUR, '{"count": 5, "matching": ["4"]}'),
    (FOUR, "Answer: 5¹\n\n¹ Or 4."),
    (FOUR, "Answer: 4[1]\n\n[1] Actually 5."),
    (FOUR, "Answer: 4¹\n\n¹ 5 if Article 3 counts."),
    (Number(value=Decimal(41)), "Answer: 4¹"),
    (FOUR, "answer=4;alternative=5"),
    (FOUR, "COUNT(*)\n--------\n4\n5\n(2 rows)"),
    (FOUR, "| Article | Authors |\n|---|---|\n| 1 | 4 |\n| 2 | 3 |\n| **Total** | **7** |"),
    (EUROS, '{"answer": 391.5, "unit": "thousand EUR"}'),
    (EUROS, '{"answer": 391.5, "unit": "million USD"}'),
    (NAMES, "author_name\nA. Lind\nBo Wu-Chen\nM. L'Hermitte\nC. New"),
    (NAMES, "author_name\n-----------\nA. Lind\nBo Wu-Chen\n(2 rows)"),
    (NAMES, "author_name | match\n---+---\nA. Lind | true\nBo Wu-Chen | true\nM. L'Hermitte | false"),
    (NAMES, '[{"name": "A. Lind", "match": true}, {"name": "Bo Wu-Chen", "match": true},'
            ' {"name": "M. L\'Hermitte", "match": false}]'),
    (NAMES, "Answer: A. Lind, Bo Wu-Chen [1]\n\n[1] M. L'Hermitte"),
    (NAMES, "Three people fail: A. Lind, Bo Wu-Chen and M. L'Hermitte."),
    (NAMES, "**Excluded**\n- A. Lind\n- Bo Wu-Chen\n- M. L'Hermitte"),
    (TITLES, 'article_title,rank\n"Deep water",3\n"Tides, storms: a review",2\nWhy bees?,1'),
    (NUMBERS, "Answer: $28 \\to 34 \\to 57$"),
    (NUMBERS, "**Answer:**\n- 57\n- 34\n- 28\n\n*(or 29 for the last one)*"),
    (NUMBERS, "**Answer:**\n- 57\n- 34\n- 28\n\n*(this order is wrong)*"),
    (COUNTS, "author_name,count\nA. Lind,3\nBo Wu,2\nC. New,1"),
    (COUNTS, "Two people do not qualify: A. Lind (3) and Bo Wu (2)."),
    (TIDES, "article_title\nTides, storms: a review\nDeep water"),
    (Text(value="attributional"), "Answer: attributional - it could be descriptive"),
    (NONE, "The query returned 10 rows."),
    (NONE, "The query returned no rows, so 4."),
    (THIRD, "rejected_candidate: 3"),
    (THIRD, "candidate: 3\nalternative: 2"),
    (CLOZE, "Answer: 2, 4, 3, 1\n\nThe last two should be swapped."),
    (CLOZE, "Answer: 2, 4, 1, 3\n\nThe assignment 2, 4, 3, 1 follows by elimination."),
    (SELECTION, "Answer: Items 1, 4, 5 and 6"),
    (SELECTION, "Answer: 1, 4, 5 | 4"),
    (SELECTION, "Model 1: 1, 4, 5\nModel 2: 1, 4\nModel 3: 1, 4"),
    (THIRD, "[[ANSWER]]: -3"),
    (EUROS, '<total currency="EUR" scale="thousand">391.5</total>'),
    (FOUR, '{"answer": 4, "match": false, "revised_answer": 5}'),
    (FOUR, '{"value": 4, "status": "rejected", "final_value": 5}'),
    (FOUR, "1. two authors\n2. three authors\n3. one author\n4."),
    (TIDES, '{"title": "Tides, storms: a review", "match": "no"}'),
    (THIRD, '{"candidate": 3, "rejected": true, "next_best": 4}'),
    (NAMES, "author_name,qualifies\nA. Lind,1\nBo Wu-Chen,1\nM. L'Hermitte,0"),
    (Text(value="2021-03"), "month\n-----\n2021-03\n2021-04"),
]  # fmt: skip


def is_accepted(key: Answer, text: str) -> bool:
    parsed = parse_response(text, key)
    return parsed is not None and compare(key, parsed).score >= 1.0


@pytest.mark.parametrize(("key", "text"), CORRECT, ids=[text for _, text in CORRECT])
def test_a_correct_answer_is_accepted(key: Answer, text: str) -> None:
    assert is_accepted(key, text), parse_response(text, key)


@pytest.mark.parametrize(("key", "text"), INCORRECT, ids=[text for _, text in INCORRECT])
def test_an_incorrect_answer_is_rejected(key: Answer, text: str) -> None:
    assert not is_accepted(key, text)

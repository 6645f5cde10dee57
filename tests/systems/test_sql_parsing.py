"""Extraction of the SQL from a response in any form."""

from __future__ import annotations

import pytest

from fathom.systems.sql_parsing import statement_in


@pytest.mark.parametrize(
    ("response", "statement"),
    [
        ("```sql\nSELECT 1;\n```", "SELECT 1;"),
        ("First:\n```sql\nSELECT 1\n```\nBetter:\n```SQL\nSELECT 2\n```\nDone.", "SELECT 2"),
        ("```sql\nSELECT 1\n```\nIt gives\n```\n1 row\n```", "SELECT 1"),
        ("```sqlite\nSELECT 1\n```", "SELECT 1"),
        ("```\nSELECT 1\n```\n```python\nprint(1)\n```", "SELECT 1"),
        ("```SELECT\n 1\n```", "SELECT\n 1"),
        ("```sql SELECT 1```", "SELECT 1"),
        ("````sql\nSELECT `a` FROM `t`\n````", "SELECT `a` FROM `t`"),
        ("```sql\r\nSELECT 1\r\n```", "SELECT 1"),
        ("```sql\nSELECT 1, 2", "SELECT 1, 2"),
        ("```sql\nDROP TABLE articles\n```", "DROP TABLE articles"),
        ("```sql\n```", None),
        ("SELECT 1", "SELECT 1"),
        ("Here it is:\nSELECT a\nFROM t;\nHope it helps.", "SELECT a\nFROM t"),
        ("SELECT a FROM t\nUNION\nSELECT b FROM u\n\nThat is all.", "SELECT a FROM t\nUNION\nSELECT b FROM u"),
        ("With this I count:\n\nselect count(*) from t", "select count(*) from t"),
        ("WITH x AS (\nSELECT 1 AS a\n)\n\nSELECT a FROM x;", "WITH x AS (\nSELECT 1 AS a\n)\n\nSELECT a FROM x"),
        ("WITH RECURSIVE n(i) AS (SELECT 1)\nSELECT i FROM n", "WITH RECURSIVE n(i) AS (SELECT 1)\nSELECT i FROM n"),
        ("SELECT 1;\nSELECT 2;\n", "SELECT 2"),
        ("SELECT 1\n```\nThat is all.", "SELECT 1"),
        ("The answer is 7.", None),
        ("I select nothing.", None),
        ("", None),
    ],
)
def test_the_statement_is_found(response: str, statement: str | None) -> None:
    assert statement_in(response) == statement


@pytest.mark.parametrize(
    "piece",
    [
        "`",
        "```",
        "```sql",
        "```sql\n",
        "SELECT\n",
        "with a(",
        "with\n",
        "with a",
        ";",
        "\n",
        " ",
        "\n \n",
        "/*",
        "--\n",
    ],
)
def test_odd_responses_are_parsed_in_linear_time(piece: str) -> None:
    """Anything slower would take hours for a million characters."""
    statement_in(piece * (1_000_000 // len(piece)))
    statement_in("SELECT\n" + piece * (1_000_000 // len(piece)))
    statement_in("```\n" + piece * (1_000_000 // len(piece)))

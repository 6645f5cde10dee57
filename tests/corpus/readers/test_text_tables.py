"""Tables in text markup."""

from __future__ import annotations

from fathom.corpus.readers.parsing.text_tables import (
    TextCell,
    csv_table_rows,
    html_table_rows,
    list_table_rows,
    mark_header_rows,
    split_pipe_row,
)


def texts(rows: list[list[TextCell]]) -> list[list[str]]:
    return [[cell.text for cell in row] for row in rows]


def test_pipes_separate_cells_unless_escaped() -> None:
    assert split_pipe_row("| a | b\\|c |") == ["a", "b\\|c"]
    assert split_pipe_row("a|b") == ["a", "b"]


def test_html_cells_have_headers_and_column_spans() -> None:
    rows = html_table_rows('<table><tr><th colspan="2">A</th></tr><TR><td>b</td><td>c\nd</td></TR><tr></tr></table>')
    assert rows == [[TextCell("A", True, 2)], [TextCell("b"), TextCell("c d")]]


def test_a_list_table_has_rows() -> None:
    both = ["* - a", "  - b", "    more", "* - -5", "  - c"]
    assert texts(list_table_rows(both)) == [["a", "b more"], ["-5", "c"]]
    assert texts(list_table_rows(["*", "  - a", "  - b"])) == [["a", "b"]]
    assert texts(list_table_rows(["- * a", "  * b"])) == [["a", "b"]]
    assert list_table_rows(["no list"]) == []


def test_csv_table_with_headers() -> None:
    rows = csv_table_rows(['1, "a, b"', "2, c"], {"header": "n, words"})
    assert texts(rows) == [["n", "words"], ["1", "a, b"], ["2", "c"]]
    assert [row[0].header for row in rows] == [True, False, False]
    assert [row[0].header for row in csv_table_rows(["a", "b"], {"header-rows": "\u00b2"})] == [False, False]
    assert [row[0].header for row in mark_header_rows([[TextCell("a")], [TextCell("b")]], "1")] == [True, False]

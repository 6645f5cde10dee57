"""Where sentences begin and end."""

from __future__ import annotations

from fathom.corpus.readers.sentences import forget, sentences

PARAGRAPH = "Cells were grown as in Fig. 2. Dr. Lind counted them. The rest was kept."


def test_what_the_splitter_remembers_changes_nothing() -> None:
    before = [span.of(PARAGRAPH) for span in sentences(PARAGRAPH)]
    forget()
    assert [span.of(PARAGRAPH) for span in sentences(PARAGRAPH)] == before
    assert before[-1] == "The rest was kept."

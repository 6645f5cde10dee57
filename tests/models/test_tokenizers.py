"""Counting tokens: exact, offline, and additive if the tokenizer splits at newlines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.models.tokenizers import DEFAULT, EMBEDDED, CachingTokenizer, tokenizer
from fathom.records.errors import FathomError
from fathom.records.layouts import CLOSING, boundary
from tests.models.counting import Counting

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=80)


@pytest.mark.parametrize("name", EMBEDDED)
def test_known_counts(name: str) -> None:
    counter = tokenizer(name)
    assert counter.name == name
    assert counter.count("") == 0
    assert counter.count("hello world") == 2
    assert counter.count("tiktoken is great!") == 6


def test_counts_a_text_of_millions_of_characters() -> None:
    assert tokenizer(DEFAULT).count("hello world\n" * 200_000) == 600_000


@pytest.mark.parametrize("name", EMBEDDED)
@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_the_tokens_of_documents_add_up_to_those_of_the_context(name: str, texts: list[str]) -> None:
    """Lengths of contexts are sums of stored counts; this is why they are exact."""
    counter = tokenizer(name)
    documents = [f"{text.strip()}\n" for text in texts if text.strip()]
    pieces = [piece for n, document in enumerate(documents, start=1) for piece in (boundary(n), document)] + [CLOSING]
    assert sum(map(counter.count, pieces)) == counter.count("".join(pieces))


def test_a_tokenizer_file_is_named_by_its_content(tokenizer_file: Path) -> None:
    counter = tokenizer(str(tokenizer_file))
    assert counter.name.startswith("words@")
    assert counter.count("one two three") == 3
    assert not counter.splits_at_newlines


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    made = Tokenizer(WordLevel({"one": 0, "two": 1, "?": 2}, unk_token="?"))
    made.pre_tokenizer = Whitespace()
    path = tmp_path / "words.json"
    made.save(str(path))
    return path


def test_an_unknown_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="no tokenizer 'gpt9'"):
        tokenizer("gpt9")
    with pytest.raises(FathomError, match="does not exist"):
        tokenizer(str(tmp_path / "missing.json"))
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    with pytest.raises(FathomError, match="not a tokenizer file"):
        tokenizer(str(broken))


def test_counting_does_not_load_the_slow_module() -> None:
    script = (
        "import sys; from fathom.models.tokenizers import tokenizer; tokenizer().count('x');"
        "assert 'bpe_openai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_caches_recent_counts() -> None:
    counter = Counting()
    caching = CachingTokenizer(counter, texts=2)
    texts = ["one", "one two", "one", "one two three", "one two"]
    assert [caching.count(text) for text in texts] == [tokenizer().count(text) for text in texts]
    assert counter.counted == ["one", "one two", "one two three", "one two"]

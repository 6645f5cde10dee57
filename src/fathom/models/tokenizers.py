"""Tokenizers that count offline. The name of the tokenizer is recorded with every length."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any, Protocol

from fathom.records.errors import FathomError, file_errors

DEFAULT = "o200k"
EMBEDDED = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
"""Tokenizers that come with Fathom, and the names of their vocabularies."""


class Tokenizer(Protocol):
    """Counts tokens."""

    name: str
    """Recorded with every length; two tokenizers with the same name give the same counts."""
    splits_at_newlines: bool
    """Whether a newline before a visible character ends a token, so that counts of lines add up (see
    `line_token_counts`)."""

    def count(self, text: str) -> int: ...

    def __hash__(self) -> int: ...


class EmbeddedTokenizer:
    """A tokenizer of OpenAI, from the package `bpe-openai`."""

    splits_at_newlines = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._encoding = _counting_module().tokenizer_for_encoding(EMBEDDED[name])

    def count(self, text: str) -> int:
        return int(self._encoding.count(text))


class CachingTokenizer:
    """A tokenizer that caches the counts of the last `texts` texts."""

    def __init__(self, counter: Tokenizer, texts: int) -> None:
        self.name = counter.name
        self.splits_at_newlines = counter.splits_at_newlines
        self.count: Callable[[str], int] = lru_cache(maxsize=texts)(counter.count)


@cache
def _counting_module() -> Any:
    """The compiled module of the package `bpe_openai`.

    Its Python module loads three vocabularies that counting does not need (half a second at every start) and rejects
    texts of a million characters.
    """
    package = find_spec("bpe_openai")
    folders = package.submodule_search_locations if package is not None else None
    for folder in folders or ():
        spec = PathFinder.find_spec("_bindings", [folder])
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise FathomError(
        "The package `bpe-openai` is missing or broken. Install Fathom again with `pip install fathom-bench`."
    )


class FileTokenizer:
    """A Hugging Face `tokenizer.json`; the name includes its hash."""

    splits_at_newlines = False

    def __init__(self, path: Path) -> None:
        with file_errors("read the tokenizer", path):
            content = path.read_bytes()
        self.name = f"{path.stem}@{hashlib.sha256(content).hexdigest()[:12]}"
        self._tokenizer = _parse_tokenizer(path, content)

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False))


def _parse_tokenizer(path: Path, content: bytes) -> Any:
    try:
        from tokenizers import Tokenizer as HuggingFaceTokenizer
    except ImportError as error:
        raise FathomError(
            f"The tokenizer file '{path}' needs the package `tokenizers`. Install it with "
            "`pip install 'fathom-bench[tokenizers]'`, or use one of: " + ", ".join(EMBEDDED) + "."
        ) from error
    try:
        return HuggingFaceTokenizer.from_buffer(content)
    except Exception as error:  # The library raises a bare Exception for a file that it cannot read.
        raise FathomError(f"'{path}' is not a tokenizer file: {error}. Give a Hugging Face tokenizer.json.") from error


@cache
def tokenizer(name: str = DEFAULT) -> Tokenizer:
    """The tokenizer of that name, or the one in the file at that path."""
    if name in EMBEDDED:
        return EmbeddedTokenizer(name)
    path = Path(name)
    if path.suffix == ".json" or path.exists():
        return FileTokenizer(path)
    known = ", ".join(EMBEDDED)
    raise FathomError(f"There is no tokenizer '{name}'. Use one of {known}, or the path of a tokenizer.json.")

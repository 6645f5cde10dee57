"""Every function of the API refuses a path that is not UTF-8 in one sentence, before it writes anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import fathom

PATH = "caf\udce9"

CALLS: dict[str, Callable[[str, Path, Path], object]] = {
    "ingest sources": lambda path, bench, out: fathom.ingest([path], out),
    "ingest out": lambda path, bench, out: fathom.ingest(bench.parent / "documents", path),
    "generate": lambda path, bench, out: fathom.generate(path, documents=1),
    "open_corpus": lambda path, bench, out: fathom.open_corpus(path),
    "build corpus": lambda path, bench, out: fathom.build("numeric", path, out),
    "build out": lambda path, bench, out: fathom.build("numeric", bench, path),
    "build contexts": lambda path, bench, out: fathom.build("numeric", bench, out, contexts=path),
    "build settings": lambda path, bench, out: fathom.build("numeric", bench, out, templates=path),
    "build_recipe": lambda path, bench, out: fathom.build_recipe(path),
    "audit": lambda path, bench, out: fathom.audit(path),
    "audit corpus": lambda path, bench, out: fathom.audit(bench, path),
    "fit": lambda path, bench, out: fathom.fit(path, out, "1K"),
    "fit out": lambda path, bench, out: fathom.fit(bench, path, "1K"),
    "fit corpus": lambda path, bench, out: fathom.fit(bench, out, "1K", corpus=path),
    "swap": lambda path, bench, out: fathom.swap(bench, path),
    "plan": lambda path, bench, out: fathom.plan(path, model="sim/reader"),
    "run": lambda path, bench, out: fathom.run(path, model="sim/reader", out=out),
    "run out": lambda path, bench, out: fathom.run(bench, model="sim/reader", out=path),
    "run prices": lambda path, bench, out: fathom.run(bench, model="sim/reader", out=out, prices=path),
    "open_run": lambda path, bench, out: fathom.open_run(path),
    "score_run": lambda path, bench, out: fathom.score_run(path),
    "score_answers": lambda path, bench, out: fathom.score_answers(bench, path),
    "analyze": lambda path, bench, out: fathom.analyze([path]),
    "compare": lambda path, bench, out: fathom.compare(path, path),
    "contamination": lambda path, bench, out: fathom.contamination([path]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("file", [PATH, f"{PATH}/x", "\ud83d"])
def test_an_undecodable_path_is_refused(name: str, file: str, tiny_bench: Path, tmp_path: Path) -> None:
    with pytest.raises(fathom.FathomError) as raised:
        CALLS[name](str(tmp_path / file), tiny_bench, tmp_path / "out")
    assert "the name is not UTF-8. Rename it, then try again." in str(raised.value)
    str(raised.value).encode()  # the sentence can be printed
    assert not list(tmp_path.iterdir())


def test_a_null_character_is_refused() -> None:
    with pytest.raises(fathom.FathomError, match="null character"):
        fathom.open_corpus("corpus\0")

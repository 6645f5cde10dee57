"""Changes of several people in one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from fathom.annotate.layers import ClaimMark
from fathom.annotate.project import FILE, Project, SavedChange, StaleRevisionError
from fathom.annotate.project_writer import ProjectWriter
from fathom.records.errors import FathomError
from fathom.records.spans import Span

TEXT = "word " * 200


def marking(document: str, person: str, id: str, revision: int = 0) -> object:
    def act(project: Project) -> SavedChange:
        return project.change(document, person, revision, {id: ClaimMark(span=Span(0, 4))}, TEXT)

    return act


def test_a_change_that_fails_undoes_only_itself(project: Path) -> None:
    with Project(project) as opened:
        document = opened.settings.documents[0]

    async def all_at_once() -> list[object]:
        acts = [marking(document, f"person {number}", "c-1") for number in range(30)]
        acts.insert(7, marking(document, "late", "c-1", revision=5))
        acts.insert(9, lambda opened: 1 / 0)
        with ProjectWriter(project) as writer:
            return await asyncio.gather(*(writer.write(act) for act in acts), return_exceptions=True)  # type: ignore[arg-type]

    result = asyncio.run(all_at_once())
    assert isinstance(result[7], StaleRevisionError)
    assert isinstance(result[9], ZeroDivisionError)
    assert sum(isinstance(one, SavedChange) for one in result) == 30
    with Project(project) as opened:
        assert opened.layer_names(document) == sorted(f"person {number}" for number in range(30))


def test_everybody_is_told_if_the_commit_fails(project: Path) -> None:
    with Project(project) as opened:
        document = opened.settings.documents[0]

    async def write_while_locked() -> list[object]:
        with ProjectWriter(project) as writer:

            def lose_the_transaction(opened: Project) -> None:
                opened._db.execute("ROLLBACK")

            acts = [marking(document, "ada", "c-1"), lose_the_transaction]
            return await asyncio.gather(*(writer.write(act) for act in acts), return_exceptions=True)  # type: ignore[arg-type]

    assert all(isinstance(one, FathomError | sqlite3.Error) for one in asyncio.run(write_while_locked()))
    with Project(project) as opened:
        assert opened.layer(document, "ada").revision == 0
    with pytest.raises(FathomError), ProjectWriter(project / "none"):
        pass
    assert (project / FILE).is_file()

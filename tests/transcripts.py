"""Transcripts in the docs: run as printed, in order, in an empty folder.

`python -m tests.transcripts` writes anew what the commands print today.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)


class Step(NamedTuple):
    """One command and what the page says it prints."""

    command: str
    printed: str


def steps(block: str) -> Iterator[Step]:
    """The commands of one transcript: each stands behind a dollar sign."""
    for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = piece.partition("\n")
        yield Step(command, printed)


def output_of(command: str, folder: Path) -> str:
    """What a command prints, errors included, when it is typed in `folder`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
    )
    return done.stdout


def written_anew(page: str, folder: Path) -> str:
    """The page with every transcript as it comes out today."""

    def replay(block: re.Match[str]) -> str:
        return "".join(f"$ {step.command}\n{output_of(step.command, folder)}" for step in steps(block[1]))

    return _BLOCK.sub(replay, page)


if __name__ == "__main__":
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(written_anew(page.read_text(), Path(folder)))

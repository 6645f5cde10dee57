"""Transcripts in the docs: the commands of a page run as printed, in order, in an empty folder.

Pages that start with the same commands share their result: the folder after these commands is kept, and copied.

`python -m tests.transcripts [PAGE ...]` updates the pages with today's output.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from tests.commands import run_command
from tests.sharing import SharedFolders

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)
_PLAIN = re.compile(r"fathom (?:[^'|<>$;&]|'[^']*')*")
"""A `fathom` command without pipes, redirections and variables of the shell."""
_PROGRESS = re.compile(r"^fathom: [^\n]*(?: after \d+ s|\d elapsed)[^\n]*\n", re.MULTILINE)
"""A line that a command prints once a minute, which only slow machines see."""
_STARTS = ("fathom generate ", "fathom contexts ", "fathom build ", "fathom audit ")
"""Commands with which several pages start."""


class Step(NamedTuple):
    """One command and the output that the page shows."""

    command: str
    printed: str


def steps(block: str) -> Iterator[Step]:
    """The commands of one transcript; each follows a dollar sign."""
    for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = piece.partition("\n")
        yield Step(command, printed)


def output_of(command: str, folder: Path) -> str:
    """The output of a command, errors included, when it is typed in `folder`."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    fathom, _, filters = command.partition(" | ")
    if _PLAIN.fullmatch(fathom):
        # In this process, which saves the start of another one.
        with chdir(folder), patch.dict(os.environ, environment):
            output = _PROGRESS.sub("", run_command(*shlex.split(fathom)[1:], merged=True).stdout)
        return filtered(output, filters, folder)
    return _in_shell(command, folder, environment)


def filtered(output: str, filters: str, folder: Path) -> str:
    """The output of a command after shell filters, such as "head -1"; all of it without filters."""
    return _in_shell(filters, folder, dict(os.environ), output) if filters else output


def _in_shell(command: str, folder: Path, environment: dict[str, str], text: str | None = None) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
        env=environment,
    )
    return _PROGRESS.sub("", done.stdout)


def updated(page: str, folder: Path, shared: SharedFolders) -> str:
    """The page with today's output in every transcript; its commands run in `folder`."""
    commands = [step.command for block in _BLOCK.findall(page) for step in steps(block)]
    start = [command.partition(" | ") for command in takewhile(lambda one: one.startswith(_STARTS), commands)]
    # Pages share the results of commands whose output they filter in different ways.
    begun = _begun([fathom for fathom, _, _ in start], folder, shared)
    outputs = [filtered(output, filters, folder) for output, (_, _, filters) in zip(begun, start, strict=True)]

    def output(step: Step) -> str:
        return outputs.pop(0) if outputs else output_of(step.command, folder)

    def replay(block: re.Match[str]) -> str:
        return "".join(f"$ {step.command}\n{output(step)}" for step in steps(block[1]))

    return _BLOCK.sub(replay, page)


def _begun(commands: list[str], folder: Path, shared: SharedFolders) -> list[str]:
    """The outputs of the first commands of a page, with what they write in `folder`."""
    if not commands:
        return []

    def make(kept: Path) -> None:
        (kept / "folder").mkdir()
        outputs = _begun(commands[:-1], kept / "folder", shared)
        outputs.append(output_of(commands[-1], kept / "folder"))
        (kept / "outputs.json").write_text(json.dumps(outputs))

    kept = shared(f"page-{hashlib.sha256(json.dumps(commands).encode()).hexdigest()[:16]}", make)
    shutil.copytree(kept / "folder", folder, dirs_exist_ok=True)
    outputs: list[str] = json.loads((kept / "outputs.json").read_text())
    return outputs


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as base:
        for number, page in enumerate([Path(name) for name in sys.argv[1:]] or PAGES):
            (Path(base) / str(number)).mkdir()
            page.write_text(updated(page.read_text(), Path(base) / str(number), SharedFolders(Path(base) / "shared")))

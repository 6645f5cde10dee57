"""Runs the notebook of the docs without Jupyter: every code cell in order, in one process.

`python -m tests.notebook` rewrites the stored outputs.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "docs" / "tour.ipynb"


def run_cell(source: str, namespace: dict[str, Any]) -> str:
    """What the cell prints, followed by the value of its last expression, as Jupyter shows it."""
    tree = ast.parse(source)
    final = tree.body[-1] if tree.body else None
    last = final if isinstance(final, ast.Expr) else None
    if last is not None:
        tree.body.pop()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), namespace)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace) if last is not None else None
    return printed.getvalue() + ("" if value is None else f"{value!r}\n")


def run_notebook(folder: Path) -> dict[str, Any]:
    """The notebook with the outputs of a run in `folder`."""
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text("utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    os.chdir(folder)
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                text = run_cell("".join(cell["source"]), namespace)
                cell["outputs"] = _stream(text)
    finally:
        os.chdir(before)
    return notebook


def _stream(text: str) -> list[dict[str, Any]]:
    lines = text.splitlines(keepends=True)
    return [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        found = run_notebook(Path(temporary))
    NOTEBOOK.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")

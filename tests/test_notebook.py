"""The notebook in docs/ runs from top to bottom and gives the outputs it shows."""

from __future__ import annotations

import json
from pathlib import Path

from tests.notebook import NOTEBOOK, run_notebook


def test_notebook_gives_the_outputs_it_shows(tmp_path: Path) -> None:
    stored = json.loads(NOTEBOOK.read_text("utf-8"))
    assert sum(cell["cell_type"] == "code" for cell in stored["cells"]) >= 5
    assert run_notebook(tmp_path) == stored, "rewrite it with `python -m tests.notebook`"

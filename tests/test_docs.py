"""The docs and the program agree."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from fathom.cli.main import COMMANDS
from fathom.systems.catalog import SYSTEMS
from fathom.tasks.catalog import family_names
from fathom.tasks.programs import schema, tree
from tests.conftest import Fathom
from tests.sharing import SharedFolders
from tests.transcripts import PAGES, ROOT, updated

ALL_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```console" in page.read_text()], ids=lambda page: page.name
)
def test_transcripts_run_as_printed(page: Path, tmp_path: Path, build_once: SharedFolders) -> None:
    text = page.read_text()
    assert updated(text, tmp_path, build_once) == text, (
        f"update it with `python -m tests.transcripts {page.relative_to(ROOT)}`"
    )


def test_the_readme_has_a_transcript_and_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert readme.count("```console\n$ fathom ") >= 2
    assert "make demo" in readme
    assert "make test" in readme


def test_every_command_and_option_is_in_the_docs_and_no_other(fathom: Fathom) -> None:
    text = "\n".join(page.read_text() for page in ALL_PAGES)
    page = (ROOT / "docs" / "commands.md").read_text()
    options: dict[str, set[str]] = {}
    subcommands = (
        *(f"build {family}" for family in family_names()),
        "pack check",
        "pack draft",
        "pack extract",
        "annotations import",
        "annotations export",
        "import inspect",
        *(f"author {name}" for name in ("serve", "baselines", "counts", "export", "import")),
    )
    for name in (*COMMANDS, *subcommands):
        # Only lines that define an option: the text of one may mention another.
        help_text = fathom(*name.split(), "--help").stdout
        options[name] = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", help_text, re.MULTILINE)) - {"--help"}
        options[name] |= set(re.findall(r"^  --[a-z-]+ / (--[a-z-]+)", help_text, re.MULTILINE))
        (section,) = re.findall(rf"^###? fathom {name}\n(.*?)(?=^###? |\Z)", page, re.MULTILINE | re.DOTALL)
        rows = re.findall(r"^\| (`--[^|]*?) \|", section, re.MULTILINE)
        assert set(re.findall(r"--[a-z-]+", " ".join(rows))) == options[name], name
    for name in COMMANDS:
        own = set().union(*(found for command, found in options.items() if command.split()[0] == name))
        for given in re.findall(rf"fathom {name}([^`\n|]*)", text):
            assert set(re.findall(r"--[a-z-]+", given)) <= own | {"--help"}, (name, given)
    named = set(re.findall(r"(?:`|\$ )fathom ([a-z][a-z-]*)", text))
    assert named <= set(COMMANDS)


def test_every_system_is_in_the_docs() -> None:
    listed = [
        line for line in (ROOT / "docs/commands.md").read_text().splitlines() if line.startswith("| `--system` |")
    ]
    running = (ROOT / "docs/running.md").read_text()
    assert len(listed) == 2
    for name in SYSTEMS:
        assert all(f"`{name}`" in line for line in listed), name
        assert f"\n| `{name}` |" in running, name


def test_links_in_the_docs_exist() -> None:
    for page in ALL_PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), (page.name, target)


def test_names_of_python_in_the_docs_exist() -> None:
    for page in PAGES:
        for name in set(re.findall(r"`(fathom(?:\.\w+)+)", page.read_text())):
            assert resolve_name(name) is not None, (page.name, name)


def test_the_programs_in_the_docs_can_be_built() -> None:
    names: dict[str, object] = {**vars(schema), **vars(tree)}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/programs.md").read_text(), re.DOTALL)
    for block in blocks:
        exec(block, names)
    assert isinstance(names["SCHEMA"], schema.Schema) and isinstance(names["top"], tree.Program)

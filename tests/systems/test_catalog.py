"""Systems by name, and their settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.records.errors import FathomError
from fathom.systems.catalog import load_system
from fathom.systems.extract_sql import ExtractSql
from fathom.systems.sql import Sql

OWN = Path(__file__).parents[1] / "runs" / "own_systems.py"


def test_settings_have_the_types_of_their_fields() -> None:
    assert load_system("sql", "cot", {"repairs": "2"}).system == Sql("cot", 2)
    assert load_system("extract-sql", settings={"chunk": "2000"}).system == ExtractSql(chunk=2_000)
    loaded = load_system("extract-sql", settings={"chunk": "2000", "repairs": "1"})
    assert loaded.settings == {"prompting": "direct", "chunk": 2_000, "repairs": 1}
    assert loaded.changed_settings == {"chunk": 2_000}
    assert loaded.source == ""
    assert load_system("sql", settings={"repairs": 2}).system == Sql(repairs=2)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("sql", {"repair": "2"}, "has no setting 'repair'. It has: repairs."),
        ("closed-book", {"k": "2"}, "has no setting 'k'. It has: none."),
        ("full", {"order": "random"}, "The setting 'order' of the system 'full' cannot be 'random'"),
        ("extract-sql", {"chunk": "0K"}, "The setting 'chunk' of the system 'extract-sql' cannot be '0K'"),
        ("map-reduce", {"notes": "16K"}, "notes of 16384 tokens need a chunk of at least"),
        ("sql", {"repairs": "-1"}, "The setting 'repairs' of the system 'sql' cannot be '-1'"),
        ("sql", {"repairs": "many"}, "cannot be 'many'"),
        ("sql", {"prompting": "cot"}, "Use --prompting"),
        ("magic", {}, "There is no system 'magic'. Choose one of full"),
        ("nowhere.py:Mine", {}, "There is no file 'nowhere.py'"),
        ("nowhere.at.all:Mine", {}, "'nowhere.at.all' cannot be imported"),
        (f"{OWN}:Missing", {}, "has no class 'Missing'"),
        (f"{OWN}:SEARCH", {}, "has no class 'SEARCH'"),
        (f"{OWN}:Path", {}, "is not a system: it has no 'answer'"),
        (f"{OWN}:Agent", {"turns": "0"}, "The setting 'turns'"),
    ],
)
def test_misuse_is_an_error_that_names_the_next_step(name: str, settings: dict[str, str], message: str) -> None:
    with pytest.raises(FathomError) as error:
        load_system(name, settings=settings)
    assert message in str(error.value)


def test_a_system_of_a_package_and_of_a_file_are_the_same() -> None:
    by_file, by_module = load_system(f"{OWN}:Agent"), load_system("tests.runs.own_systems:Agent")
    assert by_file.source == by_module.source != ""
    assert by_file.settings == by_module.settings


def test_settings_are_compared_when_all_of_them_are_known() -> None:
    assert load_system("rag", settings={"overlap": "600", "chunk": "1K"}).settings["overlap"] == 600
    assert load_system("map-reduce", settings={"chunk": "300", "notes": "40"}).settings["chunk"] == 300


def test_sizes_can_be_given_as_lengths() -> None:
    for name, setting in (("extract-sql", "chunk"), ("rag", "chunk"), ("memory", "memory"), ("map-reduce", "chunk")):
        assert load_system(name, settings={setting: "16K"}).settings[setting] == 16_384
    assert load_system("memory", settings={"chunk": "1M"}).settings["chunk"] == 2**20
    assert load_system(f"{OWN}:Agent", settings={"result": "1k"}).settings["result"] == 1_024


def test_prompting_needs_a_field() -> None:
    with pytest.raises(FathomError, match="does not support --prompting"):
        load_system(f"{OWN}:Agent", "cot")


def test_a_broken_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import nothing_of_that_name")
    with pytest.raises(FathomError, match="cannot be imported"):
        load_system(f"{tmp_path}/broken.py:Mine")

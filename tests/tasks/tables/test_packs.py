"""Domain packs: the shipped ones are valid, and mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.records.errors import FathomError
from fathom.tasks.tables.pack import pack_names, parse_pack, read_pack

START = """
name = "shops"
summary = "Shops"
en = { noun = "shop", plural = "shops" }
[fields.sales]
attributes = ["sales"]
kind = "money"
en = ["sales"]
[fields.staff]
attributes = ["staff"]
kind = "count"
en = ["number of employees"]
"""


@pytest.mark.parametrize("name", pack_names())
def test_shipped_packs_name_everything_in_their_languages(name: str) -> None:
    pack = read_pack(name)
    assert pack.languages
    for language in pack.languages:
        for named in (*pack.fields.values(), *pack.metrics.values(), *pack.composites.values()):
            assert named.of(language), (name, language, named)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('[metrics.m]\nformula = "sales / profit"\nen = ["m"]', "uses the field 'profit'"),
        ('[metrics.m]\nformula = "sales + staff"\nen = ["m"]', "different kinds: count, money"),
        ('[metrics.m]\nformula = "sales"\nen = ["m"]', "must join fields by one sign"),
        ('[metrics.m]\nformula = "sales / staff / sales"\nen = ["m"]', "divides more than once"),
        ('[composites.c]\nterms = { sales = 1, depth = 2 }\nen = ["c"]', "'depth', which is neither"),
        ('[fields.Big]\nattributes = ["x"]\nkind = "count"', "'Big' is no name"),
        ('[fields.x]\nattributes = ["x"]\nkind = "weight"', "field 'fields.x.kind'"),
        ("[fields.x", "not valid TOML"),
    ],
)
def test_mistakes_are_explained_in_one_sentence(more: str, problem: str) -> None:
    with pytest.raises(FathomError) as error:
        parse_pack(START + more, "own.toml")
    assert "own.toml" in str(error.value) and problem in str(error.value)
    assert "\n" not in str(error.value) or "TOML" in str(error.value)


def test_a_pack_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    for name in ("shop", str(tmp_path / "none.toml")):
        with pytest.raises(FathomError):
            read_pack(name)

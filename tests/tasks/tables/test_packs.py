"""Domain packs: the shipped ones are valid, and mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.api.packs import check_pack, write_draft
from fathom.records.errors import FathomError
from fathom.tasks.tables.pack import Language, Period, pack_names, parse_pack, read_pack
from fathom.tasks.tables.pack_draft import entity_noun
from fathom.tasks.tables.wording_en import English

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


@pytest.mark.parametrize("noun", ["sales", "shop", "number of employees"])
def test_nouns_are_on_one_line(noun: str) -> None:
    for control in (r"\n", r"\u0007"):
        with pytest.raises(FathomError, match="control character"):
            parse_pack(START.replace(f'"{noun}"', f'"{noun}{control}s"'), "shops.toml")


@pytest.mark.parametrize("name", pack_names())
def test_shipped_packs_name_everything_in_their_languages(name: str) -> None:
    pack = read_pack(name)
    assert pack.languages
    for language in pack.languages:
        for named in (*pack.fields.values(), *pack.metrics.values(), *pack.composites.values()):
            assert named.in_language(language), (name, language, named)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('[metrics.m]\nformula = "sales / profit"\nen = ["m"]', "uses the field 'profit'"),
        ('[metrics.m]\nformula = "sales + staff"\nen = ["m"]', "different kinds: count, money"),
        ('[metrics.m]\nformula = "sales"\nen = ["m"]', "must join fields by one sign"),
        ('[metrics.m]\nformula = "sales / staff / sales"\nen = ["m"]', "must join fields by one sign"),
        ('[metrics.m]\nformula = "sales - (staff - sales)"\nen = ["m"]', "must join fields by one sign"),
        ('[metrics.m]\nformula = "(sales - sales) / staff"\nen = ["m"]', "a field twice"),
        ('[metrics.m]\nformula = "(sales + staff) / sales"\nen = ["m"]', "of different kinds"),
        ('[composites.c]\nterms = { sales = 1, depth = 2 }\nen = ["c"]', "'depth', which is neither"),
        ('[fields.order]\nattributes = ["x"]\nkind = "count"\nen = ["x"]', "'order' has a meaning in queries"),
        ('[fields.year]\nattributes = ["x"]\nkind = "count"\nen = ["x"]', "Use another name, such as 'year_value'"),
        ('[fields.Big]\nattributes = ["x"]\nkind = "count"', "'Big' is not a name"),
        ('[fields.x]\nattributes = ["x"]\nkind = "weight"', "'fields.x.kind' is 'weight'. Write 'money'"),
        (
            '[fields.x]\nattributes = "x"\nkind = "count"',
            "'fields.x.attributes' is 'x', which is not understood. Write",
        ),
        ('[fields.x]\nattributes = []\nkind = "count"', "needs at least one entry"),
        ('[fields.x]\nattributes = ["x"]\nen = ["x"]', "'fields.x.kind' is missing. Write kind ="),
        ('[fields.x]\nattributes = ["x"]\nknd = "count"\nkind = "count"', "'fields.x.knd' is unknown"),
        ('[fields.x]\nattributes = ["x"]\nkind = "count"', "'x' has no noun in 'en'"),
        ('[fields.x]\nattributes = ["sales"]\nkind = "count"\nen = ["x"]', "'sales' states both 'sales' and 'x'"),
        ('[fields.x]\nattributes = ["x"]\nlabels = ["Sales:"]\nkind = "count"\nen = ["x"]', "states both"),
        ('[metrics.sales]\nformula = "sales / staff"\nen = ["m"]', "'sales' names two things"),
        ('[metrics.m]\nformula = "sale / staff"\nen = ["m"]', "Did you mean 'sales'?"),
        ('[metrics.m]\nformula = "sales / staff"\npercent = true\nen = ["m"]', "is not a percentage"),
        ('[metrics.m]\nformula = "sales / staff"', "'m' has no noun"),
        ('[metrics.m]\nformula = "sales / sales"\nen = ["m"]', "divides a figure by itself"),
        (f'[metrics.m]\nformula = "sales / staff"\nen = ["{"m" * 300}"]', "more than 200 characters"),
        ('[composites.c]\nterms = { sales = 1 }\nen = ["c"]', "needs at least 2 entries"),
        ('[composites.c]\nterms = { sales = 1, staff = 2 }\nen = ["c"]', "adds amounts of money and counts"),
        ('[composites.c]\nterms = { sales = 1e308, staff = 2 }\nen = ["c"]', "the weight 1e+308"),
        ('[composites.c]\nterms = { sales = 0, staff = 2 }\nen = ["c"]', "the weight 0"),
        ('[composites.c]\nterms = { sales = "a", staff = 2 }\nen = ["c"]', "'composites.c.terms.sales' is 'a'"),
        ("[fields.x", "not valid TOML"),
    ],
)
def test_mistakes_are_explained_in_one_sentence(more: str, problem: str) -> None:
    with pytest.raises(FathomError) as error:
        parse_pack(START + more, "own.toml")
    assert "own.toml" in str(error.value) and problem in str(error.value)
    assert "\n" not in str(error.value) or "TOML" in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "shops"', 'name = "My Shops"', "lower-case letters, digits and hyphens"),
        ('summary = "Shops"', "", "'summary' is missing"),
        ('en = { noun = "shop", plural = "shops" }', "", "no noun for its entities"),
        (', plural = "shops"', "", "'en.plural' is missing"),
        ("[fields.sales]", 'comparable = [["sales", "staff"]]\n[fields.sales]', "cannot be compared"),
        ("[fields.sales]", 'comparable = [["sales", "sales"]]\n[fields.sales]', "with itself"),
        ("[fields.sales]", 'comparable = [["sales", "staff", "sales"]]\n[fields.sales]', "must name two fields"),
        ("[fields.sales]", 'period = "year"\n[fields.sales]', "'period' is 'year', which is not understood"),
        ("[fields.sales]", 'colour = "red"\n[fields.sales]', "'colour' is unknown"),
        ("[fields.sales]", 'period = { zh = ["年度"] }\n[fields.sales]', "the period has no noun in 'en'"),
    ],
)
def test_mistakes_outside_of_fields_are_explained(old: str, new: str, problem: str) -> None:
    with pytest.raises(FathomError) as error:
        parse_pack(START.replace(old, new, 1), "own.toml")
    message = str(error.value)
    assert problem in message and "\n" not in message and message.endswith((".", "?")) and not message.endswith("..")


def test_a_pack_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    for name in ("shop", str(tmp_path / "none.toml")):
        with pytest.raises(FathomError):
            read_pack(name)


def test_a_pack_is_drafted_from_tables(tmp_path: Path) -> None:
    for number, name in enumerate(["Alder", "Birch", "Cedar", "Elm"], start=1):
        rows = "\n".join(
            (
                f"| Visitors of the year | {number},900 | {number},500 |",
                f"| Share of children | {number}% | 3% |",
                f"| Guided tours | {number + 10}% | 9% |",
                f"| Entry fees (EUR) | {number}0.50 | 8 |",
                f"| Electricity used (MWh) | {number}50.5 | 9.5 |",
                f"| Ticket price (EUR) | {number}.50 | 8.10 |",
                f"| Rooms | {number} | 4 |",
                f"| First opened | 198{number} | 1970 |",
                "| Category of museums | 10 | 10 |",
                "| Opened in | spring | spring |",
            )
        )
        second = (
            f"| | 2020 |\n| --- | --- |\n| Visitors of the hall | {number} |\n| Visitors of the hall | {number + 1} |"
        )
        head = "| | 2020 | 2019 |\n| --- | --- | --- |"
        text = f"# {name} Museum 2020\n\nText of the page.\n\n{head}\n{rows}\n\n{second}\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    corpus = fathom.ingest([tmp_path], out=tmp_path / "corpus", processes=1)
    corpus.close()
    text = write_draft(corpus, tmp_path / "museums.toml").read_text("utf-8")
    pack = read_pack(str(tmp_path / "museums.toml"))
    kinds = {name: field.kind for name, field in pack.fields.items()}
    # "Rooms" may be of anything, numbers like 1981 may be years, a number that all documents repeat is a code, and the
    # visitors of the hall have two values.
    shares = {"share_of_children": "percent", "guided_tours": "percent"}
    money, energy = {"entry_fees": "money", "ticket_price": "money"}, {"electricity_used": "number"}
    assert kinds == {"visitors_of_the_year": "count", **money, **energy, **shares}, text
    # The sum of prices has no meaning; that of energy has.
    added = {name for name, field in pack.fields.items() if field.additive}
    assert added == {"visitors_of_the_year", "entry_fees", "electricity_used"}
    # A label that does not say that it is a share is quoted.
    assert pack.fields["visitors_of_the_year"].en == ("number of visitors of the year",)
    nouns = {name: pack.fields[name].en[0] for name in shares}
    assert nouns == {"share_of_children": "share of children", "guided_tours": 'percentage for "guided tours"'}
    coverage = check_pack(str(tmp_path / "museums.toml"), corpus)
    # The reports are of one year, but also give figures of the year before.
    assert all(field.known == 4 for field in coverage.fields) and pack.has_periods
    assert (pack.entity("en").noun, pack.entity("en").plural) == ("museum", "museums")


def test_a_draft_writes_years_as_the_titles_do(tmp_path: Path) -> None:
    for number, name in enumerate(["Alder", "Birch", "Cedar", "Elm"], start=1):
        rows = [
            f"| Goals scored | {number}9 | {number}5 |",
            f"| Season ticket holders | {number},900 | {number},500 |",
            f"| Profit / (loss) (EUR thousand) | {number}90 | ({number}00) |",
        ]
        # Only the first row is an amount of money beyond doubt.
        amounts = [f"| Broadcasting revenue | {number}.5 | 3 |", f"| Sponsors | {number}1 | 9 |"]
        amounts.append(f"| Revenue per m² | {number}20 | 90 |")
        head = "| {} | Season 2023/24 | Season 2022/23 |\n| --- | --- | --- |"
        text = "\n".join([f"# {name} United: season 2023/24\n\nText of the page.\n", head.format(""), *rows])
        text = "\n".join([text, "\nMore text.\n", head.format("€ million"), *amounts])
        (tmp_path / f"{name}.md").write_text(f"{text}\n", "utf-8")
    corpus = fathom.ingest([tmp_path], out=tmp_path / "corpus", processes=1)
    corpus.close()
    pack = read_pack(str(write_draft(corpus, tmp_path / "clubs.toml")))
    assert [field.en[0] for field in pack.fields.values()] == [
        "broadcasting revenue",
        "number of goals scored",
        "profit (loss)",
        "number of season ticket holders",
    ]
    assert pack.period == Period(en=("year",), two_years=True)
    assert "whose own report for 2023/24 is among the documents." in English(pack, 2023, "").scope(())
    assert pack.period.named(2023, "zh") == "2023—2024"


@pytest.mark.parametrize(
    ("names", "language", "noun", "plural"),
    [
        (["青石市图书馆", "云溪县图书馆", "南浦图书馆", "平川市图书馆"], "zh", "图书馆", "图书馆"),
        (["青石市", "云溪市", "南浦市", "平川市"], "zh", "主体", "主体"),
        (["Ostdale County Library", "Alder Library", "Elm Library", "Fir Library"], "en", "library", "libraries"),
        (["Alder Baking Limited", "Elm Limited", "Fir Limited", "Oak Limited"], "en", "entity", "entities"),
        (["衡和储能有限公司", "云溪机械有限公司", "南浦食品有限公司", "青石有限公司"], "zh", "公司", "公司"),
        (["University of Ostdale", "University of Elm", "Fir College", "Oak College"], "en", "entity", "entities"),
    ],
)
def test_a_draft_calls_entities_by_the_word_that_ends_their_names(
    names: list[str], language: Language, noun: str, plural: str
) -> None:
    assert entity_noun(names, language) == {"noun": noun, "plural": plural}


def test_fields_may_have_chinese_names(tmp_path: Path) -> None:
    """Drafts name a field by its label where a word of it is not known."""
    fields = "".join(
        f'[fields."{name}"]\nattributes = ["{name}"]\nkind = "money"\nzh = ["{name}"]\n'
        for name in ("财政收入", "税收_地方")
    )
    metric = '[metrics."税收占比"]\nformula = "税收_地方 / 财政收入"\npercent = true\nzh = ["税收占比"]\n'
    text = f'name = "cities"\nsummary = "Cities"\nzh = {{ noun = "城市", plural = "城市" }}\n{fields}{metric}'
    (tmp_path / "cities.toml").write_text(text, encoding="utf-8")
    assert read_pack(str(tmp_path / "cities.toml")).metrics["税收占比"].fields == ("税收_地方", "财政收入")

"""Locating quotes: what may differ, what may be left out, and which place is taken."""

from __future__ import annotations

import random
import time

import pytest

from fathom.records.spans import Span
from fathom.scoring import quotes
from fathom.scoring.quote_comparison import LEFT_OUT_SHARE
from fathom.scoring.quotes import QuoteLocator


@pytest.fixture(autouse=True, params=["one passage", "windows"])
def both_kinds_of_texts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text is compared as a whole, and once more in parts, as long texts are."""
    if request.param == "windows":
        monkeypatch.setattr(quotes, "SHORT_TEXT", 0)


TEXT = """# Tides and their ﬁelds

We show that the ﬁrst meth-
od, as reported (Lind et al., 2019; Wu, 2020), improves the well-known “baseline” by 1.5 mg [12, 13]. The second
result.12 The analysis of α-synuclein — in *mice* — was performed twice [3]. It holds. The dose was 1.5 mg
in all groups.

| group | mean dose | deaths |
|---|---|---|
| placebo | 12.5 | 1,300 |

The rate $\\mathrm{IC}_{50}$ fell <sup>4</sup>to 3 % (see Table 2), and naïve cells died. It holds.
See [our page](https://x.org/a_b) now. It is at <https://x.org/it> for $x^{\\top}$ only.
本法适用于中华人民共和国境内的网络运营者，国家网信部门负责统筹协调网络安全工作和相关监督管理工作。
"""


def _between(first: str, last: str) -> str:
    return TEXT[TEXT.index(first) : TEXT.index(last) + len(last)]


LOCATED = [
    # (quote, what it locates)
    ("It holds.", "It holds."),
    ("improves the well-known “baseline” by 1.5 mg", "improves the well-known “baseline” by 1.5 mg"),
    ("improves   the\nwell-known 'BASELINE'  by 1.5 mg", "improves the well-known “baseline” by 1.5 mg"),
    ("the first method, as reported", "the ﬁrst meth-\nod, as reported"),
    ("The ana-\nlysis of α-synuclein", "The analysis of α-synuclein"),
    ("of alpha-synuclein, in mice, was", "of α-synuclein — in *mice* — was"),
    (r"of $\alpha$-synuclein --- in \textbf{mice} --- was", "of α-synuclein — in *mice* — was"),
    ("The rate IC50 fell to 3% and naive cells",
     "The rate $\\mathrm{IC}_{50}$ fell <sup>4</sup>to 3 % (see Table 2), and naïve cells"),
    ("placebo 12.5 1300", "placebo | 12.5 | 1,300"),
    ("| placebo | 12.5 |", "| placebo | 12.5 |"),
    ("The second result. The analysis", "The second\nresult.12 The analysis"),
    ("reported, improves the well known baseline",
     "reported (Lind et al., 2019; Wu, 2020), improves the well-known “baseline"),
    ("See our page now.", "See [our page](https://x.org/a_b) now."),
    ("See **our** page\\n\\nnow.", "See [our page](https://x.org/a_b) now."),
    ("IT IS AT <HTTPS://x.org/it> for", "It is at <https://x.org/it> for"),
    (r"for $X^{\TOP}$ only", r"for $x^{\top}$ only"),
    ("We show that … by 1.5 mg", _between("We show", "1.5 mg")),
    ("We show that [...] the well-known baseline ... The second result", _between("We show", "\nresult")),
    ("the analysis of α-synuclein in mice was twice",
     "The analysis of α-synuclein — in *mice* — was performed twice"),
    ("网络运营者，国家网信部门", "网络运营者，国家网信部门"),
    ("国家网信部门统筹协调网络安全工作和监督管理工作", "国家网信部门负责统筹协调网络安全工作和相关监督管理工作"),
    ("The analyses of α-synuclein in mice was performed twice [3]. It holds. The dose was",
     _between("The analysis", "The dose was")),
]  # fmt: skip


@pytest.mark.parametrize(("quote", "place"), LOCATED)
def test_a_quote_is_located_whatever_its_form(quote: str, place: str) -> None:
    found = QuoteLocator(TEXT).locate(quote)
    assert found is not None
    assert found.of(TEXT).strip(" \n|.”") == place.strip(" \n|.”")


@pytest.mark.parametrize(
    "quote",
    [
        "", "  \n", "!!! --- ...", "…", "e", "ool", "It hold", "was per", "1.5 mgs",
        # A number without its point is another number, and a word in place of another is another sentence.
        "by 15 mg", "The dose was 2.5 mg in all groups.", "The dose was 1.5 mg in most groups.",
        # Too much is left out, or the order differs.
        "We improves all", "The analysis mice twice holds", "was performed in mice twice the analysis of α-synuclein",
        # Another citation in the same place.
        "the first method, as reported (Ho, 2011), improves the well-known baseline",
        # Parts in another order, or one that the text does not have.
        "It holds for all … We show that the first method", "We show that … nothing of this is true",
        "网络运营者，地方网信部门负责统筹协调",
    ],
)  # fmt: skip
def test_a_quote_that_the_text_does_not_have_has_no_place(quote: str) -> None:
    assert QuoteLocator(TEXT).locate(quote) is None


MEASURED = (
    "The difference was significant (p < 0.05) in group 12; 5 patients died. The change was -0.5 units, and 1,200 "
    "people took 1.5 mg of it daily, 5 -10 days long; r = −0.31, n&gt;3. We saw p ≥ 0.10 in the control arm in week 4."
)


@pytest.mark.parametrize(
    "quote",
    [
        "The difference was significant (P<0.05)",
        "The difference was significant (p &lt; 0.05)",
        r"The difference was significant ($p \lt 0.05$) in group 12",
        "The difference was significant (p 0.05)",
        "the change was –0.5 units",
        "the change was **-0.5** units",
        "the change was `—0.5` units",
        "the change was --0.5 units",
        "and 1200 people took 1.5 mg",
        "and 1 200 people took 1.5 mg",
        "daily, 5–10 days long",
        "r = - 0.31, n > 3",
        "we saw p >= 0.10 in the arm in week 4",
        r"we saw $p \geq 0.10$ in the control arm",
        "people took 1.5 mg of it daily, 5 10 days long",
        "> The difference was\n> significant (p < 0.05)",
    ],
)
def test_signs_and_numbers_may_be_written_in_other_ways(quote: str) -> None:
    assert QuoteLocator(MEASURED).locate(quote) is not None


@pytest.mark.parametrize(
    "quote",
    [
        "The difference was significant (p > 0.05)",
        "The difference was significant (p = 0.05) in group 12",
        "The difference was significant (p ≤ 0.05)",
        "in group 1; 25 patients died",
        "in group 125 patients died",
        "the change was 0.5 units",
        "5 mg of it daily",
        "people took 1",
        "r = 0.31, n > 3",
        "we saw p < 0.10 in the control arm in week 4",
        "we saw p < 0.10 in the arm in week 4",
    ],
)
def test_another_number_or_sign_is_another_statement(quote: str) -> None:
    assert QuoteLocator(MEASURED).locate(quote) is None


def test_a_number_before_another_number_is_not_left_out() -> None:
    text = "Seats in parliament: 32 (21 directly elected). Imports in 2023: 2.7 billion. Call [1] (473) 5."
    locator = QuoteLocator(text)
    assert locator.locate("Seats in parliament: 21 (directly elected)") is None
    # A year or a word may be left out, and a number in brackets is not the address of a link.
    for quote in ("Imports in: 2.7 billion.", "Seats in: 32 (21 directly elected)", "Call [1](473) 5"):
        assert locator.locate(quote) is not None


def test_of_several_places_the_first_is_taken_or_the_one_nearest_to_a_hint() -> None:
    first, second = TEXT.index("It holds."), TEXT.rindex("It holds.")
    locator = QuoteLocator(TEXT)
    for quote in ("It holds.", "it  HOLDS."):
        assert locator.locate(quote) == Span(first, first + 9)
        assert locator.locate(quote, near=second) == Span(second, second + 9)
        assert locator.locate(quote, near=first + 20) == Span(first, first + 9)


def test_a_complete_quote_leaves_out_nothing_but_citations() -> None:
    locator = QuoteLocator(TEXT)
    for quote in ("the analysis of α-synuclein in mice was twice", "We show that … by 1.5 mg"):
        assert locator.locate(quote) is not None
        assert locator.locate(quote, complete=True) is None
    assert locator.locate("as reported, improves the WELL KNOWN baseline", complete=True) is not None


def test_the_place_closest_in_wording_comes_first() -> None:
    text = "The new cat sat on the big mat today. The cat sat on the mat today.\n"
    found = QuoteLocator(text).locate("the cat sat on the mat today")
    assert found == Span(38, 66)


def test_as_many_words_may_be_left_out_as_documented() -> None:
    words = [f"word{chr(97 + number)}" for number in range(20)]
    text = " ".join(words) + "\n"
    kept = 16
    most = 1 + int(LEFT_OUT_SHARE * kept)
    assert most == 5
    longer = " ".join([*words[:8], *(f"extra{chr(97 + at)}" for at in range(most - 4)), *words[8:]]) + "\n"
    quote = " ".join([*words[:6], *words[10:]])
    assert QuoteLocator(text).locate(quote) == Span(0, len(text) - 1)
    assert QuoteLocator(longer).locate(quote) == Span(0, len(longer) - 1)
    assert QuoteLocator(longer.replace("wordh", "wordh again")).locate(quote) is None


@pytest.mark.parametrize(
    "quote",
    ["a " * 500_000, "." * 1_000_000, "x" * 1_000_000, "the cat " * 1_400 + "dog", "a … " * 300_000,
     "[1, " * 250_000, "(" * 900_000,
     "(1 " * 250_000, "\\n" * 500_000, "<a " * 300_000, "。" * 400_000, "中" * 1_000_000],
)  # fmt: skip
def test_a_hostile_quote_takes_bounded_time(quote: str) -> None:
    for text in (TEXT, "the cat " * 5_000 + "end\n", "a " * 20_000 + "\n"):
        start = time.process_time()
        QuoteLocator(text).locate(quote)
        assert time.process_time() - start < 3


def test_distorted_sentences_of_a_long_text_are_located() -> None:
    rng = random.Random(5)
    vocabulary = ["".join(rng.choices("abcdefghijklmno", k=rng.randint(2, 9))) for _ in range(800)]
    sentences = [" ".join(rng.choices(vocabulary, k=rng.randint(6, 30))).capitalize() + "." for _ in range(400)]
    text = "\n".join(sentences) + "\n"
    locator = QuoteLocator(text)
    for number, sentence in enumerate(sentences):
        words = sentence.split()
        dropped = words.pop(rng.randrange(1, len(words) - 1))
        found = locator.locate(" ".join(words).upper())
        assert found is not None, (number, dropped)
        assert found.of(text).rstrip(".") == sentence.rstrip(".")

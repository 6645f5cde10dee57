"""Which items of a reference list are references."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.markdown.reader import read_text
from fathom.corpus.readers.parsed_document import ParsedReference
from fathom.corpus.readers.parsing.entry_recognition import check_list, is_notice, looks_like_entry
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry, ReferenceIndex, parsed_entry

ENTRIES = [
    "Brandt, S. and Okafor, N. Tidal clocks. Estuary Letters 4, 11-19 (2003).",
    "B. Knox. The art of dredging, 2nd edition. Harbor Press, 1988.",
    "van der Meer J, Sato K. Silt at night. J Mar Mud. 2011;12(3):4-9.",
    "World Dredging Council. 2016. Guidelines for shallow ports. https://example.org/ports",
    "OpenSilt: a model of mud. https://example.org/opensilt",
    "d'Arc, L. (in press). On locks. Canal Review.",
    "张三, 李四. 盐度变化[J]. 海洋学报, 2020, 12(3): 4-5.",
    "Ada K. Lind and Bo Wu. Deep mud. In Proceedings of the Mud Workshop, 2019.",
    '"How tides turn," The Daily Gauge, 4 March 1999.',
    "Faber N, personal communication, 2012.",
]
OTHERS = [
    "© 2019 The authors.",
    "Copyright held by the owner.",
    "Received 4 May 2019, accepted 2 June 2019.",
    "Manuscript received March 3, 2019.",
    "We thank two readers for their remarks.",
    "All times are local.",
    "The pump failed twice in 2014.",
    "Keep the gate shut.",
    "https://example.org/one",
    "This work is licensed under a Creative Commons license.",
    "Supplementary material is available online.",
    "Permission to make copies of this work is granted.",
]


@pytest.mark.parametrize("text", ENTRIES)
def test_references_look_like_references(text: str) -> None:
    assert looks_like_entry(parsed_entry(ReferenceEntry(text)))


@pytest.mark.parametrize("text", OTHERS)
def test_notices_and_remarks_do_not(text: str) -> None:
    assert not looks_like_entry(parsed_entry(ReferenceEntry(text)))


def test_an_entry_that_the_source_marks_as_one_needs_no_further_evidence() -> None:
    assert looks_like_entry(ParsedReference("a", "Anonymous", tagged=True))
    assert not is_notice("Receivers of sound. 2010.")


def _list(*texts: str) -> list[ParsedReference]:
    return [parsed_entry(ReferenceEntry(text), f"r{number}") for number, text in enumerate(texts)]


def test_notices_at_the_ends_of_a_list_are_cut_off() -> None:
    checked = check_list(_list(OTHERS[0], *ENTRIES[:4], OTHERS[2], OTHERS[4]))
    assert [entry.number for entry in checked.entries] == [2, 3, 4, 5]
    assert checked.notices == (OTHERS[0], OTHERS[2], OTHERS[4])
    assert not checked.doubt


def test_a_list_with_other_things_in_it_is_doubtful() -> None:
    assert check_list(_list(ENTRIES[0], OTHERS[4], ENTRIES[1])).doubt == "the reference list contains notes"
    assert check_list(_list(*OTHERS[5:8])).doubt == "items of the reference list do not look like references"
    assert check_list(_list(OTHERS[0])).doubt == "the reference list has no entries"
    assert not check_list(_list(*ENTRIES, OTHERS[5], *ENTRIES)).doubt
    assert not check_list([]).doubt


PAPER = """# On mud

## Abstract

Mud moves.

## 1 Introduction

Mud moves ([Knox, 1988](#bib.bib3)).

## References

{list}
"""


def _read(*items: str) -> tuple[int, str, list[str | None]]:
    document = assemble(read_text(PAPER.replace("{list}", "\n".join(items)), "a.md"))
    entries = [reference.span.of(document.text)[:8] for reference in document.references]
    cited = [None if citation.reference is None else entries[citation.reference - 1] for citation in document.citations]
    return len(document.references), document.state("references"), cited


def test_a_blank_item_keeps_its_number() -> None:
    for blank in ("-", "- (1)"):
        assert _read(blank, "- " + ENTRIES[0], "- " + ENTRIES[1])[::2] == (2, [ENTRIES[1][:8]])
    count, state, cited = _read("1. " + ENTRIES[0], "2.", "3. " + ENTRIES[1], "", OTHERS[0])
    assert (count, state, cited) == (2, "known", [ENTRIES[1][:8]])


def test_the_printed_number_stays_in_the_text() -> None:
    document = assemble(read_text(PAPER.replace("{list}", f"- (1)\n- {ENTRIES[0]}\n- {ENTRIES[1]}"), "a.md"))
    assert f"3. {ENTRIES[1]}" in document.text


def test_a_doubtful_list_is_unknown() -> None:
    assert _read("- Bring a torch.", "- Mind the tide.")[1] == "unknown"


def test_blank_entries_of_an_index() -> None:
    index = ReferenceIndex([ReferenceEntry(""), ReferenceEntry(ENTRIES[0]), ReferenceEntry("")])
    assert index.by_anchor("#bib2") == "bib2"
    assert index.by_anchor("#bib1") is None
    assert index.numbers == {"2": "bib2"}

"""Sentence boundaries."""

from __future__ import annotations

import random

import nupunkt
import pytest

from fathom.corpus.readers.parsing import sentences
from fathom.corpus.readers.parsing.sentences import clear_splitter_cache, sentence_spans

PARAGRAPH = "Cells were grown as in Fig. 2. Dr. Lind counted them. The rest was kept."


def test_the_splitter_cache_changes_nothing() -> None:
    before = [span.of(PARAGRAPH) for span in sentence_spans(PARAGRAPH)]
    clear_splitter_cache()
    assert [span.of(PARAGRAPH) for span in sentence_spans(PARAGRAPH)] == before
    assert before[-1] == "The rest was kept."


@pytest.mark.parametrize(
    "cut",
    [
        ["Xu et al. (2021) ran it for locomotion tasks.", "Later work (Wu et al., 2021) also did."],
        ["We pay tax.", "Research is shown in Fig. 3 of the tables.", "Three of them are long."],
    ],
)
def test_ordinary_words_are_no_abbreviations(cut: list[str]) -> None:
    text = " ".join(cut)
    assert [span.of(text) for span in sentence_spans(text)] == cut


@pytest.mark.parametrize(
    "cut",
    [
        ["盐度在冬季较高。", "夏季呢？", "夏季较低；", "其余不详"],
        ["他写道：“河口是活的。”［2，3］", "此后无人反对。[4-6]", "但也无人证实。"],
        ["误差为3．5％．", "流量为2.5万方．", "这与文献［2］相近."],
        ["取自Lind et al.的资料. ", "并用TideMap v1.2模型计算。"],
        ["（见图1。）", "下文再谈。"],
        ["摩擦更重要（陈静，2019；李华，2018）；", "风则不然（同上。）", "（未完"],
    ],
)
def test_chinese_sentences_end_at_full_stops(cut: list[str]) -> None:
    text = "".join(cut)
    assert [span.of(text) for span in sentence_spans(text)] == [sentence.strip() for sentence in cut]


CHUNKS = """
cells. The the A. (A) II. iv. 3. 3.5 2014. (Lind, 2018). al. al., et Fig. e.g. (e.g. U.S. y-axis. a- -- ... … . ! ?
cells.) cells.” “Cells. (cells.) [3]. cells.[4] DNA. Dr. min. x). ). Yes! (what?). n.d.). a.b). Bob. ill. E. naïve. The,
A1. 2014-15. ½. (x!). Gill. gill Albicans 3d. Gemail gemail Nov. Inc. no. No. vs. 1,000. etc. etc.). and? ;
"""


def test_certain_ends_are_those_of_the_splitter() -> None:
    rng = random.Random(4)
    splitter = sentences._splitter()
    chunks = CHUNKS.split()
    assert isinstance(splitter, nupunkt.PunktSentenceTokenizer)
    for _ in range(4_000):
        text = "".join(rng.choice(chunks) + rng.choice(("", "\n", "  ", *[" "] * 9)) for _ in range(8)).strip()
        pieces = [text[start:end].strip() for start, end in splitter.span_tokenize(text)]
        assert [span.of(text) for span in sentence_spans(text)] == pieces

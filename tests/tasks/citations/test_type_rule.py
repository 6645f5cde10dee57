"""The rule that classifies citations as attributional or descriptive."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.corpus.store import Corpus
from fathom.tasks.citations.papers import Paper
from fathom.tasks.citations.type_rule import BEFORE, citation_type_of, is_coined
from fathom.tasks.citations.word_counts import stems_in
from tests.corpus.readers.conftest import shared as data_file

__all__ = ["data_file"]


@pytest.mark.parametrize(
    "before",
    [
        "We compare with BERT ",
        "trained by LoRA ",
        "on the ImageNet dataset ",
        "Instead we use Stable Diffusion ",
        "As a point of departure we took Menthra-Cell ",
        "optimised with AdamW ",
        "evaluated on GPT-4 ",
        "we use CLIP (",
        "本文采用TideMap模型",
        "在ImageNet数据集",
        "并用 TideMap 潮位模型（",
        "优化时使用了AdamW",
        "资料取自《中国海洋统计年鉴》",
        "we fine-tune Llama 2 ",
        "sampled from Stable Diffusion 2.1 ",
        "We compare with TRPO (single-path) ",
        "evaluated on Song Describer (no vocals) (",
        "In particular, the DAVIS interactive benchmark (",
        "starting from the Llama 2 base model ",
        "on the AlpacaEval 2.0 benchmark (",
    ],
)
def test_a_name_is_attributional(before: str) -> None:
    assert citation_type_of(before) == "attributional"


@pytest.mark.parametrize(
    "before",
    [
        "averaging over seeds lowers the variance ",
        "as was shown ",
        "It is widely accepted that cells age ",
        "",
        "What ",
        "Following the setting of ",
        "in the presence of noise (",
        "However, ",
        "底部摩擦在枯水期更加重要",
        "训练在GPU上进行之后误差明显下降",
        "与ENSO无关，冬季的盐度较低",
        "该模型",
        "根据文献",
    ],
)
def test_a_description_is_descriptive(before: str) -> None:
    assert citation_type_of(before) == "descriptive"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("we extend the BERT model of ", ""),
        ("as in the StrongREJECT score, introduced in ", " and used here"),
        ("For instance, ", " introduce PairRanker, which compares answers"),
        ("Specifically, ", "] proposes a hybrid model called MambaFormer, which interleaves"),
        ("features are BERT embeddings ", ""),
        ("such as InfoNCE that maximizes the mutual information of observations", ""),
        ("and VideoMAE, which reconstructs masked patches of a clip", ""),
    ],
)
def test_a_name_nearby_leaves_the_type_uncertain(before: str, after: str) -> None:
    assert citation_type_of(before, after) is None


def test_coined_words() -> None:
    assert all(map(is_coined, ("BERT", "LoRA", "ResNet50", "GPT-4", "xLSTM")))
    assert not any(map(is_coined, ("However", "the", "A", "variance", "GPUs", "e.g")))


def test_the_rule_agrees_with_the_types_of_generated_citations(citing_corpus: Path) -> None:
    """Generated papers record the types: nearly all are classified, and no question is built where the rule errs."""
    agreed = Counter[bool]()
    with Corpus(citing_corpus) as corpus:
        for document in corpus.documents():
            truth = {citation.group.end: citation.type for citation in document.single_citations()}
            everything = {reference.document for reference in document.references if reference.document}
            paper = Paper(document, document.text, everything)
            for mask in paper.masks:
                assert truth[mask.place.end] == mask.citation_type
            agreed[True] += paper.steps["of a certain type"]
            agreed[False] += paper.steps["in a sentence"] - paper.steps["of a certain type"]
    assert agreed[True] / agreed.total() > 0.95


def test_the_rule_agrees_with_published_labels(data_file: Callable[[str], Path]) -> None:
    agreed = Counter[bool | None]()
    with gzip.open(data_file("scalar_papers.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            for section in json.loads(line)["sections"]:
                for citation in section["citations"]:
                    if citation["type"] is None:
                        continue
                    before = section["text"][max(0, citation["start"] - 160) : citation["start"]].replace("\\", "")
                    before = re.sub(r"\[ \[?[\d ,\[\]]+\]?", "[1]", before)
                    labeled = "attributional" if citation["type"] == "method" else "descriptive"
                    by_rule = citation_type_of(before, section["text"][citation["end"] : citation["end"] + BEFORE])
                    agreed[by_rule == labeled if by_rule else None] += 1
    assert agreed.total() == 2_010
    assert agreed[None] / agreed.total() < 0.05
    assert agreed[True] / (agreed[True] + agreed[False]) >= 0.85


def test_stems_of_words_and_of_signs() -> None:
    assert stems_in("Estimates and estimating, naïve") == ["estima", "and", "estima", "naïve"]
    assert set(stems_in("深度学习 by BERT")) == {"深度", "度学", "学习", "bert"}

"""Names that identify a work: hidden by a build, and searched again by the audit."""

from __future__ import annotations

import pytest

from fathom.records.spans import Span
from fathom.tasks.citations.name_check import visible_names
from fathom.tasks.citations.work_names import CommonWords, FoldedText, WorkNames

ORDINARY = "zero memory for all attention transformer switch and whisper deep learning moving object"
COMMON = CommonWords(
    frozenset(ORDINARY.split()),
    frozenset({"ImageNet"}),
    ("so deep learning works", "of deep learning", "in deep learning", "ImageNet and ImageNet"),
)


def names(title: str, text: str = "", abstract: str = "") -> WorkNames:
    return WorkNames(title, abstract, text, COMMON)


def hidden_in(title: str, text: str, abstract: str = "") -> set[str]:
    """What a build hides; the audit must find the same works mentioned, and none where all of it is hidden."""
    work = names(title, text, abstract)
    spans = sorted(set(work.spans(text)))
    found = {span.of(text) for span in spans}
    assert any(visible_names(work.names, text)) == bool(found)
    shown, end = "", 0
    for span in spans:
        if span.start >= end:
            shown, end = f"{shown}{text[end : span.start]}[[NAME]]", span.end
    assert not any(visible_names(work.names, shown + text[end:]))
    return found


@pytest.mark.parametrize(
    ("title", "text", "hidden"),
    [
        # Number, case, hyphens, line breaks, ligatures, accents, possessives.
        ("Switch Transformers: Scaling up", "The Switch Transformer wins.", {"Switch Transformer"}),
        ("Switch Transformer: Scaling up", "With Switch-Transformers, all is well.", {"Switch-Transformers"}),
        ("Switch Transformers: Scaling up", "The Switch\nTransformer’s loss falls.", {"Switch\nTransformer"}),
        ("Retinexformer: One", "Both RetinexFormer and retinex-\nformers.", {"RetinexFormer", "retinex-\nformers"}),
        ("FlashAttention: Fast", "With Flash Attention or flash-attention.", {"Flash Attention", "flash-attention"}),
        ("Eﬃcientnet: Scaling", "An EfficientNet and an eﬃcientnet.", {"EfficientNet", "eﬃcientnet"}),
        ("Müllernet: A", "MullerNet, MÜLLERNET, Mu\u0308ller-nets.", {"MullerNet", "MÜLLERNET", "Mu\u0308ller-nets"}),
        ("Llama 2: Open models", "With LLaMA-2-7B and Llama2.", {"LLaMA-2", "Llama2"}),
        ("CFG++: Guidance", "CFG is old, CFG++ is not.", {"CFG++"}),
        ("TideMap: Levels", "本文采用TideMap模型计算潮位。", {"TideMap"}),
        # Not the same name.
        ("ELSim: Tests", "a new model: simply put, it is a model simulator", set()),
        ("GPT-3: Few shots", "Later GPT-3.5 and GPT-35 came.", set()),
        ("DINO: Features", "With DINOv2 it holds.", set()),
        # Ordinary words are names only where they are printed as names.
        ("Zero: Memory for all", "It is ZeRO. Zero loss was seen, and zero gain, but Zero wins.", {"ZeRO", "Zero"}),
        ("Beyond the game of all: Testing", "It is, and was, all and none.", set()),
        ("AND: Networks", "The AND net and others are used, and so on.", {"AND"}),
        ("Attention: Memory", "We use attention here. Attention is used.", set()),
        ("Deep learning", "Here deep learning is used. Deep learning helps.", set()),
        ("Deep learning: A survey", "Here deep learning is used. The Deep Learning Book helps.", {"Deep Learning"}),
        ("Moving object: All is", "A moving object moves.", {"moving object"}),
        ("pandas: A library", "Load it with pandas first.", {"pandas"}),
        # Titles.
        ("Diversity is all you need: Skills", "Diversity is all you need, we said.", {"Diversity is all you need"}),
        ("Assembly of SNARE complexes", "SNARE complexes form.", set()),
        ("Rent: What İstanbul pays today", "We say WHAT İSTANBUL PAYS TODAY.", {"WHAT İSTANBUL PAYS TODAY"}),
        ("Data classes in all of it", "dataclasses in all of its places", set()),
        ("Fine-tuning of data in all", "We call it Finetuning of data in all.", {"Finetuning of data in all"}),
        # Names that the work presents.
        ("Tracking objects", "In our SimVOS the head is small; SimVOS wins, SimVOS runs.", {"SimVOS"}),
        ("Tracking objects", "In our ImageNet tests ImageNet is used, ImageNet helps.", set()),
        ("Trust region policy optimization", "We test TRPO. TRPO wins. TRPO runs.", {"TRPO"}),
        ("Proximal policy optimization algorithms", "We test PPO. PPO wins. PPO runs.", {"PPO"}),
        ("Good clusters", "So we developed SimVOS and ran it. SimVOS wins, SimVOS runs.", {"SimVOS"}),
        ("Good clusters", "We then present SimVOS [3] again. SimVOS wins, SimVOS runs.", set()),
        ("Good clusters", "We present ImageNet tests. ImageNet is used, ImageNet helps.", set()),
        ("Good clusters", "## 2 The Sorvic-Alpha approach\n\nSorvic-Alpha wins. Sorvic-Alpha runs.", {"Sorvic-Alpha"}),
        ("Good clusters", "## 2 The Memory-Object model\n\nThe Memory-Object, a Memory-Object.", set()),
        ("Pollux: Clusters", "A PolluxAgent asks PolluxSched.", {"PolluxAgent", "PolluxSched"}),
        ("Zero: Memory for all", "A ZeroAgent asks.", set()),
    ],
)  # fmt: skip
def test_what_identifies_a_work(title: str, text: str, hidden: set[str]) -> None:
    assert hidden_in(title, text) == hidden


@pytest.mark.parametrize(
    "abstract",
    [
        "We introduce a new benchmark, GSM8K, of problems.",
        "We present a data set called GSM8K.",
        "Here we release GSM8K (https).",
    ],
)
def test_what_an_abstract_presents_is_a_name(abstract: str) -> None:
    assert hidden_in("Training verifiers to solve problems", "With GSM8Ks it holds.", abstract) == {"GSM8Ks"}


@pytest.mark.parametrize(
    ("abstract", "hidden"),
    [
        ("Our method, which we call Deep InfoMax (DIM), wins.", {"Deep InfoMax", "DIM"}),
        ("We propose masked tile encoders (MTE) for maps.", {"masked tile encoders", "MTE"}),
        ("We present a study of large tile models (LTM).", set()),
        ("Tiles are encoded by masked tile encoders (MTE).", set()),
    ],
)
def test_names_of_several_words(abstract: str, hidden: set[str]) -> None:
    text = "Deep InfoMax or DIM, masked tile encoders or MTE, large tile models or LTM, others or XYZ."
    assert hidden_in("Learning by estimation", text, abstract) == hidden


def test_a_short_title_without_one_of_its_words_names_the_work_in_a_sentence() -> None:
    work = names("Classifier-free diffusion guidance")
    assert work.is_in("We use classifier-free guidance in all experiments.")
    assert not work.is_in("We use guidance without a classifier.")
    assert not list(work.spans("We use classifier-free guidance."))


@pytest.mark.parametrize(
    ("title", "sentence", "is_named"),
    [
        ("Classifier-free diffusion guidance", "Samples improve with class-free guidance.", True),
        ("Training compute-optimal models", "It is trained as a compute-efficient model.", False),
        ("Diffusion autoencoders of faces", "We use a diffusion autoencoding of faces.", True),
        ("TideNet: Forecasts of water levels", "A network such as TiedNet predicts water levels.", True),
        ("TideNet: Forecasts of water levels", "A network such as Tide-Nett predicts water levels.", True),
        ("TideNet: Forecasts of water levels", "A network such as RideNet predicts water levels.", False),
        ("TideNet2: Forecasts of water levels", "A network such as TideNet3 predicts water levels.", False),
    ],
)
def test_a_name_is_recognized_if_a_word_is_misspelled(title: str, sentence: str, is_named: bool) -> None:
    assert names(title).is_in(sentence) == is_named


@pytest.mark.parametrize(
    ("before", "is_named"),
    [
        ("For images we use latent diffusion ", True),
        ("Latent diffusion ", True),
        ("For images we use latent-diffusion models (", False),  # not as the work prints it
        ("Latent diffusion needs less memory ", False),
        ("We use latent diffusion. Models ", False),
        ("We study image synthesis ", False),  # others use it as often
    ],
)
def test_the_last_words_before_a_citation_name_a_work(before: str, is_named: bool) -> None:
    text = "We train latent diffusion for image synthesis. Latent diffusion works. " * 6
    common = CommonWords(texts=("This is about image synthesis. " * 6, "This uses latent diffusion. " + "No. " * 300))
    found = WorkNames("High-resolution image synthesis with latent diffusion models", "", text, common)
    assert found.is_end_of(before) == is_named


def test_what_an_abstract_analyzes_is_no_name() -> None:
    assert hidden_in("Looking into models", "With BERT it holds.", "We present an analysis of BERT.") == set()


def test_names_within_a_part() -> None:
    text = "All skills are one. So all skills are one, and SkillNet too. All skills are one."
    work = names("All skills are one", "", "We propose SkillNet here.")
    found = work.spans(text, Span(20, 60))
    assert {(span.start, span.of(text)) for span in found} == {(23, "all skills are one"), (47, "SkillNet")}


@pytest.mark.parametrize(
    "text", ["plain", "naïve co-\noperation", "ﬁne ﬂow", "e\u0301tude \u00ad end", "İstanbul ﬃ Größe"]
)
def test_positions_of_a_folded_text(text: str) -> None:
    folded = FoldedText.of(text)
    assert folded.span(0, len(folded.letters)) == Span(0, len(text))
    assert folded.letters == folded.letters.lower()
    if folded.positions is not None:
        assert len(folded.positions) == len(folded.letters) + 1
        assert list(folded.positions) == sorted(folded.positions)

"""Figures that articles state of themselves in sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.tasks.tables.figures import StatedFigure, document_figures
from fathom.tasks.tables.pack import read_pack

PACK = read_pack("research-articles")


def article(text: str) -> Document:
    whole = f"# A Trial of Tea\n\n## Results\n\n{text}\n"
    return Document(
        id="a", kind="article", language="en", title=Span(2, 16), license="CC0-1.0", source="test", text=whole
    )


def values(text: str) -> dict[str, str]:
    figures = document_figures(article(text), PACK)
    return {
        figure_id.field: figure if isinstance(figure, str) else str(figure.value)
        for figure_id, figure in (figures.figures if figures else {}).items()
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A total of 1,204 patients were randomized between May and June.", {"randomized": "1204"}),
        ("In all, 60 women were randomly assigned to either tea or water.", {"randomized": "60"}),
        ("We recruited 48 participants, of whom 45 participants completed the study.", {"recruited": "48"}),
        ("48 volunteers were enrolled. 40 volunteers completed the trial.", {"enrolled": "48", "completed": "40"}),
        ("60 patients were randomized. In the end 58 patients were randomized.", {"randomized": "conflict"}),
        ("In another study, 23 patients were randomized.", {}),
        ("Lee et al. report that 23 patients were randomized.", {}),
        ("The remaining 23 patients were randomized.", {}),
        ("30 patients were randomized to the control group and as many to tea.", {}),
        ("At least 23 participants were recruited.", {}),
        ("To detect an effect, 64 participants were recruited.", {}),
        ("We trained with a batch size of 32.", {"batch_size": "32"}),
        ("We trained with a batch size of 32. For ImageNet, the batch size was then 256.", {"batch_size": "conflict"}),
        ("We trained with a batch size of 323232.", {}),
        ("We use a batch size of 10−3.", {}),
        ("We trained on 8 A100 GPUs.", {"gpus": "8"}),
        ("We trained on 8 A100 GPUs and tuned with 64 GPUs.", {"gpus": "conflict"}),
    ],
)
def test_figures_of_sentences(text: str, wanted: dict[str, str]) -> None:
    assert values(text) == wanted


def test_the_number_is_where_the_figure_says() -> None:
    document = article("A total of 1,204 patients were randomized.")
    figures = document_figures(document, PACK)
    assert figures is not None and figures.entity == "A Trial of Tea"
    (figure,) = figures.figures.values()
    assert isinstance(figure, StatedFigure) and figure.source == "text" and figure.span.of(document.text) == "1,204"


def test_questions_name_the_articles_that_they_are_about(tmp_path: Path) -> None:
    titles = ["Tea and Sleep", "Tea and Walking", "Tea and Reading", "Tea and Dreams", "Tea and Music", "Tea and Rest"]
    filler = "Tea was served at four in the afternoon in the usual way. " * 12
    for number, title in enumerate(titles, start=3):
        # The last one states no figure.
        figures = f"A total of {number * 17} patients were randomized. We enrolled {number * 40} patients. "
        text = f"# {title}\n\nA. Lind\n\n## Results\n\n{'' if title == titles[-1] else figures}{filler}\n"
        (tmp_path / f"{number}.md").write_text(text, "utf-8")
    with fathom.ingest([tmp_path], out=tmp_path / "corpus", processes=1) as corpus:
        corpus.contexts(lengths=[corpus.manifest.tokens + 120], count=1, sampling=["random"], min_documents=6)
        bench = fathom.build("tables", corpus, out=tmp_path / "bench", packs=["research-articles"], questions=6)
        asked = [item.question.text for item in bench.items()]
        assert asked and all(f'"{title}"' in text for title in titles[:-1] for text in asked)
        assert not any(titles[-1] in text for text in asked)
    assert fathom.audit(tmp_path / "bench").passed

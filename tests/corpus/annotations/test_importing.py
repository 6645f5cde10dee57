"""Annotations in the formats of other tools are imported with the spans that they were written from."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.api.annotations import Format, import_annotations
from fathom.api.corpora import ingest
from fathom.cli.main import main
from fathom.corpus.store import Corpus
from fathom.records.annotations import Annotation
from fathom.records.documents import Claim, Document
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.spans import Span
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build


@pytest.fixture(scope="module")
def articles(small_folder: Path) -> list[Document]:
    """Three articles with planted claims."""
    with Corpus(small_folder) as corpus:
        return [document for document in corpus.documents() if len(document.claims) > 3][:3]


def _retyped(text: str) -> str:
    """A quote as people paste it: other spaces, quotation marks and dashes."""
    return text.replace(" ", "  ", 2).replace("-", "–").replace("'", "’").replace("\n", " ")


def _claim_bench(document: Document, folder: Path) -> None:
    text = document.text
    pairs = [
        {
            "Claim_id": number,
            "Claim_text": _retyped(claim.span.of(text)),
            "Evidence_text": _retyped(one.span.of(text)) if one else "",
            "Justification_Conclusion": "The table shows it.",
        }
        for number, claim in enumerate(document.claims, start=1)
        for one in claim.evidence or (None,)
    ]
    (folder / f"{document.id}.json").write_text(json.dumps(pairs))


def _analysis(document: Document, folder: Path) -> None:
    """The form of the paper's first prompt, several papers in one file."""
    text = document.text
    analysis = [
        {
            "claim": {"text": "other words", "type": "Result", "exact_quote": _retyped(claim.span.of(text))},
            "evidence": [{"strength": "Strong", "exact_quote": _retyped(one.span.of(text))} for one in claim.evidence],
            "evaluation": {"conclusion_justified": True, "robustness": "high"},
        }
        for claim in document.claims
    ]
    path = folder / "papers.json"
    papers = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**papers, document.title_text.upper(): {"analysis": analysis}}))


def _passes(document: Document, folder: Path) -> None:
    """Claims, evidence and conclusions in lists of their own, as passes give them; evidence in sets or one by one."""
    text = document.text
    claims = [
        {"claim_id": f"c{number}", "exact_quote": _retyped(claim.span.of(text))}
        for number, claim in enumerate(document.claims)
    ]
    quotes = {
        f"c{number}": [{"exact_quote": _retyped(one.span.of(text))} for one in claim.evidence]
        for number, claim in enumerate(document.claims)
    }
    sets = [{"claim_id": id, "evidence": found} for id, found in list(quotes.items())[::2]]
    single = [{"claim_id": id, **one} for id, found in list(quotes.items())[1::2] for one in found]
    conclusions = [{"claim_id": "c0", "conclusion_justified": False}]
    content = {"claims": claims, "evidence_sets": sets, "evidence": single, "conclusions": conclusions}
    (folder / f"{document.id}.json").write_text(json.dumps(content))


def _label_studio(document: Document, folder: Path) -> None:
    marks = [(f"c{number}", "Claim", claim.span) for number, claim in enumerate(document.claims)]
    spans = sorted({one.span for claim in document.claims for one in claim.evidence})
    marks += [(f"e{number}", "Evidence", span) for number, span in enumerate(spans)]
    result: list[dict[str, object]] = [
        {
            "id": id,
            "type": "labels",
            "from_name": "label",
            "value": {"start": span.start, "end": span.end, "text": span.of(document.text), "labels": [label]},
        }
        for id, label, span in marks
    ]
    for number, claim in enumerate(document.claims):
        for one in claim.evidence:
            ends = {"from_id": f"e{spans.index(one.span)}", "to_id": f"c{number}"}
            result.append({"type": "relation", "direction": "right", "labels": ["supports"], **ends})
    if spans:
        result.append({"id": "e0", "type": "choices", "from_name": "strength", "value": {"choices": ["weak"]}})
    task = {
        "id": 7,
        "data": {"text": document.text, "document": document.id},
        "annotations": [{"completed_by": 3, "result": result}, {"was_cancelled": True, "result": []}],
    }
    path = folder / "export.json"
    tasks = json.loads(path.read_text()) if path.exists() else []
    path.write_text(json.dumps([*tasks, task]))


def _brat(document: Document, folder: Path) -> None:
    spans = sorted({one.span for claim in document.claims for one in claim.evidence})
    marks = [(f"T{number}\tClaim", claim.span) for number, claim in enumerate(document.claims, start=1)]
    marks += [(f"T{100 + number}\tEvidence", span) for number, span in enumerate(spans)]
    lines = [f"{mark} {span.start} {span.end}\t{' '.join(span.of(document.text).split())}" for mark, span in marks]
    links = [
        f"Supports Arg1:T{100 + spans.index(one.span)} Arg2:T{number}"
        for number, claim in enumerate(document.claims, start=1)
        for one in claim.evidence
    ]
    lines += [f"R{number}\t{link}" for number, link in enumerate(links, start=1)]
    lines += ["A1\tType T1 Performance", "#1\tAnnotatorNotes T1\ta note"]
    (folder / f"{document.id}.ann").write_text("\n".join(lines) + "\n")
    (folder / f"{document.id}.txt").write_text(document.text)


def test_brat_files_in_all_of_their_forms(articles: list[Document], small_folder: Path, tmp_path: Path) -> None:
    """Pieces in any order, attributes before their marks and of relations, other lines, CRLF, another text file."""
    document = articles[0]
    one, two, three, four = document.sentences[4], document.sentences[8], document.sentences[9], document.sentences[12]
    text = document.text.replace("\n", "\r\n")

    def place(part: str) -> str:
        return f"{text.index(part)} {text.index(part) + len(part)}"

    head = " ".join(two.of(document.text).split(" ")[:6])
    tail = " ".join(three.of(document.text).split(" ")[:6])
    lines = [
        "A1\tStrength T2 Strong",
        f"T1\tOwn_claim {place(one.of(document.text))}\t{one.of(document.text)}",
        f"T2\tEvidence {place(tail)};{place(head)}\t{tail} {head}",
        f"T3\tdata 3 7\t{four.of(document.text)}",
        "T4\tTopic 0 5\tother",
        "R1\tcontradicts Arg1:T2 Arg2:T1",
        "R2\tsupports Arg1:T3 Arg2:T1\t",
        "R3\tsupports Arg1:T4 Arg2:T1",
        "A2\tType R2 secondary",
        "M1\tNegation T4",
        "E1\tTopic:T4 Theme:T1",
        "*\tEquiv T1 T4",
        "#1\tAnnotatorNotes T1\ta note",
        "N1\tReference T1 Wiki:1\tname",
        "",
    ]
    (tmp_path / f"{document.id}.ann").write_bytes("\r\n".join(lines).encode())
    (tmp_path / f"{document.id}.txt").write_bytes(text.encode())
    import_annotations([tmp_path], small_folder, tmp_path / "out.jsonl", "brat", "me")
    [annotation] = read_records(tmp_path / "out.jsonl", Annotation)
    [claim] = annotation.claims
    assert annotation.complete
    assert claim.span == one
    assert claim.note == "a note"
    assert [(found.span, found.polarity, found.strength, found.type) for found in claim.evidence] == [
        (Span(two.start, three.start + len(tail)), "contradicts", "strong", None),
        (four, "supports", None, "secondary"),
    ]


def test_offsets_of_label_studio_count_as_a_browser_does(
    articles: list[Document], small_folder: Path, tmp_path: Path
) -> None:
    """Without the text of a region its offsets are used; a character outside the basic plane counts as two."""
    document = articles[0]
    claim = document.sentences[4]
    result = [
        {"id": "r", "type": "labels", "value": {"start": claim.start + 3, "end": claim.end + 3, "labels": ["Claim"]}},
        {"id": "r", "type": "textarea", "from_name": "conclusion", "value": {"text": ["It is so."]}},
        {"id": "r", "type": "rating", "from_name": "stars", "value": {"rating": 4}},
        {"type": "relation", "from_id": "r", "to_id": "gone", "direction": "right"},
    ]
    task = {
        "id": 1,
        "file_upload": f"1b2c3d4e-{document.id}.txt",
        "data": {"text": f"\U0001f600 {document.text}"},
        "annotations": [{"completed_by": {"id": 5, "email": "a@b.c"}, "result": result}],
        "predictions": [{"result": [{"id": "p", "type": "labels", "value": {"labels": ["Claim"], "text": "no"}}]}],
    }
    (tmp_path / "export.json").write_text(json.dumps([task]))
    import_annotations([tmp_path / "export.json"], small_folder, tmp_path / "out.jsonl", "label-studio")
    [annotation] = read_records(tmp_path / "out.jsonl", Annotation)
    assert annotation.annotator == "a@b.c"
    assert [(claim.span, claim.conclusion) for claim in annotation.claims] == [(claim, "It is so.")]


Write = Callable[[Document, Path], None]


@pytest.mark.parametrize(
    ("format", "write"),
    [
        ("claim-bench", _claim_bench),
        ("claim-bench", _analysis),
        ("claim-bench", _passes),
        ("label-studio", _label_studio),
        ("brat", _brat),
    ],
)
def test_every_claim_and_link_comes_back(
    format: Format, write: Write, articles: list[Document], small_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "people").mkdir()
    for document in articles:
        write(document, tmp_path / "people")
    report = import_annotations([tmp_path / "people"], small_folder, tmp_path / "out.jsonl", format)
    assert report.located == report.quotes > 20
    found = {record.document: record for record in read_records(tmp_path / "out.jsonl", Annotation)}
    for document in articles:
        assert found[document.id].complete
        assert _quotes(document, found[document.id].claims) == _quotes(document, document.claims)
    first = found[articles[0].id].claims[0]
    if write is _analysis:
        assert (first.type, first.justified, first.robustness) == ("result", True, "high")
        assert {one.strength for claim in found[articles[0].id].claims for one in claim.evidence} == {"strong"}
    if write is _passes:
        assert first.justified is False
    if write is _brat:
        assert first.type == "performance"
    build(
        BuildInputs(small_folder, Path("none"), {"claims": {"annotations": tmp_path / "out.jsonl"}}, 0),
        tmp_path / "bench",
    )
    assert Bench(tmp_path / "bench").manifest.questions == len(articles)
    assert audit(tmp_path / "bench").passed


def _quotes(document: Document, claims: tuple[Claim, ...]) -> list[tuple[int, str, list[str]]]:
    """The claims with their evidence, in order; the bar that ends a table is no word and may be missing."""
    text = document.text
    return sorted(
        (claim.span.start, claim.span.of(text), sorted(one.span.of(text).rstrip(" |") for one in claim.evidence))
        for claim in claims
    )


def test_what_is_not_found_is_listed_and_makes_a_document_incomplete(
    articles: list[Document], small_folder: Path, tmp_path: Path
) -> None:
    document = articles[0]
    claims = [
        {"quote": document.claims[0].span.of(document.text)},
        {"quote": "This sentence about marzipan lighthouses is in no article of the corpus."},
    ]
    (tmp_path / "in.json").write_text(json.dumps({document.id: {"claims": claims}, "elsewhere": {"claims": claims}}))
    report = import_annotations([tmp_path / "in.json"], small_folder, tmp_path / "out.jsonl", "claim-bench", "Ann")
    assert (report.quotes, report.located, report.incomplete) == (2, 1, 1)
    assert report.unknown_documents == ("elsewhere",)
    assert "marzipan" in report.not_located[0]
    with pytest.raises(FathomError, match="not all annotated 1"):
        build(
            BuildInputs(small_folder, Path("none"), {"claims": {"annotations": tmp_path / "out.jsonl"}}, 0),
            tmp_path / "bench",
        )


def test_one_of_several_annotators_is_the_key(
    articles: list[Document], small_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        _claim_bench(articles[0], tmp_path / name)
    out = tmp_path / "both.jsonl"
    words = ["annotations", "import", tmp_path / "ann", tmp_path / "bob", "--corpus", small_folder, "--out", out]
    assert main([str(word) for word in (*words, "--format", "claim-bench")]) == 0
    assert "annotators: ann 1, bob 1" in capsys.readouterr().out
    with pytest.raises(FathomError, match="Choose one with --annotator"):
        build(BuildInputs(small_folder, Path("none"), {"claims": {"annotations": out}}, 0), tmp_path / "bench")
    build(
        BuildInputs(small_folder, Path("none"), {"claims": {"annotations": out, "annotator": "bob"}}, 0),
        tmp_path / "bench",
    )
    assert next(Bench(tmp_path / "bench").all_keys()).proof.program.startswith("claims of bob,")


def test_evidence_on_given_questions(articles: list[Document], small_folder: Path, tmp_path: Path) -> None:
    document = articles[0]
    claim = next(claim for claim in document.claims if len(claim.evidence) > 1)
    quotes = [one.span.of(document.text) for one in claim.evidence[:2]]
    with (tmp_path / "prompts.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["PromptID", "PMCID", "Outcome", "Intervention", "Comparator"])
        writer.writerows([[1, document.id, "height", "sun", "shade"], [2, document.id, "weight", "sun", "shade"]])
    rows = [
        (0, 1, "True", "1", quotes[0]),
        (1, 1, "True", "1", quotes[1][1:]),  # cut in the middle of a word
        (1, 1, "False", "0", quotes[1]),  # rejected by the source
        (0, 2, "True", "1", quotes[0]),
        (1, 2, "True", "-1", quotes[0]),  # the annotators disagree
    ]
    with (tmp_path / "evidence.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["UserID", "PromptID", "PMCID", "Valid Label", "Valid Reasoning", "Label Code", "Annotations"])
        writer.writerows(
            [user, prompt, document.id, valid, valid, code, quote] for user, prompt, valid, code, quote in rows
        )
    report = import_annotations([tmp_path], small_folder, tmp_path / "out.jsonl", "evidence-inference")
    assert (report.quotes, report.located, report.findings) == (5, 5, 4)
    build(
        BuildInputs(small_folder, Path("none"), {"claims": {"annotations": tmp_path / "out.jsonl"}}, 0),
        tmp_path / "bench",
    )
    bench = Bench(tmp_path / "bench")
    assert audit(tmp_path / "bench").passed
    [item] = [item for _, items in bench.by_context() for item in items]
    assert "height, with sun compared with shade" in item.question.text
    assert {passage.span for passage in item.key.proof.passages} == {one.span for one in claim.evidence[:2]}


ARTICLE = """<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.2//EN" "JATS-archivearticle1.dtd"><article><front>
<article-meta><article-id pub-id-type="doi">{doi}</article-id><title-group><article-title>T</article-title>
</title-group></article-meta></front><body><sec><p>Text.</p></sec></body>
<sub-article article-type="editor-report"><front-stub>
<kwd-group kwd-group-type="claim-importance"><kwd>Valuable</kwd></kwd-group>
<kwd-group kwd-group-type="evidence-strength"><kwd>Solid</kwd>{more}</kwd-group>
</front-stub><body><p>This <bold>valuable</bold> study looks at leaves. {sentence}</p></body></sub-article></article>"""


def test_levels_of_whole_articles(small_folder: Path, tmp_path: Path) -> None:
    with Corpus(small_folder) as corpus:
        documents = [document for document in corpus.documents() if "doi" in document.ids][:3]
    shown = documents[1].sentences[5].of(documents[1].text)
    for number, (document, more, sentence) in enumerate(
        (
            (documents[0], "", "The evidence in favor of the claim is solid throughout."),
            (documents[1], "", shown),
            (documents[2], "<kwd>Incomplete</kwd>", "The evidence for one of the claims is weak."),
        )
    ):
        article = ARTICLE.format(doi=document.ids["doi"], more=more, sentence=sentence)
        (tmp_path / f"{number}.xml").write_text(article)
    report = import_annotations([tmp_path], small_folder, tmp_path / "out.jsonl", "elife")
    assert report.labels == {
        "claim importance: valuable": 3,
        "evidence strength: solid": 2,
        "evidence strength: solid, incomplete": 1,
    }
    build(
        BuildInputs(small_folder, Path("none"), {"claims": {"annotations": tmp_path / "out.jsonl"}}, 0),
        tmp_path / "bench",
    )
    manifest = Bench(tmp_path / "bench").manifest
    # The second article has a sentence of its assessment; the third has two levels of strength.
    assert manifest.counts["task"] == {"significance": 2, "strength": 1}
    assert manifest.dropped == {"no sentence that states the label is in the shown text": 2}
    assert audit(tmp_path / "bench").passed


@pytest.mark.parametrize(
    ("format", "name", "content", "said"),
    [
        ("label-studio", "a.json", '[{"text": "x"}]', "not a Label Studio export"),
        ("label-studio", "a.json", '[{"text": "x", "label": [], "annotation_id": 1}]', "JSON-MIN, which leaves out"),
        ("label-studio", "a.json", '[{"annotations": 3}]', "Task 1 of"),
        ("label-studio", "a.json", '[{"annotations": [null]}]', "Task 1 of"),
        ("label-studio", "a.json", '[{"annotations": [{"result": [{"type": "relation"}]}]}]', "Task 1 of"),
        ("label-studio", "a.json", '[{"annotations": [{"result": [{"type": "labels", "value": []}]}]}]', "Task 1 of"),
        ("claim-bench", "a.json", "{", "is not JSON"),
        ("brat", "a.ann", "T1\tClaim one two\tx\n", "Line 1 of"),
        ("brat", "a.ann", "T1\tClaim 0 4\tx\nT2\tClaim 9 5\tx\n", "mark in line 2 of .* ends before it starts"),
        ("evidence-inference", "a.csv", "x\n", "There is no file prompts"),
        ("elife", "a.xml", "<article>", "cannot be parsed"),
        ("claim-bench", "a.json", '{"claims": [{"quote": "x"}]}', "No annotation belongs to a document"),
    ],
)
def test_refuses_files_of_another_kind(
    format: Format, name: str, content: str, said: str, small_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FathomError, match=said):
        import_annotations([tmp_path / name], small_folder, tmp_path / "out.jsonl", format)


def test_a_name_of_two_documents_is_reported(articles: list[Document], tmp_path: Path) -> None:
    for ending in ("md", "txt"):
        (tmp_path / "docs" / ending).mkdir(parents=True)
        text = f"# {ending} of a study\n\nIt was measured in {ending} on many days.\n"
        (tmp_path / "docs" / ending / f"study.{ending}").write_text(text)
    ingest(tmp_path / "docs", out=tmp_path / "corpus")
    (tmp_path / "study.json").write_text('{"claims": [{"quote": "It was measured"}]}')
    with pytest.raises(FathomError, match="has two documents named 'study'"):
        import_annotations([tmp_path / "study.json"], tmp_path / "corpus", tmp_path / "out.jsonl", "claim-bench")

"""A family from a temporary folder goes from build to report page, and nothing in Fathom is changed for it."""

from __future__ import annotations

import json
import re
import sys
import zlib
from base64 import b64decode
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.cli.main import main
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus
from fathom.records.questions import Response
from fathom.tasks import catalog
from fathom.tasks.text_views import instructions
from tests.serving import Provider, serving

pytestmark = pytest.mark.filterwarnings("ignore")  # the engine emits warnings of its own

FAMILY = '''
"""Which title does a document have?"""

from typing import Annotated

from pydantic import Field

from fathom.records.documents import Passage
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.scoring.answer_types.format import written
from fathom.scoring.answers import Text
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import (
    Diagnosis,
    Family,
    FamilySettings,
    Fault,
    FaultyAnswer,
    Item,
    Judge,
    JudgePrompt,
    PerContext,
    Ruling,
    Tag,
)
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.text_views import text_views


class ToySettings(FamilySettings):
    """How many titles are asked for."""

    titles: Annotated[int, Field(ge=1)] = 2
    """Questions for each context."""


class Builder:
    def __init__(self, corpus, settings, seed):
        self.corpus, self.settings = corpus, settings

    def build(self, context, rng):
        for number in sorted(rng.sample(range(len(context.places)), self.settings.titles)):
            yield self.item(context, number)

    def item(self, context, number):
        document = self.corpus.document(context.places[number].document)
        id = short_id("q", context.id, "toy", number)
        tags = {"half": "first" if number < len(context.places) / 2 else "second"}
        text = f"What is the title of article {number + 1}?"
        question = Question(
            id=id, family="toy", context_id=context.id, split=context.split, text=text, tags=tags
        )
        passage = Passage(document=document.id, span=document.title)
        proof = Proof(program=f"title of {number + 1}", rows=((str(number),),), passages=(passage,))
        return Item(question, Key(question_id=id, answer=Text(value=title(document)), proof=proof))


def title(document):
    return " ".join(document.title.of(document.text).split())


def check(key, response, shown=None, judgments=()):
    return check_response(key, response)


class Auditor:
    def __init__(self, corpus, seed, measured=True):
        self.rules, self.builder = AuditChecks(), Builder(corpus, ToySettings(), seed)

    def check(self, context, items):
        for item in items:
            again = self.builder.item(context, int(item.key.proof.rows[0][0]))
            self.rules.check("the key is the document's title", item, again == item)
        return self.rules.failures(items)

    def results(self):
        return self.rules.results()


class Simulator:
    def __init__(self, corpus, keys):
        self.corpus = corpus

    def text(self, context, item, simulated, rng, unseen):
        neighbor = simulated.kind == "reader" and simulated.happens("neighbor", rng)
        return "Answer: " + written(wrong(self.corpus, context, item) if neighbor else item.key.answer)


def wrong(corpus, context, item):
    number = int(item.key.proof.rows[0][0])
    place = context.places[number - 1 if number else 1]
    return Text(value=title(corpus.document(place.document)))


class Diagnoser:
    def __init__(self, corpus):
        self.corpus = corpus

    def diagnose(self, context, item):
        return Diagnosis(suspects=(FaultyAnswer("neighbor", "", wrong(self.corpus, context, item), 1.0),))


FAMILY = Family(
    name="toy",
    summary="Which title does a document have?",
    settings=ToySettings,
    build=PerContext(Builder),
    check=check,
    audit=Auditor,
    views=lambda corpus, report: text_views(corpus, __name__),
    tags=(Tag("half", "Half of the context", summary=True),),
    faults=(Fault("neighbor", "gives the title of the document before", "finding"),),
    simulate=Simulator,
    diagnose=Diagnoser,
    explain=lambda key: [f"The title stands above article {int(key.proof.rows[0][0]) + 1}."],
    judge=Judge(
        version="1",
        prompts=lambda question, key, response: [JudgePrompt("", f"Is {response.text!r} {key.answer.value!r}?")],
        parse=lambda output: Ruling("pass" if output.startswith("yes") else "fail", reason=output),
    ),
)
'''

ASK = """# full, direct

You will read articles. Answer the question after them. End with a line that begins with "Answer:".
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The family, installed as a user would: a package on the path, named in the environment."""
    package = tmp_path / "packages" / "titles" / "toy"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text(FAMILY)
    (package / "ask.md").write_text(ASK)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.setenv(catalog.VARIABLE, "titles.toy")
    yield
    for name in ("titles", "titles.toy"):
        sys.modules.pop(name, None)
    instructions.cache_clear()  # another test may install another family of the same name


def call(*words: object) -> int:
    try:
        return main([str(word) for word in words])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.usefixtures("toy")
def test_a_family_of_your_own_goes_from_build_to_report(
    small_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    contexts, bench, runs = tmp_path / FILE_NAME, tmp_path / "bench", tmp_path / "runs"
    with Corpus(small_folder) as corpus:
        write_contexts(corpus, SamplingSettings(lengths=(32_768,), count=8), contexts)

    def said(*words: object) -> str:
        capsys.readouterr()
        assert call(*words) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    assert "Which title does a document have?" in said("build", "--help")
    assert "--titles" in said("build", "toy", "--help")
    built = said("build", "toy", small_folder, "--contexts", contexts, "--out", bench, "--titles", 3)
    assert "24 questions over 8 contexts" in built
    assert "by half: first" in built
    assert "passed: the key is the document's title (24 checked)" in said("audit", bench)

    said("run", bench, "--model", "sim/oracle", "--out", runs / "oracle")
    said("run", bench, "--model", "sim/reader?neighbor=0.5", "--out", runs / "careless")
    assert call("run", bench, "--model", "sim/reader?reverse=0.5", "--out", runs / "other") == 2
    assert "no parameter 'reverse' on this bench. Its parameters are neighbor, format" in capsys.readouterr().err
    monkeypatch.setenv("MINE_API_KEY", "sk-none")
    with serving(Provider(response=_first_title)) as provider:
        url = ("--url", provider.url, "--window", "128K")
        said("run", bench, "--model", "openai-api/mine/m", "--system", "full", *url, "--out", runs / "full")

    scores = {name: json.loads(said("score", runs / name, "--json")) for name in ("oracle", "careless", "full")}
    accuracy = {name: score["scores"]["all"]["accuracy"] for name, score in scores.items()}
    assert accuracy["oracle"] == 1.0
    assert 0.1 < accuracy["careless"] < 0.9
    assert accuracy["full"] < 0.5
    assert "second" in said("score", runs / "careless")

    assert "neighbor" in said("analyze", runs / "careless")
    said("report", runs, "--out", tmp_path / "report.html")
    page = _data((tmp_path / "report.html").read_text())
    assert "gives the title of the document before" in page
    assert "The title stands above article" in page
    assert "Half of the context" in page


def _data(page: str) -> str:
    """The packed data of a report page, as text."""
    return "".join(zlib.decompress(b64decode(found)).decode() for found in re.findall(r">(eN[\w+/=]{40,})<", page))


def _first_title(prompt: str) -> str:
    """The response of a model that always gives the first title."""
    match = re.search(r"^===== Article 1\n+(?:# )?(.+)$", prompt, re.MULTILINE)
    return f"Answer: {match[1] if match else 'none'}"


@pytest.mark.usefixtures("toy")
def test_a_family_may_ask_a_judge(small_folder: Path) -> None:
    toy: Any = import_module("titles.toy")
    judge = catalog.family("toy").judge
    assert judge is not None
    with Corpus(small_folder) as corpus:
        document = corpus.document(next(corpus.entries()).id)
    key = toy.Key(question_id="q-1", answer=toy.Text(value=toy.title(document)), proof=toy.Proof(program=""))
    question = toy.Question(id="q-1", family="toy", context_id="c-1", text="What is the title?")
    [prompt] = judge.prompts(question, key, Response(question_id="q-1", outcome="answered", text="Tides"))
    assert prompt.text.startswith("Is 'Tides'")
    assert judge.parse("yes, it is").outcome == "pass"


def test_a_family_is_suggested_by_the_kind_of_documents(small_folder: Path, tmp_path: Path) -> None:
    with Corpus(small_folder) as corpus:
        assert catalog.family_for({"article": 40, "report": 2}, corpus) == "numeric"
        # Articles have no figures that recur, whatever they are called.
        assert catalog.family_for({"article": 2, "report": 40}, corpus) == "numeric"
    with fathom.generate(tmp_path / "companies", documents=12, seed=5, domains="companies") as reports:
        assert catalog.family_for({"article": 2, "report": 40}, reports) == "tables"
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "law.md").write_text("# Patent Act\n\nArticle 1. This act protects inventions.\n", "utf-8")
    with fathom.ingest(tmp_path / "laws", out=tmp_path / "corpus") as laws:
        # Reports without figures: there is nothing to compute with.
        assert catalog.family_for({"report": 1}, laws) == "numeric"

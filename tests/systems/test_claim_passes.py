"""Systems that look for claims and their evidence in several passes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from fathom.contexts.sampling import ContextSampler, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.prompts import Completion, Prompt, TextReference
from fathom.records.errors import FathomError
from fathom.records.questions import Question, Response
from fathom.systems.catalog import load_system
from fathom.systems.claim_passes import OneByOne, ThreePass
from fathom.systems.protocol import ContextView, System
from fathom.tasks.numeric.views import views
from tests.systems.scripted import Scripted
from tests.systems.test_memory import is_bounded

QUESTION = Question(id="q-1", family="numeric", context_id="c", text="List all claims.")
STEPS = ("claims", "evidence", "conclusions", "conclusion")
CLAIMS = [{"quote": "A is better.", "type": "result"}, {"quote": "B is new."}, {"quote": "C helps."}]
EVIDENCE = {1: [{"quote": "A has 3.", "strength": "strong"}, {"quote": "A has 4."}], 2: [], 3: [{"quote": "C was 5."}]}


@pytest.fixture(scope="module")
def seen(small_folder: Path) -> Iterator[ContextView]:
    with Corpus(small_folder) as small:
        yield _view(small)


def _view(small: Corpus) -> ContextView:
    [context] = ContextSampler(small, SamplingSettings(lengths=(32_768,), count=1, sampling=("random",))).contexts()
    instructions = {f"{name}, {step}": f"<{step}>" for name in ("three-pass", "one-by-one") for step in STEPS}
    return ContextView(context, replace(views(small), instructions=instructions))


def step_of(prompt: Prompt) -> str:
    return str(re.findall(r"<(\w+)>", "\n".join(map(str, prompt.messages[0].parts)))[-1])


def shows_documents(prompt: Prompt) -> bool:
    return any(isinstance(part, TextReference) for part in prompt.messages[0].parts)


def model(**changed: Callable[[int], Any]) -> Callable[[Prompt], str | Completion]:
    """A model that answers every pass; `changed` has other answers by pass."""

    def says(prompt: Prompt) -> str | Completion:
        step = step_of(prompt)
        asked = next((n for n, claim in enumerate(CLAIMS, 1) if claim["quote"] in prompt.last_part), 0)
        one = len(re.findall("quote", prompt.last_part)) == 1 or step == "conclusion"
        if step in changed:
            said = changed[step](asked)
        elif step == "claims":
            said = {"claims": CLAIMS}
        elif step == "evidence":
            sets = [{"claim": number, "evidence": found} for number, found in EVIDENCE.items()]
            said = {"evidence": EVIDENCE[asked]} if one else {"evidence_sets": sets}
        else:
            ends = [{"claim": number, "justified": bool(found)} for number, found in EVIDENCE.items()]
            said = {"justified": bool(EVIDENCE.get(asked))} if one else {"conclusions": ends}
        return said if isinstance(said, str | Completion) else json.dumps(said)

    return says


def ask(system: System, view: ContextView, says: Callable[[Prompt], str | Completion]) -> tuple[Response, Scripted]:
    session = Scripted(view, says)
    return anyio.run(partial(system.answer, QUESTION, session)), session


def claims_of(response: Response) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(response.text)["claims"]
    return found


def _always(said: str, asked: int) -> str:
    return said


COMPLETE = [
    {**claim, "evidence": EVIDENCE[number], "justified": bool(EVIDENCE[number])}
    for number, claim in enumerate(CLAIMS, 1)
]
SYSTEMS: list[System] = [ThreePass(), OneByOne()]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.name)
def test_the_passes_together_give_one_answer(seen: ContextView, system: System) -> None:
    response, session = ask(system, seen, model())
    assert response.outcome == "answered"
    assert claims_of(response) == COMPLETE
    steps = [step_of(prompt) for prompt in session.asked]
    if system.name == "three-pass":
        assert steps == ["claims", "evidence", "conclusions"]
        assert [shows_documents(prompt) for prompt in session.asked] == [True, True, False]
    else:
        assert steps == ["claims", *["evidence", "conclusion"] * 3]
        assert all(map(shows_documents, session.asked))
    # A cache can serve the documents to every later pass.
    assert len({prompt.prefix for prompt in session.asked if shows_documents(prompt)}) == 1
    assert all(QUESTION.text in str(prompt.messages[0].parts) for prompt in session.asked)
    assert is_bounded(system, seen, session)


EVIDENCE_FORMS: list[Any] = [
    [{"claim_id": f"claim {number}", "evidence": found} for number, found in EVIDENCE.items()],
    {"evidence": [{"claim_id": number - 1, "evidence": found} for number, found in EVIDENCE.items()]},
    {str(number): found for number, found in EVIDENCE.items()},
    {f"claim_{number}": {"evidence": found} for number, found in EVIDENCE.items()},
    {"claims": [{**claim, "evidence": EVIDENCE[number]} for number, claim in enumerate(CLAIMS, 1)][::-1]},
    [{"evidence": found} for found in EVIDENCE.values()],
    {"sets": [{"claim": number, "evidence": [one]} for number, found in EVIDENCE.items() for one in found]},
    f"Here you are:\n```json\n{json.dumps([{'claim': n, 'evidence': f} for n, f in EVIDENCE.items()])[:-1]}\n```",
]


@pytest.mark.parametrize("form", EVIDENCE_FORMS, ids=range(len(EVIDENCE_FORMS)))
def test_evidence_finds_its_claim_in_many_forms(seen: ContextView, form: Any) -> None:
    response, _ = ask(ThreePass(), seen, model(evidence=lambda asked: form))
    assert [claim.get("evidence") or [] for claim in claims_of(response)] == list(EVIDENCE.values())


@pytest.mark.parametrize(
    "form",
    [
        lambda asked: EVIDENCE[asked],
        lambda asked: {"claim_id": 7, "evidence": EVIDENCE[asked]},
        lambda asked: [{"claim": asked, "evidence": EVIDENCE[asked]}, {"claim": 9, "evidence": [{"quote": "x"}]}],
        lambda asked: {"claims": [{**claim, "evidence": EVIDENCE[n]} for n, claim in enumerate(CLAIMS, 1)]},
    ],
    ids=range(4),
)
def test_evidence_of_a_single_claim_has_many_forms(seen: ContextView, form: Callable[[int], Any]) -> None:
    response, _ = ask(OneByOne(), seen, model(evidence=form))
    assert [claim.get("evidence") or [] for claim in claims_of(response)] == list(EVIDENCE.values())


def test_what_a_pass_should_not_say_is_left_out(seen: ContextView) -> None:
    early = {"claims": [{**CLAIMS[0], "claim_id": 4, "evidence": [{"quote": "early"}]}]}
    late = {"conclusions": [{"claim": 1, "justified": True, "evidence": [{"quote": "late"}], "quote": "other"}]}
    for system in SYSTEMS:
        says = model(claims=lambda asked: early, conclusions=lambda asked: late, conclusion=lambda asked: late)
        [claim] = claims_of(ask(system, seen, says)[0])
        assert claim == {**CLAIMS[0], "evidence": EVIDENCE[1], "justified": True}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.name)
def test_broken_passes_are_repaired_or_counted(seen: ContextView, system: System) -> None:
    response, session = ask(system, seen, model(claims=lambda asked: json.dumps({"claims": CLAIMS})[:-20] + '"'))
    assert len(claims_of(response)) == 2
    assert [step.output for step in session.steps if step.name == "json"] == ["repaired: cut off"]
    response, session = ask(system, seen, model(evidence=lambda asked: "I found nothing."))
    assert [claim["quote"] for claim in claims_of(response)] == [claim["quote"] for claim in CLAIMS]
    assert all("evidence" not in claim for claim in claims_of(response))
    assert {step.error for step in session.steps} == {"no JSON could be read"}
    # Without a list of claims, what the model says is the response.
    for other in ("Answer: solid", '{"label": "no difference", "evidence": [{"quote": "It was 3."}]}'):
        response, session = ask(system, seen, model(claims=partial(_always, other)))
        assert (response.text, len(session.asked)) == (other, 1)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.name)
def test_passes_that_overflow_or_are_refused(seen: ContextView, system: System) -> None:
    assert ask(system, seen, model(claims=lambda asked: Completion("", "refused")))[0].outcome == "refused"
    assert ask(system, seen, model(claims=lambda asked: Completion("", "overflow")))[0].outcome == "overflow"
    assert ask(system, seen, model(evidence=lambda asked: Completion("", "overflow")))[0].outcome == "overflow"
    refused, _ = ask(system, seen, model(evidence=lambda asked: Completion("no", "refused")))
    assert refused.outcome == "answered"
    cut = Completion(json.dumps({"claims": CLAIMS})[:-3], "length")
    response, _ = ask(system, seen, model(claims=lambda asked: cut))
    assert response.outcome == "truncated" and claims_of(response)


@pytest.mark.parametrize(
    "system", [ThreePass(listed=200), OneByOne(claims=5, listed=200), ThreePass(), OneByOne(claims=15)], ids=str
)
def test_no_model_can_exceed_the_estimate(seen: ContextView, system: System) -> None:
    many = {"claims": [{"quote": f"{number} " + "word " * 400} for number in range(120)]}
    wordy = {"evidence": [{"quote": "word " * 9_000}], "claim": 1}
    _, session = ask(system, seen, model(claims=lambda asked: many, evidence=lambda asked: wordy))
    assert is_bounded(system, seen, session)
    assert any(step.name == "cut" for step in session.steps)


def test_a_family_without_such_instructions_and_a_name_of_the_paper(small: Corpus, seen: ContextView) -> None:
    with pytest.raises(FathomError, match="has no instruction 'three-pass, claims'. Choose a system that it supports"):
        ThreePass().estimate(QUESTION, ContextView(seen.context, views(small)))
    with pytest.raises(FathomError, match="no system 'single-pass'. It is called 'full' here"):
        load_system("single-pass")

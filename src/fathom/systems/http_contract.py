"""The messages between Fathom and a system behind an address: the question that is sent, the answer that comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from pydantic import ConfigDict, Field, JsonValue, ValidationError, model_validator

from fathom.models.prompts import Stop
from fathom.records.documents import NonNegativeInt, Passage, PositiveInt
from fathom.records.questions import Step, Usage
from fathom.records.record import Record, first_error
from fathom.records.spans import Span
from fathom.systems.protocol import DOCUMENTS, ContextView, ShownDocument

VERSION = 1
MAX_ANSWER_LENGTH = 1_000_000
"""Characters of an answer that are kept. A longer one is marked as truncated."""
MAX_QUOTE_LENGTH = 10_000
MAX_TOKENS, MAX_PRICE = 10**12, 10**6
"""The maximum tokens and US dollars of one answer. The sum of larger numbers may not be finite, and a run with such a
sum can be neither listed nor analyzed."""
MAX_CITATIONS = 500
"""Citations of one answer or step that are located."""

HttpOutcome = Literal["answered", "truncated", "refused", "overflow"]
STOPS: dict[HttpOutcome, Stop] = {
    "answered": "stop",
    "truncated": "length",
    "refused": "refused",
    "overflow": "overflow",
}

R = TypeVar("R", bound=Record)


class ServedDocument(Record):
    """A document of the context, and where its text is."""

    id: str
    label: str
    """How the question names it, such as "Article 3"."""
    characters: NonNegativeInt
    url: str
    """Gives the text in UTF-8; `?start=0&end=1000` gives these characters, and the header `Range` bytes."""


class QuestionRequest(Record):
    """A question, as it is sent to the system."""

    fathom: PositiveInt = VERSION
    """The version of these messages."""
    id: str
    """The same whenever this question and sample of a run is asked again; also in the header `Idempotency-Key`."""
    question_id: str
    sample: NonNegativeInt
    question: str
    """The whole wording, including the requested form of the answer."""
    instruction: str
    """The family's instruction for a model that reads the documents, with the form of the answer."""
    prompting: str
    model: str | None
    """The model that the user wants the system to use; None leaves the choice to the system."""
    settings: dict[str, JsonValue]
    """The user's settings of the system."""
    context_id: str
    documents: tuple[ServedDocument, ...]


class _LenientRecord(Record):
    """A part of an answer: fields that nobody defined are ignored, since the answer may have been paid for."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class CitedPart(_LenientRecord):
    """A part of a document that the system used: a quote, a range of characters, or all of it."""

    document: str
    """The id or the label of the document."""
    quote: Annotated[str, Field(max_length=MAX_QUOTE_LENGTH)] | None = None
    start: NonNegativeInt | None = None
    end: NonNegativeInt | None = None

    @model_validator(mode="after")
    def _a_range_has_two_ends(self) -> CitedPart:
        if (self.start is None) != (self.end is None):
            raise ValueError("a range needs both a start and an end")
        return self


class SystemStep(_LenientRecord):
    """One step of the system: a model call, a tool call, or a retrieval."""

    kind: Literal["model", "tool", "retrieval"]
    name: str = ""
    input: str = ""
    output: str = ""
    error: str | None = None
    citations: tuple[CitedPart, ...] = ()


_Tokens = Annotated[int, Field(ge=0, le=MAX_TOKENS)]


class ReportedUsage(_LenientRecord):
    """The usage of an answer, if the system reports it."""

    input_tokens: _Tokens = 0
    cached_tokens: _Tokens = 0
    output_tokens: _Tokens = 0
    price: Annotated[float, Field(ge=0, le=MAX_PRICE)] | None = None


@dataclass(frozen=True)
class HttpAnswer:
    """A valid answer."""

    text: str
    stop: Stop
    thinking: str
    usage: Usage
    citations: tuple[CitedPart, ...]
    steps: tuple[SystemStep, ...]
    problems: tuple[str, ...]
    """Optional parts that are not valid and were left out."""
    unknown: tuple[str, ...]
    """Fields that the contract does not have."""


class InvalidAnswerError(ValueError):
    """A body that is not an answer to the question. The message is a clause without a period."""


FIELDS = ("id", "answer", "outcome", "thinking", "usage", "citations", "steps")


def parse_answer(body: bytes, id: str) -> HttpAnswer:
    """The answer in a body; raises InvalidAnswerError unless it answers the request of that id."""
    sent = _load(body)
    if sent.get("id") != id:
        found = _clean(str(sent.get("id")))[:80]
        raise InvalidAnswerError(f"the answer belongs to another request: its id is '{found}'")
    text = sent.get("answer")
    if not isinstance(text, str):
        raise InvalidAnswerError("the field 'answer' is missing or not a string")
    outcome = "answered" if sent.get("outcome") is None else sent["outcome"]
    if not isinstance(outcome, str) or outcome not in STOPS:
        raise InvalidAnswerError(f"the outcome '{_clean(str(outcome))[:80]}' is not one of {', '.join(STOPS)}")
    parts = _OptionalParts(sent)
    thinking, usage = parts.text("thinking"), parts.one("usage", ReportedUsage)
    return HttpAnswer(
        text=_clean(text[:MAX_ANSWER_LENGTH]),
        stop=STOPS[outcome] if len(text) <= MAX_ANSWER_LENGTH else "length",
        thinking=thinking[:MAX_ANSWER_LENGTH],
        usage=_usage(usage or ReportedUsage()),
        citations=parts.several("citations", CitedPart),
        steps=parts.several("steps", SystemStep),
        problems=tuple(parts.problems),
        unknown=tuple(sorted(_clean(name)[:80] for name in sent.keys() - set(FIELDS))),
    )


def _load(body: bytes) -> dict[str, Any]:
    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        sent = json.loads(body, parse_constant=refuse)
    except RecursionError:
        raise InvalidAnswerError("the body is nested too deeply") from None
    except ValueError as error:
        # Without the place, so that a summary counts the same mistake in many answers as one.
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)[:100]
        raise InvalidAnswerError(f"the body is not JSON ({reason})") from None
    if not isinstance(sent, dict):
        raise InvalidAnswerError("the body is not a JSON object")
    return sent


class _OptionalParts:
    """Reads parts of an answer that it may lack. One that is not valid is left out, with a note."""

    def __init__(self, sent: Mapping[str, Any]) -> None:
        self._sent = sent
        self.problems: list[str] = []

    def text(self, name: str) -> str:
        value = self._sent.get(name)
        if value is None or isinstance(value, str):
            return _clean(value or "")
        self.problems.append(f"'{name}' is not a string")
        return ""

    def one(self, name: str, kind: type[R]) -> R | None:
        value = self._sent.get(name)
        return None if value is None else self._validated(name, kind, value)

    def several(self, name: str, kind: type[R]) -> tuple[R, ...]:
        values = self._sent.get(name)
        if values is None:
            return ()
        if not isinstance(values, list):
            self.problems.append(f"'{name}' is not a list")
            return ()
        if len(values) > MAX_CITATIONS:
            self.problems.append(f"'{name}' has {len(values):,} entries; the first {MAX_CITATIONS} are kept")
        made = (self._validated(f"{name}[{n}]", kind, value) for n, value in enumerate(values[:MAX_CITATIONS]))
        return tuple(one for one in made if one is not None)

    def _validated(self, name: str, kind: type[R], value: object) -> R | None:
        try:
            return kind.model_validate(_cleaned(value))
        except (ValidationError, RecursionError) as error:
            reason = first_error(error) if isinstance(error, ValidationError) else "nested too deeply"
            self.problems.append(f"'{name}' is not valid: {reason}")
            return None


def _usage(reported: ReportedUsage) -> Usage:
    # More cached than sent is implausible, but must not lose the answer.
    sent = max(reported.input_tokens, reported.cached_tokens)
    return Usage(**{**reported.model_dump(), "input_tokens": sent})


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list):
        return [_cleaned(part) for part in value]
    if isinstance(value, dict):
        return {_clean(name): _cleaned(part) for name, part in value.items()}
    return value


def _clean(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


# Citations.


@dataclass(frozen=True)
class LocatedCitations:
    """The passages of the citations, and how many could not be found."""

    passages: tuple[Passage, ...]
    lost: tuple[str, ...]
    """Why each of the others was not located."""

    @property
    def note(self) -> str | None:
        """A sentence about citations that were not located; None if all were."""
        if not self.lost:
            return None
        count = len(self.lost)
        return f"{count} citation{'s' if count > 1 else ''} could not be located: {self.lost[0]}"


def locate(citations: Sequence[CitedPart], view: ContextView) -> LocatedCitations:
    """The passages that the citations name, in their order."""
    known: dict[str, ShownDocument] = {}
    for document in view.documents:
        known.setdefault(document.label, document)
        known[document.id] = document
    texts: dict[int, str] = {}
    passages: list[Passage] = []
    lost: list[str] = []
    for citation in citations:
        if citation.document not in known:
            lost.append(f"there is no document '{citation.document[:80]}'")
            continue
        document = known[citation.document]
        span = _find(citation, document, view, texts)
        if isinstance(span, str):
            lost.append(span)
            continue
        place = view.context.places[document.number - 1]
        passages.append(Passage(document=document.id, span=place.source(*span.shifted(document.span.start))))
    return LocatedCitations(tuple(passages), tuple(lost))


def _find(citation: CitedPart, document: ShownDocument, view: ContextView, texts: dict[int, str]) -> Span | str:
    """The span of the citation in the document's text, or why it was not found."""
    length = document.span.end - document.span.start
    if citation.start is not None and citation.end is not None:
        if citation.start < citation.end <= length:
            return Span(citation.start, citation.end)
        return f"'{document.label}' has no characters {citation.start} to {citation.end} (it has {length:,})"
    if citation.quote is None:
        return Span(0, length)
    if document.number not in texts:
        texts[document.number] = view.text(DOCUMENTS, *document.span)
    words = citation.quote.split()
    # A quote may have other line breaks than the document.
    match = re.search(r"\s+".join(map(re.escape, words)), texts[document.number]) if words else None
    return Span(*match.span()) if match else f"'{document.label}' does not contain the quote"


def steps_of(answer: HttpAnswer, view: ContextView) -> list[Step]:
    """The steps and citations of an answer as a trace has them."""
    steps: list[Step] = []
    for step in answer.steps:
        located = locate(step.citations, view)
        steps.append(
            Step(
                kind=step.kind,
                name=step.name,
                input=step.input,
                output=step.output,
                passages=located.passages if step.kind == "retrieval" else (),
                error=step.error or located.note,
            )
        )
    if answer.citations:
        located = locate(answer.citations, view)
        steps.append(Step(kind="retrieval", name="citations", passages=located.passages, error=located.note))
    if answer.problems:
        left_out = "; ".join(answer.problems[:10])
        steps.append(Step(kind="tool", name="check of the answer", error=f"left out: {left_out}"))
    return steps

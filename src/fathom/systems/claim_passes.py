"""Claims and their evidence in several passes over the documents: three passes, or two more for every claim."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import JsonValue

from fathom.models.json_output import CUT_OFF, read_json
from fathom.models.prompts import Message, Prompt
from fathom.records.documents import PositiveInt
from fathom.records.questions import Question, Response, Step
from fathom.systems.protocol import DOCUMENTS, CallEstimate, ContextView, Session, response_to
from fathom.systems.steps import StepOverflowError, ask_for_text, cut_to, overflow_of

HEAD = (
    "One task is done in several passes over the same documents. They are shown first; below them are the task as a "
    "whole and what this pass is to do.\n\n"
)
LISTED_HEAD = (
    "One task is done in several passes over the same documents. The earlier passes read them; you do not see them. "
    "Below are the task as a whole, what this pass is to do, and what was found so far.\n\n"
)
TYPICAL_CLAIMS = 12
"""Claims that are expected of a context; the calls for others are counted as spare ones."""
TYPICAL_LIST = 1_500
"""Tokens that are expected of a list of claims."""
MAX_CLAIM_LENGTH = 1_000
"""Tokens of a single claim that are shown to the pass that looks for its evidence."""

EVIDENCE = "evidence"
READ = "json"
"""The step of a trace that says what had to be repaired in the output of a pass, or that it could not be read."""
FENCE = "repaired: code fence"
"""The output of such a step where a fence was all that had to be removed."""
_NUMBER_NAMES = ("claim", "claim_id", "claim_number", "id", "number")
_QUOTE_NAMES = ("quote", "exact_quote", "claim_text", "text")
_NUMBER = re.compile(r"\D{0,20}(\d{1,4})\D{0,3}")

Entry = dict[str, JsonValue]
"""The entry of one pass for one claim."""


class ClaimsFirst(ABC):
    """Asks for all claims, and completes what was found in further calls."""

    async def answer(self, question: Question, session: Session) -> Response:
        try:
            first = await session.ask(self._prompt("claims", question, session.view), "claims")
            claims = claims_in(first.text, session)
            if first.stop in ("refused", "overflow") or not claims:
                return response_to(question, first)
            claims = await self._complete(claims, question, session)
        except StepOverflowError:
            return overflow_of(question)
        return response_to(question, first, written(claims))

    @abstractmethod
    async def _complete(self, claims: list[Entry], question: Question, session: Session) -> list[Entry]:
        """The claims with their evidence and conclusions."""

    @abstractmethod
    def _prompt(self, step: str, question: Question, view: ContextView, claims: str = "") -> Prompt:
        """The prompt of one step; the later ones show claims."""


@dataclass(frozen=True)
class ThreePass(ClaimsFirst):
    """Asks for all claims, then for the evidence of all of them, then for conclusions from what was found."""

    listed: PositiveInt = 8_192
    """The maximum number of tokens of the claims and evidence that a later pass is shown."""
    name: ClassVar[str] = "three-pass"

    async def _complete(self, claims: list[Entry], question: Question, session: Session) -> list[Entry]:
        view = session.view
        shown = self._shown([{"quote": quote_of(claim)} for claim in claims], session)
        found = await ask_for_text(session, self._prompt("evidence", question, view, shown), "evidence")
        claims = merge(claims, entries_in(found, session), session)
        shown = self._shown(claims, session)
        text = await ask_for_text(session, self._prompt("conclusions", question, view, shown), "conclusions")
        return merge(claims, _without_evidence(entries_in(text, session)), session)

    def _shown(self, claims: Sequence[Entry], session: Session) -> str:
        """The claims under their numbers, as many as may be shown."""
        lines: list[str] = []
        left = self.listed
        for number, claim in enumerate(claims, start=1):
            line = f"{json.dumps({'claim': number, **claim}, ensure_ascii=False)}\n"
            left -= session.view.count(line)
            if left < 0:
                lost = f"claims {number} to {len(claims)} exceed the {self.listed:,} tokens that are shown"
                session.record(Step(kind="tool", name="cut", output=lost))
                break
            lines.append(line)
        return "".join(lines)

    def _prompt(self, step: str, question: Question, view: ContextView, claims: str = "") -> Prompt:
        instruction = view.instruction(f"{self.name}, {step}")
        return pass_prompt(question, view, instruction, claims, documents=step != "conclusions")

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        prompts = [self._prompt(step, question, view) for step in ("claims", "evidence", "conclusions")]
        bound = view.estimate(*prompts)
        typical = min(TYPICAL_LIST, self.listed)
        return replace(
            bound,
            input_tokens=bound.input_tokens + 2 * typical,
            largest_call=bound.largest_call + self.listed,
            spare_tokens=2 * (self.listed - typical),
        )


@dataclass(frozen=True)
class OneByOne(ClaimsFirst):
    """Asks for all claims, then for the evidence of each, then for the conclusion of each: 1 + 2n calls."""

    claims: PositiveInt = 100
    """The maximum number of claims that are followed up; further ones have no evidence."""
    listed: PositiveInt = 8_192
    """The maximum number of tokens of a claim with its evidence that the pass for its conclusion is shown."""
    name: ClassVar[str] = "one-by-one"

    async def _complete(self, claims: list[Entry], question: Question, session: Session) -> list[Entry]:
        if len(claims) > self.claims:
            lost = f"claims {self.claims + 1} to {len(claims)} exceed the {self.claims:,} that are followed up"
            session.record(Step(kind="tool", name="cut", output=lost))
        followed = [await self._follow_up(number, claims, question, session) for number in self._numbers(claims)]
        return [*followed, *claims[self.claims :]]

    def _numbers(self, claims: Sequence[Entry]) -> range:
        return range(1, min(len(claims), self.claims) + 1)

    async def _follow_up(self, number: int, claims: Sequence[Entry], question: Question, session: Session) -> Entry:
        """The claim of that number with its evidence and its conclusion."""
        claim = claims[number - 1]
        quote = json.dumps({"quote": quote_of(claim)}, ensure_ascii=False)
        shown = cut_to(quote, min(MAX_CLAIM_LENGTH, self.listed))
        found = await ask_for_text(session, self._prompt("evidence", question, session.view, shown), "evidence")
        claim = {**claim, **about(number, claim, found, session)}
        shown = cut_to(json.dumps(claim, ensure_ascii=False), self.listed)
        text = await ask_for_text(session, self._prompt("conclusion", question, session.view, shown), "conclusion")
        return {**claim, **_without_evidence([(None, about(number, claim, text, session))])[0][1]}

    def _prompt(self, step: str, question: Question, view: ContextView, claims: str = "") -> Prompt:
        return pass_prompt(question, view, view.instruction(f"{self.name}, {step}"), claims)

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        first, evidence, conclusion = (
            self._prompt(step, question, view) for step in ("claims", "evidence", "conclusion")
        )
        typical = min(TYPICAL_CLAIMS, self.claims)
        bound = view.estimate(first, *[evidence, conclusion] * typical)
        each = view.estimate(evidence, conclusion).input_tokens
        shown = min(MAX_CLAIM_LENGTH, self.listed) + self.listed
        return replace(
            bound,
            largest_call=bound.largest_call + self.listed,
            spare_calls=2 * (self.claims - typical),
            spare_tokens=(self.claims - typical) * each + self.claims * shown,
        )


def pass_prompt(
    question: Question, view: ContextView, instruction: str, claims: str = "", documents: bool = True
) -> Prompt:
    """The prompt of one pass. All passes that see the documents share their beginning, so that a cache serves it."""
    tail = (question.text, f"\n\n{instruction}", f"\n\n{claims}" if claims else "")
    own = [part for part in tail if part]
    if not documents:
        return Prompt((Message.user(LISTED_HEAD, *own),), shared=1)
    return Prompt((Message.user(HEAD, view.reference(DOCUMENTS), "\n", *own),), shared=2)


# What the passes say.


def claims_in(text: str, session: Session) -> list[Entry]:
    """The claims that the first pass lists, without evidence: that is for a later pass."""
    value = _read(text, session)
    listed = value if isinstance(value, list) else _longest_list(value)
    claims = [one if isinstance(one, dict) else {"quote": one} for one in listed if isinstance(one, dict | str)]
    return [
        {name: one for name, one in claim.items() if name not in (EVIDENCE, *_NUMBER_NAMES[1:])}
        for claim in claims
        if quote_of(claim)
    ]


def quote_of(claim: Mapping[str, JsonValue]) -> str:
    """The quote of a claim; empty if it has none."""
    inner = claim.get("claim")
    found = [inner, claim] if isinstance(inner, dict) else [claim]
    texts = [one.get(name) for one in found for name in _QUOTE_NAMES] + [inner]
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def entries_in(text: str, session: Session) -> list[tuple[int | None, Entry]]:
    """The entries of a pass, each with the number of its claim if it names one."""
    return list(_entries(_read(text, session)))


def _entries(value: JsonValue) -> Iterator[tuple[int | None, Entry]]:
    if isinstance(value, dict):
        keyed = {_number(name): part for name, part in value.items()}
        if value and None not in keyed:  # {"1": {...}, "claim 2": {...}}
            yield from ((number, _entry(part)) for number, part in keyed.items())
            return
        lists = [part for part in value.values() if isinstance(part, list)]
        if _number_in(value) is None and any(_is_entry(part) for inner in lists for part in inner):
            for inner in lists:
                yield from _entries(inner)
            return
        yield _number_in(value), _entry(value)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, dict):
                yield _number_in(part), _entry(part)


def _is_entry(value: JsonValue) -> bool:
    """Whether an object of a list is about a claim, rather than a piece of evidence."""
    return isinstance(value, dict) and (_number_in(value) is not None or EVIDENCE in value)


def _entry(value: JsonValue) -> Entry:
    """An entry about a claim; a bare list is its evidence."""
    if isinstance(value, dict):
        return {name: part for name, part in value.items() if name not in _NUMBER_NAMES or isinstance(part, dict)}
    return {EVIDENCE: value} if isinstance(value, list) else {}


def _number_in(entry: Mapping[str, JsonValue]) -> int | None:
    return next((number for name in _NUMBER_NAMES if (number := _number(entry.get(name))) is not None), None)


def _number(value: JsonValue) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def merge(claims: Sequence[Entry], entries: Sequence[tuple[int | None, Entry]], session: Session) -> list[Entry]:
    """The claims, each with the entry of a pass about it, found by number, by quote, or otherwise by position."""
    numbers = {number for number, _ in entries if number is not None}
    shift = 1 if 0 in numbers and max(numbers) < len(claims) else 0
    by_quote = {quote_of(claim): number for number, claim in reversed(list(enumerate(claims, start=1)))}
    merged = [dict(claim) for claim in claims]
    unnamed = 0
    for index, (number, entry) in enumerate(entries, start=1):
        # Two claims may have the same quote; then the place decides.
        same = index <= len(claims) and quote_of(entry) and quote_of(entry) == quote_of(claims[index - 1])
        found = (index if same else by_quote.get(quote_of(entry))) if number is None else number + shift
        if found is None and not numbers and len(entries) == len(claims):
            found = index
        if found is None or not 1 <= found <= len(claims):
            unnamed += 1
            continue
        _add(merged[found - 1], entry)
    if unnamed:
        lost = f"{unnamed} of {len(entries)} entries belong to no claim of the list"
        session.record(Step(kind="tool", name="merge", output=lost))
    return merged


def _add(claim: Entry, entry: Entry) -> None:
    """Add an entry to its claim. Two entries for one claim have their evidence together."""
    before, new = claim.get(EVIDENCE), entry.get(EVIDENCE)
    quotes = {name: claim[name] for name in _QUOTE_NAMES if name in claim}
    claim.update({**entry, **quotes})
    if isinstance(before, list) and isinstance(new, list):
        claim[EVIDENCE] = [*before, *(one for one in new if one not in before)]


def about(number: int, claim: Entry, text: str, session: Session) -> Entry:
    """The entry of a pass over a single claim."""
    entries = entries_in(text, session)
    quote = quote_of(claim)
    named = [entry for given, entry in entries if given == number or (given is None and quote_of(entry) == quote)]
    if len(named) > 1 and len(entries) >= number and entries[number - 1][1] in named:
        named = [entries[number - 1][1]]  # several claims have this quote, and the place decides
    result: Entry = {}
    if not named and entries and all(given is None and _is_evidence(entry) for given, entry in entries):
        return {EVIDENCE: [entry for _, entry in entries]}  # a list of quotes by itself
    # A single entry is about the claim that was asked about, even if its number is wrong.
    for entry in named or [entry for _, entry in entries if len(entries) == 1]:
        _add(result, entry)
    return {name: part for name, part in result.items() if name not in _QUOTE_NAMES}


def _is_evidence(entry: Entry) -> bool:
    return bool(quote_of(entry)) and EVIDENCE not in entry


def _without_evidence(entries: Iterable[tuple[int | None, Entry]]) -> list[tuple[int | None, Entry]]:
    """Entries of the last pass, which concludes from the evidence and cannot add to it."""
    return [(number, {name: part for name, part in entry.items() if name != EVIDENCE}) for number, entry in entries]


def written(claims: Sequence[Entry]) -> str:
    """The response that the passes give together."""
    return json.dumps({"claims": list(claims)}, ensure_ascii=False, indent=1)


def _read(text: str, session: Session) -> JsonValue:
    """The JSON of a pass; None if there is none. The trace says what was repaired."""
    parsed = read_json(text)
    if parsed is None:
        if text.strip():
            session.record(Step(kind="tool", name=READ, error="no JSON could be read"))
        return None
    if parsed.repairs:
        output = f"repaired: {', '.join(parsed.repairs)}"
        session.record(Step(kind="tool", name=READ, output=output, error=CUT_OFF if parsed.cut_off else None))
    return parsed.value


def _longest_list(value: JsonValue) -> list[JsonValue]:
    """The list of claims in an object, under any name. Evidence alone answers another question."""
    fields = value.items() if isinstance(value, dict) else ()
    lists = [one for name, one in fields if isinstance(one, list) and not name.lower().startswith(EVIDENCE)]
    return max(lists, key=len, default=[])

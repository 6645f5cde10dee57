"""Extract the figures of a domain pack with models that vote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fathom.api.arguments import Folder, as_path
from fathom.api.corpora import open_corpus
from fathom.api.judging import role_model
from fathom.corpus.store import Corpus
from fathom.models.model_info import ModelInfo, model_info
from fathom.models.prompts import Prompt, RolePrompt
from fathom.models.simulated import PREFIX, SimulatedModel
from fathom.records.documents import DocumentId, NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.questions import Usage
from fathom.records.record import Record
from fathom.records.rng import rng_for
from fathom.runs.model_caller import highest_usage
from fathom.runs.roles import CALLS, RoleCall, RoleModel, RoleSettings, run_role
from fathom.runs.run import RunLimits
from fathom.systems.protocol import count_tokens, estimate_prompts
from fathom.tasks.tables.extractor import (
    FIELDS_AT_ONCE,
    ExtractedFigure,
    ExtractionTask,
    excerpts,
    located,
    parse_response,
    prompt_version,
    prompts,
    subject_of,
)
from fathom.tasks.tables.pack import read_pack
from fathom.tasks.tables.simulated_extractor import simulated_response
from fathom.tasks.tables.votes import Extraction, NoConsensus, Vote, decide, extraction_folder, write_votes

__all__ = [
    "ExtractionOptions",
    "ExtractionPlan",
    "ExtractionSummary",
    "NoConsensus",
    "extract_figures",
    "plan_extraction",
]

ROOM = 400
"""Tokens of the instruction and the list of figures, beside the document."""

ExtractionProgress = Callable[[int, int], None]


class ExtractionPlan(Record):
    """The requests, tokens and price of an extraction, without what its journals already have."""

    documents: NonNegativeInt
    figures: NonNegativeInt
    requests: NonNegativeInt
    input_tokens: NonNegativeInt
    price_at_most: float | None
    """In US dollars; None if a model's prices are unknown."""


class ExtractionSummary(Record):
    """The result of an extraction."""

    documents: NonNegativeInt
    """Documents that were asked about."""
    other_documents: NonNegativeInt
    """Documents of other domains, or without a name or a year."""
    votes: NonNegativeInt
    """Votes on each figure."""
    decisions: dict[str, NonNegativeInt]
    """Figures by decision: accepted, not stated, no majority."""
    discarded: NonNegativeInt
    invalid_votes: NonNegativeInt
    """Votes without a response, or without a quote that prints the number."""
    usage: Usage
    stopped: str | None = None
    """Why it ended early; then nothing was written but the journals of the calls."""


@dataclass(frozen=True)
class ExtractionOptions:
    """The options of an extraction."""

    tries: int = 3
    """How often each extractor is asked."""
    all_fields: bool = False
    """Also ask for figures that structure or tables give."""
    figures_at_once: int = FIELDS_AT_ONCE
    """Figures in one prompt; small models follow the instruction for one or two only."""
    limit: int | None = None
    """Ask about this many documents only, the first ones."""
    max_document: int | None = None
    """Tokens of a document that are shown. Of a longer one, the tables and paragraphs with most labels are shown."""
    max_tokens: int = 2_048
    """Tokens of a response."""
    temperature: float | None = None
    seed: int = 0
    prices: Folder | None = None
    url: str | None = None


@dataclass(frozen=True)
class _ExtractionPrompt:
    """One prompt, and the figures that it asks for."""

    subject: ExtractionTask
    fields: tuple[str, ...]
    prompt: Prompt

    @property
    def id(self) -> str:
        return f"{self.subject.document}.{self.fields[0]}"


class _Extraction:
    """The documents and prompts of an extraction."""

    def __init__(self, pack: str, corpus: Corpus, extractors: Sequence[str], options: ExtractionOptions) -> None:
        _check(extractors, options)
        self.pack = read_pack(pack)
        self.corpus = corpus
        self.extractors = tuple(extractors)
        self.options = options
        tasks = (subject_of(document, self.pack, options.all_fields) for document in corpus.documents())
        self.subjects = [task for task in tasks if task is not None][: options.limit]
        if not self.subjects:
            raise FathomError(
                f"No document of '{corpus.folder}' names three fields of the pack '{self.pack.name}'. "
                f"See `fathom pack check {pack} {corpus.folder}`."
            )

    def asked(self, info: ModelInfo) -> list[_ExtractionPrompt]:
        """The prompts for one model; a document that exceeds its window is shown in part."""
        limits = [] if self.options.max_document is None else [self.options.max_document]
        if info.window is not None:
            limits.append(int((info.window - self.options.max_tokens) / info.token_ratio) - ROOM)
        asked_prompts = []
        for subject in self.subjects:
            shown = self._shown(subject, min(limits, default=None))
            asked = prompts(subject, self.pack, shown, self.options.figures_at_once)
            asked_prompts += [_ExtractionPrompt(subject, fields, prompt) for fields, prompt in asked]
        return asked_prompts

    def _shown(self, subject: ExtractionTask, limit: int | None) -> Callable[[Sequence[str]], str]:
        """The text of a document for some fields: the whole, or what has their labels."""
        if limit is None or count_tokens(subject.text) <= limit:
            return lambda fields: subject.text
        document = self.corpus.document(subject.document)
        return lambda fields: excerpts(document, self.pack, fields, limit)

    def calls_folder(self, model: str) -> Path:
        name = re.sub(r"[^\w.-]+", "-", model).strip("-")
        return extraction_folder(self.corpus.folder, self.pack.name) / "calls" / name


def plan_extraction(
    pack: str, corpus: Folder, extractors: Sequence[str], options: ExtractionOptions | None = None
) -> ExtractionPlan:
    """The requests, tokens and highest price of an extraction. Calls no model."""
    options = options or ExtractionOptions()
    requests = tokens = 0
    price: float | None = 0.0
    with open_corpus(corpus) as opened:
        extraction = _Extraction(pack, opened, extractors, options)
        for model in extractors:
            info = model_info(model, as_path(options.prices))
            for asked in extraction.asked(info):
                estimate = estimate_prompts([asked.prompt], lambda text: count_tokens(str(text)))
                usage = highest_usage(estimate, info, options.max_tokens)
                cost = 0.0 if model.startswith(PREFIX) else info.price(usage)
                requests, tokens = requests + options.tries, tokens + options.tries * usage.input_tokens
                price = None if price is None or cost is None else price + options.tries * cost
    return ExtractionPlan(
        documents=len(extraction.subjects),
        figures=sum(len(subject.fields) for subject in extraction.subjects),
        requests=requests,
        input_tokens=tokens,
        price_at_most=price,
    )


def extract_figures(
    pack: str,
    corpus: Folder,
    extractors: Sequence[str],
    options: ExtractionOptions | None = None,
    *,
    no_consensus: NoConsensus = "unknown",
    budget: float | None = None,
    progress: ExtractionProgress = lambda done, total: None,
) -> ExtractionSummary:
    """Ask every extractor for the pack's figures, and write those on which more than half of all votes agree.

    Only figures that structure and tables do not give are asked for, unless the options say so. Calls are journaled
    beside the corpus: the same call resumes where it stopped. `fathom.build("tables", ...)` uses the figures.
    `discard` makes all figures of a document unknown if one of them has no majority.
    """
    options = options or ExtractionOptions()
    with open_corpus(corpus) as opened:
        extraction = _Extraction(pack, opened, extractors, options)
        poll = _Poll(extraction, budget, progress)
        for model in extractors:
            if poll.stopped is None:
                poll.ask(model)
    figures = [decide(document, field, claims) for (document, field), claims in poll.ballots.items()]
    unsettled = sorted({figure.document for figure in figures if figure.decision == "no majority"})
    record = Extraction(
        pack=extraction.pack.name,
        extractors=extraction.extractors,
        tries=options.tries,
        no_consensus=no_consensus,
        prompt_version=prompt_version(),
        documents=len(extraction.subjects),
        discarded=tuple(unsettled) if no_consensus == "discard" else (),
    )
    if poll.stopped is None:
        write_votes(extraction.corpus.folder, record, figures)
    return ExtractionSummary(
        documents=len(extraction.subjects),
        other_documents=len(extraction.corpus) - len(extraction.subjects),
        votes=len(extractors) * options.tries,
        decisions=dict(sorted(Counter(figure.decision for figure in figures).items())),
        discarded=len(record.discarded),
        invalid_votes=sum(figure.votes.get("invalid", 0) for figure in figures),
        usage=poll.usage,
        stopped=poll.stopped,
    )


class _Poll:
    """Asks extractors and collects their votes, within one budget for all of them."""

    def __init__(self, extraction: _Extraction, budget: float | None, progress: ExtractionProgress) -> None:
        self._extraction = extraction
        self._budget = budget
        self._progress = progress
        self._paid = {model: _spent(extraction.calls_folder(model)) for model in extraction.extractors}
        self._batches = 0
        self.ballots: dict[tuple[DocumentId, str], list[Vote]] = {}
        self.usage = Usage(price=0.0)
        self.stopped: str | None = None

    def ask(self, model: str) -> None:
        """Ask one extractor as often as wanted; prompts with a response in the journal are not sent again."""
        extraction, options = self._extraction, self._extraction.options
        role = role_model(model, prices=options.prices, url=options.url)
        prompts_asked = extraction.asked(role.info)
        role_prompts = [
            RolePrompt(prompt.id, prompt.prompt, prompt_version(), _parser(prompt.fields)) for prompt in prompts_asked
        ]
        for turn in range(options.tries):
            batch = run_role(
                role_prompts,
                _turn(role, prompts_asked, extraction, turn),
                extraction.calls_folder(model),
                RoleSettings(
                    max_tokens=options.max_tokens, temperature=options.temperature, seed=options.seed * 1_000 + turn
                ),
                self._limits(model),
                self._show,
            )
            self._batches += 1
            self._paid[model] = batch.spent
            self.usage = self.usage.plus(batch.usage)
            self.stopped = batch.stopped
            if self.stopped is not None:
                return
            for prompt in prompts_asked:
                self._count(prompt, batch.results[prompt.id].value)

    def _limits(self, model: str) -> RunLimits:
        if self._budget is None or model.startswith(PREFIX):
            return RunLimits()
        others = sum(spent for name, spent in self._paid.items() if name != model)
        return RunLimits(budget=max(0.0, self._budget - others))

    def _show(self, done: int, total: int) -> None:
        batches = len(self._extraction.extractors) * self._extraction.options.tries
        self._progress(self._batches * total + done, batches * total)

    def _count(self, prompt: _ExtractionPrompt, claims: dict[str, ExtractedFigure | None] | None) -> None:
        """Add the votes of one response."""
        for field in prompt.fields:
            vote: Vote = "invalid"
            if claims is not None:
                claim, kind = claims[field], self._extraction.pack.fields[field].kind
                vote = "null" if claim is None else located(claim, field, prompt.subject, kind) or "invalid"
            self.ballots.setdefault((prompt.subject.document, field), []).append(vote)


def _check(extractors: Sequence[str], options: ExtractionOptions) -> None:
    if not extractors or len(set(extractors)) < len(extractors):
        raise FathomError("Give each extractor once, such as --extractor openai/gpt-4.1-mini.")
    if options.tries < 1:
        raise FathomError(f"The number of tries is {options.tries}. Give at least 1.")


def _spent(folder: Path) -> float:
    path = folder / CALLS
    return sum(call.usage.price or 0.0 for call in read_records(path, RoleCall)) if path.exists() else 0.0


def _parser(fields: tuple[str, ...]) -> Callable[[str], dict[str, ExtractedFigure | None]]:
    return lambda text: parse_response(text, fields)


def _turn(role: RoleModel, prompts: Sequence[_ExtractionPrompt], extraction: _Extraction, turn: int) -> RoleModel:
    """The model of one turn: a simulated one answers by its own random numbers each time."""
    if not role.name.startswith(PREFIX):
        return role
    simulated = SimulatedModel.parse(role.name).resolved(())
    if simulated.kind != "extractor":
        raise FathomError(
            f"'{role.name}' cannot extract figures. The simulated extractor is 'sim/extractor?error=0.1'."
        )
    by_prompt = {asked_prompt.prompt: asked_prompt for asked_prompt in prompts}
    read = lru_cache(maxsize=2)(extraction.corpus.document)

    def simulate(prompt: Prompt) -> str:
        asked_prompt = by_prompt[prompt]
        rng = rng_for(extraction.options.seed, simulated.name, asked_prompt.id, turn)
        document = read(asked_prompt.subject.document)
        return simulated_response(
            simulated, document, asked_prompt.subject.year, asked_prompt.fields, extraction.pack, rng
        )

    return RoleModel(role.name, role.info, None, simulate)

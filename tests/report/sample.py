"""A small generated bench, and runs of simulated models on it with prices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fathom.contexts.files import write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.files import write_records
from fathom.records.questions import Response, Usage
from fathom.records.rng import rng_for
from fathom.runs.folder import MANIFEST, RESPONSES, VERDICTS, RunManifest
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.catalog import family
from fathom.tasks.simulating import simulated_response


@dataclass(frozen=True)
class Player:
    """One run of the sample."""

    name: str
    model: str
    """The simulated model that answers."""
    system: str = "full"
    called: str = ""
    """The model's name in the run; its own if empty."""
    price: float = 0.0
    """US dollars per million tokens."""
    says: str = "Answer: {}"
    """The wording of its answers."""


PLAYERS = (
    Player("harbor-large", "sim/reader?miss=0.01&reverse=0.05&boundary=0.05", "full", "harbor/large-2", 3.0),
    Player(
        "harbor-small",
        "sim/reader?miss=0.05&ignore-not=0.4&drop-filter=0.15&format=0.03",
        "full",
        "harbor/small-2",
        0.4,
    ),
    Player("harbor-small-passages", "sim/reader?ignore-not=0.4&drop-filter=0.15", "passages", "harbor/small-2", 0.1),
    Player("harbor-small-tables", "sim/reader?drop-filter=0.12", "tables", "harbor/small-2", 0.05),
    Player(
        "meadow", "sim/reader?miss=0.12&reverse=0.3&miscount=0.1&refuse=0.04&timeout=0.02", "full", "meadow/8b", 0.1
    ),
    Player("meadow-closed-book", "sim/random", "closed-book", "meadow/8b", 0.1),
)


def bench_in(
    folder: Path,
    documents: int = 60,
    count: int = 5,
    questions: int = 8,
    lengths: tuple[int, ...] = (16_384, 32_768, 65_536),
) -> Path:
    """A bench over contexts of several lengths, its corpus beside it."""
    corpus, bench = folder / "corpus", folder / "bench"
    generate(corpus, Recipe(seed=3, documents=documents))
    with Corpus(corpus) as opened:
        write_contexts(opened, SamplingSettings(lengths=lengths, count=count, seed=0), corpus / "contexts.jsonl")
    build(BuildInputs(corpus, corpus / "contexts.jsonl", {"numeric": {"questions": questions}}, 0), bench)
    return bench


def play(bench: Path, folder: Path, player: Player, samples: int = 1) -> Path:
    """A run in which a simulated model replaces a real one, with its verdicts."""
    opened = Bench(bench)
    settings = {"samples": samples}
    manifest = RunManifest(
        bench=os.path.relpath(bench, folder),
        bench_fingerprint=opened.manifest.fingerprint,
        model=player.called or player.model,
        system=player.system,
        system_settings={"prompting": "direct"},
        settings=RunManifest.model_fields["settings"].default.model_copy(update=settings),
    )
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n")
    judged = list(_judged(opened, player, samples))
    write_records(folder / RESPONSES, (response for response, _ in judged))
    write_records(folder / VERDICTS, (verdict for _, verdict in judged))
    return folder


def _judged(bench: Bench, player: Player, samples: int) -> Iterator[tuple[Response, Verdict]]:
    simulated = SimulatedModel.parse(player.model)
    with Corpus(bench.corpus_folder) as corpus:
        simulate = {name: family(name).simulate for name in bench.manifest.families}
        simulators = {name: make(corpus, bench.all_keys) for name, make in simulate.items() if make is not None}
        for context, items in bench.by_context():
            for item in items:
                for sample in range(samples):
                    rng = rng_for(1, player.name, item.question.id, sample)
                    response = simulated_response(simulators[item.question.family], context, item, simulated, rng)
                    response = _with_usage(response, player, context.tokens, sample)
                    yield response, family(item.question.family).check(item.key, response)


def _with_usage(response: Response, player: Player, tokens: int, sample: int) -> Response:
    """The response with its usage, and in the player's wording."""
    share = {"full": 1.0, "passages": 0.05, "tables": 0.02}.get(player.system, 0.002)
    sent = int(tokens * share) + 120
    usage = Usage(
        input_tokens=sent,
        cached_tokens=sent // 2,
        output_tokens=len(response.text) // 4,
        seconds=sent / 20_000,
        price=sent * player.price / 1e6,
    )
    text = player.says.format(response.text.removeprefix("Answer:").strip()) if response.text else ""
    return response.model_copy(update={"usage": usage, "sample": sample, "text": text})

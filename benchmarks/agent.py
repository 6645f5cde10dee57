"""A thousand episodes of the system `agent` against a scripted model on loopback, which calls tools well and badly.

Five runs of two hundred episodes: with a limit on steps, on tokens, on the price, in the text protocol, and one that is
killed (-9) again and again. Every document contains instructions to call tools that do not exist, and the model obeys.
Targets: no episode exceeds its limit, every wrong call gets an error message and is counted in the trace, nothing
outside of the context is shown, and after the kills no finished episode is lost or asked again.

    python benchmarks/agent.py [--questions 200] [--kills 25] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from _measuring import fathom, workplace
from fathom.records.questions import Response
from kills import Run, Tally, first_response, kill_at_random, quiet_server
from tests.scripted_agent import CANARY, INJECTION, ScriptedAgent
from tests.serving import Provider, serving

MODEL = "openai-api/mine/m"
PRICES = f'[models."{MODEL}"]\nwindow = 128_000\ninput_price = 1.0\noutput_price = 4.0\ntoken_ratio = 1.0\n'
WORDS = ("tides", "rivers", "carbon", "signals", "markets", "glass", "engines", "maps", "proteins", "soils", "codes")
GIVEN = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ines", "Jon")
FAMILY = ("Lind", "Moss", "Park", "Reed", "Stone", "Vale", "Wren")


def write_articles(folder: Path, count: int, rng: Random) -> None:
    """Short articles, each with an instruction to the model in its text; and a file that no tool may show."""
    folder.mkdir()
    (folder.parent / "secret.txt").write_text(CANARY)
    numbers = iter(range(10_000))

    def title() -> str:
        first, second = rng.sample(WORDS, 2)
        return f"{rng.choice(('On', 'Modeling', 'Measuring'))} {first} and {second} at site {next(numbers)}"

    for number in range(count):
        authors = {f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}" for _ in range(rng.randint(1, 5))}
        sentences = [f"We study {rng.choice(WORDS)} over {rng.randint(2, 90)} sites." for _ in range(50)]
        sentences.insert(rng.randrange(50), INJECTION)
        references = [
            f"[{place}] {rng.choice(GIVEN)} {rng.choice(FAMILY)}. {title()}. {rng.randint(1990, 2024)}."
            for place in range(1, rng.randint(3, 8))
        ]
        parts = (f"# {title()}", ", ".join(sorted(authors)), "## Introduction", " ".join(sentences), "## References")
        (folder / f"{number:03}.md").write_text("\n\n".join((*parts, "\n".join(references))) + "\n")


def bench_of(folder: Path, questions: int, seed: int) -> Path:
    """A bench over these articles."""
    write_articles(folder / "articles", 80, Random(seed))
    fathom("ingest", folder / "articles", "--out", folder / "corpus")
    count = questions // 10 + 2  # some questions are left out
    fathom("contexts", folder / "corpus", "--lengths", "8K", "--count", count, "--sampling", "random", "--seed", seed)
    fathom("build", "numeric", folder / "corpus", "--out", folder / "bench", "--seed", seed)
    return folder / "bench"


def calls_in(response: Response) -> int:
    return sum(step.kind == "model" for step in response.trace) or 1


def wrong_calls(response: Response) -> int:
    """The wrong calls that the trace has, without those that a limit prevented."""
    errors = [step.error for step in response.trace if step.kind != "model" and step.error]
    return sum(not error.startswith("not run") for error in errors)


def texts_of(bench: Path) -> dict[str, str]:
    """The questions of a bench, by id, without those in the same words over two contexts.

    The server knows an episode by the words of its question and takes two such episodes for one.
    """
    texts = {one["id"]: one["text"] for one in map(json.loads, (bench / "questions.jsonl").open())}
    times = Counter(texts.values())
    return {id: text for id, text in texts.items() if times[text] == 1}


def check(name: str, run: Run, model: ScriptedAgent, bench: Path, questions: int, limits: dict[str, float]) -> bool:
    """Print what the episodes of one run used; returns whether all of it is as it must be."""
    responses = run.responses()
    texts = texts_of(bench)
    endings = Counter(response.ending or "answered" for response in responses)
    most = {
        "steps": max(map(calls_in, responses)),
        "tokens": max(one.usage.input_tokens + one.usage.output_tokens for one in responses),
        "price": max(one.usage.price or 0.0 for one in responses),
    }
    exceeded = [name for name, limit in limits.items() if most[name] > limit]
    episodes = model.episodes.values()
    counted = sum(wrong_calls(one) for one in responses if one.question_id in texts)
    asked = {texts[one.question_id] for one in responses if one.question_id in texts}
    told = sum(model.episodes[text].errors for text in asked)
    lost = questions - len({(one.question_id, one.sample) for one in responses})
    twice = len(responses) - (questions - lost)
    paid = sum(one.usage.input_tokens + one.usage.output_tokens for one in responses)
    seen = sum(one.tokens for one in episodes)
    print(f"{name}: {len(responses)} episodes, {sum(one.requests for one in episodes):,} requests")
    print("  " + ", ".join(f"{ending} {count}" for ending, count in endings.most_common()))
    print("  " + "; ".join(f"most {what} {most[what]:.10g} of {limit:.10g}" for what, limit in limits.items()))
    print(f"  wrong calls in the traces {counted:,}, error messages sent {told:,}")
    print(f"  lost {lost}, twice {twice}, tokens in the responses {paid:,}, seen by the server {seen:,}")
    for problem in (*exceeded, *model.problems[:5]):
        print(f"  PROBLEM: {problem}")
    mistaken = [one for one in episodes if one.errors != one.wrong]
    print(f"  episodes with an error message too many or too few: {len(mistaken)}", flush=True)
    return not (exceeded or model.problems or mistaken or lost or twice or counted != told)


def plain(
    name: str, bench: Path, folder: Path, questions: int, limits: dict[str, float], as_text: bool
) -> tuple[bool, Counter[str]]:
    """One run without kills: whether all is as it must be, and what the model did."""
    model = ScriptedAgent(as_text=as_text, contexts=contexts_of(bench))
    settings = [f"{what}={limit:g}" for what, limit in limits.items()] + ["protocol=text"] * as_text
    words = [word for setting in settings for word in ("-S", setting)]
    with quiet_server(), serving(Provider(reply=model, keep_prompts=False)) as provider:
        run = Run(folder / name, bench, *common(provider, folder, questions), *words)
        run.finish()
    return check(name, run, model, bench, questions, limits), model.kinds


def killed(bench: Path, folder: Path, questions: int, kills: int) -> bool:
    """A run that is killed again and again, compared with what the server has seen."""
    model = ScriptedAgent(contexts=contexts_of(bench))
    finished: dict[str, int] = {}
    texts = texts_of(bench)
    tally, rng = Tally(), Random(3)
    with quiet_server(), serving(Provider(reply=model, seconds=0.01, keep_prompts=False)) as provider:
        run = Run(folder / "killed", bench, *common(provider, folder, questions))
        begins_after = first_response(run)
        for number in range(kills):
            if number:
                kill_at_random(run, rng, begins_after, max(2, questions // kills), tally)
            time.sleep(0.2)  # until the server has noticed that its client is gone
            for response in run.responses():
                text = texts.get(response.question_id)
                if text is not None:
                    finished.setdefault(text, model.episodes[text].requests)
        run.finish()
    again = sum(model.episodes[text].requests != requests for text, requests in finished.items())
    good = check(f"killed {kills} times", run, model, bench, questions, {"steps": 30, "tokens": 600_000})
    print(f"  {len(finished)} episodes were finished before the last kill; {again} of them were asked again")
    print(
        f"  kills while it was starting {tally.starting}, while it was asking {tally.asking}, torn lines {tally.torn}"
    )
    return good and not again and not tally.changed


def contexts_of(bench: Path) -> Sequence[str]:
    return [json.loads(line)["id"] for line in (bench / "contexts.jsonl").open()]


def common(provider: Provider, folder: Path, questions: int) -> tuple[object, ...]:
    words = ("--model", MODEL, "--url", provider.url, "--prices", folder / "prices.toml", "--limit", questions)
    return (*words, "--max-tokens", 500, "--system", "agent")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    os.environ["CANARY_SECRET"] = CANARY
    start = time.monotonic()
    with workplace() as folder:
        bench = bench_of(folder, given.questions, given.seed)
        (folder / "prices.toml").write_text(PRICES)
        questions = min(given.questions, sum(1 for _ in (bench / "questions.jsonl").open()))
        made = [
            plain(name, bench, folder, questions, limits, as_text=name == "text")
            for name, limits in (
                ("steps", {"steps": 6.0}),
                ("tokens", {"tokens": 25_000.0}),
                ("price", {"price": 0.02}),
                ("text", {"tokens": 25_000.0, "steps": 10.0}),
            )
        ]
        good = [*(one for one, _ in made), killed(bench, folder, questions, given.kills)]
        kinds = sum((found for _, found in made), Counter[str]())
    print("steps of the model by kind:")
    print("  " + ", ".join(f"{kind or 'correct calls'} {count:,}" for kind, count in kinds.most_common()))
    print(f"{time.monotonic() - start:.0f} s; {'all targets are met' if all(good) else 'A TARGET IS MISSED'}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

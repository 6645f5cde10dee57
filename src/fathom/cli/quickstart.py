"""`fathom quickstart`"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import click

from fathom.api import corpora
from fathom.api.benches import open_bench, read_recipe
from fathom.api.contexts import format_lengths
from fathom.api.corpora import open_corpus
from fathom.api.quickstart import (
    FirstBench,
    check_folder,
    check_model,
    choose,
    is_audited,
    is_corpus,
    plan_runs,
    run_folder,
)
from fathom.api.runs import Plan
from fathom.cli import audit, build, contexts, ingest, options, report, run, score
from fathom.cli.output import silence_next_lines
from fathom.cli.show_bench import item_lines
from fathom.parallel import cores
from fathom.records.errors import FathomError
from fathom.records.plurals import counted

RECIPE = "recipe.toml"
"""The file of the choices, in the folder of the results."""
SHOWN = 3
"""Items that are shown."""
SHOWN_PASSAGES = 2
"""Passages that are shown of each of these items."""
ENOUGH_CONTEXTS = 6
"""Minimum number of contexts, all with a difference, for significance at the 5% level."""


@click.command(
    epilog=options.examples(
        "fathom quickstart my-papers/ --out first",
        "fathom quickstart filings.zip --out first --model openai/gpt-5-mini --budget 5",
        "fathom quickstart my-papers/ --out first --model openai-api/mine/llama --url http://127.0.0.1:8000/v1 "
        "--window 128K",
    )
)
@click.argument("sources", metavar="DOCS...", nargs=-1, required=True, type=options.PATH)
@click.option("--out", type=options.PATH, required=True, help="The folder to write to.")
@click.option("--model", help="Run this model on the bench, and write a report.")
@click.option(
    "--budget", type=options.NonNegative(), help="With --model: stop before more than this many US dollars are spent."
)
@click.option("--url", help="With --model: the address of an OpenAI-compatible server, for models named openai-api/...")
@click.option(
    "--window",
    type=options.Length(),
    help="With --model: maximum tokens of prompt and response together.  [default: from the table of models]",
)
@click.option("--prices", type=options.PATH, help="With --model: your own table of windows and prices (TOML).")
@options.seed
@click.pass_context
def command(
    caller: click.Context,
    sources: tuple[Path, ...],
    out: Path,
    model: str | None,
    budget: float | None,
    url: str | None,
    window: int | None,
    prices: Path | None,
    seed: int,
) -> None:
    """Make a first benchmark from your own documents.

    Reads the documents, chooses lengths, families and a number of questions that suit them, builds and audits a bench,
    shows some of its items, and estimates what common models would cost. Prints every command that it runs. Writes to
    the folder of --out; calls a model only with --model. A second call resumes; with another model it adds a run to the
    report.
    """
    model_options = {
        name: value
        for name, value in {"budget": budget, "url": url, "window": window, "prices": prices}.items()
        if value is not None
    }
    if model is not None:
        check_model(model, budget, window, prices, url)
    elif model_options:
        raise FathomError(f"--{next(iter(model_options))} is for a run, and no model is given. Add --model NAME.")
    check_folder(sources, out)
    if (recipe := out / RECIPE).exists() and (known := read_recipe(recipe).seed) != seed:
        raise FathomError(f"The bench in '{out}' was built with --seed {known}. Give that seed, or another --out.")
    silence_next_lines()
    corpus, bench = out / "corpus", out / "bench"
    if is_corpus(corpus):
        # An error if the documents have changed.
        corpora.ingest(sources, corpus, allow_incomplete=True, results=out).close()
        click.echo(f"{corpus} has been read before.")
    else:
        _step("ingest", *sources, "--out", corpus)
        caller.invoke(ingest.command, sources=sources, out=corpus, allow_incomplete=True, results=out)
    with open_corpus(corpus) as opened:
        chosen = choose(opened)
    _sample(caller, corpus, chosen, seed)
    _build(corpus, bench, chosen, seed)
    if model is not None and is_audited(open_bench(bench)):
        click.echo(f"{bench} has been audited before.")
    else:
        _step("audit", bench)
        caller.invoke(audit.command, bench=bench)
        _step("show", bench, "--sample", SHOWN, "--seed", seed)
        _show(bench, seed)
    if model is None:
        again = ("quickstart", *sources, "--out", out, *(("--seed", seed) if seed else ()))
        click.echo(_prices(bench, shlex.join(map(str, again))))
        return
    _run(caller, bench, out, model, model_options)


def _step(*words: object) -> None:
    """Print the command that is about to run, as a user would type it."""
    click.secho(f"\n$ fathom {shlex.join(map(str, words))}", bold=True)


def _sample(caller: click.Context, corpus: Path, chosen: FirstBench, seed: int) -> None:
    fitting = chosen.contexts
    lengths = format_lengths(fitting.lengths)
    _step(
        *("contexts", corpus, "--lengths", lengths, "--count", fitting.count),
        *("--min-documents", fitting.min_documents, "--sampling", ",".join(chosen.sampling)),
        *(("--known", ",".join(chosen.known)) if chosen.known else ()),
        *("--seed", seed),
    )
    caller.invoke(
        contexts.command,
        corpus=corpus,
        lengths=tuple(lengths.split(",")),
        count=fitting.count,
        min_documents=fitting.min_documents,
        sampling=chosen.sampling,
        known=chosen.known,
        seed=seed,
    )


def _build(corpus: Path, bench: Path, chosen: FirstBench, seed: int) -> None:
    """Build the bench from a recipe that is written beside it, for the user to edit."""
    recipe = bench.parent / RECIPE
    lines = [f'corpus = "{corpus.name}"', f'out = "{bench.name}"', f"seed = {seed}"]
    for name, settings in chosen.families.items():
        lines += ["", f"[families.{name}]", *(f"{setting} = {value}" for setting, value in settings.items())]
    recipe.write_text("\n".join(lines) + "\n")
    _step("build", "--recipe", recipe)
    build.run_build(read_recipe(recipe), cores())


def _show(folder: Path, seed: int) -> None:
    bench = open_bench(folder)
    with open_corpus(bench.corpus_folder) as corpus:
        click.echo(
            "\n\n".join("\n".join(item_lines(item, corpus, SHOWN_PASSAGES)) for item in bench.sample(SHOWN, seed))
        )


def _prices(folder: Path, again: str) -> str:
    """What a run of each common model would cost, and the next command: the same one with a model."""
    bench = open_bench(folder)
    lines = [""]
    if bench.manifest.contexts < ENOUGH_CONTEXTS:
        few = counted(bench.manifest.contexts, "context")
        lines.append(f"note: {few} will give wide intervals; with more documents there are more contexts")
    lines.append(f"estimated price of {counted(len(bench), 'question')} with the whole context:")
    plans = plan_runs(bench)
    lines += [f"  {name:30} {_price(planned)}" for name, planned in plans.items()]
    fitting = {name: planned.price or 0.0 for name, planned in plans.items() if not planned.overflow}
    if fitting:
        lines.append(f"next: fathom {again} --model {min(fitting, key=lambda name: fitting[name])} --budget 5")
    else:
        lines.append(f"next: fathom fit {folder} --window 128K --out {folder.parent / 'fitted'}")
    return "\n".join(lines)


def _price(planned: Plan) -> str:
    if not planned.requests:
        return "does not fit"
    price = "unknown" if planned.price is None else f"${planned.price:,.2f}"
    return (
        f"{price}, without {counted(len(planned.overflow), 'question')} too long for it" if planned.overflow else price
    )


def _run(caller: click.Context, bench: Path, out: Path, model: str, model_options: Mapping[str, object]) -> None:
    folder, page = run_folder(out, model), out / "report.html"
    shown = (f"{value:g}" if isinstance(value, float) else value for value in model_options.values())
    words = [word for name, value in zip(model_options, shown, strict=True) for word in (f"--{name}", value)]
    _step("run", bench, "--model", model, *words, "--out", folder)
    incomplete: SystemExit | None = None
    try:
        caller.invoke(run.command, bench=bench, model=model, out=folder, **model_options)
    except SystemExit as ended:
        if ended.code != 1:
            raise
        incomplete = ended  # the budget is reached, or calls failed: the other responses are worth a report
    _step("score", folder)
    caller.invoke(score.command, target=folder)
    _step("report", out / "runs", "--out", page)
    caller.invoke(report.command, runs=(out / "runs",), out=page)
    click.echo(f"next: open {page} in a browser, or run the same command with another --model to compare")
    if incomplete is not None:
        raise incomplete

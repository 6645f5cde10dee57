"""`fathom author`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.api.authored_puzzles import (
    CORPUS,
    PUZZLES,
    AuthoringCounts,
    authoring_counts,
    create_authoring,
    export_puzzles,
    import_puzzles,
    run_baselines,
    serve_authoring,
)
from fathom.cli import options
from fathom.cli.output import link_printer

PROJECT = click.argument("project", type=options.PATH)


@click.group(
    epilog=options.examples(
        "fathom author serve corpus --project puzzles --author ada --author ben",
        "fathom author baselines puzzles --model openai/gpt-4.1-mini",
        "fathom author export puzzles --out puzzles.jsonl",
    )
)
def command() -> None:
    """Write puzzles in a browser, with baselines, review and consensus, for `fathom build puzzles --authored`."""


@command.command(
    "serve", epilog=options.examples("fathom author serve corpus --project puzzles --author ada --author ben")
)
@click.argument("corpus", type=options.PATH)
@click.option("--project", type=options.PATH, required=True, help="The folder of the project.")
@click.option("--author", "people", multiple=True, help="A person who writes and reviews. Repeatable.")
@options.port
@click.option("--no-server", is_flag=True, help="Create the project, and serve nothing.")
def serve(corpus: Path, project: Path, people: tuple[str, ...], port: int, no_server: bool) -> None:
    """Serve the authoring pages on the loopback address.

    People draft puzzles about the documents of CORPUS, answer those of others before they see the key, and settle
    disagreements. Each stage is recorded with its reason. Writes the project; calls no model.
    """
    create_authoring(corpus, project, people)
    if no_server:
        click.echo(f"{project}: ready\nnext: fathom author serve {corpus} --project {project}")
        return
    serve_authoring(project, port=port, started=link_printer(as_json=False))


@command.command("baselines", epilog=options.examples("fathom author baselines puzzles --model openai/gpt-4.1-mini"))
@PROJECT
@click.option("--model", "models", multiple=True, required=True, help="A model that answers the puzzles. Repeatable.")
def baselines(project: Path, models: tuple[str, ...]) -> None:
    """Let models answer new and revised puzzles.

    A puzzle that all of them solve has to be revised; after three revisions it is discarded. Calls the models; writes
    the results into the project.
    """
    count = run_baselines(project, models)
    click.echo("\n".join([f"{project}: baselines answered {count:,} puzzles", *_lines(authoring_counts(project))]))


@command.command("counts", epilog=options.examples("fathom author counts puzzles"))
@PROJECT
@options.as_json
def counts(project: Path, as_json: bool) -> None:
    """Count puzzles by state and stage.

    Also prints why puzzles were discarded or rejected. Reads the project; calls no model.
    """
    found = authoring_counts(project)
    click.echo(found.model_dump_json(indent=2) if as_json else "\n".join([f"{project}:", *_lines(found)]))


def _lines(counts: AuthoringCounts) -> list[str]:
    states, stages = (
        ", ".join(f"{name} {count:,}" for name, count in by_name.items()) for by_name in (counts.states, counts.events)
    )
    lines = [f"  {counts.puzzles:,} puzzles: {states}", f"  stages: {stages}"]
    lines.append(f"  solved by all baselines {counts.solved_by_all:,} times, {counts.disagreements:,} disagreements")
    return lines + [f"  {reason}: {count:,}" for reason, count in counts.reasons.items()]


@command.command("export", epilog=options.examples("fathom author export puzzles --out puzzles.jsonl"))
@PROJECT
@click.option("--out", type=options.PATH, required=True, help="The file to write: JSON Lines.")
def export(project: Path, out: Path) -> None:
    """Write the final puzzles, on which author and reviewer agree.

    `fathom build puzzles --authored` reads the file. Reads the project; calls no model.
    """
    count = export_puzzles(project, out)
    click.echo(f"{out}: {count:,} puzzles\nnext: fathom build puzzles CORPUS --authored {out} --out bench")


@command.command("import", epilog=options.examples("fathom author import murder_mystery.json --out musr"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=options.PATH)
@click.option("--out", type=options.PATH, required=True, help="The folder to write: a corpus and puzzles.jsonl.")
@options.as_json
def import_(files: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Import the puzzles of MuSR with their reasoning trees.

    FILES are its JSON files, plain or compressed. The stories become a corpus, and the conclusions of each tree a
    checklist. Writes only --out; calls no model.
    """
    report = import_puzzles(files, out)
    if as_json:
        click.echo(report.model_dump_json(indent=2))
        return
    lines = [f"{out}: {report.puzzles:,} puzzles on {report.documents:,} documents, {report.conclusions:,} conclusions"]
    lines += [f"  puzzles {reason}: {count:,}" for reason, count in report.left_out.items()]
    lines.append(f"next: fathom build puzzles {out / CORPUS} --authored {out / PUZZLES} --out bench")
    click.echo("\n".join(lines))

"""The `fathom` command: runs a subcommand, and reports misuse in one sentence with exit code 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword

import click

from fathom.cli.process import end_signals_as_interrupts, keep_writing
from fathom.records.errors import FathomError, os_error, refuse_undecodable
from fathom.records.version import __version__

SECTIONS = {
    "Start here": {
        "demo": "Run all of Fathom on a small generated corpus.",
        "quickstart": "Make a first benchmark from your own documents.",
    },
    "Documents": {
        "ingest": "Read documents into a corpus.",
        "generate": "Write a corpus of generated documents.",
        "contexts": "Sample documents of a corpus into contexts of given lengths.",
    },
    "Benchmarks": {
        "build": "Build a bench: questions with keys over a corpus.",
        "audit": "Verify every item of a bench from its files.",
        "fit": "Fit a bench to a model's context window.",
        "swap": "Make a counterfactual bench with swapped names and numbers.",
        "pack": "Check or draft a domain pack, or extract its figures.",
        "show": "Show a corpus, a bench or a run, or a part of it.",
    },
    "Runs": {
        "models": "List models with window, prices, release and training cutoff.",
        "plan": "Estimate the requests, tokens and price of a run.",
        "run": "Run a model on a bench.",
        "status": "Show the progress, errors and spending of one run.",
        "runs": "List runs with their state, progress, spending and accuracy.",
        "import": "Make a run from the log of another tool.",
        "check-system": "Check that your own system follows the contract.",
    },
    "Results": {
        "score": "Score a run, or a file of answers against a bench.",
        "analyze": "Analyze runs: accuracy, comparisons, error patterns, causes.",
        "compare": "Compare two runs on one bench, question by question.",
        "table": "Tabulate a measure of runs by any of their properties.",
        "report": "Write a report page or a leaderboard.",
        "correlate": "Correlate properties of models over runs.",
        "judges": "Report on the judges of runs: error, agreement, drift.",
        "contamination": "Measure how much of a run was memorized.",
    },
    "Work by people": {
        "annotate": "Mark claims and evidence, or review items, in a browser.",
        "annotations": "Import and export annotations of claims and evidence.",
        "agree": "Measure the agreement of annotators.",
        "author": "Write puzzles in a browser, or import existing ones.",
        "errata": "Dispute or retire items of a bench, or list its errata.",
        "study": "Let people answer questions of a bench.",
        "code": "Sort incorrect responses of runs into categories by hand.",
    },
}
"""The commands by subject. Each has a module of its name in this package, with underscores in place of hyphens and
after a keyword of Python."""
COMMANDS = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}


class _Commands(click.Group):
    """Loads a command when it is called, so that `fathom --help` stays fast."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_") + "_" * iskeyword(name)
        command = import_module(f"fathom.cli.{module}").command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, context: click.Context, words: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if words[0] not in COMMANDS and not words[0].startswith("-"):
            from rapidfuzz import process
            from rapidfuzz.distance import OSA

            edits = 1 + len(words[0]) // 4
            close = process.extractOne(words[0], list(COMMANDS), scorer=OSA.distance, score_cutoff=edits)
            advice = f"Did you mean `fathom {close[0]}`?" if close else "See `fathom --help`."
            raise FathomError(f"There is no command '{words[0]}'. {advice}")
        return super().resolve_command(context, words)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(longest), summary) for name, summary in commands.items()])


EXAMPLE = """
\b
Example:
  fathom quickstart my-documents --out first
  fathom generate --out corpus --documents 200 --seed 7
  fathom contexts corpus --lengths 64K,128K --count 12
  fathom build numeric corpus --out bench
  fathom audit bench
  fathom run bench --model 'sim/reader?miss=0.1' --out runs/simulated
  fathom report runs/simulated --out report.html
"""


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLE)
@click.version_option(__version__, prog_name="fathom", message="%(prog)s %(version)s")
def cli() -> None:
    """Turn documents into a long-context benchmark in which every answer key carries its proof.

    Each command reads and writes files. A command that was interrupted resumes when it is run again. `fathom COMMAND
    --help` explains a command, says whether it calls a model, and gives examples.
    """


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 for success, 2 for misuse, 130 for an interrupt."""
    keep_writing()
    words = sys.argv[1:] if words is None else words
    try:
        for word in words:
            refuse_undecodable(word)  # For every option, also those that contain a path, such as `-S file=PATH`.
        with end_signals_as_interrupts():
            cli.main(args=words, prog_name="fathom", standalone_mode=False)
    except FathomError as error:
        return _refuse(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        called = error.ctx.command_path if error.ctx else "fathom"
        message = error.format_message().rstrip(".")
        return _refuse(f"{message}{'' if message.endswith('?') else '.'} See `{called} --help`.")
    except click.ClickException as error:
        return _refuse(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        click.echo("fathom: interrupted. Run the same command again to resume.", err=True)
        return 130
    except BrokenPipeError:
        # The reader closed the pipe, as in `fathom show ... | head`: not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ValueError as error:
        # A record rejects a setting, such as a share that is not a number. pydantic is not imported for `--help`.
        if not hasattr(error, "errors"):
            raise
        from fathom.records.record import first_error

        return _refuse(f"The settings are not valid: {first_error(error)}. See `fathom --help`.")  # type: ignore[arg-type]
    except OSError as error:
        return _refuse(str(os_error("use", error.filename or "a file", error)))
    return 0


def _refuse(sentence: str) -> int:
    click.echo(f"fathom: {sentence}", err=True)
    return 2


def run() -> None:
    """The `fathom` command."""
    sys.exit(main())

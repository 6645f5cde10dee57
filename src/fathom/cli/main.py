"""The front door: finds the command, runs it, and turns misuse into one sentence and exit code 2."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from fathom.records.errors import FathomError, os_error
from fathom.records.version import __version__

COMMANDS = {
    "demo": "Everything below on a small generated corpus.",
    "ingest": "Read documents into a corpus.",
    "generate": "Write a corpus of generated documents.",
    "contexts": "Sample documents of a corpus into contexts of given lengths.",
    "build": "Make a bench: questions and keys over a corpus's contexts.",
    "audit": "Prove a bench again from its own files.",
    "fit": "Make a bench fit a model's window.",
    "swap": "Make a bench with other names and numbers in text and keys.",
    "plan": "Estimate the requests, tokens and price of a run.",
    "run": "Run a model on a bench.",
    "score": "Score a run, or a file of answers against a bench.",
    "analyze": "Say where and why runs fail, and how surely.",
    "compare": "Say whether two runs on one bench differ.",
    "report": "Write a page that shows how runs did, and why they fail.",
    "contamination": "Say how much of a run was known by heart.",
    "show": "Show a corpus, a document, or a context.",
}
"""Every command in the order of the work; each has a module of its name here, loaded when it is called."""


class _Commands(click.Group):
    """Loads a command when it is called, so that `fathom --help` answers at once."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = import_module(f"fathom.cli.{name}").command
        return command if isinstance(command, click.Command) else None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


EXAMPLE = """
\b
Example:
  fathom generate --out corpus --documents 200 --seed 7
  fathom contexts corpus --lengths 64K,128K
  fathom build numeric corpus --out bench
  fathom audit bench
"""


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLE)
@click.version_option(__version__, prog_name="fathom", message="%(prog)s %(version)s")
def cli() -> None:
    """Turn a pile of documents into a long-context benchmark whose every answer carries its proof.

    Each command reads files and writes files, can be run again after a kill, and says so when it calls a model.
    """


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 for done, 2 for misuse, 130 for stopped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter gets its number instead; a title in Chinese must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        cli.main(args=words, prog_name="fathom", standalone_mode=False)
    except FathomError as error:
        return _refuse(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        called = error.ctx.command_path if error.ctx else "fathom"
        return _refuse(f"{error.format_message().rstrip('.')}. See `{called} --help`.")
    except click.ClickException as error:
        return _refuse(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        click.echo("fathom: stopped. Run the same command again to go on.", err=True)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`fathom show ... | head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ValueError as error:
        # Settings that a record refuses, such as a share that is no number; pydantic is not loaded for `--help`.
        if not type(error).__module__.startswith("pydantic"):
            raise
        from fathom.records.record import first_error

        return _refuse(f"These settings do not hold: {first_error(error)}. See `fathom --help`.")  # type: ignore[arg-type]
    except OSError as error:
        return _refuse(str(os_error("use", error.filename or "a file", error)))
    return 0


def _refuse(sentence: str) -> int:
    click.echo(f"fathom: {sentence}", err=True)
    return 2


def run() -> None:
    """The `fathom` command."""
    sys.exit(main())

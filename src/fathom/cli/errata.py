"""`fathom errata`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import cut
from fathom.records.errors import FathomError
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.errata import Errata, ErratumState


@click.command(
    epilog=options.examples(
        "fathom errata bench",
        "fathom errata bench --import dispute-q-4f2a.jsonl",
        "fathom errata bench --question q-4f2a --state retired --reason 'two titles tie' --by eve",
    )
)
@click.argument("bench", type=options.PATH)
@click.option(
    "--import",
    "imported",
    multiple=True,
    type=options.PATH,
    help="A dispute file downloaded from a report page. Repeatable.",
)
@click.option("--question", help="The id of the question.")
@click.option(
    "--state",
    type=click.Choice(["disputed", "upheld", "retired"]),
    default="disputed",
    show_default=True,
    help="The new state of the question.",
)
@click.option("--reason", help="The reason.")
@click.option("--by", help="Your name.")
@options.as_json
def command(
    bench: Path,
    imported: tuple[Path, ...],
    question: str | None,
    state: ErratumState,
    reason: str | None,
    by: str | None,
    as_json: bool,
) -> None:
    """List the errata of a bench, or dispute, uphold or retire an item.

    Errata are statements about items with a reason and a name; the last one about an item counts. Items stay in the
    bench: `fathom score` and the report state accuracy with and without retired questions. Reads the bench; writes
    errata.jsonl in its folder; calls no model.
    """
    from fathom.api.errata import errata, import_errata, state_erratum

    options.require_path(bench, "a bench")
    if question is not None:
        if not reason or not by:
            raise FathomError("An erratum needs a reason and a name. Give --reason TEXT and --by NAME.")
        changed = state_erratum(bench, question, state, reason, by)
    else:
        changed = import_errata(bench, imported) if imported else errata(bench)
    click.echo(changed.model_dump_json(indent=2) if as_json else "\n".join(_lines(bench, changed)))
    if not as_json and any(erratum.state == "disputed" for erratum in changed.errata):
        click.echo(f"next: fathom annotate {bench} --annotator NAME")


def _lines(bench: Path, listed: Errata) -> Iterator[str]:
    if listed.imported is not None:
        yield (
            f"{counted(listed.imported.added, 'dispute')} added, {listed.imported.known:,} known, "
            f"{listed.imported.retired:,} of retired items"
        )
    current = {erratum.question_id: erratum for erratum in listed.errata}
    states = [erratum.state for erratum in current.values()]
    counts = ", ".join(f"{state} {states.count(state):,}" for state in ("disputed", "upheld", "retired"))
    yield f"{bench}: {counted(len(current), 'item')} with errata ({counts})"
    for erratum in current.values():
        stated = f"{erratum.state} by {cut(erratum.by, 30)}, {erratum.at[:10]}"
        yield f"  {erratum.question_id} {stated}: {cut(erratum.reason, 80)}"

"""Errata of a bench: items that people dispute, uphold or retire."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from fathom.annotate.project import now
from fathom.api.arguments import Folder, as_path
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.record import Record, first_error
from fathom.tasks.bench import Bench
from fathom.tasks.errata import (
    Dispute,
    Erratum,
    ErratumState,
    ImportedDisputes,
    add_erratum,
    import_disputes,
    read_errata,
)

__all__ = ["Errata", "Erratum", "ErratumState", "ImportedDisputes", "errata", "import_errata", "state_erratum"]


class Errata(Record):
    """The errata of a bench."""

    errata: tuple[Erratum, ...]
    """Oldest first; the last one about an item counts."""
    imported: ImportedDisputes | None = None


def errata(bench: Folder) -> Errata:
    """All errata of a bench."""
    return Errata(errata=tuple(read_errata(Bench(as_path(bench)).folder)))


def state_erratum(bench: Folder, question: str, state: ErratumState, reason: str, by: str) -> Errata:
    """Dispute, uphold or retire an item."""
    try:
        erratum = Erratum(question_id=question, state=state, reason=reason, by=by, at=now())
    except ValidationError as error:
        raise FathomError(f"The erratum is not valid: {first_error(error)}. Shorten it.") from error
    add_erratum(as_path(bench), erratum)
    return errata(bench)


def import_errata(bench: Folder, files: Sequence[Folder]) -> Errata:
    """Add the disputes that report pages wrote: JSON Lines."""
    disputes = [dispute for file in files for dispute in read_records(as_path(file), Dispute)]
    imported = import_disputes(as_path(bench), disputes)
    return errata(bench).model_copy(update={"imported": imported})

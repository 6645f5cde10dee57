"""The systems there are, by name."""

from __future__ import annotations

from fathom.records.errors import FathomError
from fathom.systems.direct import ClosedBook, Full, Passages, Tables
from fathom.systems.extract_sql import ExtractSql
from fathom.systems.protocol import Prompting, System
from fathom.systems.sql import Sql

SYSTEMS = {kind.name: kind for kind in (Full, Passages, Tables, Sql, ExtractSql, ClosedBook)}


def system(name: str, prompting: Prompting) -> System:
    """The system of that name, with its usual settings."""
    if name not in SYSTEMS:
        raise FathomError(f"There is no system '{name}'. Choose among {', '.join(SYSTEMS)}.")
    return SYSTEMS[name](prompting=prompting)

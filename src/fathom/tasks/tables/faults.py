"""Faults of simulated readers of figures."""

from __future__ import annotations

from fathom.tasks.programs import faults
from fathom.tasks.programs.faults import ReadingFault

_ORDER = (
    *("drop-filter", "reverse", "boundary", "miscount", "other-column", "sum-for-avg", "wrong-top", "inverted-ratio"),
    *("wrong-peers", "unknown-as-zero", "miss-document"),
)
FAULTS: dict[str, ReadingFault] = {name: faults.FAULTS[name] for name in _ORDER}
"""Every fault by name, in the order in which a simulated reader decides whether to apply them."""

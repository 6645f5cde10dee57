"""Questions whose answers a query proves: counting, sorting, filtering, relating titles, authors and references."""

from fathom.tasks.numeric.audit import audit
from fathom.tasks.numeric.build import builder
from fathom.tasks.numeric.check import check

name = "numeric"

__all__ = ["audit", "builder", "check", "name"]

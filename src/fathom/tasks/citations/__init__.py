"""Which work is cited here? Masked citations, each with four candidates from the paper's own reference list."""

from fathom.tasks.citations.audit import audit
from fathom.tasks.citations.check import check
from fathom.tasks.citations.describe import describe
from fathom.tasks.citations.diagnose import Diagnoser as diagnose  # noqa: N813 - a family offers functions
from fathom.tasks.citations.explain import explain
from fathom.tasks.citations.make import CitationMaker as maker  # noqa: N813 - a family offers functions
from fathom.tasks.citations.passages import Needed as passages  # noqa: N813
from fathom.tasks.citations.refit import Refitter as refit  # noqa: N813
from fathom.tasks.citations.simulate import Simulator as simulator  # noqa: N813
from fathom.tasks.citations.swap import Swapper as swapper  # noqa: N813
from fathom.tasks.citations.views import Views as views  # noqa: N813

name = "citations"
builder = None

__all__ = [
    "audit",
    "builder",
    "check",
    "describe",
    "diagnose",
    "explain",
    "maker",
    "name",
    "passages",
    "refit",
    "simulator",
    "swapper",
    "views",
]

"""Which work is cited here? Masked citations, each with four candidates from the paper's own reference list."""

from functools import partial

from fathom.tasks.citations.audit import audit
from fathom.tasks.citations.check import check
from fathom.tasks.citations.describe import describe
from fathom.tasks.citations.diagnose import Diagnoser as diagnose  # noqa: N813 - a family offers functions
from fathom.tasks.citations.explain import explain
from fathom.tasks.citations.make import CitationMaker as maker  # noqa: N813 - a family offers functions
from fathom.tasks.citations.passages import Needed as passages  # noqa: N813
from fathom.tasks.citations.simulate import Simulator as simulator  # noqa: N813
from fathom.tasks.citations.swap import Swapper as swapper  # noqa: N813
from fathom.tasks.shown_as_text import AsItIs, text_views

name = "citations"
builder = None
views = partial(text_views, package=__name__)
refit = partial(AsItIs, reason="a paper and its candidates cannot be made smaller (build with fewer --characters)")

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

"""Has the model seen the documents before? Probes that nobody passes who has only read what is shown."""

from functools import partial

from fathom.tasks.recall.audit import audit
from fathom.tasks.recall.check import check
from fathom.tasks.recall.describe import describe
from fathom.tasks.recall.make import RecallMaker as maker  # noqa: N813 - a family offers functions
from fathom.tasks.recall.simulate import Simulator as simulator  # noqa: N813
from fathom.tasks.shown_as_text import AsItIs, TextViews

name = "recall"
builder = None
views = partial(TextViews, package=__name__)
refit = partial(AsItIs, reason="a probe cannot be made smaller")
swapper = None

__all__ = ["audit", "builder", "check", "describe", "maker", "name", "refit", "simulator", "swapper", "views"]

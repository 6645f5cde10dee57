"""Has the model seen the documents before? Probes that nobody passes who has only read what is shown."""

from functools import partial

from fathom.tasks.memorization.audit import audit
from fathom.tasks.memorization.check import check
from fathom.tasks.memorization.describe import describe
from fathom.tasks.memorization.make import ProbeMaker as maker  # noqa: N813 - a family offers functions
from fathom.tasks.memorization.simulate import Simulator as simulator  # noqa: N813
from fathom.tasks.shown_as_text import AsItIs, text_views

name = "memorization"
builder = None
views = partial(text_views, package=__name__)
refit = partial(AsItIs, reason="a probe cannot be made smaller")
swapper = None

__all__ = ["audit", "builder", "check", "describe", "maker", "name", "refit", "simulator", "swapper", "views"]

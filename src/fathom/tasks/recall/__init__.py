"""Has the model seen the documents before? Probes that nobody passes who has only read what is shown."""

from fathom.tasks.recall.audit import audit
from fathom.tasks.recall.check import check
from fathom.tasks.recall.describe import describe
from fathom.tasks.recall.make import RecallMaker as maker  # noqa: N813 - a family offers functions
from fathom.tasks.recall.refit import Refitter as refit  # noqa: N813
from fathom.tasks.recall.simulate import Simulator as simulator  # noqa: N813
from fathom.tasks.recall.views import Views as views  # noqa: N813

name = "recall"
builder = None
swapper = None

__all__ = ["audit", "builder", "check", "describe", "maker", "name", "refit", "simulator", "swapper", "views"]

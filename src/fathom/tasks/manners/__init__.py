"""Does a citation name what it cites? Asked of a model whose word is to count beside the rule's."""

from fathom.tasks.citations.check import check
from fathom.tasks.citations.refit import Refitter as refit  # noqa: N813 - a family offers functions
from fathom.tasks.manners.audit import audit
from fathom.tasks.manners.make import MannerMaker as maker  # noqa: N813
from fathom.tasks.manners.make import describe
from fathom.tasks.manners.simulate import Simulator as simulator  # noqa: N813
from fathom.tasks.manners.views import Views as views  # noqa: N813

name = "manners"
builder = None
swapper = None

__all__ = ["audit", "builder", "check", "describe", "maker", "name", "refit", "simulator", "swapper", "views"]

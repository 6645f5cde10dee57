"""Does a citation name what it cites? Asked of a model whose word is to count beside the rule's."""

from functools import partial

from fathom.tasks.citation_types.audit import audit
from fathom.tasks.citation_types.make import CitationTypeMaker as maker  # noqa: N813
from fathom.tasks.citation_types.make import describe
from fathom.tasks.citation_types.simulate import Simulator as simulator  # noqa: N813
from fathom.tasks.citations.check import check
from fathom.tasks.shown_as_text import AsItIs, text_views

name = "citation_types"
builder = None
views = partial(text_views, package=__name__)
refit = partial(AsItIs, reason="a paragraph cannot be made smaller")
swapper = None

__all__ = ["audit", "builder", "check", "describe", "maker", "name", "refit", "simulator", "swapper", "views"]

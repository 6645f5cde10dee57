"""Questions whose answers a query proves: counting, sorting, filtering, relating titles, authors and references."""

from fathom.tasks.numeric.audit import audit
from fathom.tasks.numeric.build import builder
from fathom.tasks.numeric.check import check
from fathom.tasks.numeric.diagnose import Diagnoser as diagnose  # noqa: N813
from fathom.tasks.numeric.explain import explain
from fathom.tasks.numeric.passages import Needed as passages  # noqa: N813
from fathom.tasks.numeric.refit import Refitter as refit  # noqa: N813
from fathom.tasks.numeric.simulate import Simulator as simulator  # noqa: N813 - a family offers functions
from fathom.tasks.numeric.swap import Swapper as swapper  # noqa: N813
from fathom.tasks.numeric.views import views

name = "numeric"
maker = None
describe = None

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

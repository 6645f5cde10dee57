"""Multi-step reasoning over one long document, judged on its steps as well as on its answer."""

from __future__ import annotations

from fathom.tasks.family import Family, FromCorpus, Tag, program_leaks
from fathom.tasks.puzzles.audit import PuzzlesAuditor
from fathom.tasks.puzzles.build import PuzzlesBuilder
from fathom.tasks.puzzles.check import MEASURES, check, empty_measures
from fathom.tasks.puzzles.describe import describe, describe_baselines, explain
from fathom.tasks.puzzles.diagnose import Diagnoser
from fathom.tasks.puzzles.faults import FAULTS
from fathom.tasks.puzzles.judge import JUDGE
from fathom.tasks.puzzles.puzzle import DISTANCES, NAME
from fathom.tasks.puzzles.settings import PuzzlesSettings
from fathom.tasks.puzzles.simulate import Simulator
from fathom.tasks.puzzles.sources import KINDS
from fathom.tasks.text_views import text_views

FAMILY = Family(
    name=NAME,
    summary="Multi-step reasoning over one long document, judged on its steps.",
    settings=PuzzlesSettings,
    build=FromCorpus(PuzzlesBuilder),
    check=check,
    checks_reasoning=True,
    audit=PuzzlesAuditor,
    views=lambda corpus, report: text_views(corpus, __name__),
    tags=(
        Tag("kind", "Kind of document", summary=True, values=KINDS),
        Tag("operations", "Operations"),
        Tag("steps", "Steps", summary=True),
        Tag("answer", "Type of the answer"),
        Tag("distance", "Tokens between the first and the last fact", values=DISTANCES),
        Tag("language", "Language"),
    ),
    cross_tabs=(("kind", "steps"),),
    macro_tag="kind",
    measures=MEASURES,
    empty_measures=empty_measures,
    faults=FAULTS,
    simulate=Simulator,
    diagnose=Diagnoser,
    judge=JUDGE,
    explain=explain,
    describe=describe,
    baselines=describe_baselines,
    leaks=program_leaks,
)

"""Tests of Fathom."""

import os

# As the `fathom` command does, and before any test loads numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

"""Time of `fathom --help`, compared with a Python process that does nothing. Target: under 0.3 seconds."""

from __future__ import annotations

import sys

from _measuring import best, cost_of, fathom

bare = best([cost_of(sys.executable, "-c", "pass").wall for _ in range(10)])
help = best([fathom("--help").wall for _ in range(10)])
print(f"python -c pass   {bare:.3f} s")
print(f"fathom --help    {help:.3f} s   ({help / bare:.1f} times as long; promised: under 0.3 s)")

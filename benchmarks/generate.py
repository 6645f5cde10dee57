"""Ten million tokens of documents, with one process and with two. Target: a few minutes, within 1 GB."""

from __future__ import annotations

from _measuring import fathom, workplace

with workplace() as folder:
    for domains in ("articles", "reports"):
        costs = {}
        for processes in (1, 2):
            out = folder / f"{domains}-{processes}"
            words = ("--tokens", "10M", "--domains", domains, "--processes", processes, "--seed", 7)
            costs[processes] = fathom("generate", "--out", out, *words)
        one, two = costs[1], costs[2]
        same = all(
            (folder / f"{domains}-1" / name).read_bytes() == (folder / f"{domains}-2" / name).read_bytes()
            for name in ("corpus.sqlite", "manifest.json")
        )
        print(f"10M tokens of {domains}:")
        print(f"  one process    {one.wall:6.1f} s, {one.cpu:6.1f} CPU s, {one.peak_megabytes:5.0f} MB at the most")
        print(f"  two processes  {two.wall:6.1f} s, {two.cpu:6.1f} CPU s, {two.peak_megabytes:5.0f} MB in the largest")
        print(f"  two are {one.wall / two.wall:.2f} times as fast as one; the same bytes: {'yes' if same else 'NO'}")

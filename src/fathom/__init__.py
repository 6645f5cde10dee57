"""Fathom turns documents into long-context benchmarks whose every answer carries its proof."""

__version__ = "0.1.0"

"""Runs: from questions and a system to responses, and other model calls: plan, gate, budget, journal, resume."""

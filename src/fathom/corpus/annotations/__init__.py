"""Reads annotations of claims, evidence and whole articles from files of other tools."""

"""Markdown as PDF and HTML converters write it."""

"""Parsers for parts that several formats share: bylines, references, citations, sentences, tables."""

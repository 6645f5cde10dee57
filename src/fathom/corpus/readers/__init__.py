"""Readers of source files, one package per format. Each yields parsed documents, which `assembly` writes as text."""

"""Corpora: reads or generates documents, links them, and stores them in a folder that all other packages read."""

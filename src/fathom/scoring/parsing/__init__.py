"""Parsing of response text: normalization, numerals, segmentation, JSON, and extraction of the stated answer."""

"""reStructuredText: proceedings papers and PEPs."""

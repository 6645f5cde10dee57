"""Reader of reStructuredText: proceedings papers and PEPs."""

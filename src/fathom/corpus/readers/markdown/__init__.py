"""Reader of Markdown written by PDF and HTML converters."""

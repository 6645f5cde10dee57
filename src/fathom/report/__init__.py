"""From findings to pages, tables and figures that people like to look at."""

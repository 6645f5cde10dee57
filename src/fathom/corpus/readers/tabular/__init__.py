"""JSON records, CSV and TSV tables, and HTML pages with tables."""
